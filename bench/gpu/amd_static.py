#!/usr/bin/env python3
"""Compares the AMD assembly of tritcc with that of Triton's own AMD back end, without a GPU.

    amd_static.py TRITCC [--arch gfx942,gfx1100] [--far] [--timeout SECONDS] [--rows ROWS PACKAGES] [--keep FOLDER]
                  [--library LIBTRITCC] [--table] [NAME...]

The kernels are those of kernels.list, or with --rows those of packages, as bench/compile/sweep.py takes them; without
--timeout a compiler gets 120 seconds for one. Needs a Python with Triton; no ROCm. Both compilers are told that arrays take less than 2 GiB, as Triton's launcher
says of most; --far leaves that out. Warps are cut to what a block of the chip holds, stages to 2. --keep leaves both
texts in FOLDER, KERNEL-CHIP.ours.amdgcn and .theirs.amdgcn, and KERNEL-CHIP.theirs.json, from which Triton's side is
taken when the same kernel, signature, chip, number of warps and version of Triton are measured again; what took too long
is kept as well. With --library tritcc's seconds are those of a context that has made a kernel for the chip before, as
Triton's are; else those of a process, with its start. --table prints one line for both compilers, tritcc's number first,
with both seconds of tritcc's, of kernels that both compiled, and behind all means for each chip (../results/amd-corpus.txt).

One line per kernel, chip and compiler: registers (VGPRs, AGPRs among them), registers spilled, bytes of LDS, blocks
that a compute unit holds, instructions in all, seconds of the processor, then for each innermost loop its instructions and how many are of
a kind. Where tritcc's code has fewer blocks than Triton's, the reason stands behind it (amd_reasons.list); the script
fails where there is none. At the end geometric means of tritcc's numbers over Triton's, of kernels that both compiled;
instructions in loops are counted for each matrix instruction there, or where there are none for each byte that is read.
Loops that only wait for a lock are left out.
"""
import argparse
import ctypes
import json
import math
import multiprocessing
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("TRITON_CACHE_DIR", tempfile.mkdtemp())
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/peer"))
from cases import load_cases

LANES = {"gfx90a": 64, "gfx942": 64, "gfx950": 64, "gfx1100": 32, "gfx1201": 32}
LDS = {"gfx90a": 65536, "gfx942": 65536, "gfx950": 163840, "gfx1100": 131072, "gfx1201": 131072}
INSTRUCTION = re.compile(r"^\s+((?:s|v|ds|buffer|global|flat|scratch)_\w+)")
MATRIX = r"v_(mfma|smfmac|wmma)"
KINDS = (("matrix", MATRIX), ("valu", r"v_(?!mfma|smfmac|wmma)"), ("lds", r"ds_(?!bpermute|swizzle)"),
         ("exchange", r"ds_(bpermute|swizzle)"), ("memory", r"(buffer|global|flat)_"), ("spill", r"scratch_"),
         ("wait", r"s_wait"), ("barrier", r"s_barrier"))


def number(pattern, text):
    found = re.search(pattern, text)
    return int(found.group(1)) if found else 0


def bytes_of(instruction):
    """That a lane reads of global memory."""
    if not re.match(r"(buffer|global|flat)_load_", instruction):
        return 0
    words = re.search(r"dwordx(\d)", instruction)
    bits = re.search(r"_[bui](\d+)(_|$)", instruction)
    return 4 * int(words.group(1)) if words else int(bits.group(1)) // 8 if bits else \
        4 if "dword" in instruction else 2 if "short" in instruction else 1


def find_loops(code, labels):
    """Innermost loops, each a set of numbers of instructions: of those between a jump back and its target what is on a
    way from the target to the jump."""
    ends = {"s_endpgm", "s_branch", "s_setpc_b64"}
    after = [[i + 1] if name not in ends else [] for i, (name, _) in enumerate(code)]
    before = [[] for _ in range(len(code) + 1)]
    for i, (name, target) in enumerate(code):
        if target in labels:
            after[i].append(labels[target])
        for j in after[i]:
            before[j].append(i)

    def reach(start, edges, first, last):
        seen, todo = {start}, [start]
        while todo:
            for j in edges[todo.pop()]:
                if first <= j <= last and j not in seen:
                    seen.add(j)
                    todo.append(j)
        return seen

    loops = []
    for i, (_, target) in enumerate(code):
        head = labels.get(target, i + 1)
        if head <= i and i in reach(head, after, head, i):
            loops.append(reach(head, after, head, i) & reach(i, before, head, i))
    return [b for i, b in enumerate(loops) if not any(o < b or o == b and j < i for j, o in enumerate(loops))]


def measure(text):
    """Counts of the only kernel of an assembly text."""
    kernel = re.search(r"\.amdhsa_kernel (\S+)", text).group(1)
    body = text[text.find("\n" + kernel + ":"):].split("\t.section")[0].split("\n")
    labels, code = {}, []
    for line in body:
        label, instruction = re.match(r"(\.LBB\w+):", line), INSTRUCTION.match(line)
        if label:
            labels[label.group(1)] = len(code)
        if instruction:
            target = re.search(r"(\.LBB\w+)", line) if "branch" in instruction.group(1) else None
            code.append((instruction.group(1), target and target.group(1)))
    loops = [{kind: sum(bool(re.match(p, code[i][0])) for i in body) for kind, p in KINDS} |
             {"bytes": sum(bytes_of(code[i][0]) for i in body), "all": len(body)} for body in find_loops(code, labels)]
    loops = [loop for loop in loops if loop["matrix"] or loop["bytes"] or loop["valu"] + loop["memory"] > 8]
    return {"registers": number(r"\.vgpr_count: +(\d+)", text), "agprs": number(r"\.agpr_count: +(\d+)", text),
            "spilled": number(r"\.vgpr_spill_count: +(\d+)", text),
            "lds": number(r"\.group_segment_fixed_size: +(\d+)", text),
            "all": len(code), "loops": loops}


def processor(*whose):
    """Seconds that were spent; a busy machine does not count."""
    return sum(use.ru_utime + use.ru_stime for use in map(resource.getrusage, whose))


def is_type(word):
    return re.match(r"\*|[iuf]\d|fp\d|bf16", word)


class Listed:
    """A kernel of kernels.list, as both compilers take it."""

    def __init__(self, case):
        self.name, self.kernel, self.source, self.warps, self.case = case.name, case.kernel, case.source, case.warps, case
        self.folder = os.path.dirname(case.source)

    def signature(self, far):
        return ",".join(w + ":S" if w.startswith("*") and not far else w for w in self.case.types)

    def described(self):
        """Triton's function, types and constants of its parameters, those that 16 divides."""
        import triton.language as tl
        jit, types, constants, divided = self.case.jit(), {}, {}, []
        for name, word in zip(jit.arg_names, self.case.types):
            types[name] = word.split(":")[0] if is_type(word) else "constexpr"
            if not is_type(word):
                constants[name] = getattr(tl, word[3:]) if word.startswith("tl.") else eval(word)
            elif word.endswith(":16"):
                divided.append(name)
        return jit, types, constants, divided


class Row:
    """A kernel of a package, as tests/peer/peer.py has them."""

    def __init__(self, number, row, packages):
        self.name, self.row, self.packages = f"{number}-{row['kernel']}", row, packages
        self.kernel, self.source, self.folder = row["kernel"], os.path.join(packages, row["file"]), packages
        self.warps = row.get("num_warps", 4)

    def signature(self, far):
        import corpus
        text = corpus.signature(self.row)
        for name, kind in self.row["signature"].items():
            if kind.startswith("*") and not far:
                text = re.sub(rf"([(, ]{name}=[^,)]*)", r"\1:S", text, count=1)
        return text

    def described(self):
        import peer
        module = peer.load(self.source, self.packages)
        constants = {k: peer.value(v, module) for k, v in self.row["constexprs"].items()}
        return (peer.unwrap(getattr(module, self.kernel)), self.row["signature"] | {k: "constexpr" for k in constants},
                constants, self.row.get("div16", []))


class Library:
    """libtritcc, with a context for each chip that has made a kernel."""

    def __init__(self, path):
        self.calls, self.contexts = ctypes.CDLL(os.path.abspath(path)), {}

    def compile(self, context, source, words):
        words = [word.encode() for word in words]
        for status in (self.calls.tritcc_set_arguments(context, len(words), (ctypes.c_char_p * len(words))(*words)),
                       self.calls.tritcc_set_input_file(context, source.encode()), self.calls.tritcc_compile(context)):
            assert not status, (source, status)

    def seconds(self, arch, source, words):
        """Of the processor; the code is the process's."""
        if arch not in self.contexts:
            context = self.contexts[arch] = ctypes.c_void_p()
            assert not self.calls.tritcc_create(ctypes.byref(context))
            first = Listed(load_cases()["vadd"])
            self.compile(context, first.source, ["-emit=amdgcn", "-arch=" + arch, "-k", first.kernel, "-sig",
                                                 first.signature(False)])
        start = time.thread_time()
        self.compile(self.contexts[arch], source, words)
        return time.thread_time() - start


def by_tritcc(case, arch, warps, options):
    words = ["-arch=" + arch, "-k", case.kernel, f"-num-warps={warps}", "-num-stages=2", "-I", case.folder, "-sig",
             case.signature(options.far)]
    start = processor(resource.RUSAGE_CHILDREN)
    done = subprocess.run([options.tritcc, "-emit=amdgcn=-", case.source, *words], capture_output=True, text=True,
                          timeout=options.timeout)
    seconds = processor(resource.RUSAGE_CHILDREN) - start
    if done.returncode:
        raise RuntimeError(done.stderr.strip().split("\n")[0])
    warm = options.library and options.library.seconds(arch, case.source, ["-emit=hsaco", *words])
    return done.stdout, 0, seconds, warm


def by_triton(pipe, case, arch, warps, far):
    """Runs in a process of its own, which may be ended."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    jit, types, constants, divided = case.described()
    attrs = {}
    for i, name in enumerate(jit.arg_names):
        hints = [["tt.divisibility", 16]] if name in divided else []
        hints += [["tt.pointer_range", 32]] if types[name].startswith("*") and not far else []
        if hints:
            attrs[(i, )] = hints
    source = ASTSource(jit, types, {(jit.arg_names.index(k), ): v for k, v in constants.items()}, attrs)
    start = processor(resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    made = triton.compile(source, target=GPUTarget("hip", arch, LANES[arch]), options={"num_warps": warps, "num_stages": 2})
    pipe.send((made.asm["amdgcn"], made.metadata.shared,
               processor(resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN) - start))


def in_process(case, arch, warps, options):
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(False)
    child = context.Process(target=by_triton, args=(theirs, case, arch, warps, options.far))
    child.start()
    theirs.close()
    try:
        if not ours.poll(options.timeout):
            raise subprocess.TimeoutExpired("triton", options.timeout)
        return ours.recv()
    except EOFError:
        raise RuntimeError("no code") from None
    finally:
        child.kill()
        child.join()


def attempt(compiler, *args):
    """(text, LDS that the text does not say, seconds), or why there is none"""
    try:
        return compiler(*args)
    except subprocess.TimeoutExpired as error:
        return "more than %d s" % error.timeout
    except RuntimeError as error:
        return str(error)


def kept(case, arch, warps, options):
    """What Triton made: of the last time, or new."""
    if not options.keep:
        return attempt(in_process, case, arch, warps, options)
    import triton
    path = os.path.join(options.keep, f"{case.name}-{arch}.theirs.")
    key = [case.kernel, case.signature(options.far), arch, warps, triton.__version__]
    if os.path.exists(path + "json"):
        with open(path + "json") as file:
            before, made = json.load(file)
        if before == key:
            return made
    made = attempt(in_process, case, arch, warps, options)
    with open(path + "amdgcn", "w") as text, open(path + "json", "w") as file:
        text.write(made if isinstance(made, str) else made[0])
        json.dump([key, made], file)
    return made


def blocks(arch, m, warps):
    """That a compute unit (RDNA: two of them) holds: of four SIMD units, as registers, waves and LDS allow."""
    most, total, unit = (8, 512, 8) if LANES[arch] == 64 else (16, 1536, 24)
    waves = min(most, total // (max(-(-m["registers"] // unit), 1) * unit))
    return min(4 * waves // warps, LDS[arch] // m["lds"] if m["lds"] else 99)


def reasons():
    """Of (kernel, chip): why there are fewer blocks."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "amd_reasons.list")
    rows = [[field.strip() for field in line.split("|")] for line in open(path) if line.strip() and line[0] != "#"]
    return {(kernel, chip): why for kernels, chips, why in rows for kernel in kernels.split() for chip in chips.split()}


def show(name, arch, who, m, seconds, warps):
    print(f"{name:20} {arch:8} {who:7} {m['registers']:4} registers {m['agprs']:4} agprs {m['spilled']:5} spilled "
          f"{m['lds']:6} LDS {blocks(arch, m, warps):3} blocks {m['all']:6} instructions {seconds:7.3f} s")
    for loop in m["loops"]:
        print("    loop " + " ".join(f"{n} {kind}" for kind, n in loop.items() if n), flush=True)


def in_loops(m, *kinds):
    return sum(loop[kind] for loop in m["loops"] for kind in kinds)


def loop_work(ours, theirs):
    """VALU and memory instructions in loops of both, for the same work: a loop that has one version without masks and one
    with them runs one of them at a time."""
    unit = next((kind for kind in ("matrix", "bytes") if in_loops(ours, kind) and in_loops(theirs, kind)), None)
    return [in_loops(m, "valu", "lds", "exchange", "memory", "spill") / (in_loops(m, unit) if unit else 1)
            for m in (ours, theirs)]


def pair(name, arch, ours, theirs, has_products):
    """What means are made of, of one kernel; prints its line of the table."""
    work = loop_work(ours, theirs)
    loops = work[0] / work[1] if all(work) else None
    seconds = " ".join(f"{s:.3f}" for s in (ours["process"], ours["warm"], theirs["process"]) if s is not None)
    print(f"{name:42} {arch:8} registers {ours['registers']:3} {theirs['registers']:3}  instructions {ours['all']:5} "
          f"{theirs['all']:5}  blocks {ours['blocks']:2} {theirs['blocks']:2}  spilled {ours['spilled']} {theirs['spilled']}"
          f"  LDS {ours['lds']} {theirs['lds']}  seconds {seconds}" + (f"  loops {loops:.2f}" if loops else ""), flush=True)
    return arch, ours, theirs, loops, has_products


def mean(values):
    """Geometric; "none" of nothing."""
    values = [max(v, 1e-3) for v in values]
    return f"{math.exp(sum(map(math.log, values)) / len(values)):.3f}" if values else "none"


def summarize(table):
    for arch in dict.fromkeys(row[0] for row in table):
        rows = [row[1:] for row in table if row[0] == arch]

        def parts(what, products=(True, False)):
            return [o[what] / max(t["process" if what == "warm" else what], 1e-3) for o, t, _, p in rows
                    if p in products and o[what] is not None]

        loops = [row[2] for row in rows if row[2]]
        print(f"# {arch}: {len(rows)} kernels: registers {mean(parts('registers'))}, instructions {mean(parts('all'))}, "
              f"VALU and memory in loops {mean(loops)} (of {len(loops)}), processor time of a process "
              f"{mean(parts('process', [True]))} with products (of {len(parts('all', [True]))}) and "
              f"{mean(parts('process', [False]))} without, of a warm context with its object {mean(parts('warm', [True]))} and "
              f"{mean(parts('warm', [False]))}, fewer blocks {sum(o['blocks'] < t['blocks'] for o, t, *_ in rows)}, more "
              f"{sum(o['blocks'] > t['blocks'] for o, t, *_ in rows)}, spilling {sum(o['spilled'] > 0 for o, *_ in rows)} and "
              f"{sum(t['spilled'] > 0 for _, t, *_ in rows)} of Triton's")


def compare(options, case, arch, ratios, known, table):
    warps = min(case.warps, 1024 // LANES[arch])
    both = {}
    for who, made in (("tritcc", attempt(by_tritcc, case, arch, warps, options)), ("triton", kept(case, arch, warps, options))):
        if isinstance(made, str):
            print(f"{case.name:20} {arch:8} {who:7} {made}", flush=True)
            continue
        text, shared, seconds, *warm = made
        if options.keep and who == "tritcc":
            with open(os.path.join(options.keep, f"{case.name}-{arch}.ours.amdgcn"), "w") as file:
                file.write(text)
        both[who] = measure(text)
        both[who]["lds"] = both[who]["lds"] or shared
        both[who]["process"], both[who]["warm"] = seconds, warm and warm[0]
        both[who]["seconds"] = both[who]["warm"] or seconds
        both[who]["blocks"] = blocks(arch, both[who], warps)
        if not options.table:
            show(case.name, arch, who, both[who], both[who]["seconds"], warps)
    if len(both) < 2:
        return True
    if options.table:
        table.append(pair(case.name, arch, both["tritcc"], both["triton"], bool(re.search(MATRIX, text))))
    is_less = both["tritcc"]["blocks"] < both["triton"]["blocks"]
    why = known.get((case.name, arch)) or known.get((case.kernel, arch))
    if is_less:
        print("    fewer blocks: " + (why or "no reason is known"), flush=True)
    kind = "with" if re.search(MATRIX, text) else "without"
    for what, name in (("registers", ""), ("all", "instructions"), ("seconds", f"seconds {kind} products")):
        ratios.setdefault(name or what, []).append(both["tritcc"][what] / max(both["triton"][what], 1e-3))
    ours, theirs = loop_work(both["tritcc"], both["triton"])
    if ours and theirs:
        ratios.setdefault("VALU and memory in loops", []).append(ours / theirs)
    return not is_less or why is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tritcc")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--arch", default="gfx942,gfx1100")
    parser.add_argument("--far", action="store_true")
    parser.add_argument("--timeout", type=int, default=120)
    parser.add_argument("--rows", nargs=2)
    parser.add_argument("--keep")
    parser.add_argument("--library", type=Library)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_intermixed_args()
    ratios, known, is_explained, table = {}, reasons(), True, []
    if options.rows:
        import peer
        from triton.backends.compiler import GPUTarget
        peer.prepare(GPUTarget("cuda", 90, 32))  # what packages ask when they are loaded
        cases = [Row(i, json.loads(line), options.rows[1]) for i, line in enumerate(open(options.rows[0]))]
    else:
        cases = [Listed(case) for case in load_cases().values()]
    first, given = multiprocessing.Pipe()  # in this process, so that no time holds what Triton does but once; no row is this one
    by_triton(given, Listed(load_cases()["vadd"]), "gfx942", 4, True)
    os.makedirs(options.keep or ".", exist_ok=True)
    for case in cases:
        for arch in options.arch.split(",") if not options.names or case.name in options.names else ():
            is_explained &= compare(options, case, arch, ratios, known, table)
    summarize(table)
    for what, values in ratios.items() if not options.table else ():
        print(f"{what}: {mean(values)} of Triton's (geometric mean of {len(values)})")
    sys.exit(not is_explained)


main()
