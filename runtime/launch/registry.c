/* The kernels of a link, which the writer of objects puts into a section of their own. */
#include "runtime/launch/launch.h"

#include <stddef.h>
#include <string.h>

/* The linker's, for the section of that name. */
extern const tritcc_kernel *const __start_tritcc_kernels[] __attribute__((weak, visibility("hidden")));
extern const tritcc_kernel *const __stop_tritcc_kernels[] __attribute__((weak, visibility("hidden")));

const tritcc_kernel *tritcc_kernel_find(const char *name)
{
    for (const tritcc_kernel *const *k = __start_tritcc_kernels; k != __stop_tritcc_kernels; k++)
        if (name && !strcmp((*k)->name, name))
            return *k;
    return NULL;
}

const tritcc_kernel *tritcc_kernel_next(const tritcc_kernel *after)
{
    const tritcc_kernel *const *k = __start_tritcc_kernels;
    while (after && k != __stop_tritcc_kernels && *k++ != after)
        continue;
    return k == __stop_tritcc_kernels ? NULL : *k;
}
