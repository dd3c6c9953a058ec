/* Debug information of host code while it is made; private to lines.c and variables.c. */
#ifndef TRI_TARGETS_CPU_LINES_H
#define TRI_TARGETS_CPU_LINES_H

#include "targets/cpu/cpu.h"

#include "llvm-c/DebugInfo.h"

struct tri_cpu_lines {
    LLVMDIBuilderRef builder;
    LLVMMetadataRef type, subprogram;
    LLVMMetadataRef scope; /* of what follows: the subprogram, or a block of it */
    LLVMValueRef line; /* the number of the last statement that began, to have an instruction for it; null: not yet */
    tri_str file;   /* of the subprogram */
    tri_map files;  /* name -> DIFile */
    tri_map scopes; /* name -> scope of another file inside the subprogram */
    tri_map variables; /* name -> the variable that is in sight (variables.c) */
};

LLVMMetadataRef tri_cpu_lines_file(tri_cpu_gen *g, tri_str name);

#endif
