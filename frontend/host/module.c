#include "frontend/host/scope.h"

#include "base/file.h"
#include "frontend/host/host.h"
#include "ir/options.h"

/* ---- the set ---- */

tri_modules *tri_module_create_all(tri_unit *unit)
{
    tri_modules *all = TRI_NEW(unit->arena, tri_modules);
    all->unit = unit;
    all->arena = unit->arena;
    all->diag = unit->diag;
    int steps = unit->options->max_eval_steps;
    all->budget = (tri_budget){.arena = unit->arena, .max_steps = steps ? (uint64_t)steps : TRI_BUDGET_STEPS};
    tri_map_init(&all->files, unit->arena);
    tri_map_init(&all->defines, unit->arena);
    tri_map_init(&all->closures, unit->arena);
    return all;
}

void tri_module_set_target(tri_modules *all, const struct tri_frontend_target *target)
{
    all->target = target;
}

const struct tri_frontend_target *tri_module_target(const tri_modules *all) { return all->target; }

struct tri_budget *tri_module_budget(tri_modules *all) { return &all->budget; }

tri_module **tri_module_embedded(tri_modules *all) { return all->embedded; }

tri_arena *tri_module_arena(const tri_modules *all)
{
    return all->arena;
}

tri_unit *tri_module_unit(const tri_modules *all)
{
    return all->unit;
}

/* Names stand in symbols, so no two modules have one, wherever they come from. */
static tri_str unused_name(const tri_modules *all, tri_str name)
{
    tri_str unused = name;
    size_t n = 1;
    for (size_t i = 0; i < all->files.len; i++) {
        const tri_module *other = all->files.entries[i].value;
        if (!other || !tri_str_equal(other->name, unused))
            continue;
        unused = tri_str_format(all->arena, "%.*s.%zu", TRI_STR_ARG(name), ++n);
        i = (size_t)-1;
    }
    return unused;
}

static tri_module *create_module(tri_modules *all, tri_str root, tri_str name, tri_str path, tri_str folder)
{
    tri_module *m = TRI_NEW(all->arena, tri_module);
    m->all = all;
    m->name = unused_name(all, name);
    m->root = root;
    m->path = path;
    m->folder = folder;
    tri_map_init(&m->functions, all->arena);
    tri_map_init(&m->classes, all->arena);
    tri_map_init(&m->scopes, all->arena);
    tri_value *v = TRI_NEW(all->arena, tri_value);
    v->kind = TRI_VALUE_MODULE;
    v->module = m;
    m->value = v;
    tri_map_set(&all->files, path, m);
    return m;
}

/* The folder above the outermost package that holds `folder`. */
static tri_str package_root(tri_arena *arena, tri_str folder)
{
    while (folder.len && tri_file_exists(tri_path_join(arena, folder, TRI_STR("__init__.py"))) &&
           tri_path_base(folder).len && !tri_str_is(tri_path_base(folder), "..") &&
           !tri_str_is(tri_path_base(folder), "."))
        folder = tri_path_folder(folder);
    return folder;
}

static bool is_below(tri_str path, tri_str root)
{
    return root.len && path.len > root.len && memcmp(path.data, root.data, root.len) == 0 &&
           (path.data[root.len] == '/' || root.data[root.len - 1] == '/');
}

/* "pkg.sub.mod" for a file below `root`. */
static tri_str dotted_name(tri_arena *arena, tri_str root, tri_str path)
{
    tri_str rest = path;
    if (is_below(path, root))
        rest = tri_str_sub(path, root.len + (path.data[root.len] == '/'), path.len);
    rest = tri_str_sub(rest, 0, rest.len - tri_path_suffix(rest).len);
    if (tri_str_has_suffix(rest, "/__init__"))
        rest.len -= 9;
    char *name = tri_arena_copy(arena, rest.data, rest.len);
    for (size_t i = 0; i < rest.len; i++)
        if (name[i] == '/')
            name[i] = '.';
    return (tri_str){name, rest.len};
}

tri_module *tri_module_add(tri_modules *all, const tri_ast_module *ast)
{
    tri_str path = ast->source->name, folder = tri_path_folder(path);
    bool is_first = !all->main;
    if (is_first)
        all->root = package_root(all->arena, folder);
    tri_str stem = tri_path_stem(path);
    tri_module *m = create_module(all, all->root, stem.len ? stem : TRI_STR("kernel"), path, folder);
    if (is_first) {
        all->main = m;
        m->is_main = true;
        m->is_package = tri_str_is(stem, "__init__");
    }
    m->ast = ast;
    m->scope = tri_scope_create(m, NULL, NULL, ast->body);
    return m;
}

tri_str tri_module_name(const tri_module *module)
{
    return module->name;
}

tri_modules *tri_module_all(const tri_module *module)
{
    return module->all;
}

const tri_ast_module *tri_module_ast(const tri_module *module)
{
    return module->ast;
}

tri_scope *tri_module_scope(const tri_module *module)
{
    return module->scope;
}

/* ---- files ---- */

static tri_module *load_file(tri_modules *all, tri_str root, tri_str path, bool is_package)
{
    tri_module *m = tri_map_find(&all->files, path);
    if (m)
        return m;
    m = create_module(all, root, dotted_name(all->arena, root, path), path, tri_path_folder(path));
    m->is_package = is_package;
    tri_str text;
    int error;
    tri_ast_list nothing = {0};
    if (!tri_options_read_file(all->unit->options, all->arena, path, &text, &error)) {
        tri_diag_error(all->diag, TRI_NO_SPAN, 1001, "cannot read '%.*s': %s", TRI_STR_ARG(path), strerror(error));
        m->scope = tri_scope_create(m, NULL, NULL, nothing);
        return m;
    }
    tri_unit_add_dependency(all->unit, path);
    size_t paused = tri_budget_pause(&all->budget);
    m->ast = tri_parser_parse_import(all->arena, all->diag, tri_diag_add_source(all->diag, path, text));
    m->scope = tri_scope_create(m, NULL, NULL, m->ast ? m->ast->body : nothing);
    tri_budget_resume(&all->budget, paused);
    return m;
}

/* `name` in `folder`: a file, a package, or a folder that holds modules. Null when there is none. */
static tri_module *find_in_folder(tri_modules *all, tri_str root, tri_str folder, tri_str name)
{
    static const char *const suffixes[] = {".py", ".tri"};
    tri_arena *arena = all->arena;
    tri_str base = folder.len ? tri_path_join(arena, folder, name) : name;
    tri_str init = tri_path_join(arena, base, TRI_STR("__init__.py"));
    if (tri_options_has_file(all->unit->options, arena, init))
        return load_file(all, root, init, true);
    for (int i = 0; i < 2; i++) {
        tri_str path = tri_str_format(arena, "%.*s%s", TRI_STR_ARG(base), suffixes[i]);
        if (tri_options_has_file(all->unit->options, arena, path))
            return load_file(all, root, path, false);
    }
    if (!tri_file_is_directory(base))
        return NULL;
    tri_module *m = tri_map_find(&all->files, base);
    if (!m) {
        m = create_module(all, root, dotted_name(arena, root, base), base, base);
        m->is_package = true;
        m->scope = tri_scope_create(m, NULL, NULL, (tri_ast_list){0});
    }
    return m;
}

static tri_module *find_top(tri_module *from, tri_str name)
{
    tri_modules *all = from->all;
    tri_module *m = find_in_folder(all, all->root, all->root, name);
    if (!m && all->main && !tri_str_equal(all->main->folder, all->root))
        m = find_in_folder(all, all->main->folder, all->main->folder, name);
    for (size_t i = 0; i < all->unit->options->include_dirs.len && !m; i++)
        m = find_in_folder(all, all->unit->options->include_dirs.at[i], all->unit->options->include_dirs.at[i], name);
    return m;
}

static tri_str module_folder(const tri_module *m)
{
    return m->is_package && !m->ast && tri_str_equal(m->path, m->folder) ? m->path : m->folder;
}

/* ---- imports ---- */

static tri_str next_part(tri_str *io_rest)
{
    size_t dot = tri_str_find(*io_rest, '.');
    tri_str part = tri_str_sub(*io_rest, 0, dot);
    *io_rest = tri_str_sub(*io_rest, dot < io_rest->len ? dot + 1 : dot, io_rest->len);
    return part;
}

/* The folder of the package that `from m import` with `level` dots starts in. */
static tri_str relative_folder(tri_module *from, uint32_t level)
{
    tri_str folder = module_folder(from);
    for (uint32_t i = 1; i < level; i++) {
        tri_str up = tri_path_folder(folder);
        bool is_symbolic = folder.len == 0 || tri_str_is(folder, ".") || tri_str_has_suffix(folder, "..");
        folder = is_symbolic ? tri_path_join(from->all->arena, folder.len ? folder : TRI_STR("."), TRI_STR("..")) : up;
    }
    return folder;
}

static const tri_value *external(tri_module *from, tri_str path)
{
    return tri_value_external(from->all->arena, tri_str_copy(from->all->arena, path));
}

/* `triton.testing` and the like exist, but nothing a kernel needs is in them. */
static bool is_host_part_of_triton(tri_str path)
{
    static const char *const parts[] = {"triton._C",     "triton._utils",       "triton.backends", "triton.compiler",
                                        "triton.errors", "triton.experimental", "triton.knobs",    "triton.testing",
                                        "triton.tools",  "triton.runtime"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (tri_str_has_prefix(path, parts[i]) && (path.len == strlen(parts[i]) || path.data[strlen(parts[i])] == '.'))
            return true;
    return false;
}

static const tri_value *step_into(tri_module *from, tri_module *m, tri_str rest, bool *out_exists)
{
    while (m && rest.len) {
        tri_str part = next_part(&rest);
        m = find_in_folder(from->all, m->root, module_folder(m), part);
    }
    if (!m)
        *out_exists = false;
    return m ? m->value : NULL;
}

/* triton.tools holds kernel code: read where the user keeps the package, since it is not part of the language. */
static const tri_value *import_tool(tri_module *from, tri_str dotted)
{
    bool exists = true;
    tri_str rest = dotted;
    next_part(&rest);
    if (!tri_str_has_prefix(rest, "tools."))
        return NULL;
    tri_module *package = find_top(from, TRI_STR("triton"));
    return package ? step_into(from, package, rest, &exists) : NULL;
}

static const tri_value *import_library(tri_module *from, tri_str dotted, bool *out_exists)
{
    tri_arena *arena = from->all->arena;
    tri_str rest = dotted;
    tri_str path = next_part(&rest);
    const tri_value *v = tri_value_builtin(arena, path);
    while (rest.len) {
        tri_str part = next_part(&rest);
        path = tri_str_sub(dotted, 0, (size_t)(part.data - dotted.data) + part.len);
        v = v->kind == TRI_VALUE_BUILTIN ? tri_library_find(arena, v->string, part) : NULL;
        if (!v && tri_str_has_prefix(path, "triton.") && !is_host_part_of_triton(path)) {
            *out_exists = false;
            return external(from, dotted);
        }
        if (!v) {
            v = import_tool(from, dotted);
            return v ? v : external(from, dotted);
        }
    }
    return v;
}

const tri_value *tri_module_import(tri_module *from, uint32_t level, tri_str dotted, bool *out_exists,
                                   tri_failure *failure)
{
    (void)failure;
    *out_exists = true;
    tri_str rest = dotted;
    if (level > 0) {
        tri_str folder = relative_folder(from, level);
        tri_module *m;
        if (rest.len == 0) {
            tri_str base = tri_path_base(folder), above = tri_path_folder(folder);
            m = base.len && !tri_str_is(base, "..") && !tri_str_is(base, ".")
                    ? find_in_folder(from->all, from->root, above, base)
                    : NULL;
            if (!m) { /* the folder where the compiler runs has no name of its own */
                m = tri_map_find(&from->all->files, folder);
                if (!m) {
                    m = create_module(from->all, from->root, TRI_STR("."), folder, folder);
                    m->is_package = true;
                    m->scope = tri_scope_create(m, NULL, NULL, (tri_ast_list){0});
                }
            }
            return m->value;
        }
        m = find_in_folder(from->all, from->root, folder, next_part(&rest));
        const tri_value *v = step_into(from, m, rest, out_exists);
        return v ? v : external(from, dotted);
    }
    tri_str top = next_part(&rest);
    if (tri_library_is_namespace(top))
        return import_library(from, dotted, out_exists);
    tri_module *m = find_top(from, top);
    const tri_value *v = m ? step_into(from, m, rest, out_exists) : NULL;
    if (v)
        return v;
    *out_exists = !m && tri_library_is_known_package(top);
    return external(from, dotted);
}

/* ---- attributes ---- */

static tri_lookup found(const tri_value *value, tri_span at, tri_global *out_global)
{
    if (!value)
        return TRI_LOOKUP_ABSENT;
    *out_global = (tri_global){value, at, false};
    return TRI_LOOKUP_FOUND;
}

static tri_lookup get_from_class(const tri_class *cls, tri_str name, tri_global *out_global, tri_failure *failure)
{
    if (cls->scope) {
        tri_lookup result = tri_scope_find_here(cls->scope, name, UINT32_MAX, out_global, failure);
        if (result != TRI_LOOKUP_ABSENT)
            return result;
    }
    for (size_t i = 0; i < cls->bases.len; i++) {
        tri_lookup result = get_from_class(cls->bases.at[i], name, out_global, failure);
        if (result != TRI_LOOKUP_ABSENT)
            return result;
    }
    return TRI_LOOKUP_ABSENT;
}

static tri_lookup get_from_sequence(const tri_value *v, tri_str name, tri_global *out_global)
{
    const tri_class *cls = v->sequence.cls;
    for (size_t i = 0; cls && i < cls->fields.len && i < v->sequence.items.len; i++)
        if (tri_str_equal(cls->fields.at[i], name))
            return found(v->sequence.items.at[i], TRI_NO_SPAN, out_global);
    return TRI_LOOKUP_ABSENT;
}

tri_lookup tri_module_get(tri_modules *all, const tri_value *object, tri_str name, tri_global *out_global,
                          tri_failure *failure)
{
    tri_arena *arena = all->arena;
    switch (object->kind) {
    case TRI_VALUE_MODULE: return tri_module_member(object, object->module, name, out_global, failure);
    case TRI_VALUE_BUILTIN: {
        const tri_value *v = tri_library_find(arena, object->string, name);
        tri_str path = tri_str_format(arena, "%.*s.%.*s", TRI_STR_ARG(object->string), TRI_STR_ARG(name));
        return found(!v && is_host_part_of_triton(path) ? tri_value_external(arena, path) : v, TRI_NO_SPAN, out_global);
    }
    case TRI_VALUE_EXTERNAL:
        return found(tri_value_external(
                         arena, tri_str_format(arena, "%.*s.%.*s", TRI_STR_ARG(object->string), TRI_STR_ARG(name))),
                     TRI_NO_SPAN, out_global);
    case TRI_VALUE_CLASS: return get_from_class(object->cls, name, out_global, failure);
    case TRI_VALUE_TUPLE: return get_from_sequence(object, name, out_global);
    case TRI_VALUE_FUNCTION:
        if (tri_str_is(name, "__name__"))
            return found(tri_value_str(arena, object->function->name), TRI_NO_SPAN, out_global);
        return TRI_LOOKUP_ABSENT;
    case TRI_VALUE_OBJECT: {
        tri_lookup result = found(tri_value_dict_find_str(object->object.fields, name), TRI_NO_SPAN, out_global);
        return result == TRI_LOOKUP_ABSENT && object->object.cls
                   ? get_from_class(object->object.cls, name, out_global, failure)
                   : result;
    }
    default: return TRI_LOOKUP_ABSENT;
    }
}

tri_lookup tri_module_member(const tri_value *container, tri_module *from, tri_str name, tri_global *out_global,
                             tri_failure *failure)
{
    if (container->kind != TRI_VALUE_MODULE)
        return tri_module_get(from->all, container, name, out_global, failure);
    tri_module *m = container->module;
    if (tri_str_is(name, "__name__"))
        return found(tri_value_str(m->all->arena, m->name), TRI_NO_SPAN, out_global);
    /* `from . import sub` in a package's own file binds `sub` while the package has no such name yet. */
    tri_module *own = m == from && m->is_package ? find_in_folder(m->all, m->root, module_folder(m), name) : NULL;
    if (own)
        return found(own->value, TRI_NO_SPAN, out_global);
    tri_lookup result = tri_scope_find_here(m->scope, name, UINT32_MAX, out_global, failure);
    if (result != TRI_LOOKUP_ABSENT || !m->is_package)
        return result;
    tri_module *sub = find_in_folder(m->all, m->root, module_folder(m), name);
    return found(sub ? sub->value : NULL, TRI_NO_SPAN, out_global);
}

bool tri_module_is_namespace(const tri_value *value)
{
    return value->kind == TRI_VALUE_BUILTIN && tri_library_is_namespace(value->string);
}

/* ---- what the kernel evaluator asks ---- */

static tri_lookup report_module(tri_modules *all, tri_lookup result, tri_str name, tri_span use,
                                const tri_failure *failure)
{
    if (result != TRI_LOOKUP_FAILED)
        return result;
    size_t before = tri_diag_error_count(all->diag);
    tri_diag_error(all->diag, use, 3034, "the value of '%.*s' cannot be computed while compiling", TRI_STR_ARG(name));
    if (failure->why.len && tri_diag_error_count(all->diag) > before)
        tri_diag_note(all->diag, failure->at, "%.*s", TRI_STR_ARG(failure->why));
    tri_diag_note(all->diag, TRI_NO_SPAN, "'-D%.*s=VALUE' gives the value", TRI_STR_ARG(name));
    return result;
}

bool tri_module_define(tri_module *module, tri_str name, const tri_value **out_value)
{
    tri_modules *all = module->all;
    const tri_options *options = all->unit->options;
    for (size_t i = options->defines.len; i-- > 0 && module->is_main;) {
        tri_define define = options->defines.at[i];
        if (!tri_str_equal(define.name, name))
            continue;
        const tri_value *v = tri_map_find(&all->defines, name);
        if (!v) {
            tri_str what = tri_str_format(all->arena, "-D%.*s=%.*s", TRI_STR_ARG(name), TRI_STR_ARG(define.value));
            v = tri_host_eval_text(module->scope, what, define.value);
            if (v && (tri_value_is_number(v) || v->kind == TRI_VALUE_STR || v->kind == TRI_VALUE_TUPLE))
                v = tri_value_constexpr(all->arena, v);
            tri_map_set(&all->defines, name, (void *)(uintptr_t)v);
        }
        *out_value = v;
        return true;
    }
    return false;
}

tri_lookup tri_module_find(tri_scope *scope, tri_str name, tri_span use, tri_global *out_global)
{
    tri_failure failure = {0};
    tri_lookup result = tri_scope_find(scope, name, UINT32_MAX, out_global, &failure);
    if (result == TRI_LOOKUP_ABSENT &&
        (tri_library_is_kernel_builtin(name) || tri_library_is_host_builtin(name))) {
        *out_global = (tri_global){tri_value_builtin(scope->module->all->arena, name), TRI_NO_SPAN, true};
        return TRI_LOOKUP_FOUND;
    }
    return report_module(scope->module->all, result, name, use, &failure);
}

tri_lookup tri_module_attribute(tri_modules *all, const tri_value *object, tri_str name, tri_span use,
                                tri_global *out_global)
{
    tri_failure failure = {0};
    return report_module(all, tri_module_get(all, tri_value_unwrap(object), name, out_global, &failure), name, use,
                         &failure);
}

bool tri_module_can_kernel_read(const tri_value *value)
{
    switch (value->kind) {
    case TRI_VALUE_NONE: case TRI_VALUE_CONSTEXPR: case TRI_VALUE_DTYPE: case TRI_VALUE_BUILTIN: case TRI_VALUE_MODULE:
    case TRI_VALUE_EXTERNAL: return true;
    case TRI_VALUE_FUNCTION: return value->function->kind != TRI_FUNCTION_HOST;
    case TRI_VALUE_CLASS: return value->cls->is_aggregate || value->cls->is_named_tuple;
    default: return false;
    }
}

/* NAME = NUMBER becomes NAME = tl.constexpr(NUMBER), where the file has tl. */
static void fix_global(tri_modules *all, tri_span at)
{
    static const char import[] = "import triton.language as tl\n";
    tri_str text = at.source ? at.source->text : TRI_STR("");
    if (!text.len || !memmem(text.data, text.len, import, sizeof import - 1))
        return;
    size_t begin = at.end + strspn(text.data + at.end, " ");
    if (text.data[begin] != '=' || text.data[begin + 1] == '=')
        return;
    begin += 1 + strspn(text.data + begin + 1, " ");
    size_t end = begin + strspn(text.data + begin, "0123456789.eE_-");
    if (end > begin && strchr("\r\n #", text.data[end]))
        tri_diag_fix(all->diag, (tri_span){at.source, (uint32_t)begin, (uint32_t)end}, "tl.constexpr(%.*s)",
                     (int)(end - begin), text.data + begin);
}

/* "@triton.jit" above a function that has no decorator, in a file that knows the name. */
static void fix_decorator(tri_modules *all, const tri_function *function)
{
    const tri_ast_node *node = function->node;
    tri_str text = node->span.source ? node->span.source->text : TRI_STR("");
    size_t line = node->span.begin;
    bool is_plain = node->kind == TRI_AST_FUNCTION && !node->function.decorators.len;
    if (!is_plain || !memmem(text.data, text.len, "import triton\n", 14))
        return;
    while (line > 0 && text.data[line - 1] != '\n')
        line--;
    tri_span at = {node->span.source, node->span.begin, node->span.begin};
    tri_diag_fix(all->diag, at, "@triton.jit\n%.*s", (int)(node->span.begin - line), text.data + line);
}

void tri_module_report_unreadable(tri_modules *all, tri_str name, const tri_global *global, tri_span use)
{
    const tri_value *v = global->value;
    bool is_function = v->kind == TRI_VALUE_FUNCTION, is_class = v->kind == TRI_VALUE_CLASS;
    if (is_function)
        tri_diag_error(all->diag, use, 3002, "a kernel cannot call '%.*s': it is a plain Python function",
                       TRI_STR_ARG(name));
    else if (is_class)
        tri_diag_error(all->diag, use, 3002, "a kernel cannot use the class '%.*s'", TRI_STR_ARG(name));
    else
        tri_diag_error(all->diag, use, 3002, "a kernel cannot read the global '%.*s' of type '%s'", TRI_STR_ARG(name),
                       tri_value_type_name(v));
    const char *remedy =
        is_function ? "decorate it with @triton.jit, or with @triton.constexpr_function when it computes constants"
        : is_class  ? "decorate it with @triton.aggregate"
                    : "make it a compile-time constant";
    if (global->at.source)
        tri_diag_note(all->diag, global->at, "it is defined here; %s", remedy);
    if (is_function)
        fix_decorator(all, v->function);
    if (!is_function && !is_class && tri_value_is_number(v)) {
        tri_str text = tri_value_repr_str(all->arena, v);
        fix_global(all, global->at);
        tri_diag_note(all->diag, TRI_NO_SPAN, "write '%.*s = tl.constexpr(%.*s)'", TRI_STR_ARG(name),
                      TRI_STR_ARG(text));
    }
}

int tri_module_param_index(const tri_function *function, tri_str name)
{
    bool is_lambda = function->node->kind == TRI_AST_LAMBDA;
    tri_ast_list params = is_lambda ? function->node->lambda.params : function->node->function.params;
    for (uint32_t i = 0; i < params.len; i++)
        if (tri_str_equal(params.at[i]->param.name, name))
            return (int)i;
    return -1;
}
