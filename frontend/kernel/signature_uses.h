/* What signature_infer.c finds out of a kernel's names, for what prints it (signature_infer_print.c). */
#ifndef TRI_FRONTEND_SIGNATURE_USES_H
#define TRI_FRONTEND_SIGNATURE_USES_H

#include "base/vec.h"
#include "frontend/kernel/signature_infer.h"

enum {
    FACT_POINTER = 1,
    FACT_INT = 2,
    FACT_FLOAT = 4,
    FACT_MEETS_FLOAT = 8, /* stands in arithmetic with floats: itself either */
    FACT_TESTED = 16,     /* if x, not x, x and y */
    FACT_DESCRIPTOR = 32,
    FACT_DTYPE = 64,
    FACT_TILE = 128,       /* an extent of blocks */
    FACT_ADDRESS = 256,    /* of loaded values: used as pointers */
    FACT_UNROLLED = 512,   /* how often a body is repeated */
    FACT_GENERIC = 1024,   /* its type is asked for: floats do as well as integers */
    FACT_PRECISION = 2048, /* a text: of a product's operands */
    FACT_POLICY = 4096,    /* a text: of a cache */
    FACT_WIDE = 8192,      /* shifted by more than 31 bits */
    FACT_VALUES = FACT_POINTER | FACT_INT | FACT_FLOAT | FACT_DESCRIPTOR,
    MAX_ROUNDS = 24,
    MAX_FUNCTIONS = 64,
    MAX_ITEMS = 16, /* of a tuple */
    NO_SLOT = -1,
};

/* What is known of a name. */
typedef struct {
    const tri_function *function;
    tri_str name;  /* "": what the function returns */
    uint32_t item; /* from 1: of the tuple that the parameter `name` is; 0: the whole */
    unsigned facts;
    unsigned wanted;              /* of the facts: what its uses ask for, rather than what it is given */
    int target;                   /* slot of what it points to, or NO_SLOT */
    int rank;                     /* of a descriptor's offsets */
    const tri_ast_node *compared; /* the first literal it is compared with */
    const tri_class *cls;         /* of a parameter that is a named tuple */
    bool is_count;                /* is given a whole number: a sum that starts with it stays an integer */
    bool is_classified;           /* `cls` was looked for */
} tri_signature_slot;

struct tri_signature_uses {
    tri_modules *all;
    const tri_function *functions[MAX_FUNCTIONS];
    unsigned function_count;
    TRI_VEC(tri_signature_slot) slots;
    TRI_VEC(int) parents; /* union of slots that are pointees: parallel to slots */
    const tri_function *at;
    bool has_grown, has_product;
    bool loads_are_floats; /* in the second half: what is not known to be an integer by then */
};

/* The slot of a function's name, or of an item of it (from 1; 0: the whole); NO_SLOT: there is none. */
int tri_signature_uses_find(const tri_signature_uses *u, const tri_function *function, tri_str name, uint32_t item);
/* The slot that stands for all pointees that are known to be one with `s`. */
int tri_signature_uses_root(const tri_signature_uses *u, int s);

#endif
