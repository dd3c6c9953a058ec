#include "targets/nvptx/text.h"

static const char *letter(tri_gpu *g, LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMFloatTypeKind: return "f";
    case LLVMDoubleTypeKind: return "d";
    case LLVMPointerTypeKind: return LLVMGetPointerAddressSpace(type) == 1 ? "l" : "r";
    default: break;
    }
    unsigned bits = tri_gpu_bits(g, type);
    return bits == 1 ? "b" : bits <= 16 ? "h" : bits == 32 ? "r" : "l";
}

/* Lists of a hundred registers are common: printf would take as long as all else that is done here. */
static void add_decimal(tri_buf *text, unsigned number)
{
    char digits[16], *at = digits + sizeof digits;
    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    tri_buf_add(text, at, (size_t)(digits + sizeof digits - at));
}

tri_nvptx_text tri_nvptx_text_begin(tri_gpu *g, int room)
{
    tri_nvptx_text t = {.room = room};
    t.types = TRI_NEW_ARRAY(g->arena, LLVMTypeRef, room);
    t.args = TRI_NEW_ARRAY(g->arena, LLVMValueRef, room);
    return t;
}

void tri_nvptx_text_add_results(tri_gpu *g, tri_nvptx_text *t, LLVMTypeRef type, int count, bool is_early)
{
    TRI_ASSERT(t->num_args == 0 && t->num_results + count <= t->room);
    for (int i = 0; i < count; i++) {
        tri_buf_add_z(&t->constraints, t->constraints.len ? ",=" : "=");
        tri_buf_add_z(&t->constraints, is_early ? "&" : "");
        tri_buf_add_z(&t->constraints, letter(g, type));
        t->types[t->num_results++] = type;
    }
}

int tri_nvptx_text_add(tri_gpu *g, tri_nvptx_text *t, LLVMValueRef value, int tie)
{
    TRI_ASSERT(t->num_args < t->room);
    if (t->constraints.len)
        tri_buf_add_char(&t->constraints, ',');
    if (tie >= 0)
        add_decimal(&t->constraints, (unsigned)tie);
    else
        tri_buf_add_z(&t->constraints, letter(g, LLVMTypeOf(value)));
    t->args[t->num_args++] = value;
    return t->num_results + t->num_args - 1;
}

void tri_nvptx_text_list(tri_nvptx_text *t, int first, int count, bool always)
{
    bool has_braces = always || count > 1;
    if (has_braces)
        tri_buf_add_char(&t->text, '{');
    for (int i = 0; i < count; i++) {
        tri_buf_add_z(&t->text, i ? ", $" : "$");
        add_decimal(&t->text, (unsigned)(first + i));
    }
    if (has_braces)
        tri_buf_add_char(&t->text, '}');
}

void tri_nvptx_text_call(tri_gpu *g, tri_nvptx_text *t, int flags, LLVMValueRef *out)
{
    LLVMTypeRef result = t->num_results == 0 ? LLVMVoidTypeInContext(g->llvm)
                         : t->num_results == 1
                             ? t->types[0]
                             : LLVMStructTypeInContext(g->llvm, t->types, (unsigned)t->num_results, false);
    tri_buf_add_z(&t->text, ""); /* there may be none */
    tri_buf_add_z(&t->constraints, "");
    LLVMValueRef call = tri_machine_call_asm(g, t->text.data, t->constraints.data, result, t->args, t->num_args, flags);
    for (int i = 0; i < t->num_results; i++)
        out[i] = t->num_results == 1 ? call : LLVMBuildExtractValue(g->b, call, (unsigned)i, "");
    tri_buf_fini(&t->text);
    tri_buf_fini(&t->constraints);
}
