#!/usr/bin/env python3
"""Kernels of packages, launched with synthetic arguments: tritcc's cubin beside Triton's of the same row, in one run.

    corpus.py --build TRITCC ROWS PACKAGES OUT [-k WORD] [--arch sm_90a]   # needs Triton and ptxas, no GPU
    corpus.py OUT [-k WORD...] [-o TABLE]                                  # needs a GPU, its driver and NumPy;
                                                # OUT,OUT2,... compares builds, each under its folder's name

ROWS and PACKAGES are what bench/compile/sweep.py takes. One ptxas makes both cubins, which get the same arguments:
large arrays of floats of about 1 and of integers that are 1 (they may be indices, or divide; where elements go, by the
array's name, is a place for each), sizes and strides by their names and by what the row says divides them, and a grid
that fills the chip; a launch that faults, or takes too long, is tried with smaller sizes. The arrays are compared after one launch of each; those that differ are said, since sums of
atomics may. Times are medians of the device's clock, the two taken in turns; launches under 10 us say more of launching
than of the kernel and are left out of the means. Launches run in a second process: a fault ends its context."""
import argparse
import ctypes
import functools
import json
import math
import os
import re
import select
import shutil
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ARRAY = 512 << 20
SIZES = (4096, 1024, 256, 64)
LONGEST_MS = 400
PATIENCE = 5     # seconds for a row at one size, one more for each further build
PROGRAMS = 4224  # at least, in a launch
SMALL = re.compile(r"pad|dilation|^stride_(height|width)$|pass|bit|per_cta|per_program|loop_num|n_blocks|num_groups|diagonal|^r$")
PLACES = re.compile(r"^(prefix_sum|slot_mapping|sorted_indices_ptr)$")
COUNTS = re.compile(r"^(n_elements|numel|num_tasks|total.*)$")


def is_asked(options, name):
    return not options.k or any(word in name for word in options.k)


# ---- made without a GPU

def assemble(ptx, options, path):
    with open(path + ".ptx", "w") as file:
        file.write(ptx)
    done = subprocess.run([options.ptxas, "-arch=" + options.arch, path + ".ptx", "-o", path + ".cubin"], capture_output=True, text=True)
    os.remove(path + ".ptx")
    if done.returncode:
        raise RuntimeError("ptxas: " + done.stderr[-200:])


def entry_of(ptx):
    return re.search(r"\.visible \.entry ([\w$]+)", ptx).group(1)


def build_row(sweep, options, name, row):
    text, _, _ = sweep.ours(row, options)
    described = json.loads(subprocess.run([w.replace("ptx=-", "json=-") for w in sweep.command_of(row, options)],
                                          capture_output=True, text=True, check=True).stdout)["kernels"][0]
    other, _, ttgir, metadata = sweep.theirs(row, options)
    sides = {"tritcc": (text, described["shared_bytes"], described["scratch_bytes"], described["num_warps"]),
             "Triton": (other, metadata["shared"], metadata.get("global_scratch_size") or 0, metadata["num_warps"])}
    out = {"name": name, "parameters": [[n, row["signature"][n], n in row.get("div16", [])] for n, _ in row["params"]
                                        if n not in row["constexprs"]],
           "grid": row.get("grid") or [1], "kind": "product" if re.search(r"\b(tt\.dot|ttng\.warp_group_dot) ", ttgir) else "memory"}
    cubin = os.path.join(options.out, name + ".tritcc.cubin")
    subprocess.run([w.replace("ptx=-", "cubin=" + cubin) for w in sweep.command_of(row, options)] + ["-ptxas=" + options.ptxas],
                   capture_output=True, text=True, check=True)
    assemble(other, options, os.path.join(options.out, name + ".Triton"))
    for side, (ptx, shared, scratch, warps) in sides.items():
        out[side] = {"entry": entry_of(ptx), "shared": shared, "scratch": scratch, "threads": 32 * warps}
    return out


def build(options):
    sys.path.insert(0, os.path.join(HERE, "../compile"))
    import sweep
    sweep.prepare()
    options.given, options.library, rows = options.flags.split(), None, []
    os.makedirs(options.out, exist_ok=True)
    for i, row in enumerate(json.loads(line) for line in open(options.build[1])):
        name = sweep.label(i, row)
        if not is_asked(options, name):
            continue
        try:
            rows.append(build_row(sweep, options, name, row))
        except Exception as error:  # a compiler's own refusal
            print("%-44s %s" % (name, re.sub(r"\s+", " ", str(error))[:150]), flush=True)
    with open(os.path.join(options.out, "rows.json"), "w") as file:
        json.dump(rows, file)
    print("%d kernels" % len(rows))


# ---- launched on a GPU

class Driver:
    """CUDA's driver by its C functions; a failing one is an exception."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.cuInit(0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.cuDeviceGet(ctypes.byref(device), 0)
        self.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
        self.cuCtxSetCurrent(context)
        self.arrays = []

    def __getattr__(self, name):
        function = getattr(self.library, name)

        def call(*args):
            error = function(*args)
            if error:
                raise RuntimeError("%s: error %d" % (name, error))
        return call

    def event(self):
        event = ctypes.c_void_p()
        self.cuEventCreate(ctypes.byref(event), 0)
        return event

    def array(self, size):
        address = ctypes.c_uint64()
        self.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size))
        self.arrays.append(address)
        return address

    def free(self):
        for address in self.arrays:
            self.cuMemFree_v2(address)
        self.arrays = []


class Kernel:
    def __init__(self, driver, path, described, grid, values):
        self.driver, self.grid, self.described = driver, grid, described
        size = max(16, described["scratch"] * math.prod(grid))
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        driver.cuModuleLoad(ctypes.byref(module), path.encode())
        driver.cuModuleGetFunction(ctypes.byref(self.function), module, described["entry"].encode())
        if described["shared"] > 48 << 10:
            driver.cuFuncSetAttribute(self.function, 8, described["shared"])
        scratch = driver.array(size)
        driver.cuMemsetD8_v2(scratch, ctypes.c_ubyte(0), ctypes.c_size_t(size))
        self.values = values + [scratch, ctypes.c_uint64(0)]
        self.pointers = (ctypes.c_void_p * len(self.values))(*(ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in self.values))

    def launch(self):
        self.driver.cuLaunchKernel(self.function, *self.grid, self.described["threads"], 1, 1, self.described["shared"], None,
                                   self.pointers, None)

    def milliseconds(self, launches):
        begin, end, out = self.driver.event(), self.driver.event(), ctypes.c_float()
        self.driver.cuEventRecord(begin, None)
        for _ in range(launches):
            self.launch()
        self.driver.cuEventRecord(end, None)
        self.driver.cuEventSynchronize(end)
        self.driver.cuEventElapsedTime_v2(ctypes.byref(out), begin, end)
        return out.value / launches


@functools.cache
def rows_of(out):
    with open(os.path.join(out.split(",")[0], "rows.json")) as file:
        return json.load(file)


def described(folder, name):
    return next(row for row in rows_of(folder) if row["name"] == name)


def pattern(kind):
    """A megabyte of an array's elements."""
    import numpy
    floats = (0.75 + numpy.random.default_rng(1).random(1 << 20, dtype=numpy.float32) / 2)
    if kind in ("*fp32", "*fp64", "*fp16"):
        return floats.astype({"*fp32": numpy.float32, "*fp64": numpy.float64, "*fp16": numpy.float16}[kind]).tobytes()[:1 << 20]
    if kind == "*bf16":
        return (floats.view(numpy.uint32) >> 16).astype(numpy.uint16).tobytes()[:1 << 20]
    bits = int(re.sub(r"\D", "", kind))
    return (b"\1" + bytes(max(bits // 8, 1) - 1)) * ((1 << 20) // max(bits // 8, 1))


def fill(driver, address, kind, name):
    if PLACES.match(name):
        import numpy
        places = numpy.arange(1, 1 + ARRAY // 8, dtype=numpy.int64)
        driver.cuMemcpyHtoD_v2(address, places.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(ARRAY))
        return
    driver.cuMemcpyHtoD_v2(address, pattern(kind), ctypes.c_size_t(1 << 20))
    done = 1 << 20
    while done < ARRAY:
        driver.cuMemcpyDtoD_v2(ctypes.c_uint64(address.value + done), address, ctypes.c_size_t(done))
        done *= 2


def scalar(name, kind, divides, size):
    if kind.startswith(("fp", "bf", "f")):
        return ctypes.c_float(1e-5 if "eps" in name else 0.5)
    if kind in ("i1", "u1"):
        return ctypes.c_int32(1)
    if "ignore" in name:
        value = -100
    elif SMALL.search(name):
        value = 16 if divides else 1
    elif COUNTS.search(name):
        value = size * size
    else:
        value = size if divides else size - 3
    return ctypes.c_int64(value) if kind in ("i64", "u64") else ctypes.c_int32(value)


def read(driver, arrays):
    import numpy
    out = []
    for address, *_ in arrays:
        host = numpy.empty(ARRAY // 8, dtype=numpy.uint8)
        driver.cuMemcpyDtoH_v2(host.ctypes.data_as(ctypes.c_void_p), address, ctypes.c_size_t(host.size))
        out.append(host)
    return out


def numbers(host, kind):
    import numpy
    if kind == "*bf16":
        return (host.astype(numpy.uint32) << 16).view(numpy.float32).astype(numpy.float64)
    return host.view({"*fp32": numpy.float32, "*fp16": numpy.float16, "*fp64": numpy.float64}.get(kind, host.dtype)).astype(numpy.float64)


def difference(mine, other, kinds):
    """The largest relative difference of two outputs; what is in neither a number is the same."""
    import numpy
    worst = 0.0
    with numpy.errstate(all="ignore"):
        for a, b, kind in zip(mine, other, kinds):
            element = {8: numpy.int8, 16: numpy.int16, 32: numpy.int32, 64: numpy.int64}.get(int(re.sub(r"\D", "", kind)), numpy.int8)
            a, b = a.view(element), b.view(element)
            at = numpy.flatnonzero(a != b)
            if not at.size:
                continue
            a, b = numbers(a[at], kind), numbers(b[at], kind)
            same = (a == b) | (numpy.isnan(a) & numpy.isnan(b))
            part = numpy.where(same, 0, numpy.abs(a - b) / (1 + numpy.abs(b)))
            worst = max(worst, float(numpy.nanmax(numpy.where(numpy.isnan(part), numpy.inf, part))))
    return worst


def sides_of(out):
    """Folder and name of each build, behind Triton's."""
    folders = out.split(",")
    mine = {os.path.basename(os.path.normpath(f)) if folders[1:] else "tritcc": f for f in folders}
    return {"Triton": folders[0], **mine}


def measure_row(driver, out, row, size):
    """[milliseconds of each side, how much arrays of each build differ from Triton's at most]"""
    arrays, values = [], []
    for name, kind, divides in row["parameters"]:
        if kind[0] == "*":
            arrays.append((driver.array(ARRAY), kind, name))
            values.append(arrays[-1][0])
        else:
            values.append(scalar(name, kind, divides, size))
    grid = (row["grid"] + [1, 1])[:3]
    if math.prod(grid) < PROGRAMS:
        grid[0] = min(grid[0] * -(-PROGRAMS // math.prod(grid)), 1 << 20)
    kernels, theirs, worst = {}, None, 0.0
    for side, folder in sides_of(out).items():
        whose = "Triton" if side == "Triton" else "tritcc"
        path = os.path.join(folder, row["name"] + "." + whose + ".cubin")
        if not os.path.exists(path):
            continue
        kernel = kernels[side] = Kernel(driver, path, described(folder, row["name"])[whose], grid, values)
        for address, kind, name in arrays:
            fill(driver, address, kind, name)
        kernel.launch()
        driver.cuCtxSynchronize()
        found = read(driver, arrays)
        theirs = theirs or found
        worst = max(worst, difference(found, theirs, [kind for _, kind, _ in arrays]))
    first = kernels["Triton"].milliseconds(1)
    if first > LONGEST_MS:
        raise RuntimeError("a launch of %.0f ms" % first)
    launches = max(1, min(50, int(2 / max(first, 1e-3))))
    times = {side: [] for side in kernels}
    for _ in range(7 if first < 40 else 3):
        for side, kernel in kernels.items():
            times[side].append(kernel.milliseconds(launches))
    return [{s: statistics.median(t) for s, t in times.items()}, worst]


def work(out):
    """The second process: a row's number and a size in, a line of JSON out, until something fails."""
    driver, rows = Driver(), rows_of(out)
    for line in sys.stdin:
        index, size = map(int, line.split())
        try:
            print(json.dumps(measure_row(driver, out, rows[index], size)), flush=True)
            driver.free()
        except Exception as error:
            print(json.dumps(str(error)), flush=True)
            return


class Worker:
    """Starts the second process again where it failed."""

    def __init__(self, out):
        self.command, self.process = [sys.executable, os.path.abspath(__file__), "--work", out], None
        self.patience = PATIENCE + out.count(",")

    def ask(self, index, size):
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write("%d %d\n" % (index, size))
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], self.patience)
        line = self.process.stdout.readline() if ready else ""
        answer = json.loads(line) if line else "no end" if not ready else "the process died"
        if isinstance(answer, str):
            self.process.kill()
            self.process.wait()
            self.process = None
        return answer


def measure(options):
    rows, builds = rows_of(options.out), [side for side in sides_of(options.out) if side != "Triton"]
    ratios, worker = {(kind, side): [] for kind in ("memory", "product") for side in builds}, Worker(options.out)
    with open(options.o, "w") as table:
        for index, row in enumerate(rows):
            if not is_asked(options, row["name"]) or not options.first <= index < options.end:
                continue
            for size in SIZES:
                answer = worker.ask(index, size)
                if not isinstance(answer, str):
                    break
            else:
                print("%-44s not measured: %s" % (row["name"], answer[:90]), flush=True)
                continue
            times, differ = answer
            is_short = times["Triton"] < 0.01
            for side in (s for s in builds if s in times):
                ratio = times["Triton"] / times[side]
                if not is_short:
                    ratios[row["kind"], side].append(ratio)
                table.write("%s\t%s\t%d\t%s\t%.5f\t%.5f\t%.3f\t%.1e\n" % (
                    row["name"], row["kind"], size, side, times[side], times["Triton"], ratio, differ))
                print("%-44s %-7s %4d  %s %9.4f ms  Triton %9.4f ms  %.3f%s%s" % (
                    row["name"], row["kind"], size, side, times[side], times["Triton"], ratio, "  short" if is_short else "",
                    "  DIFFER %.1e" % differ if differ > 2e-2 else ""), flush=True)
            table.flush()
    for (kind, side), found in ratios.items():
        if found:
            print("%s: %s, %d kernels, geometric mean %.3f, %d under 0.95" % (
                kind, side, len(found), math.exp(sum(map(math.log, found)) / len(found)), sum(r < 0.95 for r in found)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", nargs=3, metavar=("TRITCC", "ROWS", "PACKAGES"))
    parser.add_argument("out")
    parser.add_argument("-k", default=[], nargs="+", metavar="WORD")
    parser.add_argument("-o", default=os.devnull)
    parser.add_argument("--first", type=int, default=0, help="the number of the first row that is measured")
    parser.add_argument("--end", type=int, default=1 << 30, help="the number behind the last one")
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--ptxas", default=shutil.which("ptxas"))
    parser.add_argument("--flags", default="", help="more options of tritcc, as --flags='-fno-fit-registers ...'")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.build:
        options.tritcc, _, options.packages = options.build
        build(options)
    elif options.work:
        work(options.out)
    else:
        measure(options)


if __name__ == "__main__":
    main()
