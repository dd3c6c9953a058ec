/* vadd's object on the kind of device that the argument names, or any: which code is selected, the launch's status, and
 * the last sum. */
#include "v.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    static _Alignas(16) float x[64], z[64];
    int count;
    const tri_variant *v = add_kernel_variants(&count);
    if (argc > 1)
        tri_select(argv[1][0] - '0');
    for (int i = 0; i < 64; i++)
        x[i] = (float)i;
    int error = add_kernel(0, (tri_grid){1, 1, 1}, x, x, z, 64), selected = add_kernel_selected(0);
    printf("%d variants, %s, %d, %g\n", count, selected < 0 ? "none" : v[selected].arch, error, (double)z[63]);
    return 0;
}
