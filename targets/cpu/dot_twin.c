/* Functions that multiply. In an object that runs with AMX and without there is one program for both: it packs operands
 * as tiles want them, and calls one of two functions for a product, as the hidden parameter `tiles` of all functions
 * says: with tiles, or of the same operands without (dot_plain.c). Products of one shape have one function. */
#include "targets/cpu/dot.h"

#include "ir/llvm.h"

/* What is not marked gets the features of the form without AMX. */
void tri_cpu_twin_mark(tri_cpu_gen *g, LLVMValueRef fn)
{
    if (!g->plain)
        return;
    tri_llvm_set_attribute(fn, "target-cpu", g->host.cpu);
    if (*g->host.features)
        tri_llvm_set_attribute(fn, "target-features", g->host.features);
}

/* Is it true, false or not known before the function is called? */
static bool is_said(LLVMValueRef fresh) { return !fresh || LLVMIsAConstantInt(fresh); }

/* The parameters' part of `x`: a product of one row is that row's. */
static void take_parameters(tri_cpu_product *x, LLVMValueRef fn)
{
    tri_cpu_gen *g = x->g;
    LLVMTypeRef row = tri_cpu_product_row(g);
    x->table = LLVMGetParam(fn, 0);
    x->trips = LLVMGetParam(fn, 1);
    x->d = LLVMGetParam(fn, 2);
    if (x->is_split)
        x->facts = LLVMGetParam(fn, LLVMCountParams(fn) - 1);
    if (x->most_trips) {
        x->is_fresh = LLVMGetParam(fn, 3);
        x->out = LLVMGetParam(fn, 4);
        x->out_stride = LLVMGetParam(fn, 5);
        x->is_narrow = x->is_narrow ? LLVMGetParam(fn, TRI_CPU_PRODUCT_MORE) : NULL;
        return;
    }
    x->a = LLVMBuildLoad2(g->b, g->ptr, LLVMBuildStructGEP2(g->b, row, x->table, 0, ""), "");
    x->a_stride = LLVMBuildLoad2(g->b, g->i64, LLVMBuildStructGEP2(g->b, row, x->table, 1, ""), "");
    x->b = LLVMBuildLoad2(g->b, g->ptr, LLVMBuildStructGEP2(g->b, row, x->table, 2, ""), "");
    x->is_fresh = is_said(x->is_fresh) ? x->is_fresh : LLVMGetParam(fn, 3);
    x->table = x->trips = NULL;
}

static LLVMValueRef add_function(const tri_cpu_product *x)
{
    static const char *const names[] = {"noinline", "nounwind"};
    tri_cpu_gen *g = x->g;
    LLVMTypeRef params[TRI_CPU_PRODUCT_PARAMS] = {g->ptr, g->i64, g->ptr, g->i1, g->ptr, g->i64};
    unsigned count = TRI_CPU_PRODUCT_MORE;
    if (x->is_narrow)
        params[count++] = g->i1;
    if (x->is_split)
        params[count++] = g->i64;
    LLVMTypeRef type = LLVMFunctionType(g->void_type, params, count, false);
    LLVMValueRef fn = LLVMAddFunction(g->module, "products", type);
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    for (int i = 0; i < 2; i++)
        tri_llvm_add_attribute(fn, names[i]);
    return fn;
}

static LLVMValueRef make_function(tri_cpu_gen *g, const tri_cpu_product *product, void (*emit)(tri_cpu_product *x))
{
    LLVMValueRef fn = add_function(product), outer = g->fn, tiles = g->tiles;
    LLVMBasicBlockRef entry = g->entry, at = g->at;
    int64_t block_count = g->block_count;
    g->fn = fn;
    g->tiles = NULL;
    g->entry = tri_cpu_new_block(g, "entry");
    LLVMBasicBlockRef start = g->at = tri_cpu_new_block(g, "start");
    tri_cpu_lines_stop(g);
    tri_cpu_at(g, 0);
    tri_cpu_product x = *product;
    take_parameters(&x, fn);
    emit(&x);
    tri_cpu_at(g, 0);
    LLVMBuildRetVoid(g->b);
    LLVMPositionBuilderAtEnd(g->b, g->entry);
    LLVMBuildBr(g->b, start);
    g->fn = outer;
    g->tiles = tiles;
    g->entry = entry;
    g->at = at;
    g->block_count = block_count;
    tri_cpu_at(g, 0);
    tri_cpu_lines_at(g, g->op);
    return fn;
}

bool tri_cpu_twin_suits(const tri_cpu_product *x) { return x->g->tiles && x->isa && x->isa->is_tile; }

typedef struct {
    tri_cpu_product x;
    LLVMValueRef with, without; /* without: null where there is one form */
} twin;

static bool is_same_type(tri_cpu_type x, tri_cpu_type y) { return x.kind == y.kind && x.bits == y.bits; }

static bool is_same_function(const tri_cpu_product *x, const tri_cpu_product *y)
{
    bool is_same_shape = x->batch == y->batch && x->m == y->m && x->n == y->n && x->k == y->k &&
                         x->strip == y->strip && x->span == y->span && x->most_trips == y->most_trips;
    bool are_same_types = is_same_type(x->compute, y->compute) && x->isa == y->isa && x->is_split == y->is_split &&
                          mlirTypeEqual(x->mlir_element, y->mlir_element) && !x->is_narrow == !y->is_narrow &&
                          (!x->is_narrow || is_same_type(x->narrow, y->narrow));
    bool is_said_alike = is_said(x->is_fresh) || is_said(y->is_fresh) ? x->is_fresh == y->is_fresh : true;
    return is_same_shape && are_same_types && is_said_alike;
}

static twin *make_twin(const tri_cpu_product *x)
{
    tri_cpu_gen *g = x->g;
    twin *t = TRI_NEW(g->arena, twin);
    *t = (twin){.x = *x, .with = make_function(g, x, tri_cpu_product_emit)};
    tri_vec_push(g->arena, &g->twins, (void *)t);
    if (!tri_cpu_twin_suits(x))
        return t;
    tri_cpu_twin_mark(g, t->with);
    const tri_host host = g->host;
    g->host = *g->plain;
    t->without = make_function(g, x, tri_cpu_plain_emit);
    LLVMSetValueName2(t->without, "plain_products", sizeof "plain_products" - 1);
    g->host = host;
    return t;
}

LLVMValueRef tri_cpu_twin_function(const tri_cpu_product *x)
{
    tri_cpu_gen *g = x->g;
    const twin *t = NULL;
    for (size_t i = 0; i < g->twins.len && !t; i++)
        t = is_same_function(&((const twin *)g->twins.at[i])->x, x) ? g->twins.at[i] : NULL;
    t = t ? t : make_twin(x);
    return t->without ? LLVMBuildSelect(g->b, g->tiles, t->with, t->without, "") : t->with;
}

void tri_cpu_twin_call(const tri_cpu_product *x)
{
    tri_cpu_gen *g = x->g;
    LLVMValueRef function = tri_cpu_twin_function(x), row = tri_cpu_temp(g, tri_cpu_product_row(g), "product");
    LLVMTypeRef type = tri_cpu_product_row(g);
    LLVMBuildStore(g->b, x->a, LLVMBuildStructGEP2(g->b, type, row, 0, ""));
    LLVMBuildStore(g->b, x->a_stride ? x->a_stride : tri_cpu_i64(g, x->k), LLVMBuildStructGEP2(g->b, type, row, 1, ""));
    LLVMBuildStore(g->b, x->b, LLVMBuildStructGEP2(g->b, type, row, 2, ""));
    LLVMValueRef fresh = x->is_fresh ? x->is_fresh : LLVMConstInt(g->i1, 0, false);
    LLVMValueRef args[TRI_CPU_PRODUCT_PARAMS] = {row, tri_cpu_i64(g, 1), x->d, fresh, x->d, tri_cpu_i64(g, x->n)};
    int count = TRI_CPU_PRODUCT_MORE;
    if (x->is_split)
        args[count++] = x->facts;
    tri_cpu_twin_run(g, function, args, count);
}

void tri_cpu_twin_run(tri_cpu_gen *g, LLVMValueRef function, LLVMValueRef *args, int count)
{
    LLVMTypeRef params[TRI_CPU_PRODUCT_PARAMS];
    for (int i = 0; i < count; i++)
        params[i] = LLVMTypeOf(args[i]);
    LLVMBuildCall2(g->b, LLVMFunctionType(g->void_type, params, (unsigned)count, false), function, args,
                   (unsigned)count, "");
}
