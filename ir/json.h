/* JSON texts as trees, by LLVM's reader (llvm/Support/JSON.h). */
#ifndef TRI_IR_JSON_H
#define TRI_IR_JSON_H

#ifdef __cplusplus
extern "C" {
#endif

#include "base/str.h"

typedef enum {
    TRI_JSON_NULL,
    TRI_JSON_BOOL,
    TRI_JSON_NUMBER,
    TRI_JSON_STRING,
    TRI_JSON_ARRAY,
    TRI_JSON_OBJECT
} tri_json_kind;

typedef struct tri_json tri_json;
struct tri_json {
    tri_json_kind kind;
    bool truth;
    double number;
    tri_str string; /* NUL-terminated */
    size_t count;   /* of an array or object */
    tri_str *keys;  /* of an object */
    tri_json *items;
};

/* Null: it is no JSON, not UTF-8, or nested more than 200 deep. */
const tri_json *tri_json_parse(tri_arena *arena, tri_str text);

/* A member of an object by its path ("params.textDocument.uri"); null: there is none. */
const tri_json *tri_json_get(const tri_json *json, const char *path);
/* The same as a string or number; empty, or `otherwise`, when it is absent or another thing. */
tri_str tri_json_string(const tri_json *json, const char *path);
int64_t tri_json_number(const tri_json *json, const char *path, int64_t otherwise);

#ifdef __cplusplus
}
#endif

#endif
