#include "driver/records.h"

static tritcc_diagnostic public_form(tri_arena *arena, const tri_diag_record *r)
{
    tritcc_diagnostic d = {
        .struct_size = sizeof d, .severity = r->is_fix ? TRITCC_FIX : (int)r->severity, .code = r->code};
    d.group = r->group ? tri_str_copy(arena, tri_str_from(r->group)).data : NULL;
    d.text = tri_str_copy(arena, r->text).data;
    if (!r->at.source)
        return d;
    uint32_t end = r->at.end > r->at.begin ? r->at.end : r->at.begin;
    d.file = tri_str_copy(arena, r->file).data;
    d.begin = r->at.begin;
    d.end = end;
    tri_source_position(r->at.source, r->at.begin, &d.line, &d.column);
    tri_source_position(r->at.source, end, &d.end_line, &d.end_column);
    return d;
}

void tri_records_flush(tri_records *records)
{
    if (!records->has_main)
        return;
    records->has_main = false;
    records->main.notes = records->notes.at;
    records->main.note_count = records->notes.len;
    records->callback(records->user, &records->main);
    records->notes.at = NULL;
    records->notes.len = records->notes.cap = 0;
}

void tri_records_add(tri_records *records, const tri_diag_record *record)
{
    if (!records->callback)
        return;
    tritcc_diagnostic d = public_form(records->arena, record);
    if (records->has_main && (record->severity == TRI_NOTE || record->is_fix)) {
        tri_vec_push(records->arena, &records->notes, d);
        return;
    }
    tri_records_flush(records);
    records->main = d;
    records->has_main = true;
}
