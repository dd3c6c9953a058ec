/* --list-kernels: what a file defines and what a call of it would have to say. */
#include "frontend/kernel/signature_kernel.h"

#include "frontend/kernel/annotation.h"
#include "ir/options.h"

static void list_param(tri_signature_kernel *k, tri_str text, size_t i, tri_buf *out)
{
    const tri_ast_node *param = tri_signature_param_at(k->function, i);
    const tri_arg *arg = &k->signature.params.at[i].arg;
    bool is_constexpr = tri_annotation_is_constexpr(param);
    tri_buf_format(out, "  %.*s: %s", TRI_STR_ARG(param->param.name), is_constexpr ? "constexpr " : "");
    tri_buf_add_str(out, text);
    if (k->is_known[i] && param->param.default_value && arg->at.begin == tri_ast_name_span(param).begin)
        tri_buf_add_z(out, " (default)");
    tri_buf_add_z(out, k->is_known[i] ? "\n" : " (guessed)\n");
}

static void list_config(const tri_value *config, uint32_t number, tri_buf *out)
{
    static const char *const launch[] = {"num_warps", "num_stages", "num_ctas", "maxnreg"};
    config = tri_value_unwrap(config);
    const tri_value_dict *fields = config->kind == TRI_VALUE_OBJECT ? config->object.fields : NULL;
    const tri_value *kwargs = fields ? tri_value_dict_find_str(fields, TRI_STR("kwargs")) : NULL;
    const char *comma = " ";
    tri_buf_format(out, "    %u:", number);
    kwargs = kwargs ? tri_value_unwrap(kwargs) : NULL;
    for (uint32_t i = 0; kwargs && kwargs->kind == TRI_VALUE_DICT && i < kwargs->dict->keys.len; i++) {
        tri_buf_add_z(out, comma);
        tri_value_print(kwargs->dict->keys.at[i], out);
        tri_buf_add_char(out, '=');
        tri_value_repr(tri_value_unwrap(kwargs->dict->values.at[i]), out);
        comma = ", ";
    }
    for (size_t i = 0; fields && i < sizeof launch / sizeof *launch; i++) {
        const tri_value *value = tri_value_dict_find_str(fields, tri_str_from(launch[i]));
        if (!value || tri_value_unwrap(value)->kind == TRI_VALUE_NONE)
            continue;
        tri_buf_format(out, "%s%s=", comma, launch[i]);
        tri_value_repr(tri_value_unwrap(value), out);
        comma = ", ";
    }
    tri_buf_add_char(out, '\n');
}

static bool list_kernel(tri_signature_file *file, const tri_function *function, tri_buf *out)
{
    tri_signature_kernel k = {.c = file, .function = function};
    uint32_t line, column;
    if (!tri_signature_settle(&k))
        return false;
    tri_span at = tri_ast_name_span(function->node);
    tri_source_position(at.source, at.begin, &line, &column);
    tri_buf_format(out, "%.*s (%.*s:%u)\n", TRI_STR_ARG(function->name), TRI_STR_ARG(at.source->name), line);
    const tri_str *texts = tri_signature_guess(&k);
    for (size_t i = 0; i < tri_signature_params(function)->len; i++)
        list_param(&k, texts[i], i, out);
    if (k.configs.len)
        tri_buf_format(out, "  configurations%s%.*s:\n", k.signature.key.len ? ", chosen by " : "",
                       TRI_STR_ARG(k.signature.key));
    for (uint32_t i = 0; i < k.configs.len; i++)
        list_config(k.configs.at[i], i, out);
    if (k.not_evaluated.len)
        tri_buf_format(out, "  not known: %.*s\n", TRI_STR_ARG(k.not_evaluated));
    tri_buf_add_z(out, "  ");
    tri_signature_print(&k, texts, out);
    tri_buf_add_char(out, '\n');
    return true;
}

/* Those of -k, helpers too. */
static bool list_named(tri_signature_file *file, tri_buf *out)
{
    for (size_t i = 0; i < file->options->kernels.len; i++) {
        const tri_function *function = tri_signature_choose_find(file, file->options->kernels.at[i]);
        if (i)
            tri_buf_add_char(out, '\n');
        if (!function || !list_kernel(file, function, out))
            return false;
    }
    return true;
}

bool tri_signature_list_kernels(tri_module *main, tri_buf *out)
{
    tri_signature_file file;
    size_t count = 0;
    if (!tri_signature_start(main, &file))
        return false;
    if (file.options->kernels.len)
        return list_named(&file, out);
    for (size_t i = 0; i < file.functions.len; i++) {
        const tri_function *function = file.functions.at[i];
        if (tri_signature_guess_helper(function) || function->is_alias)
            continue;
        if (count++)
            tri_buf_add_char(out, '\n');
        if (!list_kernel(&file, function, out))
            return false;
    }
    if (!count)
        tri_diag_error(file.diag, TRI_NO_SPAN, TRI_SIG_UNKNOWN_KERNEL,
                       "every @triton.jit function in '%.*s' returns a value and so is a helper",
                       TRI_STR_ARG(tri_module_ast(main)->source->name));
    return count > 0;
}
