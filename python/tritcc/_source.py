"""The self-contained source of a function: the text that the compiler reads for a function of a living program.

A kernel refers to names of its module, of the functions around it and of other modules, and its own text may have been
generated or replaced. A `Bundle` is one file with the kernel, everything that it reaches, and nothing else: functions
by their texts, constants by their values. Functions of the kernel's own file keep their lines, so that messages and
line tables name the places that the user knows; what comes from elsewhere follows behind, and `origin` leads back.
Two things of one name get different names; the text of who uses them is edited for it."""

import enum
import inspect
import re
import sys
import textwrap
import types

from . import errors
from ._scan import Names, edited, outer_words
from ._signature import LanguageName, Unspellable, is_constexpr, is_dtype, is_function, spell

HEAD = "import triton, triton.language as tl, collections"
_EXPORTED = re.compile(r"[A-Za-z_]\w*\Z")


def unwrapped(function):
    """The @triton.jit function inside of autotuners, heuristics and the like; a plain function is itself."""
    while hasattr(function, "fn") and not hasattr(function, "_src") and hasattr(function.fn, "fn"):
        function = function.fn
    return function


def plain(function):
    """The Python function itself."""
    return getattr(function, "fn", function)


def signature_of(function):
    """Of a @triton.jit function the one that Triton has found."""
    known = getattr(function, "signature", None)
    return known if isinstance(known, inspect.Signature) else inspect.signature(plain(function))


def capture_scope(function):
    """The names that a function sees: its module's, and those that it closes over."""
    function = plain(function)
    scope = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            scope[name] = cell.cell_contents
        except ValueError:
            pass
    return scope


def text_of(function):
    """(the text from 'def' on, its file, the line of 'def'): of a @triton.jit function what Triton compiles."""
    python = plain(function)
    lines, start = getattr(function, "raw_src", None), getattr(function, "starting_line_number", 1)
    text = getattr(function, "_src", None) or getattr(function, "src", None)
    if lines is None or text is None:
        try:
            lines, start = inspect.getsourcelines(python)
        except (OSError, TypeError):
            raise errors.SourceError(f"'{python.__qualname__}' has no source text: it was defined in no file") from None
        text = textwrap.dedent("".join(lines))
        text = text[re.search(r"^def\s+\w+\s*\(", text, re.MULTILINE).start() :]
    skipped = next((i for i, line in enumerate(lines) if line.strip().startswith("def ")), 0)
    return text.rstrip() + "\n", python.__code__.co_filename, start + skipped


class Piece:
    """A text of the bundle that stands for a place of the user's: line 1 of `text` is `line` of `file`. `head` are the
    lines of decorators, which stand in front of it."""

    def __init__(self, text, file, line, head, owner=None):
        self.text, self.file, self.line, self.head, self.owner = text, file, line, head, owner
        self.count = text.count("\n")
        self.place = 0


class Bundle:
    def __init__(self, function, name=None, allow_globals=False):
        self.allow_globals = allow_globals
        self.function = unwrapped(function)
        self.pieces, self.lines, self.missing = [], [], {}
        self.values = {
            "triton": sys.modules.get("triton"),
            "tl": sys.modules.get("triton.language"),
            "collections": sys.modules.get("collections"),
        }
        ours = sys.modules.get("tritcc.language")
        self.by_id = {id(ours): "tl"} if ours else {}
        self.filename = plain(self.function).__code__.co_filename
        self.name = self._function(self.function, name)
        self.parameters = tuple(signature_of(self.function).parameters)
        self._text = None

    @property
    def text(self):
        """The file. What is defined later is not in it."""
        if self._text is None:
            self._text = self._render()
        return self._text

    def define(self, want, value):
        """The name in the bundle of what its user calls `want`; None when it has no text."""
        known = self.by_id.get(id(value))
        if known is not None:
            return known
        if want in self.values and self.values[want] is value:
            return want
        if is_function(value):
            return self._function(unwrapped(value))
        try:
            return self._value(want, value)
        except (Unspellable, errors.SourceError) as error:
            self.missing[want] = str(error)
            return None

    def _fresh(self, want):
        name, count = want, 1
        while name in self.values:
            count += 1
            name = f"{want}_{count}"
        return name

    def _bind(self, want, value, text):
        """Binds a name to a value that `text`, with {} for the name, makes."""
        name = self._fresh(want)
        self.values[name] = value
        self.by_id[id(value)] = name
        self.lines.append(text.replace("{}", name))
        return name

    def _value(self, want, value):
        if isinstance(value, types.ModuleType):
            return self._bind(want, value, f"import {value.__name__} as {{}}")
        if is_dtype(value) or isinstance(value, LanguageName):
            return self._bind(want, value, f"{{}} = {spell(value)}")
        if is_constexpr(value):
            return self._bind(want, value, f"{{}} = tl.constexpr({self.spell(value)})")
        module = getattr(value, "__module__", None) or ""
        if callable(value) and (module == "triton" or module.startswith("triton.")):
            return self._library(want, value, module)
        if inspect.isclass(value):
            return self._class(want, value)
        if inspect.isfunction(value):
            return self._python(want, value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return self._bind(
                want, value, f"{{}} = {self.define(type(value).__name__, type(value))}({self.spell(value)[1:-1]})"
            )
        text = self.spell(value)
        return self._bind(want, value, f"{{}} = tl.constexpr({text})" if self.allow_globals else f"{{}} = {text}")

    def spell(self, value):
        def name_of(function):
            name = self.define(getattr(function, "__name__", "function"), function)
            if name is None:
                raise Unspellable(self.missing.get(getattr(function, "__name__", "function"), "a function"))
            return name

        if isinstance(value, enum.Enum) and not type(value).__module__.startswith("triton."):
            return f"{self.define(type(value).__name__, type(value))}.{value.name}"
        return spell(value, name_of)

    def _library(self, want, value, module):
        name = getattr(value, "__name__", None) or type(value).__name__
        if not _EXPORTED.match(name):
            raise Unspellable(f"{name} of {module}")
        return self._bind(want, value, f"from {module} import {name} as {{}}")

    def _class(self, want, cls):
        if issubclass(cls, tuple) and hasattr(cls, "_fields"):
            return self._bind(want, cls, f"{{}} = collections.namedtuple({cls.__name__!r}, {list(cls._fields)!r})")
        return self._python(want, cls)

    def _python(self, want, value):
        """A class, or a function that runs while compiling, with its decorators as they are written."""
        try:
            lines, line = inspect.getsourcelines(value)
        except (OSError, TypeError):
            raise Unspellable(f"'{want}', which has no source text") from None
        module = sys.modules.get(value.__module__ or "")
        scope = capture_scope(value) if inspect.isfunction(value) else vars(module) if module else {}
        name = self._fresh(value.__name__)
        self.values[name], self.by_id[id(value)] = value, name
        text = textwrap.dedent("".join(lines)).rstrip() + "\n"
        text = self._resolved(text, {**scope, value.__name__: value}, name)
        file = inspect.getsourcefile(value) or "<unknown>"
        self.pieces.append(Piece(text, file, line, ()))
        return name

    def _function(self, function, name=None):
        """A @triton.jit or @triton.constexpr_function function."""
        known = self.by_id.get(id(function))
        if known is not None:
            return known
        python = plain(function)
        if _is_library(function, python):
            return self._value(python.__name__, function)
        text, file, line = text_of(function)
        name = self._fresh(name or python.__name__)
        if not _EXPORTED.match(name):
            raise errors.SourceError(f"'{name}' is no name that a kernel can have")
        self.values[name], self.by_id[id(function)] = function, name
        scope, signature = capture_scope(function), signature_of(function)
        if name != python.__name__ or not self._means_itself(text, scope, signature):
            text = self._resolved(text, scope, name, signature)
        self.pieces.append(Piece(text, file, line, _decorators(function), function))
        return name

    def _means_itself(self, text, scope, signature):
        """Does the text stand as it is, each of its words bound to what it means? Most do, and parsing is dear."""
        words = outer_words(text, scope, signature)
        return words is not None and all(self.define(word, value) == word for word, value in words.items())

    def _resolved(self, text, scope, name, signature=None):
        """The text with the names of the bundle in place of those of its scope."""
        names = Names(text, scope, signature)
        edits = names.renamed(name)
        for use in names.uses():
            want = self.define(use.want, use.value)
            if want is not None and want != use.text:
                edits.append((use.node, want))
        for node, value in names.defaults():
            try:
                edits.append((node, self.spell(value)))
            except Unspellable:
                edits.append((node, "None"))
        return edited(text, edits + names.dropped())

    def _render(self):
        """Pieces of the kernel's file at their own lines where these are free, everything else behind."""
        lines = [HEAD]
        ours = sorted((p for p in self.pieces if p.file == self.filename), key=lambda p: p.line)
        others = [p for p in self.pieces if p.file != self.filename]
        for piece in ours:
            if piece.line - 1 < len(lines) + max(len(piece.head), 1):
                others.append(piece)
                continue
            lines += [""] * (piece.line - 1 - len(lines))
            self._place(piece, lines)
        lines += self.lines
        for piece in others:
            lines += [""] * (1 + max(len(piece.head), 1))
            self._place(piece, lines)
        return "\n".join(lines) + "\n"

    def _place(self, piece, lines):
        if piece.head:
            lines[-len(piece.head) :] = piece.head
        piece.place = len(lines) + 1
        lines += piece.text.rstrip("\n").split("\n")

    def origin(self, line):
        """(file, line, function or None) of a line of the bundle, or None for what was made here."""
        for piece in self.pieces:
            if piece.place <= line < piece.place + piece.count:
                return piece.file, piece.line + line - piece.place, piece.owner
        return None


def _is_library(function, python):
    """A function of Triton's own library, as it is there: the compiler knows it by its name."""
    module = getattr(function, "__module__", None) or python.__module__ or ""
    if not module.startswith("triton.language"):
        return False
    return getattr(sys.modules.get(module), python.__name__, None) is function


def _decorators(function):
    """The lines that say of a function what Triton knows of it and its text does not."""
    must_use = getattr(function, "_must_use_result", False)
    head = [f"@triton.must_use_result({must_use!r})"] if must_use and isinstance(must_use, str) else []
    if must_use and not head:
        head = ["@triton.must_use_result"]
    if type(function).__name__ == "ConstexprFunction":
        return [*head, "@triton.constexpr_function"]
    words = ["noinline=True"] if getattr(function, "noinline", None) else []
    listed = [p.name for p in getattr(function, "params", ()) if _is_listed_constant(p)]
    words += [f"do_not_specialize={listed!r}"] if listed else []
    return [*head, f"@triton.jit({', '.join(words)})" if words else "@triton.jit"]


def _is_listed_constant(parameter):
    """Is it a constant that do_not_specialize names, which is a mistake? The arguments' types are told otherwise."""
    listed = ("do_not_specialize", "do_not_specialize_on_alignment")
    return parameter.is_constexpr and any(getattr(parameter, name, False) for name in listed)


def bundle_of(function, name=None, allow_globals=False):
    """The bundle of a function, which may be wrapped; `name` is what its kernel is called, allow_globals makes
    constants of all globals. SourceError when its text cannot be had."""
    try:
        return Bundle(function, name, allow_globals)
    except (SyntaxError, RecursionError) as error:
        raise errors.SourceError(
            f"the text of '{getattr(function, '__name__', function)}' cannot be read: {error}"
        ) from error
