"""A back end that supports no target; importing it is what counts."""

from triton.backends.compiler import BaseBackend

from .. import is_asked_for


class TritccBackend(BaseBackend):
    """Never chosen: kernels keep the back end of their device, whose stages tritcc replaces."""

    @staticmethod
    def supports_target(target):
        return False

    def hash(self):
        raise NotImplementedError

    def parse_options(self, options):
        raise NotImplementedError

    def add_stages(self, stages, options, language=None):
        raise NotImplementedError

    def load_dialects(self, context):
        raise NotImplementedError

    def get_module_map(self):
        raise NotImplementedError


if is_asked_for():
    from .. import _install

    _install.arm()
