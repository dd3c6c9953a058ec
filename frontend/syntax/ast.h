/* The syntax tree of a Python 3.12 file: what the parser makes, what the evaluators read.
 * Every statement and expression of the language has a kind, host code too. Nodes live in the
 * parser's arena, are never changed after parsing (but bodies that are read later), and are handled by pointer only: a
 * node has just the bytes that its kind needs, so `*a = *b` is not allowed. */
#ifndef TRI_FRONTEND_AST_H
#define TRI_FRONTEND_AST_H

#include "base/diag.h"
#include "base/vec.h"

/* X(KIND, "text in -emit=ast", union member). The member named here is the one that is valid. */
#define TRI_AST_KINDS(X) \
    /* expressions */ \
    X(NAME, "name", nothing)             /* tri_ast_text is what it is called */ \
    X(NONE, "none", nothing) \
    X(TRUE, "true", nothing) \
    X(FALSE, "false", nothing) \
    X(ELLIPSIS, "ellipsis", nothing) \
    X(INT, "int", integer) \
    X(FLOAT, "float", real) \
    X(IMAGINARY, "imaginary", real) \
    X(STRING, "string", string)          /* also the literal pieces of an f-string */ \
    X(BYTES, "bytes", string) \
    X(FSTRING, "fstring", list)          /* items: STRING and FORMATTED */ \
    X(FORMATTED, "formatted", formatted) /* {value!conversion:spec} */ \
    X(TUPLE, "tuple", list) \
    X(LIST, "list", list) \
    X(SET, "set", list) \
    X(DICT, "dict", list)                /* items: KEY_VALUE; a ** entry has a null key */ \
    X(LIST_COMP, "list-comp", comp) \
    X(SET_COMP, "set-comp", comp) \
    X(GENERATOR, "generator", comp) \
    X(DICT_COMP, "dict-comp", comp)      /* element is a KEY_VALUE */ \
    X(UNARY, "unary", unary) \
    X(BINARY, "binary", binary) \
    X(BOOL, "bool", boolean)             /* and, or */ \
    X(COMPARE, "compare", compare) \
    X(CONDITIONAL, "conditional", conditional) \
    X(LAMBDA, "lambda", lambda) \
    X(CALL, "call", call) \
    X(ATTRIBUTE, "attribute", attribute) \
    X(SUBSCRIPT, "subscript", subscript) \
    X(SLICE, "slice", slice)             /* only inside a SUBSCRIPT's index */ \
    X(STARRED, "starred", value)         /* *value */ \
    X(WALRUS, "walrus", assign_to)       /* target := value */ \
    X(AWAIT, "await", value) \
    X(YIELD, "yield", value)             /* value may be null */ \
    X(YIELD_FROM, "yield-from", value) \
    /* parts of expressions and statements */ \
    X(KEY_VALUE, "key-value", key_value) \
    X(KEYWORD, "keyword", keyword)       /* name=value in a call or class; **value has an empty name */ \
    X(FOR_CLAUSE, "for-clause", for_clause) /* `for target in iter if ...` of a comprehension */ \
    X(PARAM, "param", param) \
    X(TYPE_PARAM, "type-param", type_param) \
    X(ALIAS, "alias", alias)             /* name as asname */ \
    X(WITH_ITEM, "with-item", with_item) \
    X(HANDLER, "handler", handler)       /* except type as name: body */ \
    X(CASE, "case", match_case) \
    /* statements */ \
    X(EXPR, "expr", value) \
    X(ASSIGN, "assign", assign) \
    X(AUG_ASSIGN, "aug-assign", aug_assign) \
    X(ANN_ASSIGN, "ann-assign", ann_assign) \
    X(TYPE_ALIAS, "type-alias", type_alias) /* type name[params] = value */ \
    X(PASS, "pass", nothing) \
    X(BREAK, "break", nothing) \
    X(CONTINUE, "continue", nothing) \
    X(RETURN, "return", value)           /* value may be null */ \
    X(RAISE, "raise", raise)             /* both may be null */ \
    X(GLOBAL, "global", list)            /* items: NAME */ \
    X(NONLOCAL, "nonlocal", list) \
    X(DEL, "del", list) \
    X(ASSERT, "assert", assert_) \
    X(IMPORT, "import", list)            /* items: ALIAS */ \
    X(IMPORT_FROM, "import-from", import_from) \
    X(IF, "if", conditional_stmt)        /* elif: orelse holds one IF with is_elif */ \
    X(WHILE, "while", while_) \
    X(FOR, "for", for_) \
    X(TRY, "try", try_) \
    X(WITH, "with", with) \
    X(MATCH, "match", match) \
    X(FUNCTION, "function", function) \
    X(CLASS, "class", class_) \
    X(ERROR, "error", nothing)           /* a reported syntax error stood here; never in a tree that is handed out */ \
    /* patterns of match */ \
    X(MATCH_VALUE, "match-value", value) /* also None, True, False */ \
    X(MATCH_SEQUENCE, "match-sequence", list) \
    X(MATCH_MAPPING, "match-mapping", match_mapping) \
    X(MATCH_CLASS, "match-class", match_class) \
    X(MATCH_STAR, "match-star", string)    /* *name; *_ has an empty name */ \
    X(MATCH_AS, "match-as", match_as)    /* pattern as name; name alone; _ (both absent) */ \
    X(MATCH_OR, "match-or", list)

typedef enum {
#define X(kind, text, member) TRI_AST_##kind,
    TRI_AST_KINDS(X)
#undef X
    TRI_AST_KIND_COUNT
} tri_ast_kind;

/* X(OP, "spelling") */
#define TRI_AST_OPS(X) \
    X(ADD, "+") X(SUB, "-") X(MUL, "*") X(DIV, "/") X(FLOOR_DIV, "//") X(MOD, "%") X(POW, "**") \
    X(MATMUL, "@") X(SHL, "<<") X(SHR, ">>") X(BIT_AND, "&") X(BIT_OR, "|") X(BIT_XOR, "^") \
    X(POS, "+x") X(NEG, "-x") X(INVERT, "~") X(NOT, "not") X(AND, "and") X(OR, "or") \
    X(EQ, "==") X(NE, "!=") X(LT, "<") X(LE, "<=") X(GT, ">") X(GE, ">=") \
    X(IS, "is") X(IS_NOT, "is not") X(IN, "in") X(NOT_IN, "not in")

typedef enum {
#define X(op, text) TRI_AST_##op##_OP,
    TRI_AST_OPS(X)
#undef X
    TRI_AST_OP_COUNT
} tri_ast_op;

typedef enum {
    TRI_AST_PARAM_NORMAL,
    TRI_AST_PARAM_POSITIONAL, /* before '/' */
    TRI_AST_PARAM_KEYWORD,    /* after '*' or '*args' */
    TRI_AST_PARAM_VARARGS,    /* *args */
    TRI_AST_PARAM_KWARGS,     /* **kwargs */
} tri_ast_param_kind;

typedef enum {
    TRI_AST_TYPE_VAR,       /* T, T: bound */
    TRI_AST_TYPE_VAR_TUPLE, /* *Ts */
    TRI_AST_TYPE_PARAM_SPEC, /* **P */
} tri_ast_type_param_kind;

typedef struct tri_ast_node tri_ast_node;

/* `at` is null when len is 0; entries are never null. */
typedef struct {
    tri_ast_node **at;
    uint32_t len;
} tri_ast_list;

struct tri_ast_node {
    tri_span
        span; /* exact: first to last token, without surrounding parentheses (a tuple's are its own) or the newline */
    tri_ast_kind kind;
    bool parenthesized; /* the expression stands in parentheses of its own */
    union {
        struct {
            uint64_t value;     /* valid unless it is big */
            const tri_str *big; /* what does not fit in 64 bits: digits with prefix, without underscores; else null */
        } integer;
        struct {
            tri_str text; /* as spelled, without underscores and without the final j */
            double value;
        } real;
        tri_str string; /* decoded: UTF-8 (a lone surrogate as its 3 bytes), or raw bytes; may hold NUL */
        struct {
            tri_ast_node *value;
            tri_ast_node *spec; /* FSTRING, or null */
            uint32_t conversion; /* 'r' 's' 'a', or 0. `{x=}` has "x=" in the piece before */
        } formatted;
        tri_ast_list list;
        struct {
            tri_ast_node *element;
            tri_ast_list clauses; /* FOR_CLAUSE */
        } comp;
        struct {
            tri_ast_op op; /* POS NEG INVERT NOT */
            tri_ast_node *operand;
        } unary;
        struct {
            tri_ast_op op; /* ADD to BIT_XOR */
            tri_ast_node *left, *right;
        } binary;
        struct {
            tri_ast_op op; /* AND, OR */
            tri_ast_list values; /* at least two */
        } boolean;
        struct {
            tri_ast_node *left;
            const tri_ast_op *ops; /* EQ to NOT_IN, one for each of `rights` */
            tri_ast_list rights;
        } compare;
        struct {
            tri_ast_node *test, *then, *orelse;
        } conditional;
        struct {
            tri_ast_list params; /* PARAM */
            tri_ast_node *body;
        } lambda;
        struct {
            tri_ast_node *func;
            tri_ast_list args;     /* positional, STARRED among them */
            tri_ast_list keywords; /* KEYWORD */
        } call;
        struct {
            tri_ast_node *value;
            tri_str name; /* its span is the end of the node's: tri_ast_name_span */
        } attribute;
        struct {
            tri_ast_node *value;
            tri_ast_node *index; /* TUPLE for x[a, b]; SLICE stands here or in that tuple */
        } subscript;
        struct {
            tri_ast_node *lower, *upper, *step; /* each may be null */
        } slice;
        tri_ast_node *value;
        struct {
            tri_ast_node *target, *value;
        } assign_to;
        struct {
            tri_ast_node *key, *value; /* key null: **value */
        } key_value;
        struct {
            tri_str name;
            tri_ast_node *value;
        } keyword;
        struct {
            tri_ast_node *target, *iter;
            tri_ast_list ifs;
            bool is_async;
        } for_clause;
        struct {
            tri_str name;
            tri_ast_node *annotation, *default_value; /* each may be null */
            tri_ast_param_kind kind;
            uint32_t name_begin; /* byte offset in the source */
        } param;
        struct {
            tri_str name;
            tri_ast_node *bound; /* may be null */
            tri_ast_type_param_kind kind;
        } type_param;
        struct {
            tri_str name;   /* dotted for `import a.b`; "*" for a star import */
            tri_str asname; /* empty when absent */
        } alias;
        struct {
            tri_ast_node *context, *target; /* target may be null */
        } with_item;
        struct {
            tri_ast_node *type; /* null: bare except */
            tri_str name;       /* empty when absent */
            tri_ast_list body;
        } handler;
        struct {
            tri_ast_node *pattern, *guard; /* guard may be null */
            tri_ast_list body;
        } match_case;
        struct {
            tri_ast_list targets; /* `a = b = v` has two */
            tri_ast_node *value;
        } assign;
        struct {
            tri_ast_op op;
            tri_ast_node *target, *value;
        } aug_assign;
        struct {
            tri_ast_node *target, *annotation, *value; /* value may be null */
        } ann_assign;
        struct {
            tri_ast_node *name; /* NAME */
            tri_ast_list type_params;
            tri_ast_node *value;
        } type_alias;
        struct {
            tri_ast_node *exception, *cause;
        } raise;
        struct {
            tri_ast_node *test, *message; /* message may be null */
        } assert_;
        struct {
            tri_str module; /* dotted; empty in `from . import x` */
            uint32_t level; /* leading dots */
            tri_ast_list names; /* ALIAS */
        } import_from;
        struct {
            tri_ast_node *test;
            tri_ast_list body, orelse;
            bool is_elif;
        } conditional_stmt;
        struct {
            tri_ast_node *test;
            tri_ast_list body, orelse;
        } while_;
        struct {
            tri_ast_node *target, *iter;
            tri_ast_list body, orelse;
            bool is_async;
        } for_;
        struct {
            tri_ast_list body, handlers, orelse, final;
            bool is_star; /* except* */
        } try_;
        struct {
            tri_ast_list items, body;
            bool is_async;
        } with;
        struct {
            tri_ast_node *subject;
            tri_ast_list cases;
        } match;
        struct {
            tri_str name;
            uint32_t name_begin;
            bool is_async;
            tri_ast_list decorators; /* expressions after '@' */
            tri_ast_list type_params;
            tri_ast_list params; /* PARAM, in source order */
            tri_ast_node *returns; /* may be null */
            tri_ast_list body;
            uint32_t deferred; /* where the lines of a body begin that is still to be read; 0: there is none */
        } function; /* the span starts at `def` (or `async`), after the decorators */
        struct {
            tri_str name;
            uint32_t name_begin;
            tri_ast_list decorators;
            tri_ast_list type_params;
            tri_ast_list bases, keywords;
            tri_ast_list body;
        } class_;
        struct {
            tri_ast_list keys, patterns;
            tri_str rest; /* **rest, empty when absent */
        } match_mapping;
        struct {
            tri_ast_node *cls;
            tri_ast_list patterns;
            tri_ast_list keywords; /* KEYWORD whose value is a pattern */
        } match_class;
        struct {
            tri_ast_node *pattern; /* may be null */
            tri_str name;          /* may be empty */
        } match_as;
        struct {
        } nothing;
    };
};

typedef struct tri_ast_module {
    const tri_source *source;
    tri_ast_list body;
    tri_str *globals; /* what `global` names in bodies that were deferred */
    size_t global_count;
} tri_ast_module;

/* A zeroed node of a kind, of the size that the kind needs. */
tri_ast_node *tri_ast_new(tri_arena *arena, tri_ast_kind kind, tri_span span);

const char *tri_ast_kind_text(tri_ast_kind kind); /* "aug-assign" */
const char *tri_ast_op_text(tri_ast_op op);       /* "+"; "-" for NEG */

/* Where the name of a NAME, ATTRIBUTE, KEYWORD, PARAM, FUNCTION, CLASS stands; else the node's span. */
tri_span tri_ast_name_span(const tri_ast_node *node);
/* The source text of a node. */
tri_str tri_ast_text(const tri_ast_node *node);

/* Calls `visit` for each direct child in source order (decorators first, absent ones left out). */
void tri_ast_each_child(const tri_ast_node *node, void (*visit)(const tri_ast_node *child, void *data), void *data);
/* What a call passes by this name or at this position (of several the name); null: nothing. */
const tri_ast_node *tri_ast_call_argument(const tri_ast_node *call, const char *name, uint32_t position);
/* Calls `visit` for `node` and everything below it, parents first; false leaves a subtree out. */
void tri_ast_walk(const tri_ast_node *node, bool (*visit)(const tri_ast_node *node, void *data), void *data);

/* -emit=ast and -x ast: one S-expression per node, `(kind line:column-line:column field...)`, that
 * ends with the source text itself, so that locations and carets survive. The text reads back to
 * the same tree. */
void tri_ast_print(const tri_ast_module *module, tri_buf *out);
/* Registers the embedded source with `diag`. Reports what is wrong and returns null. */
tri_ast_module *tri_ast_read(tri_arena *arena, tri_diag *diag, const tri_source *text);

/* frontend/syntax/parser.c: reports every independent syntax error; null when there was one. */
tri_ast_module *tri_parser_parse(tri_arena *arena, tri_diag *diag, const tri_source *source);
/* The same of a file whose functions are used one by one: their bodies are empty, and their errors not found, until
 * tri_parser_read_body, which does nothing for others. */
tri_ast_module *tri_parser_parse_import(tri_arena *arena, tri_diag *diag, const tri_source *source);
void tri_parser_read_body(tri_arena *arena, tri_diag *diag, tri_ast_node *function);

#endif
