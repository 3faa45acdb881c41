/* Custom derivative rules and checkpoints: values, derivatives of both modes, and the number of calls. */
#include <math.h>
#include <tyto/tyto.h>

#include "array/scope.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

static ty_tensor *leaf(ty_tensor *value, bool lazy) {
    return CHECK_OK(lazy ? ty_var(value, "x") : ty_track(value, "x"));
}
static ty_tensor *vector(int64_t n, const double *x) { return ty_from(TY_F64, 1, &n, x); }
static void compare(ty_tensor *got, int64_t n, const double *want, const char *what) {
    compare_near(ty_eval(CHECK_OK(got)), vector(n, want), 1e-13, 1e-13, "%s", what);
}
static ty_tensor *flow(ty_tensor *y, ty_tensor *x, ty_tensor *g) {
    ty_tensor *gradient;
    CHECK(ty_vjp(y, g, 1, &x, &gradient), "%s", ty_error(gradient));
    return gradient;
}
static ty_tensor *tangent(ty_tensor *y, ty_tensor *x, ty_tensor *t) {
    ty_tensor *dy;
    CHECK(ty_jvp(1, &y, 1, &x, &t, &dy), "%s", ty_error(dy));
    return dy;
}

/* ---- rules ---- */

/* Round, with the gradient of the identity. */
static ty_tensor *rounded(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_round(x[0]);
}
static void through(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *g,
                    ty_tensor **gradients) {
    (void)context, (void)n, (void)x, (void)y;
    gradients[0] = g;
}

static void straight_through(void) {
    ty_custom rule = {.f = rounded, .vjp = through};
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *x = leaf(vector(NUMBERS(0.4, 2.6)), lazy), *y = ty_square(ty_apply(rule, 1, &x));
        compare(y, NUMBERS(0, 9), "value");
        compare(flow(y, x, vector(NUMBERS(1, 10))), NUMBERS(0, 60), "gradient");
        compare(tangent(y, x, vector(NUMBERS(1, 10))), NUMBERS(0, 60),
                "tangent, by the transpose of the rule");
    }
    ty_tensor *plain = vector(NUMBERS(0.4, 2.6));
    compare(ty_apply(rule, 1, &plain), NUMBERS(0, 3), "of what nobody tracks");
}

/* The gradient of a batch and the batch of gradients both use the rule for each example. */
static void square_rounded(void *context, ty_tensor *const *x, ty_tensor **y) {
    y[0] = ty_sum(ty_square(ty_apply(*(ty_custom *)context, 1, x)), TY_ALL);
}
static void its_gradient(void *context, ty_tensor *const *x, ty_tensor **g) {
    ty_tensor *y;
    square_rounded(context, x, &y);
    ty_grad(y, 1, x, g);
}
static void rules_of_examples(void) {
    ty_custom rule = {.f = rounded, .vjp = through};
    static const int axes[] = {0};
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *x = leaf(ty_reshape(vector(NUMBERS(0.4, 2.6, 1.4, 3.7)), TY_SHAPE(2, 2)), lazy), *y, *g;
        CHECK(ty_vmap(square_rounded, &rule, 1, &x, axes, 1, &y, axes), "%s", ty_error(y));
        compare(y, NUMBERS(9, 17), "values of two examples");
        compare(ty_reshape(flow(y, x, vector(NUMBERS(1, 10))), TY_SHAPE(4)), NUMBERS(0, 6, 20, 80),
                "gradient of a batch");
        CHECK(ty_vmap(its_gradient, &rule, 1, &x, axes, 1, &g, axes), "%s", ty_error(g));
        compare(ty_reshape(g, TY_SHAPE(4)), NUMBERS(0, 6, 2, 8), "batch of gradients");
    }
}

/* Return x0 sin(x1) with a tangent rule only, twice the correct one, to show that the rule is used. */
static ty_tensor *product(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_mul(x[0], ty_sin(x[1]));
}
static ty_tensor *moves(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *const *t) {
    (void)y;
    CHECK(n == 2, "two operands");
    ++*(int *)context;
    ty_tensor *dy = t[0] ? ty_mul(ty_mul(t[0], ty_sin(x[1])), ty_num(2)) : NULL;
    ty_tensor *other = t[1] ? ty_mul(ty_mul(t[1], ty_mul(x[0], ty_cos(x[1]))), ty_num(2)) : NULL;
    return dy && other ? ty_add(dy, other) : dy ? dy : other;
}

static void transposes(void) {
    int calls = 0;
    ty_custom rule = {.f = product, .jvp = moves, .context = &calls};
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *x[] = {leaf(vector(NUMBERS(3, 5)), lazy), leaf(vector(NUMBERS(0.5, 1)), lazy)}, *g[2];
        ty_tensor *y = ty_apply(rule, 2, x), *t[] = {vector(NUMBERS(1, 2)), vector(NUMBERS(-1, 4))}, *dy;
        CHECK(ty_jvp(1, &y, 2, x, t, &dy), "%s", ty_error(dy));
        compare(dy, NUMBERS(2 * (sin(0.5) - 3 * cos(0.5)), 2 * (2 * sin(1) + 20 * cos(1))), "tangent");
        CHECK(ty_vjp(y, vector(NUMBERS(1, 10)), 2, x, g), "%s", ty_error(g[0]));
        compare(g[0], NUMBERS(2 * sin(0.5), 20 * sin(1)), "gradient by x0");
        compare(g[1], NUMBERS(6 * cos(0.5), 100 * cos(1)), "gradient by x1");
        compare(flow(y, x[1], vector(NUMBERS(1, 10))), NUMBERS(6 * cos(0.5), 100 * cos(1)), "by x1 alone");
        compare(flow(g[1], x[1], vector(NUMBERS(1, 1))), NUMBERS(-6 * sin(0.5), -100 * sin(1)), "once more");
    }
    CHECK(calls > 0, "the rule is called");
}

/* Return a row of a matrix times a vector; the gradient of the matrix is omitted. */
static ty_tensor *row_times(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_matmul(ty_gather(x[0], x[2], 0), x[1]);
}
static void only_vector(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *g,
                        ty_tensor **gradients) {
    (void)context, (void)n, (void)y;
    gradients[1] = ty_mul(g, ty_gather(x[0], x[2], 0));
}

static void rules_of_several(void) {
    ty_custom rule = {.f = row_times, .vjp = only_vector};
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *m = leaf(ty_from(TY_F64, TY_SHAPE(2, 2), (double[]){1, 2, 3, 4}), lazy), *g[2];
        ty_tensor *v = leaf(vector(NUMBERS(5, 6)), lazy), *x[] = {m, v, ty_scalar(TY_I64, 1)};
        ty_tensor *y = ty_apply(rule, 3, x);
        CHECK(ty_grad(ty_mul(y, y), 2, x, g), "%s", ty_error(g[0]));
        compare_numbers(ty_eval(g[0]), NUMBERS(0, 0, 0, 0), "NULL is zero");
        compare(g[1], NUMBERS(2 * 39 * 3, 2 * 39 * 4), "by the vector");
    }
}

static void step(void *context, ty_step *s) {
    s->next[0] = ty_add(ty_apply(*(ty_custom *)context, 1, s->carry), s->x[0]);
}

static void rules_in_scans(void) {
    ty_custom rule = {.f = rounded, .vjp = through};
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *x = leaf(ty_from(TY_F64, TY_SHAPE(3, 1), (double[]){0.6, 0.7, 0.2}), lazy), *last;
        ty_tensor *first = ty_zeros(TY_F64, TY_SHAPE(1));
        CHECK(ty_scan(step, &rule, (ty_scan_spec){.ncarry = 1, .carry = &first, .nx = 1, .x = &x}, &last,
                      NULL, NULL),
              "%s", ty_error(last));
        compare(last, NUMBERS(2.2), "value");
        compare(ty_reshape(flow(last, x, ty_ones(TY_F64, TY_SHAPE(1))), TY_SHAPE(3)), NUMBERS(1, 1, 1),
                "gradient");
        compare(tangent(last, x, ty_from(TY_F64, TY_SHAPE(3, 1), (double[]){1, 10, 100})), NUMBERS(111),
                "tangent");
    }
}

static void count(void *context) { ++*(int *)context; }
static void count_too(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *g,
                      ty_tensor **gradients) {
    through(context, n, x, y, g, gradients);
}

static void released_once(void) {
    static int released;
    released = 0;
    ty_custom rule = {.f = rounded, .vjp = count_too, .context = &released, .release = count};
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_scope *scope = ty_open();
        ty_tensor *x = lazy ? ty_var(vector(NUMBERS(0.4)), "x") : ty_track(vector(NUMBERS(0.4)), "x");
        ty_tensor *y = ty_eval(ty_square(ty_apply(rule, 1, &x)));
        bool well = ty_ok(y);
        int before = released;
        ty_close(scope);
        ty_trim(); /* the last program is cached */
        CHECK(!well || before == lazy, "a rule goes after its tensors");
        CHECK(released == lazy + 1, "a rule goes once");
    }
    ty_tensor *plain = vector(NUMBERS(0.4)), *bad;
    CHECK_OK(ty_apply(rule, 1, &plain));
    CHECK(released == 3, "nobody keeps it where nothing is tracked");
    bad = ty_apply(rule, 1, (ty_tensor *[]){NULL});
    CHECK(!ty_ok(bad) && released == 4, "it goes where the call fails");
}

static void wrong_shape(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *g,
                        ty_tensor **gradients) {
    (void)context, (void)n, (void)x, (void)y;
    gradients[0] = ty_sum(g, TY_ALL);
}
static ty_tensor *wrong_dtype(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *const *t) {
    (void)context, (void)n, (void)x, (void)y;
    return ty_cast(t[0], TY_F32);
}
static ty_tensor *place(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_argmax(x[0], TY_ALL);
}
static ty_tensor *nothing(void *context, ty_tensor *const *x) {
    (void)context, (void)x;
    return NULL;
}

static void rule_errors(void) {
    ty_tensor *x = ty_track(vector(NUMBERS(1, 2)), "x"), *g, *t = vector(NUMBERS(1, 1)), *y;
    y = CHECK_OK(ty_apply((ty_custom){.f = rounded, .vjp = wrong_shape, .jvp = wrong_dtype}, 1, &x));
    CHECK(!ty_grad(y, 1, &x, &g), "a gradient of another shape");
    CHECK_POISON(g, "apply: the rule's gradient 0 is f64[], and its x f64[2]; they must match");
    CHECK(!ty_jvp(1, &y, 1, &x, &t, &g), "a tangent of another dtype");
    CHECK_POISON(g, "apply: the rule's tangent 0 is f32[2], and y f64[2]; they must match");
    CHECK_POISON(ty_apply((ty_custom){.f = rounded}, 1, &x), "apply: the rule has neither a vjp nor a jvp");
    CHECK_POISON(ty_apply((ty_custom){.vjp = through}, 1, &x), "apply: the function is NULL");
    CHECK_POISON(ty_apply((ty_custom){.f = nothing, .vjp = through}, 1, &x),
                 "apply: the function returned NULL");
    CHECK_POISON(ty_apply((ty_custom){.f = place, .vjp = through}, 1, &x),
                 "apply of i64[]: the value has no gradient");
    CHECK_POISON(ty_apply((ty_custom){.f = rounded, .vjp = through}, 1, NULL), "apply: the array of");
}

/* ---- checkpoints ---- */

struct net {
    int calls;
};

/* Return tanh of three layers. */
static ty_tensor *block(void *context, ty_tensor *const *x) {
    struct net *n = context;
    n->calls++;
    ty_tensor *h = x[0];
    for (int i = 0; i < 3; i++) h = ty_tanh(ty_matmul(h, x[1]));
    return h;
}

static void computed_again(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        struct net net = {0};
        ty_tensor *h = leaf(ty_reshape(ty_sin(ty_arange(TY_F64, 0, 6, 1)), TY_SHAPE(2, 3)), lazy);
        ty_tensor *w = leaf(ty_reshape(ty_cos(ty_arange(TY_F64, 0, 9, 1)), TY_SHAPE(3, 3)), lazy),
                  *x[] = {h, w};
        ty_tensor *g[2], *want[2], *t[] = {ty_ones(TY_F64, TY_SHAPE(2, 3)), ty_ones(TY_F64, TY_SHAPE(3, 3))};
        ty_tensor *y = ty_checkpoint(block, &net, 2, x), *plain = block(&net, x), *dy, *other;
        CHECK(ty_grad(ty_square(plain), 2, x, want), "%s", ty_error(want[0]));
        net.calls = 0;
        CHECK(ty_grad(ty_square(y), 2, x, g), "%s", ty_error(g[0]));
        CHECK(net.calls == 1, "once more for the gradient, not %d times", net.calls);
        for (int i = 0; i < 2; i++)
            compare_near(ty_eval(g[i]), ty_eval(want[i]), 1e-13, 1e-14, "gradient %d", i);
        CHECK(ty_jvp(1, &y, 2, x, t, &dy), "%s", ty_error(dy));
        CHECK(ty_jvp(1, &plain, 2, x, t, &other), "%s", ty_error(other));
        compare_near(ty_eval(dy), ty_eval(other), 1e-13, 1e-14, "tangent");
        ty_tensor *v[2], *hv[2];
        CHECK(ty_hvp(ty_square(y), 2, x, t, hv), "%s", ty_error(hv[0]));
        CHECK(ty_hvp(ty_square(plain), 2, x, t, v), "%s", ty_error(v[0]));
        for (int i = 0; i < 2; i++)
            compare_near(ty_eval(hv[i]), ty_eval(v[i]), 1e-12, 1e-13, "second order %d", i);
    }
}

enum { DEEP = 8, WIDE = 4096 };

static ty_tensor *deep(void *context, ty_tensor *const *x) {
    (void)context;
    ty_tensor *h = x[0];
    for (int i = 0; i < DEEP; i++) {
        ty_tensor *shifted = ty_roll(h, 1, (int64_t[]){1}, NULL);
        h = ty_sin(ty_add(ty_mul(h, x[1]), ty_cumsum(shifted, 0, (ty_running){0})));
    }
    return h;
}

static int64_t arena(bool again) {
    ty_tensor *x = ty_var(ty_ones(TY_F64, TY_SHAPE(WIDE)), "x"), *a = ty_var(ty_scalar(TY_F64, 0.5), "a"),
              *gradient;
    ty_tensor *h = x;
    for (int i = 0; i < DEEP; i++) {
        ty_tensor *both[] = {h, a};
        h = again ? ty_checkpoint(deep, NULL, 2, both) : deep(NULL, both);
    }
    CHECK(ty_grad(h, 1, &a, &gradient), "%s", ty_error(gradient));
    ty_program *p = test_program(ty_compile(1, &gradient, (ty_compile_options){0}));
    CHECK(!*ty_program_error(p), "%s", ty_program_error(p));
    return test_report(p).arena_bytes;
}

static void checkpoint_saves_memory(void) {
    int64_t kept = arena(false), again = arena(true);
    CHECK(again * 2 < kept, "%lld bytes with checkpoints, %lld without", (long long)again, (long long)kept);
}

static void grow(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_sin(ty_mul(s->carry[0], s->x[0]));
}
static ty_tensor *scanned(void *context, ty_tensor *const *x) {
    ty_tensor *last, *first = ty_ones(TY_F64, TY_SHAPE(2));
    ty_scan(grow, context, (ty_scan_spec){.ncarry = 1, .carry = &first, .nx = 1, .x = x}, &last, NULL, NULL);
    return last;
}

static void checkpoint_of_scan(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *x = leaf(ty_reshape(ty_steps(TY_F64, 0.5, 0.1, 8), TY_SHAPE(4, 2)), lazy), *g, *want;
        CHECK(ty_grad(ty_checkpoint(scanned, NULL, 1, &x), 1, &x, &g), "%s", ty_error(g));
        CHECK(ty_grad(scanned(NULL, &x), 1, &x, &want), "%s", ty_error(want));
        CHECK(lazy || !ty_is_promise(g), "a value");
        compare_near(ty_eval(g), ty_eval(want), 1e-13, 1e-14, "gradient");
    }
}

static int told;
static ty_tensor *fickle(void *context, ty_tensor *const *x) {
    (void)context;
    return told++ ? ty_sum(x[0], TY_ALL) : ty_square(x[0]);
}

static void checkpoint_errors(void) {
    ty_tensor *x = ty_track(vector(NUMBERS(1, 2)), "x"), *g;
    told = 0;
    ty_tensor *y = CHECK_OK(ty_checkpoint(fickle, NULL, 1, &x));
    CHECK(!ty_grad(y, 1, &x, &g), "another value the second time");
    CHECK_POISON(g, "checkpoint: f returned f64[]; before it returned f64[2]");
    CHECK_POISON(ty_checkpoint(NULL, NULL, 1, &x), "checkpoint: the function is NULL");
}

/* ---- batches ---- */

/* Compute value and gradient of one example, by a rule and by a checkpoint. */
static void one_example(void *context, ty_tensor *const *x, ty_tensor **results) {
    struct net *net = context;
    ty_tensor *y = ty_sum(ty_square(ty_apply((ty_custom){.f = rounded, .vjp = through}, 1, x)), TY_ALL);
    ty_tensor *again = ty_sum(ty_checkpoint(block, net, 2, x), TY_ALL);
    ty_grad(y, 1, x, &results[0]);
    ty_grad(again, 1, x, &results[1]);
    results[2] = y;
}

static void many_examples(void) {
    struct net net = {0};
    ty_tensor *w = ty_reshape(ty_cos(ty_arange(TY_F64, 0, 9, 1)), TY_SHAPE(3, 3)), *results[3], *one[3],
              *flow_out;
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *all = leaf(ty_reshape(ty_steps(TY_F64, -1, 0.4, 24), TY_SHAPE(4, 2, 3)), lazy),
                  *x[] = {all, w};
        CHECK(ty_vmap(one_example, &net, 2, x, (int[]){0, TY_NO_AXIS}, 3, results, NULL), "%s",
              ty_error(results[0]));
        CHECK(ty_grad(results[2], 1, &all, &flow_out), "%s", ty_error(flow_out));
        for (int i = 0; i < 4; i++) {
            ty_tensor *alone =
                CHECK_OK(ty_track(ty_reshape(ty_slice(ty_eval(all), 0, i, i + 1, 1), TY_SHAPE(2, 3)), "x"));
            one_example(&net, (ty_tensor *[]){alone, w}, one);
            for (int k = 0; k < 2; k++)
                compare_near(ty_reshape(ty_slice(ty_eval(results[k]), 0, i, i + 1, 1), TY_SHAPE(2, 3)),
                             CHECK_OK(one[k]), 1e-12, 1e-13, "example %d, gradient %d", i, k);
            compare_near(ty_reshape(ty_slice(ty_eval(flow_out), 0, i, i + 1, 1), TY_SHAPE(2, 3)), one[0],
                         1e-12, 1e-13, "example %d, from outside", i);
        }
    }
}

/* ---- functions that leave scopes open, or close them ---- */

static ty_scope *outside;
static int ended;

static void disturb(void) {
    ty_open();
    ty_ones(TY_F64, TY_SHAPE(9));
    ty_open();
    ty_ones(TY_F64, TY_SHAPE(9));
}
static ty_tensor *disturbing(void *context, ty_tensor *const *x) {
    (void)context;
    disturb();
    return ty_square(x[0]);
}
static ty_tensor *closing(void *context, ty_tensor *const *x) {
    (void)context;
    ty_close(outside);
    return ty_square(x[0]);
}
static void disturbing_vjp(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *g,
                           ty_tensor **gradients) {
    (void)context, (void)n, (void)y;
    disturb();
    gradients[0] = ty_mul(g, ty_mul(x[0], ty_num(2)));
}
static ty_tensor *disturbing_jvp(void *context, int n, ty_tensor *const *x, ty_tensor *y,
                                 ty_tensor *const *t) {
    (void)context, (void)n, (void)y;
    disturb();
    return ty_mul(t[0], ty_mul(x[0], ty_num(2)));
}
static void disturbing_release(void *context) {
    (void)context;
    ended++;
    disturb();
}

static void scopes_of_others(void) {
    ty_tensor *x = ty_scalar(TY_F64, 3), *one = ty_scalar(TY_F64, 1), *value, *g;
    int depth = scope_depth();
    outside = ty_open();
    CHECK(ty_value_and_grad(disturbing, NULL, 1, &x, &value, &g), "%s", ty_error(g));
    CHECK(scope_depth() == depth + 1 && ty_item(value) == 9 && ty_item(g) == 6, "scopes that were left open");
    CHECK(!ty_value_and_grad(closing, NULL, 1, &x, &value, &g), "a scope around was closed");
    CHECK_POISON(g, "value_and_grad: the function closed a scope");
    ended = 0;
    ty_scope *s = ty_open();
    ty_tensor *leaf = CHECK_OK(ty_track(x, "x"));
    ty_custom own = {disturbing, disturbing_vjp, disturbing_jvp, NULL, disturbing_release};
    ty_tensor *y = CHECK_OK(ty_apply(own, 1, &leaf));
    CHECK(ty_grad(y, 1, &leaf, &g), "%s", ty_error(g));
    double slope = ty_item(g);
    CHECK(ty_jvp(1, &y, 1, &leaf, &one, &g), "%s", ty_error(g));
    CHECK(slope == 6 && ty_item(g) == 6, "a rule that leaves scopes open");
    y = CHECK_OK(ty_checkpoint(disturbing, NULL, 1, &leaf));
    CHECK(ty_grad(y, 1, &leaf, &g), "%s", ty_error(g));
    CHECK(ty_item(g) == 6, "a checkpoint that leaves scopes open");
    ty_close(s);
    CHECK(ended == 1 && scope_depth() == depth + 1, "the rule ends with its scope");
    ty_close(outside);
}

static const struct test_case cases[] = {
#define CASE(name, operators) TEST_REACHES(name, operators),
#include "tests/grad/custom.def"
};
TESTS_MAIN_TABLE(cases)
