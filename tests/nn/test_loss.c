/*
 * Losses against PyTorch's values (tests/goldens/losses.def, written by losses.py), each with its gradient: eager,
 * compiled with the same bits, in every dtype and from views. Errors of losses.
 */
#include <math.h>
#include <string.h>
#include <tyto/nn.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"

enum { N = 4, C = 5, T = 6, S = 3, OPERANDS = 4 };

static ty_tensor *ramp(int rank, const int64_t *shape, double scale, double shift, double step) {
    double values[T * N * C];
    int n = 1;
    for (int i = 0; i < rank; i++) n *= (int)shape[i];
    for (int i = 0; i < n; i++) values[i] = scale * sin(step * (i + 1)) + shift;
    return ty_from(TY_F64, rank, shape, values);
}

/* ---- special options of the table ---- */

struct special {
    ty_tensor *prediction, *target, *weight, *positive;
    bool none, logs, rates, full, swap, ignores;
    double delta, margin, power, alpha, epsilon, smoothing;
    int64_t ignored, blank;
};

static ty_loss_options options_of(const struct special *s) {
    return (ty_loss_options){.weight = s->weight,
                             .positive = s->positive,
                             .ignores = s->ignores,
                             .ignored = s->ignored,
                             .smoothing = s->smoothing,
                             .margin = s->margin,
                             .delta = s->delta,
                             .power = s->power,
                             .alpha = s->alpha,
                             .epsilon = s->epsilon,
                             .logs = s->logs,
                             .rates = s->rates,
                             .full = s->full,
                             .swap = s->swap,
                             .blank = s->blank};
}

/* ---- any loss of the table, by name ---- */

struct loss {
    const char *name;
    int n;
    ty_tensor *(*two)(ty_tensor *, ty_tensor *, ty_loss_options);
    ty_tensor *(*three)(ty_tensor *, ty_tensor *, ty_tensor *, ty_loss_options);
    ty_tensor *(*four)(ty_tensor *, ty_tensor *, ty_tensor *, ty_tensor *, ty_loss_options);
};
static const struct loss losses[] = {
#define LOSS2(name, ...) {#name, 2, ty_loss_##name, NULL, NULL},
#define LOSS3(name, ...) {#name, 3, NULL, ty_loss_##name, NULL},
#define LOSS4(name, ...) {#name, 4, NULL, NULL, ty_loss_##name},
#include <tyto/tables/losses.def>
};
enum { LOSSES = sizeof losses / sizeof *losses };

static const struct loss *loss_named(const char *name) {
    for (int i = 0; i < LOSSES; i++)
        if (!strcmp(losses[i].name, name)) return &losses[i];
    test_fail(__FILE__, __LINE__, name, "no such loss");
}

/* Call a loss; for ctc, the only one with four operands, x[0] are logits. */
static ty_tensor *call(const struct loss *l, ty_tensor *const *x, ty_loss_options o) {
    if (l->n == 2) return l->two(x[0], x[1], o);
    return l->n == 3 ? l->three(x[0], x[1], x[2], o) : l->four(ty_log_softmax(x[0], -1), x[1], x[2], x[3], o);
}

/* ---- one case in all modes ---- */

struct one {
    const struct loss *loss;
    struct special special;
    ty_tensor *x[OPERANDS]; /* f64, or integers for labels */
    ty_tensor *each, *mean, *gradient;
};

enum { EACH, MEAN, GRADIENT, RESULTS };
static void results(const struct one *one, ty_tensor *const *x, ty_tensor **out) {
    ty_loss_options o = options_of(&one->special);
    o.reduction = TY_LOSS_NONE;
    out[EACH] = call(one->loss, x, o);
    ty_grad(out[EACH], 1, x, &out[GRADIENT]);
    o.reduction = TY_LOSS_MEAN;
    out[MEAN] = call(one->loss, x, o);
}

static void tracked(const struct one *one, ty_tensor *const *given, ty_tensor **out) {
    ty_tensor *x[OPERANDS];
    for (int i = 0; i < one->loss->n; i++) x[i] = given[i];
    x[0] = ty_track(x[0], "x");
    results(one, x, out);
}

static void compiled(const struct one *one, ty_tensor *const *given, ty_tensor **out) {
    ty_tensor *x[OPERANDS], *promised[RESULTS];
    for (int i = 0; i < one->loss->n; i++) x[i] = ty_var(given[i], "x");
    results(one, x, promised);
    ty_program *program = test_program(ty_compile(RESULTS, promised, (ty_compile_options){0}));
    CHECK(ty_run(program), "%s: %s", one->loss->name, ty_program_error(program));
    for (int i = 0; i < RESULTS; i++) out[i] = ty_output(program, i);
}

static bool is_float(ty_tensor *x) { return ty_dtype_of(x) == TY_F64; }

/* Return the same values in other memory: with a stride of two, or backwards. */
static ty_tensor *elsewhere(ty_tensor *x) {
    return ty_rank(x) ? ty_flip(ty_flip(ty_slice(ty_repeat(x, 2, -1), -1, 0, TY_END, 2), 0), 0) : x;
}
static ty_tensor *backwards(ty_tensor *x) { return ty_flip(ty_contiguous(ty_flip(x, 0)), 0); }

static void in_dtype(const struct one *one, ty_dtype dtype) {
    struct test_round round = test_round();
    double e = relative_ulp(dtype), slack = dtype == TY_F64 ? 1e-12 : 40 * e;
    ty_tensor *x[OPERANDS], *eager[RESULTS], *run[RESULTS];
    for (int i = 0; i < one->loss->n; i++) x[i] = is_float(one->x[i]) ? ty_cast(one->x[i], dtype) : one->x[i];
    tracked(one, x, eager);
    compiled(one, x, run);
    for (int i = 0; i < RESULTS; i++)
        compare_bits(run[i], eager[i], "%s %s, compiled %d", one->loss->name, ty_dtype_name(dtype), i);
    const char *name = one->loss->name;
    compare_near(eager[EACH], ty_cast(one->each, dtype), slack, slack, "%s %s", name, ty_dtype_name(dtype));
    compare_near(eager[MEAN], ty_cast(one->mean, dtype), slack, slack, "%s %s, mean", name,
                 ty_dtype_name(dtype));
    if (dtype == TY_F64) /* rounding operands to narrower dtypes moves kinks */
        compare_near(eager[GRADIENT], one->gradient, 1e-10, 1e-10, "%s, gradient", name);
    for (int i = 0; i < one->loss->n; i++) x[i] = i % 2 ? elsewhere(x[i]) : backwards(x[i]);
    tracked(one, x, run);
    for (int i = 0; i < RESULTS; i++) compare_bits(run[i], eager[i], "%s of views %d", name, i);
    test_round_end(round);
}

/* Return the number of floating-point operands to differentiate. Those of the table avoid kinks, with two
   exceptions: a count of 1, where Stirling's formula begins, and a variance below epsilon, which has the
   slope at epsilon. */
static int floats_of(const struct one *one) {
    if (one->special.full && !strcmp(one->loss->name, "poisson")) return 1;
    return one->special.epsilon > 0 && !strcmp(one->loss->name, "gaussian") ? 2 : OPERANDS;
}

/* Return the loss with its floating-point operands replaced by x, in order. */
static ty_tensor *checked(void *context, ty_tensor *const *x) {
    const struct one *one = context;
    ty_tensor *operands[OPERANDS];
    int most = floats_of(one);
    for (int i = 0, n = 0; i < one->loss->n; i++)
        operands[i] = is_float(one->x[i]) && n < most ? x[n++] : one->x[i];
    ty_loss_options o = options_of(&one->special);
    return call(one->loss, operands, o);
}

/* Check gradients of first and second order by floating-point operands. */
static void gradients(const struct one *one) {
    ty_check_report report;
    ty_tensor *x[OPERANDS];
    int n = 0, most = floats_of(one);
    for (int i = 0; i < one->loss->n; i++)
        if (is_float(one->x[i]) && n < most) x[n++] = one->x[i];
    for (int order = 1; order <= 2; order++) {
        struct test_round round = test_round();
        CHECK(ty_check_gradient(checked, (void *)(uintptr_t)one, n, x, (ty_check_options){.order = order},
                                &report, NULL),
              "%s, order %d: %s", one->loss->name, order, report.message);
        test_round_end(round);
    }
}

static void example(void *context, ty_tensor *const *x, ty_tensor **out) {
    const struct one *one = context;
    ty_loss_options o = options_of(&one->special);
    o.reduction = TY_LOSS_SUM;
    out[0] = call(one->loss, x, o);
    out[1] = NULL;
    ty_grad(out[0], 1, x, &out[1]);
}

/* ty_vmap over examples gives each one's loss and gradient. */
static void one_by_one(const struct one *one) {
    struct test_round round = test_round();
    ty_tensor *results[2];
    CHECK(ty_vmap(example, (void *)(uintptr_t)one, one->loss->n, one->x, NULL, 2, results, NULL), "%s: %s",
          one->loss->name, ty_error(results[0]));
    ty_tensor *want = one->each;
    if (ty_rank(want) == 2) want = ty_sum(want, ty_axis(1));
    compare_near(results[0], want, 1e-12, 1e-13, "%s, one by one", one->loss->name);
    compare_near(results[1], one->gradient, 1e-10, 1e-12, "%s, gradients one by one", one->loss->name);
    test_round_end(round);
}

static void numbers_of(const struct one *one) {
    for (int dtype = TY_F16; dtype <= TY_F64; dtype++) in_dtype(one, (ty_dtype)dtype);
    if (test_starving()) return;
    gradients(one);
    if (one->loss->n < 4) one_by_one(one); /* ctc has its examples on another axis */
}

/* ---- the table ---- */

static struct {
    ty_tensor *x, *y, *z, *p, *labels, *some, *weight, *signs, *flags, *shares, *counts, *row_signs,
        *sequence, *ctc_labels, *ctc_labels_2, *ctc_lengths, *ctc_counts;
} t;

static ty_tensor *whole(int64_t n, int64_t rows, const int64_t *values) {
    return rows ? ty_from(TY_I64, 2, (int64_t[]){rows, n / rows}, values) : ty_from(TY_I64, 1, &n, values);
}

static void make_operands(void) {
    int64_t plane[] = {N, C}, cube[] = {T, N, C};
    t.x = ramp(2, plane, 2, 0.1, 1.7), t.y = ramp(2, plane, 1.5, -0.2, 2.3),
    t.z = ramp(2, plane, 1, 0.3, 0.9);
    t.p = ty_sigmoid(t.x);
    t.labels = whole(4, 0, (int64_t[]){3, 0, 4, 1}), t.some = whole(4, 0, (int64_t[]){3, -100, 4, 1});
    t.weight = ty_from(TY_F64, TY_SHAPE(C), (double[]){0.5, 1, 2, 0.25, 1.5});
    ty_tensor *above = ty_gt(t.y, ty_num(0));
    t.signs = ty_where(above, ty_scalar(TY_F64, 1), ty_num(-1)), t.flags = ty_cast(above, TY_F64);
    t.shares = ty_softmax(t.y, 1), t.counts = ty_floor(ty_mul(ty_abs(t.y), ty_num(3)));
    t.row_signs = ty_slice(t.signs, 1, 0, 1, 1);
    t.row_signs = ty_squeeze(t.row_signs, 1);
    t.sequence = ramp(3, cube, 2, 0, 1.1);
    t.ctc_labels = whole(12, 4, (int64_t[]){1, 2, 2, 3, 0, 0, 1, 1, 4, 2, 0, 0});
    t.ctc_labels_2 = whole(12, 4, (int64_t[]){1, 4, 4, 3, 0, 0, 1, 1, 4, 4, 0, 0});
    t.ctc_lengths = whole(4, 0, (int64_t[]){6, 4, 6, 3}), t.ctc_counts = whole(4, 0, (int64_t[]){3, 1, 3, 0});
}

/* Set the operands after the first of each loss, unless the row has its own. */
static void take_operands(struct one *one) {
    const struct {
        const char *names;
        ty_tensor *x[OPERANDS];
    } rows[] = {{" l1 l2 huber smooth_l1 log_cosh ", {t.x, t.y}},
                {" hinge squared_hinge soft_margin ", {t.x, t.signs}},
                {" multi_hinge cross_entropy nll ", {t.x, t.labels}},
                {" bce bce_logits focal ", {t.x, t.flags}},
                {" kl ", {t.x, t.y}},
                {" poisson ", {t.x, t.counts}},
                {" gaussian ", {t.x, t.y, t.p}},
                {" triplet ", {t.x, t.y, t.z}},
                {" cosine ", {t.x, t.y, t.row_signs}},
                {" ranking ", {t.x, t.y, t.signs}},
                {" ctc ", {t.sequence, t.ctc_labels, t.ctc_lengths, t.ctc_counts}}};
    char word[32];
    snprintf(word, sizeof word, " %s ", one->loss->name);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strstr(rows[i].names, word)) memcpy(one->x, rows[i].x, sizeof one->x);
    CHECK(one->x[0], "%s has no operands in this test", one->loss->name);
    if (one->special.prediction) one->x[0] = one->special.prediction;
    if (one->special.target) one->x[1] = one->special.target;
    if (one->loss->n == 4 && one->special.blank) one->x[1] = t.ctc_labels_2;
}

static void row(const char *name, struct special special, int64_t n, const double *each, double mean,
                int64_t size, const double *gradient) {
    struct one one = {.loss = loss_named(name), .special = special};
    take_operands(&one);
    CHECK_OK(one.x[0]);
    one.each = n == N ? ty_from(TY_F64, 1, &n, each) : ty_from(TY_F64, 2, (int64_t[]){N, n / N}, each);
    one.mean = ty_scalar(TY_F64, mean);
    one.gradient = ty_reshape(ty_from(TY_F64, 1, &size, gradient), ty_rank(one.x[0]), ty_shape(one.x[0]));
    numbers_of(&one);
}

#define LIST(...)                                                                                            \
    (int64_t)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (const double[]) { __VA_ARGS__ }
#define SPECIAL(...) ((struct special){__VA_ARGS__})
#define LOSS(name, special, each, mean, gradient) row(#name, SPECIAL special, LIST each, mean, LIST gradient);
static void pytorch(void) {
    make_operands();
    ty_tensor *p = t.p, *some = t.some, *shares = t.shares, *weight = t.weight;
    ty_tensor *logs = ty_sub(t.x, ty_num(3)), *log_shares = ty_sub(t.y, ty_num(3));
#include "tests/goldens/losses.def"
    (void)p, (void)some, (void)shares, (void)weight, (void)logs, (void)log_shares;
}

/* ---- reductions and options that PyTorch's values do not cover ---- */

static void reductions(void) {
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(2, 3), (double[]){1, 2, 3, 4, 5, 6}),
              *zero = ty_scalar(TY_F64, 0);
    compare_numbers(ty_loss_l1(x, zero, (ty_loss_options){.reduction = TY_LOSS_NONE}),
                    NUMBERS(1, 2, 3, 4, 5, 6), "none");
    compare_numbers(ty_loss_l1(x, zero, (ty_loss_options){.reduction = TY_LOSS_SUM}), NUMBERS(21), "sum");
    compare_numbers(ty_loss_l1(x, zero, (ty_loss_options){0}), NUMBERS(3.5), "mean");
    compare_numbers(ty_loss_l1(x, zero, (ty_loss_options){.reduction = TY_LOSS_BATCH_MEAN}), NUMBERS(10.5),
                    "batch mean");
    ty_tensor *weight = ty_from(TY_F32, TY_SHAPE(3), (float[]){1, 0, 2});
    compare_numbers(ty_loss_l1(x, zero, (ty_loss_options){.weight = weight}), NUMBERS(23.0 / 6), "weights");
    compare_numbers(ty_loss_hinge(x, ty_gt(x, ty_num(3)), (ty_loss_options){.reduction = TY_LOSS_NONE}),
                    NUMBERS(2, 3, 4, 0, 0, 0), "bools are 1 and -1");
    compare_numbers(ty_mse(x, ty_iota(TY_I32, TY_SHAPE(2, 3), 1)), NUMBERS((1 + 1 + 1 + 16 + 16 + 16) / 6.0),
                    "integer targets");
    CHECK(ty_loss_named("huber") == ty_loss_huber_sized && !ty_loss_named("hubert") && !ty_loss_named("ctc"),
          "names");
}

/* Classes on axis 1, as in PyTorch's images, give the results of classes on the last axis. */
static void axes_of_classes(void) {
    int64_t last[] = {2, 3, 2, 5}, places[] = {2, 3, 2};
    ty_tensor *x = ramp(4, last, 2, -2, 1.3), *label = ty_mod(ty_iota(TY_I64, 3, places, 1), ty_int(5));
    ty_tensor *turned = ty_permute(x, (int[]){0, 3, 1, 2});
    static const char *const names[] = {"cross_entropy", "nll", "multi_hinge"};
    for (int i = 0; i < 3; i++) {
        ty_loss loss = ty_loss_named(names[i]);
        for (int none = 0; none < 2; none++) {
            ty_loss_options o = {.reduction = none ? TY_LOSS_NONE : TY_LOSS_MEAN}, first = o;
            first.axis = 1;
            compare_near(loss(turned, label, &first, sizeof first), loss(x, label, &o, sizeof o), 1e-15,
                         1e-15, "%s", names[i]);
        }
    }
    ty_tensor *one = ty_slice(ty_ravel(x), 0, 0, 5, 1);
    compare_near(ty_loss_cross_entropy(one, ty_int(2), (ty_loss_options){0}),
                 ty_neg(ty_at(ty_log_softmax(one, 0), "2")), 1e-15, 0, "one example without a batch");
}

static bool is_among(const char *name, const char *const *names, int n) {
    for (int i = 0; i < n; i++)
        if (!strcmp(name, names[i])) return true;
    return false;
}

/* Map any numbers to valid predictions, or targets, of a loss. */
static ty_tensor *prediction_for(const char *name, ty_tensor *x) {
    static const char *const logs[] = {"nll", "kl"};
    if (is_among(name, logs, 2)) return ty_neg(ty_abs(x));
    return strcmp(name, "bce") ? x : ty_sigmoid(x);
}
static ty_tensor *target_for(const char *name, ty_tensor *y) {
    static const char *const signs[] = {"hinge", "squared_hinge", "soft_margin"}, *const shares[] = {
                                                                                      "bce", "bce_logits",
                                                                                      "focal", "kl"};
    if (is_among(name, signs, 3)) return ty_sign(y);
    if (is_among(name, shares, 4)) return ty_sigmoid(y);
    return strcmp(name, "poisson") ? y : ty_abs(y);
}

/* Large operands are computed in one pass, with the bits of small operands. */
static void large_ones(void) {
    int64_t shape[] = {300, 500}, n = 300;
    ty_tensor *x = ty_normal(TY_F32, 2, shape, ty_key(3)), *y = ty_normal(TY_F32, 2, shape, ty_key(4));
    ty_tensor *label = ty_mod(ty_iota(TY_I64, 1, &n, 0), ty_int(500));
    for (int i = 0; i < 3; i++) {
        ty_loss loss = i == 0   ? ty_loss_huber_sized
                       : i == 1 ? ty_loss_focal_sized
                                : ty_loss_cross_entropy_sized;
        ty_tensor *target = i == 2 ? label : i == 1 ? target_for("focal", y) : y;
        ty_tensor *eager = loss(ty_track(x, "x"), target, NULL, 0);
        compare_bits(loss(x, target, NULL, 0), ty_detach(eager), "values %d", i);
        ty_tensor *variable = ty_var(target, "t"), *promise = loss(x, variable, NULL, 0);
        CHECK(ty_is_promise(promise) || !ty_ok(promise), "a loss of a promised target is no promise");
        compare_bits(ty_eval(promise), ty_detach(eager), "promised targets %d", i);
    }
}

/* Value and gradient have the same bits for any number of threads. */
static void threads(void) {
    int64_t shape[] = {300, 500}, n = 300;
    ty_tensor *x = ty_track(ty_normal(TY_F32, 2, shape, ty_key(5)), "x"),
              *y = ty_normal(TY_F32, 2, shape, ty_key(6));
    ty_tensor *label = ty_mod(ty_iota(TY_I64, 1, &n, 0), ty_int(500)), *want[LOSSES] = {NULL},
              *slopes[LOSSES] = {NULL};
    for (int threads = 1; threads <= 4; threads += threads == 1 ? 1 : 2)
        for (int i = 0; i < LOSSES; i++) {
            const char *name = losses[i].name;
            bool labelled =
                !strcmp(name, "cross_entropy") || !strcmp(name, "nll") || !strcmp(name, "multi_hinge");
            if (losses[i].n != 2) continue;
            ty_set_threads(threads);
            ty_tensor *g = NULL, *target = labelled ? label : target_for(name, y),
                      *value = losses[i].two(prediction_for(name, x), target, (ty_loss_options){0});
            ty_grad(value, 1, &x, &g);
            ty_set_threads(0);
            if (threads == 1) want[i] = value, slopes[i] = g;
            compare_bits(value, want[i], "%s, %d threads", losses[i].name, threads);
            compare_bits(g, slopes[i], "%s, %d threads, gradient", losses[i].name, threads);
        }
}

/* ---- ends ---- */

static void all_finite(ty_tensor *loss, ty_tensor *x, const char *what) {
    ty_tensor *g = NULL;
    ty_grad(loss, 1, &x, &g);
    CHECK_OK(loss), CHECK_OK(g);
    CHECK(test_starving() ||
              (ty_item(ty_all(ty_is_finite(loss), TY_ALL)) && ty_item(ty_all(ty_is_finite(g), TY_ALL))),
          "%s: loss or gradient is not finite", what);
}

static void ends_are_finite(void) {
    for (int dtype = TY_F16; dtype <= TY_F64; dtype++) {
        struct test_round round = test_round();
        double most = dtype == TY_F16 ? 6e4 : 1e30;
        ty_tensor *far = ty_track(
            ty_cast(ty_from(TY_F64, TY_SHAPE(2, 2), (double[]){most, -most, -most, most}), (ty_dtype)dtype),
            "x");
        ty_tensor *yes = ty_from(TY_F64, TY_SHAPE(2, 2), (double[]){1, 0, 1, 0});
        ty_tensor *p =
            ty_track(ty_cast(ty_from(TY_F64, TY_SHAPE(4), (double[]){0, 1, 0, 1}), (ty_dtype)dtype), "p");
        ty_tensor *wrong = ty_from(TY_F64, TY_SHAPE(4), (double[]){0, 1, 1, 0});
        ty_tensor *label = ty_from(TY_I32, TY_SHAPE(2), (int32_t[]){0, 1});
        if (dtype != TY_F16)
            all_finite(ty_loss_bce_logits(far, yes, (ty_loss_options){.reduction = TY_LOSS_NONE}), far,
                       "bce_logits");
        all_finite(
            ty_loss_huber(ty_mul(far, ty_num(0.25)), yes, (ty_loss_options){.reduction = TY_LOSS_NONE}), far,
            "huber");
        all_finite(ty_loss_cross_entropy(far, label, (ty_loss_options){0}), far, "cross_entropy");
        if (dtype >= TY_F32)
            all_finite(ty_loss_bce(p, wrong, (ty_loss_options){.reduction = TY_LOSS_NONE}), p, "bce");
        all_finite(ty_loss_kl(ty_min(far, ty_num(0)), ty_zeros(TY_F64, TY_SHAPE(2, 2)), (ty_loss_options){0}),
                   far, "kl");
        test_round_end(round);
    }
}

static void nothing_at_all(void) {
    ty_tensor *none = ty_ones(TY_F32, TY_SHAPE(0, 3)), *labels = ty_zeros(TY_I32, TY_SHAPE(0));
    CHECK(isnan(ty_item(ty_loss_l2(none, none, (ty_loss_options){0}))), "the mean of nothing is no NaN");
    compare_numbers(ty_loss_l2(none, none, (ty_loss_options){.reduction = TY_LOSS_SUM}), NUMBERS(0),
                    "the sum of nothing");
    compare_numbers(ty_loss_cross_entropy(none, labels, (ty_loss_options){.reduction = TY_LOSS_SUM}),
                    NUMBERS(0), "no examples");
    CHECK(isnan(ty_item(ty_loss_cross_entropy(none, labels, (ty_loss_options){0}))),
          "no examples: the mean is no NaN");
    ty_tensor *x = ty_track(ty_ones(TY_F64, TY_SHAPE(2, 3)), "x"), *g = NULL;
    ty_tensor *ignored = ty_full(TY_I64, TY_SHAPE(2), -100),
              *loss = ty_loss_cross_entropy(x, ignored, (ty_loss_options){0});
    CHECK(isnan(ty_item(loss)), "only ignored labels: the mean is no NaN");
    compare_numbers(ty_loss_nll(x, ignored, (ty_loss_options){.reduction = TY_LOSS_SUM}), NUMBERS(0),
                    "only ignored labels");
    ty_grad(ty_loss_nll(x, ignored, (ty_loss_options){.reduction = TY_LOSS_SUM}), 1, &x, &g);
    compare_numbers(g, NUMBERS(0, 0, 0, 0, 0, 0), "only ignored labels, gradient");
    compare_numbers(ty_loss_cross_entropy(ty_ones(TY_F32, TY_SHAPE(2, 1)), ty_zeros(TY_U8, TY_SHAPE(2)),
                                          (ty_loss_options){0}),
                    NUMBERS(0), "one class");
}

/* Two equal labels need a blank in between: three steps suffice, two have no alignment. */
static void alignments(void) {
    ty_tensor *logs = ty_track(ty_log_softmax(ty_zeros(TY_F64, TY_SHAPE(3, 1, 4)), 2), "logs"), *g = NULL;
    ty_tensor *labels = ty_from(TY_I32, TY_SHAPE(1, 2), (int32_t[]){1, 1}),
              *two = ty_full(TY_I64, TY_SHAPE(1), 2);
    ty_loss_options o = {.reduction = TY_LOSS_SUM};
    compare_near(ty_loss_ctc(logs, labels, ty_full(TY_I64, TY_SHAPE(1), 3), two, o),
                 ty_scalar(TY_F64, 3 * log(4)), 1e-15, 0, "one alignment of three steps");
    ty_tensor *lost = ty_loss_ctc(logs, labels, two, two, o);
    CHECK(isinf(ty_item(lost)) || test_starving(), "no alignment is not infinite");
    o.zero_infinity = true;
    lost = ty_loss_ctc(logs, labels, two, two, o);
    compare_numbers(lost, NUMBERS(0), "zero_infinity");
    ty_grad(lost, 1, &logs, &g);
    compare_numbers(ty_ravel(g), NUMBERS(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), "zero_infinity, gradient");
    ty_tensor *none = ty_zeros(TY_I32, TY_SHAPE(1, 0)), *zero = ty_zeros(TY_I64, TY_SHAPE(1));
    compare_near(ty_loss_ctc(logs, none, ty_full(TY_I64, TY_SHAPE(1), 3), zero, o),
                 ty_scalar(TY_F64, 3 * log(4)), 1e-15, 0, "blanks alone");
}

static void penalties(void) {
    ty_tensor *x[] = {ty_from(TY_F64, TY_SHAPE(2), (double[]){1, -2}),
                      ty_from(TY_F32, TY_SHAPE(1), (float[]){3})};
    compare_numbers(ty_penalty(2, x, 0.5, 0), NUMBERS(3), "L1");
    compare_numbers(ty_penalty(2, x, 0, 2), NUMBERS(28), "L2");
    compare_numbers(ty_penalty(2, x, 0.5, 2), NUMBERS(31), "elastic");
    compare_numbers(ty_penalty(0, NULL, 1, 1), NUMBERS(0), "nothing");
}

TESTS_MAIN(TEST(pytorch), TEST(reductions), TEST(axes_of_classes), TEST(large_ones), TEST(threads),
           TEST(ends_are_finite), TEST(nothing_at_all), TEST(alignments), TEST(penalties))
