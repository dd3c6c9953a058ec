/* Bitcode libraries that kernels call functions of: those of -extern-lib, and libdevice.
 *
 * Of a library just the functions that are called are read and linked; they become internal, and are inlined
 * unless they say noinline. It may be made for another machine, as long as what is called needs nothing of it:
 * no assembly, no intrinsic of that machine, no memory shared by a block. */
#ifndef TRI_TARGETS_LIBRARY_H
#define TRI_TARGETS_LIBRARY_H

#include "ir/unit.h"

/* A call of an external function, so that reports can say where. */
typedef struct {
    tri_str symbol;           /* with a NUL behind it */
    tri_str libname, libpath; /* as the source says; may be empty */
    MlirLocation at;
    bool is_indirect;         /* a library calls it, on the way from there */
} tri_library_call;

typedef TRI_VEC(tri_library_call) tri_library_calls;

typedef struct tri_library_job {
    tri_unit *unit;
    LLVMModuleRef module;           /* linked into; borrowed */
    tri_library_calls *calls; /* what the lowering made, none when the module came as LLVM IR; libraries add theirs */
    unsigned convention;            /* LLVM calling convention of functions that are no kernels */
    const char *triple;             /* of the machine that will run the code */
    /* What the machine calls a function of C's library; null: as C does. No text: it has none. */
    tri_str (*name_of_c)(const struct tri_library_job *job, tri_str name, LLVMTypeRef type);
    bool may_lack_f64; /* functions of floats go by floats alone */
    tri_str math; /* bitcode of runtime/vmath made for the machine; empty: as it is made for hosts */
    bool (*has_intrinsic)(tri_str name); /* one of LLVM's for the machine; null: it has those of its name */
} tri_library_job;

/* Notes, for the job's `calls`, that `op` calls `symbol`. */
void tri_library_note(tri_unit *unit, tri_library_calls *calls, tri_str symbol, MlirOperation op);

/* Links what the module calls of the libraries of -extern-lib, then of those that calls name by their path.
 * False after a report: a library cannot be read, or does not suit. */
bool tri_library_link(const tri_library_job *job);

/* Lets a machine's functions stand for those of libdevice that the module calls: C's, and those of runtime/vmath,
 * which are linked. False after a report: there is none. */
bool tri_library_link_device(const tri_library_job *job);

/* Is it a function of C's library that neither devices nor runtime/vmath have? */
bool tri_library_lacks(tri_str name_of_c);

/* Links what the module calls of the job's `math`. False after a report. */
bool tri_library_link_math(const tri_library_job *job);

/* Opens one library: null after a report. The caller owns the module. */
LLVMModuleRef tri_library_open(const tri_library_job *job, tri_str path);
/* Links what the module calls of `source`, which it takes. False after a report. */
bool tri_library_link_from(const tri_library_job *job, LLVMModuleRef source, bool is_trusted);

/* Is `f` a function without body, no intrinsic, that is called? */
bool tri_library_is_wanted(LLVMValueRef f);
/* Reports an error (code 7003) at the call of `symbol`. Always false. */
bool tri_library_error(const tri_library_job *job, tri_str symbol, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports the first call whose function is still without body; libraries may call what the machine's own has. */
bool tri_library_check(const tri_library_job *job);

#endif
