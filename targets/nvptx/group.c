/* Primitives of whole warp groups, whose operands are too many for a signature. */
#include "targets/nvptx/group.h"

#include "targets/gpu/simulate.h"
#include "targets/nvptx/nvptx.h"
#include "targets/nvptx/text.h"

enum { max_tied = 200 };

/* Goes behind `word` when the text at *at begins with it. */
static bool eat(const char **at, const char *word)
{
    size_t len = strlen(word);
    if (strncmp(*at, word, len))
        return false;
    *at += len;
    return true;
}

/* Values that are results too, in the same registers. Their numbers are 0, 1, ... */
static void add_tied(tri_gpu *g, tri_nvptx_text *t, int count, const LLVMValueRef *values, bool is_early)
{
    for (int i = 0; i < count; i++)
        tri_nvptx_text_add_results(g, t, LLVMTypeOf(values[i]), 1, is_early);
    for (int i = 0; i < count; i++)
        tri_nvptx_text_add(g, t, values[i], i);
}

/* A in registers has only one form. */
static void add_trans(tri_buf *text, const tri_nvptx_product *p)
{
    if (!p->has_a_words)
        tri_buf_format(text, ", %d", p->trans_a);
    tri_buf_format(text, ", %d", p->trans_b);
}

static void simulate_product(tri_gpu *g, int id, tri_nvptx_product *p)
{
    LLVMValueRef args[8 + 128];
    for (int step = 0; step < p->steps; step++) {
        args[0] = tri_gpu_i32(g, p->n);
        args[1] = tri_gpu_i32(g, (p->has_a_words ? 1 : 0) | p->trans_a << 1 | p->trans_b << 2);
        args[2] = step ? LLVMConstInt(g->i1, 1, false) : p->scale;
        args[3] = p->b[step];
        for (int i = 0; i < 4; i++)
            args[4 + i] = p->a[step][p->has_a_words ? i : 0];
        memcpy(args + 8, p->acc, sizeof *p->acc * (size_t)p->num_acc);
        tri_simulate_many(g, id, args, 8 + p->num_acc, p->acc, p->num_acc);
    }
}

/* What a row's text names: operands by their numbers. */
typedef struct {
    int a, b, scale; /* scale: negative when it is a constant */
    LLVMValueRef constant;
} step_operands;

static void write_step(tri_nvptx_text *t, const char *text, const tri_nvptx_product *p, const step_operands *o)
{
    for (const char *at = text; *at;) {
        if (eat(&at, "{n}"))
            tri_buf_format(&t->text, "%d", p->n);
        else if (eat(&at, "{acc}"))
            tri_nvptx_text_list(t, 0, p->num_acc, true);
        else if (eat(&at, "{a}"))
            tri_nvptx_text_list(t, o->a, p->has_a_words ? 4 : 1, false);
        else if (eat(&at, "{b}"))
            tri_buf_format(&t->text, "$%d", o->b);
        else if (eat(&at, "{scale}"))
            tri_buf_format(&t->text, o->scale < 0 ? "%d" : "$%d",
                           o->scale < 0 ? (int)LLVMConstIntGetZExtValue(o->constant) : o->scale);
        else if (eat(&at, "{trans}"))
            add_trans(&t->text, p);
        else
            tri_buf_add_char(&t->text, *at++);
    }
}

/* All steps are one piece of text: between them the accumulators have no names, which for 64 of them and 16 steps
 * would be most of a kernel's values. */
void tri_nvptx_multiply(tri_gpu *g, int id, tri_nvptx_product *p)
{
    const tri_machine_row *row = &g->machine->rows[id];
    TRI_ASSERT(tri_machine_has(g, id) && p->steps <= TRI_NVPTX_MAX_STEPS);
    if (g->simulate) {
        simulate_product(g, id, p);
        return;
    }
    int words = p->has_a_words ? 4 : 1;
    tri_nvptx_text t = tri_nvptx_text_begin(g, p->num_acc + 1 + p->steps * (words + 1));
    add_tied(g, &t, p->num_acc, p->acc, true);
    for (int step = 0; step < p->steps; step++) {
        step_operands o = {.scale = -1, .constant = step ? LLVMConstInt(g->i1, 1, false) : p->scale};
        o.a = tri_nvptx_text_add(g, &t, p->a[step][0], -1);
        for (int i = 1; i < words; i++)
            tri_nvptx_text_add(g, &t, p->a[step][i], -1);
        o.b = tri_nvptx_text_add(g, &t, p->b[step], -1);
        if (!LLVMIsAConstantInt(o.constant))
            o.scale = tri_nvptx_text_add(g, &t, o.constant, -1);
        if (step)
            tri_buf_add_z(&t.text, "\n\t");
        write_step(&t, row->text, p, &o);
    }
    tri_nvptx_text_call(g, &t, row->flags, p->acc);
}

static void tie_some(tri_gpu *g, const tri_machine_row *row, bool has_text, int constant, int count,
                     LLVMValueRef *values)
{
    tri_nvptx_text t = tri_nvptx_text_begin(g, count);
    add_tied(g, &t, count, values, false);
    for (const char *at = has_text ? row->text : ""; *at;) {
        if (eat(&at, "{n}"))
            tri_buf_format(&t.text, "%d", constant);
        else
            tri_buf_add_char(&t.text, *at++);
    }
    tri_nvptx_text_call(g, &t, row->flags, values);
}

/* The simulator is told how many registers follow; what it gives takes their place. */
static void simulate_tie(tri_gpu *g, int id, int constant, int count, LLVMValueRef *values)
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

void tri_nvptx_tie(tri_gpu *g, int id, int constant, int count, LLVMValueRef *values)
{
    const tri_machine_row *row = &g->machine->rows[id];
    TRI_ASSERT(tri_machine_has(g, id));
    if (g->simulate) {
        simulate_tie(g, id, constant, id == TRI_NVPTX_wgmma_wait ? count : 0, values);
        return;
    }
    /* all chunks stand in program order: those behind a wait and those in front of a fence are ordered by it */
    bool is_first = id == TRI_NVPTX_wgmma_wait;
    int chunks = count ? (count + max_tied - 1) / max_tied : 1;
    for (int c = 0; c < chunks; c++) {
        int begin = c * max_tied, size = count - begin < max_tied ? count - begin : max_tied;
        tie_some(g, row, c == (is_first ? 0 : chunks - 1), constant, size, values + begin);
    }
}
