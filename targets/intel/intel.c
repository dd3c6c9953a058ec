/* Intel GPUs, and other OpenCL devices with sub-groups: SPIR-V from LLVM's SPIR-V back end, zebin from ocloc. */
#include "targets/target.h"

#include "include/tritcc/launch.h"
#include "ir/options.h"
#include "ir/type.h"
#include "runtime/sim/intel/family.h"
#include "targets/facts.h"
#include "targets/gpu/gpu.h"
#include "targets/gpu/sink.h"
#include "targets/intel/intel.h"
#include "targets/spirv/spirv.h"

#include <string.h>

static bool check_type(tri_unit *unit, MlirOperation op, MlirValue value)
{
    MlirType type = tri_type_element(mlirValueGetType(value));
    if (!mlirTypeIsAF64(type))
        return true;
    tri_op_error(unit->diag, op, 6002, "'%.*s' cannot be lowered for '%s': the device has no fp64",
                 TRI_STR_ARG(tri_op_name(op)), unit->arch->name);
    return false;
}

typedef struct {
    tri_unit *unit;
    bool ok;
} state;

static MlirWalkResult check_op(MlirOperation op, void *data)
{
    state *s = data;
    if (tri_op_is(op, "arith.constant")) /* stands at no place; what uses it does */
        return MlirWalkResultAdvance;
    for (intptr_t i = 0; s->ok && i < mlirOperationGetNumResults(op); i++)
        s->ok = check_type(s->unit, op, mlirOperationGetResult(op, i));
    for (intptr_t i = 0; s->ok && i < mlirOperationGetNumOperands(op); i++)
        s->ok = check_type(s->unit, op, mlirOperationGetOperand(op, i));
    return s->ok ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static const tri_gpu_sinking sinking = {
    .reads = (const char *const[]){"subgroup_block_read", NULL},
    .pure = (const char *const[]){"matrix_mad", "dpas", "shuffle", "get_", "llvm.fma", "llvm.exp", "llvm.log",
                                  "llvm.max", "llvm.min", "llvm.smax", "llvm.smin", "llvm.umax", "llvm.umin", NULL},
    .products = (const char *const[]){"matrix_mad", "dpas", NULL},
    .casts = (const char *const[]){"bftof_", "ftobf_", NULL},
};

static bool lower_for_intel(tri_unit *unit)
{
    state s = {unit, true};
    if (unit->arch->lacks_f64)
        mlirOperationWalk(mlirModuleGetOperation(unit->module), check_op, &s, MlirWalkPreOrder);
    if (!s.ok || !tri_gpu_lower(unit, &tri_intel_machine))
        return false;
    if (!unit->options->simulate)
        tri_gpu_sink_loads(unit->arena, unit->llvm_module, &sinking);
    return true;
}

static bool emit_intel(tri_unit *unit) { return tri_spirv_emit_as(unit, tri_intel_machine.triple); }

static bool read_intel(tri_unit *unit)
{
    return tri_spirv_read_as(unit, tri_intel_machine.triple, tri_intel_machine.data_layout);
}

static tri_resources resources(const tri_unit *unit, const tri_kernel *kernel, tri_str code)
{
    (void)kernel;
    bool has_halves = memmem(code.data, code.len, TRI_INTEL_BARRIER_HALF, strlen(TRI_INTEL_BARRIER_HALF));
    return (tri_resources){.barriers = has_halves || tri_spirv_has_barrier(code), .lanes = tri_facts_lanes(unit)};
}

const tri_target tri_target_intel = {
    .family = "intel",
    .help = "Intel GPUs through SPIR-V with sub-groups; zebin needs ocloc",
    .default_warps = 4,
    .default_stages = 3,
    .has_no_asserts = true,
    .ttir_pipeline = tri_gpu_ttir_pipeline,
    .ttgir_pipeline = tri_gpu_ttgir_pipeline,
    .share_block = tri_intel_share_block,
    .lower = lower_for_intel,
    .optimize = tri_spirv_optimize,
    .code_kind = "spirv",
    .code_help = "SPIR-V from LLVM IR",
    .emit = emit_intel,
    .triple = "spirv",
    .read_code = read_intel,
    .binary_kind = "zebin",
    .binary_tool = "ocloc",
    .binary_help = "machine code for one GPU, by ocloc",
    .assemble = tri_intel_assemble,
    .assemble_command = tri_intel_assemble_command,
    .arch_prefix = "intel-",
    .code_prefix = "spirv-",
    .keeps_code = true,
    .text_kind = "spvasm",
    .to_text_help = "disassemble SPIR-V",
    .from_text_help = "assemble SPIR-V",
    .to_text = tri_spirv_to_text,
    .from_text = tri_spirv_from_text,
    .measure = tri_intel_measure,
    .resources = resources,
    .simulator = &tri_sim_intel,
    .object_form = TRI_OBJECT_IMAGES,
    .launchers = {"tri_rt_level_zero_backend", "tri_rt_opencl_backend"},
    .device_kind = TRI_OPENCL,
    .tells_sizes = true,
};
