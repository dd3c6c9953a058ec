/* tt.print and tt.assert: messages from the device. */
#include "ir/llvm.h"
#include "ir/location.h"
#include "ir/type.h"
#include "targets/gpu/access.h"
#include "targets/gpu/fp8.h"

/* ---- assert ---- */

static bool run_assert(tri_gpu *g, MlirOperation op)
{
    if (!tri_machine_has(g, TRI_MACHINE_assert_fail))
        return tri_gpu_unsupported(g, op, "the device has no way to report a failed assertion");
    tri_gpu_value conds = tri_gpu_operand(g, op, 0);
    LLVMValueRef all = conds.at[0];
    for (int r = 1; r < conds.count; r++)
        all = LLVMBuildAnd(g->b, all, conds.at[r], "");
    tri_position at = {.file = TRI_STR("unknown")};
    tri_location_position(mlirOperationGetLocation(op), &at);
    tri_str file = tri_diag_map_path(g->unit->diag, at.file);
    LLVMTypeRef generic = LLVMPointerTypeInContext(g->llvm, 0);
    LLVMValueRef args[] = {
        tri_llvm_text(g->module, tri_op_string(op, "message"), ""),
        tri_llvm_text(g->module, file, ""),
        tri_gpu_i32(g, at.line),
        tri_llvm_text(g->module, tri_op_symbol(g->func), ""),
        LLVMConstInt(g->i64, 1, false),
    };
    TRI_ASSERT(LLVMTypeOf(args[0]) == generic);
    tri_gpu_if state = tri_gpu_begin_if(g, LLVMBuildNot(g->b, all, ""));
    tri_machine_call(g, TRI_MACHINE_assert_fail, args, 5);
    tri_gpu_end_if(g, state);
    /* nobody goes on before everybody's condition was looked at */
    tri_gpu_barrier(g, TRI_SYNC_CTA);
    return true;
}

/* ---- print ---- */

/* OpenCL's printf instead of C's: an integer of 64 bits is a long, a float stays one. */
static bool is_opencl(tri_gpu *g) { return g->machine->print && !g->simulate; }

static void add_integer(tri_gpu *g, unsigned bits, bool is_signed, bool hex, tri_buf *format)
{
    const char *length = bits <= 32 ? "" : is_opencl(g) ? "l" : "ll";
    if (hex)
        tri_buf_format(format, "0x%%0%u%sx", bits / 4 ? bits / 4 : 1, length);
    else
        tri_buf_format(format, "%%%s%c", length, is_signed ? 'd' : 'u');
}

/* A value as C's variable arguments want it, and its conversion. */
static LLVMValueRef promote(tri_gpu *g, LLVMValueRef value, MlirType type, bool is_signed, bool hex, tri_buf *format)
{
    if (tri_type_is_ptr(type)) {
        if (is_opencl(g))
            add_integer(g, 64, false, true, format);
        else
            tri_buf_add_z(format, "%p");
        return LLVMBuildPtrToInt(g->b, value, g->i64, "");
    }
    bool is_float = tri_type_is_float(type);
    if (is_float && tri_gpu_is_narrow(g, type) && !hex)
        value = tri_gpu_from_narrow(g, type, value);
    if (is_float && !hex) {
        tri_buf_add_z(format, "%f");
        bool is_double = !is_opencl(g) || LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMDoubleTypeKind;
        return LLVMBuildFPCast(g->b, value, is_double ? LLVMDoubleTypeInContext(g->llvm) : g->f32, "");
    }
    value = tri_gpu_to_int(g, value);
    unsigned bits = tri_gpu_bits(g, LLVMTypeOf(value));
    add_integer(g, bits, is_signed, hex, format);
    return bits >= 32 ? value : LLVMBuildIntCast2(g->b, value, g->i32, is_signed && !hex, "");
}

/* Arguments on the stack in the order and alignment of C's variable arguments. */
static void call_printf(tri_gpu *g, tri_buf *format, LLVMValueRef *args, unsigned n)
{
    if (is_opencl(g)) {
        g->machine->print(g, tri_buf_str(format), args, n);
        return;
    }
    LLVMTypeRef types[32];
    for (unsigned i = 0; i < n; i++)
        types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef type = LLVMStructTypeInContext(g->llvm, types, n, false);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
    tri_gpu_at_end(g, g->entry);
    LLVMValueRef slot = LLVMBuildAlloca(g->b, type, "");
    tri_gpu_at_end(g, here);
    for (unsigned i = 0; i < n; i++)
        LLVMBuildStore(g->b, args[i], LLVMBuildStructGEP2(g->b, type, slot, i, ""));
    LLVMValueRef call_args[] = {tri_llvm_text(g->module, tri_buf_str(format), ""), slot};
    tri_machine_call(g, TRI_MACHINE_vprintf, call_args, 2);
}

/* Text that is no format. */
static void add_text(tri_buf *format, tri_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '%')
            tri_buf_add_char(format, '%');
        tri_buf_add_char(format, text.data[i]);
    }
}

/* The conversion of an index below `extent`: all of a dimension are as wide, as Triton prints them. */
static void add_index(tri_buf *format, int dimension, int64_t extent)
{
    int width = 1;
    for (int64_t rest = (extent - 1) / 10; rest > 0; rest /= 10)
        width++;
    tri_buf_format(format, "%s%%%dd", dimension ? ", " : "", width);
}

static void print_register(tri_gpu *g, MlirOperation op, tri_gpu_layout *layout, int operand, int r)
{
    enum { max_args = 16 };
    LLVMValueRef args[max_args];
    unsigned n = 0;
    tri_buf format = {0};
    tri_buf_add_z(&format, "pid (%d, %d, %d) ");
    for (int d = 0; d < 3; d++)
        args[n++] = tri_gpu_program_id(g, d);
    MlirValue value = mlirOperationGetOperand(op, operand);
    MlirType type = mlirValueGetType(value);
    tri_buf_add_z(&format, "idx (");
    for (int d = 0; layout && d < tri_type_rank(type); d++) {
        add_index(&format, d, tri_type_dim(type, d));
        args[n++] = tri_gpu_coordinate(g, layout, r, d);
    }
    tri_buf_add_z(&format, ")");
    add_text(&format, tri_op_string(op, "prefix"));
    if (mlirOperationGetNumOperands(op) > 1)
        tri_buf_format(&format, "(operand %d) ", operand);
    int32_t is_signed[32] = {0};
    tri_op_i32s(op, "isSigned", is_signed, 32);
    args[n++] = promote(g, tri_gpu_get(g, value).at[r], tri_type_element(type), is_signed[operand & 31] != 0,
                        tri_op_flag(op, "hex"), &format);
    tri_buf_add_z(&format, "\n");
    call_printf(g, &format, args, n);
    tri_buf_fini(&format);
}

static void print_prefix(tri_gpu *g, MlirOperation op)
{
    tri_buf format = {0};
    LLVMValueRef args[3];
    tri_buf_add_z(&format, "pid (%d, %d, %d)");
    add_text(&format, tri_op_string(op, "prefix"));
    tri_buf_add_z(&format, "\n");
    for (int d = 0; d < 3; d++)
        args[d] = tri_gpu_program_id(g, d);
    tri_gpu_if state = tri_gpu_begin_if(g, tri_gpu_writer(g, NULL));
    call_printf(g, &format, args, 3);
    tri_gpu_end_if(g, state);
    tri_buf_fini(&format);
}

static bool run_print(tri_gpu *g, MlirOperation op)
{
    if (!g->machine->print && !tri_machine_has(g, TRI_MACHINE_vprintf))
        return tri_gpu_unsupported(g, op, "the device has no printf");
    if (mlirOperationGetNumOperands(op) == 0)
        print_prefix(g, op);
    for (int i = 0; i < (int)mlirOperationGetNumOperands(op); i++) {
        MlirType type = mlirValueGetType(mlirOperationGetOperand(op, i));
        tri_gpu_layout *layout = tri_type_is_tensor(type) ? tri_gpu_layout_of(g, op, type) : NULL;
        if (tri_type_is_tensor(type) && !layout)
            return false;
        LLVMValueRef owner = tri_gpu_writer(g, layout);
        tri_gpu_if state = {0};
        if (owner)
            state = tri_gpu_begin_if(g, owner);
        for (int r = 0; r < (layout ? layout->registers : 1); r++)
            if (!layout || !((uint64_t)r & layout->replicas.reg))
                print_register(g, op, layout, i, r);
        if (owner)
            tri_gpu_end_if(g, state);
    }
    return true;
}

const tri_gpu_op tri_gpu_ops_debug[] = {
    {"tt.print", run_print, NULL},
    {"tt.assert", run_assert, NULL},
    {0},
};
