/* Random draws, and gradients of those by rejection. */
#include <tyto/control.h>
#include <tyto/derivative.h>
#include <tyto/shape.h>
#include "statistics/words.h"

T distribution_uniform_inside(const struct wanted *w) {
    bool wide = w->dtype == TY_F64;
    T u = plus(ty_uniform(SHAPE, KEY), N(wide ? 0x1p-54 : 0x1p-25));
    return ty_min(u, N(wide ? 1 - 0x1p-53 : 1 - 0x1p-24));
}

/* ---- implicit reparameterisation: draws move so that their cdf stays (M. Figurnov et al., "Implicit
   reparameterization gradients", 2018) ---- */

struct slope {
    const struct distribution *d;
    int parameter;
};
static const struct slope slopes[TY_DISTRIBUTIONS][2] = {
#define DISTRIBUTION(NAME, name, ...)                                                                        \
    [TY_DISTRIBUTION_##NAME] = {{&distribution_##name, 0}, {&distribution_##name, 1}},
#include <tyto/tables/distributions.def>
};

static T itself(void *context, T const *x) {
    (void)context;
    return ty_contiguous(x[0]);
}
static T slope_at(void *context, T const *x) {
    const struct slope *s = context;
    struct values v = {x[0], x[1], x[2], NULL, false};
    return over(s->d->moves[s->parameter](&v), ty_exp(s->d->logpdf(&v)));
}
/* Return the derivative of a draw x[0] by a parameter, (dF by it) / density, elementwise, as one fused pass,
   since it is a sum of many terms. x[1] and x[2] are the parameters a and b; context is a struct slope. */
static T slope_fused(void *context, T const *x) { return ty_fuse(slope_at, context, 3, x); }
/* Set gradients[1..], a vjp rule, for a draw y with parameters x[1..] from g, the gradient of y: dy = -(dF by
   the parameter) / f(y). context is an array of struct slope, one per parameter. Intermediate results are not
   stored. */
static void flow(void *context, int n, T const *x, T y, T g, T *gradients) {
    const struct slope *s = context;
    T at[] = {y, x[1], x[2]};
    (void)n;
    for (int i = 0; i < s->d->parameters; i++)
        gradients[i + 1] = gradient_unbroadcast(
            ty_neg(times(g, ty_checkpoint(slope_fused, (void *)(s + i), 3, at))), x[i + 1]);
}

/* Return draws from the gamma distribution of scale 1 and shape parameter `shape`, with w's shape, dtype and
   its key folded by n. */
T standard_gamma_draw(const struct wanted *w, uint64_t n, T shape) {
    struct wanted own = {SHAPE, ty_fold(KEY, n)};
    struct values v = {N(0), shape, ty_ones_like(shape), ty_zeros_like(shape), false};
    return distribution_draw(&distribution_gamma, &own, &v);
}

T distribution_draw(const struct distribution *d, const struct wanted *w, const struct values *v) {
    if (!d->draw) {
        struct values at = {distribution_uniform_inside(w), v->a, v->b, v->c, false};
        return d->ppf(&at);
    }
    if (!d->moves[0] && !d->whole) return d->draw(w, v);
    struct values still = {v->x, ty_detach(v->a), ty_detach(v->b), ty_detach(v->c), false};
    T y = d->draw(w, &still);
    if (d->whole || !ty_ok(y)) return y;
    T x[] = {ty_detach(y), v->a, v->b};
    if (all_plain(3, x)) return y;
    const struct slope *s = slopes[0];
    while (s->d != d) s += 2;
    return ty_apply((ty_custom){itself, flow, NULL, (void *)s, NULL}, 3, x);
}
