/* The amdg dialect: registration, and what its operations must be. */
#include "ir/dialects.h"

extern "C" {
#include "layout/encoding_words.h"
}

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

/* Where a thread's tile has several rows and several columns, its first two registers are neighbours along the other
 * dimension than before. */
static bool isTurned(RankedTensorType from, RankedTensorType to)
{
    tri_encoding tile;
    tri_linear before, after;
    bool isTile = tri::layoutKind(from.getEncoding()) == TRI_ENC_BLOCKED;
    if (!isTile || !tri::linearOf(from, &before) || !tri::linearOf(to, &after))
        return true;
    ArrayRef<int32_t> words = tri::layoutWords(from.getEncoding());
    tri_encoding_words_read(words.data(), words.size(), &tile);
    for (int d = 0; d < 2; d++)
        if (std::min<int64_t>(tile.blocked.size_per_thread[d], from.getDimSize(d)) <= 1)
            return true;
    auto isAlong = [](const tri_linear &l, tri_dim d) { return tri_linear_basis_at(&l, TRI_DIM_REGISTER, 0, d) != 0; };
    return isAlong(before, TRI_DIM_0) != isAlong(after, TRI_DIM_0);
}

LogicalResult InThreadTransposeOp::verify()
{
    auto from = cast<RankedTensorType>(getSrc().getType()), to = cast<RankedTensorType>(getResult().getType());
    if (from.getShape() != to.getShape() || from.getElementType() != to.getElementType())
        return emitOpError("operand and result must have one shape and one element type");
    if (from.getRank() != 2)
        return emitOpError("only what has two dimensions is turned");
    if (!tri::sameThreads(from, to))
        return emitOpError("every thread must keep its elements");
    if (!isTurned(from, to))
        return emitOpError("the result numbers a thread's elements along the same dimension first as the operand: ")
               << to.getEncoding();
    return success();
}

/* The instruction scales eight elements, neighbours in a thread's registers, by one scale. */
static bool hasScaleOfEight(RankedTensorType to, RankedTensorType scale, int64_t axis)
{
    tri_linear l;
    int64_t each = to.getDimSize(axis) / scale.getDimSize(axis);
    if (!tri::linearOf(to, &l))
        return true;
    for (int bit = 0; bit < 3 && bit < tri_linear_in_bits(&l, TRI_DIM_REGISTER); bit++)
        for (int64_t d = 0; d < to.getRank(); d++)
            if (tri_linear_basis_at(&l, TRI_DIM_REGISTER, bit, (tri_dim)(TRI_DIM_0 + d)) >= (d == axis ? each : 1))
                return false;
    return true;
}

LogicalResult ScaledUpcastFp4Op::verify()
{
    auto from = cast<RankedTensorType>(getInput().getType()), to = cast<RankedTensorType>(getOutput().getType()),
         scale = cast<RankedTensorType>(getScale().getType());
    int64_t axis = (int32_t)getAxis();
    if (from.getRank() != to.getRank() || scale.getRank() != to.getRank())
        return emitOpError("operand, scale and result must have one rank");
    if (axis < 0 || axis >= to.getRank())
        return emitOpError("axis ") << axis << " is none of " << to.getRank() << " dimensions";
    for (int64_t d = 0; d < to.getRank(); d++) {
        if (to.getDimSize(d) != from.getDimSize(d) * (d == axis ? 2 : 1))
            return emitOpError("dimension ") << d << " of the result must be "
                                             << from.getDimSize(d) * (d == axis ? 2 : 1);
        if (to.getDimSize(d) % scale.getDimSize(d) || (d != axis && to.getDimSize(d) != scale.getDimSize(d)))
            return emitOpError("dimension ") << d << " of the scale must "
                                             << (d == axis ? "divide that of the result" : "be that of the result");
    }
    if (!from.getEncoding() != !to.getEncoding() || !scale.getEncoding() != !to.getEncoding())
        return emitOpError("operand, scale and result must all have a layout, or none");
    Attribute wanted;
    if (from.getEncoding() && (failed(tri::inferUnpacked(getInput(), (int)axis, wanted)) ||
                               !tri::sameThreads(to.cloneWithEncoding(wanted), to)))
        return emitOpError("both elements of a byte must be in its thread, and no others: ") << from << " and " << to;
    bool isWhole = scale.getShape() == to.getShape();
    if (to.getEncoding() && isWhole && !tri::sameThreads(scale.clone(to.getElementType()), to))
        return emitOpError("each thread must have the scales of its elements: ") << scale << " and " << to;
    if (to.getEncoding() && !isWhole && !hasScaleOfEight(to, scale, axis))
        return emitOpError("eight neighbours in a thread must have one scale: ") << scale << " and " << to;
    return success();
}

LogicalResult UpdateTensorDescriptorOp::verify()
{
    size_t rank = tri::blockOfDesc(getDesc().getType(), true).getRank();
    size_t offsets = getAddOffsets().size(), bounds = getSetBounds().size();
    if (!offsets && !bounds && !getPred())
        return emitOpError("there must be add_offsets, set_bounds or pred");
    if ((offsets && offsets != rank) || (bounds && bounds != rank))
        return emitOpError("there must be one number for each of the descriptor's ") << rank << " dimensions";
    if (getClampBounds() && !offsets)
        return emitOpError("clamp_bounds needs add_offsets");
    if (getClampBounds() && bounds)
        return emitOpError("clamp_bounds and set_bounds exclude each other");
    return success();
}

/* ---- copies by descriptors ---- */

static tri_encoding layoutOf(Attribute attr)
{
    tri_encoding layout;
    ArrayRef<int32_t> words = tri::layoutWords(attr);
    tri_encoding_words_read(words.data(), words.size(), &layout);
    return layout;
}

static bool isPadded(tri::ttg::MemDescType buffer)
{
    return tri::layoutKind(buffer.getEncoding()) == TRI_ENC_PADDED_SHARED;
}

static SmallVector<int64_t> withoutOnes(ArrayRef<int64_t> shape)
{
    SmallVector<int64_t> sizes;
    llvm::copy_if(shape, std::back_inserter(sizes), [](int64_t size) { return size != 1; });
    return sizes;
}

/* Do the two say different places for the same elements? Layouts of other kinds are not compared. */
static bool layDifferently(Attribute said, Attribute has)
{
    tri_encoding_kind kind = tri::layoutKind(said);
    if ((kind == TRI_ENC_PADDED_SHARED) != (tri::layoutKind(has) == TRI_ENC_PADDED_SHARED))
        return true;
    if (kind != tri::layoutKind(has) || (kind != TRI_ENC_PADDED_SHARED && kind != TRI_ENC_SWIZZLED_SHARED))
        return false;
    tri_encoding a = layoutOf(said), b = layoutOf(has);
    bool same = true;
    if (kind == TRI_ENC_SWIZZLED_SHARED) {
        same = a.swizzled.vec == b.swizzled.vec && a.swizzled.per_phase == b.swizzled.per_phase &&
               a.swizzled.max_phase == b.swizzled.max_phase;
        for (int d = 0; a.rank == b.rank && d < a.rank; d++)
            same = same && a.order[d] == b.order[d];
        return !same;
    }
    same = a.padded.count == b.padded.count;
    for (int i = 0; same && i < a.padded.count; i++)
        same = a.padded.interval[i] == b.padded.interval[i] && a.padded.padding[i] == b.padded.padding[i];
    return !same;
}

/* A descriptor that says how its block lies in shared memory says what the buffer does, which may leave out dimensions
 * of size 1. */
static LogicalResult verifyDescOf(Operation *op, Type desc, tri::ttg::MemDescType buffer)
{
    RankedTensorType block = tri::blockOfDesc(desc, true);
    Attribute said = block.getEncoding(), has = buffer.getEncoding();
    if (!said || said == has)
        return success();
    bool leavesOut = block.getRank() != (int64_t)buffer.getShape().size() &&
                     withoutOnes(block.getShape()) != withoutOnes(buffer.getShape());
    if (leavesOut || layDifferently(said, has))
        return op->emitOpError("the descriptor's layout ") << said << " is not that of the buffer, " << has;
    return success();
}

/* What is stored by rows can have padding behind each row only. */
static LogicalResult verifyPaddedRows(Operation *op, tri::ttg::MemDescType buffer)
{
    if (!isPadded(buffer))
        return success();
    tri_encoding layout = layoutOf(buffer.getEncoding());
    if (layout.padded.count != 1)
        return op->emitOpError("a buffer that is stored has one interval of padding, not ") << layout.padded.count;
    if (layout.padded.interval[0] != buffer.getShape().back())
        return op->emitOpError("padding must stand behind each row of ")
               << buffer.getShape().back() << " elements, not every " << layout.padded.interval[0];
    return success();
}

LogicalResult AsyncTDMCopyLocalToGlobalOp::verify()
{
    auto buffer = cast<tri::ttg::MemDescType>(getSrc().getType());
    return success(succeeded(verifyDescOf(*this, getDesc().getType(), buffer)) &&
                   succeeded(verifyPaddedRows(*this, buffer)));
}

LogicalResult AsyncTDMScatterOp::verify()
{
    auto buffer = cast<tri::ttg::MemDescType>(getSrc().getType());
    return success(succeeded(verifyDescOf(*this, getDesc().getType(), buffer)) &&
                   succeeded(verifyPaddedRows(*this, buffer)));
}

/* Has each CTA the numbers of the rows that its part of the buffer holds? */
static bool sameRowsOfCtas(const tri_linear &numbers, tri::ttg::MemDescType buffer)
{
    tri_linear l;
    if (!tri::linearOf(RankedTensorType::get(buffer.getShape(), buffer.getElementType(), buffer.getEncoding()), &l))
        return true;
    int count = tri_linear_in_bits(&l, TRI_DIM_BLOCK);
    if (count != tri_linear_in_bits(&numbers, TRI_DIM_BLOCK))
        return false;
    for (int bit = 0; bit < count; bit++)
        if (tri_linear_basis_at(&l, TRI_DIM_BLOCK, bit, TRI_DIM_0) !=
            tri_linear_basis_at(&numbers, TRI_DIM_BLOCK, bit, TRI_DIM_0))
            return false;
    return true;
}

LogicalResult AsyncTDMGatherOp::verify()
{
    auto buffer = cast<tri::ttg::MemDescType>(getDst().getType());
    auto rows = cast<RankedTensorType>(getSrcRowIndices().getType());
    tri_linear layout;
    bool isKnown = rows.getEncoding() && tri::linearOf(rows, &layout);
    for (int i = 0; isKnown && i < tri_linear_in_bits(&layout, TRI_DIM_LANE); i++)
        if (tri_linear_apply_one(&layout, TRI_DIM_LANE, UINT64_C(1) << i))
            return emitOpError("all lanes of a warp must have the same row numbers: ") << rows;
    if (isKnown && !sameRowsOfCtas(layout, buffer))
        return emitOpError("row numbers must be dealt out to CTAs as the rows of the buffer are: ") << rows;
    if (isPadded(buffer)) {
        tri_encoding padded = layoutOf(buffer.getEncoding());
        if (padded.padded.count && buffer.getShape().back() % padded.padded.interval[0])
            return emitOpError("the interval of padding, ") << padded.padded.interval[0] << ", does not divide rows of "
                                                            << buffer.getShape().back() << " elements";
    }
    return verifyDescOf(*this, getDesc().getType(), buffer);
}

/* A hint has a bit for each warp that copies: a power of two of them, whose numbers differ in no more bits than are
 * needed to count them. */
LogicalResult AsyncTDMCopyGlobalToLocalOp::verify()
{
    auto buffer = cast<tri::ttg::MemDescType>(getResult().getType());
    if (failed(verifyDescOf(*this, getDesc().getType(), buffer)))
        return failure();
    if (!getWarpUsedHint())
        return success();
    uint32_t hint = *getWarpUsedHint(), differing = 0;
    auto module = (*this)->getParentOfType<ModuleOp>();
    auto warps = module ? module->getAttrOfType<IntegerAttr>("ttg.num-warps") : IntegerAttr();
    if (!hint)
        return emitOpError("warp_used_hint must have a bit");
    if (warps && warps.getInt() < 32 && hint >> warps.getInt())
        return emitOpError("warp_used_hint has bits beyond the ") << warps.getInt() << " warps";
    int first = llvm::countr_zero(hint), count = llvm::popcount(hint);
    for (int warp = first; warp < 32; warp++)
        differing |= hint >> warp & 1 ? (uint32_t)(warp ^ first) : 0;
    if (!llvm::isPowerOf2_32((uint32_t)count) || 1 << llvm::popcount(differing) != count)
        return emitOpError("the warps of warp_used_hint must be a power of two, numbered by as many bits");
    if (tri::layoutKind(buffer.getEncoding()) != TRI_ENC_PARTITIONED_SHARED)
        return success();
    tri_encoding layout = layoutOf(buffer.getEncoding());
    int pieces = layout.partitioned.num_partitions * layout.partitioned.num_groups;
    if (count % pieces)
        return emitOpError("the ") << count << " warps of warp_used_hint must be a multiple of the buffer's " << pieces
                                   << " pieces";
    return success();
}
