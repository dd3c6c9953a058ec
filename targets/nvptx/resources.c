/* What a kernel takes of a multiprocessor, and how many of its blocks fit there. */
#include "targets/nvptx/nvptx.h"
#include "ir/kernel.h"
#include "targets/target.h"

#include <string.h>

/* The same on all of them: registers of a multiprocessor, handed out to warps in units, to four warps at a time;
 * shared memory comes in units too, and the system keeps 1 KiB per block. */
enum { registers = 65536, register_unit = 256, warp_unit = 4, shared_unit = 128, shared_of_system = 1024 };

static void limit_to(tri_resources *r, int64_t blocks, const char *what)
{
    if (!r->limit || blocks < r->blocks) {
        r->blocks = (int)blocks;
        r->limit = what;
    }
}

static tri_resources occupancy(const tri_machine_facts *arch, const tri_kernel *k, int barriers)
{
    tri_resources r = {.barriers = barriers};
    int warps = k->num_warps > 0 ? k->num_warps : 1;
    if (!arch->resident_warps)
        return r;
    limit_to(&r, arch->resident_warps / warps, "warps");
    limit_to(&r, arch->resident_blocks, "blocks");
    if (k->registers > 0) {
        int per_warp = (k->registers * 32 + register_unit - 1) / register_unit * register_unit;
        limit_to(&r, registers / per_warp / warp_unit * warp_unit / warps, "registers");
    }
    int64_t shared = (k->shared_bytes + shared_of_system + shared_unit - 1) / shared_unit * shared_unit;
    limit_to(&r, arch->resident_shared / shared, "shared memory");
    if (arch->resident_barriers && barriers)
        limit_to(&r, arch->resident_barriers / barriers, "barriers");
    r.percent = r.blocks * warps * 100 / arch->resident_warps;
    return r;
}

/* ---- barriers ---- */

/* The number behind "bar.sync " and the like at `line`, or -1. */
static int barrier_of(tri_str line)
{
    static const char *const names[] = {"bar.sync", "bar.red", "bar.arrive", "barrier.sync", "barrier.red", "barrier.arrive",
                                        "barrier.cta"};
    bool is_barrier = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is_barrier = is_barrier || memmem(line.data, line.len, names[i], strlen(names[i]));
    for (size_t i = 1; is_barrier && i < line.len; i++) {
        int digit = line.data[i] - '0', next = i + 1 < line.len ? line.data[i + 1] - '0' : -1;
        if (digit >= 0 && digit <= 9 && (line.data[i - 1] == ' ' || line.data[i - 1] == '\t'))
            return next >= 0 && next <= 9 ? 10 * digit + next : digit;
    }
    return -1;
}

/* Different barriers in the kernel's own code and in functions, which any kernel may call. */
static int count_barriers(tri_str symbol, tri_str code)
{
    uint32_t used = 0;
    bool is_ours = true;
    while (code.len) {
        size_t end = tri_str_find(code, '\n');
        tri_str line = tri_str_sub(code, 0, end);
        code = tri_str_sub(code, end < code.len ? end + 1 : end, code.len);
        const char *entry = memmem(line.data, line.len, ".entry ", 7);
        if (entry) {
            tri_str name = {entry + 7, (size_t)(line.data + line.len - entry) - 7};
            is_ours = tri_str_equal(tri_str_sub(name, 0, tri_str_find(name, '(')), symbol);
        } else if (memmem(line.data, line.len, ".func ", 6)) {
            is_ours = true;
        }
        int barrier = is_ours ? barrier_of(line) : -1;
        if (barrier >= 0)
            used |= UINT32_C(1) << (barrier & 31);
    }
    return __builtin_popcount(used);
}

tri_resources tri_nvptx_resources(const tri_unit *unit, const tri_kernel *kernel, tri_str code)
{
    tri_resources r = occupancy(unit->arch, kernel, count_barriers(kernel->symbol, code));
    r.is_dependent = memmem(code.data, code.len, "griddepcontrol", 14) != NULL;
    return r;
}
