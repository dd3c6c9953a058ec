/* What a kernel takes of a multiprocessor, and how many of its blocks fit there. */
#include "targets/nvptx/nvptx.h"
#include "ir/kernel.h"
#include "ir/occupancy.h"
#include "targets/target.h"

#include <string.h>

static tri_resources occupancy(const tri_machine_facts *arch, const tri_kernel *k, int barriers)
{
    tri_occupancy_needs needs = {.warps = k->num_warps > 0 ? k->num_warps : 1,
                                 .registers = k->registers,
                                 .shared = k->shared_bytes,
                                 .barriers = barriers};
    tri_occupancy o = tri_occupancy_of(arch, &needs);
    tri_resources r = {.barriers = barriers, .blocks = o.blocks, .limit = o.limit};
    if (o.limit)
        r.percent = r.blocks * needs.warps * 100 / arch->resident_warps;
    return r;
}

int tri_nvptx_blocks(const tri_machine_facts *arch, const tri_kernel *kernel, int count)
{
    tri_kernel other = *kernel;
    other.registers = count;
    return occupancy(arch, &other, 0).blocks;
}

/* ---- what a kernel and the functions that it calls do ---- */

typedef struct {
    tri_str name, text; /* from the line with its name on */
    bool is_reached;
} body;

typedef TRI_VEC(body) bodies;

tri_str tri_nvptx_next_line(tri_str *text)
{
    size_t end = tri_str_find(*text, '\n');
    tri_str line = tri_str_sub(*text, 0, end);
    *text = tri_str_sub(*text, end < text->len ? end + 1 : end, text->len);
    return line;
}

bool tri_nvptx_has(tri_str text, const char *word) { return memmem(text.data, text.len, word, strlen(word)) != NULL; }

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           c == '.';
}

/* Does `name` stand in `line` as a word? */
static bool names(tri_str line, tri_str name)
{
    const char *end = line.data + line.len;
    for (const char *at = line.data; name.len && (at = memmem(at, (size_t)(end - at), name.data, name.len)); at++)
        if ((at == line.data || !is_name_char(at[-1])) && (at + name.len == end || !is_name_char(at[name.len])))
            return true;
    return false;
}

/* The name behind ".entry" or ".func (results)" at `line`, which begins with a directive; empty: no function begins
 * there. */
static tri_str function_name(tri_str line)
{
    static const char *const words[] = {".entry", ".func"};
    if (!tri_str_has_prefix(tri_str_trim(line), "."))
        return TRI_STR("");
    for (int i = 0; i < 2; i++) {
        const char *at = memmem(line.data, line.len, words[i], strlen(words[i])), *end = line.data + line.len;
        if (!at || (at > line.data && is_name_char(at[-1])))
            continue;
        at += strlen(words[i]);
        const char *results = i == 1 ? memchr(at, '(', (size_t)(end - at)) : NULL;
        const char *first = at;
        while (first < end && !is_name_char(*first) && first != results)
            first++;
        if (first == results) /* the results come before the name */
            for (first = memchr(first, ')', (size_t)(end - first)); first && first < end && !is_name_char(*first);)
                first++;
        size_t len = 0;
        while (first && first + len < end && is_name_char(first[len]))
            len++;
        return first ? (tri_str){first, len} : TRI_STR("");
    }
    return TRI_STR("");
}

/* The functions; each ends with a brace in the first column, or is only declared. */
static bodies split(tri_arena *arena, tri_str code)
{
    bodies all = {0};
    bool is_inside = false;
    while (code.len) {
        tri_str line = tri_nvptx_next_line(&code), name = function_name(line);
        if (name.len)
            tri_vec_push(arena, &all, (body){.name = name, .text = line});
        is_inside = name.len || (is_inside && !tri_str_has_prefix(line, "}"));
        if (is_inside)
            tri_vec_last(&all).text.len = (size_t)(line.data + line.len - tri_vec_last(&all).text.data);
    }
    return all;
}

/* Marks what the function reaches by calls. A call names its function on its line or, as LLVM writes it, on one below.
 */
static void reach(bodies *all, body *from)
{
    int lines = 0;
    from->is_reached = true;
    for (tri_str rest = all->len > 1 ? from->text : TRI_STR(""); rest.len;) {
        tri_str line = tri_nvptx_next_line(&rest);
        lines = tri_nvptx_has(line, "call") ? 5 : lines - 1;
        for (size_t i = 0; i < all->len && lines > 0; i++)
            if (!all->at[i].is_reached && names(line, all->at[i].name))
                reach(all, &all->at[i]);
    }
}

/* The number behind "bar.sync " and the like at `line`, or -1. */
static int barrier_of(tri_str line)
{
    static const char *const words[] = {"bar.sync",    "bar.red",        "bar.arrive", "barrier.sync",
                                        "barrier.red", "barrier.arrive", "barrier.cta"};
    bool is_barrier = false;
    if (!tri_nvptx_has(line, "bar"))
        return -1;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        is_barrier = is_barrier || tri_nvptx_has(line, words[i]);
    for (size_t i = 1; is_barrier && i < line.len; i++) {
        int digit = line.data[i] - '0', next = i + 1 < line.len ? line.data[i + 1] - '0' : -1;
        if (digit >= 0 && digit <= 9 && (line.data[i - 1] == ' ' || line.data[i - 1] == '\t'))
            return next >= 0 && next <= 9 ? 10 * digit + next : digit;
    }
    return -1;
}

tri_resources tri_nvptx_resources(const tri_unit *unit, const tri_kernel *kernel, tri_str code)
{
    bodies all = split(unit->arena, code);
    uint32_t barriers = 0;
    bool is_dependent = false;
    for (size_t i = 0; i < all.len; i++)
        if (tri_str_equal(all.at[i].name, kernel->symbol) && !all.at[i].is_reached)
            reach(&all, &all.at[i]);
    for (size_t i = 0; i < all.len; i++)
        for (tri_str rest = all.at[i].is_reached ? all.at[i].text : TRI_STR(""); rest.len;) {
            tri_str line = tri_nvptx_next_line(&rest);
            int barrier = barrier_of(line);
            is_dependent = is_dependent || tri_nvptx_has(line, "griddepcontrol");
            barriers |= barrier >= 0 ? UINT32_C(1) << (barrier & 31) : 0;
        }
    tri_resources r = occupancy(unit->arch, kernel, __builtin_popcount(barriers));
    r.is_dependent = is_dependent;
    return r;
}
