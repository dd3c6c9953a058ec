/* tt.load and tt.store. Lanes that are masked off read and write nothing. */
#include "ir/hints.h"
#include "ir/type.h"
#include "targets/gpu/access.h"

enum { max_vec = 32 };

static void remark_width(tri_gpu *g, MlirOperation op, const tri_gpu_groups *groups, const tri_gpu_packing *packing)
{
    tri_diag *diag = g->unit->diag;
    int element = packing->element_bits / 8, bytes = packing->words * packing->per_word * element;
    if (!groups->layout)
        return;
    tri_diag_remark(diag, tri_op_span(diag, op), "memory", "%d access%s of %d byte%s per thread", groups->count,
                    groups->count == 1 ? "" : "es", bytes, bytes == 1 ? "" : "s");
    if (groups->limit != TRI_LIMIT_NONE)
        tri_diag_missed(diag, tri_op_span(diag, op), "memory", "accesses of %d byte%s, not %d: %s", bytes,
                        bytes == 1 ? "" : "s", g->plan.max_vector_bits / 8, tri_gpu_limit_text(g, groups, bytes));
}

static LLVMValueRef const_pred(LLVMValueRef pred, bool *out_value)
{
    *out_value = false;
    if (!pred || !LLVMIsAConstantInt(pred))
        return pred;
    *out_value = LLVMConstIntGetZExtValue(pred) != 0;
    return NULL;
}

static tri_machine_access access_of(MlirOperation op, LLVMValueRef base, LLVMValueRef pointer, LLVMValueRef pred)
{
    int hint = (int)tri_op_int(op, TRI_HINT_L1, 0);
    return (tri_machine_access){.pointer = pointer,
                                .base = base,
                                .pred = pred,
                                .cache = (int)tri_op_int(op, "cache", 0),
                                .evict = hint ? hint + TRI_MACHINE_EVICT_LAST : (int)tri_op_int(op, "evict", 0)};
}

/* That of a tensor's accesses. A scalar's have none, unless they say something of caches: a load may be one of the
 * scalar unit, and one thread's store lies in a branch, where the others need no offset that is out of range. */
static LLVMValueRef accessed_base(tri_gpu *g, MlirOperation op, const tri_gpu_layout *layout)
{
    enum { cache_none = 1 };
    bool has_base = layout || tri_op_int(op, "cache", cache_none) > cache_none;
    return has_base ? tri_gpu_access_base(g, mlirOperationGetOperand(op, 0)) : NULL;
}

/* What stands in elements that are masked off and free; on the simulator bits that do not go unseen. */
static LLVMValueRef free_word(tri_gpu *g, LLVMTypeRef type)
{
    if (!g->simulate)
        return LLVMGetUndef(type);
    LLVMTypeRef bits = LLVMIntTypeInContext(g->llvm, tri_gpu_bits(g, type));
    return LLVMConstBitCast(LLVMConstAllOnes(bits), type);
}

static void load_group(tri_gpu *g, MlirOperation op, const tri_gpu_packing *p, LLVMValueRef base, LLVMValueRef pointer,
                       LLVMValueRef pred, LLVMValueRef *other, LLVMValueRef *out)
{
    bool is_volatile = tri_op_flag(op, "isVolatile"), is_true = true;
    LLVMValueRef words[max_vec], other_words[max_vec];
    if (pred && LLVMIsAConstantInt(pred))
        pred = const_pred(pred, &is_true);
    if (!is_true) {
        memcpy(out, other, sizeof *out * (size_t)(p->words * p->per_word));
        return;
    }
    if (pred)
        tri_gpu_pack(g, p, other, other_words);
    tri_machine_access access = access_of(op, base, pointer, pred);
    access.is_volatile = is_volatile;
    tri_gpu_load_words(g, p, &access, other_words, words);
    tri_gpu_unpack(g, p, words, out);
}

static bool run_load(tri_gpu *g, MlirOperation op)
{
    MlirValue pointer = tri_op_segment_value(op, 0), mask = tri_op_segment_value(op, 1);
    MlirValue other = tri_op_segment_value(op, 2), result = mlirOperationGetResult(op, 0);
    LLVMTypeRef type = tri_gpu_type(g, tri_type_element(mlirValueGetType(result)));
    tri_gpu_packing one = tri_gpu_plan_packing(g, type, 1);
    tri_gpu_groups groups;
    if (!tri_gpu_group_pointers(g, op, pointer, mask, one.element_bits, g->plan.max_vector_bits, &groups))
        return false;
    tri_gpu_packing packing = tri_gpu_plan_packing(g, type, groups.vec);
    remark_width(g, op, &groups, &packing);
    tri_gpu_value pointers = tri_gpu_get(g, pointer), masks = {0}, others = {0};
    if (!mlirValueIsNull(mask))
        masks = tri_gpu_get(g, mask);
    if (!mlirValueIsNull(other))
        others = tri_gpu_get(g, other);
    tri_gpu_value out = tri_gpu_new(g, pointers.count);
    LLVMValueRef base = accessed_base(g, op, groups.layout);
    bool is_free = tri_op_flag(op, TRI_HINT_FREE_OTHER);
    for (int a = 0; a < groups.count; a++) {
        const int *reg = groups.reg + a * groups.vec;
        LLVMValueRef values[max_vec], if_masked[max_vec];
        TRI_ASSERT(groups.vec <= max_vec);
        for (int e = 0; e < groups.vec; e++)
            if_masked[e] = is_free ? free_word(g, type)
                           : others.count ? others.at[reg[e]] : LLVMConstNull(type);
        load_group(g, op, &packing, base, pointers.at[reg[0]], masks.count ? masks.at[reg[0]] : NULL, if_masked,
                   values);
        for (int e = 0; e < groups.vec; e++)
            out.at[reg[e]] = values[e];
    }
    tri_gpu_fill_copies(g, &groups, &out);
    tri_gpu_set(g, result, out);
    return true;
}

static void store_group(tri_gpu *g, MlirOperation op, const tri_gpu_packing *p, LLVMValueRef base, LLVMValueRef pointer,
                        LLVMValueRef pred, LLVMValueRef *values)
{
    bool is_true = true;
    LLVMValueRef words[max_vec];
    if (pred && LLVMIsAConstantInt(pred))
        pred = const_pred(pred, &is_true);
    if (!is_true)
        return;
    tri_gpu_pack(g, p, values, words);
    tri_machine_access access = access_of(op, base, pointer, pred);
    tri_gpu_store_words(g, p, &access, words);
}

static bool run_store(tri_gpu *g, MlirOperation op)
{
    MlirValue pointer = mlirOperationGetOperand(op, 0), mask = {0};
    if (mlirOperationGetNumOperands(op) > 2)
        mask = mlirOperationGetOperand(op, 2);
    tri_gpu_value pointers = tri_gpu_get(g, pointer), values = tri_gpu_operand(g, op, 1), masks = {0};
    if (!mlirValueIsNull(mask))
        masks = tri_gpu_get(g, mask);
    LLVMTypeRef type = LLVMTypeOf(values.at[0]);
    tri_gpu_packing one = tri_gpu_plan_packing(g, type, 1);
    tri_gpu_groups groups;
    if (!tri_gpu_group_pointers(g, op, pointer, mask, one.element_bits, g->plan.max_vector_bits, &groups))
        return false;
    tri_gpu_packing packing = tri_gpu_plan_packing(g, type, groups.vec);
    remark_width(g, op, &groups, &packing);
    LLVMValueRef base = accessed_base(g, op, groups.layout);
    LLVMValueRef owner = tri_gpu_writer(g, groups.layout);
    for (int a = 0; a < groups.count; a++) {
        const int *reg = groups.reg + a * groups.vec;
        LLVMValueRef elements[max_vec];
        TRI_ASSERT(groups.vec <= max_vec);
        for (int e = 0; e < groups.vec; e++)
            elements[e] = values.at[reg[e]];
        LLVMValueRef pred = tri_gpu_and(g, owner, masks.count ? masks.at[reg[0]] : NULL);
        store_group(g, op, &packing, base, pointers.at[reg[0]], pred, elements);
    }
    return true;
}

const tri_gpu_op tri_gpu_ops_memory[] = {
    {"tt.load", run_load, NULL},
    {"tt.store", run_store, NULL},
    {0},
};
