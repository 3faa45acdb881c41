/* Metrics against loops over doubles by the definitions, as a whole and in batches, eagerly and compiled. */
#include <math.h>
#include <string.h>
#include <tyto/nn.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"

enum { N = 60, C = 4, BATCH = 12 };

static struct {
    double score[N][C], yes_score[N], x[N], y[N];
    int64_t label[N], said[N], yes[N];
} d;

/* Draw scores with ties, labels that often have the greatest score, and predictions that never are class
   3. */
static void draw(void) {
    for (int i = 0; i < N; i++) {
        d.label[i] = test_between(0, C - 1);
        for (int c = 0; c < C; c++)
            d.score[i][c] = floor(test_uniform(0, 6)) + (c == d.label[i]) * 1.5 - (c == 3) * 9;
        d.said[i] = 0;
        for (int c = 1; c < C; c++)
            if (d.score[i][c] > d.score[i][d.said[i]]) d.said[i] = c;
        d.yes[i] = test_between(0, 2) == 0;
        d.yes_score[i] = floor(test_uniform(0, 10) + 3 * (double)d.yes[i]) / 16;
        d.x[i] = test_uniform(-1, 1), d.y[i] = 1e6 + d.x[i] + test_uniform(-0.5, 0.5);
        d.x[i] += 1e6;
    }
}

static int64_t pair(int truth, int said) {
    int64_t n = 0;
    for (int i = 0; i < N; i++) n += d.label[i] == truth && d.said[i] == said;
    return n;
}

static double of_k(int k) {
    double n = 0;
    for (int i = 0; i < N; i++) {
        int before = 0;
        for (int c = 0; c < C; c++) {
            double own = d.score[i][d.label[i]];
            before += d.score[i][c] > own || (d.score[i][c] == own && c < d.label[i]);
        }
        n += before < k;
    }
    return n / N;
}

/* Return precision (0), recall (1), or f with beta (2), of class c, or of all (-1). */
static double of_class(int what, double beta, int c) {
    double hits = 0, truth = 0, said = 0;
    for (int i = 0; i < C; i++)
        for (int k = 0; k < C; k++) {
            double n = (double)pair(i, k);
            if (c < 0 || (i == c && k == c)) hits += i == k ? n : 0;
            if (c < 0 || i == c) truth += n;
            if (c < 0 || k == c) said += n;
        }
    double b = beta * beta, up = what == 2 ? (1 + b) * hits : hits,
           down = what == 0   ? said
                  : what == 1 ? truth
                              : b * truth + said;
    return down > 0 ? up / down : 0;
}

static double averaged(int what, double beta, ty_class_average how) {
    double sum = 0, weights = 0;
    if (how == TY_AVERAGE_MICRO) return of_class(what, beta, -1);
    for (int c = 0; c < C; c++) {
        double truth = 0;
        for (int k = 0; k < C; k++) truth += (double)pair(c, k);
        double weight = how == TY_AVERAGE_WEIGHTED ? truth : 1;
        sum += weight * of_class(what, beta, c), weights += weight;
    }
    return sum / weights;
}

static double auc(void) {
    double won = 0, pairs = 0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            if (d.yes[i] && !d.yes[k]) {
                pairs++;
                won += d.yes_score[i] > d.yes_score[k] ? 1 : d.yes_score[i] == d.yes_score[k] ? 0.5 : 0;
            }
    return won / pairs;
}

static double precision_of_ranks(void) {
    double sum = 0, positives = 0;
    for (int i = 0; i < N; i++) {
        if (!d.yes[i]) continue;
        double hits = 0, said = 0;
        for (int k = 0; k < N; k++)
            if (d.yes_score[k] >= d.yes_score[i]) said++, hits += (double)d.yes[k];
        positives++, sum += hits / said;
    }
    return sum / positives;
}

static double of_numbers(ty_metric m) {
    double absolute = 0, square = 0, mean = 0, spread = 0;
    for (int i = 0; i < N; i++)
        absolute += fabs(d.x[i] - d.y[i]) / N, square += pow(d.x[i] - d.y[i], 2) / N, mean += d.y[i] / N;
    for (int i = 0; i < N; i++) spread += pow(d.y[i] - mean, 2) / N;
    return m == TY_METRIC_mae    ? absolute
           : m == TY_METRIC_mse  ? square
           : m == TY_METRIC_rmse ? sqrt(square)
                                 : 1 - square / spread;
}

static double perplexity(void) {
    double sum = 0;
    for (int i = 0; i < N; i++) {
        double total = 0;
        for (int c = 0; c < C; c++) total += exp(d.score[i][c] - d.score[i][d.label[i]]);
        sum += log(total) / N;
    }
    return exp(sum);
}

static double agreement(ty_metric m) {
    double n = N, right = 0, chance = 0, truths = 0, saids = 0;
    for (int c = 0; c < C; c++) {
        double truth = 0, said = 0;
        for (int k = 0; k < C; k++) truth += (double)pair(c, k), said += (double)pair(k, c);
        right += (double)pair(c, c), chance += truth * said, truths += truth * truth, saids += said * said;
    }
    if (m == TY_METRIC_kappa) return (right / n - chance / (n * n)) / (1 - chance / (n * n));
    return (right * n - chance) / sqrt((n * n - truths) * (n * n - saids));
}

/* ---- each metric in all modes ---- */

static struct { ty_tensor *scores, *labels, *said, *x, *y, *yes_scores, *yes; } t;
static void make(void) {
    draw();
    t.scores = ty_from(TY_F64, TY_SHAPE(N, C), d.score), t.labels = ty_from(TY_I64, TY_SHAPE(N), d.label);
    t.said = ty_from(TY_I64, TY_SHAPE(N), d.said), t.x = ty_from(TY_F64, TY_SHAPE(N), d.x),
    t.y = ty_from(TY_F64, TY_SHAPE(N), d.y);
    t.yes_scores = ty_from(TY_F64, TY_SHAPE(N), d.yes_score), t.yes = ty_from(TY_I64, TY_SHAPE(N), d.yes);
}

typedef ty_tensor *(*metric)(ty_tensor *, ty_tensor *, ty_metric_options);
static const metric functions[] = {
#define METRIC(name, ...) ty_metric_##name,
#include <tyto/tables/metrics.def>
};
static const char *const names[] = {
#define METRIC(name, ...) #name,
#include <tyto/tables/metrics.def>
};

static void eager_batches(ty_metric m, ty_tensor *x, ty_tensor *y, ty_metric_options o, ty_tensor *want) {
    ty_tensor *state = ty_metric_state(m, o);
    for (int at = 0; at < N; at += BATCH)
        state =
            ty_metric_add(m, state, ty_slice(x, 0, at, at + BATCH, 1), ty_slice(y, 0, at, at + BATCH, 1), o);
    compare_near(ty_metric_value(m, state, o), want, 1e-10, 0, "%s in batches", names[m]);
}

/* Check a metric in batches, with its state as a variable of a program. */
static void compiled_batches(ty_metric m, ty_tensor *x, ty_tensor *y, ty_metric_options o, ty_tensor *want) {
    ty_tensor *part[2] = {ty_var(ty_slice(x, 0, 0, BATCH, 1), "x"), ty_var(ty_slice(y, 0, 0, BATCH, 1), "y")};
    ty_tensor *state = ty_var(ty_metric_state(m, o), "state"),
              *next = ty_metric_add(m, state, part[0], part[1], o);
    ty_tensor *value = ty_metric_value(m, next, o);
    ty_update update = {.variable = state, .value = next};
    ty_program *program =
        test_program(ty_compile(1, &value, (ty_compile_options){.updates = &update, .nupdates = 1}));
    for (int at = 0; at < N; at += BATCH) {
        CHECK(ty_assign(part[0], ty_slice(x, 0, at, at + BATCH, 1), NULL) &&
                  ty_assign(part[1], ty_slice(y, 0, at, at + BATCH, 1), NULL),
              "assign");
        CHECK(ty_run(program), "%s: %s", names[m], ty_program_error(program));
    }
    compare_near(ty_output(program, 0), want, 1e-10, 0, "%s in compiled batches", names[m]);
}

static void one(ty_metric m, ty_tensor *x, ty_tensor *y, ty_metric_options o, double want) {
    struct test_round round = test_round();
    ty_tensor *value = functions[m](x, y, o), *wanted = ty_scalar(TY_F64, want);
    compare_near(value, wanted, 1e-9, 0, "%s", names[m]);
    compare_bits(ty_eval(functions[m](ty_lazy(x), ty_var(y, "y"), o)), value, "%s, promised", names[m]);
    o.classes = C;
    eager_batches(m, x, y, o, value);
    compiled_batches(m, x, y, o, value);
    CHECK(ty_metric_named(names[m]) == m, "%s by name", names[m]);
    test_round_end(round);
}

static void values(void) {
    make();
    ty_metric_options o = {0};
    one(TY_METRIC_accuracy, t.scores, t.labels, o, of_k(1));
    one(TY_METRIC_accuracy, t.said, t.labels, o, of_k(1));
    for (int k = 1; k <= C; k++)
        one(TY_METRIC_top_k, t.scores, t.labels, (ty_metric_options){.k = k}, of_k(k));
    for (int how = TY_AVERAGE_MACRO; how < TY_AVERAGE_NONE; how++) {
        o.average = (ty_class_average)how;
        one(TY_METRIC_precision, t.scores, t.labels, o, averaged(0, 1, o.average));
        one(TY_METRIC_recall, t.scores, t.labels, o, averaged(1, 1, o.average));
        one(TY_METRIC_f_score, t.scores, t.labels, o, averaged(2, 1, o.average));
        o.beta = 2;
        one(TY_METRIC_f_score, t.scores, t.labels, o, averaged(2, 2, o.average));
        o.beta = 0;
    }
    one(TY_METRIC_kappa, t.scores, t.labels, o, agreement(TY_METRIC_kappa));
    one(TY_METRIC_matthews, t.scores, t.labels, o, agreement(TY_METRIC_matthews));
    for (ty_metric m = TY_METRIC_mae; m <= TY_METRIC_r2; m++) one(m, t.x, t.y, o, of_numbers(m));
    one(TY_METRIC_perplexity, t.scores, t.labels, o, perplexity());
    one(TY_METRIC_binned_auc, t.yes_scores, t.yes, (ty_metric_options){.bins = 16}, auc());
}

static void each_class(void) {
    make();
    double counts[C * C], each[C];
    for (int i = 0; i < C; i++)
        for (int k = 0; k < C; k++) counts[i * C + k] = (double)pair(i, k);
    for (int c = 0; c < C; c++) each[c] = of_class(1, 1, c);
    compare_numbers(ty_ravel(ty_metric_confusion(t.scores, t.labels, (ty_metric_options){0})), C * C, counts,
                    "confusion");
    compare_numbers(ty_ravel(ty_metric_confusion(t.said, t.labels, (ty_metric_options){.classes = C})), C * C,
                    counts, "of labels");
    compare_near(ty_metric_recall(t.scores, t.labels, (ty_metric_options){.average = TY_AVERAGE_NONE}),
                 ty_from(TY_F64, TY_SHAPE(C), each), 1e-15, 0, "recall of each class");
}

static void ranks(void) {
    make();
    ty_tensor *s[2] = {t.yes_scores, t.yes};
    compare_near(ty_roc_auc(s[0], s[1]), ty_scalar(TY_F64, auc()), 1e-13, 0, "AUC");
    compare_near(ty_average_precision(s[0], s[1]), ty_scalar(TY_F64, precision_of_ranks()), 1e-13, 0,
                 "average precision");
    compare_bits(ty_eval(ty_roc_auc(ty_var(s[0], "s"), ty_lazy(s[1]))), ty_roc_auc(s[0], s[1]),
                 "AUC, promised");
    compare_bits(ty_eval(ty_average_precision(ty_var(s[0], "s"), s[1])), ty_average_precision(s[0], s[1]),
                 "precision, promised");
    for (int dtype = TY_F16; dtype <= TY_F64; dtype++) /* sixteenths up to 1 are exact in all of them */
        compare_bits(ty_roc_auc(ty_cast(s[0], (ty_dtype)dtype), ty_cast(s[1], TY_BOOL)),
                     ty_roc_auc(s[0], s[1]), "of %s", ty_dtype_name((ty_dtype)dtype));
    CHECK(isnan(ty_item(ty_roc_auc(s[0], ty_zeros(TY_BOOL, TY_SHAPE(N))))), "AUC without positives");
    ty_tensor *lost = ty_from(TY_F32, TY_SHAPE(4), (float[]){NAN, 1, 3, 2}),
              *kinds = ty_from(TY_I32, TY_SHAPE(4), (int32_t[]){1, 0, 1, 0});
    CHECK(isnan(ty_item(ty_roc_auc(lost, kinds))), "AUC of NaN");
    CHECK(isnan(ty_item(ty_average_precision(lost, kinds))), "average precision of NaN");
    CHECK(isnan(ty_item(ty_at(ty_roc_curve(lost, kinds), "1,1"))), "ROC curve of NaN");
}

static void ignored_and_empty(void) {
    ty_tensor *x = ty_from(TY_F32, TY_SHAPE(3, 2), (float[]){1, 0, 0, 1, NAN, NAN}),
              *y = ty_from(TY_I16, TY_SHAPE(3), (int16_t[]){0, 0, -1});
    ty_metric_options o = {.ignores = true, .ignored = -1, .k = 1};
    compare_numbers(ty_metric_accuracy(x, y, o), NUMBERS(0.5), "ignored");
    compare_numbers(ty_metric_top_k(x, y, o), NUMBERS(0.5), "ignored");
    compare_numbers(ty_ravel(ty_metric_confusion(x, y, o)), NUMBERS(1, 1, 0, 0), "ignored");
    ty_tensor *zero = ty_zeros(TY_I16, TY_SHAPE(3));
    o.ignores = false;
    compare_near(ty_metric_top_k(x, zero, o), ty_scalar(TY_F64, 1.0 / 3), 1e-15, 0, "NaN is no hit");
    ty_tensor *none = ty_ones(TY_F32, TY_SHAPE(0, 2)), *nobody = ty_zeros(TY_I64, TY_SHAPE(0)),
              *state = ty_metric_state(TY_METRIC_r2, o);
    CHECK(isnan(ty_item(ty_metric_accuracy(none, nobody, o))), "of nothing");
    compare_numbers(ty_metric_add(TY_METRIC_r2, state, nobody, nobody, o), NUMBERS(0, 0, 0, 0),
                    "nothing more");
    static const float targets[] = {2, 2, 2};
    for (int n = 1; n <= 3; n++) { /* equal targets: no variance to explain */
        ty_tensor *same = ty_from(TY_F32, TY_SHAPE(n), targets), *said = ty_ones(TY_F32, TY_SHAPE(n));
        CHECK(isnan(ty_item(CHECK_OK(ty_metric_r2(said, same, o)))), "r2 of %d equal targets", n);
        CHECK(isnan(ty_item(CHECK_OK(ty_metric_r2(same, same, o)))), "met exactly");
    }
}

static void refusals(void) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(2, 3)), *v = ty_ones(TY_F32, TY_SHAPE(2)),
              *y = ty_from(TY_I64, TY_SHAPE(2), (int64_t[]){0, 3});
    ty_metric_options o = {0};
    CHECK_POISON(ty_metric_accuracy(x, v, o),
                 "metric_accuracy: f32[2,3] and f32[2]: labels must be of an integer dtype, not f32");
    CHECK_POISON(ty_metric_accuracy(v, y, o), "predictions must be scores (..., C) of labels (...)");
    CHECK_POISON(ty_metric_accuracy(x, y, o), "label 3 at [1] is out of bounds; expected 0..2");
    CHECK_POISON(ty_metric_confusion(x, y, o), "label 3 at [1] is out of bounds; expected 0..2");
    CHECK_POISON(ty_metric_confusion(y, y, o), "0 classes; set their number in the options");
    CHECK_POISON(ty_metric_mae(x, v, o), "predictions and targets must have the same shape");
    CHECK_POISON(ty_metric_mse(NULL, v, o), "metric_mse: operand 1 is NULL");
    CHECK_POISON(ty_metric_f_score(x, y, (ty_metric_options){.beta = -1}), "metric_f_score: beta -1");
    CHECK_POISON(ty_metric_f_score(x, y, (ty_metric_options){.average = (ty_class_average)9}),
                 "unknown average 9; expected TY_AVERAGE_MACRO, MICRO, WEIGHTED or NONE");
    CHECK_POISON(ty_metric_state(TY_METRIC_recall, o),
                 "metric_state: 0 classes; set their number in the options");
    CHECK_POISON(ty_metric_state((ty_metric)99, o), "metric_state: unknown metric 99; there are 14");
    CHECK_POISON(ty_metric_add(TY_METRIC_mae, ty_zeros(TY_F64, TY_SHAPE(3)), v, v, o),
                 "the state (first) must be from ty_metric_state");
    CHECK_POISON(ty_metric_value(TY_METRIC_mae, ty_zeros(TY_F64, TY_SHAPE(3)), o),
                 "it is not a state of metric_mae");
    CHECK_POISON(ty_metric_binned_auc(v, y, (ty_metric_options){.bins = -3}), "-3 bins; expected 1 to 2^24");
    CHECK_POISON(ty_roc_auc(x, y),
                 "roc_auc of f32[2,3] and i64[2]: scores and labels must be vectors of one length");
    CHECK_POISON(ty_average_precision(ty_cast(v, TY_C64), y), "scores must be real");
    CHECK(ty_metric_named("auc") == TY_METRICS && ty_metric_named(NULL) == TY_METRICS, "no such names");
}

/* scikit-learn 1.9: roc_curve(labels, scores, drop_intermediate=False). */
static void curve_of_scores(void) {
    ty_tensor *scores = ty_from(TY_F32, TY_SHAPE(5), (float[]){0.125f, 0.5f, 0.5f, 0.75f, 0.625f});
    ty_tensor *labels = ty_from(TY_I32, TY_SHAPE(5), (int32_t[]){0, 0, 1, 1, 0});
    static const double expected[5][3] = {
        {0, 0, INFINITY}, {0, 0.5, 0.75}, {1 / 3.0, 0.5, 0.625}, {2 / 3.0, 1, 0.5}, {1, 1, 0.125}};
    compare_bits(ty_roc_curve(scores, labels), ty_from(TY_F64, TY_SHAPE(5, 3), expected), "ROC curve");
    CHECK_POISON(ty_roc_curve(scores, ty_zeros(TY_I32, TY_SHAPE(4))),
                 "roc_curve of f32[5] and i32[4]: scores and labels must be vectors of one length");
}

TESTS_MAIN(TEST(curve_of_scores), TEST(values), TEST(each_class), TEST(ranks), TEST(ignored_and_empty),
           TEST(refusals))
