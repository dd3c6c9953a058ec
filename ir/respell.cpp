/* What releases of Triton write otherwise than we do, on the way out: a copy of the module gets the operations and
 * attributes that one release has, and types and layouts are printed as it does. What a release cannot say is
 * reported. The way in is releases.cpp. */
#include "ir/dialects.h"
#include "ir/island.h"

extern "C" {
#include "ir/encoding_text.h"
#include "layout/encoding_words.h"
}

#include "mlir/CAPI/IR.h"

using namespace mlir;

namespace tri {

unsigned releaseOf(MLIRContext *context)
{
    auto *dialect = context->getLoadedDialect<tt::TTDialect>();
    return dialect ? dialect->release : 0;
}

/* Operations that not every release has: the first and the last one that does. */
static const struct {
    StringRef name;
    unsigned since, until;
} changing[] = {
    {"tt.make_tensor_ptr", 0, 307},
    {"tt.advance", 0, 307},
    {"tt.approx_divf", 309, ~0u},
    {"tt.atomic_load", 309, ~0u},
    {"tt.atomic_store", 309, ~0u},
    {"tt.atomic_poll", 309, ~0u},
    {"tt.grid_dependency_wait", 309, ~0u},
    {"tt.grid_dependency_launch_dependents", 309, ~0u},
    {"ttg.barrier", 307, ~0u},
    {"ttg.inline_asm", 309, ~0u},
    {"ttg.local_gather", 307, ~0u},
    {"ttg.local_scatter", 307, ~0u},
    {"ttg.local_atomic_scatter_rmw", 308, ~0u},
    {"ttg.local_barrier", 306, 306},
    {"ttg.warp_id", 307, ~0u},
    {"ttng.async_shared_store", 308, ~0u},
    {"ttng.clc_get_program_id", 308, ~0u},
    {"ttng.clc_is_canceled", 308, ~0u},
    {"ttng.clc_load_result", 308, ~0u},
    {"ttng.clc_try_cancel", 308, ~0u},
    {"ttng.cluster_arrive", 0, 308},
    {"ttng.cluster_barrier", 308, ~0u},
    {"ttng.cluster_wait", 0, 308},
    {"ttng.fence_mbarrier_init_release_cluster", 307, ~0u},
    {"ttng.packed_arith", 308, ~0u},
    {"ttng.tmem_wait", 309, ~0u},
};

static std::string nameOf(unsigned release)
{
    return "Triton " + std::to_string(release / 100) + "." + std::to_string(release % 100);
}

static void replaceBy(Operation *op, StringRef name, TypeRange results = {}, ArrayRef<NamedAttribute> attrs = {})
{
    OpBuilder builder(op);
    OperationState state(op->getLoc(), name, op->getOperands(), results, attrs);
    state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
    Operation *made = builder.create(state);
    for (auto [from, to] : llvm::zip(op->getResults(), made->getResults()))
        from.replaceAllUsesWith(to);
    op->erase();
}

/* What front ends wrote before there was an operation for it. */
static void replaceByAsm(Operation *op, StringRef instruction)
{
    Builder b(op->getContext());
    replaceBy(op, "tt.elementwise_inline_asm", b.getI32Type(),
              {b.getNamedAttr("asm_string", b.getStringAttr(instruction + "; // dummy $0")),
               b.getNamedAttr("constraints", b.getStringAttr("=r")), b.getNamedAttr("pure", b.getBoolAttr(false)),
               b.getNamedAttr("packed_element", b.getI32IntegerAttr(1))});
}

/* Puts another operation in the place of one that the release lacks, where there is one of the same meaning. */
static bool replaceMissing(Operation *op, unsigned release)
{
    if (release < 309 && isa<tt::GridDependencyWaitOp>(op))
        replaceByAsm(op, "griddepcontrol.wait");
    else if (release < 309 && isa<tt::GridDependencyLaunchOp>(op))
        replaceByAsm(op, "griddepcontrol.launch_dependents");
    else if (release < 309 && isa<tt::ApproxDivFOp>(op))
        replaceBy(op, "arith.divf", op->getResultTypes());
    else if ((release < 307 && isa<ttg::BarrierOp>(op)) || (release > 306 && isa<ttg::LocalBarrierOp>(op)))
        replaceBy(op, "gpu.barrier");
    else
        return false;
    return true;
}

/* 3.9 has one attribute for how an access treats caches; AMD's copies between memories have the modifier alone. */
static void joinCachePolicy(Operation *op)
{
    if (isa<amdg::BufferLoadToLocalOp, amdg::AsyncCopyLocalToGlobalOp>(op))
        return; /* they print it themselves, in their middle */
    bool evicts = op->isRegistered() && llvm::is_contained(op->getRegisteredInfo()->getAttributeNames(), "evict");
    if (!evicts && !isa<amdg::BufferLoadOp, amdg::BufferStoreOp>(op))
        return;
    auto cache = op->getAttrOfType<tt::CacheModifierAttr>("cache");
    auto evict = op->getAttrOfType<tt::EvictionPolicyAttr>("evict");
    auto modifier = cache ? cache.getValue() : tt::CacheModifier::NONE;
    auto policy = evict ? evict.getValue() : tt::EvictionPolicy::NORMAL;
    if (modifier == tt::CacheModifier::NONE && policy == tt::EvictionPolicy::NORMAL)
        return;
    MLIRContext *context = op->getContext();
    std::string text = ("cache_policy<cache_modifier = " + tt::stringifyCacheModifier(modifier) +
                        ", eviction_policy = " + tt::stringifyEvictionPolicy(policy) + ">").str();
    op->setAttr("cache", tt::CacheModifierAttr::get(context, tt::CacheModifier::NONE));
    if (evicts)
        op->setAttr("evict", tt::EvictionPolicyAttr::get(context, tt::EvictionPolicy::NORMAL));
    op->setDiscardableAttr("cachePolicy",
                           OpaqueAttr::get(StringAttr::get(context, "tt"), text, NoneType::get(context)));
}

static bool isLayoutIn(Attribute layout, unsigned release)
{
    for (; layout; layout = layoutParent(layout)) {
        tri_encoding fields;
        ArrayRef<int32_t> words = layoutWords(layout);
        tri_encoding_words_read(words.data(), words.size(), &fields);
        if (!words.empty() && !tri_encoding_text_is_in(&fields, release))
            return false;
    }
    return true;
}

static LogicalResult checkType(Operation *op, Type type, unsigned release)
{
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (auto ptr = dyn_cast<tt::PtrType>(tensor ? tensor.getElementType() : type))
        if (release > 308 && ptr.getSpace() != 1)
            return op->emitError() << nameOf(release) << " has no pointers like " << type;
    if (release < 307 && isa<ttng::TensorDescIm2ColType>(type))
        return op->emitError() << nameOf(release) << " has no descriptors like " << type;
    if (!isLayoutIn(encodingOf(type), release))
        return op->emitError() << nameOf(release) << " has no layouts like " << encodingOf(type);
    return success();
}

static LogicalResult checkOperation(Operation *op, unsigned release)
{
    for (auto &row : changing)
        if (op->getName().getStringRef() == row.name && (release < row.since || release > row.until))
            return op->emitError("'") << row.name << "' is not an operation of " << nameOf(release);
    for (Type type : op->getResultTypes())
        if (failed(checkType(op, type, release)))
            return failure();
    for (Region &region : op->getRegions())
        for (Block &block : region)
            for (Type type : block.getArgumentTypes())
                if (failed(checkType(op, type, release)))
                    return failure();
    return success();
}

} // namespace tri

MlirModule tri_island_respell(MlirModule module, unsigned release)
{
    ModuleOp copy = cast<ModuleOp>(unwrap(module)->clone());
    copy.getContext()->getOrLoadDialect("gpu");
    SmallVector<Operation *> ops;
    LogicalResult result = success();
    copy.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
        if (tri::replaceMissing(op, release))
            continue;
        if (failed(tri::checkOperation(op, release)))
            result = failure();
        if (release > 308)
            tri::joinCachePolicy(op);
    }
    if (failed(result)) {
        copy->erase();
        return {nullptr};
    }
    copy.getContext()->getLoadedDialect<tri::tt::TTDialect>()->release = release;
    return wrap(copy);
}

void tri_island_respell_end(MlirModule copy)
{
    unwrap(copy).getContext()->getLoadedDialect<tri::tt::TTDialect>()->release = 0;
    unwrap(copy)->erase();
}
