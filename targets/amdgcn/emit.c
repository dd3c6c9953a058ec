/* LLVM's passes and code generator for AMD GPUs, its assembler and linker. */
#include "base/file.h"
#include "ir/kernel.h"
#include "ir/llvm.h"
#include "ir/machines.h"
#include "ir/options.h"
#include "targets/amdgcn/amdgcn.h"
#include "targets/external.h"
#include "targets/facts.h"
#include "targets/gpu/sink.h"
#include "targets/target.h"

#include "llvm-c/TargetMachine.h"

#include <string.h>

enum { code_tool = 7001 };

/* The last one finds what kernels need of the hardware's hidden arguments and registers: without it each asks for all.
 * Chips with mfma add, multiply and fuse two floats at once. */
#define SIMPLIFY \
    "early-cse,instcombine<no-verify-fixpoint>,simplifycfg,reassociate,early-cse<memssa>,correlated-propagation," \
    "instcombine<no-verify-fixpoint>,simplifycfg,adce"
static const char pipeline[] = "function(" SIMPLIFY "),amdgpu-attributor",
                  packing_pipeline[] = "function(" SIMPLIFY ",slp-vectorizer,early-cse),amdgpu-attributor",
                  cleaning_pipeline[] = "function(instcombine<no-verify-fixpoint>,early-cse,adce)";

/* LLVM keeps to the order that it is given where another takes more registers than there are. */
static const tri_gpu_sinking sinking = {
    .reads = (const char *const[]){"buffer.load.i", "buffer.load.v", NULL}, /* without those to shared memory */
    .pure = (const char *const[]){NULL},
    .products = (const char *const[]){NULL},
    .is_shared_only = true,
};

static LLVMTargetMachineRef create_machine(tri_unit *unit)
{
    tri_llvm_start_target("amdgcn");
    return tri_llvm_create_machine(unit->diag, tri_amdgcn_machine.triple, unit->arch->cpu, unit->arch->features, 2);
}

/* With the passes for this machine: offsets and counters are found before LLVM's passes change them. */
static bool run_passes(tri_unit *unit, LLVMTargetMachineRef machine)
{
    LLVMModuleRef module = unit->llvm_module;
    bool has_pairs = unit->arch->mma == TRI_MMA_MFMA, has_rounding = has_pairs && unit->arch->mma_version >= 4;
    bool ok = machine && tri_llvm_run_passes(unit->diag, module, machine, "always-inline,globaldce");
    if (ok && unit->options->opt_level) {
        tri_amdgcn_count_offsets(unit->arena, module);
        tri_amdgcn_merge_counters(unit->arena, module);
    }
    ok = ok && tri_llvm_run_passes(unit->diag, module, machine, has_pairs ? packing_pipeline : pipeline);
    if (ok && unit->options->opt_level && tri_amdgcn_narrow_numbers(unit->arena, module))
        ok = tri_llvm_run_passes(unit->diag, module, machine, cleaning_pipeline);
    if (ok && has_pairs)
        tri_amdgcn_unpack_floats(unit->arena, module);
    if (ok && !has_rounding)
        tri_amdgcn_round_to_bf16(module);
    if (ok && unit->options->opt_level) {
        tri_amdgcn_move_constants(module);
        tri_amdgcn_compare_distances(unit->arena, module);
        tri_gpu_sink_loads(unit->arena, module, &sinking);
    }
    return ok;
}

bool tri_amdgcn_optimize(tri_unit *unit)
{
    TRI_ASSERT(unit->payload == TRI_PAYLOAD_LLVM);
    tri_library_calls no_calls = {0}; /* of those that primitives make, and a module that came as LLVM IR */
    if (!tri_amdgcn_link(&(tri_library_job){unit, unit->llvm_module, &no_calls, tri_amdgcn_machine.function_convention,
                                            .triple = tri_amdgcn_machine.triple}))
        return false;
    LLVMTargetMachineRef machine = create_machine(unit);
    bool ok = run_passes(unit, machine);
    tri_llvm_dispose_machine(machine);
    return ok;
}

const char tri_amdgcn_simulated_layout[] = "e-p3:64:64:64:32-i64:64";

bool tri_amdgcn_optimize_simulated(tri_unit *unit)
{
    TRI_ASSERT(unit->payload == TRI_PAYLOAD_LLVM);
    LLVMTargetMachineRef machine = create_machine(unit);
    LLVMSetDataLayout(unit->llvm_module, tri_amdgcn_simulated_layout);
    bool ok = run_passes(unit, machine);
    LLVMSetDataLayout(unit->llvm_module, ""); /* the host's again */
    tri_llvm_dispose_machine(machine);
    return ok;
}

bool tri_amdgcn_emit_text(tri_unit *unit)
{
    static const char *const left_out[] = {TRI_FACTS_IDLE, NULL},
                             *const without_variables[] = {TRI_FACTS_IDLE, TRI_FACTS_OF_VARIABLES, NULL};
    bool has_variables = unit->options->debug == TRI_DEBUG_FULL;
    return tri_facts_emit_text(unit, create_machine(unit), has_variables ? left_out : without_variables);
}

static bool emit_text(tri_unit *unit)
{
    const tri_options *o = unit->options;
    bool fits = !o->no_fit_registers && o->opt_level && o->debug != TRI_DEBUG_FULL;
    LLVMModuleRef spare = fits ? LLVMCloneModule(unit->llvm_module) : NULL; /* which code generation leaves as it is */
    if (tri_amdgcn_emit_text(unit))
        return !spare || tri_amdgcn_fit_registers(unit, spare);
    if (spare)
        LLVMDisposeModule(spare);
    return false;
}

/* LLVM takes a bound as far only as shared memory would let more waves run. */
static void tell_unkept(const tri_unit *unit)
{
    for (size_t i = 0; i < unit->kernels.len; i++) {
        const tri_kernel *k = &unit->kernels.at[i];
        if (k->maxnreg <= 0 || k->registers <= k->maxnreg)
            continue;
        const char *why = k->waves_per_eu ? "waves_per_eu says how many waves run"
                                          : "with fewer its shared memory lets no more waves run";
        tri_diag_warning(unit->diag, k->at, "unused-option",
                         "'%.*s' takes %d registers per thread, not %d as -maxnreg asks: %s", TRI_STR_ARG(k->name),
                         k->registers, k->maxnreg, why);
    }
}

bool tri_amdgcn_emit(tri_unit *unit)
{
    if (!emit_text(unit) || !tri_amdgcn_measure(unit, tri_buf_str(&unit->bytes)))
        return false;
    tell_unkept(unit);
    return true;
}

/* ---- what the metadata says ---- */

/* YAML between .amdgpu_metadata and .end_amdgpu_metadata; of each kernel .name comes before the registers. A lane's
 * spilled registers take 4 bytes each. */
static void read_metadata(tri_unit *unit, tri_str text)
{
    tri_kernel *kernel = NULL;
    bool is_inside = false;
    while (text.len) {
        size_t end = tri_str_find(text, '\n');
        tri_str line = tri_str_trim(tri_str_sub(text, 0, end));
        text = tri_str_sub(text, end < text.len ? end + 1 : end, text.len);
        is_inside = is_inside || tri_str_is(line, ".amdgpu_metadata");
        size_t colon = tri_str_find(line, ':');
        if (!is_inside || colon == line.len)
            continue;
        tri_str word = tri_str_sub(line, 0, colon), value = tri_str_trim(tri_str_sub(line, colon + 1, line.len));
        int64_t number;
        if (tri_str_is(word, ".name") && tri_facts_known_kernel(unit, value))
            kernel = tri_facts_known_kernel(unit, value);
        if (!kernel || !tri_str_to_i64(value, &number))
            continue;
        if (tri_str_is(word, ".vgpr_count"))
            kernel->registers = (int32_t)number;
        if (tri_str_is(word, ".vgpr_spill_count"))
            kernel->spill_bytes = (int32_t)number * 4;
    }
}

bool tri_amdgcn_measure(tri_unit *unit, tri_str code)
{
    if (!tri_facts_parse(unit, code))
        return false;
    read_metadata(unit, code);
    return true;
}

/* ---- code objects ---- */

typedef struct {
    tri_str object, image;
} job;

static bool link_object(tri_unit *unit, tri_str folder, void *data)
{
    job *j = data;
    tri_str input, output;
    int error = 0;
    if (!tri_external_write(unit, folder, "kernel.o", j->object, &input) ||
        !tri_external_name(unit, folder, "kernel.hsaco", &output))
        return false;
    const char *const arguments[] = {"ld.lld",   "-shared", "--no-undefined", "--threads=1",
                                     input.data, "-o",      output.data};
    if (!tri_llvm_link_object(unit->diag, arguments, sizeof arguments / sizeof *arguments))
        return false;
    if (tri_file_read(unit->arena, output, &j->image, &error))
        return true;
    tri_diag_error(unit->diag, TRI_NO_SPAN, code_tool, "the linker left no output: %s", strerror(error));
    return false;
}

bool tri_amdgcn_assemble(tri_unit *unit)
{
    TRI_ASSERT(unit->payload == TRI_PAYLOAD_BYTES);
    tri_buf object = {0};
    tri_llvm_start_target("amdgcn");
    if (!tri_amdgcn_measure(unit, tri_buf_str(&unit->bytes)) ||
        !tri_llvm_assemble(unit->diag, tri_amdgcn_machine.triple, unit->arch->cpu, tri_buf_str(&unit->bytes), &object))
        return false;
    job j = {.object = tri_buf_str(&object)};
    bool ok = tri_external_in_folder(unit, link_object, &j);
    tri_buf_fini(&object);
    if (ok) {
        tri_unit_replace(unit, TRI_PAYLOAD_BYTES);
        tri_buf_add(&unit->bytes, j.image.data, j.image.len);
    }
    return ok;
}
