/* Compiles ttir or ttgir text for a GPU architecture and runs it on the simulator. */
#ifndef TRI_TESTS_UNIT_GPU_RUN_H
#define TRI_TESTS_UNIT_GPU_RUN_H

#include "ir/context.h"
#include "ir/kernel.h"
#include "ir/options.h"
#include "passes/passes.h"
#include "runtime/run/jit.h"
#include "runtime/sim/sim.h"
#include "targets/target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int failures;

#define CHECK(cond) ((cond) ? (void)0 : (void)(failures++, fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond)))

/* A kernel argument: a buffer, or 64 bits holding a scalar. */
typedef struct {
    void *data;
    size_t size;
    uint64_t scalar;
} gpu_arg;

typedef struct {
    const char *text;
    const char *arch;
    int warps;
    bool has_layouts; /* the text is ttgir: only shared memory is planned */
    uint32_t grid;
    const char *left_out; /* a pass that the pipeline is run without, or null */
    bool (*change)(tri_unit *unit, const void *data); /* what is done to the LLVM IR before it runs, or null */
    const void *data;
} gpu_case;

#define GPU_BUFFER(array) ((gpu_arg){(array), sizeof(array), 0})
#define GPU_INT(value) ((gpu_arg){NULL, 0, (uint64_t)(value)})

static bool gpu_compile(tri_unit *unit, const gpu_case *c)
{
    tri_diag *diag = unit->diag;
    if (!tri_targets_find(diag, tri_str_from(c->arch), &unit->target, &unit->arch))
        return false;
    unit->mlir = tri_context_create_mlir(diag);
    const tri_source *source = tri_diag_add_source(diag, TRI_STR("test"), tri_str_from(c->text));
    MlirModule module = tri_context_parse(unit->mlir, source);
    if (mlirModuleIsNull(module))
        return false;
    tri_unit_replace(unit, TRI_PAYLOAD_MLIR);
    unit->module = module;
    tri_buf passes = {0};
    if (c->has_layouts) {
        tri_buf_add_z(&passes, "allocate-shared-memory,membar");
    } else {
        unit->target->ttir_pipeline(unit, &passes);
        tri_buf_add_char(&passes, ',');
        unit->target->ttgir_pipeline(unit, &passes);
    }
    char *left_out = c->left_out ? strstr(passes.data, c->left_out) : NULL;
    if (left_out) /* what is left is no name of a pass; blanks stand for commas */
        memset(left_out, ' ', strlen(c->left_out));
    bool ok = tri_passes_run(unit, passes.data, NULL) && unit->target->lower(unit);
    tri_buf_fini(&passes);
    return ok;
}

static bool gpu_execute(tri_unit *unit, const gpu_case *c, const gpu_arg *args, int num_args)
{
    size_t shared = (size_t)unit->kernels.at[0].shared_bytes;
    tri_sim *sim = tri_sim_create(unit->diag, unit->target->simulator, (const tri_sim_site *)unit->sites.at,
                                  unit->sites.len, unit->kernels.at[0].num_warps, unit->arch->lanes, shared + 16);
    tri_jit_symbol symbols[] = {{"global_smem", tri_sim_shared(sim)},
                                {"tri_sim_primitive", (const void *)(uintptr_t)tri_sim_primitive}};
    uint64_t words[16];
    for (int i = 0; i < num_args; i++) {
        words[i] = args[i].data ? (uint64_t)(uintptr_t)args[i].data : args[i].scalar;
        if (args[i].data)
            tri_sim_add_buffer(sim, args[i].data, args[i].size, "argument");
    }
    LLVMModuleRef module = unit->llvm_module;
    unit->llvm_module = NULL;
    unit->payload = TRI_PAYLOAD_NONE;
    tri_jit *jit = tri_jit_create(unit->diag, module, "kernel", symbols, 2, tri_jit_oldest(0));
    bool ok = jit && tri_sim_run(sim, tri_jit_entry(jit), words, (tri_sim_grid){c->grid ? c->grid : 1, 1, 1});
    if (jit)
        tri_jit_destroy(jit);
    tri_sim_destroy(sim);
    return ok;
}

/* As which release of Triton's texts are spelled; see -femit-upstream. */
static unsigned gpu_release;

/* Runs function @kernel. False after a report on stderr. */
static bool gpu_run(const gpu_case *c, const gpu_arg *args, int num_args)
{
    tri_arena *arena = tri_arena_create();
    tri_diag *diag = tri_diag_create();
    tri_options options = {.opt_level = 2, .simulate = true, .num_warps = c->warps, .no_auto_tma = true,
                           .release = gpu_release};
    tri_unit unit;
    tri_unit_init(&unit, arena, diag, &options);
    unit.llvm = NULL;
    bool ok = gpu_compile(&unit, c) && (!c->change || c->change(&unit, c->data)) &&
              gpu_execute(&unit, c, args, num_args);
    ok = ok && tri_diag_error_count(diag) == 0;
    tri_unit_fini(&unit);
    if (unit.mlir.ptr)
        tri_context_destroy_mlir(unit.mlir);
    tri_diag_destroy(diag);
    if (!ok && !c->change)
        fprintf(stderr, "failed for %s with %d warps:\n%s\n", c->arch, c->warps, c->text);
    tri_arena_destroy(arena);
    return ok;
}

static uint32_t gpu_seed = 1;

static inline uint32_t gpu_random(void)
{
    gpu_seed = gpu_seed * 1664525u + 1013904223u;
    return gpu_seed >> 8;
}

static inline float gpu_random_float(void) { return (float)(int32_t)(gpu_random() & 0xffff) / 8192.0f - 4.0f; }

#endif
