#include "targets/object/record.h"

#include "base/diag.h"

#include "llvm-c/Core.h"

typedef enum { PTR, I64, I32, I16 } field_kind;

typedef struct {
    tri_record_kind record;
    field_kind kind;
    size_t offset, size;
} field;

static const field fields[] = {
#define RECORD(name)
#define FIELD(record, kind, type, name) \
    {TRI_RECORD_##record, kind, offsetof(tri_rt_##record, name), sizeof(((tri_rt_##record *)0)->name)},
#define END(name)
#include "runtime/launch/record.def"
};

enum { field_count = sizeof fields / sizeof *fields };

static LLVMTypeRef type_of(LLVMContextRef llvm, const field *f)
{
    static const size_t sizes[] = {[PTR] = 8, [I64] = 8, [I32] = 4, [I16] = 2};
    TRI_ASSERT(f->size == sizes[f->kind]);
    return f->kind == PTR ? LLVMPointerTypeInContext(llvm, 0) : LLVMIntTypeInContext(llvm, (unsigned)f->size * 8);
}

/* The fields of a structure stand together. */
static const field *fields_of(tri_record_kind kind, unsigned *out_count)
{
    size_t first = 0;
    while (fields[first].record != kind)
        first++;
    *out_count = 0;
    for (size_t i = first; i < field_count && fields[i].record == kind; i++)
        ++*out_count;
    TRI_ASSERT(*out_count <= TRI_RECORD_MAX_FIELDS);
    return &fields[first];
}

tri_record tri_record_start(LLVMContextRef llvm, tri_record_kind kind)
{
    unsigned count;
    const field *f = fields_of(kind, &count);
    tri_record record = {.llvm = llvm, .kind = kind};
    for (unsigned i = 0; i < count; i++)
        record.values[i] = LLVMConstNull(type_of(llvm, &f[i]));
    return record;
}

static unsigned index_of(const tri_record *record, size_t offset)
{
    unsigned count, i = 0;
    const field *f = fields_of(record->kind, &count);
    while (f[i].offset != offset)
        i++;
    TRI_ASSERT(i < count);
    return i;
}

void tri_record_put(tri_record *record, size_t offset, LLVMValueRef value)
{
    if (value)
        record->values[index_of(record, offset)] = value;
}

void tri_record_put_number(tri_record *record, size_t offset, uint64_t value)
{
    unsigned i = index_of(record, offset);
    record->values[i] = LLVMConstInt(LLVMTypeOf(record->values[i]), value, false);
}

LLVMValueRef tri_record_finish(const tri_record *record)
{
    unsigned count;
    fields_of(record->kind, &count);
    return LLVMConstStructInContext(record->llvm, (LLVMValueRef *)record->values, count, false);
}

LLVMTypeRef tri_record_type(LLVMContextRef llvm, tri_record_kind kind)
{
    tri_record record = tri_record_start(llvm, kind);
    return LLVMTypeOf(tri_record_finish(&record));
}
