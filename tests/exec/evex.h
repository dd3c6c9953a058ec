/* vcvtneps2bf16 of 16 floats in software, for a handler of SIGILL (amx.h): registers are where the kernel has put
 * them. */
#ifndef TRI_TESTS_EXEC_EVEX_H
#define TRI_TESTS_EXEC_EVEX_H

#include <cpuid.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

static long evex_count;

/* Components of the state: bytes 16 to 31, 32 to 63; zmm16 on. */
enum { evex_high = 2, evex_zmm_high = 6, evex_more = 7 };

/* Where a component begins; it is zero where it was not in use. */
static uint8_t *evex_component(const ucontext_t *u, int number, unsigned bytes)
{
    unsigned size, at, unused, more;
    uint8_t *base = (uint8_t *)u->uc_mcontext.fpregs;
    uint64_t in_use;
    __cpuid_count(13, (unsigned)number, size, at, unused, more);
    memcpy(&in_use, base + 512, 8);
    if (!(in_use >> number & 1))
        memset(base + at, 0, bytes);
    in_use |= UINT64_C(1) << number;
    memcpy(base + 512, &in_use, 8);
    return base + at;
}

/* Copies a register of 64 bytes to or from `v`. */
static void evex_move(const ucontext_t *u, int number, uint8_t *v, int is_store)
{
    uint8_t *at[3] = {(uint8_t *)u->uc_mcontext.fpregs + 160 + 16 * (number & 15),
                      evex_component(u, evex_high, 256) + 16 * (number & 15),
                      evex_component(u, evex_zmm_high, 512) + 32 * (number & 15)};
    int size[3] = {16, 16, 32};
    uint8_t *more = evex_component(u, evex_more, 1024) + 64 * (number & 15);
    for (int i = 0, begin = 0; i < 3; begin += size[i++]) {
        uint8_t *place = number < 16 ? at[i] : more + begin;
        memcpy(is_store ? place : v + begin, is_store ? v + begin : place, (size_t)size[i]);
    }
}

static uint16_t evex_half(uint32_t x)
{
    uint32_t size = x & 0x7fffffff;
    if (size < 0x800000)
        return (uint16_t)(x >> 16 & 0x8000); /* the instruction takes subnormal numbers as zero */
    if (size > 0x7f800000)
        return (uint16_t)(x >> 16 | 0x40);
    return (uint16_t)((x + 0x7fff + (x >> 16 & 1)) >> 16);
}

static int evex_is_bf16(const uint8_t *at)
{
    return at[0] == 0x62 && (at[1] & 7) == 2 && (at[2] & 0x83) == 2 && at[3] == 0x48 && at[4] == 0x72;
}

/* `memory`: the operand, where it is no register. */
static void evex_to_bf16(const ucontext_t *u, const uint8_t *at, const uint8_t *memory)
{
    int reg = (at[5] >> 3 & 7) + (at[1] & 0x80 ? 0 : 8) + (at[1] & 0x10 ? 0 : 16);
    int rm = (at[5] & 7) + (at[1] & 0x20 ? 0 : 8) + (at[1] & 0x40 ? 0 : 16);
    uint8_t from[64], to[64] = {0};
    if (memory)
        memcpy(from, memory, sizeof from);
    else
        evex_move(u, rm, from, 0);
    for (int i = 0; i < 16; i++) {
        uint32_t x;
        memcpy(&x, from + 4 * i, 4);
        uint16_t half = evex_half(x);
        memcpy(to + 2 * i, &half, 2);
    }
    evex_move(u, reg, to, 1);
    evex_count++;
}

#endif
