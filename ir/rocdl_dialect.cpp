/* rocdl: of MLIR's dialect of that name what Triton's passes for AMD's GPUs use: the marks of scheduling passes, and
 * numbers of threads. By hand, as that dialect would bring hundreds of operations. */
#include "ir/dialects.h"

using namespace mlir;

namespace {

struct Names {
    static constexpr char schedBarrier[] = "rocdl.sched.barrier", schedGroupBarrier[] = "rocdl.sched.group.barrier",
                          threadX[] = "rocdl.workitem.id.x", threadY[] = "rocdl.workitem.id.y",
                          threadZ[] = "rocdl.workitem.id.z", iglpOpt[] = "rocdl.iglp.opt",
                          setPriority[] = "rocdl.s.setprio", barrier[] = "rocdl.s.barrier";
    static constexpr char mask[] = "mask", size[] = "size", groupId[] = "groupId", variant[] = "variant",
                          priority[] = "priority";
};

/* What a mask lets pass, bit by bit, as Triton 3.9 writes it: words with bars between them, `none` for no bit. */
constexpr const char *const maskWords[] = {"non_mem_non_sideeffect", "valu",      "salu",       "mfma_wmma",
                                           "all_vmem",               "vmem_read", "vmem_write", "all_ds",
                                           "ds_read",                "ds_write",  "transcendentals"};

/* Success without a value: there is no word here. */
ParseResult parseMaskWords(OpAsmParser &parser, std::optional<int64_t> &mask)
{
    StringRef word;
    if (failed(parser.parseOptionalKeyword(&word)))
        return success();
    mask = 0;
    do {
        const auto *found = llvm::find(maskWords, word);
        if (found == std::end(maskWords) && word != "none")
            return parser.emitError(parser.getCurrentLocation(), "'") << word << "' is no kind of instruction";
        if (found != std::end(maskWords))
            *mask |= int64_t(1) << (found - std::begin(maskWords));
    } while (succeeded(parser.parseOptionalVerticalBar()) && succeeded(parser.parseKeyword(&word)));
    return success();
}

void printMaskWords(OpAsmPrinter &printer, int64_t mask)
{
    if (mask == 0)
        printer << "none";
    for (auto [bit, word] : llvm::enumerate(maskWords))
        if (mask >> bit & 1)
            printer << (mask & ((int64_t(1) << bit) - 1) ? "|" : "") << word;
}

/* Integers of so many bits behind its name, then attributes. */
template <const char *name, unsigned bits, const char *...fields>
class Mark : public Op<Mark<name, bits, fields...>, OpTrait::ZeroOperands, OpTrait::ZeroResults, OpTrait::ZeroRegions,
                       OpTrait::ZeroSuccessors> {
    using Base = Op<Mark<name, bits, fields...>, OpTrait::ZeroOperands, OpTrait::ZeroResults, OpTrait::ZeroRegions,
                    OpTrait::ZeroSuccessors>;

public:
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Mark)
    using Base::Base;
    static StringRef getOperationName() { return name; }
    static ArrayRef<StringRef> getAttributeNames()
    {
        static const SmallVector<StringRef> names = {fields...};
        return names;
    }
    static ParseResult parse(OpAsmParser &parser, OperationState &state)
    {
        Type type = parser.getBuilder().getIntegerType(bits);
        for (auto [i, field] : llvm::enumerate(getAttributeNames())) {
            IntegerAttr value;
            std::optional<int64_t> words;
            if ((i && parser.parseComma()) || (field == Names::mask && parseMaskWords(parser, words)))
                return failure();
            if (words)
                state.addAttribute(field, IntegerAttr::get(type, *words));
            else if (parser.parseAttribute(value, type, field, state.attributes))
                return failure();
        }
        return parser.parseOptionalAttrDict(state.attributes);
    }
    void print(OpAsmPrinter &printer)
    {
        bool hasWords = tri::releaseOf((*this)->getContext()) > 308;
        for (auto [i, field] : llvm::enumerate(getAttributeNames())) {
            int64_t value = (*this)->template getAttrOfType<IntegerAttr>(field).getInt();
            printer << (i ? ", " : " ");
            if (hasWords && field == Names::mask && value >> std::size(maskWords) == 0)
                printMaskWords(printer, value);
            else
                printer << value;
        }
        printer.printOptionalAttrDict((*this)->getAttrs(), getAttributeNames());
    }
    LogicalResult verify()
    {
        for (StringRef field : getAttributeNames())
            if (auto value = (*this)->template getAttrOfType<IntegerAttr>(field); !value)
                return this->emitOpError("needs the integer '") << field << "'";
        return success();
    }
};

/* A number of the thread: `rocdl.workitem.id.x : i32`. */
template <const char *name>
class Number : public Op<Number<name>, OpTrait::ZeroOperands, OpTrait::OneResult, OpTrait::ZeroRegions,
                         OpTrait::ZeroSuccessors, MemoryEffectOpInterface::Trait> {
    using Base = Op<Number<name>, OpTrait::ZeroOperands, OpTrait::OneResult, OpTrait::ZeroRegions,
                    OpTrait::ZeroSuccessors, MemoryEffectOpInterface::Trait>;

public:
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Number)
    using Base::Base;
    static StringRef getOperationName() { return name; }
    static ArrayRef<StringRef> getAttributeNames() { return {}; }
    void getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &) {}
    static ParseResult parse(OpAsmParser &parser, OperationState &state)
    {
        Type type;
        return failure(parser.parseOptionalAttrDict(state.attributes) || parser.parseColonType(type) ||
                       parser.addTypeToList(type, state.types));
    }
    void print(OpAsmPrinter &printer)
    {
        printer.printOptionalAttrDict((*this)->getAttrs());
        printer << " : " << (*this)->getResult(0).getType();
    }
};

class RocdlDialect : public Dialect {
public:
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RocdlDialect)
    explicit RocdlDialect(MLIRContext *context) : Dialect(getDialectNamespace(), context, TypeID::get<RocdlDialect>())
    {
        addOperations<Mark<Names::schedBarrier, 32, Names::mask>,
                      Mark<Names::schedGroupBarrier, 32, Names::mask, Names::size, Names::groupId>,
                      Mark<Names::iglpOpt, 32, Names::variant>, Mark<Names::setPriority, 16, Names::priority>,
                      Mark<Names::barrier, 32>, Number<Names::threadX>, Number<Names::threadY>,
                      Number<Names::threadZ>>();
    }
    static StringRef getDialectNamespace() { return "rocdl"; }
};

} // namespace

void tri::registerRocdlDialect(DialectRegistry &registry) { registry.insert<RocdlDialect>(); }
