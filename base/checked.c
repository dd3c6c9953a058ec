/* The allocators of C for programs linked with --wrap=malloc and so on: libraries that never look whether they got
 * memory (MLIR's interface tables, copies of messages for llvm-c) end as our own code does, with status 1. */
#include "base/diag.h"

#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *data, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *data, size_t size);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t size)
{
    void *data = __real_malloc(size);
    if (!data && size)
        tri_diag_out_of_memory();
    return data;
}

void *__wrap_calloc(size_t count, size_t size)
{
    void *data = __real_calloc(count, size);
    if (!data && count && size)
        tri_diag_out_of_memory();
    return data;
}

void *__wrap_realloc(void *data, size_t size)
{
    void *grown = __real_realloc(data, size);
    if (!grown && size)
        tri_diag_out_of_memory();
    return grown;
}

char *__wrap_strdup(const char *text)
{
    char *copy = __real_strdup(text);
    if (!copy)
        tri_diag_out_of_memory();
    return copy;
}
