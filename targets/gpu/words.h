/* Arguments of the simulator's accesses that say more than a number of words: what the code that is made for it and the
 * simulator agree on. */
#ifndef TRI_TARGETS_GPU_WORDS_H
#define TRI_TARGETS_GPU_WORDS_H

enum {
    TRI_SIM_WORDS = 0xff,
    TRI_SIM_STRONG = 0x100,  /* a load that is volatile or atomic */
    TRI_SIM_RELAXED = 0x200, /* an update that orders no other accesses */
};

#endif
