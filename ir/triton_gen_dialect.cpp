/* The triton_gen dialect: registration, what its operations and attributes must be. The rules are those of the
 * hardware: a message of two dimensions moves at most 32 rows of 64 bytes for 16 lanes. */
#include "ir/dialects.h"

#include "mlir-c/Dialect/LLVM.h"
#include "mlir/CAPI/IR.h"

using namespace mlir;
using namespace tri::gen;

#include "ir/triton_gen_dialect.cpp.inc"
#include "ir/triton_gen_enums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/triton_gen_attrs.cpp.inc"

namespace {
struct GenInliner : DialectInlinerInterface {
    using DialectInlinerInterface::DialectInlinerInterface;
    bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
    bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void GENDialect::initialize()
{
    registerAttributes();
    registerGENDialectOperations(this);
    addInterfaces<GenInliner>();
}

void GENDialect::registerAttributes()
{
    addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/triton_gen_attrs.cpp.inc"
        >();
}

/* ---- pointers of the llvm dialect, by its C interface: its headers cost ten seconds ---- */

bool tri::gen::isPointer(Type type, int space)
{
    return mlirTypeIsALLVMPointerType(wrap(type)) &&
           (space < 0 || mlirLLVMPointerTypeGetAddressSpace(wrap(type)) == (unsigned)space);
}

Type tri::gen::localPointer(MLIRContext *context)
{
    context->getOrLoadDialect("llvm");
    return unwrap(mlirLLVMPointerTypeGet(wrap(context), 3));
}

/* ---- attributes ---- */

LogicalResult DecorationCacheControlAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                                 ArrayRef<Attribute> decorations)
{
    SmallVector<std::pair<bool, uint32_t>> seen;
    for (Attribute decoration : decorations) {
        auto load = dyn_cast<LoadCacheControlDecorationAttr>(decoration);
        auto store = dyn_cast<StoreCacheControlDecorationAttr>(decoration);
        if (!load && !store)
            return emitError() << "a cache control is a load_cache_control or a store_cache_control, not "
                               << decoration;
        std::pair<bool, uint32_t> level(load != nullptr, load ? load.getLevel() : store.getLevel());
        if (llvm::is_contained(seen, level))
            return emitError() << "level " << level.second << " has two cache controls for "
                               << (load ? "loads" : "stores");
        seen.push_back(level);
    }
    return success();
}

/* ---- matrix instructions ---- */

static bool isFp8(PrecisionType type) { return type == PrecisionType::F8E5M2 || type == PrecisionType::F8E4M3FN; }

static bool isHalf(int64_t part, int64_t whole) { return part == whole || part == (whole + 1) / 2; }

/* Does a sum of this type go with such operands? */
static bool takesSum(PrecisionType precision, Type sum)
{
    switch (precision) {
    case PrecisionType::U8:
    case PrecisionType::S8:
        return sum.isInteger(32);
    case PrecisionType::FP16:
        return sum.isF16() || sum.isF32();
    case PrecisionType::TF32:
        return sum.isF32();
    case PrecisionType::BF16:
    case PrecisionType::F8E5M2:
    case PrecisionType::F8E4M3FN:
    case PrecisionType::F4E2M1:
        return sum.isBF16() || sum.isF32();
    default:
        return false;
    }
}

/* Words of A and of B: 16 and 32 bits, of tf32 32 both. */
template <typename OpTy> static LogicalResult verifyWords(OpTy op)
{
    bool isTf32 = op.getPa() == PrecisionType::TF32;
    int64_t rows = op.getRc(), words = op.getA().getType().getNumElements();
    Type a = op.getA().getType().getElementType(), b = op.getB().getType().getElementType();
    if (isTf32 ? !isHalf(words, (rows + 1) / 2) : !isHalf(words, rows))
        return op->emitOpError("A has ") << words << " words, which is not what " << rows << " rows take";
    if (isTf32 ? !a.isF32() && !a.isInteger(32) : !a.isInteger(16))
        return op->emitOpError("A must have words of ") << (isTf32 ? "f32 or i32" : "i16") << ", not " << a;
    if (isTf32 ? !b.isF32() && !b.isInteger(32) : !b.isInteger(32))
        return op->emitOpError("B must have words of ") << (isTf32 ? "f32 or i32" : "i32") << ", not " << b;
    return success();
}

template <typename OpTy> static LogicalResult verifyMatrix(OpTy op)
{
    constexpr int64_t depth = 8;
    int64_t rows = op.getRc();
    VectorType c = op.getC().getType(), b = op.getB().getType();
    if (rows != 1 && rows != 2 && rows != 4 && rows != 8)
        return op->emitOpError("the repeat count must be 1, 2, 4 or 8, not ") << rows;
    if (op.getPa() != op.getPb() && !(isFp8(op.getPa()) && isFp8(op.getPb())))
        return op->emitOpError("A and B must have one precision");
    if (c != op.getD().getType())
        return op->emitOpError("C is ") << c << ", the result " << op.getD().getType();
    if (!isHalf(c.getNumElements(), rows))
        return op->emitOpError("C has ") << c.getNumElements() << " elements, not a row each of " << rows;
    if (!isHalf(b.getNumElements(), depth))
        return op->emitOpError("B has ") << b.getNumElements() << " words, not those of " << depth << " steps";
    if (!takesSum(op.getPa(), c.getElementType()))
        return op->emitOpError("products of ") << stringifyPrecisionType(op.getPa()) << " do not add up in "
                                               << c.getElementType();
    return verifyWords(op);
}

LogicalResult DpasOp::verify() { return verifyMatrix(*this); }

static bool isScale(Value scale, bool isPair)
{
    if (!scale)
        return true;
    auto vector = dyn_cast<VectorType>(scale.getType());
    return isPair ? vector && vector.getNumElements() == 2 : !vector;
}

LogicalResult ScaledDpasOp::verify()
{
    if (failed(verifyMatrix(*this)))
        return failure();
    if (getRc() != 8)
        return emitOpError("the repeat count must be 8, not ") << getRc();
    PrecisionType precision = getPa();
    bool isFp4 = precision == PrecisionType::F4E2M1;
    if (!isFp4 && !isFp8(precision) && precision != PrecisionType::BF16 && precision != PrecisionType::FP16)
        return emitOpError("no scales go with elements of ") << stringifyPrecisionType(precision);
    if (!isScale(getScaleA(), isFp4) || !isScale(getScaleB(), isFp4))
        return emitOpError("a scale of elements of ")
               << stringifyPrecisionType(precision) << (isFp4 ? " is two i8" : " is one i8");
    return success();
}

/* ---- blocks ---- */

static std::optional<int64_t> constantOf(Value value)
{
    APInt found;
    if (matchPattern(value, m_ConstantInt(&found)))
        return found.getSExtValue();
    /* llvm.mlir.constant, which has its number in `value` */
    Operation *op = value.getDefiningOp();
    auto number = op && op->getName().getStringRef() == "llvm.mlir.constant" ? op->getAttrOfType<IntegerAttr>("value")
                                                                             : IntegerAttr();
    return number ? std::optional<int64_t>(number.getInt()) : std::nullopt;
}

/* Numbers that the text says; 24 bits have room for all of them. */
template <typename OpTy> static LogicalResult verifySurface(OpTy op)
{
    constexpr int64_t most = 1 << 24, least = 64;
    int64_t bytes = op.getElemSizeInBits() / 8;
    std::optional<int64_t> width = constantOf(op.getBaseWidth()), pitch = constantOf(op.getBasePitch()),
                           height = constantOf(op.getBaseHeight()), x = constantOf(op.getX());
    if (width && (*width > most || *width < least || *width % std::max<int64_t>(4, bytes)))
        return op->emitOpError("a row has 64 to 2^24 bytes, a multiple of 4 and of the element's, not ") << *width;
    if (height && *height > most)
        return op->emitOpError("there are 2^24 rows at most, not ") << *height;
    if (pitch && (*pitch > most || *pitch < least || *pitch % 16))
        return op->emitOpError("rows are 64 to 2^24 bytes apart, a multiple of 16, not ") << *pitch;
    if (pitch && width && *pitch < *width)
        return op->emitOpError("rows of ") << *width << " bytes are " << *pitch << " bytes apart";
    if (x && bytes < 4 && *x * bytes % 4)
        return op->emitOpError("a block begins at a multiple of 4 bytes, not at element ") << *x;
    return success();
}

template <typename OpTy> static LogicalResult verifyTile(OpTy op)
{
    constexpr bool isPrefetch = std::is_same_v<OpTy, BlockPrefetchOp>;
    int64_t bits = op.getElemSizeInBits(), width = op.getTileWidth(), rows = op.getTileHeight();
    int64_t blocks = op.getVBlocks();
    auto module = op->template getParentOfType<ModuleOp>();
    int64_t most = isPrefetch && module && module->hasAttr("ttig.support_prefetch_256b") ? 256 : 64;
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
        return op->emitOpError("elements have 8, 16, 32 or 64 bits, not ") << bits;
    if (!tri::isPowerOfTwo(width) || !tri::isPowerOfTwo(rows) || !tri::isPowerOfTwo(blocks))
        return op->emitOpError("width, height and number of blocks must be powers of two");
    if (rows > 32)
        return op->emitOpError("a block has 1 to 32 rows, not ") << rows;
    if (blocks > 4 || (!isPrefetch && bits == 32 && blocks > 2) || (!isPrefetch && bits == 64 && blocks > 1))
        return op->emitOpError("there are ") << blocks << " blocks of elements of " << bits << " bits";
    if (width * bits < 32 && bits < 32)
        return op->emitOpError("a block is 4 bytes wide at least");
    if (width * bits * blocks > most * 8)
        return op->emitOpError("a row of all blocks has ") << most << " bytes at most";
    return success();
}

template <typename OpTy> static LogicalResult verifyMessage(OpTy op)
{
    if (failed(verifySurface(op)))
        return failure();
    return verifyTile(op);
}

static LogicalResult verifyTransposed(BlockLoadOp op)
{
    int64_t bits = op.getElemSizeInBits(), width = op.getTileWidth();
    if (op.getVBlocks() != 1)
        return op.emitOpError("one block is transposed at a time");
    if (bits == 32 ? width > 8 : bits != 64)
        return op.emitOpError("blocks of up to 8 columns of 32 bits, or of 64 bits, are transposed");
    if (bits == 64 && (op.getTileHeight() != 8 || width > 4))
        return op.emitOpError("of 64 bits, blocks of 8 rows and up to 4 columns are transposed");
    return success();
}

LogicalResult BlockLoadOp::verify()
{
    if (failed(verifyMessage(*this)))
        return failure();
    int64_t bits = getElemSizeInBits(), lanes = tri::launchShapeAt(*this).threadsPerWarp;
    int64_t word = getRes().getType().getElementTypeBitWidth(), have = getRes().getType().getNumElements() * word;
    int64_t want = bits * getTileHeight() * getTileWidth() * getVBlocks() / (lanes ? lanes : 16);
    if (have != want)
        return emitOpError("a lane gets ") << want << " bits, the result has " << have;
    if (getTranspose() && getVnniTransform())
        return emitOpError("a block is transposed or packed, not both");
    if (getTranspose() && failed(verifyTransposed(*this)))
        return failure();
    if (getVnniTransform() && (bits > 16 || getTileHeight() * bits < 32))
        return emitOpError("elements of 8 or 16 bits are packed, of as many rows as 32 bits take");
    if ((bits == 32 || getVnniTransform()) && word != 32)
        return emitOpError("its words have 32 bits, not ") << word;
    return success();
}

LogicalResult BlockStoreOp::verify()
{
    if (failed(verifyMessage(*this)))
        return failure();
    if (getTileHeight() > 8 || getVBlocks() != 1)
        return emitOpError("one block of 8 rows at most is stored at a time");
    return success();
}

LogicalResult BlockPrefetchOp::verify() { return verifyMessage(*this); }

/* ---- sub-groups ---- */

LogicalResult GatherLoadOp::verify()
{
    constexpr int64_t addresses = 32, mostBytes = 8;
    int64_t bits = getRes().getType().getElementTypeBitWidth(), lanes = tri::launchShapeAt(*this).threadsPerWarp;
    int64_t all = getRes().getType().getNumElements() * bits * (lanes ? lanes : 16);
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
        return emitOpError("elements have 8, 16, 32 or 64 bits, not ") << bits;
    if (all % (addresses * 8))
        return emitOpError("the results of all lanes are no multiple of ") << addresses << " bytes";
    if (all / (addresses * 8) > mostBytes)
        return emitOpError("an address loads ") << mostBytes << " bytes at most";
    return success();
}

LogicalResult BitcastShuffleOp::verify()
{
    auto bits = [](VectorType type) { return type.getNumElements() * type.getElementTypeBitWidth(); };
    if (bits(getValue().getType()) != bits(getResult().getType()))
        return emitOpError("operand and result have different numbers of bits");
    return success();
}
