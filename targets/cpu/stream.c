/* Stores past the caches. A launch that writes more than the last cache holds gains where lines of its results are not
 * read before they are written. Whether it does, the launcher knows: it sets tri_rt_state.streams from the bytes that a
 * program stores so, which lie before the code of the range (runtime/launch/cpu.c). */
#include "targets/cpu/cpu.h"

#include "ir/options.h"

enum { least_bytes = 32, max_roots = 32 }; /* of a vector: narrower ones do not fill a line */

/* The argument that an address is made of; null: of something else. */
static MlirValue find_root(MlirValue address)
{
    static const char *const through[] = {"tt.addptr", "tt.splat", "tt.broadcast", "tt.expand_dims", "tt.reshape",
                                          "tt.trans"};
    for (MlirOperation op = tri_op_def(address); !mlirOperationIsNull(op); op = tri_op_def(address)) {
        bool is_known = false;
        for (size_t i = 0; i < sizeof through / sizeof *through; i++)
            is_known |= tri_op_is(op, through[i]);
        if (!is_known)
            return (MlirValue){NULL};
        address = tri_op_operand(op, 0);
    }
    return address;
}

/* Or only writes it. */
static bool is_without_memory(MlirOperation op)
{
    tri_str name = tri_op_name(op);
    return tri_op_is_pure(op) || mlirOperationGetNumRegions(op) || !mlirOperationGetNumOperands(op) ||
           tri_str_has_prefix(name, "arith.") || tri_str_has_prefix(name, "math.") || tri_op_is(op, "tt.store") ||
           tri_op_is(op, "scf.yield") || tri_op_is(op, "tt.reduce.return") || tri_op_is(op, "tt.scan.return") ||
           tri_op_is(op, "llvm.intr.assume");
}

/* Arrays that the kernel reads, in any way. False: an access is not understood. */
static bool collect_reads(tri_cpu_gen *g, MlirOperation func, MlirValue *roots, int *out_count)
{
    tri_op_list ops = {0};
    tri_op_collect(func, g->arena, &ops);
    *out_count = 0;
    for (size_t i = 0; i < ops.len; i++) {
        MlirOperation op = ops.at[i];
        if (is_without_memory(op))
            continue;
        MlirValue root = tri_op_is(op, "tt.load") ? find_root(tri_op_operand(op, 0)) : (MlirValue){NULL};
        if (mlirValueIsNull(root) || *out_count == max_roots)
            return false;
        roots[(*out_count)++] = root;
    }
    return true;
}

void tri_cpu_stream_plan(tri_cpu_gen *g, MlirOperation func)
{
    MlirValue roots[max_roots];
    int count;
    g->stream_bytes = 0;
    tri_map_init(&g->streamed, g->arena);
    if (g->host.is_aarch64 || g->unit->options->sanitize || g->steps || !tri_op_is_kernel(func) ||
        !collect_reads(g, func, roots, &count))
        return;
    MlirBlock body = tri_op_body(func, 0);
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (!tri_op_is(op, "tt.store") || !tri_type_is_tensor(mlirValueGetType(tri_op_operand(op, 1))))
            continue;
        MlirValue root = find_root(tri_op_operand(op, 0));
        bool is_read = mlirValueIsNull(root);
        for (int i = 0; i < count; i++)
            is_read |= roots[i].ptr == root.ptr;
        if (is_read)
            continue;
        MlirType type = mlirValueGetType(tri_op_operand(op, 1));
        g->stream_bytes += tri_type_num_elements(type) * tri_type_bits(tri_type_element(type)) / 8;
        tri_map_set_ptr(&g->streamed, op.ptr, g);
    }
}

void tri_cpu_stream_begin(tri_cpu_gen *g)
{
    g->streams = NULL;
    if (!g->streamed.len)
        return;
    LLVMPositionBuilderAtEnd(g->b, g->at);
    LLVMValueRef second = tri_cpu_i64(g, 1); /* tri_rt_state: int err, streams */
    LLVMValueRef at = LLVMBuildInBoundsGEP2(g->b, g->i32, g->err, &second, 1, "");
    LLVMValueRef asked = LLVMBuildLoad2(g->b, g->i32, at, "");
    g->streams = LLVMBuildICmp(g->b, LLVMIntNE, asked, LLVMConstNull(g->i32), "streams");
}

static void mark_nontemporal(tri_cpu_gen *g, LLVMValueRef store)
{
    static const char name[] = "nontemporal";
    LLVMMetadataRef one = LLVMValueAsMetadata(LLVMConstInt(g->i32, 1, false));
    LLVMSetMetadata(store, LLVMGetMDKindIDInContext(g->llvm, name, sizeof name - 1),
                    LLVMMetadataAsValue(g->llvm, LLVMMDNodeInContext2(g->llvm, &one, 1)));
}

bool tri_cpu_stream_store(tri_cpu_gen *g, MlirOperation op, LLVMValueRef value, LLVMValueRef address, unsigned align)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    unsigned bytes = LLVMGetVectorSize(type) * align;
    if (!g->streams || bytes < least_bytes || !tri_map_find_ptr(&g->streamed, op.ptr))
        return false;
    LLVMBasicBlockRef ask = tri_cpu_new_block(g, "streams"), past = tri_cpu_new_block(g, "past"),
                      plain = tri_cpu_new_block(g, "plain"), next = tri_cpu_new_block(g, "stored");
    tri_cpu_branch(g, LLVMBuildNot(g->b, g->streams, ""), plain, ask);
    LLVMPositionBuilderAtEnd(g->b, ask);
    LLVMValueRef low = LLVMBuildAnd(g->b, LLVMBuildPtrToInt(g->b, address, g->i64, ""), tri_cpu_i64(g, bytes - 1), "");
    LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntEQ, low, tri_cpu_i64(g, 0), ""), past, plain);
    LLVMPositionBuilderAtEnd(g->b, past);
    LLVMValueRef store = LLVMBuildStore(g->b, value, address);
    LLVMSetAlignment(store, bytes);
    mark_nontemporal(g, store);
    LLVMBuildBr(g->b, next);
    LLVMPositionBuilderAtEnd(g->b, plain);
    LLVMSetAlignment(LLVMBuildStore(g->b, value, address), align);
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, g->nest->loop_count, next);
    return true;
}

/* What comes after the range sees its stores. */
void tri_cpu_stream_end(tri_cpu_gen *g)
{
    if (g->stream_bytes)
        tri_cpu_intrinsic(g, "llvm.x86.sse.sfence", NULL, 0, NULL, 0);
}
