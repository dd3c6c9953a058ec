/* Tuning tables: lines "KERNEL ARCH KEY=VALUE,... CONFIG", where ARCH may be '*', and comments from '#' on. All lines
 * of a kernel name the same keys, which are integer arguments; "-" stands for no key at all. */
#include "targets/object/writer.h"

#include "llvm-c/Core.h"

enum { code_tuning = 7010, max_keys = TRI_RT_MAX_KEYS, MAX_ARCHS = 16 };

typedef struct {
    tri_writer *w;
    const tri_object_kernel *kernel;
    const tri_object_args *args;
    uint64_t configs;
    TRI_VEC(LLVMValueRef) rows;
    LLVMValueRef key[max_keys];
    tri_str names[max_keys];
    unsigned key_count;
} table;

static bool fail_tuning(const table *t, tri_str at, const char *what)
{
    const tri_source *source = t->w->bundle->tuning;
    uint32_t begin = (uint32_t)(at.data - source->text.data);
    tri_diag_error(t->w->diag, (tri_span){source, begin, begin + (uint32_t)at.len}, code_tuning, "%s", what);
    return false;
}

static tri_str take_word(tri_str *line)
{
    size_t begin = 0, end;
    while (begin < line->len && strchr(" \t\r", line->data[begin]))
        begin++;
    for (end = begin; end < line->len && !strchr(" \t\r", line->data[end]);)
        end++;
    tri_str word = tri_str_sub(*line, begin, end);
    *line = tri_str_sub(*line, end, line->len);
    return word;
}

static bool add_key(table *t, tri_str name)
{
    for (size_t i = 0; i < t->args->at.len; i++) {
        const tri_object_arg *arg = &t->args->at.at[i];
        if (!tri_str_equal(arg->name, name) || arg->type.kind != TRI_CTYPE_INT)
            continue;
        if (t->key_count == max_keys)
            return fail_tuning(t, name, "there are too many keys");
        tri_record r = tri_record_start(t->w->llvm, TRI_RECORD_condition);
        tri_record_set_number(&r, condition, arg, arg->slot);
        tri_record_set_number(&r, condition, bits, arg->type.bits);
        t->names[t->key_count] = name;
        t->key[t->key_count++] = tri_record_finish(&r);
        return true;
    }
    return fail_tuning(t, name, "this is no integer argument of the kernel");
}

static bool has_key(const table *t, tri_str name)
{
    bool found = false;
    for (unsigned i = 0; i < t->key_count; i++)
        found = found || tri_str_equal(t->names[i], name);
    return found;
}

/* "M=512,N=512": the first line of a kernel says what its key is. */
static bool read_values(table *t, tri_str text, LLVMValueRef *values)
{
    bool is_first = !t->rows.len;
    unsigned n = 0;
    for (tri_str rest = tri_str_is(text, "-") ? TRI_STR("") : text; rest.len; n++) {
        size_t end = tri_str_find(rest, ','), equals = tri_str_find(tri_str_sub(rest, 0, end), '=');
        tri_str item = tri_str_sub(rest, 0, end), name = tri_str_sub(item, 0, equals);
        int64_t value;
        rest = tri_str_sub(rest, end + (end < rest.len), rest.len);
        if (equals == item.len || !tri_str_to_i64(tri_str_sub(item, equals + 1, item.len), &value))
            return fail_tuning(t, item, "expected KEY=NUMBER");
        if (is_first && has_key(t, name))
            return fail_tuning(t, name, "this key stands here twice");
        if (is_first && !add_key(t, name))
            return false;
        if (n >= t->key_count || !tri_str_equal(t->names[n], name))
            return fail_tuning(t, name, "the lines of a kernel have the same keys in the same order");
        values[n] = LLVMConstInt(t->w->i64, (uint64_t)value, true);
    }
    return n == t->key_count || fail_tuning(t, text, "the lines of a kernel have the same keys in the same order");
}

static void add_row(table *t, tri_str arch, LLVMValueRef *values, int64_t config)
{
    tri_record r = tri_record_start(t->w->llvm, TRI_RECORD_tuned);
    tri_record_set(&r, tuned, arch, tri_str_is(arch, "*") ? NULL : tri_writer_text(t->w, arch));
    tri_record_set(&r, tuned, values, tri_writer_array(t->w, t->w->i64, values, t->key_count, "key"));
    tri_record_set_number(&r, tuned, config, config);
    tri_vec_push(t->w->arena, &t->rows, tri_record_finish(&r));
}

static bool read_line(table *t, tri_str line)
{
    LLVMValueRef values[max_keys];
    int64_t config;
    tri_str kernel = take_word(&line), arch = take_word(&line), key = take_word(&line), number = take_word(&line);
    if (kernel.len && (!number.len || take_word(&line).len))
        return fail_tuning(t, kernel, "a line is: KERNEL ARCH KEY=VALUE,... CONFIG");
    if (!tri_str_equal(kernel, t->kernel->name)) /* a table may serve several objects */
        return true;
    if (!tri_str_to_i64(number, &config) || config < 0 || (uint64_t)config >= t->configs)
        return fail_tuning(t, number, "the object has no such configuration; all are in it with -config=all");
    if (!tri_str_is(arch, "*") && !tri_machines_named(arch))
        return fail_tuning(t, arch, "this is no architecture; '*' stands for all of them");
    if (!read_values(t, key, values))
        return false;
    add_row(t, arch, values, config);
    return true;
}

/* Without a table the key is the one of the source, as far as it is integer arguments: others do not change within an
 * object. */
static void add_own_key(table *t)
{
    for (tri_str rest = t->kernel->general->key; rest.len;) {
        size_t end = tri_str_find(rest, ',');
        tri_str name = tri_str_sub(rest, 0, end);
        for (size_t i = 0; i < t->args->at.len; i++)
            if (tri_str_equal(t->args->at.at[i].name, name) && t->args->at.at[i].type.kind == TRI_CTYPE_INT)
                add_key(t, name);
        rest = tri_str_sub(rest, end + (end < rest.len), rest.len);
    }
}

/* Without a table the configuration is the one that the cost model expects to be the fastest on each machine. */
static void add_expected(table *t)
{
    tri_str archs[MAX_ARCHS];
    int64_t least[MAX_ARCHS], best[MAX_ARCHS];
    size_t count = 0, a;
    for (size_t i = 0; i < t->w->bundle->parts.len; i++) {
        const tri_unit *unit = t->w->bundle->parts.at[i].unit;
        for (size_t n = 0; n < unit->kernels.len; n++) {
            const tri_kernel *k = &unit->kernels.at[n];
            if (!k->expected_ns || !k->config || !tri_str_equal(k->name, t->kernel->name))
                continue;
            for (a = 0; a < count && !tri_str_is(archs[a], unit->arch->name);)
                a++;
            if (a == MAX_ARCHS || (a < count && least[a] <= k->expected_ns))
                continue;
            archs[a] = tri_str_from(unit->arch->name);
            least[a] = k->expected_ns;
            best[a] = k->config - 1;
            count += a == count;
        }
    }
    for (a = 0; a < count; a++) {
        LLVMValueRef values[max_keys];
        for (unsigned i = 0; i < t->key_count; i++)
            values[i] = LLVMConstInt(t->w->i64, INT64_MAX, false); /* what was measured is nearer */
        add_row(t, archs[a], values, best[a]);
    }
}

bool tri_writer_tuning(tri_writer *w, const tri_object_kernel *kernel, const tri_object_args *args, uint64_t configs,
                       LLVMValueRef *out)
{
    table t = {.w = w, .kernel = kernel, .args = args, .configs = configs};
    *out = NULL;
    for (tri_str text = w->bundle->tuning ? w->bundle->tuning->text : TRI_STR(""); text.len;) {
        size_t end = tri_str_find(text, '\n');
        tri_str line = tri_str_sub(text, 0, end);
        if (!read_line(&t, tri_str_sub(line, 0, tri_str_find(line, '#'))))
            return false;
        text = tri_str_sub(text, end + (end < text.len), text.len);
    }
    if (!t.rows.len && configs <= 1)
        return true;
    if (!t.rows.len) {
        add_own_key(&t);
        add_expected(&t);
    }
    tri_record r = tri_record_start(w->llvm, TRI_RECORD_tuning);
    tri_record_set(&r, tuning, rows,
                   tri_writer_array(w, tri_record_type(w->llvm, TRI_RECORD_tuned), t.rows.at, t.rows.len, "tuned"));
    tri_record_set(&r, tuning, key,
                   tri_writer_array(w, tri_record_type(w->llvm, TRI_RECORD_condition), t.key, t.key_count, "keys"));
    if (configs > 1)
        tri_record_set(&r, tuning, learned,
                       tri_writer_state(w, w->i64, 1 + TRI_RT_MAX_LEARNED * (2 + t.key_count), "learned"));
    tri_record_set_number(&r, tuning, row_count, t.rows.len);
    tri_record_set_number(&r, tuning, key_count, t.key_count);
    *out = tri_writer_constant(w, tri_record_finish(&r), "tuning");
    return true;
}
