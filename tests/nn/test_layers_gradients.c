/* Every kind of layer: gradients against differences by operands and parameters, eager and compiled with
   the same bits. Training differs from inference only where it should. */
#include <math.h>
#include <string.h>
#include "tests/nn/layers_table.h"

static void forward(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)n;
    y[0] = ((const struct row *)context)->run(self, x);
}

static ty_tensor *call(ty_model *m, const struct row *r, int n, ty_tensor *const *x, ty_tensor *key) {
    ty_tensor *y = NULL;
    ty_model_call(m, key, n, x, &y);
    CHECK(ty_ok(y) || test_starving(), "%s: %s", r->kind->name, ty_error(y));
    return y;
}

static ty_tensor *loss_of(ty_model *m, const struct row *r, int n, ty_tensor *const *x) {
    ty_tensor *y = call(m, r, n, x, ty_key(11));
    return ty_sum(ty_mul(y, layers_fill(ty_rank(y), ty_shape(y), 90, 1, 0)), TY_ALL);
}

struct one {
    ty_model *m;
    const struct row *r;
    int n;
    ty_tensor *const *x;
};

/* Return the slope of the loss along one element of a variable, by central differences. */
static double slope(const struct one *o, ty_tensor *variable, double *values, int64_t i) {
    const double step = 1e-5, middle = values[i];
    double ends[2];
    for (int k = 0; k < 2; k++) {
        struct test_round round = test_round();
        values[i] = middle + (k ? step : -step);
        CHECK(ty_assign(variable, ty_from(TY_F64, ty_rank(variable), ty_shape(variable), values), NULL),
              "assign");
        ty_tensor *loss = loss_of(o->m, o->r, o->n, o->x);
        CHECK_OK(loss);
        ends[k] = ty_item(loss);
        test_round_end(round);
    }
    values[i] = middle;
    CHECK(ty_assign(variable, ty_from(TY_F64, ty_rank(variable), ty_shape(variable), values), NULL),
          "assign");
    return (ends[1] - ends[0]) / (2 * step);
}

static void check_gradient(const struct one *o, ty_tensor *variable, ty_tensor *gradient) {
    int64_t n = ty_size(variable);
    double *values = test_room((size_t)(n + 1) * sizeof *values),
           *found = test_room((size_t)(n + 1) * sizeof *found);
    CHECK_OK(gradient);
    CHECK(ty_read(variable, TY_F64, values) && ty_read(gradient, TY_F64, found), "not readable");
    for (int64_t i = 0; i < n; i += test_starving() ? n : 1) {
        double expected = slope(o, variable, values, i);
        CHECK(fabs(found[i] - expected) <= 1e-7 + 1e-6 * fabs(expected),
              "%s, %s[%lld]: gradient %.9g, difference %.9g", o->r->kind->name, ty_name(variable),
              (long long)i, found[i], expected);
    }
}

static void check_row(const struct row *r, bool lazy, double *bits, int64_t *n_bits) {
    ty_tensor *x[MOST], *all[MOST], *gradients[MOST], *error = NULL;
    struct one o = {.r = r, .n = layers_operands(r->operands, lazy, x), .x = x};
    o.m = nn_own_model(ty_model_new(
        forward, r, (ty_model_options){.seed = 5, .lazy = lazy, .dtype = TY_F64, .inputs = o.n}));
    CHECK(ty_model_build(o.m, o.n, x, &error), "%s: %s", r->kind->name, ty_error(error));
    int n = 0, of_x;
    for (int i = 0; i < o.n; i++)
        if (ty_dtype_of(x[i]) == TY_F64) all[n++] = x[i];
    of_x = n;
    for (int i = 0; i < ty_model_parameters(o.m); i++) all[n++] = ty_model_parameter(o.m, i);
    ty_tensor *y = call(o.m, r, o.n, x, ty_key(11));
    CHECK_OK(y);
    *n_bits = ty_size(y);
    CHECK(ty_size(y) <= 512 && ty_read(y, TY_F64, bits), "%s: result", r->kind->name);
    if (!n) return;
    CHECK(ty_grad(loss_of(o.m, r, o.n, x), n, all, gradients), "%s: no gradient", r->kind->name);
    for (int i = 0; i < n; i++) gradients[i] = ty_detach(gradients[i]);
    /* compiled: parameters only, since the operands share the graph */
    for (int i = lazy && n > of_x ? of_x : 0; i < n; i++) check_gradient(&o, all[i], gradients[i]);
    if (lazy) return;
    ty_tensor *still = call(o.m, r, o.n, x, NULL);
    CHECK_OK(still);
    bool same = ty_item(ty_array_equal(y, still, true)) != 0;
    CHECK(same == !r->differs, "%s: training %s inference", r->kind->name, same ? "is" : "is not");
}

static void gradients(void) {
    for (int k = 0; k < KINDS; k += test_starving() ? 9 : 1) {
        struct test_round round = test_round();
        double *bits[2] = {test_room(512 * sizeof(double)), test_room(512 * sizeof(double))};
        int64_t n[2] = {0, 0};
        for (int lazy = 0; lazy < 2; lazy++) check_row(&rows[k], lazy, bits[lazy], &n[lazy]);
        CHECK(n[0] == n[1] && !memcmp(bits[0], bits[1], (size_t)n[0] * sizeof(double)),
              "%s: compiled it has other bits", rows[k].kind->name);
        test_round_end(round);
    }
}

static void every_kind_is_tested(void) {
    for (int i = 0; ty_layer_kinds[i]; i++) {
        bool found = false;
        for (int k = 0; k < KINDS; k++) found |= rows[k].kind == ty_layer_kinds[i];
        CHECK(found, "layer %s has no row in tests/nn/layers_rows.def", ty_layer_kinds[i]->name);
        CHECK(ty_layer_kind_named(ty_layer_kinds[i]->name) == ty_layer_kinds[i],
              "%s is not found by its name", ty_layer_kinds[i]->name);
        CHECK(ty_layer_kinds[i]->doc && *ty_layer_kinds[i]->doc, "%s says nothing of itself",
              ty_layer_kinds[i]->name);
    }
}

TESTS_MAIN(TEST(gradients), TEST(every_kind_is_tested))
