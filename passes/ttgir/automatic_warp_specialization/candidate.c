/* Which loops can be split into a producer and consumers, and what the producer takes along. */
#include "passes/ttgir/automatic_warp_specialization/split.h"

#include "ir/machines.h"
#include "ir/type.h"
#include "passes/analysis/buffers.h"
#include "passes/analysis/dots.h"
#include "passes/analysis/tensormaps.h"

/* Bytes of shared memory for mbarriers and exchanges, of which some are left where exchanges are counted. */
enum { reserve = 8192, counted = 5120, alignment = 1024 };
enum { GROUP_WARPS = 4, FEW = 2 /* products */, MOST_PARITIES = 31 };

/* ---- loads ---- */

static bool is_load(MlirOperation op) { return tri_op_is(op, "tt.descriptor_load"); }

static bool is_view(MlirOperation op)
{
    return tri_op_is(op, "ttg.memdesc_trans") || tri_op_is(op, "ttg.memdesc_reshape") ||
           tri_op_is(op, "ttg.memdesc_subslice");
}

static int position_of(MlirBlock body, MlirOperation op)
{
    int at = 0;
    for (MlirOperation other = mlirBlockGetFirstOperation(body); !mlirOperationEqual(other, op);
         other = mlirOperationGetNextInBlock(other))
        at++;
    return at;
}

/* Extends [group->first, group->last] by what reads a buffer, through its views. False: the value leaves the iteration.
 */
static bool find_readers(tri_split_plan *p, MlirValue value, tri_split_group *group)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation owner = mlirOpOperandGetOwner(use), user = tri_op_ancestor_in(p->body, owner);
        if (mlirOperationIsNull(user) || tri_op_is(owner, "scf.yield"))
            return false;
        if (is_view(owner) || tri_op_is(owner, "ttg.local_alloc")) {
            if (!find_readers(p, tri_op_result(owner, 0), group))
                return false;
            continue;
        }
        if (mlirOperationIsNull(group->first) || position_of(p->body, user) < position_of(p->body, group->first))
            group->first = user;
        if (mlirOperationIsNull(group->last) || position_of(p->body, user) > position_of(p->body, group->last))
            group->last = user;
    }
    return true;
}

static const char *add_load(tri_split_plan *p, MlirOperation load)
{
    MlirType tensor = mlirValueGetType(tri_op_result(load, 0));
    tri_split_load l = {.load = load,
                        .buffer = tri_tensormaps_buffer(mlirValueGetType(tri_op_operand(load, 0)), tensor)};
    l.slot = l.buffer;
    l.bytes = l.slot_bytes = tri_type_num_elements(tensor) * tri_type_bits(tri_type_element(tensor)) / 8;
    if (mlirTypeIsNull(l.buffer) || l.bytes % 128)
        return "one of its loads is not of a form that the copy engine has";
    tri_split_group group = {.bytes = l.bytes};
    if (!find_readers(p, tri_op_result(load, 0), &group) || mlirOperationIsNull(group.first))
        return "what a load gives is used in another iteration, or not at all";
    l.group = (int)p->groups.len;
    for (size_t g = 0; g < p->groups.len; g++)
        if (!mlirOperationIsNull(p->anchor) || mlirOperationEqual(p->groups.at[g].first, group.first))
            l.group = (int)g;
    if (l.group == (int)p->groups.len) {
        tri_vec_push(p->arena, &p->groups, group);
    } else {
        tri_split_group *known = &p->groups.at[l.group];
        known->bytes += l.bytes;
        if (position_of(p->body, group.first) < position_of(p->body, known->first))
            known->first = group.first;
        if (position_of(p->body, group.last) > position_of(p->body, known->last))
            known->last = group.last;
    }
    tri_vec_push(p->arena, &p->loads, l);
    return NULL;
}

/* Whether the body reads what a product makes, so that it waits for that where it begins. */
static bool is_read_here(tri_split_plan *p, MlirOperation dot)
{
    MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(dot, 0));
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        bool is_same_value = tri_op_is(user, "scf.yield") || tri_op_is(user, "ttng.warp_group_dot") ||
                             tri_op_is(user, "ttg.convert_layout") || tri_op_is(user, "tt.trans") ||
                             tri_op_is(user, "tt.reshape");
        if (!is_same_value && mlirBlockEqual(mlirOperationGetBlock(user), p->body))
            return true;
    }
    return false;
}

/* Of loops with more than two products, none of which reads registers that the loop loads. */
static MlirOperation find_anchor(tri_split_plan *p)
{
    MlirOperation anchor = {NULL};
    int count = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(p->body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (!tri_op_is(op, "ttng.warp_group_dot"))
            continue;
        count++;
        if (!mlirOperationIsNull(tri_dots_load_of_registers(op)))
            return (MlirOperation){NULL};
        if (mlirOperationIsNull(anchor) && is_read_here(p, op))
            anchor = op;
    }
    return count > FEW ? anchor : (MlirOperation){NULL};
}

/* Whether what comes of a value goes through a buffer before the loop's end, or `depth` steps do not show that it does
 * not. */
static bool meets_buffer(tri_split_plan *p, MlirValue value, int depth)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        tri_memdesc desc;
        if (tri_op_is(user, "ttng.warp_group_dot"))
            continue; /* its registers, or its first sums */
        for (intptr_t i = 0; i < mlirOperationGetNumOperands(user); i++)
            if (tri_type_get_memdesc(mlirValueGetType(tri_op_operand(user, i)), &desc))
                return true;
        for (intptr_t i = 0; i < mlirOperationGetNumResults(user); i++)
            if (!depth || tri_type_get_memdesc(mlirValueGetType(tri_op_result(user, i)), &desc) ||
                meets_buffer(p, tri_op_result(user, i), depth - 1))
                return true;
    }
    return false;
}

static bool writes_memory(tri_split_plan *p)
{
    tri_op_list inside = {0};
    tri_op_collect(p->loop, p->arena, &inside);
    for (size_t i = 0; i < inside.len; i++)
        if (tri_op_is(inside.at[i], "tt.store") || tri_op_is(inside.at[i], "tt.atomic_rmw") ||
            tri_op_is(inside.at[i], "tt.atomic_cas"))
            return true;
    return false;
}

/* A loop that asks for a warp for its copies may have loads through pointers beside them, of a bias or of scales: the
 * warps that multiply go on to make these themselves, at once, in registers. Not where it also writes memory, with
 * which they would have to stay in order. */
static bool stays_with_users(tri_split_plan *p, MlirOperation load)
{
    enum { steps = 24 };
    bool is_asked =
        tri_op_flag(p->loop, "tt.warp_specialize") || tri_passes_option_int(p->run, "least-products", 0) == 1;
    return is_asked && !tri_op_flag(load, "isVolatile") && !writes_memory(p) &&
           !meets_buffer(p, tri_op_result(load, 0), steps);
}

static int count_products(tri_split_plan *p)
{
    int count = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(p->body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        count += tri_op_is(op, "ttng.warp_group_dot");
    return count;
}

static const char *collect_loads(tri_split_plan *p)
{
    tri_op_list inside = {0};
    int products = 0;
    if (tri_passes_option_int(p->run, "overlap", 0))
        p->anchor = find_anchor(p);
    tri_op_collect(p->loop, p->arena, &inside);
    for (size_t i = 0; i < inside.len; i++) {
        MlirOperation op = inside.at[i];
        bool is_top = mlirBlockEqual(mlirOperationGetBlock(op), p->body);
        products += tri_op_is(op, "ttng.warp_group_dot") && is_top;
        if (tri_op_is(op, "scf.for") || tri_op_is(op, "scf.while"))
            return "there is another loop in it";
        if (tri_op_is(op, "tt.descriptor_gather") || (tri_op_is(op, "tt.load") && !stays_with_users(p, op)))
            return "it loads through pointers, or gathers, which the warps that use the data must do themselves";
        if (tri_op_is(op, "tt.descriptor_store") || tri_op_is(op, "tt.descriptor_reduce") ||
            tri_op_is(op, "tt.descriptor_scatter"))
            return "it stores through descriptors";
        if (!is_load(op))
            continue;
        const char *why = is_top ? add_load(p, op) : "a load of it stands in a branch";
        if (why)
            return why;
    }
    return !p->loads.len ? "it has no loads through descriptors"
           : !products   ? "it has no products of warp groups"
                         : NULL;
}

/* ---- the producer's part ---- */

static const char *find_needed(tri_split_plan *p)
{
    for (size_t i = 0; i < p->loads.len; i++)
        for (intptr_t k = 0; k < mlirOperationGetNumOperands(p->loads.at[i].load); k++)
            if (!tri_slice_needs(p->arena, &p->inner, tri_op_operand(p->loads.at[i].load, k)))
                return "where its loads begin depends on what it computes, or its descriptors are made in it";
    return NULL;
}

/* ---- products ---- */

/* The only product of the loop, when its sums go round and nobody else looks at them, and it reads only buffers. */
static MlirOperation find_running_product(tri_split_plan *p)
{
    MlirOperation dot = {NULL}, none = {NULL};
    for (MlirOperation op = mlirBlockGetFirstOperation(p->body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (!tri_op_is(op, "ttng.warp_group_dot"))
            continue;
        if (!mlirOperationIsNull(dot))
            return none;
        dot = op;
    }
    MlirBlock block;
    intptr_t index = 0;
    tri_memdesc desc;
    MlirValue sums = tri_op_operand(dot, 2), result = tri_op_result(dot, 0);
    MlirType element = tri_type_element(mlirValueGetType(result));
    bool is_round = tri_op_is_block_argument(sums, &block, &index) && mlirBlockEqual(block, p->body) && index > 0 &&
                    tri_dots_has_one_use(sums) && tri_dots_has_one_use(result) &&
                    mlirValueEqual(tri_op_operand(mlirBlockGetTerminator(p->body), index - 1), result);
    bool is_read = tri_type_get_memdesc(mlirValueGetType(tri_op_operand(dot, 0)), &desc) &&
                   (mlirTypeIsAF32(element) || tri_type_is_int_of(element, 32));
    for (size_t g = 0; g < p->groups.len; g++)
        is_read = is_read && mlirOperationEqual(p->groups.at[g].last, dot);
    p->sums = index - 1;
    return is_round && is_read ? dot : none;
}

/* Where registers move, a block has all of the machine, or half of it with four consumer warps; so they move where
 * threads hold more sums than leave room for two blocks otherwise (a product of 128x128 with 8 warps is 1.25 times as
 * fast then). With four warps threads begin with 128 registers: an instruction that has as many sums alone does not fit
 * in there, although more would be taken before it runs. */
static tri_split_registers find_registers(tri_split_plan *p)
{
    enum { widest = 128, few = 64 };
    int64_t threads = (int64_t)p->num_warps * p->lanes;
    for (MlirOperation op = mlirBlockGetFirstOperation(p->body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (!tri_op_is(op, "ttng.warp_group_dot"))
            continue;
        const tri_encoding *e = tri_dots_encoding(p->arena, tri_op_result(op, 0));
        p->thread_sums += tri_type_num_elements(mlirValueGetType(tri_op_result(op, 0))) / threads;
        if (e && e->kind == TRI_ENC_NVIDIA_MMA && e->instr_shape[1] > widest && p->num_warps == 4)
            return TRI_SPLIT_REGISTERS_STAY;
    }
    return p->thread_sums > few ? TRI_SPLIT_REGISTERS_MOVE : TRI_SPLIT_REGISTERS_EITHER;
}

/* ---- room ---- */

static bool is_in_loop(MlirOperation op)
{
    for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op))
        if (tri_op_is(op, "scf.for") || tri_op_is(op, "scf.while"))
            return true;
    return false;
}

/* Whether the buffer is given back in front of the loop, as rings of a loop that was split before are. */
static bool is_dead(const tri_split_plan *p, MlirValue buffer)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (tri_op_is(user, "ttg.local_dealloc") && tri_op_dominates(user, p->loop))
            return true;
    }
    return false;
}

/* Shared memory of buffers that lie outside of all loops; another loop's take the same place, at another time. */
static int64_t bytes_outside(tri_split_plan *p)
{
    tri_op_list allocs = {0};
    int64_t bytes = 0;
    tri_op_collect_named(p->func, "ttg.local_alloc", p->arena, &allocs);
    for (size_t i = 0; i < allocs.len; i++) {
        tri_memdesc desc;
        int64_t elements = 1;
        if (!tri_type_get_memdesc(mlirValueGetType(tri_op_result(allocs.at[i], 0)), &desc) ||
            is_in_loop(allocs.at[i]) || is_dead(p, tri_op_result(allocs.at[i], 0)))
            continue;
        for (int d = 0; d < desc.alloc_rank; d++)
            elements *= desc.alloc_shape[d];
        bytes += elements * tri_type_bits(desc.element) / 8;
    }
    return bytes;
}

static int64_t aligned(int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

static const char *choose_stages(tri_split_plan *p, const tri_machine_facts *facts)
{
    int64_t slot = 0, room = facts->max_shared - reserve - bytes_outside(p);
    int64_t around = tri_nest_around_bytes(p), wanted = tri_pipeline_num_stages(p->run, p->loop);
    if (tri_split_is_nested(p))
        room -= tri_nest_bytes(p);
    for (size_t i = 0; i < p->loads.len; i++)
        slot += aligned(p->loads.at[i].bytes);
    /* the next iteration's come early where that leaves as many blocks on a multiprocessor */
    int64_t once = facts->max_shared - reserve + alignment - room + wanted * slot + around, twice = once + around;
    bool is_alone = p->num_warps > GROUP_WARPS || facts->max_shared / once == facts->max_shared / twice;
    bool is_early = wanted > 1 && around && wanted * slot + 2 * around <= room + counted && is_alone;
    p->around_stages = is_early ? 2 : 1;
    room += (is_early ? counted : 0) - p->around_stages * around;
    int64_t stages = wanted * slot > room ? room / slot : wanted;
    p->stages = (int)stages;
    return stages < 2 ? "there is no room in shared memory for two of its stages, or it has one (num_stages)" : NULL;
}

bool tri_candidate_has_room(tri_split_plan *p, int64_t more)
{
    const tri_machine_facts *facts = tri_machines_of(mlirModuleGetOperation(p->run->module));
    int64_t bytes = reserve + bytes_outside(p) + more;
    for (size_t i = 0; i < p->loads.len; i++)
        bytes += p->stages * aligned(p->loads.at[i].slot_bytes);
    return bytes <= facts->max_shared / (p->num_warps > GROUP_WARPS ? 1 : 2);
}

/* ---- the loop ---- */

static const char *check_place(tri_split_plan *p)
{
    const tri_machine_facts *facts = tri_machines_of(mlirModuleGetOperation(p->run->module));
    MlirOperation parent = mlirOperationGetParentOperation(p->loop), top = p->loop;
    if (!facts->has_warp_groups)
        return "the machine has no bulk copies and products of warp groups";
    if (tri_op_is(parent, "scf.for")) {
        top = parent;
        tri_slice_init(p->arena, &p->outer, parent);
        parent = mlirOperationGetParentOperation(parent);
    }
    if (!tri_op_is(parent, "tt.func") || !mlirBlockEqual(mlirOperationGetBlock(top), tri_op_body(parent, 0)))
        return "it stands in a branch, or in more than one other loop";
    p->func = parent;
    tri_op_list calls = {0};
    tri_op_collect_named(parent, "tt.call", p->arena, &calls);
    if (!tri_op_is_kernel(parent) || calls.len)
        return "the kernel calls functions, or it is not in a kernel";
    if (p->num_warps % 4 || p->num_warps > 8)
        return "the kernel has other than 4 or 8 warps";
    return NULL;
}

const char *tri_candidate_find(tri_pass_run *run, MlirOperation loop, tri_split_plan *p)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    *p = (tri_split_plan){.run = run, .arena = run->arena, .loop = loop, .body = tri_op_body(loop, 0)};
    p->num_warps = (int)tri_op_int(module, "ttg.num-warps", 4);
    p->lanes = (int)tri_op_int(module, "ttg.threads-per-warp", 32);
    p->has_turns = tri_passes_option_int(run, "turns", 1) != 0;
    tri_slice_init(run->arena, &p->inner, loop);
    p->inner.has_loads = true;
    const char *why = check_place(p);
    why = why ? why : collect_loads(p);
    why = why ? why : find_needed(p);
    why = why ? why : mlirOperationIsNull(p->outer.loop) ? NULL : tri_nest_check(p);
    if (!why && !mlirOperationIsNull(p->outer.loop))
        tri_nest_find_around(p);
    why = why ? why : choose_stages(p, tri_machines_of(module));
    if (!why) {
        p->dot = find_running_product(p);
        p->registers = find_registers(p);
        p->is_restarted = !mlirOperationIsNull(p->outer.loop) && mlirOperationIsNull(p->dot) &&
                          mlirOperationIsNull(p->anchor) && count_products(p) == FEW && p->stages <= MOST_PARITIES;
    }
    return why;
}
