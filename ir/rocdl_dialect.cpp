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

/* Integers of so many bits behind its name, then attributes. Triton 3.9 writes a mask of nothing as `none`. */
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
            if (i && parser.parseComma())
                return failure();
            if (field == Names::mask && succeeded(parser.parseOptionalKeyword("none")))
                state.addAttribute(field, IntegerAttr::get(type, 0));
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
            if (hasWords && field == Names::mask && value == 0)
                printer << "none";
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
