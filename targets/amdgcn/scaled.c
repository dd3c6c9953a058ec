/* tt.dot_scaled on gfx950's matrix cores, which multiply groups of 32 elements of K by a power of two each.
 *
 * What an instruction's lanes hold of K is fixed, for the scales go with it (ISA guide of AMD Instinct MI350, matrix
 * core formats): with p the lane's place along K (lane / m), elements of 8 bits come in two runs of 16,
 * 16 p + j % 16 + 16 (64 / m) (j / 16), those of 4 bits in one of 32, 32 p + j, and the scale is that of group p. Lanes
 * hold scales as bytes in registers; four of them make a word, and the instruction says which byte it takes. */
#include "targets/amdgcn/matrix.h"

#include "ir/encoding.h"
#include "ir/op.h"
#include "ir/type.h"
#include "targets/gpu/access.h"
#include "targets/gpu/dot.h"

enum { group = 32, segment_scales = 3 };

/* Scales of one operand. */
typedef struct {
    bool is_there;
    tri_gpu_layout *layout;
    tri_gpu_value value;
    tri_map registers; /* coordinates of thread 0 -> register */
    LLVMValueRef *words;
} scales;

typedef struct {
    tri_amdgcn_dot d;
    scales of[2];
} scaled;

static bool read_scales(scaled *s, int index)
{
    tri_gpu *g = s->d.t.g;
    MlirOperation op = s->d.t.op;
    scales *own = &s->of[index];
    MlirValue value = tri_op_segment_value(op, segment_scales + index);
    if (mlirValueIsNull(value))
        return true;
    int place = segment_scales;
    while (!mlirValueEqual(mlirOperationGetOperand(op, place), value))
        place++;
    own->is_there = true;
    own->layout = tri_gpu_layout_of(g, op, mlirValueGetType(value));
    if (!own->layout)
        return false;
    own->value = tri_gpu_operand(g, op, place);
    own->registers = tri_gpu_index_registers(g, own->layout);
    own->words = TRI_NEW_ARRAY(g->arena, LLVMValueRef, own->value.count / 4 + 1);
    return true;
}

/* Registers 4 i to 4 i + 3, made where it is asked for first. */
static LLVMValueRef scale_word_of(scaled *s, scales *own, int i)
{
    tri_gpu *g = s->d.t.g;
    if (own->words[i])
        return own->words[i];
    LLVMValueRef word = tri_gpu_i32(g, 0);
    for (int byte = 0; byte < 4 && 4 * i + byte < own->value.count; byte++) {
        LLVMValueRef wide = LLVMBuildZExt(g->b, own->value.at[4 * i + byte], g->i32, "");
        word = LLVMBuildOr(g->b, word, LLVMBuildShl(g->b, wide, tri_gpu_i32(g, 8 * byte), ""), "");
    }
    return own->words[i] = word;
}

/* Those of one row of A (column of B) from an element of K on. False: this thread does not hold them. */
static bool choose_scale(scaled *s, int index, int64_t line, int64_t first_k)
{
    scales *own = &s->of[index];
    int64_t lines = index ? s->d.t.cols : s->d.t.rows;
    uint64_t coords[TRI_MAX_RANK] = {(uint64_t)(line % lines), (uint64_t)(first_k / group)};
    s->d.scale[index] = (tri_amdgcn_scale){0};
    if (!own->is_there)
        return true;
    int reg = tri_gpu_find_register(&own->registers, &own->layout->linear, 2, coords);
    if (reg < 0)
        return false;
    s->d.scale[index] = (tri_amdgcn_scale){scale_word_of(s, own, reg / 4), reg % 4};
    return true;
}

/* What lane 0 gives of an operand, from an element of K on; of 4 bits two are one byte of the tensor. */
static LLVMValueRef gather_run(scaled *s, int operand, int64_t line, int64_t first_k)
{
    int64_t k[TRI_AMDGCN_MAX_WIDTH];
    tri_amdgcn_dot *d = &s->d;
    bool is_packed = (operand ? d->row->b : d->row->a) == TRI_AMD_FP4;
    int count = is_packed ? d->width / 2 : d->width, stride = 16 * (64 / d->row->m);
    for (int j = 0; j < count; j++)
        k[j] = is_packed ? first_k / 2 + j : first_k + j % 16 + stride * (j / 16);
    return tri_amdgcn_gather(d, operand, 0, line, k, count);
}

static bool multiply_scaled(scaled *s, tri_gpu_tile *t, int64_t first_k)
{
    LLVMValueRef a = gather_run(s, 0, t->row, first_k), b = gather_run(s, 1, t->col, first_k);
    if (!a || !b || !choose_scale(s, 0, t->row, first_k) || !choose_scale(s, 1, t->col, first_k))
        return tri_gpu_unsupported(s->d.t.g, s->d.t.op, "the operands are not laid out for its instruction");
    t->sums[0] = tri_amdgcn_multiply(&s->d, a, b, t->sums[0]);
    return true;
}

bool tri_amdgcn_run_scaled(tri_gpu *g, MlirOperation op)
{
    scaled s = {0};
    MlirAttribute encoding = tri_type_encoding(mlirValueGetType(mlirOperationGetResult(op, 0)));
    const tri_encoding *e = mlirAttributeIsNull(encoding) ? NULL : tri_encoding_get(g->arena, encoding);
    const tri_amd_matrix *row = e && e->kind == TRI_ENC_AMD_MFMA && e->version_major == g->unit->arch->mma_version
                                    ? tri_amd_scaled_find(g->unit->arch, op, e->instr_shape[0])
                                    : NULL;
    if (!row)
        return tri_gpu_unsupported(g, op, "no matrix instruction of this architecture takes operands with these "
                                          "scales");
    if (!tri_gpu_tiles_start(&s.d.t, g, op) || !read_scales(&s, 0) || !read_scales(&s, 1))
        return false;
    s.d.is_transposed = e->amd.is_transposed;
    tri_amdgcn_take_row(&s.d, row);
    if (!tri_amdgcn_cut(&s.d))
        return tri_gpu_unsupported(g, op, "its shape is no multiple of the matrix instruction's");
    int64_t depth = tri_amd_scaled_depth(op);
    tri_gpu_remark_dot(g, op, s.d.t.count * depth / row->k, row->name, "per warp");
    tri_amdgcn_load_sums(&s.d);
    bool meets = !mlirAttributeIsNull(tri_op_attr(op, "pingpong_2step")); /* block-pingpong: waves, in the middle */
    int64_t half = s.d.t.count * (depth / row->k) / 2, done = 0;
    for (int64_t k = 0; k < depth; k += row->k)
        for (int i = 0; i < s.d.t.count; i++, done++) {
            if (meets && done == half)
                tri_gpu_barrier(g, TRI_SYNC_CTA);
            if (!multiply_scaled(&s, &s.d.t.tiles[i], k))
                return false;
        }
    tri_gpu_tiles_store(&s.d.t, tri_gpu_new(g, s.d.t.value[2].count));
    return true;
}
