#include "frontend/kernel/signature_spell.h"

#include "frontend/kernel/signature_uses.h"
#include "frontend/kernel/signature_words.h"

tri_str tri_signature_spell_callee(const tri_ast_node *call)
{
    const tri_ast_node *f = call->call.func;
    return f->kind == TRI_AST_ATTRIBUTE ? f->attribute.name : f->kind == TRI_AST_NAME ? tri_ast_text(f) : TRI_STR("");
}

unsigned tri_signature_spell_kind(const tri_ast_node *type)
{
    tri_str text = type ? tri_ast_text(type) : TRI_STR("");
    size_t dot = tri_str_find_last(text, '.');
    text = dot < text.len ? tri_str_sub(text, dot + 1, text.len) : text;
    if (tri_str_has_prefix(text, "float") || tri_str_has_prefix(text, "bfloat"))
        return FACT_FLOAT;
    return tri_str_has_prefix(text, "int") || tri_str_has_prefix(text, "uint") ? FACT_INT : 0;
}

const tri_ast_node *tri_signature_spell_dtype(const tri_ast_node *call)
{
    static const struct {
        const char *name, *keyword;
        uint32_t position;
    } typed[] = {{"to", "dtype", 0},       {"cast", "dtype", 1},
                 {"zeros", "dtype", 1},    {"full", "dtype", 2},
                 {"dot", "out_dtype", 99}, {"sum", "dtype", 99},
                 {"arange", "dtype", 99},  {"_experimental_descriptor_load", "dtype", 3}};
    tri_str f = tri_signature_spell_callee(call);
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
        if (tri_str_is(f, typed[i].name))
            return tri_ast_call_argument(call, typed[i].keyword, typed[i].position);
    return NULL;
}

unsigned tri_signature_spell_extent(tri_str callee)
{
    return tri_str_is(callee, "arange") ? FACT_TILE : tri_str_is(callee, "static_range") ? FACT_UNROLLED : 0;
}

bool tri_signature_spell_is_pointer(const tri_ast_node *type)
{
    return type && type->kind == TRI_AST_CALL && tri_str_is(tri_signature_spell_callee(type), "pointer_type");
}

bool tri_signature_spell_carries(const tri_ast_node *value, tri_str name)
{
    switch (value->kind) {
    case TRI_AST_NAME:
        return tri_str_equal(tri_ast_text(value), name);
    case TRI_AST_BINARY:
        return tri_signature_spell_carries(value->binary.left, name) ||
               tri_signature_spell_carries(value->binary.right, name);
    case TRI_AST_CALL:
        for (uint32_t i = 0; i < value->call.args.len && is_one_of(tri_signature_spell_callee(value), same_kind); i++)
            if (tri_signature_spell_carries(value->call.args.at[i], name))
                return true;
        return false;
    default:
        return false;
    }
}

bool tri_signature_spell_is_wide(const tri_ast_node *e)
{
    return e->kind == TRI_AST_INT && (e->integer.big || e->integer.value > INT32_MAX);
}

bool tri_signature_spell_is_literal(const tri_ast_node *e)
{
    return e->kind == TRI_AST_STRING || e->kind == TRI_AST_INT || e->kind == TRI_AST_TRUE || e->kind == TRI_AST_FALSE;
}
