#include "driver/messages/messages.h"

static tri_message_part part_of(tri_arena *arena, const tri_diag_record *record)
{
    return (tri_message_part){record->at, tri_str_copy(arena, record->file), tri_str_copy(arena, record->text)};
}

void tri_messages_add(tri_messages *messages, const tri_diag_record *record)
{
    tri_message_part part = part_of(messages->arena, record);
    tri_message *last = messages->all.len ? &tri_vec_last(&messages->all) : NULL;
    if (last && record->is_fix)
        tri_vec_push(messages->arena, &last->fixes, part);
    else if (last && record->severity == TRI_NOTE)
        tri_vec_push(messages->arena, &last->notes, part);
    else if (!record->is_fix)
        tri_vec_push(messages->arena, &messages->all,
                     (tri_message){.severity = record->severity,
                                   .code = record->code,
                                   .group = record->group,
                                   .is_missed = record->is_missed,
                                   .main = part});
}

tri_str tri_messages_rule(tri_arena *arena, const tri_message *message)
{
    if (message->code)
        return tri_str_format(arena, "TRI-%04d", message->code);
    if (!message->group)
        return TRI_STR("");
    const char *option = message->severity != TRI_REMARK ? "-W" : message->is_missed ? "-Rpass-missed=" : "-Rpass=";
    return tri_str_format(arena, "%s%s", option, message->group);
}

void tri_messages_position(const tri_source *source, uint32_t offset, tri_column_unit unit, uint32_t *out_line,
                           uint32_t *out_column)
{
    uint32_t bytes;
    tri_source_position(source, offset, out_line, &bytes);
    *out_column = 1;
    for (uint32_t i = offset - (bytes - 1); i < offset; i++) {
        unsigned char c = (unsigned char)source->text.data[i];
        bool is_start = (c & 0xc0) != 0x80, is_pair = unit == TRI_COLUMN_UTF16 && c >= 0xf0;
        *out_column += is_start + is_pair;
    }
}
