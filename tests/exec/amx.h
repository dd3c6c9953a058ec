/* AMX in software, for machines without it: a handler of SIGILL that does what the instruction would have done. Only
 * what tritcc has: ldtilecfg, tilerelease, tilezero, tileloadd, tileloaddt1, tilestored, tdpbf16ps, tdpbssd;
 * vcvtneps2bf16. */
#ifndef TRI_TESTS_EXEC_AMX_H
#define TRI_TESTS_EXEC_AMX_H

#include "evex.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static _Thread_local uint8_t amx_tiles[8][16][64], amx_config[64];
static _Thread_local int amx_is_on;
static long amx_count; /* of products */

static uint64_t amx_register(const ucontext_t *u, int number)
{
    static const int order[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    return (uint64_t)u->uc_mcontext.gregs[order[number]];
}

typedef struct {
    int mod, reg, rm, length;
    uint64_t base, index; /* index: scaled */
} amx_operand;

static amx_operand amx_decode(const ucontext_t *u, const uint8_t *p, int vex1)
{
    amx_operand o = {p[0] >> 6, p[0] >> 3 & 7, p[0] & 7, 1, 0, 0};
    int x = vex1 & 0x40 ? 0 : 8, b = vex1 & 0x20 ? 0 : 8;
    if (o.mod == 3)
        return o;
    int has_base = 1, base = o.rm;
    if (o.rm == 4) {
        uint8_t sib = p[o.length++];
        int index = (sib >> 3 & 7) + x;
        base = sib & 7;
        has_base = !(base == 5 && o.mod == 0);
        o.index = index == 4 ? 0 : amx_register(u, index) << (sib >> 6);
    }
    if (o.rm == 5 && o.mod == 0) { /* relative to the next instruction, whose end is 4 bytes on */
        int32_t disp;
        memcpy(&disp, p + o.length, 4);
        o.length += 4;
        o.base = (uint64_t)(uintptr_t)(p + o.length) + (uint64_t)(int64_t)disp;
        return o;
    }
    o.base = has_base ? amx_register(u, base + b) : 0;
    if (o.mod == 1) {
        o.base += (uint64_t)(int64_t)(int8_t)p[o.length++];
    } else if (o.mod == 2 || !has_base) {
        int32_t disp;
        memcpy(&disp, p + o.length, 4);
        o.length += 4;
        o.base += (uint64_t)(int64_t)disp;
    }
    return o;
}

/* Subnormal operands count as zero. */
static float amx_bf16(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 24;
    float f;
    if (!(bits & 0x7f800000))
        bits &= 0x80000000;
    memcpy(&f, &bits, 4);
    return f;
}

static void amx_product(int d, int a, int b, int is_int)
{
    amx_count++;
    for (int m = 0; m < 16; m++) {
        for (int n = 0; n < 16; n++) {
            float f;
            int32_t s;
            memcpy(&f, amx_tiles[d][m] + 4 * n, 4);
            memcpy(&s, amx_tiles[d][m] + 4 * n, 4);
            for (int k = 0; k < 16; k++) {
                const uint8_t *x = amx_tiles[a][m] + 4 * k, *y = amx_tiles[b][k] + 4 * n;
                for (int i = 0; i < 4 && is_int; i++)
                    s += (int8_t)x[i] * (int8_t)y[i];
                for (int i = 0; i < 4 && !is_int; i += 2)
                    f += amx_bf16(x + i) * amx_bf16(y + i);
            }
            memcpy(amx_tiles[d][m] + 4 * n, is_int ? (void *)&s : (void *)&f, 4);
        }
    }
}

/* A processor that has AMX configures tiles without asking; only those of the process that may are its own to fill. */
static int amx_is_configured(const ucontext_t *u)
{
    enum { component = 17, features_at = 472, in_use_at = 512 };
    const uint8_t *base = (const uint8_t *)u->uc_mcontext.fpregs;
    uint64_t features, in_use;
    unsigned size, at, unused, more;
    memcpy(&features, base + features_at, 8);
    memcpy(&in_use, base + in_use_at, 8);
    if (amx_is_on || !(features & in_use & UINT64_C(1) << component))
        return amx_is_on;
    __cpuid_count(13, component, size, at, unused, more);
    return base[at] == 1 && base[at + 16] == 64 && base[at + 48] == 16;
}

static void amx_fail(const uint8_t *at)
{
    fprintf(stderr, "an instruction that is no AMX one, or tiles that are not configured: %02x %02x %02x %02x %02x\n",
            at[0], at[1], at[2], at[3], at[4]);
    _exit(99);
}

static void amx_handle(int signal, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    const uint8_t *at = (const uint8_t *)(uintptr_t)u->uc_mcontext.gregs[REG_RIP];
    (void)signal;
    (void)info;
    if (evex_is_bf16(at)) {
        amx_operand from = amx_decode(u, at + 5, at[1]);
        from.base += from.index + (from.mod == 1 ? 63 * (uint64_t)(int64_t)(int8_t)at[4 + from.length] : 0);
        evex_to_bf16(u, at, from.mod == 3 ? NULL : (const uint8_t *)(uintptr_t)from.base);
        u->uc_mcontext.gregs[REG_RIP] += 5 + from.length;
        return;
    }
    if (at[0] != 0xc4 || (at[1] & 0x1f) != 2)
        amx_fail(at);
    int kind = (at[2] & 3) << 8 | at[3]; /* prefix: 0 none, 1 66, 2 f3, 3 f2 */
    amx_operand o = amx_decode(u, at + 4, at[1]);
    uint8_t *memory = (uint8_t *)(uintptr_t)o.base;
    if (kind == 0x049 && o.mod != 3) {
        memcpy(amx_config, memory, 64);
        amx_is_on = amx_config[0] == 1 && amx_config[16] == 64 && amx_config[48] == 16;
    } else if (kind == 0x049) {
        amx_is_on = 0;
    } else if (!amx_is_configured(u)) {
        amx_fail(at);
    } else if (kind == 0x349) {
        memset(amx_tiles[o.reg], 0, sizeof *amx_tiles);
    } else if (kind == 0x34b || kind == 0x24b || kind == 0x14b) {
        for (int row = 0; row < 16; row++) {
            uint8_t *line = memory + (uint64_t)row * o.index;
            if (kind != 0x24b)
                memcpy(amx_tiles[o.reg][row], line, 64);
            else
                memcpy(line, amx_tiles[o.reg][row], 64);
        }
    } else if (kind == 0x25c || kind == 0x35e) {
        amx_product(o.reg, o.rm, 15 - (at[2] >> 3 & 15), kind == 0x35e);
    } else {
        amx_fail(at);
    }
    u->uc_mcontext.gregs[REG_RIP] += 4 + o.length;
}

static void amx_start(void)
{
    struct sigaction action = {.sa_sigaction = amx_handle, .sa_flags = SA_SIGINFO};
    sigaction(SIGILL, &action, NULL);
}

#endif
