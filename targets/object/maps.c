/* Tensor maps that launchers make, from the text that the kernel's facts have of them (ir/kernel.h). */
#include "targets/object/object.h"

/* What stands in front of the next `separator`, which goes, too. */
static tri_str take_until(tri_str *rest, char separator)
{
    size_t end = tri_str_find(*rest, separator);
    tri_str taken = tri_str_trim(tri_str_sub(*rest, 0, end));
    *rest = tri_str_trim(tri_str_sub(*rest, end + (end < rest->len), rest->len));
    return taken;
}

static unsigned take_unsigned(tri_str *rest)
{
    int64_t value = 0;
    tri_str_to_i64(take_until(rest, ' '), &value);
    return (unsigned)value;
}

/* What is no word of an expression, in a text that somebody wrote, gives no number. */
static tri_rt_step read_step(tri_str word, size_t num_args)
{
    static const tri_rt_step none = {.op = TRI_RT_SELECT};
    tri_rt_step step = {.op = TRI_RT_PUSH};
    if (tri_str_has_prefix(word, "$")) {
        tri_str rest = tri_str_sub(word, 1, word.len), number = take_until(&rest, ':');
        int64_t arg = 0, bits = 0;
        bool is_one = tri_str_to_i64(number, &arg) && tri_str_to_i64(rest, &bits) && arg >= 0 &&
                      (uint64_t)arg < num_args && (bits == 32 || bits == 64);
        step = (tri_rt_step){.op = TRI_RT_ARGUMENT, .bits = (uint16_t)bits, .arg = (uint32_t)arg};
        return is_one ? step : none;
    }
    int op = tri_str_to_i64(word, &step.value) ? TRI_RT_PUSH : tri_object_operator(word);
    step.op = (uint16_t)op;
    return op >= 0 ? step : none;
}

/* The numbers of a list, each with its end; how many there are. */
static unsigned add_list(tri_arena *arena, tri_str list, size_t num_args, tri_object_map *map)
{
    unsigned count = 0;
    for (; list.len; count++) {
        tri_str words = take_until(&list, ',');
        while (words.len)
            tri_vec_push(arena, &map->steps, read_step(take_until(&words, ' '), num_args));
        tri_vec_push(arena, &map->steps, ((tri_rt_step){.op = TRI_RT_NEXT_DIMENSION}));
    }
    return count;
}

static tri_object_map read_map(tri_arena *arena, tri_str text, size_t num_args)
{
    tri_object_map map = {.steps = {0}};
    tri_str head = take_until(&text, ';');
    head = tri_str_sub(head, 1, head.len); /* "$" */
    map.row.arg = (uint16_t)take_unsigned(&head);
    map.row.element = (uint16_t)take_unsigned(&head);
    map.row.bytes = (uint16_t)take_unsigned(&head);
    map.row.swizzle = take_unsigned(&head);
    map.row.fill = take_unsigned(&head);
    add_list(arena, take_until(&text, ';'), num_args, &map);
    map.row.rank = (uint16_t)add_list(arena, take_until(&text, ';'), num_args, &map);
    add_list(arena, take_until(&text, ';'), num_args, &map);
    add_list(arena, text, num_args, &map);
    map.row.steps = map.steps.at;
    map.row.step_count = map.row.arg < num_args ? map.steps.len : 0;
    return map;
}

tri_object_maps tri_object_read_maps(tri_arena *arena, const tri_kernel *kernel, size_t num_args)
{
    tri_object_maps maps = {.len = 0};
    for (tri_str rest = kernel->maps; rest.len;)
        tri_vec_push(arena, &maps, read_map(arena, take_until(&rest, '|'), num_args));
    return maps;
}

/* ---- for other launchers ---- */

static void add_json_list(tri_str list, const char *key, tri_buf *out)
{
    tri_buf_format(out, ", \"%s\": [", key);
    for (const char *separator = ""; list.len; separator = ", ") {
        tri_buf_add_z(out, separator);
        tri_buf_add_json(out, take_until(&list, ','));
    }
    tri_buf_add_char(out, ']');
}

static void add_json_map(tri_str text, tri_buf *out)
{
    static const char *const numbers[] = {"argument", "element", "bytes", "swizzle", "fill"};
    tri_str head = take_until(&text, ';'), offset = take_until(&text, ';'), box = take_until(&text, ';'),
            sizes = take_until(&text, ';');
    head = tri_str_sub(head, 1, head.len);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        tri_buf_format(out, "%s\"%s\": %u", i ? ", " : "{", numbers[i], take_unsigned(&head));
    tri_buf_add_z(out, ", \"offset\": ");
    tri_buf_add_json(out, offset);
    add_json_list(box, "box", out);
    add_json_list(sizes, "sizes", out);
    add_json_list(text, "strides", out);
    tri_buf_add_char(out, '}');
}

void tri_writer_describe_maps(const tri_kernel *kernel, tri_buf *out)
{
    tri_buf_add_char(out, '[');
    for (tri_str rest = kernel->maps; rest.len;) {
        add_json_map(take_until(&rest, '|'), out);
        tri_buf_add_z(out, rest.len ? ",\n        " : "");
    }
    tri_buf_add_char(out, ']');
}
