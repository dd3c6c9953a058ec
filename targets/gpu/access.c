#include "targets/gpu/access.h"

#include "ir/analysis/axis_info.h"
#include "ir/analysis/pointers.h"
#include "ir/op.h"
#include "ir/op_classes.h"
#include "ir/type.h"
#include "targets/gpu/simulate.h"

#include "mlir-c/BuiltinAttributes.h"

enum { max_words = 16 };

/* ---- groups ---- */

/* The layout with dimension `dim` as the fastest one, flattened: what consecutive means. */
static tri_linear flatten_along(const tri_linear *l, int rank, int dim)
{
    tri_dim outs[TRI_MAX_RANK];
    int n = 0;
    outs[n++] = (tri_dim)(TRI_DIM_0 + dim);
    for (int d = rank; d-- > 0;)
        if (d != dim)
            outs[n++] = (tri_dim)(TRI_DIM_0 + d);
    tri_linear ordered = tri_linear_transpose_outs(l, outs);
    return tri_linear_flatten_outs(&ordered, TRI_DIM_OFFSET);
}

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

/* Which of the things that must be so for twice the width is not. */
static int limit_of(tri_gpu *g, MlirValue pointer, MlirValue mask, int dim, int vec, int bits, int max_bits)
{
    if (vec * bits >= max_bits)
        return TRI_LIMIT_NONE;
    const tri_axis *axis = tri_axis_info_get(g->axis, pointer);
    if (axis && axis->contiguity[dim] < 2 * vec)
        return TRI_LIMIT_ADDRESS;
    if (tri_axis_info_alignment(g->axis, pointer, dim) < 2 * vec)
        return TRI_LIMIT_ALIGNMENT;
    bool is_masked = !mlirValueIsNull(mask) && tri_axis_info_mask_alignment(g->axis, mask, dim) < 2 * vec;
    return is_masked ? TRI_LIMIT_MASK : TRI_LIMIT_LAYOUT;
}

bool tri_gpu_group_pointers(tri_gpu *g, MlirOperation op, MlirValue pointer, MlirValue mask, int bits, int max_bits,
                            tri_gpu_groups *out)
{
    MlirType type = mlirValueGetType(pointer);
    *out = (tri_gpu_groups){.vec = 1, .count = 1};
    out->reg = TRI_NEW(g->arena, int);
    int rank = tri_type_is_tensor(type) ? tri_type_rank(type) : 0;
    if (!tri_type_is_tensor(type))
        return true;
    tri_gpu_layout *layout = tri_gpu_layout_of(g, op, type);
    if (!layout)
        return false;
    out->layout = layout;
    tri_plan_access best = {0};
    int best_dim = 0; /* of those with the same width the one that memory runs along */
    const tri_axis *axis = tri_axis_info_get(g->axis, pointer);
    for (int d = rank; d-- > 0;) {
        int64_t run = tri_axis_info_alignment(g->axis, pointer, d);
        if (!mlirValueIsNull(mask))
            run = min64(run, tri_axis_info_mask_alignment(g->axis, mask, d));
        tri_linear flat = flatten_along(&layout->linear, rank, d);
        int64_t limit = min64(run, (int64_t)1 << tri_linear_out_bits(&layout->linear, (tri_dim)(TRI_DIM_0 + d)));
        tri_plan_access plan = tri_plan_access_plain(&flat, bits, max_bits, (int)(limit < 1 ? 1 : limit));
        if (!best.vec || plan.vec > best.vec ||
            (plan.vec == best.vec && axis && axis->contiguity[d] > axis->contiguity[best_dim]))
            best_dim = d;
        if (!best.vec || plan.vec > best.vec)
            best = plan;
    }
    if (rank == 0)
        return true;
    out->vec = best.vec;
    out->limit = limit_of(g, pointer, mask, best_dim, best.vec, bits, max_bits);
    out->reg = TRI_NEW_ARRAY(g->arena, int, layout->registers);
    out->count = 0;
    for (int a = 0; a < best.count; a++) {
        if (tri_plan_access_register(&best, a, 0) & layout->replicas.reg)
            continue;
        for (int e = 0; e < best.vec; e++)
            out->reg[out->count * best.vec + e] = (int)tri_plan_access_register(&best, a, e);
        out->count++;
    }
    return true;
}

void tri_gpu_fill_copies(tri_gpu *g, const tri_gpu_groups *groups, tri_gpu_value *values)
{
    (void)g;
    if (!groups->layout)
        return;
    for (int r = 0; r < values->count; r++)
        if ((uint64_t)r & groups->layout->replicas.reg)
            values->at[r] = values->at[(uint64_t)r & ~groups->layout->replicas.reg];
}

/* ---- packing ---- */

tri_gpu_packing tri_gpu_plan_packing(tri_gpu *g, LLVMTypeRef element, int count)
{
    tri_gpu_packing p = {.element = element, .per_word = 1, .words = count};
    p.element_bits = LLVMGetTypeKind(element) == LLVMPointerTypeKind ? 64 : (int)tri_gpu_bits(g, element);
    if (p.element_bits < 8)
        p.element_bits = 8;
    while (p.per_word < count && p.per_word * p.element_bits < 32)
        p.per_word *= 2;
    p.words = count / p.per_word;
    p.word = LLVMIntTypeInContext(g->llvm, (unsigned)(p.element_bits * p.per_word));
    return p;
}

/* One element as an integer of its size in memory. */
static LLVMValueRef to_memory(tri_gpu *g, const tri_gpu_packing *p, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMIntTypeInContext(g->llvm, (unsigned)p->element_bits);
    if (LLVMGetTypeKind(p->element) == LLVMPointerTypeKind)
        return LLVMBuildPtrToInt(g->b, value, type, "");
    LLVMValueRef bits = tri_gpu_to_int(g, value);
    return LLVMTypeOf(bits) == type ? bits : LLVMBuildZExt(g->b, bits, type, "");
}

static LLVMValueRef from_memory(tri_gpu *g, const tri_gpu_packing *p, LLVMValueRef bits)
{
    if (p->element == g->i1)
        return LLVMBuildICmp(g->b, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
    if (LLVMGetTypeKind(p->element) == LLVMIntegerTypeKind && (int)tri_gpu_bits(g, p->element) < p->element_bits)
        return LLVMBuildTrunc(g->b, bits, p->element, "");
    return tri_gpu_from_int(g, bits, p->element);
}

/* Floats and integers of 32 bits and more stay as they are: a vector of f32 needs no casts. */
static bool is_native(const tri_gpu_packing *p)
{
    LLVMTypeKind kind = LLVMGetTypeKind(p->element);
    return p->per_word == 1 && (kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind);
}

/* The word that the elements were taken from, all of them and in order; null when there is none. Operands of
 * matrix instructions come and go as words, so that most of the packing is not even built. */
static LLVMValueRef unpacked_from(const tri_gpu_packing *p, LLVMValueRef *elements)
{
    LLVMValueRef vector = NULL;
    for (int i = 0; i < p->per_word; i++) {
        if (!LLVMIsAExtractElementInst(elements[i]))
            return NULL;
        LLVMValueRef from = LLVMGetOperand(elements[i], 0), index = LLVMGetOperand(elements[i], 1);
        if (!LLVMIsAConstantInt(index) || LLVMConstIntGetZExtValue(index) != (unsigned)i || (vector && from != vector))
            return NULL;
        vector = from;
    }
    LLVMValueRef word = vector && LLVMIsABitCastInst(vector) ? LLVMGetOperand(vector, 0) : NULL;
    return word && LLVMTypeOf(word) == p->word ? word : NULL;
}

/* Bytes of four words that all have the same place there, as when four words are turned into four others: by way of
 * pairs, which two of those share. Null: they are something else. */
static LLVMValueRef turned_from(tri_gpu *g, const tri_gpu_packing *p, LLVMValueRef *elements)
{
    enum { bytes = 4, pair = 2 };
    LLVMValueRef from[bytes], halves[pair];
    uint64_t place = 0;
    for (int i = 0; i < bytes; i++) {
        LLVMValueRef index = LLVMIsAExtractElementInst(elements[i]) ? LLVMGetOperand(elements[i], 1) : NULL;
        if (!index || !LLVMIsAConstantInt(index) || (i && LLVMConstIntGetZExtValue(index) != place))
            return NULL;
        place = LLVMConstIntGetZExtValue(index);
        from[i] = LLVMGetOperand(elements[i], 0);
        if (LLVMGetVectorSize(LLVMTypeOf(from[i])) != bytes || (i && from[i] == from[i - 1]))
            return NULL;
    }
    int half = place >= pair ? pair : 0, within = place % pair ? pair : 0;
    LLVMValueRef neighbours[] = {tri_gpu_i32(g, half), tri_gpu_i32(g, bytes + half), tri_gpu_i32(g, half + 1),
                                 tri_gpu_i32(g, bytes + half + 1)};
    LLVMValueRef both[] = {tri_gpu_i32(g, within), tri_gpu_i32(g, within + 1), tri_gpu_i32(g, bytes + within),
                           tri_gpu_i32(g, bytes + within + 1)};
    for (int i = 0; i < pair; i++)
        halves[i] =
            LLVMBuildShuffleVector(g->b, from[pair * i], from[pair * i + 1], LLVMConstVector(neighbours, bytes), "");
    LLVMValueRef vector = LLVMBuildShuffleVector(g->b, halves[0], halves[1], LLVMConstVector(both, bytes), "");
    return LLVMBuildBitCast(g->b, vector, p->word, "");
}

void tri_gpu_pack(tri_gpu *g, const tri_gpu_packing *p, LLVMValueRef *elements, LLVMValueRef *out_words)
{
    if (p->per_word == 1) {
        for (int i = 0; i < p->words; i++)
            out_words[i] = to_memory(g, p, elements[i]);
        return;
    }
    bool keeps_type =
        LLVMGetTypeKind(p->element) != LLVMPointerTypeKind && (int)tri_gpu_bits(g, p->element) == p->element_bits;
    LLVMTypeRef lane = keeps_type ? p->element : LLVMIntTypeInContext(g->llvm, (unsigned)p->element_bits);
    for (int w = 0; w < p->words; w++) {
        out_words[w] = unpacked_from(p, elements + w * p->per_word);
        if (!out_words[w] && keeps_type && p->per_word == 4 && p->element_bits == 8)
            out_words[w] = turned_from(g, p, elements + w * p->per_word);
        if (out_words[w])
            continue;
        LLVMValueRef vector = LLVMGetPoison(LLVMVectorType(lane, (unsigned)p->per_word));
        for (int i = 0; i < p->per_word; i++) {
            LLVMValueRef element = elements[w * p->per_word + i];
            vector = LLVMBuildInsertElement(g->b, vector, keeps_type ? element : to_memory(g, p, element),
                                            tri_gpu_i32(g, i), "");
        }
        out_words[w] = LLVMBuildBitCast(g->b, vector, p->word, "");
    }
}

void tri_gpu_unpack(tri_gpu *g, const tri_gpu_packing *p, LLVMValueRef *words, LLVMValueRef *out_elements)
{
    if (p->per_word == 1) {
        for (int i = 0; i < p->words; i++)
            out_elements[i] = from_memory(g, p, words[i]);
        return;
    }
    bool keeps_type =
        LLVMGetTypeKind(p->element) != LLVMPointerTypeKind && (int)tri_gpu_bits(g, p->element) == p->element_bits;
    LLVMTypeRef lane = keeps_type ? p->element : LLVMIntTypeInContext(g->llvm, (unsigned)p->element_bits);
    for (int w = 0; w < p->words; w++) {
        LLVMValueRef vector = LLVMBuildBitCast(g->b, words[w], LLVMVectorType(lane, (unsigned)p->per_word), "");
        for (int i = 0; i < p->per_word; i++) {
            LLVMValueRef element = LLVMBuildExtractElement(g->b, vector, tri_gpu_i32(g, i), "");
            out_elements[w * p->per_word + i] = keeps_type ? element : from_memory(g, p, element);
        }
    }
}

/* ---- accesses ---- */

static unsigned bytes_of(const tri_gpu_packing *p) { return (unsigned)(p->element_bits * p->per_word * p->words / 8); }

static LLVMTypeRef access_type(tri_gpu *g, const tri_gpu_packing *p)
{
    LLVMTypeRef word = is_native(p) ? p->element : p->word;
    (void)g;
    return p->words == 1 ? word : LLVMVectorType(word, (unsigned)p->words);
}

/* One scope of LLVM's for row copies and one for what else accesses shared memory. */
static void set_scope(tri_gpu *g, LLVMValueRef instruction, const char *kind, const char *name)
{
    LLVMMetadataRef domain = LLVMMDStringInContext2(g->llvm, "shared", strlen("shared"));
    LLVMMetadataRef of[] = {LLVMMDStringInContext2(g->llvm, name, strlen(name)),
                            LLVMMDNodeInContext2(g->llvm, &domain, 1)};
    LLVMMetadataRef scope = LLVMMDNodeInContext2(g->llvm, of, 2);
    LLVMSetMetadata(instruction, LLVMGetMDKindIDInContext(g->llvm, kind, (unsigned)strlen(kind)),
                    LLVMMetadataAsValue(g->llvm, LLVMMDNodeInContext2(g->llvm, &scope, 1)));
}

void tri_gpu_mark_row_copy(tri_gpu *g, LLVMValueRef instruction) { set_scope(g, instruction, "alias.scope", "copies"); }

static bool is_in_shared_memory(LLVMValueRef pointer) { return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == 3; }

static void mark_access(tri_gpu *g, LLVMValueRef instruction, LLVMValueRef pointer)
{
    if (!g->has_row_copies || !is_in_shared_memory(pointer))
        return;
    set_scope(g, instruction, "alias.scope", "accesses");
    set_scope(g, instruction, "noalias", "copies");
}

static LLVMValueRef build_load(tri_gpu *g, const tri_gpu_packing *p, const tri_machine_access *access, LLVMTypeRef type)
{
    LLVMValueRef load = LLVMBuildLoad2(g->b, type, access->pointer, "");
    LLVMSetAlignment(load, bytes_of(p));
    LLVMSetVolatile(load, access->is_volatile);
    mark_access(g, load, access->pointer);
    if (access->sem) {
        const char *scope = g->machine->scopes[access->scope];
        LLVMSetOrdering(load, access->sem == TRI_SEM_ACQUIRE ? LLVMAtomicOrderingAcquire : LLVMAtomicOrderingMonotonic);
        LLVMSetAtomicSyncScopeID(load, LLVMGetSyncScopeID(g->llvm, scope, strlen(scope)));
    }
    return load;
}

static void plain_load(tri_gpu *g, const tri_gpu_packing *p, const tri_machine_access *access, LLVMValueRef *out_words)
{
    LLVMTypeRef type = access_type(g, p);
    LLVMValueRef load = g->machine->load_cached ? g->machine->load_cached(g, access, type) : NULL;
    if (!load)
        load = build_load(g, p, access, type);
    for (int i = 0; i < p->words; i++) {
        LLVMValueRef word = p->words == 1 ? load : LLVMBuildExtractElement(g->b, load, tri_gpu_i32(g, i), "");
        out_words[i] = tri_gpu_to_int(g, word);
    }
}

static void plain_store(tri_gpu *g, const tri_gpu_packing *p, const tri_machine_access *access, LLVMValueRef *words)
{
    LLVMTypeRef type = access_type(g, p);
    LLVMTypeRef word = is_native(p) ? p->element : p->word;
    LLVMValueRef value = p->words == 1 ? tri_gpu_from_int(g, words[0], word) : LLVMGetPoison(type);
    for (int i = 0; p->words > 1 && i < p->words; i++)
        value = LLVMBuildInsertElement(g->b, value, tri_gpu_from_int(g, words[i], word), tri_gpu_i32(g, i), "");
    if (g->machine->store_cached && g->machine->store_cached(g, access, value))
        return;
    LLVMValueRef store = LLVMBuildStore(g->b, value, access->pointer);
    LLVMSetAlignment(store, bytes_of(p));
    LLVMSetVolatile(store, access->is_volatile);
    mark_access(g, store, access->pointer);
}

/* A conditional plain load for machines without predicates. */
static void load_in_branch(tri_gpu *g, const tri_gpu_packing *p, const tri_machine_access *access, LLVMValueRef *other,
                           LLVMValueRef *out_words)
{
    tri_gpu_if state = tri_gpu_begin_if(g, access->pred);
    LLVMValueRef loaded[max_words];
    plain_load(g, p, access, loaded);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(g->b);
    tri_gpu_end_if(g, state);
    for (int i = 0; i < p->words; i++) {
        out_words[i] = LLVMBuildPhi(g->b, p->word, "");
        LLVMAddIncoming(out_words[i], &loaded[i], &from, 1);
        LLVMAddIncoming(out_words[i], &other[i], &state.before, 1);
    }
}

/* Whether an access says more than a plain instruction can. */
static bool is_special(const tri_machine_access *a)
{
    enum { cache_none = 1, evict_normal = 1 };
    return a->pred || a->sem || a->cache > cache_none || a->evict > evict_normal;
}

LLVMValueRef tri_gpu_access_base(tri_gpu *g, MlirValue pointer)
{
    const char *reason;
    MlirValue culprit;
    MlirBlock block;
    intptr_t index;
    if (!g->machine->load_at || !g->is_kernel)
        return NULL;
    MlirValue root = tri_pointers_root(g->pointers, pointer, &reason, &culprit);
    if (mlirValueIsNull(root) || !tri_op_is_block_argument(root, &block, &index) ||
        !mlirBlockEqual(block, tri_op_body(g->func, 0)))
        return NULL;
    MlirAttribute hints = tri_op_attr(g->func, "arg_attrs");
    if (mlirAttributeIsNull(hints) || index >= mlirArrayAttrGetNumElements(hints))
        return NULL;
    MlirAttribute range = mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(hints, index),
                                                             mlirStringRefCreateFromCString("tt.pointer_range"));
    return mlirAttributeIsNull(range) || mlirIntegerAttrGetValueInt(range) != 32 ? NULL : tri_gpu_get(g, root).at[0];
}

LLVMValueRef tri_gpu_access_offset(tri_gpu *g, LLVMValueRef base, LLVMValueRef pointer)
{
    LLVMValueRef to = LLVMBuildPtrToInt(g->b, pointer, g->i64, ""), from = LLVMBuildPtrToInt(g->b, base, g->i64, "");
    return LLVMBuildTrunc(g->b, LLVMBuildSub(g->b, to, from, ""), g->i32, "");
}

static LLVMValueRef base_offset(tri_gpu *g, const tri_machine_access *access)
{
    return tri_gpu_access_offset(g, access->base, access->pointer);
}

/* The simulator goes the way of the hardware, and sees addresses that are not in range. */
static void simulate_base(tri_gpu *g, tri_machine_access *access)
{
    if (access->base)
        access->pointer = tri_gpu_offset(g, access->base, LLVMBuildZExt(g->b, base_offset(g, access), g->i64, ""));
}

void tri_gpu_load_words(tri_gpu *g, const tri_gpu_packing *p, const tri_machine_access *access, LLVMValueRef *other,
                        LLVMValueRef *out_words)
{
    tri_machine_access whole = *access;
    whole.word = p->word;
    whole.words = p->words;
    TRI_ASSERT(p->words <= max_words);
    if (g->simulate) {
        simulate_base(g, &whole);
        tri_simulate_load(g, &whole, other, out_words);
    } else if (access->base && !access->is_volatile && !access->sem)
        g->machine->load_at(g, &whole, base_offset(g, &whole), other, out_words);
    else if (g->machine->load && is_special(access))
        g->machine->load(g, &whole, other, out_words);
    else if (access->pred)
        load_in_branch(g, p, &whole, other, out_words);
    else
        plain_load(g, p, &whole, out_words);
}

void tri_gpu_store_words(tri_gpu *g, const tri_gpu_packing *p, const tri_machine_access *access, LLVMValueRef *words)
{
    tri_machine_access whole = *access;
    whole.word = p->word;
    whole.words = p->words;
    if (g->simulate) {
        simulate_base(g, &whole);
        tri_simulate_store(g, &whole, words);
    } else if (access->base && !access->is_volatile && !access->sem) {
        g->machine->store_at(g, &whole, base_offset(g, &whole), words);
    } else if (g->machine->store && is_special(access)) {
        g->machine->store(g, &whole, words);
    } else if (access->pred) {
        tri_gpu_if state = tri_gpu_begin_if(g, access->pred);
        plain_store(g, p, &whole, words);
        tri_gpu_end_if(g, state);
    } else {
        plain_store(g, p, &whole, words);
    }
}

LLVMValueRef tri_gpu_writer(tri_gpu *g, const tri_gpu_layout *layout)
{
    LLVMValueRef owner = layout ? tri_gpu_owner(g, &layout->replicas) : tri_gpu_first_thread(g);
    uint64_t copies = layout ? layout->replicas.block : UINT64_MAX;
    if (g->num_ctas == 1 || !(copies &= (uint64_t)g->num_ctas - 1))
        return owner;
    LLVMValueRef others = LLVMBuildAnd(g->b, tri_gpu_block_rank(g), tri_gpu_i32(g, (int64_t)copies), "");
    return tri_gpu_and(g, LLVMBuildICmp(g->b, LLVMIntEQ, others, tri_gpu_i32(g, 0), ""), owner);
}
