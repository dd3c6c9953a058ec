/* A program of inline PTX after reading, and what the functions that run instructions share. */
#ifndef TRI_RUNTIME_PTX_PROGRAM_H
#define TRI_RUNTIME_PTX_PROGRAM_H

#include "base/vec.h"
#include "runtime/sim/nvptx/ptx/number.h"
#include "runtime/sim/nvptx/ptx/ptx.h"

/* X(name, class, bits of the whole, elements, format of floats) */
#define TRI_PTX_TYPES(X)                                                                                               \
    X(pred, PREDICATE, 1, 1, NONE)                                                                                     \
    X(b8, BITS, 8, 1, NONE)                                                                                            \
    X(b16, BITS, 16, 1, NONE) X(b32, BITS, 32, 1, NONE) X(b64, BITS, 64, 1, NONE) X(u8, UNSIGNED, 8, 1, NONE)          \
        X(u16, UNSIGNED, 16, 1, NONE) X(u32, UNSIGNED, 32, 1, NONE) X(u64, UNSIGNED, 64, 1, NONE)                      \
            X(s8, SIGNED, 8, 1, NONE) X(s16, SIGNED, 16, 1, NONE) X(s32, SIGNED, 32, 1, NONE)                          \
                X(s64, SIGNED, 64, 1, NONE) X(u16x2, UNSIGNED, 32, 2, NONE) X(s16x2, SIGNED, 32, 2, NONE)              \
                    X(f16, FLOAT, 16, 1, F16) X(f16x2, FLOAT, 32, 2, F16) X(bf16, FLOAT, 16, 1, BF16)                  \
                        X(bf16x2, FLOAT, 32, 2, BF16) X(f32, FLOAT, 32, 1, F32) X(f32x2, FLOAT, 64, 2, F32)            \
                            X(f64, FLOAT, 64, 1, F64) X(tf32, BITS, 32, 1, TF32) X(e4m3x2, BITS, 16, 2, E4M3)          \
                                X(e5m2x2, BITS, 16, 2, E5M2) X(e2m1x2, BITS, 8, 2, E2M1) X(e2m3x2, BITS, 16, 2, E2M3)  \
                                    X(e3m2x2, BITS, 16, 2, E3M2) X(ue8m0x2, BITS, 16, 2, UE8M0)

typedef enum {
#define X(name, kind, bits, lanes, format) PTX_##name,
    TRI_PTX_TYPES(X)
#undef X
    PTX_NO_TYPE
} ptx_type;

typedef enum { PTX_PREDICATE, PTX_BITS, PTX_UNSIGNED, PTX_SIGNED, PTX_FLOAT } ptx_class;

typedef struct {
    const char *name;
    ptx_class kind;
    int bits, lanes;
    ptx_format format;
} ptx_type_info;

extern const ptx_type_info tri_ptx_types[PTX_NO_TYPE];

/* Modifiers that are no types. */
#define TRI_PTX_FLAGS(X)                                                                                               \
    X(rn)                                                                                                              \
    X(rz) X(rm) X(rp) X(rna) X(rni) X(rzi) X(rmi) X(rpi) X(ftz) X(sat) X(satfinite) X(relu) X(approx) X(full) X(noftz) \
        X(lo) X(hi) X(l) X(r) X(wide) X(cc) X(NaN) X(xorsign) X(abs) X(uni) X(clamp) X(wrap) X(shiftamt) X(f4e) X(b4e) \
            X(rc8) X(ecl) X(ecr) X(rc16) X(eq) X(ne) X(lt) X(le) X(gt) X(ge) X(ls) X(hs) X(equ) X(neu) X(ltu) X(leu)   \
                X(gtu) X(geu) X(num) X(nan) X(and) X(or) X(xor) X(add) X(min) X(max) X(inc) X(dec) X(exch) X(cas)      \
                    X(finite) X(infinite) X(number) X(notanumber) X(normal) X(subnormal) X(global) X(to) X(weak)       \
                        X(volatile) X(relaxed) X(acquire) X(release) X(acq_rel) X(sc) X(mmio) X(cta) X(cluster) X(gpu) \
                            X(sys) X(gl) X(nc) X(ca) X(cg) X(cs) X(lu) X(cv) X(wb) X(wt) X(hint) X(v2) X(v4) X(up)     \
                                X(down) X(bfly) X(idx) X(sync) X(warp) X(aligned) X(all) X(any) X(ballot) X(wait)      \
                                    X(launch_dependents) X(proxy) X(async) X(alias) X(L1) X(L2) X(pack) X(fractional)

typedef enum {
#define X(name) PTX_##name##_flag,
    TRI_PTX_FLAGS(X)
#undef X
    PTX_FLAG_COUNT
} ptx_flag;

_Static_assert(PTX_FLAG_COUNT <= 128, "flags of an instruction are two words");

typedef enum {
    OPERAND_NONE,
    OPERAND_REGISTER,
    OPERAND_IMMEDIATE, /* value: bits of the operand's type */
    OPERAND_SPECIAL,   /* value: tri_ptx_special */
    OPERAND_VECTOR,    /* parts[0..count) */
    OPERAND_ADDRESS,   /* reg (or -1) + value */
    OPERAND_TARGET,    /* value: index of an instruction */
    OPERAND_SINK,      /* _ */
} ptx_operand_kind;

typedef struct ptx_operand {
    ptx_operand_kind kind;
    bool is_negated;       /* !p */
    bool is_float;         /* of an immediate as it is written */
    int reg, second;       /* second: of p|q, or -1 */
    uint64_t value;
    double real;
    int count; /* of parts; of a part: its bits */
    struct ptx_operand *parts;
} ptx_operand;

enum { PTX_MAX_OPERANDS = 8, PTX_MAX_REGISTERS = 1024, PTX_MAX_VECTOR = 8 };

typedef struct {
    const char *name;
    ptx_class kind;
    int bits;
} ptx_register;

typedef struct ptx_state ptx_state;
typedef struct ptx_instruction ptx_instruction;

/* Of elementwise instructions: the result for one element of each source. */
typedef uint64_t (*ptx_value)(const ptx_instruction *i, const uint64_t *x);

/* A form of an instruction. `form`: groups of modifiers, "rn/rz? ftz? f32": one of rn and rz or none, ... Types come in
 * the given order, other modifiers in any. `operands`, "=" in front of what is written: 0 1 2 of that type of the form,
 * ~0 the same in a register that may be wider, w twice as wide as type 0, u .u32, q .b64, p a predicate, =p|p? one or
 * two of them, *0 a vector as v2 and v4 say, m an address, L a label, M anything that mov takes; ? it may be left out.
 */
typedef struct {
    const char *name, *form, *operands;
    void (*run)(ptx_state *s, const ptx_instruction *i);
    ptx_value value;
    int arch;
} ptx_row;

struct ptx_instruction {
    const ptx_row *row;
    int line;
    int guard; /* register, or -1 */
    bool is_guard_negated;
    uint64_t flags[2];
    ptx_type types[3];
    int num_operands;
    ptx_operand operands[PTX_MAX_OPERANDS];
};

struct tri_ptx_program {
    TRI_VEC(ptx_instruction) code;
    TRI_VEC(ptx_register) registers;
    int num_outputs, num_inputs;
    int *inputs; /* registers of the inputs; those of the outputs are 0..num_outputs-1 */
};

struct ptx_state {
    const tri_ptx_program *program;
    const tri_ptx_host *host;
    size_t next; /* instruction */
    bool is_stopped, carry;
    int jumps;
    uint64_t registers[PTX_MAX_REGISTERS];
    bool is_written[PTX_MAX_REGISTERS];
};

static inline bool ptx_has(const ptx_instruction *i, ptx_flag flag) { return i->flags[flag / 64] >> (flag % 64) & 1; }
static inline const ptx_type_info *ptx_type_of(const ptx_instruction *i, int n) { return &tri_ptx_types[i->types[n]]; }
static inline uint64_t ptx_mask(int bits) { return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1; }
static inline int64_t ptx_signed(uint64_t x, int bits) { return (int64_t)(x << (64 - bits)) >> (64 - bits); }
/* The rounding that an instruction asks for; to nearest even where it says nothing. */
ptx_rounding tri_ptx_rounding(const ptx_instruction *i);

/* table.c: the rows, and finding the one that modifiers fit. */
extern const ptx_row tri_ptx_rows[];
/* Whether there are instructions of that name, up to its first point. */
bool tri_ptx_is_known(tri_str name);
/* `name` is "add.rn.f32", known; i->num_operands is set. Fills row, flags and types; false: *out_error says why, in
 * `arena`. */
bool tri_ptx_find(tri_arena *arena, tri_str name, int arch, ptx_instruction *i, tri_str *out_error);

/* run.c */
uint64_t tri_ptx_get(ptx_state *s, const ptx_instruction *i, const ptx_operand *operand);
void tri_ptx_put(ptx_state *s, const ptx_operand *operand, uint64_t value);
void tri_ptx_elementwise(ptx_state *s, const ptx_instruction *i);

#endif
