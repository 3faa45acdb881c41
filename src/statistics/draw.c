/* Draws, and how those by rejection move with their parameters. */
#include <tyto/derivative.h>
#include <tyto/shape.h>
#include "statistics/words.h"

T distribution_uniform_inside(const struct wanted *w) {
    bool wide = w->dtype == TY_F64;
    T u = plus(ty_uniform(SHAPE, KEY), N(wide ? 0x1p-54 : 0x1p-25));
    return ty_min(u, N(wide ? 1 - 0x1p-53 : 1 - 0x1p-24));
}

/* ---- draws that move so that their cdf stays (M. Figurnov et al., "Implicit reparameterization gradients", 2018) ---- */

static struct values values_of(T const *x) { return (struct values){x[0], x[1], x[2], x[3]}; }
static T itself(void *context, T const *x) {
    (void)context;
    return ty_contiguous(x[0]);
}
static T cdf_at(void *context, T const *x) {
    const struct distribution *d = context;
    struct values v = values_of(x);
    return d->cdf(&v);
}
/* dy = -(dF by the parameters) / f(y) */
static void flow(void *context, int n, T const *x, T y, T g, T *gradients) {
    const struct distribution *d = context;
    struct values v = {y, x[1], x[2], x[3]};
    T share = ty_neg(over(g, ty_exp(d->logpdf(&v)))), back[4], value;
    if (!ty_value_and_vjp(cdf_at, context, share, n, x, &value, back)) back[1] = back[2] = back[3] = value;
    for (int i = 1; i < n; i++) gradients[i] = back[i];
}

/* Of scale 1, with key number n of those made of the key. */
T standard_gamma_draw(const struct wanted *w, uint64_t n, T shape) {
    struct wanted own = {SHAPE, ty_fold(KEY, n)};
    struct values v = {N(0), shape, ty_ones_like(shape), ty_zeros_like(shape)};
    return distribution_draw(&distribution_gamma, &own, &v);
}

T distribution_draw(const struct distribution *d, const struct wanted *w, const struct values *v) {
    if (!d->draw) {
        struct values at = {distribution_uniform_inside(w), v->a, v->b, v->c};
        return d->ppf(&at);
    }
    if (!d->follows && !d->whole) return d->draw(w, v);
    struct values still = {v->x, ty_detach(v->a), ty_detach(v->b), ty_detach(v->c)};
    T y = d->draw(w, &still), x[] = {ty_detach(y), v->a, v->b, v->c};
    if (d->whole || !ty_ok(y) || all_plain(4, x)) return y;
    return ty_apply((ty_custom){itself, flow, NULL, (void *)d, NULL}, 4, x);
}
