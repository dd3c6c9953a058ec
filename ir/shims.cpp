// What mlir-c lacks for walking and changing operations. No dialect headers here.
#include "ir/island.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"

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
