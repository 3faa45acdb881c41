/* Helpers of composites and gradients: adjoints, scalings, submatrices. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "ops/linalg/matrix.h"

ty_tensor *adjoint(ty_tensor *x) {
    x = ty_transpose(x);
    return ty_ok(x) && dtype_is(ty_dtype_of(x), CLASS_COMPLEX) ? ty_conj(x) : x;
}

ty_tensor *scale_columns(ty_tensor *a, ty_tensor *d) {
    return ty_mul(a, ty_expand(ty_cast(d, ty_dtype_of(a)), -2));
}
ty_tensor *scale_rows(ty_tensor *d, ty_tensor *a) {
    return ty_mul(ty_expand(ty_cast(d, ty_dtype_of(a)), -1), a);
}

ty_tensor *identity_like(ty_tensor *x) {
    return ty_ok(x) ? ty_eye(ty_dtype_of(x), columns_of(x)) : tensor_share(x);
}

ty_tensor *hermitian_part(ty_tensor *x) { return ty_mul(ty_add(x, adjoint(x)), ty_num(0.5)); }

ty_tensor *lower_part(ty_tensor *x, int64_t k) {
    if (!ty_ok(x)) return tensor_share(x);
    return ty_where(ty_tri(TY_BOOL, rows_of(x), columns_of(x), k), x, ty_scalar(ty_dtype_of(x), 0));
}
ty_tensor *upper_part(ty_tensor *x, int64_t k) {
    if (!ty_ok(x)) return tensor_share(x);
    return ty_where(ty_tri(TY_BOOL, rows_of(x), columns_of(x), k - 1), ty_scalar(ty_dtype_of(x), 0), x);
}

ty_tensor *lower_half(ty_tensor *x) {
    if (!ty_ok(x)) return tensor_share(x);
    ty_tensor *half = ty_mul(identity_like(x), ty_num(0.5));
    return ty_sub(lower_part(x, 0), ty_mul(x, half));
}

ty_tensor *box_at(ty_tensor *x, int64_t row, int64_t rows, int64_t column, int64_t columns) {
    x = ty_slice(x, -2, row, row + rows, 1);
    return ty_slice(x, -1, column, column + columns, 1);
}

ty_dtype real_dtype(const ty_tensor *x) { return dtype_table[ty_dtype_of(x)].real; }

ty_tensor *as_real(ty_tensor *x) {
    return ty_ok(x) && dtype_is(ty_dtype_of(x), CLASS_COMPLEX) ? ty_real(x) : tensor_share(x);
}

ty_tensor *as_complex(ty_tensor *x) {
    x = matrix_operand(x);
    if (!ty_ok(x) || dtype_is(ty_dtype_of(x), CLASS_COMPLEX)) return x;
    return ty_cast(x, ty_dtype_of(x) == TY_F64 ? TY_C128 : TY_C64);
}
