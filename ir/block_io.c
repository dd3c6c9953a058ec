#include "ir/block_io.h"

#include "base/map.h"
#include "ir/op.h"

const tri_block_message tri_block_messages[] = {
#define X(name, how, bits, rows, columns, blocks, words, word_bits, since, function) \
    {#name, TRI_BLOCK_##how, bits, rows, columns, blocks, words, word_bits, since, function},
#include "ir/block_io.def"
};

const int tri_block_message_count = sizeof tri_block_messages / sizeof *tri_block_messages;

bool tri_block_is_available(MlirOperation module)
{
    return !mlirAttributeIsNull(tri_op_attr(module, "ttig.support_2d_block_io")) ||
           tri_machines_of(module)->has_block_loads;
}

void tri_block_place(const tri_block_message *m, int bits, int lane, int word, int part, int *out_row, int *out_col)
{
    int parts = m->word_bits / bits;
    switch (m->how) {
    case TRI_BLOCK_TRANSFORM:
        *out_row = word * parts + part;
        *out_col = lane;
        break;
    case TRI_BLOCK_TRANSPOSE:
        *out_row = lane;
        *out_col = word * parts + part;
        break;
    case TRI_BLOCK_ROWS: {
        int lines = TRI_BLOCK_LANES * parts / m->columns; /* rows that a word of all lanes holds */
        int each = m->rows / lines, at = lane * parts + part;
        *out_row = word % each * lines + at / m->columns;
        *out_col = word / each * m->columns + at % m->columns;
        break;
    }
    }
}

/* ---- planning ---- */

typedef struct {
    const tri_block_message *m;
    const tri_linear *layout;
    int bits, parts;
    tri_dim row, col; /* the tensor's dimensions */
    tri_map registers; /* place of lane 0 of warp 0 -> 1 + register */
} planner;

static const void *key_of(int64_t row, int64_t col) { return (const void *)(uintptr_t)(row << 32 | (col + 1)); }

static void index_registers(planner *p, tri_arena *arena)
{
    tri_map_init(&p->registers, arena);
    for (int64_t r = tri_linear_in_size(p->layout, TRI_DIM_REGISTER); r-- > 0;) {
        uint64_t packed = tri_linear_apply_one(p->layout, TRI_DIM_REGISTER, (uint64_t)r);
        int64_t row = tri_linear_coord(p->layout, packed, p->row), col = tri_linear_coord(p->layout, packed, p->col);
        tri_map_set_ptr(&p->registers, key_of(row, col), (void *)(uintptr_t)(r + 1));
    }
}

static int find_register(const planner *p, int64_t row, int64_t col)
{
    return (int)(uintptr_t)tri_map_find_ptr(&p->registers, key_of(row, col)) - 1;
}

/* Lanes hold what the message gives them. */
static bool has_lanes(const planner *p)
{
    if (tri_linear_in_size(p->layout, TRI_DIM_LANE) != TRI_BLOCK_LANES)
        return false;
    for (int bit = 0; 1 << bit < TRI_BLOCK_LANES; bit++) {
        int row, col;
        tri_block_place(p->m, p->bits, 1 << bit, 0, 0, &row, &col);
        if (tri_linear_basis_at(p->layout, TRI_DIM_LANE, bit, p->row) != row ||
            tri_linear_basis_at(p->layout, TRI_DIM_LANE, bit, p->col) != col)
            return false;
    }
    return true;
}

/* The message that holds the element at this place of lane 0. False: a word of it belongs to several lanes. */
static bool place_message(const planner *p, int64_t row, int64_t col, tri_block_part *out)
{
    int columns = p->m->columns * p->m->blocks * (p->m->how == TRI_BLOCK_TRANSPOSE ? p->parts : 1);
    out->row = row / p->m->rows * p->m->rows;
    out->col = col / columns * columns;
    for (int w = 0; w < p->m->words; w++) {
        int found = 0;
        for (int e = 0; e < p->parts; e++) {
            int dr, dc;
            tri_block_place(p->m, p->bits, 0, w, e, &dr, &dc);
            out->reg[w][e] = find_register(p, out->row + dr, out->col + dc);
            found += out->reg[w][e] >= 0;
        }
        if (found && found != p->parts)
            return false;
    }
    return true;
}

static bool plan_messages(planner *p, tri_arena *arena, tri_block_plan *out)
{
    int64_t registers = tri_linear_in_size(p->layout, TRI_DIM_REGISTER);
    uint64_t copies = tri_linear_free_mask(p->layout, TRI_DIM_REGISTER);
    bool *done = TRI_NEW_ARRAY(arena, bool, registers);
    index_registers(p, arena);
    *out = (tri_block_plan){.message = p->m, .parts = p->parts};
    out->at = TRI_NEW_ARRAY(arena, tri_block_part, registers);
    for (int64_t r = 0; r < registers; r++) {
        if ((uint64_t)r & copies || done[r])
            continue;
        uint64_t packed = tri_linear_apply_one(p->layout, TRI_DIM_REGISTER, (uint64_t)r);
        tri_block_part *part = &out->at[out->count++];
        if (!place_message(p, tri_linear_coord(p->layout, packed, p->row), tri_linear_coord(p->layout, packed, p->col),
                           part))
            return false;
        for (int w = 0; w < p->m->words; w++)
            for (int e = 0; e < p->parts; e++)
                if (part->reg[w][e] >= 0)
                    done[part->reg[w][e]] = true;
        if (!done[r])
            return false;
    }
    return true;
}

static bool has_message(const tri_machine_facts *facts, const tri_block_message *m)
{
    enum { FIRST = 2022 };
    return facts->has_block_loads && (m->since == FIRST || facts->has_late_blocks);
}

bool tri_block_plan_load(tri_arena *arena, const tri_machine_facts *facts, const tri_linear *layout, int bits,
                         bool is_column_major, bool is_packed, tri_block_plan *out)
{
    if (layout->out.count != 2 || bits > 32)
        return false;
    for (int i = 0; i < tri_block_message_count; i++) {
        const tri_block_message *m = &tri_block_messages[i];
        planner p = {.m = m, .layout = layout, .bits = bits, .parts = m->word_bits / bits};
        tri_block_how how = is_packed && bits < 32 ? TRI_BLOCK_TRANSFORM : TRI_BLOCK_ROWS;
        bool is_turned = m->how == TRI_BLOCK_TRANSPOSE; /* where lanes have rows of memory */
        p.row = is_column_major ? TRI_DIM_0 + 1 : TRI_DIM_0;
        p.col = is_column_major ? TRI_DIM_0 : TRI_DIM_0 + 1;
        if ((is_turned || (m->how == how && m->bits == bits)) && has_message(facts, m) && has_lanes(&p) &&
            plan_messages(&p, arena, out))
            return true;
    }
    return false;
}

/* A message writes all of its block. */
static bool has_all_registers(const tri_block_plan *plan)
{
    for (int i = 0; i < plan->count; i++)
        for (int w = 0; w < plan->message->words; w++)
            if (plan->at[i].reg[w][0] < 0)
                return false;
    return true;
}

bool tri_block_plan_store(tri_arena *arena, const tri_linear *layout, int bits, tri_block_plan *out)
{
    enum { ROWS = 8, COLUMNS = 16 };
    for (int i = 0; layout->out.count == 2 && i < tri_block_message_count; i++) {
        const tri_block_message *m = &tri_block_messages[i];
        planner p = {.m = m, .layout = layout, .bits = bits, .parts = 1, .row = TRI_DIM_0, .col = TRI_DIM_0 + 1};
        if (m->how == TRI_BLOCK_ROWS && m->bits == bits && m->word_bits == bits && m->rows == ROWS &&
            m->columns == COLUMNS && m->blocks == 1)
            return has_lanes(&p) && plan_messages(&p, arena, out) && has_all_registers(out);
    }
    return false;
}
