/* ttng: barriers in memory, bulk copies. */
#include "ir/dialects.h"

extern "C" {
#include "layout/encoding_words.h"
}

using namespace mlir;

namespace tri::ttng {

static tri_encoding encodingOfBuffer(ttg::MemDescType type)
{
    tri_encoding layout;
    ArrayRef<int32_t> words = layoutWords(type.getEncoding());
    tri_encoding_words_read(words.data(), words.size(), &layout);
    return layout;
}

LogicalResult verifyBarrier(Operation *op, ttg::MemDescType type)
{
    if (!type.isSharedMemory() || !type.getElementType().isInteger(64))
        return op->emitOpError("barrier must be i64 in shared memory, not ") << type;
    if (type.getRank() != 1)
        return op->emitOpError("barrier must have one dimension, not ") << type;
    /* CTAs with one barrier are neighbours, and the groups of them are in order. */
    tri_encoding layout = encodingOfBuffer(type);
    bool isShared = false;
    int32_t next = 1;
    for (int i = 0; i < layout.cga.count; i++)
        isShared |= !layout.cga.at[i][0];
    for (int i = 0; isShared && i < layout.cga.count; i++) {
        int32_t basis = layout.cga.at[i][0];
        if (basis ? basis != next : next > 1)
            return op->emitOpError("barrier of several CTAs needs a CGALayout of zeros before 1, 2, 4 and so on: ")
                   << type;
        next *= basis ? 2 : 1;
    }
    return success();
}

/* Every 2^shared CTAs have a barrier together. */
static LogicalResult verifyBarrierOf(Operation *op, ttg::MemDescType type, int shared, StringRef what)
{
    tri_encoding layout = encodingOfBuffer(type);
    if (failed(verifyBarrier(op, type)))
        return failure();
    for (int i = 0; i < layout.cga.count; i++)
        if (layout.cga.at[i][0] != (i < shared ? 0 : 1 << (i - shared)))
            return op->emitOpError("needs a barrier of ") << what << ", not " << type;
    return success();
}

LogicalResult verifyCompletionBarrier(Operation *op, ttg::MemDescType type)
{
    return verifyBarrierOf(op, type, 0, "each CTA's own");
}

/* Two CTAs that work as one wait together for what is copied; the module says whether they do. */
static LogicalResult verifyCopyBarrier(Operation *op, ttg::MemDescType type)
{
    auto module = op->getParentOfType<ModuleOp>();
    auto isTwo = module ? module->getAttrOfType<BoolAttr>("ttng.two-ctas") : BoolAttr();
    if (!isTwo)
        return verifyBarrier(op, type);
    return verifyBarrierOf(op, type, isTwo.getValue(), isTwo.getValue() ? "two CTAs" : "each CTA's own");
}

/* The same bytes in several CTAs, which one copy fills. */
static LogicalResult verifyMulticast(Operation *op, bool isMulticast, ttg::MemDescType buffer)
{
    if (isMulticast && !sharedClusterBits(buffer.getEncoding(), buffer.getAllocShape()))
        return op->emitOpError("multicast needs a buffer that several CTAs hold alike: ") << buffer;
    return success();
}

/* Barriers of several CTAs are set up by the whole kernel, before it splits into partitions. */
static LogicalResult verifyLifetime(Operation *op, ttg::MemDescType type)
{
    if (encodingOfBuffer(type).cga.count && op->getParentOfType<ttg::WarpSpecializeOp>())
        return op->emitOpError("of a barrier of several CTAs cannot be used inside of ttg.warp_specialize");
    return verifyBarrier(op, type);
}

LogicalResult InitBarrierOp::verify()
{
    if ((int32_t)getCount() < 1)
        return emitOpError("count must be at least 1");
    return verifyLifetime(*this, getAlloc().getType());
}

LogicalResult InvalBarrierOp::verify() { return verifyLifetime(*this, getAlloc().getType()); }

LogicalResult BarrierExpectOp::verify()
{
    if ((int32_t)getSize() < 0)
        return emitOpError("number of bytes must not be negative");
    return verifyBarrier(*this, getAlloc().getType());
}

LogicalResult WaitBarrierOp::verify() { return verifyBarrier(*this, getAlloc().getType()); }

LogicalResult ArriveBarrierOp::verify()
{
    if ((int32_t)getCount() < 1)
        return emitOpError("count must be at least 1");
    return verifyBarrier(*this, getAlloc().getType());
}

LogicalResult AsyncCopyMbarrierArriveOp::verify() { return verifyBarrier(*this, getBarrier().getType()); }

static LogicalResult verifyCluster(Operation *op)
{
    int ctas = launchShapeAt(op).numCtas;
    if (ctas == 1)
        return op->emitOpError("needs more than one CTA in a cluster (ttg.num-ctas)");
    if (!isa<AsyncSharedStoreOp>(op) && op->getParentOfType<ttg::WarpSpecializeOp>())
        return op->emitOpError("cannot be used inside of ttg.warp_specialize");
    return success();
}

LogicalResult FenceMbarrierInitOp::verify() { return verifyCluster(*this); }

LogicalResult ClusterBarrierOp::verify()
{
    auto function = (*this)->getParentOfType<tt::FuncOp>();
    if (function && function.isPrivate())
        return emitOpError("must be in a kernel: who calls a function, and how often, is not known in it");
    return verifyCluster(*this);
}

LogicalResult ClusterArriveOp::verify() { return verifyCluster(*this); }

LogicalResult ClusterWaitOp::verify() { return verifyCluster(*this); }

/* Every CTA gets the answer. */
LogicalResult CLCTryCancelOp::verify()
{
    tri_encoding layout = encodingOfBuffer(getResult().getType());
    for (int i = 0; i < layout.cga.count; i++)
        if (layout.cga.at[i][0])
            return emitOpError("result must be a buffer that all CTAs hold alike: ") << getResult().getType();
    return verifyCompletionBarrier(*this, getBarrier().getType());
}

LogicalResult CLCTryCancelSyncOp::verify()
{
    auto response = cast<RankedTensorType>(getResponse().getType());
    if (response.getShape() != ArrayRef<int64_t>{2} || !response.getElementType().isInteger(64))
        return emitOpError("the response is two elements of i64, not ") << response;
    return success();
}

/* ---- bulk copies ---- */

/* The same layout but for leading dimensions of one element, which loads drop. */
static bool isSameButForRank(Attribute a, Attribute b)
{
    if (!a || !b)
        return false;
    tri_encoding x, y;
    ArrayRef<int32_t> first = layoutWords(a), second = layoutWords(b);
    tri_encoding_words_read(first.data(), first.size(), &x);
    tri_encoding_words_read(second.data(), second.size(), &y);
    return x.kind == TRI_ENC_NVMMA_SHARED && y.kind == TRI_ENC_NVMMA_SHARED && x.rank != y.rank && !x.cga.count &&
           !y.cga.count && x.nvmma.swizzle_bytes == y.nvmma.swizzle_bytes &&
           x.nvmma.element_bits == y.nvmma.element_bits && x.nvmma.is_transposed == y.nvmma.is_transposed &&
           x.nvmma.is_fp4_padded == y.nvmma.is_fp4_padded;
}

static LogicalResult verifyCopy(Operation *op, Type desc, size_t coords, ttg::MemDescType buffer)
{
    RankedTensorType block = blockOfDesc(desc, true);
    if (coords < 1 || coords > 5)
        return op->emitOpError("needs 1 to 5 coordinates, not ") << coords;
    if (!buffer.isSharedMemory())
        return op->emitOpError("buffer must be in shared memory: ") << buffer;
    if (block.getElementType() != buffer.getElementType())
        return op->emitOpError("descriptor and buffer have different element types: ") << desc << " and " << buffer;
    if (block.getNumElements() != buffer.getNumElements())
        return op->emitOpError("descriptor block and buffer have different sizes: ") << desc << " and " << buffer;
    if (block.getEncoding() && block.getEncoding() != buffer.getEncoding() &&
        !isSameButForRank(block.getEncoding(), buffer.getEncoding()))
        return op->emitOpError("descriptor and buffer have different layouts: ") << desc << " and " << buffer;
    if (layoutRank(buffer.getEncoding()) != buffer.getRank())
        return op->emitOpError("buffer must be one buffer, of the rank of its layout: ") << buffer;
    return success();
}

LogicalResult AsyncTMACopyGlobalToLocalOp::verify()
{
    if (failed(verifyCopyBarrier(*this, getBarrier().getType())) ||
        failed(verifyMulticast(*this, getMulticast(), getResult().getType())))
        return failure();
    if (!getResult().getType().getIsMutable())
        return emitOpError("cannot write to an immutable buffer: ") << getResult().getType();
    bool isIm2Col = isa<TensorDescIm2ColType>(getDesc().getType());
    if (!isIm2Col && !getOffsets().empty())
        return emitOpError("offsets need an im2col descriptor");
    if (isIm2Col && getCoord().size() < 3)
        return emitOpError("needs at least 3 coordinates with an im2col descriptor, not ") << getCoord().size();
    if (isIm2Col && getOffsets().size() + 2 != getCoord().size())
        return emitOpError("needs ") << (int64_t)getCoord().size() - 2 << " offsets, not " << getOffsets().size();
    if (isIm2Col)
        return success();
    return verifyCopy(*this, getDesc().getType(), getCoord().size(), getResult().getType());
}

static LogicalResult verifySource(Operation *op, ttg::MemDescType buffer)
{
    constexpr int fp4Word = 5; /* kind, rank, swizzle, bits, transposed, padded */
    ArrayRef<int32_t> words = layoutWords(buffer.getEncoding());
    if (layoutKind(buffer.getEncoding()) == TRI_ENC_NVMMA_SHARED && words[fp4Word])
        return op->emitOpError("cannot store from a buffer with fp4 padding");
    if (isPartBetweenCtas(buffer))
        return op->emitOpError("cannot store from a part that may begin in another CTA: ") << buffer;
    return success();
}

LogicalResult AsyncTMACopyLocalToGlobalOp::verify()
{
    if (failed(verifySource(*this, getSrc().getType())))
        return failure();
    return verifyCopy(*this, getDesc().getType(), getCoord().size(), getSrc().getType());
}

static LogicalResult verifyReduceKind(Operation *op, tt::DescriptorReduceKind kind, Type element)
{
    using Kind = tt::DescriptorReduceKind;
    unsigned bits = bitsOf(element);
    bool isFloat = isa<FloatType>(element), isSigned64 = bits == 64 && element.isSignedInteger(), ok = true;
    switch (kind) {
    case Kind::ADD:
        ok = isSigned64 ? false : isFloat ? bits == 16 || bits == 32 : bits == 32 || bits == 64;
        break;
    case Kind::MIN:
    case Kind::MAX:
        ok = isFloat ? bits == 16 : bits == 32 || bits == 64;
        break;
    case Kind::INC:
    case Kind::DEC:
        ok = !isFloat && bits == 32;
        break;
    case Kind::AND:
    case Kind::OR:
    case Kind::XOR:
        ok = !isFloat && (bits == 32 || bits == 64);
        break;
    }
    if (!ok)
        return op->emitOpError("reduction '")
               << tt::stringifyDescriptorReduceKind(kind) << "' does not exist for " << element;
    return success();
}

LogicalResult AsyncTMAReduceOp::verify()
{
    if (failed(verifyReduceKind(*this, getKind(), blockOfDesc(getDesc().getType(), false).getElementType())) ||
        failed(verifySource(*this, getSrc().getType())))
        return failure();
    return verifyCopy(*this, getDesc().getType(), getCoord().size(), getSrc().getType());
}

/* One instruction takes four rows, whose numbers a warp has in common. */
static LogicalResult verifyRowOffsets(Operation *op, RankedTensorType offsets, ttg::MemDescType buffer)
{
    tri_linear l;
    if (!offsets.getEncoding() || !linearOf(offsets, &l))
        return success();
    for (int i = 0; i < 2; i++)
        if (tri_linear_in_bits(&l, TRI_DIM_REGISTER) <= i ||
            tri_linear_basis_at(&l, TRI_DIM_REGISTER, i, TRI_DIM_0) != 1 << i)
            return op->emitOpError("each thread must have at least 4 consecutive offsets: ") << offsets;
    if (!tri_linear_is_zero_between(&l, TRI_DIM_LANE, TRI_DIM_0))
        return op->emitOpError("the threads of a warp must have the same offsets: ") << offsets;
    tri_encoding layout = encodingOfBuffer(buffer);
    bool isSame = tri_linear_in_bits(&l, TRI_DIM_BLOCK) == layout.cga.count;
    int64_t perCta = offsets.getDimSize(0);
    for (int i = 0; i < layout.cga.count; i++)
        perCta /= layout.cga.at[i][0] ? 2 : 1;
    for (int i = 0; isSame && i < layout.cga.count; i++)
        isSame = tri_linear_basis_at(&l, TRI_DIM_BLOCK, i, TRI_DIM_0) == layout.cga.at[i][0] * perCta;
    if (!isSame)
        return op->emitOpError("offsets must be dealt out to CTAs as the buffer's rows are: ")
               << offsets << " and " << buffer;
    return success();
}

static LogicalResult verifyRows(Operation *op, Type desc, RankedTensorType offsets, ttg::MemDescType buffer)
{
    RankedTensorType block = blockOfDesc(desc, true);
    if (block.getRank() != 2 || block.getDimSize(0) != 1)
        return op->emitOpError("descriptor block must be 2-D with one row: ") << desc;
    if (buffer.getRank() != 2 || buffer.getShape()[1] != block.getDimSize(1))
        return op->emitOpError("buffer must have the columns of the descriptor's block: ") << buffer;
    if (offsets.getRank() != 1 || offsets.getDimSize(0) != buffer.getShape()[0])
        return op->emitOpError("needs one offset for each row");
    if (block.getElementType() != buffer.getElementType())
        return op->emitOpError("descriptor and buffer have different element types: ") << desc << " and " << buffer;
    return verifyRowOffsets(op, offsets, buffer);
}

LogicalResult AsyncTMAGatherOp::verify()
{
    if (failed(verifyCopyBarrier(*this, getBarrier().getType())) ||
        failed(verifyMulticast(*this, getMulticast(), getResult().getType())))
        return failure();
    if (!getResult().getType().getIsMutable())
        return emitOpError("cannot write to an immutable buffer: ") << getResult().getType();
    return verifyRows(*this, getDesc().getType(), getXOffsets().getType(), getResult().getType());
}

LogicalResult AsyncTMAScatterOp::verify()
{
    if (failed(verifySource(*this, getSrc().getType())))
        return failure();
    return verifyRows(*this, getDesc().getType(), getXOffsets().getType(), getSrc().getType());
}

LogicalResult AsyncSharedStoreOp::verify()
{
    RankedTensorType src = getSrc().getType();
    ttg::MemDescType dst = getDst().getType();
    if (!dst.getIsMutable())
        return emitOpError("cannot write to an immutable buffer: ") << dst;
    if (src.getShape() != dst.getShape() || src.getElementType() != dst.getElementType())
        return emitOpError("tensor and buffer differ: ") << src << " and " << dst;
    if (failed(verifyCluster(*this)))
        return failure();
    if (src.getEncoding() && elementsInARow(src, dst) * bitsOf(src.getElementType()) < 32)
        return emitOpError("each thread must have at least 32 bits in a row: ") << src << " and " << dst;
    return verifyBarrier(*this, getBarrier().getType());
}

LogicalResult TensormapCreateOp::verify()
{
    size_t rank = getBoxDim().size();
    if (getGlobalDim().size() != rank)
        return emitOpError("has ") << getGlobalDim().size() << " global sizes for a box of rank " << rank;
    if (getGlobalStride().size() + 1 != rank)
        return emitOpError("has ") << getGlobalStride().size() << " global strides for a box of rank " << rank;
    if (getElementStride().size() != rank)
        return emitOpError("has ") << getElementStride().size() << " element strides for a box of rank " << rank;
    return success();
}

} // namespace tri::ttng
