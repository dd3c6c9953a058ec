/* ttng: matrix products of warp groups and of tensor memory. */
#include "ir/dialects.h"

extern "C" {
#include "layout/encoding_words.h"
}

using namespace mlir;

namespace tri::ttng {

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static ShapedType shapeOf(Type type)
{
    if (auto buffer = dyn_cast<ttg::MemDescType>(type))
        return RankedTensorType::get(buffer.getShape(), buffer.getElementType());
    return cast<ShapedType>(type);
}

/* ---- warp_group_dot ---- */

void WarpGroupDotOp::getEffects(Effects &effects)
{
    if (isa<ttg::MemDescType>(getA().getType()))
        effects.emplace_back(MemoryEffects::Read::get(), &getAMutable(), SharedMemory::get());
    effects.emplace_back(MemoryEffects::Read::get(), &getBMutable(), SharedMemory::get());
}

static LogicalResult verifyAccumulator(WarpGroupDotOp op, RankedTensorType d)
{
    ArrayRef<int32_t> words = layoutWords(d.getEncoding());
    tri_encoding layout = {};
    if (layoutKind(d.getEncoding()) == TRI_ENC_NVIDIA_MMA)
        tri_encoding_words_read(words.data(), words.size(), &layout);
    if (layout.version_major != 3)
        return op.emitOpError("result needs a nvidia_mma layout of version 3, but has ") << d.getEncoding();
    if (d.getRank() != 2)
        return op.emitOpError("result must have two dimensions");
    if (d.getDimSize(0) % 64 || d.getDimSize(1) % 8)
        return op.emitOpError("result sizes must be multiples of 64 and 8, not ") << d;
    int warps = launchShapeAt(op).numWarps;
    if (warps % 4)
        return op.emitOpError("needs a number of warps that is a multiple of 4, not ") << warps;
    return success();
}

static bool isOperandLayout(Attribute layout)
{
    tri_encoding_kind kind = layoutKind(layout);
    return kind == TRI_ENC_NVMMA_SHARED || kind == TRI_ENC_SHARED_LINEAR;
}

LogicalResult WarpGroupDotOp::verify()
{
    auto d = cast<RankedTensorType>(getType());
    ShapedType a = shapeOf(getA().getType()), b = shapeOf(getB().getType());
    if (failed(verifyAccumulator(*this, d)))
        return failure();
    if (a.getRank() != 2 || b.getRank() != 2 || a.getDimSize(1) != b.getDimSize(0) ||
        a.getDimSize(0) != d.getDimSize(0) || b.getDimSize(1) != d.getDimSize(1))
        return emitOpError("sizes of operands and result do not fit: ") << a << ", " << b << " and " << d;
    if (bitsOf(a.getElementType()) != bitsOf(b.getElementType()))
        return emitOpError("element types of the operands must have the same bit width");
    if (!isOperandLayout(getB().getType().getEncoding()))
        return emitOpError("b must have a nvmma_shared or shared_linear layout, not ")
               << getB().getType().getEncoding();
    unsigned bits = bitsOf(a.getElementType());
    if (auto buffer = dyn_cast<ttg::MemDescType>(getA().getType())) {
        if (!isOperandLayout(buffer.getEncoding()))
            return emitOpError("a must have a nvmma_shared or shared_linear layout, not ") << buffer.getEncoding();
    } else {
        Attribute layout = encodingOf(getA().getType());
        constexpr int kWidthWord = 3; /* kind, rank, opIdx, kWidth */
        if (layoutKind(layout) != TRI_ENC_DOT_OP || layoutKind(layoutParent(layout)) != TRI_ENC_NVIDIA_MMA)
            return emitOpError("a in registers must have a dot_op layout of a matrix layout, not ") << layout;
        if (layoutWords(layout)[kWidthWord] != (int32_t)(32 / bits))
            return emitOpError("a in registers must have kWidth ") << 32 / bits;
    }
    bool isFp8 = isa<FloatType>(a.getElementType()) && bits == 8;
    if (isFp8 && d.getElementType().isF32() && (int32_t)getMaxNumImpreciseAcc() < 32)
        return emitOpError("fp8 operands with an f32 result need maxNumImpreciseAcc of at least 32");
    return success();
}

LogicalResult WarpGroupDotWaitOp::verify()
{
    return getInputs().empty() ? emitOpError("needs at least one value") : success();
}

/* ---- tensor memory ---- */

static LogicalResult inTensorMemory(Operation *op, ttg::MemDescType type)
{
    return type.isSharedMemory() ? op->emitOpError("buffer must be in tensor memory: ") << type : success();
}

static LogicalResult sameContents(Operation *op, RankedTensorType tensor, ttg::MemDescType buffer)
{
    if (tensor.getShape() != buffer.getShape() || tensor.getElementType() != buffer.getElementType())
        return op->emitOpError("tensor and buffer differ: ") << tensor << " and " << buffer;
    return success();
}

void TMEMAllocOp::getEffects(Effects &effects)
{
    auto result = cast<OpResult>(getResult());
    effects.emplace_back(MemoryEffects::Allocate::get(), result, TensorMemory::get());
    if (getSrc())
        effects.emplace_back(MemoryEffects::Write::get(), result, TensorMemory::get());
}

LogicalResult TMEMAllocOp::verify()
{
    ttg::MemDescType type = getResult().getType();
    if (failed(inTensorMemory(*this, type)))
        return failure();
    if (!getSrc())
        return type.getIsMutable() ? success() : emitOpError("a buffer without initial value must be mutable");
    return sameContents(*this, cast<RankedTensorType>(getSrc().getType()), type);
}

/* A thread's registers are one row, and the whole of it. */
static bool hasWholeRows(RankedTensorType tensor)
{
    tri_linear l;
    if (!linearOf(tensor, &l))
        return true;
    for (tri_dim in : {TRI_DIM_LANE, TRI_DIM_WARP, TRI_DIM_BLOCK})
        if (!tri_linear_is_zero_between(&l, in, (tri_dim)(TRI_DIM_0 + 1)))
            return false;
    return tri_linear_is_zero_between(&l, TRI_DIM_REGISTER, TRI_DIM_0);
}

LogicalResult TMEMLoadOp::verify()
{
    if (failed(inTensorMemory(*this, getSrc().getType())))
        return failure();
    if (getRedOp().has_value() != (bool)getRed())
        return emitOpError("needs both redOp and a second tensor result, or neither");
    if (!getRedOp() && (getAbs() || getNaN()))
        return emitOpError("abs and NaN need redOp");
    if (getRedOp() && !getResult().getType().getElementType().isF32())
        return emitOpError("redOp needs f32 elements");
    if (getRedOp() &&
        cast<RankedTensorType>(getRed().getType()).getShape() != getResult().getType().getShape().take_front(1))
        return emitOpError("redOp gives one value for each row");
    if (getRedOp() && !hasWholeRows(getResult().getType()))
        return emitOpError("redOp needs whole rows in each thread: ") << getResult().getType();
    return sameContents(*this, getResult().getType(), getSrc().getType());
}

LogicalResult TMEMStoreOp::verify()
{
    ttg::MemDescType dst = getDst().getType();
    if (failed(inTensorMemory(*this, dst)))
        return failure();
    if (!dst.getIsMutable())
        return emitOpError("cannot write to an immutable buffer: ") << dst;
    return sameContents(*this, getSrc().getType(), dst);
}

LogicalResult TMEMCopyOp::verify()
{
    if (!getSrc().getType().isSharedMemory())
        return emitOpError("source must be in shared memory: ") << getSrc().getType();
    if (!getDst().getType().getIsMutable())
        return emitOpError("cannot write to an immutable buffer: ") << getDst().getType();
    if (failed(inTensorMemory(*this, getDst().getType())))
        return failure();
    constexpr int64_t leastBits = 128; /* of the narrowest copy of rows */
    if (layoutKind(getDst().getType().getEncoding()) == TRI_ENC_TENSOR_MEMORY &&
        hasNarrowRows(getDst().getType(), leastBits))
        return emitOpError("destination must have ") << leastBits << " bits in a row: " << getDst().getType();
    return success();
}

/* Older text calls the offset N. */
ParseResult TMEMSubSliceOp::parse(OpAsmParser &parser, OperationState &result)
{
    OpAsmParser::UnresolvedOperand src;
    Type from, to;
    if (parser.parseOperand(src) || parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(from) ||
        parser.parseArrow() || parser.parseType(to) || parser.resolveOperand(src, from, result.operands))
        return failure();
    if (Attribute old = result.attributes.erase("N"))
        result.addAttribute(getOffsetAttrName(result.name), old);
    result.addTypes(to);
    return success();
}

void TMEMSubSliceOp::print(OpAsmPrinter &printer)
{
    printer << " " << getSrc();
    SmallVector<StringRef, 1> elided;
    if ((int32_t)getDim() == 1)
        elided.push_back(getDimAttrName());
    SmallVector<NamedAttribute> attrs((*this)->getAttrs());
    for (NamedAttribute &attr : attrs)
        if (attr.getName() == getOffsetAttrName() && printsBefore308(getContext()))
            attr.setName(StringAttr::get(getContext(), "N"));
    printer.printOptionalAttrDict(attrs, elided);
    printer << " : " << getSrc().getType() << " -> " << getResult().getType();
}

LogicalResult TMEMSubSliceOp::verify()
{
    ttg::MemDescType from = getSrc().getType(), to = getResult().getType();
    int64_t dim = (int32_t)getDim(), offset = (int32_t)getOffset();
    if (failed(inTensorMemory(*this, from)))
        return failure();
    if (to.getRank() != 2)
        return emitOpError("result must have two dimensions");
    if (from.getRank() != to.getRank() || from.getElementType() != to.getElementType())
        return emitOpError("operand and result must have the same rank and element type");
    /* (as with ttg.memdesc_subslice: a result that names no other buffer shape than its own is legal text) */
    if (from.getAllocShape() != to.getAllocShape() && to.getAllocShape() != to.getShape())
        return emitOpError("operand and result must have the same alloc shape");
    if (layoutKind(from.getEncoding()) != layoutKind(to.getEncoding()))
        return emitOpError("operand and result must have the same kind of layout");
    if (dim < 0 || dim >= from.getRank())
        return emitOpError("dim ") << dim << " is out of range";
    for (int64_t d = 0; d < from.getRank(); d++)
        if (d != dim && from.getShape()[d] != to.getShape()[d])
            return emitOpError("only dimension ") << dim << " may be cut";
    if (offset < 0 || offset + to.getShape()[dim] > from.getShape()[dim])
        return emitOpError("offset ") << offset << " is out of range";
    if (offset % to.getShape()[dim])
        return emitOpError("offset ") << offset << " must be a multiple of the result's size " << to.getShape()[dim];
    tri_encoding layout;
    ArrayRef<int32_t> words = layoutWords(from.getEncoding());
    tri_encoding_words_read(words.data(), words.size(), &layout);
    bool isPlain = layout.kind == TRI_ENC_TENSOR_MEMORY;
    if (isPlain && dim == 1 && offset * bitsOf(from.getElementType()) * layout.tmem.col_stride % 32)
        return emitOpError("offset ") << offset << " is not at a column of 32 bits";
    if (isPlain && dim == 0 && to.getShape()[0] < layout.tmem.block_m)
        return emitOpError("a part has at least the ") << layout.tmem.block_m
               << " rows of a block, not " << to.getShape()[0];
    for (int i = 0; isPlain && dim == 0 && i < layout.cga.count; i++)
        if (layout.cga.at[i][0] && to.getShape()[0] < from.getShape()[0])
            return emitOpError("cannot cut rows between CTAs: ") << from;
    return success();
}

/* ---- tcgen05 ---- */

template <typename Op> static void mmaEffects(Op op, Effects &effects)
{
    for (OpOperand *operand : {&op.getAMutable(), &op.getBMutable()}) {
        bool isShared = cast<ttg::MemDescType>(operand->get().getType()).isSharedMemory();
        SideEffects::Resource *where = isShared ? (SideEffects::Resource *)SharedMemory::get() : TensorMemory::get();
        effects.emplace_back(MemoryEffects::Read::get(), operand, where);
    }
    effects.emplace_back(MemoryEffects::Read::get(), &op.getDMutable(), TensorMemory::get());
    effects.emplace_back(MemoryEffects::Write::get(), &op.getDMutable(), TensorMemory::get());
    for (OpOperand &barrier : op.getBarriersMutable())
        effects.emplace_back(MemoryEffects::Write::get(), &barrier, SharedMemory::get());
}

void TCGen5MMAOp::getEffects(Effects &effects) { mmaEffects(*this, effects); }

void TCGen5MMAScaledOp::getEffects(Effects &effects) { mmaEffects(*this, effects); }

static bool isFp4Padded(ttg::MemDescType type)
{
    tri_encoding layout;
    ArrayRef<int32_t> words = layoutWords(type.getEncoding());
    tri_encoding_words_read(words.data(), words.size(), &layout);
    return layout.kind == TRI_ENC_TENSOR_MEMORY && layout.tmem.is_fp4_padded;
}

template <typename Op> static LogicalResult verifyMma(Op op)
{
    ttg::MemDescType a = op.getA().getType(), b = op.getB().getType(), d = op.getD().getType();
    if (!op.getBarriers().empty() && !op.getIsAsync())
        return op.emitOpError("barriers need is_async");
    if (op.getBarriers().size() != op.getBarrierPreds().size())
        return op.emitOpError("needs one predicate for each barrier");
    if (a.getRank() != 2 || b.getRank() != 2 || d.getRank() != 2)
        return op.emitOpError("operands must have two dimensions");
    if (!b.isSharedMemory() || d.isSharedMemory())
        return op.emitOpError("b must be in shared and d in tensor memory");
    if (isFp4Padded(d))
        return op.emitOpError("result must not have fp4 padding: ") << d;
    for (Value barrier : op.getBarriers())
        if (failed(verifyCompletionBarrier(op, cast<ttg::MemDescType>(barrier.getType()))))
            return failure();
    return success();
}

/* Small floats may accumulate in f16 too, integers only in i32, all others only in f32. */
static bool fitsAccumulator(Type operand, Type accumulator)
{
    if (isa<IntegerType>(operand))
        return accumulator.isInteger(32);
    bool isSmall = operand.isF16() || bitsOf(operand) == 8;
    return accumulator.isF32() || (isSmall && accumulator.isF16());
}

LogicalResult TCGen5MMAOp::verify()
{
    ttg::MemDescType a = getA().getType(), b = getB().getType(), d = getD().getType();
    if (failed(verifyMma(*this)))
        return failure();
    if (a.getShape()[1] != b.getShape()[0] || a.getShape()[0] != d.getShape()[0] || b.getShape()[1] != d.getShape()[1])
        return emitOpError("sizes of operands and result do not fit: ") << a << ", " << b << " and " << d;
    if (bitsOf(a.getElementType()) != bitsOf(b.getElementType()))
        return emitOpError("element types of the operands must have the same bit width");
    Type accumulator = d.getElementType();
    if (!fitsAccumulator(a.getElementType(), accumulator))
        return emitOpError("cannot accumulate products of ") << a.getElementType() << " in " << accumulator;
    return success();
}

static bool isScaledElement(tt::ScaleDotElemType type)
{
    using Element = tt::ScaleDotElemType;
    return type == Element::E4M3 || type == Element::E5M2 || type == Element::E2M3 || type == Element::E3M2 ||
           type == Element::E2M1;
}

LogicalResult TCGen5MMAScaledOp::verify()
{
    constexpr int blockMWord = 2; /* kind, rank, blockM */
    if (failed(verifyMma(*this)))
        return failure();
    Attribute layout = getD().getType().getEncoding();
    if (layoutKind(layout) != TRI_ENC_TENSOR_MEMORY || layoutWords(layout)[blockMWord] != 128)
        return emitOpError("result must have a tensor_memory_encoding with blockM = 128");
    if (!isScaledElement(getAType()) || !isScaledElement(getBType()))
        return emitOpError("scaled operands are fp8 or fp4, not ")
               << tt::stringifyScaleDotElemType(isScaledElement(getAType()) ? getBType() : getAType());
    ttg::MemDescType a = getA().getType();
    bool isA4 = getAType() == tt::ScaleDotElemType::E2M1, isB4 = getBType() == tt::ScaleDotElemType::E2M1;
    if (a.isSharedMemory() || !isA4)
        return success();
    if (!a.getElementType().isInteger(8))
        return emitOpError("an operand of e2m1 has i8 elements, two in each, not ") << a;
    if (!isB4 && !isFp4Padded(a))
        return emitOpError("a of e2m1 needs fp4 padding beside b of fp8: ") << a;
    return success();
}

LogicalResult TCGen5CommitOp::verify()
{
    if (failed(verifyCompletionBarrier(*this, getBarrier().getType())))
        return failure();
    return getDescs().size() > 4 ? emitOpError("takes at most 4 descriptors") : success();
}

/* ---- packed arithmetic ---- */

/* Types of elements as letters, by which the instructions are listed; 0 for any other. */
static char packedLetter(Type type)
{
    return type.isF32()                   ? 'f'
           : type.isF16()                 ? 'h'
           : type.isBF16()                ? 'b'
           : isa<Float8E5M2Type>(type)    ? '5'
           : isa<Float8E4M3FNType>(type)  ? '4'
           : isa<Float8E8M0FNUType>(type) ? 'u'
           : type.isInteger(8)            ? '2' /* two of e2m1 in a byte */
                                          : 0;
}

/* What PTX has, by the result's type and the operands': = is the result's, ! the other of f16 and bf16. */
static bool hasPackedInstruction(PackedOp kind, char result, ArrayRef<char> args)
{
    static constexpr struct {
        StringRef ops, result, args[3];
    } rows[] = {
        {"add sub mul", "fhb", {"=", "="}},          {"fma", "fhb", {"=", "=", "="}},
        {"min max", "hb", {"=", "="}},               {"add sub", "f", {"hb", "f"}},
        {"add sub mul", "hb", {"f", "f"}},           {"mul", "hb", {"=", "!"}},
        {"fma", "f", {"hb", "f", "f"}},              {"add sub", "45", {"542u", "="}},
        {"mul", "45", {"542u", "542u"}},             {"fma", "45", {"542u", "542u", "="}},
    };
    auto fits = [result](StringRef types, char type) {
        return types == "="   ? type == result
               : types == "!" ? type != result && StringRef("hb").contains(type)
                              : types.contains(type);
    };
    return llvm::any_of(rows, [&](auto &row) {
        bool isOne = row.ops.contains(stringifyPackedOp(kind)) && row.result.contains(result);
        for (size_t i = 0; isOne && i < args.size(); i++)
            isOne = fits(row.args[i], args[i]);
        return isOne;
    });
}

/* The dimension in which a block of bytes has half of the result's size and is otherwise alike, or -1. */
static int halvedAxis(RankedTensorType bytes, RankedTensorType result)
{
    int axis = -1;
    for (int d = 0; bytes.getRank() == result.getRank() && d < (int)bytes.getRank(); d++) {
        if (bytes.getDimSize(d) == result.getDimSize(d))
            continue;
        if (axis >= 0 || bytes.getDimSize(d) * 2 != result.getDimSize(d))
            return -1;
        axis = d;
    }
    return axis;
}

/* Of e2m1 there are two values in a byte, along the same dimension in all operands and in the thread that computes with
 * them; other operands have the result's shape and layout. */
static LogicalResult packedOperands(PackedArithOp op, RankedTensorType result)
{
    int axis = -1;
    for (Value arg : op.getArgs()) {
        auto type = cast<RankedTensorType>(arg.getType());
        if (!type.getElementType().isInteger(8)) {
            if (type.getShape() != result.getShape() ||
                !sameLayout(type.getEncoding(), result.getEncoding(), result.getShape()))
                return op.emitOpError("operands must have the result's shape and layout: ")
                       << type << " and " << result;
            continue;
        }
        int have = halvedAxis(type, result);
        if (have < 0 || (axis >= 0 && have != axis))
            return op.emitOpError("an operand of e2m1 must have half of the result's size in one dimension, the same "
                                  "for all: ")
                   << type << " and " << result;
        axis = have;
        Attribute wanted;
        if (type.getEncoding() && (failed(inferUnpacked(arg, axis, wanted)) ||
                                   !sameLayout(wanted, result.getEncoding(), result.getShape())))
            return op.emitOpError("both elements of a byte must be in registers side by side: ")
                   << type << " and " << result;
    }
    return success();
}

LogicalResult PackedArithOp::verify()
{
    size_t need = getOpKind() == PackedOp::FMA ? 3 : 2;
    if (getArgs().size() != need)
        return emitOpError("'") << stringifyPackedOp(getOpKind()) << "' takes " << need << " operands";
    auto result = cast<RankedTensorType>(getType());
    SmallVector<char> letters;
    for (Value arg : getArgs())
        letters.push_back(packedLetter(cast<RankedTensorType>(arg.getType()).getElementType()));
    if (!hasPackedInstruction(getOpKind(), packedLetter(result.getElementType()), letters)) {
        InFlightDiagnostic diag = emitOpError("there is no packed '") << stringifyPackedOp(getOpKind()) << "' of ";
        llvm::interleave(
            getArgs(), [&](Value arg) { diag << cast<RankedTensorType>(arg.getType()).getElementType(); },
            [&] { diag << ", "; });
        return diag << " that gives " << result.getElementType();
    }
    int64_t pack = bitsOf(result.getElementType()) == 8 ? 4 : 2, have = distinctRegisters(result);
    if (have && have % pack)
        return emitOpError("each thread must have a multiple of ") << pack << " values, not " << have;
    return packedOperands(*this, result);
}

} // namespace tri::ttng
