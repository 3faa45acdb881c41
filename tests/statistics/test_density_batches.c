/*
 * Functions of distributions with batches of parameters: each element has the bits of a call with its own parameters,
 * eagerly and as a promise, in each floating-point dtype.
 */
#include <string.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"

typedef ty_tensor *function(ty_distribution d, ty_tensor *x, int n, ty_tensor *const *parameters);
static const struct {
    const char *name;
    function *f;
    bool of_probability;
} functions[] = {{"pdf", ty_pdf, false},       {"logpdf", ty_logpdf, false}, {"cdf", ty_cdf, false},
                 {"logcdf", ty_logcdf, false}, {"sf", ty_sf, false},         {"logsf", ty_logsf, false},
                 {"ppf", ty_ppf, true},        {"isf", ty_isf, true}};
enum { FUNCTIONS = sizeof functions / sizeof *functions, SETS = 3, POINTS = 5, MOST = 3 };

/* Three sets of parameters for each distribution with scalar parameters. */
static const struct {
    const char *name;
    int n;
    double sets[SETS][MOST];
} rows[] = {{"uniform", 2, {{-1, 3}, {0, 1}, {2, 2.5}}},
            {"normal", 2, {{0, 1}, {2, .5}, {-1, 3}}},
            {"exponential", 1, {{1}, {.25}, {7}}},
            {"gamma", 2, {{.5, 1}, {3, 2}, {40, .1}}},
            {"beta", 2, {{.5, .5}, {2, 3}, {30, 1.5}}},
            {"chi2", 1, {{1}, {4.5}, {60}}},
            {"f", 2, {{1, 2}, {5, 7}, {30, 40}}},
            {"t", 3, {{1, 0, 1}, {4.5, 1, 2}, {50, -1, .5}}},
            {"cauchy", 2, {{0, 1}, {1, 2}, {-3, .1}}},
            {"lomax", 2, {{1, 1}, {3, 2}, {.5, .5}}},
            {"pareto", 2, {{1, 1}, {3, 2}, {.5, .5}}},
            {"weibull", 2, {{1, 1}, {3, 2}, {.5, .5}}},
            {"laplace", 2, {{0, 1}, {1, 2}, {-3, .1}}},
            {"gumbel1", 2, {{0, 1}, {1, 2}, {-3, .1}}},
            {"gumbel2", 2, {{1, 1}, {3, 2}, {.5, .5}}},
            {"logistic", 2, {{0, 1}, {1, 2}, {-3, .1}}},
            {"lognormal", 2, {{0, 1}, {1, 2}, {-3, .1}}},
            {"rayleigh", 1, {{1}, {.25}, {7}}},
            {"triangular", 3, {{-1, 0, 1}, {0, 0, 2}, {1, 4, 4}}},
            {"von_mises", 2, {{1, 0}, {0, 1}, {9, -2}}},
            {"bernoulli", 1, {{.3}, {0}, {1}}},
            {"binomial", 2, {{3, .5}, {0, .25}, {40, .9}}},
            {"negative_binomial", 2, {{3, .5}, {.5, .25}, {40, .9}}},
            {"geometric", 1, {{.3}, {1}, {.01}}},
            {"poisson", 1, {{3}, {0}, {40}}},
            {"hypergeometric", 3, {{3, 4, 5}, {0, 9, 3}, {30, 20, 10}}}};
enum { ROWS = sizeof rows / sizeof *rows };

/* Points inside, at the ends and outside of the support of most distributions. */
static const double points[POINTS] = {-1, 0, 1, 2.75, 30}, probabilities[POINTS] = {0, .01, .5, .75, 1};

static ty_tensor *vector(ty_dtype dtype, int64_t n, const double *x) {
    return ty_cast(ty_from(TY_F64, 1, &n, x), dtype);
}

static void check_batch(int row, int which, ty_dtype dtype) {
    ty_distribution d = ty_distribution_named(rows[row].name);
    ty_tensor *x = vector(dtype, POINTS, functions[which].of_probability ? probabilities : points);
    ty_tensor *batch[MOST], *lazy[MOST], *alone[SETS];
    for (int i = 0; i < rows[row].n; i++) {
        double column[SETS];
        for (int s = 0; s < SETS; s++) column[s] = rows[row].sets[s][i];
        batch[i] = ty_expand(vector(dtype, SETS, column), 1);
        lazy[i] = ty_lazy(batch[i]);
    }
    for (int s = 0; s < SETS; s++) {
        ty_tensor *own[MOST];
        for (int i = 0; i < rows[row].n; i++)
            own[i] = ty_cast(ty_scalar(TY_F64, rows[row].sets[s][i]), dtype);
        alone[s] = CHECK_OK(functions[which].f(d, x, rows[row].n, own));
    }
    ty_tensor *want = ty_stack(SETS, alone, 0);
    compare_bits(functions[which].f(d, x, rows[row].n, batch), want, "%s of %s, %s", functions[which].name,
                 rows[row].name, ty_dtype_name(dtype));
    compare_bits(ty_eval(functions[which].f(d, ty_lazy(x), rows[row].n, lazy)), want,
                 "%s of %s, %s, a promise", functions[which].name, rows[row].name, ty_dtype_name(dtype));
}

static void batches(void) {
    static const ty_dtype dtypes[] = {TY_F64, TY_F32, TY_F16, TY_BF16};
    for (int row = 0; row < ROWS; row += test_some(1, 1, 9))
        for (int which = 0; which < FUNCTIONS; which++)
            for (int i = 0; i < test_some(4, 4, 1); i++) {
                struct test_round round = test_round();
                check_batch(row, which, dtypes[i]);
                test_round_end(round);
            }
}

static void every_distribution_is_there(void) {
    static const char *const names[] = {
#define DISTRIBUTION(NAME, name, ...) #name,
#include <tyto/tables/distributions.def>
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bool there = !strcmp(names[i], "categorical"); /* its weights are an axis, tested below */
        for (int row = 0; row < ROWS; row++) there = there || !strcmp(names[i], rows[row].name);
        CHECK(there, "%s has no row", names[i]);
    }
}

/* Weights [2,3,4] for x [3], [2,3] and [5,2,3]: each x uses its own line. */
static void categories(void) {
    ty_distribution d = ty_distribution_named("categorical");
    ty_tensor *weights = ty_add(ty_uniform(TY_F64, TY_SHAPE(2, 3, 4), ty_key(1)), ty_num(0.1));
    for (int which = 0; which < FUNCTIONS; which++)
        for (int rank = 1; rank <= 3; rank++) {
            struct test_round round = test_round();
            ty_tensor *u = ty_uniform(TY_F64, rank, &(int64_t[]){5, 2, 3}[3 - rank], ty_key(2));
            ty_tensor *x = functions[which].of_probability ? u : ty_floor(ty_mul(u, ty_num(4)));
            ty_tensor *lines[6];
            ty_tensor *got = CHECK_OK(functions[which].f(d, x, 1, &weights));
            for (int i = 0; i < 6; i++) {
                ty_tensor *line =
                    ty_reshape(ty_slice(ty_reshape(weights, TY_SHAPE(6, 4)), 0, i, i + 1, 1), TY_SHAPE(4));
                ty_tensor *own =
                    rank == 1 ? ty_slice(x, 0, i % 3, i % 3 + 1, 1)
                              : ty_slice(ty_slice(x, -1, i % 3, i % 3 + 1, 1), -2, i / 3, i / 3 + 1, 1);
                ty_tensor *there = ty_slice(ty_slice(got, -1, i % 3, i % 3 + 1, 1), -2, i / 3, i / 3 + 1, 1);
                lines[i] = ty_reshape(CHECK_OK(functions[which].f(d, own, 1, &line)), ty_rank(there),
                                      ty_shape(there));
                compare_bits(ty_contiguous(there), ty_contiguous(lines[i]), "%s of rank %d, line %d",
                             functions[which].name, rank, i);
            }
            ty_tensor *lazy = ty_lazy(weights);
            compare_bits(ty_eval(functions[which].f(d, ty_lazy(x), 1, &lazy)), got, "%s, a promise",
                         functions[which].name);
            test_round_end(round);
        }
}

TESTS_MAIN(TEST(batches), TEST(every_distribution_is_there), TEST(categories))
