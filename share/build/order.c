/* Linked into a tritcc that is run while tritcc is built: writes the names of its functions to $TRITCC_ORDER, in the
 * order in which they are first called. The linker then lays them side by side (order.sh), for a process that compiles
 * one small kernel calls a tenth of its functions, and otherwise spends a third of its time on getting pages.
 *
 * Each function starts with a breakpoint, which its first call takes away. Nothing but the kernel's signal and the
 * program's own symbols is needed, and no call is missed. */
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

typedef struct {
    uint8_t *at;
    const char *name;
    uint8_t first; /* byte of the code */
} function;

enum { breakpoint = 0xcc };
static function *functions; /* by address; several names may be one function */
static size_t count;
static int output;

static size_t find(const uint8_t *at)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (functions[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Calls nothing of the program: that would stop in here again. */
static void on_call(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    greg_t *pc = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    uint8_t *at = (uint8_t *)(uintptr_t)*pc - 1;
    size_t i = find(at);
    if (i == count || functions[i].at != at)
        _exit(1);
    *at = functions[i].first;
    *pc -= 1;
    for (; i < count && functions[i].at == at; i++)
        if (write(output, functions[i].name, strlen(functions[i].name)) < 0 || write(output, "\n", 1) < 0)
            _exit(1);
}

static int compare(const void *a, const void *b)
{
    const function *f = a, *g = b;
    return f->at != g->at ? (f->at < g->at ? -1 : 1) : strcmp(f->name, g->name);
}

/* The program's file, for as long as the process lives; null where it cannot be had. */
static const uint8_t *map_program(void)
{
    struct stat info;
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &info))
        return NULL;
    const void *map = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    return map == MAP_FAILED ? NULL : map;
}

static void read_functions(const uint8_t *map)
{
    const Elf64_Ehdr *head = (const void *)map;
    const Elf64_Shdr *sections = (const void *)(map + head->e_shoff);
    for (size_t s = 0; s < head->e_shnum; s++) {
        if (sections[s].sh_type != SHT_SYMTAB)
            continue;
        const Elf64_Sym *symbols = (const void *)(map + sections[s].sh_offset);
        const char *names = (const char *)map + sections[sections[s].sh_link].sh_offset;
        size_t most = sections[s].sh_size / sizeof *symbols;
        functions = mmap(NULL, most * sizeof *functions, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (functions == MAP_FAILED)
            _exit(1);
        for (size_t i = 0; i < most; i++) {
            uint8_t *at = (uint8_t *)(uintptr_t)symbols[i].st_value;
            if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC && symbols[i].st_size && symbols[i].st_shndx != SHN_UNDEF)
                functions[count++] = (function){at, names + symbols[i].st_name, 0};
        }
    }
    qsort(functions, count, sizeof *functions, compare);
}

static bool allow_writing(const uint8_t *map)
{
    const Elf64_Ehdr *head = (const void *)map;
    const Elf64_Phdr *parts = (const void *)(map + head->e_phoff);
    for (size_t p = 0; p < head->e_phnum; p++) {
        if (parts[p].p_type != PT_LOAD || !(parts[p].p_flags & PF_X))
            continue;
        uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = parts[p].p_vaddr & ~(page - 1);
        if (mprotect((void *)start, parts[p].p_vaddr + parts[p].p_memsz - start, PROT_READ | PROT_WRITE | PROT_EXEC))
            return false;
    }
    return true;
}

static bool is_own(const function *f)
{
    const void *own[] = {(const void *)(uintptr_t)on_call, (const void *)(uintptr_t)find};
    return f->at == own[0] || f->at == own[1];
}

/* Before the constructors of the program's libraries. */
__attribute__((constructor(101))) static void start(void)
{
    const char *name = getenv("TRITCC_ORDER");
    const uint8_t *map = name ? map_program() : NULL;
    struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO | SA_NODEFER};
    if (!map)
        return;
    output = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (output < 0 || sigaction(SIGTRAP, &action, NULL))
        _exit(1);
    read_functions(map);
    if (!allow_writing(map))
        _exit(1);
    for (size_t i = 0; i < count; i++)
        functions[i].first = *functions[i].at;
    for (size_t i = 0; i < count; i++)
        if (!is_own(&functions[i]))
            *functions[i].at = breakpoint;
}
