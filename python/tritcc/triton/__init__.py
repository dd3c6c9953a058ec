"""tritcc as the compiler behind Triton's JIT, in this process and in those that it starts.

    import tritcc.triton
    tritcc.triton.install()

or TRITCC=1 in the environment. Nothing of Triton is imported before it is needed."""

import os


def install(strict=None, frontend=None, warnings=None, options=None, launcher=None, texts=None):
    """From now on, kernels for NVIDIA GPUs are compiled by tritcc; see the stub for what is set."""

    from . import _install

    told = {"strict": strict, "frontend": frontend, "warnings": warnings, "options": options}
    _install.install(**told, launcher=launcher, texts=texts)


def uninstall():
    """Gives the kernels back to Triton. What is compiled already stays as it is."""
    from . import _install

    _install.uninstall()


def is_installed():
    from . import _state as state

    return state.current.is_installed


def report():
    """What became of the kernels of this process and of those that it started: see `Report`."""
    from . import _report

    return _report.report()


def clear_report():
    from . import _report

    _report.clear()


def __getattr__(name):
    if name in ("Report", "Entry"):
        from . import _report

        return getattr(_report, name)
    if name in ("UnsupportedTriton", "TritccWarning", "Refused"):
        from . import _state as state

        return getattr(state, name)
    raise AttributeError(f"module 'tritcc.triton' has no attribute '{name}'")


def is_asked_for():
    """Does the environment ask for tritcc?"""
    return os.environ.get("TRITCC", "0").strip().lower() not in ("", "0", "no", "off", "false")
