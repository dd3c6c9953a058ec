/* library_order LIST EVERY ARCH,... SEED...: each EVERY-th line "source | options" of LIST, compiled for the
 * architectures in turn by a fresh process, and then for each SEED in one warm context in an order of its own, must
 * give the same bytes and messages each time. */
#include <tritcc/tritcc.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { max_lines = 20000 };

typedef struct {
    char *file, *options;
    uint64_t wanted;
} job;

static job jobs[max_lines];
static int count;

static uint64_t add(uint64_t hash, const void *data, size_t size)
{
    for (const unsigned char *p = data, *end = p + size; p < end; p++)
        hash = (hash ^ *p) * 1099511628211u;
    return hash;
}

static const char *emits(const char *arch)
{
    return !strncmp(arch, "sm_", 3)      ? "ttir,ttgir,llir,ptx"
           : !strncmp(arch, "gfx", 3)    ? "ttir,ttgir,llir,amdgcn"
           : !strncmp(arch, "spirv", 5)  ? "ttir,ttgir,llir,spirv"
                                         : "ttir,llir,asm,obj";
}

/* Of the status, every output and what was said. */
static uint64_t compile(tritcc_context *c, const job *j)
{
    const void *data;
    const char *log;
    size_t size;
    if (tritcc_set_options(c, j->options) || tritcc_set_input_file(c, j->file))
        return 0;
    int status = tritcc_compile(c);
    if (status > TRITCC_ERROR_OPTIONS)
        return printf("%s | %s: %s\n", j->file, j->options, tritcc_strerror(status)), 0;
    uint64_t hash = add(14695981039346656037u, &status, sizeof status);
    for (size_t i = 0; !tritcc_get_output_at(c, i, NULL, &data, &size); i++)
        hash = add(hash, data, size);
    if (tritcc_get_log(c, &log, &size))
        return 0;
    return add(hash, log, size);
}

/* As a process that compiles nothing else. */
static int compile_fresh(job *j)
{
    int ends[2], status;
    if (pipe(ends))
        return 1;
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        tritcc_context *c;
        uint64_t hash = tritcc_create(&c) ? 0 : compile(c, j);
        fflush(stdout);
        _exit(write(ends[1], &hash, sizeof hash) != sizeof hash);
    }
    close(ends[1]);
    int failed = child < 0 || read(ends[0], &j->wanted, sizeof j->wanted) != sizeof j->wanted;
    close(ends[0]);
    return waitpid(child, &status, 0) != child || status || failed || !j->wanted;
}

static int read_list(const char *path, int every, char *archs)
{
    static char line[1 << 16], *names[16];
    int name_count = 0, number = 0;
    for (char *a = strtok(archs, ","); a && name_count < 16; a = strtok(NULL, ","))
        names[name_count++] = a;
    FILE *f = fopen(path, "r");
    while (f && name_count && count < max_lines && fgets(line, sizeof line, f)) {
        char *bar = strstr(line, " | ");
        if (!bar || number++ % every)
            continue;
        *bar = 0;
        bar[strcspn(bar + 3, "\n") + 3] = 0;
        const char *arch = names[count % name_count];
        job *j = &jobs[count++];
        j->file = strdup(line);
        if (asprintf(&j->options, "%s -arch=%s -emit=%s", bar + 3, arch, emits(arch)) < 0)
            return 1;
    }
    return !f || !count || fclose(f);
}

static int compile_shuffled(unsigned seed)
{
    static int order[max_lines];
    uint64_t random = seed * 2654435761u + 1;
    tritcc_context *c;
    int bad = 0;
    for (int i = 0; i < count; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        int at = (int)((random >> 33) % (unsigned)(i + 1));
        order[i] = order[at];
        order[at] = i;
    }
    if (tritcc_create(&c))
        return 1;
    for (int i = 0; i < count; i++) {
        const job *j = &jobs[order[i]];
        if (compile(c, j) == j->wanted)
            continue;
        printf("seed %u, number %d: %s | %s: other bytes than of a fresh process\n", seed, i, j->file, j->options);
        bad = 1;
    }
    tritcc_destroy(c);
    return bad;
}

int main(int argc, char **argv)
{
    int bad = 0;
    if (argc < 5 || atoi(argv[2]) < 1 || read_list(argv[1], atoi(argv[2]), argv[3]))
        return 2;
    for (int i = 0; i < count; i++) {
        if (compile_fresh(&jobs[i]))
            return printf("%s | %s: no result of a fresh process\n", jobs[i].file, jobs[i].options), 1;
    }
    for (int s = 4; s < argc; s++)
        bad |= compile_shuffled((unsigned)atoi(argv[s]));
    printf("%d compilations in %d orders\n", count, argc - 4);
    return bad;
}
