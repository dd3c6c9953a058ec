#include "targets/loops.h"

#include "base/str.h"
#include "ir/op.h"

#include <llvm-c/Core.h>
#include <string.h>

static void append(MlirStringRef text, void *data) { tri_buf_add(data, text.data, text.length); }

/* mlir-c has no way into the attribute but its text, as in #llvm.loop_annotation<licm = <disable = true>>. */
static bool forbids_hoisting(MlirAttribute annotation)
{
    static const char licm[] = "licm = <disable = true";
    tri_buf text = {0};
    mlirAttributePrint(annotation, append, &text);
    bool is_so = text.len && memmem(text.data, text.len, licm, sizeof licm - 1);
    tri_buf_fini(&text);
    return is_so;
}

static LLVMMetadataRef word(LLVMContextRef llvm, const char *name)
{
    LLVMMetadataRef string = LLVMMDStringInContext2(llvm, name, strlen(name));
    return LLVMMDNodeInContext2(llvm, &string, 1);
}

void tri_loops_annotate(MlirOperation loop, LLVMValueRef jump)
{
    MlirAttribute annotation = tri_op_attr(loop, "llvm.loop_annotation");
    if (mlirAttributeIsNull(annotation) || !forbids_hoisting(annotation))
        return;
    LLVMContextRef llvm = LLVMGetTypeContext(LLVMTypeOf(jump));
    LLVMMetadataRef parts[] = {NULL, word(llvm, "llvm.licm.disable"), word(llvm, "llvm.loop.licm_versioning.disable")};
    parts[0] = parts[1]; /* until it names itself, by which LLVM tells loops apart */
    LLVMValueRef node = LLVMMetadataAsValue(llvm, LLVMMDNodeInContext2(llvm, parts, 3));
    LLVMReplaceMDNodeOperandWith(node, 0, LLVMValueAsMetadata(node));
    LLVMSetMetadata(jump, LLVMGetMDKindIDInContext(llvm, "llvm.loop", 9), node);
}
