/* The record of -emit=json. */
#include "targets/object/object.h"

#include "targets/facts.h"

#include "llvm/Config/llvm-config.h"
#include "targets/facts.h"

#ifndef TRI_VERSION
#define TRI_VERSION "0.1.0"
#endif

static void add_key(tri_buf *out, const char *indent, const char *key)
{
    tri_buf_format(out, "%s\"%s\": ", indent, key);
}

static void add_int(tri_buf *out, const char *key, int64_t value, bool is_known)
{
    add_key(out, "      ", key);
    if (is_known)
        tri_buf_format(out, "%lld,\n", (long long)value);
    else
        tri_buf_add_z(out, "null,\n");
}

static void add_bool(tri_buf *out, const char *key, bool value)
{
    add_key(out, "      ", key);
    tri_buf_add_z(out, value ? "true,\n" : "false,\n");
}

static void add_param(const tri_kernel_param *p, int index, tri_buf *out)
{
    tri_buf_add_z(out, "        {\"name\": ");
    tri_buf_add_json(out, p->name);
    if (p->is_constexpr) {
        tri_buf_add_z(out, ", \"constexpr\": true, \"value\": ");
        tri_buf_add_json(out, p->value);
        tri_buf_add_char(out, '}');
        return;
    }
    tri_buf_format(out, ", \"argument\": %d, \"type\": ", index);
    tri_buf_add_json(out, p->type);
    tri_buf_format(out, ", \"divisibility\": %d", p->divisibility > 0 ? p->divisibility : 1);
    if (p->is_small)
        tri_buf_add_z(out, ", \"small\": true");
    if (tri_str_has_prefix(p->type, "*"))
        tri_buf_format(out, ", \"read_only\": %s", p->is_read_only ? "true" : "false");
    tri_buf_add_char(out, '}');
}

static void start_condition(const tri_kernel_param *p, const char **separator, tri_buf *out)
{
    tri_buf_format(out, "%s{\"parameter\": ", *separator);
    tri_buf_add_json(out, p->name);
    *separator = ", ";
}

static void add_param_conditions(const tri_kernel_param *p, const char **separator, tri_buf *out)
{
    if (p->passed_type.len) {
        start_condition(p, separator, out);
        tri_buf_format(out, ", \"equals\": %.*s}", TRI_STR_ARG(p->value));
    } else if (p->divisibility > 1) {
        start_condition(p, separator, out);
        tri_buf_format(out, ", \"divisible\": %d}", p->divisibility);
    }
    if (p->is_small) {
        start_condition(p, separator, out);
        tri_buf_format(out, ", \"bytes_below\": %lld}", (long long)TRI_SMALL_BYTES);
    }
}

/* What must hold of the arguments for the code to be right. */
static void add_conditions(const tri_kernel *k, tri_buf *out)
{
    const char *separator = "";
    add_key(out, "      ", "conditions");
    tri_buf_add_char(out, '[');
    for (size_t i = 0; i < k->params.len; i++)
        add_param_conditions(&k->params.at[i], &separator, out);
    for (tri_str rest = k->heuristics, end; rest.len; rest = end) {
        size_t at = tri_str_find(rest, ';'), space = tri_str_find(rest, ' ');
        end = tri_str_sub(rest, at + (at < rest.len), rest.len);
        tri_str words = tri_str_sub(rest, space + 1, at);
        size_t next = tri_str_find(words, ' ');
        tri_buf_format(out, "%s{\"heuristic\": ", separator);
        tri_buf_add_json(out, tri_str_sub(rest, 0, space));
        tri_buf_format(out, ", \"equals\": %.*s, \"words\": ", TRI_STR_ARG(tri_str_sub(words, 0, next)));
        tri_buf_add_json(out, tri_str_sub(words, next + 1, words.len));
        tri_buf_add_char(out, '}');
        separator = ", ";
    }
    tri_buf_add_z(out, "],\n");
}

static void add_kernel(const tri_part *part, const tri_kernel *k, tri_buf *out)
{
    const tri_unit *unit = part->unit;
    tri_buf_add_z(out, "    {\n      \"name\": ");
    tri_buf_add_json(out, k->name);
    tri_buf_add_z(out, ",\n      \"symbol\": ");
    tri_buf_add_json(out, k->symbol);
    tri_buf_add_z(out, ",\n      \"target\": ");
    tri_buf_add_json(out, tri_str_from(unit->target ? unit->target->family : ""));
    tri_buf_add_z(out, ",\n      \"arch\": ");
    tri_buf_add_json(out, tri_str_from(unit->arch ? unit->arch->name : ""));
    tri_buf_add_z(out, ",\n");
    bool is_gpu = unit->arch && unit->arch->lanes > 1;
    if (k->config)
        add_int(out, "config", k->config - 1, true);
    if (k->expected_ns)
        add_int(out, "expected_ns", k->expected_ns, true);
    if (k->key.len) {
        add_key(out, "      ", "key");
        tri_buf_add_json(out, k->key);
        tri_buf_add_z(out, ",\n");
    }
    add_int(out, "num_warps", k->num_warps, is_gpu);
    add_int(out, "num_stages", k->num_stages > 0 ? k->num_stages : tri_facts_stages(unit), is_gpu);
    add_int(out, "num_ctas", k->num_ctas > 0 ? k->num_ctas : 1, is_gpu);
    add_int(out, "maxnreg", k->maxnreg, k->maxnreg > 0);
    add_int(out, "waves_per_eu", k->waves_per_eu, k->waves_per_eu > 0);
    add_int(out, "matrix_instr_nonkdim", k->matrix_size, k->matrix_size > 0);
    add_int(out, "kpack", k->k_pack, k->k_pack > 0);
    if (is_gpu) {
        add_bool(out, "launch_pdl", k->launch_pdl);
        add_bool(out, "launch_cooperative", k->launch_cooperative);
    }
    add_int(out, "threads_per_warp", unit->arch ? tri_facts_lanes(unit) : 1, is_gpu);
    add_int(out, "shared_bytes", k->shared_bytes, is_gpu);
    add_int(out, "scratch_bytes", k->scratch_bytes, true);
    add_int(out, "scratch_alignment", k->scratch_alignment, k->scratch_bytes > 0);
    if (k->is_persistent)
        add_bool(out, "persistent", true);
    if (k->maps.len)
        add_bool(out, "scratch_is_for_maps", k->maps_for_scratch);
    add_int(out, "registers", k->registers, k->registers >= 0);
    add_int(out, "spill_bytes", k->spill_bytes, k->spill_bytes >= 0);
    if (unit->target && unit->target->resources) {
        tri_resources r = unit->target->resources(unit, k, part->code);
        add_int(out, "barriers", r.barriers, true);
        add_bool(out, "dependent_launch", r.is_dependent);
        add_int(out, "blocks_per_multiprocessor", r.blocks, r.limit && k->registers >= 0);
        add_int(out, "occupancy_percent", r.percent, r.limit && k->registers >= 0);
    }
    add_conditions(k, out);
    tri_buf_add_z(out, "      \"parameters\": [");
    int index = 0;
    for (size_t i = 0; i < k->params.len; i++) {
        tri_buf_add_z(out, i ? ",\n" : "\n");
        add_param(&k->params.at[i], index, out);
        index += !k->params.at[i].is_constexpr;
    }
    tri_buf_add_z(out, "\n      ],\n      \"flattened\": [");
    tri_object_words words = tri_object_list_words(unit, k);
    for (size_t i = 0; i < words.len; i++) {
        tri_buf_add_z(out, i ? ",\n        {\"name\": " : "\n        {\"name\": ");
        tri_buf_add_json(out, words.at[i].name);
        tri_buf_add_z(out, ", \"type\": ");
        tri_buf_add_json(out, words.at[i].type);
        tri_buf_add_char(out, '}');
    }
    tri_buf_add_z(out, words.len ? "\n      ]" : "]");
    if (k->maps.len) {
        tri_buf_add_z(out, ",\n      \"tensor_maps\": ");
        tri_writer_describe_maps(k, out);
    }
    tri_buf_add_z(out, "\n    }");
}

bool tri_json_write(const tri_bundle *bundle, tri_buf *out)
{
    const char *separator = "";
    tri_buf_add_z(out, "{\n  \"tools\": {\"tritcc\": \"" TRI_VERSION "\", \"llvm\": \"" LLVM_VERSION_STRING
                       "\"},\n  \"kernels\": [\n");
    for (size_t p = 0; p < bundle->parts.len; p++) {
        const tri_part *part = &bundle->parts.at[p];
        for (size_t i = 0; i < part->unit->kernels.len; i++) {
            tri_buf_add_z(out, separator);
            add_kernel(part, &part->unit->kernels.at[i], out);
            separator = ",\n";
        }
    }
    tri_buf_add_z(out, "\n  ]\n}\n");
    return true;
}
