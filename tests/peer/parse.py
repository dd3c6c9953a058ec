#!/usr/bin/env python3
"""Compares tritcc's syntax trees with CPython's, file by file.

usage: parse.py TRITCC FILE-OR-FOLDER...

Both parsers must accept or both reject; accepted trees must have the same nodes, operators, names,
constants and source ranges. Not part of `make check`: it wants a Python 3.11 or newer and a corpus."""
import ast
import pathlib
import subprocess
import sys
import warnings

OPS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
       ast.MatMult: "@", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
       ast.UAdd: "+", ast.USub: "-", ast.Invert: "~", ast.Not: "not", ast.And: "and", ast.Or: "or", ast.Eq: "==",
       ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is", ast.IsNot: "is not",
       ast.In: "in", ast.NotIn: "not in"}


class Text:
    """Reader of -emit=ast: nested lists of words, with strings as bytes."""

    def __init__(self, data):
        self.data, self.pos = data, 0

    def blanks(self):
        while self.data[self.pos] in b" \n":
            self.pos += 1

    def form(self):
        self.blanks()
        c = self.data[self.pos]
        if c in b"([":
            self.pos += 1
            items = []
            while True:
                self.blanks()
                if self.data[self.pos] in b")]":
                    self.pos += 1
                    return tuple(items) if c == 40 else items
                items.append(self.form())
        if c == 34:
            end = self.pos + 1
            while self.data[end] != 34:
                end += 2 if self.data[end] == 92 else 1
            raw = self.data[self.pos + 1:end]
            self.pos = end + 1
            return raw.decode("ascii").encode("latin-1").decode("unicode_escape").encode("latin-1")
        end = self.pos
        while self.data[end] not in b" \n()[]\"":
            end += 1
        word = self.data[self.pos:end].decode()
        self.pos = end
        return word


def utf8(s):
    return s.encode("utf-8", "surrogatepass")


class Python:
    """CPython's tree in the same form, without ranges where the two differ by design."""

    def __init__(self, text):
        self.lines = text.split(b"\n")

    def span(self, n):
        return f"{n.lineno}:{n.col_offset + 1}-{n.end_lineno}:{n.end_col_offset + 1}"

    def list(self, nodes):
        return [self.node(n) for n in nodes]

    def node(self, n):
        kind, fields = getattr(self, type(n).__name__)(n)
        out = [kind, self.span(n) if hasattr(n, "lineno") and n.lineno else None]
        for label, value in fields:
            if value is None or value == [] or (label and (value == b"" or value is False)):
                continue
            if label and value is True:
                out.append(":" + label)
            elif label:
                out += [":" + label, value]
            else:
                out.append(value)
        return tuple(out)

    def opt(self, n):
        return None if n is None else self.node(n)

    def Name(self, n): return "name", [(None, utf8(n.id))]

    def Constant(self, n):
        v = n.value
        if v is None or v is True or v is False:
            return str(v).lower(), []
        if v is ...:
            return "ellipsis", []
        if isinstance(v, bool):
            return str(v).lower(), []
        if isinstance(v, int):
            return "int", [(None, v)]
        if isinstance(v, float):
            return "float", [(None, v)]
        if isinstance(v, complex):
            return "imaginary", [(None, v.imag)]
        if isinstance(v, bytes):
            return "bytes", [(None, v)]
        return "string", [(None, utf8(v))]

    def JoinedStr(self, n):
        values = [v for v in n.values if not (isinstance(v, ast.Constant) and v.value == "")]  # left behind by 3.12
        return "fstring", [("items", self.list(values))]

    def FormattedValue(self, n):
        return "formatted", [(None, self.node(n.value)),
                             ("conversion", str(n.conversion) if n.conversion > 0 else None), ("spec", self.opt(n.format_spec))]

    def Tuple(self, n): return "tuple", [("items", self.list(n.elts))]
    def List(self, n): return "list", [("items", self.list(n.elts))]
    def Set(self, n): return "set", [("items", self.list(n.elts))]

    def Dict(self, n):
        return "dict", [("items", [("key-value", None) + ((":key", self.node(k)) if k else ()) + (":value", self.node(v))
                                   for k, v in zip(n.keys, n.values)])]

    def comp(self, kind, n):
        return kind, [(None, self.node(n.elt)), ("for", self.list(n.generators))]

    def ListComp(self, n): return self.comp("list-comp", n)
    def SetComp(self, n): return self.comp("set-comp", n)
    def GeneratorExp(self, n): return self.comp("generator", n)

    def DictComp(self, n):
        return "dict-comp", [(None, ("key-value", None, ":key", self.node(n.key), ":value", self.node(n.value))),
                             ("for", self.list(n.generators))]

    def comprehension(self, n):
        return "for-clause", [("async", bool(n.is_async)), (None, self.node(n.target)), ("in", self.node(n.iter)),
                              ("if", self.list(n.ifs))]

    def UnaryOp(self, n): return "unary", [(None, utf8(OPS[type(n.op)])), (None, self.node(n.operand))]

    def BinOp(self, n):
        return "binary", [(None, utf8(OPS[type(n.op)])), (None, self.node(n.left)), (None, self.node(n.right))]

    def BoolOp(self, n): return "bool", [(None, utf8(OPS[type(n.op)])), ("values", self.list(n.values))]

    def Compare(self, n):
        return "compare", [(None, self.node(n.left)), ("with", self.list(n.comparators)),
                           ("ops", [utf8(OPS[type(o)]) for o in n.ops])]

    def IfExp(self, n):
        return "conditional", [("then", self.node(n.body)), ("if", self.node(n.test)), ("else", self.node(n.orelse))]

    def params(self, a):
        out = []
        positional = a.posonlyargs + a.args
        defaults = [None] * (len(positional) - len(a.defaults)) + a.defaults

        def one(arg, default, kind):
            begin = f"{arg.lineno}:{arg.col_offset + 1}"
            return (("param", None, utf8(arg.arg), ":at", begin) + ((":kind", str(kind)) if kind else ()) +
                    ((":annotation", self.node(arg.annotation)) if arg.annotation else ()) +
                    ((":default", self.node(default)) if default else ()))
        for i, arg in enumerate(positional):
            out.append(one(arg, defaults[i], 1 if i < len(a.posonlyargs) else 0))
        if a.vararg:
            out.append(one(a.vararg, None, 3))
        for arg, default in zip(a.kwonlyargs, a.kw_defaults):
            out.append(one(arg, default, 2))
        if a.kwarg:
            out.append(one(a.kwarg, None, 4))
        return out

    def Lambda(self, n): return "lambda", [("params", self.params(n.args)), ("body", self.node(n.body))]

    def Call(self, n):
        return "call", [(None, self.node(n.func)), ("args", self.list(n.args)), ("keywords", self.list(n.keywords))]

    def keyword(self, n): return "keyword", [("name", utf8(n.arg or "")), (None, self.node(n.value))]
    def Attribute(self, n): return "attribute", [(None, self.node(n.value)), (None, utf8(n.attr))]
    def Subscript(self, n): return "subscript", [(None, self.node(n.value)), (None, self.node(n.slice))]

    def Slice(self, n):
        return "slice", [("from", self.opt(n.lower)), ("to", self.opt(n.upper)), ("step", self.opt(n.step))]

    def Starred(self, n): return "starred", [(None, self.node(n.value))]
    def NamedExpr(self, n): return "walrus", [(None, self.node(n.target)), (None, self.node(n.value))]
    def Await(self, n): return "await", [(None, self.node(n.value))]
    def Yield(self, n): return "yield", [("value", self.opt(n.value))]
    def YieldFrom(self, n): return "yield-from", [(None, self.node(n.value))]
    def Expr(self, n): return "expr", [(None, self.node(n.value))]
    def Assign(self, n): return "assign", [("targets", self.list(n.targets)), ("value", self.node(n.value))]

    def AugAssign(self, n):
        return "aug-assign", [(None, self.node(n.target)), (None, utf8(OPS[type(n.op)])), (None, self.node(n.value))]

    def AnnAssign(self, n):
        return "ann-assign", [(None, self.node(n.target)), ("annotation", self.node(n.annotation)), ("value", self.opt(n.value))]

    def Pass(self, n): return "pass", []
    def Break(self, n): return "break", []
    def Continue(self, n): return "continue", []
    def Return(self, n): return "return", [("value", self.opt(n.value))]
    def Raise(self, n): return "raise", [("value", self.opt(n.exc)), ("from", self.opt(n.cause))]

    def Global(self, n): return "global", [("names", [("name", None, utf8(x)) for x in n.names])]
    def Nonlocal(self, n): return "nonlocal", [("names", [("name", None, utf8(x)) for x in n.names])]
    def Delete(self, n): return "del", [("targets", self.list(n.targets))]
    def Assert(self, n): return "assert", [(None, self.node(n.test)), ("message", self.opt(n.msg))]
    def alias(self, n): return "alias", [(None, utf8(n.name)), ("as", utf8(n.asname or ""))]
    def Import(self, n): return "import", [("names", self.list(n.names))]

    def ImportFrom(self, n):
        return "import-from", [("module", utf8(n.module or "")), ("level", str(n.level) if n.level else None),
                               ("names", self.list(n.names))]

    def If(self, n):
        kind, fields = "if", [(None, self.node(n.test)), ("body", self.list(n.body)), ("else", self.list(n.orelse))]
        word = self.lines[n.lineno - 1][n.col_offset:n.col_offset + 4]
        return kind, [("elif", word == b"elif")] + fields

    def While(self, n):
        return "while", [(None, self.node(n.test)), ("body", self.list(n.body)), ("else", self.list(n.orelse))]

    def loop(self, n, is_async):
        return "for", [("async", is_async), (None, self.node(n.target)), ("in", self.node(n.iter)), ("body", self.list(n.body)),
                       ("else", self.list(n.orelse))]

    def For(self, n): return self.loop(n, False)
    def AsyncFor(self, n): return self.loop(n, True)

    def attempt(self, n, star):
        return "try", [("star", star), ("body", self.list(n.body)), ("except", self.list(n.handlers)),
                       ("else", self.list(n.orelse)), ("finally", self.list(n.finalbody))]

    def Try(self, n): return self.attempt(n, False)
    def TryStar(self, n): return self.attempt(n, True)

    def ExceptHandler(self, n):
        return "handler", [("type", self.opt(n.type)), ("as", utf8(n.name or "")), ("body", self.list(n.body))]

    def with_(self, n, is_async):
        return "with", [("async", is_async), ("items", self.list(n.items)), ("body", self.list(n.body))]

    def With(self, n): return self.with_(n, False)
    def AsyncWith(self, n): return self.with_(n, True)
    def withitem(self, n): return "with-item", [(None, self.node(n.context_expr)), ("as", self.opt(n.optional_vars))]
    def Match(self, n): return "match", [(None, self.node(n.subject)), ("cases", self.list(n.cases))]

    def match_case(self, n):
        return "case", [(None, self.node(n.pattern)), ("if", self.opt(n.guard)), ("body", self.list(n.body))]

    def function(self, n, is_async):
        return "function", [(None, utf8(n.name)), ("async", is_async), ("decorators", self.list(n.decorator_list)),
                            ("type-params", self.list(getattr(n, "type_params", []))), ("params", self.params(n.args)), ("returns", self.opt(n.returns)), ("body", self.list(n.body))]

    def FunctionDef(self, n): return self.function(n, False)
    def AsyncFunctionDef(self, n): return self.function(n, True)

    def ClassDef(self, n):
        return "class", [(None, utf8(n.name)), ("decorators", self.list(n.decorator_list)),
                         ("type-params", self.list(getattr(n, "type_params", []))), ("bases", self.list(n.bases)),
                         ("keywords", self.list(n.keywords)), ("body", self.list(n.body))]

    def TypeAlias(self, n):
        return "type-alias", [(None, self.node(n.name)), ("params", self.list(n.type_params)), ("value", self.node(n.value))]

    def TypeVar(self, n): return "type-param", [(None, utf8(n.name)), ("bound", self.opt(n.bound))]
    def TypeVarTuple(self, n): return "type-param", [(None, utf8(n.name)), ("kind", "1")]
    def ParamSpec(self, n): return "type-param", [(None, utf8(n.name)), ("kind", "2")]

    def MatchValue(self, n): return "match-value", [(None, self.node(n.value))]

    def MatchSingleton(self, n):
        return "match-value", [(None, (str(n.value).lower(), self.span(n)))]

    def MatchSequence(self, n): return "match-sequence", [("items", self.list(n.patterns))]

    def MatchMapping(self, n):
        return "match-mapping", [("keys", self.list(n.keys)), ("patterns", self.list(n.patterns)), ("rest", utf8(n.rest or ""))]

    def MatchClass(self, n):
        keywords = [("keyword", None, ":name", utf8(k), self.node(p)) for k, p in zip(n.kwd_attrs, n.kwd_patterns)]
        return "match-class", [(None, self.node(n.cls)), ("patterns", self.list(n.patterns)), ("keywords", keywords)]

    def MatchStar(self, n): return "match-star", [("name", utf8(n.name or ""))]
    def MatchAs(self, n): return "match-as", [("pattern", self.opt(n.pattern)), ("name", utf8(n.name or ""))]
    def MatchOr(self, n): return "match-or", [("items", self.list(n.patterns))]


# Ranges that differ by design: CPython gives generators in calls the call's parentheses, and before 3.12
# the parts of an f-string the range of the whole; a class pattern's constants have none of their own.
NO_SPAN = {"generator", "key-value", "for-clause", "param", "with-item", "case", "match-as", "match-sequence", "match-value", "match-class",
           "match-or", "match-star", "match-mapping", "keyword"}


def normal(form, in_fstring=False):
    """Drops what is not compared; numbers by value."""
    if isinstance(form, list):
        return [normal(f, in_fstring) for f in form]
    if not isinstance(form, tuple):
        return form
    kind, span = form[0], form[1]
    rest = [f for f in form[2:] if f != ":parens"]
    if kind in ("function", "class") and ":at" in rest:
        i = rest.index(":at")
        del rest[i:i + 2]
    if kind == "int" and isinstance(rest[0], str):
        rest[0] = int(rest[0], 0)
    if kind in ("float", "imaginary") and isinstance(rest[0], str):
        rest[0] = float(rest[0])
    inside = in_fstring or kind in ("fstring",)
    keep = span is not None and kind not in NO_SPAN and not in_fstring
    if kind in ("global", "nonlocal"):
        rest = [":names", [n[2] for n in rest[1]]]
    return (kind, span if keep else None) + tuple(normal(f, inside) for f in rest)


def difference(a, b, where=""):
    if type(a) is not type(b) or (not isinstance(a, (tuple, list)) and a != b):
        return f"{where}: {a!r:.120} against {b!r:.120}"
    if isinstance(a, (tuple, list)):
        if isinstance(a, tuple) and a[:1] and isinstance(a[0], str):
            where = f"{a[0]} {a[1]}" if len(a) > 1 and a[1] else where
        for x, y in zip(a, b):
            d = difference(x, y, where)
            if d:
                return d
        if len(a) != len(b):
            return f"{where}: {len(a)} parts against {len(b)}"
    return None


def compare(tritcc, path):
    text = path.read_bytes()
    if not text:
        return "empty, not compared", ""
    run = subprocess.run([tritcc, "-x", "tri", str(path), "-emit=ast=-"], capture_output=True)
    if run.returncode not in (0, 1):
        return "crash", run.stderr.decode(errors="replace")[:200]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text, str(path))
            compile(tree, str(path), "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return ("both reject", "") if run.returncode else ("only CPython rejects", str(error))
    if run.returncode:
        return "only tritcc rejects", run.stderr.decode(errors="replace").split("\n")[0]
    if b"\\N{" in text or b"\x0c" in text or b"\r" in text or text.startswith(b"\xef\xbb\xbf"):
        return "accepted, not compared", ""
    if b"coding" in text[:200] and not text.isascii():
        return "accepted, not compared", ""
    ours = Text(run.stdout).form()
    d = difference(normal(ours[2]), normal(Python(text).list(tree.body)))
    return ("differ", d) if d else ("same", "")


def main():
    sys.setrecursionlimit(20000)
    tritcc, count, bad = sys.argv[1], {}, 0
    for arg in sys.argv[2:]:
        root = pathlib.Path(arg)
        for path in [root] if root.is_file() else sorted(root.rglob("*.py")):
            verdict, detail = compare(tritcc, path)
            count[verdict] = count.get(verdict, 0) + 1
            if detail and verdict != "both reject":
                print(f"{path}: {verdict}: {detail}")
    for verdict, n in sorted(count.items()):
        print(f"{n:6} {verdict}")
    return 1 if set(count) & {"crash", "differ", "only tritcc rejects", "only CPython rejects"} else 0


if __name__ == "__main__":
    sys.exit(main())
