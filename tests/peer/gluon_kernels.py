"""Kernels in Gluon for interchange.py: operations that Triton's own passes seldom write, one concern a kernel.

ARCHS says for which architectures a kernel is; what a release does not have, it does not dump."""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import ampere, blackwell, hopper
from triton.experimental.gluon.language.nvidia.ampere import async_copy
from triton.experimental.gluon.language.nvidia.blackwell import tma as blackwell_tma
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma

ALL, HOPPER, BLACKWELL = [80, 90, 100, 120], [90, 100], [100]
ARCHS = {}


def kernel(*archs):
    def add(fn):
        ARCHS[fn.__name__] = archs
        return gluon.jit(fn)
    return add


@kernel(*ALL)
def buffers(x: "*fp16", o: "*fp16"):
    blocked: gl.constexpr = gl.BlockedLayout([1, 8], [8, 4], [4, 1], [1, 0])
    swizzled: gl.constexpr = gl.SwizzledSharedLayout(8, 2, 4, [1, 0])
    rows = gl.arange(0, 64, gl.SliceLayout(1, blocked))
    columns = gl.arange(0, 32, gl.SliceLayout(0, blocked))
    offsets = rows[:, None] * 32 + columns[None, :]
    value = gl.load(x + offsets, mask=rows[:, None] < 50, other=0.0)
    buffer = gl.allocate_shared_memory(gl.float16, [2, 64, 32], swizzled)
    buffer.index(0).store(value)
    buffer.index(1).store(value + value)
    gl.barrier() if hasattr(gl, "barrier") else gl.thread_barrier()
    half = buffer.index(1).slice(0, 32)
    turned = half.permute([1, 0]).load(gl.BlockedLayout([8, 1], [4, 8], [1, 4], [0, 1]))
    again = buffer.index(0).reshape([32, 64]).load(blocked)
    bits = buffer._reinterpret(gl.int16, [4096], gl.SwizzledSharedLayout(1, 1, 1, [0])) if hasattr(buffer, "_reinterpret") else \
        buffer.reinterpret(gl.int16, [4096], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    flat = bits.load(gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(o + offsets, gl.convert_layout(value, blocked))
    gl.store(o + gl.arange(0, 4096, gl.BlockedLayout([1], [32], [4], [0])), flat.to(gl.float16))
    total = gl.sum(turned, 1) + gl.max(again.to(gl.float32).reshape([32, 64]), 1).to(gl.float16).sum(0)
    gl.store(o + gl.arange(0, 32, total.type.layout), total)


@kernel(*ALL)
def layouts(x: "*fp32", o: "*fp32"):
    linear: gl.constexpr = gl.DistributedLinearLayout([[0, 1], [0, 2]], [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], [[4, 0], [8, 0]], [], [16, 32])
    padded: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[32, 4]], [16, 32], [1, 0])
    blocked: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    rows = gl.arange(0, 16, gl.SliceLayout(1, blocked))
    columns = gl.arange(0, 32, gl.SliceLayout(0, blocked))
    at = gl.convert_layout(rows[:, None] * 32 + columns[None, :], linear)
    value = gl.load(x + at)
    buffer = gl.allocate_shared_memory(gl.float32, [16, 32], padded, value)
    gl.store(o + gl.convert_layout(at, blocked), buffer.load(blocked))
    thread: gl.constexpr = gl.BlockedLayout([1, 1, 2], [4, 8, 1], [4, 1, 1], [2, 1, 0])
    left, right = gl.split(gl.convert_layout(gl.join(value, value), thread))
    gl.store(o + gl.convert_layout(at, left.type.layout), left + right)
    gl.store(o + gl.convert_layout(at, blocked), gl.where(gl.convert_layout(value, blocked) > 0, 1.0, 2.0))


@kernel(*ALL)
def products(x: "*fp16", o: "*fp32"):
    mma: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
    left: gl.constexpr = gl.DotOperandLayout(0, mma, 2)
    right: gl.constexpr = gl.DotOperandLayout(1, mma, 2)
    blocked: gl.constexpr = gl.BlockedLayout([1, 8], [8, 4], [4, 1], [1, 0])
    at = gl.arange(0, 32, gl.SliceLayout(1, blocked))[:, None] * 32 + gl.arange(0, 32, gl.SliceLayout(0, blocked))[None, :]
    a = gl.convert_layout(gl.load(x + at), left)
    b = gl.convert_layout(gl.load(x + 1024 + at), right)
    c = gl.full([32, 32], 0.0, gl.float32, mma)
    for i in range(4):
        c = ampere.mma_v2(a, b, c)
    gl.store(o + gl.convert_layout(at, mma), c)


COPY = async_copy.async_load if hasattr(async_copy, "async_load") else async_copy.async_copy_global_to_shared


@kernel(*ALL)
def copies(x: "*fp16", o: "*fp16", n: "i32"):
    blocked: gl.constexpr = gl.BlockedLayout([8], [32], [4], [0])
    at = gl.arange(0, 1024, blocked)
    buffer = gl.allocate_shared_memory(gl.float16, [2, 1024], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    COPY(buffer.index(0), x + at)
    async_copy.commit_group()
    COPY(buffer.index(1), x + 1024 + at, mask=at < n, eviction_policy="evict_first")
    async_copy.commit_group()
    async_copy.wait_group(0)
    gl.store(o + at, buffer.index(0).load(blocked) + buffer.index(1).load(blocked))


@kernel(*ALL)
def gathers(x: "*i32", o: "*i32"):
    blocked: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    at = gl.arange(0, 256, blocked)
    buffer = gl.allocate_shared_memory(gl.int32, [256], gl.SwizzledSharedLayout(1, 1, 1, [0]), gl.load(x + at))
    value = buffer.gather(255 - at, 0)
    buffer.scatter(value, at, 0)
    gl.store(o + at, gl.gather(value, at, 0) + gl.histogram(value & 127, 256, layout=blocked))
    gl.atomic_add(o + at, value, sem="relaxed")
    gl.atomic_cas(o + at, value, value)


@kernel(*ALL)
def scattered_atomics(x: "*i32", o: "*i32"):
    blocked: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    at = gl.arange(0, 256, blocked)
    buffer = gl.allocate_shared_memory(gl.int32, [256], gl.SwizzledSharedLayout(1, 1, 1, [0]), gl.load(x + at))
    gl.store(o + at, buffer.atomic_scatter_add(at, at, 0))
    gl.store(o + at, buffer.atomic_scatter_max(at, at, 0, mask=at < 7))


@kernel(*ALL)
def scans(x: "*fp32", o: "*fp32"):
    blocked: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    at = gl.arange(0, 16, gl.SliceLayout(1, blocked))[:, None] * 32 + gl.arange(0, 32, gl.SliceLayout(0, blocked))[None, :]
    value = gl.load(x + at)
    gl.store(o + at, gl.associative_scan(value, 1, plus, reverse=True))
    gl.device_print("sum", gl.sum(value, 0))
    gl.device_assert(gl.max(value, 1) > 0, "positive")


@gluon.jit
def plus(a, b):
    return a + b


@kernel(*ALL)
def accesses(x: "*fp32", o: "*fp32", flag: "*i32"):
    blocked: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    at = gl.arange(0, 256, blocked)
    value = gl.load(x + at, cache_modifier=".cg", eviction_policy="evict_first", volatile=True)
    value += gl.load(x + at, mask=at < 100, other=1.0, eviction_policy="evict_last")
    gl.store(o + at, value, cache_modifier=".wt", eviction_policy="evict_last")
    gl.store(o + at, value, mask=at > 3, cache_modifier=".cs")


@kernel(*ALL)
def flags(x: "*i32", o: "*i32"):
    blocked: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    at = gl.arange(0, 256, blocked)
    gl.atomic_store(o + at, gl.atomic_load(x + at, sem="acquire", scope="gpu"), sem="release", scope="sys")
    gl.atomic_store(o, gl.atomic_load(x, sem="relaxed"), sem="relaxed")
    gl.atomic_poll(x, 1, sem="acquire")


LOAD, STORE = (tma.async_load, tma.async_store) if hasattr(tma, "async_load") else (tma.async_copy_global_to_shared, tma.async_copy_shared_to_global)
HAS_REDUCE = gl.constexpr(hasattr(tma, "async_atomic_add"))


@kernel(*HOPPER)
def bulk_copies(x: "*fp16", o: "*fp16", n: "i32"):
    shared: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    blocked: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    source = tma.make_tensor_descriptor(x, [n, 64], [64, 1], [64, 64], shared)
    target = tma.make_tensor_descriptor(o, [n, 64], [64, 1], [64, 64], shared)
    buffer = gl.allocate_shared_memory(gl.float16, [64, 64], shared)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    hopper.fence_async_shared()
    mbarrier.expect(bar, source.block_type.nbytes)
    LOAD(source, [0, 0], bar, buffer)
    mbarrier.wait(bar, 0)
    mbarrier.arrive(bar, count=1)
    value = buffer.load(blocked)
    mbarrier.invalidate(bar)
    buffer.store(value + value)
    hopper.fence_async_shared()
    STORE(target, [0, 0], buffer)
    if gl.constexpr(HAS_REDUCE):
        tma.async_atomic_add(target, [0, 0], buffer)
    tma.store_wait(0)


@kernel(90)
def warp_groups(x: "*fp16", o: "*fp32"):
    shared: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    mma: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    blocked: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    at = gl.arange(0, 64, gl.SliceLayout(1, blocked))[:, None] * 64 + gl.arange(0, 64, gl.SliceLayout(0, blocked))[None, :]
    a = gl.allocate_shared_memory(gl.float16, [64, 64], shared, gl.load(x + at))
    b = gl.allocate_shared_memory(gl.float16, [64, 64], shared, gl.load(x + 4096 + at))
    hopper.fence_async_shared()
    c = gl.full([64, 64], 0.0, gl.float32, mma)
    c = hopper.warpgroup_mma(a, b, c)
    d = hopper.warpgroup_mma(a.load(gl.DotOperandLayout(0, mma, 2)), b.permute([1, 0]), c, is_async=True, use_acc=False)
    d = hopper.warpgroup_mma_wait(num_outstanding=0, deps=[d])
    gl.store(o + gl.convert_layout(at, mma), d)


@gluon.jit
def producer(buffer, full, empty, x):
    blocked: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    mbarrier.wait(empty, 0)
    buffer.store(gl.load(x + gl.arange(0, 128, blocked)))
    mbarrier.arrive(full, count=1)


@gluon.jit
def consumer(buffer, full, empty, o):
    blocked: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    mbarrier.wait(full, 0)
    gl.store(o + gl.arange(0, 128, blocked), buffer.load(blocked))
    mbarrier.arrive(empty, count=1)


@kernel(*HOPPER)
def partitions(x: "*fp32", o: "*fp32"):
    buffer = gl.allocate_shared_memory(gl.float32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    bars = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    mbarrier.init(bars.index(0), count=1)
    mbarrier.init(bars.index(1), count=1)
    if gl.constexpr(hasattr(gl, "inline_asm") or hasattr(gl, "num_ctas")):
        gl.warp_specialize([(producer, (buffer, bars.index(0), bars.index(1), x)), (consumer, (buffer, bars.index(0), bars.index(1), o))],
                           [4], [48])
    else:
        gl.warp_specialize((buffer, bars.index(0), bars.index(1), x), producer, [consumer], [4], [48])


@kernel(*BLACKWELL)
def tensor_memory(x: "*fp16", o: "*fp32"):
    shared: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    blocked: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    layout: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], col_stride=1)
    at = gl.arange(0, 128, gl.SliceLayout(1, blocked))[:, None] * 64 + gl.arange(0, 64, gl.SliceLayout(0, blocked))[None, :]
    b_at = gl.arange(0, 64, gl.SliceLayout(1, blocked))[:, None] * 64 + gl.arange(0, 64, gl.SliceLayout(0, blocked))[None, :]
    a = gl.allocate_shared_memory(gl.float16, [128, 64], shared, gl.load(x + at))
    b = gl.allocate_shared_memory(gl.float16, [64, 64], shared, gl.load(x + b_at))
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    hopper.fence_async_shared()
    c = blackwell.allocate_tensor_memory(gl.float32, [128, 64], layout)
    blackwell.tcgen05_mma(a, b, c, use_acc=False)
    blackwell.tcgen05_commit(bar)
    mbarrier.wait(bar, 0)
    value = c.load(blackwell.get_tmem_reg_layout(gl.float32, (128, 64), layout, num_warps=4) if hasattr(blackwell, "get_tmem_reg_layout") else c.get_reg_layout())
    gl.store(o + gl.convert_layout(at, value.type.layout), value)
    c.slice(0, 32)
    c.store(value)


@kernel(*BLACKWELL)
def gathered_rows(x: "*fp16", n: "i32"):
    shared: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    source = tma.make_tensor_descriptor(x, [n, 64], [64, 1], [1, 64], shared)
    buffer = gl.allocate_shared_memory(gl.float16, [32, 64], shared)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, 4096)
    rows = gl.arange(0, 32, gl.SliceLayout(0, gl.BlockedLayout([1, 4], [32, 1], [1, 4], [1, 0])))
    blackwell_tma.async_gather(source, rows, 0, bar, buffer)
    mbarrier.wait(bar, 0)
    blackwell_tma.async_scatter(source, rows, 0, buffer)
    tma.store_wait(0)


@kernel(*BLACKWELL)
def next_tile(o: "*i32"):
    result = gl.allocate_shared_memory(gl.int64, [2], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, 16)
    blackwell.clc.try_cancel(result, bar)
    mbarrier.wait(bar, 0)
    tile = blackwell.clc.load_result(result)
    if tile.is_canceled():
        gl.store(o, tile.program_id(0))


@kernel(*BLACKWELL)
def pairs(x: "*fp32", o: "*fp32"):
    blocked: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    at = gl.arange(0, 512, blocked)
    value = gl.load(x + at)
    gl.store(o + at, blackwell.fma2(value, value, value) + blackwell.add2(value, value))


@kernel(*ALL)
def assembly(x: "*i32", o: "*i32"):
    blocked: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    at = gl.arange(0, 256, blocked)
    value = gl.load(x + at)
    gl.store(o + at, gl.inline_asm_elementwise("add.s32 $0, $1, $2;", "=r,r,r", [value, value], dtype=gl.int32, is_pure=True, pack=1))
    gl.inline_asm("bar.sync 1;")
