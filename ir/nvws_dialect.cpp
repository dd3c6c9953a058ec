/* The nvws dialect: registration, its types, and what its operations must be. */
#include "ir/dialects.h"

using namespace mlir;
using namespace tri::nvws;

#include "ir/nvws_dialect.cpp.inc"
#include "ir/nvws_enums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/nvws_attrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/nvws_types.cpp.inc"

void NVWSDialect::initialize()
{
    registerAttributes();
    registerTypes();
    registerNVWSDialectOperations(this);
}

void NVWSDialect::registerAttributes()
{
    addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/nvws_attrs.cpp.inc"
        >();
}

void NVWSDialect::registerTypes()
{
    addTypes<
#define GET_TYPEDEF_LIST
#include "ir/nvws_types.cpp.inc"
        >();
}

/* ---- buffers that are handed on ---- */

LogicalResult ArefCreateOp::verify()
{
    for (Value buffer : getBuffers()) {
        for (Operation *user : buffer.getUsers())
            if (!isa<ArefCreateOp, tri::ttg::LocalDeallocOp>(user))
                return emitOpError("a buffer that is handed on must have no other use, such as ") << user->getName();
        auto type = cast<tri::ttg::MemDescType>(buffer.getType());
        auto first = cast<tri::ttg::MemDescType>(getBuffers().front().getType());
        if (type.getShape().front() != first.getShape().front())
            return emitOpError("there must be as many of each buffer, not ")
                   << first.getShape().front() << " and " << type.getShape().front();
    }
    return success();
}

/* Scales in tensor memory are one buffer, the others a ring of those that an access has. */
static bool isOneOf(tri::ttg::MemDescType ring, tri::ttg::MemDescType one)
{
    bool isScales = isa<tri::ttng::TensorMemoryScalesEncodingAttr>(ring.getEncoding());
    return ring.getElementType() == one.getElementType() &&
           ring.getShape().drop_front(isScales ? 0 : 1) == one.getShape();
}

static LogicalResult verifyEnter(Operation *op, ArefType aref, TypeRange buffers)
{
    if (aref.getBuffers().size() != buffers.size())
        return op->emitOpError("gives ") << buffers.size() << " buffers of a reference to "
                                         << aref.getBuffers().size();
    for (auto [ring, one] : llvm::zip(aref.getBuffers(), buffers))
        if (!isOneOf(cast<tri::ttg::MemDescType>(ring), cast<tri::ttg::MemDescType>(one)))
            return op->emitOpError("gives ") << one << ", which is not one of the buffers " << ring;
    return success();
}

LogicalResult ArefPutEnterOp::verify()
{
    return verifyEnter(*this, cast<ArefType>(getAref().getType()), getBuffers().getTypes());
}

LogicalResult ArefGetEnterOp::verify()
{
    return verifyEnter(*this, cast<ArefType>(getAref().getType()), getBuffers().getTypes());
}

/* The groups of warps that make a value: of its operation, of one of its results, of what a loop carries. */
static ArrayRef<int32_t> groupsOf(Value value)
{
    Operation *op = value.getDefiningOp();
    int64_t place = op ? (int64_t)cast<OpResult>(value).getResultNumber() : -1;
    if (auto arg = dyn_cast<BlockArgument>(value)) {
        op = arg.getOwner()->getParentOp();
        place = (int64_t)arg.getArgNumber() - (op->getName().getStringRef() == "scf.for"); /* behind its counter */
    }
    auto outputs = op->getAttrOfType<ArrayAttr>("ttg.partition.outputs");
    if (outputs && place >= 0 && place < (int64_t)outputs.size())
        if (auto groups = dyn_cast<DenseI32ArrayAttr>(outputs[(unsigned)place]))
            return groups;
    auto groups = op->getAttrOfType<DenseI32ArrayAttr>("ttg.partition");
    return groups && value.getDefiningOp() && !outputs ? groups.asArrayRef() : ArrayRef<int32_t>();
}

LogicalResult ArefPhiOp::verify()
{
    auto own = (*this)->getAttrOfType<DenseI32ArrayAttr>("ttg.partition");
    if (!own || own.empty())
        return emitOpError("needs ttg.partition, which says for which groups of warps it chooses");
    SmallVector<int32_t> covered;
    for (Value value : {getLocal(), getRemote()}) {
        if (groupsOf(value).empty())
            return emitOpError("no group of warps is known to make the ")
                   << (value == getLocal() ? "first" : "second") << " value";
        for (int32_t group : groupsOf(value)) {
            if (llvm::is_contained(covered, group))
                return emitOpError("both values are of group ") << group;
            covered.push_back(group);
        }
    }
    llvm::sort(covered);
    if (ArrayRef<int32_t>(covered) != own.asArrayRef())
        return emitOpError("the groups of both values together must be those of ttg.partition");
    return success();
}

/* ---- groups of warps ---- */

LogicalResult WarpGroupOp::verify()
{
    if (getNumWarps().size() != getPartitionRegions().size())
        return emitOpError("has ") << getPartitionRegions().size() << " groups, but numbers of warps for "
                                   << getNumWarps().size();
    if (getResults().empty())
        return success();
    if (getPartitionRegions().empty())
        return emitOpError("needs a group that makes its results");
    auto yield = dyn_cast<WarpGroupYieldOp>(getPartitionRegions().front().front().getTerminator());
    if (!yield)
        return emitOpError("has results, which the first group must yield");
    if (yield.getOperandTypes() != getResultTypes())
        return emitOpError("results and what the first group yields must have the same types");
    return success();
}

ParseResult WarpGroupOp::parse(OpAsmParser &parser, OperationState &result)
{
    SmallVector<int32_t> warps;
    SmallVector<Type> types;
    if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
        return failure();
    while (succeeded(parser.parseOptionalKeyword("partition" + Twine(warps.size()).str()))) {
        if (parser.parseKeyword("num_warps") || parser.parseLParen() || parser.parseInteger(warps.emplace_back()) ||
            parser.parseRParen() || parser.parseRegion(*result.addRegion()))
            return failure();
    }
    /* The results are those of the first group, which the text does not repeat. */
    if (!result.regions.empty() && !result.regions.front()->empty() && !result.regions.front()->front().empty())
        if (auto yield = dyn_cast<WarpGroupYieldOp>(result.regions.front()->front().back()))
            llvm::append_range(types, yield.getOperandTypes());
    result.addTypes(types);
    result.addAttribute(getNumWarpsAttrName(result.name), parser.getBuilder().getDenseI32ArrayAttr(warps));
    return success();
}

void WarpGroupOp::print(OpAsmPrinter &printer)
{
    printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getNumWarpsAttrName()});
    for (auto [i, region] : llvm::enumerate(getPartitionRegions())) {
        printer.printNewline();
        printer << "partition" << i << " num_warps(" << getNumWarps()[i] << ") ";
        printer.printRegion(region, /*printEntryBlockArgs=*/false);
    }
}
