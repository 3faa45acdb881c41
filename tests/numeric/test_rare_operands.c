/*
 * Rare operands: grids with a decreasing first axis, as values and as promises; differential equations in half floats,
 * with any method.
 */
#include <math.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"

static ty_tensor *vector(int64_t n, const double *x) { return ty_from(TY_F64, 1, &n, x); }
#define VECTOR(...) vector(sizeof((double[]){__VA_ARGS__}) / sizeof(double), (const double[]){__VA_ARGS__})

/* A grid is refused with the axis that does not increase; that of a promise gives NaN, as documented. */
static void falling_axes(void) {
    ty_tensor *rising = VECTOR(0, 1, 2), *falling = VECTOR(0, 2, 1), *level = VECTOR(0, 0, 1);
    ty_tensor *y = ty_reshape(ty_arange(TY_F64, 0, 9, 1), TY_SHAPE(3, 3)),
              *at = ty_full(TY_F64, TY_SHAPE(4, 2), 0.5);
    static const ty_interp_kind kinds[] = {TY_INTERP_LINEAR, TY_INTERP_NEAREST, TY_INTERP_CUBIC};
    for (int wrong = 0; wrong < 2; wrong++)
        for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
            for (int i = 0; i < 2; i++) {
                struct test_round round = test_round();
                ty_tensor *axes[2] = {rising, rising};
                ty_interp_options o = {.kind = kinds[kind]};
                CHECK_OK(ty_interpn(at, 2, axes, y, o));
                axes[wrong] = i ? level : falling;
                CHECK_POISON(ty_interpn(at, 2, axes, y, o), "must be ascending");
                axes[wrong] = ty_lazy(axes[wrong]);
                ty_tensor *z = ty_eval(ty_interpn(at, 2, axes, y, o));
                CHECK(!ty_ok(z) || isnan(ty_item(ty_sum(z, TY_ALL))),
                      "axis %d of a promise does not rise: %g", wrong, ty_item(ty_sum(z, TY_ALL)));
                test_round_end(round);
            }
}

static ty_tensor *decay(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_neg(x[1]);
}

/* exp(-t) is accurate to some units in the last place of the dtype. */
static void half_floats(void) {
    static const struct {
        ty_dtype dtype;
        double unit;
    } rows[] = {{TY_F16, 0x1p-11}, {TY_BF16, 0x1p-8}};
    ty_tensor *t = VECTOR(0, 0.25, 0.5, 1), *back = ty_flip(t, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int method = 0; method < TY_ODE_METHODS; method++) {
            struct test_round round = test_round();
            ty_ode_options o = {.method = (ty_ode_method)method,
                                .relative = 4 * rows[i].unit,
                                .absolute = rows[i].unit,
                                .steps = method == TY_ODE_RK4 ? 4 : 0};
            ty_tensor *y0 = ty_ones(rows[i].dtype, TY_SHAPE(2));
            ty_tensor *y = CHECK_OK(ty_odeint(decay, NULL, y0, t, 0, NULL, o));
            CHECK(ty_dtype_of(y) == rows[i].dtype, "%s stays", ty_dtype_name(rows[i].dtype));
            ty_tensor *want = ty_broadcast(ty_expand(ty_exp(ty_neg(t)), 1), TY_SHAPE(4, 2));
            compare_near(ty_cast(y, TY_F64), want, 0, 40 * rows[i].unit, "method %d of %s", method,
                         ty_dtype_name(rows[i].dtype));
            compare_bits(ty_eval(ty_odeint(decay, NULL, ty_lazy(y0), t, 0, NULL, o)), y,
                         "a promise, method %d", method);
            ty_tensor *first = CHECK_OK(ty_odeint(decay, NULL, ty_cast(y0, rows[i].dtype), back, 0, NULL, o));
            compare_near(ty_cast(first, TY_F64),
                         ty_broadcast(ty_expand(ty_exp(ty_sub(ty_num(1), back)), 1), TY_SHAPE(4, 2)), 0,
                         80 * rows[i].unit, "back, method %d of %s", method, ty_dtype_name(rows[i].dtype));
            test_round_end(round);
        }
}

TESTS_MAIN(TEST(falling_axes), TEST(half_floats))
