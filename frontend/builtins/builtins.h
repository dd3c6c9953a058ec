/* Library functions. One row each in frontend/builtins/builtins.def, one file per family in
 * frontend/builtins/. To add one: write the row, write the function, add its golden to
 * tests/frontend. Functions that the library writes in its own language are rows of kind PRELUDE and
 * live in frontend/prelude/. */
#ifndef TRI_FRONTEND_BUILTINS_H
#define TRI_FRONTEND_BUILTINS_H

#include "frontend/kernel/frame.h"

enum { TRI_BUILTIN_MAX_PARAMS = 16 };

/* Arguments come in the order of the row's parameters; absent ones are None; the `*rest` one is a
 * tuple. e->arg_spans tells where each stands. Errors among them were filtered out. */
typedef tri_ev tri_builtin_run(tri_eval *e, const tri_ev *args);

typedef struct tri_builtin {
    const char *path;   /* "triton.language.load" */
    const char *params; /* "pointer mask? *rest | cache_modifier?": '?' optional, '|' keyword-only from here */
    tri_builtin_run *run; /* null: in the prelude */
    const char *method; /* as a tensor method: its name, or null */
    int data;           /* for functions that serve several rows */
} tri_builtin;

/* By number; null behind the last. */
const tri_builtin *tri_builtins_at(size_t i);
/* Null when there is none. */
const tri_builtin *tri_builtins_find(tri_eval *e, tri_str path);
/* The same for libdevice functions, whose rows are in frontend/builtins/libdevice.def. */
const tri_builtin *tri_libdevice_find(tri_eval *e, tri_str path);
/* Library path of a tensor's or a descriptor's method; empty when there is none. */
tri_str tri_builtins_method(tri_eval *e, tri_str name);
tri_str tri_builtins_desc_method(tri_eval *e, tri_str name);
/* The row that runs, for its data and name. */
const tri_builtin *tri_builtins_current(const tri_eval *e);
tri_ev tri_builtins_call(tri_eval *e, const tri_builtin *row, const tri_call_args *args, tri_span at);
/* The jit function of the prelude that implements a row; null after a report. */
const tri_function *tri_builtins_prelude(tri_eval *e, const tri_builtin *row);
/* "did you mean" for an unknown library name. */
const char *tri_builtins_nearest(tri_eval *e, tri_str path);

/* Argument checks: each reports at the argument and returns false when it is not that. */
bool tri_arg_int(tri_eval *e, const tri_ev *args, int i, int64_t if_none, int64_t *out);
bool tri_arg_bool(tri_eval *e, const tri_ev *args, int i, bool if_none, bool *out);
bool tri_arg_str(tri_eval *e, const tri_ev *args, int i, const char *if_none, tri_str *out);
const tri_type *tri_arg_dtype(tri_eval *e, const tri_ev *args, int i); /* null after a report */
bool tri_arg_tensor(tri_eval *e, const tri_ev *args, int i, tri_ev *out); /* Nums are converted */
bool tri_arg_block(tri_eval *e, const tri_ev *args, int i, tri_ev *out);
bool tri_arg_shape(tri_eval *e, const tri_ev *args, int i, int *out_rank, int64_t *out_shape);
/* A compile-time axis in [-rank, rank), made non-negative. */
bool tri_arg_axis(tri_eval *e, const tri_ev *args, int i, int rank, int *out_axis);
/* One of `words` (null-terminated); the index goes to *out. None and "" give `if_none`. */
bool tri_arg_word(tri_eval *e, const tri_ev *args, int i, const char *what, const char *const *words, int if_none,
                  int *out);
tri_ev tri_arg_error(tri_eval *e, int i, int code, const char *format, ...) __attribute__((format(printf, 4, 5)));


#endif
