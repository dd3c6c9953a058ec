/* Scalar arguments of 16-bit float types are passed as float. */
#include "runtime/launch/launch.h"

#include <string.h>

uint16_t tri_rt_to_bfloat(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

uint16_t tri_rt_to_half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
    if (size > 0x7f800000u)
        return (uint16_t)(sign | 0x7e00u);
    if (size >= 0x477ff000u) /* rounds to more than 65504 */
        return (uint16_t)(sign | 0x7c00u);
    if (size < 0x38800000u) { /* subnormal: round at the last place, 2^-24 */
        float tiny, magic = 0.5f;
        uint32_t sum, base;
        memcpy(&tiny, &size, sizeof tiny);
        tiny += magic;
        memcpy(&sum, &tiny, sizeof sum);
        memcpy(&base, &magic, sizeof base);
        return (uint16_t)(sign | (sum - base));
    }
    uint32_t rounded = size + 0xfffu + (size >> 13 & 1);
    return (uint16_t)(sign | (rounded - (112u << 23)) >> 13);
}
