// The register allocator tries other registers so many times, not more.
extern "C" {
#include "ir/effort.h"
}

#include "llvm/CodeGen/LiveInterval.h"
#include "llvm/CodeGen/RegAllocEvictionAdvisor.h"

using namespace llvm;

/* Where no register is free, LLVM asks of each that another value holds whether that value could have any other: all
 * of AMD's 256 registers by 256, for each of thousands of values that spill, which took 9 of 10 seconds of a block with
 * 512 elements a thread. The linker puts what is below in place of the question (WRAP in Makefile.in). */
extern "C" {
#define QUESTION(prefix) prefix##_ZNK4llvm23RegAllocEvictionAdvisor11canReassignERKNS_12LiveIntervalENS_10MCRegisterE
/* null where the linker has put nothing in its place */
__attribute__((weak)) bool QUESTION(__real_)(const RegAllocEvictionAdvisor *self, const LiveInterval &value,
                                             MCRegister from);
bool QUESTION(__wrap_)(const RegAllocEvictionAdvisor *self, const LiveInterval &value, MCRegister from);
}

bool QUESTION(__wrap_)(const RegAllocEvictionAdvisor *self, const LiveInterval &value, MCRegister from)
{
    return tri_effort_take() && QUESTION(__real_)(self, value, from);
}
