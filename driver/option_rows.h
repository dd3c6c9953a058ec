/* Makes `static const tri_option_row rows[]` of a table of options: TRI_OPTION_FILE names it, TRI_OPTION_FIELDS is the
 * struct that its actions fill. `parser` is the type that its functions take. Included once by each owner of a table,
 * hence without a guard. */
#include "driver/option_table.h"

#define GROUP(topic, title)
#define OPT(name, form, metavar, action, help, manual) action
#define SET(field)
#define CLEAR(field)
#define TEXT(field)
#define LIST(field)
#define NUMBER(field, lowest, highest)
#define CALL(function) static bool function(parser *p, tri_str value);
#include TRI_OPTION_FILE
#undef GROUP
#undef OPT
#undef SET
#undef CLEAR
#undef TEXT
#undef LIST
#undef NUMBER
#undef CALL

#define AT(field_) .field = offsetof(TRI_OPTION_FIELDS, field_)
#define GROUP(topic_, title_) {.topic = topic_, .title = title_},
#define OPT(name_, form_, metavar_, action, help_, manual_) \
    {.name = name_, .form = TRI_OPTION_##form_, .metavar = metavar_, .help = help_, .manual = manual_, action},
#define SET(field) .act = TRI_OPTION_SET, AT(field)
#define CLEAR(field) .act = TRI_OPTION_CLEAR, AT(field)
#define TEXT(field) .act = TRI_OPTION_TEXT, AT(field)
#define LIST(field) .act = TRI_OPTION_LIST, AT(field)
#define NUMBER(field, lowest_, highest_) .act = TRI_OPTION_NUMBER, AT(field), .lowest = lowest_, .highest = highest_
#define CALL(function) .act = TRI_OPTION_CALL, .call = (tri_option_call)function
static const tri_option_row rows[] = {
#include TRI_OPTION_FILE
};
#undef AT
#undef GROUP
#undef OPT
#undef SET
#undef CLEAR
#undef TEXT
#undef LIST
#undef NUMBER
#undef CALL

static bool run_action(tri_option_call call, void *p, tri_str value)
{
    return ((bool (*)(parser *, tri_str))call)(p, value);
}
