#include "ir/type.h"

#include "ir/island.h"

#include "mlir-c/BuiltinAttributes.h"

MlirType tri_type_ptr(MlirType pointee, unsigned space) { return tri_island_ptr_make(pointee, space); }

bool tri_type_is_ptr(MlirType type) { return tri_island_ptr_pointee(type).ptr != NULL; }

MlirType tri_type_ptr_pointee(MlirType type) { return tri_island_ptr_pointee(type); }

unsigned tri_type_ptr_space(MlirType type) { return tri_island_ptr_space(type); }

MlirType tri_type_block_ptr_block(MlirType type) { return tri_island_block_ptr_block(type); }

MlirType tri_type_desc(MlirType block) { return tri_island_desc_make(block); }

bool tri_type_is_desc(MlirType type) { return tri_island_desc_block(type).ptr != NULL; }

MlirType tri_type_desc_block(MlirType type) { return tri_island_desc_block(type); }

MlirType tri_type_async_token(MlirContext context) { return tri_island_token(context); }

bool tri_type_is_async_token(MlirType type)
{
    return mlirTypeEqual(type, tri_island_token(mlirTypeGetContext(type)));
}

MlirType tri_type_memdesc(const tri_memdesc *desc)
{
    return tri_island_memdesc_make(desc->rank, desc->shape, desc->element, desc->encoding, desc->space,
                                   desc->is_mutable, desc->alloc_rank, desc->alloc_shape);
}

bool tri_type_get_memdesc(MlirType type, tri_memdesc *out_desc)
{
    tri_island_memdesc raw;
    if (!tri_island_memdesc_get(type, &raw) || raw.rank > TRI_MAX_RANK || raw.alloc_rank > TRI_MAX_RANK)
        return false;
    *out_desc = (tri_memdesc){.rank = (int)raw.rank,
                              .alloc_rank = (int)raw.alloc_rank,
                              .element = raw.element,
                              .encoding = raw.encoding,
                              .space = raw.space,
                              .is_mutable = raw.is_mutable};
    for (intptr_t i = 0; i < raw.rank; i++)
        out_desc->shape[i] = raw.shape[i];
    for (intptr_t i = 0; i < raw.alloc_rank; i++)
        out_desc->alloc_shape[i] = raw.alloc_shape[i];
    return true;
}

MlirType tri_type_tensor(int rank, const int64_t *shape, MlirType element, MlirAttribute encoding)
{
    return mlirRankedTensorTypeGet(rank, shape, element, encoding.ptr ? encoding : mlirAttributeGetNull());
}

MlirType tri_type_element(MlirType type)
{
    return tri_type_is_tensor(type) ? mlirShapedTypeGetElementType(type) : type;
}

MlirAttribute tri_type_encoding(MlirType type)
{
    return tri_type_is_tensor(type) ? mlirRankedTensorTypeGetEncoding(type) : mlirAttributeGetNull();
}

static MlirType remake(MlirType tensor, MlirType element, MlirAttribute encoding)
{
    int64_t shape[TRI_MAX_RANK];
    int rank = tri_type_rank(tensor);
    for (int d = 0; d < rank && d < TRI_MAX_RANK; d++)
        shape[d] = tri_type_dim(tensor, d);
    return tri_type_tensor(rank, shape, element, encoding);
}

MlirType tri_type_with_element(MlirType type, MlirType element)
{
    return tri_type_is_tensor(type) ? remake(type, element, tri_type_encoding(type)) : element;
}

MlirType tri_type_with_encoding(MlirType tensor, MlirAttribute encoding)
{
    return remake(tensor, tri_type_element(tensor), encoding);
}

int tri_type_rank(MlirType type) { return tri_type_is_tensor(type) ? (int)mlirShapedTypeGetRank(type) : 0; }

int64_t tri_type_dim(MlirType type, int dim) { return mlirShapedTypeGetDimSize(type, dim); }

int64_t tri_type_num_elements(MlirType type)
{
    int64_t count = 1;
    for (int d = 0; d < tri_type_rank(type); d++)
        count *= tri_type_dim(type, d);
    return count;
}

unsigned tri_type_bits(MlirType type)
{
    if (mlirTypeIsAInteger(type))
        return mlirIntegerTypeGetWidth(type);
    if (mlirTypeIsAFloat(type))
        return mlirFloatTypeGetWidth(type);
    return tri_type_is_ptr(type) ? 64 : 0;
}

bool tri_type_is_float(MlirType type) { return mlirTypeIsAFloat(type); }

bool tri_type_is_int(MlirType type) { return mlirTypeIsAInteger(type); }

bool tri_type_is_int_of(MlirType type, unsigned bits)
{
    return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == bits;
}
