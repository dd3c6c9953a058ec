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
        if (!isa<DpasEncodingAttr>(attr))
            return AliasResult::NoAlias;
        os << "mma";
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
