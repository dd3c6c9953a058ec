/* Methods of strings in host code. Positions are those of bytes: where a text has other characters than ASCII's, what
 * tells a position is not evaluated. */
#include "frontend/host/host_eval.h"

#include <ctype.h>

#define PARAMS tri_host *h, const tri_value *self, size_t n, const tri_value *const *v, tri_span at
#define UNUSED (void)h, (void)self, (void)n, (void)v, (void)at

/* Looks at so many bytes, of which some are done in the time of a step. */
static bool may_search(tri_host *h, uint64_t bytes, tri_span at) { return tri_host_step(h, at, bytes / 16); }

static bool are_texts(size_t n, const tri_value *const *v, size_t least)
{
    bool ok = n >= least;
    for (size_t i = 0; i < n; i++)
        ok &= v[i]->kind == TRI_VALUE_STR;
    return ok;
}

/* ---- case and kind of letters ---- */

static const tri_value *change_case(tri_host *h, const tri_value *self, bool (*is_upper)(tri_str s, size_t i))
{
    char *text = tri_arena_copy(h->arena, self->string.data, self->string.len);
    for (size_t i = 0; i < self->string.len; i++)
        if ((unsigned char)text[i] < 128)
            text[i] = (char)(is_upper(self->string, i) ? toupper(text[i]) : tolower(text[i]));
    return tri_value_str(h->arena, (tri_str){text, self->string.len});
}

static bool no_letter(tri_str s, size_t i) { return (void)s, (void)i, false; }
static bool each_letter(tri_str s, size_t i) { return (void)s, (void)i, true; }
static bool first_letter(tri_str s, size_t i) { return (void)s, i == 0; }
static bool of_word(tri_str s, size_t i) { return i == 0 || !isalpha((unsigned char)s.data[i - 1]); }

static const tri_value *str_lower(PARAMS)
{
    UNUSED;
    return n ? NULL : change_case(h, self, no_letter);
}

static const tri_value *str_upper(PARAMS)
{
    UNUSED;
    return n ? NULL : change_case(h, self, each_letter);
}

static const tri_value *str_capitalize(PARAMS)
{
    UNUSED;
    return n ? NULL : change_case(h, self, first_letter);
}

static const tri_value *str_title(PARAMS)
{
    UNUSED;
    return n ? NULL : change_case(h, self, of_word);
}

static const tri_value *is_all(const tri_value *self, size_t n, int (*is_one)(int))
{
    bool ok = self->string.len > 0;
    for (size_t i = 0; i < self->string.len; i++) {
        if ((unsigned char)self->string.data[i] >= 128)
            return NULL;
        ok &= is_one((unsigned char)self->string.data[i]) != 0;
    }
    return n ? NULL : tri_value_bool(ok);
}

static const tri_value *str_isdigit(PARAMS)
{
    UNUSED;
    return is_all(self, n, isdigit);
}

static const tri_value *str_isalpha(PARAMS)
{
    UNUSED;
    return is_all(self, n, isalpha);
}

static const tri_value *str_isalnum(PARAMS)
{
    UNUSED;
    return is_all(self, n, isalnum);
}

static const tri_value *str_isspace(PARAMS)
{
    UNUSED;
    return is_all(self, n, isspace);
}

/* ---- what stands at the ends ---- */

/* Without what stands in `v`, or blanks, at one end or at both. */
static const tri_value *strip(tri_host *h, const tri_value *self, size_t n, const tri_value *const *v, bool left,
                              bool right)
{
    if (n > 1 || !are_texts(n, v, 0))
        return NULL;
    tri_str s = self->string, what = n ? v[0]->string : TRI_STR(" \t\n\r\f\v");
    size_t begin = 0, end = s.len;
    while (left && begin < end && memchr(what.data, s.data[begin], what.len))
        begin++;
    while (right && end > begin && memchr(what.data, s.data[end - 1], what.len))
        end--;
    return tri_value_str(h->arena, tri_str_sub(s, begin, end));
}

static const tri_value *str_strip(PARAMS)
{
    UNUSED;
    return strip(h, self, n, v, true, true);
}

static const tri_value *str_lstrip(PARAMS)
{
    UNUSED;
    return strip(h, self, n, v, true, false);
}

static const tri_value *str_rstrip(PARAMS)
{
    UNUSED;
    return strip(h, self, n, v, false, true);
}

static bool begins_with(tri_str s, tri_str part)
{
    return s.len >= part.len && memcmp(s.data, part.data, part.len) == 0;
}

static bool ends_with(tri_str s, tri_str part)
{
    return s.len >= part.len && memcmp(s.data + s.len - part.len, part.data, part.len) == 0;
}

/* Is the text, or one of a tuple of them, at an end of the string? */
static const tri_value *has_end(const tri_value *self, size_t n, const tri_value *const *v,
                                bool (*has)(tri_str s, tri_str part))
{
    const tri_value_list *parts = n == 1 && v[0]->kind == TRI_VALUE_TUPLE ? &v[0]->sequence.items : NULL;
    const tri_value *const *texts = parts ? parts->at : v;
    size_t count = parts ? parts->len : n;
    if (n != 1 || !are_texts(count, texts, 0))
        return NULL;
    bool is_there = false;
    for (size_t i = 0; i < count; i++)
        is_there |= has(self->string, texts[i]->string);
    return tri_value_bool(is_there);
}

static const tri_value *str_startswith(PARAMS)
{
    UNUSED;
    return has_end(self, n, v, begins_with);
}

static const tri_value *str_endswith(PARAMS)
{
    UNUSED;
    return has_end(self, n, v, ends_with);
}

static const tri_value *str_removeprefix(PARAMS)
{
    UNUSED;
    if (n != 1 || !are_texts(n, v, 1))
        return NULL;
    bool is_there = begins_with(self->string, v[0]->string);
    return tri_value_str(h->arena, tri_str_sub(self->string, is_there ? v[0]->string.len : 0, self->string.len));
}

static const tri_value *str_removesuffix(PARAMS)
{
    UNUSED;
    if (n != 1 || !are_texts(n, v, 1))
        return NULL;
    bool is_there = ends_with(self->string, v[0]->string);
    return tri_value_str(h->arena, tri_str_sub(self->string, 0, self->string.len - (is_there ? v[0]->string.len : 0)));
}

/* ---- where a part stands ---- */

/* Place of the first of `part` from `from` on, or the text's length. */
static size_t find_within(tri_str s, tri_str part, size_t from)
{
    for (size_t i = from; i + part.len <= s.len; i++)
        if (memcmp(s.data + i, part.data, part.len) == 0)
            return i;
    return s.len;
}

static size_t find_last(tri_str s, tri_str part)
{
    for (size_t i = s.len + 1; i-- > 0;)
        if (i + part.len <= s.len && memcmp(s.data + i, part.data, part.len) == 0)
            return i;
    return s.len;
}

/* str.find and str.rfind, of one text without bounds; `must` it be there, as for str.index? */
static const tri_value *place_in(tri_host *h, const tri_value *self, size_t n, const tri_value *const *v, tri_span at,
                                 bool is_last, bool must)
{
    tri_str s = self->string;
    if (n != 1 || !are_texts(n, v, 1) || !may_search(h, s.len, at))
        return NULL;
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.data[i] >= 128)
            return tri_host_fail(h, at, "a place in a text of other characters than ASCII's is not evaluated");
    size_t place = is_last ? find_last(s, v[0]->string) : find_within(s, v[0]->string, 0);
    bool is_there = place + v[0]->string.len <= s.len;
    return is_there || !must ? tri_value_int(h->arena, is_there ? (tri_int)place : -1) : NULL;
}

static const tri_value *str_find(PARAMS) { return place_in(h, self, n, v, at, false, false); }
static const tri_value *str_rfind(PARAMS) { return place_in(h, self, n, v, at, true, false); }
static const tri_value *str_index(PARAMS) { return place_in(h, self, n, v, at, false, true); }
static const tri_value *str_rindex(PARAMS) { return place_in(h, self, n, v, at, true, true); }

static const tri_value *str_count(PARAMS)
{
    tri_int count = 0;
    if (n != 1 || !are_texts(n, v, 1) || v[0]->string.len == 0 || !may_search(h, self->string.len, at))
        return NULL;
    for (size_t i = 0; (i = find_within(self->string, v[0]->string, i)) < self->string.len; i += v[0]->string.len)
        count++;
    return tri_value_int(h->arena, count);
}

static const tri_value *cut_at(tri_host *h, const tri_value *self, const tri_value *by, size_t place, bool is_last)
{
    tri_str s = self->string;
    bool is_there = place + by->string.len <= s.len;
    const tri_value *empty = tri_value_str(h->arena, TRI_STR(""));
    const tri_value *parts[] = {is_there  ? tri_value_str(h->arena, tri_str_sub(s, 0, place))
                                : is_last ? empty
                                          : self,
                                is_there ? by : empty,
                                is_there  ? tri_value_str(h->arena, tri_str_sub(s, place + by->string.len, s.len))
                                : is_last ? self
                                          : empty};
    return tri_value_sequence(h->arena, TRI_VALUE_TUPLE, 3, parts);
}

static const tri_value *str_partition(PARAMS)
{
    bool ok = n == 1 && are_texts(n, v, 1) && v[0]->string.len && may_search(h, self->string.len, at);
    return ok ? cut_at(h, self, v[0], find_within(self->string, v[0]->string, 0), false) : NULL;
}

static const tri_value *str_rpartition(PARAMS)
{
    bool ok = n == 1 && are_texts(n, v, 1) && v[0]->string.len && may_search(h, self->string.len, at);
    return ok ? cut_at(h, self, v[0], find_last(self->string, v[0]->string), true) : NULL;
}

/* ---- parts ---- */

static void push_part(tri_host *h, tri_value_list *parts, tri_str s, size_t from, size_t to)
{
    tri_value_push(h->arena, parts, tri_value_str(h->arena, tri_str_sub(s, from, to)));
}

/* At runs of blanks, at most `most` times. */
static void split_blanks(tri_host *h, tri_str s, uint64_t most, tri_value_list *out_parts)
{
    for (size_t i = 0, end; i < s.len; i = end) {
        while (i < s.len && isspace((unsigned char)s.data[i]))
            i++;
        for (end = i; end < s.len && !isspace((unsigned char)s.data[end]);)
            end++;
        if (i < end && out_parts->len == most)
            end = s.len;
        if (i < end)
            push_part(h, out_parts, s, i, end);
        if (out_parts->len > most)
            return;
    }
}

static void split_by(tri_host *h, tri_str s, tri_str by, uint64_t most, tri_value_list *out_parts)
{
    size_t from = 0, place;
    while (out_parts->len < most && (place = find_within(s, by, from)) < s.len) {
        push_part(h, out_parts, s, from, place);
        from = place + by.len;
    }
    push_part(h, out_parts, s, from, s.len);
}

/* From the right, at most `most` times; the parts in the order of the text. */
static void split_last(tri_host *h, tri_str s, tri_str by, uint64_t most, tri_value_list *out_parts)
{
    tri_value_list turned = {0};
    size_t place;
    while (turned.len < most && (place = find_last(s, by)) < s.len) {
        push_part(h, &turned, s, place + by.len, s.len);
        s = tri_str_sub(s, 0, place);
    }
    push_part(h, out_parts, s, 0, s.len);
    for (uint32_t i = turned.len; i-- > 0;)
        tri_value_push(h->arena, out_parts, turned.at[i]);
}

/* split(sep=None, maxsplit=-1); from the right only with both. */
static const tri_value *split_string(tri_host *h, const tri_value *self, const tri_host_args *args, tri_span at,
                                     bool is_last)
{
    const tri_value *by = tri_host_keyword(args, "sep"), *limit = tri_host_keyword(args, "maxsplit");
    tri_value_list parts = {0};
    int64_t most = -1;
    for (size_t i = 0; i < args->at.len; i++)
        if (!args->at.at[i].name.len)
            *(i ? &limit : &by) = args->at.at[i].value;
    bool is_blanks = !by || by->kind == TRI_VALUE_NONE;
    if (args->at.len > 2 || (limit && !tri_value_get_i64(limit, &most)) ||
        (!is_blanks && (by->kind != TRI_VALUE_STR || !by->string.len)) || (is_last && is_blanks && most >= 0))
        return NULL;
    if (!may_search(h, self->string.len, at) ||
        !tri_host_has_room(h, at, self->string.len * 16)) /* at worst a part for every other byte */
        return NULL;
    uint64_t times = most < 0 ? UINT64_MAX : (uint64_t)most;
    if (is_blanks)
        split_blanks(h, self->string, times, &parts);
    else
        (is_last ? split_last : split_by)(h, self->string, by->string, times, &parts);
    return tri_value_sequence(h->arena, TRI_VALUE_LIST, parts.len, parts.at);
}

static const tri_value *str_splitlines(PARAMS)
{
    UNUSED;
    tri_value_list parts = {0};
    tri_str s = self->string;
    if (n || !may_search(h, s.len, at) || !tri_host_has_room(h, at, s.len * 16))
        return NULL;
    for (size_t i = 0, end; i < s.len;
         i = end + 1 + (s.data[end] == '\r' && end + 1 < s.len && s.data[end + 1] == '\n')) {
        for (end = i; end < s.len && s.data[end] != '\n' && s.data[end] != '\r';)
            end++;
        push_part(h, &parts, s, i, end);
        if (end == s.len)
            break;
    }
    return tri_value_sequence(h->arena, TRI_VALUE_LIST, parts.len, parts.at);
}

static const tri_value *str_join(PARAMS)
{
    tri_value_list items = {0};
    tri_buf out = {0};
    if (n != 1 || !tri_host_items(h, v[0], at, &items))
        return NULL;
    bool is_ok = true;
    uint64_t bytes = items.len * (uint64_t)self->string.len;
    for (uint32_t i = 0; i < items.len; i++)
        bytes += items.at[i]->kind == TRI_VALUE_STR ? items.at[i]->string.len : 0;
    if (!tri_host_step(h, at, bytes / 1024) || !tri_host_has_room(h, at, bytes))
        return NULL;
    for (uint32_t i = 0; i < items.len; i++) {
        is_ok &= items.at[i]->kind == TRI_VALUE_STR;
        if (i)
            tri_buf_add_str(&out, self->string);
        if (is_ok)
            tri_buf_add_str(&out, items.at[i]->string);
    }
    const tri_value *result = is_ok ? tri_value_str(h->arena, tri_str_copy(h->arena, tri_buf_str(&out))) : NULL;
    tri_buf_fini(&out);
    return result;
}

static const tri_value *str_replace(PARAMS)
{
    int64_t most = -1;
    bool is_limited = n == 3 && tri_value_get_i64(v[2], &most);
    if (n != 2 + (size_t)is_limited || !are_texts(2, v, 2) || v[0]->string.len == 0)
        return NULL;
    tri_host_args by = {0};
    tri_vec_push(h->arena, &by.at, (tri_host_arg){{0}, v[0]});
    tri_vec_push(h->arena, &by.at, (tri_host_arg){{0}, tri_value_int(h->arena, most)});
    const tri_value *parts = split_string(h, self, &by, at, false);
    return parts ? str_join(h, v[1], 1, &parts, at) : NULL;
}

static const tri_value *str_encode(PARAMS)
{
    UNUSED;
    return n ? NULL : tri_value_bytes(h->arena, self->string);
}

/* ---- padding ---- */

/* The format() of the width and fill that are given. */
static const tri_value *padded(tri_host *h, const tri_value *self, size_t n, const tri_value *const *v, tri_span at,
                               char align)
{
    int64_t width;
    tri_value_ops ops = {.arena = h->arena, .budget = &h->all->budget};
    if (n < 1 || n > 2 || !tri_value_get_i64(v[0], &width) || (n == 2 && v[1]->kind != TRI_VALUE_STR) ||
        !tri_host_has_room(h, at, width > 0 ? (uint64_t)width : 0))
        return NULL;
    tri_str fill = n == 2 ? v[1]->string : TRI_STR(" ");
    return tri_value_format(
        &ops, self,
        tri_str_format(h->arena, "%.*s%c%lld", TRI_STR_ARG(fill), align, (long long)(width > 0 ? width : 0)));
}

static const tri_value *str_ljust(PARAMS) { return padded(h, self, n, v, at, '<'); }
static const tri_value *str_rjust(PARAMS) { return padded(h, self, n, v, at, '>'); }
static const tri_value *str_center(PARAMS) { return padded(h, self, n, v, at, '^'); }

static const tri_value *str_zfill(PARAMS)
{
    bool is_signed = self->string.len && strchr("+-", self->string.data[0]);
    const tri_value *zero = tri_value_str(h->arena, TRI_STR("0")), *args[] = {n ? v[0] : NULL, zero};
    return n == 1 && !is_signed ? padded(h, self, 2, args, at, '>') : NULL;
}

/* ---- dispatch ---- */

tri_host_method *tri_host_string_find(tri_str name)
{
    static const struct {
        const char *name;
        tri_host_method *run;
    } rows[] = {
        {"lower", str_lower},
        {"upper", str_upper},
        {"casefold", str_lower},
        {"capitalize", str_capitalize},
        {"title", str_title},
        {"isdigit", str_isdigit},
        {"isdecimal", str_isdigit},
        {"isnumeric", str_isdigit},
        {"isalpha", str_isalpha},
        {"isalnum", str_isalnum},
        {"isspace", str_isspace},
        {"strip", str_strip},
        {"lstrip", str_lstrip},
        {"rstrip", str_rstrip},
        {"startswith", str_startswith},
        {"endswith", str_endswith},
        {"removeprefix", str_removeprefix},
        {"removesuffix", str_removesuffix},
        {"find", str_find},
        {"rfind", str_rfind},
        {"index", str_index},
        {"rindex", str_rindex},
        {"count", str_count},
        {"partition", str_partition},
        {"rpartition", str_rpartition},
        {"splitlines", str_splitlines},
        {"join", str_join},
        {"replace", str_replace},
        {"encode", str_encode},
        {"ljust", str_ljust},
        {"rjust", str_rjust},
        {"center", str_center},
        {"zfill", str_zfill},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (tri_str_is(name, rows[i].name))
            return rows[i].run;
    return NULL;
}

bool tri_host_string_takes_names(const tri_value *self, tri_str name)
{
    return self->kind == TRI_VALUE_STR &&
           (tri_str_is(name, "format") || tri_str_is(name, "split") || tri_str_is(name, "rsplit"));
}

const tri_value *tri_host_string_call(tri_host *h, const tri_value *self, tri_str name, const tri_host_args *args,
                                      tri_span at)
{
    if (!tri_str_is(name, "format"))
        return split_string(h, self, args, at, tri_str_is(name, "rsplit"));
    tri_value_ops ops = {.arena = h->arena, .budget = &h->all->budget};
    tri_value_list items = {0};
    tri_value *named = tri_value_dict_create(h->arena);
    for (size_t i = 0; i < args->at.len; i++)
        if (args->at.at[i].name.len)
            tri_value_dict_set(h->arena, named->dict, tri_value_str(h->arena, args->at.at[i].name),
                               args->at.at[i].value);
        else
            tri_value_push(h->arena, &items, args->at.at[i].value);
    return tri_host_check(h, &ops, tri_value_format_text(&ops, self->string, &items, named->dict), at);
}
