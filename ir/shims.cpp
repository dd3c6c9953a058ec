// What mlir-c lacks for walking and changing operations. No dialect headers here.
#include "ir/island.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace tri {
LogicalResult upgradeRelease(Operation *module);
}

MlirModule tri_island_parse(MlirContext context, MlirStringRef text, MlirStringRef name)
{
    ParserConfig config(unwrap(context), /*verifyAfterParse=*/false);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(unwrap(text), config, unwrap(name));
    if (!module || failed(tri::upgradeRelease(*module)) || failed(verify(*module)))
        return {nullptr};
    return wrap(module.release());
}

// Names of values as a text spells them: the parser keeps only where they stand.
bool tri_island_value_names(MlirContext context, MlirStringRef text, void (*tell)(const char *name, size_t len, void *),
                            void *data)
{
    auto sources = std::make_shared<llvm::SourceMgr>();
    sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(unwrap(text)), llvm::SMLoc());
    ParserConfig config(unwrap(context), /*verifyAfterParse=*/false);
    AsmParserState names;
    Block parsed;
    if (failed(parseAsmSourceFile(*sources, &parsed, config, &names)) || parsed.empty())
        return false;
    auto say = [&](const AsmParserState::SMDefinition *at) {
        const char *begin = at ? at->loc.Start.getPointer() : nullptr;
        tell(begin, begin ? size_t(at->loc.End.getPointer() - begin) : 0, data);
    };
    DenseMap<Block *, const AsmParserState::BlockDefinition *> blocks;
    for (const AsmParserState::BlockDefinition &b : names.getBlockDefs())
        blocks[b.block] = &b;
    auto visit = [&](Operation *op) {
        const AsmParserState::OperationDefinition *def = names.getOpDef(op);
        for (unsigned r = 0; r < op->getNumResults(); r++) {
            const AsmParserState::SMDefinition *group = nullptr;
            for (size_t g = 0; def && g < def->resultGroups.size() && def->resultGroups[g].startIndex <= r; g++)
                group = &def->resultGroups[g].definition;
            say(group);
        }
        for (Region &region : op->getRegions())
            for (Block &block : region)
                for (unsigned a = 0; a < block.getNumArguments(); a++) {
                    auto found = blocks.find(&block);
                    bool is_named = found != blocks.end() && a < found->second->arguments.size();
                    say(is_named ? &found->second->arguments[a] : nullptr);
                }
    };
    // a module that is spelled out is what the operations are in; else they stand in the block itself
    auto module = dyn_cast<ModuleOp>(parsed.front());
    if (module && llvm::hasSingleElement(parsed))
        module->walk<WalkOrder::PreOrder>([&](Operation *op) { op == module ? void() : visit(op); });
    else
        for (Operation &top : parsed)
            top.walk<WalkOrder::PreOrder>(visit);
    return true;
}

bool tri_island_op_is_pure(MlirOperation op)
{
    return isPure(unwrap(op));
}

bool tri_island_op_has_effects(MlirOperation op)
{
    return !isMemoryEffectFree(unwrap(op));
}

bool tri_island_op_is_trivially_dead(MlirOperation op)
{
    return isOpTriviallyDead(unwrap(op));
}

bool tri_island_op_dominates(MlirOperation a, MlirOperation b)
{
    DominanceInfo info;
    return info.properlyDominates(unwrap(a), unwrap(b));
}

MlirBlock tri_island_split_block(MlirBlock block, MlirOperation before)
{
    return wrap(unwrap(block)->splitBlock(unwrap(before)));
}

void tri_island_splice(MlirBlock dest, MlirOperation before, MlirBlock source)
{
    Block *to = unwrap(dest);
    Block::iterator at = mlirOperationIsNull(before) ? to->end() : Block::iterator(unwrap(before));
    to->getOperations().splice(at, unwrap(source)->getOperations());
}

MlirOperation tri_island_previous(MlirOperation op)
{
    Operation *self = unwrap(op);
    return wrap(self == &self->getBlock()->front() ? nullptr : self->getPrevNode());
}

MlirOperation tri_island_clone(MlirOperation op, intptr_t n, const MlirValue *from, const MlirValue *to)
{
    IRMapping mapping;
    for (intptr_t i = 0; i < n; i++)
        mapping.map(unwrap(from[i]), unwrap(to[i]));
    return wrap(unwrap(op)->clone(mapping));
}
