/* ttg: shared buffers, asynchronous copies. */
#include "ir/dialects.h"

using namespace mlir;

namespace tri::ttg {

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static LogicalResult sameContents(Operation *op, RankedTensorType tensor, MemDescType buffer)
{
    if (tensor.getShape() != buffer.getShape())
        return op->emitOpError("tensor and buffer have different shapes: ") << tensor << " and " << buffer;
    if (tensor.getElementType() != buffer.getElementType())
        return op->emitOpError("tensor and buffer have different element types: ") << tensor << " and " << buffer;
    return success();
}

static LogicalResult isMutable(Operation *op, MemDescType buffer)
{
    return buffer.getIsMutable() ? success() : op->emitOpError("cannot write to an immutable buffer: ") << buffer;
}

/* ---- local_alloc and friends ---- */

void InlineAsmOp::getEffects(Effects &effects)
{
    if (getPure())
        return;
    effects.emplace_back(MemoryEffects::Write::get());
    effects.emplace_back(MemoryEffects::Read::get());
}

void LocalAllocOp::getEffects(Effects &effects)
{
    /* Without this, two initialised constants could not be shared: an immutable buffer is a value. */
    if (getSrc() && !getType().getIsMutable())
        return;
    auto result = cast<OpResult>(getResult());
    effects.emplace_back(MemoryEffects::Allocate::get(), result, SharedMemory::get());
    if (getSrc())
        effects.emplace_back(MemoryEffects::Write::get(), result, SharedMemory::get());
}

LogicalResult LocalAllocOp::canonicalize(LocalAllocOp op, PatternRewriter &rewriter)
{
    Operation *def = op.getSrc() ? op.getSrc().getDefiningOp() : nullptr;
    if (auto convert = dyn_cast_or_null<ConvertLayoutOp>(def)) {
        rewriter.modifyOpInPlace(op, [&] { op.getSrcMutable().assign(convert.getSrc()); });
        return success();
    }
    /* What a buffer that nobody writes holds is in a buffer already. */
    auto load = dyn_cast_or_null<LocalLoadOp>(def);
    if (!load || op.getType().getIsMutable() || load.getSrc().getType() != op.getType())
        return failure();
    rewriter.replaceOp(op, load.getSrc());
    return success();
}

LogicalResult LocalAllocOp::verify()
{
    MemDescType type = getType();
    if (!type.isSharedMemory())
        return emitOpError("allocates shared memory, but the result is ") << type;
    if (bitsOf(type.getElementType()) % 8)
        return emitOpError("elements must have a multiple of 8 bits");
    if (type.getShape() != type.getAllocShape())
        return emitOpError("result must not be a part of another buffer");
    if (!getSrc())
        return type.getIsMutable() ? success() : emitOpError("a buffer without initial value must be mutable");
    return sameContents(*this, cast<RankedTensorType>(getSrc().getType()), type);
}

LogicalResult LocalLoadOp::verify() { return sameContents(*this, getType(), getSrc().getType()); }

LogicalResult LocalStoreOp::verify()
{
    if (failed(isMutable(*this, getDst().getType())))
        return failure();
    return sameContents(*this, getSrc().getType(), getDst().getType());
}

LogicalResult LocalStoreOp::canonicalize(LocalStoreOp op, PatternRewriter &rewriter)
{
    auto convert = op.getSrc().getDefiningOp<ConvertLayoutOp>();
    if (!convert)
        return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getSrcMutable().assign(convert.getSrc()); });
    return success();
}

static LogicalResult verifyIndexed(Operation *op, MemDescType buffer, RankedTensorType indices, RankedTensorType values,
                                   int64_t axis)
{
    if (buffer.getElementType() != values.getElementType())
        return op->emitOpError("values and buffer have different element types");
    if (indices.getShape() != values.getShape() || indices.getEncoding() != values.getEncoding())
        return op->emitOpError("indices and values must have the same shape and layout");
    if (buffer.getRank() != indices.getRank())
        return op->emitOpError("indices and buffer must have the same rank");
    if (axis < 0 || axis >= buffer.getRank())
        return op->emitOpError("axis ") << axis << " is out of range for " << buffer;
    return success();
}

LogicalResult LocalGatherOp::verify()
{
    return verifyIndexed(*this, getSrc().getType(), cast<RankedTensorType>(getIndices().getType()), getType(),
                         (int32_t)getAxis());
}

LogicalResult LocalScatterOp::verify()
{
    if (failed(isMutable(*this, getDst().getType())))
        return failure();
    return verifyIndexed(*this, getDst().getType(), cast<RankedTensorType>(getIndices().getType()),
                         getValues().getType(), (int32_t)getAxis());
}

LogicalResult LocalAtomicScatterRMWOp::verify()
{
    RankedTensorType values = getValues().getType();
    if (failed(isMutable(*this, getDst().getType())))
        return failure();
    if (getType() != values)
        return emitOpError("result must have the type of the values");
    if (getMask() && getMask().getType() != maskOf(values))
        return emitOpError("mask must be i1 in the shape and layout of the values");
    return verifyIndexed(*this, getDst().getType(), cast<RankedTensorType>(getIndices().getType()), values,
                         (int32_t)getAxis());
}

/* ---- asynchronous copies, barriers ---- */

LogicalResult AsyncCopyGlobalToLocalOp::verify()
{
    auto pointers = cast<RankedTensorType>(getSrc().getType());
    if (failed(isMutable(*this, getResult().getType())))
        return failure();
    if (getOther() && !getMask())
        return emitOpError("a value for masked lanes needs a mask");
    if (!isPowerOfTwo((int32_t)getContiguity()))
        return emitOpError("contiguity must be a power of two");
    return sameContents(*this, cast<RankedTensorType>(pointeeOf(pointers)), getResult().getType());
}

LogicalResult LocalBarrierOp::canonicalize(LocalBarrierOp op, PatternRewriter &rewriter)
{
    auto local = AddrSpaceAttr::get(op.getContext(), AddrSpace::Local);
    auto barrier = BarrierOp::create(rewriter, op.getLoc(), TypeRange(), ValueRange());
    barrier.setAddrSpaceAttr(local);
    rewriter.replaceOp(op, barrier);
    return success();
}

/* ---- fp4 ---- */

LogicalResult Fp4ToFpOp::verify()
{
    RankedTensorType from = getSrc().getType(), to = cast<RankedTensorType>(getType());
    int64_t axis = (int32_t)getAxis();
    if (!to.getElementType().isF16() && !to.getElementType().isBF16())
        return emitOpError("result must have f16 or bf16 elements");
    if (from.getRank() != to.getRank() || axis < 0 || axis >= from.getRank())
        return emitOpError("operand and result must have the same rank, and axis be one of its dimensions");
    for (int64_t d = 0; d < from.getRank(); d++)
        if (to.getDimSize(d) != from.getDimSize(d) * (d == axis ? 2 : 1))
            return emitOpError("dimension ")
                   << d << " of the result must be " << from.getDimSize(d) * (d == axis ? 2 : 1);
    Attribute layout = from.getEncoding(), wanted;
    if (!layout != !to.getEncoding())
        return emitOpError("operand and result must both have a layout, or neither");
    if (layout && (failed(inferFp4(*this, layout, wanted)) || !sameThreads(to.cloneWithEncoding(wanted), to)))
        return emitOpError("both elements of a byte must be in its thread, and no others: ")
               << from << " and " << to;
    if (layout && !sameLayout(wanted, to.getEncoding(), to.getShape()))
        return emitOpError("both elements of a byte must be in registers side by side: ") << from << " and " << to;
    return success();
}

} // namespace tri::ttg
