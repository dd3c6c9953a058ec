/* Registers of kernels that wait for memory (-ffit-registers).
 *
 *     .visible .entry rows(...)             .visible .entry rows(...)
 *     .reqntid 256                          .reqntid 256
 *     {                                ->   .maxnreg 64
 *         ...    // 74 registers            {
 *
 * ptxas takes what registers it likes: with 74 three blocks of 256 threads fit on a multiprocessor, with 64 four. Loops
 * that gather a row, wait for all its threads and read it again have nothing to do while they wait but other blocks'
 * work. H200, layernorm of 32768 rows of 8192 in fp16: 8 warps 3.55 -> 3.84 TB/s. More than half of the warps that a
 * multiprocessor holds gained nothing and lost when rows no longer stayed in L1.
 *
 * Left alone, ptxas takes few registers where all warps fit then, and moves loads between what uses them. Where many
 * follow each other, half of the warps is enough (.minnctapersm): a geglu's gradient of 27 single elements a thread
 * keeps all of them in flight in 48 registers instead of 13 in 32, and takes 0.099 ms for 0.116; a mean of 16 halves a
 * thread 0.0159 for 0.0165, bicubic interpolation of 25 32.8 for 34.1 (one H200). Fewer loads lose: a softmax' gradient
 * 34 %. */
#include "base/diag.h"
#include "ir/kernel.h"
#include "ir/options.h"
#include "targets/nvptx/nvptx.h"

#include <stdio.h>
#include <string.h>

enum { least_percent = 70, step = 8 }; /* of its registers a kernel keeps; ptxas gives registers in eights */
enum { many_loads = 16 };              /* that nothing parts */

/* A branch to a label further up. */
static bool has_loop(tri_str code)
{
    for (tri_str rest = code; rest.len;) {
        tri_str before = {code.data, (size_t)(rest.data - code.data)}, line = tri_str_trim(tri_nvptx_next_line(&rest));
        const char *label = memmem(line.data, line.len, "$L", 2);
        if (!label || !tri_nvptx_has(line, "bra") || line.data[line.len - 1] != ';')
            continue;
        char text[64];
        int length = (int)(line.data + line.len - 1 - label);
        if (snprintf(text, sizeof text, "\n%.*s:", length, label) < (int)sizeof text && tri_nvptx_has(before, text))
            return true;
    }
    return false;
}

/* Whether so many loads follow each other, with no place between them where threads wait or that is jumped to. */
static bool has_many_loads(tri_str code)
{
    int count = 0;
    for (tri_str rest = code; rest.len && count < many_loads;) {
        tri_str line = tri_str_trim(tri_nvptx_next_line(&rest));
        if (tri_nvptx_has(line, "ld.global"))
            count++;
        else if (line.len && (line.data[0] == '$' || tri_nvptx_has(line, "bra") || tri_nvptx_has(line, "bar.sync")))
            count = 0;
    }
    return count == many_loads;
}

/* Blocks that have half of all warps, where a kernel has as many or more and would rather load more at once; or 0. */
static int blocks_for_loads(const tri_unit *unit, const tri_kernel *k, tri_str code)
{
    int warps = k->num_warps > 0 ? k->num_warps : 1, half = unit->arch->resident_warps / 2 / warps;
    int blocks = tri_nvptx_blocks(unit->arch, k, k->registers);
    bool is_told = tri_nvptx_has(code, "\n.minnctapersm");
    return blocks && blocks >= half && !is_told && has_many_loads(code) ? half : 0;
}

/* Registers a thread with which one more block fits, or 0. */
static int registers_for_another(const tri_unit *unit, const tri_kernel *k)
{
    int blocks = tri_nvptx_blocks(unit->arch, k, k->registers), warps = k->num_warps > 0 ? k->num_warps : 1;
    if (!blocks || 2 * warps * (blocks + 1) > unit->arch->resident_warps)
        return 0;
    for (int n = (k->registers - 1) / step * step; 100 * n >= least_percent * k->registers; n -= step)
        if (tri_nvptx_blocks(unit->arch, k, n) > blocks)
            return n;
    return 0;
}

/* With a line that tells ptxas how to choose: the kernel's `directive`, of a number. */
static tri_str directed(tri_unit *unit, tri_str code, const char *directive, int count)
{
    const char *at = memmem(code.data, code.len, "\n.reqntid ", 10);
    const char *end = at ? memchr(at + 1, '\n', (size_t)(code.data + code.len - at) - 1) : NULL;
    if (!end)
        return TRI_STR("");
    tri_str head = {code.data, (size_t)(end - code.data)}, tail = {end, code.len - head.len};
    return tri_str_format(unit->arena, "%.*s\n.%s %d%.*s", TRI_STR_ARG(head), directive, count, TRI_STR_ARG(tail));
}

static bool may_fit(const tri_unit *unit, tri_str code)
{
    const tri_options *o = unit->options;
    if (o->no_fit_registers || o->opt_level == 0 || o->debug == TRI_DEBUG_FULL || unit->kernels.len != 1)
        return false;
    const tri_kernel *k = &unit->kernels.at[0];
    return k->registers > 0 && !k->spill_bytes && tri_nvptx_has(code, "// tritcc.kernel") &&
           !tri_nvptx_has(code, "\n.maxnreg") && !tri_nvptx_has(code, "mma") && tri_nvptx_has(code, "ld.global");
}

/* As many registers as half of the warps leave. */
static bool load_ahead(tri_unit *unit, tri_str tool, tri_str code, int blocks, tri_str *cubin)
{
    tri_kernel *k = &unit->kernels.at[0], before = *k;
    tri_str hinted = directed(unit, code, "minnctapersm", blocks), made;
    if (!hinted.len)
        return true;
    if (!tri_nvptx_run_ptxas(unit, tool, hinted, &made))
        return false;
    if (k->spill_bytes) {
        *k = before;
        return true;
    }
    *cubin = made;
    if (k->registers != before.registers)
        tri_diag_remark(unit->diag, k->at, "ptxas", "%d registers instead of %d, so that loads run ahead", k->registers,
                        before.registers);
    return true;
}

bool tri_nvptx_fit_registers(tri_unit *unit, tri_str tool, tri_str code, tri_str *cubin)
{
    if (!may_fit(unit, code))
        return true;
    tri_kernel *k = &unit->kernels.at[0];
    int first = k->registers, few = blocks_for_loads(unit, k, code);
    if (few)
        return load_ahead(unit, tool, code, few, cubin);
    if (!has_loop(code))
        return true;
    for (int count; (count = registers_for_another(unit, k));) {
        tri_kernel before = *k;
        tri_str limited = directed(unit, code, "maxnreg", count), made;
        if (!limited.len)
            return true;
        if (!tri_nvptx_run_ptxas(unit, tool, limited, &made))
            return false;
        int blocks = tri_nvptx_blocks(unit->arch, k, k->registers);
        if (k->spill_bytes || blocks <= tri_nvptx_blocks(unit->arch, k, before.registers)) {
            *k = before;
            break;
        }
        *cubin = made;
    }
    if (k->registers != first)
        tri_diag_remark(unit->diag, k->at, "ptxas",
                        "%d registers instead of %d, so that %d blocks instead of %d fit on a multiprocessor",
                        k->registers, first, tri_nvptx_blocks(unit->arch, k, k->registers),
                        tri_nvptx_blocks(unit->arch, k, first));
    return true;
}
