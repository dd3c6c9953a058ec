// Assembly to an object, and objects to a shared object, inside of the process: LLVM's assembler and lld as a library.
#include "ir/island.h"

#include "lld/Common/Driver.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace llvm;

// lld's link-time optimiser, which objects never reach, starts every back end that LLVM has, and asks for Polly;
// without these all of them would be linked. gen/ir/no_targets.inc names those that this compiler makes no code with.
#define NO_TARGET(name) \
    extern "C" void LLVMInitialize##name##TargetInfo() {} \
    extern "C" void LLVMInitialize##name##Target() {} \
    extern "C" void LLVMInitialize##name##TargetMC() {} \
    extern "C" void LLVMInitialize##name##AsmPrinter() {} \
    extern "C" void LLVMInitialize##name##AsmParser() {}
#include "ir/no_targets.inc"

PassPluginLibraryInfo getPollyPluginInfo();
PassPluginLibraryInfo getPollyPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "Polly", LLVM_VERSION_STRING, nullptr};
}

static void keep_first(const SMDiagnostic &diagnostic, void *data)
{
    auto *text = static_cast<std::string *>(data);
    if (text->empty())
        *text = ("line " + Twine(diagnostic.getLineNo()) + ": " + diagnostic.getMessage()).str();
}

/* The parser of one text; what it knows of the machine is what the code generator knows. */
static bool run_parser(const TargetMachine &machine, SourceMgr &sources, raw_pwrite_stream &out)
{
    MCTargetOptions options;
    const Target &target = machine.getTarget();
    const Triple &triple = machine.getTargetTriple();
    const MCRegisterInfo &registers = *machine.getMCRegisterInfo();
    const MCInstrInfo &instructions = *machine.getMCInstrInfo();
    const MCSubtargetInfo &processor = *machine.getMCSubtargetInfo();
    MCContext context(triple, machine.getMCAsmInfo(), &registers, &processor, &sources, &options);
    std::unique_ptr<MCObjectFileInfo> sections(target.createMCObjectFileInfo(context, /*PIC=*/true));
    context.setObjectFileInfo(sections.get());
    std::unique_ptr<MCAsmBackend> backend(target.createMCAsmBackend(processor, registers, options));
    std::unique_ptr<MCObjectWriter> writer = backend->createObjectWriter(out);
    std::unique_ptr<MCCodeEmitter> emitter(target.createMCCodeEmitter(instructions, context));
    std::unique_ptr<MCStreamer> streamer(target.createMCObjectStreamer(
        triple, context, std::move(backend), std::move(writer), std::move(emitter), processor));
    std::unique_ptr<MCAsmParser> parser(createMCAsmParser(sources, context, *streamer, *machine.getMCAsmInfo()));
    std::unique_ptr<MCTargetAsmParser> target_parser(
        target.createMCAsmParser(processor, *parser, instructions, options));
    parser->setTargetParser(*target_parser);
    return !parser->Run(/*NoInitialTextSection=*/false);
}

/* Copies for the caller, who frees it. */
static char *copy_bytes(StringRef bytes, size_t *out_size)
{
    char *copy = static_cast<char *>(malloc(bytes.size() + 1));
    memcpy(copy, bytes.data(), bytes.size());
    copy[bytes.size()] = 0;
    *out_size = bytes.size();
    return copy;
}

char *tri_island_assemble(LLVMTargetMachineRef machine, const char *text, size_t size, size_t *out_size,
                          char **out_error)
{
    std::string error;
    SmallVector<char, 0> object;
    SourceMgr sources;
    sources.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(StringRef(text, size), "assembly"), SMLoc());
    sources.setDiagHandler(keep_first, &error);
    raw_svector_ostream out(object);
    if (!run_parser(*reinterpret_cast<TargetMachine *>(machine), sources, out) && error.empty())
        error = "it cannot be assembled";
    size_t length;
    *out_error = error.empty() ? nullptr : copy_bytes(error, &length);
    return error.empty() ? copy_bytes(StringRef(object.data(), object.size()), out_size) : nullptr;
}

char *tri_island_link(const char *const *arguments, int count)
{
    static std::mutex once; // lld keeps what it knows in one place for the process
    std::lock_guard<std::mutex> lock(once);
    std::string log;
    raw_string_ostream out(log);
    lld::Result result =
        lld::lldMain(ArrayRef<const char *>(arguments, count), out, out, {{lld::Gnu, &lld::elf::link}});
    size_t length;
    return result.retCode ? copy_bytes(log.empty() ? "the linker failed" : log, &length) : nullptr;
}
