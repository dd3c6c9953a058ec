/* Code generators for hosts, as objects of every family need them. */
#ifndef TRI_TARGETS_CPU_MACHINE_H
#define TRI_TARGETS_CPU_MACHINE_H

#include "targets/target.h"

#include "llvm-c/TargetMachine.h"

/* For the unit's arch, which is a CPU's; the caller disposes it. Null after a report. */
LLVMTargetMachineRef tri_cpu_create_machine(tri_unit *unit);
/* The same, in a hurry: for launchers around code that is assembly already. */
LLVMTargetMachineRef tri_cpu_create_launch_machine(tri_unit *unit);
/* The same, in time that is linear in a function's length. */
LLVMTargetMachineRef tri_cpu_create_linear_machine(tri_unit *unit);
/* Generic code for the family of this host. */
LLVMTargetMachineRef tri_cpu_create_host_machine(tri_diag *diag);
/* The triple of a CPU arch; of this host when null. */
const char *tri_cpu_triple(const tri_machine_facts *arch);

#endif
