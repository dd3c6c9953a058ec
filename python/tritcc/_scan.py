"""The names of a function's text: which of them mean something outside of it, and editing them."""

import ast
import builtins
import re
import types
import typing

_LITERALS = (ast.Constant,)


def _children(node):
    """The nodes below one, without those that only say what is done with it."""
    found = []
    for name in node._fields:
        value = getattr(node, name, None)
        if type(value) is list:
            found += [v for v in value if isinstance(v, ast.AST)]
        elif isinstance(value, ast.AST) and name not in ("ctx", "op"):
            found.append(value)
    return found


def _root(node):
    """What a chain of attributes starts with."""
    while type(node) is ast.Attribute:
        node = node.value
    return node


class Use(typing.NamedTuple):
    """A place that refers to something outside: `text` stands there, and `want` would be a good name for `value`."""

    node: ast.AST
    text: str
    want: str
    value: object


def is_library(module):
    return module.__name__ == "triton" or module.__name__.startswith(("triton.", "math", "copy"))


def edited(text, edits):
    """The text with nodes replaced: `edits` are (node, text) of nodes that do not overlap; columns count bytes."""
    lines = [line.encode() for line in text.split("\n")]
    for node, new in sorted(edits, key=lambda e: (e[0].lineno, e[0].col_offset), reverse=True):
        first, last = node.lineno - 1, node.end_lineno - 1
        head, tail = lines[first][: node.col_offset], lines[last][node.end_col_offset :]
        lines[first : last + 1] = [head + new.encode() + tail] + [b""] * (last - first)
    return "\n".join(line.decode() for line in lines)


_WORD = re.compile(r"[A-Za-z_]\w*")
_PLAIN = (int, float, str, bool, type(None))


def outer_words(text, scope, signature):
    """What a function's text may mean of its scope, by words alone: {word: value}, or None when the syntax must tell:
    there are modules of the user's, values that Python reads when the function is defined, or types of parameters, of
    which only those of the signature count."""
    for p in signature.parameters.values():
        if p.default is not p.empty and type(p.default) not in _PLAIN:
            return None
        if p.annotation is not p.empty and "constexpr" not in str(p.annotation):
            return None
    found = {}
    for word in set(_WORD.findall(text)):
        if word not in scope or hasattr(builtins, word) and scope[word] is getattr(builtins, word):
            continue
        value = scope[word]
        if isinstance(value, types.ModuleType):
            if not is_library(value):
                return None
        elif isinstance(value, (type, *_PLAIN)) or not (hasattr(value, "fn") or type(value).__name__ == "constexpr"):
            return None
        found[word] = value
    return found


class Span(ast.AST):
    """A range of text that is no node of its own."""

    def __init__(self, line, start, end_line, end):
        super().__init__()
        self.lineno, self.col_offset, self.end_lineno, self.end_col_offset = line, start, end_line, end


def _is_simple(node):
    """A literal that means the same everywhere."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant)


class Names:
    """`signature` is that of a @triton.jit function, whose defaults are values already; a class has none."""

    def __init__(self, text, scope, signature):
        self.text, self.scope, self.signature = text, scope, signature
        self.tree = ast.parse(text).body[0]
        self.gone = set()
        if signature is not None:
            self._look_at_parameters()
        self._look_at_names()

    def _look_at_parameters(self):
        arguments = self.tree.args
        self.arguments = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        positional = [*arguments.posonlyargs, *arguments.args]
        given = list(zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults))
        given += [(a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults) if d is not None]
        self.given = [(a, d) for a, d in given if not _is_simple(d)]
        self.notes = [a for a in self.arguments if a.annotation is not None and not self._is_constexpr(a.annotation)]
        cut = (
            [d for _, d in self.given]
            + [a.annotation for a in self.notes]
            + ([self.tree.returns] if self.tree.returns else [])
        )
        for node in cut:
            self.gone.update(id(n) for n in ast.walk(node))

    @staticmethod
    def _is_constexpr(annotation):
        return "constexpr" in ast.unparse(annotation)

    def _look_at_names(self):
        """Finds, in one walk, names that are bound, and names and chains of attributes that are read."""
        bound, self.read = set(), []
        nodes = [self.tree]
        while nodes:
            node = nodes.pop()
            kind = type(node)
            if kind is ast.Constant or id(node) in self.gone:
                continue
            if kind is ast.Name:
                if type(node.ctx) is ast.Load:
                    self.read.append(node)
                else:
                    bound.add(node.id)
            elif kind is ast.Attribute and type(_root(node)) is ast.Name:
                self.read.append(node)
            else:
                if kind is ast.arg:
                    bound.add(node.arg)
                nodes += _children(node)
        self.local = bound if isinstance(self.tree, ast.FunctionDef) else frozenset()

    def renamed(self, name):
        """The edit that gives the function or class its name in the bundle."""
        if self.tree.name == name:
            return []
        word = "class" if isinstance(self.tree, ast.ClassDef) else "def"
        line = self.text.split("\n")[self.tree.lineno - 1]
        start = line.index(self.tree.name, line.index(word) + len(word))
        start = len(line[:start].encode())
        return [(Span(self.tree.lineno, start, self.tree.lineno, start + len(self.tree.name.encode())), name)]

    def dropped(self):
        """The edits that take out annotations: types come from the signature, and their names may mean nothing here."""
        if self.signature is None:
            return []
        cut = [
            (
                Span(
                    a.lineno, a.col_offset + len(a.arg.encode()), a.annotation.end_lineno, a.annotation.end_col_offset
                ),
                "",
            )
            for a in self.notes
            if not a.annotation.lineno != a.lineno
        ]
        if self.tree.returns:
            cut += self._dropped_return()
        return cut

    def _dropped_return(self):
        node = self.tree.returns
        lines = self.text.split("\n")
        before = lines[node.lineno - 1].encode()[: node.col_offset]
        arrow = before.rfind(b"->")
        return [(Span(node.lineno, arrow, node.end_lineno, node.end_col_offset), "")] if arrow >= 0 else []

    def defaults(self):
        """(node, value) of each default: Python evaluates it once, where the function is defined."""
        if self.signature is None:
            return []
        return [(d, self.signature.parameters[a.arg].default) for a, d in self.given]

    def uses(self):
        """Every place that refers to the scope, chains of modules as one."""
        found = []
        for node in self.read:
            use = self._chain(node) if type(node) is ast.Attribute else None
            root = _root(node)
            if use is not None:
                found.append(use)
            elif self._is_outer(root.id):
                found.append(Use(root, root.id, root.id, self.scope[root.id]))
        return found

    def _is_outer(self, name):
        if name in self.local or name not in self.scope:
            return False
        return not (hasattr(builtins, name) and self.scope[name] is getattr(builtins, name))

    def _chain(self, node):
        """`module.name`, through modules that are the user's: the value alone goes to the bundle."""
        words = []
        inner = node
        while isinstance(inner, ast.Attribute):
            words.append(inner)
            inner = inner.value
        if not self._is_outer(inner.id):
            return None
        value = self.scope[inner.id]
        for word in reversed(words):
            if not isinstance(value, types.ModuleType):
                return None
            if is_library(value):
                return (
                    Use(inner, inner.id, inner.id, value)
                    if value is self.scope[inner.id]
                    else Use(word.value, "", value.__name__.rpartition(".")[2], value)
                )
            if not hasattr(value, word.attr):
                return None
            value = getattr(value, word.attr)
            if not isinstance(value, types.ModuleType):
                return Use(word, "", word.attr, value)
        return Use(node, "", words[0].attr, value)
