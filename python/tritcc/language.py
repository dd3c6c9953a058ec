"""The names of triton.language for kernels of programs that have no Triton: import tritcc.language as tl.

They say in a kernel's text what they say in Triton's, and what functions there are is the compiler's to know. Python sees
names alone: as annotations, as types among arguments (tl.float16), and as constants of a module, tl.constexpr(8)."""

from ._signature import Constexpr, LanguageName


class constexpr(Constexpr):  # noqa: N801
    """A constant of a module that kernels read, and the annotation of parameters that are constants."""


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(f"module 'tritcc.language' has no attribute '{name}'")
    return LanguageName("tl." + name)
