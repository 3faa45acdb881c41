/* Functions of a matrix: powers, exponentials, roots. */
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/linalg.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "ops/linalg/matrix.h"

static ty_tensor *function_of(const char *name, enum matrix_kind kind, ty_tensor *a) {
    struct matrix_call call = matrix_open(1, &a);
    return matrix_close(call, matrix_record(name, (struct matrix_attr){.kind = kind}, 1, &a));
}

ty_tensor *ty_expm(ty_tensor *a) { return function_of("expm", MATRIX_EXP, a); }
ty_tensor *ty_logm(ty_tensor *a) { return function_of("logm", MATRIX_LOG, a); }
ty_tensor *ty_sqrtm(ty_tensor *a) { return function_of("sqrtm", MATRIX_SQRT, a); }

/* Return the matrix sine or, unless `sine`, cosine of square matrices a; poison, in the name of function
   `name`, on failure. For real a, exp(i a) = cos(a) + i sin(a); complex a also needs exp(-i a). */
static ty_tensor *circular(const char *name, ty_tensor *a, bool sine) {
    ty_tensor *bad = refuse_matrix(name, a, true);
    if (bad) return bad;
    struct composite c = composite_open(name, 1, &a);
    bool complex_values = dtype_is(ty_dtype_of(a), CLASS_COMPLEX);
    ty_tensor *turned = ty_mul(as_complex(a), ty_complex(0, 1)), *y = ty_expm(turned);
    if (!complex_values) return composite_close(c, sine ? ty_imag(y) : ty_real(y));
    ty_tensor *back = ty_expm(ty_neg(turned));
    y = sine ? ty_mul(ty_sub(y, back), ty_complex(0, -0.5)) : ty_mul(ty_add(y, back), ty_num(0.5));
    return composite_close(c, y);
}

ty_tensor *ty_sinm(ty_tensor *a) { return circular("sinm", a, true); }
ty_tensor *ty_cosm(ty_tensor *a) { return circular("cosm", a, false); }

/* Return the matrix power a^n of square matrices a, n >= 1, by squaring; bits of n are processed from the
   lowest. Poison stays poison. */
static ty_tensor *power(ty_tensor *a, uint64_t n) {
    ty_tensor *y = NULL;
    for (; n && ty_ok(a); n >>= 1) {
        if (n & 1) y = y ? ty_matmul(y, a) : a;
        if (n > 1) a = ty_matmul(a, a);
    }
    return y ? y : tensor_share(a);
}

ty_tensor *ty_matrix_power(ty_tensor *a, int64_t n) {
    ty_tensor *bad = refuse_matrix("matrix_power", a, true);
    if (bad) return bad;
    uint64_t times = n < 0 ? -(uint64_t)n : (uint64_t)n;
    struct composite c = composite_open("matrix_power", 1, &a);
    if (n == 0) return composite_close(c, ty_broadcast(identity_like(a), ty_rank(a), ty_shape(a)));
    return composite_close(c, power(n < 0 ? ty_inv(a) : a, times));
}
