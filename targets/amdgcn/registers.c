/* Registers of kernels that take a few more than one more block on a compute unit would leave (-ffit-registers).
 *
 * LLVM aims at as many waves as its first order of instructions allows, and does not try again. Where up to an eighth
 * fewer registers would let more blocks run, the code is made again under that bound; it stays if nothing is spilled
 * for it. */
#include "targets/amdgcn/amdgcn.h"

#include "ir/kernel.h"
#include "ir/machines.h"
#include "targets/facts.h"

#include <string.h>

enum { simds = 4, most_given_up = 8 /* of so many registers, one */ };

/* Waves that a SIMD unit holds of a kernel with so many registers in each lane; 64ths of all are handed out. */
static int waves_of(const tri_unit *unit, int registers)
{
    int all = unit->arch->block_registers / simds / unit->arch->lanes, units = all / 64;
    return registers ? all / ((registers + units - 1) / units * units) : 0;
}

/* The waves to ask for, of one SIMD unit; 0: nothing would be gained, or too much lost. */
static int waves_to_ask_for(const tri_unit *unit, const tri_kernel *kernel, tri_str code)
{
    bool is_told = kernel->maxnreg > 0 || kernel->waves_per_eu > 0;
    if (!unit->arch->resident_warps || kernel->registers <= 0 || kernel->spill_bytes || is_told)
        return 0;
    tri_kernel fewer = *kernel;
    int blocks = tri_amdgcn_resources(unit, kernel, code).blocks;
    for (; fewer.registers >= kernel->registers - kernel->registers / most_given_up; fewer.registers--)
        if (tri_amdgcn_resources(unit, &fewer, code).blocks > blocks)
            return waves_of(unit, fewer.registers);
    return 0;
}

/* Asks for waves in the module; false: in no kernel. */
static bool ask_for_waves(tri_unit *unit, LLVMModuleRef module)
{
    static const char name[] = "amdgpu-waves-per-eu";
    LLVMContextRef context = LLVMGetModuleContext(module);
    tri_str code = tri_buf_str(&unit->bytes);
    bool any = false;
    for (size_t i = 0; i < unit->kernels.len; i++) {
        const tri_kernel *kernel = &unit->kernels.at[i];
        tri_str symbol = tri_str_copy(unit->arena, kernel->symbol);
        LLVMValueRef function = LLVMGetNamedFunction(module, symbol.data);
        int waves = function ? waves_to_ask_for(unit, kernel, code) : 0;
        if (!waves)
            continue;
        tri_str value = tri_str_format(unit->arena, "%d", waves);
        LLVMAddAttributeAtIndex(
            function, LLVMAttributeFunctionIndex,
            LLVMCreateStringAttribute(context, name, sizeof name - 1, value.data, (unsigned)value.len));
        any = true;
    }
    return any;
}

static bool has_spills(const tri_unit *unit)
{
    for (size_t i = 0; i < unit->kernels.len; i++)
        if (unit->kernels.at[i].spill_bytes)
            return true;
    return false;
}

bool tri_amdgcn_fit_registers(tri_unit *unit, LLVMModuleRef spare)
{
    tri_str first = tri_str_copy(unit->arena, tri_buf_str(&unit->bytes));
    if (!tri_amdgcn_measure(unit, first) || has_spills(unit) || !ask_for_waves(unit, spare)) {
        LLVMDisposeModule(spare);
        return true;
    }
    tri_unit_replace(unit, TRI_PAYLOAD_LLVM);
    unit->llvm_module = spare;
    if (!tri_facts_emit_text(unit, tri_amdgcn_create_machine(unit), NULL) ||
        !tri_amdgcn_measure(unit, tri_buf_str(&unit->bytes)))
        return false;
    if (!has_spills(unit))
        return true;
    tri_unit_replace(unit, TRI_PAYLOAD_BYTES);
    tri_buf_add(&unit->bytes, first.data, first.len);
    return tri_amdgcn_measure(unit, first);
}
