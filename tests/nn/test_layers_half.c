/* Every kind of layer in half floats with f32 parameters: results have that dtype and are near those of
   f64; gradients are finite.  Complex operands are refused or give complex results. */
#include <math.h>
#include "tests/nn/layers_table.h"

struct context {
    const struct row *row;
    ty_dtype compute;
};

static void forward(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    const struct context *c = context;
    ty_tensor *cast[MOST];
    for (int i = 0; i < n; i++) cast[i] = ty_dtype_of(x[i]) == TY_I64 ? x[i] : ty_cast(x[i], c->compute);
    y[0] = c->row->run(self, cast);
}

static ty_model *make(const struct context *c, int n, ty_tensor *const *x) {
    ty_tensor *error = NULL;
    ty_model_options options = {.seed = 5, .inputs = n, .dtype = TY_F64};
    if (c->compute != TY_F64) options.dtype = TY_F32, options.compute = c->compute;
    ty_model *m = nn_own_model(ty_model_new(forward, c, options));
    CHECK(ty_model_build(m, n, x, &error), "%s: %s", c->row->kind->name, ty_error(error));
    return m;
}

static ty_tensor *call(ty_model *m, const struct row *r, ty_tensor *key, int n, ty_tensor *const *x) {
    ty_tensor *y = NULL;
    ty_model_call(m, key, n, x, &y);
    CHECK(ty_ok(y) || test_starving(), "%s: %s", r->kind->name, ty_error(y));
    CHECK_OK(y);
    return y;
}

static void check_finite(const struct row *r, ty_model *m, int n, ty_tensor *const *x) {
    ty_tensor *gradients[MOST], *parameters[MOST];
    int count = ty_model_parameters(m);
    for (int i = 0; i < count; i++) parameters[i] = ty_model_parameter(m, i);
    ty_tensor *loss = ty_sum(ty_cast(call(m, r, ty_key(3), n, x), TY_F32), TY_ALL);
    CHECK(ty_grad(loss, count, parameters, gradients), "%s: no gradient", r->kind->name);
    for (int i = 0; i < count; i++) {
        CHECK(ty_dtype_of(gradients[i]) == TY_F32, "%s: a gradient of %s", r->kind->name,
              ty_dtype_name(ty_dtype_of(gradients[i])));
        CHECK(ty_item(ty_all(ty_is_finite(gradients[i]), TY_ALL)) == 1, "%s: a gradient is not finite",
              r->kind->name);
    }
}

static void check_row(const struct row *r, ty_dtype compute, double tolerance) {
    struct context exact = {r, TY_F64}, narrow = {r, compute};
    ty_tensor *x[MOST];
    int n = layers_operands(r->operands, false, x);
    ty_model *expected = make(&exact, n, x), *found = make(&narrow, n, x);
    for (int i = 0; i < ty_model_parameters(found); i++)
        CHECK(ty_assign(ty_model_parameter(found, i), ty_cast(ty_model_parameter(expected, i), TY_F32), NULL),
              "assign");
    ty_tensor *a = call(expected, r, NULL, n, x), *b = call(found, r, NULL, n, x);
    CHECK(ty_dtype_of(b) == compute, "%s: a result of %s in a model that computes in %s", r->kind->name,
          ty_dtype_name(ty_dtype_of(b)), ty_dtype_name(compute));
    ty_tensor *far = ty_div(ty_abs(ty_sub(ty_cast(b, TY_F64), a)), ty_add(ty_abs(a), ty_num(1)));
    double most = ty_item(ty_amax(far, TY_ALL));
    CHECK(most <= tolerance, "%s in %s: %g apart", r->kind->name, ty_dtype_name(compute), most);
    check_finite(r, found, n, x);
}

static void half_floats(void) {
    for (int k = 0; k < KINDS; k += test_starving() ? 9 : 1) {
        struct test_round round = test_round();
        check_row(&rows[k], TY_BF16, 0.06);
        check_row(&rows[k], TY_F16, 0.008);
        test_round_end(round);
    }
}

static void forward_as_given(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)n;
    y[0] = ((const struct row *)context)->run(self, x);
}

/* No layer loses the imaginary part of an operand. */
static void complex_operands(void) {
    for (int k = 0; k < KINDS; k++) {
        struct test_round round = test_round();
        ty_tensor *x[MOST], *y = NULL;
        int n = layers_operands(rows[k].operands, false, x);
        for (int i = 0; i < n; i++) {
            ty_tensor *before = x[i];
            if (ty_dtype_of(before) == TY_I64) continue;
            x[i] = ty_cast(before, TY_C128);
            ty_model_options options = {.inputs = n, .dtype = TY_F64};
            ty_model *m = nn_own_model(ty_model_new(forward_as_given, &rows[k], options));
            ty_model_call(m, ty_key(1), n, x, &y);
            CHECK(!ty_ok(y) || ty_dtype_of(y) == TY_C128, "%s of a complex operand %d is %s",
                  rows[k].kind->name, i, ty_dtype_name(ty_dtype_of(y)));
            x[i] = before;
        }
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(half_floats), TEST(complex_operands))
