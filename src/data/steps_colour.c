/* Image steps that change colours, composed of public functions. */
#include <math.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "base/machine/floating.h"
#include "data/steps.h"
#include "ops/core/structure.h"

ty_tensor *ty_step_normalise(const ty_image_step *step, ty_tensor *x, ty_draws *draws) {
    FLOATING_DEFAULT;
    static const double imagenet[2][4] = {{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}};
    ty_tensor *bad = step_refuse("step_normalise", step, x, draws);
    if (bad) return bad;
    int64_t channels = ty_shape(x)[2];
    bool usual = true;
    for (int i = 0; i < 4; i++) usual = usual && step->mean[i] == 0 && step->deviation[i] == 0;
    if (channels > 4 || (usual && channels != 3))
        return ty_poison_code(E_SHAPE, "step_normalise: the image has %d channels; %s", (int)channels,
                              usual ? "give a mean, as the default has 3 channels" : "expected at most 4");
    const double *mean = usual ? imagenet[0] : step->mean, *deviation = usual ? imagenet[1] : step->deviation;
    float factor[4], offset[4];
    for (int i = 0; i < channels; i++) {
        if (!(deviation[i] > 0))
            return ty_poison_code(
                E_ARGUMENT, "step_normalise: the deviation is %g; expected a number above 0", deviation[i]);
        factor[i] = (float)(1 / deviation[i]);
        offset[i] = (float)(-mean[i] / deviation[i]);
    }
    x = step_float(x);
    struct composite c = composite_open("step_normalise", 1, &x);
    ty_tensor *scaled = ty_mul(x, ty_cast(ty_from(TY_F32, 1, &channels, factor), ty_dtype_of(x)));
    return composite_close(c, ty_add(scaled, ty_cast(ty_from(TY_F32, 1, &channels, offset), ty_dtype_of(x))));
}

/* ---- jitter ---- */

static ty_tensor *bounded(ty_tensor *x) { return ty_min(ty_max(x, ty_num(0)), ty_num(1)); }

/* Return factor * x + (1 - factor) * other, clipped to 0..1. */
static ty_tensor *blend(ty_tensor *x, ty_tensor *other, double factor) {
    return bounded(ty_add(ty_mul(x, ty_num(factor)), ty_mul(other, ty_num(1 - factor))));
}

static ty_tensor *channel(ty_tensor *x, int64_t i) { return ty_slice(x, 2, i, i + 1, 1); }

/* Return the luma of Rec. 601 of an RGB image x [H, W, 3], [H, W, 1]. */
static ty_tensor *grey(ty_tensor *x) {
    ty_tensor *red = ty_mul(channel(x, 0), ty_num(0.299)), *green = ty_mul(channel(x, 1), ty_num(0.587));
    return ty_add(ty_add(red, green), ty_mul(channel(x, 2), ty_num(0.114)));
}

static ty_tensor *brighten(ty_tensor *x, double factor) { return bounded(ty_mul(x, ty_num(factor))); }
static ty_tensor *contrast(ty_tensor *x, double factor) { return blend(x, ty_mean(grey(x), TY_ALL), factor); }
static ty_tensor *saturate(ty_tensor *x, double factor) { return blend(x, grey(x), factor); }

/* Return the RGB image x [H, W, 3], in 0..1, with the hue of HSV (A. R. Smith, "Color gamut transform
   pairs", 1978) rotated by `turned` of a full circle. With value v and chroma c a channel is v - c *
   max(0, min(k, 4 - k, 1)). Here k = (n + 6 * hue) mod 6, n = 5, 3, 1 for red, green, blue. */
static ty_tensor *turn(ty_tensor *x, double turned) {
    ty_tensor *r = channel(x, 0), *g = channel(x, 1), *b = channel(x, 2), *zero = ty_num(0);
    ty_tensor *v = ty_max(r, ty_max(g, b)), *c = ty_sub(v, ty_min(r, ty_min(g, b)));
    ty_tensor *d = ty_where(ty_eq(c, zero), ty_num(1), c);
    ty_tensor *blue = ty_add(ty_div(ty_sub(r, g), d), ty_num(4)),
              *green = ty_add(ty_div(ty_sub(b, r), d), ty_num(2));
    ty_tensor *sixth = ty_where(ty_eq(v, r), ty_div(ty_sub(g, b), d), ty_where(ty_eq(v, g), green, blue));
    ty_tensor *out[3];
    for (int i = 0; i < 3; i++) {
        ty_tensor *k = ty_mod(ty_add(sixth, ty_num(5 - 2 * i + 6 * turned)), ty_num(6));
        ty_tensor *share = ty_max(zero, ty_min(ty_min(k, ty_sub(ty_num(4), k)), ty_num(1)));
        out[i] = bounded(ty_sub(v, ty_mul(c, share)));
    }
    return ty_concat(3, out, 2);
}

static double factor(double amount, ty_draws *draws) {
    return ty_draws_number(draws, amount < 1 ? 1 - amount : 0, 1 + amount);
}

/* Return the RGB image x with change number `what` (0 brightness, 1 contrast, 2 saturation, 3 hue) by a
   drawn amount; x itself if the step's amount is 0. */
static ty_tensor *change(int what, const ty_image_step *step, ty_tensor *x, ty_draws *draws) {
    static ty_tensor *(*const by[])(ty_tensor *, double) = {brighten, contrast, saturate, turn};
    const double amounts[] = {step->brightness, step->contrast, step->saturation, step->hue};
    if (!(amounts[what] > 0)) return x;
    double by_how_much =
        what < 3 ? factor(amounts[what], draws) : ty_draws_number(draws, -step->hue, step->hue);
    struct composite c = composite_open("step_jitter", 1, &x);
    return composite_close(c, by[what](x, by_how_much));
}

ty_tensor *ty_step_jitter(const ty_image_step *step, ty_tensor *x, ty_draws *draws) {
    FLOATING_DEFAULT;
    int order[] = {0, 1, 2, 3};
    ty_tensor *bad = step_refuse("step_jitter", step, x, draws);
    if (bad) return bad;
    if (ty_shape(x)[2] != 3)
        return ty_poison_code(E_SHAPE, "step_jitter: the image has %d channels; expected 3",
                              (int)ty_shape(x)[2]);
    if (!(step->hue <= 0.5))
        return ty_poison_code(E_ARGUMENT, "step_jitter: hue is %g; expected at most 0.5, half of the circle",
                              step->hue);
    for (int i = 3; i > 0; i--) {
        int k = (int)ty_draws_number(draws, 0, i + 1), held = order[i];
        order[i] = order[k];
        order[k] = held;
    }
    x = step_float(x);
    for (int i = 0; i < 4; i++) x = change(order[i], step, x, draws);
    return x;
}
