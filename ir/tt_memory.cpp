/* tt: loads, stores, atomics, descriptors. */
#include "ir/dialects.h"

using namespace mlir;

namespace tri::tt {

/* 1: all lanes are on, 0: none is, -1: not known. */
static int knownMask(Value mask)
{
    if (auto splat = mask.getDefiningOp<SplatOp>())
        mask = splat.getSrc();
    APInt value;
    if (!matchPattern(mask, m_ConstantInt(&value)))
        return -1;
    return value.isZero() ? 0 : 1;
}

/* ---- load ---- */

void LoadOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects)
{
    effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable(), GlobalMemory::get());
    if (getIsVolatile())
        effects.emplace_back(MemoryEffects::Write::get(), GlobalMemory::get());
}

/* Which dimensions of a block pointer are checked; other pointers have none. */
static LogicalResult verifyBoundaryCheck(Operation *op, Type ptr, Value mask, ArrayRef<int32_t> dims)
{
    auto block = dyn_cast<RankedTensorType>(pointeeOf(ptr));
    if (!isBlockPtr(ptr))
        return dims.empty() ? success() : op->emitOpError("boundaryCheck needs a pointer to a block");
    if (mask)
        return op->emitOpError("a pointer to a block takes boundaryCheck, not a mask");
    for (int32_t d : dims)
        if (d < 0 || d >= block.getRank() || llvm::count(dims, d) != 1)
            return op->emitOpError("boundaryCheck must hold different dimensions of ") << block;
    return success();
}

LogicalResult LoadOp::verify()
{
    if (getPadding() && !isBlockPtr(getPtr().getType()))
        return emitOpError("padding needs a pointer to a block");
    if (failed(verifyBoundaryCheck(*this, getPtr().getType(), getMask(), getBoundaryCheck())))
        return failure();
    return getOther() && !getMask() ? emitOpError("a value for masked lanes needs a mask") : success();
}

LogicalResult StoreOp::verify()
{
    return verifyBoundaryCheck(*this, getPtr().getType(), getMask(), getBoundaryCheck());
}

/* ---- block pointers ---- */

LogicalResult MakeTensorPtrOp::verify()
{
    auto block = cast<RankedTensorType>(pointeeOf(getType()));
    if (getShape().size() != (size_t)block.getRank())
        return emitOpError("has ") << getShape().size() << " sizes for a block of rank " << block.getRank();
    SmallVector<bool> seen(block.getRank());
    for (int32_t d : getOrder())
        if (d >= 0 && d < block.getRank())
            seen[d] = true;
    if (getOrder().size() != seen.size() || llvm::is_contained(seen, false))
        return emitOpError("order must be a permutation of the dimensions");
    return success();
}

LogicalResult AdvanceOp::verify()
{
    auto block = cast<RankedTensorType>(pointeeOf(getType()));
    if (getOffsets().size() != (size_t)block.getRank())
        return emitOpError("has ") << getOffsets().size() << " offsets for a block of rank " << block.getRank();
    return success();
}

namespace {

struct FoldLoadMask : OpRewritePattern<LoadOp> {
    using OpRewritePattern::OpRewritePattern;

    LogicalResult matchAndRewrite(LoadOp load, PatternRewriter &rewriter) const override
    {
        int known = load.getMask() ? knownMask(load.getMask()) : -1;
        if (known == 1) {
            rewriter.modifyOpInPlace(load, [&] {
                load.getOtherMutable().clear();
                load.getMaskMutable().clear();
            });
            return success();
        }
        if (known != 0 || !load.getOther() || load.getIsVolatile())
            return failure();
        rewriter.replaceOp(load, load.getOther());
        return success();
    }
};

struct FoldStoreMask : OpRewritePattern<StoreOp> {
    using OpRewritePattern::OpRewritePattern;

    LogicalResult matchAndRewrite(StoreOp store, PatternRewriter &rewriter) const override
    {
        int known = store.getMask() ? knownMask(store.getMask()) : -1;
        if (known < 0)
            return failure();
        if (known == 0)
            rewriter.eraseOp(store);
        else
            rewriter.modifyOpInPlace(store, [&] { store.getMaskMutable().clear(); });
        return success();
    }
};

} // namespace

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context)
{
    patterns.add<FoldLoadMask>(context);
}

void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context)
{
    patterns.add<FoldStoreMask>(context);
}

LogicalResult AtomicPollOp::verify()
{
    if (getSem() != MemSemantic::ACQUIRE && getSem() != MemSemantic::RELAXED)
        return emitOpError("semantics must be acquire or relaxed");
    unsigned bits = bitsOf(getExpected().getType());
    if (bits != 16 && bits != 32 && bits != 64)
        return emitOpError("expected value must have 16, 32 or 64 bits, not ") << bits;
    return success();
}

/* ---- descriptors ---- */

LogicalResult MakeTensorDescOp::verify()
{
    if (getShape().size() != (size_t)getType().getBlock().getRank())
        return emitOpError("has ") << getShape().size() << " sizes for a block of rank "
                                   << getType().getBlock().getRank();
    return success();
}

static LogicalResult verifyBlock(Operation *op, Type descType, RankedTensorType tensor, size_t numIndices)
{
    RankedTensorType block = blockOfDesc(descType, true);
    if (numIndices != (size_t)block.getRank())
        return op->emitOpError("has ") << numIndices << " indices for a block of rank " << block.getRank();
    if (block.getElementType() != tensor.getElementType())
        return op->emitOpError("tensor and descriptor have different element types: ") << tensor << " and " << descType;
    if (block.getNumElements() != tensor.getNumElements())
        return op->emitOpError("tensor and descriptor block have different sizes: ") << tensor << " and " << descType;
    ArrayRef<int64_t> blockShape = block.getShape(), shape = tensor.getShape();
    if (shape.size() > blockShape.size() || blockShape.take_back(shape.size()) != shape)
        return op->emitOpError("tensor may only drop leading dimensions of size 1 of the block: ")
               << tensor << " and " << descType;
    return success();
}

/* Text of Intel's passes has loads that turn their block. */
static bool isTurned(Operation *op, RankedTensorType block, RankedTensorType tensor)
{
    auto order = op->getAttrOfType<StringAttr>("ttig.block_io");
    size_t rank = tensor.getRank(), dropped = block.getRank() - rank;
    if (!order || order.getValue() != "column_major" || rank < 2 || (int64_t)rank > block.getRank())
        return false;
    SmallVector<int64_t> shape(tensor.getShape());
    std::swap(shape[rank - 1], shape[rank - 2]);
    return block.getElementType() == tensor.getElementType() &&
           ArrayRef(shape) == block.getShape().drop_front(dropped) &&
           llvm::all_of(block.getShape().take_front(dropped), [](int64_t n) { return n == 1; });
}

LogicalResult DescriptorLoadOp::verify()
{
    RankedTensorType block = blockOfDesc(getDesc().getType(), true);
    if (getIndices().size() == (size_t)block.getRank() && isTurned(*this, block, getType()))
        return success();
    return verifyBlock(*this, getDesc().getType(), getType(), getIndices().size());
}

LogicalResult DescriptorStoreOp::verify()
{
    return verifyBlock(*this, getDesc().getType(), getSrc().getType(), getIndices().size());
}

LogicalResult DescriptorReduceOp::verify()
{
    return verifyBlock(*this, getDesc().getType(), getSrc().getType(), getIndices().size());
}

static LogicalResult verifyRows(Operation *op, Type descType, RankedTensorType offsets, RankedTensorType tensor)
{
    RankedTensorType block = blockOfDesc(descType, true);
    if (block.getRank() != 2 || block.getDimSize(0) != 1)
        return op->emitOpError("descriptor block must be 2-D with one row: ") << descType;
    if (tensor.getRank() != 2 || offsets.getRank() != 1)
        return op->emitOpError("needs a 2-D tensor and 1-D offsets");
    if (tensor.getElementType() != block.getElementType())
        return op->emitOpError("tensor and descriptor have different element types: ") << tensor << " and " << descType;
    unsigned bits = bitsOf(block.getElementType());
    int64_t least = bits && bits <= 32 ? 32 / bits * 8 : 0;
    if (!least)
        return op->emitOpError("elements must have at most 32 bits");
    if (tensor.getDimSize(0) < 8)
        return op->emitOpError("needs at least 8 rows");
    if (tensor.getDimSize(1) < least)
        return op->emitOpError("needs at least ") << least << " columns of this element type";
    if (tensor.getDimSize(1) != block.getDimSize(1))
        return op->emitOpError("tensor and descriptor have different numbers of columns");
    if (tensor.getDimSize(0) != offsets.getDimSize(0))
        return op->emitOpError("needs one offset for each row");
    return success();
}

LogicalResult DescriptorGatherOp::verify()
{
    return verifyRows(*this, getDesc().getType(), getXOffsets().getType(), getType());
}

LogicalResult DescriptorScatterOp::verify()
{
    return verifyRows(*this, getDesc().getType(), getXOffsets().getType(), getSrc().getType());
}

LogicalResult PrintOp::verify()
{
    if (!getArgs().empty() && getIsSigned().size() != getArgs().size())
        return emitOpError("needs one isSigned flag for each value");
    return success();
}

} // namespace tri::tt
