/* The ttg dialect: registration, aliases, buffer types. */
#include "ir/dialects.h"

#include "mlir/IR/TensorEncoding.h"

extern "C" {
#include "layout/encoding_words.h"
}

using namespace mlir;
using namespace tri::ttg;

#include "ir/ttg_dialect.cpp.inc"
#include "ir/ttg_enums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/ttg_attrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/ttg_types.cpp.inc"

namespace {

struct AsmAliases : OpAsmDialectInterface {
    using OpAsmDialectInterface::OpAsmDialectInterface;

    AliasResult getAlias(Attribute attr, raw_ostream &os) const override
    {
        if (isa<SharedMemorySpaceAttr>(attr)) {
            os << "smem";
            return AliasResult::FinalAlias;
        }
        switch (tri::layoutKind(attr)) {
        case TRI_ENC_BLOCKED:
            os << "blocked";
            return AliasResult::FinalAlias;
        case TRI_ENC_LINEAR:
        case TRI_ENC_GENERIC_LINEAR:
            os << "linear";
            return AliasResult::FinalAlias;
        case TRI_ENC_NVIDIA_MMA:
        case TRI_ENC_AMD_MFMA:
        case TRI_ENC_AMD_WMMA:
            os << "mma";
            return AliasResult::FinalAlias;
        case TRI_ENC_SWIZZLED_SHARED:
        case TRI_ENC_NVMMA_SHARED:
        case TRI_ENC_PADDED_SHARED:
        case TRI_ENC_SHARED_LINEAR:
        case TRI_ENC_PARTITIONED_SHARED:
        case TRI_ENC_AMD_ROTATING_SHARED:
            os << "shared";
            return AliasResult::FinalAlias;
        default:
            return AliasResult::NoAlias;
        }
    }
};

/* Code inside a kernel may be inlined anywhere. */
struct Inliner : DialectInlinerInterface {
    using DialectInlinerInterface::DialectInlinerInterface;
    bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
    bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};

/* What a layout asks of the block that carries it, wherever its type is read. */
template <typename Layout>
struct OfBlocks : VerifiableTensorEncoding::ExternalModel<OfBlocks<Layout>, Layout> {
    LogicalResult verifyEncoding(Attribute self, ArrayRef<int64_t> shape, Type,
                                 function_ref<InFlightDiagnostic()> emitError) const
    {
        int rank = tri::layoutRank(self);
        if (rank == (int)shape.size())
            return success();
        return emitError() << "the layout has rank " << rank << ", and the block that carries it rank " << shape.size();
    }
};

template <typename... Layouts> void attachToBlocks(MLIRContext *context)
{
    (Layouts::template attachInterface<OfBlocks<Layouts>>(*context), ...);
}

} // namespace

void TTGDialect::initialize()
{
    registerAttributes();
    attachToBlocks<BlockedEncodingAttr, LinearEncodingAttr, GenericLinearEncodingAttr, SliceEncodingAttr,
                   DotOperandEncodingAttr, NvidiaMmaEncodingAttr, AmdMfmaEncodingAttr, AmdWmmaEncodingAttr>(
        getContext());
    registerTypes();
    registerTTGDialectOperations(this);
    addInterfaces<AsmAliases, Inliner>();
}

void TTGDialect::registerAttributes()
{
    addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/ttg_attrs.cpp.inc"
        >();
}

void TTGDialect::registerTypes()
{
    addTypes<
#define GET_TYPEDEF_LIST
#include "ir/ttg_types.cpp.inc"
        >();
}

/* Launch-shape attributes must be positive, and powers of two where threads are dealt out. */
LogicalResult TTGDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr)
{
    StringRef name = attr.getName();
    if (name != "ttg.num-warps" && name != "ttg.threads-per-warp" && name != "ttg.num-ctas")
        return success();
    auto value = dyn_cast<IntegerAttr>(attr.getValue());
    if (!value || !value.getType().isInteger(32) || !tri::isPowerOfTwo(value.getInt()))
        return op->emitOpError("attribute '") << name << "' must be an i32 power of two";
    return success();
}

/* ---- memdesc ---- */

int64_t MemDescType::getNumElements() const
{
    int64_t count = 1;
    for (int64_t size : getShape())
        count *= size;
    return count;
}

bool MemDescType::isSharedMemory() const { return isa<SharedMemorySpaceAttr>(getMemorySpace()); }

Type MemDescType::parse(AsmParser &parser)
{
    SmallVector<int64_t> shape, allocShape;
    Type element;
    Attribute encoding, space;
    bool isMutable = false;
    llvm::SMLoc at = parser.getCurrentLocation();
    if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element) ||
        parser.parseComma() || parser.parseAttribute(encoding) || parser.parseComma() || parser.parseAttribute(space))
        return {};
    if (succeeded(parser.parseOptionalComma())) {
        isMutable = succeeded(parser.parseOptionalKeyword("mutable"));
        bool more = !isMutable || succeeded(parser.parseOptionalComma());
        if (more && parser.parseDimensionList(allocShape, /*allowDynamic=*/false, /*withTrailingX=*/false))
            return {};
    }
    if (parser.parseGreater())
        return {};
    if (allocShape.empty())
        allocShape = shape;
    return MemDescType::getChecked([&] { return parser.emitError(at); }, parser.getContext(), shape, element, encoding,
                                   space, isMutable, allocShape);
}

void MemDescType::print(AsmPrinter &printer) const
{
    printer << "<";
    printer.printDimensionList(getShape());
    printer << "x" << getElementType() << ", " << getEncoding() << ", " << getMemorySpace();
    if (getIsMutable())
        printer << ", mutable";
    if (getAllocShape() != getShape()) {
        printer << ", ";
        printer.printDimensionList(getAllocShape());
    }
    printer << ">";
}

static LogicalResult verifyShape(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                                 ArrayRef<int64_t> allocShape, int rank)
{
    if (allocShape.size() < shape.size())
        return emitError() << "alloc shape must have at least as many dimensions as the shape";
    ArrayRef<int64_t> tail = allocShape.take_back(shape.size());
    for (auto [size, whole] : llvm::zip(shape, tail))
        if (size > whole)
            return emitError() << "shape must be less than or equal to alloc shape";
    for (int64_t size : shape.take_back(rank))
        if (!tri::isPowerOfTwo(size))
            return emitError() << "shape must have power-of-2 and non-zero dimensions; got " << shape;
    for (int64_t size : allocShape.take_back(rank))
        if (!tri::isPowerOfTwo(size))
            return emitError() << "alloc shape must have power-of-2 and non-zero dimensions; got " << allocShape;
    return success();
}

/* A padded layout says its sizes itself, or has those that its bases reach. */
static LogicalResult verifyPadded(function_ref<InFlightDiagnostic()> emitError, Attribute encoding,
                                  ArrayRef<int64_t> shape)
{
    tri_encoding layout;
    ArrayRef<int32_t> words = tri::layoutWords(encoding);
    tri_encoding_words_read(words.data(), words.size(), &layout);
    for (int d = 0; !layout.cga.count && d < layout.rank; d++) {
        int64_t size = layout.padded.has_bases ? 1 : layout.padded.shape[d];
        for (const tri_bases *b : {&layout.padded.offset, &layout.padded.block})
            for (int i = 0; i < b->count; i++)
                size = std::max(size, 2 * (int64_t)b->at[i][d]);
        if (size != shape[d])
            return emitError() << "dimension " << d << " of the padded layout has size " << size << ", not "
                               << shape[d];
    }
    return success();
}

LogicalResult MemDescType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape, Type element,
                                  Attribute encoding, Attribute space, bool, ArrayRef<int64_t> allocShape)
{
    if (shape.empty())
        return emitError() << "rank 0 memdesc is not allowed";
    unsigned bits = tri::bitsOf(element);
    if (bits != 1 && bits < 8)
        return emitError() << "memdesc element type must be 1 bit or at least 8 bits wide, not " << element;
    tri_encoding_kind kind = tri::layoutKind(encoding);
    bool isShared = kind >= TRI_ENC_SWIZZLED_SHARED && kind <= TRI_ENC_AMD_ROTATING_SHARED;
    bool isTensor = kind == TRI_ENC_TENSOR_MEMORY || kind == TRI_ENC_TENSOR_MEMORY_SCALES;
    if (!isShared && !isTensor)
        return emitError() << "memdesc needs a shared or tensor memory layout, not " << encoding;
    if (isShared != isa<SharedMemorySpaceAttr>(space))
        return emitError() << "memory space " << space << " does not fit the layout " << encoding;
    if (isTensor && !isa<tri::ttng::TensorMemorySpaceAttr>(space))
        return emitError() << "memory space " << space << " does not fit the layout " << encoding;
    int rank = tri::layoutRank(encoding), have = (int)shape.size();
    if (isShared && rank != have && rank != have - 1)
        return emitError() << "rank of the layout (" << rank << ") must be that of the shape (" << have
                           << ") or one less";
    if (isTensor && have != 2 && have != 3)
        return emitError() << "tensor memory has rank 2 or 3";
    if (isTensor && bits < 8)
        return emitError() << "elements in tensor memory have at least 8 bits, not " << element;
    if (failed(verifyShape(emitError, shape, allocShape, rank < have ? rank : have)))
        return failure();
    if (kind != TRI_ENC_PADDED_SHARED || !isShared)
        return success();
    return verifyPadded(emitError, encoding, allocShape.take_back(rank));
}
