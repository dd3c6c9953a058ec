/* The passes that every GPU family runs, as text. passes/passes.h explains the form. */
#include "targets/gpu/gpu.h"

#include "ir/options.h"
#include "targets/facts.h"
#include "targets/target.h"

enum {
    RESERVE = 8192,        /* bytes of shared memory for mbarriers and exchanges */
    INTEL_REGISTERS = 128, /* of a hardware thread: a dword each for a lane */
};

/* Bulk copies through tensor maps that kernels write. */
static bool uses_tma(const tri_unit *unit)
{
    return unit->arch->has_warp_groups && !unit->options->no_tma && tri_facts_ctas(unit) == 1;
}

/* Whether loops get warps of their own for loads at all. */
static bool is_split(const tri_unit *unit)
{
    return uses_tma(unit) && !unit->options->no_warp_specialize && !unit->is_plain;
}

static void add_descriptor_pass(const tri_unit *unit, bool keeps_some, tri_buf *out)
{
    unsigned release = unit->options->descriptor_release;
    tri_buf_add_z(out, "rewrite-tensor-descriptor-to-pointer");
    if (keeps_some || release)
        tri_buf_format(out, "{%s%s", keeps_some ? "tma=1" : "", keeps_some && release ? " " : "");
    if (release)
        tri_buf_format(out, "release=%u", release);
    tri_buf_add_z(out, keeps_some || release ? "}," : ",");
}

void tri_gpu_ttir_pipeline(const tri_unit *unit, tri_buf *out)
{
    tri_buf_add_z(out, "inline,rewrite-tensor-pointer,");
    add_descriptor_pass(unit, uses_tma(unit), out);
    tri_buf_add_z(out, "canonicalize,combine,reorder-broadcast,cse,symbol-dce,loop-once,loop-unroll");
}

static bool is_nvidia(const tri_unit *unit) { return unit->arch->mma == TRI_MMA_SYNC; }
static bool is_intel(const tri_unit *unit) { return unit->arch->mma == TRI_MMA_DPAS; }
static bool is_amd(const tri_unit *unit) { return unit->arch->mma == TRI_MMA_MFMA || unit->arch->mma == TRI_MMA_WMMA; }

/* What mfma is to be like is said where it may be said. */
static const char *accelerate_amd(const tri_unit *unit)
{
    int size = unit->arch->mma == TRI_MMA_MFMA ? tri_facts_matrix_size(unit) : 0;
    int pack = unit->arch->mma_version < 4 ? tri_facts_k_pack(unit) : 1;
    tri_str text = tri_str_format(unit->arena, ",accelerate-matmul{narrow-first=1");
    if (size)
        text = tri_str_format(unit->arena, "%s matrix-instruction-size=%d", text.data, size);
    if (pack > 1)
        text = tri_str_format(unit->arena, "%s kPack=%d", text.data, pack);
    return tri_str_format(unit->arena, "%s}", text.data).data;
}

/* Layouts are chosen, memory accesses first, then matrix products. */
static void add_layout_passes(const tri_unit *unit, tri_buf *out)
{
    bool has_products = unit->arch->mma != TRI_MMA_NONE;
    const char *groups = unit->options->no_swap_operands ? ",accelerate-matmul{max-version=3 swap=0}"
                                                         : ",accelerate-matmul{max-version=3}";
    tri_buf_format(out, ",coalesce%s", has_products ? ",f32-dot-tc" : "");
    if (tri_facts_ctas(unit) > 1)
        tri_buf_format(out, ",plan-cta{num-ctas=%d}", tri_facts_ctas(unit));
    tri_buf_format(out, ",remove-layout-conversions,optimize-thread-locality%s",
                   unit->arch->has_warp_groups       ? groups
                   : unit->arch->mma == TRI_MMA_SYNC ? ",accelerate-matmul{max-version=2}"
                   : is_amd(unit)                    ? accelerate_amd(unit)
                   : unit->arch->mma != TRI_MMA_NONE ? ",accelerate-matmul"
                                                     : "");
    tri_buf_format(out, ",remove-layout-conversions%s%s",
                   unit->arch->has_block_loads ? ",lower-to-2d-block-load" : "",
                   is_amd(unit) ? ",optimize-epilogue{least-bytes=4}" : is_split(unit) ? ",own-rows" : "");
    if (is_intel(unit)) /* what cannot be exchanged is stored as it lies */
        tri_buf_format(out, ",optimize-epilogue{beyond=%u}", unit->arch->max_shared);
    tri_buf_format(out, ",optimize-dot-operands%s,loop-aware-cse",
                   uses_tma(unit) ? ",optimize-descriptor-encoding" : "");
}

/* Products that a loop must have to be specialised without asking; 0: none is. On an H200 attention gains 4 to 35 % in
 * each of 20 configurations, loops of one product nothing (bench/gpu/README.md). Code for debuggers, with assertions or
 * with a limit of registers of its own has calls and limits that make the assembler give specialised loops up. */
static int least_products(const tri_unit *unit)
{
    const tri_options *o = unit->options;
    if (o->warp_specialize)
        return 1;
    return o->debug == TRI_DEBUG_FULL || o->maxnreg || o->debug_asserts || o->opt_level == 0 ? 0 : 2;
}

/* What auto-tma does with pointers of loops of more than two products. */
static int many_products(const tri_unit *unit)
{
    return !is_split(unit) || !least_products(unit) ? 0 : unit->options->warp_specialize ? 2 : 1;
}

/* Loops are simplified; what is invariant leaves them; loads are made ahead of their use. */
static void add_loop_passes(const tri_unit *unit, tri_buf *out)
{
    if (is_intel(unit))
        tri_buf_format(out, ",loop-distribute{least=%d}", INTEL_REGISTERS);
    tri_buf_format(out, ",fuse-nested-loops,canonicalize,triton-licm,canonicalize,combine-tensor-select-and-if%s",
                   unit->arch->has_warp_groups ? ",optimize-accumulator-init{conditional=1}" : "");
    if (!unit->arch->async_copies && !unit->arch->loads_ahead_in_registers)
        return;
    if (is_split(unit))
        tri_buf_format(out, ",automatic-warp-specialization{num-stages=%d least-products=%d overlap=1}",
                       tri_facts_stages(unit), least_products(unit));
    tri_buf_format(out, ",assign-latencies{num-stages=%d},schedule-loops,pipeline", tri_facts_stages(unit));
}

/* Whether waves take turns at the matrix cores: by default where Triton's do, on CDNA 3. */
static bool takes_turns(const tri_unit *unit)
{
    return !unit->options->no_block_pingpong && unit->arch->mma == TRI_MMA_MFMA && unit->arch->mma_version == 3 &&
           tri_facts_stages(unit) > 1;
}

/* What the passes before left behind is cleaned up; then no op may be added any more. */
static void add_final_passes(const tri_unit *unit, tri_buf *out)
{
    enum { GROUP_WARPS = 4 };
    tri_buf_format(out, ",canonicalize,loop-aware-cse,optimize-dot-operands%s%s",
                   unit->arch->wants_prefetch ? ",prefetch" : "", uses_tma(unit) ? ",tma-lowering" : "");
    if (is_split(unit)) /* blocks of four warps are two on a multiprocessor */
        tri_buf_format(out, "{wait-in-consumers=1 stores-together=%d}",
                       ((int)unit->arch->max_shared - RESERVE) / (tri_facts_warps(unit) > GROUP_WARPS ? 1 : 2));
    tri_buf_format(out,
                   ",remove-layout-conversions,reduce-data-duplication%s%s,reorder-instructions%s,loop-aware-cse,"
                   "symbol-dce,sccp,cse%s,canonicalize",
                   is_amd(unit) ? ",in-thread-transpose,remove-layout-conversions" : "",
                   unit->arch->carries_pointers ? ",carry-pointers" : "", is_intel(unit) ? ",code-sinking" : "",
                   unit->arch->has_warp_groups ? ",carry-partial-sums" : "");
    if (takes_turns(unit))
        tri_buf_format(out, ",block-pingpong{num-stages=%d rotate=1}", tri_facts_stages(unit));
    if (uses_tma(unit) && unit->options->host_tensormaps && !unit->options->no_host_tensormaps)
        tri_buf_add_z(out, ",host-tensormaps");
    tri_buf_format(out, "%s,allocate-global-scratch,allocate-shared-memory{max-bytes=%u",
                   unit->arch->async_copies ? ",allocate-warp-groups" : "", unit->arch->max_shared);
    if (unit->arch->spare_shared)
        tri_buf_format(out, " scratch-per-thread=%d", unit->arch->spare_shared);
    tri_buf_format(out, "}%s,membar", uses_tma(unit) ? ",drop-invalidations" : "");
}

/* Whether programs may go through a grid: where that is asked for, and in objects, whose launchers know how, where the
 * pass finds that the kernel gains by it. */
static bool is_persistent(const tri_unit *unit)
{
    const tri_options *o = unit->options;
    bool is_default = o->has_launcher && is_split(unit) && least_products(unit);
    return o->persistence == TRI_PERSISTENCE_ON || (o->persistence == TRI_PERSISTENCE_USUAL && is_default);
}

/* Two groups of warps take turns: what one does in a branch runs under the other's products. */
static const char *masks_of_products(const tri_unit *unit)
{
    enum { TWO_GROUPS = 8 };
    bool has_turns = tri_facts_warps(unit) == TWO_GROUPS;
    return !is_split(unit) || !least_products(unit) ? "" : has_turns ? " products=2 guard=64" : " products=2";
}

void tri_gpu_ttgir_pipeline(const tri_unit *unit, tri_buf *out)
{
    if (!uses_tma(unit))
        add_descriptor_pass(unit, false, out);
    if (unit->arch->has_scaled_mma)
        tri_buf_format(out, "decompose-dot-scaled{target=%s},", unit->arch->ttg_target);
    else
        tri_buf_add_z(out, "decompose-dot-scaled,");
    if (uses_tma(unit) && !unit->options->no_auto_tma)
        tri_buf_format(out, "auto-tma{num-warps=%d num-stages=%d%s many-products=%d%s},canonicalize,",
                       tri_facts_warps(unit), tri_facts_stages(unit),
                       unit->options->no_swap_operands ? " swap=0" : "", many_products(unit),
                       unit->options->persistence == TRI_PERSISTENCE_ON ? " once=1" : "");
    if (unit->arch->has_warp_groups && !unit->options->no_reorder_programs)
        tri_buf_add_z(out, "reorder-programs,");
    if (uses_tma(unit) && is_persistent(unit))
        tri_buf_format(out, "persistent-programs{split=%d num-stages=%d num-warps=%d shared=%d%s},", is_split(unit),
                       tri_facts_stages(unit), tri_facts_warps(unit), (int)unit->arch->max_shared - RESERVE,
                       unit->options->persistence == TRI_PERSISTENCE_ON ? "" : " gains=1");
    if (unit->arch->has_warp_groups)
        tri_buf_add_z(out, "cache-hints,");
    if (!unit->options->no_remove_masks)
        tri_buf_format(out, "remove-masks{num-warps=%d threads-per-warp=%d%s%s},", tri_facts_warps(unit),
                       tri_facts_lanes(unit), masks_of_products(unit), is_nvidia(unit) ? " carried=256" : "");
    if (unit->arch->has_warp_groups)
        tri_buf_add_z(out, "align-stores,");
    if (is_nvidia(unit))
        tri_buf_format(out, "free-others{num-warps=%d threads-per-warp=%d},", tri_facts_warps(unit),
                       tri_facts_lanes(unit));
    tri_gpu_conversion_pass(unit, out);
    add_layout_passes(unit, out);
    add_loop_passes(unit, out);
    add_final_passes(unit, out);
}
