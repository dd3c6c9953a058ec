/* The dialects' registration, types and layout attributes for the C side. */
#include "ir/dialects.h"
#include "ir/island.h"
#include "ir/linalg.h"

#include "mlir-c/Dialect/LLVM.h"
#include "mlir-c/Dialect/Math.h"
#include "mlir-c/Dialect/SCF.h"
#include "mlir-c/Dialect/UB.h"
#include "mlir/CAPI/IR.h"

using namespace mlir;

namespace {

/* Code inside a kernel may be inlined with what it says of its values (llvm.intr.assume); memory of a stack may not. */
struct LLVMInliner : DialectInlinerInterface {
    using DialectInlinerInterface::DialectInlinerInterface;
    bool isLegalToInline(Operation *op, Region *, bool, IRMapping &) const final
    {
        return op->getName().getStringRef() != "llvm.alloca";
    }
};

/* By name, as the dialect's headers stay out. */
struct LLVMExtension : DialectExtensionBase {
    LLVMExtension() : DialectExtensionBase(StringRef("llvm")) {}
    void apply(MLIRContext *, MutableArrayRef<Dialect *> dialects) const final
    {
        dialects[0]->addInterfaces<LLVMInliner>();
    }
    std::unique_ptr<DialectExtensionBase> clone() const final { return std::make_unique<LLVMExtension>(*this); }
};

} // namespace

void tri_island_register(MlirDialectRegistry registry)
{
    unwrap(registry)->insert<tri::tt::TTDialect, tri::ttg::TTGDialect, tri::ttng::TTNGDialect, tri::nvws::NVWSDialect,
                             tri::ttig::TTIGDialect, tri::amdg::AMDGDialect, tri::gen::GENDialect, arith::ArithDialect,
                             cf::ControlFlowDialect>();
    tri::registerGpuDialect(*unwrap(registry));
    tri::registerRocdlDialect(*unwrap(registry));
    tri::registerOlderDialects(*unwrap(registry));
    /* By handle: the headers of the LLVM dialect alone would take ten seconds to compile. */
    for (MlirDialectHandle handle : {mlirGetDialectHandle__math__(), mlirGetDialectHandle__scf__(),
                                     mlirGetDialectHandle__ub__(), mlirGetDialectHandle__llvm__()})
        mlirDialectHandleInsertDialect(handle, registry);
    unwrap(registry)->addExtension(TypeID::get<LLVMExtension>(), std::make_unique<LLVMExtension>());
    tri_linalg_register(registry);
}

/* ---- types ---- */

MlirType tri_island_ptr_make(MlirType pointee, unsigned space)
{
    return wrap((Type)tri::tt::PtrType::get(unwrap(pointee), space));
}

MlirType tri_island_ptr_pointee(MlirType type)
{
    return wrap(tri::isElementPtr(unwrap(type)) ? tri::pointeeOf(unwrap(type)) : Type());
}

MlirType tri_island_block_ptr_block(MlirType type)
{
    return wrap(tri::isBlockPtr(unwrap(type)) ? tri::pointeeOf(unwrap(type)) : Type());
}

unsigned tri_island_ptr_space(MlirType type)
{
    return cast<tri::tt::PtrType>(unwrap(type)).getSpace();
}

MlirType tri_island_desc_make(MlirType block)
{
    return wrap((Type)tri::tt::TensorDescType::get(cast<RankedTensorType>(unwrap(block))));
}

MlirType tri_island_desc_block(MlirType type)
{
    return wrap(tri::isTensorDesc(unwrap(type)) ? (Type)tri::blockOfDesc(unwrap(type), false) : Type());
}

MlirType tri_island_token(MlirContext context)
{
    return wrap((Type)tri::ttg::AsyncTokenType::get(unwrap(context)));
}

MlirType tri_island_memdesc_make(intptr_t rank, const int64_t *shape, MlirType element, MlirAttribute encoding,
                                 MlirAttribute space, bool is_mutable, intptr_t alloc_rank, const int64_t *alloc_shape)
{
    ArrayRef<int64_t> dims(shape, rank), whole(alloc_shape, alloc_rank);
    return wrap((Type)tri::ttg::MemDescType::get(unwrap(element).getContext(), dims, unwrap(element), unwrap(encoding),
                                                 unwrap(space), is_mutable, whole.empty() ? dims : whole));
}

bool tri_island_memdesc_get(MlirType type, tri_island_memdesc *out)
{
    auto desc = dyn_cast<tri::ttg::MemDescType>(unwrap(type));
    if (!desc)
        return false;
    out->rank = (intptr_t)desc.getShape().size();
    out->shape = desc.getShape().data();
    out->alloc_rank = (intptr_t)desc.getAllocShape().size();
    out->alloc_shape = desc.getAllocShape().data();
    out->element = wrap(desc.getElementType());
    out->encoding = wrap(desc.getEncoding());
    out->space = wrap(desc.getMemorySpace());
    out->is_mutable = desc.getIsMutable();
    return true;
}

/* ---- layouts ---- */

const int32_t *tri_island_layout_words(MlirAttribute attr, size_t *out_count)
{
    ArrayRef<int32_t> words = tri::layoutWords(unwrap(attr));
    *out_count = words.size();
    return words.data();
}

MlirAttribute tri_island_layout_parent(MlirAttribute attr)
{
    return wrap(tri::layoutParent(unwrap(attr)));
}

MlirAttribute tri_island_layout_make(MlirContext context, tri_encoding_kind kind, size_t count, const int32_t *words,
                                     MlirAttribute parent)
{
    return wrap(tri::makeLayout(unwrap(context), kind, ArrayRef<int32_t>(words, count), unwrap(parent)));
}

MlirAttribute tri_island_shared_space(MlirContext context)
{
    return wrap((Attribute)tri::ttg::SharedMemorySpaceAttr::get(unwrap(context)));
}

MlirAttribute tri_island_tensor_space(MlirContext context)
{
    return wrap((Attribute)tri::ttng::TensorMemorySpaceAttr::get(unwrap(context)));
}
