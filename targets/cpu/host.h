/* Host architectures: what LLVM is told of them, and what each can do. */
#ifndef TRI_TARGETS_CPU_HOST_H
#define TRI_TARGETS_CPU_HOST_H

#include "targets/target.h"

enum { TRI_HOST_MAX_LIST = 4 };

/* A processor as LLVM is told of it; the strings live in the unit's arena or are static. */
typedef struct {
    const char *triple, *cpu, *features;
    const char *known; /* features, those that `cpu` implies included; for tri_host_has */
    bool is_aarch64;
} tri_host;

tri_host tri_host_of(const tri_unit *unit, const tri_machine_facts *arch);
/* Does it have a feature, by LLVM's name: "avx512f", "i8mm"? */
bool tri_host_has(const tri_host *host, const char *feature);
/* The architectures that one object holds code for, as -arch= lists them: one, or levels of x86-64. */
size_t tri_host_list(const tri_unit *unit, const tri_machine_facts **out, size_t max);
/* Is it the form with AMX of the one architecture, which -mattr or the host itself asks for? It comes second in the
 * list, but is only made of modules with products that use it. */
bool tri_host_has_tiles(const tri_machine_facts *arch);
/* Is it a level of x86-64 that some machines lack? */
bool tri_host_needs_level(const tri_machine_facts *arch);
/* What the code needs of the processor beyond its level, as tri_rt_part has it: -mattr's features; all of the host's
 * where it is for that. */
uint64_t tri_host_features(const tri_unit *unit, const tri_machine_facts *arch);
/* "_x86_64_v3": the end of the names of functions for one processor of a list. */
tri_str tri_host_suffix(tri_arena *arena, const tri_machine_facts *arch);
/* For tri_target: may -arch= be this list; do -mattr and the like suit? Report. */
bool tri_host_accepts_list(tri_diag *diag, tri_str archs);
bool tri_host_check_options(tri_unit *unit);

#endif
