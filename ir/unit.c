#include "ir/unit.h"

#include "llvm-c/Core.h"

void tri_unit_init(tri_unit *unit, tri_arena *arena, tri_diag *diag, const tri_options *options)
{
    *unit = (tri_unit){.arena = arena, .diag = diag, .options = options};
}

void tri_unit_replace(tri_unit *unit, tri_payload payload)
{
    if (unit->module.ptr)
        mlirModuleDestroy(unit->module);
    unit->module = (MlirModule){0};
    if (unit->llvm_module)
        LLVMDisposeModule(unit->llvm_module);
    unit->llvm_module = NULL;
    tri_buf_fini(&unit->bytes);
    unit->payload = payload;
}

void tri_unit_fini(tri_unit *unit)
{
    tri_unit_replace(unit, TRI_PAYLOAD_NONE);
}

void tri_unit_add_dependency(tri_unit *unit, tri_str path)
{
    for (size_t i = 0; i < unit->dependencies.len; i++)
        if (tri_str_equal(unit->dependencies.at[i], path))
            return;
    tri_vec_push(unit->arena, &unit->dependencies, tri_str_copy(unit->arena, path));
}
