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
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/AllocationOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

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
    memref::registerAllocationOpInterfaceExternalModels(registry); /* or no buffer is hoisted or promoted */
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

/* One turn of the loop: what the body makes of `old`, and whether it could be put there. */
static void exchangeOnce(OpBuilder &builder, memref::GenericAtomicRMWOp op, Value pointer, Value old)
{
    Location loc = op.getLoc();
    Type element = op.getType();
    IRMapping values;
    values.map(op.getCurrentValue(), arith::BitcastOp::create(builder, loc, element, old));
    for (Operation &inner : op.getBody()->without_terminator())
        builder.clone(inner, values);
    Value next = values.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0));
    next = arith::BitcastOp::create(builder, loc, old.getType(), next);
    auto order = LLVM::AtomicOrdering::acq_rel;
    auto failure = LLVM::AtomicOrdering::monotonic;
    Value both = LLVM::AtomicCmpXchgOp::create(builder, loc, pointer, old, next, order, failure);
    Value seen = LLVM::ExtractValueOp::create(builder, loc, both, 0);
    Value done = LLVM::ExtractValueOp::create(builder, loc, both, 1);
    Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
    scf::ConditionOp::create(builder, loc, arith::XOrIOp::create(builder, loc, done, yes), seen);
}

void tri_linalg_float_exchanges(MlirModule module)
{
    unwrap(module).getContext()->loadDialect<LLVM::LLVMDialect, scf::SCFDialect>();
    SmallVector<memref::GenericAtomicRMWOp> ops;
    unwrap(module)->walk([&](memref::GenericAtomicRMWOp op) {
        if (op.getType().isFloat() && op.getMemRefType().getRank() == 1 && op.getMemRefType().getLayout().isIdentity())
            ops.push_back(op);
    });
    for (memref::GenericAtomicRMWOp op : ops) {
        OpBuilder builder(op);
        Location loc = op.getLoc();
        unsigned bits = op.getType().getIntOrFloatBitWidth();
        Type word = builder.getIntegerType(bits);
        Value start = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, op.getMemref());
        Value size = arith::ConstantIndexOp::create(builder, loc, bits / 8);
        Value walked = arith::MulIOp::create(builder, loc, op.getIndices()[0], size);
        Value at = arith::AddIOp::create(builder, loc, start, walked);
        at = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), at);
        Value pointer = LLVM::IntToPtrOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), at);
        Value first = LLVM::LoadOp::create(builder, loc, word, pointer);
        auto loop = scf::WhileOp::create(
            builder, loc, TypeRange(word), ValueRange(first),
            [&](OpBuilder &b, Location, ValueRange old) { exchangeOnce(b, op, pointer, old[0]); },
            [&](OpBuilder &b, Location l, ValueRange seen) { scf::YieldOp::create(b, l, seen); });
        op.replaceAllUsesWith(Value(arith::BitcastOp::create(builder, loc, op.getType(), loop.getResult(0))));
        op.erase();
    }
}

void tri_linalg_library_calls(MlirModule module)
{
    SmallVector<math::ExpM1Op> ops;
    unwrap(module).walk([&](math::ExpM1Op op) {
        if (op.getType().isF32() || op.getType().isF64())
            ops.push_back(op);
    });
    for (math::ExpM1Op op : ops) {
        OpBuilder builder(op);
        StringRef name = op.getType().isF32() ? "expm1f" : "expm1";
        if (!unwrap(module).lookupSymbol(name)) {
            OpBuilder start = OpBuilder::atBlockBegin(unwrap(module).getBody());
            FunctionType type = builder.getFunctionType(op.getType(), op.getType());
            func::FuncOp::create(start, op.getLoc(), name, type).setPrivate();
        }
        auto call = func::CallOp::create(builder, op.getLoc(), name, op.getType(), op.getOperand());
        op.replaceAllUsesWith(call.getResult(0));
        op.erase();
    }
}

template <typename From, typename To> static void replaceExtremes(ModuleOp module)
{
    SmallVector<From> ops;
    module.walk([&](From op) {
        if (op.getType().isF32() || op.getType().isF64())
            ops.push_back(op);
    });
    for (From op : ops) {
        OpBuilder builder(op);
        op.replaceAllUsesWith(Value(To::create(builder, op.getLoc(), op.getType(), op.getLhs(), op.getRhs())));
        op.erase();
    }
}

void tri_linalg_extremes(MlirModule module)
{
    unwrap(module).getContext()->loadDialect<LLVM::LLVMDialect>();
    replaceExtremes<arith::MaxNumFOp, LLVM::MaxNumOp>(unwrap(module));
    replaceExtremes<arith::MinNumFOp, LLVM::MinNumOp>(unwrap(module));
    replaceExtremes<arith::MaximumFOp, LLVM::MaximumOp>(unwrap(module));
    replaceExtremes<arith::MinimumFOp, LLVM::MinimumOp>(unwrap(module));
}

void tri_linalg_keep_roundings(MlirModule module)
{
    unwrap(module).walk([](Operation *op) {
        if (isa<arith::ExtFOp, arith::TruncFOp>(op))
            op->setAttr("fastmath", arith::FastMathFlagsAttr::get(op->getContext(), arith::FastMathFlags::none));
    });
}

LLVMValueRef tri_linalg_add_pointer(LLVMValueRef function)
{
    auto *old = llvm::cast<llvm::Function>(llvm::unwrap(function));
    llvm::SmallVector<llvm::Type *> types(old->getFunctionType()->params());
    types.push_back(llvm::PointerType::get(old->getContext(), 0));
    auto *type = llvm::FunctionType::get(old->getReturnType(), types, false);
    llvm::Function *made = llvm::Function::Create(type, old->getLinkage(), "", old->getParent());
    made->splice(made->begin(), old);
    for (unsigned i = 0; i < old->arg_size(); i++)
        old->getArg(i)->replaceAllUsesWith(made->getArg(i));
    made->takeName(old);
    old->eraseFromParent();
    return llvm::wrap(made);
}

void tri_linalg_end_unless(LLVMValueRef program, LLVMValueRef checked, LLVMValueRef report, LLVMValueRef message,
                           LLVMValueRef file, unsigned line)
{
    auto *function = llvm::cast<llvm::Function>(llvm::unwrap(program));
    llvm::SmallVector<llvm::CallInst *> calls;
    for (llvm::Instruction &i : llvm::instructions(function))
        if (auto *call = llvm::dyn_cast<llvm::CallInst>(&i); call && call->getCalledFunction() == llvm::unwrap(checked))
            calls.push_back(call);
    for (llvm::CallInst *call : calls) {
        llvm::IRBuilder<> before(call);
        llvm::Value *fails = before.CreateNot(call->getArgOperand(call->arg_size() - 1));
        llvm::Instruction *end = llvm::SplitBlockAndInsertIfThen(fails, call->getIterator(), false);
        llvm::IRBuilder<> b(end);
        llvm::Value *args[] = {function->getArg(function->arg_size() - 1), llvm::unwrap(message), llvm::unwrap(file),
                               b.getInt32(line), call->getArgOperand(0), call->getArgOperand(1),
                               call->getArgOperand(2)};
        b.CreateCall(llvm::cast<llvm::Function>(llvm::unwrap(report)), args);
        b.CreateRetVoid();
        end->eraseFromParent();
        call->eraseFromParent();
    }
}

/* LLVM 22.1 vectorizes loops that gather several numbers by maxnum (one a column) so that some are left out: that form
 * has a way out where a NaN is met. With maximumnum there is none; it computes the same but for the sign of a zero,
 * which maxnum leaves open. */
static void replaceIntrinsic(llvm::Module &module, llvm::Intrinsic::ID from, llvm::Intrinsic::ID to)
{
    for (llvm::Function &declared : llvm::make_early_inc_range(module)) {
        if (declared.getIntrinsicID() != from)
            continue;
        auto *made = llvm::Intrinsic::getOrInsertDeclaration(&module, to, {declared.getReturnType()});
        for (llvm::User *user : llvm::make_early_inc_range(declared.users())) {
            auto *call = llvm::cast<llvm::CallInst>(user);
            call->setCalledFunction(made);
            call->setHasNoSignedZeros(true);
        }
        declared.eraseFromParent();
    }
}

LLVMModuleRef tri_linalg_translate(MlirModule module, LLVMContextRef llvm)
{
    auto made = translateModuleToLLVMIR(unwrap(module), *reinterpret_cast<llvm::LLVMContext *>(llvm), "tritcc");
    if (made) {
        replaceIntrinsic(*made, llvm::Intrinsic::maxnum, llvm::Intrinsic::maximumnum);
        replaceIntrinsic(*made, llvm::Intrinsic::minnum, llvm::Intrinsic::minimumnum);
    }
    return reinterpret_cast<LLVMModuleRef>(made.release());
}
