#include "targets/facts.h"

#include "base/limit.h"
#include "ir/context.h"
#include "ir/kernel.h"
#include "ir/llvm.h"
#include "ir/op.h"
#include "ir/op_classes.h"
#include "ir/options.h"
#include "targets/target.h"

tri_kernel *tri_facts_known_kernel(tri_unit *unit, tri_str symbol)
{
    for (size_t i = 0; i < unit->kernels.len; i++)
        if (tri_str_equal(unit->kernels.at[i].symbol, symbol))
            return &unit->kernels.at[i];
    return NULL;
}

tri_kernel *tri_facts_find_kernel(tri_unit *unit, tri_str symbol, MlirOperation func)
{
    tri_kernel *known = tri_facts_known_kernel(unit, symbol);
    tri_span at = mlirOperationIsNull(func) ? TRI_NO_SPAN : tri_op_span(unit->diag, func);
    if (known) {
        known->at = at.source ? at : known->at;
        return known;
    }
    tri_kernel kernel = {.registers = -1, .spill_bytes = -1, .num_ctas = 1, .at = at};
    MlirAttribute attr = mlirOperationIsNull(func) ? (MlirAttribute){0} : tri_op_attr(func, "tritcc.kernel");
    if (mlirAttributeIsNull(attr) || !tri_kernel_from_attr(unit->arena, attr, &kernel))
        kernel.name = tri_str_copy(unit->arena, symbol);
    if (!kernel.params.len && !mlirOperationIsNull(func))
        tri_kernel_params_from_func(unit->arena, func, &kernel);
    kernel.symbol = tri_str_copy(unit->arena, symbol);
    tri_vec_push(unit->arena, &unit->kernels, kernel);
    return &tri_vec_last(&unit->kernels);
}

/* ---- what all kernels of a module share ---- */

/* The first kernel that says something decides for those that say nothing. */
static const tri_kernel *first_with(const tri_unit *unit, int32_t (*fact)(const tri_kernel *))
{
    for (size_t i = 0; i < unit->kernels.len; i++)
        if (fact(&unit->kernels.at[i]) > 0)
            return &unit->kernels.at[i];
    return NULL;
}

static int32_t warps_of(const tri_kernel *k) { return k->num_warps; }
static int32_t stages_of(const tri_kernel *k) { return k->num_stages; }
static int32_t ctas_of(const tri_kernel *k) { return k->num_ctas; }
static int32_t matrix_size_of(const tri_kernel *k) { return k->matrix_size; }
static int32_t k_pack_of(const tri_kernel *k) { return k->k_pack; }

static int decide(const tri_unit *unit, int given, int32_t (*fact)(const tri_kernel *), int if_none)
{
    const tri_kernel *first = given > 0 ? NULL : first_with(unit, fact);
    return given > 0 ? given : first ? fact(first) : if_none;
}

int tri_facts_warps(const tri_unit *unit)
{
    return decide(unit, unit->options->num_warps, warps_of, unit->target->default_warps);
}
int tri_facts_stages(const tri_unit *unit)
{
    return decide(unit, unit->options->num_stages, stages_of, unit->target->default_stages);
}
int tri_facts_ctas(const tri_unit *unit) { return decide(unit, unit->options->num_ctas, ctas_of, 1); }
int tri_facts_matrix_size(const tri_unit *unit) { return decide(unit, unit->options->matrix_size, matrix_size_of, 0); }
int tri_facts_k_pack(const tri_unit *unit) { return decide(unit, unit->options->k_pack, k_pack_of, 1); }

static MlirWalkResult find_product(MlirOperation op, void *data)
{
    bool *has_product = data;
    *has_product |= tri_op_in(op, TRI_OPS_PRODUCT);
    return *has_product ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

int tri_facts_lanes(const tri_unit *unit)
{
    bool has_product = false;
    if (unit->lanes || !unit->module.ptr)
        return unit->lanes ? unit->lanes : unit->arch->lanes;
    MlirOperation module = mlirModuleGetOperation(unit->module);
    int64_t lanes = tri_op_int(module, "ttg.threads-per-warp", 0);
    if (lanes == 0 && unit->arch->mma_lanes)
        mlirOperationWalk(module, find_product, &has_product, MlirWalkPreOrder);
    return lanes ? (int)lanes : has_product ? unit->arch->mma_lanes : unit->arch->lanes;
}

bool tri_facts_check_threads(tri_unit *unit, int warps, int lanes)
{
    const tri_machine_facts *arch = unit->arch;
    int64_t threads = (int64_t)warps * lanes;
    if (!arch->max_threads || threads <= arch->max_threads)
        return true;
    MlirOperation op = mlirModuleGetOperation(unit->module);
    tri_op_list funcs = {0};
    tri_op_collect_named(op, "tt.func", unit->arena, &funcs);
    for (size_t i = funcs.len; i-- > 0;)
        op = tri_op_is_kernel(funcs.at[i]) ? funcs.at[i] : op;
    tri_diag_set_limit(unit->diag, "threads", threads, arch->max_threads);
    tri_op_error(unit->diag, op, 6003, "%d warps are %lld threads; '%s' allows %u in a block", warps,
                 (long long)threads, arch->name, arch->max_threads);
    return false;
}

static MlirOperation function_of(tri_unit *unit, const tri_kernel *kernel)
{
    MlirOperation op = mlirModuleGetOperation(unit->module);
    tri_op_list funcs = {0};
    tri_op_collect_named(op, "tt.func", unit->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++)
        op = tri_str_equal(tri_op_symbol(funcs.at[i]), kernel->symbol) ? funcs.at[i] : op;
    return op;
}

static void report_other(tri_unit *unit, const tri_kernel *first, const tri_kernel *other, const char *option, int a,
                         int b)
{
    tri_op_error(unit->diag, function_of(unit, other), 6004,
                 "'%.*s' asks for -%s=%d and '%.*s' for %d; compile them apart (-k), or give -%s",
                 TRI_STR_ARG(other->name), option, b, TRI_STR_ARG(first->name), a, option);
}

/* What mfma is to be like: reports at the first kernel that asks for something else. */
static bool check_mfma(tri_unit *unit)
{
    for (size_t i = 0; i < unit->kernels.len && unit->arch->mma == TRI_MMA_MFMA; i++) {
        const tri_kernel *k = &unit->kernels.at[i];
        bool has_size = !k->matrix_size || k->matrix_size == 16 || k->matrix_size == 32;
        if (has_size && k->k_pack <= 2)
            continue;
        tri_op_error(unit->diag, function_of(unit, k), 6003, "'%.*s' asks for %s of %d; '%s' has %s",
                     TRI_STR_ARG(k->name), has_size ? "a kpack" : "a matrix_instr_nonkdim",
                     has_size ? k->k_pack : k->matrix_size, unit->arch->name, has_size ? "1 and 2" : "16 and 32");
        return false;
    }
    return true;
}

bool tri_facts_agree(tri_unit *unit)
{
    if (!check_mfma(unit))
        return false;
    const tri_options *o = unit->options;
    const struct {
        const char *option;
        int given;
        int32_t (*fact)(const tri_kernel *);
        bool is_mfma;
    } shared[] = {
        {"num-warps", o->num_warps, warps_of, false},
        {"num-stages", o->num_stages, stages_of, false},
        {"num-ctas", o->num_ctas, ctas_of, false},
        {"matrix-instr-nonkdim", o->matrix_size, matrix_size_of, true},
        {"kpack", o->k_pack, k_pack_of, true},
    };
    for (size_t s = 0; s < sizeof shared / sizeof *shared; s++) {
        const tri_kernel *first = shared[s].given > 0 ? NULL : first_with(unit, shared[s].fact);
        if (shared[s].is_mfma && unit->arch->mma != TRI_MMA_MFMA)
            continue;
        for (size_t i = 0; first && i < unit->kernels.len; i++) {
            const tri_kernel *k = &unit->kernels.at[i];
            int a = shared[s].fact(first), b = shared[s].fact(k);
            if (b > 0 && a != b) {
                report_other(unit, first, k, shared[s].option, a, b);
                return false;
            }
        }
    }
    return true;
}

/* ---- records as text ---- */

static void append_string(MlirStringRef piece, void *data) { tri_buf_add(data, piece.data, piece.length); }

/* Attribute builders need a context even when the unit started behind MLIR. */
static MlirContext context_of(tri_unit *unit)
{
    if (!unit->mlir.ptr)
        unit->mlir = tri_context_create_mlir(unit->diag);
    return unit->mlir;
}

static void print_kernel(tri_unit *unit, const tri_kernel *kernel, tri_buf *out)
{
    mlirAttributePrint(tri_kernel_to_attr(context_of(unit), kernel), append_string, out);
}

static bool parse_kernel(tri_unit *unit, tri_str text)
{
    MlirAttribute attr = mlirAttributeParseGet(context_of(unit), mlirStringRefCreate(text.data, text.len));
    tri_kernel kernel = {0};
    if (mlirAttributeIsNull(attr) || !tri_kernel_from_attr(unit->arena, attr, &kernel)) {
        tri_diag_error(unit->diag, TRI_NO_SPAN, 5011, "the kernel facts in the input are malformed");
        return false;
    }
    tri_vec_push(unit->arena, &unit->kernels, kernel);
    return true;
}

static const char comment[] = "// tritcc.kernel ";

/* Every record as a comment line of assembly: `// tritcc.kernel {...}`. */
static void append_facts(tri_unit *unit, tri_buf *text)
{
    for (size_t i = 0; i < unit->kernels.len; i++) {
        tri_buf_add_z(text, comment);
        print_kernel(unit, &unit->kernels.at[i], text);
        tri_buf_add_char(text, '\n');
    }
}

bool tri_facts_parse(tri_unit *unit, tri_str text)
{
    if (unit->kernels.len)
        return true;
    while (text.len) {
        size_t end = tri_str_find(text, '\n');
        tri_str line = tri_str_sub(text, 0, end);
        if (tri_str_has_prefix(line, comment) &&
            !parse_kernel(unit, tri_str_sub(line, sizeof comment - 1, line.len)))
            return false;
        text = tri_str_sub(text, end < text.len ? end + 1 : end, text.len);
    }
    return true;
}

bool tri_facts_emit_text(tri_unit *unit, LLVMTargetMachineRef machine, const char *const *left_out)
{
    TRI_ASSERT(unit->payload == TRI_PAYLOAD_LLVM);
    if (!machine)
        return false;
    tri_buf text = {0};
    static const char *const none[] = {NULL};
    bool ok = tri_llvm_emit_without(unit->diag, unit->llvm_module, machine, LLVMAssemblyFile,
                                    left_out ? left_out : none, &text);
    tri_llvm_dispose_machine(machine);
    if (!ok) {
        tri_buf_fini(&text);
        return false;
    }
    append_facts(unit, &text);
    tri_unit_replace(unit, TRI_PAYLOAD_BYTES);
    unit->bytes = text;
    return true;
}
