// What passes keep that leave the control flow alone, found once.
#include "llvm/Pass.h"
#include "llvm/PassRegistry.h"

#include <atomic>
#include <utility>
#include <vector>

using namespace llvm;

/* Each of the code generator's 140 passes says what it keeps, most of them by asking every pass that is registered
 * whether it knows of nothing but control flow, for each kernel. The linker puts what is below in place of that
 * question, and of what makes the answer another one (WRAP in Makefile.in). */

static std::atomic<unsigned> registered; /* passes, ever */

extern "C" {
#define REGISTER(prefix) prefix##_ZN4llvm12PassRegistry12registerPassERKNS_8PassInfoEb
#define KEEP(prefix) prefix##_ZN4llvm13AnalysisUsage15setPreservesCFGEv
/* null where the linker has put nothing in its place */
__attribute__((weak)) void REGISTER(__real_)(PassRegistry *self, const PassInfo *pass, bool is_owned);
void REGISTER(__wrap_)(PassRegistry *self, const PassInfo *pass, bool is_owned);
void KEEP(__wrap_)(AnalysisUsage *self);
}

void REGISTER(__wrap_)(PassRegistry *self, const PassInfo *pass, bool is_owned)
{
    REGISTER(__real_)(self, pass, is_owned);
    registered.fetch_add(1, std::memory_order_release);
}

namespace {
struct Collector : PassRegistrationListener {
    std::vector<AnalysisID> ids;

    void passEnumerate(const PassInfo *pass) override
    {
        if (pass->isCFGOnlyPass())
            ids.push_back(pass->getTypeInfo());
    }
};
} // namespace

namespace {
/* Of all threads; those before stay, as they may be read. */
struct Answer {
    std::vector<AnalysisID> ids;
    unsigned of; /* so many registered passes */
    const Answer *before;
};

std::atomic<const Answer *> newest;
} // namespace

static const Answer *find(unsigned of)
{
    Collector collector;
    collector.enumeratePasses();
    auto *made = new Answer{std::move(collector.ids), of, newest.load(std::memory_order_acquire)};
    while (!newest.compare_exchange_weak(made->before, made, std::memory_order_acq_rel))
        continue;
    return made;
}

void KEEP(__wrap_)(AnalysisUsage *self)
{
    const Answer *answer = newest.load(std::memory_order_acquire);
    unsigned now = registered.load(std::memory_order_acquire);
    if (!answer || answer->of != now)
        answer = find(now);
    for (AnalysisID id : answer->ids)
        self->addPreservedID(id);
}
