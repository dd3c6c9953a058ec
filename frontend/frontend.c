#include "frontend/frontend.h"

#include "frontend/ast.h"

bool tri_frontend_parse(tri_unit *unit)
{
    tri_ast_module *ast = tri_parser_parse(unit->arena, unit->diag, unit->source);
    if (!ast)
        return false;
    tri_unit_replace(unit, TRI_PAYLOAD_AST);
    unit->ast = ast;
    return true;
}
