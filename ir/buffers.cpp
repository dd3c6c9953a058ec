/* What memory a view of a buffer owns, and whether another type may be read there; what moves between threads. */
#include "ir/dialects.h"

#include "mlir/CAPI/IR.h"

extern "C" {
#include "ir/encoding.h"
#include "layout/convert.h"
}

using namespace mlir;

namespace tri {

namespace {

struct Buffer {
    tri_arena *arena = tri_arena_create();
    ttg::MemDescType type;
    const tri_encoding *encoding;
    int rank, lead;             /* of the layout; dimensions before it, which count buffers */
    SmallVector<int64_t> whole; /* one buffer, of which the view may be a part */
    tri_linear layout;
    bool isLinear; /* `layout` says where elements are */

    explicit Buffer(ttg::MemDescType type)
        : type(type), encoding(tri_encoding_get(arena, wrap(type.getEncoding()))),
          rank(std::min<int>(layoutRank(type.getEncoding()), type.getRank())), lead(type.getRank() - rank),
          whole(type.getAllocShape().take_back(rank)),
          isLinear(tri_convert_to_linear(encoding, rank, whole.data(), &layout, nullptr))
    {
    }
    ~Buffer() { tri_arena_destroy(arena); }

    bool isPart() const { return ArrayRef<int64_t>(whole) != type.getShape().drop_front(lead); }
    /* Is the element that this index alone leads to one of the view's, when that begins at 0? */
    bool owns(tri_dim in, uint64_t index) const
    {
        uint64_t to = tri_linear_apply_one(&layout, in, index);
        for (int d = 0; d < rank; d++)
            if (tri_linear_coord(&layout, to, (tri_dim)(TRI_DIM_0 + d)) >= type.getShape()[lead + d])
                return false;
        return true;
    }
    int64_t bits() const
    {
        int64_t count = 1;
        for (int d = 0; d < lead; d++)
            count *= type.getShape()[d];
        return count * tri_linear_in_size(&layout, TRI_DIM_OFFSET) * bitsOf(type.getElementType());
    }
};

} // namespace

/* Padding counts elements: what matters is which bytes it skips. */
static bool samePadding(const Buffer &a, const Buffer &b)
{
    int64_t bitsA = bitsOf(a.type.getElementType()), bitsB = bitsOf(b.type.getElementType());
    bool same = a.encoding->padded.count == b.encoding->padded.count;
    for (int i = 0; same && i < a.encoding->padded.count; i++)
        same = a.encoding->padded.interval[i] * bitsA == b.encoding->padded.interval[i] * bitsB &&
               a.encoding->padded.padding[i] * bitsA == b.encoding->padded.padding[i] * bitsB;
    return same;
}

static bool isCutBetweenCtas(const Buffer &buffer)
{
    for (int i = 0; i < tri_linear_in_bits(&buffer.layout, TRI_DIM_BLOCK); i++)
        if (!buffer.owns(TRI_DIM_BLOCK, 1ull << i))
            return true;
    return false;
}

const char *whyNotReinterpreted(ttg::MemDescType from, ttg::MemDescType to)
{
    Buffer a(from), b(to);
    bool isPadded = a.encoding->kind == TRI_ENC_PADDED_SHARED;
    if (a.encoding->kind == TRI_ENC_PARTITIONED_SHARED || b.encoding->kind == TRI_ENC_PARTITIONED_SHARED)
        return "a partitioned layout has no bytes in a row to be read otherwise";
    if (isPadded != (b.encoding->kind == TRI_ENC_PADDED_SHARED))
        return "only one of operand and result is padded";
    if (isPadded && !samePadding(a, b))
        return "operand and result are padded differently";
    if (!a.isPart())
        return nullptr;
    if (isPadded)
        return "operand is a part of a padded buffer";
    if (!a.isLinear || !b.isLinear)
        return nullptr;
    if (isCutBetweenCtas(a))
        return "operand is a part that is cut between CTAs";
    /* The offsets of a part are a subspace: it holds all of the result if it holds the powers of two. */
    int64_t element = bitsOf(from.getElementType());
    for (int64_t offset = 1; from.isSharedMemory() && offset * element < b.bits(); offset *= 2)
        if (offset >= tri_linear_in_size(&a.layout, TRI_DIM_OFFSET) || !a.owns(TRI_DIM_OFFSET, (uint64_t)offset))
            return "result has bytes that are not the operand's";
    return nullptr;
}

bool isPartBetweenCtas(ttg::MemDescType type)
{
    Buffer buffer(type);
    return buffer.isPart() && buffer.isLinear && isCutBetweenCtas(buffer);
}

/* Elements of the buffer that a thread's registers hold one after another. */
int64_t elementsInARow(RankedTensorType tensor, ttg::MemDescType type)
{
    Buffer buffer(type);
    tri_linear registers, map;
    if (!buffer.isLinear || !linearOf(tensor, &registers) ||
        !tri_linear_invert_and_compose(&registers, &buffer.layout, &map))
        return 1;
    int64_t count = 1;
    for (int i = 0; i < tri_linear_in_bits(&map, TRI_DIM_REGISTER); i++)
        if (tri_linear_basis_at(&map, TRI_DIM_REGISTER, i, TRI_DIM_OFFSET) != count)
            break;
        else
            count *= 2;
    return count;
}

/* ---- threads ---- */

bool staysInWarp(RankedTensorType from, RankedTensorType to)
{
    tri_linear a, b, map;
    return linearOf(from, &a) && linearOf(to, &b) && tri_linear_invert_and_compose(&a, &b, &map) &&
           tri_linear_is_trivial_over(&map, TRI_DIM_WARP) && tri_linear_is_trivial_over(&map, TRI_DIM_BLOCK);
}

bool sameThreads(RankedTensorType a, RankedTensorType b)
{
    tri_linear layouts[2];
    SmallVector<uint64_t> registers[2];
    RankedTensorType tensors[2] = {a, b};
    for (auto [i, tensor] : llvm::enumerate(tensors)) {
        tri_linear *l = &layouts[i];
        if (!linearOf(tensor, l))
            return false;
        for (int bit = 0; bit < tri_linear_in_bits(l, TRI_DIM_REGISTER); bit++)
            registers[i].push_back(tri_linear_basis(l, TRI_DIM_REGISTER, bit));
        llvm::sort(registers[i]);
        *l = tri_linear_drop_in(l, TRI_DIM_REGISTER);
    }
    return registers[0] == registers[1] && tri_linear_equal(&layouts[0], &layouts[1]);
}

} // namespace tri
