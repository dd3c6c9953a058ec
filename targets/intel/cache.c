/* Loads and stores whose source says what caches shall keep (cache_modifier, eviction_policy), by functions of Intel's
 * compilers, whose last operand says so for the first-level cache and the last one. SPIR-V's decorations for it are
 * read and ignored by compilers of 2022. */
#include "targets/intel/intel.h"

#include "ir/machines.h"
#include "targets/gpu/access.h"

#include <stdio.h>

enum { CACHE_ALL = 2, CACHE_GLOBAL, CACHE_WRITE_BACK, CACHE_STREAMING, CACHE_WRITE_THROUGH, CACHE_VOLATILE }; /* tt's */
enum { EVICT_FIRST = 2 };

/* How the functions number what the two caches do; 0: what the machine does by itself. */
enum { LOAD_UNCACHED = 1, LOAD_LAST_LEVEL, LOAD_EVERY_LEVEL = 4, LOAD_STREAMING = 6 };
enum { STORE_LAST_LEVEL = 2, STORE_THROUGH = 4, STORE_STREAMING = 6, STORE_EVERY_LEVEL };

static int load_control(const tri_machine_access *a)
{
    static const int controls[8] = {[CACHE_ALL] = LOAD_EVERY_LEVEL, [CACHE_GLOBAL] = LOAD_LAST_LEVEL,
                                    [CACHE_STREAMING] = LOAD_STREAMING, [CACHE_VOLATILE] = LOAD_UNCACHED};
    int control = controls[a->cache & 7];
    return control || a->evict != EVICT_FIRST ? control : LOAD_STREAMING;
}

static int store_control(const tri_machine_access *a)
{
    static const int controls[8] = {[CACHE_GLOBAL] = STORE_LAST_LEVEL, [CACHE_WRITE_BACK] = STORE_EVERY_LEVEL,
                                    [CACHE_STREAMING] = STORE_STREAMING, [CACHE_WRITE_THROUGH] = STORE_THROUGH};
    int control = controls[a->cache & 7];
    return control || a->evict != EVICT_FIRST ? control : STORE_STREAMING;
}

/* Of 8 to 128 bits, on a device that such a compiler is for. */
static bool has_cache_function(const tri_gpu *g, const tri_machine_access *a, int bits)
{
    bool is_global = LLVMGetPointerAddressSpace(LLVMTypeOf(a->pointer)) == 1;
    return !g->unit->arch->is_any_device && is_global && !a->is_volatile && !a->sem && bits <= 128;
}

static int access_bits(const tri_machine_access *a) { return (int)LLVMGetIntTypeWidth(a->word) * a->words; }

/* What the functions give and take: words of 32 bits. */
static LLVMTypeRef type_of_words(tri_gpu *g, int bits)
{
    return bits <= 32 ? g->i32 : LLVMVectorType(g->i32, (unsigned)bits / 32);
}

static void name_function(int bits, bool is_load, char *out, size_t size)
{
    static const char *const narrow[2][2] = {{"uchar_from_uint", "ushort_from_uint"},
                                             {"uchar_to_uint", "ushort_to_uint"}};
    const char *verb = is_load ? "load" : "store";
    if (bits < 32)
        snprintf(out, size, "__builtin_IB_lsc_%s_global_%s", verb, narrow[is_load][bits > 8]);
    else if (bits == 32)
        snprintf(out, size, "__builtin_IB_lsc_%s_global_uint", verb);
    else
        snprintf(out, size, "__builtin_IB_lsc_%s_global_uint%d", verb, bits / 32);
}

LLVMValueRef tri_intel_load_cached(tri_gpu *g, const tri_machine_access *a, LLVMTypeRef type)
{
    char name[64];
    int bits = access_bits(a), control = load_control(a);
    if (!control || !has_cache_function(g, a, bits))
        return NULL;
    name_function(bits, true, name, sizeof name);
    LLVMValueRef args[] = {a->pointer, tri_gpu_i32(g, 0), tri_gpu_i32(g, control)};
    LLVMValueRef words = tri_machine_call_named(g, name, type_of_words(g, bits), args, 3, 0);
    if (bits < 32)
        words = LLVMBuildTrunc(g->b, words, LLVMIntTypeInContext(g->llvm, (unsigned)bits), "");
    return LLVMBuildBitCast(g->b, words, type, "");
}

bool tri_intel_store_cached(tri_gpu *g, const tri_machine_access *a, LLVMValueRef value)
{
    char name[64];
    int bits = access_bits(a), control = store_control(a);
    if (!control || !has_cache_function(g, a, bits))
        return false;
    name_function(bits, false, name, sizeof name);
    LLVMTypeRef narrow = LLVMIntTypeInContext(g->llvm, (unsigned)bits);
    LLVMValueRef words = bits < 32 ? LLVMBuildZExt(g->b, LLVMBuildBitCast(g->b, value, narrow, ""), g->i32, "")
                                   : LLVMBuildBitCast(g->b, value, type_of_words(g, bits), "");
    LLVMValueRef args[] = {a->pointer, tri_gpu_i32(g, 0), words, tri_gpu_i32(g, control)};
    tri_machine_call_named(g, name, LLVMVoidTypeInContext(g->llvm), args, 4, 0);
    return true;
}
