/* Activations and losses: composites, so that fusion makes each one loop. */
#include <math.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "ops/math/numbers.h"
#include "ops/index/index.h"

/* Return poison, in the name of function `name`, if x is complex, which has no sign and no probabilities;
   else NULL. */
static ty_tensor *no_complex(const char *name, ty_tensor *x) {
    if (!ty_ok(x) || !dtype_is(ty_dtype_of(x), CLASS_COMPLEX)) return NULL;
    return refuse(name, 1, &x, E_DTYPE, "complex dtypes are not supported; use ty_real or ty_abs");
}

/* True if x is not poisoned, has the axis (which may be negative), and has size 0 along it; a reduction along
   the axis is then empty or undefined, too. */
static bool is_empty_along(ty_tensor *x, int axis) {
    int along = axis_normal(axis, ty_rank(x));
    return ty_ok(x) && along >= 0 && along < ty_rank(x) && ty_shape(x)[along] == 0;
}

/* Return x minus its maximum along the axes, so that exp does not overflow. The gradient through the maximum
   cancels, so it is cut. */
static ty_tensor *lowered(ty_tensor *x, ty_axes axis) { return ty_sub(x, ty_detach(ty_amax(x, axis))); }

ty_tensor *ty_softmax(ty_tensor *x, int axis) {
    ty_tensor *bad = no_complex("softmax", x);
    if (bad) return bad;
    if (is_empty_along(x, axis)) return as_floating(x);
    ty_axes kept = ty_axes_of(1, &axis, true);
    struct composite c = composite_open("softmax", 1, &x);
    ty_tensor *weight = ty_exp(lowered(as_floating(x), kept));
    return composite_close(c, ty_div(weight, ty_sum(weight, kept)));
}

static ty_tensor *log_softmax(ty_tensor *x, int axis) {
    ty_axes kept = ty_axes_of(1, &axis, true);
    ty_tensor *low = lowered(as_floating(x), kept);
    return ty_sub(low, ty_log(ty_sum(ty_exp(low), kept)));
}

ty_tensor *ty_log_softmax(ty_tensor *x, int axis) {
    ty_tensor *bad = no_complex("log_softmax", x);
    if (bad) return bad;
    if (is_empty_along(x, axis)) return as_floating(x);
    struct composite c = composite_open("log_softmax", 1, &x);
    return composite_close(c, log_softmax(x, axis));
}

/* Return the 0-d mean of -log softmax(logits)[i, labels[i]] for logits [n, classes] and labels [n]; labels
   equal to `ignored` do not count. NaN if all are ignored. Labels outside of 0 .. classes-1 fail when the
   result is computed. */
static ty_tensor *cross_entropy(ty_tensor *logits, ty_tensor *labels, int64_t classes, int64_t ignored) {
    ty_tensor *label = ty_cast(labels, TY_I64), *counts = ty_ne(label, ty_int(ignored));
    label = labels_checked(ty_where(counts, label, ty_int(0)), classes);
    ty_tensor *chosen = ty_eq(ty_expand(label, 1), ty_iota(TY_I64, 1, &classes, 0));
    ty_tensor *score = ty_sum(ty_where(chosen, log_softmax(logits, 1), ty_num(0)), ty_axis(1));
    ty_tensor *total = ty_sum(ty_where(counts, score, ty_num(0)), TY_ALL);
    return ty_neg(ty_div(total, ty_cast(ty_sum(counts, TY_ALL), ty_dtype_of(total))));
}

ty_tensor *ty_cross_entropy(ty_tensor *logits, ty_tensor *labels) {
    return ty_cross_entropy_ignoring(logits, labels, -100);
}

ty_tensor *ty_cross_entropy_ignoring(ty_tensor *logits, ty_tensor *labels, int64_t ignored) {
    ty_tensor *operands[] = {logits, labels}, *bad = first_poison(2, operands);
    if (bad) return bad;
    if (ty_rank(logits) != 2 || ty_rank(labels) != 1 || ty_shape(logits)[0] != ty_shape(labels)[0])
        return refuse("cross_entropy", 2, operands, E_SHAPE,
                      "logits must be (N,C) and labels (N), with one N");
    if (ty_shape(logits)[0] == 0 || ty_shape(logits)[1] == 0)
        return refuse("cross_entropy", 2, operands, E_SHAPE, "the batch is empty, so it has no mean");
    if (!dtype_is(ty_dtype_of(labels), CLASS_INTEGER))
        return refuse("cross_entropy", 2, operands, E_DTYPE, "labels must be of an integer dtype, not %s",
                      ty_dtype_name(ty_dtype_of(labels)));
    int64_t classes = ty_shape(logits)[1];
    struct composite c = composite_open("cross_entropy", 2, operands); /* poison, if memory runs out */
    return composite_close(c, cross_entropy(operands[0], operands[1], classes, ignored));
}

ty_tensor *ty_leaky_relu(ty_tensor *x, double slope) {
    ty_tensor *bad = no_complex("leaky_relu", x);
    if (bad) return bad;
    struct composite c = composite_open("leaky_relu", 1, &x);
    return composite_close(c, ty_where(ty_gt(x, ty_num(0)), x, ty_mul(x, ty_num(slope))));
}

/* Return x where x > 0, else alpha (e^x - 1). Only x <= 0 is given to expm1, so that the branch not selected
   does not overflow. Poison if x is complex. */
ty_tensor *ty_elu(ty_tensor *x, double alpha) {
    ty_tensor *bad = no_complex("elu", x);
    if (bad) return bad;
    struct composite c = composite_open("elu", 1, &x);
    ty_tensor *above = ty_gt(x, ty_num(0));
    ty_tensor *below = ty_mul(ty_expm1(ty_where(above, ty_num(0), x)), ty_num(alpha));
    return composite_close(c, ty_where(above, x, below));
}

ty_tensor *ty_relu6(ty_tensor *x) {
    struct composite c = composite_open("relu6", 1, &x);
    return composite_close(c, ty_clip(x, ty_num(0), ty_num(6)));
}

ty_tensor *ty_silu(ty_tensor *x) {
    struct composite c = composite_open("silu", 1, &x);
    return composite_close(c, ty_mul(x, ty_sigmoid(x)));
}

/* Return x Phi(x), where Phi(x) = erfc(-x / sqrt 2) / 2, which is accurate where 1 + erf would cancel. */
ty_tensor *ty_gelu(ty_tensor *x) {
    struct composite c = composite_open("gelu", 1, &x);
    ty_tensor *phi = ty_mul(ty_erfc(ty_mul(x, ty_num(-0.70710678118654752440))), ty_num(0.5));
    return composite_close(c, ty_mul(x, phi));
}

/* Return Hendrycks and Gimpel's approximation of gelu(x) by tanh (2016). */
ty_tensor *ty_gelu_tanh(ty_tensor *x) {
    /* powers of integers would wrap */
    struct composite c = composite_open_met("gelu_tanh", 1, &x, FLOATING);
    ty_tensor *cubic = ty_mul(x, ty_fma(ty_square(x), ty_num(0.044715), ty_num(1)));
    ty_tensor *share =
        ty_sigmoid(ty_mul(cubic, ty_num(1.59576912160573071175))); /* (1 + tanh(z)) / 2 = sigmoid(2 z) */
    return composite_close(c, ty_mul(x, share));
}

ty_tensor *ty_mish(ty_tensor *x) {
    struct composite c = composite_open("mish", 1, &x);
    return composite_close(c, ty_mul(x, ty_tanh(ty_softplus(x))));
}

ty_tensor *ty_softsign(ty_tensor *x) {
    struct composite c = composite_open_met("softsign", 1, &x, FLOATING); /* |-128| does not fit i8 */
    return composite_close(c, ty_div(x, ty_add(ty_abs(x), ty_num(1))));
}

/* Return (x + 3) / 6, clipped to 0 .. 1. */
static ty_tensor *hard_sigmoid(ty_tensor *x) {
    return ty_div(ty_clip(ty_add(as_floating(x), ty_num(3)), ty_num(0), ty_num(6)), ty_num(6));
}

ty_tensor *ty_hard_sigmoid(ty_tensor *x) {
    struct composite c = composite_open("hard_sigmoid", 1, &x);
    return composite_close(c, hard_sigmoid(x));
}

ty_tensor *ty_hard_swish(ty_tensor *x) {
    struct composite c = composite_open("hard_swish", 1, &x);
    return composite_close(c, ty_mul(x, hard_sigmoid(x)));
}
