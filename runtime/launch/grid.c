/* Grids and heuristics that launchers compute from the arguments: a stack machine over 64-bit integers, as Python
 * divides them. A value that does not exist (1 // 0) spoils what is made of it, but not a choice that does not take
 * it. */
#include "runtime/launch/launch.h"

enum { max_depth = 32 };

typedef struct {
    int64_t value;
    int is_valid;
} operand;

static operand signed_argument(const void *a, unsigned bits)
{
    switch (bits) {
    case 64:
        return (operand){*(const int64_t *)a, 1};
    case 32:
        return (operand){*(const int32_t *)a, 1};
    case 16:
        return (operand){*(const int16_t *)a, 1};
    default:
        return (operand){*(const int8_t *)a, 1};
    }
}

static operand unsigned_argument(const void *a, unsigned bits)
{
    switch (bits) {
    case 64:
        return (operand){(int64_t)*(const uint64_t *)a, *(const uint64_t *)a <= INT64_MAX};
    case 32:
        return (operand){*(const uint32_t *)a, 1};
    case 16:
        return (operand){*(const uint16_t *)a, 1};
    default:
        return (operand){*(const uint8_t *)a, 1};
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

/* Operators that have a result for all numbers. */
static int64_t apply_total(uint16_t op, int64_t a, int64_t b)
{
    switch (op) {
    case TRI_RT_MIN:
        return a < b ? a : b;
    case TRI_RT_MAX:
        return a > b ? a : b;
    case TRI_RT_BIT_AND:
        return a & b;
    case TRI_RT_BIT_OR:
        return a | b;
    case TRI_RT_BIT_XOR:
        return a ^ b;
    case TRI_RT_IS_EQUAL:
        return a == b;
    case TRI_RT_IS_UNEQUAL:
        return a != b;
    case TRI_RT_IS_LESS:
        return a < b;
    default:
        return a <= b;
    }
}

static int apply_shift(uint16_t op, int64_t a, int64_t b, int64_t *out)
{
    if (b < 0 || b > 62)
        return 0;
    if (op == TRI_RT_SHIFT_LEFT)
        return !__builtin_mul_overflow(a, (int64_t)1 << b, out);
    *out = a >> b;
    return 1;
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
    case TRI_RT_SHIFT_LEFT:
    case TRI_RT_SHIFT_RIGHT:
        return apply_shift(op, a, b, out);
    default:
        *out = apply_total(op, a, b);
        return 1;
    }
}

static uint32_t operand_count(uint16_t op)
{
    switch (op) {
    case TRI_RT_NEXT_POWER:
    case TRI_RT_NEXT_DIMENSION:
    case TRI_RT_INT32:
    case TRI_RT_NATURAL:
        return 1;
    case TRI_RT_SELECT:
        return 3;
    default:
        return op <= TRI_RT_UNSIGNED_ARGUMENT ? 0 : 2;
    }
}

/* What a step makes of the operands at `in`. */
static operand make_operand(const tri_rt_step *step, const operand *in, const void *const *args)
{
    operand out = {0, 0};
    switch (step->op) {
    case TRI_RT_PUSH:
        return (operand){step->value, 1};
    case TRI_RT_ARGUMENT:
        return signed_argument(args[step->arg], step->bits);
    case TRI_RT_UNSIGNED_ARGUMENT:
        return unsigned_argument(args[step->arg], step->bits);
    case TRI_RT_NEXT_POWER:
        return (operand){next_power(in[0].value), in[0].is_valid};
    case TRI_RT_INT32:
        return (operand){in[0].value, in[0].is_valid && in[0].value == (int32_t)in[0].value};
    case TRI_RT_NATURAL:
        return (operand){in[0].value, in[0].is_valid && in[0].value >= 0};
    case TRI_RT_SELECT:
        return !in[0].is_valid ? out : in[0].value ? in[1] : in[2];
    default:
        out.is_valid = in[0].is_valid && in[1].is_valid && apply(step->op, in[0].value, in[1].value, &out.value);
        return out;
    }
}

int tri_rt_evaluate(const tri_rt_step *steps, uint64_t count, const void *const *args, int64_t *out)
{
    operand stack[max_depth] = {{0, 0}};
    uint32_t depth = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t taken = operand_count(steps[i].op);
        if (taken > depth || depth - taken == max_depth)
            return 0;
        depth -= taken;
        stack[depth] = make_operand(&steps[i], &stack[depth], args);
        depth++;
    }
    *out = depth == 1 ? stack[0].value : 0;
    return depth == 1 && stack[0].is_valid;
}

int tri_rt_find_grid(const tri_rt_part *part, const void *const *args, tri_grid *out)
{
    uint32_t sizes[3] = {1, 1, 1}, dimension = 0, begin = 0;
    int64_t size;
    for (uint32_t i = 0; i < part->step_count; i++) {
        if (part->grid[i].op != TRI_RT_NEXT_DIMENSION)
            continue;
        if (dimension == 3 || !tri_rt_evaluate(part->grid + begin, i - begin, args, &size) || size < 0 ||
            size > UINT32_MAX)
            return TRI_ERROR_GRID_VALUE;
        sizes[dimension++] = (uint32_t)size;
        begin = i + 1;
    }
    *out = (tri_grid){sizes[0], sizes[1], sizes[2]};
    return dimension ? TRI_OK : TRI_ERROR_GRID_VALUE;
}

