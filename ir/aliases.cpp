// Registers that overlap another, without sorting.
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

using namespace llvm;

/* AMD's printer asks of each register, from the highest down, whether any of the 134 that overlap it is used. LLVM
 * collects these in a sorted list for each machine, in which the process of a small kernel spends a fifth of its
 * instructions. The linker puts what is below in place of the question (WRAP in Makefile.in). */

namespace {
using List = std::vector<MCPhysReg>;

/* Of one target, whose registers are the same in all of its machines; for ever. */
struct Target {
    const char *names; /* where those of its registers begin */
    std::vector<std::atomic<const List *>> lists;

    Target(const char *names, unsigned count) : names(names), lists(count) {}
};

std::atomic<Target *> targets[8];
std::mutex adding;
} // namespace

static Target *findTarget(const char *names)
{
    for (const std::atomic<Target *> &at : targets) {
        Target *target = at.load(std::memory_order_acquire);
        if (!target || target->names == names)
            return target;
    }
    return nullptr;
}

/* Null: there is no place for one more. */
static Target *addTarget(const MCRegisterInfo &registers, const char *names)
{
    /* which may find no memory: not under the lock */
    auto made = std::make_unique<Target>(names, registers.getNumRegs());
    std::lock_guard<std::mutex> lock(adding);
    Target *known = findTarget(names);
    for (std::atomic<Target *> &at : targets) {
        if (known || at)
            continue;
        known = made.release();
        at.store(known, std::memory_order_release);
    }
    return known;
}

/* All that share a unit with the register, itself among them. */
static List collect(const MCRegisterInfo &registers, MCRegister of)
{
    List list;
    std::vector<bool> has(registers.getNumRegs());
    for (MCRegUnit unit : registers.regunits(of))
        for (MCRegUnitRootIterator root(unit, &registers); root.isValid(); ++root)
            for (MCPhysReg over : registers.superregs_inclusive(*root)) {
                if (!has[over])
                    list.push_back(over);
                has[over] = true;
            }
    return list;
}

static const List &listOf(const MCRegisterInfo &registers, Target &target, MCRegister of)
{
    std::atomic<const List *> &at = target.lists[of.id()];
    const List *known = at.load(std::memory_order_acquire);
    if (known)
        return *known;
    auto *made = new List(collect(registers, of));
    if (at.compare_exchange_strong(known, made, std::memory_order_acq_rel))
        return *made;
    delete made; /* another thread was faster */
    return *known;
}

extern "C" {
#define QUESTION(prefix) prefix##_ZNK4llvm19MachineRegisterInfo13isPhysRegUsedENS_10MCRegisterEb
/* null where the linker has put nothing in its place */
__attribute__((weak)) bool QUESTION(__real_)(const MachineRegisterInfo *self, MCRegister of, bool skips_masks);
bool QUESTION(__wrap_)(const MachineRegisterInfo *self, MCRegister of, bool skips_masks);
}

bool QUESTION(__wrap_)(const MachineRegisterInfo *self, MCRegister of, bool skips_masks)
{
    const MCRegisterInfo &registers = *self->getTargetRegisterInfo();
    const char *names = registers.getName(MCRegister());
    Target *target = findTarget(names);
    if (!target)
        target = addTarget(registers, names);
    if (!target)
        return QUESTION(__real_)(self, of, skips_masks);
    if (!skips_masks && self->getUsedPhysRegsMask().test(of.id()))
        return true;
    for (MCPhysReg over : listOf(registers, *target, of))
        if (!self->reg_empty(over) && !self->reg_nodbg_empty(over))
            return true;
    return false;
}
