/* The ttig dialect: registration, aliases, its operations' checks. */
#include "ir/dialects.h"

using namespace mlir;
using namespace tri::ttig;

#include "ir/ttig_dialect.cpp.inc"
#include "ir/ttig_enums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/ttig_attrs.cpp.inc"

namespace {

struct AsmAliases : OpAsmDialectInterface {
    using OpAsmDialectInterface::OpAsmDialectInterface;

    AliasResult getAlias(Attribute attr, raw_ostream &os) const override
    {
        if (!isa<DpasEncodingAttr, Subgroup2DBlockEncodingAttr, WarpEncodingAttr>(attr))
            return AliasResult::NoAlias;
        os << (isa<WarpEncodingAttr>(attr) ? "warp" : isa<DpasEncodingAttr>(attr) ? "mma" : "block");
        return AliasResult::FinalAlias;
    }
};

struct Inliner : DialectInlinerInterface {
    using DialectInlinerInterface::DialectInlinerInterface;
    bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
    bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};

} // namespace

void TTIGDialect::initialize()
{
    registerAttributes();
    registerTTIGDialectOperations(this);
    addInterfaces<AsmAliases, Inliner>();
}

void TTIGDialect::registerAttributes()
{
    addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/ttig_attrs.cpp.inc"
        >();
}

static LogicalResult verifyBlock(Operation *op, Value pointer, RankedTensorType block)
{
    if (block.getRank() < 2)
        return op->emitOpError() << "the block must have rank 2 or more, not " << block.getRank();
    Type element = cast<tri::tt::PtrType>(pointer.getType()).getPointee();
    if (element != block.getElementType())
        return op->emitOpError() << "the pointer is to " << element << ", the block of " << block.getElementType();
    return success();
}

LogicalResult BlockLoadOp::verify()
{
    auto block = cast<RankedTensorType>(getResult().getType());
    if (getPadNan() && !isa<FloatType>(block.getElementType()))
        return emitOpError() << "'pad_nan' is for floating-point elements, not " << block.getElementType();
    return verifyBlock(*this, getBasePtr(), block);
}

LogicalResult BlockStoreOp::verify()
{
    return verifyBlock(*this, getBasePtr(), cast<RankedTensorType>(getValue().getType()));
}

LogicalResult BlockLoadFromPtrOp::verify()
{
    auto block = cast<RankedTensorType>(getResult().getType());
    if (block.getRank() < 2)
        return emitOpError() << "the block must have rank 2 or more, not " << block.getRank();
    if (getMask() && !getOther())
        return emitOpError("a mask needs what stands for the elements that it leaves out");
    return success();
}

LogicalResult DescriptorPrefetchOp::verify()
{
    int64_t rank = tri::blockOfDesc(getDesc().getType(), true).getRank();
    if ((int64_t)getIndices().size() != rank)
        return emitOpError() << "a block of rank " << rank << " begins at " << rank << " indices, not "
                             << getIndices().size();
    return success();
}

Type tri::ttig::localPointerTo(Type tensor)
{
    constexpr unsigned local = 3;
    return tri::tt::PtrType::get(cast<RankedTensorType>(tensor).getElementType(), local);
}

LogicalResult SubGroupTransposeOp::verify()
{
    auto type = cast<RankedTensorType>(getSrc().getType());
    int64_t lanes = tri::launchShapeAt(*this).threadsPerWarp;
    if (type.getEncoding() || type.getRank() != 2 || type.getDimSize(0) != lanes || type.getDimSize(1) != lanes)
        return emitOpError() << "needs a tensor of " << lanes << " x " << lanes << " elements without a layout, not "
                             << type;
    return success();
}

LogicalResult ExtractDescOp::verify()
{
    int64_t rank = tri::blockOfDesc(getDesc().getType(), true).getRank(), index = getIndex();
    bool isBase = index == 2 * rank, isPointer = isa<tri::tt::PtrType>(getResult().getType());
    if (index < 0 || index > 2 * rank)
        return emitOpError() << "a descriptor of rank " << rank << " has fields 0 to " << 2 * rank << ", not " << index;
    if (isBase ? !isPointer : !getResult().getType().isInteger(64))
        return emitOpError() << "field " << index << " is " << (isBase ? "a pointer" : "an i64") << ", not "
                             << getResult().getType();
    return success();
}

/* Rows of a matrix, whose descriptor has blocks of one. */
static LogicalResult verifyRows(Operation *op, Type desc, RankedTensorType offsets, RankedTensorType tensor)
{
    RankedTensorType block = tri::blockOfDesc(desc, true);
    if (block.getRank() != 2 || block.getDimSize(0) != 1)
        return op->emitOpError("the descriptor's blocks must be one row: ") << desc;
    if (tensor.getRank() != 2 || offsets.getRank() != 1 || tensor.getDimSize(0) != offsets.getDimSize(0))
        return op->emitOpError("needs an offset for each row of a tensor of rank 2");
    if (tensor.getElementType() != block.getElementType() || tensor.getDimSize(1) != block.getDimSize(1))
        return op->emitOpError("the tensor's rows are no blocks of the descriptor: ") << tensor << " and " << desc;
    if (int64_t least = 256 / tri::bitsOf(block.getElementType()); tensor.getDimSize(1) < least)
        return op->emitOpError() << "needs " << least << " columns of this element type at least";
    return success();
}

LogicalResult DescriptorGatherOp::verify()
{
    return verifyRows(*this, getDesc().getType(), getXOffsets().getType(), cast<RankedTensorType>(getType()));
}

LogicalResult DescriptorScatterOp::verify()
{
    return verifyRows(*this, getDesc().getType(), getXOffsets().getType(), cast<RankedTensorType>(getSrc().getType()));
}
