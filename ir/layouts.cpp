/* Layout attributes in C++: thin hooks over the C form (ir/encoding_text.h, layout/encoding_words.h). */
#include "ir/dialects.h"

#include "mlir/CAPI/IR.h"

extern "C" {
#include "ir/analysis/infer.h"
#include "ir/analysis/reshape.h"
#include "ir/encoding.h"
#include "ir/encoding_text.h"
#include "layout/encoding_words.h"
#include "layout/convert.h"
#include "layout/encoding_fields.h"
}

using namespace mlir;

namespace tri {

namespace {

/* An arena that ends with its scope. */
struct Scratch {
    tri_arena *arena = tri_arena_create();
    ~Scratch() { tri_arena_destroy(arena); }
};

struct Text {
    tri_buf buf = {};
    ~Text() { tri_buf_fini(&buf); }
    StringRef str() const { return StringRef(buf.data ? buf.data : "", buf.len); }
};

} // namespace

bool isLayout(Attribute attr)
{
#define LAYOUT(kind, dialect, name, ...) \
    if (isa_and_nonnull<dialect::name>(attr)) \
        return true;
#include "layout/encoding.def"
    return false;
}

ArrayRef<int32_t> layoutWords(Attribute attr)
{
#define LAYOUT(kind, dialect, name, ...) \
    if (auto layout = dyn_cast_or_null<dialect::name>(attr)) \
        return layout.getWords();
#include "layout/encoding.def"
    return {};
}

Attribute layoutParent(Attribute attr)
{
#define LAYOUT(kind, dialect, name, ...) \
    if (auto layout = dyn_cast_or_null<dialect::name>(attr)) \
        return layout.getParent();
#include "layout/encoding.def"
    return {};
}

Attribute makeLayout(MLIRContext *context, tri_encoding_kind kind, ArrayRef<int32_t> words, Attribute parent)
{
#define LAYOUT(row, dialect, name, ...) \
    if (kind == dialect::name::kind) \
        return dialect::name::get(context, words, parent);
#include "layout/encoding.def"
    return {};
}

tri_encoding_kind layoutKind(Attribute attr)
{
    ArrayRef<int32_t> words = layoutWords(attr);
    return tri_encoding_words_kind(words.data(), words.size());
}

int layoutRank(Attribute attr)
{
    ArrayRef<int32_t> words = layoutWords(attr);
    return tri_encoding_words_rank(words.data(), words.size());
}

bool isDistributedLayout(Attribute attr)
{
    tri_encoding_kind kind = layoutKind(attr);
    return kind >= TRI_ENC_BLOCKED && kind <= TRI_ENC_INTEL_WARP;
}

/* ---- syntax ---- */

/* `[128:+8, 256:+16]` */
static bool parseIntervals(AsmParser &parser, tri_encoding *out)
{
    llvm::SMLoc at = parser.getCurrentLocation();
    auto one = [&]() -> ParseResult {
        int32_t interval, padding;
        if (parser.parseInteger(interval) || parser.parseColon() || parser.parsePlus() || parser.parseInteger(padding))
            return failure();
        if (out->padded.count == 8)
            return parser.emitError(at, "too many intervals");
        out->padded.interval[out->padded.count] = interval;
        out->padded.padding[out->padded.count++] = padding;
        return success();
    };
    return succeeded(parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, one));
}

/* `name = value, ...` up to the closing bracket, as a dictionary. */
static DictionaryAttr parseBareFields(AsmParser &parser)
{
    NamedAttrList fields;
    if (failed(parser.parseOptionalGreater())) {
        auto one = [&]() -> ParseResult {
            std::string name;
            Attribute value;
            if (parser.parseKeywordOrString(&name) || parser.parseEqual() || parser.parseAttribute(value))
                return failure();
            fields.append(name, value);
            return success();
        };
        if (parser.parseCommaSeparatedList(one) || parser.parseGreater())
            return {};
    }
    return fields.getDictionary(parser.getContext());
}

/* `, name = value` behind the braces, or nothing. */
static bool parseTail(AsmParser &parser, const tri_field *field, tri_encoding *out)
{
    auto *value = (int32_t *)tri_encoding_field_at(field, out);
    *value = field->absent;
    return failed(parser.parseOptionalComma()) ||
           (succeeded(parser.parseKeyword(field->name)) && succeeded(parser.parseEqual()) &&
            succeeded(parser.parseInteger(*value)));
}

static DictionaryAttr parseFields(AsmParser &parser, tri_encoding_kind kind, tri_encoding *out)
{
    DictionaryAttr fields;
    if (parser.parseLess())
        return {};
    const tri_layout_row *row = tri_encoding_row_of(kind);
    if (row->form == TRI_FORM_BARE)
        return parseBareFields(parser);
    if (row->form == TRI_FORM_PADDED && !parseIntervals(parser, out))
        return {};
    if (parser.parseAttribute(fields))
        return {};
    for (const tri_field *f = row->fields; f->type; f++)
        if (f->type == TRI_FIELD_TAIL && !parseTail(parser, f, out))
            return {};
    return parser.parseGreater() ? DictionaryAttr() : fields;
}

static bool takeFields(AsmParser &parser, llvm::SMLoc at, tri_encoding_kind kind, DictionaryAttr fields,
                       tri_encoding &layout, Words &words, Attribute &parent)
{
    Text error;
    if (const char *name = tri_encoding_text_parent_field(kind)) {
        parent = fields.get(name);
        if (!isLayout(parent)) {
            parser.emitError(at) << "layout field '" << name << "' must be a layout";
            return false;
        }
    }
    if (!tri_encoding_text_parse(kind, wrap((Attribute)fields), layoutRank(parent), &layout, &error.buf)) {
        parser.emitError(at) << "layout field " << error.str();
        return false;
    }
    words.resize(TRI_ENCODING_MAX_WORDS);
    words.resize(tri_encoding_words_write(&layout, words.data(), words.size()));
    return true;
}

bool parseLayoutFields(AsmParser &parser, tri_encoding_kind kind, Words &words, Attribute &parent)
{
    tri_encoding layout = {};
    llvm::SMLoc at = parser.getCurrentLocation();
    DictionaryAttr fields = parseFields(parser, kind, &layout);
    return fields && takeFields(parser, at, kind, fields, layout, words, parent);
}

Attribute makeLayoutOf(AsmParser &parser, llvm::SMLoc at, tri_encoding_kind kind, DictionaryAttr fields)
{
    tri_encoding layout = {};
    Words words;
    Attribute parent;
    if (!takeFields(parser, at, kind, fields, layout, words, parent) ||
        failed(verifyLayout([&] { return parser.emitError(at); }, words, parent)))
        return {};
    return makeLayout(parser.getContext(), kind, words, parent);
}

void printLayoutFields(AsmPrinter &printer, ArrayRef<int32_t> words, Attribute parent, unsigned release)
{
    Text text;
    tri_encoding layout;
    tri_encoding_words_read(words.data(), words.size(), &layout);
    tri_encoding_text_print(&layout, release, &text.buf);
    auto [before, after] = text.str().split((char)TRI_ENCODING_PARENT_MARK);
    printer << before;
    if (parent) {
        printer << parent << after;
    }
}

LogicalResult verifyLayout(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int32_t> words, Attribute parent)
{
    Scratch scratch;
    Text error;
    tri_encoding layout;
    tri_encoding_words_read(words.data(), words.size(), &layout);
    if (parent)
        layout.parent = tri_encoding_get(scratch.arena, wrap(parent));
    if (tri_encoding_text_check(&layout, &error.buf))
        return success();
    return emitError() << "layout: " << error.str();
}

/* ---- inference ---- */

static LogicalResult done(MlirAttribute attr, Attribute &result)
{
    result = unwrap(attr);
    return success(result != Attribute());
}

LogicalResult inferReduce(Attribute src, int axis, int rank, Attribute &result)
{
    Scratch scratch;
    if (rank == 1)
        return success();
    return done(tri_infer_slice(scratch.arena, wrap(src), axis), result);
}

LogicalResult inferExpandDims(Attribute src, int axis, Attribute &result)
{
    Scratch scratch;
    return done(tri_infer_unslice(scratch.arena, wrap(src), axis), result);
}

LogicalResult inferTrans(Attribute src, ArrayRef<int64_t> shape, ArrayRef<int32_t> order, Attribute &result)
{
    Scratch scratch;
    return done(tri_infer_trans(scratch.arena, wrap(src), (int)shape.size(), shape.data(), order.data()), result);
}

LogicalResult inferJoin(Attribute src, ArrayRef<int64_t> shape, Attribute &result)
{
    Scratch scratch;
    return done(tri_infer_join(scratch.arena, wrap(src), (int)shape.size(), shape.data()), result);
}

LogicalResult inferSplit(Attribute src, ArrayRef<int64_t> shape, Attribute &result)
{
    Scratch scratch;
    return done(tri_infer_split(scratch.arena, wrap(src), (int)shape.size(), shape.data()), result);
}

LogicalResult inferFp4(Operation *op, Attribute src, Attribute &result)
{
    Scratch scratch;
    return done(tri_infer_result(scratch.arena, wrap(op), wrap(src)), result);
}

LogicalResult inferUnpacked(Value bytes, int axis, Attribute &result)
{
    Scratch scratch;
    return done(tri_infer_unpacked(scratch.arena, wrap(bytes), axis), result);
}

bool joinsTo(Attribute half, Attribute pair, ArrayRef<int64_t> shape)
{
    Scratch scratch;
    tri_linear from, to, kept = tri_linear_empty();
    int rank = (int)shape.size();
    if (layoutRank(half) != rank - 1 || layoutRank(pair) != rank ||
        !tri_convert_to_linear(tri_encoding_get(scratch.arena, wrap(half)), rank - 1, shape.data(), &from, nullptr) ||
        !tri_convert_to_linear(tri_encoding_get(scratch.arena, wrap(pair)), rank, shape.data(), &to, nullptr))
        return false;
    auto last = (tri_dim)(TRI_DIM_0 + rank - 1);
    bool isSplit = false;
    for (int d = 0; d < rank - 1; d++)
        tri_linear_add_out(&kept, (tri_dim)(TRI_DIM_0 + d), tri_linear_log2(shape[d]));
    for (int i = 0; i < to.in.count; i++) {
        tri_linear_add_in(&kept, to.in.dim[i]);
        for (int bit = 0; bit < to.in.bits[i]; bit++) {
            int32_t coords[TRI_MAX_RANK];
            for (int d = 0; d < rank - 1; d++)
                coords[d] = (int32_t)tri_linear_basis_at(&to, to.in.dim[i], bit, (tri_dim)(TRI_DIM_0 + d));
            if (!tri_linear_basis_at(&to, to.in.dim[i], bit, last)) {
                tri_linear_add_coords(&kept, to.in.dim[i], coords);
                continue;
            }
            if (to.in.dim[i] != TRI_DIM_REGISTER || isSplit)
                return false;
            isSplit = true;
        }
    }
    tri_dim names[TRI_MAX_RANK];
    for (int d = 0; d < rank - 1; d++)
        names[d] = (tri_dim)(TRI_DIM_0 + d);
    from = tri_linear_transpose_outs(&from, names);
    return isSplit && tri_linear_equal(&from, &kept);
}

bool sameLayout(Attribute a, Attribute b, ArrayRef<int64_t> shape)
{
    Scratch scratch;
    if (a == b)
        return true;
    if (!isLayout(a) || !isLayout(b) || layoutRank(a) != (int)shape.size() || layoutRank(b) != (int)shape.size())
        return false;
    return tri_convert_same_layout(tri_encoding_get(scratch.arena, wrap(a)), tri_encoding_get(scratch.arena, wrap(b)),
                                   (int)shape.size(), shape.data());
}

static bool linearOf(Scratch &scratch, RankedTensorType type, tri_linear *out)
{
    Attribute attr = type.getEncoding();
    return isDistributedLayout(attr) &&
           tri_convert_to_linear(tri_encoding_get(scratch.arena, wrap(attr)), (int)type.getRank(),
                                 type.getShape().data(), out, nullptr);
}

int64_t registersOf(RankedTensorType type)
{
    Scratch scratch;
    tri_linear l;
    if (!linearOf(scratch, type, &l))
        return 0;
    l = tri_linear_remove_zero_bases(&l, TRI_DIM_REGISTER);
    return tri_linear_in_size(&l, TRI_DIM_REGISTER);
}

bool isExpensiveView(RankedTensorType from, RankedTensorType to)
{
    Scratch scratch;
    tri_linear a, b;
    if (!linearOf(scratch, from, &a) || !linearOf(scratch, to, &b))
        return true;
    return tri_linear_free_mask(&a, TRI_DIM_LANE) != tri_linear_free_mask(&b, TRI_DIM_LANE) ||
           tri_linear_free_mask(&a, TRI_DIM_WARP) != tri_linear_free_mask(&b, TRI_DIM_WARP) ||
           tri_linear_in_bits(&a, TRI_DIM_REGISTER) != tri_linear_in_bits(&b, TRI_DIM_REGISTER);
}

bool reshapeIsNoMove(Attribute src, ArrayRef<int64_t> srcShape, Attribute dst, ArrayRef<int64_t> dstShape)
{
    Scratch scratch;
    tri_encoding to;
    if (!tri_reshape_infer(tri_encoding_get(scratch.arena, wrap(src)), (int)srcShape.size(), srcShape.data(),
                           (int)dstShape.size(), dstShape.data(), &to))
        return false;
    return tri_convert_same_layout(&to, tri_encoding_get(scratch.arena, wrap(dst)), (int)dstShape.size(),
                                   dstShape.data());
}

/* ---- views of buffers ---- */

/* Layouts of the last dimensions; a leading dimension of several buffers is not part of a layout. */
static bool bufferLayout(Scratch &scratch, Attribute attr, ArrayRef<int64_t> shape, tri_linear *out)
{
    int rank = layoutRank(attr);
    ArrayRef<int64_t> tail = shape.take_back(rank);
    return (int)tail.size() == rank && tri_convert_to_linear(tri_encoding_get(scratch.arena, wrap(attr)), rank,
                                                             tail.data(), out, nullptr);
}

bool sameTransposedBuffer(Attribute from, ArrayRef<int64_t> shape, ArrayRef<int32_t> order, Attribute to)
{
    Scratch scratch;
    tri_linear before, after;
    SmallVector<int64_t> permuted;
    int rank = layoutRank(from), skip = (int)shape.size() - rank;
    if (layoutKind(from) == TRI_ENC_TENSOR_MEMORY || layoutKind(from) == TRI_ENC_TENSOR_MEMORY_SCALES)
        return from == to;
    for (int32_t d : order)
        permuted.push_back(shape[d]);
    if (layoutRank(to) != rank || !bufferLayout(scratch, from, shape, &before) ||
        !bufferLayout(scratch, to, permuted, &after))
        return false;
    if (layoutKind(from) == TRI_ENC_PADDED_SHARED && layoutKind(to) != TRI_ENC_PADDED_SHARED)
        return false;
    for (int d = 0; d < skip; d++)
        if (order[d] != d)
            return false;
    /* Rename: dimension order[i] of the operand is dimension i of the result. */
    tri_dim names[TRI_MAX_RANK];
    tri_linear renamed = before;
    for (int i = 0; i < before.out.count; i++)
        for (int d = 0; d < rank; d++)
            if (before.out.dim[i] == TRI_DIM_0 + (tri_dim)(order[skip + d] - skip))
                renamed.out.dim[i] = (tri_dim)(TRI_DIM_0 + d);
    for (int i = 0; i < after.out.count; i++)
        names[i] = after.out.dim[i];
    renamed = tri_linear_transpose_outs(&renamed, names);
    return tri_linear_equal(&renamed, &after);
}

bool sameReshapedBuffer(Attribute from, ArrayRef<int64_t> fromShape, Attribute to, ArrayRef<int64_t> toShape)
{
    Scratch scratch;
    tri_linear a, b;
    if (layoutRank(from) != (int)fromShape.size() || layoutRank(to) != (int)toShape.size() ||
        !bufferLayout(scratch, from, fromShape, &a) || !bufferLayout(scratch, to, toShape, &b))
        return false;
    /* Row-major: the last dimension is the lowest. */
    auto flatten = [](const tri_linear *l, int rank) {
        tri_dim outs[TRI_MAX_RANK];
        for (int d = 0; d < rank; d++)
            outs[d] = (tri_dim)(TRI_DIM_0 + rank - 1 - d);
        tri_linear t = tri_linear_transpose_outs(l, outs);
        return tri_linear_flatten_outs(&t, TRI_DIM_0);
    };
    a = flatten(&a, (int)fromShape.size());
    b = flatten(&b, (int)toShape.size());
    return tri_linear_equal(&a, &b);
}

const char *whyNotPart(Attribute layout, ArrayRef<int64_t> shape, ArrayRef<int64_t> part)
{
    Scratch scratch;
    tri_linear l;
    int rank = layoutRank(layout), lead = (int)shape.size() - rank;
    if (shape == part)
        return nullptr;
    if (layoutKind(layout) == TRI_ENC_PADDED_SHARED && lead)
        return "a part of one of several padded buffers";
    if (!bufferLayout(scratch, layout, shape, &l))
        return "a part of a buffer whose layout is no map of its elements";
    if (!tri_linear_is_injective(&l) || !tri_linear_is_surjective(&l))
        return nullptr;
    tri_linear inverse = tri_linear_invert(&l);
    for (int d = 0; d < rank; d++)
        for (int64_t at = part[lead + d]; at < shape[lead + d]; at *= 2) {
            uint64_t to = tri_linear_apply_one(&inverse, (tri_dim)(TRI_DIM_0 + d), (uint64_t)at);
            int64_t offset = tri_linear_coord(&inverse, to, TRI_DIM_OFFSET);
            if (offset & (offset - 1))
                return "a cut through the swizzling pattern";
        }
    return nullptr;
}

int clusterBits(Attribute layout)
{
    Scratch scratch;
    while (Attribute parent = layoutParent(layout))
        layout = parent;
    const tri_encoding *e = tri_encoding_get(scratch.arena, wrap(layout));
    switch (e->kind) {
    case TRI_ENC_LINEAR:
    case TRI_ENC_GENERIC_LINEAR:
        return e->linear.block.count;
    case TRI_ENC_SHARED_LINEAR:
        return e->shared_linear.block.count;
    case TRI_ENC_PADDED_SHARED:
        return e->padded.has_bases ? e->padded.block.count : e->cga.count;
    default:
        return e->cga.count;
    }
}

int sharedClusterBits(Attribute layout, ArrayRef<int64_t> shape)
{
    Scratch scratch;
    tri_linear l;
    return bufferLayout(scratch, layout, shape, &l) ? llvm::popcount(tri_linear_free_mask(&l, TRI_DIM_BLOCK)) : 0;
}

bool linearOf(RankedTensorType tensor, tri_linear *out)
{
    Scratch scratch;
    return isLayout(tensor.getEncoding()) && layoutRank(tensor.getEncoding()) == tensor.getRank() &&
           bufferLayout(scratch, tensor.getEncoding(), tensor.getShape(), out);
}

int64_t distinctRegisters(RankedTensorType tensor)
{
    tri_linear l;
    if (!linearOf(tensor, &l))
        return 0;
    return tri_linear_in_size(&l, TRI_DIM_REGISTER) >> llvm::popcount(tri_linear_free_mask(&l, TRI_DIM_REGISTER));
}

} // namespace tri
