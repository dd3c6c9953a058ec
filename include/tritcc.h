/* The compiler as a library: a text and options in, stages out, all in memory. Link with libtritcc.a and
 * the LLVM libraries that `tritcc` itself is linked with.
 *
 * A program is used by one thread at a time; different programs by different threads are fine, but they
 * compile one after the other. Running out of memory ends the process with a message. */
#ifndef TRITCC_H
#define TRITCC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tritcc_program tritcc_program;

/* Copies `text`. `name` is what messages call it, and its suffix tells the kind (.tri, .ttir, .ttgir ...)
 * unless the options have -x. Never null. */
tritcc_program *tritcc_create(const char *name, const char *text, size_t size);
/* Null is allowed. */
void tritcc_destroy(tritcc_program *program);

/* Compiles with options as on tritcc's command line, which end with their count; -emit=KIND,... names the
 * stages that are wanted (file names in it are not looked at, and nothing is written). The result is
 * tritcc's exit status: 0, 1 when the text was rejected or a tool failed, 2 when an option is wrong.
 * May be called again with other options. */
int tritcc_compile(tritcc_program *program, int count, const char *const *options);

/* A stage of the last tritcc_compile, or null when it was not asked for or the compilation failed. Valid
 * until the program is compiled again or destroyed; a NUL that is not counted follows. */
const char *tritcc_get(const tritcc_program *program, const char *kind, size_t *out_size);
/* What the last tritcc_compile reported, "" when nothing. Never null. */
const char *tritcc_log(const tritcc_program *program);

#ifdef __cplusplus
}
#endif

#endif
