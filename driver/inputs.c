#include "driver/inputs.h"

#include "base/file.h"
#include "driver/job.h"
#include "frontend/frontend.h"
#include "frontend/syntax/ast.h"

typedef struct {
    tri_arena *arena;
    tri_map *names;
} collector;

static void add_name(const collector *c, tri_str name)
{
    tri_map_set(c->names, tri_str_copy(c->arena, name), c->names);
}

static bool note_function(const tri_ast_node *node, void *data)
{
    if (node->kind == TRI_AST_FUNCTION)
        add_name(data, node->function.name);
    return true;
}

/* Functions, and what stands on the left of the file's assignments, as in `fast = triton.jit(f)`. */
static void collect_names(const tri_ast_module *file, collector *c)
{
    for (uint32_t i = 0; i < file->body.len; i++) {
        const tri_ast_node *node = file->body.at[i];
        tri_ast_walk(node, note_function, c);
        for (uint32_t n = 0; node->kind == TRI_AST_ASSIGN && n < node->assign.targets.len; n++)
            if (node->assign.targets.at[n]->kind == TRI_AST_NAME)
                add_name(c, tri_ast_text(node->assign.targets.at[n]));
    }
}

static tri_map *names_of(tri_session *session, const tri_opt_input *input)
{
    collector c = {session->arena, NULL};
    tri_str text;
    int error;
    tri_kind kind = input->kind ? input->kind : tri_phase_kind_of_file(input->path);
    if (kind != TRI_KIND_SOURCE || tri_str_is(input->path, "-") ||
        !tri_file_read(session->arena, input->path, &text, &error))
        return NULL;
    tri_unit unit;
    tri_diag_hold(session->diag);
    tri_unit_init(&unit, session->arena, session->diag, &session->opt->compile);
    tri_unit_replace(&unit, TRI_PAYLOAD_SOURCE);
    unit.source = tri_diag_add_source(session->diag, input->path, text);
    if (tri_frontend_parse(&unit)) {
        c.names = TRI_NEW(session->arena, tri_map);
        tri_map_init(c.names, session->arena);
        collect_names(unit.ast, &c);
    }
    tri_unit_fini(&unit);
    tri_diag_drop(session->diag);
    return c.names;
}

static void copy_words(tri_arena *arena, tri_opt_words *out, const tri_str *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        tri_vec_push(arena, out, words[i]);
}

void tri_inputs_open(tri_session *session, tri_inputs *out)
{
    tri_opt *opt = session->opt;
    *out = (tri_inputs){.session = session};
    if (opt->inputs.len < 2 || !(opt->compile.signatures.len + opt->compile.kernels.len))
        return;
    copy_words(session->arena, &out->signatures, opt->compile.signatures.at, opt->compile.signatures.len);
    copy_words(session->arena, &out->kernels, opt->compile.kernels.at, opt->compile.kernels.len);
    copy_words(session->arena, &out->counted, opt->counted.at, opt->counted.len);
    for (size_t i = 0; i < opt->inputs.len; i++)
        tri_vec_push(session->arena, &out->names, names_of(session, &opt->inputs.at[i]));
}

/* Is it another input's? Not of one that has it, nor of one whose names are not known. */
static bool is_of_another(const tri_inputs *inputs, size_t index, tri_str name)
{
    bool found = false;
    if (!name.len || !inputs->names.at[index] || tri_map_find(inputs->names.at[index], name))
        return false;
    for (size_t i = 0; i < inputs->names.len; i++)
        found = found || (inputs->names.at[i] && tri_map_find(inputs->names.at[i], name));
    return found;
}

/* "kernel(...)" and "instance = kernel(...)" name it; others give types alone, or a tuple's class in front. */
static tri_str kernel_of(tri_str signature, tri_str *out_instance)
{
    tri_str head = tri_str_sub(signature, 0, tri_str_find(signature, '('));
    size_t equals = tri_str_find(head, '=');
    *out_instance = equals < head.len ? tri_str_trim(tri_str_sub(head, 0, equals)) : TRI_STR("");
    return head.len == signature.len ? TRI_STR("")
                                     : tri_str_trim(tri_str_sub(head, equals < head.len ? equals + 1 : 0, head.len));
}

/* -k has names of kernels and of instances. */
static tri_str kernel_of_name(const tri_inputs *inputs, tri_str name)
{
    tri_str instance;
    for (size_t i = 0; i < inputs->signatures.len; i++) {
        tri_str kernel = kernel_of(inputs->signatures.at[i], &instance);
        if (tri_str_equal(instance, name))
            return kernel;
    }
    return name;
}

/* The result of a compilation hangs on what is left of them. */
static void forget_counted(tri_opt *opt, const char *option, tri_str value)
{
    size_t kept = 0, length = strlen(option);
    for (size_t i = 0; i < opt->counted.len; i++) {
        tri_str word = opt->counted.at[i];
        if (!tri_str_has_prefix(word, option) || !tri_str_equal(tri_str_sub(word, length, word.len), value))
            opt->counted.at[kept++] = word;
    }
    opt->counted.len = kept;
}

static void choose_options(const tri_inputs *inputs, size_t index)
{
    tri_opt *opt = inputs->session->opt;
    tri_str instance;
    opt->compile.signatures.len = opt->compile.kernels.len = opt->counted.len = 0;
    copy_words(inputs->session->arena, &opt->counted, inputs->counted.at, inputs->counted.len);
    for (size_t i = 0; i < inputs->signatures.len; i++) {
        tri_str text = inputs->signatures.at[i];
        if (is_of_another(inputs, index, kernel_of(text, &instance)))
            forget_counted(opt, "sig=", text);
        else
            tri_vec_push(inputs->session->arena, &opt->compile.signatures, text);
    }
    for (size_t i = 0; i < inputs->kernels.len; i++) {
        tri_str name = inputs->kernels.at[i];
        if (is_of_another(inputs, index, kernel_of_name(inputs, name)))
            forget_counted(opt, "k=", name);
        else
            tri_vec_push(inputs->session->arena, &opt->compile.kernels, name);
    }
    for (size_t i = 0; inputs->kernels.len && !opt->compile.kernels.len && i < inputs->kernels.len; i++)
        tri_vec_push(inputs->session->arena, &opt->compile.kernels, inputs->kernels.at[i]);
}

int tri_inputs_run(tri_inputs *inputs, size_t index)
{
    if (inputs->names.len)
        choose_options(inputs, index);
    return tri_job_run(inputs->session, &inputs->session->opt->inputs.at[index]);
}
