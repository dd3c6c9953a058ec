/* The front end as the driver sees it. Each consumes the unit's payload and installs the next;
 * false after a report. */
#ifndef TRI_FRONTEND_FRONTEND_H
#define TRI_FRONTEND_FRONTEND_H

#include "ir/machines.h"
#include "ir/unit.h"

/* Source -> AST. */
bool tri_frontend_parse(tri_unit *unit);

/* What the evaluator must know of the target: defaults of the launch shape when neither the
 * command line nor the source gives it, and what `ttg.target`-like attributes say. */
typedef struct tri_frontend_target {
    const tri_machine_facts *facts;
    int default_warps, default_stages;
    bool keeps_variables; /* for a debugger: each assignment makes a value of that name, helpers stay functions */
} tri_frontend_target;

/* AST -> ttir; fills unit->kernels. Needs unit->mlir. */
bool tri_frontend_lower(tri_unit *unit, const tri_frontend_target *target);

/* -config=all is options.config == TRI_FRONTEND_ALL_CONFIGS, and the source is then compiled once for each n with
 * TRI_FRONTEND_ALL_CONFIGS - n: a kernel's nth config, under the name KERNEL_config<n>. Kernels that have none are
 * compiled for n = 0, under their own name. */
enum { TRI_FRONTEND_ALL_CONFIGS = -2 };
/* How many n there are for a unit whose payload is an AST: at least 1. Silent: what is wrong is told by lowering. */
int tri_frontend_count_configs(tri_unit *unit);

/* --list-kernels: appends what a unit whose payload is an AST defines. Needs unit->mlir. False after a report. */
bool tri_frontend_list(tri_unit *unit, const tri_frontend_target *target, tri_buf *out);

#endif
