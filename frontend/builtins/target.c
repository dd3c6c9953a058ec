/* Queries of the target, and what only one vendor has. */
#include "frontend/builtins/builtins.h"
#include "frontend/kernel/target.h"

/* data: the question */
tri_ev tri_builtin_target_is(tri_eval *e, const tri_ev *args)
{
    (void)args;
    return tri_ev_bool(e, tri_target_answers(tri_target_facts(e), (int)tri_builtins_current(e)->data));
}

/* An object with backend, arch and warp_size, as far as the target has them. */
tri_ev tri_builtin_current_target(tri_eval *e, const tri_ev *args)
{
    (void)args;
    const tri_machine_facts *facts = tri_target_facts(e);
    tri_value *t = tri_value_object_create(e->arena, "triton.backends.compiler.GPUTarget");
    tri_value_set_field(e->arena, t, "backend", tri_value_str(e->arena, tri_str_from(facts->backend)));
    tri_value_set_field(e->arena, t, "arch", facts->capability ? tri_value_int(e->arena, facts->capability)
                                                  : tri_value_str(e->arena, tri_str_from(facts->ttg_target)));
    tri_value_set_field(e->arena, t, "warp_size", tri_value_int(e->arena, facts->lanes));
    return tri_ev_from_value(e, t);
}

/* convert_custom_float8_smNN(arg, dst_ty, rounding): casts from and to fp8e4b15, and no others */
tri_ev tri_builtin_convert_custom_float8(tri_eval *e, const tri_ev *args)
{
    tri_ev x;
    const tri_type *to = tri_arg_dtype(e, args, 1);
    if (!to || !tri_arg_tensor(e, args, 0, &x))
        return (tri_ev){0};
    tri_dtype from = tri_types_element(x.type)->dtype;
    if (!tri_ev_is_none(args[2]))
        return tri_arg_error(e, 2, 3021, "conversions of fp8e4b15 have one rounding");
    if (tri_types_is_ptr(x.type) || (from == TRI_DTYPE_FP8E4B15) == (to->dtype == TRI_DTYPE_FP8E4B15))
        return tri_arg_error(e, 1, 3015, "this converts from or to fp8e4b15, not '%s' to '%s'",
                             tri_eval_type_name(e, tri_types_element(x.type)), tri_eval_type_name(e, to));
    return tri_semantic_cast(e, x, to, TRI_ROUND_DEFAULT);
}

tri_ev tri_builtin_capability_geq(tri_eval *e, const tri_ev *args)
{
    int64_t major, minor;
    if (!tri_arg_int(e, args, 0, 0, &major) || !tri_arg_int(e, args, 1, 0, &minor))
        return (tri_ev){0};
    return tri_ev_bool(e, tri_target_has_capability(tri_target_facts(e), major, minor));
}

/* data: 1 counts threads */
tri_ev tri_builtin_num_warps(tri_eval *e, const tri_ev *args)
{
    (void)args;
    return tri_ev_int(e, tri_builtins_current(e)->data ? tri_target_facts(e)->lanes * e->num_warps : e->num_warps);
}

/* Without `has_it`, this NVIDIA GPU is older than `least`, the first that has the function. */
static bool need_nvidia(tri_eval *e, bool has_it, const char *least)
{
    if (tri_target_is(e, "cuda") && has_it)
        return true;
    const char *path = tri_builtins_current(e)->path, *name = strrchr(path, '.') + 1;
    if (tri_target_is(e, "cuda"))
        tri_eval_error(e, 3020, "'%s' needs %s or later", name, least);
    else
        tri_eval_error(e, 3020, "'%s' is only for NVIDIA GPUs", name);
    return false;
}

static tri_ev read_register(tri_eval *e, const char *text, const char *constraint, tri_dtype d, bool pure)
{
    tri_attr attrs[] = {
        {"asm_string", tri_attr_str(e->mlir, text, strlen(text))},
        {"constraints", tri_attr_str(e->mlir, constraint, strlen(constraint))},
        {"pure", tri_attr_bool(e->mlir, pure)},
        {"packed_element", tri_attr_i32(e->mlir, 1)},
    };
    return tri_emit_op(e, "tt.elementwise_inline_asm", tri_types_scalar(d), 0, NULL, 4, attrs);
}

tri_ev tri_builtin_globaltimer(tri_eval *e, const tri_ev *args)
{
    (void)args;
    if (!need_nvidia(e, true, ""))
        return (tri_ev){0};
    return read_register(e, "mov.u64 $0, %globaltimer;", "=l", TRI_DTYPE_INT64, false);
}

tri_ev tri_builtin_smid(tri_eval *e, const tri_ev *args)
{
    (void)args;
    if (!need_nvidia(e, true, ""))
        return (tri_ev){0};
    return read_register(e, "mov.u32 $0, %smid;", "=r", TRI_DTYPE_INT32, true);
}

/* The counter that all of an AMD GPU shares, which goes on at one rate. Its value comes as that of a scalar load does,
 * on gfx11 and later as the answer to a message. */
tri_ev tri_builtin_memrealtime(tri_eval *e, const tri_ev *args)
{
    (void)args;
    const char *chip = tri_target_facts(e)->ttg_target;
    if (!tri_target_is(e, "hip"))
        return tri_eval_error(e, 3020, "'memrealtime' is only for AMD GPUs");
    const char *text = "s_memrealtime $0\ns_waitcnt lgkmcnt(0)";
    if (strstr(chip, "gfx11"))
        text = "s_sendmsg_rtn_b64 $0, sendmsg(MSG_RTN_GET_REALTIME)\ns_waitcnt lgkmcnt(0)";
    else if (strstr(chip, "gfx12"))
        text = "s_sendmsg_rtn_b64 $0, sendmsg(MSG_RTN_GET_REALTIME)\ns_wait_kmcnt 0x0";
    return read_register(e, text, "=s", TRI_DTYPE_INT64, false);
}

/* data: 1 launches the dependents, 0 waits */
tri_ev tri_builtin_grid_dependency(tri_eval *e, const tri_ev *args)
{
    (void)args;
    if (!need_nvidia(e, tri_target_facts(e)->has_dependent_launch, "sm_90"))
        return (tri_ev){0};
    bool launch = tri_builtins_current(e)->data;
    tri_emit_effect(e, launch ? "tt.grid_dependency_launch_dependents" : "tt.grid_dependency_wait", 0, NULL, 0, NULL);
    return tri_ev_none(e);
}

enum { ext_lib, ext_path, ext_args, ext_dict, ext_pure };

/* tl.core.extern_elementwise: the tuple of argument types is looked up in the dict. */
tri_ev tri_builtin_extern_elementwise(tri_eval *e, const tri_ev *args)
{
    tri_str lib, path;
    bool pure;
    if (!tri_arg_str(e, args, ext_lib, "", &lib) || !tri_arg_str(e, args, ext_path, "", &path) ||
        !tri_arg_bool(e, args, ext_pure, true, &pure))
        return (tri_ev){0};
    if (args[ext_dict].kind != TRI_EV_CE || args[ext_dict].ce->kind != TRI_VALUE_DICT ||
        args[ext_args].kind != TRI_EV_TUPLE)
        return tri_arg_error(e, ext_dict, 3012, "this must be a dict from tuples of types to (symbol, type)");
    int n = args[ext_args].tuple->count;
    tri_ev values[8];
    const tri_value *key[8];
    if (n < 1 || n > 8)
        return tri_arg_error(e, ext_args, 3004, "1 to 8 arguments are supported");
    for (int i = 0; i < n; i++)
        values[i] = tri_semantic_to_tensor(e, args[ext_args].tuple->at[i]);
    if (!tri_semantic_broadcast_all(e, n, values))
        return (tri_ev){0};
    for (int i = 0; i < n; i++)
        key[i] = tri_value_dtype(e->arena, tri_types_element(values[i].type));
    const tri_value *tuple = tri_value_sequence(e->arena, TRI_VALUE_TUPLE, (uint32_t)n, key);
    const tri_value *entry = tri_value_dict_find(args[ext_dict].ce->dict, tuple);
    if (!entry || entry->kind != TRI_VALUE_TUPLE || entry->sequence.items.len != 2)
        return tri_arg_error(e, ext_dict, 3012, "there is no entry for %s", tri_value_repr_str(e->arena, tuple).data);
    tri_ev result = tri_ev_from_value(e, entry->sequence.items.at[1]);
    const tri_type *t = tri_ev_get_dtype(result);
    tri_str symbol = TRI_STR("");
    tri_ev_get_str(tri_ev_from_value(e, entry->sequence.items.at[0]), &symbol);
    if (!t)
        return tri_arg_error(e, ext_dict, 3012, "the entry does not name a result type");
    tri_attr attrs[] = {
        {"libname", tri_attr_str(e->mlir, lib.data, lib.len)},
        {"libpath", tri_attr_str(e->mlir, path.data, path.len)},
        {"symbol", tri_attr_str(e->mlir, symbol.data, symbol.len)},
        {"pure", tri_attr_bool(e->mlir, pure)},
    };
    return tri_emit_op(e, "tt.extern_elementwise", tri_types_with_element(e->arena, values[0].type, t), n, values, 4,
                       attrs);
}

