/* The structures of runtime/launch/record.def as constants of an LLVM module. Private to targets/object. */
#ifndef TRI_TARGETS_OBJECT_RECORD_H
#define TRI_TARGETS_OBJECT_RECORD_H

#include "runtime/launch/launch.h"

#include "llvm-c/Types.h"

#include <stddef.h>

typedef enum {
#define RECORD(name) TRI_RECORD_##name,
#define FIELD(record, kind, type, name)
#define END(name)
#include "runtime/launch/record.def"
    TRI_RECORD_COUNT,
} tri_record_kind;

enum { TRI_RECORD_MAX_FIELDS = 24 };

/* A structure whose fields are zero until they are set. */
typedef struct {
    LLVMContextRef llvm;
    tri_record_kind kind;
    LLVMValueRef values[TRI_RECORD_MAX_FIELDS];
} tri_record;

tri_record tri_record_start(LLVMContextRef llvm, tri_record_kind kind);
/* By the place that the field has in the C structure. */
void tri_record_put(tri_record *record, size_t offset, LLVMValueRef value);
void tri_record_put_number(tri_record *record, size_t offset, uint64_t value);
LLVMValueRef tri_record_finish(const tri_record *record);
LLVMTypeRef tri_record_type(LLVMContextRef llvm, tri_record_kind kind);

#define tri_record_set(record, name, field, value) tri_record_put((record), offsetof(tri_rt_##name, field), (value))
#define tri_record_set_number(record, name, field, value) \
    tri_record_put_number((record), offsetof(tri_rt_##name, field), (uint64_t)(value))

#endif
