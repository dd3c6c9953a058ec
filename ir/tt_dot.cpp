/* tt: matrix products. */
#include "ir/dialects.h"

extern "C" {
#include "layout/encoding_words.h"
}

using namespace mlir;

namespace tri::tt {

static LogicalResult verifyShapes(Operation *op, RankedTensorType a, RankedTensorType b, RankedTensorType c)
{
    int64_t rank = a.getRank();
    if (rank != b.getRank() || rank != c.getRank())
        return op->emitOpError("operands must have the same rank");
    if (rank != 2 && rank != 3)
        return op->emitOpError("operands must have rank 2 or 3");
    if (rank == 3 && (a.getDimSize(0) != b.getDimSize(0) || a.getDimSize(0) != c.getDimSize(0)))
        return op->emitOpError("operands must have the same batch size");
    if (c.getDimSize(rank - 2) != a.getDimSize(rank - 2) || c.getDimSize(rank - 1) != b.getDimSize(rank - 1))
        return op->emitOpError("accumulator must be ")
               << a.getDimSize(rank - 2) << "x" << b.getDimSize(rank - 1) << ", but is " << c;
    return success();
}

/* Operand 0 is dealt out to CTAs as the rows of the result, operand 1 as its columns. */
static LogicalResult verifyClusterLayouts(Operation *op, Attribute operands, Attribute result)
{
    if (layoutKind(result) != TRI_ENC_AMD_WMMA || layoutKind(operands) != TRI_ENC_AMD_WMMA)
        return success();
    tri_encoding have, must;
    for (auto [layout, out] : {std::pair(operands, &have), std::pair(result, &must)}) {
        ArrayRef<int32_t> words = layoutWords(layout);
        tri_encoding_words_read(words.data(), words.size(), out);
    }
    int rows = must.rank - 2, columns = must.rank - 1;
    if (have.cga.count != must.cga.count || have.rank != must.rank)
        return op->emitOpError("operands and result are for clusters of different sizes");
    for (int i = 0; i < must.cga.count; i++) {
        if (!must.cga.at[i][rows] && !must.cga.at[i][columns])
            return op->emitOpError("result cannot be held alike by several CTAs: ") << result;
        if (have.cga.at[i][rows] != must.cga.at[i][rows])
            return op->emitOpError("operand a is not dealt out to CTAs as the rows of the result: ") << operands;
        if (have.cga.at[i][columns] != must.cga.at[i][columns])
            return op->emitOpError("operand b is not dealt out to CTAs as the columns of the result: ") << operands;
    }
    return success();
}

constexpr int opsWord = 5; /* of Intel's matrix layout: kind, rank, repeatCount, depth, size */

/* Of Intel's matrix unit a lane has words of 16 bits of A, of 32 bits of B. */
static LogicalResult verifyWidths(Operation *op, ttg::DotOperandEncodingAttr left, ttg::DotOperandEncodingAttr right)
{
    constexpr int kWidthWord = 3; /* kind, rank, opIdx */
    auto width = [](ttg::DotOperandEncodingAttr layout) { return layout.getWords()[kWidthWord]; };
    auto dpas = dyn_cast<ttig::DpasEncodingAttr>(left.getParent());
    if (!dpas)
        return width(left) == width(right)
                   ? success()
                   : op->emitOpError("operands must have dot_op layouts of the same kWidth");
    int32_t each = dpas.getWords()[opsWord], ofA = each > 1 ? each / 2 : 1;
    if (width(left) != ofA || width(right) != each)
        return op->emitOpError("operands of this matrix unit have dot_op layouts of kWidth ")
               << ofA << " and " << each << ", not " << width(left) << " and " << width(right);
    return success();
}

static LogicalResult verifyDotLayouts(Operation *op, RankedTensorType a, RankedTensorType b, RankedTensorType c)
{
    bool hasA = (bool)a.getEncoding(), hasB = (bool)b.getEncoding(), hasC = (bool)c.getEncoding();
    if (hasA != hasB || hasA != hasC)
        return op->emitOpError("operands must all have a layout, or none");
    auto left = dyn_cast_or_null<ttg::DotOperandEncodingAttr>(a.getEncoding());
    auto right = dyn_cast_or_null<ttg::DotOperandEncodingAttr>(b.getEncoding());
    if (!left != !right)
        return op->emitOpError("both operands must have a dot_op layout, or none");
    if (left && left.getParent() != right.getParent())
        return op->emitOpError("operands have dot_op layouts with different parents");
    auto index = [](ttg::DotOperandEncodingAttr layout) { return layout.getWords()[2]; };
    if (left && (index(left) != 0 || index(right) != 1))
        return op->emitOpError("operands must have dot_op layouts with opIdx 0 and 1");
    if (left && failed(verifyWidths(op, left, right)))
        return failure();
    return left ? verifyClusterLayouts(op, left.getParent(), c.getEncoding()) : success();
}

LogicalResult DotOp::verify()
{
    RankedTensorType a = cast<RankedTensorType>(getA().getType()), b = cast<RankedTensorType>(getB().getType()),
                     c = cast<RankedTensorType>(getC().getType());
    if (bitsOf(a.getElementType()) != bitsOf(b.getElementType()))
        return emitOpError("element types of the operands must have the same bit width");
    if (failed(verifyShapes(*this, a, b, c)))
        return failure();
    if (a.getShape().back() != b.getDimSize(b.getRank() - 2))
        return emitOpError("inner sizes of the operands differ: ") << a << " and " << b;
    bool isMma = layoutKind(c.getEncoding()) == TRI_ENC_NVIDIA_MMA;
    if (isMma && a.getElementType().isF32() && getInputPrecision() != InputPrecision::TF32)
        return emitOpError("f32 operands of a matrix layout need inputPrecision = tf32");
    if (auto dpas = dyn_cast_or_null<ttig::DpasEncodingAttr>(c.getEncoding());
        dpas && dpas.getWords()[opsWord] * bitsOf(a.getElementType()) != 32)
        return emitOpError("operands of this matrix layout have ")
               << 32 / dpas.getWords()[opsWord] << " bits, not " << bitsOf(a.getElementType()) << ": " << dpas;
    return verifyDotLayouts(*this, a, b, c);
}

/* Columns of one scale: K over the last size of the scale; 0 when there is none to compare. */
static int64_t scaleFactor(Value scale, int64_t k)
{
    auto type = scale ? cast<RankedTensorType>(scale.getType()) : RankedTensorType();
    if (!type || type.getNumElements() == 1 || type.getRank() == 0)
        return 0;
    int64_t columns = type.getShape().back();
    return columns && k % columns == 0 ? k / columns : -1;
}

static LogicalResult verifyScale(Operation *op, Value scale, int64_t rows, int64_t k, StringRef name)
{
    int64_t factor = scaleFactor(scale, k);
    if (factor == 0)
        return success();
    if (factor != 16 && factor != 32)
        return op->emitOpError("scale of ") << name << " must cover 16 or 32 elements of K each";
    auto type = cast<RankedTensorType>(scale.getType());
    if (type.getRank() < 2 || type.getDimSize(type.getRank() - 2) != rows)
        return op->emitOpError("scale of ") << name << " must have " << rows << " rows, but is " << type;
    return success();
}

LogicalResult DotScaledOp::verify()
{
    RankedTensorType a = cast<RankedTensorType>(getA().getType()), b = cast<RankedTensorType>(getB().getType()),
                     c = cast<RankedTensorType>(getC().getType());
    int64_t rank = a.getRank();
    if (rank < 2)
        return emitOpError("operands must have rank 2 or 3");
    bool packA = getAElemType() == ScaleDotElemType::E2M1, packB = getBElemType() == ScaleDotElemType::E2M1;
    SmallVector<int64_t> sizeA(a.getShape()), sizeB(b.getShape());
    if (packA)
        sizeA[getLhsKPack() ? rank - 1 : rank - 2] *= 2;
    if (packB && b.getRank() == rank)
        sizeB[getRhsKPack() ? rank - 2 : rank - 1] *= 2;
    auto element = [](RankedTensorType like, ArrayRef<int64_t> shape) {
        return RankedTensorType::get(shape, like.getElementType(), like.getEncoding());
    };
    if (failed(verifyShapes(*this, element(a, sizeA), element(b, sizeB), c)))
        return failure();
    int64_t k = sizeA[rank - 1];
    if (k != sizeB[rank - 2])
        return emitOpError("inner sizes of the operands differ: ") << k << " and " << sizeB[rank - 2];
    if (failed(verifyScale(*this, getAScale(), sizeA[rank - 2], k, "a")) ||
        failed(verifyScale(*this, getBScale(), sizeB[rank - 1], k, "b")))
        return failure();
    int64_t factorA = scaleFactor(getAScale(), k), factorB = scaleFactor(getBScale(), k);
    if (factorA && factorB && factorA != factorB)
        return emitOpError("scales of both operands must cover the same number of elements");
    return success();
}

} // namespace tri::tt
