// Pieces of a long function as functions of their own: LLVM's passes over memory, values and registers take time in the
// square of a function's blocks.
#include "ir/island.h"

#include "llvm-c/Core.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"

using namespace llvm;

namespace {
/* What is reached from `start` without `end`; empty where that is no piece with one way in and one out. */
SetVector<BasicBlock *> piece_of(BasicBlock *start, BasicBlock *end)
{
    SetVector<BasicBlock *> blocks;
    blocks.insert(start);
    for (size_t i = 0; i < blocks.size(); i++) {
        if (isa<ReturnInst>(blocks[i]->getTerminator()))
            return {};
        for (BasicBlock *next : successors(blocks[i]))
            if (next != end)
                blocks.insert(next);
    }
    for (BasicBlock *block : blocks)
        for (BasicBlock *from : predecessors(block))
            if (block != start && !blocks.contains(from))
                return {};
    return blocks;
}
} // namespace

extern "C" void tri_island_outline(LLVMValueRef function, size_t count, const LLVMBasicBlockRef *starts,
                                   const LLVMBasicBlockRef *ends)
{
    auto *f = unwrap<Function>(function);
    SmallVector<std::pair<WeakVH, WeakVH>, 0> pieces;
    for (size_t i = 0; i < count; i++)
        pieces.emplace_back(WeakVH(unwrap(starts[i])), WeakVH(unwrap(ends[i])));
    EliminateUnreachableBlocks(*f); /* which use values of the others */
    CodeExtractorAnalysisCache cache(*f);
    for (auto &[start, end] : pieces) {
        if (!start || !end)
            continue;
        SetVector<BasicBlock *> blocks = piece_of(cast<BasicBlock>(start), cast<BasicBlock>(end));
        CodeExtractor extractor(blocks.getArrayRef(), nullptr, /*AggregateArgs=*/true);
        if (blocks.empty() || !extractor.isEligible())
            continue;
        if (Function *part = extractor.extractCodeRegion(cache))
            part->addFnAttr(Attribute::NoInline);
    }
}
