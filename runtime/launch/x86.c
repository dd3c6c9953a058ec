/* Which level of x86-64 the machine has, and what beyond it. This file is compiled
 * for x86 whatever the host is. */
#if defined(__x86_64__)
#include "runtime/launch/launch.h"

typedef struct {
    uint32_t a, b, c, d;
} leaf;

static leaf query_part(uint32_t number, uint32_t part)
{
    leaf l;
    __asm__ volatile("cpuid" : "=a"(l.a), "=b"(l.b), "=c"(l.c), "=d"(l.d) : "a"(number), "c"(part));
    return l;
}

static leaf query(uint32_t number) { return query_part(number, 0); }

static int has_all(uint32_t bits, uint32_t wanted) { return (bits & wanted) == wanted; }

#define BIT(n) (UINT32_C(1) << (n))

/* XCR0: the registers that the system saves. */
static uint32_t saved_state(void)
{
    enum { osxsave = 27 };
    uint32_t xcr0, high;
    if (!has_all(query(1).c, BIT(osxsave)))
        return 0;
    __asm__ volatile("xgetbv" : "=a"(xcr0), "=d"(high) : "c"(0));
    return xcr0;
}

/* The levels as the x86-64 psABI defines them; 3 and 4 need an operating system that saves the registers. */
static int find_level(void)
{
    if (query(0).a < 7 || query(0x80000000).a < 0x80000001)
        return 1;
    leaf one = query(1), seven = query(7), extended = query(0x80000001);
    uint32_t xcr0 = saved_state();
    /* SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT; LAHF */
    if (!has_all(one.c, BIT(0) | BIT(9) | BIT(13) | BIT(19) | BIT(20) | BIT(23)) || !has_all(extended.c, BIT(0)))
        return 1;
    /* FMA, MOVBE, AVX, F16C; BMI1, AVX2, BMI2; LZCNT */
    if (!has_all(one.c, BIT(12) | BIT(22) | BIT(28) | BIT(29)) || !has_all(seven.b, BIT(3) | BIT(5) | BIT(8)) ||
        !has_all(extended.c, BIT(5)) || !has_all(xcr0, 6))
        return 2;
    /* AVX-512 F, DQ, CD, BW, VL */
    if (!has_all(seven.b, BIT(16) | BIT(17) | BIT(28) | BIT(30) | BIT(31)) || !has_all(xcr0, 0xe6))
        return 3;
    return 4;
}

int tri_cpu_rt_level(void)
{
    static int known; /* atomic; 0: not asked yet */
    int level = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!level) {
        level = find_level();
        __atomic_store_n(&known, level, __ATOMIC_RELAXED);
    }
    return level;
}

/* ---- features ---- */

/* Leaves of CPUID: 1, 7 with its parts 0 and 1, 0x80000001. */
enum { BASIC, MORE, MORE_1, EXTENDED, LEAVES };

typedef struct {
    uint32_t state;
    uint8_t leaf, place, bit; /* place: of the register */
} feature;

static const feature features[] = {
#define FEATURE(name, leaf, place, bit, state) {state, leaf, place, bit},
#include "runtime/launch/features.def"
#undef FEATURE
};

/* Each leaf once: a virtual machine leaves for its host at every CPUID. Zeros for those that the processor lacks. */
static void query_all(leaf out[LEAVES])
{
    const leaf none = {0, 0, 0, 0};
    out[BASIC] = query(1);
    out[MORE] = query(0).a >= 7 ? query(7) : none;
    out[MORE_1] = out[MORE].a ? query_part(7, 1) : none;
    out[EXTENDED] = query(0x80000000).a >= 0x80000001 ? query(0x80000001) : none;
}

static int has_feature(const feature *f, const leaf leaves[LEAVES], uint32_t xcr0)
{
    const leaf *l = &leaves[f->leaf];
    const uint32_t words[] = {l->a, l->b, l->c, l->d};
    return has_all(words[f->place], BIT(f->bit)) && has_all(xcr0, f->state);
}

uint64_t tri_cpu_rt_features(void)
{
    enum { is_known = 63 };
    static uint64_t known; /* atomic; 0: not asked yet */
    uint64_t found = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (found)
        return found;
    uint32_t xcr0 = saved_state();
    leaf leaves[LEAVES];
    query_all(leaves);
    found = UINT64_C(1) << is_known;
    for (unsigned i = 0; i < sizeof features / sizeof *features; i++)
        found |= (uint64_t)has_feature(&features[i], leaves, xcr0) << i;
    __atomic_store_n(&known, found, __ATOMIC_RELAXED);
    return found;
}

/* ---- AMX ---- */

/* arch_prctl(ARCH_REQ_XCOMP_PERM, the state of tiles): for all threads of the process. Refused by old systems, and
 * where a thread has an alternate stack for signals that is too small for the state. */
static int ask_for_tiles(void)
{
    enum { number = 158, request = 0x1023, tile_data = 18 };
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"((long)number), "D"((long)request), "S"((long)tile_data)
                     : "rcx", "r11", "memory");
    return result == 0;
}

static int find_tile_level(void)
{
    enum { tile_level = 5, leaf_of_features = 7 };
    int level = tri_cpu_rt_level();
    if (level < 4)
        return level;
    uint32_t xcr0 = saved_state();
    /* AMX bf16, tiles, int8; the two parts of their state */
    int has = has_all(query(leaf_of_features).d, BIT(22) | BIT(24) | BIT(25)) && has_all(xcr0, BIT(17) | BIT(18));
    return has && ask_for_tiles() ? tile_level : level;
}

int tri_cpu_rt_tile_level(void)
{
    static int known; /* atomic; 0: not asked yet */
    int level = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!level) {
        level = find_tile_level();
        __atomic_store_n(&known, level, __ATOMIC_RELAXED);
    }
    return level;
}

/* ---- transactions of memory ---- */

/* Where many are disturbed, none is begun for a while. Counters are only estimates, which threads may overwrite. */
enum { ask = 0, never = -1, disturbed = 4, most_disturbed = 1024, pause = 1 << 16 };
static int transactions; /* atomic; `ask`, `never`, or 1 and how many of late were disturbed */
static int pause_left;   /* atomic */

static int has_transactions(void)
{
    enum { leaf_of_features = 7, rtm = 11, always_abort = 11 };
    if (query(0).a < leaf_of_features)
        return 0;
    leaf seven = query(leaf_of_features);
    return has_all(seven.b, BIT(rtm)) && !has_all(seven.d, BIT(always_abort));
}

static void set(int *at, int value) { __atomic_store_n(at, value, __ATOMIC_RELAXED); }

int tri_cpu_rt_begin(void)
{
    int known = __atomic_load_n(&transactions, __ATOMIC_RELAXED);
    int left = __atomic_load_n(&pause_left, __ATOMIC_RELAXED);
    if (known == ask)
        set(&transactions, known = has_transactions() ? 1 : never);
    if (left > 0)
        set(&pause_left, left - 1);
    if (known == never || left > 0)
        return 0;
    if (known > 1)
        set(&transactions, --known);
    int status = -1;
    __asm__ volatile("xbegin 1f\n1:" : "+a"(status)::"memory");
    if (status == -1)
        return 1;
    int is_often = known + disturbed > most_disturbed;
    set(&pause_left, is_often ? pause : 0);
    set(&transactions, is_often ? 1 : known + disturbed);
    return 0;
}
#endif
