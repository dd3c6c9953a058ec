/* Reads the text of inline PTX: statements, declarations of registers, blocks, labels. */
#include "runtime/float.h"
#include "runtime/sim/nvptx/ptx/check.h"

#include <stdlib.h>

enum { max_depth = 32, max_code = 4096 };

typedef struct {
    tri_str name;
    int reg, depth;
} variable;

typedef struct {
    tri_str name;
    int depth;
    size_t target;
    bool is_open; /* its block has not ended */
} label;

/* A jump whose label may come later. */
typedef struct {
    tri_str name;
    int depth, line;
    size_t instruction;
} jump;

typedef struct {
    tri_arena *arena;
    tri_str text;
    size_t at;
    int line, arch, depth, nesting;
    tri_ptx_program *program;
    TRI_VEC(int) parameters; /* register of $n */
    TRI_VEC(variable) variables;
    TRI_VEC(label) labels;
    TRI_VEC(jump) jumps;
    tri_ptx_error *out_error;
} reader;

static bool fail(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(reader *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    *r->out_error = (tri_ptx_error){r->line, tri_str_vformat(r->arena, format, args)};
    va_end(args);
    return false;
}

/* ---- characters and words ---- */

static char peek(const reader *r) { return r->at < r->text.len ? r->text.data[r->at] : 0; }
static char peek_next(const reader *r) { return r->at + 1 < r->text.len ? r->text.data[r->at + 1] : 0; }

static void skip_space(reader *r)
{
    while (r->at < r->text.len) {
        if (peek(r) == '/' && peek_next(r) == '/') {
            while (r->at < r->text.len && peek(r) != '\n')
                r->at++;
        } else if (peek(r) == '/' && peek_next(r) == '*') {
            for (r->at += 2; r->at < r->text.len && !(peek(r) == '*' && peek_next(r) == '/'); r->at++)
                r->line += peek(r) == '\n';
            r->at = r->at + 2 < r->text.len ? r->at + 2 : r->text.len;
        } else if (peek(r) && strchr(" \t\r\n\v\f", peek(r))) {
            r->line += peek(r) == '\n';
            r->at++;
        } else {
            return;
        }
    }
}

static bool eat(reader *r, char c)
{
    skip_space(r);
    if (peek(r) != c || r->at >= r->text.len)
        return false;
    r->at++;
    return true;
}

static bool expect(reader *r, char c)
{
    if (eat(r, c))
        return true;
    if (r->at >= r->text.len)
        return fail(r, "'%c' is missing at the end", c);
    return fail(r, "'%c' expected in front of '%.12s'", c,
                tri_str_copy(r->arena, tri_str_sub(r->text, r->at, r->text.len)).data);
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* A name: %, $ (as $$) or a letter in front. Empty when there is none. */
static tri_str read_name(reader *r)
{
    skip_space(r);
    size_t begin = r->at;
    if (peek(r) == '$' && peek_next(r) == '$')
        begin = ++r->at, r->at++;
    else if (peek(r) == '%')
        r->at++;
    else if (!is_letter(peek(r)))
        return (tri_str){0};
    while (is_letter(peek(r)) || is_digit(peek(r)))
        r->at++;
    return tri_str_sub(r->text, begin, r->at);
}

/* "add.rn.f32", "ld.global.L1::evict_last.v4.b32". */
static tri_str read_dotted(reader *r)
{
    skip_space(r);
    size_t begin = r->at;
    while (is_letter(peek(r)) || is_digit(peek(r)) || peek(r) == '.' || (peek(r) == ':' && peek_next(r) == ':')) {
        r->at += peek(r) == ':';
        r->at++;
    }
    return tri_str_sub(r->text, begin, r->at);
}

/* ---- registers ---- */

static int add_register(reader *r, tri_str name, ptx_class kind, int bits)
{
    ptx_register one = {tri_str_copy(r->arena, name).data, kind, bits};
    tri_vec_push(r->arena, &r->program->registers, one);
    return (int)r->program->registers.len - 1;
}

static int find_variable(const reader *r, tri_str name)
{
    for (size_t k = r->variables.len; k-- > 0;)
        if (tri_str_equal(r->variables.at[k].name, name))
            return (int)k;
    return -1;
}

static bool declare(reader *r, tri_str name, ptx_type type)
{
    int known = find_variable(r, name);
    if (known >= 0 && r->variables.at[known].depth == r->depth)
        return fail(r, "'%.*s' is declared twice", TRI_STR_ARG(name));
    if (r->program->registers.len >= PTX_MAX_REGISTERS)
        return fail(r, "more than %d registers", PTX_MAX_REGISTERS);
    const ptx_type_info *t = &tri_ptx_types[type];
    variable one = {name, add_register(r, name, t->kind, t->bits), r->depth};
    tri_vec_push(r->arena, &r->variables, one);
    return true;
}

/* .reg .b32 a, b<4>; */
static bool read_registers(reader *r)
{
    skip_space(r);
    if (!eat(r, '.'))
        return fail(r, "a type is expected behind .reg");
    tri_str word = read_name(r);
    ptx_type type = 0;
    while (type < PTX_NO_TYPE && !tri_str_is(word, tri_ptx_types[type].name))
        type++;
    if (type == PTX_NO_TYPE)
        return fail(r, "registers of type '.%.*s' are not simulated", TRI_STR_ARG(word));
    do {
        tri_str name = read_name(r);
        if (!name.len)
            return fail(r, "the name of a register is expected");
        if (!eat(r, '<')) {
            if (!declare(r, name, type))
                return false;
            continue;
        }
        int64_t count;
        if (!tri_str_to_i64(read_dotted(r), &count) || count < 0 || count > PTX_MAX_REGISTERS)
            return fail(r, "'%.*s<' wants a number of registers", TRI_STR_ARG(name));
        for (int64_t k = 0; k < count; k++)
            if (!declare(r, tri_str_format(r->arena, "%.*s%d", TRI_STR_ARG(name), (int)k), type))
                return false;
        if (!expect(r, '>'))
            return false;
    } while (eat(r, ','));
    return expect(r, ';');
}

/* ---- operands ---- */

/* 0f and 0d with the bits of a number, 0x, 0b, 0 (octal), decimals, and floats with a point or an exponent. */
static bool read_digits(reader *r, ptx_operand *out)
{
    skip_space(r);
    char digits[64], *end, kind = peek_next(r);
    size_t len = 0;
    while (len < sizeof digits - 1 &&
           (is_letter(peek(r)) || is_digit(peek(r)) || peek(r) == '.' ||
            ((peek(r) == '-' || peek(r) == '+') && len && (digits[len - 1] | 32) == 'e' && (kind | 32) != 'x')))
        digits[len++] = r->text.data[r->at++];
    digits[len] = 0;
    out->kind = OPERAND_IMMEDIATE;
    bool is_bits = digits[0] == '0' && len > 2;
    if (is_bits && ((kind | 32) == 'f' || (kind | 32) == 'd')) {
        out->is_float = true;
        uint64_t bits = strtoull(digits + 2, &end, 16);
        if (len != ((kind | 32) == 'f' ? 10u : 18u))
            return fail(r, "'%s' has not %d digits", digits, (kind | 32) == 'f' ? 8 : 16);
        out->real = (kind | 32) == 'f' ? (double)tri_float_f32_from_bits(bits) : tri_float_f64_from_bits(bits);
    } else if (is_bits && (kind | 32) == 'b') {
        out->value = strtoull(digits + 2, &end, 2);
    } else if ((kind | 32) != 'x' && strpbrk(digits, ".eE")) {
        out->is_float = true;
        out->real = strtod(digits, &end);
    } else {
        out->value = strtoull(digits, &end, 0);
    }
    if (end != digits + len && (*end | 32) == 'u' && !out->is_float)
        end++;
    if (!len || !is_digit(digits[0]) || end != digits + len)
        return fail(r, "'%s' is no number", digits);
    return true;
}

static bool read_number(reader *r, ptx_operand *out)
{
    bool is_negative = false, is_inverted = false;
    while (eat(r, '-'))
        is_negative = !is_negative;
    if (eat(r, '~'))
        is_inverted = true;
    if (eat(r, '(')) {
        if (++r->nesting > max_depth)
            return fail(r, "parentheses lie too deep");
        if (!read_number(r, out) || !expect(r, ')'))
            return false;
        r->nesting--;
    } else if (!read_digits(r, out)) {
        return false;
    }
    if (is_inverted && out->is_float)
        return fail(r, "'~' stands in front of a whole number");
    if (is_inverted)
        out->value = ~out->value;
    if (is_negative)
        out->value = 0 - out->value, out->real = -out->real;
    return true;
}

static bool read_parameter(reader *r, ptx_operand *out)
{
    bool has_brace = peek_next(r) == '{';
    r->at += has_brace ? 2 : 1;
    size_t begin = r->at;
    while (is_digit(peek(r)))
        r->at++;
    int64_t number;
    if (r->at - begin > 4 || !tri_str_to_i64(tri_str_sub(r->text, begin, r->at), &number) ||
        number >= (int64_t)r->parameters.len)
        return fail(r, "'$%.*s' is no operand of the %d that the constraints name", (int)(r->at - begin),
                    r->text.data + begin, (int)r->parameters.len);
    if (has_brace && !expect(r, '}'))
        return false;
    out->kind = OPERAND_REGISTER;
    out->reg = r->parameters.at[number];
    return true;
}

static bool read_special(reader *r, tri_str name, ptx_operand *out)
{
    static const char *const names[] = {
#define X(id, name, bits) name,
        TRI_PTX_SPECIALS(X)
#undef X
    };
    if (peek(r) == '.') {
        size_t begin = (size_t)(name.data - r->text.data);
        r->at++;
        read_name(r);
        name = tri_str_sub(r->text, begin, r->at);
    }
    for (int k = 0; k < TRI_PTX_SPECIAL_COUNT; k++)
        if (tri_str_is(name, names[k])) {
            out->kind = OPERAND_SPECIAL;
            out->value = (uint64_t)k;
            return true;
        }
    return fail(r, name.data[0] == '%' ? "'%.*s' is no register that is declared, and no special one that is simulated"
                                       : "'%.*s' is no register that is declared", TRI_STR_ARG(name));
}

static bool read_register(reader *r, ptx_operand *out)
{
    skip_space(r);
    if (peek(r) == '$' && (is_digit(peek_next(r)) || peek_next(r) == '{'))
        return read_parameter(r, out);
    tri_str name = read_name(r);
    if (!name.len)
        return fail(r, "a register is expected");
    if (tri_str_is(name, "_")) {
        out->kind = OPERAND_SINK;
        return true;
    }
    int known = find_variable(r, name);
    if (known < 0)
        return read_special(r, name, out);
    out->kind = OPERAND_REGISTER;
    out->reg = r->variables.at[known].reg;
    return true;
}

static bool starts_number(const reader *r)
{
    return is_digit(peek(r)) || peek(r) == '-' || peek(r) == '~' || peek(r) == '(';
}

static bool read_operand(reader *r, ptx_operand *out);

static bool read_vector(reader *r, ptx_operand *out)
{
    out->kind = OPERAND_VECTOR;
    out->parts = TRI_NEW_ARRAY(r->arena, ptx_operand, PTX_MAX_VECTOR);
    do {
        if (out->count == PTX_MAX_VECTOR)
            return fail(r, "a list has at most %d registers", PTX_MAX_VECTOR);
        ptx_operand *part = &out->parts[out->count++];
        *part = (ptx_operand){.reg = -1, .second = -1};
        skip_space(r);
        if (!(starts_number(r) ? read_number(r, part) : read_register(r, part)))
            return false;
    } while (eat(r, ','));
    return expect(r, '}');
}

/* [register + number] */
static bool read_address(reader *r, ptx_operand *out)
{
    skip_space(r);
    ptx_operand number = {0};
    if (starts_number(r)) {
        if (!read_number(r, &number))
            return false;
        *out = (ptx_operand){.kind = OPERAND_ADDRESS, .reg = -1, .second = -1, .value = number.value};
    } else {
        if (!read_register(r, out))
            return false;
        if (out->kind != OPERAND_REGISTER)
            return fail(r, "an address is a register");
        out->kind = OPERAND_ADDRESS;
        skip_space(r);
        if (eat(r, '+') || peek(r) == '-') {
            if (!read_number(r, &number))
                return false;
            out->value = number.value;
        }
    }
    return number.is_float ? fail(r, "an address is a whole number") : expect(r, ']');
}

static bool read_operand(reader *r, ptx_operand *out)
{
    *out = (ptx_operand){.reg = -1, .second = -1};
    if (eat(r, '{'))
        return read_vector(r, out);
    if (eat(r, '['))
        return read_address(r, out);
    if (eat(r, '!')) {
        out->is_negated = true;
        return read_register(r, out) &&
               (out->kind == OPERAND_REGISTER || fail(r, "'!' stands in front of a predicate"));
    }
    if (starts_number(r))
        return read_number(r, out);
    if (!read_register(r, out))
        return false;
    if (!eat(r, '|'))
        return true;
    ptx_operand second = {.reg = -1};
    if (!read_register(r, &second))
        return false;
    if (out->kind != OPERAND_REGISTER && out->kind != OPERAND_SINK)
        return fail(r, "'|' stands between registers");
    if (second.kind != OPERAND_REGISTER && second.kind != OPERAND_SINK)
        return fail(r, "'|' stands between registers");
    out->second = second.kind == OPERAND_REGISTER ? second.reg : -1;
    return true;
}

/* ---- statements ---- */

static bool read_guard(reader *r, ptx_instruction *i)
{
    i->guard = -1;
    if (!eat(r, '@'))
        return true;
    i->is_guard_negated = eat(r, '!');
    ptx_operand predicate = {.reg = -1};
    if (!read_register(r, &predicate))
        return false;
    if (predicate.kind != OPERAND_REGISTER || r->program->registers.at[predicate.reg].kind != PTX_PREDICATE)
        return fail(r, "'@' wants a predicate");
    i->guard = predicate.reg;
    return true;
}

static bool read_target(reader *r, ptx_instruction *i)
{
    jump one = {read_name(r), r->depth, r->line, r->program->code.len};
    if (!one.name.len)
        return fail(r, "the name of a label is expected");
    tri_vec_push(r->arena, &r->jumps, one);
    i->operands[0] = (ptx_operand){.kind = OPERAND_TARGET, .reg = -1, .second = -1};
    i->num_operands = 1;
    return true;
}

static bool read_operands(reader *r, ptx_instruction *i)
{
    skip_space(r);
    if (peek(r) == ';' || r->at >= r->text.len)
        return true;
    do {
        if (i->num_operands == PTX_MAX_OPERANDS)
            return fail(r, "more than %d operands", PTX_MAX_OPERANDS);
        if (!read_operand(r, &i->operands[i->num_operands++]))
            return false;
    } while (eat(r, ','));
    return true;
}

static bool read_instruction(reader *r, tri_str name, ptx_instruction *i)
{
    if (r->program->code.len == max_code)
        return fail(r, "more than %d instructions", max_code);
    i->line = r->line;
    bool is_jump = tri_str_is(name, "bra") || tri_str_is(name, "bra.uni");
    tri_str error = {0};
    if (!tri_ptx_is_known(name))
        return fail(r, "the instruction '%.*s' is not simulated", TRI_STR_ARG(name));
    if (!(is_jump ? read_target(r, i) : read_operands(r, i)))
        return false;
    if (!tri_ptx_find(r->arena, name, r->arch, i, &error))
        return fail(r, "%.*s", TRI_STR_ARG(error));
    ptx_check check = {r->arena, r->program, name, i, &error};
    if (!tri_ptx_check(&check))
        return fail(r, "%.*s", TRI_STR_ARG(error));
    if (!expect(r, ';'))
        return false;
    tri_vec_push(r->arena, &r->program->code, *i);
    return true;
}

static bool open_block(reader *r) { return ++r->depth < max_depth || fail(r, "blocks lie too deep"); }

/* Jumps of the block find its labels; those that do not go on looking in the block around it. */
static bool close_block(reader *r)
{
    size_t kept = 0;
    for (size_t k = 0; k < r->jumps.len; k++) {
        jump *j = &r->jumps.at[k];
        bool is_found = false;
        for (size_t l = 0; l < r->labels.len && j->depth == r->depth; l++)
            if (r->labels.at[l].is_open && r->labels.at[l].depth == r->depth &&
                tri_str_equal(r->labels.at[l].name, j->name)) {
                r->program->code.at[j->instruction].operands[0].value = r->labels.at[l].target;
                is_found = true;
            }
        if (is_found)
            continue;
        if (j->depth == r->depth)
            j->depth--;
        r->jumps.at[kept++] = *j;
    }
    r->jumps.len = kept;
    for (size_t l = 0; l < r->labels.len; l++)
        if (r->labels.at[l].depth == r->depth)
            r->labels.at[l].is_open = false;
    while (r->variables.len && tri_vec_last(&r->variables).depth == r->depth)
        r->variables.len--;
    r->depth--;
    return true;
}

static bool add_label(reader *r, tri_str name)
{
    for (size_t l = 0; l < r->labels.len; l++)
        if (r->labels.at[l].is_open && r->labels.at[l].depth == r->depth && tri_str_equal(r->labels.at[l].name, name))
            return fail(r, "label '%.*s' stands twice", TRI_STR_ARG(name));
    label one = {name, r->depth, r->program->code.len, true};
    tri_vec_push(r->arena, &r->labels, one);
    return true;
}

static bool read_directive(reader *r)
{
    tri_str word = read_name(r);
    if (tri_str_is(word, "reg"))
        return read_registers(r);
    if (!tri_str_is(word, "pragma"))
        return fail(r, "the directive '.%.*s' is not simulated", TRI_STR_ARG(word));
    while (r->at < r->text.len && peek(r) != ';')
        r->at++;
    return expect(r, ';');
}

static bool read_statement(reader *r)
{
    if (eat(r, ';'))
        return true;
    if (eat(r, '{'))
        return open_block(r);
    if (eat(r, '}'))
        return r->depth ? close_block(r) : fail(r, "'}' without '{'");
    if (eat(r, '.'))
        return read_directive(r);
    ptx_instruction i = {0};
    if (!read_guard(r, &i))
        return false;
    size_t begin = r->at;
    int line = r->line;
    if (i.guard < 0) {
        tri_str name = read_name(r);
        if (name.len && eat(r, ':'))
            return add_label(r, name);
        r->at = begin;
        r->line = line;
    }
    tri_str name = read_dotted(r);
    if (!name.len || !is_letter(name.data[0]))
        return fail(r, "an instruction is expected");
    return read_instruction(r, name, &i);
}

/* ---- constraints ---- */

static bool add_parameter(reader *r, tri_str one, int index)
{
    bool is_output = tri_str_has_prefix(one, "=");
    size_t at = is_output ? 1 : 0;
    if (at < one.len && one.data[at] == '&')
        at++;
    int64_t tied;
    tri_str letter = tri_str_sub(one, at, one.len);
    int reg;
    if (!is_output && tri_str_to_i64(letter, &tied)) {
        if (tied < 0 || tied >= r->program->num_outputs)
            return fail(r, "constraint '%.*s' names no output", TRI_STR_ARG(one));
        reg = r->parameters.at[tied];
    } else {
        static const struct {
            char letter;
            int bits;
        } kinds[] = {{'b', 1}, {'c', 8}, {'h', 16}, {'r', 32}, {'f', 32}, {'l', 64}, {'d', 64}};
        int bits = 0;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (letter.len == 1 && letter.data[0] == kinds[k].letter)
                bits = kinds[k].bits;
        if (!bits)
            return fail(r, "constraint '%.*s' is not simulated", TRI_STR_ARG(one));
        if (is_output && r->program->num_inputs)
            return fail(r, "constraint '%.*s' of an output stands behind an input", TRI_STR_ARG(one));
        if (r->program->registers.len >= PTX_MAX_REGISTERS)
            return fail(r, "more than %d registers", PTX_MAX_REGISTERS);
        reg = add_register(r, tri_str_format(r->arena, "$%d", index), bits == 1 ? PTX_PREDICATE : PTX_BITS, bits);
    }
    tri_vec_push(r->arena, &r->parameters, reg);
    if (is_output)
        r->program->num_outputs++;
    else
        r->program->inputs[r->program->num_inputs++] = reg;
    return true;
}

static bool read_constraints(reader *r, tri_str constraints)
{
    r->program->inputs = TRI_NEW_ARRAY(r->arena, int, constraints.len + 1);
    for (int index = 0; tri_str_trim(constraints).len; index++) {
        size_t end = tri_str_find(constraints, ',');
        tri_str one = tri_str_trim(tri_str_sub(constraints, 0, end));
        constraints = tri_str_sub(constraints, end < constraints.len ? end + 1 : end, constraints.len);
        if (!tri_str_has_prefix(one, "~{") && !add_parameter(r, one, index))
            return false;
    }
    return true;
}

const tri_ptx_program *tri_ptx_parse(tri_arena *arena, tri_str text, tri_str constraints, int arch,
                                     tri_ptx_error *out_error)
{
    reader r = {.arena = arena, .text = text, .line = 1, .arch = arch, .out_error = out_error};
    r.program = TRI_NEW(arena, tri_ptx_program);
    if (!read_constraints(&r, constraints))
        return NULL;
    for (skip_space(&r); r.at < text.len; skip_space(&r))
        if (!read_statement(&r))
            return NULL;
    if (r.depth) {
        fail(&r, "'}' is missing at the end");
        return NULL;
    }
    close_block(&r);
    if (r.jumps.len) {
        r.line = r.jumps.at[0].line;
        fail(&r, "there is no label '%.*s'", TRI_STR_ARG(r.jumps.at[0].name));
        return NULL;
    }
    return r.program;
}

int tri_ptx_num_outputs(const tri_ptx_program *program) { return program->num_outputs; }
int tri_ptx_num_inputs(const tri_ptx_program *program) { return program->num_inputs; }
