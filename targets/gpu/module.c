/* The module: set-up, shared memory, kernel facts, hand-over to the unit. */
#include "targets/gpu/module.h"

#include "base/limit.h"
#include "ir/analysis/axis_info.h"
#include "ir/analysis/pointers.h"
#include "ir/analysis/scratch.h"
#include "ir/context.h"
#include "ir/kernel.h"
#include "ir/llvm.h"
#include "ir/options.h"
#include "ir/readonly.h"
#include "ir/type.h"
#include "targets/facts.h"
#include "targets/target.h"

#include "llvm-c/TargetMachine.h"
#include "mlir-c/BuiltinAttributes.h"

void tri_gpu_conversion_pass(const tri_unit *unit, tri_buf *out)
{
    int warps = tri_facts_warps(unit), lanes = tri_facts_lanes(unit);
    if (unit->target->share_block)
        unit->target->share_block(unit, &warps, &lanes);
    tri_buf_format(out, "convert-triton-to-tritongpu{target=%s num-warps=%d threads-per-warp=%d num-ctas=1}",
                   unit->arch->ttg_target, warps, lanes);
}

static const tri_gpu_op *const tables[] = {
    tri_gpu_ops_arith,  tri_gpu_ops_math,   tri_gpu_ops_cast,   tri_gpu_ops_creation, tri_gpu_ops_shape,
    tri_gpu_ops_memory, tri_gpu_ops_atomic, tri_gpu_ops_reduce, tri_gpu_ops_convert,  tri_gpu_ops_control,
    tri_gpu_ops_function, tri_gpu_ops_debug, tri_gpu_ops_dot, tri_gpu_ops_local, tri_gpu_ops_scan,
    tri_gpu_ops_gather, tri_gpu_ops_extern, tri_gpu_ops_indexed, tri_gpu_ops_partitions,
};

static void add_ops(tri_gpu *g, const tri_gpu_op *op)
{
    for (; op->name; op++)
        tri_map_set(&g->ops, tri_str_from(op->name), (void *)(uintptr_t)op);
}

/* The family's come last, and so take the place of shared ones. */
static void fill_dispatch(tri_gpu *g)
{
    tri_map_init(&g->ops, g->arena);
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        add_ops(g, tables[t]);
    for (const tri_gpu_op *const *own = g->machine->ops; own && *own; own++)
        add_ops(g, *own);
}

static int64_t module_int(MlirModule module, const char *name, int64_t if_absent)
{
    return tri_op_int(mlirModuleGetOperation(module), name, if_absent);
}

static void init(tri_gpu *g, tri_unit *unit, const tri_machine *machine)
{
    *g = (tri_gpu){.unit = unit, .arena = unit->arena, .machine = machine, .arch = unit->arch->capability,
                  .max_made = tri_options_max_ops(unit->options)};
    g->simulate = unit->options->simulate;
    g->may_fuse = !g->simulate && !unit->options->no_fp_fusion;
    g->keeps_subnormals = unit->options->no_reflect_ftz;
    g->release = unit->options->release;
    g->llvm = unit->llvm;
    g->default_warps = (int)module_int(unit->module, "ttg.num-warps", 4);
    g->num_ctas = (int)module_int(unit->module, "ttg.num-ctas", 1);
    g->num_warps = g->most_warps = (int)module_int(unit->module, "ttg.total-num-warps", g->default_warps);
    g->warp_size = unit->lanes = tri_facts_lanes(unit);
    g->i1 = LLVMInt1TypeInContext(g->llvm);
    g->i8 = LLVMInt8TypeInContext(g->llvm);
    g->i16 = LLVMInt16TypeInContext(g->llvm);
    g->i32 = LLVMInt32TypeInContext(g->llvm);
    g->i64 = LLVMInt64TypeInContext(g->llvm);
    g->f32 = LLVMFloatTypeInContext(g->llvm);
    tri_map_init(&g->values, g->arena);
    tri_map_init(&g->words, g->arena);
    tri_map_init(&g->layouts, g->arena);
    tri_map_init(&g->functions, g->arena);
    fill_dispatch(g);
    g->plan = tri_scratch_machine(mlirModuleGetOperation(unit->module));
}

void tri_gpu_choose_function(tri_gpu *g, MlirOperation func)
{
    tri_op_list ops = {0};
    tri_op_collect_named(func, "ttg.warp_specialize", g->arena, &ops);
    g->func = func;
    g->num_warps = ops.len ? g->most_warps : g->default_warps;
}

int tri_gpu_maxnreg(const tri_gpu *g, tri_str symbol)
{
    const tri_unit *unit = g->unit;
    for (size_t i = 0; i < unit->kernels.len && !unit->options->maxnreg; i++)
        if (tri_str_equal(unit->kernels.at[i].symbol, symbol))
            return unit->kernels.at[i].maxnreg;
    return unit->options->maxnreg;
}

int tri_gpu_waves_per_eu(const tri_gpu *g, tri_str symbol)
{
    const tri_kernel *kernel = tri_facts_known_kernel(g->unit, symbol);
    return g->unit->options->waves_per_eu ? g->unit->options->waves_per_eu : kernel ? kernel->waves_per_eu : 0;
}

/* Waves that the machine has no room for. Its blocks are held by four SIMD units. */
static bool check_waves(tri_gpu *g, MlirOperation kernel)
{
    enum { simds = 4 };
    int given = tri_gpu_waves_per_eu(g, tri_op_symbol(kernel)), most = g->unit->arch->resident_warps / simds;
    if (!g->unit->arch->has_buffers || given <= most)
        return true;
    tri_diag_set_limit(g->unit->diag, "waves", given, most);
    tri_op_error(g->unit->diag, kernel, 6003, "%d waves per SIMD unit are too many: '%s' has room for %d", given,
                 g->unit->arch->name, most);
    return false;
}

/* Registers of a block: as many threads as it has must find room for those that they may use at most. */
static bool check_registers(tri_gpu *g, MlirOperation kernel)
{
    tri_gpu_choose_function(g, kernel);
    int threads = g->num_warps * g->warp_size, given = tri_gpu_maxnreg(g, tri_op_symbol(kernel)),
        most = g->unit->arch->max_registers;
    int room = g->unit->arch->block_registers / (threads > 0 ? threads : 1);
    if (!most || given <= 0)
        return true;
    room = room / 8 * 8 < most ? room / 8 * 8 : most; /* threads get them in units of 8 */
    if (given <= room)
        return true;
    tri_diag_set_limit(g->unit->diag, "registers", given, room);
    tri_op_error(g->unit->diag, kernel, 6003,
                 "%d registers per thread are too many: with %d warps '%s' has %d; use -maxnreg=%d", given,
                 g->num_warps, g->unit->arch->name, room, room);
    return false;
}

static bool check_limits(tri_gpu *g, MlirModule module)
{
    tri_op_list kernels = {0};
    tri_op_collect_named(mlirModuleGetOperation(module), "tt.func", g->arena, &kernels);
    size_t len = 0;
    for (size_t i = 0; i < kernels.len; i++)
        if (tri_op_is_kernel(kernels.at[i]))
            kernels.at[len++] = kernels.at[i];
    /* Where reports about all of the module point to. */
    MlirOperation op = len ? kernels.at[0] : mlirModuleGetOperation(module);
    const tri_machine_facts *arch = g->unit->arch;
    int64_t ctas = module_int(module, "ttg.num-ctas", 1), shared = module_int(module, "ttg.shared", 0);
    if (ctas > arch->max_ctas) {
        tri_op_error(g->unit->diag, op, 6002, "clusters of %lld blocks cannot be lowered for '%s'; use -num-ctas=1",
                     (long long)ctas, arch->name);
        return false;
    }
    if (!tri_facts_check_threads(g->unit, g->most_warps, g->warp_size))
        return false;
    if (arch->max_shared && shared > arch->max_shared) {
        tri_diag_set_limit(g->unit->diag, "shared memory", shared, arch->max_shared);
        tri_op_error(g->unit->diag, op, 6003,
                     "the kernel needs %lld bytes of shared memory; '%s' has %u; smaller blocks or fewer stages help",
                     (long long)shared, arch->name, arch->max_shared);
        return false;
    }
    bool ok = true;
    for (size_t i = 0; i < len; i++)
        ok = check_registers(g, kernels.at[i]) && check_waves(g, kernels.at[i]) && ok;
    return ok;
}

/* A kernel of text that others wrote may take what only functions that are inlined can. */
static bool check_parameters(tri_gpu *g, MlirModule module)
{
    bool ok = true;
    tri_op_list functions = {0};
    tri_op_collect_named(mlirModuleGetOperation(module), "tt.func", g->arena, &functions);
    for (size_t i = 0; i < functions.len; i++) {
        MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(functions.at[i], 0));
        for (intptr_t p = 0; !mlirBlockIsNull(entry) && p < mlirBlockGetNumArguments(entry); p++)
            if (!mlirTypeIsNull(tri_type_block_ptr_block(mlirValueGetType(mlirBlockGetArgument(entry, p)))))
                ok = tri_gpu_unsupported(g, functions.at[i], "a parameter cannot point to a block");
    }
    return ok;
}

/* Dynamic: all blocks of the module start at one external symbol, whose size the launcher gives. */
static void make_shared(tri_gpu *g, int64_t bytes)
{
    if (g->machine->shared_is_dynamic || g->simulate) {
        g->shared_global = LLVMAddGlobalInAddressSpace(g->module, LLVMArrayType2(g->i8, 0), "global_smem", 3);
        LLVMSetLinkage(g->shared_global, LLVMExternalLinkage);
    } else {
        LLVMTypeRef type = LLVMArrayType2(g->i8, (uint64_t)(bytes > 0 ? bytes : 1));
        g->shared_global = LLVMAddGlobalInAddressSpace(g->module, type, "global_smem", 3);
        LLVMSetLinkage(g->shared_global, LLVMInternalLinkage);
        LLVMSetInitializer(g->shared_global, LLVMGetUndef(type));
    }
    LLVMSetAlignment(g->shared_global, 16);
}

/* The symbol goes when nothing used it. */
static void drop_unused_shared(tri_gpu *g)
{
    if (!LLVMGetFirstUse(g->shared_global))
        LLVMDeleteGlobal(g->shared_global);
}

/* Facts found while lowering, for every kernel of the module. */
static void record_kernels(tri_gpu *g, MlirModule module)
{
    tri_op_list funcs = {0};
    tri_op_collect_named(mlirModuleGetOperation(module), "tt.func", g->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++) {
        if (!tri_op_is_kernel(funcs.at[i]))
            continue;
        tri_kernel *kernel = tri_facts_find_kernel(g->unit, tri_op_symbol(funcs.at[i]), funcs.at[i]);
        tri_readonly_mark(g->arena, funcs.at[i], kernel);
        tri_gpu_choose_function(g, funcs.at[i]);
        kernel->num_warps = g->num_warps;
        kernel->num_ctas = (int32_t)module_int(module, "ttg.num-ctas", 1);
        kernel->shared_bytes =
            tri_op_int(funcs.at[i], "ttg.shared", module_int(module, "ttg.shared", 0)) + g->exchange_bytes;
        kernel->scratch_bytes = module_int(module, "ttg.global_scratch_memory_size", 0);
        kernel->scratch_alignment = module_int(module, "ttg.global_scratch_memory_alignment", 1);
        kernel->maps = tri_str_copy(g->unit->arena, tri_op_string(funcs.at[i], "tritcc.maps"));
        kernel->maps_for_scratch = tri_op_flag(funcs.at[i], "tritcc.maps-for-scratch");
        kernel->is_persistent = tri_op_flag(funcs.at[i], "tritcc.persistent");
        kernel->maxnreg = tri_gpu_maxnreg(g, kernel->symbol);
        kernel->waves_per_eu = tri_gpu_waves_per_eu(g, kernel->symbol);
        kernel->launch_pdl |= g->unit->options->launch_pdl;
        kernel->launch_cooperative |= g->unit->options->launch_cooperative;
    }
}

/* The simulator's code is the host's, and so are the libraries. */
static bool link_for_simulator(tri_gpu *g)
{
    char *triple = LLVMGetDefaultTargetTriple();
    tri_library_job job = {g->unit, g->module, &g->externs, .triple = triple};
    bool ok = tri_library_link(&job) && tri_library_link_device(&job) && tri_library_check(&job);
    LLVMDisposeMessage(triple);
    return ok;
}

static bool link_libraries(tri_gpu *g)
{
    tri_library_job job = {g->unit, g->module, &g->externs, g->machine->function_convention,
                           .triple = g->machine->triple};
    if (!g->externs.len)
        return true;
    if (g->simulate)
        return link_for_simulator(g);
    return g->machine->link ? g->machine->link(&job) : tri_library_link(&job) && tri_library_check(&job);
}

bool tri_gpu_lower(tri_unit *unit, const tri_machine *machine)
{
    tri_gpu g;
    TRI_ASSERT(unit->payload == TRI_PAYLOAD_MLIR);
    if (!unit->llvm)
        unit->llvm = tri_context_create_llvm(unit->diag);
    init(&g, unit, machine);
    MlirModule module = unit->module;
    if (!check_limits(&g, module) || !check_parameters(&g, module) || !tri_gpu_check_cluster(&g))
        return false;
    g.pointers = tri_pointers_create(g.arena);
    g.axis = tri_axis_info_create(g.arena, mlirModuleGetOperation(module));
    g.module = LLVMModuleCreateWithNameInContext("tritcc", g.llvm);
    if (!g.simulate) { /* the simulator's host gives its own */
        LLVMSetTarget(g.module, machine->triple);
        LLVMSetDataLayout(g.module, machine->data_layout);
    }
    g.b = LLVMCreateBuilderInContext(g.llvm);
    g.needs_scratch = module_int(module, "ttg.global_scratch_memory_size", 0) > 0;
    make_shared(&g, module_int(module, "ttg.shared", 0));
    if (unit->options->debug != TRI_DEBUG_NONE)
        g.debug = tri_gpu_debug_create(&g);
    bool ok = tri_gpu_lower_functions(&g, module);
    if (g.debug)
        tri_gpu_debug_finish(&g);
    LLVMDisposeBuilder(g.b);
    if (ok)
        drop_unused_shared(&g);
    if (!ok || !link_libraries(&g)) {
        LLVMDisposeModule(g.module);
        return false;
    }
    if (unit->options->verify_each && !tri_llvm_verify(unit->diag, g.module)) {
        LLVMDisposeModule(g.module);
        return false;
    }
    record_kernels(&g, module);
    tri_unit_replace(unit, TRI_PAYLOAD_LLVM);
    unit->llvm_module = g.module;
    tri_llvm_set_kernels(unit);
    return true;
}
