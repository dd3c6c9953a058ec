/* The processors: architectures, what the code generator is told about them, and their features. */
#include "targets/cpu/host.h"

#include "ir/llvm.h"
#include "ir/options.h"
#include "targets/cpu/machine.h"

#include "llvm-c/Core.h"
#include "llvm-c/Target.h"

enum { tile_level = 5 };

static const char tile_suffix[] = "+amx", no_tiles[] = ",-amx-tile,-amx-bf16,-amx-int8";

static bool is_aarch64(const tri_machine_facts *arch)
{
#if defined(__aarch64__)
    return arch->processor != TRI_PROCESSOR_X86;
#else
    return arch->processor == TRI_PROCESSOR_AARCH64;
#endif
}

static bool has_feature(const char *known, const char *feature);

/* The answer to a question about this processor, kept for ever: under a hypervisor it takes half a millisecond. */
static const char *ask_once(char **answer, char *(*ask)(void))
{
    char *known = __atomic_load_n(answer, __ATOMIC_ACQUIRE);
    if (known)
        return known;
    char *made = ask();
    if (__atomic_compare_exchange_n(answer, &known, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    LLVMDisposeMessage(made); /* another thread was faster */
    return known;
}

static const char *own_name(void)
{
    static char *name;
    return ask_once(&name, LLVMGetHostCPUName);
}

static const char *own_features(void)
{
    static char *features;
    return ask_once(&features, LLVMGetHostCPUFeatures);
}

bool tri_host_has_tiles(const tri_machine_facts *arch)
{
    return tri_str_has_suffix(tri_str_from(arch->name), tile_suffix);
}

/* What -mattr says; products of tiles come with tiles, unless those are said not to be there. */
static tri_str said_features(const tri_unit *unit)
{
    tri_str said = unit->options->features;
    const char *text = tri_str_format(unit->arena, "%.*s", TRI_STR_ARG(said)).data;
    if ((!has_feature(text, "amx-bf16") && !has_feature(text, "amx-int8")) || strstr(text, "amx-tile"))
        return said;
    return tri_str_format(unit->arena, "+amx-tile,%s", text);
}

/* Does what -arch and -mattr say have AMX? Code with it is a variant of its own, which is run where the system lets it.
 */
static bool asks_for_tiles(const tri_unit *unit)
{
    tri_host h = {0};
    if (unit->arch->processor == TRI_PROCESSOR_HOST) {
        h.known = tri_str_format(unit->arena, "%s,%.*s", own_features(), TRI_STR_ARG(said_features(unit))).data;
    } else {
        h.known = tri_str_format(unit->arena, ",%.*s", TRI_STR_ARG(said_features(unit))).data;
    }
    return !is_aarch64(unit->arch) && has_feature(h.known, "amx-tile") &&
           (has_feature(h.known, "amx-bf16") || has_feature(h.known, "amx-int8"));
}

tri_host tri_host_of(const tri_unit *unit, const tri_machine_facts *arch)
{
    tri_arena *arena = unit->arena;
    tri_host h = {.triple = tri_cpu_triple(arch), .is_aarch64 = is_aarch64(arch)};
    tri_str more = said_features(unit);
    const char *text = tri_str_format(arena, "%.*s", TRI_STR_ARG(more)).data;
    if (!tri_host_has_tiles(arch) && (asks_for_tiles(unit) || strstr(text, "amx-")))
        more = tri_str_format(arena, "%s%s", text, no_tiles + !more.len);
    if (arch->processor == TRI_PROCESSOR_HOST) {
        h.cpu = own_name();
        h.known = tri_str_format(arena, "%s%s%.*s", own_features(), more.len ? "," : "", TRI_STR_ARG(more)).data;
        h.features = h.known;
    } else {
        h.cpu = arch->cpu;
        h.features = tri_str_format(arena, "%s%s%.*s", arch->features, *arch->features && more.len ? "," : "",
                                    TRI_STR_ARG(more)).data;
        h.known = tri_str_format(arena, "%s%s", arch->implied, h.features).data;
    }
    return h;
}

/* What a feature of x86-64 brings with it, and is gone without, as LLVM has it. (Lengths are known: a host's list has
 * more than a hundred features, and is asked for one of them again and again.) */
#define FEATURE(name)                                                                                                  \
    {                                                                                                                  \
        name, sizeof name - 1                                                                                          \
    }
#define NEEDS(name, other)                                                                                             \
    {                                                                                                                  \
        FEATURE(name), FEATURE(other)                                                                                  \
    }
static const tri_str needed[][2] = {
    NEEDS("ssse3", "sse3"),
    NEEDS("sse4.1", "ssse3"),
    NEEDS("sse4.2", "sse4.1"),
    NEEDS("avx", "sse4.2"),
    NEEDS("fma", "avx"),
    NEEDS("f16c", "avx"),
    NEEDS("avx2", "avx"),
    NEEDS("avxvnni", "avx2"),
    NEEDS("avxifma", "avx2"),
    NEEDS("avx512f", "avx2"),
    NEEDS("avx512f", "fma"),
    NEEDS("avx512f", "f16c"),
    NEEDS("avx512bw", "avx512f"),
    NEEDS("avx512cd", "avx512f"),
    NEEDS("avx512dq", "avx512f"),
    NEEDS("avx512vl", "avx512f"),
    NEEDS("avx512ifma", "avx512f"),
    NEEDS("avx512vnni", "avx512f"),
    NEEDS("avx512bf16", "avx512bw"),
    NEEDS("avx512vbmi", "avx512bw"),
    NEEDS("avx512vbmi2", "avx512bw"),
    NEEDS("avx512fp16", "avx512bw"),
    NEEDS("avx512fp16", "avx512vl"),
    NEEDS("avx512bitalg", "avx512bw"),
    NEEDS("avx512vpopcntdq", "avx512f"),
};
#undef NEEDS
#undef FEATURE

static bool brings(tri_str name, tri_str feature)
{
    if (tri_str_equal(name, feature))
        return true;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (tri_str_equal(name, needed[i][0]) && brings(needed[i][1], feature))
            return true;
    return false;
}

/* The last mention counts. */
static bool has_feature(const char *known, const char *feature)
{
    tri_str list = tri_str_from(known), asked = tri_str_from(feature);
    bool has = false;
    for (size_t at = 0; at < list.len;) {
        size_t end = at + tri_str_find(tri_str_sub(list, at, list.len), ',');
        tri_str name = tri_str_sub(list, at + 1 < end ? at + 1 : end, end);
        if (has ? list.data[at] == '-' && brings(asked, name) : list.data[at] == '+' && brings(name, asked))
            has = !has;
        at = end + 1;
    }
    return has;
}

bool tri_host_has(const tri_host *host, const char *feature) { return has_feature(host->known, feature); }

static const tri_machine_facts *make_tile_arch(const tri_unit *unit)
{
    tri_machine_facts *arch = TRI_NEW(unit->arena, tri_machine_facts);
    *arch = *unit->arch;
    arch->name = tri_str_format(unit->arena, "%s%s", arch->name, tile_suffix).data;
    arch->level = tile_level;
    return arch;
}

size_t tri_host_list(const tri_unit *unit, const tri_machine_facts **out, size_t max)
{
    tri_str list = unit->options->arch;
    size_t count = 0;
    if (tri_str_find(list, ',') == list.len) {
        out[0] = unit->arch;
        if (!asks_for_tiles(unit))
            return 1;
        out[1] = make_tile_arch(unit);
        return 2;
    }
    for (size_t at = 0; at < list.len && count < max;) {
        size_t end = at + tri_str_find(tri_str_sub(list, at, list.len), ',');
        const tri_machine_facts *arch = tri_machines_named(tri_str_sub(list, at, end));
        if (arch)
            out[count++] = arch;
        at = end + 1;
    }
    return count;
}

bool tri_host_needs_level(const tri_machine_facts *arch)
{
    return tri_host_has_tiles(arch) || (arch->processor == TRI_PROCESSOR_X86 && arch->level > 1);
}

tri_str tri_host_suffix(tri_arena *arena, const tri_machine_facts *arch)
{
    tri_buf text = {0};
    tri_buf_add_char(&text, '_');
    for (const char *c = arch->name; *c; c++)
        tri_buf_add_char(&text, *c == '-' || *c == '+' ? '_' : *c);
    tri_str copy = tri_str_copy(arena, tri_buf_str(&text));
    tri_buf_fini(&text);
    return copy;
}

bool tri_host_accepts_list(tri_diag *diag, tri_str archs)
{
    bool seen[5] = {0};
    for (size_t at = 0; at <= archs.len;) {
        size_t end = at + tri_str_find(tri_str_sub(archs, at, archs.len), ',');
        tri_str name = tri_str_sub(archs, at, end);
        const tri_machine_facts *arch = tri_machines_named(name);
        if (!arch || arch->processor != TRI_PROCESSOR_X86 || seen[arch->level]) {
            tri_diag_error(diag, TRI_NO_SPAN, 6001,
                           "'-arch=%.*s': a list holds different levels of x86-64, x86-64-v2 to x86-64-v4",
                           TRI_STR_ARG(archs));
            return false;
        }
        seen[arch->level] = true;
        at = end + 1;
    }
    return true;
}

/* Of LLVM's, those that change what is made of a kernel; LLVM takes an unknown name with a warning only. */
static const char *const x86_features[] = {
#define FEATURE(name, leaf, place, bit, state) name,
#include "runtime/launch/features.def"
#undef FEATURE
    "amx-tile", "amx-bf16", "amx-int8", "prefer-256-bit", "fast-gather"};
/* How many of them a launch asks the processor for: the others need no asking, or are of the level of tiles. */
enum {
#define FEATURE(name, leaf, place, bit, state) +1
    asked_features = 0
#include "runtime/launch/features.def"
#undef FEATURE
};
static const char *const arm_features[] = {"neon", "fullfp16", "fp16fml", "dotprod", "i8mm", "bf16", "lse",
                                           "rdm",  "rcpc",     "sve",     "sve2",    "crc"};

static bool is_listed(const char *const *names, size_t count, tri_str name)
{
    for (size_t i = 0; i < count; i++)
        if (tri_str_is(name, names[i]))
            return true;
    return false;
}

bool tri_host_check_options(tri_unit *unit)
{
    tri_str list = unit->options->features;
    bool is_arm = is_aarch64(unit->arch);
    if (tri_str_find(unit->options->arch, ',') != unit->options->arch.len && asks_for_tiles(unit)) {
        tri_diag_error(
            unit->diag, TRI_NO_SPAN, 1002,
            "'-mattr=%.*s': AMX is added to one -arch, not to a list; the object holds code without it as well",
            TRI_STR_ARG(list));
        return false;
    }
    for (size_t at = 0; at < list.len;) {
        size_t end = at + tri_str_find(tri_str_sub(list, at, list.len), ',');
        tri_str word = tri_str_sub(list, at, end), name = tri_str_sub(word, word.len > 0, word.len);
        bool has_sign = word.len && (word.data[0] == '+' || word.data[0] == '-');
        bool is_known = is_arm ? is_listed(arm_features, sizeof arm_features / sizeof *arm_features, name)
                               : is_listed(x86_features, sizeof x86_features / sizeof *x86_features, name);
        if (!has_sign || !is_known) {
            const char *near = is_arm
                                   ? tri_str_nearest(name, arm_features, sizeof arm_features / sizeof *arm_features)
                                   : tri_str_nearest(name, x86_features, sizeof x86_features / sizeof *x86_features);
            tri_diag_error(unit->diag, TRI_NO_SPAN, 1002, "'-mattr=%.*s': '%.*s' is no feature of %s%s%s%s",
                           TRI_STR_ARG(list), TRI_STR_ARG(word), is_arm ? "aarch64" : "x86-64",
                           near ? "; did you mean '+" : "", near ? near : "", near ? "'?" : "");
            return false;
        }
        at = end + 1;
    }
    return true;
}

uint64_t tri_host_features(const tri_unit *unit, const tri_machine_facts *arch)
{
    uint64_t asked = 0;
    tri_host h = tri_host_of(unit, arch);
    for (int i = 0; !h.is_aarch64 && i < asked_features; i++)
        asked |= (uint64_t)has_feature(h.features, x86_features[i]) << i;
    return asked;
}

/* ---- code generators ---- */

static LLVMTargetMachineRef create_machine(tri_unit *unit, int opt_level)
{
    const tri_machine_facts *archs[TRI_HOST_MAX_LIST];
    tri_host h = tri_host_of(unit, unit->arch);
    tri_llvm_start_target(h.is_aarch64 ? "aarch64" : "x86");
    /* of a list, each function names its own processor */
    bool is_list = tri_host_list(unit, archs, TRI_HOST_MAX_LIST) > 1;
    return tri_llvm_create_machine(unit->diag, h.triple, is_list ? "x86-64" : h.cpu, is_list ? "" : h.features,
                                   opt_level);
}

LLVMTargetMachineRef tri_cpu_create_machine(tri_unit *unit) { return create_machine(unit, unit->options->opt_level); }

LLVMTargetMachineRef tri_cpu_create_launch_machine(tri_unit *unit) { return create_machine(unit, 1); }

LLVMTargetMachineRef tri_cpu_create_linear_machine(tri_unit *unit) { return create_machine(unit, 0); }

const char *tri_cpu_triple(const tri_machine_facts *arch)
{
    return is_aarch64(arch ? arch : tri_machines_first("cpu")) ? "aarch64-unknown-linux-gnu"
                                                               : "x86_64-unknown-linux-gnu";
}

LLVMTargetMachineRef tri_cpu_create_host_machine(tri_diag *diag)
{
    bool is_arm = is_aarch64(tri_machines_first("cpu"));
    tri_llvm_start_target(is_arm ? "aarch64" : "x86");
    return tri_llvm_create_machine(diag, tri_cpu_triple(NULL), is_arm ? "generic" : "x86-64", "", 2);
}
