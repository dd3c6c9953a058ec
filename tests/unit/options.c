/* Options of tritrun of which the last one counts. */
#include "run/opt.h"

#include <stdio.h>

static int failures;

static void check_last(char *first, char *second, tri_persistence wanted)
{
    static char program[] = "tritrun", kernel[] = "k.tri";
    char *argv[] = {program, first, second, kernel};
    tri_arena *arena = tri_arena_create();
    tri_diag *diag = tri_diag_create();
    tri_run_opt opt;
    if (!tri_run_opt_parse(arena, diag, sizeof argv / sizeof *argv, argv, &opt) || opt.compile.persistence != wanted) {
        failures++;
        fprintf(stderr, "%s %s: not %d\n", first, second, wanted);
    }
    tri_diag_destroy(diag);
    tri_arena_destroy(arena);
}

int main(void)
{
    static char on[] = "-fpersistent", off[] = "-fno-persistent";
    check_last(on, off, TRI_PERSISTENCE_OFF);
    check_last(off, on, TRI_PERSISTENCE_ON);
    return failures ? 1 : 0;
}
