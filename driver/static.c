/* In the programs alone, before the libraries' own constructors, which allocate: where C++ and LLVM find no memory, the
 * process ends. The sanitizer's own start comes first. */
#include "ir/guard.h"

#ifndef __SANITIZE_ADDRESS__
__attribute__((section(".preinit_array"), used)) static void (*const guard_memory)(void) = tri_guard_memory;
#endif

/* and again behind them */
__attribute__((constructor)) static void start(void) { tri_guard_memory(); }
