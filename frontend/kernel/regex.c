#include "frontend/kernel/regex.h"

#include "base/arena.h"

#include <ctype.h>
#include <limits.h>

/* A pattern is a tree of nodes; `next` is what follows a node in its sequence. */
typedef enum { node_set, node_start, node_end, node_border, node_group, node_repeat, node_look, node_back } node_kind;

typedef struct node node;
typedef struct alternative alternative;

struct alternative {
    const node *first; /* null: matches nothing at all, successfully */
    alternative *next;
};

struct node {
    node_kind kind;
    const node *next;
    uint64_t set[4];          /* set: the bytes that match */
    bool is_negated;          /* border, look */
    bool is_behind;           /* look: what stands in front of this place */
    bool is_folded;           /* back: without regard to case */
    bool is_of_line;          /* start, end: of each line */
    int number;               /* group: 0 when it is not remembered; back: the group that it repeats */
    alternative *alternatives; /* group, look; of a repeat the one body */
    long least, most;         /* repeat */
    bool is_lazy;
};

struct tri_regex {
    alternative *top;
    int groups;
    tri_str names[TRI_REGEX_MAX_GROUPS];
};

/* ---- reading ---- */

enum { max_depth = 50 };

typedef struct {
    tri_arena *arena;
    tri_str text;
    size_t at;
    tri_regex *regex;
    int depth, flags;
    bool is_bad;
} reader;

static bool is_at(const reader *r, char c) { return r->at < r->text.len && r->text.data[r->at] == c; }

static bool take(reader *r, char c)
{
    bool is_there = is_at(r, c);
    r->at += is_there;
    return is_there;
}

static bool take_text(reader *r, const char *text)
{
    bool is_there = tri_str_has_prefix(tri_str_sub(r->text, r->at, r->text.len), text);
    r->at += is_there ? strlen(text) : 0;
    return is_there;
}

static void add_byte(uint64_t set[4], unsigned char c) { set[c >> 6] |= UINT64_C(1) << (c & 63); }

static void invert(uint64_t set[4])
{
    for (int i = 0; i < 4; i++)
        set[i] = ~set[i];
}

/* With IGNORECASE, both cases of what is there. */
static void fold(const reader *r, uint64_t set[4])
{
    for (int c = 'a'; r->flags & TRI_REGEX_IGNORECASE && c <= 'z'; c++) {
        int upper = toupper(c);
        if ((set[c >> 6] >> (c & 63) & 1) || (set[upper >> 6] >> (upper & 63) & 1)) {
            add_byte(set, (unsigned char)c);
            add_byte(set, (unsigned char)upper);
        }
    }
}

/* With VERBOSE, blanks and comments mean nothing outside of sets. */
static void skip(reader *r)
{
    while (r->flags & TRI_REGEX_VERBOSE && r->at < r->text.len) {
        if (is_at(r, '#'))
            while (r->at < r->text.len && !is_at(r, '\n'))
                r->at++;
        else if (isspace((unsigned char)r->text.data[r->at]))
            r->at++;
        else
            return;
    }
}

/* \d, \w, \s and their opposites; false for other letters. */
static bool add_class(uint64_t set[4], char letter)
{
    uint64_t made[4] = {0};
    int kind = tolower((unsigned char)letter);
    if (kind != 'd' && kind != 'w' && kind != 's')
        return false;
    for (int c = 0; c < 128; c++)
        if (kind == 'd' ? isdigit(c) : kind == 's' ? isspace(c) : (isalnum(c) || c == '_'))
            add_byte(made, (unsigned char)c);
    if (isupper((unsigned char)letter))
        invert(made);
    for (int i = 0; i < 4; i++)
        set[i] |= made[i];
    return true;
}

/* The byte behind a backslash. */
static unsigned char escaped(reader *r)
{
    static const char letters[] = "ntrfva", bytes[] = "\n\t\r\f\v\a";
    if (r->at == r->text.len) {
        r->is_bad = true;
        return 0;
    }
    char c = r->text.data[r->at++];
    const char *known = strchr(letters, c);
    r->is_bad |= isalnum((unsigned char)c) && !(c && known);
    return (unsigned char)(c && known ? bytes[known - letters] : c);
}

/* [...]: the bracket is taken. */
static void read_set(reader *r, uint64_t set[4])
{
    bool is_negated = take(r, '^'), is_first = true;
    while (!r->is_bad && (is_first || !is_at(r, ']'))) {
        if (r->at == r->text.len) {
            r->is_bad = true;
            return;
        }
        is_first = false;
        bool is_escape = take(r, '\\');
        if (is_escape && r->at < r->text.len && add_class(set, r->text.data[r->at])) {
            r->at++;
            continue;
        }
        unsigned char low = is_escape ? escaped(r) : (unsigned char)r->text.data[r->at++], high = low;
        if (r->at + 1 < r->text.len && is_at(r, '-') && r->text.data[r->at + 1] != ']') {
            r->at++;
            high = take(r, '\\') ? escaped(r) : (unsigned char)r->text.data[r->at++];
        }
        r->is_bad |= high < low;
        for (int c = low; c <= high; c++)
            add_byte(set, (unsigned char)c);
    }
    r->is_bad |= !take(r, ']');
    fold(r, set);
    if (is_negated)
        invert(set);
}

static alternative *read_alternatives(reader *r);

static tri_str read_name(reader *r, char end)
{
    size_t begin = r->at;
    while (r->at < r->text.len && !is_at(r, end))
        r->at++;
    tri_str name = tri_str_sub(r->text, begin, r->at);
    r->is_bad |= !take(r, end);
    return name;
}

/* A group's text once more. */
static void read_back(reader *r, node *n, int number)
{
    n->kind = node_back;
    n->number = number;
    n->is_folded = r->flags & TRI_REGEX_IGNORECASE;
    r->is_bad |= number == 0 || number >= r->regex->groups;
}

/* (?=...), (?!...), (?<=...) and (?<!...), up to the dots. */
static bool take_look(reader *r, node *n)
{
    n->is_behind = take_text(r, "?<=") || (n->is_negated = take_text(r, "?<!"));
    bool is_look = n->is_behind || take_text(r, "?=") || (n->is_negated = take_text(r, "?!"));
    n->kind = is_look ? node_look : node_group;
    return is_look;
}

/* (...): the bracket is taken. */
static void read_group(reader *r, node *n)
{
    tri_str name = {0};
    bool is_counted = !take_look(r, n) && !take_text(r, "?:");
    if (is_counted && take_text(r, "?P=")) {
        read_back(r, n, tri_regex_group(r->regex, read_name(r, ')')));
        return;
    }
    if (is_counted && take_text(r, "?P<"))
        name = read_name(r, '>');
    r->is_bad |= is_at(r, '?') || r->depth == max_depth;
    if (is_counted && r->regex->groups == TRI_REGEX_MAX_GROUPS)
        r->is_bad = true;
    if (r->is_bad)
        return;
    if (is_counted) {
        r->regex->names[r->regex->groups] = name;
        n->number = r->regex->groups++;
    }
    r->depth++;
    n->alternatives = read_alternatives(r);
    r->depth--;
    r->is_bad |= !take(r, ')');
}

static long read_number(reader *r, long if_absent)
{
    long n = 0;
    size_t begin = r->at;
    while (r->at < r->text.len && isdigit((unsigned char)r->text.data[r->at]) && n < 100000)
        n = n * 10 + (r->text.data[r->at++] - '0');
    return r->at > begin ? n : if_absent;
}

static void read_atom(reader *r, node *n)
{
    char c = r->text.data[r->at++];
    switch (c) {
    case '(': read_group(r, n); return;
    case '[': read_set(r, n->set); return;
    case '^':
    case '$':
        n->kind = c == '^' ? node_start : node_end;
        n->is_of_line = r->flags & TRI_REGEX_MULTILINE;
        return;
    case '*':
    case '+':
    case '?': r->is_bad = true; return;
    case '.':
        if (!(r->flags & TRI_REGEX_DOTALL))
            add_byte(n->set, '\n');
        invert(n->set);
        return;
    case '\\':
        if (take(r, 'A')) {
            n->kind = node_start;
        } else if (r->at < r->text.len && r->text.data[r->at] >= '1' && r->text.data[r->at] <= '9') {
            read_back(r, n, (int)read_number(r, 0));
        } else if (is_at(r, 'b') || is_at(r, 'B')) {
            n->kind = node_border;
            n->is_negated = r->text.data[r->at++] == 'B';
        } else if (r->at < r->text.len && add_class(n->set, r->text.data[r->at])) {
            r->at++;
        } else {
            add_byte(n->set, escaped(r));
            fold(r, n->set);
        }
        return;
    default: add_byte(n->set, (unsigned char)c); fold(r, n->set);
    }
}

/* "{2}", "{2,}", "{,3}" or "{2,3}"; any other text in braces stands for itself. */
static bool read_counts(reader *r, long *out_least, long *out_most)
{
    size_t begin = r->at;
    if (!take(r, '{'))
        return false;
    *out_least = read_number(r, -1);
    *out_most = take(r, ',') ? read_number(r, LONG_MAX) : *out_least;
    bool is_count =
        take(r, '}') && (*out_least >= 0 || *out_most != *out_least) && r->at - begin > 3 - (*out_least >= 0);
    *out_least = *out_least < 0 ? 0 : *out_least;
    if (!is_count)
        r->at = begin;
    return is_count;
}

static node *read_repeated(reader *r)
{
    node *n = TRI_NEW(r->arena, node);
    long least = 0, most = LONG_MAX;
    read_atom(r, n);
    skip(r);
    if (r->is_bad)
        return n;
    if (take(r, '?'))
        most = 1;
    else if (take(r, '+'))
        least = 1;
    else if (!take(r, '*') && !read_counts(r, &least, &most))
        return n;
    node *repeat = TRI_NEW(r->arena, node);
    repeat->kind = node_repeat;
    repeat->alternatives = TRI_NEW(r->arena, alternative);
    repeat->alternatives->first = n;
    repeat->least = least;
    repeat->most = most;
    repeat->is_lazy = take(r, '?');
    r->is_bad |= is_at(r, '*') || is_at(r, '+') || is_at(r, '?') || most < least;
    return repeat;
}

static alternative *read_alternatives(reader *r)
{
    alternative *first = NULL, **last = &first;
    do {
        alternative *a = *last = TRI_NEW(r->arena, alternative);
        const node **end = &a->first;
        skip(r);
        while (!r->is_bad && r->at < r->text.len && !is_at(r, '|') && !is_at(r, ')')) {
            node *n = read_repeated(r);
            *end = n;
            end = &n->next;
            skip(r);
        }
        last = &a->next;
    } while (!r->is_bad && take(r, '|'));
    return first;
}

/* (?ims) in front of everything. */
static void read_flags(reader *r)
{
    static const char letters[] = "imsxua";
    static const int flags[] = {TRI_REGEX_IGNORECASE, TRI_REGEX_MULTILINE, TRI_REGEX_DOTALL,
                                TRI_REGEX_VERBOSE,    TRI_REGEX_UNICODE,   TRI_REGEX_ASCII};
    int found = 0;
    size_t end = 2;
    const char *letter;
    if (!tri_str_has_prefix(r->text, "(?"))
        return;
    for (; end < r->text.len && r->text.data[end] && (letter = strchr(letters, r->text.data[end])); end++)
        found |= flags[letter - letters];
    if (!found || end == r->text.len || r->text.data[end] != ')')
        return;
    r->flags |= found;
    r->at = end + 1;
}

const tri_regex *tri_regex_compile(tri_arena *arena, tri_str pattern, int flags)
{
    enum { known = TRI_REGEX_IGNORECASE | TRI_REGEX_MULTILINE | TRI_REGEX_DOTALL | TRI_REGEX_UNICODE |
                   TRI_REGEX_VERBOSE | TRI_REGEX_ASCII };
    if (flags & ~known)
        return NULL;
    tri_regex *regex = TRI_NEW(arena, tri_regex);
    regex->groups = 1;
    reader r = {.arena = arena, .text = pattern, .regex = regex, .flags = flags};
    read_flags(&r);
    regex->top = read_alternatives(&r);
    return r.is_bad || r.at < pattern.len ? NULL : regex;
}

tri_str tri_regex_name(const tri_regex *regex, int group) { return regex->names[group]; }

int tri_regex_group(const tri_regex *regex, tri_str name)
{
    for (int i = 1; i < regex->groups; i++)
        if (regex->names[i].len && tri_str_equal(regex->names[i], name))
            return i;
    return 0;
}

/* ---- matching ---- */

enum { max_steps = 1000000, max_stack = 2000 };

/* What follows the end of the present sequence: one more turn of a repeat, or what stands behind a group; null at the
 * end of the pattern. Lives on the stack of who entered the sequence. */
typedef struct todo {
    const struct todo *rest;
    const node *owner; /* the repeat or group that ends here */
    long turns;        /* of the repeat so far; of a look: the place that it is asked at */
    size_t begin;      /* of this turn, or of the group */
} todo;

typedef struct {
    tri_str text;
    bool is_whole;
    long steps;
    int depth;
    tri_regex_match *match;
} matcher;

static bool go_on(matcher *m, const node *n, size_t at, const todo *rest);

static bool is_word(const matcher *m, size_t at)
{
    return at < m->text.len && (isalnum((unsigned char)m->text.data[at]) || m->text.data[at] == '_');
}

static bool one_turn(matcher *m, const node *n, size_t at, long turns, const todo *rest)
{
    todo end = {.rest = rest, .owner = n, .turns = turns + 1, .begin = at};
    return go_on(m, n->alternatives->first, at, &end);
}

static bool repeat(matcher *m, const node *n, size_t at, long turns, const todo *rest)
{
    if (turns < n->least)
        return one_turn(m, n, at, turns, rest);
    if (n->is_lazy)
        return go_on(m, n->next, at, rest) || (turns < n->most && one_turn(m, n, at, turns, rest));
    return (turns < n->most && one_turn(m, n, at, turns, rest)) || go_on(m, n->next, at, rest);
}

static bool end_group(matcher *m, const node *n, size_t begin, size_t at, const todo *rest)
{
    tri_regex_match before = *m->match;
    if (n->number) {
        m->match->group[n->number].is_set = true;
        m->match->group[n->number].begin = begin;
        m->match->group[n->number].end = at;
    }
    if (go_on(m, n->next, at, rest))
        return true;
    *m->match = before;
    return false;
}

/* The sequence that began with a node that is done: what its owner, or the whole pattern, wants next. */
static bool leave(matcher *m, size_t at, const todo *rest)
{
    if (!rest) {
        m->match->group[0].end = at;
        return !m->is_whole || at == m->text.len;
    }
    if (rest->owner->kind == node_look)
        return !rest->owner->is_behind || at == (size_t)rest->turns;
    if (rest->owner->kind == node_group)
        return end_group(m, rest->owner, rest->begin, at, rest->rest);
    if (at == rest->begin && rest->turns > rest->owner->least) /* an empty turn adds nothing */
        return false;
    return repeat(m, rest->owner, at, rest->turns, rest->rest);
}

/* Does what the look wants begin at `begin`, and end where it is asked when that is behind it? */
static bool looks_from(matcher *m, const node *n, size_t begin, size_t at)
{
    todo end = {.owner = n, .turns = (long)at, .begin = begin};
    for (const alternative *a = n->alternatives; a; a = a->next)
        if (go_on(m, a->first, begin, &end))
            return true;
    return false;
}

static bool look_around(matcher *m, const node *n, size_t at, const todo *rest)
{
    tri_regex_match before = *m->match;
    bool is_there = !n->is_behind && looks_from(m, n, at, at);
    for (size_t i = at + 1; n->is_behind && !is_there && i-- > 0;)
        is_there = looks_from(m, n, i, at);
    if (n->is_negated)
        *m->match = before;
    if (is_there != n->is_negated && m->steps <= max_steps && go_on(m, n->next, at, rest))
        return true;
    *m->match = before;
    return false;
}

static bool repeat_group(matcher *m, const node *n, size_t at, const todo *rest)
{
    size_t begin = m->match->group[n->number].begin, len = m->match->group[n->number].end - begin;
    if (!m->match->group[n->number].is_set || at + len > m->text.len)
        return false;
    for (size_t i = 0; i < len; i++) {
        unsigned char a = (unsigned char)m->text.data[begin + i], b = (unsigned char)m->text.data[at + i];
        if (n->is_folded ? tolower(a) != tolower(b) : a != b)
            return false;
    }
    return go_on(m, n->next, at + len, rest);
}

static bool enter(matcher *m, const node *n, size_t at, const todo *rest)
{
    switch (n->kind) {
    case node_set: {
        unsigned char c = at < m->text.len ? (unsigned char)m->text.data[at] : 0;
        return at < m->text.len && (n->set[c >> 6] >> (c & 63) & 1) && go_on(m, n->next, at + 1, rest);
    }
    case node_start:
        return (at == 0 || (n->is_of_line && m->text.data[at - 1] == '\n')) && go_on(m, n->next, at, rest);
    case node_end:
        return (at == m->text.len || (m->text.data[at] == '\n' && (n->is_of_line || at + 1 == m->text.len))) &&
               go_on(m, n->next, at, rest);
    case node_border:
        return ((at > 0 && is_word(m, at - 1)) != is_word(m, at)) != n->is_negated && go_on(m, n->next, at, rest);
    case node_repeat: return repeat(m, n, at, 0, rest);
    case node_look: return look_around(m, n, at, rest);
    case node_back: return repeat_group(m, n, at, rest);
    case node_group: {
        todo end = {.rest = rest, .owner = n, .begin = at};
        for (const alternative *a = n->alternatives; a; a = a->next)
            if (go_on(m, a->first, at, &end))
                return true;
        return false;
    }
    }
    return false;
}

static bool go_on(matcher *m, const node *n, size_t at, const todo *rest)
{
    if (++m->steps > max_steps || m->depth == max_stack) {
        m->steps = max_steps + 1;
        return false;
    }
    m->depth++;
    bool ok = n ? enter(m, n, at, rest) : leave(m, at, rest);
    m->depth--;
    return ok;
}

tri_regex_result tri_regex_match_at(const tri_regex *regex, tri_str text, size_t at, bool is_whole,
                                    tri_regex_match *out)
{
    *out = (tri_regex_match){.count = regex->groups};
    matcher m = {.text = text, .is_whole = is_whole, .match = out};
    for (const alternative *a = regex->top; a; a = a->next)
        if (go_on(&m, a->first, at, NULL)) {
            out->group[0].is_set = true;
            out->group[0].begin = at;
            out->steps = m.steps;
            return TRI_REGEX_YES;
        }
    out->steps = m.steps;
    return m.steps > max_steps ? TRI_REGEX_TOO_LONG : TRI_REGEX_NO;
}
