/* Kernels while their parameters are settled: shared by the files signature*.c, private to them. */
#ifndef TRI_FRONTEND_SIGNATURE_KERNEL_H
#define TRI_FRONTEND_SIGNATURE_KERNEL_H

#include "frontend/kernel/signature.h"
#include "frontend/kernel/signature_text.h"
#include "ir/unit.h"

enum {
    TRI_SIG_NOT_COMPUTABLE = 3034,
    TRI_SIG_BAD = 3030,
    TRI_SIG_UNKNOWN_KERNEL = 3031,
    TRI_SIG_MISSING_TYPES = 3032,
    TRI_SIG_UNKNOWN_DEFINE = 3033
};

typedef struct {
    tri_module *main;
    tri_modules *all;
    tri_arena *arena;
    tri_diag *diag;
    const tri_options *options;
    tri_function_list functions;     /* every jit function of the file */
    TRI_VEC(tri_signature_text) texts; /* -sig, one each */
    struct tri_signature_launches *launches; /* of the file; null: not looked for yet */
} tri_signature_file;

/* One kernel while its parameters are settled. */
typedef struct {
    tri_signature_file *c;
    const tri_function *function;
    tri_signature_text *text; /* null: none */
    tri_signature signature;
    bool *is_known;        /* per parameter */
    const tri_str *guesses; /* -fguess-types: per parameter; else null */
    tri_str not_evaluated; /* expression of configs or heuristics that could not be had, and where */
    tri_span not_evaluated_at;
    tri_value_list configs; /* of the autotune decorator */
    bool is_explicit;      /* named by -k or -sig: must work */
    bool is_left_out;      /* -config=all: it has fewer configs than another kernel */
} tri_signature_kernel;

static inline const tri_ast_list *tri_signature_params(const tri_function *function)
{
    return &function->node->function.params;
}

static inline const tri_ast_node *tri_signature_param_at(const tri_function *function, size_t i)
{
    return tri_signature_params(function)->at[i];
}

/* signature.c: the file's jit functions, -sig not read yet; false after a report. */
bool tri_signature_start(tri_module *main, tri_signature_file *out);
/* Types and values from everything but guesses; `k` has its function. */
bool tri_signature_settle(tri_signature_kernel *k);

/* signature_search.c: for each parameter the text of a -sig item, as known, else as guessed and tried. */
const tri_str *tri_signature_guess(tri_signature_kernel *k);
/* A -sig of those texts but the empty ones, as a shell takes it. */
void tri_signature_print(const tri_signature_kernel *k, const tri_str *texts, tri_buf *out);

/* signature_choose.c: which kernels the options name; each reports. */
bool tri_signature_choose(tri_signature_file *c, tri_signature_kernel **out_kernels, size_t *out_count);
/* The kernel that is meant when none is named: that of the only -k, or the only one of the file; null after a
 * report. */
const tri_function *tri_signature_choose_only(tri_signature_file *c);
/* The function of that name; null after a report. */
const tri_function *tri_signature_choose_find(const tri_signature_file *c, tri_str name);
/* Reports that `where` names what is no parameter. */
void tri_signature_choose_report(const tri_signature_file *c, const tri_function *function, int code, tri_span at,
                                 tri_str name, const char *where);

#endif
