#include "base/progress.h"

#include <stdlib.h>
#include <time.h>

struct tri_progress {
    tri_diag *diag;
    const char *label;
    double start, last_step, last_shown;
    bool is_shown;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

tri_progress *tri_progress_create(tri_diag *diag, const char *label)
{
    if (!tri_diag_is_terminal(diag))
        return NULL;
    tri_progress *p = tri_mem_alloc(sizeof *p);
    *p = (tri_progress){.diag = diag, .label = label, .start = now()};
    p->last_step = p->start;
    return p;
}

/* "name [=======>            ] 37 %, 12 s left" */
static void show(tri_progress *p, double at, uint64_t done, uint64_t total)
{
    enum { width = 30 };
    char bar[width + 1];
    double part = total ? (double)done / (double)total : 1, seconds = at - p->start;
    int filled = (int)(part * width);
    for (int i = 0; i < width; i++)
        bar[i] = i < filled ? '=' : i == filled ? '>' : ' ';
    bar[width] = 0;
    tri_buf text = {0};
    tri_buf_format(&text, "\r%s [%s] %3.0f %%, %.0f s left\033[K", p->label, bar, part * 100,
                   part > 0 ? seconds / part - seconds : 0);
    tri_diag_write(p->diag, tri_buf_str(&text));
    tri_buf_fini(&text);
    p->is_shown = true;
    p->last_shown = at;
}

double tri_progress_step(tri_progress *p, uint64_t done, uint64_t total)
{
    double at = now(), since = at - p->last_step;
    p->last_step = at;
    if (at - p->start >= 1 && at - p->last_shown >= 0.1)
        show(p, at, done, total);
    return since;
}

void tri_progress_destroy(tri_progress *p)
{
    if (!p)
        return;
    if (p->is_shown)
        tri_diag_write(p->diag, TRI_STR("\r\033[K"));
    free(p);
}
