/* Arrays of the kernel runner: types, .npy files, generators, comparison. */
#include "runtime/run/array.h"

#include "base/file.h"

#include <math.h>
#include <stdio.h>

static int failures;

#define CHECK(cond) ((cond) ? (void)0 : (void)(failures++, fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond)))

static void test_types(tri_arena *arena)
{
    int64_t shape[] = {4};
    for (int dtype = 0; dtype < TRI_DTYPE_COUNT; dtype++) {
        tri_array a = tri_array_create(arena, (tri_dtype)dtype, 1, shape);
        for (int i = 0; i < 4; i++)
            tri_array_set(&a, i, i & 1);
        CHECK(tri_array_get(&a, 1) == 1 && tri_array_get(&a, 2) == 0);
        tri_dtype found;
        CHECK(tri_dtype_find(tri_str_from(tri_dtype_signature((tri_dtype)dtype)), &found) && found == (tri_dtype)dtype);
    }
    tri_array h = tri_array_create(arena, TRI_DTYPE_BF16, 1, shape);
    tri_array_set(&h, 0, 1.00390625); /* a tie between 1 and 1.0078125 goes to even */
    tri_array_set(&h, 1, -3.5);
    tri_array_set(&h, 2, 1e39);
    CHECK(tri_array_get(&h, 0) == 1 && tri_array_get(&h, 1) == -3.5 && isinf(tri_array_get(&h, 2)));
}

static void test_npy(tri_arena *arena)
{
    tri_diag *diag = tri_diag_create();
    int64_t shape[] = {3, 5};
    tri_array a = tri_array_create(arena, TRI_DTYPE_F32, 2, shape), b;
    CHECK(tri_array_fill(diag, &a, TRI_STR("randn"), TRI_STR("seed=7")));
    tri_str path;
    int error;
    CHECK(tri_file_make_temporary(arena, ".npy", &path, &error));
    CHECK(tri_array_write_npy(diag, path, &a) && tri_array_read_npy(diag, arena, path, TRI_DTYPE_COUNT, &b));
    CHECK(b.rank == 2 && b.shape[1] == 5 && memcmp(a.data, b.data, 60) == 0);
    /* column-major, as numpy writes a transposed array */
    static const char fortran[] = "\x93NUMPY\x01\x00\x46\x00{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }"
                                  "           \n\0\0\0\0\3\0\0\0\1\0\0\0\4\0\0\0\2\0\0\0\5\0\0";
    CHECK(tri_file_write(path, (tri_str){fortran, sizeof fortran}, &error));
    CHECK(tri_array_read_npy(diag, arena, path, TRI_DTYPE_COUNT, &b));
    for (int i = 0; i < 6; i++)
        CHECK(tri_array_get(&b, i) == i);
    /* big-endian, as other machines and some file formats leave it, and of bytes without a type */
    static const char big[] = "\x93NUMPY\x01\x00\x46\x00{'descr': '>i4', 'fortran_order': True, 'shape': (2, 3), }"
                              "           \n\0\0\0\0\0\0\0\3\0\0\0\1\0\0\0\4\0\0\0\2\0\0\0\5";
    CHECK(tri_file_write(path, (tri_str){big, sizeof big - 1}, &error));
    CHECK(tri_array_read_npy(diag, arena, path, TRI_DTYPE_COUNT, &b));
    for (int i = 0; i < 6; i++)
        CHECK(tri_array_get(&b, i) == i);
    static const char raw[] = "\x93NUMPY\x01\x00\x46\x00{'descr': '|V2', 'fortran_order': False, 'shape': (1,), }"
                              "            \n\x80\x3f";
    CHECK(tri_file_write(path, (tri_str){raw, sizeof raw - 1}, &error));
    CHECK(tri_array_read_npy(diag, arena, path, TRI_DTYPE_BF16, &b) && tri_array_get(&b, 0) == 1);
    tri_diag_hold(diag);
    CHECK(!tri_array_read_npy(diag, arena, path, TRI_DTYPE_COUNT, &b)); /* of which type? */
    CHECK(!tri_array_read_npy(diag, arena, path, TRI_DTYPE_F32, &b));
    CHECK(tri_file_write(path, (tri_str){fortran, sizeof fortran - 9}, &error));
    CHECK(!tri_array_read_npy(diag, arena, path, TRI_DTYPE_COUNT, &b)); /* cut short */
    CHECK(tri_file_write(path, TRI_STR("no array"), &error));
    CHECK(!tri_array_read_npy(diag, arena, path, TRI_DTYPE_COUNT, &b));
    CHECK(!tri_array_fill(diag, &a, TRI_STR("rand"), TRI_STR("sed=1")) && tri_diag_error_count(diag) == 5);
    tri_diag_drop(diag);
    tri_file_remove_temporaries();
    tri_diag_destroy(diag);
}

static void test_compare(tri_arena *arena)
{
    int64_t shape[] = {2, 3};
    tri_array a = tri_array_create(arena, TRI_DTYPE_F32, 2, shape),
              b = tri_array_create(arena, TRI_DTYPE_F32, 2, shape);
    tri_buf out = {0};
    tri_array_set(&a, 5, NAN);
    tri_array_set(&b, 5, NAN);
    CHECK(tri_array_compare(&a, &b, 0, 0, &out) && out.len == 0);
    tri_array_set(&a, 4, 1.5);
    tri_array_set(&a, 1, -8);
    CHECK(!tri_array_compare(&a, &b, 0, 1, &out));
    CHECK(tri_str_has_prefix(tri_buf_str(&out), "2 of 6 elements differ"));
    CHECK(strstr(out.data, "[0, 1]: got -8, expected 0") < strstr(out.data, "[1, 1]: got 1.5"));
    CHECK(tri_array_compare(&a, &b, 0, 8, &out));
    tri_array_set(&b, 5, 0);
    CHECK(!tri_array_compare(&a, &b, 0, 1e9, &out)); /* NaN is never near */
    tri_buf_fini(&out);
    int rank;
    int64_t dims[TRI_ARRAY_MAX_RANK];
    CHECK(tri_array_parse_shape(TRI_STR("64x3"), &rank, dims) && rank == 2 && dims[1] == 3);
    CHECK(!tri_array_parse_shape(TRI_STR("64x"), &rank, dims) && !tri_array_parse_shape(TRI_STR("-1"), &rank, dims));
}

int main(void)
{
    tri_arena *arena = tri_arena_create();
    test_types(arena);
    test_npy(arena);
    test_compare(arena);
    tri_arena_destroy(arena);
    return failures != 0;
}
