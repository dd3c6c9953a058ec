"""The rows of kernels.list, for run.py and static.py; needs nothing but Python, and Triton where it compiles."""
import ast
import importlib.util
import os
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


class Case:
    """One kernel of kernels.list: name, source, kernel, warps, stages and types (a list of words)."""

    def __init__(self, line):
        fields = [f.strip() for f in line.split("|")]
        self.name, self.source, self.kernel = fields[:3]
        self.source = os.path.join(HERE, self.source)
        self.warps, self.stages = int(fields[3]), int(fields[4])
        self.types = [t.strip() for t in fields[5].split(",")]

    def jit(self):
        """The kernel as a Triton function."""
        return load_jit(self.source, self.kernel)


def load_cases():
    lines = open(os.path.join(HERE, "kernels.list")).read().splitlines()
    cases = [Case(line) for line in lines if line and not line.startswith("#")]
    return {case.name: case for case in cases}


def load_jit(path, name):
    """A @triton.jit function of a file, with its other functions but without its host code."""
    text = open(path).read()
    keep = [n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.decorator_list and
            "jit" in ast.unparse(n.decorator_list[0])]
    source = "import triton\nimport triton.language as tl\n\n"
    lines = text.splitlines()
    for n in keep:
        source += "\n".join(lines[n.decorator_list[0].lineno - 1:n.end_lineno]) + "\n\n"
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
        file.write(source)
    spec = importlib.util.spec_from_file_location("kernels", file.name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)
