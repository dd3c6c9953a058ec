/* Questions that host code asks about the GPU it finds: answered for the target that is compiled for. */
#include "frontend/host_eval.h"

#include "frontend/frontend.h"

static int capability_of(const tri_frontend_target *target)
{
    int64_t n = 0;
    size_t colon = tri_str_find(target->ttg_target, ':');
    tri_str digits = tri_str_sub(target->ttg_target, colon + (colon < target->ttg_target.len), target->ttg_target.len);
    return tri_str_is(target->family, "nvptx") && tri_str_to_i64(digits, &n) ? (int)n : 0;
}

/* The name of Triton's back end for a family. */
static const char *backend_of(const tri_frontend_target *target)
{
    return tri_str_is(target->family, "nvptx")    ? "cuda"
           : tri_str_is(target->family, "amdgcn") ? "hip"
           : tri_str_is(target->family, "spirv")  ? "xpu"
                                                  : "cpu";
}

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
    int capability = capability_of(target);
    set(h, o->object.fields, "backend", tri_value_str(h->arena, tri_str_from(backend_of(target))));
    set(h, o->object.fields, "arch", capability ? tri_value_int(h->arena, capability) : tri_value_str(h->arena, target->family));
    set(h, o->object.fields, "warp_size", tri_value_int(h->arena, target->warp_size));
    return o;
}

static const tri_value *device_capability(tri_host *h, const tri_frontend_target *target)
{
    int capability = capability_of(target);
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
