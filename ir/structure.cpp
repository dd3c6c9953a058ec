/* MLIR's transformation of control flow, on functions of tt. */
#include "ir/structure.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;

namespace {

class Structure : public ControlFlowToSCFTransformation {
    /* What nobody reads is 0, where there is such a constant. */
    Value getUndefValue(Location loc, OpBuilder &builder, Type type) override
    {
        TypedAttr zero = builder.getZeroAttr(type);
        return zero ? Value(arith::ConstantOp::create(builder, loc, zero))
                    : ControlFlowToSCFTransformation::getUndefValue(loc, builder, type);
    }

    FailureOr<Operation *> createUnreachableTerminator(Location loc, OpBuilder &builder, Region &region) override
    {
        auto function = dyn_cast<FunctionOpInterface>(region.getParentOp());
        if (!function)
            return failure();
        SmallVector<Value> values;
        for (Type type : function.getResultTypes())
            values.push_back(getUndefValue(loc, builder, type));
        return builder.create(OperationState(loc, "tt.return", values, {}, {}));
    }
};

} // namespace

bool tri_structure_function(MlirOperation function)
{
    Operation *op = unwrap(function);
    op->getContext()->loadDialect<arith::ArithDialect, cf::ControlFlowDialect, scf::SCFDialect, ub::UBDialect>();
    Structure structure;
    DominanceInfo dominance(op);
    for (Region &region : op->getRegions())
        if (!region.empty() && !region.hasOneBlock() && failed(transformCFGToSCF(region, structure, dominance)))
            return false;
    return true;
}
