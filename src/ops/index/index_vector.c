/* Integers between a tensor and C: places that decide a shape. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include "array/form.h"
#include "base/alloc.h"
#include "ops/shape/arrange.h"

ty_tensor *index_vector(int64_t n, int64_t **data) {
    *data = NULL;
    int64_t size;
    if (!shape_check(1, &n, sizeof **data, &size))
        return refuse("index", 0, NULL, "%lld indices are too many", (long long)n);
    ty_tensor *x = form_return(tensor_new_value(TY_I64, 1, &n), TY_I64, 1, &n);
    if (ty_ok(x)) *data = tensor_data(x);
    return x;
}

bool read_indices(const char *name, ty_tensor *x, int64_t **out, ty_tensor **bad) {
    *out = NULL;
    x = ty_eval(x);
    if (!ty_ok(x))
        *bad = x;
    else if (!dtype_is(ty_dtype_of(x), CLASS_INTEGER | CLASS_BOOL))
        *bad = refuse(name, 1, &x, "the numbers must be integers, not %s", ty_dtype_name(ty_dtype_of(x)));
    else if (!(*out = mem_array((size_t)ty_size(x), sizeof **out)))
        *bad = tensor_out_of_memory();
    else if (ty_read(x, TY_I64, *out))
        return true;
    else
        *bad = tensor_out_of_memory();
    mem_free(*out);
    *out = NULL;
    return false;
}

ty_tensor *row_numbers(int64_t n) { return ty_iota(TY_I64, 2, (int64_t[]){n, 1}, 0); }
ty_tensor *column_numbers(int64_t m) { return ty_iota(TY_I64, 2, (int64_t[]){1, m}, 1); }
ty_tensor *diagonal_numbers(int64_t n, int64_t m) { return ty_sub(column_numbers(m), row_numbers(n)); }
