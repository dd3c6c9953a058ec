/* Gathers by `arange ^ c`, as sorting networks have them: a chunk's lanes come from one chunk, by one permutation. */
#include "targets/cpu/cpu.h"

static bool counts_from_zero(MlirOperation op)
{
    return !mlirOperationIsNull(op) && tri_op_is(op, "tt.make_range") && tri_op_int(op, "start", 0) == 0;
}

/* The number that a block of indices is 0, 1, 2, ... exclusive or; null: it is no such block. */
static MlirValue turned_by(tri_cpu_gen *g, MlirValue indices)
{
    MlirValue none = {NULL};
    MlirOperation op = tri_op_def(indices);
    tri_cpu_bind *bind = tri_cpu_find(g, indices);
    if (mlirOperationIsNull(op) || !tri_op_is(op, "arith.xori") || (bind && bind->kind != TRI_CPU_LAZY))
        return none;
    for (int i = 0; i < 2; i++) {
        MlirOperation range = tri_op_def(tri_op_operand(op, i)), other = tri_op_def(tri_op_operand(op, 1 - i));
        if (counts_from_zero(range) && !mlirOperationIsNull(other) &&
            (tri_op_is(other, "tt.splat") || tri_op_is(other, "arith.constant")))
            return tri_op_operand(op, 1 - i);
    }
    return none;
}

/* Lanes that one instruction permutes; 0: there is none. */
static int lanes_of_register(tri_cpu_gen *g, tri_cpu_type type)
{
    bool has_512 = tri_host_has(&g->host, "avx512f"), has_256 = tri_host_has(&g->host, "avx2");
    int most = type.kind == TRI_CPU_PTR || type.kind == TRI_CPU_DESC ? 0
               : type.bits == 32                                     ? (has_512 ? 16 : has_256 ? 8 : 0)
               : type.bits == 64 && has_512                          ? 8
                                                                     : 0;
    int vl = g->nest->vl;
    bool is_half = type.bits == 32 && vl == 8 && has_256;
    return is_half ? vl : most && vl % most == 0 ? most : 0;
}

/* Lanes of a register by the numbers of others. */
static LLVMValueRef permuted(tri_cpu_gen *g, LLVMValueRef v, LLVMValueRef lanes)
{
    int count = tri_cpu_lanes_of(v);
    bool is_wide = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(lanes))) == 64;
    const char *name = is_wide       ? "llvm.x86.avx512.permvar.di.512"
                       : count == 16 ? "llvm.x86.avx512.permvar.si.512"
                                     : "llvm.x86.avx2.permd";
    LLVMValueRef args[2] = {LLVMBuildBitCast(g->b, v, LLVMTypeOf(lanes), ""), lanes};
    return LLVMBuildBitCast(g->b, tri_cpu_intrinsic(g, name, NULL, 0, args, 2), LLVMTypeOf(v), "");
}

/* A chunk's lanes, each from lane ^ c. */
static LLVMValueRef turned(tri_cpu_gen *g, LLVMValueRef v, LLVMValueRef c, int count, unsigned bits)
{
    LLVMTypeRef number = bits == 64 ? g->i64 : g->i32;
    LLVMValueRef lanes[TRI_CPU_LANES], parts[2];
    for (int i = 0; i < count; i++)
        lanes[i] = LLVMConstInt(number, (uint64_t)i, false);
    LLVMValueRef low = LLVMBuildAnd(g->b, c, tri_cpu_i64(g, count - 1), "");
    LLVMValueRef by = tri_cpu_splat(g, LLVMBuildIntCast2(g->b, low, number, false, ""), count);
    by = LLVMBuildXor(g->b, LLVMConstVector(lanes, (unsigned)count), by, "");
    if (count == tri_cpu_lanes_of(v))
        return permuted(g, v, by);
    LLVMValueRef swaps = LLVMBuildIsNotNull(g->b, LLVMBuildAnd(g->b, c, tri_cpu_i64(g, count), ""), "");
    LLVMValueRef first = tri_cpu_part(g, v, NULL, 0, count), second = tri_cpu_part(g, v, NULL, count, count);
    parts[0] = permuted(g, LLVMBuildSelect(g->b, swaps, second, first, ""), by);
    parts[1] = permuted(g, LLVMBuildSelect(g->b, swaps, first, second, ""), by);
    return tri_cpu_part(g, parts[0], parts[1], 0, 2 * count);
}

bool tri_cpu_gather_turned(tri_cpu_gen *g, MlirOperation op, LLVMValueRef source, tri_cpu_val *out)
{
    tri_cpu_nest *n = g->nest;
    MlirType type = mlirValueGetType(tri_op_operand(op, 0));
    tri_cpu_type t = tri_cpu_type_of(g, type);
    MlirValue by = turned_by(g, tri_op_operand(op, 1));
    if (g->host.is_aarch64 || g->steps || !by.ptr || tri_type_rank(type) != 1 || n->vec_loop != 0)
        return false;
    int count = lanes_of_register(g, t);
    tri_cpu_val c = count ? tri_cpu_eval(g, by, n->index) : (tri_cpu_val){.is_vec = true};
    if (c.is_vec)
        return false;
    tri_cpu_at(g, n->loop_count);
    LLVMValueRef number = LLVMBuildZExtOrBitCast(g->b, c.v, g->i64, "");
    LLVMValueRef others = LLVMBuildAnd(g->b, number, tri_cpu_i64(g, -n->vl), "");
    LLVMValueRef start = LLVMBuildXor(g->b, n->loops[0].iv, others, "");
    LLVMTypeRef element = tri_cpu_memory_type(g, t);
    LLVMValueRef address = LLVMBuildGEP2(g->b, element, source, &start, 1, "");
    LLVMValueRef v = LLVMBuildLoad2(g->b, tri_cpu_vector(element, n->vl), address, "");
    LLVMSetAlignment(v, t.bits / 8);
    *out = (tri_cpu_val){turned(g, v, number, count, t.bits), n->loop_count, true};
    return true;
}
