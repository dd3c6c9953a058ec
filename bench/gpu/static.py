#!/usr/bin/env python3
"""Compares the machine code of tritcc with that of Triton's compiler, without a GPU.

    static.py TRITCC [--arch sm_90] [--cuda DIR] [--keep DIR] [NAME...]

Needs a Python with Triton, and ptxas and nvdisasm of the CUDA Toolkit; both
PTX texts go through the same ptxas. `sm80` is Triton's code for that
architecture assembled for ARCH, what it would run there without Hopper's own
instructions; `native` is what it makes for ARCH itself.

One line per kernel and compiler: registers, bytes spilled, shared memory,
instructions in all, then for each innermost loop that matters its
instructions and how many are of a kind.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

from cases import load_cases

# Kind and the pattern of the opcodes that count as it.
KINDS = (
    ("mma", r"[HID]MMA|QMMA|HGMMA|IGMMA|QGMMA"), ("dep", r"LDGDEPBAR|DEPBAR"), ("ldsm", r"LDSM"), ("lds", r"LDS\b"),
    ("sts", r"STS|STSM"), ("ldgsts", r"LDGSTS"), ("ldg", r"LDG|LD\b"), ("stg", r"STG|ST\b"), ("local", r"LDL|STL"),
    ("bar", r"BAR|WARPSYNC"), ("shfl", r"SHFL"), ("mufu", r"MUFU"), ("f32", r"F(ADD|MUL|FMA|MNMX\d?|SEL|SETP|SET)\b"),
    ("half", r"H(ADD|MUL|FMA|MNMX)2|HSET"), ("cvt", r"F2F\w*|I2F\w*|F2I\w*|FRND|I2I\w*"),
    ("move", r"U?MOV\w*|IMAD\.MOV|CS2R|S2R|S2UR|R2UR"), ("int", r"I(ADD|MAD|ABS|MNMX)\w*|LEA|SHF|"
     r"LOP3|PRMT|IDP|VI\w*|SGXT|BMSK|POPC|FLO|LOP|UI\w+|ULEA|USHF|ULOP3|UPRMT|USGXT"), ("pred", r"ISETP|PLOP3|P2R|R2P|SEL|UISETP|UPLOP3|USEL"),
    ("jump", r"BRA|BSSY|BSYNC|EXIT|CALL|RET|BRX|JMP"),
)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(" ".join(command[:3]) + " ...: " + done.stderr.strip()[-400:])
    return done.stdout + done.stderr


def ptx_of_tritcc(tritcc, case, arch, extra):
    return run(tritcc, "-emit=ptx=-", case.source, "-arch=" + arch, "-k", case.kernel, f"-num-warps={case.warps}",
               f"-num-stages={case.stages}", "-sig", ",".join(case.types), *extra)


def constant(word):
    import triton.language as tl
    return getattr(tl, word[3:]) if word.startswith("tl.") else eval(word)


def ptx_of_triton(case, arch, asked):
    """(PTX, bytes of shared memory) by Triton with its own code for architecture `asked`."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    jit = case.jit()
    signature, constants, attrs = {}, {}, {}
    for i, (name, word) in enumerate(zip(jit.arg_names, case.types)):
        if not re.match(r"\*|[iuf]\d|fp\d|bf16", word):
            signature[name], constants[(i, )] = "constexpr", constant(word)
            continue
        signature[name] = word.split(":")[0]
        if word.endswith(":16"):
            attrs[(i, )] = [["tt.divisibility", 16]]
    options = {"num_warps": case.warps, "num_stages": case.stages, "arch": asked}
    number = int(re.sub(r"\D", "", arch))
    made = triton.compile(ASTSource(jit, signature, constants, attrs), target=GPUTarget("cuda", number, 32), options=options)
    return made.asm["ptx"], made.metadata.shared, made.asm["ttgir"]


def nvdisasm(cuda):
    """The Toolkit's program, or the one that Triton's package has."""
    program = os.path.join(cuda, "bin", "nvdisasm")
    if os.path.exists(program):
        return program
    import triton
    return os.path.join(os.path.dirname(triton.__file__), "backends", "nvidia", "bin", "nvdisasm")


def disassemble(ptx, arch, cuda, folder):
    """(registers, spilled bytes, [(address, opcode, text)], {label: index}) of the only kernel."""
    ptx = re.sub(r"\.target sm_\w+(, debug)?", ".target " + arch, ptx)
    source, cubin = os.path.join(folder, "k.ptx"), os.path.join(folder, "k.cubin")
    with open(source, "w") as file:
        file.write(ptx)
    report = run(f"{cuda}/bin/ptxas", "-v", "-arch=" + arch, source, "-o", cubin)
    text = run(nvdisasm(cuda), "-c", cubin)
    registers = int(re.search(r"Used (\d+) registers", report).group(1))
    spilled = sum(int(n) for n in re.findall(r"(\d+) bytes spill stores", report))
    code, labels = [], {}
    for line in text.splitlines():
        label = re.match(r"\s*(\.L_x_\d+):", line)
        if label:
            labels[label.group(1)] = len(code)
        line = re.match(r"\s+/\*([0-9a-f]+)\*/\s+(?:@!?U?P\w+ )?\s*([A-Z][\w.]*)(.*);", line)
        if line and line.group(2) != "NOP" and "@!PT" not in line.group(0):
            code.append((int(line.group(1), 16), line.group(2), line.group(3)))
    return registers, spilled, code, labels, text


def loops(code, labels):
    """Index ranges of innermost loops."""
    found = set()
    for i, (_, opcode, text) in enumerate(code):
        target = re.search(r"\.L_x_\d+", text)
        if opcode.startswith("BRA") and target and labels.get(target.group(0), i + 1) < i:
            found.add((labels[target.group(0)], i))
    return sorted(f for f in found if not any(f != g and f[0] <= g[0] and g[1] <= f[1] for g in found))


def describe(code):
    left, words = [opcode for _, opcode, _ in code], []
    for name, pattern in KINDS:
        pattern = re.compile(pattern)
        hits = [o for o in left if pattern.match(o)]
        left = [o for o in left if not pattern.match(o)]
        if hits and name in ("lds", "sts", "ldg", "stg", "ldgsts", "ldsm"):
            widths = {}
            for o in hits:
                width = next((w for w in o.split(".") if w in ("128", "64", "U16", "U8", "S8", "4", "2", "M88", "MT88")), "32")
                widths[width] = widths.get(width, 0) + 1
            words.append(name + " " + "+".join(f"{n}x{w}" for w, n in sorted(widths.items())))
        elif hits:
            words.append(f"{name} {len(hits)}")
    if left:
        words.append(f"other {len(left)}")
    return f"{len(code):5d}: " + ", ".join(words)


def report(who, ptx, arch, cuda, keep, name, ttgir=None):
    with tempfile.TemporaryDirectory() as folder:
        registers, spilled, code, labels, text = disassemble(ptx, arch, cuda, folder)
    if keep:
        for suffix, content in (("ptx", ptx), ("sass", text), ("ttgir", ttgir)):
            if content:
                with open(os.path.join(keep, f"{name}.{who}.{suffix}"), "w") as file:
                    file.write(content)
    print(f"{name:20s} {who:7s} {registers:3d} registers, {spilled} bytes spilled, all {describe(code)}")
    for first, last in loops(code, labels):
        if last - first >= 16:
            print(f"{'':28s} loop {describe(code[first:last + 1])}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tritcc")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--cuda", default="/usr/local/cuda")
    parser.add_argument("--keep", help="leave PTX and disassembly in this folder")
    parser.add_argument("--ours", action="store_true", help="no Triton")
    parser.add_argument("--extra", default="", help="more options for tritcc")
    options = parser.parse_intermixed_args()
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    cases = load_cases()
    for name in options.names or cases:
        case = cases[name]
        try:
            report("tritcc", ptx_of_tritcc(options.tritcc, case, options.arch, options.extra.split()), options.arch, options.cuda,
                   options.keep, name)
            for who in () if options.ours else ("sm80", "native"):
                asked = "sm80" if who == "sm80" else "sm" + re.sub(r"\D", "", options.arch)
                ptx, _, ttgir = ptx_of_triton(case, options.arch, asked)
                arch = options.arch + ("a" if who == "native" and options.arch == "sm_90" else "")
                report(who, ptx, arch, options.cuda, options.keep, name, ttgir)
        except RuntimeError as error:
            print(f"{name:20s} {error}")
    sys.exit(0)


if __name__ == "__main__":
    main()
