"""What a compilation gives."""

import json

TEXTS = frozenset(
    (
        "tri",
        "ast",
        "ttir",
        "ttgir",
        "linalg",
        "llir",
        "ptx",
        "spvasm",
        "amdgcn",
        "asm",
        "header",
        "json",
        "layout",
        "svg",
    )
)
BYTES = frozenset(("cubin", "spirv", "zebin", "hsaco", "obj"))


class Parameter:
    """A parameter of a kernel. `value` is the text of a constant, `divisibility` what is known of an argument."""

    __slots__ = ("name", "type", "constexpr", "value", "argument", "divisibility", "read_only")

    def __init__(self, record):
        self.name = record["name"]
        self.constexpr = bool(record.get("constexpr"))
        self.type = record.get("type", "constexpr")
        self.value = record.get("value")
        self.argument = record.get("argument")
        self.divisibility = record.get("divisibility", 1)
        self.read_only = bool(record.get("read_only"))

    def __repr__(self):
        return f"{self.name}={self.value if self.constexpr else self.type}"


class Kernel:
    """What the compiler says of one kernel: the record of -emit=json, whose words are attributes."""

    def __init__(self, record):
        self.__dict__.update(record)
        self.parameters = tuple(Parameter(p) for p in record["parameters"])
        self.record = record

    def __repr__(self):
        return f"<kernel {self.name}({', '.join(map(repr, self.parameters))}) for {self.arch}>"


class Result:
    """Outputs by their kind, kernels, and messages. result["ptx"] is result.ptx: a str of texts, else bytes."""

    def __init__(self, outputs, record, diagnostics, log):
        self.outputs = outputs
        self.record = json.loads(record)
        self.kernels = tuple(Kernel(k) for k in self.record["kernels"])
        self.diagnostics = tuple(diagnostics)
        self.log = log

    @property
    def kernel(self):
        """The only kernel."""
        if len(self.kernels) != 1:
            raise ValueError(
                f"{len(self.kernels)} kernels were compiled, not one: {', '.join(k.name for k in self.kernels)}"
            )
        return self.kernels[0]

    @property
    def warnings(self):
        return tuple(d for d in self.diagnostics if d.severity == "warning")

    def __getitem__(self, kind):
        try:
            return self.outputs[kind]
        except KeyError:
            raise KeyError(f"no output '{kind}': emit= asked for {', '.join(self.outputs)}") from None

    def __getattr__(self, kind):
        outputs = self.__dict__.get("outputs", {})
        if kind in outputs:
            return outputs[kind]
        known = " (emit= did not ask for it)" if kind in TEXTS | BYTES else ""
        raise AttributeError(f"a result has no '{kind}'{known}")

    def __iter__(self):
        return iter(self.outputs)

    def __repr__(self):
        return f"<tritcc result: {', '.join(k.name for k in self.kernels)}; {', '.join(self.outputs)}>"
