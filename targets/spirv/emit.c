/* LLVM's passes and code generator for SPIR-V. */
#include "ir/llvm.h"
#include "targets/spirv/spirv.h"
#include "targets/target.h"

static const char pipeline[] =
    "function(early-cse,instcombine<no-verify-fixpoint>,simplifycfg,early-cse<memssa>,"
    "correlated-propagation,instcombine<no-verify-fixpoint>,simplifycfg,adce)";

bool tri_spirv_optimize(tri_unit *unit)
{
    TRI_ASSERT(unit->payload == TRI_PAYLOAD_LLVM);
    bool ok = tri_llvm_run_passes(unit->diag, unit->llvm_module, NULL, "always-inline,globaldce");
    if (ok && unit->options->opt_level > 0)
        ok = tri_llvm_run_passes(unit->diag, unit->llvm_module, NULL, pipeline);
    return ok;
}

bool tri_spirv_emit(tri_unit *unit)
{
    TRI_ASSERT(unit->payload == TRI_PAYLOAD_LLVM);
    tri_llvm_start_target("spirv");
    LLVMTargetMachineRef machine = tri_llvm_create_machine(unit->diag, tri_spirv_machine.triple, unit->arch->cpu,
                                                           unit->arch->features, 2);
    if (!machine)
        return false;
    tri_buf binary = {0};
    bool ok = tri_llvm_emit(unit->diag, unit->llvm_module, machine, LLVMObjectFile, &binary);
    LLVMDisposeTargetMachine(machine);
    if (!ok) {
        tri_buf_fini(&binary);
        return false;
    }
    tri_unit_replace(unit, TRI_PAYLOAD_BYTES);
    tri_spirv_expand_nulls(unit->arena, tri_buf_str(&binary), &unit->bytes);
    tri_buf_fini(&binary);
    return true;
}
