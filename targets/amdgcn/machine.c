/* The table of primitives of AMD GPUs, and their kernel attributes. */
#include "targets/amdgcn/amdgcn.h"
#include "ir/llvm.h"
#include "targets/gpu/gpu.h"

#include "llvm-c/Core.h"

#include <string.h>

static LLVMValueRef intrinsic(tri_gpu *g, const char *name, LLVMTypeRef overload, LLVMValueRef *args, unsigned n)
{
    LLVMValueRef f =
        LLVMGetIntrinsicDeclaration(g->module, LLVMLookupIntrinsicID(name, strlen(name)), &overload, overload ? 1 : 0);
    return LLVMBuildCall2(g->b, LLVMGlobalGetValueType(f), f, args, n, "");
}

/* ---- ids ---- */

/* Counts of blocks begin the implicit arguments. */
static LLVMValueRef num_programs(tri_gpu *g, int dim)
{
    static const char name[] = "invariant.load";
    LLVMValueRef base = intrinsic(g, "llvm.amdgcn.implicitarg.ptr", NULL, NULL, 0);
    LLVMValueRef count = LLVMBuildLoad2(g->b, g->i32, tri_gpu_offset_const(g, base, 4 * dim), "");
    LLVMSetAlignment(count, 4);
    LLVMSetMetadata(count, LLVMGetMDKindIDInContext(g->llvm, name, sizeof name - 1),
                    LLVMMetadataAsValue(g->llvm, LLVMMDNodeInContext2(g->llvm, NULL, 0)));
    return count;
}
static LLVMValueRef num_programs_x(tri_gpu *g, LLVMValueRef *args) { return (void)args, num_programs(g, 0); }
static LLVMValueRef num_programs_y(tri_gpu *g, LLVMValueRef *args) { return (void)args, num_programs(g, 1); }
static LLVMValueRef num_programs_z(tri_gpu *g, LLVMValueRef *args) { return (void)args, num_programs(g, 2); }

/* ---- synchronisation ---- */

void tri_amdgcn_fence(tri_gpu *g, const char *scope, LLVMAtomicOrdering ordering, bool is_local)
{
    LLVMValueRef f = LLVMBuildFenceSyncScope(g->b, ordering, LLVMGetSyncScopeID(g->llvm, scope, strlen(scope)), "");
    if (!is_local)
        return;
    static const char space[] = "amdgpu-synchronize-as", local[] = "local";
    LLVMMetadataRef pair[] = {LLVMMDStringInContext2(g->llvm, space, sizeof space - 1),
                              LLVMMDStringInContext2(g->llvm, local, sizeof local - 1)};
    LLVMSetMetadata(f, LLVMGetMDKindIDInContext(g->llvm, "mmra", 4),
                    LLVMMetadataAsValue(g->llvm, LLVMMDNodeInContext2(g->llvm, pair, 2)));
}

/* Waits until at most so many accesses to global and to shared memory are under way, as CDNA counts them. */
enum { any_number = 63, any_shared = 15 };
static void wait_for_counter(tri_gpu *g, int vector, int shared)
{
    enum { low = 0xf, any_export = 7 << 4 };
    int count = (vector & low) | (vector & ~low) << 10 | any_export | shared << 8;
    LLVMValueRef arg = tri_gpu_i32(g, count);
    intrinsic(g, "llvm.amdgcn.s.waitcnt", NULL, &arg, 1);
}

static LLVMValueRef wait_for_copies(tri_gpu *g, LLVMValueRef *args)
{
    int64_t pending = (int64_t)LLVMConstIntGetZExtValue(args[0]);
    wait_for_counter(g, pending < any_number ? (int)pending : any_number, any_shared);
    return NULL;
}

/* The instruction alone orders nothing. Fences of shared memory only leave global stores in flight. */
static LLVMValueRef synchronize(tri_gpu *g, bool is_local)
{
    if (is_local && g->has_row_copies) /* for which the fence would wait */
        wait_for_counter(g, any_number, 0);
    else
        tri_amdgcn_fence(g, "workgroup", LLVMAtomicOrderingRelease, is_local);
    LLVMValueRef call = intrinsic(g, "llvm.amdgcn.s.barrier", NULL, NULL, 0);
    tri_amdgcn_fence(g, "workgroup", LLVMAtomicOrderingAcquire, is_local);
    return call;
}
static LLVMValueRef barrier(tri_gpu *g, LLVMValueRef *args) { return (void)args, synchronize(g, true); }
static LLVMValueRef barrier_global(tri_gpu *g, LLVMValueRef *args) { return (void)args, synchronize(g, false); }

/* Lanes run in lockstep, and a wave's accesses to shared memory are done in order: no instruction comes of it. */
static LLVMValueRef warp_barrier(tri_gpu *g, LLVMValueRef *args)
{
    (void)args;
    tri_amdgcn_fence(g, "wavefront", LLVMAtomicOrderingAcquireRelease, false);
    return intrinsic(g, "llvm.amdgcn.wave.barrier", NULL, NULL, 0);
}

/* Its counter runs at 100 MHz. */
static LLVMValueRef clock_ns(tri_gpu *g, LLVMValueRef *args)
{
    (void)args;
    return LLVMBuildMul(g->b, intrinsic(g, "llvm.readsteadycounter", NULL, NULL, 0), LLVMConstInt(g->i64, 10, false),
                        "");
}

/* 64 cycles: the operand is part of the instruction, and callers poll in a loop. */
static LLVMValueRef sleep_briefly(tri_gpu *g, LLVMValueRef *args)
{
    (void)args;
    LLVMValueRef cycles = tri_gpu_i32(g, 1);
    return intrinsic(g, "llvm.amdgcn.s.sleep", NULL, &cycles, 1);
}

/* ---- lanes ---- */

/* Data-parallel primitives: a pattern of lanes as part of the instruction that uses the value. */
static LLVMValueRef move_lanes(tri_gpu *g, LLVMValueRef value, uint32_t pattern)
{
    LLVMValueRef all = tri_gpu_i32(g, 15);
    LLVMValueRef args[] = {LLVMGetPoison(g->i32),        value, tri_gpu_i32(g, pattern), all, all,
                           LLVMConstInt(g->i1, 1, false)};
    return intrinsic(g, "llvm.amdgcn.update.dpp", g->i32, args, 6);
}

/* Addresses of lanes are in bytes. */
static LLVMValueRef from_lane(tri_gpu *g, LLVMValueRef value, LLVMValueRef lane)
{
    LLVMValueRef args[] = {LLVMBuildShl(g->b, lane, tri_gpu_i32(g, 2), ""), value};
    return intrinsic(g, "llvm.amdgcn.ds.bpermute", NULL, args, 2);
}

/* Lane ^ mask inside of a quad. */
static LLVMValueRef move_in_quads(tri_gpu *g, LLVMValueRef value, uint32_t mask)
{
    uint32_t pattern = 0;
    for (uint32_t lane = 0; lane < 4; lane++)
        pattern |= ((lane ^ mask) & 3) << 2 * lane;
    return mask ? move_lanes(g, value, pattern) : value;
}

static LLVMValueRef is_lane_set(tri_gpu *g, uint32_t bit)
{
    LLVMValueRef lane = LLVMBuildAnd(g->b, tri_gpu_lane(g), tri_gpu_i32(g, bit), "");
    return LLVMBuildICmp(g->b, LLVMIntNE, lane, tri_gpu_i32(g, 0), "");
}

/* Exchanges of halves of a wave, or of rows of 16, between two registers. The simulator has the other lanes' values by
 * shuffles. */
static bool swap_lanes(tri_gpu *g, uint32_t bit, LLVMValueRef pair[2])
{
    if (!(g->unit->arch->lane_swaps & (int)bit))
        return false;
    if (g->simulate) {
        LLVMValueRef is_set = is_lane_set(g, bit), sent = LLVMBuildSelect(g->b, is_set, pair[0], pair[1], "");
        LLVMValueRef got = tri_gpu_shuffle_xor(g, sent, bit);
        pair[0] = LLVMBuildSelect(g->b, is_set, got, pair[0], "");
        pair[1] = LLVMBuildSelect(g->b, is_set, pair[1], got, "");
        return true;
    }
    LLVMValueRef no = LLVMConstNull(g->i1), args[] = {pair[0], pair[1], no, no};
    const char *name = bit == 32 ? "llvm.amdgcn.permlane32.swap" : "llvm.amdgcn.permlane16.swap";
    LLVMValueRef both = intrinsic(g, name, NULL, args, 4);
    for (unsigned i = 0; i < 2; i++)
        pair[i] = LLVMBuildExtractValue(g->b, both, i, "");
    return true;
}

/* The cheapest way for the mask: inside of a row of 16 it is part of the next instruction, by one pattern where waves
 * have 32 lanes, else by one that exchanges quads (mirrors are xor 15 and xor 7) and one inside of them; inside of 32
 * lanes a pattern without addresses. */
static LLVMValueRef shuffle_xor(tri_gpu *g, LLVMValueRef *args)
{
    enum { row_xmask = 0x160, swizzle_and_mask = 0x1f };
    static const struct {
        uint32_t pattern, mask;
    } quads[] = {{0, 0}, {0x141, 7}, {0x128, 8}, {0x140, 15}};
    if (!LLVMIsAConstantInt(args[1]))
        return from_lane(g, args[0], LLVMBuildXor(g->b, tri_gpu_lane(g), args[1], ""));
    uint32_t mask = (uint32_t)LLVMConstIntGetZExtValue(args[1]);
    if (g->warp_size == 32 && mask < 16)
        return move_lanes(g, args[0], row_xmask + mask);
    if (mask < 16) {
        LLVMValueRef moved = mask < 4 ? args[0] : move_lanes(g, args[0], quads[mask / 4].pattern);
        return move_in_quads(g, moved, mask ^ quads[mask / 4].mask);
    }
    LLVMValueRef pair[] = {args[0], args[0]};
    if (swap_lanes(g, mask, pair))
        return LLVMBuildSelect(g->b, is_lane_set(g, mask), pair[0], pair[1], "");
    if (mask >= 32)
        return from_lane(g, args[0], LLVMBuildXor(g->b, tri_gpu_lane(g), args[1], ""));
    LLVMValueRef operands[] = {args[0], tri_gpu_i32(g, swizzle_and_mask | mask << 10)};
    return intrinsic(g, "llvm.amdgcn.ds.swizzle", NULL, operands, 2);
}

/* A lane that is known becomes a scalar register. */
static LLVMValueRef shuffle_index(tri_gpu *g, LLVMValueRef *args)
{
    return LLVMIsAConstantInt(args[1]) ? intrinsic(g, "llvm.amdgcn.readlane", g->i32, args, 2)
                                       : from_lane(g, args[0], args[1]);
}

/* As many last places as the language allows (2); exact to half of one it takes a third more instructions. */
static LLVMValueRef divide(tri_gpu *g, LLVMValueRef *args)
{
    static const char name[] = "fpmath";
    LLVMValueRef quotient = LLVMBuildFDiv(g->b, args[0], args[1], "");
    LLVMMetadataRef error = LLVMValueAsMetadata(LLVMConstReal(g->f32, 2.0));
    if (LLVMIsAInstruction(quotient))
        LLVMSetMetadata(quotient, LLVMGetMDKindIDInContext(g->llvm, name, sizeof name - 1),
                        LLVMMetadataAsValue(g->llvm, LLVMMDNodeInContext2(g->llvm, &error, 1)));
    return quotient;
}

#define ALWAYS TRI_MACHINE_ALWAYS
#define PURE TRI_MACHINE_PURE
#define CONVERGENT TRI_MACHINE_CONVERGENT
static const tri_machine_row rows[TRI_AMDGCN_END] = {
#define ROW(name, how, ...) [TRI_MACHINE_##name] = TRI_MACHINE_ROW_##how(__VA_ARGS__),
#define OWN(name, signature, how, ...) [TRI_AMDGCN_##name] = TRI_MACHINE_ROW_##how(__VA_ARGS__),
#include "targets/amdgcn/primitives.def"
};

static const tri_machine_primitive own[] = {
#define OWN(name, signature, ...) {#name, signature},
#include "targets/amdgcn/primitives.def"
};

static const tri_gpu_op *const ops[] = {tri_amdgcn_ops_matrix, tri_amdgcn_ops_hints, tri_amdgcn_ops_copies, NULL};

/* Signalling NaNs are taken as quiet ones, as minima and maxima would else need an instruction more for each operand.
 * From RDNA 4 on there is no such mode. */
static void set_mode(tri_gpu *g, LLVMValueRef function)
{
    const tri_machine_facts *facts = g->unit->arch;
    if (facts->mma == TRI_MMA_MFMA || facts->mma_version == 1)
        tri_llvm_set_attribute(function, "amdgpu-ieee", "false");
}

/* What the kernel asks for by itself, or the options do. The number that LLVM takes is doubled where AGPRs are counted,
 * too. */
static void set_registers(tri_gpu *g, LLVMValueRef function)
{
    size_t len;
    const char *name = LLVMGetValueName2(function, &len);
    int most = tri_gpu_maxnreg(g, (tri_str){name, len}), waves = tri_gpu_waves_per_eu(g, (tri_str){name, len});
    if (g->unit->arch->mma == TRI_MMA_MFMA)
        most /= 2;
    if (most > 0)
        tri_llvm_set_attribute(function, "amdgpu-num-vgpr", tri_str_format(g->arena, "%d", most).data);
    if (waves > 0)
        tri_llvm_set_attribute(function, "amdgpu-waves-per-eu", tri_str_format(g->arena, "%d,%d", waves, waves).data);
}

/* The size of blocks bounds the registers. Version 5 of code objects is what released drivers read. */
static void set_block_size(tri_gpu *g, LLVMValueRef function)
{
    static const char version[] = "amdhsa_code_object_version";
    int threads = g->num_warps * g->warp_size;
    set_mode(g, function);
    set_registers(g, function);
    tri_llvm_set_attribute(function, "amdgpu-flat-work-group-size",
                           tri_str_format(g->arena, "%d,%d", threads, threads).data);
    tri_llvm_set_attribute(function, "uniform-work-group-size", "true");
    if (!LLVMGetModuleFlag(g->module, version, sizeof version - 1))
        LLVMAddModuleFlag(g->module, LLVMModuleFlagBehaviorError, version, sizeof version - 1,
                          LLVMValueAsMetadata(tri_gpu_i32(g, 500)));
}

const tri_machine tri_amdgcn_machine = {
    .rows = rows,
    .own = own,
    .num_own = sizeof own / sizeof *own,
    .ops = ops,
    .kernel_convention = 91, /* amdgpu_kernel */
    .function_convention = 0,
    .triple = "amdgcn-amd-amdhsa",
    .data_layout =
        "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-"
        "p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-"
        "n32:64-S32-A5-G1-ni:7:8:9",
    .scopes = {"", "agent", "workgroup", ""},
    .library_prefix = "__nv_",
    .link = tri_amdgcn_link,
    .packed_bits = 16,
    .lane_row = 16,
    .product_cost = 48,
    .carries_offsets = true,
    .converts_late = true,
    .orders_updates = true,
    .shared_is_dynamic = false,
    .kernel_attributes = set_block_size,
    .load_at = tri_amdgcn_load_at,
    .store_at = tri_amdgcn_store_at,
    .update = tri_amdgcn_update,
    .mark_update = tri_amdgcn_mark_update,
    .swap_lanes = swap_lanes,
    .assemble = tri_amdgcn_assemble_source,
};
