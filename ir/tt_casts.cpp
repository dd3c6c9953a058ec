/* tt: casts and pointer arithmetic. */
#include "ir/dialects.h"

using namespace mlir;

namespace tri::tt {

OpFoldResult IntToPtrOp::fold(FoldAdaptor)
{
    auto back = getSrc().getDefiningOp<PtrToIntOp>();
    return back && back.getSrc().getType() == getType() ? OpFoldResult(back.getSrc()) : OpFoldResult();
}

/* A constant number of bytes that is a whole number of elements is an offset in elements. */
LogicalResult IntToPtrOp::canonicalize(IntToPtrOp op, PatternRewriter &rewriter)
{
    auto sum = op.getSrc().getDefiningOp<arith::AddIOp>();
    APInt bytes;
    if (!sum || !matchPattern(sum.getRhs(), m_ConstantInt(&bytes)))
        return failure();
    int64_t size = std::max<int64_t>(1, bitsOf(getElementTypeOrSelf(pointeeOf(op.getType()))) / 8);
    if (bytes.getSExtValue() % size)
        return failure();
    Type type = sum.getType();
    TypedAttr offset = rewriter.getIntegerAttr(getElementTypeOrSelf(type), bytes.getSExtValue() / size);
    if (auto tensor = dyn_cast<RankedTensorType>(type))
        offset = SplatElementsAttr::get(tensor, offset);
    Value base = IntToPtrOp::create(rewriter, op.getLoc(), TypeRange(op.getType()), sum.getLhs());
    Value offsets = arith::ConstantOp::create(rewriter, op.getLoc(), offset);
    rewriter.replaceOpWithNewOp<AddPtrOp>(op, TypeRange(op.getType()), ValueRange{base, offsets});
    return success();
}

OpFoldResult PtrToIntOp::fold(FoldAdaptor)
{
    auto back = getSrc().getDefiningOp<IntToPtrOp>();
    return back && back.getSrc().getType() == getType() ? OpFoldResult(back.getSrc()) : OpFoldResult();
}

OpFoldResult BitcastOp::fold(FoldAdaptor)
{
    return getSrc().getType() == getType() ? OpFoldResult(getSrc()) : OpFoldResult();
}

LogicalResult BitcastOp::verify()
{
    Type from = getElementTypeOrSelf(getSrc().getType()), to = getElementTypeOrSelf(getType());
    auto fromPtr = dyn_cast<PtrType>(from), toPtr = dyn_cast<PtrType>(to);
    if (!fromPtr != !toPtr)
        return emitOpError("cannot cast between a pointer and a number: use tt.int_to_ptr or tt.ptr_to_int");
    if (fromPtr && fromPtr.getSpace() != toPtr.getSpace())
        return emitOpError("cannot cast between pointers of address spaces ")
               << fromPtr.getSpace() << " and " << toPtr.getSpace();
    if (!fromPtr && bitsOf(from) != bitsOf(to))
        return emitOpError("cannot cast between ") << bitsOf(from) << " and " << bitsOf(to) << " bits";
    return success();
}

OpFoldResult FpToFpOp::fold(FoldAdaptor adaptor)
{
    if (getSrc().getType() == getType())
        return getSrc();
    APFloat value(0.0);
    if (!matchPattern(getSrc(), m_ConstantFloat(&value)) || !value.isZero())
        return {};
    auto element = cast<FloatType>(getElementTypeOrSelf(getType()));
    const llvm::fltSemantics &semantics = element.getFloatSemantics();
    bool hasNegativeZero = !isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(element);
    Attribute zero = FloatAttr::get(element, APFloat::getZero(semantics, value.isNegative() && hasNegativeZero));
    auto tensor = dyn_cast<RankedTensorType>(getType());
    return tensor ? (Attribute)DenseElementsAttr::get(tensor, zero) : zero;
}

LogicalResult FpToFpOp::verify()
{
    unsigned from = bitsOf(getElementTypeOrSelf(getSrc().getType())), to = bitsOf(getElementTypeOrSelf(getType()));
    if (from > to && !getRounding())
        return emitOpError("a narrowing conversion needs a rounding mode");
    return success();
}

OpFoldResult AddPtrOp::fold(FoldAdaptor)
{
    return matchPattern(getOffset(), m_Zero()) ? OpFoldResult(getPtr()) : OpFoldResult();
}

} // namespace tri::tt
