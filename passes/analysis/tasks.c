#include "passes/analysis/tasks.h"

#include "mlir-c/BuiltinAttributes.h"

enum { MAX_TASKS = 64 };

static const char name[] = "async_task_id";

uint64_t tri_tasks_of(MlirOperation op)
{
    int32_t ids[MAX_TASKS];
    uint64_t tasks = 0;
    int count = tri_op_i32s(op, name, ids, MAX_TASKS);
    for (int i = 0; i < count; i++)
        tasks |= ids[i] >= 0 && ids[i] < MAX_TASKS ? UINT64_C(1) << ids[i] : 0;
    return tasks;
}

void tri_tasks_set(MlirOperation op, uint64_t tasks)
{
    int32_t ids[MAX_TASKS];
    intptr_t count = 0;
    for (int i = 0; i < MAX_TASKS; i++)
        if (tasks >> i & 1)
            ids[count++] = i;
    tri_builder_set_attr(op, name, mlirDenseI32ArrayGet(mlirOperationGetContext(op), count, ids));
}
