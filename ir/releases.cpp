/* What releases of Triton write otherwise than we do, on the way in. Our own spelling is that of 3.8; text of 3.6 to
 * 3.9 is brought to it right after it was parsed, before it is verified. Old syntax within one operation or type is
 * accepted by its own parser, old fields of layouts by encoding_text.c. The way out is respell.cpp. */
#include "ir/dialects.h"

using namespace mlir;

namespace tri {

static const StringRef cachePolicy = "cachePolicy";

/* `#tt.cache_policy<cache_modifier = cg, eviction_policy = evict_first>` of 3.9, as what loads and stores have. */
Attribute parseCachePolicy(DialectAsmParser &parser)
{
    StringRef kind, cache, evict;
    llvm::SMLoc at = parser.getCurrentLocation();
    if (parser.parseKeyword(&kind))
        return {};
    if (kind != "cache_policy")
        return parser.emitError(at, "unknown attribute '") << kind << "' in dialect 'tt'", Attribute();
    if (parser.parseLess() || parser.parseKeyword("cache_modifier") || parser.parseEqual() ||
        parser.parseKeyword(&cache) || parser.parseComma() || parser.parseKeyword("eviction_policy") ||
        parser.parseEqual() || parser.parseKeyword(&evict) || parser.parseGreater())
        return {};
    std::optional<tt::CacheModifier> modifier = tt::symbolizeCacheModifier(cache);
    std::optional<tt::EvictionPolicy> policy = tt::symbolizeEvictionPolicy(evict);
    if (!modifier || !policy)
        return parser.emitError(at, "unknown cache policy '") << (modifier ? evict : cache) << "'", Attribute();
    MLIRContext *context = parser.getContext();
    return parser.getBuilder().getDictionaryAttr(
        {NamedAttribute(StringAttr::get(context, "cache"), tt::CacheModifierAttr::get(context, *modifier)),
         NamedAttribute(StringAttr::get(context, "evict"), tt::EvictionPolicyAttr::get(context, *policy))});
}

/* Fields whose names changed: what each release calls them in <{...}>. */
static StringRef renamedField(StringRef op, StringRef field)
{
    if (op == "ttng.tmem_subslice" && field == "N")
        return "offset";
    return field;
}

/* What 3.7 alone has, with the value that says nothing. */
static bool isNoise(StringRef op, NamedAttribute field)
{
    auto text = dyn_cast<StringAttr>(field.getValue());
    return op == "ttg.global_scratch_alloc" && field.getName() == "backend" && text && text.getValue() == "default";
}

/* Attributes without a dialect's name that upstream's passes put on operations (an empty `op` is any), and two
 * that its tests still have though nothing reads them. They are kept. */
static bool isMark(StringRef op, StringRef attr)
{
    static const struct {
        StringRef op, attr;
    } marks[] = {
        {"", "async_task_id"},
        {"tt.func", "noinline"},
        {"tt.call", "noinline"},
        {"ttng.tmem_alloc", "tensor_memory_col_offset"},
        {"ttng.tmem_alloc", "tensor_memory_row_offset"},
        {"tt.broadcast", "axis"},
        {"tt.make_tensor_descriptor", "order"},
        {"tt.dot_scaled", "pingpong_2step"},
    };
    return llvm::any_of(marks, [&](auto &row) { return row.attr == attr && (row.op.empty() || row.op == op); });
}

DictionaryAttr knownFields(Attribute written, StringRef op, ArrayRef<StringRef> names,
                           function_ref<InFlightDiagnostic()> emitError)
{
    auto fields = dyn_cast<DictionaryAttr>(written);
    if (!fields)
        return emitError() << "expected DictionaryAttr to set properties", DictionaryAttr();
    NamedAttrList known;
    for (NamedAttribute field : fields) {
        auto policy = dyn_cast<DictionaryAttr>(field.getValue());
        if (field.getName() == cachePolicy && policy && llvm::is_contained(names, "cache")) {
            for (NamedAttribute part : policy)
                if (llvm::is_contained(names, part.getName().getValue()))
                    known.push_back(part);
            continue;
        }
        if (isNoise(op, field))
            continue;
        StringRef name = renamedField(op, field.getName());
        if (!llvm::is_contained(names, name) && !name.contains("egmentSizes") && !name.ends_with("_segment_sizes"))
            return emitError() << "'" << op << "' has no attribute '" << name
                               << "'; it is unknown, or of another version of Triton",
                   DictionaryAttr();
        known.set(name, field.getValue());
    }
    return known.getDictionary(fields.getContext());
}

/* Operations that had no optional operands or results in 3.6, whose generic form then has no sizes of segments. */
static void sizeSegments(Operation *op)
{
    auto none = [](ArrayRef<int32_t> sizes) { return llvm::all_of(sizes, [](int32_t n) { return n == 0; }); };
    auto n = (int32_t)op->getNumOperands();
    if (auto copy = dyn_cast<ttng::AsyncTMACopyGlobalToLocalOp>(op)) {
        if (none(copy.getProperties().operandSegmentSizes) && n >= 5)
            copy.getProperties().operandSegmentSizes = {1, n - 4, 0, 1, 1, 1};
    } else if (auto commit = dyn_cast<ttng::TCGen5CommitOp>(op)) {
        if (none(commit.getProperties().operandSegmentSizes) && (n == 1 || n == 2))
            commit.getProperties().operandSegmentSizes = {1, n - 1, 0};
    } else if (auto load = dyn_cast<ttng::TMEMLoadOp>(op)) {
        auto results = (int32_t)op->getNumResults();
        if (none(load.getProperties().resultSegmentSizes) && (results == 1 || results == 2))
            load.getProperties().resultSegmentSizes = {1, results - 1, 0};
    }
}

/* The generic form of 3.7 and newer gives what partitions capture to the op that holds them. */
static void moveCaptures(ttg::WarpSpecializePartitionsOp holder)
{
    auto parent = dyn_cast_or_null<ttg::WarpSpecializeOp>(holder->getParentOp());
    if (!parent || !holder->getNumOperands())
        return;
    parent->insertOperands(parent->getNumOperands(), holder->getOperands());
    holder->setOperands(ValueRange());
}

/* AMD's buffer operations have no eviction policy. */
static void splitCachePolicy(Operation *op)
{
    auto parts = dyn_cast_or_null<DictionaryAttr>(op->getDiscardableAttr(cachePolicy));
    ArrayRef<StringAttr> names = op->getRegisteredInfo()->getAttributeNames();
    if (!parts || !llvm::is_contained(names, "cache"))
        return;
    op->removeDiscardableAttr(cachePolicy);
    for (NamedAttribute part : parts)
        if (llvm::is_contained(names, part.getName().getValue()))
            op->setAttr(part.getName(), part.getValue());
}

/* Names without a dialect are an operation's own: one that is not known here comes from another version, and
 * may well change what the operation does. */
static LogicalResult checkAttributes(Operation *op)
{
    for (NamedAttribute attr : llvm::to_vector(op->getDiscardableAttrs())) {
        StringRef name = attr.getName();
        if (isNoise(op->getName().getStringRef(), attr)) {
            op->removeDiscardableAttr(name);
            continue;
        }
        if (!name.contains('.') && !isMark(op->getName().getStringRef(), name))
            return op->emitError("'") << op->getName() << "' has no attribute '" << name
                                      << "'; it is unknown, or of another version of Triton";
    }
    return success();
}

LogicalResult upgradeRelease(Operation *module)
{
    LogicalResult result = success();
    renameOlder(module);
    module->walk([&](Operation *op) {
        if (op->isRegistered())
            splitCachePolicy(op);
        if (!isa_and_nonnull<tt::TTDialect, ttg::TTGDialect, ttng::TTNGDialect, amdg::AMDGDialect>(op->getDialect()) ||
            !op->isRegistered())
            return;
        if (failed(checkAttributes(op)))
            result = failure();
        sizeSegments(op);
        if (auto holder = dyn_cast<ttg::WarpSpecializePartitionsOp>(op))
            moveCaptures(holder);
    });
    return result;
}

} // namespace tri
