#include "frontend/kernel/annotation.h"

#include "frontend/kernel/types.h"

static tri_str annotation_text(const tri_ast_node *param)
{
    const tri_ast_node *annotation = param->param.annotation;
    if (!annotation)
        return TRI_STR("");
    return annotation->kind == TRI_AST_STRING ? annotation->string : tri_ast_text(annotation);
}

static bool has_word(tri_str text, const char *word)
{
    size_t len = strlen(word);
    for (size_t i = 0; i + len <= text.len; i++)
        if (memcmp(text.data + i, word, len) == 0)
            return true;
    return false;
}

bool tri_annotation_is_constexpr(const tri_ast_node *param)
{
    return has_word(annotation_text(param), "constexpr");
}

bool tri_annotation_is_const_pointer(const tri_ast_node *param)
{
    tri_str text = tri_str_trim(annotation_text(param));
    return tri_str_is(text, "tl.const") || tri_str_is(text, "const");
}

const tri_type *tri_annotation_type(tri_arena *arena, const tri_ast_node *param)
{
    tri_str text = tri_str_trim(annotation_text(param));
    if (!text.len || tri_annotation_is_constexpr(param))
        return NULL;
    if (tri_str_is(text, "int"))
        return tri_types_scalar(TRI_DTYPE_INT32);
    if (tri_str_is(text, "float"))
        return tri_types_scalar(TRI_DTYPE_FP32);
    if (tri_str_is(text, "bool"))
        return tri_types_scalar(TRI_DTYPE_INT1);
    const tri_type *type = tri_types_parse(arena, text);
    size_t dot = tri_str_find_last(text, '.');
    if (!type && dot < text.len) /* `language.int32`, `triton.language.int32` */
        type = tri_types_parse(arena, tri_str_sub(text, dot + 1, text.len));
    return type && type->dtype != TRI_DTYPE_VOID ? type : NULL;
}
