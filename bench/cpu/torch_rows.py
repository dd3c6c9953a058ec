#!/usr/bin/env python3
"""torch_rows.py [--before OTHER] LIBRARY [ROW...]: kernels.tri, as a shared library, beside PyTorch's CPU kernels in one process.

One thread and two (processor time for one thread, which others disturb less; on a machine that is not quiet, run it at
real-time priority: chrt -f 20). A launch and PyTorch's are timed one behind the other, in turns that are spread over the
whole run, as such a machine's speed changes from second to second: the times are those of the pair with the median ratio.
Of kernels that the library has in several tiles (tBMxBNxBK_NAME), those that were fastest beside PyTorch in turns with the
others; the last columns say which, for one thread and for two. A ratio above 1 is faster than PyTorch. With --before, the same
launches of another library take turns with these too, and `before` says how much faster these are. run.sh builds the
library and calls this when TORCH_PYTHON names a Python that has PyTorch."""
import ctypes as C
import os
import sys
import time

import torch


class Grid(C.Structure):
    _fields_ = [("x", C.c_uint32), ("y", C.c_uint32), ("z", C.c_uint32)]


words = sys.argv[1:]
before = C.CDLL(words[1]) if words[0] == "--before" else None
words = words[2:] if before else words
lib, wanted = C.CDLL(words[0]), words[1:]
F = torch.nn.functional


def call(name, grid, *args, of=lib):
    values = [C.c_void_p(a.data_ptr()) if isinstance(a, torch.Tensor) else C.c_float(a) if isinstance(a, float) else C.c_int(a)
              for a in args]
    function, sizes = getattr(of, name), Grid(*grid)

    def run():
        return function(None, sizes, *values)
    run.arguments = args  # values are their addresses
    if before and of is lib:
        run.before = call(name, grid, *args, of=before)
    return run


def tiled(name, grid, *args):
    """The calls of a kernel in each of the tiles that $TILES names and that divide the work: {tiles: call}; grid makes the
    launch's of the tiles' rows and columns, or None."""
    calls = {}
    for tiles in os.environ["TILES"].split():
        rows, columns, _ = map(int, tiles.split("x"))
        if grid(rows, columns):
            calls[tiles] = call(f"t{tiles}_{name}", grid(rows, columns), *args)
    return calls


def products():
    for name, dtype, out in (("tutorial", torch.float32, torch.float32), ("tutorial_tf32", torch.float32, torch.float32),
                             ("tutorial_bf16", torch.bfloat16, torch.float32), ("tutorial_as_bf16", torch.bfloat16, torch.bfloat16),
                             ("tutorial_int8", torch.int8, torch.int32)):
        for n in (512, 1024, 2048):
            a, b = ((torch.randint(-99, 99, (n, n), dtype=dtype) if dtype == torch.int8 else torch.randn(n, n).to(dtype))
                    for _ in range(2))
            c = torch.empty(n, n, dtype=out)
            theirs = (lambda a=a, b=b: torch._int_mm(a, b)) if dtype == torch.int8 else (lambda a=a, b=b: torch.mm(a, b))
            ours = tiled(name, lambda rows, columns, n=n: (n // rows * (n // columns), 1, 1), a, b, c, n, n, n)
            yield f"{name} {n}", ours, theirs, 2.0 * n**3, c


def limits():
    """What tiles alone allow of a float product in three parts: its products and its loads, nothing packed or stored."""
    try:
        library = C.CDLL(os.path.join(os.path.dirname(os.path.abspath(words[0])), "libtiles.so"))
    except OSError:
        return
    if library.tiles(32, 1, 1):
        return
    for n in (512, 1024, 2048):
        a, b = torch.randn(n, n), torch.randn(n, n)
        ours = lambda n=n: library.tiles(n, torch.get_num_threads(), 1)
        yield f"tiles alone {n}", ours, lambda a=a, b=b: torch.mm(a, b), 2.0 * n**3, None


def nests():
    """Attention of 8 heads, convolutions as products, weights of four bits beside a product of ready ones."""
    for name, dtype in (("attention_heads", torch.float32), ("attention_bf16", torch.bfloat16)):
        q, k, v = (torch.randn(1, 8, 1024, 64).to(dtype) for _ in range(3))
        out = torch.empty_like(q)
        theirs = lambda q=q, k=k, v=v: F.scaled_dot_product_attention(q, k, v)
        yield name, call(name, (8, 8, 1), q, k, v, out, 1024, 0.125), theirs, 4.0 * 8 * 1024 * 1024 * 64, out
    size, channels, features = 64, 64, 128
    for name, dtype in (("conv", torch.float32), ("conv_bf16", torch.bfloat16)):
        x, w = torch.randn(1, channels, size, size).to(dtype), (torch.randn(features, channels, 3, 3) / 24).to(dtype)
        x, w = x.contiguous(memory_format=torch.channels_last), w.contiguous(memory_format=torch.channels_last)
        padded, filters = F.pad(x, (1, 1, 1, 1))[0].permute(1, 2, 0).contiguous(), w.permute(2, 3, 1, 0).contiguous()
        out = torch.empty(size, size, features)
        theirs = lambda x=x, w=w: F.conv2d(x, w, padding=1)[0].permute(1, 2, 0)
        yield (name, call(name, (size * size // 64, features // 64, 1), padded, filters, out, size, channels, features),
               theirs, 18.0 * size * size * channels * features, out)
    for m in (64, 512):
        n = 1024
        a, ready, scales = torch.randn(m, n), torch.randint(-8, 8, (n, n), dtype=torch.int8), torch.rand(n)
        packed = (ready[: n // 2] & 15) | (ready[n // 2 :] << 4)
        weights, out = ready.float() * scales, torch.empty(m, n)
        ours = tiled("int4", lambda rows, columns, m=m: None if m % rows else (m // rows, n // columns, 1),
                     a, packed, scales, out, m, n, n)
        yield f"int4 {m}", ours, lambda a=a, weights=weights: torch.mm(a, weights), 2.0 * m * n * n, out


def rows():
    x, wide, flat = torch.randn(256, 1024), torch.randn(256, 4096), torch.randn(1 << 18)
    w, b, out, wide_out, flat_out, big = (torch.randn(1024), torch.randn(1024), torch.empty_like(x), torch.empty_like(wide),
                                          torch.empty_like(flat), torch.randn(1024, 4096))
    sums, line = torch.empty(4096), torch.empty(1024)
    yield "softmax 1024", call("softmax", (256, 1, 1), x, out, 1024), lambda: torch.softmax(x, 1), 0, out
    yield "softmax masked", call("softmax_wide", (256, 1, 1), x, out, 1024), lambda: torch.softmax(x, 1), 0, out
    yield "softmax 4096", call("softmax_wide", (256, 1, 1), wide, wide_out, 4096), lambda: torch.softmax(wide, 1), 0, wide_out
    yield "layernorm", call("layernorm", (256, 1, 1), x, out, w, b, 1024, 1e-5), lambda: F.layer_norm(x, (1024,), w, b), 0, out
    yield "gelu", call("gelu", (64, 1, 1), flat, flat_out, 1 << 18), lambda: F.gelu(flat), 0, flat_out
    yield "exp", call("exponential", (16, 1, 1), flat, flat_out, 1 << 16), lambda: torch.exp(flat[: 1 << 16]), 0, flat_out[: 1 << 16]
    yield "cumsum", call("cumsum", (256, 1, 1), wide, wide_out, 4096), lambda: torch.cumsum(wide, 1), 0, wide_out
    yield "colsum", call("colsum", (16, 1, 1), big, sums, 1024, 4096), lambda: torch.sum(big, 0), 0, sums
    yield "rowsum", call("rowsum", (1024, 1, 1), big, line, 4096), lambda: torch.sum(big, 1), 0, line
    yield ("layernorm masked", call("layernorm_wide", (256, 1, 1), x, out, w, b, 1024, 1e-5),
           lambda: F.layer_norm(x, (1024,), w, b), 0, out)
    yield "rms norm", call("rms_norm", (256, 1, 1), x, out, w, 1024, 1e-5), lambda: F.rms_norm(x, (1024,), w, 1e-5), 0, out
    y, flat_y = torch.randn(1 << 18), torch.empty(1 << 18)
    yield "silu", call("silu", (64, 1, 1), flat, y, flat_out, 1 << 18), lambda: F.silu(flat) * y, 0, flat_out
    yield "vecadd", call("vecadd", (64, 1, 1), flat, y, flat_y, 1 << 18), lambda: torch.add(flat, y), 0, flat_y


def few_rows():
    """A group norm, and what one row or vector makes of a matrix."""
    x, w, b, out = torch.randn(4, 128, 32, 32), torch.randn(128), torch.randn(128), torch.empty(4, 128, 32, 32)
    yield ("group norm", call("group_norm", (32, 1, 1), x, out, w, b, 1024, 8, 1e-5),
           lambda: F.group_norm(x, 8, w, b, 1e-5), 0, out)
    a, v, y = torch.randn(2048, 2048).bfloat16(), torch.randn(2048).bfloat16(), torch.empty(2048, dtype=torch.bfloat16)
    yield "gemv bf16", call("gemv", (128, 1, 1), a, v, y, 2048, 2048), lambda: torch.mv(a, v), 0, y
    q, k, values = (torch.randn(1, 16, n, 64).bfloat16() for n in (1, 2048, 2048))
    one = torch.empty_like(q)
    yield ("decode bf16", call("decode", (16, 1, 1), q, k, values, one, 2048, 0.125),
           lambda: F.scaled_dot_product_attention(q, k, values), 0, one)


def indexed():
    """Rows that look for values, or read and write them elsewhere."""
    x, logits, labels = torch.randn(1024, 1024), torch.randn(16, 1 << 17), torch.randint(0, 1 << 17, (16,))
    losses, places, moved = torch.empty(16), torch.empty(1024, dtype=torch.int64), torch.empty(1024, 1024)
    yield ("cross entropy", call("cross_entropy", (16, 1, 1), logits, labels, losses, 1 << 17),
           lambda: F.cross_entropy(logits, labels, reduction="none"), 0, losses)
    yield "argmax", call("argmax", (1024, 1, 1), x, places, 1024), lambda: torch.argmax(x, 1), 0, places
    yield "sort", call("sort", (1024, 1, 1), x, moved, 1024), lambda: torch.sort(x, 1)[0], 0, moved
    yield "transpose", call("transpose", (16, 16, 1), x, moved, 1024, 1024), lambda: x.t().contiguous(), 0, moved
    table, numbers, rows = torch.randn(8192, 1024), torch.randint(0, 8192, (1024,)), torch.empty(1024, 1024)
    yield ("embedding", call("embedding", (1024, 1, 1), table, numbers, rows, 1024),
           lambda: F.embedding(numbers, table), 0, rows)
    best = torch.empty(1024, 8)
    yield "top 8", call("topk", (1024, 1, 1), x, best, 1024), lambda: torch.topk(x, 8, 1)[0], 0, best
    sums, other = torch.zeros(8192, 1024), torch.zeros(8192, 1024)
    yield ("index add", call("index_add", (1024, 1, 1), sums, numbers, x, 1024),
           lambda: other.index_add_(0, numbers, x), 0, None)
    flat, order, out = torch.randn(1 << 18), torch.randint(0, 1 << 18, (1 << 18,)), torch.empty(1 << 18)
    yield "gather", call("gather", (64, 1, 1), flat, order, out, 1 << 18), lambda: torch.take(flat, order), 0, out


# Threads of the side that ran before spin for a while, and would hold a processor that this one needs.
SPIN = 0.25 if "libiomp" in open("/proc/self/maps").read() else 0.05


def once(run, threads):
    """Time of a call, in a row of calls."""
    clock = time.process_time if threads == 1 else time.perf_counter
    if threads > 1:
        time.sleep(SPIN)
        run()
    start, count = clock(), 0
    while True:
        run()
        count += 1
        spent = clock() - start
        if spent > 0.004:
            return spent / count


def pair(one, other, threads, turn):
    """Times of both, one behind the other; which begins alternates."""
    if turn % 2:
        return once(one, threads), once(other, threads)
    second = once(other, threads)
    return once(one, threads), second


def speed(times):
    return times[1] / times[0]


def middle(pairs):
    """The pair with the median ratio."""
    return sorted(pairs, key=speed)[len(pairs) // 2]


def pauses():
    """A launch after 20 ms without one, beside one thread."""
    n = 256
    a, b, c = torch.randn(n, n), torch.randn(n, n), torch.empty(n, n)
    run, times = call("tutorial", (16, 1, 1), a, b, c, n, n, n), {}
    for threads in (1, 2):
        lib.tri_threads(threads)
        spent = []
        for _ in range(25):
            time.sleep(0.02)
            start = time.perf_counter()
            run()
            spent.append(time.perf_counter() - start)
        times[threads] = sorted(spent)[12]
    print(f"launch after a pause: 1 thread {times[1] * 1e6:.0f} us, 2 threads {times[2] * 1e6:.0f} us")


def wrongness(name, run, result, want):
    """The largest difference, of the largest number."""
    result.zero_()
    if run():
        sys.exit(f"{name}: the launch failed")
    return ((result.to(torch.float64) - want).abs().max() / (1 + want.abs().max())).item()


def set_threads(threads):
    torch.set_num_threads(threads)
    for library in (lib, before):
        if library:
            library.tri_threads(threads)


class Row:
    """One line of the table: pairs of times for one thread and for two."""
    CHOICE, TURNS, PASSES = 5, 4, 3

    def __init__(self, name, ours, theirs, flops, result):
        self.name, self.theirs, self.flops, self.error = name, theirs, flops, 0.0
        self.forms = ours if isinstance(ours, dict) else {"": ours}
        self.result, self.chosen, self.pairs, self.old = result, {}, {1: [], 2: []}, {1: [], 2: []}

    def choose(self, threads):
        if self.result is not None:
            want = self.theirs().to(torch.float64).reshape(self.result.shape)
            self.error = max(self.error, *(wrongness(self.name, run, self.result, want) for run in self.forms.values()))
        tried = {tiles: [] for tiles in self.forms}
        for i in range(self.CHOICE if len(tried) > 1 else 0):  # all see the same states
            for tiles, run in self.forms.items():
                tried[tiles].append(pair(run, self.theirs, threads, i))
        self.chosen[threads] = next(iter(tried)) if len(tried) == 1 else max(tried, key=lambda tiles: speed(middle(tried[tiles])))

    def measure(self, threads):
        run = self.forms[self.chosen[threads]]
        for i in range(self.TURNS):
            self.pairs[threads].append(pair(run, self.theirs, threads, i))
            if hasattr(run, "before"):
                self.old[threads].append(pair(run, run.before, threads, i))

    def text(self):
        line = f"{self.name:20}"
        for pairs in self.pairs.values():
            ours, theirs = middle(pairs)
            rate = f"{self.flops / ours * 1e-9:7.1f} GF" if self.flops else " " * 10
            line += f"  {ours * 1e6:9.1f} {theirs * 1e6:9.1f} us {theirs / ours:5.2f}x {rate}"
        for pairs in self.old.values():
            if pairs:
                ours, old = middle(pairs)
                line += f"  before {old / ours:.2f}"
        line += "".join(f"  {tiles}" for tiles in self.chosen.values())
        return line.rstrip() + ("  WRONG" if self.error > 2e-2 else "")


def main():
    if "amx_bf16" not in open("/proc/cpuinfo").read():
        print("products with AMX: not run, this processor has none")
    table = [Row(*row) for source in (rows(), few_rows(), indexed(), products(), limits(), nests()) for row in source
             if not wanted or row[0].startswith(tuple(wanted))]
    for turn in range(Row.PASSES):
        for row in table:
            for threads in (1, 2):
                set_threads(threads)
                if turn == 0:
                    row.choose(threads)
                row.measure(threads)
    for row in table:
        print(row.text(), flush=True)
    if not wanted:
        pauses()


main()
