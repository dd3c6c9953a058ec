/* ttg: warp specialization. */
#include "ir/dialects.h"

using namespace mlir;

namespace tri::ttg {

RegionRange WarpSpecializeOp::getPartitionRegions()
{
    return cast<WarpSpecializePartitionsOp>(getPartitionOpHolder().front().front()).getPartitionRegions();
}

/* Control enters the default region, which yields the results; partitions run beside it. */
OperandRange WarpSpecializeOp::getEntrySuccessorOperands(RegionSuccessor)
{
    return {getOperation()->operand_end(), getOperation()->operand_end()};
}

void WarpSpecializeOp::getSuccessorRegions(RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &successors)
{
    if (point.isParent())
        successors.emplace_back(&getDefaultRegion());
    else
        successors.emplace_back(getOperation(), getOperation()->getResults());
}

LogicalResult WarpSpecializeOp::verify()
{
    if (getPartitionOpHolder().front().empty() ||
        !isa<WarpSpecializePartitionsOp>(getPartitionOpHolder().front().front()))
        return emitOpError("second region must hold ttg.warp_specialize.partitions");
    RegionRange regions = getPartitionRegions();
    if (regions.size() != getPartitionNumWarps().size())
        return emitOpError("has ") << regions.size() << " partitions, but numbers of warps for "
                                   << getPartitionNumWarps().size();
    for (auto [i, warps] : llvm::enumerate(getPartitionNumWarps()))
        if (!isPowerOfTwo(warps))
            return emitOpError("number of warps of partition #") << i << " must be a power of two, not " << warps;
    for (std::optional<ArrayRef<int32_t>> list : {getWarpGroupStartIds(), getRequestedRegisters()})
        if (list && list->size() != regions.size())
            return emitOpError("needs one entry for each partition");
    if (getActualRegisters() && getActualRegisters()->size() != regions.size() + 1)
        return emitOpError("actualRegisters needs one entry for the default and each partition");
    for (auto [i, region] : llvm::enumerate(regions)) {
        if (region->getNumArguments() != getNumOperands())
            return emitOpError("partition #") << i << " must take " << getNumOperands() << " arguments";
        for (auto [arg, operand] : llvm::zip(region->getArguments(), getOperands()))
            if (arg.getType() != operand.getType())
                return emitOpError("partition #")
                       << i << " takes " << arg.getType() << " where " << operand.getType() << " is passed";
    }
    if ((*this)->getParentOfType<WarpSpecializeOp>())
        return emitOpError("cannot be nested");
    int warps = launchShapeAt(*this).numWarps;
    if (warps && warps % 4)
        return emitOpError("needs a number of warps that is a multiple of 4 in the default region, not ") << warps;
    return success();
}

/* Captures that no partition uses, or that come twice, are dropped. */
static bool dropCaptures(WarpSpecializeOp op, PatternRewriter &rewriter)
{
    llvm::BitVector drop(op.getNumOperands());
    for (unsigned i = 0; i < op.getNumOperands(); i++) {
        unsigned first = 0;
        while (op.getOperand(first) != op.getOperand(i))
            first++;
        bool isUsed = false;
        for (Region *region : op.getPartitionRegions()) {
            if (first != i)
                rewriter.replaceAllUsesWith(region->getArgument(i), region->getArgument(first));
            isUsed = isUsed || !region->getArgument(i).use_empty();
        }
        /* (a later one that is the same may still come to be used instead) */
        if (!isUsed && (first != i || !llvm::is_contained(op.getOperands().drop_front(i + 1), op.getOperand(i))))
            drop.set(i);
    }
    if (drop.none())
        return false;
    rewriter.modifyOpInPlace(op, [&] {
        for (Region *region : op.getPartitionRegions())
            region->front().eraseArguments(drop);
        op->eraseOperands(drop);
    });
    return true;
}

/* The same op without the results that nobody uses. */
static bool dropResults(WarpSpecializeOp op, PatternRewriter &rewriter)
{
    llvm::BitVector drop(op.getNumResults());
    SmallVector<Type> types;
    for (OpResult result : op->getResults()) {
        if (result.use_empty())
            drop.set(result.getResultNumber());
        else
            types.push_back(result.getType());
    }
    if (drop.none())
        return false;
    for (Block &block : op.getDefaultRegion())
        if (auto yield = dyn_cast<WarpYieldOp>(block.getTerminator()))
            rewriter.modifyOpInPlace(yield, [&] { yield->eraseOperands(drop); });
    OperationState state(op.getLoc(), op->getName(), op->getOperands(), types, op->getAttrs());
    for (unsigned i = 0; i < op->getNumRegions(); i++)
        state.addRegion();
    Operation *made = rewriter.create(state);
    for (unsigned i = 0; i < op->getNumRegions(); i++)
        rewriter.inlineRegionBefore(op->getRegion(i), made->getRegion(i), made->getRegion(i).begin());
    unsigned next = 0;
    for (OpResult result : op->getResults())
        if (!drop.test(result.getResultNumber()))
            rewriter.replaceAllUsesWith(result, made->getResult(next++));
    rewriter.eraseOp(op);
    return true;
}

LogicalResult WarpSpecializeOp::canonicalize(WarpSpecializeOp op, PatternRewriter &rewriter)
{
    return success(dropCaptures(op, rewriter) || dropResults(op, rewriter));
}

LogicalResult WarpYieldOp::verify()
{
    auto parent = cast<WarpSpecializeOp>((*this)->getParentOp());
    if (TypeRange(getOperandTypes()) != TypeRange(parent.getResultTypes()))
        return emitOpError("values must have the types of the results of ttg.warp_specialize");
    return success();
}

ParseResult WarpSpecializeOp::parse(OpAsmParser &parser, OperationState &result)
{
    SmallVector<OpAsmParser::UnresolvedOperand> operands;
    SmallVector<int32_t> warps;
    llvm::SMLoc at = parser.getCurrentLocation();
    if (parser.parseOperandList(operands, AsmParser::Delimiter::Paren) ||
        parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseKeyword("default") ||
        parser.parseRegion(*result.addRegion()))
        return failure();

    OperationState holder(parser.getEncodedSourceLoc(at), WarpSpecializePartitionsOp::getOperationName());
    SmallVector<OpAsmParser::Argument> args;
    while (succeeded(parser.parseOptionalKeyword("partition" + Twine(warps.size()).str()))) {
        args.clear();
        if (parser.parseArgumentList(args, AsmParser::Delimiter::Paren, /*allowType=*/true) ||
            parser.parseKeyword("num_warps") || parser.parseLParen() || parser.parseInteger(warps.emplace_back()) ||
            parser.parseRParen() || parser.parseRegion(*holder.addRegion(), args))
            return failure();
    }
    FunctionType types;
    if (parser.parseColon() || parser.parseType(types) ||
        parser.resolveOperands(operands, types.getInputs(), at, result.operands))
        return failure();
    result.addTypes(types.getResults());
    result.addAttribute(getPartitionNumWarpsAttrName(result.name), parser.getBuilder().getDenseI32ArrayAttr(warps));
    Block &block = result.addRegion()->emplaceBlock();
    block.push_back(Operation::create(holder));
    return success();
}

void WarpSpecializeOp::print(OpAsmPrinter &printer)
{
    printer << "(" << getOperands() << ")";
    printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getPartitionNumWarpsAttrName()});
    printer.printNewline();
    printer << "default ";
    printer.printRegion(getDefaultRegion(), /*printEntryBlockArgs=*/false);
    for (auto [i, region] : llvm::enumerate(getPartitionRegions())) {
        printer.printNewline();
        printer << "partition" << i << "(";
        llvm::interleaveComma(region->getArguments(), printer,
                              [&](BlockArgument arg) { printer.printRegionArgument(arg); });
        printer << ") num_warps(" << getPartitionNumWarps()[i] << ") ";
        printer.printRegion(*region, /*printEntryBlockArgs=*/false);
    }
    printer << " : ";
    printer.printFunctionalType(*this);
}

} // namespace tri::ttg
