"""Signatures and constants as the text that -sig and -D take."""

import enum
import inspect
import math

_FLOATS = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64"}


class Constexpr:
    """A constant in a signature where a type could be meant: tritcc.Constexpr("relu")."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return f"Constexpr({self.value!r})"


class LanguageName:
    """A name of tritcc.language, "tl.float16": a type, or a function, which kernels alone can call."""

    __slots__ = ("text",)

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text

    def __eq__(self, other):
        return isinstance(other, LanguageName) and self.text == other.text

    def __hash__(self):
        return hash(self.text)

    def __call__(self, *args, **kwargs):
        raise TypeError(f"{self.text} is called in kernels only")


class Unspellable(Exception):
    """A value that has no text in a kernel's file; the argument says which."""


def dtype_text(value):
    """tl.float16, tl.pointer_type(tl.int32), ... of a triton.language type."""
    if hasattr(value, "element_ty"):
        return f"tl.pointer_type({dtype_text(value.element_ty)})"
    return f"tl.{_FLOATS.get(value.name, value.name)}"


def is_dtype(value):
    return type(value).__name__ in ("dtype", "pointer_type") and type(value).__module__.startswith("triton.")


def is_constexpr(value):
    return isinstance(value, Constexpr) or type(value).__name__ == "constexpr" and hasattr(value, "value")


def is_function(value):
    """A @triton.jit function, whichever class of Triton's or ours wraps it."""
    return hasattr(value, "fn") and callable(getattr(value, "fn", None)) and not is_constexpr(value)


def number_text(value):
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value!r}')"
    return repr(value)


def spell(value, name_of=lambda function: function.__name__):
    """A constant as the text of a Python expression; `name_of` names functions."""
    if is_constexpr(value):
        return spell(value.value, name_of)
    if is_dtype(value):
        return dtype_text(value)
    if isinstance(value, LanguageName):
        return value.text
    if isinstance(value, enum.Enum):
        if type(value).__module__.startswith("triton."):
            return f"tl.{type(value).__name__}.{value.name}"
        return spell(value.value, name_of)
    if value is None or value is ... or isinstance(value, (bool, str)):
        return "..." if value is ... else repr(value)
    if isinstance(value, (int, float)):
        return number_text(
            value if type(value) in (int, float) else (float if isinstance(value, float) else int)(value)
        )
    if isinstance(value, (tuple, list)) or type(value).__name__ == "tuple":
        return "(" + "".join(spell(v, name_of) + ", " for v in value) + ")"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{spell(k, name_of)}: {spell(v, name_of)}" for k, v in value.items()) + "}"
    if is_function(value) or inspect.isfunction(value):
        return name_of(value)
    if hasattr(value, "__index__"):
        return repr(value.__index__())
    if hasattr(value, "__float__"):
        return number_text(float(value))
    raise Unspellable(f"a {type(value).__name__}: {value!r}"[:200])


def item_text(item):
    """One entry of a signature: a type is a string, everything else a constant."""
    if isinstance(item, str):
        return item
    if isinstance(item, tuple) and not is_constexpr(item):
        return "(" + "".join(item_text(i) + ", " for i in item) + ")"
    return spell(item)


def text_of(signature):
    """-sig's text of a signature: a text as it is, a sequence by position, a mapping by name."""
    if isinstance(signature, str):
        return signature
    if isinstance(signature, dict):
        return ", ".join(f"{name}={item_text(item)}" for name, item in signature.items())
    return ", ".join(item_text(item) for item in signature)


def by_name(signature, parameters, kernel):
    """A sequence for the parameters of `kernel`, with the kernel's name before it, so that each item has its own."""
    if signature is None:
        return None
    if isinstance(signature, str):
        return signature
    if not isinstance(signature, dict):
        signature = dict(zip(parameters, signature, strict=True))
    return f"{kernel}({text_of(signature)})"
