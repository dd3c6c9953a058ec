/* libFuzzer target: a line of constraints and inline PTX. What is accepted runs, on a machine that gives zeros, without
 * a crash. Build and run with tests/fuzz/run.sh. */
#include "runtime/sim/nvptx/ptx/ptx.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t special(void *data, tri_ptx_special which) { return (void)data, (uint64_t)which; }

static uint64_t load(void *data, uint64_t address, int bytes, int words, uint64_t *out_words)
{
    (void)data, (void)address, (void)bytes;
    memset(out_words, 0, (size_t)words * sizeof *out_words);
    return 0;
}

static void store(void *data, uint64_t address, int bytes, int words, const uint64_t *values)
{
    (void)data, (void)address, (void)bytes, (void)words, (void)values;
}

static uint64_t atomic(void *data, const char *operation, uint64_t address, int bits, uint64_t a, uint64_t b)
{
    (void)data, (void)address, (void)bits, (void)a, (void)b;
    return strlen(operation);
}

static uint64_t exchange(void *data, tri_ptx_exchange what, int place, uint32_t mask, const uint64_t operands[3],
                         bool *out_inside)
{
    (void)data, (void)place, (void)mask;
    *out_inside = what == TRI_PTX_ELECT;
    return operands[0];
}

static void nothing(void *data) { (void)data; }
static bool rest(void *data, uint32_t ns) { return (void)ns, --*(int *)data > 0; }
static void report(void *data, const char *kind, const char *text) { (void)data, (void)kind, (void)text; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int patience = 100;
    tri_arena *arena = tri_arena_create();
    tri_str all = {(const char *)data, size};
    size_t line = tri_str_find(all, '\n');
    tri_ptx_host host = {&patience, special, load, store, atomic, exchange, nothing, rest, nothing, report};
    tri_ptx_error error = {0};
    const tri_ptx_program *program = tri_ptx_parse(arena, tri_str_sub(all, line < size ? line + 1 : size, size),
                                                   tri_str_sub(all, 0, line), 90, &error);
    if (!program && (!error.line || !error.text.len))
        abort();
    if (program) {
        uint64_t *inputs = TRI_NEW_ARRAY(arena, uint64_t, tri_ptx_num_inputs(program) + 1);
        uint64_t *outputs = TRI_NEW_ARRAY(arena, uint64_t, tri_ptx_num_outputs(program) + 1);
        tri_ptx_run(program, &host, inputs, outputs);
    }
    tri_arena_destroy(arena);
    return 0;
}
