/* -fsanitize=bounds: every access through a pointer argument is compared with the length that the launch
 * gave for it.
 *
 *     %v = load <16 x float>, ptr %p
 * becomes
 *     %off = (lanes of %p) - (argument's address)
 *     %bad = %off > length - 4, for the lanes that are on
 *     call @tri_bounds_16(state, site, %off, %bad, ...)     inlined: reports when a lane is bad
 *     %v = load <16 x float>, ptr (select any %bad, scratch, %p)
 *
 * so a bad access is reported and not made, and the program goes on. It needs functions whose pointers are in
 * registers (after sroa), marked by tri_cpu_bounds_mark; addresses that were read from memory or made of integers
 * belong to no argument and are not checked. Tests: tests/targets/sanitize.bats. */
#include "targets/cpu/cpu.h"

#include "ir/llvm.h"

#include "llvm-c/DebugInfo.h"
#include "llvm-c/Target.h"

enum { hidden_params = 7, scratch_bytes = 1024, max_args = 256, max_lanes = 64 };
static const char mark[] = "tritcc-program";

/* Which argument a pointer comes from; merged over phis and selects. */
enum { root_unset = -1, root_none = -2, root_local = -3, root_several = -4 };

typedef struct {
    LLVMContextRef llvm;
    LLVMModuleRef module;
    LLVMTargetDataRef layout;
    LLVMBuilderRef b;
    LLVMTypeRef i1, i32, i64, ptr;
    tri_arena *arena;
    tri_unit *unit;
    const tri_kernel *kernel;
    LLVMValueRef fn, scratch, state;
    unsigned arg_count;
    LLVMValueRef bases[max_args], ends[max_args]; /* address and length of pointer arguments, as i64; else null */
    tri_map seen;
} checker;

typedef struct {
    LLVMValueRef access;
    unsigned operand;       /* the address's */
    LLVMValueRef mask;      /* null: all lanes */
    LLVMTypeRef element;
    int lanes;              /* 0: one element */
    bool has_addresses;     /* a vector of them */
    const char *kind;
} access;

void tri_cpu_bounds_mark(tri_cpu_gen *g, LLVMValueRef fn, tri_str symbol)
{
    LLVMAttributeRef a = LLVMCreateStringAttribute(g->llvm, mark, sizeof mark - 1, symbol.data, (unsigned)symbol.len);
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
}

/* ---- where a pointer comes from ---- */

static int merge(int x, int y)
{
    if (x == root_unset || y == root_unset)
        return x == root_unset ? y : x;
    if (x == y)
        return x;
    return x == root_none || y == root_none || x == root_local || y == root_local ? root_none : root_several;
}

static int root_of(checker *c, LLVMValueRef v)
{
    if (LLVMIsAArgument(v)) {
        for (unsigned i = 0; i < c->arg_count; i++)
            if (LLVMGetParam(c->fn, i) == v)
                return (int)i;
        return root_none;
    }
    if (LLVMIsAAllocaInst(v) || LLVMIsAGlobalVariable(v))
        return root_local;
    if (LLVMIsAUndefValue(v))
        return root_unset;
    if (!LLVMIsAInstruction(v) || tri_map_find_ptr(&c->seen, v))
        return LLVMIsAInstruction(v) ? root_unset : root_none;
    tri_map_set_ptr(&c->seen, v, c);
    int root = root_unset;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMGetElementPtr:
    case LLVMBitCast:
    case LLVMFreeze:
    case LLVMExtractElement:
        return root_of(c, LLVMGetOperand(v, 0));
    case LLVMInsertElement:
    case LLVMShuffleVector:
        return merge(root_of(c, LLVMGetOperand(v, 0)), root_of(c, LLVMGetOperand(v, 1)));
    case LLVMSelect:
        return merge(root_of(c, LLVMGetOperand(v, 1)), root_of(c, LLVMGetOperand(v, 2)));
    case LLVMPHI:
        for (unsigned i = 0; i < LLVMCountIncoming(v); i++)
            root = merge(root, root_of(c, LLVMGetIncomingValue(v, i)));
        return root;
    default:
        return root_none;
    }
}

/* ---- accesses ---- */

static bool is_vector(LLVMTypeRef type) { return LLVMGetTypeKind(type) == LLVMVectorTypeKind; }

static void set_type(access *a, LLVMTypeRef type)
{
    a->element = is_vector(type) ? LLVMGetElementType(type) : type;
    a->lanes = is_vector(type) ? (int)LLVMGetVectorSize(type) : 0;
}

/* Masked accesses: operands (address, mask, rest) of loads, (value, address, mask) of stores. */
static bool find_masked(LLVMValueRef v, access *a)
{
    tri_str name = tri_str_from(LLVMGetValueName(LLVMGetCalledValue(v)));
    bool is_load = tri_str_has_prefix(name, "llvm.masked.load.") || tri_str_has_prefix(name, "llvm.masked.gather.");
    bool is_store = tri_str_has_prefix(name, "llvm.masked.store.") || tri_str_has_prefix(name, "llvm.masked.scatter.");
    if (!is_load && !is_store)
        return false;
    *a = (access){.access = v, .operand = is_store, .kind = is_load ? "load" : "store"};
    a->mask = LLVMGetOperand(v, a->operand + 1);
    set_type(a, is_load ? LLVMTypeOf(v) : LLVMTypeOf(LLVMGetOperand(v, 0)));
    a->has_addresses = is_vector(LLVMTypeOf(LLVMGetOperand(v, a->operand)));
    return true;
}

static bool find_access(LLVMValueRef v, access *a)
{
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMLoad:
        *a = (access){.access = v, .kind = "load"};
        set_type(a, LLVMTypeOf(v));
        return true;
    case LLVMStore:
        *a = (access){.access = v, .operand = 1, .kind = "store"};
        set_type(a, LLVMTypeOf(LLVMGetOperand(v, 0)));
        return true;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        *a = (access){.access = v, .kind = "atomic"};
        set_type(a, LLVMTypeOf(LLVMGetOperand(v, 1)));
        return true;
    case LLVMCall:
        return LLVMGetCalledValue(v) && LLVMIsAFunction(LLVMGetCalledValue(v)) && find_masked(v, a);
    default:
        return false;
    }
}

/* ---- what is put before an access ---- */

static tri_str param_name(const checker *c, unsigned number)
{
    for (size_t i = 0; c->kernel && i < c->kernel->params.len; i++)
        if (!c->kernel->params.at[i].is_constexpr && number-- == 0)
            return c->kernel->params.at[i].name;
    return TRI_STR("");
}

/* tri_rt_site of runtime/launch/launch.h: {file, kind, name, line, column, size} */
static LLVMValueRef make_site(checker *c, const access *a, int root)
{
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(a->access);
    tri_str file = TRI_STR("");
    unsigned line = 0, column = 0, length = 0;
    if (at) {
        LLVMMetadataRef of = LLVMDIScopeGetFile(LLVMDILocationGetScope(at));
        const char *name = of ? LLVMDIFileGetFilename(of, &length) : "";
        file = (tri_str){name, length};
        line = LLVMDILocationGetLine(at);
        column = LLVMDILocationGetColumn(at);
    }
    tri_str name = root >= 0 ? param_name(c, (unsigned)root) : TRI_STR("");
    LLVMValueRef values[6] = {tri_llvm_text(c->module, file, "tri_text"),
                              tri_llvm_text(c->module, tri_str_from(a->kind), "tri_text"),
                              tri_llvm_text(c->module, name, "tri_text"),
                              LLVMConstInt(c->i32, line, false),
                              LLVMConstInt(c->i32, column, false),
                              LLVMConstInt(c->i64, LLVMABISizeOfType(c->layout, a->element), false)};
    LLVMValueRef init = LLVMConstStructInContext(c->llvm, values, 6, false);
    LLVMValueRef global = LLVMAddGlobal(c->module, LLVMTypeOf(init), "tri_site");
    LLVMSetInitializer(global, init);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

/* void tri_bounds_<n>(state, site, <n x i64> offsets, <n x i1> bad, i64 length, i32 x, i32 y, i32 z) */
static LLVMValueRef reporter(checker *c, unsigned lanes)
{
    tri_str name = tri_str_format(c->arena, "tri_bounds_%u", lanes);
    LLVMValueRef fn = LLVMGetNamedFunction(c->module, name.data);
    if (fn)
        return fn;
    LLVMTypeRef wide = LLVMVectorType(c->i64, lanes);
    LLVMTypeRef params[8] = {c->ptr, c->ptr, wide, LLVMVectorType(c->i1, lanes), c->i64, c->i32, c->i32, c->i32};
    LLVMTypeRef none = LLVMVoidTypeInContext(c->llvm);
    fn = LLVMAddFunction(c->module, name.data, LLVMFunctionType(none, params, 8, false));
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    tri_llvm_add_attribute(fn, "alwaysinline");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c->llvm);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(c->llvm, fn, "entry");
    LLVMBasicBlockRef bad = LLVMAppendBasicBlockInContext(c->llvm, fn, "bad");
    LLVMBasicBlockRef good = LLVMAppendBasicBlockInContext(c->llvm, fn, "good");
    LLVMPositionBuilderAtEnd(b, entry);
    LLVMTypeRef bits_type = LLVMIntTypeInContext(c->llvm, lanes);
    LLVMValueRef slot = LLVMBuildAlloca(b, wide, ""), bits = LLVMBuildBitCast(b, LLVMGetParam(fn, 3), bits_type, "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, bits, LLVMConstNull(bits_type), ""), bad, good);
    LLVMPositionBuilderAtEnd(b, bad);
    LLVMBuildStore(b, LLVMGetParam(fn, 2), slot);
    LLVMTypeRef rt_params[8] = {c->ptr, c->ptr, c->ptr, c->i64, c->i64, c->i32, c->i32, c->i32};
    LLVMTypeRef rt_type = LLVMFunctionType(none, rt_params, 8, false);
    LLVMValueRef rt = LLVMGetNamedFunction(c->module, "tri_cpu_rt_bounds");
    if (!rt)
        rt = LLVMAddFunction(c->module, "tri_cpu_rt_bounds", rt_type);
    LLVMValueRef args[8] = {LLVMGetParam(fn, 0), LLVMGetParam(fn, 1), slot,
                            LLVMBuildZExtOrBitCast(b, bits, c->i64, "")};
    for (unsigned i = 4; i < 8; i++)
        args[i] = LLVMGetParam(fn, i);
    LLVMBuildCall2(b, rt_type, rt, args, 8, "");
    LLVMBuildBr(b, good);
    LLVMPositionBuilderAtEnd(b, good);
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
    return fn;
}

static LLVMValueRef splat(checker *c, LLVMValueRef v, unsigned lanes)
{
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(v), lanes);
    LLVMValueRef zero = LLVMConstInt(c->i32, 0, false);
    LLVMValueRef one = LLVMBuildInsertElement(c->b, LLVMGetPoison(type), v, zero, "");
    return LLVMBuildShuffleVector(c->b, one, LLVMGetPoison(type), LLVMConstNull(LLVMVectorType(c->i32, lanes)), "");
}

/* The address of each lane, as <n x i64>. */
static LLVMValueRef lane_addresses(checker *c, const access *a, unsigned lanes, uint64_t size)
{
    LLVMValueRef at = LLVMGetOperand(a->access, a->operand);
    if (a->has_addresses)
        return LLVMBuildPtrToInt(c->b, at, LLVMVectorType(c->i64, lanes), "");
    LLVMValueRef steps[max_lanes];
    for (unsigned i = 0; i < lanes; i++)
        steps[i] = LLVMConstInt(c->i64, i * size, false);
    LLVMValueRef first = splat(c, LLVMBuildPtrToInt(c->b, at, c->i64, ""), lanes);
    return LLVMBuildAdd(c->b, first, LLVMConstVector(steps, lanes), "");
}

/* Lanes that lie outside of argument i. A length that is less than one element leaves none inside. */
static LLVMValueRef outside(checker *c, LLVMValueRef addresses, unsigned i, unsigned lanes, uint64_t size,
                            LLVMValueRef *out_offsets)
{
    LLVMBuilderRef b = c->b;
    LLVMValueRef bytes = LLVMConstInt(c->i64, size, false);
    LLVMValueRef last = LLVMBuildSub(b, c->ends[i], bytes, "");
    LLVMValueRef too_short = LLVMBuildICmp(b, LLVMIntULT, c->ends[i], bytes, "");
    *out_offsets = LLVMBuildSub(b, addresses, splat(c, c->bases[i], lanes), "");
    LLVMValueRef bad = LLVMBuildICmp(b, LLVMIntUGT, *out_offsets, splat(c, last, lanes), "");
    return LLVMBuildOr(b, bad, splat(c, too_short, lanes), "");
}

static void instrument(checker *c, const access *a, int root)
{
    LLVMBuilderRef b = c->b;
    unsigned lanes = a->lanes ? (unsigned)a->lanes : 1, count = LLVMCountParams(c->fn);
    uint64_t size = LLVMABISizeOfType(c->layout, a->element);
    LLVMPositionBuilderBefore(b, a->access);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(a->access));
    LLVMValueRef addresses = lane_addresses(c, a, lanes, size), bad = NULL, offsets = addresses;
    LLVMValueRef length = LLVMConstInt(c->i64, 0, false);
    if (root >= 0) {
        bad = outside(c, addresses, (unsigned)root, lanes, size, &offsets);
        length = c->ends[root];
    } else {
        LLVMValueRef unused;
        for (unsigned i = 0; i < c->arg_count; i++) {
            if (!c->bases[i])
                continue;
            LLVMValueRef now = outside(c, addresses, i, lanes, size, &unused);
            bad = bad ? LLVMBuildAnd(b, bad, now, "") : now;
        }
    }
    if (a->mask)
        bad = LLVMBuildAnd(b, bad, a->mask, "");
    LLVMValueRef args[8] = {c->state, make_site(c, a, root), offsets, bad, length};
    for (unsigned i = 0; i < 3; i++)
        args[5 + i] = LLVMGetParam(c->fn, count - hidden_params + i);
    LLVMValueRef fn = reporter(c, lanes);
    LLVMBuildCall2(b, LLVMGlobalGetValueType(fn), fn, args, 8, "");
    if (a->mask) {
        LLVMSetOperand(a->access, a->operand + 1, LLVMBuildAnd(b, a->mask, LLVMBuildNot(b, bad, ""), ""));
        return;
    }
    LLVMTypeRef bits_type = LLVMIntTypeInContext(c->llvm, lanes);
    LLVMValueRef any =
        LLVMBuildICmp(b, LLVMIntNE, LLVMBuildBitCast(b, bad, bits_type, ""), LLVMConstNull(bits_type), "");
    LLVMValueRef at = LLVMGetOperand(a->access, a->operand);
    LLVMSetOperand(a->access, a->operand, LLVMBuildSelect(b, any, c->scratch, at, ""));
}

/* ---- functions ---- */

/* Addresses and lengths of the pointer arguments, and a place for what is not to be touched. The launch's
 * state is {int error, streams; const uint64_t *lengths}; no lengths: all are unlimited. */
static void prepare(checker *c)
{
    LLVMBuilderRef b = c->b;
    unsigned count = LLVMCountParams(c->fn);
    c->arg_count = count - hidden_params;
    c->state = LLVMGetParam(c->fn, count - 1);
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(c->fn);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(entry));
    LLVMSetCurrentDebugLocation2(b, NULL);
    c->scratch = LLVMBuildAlloca(b, LLVMArrayType2(LLVMInt8TypeInContext(c->llvm), scratch_bytes), "scratch");
    LLVMSetAlignment(c->scratch, 64);
    LLVMBuildMemSet(b, c->scratch, LLVMConstInt(LLVMInt8TypeInContext(c->llvm), 0, false),
                    LLVMConstInt(c->i64, scratch_bytes, false), 64);
    LLVMValueRef one = LLVMConstInt(c->i64, 1, false);
    LLVMValueRef slot = LLVMBuildGEP2(b, c->ptr, c->state, &one, 1, "");
    LLVMValueRef lengths = LLVMBuildLoad2(b, c->ptr, slot, ""), unlimited = LLVMConstAllOnes(c->i64);
    LLVMValueRef has = LLVMBuildIsNotNull(b, lengths, "");
    LLVMValueRef table = LLVMBuildSelect(b, has, lengths, c->scratch, "");
    for (unsigned i = 0; i < c->arg_count && i < max_args; i++) {
        LLVMValueRef param = LLVMGetParam(c->fn, i), at = LLVMConstInt(c->i64, i, false);
        c->bases[i] = c->ends[i] = NULL;
        if (LLVMTypeOf(param) != c->ptr || i >= scratch_bytes / 8)
            continue;
        LLVMValueRef length = LLVMBuildLoad2(b, c->i64, LLVMBuildGEP2(b, c->i64, table, &at, 1, ""), "");
        c->ends[i] = LLVMBuildSelect(b, has, length, unlimited, "");
        c->bases[i] = LLVMBuildPtrToInt(b, param, c->i64, "");
    }
}

typedef TRI_VEC(access) accesses;

static void check_function(checker *c)
{
    accesses list = {0};
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(c->fn); block; block = LLVMGetNextBasicBlock(block)) {
        for (LLVMValueRef v = LLVMGetFirstInstruction(block); v; v = LLVMGetNextInstruction(v)) {
            access a;
            if (find_access(v, &a))
                tri_vec_push(c->arena, &list, a);
        }
    }
    prepare(c);
    for (size_t i = 0; i < list.len; i++) {
        tri_map_init(&c->seen, c->arena);
        int root = root_of(c, LLVMGetOperand(list.at[i].access, list.at[i].operand));
        bool has_root = root == root_several || (root >= 0 && c->bases[root]);
        if (has_root && list.at[i].lanes <= max_lanes)
            instrument(c, &list.at[i], root);
    }
}

void tri_cpu_bounds_run(tri_unit *unit)
{
    const LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMContextRef llvm = unit->llvm;
    checker c = {.unit = unit, .arena = unit->arena, .llvm = llvm, .module = unit->llvm_module};
    c.layout = LLVMGetModuleDataLayout(c.module);
    c.b = LLVMCreateBuilderInContext(llvm);
    c.i1 = LLVMInt1TypeInContext(llvm);
    c.i32 = LLVMInt32TypeInContext(llvm);
    c.i64 = LLVMInt64TypeInContext(llvm);
    c.ptr = LLVMPointerTypeInContext(llvm, 0);
    for (LLVMValueRef fn = LLVMGetFirstFunction(c.module); fn; fn = LLVMGetNextFunction(fn)) {
        LLVMAttributeRef a = LLVMGetStringAttributeAtIndex(fn, at, mark, sizeof mark - 1);
        if (!a || LLVMIsDeclaration(fn))
            continue;
        unsigned length;
        const char *symbol = LLVMGetStringAttributeValue(a, &length);
        c.kernel = NULL;
        for (size_t i = 0; i < unit->kernels.len; i++)
            if (tri_str_equal(unit->kernels.at[i].symbol, (tri_str){symbol, length}))
                c.kernel = &unit->kernels.at[i];
        c.fn = fn;
        check_function(&c);
        LLVMRemoveStringAttributeAtIndex(fn, at, mark, sizeof mark - 1);
    }
    LLVMDisposeBuilder(c.b);
}
