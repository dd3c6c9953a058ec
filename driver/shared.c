/* In the shared library alone, which has a C++ runtime and an LLVM of its own: where these find no memory, the
 * compilation that runs on the thread ends. */
#include "ir/guard.h"

__attribute__((constructor)) static void start(void) { tri_guard_memory(); }
