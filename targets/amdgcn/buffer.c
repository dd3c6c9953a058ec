/* Accesses through a buffer resource: a base that is the same for all lanes, and an offset of 32 bits for each. Offsets
 * past its size read zero and write nothing, which is what becomes of lanes that are masked off: no branches. */
#include "targets/amdgcn/amdgcn.h"

#include "ir/machines.h"
#include "targets/gpu/access.h"

#include <string.h>

enum { size = 0x7ffffffe, outside = INT32_MIN };

/* Data format (which must not be none), and on RDNA that what is checked is the offset in bytes. */
static uint32_t flags_of(const tri_gpu *g) { return g->unit->arch->mma == TRI_MMA_MFMA ? 0x27000 : 0x31027000; }

/* Made once where the function begins. */
static LLVMValueRef resource(tri_gpu *g, LLVMValueRef base)
{
    static const char name[] = "buffer";
    for (LLVMValueRef i = LLVMGetFirstInstruction(g->entry); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsACallInst(i) && LLVMGetOperand(i, 0) == base && !strncmp(LLVMGetValueName(i), name, sizeof name - 1))
            return i;
    LLVMBasicBlockRef at = LLVMGetInsertBlock(g->b);
    LLVMPositionBuilderAtEnd(g->b, g->entry);
    LLVMTypeRef types[] = {LLVMPointerTypeInContext(g->llvm, 8), LLVMTypeOf(base)};
    LLVMValueRef args[] = {base, LLVMConstNull(g->i16), LLVMConstInt(g->i64, size, false),
                           tri_gpu_i32(g, (int32_t)flags_of(g))};
    LLVMValueRef made = tri_gpu_intrinsic(g, "llvm.amdgcn.make.buffer.rsrc", types, 2, args, 4);
    LLVMSetValueName2(made, name, sizeof name - 1);
    tri_gpu_at_end(g, at);
    return made;
}

/* The bits that say how caches treat it, by generation: attributes of tt.load and tt.store. */
static int cache_bits(const tri_gpu *g, int cache, bool is_store)
{
    enum { NONE = 1, CA, CG, WB, CS, WT, CV };
    static const int loads[][3] = {[CG] = {3, 1, 16}, [CS] = {3, 7, 1}, [CV] = {17, 7, 27}};
    static const int stores[][3] = {[CG] = {0, 0, 16}, [CS] = {3, 7, 1}, [WT] = {17, 7, 24}, [CV] = {0, 0, 0}};
    const tri_machine_facts *facts = g->unit->arch;
    int generation = facts->mma == TRI_MMA_MFMA ? 0 : facts->mma_version;
    int bits = cache > CV ? 0 : is_store ? stores[cache][generation] : loads[cache][generation];
    bool is_old = facts->mma == TRI_MMA_MFMA && facts->mma_version < 3; /* its bits are glc and slc */
    return is_old ? bits & 3 : bits;
}

static LLVMValueRef masked_offset(tri_gpu *g, const tri_machine_access *access, LLVMValueRef offset)
{
    return access->pred ? LLVMBuildSelect(g->b, access->pred, offset, tri_gpu_i32(g, outside), "") : offset;
}

void tri_amdgcn_address(tri_gpu *g, const tri_machine_access *access, LLVMValueRef offset, LLVMValueRef out[2])
{
    out[0] = resource(g, access->base);
    out[1] = masked_offset(g, access, offset);
}

/* What the instruction moves: one register or a vector of them. */
static LLVMTypeRef whole_type(tri_gpu *g, const tri_machine_access *access)
{
    unsigned bits = tri_gpu_bits(g, access->word) * (unsigned)access->words;
    return bits <= 32 ? LLVMIntTypeInContext(g->llvm, bits) : LLVMVectorType(g->i32, bits / 32);
}

static LLVMTypeRef words_type(const tri_machine_access *access)
{
    return access->words == 1 ? access->word : LLVMVectorType(access->word, (unsigned)access->words);
}

void tri_amdgcn_load_at(tri_gpu *g, const tri_machine_access *access, LLVMValueRef offset, LLVMValueRef *other,
                        LLVMValueRef *out_words)
{
    LLVMTypeRef type = whole_type(g, access);
    LLVMValueRef args[] = {resource(g, access->base), masked_offset(g, access, offset), tri_gpu_i32(g, 0),
                           tri_gpu_i32(g, cache_bits(g, access->cache, false))};
    LLVMValueRef loaded = tri_gpu_intrinsic(g, "llvm.amdgcn.raw.ptr.buffer.load", &type, 1, args, 4);
    loaded = LLVMBuildBitCast(g->b, loaded, words_type(access), "");
    for (int i = 0; i < access->words; i++) {
        out_words[i] = access->words == 1 ? loaded : LLVMBuildExtractElement(g->b, loaded, tri_gpu_i32(g, i), "");
        if (access->pred && other && !LLVMIsNull(other[i]))
            out_words[i] = LLVMBuildSelect(g->b, access->pred, out_words[i], other[i], "");
    }
}

void tri_amdgcn_store_at(tri_gpu *g, const tri_machine_access *access, LLVMValueRef offset, LLVMValueRef *words)
{
    LLVMValueRef value = access->words == 1 ? words[0] : LLVMGetPoison(words_type(access));
    for (int i = 0; access->words > 1 && i < access->words; i++)
        value = LLVMBuildInsertElement(g->b, value, words[i], tri_gpu_i32(g, i), "");
    LLVMTypeRef type = whole_type(g, access);
    value = LLVMBuildBitCast(g->b, value, type, "");
    LLVMValueRef args[] = {value, resource(g, access->base), masked_offset(g, access, offset), tri_gpu_i32(g, 0),
                           tri_gpu_i32(g, cache_bits(g, access->cache, true))};
    tri_gpu_intrinsic(g, "llvm.amdgcn.raw.ptr.buffer.store", &type, 1, args, 5);
}

/* Lanes that are masked off read these. */
static LLVMValueRef zeros(tri_gpu *g)
{
    enum { bytes = 16 };
    static const char name[] = "zeros";
    LLVMValueRef global = LLVMGetNamedGlobal(g->module, name);
    if (global)
        return global;
    LLVMTypeRef type = LLVMArrayType2(g->i8, bytes);
    global = LLVMAddGlobalInAddressSpace(g->module, type, name, 1);
    LLVMSetInitializer(global, LLVMConstNull(type));
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMInternalLinkage);
    LLVMSetAlignment(global, bytes);
    return global;
}

void tri_amdgcn_copy_row(tri_gpu *g, const tri_machine_access *access, LLVMValueRef shared, int bytes)
{
    LLVMValueRef size_of_lane = tri_gpu_i32(g, bytes), none = tri_gpu_i32(g, 0), call;
    LLVMValueRef cache = tri_gpu_i32(g, cache_bits(g, access->cache, false));
    if (access->base) {
        LLVMValueRef place[2];
        tri_amdgcn_address(g, access, tri_gpu_access_offset(g, access->base, access->pointer), place);
        LLVMValueRef args[] = {place[0], shared, size_of_lane, place[1], none, none, cache};
        call = tri_gpu_intrinsic(g, "llvm.amdgcn.raw.ptr.buffer.load.lds", NULL, 0, args, 7);
    } else {
        LLVMValueRef from = access->pred ? LLVMBuildSelect(g->b, access->pred, access->pointer, zeros(g), "")
                                         : access->pointer;
        LLVMValueRef args[] = {from, shared, size_of_lane, none, cache};
        call = tri_gpu_intrinsic(g, "llvm.amdgcn.global.load.lds", NULL, 0, args, 5);
    }
    tri_gpu_mark_row_copy(g, call);
}
