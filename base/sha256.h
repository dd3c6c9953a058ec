/* SHA-256, as FIPS 180-4 says it: names for contents. */
#ifndef TRI_BASE_SHA256_H
#define TRI_BASE_SHA256_H

#include "base/str.h"

enum { TRI_SHA256_TEXT = 64 };

typedef struct {
    uint32_t state[8];
    uint64_t size; /* bytes so far */
    unsigned char block[64];
} tri_sha256;

void tri_sha256_init(tri_sha256 *hash);
void tri_sha256_add(tri_sha256 *hash, const void *data, size_t size);
/* The digest in hexadecimal digits, with a NUL. */
void tri_sha256_finish(tri_sha256 *hash, char out_text[TRI_SHA256_TEXT + 1]);

#endif
