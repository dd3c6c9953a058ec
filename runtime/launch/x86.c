/* Which level of x86-64 the machine has; for objects that hold code for several. This file is compiled
 * for x86 whatever the host is. */
#if defined(__x86_64__)
#include "runtime/launch/launch.h"

typedef struct {
    uint32_t a, b, c, d;
} leaf;

static leaf query(uint32_t number)
{
    leaf l;
    __asm__ volatile("cpuid" : "=a"(l.a), "=b"(l.b), "=c"(l.c), "=d"(l.d) : "a"(number), "c"(0));
    return l;
}

static int has_all(uint32_t bits, uint32_t wanted) { return (bits & wanted) == wanted; }

#define BIT(n) (UINT32_C(1) << (n))

/* The levels as the x86-64 psABI defines them; 3 and 4 need an operating system that saves the registers. */
static int find_level(void)
{
    enum { osxsave = 27 };
    if (query(0).a < 7 || query(0x80000000).a < 0x80000001)
        return 1;
    leaf one = query(1), seven = query(7), extended = query(0x80000001);
    uint32_t xcr0 = 0, high;
    if (has_all(one.c, BIT(osxsave)))
        __asm__ volatile("xgetbv" : "=a"(xcr0), "=d"(high) : "c"(0));
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
    uint32_t xcr0, high;
    int level = tri_cpu_rt_level();
    if (level < 4)
        return level;
    __asm__ volatile("xgetbv" : "=a"(xcr0), "=d"(high) : "c"(0));
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
#endif
