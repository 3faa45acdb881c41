/*
 * Dropout (Srivastava et al. 2014), inverted: what survives is divided by the chance of surviving, so that
 * inference is the identity.
 */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include "base/floating.h"
#include "nn/model.h"

static bool build(ty_model *m, struct layer *l, const struct layer *in) {
    (void)in;
    double p = *(const double *)l->options;
    return (p >= 0 && p < 1) || fault_set(&m->fault, "%s: probability %g is outside [0, 1)", l->name, p);
}

static ty_tensor *forward(const ty_model *m, const struct layer *l, ty_tensor *x, ty_tensor *key) {
    FLOATING_DEFAULT;
    (void)m;
    double p = *(const double *)l->options;
    if (!key || p == 0) return x;
    ty_tensor *kept = ty_bernoulli(ty_rank(x), ty_shape(x), 1 - p, key);
    return ty_where(kept, ty_mul(x, ty_num(1 / (1 - p))), ty_num(0));
}

static void describe(const struct layer *l, struct text *t) {
    text_add(t, " %g", *(const double *)l->options);
}

extern const struct layer_kind layer_dropout;
const struct layer_kind layer_dropout = {.name = "dropout",
                                         .prefix = "dropout",
                                         .options = sizeof(double),
                                         .build = build,
                                         .forward = forward,
                                         .describe = describe};
void ty_layer_dropout(ty_model *m, double p) { model_add(m, &layer_dropout, &p); }
