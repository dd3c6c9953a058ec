// What llvm-c lacks for code generators. No option of the process is left changed: LLVM may be shared with other users.
#include "ir/blocks.h"
#include "ir/island.h"

#include "llvm-c/Core.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>
#include <new>

using namespace llvm;

namespace {
/* Hands passes on, but those of a list of names. Long blocks are split behind the last pass that would join them: in
 * front of the one that every level and processor has next. */
class Filter : public legacy::PassManagerBase {
public:
    Filter(legacy::PassManagerBase &to, const char *const *names, bool splits) : to(to), names(names), splits(splits) {}
    void add(Pass *pass) override
    {
        StringRef title = pass->getPassName();
        if (splits && title == "Safe Stack instrumentation pass")
            to.add(tri_create_split_blocks());
        for (const char *const *name = names; *name; name++) {
            if (title == *name) {
                delete pass;
                return;
            }
        }
        to.add(pass);
    }

private:
    legacy::PassManagerBase &to;
    const char *const *names;
    bool splits;
};
} // namespace

LLVMMemoryBufferRef tri_island_emit_without(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                            LLVMCodeGenFileType type, const char *const *passes)
{
    auto *target = reinterpret_cast<TargetMachine *>(machine);
    legacy::PassManager manager;
    /* makers of GPU code leave these questions to the assembler behind them */
    Filter filter(manager, passes, !target->getTargetTriple().isGPU());
    SmallString<0> text;
    raw_svector_ostream stream(text);
    auto kind = type == LLVMAssemblyFile ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile;
    unwrap(module)->setDataLayout(target->createDataLayout());
    if (target->addPassesToEmitFile(filter, stream, nullptr, kind))
        return nullptr;
    manager.run(*unwrap(module));
    return LLVMCreateMemoryBufferWithMemoryRangeCopy(text.data(), text.size(), "");
}

/* The constructor of the machine asks the option, and nothing else does. */
LLVMTargetMachineRef tri_island_create_short(LLVMTargetRef target, const char *triple, const char *cpu,
                                             const char *features, LLVMCodeGenOptLevel level)
{
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    auto &options = cl::getRegisteredOptions();
    auto at = options.find("nvptx-short-ptr");
    auto *is_short = at == options.end() ? nullptr : static_cast<cl::opt<bool> *>(at->second);
    bool before = is_short && *is_short;
    if (is_short)
        is_short->setValue(true);
    LLVMTargetMachineRef machine =
        LLVMCreateTargetMachine(target, triple, cpu, features, level, LLVMRelocPIC, LLVMCodeModelDefault);
    if (is_short)
        is_short->setValue(before);
    return machine;
}

static void (*memory_handler)();

static void on_bad_alloc(void *, const char *, bool)
{
    memory_handler();
}

void tri_island_guard_memory(void (*handler)(void))
{
    memory_handler = handler;
    std::set_new_handler(handler);
    remove_bad_alloc_error_handler();
    install_bad_alloc_error_handler(on_bad_alloc, nullptr);
}

char *tri_island_check_assembly(LLVMTypeRef type, const char *constraints, size_t length)
{
    Error error = InlineAsm::verify(cast<FunctionType>(unwrap(type)), StringRef(constraints, length));
    return error ? LLVMCreateMessage(toString(std::move(error)).c_str()) : nullptr;
}
