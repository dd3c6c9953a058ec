/* Gives the partitions of ttg.warp_specialize their warps, behind those of the default region, and their registers.
 *
 *     module attributes {"ttg.num-warps" = 8 : i32}
 *     ttg.warp_specialize() attributes {requestedRegisters = array<i32: 24>} default {...} partition0() num_warps(1)
 * {...} becomes module attributes {"ttg.num-warps" = 8 : i32, "ttg.total-num-warps" = 12 : i32, ttg.maxnreg = 168 :
 * i32} ttg.warp_specialize() attributes {actualRegisters = array<i32: 240, 24>, warpGroupStartIds = array<i32: 8>, ...}
 *
 * Partitions of several operations use the same warps again. The largest come first, so that those of four and more
 * begin at multiples of four. Where registers are asked for, the block has whole groups of four warps, which change
 * theirs together: each gets the most that a partition in it asks for, and the default groups share what is left of
 * what all begin with. Needs: the operations as they are lowered. Answers to tritongpu-allocate-warp-groups. Test:
 * tests/passes/allocate-warp-groups.mlir */
#include "passes/passes.h"

#include "ir/machines.h"
#include "ir/op.h"
#include "ir/options.h"

#include "mlir-c/BuiltinAttributes.h"

enum { max_partitions = 14, warps_together = 4, least_registers = 24, most_registers = 256, register_unit = 8 };

typedef struct {
    MlirOperation op;
    int count;
    int32_t warps[max_partitions], start[max_partitions], requested[max_partitions];
    bool has_requests;
} partitions;

static int round_up(int n, int unit) { return (n + unit - 1) / unit * unit; }

static bool read_partitions(tri_pass_run *run, MlirOperation op, partitions *p)
{
    *p = (partitions){.op = op};
    MlirAttribute warps = tri_op_attr(op, "partitionNumWarps");
    if (mlirDenseArrayGetNumElements(warps) > max_partitions) {
        tri_op_error(run->unit->diag, op, 6002, "more than %d partitions cannot meet: there are no barriers for them",
                     max_partitions);
        return false;
    }
    p->count = tri_op_i32s(op, "partitionNumWarps", p->warps, max_partitions);
    p->has_requests = tri_op_i32s(op, "requestedRegisters", p->requested, max_partitions) == p->count && p->count;
    return true;
}

/* The largest first, each behind the one before; returns where the next one would begin. */
static int place(partitions *p, int first)
{
    for (int size = 1 << 10; size; size /= 2)
        for (int i = 0; i < p->count; i++)
            if (p->warps[i] == size) {
                p->start[i] = first;
                first += size;
            }
    return first;
}

/* Registers of the groups of four warps behind the default's: the most that a partition there asks for. */
static bool share_registers(const partitions *p, int default_warps, int total, int32_t first, int32_t *out)
{
    int default_groups = default_warps / warps_together;
    int32_t left = first * (total / warps_together);
    for (int group = default_groups; group < total / warps_together; group++) {
        int32_t most = 0;
        for (int i = 0; i < p->count; i++)
            if (p->start[i] / warps_together <= group && group * warps_together < p->start[i] + p->warps[i])
                most = p->requested[i] > most ? p->requested[i] : most;
        most = round_up(most < least_registers ? least_registers : most, register_unit);
        for (int i = 0; i < p->count; i++)
            if (p->start[i] / warps_together <= group && group * warps_together < p->start[i] + p->warps[i])
                out[i + 1] = most;
        left -= most;
    }
    int32_t each = left / default_groups / register_unit * register_unit;
    out[0] = each > most_registers ? most_registers : each;
    return each >= first && out[0] >= least_registers;
}

static bool is_same(const int32_t *x, const int32_t *y, int n) { return memcmp(x, y, sizeof *x * (size_t)n) == 0; }

/* Registers of a block whose groups of four warps can exchange them; 0: they cannot. A module that names no machine is
 * taken to be for one that has them. */
static int32_t block_registers(MlirOperation module, int32_t *out_most)
{
    const tri_machine_facts *facts = tri_machines_of(module);
    bool is_named = !mlirAttributeIsNull(tri_op_attr(module, "ttg.target"));
    *out_most = is_named ? facts->max_registers : most_registers - 1;
    return !is_named ? 1 << 16 : facts->has_warp_groups ? facts->block_registers : 0;
}

/* Registers that a thread begins with when all of the block's get as many. */
static int32_t first_registers(tri_pass_run *run, MlirOperation module, int threads)
{
    int32_t most, room = block_registers(module, &most) / (threads ? threads : 1), given = run->unit->options->maxnreg;
    given = given ? given : (int32_t)tri_op_int(module, "ttg.maxnreg", 0);
    if (room > most)
        room /= 2; /* two blocks share the machine */
    room = given && given < room ? given : room;
    return room / register_unit * register_unit;
}

/* What each operation's warps get; none where the machine cannot, or where operations that follow each other would
 * differ. */
static void set_registers(tri_pass_run *run, MlirOperation module, partitions *all, size_t count, int default_warps,
                          int total)
{
    int32_t first = first_registers(run, module, total * (int)tri_op_int(module, "ttg.threads-per-warp", 32));
    int32_t shares[2][max_partitions + 1] = {{0}};
    if (!first || default_warps % warps_together)
        return;
    for (size_t i = 0; i < count; i++) {
        int32_t *share = shares[i > 0];
        if (!all[i].has_requests || !share_registers(&all[i], default_warps, total, first, share) ||
            (i && (all[i].count != all[0].count || !is_same(all[i].start, all[0].start, all[i].count) ||
                   !is_same(shares[0], share, all[i].count + 1))))
            return;
    }
    tri_builder_set_attr(module, "ttg.maxnreg", tri_attr_i32(run->unit->mlir, first));
    for (size_t i = 0; i < count; i++)
        tri_builder_set_attr(all[i].op, "actualRegisters", tri_attr_i32s(run->unit->mlir, all[i].count + 1, shares[0]));
}

static bool run_allocate_warp_groups(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_op_list ops = {0};
    tri_op_collect_named(module, "ttg.warp_specialize", run->arena, &ops);
    if (!ops.len)
        return true;
    int default_warps = (int)tri_op_int(module, "ttg.num-warps", 4), total = default_warps;
    bool has_requests = true;
    partitions *all = TRI_NEW_ARRAY(run->arena, partitions, ops.len);
    for (size_t i = 0; i < ops.len; i++) {
        if (!read_partitions(run, ops.at[i], &all[i]))
            return false;
        int end = place(&all[i], default_warps);
        total = end > total ? end : total;
        has_requests = has_requests && all[i].has_requests;
        tri_builder_set_attr(ops.at[i], "warpGroupStartIds",
                             tri_attr_i32s(run->unit->mlir, all[i].count, all[i].start));
    }
    total = has_requests ? round_up(total, warps_together) : total;
    tri_builder_set_attr(module, "ttg.total-num-warps", tri_attr_i32(run->unit->mlir, total));
    if (has_requests)
        set_registers(run, module, all, ops.len, default_warps, total);
    return true;
}

const tri_pass tri_pass_allocate_warp_groups = {
    .name = "allocate-warp-groups",
    .help = "give partitions their warps and registers",
    .alias = "tritongpu-allocate-warp-groups",
    .run = run_allocate_warp_groups,
};
