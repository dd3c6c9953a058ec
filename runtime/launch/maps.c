/* Tensor maps that launchers make of the arguments of a launch. */
#include "runtime/launch/launch.h"

enum { max_rank = 5, promote_to_128_bytes = 2 };

/* The next number of a map's steps. False: it is none, or less than `least`. */
static int take_map_number(const tri_rt_map *map, uint64_t *at, const void *const *args, int64_t least, int64_t *out)
{
    uint64_t begin = *at, end = begin;
    while (end < map->step_count && map->steps[end].op != TRI_RT_NEXT_DIMENSION)
        end++;
    *at = end + 1;
    return tri_rt_evaluate(map->steps + begin, end - begin, args, out) && *out >= least;
}

static int make_one_map(const tri_rt_map *map, const void *const *args, tri_rt_encode *encode, char *out)
{
    uint64_t at = 0, sizes[max_rank], strides[max_rank];
    uint32_t box[max_rank], steps[max_rank];
    int64_t offset, number;
    if (map->rank > max_rank || !take_map_number(map, &at, args, INT64_MIN, &offset))
        return 0;
    for (unsigned d = 0; d < map->rank; d++) {
        if (!take_map_number(map, &at, args, 1, &number))
            return 0;
        box[d] = (uint32_t)number;
        steps[d] = 1;
    }
    for (unsigned d = 0; d < map->rank; d++) {
        if (!take_map_number(map, &at, args, 1, &number))
            return 0;
        sizes[d] = (uint64_t)number;
    }
    for (unsigned d = 0; d + 1 < map->rank; d++) {
        if (!take_map_number(map, &at, args, 0, &number))
            return 0;
        strides[d] = (uint64_t)number;
    }
    uint64_t address = *(const uint64_t *)args[map->arg] + (uint64_t)offset * map->bytes;
    return !encode(out, map->element, map->rank, (void *)(uintptr_t)address, sizes, strides, box, steps, 0,
                   (int)map->swizzle, promote_to_128_bytes, (int)map->fill);
}

int tri_rt_make_maps(const tri_rt_variant *variant, const void *const *args, tri_rt_encode *encode, char *out)
{
    for (uint32_t i = 0; i < variant->map_count; i++)
        if (!make_one_map(&variant->maps[i], args, encode, out + (uint64_t)i * TRI_RT_MAP_BYTES))
            return 0;
    return 1;
}
