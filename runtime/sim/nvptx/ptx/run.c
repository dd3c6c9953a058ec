/* One instruction after another. */
#include "runtime/sim/nvptx/ptx/instructions.h"

#include <stdio.h>

static void report(ptx_state *s, const ptx_instruction *i, const char *kind, const char *what)
{
    char text[200];
    snprintf(text, sizeof text, "'%s' in line %d of the assembly %s", i->row->name, i->line, what);
    s->host->report(s->host->data, kind, text);
}

static uint64_t get_register(ptx_state *s, const ptx_instruction *i, int reg)
{
    if (!s->is_written[reg]) {
        char text[100];
        snprintf(text, sizeof text, "reads '%.40s', which nothing has written", s->program->registers.at[reg].name);
        report(s, i, "uninitialised register", text);
        s->is_written[reg] = true; /* once is enough */
    }
    return s->registers[reg];
}

static uint64_t get_vector(ptx_state *s, const ptx_instruction *i, const ptx_operand *operand)
{
    uint64_t out = 0;
    int shift = 0;
    for (int k = 0; k < operand->count; k++) {
        out |= tri_ptx_get(s, i, &operand->parts[k]) << shift;
        shift += operand->parts[k].count;
    }
    return out;
}

uint64_t tri_ptx_get(ptx_state *s, const ptx_instruction *i, const ptx_operand *operand)
{
    switch (operand->kind) {
    case OPERAND_REGISTER: return get_register(s, i, operand->reg) ^ operand->is_negated;
    case OPERAND_IMMEDIATE: return operand->value ^ operand->is_negated;
    case OPERAND_SPECIAL: return s->host->special(s->host->data, (tri_ptx_special)operand->value);
    case OPERAND_ADDRESS: return (operand->reg >= 0 ? get_register(s, i, operand->reg) : 0) + operand->value;
    case OPERAND_VECTOR: return get_vector(s, i, operand);
    case OPERAND_TARGET:
    case OPERAND_SINK:
    case OPERAND_NONE: break;
    }
    return 0;
}

void tri_ptx_put(ptx_state *s, const ptx_operand *operand, uint64_t value)
{
    if (operand->kind == OPERAND_VECTOR) {
        int shift = 0;
        for (int k = 0; k < operand->count; shift += operand->parts[k++].count)
            tri_ptx_put(s, &operand->parts[k], value >> shift);
    } else if (operand->kind == OPERAND_REGISTER) {
        s->registers[operand->reg] = value & ptx_mask(s->program->registers.at[operand->reg].bits);
        s->is_written[operand->reg] = true;
    }
}

/* Packed types: element by element. */
void tri_ptx_elementwise(ptx_state *s, const ptx_instruction *i)
{
    const ptx_type_info *t = ptx_type_of(i, 0);
    uint64_t whole[PTX_MAX_OPERANDS], x[PTX_MAX_OPERANDS], out = 0;
    for (int k = 1; k < i->num_operands; k++)
        whole[k - 1] = tri_ptx_get(s, i, &i->operands[k]);
    if (t->lanes == 1) {
        tri_ptx_put(s, &i->operands[0], i->row->value(i, whole));
        return;
    }
    int bits = t->bits / t->lanes;
    for (int lane = 0; lane < t->lanes; lane++) {
        for (int k = 0; k < i->num_operands - 1; k++)
            x[k] = whole[k] >> (lane * bits) & ptx_mask(bits);
        out |= (i->row->value(i, x) & ptx_mask(bits)) << (lane * bits);
    }
    tri_ptx_put(s, &i->operands[0], out);
}

void tri_ptx_run(const tri_ptx_program *program, const tri_ptx_host *host, const uint64_t *inputs, uint64_t *outputs)
{
    ptx_state s;
    s.program = program;
    s.host = host;
    s.next = 0;
    s.is_stopped = s.carry = false;
    s.jumps = 0;
    memset(s.registers, 0, program->registers.len * sizeof *s.registers);
    memset(s.is_written, 0, program->registers.len * sizeof *s.is_written);
    for (int k = 0; k < program->num_inputs; k++) {
        ptx_operand input = {.kind = OPERAND_REGISTER, .reg = program->inputs[k]};
        tri_ptx_put(&s, &input, inputs[k]);
    }
    while (s.next < program->code.len && !s.is_stopped) {
        const ptx_instruction *i = &program->code.at[s.next++];
        if (i->guard < 0 || get_register(&s, i, i->guard) != i->is_guard_negated)
            i->row->run(&s, i);
    }
    memcpy(outputs, s.registers, (size_t)program->num_outputs * sizeof *outputs);
}
