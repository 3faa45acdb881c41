/*
 * Special functions against values to twenty digits (special.def), on both engines and every instruction set. Further
 * guarantees of these functions: ends, NaN, integers, the order of complex numbers.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "array/order.h"
#include "base/machine/isa.h"
#include "ops/core/elementwise.h"
#include "ops/core/row_id.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

/* If long double is double, some constants become 0 or infinite, as expected. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverflow"
static const struct known {
    enum row_id row;
    long double value;
    double operands[3];
} known[] = {
#define SPECIAL(row, value, ...) {ROW_##row, value##L, {__VA_ARGS__}},
#include "tests/ops/math/special.def"
};
#pragma GCC diagnostic pop

/* Borders between approximations, with neighbouring numbers; operands that f32 lacks are for f64 only. */
static const struct border {
    struct known known;
    bool f64_alone;
} borders[] = {
#define SPECIAL(row, value, ...) {{ROW_##row, value##L, {__VA_ARGS__}}, false},
#define SPECIAL64(row, value, ...) {{ROW_##row, value##L, {__VA_ARGS__}}, true},
#include "tests/ops/math/special_borders.def"
};

/* Check a value. Next to zeros of a function the reference has the digits of long doubles near 1. */
static void check_known(const struct known *k, ty_dtype dtype, const char *engine) {
    struct test_round round = test_round();
    const struct row_error *error = &row_table[k->row].error;
    ty_tensor *x[3];
    for (int i = 0; i < row_ops[k->row].arity; i++) x[i] = ty_scalar(dtype, k->operands[i]);
    ty_use_engine(engine);
    ty_tensor *got = elementwise(k->row, row_ops[k->row].arity, x),
              *want = ty_scalar(dtype, (double)k->value);
    ty_use_engine("cpu");
    double ulps = dtype == TY_F64 ? fmax(1, error->ulps) : 1;
    double digits = !strcmp(engine, "ref") && dtype == TY_F64 ? 0x1p-60 / DBL_MIN : 0;
    double around = ldexp(error->around, -53 - dtype_least_normal(dtype));
    compare_rounded(got, want, ulps, fmax(fmax(error->tiny, digits), around), "%s of %g, %g, %g as %s on %s",
                    row_ops[k->row].name, k->operands[0], k->operands[1], k->operands[2],
                    ty_dtype_name(dtype), engine);
    test_round_end(round);
}

static void known_values(void) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        check_known(&known[i], TY_F64, "ref");
        check_known(&known[i], TY_F32, "ref");
        for (int isa = 0; isa <= (int)isa_best(); isa++) {
            isa_force((enum isa)isa);
            check_known(&known[i], TY_F64, "cpu");
            check_known(&known[i], TY_F32, "cpu");
        }
    }
}

/* Limits at zeros of both signs, infinities and poles are exact to the bit. */
#define IN INFINITY
static const struct known limits[] = {{ROW_erfinv, 0.0, {0.0}},
                                      {ROW_erfinv, -0.0, {-0.0}},
                                      {ROW_erfcinv, IN, {0.0}},
                                      {ROW_erfcinv, -IN, {2}},
                                      {ROW_erfcinv, 0.0, {1}},
                                      {ROW_erfcinv, NAN, {-1e-30}},
                                      {ROW_erfcx, 1, {-0.0}},
                                      {ROW_erfcx, 0.0, {IN}},
                                      {ROW_erfcx, IN, {-IN}},
                                      {ROW_ndtr, 0.5, {-0.0}},
                                      {ROW_ndtr, 1, {IN}},
                                      {ROW_ndtr, 0.0, {-IN}},
                                      {ROW_log_ndtr, -0.0, {IN}},
                                      {ROW_log_ndtr, -IN, {-IN}},
                                      {ROW_dawson, 0.0, {0.0}},
                                      {ROW_dawson, -0.0, {-0.0}},
                                      {ROW_dawson, 0.0, {IN}},
                                      {ROW_dawson, -0.0, {-IN}},
                                      {ROW_i0, 1, {-0.0}},
                                      {ROW_i0, IN, {-IN}},
                                      {ROW_i1, -0.0, {-0.0}},
                                      {ROW_i1, -IN, {-IN}},
                                      {ROW_i0e, 0.0, {-IN}},
                                      {ROW_i1e, -0.0, {-0.0}},
                                      {ROW_i1e, -0.0, {-IN}},
                                      {ROW_j0, 1, {-0.0}},
                                      {ROW_j0, 0.0, {IN}},
                                      {ROW_j1, -0.0, {-0.0}},
                                      {ROW_y0, -IN, {-0.0}},
                                      {ROW_y0, 0.0, {IN}},
                                      {ROW_y1, -IN, {-0.0}},
                                      {ROW_k0, IN, {-0.0}},
                                      {ROW_k1, IN, {-0.0}},
                                      {ROW_k1, 0.0, {IN}},
                                      {ROW_expint_e1, IN, {-0.0}},
                                      {ROW_expint_e1, 0.0, {IN}},
                                      {ROW_expint_ei, -IN, {-0.0}},
                                      {ROW_expint_ei, IN, {IN}},
                                      {ROW_digamma, -IN, {0.0}},
                                      {ROW_digamma, IN, {-0.0}},
                                      {ROW_digamma, NAN, {-IN}},
                                      {ROW_digamma, NAN, {-3}},
                                      {ROW_trigamma, IN, {-0.0}},
                                      {ROW_trigamma, IN, {-3}},
                                      {ROW_trigamma, 0.0, {IN}},
                                      {ROW_trigamma, NAN, {-IN}},
                                      {ROW_polygamma, IN, {0, IN}},
                                      {ROW_polygamma, 0.0, {1, IN}},
                                      {ROW_polygamma, -0.0, {2, IN}},
                                      {ROW_polygamma, 0.0, {3, IN}},
                                      {ROW_polygamma, -IN, {2, 0.0}},
                                      {ROW_polygamma, IN, {3, 0.0}},
                                      {ROW_polygamma, NAN, {2, -IN}},
                                      {ROW_polygamma, NAN, {IN, IN}},
                                      {ROW_polygamma, NAN, {-1, 1}},
                                      {ROW_polygamma, NAN, {NAN, IN}},
                                      {ROW_zeta, 0.0, {2, IN}},
                                      {ROW_zeta, IN, {2, 0.0}},
                                      {ROW_zeta, 1, {IN, 1}},
                                      {ROW_zeta, 0.0, {IN, 2}},
                                      {ROW_zeta, IN, {IN, 0.5}},
                                      {ROW_beta, IN, {0.0, 1}},
                                      {ROW_beta, 0.0, {IN, 1}},
                                      {ROW_beta, NAN, {0.0, IN}},
                                      {ROW_lbeta, IN, {0.0, 1}},
                                      {ROW_lbeta, -IN, {1, IN}},
                                      {ROW_lbeta, NAN, {-1, 1}},
                                      {ROW_gammainc, 1, {0.0, 1}},
                                      {ROW_gammainc, 0.0, {1, 0.0}},
                                      {ROW_gammainc, 1, {1, IN}},
                                      {ROW_gammainc, 0.0, {IN, 1}},
                                      {ROW_gammainc, NAN, {IN, IN}},
                                      {ROW_gammainc, NAN, {0.0, 0.0}},
                                      {ROW_gammaincc, 0.0, {0.0, 1}},
                                      {ROW_gammaincc, 1, {1, 0.0}},
                                      {ROW_gammaincc, 0.0, {1, IN}},
                                      {ROW_gammaincc, 1, {IN, 1}},
                                      {ROW_betainc, 1, {0.0, 1, 0.5}},
                                      {ROW_betainc, 0.0, {1, 0.0, 0.5}},
                                      {ROW_betainc, 0.0, {IN, 1, 0.5}},
                                      {ROW_betainc, 1, {1, IN, 0.5}},
                                      {ROW_betainc, NAN, {IN, IN, 0.5}},
                                      {ROW_betainc, NAN, {0.0, 0.0, 0.5}},
                                      {ROW_betainc, 0.0, {1e30, 1e30, 0.25}},
                                      {ROW_betainc, 0.5, {1e30, 1e30, 0.5}},
                                      {ROW_betainc, 1, {1e30, 1e30, 0.75}},
                                      {ROW_betainc, 0.0, {3e38, 3e38, 0.25}},
                                      {ROW_betainc, 1, {3e38, 1e30, 1}},
                                      {ROW_jn, 0.0, {2, 0.0}},
                                      {ROW_jn, 0.0, {5, IN}},
                                      {ROW_jn, NAN, {129, 1}},
                                      {ROW_in, 0.0, {2, 0.0}},
                                      {ROW_in, -IN, {3, -IN}},
                                      {ROW_ine, 0.0, {2, IN}},
                                      {ROW_sinc_derivative, NAN, {0, IN}}};

static void check_limit(const struct known *k, ty_dtype dtype) {
    ty_tensor *x[3];
    for (int i = 0; i < row_ops[k->row].arity; i++) x[i] = ty_scalar(dtype, k->operands[i]);
    compare_bits(elementwise(k->row, row_ops[k->row].arity, x), ty_scalar(dtype, (double)k->value),
                 "%s of %g, %g, %g as %s", row_ops[k->row].name, k->operands[0], k->operands[1],
                 k->operands[2], ty_dtype_name(dtype));
}

static void limits_to_the_bit(void) {
    for (int way = 0; way <= (int)isa_best() + 1; way++) {
        ty_use_engine(way ? "cpu" : "ref");
        if (way) isa_force((enum isa)(way - 1));
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
            check_limit(&limits[i], TY_F64);
            check_limit(&limits[i], TY_F32);
        }
    }
}

static void borders_of_pieces(void) {
    for (size_t i = 0; i < sizeof borders / sizeof *borders; i++)
        for (int way = 0; way <= (int)isa_best() + 1; way++) {
            const char *engine = way ? "cpu" : "ref";
            if (way) isa_force((enum isa)(way - 1));
            check_known(&borders[i].known, TY_F64, engine);
            if (!borders[i].f64_alone) check_known(&borders[i].known, TY_F32, engine);
        }
}

static ty_tensor *numbers(int64_t n, const double *x) { return ty_from(TY_F64, 1, &n, x); }

static void ends(void) {
    const double none = (double)NAN, inf = (double)INFINITY;
    compare_numbers(ty_digamma(numbers(NUMBERS(0, -0.0, -1, inf))), NUMBERS(-inf, inf, none, inf), "digamma");
    compare_numbers(ty_gamma(numbers(NUMBERS(1, 2, 6, inf, -inf))), NUMBERS(1, 1, 120, inf, none), "gamma");
    compare_numbers(ty_erfinv(numbers(NUMBERS(-1, 0, 1, 1.5))), NUMBERS(-inf, 0, inf, none), "erfinv");
    compare_numbers(ty_ndtri(numbers(NUMBERS(0, 0.5, 1, -1))), NUMBERS(-inf, 0, inf, none), "ndtri");
    compare_numbers(ty_k0(numbers(NUMBERS(0, inf, -1))), NUMBERS(inf, 0, none), "k0");
    compare_numbers(ty_y1(numbers(NUMBERS(0, inf, -1))), NUMBERS(-inf, 0, none), "y1");
    compare_numbers(ty_expint_ei(numbers(NUMBERS(0, inf, -inf))), NUMBERS(-inf, inf, 0), "Ei");
    compare_numbers(ty_expint_e1(numbers(NUMBERS(0, inf, -1))), NUMBERS(inf, 0, none), "E1");
    compare_numbers(ty_sinpi(numbers(NUMBERS(0.5, 1, 1e300, -2.5, inf))), NUMBERS(1, 0, 0, -1, none),
                    "sinpi");
    compare_numbers(ty_sinc(numbers(NUMBERS(0, 1, inf))), NUMBERS(1, 0, none), "sinc");
    compare_numbers(ty_logit(numbers(NUMBERS(0, 0.5, 1, 2))), NUMBERS(-inf, 0, inf, none), "logit");
    compare_numbers(ty_entr(numbers(NUMBERS(0, 1, -1))), NUMBERS(0, 0, -inf), "entr");
    compare_numbers(ty_logaddexp(numbers(NUMBERS(inf, -inf, 1000)), numbers(NUMBERS(-inf, -inf, 0))),
                    NUMBERS(inf, -inf, 1000), "logaddexp");
    compare_numbers(ty_fmax(numbers(NUMBERS(none, 1, none)), numbers(NUMBERS(2, none, none))),
                    NUMBERS(2, 1, none), "fmax");
    compare_numbers(ty_xlogy(numbers(NUMBERS(0, 0, 2)), numbers(NUMBERS(0, none, 1))), NUMBERS(0, none, 0),
                    "xlogy");
    compare_numbers(ty_zeta(numbers(NUMBERS(1, 2, 0.5)), ty_num(1)),
                    NUMBERS(inf, 1.6449340668482264365, none), "zeta");
    compare_numbers(ty_gammainc(ty_num(2), numbers(NUMBERS(0, inf, -1))), NUMBERS(0, 1, none), "gammainc");
    compare_numbers(ty_betainc(ty_num(2), ty_num(3), numbers(NUMBERS(0, 1, 1.5))), NUMBERS(0, 1, none),
                    "betainc");
}

/* Exact values and limits, with signs of zeros, that hold in f32 and f64. */
static const struct exact {
    enum row_id row;
    double x, value;
} exact[] = {{ROW_gamma, 0.0, INFINITY},
             {ROW_gamma, -0.0, -INFINITY},
             {ROW_gamma, -1, NAN},
             {ROW_gamma, -170, NAN},
             {ROW_gamma, -16777216, NAN},
             {ROW_gamma, -16777215, NAN},
             {ROW_gamma, -INFINITY, NAN},
             {ROW_gamma, INFINITY, INFINITY},
             {ROW_gamma, NAN, NAN},
             {ROW_gamma, 0x1p-100, 0x1p100},
             {ROW_gamma, -300.5, -0.0},
             {ROW_gamma, -301.5, 0.0},
             {ROW_gamma, 1000, INFINITY},
             {ROW_lgamma, 1, 0.0},
             {ROW_lgamma, 2, 0.0},
             {ROW_lgamma, 0.0, INFINITY},
             {ROW_lgamma, -0.0, INFINITY},
             {ROW_lgamma, -2, INFINITY},
             {ROW_lgamma, -16777216, INFINITY},
             {ROW_lgamma, INFINITY, INFINITY},
             {ROW_lgamma, -INFINITY, INFINITY},
             {ROW_lgamma, NAN, NAN},
             {ROW_exp10, -INFINITY, 0.0},
             {ROW_exp10, INFINITY, INFINITY},
             {ROW_exp10, NAN, NAN},
             {ROW_exp10, 0.0, 1},
             {ROW_exp10, -1000, 0.0},
             {ROW_exp10, 1000, INFINITY},
             {ROW_sinpi, 0.0, 0.0},
             {ROW_sinpi, -0.0, -0.0},
             {ROW_sinpi, 1, 0.0},
             {ROW_sinpi, -1, -0.0},
             {ROW_sinpi, 16777216, 0.0},
             {ROW_sinpi, -3, -0.0},
             {ROW_sinpi, 0.5, 1},
             {ROW_sinpi, -2.5, -1},
             {ROW_sinpi, INFINITY, NAN},
             {ROW_sinpi, NAN, NAN},
             {ROW_cospi, 0.0, 1},
             {ROW_cospi, -0.0, 1},
             {ROW_cospi, 0.5, 0.0},
             {ROW_cospi, -0.5, 0.0},
             {ROW_cospi, 1.5, 0.0},
             {ROW_cospi, 8388607.5, 0.0},
             {ROW_cospi, 3, -1},
             {ROW_cospi, -16777216, 1},
             {ROW_cospi, -INFINITY, NAN}},
  /* the first operands that overflow */
    overflow_f64[] = {{ROW_gamma, 171.62437695630274, INFINITY},
                      {ROW_exp10, 308.25471555991675, INFINITY},
                      {ROW_lgamma, 2.5599833278516387e+305, INFINITY}},
  overflow_f32[] = {{ROW_gamma, 35.04010009765625, INFINITY},
                    {ROW_exp10, 38.53184127807617, INFINITY},
                    {ROW_lgamma, 4.085003425410169e+36, INFINITY}};

static void check_exact(const struct exact *e, ty_dtype dtype) {
    ty_tensor *x = ty_scalar(dtype, e->x);
    compare_bits(elementwise(e->row, 1, &x), ty_scalar(dtype, e->value), "%s of %.17g as %s",
                 row_ops[e->row].name, e->x, ty_dtype_name(dtype));
}
static void check_edge(const struct exact *e, ty_dtype dtype) {
    check_exact(e, dtype);
    ty_tensor *x = ty_nextafter(ty_scalar(dtype, e->x), ty_scalar(dtype, 0)),
              *y = ty_is_finite(elementwise(e->row, 1, &x));
    CHECK(ty_item(y) == 1, "%s just below %.17g overflows as %s", row_ops[e->row].name, e->x,
          ty_dtype_name(dtype));
}
/* Check (n - 1)! and powers of ten, within the dtype's range. */
static void check_whole(ty_dtype dtype, int factorials, int tens) {
    double product = 1, power = 1;
    for (int n = 1; n <= factorials; product *= n++)
        check_exact(&(struct exact){ROW_gamma, n, product}, dtype);
    for (int n = 0; n <= tens; n++, power *= 10) check_exact(&(struct exact){ROW_exp10, n, power}, dtype);
}
static void check_all_exact(const char *engine) {
    struct test_round round = test_round();
    ty_use_engine(engine);
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        check_exact(&exact[i], TY_F64);
        check_exact(&exact[i], TY_F32);
    }
    for (size_t i = 0; i < sizeof overflow_f64 / sizeof *overflow_f64; i++) {
        check_edge(&overflow_f64[i], TY_F64);
        check_edge(&overflow_f32[i], TY_F32);
    }
    check_whole(TY_F64, 23, 22);
    check_whole(TY_F32, 14, 10);
    ty_use_engine("cpu");
    test_round_end(round);
}
static void exact_values(void) {
    check_all_exact("ref");
    for (int isa = 0; isa <= (int)isa_best(); isa++) {
        isa_force((enum isa)isa);
        check_all_exact("cpu");
    }
    isa_force(isa_best());
}

static void whole_numbers(void) {
    ty_tensor *a = ty_from(TY_I8, TY_SHAPE(6), (int8_t[]){12, -12, 0, 0, -128, 7});
    ty_tensor *b = ty_from(TY_I8, TY_SHAPE(6), (int8_t[]){18, 18, 5, 0, -128, 0});
    compare_numbers(ty_gcd(a, b), NUMBERS(6, 6, 5, 0, -128, 7), "gcd; of -128 it wraps");
    compare_numbers(ty_lcm(a, b), NUMBERS(36, 36, 0, 0, -128, 0), "lcm");
    compare_numbers(ty_bit_count(a), NUMBERS(2, 2, 0, 0, 1, 3), "bits of the absolute value");
    compare_numbers(ty_fmod(a, b), NUMBERS(12, -12, 0, 0, 0, 0), "the remainder of C");
    compare_numbers(ty_signbit(a), NUMBERS(0, 1, 0, 0, 1, 0), "signbit");
    ty_tensor *halves = ty_from(TY_F16, TY_SHAPE(3), (uint16_t[]){0x3C00, 0, 0x7BFF});
    compare_bits(ty_nextafter(halves, ty_cast(ty_num((double)INFINITY), TY_F16)),
                 ty_from(TY_F16, TY_SHAPE(3), (uint16_t[]){0x3C01, 1, 0x7C00}),
                 "the next half-precision number");
    compare_numbers(ty_ldexp(numbers(NUMBERS(0.75, 1, 1)), numbers(NUMBERS(3, -1074, 5000))),
                    NUMBERS(6, 0x1p-1074, (double)INFINITY), "ldexp");
    ty_tensor *square = CHECK_OK(ty_float_power(ty_from(TY_I32, TY_SHAPE(1), (int32_t[]){3}), ty_int(-2)));
    CHECK(ty_dtype_of(square) == TY_F64 && fabs(ty_item(square) - 1.0 / 9) < 1e-16, "3 to the -2 is %g",
          ty_item(square));
}

static void closeness(void) {
    const double none = (double)NAN, inf = (double)INFINITY;
    ty_tensor *a = numbers(NUMBERS(1, 1, inf, none, 0, -inf)),
              *b = numbers(NUMBERS(1 + 1e-6, 1.1, inf, none, 1e-9, inf));
    compare_numbers(ty_is_close(a, b, 1e-5, 1e-8, false), NUMBERS(1, 0, 1, 0, 1, 0), "is_close");
    compare_numbers(ty_is_close(a, b, 1e-5, 1e-8, true), NUMBERS(1, 0, 1, 1, 1, 0), "is_close with NaN");
    CHECK(ty_item(ty_all_close(a, a, 0, 0, true)) == 1, "a tensor is close to itself");
    CHECK(ty_item(ty_all_close(a, a, 0, 0, false)) == 0, "but for NaN");
    compare_numbers(ty_nan_to_num(a, 5, 7, -8), NUMBERS(1, 1, 7, 5, 0, -8), "nan_to_num");
    compare_numbers(ty_nan_to_num(ty_cast(a, TY_F16), 0, inf, -inf), NUMBERS(1, 1, 65504, 0, 0, -65504),
                    "of f16");
    ty_tensor *z = ty_nan_to_num(ty_from(TY_C128, TY_SHAPE(1), (void *)(double[]){none, inf}), 2, 3, 4);
    compare_bits(z, ty_from(TY_C128, TY_SHAPE(1), (void *)(double[]){2, 3}), "of complex numbers by parts");
    compare_numbers(ty_lerp(ty_num(1), ty_num(3), numbers(NUMBERS(0, 0.5, 1))), NUMBERS(1, 2, 3), "lerp");
}

/* Complex numbers are ordered by magnitude, then by phase; NaN is unordered. */
static void complex_comparisons(void) {
    double left[] = {1, 0, 0, 1, -1, 0, 3, 4, -1, -0.0, 1e308, 1e308},
           right[] = {0, 2, 1, 0, 0, 1, 5, 0, -1, 0, -1e308, 1e308};
    ty_tensor *a = ty_from(TY_C128, TY_SHAPE(6), (void *)left),
              *b = ty_from(TY_C128, TY_SHAPE(6), (void *)right);
    compare_numbers(ty_lt(a, b), NUMBERS(1, 0, 0, 0, 0, 1), "lt");
    compare_numbers(ty_le(a, b), NUMBERS(1, 0, 0, 0, 1, 1), "le");
    compare_numbers(ty_gt(a, b), NUMBERS(0, 1, 1, 1, 0, 0), "gt");
    compare_numbers(ty_ge(a, b), NUMBERS(0, 1, 1, 1, 1, 0), "ge");
    compare_numbers(ty_real(ty_max(a, b)), NUMBERS(0, 0, -1, 3, -1, -1e308), "max");
    compare_numbers(ty_real(ty_min(a, b)), NUMBERS(1, 1, 0, 5, -1, 1e308), "min");
    ty_tensor *nan = ty_from(TY_C128, TY_SHAPE(1), (void *)(double[]){0, (double)NAN});
    CHECK(ty_item(ty_lt(nan, nan)) == 0 && ty_item(ty_ge(nan, nan)) == 0, "NaN is in no order");
    CHECK(ty_item(ty_is_nan(ty_max(nan, ty_complex(1, 1)))) == 1 &&
              ty_item(ty_is_nan(ty_min(ty_complex(1, 1), nan))) == 1,
          "NaN wins");
    CHECK(complex_order(-1, -0.0, -1, 0) == ORDER_SAME, "-1-0i is -1");
}

static void activations(void) {
    ty_tensor *x = numbers(NUMBERS(-4, -1, 0, 1, 4));
    compare_numbers(ty_hard_sigmoid(x), NUMBERS(0, 1.0 / 3, 0.5, 2.0 / 3, 1), "hard_sigmoid");
    compare_numbers(ty_hard_swish(x), NUMBERS(0, -1.0 / 3, 0, 2.0 / 3, 4), "hard_swish");
    compare_numbers(ty_softsign(x), NUMBERS(-0.8, -0.5, 0, 0.5, 0.8), "softsign");
    compare_near(ty_mish(x),
                 numbers(NUMBERS(-0.072591740792, -0.303401461374, 0.0, 0.865098388267, 3.99741280698)), 0,
                 1e-8, "mish");
    compare_near(ty_gelu_tanh(x),
                 numbers(NUMBERS(-7.02459481924e-5, -0.158808009392, 0.0, 0.841191990608, 3.99992975405)), 0,
                 1e-8, "gelu_tanh");
}

static void special_errors(void) {
    CHECK_POISON(ty_digamma(ty_complex(1, 1)), "digamma");
    CHECK_POISON(ty_gcd(ty_num(1), ty_num(2)), "gcd");
    CHECK_POISON(ty_bit_count(ty_ones(TY_F32, TY_SHAPE(2))), "bit_count");
    CHECK_POISON(ty_is_close(ty_poison("first"), ty_num(1), 0, 0, false), "first");
    CHECK_POISON(ty_lerp(ty_zeros(TY_F32, TY_SHAPE(2)), ty_zeros(TY_F32, TY_SHAPE(3)), ty_num(1)), "lerp");
}

TESTS_MAIN(TEST(known_values), TEST(borders_of_pieces), TEST(limits_to_the_bit), TEST(exact_values),
           TEST(ends), TEST(whole_numbers), TEST(closeness), TEST(complex_comparisons), TEST(activations),
           TEST(special_errors))
