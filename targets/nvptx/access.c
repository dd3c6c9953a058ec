/* Predicated accesses and updates of memory as PTX, rows of matrices, the source's own assembly. */
#include "ir/hints.h"
#include "runtime/sim/nvptx/ptx/ptx.h"
#include "targets/gpu/access.h"
#include "targets/gpu/extern.h"
#include "targets/gpu/simulate.h"
#include "targets/nvptx/nvptx.h"
#include "targets/nvptx/text.h"

/* ---- spelling ---- */

static const char *space(LLVMValueRef pointer)
{
    return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == 3 ? ".shared" : ".global";
}

static const char *sem_and_scope(int sem, int scope)
{
    static const char *const text[][4] = {{"", "", "", ""},
                                          {"", ".relaxed.gpu", ".relaxed.cta", ".relaxed.sys"},
                                          {"", ".acquire.gpu", ".acquire.cta", ".acquire.sys"},
                                          {"", ".release.gpu", ".release.cta", ".release.sys"},
                                          {"", ".acq_rel.gpu", ".acq_rel.cta", ".acq_rel.sys"}};
    return text[sem][scope];
}

/* ptxas takes both orders. Triton writes this one for updates, and people's tests look for it. */
static const char *scope_and_sem(int sem, int scope)
{
    static const char *const text[][4] = {{"", "", "", ""},
                                          {"", ".gpu.relaxed", ".cta.relaxed", ".sys.relaxed"},
                                          {"", ".gpu.acquire", ".cta.acquire", ".sys.acquire"},
                                          {"", ".gpu.release", ".cta.release", ".sys.release"},
                                          {"", ".gpu.acq_rel", ".cta.acq_rel", ".sys.acq_rel"}};
    return text[sem][scope];
}

/* ".cg"; null: none. The numbers are those of tt's enumerations. */
static const char *cache_level(const tri_machine_access *a, bool is_load)
{
    static const char *const load[8] = {[2] = ".ca", [3] = ".cg", [5] = ".cs", [7] = ".cv"};
    static const char *const store[8] = {[3] = ".cg", [4] = ".wb", [5] = ".cs", [6] = ".wt"};
    return (is_load ? load : store)[a->cache & 7];
}

/* "evict_first"; null: none, also where the access says what cannot be combined with it, which wins. Behind tt's
 * numbers are those of hints for the first level alone (ir/hints.h). */
static const char *eviction(const tri_machine_access *a, bool is_load)
{
    static const char *const names[8] = {[2] = "evict_first",
                                         [TRI_MACHINE_EVICT_LAST] = "evict_last",
                                         [TRI_MACHINE_EVICT_LAST + TRI_HINT_KEEP] = "evict_last",
                                         [TRI_MACHINE_EVICT_LAST + TRI_HINT_PASS] = "no_allocate"};
    bool is_alone = !a->is_volatile && !a->sem && !cache_level(a, is_load);
    return is_alone ? names[a->evict & 7] : NULL;
}

/* What stands between `ld` or `st` and the vector's size. With a policy its operand comes last. */
static void add_modifiers(tri_nvptx_text *t, const tri_machine_access *a, bool is_load, bool has_policy)
{
    const char *cache = cache_level(a, is_load), *evict = eviction(a, is_load);
    if (a->is_volatile)
        tri_buf_add_z(&t->text, ".volatile");
    tri_buf_format(&t->text, "%s%s", sem_and_scope(a->sem, a->scope), space(a->pointer));
    if (cache && !a->is_volatile && !a->sem)
        tri_buf_add_z(&t->text, cache);
    if (evict)
        tri_buf_format(&t->text, ".L1::%s%s", evict, has_policy ? ".L2::cache_hint" : "");
}

/* The operand that tells the L2 cache, too, how long to keep what the access touches; -1: it is not told. */
static int add_policy(tri_gpu *g, tri_nvptx_text *t, const tri_machine_access *a, bool is_load)
{
    const char *evict = eviction(a, is_load);
    bool is_shared = LLVMGetPointerAddressSpace(LLVMTypeOf(a->pointer)) == 3;
    if (!evict || a->evict > TRI_MACHINE_EVICT_LAST || is_shared)
        return -1;
    LLVMValueRef policy;
    tri_nvptx_text make = tri_nvptx_text_begin(g, 1);
    tri_nvptx_text_add_results(g, &make, g->i64, 1, false);
    tri_buf_format(&make.text, "createpolicy.fractional.L2::%s.b64 $0, 1.0;", evict);
    tri_nvptx_text_call(g, &make, TRI_MACHINE_PURE, &policy);
    return tri_nvptx_text_add(g, t, policy, -1);
}

static void add_policy_operand(tri_nvptx_text *t, int policy)
{
    if (policy >= 0)
        tri_buf_format(&t->text, ", $%d", policy);
    tri_buf_add_char(&t->text, ';');
}

static void add_predicate(tri_nvptx_text *t, int pred)
{
    if (pred >= 0)
        tri_buf_format(&t->text, "@$%d ", pred);
}

static void add_shape(tri_gpu *g, tri_nvptx_text *t, const tri_machine_access *a)
{
    if (a->words > 1)
        tri_buf_format(&t->text, ".v%d", a->words);
    tri_buf_format(&t->text, ".b%u ", tri_gpu_bits(g, a->word));
}

/* 8-bit words travel in 16-bit registers. */
static LLVMTypeRef carrier(tri_gpu *g, LLVMTypeRef word) { return tri_gpu_bits(g, word) < 16 ? g->i16 : word; }

static LLVMValueRef carry(tri_gpu *g, LLVMValueRef word)
{
    LLVMTypeRef type = carrier(g, LLVMTypeOf(word));
    return type == LLVMTypeOf(word) ? word : LLVMBuildZExt(g->b, word, type, "");
}

/* ---- accesses ---- */

void tri_nvptx_load(tri_gpu *g, const tri_machine_access *access, LLVMValueRef *other, LLVMValueRef *out_words)
{
    LLVMTypeRef type = carrier(g, access->word);
    tri_nvptx_text t = tri_nvptx_text_begin(g, access->words + 3);
    tri_nvptx_text_add_results(g, &t, type, access->words, false);
    int address = tri_nvptx_text_add(g, &t, access->pointer, -1), policy = add_policy(g, &t, access, true);
    int pred = access->pred ? tri_nvptx_text_add(g, &t, access->pred, -1) : -1;
    for (int i = 0; other && access->pred && i < access->words; i++)
        tri_nvptx_text_add(g, &t, carry(g, other[i]), i);
    add_predicate(&t, pred);
    tri_buf_add_z(&t.text, "ld");
    add_modifiers(&t, access, true, policy >= 0);
    add_shape(g, &t, access);
    tri_nvptx_text_list(&t, 0, access->words, false);
    tri_buf_format(&t.text, ", [$%d]", address);
    add_policy_operand(&t, policy);
    tri_nvptx_text_call(g, &t, 0, out_words);
    for (int i = 0; type != access->word && i < access->words; i++)
        out_words[i] = LLVMBuildTrunc(g->b, out_words[i], access->word, "");
}

void tri_nvptx_store(tri_gpu *g, const tri_machine_access *access, LLVMValueRef *words)
{
    tri_nvptx_text t = tri_nvptx_text_begin(g, access->words + 3);
    int address = tri_nvptx_text_add(g, &t, access->pointer, -1), first = t.num_args;
    for (int i = 0; i < access->words; i++)
        tri_nvptx_text_add(g, &t, carry(g, words[i]), -1);
    int policy = add_policy(g, &t, access, false);
    add_predicate(&t, access->pred ? tri_nvptx_text_add(g, &t, access->pred, -1) : -1);
    tri_buf_add_z(&t.text, "st");
    add_modifiers(&t, access, false, policy >= 0);
    add_shape(g, &t, access);
    tri_buf_format(&t.text, "[$%d], ", address);
    tri_nvptx_text_list(&t, first, access->words, false);
    add_policy_operand(&t, policy);
    tri_nvptx_text_call(g, &t, TRI_MACHINE_MEMORY, NULL);
}

/* ---- updates ---- */

static bool is_half(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMHalfTypeKind || LLVMGetTypeKind(type) == LLVMBFloatTypeKind;
}

/* Least and greatest of halves: vectors only, a pair as two registers. */
static const char *half_extreme_text(tri_gpu *g, const char *name, LLVMTypeRef type, int vec)
{
    const char *half = LLVMGetTypeKind(type) == LLVMHalfTypeKind ? "f16" : "bf16";
    if (vec == 1 || !g->unit->arch->has_half_reduction)
        return NULL;
    return tri_str_format(g->arena, vec == 2 ? "%s.noftz.v%d.%s" : "%s.noftz.v%d.%sx2", name, vec == 2 ? 2 : vec / 2,
                          half)
        .data;
}

/* "add.u32", "add.noftz.v2.f16x2"; null when there is no such instruction for `vec` elements. */
static const char *operation_text(tri_gpu *g, int kind, LLVMTypeRef type, int vec)
{
    static const char *const names[] = {"", "and", "or", "xor", "add", "", "max", "min", "max", "min", "exch"};
    static const char letters[] = " bbbu ssuub";
    unsigned bits = tri_gpu_bits(g, type);
    LLVMTypeKind k = LLVMGetTypeKind(type);
    if ((kind == TRI_RMW_MAX || kind == TRI_RMW_MIN) && is_half(type))
        return half_extreme_text(g, names[kind], type, vec);
    if (kind != TRI_RMW_FADD)
        return bits < 32 ? NULL : tri_str_format(g->arena, "%s.%c%u", names[kind], letters[kind], bits).data;
    if (k == LLVMBFloatTypeKind && !g->unit->arch->bf16_add_bits)
        return NULL;
    int words = bits == 16 && vec > 1 ? vec / 2 : vec;
    const char *vector = words > 1 ? tri_str_format(g->arena, ".v%d", words).data : "";
    if (bits == 16)
        return tri_str_format(g->arena, "add.noftz%s.%s%s", vector, k == LLVMHalfTypeKind ? "f16" : "bf16",
                              vec > 1 ? "x2" : "")
            .data;
    return tri_str_format(g->arena, "add%s.f%u", vector, bits).data;
}

enum { max_words = 8 };

/* Both operands as words, or each element in a register of its own: those of 32 and 64-bit floats are named as such,
 * pairs of halves go as bits. */
static int add_values(tri_gpu *g, tri_nvptx_text *t, const tri_machine_update *u, const tri_gpu_packing *packing,
                      bool is_apart)
{
    LLVMValueRef values[2 * max_words];
    int n = 0, first = t->num_results + t->num_args;
    TRI_ASSERT(packing->words <= max_words);
    if (u->is_cas) {
        tri_gpu_pack(g, packing, u->compare, values);
        n = packing->words;
    }
    for (int i = 0; is_apart && i < u->vec; i++)
        values[n + i] = is_half(LLVMTypeOf(u->value[i])) ? tri_gpu_to_int(g, u->value[i]) : u->value[i];
    if (!is_apart)
        tri_gpu_pack(g, packing, u->value, values + n);
    n += is_apart ? u->vec : packing->words;
    for (int i = 0; i < n; i++)
        tri_nvptx_text_add(g, t, values[i], -1);
    return first;
}

/* Nobody looks at the old value: a reduction, which gives none. Triton's text has none, since ptxas finds them; neither
 * has ours where it is spelled as a release's, but for several elements. */
static bool is_reduction(const tri_gpu *g, const tri_machine_update *u)
{
    bool may_give_none = u->sem != TRI_SEM_ACQUIRE && u->sem != TRI_SEM_ACQ_REL && u->kind != TRI_RMW_XCHG;
    return may_give_none && !u->is_cas && !u->has_users && (u->vec > 1 || !g->release);
}

bool tri_nvptx_update(tri_gpu *g, const tri_machine_update *u, LLVMValueRef *out)
{
    LLVMTypeRef type = LLVMTypeOf(u->value[0]);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    const char *operation = u->is_cas ? "cas" : operation_text(g, u->kind, type, u->vec);
    if (!operation)
        return false;
    bool is_pair = (u->kind == TRI_RMW_MAX || u->kind == TRI_RMW_MIN) && is_half(type) && u->vec == 2;
    bool is_apart = is_pair || (u->kind == TRI_RMW_FADD && (kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind));
    bool has_result = !is_reduction(g, u);
    tri_gpu_packing packing = tri_gpu_plan_packing(g, type, u->vec);
    int words = is_apart ? u->vec : packing.words;
    tri_nvptx_text t = tri_nvptx_text_begin(g, 2 * max_words + 2);
    if (has_result)
        tri_nvptx_text_add_results(g, &t, is_pair ? g->i16 : is_apart ? type : packing.word, words, false);
    int address = tri_nvptx_text_add(g, &t, u->pointer, -1), values = add_values(g, &t, u, &packing, is_apart);
    int num_values = t.num_results + t.num_args - values;
    add_predicate(&t, u->pred ? tri_nvptx_text_add(g, &t, u->pred, -1) : -1);
    tri_buf_format(&t.text, "%s%s%s.%s", has_result ? "atom" : "red", space(u->pointer),
                   u->is_cas ? sem_and_scope(u->sem, u->scope) : scope_and_sem(u->sem, u->scope), operation);
    if (u->is_cas)
        tri_buf_format(&t.text, ".b%u", tri_gpu_bits(g, packing.word));
    tri_buf_add_char(&t.text, ' ');
    if (has_result)
        tri_nvptx_text_list(&t, 0, words, false);
    tri_buf_format(&t.text, "%s[$%d], ", has_result ? ", " : "", address);
    for (int i = 0; i < num_values; i += words) {
        tri_buf_add_z(&t.text, i ? ", " : "");
        tri_nvptx_text_list(&t, values + i, words, false);
    }
    tri_buf_add_char(&t.text, ';');
    LLVMValueRef old[max_words];
    tri_nvptx_text_call(g, &t, TRI_MACHINE_MEMORY, old);
    if (!has_result)
        for (int i = 0; i < u->vec; i++)
            out[i] = LLVMGetPoison(type);
    else if (is_apart)
        for (int i = 0; i < u->vec; i++)
            out[i] = tri_gpu_from_int(g, old[i], type);
    else
        tri_gpu_unpack(g, &packing, old, out);
    return true;
}

/* ---- rows of matrices ---- */

static int matrix_id(int x1, tri_access_form form, int matrices)
{
    return x1 + (form == TRI_ACCESS_MATRIX_TRANS ? 3 : 0) + (matrices == 4 ? 2 : matrices == 2 ? 1 : 0);
}

void tri_nvptx_load_rows(tri_gpu *g, const tri_plan_access *plan, LLVMValueRef row, LLVMTypeRef type, LLVMValueRef *out)
{
    int per_matrix = 32 / plan->element_bits, matrices = plan->vec / per_matrix;
    LLVMValueRef result = tri_machine_call(g, matrix_id(TRI_NVPTX_ldmatrix_x1, plan->form, matrices), &row, 1);
    tri_gpu_packing p = tri_gpu_plan_packing(g, type, per_matrix);
    for (int m = 0; m < matrices; m++) {
        LLVMValueRef word = matrices == 1 ? result : LLVMBuildExtractValue(g->b, result, (unsigned)m, "");
        tri_gpu_unpack(g, &p, &word, out + m * per_matrix);
    }
}

void tri_nvptx_store_rows(tri_gpu *g, const tri_plan_access *plan, LLVMValueRef row, LLVMValueRef *elements)
{
    int per_matrix = 32 / plan->element_bits, matrices = plan->vec / per_matrix;
    tri_gpu_packing p = tri_gpu_plan_packing(g, LLVMTypeOf(elements[0]), per_matrix);
    LLVMValueRef args[5] = {row};
    for (int m = 0; m < matrices; m++)
        tri_gpu_pack(g, &p, elements + m * per_matrix, &args[1 + m]);
    tri_machine_call(g, matrix_id(TRI_NVPTX_stmatrix_x1, plan->form, matrices), args, 1 + matrices);
}

/* ---- the source's own assembly ---- */

/* The simulator is given the text, and says what it does not know. */
static bool simulate_assembly(tri_gpu *g, const tri_machine_assembly *a)
{
    tri_ptx_error error;
    const tri_ptx_program *program = tri_ptx_parse(g->arena, a->text, a->constraints, g->arch, &error);
    if (!program)
        return tri_gpu_unsupported(g, a->op, "line %d of the assembly: %.*s", error.line, TRI_STR_ARG(error.text));
    if (tri_ptx_num_inputs(program) != a->num_args || tri_ptx_num_outputs(program) != a->num_results)
        return tri_gpu_unsupported(g, a->op, "the constraints name %d outputs and %d inputs, but there are %d and %d",
                                   tri_ptx_num_outputs(program), tri_ptx_num_inputs(program), a->num_results,
                                   a->num_args);
    tri_str both = tri_str_format(g->arena, "%.*s\n%.*s", TRI_STR_ARG(a->constraints), TRI_STR_ARG(a->text));
    LLVMValueRef *all = TRI_NEW_ARRAY(g->arena, LLVMValueRef, a->num_args + 1);
    all[0] = LLVMBuildGlobalStringPtr(g->b, both.data, "assembly");
    for (int i = 0; i < a->num_args; i++)
        all[1 + i] = a->args[i];
    tri_simulate_many(g, TRI_NVPTX_inline_asm, all, a->num_args + 1, a->results, a->num_results);
    return true;
}

bool tri_nvptx_assemble_source(tri_gpu *g, const tri_machine_assembly *a)
{
    tri_str foreign = tri_gpu_foreign_constraint(a->constraints, "bchrlqfdnisIX");
    if (g->simulate)
        return simulate_assembly(g, a);
    if (foreign.len)
        return tri_gpu_unsupported(g, a->op,
                                   "the constraint '%.*s' names no register of PTX, which are b (a predicate), h, r, l "
                                   "and q (16 to 128 bits), f and d (numbers)",
                                   TRI_STR_ARG(foreign));
    return tri_gpu_inline_asm(g, a);
}
