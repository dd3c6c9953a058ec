/* Host objects: a launcher per kernel around code for the host or images for devices; and what describes them: the C
 * header and the JSON record. All of it is made from a bundle: the units of one program, one for each variant. */
#ifndef TRI_TARGETS_OBJECT_OBJECT_H
#define TRI_TARGETS_OBJECT_OBJECT_H

#include "ir/kernel.h"
#include "runtime/launch/launch.h"
#include "targets/target.h"

/* What one unit came to. */
typedef struct {
    tri_unit *unit;       /* its kernels, target and architecture */
    tri_str code, binary; /* of the family's kinds; binary is empty where there is none */
    bool has_code;        /* objects hold the code of a device, beside the binary or alone */
} tri_part;

typedef struct {
    tri_arena *arena;           /* borrowed, as are the others */
    tri_diag *diag;
    const tri_options *options; /* what is common to all units */
    bool is_from_source;        /* the input is a kernel source */
    tri_str source_name;        /* of the input, as the diag has its text */
    const tri_source *tuning;   /* -ftune: which configuration is fastest for what; null: not given */
    TRI_VEC(tri_part) parts;    /* at least one */
} tri_bundle;

/* How a signature type looks to C callers. */
typedef struct {
    const char *name;  /* spelling in signatures: "fp32", "*" for other pointers */
    const char *c;     /* C spelling: "float"; of what is pointed to for pointers */
    unsigned bits;     /* passed as an integer of so many bits; 0: pointer */
    enum { TRI_CTYPE_INT, TRI_CTYPE_F32, TRI_CTYPE_F64, TRI_CTYPE_F16, TRI_CTYPE_BF16, TRI_CTYPE_PTR,
        TRI_CTYPE_DESC } kind;
    bool is_const;
    int rank; /* of a descriptor */
} tri_object_ctype;

/* False when the type has no C form for the target (not reported). */
bool tri_object_get_ctype(const tri_target *target, const tri_kernel_param *param, tri_object_ctype *out_type);

/* An argument of a launcher. Members of a tuple are arguments of their own. */
typedef struct {
    tri_str name;        /* "x", of members "x_0" */
    tri_str spelled;     /* the type as signatures have it */
    tri_object_ctype type;
    int32_t divisibility; /* that the code relies on; at most 1: none */
    bool is_small;       /* ... and that it points to less than 2 GiB */
    bool is_constant;    /* the code was made for `value` and takes no argument */
    uint64_t value;
    unsigned slot;       /* its first place among the launcher's arguments: a descriptor has several */
} tri_object_arg;

/* What a launcher's arguments hold of a descriptor, counted from its first place: the address of the tri_tensordesc
 * itself, what is in it, two flags of a byte, and from TRI_DESC_EXTENTS on its shape and its strides. */
enum { TRI_DESC_BASE = 1, TRI_DESC_PADDING, TRI_DESC_ROUNDING, TRI_DESC_EXTENTS };

typedef struct {
    TRI_VEC(tri_object_arg) at;
    unsigned slots;
} tri_object_args;

/* A parameter of the kernel's code, of which a tuple or a descriptor has several. */
typedef struct {
    tri_str name; /* "d.shape.0" */
    tri_str type; /* "i64" */
} tri_object_word;
typedef TRI_VEC(tri_object_word) tri_object_words;
/* All that the code of a kernel takes, in its order. */
tri_object_words tri_object_list_words(const tri_unit *unit, const tri_kernel *kernel);

/* The arguments of a kernel's launcher. False after a report: C cannot pass one. */
bool tri_object_get_args(const tri_unit *unit, const tri_kernel *kernel, tri_object_args *out);

/* An argument of the launcher as the code takes it. */
typedef struct {
    unsigned slot, bytes;
    bool is_pointer;
} tri_object_slot;
typedef TRI_VEC(tri_object_slot) tri_object_slots;
/* All of them, in the order of the code's parameters. */
tri_object_slots tri_object_list_slots(const tri_unit *unit, const tri_object_args *args);

/* One kernel of a bundle: its name, and the compiled form that says how it is called. */
typedef struct {
    tri_str name;
    const tri_unit *unit;
    const tri_kernel *general;
} tri_object_kernel;

typedef TRI_VEC(tri_object_kernel) tri_object_kernels;

/* The kernels of all parts, each once, in order. */
tri_object_kernels tri_object_list_kernels(const tri_bundle *bundle);

/* How many configurations of it the bundle has, compiled or not: 1 + the highest number; 1 without any. */
uint64_t tri_object_count_configs(const tri_bundle *bundle, tri_str name);
/* Does the launcher of this suffix ("", "_run", "_tune", "_checked") take a grid? */
bool tri_object_takes_grid(const tri_object_kernel *kernel, const char *suffix);

/* The forms of a kernel in one part, those with most conditions first. */
typedef TRI_VEC(const tri_kernel *) tri_object_variants;
tri_object_variants tri_object_list_variants(const tri_part *part, tri_str name);

/* Tensor maps that the kernel's launcher makes (ir/kernel.h), of the arguments that its code takes. */
typedef struct {
    tri_rt_map row; /* of `steps` */
    TRI_VEC(tri_rt_step) steps;
} tri_object_map;
typedef TRI_VEC(tri_object_map) tri_object_maps;
tri_object_maps tri_object_read_maps(tri_arena *arena, const tri_kernel *kernel, size_t num_args);
/* The same for people and other launchers: appends a list for JSON. */
void tri_writer_describe_maps(const tri_kernel *kernel, tri_buf *out);
/* TRI_RT_ADD ... of a word that is an operator of expressions; -1: it is none. */
int tri_object_operator(tri_str word);

/* Appends the object. False after a report. */
bool tri_object_write(const tri_bundle *bundle, tri_buf *out);

/* Appends the C header of the bundle's kernels; `guard` is what the include guard is made from (a file name, or
 * empty). False after a report. */
bool tri_header_write(const tri_bundle *bundle, tri_str guard, tri_buf *out);

/* Is it a word that cannot name a parameter in C or C++ though it can in the source language? An underscore follows
 * it there. */
bool tri_header_is_reserved(tri_str name);

/* Appends the record of -emit=json: an object with a list of kernels. */
bool tri_json_write(const tri_bundle *bundle, tri_buf *out);

#endif
