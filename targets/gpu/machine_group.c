/* Primitives of whole warp groups, whose operands are too many for a signature. */
#include "targets/gpu/gpu.h"
#include "targets/gpu/simulate.h"

enum { max_tied = 200 };

/* Text, constraints and arguments of one call while they are put together. */
typedef struct {
    tri_buf text, constraints;
    LLVMValueRef *args;
    int num_args, num_results;
} assembly;

static void add_constraint(assembly *a, const char *text)
{
    tri_buf_format(&a->constraints, "%s%s", a->constraints.len ? "," : "", text);
}

/* Values that are results too, in the same registers. Their numbers are 0, 1, ... */
static void add_tied(tri_gpu *g, assembly *a, int count, const LLVMValueRef *values)
{
    for (int i = 0; i < count; i++)
        tri_buf_format(&a->constraints, "%s=%s", i ? "," : "", tri_machine_letter(g, LLVMTypeOf(values[i])));
    for (int i = 0; i < count; i++) {
        tri_buf_format(&a->constraints, ",%d", i);
        a->args[a->num_args++] = values[i];
    }
    a->num_results = count;
}

/* An operand's number in the text. */
static int add(tri_gpu *g, assembly *a, LLVMValueRef value)
{
    add_constraint(a, tri_machine_letter(g, LLVMTypeOf(value)));
    a->args[a->num_args++] = value;
    return a->num_results + a->num_args - 1;
}

static void emit(tri_gpu *g, assembly *a, const LLVMValueRef *tied, int flags, LLVMValueRef *out)
{
    LLVMTypeRef *types = TRI_NEW_ARRAY(g->arena, LLVMTypeRef, a->num_results + 1);
    for (int i = 0; i < a->num_results; i++)
        types[i] = LLVMTypeOf(tied[i]);
    LLVMTypeRef result = a->num_results == 0   ? LLVMVoidTypeInContext(g->llvm)
                         : a->num_results == 1 ? types[0]
                                               : LLVMStructTypeInContext(g->llvm, types, (unsigned)a->num_results, false);
    tri_buf_add_z(&a->constraints, "");
    LLVMValueRef call = tri_machine_call_asm(g, a->text.data ? a->text.data : "", a->constraints.data, result, a->args, a->num_args, flags);
    for (int i = 0; i < a->num_results; i++)
        out[i] = a->num_results == 1 ? call : LLVMBuildExtractValue(g->b, call, (unsigned)i, "");
    tri_buf_fini(&a->text);
    tri_buf_fini(&a->constraints);
}

static void add_range(tri_buf *text, int first, int count)
{
    for (int i = 0; i < count; i++)
        tri_buf_format(text, "%s$%d", i ? ", " : "{", first + i);
    tri_buf_add_char(text, '}');
}

static void add_a(tri_buf *text, int first, bool is_words)
{
    if (is_words)
        add_range(text, first, 4);
    else
        tri_buf_format(text, "$%d", first);
}

/* A in registers has only one form. */
static void add_trans(tri_buf *text, const tri_machine_product *p)
{
    if (!p->a_words)
        tri_buf_format(text, ", %d", p->trans_a);
    tri_buf_format(text, ", %d", p->trans_b);
}

static void simulate_product(tri_gpu *g, tri_machine_id id, tri_machine_product *p)
{
    LLVMValueRef args[8 + 128];
    args[0] = tri_gpu_i32(g, p->n);
    args[1] = tri_gpu_i32(g, (p->a_words ? 1 : 0) | p->trans_a << 1 | p->trans_b << 2);
    args[2] = p->scale;
    args[3] = p->b;
    for (int i = 0; i < 4; i++)
        args[4 + i] = p->a_words ? p->a_words[i] : p->a;
    memcpy(args + 8, p->acc, sizeof *p->acc * (size_t)p->num_acc);
    tri_simulate_many(g, id, args, 8 + p->num_acc, p->acc, p->num_acc);
}

void tri_machine_multiply(tri_gpu *g, tri_machine_id id, tri_machine_product *p)
{
    const tri_machine_row *row = &g->machine->rows[id];
    TRI_ASSERT(tri_machine_has(g, id));
    if (g->simulate) {
        simulate_product(g, id, p);
        return;
    }
    assembly a = {.args = TRI_NEW_ARRAY(g->arena, LLVMValueRef, p->num_acc + 8)};
    add_tied(g, &a, p->num_acc, p->acc);
    int first_a = p->a_words ? add(g, &a, p->a_words[0]) : add(g, &a, p->a);
    for (int i = 1; p->a_words && i < 4; i++)
        add(g, &a, p->a_words[i]);
    int b = add(g, &a, p->b), scale = LLVMIsAConstantInt(p->scale) ? -1 : add(g, &a, p->scale);
    for (const char *at = row->text; *at;) {
        if (tri_machine_eat(&at, "{n}"))
            tri_buf_format(&a.text, "%d", p->n);
        else if (tri_machine_eat(&at, "{acc}"))
            add_range(&a.text, 0, p->num_acc);
        else if (tri_machine_eat(&at, "{a}"))
            add_a(&a.text, first_a, p->a_words != NULL);
        else if (tri_machine_eat(&at, "{b}"))
            tri_buf_format(&a.text, "$%d", b);
        else if (tri_machine_eat(&at, "{scale}"))
            tri_buf_format(&a.text, scale < 0 ? "%d" : "$%d", scale < 0 ? (int)LLVMConstIntGetZExtValue(p->scale) : scale);
        else if (tri_machine_eat(&at, "{trans}"))
            add_trans(&a.text, p);
        else
            tri_buf_add_char(&a.text, *at++);
    }
    emit(g, &a, p->acc, row->flags, p->acc);
}

static void tie_some(tri_gpu *g, const tri_machine_row *row, bool has_text, int constant, int count, LLVMValueRef *values)
{
    assembly a = {.args = TRI_NEW_ARRAY(g->arena, LLVMValueRef, count + 1)};
    add_tied(g, &a, count, values);
    for (const char *at = has_text ? row->text : ""; *at;) {
        if (tri_machine_eat(&at, "{n}"))
            tri_buf_format(&a.text, "%d", constant);
        else
            tri_buf_add_char(&a.text, *at++);
    }
    emit(g, &a, values, row->flags, values);
}

/* The simulator is told how many registers follow; what it gives takes their place. */
static void simulate_tie(tri_gpu *g, tri_machine_id id, int constant, int count, LLVMValueRef *values)
{
    enum { most = 128 };
    LLVMValueRef args[2 + most];
    int begin = 0;
    do {
        int size = count - begin < most ? count - begin : most;
        args[0] = tri_gpu_i32(g, constant);
        args[1] = tri_gpu_i32(g, size);
        for (int i = 0; i < size; i++)
            args[2 + i] = values[begin + i];
        tri_simulate_many(g, id, args, 2 + size, size ? values + begin : NULL, size);
        begin += size;
    } while (begin < count);
}

void tri_machine_tie(tri_gpu *g, tri_machine_id id, int constant, int count, LLVMValueRef *values)
{
    const tri_machine_row *row = &g->machine->rows[id];
    TRI_ASSERT(tri_machine_has(g, id));
    if (g->simulate) {
        simulate_tie(g, id, constant, id == TRI_MACHINE_wgmma_wait ? count : 0, values);
        return;
    }
    /* all chunks stand in program order: those behind a wait and those in front of a fence are ordered by it */
    bool is_first = id == TRI_MACHINE_wgmma_wait;
    int chunks = count ? (count + max_tied - 1) / max_tied : 1;
    for (int c = 0; c < chunks; c++) {
        int begin = c * max_tied, size = count - begin < max_tied ? count - begin : max_tied;
        tie_some(g, row, c == (is_first ? 0 : chunks - 1), constant, size, values + begin);
    }
}
