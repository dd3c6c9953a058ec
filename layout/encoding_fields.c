#include "layout/encoding_fields.h"

#define FIELD(type, member, name, presence, absent, rule) \
    { TRI_FIELD_##type, offsetof(tri_encoding, member), name, TRI_FIELD_##presence, absent, TRI_FIELD_##rule }
#define LAYOUT(kind, dialect, class, form, rank, since, ...) \
    [TRI_ENC_##kind] = {TRI_FORM_##form, rank, since, (const tri_field[]){__VA_ARGS__, {.type = TRI_FIELD_END}}},
static const tri_layout_row rows[] = {
    [TRI_ENC_NONE] = {.fields = (const tri_field[]){{.type = TRI_FIELD_END}}},
#include "layout/encoding.def"
};

const tri_layout_row *tri_encoding_row_of(tri_encoding_kind kind)
{
    return &rows[(size_t)kind < sizeof rows / sizeof rows[0] ? kind : TRI_ENC_NONE];
}

bool tri_encoding_field_is_there(const tri_field *field, const tri_encoding *encoding)
{
    if (field->presence == TRI_FIELD_WITH_BASES)
        return encoding->padded.has_bases;
    return field->presence != TRI_FIELD_WITHOUT_BASES || !encoding->padded.has_bases;
}

int tri_encoding_field_count(const tri_field *field, const tri_encoding *encoding)
{
    switch (field->type) {
    case TRI_FIELD_INT:
    case TRI_FIELD_FLAG:
    case TRI_FIELD_TAIL:
        return 1;
    case TRI_FIELD_ROW:
        return encoding->rank;
    case TRI_FIELD_THREE:
        return 3;
    case TRI_FIELD_SHAPE:
        return encoding->instr_rank;
    default:
        return 0;
    }
}

void *tri_encoding_field_at(const tri_field *field, tri_encoding *encoding) { return (char *)encoding + field->offset; }
