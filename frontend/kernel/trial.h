/* Arguments of kernels as the evaluator sees them, and trials. */
#ifndef TRI_FRONTEND_TRIAL_H
#define TRI_FRONTEND_TRIAL_H

#include "frontend/kernel/eval.h"
#include "frontend/kernel/signature.h"

/* The value of a parameter, with types where the function's arguments will stand. */
tri_ev tri_trial_value(tri_eval *e, const tri_arg *arg);

/* What came of compiling a kernel of which nothing is kept and nothing told. */
typedef struct {
    size_t errors;
    tri_span first;  /* of the errors */
    int64_t largest; /* elements of its largest block */
    int64_t shared;  /* bytes of shared memory that it needs for sure, about: see trial.c */
    int64_t ops;     /* what the trial cost */
} tri_trial;

/* Every parameter has its argument; the modules have a target and the unit a context. */
tri_trial tri_trial_run(tri_modules *modules, const tri_signature *signature);

#endif
