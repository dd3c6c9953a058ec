/* ttg: views of buffers. */
#include "ir/dialects.h"

extern "C" {
#include "layout/encoding_words.h"
}

using namespace mlir;

namespace tri::ttg {

static LogicalResult sameMemory(Operation *op, MemDescType from, MemDescType to)
{
    if (from.getMemorySpace() != to.getMemorySpace())
        return op->emitOpError("operand and result must be in the same memory");
    if (from.getIsMutable() != to.getIsMutable())
        return op->emitOpError("operand and result must both be mutable, or neither");
    return success();
}

static LogicalResult sameElement(Operation *op, MemDescType from, MemDescType to)
{
    if (from.getElementType() != to.getElementType())
        return op->emitOpError("operand and result must have the same element type");
    return sameMemory(op, from, to);
}

LogicalResult MemDescIndexOp::verify()
{
    MemDescType from = getSrc().getType(), to = getType();
    if (from.getElementType() != to.getElementType() || from.getMemorySpace() != to.getMemorySpace())
        return emitOpError("operand and result must have the same element type and memory");
    if (to.getIsMutable() && !from.getIsMutable())
        return emitOpError("a view of an immutable buffer must be immutable");
    if (from.getShape().drop_front() != to.getShape())
        return emitOpError("result must have the shape of the operand without its first dimension");
    if (from.getAllocShape().size() != from.getShape().size())
        return emitOpError("operand must not be the result of an index itself");
    if (from.getAllocShape().drop_front() != from.getShape().drop_front())
        return emitOpError("operand must hold whole buffers, not parts of them: ") << from;
    if (from.getEncoding() != to.getEncoding())
        return emitOpError("operand and result must have the same layout");
    if (to.getAllocShape() != to.getShape())
        return emitOpError("result must not be a part of another buffer");
    return success();
}

/* ---- subslice ---- */

LogicalResult MemDescSubsliceOp::verify()
{
    MemDescType from = getSrc().getType(), to = getType();
    if (failed(sameElement(*this, from, to)))
        return failure();
    if (from.getRank() != to.getRank() || (size_t)from.getRank() != getOffsets().size())
        return emitOpError("operand, result and offsets must have the same rank");
    if (from.getEncoding() != to.getEncoding())
        return emitOpError("operand and result must have the same layout");
    /* a result that names no other buffer shape than its own is legal text; what needs the shape refuses it */
    if (from.getAllocShape() != to.getAllocShape() && to.getAllocShape() != to.getShape())
        return emitOpError("operand and result must have the same alloc shape");
    for (int64_t d = 0; d < from.getRank(); d++) {
        int64_t offset = getOffsets()[d], size = to.getShape()[d], whole = from.getShape()[d];
        /* the first dimensions only count buffers */
        if (d < from.getRank() - layoutRank(from.getEncoding()) && offset >= 0 && offset + size <= whole)
            continue;
        if (size == whole && offset)
            return emitOpError("offset of dimension ") << d << " must be 0, as it is not cut";
        if (offset < 0 || offset % size || offset + size > whole)
            return emitOpError("offset of dimension ")
                   << d << " must be a multiple of " << size << " inside of " << whole;
    }
    if (const char *why = whyNotPart(from.getEncoding(), from.getAllocShape().take_back(from.getRank()), to.getShape()))
        return emitOpError("cannot be ") << why << ": " << from;
    return success();
}

OpFoldResult MemDescSubsliceOp::fold(FoldAdaptor)
{
    auto inner = getSrc().getDefiningOp<MemDescSubsliceOp>();
    if (!inner)
        return {};
    SmallVector<int32_t> offsets;
    for (auto [a, b] : llvm::zip(inner.getOffsets(), getOffsets()))
        offsets.push_back(a + b);
    setOffsets(offsets);
    setOperand(inner.getSrc());
    return getResult();
}

/* ---- trans, reshape, reinterpret ---- */

static bool isPermutation(ArrayRef<int32_t> order, int64_t rank)
{
    llvm::SmallBitVector seen(rank);
    for (int32_t d : order)
        if (d >= 0 && d < rank)
            seen.set(d);
    return (int64_t)order.size() == rank && seen.all();
}

LogicalResult MemDescTransOp::verify()
{
    MemDescType from = getSrc().getType(), to = getType();
    if (failed(sameElement(*this, from, to)))
        return failure();
    if (!isPermutation(getOrder(), from.getRank()) || from.getRank() != to.getRank())
        return emitOpError("order must be a permutation of the dimensions");
    for (auto [i, d] : llvm::enumerate(getOrder()))
        if (to.getShape()[i] != from.getShape()[d])
            return emitOpError("result must have the shape of the operand, permuted");
    if (!sameTransposedBuffer(from.getEncoding(), from.getShape(), getOrder(), to.getEncoding()))
        return emitOpError("result layout is not the operand's, permuted: ") << to.getEncoding();
    return success();
}

OpFoldResult MemDescTransOp::fold(FoldAdaptor)
{
    bool isIdentity = true;
    for (auto [i, d] : llvm::enumerate(getOrder()))
        isIdentity = isIdentity && (int32_t)i == d;
    return isIdentity && getSrc().getType() == getType() ? OpFoldResult(getSrc()) : OpFoldResult();
}

LogicalResult MemDescReshapeOp::verify()
{
    MemDescType from = getSrc().getType(), to = getType();
    if (failed(sameElement(*this, from, to)))
        return failure();
    if (from.getNumElements() != to.getNumElements())
        return emitOpError("operand and result must have the same number of elements");
    if (from.getAllocShape() != from.getShape() || to.getAllocShape() != to.getShape())
        return emitOpError("cannot reshape a part of a buffer");
    if (!sameReshapedBuffer(from.getEncoding(), from.getShape(), to.getEncoding(), to.getShape()))
        return emitOpError("result layout is not the operand's, reshaped: ") << to.getEncoding();
    return success();
}

LogicalResult MemDescReinterpretOp::verify()
{
    MemDescType from = getSrc().getType(), to = getType();
    if (failed(sameMemory(*this, from, to)))
        return failure();
    if (to.getAllocShape() != to.getShape())
        return emitOpError("result must not be a part of another buffer");
    int64_t have = from.getNumElements() * bitsOf(from.getElementType()),
            need = to.getNumElements() * bitsOf(to.getElementType());
    if (need > have)
        return emitOpError("result needs ") << need / 8 << " bytes, but the operand has " << have / 8;
    if (from.isSharedMemory() && sharedClusterBits(from.getEncoding(), from.getAllocShape()) !=
                                     sharedClusterBits(to.getEncoding(), to.getAllocShape()))
        return emitOpError("operand and result must be held alike by as many CTAs: ") << from << " and " << to;
    if (const char *why = whyNotReinterpreted(from, to))
        return emitOpError(why) << ": " << from << " and " << to;
    return success();
}

OpFoldResult MemDescReinterpretOp::fold(FoldAdaptor)
{
    return getSrc().getType() == getType() ? OpFoldResult(getSrc()) : OpFoldResult();
}

} // namespace tri::ttg
