#include "driver/inspect.h"

#include "base/file.h"

#include "llvm-c/Core.h"
#include "llvm-c/Object.h"

/* Where the writer of objects describes them (targets/object). */
static const char section[] = ".tritcc";

static void add_section(LLVMBinaryRef binary, tri_buf *out)
{
    LLVMSectionIteratorRef i = LLVMObjectFileCopySectionIterator(binary);
    for (; !LLVMObjectFileIsSectionIteratorAtEnd(binary, i); LLVMMoveToNextSection(i))
        if (LLVMGetSectionName(i) && !strcmp(LLVMGetSectionName(i), section))
            tri_buf_add(out, LLVMGetSectionContents(i), (size_t)LLVMGetSectionSize(i));
    LLVMDisposeSectionIterator(i);
}

bool tri_inspect_print(tri_session *session, tri_str path, tri_buf *out)
{
    tri_str bytes;
    char *message = NULL;
    int error = 0;
    if (!tri_file_read(session->arena, path, &bytes, &error)) {
        tri_diag_error(session->diag, TRI_NO_SPAN, 1001, "cannot read '%.*s': %s", TRI_STR_ARG(path), strerror(error));
        return false;
    }
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes.data, bytes.len, "object");
    LLVMContextRef context = LLVMContextCreate();
    LLVMBinaryRef binary = LLVMCreateBinary(buffer, context, &message);
    if (binary && LLVMBinaryGetType(binary) >= LLVMBinaryTypeELF32L &&
        LLVMBinaryGetType(binary) <= LLVMBinaryTypeELF64B)
        add_section(binary, out);
    if (binary)
        LLVMDisposeBinary(binary);
    LLVMDisposeMessage(message);
    LLVMDisposeMemoryBuffer(buffer);
    LLVMContextDispose(context);
    if (!out->len)
        tri_diag_error(session->diag, TRI_NO_SPAN, 1005, "'%.*s' is no object or library with kernels of tritcc",
                       TRI_STR_ARG(path));
    return out->len > 0;
}
