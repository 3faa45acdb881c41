/* Covariance and correlation of variables: one matrix product of the deviations from the mean. */
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "ops/reduce/statistics.h"

/* Return x in a floating dtype as [variables, observations]. `rows`: variables are rows already, else
   columns; a vector is one variable. */
static ty_tensor *in_rows(ty_tensor *x, bool rows) {
    x = as_floating(averaged(x));
    if (ty_ok(x) && ty_rank(x) < 2) x = ty_expand(x, 0);
    if (!ty_ok(x)) return x;
    return rows || ty_shape(x)[0] == 1 ? x : ty_transpose(x);
}

/* Return the covariance matrix [variables, variables] of x [variables, n], with divisor n - ddof, or 0 if
   that is negative. Poison stays poison. */
static ty_tensor *covariance(ty_tensor *x, double ddof) {
    if (!ty_ok(x)) return x;
    ty_axes row = ty_axes_of(1, (int[]){-1}, true);
    ty_tensor *apart = ty_sub(x, ty_mean(x, row));
    double n = (double)ty_shape(x)[1] - ddof;
    return ty_div(ty_matmul(apart, ty_conj(ty_transpose(apart))), ty_num(n > 0 ? n : 0));
}

/* Return NULL if x has one or two axes, else poison that begins with `name`. */
static ty_tensor *refuse_rank(const char *name, ty_tensor *x) {
    if (!ty_ok(x)) return tensor_share_in(name, x);
    return ty_rank(x) == 1 || ty_rank(x) == 2
               ? NULL
               : refuse(name, 1, &x, E_SHAPE, "expected one or two axes, variables and observations");
}

/* Return `matrix`, a covariance matrix, as 0-d if it has a single element, else unchanged. */
static ty_tensor *as_number(ty_tensor *matrix) {
    bool one = ty_ok(matrix) && ty_size(matrix) == 1;
    return one ? ty_reshape(matrix, 0, NULL) : matrix;
}

ty_tensor *ty_cov(ty_tensor *x, bool rows, double ddof) {
    ty_tensor *bad = refuse_rank("cov", x);
    if (bad) return bad;
    struct composite c = composite_open("cov", 1, &x);
    return composite_close(c, as_number(covariance(in_rows(x, rows), ddof)));
}

/* Return the correlation matrix of x's rows or, unless `rows`, columns; 0-d for a single variable. Divides by
   one deviation after the other, so that the diagonal is 1 even if their product overflows. Real results are
   clipped to -1 .. 1. Poison on failure. */
ty_tensor *ty_corrcoef(ty_tensor *x, bool rows) {
    ty_tensor *bad = refuse_rank("corrcoef", x);
    if (bad) return bad;
    struct composite c = composite_open("corrcoef", 1, &x);
    ty_tensor *matrix = covariance(in_rows(x, rows), 1),
              *deviation = ty_sqrt(ty_real(ty_diagonal(matrix, 0, 1)));
    ty_tensor *result = ty_div(ty_div(matrix, ty_expand(deviation, 1)), ty_expand(deviation, 0));
    if (ty_ok(result) && !dtype_is(ty_dtype_of(result), CLASS_COMPLEX))
        result = ty_clip(result, ty_num(-1), ty_num(1));
    return composite_close(c, as_number(result));
}
