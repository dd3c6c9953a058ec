#include "passes/analysis/tasks.h"

#include "mlir-c/BuiltinAttributes.h"

enum { MAX_TASKS = 64 };

static const char name[] = "async_task_id";

uint64_t tri_tasks_read(MlirAttribute attr)
{
    uint64_t tasks = 0;
    bool is_list = !mlirAttributeIsNull(attr) && mlirAttributeIsADenseI32Array(attr);
    for (intptr_t i = 0; is_list && i < mlirDenseArrayGetNumElements(attr); i++) {
        int32_t id = mlirDenseI32ArrayGetElement(attr, i);
        tasks |= id >= 0 && id < MAX_TASKS ? UINT64_C(1) << id : 0;
    }
    return tasks;
}

MlirAttribute tri_tasks_make(MlirContext context, uint64_t tasks)
{
    int32_t ids[MAX_TASKS];
    intptr_t count = 0;
    for (int i = 0; i < MAX_TASKS; i++)
        if (tasks >> i & 1)
            ids[count++] = i;
    return mlirDenseI32ArrayGet(context, count, ids);
}

uint64_t tri_tasks_of(MlirOperation op) { return tri_tasks_read(tri_op_attr(op, name)); }

void tri_tasks_set(MlirOperation op, uint64_t tasks)
{
    tri_builder_set_attr(op, name, tri_tasks_make(mlirOperationGetContext(op), tasks));
}
