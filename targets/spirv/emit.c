/* LLVM's passes and code generator for SPIR-V. */
#include "base/trap.h"
#include "ir/guard.h"
#include "ir/llvm.h"
#include "ir/options.h"
#include "targets/spirv/spirv.h"
#include "targets/target.h"

#include "targets/spirv_state.inc"

#include <pthread.h>
#include <string.h>

/* Without instcombine, which makes integers of any width and reversals of bits that SPIR-V cannot say; devices'
 * compilers run it themselves. */
static const char pipeline[] = "function(early-cse,instsimplify,simplifycfg,early-cse<memssa>,"
                               "correlated-propagation,instsimplify,simplifycfg,adce)";

bool tri_spirv_optimize(tri_unit *unit)
{
    TRI_ASSERT(unit->payload == TRI_PAYLOAD_LLVM);
    bool ok = tri_llvm_run_passes(unit->diag, unit->llvm_module, NULL, "always-inline,globaldce");
    if (ok && unit->options->opt_level > 0)
        ok = tri_llvm_run_passes(unit->diag, unit->llvm_module, NULL, pipeline);
    return ok;
}

/* ---- LLVM's back end keeps what it knows of a module in one object for the whole process, and forgets but a part of
 * it before the next one: labels of blocks are found again by the address of a function that is long gone, and the
 * module has one number twice (LLVM issue 160613). So there is one emission at a time, and each begins with the
 * object as it was when the process began. What it held is lost; that is a few numbers for each block. ---- */

static pthread_mutex_t emission = PTHREAD_MUTEX_INITIALIZER;

#if TRI_SPIRV_STATE_SIZE
extern char tri_spirv_state[TRI_SPIRV_STATE_SIZE] __asm__(TRI_SPIRV_STATE_SYMBOL);

static void reset_back_end(void)
{
    static char first[TRI_SPIRV_STATE_SIZE];
    static bool is_known;
    if (is_known)
        memcpy(tri_spirv_state, first, sizeof first);
    else
        memcpy(first, tri_spirv_state, sizeof first);
    is_known = true;
}
#else
static void reset_back_end(void) {}
#endif

typedef struct {
    tri_unit *unit;
    LLVMTargetMachineRef machine;
    tri_buf binary;
    bool ok;
} job;

static bool emit_binary(tri_unit *unit, void *data)
{
    job *j = data;
    return tri_llvm_emit(unit->diag, unit->llvm_module, j->machine, LLVMObjectFile, &j->binary);
}

static void run_guarded(void *data)
{
    job *j = data;
    reset_back_end();
    j->ok = tri_guard_run(j->unit, emit_binary, j);
}

/* What ends the work from inside, an error that LLVM calls fatal or memory that has run out, must not keep the lock. */
static bool run_emission(job *j)
{
    tri_trap trap = {0};
    pthread_mutex_lock(&emission);
    tri_trap_end end = tri_trap_run(&trap, run_guarded, j);
    pthread_mutex_unlock(&emission);
    if (end != TRI_TRAP_NONE)
        tri_trap_leave(end, trap.text);
    return end == TRI_TRAP_NONE && j->ok;
}

bool tri_spirv_emit_as(tri_unit *unit, const char *triple)
{
    TRI_ASSERT(unit->payload == TRI_PAYLOAD_LLVM);
    if (!tri_spirv_legalize(unit)) /* IR that came as text, too */
        return false;
    tri_llvm_start_target("spirv");
    /* level 0 has no loop strength reduction, which makes integers of 4 and 5 bits; nothing else depends on the level
     */
    job j = {.unit = unit, .machine = tri_llvm_create_machine(unit->diag, triple, "", "", 0)};
    if (!j.machine)
        return false;
    tri_spirv_lines lines;
    tri_spirv_mark_lines(unit, &lines);
    bool ok = run_emission(&j);
    tri_llvm_dispose_machine(j.machine);
    if (ok) {
        tri_unit_replace(unit, TRI_PAYLOAD_BYTES);
        tri_buf plain = {0};
        tri_buf *expanded = lines.files.len ? &plain : &unit->bytes;
        tri_spirv_expand_nulls(unit->arena, tri_buf_str(&j.binary), expanded);
        if (lines.files.len)
            tri_spirv_place_lines(&lines, tri_buf_str(&plain), &unit->bytes);
        tri_buf_fini(&plain);
    }
    tri_buf_fini(&j.binary);
    return ok;
}
