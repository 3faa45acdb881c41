/* Statements of the manual on gradients (stated.def), checked for tracked values and for promises. */
#include <math.h>
#include <string.h>
#include <tyto/call.h>
#include <tyto/data.h>
#include <tyto/expression.h>
#include <tyto/walk.h>

#include "array/dtype.h"
#include "tests/support/harness.h"
#include "tests/support/nn_help.h"

enum kind { FLOWS, TRACKED, REFUSED, LAZY, ZERO, NEVER, WHOLE };

/* Return the greatest element of the gradient of y by x, without sign; -1 if it is an error. */
static double greatest(ty_tensor *y, ty_tensor *x) {
    ty_tensor *g;
    ty_allow_unused(true);
    ty_grad(y, 1, &x, &g);
    ty_allow_unused(false);
    return ty_ok(g) ? ty_item(ty_amax(ty_abs(g), TY_ALL)) : -1;
}

/* ---- handles and graphs ---- */

static ty_tensor *handed_on(ty_tensor *x) {
    ty_scope *inner = ty_open();
    ty_tensor *kept = ty_keep(ty_named(ty_square(x), "kept"));
    ty_close(inner);
    ty_tensor *held = ty_retain(kept), *y = ty_square(ty_disown(ty_own(ty_square(held))));
    ty_release(held);
    return ty_square(ty_give(y));
}

static ty_tensor *part_of(ty_tensor *x) { return ty_square(ty_operand(ty_sin(ty_square(x)), 0)); }

static ty_tensor *unchanged(void *context, ty_tensor *x, ty_tensor *y) {
    (void)context, (void)x;
    return y;
}
static ty_tensor *passed(ty_tensor *x) {
    ty_tensor *y = ty_square(x);
    CHECK(ty_transform(unchanged, NULL, 1, &y, &y), "%s", ty_error(y));
    return y;
}

static ty_tensor *value_of(ty_tensor *x) {
    ty_tensor *y = ty_square(x);
    CHECK(ty_eval_all(1, &y, &y), "%s", ty_error(y));
    return y;
}

static void free_function(void *f) { ty_function_free(f); }

static void squared(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context;
    results[0] = ty_square(x[0]);
}

/* ---- numbers ---- */

static ty_tensor *curves(ty_tensor *x) {
    ty_tensor *scores = ty_get(x, 1, (ty_index[]){TY_AT(0)});
    ty_tensor *labels = ty_from(TY_I64, TY_SHAPE(3), (int64_t[]){1, 0, 1});
    return ty_add(ty_roc_auc(scores, labels), ty_average_precision(scores, labels));
}

/* Return the scores of the points of a curve.  Its shares have no gradient by x. */
static ty_tensor *thresholds(ty_tensor *x) {
    ty_tensor *scores = ty_get(x, 1, (ty_index[]){TY_AT(0)});
    ty_tensor *curve = ty_roc_curve(scores, ty_from(TY_I64, TY_SHAPE(3), (int64_t[]){1, 0, 1}));
    if (!ty_ok(curve)) return curve;
    CHECK(greatest(ty_sum(ty_at(curve, ":, :2"), TY_ALL), x) == 0, "shares have a gradient");
    return ty_at(curve, "1:, 2");
}

/* Return the sum of statistics of ranks of samples of x. */
static ty_tensor *ranked(ty_tensor *x) {
    ty_tensor *samples[] = {ty_get(x, 1, (ty_index[]){TY_AT(0)}), ty_get(x, 1, (ty_index[]){TY_AT(1)}), NULL};
    samples[2] = ty_from(TY_F64, TY_SHAPE(3), (double[]){0.75, 4, 1.25});
    ty_test_options o = {0};
    ty_tensor *a = samples[0], *b = samples[1];
    const ty_test tests[] = {ty_kruskal(3, samples, 0),   ty_friedman(3, samples, 0),
                             ty_mannwhitneyu(a, b, 0, o), ty_wilcoxon(a, b, 0, o),
                             ty_spearmanr(a, b, 0, o),    ty_kendalltau(a, b, 0, o),
                             ty_ks_2samp(a, b, 0, o)};
    ty_tensor *sum = ty_sum(ty_rankdata(a, 0, TY_TIES_AVERAGE), TY_ALL);
    for (int i = 0; i < 7; i++) {
        CHECK(greatest(CHECK_OK(tests[i].statistic), x) == 0, "statistic %d", i);
        sum = ty_add(sum, tests[i].statistic);
    }
    return sum;
}

/* Return three positive numbers whose sum is 1. */
static ty_tensor *shares(void) { return ty_from(TY_F64, TY_SHAPE(3), (double[]){0.25, 0.25, 0.5}); }

static ty_tensor *first_state(ty_tensor *x) {
    ty_optimiser adam = {.rule = &ty_adam};
    return ty_optimiser_state(&adam, 0, x);
}

static ty_tensor *measured(ty_tensor *x) {
    ty_metric_options o = {0};
    ty_tensor *state = ty_metric_state(TY_METRIC_mse, o);
    return ty_metric_value(TY_METRIC_mse, ty_metric_add(TY_METRIC_mse, state, x, ty_zeros_like(x), o), o);
}

static ty_tensor *called(ty_tensor *x) {
    ty_function *f = test_own(ty_function_new(squared, NULL, 1, 1, (ty_compile_options){0}), free_function);
    ty_tensor *y;
    ty_function_call(f, 1, &x, 1, &y);
    return y;
}

static ty_tensor *sum_of_squares(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_sum(ty_square(x[0]), TY_ALL);
}

static ty_tensor *sum_of_cubes(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_sum(ty_mul(x[0], ty_square(x[0])), TY_ALL);
}

static void cubes(void *context, ty_tensor *const *x, ty_tensor **results) {
    results[0] = sum_of_cubes(context, x);
}

/* Return the sum of the derivatives of a sum of cubes by all functions that compute them. */
static ty_tensor *derived(ty_tensor *x) {
    ty_tensor *one = ty_sum(x, TY_ALL), *v = ty_ones_like(x), *y = sum_of_cubes(NULL, &x), *d[14], *taylor[3];
    ty_body f = sum_of_cubes;
    bool done[] = {
        ty_vjp(y, ty_num(1), 1, &x, &d[0]),
        ty_jacobian(y, 1, &x, 0, &d[1]),
        ty_taylor(y, 1, &x, &v, 2, taylor),
        ty_value_and_grad(f, NULL, 1, &x, NULL, &d[2]),
        ty_value_and_vjp(f, NULL, ty_num(1), 1, &x, NULL, &d[3]),
        ty_value_and_jvp(f, NULL, 1, &x, &v, NULL, &d[4]),
        ty_value_and_jacobian(f, NULL, 1, &x, 0, NULL, &d[5]),
        ty_value_and_laplacian(f, NULL, 1, &x, NULL, &d[6]),
        ty_value_and_derivative(f, NULL, one, 2, NULL, &d[7]),
        ty_value_grad_and_hessian(f, NULL, 1, &x, 0, NULL, NULL, &d[8]),
        ty_value_grad_and_hvp(f, NULL, 1, &x, &v, NULL, NULL, &d[9]),
        ty_results_and_grad(cubes, NULL, 1, &x, &d[10], 1, &d[11]),
    };
    d[11] = ty_laplacian(y, 1, &x);
    d[12] = ty_derivative(ty_square(ty_square(one)), one, 2);
    d[13] = taylor[2];
    for (int k = 0; k < (int)(sizeof done / sizeof *done); k++)
        CHECK(done[k] || test_starving(), "call %d", k);
    ty_tensor *sum = ty_num(0);
    for (int k = 0; k < 14; k++) {
        CHECK(greatest(CHECK_OK(d[k]), x) > 0, "derivative %d", k);
        sum = ty_add(sum, ty_sum(d[k], TY_ALL));
    }
    return sum;
}

static ty_tensor *accumulated(ty_tensor *x) {
    ty_tensor *batch = ty_ones(TY_F64, TY_SHAPE(2)), *value, *gradient;
    ty_accumulate(sum_of_cubes, NULL, 1, &x, 1, &batch, 2, &value, &gradient);
    return gradient;
}

static ty_tensor *clipped(ty_tensor *x) {
    ty_tensor *each, *norm, *all;
    ty_clip_by_value(1, &x, 1, &each);
    ty_clip_by_norm(1, &x, 1, &norm);
    ty_clip_by_global_norm(1, &x, 1, &all, NULL);
    return ty_add(each, ty_add(ty_square(norm), ty_mul(all, ty_num(2))));
}

static ty_tensor *stepped(ty_tensor *x) {
    ty_optimiser o = {.rule = &ty_sgd};
    ty_tensor *states[TY_RULE_STATES];
    for (int i = 0; i < o.rule->nstates; i++) states[i] = ty_optimiser_state(&o, i, x);
    return ty_optimise(&o, x, ty_square(x), states, ty_num(1), ty_num(0.1));
}

static ty_tensor *lowest(ty_tensor *x) {
    ty_tensor *best;
    ty_minimise(sum_of_squares, NULL, 1, &x, (ty_minimise_options){0}, &best, NULL);
    return best;
}

static ty_tensor *attended(ty_tensor *x) {
    ty_tensor *q = ty_reshape(x, TY_SHAPE(1, 2, 1, 3));
    return ty_attention(q, q, q, (ty_attention_options){0});
}

/* ---- draws and slices ---- */

/* Return the sum of what each step of augmentation makes of the image x, of one row of two pixels. */
static ty_tensor *augmented(ty_tensor *x) {
    static const ty_image_step steps[] = {
        {.apply = ty_step_crop, .size = {1, 1}},
        {.apply = ty_step_random_crop, .size = {1, 1}},
        {.apply = ty_step_resized_crop, .size = {2, 2}},
        {.apply = ty_step_resize, .size = {3, 3}},
        {.apply = ty_step_flip, .chance = 1},
        {.apply = ty_step_flip_rows, .chance = 1},
        {.apply = ty_step_affine, .degrees = 5},
        {.apply = ty_step_jitter, .brightness = 0.1},
        {.apply = ty_step_normalise},
        {.apply = ty_step_float},
        {.apply = ty_step_channels_first},
    };
    ty_tensor *image = ty_reshape(x, TY_SHAPE(1, 2, 3)), *sum = ty_num(0);
    for (int k = 0; k < (int)(sizeof steps / sizeof *steps); k++) {
        ty_draws draws = {1, 0, 0, (uint32_t)k, 0};
        ty_tensor *y = CHECK_OK(steps[k].apply(&steps[k], image, &draws));
        CHECK(greatest(y, x) > 0, "no gradient of step %d", k);
        sum = ty_add(sum, ty_sum(y, TY_ALL));
    }
    return sum;
}

static ty_tensor *bell(void *context, ty_tensor *x) {
    (void)context;
    return ty_neg(ty_sum(ty_square(x), TY_ALL));
}

static const ty_sampler_options few = {.draws = 3, .warmup = 2};

static ty_tensor *drawn(ty_tensor *x) { return ty_metropolis(bell, NULL, x, ty_key(1), few).draws; }
static ty_tensor *turned(ty_tensor *x) { return ty_nuts(bell, NULL, x, ty_key(1), few).draws; }

static ty_tensor *shaken(void *context, ty_tensor *const *x, ty_tensor *key) {
    (void)context;
    return ty_add(x[0], ty_normal(TY_F64, TY_SHAPE(2, 3), key));
}
static ty_tensor *alternated(ty_tensor *x) {
    const ty_conditional steps[] = {shaken};
    ty_tensor *draws;
    ty_gibbs(1, steps, NULL, &x, ty_key(1), few, &draws);
    return draws;
}

static ty_tensor *mean_of(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_mean(x[0], TY_ALL);
}

static ty_tensor *resampled(ty_tensor *x) {
    return ty_bootstrap(mean_of, NULL, 1, &x, ty_key(1), (ty_bootstrap_options){.resamples = 20}).low;
}

static bool twice(void *context, ty_visit *visit) {
    (void)context;
    if (visit->y) *(double *)visit->y = 2 * *(const double *)visit->x[0];
    return true;
}

static ty_tensor *mapped(ty_tensor *x) {
    return ty_map_slices(1, &x, (ty_form){.dtype = TY_F64}, (ty_slicing){.f = twice});
}
static ty_tensor *filtered(ty_tensor *x) { return ty_filter_slices(x, (ty_slicing){.f = twice}); }

/* ---- models ---- */

static ty_tensor *model_of(ty_tensor *x, bool lazy, bool predict) {
    const ty_layer_value steps[] = {TY_LAYER(linear, .units = 2, .activation = ty_tanh)};
    ty_model *model =
        nn_own_model(ty_model_sequence(1, steps, (ty_model_options){.dtype = TY_F64, .lazy = lazy}));
    ty_tensor *y;
    if (!predict) return ty_model_forward(model, x, NULL);
    CHECK(ty_model_predict(model, 1, &x, &y), "%s", ty_error(y));
    return y;
}
static ty_tensor *forward(ty_tensor *x) { return model_of(x, false, false); }
static ty_tensor *predicted(ty_tensor *x) { return model_of(x, true, true); }

/* Return the result of a GRU whose initial state is x. */
static ty_tensor *from_state(ty_tensor *x) {
    ty_model *model = nn_own_model(ty_model_new(NULL, NULL, (ty_model_options){.dtype = TY_F64}));
    ty_recurrence more = {.h = ty_reshape(x, TY_SHAPE(1, 1, 6))};
    ty_tensor *words = ty_ones(TY_F64, TY_SHAPE(1, 2, 3));
    return ty_layer_gru_from(ty_model_root(model), NULL, words, &more, (ty_gru_layer){.units = 6});
}

/* ---- the statements ---- */

#define STATED(name, functions, kind, text, value)                                                           \
    static ty_tensor *value_of_##name(ty_tensor *x) { return value; }
#include "tests/grad/stated.def"

static const struct {
    const char *name;
    enum kind kind;
    ty_tensor *(*value)(ty_tensor *x);
} statements[] = {
#define STATED(name, functions, kind, text, value) {#name, kind, value_of_##name},
#include "tests/grad/stated.def"
};

static void holds(const char *name, enum kind kind, bool lazy, ty_tensor *y, ty_tensor *x) {
    if (kind == REFUSED && lazy) {
        CHECK_POISON(y, "variable");
        return;
    }
    CHECK_OK(y);
    if (kind == WHOLE) {
        CHECK(!dtype_is(ty_dtype_of(y), CLASS_FLOAT | CLASS_COMPLEX), "%s: a floating result", name);
        return;
    }
    bool error = kind == NEVER || (kind == LAZY && !lazy);
    bool zero = kind == ZERO || (kind == TRACKED && lazy);
    double g = greatest(y, x);
    CHECK(error  ? g == -1
          : zero ? g == 0
                 : g > 0,
          "%s, %s: the gradient is %g (-1: an error)", name, lazy ? "lazy" : "tracked", g);
}

static void statements_hold(void) {
    for (int k = 0; k < (int)(sizeof statements / sizeof *statements); k++)
        for (int lazy = 0; lazy < 2; lazy++) {
            struct test_round round = test_round();
            ty_tensor *value = ty_from(TY_F64, TY_SHAPE(2, 3), (double[]){0.5, 1, 1.5, 2, 3, 0.25});
            ty_tensor *x = CHECK_OK(lazy ? ty_var(value, "x") : ty_track(value, "x"));
            holds(statements[k].name, statements[k].kind, lazy, statements[k].value(x), x);
            test_round_end(round);
        }
}

TESTS_MAIN(TEST(statements_hold))
