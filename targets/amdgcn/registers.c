/* Registers of kernels that take a few more than one more block on a compute unit would leave (-ffit-registers).
 *
 * LLVM aims at as many waves as its first order of instructions allows, and does not try again. Where up to an eighth
 * fewer registers would let more blocks run, the code is made again under that bound, first in LLVM's usual order, then
 * in the one that takes fewest registers; it stays if nothing is spilled for it, or next to nothing for twice the
 * blocks. */
#include "targets/amdgcn/amdgcn.h"

#include "ir/kernel.h"
#include "ir/llvm.h"
#include "ir/machines.h"

#include "llvm-c/Core.h"

#include <string.h>

enum { simds = 4, most_given_up = 8 /* of so many registers, one */, most_spilled = 16 /* likewise */ };

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

/* Asks for waves in the module; false: in no kernel. `order`: of LLVM's orders of instructions, null for the usual. */
static bool ask_for_waves(tri_unit *unit, LLVMModuleRef module, const char *order)
{
    tri_str code = tri_buf_str(&unit->bytes);
    bool any = false;
    for (size_t i = 0; i < unit->kernels.len; i++) {
        const tri_kernel *kernel = &unit->kernels.at[i];
        tri_str symbol = tri_str_copy(unit->arena, kernel->symbol);
        LLVMValueRef function = LLVMGetNamedFunction(module, symbol.data);
        int waves = function ? waves_to_ask_for(unit, kernel, code) : 0;
        if (!waves)
            continue;
        tri_llvm_set_attribute(function, "amdgpu-waves-per-eu", tri_str_format(unit->arena, "%d", waves).data);
        if (order)
            tri_llvm_set_attribute(function, "amdgpu-sched-strategy", order);
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

/* Of the kernels that spill: do twice as many blocks as before run, for few registers? */
static bool is_worth_it(tri_unit *unit, const int *blocks)
{
    tri_str code = tri_buf_str(&unit->bytes);
    for (size_t i = 0; i < unit->kernels.len; i++) {
        const tri_kernel *kernel = &unit->kernels.at[i];
        int spilled = kernel->spill_bytes / 4;
        if (spilled && (spilled > kernel->registers / most_spilled ||
                        tri_amdgcn_resources(unit, kernel, code).blocks < 2 * blocks[i]))
            return false;
    }
    return true;
}

/* Installs the code, with what it takes. */
static bool install_code(tri_unit *unit, tri_str code)
{
    tri_unit_replace(unit, TRI_PAYLOAD_BYTES);
    tri_buf_add(&unit->bytes, code.data, code.len);
    return tri_amdgcn_measure(unit, code);
}

typedef struct {
    LLVMDiagnosticHandler run;
    void *data;
} handler;

/* That a bound is not kept is seen by its registers. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *data)
{
    const handler *outer = data;
    if (LLVMGetDiagInfoSeverity(info) == LLVMDSError)
        outer->run(info, outer->data);
}

static bool try_module(tri_unit *unit, LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    handler outer = {LLVMContextGetDiagnosticHandler(context), LLVMContextGetDiagnosticContext(context)};
    tri_unit_replace(unit, TRI_PAYLOAD_LLVM);
    unit->llvm_module = module;
    LLVMContextSetDiagnosticHandler(context, on_diagnostic, &outer);
    bool ok = tri_amdgcn_emit_text(unit);
    LLVMContextSetDiagnosticHandler(context, outer.run, outer.data);
    return ok && tri_amdgcn_measure(unit, tri_buf_str(&unit->bytes));
}

bool tri_amdgcn_fit_registers(tri_unit *unit, LLVMModuleRef spare)
{
    static const char *const orders[] = {NULL, "iterative-minreg"};
    tri_str first = tri_str_copy(unit->arena, tri_buf_str(&unit->bytes)), second = {0};
    bool ok = tri_amdgcn_measure(unit, first), fits = has_spills(unit);
    int *blocks = TRI_NEW_ARRAY(unit->arena, int, unit->kernels.len + 1);
    for (size_t i = 0; i < unit->kernels.len; i++)
        blocks[i] = tri_amdgcn_resources(unit, &unit->kernels.at[i], first).blocks;
    for (size_t i = 0; ok && !fits && i < sizeof orders / sizeof *orders; i++) {
        if (!ask_for_waves(unit, spare, orders[i]))
            break;
        ok = try_module(unit, LLVMCloneModule(spare));
        fits = ok && !has_spills(unit);
        if (ok && !fits && !second.len && is_worth_it(unit, blocks))
            second = tri_str_copy(unit->arena, tri_buf_str(&unit->bytes));
        ok = ok && (fits || install_code(unit, first));
    }
    if (ok && !fits && second.len)
        ok = install_code(unit, second);
    LLVMDisposeModule(spare);
    return ok;
}
