#include "driver/report.h"

#include <time.h>

double tri_report_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void tri_report_init(tri_report *report, tri_arena *arena)
{
    *report = (tri_report){.arena = arena, .start = tri_report_now()};
}

static bool same(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

void tri_report_add(tri_report *report, const char *stage, const char *pass, double seconds)
{
    for (size_t i = 0; i < report->rows.len; i++) {
        tri_report_row *row = &report->rows.at[i];
        if (same(row->stage, stage) && same(row->pass, pass)) {
            row->seconds += seconds;
            row->runs++;
            return;
        }
    }
    tri_vec_push(report->arena, &report->rows, (tri_report_row){stage, pass, seconds, 1});
}

size_t tri_report_reserve(tri_report *report, const char *stage)
{
    for (size_t i = 0; i < report->rows.len; i++)
        if (same(report->rows.at[i].stage, stage) && !report->rows.at[i].pass)
            return i;
    tri_vec_push(report->arena, &report->rows, (tri_report_row){stage, NULL, 0, 0});
    return report->rows.len - 1;
}

void tri_report_fill(tri_report *report, size_t row, double seconds)
{
    report->rows.at[row].seconds += seconds;
    report->rows.at[row].runs++;
}

static void print_json(const tri_report *report, double total, tri_buf *out)
{
    tri_buf_format(out, "{\"total_ms\": %.3f, \"rows\": [", total * 1e3);
    for (size_t i = 0; i < report->rows.len; i++) {
        const tri_report_row *row = &report->rows.at[i];
        tri_buf_add_z(out, i ? ",\n  {\"stage\": " : "\n  {\"stage\": ");
        tri_buf_add_json(out, tri_str_from(row->stage));
        if (row->pass) {
            tri_buf_add_z(out, ", \"pass\": ");
            tri_buf_add_json(out, tri_str_from(row->pass));
        }
        tri_buf_format(out, ", \"ms\": %.3f, \"runs\": %d}", row->seconds * 1e3, row->runs);
    }
    tri_buf_add_z(out, "\n]}\n");
}

void tri_report_print(const tri_report *report, bool as_json, tri_buf *out)
{
    double total = tri_report_now() - report->start;
    if (as_json) {
        print_json(report, total, out);
        return;
    }
    tri_buf_add_z(out, "     ms      %  stage\n");
    for (size_t i = 0; i < report->rows.len; i++) {
        const tri_report_row *row = &report->rows.at[i];
        tri_buf_format(out, "%7.2f %6.1f  %s%s", row->seconds * 1e3, 100 * row->seconds / total,
                       row->pass ? "    " : "", row->pass ? row->pass : row->stage);
        if (row->runs > 1)
            tri_buf_format(out, " (%d times)", row->runs);
        tri_buf_add_char(out, '\n');
    }
    tri_buf_format(out, "%7.2f  100.0  total\n", total * 1e3);
}
