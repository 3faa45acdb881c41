/* Losses that are functions of prediction minus target. */
#include <tyto/create.h>
#include <tyto/math.h>
#include "nn/loss/loss.h"

#define DIFFERENCE(loss, value)                                                                              \
    static struct loss_sum loss(ty_tensor *const *x, const ty_loss_options *o) {                             \
        ty_tensor *d = ty_sub(x[0], x[1]);                                                                   \
        (void)o;                                                                                             \
        return (struct loss_sum){.each = value};                                                             \
    }                                                                                                        \
    const struct loss_kind loss_##loss = {                                                                   \
        .name = "loss_" #loss, .floating = 2, .check = loss_check_same, .make = loss};

/* Return Huber's loss of d elementwise: a (a - a/2) for a = |d| up to delta, delta (a - delta/2) above.
   Without a branch, so the unused case cannot overflow. */
static ty_tensor *huber_of(ty_tensor *d, double delta) {
    ty_tensor *a = ty_abs(d), *c = ty_min(a, ty_num(delta));
    return ty_mul(c, ty_sub(a, ty_mul(c, ty_num(0.5))));
}

/* Return Huber's loss of d divided by delta; |d|, its limit, for delta 0. */
static ty_tensor *smooth_of(ty_tensor *d, double delta) {
    return delta == 0 ? ty_abs(d) : ty_div(huber_of(d, delta), ty_num(delta));
}

/* Return log cosh d = |d| + log(1 + exp(-2 |d|)) - log 2, which cannot overflow. */
static ty_tensor *log_cosh_of(ty_tensor *d) {
    ty_tensor *a = ty_abs(d);
    return ty_add(a, ty_sub(ty_softplus(ty_mul(a, ty_num(-2))), ty_num(0.69314718055994530942)));
}

DIFFERENCE(l1, ty_abs(d))
DIFFERENCE(l2, ty_square(d))
DIFFERENCE(huber, huber_of(d, option_or(o->delta, 1)))
DIFFERENCE(smooth_l1, smooth_of(d, option_or(o->delta, 1)))
DIFFERENCE(log_cosh, log_cosh_of(d))

ty_tensor *ty_mse(ty_tensor *prediction, ty_tensor *target) {
    ty_tensor *bad = first_poison(2, ((ty_tensor *[]){prediction, target}));
    return bad ? bad : ty_loss_l2(prediction, target, (ty_loss_options){0});
}
