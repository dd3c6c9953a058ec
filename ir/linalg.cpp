/* The structured dialects, and MLIR's way from them to LLVM IR for the host. No dialect headers of ours here. */
#define _Noreturn [[noreturn]]
#include <cstdarg>
#include <cstring>
extern "C" {
#include "base/diag.h"
}
#undef _Noreturn
#include "ir/linalg.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include "mlir-c/Dialect/Func.h"
#include "mlir-c/Dialect/Linalg.h"
#include "mlir-c/Dialect/MemRef.h"
#include "mlir-c/Dialect/Tensor.h"

using namespace mlir;

void tri_linalg_register(MlirDialectRegistry registry)
{
    for (MlirDialectHandle handle : {mlirGetDialectHandle__func__(), mlirGetDialectHandle__memref__(),
                                     mlirGetDialectHandle__tensor__(), mlirGetDialectHandle__linalg__()})
        mlirDialectHandleInsertDialect(handle, registry);
    unwrap(registry)->insert<bufferization::BufferizationDialect>();
}

void tri_linalg_load(MlirContext context)
{
    for (const char *name : {"func", "memref", "tensor", "linalg", "bufferization"})
        mlirContextGetOrLoadDialect(context, mlirStringRefCreateFromCString(name));
}

/* What the passes to the host ask of operations that they did not come with. */
static void registerInterfaces(MLIRContext *context)
{
    DialectRegistry registry;
    arith::registerBufferizableOpInterfaceExternalModels(registry);
    cf::registerBufferizableOpInterfaceExternalModels(registry);
    linalg::registerBufferizableOpInterfaceExternalModels(registry);
    scf::registerBufferizableOpInterfaceExternalModels(registry);
    tensor::registerBufferizableOpInterfaceExternalModels(registry);
    bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(registry);
    arith::registerConvertArithToLLVMInterface(registry);
    cf::registerConvertControlFlowToLLVMInterface(registry);
    index::registerConvertIndexToLLVMInterface(registry);
    registerConvertFuncToLLVMInterface(registry);
    registerConvertMathToLLVMInterface(registry);
    registerConvertMemRefToLLVMInterface(registry);
    ub::registerConvertUBToLLVMInterface(registry);
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    context->appendDialectRegistry(registry);
}

static void registerPasses()
{
    registerConvertElementwiseToLinalgPass();
    registerLinalgElementwiseOpFusionPass();
    registerConvertLinalgToLoopsPass();
    bufferization::registerEmptyTensorToAllocTensorPass();
    bufferization::registerOneShotBufferizePass();
    bufferization::registerBufferHoistingPass();
    bufferization::registerBufferLoopHoistingPass();
    bufferization::registerPromoteBuffersToStackPass();
    memref::registerExpandStridedMetadataPass();
    memref::registerExpandOpsPass();
    arith::registerArithExpandOpsPass();
    arith::registerArithEmulateUnsupportedFloatsPass();
    math::registerMathExtendToSupportedTypesPass();
    ::mlir::registerPass([] { return createLowerAffinePass(); });
    ::mlir::registerPass([] { return createConvertMathToLLVMPass(); });
    ::mlir::registerPass([] { return createConvertMathToLibmPass(); });
    ::mlir::registerPass([] { return createConvertToLLVMPass(); });
    ::mlir::registerPass([] { return createReconcileUnrealizedCastsPass(); });
}

void tri_linalg_prepare(MlirContext context)
{
    static bool done = (registerPasses(), true);
    (void)done;
    registerInterfaces(unwrap(context));
}

void tri_linalg_copies(MlirModule module)
{
    SmallVector<memref::CopyOp> copies;
    unwrap(module)->walk([&](memref::CopyOp op) { copies.push_back(op); });
    for (memref::CopyOp op : copies) {
        OpBuilder builder(op);
        linalg::CopyOp::create(builder, op.getLoc(), op.getSource(), op.getTarget());
        op.erase();
    }
}

LLVMModuleRef tri_linalg_translate(MlirModule module, LLVMContextRef llvm)
{
    auto made = translateModuleToLLVMIR(unwrap(module), *reinterpret_cast<llvm::LLVMContext *>(llvm), "tritcc");
    return reinterpret_cast<LLVMModuleRef>(made.release());
}
