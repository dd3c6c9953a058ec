/* Inline PTX on the host: reads the text that a kernel gives to inline_asm_elementwise, refuses what
 * it does not know, and runs it one instruction after another for one thread.
 *
 * Meaning: PTX ISA 8.8. Instructions with a rounding are exact to the bit; `.approx` ones give the
 * correctly rounded result, which real ones may miss by the error that the ISA allows them. A
 * register that is read before anything wrote to it is reported when that happens.
 *
 * program.h has the form of a program, table.c the instructions: a row says which modifiers, types
 * and operands a form takes and which function runs it. */
#ifndef TRI_RUNTIME_PTX_PTX_H
#define TRI_RUNTIME_PTX_PTX_H

#include "base/str.h"

typedef struct tri_ptx_program tri_ptx_program;

/* Where the text is wrong: line 1 is its first. */
typedef struct {
    int line;
    tri_str text; /* in the arena */
} tri_ptx_error;

/* `constraints` are LLVM's: "=r,=r,r,f,0,~{memory}"; $0, $1, ... of the text are their registers. `arch` is 80, 90,
 * ...: instructions that it lacks are refused. Null after filling out_error. The program is in `arena`. */
const tri_ptx_program *tri_ptx_parse(tri_arena *arena, tri_str text, tri_str constraints, int arch,
                                     tri_ptx_error *out_error);

int tri_ptx_num_outputs(const tri_ptx_program *program);
int tri_ptx_num_inputs(const tri_ptx_program *program);

/* Values that the machine gives: X(enumerator, name, bits). */
#define TRI_PTX_SPECIALS(X)                                                                                            \
    X(TID_X, "%tid.x", 32)                                                                                             \
    X(TID_Y, "%tid.y", 32) X(TID_Z, "%tid.z", 32) X(NTID_X, "%ntid.x", 32) X(NTID_Y, "%ntid.y", 32)                    \
        X(NTID_Z, "%ntid.z", 32) X(CTAID_X, "%ctaid.x", 32) X(CTAID_Y, "%ctaid.y", 32) X(CTAID_Z, "%ctaid.z", 32)      \
            X(NCTAID_X, "%nctaid.x", 32) X(NCTAID_Y, "%nctaid.y", 32) X(NCTAID_Z, "%nctaid.z", 32)                     \
                X(LANEID, "%laneid", 32) X(WARPID, "%warpid", 32) X(NWARPID, "%nwarpid", 32) X(SMID, "%smid", 32)      \
                    X(NSMID, "%nsmid", 32) X(GRIDID, "%gridid", 64) X(LANEMASK_EQ, "%lanemask_eq", 32)                 \
                        X(LANEMASK_LE, "%lanemask_le", 32) X(LANEMASK_LT, "%lanemask_lt", 32)                          \
                            X(LANEMASK_GE, "%lanemask_ge", 32) X(LANEMASK_GT, "%lanemask_gt", 32)                      \
                                X(CLOCK, "%clock", 32) X(CLOCK_HI, "%clock_hi", 32) X(CLOCK64, "%clock64", 64)         \
                                    X(GLOBALTIMER, "%globaltimer", 64) X(GLOBALTIMER_LO, "%globaltimer_lo", 32)        \
                                        X(GLOBALTIMER_HI, "%globaltimer_hi", 32)                                       \
                                            X(CLUSTER_CTARANK, "%cluster_ctarank", 32)                                 \
                                                X(CLUSTER_NCTARANK, "%cluster_nctarank", 32)

typedef enum {
#define X(id, name, bits) TRI_PTX_##id,
    TRI_PTX_SPECIALS(X)
#undef X
    TRI_PTX_SPECIAL_COUNT
} tri_ptx_special;

/* What lanes of a warp do together. */
typedef enum {
    TRI_PTX_SHUFFLE_UP,
    TRI_PTX_SHUFFLE_DOWN,
    TRI_PTX_SHUFFLE_XOR,
    TRI_PTX_SHUFFLE_INDEX,  /* value, lane operand, clamp -> value, whether it came from inside */
    TRI_PTX_VOTE_ALL,
    TRI_PTX_VOTE_ANY,
    TRI_PTX_VOTE_UNIFORM,
    TRI_PTX_VOTE_BALLOT,    /* predicate -> answer */
    TRI_PTX_MATCH_ANY,
    TRI_PTX_MATCH_ALL,      /* value -> mask, whether all are equal */
    TRI_PTX_REDUCE_ADD,
    TRI_PTX_REDUCE_AND,
    TRI_PTX_REDUCE_OR,
    TRI_PTX_REDUCE_XOR,
    TRI_PTX_REDUCE_SMIN,
    TRI_PTX_REDUCE_SMAX,
    TRI_PTX_REDUCE_UMIN,
    TRI_PTX_REDUCE_UMAX,    /* value -> result */
    TRI_PTX_ELECT,          /* -> the lowest lane, whether this is it */
    TRI_PTX_WARP_BARRIER,
} tri_ptx_exchange;

/* The machine around the thread; every call is made by the thread itself, which may be suspended in it. */
typedef struct {
    void *data;
    uint64_t (*special)(void *data, tri_ptx_special which);
    /* Global memory. Bits beyond the size are zero, or ignored. */
    uint64_t (*load)(void *data, uint64_t address, int bytes, int words, uint64_t *out_words);
    void (*store)(void *data, uint64_t address, int bytes, int words, const uint64_t *values);
    /* `operation` as in PTX, "add.f32" or "cas.b64"; gives the old value. */
    uint64_t (*atomic)(void *data, const char *operation, uint64_t address, int bits, uint64_t a, uint64_t b);
    /* `place` tells instructions of one program apart. */
    uint64_t (*exchange)(void *data, tri_ptx_exchange what, int place, uint32_t mask, const uint64_t operands[3],
                         bool *out_inside);
    void (*barrier)(void *data);
    bool (*sleep)(void *data, uint32_t ns); /* false ends the program */
    void (*trap)(void *data);
    void (*report)(void *data, const char *kind, const char *text);
} tri_ptx_host;

/* `inputs` and `outputs` hold one register per 8 bytes, in the order of the constraints. */
void tri_ptx_run(const tri_ptx_program *program, const tri_ptx_host *host, const uint64_t *inputs, uint64_t *outputs);

#endif
