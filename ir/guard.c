#include "ir/guard.h"

#include "ir/island.h"
#include "ir/kernel.h"
#include "ir/location.h"

#include "llvm-c/Core.h"
#include "llvm-c/ErrorHandling.h"

#include <pthread.h>
#include <setjmp.h>

typedef struct guard {
    struct guard *outer;
    tri_unit *unit;
    jmp_buf back;
} guard;

static _Thread_local guard *innermost;
static _Thread_local LLVMContextRef stopped; /* the last one: LLVM holds what its passes were at */

/* `name` as a word behind `before`: "def k" in a source, "@k" in IR. */
static bool find_word(const tri_source *source, const char *before, tri_str name, tri_span *out_span)
{
    tri_str text = source->text;
    size_t skip = strlen(before);
    for (size_t at = 0; at + skip + name.len < text.len; at++) {
        tri_str rest = tri_str_sub(text, at, text.len), word = tri_str_sub(rest, skip, skip + name.len);
        char next = rest.data[skip + name.len];
        if (*rest.data != *before || !tri_str_has_prefix(rest, before) || !tri_str_equal(word, name) || next == '_' ||
            (next >= '0' && next <= '9') || (next >= 'A' && next <= 'Z') || (next >= 'a' && next <= 'z'))
            continue;
        *out_span = (tri_span){source, (uint32_t)(at + skip), (uint32_t)(at + skip + name.len)};
        return true;
    }
    return false;
}

/* What stands behind "In function: " or "in function ". */
static tri_str named_function(tri_str message)
{
    for (size_t at = 0; at < message.len; at++) {
        tri_str rest = tri_str_sub(message, at, message.len);
        size_t skip = tri_str_has_prefix(rest, "n function: ") ? 12 : tri_str_has_prefix(rest, "n function ") ? 11 : 0;
        if (!skip)
            continue;
        rest = tri_str_sub(rest, skip, rest.len);
        return tri_str_sub(rest, 0, strcspn(rest.data, " \n:,"));
    }
    return TRI_STR("");
}

tri_span tri_guard_span(tri_str message)
{
    const tri_unit *unit = innermost ? innermost->unit : NULL;
    if (!unit || !unit->source)
        return TRI_NO_SPAN;
    for (size_t i = 0; i < unit->assemblies.len; i++) {
        const tri_assembly *a = &unit->assemblies.at[i];
        if (a->text.len && memmem(message.data, message.len, a->text.data, a->text.len))
            return tri_location_span(unit->diag, a->at);
    }
    tri_span span = {unit->source, 0, 0};
    tri_str names[2] = {named_function(message), TRI_STR("")};
    if (unit->kernels.len)
        names[1] = unit->kernels.at[0].name;
    for (int i = 0; i < 2; i++)
        if (names[i].len &&
            (find_word(unit->source, "def ", names[i], &span) || find_word(unit->source, "@", names[i], &span)))
            break;
    return span;
}

static void on_fatal(const char *reason)
{
    tri_str text = tri_str_from(reason);
    if (!innermost)
        TRI_BUG("LLVM: %s", reason);
    stopped = innermost->unit->llvm;
    tri_diag_error(innermost->unit->diag, tri_guard_span(text), 6005, "LLVM cannot make code for this: %.*s",
                   TRI_STR_ARG(tri_str_sub(text, 0, tri_str_find(text, '\n'))));
    longjmp(innermost->back, 1);
}

static void install(void) { LLVMInstallFatalErrorHandler(on_fatal); }

bool tri_guard_run(tri_unit *unit, bool (*body)(tri_unit *unit, void *data), void *data)
{
    static pthread_once_t has_handler = PTHREAD_ONCE_INIT;
    guard g = {.outer = innermost, .unit = unit};
    pthread_once(&has_handler, install);
    innermost = &g;
    volatile bool ok = false;
    if (setjmp(g.back) == 0)
        ok = body(unit, data);
    else
        unit->llvm_module = NULL;
    innermost = g.outer;
    return ok;
}

void tri_guard_dispose(LLVMContextRef context)
{
    if (stopped != context)
        LLVMContextDispose(context);
}

void tri_guard_reset(void) { innermost = NULL; }

void tri_guard_memory(void)
{
    tri_island_guard_memory(tri_fatal_out_of_memory);
}
