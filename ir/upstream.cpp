/* No dialect headers of ours here. */
#define _Noreturn [[noreturn]]
#include <cstdarg>
#include <cstring>
extern "C" {
#include "base/diag.h"
}
#undef _Noreturn
#include "ir/upstream.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

static void registerPasses()
{
    static bool done = [] {
        registerInlinerPass();
        registerCanonicalizerPass();
        registerCSEPass();
        registerLoopInvariantCodeMotionPass();
        registerSCCPPass();
        registerSymbolDCEPass();
        registerRemoveDeadValuesPass();
        ::mlir::registerPass([] { return createSCFToControlFlowPass(); });
        return true;
    }();
    (void)done;
}

namespace {
/* What a context keeps of the pipelines that ran in it, for as long as it lives: a pass manager that runs again does
 * not collect the patterns of all operations again, unless dialects have come since. Operations it has none. */
class Pipelines : public Dialect {
public:
    explicit Pipelines(MLIRContext *context) : Dialect(getDialectNamespace(), context, TypeID::get<Pipelines>()) {}
    static StringRef getDialectNamespace() { return "tritcc_pipelines"; }

    llvm::StringMap<std::unique_ptr<PassManager>> managers;
    FrozenRewritePatternSet canonical; /* of all operations there were with so many dialects */
    size_t dialects = 0;

    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Pipelines)
};
} // namespace

/* Null after a report. */
static PassManager *getManager(MLIRContext *context, StringRef pipeline, tri_diag *diag)
{
    auto &known = context->getOrLoadDialect<Pipelines>()->managers;
    auto found = known.find(pipeline);
    if (found != known.end())
        return found->second.get();
    registerPasses();
    auto manager = std::make_unique<PassManager>(context, ModuleOp::getOperationName());
    manager->enableVerifier(false);
    std::string message;
    llvm::raw_string_ostream errors(message);
    if (succeeded(parsePassPipeline(pipeline, *manager, errors)))
        return (known[pipeline] = std::move(manager)).get();
    tri_diag_error(diag, tri_span{}, 1002, "pass pipeline '%s': %s", pipeline.str().c_str(), message.c_str());
    return nullptr;
}

bool tri_upstream_run(MlirModule module, const char *pipeline, tri_diag *diag)
{
    ModuleOp op = unwrap(module);
    PassManager *manager = getManager(op.getContext(), pipeline, diag);
    return manager && succeeded(manager->run(op));
}

bool tri_upstream_unroll(MlirOperation loop, uint64_t factor, MlirOperation *out_loop, MlirOperation *out_epilogue)
{
    auto op = dyn_cast<scf::ForOp>(unwrap(loop));
    if (!op)
        return false;
    FailureOr<UnrolledLoopInfo> info = loopUnrollByFactor(op, factor);
    if (failed(info))
        return false;
    auto get = [](std::optional<scf::ForOp> made) {
        return wrap(made && *made ? made->getOperation() : (Operation *)nullptr);
    };
    *out_loop = get(info->mainLoopOp);
    if (out_epilogue)
        *out_epilogue = get(info->epilogueLoopOp);
    return true;
}

/* The patterns of all dialects, collected once. */
static const FrozenRewritePatternSet &canonicalPatterns(MLIRContext *context)
{
    auto *known = context->getOrLoadDialect<Pipelines>();
    std::vector<Dialect *> dialects = context->getLoadedDialects();
    if (known->dialects != dialects.size()) {
        RewritePatternSet patterns(context);
        for (Dialect *dialect : dialects)
            dialect->getCanonicalizationPatterns(patterns);
        for (RegisteredOperationName name : context->getRegisteredOperations())
            name.getCanonicalizationPatterns(patterns, context);
        known->canonical = FrozenRewritePatternSet(std::move(patterns));
        known->dialects = dialects.size();
    }
    return known->canonical;
}

bool tri_upstream_canonicalize(MlirOperation root)
{
    Operation *op = unwrap(root);
    return succeeded(applyPatternsGreedily(op, canonicalPatterns(op->getContext())));
}

/* Is there a store among the operations right inside of this one? */
static bool storesInside(Operation *op)
{
    for (Region &region : op->getRegions())
        for (Block &block : region)
            for (Operation &inner : llvm::reverse(block))
                if (inner.getName().getStringRef() == "tt.store")
                    return true;
    return false;
}

/* The linker puts this in place of mlir::isOpTriviallyDead (WRAP in Makefile.in), which looks at everything inside of
 * an operation whenever canonicalize comes to it: of a chain of 'elif', each of which is inside of the one before, time
 * that grows with the square of its length, a fifth of the whole for a fused step of an optimizer. */
extern "C" bool __wrap__ZN4mlir17isOpTriviallyDeadEPNS_9OperationE(Operation *op)
{
    return op->use_empty() && !storesInside(op) && wouldOpBeTriviallyDead(op);
}
