/* Emission for the SIMT simulator (options->simulate): every primitive, and every access to memory
 * that threads share, becomes a call of tri_sim_primitive(site, primitive, args, results); the rest
 * of the module is code for the host. Site numbers index unit->sites. */
#ifndef TRI_TARGETS_GPU_SIMULATE_H
#define TRI_TARGETS_GPU_SIMULATE_H

#include "targets/gpu/gpu.h"

/* A primitive with plain arguments; null when `result` is void. */
LLVMValueRef tri_simulate_call(tri_gpu *g, int id, LLVMTypeRef result, LLVMValueRef *args, int num_args);
void tri_simulate_load(tri_gpu *g, const tri_machine_access *access, LLVMValueRef *other, LLVMValueRef *out_words);
void tri_simulate_store(tri_gpu *g, const tri_machine_access *access, LLVMValueRef *words);
void tri_simulate_update(tri_gpu *g, const tri_machine_update *update, LLVMValueRef *out_old);

/* Any number of arguments and results (at most 136 and 128), whatever the signature. */
void tri_simulate_many(tri_gpu *g, int id, LLVMValueRef *args, int num_args, LLVMValueRef *results, int num_results);

#endif
