"""A kernel that tritcc has compiled, in the shape that Triton's stages hand on."""

import json
import warnings

from .. import _compile, errors
from . import _direct, _request, _state, _texts
from ._launcher import is_descriptor

STAGES = ("ttir", "ttgir", "llir", "ptx", "cubin")


class Staged(str):
    """The text of a stage; Triton keeps it, writes it to its cache, and gives it to the next stage."""

    __slots__ = ("unit",)

    def __new__(cls, text, unit):
        self = super().__new__(cls, text)
        self.unit = unit
        return self


class Unit:
    """`later`: the stages that are not among the outputs, `command`: what makes them (`_texts`)."""

    def __init__(self, outputs, command=None):
        self.outputs, self.note, self.launcher, self.command = outputs, "", "triton", command
        self.later = _texts.LATER if command else ()
        kernels = json.loads(outputs["json"])["kernels"]
        if len(kernels) != 1:
            raise _state.Refused(f"{len(kernels)} kernels in place of one")
        self.kernel = kernels[0]

    def source(self, text):
        return Staged(text, self)

    def give(self, kind, metadata):
        """The text of a stage, and what Triton's own stage would have said of it and of those that are left out."""
        for left_out in self.later:
            self._say(left_out, metadata)
        self._say(kind, metadata)
        return Staged(self.outputs[kind].decode(errors="surrogateescape"), self)

    def _say(self, kind, metadata):
        kernel = self.kernel
        if kind == "ttgir":
            metadata["tensordesc_meta"] = []
        elif kind == "llir":
            metadata["num_warps"] = kernel["num_warps"]
            metadata["shared"] = kernel["shared_bytes"]
            metadata["tmem_size"] = 0
            metadata["global_scratch_size"] = kernel["scratch_bytes"] or 0
            metadata["global_scratch_align"] = kernel["scratch_alignment"] or 1
            metadata["profile_scratch_size"] = 0
            metadata["profile_scratch_align"] = 1
        elif kind == "ptx":
            metadata["name"] = kernel["symbol"]


def _warn(diagnostics, bundle):
    for d in diagnostics:
        if d.severity == "warning" and _state.current.warnings:
            from . import _errors

            place = bundle.origin(d.line) if bundle is not None and d.line else None
            file, line = (place[0], place[1]) if place else (d.file or "<kernel>", d.line)
            text = f"{_errors.warning_of(d.text)} [-W{d.group}]"
            warnings.warn_explicit(text, _state.TritccWarning, file, max(line, 1))


def _run(words, name, data, bundle, has_later=False):
    one = _compile.Compilation(words, name, data)
    kinds = words[0].partition("=")[2].split(",")
    try:
        outputs, _ = one.run(kinds)
    except errors.CompileError as error:
        first = error.error
        reason = f"{first.text} [{first.code}]" if first else str(error).strip().split("\n")[0]
        raise _state.Refused(reason, error) from error
    _warn(one.diagnostics, bundle)
    return Unit(outputs, [name, *words[1:]] if has_later else None)


def _has_tensor_memory(target):
    return target.arch // 10 in (10, 11)


def _check_products(unit, target):
    """Compute capability 10 multiplies by tcgen05, which tritcc has not: the kernel is Triton's, or says so."""
    if not _has_tensor_memory(target) or b"tt.dot" not in unit.outputs.get("ttgir", b""):
        return
    reason = f"products by mma.sync where Triton has tcgen05 for compute capability {target.arch // 10}.{target.arch % 10}"
    if not _state.current.strict:
        raise _state.Refused(reason)
    unit.note = reason


def of_source(source, target, options):
    """Compiles an ASTSource. Refused when tritcc does not take it."""
    from triton import knobs

    is_direct = _direct.is_direct(source)
    has_later = not _has_tensor_memory(target) and not _texts.are_wanted(knobs)
    bundle, words = _request.of_source(source, target, options, knobs, is_direct, has_later)
    try:
        unit = _run(words, bundle.filename, bundle.text.encode(), bundle, has_later)
    except _state.Refused as refused:
        refused.bundle = bundle
        raise
    _check_products(unit, target)
    if target.arch >= 90 and any(map(is_descriptor, source.signature.values())):
        unit.note = unit.note or "descriptors that are arguments are read through pointers, not by TMA"
    if is_direct:
        unit.launcher = "tritcc"
    elif _direct.is_wanted(source):
        unit.note = unit.note or f"launched by Triton: {_direct.missing()}"
    return unit.source(bundle.text)


def of_text(text, kind, name, target, options):
    """Compiles upstream's own text of a stage."""
    from triton import knobs

    words = _request.of_text(kind, target, options, knobs)
    unit = _run(words, f"{name}.{kind}", text.encode(), None)
    _check_products(unit, target)
    return unit
