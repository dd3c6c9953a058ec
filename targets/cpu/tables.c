/* Functions of floats by tables in registers: AVX-512 picks 16 of 32 floats by one instruction.
 *
 *     erf: |x| in [0, 4) has 32 intervals of 1/8; around the middle of each, a polynomial of degree 4 (Chebyshev) of
 *     erf(a) / a - 1 below 1 and of erf(a) - 1 above, so that the last operation adds something small to a, or to 1.
 *
 *
 *     log, log2: of x = 2^e m with m in [3/4, 3/2), r = m - 1 has 16 intervals by the first four bits of m behind the
 *     point; in each, a polynomial of degree 3 is (log(1 + r) - r) / r^2 (Chebyshev). Exponent, m, and what zeros,
 *     infinities, NaN and negative numbers give come by instructions of their own.
 *
 * Within 1.5 ulp; log 1, log2 2 (tests/exec/vmath.c). */
#include "targets/cpu/cpu.h"

enum { entries = 32, terms = 5, log_count = 4 };

/* terms[k][i]: of d^k in interval i */
static const float erf_terms[terms][entries] = {
    {1.269116402e-01f, 1.152942777e-01f, 9.269962460e-02f, 6.033859774e-02f, 1.986570098e-02f, -2.678594552e-02f,
     -7.758273929e-02f, -1.305574328e-01f, -1.329417378e-01f, -9.307827801e-02f, -6.343142688e-02f, -4.205939546e-02f,
     -2.712538652e-02f, -1.701028273e-02f, -1.036937442e-02f, -6.143193692e-03f, -3.536249045e-03f, -1.977491193e-03f,
     -1.074073254e-03f, -5.665432545e-04f, -2.901688567e-04f, -1.442885259e-04f, -6.965075590e-05f, -3.263528924e-05f,
     -1.484141194e-05f, -6.550151284e-06f, -2.805312988e-06f, -1.165825552e-06f, -4.700879401e-07f, -1.839040635e-07f,
     -6.979843903e-08f, -2.569920277e-08f},
    {-4.690571129e-02f, -1.381090581e-01f, -2.217731178e-01f, -2.937744260e-01f, -3.511897027e-01f, -3.925020695e-01f,
     -4.176048934e-01f, -4.276244044e-01f, 3.649032116e-01f, 2.754434049e-01f, 2.015186995e-01f, 1.428981274e-01f,
     9.821231663e-02f, 6.542347372e-02f, 4.224053025e-02f, 2.643341757e-02f, 1.603265293e-02f, 9.425090626e-03f,
     5.370241124e-03f, 2.965719439e-03f, 1.587429317e-03f, 8.235437563e-04f, 4.141015816e-04f, 2.018157393e-04f,
     9.533032426e-05f, 4.364504275e-05f, 1.936718763e-05f, 8.329634511e-06f, 3.472266371e-06f, 1.402903536e-06f,
     5.493766366e-07f, 2.085163402e-07f},
    {-3.734876513e-01f, -3.528162241e-01f, -3.137207329e-01f, -2.603271604e-01f, -1.979837269e-01f, -1.324564219e-01f,
     -6.913785636e-02f, -1.241193153e-02f, -3.877094090e-01f, -3.270889223e-01f, -2.644932568e-01f, -2.054160982e-01f,
     -1.534568369e-01f, -1.104022264e-01f, -7.656110078e-02f, -5.121488124e-02f, -3.306746483e-02f, -2.061748691e-02f,
     -1.241876092e-02f, -7.228999399e-03f, -4.067828413e-03f, -2.213301137e-03f, -1.164678135e-03f, -5.928444443e-04f,
     -2.919553954e-04f, -1.391221012e-04f, -6.415571988e-05f, -2.863411282e-05f, -1.237044671e-05f, -5.173446425e-06f,
     -2.094609499e-06f, -8.210828355e-07f},
    {2.802978083e-02f, 8.101521432e-02f, 1.252871454e-01f, 1.566200107e-01f, 1.727999598e-01f, 1.738047898e-01f,
     1.615635157e-01f, 1.393931061e-01f, 1.526697576e-01f, 1.668634564e-01f, 1.640683115e-01f, 1.491144747e-01f,
     1.270739287e-01f, 1.024079099e-01f, 7.847734541e-02f, 5.740289763e-02f, 4.018699005e-02f, 2.698247693e-02f,
     1.740204729e-02f, 1.079377998e-02f, 6.445083302e-03f, 3.707776079e-03f, 2.056442201e-03f, 1.100218273e-03f,
     5.680741160e-04f, 2.831846068e-04f, 1.363400952e-04f, 6.341584231e-05f, 2.850406599e-05f, 1.238373625e-05f,
     5.201417935e-06f, 2.112499260e-06f},
    {1.111153439e-01f, 9.898600727e-02f, 7.672555000e-02f, 4.788963869e-02f, 1.683153957e-02f, -1.217377651e-02f,
     -3.570207208e-02f, -5.167850852e-02f, 4.802129418e-02f, 9.907240979e-03f, -1.949990354e-02f, -3.865936399e-02f,
     -4.805529863e-02f, -4.952630028e-02f, -4.552022368e-02f, -3.846541792e-02f, -3.035982698e-02f, -2.259182744e-02f,
     -1.594586112e-02f, -1.071992423e-02f, -6.884658709e-03f, -4.233434331e-03f, -2.496737754e-03f, -1.414213446e-03f,
     -7.701871800e-04f, -4.036529281e-04f, -2.037398081e-04f, -9.909998334e-05f, -4.647661626e-05f, -2.102612234e-05f,
     -9.179550034e-06f, -3.868770364e-06f},
};

/* log_terms[k][i]: of r^k in interval i; [3/4, 1) has the second half */
static const float log_terms[log_count][TRI_CPU_LANES] = {
    {-4.999999702e-01f, -4.999915659e-01f, -4.999420941e-01f, -4.998108447e-01f, -4.995619357e-01f, -4.991683364e-01f,
     -4.986122847e-01f, -4.978840649e-01f, -4.987568259e-01f, -4.993883669e-01f, -4.997254610e-01f, -4.998919666e-01f,
     -4.999652803e-01f, -4.999921322e-01f, -4.999991655e-01f, -5.000000000e-01f},
    {3.333241642e-01f, 3.329446316e-01f, 3.317713141e-01f, 3.296790123e-01f, 3.266954720e-01f, 3.229178488e-01f,
     3.184687197e-01f, 3.134736121e-01f, 3.535117805e-01f, 3.448811173e-01f, 3.395108879e-01f, 3.363318741e-01f,
     3.345863819e-01f, 3.337381184e-01f, 3.334090710e-01f, 3.333346844e-01f},
    {-2.492593974e-01f, -2.433251888e-01f, -2.339524627e-01f, -2.227819860e-01f, -2.108305693e-01f, -1.987248659e-01f,
     -1.868450195e-01f, -1.754141897e-01f, -1.313132942e-01f, -1.706628799e-01f, -1.992127895e-01f, -2.194768339e-01f,
     -2.333651334e-01f, -2.423389256e-01f, -2.475227118e-01f, -2.497863770e-01f},
    {1.806077808e-01f, 1.483474821e-01f, 1.231274307e-01f, 1.031555161e-01f, 8.715549111e-02f, 7.420269400e-02f,
     6.361674517e-02f, 5.488989130e-02f, 4.845630229e-01f, 4.247107506e-01f, 3.740589619e-01f, 3.309310675e-01f,
     2.940010726e-01f, 2.622112930e-01f, 2.347114533e-01f, 2.108131051e-01f},
};

static LLVMValueRef half(tri_cpu_gen *g, const float *table)
{
    LLVMValueRef lanes[TRI_CPU_LANES];
    for (int i = 0; i < TRI_CPU_LANES; i++)
        lanes[i] = LLVMConstReal(g->f32, (double)table[i]);
    return LLVMConstVector(lanes, TRI_CPU_LANES);
}

static LLVMValueRef look_up(tri_cpu_gen *g, const float *table, LLVMValueRef index)
{
    LLVMValueRef args[3] = {half(g, table), index, half(g, table + TRI_CPU_LANES)};
    return tri_cpu_intrinsic(g, "llvm.x86.avx512.vpermi2var.ps.512", NULL, 0, args, 3);
}

static LLVMValueRef fused(tri_cpu_gen *g, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    LLVMTypeRef type = LLVMTypeOf(a);
    LLVMValueRef args[3] = {a, b, c};
    return tri_cpu_intrinsic(g, "llvm.fma", &type, 1, args, 3);
}

static LLVMValueRef erf_of(tri_cpu_gen *g, LLVMValueRef x)
{
    LLVMBuilderRef b = g->b;
    LLVMTypeRef type = LLVMTypeOf(x), ints = tri_cpu_like(g->i32, x);
    LLVMValueRef size = tri_cpu_intrinsic(g, "llvm.fabs", &type, 1, &x, 1), end = tri_cpu_constf_like(type, 3.9999998);
    LLVMValueRef a = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, size, end, ""), size, end, "");
    LLVMValueRef index = LLVMBuildFPToSI(b, LLVMBuildFMul(b, a, tri_cpu_constf_like(type, 8), ""), ints, "");
    LLVMValueRef d = fused(g, LLVMBuildSIToFP(b, index, type, ""), tri_cpu_constf_like(type, -0.125), a);
    d = LLVMBuildFSub(b, d, tri_cpu_constf_like(type, 0.0625), "");
    LLVMValueRef p = look_up(g, erf_terms[terms - 1], index), one = tri_cpu_constf_like(type, 1);
    for (int k = terms - 2; k >= 0; k--)
        p = fused(g, p, d, look_up(g, erf_terms[k], index));
    LLVMValueRef base = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, a, one, ""), a, one, "");
    LLVMValueRef args[2] = {fused(g, p, base, base), x};
    LLVMValueRef v = tri_cpu_intrinsic(g, "llvm.copysign", &type, 1, args, 2);
    return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUNO, x, x, ""), x, v, "");
}

/* All lanes of an instruction that has a mask for them, `passed` where that is off, and a mode of rounding. */
static LLVMValueRef unmasked(tri_cpu_gen *g, const char *name, LLVMValueRef x, LLVMValueRef immediate)
{
    enum { current_mode = 4 };
    LLVMValueRef args[5] = {x}, all = LLVMConstAllOnes(g->i16);
    int n = 1;
    if (immediate)
        args[n++] = immediate;
    args[n++] = LLVMGetPoison(LLVMTypeOf(x));
    args[n++] = all;
    args[n++] = LLVMConstInt(g->i32, current_mode, false);
    return tri_cpu_intrinsic(g, name, NULL, 0, args, n);
}

/* What is no positive number: 0 -inf, NaN itself, below 0 NaN, inf itself; four bits for each kind of x. */
static LLVMValueRef fixed(tri_cpu_gen *g, LLVMValueRef v, LLVMValueRef x)
{
    enum { kinds = 0x03530422, current_mode = 4 };
    LLVMValueRef table = tri_cpu_splat(g, LLVMConstInt(g->i32, kinds, false), TRI_CPU_LANES);
    LLVMValueRef args[6] = {v, x, table, LLVMConstNull(g->i32), LLVMConstAllOnes(g->i16),
                            LLVMConstInt(g->i32, current_mode, false)};
    return tri_cpu_intrinsic(g, "llvm.x86.avx512.mask.fixupimm.ps.512", NULL, 0, args, 6);
}

static LLVMValueRef log_term(tri_cpu_gen *g, int k, LLVMValueRef index)
{
    LLVMValueRef args[2] = {half(g, log_terms[k]), index};
    return tri_cpu_intrinsic(g, "llvm.x86.avx512.permvar.sf.512", NULL, 0, args, 2);
}

static LLVMValueRef log_of(tri_cpu_gen *g, LLVMValueRef x, bool is_binary)
{
    enum { positive_from_three_quarters = 7, bits_below_index = 19 };
    static const char exponent[] = "llvm.x86.avx512.mask.getexp.ps.512";
    LLVMBuilderRef b = g->b;
    LLVMTypeRef type = LLVMTypeOf(x), ints = tri_cpu_like(g->i32, x);
    LLVMValueRef how = LLVMConstInt(g->i32, positive_from_three_quarters, false);
    LLVMValueRef m = unmasked(g, "llvm.x86.avx512.mask.getmant.ps.512", x, how);
    LLVMValueRef e = LLVMBuildFSub(b, unmasked(g, exponent, x, NULL), unmasked(g, exponent, m, NULL), "");
    LLVMValueRef r = LLVMBuildFSub(b, m, tri_cpu_constf_like(type, 1), "");
    LLVMValueRef index =
        LLVMBuildLShr(b, LLVMBuildBitCast(b, m, ints, ""), tri_cpu_const_like(ints, bits_below_index), "");
    LLVMValueRef p = log_term(g, log_count - 1, index), square = LLVMBuildFMul(b, r, r, "");
    for (int k = log_count - 2; k >= 0; k--)
        p = fused(g, p, r, log_term(g, k, index));
    if (is_binary) {
        LLVMValueRef y = LLVMBuildFMul(b, LLVMBuildFMul(b, square, p, ""), tri_cpu_constf_like(type, 1.44269504), "");
        y = fused(g, r, tri_cpu_constf_like(type, 1.92596303e-08), y);
        return fixed(g, LLVMBuildFAdd(b, e, fused(g, r, tri_cpu_constf_like(type, 1.44269504), y), ""), x);
    }
    LLVMValueRef t = fused(g, square, p, LLVMBuildFMul(b, e, tri_cpu_constf_like(type, -2.12194440e-4), ""));
    return fixed(g, fused(g, e, tri_cpu_constf_like(type, 0.693359375), LLVMBuildFAdd(b, r, t, "")), x);
}

LLVMValueRef tri_cpu_table_call(tri_cpu_gen *g, const char *function, LLVMValueRef *args, int count)
{
    bool is_log = strcmp(function, "log") == 0, is_binary = strcmp(function, "log2") == 0;
    if (!(strcmp(function, "erf") == 0 || is_log || is_binary) || count != 1 || g->host.is_aarch64 ||
        !tri_host_has(&g->host, "avx512f") ||
        tri_cpu_lanes_of(args[0]) != TRI_CPU_LANES || LLVMGetElementType(LLVMTypeOf(args[0])) != g->f32)
        return NULL;
    return is_log || is_binary ? log_of(g, args[0], is_binary) : erf_of(g, args[0]);
}
