"""What Triton asks for when it compiles, as a command line of tritcc's: the source of a kernel, and its options."""

import collections
import os
import re
import typing

from .. import _signature, _source, errors
from . import _state, _texts

EMIT = ",".join([*_texts.LATER, "ptx", "json"])
# What Triton's own launcher cannot give a kernel, where the compiler would make it by itself.
LAUNCHER_OPTIONS = ("-fno-auto-tma", "-fno-persistent")
# Options of Triton's that change code in ways that tritcc does not know: they are refused unless they are off.
_FOREIGN = (
    "ir_override",
    "instrumentation_mode",
    "ptx_options",
    "sched4reg",
    "clc",
    "min_shared_mem",
    "fpsan_homomorphic_casts",
)
_FOREIGN_VARIABLES = ("TRITON_REPRODUCER_PATH", "LLVM_PASS_PLUGIN_PATH")  # what Triton's passes read by themselves
_IDENTIFIER = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*\Z")
_known_options: dict = {}
SpecializationProxy = collections.namedtuple("SpecializationProxy", ["constants", "signature"])  # as Triton's


def has_option(option):
    """Does this compiler know an option? Asked once."""
    if option not in _known_options:
        from .._compile import Compilation

        try:
            Compilation(["-emit=ttgir", "-x", "ttir", option], "probe", b"module {}").run([])
            _known_options[option] = True
        except errors.OptionsError:
            _known_options[option] = False
        except errors.Error:
            _known_options[option] = True
    return _known_options[option]


def probe():
    """Asks for all that will be asked of the library."""
    for option in LAUNCHER_OPTIONS:
        has_option(option)


def arch_of(options, target):
    capability = re.fullmatch(r"sm_?(\d+)a?", str(getattr(options, "arch", "") or f"sm{target.arch}"))
    if not capability:
        raise _state.Refused(f"the architecture {options.arch}")
    number = int(capability.group(1))
    return f"sm_{number}{'a' if number >= 90 else ''}"


def option_words(options, target, knobs, is_direct=False):
    """The options of one compilation, for tritcc's launcher if it is direct; Refused for what has no counterpart."""
    for name in _FOREIGN:
        value = getattr(options, name, None)
        if value and name != "ptx_options":
            raise _state.Refused(f"the option {name}={value!r}")
    words = [
        f"-arch={arch_of(options, target)}",
        f"-num-warps={options.num_warps}",
        f"-num-stages={options.num_stages}",
    ]
    upstream = ".".join(map(str, _state.current.version))
    words.append(f"-femit-upstream={upstream}")
    if not knobs.compilation.disable_line_info:
        words.append("-lineinfo")
    for name, option in (("num_ctas", "num-ctas"), ("maxnreg", "maxnreg")):
        value = getattr(options, name, None)
        if value and value != 1:
            words.append(f"-{option}={value}")
    if not options.enable_fp_fusion:
        words.append("-fno-fp-fusion")
    if not getattr(options, "enable_reflect_ftz", True):
        words.append("-fno-reflect-ftz")
    if options.debug:
        words.append("-fdevice-assert")
        if not getattr(options, "sanitize_overflow", True):
            words.append("-fno-overflow-checks")
    words.append(f"-fdot-precision={options.default_dot_input_precision}")
    words += [f"-extern-lib={name}={path}" for name, path in options.extern_libs or ()]
    if not is_direct:
        words += [option for option in LAUNCHER_OPTIONS if has_option(option)]
    return [*words, *_state.current.options]


def check_knobs(knobs):
    """Refused where the user asks to look into, or to change, what Triton's own passes do."""
    asked = [
        ("knobs.compilation.use_ir_loc", knobs.compilation.use_ir_loc),
        ("knobs.compilation.enable_asan", knobs.compilation.enable_asan),
        ("knobs.runtime.add_stages_inspection_hook", knobs.runtime.add_stages_inspection_hook),
        (
            "knobs.compilation.dump_ir_extract_di_local_variables",
            getattr(knobs.compilation, "dump_ir_extract_di_local_variables", False),
        ),
    ]
    asked += [(name, os.environ.get(name)) for name in _FOREIGN_VARIABLES]
    for name, value in asked:
        if value:
            raise _state.Refused(f"{name} is set")


def kernel_name(source):
    """The name of the kernel's symbol: what repr= of @triton.jit makes of this specialisation."""
    function = source.fn
    constants = {function.arg_names[path[0]]: value for path, value in source.constants.items() if len(path) == 1}
    name = function.repr(SpecializationProxy(constants, source.signature))
    name = name[name.rfind(".") + 1 :]
    if not _IDENTIFIER.match(name):
        raise _state.Refused(f"the name '{name}'")
    return name


def _hints(attributes):
    """What a specialisation knows of an argument: ':16', ':S'."""
    known = [list(a) for a in attributes or ()]
    return (":16" if ["tt.divisibility", 16] in known else "") + (":S" if ["tt.pointer_range", 32] in known else "")


def type_text(ty, path, source, bundle):
    """One parameter of -sig; `path` leads to it through tuples."""
    if path in source.constants:
        return bundle.spell(source.constants[path])
    if isinstance(ty, (tuple, list)):
        items = [type_text(t, (*path, i), source, bundle) for i, t in enumerate(ty)]
        if hasattr(ty, "_fields"):
            return f"{bundle.define(type(ty).__name__, type(ty))}({', '.join(items)})"
        return "(" + "".join(f"{item}, " for item in items) + ")"
    if ty == "constexpr":
        raise _state.Refused(f"the parameter {path}, a constant without a value")
    return ty + _hints(source.attrs.get(path))


def signature_of(source, bundle):
    """-sig of a specialisation. What it refers to is defined in the bundle."""
    names = source.fn.arg_names
    items = [f"{name}={type_text(ty, (names.index(name),), source, bundle)}" for name, ty in source.signature.items()]
    return f"{bundle.name}({', '.join(items)})"


class Request(typing.NamedTuple):
    """What to compile: the source, and -sig."""

    bundle: _source.Bundle
    signature: str


def _request_of(source, knobs):
    """Refused where the source cannot be had."""
    try:
        bundle = _source.bundle_of(source.fn, kernel_name(source), knobs.compilation.allow_non_constexpr_globals)
        return Request(bundle, signature_of(source, bundle))
    except (errors.SourceError, _signature.Unspellable) as error:
        raise _state.Refused(f"no self-contained source: {error}", error) from error


def begin(source, knobs):
    """The request of an ASTSource, kept for `of_source`; None where there is none, which that one says again."""
    try:
        source.tritcc_request = _request_of(source, knobs)
    except Exception:
        source.tritcc_request = None
    return source.tritcc_request


def forget(source):
    """It has been compiled, or need not be."""
    vars(source).pop("tritcc_request", None)


def of_source(source, target, options, knobs, is_direct=False, has_later=False):
    """(bundle, words) of an ASTSource; has_later: without the stages that can be written later."""
    check_knobs(knobs)
    bundle, signature = vars(source).pop("tritcc_request", None) or _request_of(source, knobs)
    emit = "ptx,json" if has_later else EMIT
    words = ["-emit=" + emit, "-x", "tri", "-k", bundle.name, "-sig", signature]
    return bundle, words + option_words(options, target, knobs, is_direct)


def of_text(kind, target, options, knobs):
    """The words for upstream's own text of a stage."""
    check_knobs(knobs)
    return ["-emit=" + EMIT.partition(f"{kind},")[2]] + option_words(options, target, knobs)
