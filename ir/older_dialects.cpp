/* What dialects were called before Triton 3.3: triton_gpu, triton_nvidia_gpu and triton_intel_gpu are ttg, ttng and
 * ttig. Their attributes, types and operations are read by those dialects' own parsers, and never printed; attributes
 * with their names are renamed right after parsing. What changed besides its name is brought to today's form here. */
#include "ir/dialects.h"

extern "C" {
#include "ir/machines.h"
}

using namespace mlir;

namespace {

struct Rename {
    StringRef older, now;
};

constexpr Rename dialects[] = {{"triton_gpu", "ttg"}, {"triton_nvidia_gpu", "ttng"}, {"triton_intel_gpu", "ttig"}};

/* Attributes of modules that have another name beyond the dialect's. */
constexpr Rename facts[] = {
    {"triton_intel_gpu.support_sg_2d_block", "ttig.support_2d_block_io"},
    {"triton_intel_gpu.support_dpas", "ttig.support_subgroup_matrix_multiply_accumulate"},
    {"triton_intel_gpu.support_bf16_conversion", "ttig.support_bfloat16_conversion"},
};

/* ---- layouts ---- */

/* `shared` with a leading offset is what tensor cores read: the swizzle in bytes follows from its phases. */
Attribute makeShared(AsmParser &parser, llvm::SMLoc at, DictionaryAttr fields)
{
    NamedAttrList now(fields);
    Attribute isLeading = now.erase("hasLeadingOffset");
    auto number = [&](StringRef name) {
        auto value = fields.getAs<IntegerAttr>(name);
        return value ? value.getInt() : 0;
    };
    if (auto flag = dyn_cast_or_null<BoolAttr>(isLeading); !flag || !flag.getValue())
        return tri::makeLayoutOf(parser, at, TRI_ENC_SWIZZLED_SHARED, now.getDictionary(parser.getContext()));
    auto order = fields.getAs<ArrayAttr>("order");
    auto fastest = order && !order.empty() ? dyn_cast<IntegerAttr>(order[0]) : IntegerAttr();
    int64_t vec = number("vec"), bytes = number("maxPhase") * 16;
    if (!fastest || order.size() != 2 || vec < 1)
        return parser.emitError(at, "a leading offset needs 'vec' and an 'order' of two dimensions"), Attribute();
    Builder b(parser.getContext());
    for (StringRef name : {"vec", "perPhase", "maxPhase", "order"})
        now.erase(name);
    now.set("swizzlingByteWidth", b.getI32IntegerAttr(bytes > 16 ? bytes : 0));
    now.set("transposed", b.getBoolAttr(fastest.getInt() == 0));
    now.set("elementBitWidth", b.getI32IntegerAttr(128 / vec));
    return tri::makeLayoutOf(parser, at, TRI_ENC_NVMMA_SHARED, now.getDictionary(parser.getContext()));
}

/* Operands of Intel's matrix unit had one kWidth. */
Attribute makeOperand(AsmParser &parser, llvm::SMLoc at, DictionaryAttr fields)
{
    constexpr int opsWord = 5; /* kind, rank, repeatCount, depth, size */
    NamedAttrList now(fields);
    auto parent = dyn_cast_or_null<tri::ttig::DpasEncodingAttr>(fields.get("parent"));
    if (auto index = fields.getAs<IntegerAttr>("opIdx"); parent && index) {
        int32_t each = parent.getWords()[opsWord];
        bool isWhole = index.getInt() || each == 1;
        now.set("kWidth", Builder(parser.getContext()).getI32IntegerAttr(isWhole ? each : each / 2));
    }
    return tri::makeLayoutOf(parser, at, TRI_ENC_DOT_OP, now.getDictionary(parser.getContext()));
}

Attribute makeMma(AsmParser &parser, llvm::SMLoc at, DictionaryAttr fields)
{
    return tri::makeLayoutOf(parser, at, TRI_ENC_NVIDIA_MMA, fields);
}

using Maker = Attribute (*)(AsmParser &, llvm::SMLoc, DictionaryAttr);

/* Those that today's parsers do not read as they stand. */
Maker findMaker(StringRef spec)
{
    return spec.starts_with("shared<") ? makeShared
           : spec.starts_with("dot_op<") ? makeOperand
           : spec.starts_with("mma<") ? makeMma
                                      : nullptr;
}

/* ---- dialects ---- */

StringRef ourName(StringRef older)
{
    for (const Rename &row : dialects)
        if (older == row.older)
            return row.now;
    return older;
}

std::optional<RegisteredOperationName> findOperation(StringRef older, MLIRContext *context)
{
    auto [dialect, rest] = older.split('.');
    return RegisteredOperationName::lookup((ourName(dialect) + "." + rest).str(), context);
}

ParseResult parseOperation(OpAsmParser &parser, OperationState &state)
{
    RegisteredOperationName ours = *findOperation(state.name.getStringRef(), parser.getContext());
    state.name = ours;
    return ours.getParseAssemblyFn()(parser, state);
}

class Older : public Dialect {
public:
    Attribute parseAttribute(DialectAsmParser &parser, Type type) const override
    {
        Maker make = findMaker(parser.getFullSymbolSpec());
        if (!make)
            return getOurs()->parseAttribute(parser, type);
        StringRef kind;
        DictionaryAttr fields;
        llvm::SMLoc at = parser.getCurrentLocation();
        if (parser.parseKeyword(&kind) || parser.parseLess() || parser.parseAttribute(fields) || parser.parseGreater())
            return {};
        return make(parser, at, fields);
    }
    Type parseType(DialectAsmParser &parser) const override { return getOurs()->parseType(parser); }
    std::optional<ParseOpHook> getParseOperationHook(StringRef name) const override
    {
        if (!findOperation(name, getContext()))
            return std::nullopt;
        return ParseOpHook(parseOperation);
    }

protected:
    Older(StringRef older, StringRef now, MLIRContext *context, TypeID id) : Dialect(older, context, id), now(now) {}

private:
    Dialect *getOurs() const { return getContext()->getOrLoadDialect(now); }

    StringRef now;
};

template <unsigned row> class OlderDialect : public Older {
public:
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OlderDialect)
    explicit OlderDialect(MLIRContext *context)
        : Older(dialects[row].older, dialects[row].now, context, TypeID::get<OlderDialect>())
    {
    }
    static StringRef getDialectNamespace() { return dialects[row].older; }
};

StringAttr renamed(StringAttr name)
{
    for (const Rename &fact : facts)
        if (name == fact.older)
            return StringAttr::get(name.getContext(), fact.now);
    auto [dialect, rest] = name.getValue().split('.');
    return StringAttr::get(name.getContext(), rest.empty() ? dialect : ourName(dialect) + "." + rest);
}

/* Before there were names of machines. */
void nameMachine(Operation *op)
{
    constexpr StringRef capabilityName = "ttg.compute-capability", targetName = "ttg.target";
    auto capability = op->getAttrOfType<IntegerAttr>(capabilityName);
    if (!capability)
        return;
    std::string name = "sm_" + std::to_string(capability.getInt());
    const tri_machine_facts *machine = tri_machines_named(tri_str_from(name.c_str()));
    if (machine && !op->hasAttr(targetName))
        op->setDiscardableAttr(targetName, StringAttr::get(op->getContext(), machine->ttg_target));
    op->removeDiscardableAttr(capabilityName);
}

} // namespace

void tri::registerOlderDialects(DialectRegistry &registry)
{
    registry.insert<OlderDialect<0>, OlderDialect<1>, OlderDialect<2>>();
}

void tri::renameOlder(Operation *module)
{
    MLIRContext *context = module->getContext();
    if (llvm::none_of(dialects, [&](const Rename &row) { return context->getLoadedDialect(row.older); }))
        return;
    module->walk([&](Operation *op) {
        for (NamedAttribute attr : llvm::to_vector(op->getDiscardableAttrs())) {
            StringAttr name = renamed(attr.getName());
            if (name == attr.getName())
                continue;
            op->removeDiscardableAttr(attr.getName());
            op->setDiscardableAttr(name, attr.getValue());
        }
        nameMachine(op);
    });
}
