#include "tests/support/bodies.h"

struct scan_context {
    ty_tensor *scale;
    bool bend;
};

static void scan_step(void *context, ty_step *s) {
    const struct scan_context *c = context;
    ty_tensor *h = ty_add(ty_mul(s->carry[0], c->scale), s->x[0]);
    s->next[0] = c->bend ? ty_sin(h) : h;
    s->y[0] = ty_mul(s->next[0], s->x[0]);
}

static ty_tensor *first_row(ty_tensor *x) { return ty_gather(x, ty_int(0), 0); }

ty_tensor *bodies_scan(ty_tensor *x, ty_tensor *scale, bool bend, bool reverse) {
    struct scan_context c = {scale, bend};
    ty_tensor *carry = first_row(x), *last, *y;
    ty_scan(scan_step, &c,
            (ty_scan_spec){.ncarry = 1, .carry = &carry, .nx = 1, .x = &x, .ny = 1, .reverse = reverse},
            &last, &y, NULL);
    return ty_add(y, last);
}

static void product_step(void *context, ty_step *s) {
    ty_tensor *w = context, *h = ty_tanh(ty_add(ty_matmul(w, s->carry[0]), s->x[0]));
    h = ty_sin(ty_matmul(w, h));
    s->next[0] = h;
    s->next[1] = ty_add(s->carry[1], ty_mul(ty_sum(h, TY_ALL), ty_cast(s->index, ty_dtype_of(h))));
    s->y[0] = ty_mul(ty_amax(h, TY_ALL), s->x[0]);
}

ty_tensor *bodies_kept(ty_tensor *x, ty_tensor *w, bool reverse, int64_t checkpoint) {
    ty_tensor *carry[2] = {first_row(w), ty_num(0)}, *last[2], *y;
    ty_scan(product_step, w,
            (ty_scan_spec){.ncarry = 2,
                           .carry = carry,
                           .nx = 1,
                           .x = &x,
                           .ny = 1,
                           .reverse = reverse,
                           .checkpoint = checkpoint},
            last, &y, NULL);
    return ty_add(ty_add(y, ty_sum(ty_square(last[0]), TY_ALL)), last[1]);
}

static void sum_step(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_add(s->carry[0], s->x[0]);
    s->y[0] = s->next[0];
}

ty_tensor *bodies_sum(ty_tensor *x) {
    ty_tensor *carry = first_row(x), *last, *y;
    ty_scan(sum_step, NULL, (ty_scan_spec){.ncarry = 1, .carry = &carry, .nx = 1, .x = &x, .ny = 1}, &last,
            &y, NULL);
    return ty_add(y, last);
}

static ty_tensor *is_small(void *context, ty_tensor *const *carry) {
    (void)context;
    return ty_lt(ty_amax(carry[0], TY_ALL), ty_num(10));
}

static void twice(void *context, ty_tensor *const *carry, ty_tensor **next) {
    (void)context;
    next[0] = ty_mul(carry[0], ty_num(2));
}

ty_tensor *bodies_while(ty_tensor *x) {
    ty_tensor *last;
    ty_while(is_small, twice, NULL, 1, &x, 8, &last, NULL);
    return last;
}

static void square(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context;
    results[0] = ty_cast(ty_square(x[0]), ty_dtype_of(x[0]));
}

static void times(void *context, ty_tensor *const *x, ty_tensor **results) {
    results[0] = ty_mul(x[0], (ty_tensor *)context);
}

ty_tensor *bodies_cond(ty_tensor *x, ty_tensor *y, bool later) {
    ty_tensor *result, *first = ty_gather(ty_reshape(x, 1, (int64_t[]){-1}), ty_int(0), 0);
    ty_tensor *above = ty_gt(first, ty_num(0));
    ty_cond(later ? ty_lazy(above) : above, square, times, y, 1, &x, 1, &result);
    return result;
}

static void inner_step(void *context, ty_step *s) {
    s->next[0] = ty_mul(s->carry[0], ty_add(s->x[0], (ty_tensor *)context));
}

static void outer_step(void *context, ty_step *s) {
    ty_tensor *last;
    (void)context;
    ty_scan(inner_step, s->carry[0], (ty_scan_spec){.ncarry = 1, .carry = s->carry, .nx = 1, .x = s->x},
            &last, NULL, NULL);
    s->next[0] = ty_sin(last);
    s->y[0] = last;
}

ty_tensor *bodies_nested(ty_tensor *x) {
    ty_tensor *carry = ty_gather(first_row(x), ty_int(0), 0), *last, *y;
    ty_scan(outer_step, NULL, (ty_scan_spec){.ncarry = 1, .carry = &carry, .nx = 1, .x = &x, .ny = 1}, &last,
            &y, NULL);
    return ty_add(y, last);
}

/* ---- custom derivatives, checkpoints ---- */

static ty_tensor *three_sines(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_mul(ty_sin(x[0]), ty_num(3));
}

static void back_from_sines(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *g,
                            ty_tensor **gradients) {
    (void)context, (void)n, (void)y;
    gradients[0] = ty_mul(g, ty_conj(ty_mul(ty_cos(x[0]), ty_num(3))));
}

ty_tensor *bodies_custom(ty_tensor *x) {
    return ty_apply((ty_custom){.f = three_sines, .vjp = back_from_sines}, 1, &x);
}

static void sines_of_values(void *context, ty_called *call) { call->y[0] = three_sines(context, call->x); }
static void back_from_values(void *context, int n, ty_tensor *const *x, int m, ty_tensor *const *y,
                             ty_tensor *const *g, ty_tensor **gradients) {
    (void)m;
    back_from_sines(context, n, x, y[0], g[0], gradients);
}
static void along_values(void *context, int n, ty_tensor *const *x, int m, ty_tensor *const *y,
                         ty_tensor *const *t, ty_tensor **tangents) {
    (void)context, (void)n, (void)m, (void)y;
    tangents[0] = ty_mul(t[0], ty_mul(ty_cos(x[0]), ty_num(3)));
}
ty_tensor *bodies_call(ty_tensor *x) {
    static const ty_callee callee = {
        .f = sines_of_values, .vjp = back_from_values, .jvp = along_values, .batched = true};
    ty_tensor *y;
    ty_form form = {ty_dtype_of(x), ty_rank(x), ty_shape(x)};
    ty_call(callee, 1, &x, 1, &form, &y);
    return y;
}

ty_tensor *bodies_checkpoint(ty_tensor *x) { return ty_checkpoint(three_sines, NULL, 1, &x); }

ty_tensor *bodies_again(ty_tensor *x) {
    ty_tensor *zero = ty_zeros(ty_dtype_of(x), TY_SHAPE(1)), *gradient;
    if (!ty_is_promise(x)) x = ty_add(x, ty_track(zero, "zero"));
    ty_grad(bodies_checkpoint(x), 1, &x, &gradient);
    return gradient;
}
