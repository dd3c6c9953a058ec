/* The launcher's runtime in an object: of its assembly, made when the compiler was (runtime/runtime.mk), the pieces
 * that the object's launchers and code name, and what those name in turn. The names stand as runtime/launch.awk made
 * them, the pieces as runtime/pieces.awk. */
#include "targets/object/writer.h"

#include "base/map.h"
#include "ir/options.h"

#include "llvm-c/Core.h"

extern const char tri_launch_x86_64[], tri_launch_x86_64_end[], tri_launch_aarch64[], tri_launch_aarch64_end[];

typedef struct {
    tri_str text;
    bool is_needed;
} piece;

/* A label of a piece, or a name of the link: functions that may be there. */
typedef struct {
    piece *at; /* null: of the link */
    bool is_named;
} label;

typedef struct {
    tri_arena *arena;
    TRI_VEC(piece) pieces;
    tri_map labels;
    tri_str names;         /* lines `.weak NAME` and `.hidden NAME` */
    TRI_VEC(piece *) work; /* needed, and not read yet */
} runtime;

/* ---- names ---- */

static const char *const openmp_names[] = {"GOMP_parallel", "omp_get_max_threads", "omp_in_parallel"};
enum { openmp_name_count = sizeof openmp_names / sizeof *openmp_names };

/* The functions of the runtime carry the ABI that they are of ("tri_rt5_launch"), for a link takes one of each name. */
static tri_str versioned_name(tri_arena *arena, const char *name)
{
    static const char *const prefixes[] = {"tri_rt", "tri_cpu_rt"};
    for (size_t i = 0; i < 2; i++) {
        size_t length = strlen(prefixes[i]);
        if (!strncmp(name, prefixes[i], length) && name[length] == '_')
            return tri_str_format(arena, "%s%d%s", prefixes[i], TRI_RT_ABI, name + length);
    }
    return tri_str_from(name);
}

LLVMValueRef tri_writer_runtime_function(tri_writer *w, const char *name, LLVMTypeRef type)
{
    const char *versioned = versioned_name(w->arena, name).data;
    LLVMValueRef known = LLVMGetNamedFunction(w->module, versioned);
    return known ? known : LLVMAddFunction(w->module, versioned, type);
}

LLVMValueRef tri_writer_runtime_value(tri_writer *w, const char *name)
{
    const char *versioned = versioned_name(w->arena, name).data;
    LLVMValueRef known = LLVMGetNamedGlobal(w->module, versioned);
    return known ? known : LLVMAddGlobal(w->module, w->i8, versioned);
}

tri_str tri_writer_version(tri_writer *w, tri_str code)
{
    static const char prefix[] = "tri_cpu_rt_";
    tri_str versioned = versioned_name(w->arena, prefix);
    tri_buf out = {0};
    for (tri_str rest = code; rest.len;) {
        const char *at = memmem(rest.data, rest.len, prefix, sizeof prefix - 1);
        size_t before = at ? (size_t)(at - rest.data) : rest.len;
        tri_buf_add_str(&out, tri_str_sub(rest, 0, before));
        if (at)
            tri_buf_add_str(&out, versioned);
        rest = tri_str_sub(rest, before + (at ? sizeof prefix - 1 : 0), rest.len);
    }
    tri_str copy = tri_str_copy(w->arena, tri_buf_str(&out));
    tri_buf_fini(&out);
    return copy;
}

/* ---- pieces ---- */

static tri_str cut_line(tri_str *text)
{
    size_t end = tri_str_find(*text, '\n');
    tri_str line = tri_str_sub(*text, 0, end);
    *text = tri_str_sub(*text, end + (end < text->len), text->len);
    return line;
}

static void cut_pieces(runtime *r, tri_str text)
{
    const char *begin = text.data;
    for (bool is_in_names = false; text.len && !is_in_names;) {
        const char *at = text.data;
        tri_str line = cut_line(&text);
        is_in_names = tri_str_is(line, "#names");
        if ((tri_str_has_prefix(line, "\t.section\t") || is_in_names) && at > begin) {
            piece p = {{begin, (size_t)(at - begin)}, false};
            tri_vec_push(r->arena, &r->pieces, p);
            begin = at;
        }
    }
    r->names = text;
}

static label *add_label(runtime *r, tri_str name, piece *at)
{
    label *l = tri_map_find(&r->labels, name);
    if (!l) {
        l = TRI_NEW(r->arena, label);
        tri_map_set(&r->labels, name, l);
    }
    l->at = at ? at : l->at;
    return l;
}

static tri_str name_of_mark(tri_str line)
{
    tri_str word = tri_str_sub(line, 1, line.len); /* behind a tab; before the name stands another */
    return tri_str_trim(tri_str_sub(word, tri_str_find(word, '\t'), word.len));
}

static void find_piece_labels(runtime *r)
{
    for (size_t i = 0; i < r->pieces.len; i++) {
        for (tri_str rest = r->pieces.at[i].text; rest.len;) {
            tri_str line = cut_line(&rest);
            if (line.len && line.data[0] != '\t' && line.data[line.len - 1] == ':')
                add_label(r, tri_str_sub(line, 0, line.len - 1), &r->pieces.at[i]);
        }
    }
    for (tri_str rest = r->names; rest.len;)
        add_label(r, name_of_mark(cut_line(&rest)), NULL);
}

static void need(runtime *r, tri_str name)
{
    label *l = tri_map_find(&r->labels, name);
    if (!l)
        return;
    l->is_named = true;
    if (!l->at || l->at->is_needed)
        return;
    l->at->is_needed = true;
    tri_vec_push(r->arena, &r->work, l->at);
}

/* All words count, operations too: one of the same name takes a piece in that is not needed, and no more. */
static void need_words(runtime *r, tri_str text)
{
    for (size_t i = 0; i < text.len;) {
        tri_str token = tri_assembly_token(text, i);
        if (tri_assembly_is_word(token))
            need(r, token);
        i += token.len;
    }
}

/* ---- what is needed ---- */

static bool is_hidden_name(const runtime *r, tri_str name)
{
    for (tri_str rest = r->names; rest.len;) {
        tri_str line = cut_line(&rest);
        if (tri_str_has_prefix(line, "\t.hidden\t") && tri_str_equal(name_of_mark(line), name))
            return true;
    }
    return false;
}

/* Programs may call what is public, even if nothing here does. */
static void need_public(runtime *r)
{
    for (tri_str rest = r->names; rest.len;) {
        tri_str line = cut_line(&rest), name = name_of_mark(line);
        const label *l = tri_map_find(&r->labels, name);
        if (tri_str_has_prefix(line, "\t.weak\t") && l->at && !is_hidden_name(r, name))
            need(r, name);
    }
}

static void need_declared(runtime *r, LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (LLVMIsDeclaration(f))
            need(r, tri_str_from(LLVMGetValueName(f)));
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v))
        if (LLVMIsDeclaration(v))
            need(r, tri_str_from(LLVMGetValueName(v)));
}

/* ---- in an object ---- */

static bool is_openmp(tri_str name)
{
    for (size_t i = 0; i < openmp_name_count; i++)
        if (tri_str_is(name, openmp_names[i]))
            return true;
    return false;
}

/* -fopenmp makes the link fail without OpenMP, -fno-openmp forgets about it: its functions have names then that nobody
 * has. Either way this object keeps its own back end, as others may be compiled otherwise. */
static void add_names(const runtime *r, int openmp, tri_str backend, tri_buf *out)
{
    for (tri_str rest = r->names; rest.len;) {
        tri_str line = cut_line(&rest), name = name_of_mark(line);
        const label *l = tri_map_find(&r->labels, name);
        bool is_kept = openmp && tri_str_equal(name, backend);
        if (!l->is_named || is_kept || (openmp > 0 && is_openmp(name)))
            continue;
        if (openmp < 0 && is_openmp(name))
            tri_buf_format(out, "\t.weak\ttri.no_%.*s\n\t.hidden\ttri.no_%.*s\n", TRI_STR_ARG(name), TRI_STR_ARG(name));
        else
            tri_buf_format(out, "%.*s\n", TRI_STR_ARG(line));
    }
}

static void add_piece(tri_str text, int openmp, tri_buf *out)
{
    if (openmp >= 0) {
        tri_buf_add_str(out, text);
        return;
    }
    for (size_t i = 0; i < text.len;) {
        tri_str token = tri_assembly_token(text, i);
        if (is_openmp(token))
            tri_buf_add_z(out, "tri.no_");
        tri_buf_add_str(out, token);
        i += token.len;
    }
}

void tri_writer_add_runtime(tri_writer *w, const char *triple, tri_str code)
{
    bool is_x86 = !strncmp(triple, "x86_64", strlen("x86_64"));
    const char *begin = is_x86 ? tri_launch_x86_64 : tri_launch_aarch64,
               *end = is_x86 ? tri_launch_x86_64_end : tri_launch_aarch64_end;
    runtime r = {.arena = w->arena};
    tri_buf out = {0};
    int openmp = w->bundle->options->openmp;
    tri_map_init(&r.labels, w->arena);
    cut_pieces(&r, (tri_str){begin, (size_t)(end - begin)});
    find_piece_labels(&r);
    need_public(&r);
    need_declared(&r, w->module);
    need_words(&r, code);
    while (r.work.len)
        need_words(&r, r.work.at[--r.work.len]->text);
    for (size_t i = 0; i < r.pieces.len; i++)
        if (r.pieces.at[i].is_needed)
            add_piece(r.pieces.at[i].text, openmp, &out);
    add_names(&r, openmp, versioned_name(w->arena, "tri_rt_cpu_backend"), &out);
    tri_buf_add_z(&out, "\t.text\n");
    LLVMAppendModuleInlineAsm(w->module, tri_buf_str(&out).data, tri_buf_str(&out).len);
    tri_buf_fini(&out);
}
