/* What the C programs of the tests ask for: each condition that is not true is told and counted. */
#ifndef TRI_TESTS_WANT_H
#define TRI_TESTS_WANT_H

#include <stdio.h>

static int failures;

#define WANT(cond) \
    do { \
        if (!(cond)) { \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #cond); \
            failures++; \
        } \
    } while (0)

#endif
