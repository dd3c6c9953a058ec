/* Cases for a machine that has a GPU and no compiler: PTX, arguments and results in one file.
 * The format is gpu/pack.h's. */
#include "tests/matrix/gpu/pack.h"
#include "tests/matrix/matrix.h"

#include "include/tritcc/tritcc.h"

#include <stdlib.h>
#include <string.h>

static int64_t number_after(const char *json, const char *key)
{
    const char *at = json ? strstr(json, key) : NULL;
    return at ? strtoll(at + strlen(key), NULL, 10) : 0;
}

static void put(FILE *f, const void *data, size_t size)
{
    uint64_t length = size;
    fwrite(&length, sizeof length, 1, f);
    fwrite(data, 1, size, f);
}

static void put_text(FILE *f, const char *text) { put(f, text, strlen(text) + 1); }

/* The eight bytes of a scalar as the kernel takes it. */
static uint64_t scalar_bits(const m_arg *a)
{
    uint64_t bits = 0;
    m_array one = {a->dtype, 1, &bits};
    if (m_dtype_is_float(a->dtype))
        m_set(&one, 0, strtold(a->text, NULL));
    else
        m_set_int(&one, 0, strtoll(a->text, NULL, 0));
    return bits;
}

static void put_argument(FILE *f, const m_case *c, const m_arg *a)
{
    size_t size = (size_t)a->data.count * (size_t)m_dtype_size(a->data.dtype);
    m_tolerance t = a->tolerance ? *a->tolerance : c->gpu_tolerance;
    if (!a->tolerance && !t.ulps && !t.rtol && !t.atol)
        t = c->tolerance;
    bool is_scalar = a->role == M_SCALAR, is_result = a->role == M_OUT || a->role == M_INOUT;
    pack_argument head = {.kind = is_scalar ? PACK_SCALAR : is_result && !a->is_unchecked ? PACK_RESULT : PACK_INPUT,
                          .dtype = is_scalar ? a->dtype : a->data.dtype, .ulps = t.ulps, .rtol = t.rtol, .atol = t.atol,
                          .is_strict = t.is_strict, .bits = is_scalar ? scalar_bits(a) : 0, .count = a->data.count};
    put(f, &head, sizeof head);
    put_text(f, a->name);
    if (is_scalar)
        return;
    put(f, a->data.data, size);
    if (head.kind == PACK_RESULT)
        put(f, a->want.data, size);
}

static void put_case(FILE *f, m_case *c, const char *json, const char *code, size_t code_size, const char *arch)
{
    uint32_t warps = (uint32_t)number_after(json, "\"num_warps\": ");
    pack_case head = {.magic = PACK_MAGIC, .grid = {c->grid[0], c->grid[1], c->grid[2]},
                      .threads = warps * (uint32_t)number_after(json, "\"threads_per_warp\": "),
                      .shared = (uint32_t)number_after(json, "\"shared_bytes\": "),
                      .scratch = (uint32_t)number_after(json, "\"scratch_bytes\": ")};
    for (int i = 0; i < c->num_args; i++)
        head.num_args += c->args[i].role != M_CONSTEXPR;
    put(f, &head, sizeof head);
    put_text(f, m_format(c, "%s, %s, %u warps", c->name, arch, warps));
    put(f, code, code_size + 1); /* with the NUL that the driver wants */
    for (int i = 0; i < c->num_args; i++)
        if (c->args[i].role != M_CONSTEXPR)
            put_argument(f, c, &c->args[i]);
}

bool m_pack_case(m_case *c, const char *arch, int warps, FILE *pack, FILE *out)
{
    const char *options[] = {m_format(c, "-arch=%s", arch), m_format(c, "-num-warps=%d", warps), "-emit=ptx,json",
                             m_format(c, "-sig=%s", m_signature(c)), m_format(c, "-num-stages=%d", c->stages)};
    tritcc_context *context;
    const void *code = NULL, *json = NULL;
    size_t code_size = 0, json_size = 0;
    int status = tritcc_create(&context);
    status = status ? status : tritcc_set_arguments(context, c->stages ? 5 : 4, options);
    status = status ? status : tritcc_set_input(context, "k.tri", c->text.data, c->text.len);
    status = status ? status : tritcc_compile(context);
    status = status ? status : tritcc_get_output(context, "ptx", &code, &code_size);
    status = status ? status : tritcc_get_output(context, "json", &json, &json_size);
    bool ok = status == 0 && code && json;
    if (ok)
        put_case(pack, c, json, code, code_size, arch);
    const char *log = "";
    if (!ok && !tritcc_get_log(context, &log, NULL))
        fprintf(out, "not packed: %s: %s\n%s\n", c->name, tritcc_strerror(status), log);
    tritcc_destroy(context);
    fflush(pack);
    return ok;
}
