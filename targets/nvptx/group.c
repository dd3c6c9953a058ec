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
static void add_tied(tri_gpu *g, tri_nvptx_text *t, int count, const LLVMValueRef *values)
{
    for (int i = 0; i < count; i++)
        tri_nvptx_text_add_results(g, t, LLVMTypeOf(values[i]), 1);
    for (int i = 0; i < count; i++)
        tri_nvptx_text_add(g, t, values[i], i);
}

/* A in registers has only one form. */
static void add_trans(tri_buf *text, const tri_nvptx_product *p)
{
    if (!p->a_words)
        tri_buf_format(text, ", %d", p->trans_a);
    tri_buf_format(text, ", %d", p->trans_b);
}

static void simulate_product(tri_gpu *g, int id, tri_nvptx_product *p)
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

void tri_nvptx_multiply(tri_gpu *g, int id, tri_nvptx_product *p)
{
    const tri_machine_row *row = &g->machine->rows[id];
    TRI_ASSERT(tri_machine_has(g, id));
    if (g->simulate) {
        simulate_product(g, id, p);
        return;
    }
    tri_nvptx_text t = tri_nvptx_text_begin(g, p->num_acc + 8);
    add_tied(g, &t, p->num_acc, p->acc);
    int first_a = tri_nvptx_text_add(g, &t, p->a_words ? p->a_words[0] : p->a, -1);
    for (int i = 1; p->a_words && i < 4; i++)
        tri_nvptx_text_add(g, &t, p->a_words[i], -1);
    int b = tri_nvptx_text_add(g, &t, p->b, -1),
        scale = LLVMIsAConstantInt(p->scale) ? -1 : tri_nvptx_text_add(g, &t, p->scale, -1);
    for (const char *at = row->text; *at;) {
        if (eat(&at, "{n}"))
            tri_buf_format(&t.text, "%d", p->n);
        else if (eat(&at, "{acc}"))
            tri_nvptx_text_list(&t, 0, p->num_acc, true);
        else if (eat(&at, "{a}"))
            tri_nvptx_text_list(&t, first_a, p->a_words ? 4 : 1, false);
        else if (eat(&at, "{b}"))
            tri_buf_format(&t.text, "$%d", b);
        else if (eat(&at, "{scale}"))
            tri_buf_format(&t.text, scale < 0 ? "%d" : "$%d",
                           scale < 0 ? (int)LLVMConstIntGetZExtValue(p->scale) : scale);
        else if (eat(&at, "{trans}"))
            add_trans(&t.text, p);
        else
            tri_buf_add_char(&t.text, *at++);
    }
    tri_nvptx_text_call(g, &t, row->flags, p->acc);
}

static void tie_some(tri_gpu *g, const tri_machine_row *row, bool has_text, int constant, int count,
                     LLVMValueRef *values)
{
    tri_nvptx_text t = tri_nvptx_text_begin(g, count);
    add_tied(g, &t, count, values);
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
