/* Matrix instructions of Intel's GPUs: what passes choose from, the lowering emits and the simulator does. */
#ifndef TRI_IR_DPAS_H
#define TRI_IR_DPAS_H

#include "ir/machines.h"

typedef enum { TRI_DPAS_F16, TRI_DPAS_BF16, TRI_DPAS_TF32, TRI_DPAS_I8, TRI_DPAS_F32, TRI_DPAS_I32 } tri_dpas_type;

enum { TRI_DPAS_ROWS = 8, TRI_DPAS_STEPS = 8 }; /* rows of A; words of 32 bits along K that a lane gives of B */

typedef struct {
    const char *name, *function;
    tri_dpas_type type, sum;
    int bits, depth; /* of an element; K of one instruction */
} tri_dpas;

extern const tri_dpas tri_dpas_rows[];
extern const int tri_dpas_count;

/* The instruction for operands of this element type, f32 rounded to tf32 where `is_tf32`; null: the machine has none.
 */
const tri_dpas *tri_dpas_find(const tri_machine_facts *facts, MlirType element, bool is_tf32);
/* Elements of one row of A that a lane gives; 0: half of the lanes give the next row. */
int tri_dpas_width(const tri_dpas *row, int lanes);
/* kWidth of the layout of operand 0 or 1, of which a word has so many elements: words of A have 16 bits. */
int tri_dpas_k_width(int ops_per_channel, int operand);

#endif
