/* Makes each address of a base, which is a scalar, and offsets.
 *
 *     %p = tt.splat %x                                       %b = tt.addptr %x, %start
 *     %o = arith.addi (tt.splat %start), %range              %s = tt.splat %b
 *     %q = tt.addptr %p, %o                          ->      %q = tt.addptr %s, %range
 *     tt.load %q                                             tt.load %q
 *
 * What all elements add moves the base, what differs between them adds up as an offset, through loops, conditionals
 * and branches, which carry the two instead of pointers. Where an argument says tt.pointer_range = 32 the base stays
 * and offsets of 32 bits grow, from which convert-buffer-ops makes buffer operations; other pointers are taken with
 * enable-large-tensor-ptr-canon alone. A function with ub.poison is left alone. Answers to
 * tritonamdgpu-canonicalize-pointers. Test: tests/passes/canonicalize-pointers.mlir */
#include "passes/ttgir/canonicalize_pointers/split.h"

#include "ir/type.h"

/* Zero offsets for the arguments, at the start of the function. */
static void make_zero_offsets(splitting *s)
{
    MlirBlock entry = tri_op_body(s->func, 0);
    MlirOperation first = mlirBlockGetFirstOperation(entry);
    tri_builder b = tri_builder_before(first);
    b.loc = mlirOperationGetLocation(s->func);
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++) {
        MlirValue argument = mlirBlockGetArgument(entry, i);
        split_pointer *p = tri_split_find(s, argument);
        if (!p)
            continue;
        p->base = argument;
        p->offset = tri_builder_int(&b, mlirIntegerTypeGet(b.context, p->kind == SPLIT_SMALL ? 32 : 64), 0);
    }
}

typedef TRI_VEC(MlirBlock) block_list;

/* A block behind those that it leads to. */
static void collect_backward(splitting *s, MlirBlock block, tri_map *seen, block_list *out)
{
    MlirOperation end = mlirBlockGetTerminator(block);
    tri_map_set_ptr(seen, block.ptr, block.ptr);
    for (intptr_t i = mlirOperationGetNumSuccessors(end); i-- > 0;) {
        MlirBlock next = mlirOperationGetSuccessor(end, i);
        if (!tri_map_find_ptr(seen, next.ptr))
            collect_backward(s, next, seen, out);
    }
    tri_vec_push(s->run->arena, out, block);
}

static size_t count_blocks(MlirOperation func)
{
    size_t n = 0;
    for (MlirBlock block = tri_op_body(func, 0); !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
        n++;
    return n;
}

static void erase_argument(MlirValue argument)
{
    MlirBlock block;
    intptr_t index;
    if (tri_op_is_block_argument(argument, &block, &index))
        mlirBlockEraseArgument(block, (unsigned)index);
}

static void erase_dead(splitting *s)
{
    for (size_t i = 0; i < s->dead.len; i++)
        mlirOperationSetOperands(s->dead.at[i], 0, NULL);
    for (size_t i = 0; i < s->dead.len; i++)
        mlirOperationDestroy(s->dead.at[i]);
    for (size_t i = 0; i < s->dead_arguments.len; i++)
        erase_argument(s->dead_arguments.at[i]);
    tri_op_erase_dead(s->func);
}

static void split_function(splitting *s)
{
    tri_map seen;
    block_list blocks = {0};
    tri_map_init(&s->pointers, s->run->arena);
    tri_map_init(&s->blocks, s->run->arena);
    tri_map_init(&seen, s->run->arena);
    collect_backward(s, tri_op_body(s->func, 0), &seen, &blocks);
    if (blocks.len != count_blocks(s->func)) /* some are never reached */
        return;
    tri_split_decide(s);
    make_zero_offsets(s);
    tri_split_arguments_of_blocks(s);
    for (size_t i = blocks.len; i-- > 0;)
        tri_split_block(s, blocks.at[i]);
    erase_dead(s);
}

static bool has_poison(tri_pass_run *run, MlirOperation func)
{
    tri_op_list poison = {0};
    tri_op_collect_named(func, "ub.poison", run->arena, &poison);
    if (poison.len) {
        tri_diag_set_remarks(run->unit->diag, TRI_STR("pointers")); /* always said, as upstream does */
        tri_diag_remark(run->unit->diag, tri_op_span(run->unit->diag, poison.at[0]), "pointers",
                        "skipping canonicalize-pointers due to ub.poison");
    }
    return poison.len > 0;
}

static bool has_body(MlirOperation func) { return !mlirBlockIsNull(tri_op_body(func, 0)); }

static bool run_canonicalize_pointers(tri_pass_run *run)
{
    tri_op_list funcs = {0};
    bool has_large = tri_passes_option_int(run, "enable-large-tensor-ptr-canon", 0);
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++) {
        splitting s = {.run = run, .func = funcs.at[i], .has_large = has_large};
        if (has_body(funcs.at[i]) && !has_poison(run, funcs.at[i]))
            split_function(&s);
    }
    return true;
}

const tri_pass tri_pass_canonicalize_pointers = {
    .name = "canonicalize-pointers",
    .help = "make addresses of a scalar and of offsets, which loops carry instead of pointers",
    .alias = "tritonamdgpu-canonicalize-pointers",
    .options = (const char *const[]){"enable-large-tensor-ptr-canon=N: pointers without tt.pointer_range too (0)",
                                     NULL},
    .run = run_canonicalize_pointers,
};
