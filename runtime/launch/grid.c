/* Grids that launchers compute from the arguments: a stack machine over 64-bit integers, as Python divides them. */
#include "runtime/launch/launch.h"

enum { max_depth = 32 };

static int64_t argument(const tri_rt_step *step, const void *const *args)
{
    const void *a = args[step->arg];
    switch (step->bits) {
    case 64:
        return *(const int64_t *)a;
    case 32:
        return *(const int32_t *)a;
    case 16:
        return *(const int16_t *)a;
    default:
        return *(const int8_t *)a;
    }
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b && (a < 0) != (b < 0)); }

static int64_t next_power(int64_t a)
{
    int64_t power = 1;
    while (power < a && power < INT64_MAX / 2)
        power *= 2;
    return power;
}

/* False when the result is no 64-bit integer. */
static int apply(uint16_t op, int64_t a, int64_t b, int64_t *out)
{
    int is_division = op == TRI_RT_FLOOR_DIV || op == TRI_RT_MOD || op == TRI_RT_CDIV;
    if (is_division && (b == 0 || (a == INT64_MIN && b == -1)))
        return 0;
    switch (op) {
    case TRI_RT_ADD:
        return !__builtin_add_overflow(a, b, out);
    case TRI_RT_SUB:
        return !__builtin_sub_overflow(a, b, out);
    case TRI_RT_MUL:
        return !__builtin_mul_overflow(a, b, out);
    case TRI_RT_FLOOR_DIV:
        *out = floor_div(a, b);
        return 1;
    case TRI_RT_MOD:
        *out = a - floor_div(a, b) * b;
        return 1;
    case TRI_RT_CDIV:
        *out = -floor_div(-a, b);
        return a != INT64_MIN;
    case TRI_RT_MIN:
        *out = a < b ? a : b;
        return 1;
    default:
        *out = a > b ? a : b;
        return 1;
    }
}

int tri_rt_find_grid(const tri_rt_part *part, const void *const *args, tri_grid *out)
{
    int64_t stack[max_depth];
    uint32_t sizes[3] = {1, 1, 1}, depth = 0, dimension = 0;
    for (uint32_t i = 0; i < part->step_count; i++) {
        const tri_rt_step *step = &part->grid[i];
        if (depth == max_depth || dimension == 3)
            return TRI_ERROR_GRID;
        if (step->op == TRI_RT_PUSH || step->op == TRI_RT_ARGUMENT) {
            stack[depth++] = step->op == TRI_RT_PUSH ? step->value : argument(step, args);
        } else if (step->op == TRI_RT_NEXT_DIMENSION) {
            if (stack[--depth] < 0 || stack[depth] > UINT32_MAX)
                return TRI_ERROR_GRID;
            sizes[dimension++] = (uint32_t)stack[depth];
        } else if (step->op == TRI_RT_NEXT_POWER) {
            stack[depth - 1] = next_power(stack[depth - 1]);
        } else if (depth--, !apply(step->op, stack[depth - 1], stack[depth], &stack[depth - 1])) {
            return TRI_ERROR_GRID;
        }
    }
    *out = (tri_grid){sizes[0], sizes[1], sizes[2]};
    return part->step_count ? TRI_OK : TRI_ERROR_GRID;
}
