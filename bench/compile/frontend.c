/* Times the front end alone, source to verified unoptimised ttir, inside one process: frontend FILE SIG RUNS.
 * Prints the median and the least of RUNS, in microseconds. Linked to libtritcc.a by bench/compile/frontend.sh. */
#include "base/file.h"
#include "frontend/frontend.h"
#include "ir/context.h"
#include "ir/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One compilation in a context that is warm, as Triton's is. Returns microseconds; negative after an error. */
static double compile(tri_diag *diag, MlirContext mlir, tri_str path, tri_str text, const tri_options *options)
{
    const tri_frontend_target target = {
        .facts = tri_machines_for(TRI_STR("cuda:90")), .default_warps = 4, .default_stages = 3};
    tri_arena *arena = tri_arena_create();
    tri_unit unit;
    tri_unit_init(&unit, arena, diag, options);
    unit.mlir = mlir;
    double begin = now();
    unit.source = tri_diag_add_source(diag, path, text);
    unit.payload = TRI_PAYLOAD_SOURCE;
    bool ok = tri_frontend_parse(&unit) && tri_frontend_lower(&unit, &target);
    double end = now();
    tri_unit_fini(&unit);
    tri_arena_destroy(arena);
    return ok ? end - begin : -1;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    tri_arena *arena = tri_arena_create();
    tri_diag *diag = tri_diag_create();
    tri_options options = {.config = -1};
    tri_str path = tri_str_from(argv[1]), text;
    int error, runs = atoi(argv[3]);
    tri_vec_push(arena, &options.signatures, tri_str_from(argv[2]));
    if (runs < 1 || !tri_file_read(arena, path, &text, &error))
        return 1;
    MlirContext mlir = tri_context_create_mlir(diag);
    double *times = malloc(sizeof *times * (size_t)runs);
    for (int i = 0; i < runs; i++) {
        times[i] = compile(diag, mlir, path, text, &options);
        if (times[i] < 0)
            return 1;
    }
    double first = times[0];
    qsort(times, (size_t)runs, sizeof *times, compare);
    printf("%.0f %.0f %.0f\n", times[runs / 2], times[0], first);
    free(times);
    tri_context_destroy_mlir(mlir);
    tri_diag_destroy(diag);
    tri_arena_destroy(arena);
    return 0;
}
