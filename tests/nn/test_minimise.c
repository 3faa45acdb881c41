/* Minimisers on functions with known minima, with about as many evaluations as SciPy; errors. */
#include <math.h>
#include <string.h>
#include <tyto/nn.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"

/* Return the sum of 100 (x[i+1] - x[i]^2)^2 + (1 - x[i])^2, which is 0 at ones. */
static ty_tensor *rosenbrock(void *context, ty_tensor *const *x) {
    (void)context;
    ty_tensor *low = ty_slice(x[0], 0, 0, -1, 1), *high = ty_slice(x[0], 0, 1, TY_END, 1);
    ty_tensor *bend = ty_mul(ty_square(ty_sub(high, ty_square(low))), ty_num(100));
    return ty_sum(ty_add(bend, ty_square(ty_sub(ty_num(1), low))), TY_ALL);
}

/* Beale's function of two operands, which is 0 at 3, 1/2. */
static ty_tensor *beale(void *context, ty_tensor *const *x) {
    static const double numbers[] = {1.5, 2.25, 2.625};
    ty_tensor *total = NULL, *power = x[1];
    (void)context;
    for (int i = 0; i < 3; i++, power = ty_mul(power, x[1])) {
        ty_tensor *one = ty_square(ty_add(ty_sub(ty_num(numbers[i]), x[0]), ty_mul(x[0], power)));
        total = total ? ty_add(total, one) : one;
    }
    return total;
}

/* Return x' A x / 2 - sum(x) with A = diag(1 .. n), which has its minimum at x[i] = 1 / (i + 1). */
static ty_tensor *quadratic(void *context, ty_tensor *const *x) {
    int64_t n = ty_size(x[0]);
    ty_tensor *a = ty_add(ty_iota(ty_dtype_of(x[0]), 1, &n, 0), ty_num(1));
    (void)context;
    return ty_sum(ty_sub(ty_mul(ty_mul(ty_square(x[0]), a), ty_num(0.5)), x[0]), TY_ALL);
}

/* Logistic regression with a penalty: weights (3) and a bias []. */
enum { EXAMPLES = 40 };
static ty_tensor *ramp(int rank, const int64_t *shape, double step) {
    double values[3 * EXAMPLES];
    int n = rank == 2 ? 3 * EXAMPLES : EXAMPLES;
    for (int i = 0; i < n; i++) values[i] = sin(step * (i + 1));
    return ty_from(TY_F64, rank, shape, values);
}
static ty_tensor *logistic(void *context, ty_tensor *const *x) {
    (void)context;
    ty_tensor *data = ramp(2, (int64_t[]){EXAMPLES, 3}, 1.7), *noise = ramp(1, (int64_t[]){EXAMPLES}, 2.3);
    ty_tensor *truth = ty_matmul(data, ty_from(TY_F64, TY_SHAPE(3), (double[]){1, -2, 0.5}));
    ty_tensor *yes = ty_gt(ty_add(truth, ty_mul(noise, ty_num(0.8))), ty_num(0));
    ty_tensor *loss = ty_loss_bce_logits(ty_add(ty_matmul(data, x[0]), x[1]), yes, (ty_loss_options){0});
    return ty_add(loss, ty_penalty(2, x, 0, 0.005));
}

/* ---- each method on each function ---- */

struct task {
    const char *name;
    ty_body f;
    int n;
    int64_t sizes[2];        /* sizes of the operands; 0: 0-d */
    double even, odd;        /* initial values of even and odd elements */
    double value;            /* value at the minimum */
    int most[TY_MINIMISERS]; /* greatest numbers of evaluations; 0: not tested */
};
/* Evaluations of SciPy 1.x with the same tolerances (L-BFGS-B, CG, Newton-CG, Nelder-Mead): 45 78 105 219,
   92 437 133, 16 41 15 162, 23 37 10, 10 28 7 617. Newton's direction leads to the other minimum of
   rosenbrock of 10, as does SciPy's BFGS. */
static const struct task tasks[] = {
    {"rosenbrock", rosenbrock, 1, {2}, -1.2, 1, 0, {50, 140, 140, 110, 30, 110, 0, 219}},
    {"rosenbrock of 10", rosenbrock, 1, {10}, -1.2, 1, 0, {100, 400, 400, 310, 0, 180, 0, 0}},
    {"beale", beale, 2, {0, 0}, 1, 1, 0, {18, 60, 60, 70, 8, 15, 2200, 165}},
    {"quadratic", quadratic, 1, {20}, 0, 0, -1.7988698285719, {25, 40, 40, 40, 2, 10, 300, 0}},
    {"logistic", logistic, 2, {3, 0}, 0, 0, 0.213579645511604, {12, 20, 25, 20, 7, 7, 90, 630}},
};
enum { TASKS = sizeof tasks / sizeof *tasks };
static const char *const names[] = {
#define MINIMISER(name, doc) #name,
#include <tyto/tables/minimisers.def>
};

static void start_of(const struct task *task, ty_dtype dtype, ty_tensor **x) {
    for (int i = 0; i < task->n; i++) {
        int64_t n = task->sizes[i];
        double values[32];
        for (int k = 0; k < 32; k++) values[k] = (k + i) % 2 ? task->odd : task->even;
        x[i] = ty_cast(ty_from(TY_F64, n ? 1 : 0, &n, values), dtype);
    }
}

static void one(const struct task *task, int method) {
    struct test_round round = test_round();
    ty_tensor *x[2], *best[2];
    ty_minimum found;
    start_of(task, TY_F64, x);
    ty_minimise_options o = {.method = (ty_minimiser)method, .iterations = 5000};
    CHECK(ty_minimise(task->f, NULL, task->n, x, o, best, &found), "%s, %s: %s", names[method], task->name,
          found.message);
    if (test_verbose())
        printf("%-20s %-18s %4d iterations %4d evaluations %4d products, f %.3g, gradient %.3g: %s\n",
               names[method], task->name, (int)found.iterations, (int)found.evaluations, (int)found.products,
               found.value, found.gradient, found.message);
    CHECK(found.converged, "%s, %s: %s", names[method], task->name, found.message);
    CHECK(fabs(found.value - task->value) < 1e-8, "%s, %s: f is %.17g", names[method], task->name,
          found.value);
    CHECK(ty_item(task->f(NULL, best)) == found.value, "%s, %s: f of what comes back is another",
          names[method], task->name);
    CHECK(found.evaluations <= task->most[method], "%s, %s: %d evaluations", names[method], task->name,
          (int)found.evaluations);
    test_round_end(round);
}

static void known_minima(void) {
    for (int method = 0; method < TY_MINIMISERS; method++)
        for (int i = 0; i < TASKS; i++)
            if (tasks[i].most[method] && !(test_starving() && i != 2)) one(&tasks[i], method);
}

/* Operands of other dtypes, and promises as operands, give the same bits in each of two calls. */
static void dtypes(void) {
    for (int dtype = TY_F32; dtype <= TY_F64; dtype++)
        for (int method = 0; method < TY_MINIMISERS; method++) {
            struct test_round round = test_round();
            ty_tensor *x[2], *first[2], *again[2];
            ty_minimum found;
            ty_minimise_options o = {
                .method = (ty_minimiser)method, .gradient = 1e-3, .change = 1e-6, .iterations = 20000};
            start_of(&tasks[2], (ty_dtype)dtype, x);
            CHECK(ty_minimise(beale, NULL, 2, x, o, first, &found), "%s", found.message);
            for (int i = 0; i < 2; i++) x[i] = i ? ty_var(x[i], "x") : ty_lazy(x[i]);
            CHECK(ty_minimise(beale, NULL, 2, x, o, again, NULL), "again");
            for (int i = 0; i < 2; i++) compare_bits(again[i], first[i], "%s", names[method]);
            CHECK(found.value < 1e-3, "%s of %s: %g, %s", names[method], ty_dtype_name((ty_dtype)dtype),
                  found.value, found.message);
            CHECK(ty_dtype_of(first[0]) == (ty_dtype)dtype && ty_rank(first[0]) == 0, "the form of operands");
            test_round_end(round);
        }
}

/* ---- ends of a search ---- */

static bool three(void *context, const ty_minimum *now) {
    int *calls = context;
    ++*calls;
    return now->iterations < 3;
}
static ty_tensor *line(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_sum(x[0], TY_ALL);
}
static ty_tensor *vector(void *context, ty_tensor *const *x) {
    (void)context;
    return x[0];
}
static ty_tensor *none(void *context, ty_tensor *const *x) {
    (void)context, (void)x;
    return NULL;
}
static ty_tensor *of_logarithms(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_sum(ty_sub(x[0], ty_log(x[0])), TY_ALL);
}

static void ends(void) {
    ty_tensor *x = ty_zeros(TY_F64, TY_SHAPE(2)), *best, *minus = ty_full(TY_F64, TY_SHAPE(2), -1);
    ty_tensor *far = ty_full(TY_F64, TY_SHAPE(3), 40), *nothing = ty_zeros(TY_F64, TY_SHAPE(0));
    ty_minimum found;
    int calls = 0;
    CHECK(ty_minimise(rosenbrock, NULL, 1, &x, (ty_minimise_options){.iterations = 2}, &best, &found),
          "two iterations");
    CHECK(!found.converged && strstr(found.message, "2 iterations were not enough"), "%s", found.message);
    CHECK(ty_item(rosenbrock(NULL, &best)) < 1, "the best of two iterations");
    ty_minimise_options o = {.each = three, .each_context = &calls};
    CHECK(ty_minimise(rosenbrock, NULL, 1, &x, o, &best, &found), "ended by the caller");
    CHECK(calls == 3 && found.iterations == 3 && !strcmp(found.message, "the caller ended it"), "%s",
          found.message);
    CHECK(ty_minimise(line, NULL, 1, &x, (ty_minimise_options){0}, &best, &found), "a line");
    CHECK(!found.converged && strstr(found.message, "f decreases without bound"), "%s", found.message);
    CHECK(ty_minimise(of_logarithms, NULL, 1, &minus, (ty_minimise_options){0}, &best, &found), "not finite");
    CHECK(!found.converged && strstr(found.message, "f is nan at the start"), "%s", found.message);
    for (int method = 0; method < TY_MINIMISERS; method++) { /* an infinite value on the way */
        o = (ty_minimise_options){.method = (ty_minimiser)method};
        CHECK(ty_minimise(of_logarithms, NULL, 1, &far, o, &best, &found) && found.converged, "%s: %s",
              names[method], found.message);
        compare_near(best, ty_ones(TY_F64, TY_SHAPE(3)), 1e-4, 0, "%s", names[method]);
        CHECK(ty_minimise(line, NULL, 1, &nothing, o, &best, &found) && found.converged && found.value == 0,
              "%s of nothing: %s", names[method], found.message);
    }
}

static void refusals(void) {
    ty_tensor *x = ty_zeros(TY_F64, TY_SHAPE(2)), *whole = ty_zeros(TY_I32, TY_SHAPE(2)), *best;
    ty_minimum found;
#define REFUSED(words, f, x, ...)                                                                            \
    CHECK(!ty_minimise(f, NULL, 1, &x, (ty_minimise_options){__VA_ARGS__}, &best, &found), "not refused");   \
    CHECK_POISON(best, words);                                                                               \
    CHECK(test_starving() || strstr(found.message, words), "%s", found.message)
    REFUSED("minimise: the function is NULL", NULL, x, .memory = 1);
    REFUSED("minimise of i32[2]: operands must be floating and real", line, whole, .memory = 1);
    REFUSED("minimise: unknown method 99", line, x, .method = (ty_minimiser)99);
    REFUSED("minimise: gradient -1; expected a number of at least 0", line, x, .gradient = -1);
    REFUSED("minimise: armijo 1; expected a number of at least 0 and below 1", line, x, .armijo = 1);
    REFUSED("minimise: f returned a tensor of 1 axes; expected one number", vector, x, .memory = 1);
    REFUSED("NULL", none, x, .memory = 1);
    CHECK(!ty_minimise(line, NULL, 0, NULL, (ty_minimise_options){0}, NULL, &found) &&
              strstr(found.message, "0 operands"),
          "none");
    CHECK(ty_minimiser_named("newton_cg") == TY_MINIMISE_newton_cg &&
              ty_minimiser_named("bfgs") == TY_MINIMISERS && ty_minimiser_named(NULL) == TY_MINIMISERS,
          "names");
}

static ty_tensor *from_one(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_sum(ty_square(ty_sub(x[0], ty_num(1))), TY_ALL);
}
/* A simplex whose first edges are 5 % of nearly zero must not converge before it moved. */
static void starts_near_zero(void) {
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(2), (double[]){1e-9, -1e-12}), *best;
    ty_minimum report;
    ty_minimise_options o = {.method = TY_MINIMISE_nelder_mead};
    CHECK(ty_minimise(from_one, NULL, 1, &x, o, &best, &report), "%s", report.message);
    CHECK(report.converged && report.value < 1e-14, "%s: f is %g", report.message, report.value);
    if (ty_ok(best)) compare_near(best, ty_ones(TY_F64, TY_SHAPE(2)), 0, 1e-7, "the minimum");
}

TESTS_MAIN(TEST(starts_near_zero), TEST(known_minima), TEST(dtypes), TEST(ends), TEST(refusals))
