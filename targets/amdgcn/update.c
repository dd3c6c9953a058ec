/* Atomic updates: by buffer instructions, as buffer.c has accesses, where a base is known, and by LLVM's else, with a
 * promise without which the back end makes loops of compare and exchange. */
#include "targets/amdgcn/amdgcn.h"

#include "ir/machines.h"
#include "targets/gpu/access.h"

#include <string.h>

/* Arrays of kernels are neither memory that host and device share by the byte nor memory of another device, which are
 * what floating-point instructions do not work on; and sums may flush subnormal numbers, as the instructions do. */
void tri_amdgcn_mark_update(tri_gpu *g, LLVMValueRef rmw)
{
    static const char *const names[] = {"amdgpu.no.fine.grained.memory", "amdgpu.no.remote.memory",
                                        "amdgpu.ignore.denormal.mode"};
    LLVMValueRef none = LLVMMetadataAsValue(g->llvm, LLVMMDNodeInContext2(g->llvm, NULL, 0));
    if (!LLVMIsAAtomicRMWInst(rmw) || LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(rmw, 0))) == 3)
        return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        LLVMSetMetadata(rmw, LLVMGetMDKindIDInContext(g->llvm, names[i], (unsigned)strlen(names[i])), none);
}

/* The type that the instruction works on; null: there is none for it. */
static LLVMTypeRef whole_type(tri_gpu *g, const tri_machine_update *u)
{
    const tri_machine_facts *facts = g->unit->arch;
    LLVMTypeRef type = LLVMTypeOf(u->value[0]);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned bits = tri_gpu_bits(g, type);
    if (u->kind == TRI_RMW_FADD && !u->is_cas) {
        bool has_half = kind == LLVMHalfTypeKind && facts->f16_add_bits,
             has_bf16 = kind == LLVMBFloatTypeKind && facts->bf16_add_bits && facts->has_buffer_bf16_add;
        if (u->vec == 2 && (has_half || has_bf16))
            return LLVMVectorType(type, 2);
        return u->vec == 1 && kind == LLVMFloatTypeKind ? type : NULL;
    }
    return u->vec == 1 && (bits == 32 || bits == 64) ? LLVMIntTypeInContext(g->llvm, bits) : NULL;
}

static void order(tri_gpu *g, const tri_machine_update *u, bool is_before)
{
    const char *scope = g->machine->scopes[u->scope];
    bool releases = u->sem == TRI_SEM_RELEASE || u->sem == TRI_SEM_ACQ_REL,
         acquires = u->sem == TRI_SEM_ACQUIRE || u->sem == TRI_SEM_ACQ_REL;
    if (is_before ? releases : acquires)
        LLVMBuildFenceSyncScope(g->b, is_before ? LLVMAtomicOrderingRelease : LLVMAtomicOrderingAcquire,
                                LLVMGetSyncScopeID(g->llvm, scope, strlen(scope)), "");
}

static LLVMValueRef to_type(tri_gpu *g, LLVMValueRef *elements, int count, LLVMTypeRef type)
{
    if (count == 1)
        return LLVMBuildBitCast(g->b, elements[0], type, "");
    LLVMValueRef vector = LLVMGetPoison(type);
    for (int e = 0; e < count; e++)
        vector = LLVMBuildInsertElement(g->b, vector, elements[e], tri_gpu_i32(g, e), "");
    return vector;
}

bool tri_amdgcn_update(tri_gpu *g, const tri_machine_update *u, LLVMValueRef *out_old)
{
    static const char prefix[] = "llvm.amdgcn.raw.ptr.buffer.atomic.";
    static const char *const names[] = {"", "and", "or", "xor", "add", "fadd", "smax", "smin", "umax", "umin", "swap"};
    LLVMTypeRef type = u->base && u->scope != TRI_SCOPE_SYS ? whole_type(g, u) : NULL;
    if (!type)
        return false;
    LLVMValueRef args[6];
    int n = 0;
    args[n++] = to_type(g, u->value, u->vec, type);
    if (u->is_cas)
        args[n++] = to_type(g, u->compare, 1, type);
    tri_machine_access access = {.base = u->base, .pred = u->pred};
    tri_amdgcn_address(g, &access, tri_gpu_access_offset(g, u->base, u->pointer), args + n);
    n += 2;
    args[n++] = tri_gpu_i32(g, 0);
    args[n++] = tri_gpu_i32(g, 0);
    const char *name = tri_str_format(g->arena, "%s%s", prefix, u->is_cas ? "cmpswap" : names[u->kind]).data;
    order(g, u, true);
    LLVMValueRef old = tri_gpu_intrinsic(g, name, &type, 1, args, n);
    order(g, u, false);
    for (int e = 0; e < u->vec; e++)
        out_old[e] = u->vec == 1 ? LLVMBuildBitCast(g->b, old, LLVMTypeOf(u->value[0]), "")
                                 : LLVMBuildExtractElement(g->b, old, tri_gpu_i32(g, e), "");
    return true;
}
