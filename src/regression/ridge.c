/* Ridge regression: least squares with rows of sqrt(alpha) below x. */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/regression.h>
#include <tyto/shape.h>
#include "base/machine/floating.h"
#include "ops/core/op.h"
#include "ops/linalg/matrix.h"

/* Return poison, or NULL if the operands are valid. */
static ty_tensor *refuse_ridge(ty_tensor *x, ty_tensor *y, double alpha) {
    ty_tensor *both[] = {x, y}, *bad = first_poison_in("ridge", 2, both);
    if (bad) return bad;
    if (!(alpha >= 0) || isinf(alpha))
        return refuse("ridge", 0, NULL, E_ARGUMENT, "alpha is %g; expected 0 or more", alpha);
    bool fit = ty_rank(x) == 2 && (ty_rank(y) == 1 || ty_rank(y) == 2) && ty_shape(x)[0] == ty_shape(y)[0];
    if (!fit) return refuse("ridge", 2, both, E_SHAPE, "x must be [n,p], and y [n] or [n,t]");
    if (ty_size(x) > 0) return NULL;
    return refuse("ridge", 2, both, E_SHAPE,
                  "x has %lld rows and %lld columns; expected at least one of each",
                  (long long)ty_shape(x)[0], (long long)ty_shape(x)[1]);
}

ty_regression_parts ty_ridge(ty_tensor *x, ty_tensor *y, double alpha, bool intercept) {
    FLOATING_DEFAULT;
    struct matrix_call call = matrix_open(2, (ty_tensor *[]){x, y});
    ty_tensor *out[3], *pair[2], *bad = refuse_ridge(x, y, alpha);
    if (bad) {
        results_poisoned(3, out, bad);
    } else {
        ty_axes rows = ty_axes_of(1, (int[]){0}, true);
        matrix_operands("ridge", 2, (ty_tensor *[]){x, y}, pair);
        ty_tensor *mean_x = ty_mean(pair[0], rows), *mean_y = ty_mean(pair[1], rows);
        ty_tensor *apart_x = intercept ? ty_sub(pair[0], mean_x) : pair[0];
        ty_tensor *apart_y = ty_sub(pair[1], mean_y), *target = intercept ? apart_y : pair[1];
        int64_t p = ty_shape(x)[1];
        ty_tensor *below = ty_mul(ty_eye(ty_dtype_of(pair[0]), p), ty_num(sqrt(alpha)));
        ty_tensor *none = ty_mul(ty_sum(target, rows), ty_num(0));
        ty_tensor *zeros =
            ty_broadcast(none, ty_rank(y), (int64_t[]){p, ty_rank(y) == 2 ? ty_shape(y)[1] : 1});
        ty_tensor *tall = ty_concat(2, (ty_tensor *[]){apart_x, below}, 0);
        out[0] = ty_lstsq(tall, ty_concat(2, (ty_tensor *[]){target, zeros}, 0), -1).x;
        ty_tensor *constant = ty_squeeze(ty_sub(mean_y, ty_matmul(mean_x, out[0])), 0);
        out[1] = intercept ? constant : ty_zeros_like(constant);
        ty_tensor *left = ty_sub(target, ty_matmul(apart_x, out[0]));
        ty_tensor *squares = ty_sum(ty_square(left), ty_axis(0)),
                  *all = ty_sum(ty_square(apart_y), ty_axis(0));
        out[2] = ty_sub(ty_num(1), ty_div(squares, all));
    }
    matrix_close_all(call, 3, out);
    return (ty_regression_parts){out[0], out[1], out[2]};
}
