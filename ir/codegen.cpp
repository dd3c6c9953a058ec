// What llvm-c lacks for code generators. No option of the process is left changed: LLVM may be shared with other users.
#include "ir/blocks.h"
extern "C" {
#include "ir/effort.h"
}
#include "ir/island.h"

#include "llvm-c/Core.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Target/TargetMachine.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <new>
#include <utility>

using namespace llvm;

namespace {
/* What finds nothing more when it runs again, where the first of the reductions is left out that make more of it. */
const char *const once[] = {"Early CSE", "SROA"}, *const reduction = "Straight line strength reduction";

/* Hands passes on, but those of a list of names, and not one a second time when all that would have run since its first
 * is left out, or once is enough. Long blocks are split behind the last pass that would join them: in
 * front of the one that every level and processor has next. */
class Filter : public legacy::PassManagerBase {
public:
    Filter(legacy::PassManagerBase &to, const char *const *names, bool splits) : to(to), names(names), splits(splits) {}
    void add(Pass *pass) override
    {
        StringRef title = pass->getPassName();
        if (splits && title == "Safe Stack instrumentation pass")
            to.add(tri_create_split_blocks());
        bool is_left_out = has_gap && title == last;
        for (size_t i = 0; i < std::size(once); i++)
            is_left_out |= title == once[i] && std::exchange(has_run[i], true) && is_unreduced;
        for (const char *const *name = names; *name; name++)
            is_left_out |= title == *name;
        if (is_left_out) {
            is_unreduced |= title == reduction;
            has_gap = true;
            delete pass;
            return;
        }
        has_gap = false;
        last = title;
        to.add(pass);
    }

private:
    legacy::PassManagerBase &to;
    const char *const *names;
    bool splits;
    bool has_run[std::size(once)] = {}, is_unreduced = false;
    StringRef last;       /* the pass that was handed on last */
    bool has_gap = false; /* and something was left out since */
};

/* A string behind a buffer: text comes in pieces of a few letters, and the printer, which has a buffer of its own when
 * its stream has one, counts columns in each piece that is handed on. */
class Buffered : public raw_pwrite_stream {
public:
    explicit Buffered(SmallVectorImpl<char> &to) : to(to) { SetBufferSize(1 << 14); }
    ~Buffered() override { flush(); }

private:
    void write_impl(const char *data, size_t size) override { to.append(data, data + size); }
    void pwrite_impl(const char *data, size_t size, uint64_t at) override
    {
        flush(); /* writers of objects fill in what they have written before */
        std::copy_n(data, size, to.begin() + at);
    }
    uint64_t current_pos() const override { return to.size(); }

    SmallVectorImpl<char> &to;
};
} // namespace

/* GPUs' machines that nobody uses just now, of the whole process: what one knows of its types, operations and registers
 * takes a tenth of a small kernel's compilation to set up, AMD's a third. One that a compilation had which ended badly
 * does not come back, nor one that wrote ELF of a module with llvm.used: it keeps the addresses of these globals
 * (TargetLoweringObjectFileELF), at which a later module has others. */
static std::mutex idle_mutex;
static TargetMachine *idle[16];

static bool isKept(const Triple &triple)
{
    return triple.isNVPTX() || triple.isAMDGCN();
}

/* Machines that are not kept, until they are deleted. */
static SmallPtrSet<TargetMachine *, 4> &spent()
{
    static SmallPtrSet<TargetMachine *, 4> machines;
    return machines;
}

static void spend(TargetMachine &machine)
{
    std::lock_guard<std::mutex> lock(idle_mutex);
    spent().insert(&machine);
}

/* The printer is one of the passes: what it still has in its buffer comes when they end. */
static bool emitTo(raw_pwrite_stream &stream, Module &module, TargetMachine &target, CodeGenFileType kind,
                   const char *const *passes)
{
    legacy::PassManager manager;
    /* makers of GPU code leave these questions to the assembler behind them */
    Filter filter(manager, passes, !target.getTargetTriple().isGPU());
    module.setDataLayout(target.createDataLayout());
    if (target.addPassesToEmitFile(filter, stream, nullptr, kind))
        return false;
    if (isKept(target.getTargetTriple()) && module.getNamedGlobal("llvm.used"))
        spend(target);
    manager.run(module);
    return true;
}

LLVMMemoryBufferRef tri_island_emit_without(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                            LLVMCodeGenFileType type, const char *const *passes)
{
    auto *target = reinterpret_cast<TargetMachine *>(machine);
    tri_effort_start();
    SmallString<0> text;
    Buffered stream(text);
    auto kind = type == LLVMAssemblyFile ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile;
    if (!emitTo(stream, *unwrap(module), *target, kind, passes))
        return nullptr;
    stream.flush();
    return LLVMCreateMemoryBufferWithMemoryRangeCopy(text.data(), text.size(), "");
}

/* The constructor of the machine asks the option, and nothing else does. */
static LLVMTargetMachineRef createShort(LLVMTargetRef target, const char *triple, const char *cpu,
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

static TargetMachine *takeIdle(const Target *target, StringRef triple, StringRef cpu, StringRef features,
                               CodeGenOptLevel level)
{
    std::lock_guard<std::mutex> lock(idle_mutex);
    for (TargetMachine *&at : idle) {
        if (!at || &at->getTarget() != target || at->getTargetTriple().str() != triple || at->getTargetCPU() != cpu ||
            at->getTargetFeatureString() != features || at->getOptLevel() != level)
            continue;
        at->Options.MCOptions.AsmVerbose = false;
        return std::exchange(at, nullptr);
    }
    return nullptr;
}

LLVMTargetMachineRef tri_island_take_machine(LLVMTargetRef target, const char *triple, const char *cpu,
                                             const char *features, LLVMCodeGenOptLevel level)
{
    auto *of = reinterpret_cast<const Target *>(target);
    auto of_level = static_cast<CodeGenOptLevel>(level);
    if (TargetMachine *machine = isKept(Triple(triple)) ? takeIdle(of, triple, cpu, features, of_level) : nullptr)
        return reinterpret_cast<LLVMTargetMachineRef>(machine);
    if (Triple(triple).isNVPTX())
        return createShort(target, triple, cpu, features, level);
    return LLVMCreateTargetMachine(target, triple, cpu, features, level, LLVMRelocPIC, LLVMCodeModelDefault);
}

void tri_island_give_machine(LLVMTargetMachineRef machine)
{
    static size_t next; /* to go when there is no room */
    auto *given = reinterpret_cast<TargetMachine *>(machine);
    if (isKept(given->getTargetTriple())) {
        std::lock_guard<std::mutex> lock(idle_mutex);
        if (spent().erase(given)) {
            delete given;
            return;
        }
        TargetMachine **at = std::find(std::begin(idle), std::end(idle), nullptr);
        at = at != std::end(idle) ? at : &idle[next++ % std::size(idle)];
        std::swap(*at, given);
    }
    delete given;
}

void tri_island_agree_on_flags(LLVMModuleRef module, LLVMModuleRef library)
{
    SmallVector<Module::ModuleFlagEntry, 8> flags;
    unwrap(module)->getModuleFlagsMetadata(flags);
    for (const Module::ModuleFlagEntry &flag : flags)
        if (unwrap(library)->getModuleFlag(flag.Key->getString()))
            unwrap(library)->setModuleFlag(flag.Behavior, flag.Key->getString(), flag.Val);
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
