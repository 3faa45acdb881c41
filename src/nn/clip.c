/* Clipping of gradients: by value, by norm, by the global norm. */
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include "nn/optimiser.h"
#include "nn/rule/rule.h"
#include "ops/core/structure.h"

/* Check n real floating gradients, the bound `most` >= 0 and the array of results. Return poison that
   begins with `name`, or NULL if they are valid. */
static ty_tensor *refusal(const char *name, int n, ty_tensor *const *g, double most, ty_tensor **clipped) {
    ty_tensor *bad = first_poison_in(name, n, g);
    if (!bad) bad = refuse_missing(name, n, clipped, "results");
    if (bad) return bad;
    for (int i = 0; i < n; i++)
        if (!dtype_is(ty_dtype_of(g[i]), CLASS_FLOAT))
            return refuse(name, 1, &g[i], E_DTYPE, "gradients must be floating-point and real");
    return most >= 0 ? NULL
                     : ty_poison_code(E_ARGUMENT, "%s: the bound is %g; expected a number of at least 0",
                                      name, most);
}

static ty_tensor *norm_of(ty_tensor *g) { return rule_norm(ty_cast(g, optimiser_dtype(ty_dtype_of(g)))); }

/* Return the 0-d factor that reduces `norm` (0-d) to at most `most`: 1 if it is no larger. NaN stays NaN. */
static ty_tensor *factor_of(ty_tensor *norm, double most) {
    return ty_where(ty_le(norm, ty_num(most)), ty_num(1), ty_div(ty_num(most), norm));
}

static ty_tensor *scaled(ty_tensor *g, ty_tensor *factor) {
    ty_dtype dtype = ty_dtype_of(g), computed = optimiser_dtype(dtype);
    return ty_cast(ty_mul(ty_cast(g, computed), ty_cast(factor, computed)), dtype);
}

bool ty_clip_by_value(int n, ty_tensor *const *gradients, double most, ty_tensor **clipped) {
    ty_tensor *bad = refusal("clip_by_value", n, gradients, most, clipped);
    if (bad) return results_poisoned(n, clipped, bad);
    for (int i = 0; i < n; i++) clipped[i] = ty_clip(gradients[i], ty_num(-most), ty_num(most));
    return results_settled(n, clipped);
}

bool ty_clip_by_norm(int n, ty_tensor *const *gradients, double most, ty_tensor **clipped) {
    ty_tensor *bad = refusal("clip_by_norm", n, gradients, most, clipped);
    if (bad) return results_poisoned(n, clipped, bad);
    for (int i = 0; i < n; i++) clipped[i] = scaled(gradients[i], factor_of(norm_of(gradients[i]), most));
    return results_settled(n, clipped);
}

/* Scale n gradients into clipped[], which may be the same array, so that their common norm is at most
   `most`; *norm, unless NULL, receives the norm before. Norms are combined by hypot, so squares cannot
   overflow. False on failure: all results are poison. */
bool ty_clip_by_global_norm(int n, ty_tensor *const *gradients, double most, ty_tensor **clipped,
                            ty_tensor **norm) {
    ty_tensor *bad = refusal("clip_by_global_norm", n, gradients, most, clipped);
    if (bad && norm) *norm = tensor_share(bad);
    if (bad) return results_poisoned(n, clipped, bad);
    ty_tensor *total = ty_scalar(TY_F32, 0);
    for (int i = 0; i < n; i++) total = ty_hypot(total, norm_of(gradients[i]));
    ty_tensor *factor = factor_of(total, most);
    for (int i = 0; i < n; i++) clipped[i] = scaled(gradients[i], factor);
    bool done = results_settled(n, clipped);
    if (norm) *norm = done ? total : tensor_share(clipped[0]);
    return done;
}
