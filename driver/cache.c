#include "driver/cache.h"

#include "base/file.h"
#include "base/process.h"
#include "driver/info.h"
#include "ir/machines.h"

#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"

#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[] = "tritcc-cache 1 ";

/* ---- what goes into a key ---- */

/* With its length, so that no two lists of words are one text. */
static void add_words(tri_sha256 *hash, const char *what, tri_str text)
{
    uint64_t length = text.len;
    tri_sha256_add(hash, what, strlen(what) + 1);
    tri_sha256_add(hash, &length, sizeof length);
    tri_sha256_add(hash, text.data, text.len);
}

typedef struct {
    tri_sha256 *hash;
    bool is_found;
} build_id;

/* The note that the linker made of the contents of the program or library that this function is in. */
static int add_build_id(struct dl_phdr_info *info, size_t size, void *data)
{
    build_id *b = data;
    bool is_ours = false;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, at = (uintptr_t)magic;
        is_ours = is_ours || (info->dlpi_phdr[i].p_type == PT_LOAD && at >= begin &&
                              at - begin < info->dlpi_phdr[i].p_memsz);
    }
    for (int i = 0; is_ours && i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_NOTE)
            continue;
        const char *note = (const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        tri_sha256_add(b->hash, note, info->dlpi_phdr[i].p_memsz);
        b->is_found = true;
    }
    return is_ours;
}

static void add_compiler(tri_sha256 *hash)
{
    build_id b = {hash, false};
    add_words(hash, "tritcc", tri_str_from(tri_info_version_text()));
    dl_iterate_phdr(add_build_id, &b);
}

/* A program or a library of a toolkit, by its name, size and time: as compiler caches know compilers. */
static void add_tool(tri_sha256 *hash, tri_str path)
{
    struct stat info;
    if (!path.len || stat(path.data, &info) != 0)
        return;
    int64_t facts[3] = {info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
    add_words(hash, "tool", path);
    tri_sha256_add(hash, facts, sizeof facts);
}

static void add_tools(tri_sha256 *hash, tri_arena *arena, const tri_options *options)
{
    static const char *const names[] = {"ptxas", "ocloc", "bishengir-compile", "llvm-spirv", "llvm-spirv-15"};
    const tri_str given[] = {options->ptxas, options->ocloc, options->bishengir, options->llvm_spirv,
                             options->llvm_spirv};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        tri_str path = given[i];
        if (!path.len && !tri_process_find(arena, tri_str_from(names[i]), options->tool_path.data, &path))
            continue;
        add_tool(hash, tri_str_copy(arena, path));
    }
    add_tool(hash, tri_str_copy(arena, options->libdevice));
    for (size_t i = 0; i < options->extern_libs.len; i++)
        add_tool(hash, tri_str_copy(arena, options->extern_libs.at[i].path));
}

/* Where the host's own processor is meant. */
static void add_host(tri_sha256 *hash, tri_str arch)
{
    if (arch.len && !memmem(arch.data, arch.len, "native", 6) && !memmem(arch.data, arch.len, "linalg", 6))
        return;
    char *name = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
    add_words(hash, name, tri_str_from(features));
    LLVMDisposeMessage(name);
    LLVMDisposeMessage(features);
}

/* ---- files that are asked for ---- */

static void digest_text(tri_str text, char *out)
{
    tri_sha256 hash;
    tri_sha256_init(&hash);
    tri_sha256_add(&hash, text.data, text.len);
    tri_sha256_finish(&hash, out);
}

static int find_file(void *data, const char *path, tri_str *out_text)
{
    tri_cache *cache = data;
    tri_cache_probe probe = {.path = tri_str_copy(cache->arena, tri_str_from(path))};
    int error = 0, found = cache->below ? cache->below->find(cache->below->data, path, out_text) : 0;
    if (!found)
        found = tri_file_read(cache->arena, probe.path, out_text, &error);
    if (found > 0)
        digest_text(*out_text, probe.digest);
    tri_vec_push(cache->arena, &cache->probes, probe);
    return found;
}

/* The key with what the files hold. */
static void finish_key(const tri_cache *cache, const tri_cache_probe *probes, size_t count, char *out)
{
    tri_sha256 hash;
    tri_sha256_init(&hash);
    tri_sha256_add(&hash, cache->key, TRI_SHA256_TEXT);
    for (size_t i = 0; i < count; i++)
        add_words(&hash, probes[i].digest, probes[i].path);
    tri_sha256_finish(&hash, out);
}

/* ---- life ---- */

/* What is written elsewhere than to the outputs, or depends on more, is compiled each time. */
static bool is_kept(const tri_opt *opt)
{
    return opt->cache_dir.len && !opt->syntax_only && !opt->dry_run && !opt->save_temps && !opt->resource_usage &&
           !opt->estimate && opt->time_report == TRI_OPT_NO_REPORT && !opt->print_before.len && !opt->print_after.len &&
           !opt->print_changed && !opt->has_sarif;
}

void tri_cache_init(tri_cache *cache, tri_session *session, tri_arena *arena, tri_str path, tri_str text,
                    const tri_output_list *outputs)
{
    const tri_opt *opt = session->opt;
    char folder[4096];
    tri_sha256 hash;
    *cache = (tri_cache){.session = NULL};
    if (!is_kept(opt))
        return;
    *cache = (tri_cache){.session = session, .arena = arena, .below = opt->compile.files};
    cache->written = tri_diag_written(session->diag);
    tri_sha256_init(&hash);
    add_compiler(&hash);
    for (size_t i = 0; i < opt->counted.len; i++)
        add_words(&hash, "option", opt->counted.at[i]);
    for (size_t i = 0; i < outputs->len; i++)
        add_words(&hash, "output", tri_str_from(tri_phase_kind(outputs->at[i].kind)->name));
    if (opt->compile.debug != TRI_DEBUG_NONE && getcwd(folder, sizeof folder))
        add_words(&hash, "folder", tri_str_from(folder));
    add_tools(&hash, arena, &opt->compile);
    add_host(&hash, opt->compile.arch);
    add_words(&hash, "path", path);
    add_words(&hash, "text", text);
    tri_sha256_finish(&hash, cache->key);
    cache->files = (tri_file_source){find_file, cache};
    session->opt->compile.files = &cache->files;
}

void tri_cache_fini(tri_cache *cache)
{
    if (cache->session)
        cache->session->opt->compile.files = cache->below;
}

/* ---- entries: a line with a sum, then fields "NAME LENGTH\n" and their bytes ---- */

static tri_str entry_path(const tri_cache *cache, const char *key, const char *suffix, tri_str *out_folder)
{
    *out_folder = tri_str_format(cache->arena, "%.*s/%.2s", TRI_STR_ARG(cache->session->opt->cache_dir), key);
    return tri_str_format(cache->arena, "%s/%s%s", out_folder->data, key, suffix);
}

static void add_field(tri_buf *out, const char *name, tri_str data)
{
    tri_buf_format(out, "%s %zu\n", name, data.len);
    tri_buf_add_str(out, data);
}

static bool take_field(tri_str *rest, tri_str *out_name, tri_str *out_data)
{
    size_t end = tri_str_find(*rest, '\n'), blank = tri_str_find(tri_str_sub(*rest, 0, end), ' ');
    int64_t length;
    if (blank == end || end == rest->len || !tri_str_to_i64(tri_str_sub(*rest, blank + 1, end), &length) ||
        length < 0 || (uint64_t)length > rest->len - end - 1)
        return false;
    *out_name = tri_str_sub(*rest, 0, blank);
    *out_data = tri_str_sub(*rest, end + 1, end + 1 + (size_t)length);
    *rest = tri_str_sub(*rest, end + 1 + (size_t)length, rest->len);
    return true;
}

static void write_entry(const tri_cache *cache, const char *key, const char *suffix, tri_str body)
{
    char digest[TRI_SHA256_TEXT + 1];
    tri_buf text = {0};
    tri_str folder, path = entry_path(cache, key, suffix, &folder);
    int error = 0;
    digest_text(body, digest);
    tri_buf_format(&text, "%s%s\n", magic, digest);
    tri_buf_add_str(&text, body);
    if (tri_file_make_folder(cache->session->opt->cache_dir) && tri_file_make_folder(folder))
        (void)!tri_file_write(path, tri_buf_str(&text), &error);
    tri_buf_fini(&text);
}

/* The body of an entry that is whole. */
static bool read_entry(const tri_cache *cache, const char *key, const char *suffix, tri_str *out_body)
{
    char digest[TRI_SHA256_TEXT + 1];
    tri_str folder, path = entry_path(cache, key, suffix, &folder), text;
    size_t head = sizeof magic - 1 + TRI_SHA256_TEXT + 1;
    int error;
    if (!tri_file_read(cache->arena, path, &text, &error) || text.len < head)
        return false;
    *out_body = tri_str_sub(text, head, text.len);
    digest_text(*out_body, digest);
    bool is_whole = !memcmp(text.data, magic, sizeof magic - 1) &&
                    !memcmp(text.data + sizeof magic - 1, digest, TRI_SHA256_TEXT);
    return is_whole;
}

/* ---- fetch and store ---- */

/* The files that the manifest names, as they are now. */
static bool probe_again(const tri_cache *cache, tri_str manifest, char *out_key)
{
    TRI_VEC(tri_cache_probe) probes = {0};
    tri_str name, path, text;
    while (manifest.len) {
        tri_cache_probe probe = {.digest = ""};
        int error, found;
        if (!take_field(&manifest, &name, &path))
            return false;
        probe.path = tri_str_copy(cache->arena, path);
        found = cache->below ? cache->below->find(cache->below->data, probe.path.data, &text) : 0;
        if (found > 0 || (!found && tri_file_read(cache->arena, probe.path, &text, &error)))
            digest_text(text, probe.digest);
        tri_vec_push(cache->arena, &probes, probe);
    }
    finish_key(cache, probes.at, probes.len, out_key);
    return true;
}

bool tri_cache_fetch(const tri_cache *cache, tri_output_list *outputs, tri_unit *unit)
{
    char key[TRI_SHA256_TEXT + 1];
    tri_str manifest, body, name, data;
    if (!cache->session || !read_entry(cache, cache->key, ".m", &manifest) || !probe_again(cache, manifest, key) ||
        !read_entry(cache, key, ".r", &body))
        return false;
    for (tri_str rest = body; rest.len;) {
        if (!take_field(&rest, &name, &data))
            return false;
        for (size_t i = 0; i < outputs->len; i++)
            if (tri_str_is(name, tri_phase_kind(outputs->at[i].kind)->name)) {
                outputs->at[i].data = data;
                outputs->at[i].is_done = true;
            }
    }
    for (size_t i = 0; i < outputs->len; i++)
        if (!outputs->at[i].is_done)
            return false;
    for (tri_str rest = body; rest.len && take_field(&rest, &name, &data);)
        if (tri_str_is(name, "dependency"))
            tri_unit_add_dependency(unit, tri_str_copy(cache->arena, data));
    if (cache->session->opt->verbose)
        tri_diag_write(unit->diag, tri_str_format(cache->arena, "tritcc: cache: %s\n", key));
    return true;
}

void tri_cache_store(const tri_cache *cache, const tri_output_list *outputs, const tri_unit *unit)
{
    char key[TRI_SHA256_TEXT + 1];
    tri_buf manifest = {0}, body = {0};
    if (!cache->session || tri_diag_written(cache->session->diag) != cache->written)
        return;
    for (size_t i = 0; i < cache->probes.len; i++)
        add_field(&manifest, "file", cache->probes.at[i].path);
    for (size_t i = 0; i < unit->dependencies.len; i++)
        add_field(&body, "dependency", unit->dependencies.at[i]);
    for (size_t i = 0; i < outputs->len; i++)
        add_field(&body, tri_phase_kind(outputs->at[i].kind)->name, outputs->at[i].data);
    finish_key(cache, cache->probes.at, cache->probes.len, key);
    write_entry(cache, key, ".r", tri_buf_str(&body));
    write_entry(cache, cache->key, ".m", tri_buf_str(&manifest));
    tri_buf_fini(&manifest);
    tri_buf_fini(&body);
}
