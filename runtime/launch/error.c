/* tri_strerror. */
#include "runtime/launch/launch.h"

#include <stddef.h>

static char *put(char *out, const char *end, const char *text)
{
    while (*text && out < end)
        *out++ = *text++;
    *out = 0;
    return out;
}

static char *put_number(char *out, const char *end, unsigned n)
{
    char digits[12];
    int i = sizeof digits - 1;
    digits[i] = 0;
    do {
        digits[--i] = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    return put(out, end, digits + i);
}

const char *tri_strerror(int error)
{
    static _Thread_local char text[128];
    const char *end = text + sizeof text - 1;
    switch (error) {
    case TRI_OK:
        return "success";
    case TRI_ERROR_GRID:
        return "the grid is too large for the device";
    case TRI_ERROR_NO_DRIVER:
        return "no driver for the device was found (libcuda.so.1, libamdhip64.so, libascendcl.so, libze_loader.so.1, "
               "libOpenCL.so.1)";
    case TRI_ERROR_NO_DEVICE:
        return "there is no such device";
    case TRI_ERROR_ARCH:
        return "the object holds no code for this device";
    case TRI_ERROR_LOAD:
        return "the driver could not load the code";
    case TRI_ERROR_ASSERT:
        return "an assertion in the kernel failed";
    case TRI_ERROR_MEMORY:
        return "no memory for scratch space";
    case TRI_ERROR_BOUNDS:
        return "the kernel accessed memory outside of an argument";
    case TRI_ERROR_UNDEFINED:
        return "the kernel did what the language leaves undefined";
    case TRI_ERROR_THREADS:
        return "the number of threads must be from 1 to 1024";
    case TRI_ERROR_GRID_VALUE:
        return "these arguments give no grid: a size of it is negative, not a 32-bit number, or a division by zero";
    case TRI_ERROR_HEURISTIC:
        return "a heuristic gives a value for these arguments that no variant was compiled for";
    default:
        break;
    }
    if (error >= TRI_ERROR_DRIVER) {
        const char *driver = tri_rt_text_of_driver(error - TRI_ERROR_DRIVER);
        char *out = put(text, end, "driver error ");
        out = put_number(out, end, (unsigned)(error - TRI_ERROR_DRIVER));
        if (driver)
            put(put(out, end, ": "), end, driver);
        return text;
    }
    if (error >= TRI_ERROR_ALIGNMENT) {
        int first = error >= TRI_ERROR_BYTES   ? TRI_ERROR_BYTES
                    : error >= TRI_ERROR_VALUE ? TRI_ERROR_VALUE
                                               : TRI_ERROR_ALIGNMENT;
        char *out = put(text, end, "no variant for these arguments: argument ");
        out = put_number(out, end, (unsigned)(error - first));
        put(out, end,
            first == TRI_ERROR_BYTES   ? " points to more than the 2 GiB that its hint says"
            : first == TRI_ERROR_VALUE ? " is not the constant that the kernel was compiled for"
                                       : " is not divisible as its hint says");
        return text;
    }
    return "unknown error";
}
