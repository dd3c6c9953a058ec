/* The ttng dialect: registration, aliases, its descriptor type. */
#include "ir/dialects.h"

using namespace mlir;
using namespace tri::ttng;

#include "ir/ttng_dialect.cpp.inc"
#include "ir/ttng_enums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/ttng_attrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/ttng_types.cpp.inc"

namespace {

struct AsmAliases : OpAsmDialectInterface {
    using OpAsmDialectInterface::OpAsmDialectInterface;

    AliasResult getAlias(Attribute attr, raw_ostream &os) const override
    {
        if (isa<TensorMemoryEncodingAttr>(attr))
            os << "tmem";
        else if (isa<TensorMemoryScalesEncodingAttr>(attr))
            os << "tmem_scales";
        else
            return AliasResult::NoAlias;
        return AliasResult::FinalAlias;
    }
};

struct Inliner : DialectInlinerInterface {
    using DialectInlinerInterface::DialectInlinerInterface;
    bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
    bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};

} // namespace

void TTNGDialect::initialize()
{
    registerAttributes();
    registerTypes();
    registerTTNGDialectOperations(this);
    addInterfaces<AsmAliases, Inliner>();
}

void TTNGDialect::registerAttributes()
{
    addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/ttng_attrs.cpp.inc"
        >();
}

void TTNGDialect::registerTypes()
{
    addTypes<
#define GET_TYPEDEF_LIST
#include "ir/ttng_types.cpp.inc"
        >();
}

Type TensorDescIm2ColType::parse(AsmParser &parser)
{
    RankedTensorType block = tri::parseDescBlock(parser);
    if (!block)
        return {};
    return TensorDescIm2ColType::getChecked([&] { return parser.emitError(parser.getNameLoc()); }, parser.getContext(),
                                            block);
}

void TensorDescIm2ColType::print(AsmPrinter &printer) const { tri::printDescBlock(printer, getBlock()); }

LogicalResult TensorDescIm2ColType::verify(function_ref<InFlightDiagnostic()> emitError, RankedTensorType block)
{
    if (block.getRank() != 2)
        return emitError() << "an im2col descriptor's block has two dimensions, not " << block.getRank();
    return tri::verifyDescBlock(emitError, block);
}
