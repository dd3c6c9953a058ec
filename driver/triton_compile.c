#include "driver/triton_compile.h"

#include "base/file.h"
#include "base/sha256.h"
#include "driver/job.h"
#include "driver/output.h"
#include "driver/tool.h"
#include "frontend/host/value.h"
#include "runtime/run/cuda.h"

#include <ctype.h>
#include <stdlib.h>

enum { code_usage = 1002 };

/* The tool's options, and --num-ctas, which later releases have. */
enum { kernel_name, target, num_warps, num_stages, num_ctas, out_name, out_path, signature, grid, option_count };

static const struct {
    const char *name, *letter, *metavar, *help;
    bool is_needed;
} rows[option_count] = {
    {"kernel-name", "n", "NAME", "kernel to compile", true},
    {"target", "t", "BACKEND:ARCH[:LANES]", "cuda:80:32, hip:gfx942:64 (default: this machine's NVIDIA GPU)", false},
    {"num-warps", "w", "N", "warps per program (default: 1)", false},
    {"num-stages", "ns", "N", "stages of software pipelining (default: 3)", false},
    {"num-ctas", "nc", "N", "blocks per cluster (default: 1)", false},
    {"out-name", "on", "NAME", "start of the function's name (default: the kernel's)", false},
    {"out-path", "o", "PATH", "files to write, without suffixes (default: --out-name)", false},
    {"signature", "s", "TYPES", "types, hints and constants of the parameters: '*fp32:16, i32, 1024'", true},
    {"grid", "g", "X,Y,Z", "the grid: three C expressions of the arguments", true},
};

typedef struct {
    tri_arena *arena;
    tri_diag *diag;
    tri_str values[option_count]; /* data is null: not given */
    tri_str path;
    tri_triton_compile *out;
} parser;

static bool refuse_word(const parser *p, const char *what, tri_str word)
{
    tri_diag_error(p->diag, TRI_NO_SPAN, code_usage, "triton-compile: %s '%.*s'; see triton-compile --help", what,
                   TRI_STR_ARG(word));
    return false;
}

bool tri_triton_compile_is(const char *program)
{
    return program && tri_str_is(tri_path_base(tri_str_from(program)), "triton-compile");
}

/* ---- words, as Python's argparse takes them ---- */

static tri_str help_text(tri_arena *arena)
{
    tri_buf text = {0};
    tri_buf_add_z(&text, "usage: triton-compile [options] FILE\n\n"
                         "Compiles a Triton kernel to C source that holds its machine code, with functions that load, "
                         "unload and launch it.\n"
                         "These are the command line and the files of Triton's triton/tools/compile.py, whose link.py "
                         "takes the headers.\n\n"
                         "  -h, --help\n      print this\n");
    for (int i = 0; i < option_count; i++)
        tri_buf_format(&text, "  -%s, --%s %s\n      %s%s\n", rows[i].letter, rows[i].name, rows[i].metavar,
                       rows[i].help, rows[i].is_needed ? " (must be given)" : "");
    tri_str copy = tri_str_copy(arena, tri_buf_str(&text));
    tri_buf_fini(&text);
    return copy;
}

/* The option of "--num-w" or "-ns": exactly, else the only one that starts so; -1: none. */
static int find_long(tri_str name)
{
    int found = -1, count = 0;
    for (int i = 0; i < option_count; i++) {
        if (tri_str_is(name, rows[i].name))
            return i;
        if (name.len && !strncmp(name.data, rows[i].name, name.len)) {
            found = i;
            count++;
        }
    }
    return count == 1 ? found : -1;
}

/* "-ns", "-ns=4", "-w4": what follows a letter is its value. */
static int find_short(tri_str word, tri_str *out_value)
{
    size_t equals = tri_str_find(word, '=');
    tri_str name = tri_str_sub(word, 0, equals);
    *out_value = equals < word.len ? tri_str_sub(word, equals + 1, word.len) : (tri_str){0};
    for (int i = 0; i < option_count; i++)
        if (tri_str_is(name, rows[i].letter))
            return i;
    *out_value = tri_str_sub(word, 1, word.len);
    for (int i = 0; i < option_count; i++)
        if (word.data[0] == rows[i].letter[0] && !rows[i].letter[1])
            return i;
    return -1;
}

static bool take_option(parser *p, int argc, char **argv, int *i)
{
    tri_str word = tri_str_from(argv[*i]), value = {0};
    bool is_long = tri_str_has_prefix(word, "--");
    size_t equals = is_long ? tri_str_find(word, '=') : word.len;
    int option = is_long ? find_long(tri_str_sub(word, 2, equals)) : find_short(tri_str_sub(word, 1, word.len), &value);
    if (is_long && equals < word.len)
        value = tri_str_sub(word, equals + 1, word.len);
    if (option < 0)
        return refuse_word(p, "unknown option", word);
    if (!value.data && ++*i == argc)
        return refuse_word(p, "no value for", word);
    p->values[option] = value.data ? value : tri_str_from(argv[*i]);
    return true;
}

static bool read_words(parser *p, int argc, char **argv)
{
    bool only_files = false;
    for (int i = 1; i < argc; i++) {
        tri_str word = tri_str_from(argv[i]);
        if (only_files || word.len < 2 || word.data[0] != '-') {
            if (p->path.len)
                return refuse_word(p, "a second file", word);
            p->path = word;
        } else if (tri_str_is(word, "--")) {
            only_files = true;
        } else if (tri_str_is(word, "-h") || tri_str_is(word, "--help")) {
            p->out->help = help_text(p->arena);
            return true;
        } else if (!take_option(p, argc, argv, &i)) {
            return false;
        }
    }
    for (int i = 0; i < option_count; i++)
        if (rows[i].is_needed && !p->values[i].data)
            return refuse_word(p, "missing option", tri_str_format(p->arena, "--%s", rows[i].name));
    return p->path.len || refuse_word(p, "missing", TRI_STR("FILE"));
}

/* ---- numbers of signatures, as Python's int() and float() take them ---- */

/* Digits with single underscores between them. */
static size_t count_digits(tri_str s, size_t at)
{
    size_t begin = at;
    while (at < s.len && (isdigit((unsigned char)s.data[at]) ||
                          (s.data[at] == '_' && at > begin && at + 1 < s.len &&
                           isdigit((unsigned char)s.data[at - 1]) && isdigit((unsigned char)s.data[at + 1]))))
        at++;
    return at - begin;
}

static tri_str without_underscores(tri_arena *arena, tri_str s)
{
    tri_buf text = {0};
    for (size_t i = 0; i < s.len; i++)
        if (s.data[i] != '_')
            tri_buf_add_char(&text, s.data[i]);
    tri_str copy = tri_str_copy(arena, tri_buf_str(&text));
    tri_buf_fini(&text);
    return copy;
}

/* "+0_12" -> "12" */
static bool read_int(tri_arena *arena, tri_str s, tri_str *out)
{
    size_t sign = s.len && strchr("+-", s.data[0]) != NULL;
    if (sign == s.len || count_digits(s, sign) != s.len - sign)
        return false;
    tri_str digits = without_underscores(arena, tri_str_sub(s, sign, s.len));
    while (digits.len > 1 && digits.data[0] == '0')
        digits = tri_str_sub(digits, 1, digits.len);
    bool is_negative = sign && s.data[0] == '-' && !tri_str_is(digits, "0");
    *out = tri_str_format(arena, "%s%.*s", is_negative ? "-" : "", TRI_STR_ARG(digits));
    return true;
}

static bool is_float(tri_str s)
{
    size_t at = s.len && strchr("+-", s.data[0]) != NULL, whole = count_digits(s, at), part = 0;
    at += whole;
    if (at < s.len && s.data[at] == '.') {
        part = count_digits(s, at + 1);
        at += 1 + part;
    }
    if (whole + part && at < s.len && strchr("eE", s.data[at])) {
        at++;
        at += at < s.len && strchr("+-", s.data[at]) != NULL;
        size_t digits = count_digits(s, at);
        at = digits ? at + digits : s.len + 1;
    }
    return whole + part && at == s.len;
}

static bool is_named_float(tri_str s)
{
    static const char *const names[] = {"inf", "infinity", "nan"};
    size_t sign = s.len && strchr("+-", s.data[0]) != NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (s.len - sign == strlen(names[i]) && !strncasecmp(s.data + sign, names[i], strlen(names[i])))
            return true;
    return false;
}

/* A constant of a signature; `out` is what Python prints, `out_literal` what -sig takes. */
static bool read_constant(tri_arena *arena, tri_str s, tri_str *out, tri_str *out_literal)
{
    s = tri_str_trim(s);
    bool is_named = is_named_float(s);
    if (read_int(arena, s, out)) {
        *out_literal = *out;
        return true;
    }
    if (!is_named && !is_float(s))
        return false;
    double value = strtod(without_underscores(arena, s).data, NULL);
    *out = tri_value_repr_str(arena, tri_value_float(arena, value));
    *out_literal = is_named ? tri_str_format(arena, "float('%.*s')", TRI_STR_ARG(*out)) : *out;
    return true;
}

/* ---- what the command line makes ---- */

/* What a signature comes to, piece by piece. */
typedef struct {
    tri_buf sig;       /* for -sig */
    tri_buf hashed;    /* the items with blanks between them */
    tri_buf suffix;    /* "0d1d2" */
    tri_buf constants; /* "1024x1" */
    tri_buf ones;      /* those of hints, which come last */
} pieces;

static bool read_item(parser *p, tri_str item, size_t i, pieces *out)
{
    size_t colon = tri_str_find(item, ':');
    tri_str text, literal, hint = TRI_STR(""), rest = tri_str_sub(item, colon + (colon < item.len), item.len);
    if (colon == item.len && read_constant(p->arena, item, &text, &literal)) {
        tri_buf_format(&out->constants, "%s%.*s", out->constants.len ? "x" : "", TRI_STR_ARG(text));
    } else {
        read_constant(p->arena, tri_str_sub(rest, 0, tri_str_find(rest, ':')), &hint, &literal);
        literal = tri_str_sub(item, 0, colon);
    }
    bool is_one = tri_str_is(hint, "1"), is_16 = tri_str_is(hint, "16");
    if (hint.len && !is_one && !is_16)
        return refuse_word(p, "only 1 and 16 are valid hints, not that of", item);
    if (is_one)
        tri_buf_format(&out->ones, "%s1", out->ones.len ? "x" : "");
    tri_buf_format(&out->sig, "%s%.*s%s", i ? ", " : "", is_one ? 1 : (int)literal.len, is_one ? "1" : literal.data,
                   is_16 ? ":16" : "");
    tri_buf_format(&out->suffix, "%zu%s", i, is_one ? "c" : is_16 ? "d" : "");
    tri_buf_format(&out->hashed, "%.*s ", TRI_STR_ARG(item));
    tri_vec_push(p->arena, &p->out->stub.is_one, is_one);
    return true;
}

static tri_str trim_blanks(tri_str s)
{
    while (s.len && s.data[0] == ' ')
        s = tri_str_sub(s, 1, s.len);
    while (s.len && s.data[s.len - 1] == ' ')
        s.len--;
    return s;
}

static bool read_signature(parser *p, pieces *out)
{
    tri_str rest = p->values[signature];
    for (size_t i = 0;; i++) {
        size_t end = tri_str_find(rest, ',');
        if (!read_item(p, trim_blanks(tri_str_sub(rest, 0, end)), i, out))
            return false;
        if (end == rest.len)
            return true;
        rest = tri_str_sub(rest, end + 1, rest.len);
    }
}

/* pathlib's with_suffix() without the suffix. */
static tri_str without_suffix(tri_arena *arena, tri_str path)
{
    tri_str base = tri_path_base(path), folder = tri_path_folder(path);
    size_t dot = tri_str_find_last(base, '.');
    tri_str stem = dot > 0 && dot + 1 < base.len ? tri_str_sub(base, 0, dot) : base;
    return base.len == path.len ? stem : tri_path_join(arena, folder, stem);
}

static void name_things(parser *p, const pieces *made, tri_str meta)
{
    char digest[TRI_SHA256_TEXT + 1];
    tri_sha256 hash;
    tri_arena *arena = p->arena;
    tri_stub *stub = &p->out->stub;
    tri_sha256_init(&hash);
    tri_sha256_add(&hash, made->hashed.data, made->hashed.len);
    tri_sha256_add(&hash, meta.data, meta.len);
    tri_sha256_finish(&hash, digest);
    tri_str suffix = tri_buf_str(&made->suffix), constants = tri_buf_str(&made->constants),
            ones = tri_buf_str(&made->ones);
    tri_str name = p->values[out_name].len ? p->values[out_name] : p->values[kernel_name];
    stub->kernel = p->values[kernel_name];
    stub->function = tri_str_format(arena, "%.*s_%.8s_%.*s", TRI_STR_ARG(name), digest, TRI_STR_ARG(suffix));
    stub->algo = tri_str_format(arena, "%.*s%s%.*s_%.*s", TRI_STR_ARG(constants),
                                constants.len && ones.len ? "x" : "", TRI_STR_ARG(ones), TRI_STR_ARG(meta));
    stub->values = tri_str_format(arena, "%.*s(%.*s), %.*s", TRI_STR_ARG(stub->kernel),
                                  TRI_STR_ARG(tri_buf_str(&made->sig)), TRI_STR_ARG(meta));
    tri_str path = p->values[out_path].len ? p->values[out_path] : name;
    p->out->stem = tri_str_format(arena, "%.*s.%.8s_%.*s", TRI_STR_ARG(without_suffix(arena, path)), digest,
                                  TRI_STR_ARG(suffix));
}

static bool read_grid(parser *p)
{
    tri_str rest = p->values[grid];
    for (int i = 0; i < 3; i++) {
        size_t end = tri_str_find(rest, ',');
        p->out->stub.grid[i] = trim_blanks(tri_str_sub(rest, 0, end));
        if (!p->out->stub.grid[i].len || (i < 2) != (end < rest.len))
            return refuse_word(p, "a grid is X,Y,Z; not", p->values[grid]);
        rest = tri_str_sub(rest, end + (end < rest.len), rest.len);
    }
    return true;
}

/* "80" -> "sm_80", "90" -> "sm_90a": what Triton makes of a capability. */
static tri_str cuda_arch(tri_arena *arena, tri_str text)
{
    tri_str exact = tri_str_format(arena, "sm_%.*sa", TRI_STR_ARG(text));
    if (tri_str_has_prefix(text, "compute_") || tri_str_has_prefix(text, "sm_"))
        return text;
    return tri_machines_named(exact) ? exact : tri_str_format(arena, "sm_%.*s", TRI_STR_ARG(text));
}

/* The capability of this machine's first NVIDIA GPU. False after a report. */
static bool find_device(parser *p, tri_str *out_number)
{
    tri_cuda *cuda = tri_cuda_create(p->diag, 0);
    if (cuda)
        *out_number = tri_str_format(p->arena, "%d", tri_cuda_capability(cuda));
    tri_cuda_destroy(cuda);
    return cuda != NULL;
}

static bool read_target(parser *p, tri_str *out_arch)
{
    tri_str text = p->values[target], parts[3] = {{"", 0}, {"", 0}, {"", 0}};
    int count = 0;
    for (tri_str rest = text; rest.len && count < 3; count++) {
        size_t end = tri_str_find(rest, ':');
        parts[count] = tri_str_sub(rest, 0, end);
        rest = tri_str_sub(rest, end + (end < rest.len), rest.len);
    }
    bool is_cuda = tri_str_is(parts[0], "cuda"), is_hip = tri_str_is(parts[0], "hip");
    if (!text.len && !find_device(p, &parts[1]))
        return refuse_word(p, "there is no GPU to compile for; give one, as in", TRI_STR("--target cuda:80:32"));
    if (text.len && (!parts[1].len || !(is_cuda || is_hip)))
        return refuse_word(p, "a target is cuda:80:32 or hip:gfx942:64; not", text);
    *out_arch = is_hip ? parts[1] : cuda_arch(p->arena, parts[1]);
    const tri_target *family;
    const tri_machine_facts *facts;
    if (!tri_targets_find(p->diag, *out_arch, &family, &facts))
        return false;
    if (strcmp(facts->backend, is_hip ? "hip" : "cuda") != 0)
        return refuse_word(p, "a target is cuda:80:32 or hip:gfx942:64; not", text);
    if (parts[2].len && !tri_str_is(parts[2], tri_str_format(p->arena, "%d", facts->lanes).data))
        return refuse_word(p, "the architecture has warps of another size than", text);
    return true;
}

static void add_tritcc_word(parser *p, const char *name, tri_str value)
{
    tri_vec_push(p->arena, &p->out->words, (char *)tri_str_format(p->arena, "%s%.*s", name, TRI_STR_ARG(value)).data);
}

static void make_words(parser *p, tri_str sig, tri_str arch)
{
    bool is_code = tri_str_has_prefix(arch, "compute_");
    add_tritcc_word(p, "tritcc", TRI_STR(""));
    add_tritcc_word(p, "-k", TRI_STR(""));
    add_tritcc_word(p, "", p->values[kernel_name]);
    add_tritcc_word(p, "-sig=", sig);
    add_tritcc_word(p, "-arch=", arch);
    add_tritcc_word(p, "-num-warps=", p->values[num_warps]);
    add_tritcc_word(p, "-num-stages=", p->values[num_stages]);
    add_tritcc_word(p, "-num-ctas=", p->values[num_ctas]);
    add_tritcc_word(p, "-emit=", tri_str_from(is_code                           ? "ptx"
                                              : tri_str_has_prefix(arch, "sm_") ? "cubin"
                                                                                : "hsaco"));
    add_tritcc_word(p, "-x", TRI_STR("tri"));
    add_tritcc_word(p, "--", TRI_STR(""));
    add_tritcc_word(p, "", p->path);
    tri_vec_push(p->arena, &p->out->words, NULL);
}

bool tri_triton_compile_parse(tri_arena *arena, tri_diag *diag, int argc, char **argv, tri_triton_compile *out)
{
    parser p = {.arena = arena, .diag = diag, .out = out};
    pieces made = {0};
    tri_str arch, meta;
    *out = (tri_triton_compile){.help = TRI_STR("")};
    p.values[num_warps] = p.values[num_ctas] = TRI_STR("1");
    p.values[num_stages] = TRI_STR("3");
    bool ok = read_words(&p, argc, argv) &&
              (out->help.len || (read_grid(&p) && read_signature(&p, &made) && read_target(&p, &arch)));
    if (ok && !out->help.len) {
        meta = tri_str_format(arena, "warps%.*sxstages%.*s", TRI_STR_ARG(p.values[num_warps]),
                              TRI_STR_ARG(p.values[num_stages]));
        name_things(&p, &made, meta);
        make_words(&p, tri_buf_str(&made.sig), arch);
    }
    tri_buf_fini(&made.sig);
    tri_buf_fini(&made.hashed);
    tri_buf_fini(&made.suffix);
    tri_buf_fini(&made.constants);
    tri_buf_fini(&made.ones);
    return ok;
}

/* ---- compilation ---- */

static bool write_files(const void *data, const tri_bundle *bundle)
{
    const tri_triton_compile *command = data;
    tri_buf source = {0}, header = {0};
    bool is_cuda = !strcmp(bundle->parts.at[0].unit->arch->backend, "cuda");
    tri_str stem = command->stem;
    bool ok = tri_stub_write(&command->stub, bundle, &source, &header) &&
              tri_output_write(bundle->diag,
                               tri_str_format(bundle->arena, "%.*s%s", TRI_STR_ARG(stem), is_cuda ? ".c" : ".cpp"),
                               tri_buf_str(&source)) &&
              tri_output_write(bundle->diag, tri_str_format(bundle->arena, "%.*s.h", TRI_STR_ARG(stem)),
                               tri_buf_str(&header));
    tri_buf_fini(&source);
    tri_buf_fini(&header);
    return ok;
}

int tri_triton_compile_run(tri_session *session, const tri_triton_compile *command)
{
    if (!tri_tool_find(session->arena, session->diag, session->opt->cuda_path, &session->opt->compile))
        return 2;
    tri_program_end end = {write_files, command};
    return tri_job_make(session, &session->opt->inputs.at[0], NULL, &end, NULL);
}
