/* Checks and helpers on types that several dialects use. */
#include "ir/dialects.h"

extern "C" {
#include "layout/encoding_words.h"
}

using namespace mlir;

namespace tri {

bool isTensorDesc(Type type) { return isa<tt::TensorDescType, ttng::TensorDescIm2ColType>(type); }

RankedTensorType blockOfDesc(Type type, bool signless)
{
    RankedTensorType block;
    if (auto desc = dyn_cast<tt::TensorDescType>(type))
        block = desc.getBlock();
    else
        block = cast<ttng::TensorDescIm2ColType>(type).getBlock();
    auto element = dyn_cast<IntegerType>(block.getElementType());
    if (!signless || !element || element.isSignless())
        return block;
    return RankedTensorType::get(block.getShape(), IntegerType::get(type.getContext(), element.getWidth()),
                                 block.getEncoding());
}

RankedTensorType parseDescBlock(AsmParser &parser)
{
    SmallVector<int64_t> shape;
    Type element;
    Attribute encoding;
    llvm::SMLoc at = parser.getCurrentLocation();
    if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element))
        return {};
    auto wrapped = dyn_cast<RankedTensorType>(element);
    if (wrapped && shape.empty())
        return parser.parseGreater() ? RankedTensorType() : wrapped;
    if (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(encoding))
        return {};
    if (parser.parseGreater())
        return {};
    if (!isa<IntegerType, FloatType>(element)) {
        parser.emitError(at, "the element of a tensor descriptor is an integer or a float, not ") << element;
        return {};
    }
    return RankedTensorType::getChecked([&] { return parser.emitError(at); }, shape, element, encoding);
}

void printDescBlock(AsmPrinter &printer, RankedTensorType block)
{
    if (printsBefore308(block.getContext())) {
        printer << "<" << block << ">";
        return;
    }
    printer << "<";
    printer.printDimensionList(block.getShape());
    if (block.getRank())
        printer << "x";
    printer << block.getElementType();
    if (block.getEncoding())
        printer << ", " << block.getEncoding();
    printer << ">";
}

LogicalResult verifyDescBlock(function_ref<InFlightDiagnostic()> emitError, RankedTensorType block)
{
    if (!isa<IntegerType, FloatType>(block.getElementType()))
        return emitError() << "the element of a tensor descriptor is an integer or a float, not "
                           << block.getElementType();
    if (!block.getRank())
        return emitError() << "the block of a tensor descriptor has at least one dimension, not " << block;
    for (int64_t size : block.getShape())
        if (size < 1)
            return emitError() << "the block of a tensor descriptor has at least one element, not " << block;
    return success();
}

bool isElementPtr(Type type)
{
    auto ptr = dyn_cast<tt::PtrType>(type);
    return ptr && !isa<RankedTensorType>(ptr.getPointee());
}

bool isBlockPtr(Type type) { return isa<tt::PtrType>(type) && !isElementPtr(type); }

Type elementPtrOf(Type blockPtr)
{
    auto ptr = cast<tt::PtrType>(blockPtr);
    return tt::PtrType::get(cast<RankedTensorType>(ptr.getPointee()).getElementType(), ptr.getSpace());
}

Type pointeeOf(Type type)
{
    if (auto ptr = dyn_cast<tt::PtrType>(type))
        return ptr.getPointee();
    auto tensor = dyn_cast<RankedTensorType>(type);
    auto ptr = tensor ? dyn_cast<tt::PtrType>(tensor.getElementType()) : tt::PtrType();
    return ptr ? tensor.clone(ptr.getPointee()) : Type();
}

Type maskOf(Type type)
{
    Type i1 = IntegerType::get(type.getContext(), 1);
    auto tensor = dyn_cast<RankedTensorType>(isBlockPtr(type) ? pointeeOf(type) : type);
    return tensor ? Type(tensor.clone(i1)) : i1;
}

Type pointerToElementOf(Type shaped)
{
    auto tensor = dyn_cast<RankedTensorType>(shaped);
    return tt::PtrType::get(tensor ? tensor.getElementType() : shaped, 1);
}

Type offsetsOf(Type shaped)
{
    Type i32 = IntegerType::get(shaped.getContext(), 32);
    auto tensor = dyn_cast<RankedTensorType>(shaped);
    return tensor ? Type(tensor.clone(i32)) : i32;
}

unsigned bitsOf(Type element)
{
    return isa<tt::PtrType>(element) ? 64 : element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
}

Attribute encodingOf(Type type)
{
    if (auto tensor = dyn_cast<RankedTensorType>(type))
        return tensor.getEncoding();
    if (auto desc = dyn_cast<ttg::MemDescType>(type))
        return desc.getEncoding();
    return {};
}


bool compatibleShapes(TypeRange inferred, TypeRange written)
{
    if (inferred.size() != written.size())
        return false;
    for (auto [a, b] : llvm::zip(inferred, written)) {
        auto left = dyn_cast<RankedTensorType>(a), right = dyn_cast<RankedTensorType>(b);
        if (a != b && (!left || !right || left.getShape() != right.getShape() ||
                       left.getElementType() != right.getElementType() || !left.getEncoding() != !right.getEncoding()))
            return false;
    }
    return true;
}

bool compatibleTypes(TypeRange inferred, TypeRange written)
{
    if (inferred.size() != written.size())
        return false;
    for (auto [a, b] : llvm::zip(inferred, written)) {
        if (a == b)
            continue;
        auto left = dyn_cast<RankedTensorType>(a), right = dyn_cast<RankedTensorType>(b);
        if (!left || !right || left.getShape() != right.getShape() || left.getElementType() != right.getElementType() ||
            !left.getEncoding() || !right.getEncoding() ||
            !sameLayout(left.getEncoding(), right.getEncoding(), left.getShape()))
            return false;
    }
    return true;
}

/* ---- the launch shape in force ---- */

static int intAttr(Operation *op, StringRef name)
{
    auto attr = op->getAttrOfType<IntegerAttr>(name);
    return attr ? (int)attr.getInt() : 0;
}

LaunchShape launchShapeAt(Operation *op)
{
    LaunchShape shape = {};
    Region *inside = nullptr;
    for (Operation *at = op; at; inside = at->getParentRegion(), at = at->getParentOp()) {
        if (at != op && !shape.numWarps)
            if (auto partitions = dyn_cast<ttg::WarpSpecializePartitionsOp>(at))
                if (auto parent = dyn_cast_or_null<ttg::WarpSpecializeOp>(at->getParentOp()))
                    if (inside->getRegionNumber() < parent.getPartitionNumWarps().size())
                        shape.numWarps = parent.getPartitionNumWarps()[inside->getRegionNumber()];
        if (!shape.numWarps && !isa<ModuleOp>(at))
            shape.numWarps = isa<tt::FuncOp>(at) ? intAttr(at, "ttg.num-warps") : 0;
        if (!isa<ModuleOp>(at))
            continue;
        if (!shape.numWarps)
            shape.numWarps = intAttr(at, "ttg.num-warps");
        shape.threadsPerWarp = intAttr(at, "ttg.threads-per-warp");
        shape.numCtas = intAttr(at, "ttg.num-ctas");
        break;
    }
    return shape;
}

/* ---- traits ---- */

static LogicalResult verifyLaunch(Operation *op, RankedTensorType tensor, const LaunchShape &shape)
{
    tri_launch_shape have;
    ArrayRef<int32_t> words = layoutWords(tensor.getEncoding());
    Attribute at = tensor.getEncoding();
    for (Attribute parent = layoutParent(at); parent; parent = layoutParent(at))
        at = parent;
    words = layoutWords(at);
    if (words.empty() || !tri_encoding_words_launch(words.data(), words.size(), &have))
        return success();
    auto check = [&](int is, int must, StringRef what) -> LogicalResult {
        if (!must || is == must)
            return success();
        return op->emitOpError("has a layout for ")
               << is << " " << what << ", but " << must << " are in force: " << tensor;
    };
    if (failed(check(have.lanes, shape.threadsPerWarp, "threads per warp")) ||
        failed(check(have.warps, shape.numWarps, "warps")) || failed(check(have.ctas, shape.numCtas, "CTAs")))
        return failure();
    return success();
}

static LogicalResult verifyBuffer(Operation *op, ttg::MemDescType buffer, LaunchShape *shape, bool *known)
{
    if (!*known)
        *shape = launchShapeAt(op);
    *known = true;
    int have = 1 << clusterBits(buffer.getEncoding());
    if (!shape->numCtas || have == shape->numCtas)
        return success();
    return op->emitOpError("has a layout for ")
           << have << " CTAs, but " << shape->numCtas << " are in force: " << buffer;
}

static LogicalResult verifyTensor(Operation *op, Type type, LaunchShape *shape, bool *known)
{
    constexpr int64_t limit = 1048576;
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (auto buffer = dyn_cast<ttg::MemDescType>(type))
        return verifyBuffer(op, buffer, shape, known);
    if (!tensor)
        return success();
    if (!tensor.hasStaticShape())
        return op->emitOpError("has a tensor without static shape: ") << tensor;
    int64_t count = tensor.getNumElements();
    if (isa<nvws::TokenType>(tensor.getElementType()))
        return success(); /* one for each buffer, of which there may be any number */
    if (!isPowerOfTwo(count))
        return op->emitOpError("number of elements must be a power of two, but ") << tensor << " has " << count;
    if (count > limit)
        return op->emitOpError("maximum allowed number of elements is ")
               << limit << ", but " << tensor << " has " << count;
    Attribute encoding = tensor.getEncoding();
    if (!encoding)
        return success();
    if (!isDistributedLayout(encoding))
        return op->emitOpError("a tensor needs a distributed layout, but has ") << encoding;
    if (layoutRank(encoding) != tensor.getRank())
        return op->emitOpError("layout has rank ") << layoutRank(encoding) << ", but the tensor is " << tensor;
    if (!*known)
        *shape = launchShapeAt(op);
    *known = true;
    return verifyLaunch(op, tensor, *shape);
}

LogicalResult verifyTensors(Operation *op)
{
    LaunchShape shape = {};
    bool known = false;
    for (Type type : op->getOperandTypes())
        if (failed(verifyTensor(op, type, &shape, &known)))
            return failure();
    for (Type type : op->getResultTypes())
        if (failed(verifyTensor(op, type, &shape, &known)))
            return failure();
    return success();
}

LogicalResult verifySameShapeAndLayout(Operation *op)
{
    RankedTensorType first;
    bool sawScalar = false;
    auto check = [&](Type type) -> LogicalResult {
        auto tensor = dyn_cast<RankedTensorType>(isBlockPtr(type) ? pointeeOf(type) : type);
        sawScalar |= !tensor;
        if (tensor && !first)
            first = tensor;
        if (first && sawScalar)
            return op->emitOpError("operands and results must be all scalars or all tensors");
        if (tensor && tensor.getShape() != first.getShape())
            return op->emitOpError("operands and results must have the same shape, but ")
                   << first << " and " << tensor << " differ";
        if (tensor && tensor.getEncoding() != first.getEncoding())
            return op->emitOpError("operands and results must have the same encoding, but ")
                   << first << " and " << tensor << " differ";
        return success();
    };
    for (Type type : op->getOperandTypes())
        if (failed(check(type)))
            return failure();
    for (Type type : op->getResultTypes())
        if (failed(check(type)))
            return failure();
    return success();
}

LogicalResult verifySameLayout(Operation *op, bool operandsOnly)
{
    RankedTensorType first;
    auto check = [&](Type type) -> LogicalResult {
        auto tensor = dyn_cast<RankedTensorType>(type);
        if (tensor && !first)
            first = tensor;
        if (tensor && tensor.getEncoding() != first.getEncoding())
            return op->emitOpError("must have one encoding, but ") << first << " and " << tensor << " differ";
        return success();
    };
    for (Type type : op->getOperandTypes())
        if (failed(check(type)))
            return failure();
    if (operandsOnly)
        return success();
    for (Type type : op->getResultTypes())
        if (failed(check(type)))
            return failure();
    return success();
}

} // namespace tri
