"""What launches in Python files say of their kernels' arguments: floats, integers, arrays of either. For suggest.py.

An argument is looked at where it stands, and a name where the function around the launch gets it: from an annotation, a
default or an assignment. A kernel's launches are those of its own file and of files that import it by name. Whole numbers say
nothing, for a caller may write 1 where a float is wanted; nor does a flag.
"""
import ast
import os

INTEGERS = {"stride", "numel", "size", "dim", "cdiv", "next_power_of_2", "len", "int", "bit_length"}
FLOATS = {"float", "sqrt", "log", "exp", "finfo"}
MAKERS = {"empty", "zeros", "ones", "full", "arange", "tensor", "empty_like", "zeros_like", "ones_like", "full_like", "to", "rand", "randn"}


def last(node):
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def of_type(annotation):
    """Of float, Optional[float], "float", float | None."""
    names = {n.id for n in ast.walk(annotation) if isinstance(n, ast.Name)} if annotation else set()
    names -= {"Optional", "Union"}
    return "f" if names == {"float"} else "i" if names == {"int"} else ""


class Scope:
    """The names of the function around a launch."""

    def __init__(self, function):
        self.params, self.assigned = {}, {}
        arguments = function.args
        every = arguments.posonlyargs + arguments.args + arguments.kwonlyargs
        defaults = [None] * (len(every) - len(arguments.kwonlyargs) - len(arguments.defaults)) + arguments.defaults + arguments.kw_defaults
        for arg, default in zip(every, defaults):
            self.params[arg.arg] = (arg.annotation, default)
        for node in ast.walk(function):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self.assign(target, node.value)

    def assign(self, target, value):
        if isinstance(target, ast.Name):
            self.assigned.setdefault(target.id, []).append(value)
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for one, given in zip(target.elts, value.elts):
                self.assign(one, given)
        elif isinstance(target, ast.Tuple) and last(value) == "shape":
            for one in target.elts:
                self.assign(one, ast.Subscript(value, ast.Constant(0)))

    def of_name(self, name, depth):
        if name in self.assigned:
            kinds = {self.kind(value, depth + 1) for value in self.assigned[name]}
            return kinds.pop() if len(kinds) == 1 else ""
        annotation, default = self.params.get(name, (None, None))
        return of_type(annotation) or ("f" if isinstance(default, ast.Constant) and isinstance(default.value, float) else "")

    def of_call(self, node):
        name = last(node.func)
        if name in INTEGERS or name in FLOATS:
            return "i" if name in INTEGERS else "f"
        given = [k.value for k in node.keywords if k.arg == "dtype"] + (node.args[:1] if name == "to" else [])
        dtype = last(given[0]) if given and name in MAKERS else ""
        return "*f" if dtype.startswith(("float", "bfloat", "half")) else "*i" if dtype.startswith(("int", "uint", "long")) else ""

    def kind(self, node, depth=0):
        if depth > 4:
            return ""
        if isinstance(node, ast.Constant):
            return "f" if isinstance(node.value, float) else ""
        if isinstance(node, ast.Name):
            return self.of_name(node.id, depth)
        if isinstance(node, ast.UnaryOp):
            return self.kind(node.operand, depth + 1)
        if isinstance(node, ast.Subscript):
            return "i" if last(node.value) == "shape" else ""
        if isinstance(node, ast.BinOp):
            sides = {self.kind(node.left, depth + 1), self.kind(node.right, depth + 1)}
            return "f" if isinstance(node.op, ast.Div) or "f" in sides else "i" if sides == {"i"} else ""
        if isinstance(node, ast.IfExp):
            sides = {self.kind(node.body, depth + 1), self.kind(node.orelse, depth + 1)}
            return sides.pop() if len(sides) == 1 else ""
        return self.of_call(node) if isinstance(node, ast.Call) else ""


def kernels_of(tree):
    return {f.name: [a.arg for a in f.args.args] for f in ast.walk(tree)
            if isinstance(f, ast.FunctionDef) and any("jit" in ast.unparse(d) for d in f.decorator_list)}


def arguments(call, params):
    for name, value in zip(params, call.args):
        if isinstance(value, ast.Starred):
            break
        yield name, value
    yield from ((k.arg, k.value) for k in call.keywords if k.arg in params)


def imported(known, module, name):
    """The kernel that an import means, where only one file can be meant."""
    ending = os.sep + module.split(".")[-1] + ".py"
    keys = [(file, kernel) for file, kernel in known if kernel == name and file.endswith(ending)]
    return keys[0] if len(keys) == 1 else None


def read(files):
    """{(file, kernel): {parameter: {kinds}}}"""
    trees, known, found = {}, {}, {}
    for file in files:
        try:
            trees[file] = ast.parse(open(file, errors="replace").read())
        except SyntaxError:
            continue
        for name, params in kernels_of(trees[file]).items():
            known[(file, name)] = params
    for file, tree in trees.items():
        home = {a.asname or a.name: imported(known, node.module or "", a.name)
                for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for a in node.names}
        for function in (f for f in ast.walk(tree) if isinstance(f, ast.FunctionDef)):
            scope = Scope(function)
            for call in (c for c in ast.walk(function) if isinstance(c, ast.Call) and isinstance(c.func, ast.Subscript)):
                name = last(call.func.value)
                key = home.get(name, (file, name))
                for param, value in arguments(call, known.get(key, ())):
                    kind = scope.kind(value)
                    if kind:
                        found.setdefault(key, {}).setdefault(param, set()).add(kind)
    return found
