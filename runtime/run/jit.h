/* Compiles a module for this host in memory and gives one of its functions a uniform entry. */
#ifndef TRI_RUNTIME_RUN_JIT_H
#define TRI_RUNTIME_RUN_JIT_H

#include "base/diag.h"

#include "llvm-c/Types.h"

typedef struct tri_jit tri_jit;

/* A symbol of this process that the module refers to; others are looked up in libc and libm. */
typedef struct {
    const char *name;
    const void *address;
} tri_jit_symbol;

/* The processor to make code for, by LLVM's names, and how hard to try: 0..3. This host must have the features. */
typedef struct {
    const char *cpu, *features;
    int opt_level;
} tri_jit_machine;

/* The oldest processor of this host's kind: what its code computes is the same on every host. */
tri_jit_machine tri_jit_oldest(int opt_level);

/* Takes `module` (also on failure). Null after a report. */
tri_jit *tri_jit_create(tri_diag *diag, LLVMModuleRef module, const char *function, const tri_jit_symbol *symbols,
                        int num_symbols, tri_jit_machine machine);
void tri_jit_destroy(tri_jit *jit);

/* The function's entry: args holds one parameter per 8 bytes. */
void (*tri_jit_entry(const tri_jit *jit))(void *args);

#endif
