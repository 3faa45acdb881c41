/* Helpers of rules. */
#include <math.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include "base/math/scalar.h"
#include "nn/rule/rule.h"

ty_tensor *rule_correction(double beta, ty_tensor *step, ty_dtype dtype) {
    return ty_cast(ty_neg(ty_expm1(ty_mul(step, ty_num(math_log(beta))))), dtype);
}

ty_tensor *rule_blend(ty_tensor *mean, ty_tensor *now, double beta) {
    return ty_add(ty_mul(mean, ty_num(beta)), ty_mul(now, ty_num(1 - beta)));
}

/* Return the Euclidean norm of all elements, 0-d in the dtype of x. Squares of f32 cannot overflow in f64,
   so one pass suffices; for f64 ty_norm avoids overflow in two. */
ty_tensor *rule_norm(ty_tensor *x) {
    if (ty_dtype_of(x) == TY_F64) return ty_norm(x, 2, TY_ALL);
    ty_tensor *squares = ty_sum(ty_square(ty_cast(x, TY_F64)), TY_ALL);
    return ty_cast(ty_sqrt(squares), ty_dtype_of(x));
}

ty_tensor *rule_ratio(ty_tensor *a, ty_tensor *b) {
    ty_tensor *both = ty_logical_and(ty_gt(a, ty_num(0)), ty_gt(b, ty_num(0)));
    return ty_where(both, ty_div(a, b), ty_num(1));
}

ty_tensor *rule_step(ty_tensor *x, ty_tensor *g, ty_tensor *rate) { return ty_sub(x, ty_mul(g, rate)); }
