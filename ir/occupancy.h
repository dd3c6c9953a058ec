/* How many blocks of a kernel one of NVIDIA's multiprocessors holds at a time. */
#ifndef TRI_IR_OCCUPANCY_H
#define TRI_IR_OCCUPANCY_H

#include "ir/machines.h"

enum { TRI_OCCUPANCY_REGISTERS = 65536 /* of a multiprocessor, on all of them */ };

/* What a block takes. */
typedef struct {
    int warps;
    int registers;  /* of a thread; 0: not known, and no limit */
    int64_t shared; /* bytes, without those that the system takes beside them */
    int barriers;
} tri_occupancy_needs;

typedef struct {
    int blocks;
    const char *limit; /* of which there are no more: "warps"; null: nothing is known of the machine, and 0 blocks */
} tri_occupancy;

tri_occupancy tri_occupancy_of(const tri_machine_facts *facts, const tri_occupancy_needs *needs);

#endif
