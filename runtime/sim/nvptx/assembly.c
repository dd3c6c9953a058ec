/* The source's own assembly: inline PTX, run by runtime/sim/nvptx/ptx with this machine around it. */
#include "runtime/sim/nvptx/primitives.h"

#include "runtime/sim/nvptx/ptx/ptx.h"

/* --- threads and memory ------------------------------------------------------------------ */

static uint64_t call(tri_sim *sim, tri_sim_function function, uint32_t id, uint64_t arg)
{
    uint64_t args[1] = {arg}, results[1] = {0};
    function(sim, id, args, results);
    return results[0];
}

static uint32_t lane_mask(tri_ptx_special which, uint32_t lane)
{
    uint32_t equal = 1u << lane, below = equal - 1;
    switch (which) {
    case TRI_PTX_LANEMASK_EQ: return equal;
    case TRI_PTX_LANEMASK_LE: return below | equal;
    case TRI_PTX_LANEMASK_LT: return below;
    case TRI_PTX_LANEMASK_GE: return ~below;
    default: return ~(below | equal);
    }
}

static uint64_t special(void *data, tri_ptx_special which)
{
    tri_sim *sim = data;
    uint32_t thread = (uint32_t)sim->current->index;
    switch (which) {
    case TRI_PTX_TID_X: return thread;
    case TRI_PTX_NTID_X: return (uint32_t)sim->num_threads;
    case TRI_PTX_NTID_Y:
    case TRI_PTX_NTID_Z:
    case TRI_PTX_NSMID:
    case TRI_PTX_CLUSTER_NCTARANK: return 1;
    case TRI_PTX_CTAID_X: return sim->program.x;
    case TRI_PTX_CTAID_Y: return sim->program.y;
    case TRI_PTX_CTAID_Z: return sim->program.z;
    case TRI_PTX_NCTAID_X: return sim->grid.x;
    case TRI_PTX_NCTAID_Y: return sim->grid.y;
    case TRI_PTX_NCTAID_Z: return sim->grid.z;
    case TRI_PTX_LANEID: return thread % warp_size;
    case TRI_PTX_WARPID: return thread / warp_size;
    case TRI_PTX_NWARPID: return (uint32_t)sim->num_threads / warp_size;
    case TRI_PTX_CLOCK:
    case TRI_PTX_GLOBALTIMER_LO: return (uint32_t)call(sim, tri_sim_clock_ns, TRI_SIM_clock_ns, 0);
    case TRI_PTX_CLOCK_HI:
    case TRI_PTX_GLOBALTIMER_HI: return call(sim, tri_sim_clock_ns, TRI_SIM_clock_ns, 0) >> 32;
    case TRI_PTX_CLOCK64:
    case TRI_PTX_GLOBALTIMER: return call(sim, tri_sim_clock_ns, TRI_SIM_clock_ns, 0);
    case TRI_PTX_LANEMASK_EQ:
    case TRI_PTX_LANEMASK_LE:
    case TRI_PTX_LANEMASK_LT:
    case TRI_PTX_LANEMASK_GE:
    case TRI_PTX_LANEMASK_GT: return lane_mask(which, thread % warp_size);
    default: return 0; /* one multiprocessor, one launch, clusters of one */
    }
}

static uint64_t load(void *data, uint64_t address, int bytes, int words, uint64_t *out_words)
{
    uint64_t args[4 + 8] = {address, (uint64_t)bytes * 8, (uint64_t)words, 1};
    tri_sim_load_global(data, TRI_SIM_load_global, args, out_words);
    return out_words[0];
}

static void store(void *data, uint64_t address, int bytes, int words, const uint64_t *values)
{
    uint64_t args[4 + 8] = {address, (uint64_t)bytes * 8, (uint64_t)words, 1}, results[8];
    memcpy(args + 4, values, (size_t)words * sizeof *values);
    tri_sim_store_global(data, TRI_SIM_store_global, args, results);
}

static uint64_t atomic(void *data, const char *operation, uint64_t address, int bits, uint64_t a, uint64_t b)
{
    uint64_t args[] = {address, (uint64_t)bits, 1, (uint64_t)(uintptr_t)operation, 1, a, b}, results[8] = {0};
    if (strncmp(operation, "cas", 3) == 0)
        tri_sim_atomic_cas(data, TRI_SIM_atomic_cas, args, results);
    else
        tri_sim_atomic_rmw(data, TRI_SIM_atomic_rmw, args, results);
    return results[0];
}

static void barrier(void *data) { call(data, tri_sim_barrier, TRI_SIM_barrier, 0); }

static bool nap(void *data, uint32_t ns)
{
    call(data, tri_sim_sleep, TRI_SIM_sleep, ns);
    return true;
}

static void end(void *data)
{
    tri_sim_report(data, "trap", -1, "the kernel ended with an error");
    tri_sim_stop(data);
}


static void report(void *data, const char *kind, const char *text) { tri_sim_report(data, kind, -1, "%s", text); }

/* --- lanes ------------------------------------------------------------------------------- */

/* Operands of a lane: what is done, then up to three values. Results: value, whether it came from inside. */
static void shuffle(tri_sim *sim, tri_sim_thread *warp, int lane, tri_ptx_exchange what, uint32_t mask)
{
    uint32_t clamp = (uint32_t)warp[lane].operands[3];
    int bound = clamp & 31, segment = clamp >> 8 & 31, b = (int)(warp[lane].operands[2] & 31), source = lane;
    int last = (lane & segment) | (bound & ~segment & 31), first = lane & segment;
    bool is_inside = false;
    switch (what) {
    case TRI_PTX_SHUFFLE_UP: is_inside = (source = lane - b) >= last; break;
    case TRI_PTX_SHUFFLE_DOWN: is_inside = (source = lane + b) <= last; break;
    case TRI_PTX_SHUFFLE_XOR: is_inside = (source = lane ^ b) <= last; break;
    default: is_inside = (source = first | (b & ~segment & 31)) <= last; break;
    }
    source = is_inside ? source : lane;
    if (!(mask >> source & 1))
        tri_sim_report(sim, "shuffle from an inactive lane", -1, "lane %d reads lane %d, which the mask leaves out",
                       lane, source);
    warp[lane].results[0] = warp[source].operands[1];
    warp[lane].results[1] = is_inside;
}

static uint32_t lanes_with(tri_sim_thread *warp, uint32_t mask, uint64_t value)
{
    uint32_t lanes = 0;
    for (int i = 0; i < warp_size; i++)
        if ((mask >> i & 1) && warp[i].operands[1] == value)
            lanes |= 1u << i;
    return lanes;
}

static uint32_t reduce(tri_ptx_exchange what, uint32_t a, uint32_t b)
{
    switch (what) {
    case TRI_PTX_REDUCE_ADD: return a + b;
    case TRI_PTX_REDUCE_AND: return a & b;
    case TRI_PTX_REDUCE_OR: return a | b;
    case TRI_PTX_REDUCE_XOR: return a ^ b;
    case TRI_PTX_REDUCE_SMIN: return (int32_t)a < (int32_t)b ? a : b;
    case TRI_PTX_REDUCE_SMAX: return (int32_t)a > (int32_t)b ? a : b;
    case TRI_PTX_REDUCE_UMIN: return a < b ? a : b;
    default: return a > b ? a : b;
    }
}

static uint64_t answer(tri_sim_thread *warp, int lane, tri_ptx_exchange what, uint32_t mask)
{
    int leader = __builtin_ctz(mask);
    uint32_t yes = lanes_with(warp, mask, 1), same = lanes_with(warp, mask, warp[lane].operands[1]), total;
    switch (what) {
    case TRI_PTX_VOTE_ALL: return yes == mask;
    case TRI_PTX_VOTE_ANY: return yes != 0;
    case TRI_PTX_VOTE_UNIFORM: return yes == mask || yes == 0;
    case TRI_PTX_VOTE_BALLOT: return yes;
    case TRI_PTX_MATCH_ANY: return same;
    case TRI_PTX_MATCH_ALL: return same == mask ? mask : 0;
    case TRI_PTX_ELECT: return (uint64_t)leader;
    default:
        total = (uint32_t)warp[leader].operands[1];
        for (int i = leader + 1; i < warp_size; i++)
            if (mask >> i & 1)
                total = reduce(what, total, (uint32_t)warp[i].operands[1]);
        return total;
    }
}

static void compute(tri_sim *sim, tri_sim_thread *warp, uint32_t primitive, uint64_t mask)
{
    (void)primitive;
    tri_ptx_exchange what = (tri_ptx_exchange)sim->current->operands[0];
    for (int lane = 0; lane < warp_size; lane++) {
        if (!(mask >> lane & 1))
            continue;
        if (what <= TRI_PTX_SHUFFLE_INDEX) {
            shuffle(sim, warp, lane, what, mask);
        } else {
            warp[lane].results[0] = answer(warp, lane, what, mask);
            warp[lane].results[1] = what == TRI_PTX_ELECT ? lane == __builtin_ctz(mask) : warp[lane].results[0] == mask;
        }
    }
}

static uint64_t exchange(void *data, tri_ptx_exchange what, int place, uint32_t mask, const uint64_t operands[3],
                         bool *out_inside)
{
    tri_sim *sim = data;
    if (what == TRI_PTX_WARP_BARRIER) {
        tri_sim_sync_lanes(sim, TRI_SIM_warp_barrier, mask);
        return 0;
    }
    uint64_t brought[4] = {what, operands[0], operands[1], operands[2]}, results[2] = {0};
    tri_sim_exchange(sim, TRI_SIM_NVPTX_inline_asm | (uint32_t)place << 16, mask, brought, 4, results, 2, compute);
    *out_inside = results[1] & 1;
    return results[0];
}

/* --- the primitive ----------------------------------------------------------------------- */

enum { newest = 9999 }; /* the lowering has refused what the architecture lacks */

/* The lowering has read the text before, so it is right. */
static const tri_ptx_program *program_of(tri_sim *sim, const char *text)
{
    tri_ptx_program *known = tri_map_find_ptr(&sim->assembly, text);
    if (known)
        return known;
    tri_str all = tri_str_from(text);
    size_t line = tri_str_find(all, '\n');
    tri_ptx_error error;
    const tri_ptx_program *program =
        tri_ptx_parse(sim->arena, tri_str_sub(all, line + 1, all.len), tri_str_sub(all, 0, line), newest, &error);
    TRI_ASSERT(program);
    tri_map_set_ptr(&sim->assembly, text, (void *)(uintptr_t)program);
    return program;
}

/* args: a line of constraints and then the text, values of the inputs. */
TRI_SIM_FUNCTION(inline_asm)
{
    (void)id;
    static const tri_ptx_host functions = {NULL, special, load, store, atomic, exchange, barrier, nap, end, report};
    tri_ptx_host host = functions;
    host.data = sim;
    tri_ptx_run(program_of(sim, (const char *)(uintptr_t)args[0]), &host, args + 1, results);
}
