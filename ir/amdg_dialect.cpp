/* The amdg dialect: registration, and what its operations must be. */
#include "ir/dialects.h"

using namespace mlir;
using namespace tri::amdg;

#include "ir/amdg_dialect.cpp.inc"

namespace {

struct Inliner : DialectInlinerInterface {
    using DialectInlinerInterface::DialectInlinerInterface;
    bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
    bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};

} // namespace

void AMDGDialect::initialize()
{
    registerAMDGDialectOperations(this);
    addInterfaces<Inliner>();
}

/* ---- operations ---- */

LogicalResult BufferLoadToLocalOp::verify()
{
    if (tri::pointeeOf(getPtr().getType()) != getDest().getType().getElementType())
        return emitOpError("the buffer's elements must be of the type that the pointer points to");
    if (getOther() && (getOther().getType().getShape() != getOffsets().getType().getShape() ||
                       getOther().getType().getElementType() != getDest().getType().getElementType()))
        return emitOpError("'other' must have the shape of the offsets and the type of the buffer's elements");
    return success();
}

/* What a slice and the whole have in common: element, rank, layouts of registers that repeat the same tile. */
static LogicalResult verifyPart(Operation *op, RankedTensorType whole, RankedTensorType part)
{
    if (whole.getRank() != part.getRank() || whole.getElementType() != part.getElementType())
        return op->emitOpError("the whole and its parts must have one rank and one element type");
    for (int64_t d = 0; d < whole.getRank(); d++)
        if (part.getDimSize(d) > whole.getDimSize(d) || whole.getDimSize(d) % part.getDimSize(d))
            return op->emitOpError("a part must be cut out of the whole in equal pieces");
    return success();
}

LogicalResult ExtractSliceOp::verify()
{
    auto whole = cast<RankedTensorType>(getSource().getType()), part = cast<RankedTensorType>(getResult().getType());
    if (failed(verifyPart(*this, whole, part)))
        return failure();
    if ((int64_t)getStaticOffsets().size() != whole.getRank())
        return emitOpError("there must be one offset for each dimension");
    for (auto [d, offset] : llvm::enumerate(getStaticOffsets()))
        if (offset < 0 || offset + part.getDimSize(d) > whole.getDimSize(d))
            return emitOpError("the slice goes beyond the end of dimension ") << d;
    return success();
}

LogicalResult ConcatOp::verify()
{
    auto whole = cast<RankedTensorType>(getResult().getType());
    if (getSources().empty())
        return emitOpError("there must be something to join");
    auto part = cast<RankedTensorType>(getSources().front().getType());
    int64_t elements = 0;
    for (Value source : getSources()) {
        if (source.getType() != part)
            return emitOpError("all parts must have one type");
        elements += part.getNumElements();
    }
    if (failed(verifyPart(*this, whole, part)))
        return failure();
    if (elements != whole.getNumElements())
        return emitOpError("the parts do not fill the result");
    return success();
}

LogicalResult InThreadTransposeOp::verify()
{
    auto from = cast<RankedTensorType>(getSrc().getType()), to = cast<RankedTensorType>(getResult().getType());
    if (from.getShape() != to.getShape() || from.getElementType() != to.getElementType())
        return emitOpError("operand and result must have one shape and one element type");
    if (!tri::sameThreads(from, to))
        return emitOpError("every thread must keep its elements");
    return success();
}
