/* Of <string.h> what runtime/vmath uses, where the device has no C library. */
#ifndef TRI_RUNTIME_VMATH_DEVICE_STRING_H
#define TRI_RUNTIME_VMATH_DEVICE_STRING_H

#define memcpy(to, from, size) __builtin_memcpy(to, from, size)

#endif
