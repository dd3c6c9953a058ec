/* The tt dialect: registration, its types, inlining. */
#include "ir/dialects.h"

using namespace mlir;
using namespace tri::tt;

#include "ir/tt_dialect.cpp.inc"
#include "ir/tt_enums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/tt_types.cpp.inc"

namespace {

struct Inliner : DialectInlinerInterface {
    using DialectInlinerInterface::DialectInlinerInterface;

    bool isLegalToInline(Operation *, Operation *callable, bool) const final
    {
        auto noinline = callable->getAttrOfType<BoolAttr>("noinline");
        return !noinline || !noinline.getValue();
    }
    bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
    bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }

    void handleTerminator(Operation *op, Block *newDest) const final
    {
        auto ret = dyn_cast<ReturnOp>(op);
        if (!ret)
            return;
        OpBuilder builder(op);
        cf::BranchOp::create(builder, op->getLoc(), newDest, ret.getSrcs());
        op->erase();
    }
    void handleTerminator(Operation *op, ValueRange results) const final
    {
        for (auto [from, to] : llvm::zip(results, cast<ReturnOp>(op).getSrcs()))
            from.replaceAllUsesWith(to);
    }
};

} // namespace

void TTDialect::initialize()
{
    registerTypes();
    registerTTDialectOperations(this);
    addInterfaces<Inliner>();
}

void TTDialect::registerTypes()
{
    addTypes<
#define GET_TYPEDEF_LIST
#include "ir/tt_types.cpp.inc"
        >();
}

Operation *TTDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc)
{
    return arith::ConstantOp::materialize(builder, value, type, loc);
}

Attribute TTDialect::parseAttribute(DialectAsmParser &parser, Type) const { return tri::parseCachePolicy(parser); }

Type TTDialect::parseType(DialectAsmParser &parser) const
{
    StringRef mnemonic;
    Type type;
    llvm::SMLoc at = parser.getCurrentLocation();
    if (parser.getFullSymbolSpec().starts_with("memdesc<"))
        return getContext()->getOrLoadDialect<tri::ttg::TTGDialect>()->parseType(parser);
    OptionalParseResult parsed = generatedTypeParser(parser, &mnemonic, type);
    if (!parsed.has_value())
        parser.emitError(at) << "unknown type '" << mnemonic << "' in dialect 'tt'";
    return type;
}

void TTDialect::printType(Type type, DialectAsmPrinter &printer) const { (void)generatedTypePrinter(type, printer); }

/* ---- pointer ---- */

/* Releases before 3.9 number memories as LLVM does; 3.9 names them. */
static ParseResult parseSpace(AsmParser &parser, unsigned &space)
{
    std::string name;
    llvm::SMLoc at = parser.getCurrentLocation();
    if (failed(parser.parseOptionalString(&name)))
        return parser.parseInteger(space);
    if (name != "global" && name != "constant")
        return parser.emitError(at, "unknown memory of a pointer: '") << name << "'";
    return success();
}

Type PtrType::parse(AsmParser &parser)
{
    Type pointee;
    unsigned space = 1;
    llvm::SMLoc at = parser.getCurrentLocation();
    if (parser.parseLess() || parser.parseType(pointee))
        return {};
    if (succeeded(parser.parseOptionalComma()) && parseSpace(parser, space))
        return {};
    if (parser.parseGreater())
        return {};
    return PtrType::getChecked([&] { return parser.emitError(at); }, pointee, space);
}

void PtrType::print(AsmPrinter &printer) const
{
    printer << "<" << getPointee();
    if (getSpace() != 1)
        printer << ", " << getSpace();
    printer << ">";
}

LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError, Type pointee, unsigned space)
{
    if (space >> 24) /* what LLVM has room for */
        return emitError() << "a pointer's memory is a number of 24 bits, not " << space;
    auto block = dyn_cast<RankedTensorType>(pointee);
    Type element = block && !block.getEncoding() ? block.getElementType() : pointee;
    if (!isa<IntegerType, FloatType>(element))
        return emitError() << "a pointer points to an integer, a float or a block of them, not " << pointee;
    return success();
}

/* ---- tensor descriptor ---- */

Type TensorDescType::parse(AsmParser &parser)
{
    llvm::SMLoc at = parser.getCurrentLocation();
    RankedTensorType block = tri::parseDescBlock(parser);
    return block ? TensorDescType::getChecked([&] { return parser.emitError(at); }, block) : Type();
}

void TensorDescType::print(AsmPrinter &printer) const { tri::printDescBlock(printer, getBlock()); }

LogicalResult TensorDescType::verify(function_ref<InFlightDiagnostic()> emitError, RankedTensorType block)
{
    return tri::verifyDescBlock(emitError, block);
}

RankedTensorType TensorDescType::getSignlessBlock() { return tri::blockOfDesc(*this, true); }
