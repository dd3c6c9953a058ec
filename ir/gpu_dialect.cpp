/* gpu: the one operation of MLIR's dialect of that name that Triton's text has. By hand, as that
 * dialect would bring ninety others. */
#include "ir/dialects.h"

using namespace mlir;

namespace {

/* `gpu.barrier`: every thread of the block waits for the others; all memory is in order after it. */
class GpuBarrierOp : public Op<GpuBarrierOp, OpTrait::ZeroOperands, OpTrait::ZeroResults, OpTrait::ZeroRegions,
                               OpTrait::ZeroSuccessors> {
public:
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(GpuBarrierOp)
    using Op::Op;
    static StringRef getOperationName() { return "gpu.barrier"; }
    static ArrayRef<StringRef> getAttributeNames() { return {}; }
    static ParseResult parse(OpAsmParser &parser, OperationState &state)
    {
        return parser.parseOptionalAttrDict(state.attributes);
    }
    void print(OpAsmPrinter &printer) { printer.printOptionalAttrDict((*this)->getAttrs()); }
};

class GpuDialect : public Dialect {
public:
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(GpuDialect)
    explicit GpuDialect(MLIRContext *context) : Dialect(getDialectNamespace(), context, TypeID::get<GpuDialect>())
    {
        addOperations<GpuBarrierOp>();
    }
    static StringRef getDialectNamespace() { return "gpu"; }
};

} // namespace

void tri::registerGpuDialect(DialectRegistry &registry) { registry.insert<GpuDialect>(); }
