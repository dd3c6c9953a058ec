/* What passes tell targets of an access, and no result depends on. */
#ifndef TRI_IR_HINTS_H
#define TRI_IR_HINTS_H

/* On tt.load and tt.store, an i32: what the first level of the cache, alone, does with the block. */
#define TRI_HINT_L1 "tritcc.l1"
enum { TRI_HINT_KEEP = 1 /* it is read again */, TRI_HINT_PASS = 2 /* it has no place there */ };

/* On tt.load, a unit: nothing takes the elements that are masked off. */
#define TRI_HINT_FREE_OTHER "tritcc.free_other"

#endif
