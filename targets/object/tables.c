/* The tables behind a kernel's launcher (runtime/launch/record.def): parts, variants, conditions and images. */
#include "targets/object/writer.h"

#include "targets/cpu/host.h"
#include "targets/facts.h"

#include "llvm-c/Core.h"

/* A part of the bundle as the runtime has it: host code for a list of processors is one for each. */
typedef struct {
    const tri_part *part;
    const tri_machine_facts *arch;
    tri_str suffix; /* of the names of its functions */
} table_part;

typedef TRI_VEC(table_part) table_parts;

/* Has the code functions whose names end so? */
static bool mentions(tri_str code, tri_str suffix)
{
    return memmem(code.data, code.len, suffix.data, suffix.len) != NULL;
}

static table_parts list_parts(tri_writer *w)
{
    table_parts list = {0};
    for (size_t i = 0; i < w->bundle->parts.len; i++) {
        const tri_part *part = &w->bundle->parts.at[i];
        const tri_machine_facts *archs[TRI_HOST_MAX_LIST];
        bool is_host = part->unit->target->object_form == TRI_OBJECT_CODE;
        size_t count = is_host ? tri_host_list(part->unit, archs, TRI_HOST_MAX_LIST) : 0;
        if (count == 2 && tri_host_has_tiles(archs[1]) && !mentions(part->code, tri_host_suffix(w->arena, archs[1])))
            count = 1;
        if (count <= 1)
            tri_vec_push(w->arena, &list, (table_part){part, part->unit->arch, TRI_STR("")});
        for (size_t n = 0; count > 1 && n < count; n++) {
            bool is_base = n == 0 && tri_host_has_tiles(archs[1]); /* of the form with AMX: has the plain names */
            tri_str suffix = is_base ? TRI_STR("") : tri_host_suffix(w->arena, archs[n]);
            tri_vec_push(w->arena, &list, (table_part){part, archs[n], suffix});
        }
    }
    return list;
}

/* ---- variants ---- */

static LLVMValueRef make_condition(tri_writer *w, const tri_object_arg *arg, int op, uint64_t value)
{
    bool is_pointer = arg->type.kind == TRI_CTYPE_PTR;
    uint64_t mask = is_pointer || arg->type.bits == 64 ? UINT64_MAX : (UINT64_C(1) << arg->type.bits) - 1;
    tri_record r = tri_record_start(w->llvm, TRI_RECORD_condition);
    tri_record_set_number(&r, condition, arg, arg->slot);
    tri_record_set_number(&r, condition, bits, is_pointer ? 64 : arg->type.bits);
    tri_record_set_number(&r, condition, op, (uint64_t)op);
    tri_record_set_number(&r, condition, value, value & mask);
    return tri_record_finish(&r);
}

static LLVMValueRef make_conditions(tri_writer *w, const tri_object_args *args, unsigned *out_count)
{
    LLVMValueRef *rows = TRI_NEW_ARRAY(w->arena, LLVMValueRef, 2 * args->at.len + 1);
    unsigned count = 0;
    for (size_t i = 0; i < args->at.len; i++) {
        const tri_object_arg *arg = &args->at.at[i];
        if (arg->type.kind != TRI_CTYPE_INT && arg->type.kind != TRI_CTYPE_PTR)
            continue;
        if (arg->is_constant)
            rows[count++] = make_condition(w, arg, TRI_RT_EQUAL, arg->value);
        else if (arg->divisibility > 1)
            rows[count++] = make_condition(w, arg, TRI_RT_DIVISIBLE, (uint64_t)arg->divisibility);
    }
    for (size_t i = 0; i < args->at.len; i++) /* last: the driver is asked */
        if (args->at.at[i].is_small)
            rows[count++] = make_condition(w, &args->at.at[i], TRI_RT_BYTES_BELOW, TRI_SMALL_BYTES);
    *out_count = count;
    return tri_writer_array(w, tri_record_type(w->llvm, TRI_RECORD_condition), rows, count, "conditions");
}

/* The launcher's arguments that the code takes; null when it takes all, each once and in order. */
static LLVMValueRef make_slots(tri_writer *w, const tri_unit *unit, const tri_object_args *args, unsigned *out_count)
{
    tri_object_slots list = tri_object_list_slots(unit, args);
    LLVMValueRef *slots = TRI_NEW_ARRAY(w->arena, LLVMValueRef, list.len + 1);
    bool is_all = list.len == args->slots;
    for (size_t i = 0; i < list.len; i++) {
        slots[i] = LLVMConstInt(w->i16, list.at[i].slot, false);
        is_all = is_all && list.at[i].slot == i;
    }
    *out_count = (unsigned)list.len;
    if (is_all)
        return NULL;
    /* a table even where nothing is left: null means all */
    slots[list.len] = LLVMConstNull(w->i16);
    return tri_writer_constant(w, LLVMConstArray2(w->i16, slots, list.len + 1), "slots");
}

static LLVMValueRef host_function(tri_writer *w, const table_part *p, const tri_kernel *k)
{
    LLVMTypeRef params[5] = {w->ptr, w->i64, w->i64, w->ptr, w->ptr};
    tri_str symbol = tri_str_format(w->arena, "tri_run_%.*s%.*s", TRI_STR_ARG(k->symbol), TRI_STR_ARG(p->suffix));
    LLVMValueRef run = LLVMGetNamedFunction(w->module, symbol.data);
    if (!run)
        run = LLVMAddFunction(w->module, symbol.data,
                              LLVMFunctionType(LLVMVoidTypeInContext(w->llvm), params, 5, false));
    LLVMSetVisibility(run, LLVMHiddenVisibility);
    return run;
}

/* The sizes of the arguments that the code takes. All kernels of a module take scratch where one does. */
static LLVMValueRef make_sizes(tri_writer *w, const tri_unit *unit, const tri_object_args *args, unsigned *out_count)
{
    tri_object_slots list = tri_object_list_slots(unit, args);
    LLVMValueRef *sizes = TRI_NEW_ARRAY(w->arena, LLVMValueRef, list.len + 1);
    unsigned count = 0;
    bool has_scratch = false;
    for (size_t i = 0; i < list.len; i++) {
        unsigned flag = list.at[i].is_pointer ? TRI_RT_IS_POINTER : 0;
        sizes[count++] = LLVMConstInt(w->i16, list.at[i].bytes | flag, false);
    }
    for (size_t i = 0; i < unit->kernels.len && unit->target->device_kind == TRI_OPENCL; i++)
        has_scratch = has_scratch || unit->kernels.at[i].scratch_bytes > 0;
    if (has_scratch)
        sizes[count++] = LLVMConstInt(w->i16, 8 | TRI_RT_IS_POINTER, false);
    *out_count = count;
    return tri_writer_array(w, w->i16, sizes, count, "sizes");
}

static LLVMValueRef make_map_steps(tri_writer *w, const tri_object_map *map)
{
    LLVMValueRef *rows = TRI_NEW_ARRAY(w->arena, LLVMValueRef, map->steps.len + 1);
    for (size_t i = 0; i < map->steps.len; i++) {
        tri_record r = tri_record_start(w->llvm, TRI_RECORD_step);
        tri_record_set_number(&r, step, op, map->steps.at[i].op);
        tri_record_set_number(&r, step, bits, map->steps.at[i].bits);
        tri_record_set_number(&r, step, arg, map->steps.at[i].arg);
        tri_record_set_number(&r, step, value, map->steps.at[i].value);
        rows[i] = tri_record_finish(&r);
    }
    return tri_writer_array(w, tri_record_type(w->llvm, TRI_RECORD_step), rows, map->steps.len, "map");
}

static LLVMValueRef make_map_rows(tri_writer *w, const tri_kernel *k, size_t num_args, size_t *out_count)
{
    tri_object_maps maps = tri_object_read_maps(w->arena, k, num_args);
    LLVMValueRef *rows = TRI_NEW_ARRAY(w->arena, LLVMValueRef, maps.len + 1);
    for (size_t i = 0; i < maps.len; i++) {
        const tri_rt_map *row = &maps.at[i].row;
        tri_record r = tri_record_start(w->llvm, TRI_RECORD_map);
        tri_record_set(&r, map, steps, make_map_steps(w, &maps.at[i]));
        tri_record_set_number(&r, map, step_count, row->step_count);
        tri_record_set_number(&r, map, arg, row->arg);
        tri_record_set_number(&r, map, rank, row->rank);
        tri_record_set_number(&r, map, element, row->element);
        tri_record_set_number(&r, map, bytes, row->bytes);
        tri_record_set_number(&r, map, swizzle, row->swizzle);
        tri_record_set_number(&r, map, fill, row->fill);
        rows[i] = tri_record_finish(&r);
    }
    *out_count = maps.len;
    return tri_writer_array(w, tri_record_type(w->llvm, TRI_RECORD_map), rows, maps.len, "maps");
}

/* What the vendor's compiler says of the kernel. */
static LLVMValueRef make_npu(tri_writer *w, const tri_unit *unit, const tri_kernel *k)
{
    tri_record r = tri_record_start(w->llvm, TRI_RECORD_npu);
    tri_record_set_number(&r, npu, lock_start, (uint64_t)k->lock_start);
    tri_record_set_number(&r, npu, lock_count, (uint64_t)k->lock_count);
    tri_record_set_number(&r, npu, is_vector, k->is_vector);
    tri_record_set_number(&r, npu, has_control_address, unit->arch->has_control_address);
    return tri_writer_constant(w, tri_record_finish(&r), "npu");
}

static LLVMValueRef make_variant(tri_writer *w, const table_part *p, const tri_kernel *k)
{
    tri_object_args args;
    unsigned conditions, slots, sizes;
    bool is_host = p->part->unit->target->object_form == TRI_OBJECT_CODE;
    tri_object_get_args(p->part->unit, k, &args);
    tri_record r = tri_record_start(w->llvm, TRI_RECORD_variant);
    tri_record_set(&r, variant, symbol, tri_writer_text(w, k->symbol));
    tri_record_set(&r, variant, run, is_host ? host_function(w, p, k) : NULL);
    tri_record_set(&r, variant, conditions, make_conditions(w, &args, &conditions));
    tri_record_set(&r, variant, slots, make_slots(w, p->part->unit, &args, &slots));
    if (p->part->unit->target->is_npu)
        tri_record_set(&r, variant, npu, make_npu(w, p->part->unit, k));
    if (p->part->unit->target->tells_sizes) {
        tri_record_set(&r, variant, sizes, make_sizes(w, p->part->unit, &args, &sizes));
        tri_record_set_number(&r, variant, size_count, sizes);
    }
    size_t maps;
    tri_record_set(&r, variant, maps, make_map_rows(w, k, slots, &maps));
    tri_record_set_number(&r, variant, map_count, maps);
    tri_record_set_number(&r, variant, maps_for_scratch, k->maps_for_scratch);
    tri_record_set_number(&r, variant, is_persistent, k->is_persistent);
    tri_record_set(&r, variant, computed, tri_writer_computed(w, k));
    tri_record_set_number(&r, variant, condition_count, conditions);
    tri_record_set_number(&r, variant, slot_count, slots);
    tri_record_set_number(&r, variant, scratch_bytes, k->scratch_bytes);
    tri_record_set_number(&r, variant, scratch_alignment, k->scratch_alignment);
    tri_record_set_number(&r, variant, num_warps, k->num_warps);
    tri_record_set_number(&r, variant, num_ctas, k->num_ctas > 0 ? k->num_ctas : 1);
    tri_record_set_number(&r, variant, shared_bytes, k->shared_bytes);
    tri_record_set_number(&r, variant, launch_pdl, k->launch_pdl);
    tri_record_set_number(&r, variant, launch_cooperative, k->launch_cooperative);
    return tri_record_finish(&r);
}

/* ---- images and parts ---- */

/* The bytes of an image: NVIDIA's are read by other tools too, so they are as those want them. */
static LLVMValueRef make_data(tri_writer *w, const tri_part *part, tri_str data, bool is_code, size_t *out_size)
{
    const tri_target *target = part->unit->target;
    tri_buf wrapped = {0};
    if (target->wrap_image)
        target->wrap_image(part->unit, data, is_code, &wrapped);
    else
        tri_buf_add_str(&wrapped, data);
    LLVMValueRef bytes = LLVMConstStringInContext2(w->llvm, wrapped.data, wrapped.len, true);
    LLVMValueRef global = tri_writer_constant(w, bytes, "image");
    LLVMSetAlignment(global, target->image_section ? 8 : 64); /* such a section has nothing between images */
    if (target->image_section)
        LLVMSetSection(global, target->image_section);
    *out_size = wrapped.len;
    tri_buf_fini(&wrapped);
    return global;
}

static LLVMValueRef make_image(tri_writer *w, const tri_part *part, tri_str data, bool is_code)
{
    size_t size;
    tri_record r = tri_record_start(w->llvm, TRI_RECORD_image);
    tri_record_set(&r, image, arch, tri_writer_text(w, tri_str_from(part->unit->arch->name)));
    tri_record_set(&r, image, data, make_data(w, part, data, is_code, &size));
    tri_record_set_number(&r, image, size, size);
    tri_record_set_number(&r, image, is_ptx, is_code);
    return tri_record_finish(&r);
}

static size_t image_count(const tri_part *part) { return (part->binary.len != 0) + (size_t)part->has_code; }

/* The binary, and the code, which newer devices compile when they load it. Kernels of a part share them. */
static LLVMValueRef make_images(tri_writer *w, const tri_part *part)
{
    const char *name = tri_str_format(w->arena, "images.%zu", (size_t)(part - w->bundle->parts.at)).data;
    LLVMValueRef known = LLVMGetNamedGlobal(w->module, name), rows[2];
    size_t count = 0;
    if (known)
        return known;
    if (part->binary.len)
        rows[count++] = make_image(w, part, part->binary, false);
    if (part->has_code)
        rows[count++] = make_image(w, part, part->code, true);
    return tri_writer_array(w, tri_record_type(w->llvm, TRI_RECORD_image), rows, count, name);
}

/* The general form's grid and heuristics are those of all: what they compute from is in the launcher's arguments. */
static bool set_expressions(tri_writer *w, const table_part *p, const tri_kernel *general, tri_record *r)
{
    tri_object_args args;
    LLVMValueRef steps, heuristics;
    size_t count, heuristic_count;
    if (!tri_object_get_args(p->part->unit, general, &args) || !tri_writer_grid(w, general, &args, &steps, &count) ||
        !tri_writer_heuristics(w, general, &args, &heuristics, &heuristic_count))
        return false;
    tri_record_set(r, part, grid, steps);
    tri_record_set_number(r, part, step_count, count);
    tri_record_set(r, part, heuristics, heuristics);
    tri_record_set_number(r, part, heuristic_count, heuristic_count);
    return true;
}

/* What the launcher asks the processor for. */
static void set_processor(tri_writer *w, const table_part *p, tri_record *r)
{
    uint64_t features = tri_host_features(p->part->unit, p->arch);
    if (tri_host_needs_level(p->arch)) {
        const char *name = tri_host_has_tiles(p->arch) ? "tri_cpu_rt_tile_level" : "tri_cpu_rt_level";
        tri_record_set(r, part, find_level,
                       tri_writer_runtime_function(w, name, LLVMFunctionType(w->i32, NULL, 0, false)));
        tri_record_set_number(r, part, level, p->arch->level);
    }
    if (features) {
        LLVMTypeRef type = LLVMFunctionType(w->i64, NULL, 0, false);
        tri_record_set(r, part, find_features, tri_writer_runtime_function(w, "tri_cpu_rt_features", type));
        tri_record_set_number(r, part, features, features);
    }
}

/* Null after a report. */
static LLVMValueRef make_part(tri_writer *w, const table_part *p, const tri_object_variants *forms, size_t first,
                              uint64_t config)
{
    const tri_unit *unit = p->part->unit;
    bool is_host = unit->target->object_form == TRI_OBJECT_CODE;
    tri_record r = tri_record_start(w->llvm, TRI_RECORD_part);
    tri_record_set(&r, part, arch, tri_writer_text(w, tri_str_from(p->arch->name)));
    tri_record_set_number(&r, part, kind, is_host ? TRI_HOST : unit->target->device_kind);
    if (is_host)
        set_processor(w, p, &r);
    if (!is_host) {
        tri_record_set(&r, part, images, make_images(w, p->part));
        tri_record_set_number(&r, part, image_count, image_count(p->part));
        tri_record_set_number(&r, part, lanes, tri_facts_lanes(unit));
    }
    tri_record_set_number(&r, part, config, config);
    tri_record_set_number(&r, part, first_variant, first);
    tri_record_set_number(&r, part, variant_count, forms->len);
    if (!set_expressions(w, p, tri_vec_last(forms), &r))
        return NULL;
    return tri_record_finish(&r);
}

/* ---- the kernel ---- */

static LLVMValueRef make_backends(tri_writer *w, const table_parts *parts)
{
    LLVMValueRef *list = TRI_NEW_ARRAY(w->arena, LLVMValueRef, 2 * tri_targets_count() + 2);
    bool has_host = false;
    const tri_target *before = NULL;
    unsigned count = 0;
    for (size_t t = 0; t < tri_targets_count(); t++) {
        const tri_target *target = tri_targets_at(t);
        bool is_there = false, is_new = !before || before->device_kind != target->device_kind;
        for (size_t i = 0; i < parts->len; i++)
            is_there = is_there || parts->at[i].part->unit->target == target;
        has_host = has_host || (is_there && target->object_form == TRI_OBJECT_CODE);
        for (size_t i = 0; is_there && is_new && i < 2 && target->launchers[i]; i++)
            list[count++] = tri_writer_runtime_value(w, target->launchers[i]);
        before = is_there && target->launchers[0] ? target : before;
    }
    if (has_host)
        list[count++] = tri_writer_runtime_value(w, "tri_rt_cpu_backend");
    list[count++] = LLVMConstNull(w->ptr);
    return tri_writer_constant(w, LLVMConstArray2(w->ptr, list, count), "backends");
}

/* What is loaded: tri_rt_context, tri_rt_module and functions, all zero. */
static void set_state(tri_writer *w, tri_record *r, bool has_device, bool has_persistent, size_t variants,
                      size_t configs)
{
    size_t contexts = has_device ? TRI_RT_MAX_CONTEXTS : 1;
    LLVMTypeRef bytes = w->i64;
    tri_record_set(r, kernel, contexts, tri_writer_state(w, bytes, contexts * sizeof(tri_rt_context) / 8, "contexts"));
    if (!has_device)
        return;
    tri_record_set(r, kernel, modules,
                   tri_writer_state(w, bytes, contexts * configs * sizeof(tri_rt_module) / 8, "modules"));
    tri_record_set(r, kernel, functions, tri_writer_state(w, w->ptr, contexts * variants, "functions"));
    if (has_persistent)
        tri_record_set(r, kernel, rooms, tri_writer_state(w, w->i32, contexts * variants, "rooms"));
}

LLVMValueRef tri_writer_kernel(tri_writer *w, const tri_object_kernel *kernel, const tri_object_args *args)
{
    table_parts parts = list_parts(w);
    TRI_VEC(LLVMValueRef) part_rows = {0}, variant_rows = {0};
    bool has_device = false, has_persistent = false;
    uint64_t configs = 1;
    LLVMValueRef tuning;
    for (size_t i = 0; i < parts.len; i++) {
        tri_object_variants forms = tri_object_list_variants(parts.at[i].part, kernel->name);
        if (!forms.len)
            continue;
        uint64_t config = forms.at[0]->config ? (uint64_t)forms.at[0]->config - 1 : 0;
        configs = config >= configs ? config + 1 : configs;
        LLVMValueRef row = make_part(w, &parts.at[i], &forms, variant_rows.len, config);
        if (!row)
            return NULL;
        tri_vec_push(w->arena, &part_rows, row);
        for (size_t n = 0; n < forms.len; n++) {
            tri_vec_push(w->arena, &variant_rows, make_variant(w, &parts.at[i], forms.at[n]));
            has_persistent = has_persistent || forms.at[n]->is_persistent;
        }
        has_device = has_device || parts.at[i].part->unit->target->object_form != TRI_OBJECT_CODE;
    }
    if (!tri_writer_tuning(w, kernel, args, configs, &tuning))
        return NULL;
    LLVMTypeRef part_type = tri_record_type(w->llvm, TRI_RECORD_part),
                variant_type = tri_record_type(w->llvm, TRI_RECORD_variant);
    tri_record r = tri_record_start(w->llvm, TRI_RECORD_kernel);
    tri_record_set(&r, kernel, name, tri_writer_text(w, kernel->name));
    tri_record_set(&r, kernel, backends, make_backends(w, &parts));
    tri_record_set(&r, kernel, parts, tri_writer_array(w, part_type, part_rows.at, part_rows.len, "parts"));
    tri_record_set(&r, kernel, variants, tri_writer_array(w, variant_type, variant_rows.at, variant_rows.len, "forms"));
    tri_record_set(&r, kernel, tuning, tuning);
    set_state(w, &r, has_device, has_persistent, variant_rows.len, configs);
    tri_record_set_number(&r, kernel, abi, TRI_RT_ABI);
    tri_record_set_number(&r, kernel, slot_count, args->slots);
    tri_record_set_number(&r, kernel, part_count, part_rows.len);
    tri_record_set_number(&r, kernel, config_count, configs);
    tri_record_set_number(&r, kernel, variant_count, variant_rows.len);
    LLVMValueRef global = LLVMAddGlobal(w->module, tri_record_type(w->llvm, TRI_RECORD_kernel), "tri.kernel");
    LLVMSetInitializer(global, tri_record_finish(&r));
    LLVMSetLinkage(global, LLVMInternalLinkage);
    return global;
}

/* ---- k_variants ---- */

/* "x_ptr=*fp32:16, n=i32, BLOCK_SIZE=1024" */
static tri_str key_of(tri_writer *w, const tri_kernel *k)
{
    tri_buf key = {0};
    for (size_t i = 0; i < k->params.len; i++) {
        const tri_kernel_param *p = &k->params.at[i];
        tri_buf_format(&key, "%s%.*s=", i ? ", " : "", TRI_STR_ARG(p->name));
        tri_buf_add_str(&key, p->is_constexpr ? p->value : p->type);
        if (p->divisibility > 1)
            tri_buf_format(&key, ":%d", p->divisibility);
        if (p->is_small)
            tri_buf_add_z(&key, ":S");
    }
    tri_str copy = tri_str_copy(w->arena, tri_buf_str(&key));
    tri_buf_fini(&key);
    return copy;
}

/* tri_variant of include/tritcc/launch.h, which programs read: its fields stay as they are. */
static LLVMValueRef make_public_row(tri_writer *w, tri_str arch, const tri_kernel *k)
{
    LLVMValueRef values[6] = {tri_writer_text(w, k->name),
                              tri_writer_text(w, arch),
                              tri_writer_text(w, key_of(w, k)),
                              LLVMConstInt(w->i32, k->num_warps > 0 ? (uint64_t)k->num_warps : 1, false),
                              LLVMConstInt(w->i32, k->num_ctas > 0 ? (uint64_t)k->num_ctas : 1, false),
                              LLVMConstInt(w->i32, (uint64_t)k->shared_bytes, false)};
    return LLVMConstStructInContext(w->llvm, values, 6, false);
}

/* "sm_90a", of code that a driver compiles "compute_90a". */
static tri_str image_arch(tri_writer *w, const table_part *p, size_t image)
{
    const tri_target *target = p->part->unit->target;
    bool is_code = image >= (p->part->binary.len != 0) && target->code_prefix && !p->arch->is_any_device;
    return is_code ? tri_str_format(w->arena, "%s%s", target->code_prefix, p->arch->name + strlen(target->arch_prefix))
                   : tri_str_from(p->arch->name);
}

LLVMValueRef tri_writer_variants(tri_writer *w, const tri_object_kernel *kernel, size_t *out_count)
{
    table_parts parts = list_parts(w);
    TRI_VEC(LLVMValueRef) rows = {0};
    for (size_t i = 0; i < parts.len; i++) {
        const table_part *p = &parts.at[i];
        tri_object_variants forms = tri_object_list_variants(p->part, kernel->name);
        bool is_host = p->part->unit->target->object_form == TRI_OBJECT_CODE;
        for (size_t n = 0; n < forms.len; n++)
            for (size_t m = 0; m < (is_host ? 1 : image_count(p->part)); m++)
                tri_vec_push(w->arena, &rows, make_public_row(w, image_arch(w, p, m), forms.at[n]));
    }
    *out_count = rows.len;
    return tri_writer_array(w, LLVMTypeOf(rows.at[0]), rows.at, rows.len, "variants");
}

void tri_writer_describe(tri_writer *w, const tri_object_kernel *kernel, tri_buf *out)
{
    table_parts parts = list_parts(w);
    tri_object_args args;
    if (!tri_object_get_args(kernel->unit, kernel->general, &args))
        return;
    tri_buf_format(out, "%.*s(", TRI_STR_ARG(kernel->name));
    for (size_t i = 0; i < args.at.len; i++)
        tri_buf_format(out, "%s%.*s: %.*s", i ? ", " : "", TRI_STR_ARG(args.at.at[i].name),
                       TRI_STR_ARG(args.at.at[i].spelled));
    tri_buf_add_z(out, ")\n");
    for (size_t i = 0; i < parts.len; i++) {
        const table_part *p = &parts.at[i];
        tri_object_variants forms = tri_object_list_variants(p->part, kernel->name);
        bool is_host = p->part->unit->target->object_form == TRI_OBJECT_CODE;
        for (size_t n = 0; n < forms.len; n++) {
            for (size_t m = 0; m < (is_host ? 1 : image_count(p->part)); m++) {
                bool is_code = !is_host && m >= (p->part->binary.len != 0);
                tri_buf_format(out, "  %-12.*s ", TRI_STR_ARG(image_arch(w, p, m)));
                if (is_host)
                    tri_buf_add_z(out, "host code");
                else
                    tri_buf_format(out, "%s of %zu bytes, %d warps, %lld bytes shared",
                                   is_code ? p->part->unit->target->code_kind : p->part->unit->target->binary_kind,
                                   is_code ? p->part->code.len : p->part->binary.len, forms.at[n]->num_warps,
                                   (long long)forms.at[n]->shared_bytes);
                if (forms.at[n]->config)
                    tri_buf_format(out, ", configuration %d", forms.at[n]->config - 1);
                tri_buf_format(out, ": %.*s\n", TRI_STR_ARG(key_of(w, forms.at[n])));
            }
        }
    }
}
