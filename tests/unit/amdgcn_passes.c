/* What each pass of targets/amdgcn makes of LLVM IR gives the same numbers on the simulator as the code without it, and
 * other ones when a value that it made is off by one. */
#include "base/file.h"
#include "ir/llvm.h"
#include "targets/amdgcn/amdgcn.h"
#include "tests/unit/gpu_run.h"

#include "llvm-c/Core.h"

enum { count = 1 << 13, steps = 5, label = 300 };

static float x[count], y[count], without[count];

#define PREPARE \
    "always-inline,globaldce,function(early-cse,instcombine<no-verify-fixpoint>,simplifycfg,reassociate," \
    "early-cse<memssa>,correlated-propagation,instcombine<no-verify-fixpoint>,simplifycfg,adce,slp-vectorizer," \
    "early-cse)"

typedef struct {
    const char *name; /* of its kernel, too */
    int warps;
    bool is_early; /* before LLVM's passes */
    void (*run)(tri_unit *unit);
    void (*prepare)(LLVMModuleRef module); /* makes what it looks for, or null */
} pass;

static void run_offsets(tri_unit *unit) { tri_amdgcn_count_offsets(unit->arena, unit->llvm_module); }
static void run_counters(tri_unit *unit) { tri_amdgcn_merge_counters(unit->arena, unit->llvm_module); }
static void run_narrow(tri_unit *unit) { tri_amdgcn_narrow_numbers(unit->arena, unit->llvm_module); }
static void run_unpack(tri_unit *unit) { tri_amdgcn_unpack_floats(unit->arena, unit->llvm_module); }
static void run_round(tri_unit *unit) { tri_amdgcn_round_to_bf16(unit->llvm_module); }
static void run_constants(tri_unit *unit) { tri_amdgcn_move_constants(unit->llvm_module); }
static void run_distances(tri_unit *unit) { tri_amdgcn_compare_distances(unit->arena, unit->llvm_module); }

/* What is done to a kernel: nothing, its pass, or that and an error in the value `broken` of those that it made. */
typedef struct {
    const pass *pass;
    int broken, *out_made; /* out_made: how many values can be broken */
} job;

enum { nothing = -2, none = -1 };

static LLVMValueRef next_of(LLVMValueRef i)
{
    LLVMValueRef next = LLVMGetNextInstruction(i);
    if (next)
        return next;
    LLVMBasicBlockRef block = LLVMGetNextBasicBlock(LLVMGetInstructionParent(i));
    return block ? LLVMGetFirstInstruction(block) : NULL;
}

static LLVMValueRef first_of(LLVMModuleRef module)
{
    LLVMValueRef f = LLVMGetNamedFunction(module, "kernel");
    return LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f));
}

static LLVMValueRef pair_of(LLVMBuilderRef b, LLVMValueRef first, LLVMValueRef second)
{
    LLVMTypeRef type = LLVMTypeOf(first), i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef pair = LLVMGetPoison(LLVMVectorType(type, 2));
    pair = LLVMBuildInsertElement(b, pair, first, LLVMConstInt(i32, 0, false), "");
    return LLVMBuildInsertElement(b, pair, second, LLVMConstInt(i32, 1, false), "");
}

/* Two neighbouring operations at once, as LLVM's vectorizer takes them in code for the chip: it sees no such pairs in
 * numbers that go to and come from the simulator's memory. */
static void pair_floats(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    for (LLVMValueRef i = first_of(module), next; i; i = next) {
        next = next_of(i);
        bool is_float = next && (tri_llvm_is(i, LLVMFAdd) || tri_llvm_is(i, LLVMFMul));
        if (!is_float || !tri_llvm_is(next, LLVMGetInstructionOpcode(i)) || LLVMGetOperand(next, 0) == i ||
            LLVMGetOperand(next, 1) == i)
            continue;
        LLVMValueRef both[] = {i, next}, operands[2], lanes[2];
        LLVMPositionBuilderBefore(b, i);
        for (unsigned k = 0; k < 2; k++)
            operands[k] = pair_of(b, LLVMGetOperand(i, k), LLVMGetOperand(next, k));
        LLVMValueRef made = LLVMBuildBinOp(b, LLVMGetInstructionOpcode(i), operands[0], operands[1], "");
        next = next_of(next);
        for (unsigned k = 0; k < 2; k++)
            lanes[k] = LLVMBuildExtractElement(b, made, LLVMConstInt(LLVMInt32TypeInContext(context), k, false), "");
        for (unsigned k = 0; k < 2; k++) {
            LLVMReplaceAllUsesWith(both[k], lanes[k]);
            LLVMInstructionEraseFromParent(both[k]);
        }
    }
    LLVMDisposeBuilder(b);
}

static const pass passes[] = {
    {"offsets", 1, true, run_offsets, NULL},      {"counters", 1, true, run_counters, NULL},
    {"narrow", 1, false, run_narrow, NULL},       {"unpack", 1, false, run_unpack, pair_floats},
    {"distances", 1, false, run_distances, NULL}, {"round", 1, false, run_round, NULL},
    {"constants", 4, false, run_constants, NULL},
};

static unsigned mark_of(LLVMModuleRef module)
{
    return LLVMGetMDKindIDInContext(LLVMGetModuleContext(module), "old", 3);
}

static void mark_all(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMValueRef node = LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, NULL, 0));
    for (LLVMValueRef i = first_of(module); i; i = next_of(i))
        LLVMSetMetadata(i, mark_of(module), node);
}

static bool is_made(LLVMModuleRef module, LLVMValueRef i)
{
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(i));
    return (kind == LLVMIntegerTypeKind || kind == LLVMFloatTypeKind) && LLVMGetFirstUse(i) &&
           !LLVMGetMetadata(i, mark_of(module));
}

/* Whoever uses the value gets one more than it. */
static void break_value(LLVMModuleRef module, LLVMValueRef value)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    LLVMValueRef next = LLVMGetNextInstruction(value);
    LLVMPositionBuilderBefore(b, LLVMIsAPHINode(value) ? tri_llvm_behind_phis(LLVMGetInstructionParent(value)) : next);
    LLVMTypeRef type = LLVMTypeOf(value);
    bool is_float = LLVMGetTypeKind(type) == LLVMFloatTypeKind;
    LLVMValueRef one = is_float ? LLVMConstReal(type, 1) : LLVMConstInt(type, 1, false);
    LLVMValueRef wrong = is_float ? LLVMBuildFAdd(b, value, one, "") : LLVMBuildAdd(b, value, one, "");
    LLVMDisposeBuilder(b);
    LLVMReplaceAllUsesWith(value, wrong);
    LLVMSetOperand(wrong, 0, value);
}

static bool change(tri_unit *unit, const void *data)
{
    const job *j = data;
    tri_llvm_start_target("amdgcn");
    LLVMSetDataLayout(unit->llvm_module, tri_amdgcn_simulated_layout);
    LLVMTargetMachineRef machine =
        tri_llvm_create_machine(unit->diag, tri_amdgcn_machine.triple, unit->arch->cpu, "", 2);
    if (!machine)
        return false;
    bool ok = j->pass->is_early || tri_llvm_run_passes(unit->diag, unit->llvm_module, machine, PREPARE);
    tri_llvm_dispose_machine(machine);
    if (!ok)
        return false;
    if (j->pass->prepare)
        j->pass->prepare(unit->llvm_module);
    mark_all(unit->llvm_module);
    if (j->broken != nothing)
        j->pass->run(unit);
    int made = 0;
    for (LLVMValueRef i = first_of(unit->llvm_module), next; i; i = next) {
        next = next_of(i);
        if (is_made(unit->llvm_module, i) && made++ == j->broken)
            break_value(unit->llvm_module, i);
    }
    *j->out_made = made;
    LLVMSetDataLayout(unit->llvm_module, "");
    return tri_llvm_verify(unit->diag, unit->llvm_module);
}

/* Of a file with a line "// name" before each kernel. */
static const char *text_of(tri_arena *arena, const char *name)
{
    tri_str text, path = tri_str_format(arena, "%s/tests/unit/amdgcn_passes.ttir", getenv("SRCDIR"));
    int error = 0;
    if (!tri_file_read(arena, path, &text, &error))
        return "";
    const char *begin = strstr(text.data, tri_str_format(arena, "// %s\n", name).data);
    const char *end = begin ? strstr(begin + 2, "\n// ") : NULL;
    size_t size = !begin ? 0 : end ? (size_t)(end - begin) : strlen(begin);
    return tri_str_copy(arena, (tri_str){begin, size}).data;
}

/* How many values can be broken; negative: what ran was refused. */
static int run(const char *text, const pass *p, int broken)
{
    int made = 0;
    job j = {p, broken, &made};
    memset(y, 0, sizeof y);
    gpu_case c = {.text = text, .arch = "gfx942", .warps = p->warps, .change = change, .data = &j};
    gpu_arg args[] = {GPU_BUFFER(x), GPU_BUFFER(y), GPU_INT(steps), GPU_INT(label)};
    return gpu_run(&c, args, 4) ? made : -1;
}

static void test(tri_arena *arena, const pass *p)
{
    const char *text = text_of(arena, p->name);
    CHECK(run(text, p, nothing) == 0);
    memcpy(without, y, sizeof y);
    int made = run(text, p, none), caught = 0;
    CHECK(made > 0 && !memcmp(y, without, sizeof y));
    for (int i = 0; i < made; i++)
        caught += run(text, p, i) < 0 || memcmp(y, without, sizeof y);
    CHECK(2 * caught > made); /* some are bits that rounding drops */
}

int main(void)
{
    tri_arena *arena = tri_arena_create();
    for (int i = 0; i < count; i++)
        x[i] = (float)(i % 97);
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
        test(arena, &passes[i]);
    tri_arena_destroy(arena);
    return failures ? 1 : 0;
}
