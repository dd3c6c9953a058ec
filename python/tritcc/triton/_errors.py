"""tritcc's messages as the exceptions that Triton raises: its class, its phrasing first, then the located message.

Phrases come from a table: the code of a message, a pattern that its text must have, and how Triton words that."""

import ast
import builtins
import re

from . import _state

# (code, pattern of tritcc's text, Triton's words: {1}, {2} are the pattern's groups)
PHRASES = (
    ("3001", r"'([^']*)' is not defined", "NameError('{1} is not defined')"),
    ("3001", r"Python's '([^']*)'", "NameError('{1} is not defined')"),
    (
        "3002",
        r"(?:read the global|use the class) '([^']*)'",
        "NameError(\"Cannot access global variable {1} from within @jit'ed function. Triton kernels can only access global "
        'variables that are instanstiated as constexpr (`x = triton.language.constexpr(42)`).")',
    ),
    ("3002", r"call '([^']*)'", "ValueError('Unsupported function referenced: {1}')"),
    ("3003", r"(.*)", "AttributeError({0!r})"),
    ("3004", r"(.*)", "TypeError({0!r})"),
    ("3005", r"pointers can not be added", "TypeError('cannot add pointers together')"),
    ("3005", r"types? '([^']*)' and '([^']*)'", "IncompatibleTypeErrorImpl('invalid operands of type {1} and {2}')"),
    (
        "3006",
        r"'([^']*)' and '([^']*)'$",
        "TypeError('Cannot use /, #, or % with {1} and {2} because they have different "
        "signedness;this is unlikely to result in a useful answer. Cast them to the same signedness.')",
    ),
    ("3007", r"(-?\d+).*type '([^']*)'", "ValueError('Scalar {1} is out of range for type {2}')"),
    ("3008", r"(.*)", "TypeError('cannot convert to tensor: {1}')"),
    ("3009", r"ranks differ", "ValueError('Cannot broadcast, rank mismatch: {0}')"),
    ("3009", r"can not be reshaped", "ValueError('reshape() cannot change total number of elements in tensor')"),
    (
        "3009",
        r"dimension (\d+) is (\d+) on the left and (\d+)",
        "ValueError('Cannot make_shape_compatible: incompatible dimensions at index {1}: {2} and {3}')",
    ),
    (
        "3009",
        r"dimension (\d+) is (\d+), not 1 or (\d+)",
        "ValueError('Cannot broadcast, the expanded size of the tensor ({3}) must match the existing size ({2}) at "
        "non-singleton dimension {1}')",
    ),
    ("3010", r"tl\.arange", 'ValueError("arange\'s range must be a power of 2")'),
    ("3010", r"dimension (\d+) .*power of two", "ValueError('Shape element {1} must be a power of 2')"),
    ("3010", r"more than (\d+) elements", "ValueError('numel exceeds triton maximum tensor numel ({1})')"),
    ("3013", r"tl\.arange", 'ValueError("arange\'s arguments must be of type tl.constexpr")'),
    ("3013", r"(.*)", "ValueError('must be a constexpr: {1}')"),
    (
        "3014",
        r"^tl\.(\w+) needs a pointer, but this is .*type '([^']*)'",
        "ValueError('Unsupported ptr type {2} in `tl.{1}`')",
    ),
    ("3014", r"^tl\.(\w+) needs a pointer, but this is (.*)", "ValueError('Unsupported ptr type {2} in `tl.{1}`')"),
    ("3014", r"constant data", "ValueError('Cannot store to a constant pointer')"),
    ("3016", r"(.*)", "ValueError('Boolean value of Tensor with more than one value is ambiguous')"),
    (
        "3017",
        r"'([^']*)' is (.*) in the else branch but (.*) in the then branch",
        "AssertionError('Mismatched type for {1} between then block ({3}) and else block ({2})')",
    ),
    (
        "3017",
        r"'([^']*)' is (.*) before the 'if' but (.*) in the (\w+) branch",
        "AssertionError('initial value for `{1}` is of type {2}, but the {4} block redefines it as {3}')",
    ),
    (
        "3018",
        r"'([^']*)' (?:is|starts the loop as) (.*?) (?:before the loop but becomes|but is assigned) (.*?)(?: in it|:|$)",
        "AssertionError('Loop-carried variable {1} has initial type {2} but is re-assigned to {3} in loop! Please make sure "
        "that the type stays consistent.')",
    ),
    ("3019", r"(.*)", "TypeError('For loop bounds and step must all be ints: {1}')"),
    ("3020", r"fp8|float8", "ValueError('type not supported in this architecture. {0}')"),
    ("3021", r"(.*)", "ValueError('{1} not supported')"),
    ("3022", r"in \[(-?\d+), (\d+)\), but this is (-?\d+)", "ValueError('invalid axis {3}. Expected {1} <= axis < {2}')"),
    ("3022", r"of a grid is 0, 1 or 2, not (-?\d+)", "ValueError('program_id axis must be 0, 1, or 2 but got {1}')"),
    ("3022", r"axis (-?\d+)", "ValueError('invalid axis {1}')"),
    ("3023", r"returns (.*), but another return gives (.*)", "TypeError('Inconsistent return types: {2} and {1}')"),
    (
        "3030",
        r"'([^']*)' is both constexpr and in do_not_specialize",
        "{1} marked as constexpr and listed in do_not_specialize/do_not_specialize_on_alignment. Remove constexpr "
        "designation to skip specialization.",
    ),
    (
        "4001",
        r"attributes can not be assigned",
        "NotImplementedError('Attribute assignment is not supported in triton')",
    ),
    ("4001", r"items can not be assigned", "NotImplementedError('__setitem__ is not supported in triton')"),
    ("4001", r"can be indexed only with", "ValueError('unsupported tensor index')"),
    ("4001", r"'(break|continue|try|with|lambda|dict)", "unsupported AST node type: {1}"),
    ("4003", r"'([^']*)'", "ValueError('{1} is already defined. constexpr cannot be reassigned.')"),
    ("4006", r"^the result of '([^']*)' is not used\. ?(.*)", "The result of {1} is not being used. {2}"),
    ("4006", r"(.*)", "ValueError({0!r})"),
    ("4008", r"(.*)", "RuntimeError('Only `range` and `static_range` iterators are currently supported')"),
)
# (pattern of a warning's text, Triton's words)
WARNINGS = (("tl.dot of fp8e4b15", "the use of fp8e4b15 is deprecated on Hopper and later architectures: "),)
_UNSUPPORTED = ("4001", "4004")
_TYPE = re.compile(r"a (?:block|scalar|value) of type '([^']*)'")
_NODES = {"dict": "Dict", "lambda": "Lambda"}


def _left_out(error, bundle):
    """The name of a value that the kernel reads and that has no text in its bundle, or None."""
    found = re.match(r"'([^']*)' is not defined", error.text) if error.code == "TRI-3001" else None
    return found.group(1) if found and bundle is not None and found.group(1) in bundle.missing else None


def phrase_of(code, text):
    """How Triton words a message, or its own text."""
    for number, pattern, words in PHRASES:
        found = re.search(pattern, text) if code == f"TRI-{number}" else None
        if found:
            groups = [_TYPE.sub(r"\1", g or "") for g in found.groups()]
            if words.startswith("unsupported AST"):
                groups = [_NODES.get(g, g.capitalize()) for g in groups]
            return words.format(text, *groups, *[""] * 4).rstrip()
    return text


def warning_of(text):
    """A warning, with Triton's words for it first."""
    return next((words for pattern, words in WARNINGS if pattern in text), "") + text


def _static_assertion(text):
    """tl.static_assert's own message, as Triton shows it."""
    return re.sub(r"^static assertion failed(: )?", "", text)


def _place(line, column, bundle, source):
    """(text of the function, a node with the place in it): Triton's messages count lines from 'def' on."""
    node = ast.Pass()
    node.lineno, node.col_offset = 1, 0
    text = getattr(getattr(source, "fn", None), "src", None)
    for piece in bundle.pieces if bundle is not None and line else ():
        if piece.place <= line < piece.place + piece.count:
            node.lineno, node.col_offset = line - piece.place + 1, max(column - 1, 0)
            text = getattr(piece.owner, "src", None) or piece.text
            break
    return text, node


def _exception_of(phrase):
    """What Triton's functions raise, of a phrase like "ValueError('...')"; None for other phrases, and for names, which
    its compiler looks up by itself."""
    found = re.fullmatch(r"(\w+)\((['\"].*)\)", phrase, re.S)
    if found is None or found.group(1) == "NameError":
        return None
    try:
        return getattr(builtins, found.group(1), TypeError)(ast.literal_eval(found.group(2)))
    except (SyntaxError, ValueError):
        return None


def _through_calls(inner, error, bundle, source):
    """Triton has an exception of its own for each call that leads to the place: its text is the one inside of it."""
    from triton.compiler.errors import CompilationError

    for note in error.notes:
        if not re.match(r"in the call of '", note.text or "") or not note.line:
            continue
        outer = CompilationError(*_place(note.line, note.column, bundle, source), str(inner))
        outer.__cause__, inner = inner, outer
    return inner


def located(error, bundle):
    """The message with the place that the user knows."""
    place = bundle.origin(error.line) if bundle is not None and error.line else None
    where = f"{place[0]}:{place[1]}:{error.column}: " if place else ""
    notes = "".join(f"\nnote: {note.text}" for note in error.notes if note.text)
    left_out = _left_out(error, bundle)
    if left_out:
        notes += f"\nnote: no kernel can use {bundle.missing[left_out]}"
    return f"{where}error: {error.text} [{error.code}]{notes}"


def _out_of_resources(text):
    from triton.runtime.errors import OutOfResources

    numbers = [int(n) for n in re.findall(r"\b\d+\b", re.sub(r"'[^']*'", "", text))]
    what = "shared memory" if "shared" in text else "threads" if "threads" in text else "registers"
    if len(numbers) < 2:
        return None
    return OutOfResources(numbers[-2], numbers[-1], what)


def translated(refused, source):
    """The exception that Triton would raise for what tritcc refused, with tritcc's message in it."""
    cause = refused.cause
    error = getattr(cause, "error", None)
    if error is None:
        return _state.Refused(refused.reason, cause)
    if error.code == "TRI-6003":
        known = _out_of_resources(error.text)
        if known is not None:
            known.__cause__ = cause
            return known
    from triton.compiler import errors as theirs

    bundle = getattr(refused, "bundle", None)
    text, node = _place(error.line, error.column, bundle, source)
    left_out = _left_out(error, bundle)
    read = ("TRI-3002", f"read the global '{left_out}'") if left_out else (error.code, error.text)
    kind, phrase = theirs.CompilationError, phrase_of(*read)
    if error.code == "TRI-4002":
        kind, phrase = theirs.CompileTimeAssertionFailure, _static_assertion(error.text)
    elif error.code.startswith("TRI-2") or error.code.removeprefix("TRI-") in _UNSUPPORTED and not _exception_of(phrase):
        kind = theirs.UnsupportedLanguageConstruct
    made = kind(text, node, f"{phrase}\n{located(error, bundle)}".lstrip("\n"))
    if kind is theirs.CompilationError:
        made.__cause__ = _exception_of(phrase)
    return _through_calls(made, error, bundle, source)
