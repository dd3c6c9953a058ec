"""Stages of a kernel that are written when somebody asks for them.

Few read ttir, ttgir and llir, and printing them takes a sixth of a compilation, their files more. A kernel keeps its
source and the command instead: `kernel.asm["ttgir"]` is made by the same compiler at its first use, out of the cache,
too (its key knows the compiler). Where what the user has set sees the stages as they come (dumps, overrides, listeners,
hooks), or wants them (install(texts=True)), they are written as Triton writes them."""

import functools

from .. import _compile
from ._state import current

LATER = ("ttir", "ttgir", "llir")


def are_wanted(knobs):
    """Are all stages written with the kernel?"""
    compilation, runtime = knobs.compilation, knobs.runtime
    hooks = (getattr(runtime, "kernel_load_start_hook", None), getattr(runtime, "kernel_load_end_hook", None))
    asked = (compilation.dump_ir, compilation.override, compilation.listener)
    return current.texts or any(asked) or any(getattr(hook, "calls", hook) for hook in hooks)


@functools.lru_cache
def _texts_class(plain):
    class Texts(plain):
        """Triton's dictionary, with None for what is made at its first use."""

        def __getitem__(self, kind):
            found = super().__getitem__(kind)
            return super(Texts, self._filled()).__getitem__(kind) if found is None else found

        def _filled(self):
            if super().__getitem__(LATER[0]) is None:
                file, *words = self.command
                words = ["-emit=" + ",".join(LATER), *words]
                outputs, _ = _compile.Compilation(words, file, self["source"].encode()).run(LATER)
                self.update((kind, _compile.decoded(kind, data)) for kind, data in outputs.items())
            return self

        def get(self, kind, default=None):
            return self[kind] if kind in self else default

        def __iter__(self):  # its own, so that dict() asks __getitem__
            return iter(self.keys())

        def items(self):
            return dict.items(self._filled())

        def values(self):
            return dict.values(self._filled())

        def __eq__(self, other):
            return dict.__eq__(self._filled(), other)

        def __reduce__(self):
            return plain, (dict(self),)

    return Texts


def of_kernel(kernel):
    """kernel.asm, with what is to be made yet."""
    there, command = kernel.asm, (getattr(kernel.metadata, "tritcc", None) or {}).get("command")
    if not command or "source" not in there or "ptx" not in there:  # TRITON_STORE_BINARY_ONLY
        return there
    texts = _texts_class(type(there))(source=there["source"], **dict.fromkeys(LATER))
    texts.update(there)
    texts.command = command
    return texts
