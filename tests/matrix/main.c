/* matrix list                    the jobs: GROUP:PLACE[:PART/PARTS]
 * matrix run JOB                 runs one, as TAP
 * matrix pack FILE ARCH [GROUP]  compiles every case for a GPU into FILE, for gpu/runner.c
 *
 * PLACE is
 *   native     the host, as a level of x86-64 that the name picks
 *   stepped    some cases there with -g -O0
 *   sanitized  some cases there with -fsanitize=bounds,undefined, and address where its runtime is linked in
 *   sim        the simulator; machines: some cases on it as other families' machines
 *   opencl     some cases on an OpenCL device, PoCL unless OCL_ICD_VENDORS names another
 *   linalg     some cases through MLIR
 * Options before the word: -f TEXT (only cases whose name has it), -a (every number of warps and both architectures,
 * every level of the host, every case where only some are run), -w N (that number of warps), -m NAME (of :machines
 * every case, on those whose name has it), -v (kernels of failing cases are shown). */
#include "driver/environment.h"
#include "runtime/launch/launch.h"
#include "tests/matrix/coverage.h"
#include "tests/matrix/matrix.h"

#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    int64_t at;        /* the case being run */
    int64_t tests, failed, packed;
    char name[256], place[48];
} progress;

struct m_context {
    const char *group, *filter, *arch, *machine;
    enum { RUN_HOST, RUN_STEPPED, RUN_SANITIZED, RUN_SIM, RUN_LINALG, RUN_OPENCL, RUN_MACHINES, PACK } mode;
    int64_t next, start; /* number of the next case; those before `start` are done */
    int part, parts, warps;
    bool all, is_verbose;
    FILE *pack;
    progress *shared; /* outlives a crash */
};

/* Only there when this program is linked with AddressSanitizer. */
extern void __asan_init(void) __attribute__((weak));

static const char prelude[] =
    "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n\n\n";

static const struct {
    const char *name;
    void (*run)(m_context *ctx);
    int sim_parts;
} groups[] = {
#define M_ROW(group) {#group, m_group_##group, 1},
    M_GROUPS(M_ROW)
#undef M_ROW
};

enum { group_count = sizeof groups / sizeof *groups };

/* --- cases ------------------------------------------------------------------------------- */

static uint64_t hash(const char *text)
{
    uint64_t h = 14695981039346656037u;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 1099511628211u;
    return h;
}

/* Where a case is dear, one of so many is run, which the name picks, and -a runs all: the code's checks take time,
 * AddressSanitizer several times as much; compiling through MLIR twenty times; an OpenCL device most of a second. */
static unsigned one_of(const m_context *ctx)
{
    switch (ctx->mode) {
    case RUN_STEPPED: return 16;
    case RUN_SANITIZED: return __asan_init ? 24 : 12;
    case RUN_LINALG: return 24;
    case RUN_OPENCL: return 96;
    default: return 1;
    }
}

m_case *m_begin(m_context *ctx, const char *format, ...)
{
    int64_t number = ctx->next++;
    if (number < ctx->start || number % ctx->parts != ctx->part)
        return NULL;
    char name[200];
    int length = snprintf(name, sizeof name, "%s: ", ctx->group);
    va_list args;
    va_start(args, format);
    vsnprintf(name + length, sizeof name - (size_t)length, format, args);
    va_end(args);
    if ((ctx->filter && !strstr(name, ctx->filter)) || (!ctx->all && hash(name) % one_of(ctx)))
        return NULL;
    ctx->shared->at = number;
    snprintf(ctx->shared->name, sizeof ctx->shared->name, "%s", name);
    ctx->shared->place[0] = 0;
    tri_arena *arena = tri_arena_create();
    m_case *c = TRI_NEW(arena, m_case);
    *c = (m_case){.arena = arena, .grid = {1, 1, 1}, .targets = M_EVERYWHERE, .error_targets = M_EVERYWHERE};
    c->name = tri_arena_copy(arena, name, strlen(name));
    c->random = hash(name);
    tri_buf_add_z(&c->text, prelude);
    return c;
}

static void run_at(m_context *ctx, m_case *c, m_place place)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (place.warps)
        snprintf(ctx->shared->place, sizeof ctx->shared->place, "%s %d warps", place.arch, place.warps);
    else
        snprintf(ctx->shared->place, sizeof ctx->shared->place, "%s%s%s", place.arch, place.sanitize ? " with " : "",
                 place.sanitize ? place.sanitize : "");
    bool is_refused, ok = m_host_run(c, place, out, &is_refused);
    fclose(out);
    printf("%sok %lld %s, %s%s\n", ok ? "" : "not ", (long long)++ctx->shared->tests, c->name, ctx->shared->place,
           is_refused ? " # refused" : "");
    fputs(text, stdout);
    if (!ok && ctx->is_verbose)
        printf("%s\n# %s\n", c->text.data, m_signature(c));
    ctx->shared->failed += !ok;
    fflush(stdout);
    free(text);
}

/* One of the eight places, which the name picks, or all; of two, when both architectures are wanted, the second with
 * whole warp groups. */
static void run_on_simulator(m_context *ctx, m_case *c)
{
    static const char *const archs[] = {"sim:sm_80", "sim:sm_90a", "sim:sm_89"};
    int turn = (int)(hash(c->name) >> 20 & 7);
    /* of two: sm_89 in place of sm_80 for what it is the first to have */
    for (int k = 0; k < 2; k++) {
        int arch = k || c->least_arch <= 80 ? k : 2;
        if (c->least_arch > 89 ? !k : !ctx->all && !c->is_on_both && k != turn >> 2)
            continue;
        int picked = c->is_on_both && k ? 2 + (turn & 1) : turn & 3;
        for (int i = 0; i < 4; i++) {
            bool is_wanted = ctx->warps ? ctx->warps == 1 << i
                             : c->warps ? c->warps == 1 << i
                                        : ctx->all || i == picked;
            if (is_wanted)
                run_at(ctx, c, (m_place){.arch = archs[arch], .warps = 1 << i});
        }
    }
}

/* Levels of x86-64 in place of what this host happens to have, so that every host tests the same code. */
static int host_levels(const char *const **out_names)
{
#if defined(__x86_64__)
    static const char *const names[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
    int level = tri_cpu_rt_level();
    *out_names = level > 1 ? names + 1 : names;
    return level > 1 ? level - 1 : 1;
#else
    static const char *const names[] = {"aarch64"};
    *out_names = names;
    return 1;
#endif
}

/* The level that the name picks: of those that the host lacks, its best one instead. */
static void run_on_host(m_context *ctx, m_case *c, m_place place)
{
    const char *const *names;
    int count = host_levels(&names), picked = (int)(hash(c->name) >> 24) & 1023;
    picked = picked % 3 < count ? picked % 3 : count - 1;
    for (int i = 0; i < count; i++)
        if (i == picked || (ctx->all && ctx->mode == RUN_HOST)) {
            place.arch = names[i];
            run_at(ctx, c, place);
        }
}

/* ttgir that somebody wrote for warps of 32 lanes is none for those of 64. */
static bool has_other_lanes(const m_case *c, const char *arch)
{
    static const char lanes[] = "\"ttg.threads-per-warp\" = 32";
    return strstr(arch, "gfx9") && memmem(c->text.data, c->text.len, lanes, sizeof lanes - 1);
}

/* Other families' machines on the simulator, with warps of 16, 32 and 64 lanes: of some cases one, which the name
 * picks. */
static void run_on_machines(m_context *ctx, m_case *c)
{
    static const char *const archs[] = {"sim:gfx942", "sim:gfx1100", "sim:intel-dg2", "sim:spirv64", "sim:gfx950",
                                        "sim:gfx1201", "sim:gfx90a", "sim:intel-pvc"};
    enum { count = sizeof archs / sizeof *archs };
    uint64_t h = hash(c->name);
    int warps = ctx->warps ? ctx->warps : c->warps ? c->warps : 1 << (h >> 20 & 3);
    for (uint64_t i = 0; i < count; i++)
        if (!has_other_lanes(c, archs[i]) && (ctx->machine ? strstr(archs[i], ctx->machine) != NULL
                                                           : ctx->all || (h % 12 == 0 && (h >> 12) % count == i)))
            run_at(ctx, c, (m_place){.arch = archs[i], .warps = warps});
}

void m_end(m_context *ctx, m_case *c)
{
    if (ctx->mode == RUN_HOST && c->targets & M_ON_HOST)
        run_on_host(ctx, c, (m_place){.arch = NULL});
    if (ctx->mode == RUN_STEPPED && c->targets & M_ON_HOST)
        run_on_host(ctx, c, (m_place){.is_stepped = true});
    bool compiles = !c->error || !(c->error_targets & M_ON_HOST);
    if (ctx->mode == RUN_SANITIZED && compiles && c->targets & M_ON_HOST && !c->is_undefined)
        run_on_host(ctx, c, (m_place){.sanitize = __asan_init ? "address,bounds,undefined" : "bounds,undefined"});
    if (ctx->mode == RUN_LINALG && c->targets & M_ON_HOST && !c->error && !c->is_undefined)
        run_at(ctx, c, (m_place){.arch = "linalg"});
    if (ctx->mode == RUN_SIM && c->targets & M_ON_SIM)
        run_on_simulator(ctx, c);
    if (ctx->mode == RUN_OPENCL && c->targets & M_ON_SIM && !c->error && !c->is_undefined)
        run_at(ctx, c,
               (m_place){.arch = "opencl",
                         .warps = ctx->warps ? ctx->warps
                                  : c->warps ? c->warps
                                             : 1 << (hash(c->name) >> 20 & 3)});
    if (ctx->mode == RUN_MACHINES && c->targets & M_ON_SIM && !c->error && !c->is_undefined && c->least_arch <= 90)
        run_on_machines(ctx, c);
    if (ctx->mode == PACK && c->targets & M_ON_GPU && !(c->error && c->error_targets & M_ON_GPU)) {
        static const int warps[] = {4, 8, 2, 1};
        bool ok = m_pack_case(c, ctx->arch,
                              c->warps     ? c->warps
                              : ctx->warps ? ctx->warps
                                           : warps[ctx->shared->at % 4],
                              ctx->pack, stdout);
        ctx->shared->packed += ok;
        ctx->shared->failed += !ok;
    }
    tri_buf_fini(&c->text);
    tri_arena_destroy(c->arena);
}

/* --- jobs -------------------------------------------------------------------------------- */

static int list(void)
{
    for (int i = 0; i < group_count; i++) {
        printf("%1$s:native\n%1$s:stepped\n%1$s:sanitized\n%1$s:linalg\n%1$s:machines\n%1$s:opencl\n", groups[i].name);
        for (int part = 0; part < groups[i].sim_parts; part++)
            printf("%s:sim:%d/%d\n", groups[i].name, part, groups[i].sim_parts);
    }
    return 0;
}

/* Runs the group in a child process; after a crash another one goes on behind the case at fault. */
static void run_group(m_context *ctx, void (*run)(m_context *ctx))
{
    for (ctx->start = 0;;) {
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            run(ctx);
            m_coverage_print(stdout);
            fflush(NULL);
            _exit(0);
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) < 0) {
            perror("matrix");
            exit(2);
        }
        if (status == 0)
            return;
        printf("not ok %lld %s, %s\n# ended by %s %d\n", (long long)++ctx->shared->tests, ctx->shared->name,
               ctx->shared->place, WIFSIGNALED(status) ? "signal" : "status",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        ctx->shared->failed++;
        ctx->start = ctx->shared->at + 1;
    }
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

/* The device of `make check`: PoCL, on every machine the same one, with a cache that goes with the folder. */
static bool choose_opencl(const char *folder)
{
    static const char icd[] = "/etc/OpenCL/vendors/pocl.icd";
    setenv("OCL_ICD_VENDORS", icd, 0);
    setenv("POCL_CACHE_DIR", folder, 1);
    return strcmp(getenv("OCL_ICD_VENDORS"), icd) || !access(icd, R_OK);
}

static int run(m_context *ctx, const char *job)
{
    const char *place = strchr(job, ':');
    if (!place)
        return 2;
    ctx->mode = !strncmp(place, ":sim", 4)     ? RUN_SIM
                : !strcmp(place, ":sanitized") ? RUN_SANITIZED
                : !strcmp(place, ":stepped")   ? RUN_STEPPED
                : !strcmp(place, ":linalg")    ? RUN_LINALG
                : !strcmp(place, ":machines")  ? RUN_MACHINES
                : !strcmp(place, ":opencl")    ? RUN_OPENCL
                                               : RUN_HOST;
    if (sscanf(place, ":sim:%d/%d", &ctx->part, &ctx->parts) != 2)
        ctx->part = 0, ctx->parts = 1;
    char folder[] = "/tmp/matrix.XXXXXX";
    if (!mkdtemp(folder) || chdir(folder))
        return 2;
    if (ctx->mode == RUN_OPENCL && !choose_opencl(folder)) {
        printf("1..0 # SKIP no OpenCL device\n");
        return chdir("/") || rmdir(folder);
    }
    bool is_known = false;
    for (int i = 0; i < group_count; i++) {
        if (strncmp(groups[i].name, job, (size_t)(place - job)) || groups[i].name[place - job])
            continue;
        is_known = true;
        ctx->group = groups[i].name;
        run_group(ctx, groups[i].run);
    }
    printf("1..%lld\n", (long long)ctx->shared->tests);
    if (chdir("/") || nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS))
        perror(folder);
    return !is_known ? 2 : ctx->shared->failed != 0;
}

static int pack(m_context *ctx, const char *path, const char *arch, const char *group)
{
    ctx->mode = PACK;
    ctx->arch = arch;
    ctx->pack = fopen(path, "ab");
    if (!ctx->pack)
        return 2;
    for (int i = 0; i < group_count; i++) {
        if (group && strcmp(groups[i].name, group))
            continue;
        ctx->group = groups[i].name;
        ctx->next = 0;
        run_group(ctx, groups[i].run);
    }
    fclose(ctx->pack);
    printf("%lld cases packed, %lld failed\n", (long long)ctx->shared->packed, (long long)ctx->shared->failed);
    return ctx->shared->failed != 0;
}

int main(int argc, char **argv)
{
    tri_environment_set((const char *const *)environ);
    m_context ctx = {.parts = 1};
    ctx.shared = mmap(NULL, sizeof *ctx.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (ctx.shared == MAP_FAILED)
        return 2;
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (argv[i][1] == 'f' && i + 1 < argc)
            ctx.filter = argv[++i];
        else if (argv[i][1] == 'w' && i + 1 < argc)
            ctx.warps = atoi(argv[++i]);
        else if (argv[i][1] == 'm' && i + 1 < argc)
            ctx.machine = argv[++i];
        else if (argv[i][1] == 'a')
            ctx.all = true;
        else if (argv[i][1] == 'v')
            ctx.is_verbose = true;
    }
    if (argc - i == 1 && !strcmp(argv[i], "list"))
        return list();
    if (argc - i == 2 && !strcmp(argv[i], "run"))
        return run(&ctx, argv[i + 1]);
    if (argc - i >= 3 && !strcmp(argv[i], "pack"))
        return pack(&ctx, argv[i + 1], argv[i + 2], argc - i > 3 ? argv[i + 3] : NULL);
    fprintf(stderr,
            "usage: matrix [-f TEXT] [-a] [-w N] [-v] list | run GROUP:PLACE[:PART/PARTS] | pack FILE ARCH [GROUP]\n");
    return 2;
}
