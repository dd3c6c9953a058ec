#include "driver/environment.h"

static _Thread_local const char *const *current;

void tri_environment_set(const char *const *variables) { current = variables; }

tri_str tri_environment_get(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; current && current[i]; i++)
        if (!strncmp(current[i], name, length) && current[i][length] == '=')
            return tri_str_from(current[i] + length + 1);
    return TRI_STR("");
}
