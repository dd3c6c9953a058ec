/* Host objects: a launcher per kernel around code for a CPU or images for a GPU; and what describes
 * them: the C header and the JSON record. All of it is made from unit->kernels. */
#ifndef TRI_TARGETS_OBJECT_H
#define TRI_TARGETS_OBJECT_H

#include "targets/target.h"

/* How a signature type looks to C callers. */
typedef struct {
    const char *name;  /* spelling in signatures: "fp32", "*" for other pointers */
    const char *c;     /* C spelling: "float"; of what is pointed to for pointers */
    unsigned bits;     /* passed as an integer of so many bits; 0: pointer */
    enum { TRI_CTYPE_INT, TRI_CTYPE_F32, TRI_CTYPE_F64, TRI_CTYPE_F16, TRI_CTYPE_BF16, TRI_CTYPE_PTR, TRI_CTYPE_DESC } kind;
    bool is_const;
    int rank; /* of a descriptor */
} tri_object_ctype;

/* False when the type has no C form for the target (not reported). */
bool tri_object_get_ctype(const tri_target *target, const tri_kernel_param *param, tri_object_ctype *out_type);

/* unit->bytes is host assembly: the object with one launcher per kernel replaces it. */
bool tri_object_from_asm(tri_unit *unit);

/* One image of device code, for every kernel of the unit. */
typedef struct {
    tri_str arch;
    tri_str data;
    bool is_ptx; /* text; a NUL is added */
} tri_object_image;

/* Installs an object for this host that holds the images; CUDA driver. */
bool tri_object_from_images(tri_unit *unit, size_t count, const tri_object_image *images);

/* The C header of the unit's kernels; `guard` is what the include guard is made from (a file name, or
 * empty). False after a report. */
bool tri_header_write(tri_unit *unit, tri_str guard, tri_buf *out);

/* The record of -emit=json: an object with a list of kernels. */
void tri_json_write(tri_unit *unit, tri_buf *out);

#endif
