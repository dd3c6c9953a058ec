/* Inline PTX: results bit for bit against C that computes them another way, and the text that is refused. */
#include "runtime/sim/nvptx/ptx/ptx.h"

#include "runtime/float.h"

#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>

static int failures;
static tri_arena *arena;
static char reported[200];

/* ---- a machine without others ---- */

static uint64_t special(void *data, tri_ptx_special which) { return (void)data, (uint64_t)which + 7; }

static uint64_t load(void *data, uint64_t address, int bytes, int words, uint64_t *out_words)
{
    (void)data;
    for (int i = 0; i < words; i++) {
        out_words[i] = 0;
        memcpy(&out_words[i], (char *)(uintptr_t)address + i * bytes, (size_t)bytes);
    }
    return out_words[0];
}

static void store(void *data, uint64_t address, int bytes, int words, const uint64_t *values)
{
    (void)data;
    for (int i = 0; i < words; i++)
        memcpy((char *)(uintptr_t)address + i * bytes, &values[i], (size_t)bytes);
}

static uint64_t atomic(void *data, const char *operation, uint64_t address, int bits, uint64_t a, uint64_t b)
{
    uint64_t old;
    load(data, address, bits / 8, 1, &old);
    uint64_t updated = !strcmp(operation, "add.u32")   ? old + a
                       : !strcmp(operation, "cas.b64") ? (old == a ? b : old)
                                                       : 0;
    store(data, address, bits / 8, 1, &updated);
    return old;
}

static uint64_t exchange(void *data, tri_ptx_exchange what, int place, uint32_t mask, const uint64_t operands[3],
                         bool *out_inside)
{
    (void)data, (void)place;
    *out_inside = what == TRI_PTX_ELECT;
    return mask + operands[0];
}

static void nothing(void *data) { (void)data; }
static bool rest(void *data, uint32_t ns) { return (void)ns, --*(int *)data > 0; }
static void report(void *data, const char *kind, const char *text)
{
    (void)data;
    snprintf(reported, sizeof reported, "%s: %s", kind, text);
}

static bool run(const char *text, const char *constraints, const uint64_t *inputs, uint64_t *outputs)
{
    int patience = 100;
    tri_ptx_host host = {&patience, special, load, store, atomic, exchange, nothing, rest, nothing, report};
    tri_ptx_error error;
    const tri_ptx_program *program = tri_ptx_parse(arena, tri_str_from(text), tri_str_from(constraints), 100, &error);
    if (!program) {
        failures++;
        fprintf(stderr, "%s\n  line %d: %.*s\n", text, error.line, TRI_STR_ARG(error.text));
        return false;
    }
    reported[0] = 0;
    tri_ptx_run(program, &host, inputs, outputs);
    return true;
}

static void expect(const char *text, const char *constraints, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                   uint64_t want)
{
    uint64_t inputs[4] = {a, b, c, d}, outputs[8] = {0};
    if (!run(text, constraints, inputs, outputs) || outputs[0] == want)
        return;
    failures++;
    fprintf(stderr, "%s of %llx %llx %llx %llx: %llx instead of %llx\n", text, (unsigned long long)a,
            (unsigned long long)b, (unsigned long long)c, (unsigned long long)d, (unsigned long long)outputs[0],
            (unsigned long long)want);
}

static uint64_t state = 88172645463325252u;
static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* ---- values that the ISA's text gives ---- */

typedef struct {
    const char *text, *constraints;
    uint64_t in[4], want;
} example;

static const example examples[] = {
    {"add.u32 $0, $1, $2;", "=r,r,r", {0xffffffff, 2}, 1},
    {"add.sat.s32 $0, $1, $2;", "=r,r,r", {0x7fffffff, 2}, 0x7fffffff},
    {"sub.sat.s32 $0, $1, $2;", "=r,r,r", {0x80000000, 2}, 0x80000000},
    {"mul.hi.s32 $0, $1, $2;", "=r,r,r", {0xffffffff, 3}, 0xffffffff},
    {"mul.hi.u64 $0, $1, $2;", "=l,l,l", {UINT64_MAX, UINT64_MAX}, UINT64_MAX - 1},
    {"mul.wide.s32 $0, $1, $2;", "=l,r,r", {0xffffffff, 3}, (uint64_t)-3},
    {"mad.wide.u16 $0, $1, $2, $3;", "=r,h,h,r", {0xffff, 0xffff, 5}, 0xfffe0006},
    {"mad.lo.s32 $0, $1, $2, $3;", "=r,r,r,r", {0xfffffffe, 3, 10}, 4},
    {"mul24.hi.s32 $0, $1, $2;", "=r,r,r", {0xffffff, 0x10000}, 0xffffffff},
    {"div.s32 $0, $1, $2;", "=r,r,r", {(uint32_t)-7, 2}, (uint32_t)-3},
    {"div.s32 $0, $1, $2;", "=r,r,r", {0x80000000, 0xffffffff}, 0x80000000},
    {"rem.s32 $0, $1, $2;", "=r,r,r", {(uint32_t)-7, 2}, (uint32_t)-1},
    {"sad.u32 $0, $1, $2, $3;", "=r,r,r,r", {3, 10, 100}, 107},
    {"{ .reg .u32 t; add.cc.u32 t, $1, $2; addc.u32 $0, 0, 0; }", "=r,r,r", {0xffffffff, 1}, 1},
    {"{ .reg .u32 t; sub.cc.u32 t, $1, $2; subc.u32 $0, 5, 0; }", "=r,r,r", {1, 2}, 4},
    {"{ .reg .u32 t; sub.cc.u32 t, $1, $2; subc.u32 $0, 5, 0; }", "=r,r,r", {2, 2}, 5},
    {"dp4a.s32.u32 $0, $1, $2, $3;", "=r,r,r,r", {0xff01ff02, 0x01020304, 10}, 10 - 1 + 2 - 3 + 8},
    {"dp2a.hi.u32.u32 $0, $1, $2, $3;", "=r,r,r,r", {0x00020003, 0x04050607, 1}, 1 + 3 * 5 + 2 * 4},
    {"shl.b32 $0, $1, $2;", "=r,r,r", {1, 32}, 0},
    {"shr.s32 $0, $1, $2;", "=r,r,r", {0x80000000, 40}, 0xffffffff},
    {"shr.u64 $0, $1, 63;", "=l,l", {UINT64_MAX}, 1},
    {"shf.l.wrap.b32 $0, $1, $2, $3;", "=r,r,r,r", {0x80000000, 1, 33}, 3},
    {"shf.r.clamp.b32 $0, $1, $2, $3;", "=r,r,r,r", {1, 7, 40}, 7},
    {"popc.b64 $0, $1;", "=r,l", {0xf0f0}, 8},
    {"clz.b32 $0, $1;", "=r,r", {1}, 31},
    {"brev.b32 $0, $1;", "=r,r", {0x80000001}, 0x80000001},
    {"bfind.s32 $0, $1;", "=r,r", {(uint32_t)-5}, 2},
    {"bfind.shiftamt.u32 $0, $1;", "=r,r", {0x100}, 23},
    {"bfind.u32 $0, $1;", "=r,r", {0}, 0xffffffff},
    {"bfe.s32 $0, $1, 4, 4;", "=r,r", {0xf0}, 0xffffffff},
    {"bfe.u32 $0, $1, 28, 8;", "=r,r", {0xf0000000}, 15},
    {"bfi.b32 $0, $1, $2, 8, 4;", "=r,r,r", {0xff, 0}, 0xf00},
    {"bmsk.clamp.b32 $0, 4, 8;", "=r", {0}, 0xff0},
    {"szext.clamp.s32 $0, $1, 4;", "=r,r", {0x8}, 0xfffffff8},
    {"lop3.b32 $0, $1, $2, $3, 0xEA;", "=r,r,r,r", {12, 10, 1}, (12 & 10) | 1},
    {"lop3.b32 $0, $1, $2, $3, 0x96;", "=r,r,r,r", {12, 10, 1}, 12 ^ 10 ^ 1},
    {"prmt.b32 $0, $1, $2, 0x5140;", "=r,r,r", {0x33221100, 0x77665544}, 0x55114400},
    {"prmt.b32 $0, $1, $2, 0x888f;", "=r,r,r", {0x80, 0x80000000}, 0xffffffff},
    {"prmt.b32.f4e $0, $1, $2, 1;", "=r,r,r", {0x33221100, 0x77665544}, 0x44332211},
    {"and.b32 $0, $1, 0x1F1F1F1F; \t shl.b32 $0, $0, 3;", "=r,r", {0x12345678}, 0x90a0b0c0},
    {"mov.b32 $0, {$1, $2};", "=r,h,h", {0x1111, 0x2222}, 0x22221111},
    {"{ .reg .b16 l, h; mov.b32 {l, h}, $1; mov.b32 $0, {h, l}; }", "=r,r", {0x12345678}, 0x56781234},
    {"{ .reg .b8 r<4>; mov.b32 {r0, r1, r2, r3}, $1; cvt.s32.s8 $0, r3; }", "=r,r", {0x80000000}, 0xffffff80},
    {"mov.b64 $0, {$1, 0x7};", "=l,r", {5}, 0x700000005},
    {"mov.u32 $0, %laneid; // the lane", "=r", {0}, TRI_PTX_LANEID + 7},
    {"mov.u64 $0, %globaltimer;", "=l", {0}, TRI_PTX_GLOBALTIMER + 7},
    {"mov.u32 $0, %tid.x; /* two\nlines */", "=r", {0}, TRI_PTX_TID_X + 7},
    {"add.u32 $0, $1, (0b11);", "=r,0", {5}, 8},
    {"add.u32 $0, $1, 010U;", "=&r,r,~{memory}", {5}, 13},
    {"{ .reg .pred p, q; setp.lt.s32 p|q, $1, $2; selp.b32 $0, 1, 2, q; }", "=r,r,r", {(uint32_t)-1, 0}, 2},
    {"{ .reg .pred p, q; setp.eq.u32 q, 1, 1; setp.lo.and.u32 p, $1, $2, !q; selp.b32 $0, 1, 2, p; }",
     "=r,r,r",
     {1, 2},
     2},
    {"{ .reg .pred p<2>; setp.lt.f16x2 p0|p1, $1, $2; selp.b32 $0, 1, 0, p1; @p0 add.u32 $0, $0, 2; }",
     "=r,r,r",
     {0x3c004000, 0x40003c00},
     1},
    {"{ .reg .pred p; setp.gtu.f32 p, $1, 1.0; @!p bra no; mov.b32 $0, 1; bra end; no: mov.b32 $0, 2; end: }",
     "=r,f",
     {0x7fffffff},
     1},
    {"set.le.f32.s32 $0, $1, 3;", "=f,r", {3}, 0x3f800000},
    {"slct.b32.f32 $0, 1, 2, $1;", "=r,f", {0x80000000}, 1},
    {"{ .reg .pred p; testp.subnormal.f32 p, $1; selp.b32 $0, 1, 0, p; }", "=r,f", {5}, 1},
    {"mov.u32 $0, 0; l: add.u32 $0, $0, $1; { .reg .pred p; setp.lt.u32 p, $0, 10; @p bra.uni l; }", "=r,r", {3}, 12},
    /* floats: NaN, zeros, saturation, subnormals */
    {"add.f32 $0, $1, $2;", "=f,f,f", {0x7f800000, 0xff800000}, 0x7fffffff},
    {"add.rm.f32 $0, $1, $2;", "=f,f,f", {0x3f800000, 0xbf800000}, 0x80000000},
    {"add.sat.f32 $0, $1, $2;", "=f,f,f", {0x7fc00000, 0}, 0},
    {"add.ftz.f32 $0, $1, $2;", "=f,f,f", {5, 7}, 0},
    {"mul.ftz.f32 $0, $1, $2;", "=f,f,f", {0x80000005, 0x3f800000}, 0x80000000},
    {"min.f32 $0, $1, $2;", "=f,f,f", {0x7fc00001, 0x40000000}, 0x40000000},
    {"min.NaN.f32 $0, $1, $2;", "=f,f,f", {0x7fc00001, 0x40000000}, 0x7fffffff},
    {"max.f32 $0, $1, $2;", "=f,f,f", {0x80000000, 0}, 0},
    {"min.f32 $0, $1, $2;", "=f,f,f", {0, 0x80000000}, 0x80000000},
    {"max.NaN.xorsign.abs.f32 $0, $1, $2;", "=r,r,r", {0xc0000000, 0x3f800000}, 0xc0000000},
    {"abs.ftz.f32 $0, $1;", "=f,f", {0x80000001}, 0},
    {"neg.f16x2 $0, $1;", "=r,r", {0x3c00bc00}, 0xbc003c00},
    {"min.f16x2 $0, $1, $2;", "=r,r,r", {0x3c004000, 0x40003c00}, 0x3c003c00},
    {"mul.bf16x2 $0, $1, $2;", "=r,r,r", {0x40003f80, 0x40404040}, 0x40c04040},
    {"fma.rn.relu.bf16x2 $0, $1, $2, $3;", "=r,r,r,r", {0xbf803f80, 0x3f803f80, 0}, 0x3f80},
    {"fma.rn.f32x2 $0, $1, $2, $3;",
     "=l,l,l,l",
     {0x400000003f800000, 0x4000000040000000, 0x3f8000003f800000},
     0x40a0000040400000},
    {"copysign.f32 $0, $1, $2;", "=f,f,f", {0x80000000, 0x40000000}, 0xc0000000},
    {"ex2.approx.ftz.f32 $0, $1;", "=f,f", {0x40400000}, 0x41000000},
    {"lg2.approx.f32 $0, $1;", "=f,f", {0x41000000}, 0x40400000},
    {"rcp.approx.ftz.f32 $0, $1;", "=f,f", {0x80000000}, 0xff800000},
    {"rsqrt.approx.f32 $0, $1;", "=f,f", {0x40800000}, 0x3f000000},
    {"tanh.approx.f32 $0, $1;", "=f,f", {0x7f800000}, 0x3f800000},
    {"sin.approx.f32 $0, $1;", "=f,f", {0x7f800000}, 0x7fffffff},
    /* conversions */
    {"cvt.rzi.s32.f32 $0, $1;", "=r,f", {0xbfc00000}, 0xffffffff},
    {"cvt.rni.s32.f32 $0, $1;", "=r,f", {0x40200000}, 2},
    {"cvt.rpi.u8.f32 $0, $1;", "=r,f", {0x43960000}, 255},
    {"cvt.rzi.s32.f32 $0, $1;", "=r,f", {0x7fc00000}, 0},
    {"cvt.rzi.s64.f64 $0, $1;", "=l,d", {0x7ff8000000000000}, 0x8000000000000000},
    {"cvt.rzi.u32.f32 $0, $1;", "=r,f", {0xbf800000}, 0},
    {"cvt.sat.s8.s32 $0, $1;", "=r,r", {300}, 127},
    {"cvt.sat.u8.s32 $0, $1;", "=r,r", {(uint32_t)-5}, 0},
    {"cvt.u32.u8 $0, $1;", "=r,r", {0x1ff}, 0xff},
    {"cvt.rp.f32.u32 $0, $1;", "=f,r", {0x1000001}, 0x4b800001},
    {"cvt.rn.f16.f32 $0, $1;", "=h,f", {0x477ff000}, 0x7c00},
    {"cvt.rz.f16.f32 $0, $1;", "=h,f", {0x477ff000}, 0x7bff},
    {"cvt.rn.relu.bf16.f32 $0, $1;", "=h,f", {0xbf800000}, 0},
    {"cvt.rna.tf32.f32 $0, $1;", "=r,f", {0x3f801000}, 0x3f802000},
    {"cvt.rn.tf32.f32 $0, $1;", "=r,f", {0x3f801000}, 0x3f800000},
    {"cvt.rn.f16x2.f32 $0, $1, $2;", "=r,f,f", {0x3f800000, 0x40000000}, 0x3c004000},
    {"cvt.rn.bf16x2.f32 $0, $1, $2;", "=r,f,f", {0x3f800000, 0x40000000}, 0x3f804000},
    {"cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "=h,f,f", {0x44000000, 0xc4000000}, 0x7efe},
    {"cvt.rn.satfinite.e5m2x2.f32 $0, $1, $2;", "=h,f,f", {0x7fc00000, 0x3f800000}, 0x7f3c},
    {"cvt.rn.f16x2.e4m3x2 $0, $1;", "=r,h", {0x38b8}, 0x3c00bc00},
    {"{ .reg .b8 b; cvt.rn.satfinite.e2m1x2.f32 b, $1, $2; mov.b32 $0, {b, b, b, b}; }",
     "=r,f,f",
     {0x40c00000, 0xbf000000},
     0x79797979},
    {"{ .reg .b8 in_8; .reg .f16x2 out; cvt.u8.u32 in_8, $1; cvt.rn.f16x2.e2m1x2 out, in_8; mov.b32 $0, out; }",
     "=r,r",
     {0x79},
     0x4600b800},
    {"cvt.rp.satfinite.ue8m0x2.f32 $0, $1, $2;", "=h,f,f", {0x40400000, 0x3f800000}, 0x817f},
    {"cvt.rn.bf16x2.ue8m0x2 $0, $1;", "=r,h", {0x817f}, 0x40803f80},
    {"cvt.pack.sat.u8.s32.b32 $0, $1, $2, $3;", "=r,r,r,r", {300, (uint32_t)-1, 0x1234}, 0x1234ff00},
    {"cvt.pack.sat.s16.s32 $0, $1, $2;", "=r,r,r", {40000, 5}, 0x7fff0005},
    {"cvt.rn.bf16.s32 $0, $1;", "=h,r", {3}, 0x4040},
    /* lanes */
    {"{ .reg .pred p; elect.sync $0|p, $1; @p add.u32 $0, $0, 1; }", "=r,r", {5}, 6},
    {"redux.sync.add.s32 $0, $1, 16;", "=r,r", {5}, 21},
    {"activemask.b32 $0;", "=r", {0}, 0xffffffff},
};

static void check_examples(void)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        expect(examples[i].text, examples[i].constraints, examples[i].in[0], examples[i].in[1], examples[i].in[2],
               examples[i].in[3], examples[i].want);
}

/* fp8e4b15 from the language's own text: every byte. */
static void check_fp8e4b15(void)
{
    static const char text[] =
        "{ .reg .b32 a<2>, b<2>; prmt.b32 a0, 0, $2, 0x5746; and.b32 b0, a0, 0x7f007f00; and.b32 b1, a0, 0x00ff00ff;"
        "and.b32 a1, a0, 0x00800080; shr.b32 b0, b0, 1; add.u32 b1, b1, a1; lop3.b32 $0, b0, 0x80008000, a0, 0xf8;"
        "shl.b32 $1, b1, 7; }";
    for (uint64_t byte = 0; byte < 256; byte++) {
        uint64_t input = byte * 0x01010101, out[2];
        if (!run(text, "=r,=r,r", &input, out))
            return;
        uint64_t half = (byte & 0x80) << 8 | (byte & 0x7f) << 7;
        if (out[0] != (half | half << 16) || out[1] != out[0]) {
            failures++;
            fprintf(stderr, "fp8e4b15 %02x: %llx %llx\n", (unsigned)byte, (unsigned long long)out[0],
                    (unsigned long long)out[1]);
        }
    }
}

/* ---- fp32 and fp64 against the machine's own roundings ---- */

static uint64_t interesting(int bits)
{
    static const uint32_t corners[] = {0,          0x80000000, 1,          0x7fffff,   0x800000,  0x3f800000,
                                       0xbf800000, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x3f800001};
    uint64_t r = next_random();
    if (bits == 64)
        return r % 8 ? (r >> 12 << 12 & 0xbfffffffffffffff) | (next_random() & 4095)
                     : (uint64_t)corners[next_random() % 11] << 32;
    if (r % 4 == 0)
        return corners[next_random() % 11];
    if (r % 4 == 1) /* near one: sums that cancel */
        return 0x3f000000 + (uint32_t)(next_random() & 0x80ffffff);
    return (uint32_t)next_random();
}

static uint64_t canonical(float value) { return isnan(value) ? 0x7fffffff : tri_float_f32_bits(value); }

static void check_f32(void)
{
    static const char *const names[] = {"rn", "rz", "rm", "rp"};
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    static const char *const forms[] = {
        "add.%s.f32 $0, $1, $2;",     "sub.%s.f32 $0, $1, $2;", "mul.%s.f32 $0, $1, $2;", "div.%s.f32 $0, $1, $2;",
        "fma.%s.f32 $0, $1, $2, $3;", "sqrt.%s.f32 $0, $1;",    "rcp.%s.f32 $0, $1;"};
    for (int n = 0; n < 28 * 400; n++) {
        int mode = n % 4, form = n / 4 % 7;
        char text[80];
        snprintf(text, sizeof text, forms[form], names[mode]);
        uint64_t in[3] = {interesting(32), interesting(32), interesting(32)};
        volatile float a = tri_float_f32_from_bits(in[0]), b = tri_float_f32_from_bits(in[1]),
                       c = tri_float_f32_from_bits(in[2]), want;
        fesetround(modes[mode]);
        switch (form) {
        case 0: want = a + b; break;
        case 1: want = a - b; break;
        case 2: want = a * b; break;
        case 3: want = a / b; break;
        case 4: want = fmaf(a, b, c); break;
        case 5: want = sqrtf(a); break;
        default: want = 1 / a; break;
        }
        fesetround(FE_TONEAREST);
        expect(text, form == 4 ? "=f,f,f,f" : form < 4 ? "=f,f,f" : "=f,f", in[0], in[1], in[2], 0, canonical(want));
    }
}

static void check_f64(void)
{
    for (int n = 0; n < 400; n++) {
        uint64_t a = interesting(64), b = interesting(64);
        volatile double x = tri_float_f64_from_bits(a), y = tri_float_f64_from_bits(b), want;
        fesetround(FE_UPWARD);
        want = x * y;
        fesetround(FE_TONEAREST);
        if (!isnan(want))
            expect("mul.rp.f64 $0, $1, $2;", "=d,d,d", a, b, 0, 0, tri_float_f64_bits(want));
        want = x + y;
        if (!isnan(want))
            expect("add.f64 $0, $1, $2;", "=d,d,d", a, b, 0, 0, tri_float_f64_bits(want));
    }
}

/* ---- fp16 in whole numbers: a finite one is a multiple of 2^-24 ---- */

static __int128 f16_units(uint64_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    __int128 mantissa = (bits & 0x3ff) | (exponent ? 0x400 : 0);
    mantissa <<= exponent ? exponent - 1 : 0;
    return bits & 0x8000 ? -mantissa : mantissa;
}

/* Units of 2^-48, rounded to the nearest fp16, ties to even; -0 only for what is negative. */
static uint64_t f16_round(__int128 units, bool negative_zero)
{
    bool is_negative = units < 0;
    unsigned __int128 m = is_negative ? -(unsigned __int128)units : (unsigned __int128)units;
    if (!m)
        return negative_zero ? 0x8000 : 0;
    int top = 0;
    while (m >> (top + 1))
        top++;
    int drop = top - 10 < 24 ? 24 : top - 10; /* bits below the last one of the result */
    unsigned __int128 kept = m >> drop, rest = m & (((unsigned __int128)1 << drop) - 1),
                      half = (unsigned __int128)1 << (drop - 1);
    kept += rest > half || (rest == half && (kept & 1));
    uint64_t code = (uint64_t)(drop - 24) * 0x400 + (uint64_t)kept;
    return (code > 0x7c00 ? 0x7c00 : code) | (is_negative ? 0x8000 : 0);
}

static void check_f16(void)
{
    for (int n = 0; n < 6000; n++) {
        uint64_t in[3];
        for (int k = 0; k < 3; k++)
            do
                in[k] = next_random() & 0xffff;
            while ((in[k] & 0x7c00) == 0x7c00);
        __int128 a = f16_units(in[0]), b = f16_units(in[1]), c = f16_units(in[2]);
        bool both = (in[0] & in[1]) >> 15 & 1, odd = (in[0] ^ in[1]) >> 15 & 1;
        expect("add.f16 $0, $1, $2;", "=h,h,h", in[0], in[1], 0, 0,
               f16_round((a + b) * ((__int128)1 << 24), both && !(a | b)));
        expect("mul.f16 $0, $1, $2;", "=h,h,h", in[0], in[1], 0, 0, f16_round(a * b, odd));
        expect("fma.rn.f16 $0, $1, $2, $3;", "=h,h,h,h", in[0], in[1], in[2], 0,
               f16_round(a * b + c * ((__int128)1 << 24), odd && in[2] >> 15 && a * b == 0 && c == 0));
    }
    for (uint64_t bits = 0; bits < 0x10000; bits += 3) /* there and back */
        if ((bits & 0x7fff) <= 0x7c00)
            expect("{ .reg .f32 t; cvt.f32.f16 t, $1; cvt.rn.f16.f32 $0, t; }", "=h,h", bits, 0, 0, 0, bits);
}

/* Small formats there and back: every code that is a number. */
static void check_small(void)
{
    static const struct {
        const char *name, *letter;
        int codes;
        uint64_t step;
    } formats[] = {
        {"e4m3x2", "h", 0x7f, 1}, {"e5m2x2", "h", 0x7c, 1}, {"e2m3x2", "h", 0x20, 1}, {"e3m2x2", "h", 0x20, 1}};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (uint64_t code = 0; code < (uint64_t)formats[f].codes; code++) {
            char text[200], constraints[16];
            snprintf(text, sizeof text,
                     "{ .reg .f16x2 t; cvt.rn.f16x2.%s t, $1; { .reg .f16 l, h; .reg .f32 x, y; mov.b32 {l, h}, t;"
                     "cvt.f32.f16 x, l; cvt.f32.f16 y, h; cvt.rn.satfinite.%s.f32 $0, y, x; } }",
                     formats[f].name, formats[f].name);
            snprintf(constraints, sizeof constraints, "=%s,%s", formats[f].letter, formats[f].letter);
            uint64_t high = (uint64_t)(formats[f].codes - 1) - code;
            expect(text, constraints, high << 8 | code, 0, 0, 0, high << 8 | code);
        }
}

/* ---- memory ---- */

static void check_memory(void)
{
    uint32_t words[8] = {1, 2, 3, 4, 0x80, 0, 0, 0};
    uint64_t at = (uint64_t)(uintptr_t)words;
    expect("{ .reg .b32 a<4>; ld.global.L1::no_allocate.v4.b32 {a0, a1, a2, a3}, [$1]; add.u32 $0, a0, a3; }", "=r,l",
           at, 0, 0, 0, 5);
    expect("ld.global.s8 $0, [$1+16];", "=r,l", at, 0, 0, 0, 0xffffff80);
    expect("atom.global.add.u32 $0, [$1], 10;", "=r,l", at, 0, 0, 0, 1);
    expect("ld.acquire.gpu.global.u32 $0, [$1+-4];", "=r,l", at + 4, 0, 0, 0, 11);
    expect("st.global.v2.u32 [$1+24], {$2, $3}; mov.u32 $0, 0;", "=r,l,r,r", at, 8, 9, 0, 0);
    expect("ld.global.cg.u32 $0, [$1+28];", "=r,l", at, 0, 0, 0, 9);
    expect("atom.cas.b64 $0, [$1], $2, $3;", "=l,l,l,l", at + 24, 0x900000008, 77, 0, 0x900000008);
    expect("prefetch.global.L2 [$1]; fence.acq_rel.gpu; membar.gl; ld.u32 $0, [$1+24];", "=r,l", at, 0, 0, 0, 77);
    /* an endless loop ends when the machine says so */
    expect("mov.u32 $0, 3; l: bra l;", "=r", 0, 0, 0, 0, 3);
    expect("{ .reg .b32 a; add.u32 $0, a, 1; }", "=r", 0, 0, 0, 0, 1);
    if (strcmp(reported,
               "uninitialised register: 'add' in line 1 of the assembly reads 'a', which nothing has written")) {
        failures++;
        fprintf(stderr, "report: %s\n", reported);
    }
}

/* ---- what is refused ---- */

static const struct {
    const char *text, *constraints;
    int arch, line;
    const char *error;
} refused[] = {
    {"frobnicate.b32 $0, $1;", "=r,r", 90, 1, "the instruction 'frobnicate.b32' is not simulated"},
    {"\n\nadd.frob.u32 $0, $1, $1;", "=r,r", 90, 3, "'add.frob.u32' is no form of 'add' that is simulated"},
    {"fma.f32 $0, $1, $1, $1;", "=f,f", 90, 1, "'fma.f32' is no form of 'fma' that is simulated"},
    {"add.u32 $0, $1;", "=r,r", 90, 1, "'add.u32' does not take 2 operands"},
    {"add.u32 $0, $1, $7;", "=r,r", 90, 1, "'$7' is no operand of the 2 that the constraints name"},
    {"add.u32 $0, $1, x;", "=r,r", 90, 1, "'x' is no register that is declared"},
    {"mov.u32 $0, %nosuch;", "=r", 90, 1,
     "'%nosuch' is no register that is declared, and no special one that is simulated"},
    {"add.u32 $0, $1, %tid.x;", "=r,r", 90, 1, "operand 3 of 'add.u32' must be a register or a number"},
    {"add.u32 $0, $1, 1.0;", "=r,r", 90, 1, "operand 3 of 'add.u32' must be a whole number"},
    {"add.f32 $0, $1, 1;", "=f,f", 90, 1, "operand 3 of 'add.f32' must be a floating-point number (1.0, 0f3F800000)"},
    {"min.f16x2 $0, $1, 0x3F003F00;", "=r,r", 90, 1,
     "operand 3 of 'min.f16x2' must be a floating-point number (1.0, 0f3F800000)"},
    {"add.u16 $0, $1, $1;", "=r,r", 90, 1, "operand 1 of 'add.u16' has a register of another type"},
    {"{ .reg .f32 f; add.u32 f, $1, 1; }", "=r,r", 90, 1, "operand 1 of 'add.u32' has a register of another type"},
    {"mov.b32 $0, {$1, $2};", "=r,r,h", 90, 1, "operand 2 of 'mov.b32' has a register of another type"},
    {"ld.global.b32 $0, [$1];", "=r,r", 90, 1,
     "operand 2 of 'ld.global.b32' must be a 64-bit address: only global memory is simulated"},
    {"ld.shared.b32 $0, [$1];", "=r,r", 90, 1, "'ld.shared.b32' is no form of 'ld' that is simulated"},
    {"mul.bf16x2 $0, $1, $1;", "=r,r", 80, 1, "'mul.bf16x2' needs sm_90"},
    {"cvt.rn.satfinite.e4m3x2.f32 $0, $1, $1;", "=h,f", 80, 1, "'cvt.rn.satfinite.e4m3x2.f32' needs sm_89"},
    {"add.u32 $0, $1, 1", "=r,r", 90, 1, "';' is missing at the end"},
    {"add.u32 $0, $1, 1 add.u32", "=r,r", 90, 1, "';' expected in front of 'add.u32'"},
    {"{ mov.u32 $0, 1;", "=r", 90, 1, "'}' is missing at the end"},
    {"mov.u32 $0, 1; }", "=r", 90, 1, "'}' without '{'"},
    {"{ .reg .b32 a, a; }", "=r", 90, 1, "'a' is declared twice"},
    {".reg .b99 a;", "=r", 90, 1, "registers of type '.b99' are not simulated"},
    {".reg .b32 a<1000>, b<1000>;", "=r", 90, 1, "more than 1024 registers"},
    {"bra nowhere;", "=r", 90, 1, "there is no label 'nowhere'"},
    {"{ l: } bra l;", "=r", 90, 1, "there is no label 'l'"},
    {"l: l: mov.u32 $0, 1;", "=r", 90, 1, "label 'l' stands twice"},
    {"@$1 mov.u32 $0, 1;", "=r,r", 90, 1, "'@' wants a predicate"},
    {"mov.u32 $0, 0x;", "=r", 90, 1, "'0x' is no number"},
    {"mov.f32 $0, 0f12;", "=f", 90, 1, "'0f12' has not 8 digits"},
    {".section x;", "=r", 90, 1, "the directive '.section' is not simulated"},
    {"mov.u32 $0, 1;", "=q", 90, 1, "constraint '=q' is not simulated"},
    {"mov.u32 $0, 1;", "r,=r", 90, 1, "constraint '=r' of an output stands behind an input"},
    {"mov.u32 $0, 1;", "=r,3", 90, 1, "constraint '3' names no output"},
};

static void check_refused(void)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        tri_ptx_error error = {0};
        const tri_ptx_program *program = tri_ptx_parse(arena, tri_str_from(refused[i].text),
                                                       tri_str_from(refused[i].constraints), refused[i].arch, &error);
        if (!program && error.line == refused[i].line && tri_str_is(error.text, refused[i].error))
            continue;
        failures++;
        fprintf(stderr, "%s: %s\n  line %d: %.*s\n", refused[i].text, program ? "is taken" : "another report",
                error.line, TRI_STR_ARG(error.text));
    }
}

int main(void)
{
    arena = tri_arena_create();
    check_examples();
    check_fp8e4b15();
    check_f32();
    check_f64();
    check_f16();
    check_small();
    check_memory();
    check_refused();
    tri_arena_destroy(arena);
    return failures ? 1 : 0;
}
