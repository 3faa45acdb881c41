/* Errors of losses, with their messages. */
#include <math.h>
#include <string.h>
#include <tyto/nn.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"

static void refusals(void) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(2, 3)), *v = ty_ones(TY_F32, TY_SHAPE(2)),
              *w = ty_ones(TY_F32, TY_SHAPE(2, 1));
    ty_tensor *labels = ty_zeros(TY_I64, TY_SHAPE(2));
    ty_loss_options zero = {0};
    CHECK_POISON(ty_loss_l2(w, v, zero), "loss_l2 of f32[2,1] and f32[2]: operands must have the same shape");
    CHECK_POISON(ty_loss_l2(labels, labels, zero), "must be floating, not i64");
    CHECK_POISON(ty_loss_l1(x, ty_cast(x, TY_C64), zero), "complex dtypes are not supported");
    CHECK_POISON(ty_loss_l1(NULL, x, zero), "loss_l1: operand 1 is NULL");
    CHECK_POISON(ty_loss_l1(x, x, (ty_loss_options){.weight = ty_poison("no weights")}), "no weights");
    CHECK_POISON(ty_loss_l1(x, x, (ty_loss_options){.weight = ty_ones(TY_F32, TY_SHAPE(5, 2, 3))}),
                 "must broadcast to the losses");
    CHECK_POISON(ty_loss_l1(x, x, (ty_loss_options){.reduction = (ty_reduction)7}),
                 "loss_l1: unknown reduction 7; expected TY_LOSS_MEAN, SUM, NONE or BATCH_MEAN");
    CHECK_POISON(ty_loss_huber(x, x, (ty_loss_options){.delta = -1}),
                 "loss_huber: delta -1; expected a number of at least 0");
    CHECK_POISON(ty_loss_cross_entropy(x, labels, (ty_loss_options){.smoothing = 1.5}),
                 "smoothing 1.5; expected a number of at least 0 and at most 1");
    CHECK_POISON(ty_loss_hinge(x, x, (ty_loss_options){.margin = NAN}), "margin nan");
    CHECK_POISON(ty_loss_cross_entropy(x, v, zero), "floating targets must have the shape of the logits");
    CHECK_POISON(ty_loss_nll(x, v, zero), "labels must be of an integer dtype, not f32");
    CHECK_POISON(ty_loss_nll(x, ty_zeros(TY_I64, TY_SHAPE(3)), zero),
                 "labels must have the shape of the first operand without its axis 1");
    CHECK_POISON(ty_loss_nll(x, labels, (ty_loss_options){.axis = 5}), "axis 5 of classes is out of bounds");
    CHECK_POISON(ty_loss_nll(ty_ones(TY_F32, TY_SHAPE(2, 0)), labels, zero), "there are no classes");
    CHECK_POISON(ty_loss_nll(x, labels, (ty_loss_options){.weight = v}),
                 "expected one weight for each of the 3 classes");
    CHECK_POISON(ty_loss_cross_entropy(x, x, (ty_loss_options){.weight = v}),
                 "expected one weight for each of the 3 classes");
    CHECK_POISON(ty_loss_triplet(x, x, v, zero), "operands must have the same shape");
    CHECK_POISON(ty_loss_triplet(ty_num(1), ty_num(1), ty_num(1), zero),
                 "axis -1 of vectors is out of bounds");
    CHECK_POISON(ty_loss_cosine(x, x, x, zero),
                 "the target must have the shape of the vectors without their axis 1");
    CHECK_POISON(ty_loss_gaussian(x, x, ty_ones(TY_F32, TY_SHAPE(3)), zero),
                 "the variance must have the mean's shape");
}

/* Labels out of range are refused, eagerly and compiled. */
static void labels_outside(void) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(2, 3)), *v = ty_ones(TY_F32, TY_SHAPE(2)),
              *labels = ty_zeros(TY_I64, TY_SHAPE(2));
    ty_tensor *three = ty_from(TY_I64, TY_SHAPE(2), (int64_t[]){0, 3});
    ty_loss_options zero = {0};
    static const char *const named[] = {"cross_entropy", "nll", "multi_hinge"};
    for (int i = 0; i < 3; i++) {
        ty_loss loss = ty_loss_named(named[i]);
        CHECK_POISON(loss(x, three, &zero, sizeof zero), "label 3 at [1] is out of bounds; expected 0..2");
        ty_program *program = test_program(
            ty_compile(1, (ty_tensor *[]){loss(ty_var(x, "x"), ty_var(three, "labels"), &zero, sizeof zero)},
                       (ty_compile_options){0}));
        CHECK(!ty_run(program) &&
                  (test_starving() ||
                   strstr(ty_program_error(program), "label 3 at [1] is out of bounds; expected 0..2")),
              "%s, compiled: %s", named[i], ty_program_error(program));
    }
    ty_tensor *logs = ty_ones(TY_F32, TY_SHAPE(4, 2, 3)), *long_one = ty_full(TY_I64, TY_SHAPE(2), 9);
    ty_tensor *line = ty_zeros(TY_I64, TY_SHAPE(2, 2));
    CHECK_POISON(ty_loss_ctc(x, line, labels, labels, zero), "logarithms must be (T,N,C) and labels (N,S)");
    CHECK_POISON(ty_loss_ctc(logs, line, ty_zeros(TY_I64, TY_SHAPE(3)), labels, zero),
                 "must be of the N = 2 of (T,N,C)");
    CHECK_POISON(ty_loss_ctc(logs, line, v, labels, zero), "labels and lengths must be of an integer dtype");
    CHECK_POISON(ty_loss_ctc(logs, line, labels, labels, (ty_loss_options){.blank = 3}),
                 "blank 3 is out of bounds for 3 classes");
    CHECK_POISON(ty_loss_ctc(logs, line, long_one, labels, zero), "lengths, as if they were labels: ");
    CHECK_POISON(ty_loss_ctc(logs, line, long_one, labels, zero),
                 "label 9 at [0] is out of bounds; expected 0..4");
    CHECK_POISON(
        ty_loss_ctc(logs, ty_full(TY_I64, TY_SHAPE(2, 2), 5), labels, ty_ones(TY_I64, TY_SHAPE(2)), zero),
        "label 5 at");
}

/* ---- domains ---- */

static const ty_loss_options none = {.reduction = TY_LOSS_NONE};

static ty_tensor *of(double a, double b) { return ty_from(TY_F64, TY_SHAPE(2), (double[]){a, b}); }

/* A loss of two or three operands, with operand i out of its domain. */
struct domain_case {
    const char *name;
    ty_tensor *(*loss2)(ty_tensor *, ty_tensor *, ty_loss_options);
    ty_tensor *(*loss3)(ty_tensor *, ty_tensor *, ty_tensor *, ty_loss_options);
    double operands[3][2]; /* all in the domain */
    int i;
    double outside;
    ty_loss_options options;
    const char *words;
};

static ty_tensor *call(const struct domain_case *c, ty_tensor *const *x, ty_loss_options o) {
    return c->loss2 ? c->loss2(x[0], x[1], o) : c->loss3(x[0], x[1], x[2], o);
}

static void check_case(const struct domain_case *c) {
    ty_tensor *x[3], *bad, *lazy[3];
    for (int i = 0; i < 3; i++) x[i] = of(c->operands[i][0], c->operands[i][1]);
    CHECK_OK(call(c, x, c->options));
    x[c->i] = bad = of(c->operands[c->i][0], c->outside);
    CHECK_POISON(call(c, x, c->options), c->words);
    for (int i = 0; i < 3; i++) lazy[i] = ty_var(x[i], "x");
    ty_tensor *y = call(c, lazy, c->options);
    ty_program *program = test_program(ty_compile(1, &y, (ty_compile_options){0}));
    CHECK(!ty_run(program) && (test_starving() || strstr(ty_program_error(program), c->words)),
          "%s, compiled: %s", c->name, ty_program_error(program));
    ty_loss_options o = c->options;
    o.weight = of(1, 0); /* elements of weight 0 may have any value */
    o.reduction = TY_LOSS_SUM;
    y = call(c, x, o);
    CHECK(ty_ok(y) || test_starving(), "%s: %s", c->name, ty_error(y));
    x[c->i] = of(c->operands[c->i][0], NAN); /* no domain: the loss is NaN */
    y = call(c, x, c->options);
    CHECK(ty_ok(y) || test_starving(), "%s: %s", c->name, ty_error(y));
}

static const struct domain_case domain_cases[] = {
    {"bce",
     ty_loss_bce,
     NULL,
     {{0, 1}, {1, 0}},
     0,
     1.2,
     {0},
     "1 of the probabilities are out of range; expected 0 to 1"},
    {"bce",
     ty_loss_bce,
     NULL,
     {{0, 1}, {1, 0}},
     0,
     -1e-9,
     {0},
     "1 of the probabilities are out of range; expected 0 to 1"},
    {"bce",
     ty_loss_bce,
     NULL,
     {{0, 1}, {1, 0}},
     1,
     1.01,
     {0},
     "1 of the targets are out of range; expected 0 to 1"},
    {"bce_logits",
     ty_loss_bce_logits,
     NULL,
     {{-3, 9}, {1, 0}},
     1,
     -1,
     {0},
     "1 of the targets are out of range; expected 0 to 1"},
    {"focal",
     ty_loss_focal,
     NULL,
     {{-3, 9}, {1, 0}},
     1,
     2,
     {0},
     "1 of the targets are out of range; expected 0 to 1"},
    {"kl",
     ty_loss_kl,
     NULL,
     {{-3, -1}, {1, 0}},
     1,
     1.5,
     {0},
     "1 of the targets are out of range; expected 0 to 1"},
    {"poisson",
     ty_loss_poisson,
     NULL,
     {{-3, 9}, {7, 0}},
     1,
     -1,
     {0},
     "1 of the targets are out of range; expected 0 and above"},
    {"poisson",
     ty_loss_poisson,
     NULL,
     {{3, 0}, {7, 1}},
     0,
     -1e-10,
     {.rates = true},
     "1 of the predictions are out of range; expected 0 and above"},
    {"hinge",
     ty_loss_hinge,
     NULL,
     {{-3, 9}, {1, -1}},
     1,
     0,
     {0},
     "1 of the targets are out of range; expected 1 and -1"},
    {"squared_hinge",
     ty_loss_squared_hinge,
     NULL,
     {{-3, 9}, {1, -1}},
     1,
     0.5,
     {0},
     "1 of the targets are out of range; expected 1 and -1"},
    {"soft_margin",
     ty_loss_soft_margin,
     NULL,
     {{-3, 9}, {1, -1}},
     1,
     2,
     {0},
     "1 of the targets are out of range; expected 1 and -1"},
    {"gaussian",
     NULL,
     ty_loss_gaussian,
     {{-3, 9}, {1, -1}, {0, 2}},
     2,
     -1,
     {0},
     "1 of the variances are out of range; expected 0 and above"},
    {"kl",
     ty_loss_kl,
     NULL,
     {{-3, 0}, {1, 0}},
     0,
     0.002,
     {0},
     "1 of the logarithms of probabilities are out of range; expected -inf to 0"},
    {"kl",
     ty_loss_kl,
     NULL,
     {{-3, 0}, {-1, 0}},
     1,
     0.5,
     {.logs = true},
     "1 of the logarithms of probabilities are out of range; expected -inf to 0"},
    {"ranking",
     NULL,
     ty_loss_ranking,
     {{-3, 9}, {1, -1}, {1, -1}},
     2,
     0,
     {0},
     "1 of the targets are out of range; expected 1 and -1"},
};

static void domains(void) {
    for (size_t i = 0; i < sizeof domain_cases / sizeof *domain_cases; i++) {
        struct test_round round = test_round();
        check_case(&domain_cases[i]);
        test_round_end(round);
    }
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(2, 3)), *shares = ty_full(TY_F32, TY_SHAPE(2, 3), 0.5);
    CHECK_OK(ty_loss_cross_entropy(x, shares, none));
    CHECK_POISON(ty_loss_cross_entropy(x, ty_neg(shares), none),
                 "6 of the targets are out of range; expected 0 to 1");
    CHECK_OK(ty_loss_cosine(x, x, ty_from(TY_I64, TY_SHAPE(2), (int64_t[]){1, -1}), none));
    CHECK_POISON(ty_loss_cosine(x, x, ty_zeros(TY_I64, TY_SHAPE(2)), none),
                 "2 of the targets are out of range; expected 1 and -1");
    CHECK_OK(ty_loss_hinge(x, ty_gt(x, ty_num(3)), none));
    CHECK_OK(
        ty_loss_bce(ty_cast(ty_full(TY_F32, TY_SHAPE(2), 0.5), TY_F16), ty_ones(TY_BOOL, TY_SHAPE(2)), none));
    CHECK_OK(ty_loss_bce(ty_ones(TY_F32, TY_SHAPE(0)), ty_ones(TY_F32, TY_SHAPE(0)), none));
    CHECK_POISON(ty_loss_bce(of(0.5, 0.5), ty_num(1.5), none),
                 "loss_bce: 1 of the targets are out of range; expected 0 to 1");
    CHECK_OK(ty_loss_focal(of(0.5, 0.5), of(1.0005, -0.0005), none)); /* rounding error of half floats */
}

/* ---- logarithms of classes, weights ---- */

/* Refused at once, as a promise and when a program runs. */
static void refused_anyhow(ty_loss loss, ty_tensor *x, ty_tensor *y, ty_loss_options o, const char *words) {
    struct test_round round = test_round();
    CHECK_POISON(loss(x, y, &o, sizeof o), words);
    ty_tensor *later = loss(ty_var(x, "x"), y, &o, sizeof o);
    ty_program *program = test_program(ty_compile(1, &later, (ty_compile_options){0}));
    CHECK(!ty_run(program) && (test_starving() || strstr(ty_program_error(program), words)), "compiled: %s",
          ty_program_error(program));
    test_round_end(round);
}

static void logarithms(void) {
    static const char words[] = "2 of the logarithms of probabilities are out of range; expected -inf to 0";
    ty_tensor *x = ty_from(TY_F32, TY_SHAPE(3, 2), (float[]){-1, -2, 0, 0.0009f, 0.5f, 9});
    ty_tensor *last = ty_from(TY_I32, TY_SHAPE(3), (int32_t[]){0, 1, 1}),
              *two = ty_from(TY_I32, TY_SHAPE(3), (int32_t[]){0, 1, -100});
    refused_anyhow(ty_loss_nll_sized, x, last, none, words);
    CHECK_OK(ty_loss_nll(x, two, none)); /* an example that does not count */
    CHECK_OK(ty_loss_nll(x, last, (ty_loss_options){.ignores = true, .ignored = 1}));
    ty_tensor *lengths = ty_from(TY_I64, TY_SHAPE(1), (int64_t[]){3}), *one = ty_ones(TY_I64, TY_SHAPE(1, 1));
    ty_tensor *steps = ty_reshape(x, TY_SHAPE(3, 1, 2)), *length = ty_ones(TY_I64, TY_SHAPE(1));
    CHECK_POISON(ty_loss_ctc(steps, one, lengths, length, none), words);
    CHECK_OK(ty_loss_ctc(steps, one, ty_sub(lengths, ty_int(1)), length, none)); /* steps beyond the length */
}

/* Advantages of policy gradients are negative weights of log-probabilities. */
static void negative_weights(void) {
    ty_tensor *x = of(-0.25, -0.5), *logs = ty_reshape(x, TY_SHAPE(1, 2)), *weights = of(2, -3);
    ty_loss_options sum = {.reduction = TY_LOSS_SUM, .weight = weights};
    compare_numbers(ty_loss_l1(x, ty_zeros(TY_F32, TY_SHAPE(2)), sum), NUMBERS(2 * 0.25 - 3 * 0.5), "l1");
    ty_tensor *second = ty_ones(TY_I64, TY_SHAPE(1));
    compare_numbers(ty_loss_nll(logs, second, sum), NUMBERS(-3 * 0.5), "class weights");
    CHECK_OK(ty_loss_l2(x, x, (ty_loss_options){.weight = of(1, (double)NAN)}));
}

TESTS_MAIN(TEST(refusals), TEST(labels_outside), TEST(domains), TEST(logarithms), TEST(negative_weights))
