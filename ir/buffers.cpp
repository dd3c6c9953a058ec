/* What memory a view of a buffer owns, and whether another type may be read there; what moves between threads. */
#include "ir/dialects.h"

#include "mlir/CAPI/IR.h"

extern "C" {
#include "ir/encoding.h"
#include "layout/convert.h"
#include "layout/tensor_memory.h"
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
          isLinear(type.isSharedMemory() ? tri_convert_to_linear(encoding, rank, whole.data(), &layout, nullptr)
                                         : rank == 2 && tri_tensor_memory_layout(encoding, whole.data(), &layout))
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
    tri_dim address() const { return type.isSharedMemory() ? TRI_DIM_OFFSET : TRI_DIM_COL; }
    /* What addresses count: bits of shared memory, whole columns of 32 in that of tensor cores. */
    int64_t units(int64_t elements) const
    {
        int64_t bits = elements * bitsOf(type.getElementType());
        return type.isSharedMemory() ? bits : (bits + 31) / 32 * 32;
    }
    int64_t bits() const
    {
        int64_t count = 1;
        for (int d = 0; d < lead; d++)
            count *= type.getShape()[d];
        return count * units(tri_linear_in_size(&layout, address()));
    }
    /* Of these the first that are its own, whatever lies behind. A place without an element, in memory that no other
     * view of the buffer has elements in, is its own. */
    int64_t ownBits() const
    {
        int64_t size = tri_linear_in_size(&layout, address());
        for (int64_t at = 1; at < size; at *= 2)
            if (!owns(address(), (uint64_t)at))
                return units(at);
        return bits();
    }
    bool spreadsRows() const { return encoding->kind == TRI_ENC_TENSOR_MEMORY_SCALES; }
    bool usesRow(int bit) const
    {
        return spreadsRows() || (bit < tri_linear_in_bits(&layout, TRI_DIM_ROW) &&
                                 tri_linear_basis(&layout, TRI_DIM_ROW, bit));
    }
    bool ownsRow(int bit) const { return usesRow(bit) && owns(TRI_DIM_ROW, 1ull << bit); }
};

} // namespace

constexpr int tensorMemoryRowBits = 7;

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
    if (isPadded && a.isPart())
        return "operand is a part of a padded buffer";
    if (!a.isLinear || !b.isLinear)
        return nullptr;
    if (a.isPart() && isCutBetweenCtas(a))
        return "operand is a part that is cut between CTAs";
    for (int bit = 0; !from.isSharedMemory() && bit < tensorMemoryRowBits; bit++)
        if (b.usesRow(bit) && !a.ownsRow(bit))
            return "result has rows that are not the operand's";
    /* The offsets of a part are a subspace: it holds all of the result if it holds the powers of two. */
    if (b.bits() > (a.isPart() ? a.ownBits() : a.bits()))
        return from.isSharedMemory() ? "result has bytes that are not the operand's"
                                     : "result has columns that are not the operand's";
    return nullptr;
}

bool hasNarrowRows(ttg::MemDescType type, int64_t bits)
{
    Buffer buffer(type);
    for (int64_t at = 1; buffer.isLinear && buffer.units(at) < bits; at *= 2)
        if (!tri_linear_apply_one(&buffer.layout, TRI_DIM_COL, (uint64_t)at) || !buffer.owns(TRI_DIM_COL, (uint64_t)at))
            return true;
    return false;
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
