/* Instructions that multiply groups of neighbours and add the products to one lane of an accumulator:
 *
 *     acc[i] += a[0] * b[i][0] + ... + a[G-1] * b[i][G-1]
 *
 * or the same for two rows and two columns at a time (Arm's matrix instructions):
 *
 *     acc[r][i] += a[r][0] * b[i][0] + ... + a[r][G-1] * b[i][G-1]
 *
 * or for 16 by 16 at a time (AMX, dot_tiles.c). The rows stand in order of rate.
 *
 * Integers are exact in any order. Those for bfloat16 round as the processor does: x86's flush subnormal
 * operands, Arm's add products two by two. */
#include "targets/cpu/cpu.h"

static const struct {
    const char *feature; /* null: every x86-64 */
    bool is_arm;
    tri_cpu_dot_isa isa;
} rows[] = {
    {"amx-bf16", false, {TRI_CPU_BF16, {TRI_CPU_BF16, 16}, 2, 16, 16, "llvm.x86.tdpbf16ps", true, true, false}},
    {"amx-int8", false, {TRI_CPU_INT, {TRI_CPU_INT, 8}, 4, 16, 16, "llvm.x86.tdpbssd", true, true, false}},
    {"avx512bf16",
     false,
     {TRI_CPU_BF16, {TRI_CPU_BF16, 16}, 2, 16, 1, "llvm.x86.avx512bf16.dpbf16ps.512", true, false, false}},
    {"bf16", true, {TRI_CPU_BF16, {TRI_CPU_BF16, 16}, 4, 2, 2, "llvm.aarch64.neon.bfmmla", true, false, false}},
    {"bf16", true, {TRI_CPU_BF16, {TRI_CPU_BF16, 16}, 2, 4, 1, "llvm.aarch64.neon.bfdot", true, false, false}},
    {"i8mm", true, {TRI_CPU_INT, {TRI_CPU_INT, 8}, 8, 2, 2, "llvm.aarch64.neon.smmla", true, false, false}},
    {"dotprod", true, {TRI_CPU_INT, {TRI_CPU_INT, 8}, 4, 4, 1, "llvm.aarch64.neon.sdot", true, false, false}},
    {"avx512vnni", false, {TRI_CPU_INT, {TRI_CPU_INT, 8}, 4, 16, 1, "llvm.x86.avx512.vpdpbusd.512", true, false, true}},
    {"avxvnni", false, {TRI_CPU_INT, {TRI_CPU_INT, 8}, 4, 8, 1, "llvm.x86.avx512.vpdpbusd.256", true, false, true}},
    {"avx512bw",
     false,
     {TRI_CPU_INT, {TRI_CPU_INT, 16}, 2, 16, 1, "llvm.x86.avx512.pmaddw.d.512", false, false, false}},
    {"avx2", false, {TRI_CPU_INT, {TRI_CPU_INT, 16}, 2, 8, 1, "llvm.x86.avx2.pmadd.wd", false, false, false}},
    {NULL, false, {TRI_CPU_INT, {TRI_CPU_INT, 16}, 2, 4, 1, "llvm.x86.sse2.pmadd.wd", false, false, false}},
};

/* x86's instruction for bfloat16 has half the rate of FMA on Intel's processors and the double of it on AMD's; those
 * are told apart by name, since both have the feature. */
static bool is_slow(tri_cpu_gen *g, const tri_cpu_dot_isa *isa)
{
    return isa->operand == TRI_CPU_BF16 && !isa->is_tile && !g->host.is_aarch64 &&
           strncmp(g->host.cpu, "znver", 5) != 0;
}

bool tri_cpu_dot_tiles(tri_cpu_gen *g, tri_cpu_type operand, int64_t m, int64_t n, int64_t k)
{
    const tri_cpu_dot_isa *isa = tri_cpu_dot_choose(g, operand, m, n, k);
    return isa && isa->is_tile;
}

const tri_cpu_dot_isa *tri_cpu_dot_choose(tri_cpu_gen *g, tri_cpu_type operand, int64_t m, int64_t n, int64_t k)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const tri_cpu_dot_isa *isa = &rows[i].isa;
        bool suits = operand.kind == isa->operand && operand.bits == (isa->operand == TRI_CPU_INT ? 8 : 16);
        if ((isa->is_tile && k % (16 * isa->group)) || is_slow(g, isa))
            continue;
        if (suits && rows[i].is_arm == g->host.is_aarch64 && n % isa->width == 0 && m % isa->rows == 0 &&
            k % isa->group == 0 && (!rows[i].feature || tri_host_has(&g->host, rows[i].feature)))
            return isa;
    }
    return NULL;
}

static LLVMTypeRef packed_element(tri_cpu_gen *g, const tri_cpu_dot_isa *isa)
{
    return isa->operand == TRI_CPU_BF16 ? LLVMBFloatTypeInContext(g->llvm)
                                        : LLVMIntTypeInContext(g->llvm, isa->packed.bits);
}

LLVMValueRef tri_cpu_dot_emit(tri_cpu_gen *g, const tri_cpu_dot_isa *isa, LLVMValueRef left, LLVMValueRef right,
                              LLVMValueRef acc)
{
    LLVMTypeRef operand = LLVMVectorType(packed_element(g, isa), (unsigned)(isa->width * isa->group));
    bool is_one = LLVMGetTypeKind(LLVMTypeOf(left)) == LLVMIntegerTypeKind;
    LLVMValueRef a = LLVMBuildBitCast(g->b, is_one ? tri_cpu_splat(g, left, isa->width) : left, operand, "");
    LLVMValueRef b = LLVMBuildBitCast(g->b, right, operand, "");
    LLVMTypeRef overloads[2] = {LLVMTypeOf(acc), operand};
    unsigned id = LLVMLookupIntrinsicID(isa->intrinsic, strlen(isa->intrinsic));
    int overload_count = LLVMIntrinsicIsOverloaded(id) ? 2 : 0;
    if (isa->adds) {
        LLVMValueRef args[3] = {acc, isa->is_offset ? b : a, isa->is_offset ? a : b}; /* the unsigned ones first */
        return tri_cpu_intrinsic(g, isa->intrinsic, overloads, overload_count, args, 3);
    }
    LLVMValueRef args[2] = {a, b};
    return LLVMBuildAdd(g->b, tri_cpu_intrinsic(g, isa->intrinsic, overloads, overload_count, args, 2), acc, "");
}
