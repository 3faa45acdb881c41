/* Loops and branches: values against the same computed step by step, lazily, eagerly, unfused, on the reference. */
#include <math.h>
#include <string.h>
#include <tyto/tyto.h>
#include "tests/support/harness.h"
#include "tests/support/sample.h"

enum { STEPS = 7, WIDTH = 5 };

/* h' = tanh(W h + x), y = h' * index */
struct rnn {
    ty_tensor *w;
};
static void rnn_step(void *context, ty_step *s) {
    struct rnn *r = context;
    ty_tensor *h = ty_tanh(ty_add(ty_matmul(r->w, s->carry[0]), s->x[0]));
    s->next[0] = h;
    s->next[1] = ty_add(s->carry[1], ty_sum(h, TY_ALL));
    s->y[0] = h;
    s->y[1] = ty_mul(h, ty_cast(s->index, TY_F64));
}

struct results {
    ty_tensor *last[2], *y[2], *steps;
};

static struct results rnn_scan(ty_tensor *w, ty_tensor *h, ty_tensor *x, bool reverse) {
    struct results r;
    struct rnn context = {w};
    ty_tensor *carry[] = {h, ty_num(0)};
    ty_scan(rnn_step, &context, (ty_scan_spec){.ncarry = 2, .carry = carry, .nx = 1, .x = &x, .ny = 2, .reverse = reverse},
            r.last, r.y, &r.steps);
    return r;
}

/* The same, unrolled. */
static struct results rnn_unrolled(ty_tensor *w, ty_tensor *h, ty_tensor *x, bool reverse) {
    struct results r = {.steps = ty_scalar(TY_I64, STEPS)};
    struct rnn context = {w};
    ty_tensor *carry[2] = {h, ty_scalar(TY_F64, 0)}, *y[2][STEPS];
    for (int i = 0; i < STEPS; i++) {
        int t = reverse ? STEPS - 1 - i : i;
        ty_tensor *next[2], *out[2], *element = ty_gather(x, ty_int(t), 0);
        ty_step s = {ty_scalar(TY_I64, t), carry, &element, next, out, NULL};
        rnn_step(&context, &s);
        for (int j = 0; j < 2; j++) carry[j] = next[j], y[j][t] = out[j];
    }
    for (int j = 0; j < 2; j++) r.last[j] = carry[j], r.y[j] = ty_stack(STEPS, y[j], 0);
    return r;
}

static void equal(const char *what, ty_tensor *a, ty_tensor *b, double tolerance) {
    CHECK(ty_ok(a) || test_starving(), "%s: %s", what, ty_error(a));
    CHECK(ty_ok(b) || test_starving(), "%s: %s", what, ty_error(b));
    if (!ty_ok(a) || !ty_ok(b)) return;
    ty_tensor *difference = ty_amax(ty_abs(ty_sub(ty_cast(a, TY_F64), ty_cast(b, TY_F64))), TY_ALL);
    double d = ty_size(a) ? ty_item(difference) : 0;
    CHECK(d <= tolerance || test_starving(), "%s differs by %g", what, d);
}

static void compare(const char *what, struct results a, struct results b) {
    for (int j = 0; j < 2; j++) {
        equal(what, a.last[j], b.last[j], 1e-12);
        equal(what, a.y[j], b.y[j], 1e-12);
    }
    equal(what, a.steps, b.steps, 0);
}

static void scans(void) {
    ty_tensor *w = sample_shape(TY_F64, 2, (int64_t[]){WIDTH, WIDTH}, -1, 1);
    ty_tensor *h = sample_shape(TY_F64, 1, (int64_t[]){WIDTH}, -1, 1);
    ty_tensor *x = sample_shape(TY_F64, 2, (int64_t[]){STEPS, WIDTH}, -1, 1);
    for (int reverse = 0; reverse < 2; reverse++) {
        struct results expected = rnn_unrolled(w, h, x, reverse);
        compare("eager scan", rnn_scan(w, h, x, reverse), expected);
        compare("lazy scan", rnn_scan(ty_var(w, "w"), ty_var(h, "h"), ty_var(x, "x"), reverse), expected);
        compare("scan of a lazy start", rnn_scan(w, ty_lazy(h), x, reverse), expected);
    }
}

static void gradients(void) {
    ty_tensor *w = sample_shape(TY_F64, 2, (int64_t[]){WIDTH, WIDTH}, -1, 1);
    ty_tensor *h = sample_shape(TY_F64, 1, (int64_t[]){WIDTH}, -1, 1);
    ty_tensor *x = sample_shape(TY_F64, 2, (int64_t[]){STEPS, WIDTH}, -1, 1);
    for (int reverse = 0; reverse < 2; reverse++)
        for (int kind = 0; kind < 2; kind++) {
            ty_tensor *(*leaf)(ty_tensor *, const char *) = kind ? ty_track : ty_var;
            ty_tensor *v[3] = {leaf(w, "w"), leaf(h, "h"), leaf(x, "x")}, *g[2][3];
            for (int unrolled = 0; unrolled < 2; unrolled++) {
                struct results r = (unrolled ? rnn_unrolled : rnn_scan)(v[0], v[1], v[2], reverse);
                ty_tensor *loss = ty_add(ty_sum(ty_square(r.y[1]), TY_ALL), ty_add(ty_square(r.last[1]), ty_sum(ty_sin(r.y[0]), TY_ALL)));
                bool done = ty_grad(loss, 3, v, g[unrolled]);
                CHECK(done || test_starving(), "%s", ty_error(g[unrolled][0]));
            }
            for (int i = 0; i < 3; i++) equal(kind ? "eager gradient" : "lazy gradient", g[0][i], g[1][i], 1e-9);
        }
}

TESTS_MAIN(TEST(scans), TEST(gradients))
