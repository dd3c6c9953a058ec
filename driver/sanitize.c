#include "driver/sanitize.h"

#include "ir/options.h"

static const struct {
    const char *name;
    unsigned bit;
} sanitizers[] = {
    {"address", TRI_SANITIZE_ADDRESS},
    {"bounds", TRI_SANITIZE_BOUNDS},
    {"undefined", TRI_SANITIZE_UNDEFINED},
};

enum { count = sizeof sanitizers / sizeof *sanitizers };

static unsigned find_sanitize(tri_str name)
{
    for (size_t i = 0; i < count; i++)
        if (tri_str_is(name, sanitizers[i].name))
            return sanitizers[i].bit;
    return 0;
}

/* "address, bounds" */
static void add_names(tri_buf *out)
{
    for (size_t i = 0; i < count; i++)
        tri_buf_format(out, "%s%s", i ? ", " : "", sanitizers[i].name);
}

bool tri_sanitize_parse(tri_diag *diag, tri_str list, unsigned *io_bits)
{
    bool ok = list.len > 0;
    tri_str name = list;
    for (size_t comma; ok && list.len; list = tri_str_sub(list, comma + (comma < list.len), list.len)) {
        comma = tri_str_find(list, ',');
        name = tri_str_sub(list, 0, comma);
        unsigned bit = find_sanitize(name);
        ok = bit != 0;
        *io_bits |= bit;
    }
    if (ok)
        return true;
    tri_buf names = {0};
    add_names(&names);
    if (name.len)
        tri_diag_error(diag, TRI_NO_SPAN, 1002, "'-fsanitize=%.*s' is not known; there are: %s", TRI_STR_ARG(name),
                       names.data);
    else
        tri_diag_error(diag, TRI_NO_SPAN, 1002, "'-fsanitize=' needs one of: %s", names.data);
    tri_buf_fini(&names);
    return false;
}
