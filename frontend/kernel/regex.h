/* Regular expressions as Python's `re` writes them, for host code: literals, '.', sets, \d \w \s and their opposites,
 * \b, anchors, groups (plain, named, without a number), references back, alternatives, greedy and lazy repetition, what
 * must stand ahead or behind. Backtracking, within a number of steps. Bytes, not characters. Of the flags, those below,
 * in front of the expression too. */
#ifndef TRI_FRONTEND_REGEX_H
#define TRI_FRONTEND_REGEX_H

#include "base/str.h"

enum { TRI_REGEX_MAX_GROUPS = 16 };

typedef struct tri_regex tri_regex;

typedef struct {
    long steps; /* that the search took */
    int count; /* groups, the whole match being number 0 */
    struct {
        bool is_set;
        size_t begin, end;
    } group[TRI_REGEX_MAX_GROUPS];
} tri_regex_match;

typedef enum { TRI_REGEX_NO, TRI_REGEX_YES, TRI_REGEX_TOO_LONG } tri_regex_result;

/* As in Python. */
enum {
    TRI_REGEX_IGNORECASE = 2,
    TRI_REGEX_MULTILINE = 8,
    TRI_REGEX_DOTALL = 16,
    TRI_REGEX_UNICODE = 32,
    TRI_REGEX_VERBOSE = 64,
    TRI_REGEX_ASCII = 256
};

/* Null when the pattern is wrong or uses what is not known here. */
const tri_regex *tri_regex_compile(tri_arena *arena, tri_str pattern, int flags);
/* A match that begins at `at`; with `is_whole` it also ends where the text ends. */
tri_regex_result tri_regex_match_at(const tri_regex *regex, tri_str text, size_t at, bool is_whole,
                                    tri_regex_match *out);
/* Name of a group; empty: it has none. */
tri_str tri_regex_name(const tri_regex *regex, int group);
/* Number of a named group; 0 when there is none. */
int tri_regex_group(const tri_regex *regex, tri_str name);

#endif
