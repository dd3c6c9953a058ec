/* NVIDIA's fat binaries: a header, then images with a header each, as cuModuleLoadData and cuobjdump take them. The
 * format is not documented; the fields were found by comparing what NVIDIA's fatbinary tool writes, and cuobjdump reads
 * back what is written here (tests/targets/fat.bats). */
#include "targets/nvptx/nvptx.h"

#include <stdio.h>

enum {
    kind_ptx = 1,
    kind_elf = 2,
    format_version = 0x101,
    entry_size = 64,
    flag_64_bit = 1,
    flag_linux = 0x10,
    flag_lz4 = 0x2000,
    flag_specific = 0x100000, /* sm_90a and the like */
};

typedef struct {
    uint32_t magic;
    uint16_t version, header_size;
    uint64_t size; /* of what follows */
} header;

typedef struct {
    uint16_t kind, version;
    uint32_t header_size;
    uint64_t size;            /* as stored, with padding */
    uint32_t compressed_size; /* without padding; 0: not compressed */
    uint32_t options;         /* of PTX: where ptxas's options stand in the header; else 0 */
    uint16_t minor, major;    /* of the PTX language; 8 and 1 for machine code */
    uint32_t arch;
    uint32_t name, name_size;
    uint64_t flags, reserved;
    uint64_t plain_size;      /* before compression; 0: not compressed */
} entry;

_Static_assert(sizeof(header) == 16 && sizeof(entry) == entry_size, "as the format has it");

/* ".version 8.3" */
static void read_version(tri_str ptx, entry *e)
{
    static const char directive[] = ".version ";
    while (ptx.len && !tri_str_has_prefix(ptx, directive))
        ptx = tri_str_sub(ptx, tri_str_find(ptx, '\n') + 1, ptx.len);
    if (ptx.len)
        sscanf(ptx.data + sizeof directive - 1, "%hu.%hu", &e->major, &e->minor);
}

void tri_nvptx_wrap_image(const tri_unit *unit, tri_str image, bool is_ptx, tri_buf *out)
{
    entry e = {.kind = is_ptx ? kind_ptx : kind_elf,
               .version = format_version,
               .header_size = entry_size,
               .minor = 8,
               .major = 1,
               .arch = (uint32_t)unit->arch->capability,
               .flags = flag_64_bit | flag_linux};
    const char *name = unit->arch->name;
    if (name[strlen(name) - 1] == 'a')
        e.flags |= flag_specific;
    if (is_ptx)
        read_version(image, &e);
    tri_buf stored = {0};
    if (is_ptx) /* drivers want a NUL at its end */
        image = tri_str_sub(tri_str_copy(unit->arena, image), 0, image.len), image.len++;
    tri_nvptx_compress(image, &stored);
    if (stored.len < image.len) {
        e.flags |= flag_lz4;
        e.compressed_size = (uint32_t)stored.len;
        e.plain_size = image.len;
    } else {
        stored.len = 0;
        tri_buf_add_str(&stored, image);
    }
    while (stored.len % 8)
        tri_buf_add_char(&stored, 0);
    e.size = stored.len;
    uint64_t options[2] = {sizeof e + 8, 0}; /* where the text stands in the header, and an empty one */
    if (is_ptx) {
        e.options = sizeof e;
        e.header_size += sizeof options;
    }
    header h = {.magic = 0xBA55ED50, .version = 1, .header_size = sizeof h, .size = e.header_size + e.size};
    tri_buf_add(out, (const char *)&h, sizeof h);
    tri_buf_add(out, (const char *)&e, sizeof e);
    tri_buf_add(out, (const char *)options, e.header_size - sizeof e);
    tri_buf_add(out, stored.data, stored.len);
    tri_buf_fini(&stored);
}
