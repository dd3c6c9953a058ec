/* LLVM's passes and code generator for PTX. */
#include "ir/llvm.h"
#include "ir/options.h"
#include "targets/facts.h"
#include "targets/nvptx/nvptx.h"
#include "targets/target.h"

#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"

#include <string.h>

/* What pays on the code that the lowering makes. reassociate puts a register's constant part of an index last,
 * so that all registers of a thread share one address; instcombine in front of it leaves single uses, without which
 * it moves nothing, and behind it sinks indices into the loops that use them (cross entropy is 5% slower without
 * either). It runs without its fixpoint check, which would abort. LICM and GVN stay out: they lengthen live ranges
 * and ptxas hoists by itself. What adce would take away is not selected either. Loops that take a few turns, of which
 * the number is known, are written out where that is short: their loads and divisions then stand side by side. The two
 * passes behind that take away what it leaves at the ends of all loops. */
#define PIPELINE \
    "function(nvvm-intr-range,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,"                                \
    "loop-unroll<O3;no-partial;no-peeling;no-runtime;no-upperbound;full-unroll-max=16>,instsimplify,simplifycfg," \
    "reassociate,early-cse<memssa>,correlated-propagation,instcombine<no-verify-fixpoint>,simplifycfg)"

static const char of_library[] = "early-cse,instcombine<no-verify-fixpoint>,simplifycfg";

/* Of the code generator's own passes, none of the strength reductions: the lowering leaves addresses as a base that all
 * registers of a thread share and a constant each, and ptxas does the rest. The last two take 20 to 40% more
 * time for the whole compiler and change the speed of kernels by 0.5% on an H200, of attention by +1.8 and -0.8%;
 * the first costs layernorm 14% (bench/gpu/README.md has the table), and the second is there for the first only. */
#define LEFT_OUT "Loop Strength Reduction", "Canonicalize Freeze Instructions in Loops", \
                 "Straight line strength reduction", "Nary reassociation"

/* And what finds nothing in registers of which none is spilled. */
#define IDLE TRI_FACTS_IDLE, "Stack Slot Coloring", "Machine Instruction Scheduler"

static const char *const left_out[] = {LEFT_OUT, IDLE, NULL};
/* The same where no variables have places. */
static const char *const without_variables[] = {LEFT_OUT, IDLE, TRI_FACTS_OF_VARIABLES, NULL};

static LLVMTargetMachineRef create_machine(tri_unit *unit)
{
    tri_llvm_start_target("nvptx");
    return tri_llvm_create_machine(unit->diag, tri_nvptx_machine.triple, unit->arch->cpu, unit->arch->features, 2);
}

/* A library's functions are small, and called often: each is optimized once, in front of being copied to where it is
 * called. What __nvvm_reflect() asks is known by then, which takes half of their code away. */
static bool optimize_library(tri_unit *unit, LLVMTargetMachineRef machine)
{
    bool ok = tri_llvm_run_passes(unit->diag, unit->llvm_module, machine, "nvvm-reflect");
    unsigned inlined = LLVMGetEnumAttributeKindForName("alwaysinline", strlen("alwaysinline"));
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->llvm_module); f && ok; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, inlined))
            ok = tri_llvm_run_function_passes(unit->diag, f, machine, of_library);
    return ok;
}

bool tri_nvptx_optimize(tri_unit *unit)
{
    TRI_ASSERT(unit->payload == TRI_PAYLOAD_LLVM);
    /* of a module that came as LLVM IR; the lowering has linked its own */
    tri_library_calls no_calls = {0};
    if (!tri_nvptx_link(&(tri_library_job){unit, unit->llvm_module, &no_calls, tri_nvptx_machine.function_convention,
                                           .triple = tri_nvptx_machine.triple}))
        return false;
    LLVMTargetMachineRef machine = create_machine(unit);
    if (!machine)
        return false;
    bool is_optimized = unit->options->opt_level > 0;
    bool ok = (!is_optimized || optimize_library(unit, machine)) &&
              tri_llvm_run_passes(unit->diag, unit->llvm_module, machine,
                                  is_optimized ? "always-inline," PIPELINE ",globaldce" : "always-inline,globaldce");
    tri_llvm_dispose_machine(machine);
    if (ok && is_optimized) {
        tri_nvptx_divide(unit->llvm_module);
        tri_nvptx_share_sums(unit->llvm_module);
        tri_nvptx_keep(unit->llvm_module);
    }
    if (ok && is_optimized && unit->options->debug != TRI_DEBUG_FULL)
        tri_nvptx_order(unit->llvm_module);
    return ok;
}

/* LLVM numbers the calls of a process, in comments behind the braces around each: here those of a module. */
static void number_calls(tri_buf *text)
{
    static const char mark[] = " // callseq ";
    tri_buf out = {0};
    unsigned calls = 0;
    const char *from = text->data, *end = text->data + text->len, *at;
    while (from < end && (at = memmem(from, (size_t)(end - from), mark, sizeof mark - 1))) {
        const char *number = at + sizeof mark - 1;
        tri_buf_add(&out, from, (size_t)(number - from));
        bool ends = at > text->data && at[-1] == '}';
        tri_buf_format(&out, "%u", ends ? calls++ : calls);
        for (from = number; from < end && *from >= '0' && *from <= '9';)
            from++;
    }
    if (!out.len)
        return;
    tri_buf_add(&out, from, (size_t)(end - from));
    tri_buf_fini(text);
    *text = out;
}

bool tri_nvptx_emit(tri_unit *unit)
{
    LLVMTargetMachineRef machine = create_machine(unit);
    bool has_lines = unit->options->debug == TRI_DEBUG_LINES;
    if (machine)
        LLVMSetTargetMachineAsmVerbosity(machine, has_lines); /* its comments tell what was inlined where */
    bool has_variables = unit->options->debug == TRI_DEBUG_FULL;
    if (!tri_facts_emit_text(unit, machine, has_variables ? left_out : without_variables))
        return false;
    number_calls(&unit->bytes);
    if (has_lines)
        tri_nvptx_add_inlining(unit, &unit->bytes);
    return true;
}
