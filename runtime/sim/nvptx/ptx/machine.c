/* Moves, jumps, memory, and what lanes and threads do together. */
#include "runtime/sim/nvptx/ptx/instructions.h"

#include <stdio.h>

void tri_ptx_mov(ptx_state *s, const ptx_instruction *i)
{
    tri_ptx_put(s, &i->operands[0], tri_ptx_get(s, i, &i->operands[1]));
}

/* A loop that waits for others must let them run. */
void tri_ptx_bra(ptx_state *s, const ptx_instruction *i)
{
    enum { jumps_without_rest = 8 };
    size_t target = (size_t)i->operands[0].value;
    if (target < s->next && ++s->jumps % jumps_without_rest == 0)
        s->is_stopped = !s->host->sleep(s->host->data, 100);
    s->next = target;
}

/* ---- memory ---- */

static int words_of(const ptx_instruction *i)
{
    return ptx_has(i, PTX_v2_flag) ? 2 : ptx_has(i, PTX_v4_flag) ? 4 : 1;
}

void tri_ptx_ld(ptx_state *s, const ptx_instruction *i)
{
    const ptx_type_info *t = ptx_type_of(i, 0);
    const ptx_operand *to = &i->operands[0];
    uint64_t words[PTX_MAX_VECTOR] = {0};
    int count = words_of(i);
    s->host->load(s->host->data, tri_ptx_get(s, i, &i->operands[1]), t->bits / 8, count, words);
    for (int k = 0; k < count; k++) {
        uint64_t word = t->kind == PTX_SIGNED ? (uint64_t)ptx_signed(words[k], t->bits) : words[k];
        tri_ptx_put(s, to->kind == OPERAND_VECTOR ? &to->parts[k] : to, word);
    }
}

void tri_ptx_st(ptx_state *s, const ptx_instruction *i)
{
    const ptx_operand *from = &i->operands[1];
    uint64_t words[PTX_MAX_VECTOR] = {0};
    int count = words_of(i);
    for (int k = 0; k < count; k++)
        words[k] = tri_ptx_get(s, i, from->kind == OPERAND_VECTOR ? &from->parts[k] : from);
    s->host->store(s->host->data, tri_ptx_get(s, i, &i->operands[0]), ptx_type_of(i, 0)->bits / 8, count, words);
}

static uint64_t update(ptx_state *s, const ptx_instruction *i, const ptx_operand *operands, uint64_t replacement)
{
    static const struct {
        ptx_flag flag;
        const char *name;
    } operations[] = {{PTX_add_flag, "add"}, {PTX_min_flag, "min"}, {PTX_max_flag, "max"},   {PTX_and_flag, "and"},
                      {PTX_or_flag, "or"},   {PTX_xor_flag, "xor"}, {PTX_exch_flag, "exch"}, {PTX_inc_flag, "inc"},
                      {PTX_dec_flag, "dec"}, {PTX_cas_flag, "cas"}};
    const ptx_type_info *t = ptx_type_of(i, 0);
    char operation[16];
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++)
        if (ptx_has(i, operations[k].flag))
            snprintf(operation, sizeof operation, "%s.%s", operations[k].name, t->name);
    uint64_t address = tri_ptx_get(s, i, &operands[0]), value = tri_ptx_get(s, i, &operands[1]);
    return s->host->atomic(s->host->data, operation, address, t->bits, value, replacement);
}

void tri_ptx_atom(ptx_state *s, const ptx_instruction *i)
{
    tri_ptx_put(s, &i->operands[0], update(s, i, &i->operands[1], 0));
}
void tri_ptx_red(ptx_state *s, const ptx_instruction *i) { update(s, i, &i->operands[0], 0); }

void tri_ptx_cas(ptx_state *s, const ptx_instruction *i)
{
    tri_ptx_put(s, &i->operands[0], update(s, i, &i->operands[1], tri_ptx_get(s, i, &i->operands[3])));
}

/* Global addresses are generic ones. */
void tri_ptx_cvta(ptx_state *s, const ptx_instruction *i) { tri_ptx_mov(s, i); }
void tri_ptx_is_global(ptx_state *s, const ptx_instruction *i) { tri_ptx_put(s, &i->operands[0], true); }

/* Hints, and fences: every access here is seen by all at once. */
void tri_ptx_nothing(ptx_state *s, const ptx_instruction *i) { (void)s, (void)i; }
void tri_ptx_policy(ptx_state *s, const ptx_instruction *i) { tri_ptx_put(s, &i->operands[0], 0); }

/* ---- threads together ---- */

void tri_ptx_nanosleep(ptx_state *s, const ptx_instruction *i)
{
    s->is_stopped = !s->host->sleep(s->host->data, (uint32_t)tri_ptx_get(s, i, &i->operands[0]));
}

void tri_ptx_trap(ptx_state *s, const ptx_instruction *i)
{
    (void)i;
    s->is_stopped = true;
    s->host->trap(s->host->data);
}

void tri_ptx_bar(ptx_state *s, const ptx_instruction *i)
{
    if (i->num_operands > 1 || tri_ptx_get(s, i, &i->operands[0]) != 0)
        s->host->report(s->host->data, "unknown barrier", "only barrier 0, of all threads, is simulated");
    else
        s->host->barrier(s->host->data);
}

/* Operands behind the result: `values` of them, then the mask of lanes. */
static uint64_t exchange(ptx_state *s, const ptx_instruction *i, tri_ptx_exchange what, int values, bool *out_inside)
{
    uint64_t x[3] = {0};
    for (int k = 0; k < values; k++)
        x[k] = tri_ptx_get(s, i, &i->operands[1 + k]);
    uint32_t mask = (uint32_t)tri_ptx_get(s, i, &i->operands[1 + values]);
    return s->host->exchange(s->host->data, what, (int)(i - s->program->code.at), mask, x, out_inside);
}

static void put_pair(ptx_state *s, const ptx_operand *to, uint64_t value, bool second)
{
    tri_ptx_put(s, to, value);
    if (to->second >= 0) {
        ptx_operand predicate = {.kind = OPERAND_REGISTER, .reg = to->second};
        tri_ptx_put(s, &predicate, second);
    }
}

void tri_ptx_shfl(ptx_state *s, const ptx_instruction *i)
{
    tri_ptx_exchange what = ptx_has(i, PTX_up_flag)     ? TRI_PTX_SHUFFLE_UP
                            : ptx_has(i, PTX_down_flag) ? TRI_PTX_SHUFFLE_DOWN
                            : ptx_has(i, PTX_bfly_flag) ? TRI_PTX_SHUFFLE_XOR
                                                        : TRI_PTX_SHUFFLE_INDEX;
    bool is_inside = false;
    uint64_t value = exchange(s, i, what, 3, &is_inside);
    put_pair(s, &i->operands[0], value, is_inside);
}

void tri_ptx_vote(ptx_state *s, const ptx_instruction *i)
{
    tri_ptx_exchange what = ptx_has(i, PTX_all_flag)   ? TRI_PTX_VOTE_ALL
                            : ptx_has(i, PTX_any_flag) ? TRI_PTX_VOTE_ANY
                            : ptx_has(i, PTX_uni_flag) ? TRI_PTX_VOTE_UNIFORM
                                                       : TRI_PTX_VOTE_BALLOT;
    bool unused;
    tri_ptx_put(s, &i->operands[0], exchange(s, i, what, 1, &unused));
}

/* Lanes do not run ahead of each other here: all of them are active. */
void tri_ptx_activemask(ptx_state *s, const ptx_instruction *i) { tri_ptx_put(s, &i->operands[0], UINT32_MAX); }

void tri_ptx_match(ptx_state *s, const ptx_instruction *i)
{
    bool is_all = false;
    uint64_t mask = exchange(s, i, ptx_has(i, PTX_all_flag) ? TRI_PTX_MATCH_ALL : TRI_PTX_MATCH_ANY, 1, &is_all);
    put_pair(s, &i->operands[0], mask, is_all);
}

void tri_ptx_redux(ptx_state *s, const ptx_instruction *i)
{
    bool is_signed = ptx_type_of(i, 0)->kind == PTX_SIGNED, unused;
    tri_ptx_exchange what = ptx_has(i, PTX_add_flag)   ? TRI_PTX_REDUCE_ADD
                            : ptx_has(i, PTX_and_flag) ? TRI_PTX_REDUCE_AND
                            : ptx_has(i, PTX_or_flag)  ? TRI_PTX_REDUCE_OR
                            : ptx_has(i, PTX_xor_flag) ? TRI_PTX_REDUCE_XOR
                            : ptx_has(i, PTX_min_flag) ? (is_signed ? TRI_PTX_REDUCE_SMIN : TRI_PTX_REDUCE_UMIN)
                                                       : (is_signed ? TRI_PTX_REDUCE_SMAX : TRI_PTX_REDUCE_UMAX);
    tri_ptx_put(s, &i->operands[0], exchange(s, i, what, 1, &unused));
}

void tri_ptx_elect(ptx_state *s, const ptx_instruction *i)
{
    bool is_leader = false;
    uint64_t lane = exchange(s, i, TRI_PTX_ELECT, 0, &is_leader);
    put_pair(s, &i->operands[0], lane, is_leader);
}

void tri_ptx_warp_barrier(ptx_state *s, const ptx_instruction *i)
{
    bool unused;
    uint64_t none[3] = {0};
    uint32_t mask = (uint32_t)tri_ptx_get(s, i, &i->operands[0]);
    s->host->exchange(s->host->data, TRI_PTX_WARP_BARRIER, (int)(i - s->program->code.at), mask, none, &unused);
}
