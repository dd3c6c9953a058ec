/* The dialects in C++: every class that mlir-tblgen makes, and what their definitions call. It is
 * precompiled; only ir/<name>.cpp includes it. Layout logic is C (ir/encoding_*.h). */
#ifndef TRI_IR_DIALECTS_H
#define TRI_IR_DIALECTS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

extern "C" {
#include "layout/linear.h"
}

namespace tri {

namespace ttg {
class MemDescType;
}

struct GlobalMemory : mlir::SideEffects::Resource::Base<GlobalMemory> {
    llvm::StringRef getName() final { return "<GlobalMemory>"; }
};
struct SharedMemory : mlir::SideEffects::Resource::Base<SharedMemory> {
    llvm::StringRef getName() final { return "<SharedMemory>"; }
};
struct TensorMemory : mlir::SideEffects::Resource::Base<TensorMemory> {
    llvm::StringRef getName() final { return "<TensorMemory>"; }
};
struct L2Cache : mlir::SideEffects::Resource::Base<L2Cache> {
    llvm::StringRef getName() final { return "<L2Cache>"; }
};

namespace ttig {
/* !tt.ptr to an element of the tensor, in local memory. */
mlir::Type localPointerTo(mlir::Type tensor);
} // namespace ttig

namespace gen {
/* A pointer of the llvm dialect, to this address space (below 0: any). */
bool isPointer(mlir::Type type, int space = -1);
mlir::Type localPointer(mlir::MLIRContext *context);
} // namespace gen

/* Type helpers of the op definitions. */
bool isTensorDesc(mlir::Type type);
mlir::RankedTensorType blockOfDesc(mlir::Type type, bool signless);
/* `<64x32xf16, #layout>`; older text wraps the block in tensor<>. Null after a report. */
mlir::RankedTensorType parseDescBlock(mlir::AsmParser &parser);
void printDescBlock(mlir::AsmPrinter &printer, mlir::RankedTensorType block);
llvm::LogicalResult verifyDescBlock(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                                    mlir::RankedTensorType block);
mlir::Type pointeeOf(mlir::Type pointerLike);
/* A pointer to a number; one to a block of a tensor; and the first that belongs to the second. */
bool isElementPtr(mlir::Type type);
bool isBlockPtr(mlir::Type type);
mlir::Type elementPtrOf(mlir::Type blockPtr);

/* What releases of Triton write otherwise (ir/releases.cpp). The fields between <{ and }> of the generic
 * form as an operation here has them; null after a report, which names a field that it has not. */
mlir::DictionaryAttr knownFields(mlir::Attribute written, llvm::StringRef op, llvm::ArrayRef<llvm::StringRef> names,
                                 llvm::function_ref<mlir::InFlightDiagnostic()> emitError);
/* Brings a module that was just parsed to the form that passes know. */
llvm::LogicalResult upgradeRelease(mlir::Operation *module);
mlir::Attribute parseCachePolicy(mlir::DialectAsmParser &parser);
/* The release as which types and attributes are being printed: 306 is 3.6; 0: ours. */
unsigned releaseOf(mlir::MLIRContext *context);
inline bool printsBefore308(mlir::MLIRContext *context)
{
    unsigned release = releaseOf(context);
    return release && release < 308;
}

void registerRocdlDialect(mlir::DialectRegistry &registry);
void registerGpuDialect(mlir::DialectRegistry &registry);
/* Dialects under the names that they had before Triton 3.3, which read as today's; attributes are renamed after. */
void registerOlderDialects(mlir::DialectRegistry &registry);
void renameOlder(mlir::Operation *module);
mlir::Type maskOf(mlir::Type shaped);
/* Pointer to an element of a tensor; i32 in its shape and layout. */
mlir::Type pointerToElementOf(mlir::Type shaped);
mlir::Type offsetsOf(mlir::Type shaped);
unsigned bitsOf(mlir::Type element);
mlir::Attribute encodingOf(mlir::Type type);
inline bool isPowerOfTwo(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

/* Inferred and written types agree but for layouts that are spelled differently. */
bool compatibleTypes(mlir::TypeRange inferred, mlir::TypeRange written);

/* The same, whatever the layouts. */
bool compatibleShapes(mlir::TypeRange inferred, mlir::TypeRange written);

/* Launch shape in force at an op; a field is 0 where no attribute says. */
struct LaunchShape {
    int numWarps, threadsPerWarp, numCtas;
};
LaunchShape launchShapeAt(mlir::Operation *op);

/* What the traits check. */
llvm::LogicalResult verifyTensors(mlir::Operation *op);
llvm::LogicalResult verifySameShapeAndLayout(mlir::Operation *op);
llvm::LogicalResult verifySameLayout(mlir::Operation *op, bool operandsOnly);

template <typename Op> struct TensorsAreLegal : mlir::OpTrait::TraitBase<Op, TensorsAreLegal> {
    static llvm::LogicalResult verifyTrait(mlir::Operation *op) { return verifyTensors(op); }
};
template <typename Op> struct SameShapeAndLayout : mlir::OpTrait::TraitBase<Op, SameShapeAndLayout> {
    static llvm::LogicalResult verifyTrait(mlir::Operation *op) { return verifySameShapeAndLayout(op); }
};
template <typename Op> struct SameLayout : mlir::OpTrait::TraitBase<Op, SameLayout> {
    static llvm::LogicalResult verifyTrait(mlir::Operation *op) { return verifySameLayout(op, false); }
};
template <typename Op> struct AnyLayout : mlir::OpTrait::TraitBase<Op, AnyLayout> {};
template <typename Op> struct LayoutsMayDiffer : mlir::OpTrait::TraitBase<Op, LayoutsMayDiffer> {};
template <typename Op> struct SameLayoutOfOperands : mlir::OpTrait::TraitBase<Op, SameLayoutOfOperands> {
    static llvm::LogicalResult verifyTrait(mlir::Operation *op) { return verifySameLayout(op, true); }
};

/* Layout attributes of any dialect (ir/layouts.cpp). A class has `kind`, getWords and getParent. */
using Words = llvm::SmallVector<int32_t, 32>;
bool parseLayoutFields(mlir::AsmParser &parser, tri_encoding_kind kind, Words &words, mlir::Attribute &parent);
/* The layout that has these fields; null after a report. */
mlir::Attribute makeLayoutOf(mlir::AsmParser &parser, llvm::SMLoc at, tri_encoding_kind kind,
                             mlir::DictionaryAttr fields);
void printLayoutFields(mlir::AsmPrinter &printer, llvm::ArrayRef<int32_t> words, mlir::Attribute parent,
                       unsigned release);
llvm::LogicalResult verifyLayout(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                                 llvm::ArrayRef<int32_t> words, mlir::Attribute parent);
bool isLayout(mlir::Attribute attr);
bool isDistributedLayout(mlir::Attribute attr);
/* Empty and null for other attributes. */
llvm::ArrayRef<int32_t> layoutWords(mlir::Attribute attr);
mlir::Attribute layoutParent(mlir::Attribute attr);
mlir::Attribute makeLayout(mlir::MLIRContext *context, tri_encoding_kind kind, llvm::ArrayRef<int32_t> words,
                           mlir::Attribute parent);
tri_encoding_kind layoutKind(mlir::Attribute attr);
int layoutRank(mlir::Attribute attr);

template <typename Attr> mlir::Attribute parseLayout(mlir::AsmParser &parser)
{
    Words words;
    mlir::Attribute parent;
    llvm::SMLoc at = parser.getCurrentLocation();
    if (!parseLayoutFields(parser, Attr::kind, words, parent))
        return {};
    return Attr::getChecked([&] { return parser.emitError(at); }, parser.getContext(), words, parent);
}
template <typename Attr> void printLayout(Attr attr, mlir::AsmPrinter &printer)
{
    printLayoutFields(printer, attr.getWords(), attr.getParent(), releaseOf(attr.getContext()));
}

/* Layouts of the results of shape operations (ir/analysis/infer.h). `src` must not be null. */
llvm::LogicalResult inferReduce(mlir::Attribute src, int axis, int rank, mlir::Attribute &result);
llvm::LogicalResult inferExpandDims(mlir::Attribute src, int axis, mlir::Attribute &result);
llvm::LogicalResult inferTrans(mlir::Attribute src, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int32_t> order,
                               mlir::Attribute &result);
llvm::LogicalResult inferJoin(mlir::Attribute src, llvm::ArrayRef<int64_t> shape, mlir::Attribute &result);
llvm::LogicalResult inferSplit(mlir::Attribute src, llvm::ArrayRef<int64_t> shape, mlir::Attribute &result);
/* Whether `pair`, on `shape` (last dimension: 2), is `half` with both elements in one thread. */
bool joinsTo(mlir::Attribute half, mlir::Attribute pair, llvm::ArrayRef<int64_t> shape);
/* Same map from threads to elements, on this shape. */
bool sameLayout(mlir::Attribute a, mlir::Attribute b, llvm::ArrayRef<int64_t> shape);
/* Registers of a thread that hold different elements; 0 without a layout of registers. */
int64_t registersOf(mlir::RankedTensorType type);
/* Whether the sides of a view in any order are spread over registers, lanes and warps differently. */
bool isExpensiveView(mlir::RankedTensorType from, mlir::RankedTensorType to);
/* Whether a reshape from one to the other keeps every element in its thread and register. */
bool reshapeIsNoMove(mlir::Attribute src, llvm::ArrayRef<int64_t> srcShape, mlir::Attribute dst,
                     llvm::ArrayRef<int64_t> dstShape);
/* Whether `to` lays a buffer out so that element order-permuted, or row-major, indices stay where
 * they are in `from`. */
bool sameTransposedBuffer(mlir::Attribute from, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int32_t> order,
                          mlir::Attribute to);
bool sameReshapedBuffer(mlir::Attribute from, llvm::ArrayRef<int64_t> fromShape, mlir::Attribute to,
                        llvm::ArrayRef<int64_t> toShape);
/* Why a part of a buffer that begins at a multiple of its own size cannot be told by an offset
 * alone; null when it can. `shape` is the whole buffer's. */
const char *whyNotPart(mlir::Attribute layout, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> part);
/* CTAs of a cluster that a layout counts, as bits; and how many of those bits hold nothing new. */
int clusterBits(mlir::Attribute layout);
int sharedClusterBits(mlir::Attribute layout, llvm::ArrayRef<int64_t> shape);
/* Why `to` cannot be read at the beginning of `from`, which has bytes enough; null when it can. */
const char *whyNotReinterpreted(ttg::MemDescType from, ttg::MemDescType to);
/* Is the view a part of a buffer, in one CTA or another by where it begins? */
bool isPartBetweenCtas(ttg::MemDescType type);
/* Is there, in the rows of this view of tensor memory, no run of so many bits of its own? */
bool hasNarrowRows(ttg::MemDescType type, int64_t bits);
/* Elements of the buffer that lie in a row and that a thread has in registers in a row. */
int64_t elementsInARow(mlir::RankedTensorType tensor, ttg::MemDescType buffer);
/* Does every value stay in its warp? False for what has no such layout. */
bool staysInWarp(mlir::RankedTensorType from, mlir::RankedTensorType to);
/* Has every thread the same elements, in whatever order? */
bool sameThreads(mlir::RankedTensorType a, mlir::RankedTensorType b);
/* Layout of the result of ttg.fp4_to_fp. */
llvm::LogicalResult inferFp4(mlir::Operation *op, mlir::Attribute src, mlir::Attribute &result);
/* Of what is two to a byte along a dimension, when each thread takes its bytes apart. */
llvm::LogicalResult inferUnpacked(mlir::Value bytes, int axis, mlir::Attribute &result);
/* Register values of each thread that differ. */
int64_t distinctRegisters(mlir::RankedTensorType tensor);
/* What a tensor's layout does, as bases of its inputs (layout/linear.h); false when it has none. */
bool linearOf(mlir::RankedTensorType tensor, tri_linear *out);
} // namespace tri

#include "ir/tt_dialect.h.inc"
#include "ir/tt_enums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/tt_types.h.inc"

#include "ir/ttg_dialect.h.inc"
#include "ir/ttg_enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/ttg_attrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/ttg_types.h.inc"

#include "ir/ttng_dialect.h.inc"
#include "ir/ttng_enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/ttng_attrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/ttng_types.h.inc"

#include "ir/nvws_dialect.h.inc"
#include "ir/nvws_enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/nvws_attrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/nvws_types.h.inc"

#include "ir/ttig_dialect.h.inc"
#include "ir/ttig_enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/ttig_attrs.h.inc"

#include "ir/amdg_dialect.h.inc"

#include "ir/triton_gen_dialect.h.inc"
#include "ir/triton_gen_enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/triton_gen_attrs.h.inc"

#define GET_OP_CLASSES
#include "ir/tt_ops.h.inc"
#define GET_OP_CLASSES
#include "ir/ttg_ops.h.inc"
#define GET_OP_CLASSES
#include "ir/ttng_ops.h.inc"
#define GET_OP_CLASSES
#include "ir/nvws_ops.h.inc"
#define GET_OP_CLASSES
#include "ir/ttig_ops.h.inc"
#define GET_OP_CLASSES
#include "ir/amdg_ops.h.inc"
#define GET_OP_CLASSES
#include "ir/triton_gen_ops.h.inc"

namespace tri::ttng {
/* An i64 in shared memory for each CTA, or group of CTAs, that has its own barrier. */
llvm::LogicalResult verifyBarrier(mlir::Operation *op, ttg::MemDescType type);
/* A barrier that every CTA has for itself, as the end of work of the tensor cores needs it. */
llvm::LogicalResult verifyCompletionBarrier(mlir::Operation *op, ttg::MemDescType type);
} // namespace tri::ttng

#endif
