/* tt: operations with a scalar region, and elementwise calls of foreign code. */
#include "ir/dialects.h"

using namespace mlir;

namespace tri::tt {

/* ---- reduce ---- */

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                         DictionaryAttr attrs, OpaqueProperties properties, RegionRange regions,
                                         SmallVectorImpl<Type> &results)
{
    ReduceOpAdaptor adaptor(operands, attrs, properties, regions);
    int64_t axis = (int32_t)adaptor.getAxis();
    for (Value operand : operands) {
        auto src = cast<RankedTensorType>(operand.getType());
        if (axis < 0 || axis >= src.getRank())
            return emitOptionalError(loc, "'tt.reduce' op axis ", axis, " is out of range for ", src);
        if (src.getRank() == 1) {
            results.push_back(src.getElementType());
            continue;
        }
        SmallVector<int64_t> shape(src.getShape());
        shape.erase(shape.begin() + axis);
        Attribute encoding;
        if (src.getEncoding() && failed(inferReduce(src.getEncoding(), (int)axis, (int)src.getRank(), encoding)))
            return emitOptionalError(loc, "'tt.reduce' op has no layout for the result of ", src);
        results.push_back(RankedTensorType::get(shape, src.getElementType(), encoding));
    }
    return success();
}

static LogicalResult verifyOperands(Operation *op, int64_t axis)
{
    if (!op->getNumOperands())
        return op->emitOpError("needs at least one operand");
    if (op->getNumOperands() != op->getNumResults())
        return op->emitOpError("needs as many results as operands");
    auto type = cast<RankedTensorType>(op->getOperand(0).getType());
    if (axis < 0 || axis >= type.getRank())
        return op->emitOpError("axis ") << axis << " is out of range for " << type;
    return success();
}

/* The region takes two scalars of each element type, all firsts before all seconds, and returns one of each. */
static LogicalResult verifyCombine(Operation *op, Region &region, StringRef terminator)
{
    Block &block = region.front();
    unsigned n = op->getNumOperands();
    if (block.getNumArguments() != 2 * n)
        return op->emitOpError("region must take ") << 2 * n << " arguments, but takes " << block.getNumArguments();
    for (unsigned i = 0; i < 2 * n; i++) {
        Type element = getElementTypeOrSelf(op->getOperand(i % n).getType());
        if (block.getArgument(i).getType() != element)
            return op->emitOpError("argument ")
                   << i << " of the region must be " << element << ", not " << block.getArgument(i).getType();
    }
    Operation *last = block.empty() ? nullptr : &block.back();
    if (!last || last->getName().getStringRef() != terminator)
        return op->emitOpError("region must end with ") << terminator;
    if (last->getNumOperands() != n)
        return last->emitOpError("must return ") << n << " values, but returns " << last->getNumOperands();
    for (unsigned i = 0; i < n; i++) {
        Type element = getElementTypeOrSelf(op->getOperand(i).getType());
        if (last->getOperand(i).getType() != element)
            return last->emitOpError("value ")
                   << i << " must be " << element << ", not " << last->getOperand(i).getType();
    }
    return success();
}

LogicalResult ReduceOp::verify() { return verifyOperands(*this, (int32_t)getAxis()); }

LogicalResult ReduceOp::verifyRegions() { return verifyCombine(*this, getCombineOp(), "tt.reduce.return"); }

/* ---- scan ---- */

LogicalResult ScanOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange, SmallVectorImpl<Type> &results)
{
    for (Value operand : operands)
        results.push_back(operand.getType());
    return success();
}

LogicalResult ScanOp::verify() { return verifyOperands(*this, (int32_t)getAxis()); }

LogicalResult ScanOp::verifyRegions() { return verifyCombine(*this, getCombineOp(), "tt.scan.return"); }

/* ---- map_elementwise ---- */

LogicalResult MapElementwiseOp::verify()
{
    if (!getNumOperands())
        return emitOpError("needs at least one operand");
    return isPowerOfTwo((int32_t)getPack()) ? success() : emitOpError("pack must be a power of two");
}

/* `values` must be each of `types`' element types, `pack` times in a row. */
static LogicalResult verifyPacked(Operation *op, TypeRange values, TypeRange types, unsigned pack, StringRef what)
{
    if (values.size() != types.size() * pack)
        return op->emitOpError("needs ") << types.size() * pack << " " << what << ", but has " << values.size();
    for (size_t i = 0; i < values.size(); i++)
        if (values[i] != getElementTypeOrSelf(types[i / pack]))
            return op->emitOpError() << what << " must have the element types of the tensors, but one is " << values[i];
    return success();
}

LogicalResult MapElementwiseOp::verifyRegions()
{
    Region &region = getScalarOp();
    if (region.empty())
        return emitOpError("needs a region");
    if (failed(
            verifyPacked(*this, region.front().getArgumentTypes(), getOperandTypes(), getPack(), "region arguments")))
        return failure();
    for (Block &block : region)
        if (auto last = dyn_cast<MapElementwiseReturnOp>(block.empty() ? nullptr : &block.back()))
            if (failed(verifyPacked(last, last.getOperandTypes(), getResultTypes(), getPack(), "returned values")))
                return failure();
    WalkResult walk = region.walk([&](Operation *inner) {
        auto effects = dyn_cast<MemoryEffectOpInterface>(inner);
        if (!effects || !effects.hasEffect<MemoryEffects::Write>())
            return WalkResult::advance();
        inner->emitOpError("writes memory inside of tt.map_elementwise");
        return WalkResult::interrupt();
    });
    return failure(walk.wasInterrupted());
}

/* ---- foreign code ---- */

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static void foreignEffects(bool pure, Effects &effects)
{
    if (pure)
        return;
    effects.emplace_back(MemoryEffects::Write::get());
    effects.emplace_back(MemoryEffects::Read::get());
}

void ExternElementwiseOp::getEffects(Effects &effects) { foreignEffects(getPure(), effects); }

Speculation::Speculatability ExternElementwiseOp::getSpeculatability()
{
    return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

void ElementwiseInlineAsmOp::getEffects(Effects &effects) { foreignEffects(getPure(), effects); }

Speculation::Speculatability ElementwiseInlineAsmOp::getSpeculatability()
{
    return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

LogicalResult ElementwiseInlineAsmOp::verify()
{
    int64_t packed = (int32_t)getPackedElement();
    if (packed < 1)
        return emitOpError("packed_element must be positive");
    if (!getNumOperands())
        return success();
    auto tensor = dyn_cast<RankedTensorType>(getOperand(0).getType());
    if (tensor && tensor.getNumElements() % packed)
        return emitOpError("number of elements must be a multiple of packed_element (") << packed << ")";
    return success();
}

} // namespace tri::tt
