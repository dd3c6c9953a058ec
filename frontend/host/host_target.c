/* Questions that host code asks about the GPU it finds: answered for the target that is compiled for. */
#include "frontend/host/host_eval.h"

#include "frontend/frontend.h"
#include "frontend/kernel/target.h"

static void set(tri_host *h, tri_value_dict *fields, const char *name, const tri_value *value)
{
    tri_value_dict_set(h->arena, fields, tri_value_str(h->arena, tri_str_from(name)), value);
}

/* GPUTarget(backend, arch, warp_size) */
static const tri_value *current_target(tri_host *h, const tri_frontend_target *target)
{
    tri_value *o = TRI_NEW(h->arena, tri_value);
    o->kind = TRI_VALUE_OBJECT;
    o->object.path = TRI_STR("triton.backends.compiler.GPUTarget");
    o->object.fields = tri_value_dict_create(h->arena)->dict;
    int capability = target->facts->capability;
    set(h, o->object.fields, "backend", tri_value_str(h->arena, tri_str_from(target->facts->backend)));
    set(h, o->object.fields, "arch",
        capability ? tri_value_int(h->arena, capability)
                   : tri_value_str(h->arena, tri_str_from(target->facts->family)));
    set(h, o->object.fields, "warp_size", tri_value_int(h->arena, target->facts->lanes));
    return o;
}

static const tri_value *device_capability(tri_host *h, const tri_frontend_target *target)
{
    int capability = target->facts->capability;
    if (!capability)
        return NULL;
    tri_value *pair = TRI_NEW(h->arena, tri_value);
    pair->kind = TRI_VALUE_TUPLE;
    tri_value_push(h->arena, &pair->sequence.items, tri_value_int(h->arena, capability / 10));
    tri_value_push(h->arena, &pair->sequence.items, tri_value_int(h->arena, capability % 10));
    return pair;
}

const tri_value *tri_host_target_call(tri_host *h, tri_str path)
{
    const tri_frontend_target *target = h->all->target;
    if (!target)
        return NULL;
    if (tri_str_is(path, "triton.runtime.driver.active.get_current_target"))
        return current_target(h, target);
    if (tri_str_is(path, "torch.cuda.get_device_capability"))
        return device_capability(h, target);
    return NULL;
}

const tri_value *tri_host_target_info(tri_host *h, tri_str path, size_t n, const tri_value *const *v)
{
    /* in the order of tri_target_answers */
    static const char *const names[] = {"is_cuda",      "is_hip",       "is_xpu",
                                        "is_hip_cdna3", "is_hip_cdna4", "is_hip_gfx1250"};
    const tri_frontend_target *target = h->all->target;
    const char *library = "triton.language.target_info.";
    if (!target || !tri_str_has_prefix(path, library))
        return NULL;
    const tri_machine_facts *facts = target->facts;
    tri_str name = tri_str_sub(path, strlen(library), path.len);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tri_str_is(name, names[i]) && n == 0)
            return tri_value_bool(tri_target_answers(facts, (int)i));
    if (tri_str_is(name, "current_target") && n == 0)
        return current_target(h, target);
    int64_t major, minor = 0;
    if (!tri_str_is(name, "cuda_capability_geq") || n < 1 || n > 2 || !tri_value_get_i64(v[0], &major) ||
        (n == 2 && !tri_value_get_i64(v[1], &minor)))
        return NULL;
    return tri_value_bool(tri_target_has_capability(facts, major, minor));
}
