/* The environment as the compilation of this thread sees it. */
#ifndef TRI_DRIVER_ENVIRONMENT_H
#define TRI_DRIVER_ENVIRONMENT_H

#include "base/str.h"

/* "NAME=VALUE" up to a null, borrowed until it is set again; null: none. Of this thread. */
void tri_environment_set(const char *const *variables);
/* A variable, or empty. The only reader of the environment. */
tri_str tri_environment_get(const char *name);

#endif
