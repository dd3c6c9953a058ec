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

bool tri_upstream_run(MlirModule module, const char *pipeline, tri_diag *diag)
{
    registerPasses();
    ModuleOp op = unwrap(module);
    PassManager manager(op.getContext(), ModuleOp::getOperationName());
    manager.enableVerifier(false);
    std::string message;
    llvm::raw_string_ostream errors(message);
    if (failed(parsePassPipeline(pipeline, manager, errors))) {
        tri_diag_error(diag, tri_span{}, 0, "pass pipeline '%s': %s", pipeline, message.c_str());
        return false;
    }
    return succeeded(manager.run(op));
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

bool tri_upstream_canonicalize(MlirOperation root)
{
    Operation *op = unwrap(root);
    MLIRContext *context = op->getContext();
    RewritePatternSet patterns(context);
    for (Dialect *dialect : context->getLoadedDialects())
        dialect->getCanonicalizationPatterns(patterns);
    for (RegisteredOperationName name : context->getRegisteredOperations())
        name.getCanonicalizationPatterns(patterns, context);
    return succeeded(applyPatternsGreedily(op, std::move(patterns)));
}
