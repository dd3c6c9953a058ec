/* LLVM's passes and code generator for PTX. */
#include "ir/llvm.h"
#include "targets/facts.h"
#include "targets/nvptx/nvptx.h"
#include "targets/target.h"

#include "llvm-c/Core.h"
#include "llvm-c/Support.h"

/* What pays on the code that the lowering makes. reassociate puts a register's constant part of an index last,
 * so that all registers of a thread share one address. LICM and GVN stay out: they lengthen live ranges and
 * ptxas hoists by itself. instcombine without its fixpoint check, which would abort. */
static const char pipeline[] =
    "function(nvvm-intr-range,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,reassociate,early-cse<memssa>,"
    "correlated-propagation,instcombine<no-verify-fixpoint>,simplifycfg,adce)";

/* 32-bit shared pointers, and no loop strength reduction; both exist as global options only. */
static LLVMTargetMachineRef create_machine(tri_unit *unit)
{
    static const char *const options[] = {"tritcc", "-nvptx-short-ptr", "-disable-lsr"};
    static bool is_set;
    tri_llvm_start_target("nvptx");
    if (!is_set)
        LLVMParseCommandLineOptions(sizeof options / sizeof *options, options, NULL);
    is_set = true;
    return tri_llvm_create_machine(unit->diag, tri_nvptx_machine.triple, unit->arch->cpu, unit->arch->features, 2);
}

bool tri_nvptx_optimize(tri_unit *unit)
{
    TRI_ASSERT(unit->payload == TRI_PAYLOAD_LLVM);
    if (!tri_nvptx_link_libdevice(unit))
        return false;
    LLVMTargetMachineRef machine = create_machine(unit);
    if (!machine)
        return false;
    bool ok = tri_llvm_run_passes(unit->diag, unit->llvm_module, machine, "always-inline");
    if (ok && unit->options->opt_level > 0)
        ok = tri_llvm_run_passes(unit->diag, unit->llvm_module, machine, pipeline);
    if (ok)
        ok = tri_llvm_run_passes(unit->diag, unit->llvm_module, machine, "globaldce");
    LLVMDisposeTargetMachine(machine);
    return ok;
}

bool tri_nvptx_emit(tri_unit *unit)
{
    return tri_facts_emit_text(unit, create_machine(unit));
}
