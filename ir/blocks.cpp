// Long basic blocks in pieces. Schedulers, coalescers and the expansion of instructions into branches take time in the
// square of a block's length, and the selector's recursion takes stack; a straight-line kernel can have 10^5
// instructions.
#include "ir/blocks.h"

#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace {
/* Selectors look at a product and the sum it goes into together, in one block: fused where that is allowed. What is
 * fused must not depend on where a block ends. */
bool may_fuse(const Instruction &x)
{
    auto *op = dyn_cast<FPMathOperator>(&x);
    return op && op->hasAllowContract() && (x.getOpcode() == Instruction::FMul || isa<FPExtInst>(x));
}

/* Values of the processor's own kind, which live in tiles. */
bool is_opaque(const Instruction &x)
{
    return x.getType()->isX86_AMXTy() || x.getType()->isTokenTy();
}

unsigned uses_in(const Instruction &x, const BasicBlock &block)
{
    unsigned count = 0;
    for (const User *user : x.users())
        count += cast<Instruction>(user)->getParent() == &block && !isa<PHINode>(user);
    return count;
}

class SplitBlocks : public FunctionPass {
public:
    static char ID;
    SplitBlocks() : FunctionPass(ID) {}
    StringRef getPassName() const override { return "Split long blocks"; }

    bool runOnFunction(Function &f) override
    {
        SmallVector<BasicBlock *> blocks;
        for (BasicBlock &block : f)
            if (block.size() >= 2 * longest)
                blocks.push_back(&block);
        bool changed = false;
        for (BasicBlock *block : blocks)
            changed |= split(*block);
        return changed;
    }

private:
    static constexpr unsigned longest = 1000;

    /* From the end, so that each instruction moves once. */
    static bool split(BasicBlock &block)
    {
        SmallVector<Instruction *> places;
        if (any_of(block, is_opaque))
            return false;
        find_places(block, places);
        for (Instruction *place : reverse(places))
            block.splitBasicBlock(place->getIterator(), "part");
        return !places.empty();
    }

    /* The first instructions of the parts behind the first. */
    static void find_places(BasicBlock &block, SmallVectorImpl<Instruction *> &places)
    {
        unsigned count = 0;
        DenseMap<const Instruction *, unsigned> open; /* products, and how many of their uses are to come */
        for (Instruction &x : block) {
            for (Value *operand : x.operands()) {
                auto at = open.find(dyn_cast<Instruction>(operand));
                if (at != open.end() && !--at->second)
                    open.erase(at);
            }
            if (unsigned uses = may_fuse(x) ? uses_in(x, block) : 0)
                open[&x] = uses;
            Instruction *next = x.getNextNode();
            bool is_place = next && !isa<PHINode>(next) && !isa<AllocaInst>(next) && !next->isTerminator();
            if (++count >= longest && is_place && open.empty()) {
                places.push_back(next);
                count = 0;
            }
        }
    }
};

char SplitBlocks::ID;
} // namespace

FunctionPass *tri_create_split_blocks() { return new SplitBlocks; }
