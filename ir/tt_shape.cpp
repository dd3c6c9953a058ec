/* tt: creation and shape of tensors. */
#include "ir/dialects.h"

using namespace mlir;

namespace tri::tt {

/* A splat constant of another tensor type, or null. */
static Attribute resplat(Attribute constant, Type type)
{
    auto splat = dyn_cast_or_null<SplatElementsAttr>(constant);
    return splat ? SplatElementsAttr::get(cast<RankedTensorType>(type), splat.getSplatValue<Attribute>()) : Attribute();
}

static LogicalResult noLayout(std::optional<Location> loc, StringRef name, Attribute encoding)
{
    return emitOptionalError(loc, "'tt.", name, "' op has no layout for a result of this operand layout: ", encoding);
}

/* ---- splat, unsplat ---- */

OpFoldResult SplatOp::fold(FoldAdaptor adaptor)
{
    Attribute value = adaptor.getSrc();
    if (!isa_and_nonnull<FloatAttr, IntegerAttr>(value))
        return {};
    return SplatElementsAttr::get(getType(), value);
}

LogicalResult SplatOp::verify()
{
    if (getElementTypeOrSelf(getSrc().getType()) != getType().getElementType())
        return emitOpError("element type of the result must be the type of the operand");
    auto tensor = dyn_cast<RankedTensorType>(getSrc().getType());
    return tensor && tensor.getRank() ? emitOpError("operand must be a scalar") : success();
}

LogicalResult UnsplatOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
                                          OpaqueProperties, RegionRange, SmallVectorImpl<Type> &results)
{
    results.push_back(cast<RankedTensorType>(operands[0].getType()).getElementType());
    return success();
}

LogicalResult UnsplatOp::verify()
{
    return getSrc().getType().getNumElements() == 1 ? success() : emitOpError("operand must have exactly one element");
}

/* ---- expand_dims ---- */

LogicalResult ExpandDimsOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                             DictionaryAttr attrs, OpaqueProperties properties, RegionRange,
                                             SmallVectorImpl<Type> &results)
{
    ExpandDimsOpAdaptor adaptor(operands, attrs, properties);
    auto src = cast<RankedTensorType>(operands[0].getType());
    int64_t axis = adaptor.getAxis();
    if (axis < 0 || axis > src.getRank())
        return emitOptionalError(loc, "'tt.expand_dims' op axis ", axis, " is out of range for ", src);
    SmallVector<int64_t> shape(src.getShape());
    shape.insert(shape.begin() + axis, 1);
    Attribute encoding;
    if (src.getEncoding() && failed(inferExpandDims(src.getEncoding(), (int)axis, encoding)))
        return emitOptionalError(loc, "'tt.expand_dims' op operand needs a slice layout of dimension ", axis,
                                 ", but has ", src.getEncoding());
    results.push_back(RankedTensorType::get(shape, src.getElementType(), encoding));
    return success();
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) { return resplat(adaptor.getSrc(), getType()); }

LogicalResult ExpandDimsOp::canonicalize(ExpandDimsOp op, PatternRewriter &rewriter)
{
    if (auto splat = op.getSrc().getDefiningOp<SplatOp>()) {
        rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat->getOperands());
        return success();
    }
    auto broadcast = op.getSrc().getDefiningOp<BroadcastOp>();
    if (!broadcast)
        return failure();
    RankedTensorType src = broadcast.getSrc().getType();
    SmallVector<int64_t> shape(src.getShape());
    shape.insert(shape.begin() + op.getAxis(), 1);
    auto small = RankedTensorType::get(shape, src.getElementType(), op.getType().getEncoding());
    Value expanded = ExpandDimsOp::create(rewriter, op.getLoc(), TypeRange(small), broadcast->getOperands(),
                                          rewriter.getNamedAttr(op.getAxisAttrName(), op.getAxisAttr()));
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, TypeRange(op.getType()), ValueRange(expanded));
    return success();
}

/* ---- reshape ---- */

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor)
{
    if (getSrc().getType() == getType() && !getAllowReorder())
        return getSrc();
    return resplat(adaptor.getSrc(), getType());
}

LogicalResult ReshapeOp::canonicalize(ReshapeOp op, PatternRewriter &rewriter)
{
    if (op.getEfficientLayout())
        return failure();
    if (auto inner = op.getSrc().getDefiningOp<ReshapeOp>()) {
        if (inner.getEfficientLayout())
            return failure();
        bool reorder = op.getAllowReorder() || inner.getAllowReorder();
        rewriter.modifyOpInPlace(op, [&] {
            op.setOperand(inner.getSrc());
            op.setAllowReorder(reorder);
        });
        return success();
    }
    if (auto splat = op.getSrc().getDefiningOp<SplatOp>()) {
        rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat->getOperands());
        return success();
    }
    auto expand = op.getSrc().getDefiningOp<ExpandDimsOp>();
    if (!expand || expand.getSrc().getType() != op.getType())
        return failure();
    rewriter.replaceOp(op, expand.getSrc());
    return success();
}

LogicalResult ReshapeOp::verify()
{
    RankedTensorType from = getSrc().getType(), to = getType();
    if (from.getNumElements() != to.getNumElements())
        return emitOpError("operand and result must have the same number of elements");
    if (from.getElementType() != to.getElementType())
        return emitOpError("operand and result must have the same element type");
    if (!from.getEncoding() != !to.getEncoding())
        return emitOpError("operand and result must both have a layout, or neither");
    if (!from.getEncoding() || getAllowReorder())
        return success();
    if (!reshapeIsNoMove(from.getEncoding(), from.getShape(), to.getEncoding(), to.getShape()))
        return emitOpError("result layout is not the operand's, reshaped: ") << from << " and " << to;
    return success();
}

/* ---- broadcast ---- */

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor)
{
    if (getSrc().getType() == getType())
        return getSrc();
    return resplat(adaptor.getSrc(), getType());
}

LogicalResult BroadcastOp::canonicalize(BroadcastOp op, PatternRewriter &rewriter)
{
    if (auto splat = op.getSrc().getDefiningOp<SplatOp>()) {
        rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat->getOperands());
        return success();
    }
    auto inner = op.getSrc().getDefiningOp<BroadcastOp>();
    if (!inner)
        return failure();
    rewriter.modifyOpInPlace(op, [&] { op.setOperand(inner.getSrc()); });
    return success();
}

/* Whether each lane of each warp holds of the operand what it holds of the result, along the dimensions that both have:
 * the layouts' texts may differ in what is said of a dimension of one element. */
static bool sameLanes(RankedTensorType from, RankedTensorType to)
{
    tri_linear a, b;
    if (!linearOf(from, &a) || !linearOf(to, &b))
        return false;
    for (tri_dim in : {TRI_DIM_LANE, TRI_DIM_WARP, TRI_DIM_BLOCK}) {
        if (tri_linear_in_bits(&a, in) != tri_linear_in_bits(&b, in))
            return false;
        for (int bit = 0; bit < tri_linear_in_bits(&a, in); bit++)
            for (int64_t d = 0; d < from.getRank(); d++)
                if (from.getDimSize(d) > 1 && tri_linear_basis_at(&a, in, bit, (tri_dim)(TRI_DIM_0 + d)) !=
                                                  tri_linear_basis_at(&b, in, bit, (tri_dim)(TRI_DIM_0 + d)))
                    return false;
    }
    return true;
}

LogicalResult BroadcastOp::verify()
{
    RankedTensorType from = getSrc().getType(), to = getType();
    if (from.getRank() != to.getRank())
        return emitOpError("operand and result must have the same rank");
    if (from.getElementType() != to.getElementType())
        return emitOpError("operand and result must have the same element type");
    if (from.getEncoding() != to.getEncoding() && !sameLayout(from.getEncoding(), to.getEncoding(), from.getShape()) &&
        !sameLayout(from.getEncoding(), to.getEncoding(), to.getShape()) && !sameLanes(from, to))
        return emitOpError("must have one encoding, but ") << from << " and " << to << " differ";
    for (int64_t d = 0; d < from.getRank(); d++)
        if (from.getDimSize(d) != to.getDimSize(d) && from.getDimSize(d) != 1)
            return emitOpError("dimension ")
                   << d << " has size " << from.getDimSize(d) << ", only size 1 can be broadcast";
    return success();
}

/* ---- cat, join, split ---- */

LogicalResult CatOp::verify()
{
    RankedTensorType from = getLhs().getType(), to = getType();
    if (from.getElementType() != to.getElementType() || 2 * from.getNumElements() != to.getNumElements())
        return emitOpError("result must hold the elements of both operands");
    int64_t have = 2 * distinctRegisters(from), need = distinctRegisters(to);
    if (have != need)
        return emitOpError("result's layout has ")
               << need << " different values in each thread, but the operands give " << have;
    return success();
}

LogicalResult JoinOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange, SmallVectorImpl<Type> &results)
{
    auto src = cast<RankedTensorType>(operands[0].getType());
    SmallVector<int64_t> shape(src.getShape());
    shape.push_back(2);
    Attribute encoding;
    if (src.getEncoding() && failed(inferJoin(src.getEncoding(), src.getShape(), encoding)))
        return noLayout(loc, "join", src.getEncoding());
    results.push_back(RankedTensorType::get(shape, src.getElementType(), encoding));
    return success();
}

LogicalResult SplitOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands, DictionaryAttr,
                                        OpaqueProperties, RegionRange, SmallVectorImpl<Type> &results)
{
    auto src = cast<RankedTensorType>(operands[0].getType());
    if (src.getRank() == 0 || src.getShape().back() != 2)
        return emitOptionalError(loc, "'tt.split' op last dimension of the operand must have size 2: ", src);
    Attribute encoding;
    /* Where the rule finds none, the verifier still accepts a fitting one. */
    if (src.getEncoding() && src.getRank() > 1 && failed(inferSplit(src.getEncoding(), src.getShape(), encoding)))
        encoding = src.getEncoding();
    auto half = RankedTensorType::get(src.getShape().drop_back(), src.getElementType(), encoding);
    results.append({half, half});
    return success();
}

static LogicalResult verifyPair(Operation *op, RankedTensorType half, RankedTensorType pair)
{
    if (!half.getEncoding() || joinsTo(half.getEncoding(), pair.getEncoding(), pair.getShape()))
        return success();
    return op->emitOpError("layouts do not keep both elements in their thread: ") << half << " and " << pair;
}

LogicalResult JoinOp::verify() { return verifyPair(*this, getLhs().getType(), getType()); }

LogicalResult SplitOp::verify()
{
    return getSrc().getType().getRank() > 1 ? verifyPair(*this, getOutLHS().getType(), getSrc().getType()) : success();
}

/* ---- trans ---- */

static LogicalResult verifyOrder(std::optional<Location> loc, ArrayRef<int32_t> order, int64_t rank)
{
    SmallVector<bool> seen(rank, false);
    bool ok = (int64_t)order.size() == rank;
    for (int32_t d : order) {
        ok = ok && d >= 0 && d < rank && !seen[d];
        if (!ok)
            break;
        seen[d] = true;
    }
    return ok ? success() : emitOptionalError(loc, "'tt.trans' op order must be a permutation of the dimensions");
}

LogicalResult TransOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                        DictionaryAttr attrs, OpaqueProperties properties, RegionRange,
                                        SmallVectorImpl<Type> &results)
{
    TransOpAdaptor adaptor(operands, attrs, properties);
    auto src = cast<RankedTensorType>(operands[0].getType());
    ArrayRef<int32_t> order = adaptor.getOrder();
    if (failed(verifyOrder(loc, order, src.getRank())))
        return failure();
    SmallVector<int64_t> shape;
    for (int32_t d : order)
        shape.push_back(src.getDimSize(d));
    Attribute encoding;
    if (src.getEncoding() && failed(inferTrans(src.getEncoding(), src.getShape(), order, encoding)))
        return noLayout(loc, "trans", src.getEncoding());
    results.push_back(RankedTensorType::get(shape, src.getElementType(), encoding));
    return success();
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor)
{
    bool isIdentity = true;
    for (auto [i, d] : llvm::enumerate(getOrder()))
        isIdentity = isIdentity && (int32_t)i == d;
    if (isIdentity && getSrc().getType() == getType())
        return getSrc();
    if (auto inner = getSrc().getDefiningOp<TransOp>()) {
        SmallVector<int32_t> order;
        for (int32_t d : getOrder())
            order.push_back(inner.getOrder()[d]);
        setOrder(order);
        setOperand(inner.getSrc());
        return getResult();
    }
    return resplat(adaptor.getSrc(), getType());
}

/* ---- make_range ---- */

OpFoldResult MakeRangeOp::fold(FoldAdaptor)
{
    auto type = cast<RankedTensorType>(getType());
    if (type.getNumElements() != 1)
        return {};
    return SplatElementsAttr::get(type, IntegerAttr::get(type.getElementType(), getStart()));
}

LogicalResult MakeRangeOp::verify()
{
    auto type = cast<RankedTensorType>(getType());
    int64_t start = (int32_t)getStart(), end = (int32_t)getEnd();
    if (start >= end)
        return emitOpError("start must be less than end");
    if (type.getRank() != 1 || type.getNumElements() != end - start)
        return emitOpError("result must be 1-D with ") << end - start << " elements, not " << type;
    if (!type.getElementType().isInteger(32))
        return emitOpError("result must have i32 elements");
    return success();
}

/* ---- gather ---- */

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
                                         OpaqueProperties, RegionRange, SmallVectorImpl<Type> &results)
{
    auto src = cast<RankedTensorType>(operands[0].getType()), indices = cast<RankedTensorType>(operands[1].getType());
    results.push_back(indices.clone(src.getElementType()));
    return success();
}

LogicalResult GatherOp::verify()
{
    RankedTensorType src = getSrc().getType(), indices = cast<RankedTensorType>(getIndices().getType());
    if (src.getRank() != indices.getRank())
        return emitOpError("source and indices must have the same rank");
    int64_t axis = (int32_t)getAxis();
    if (axis < 0 || axis >= src.getRank())
        return emitOpError("axis ") << axis << " is out of range for " << src;
    for (int64_t d = 0; d < src.getRank(); d++)
        if (d != axis && src.getDimSize(d) != indices.getDimSize(d))
            return emitOpError("source and indices must have the same size in dimension ") << d;
    return success();
}

} // namespace tri::tt
