/* Vectors of indices, written by C code or made by iota. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include "array/form.h"
#include "ops/shape/arrange.h"

ty_tensor *index_vector(int64_t n, int64_t **data) {
    *data = NULL;
    int64_t size;
    if (!shape_check(1, &n, sizeof **data, &size))
        return refuse("index", 0, NULL, E_LIMIT, "%lld indices are too many", (long long)n);
    ty_tensor *x = form_return(tensor_new_value(TY_I64, 1, &n), TY_I64, 1, &n);
    if (ty_ok(x)) *data = tensor_data(x);
    return x;
}

ty_tensor *row_numbers(int64_t n) { return ty_iota(TY_I64, 2, (int64_t[]){n, 1}, 0); }
ty_tensor *column_numbers(int64_t m) { return ty_iota(TY_I64, 2, (int64_t[]){1, m}, 1); }
ty_tensor *diagonal_numbers(int64_t n, int64_t m) { return ty_sub(column_numbers(m), row_numbers(n)); }
