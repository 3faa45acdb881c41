/* Losses of binary classification and of distributions. */
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "nn/loss/loss.h"

/* Define a loss kind of two operands of one shape with the domains of its operands. */
#define PROBABILITY(loss, ...)                                                                               \
    const struct loss_kind loss_##loss = {.name = "loss_" #loss,                                             \
                                          .floating = 2,                                                     \
                                          .domains = {__VA_ARGS__},                                          \
                                          .check = loss_check_same,                                          \
                                          .make = loss};
#define SHARES                                                                                               \
    { 1, LOSS_SHARE, WORDS_TARGETS, NULL, NULL }

static bool has_no_logs(ty_tensor *const *x, const ty_loss_options *o) {
    (void)x;
    return !o->logs;
}
static bool has_logs(ty_tensor *const *x, const ty_loss_options *o) { return !has_no_logs(x, o); }
static bool has_rates(ty_tensor *const *x, const ty_loss_options *o) {
    (void)x;
    return o->rates;
}

/* Return a tensor with the values of y, through which gradients flow to x alone, with slope 1. */
static ty_tensor *with_slope_of(ty_tensor *x, ty_tensor *y) { return ty_add(x, ty_detach(ty_sub(y, x))); }

/* Return log p, at least -100; below 1e-12 it has the gradient at 1e-12, as in PyTorch. */
static ty_tensor *bounded_log(ty_tensor *p) {
    ty_tensor *away = ty_log(with_slope_of(p, ty_max(p, ty_num(1e-12))));
    return with_slope_of(away, ty_max(ty_log(p), ty_num(-100)));
}

/* Compute the binary cross entropy of probabilities x[0] and targets x[1], elementwise. */
static struct loss_sum bce(ty_tensor *const *x, const ty_loss_options *o) {
    (void)o;
    ty_tensor *no = ty_sub(ty_num(1), x[1]);
    ty_tensor *logs =
        ty_add(ty_mul(x[1], bounded_log(x[0])), ty_mul(no, bounded_log(ty_sub(ty_num(1), x[0]))));
    return (struct loss_sum){.each = ty_neg(logs)};
}
PROBABILITY(bce, {0, LOSS_PROBABILITY, WORDS_PROBABILITIES, NULL, NULL}, SHARES)

/* Return the elementwise binary cross entropy of logits x and targets t in 0..1: (1 - t) x + (1 + (w - 1)
   t) log(1 + exp(-x)). `positive` is w, the weight of the positive class; NULL is 1. */
static ty_tensor *loss_binary(ty_tensor *x, ty_tensor *t, ty_tensor *positive) {
    ty_tensor *rest = ty_softplus(ty_neg(x));
    if (positive) rest = ty_mul(rest, ty_add(ty_mul(ty_sub(positive, ty_num(1)), t), ty_num(1)));
    return ty_add(ty_mul(ty_sub(ty_num(1), t), x), rest);
}

static struct loss_sum bce_logits(ty_tensor *const *x, const ty_loss_options *o) {
    return (struct loss_sum){.each = loss_binary(x[0], x[1], o->positive)};
}
PROBABILITY(bce_logits, SHARES)

/* Compute the focal loss of logits x[0] and targets x[1] in 0..1, elementwise, with o->power and o->alpha
   (above 1: none). */
static struct loss_sum focal(ty_tensor *const *x, const ty_loss_options *o) {
    double alpha = option_or(o->alpha, 0.25);
    ty_tensor *t = x[1], *p = ty_sigmoid(x[0]), *no = ty_sub(ty_num(1), t);
    /* missed = 1 - (p t + (1 - p) (1 - t)) */
    ty_tensor *missed = ty_add(ty_mul(p, no), ty_mul(ty_sub(ty_num(1), p), t));
    ty_tensor *each = ty_mul(loss_binary(x[0], t, NULL), ty_pow(missed, ty_num(option_or(o->power, 2))));
    if (alpha <= 1) each = ty_mul(each, ty_add(ty_mul(t, ty_num(alpha)), ty_mul(no, ty_num(1 - alpha))));
    return (struct loss_sum){.each = each};
}
PROBABILITY(focal, SHARES)

static struct loss_sum kl(ty_tensor *const *x, const ty_loss_options *o) {
    if (o->logs) return (struct loss_sum){.each = ty_mul(ty_exp(x[1]), ty_sub(x[1], x[0]))};
    return (struct loss_sum){.each = ty_sub(ty_xlogy(x[1], x[1]), ty_mul(x[1], x[0]))};
}
PROBABILITY(kl, {0, LOSS_LOGARITHM, WORDS_LOGARITHMS, NULL, NULL},
            {1, LOSS_SHARE, WORDS_TARGETS, has_no_logs, NULL},
            {1, LOSS_LOGARITHM, WORDS_LOGARITHMS, has_logs, NULL})

/* Return Stirling's approximation of log(t!) elementwise where t > 1, else 0. */
static ty_tensor *stirling(ty_tensor *t) {
    ty_tensor *more = ty_gt(t, ty_num(1)), *n = ty_where(more, t, ty_num(2));
    ty_tensor *log = ty_add(ty_sub(ty_mul(n, ty_log(n)), n),
                            ty_mul(ty_log(ty_mul(n, ty_num(6.28318530717958647693))), ty_num(0.5)));
    return ty_where(more, log, ty_num(0));
}

static struct loss_sum poisson(ty_tensor *const *x, const ty_loss_options *o) {
    ty_tensor *log = o->rates ? ty_log(ty_add(x[0], ty_num(option_or(o->epsilon, 1e-8)))) : x[0];
    ty_tensor *each = ty_sub(o->rates ? x[0] : ty_exp(x[0]), ty_mul(x[1], log));
    return (struct loss_sum){.each = o->full ? ty_add(each, stirling(x[1])) : each};
}
PROBABILITY(poisson, {0, LOSS_NOT_NEGATIVE, WORDS_RATES, has_rates, NULL},
            {1, LOSS_COUNT, WORDS_COUNTS, NULL, NULL})

/* Check that predictions x[0] and targets x[1] have one shape, and that variances x[2] have it, too, or
   size 1 on its last axis, or lack that axis. Return poison, or NULL if so. */
static ty_tensor *check_gaussian(const struct loss_kind *k, int n, ty_tensor *const *x,
                                 const ty_loss_options *o) {
    int rank = ty_rank(x[0]);
    bool fits = loss_is_without(x[2], x[0], rank - 1) || ty_rank(x[2]) == rank;
    for (int i = 0; fits && i < ty_rank(x[2]); i++)
        fits = ty_shape(x[2])[i] == ty_shape(x[0])[i] || (i == rank - 1 && ty_shape(x[2])[i] == 1);
    if (!fits)
        return refuse(k->name, n, x, E_SHAPE,
                      "the variance must have the mean's shape, or 1 on its last axis, or lack that axis");
    return loss_check_same(k, 2, x, o);
}

/* Compute the negative log-likelihood, elementwise, of x[1] under normal distributions of mean x[0] and
   variance x[2], at least o->epsilon; the constant is included if o->full. */
static struct loss_sum gaussian(ty_tensor *const *x, const ty_loss_options *o) {
    ty_tensor *v = ty_rank(x[2]) < ty_rank(x[0]) ? ty_expand(x[2], -1) : x[2];
    v = with_slope_of(v, ty_max(v, ty_num(option_or(o->epsilon, 1e-6))));
    ty_tensor *both = ty_add(ty_log(v), ty_div(ty_square(ty_sub(x[0], x[1])), v));
    if (o->full) both = ty_add(both, ty_num(1.83787706640934548356)); /* log(2 pi) */
    return (struct loss_sum){.each = ty_mul(both, ty_num(0.5))};
}
const struct loss_kind loss_gaussian = {.name = "loss_gaussian",
                                        .floating = 3,
                                        .domains = {{2, LOSS_NOT_NEGATIVE, WORDS_VARIANCES, NULL, NULL}},
                                        .check = check_gaussian,
                                        .make = gaussian};
