/* ttg: convert_layout, and what folds into its neighbours. */
#include "ir/dialects.h"

using namespace mlir;

namespace tri::ttg {

LogicalResult ConvertLayoutOp::verify()
{
    if (!getSrc().getType().getEncoding() || !getType().getEncoding())
        return emitOpError("operand and result must have a layout");
    if (getForceWarpShuffle() && !staysInWarp(getSrc().getType(), getType()))
        return emitOpError("force_warp_shuffle needs a conversion that leaves every value in its warp: ")
               << getSrc().getType() << " to " << getType();
    return success();
}

namespace {

bool isDotOperand(Value value)
{
    return layoutKind(encodingOf(value.getType())) == TRI_ENC_DOT_OP;
}

bool isMmaToDotOp(ConvertLayoutOp op)
{
    return layoutKind(op.getSrc().getType().getEncoding()) == TRI_ENC_NVIDIA_MMA && isDotOperand(op.getResult());
}

/* ---- producers ---- */

/* The source in the wanted layout at once, where it costs nothing to make it so; null elsewhere. */
Value inLayout(ConvertLayoutOp op, Operation *def, PatternRewriter &rewriter)
{
    Type wanted = op.getType();
    TypeRange type(wanted);
    if (auto splat = dyn_cast<tt::SplatOp>(def))
        return tt::SplatOp::create(rewriter, op.getLoc(), type, splat->getOperands());
    if (auto range = dyn_cast<tt::MakeRangeOp>(def))
        return tt::MakeRangeOp::create(rewriter, op.getLoc(), type, ValueRange(), range->getAttrs());
    if (auto histogram = dyn_cast<tt::HistogramOp>(def))
        return tt::HistogramOp::create(rewriter, op.getLoc(), type, histogram->getOperands());
    if (auto cat = dyn_cast<tt::CatOp>(def)) {
        if (registersOf(op.getType()) != 2 * registersOf(cat.getLhs().getType()))
            return {};
        return tt::CatOp::create(rewriter, op.getLoc(), type, cat->getOperands());
    }
    if (auto reshape = dyn_cast<tt::ReshapeOp>(def)) {
        if (!reshape.getAllowReorder() || reshape.getEfficientLayout() || isDotOperand(op.getSrc()) ||
            isDotOperand(op.getResult()) || isExpensiveView(reshape.getSrc().getType(), op.getType()))
            return {};
        return tt::ReshapeOp::create(rewriter, op.getLoc(), type, reshape->getOperands(), reshape->getAttrs());
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(def)) {
        auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
        if (!splat)
            return {};
        auto value = SplatElementsAttr::get(op.getType(), splat.getSplatValue<Attribute>());
        return arith::ConstantOp::create(rewriter, op.getLoc(), value);
    }
    auto load = dyn_cast<LocalLoadOp>(def);
    if (!load || isDotOperand(op.getResult()))
        return {};
    /* The buffer may change between the load and here: load where it was. */
    rewriter.setInsertionPoint(load);
    return LocalLoadOp::create(rewriter, op.getLoc(), type, load->getOperands());
}

/* Drops a conversion to the type it has already, joins two in a row, and gives sources that cost
 * nothing the wanted layout at once. */
struct FoldConvert : OpRewritePattern<ConvertLayoutOp> {
    using OpRewritePattern::OpRewritePattern;

    LogicalResult matchAndRewrite(ConvertLayoutOp op, PatternRewriter &rewriter) const override
    {
        if (op.getSrc().getType() == op.getType()) {
            rewriter.replaceOp(op, op.getSrc());
            return success();
        }
        Operation *def = op.getSrc().getDefiningOp();
        if (!def || isMmaToDotOp(op) || op.getForceWarpShuffle())
            return failure();
        if (auto inner = dyn_cast<ConvertLayoutOp>(def)) {
            if (inner.getForceWarpShuffle())
                return failure();
            rewriter.modifyOpInPlace(op, [&] { op.setOperand(inner.getSrc()); });
            return success();
        }
        Value made = inLayout(op, def, rewriter);
        if (!made)
            return failure();
        rewriter.replaceOp(op, made);
        return success();
    }
};

/* ---- users ---- */

/* The conversion that makes operand `i` and may be looked through; null elsewhere. */
ConvertLayoutOp convertOf(Operation *op, unsigned i)
{
    auto convert = op->getOperand(i).getDefiningOp<ConvertLayoutOp>();
    return convert && !convert.getForceWarpShuffle() ? convert : ConvertLayoutOp();
}

/* Two spellings of one layout. */
bool isTrivial(ConvertLayoutOp op)
{
    return sameLayout(op.getSrc().getType().getEncoding(), op.getType().getEncoding(), op.getType().getShape());
}

LogicalResult takeSource(Operation *op, unsigned i, ConvertLayoutOp convert, PatternRewriter &rewriter)
{
    rewriter.modifyOpInPlace(op, [&] { op->setOperand(i, convert.getSrc()); });
    return success();
}

/* A view moves no data between threads; one in any order does not even mind which ones it gets, unless its layout is
 * meant and has dimensions that mean something: those are of the registers that come. */
struct ReshapeOfConvert : OpRewritePattern<tt::ReshapeOp> {
    using OpRewritePattern::OpRewritePattern;

    LogicalResult matchAndRewrite(tt::ReshapeOp op, PatternRewriter &rewriter) const override
    {
        ConvertLayoutOp convert = convertOf(op, 0);
        if (!convert)
            return failure();
        bool isMeant = op.getEfficientLayout() && op.getType().getRank() > 1;
        bool isFree =
            op.getAllowReorder() && !isMeant && !isExpensiveView(convert.getSrc().getType(), op.getType());
        return isFree || isTrivial(convert) ? takeSource(op, 0, convert, rewriter) : failure();
    }
};

struct TransOfConvert : OpRewritePattern<tt::TransOp> {
    using OpRewritePattern::OpRewritePattern;

    LogicalResult matchAndRewrite(tt::TransOp op, PatternRewriter &rewriter) const override
    {
        bool isIdentity = true;
        for (auto [i, d] : llvm::enumerate(op.getOrder()))
            isIdentity = isIdentity && (int32_t)i == d;
        if (isIdentity && encodingOf(op.getType())) {
            rewriter.replaceOpWithNewOp<ConvertLayoutOp>(op, TypeRange(Type(op.getType())), op->getOperands());
            return success();
        }
        ConvertLayoutOp convert = convertOf(op, 0);
        return convert && isTrivial(convert) ? takeSource(op, 0, convert, rewriter) : failure();
    }
};

/* A gather whose layout is not meant reads its source from a table. */
struct GatherOfConvert : OpRewritePattern<tt::GatherOp> {
    using OpRewritePattern::OpRewritePattern;

    LogicalResult matchAndRewrite(tt::GatherOp op, PatternRewriter &rewriter) const override
    {
        ConvertLayoutOp convert = convertOf(op, 0);
        return convert && !op.getEfficientLayout() ? takeSource(op, 0, convert, rewriter) : failure();
    }
};

/* Elements are counted wherever they are; the mask goes where they are. */
struct HistogramOfConvert : OpRewritePattern<tt::HistogramOp> {
    using OpRewritePattern::OpRewritePattern;

    LogicalResult matchAndRewrite(tt::HistogramOp op, PatternRewriter &rewriter) const override
    {
        ConvertLayoutOp convert = convertOf(op, 0);
        if (!convert)
            return failure();
        SmallVector<Value> operands{convert.getSrc()};
        if (op->getNumOperands() > 1) {
            auto type = cast<RankedTensorType>(maskOf(convert.getSrc().getType()));
            operands.push_back(ConvertLayoutOp::create(rewriter, op.getLoc(), TypeRange(type), op->getOperand(1)));
        }
        rewriter.replaceOpWithNewOp<tt::HistogramOp>(op, op->getResultTypes(), operands);
        return success();
    }
};

struct SplitOfConvert : OpRewritePattern<tt::SplitOp> {
    using OpRewritePattern::OpRewritePattern;

    LogicalResult matchAndRewrite(tt::SplitOp op, PatternRewriter &rewriter) const override
    {
        ConvertLayoutOp convert = convertOf(op, 0);
        Attribute half;
        if (!convert ||
            failed(inferSplit(convert.getSrc().getType().getEncoding(), op.getSrc().getType().getShape(), half)) ||
            half != encodingOf(op.getOutLHS().getType()))
            return failure();
        return takeSource(op, 0, convert, rewriter);
    }
};

/* Threads reach the rows of tensor memory that their layout says: the same layout is as good. */
struct TensorStoreOfConvert : OpRewritePattern<ttng::TMEMStoreOp> {
    using OpRewritePattern::OpRewritePattern;

    LogicalResult matchAndRewrite(ttng::TMEMStoreOp op, PatternRewriter &rewriter) const override
    {
        OpOperand &src = op.getSrcMutable();
        ConvertLayoutOp convert = convertOf(op, src.getOperandNumber());
        return convert && isTrivial(convert) ? takeSource(op, src.getOperandNumber(), convert, rewriter) : failure();
    }
};

} // namespace

void ConvertLayoutOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context)
{
    patterns.add<FoldConvert, ReshapeOfConvert, TransOfConvert, GatherOfConvert, HistogramOfConvert, SplitOfConvert,
                 TensorStoreOfConvert>(context);
}

} // namespace tri::ttg
