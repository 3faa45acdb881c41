/*
 * Extreme numbers: every complex entry on zeros of both signs, tiny and huge numbers, infinities and NaN, on each
 * instruction set against the reference's unrounded value. Floor division, remainders and sums of -0 are compared with
 * NumPy 2.4.
 */
#include <complex.h>
#include <math.h>

#include "base/machine/isa.h"
#include "engine/ref/ref.h"
#include "ops/core/elementwise.h"
#include "ops/core/row_id.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

enum { PARTS = 13, TUPLES = 15625 /* the greatest number: 5 parts of 3 operands */ };
static const double inf = (double)INFINITY, nan_ = (double)NAN;

/* Write the parts of operands: all for one operand, fewer for two, fewest for three. Returns their number. */
static int fill_parts(ty_dtype dtype, int arity, double *part) {
    bool wide = dtype == TY_C128;
    const double tiny = wide ? 1e-310 : (double)1e-40f, huge = wide ? 1e300 : (double)1e35f,
                 most = wide ? 0x1.fffffffffffffp1023 : (double)0x1.fffffep127f;
    const double one[] = {0.0, -0.0, tiny, -tiny, 1, -1, huge, -huge, most, -most, inf, -inf, nan_};
    const double two[] = {0.0, -0.0, -tiny, 1, -1, huge, -most, inf, nan_},
                 three[] = {-0.0, 1, huge, -inf, nan_};
    const double *from = arity == 1 ? one : arity == 2 ? two : three;
    int n = arity == 1 ? PARTS : arity == 2 ? 9 : 5;
    for (int i = 0; i < n; i++) part[i] = from[i];
    return n;
}
/* Write all tuples of complex numbers with these parts, operand k at in[k]; returns their number. */
static int64_t fill_operands(ty_dtype dtype, int arity, double (*in)[2 * TUPLES]) {
    double part[PARTS];
    int n = fill_parts(dtype, arity, part);
    int64_t count = 1;
    for (int k = 0; k < 2 * arity; k++) count *= n;
    for (int64_t i = 0; i < count; i++) {
        int64_t digits = i;
        for (int k = 0; k < 2 * arity; k++, digits /= n) in[k / 2][2 * i + k % 2] = part[digits % n];
    }
    return count;
}
static ty_tensor *operand(ty_dtype dtype, int64_t n, const double *from) {
    return ty_cast(ty_from(TY_C128, 1, &n, (const void *)from), dtype);
}

/*
 * Return true for entries with loose results. Their partial products may overflow where the sum does not, as in C's
 * annex G and NumPy, or large exponents lose their angle. Nonfinite results need only be nonfinite, and signs of zeros
 * are ignored. Annex G counts a number with an infinite and a NaN part as infinite, NumPy as NaN.
 */
static bool is_loose(enum row_id row) {
    return row == ROW_mul || row == ROW_square || row == ROW_squared_difference || row == ROW_fma ||
           row == ROW_pow;
}

struct place {
    enum row_id row;
    ty_dtype dtype;
    bool has_parts;     /* complex numbers, where one part may vanish next to the other */
    double ulps, least; /* least: the smallest number of the dtype */
    long double most;   /* from this value on, numbers round to infinity */
};
/* Return true if a part is close to `want`, relative to a number of that size. */
static bool is_near(const struct place *p, long double want, double got, long double size) {
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got);
    if (fabsl(want) >= p->most || isinf(got))
        return isinf(got) && fabsl(want) >= p->most * 0.999L && (got > 0) == (want > 0);
    if (want == 0 && got == 0) return !signbit(got) == !signbit(want);
    if (isnan(size) || size >= p->most) return true; /* next to an infinity */
    long double unit = size * (p->dtype == TY_C64 ? 0x1p-23L : 0x1p-52L);
    return fabsl(got - want) <= (long double)p->ulps * unit + 2 * (long double)p->least;
}
static bool is_right(const struct place *p, long double _Complex want, double _Complex got) {
    long double size = cabsl(want);
    bool finite = size < p->most;
    if (!p->has_parts) return is_near(p, creall(want), creal(got), fabsl(creall(want)));
    if (is_loose(p->row)) {
        bool found = isfinite(creal(got)) && isfinite(cimag(got));
        if (!finite || !found) return found == finite || (found && size >= 0.999L * p->most);
        return cabsl(got - want) <= (long double)p->ulps * size * (p->dtype == TY_C64 ? 0x1p-23L : 0x1p-52L) +
                                        4 * (long double)p->least;
    }
    return is_near(p, creall(want), creal(got), size) && is_near(p, cimagl(want), cimag(got), size);
}

static double _Complex number_at(ty_tensor *y, int64_t i) {
    ty_dtype dtype = ty_dtype_of(y);
    struct element e = element_load(dtype, (const char *)ty_data(y) + (size_t)i * dtype_table[dtype].size);
    return dtype_is(dtype, CLASS_FLOAT | CLASS_COMPLEX) ? (double _Complex)e.z : (double)e.i;
}
static void check_row(enum row_id row, ty_dtype dtype, int64_t n, ty_tensor *const *x) {
    const struct op *op = &row_ops[row];
    ty_tensor *y = CHECK_OK(elementwise(row, op->arity, x));
    ty_dtype out = ty_dtype_of(y);
    struct place p = {row,
                      dtype,
                      dtype_is(out, CLASS_COMPLEX),
                      fmax(1, row_table[row].error.complex_ulps),
                      dtype == TY_C64 ? 0x1p-149 : 0x1p-1074,
                      dtype == TY_C64 ? 0x1.ffffffp127L : 0x1.fffffffffffff8p1023L};
    for (int64_t i = 0; i < n; i++) {
        struct instr instr = {.op = op, .in = dtype, .out = out, .src = {0, 1, 2}};
        struct element registers[3];
        for (int k = 0; k < op->arity; k++) registers[k].z = (long double _Complex)number_at(x[k], i);
        struct element want = ref_instr_exact(&instr, registers);
        double _Complex got = number_at(y, i);
        bool truth = out == TY_BOOL, well = truth ? (got != 0) == (want.i != 0) : is_right(&p, want.z, got);
        double _Complex a = number_at(x[0], i), b = op->arity > 1 ? number_at(x[1], i) : 0;
        CHECK(well, "%s %s %s of %g%+gi, %g%+gi is %g%+gi, not %Lg%+Lgi", op->name, ty_dtype_name(dtype),
              isa_name(isa_current()), creal(a), cimag(a), creal(b), cimag(b), creal(got), cimag(got),
              truth ? (long double)want.i : creall(want.z), truth ? 0 : cimagl(want.z));
    }
}
/* Limit exponents: large ones have no angle left even in 64 bits. */
static void limit_exponents(ty_dtype dtype, int64_t n, double *b) {
    double huge = dtype == TY_C128 ? 1e200 : 1e30;
    for (int64_t i = 0; i < 2 * n; i++)
        if (fabs(b[i]) > huge) b[i] = copysign(isinf(b[i]) ? 0.5 : 2, b[i]);
}
static void check_dtype(ty_dtype dtype, int arity) {
    double(*in)[2 * TUPLES] = test_room(3 * sizeof *in);
    for (int row = 0; row < ROWS; row++) {
        bool takes = (int)row_table[row].in & CLASS_COMPLEX && row_table[row].in != CHOICE;
        if (!takes || row_ops[row].arity != arity || row % test_some(1, 3, 9)) continue;
        struct test_round round = test_round();
        int64_t n = fill_operands(dtype, arity, in);
        if (test_starving() && n > 64) n = 64; /* the reference is slow */
        if (row == ROW_pow) limit_exponents(dtype, n, in[1]);
        ty_tensor *x[3] = {NULL};
        for (int k = 0; k < arity; k++) x[k] = operand(dtype, n, in[k]);
        for (int isa = 0; isa <= (int)isa_best(); isa++) {
            isa_force((enum isa)isa);
            check_row((enum row_id)row, dtype, n, x);
        }
        isa_force(isa_best());
        test_round_end(round);
    }
}
static void complex_one(void) {
    check_dtype(TY_C64, 1);
    check_dtype(TY_C128, 1);
}
static void complex_two(void) {
    check_dtype(TY_C64, 2);
    check_dtype(TY_C128, 2);
}
static void complex_three(void) {
    check_dtype(TY_C64, 3);
    check_dtype(TY_C128, 3);
}

/* Values of C's annex G or NumPy, and deviations from NumPy. */
static const struct known {
    enum row_id row;
    double a[2], b[2], want[2];
} known[] = {
    /* to 16 digits by mpmath; NumPy rounds v log 2 before argument reduction */
    {ROW_exp2, {0, 1e8}, {0}, {0.998850287648724, 0.04793853214337448}},
    {ROW_exp2, {0, 1e300}, {0}, {0.8594143636362208, -0.5112797195036681}},
    {ROW_exp2, {1, -1e300}, {0}, {1.7188287272724416, 1.0225594390073362}},
    {ROW_exp2, {0, 9007199254740992}, {0}, {-0.977791803189783, 0.209578600088064}},
    {ROW_exp2, {-1, 0.75}, {0}, {0.43394427146566715, 0.24837948639557845}},
    {ROW_exp2, {-2000, 3}, {0}, {-0.0, 0.0}},
    {ROW_exp2, {3, -0.0}, {0}, {8, -0.0}},
    {ROW_div, {1e300, 1e300}, {1e-10, 0}, {INFINITY, INFINITY}},
    {ROW_div, {1e300, 1e300}, {1e300, 1e300}, {1, 0}},
    {ROW_div, {1e-310, 1e-310}, {1e-310, -1e-310}, {0, 1}},
    {ROW_div, {1e-310, 0x1.fffffffffffffp1023}, {1, 0}, {1e-310, 0x1.fffffffffffffp1023}},
    {ROW_div,
     {0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023},
     {0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023},
     {0, 1}},
    {ROW_div, {1, 1}, {INFINITY, 0}, {0, 0}},
    {ROW_div, {1, 1}, {INFINITY, INFINITY}, {0, 0}}, /* annex G; NumPy: NaN */
    {ROW_div,
     {INFINITY, 1},
     {2, 0},
     {INFINITY, 0.5}}, /* parts over a real number; NumPy: NaN next to infinity */
    {ROW_div, {-INFINITY, NAN}, {1, 1}, {-INFINITY, INFINITY}}, /* annex G; NumPy: NaN */
    {ROW_div, {1, -1}, {0, 0}, {INFINITY, -INFINITY}},
    {ROW_div, {1, -1}, {-0.0, 0}, {-INFINITY, INFINITY}}, /* annex G; NumPy loses the sign of zero */
    {ROW_recip, {-2, -0.0}, {0}, {-0.5, 0.0}},
    {ROW_recip, {2, 0.0}, {0}, {0.5, -0.0}},
    {ROW_recip, {1e-310, 0.0}, {0}, {INFINITY, -0.0}}, /* NumPy: NaN next to infinity */
    {ROW_recip, {0, 0x1p-1074}, {0}, {0, -INFINITY}},
    {ROW_recip, {INFINITY, 3}, {0}, {0, -0.0}},
    {ROW_sign, {INFINITY, -2}, {0}, {1, 0}},
    {ROW_sign, {2, -INFINITY}, {0}, {0, -1}},
    {ROW_sign, {-INFINITY, NAN}, {0}, {-1, 0}},
    {ROW_sign, {INFINITY, INFINITY}, {0}, {NAN, NAN}},
    {ROW_sign, {-0.0, -0.0}, {0}, {0.0, 0.0}},
    {ROW_sign, {0x1p-1074, 0x1p-1074}, {0}, {0.7071067811865476, 0.7071067811865476}}, /* NumPy: 1+1j */
    {ROW_expm1, {1000, -0.0}, {0}, {INFINITY, -0.0}}, /* cexp's value; NumPy: infinity times zero */
    {ROW_expm1, {-0.0, -0.0}, {0}, {-0.0, -0.0}},
    {ROW_expm1, {1e-20, -0.0}, {0}, {1e-20, -0.0}},
    {ROW_expm1, {-INFINITY, 1}, {0}, {-1, 0}},
    {ROW_log1p, {-0.0, -0.0}, {0}, {-0.0, -0.0}}, /* NumPy takes the logarithm of the rounded sum */
    {ROW_log1p, {1e-10, -0.0}, {0}, {9.9999999995e-11, -0.0}},
    {ROW_log1p,
     {0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023},
     {0},
     {710.1292864836639, 0.7853981633974483}},
    {ROW_sqrt, {-1, -0.0}, {0}, {0, -1}},
    {ROW_log, {-1, -0.0}, {0}, {0, -3.141592653589793}},
    {ROW_atanh, {1, 0.0}, {0}, {INFINITY, 0.0}},
    {ROW_tanh, {INFINITY, 1}, {0}, {1, 0}},
    {ROW_pow, {0, 0}, {0, 0}, {1, 0}},
    {ROW_pow, {NAN, 1}, {0, 0}, {1, 0}},
    {ROW_pow, {0, 0}, {-1, 0}, {NAN, NAN}},
    {ROW_pow, {0, -0.0}, {0, 1}, {NAN, NAN}},
    {ROW_pow, {-0.0, 0}, {0.5, 1}, {0, 0}},
    {ROW_pow, {3, 4}, {1, 0}, {3, 4}},
    {ROW_pow, {3, 4}, {2, 0}, {-7, 24}},
    {ROW_pow, {3, 4}, {-1, 0}, {0.12, -0.16}},
};
/* Return true if a part agrees: NaN has no sign, and a 0 next to another part may be the rounding error of
   a fused product. */
static bool is_part(double got, double want, double other) {
    if (isnan(want)) return isnan(got);
    if (want == 0 && got != 0) return fabs(got) <= 0x1p-53 * fabs(other) && isfinite(other);
    if (isinf(want) || want == 0) return got == want && !signbit(got) == !signbit(want);
    return fabs(got - want) <= 2e-15 * fabs(want);
}
static void check_known(const struct known *k, const char *engine) {
    struct test_round round = test_round();
    int64_t one = 1;
    ty_tensor *x[] = {ty_from(TY_C128, 1, &one, (const void *)k->a),
                      ty_from(TY_C128, 1, &one, (const void *)k->b)};
    ty_use_engine(engine);
    ty_tensor *y = CHECK_OK(elementwise(k->row, row_ops[k->row].arity, x));
    double _Complex got = number_at(y, 0);
    ty_use_engine("cpu");
    bool well = is_part(creal(got), k->want[0], k->want[1]) && is_part(cimag(got), k->want[1], k->want[0]);
    CHECK(well, "%s of %g%+gi, %g%+gi on %s is %.17g%+.17gi, not %.17g%+.17gi", row_ops[k->row].name, k->a[0],
          k->a[1], k->b[0], k->b[1], engine, creal(got), cimag(got), k->want[0], k->want[1]);
    test_round_end(round);
}
static void known_ends(void) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        check_known(&known[i], "ref");
        check_known(&known[i], "cpu");
    }
}

/* a, b, a // b, a mod b, fmod(a, b), exact in all dtypes: NumPy's, but a // b of infinite a is the array API
   standard's. */
static const double divisions[][5] = {{-5, INFINITY, -1, INFINITY, -5},
                                      {5, -INFINITY, -1, -INFINITY, 5},
                                      {5, INFINITY, 0.0, 5, 5},
                                      {-5, -INFINITY, 0.0, -5, -5},
                                      {0.0, INFINITY, 0.0, 0.0, 0.0},
                                      {-0.0, INFINITY, -0.0, 0.0, -0.0},
                                      {0.0, -INFINITY, -0.0, -0.0, 0.0},
                                      {INFINITY, 2, INFINITY, NAN, NAN},
                                      {-INFINITY, 2, -INFINITY, NAN, NAN},
                                      {INFINITY, -0.5, -INFINITY, NAN, NAN},
                                      {-INFINITY, -0.5, INFINITY, NAN, NAN},
                                      {INFINITY, 0.0, INFINITY, NAN, NAN},
                                      {INFINITY, -0.0, -INFINITY, NAN, NAN},
                                      {-INFINITY, INFINITY, NAN, NAN, NAN},
                                      {1, 0.0, INFINITY, NAN, NAN},
                                      {-1, 0.0, -INFINITY, NAN, NAN},
                                      {1, -0.0, -INFINITY, NAN, NAN},
                                      {0.0, 0.0, NAN, NAN, NAN},
                                      {-0.0, 2, -0.0, 0.0, -0.0},
                                      {0.0, -2, -0.0, -0.0, 0.0},
                                      {-0.0, -2, 0.0, -0.0, -0.0},
                                      {7, 2, 3, 1, 1},
                                      {-7, 2, -4, 1, -1},
                                      {7, -2, -4, -1, 1},
                                      {-7, -2, 3, -1, -1},
                                      {6, -2, -3, -0.0, 0.0},
                                      {-6, 2, -3, 0.0, -0.0},
                                      {NAN, 1, NAN, NAN, NAN},
                                      {1, NAN, NAN, NAN, NAN},
                                      {0.25, -4, -1, -3.75, 0.25},
                                      {-0.25, 4, -1, 3.75, -0.25},
                                      {-0.25, -4, 0.0, -0.25, -0.25}};
enum { DIVISIONS = sizeof divisions / sizeof *divisions };

static void check_divisions(ty_dtype dtype) {
    double column[5][DIVISIONS];
    static const enum row_id rows[] = {ROW_floor_div, ROW_mod, ROW_fmod};
    int64_t n = DIVISIONS;
    for (int i = 0; i < DIVISIONS; i++)
        for (int k = 0; k < 5; k++) column[k][i] = divisions[i][k];
    ty_tensor *x[2];
    for (int k = 0; k < 2; k++) x[k] = ty_cast(ty_from(TY_F64, 1, &n, column[k]), dtype);
    for (int k = 0; k < 3; k++)
        compare_bits(elementwise(rows[k], 2, x), ty_cast(ty_from(TY_F64, 1, &n, column[2 + k]), dtype),
                     "%s %s", row_ops[rows[k]].name, ty_dtype_name(dtype));
}
static const ty_dtype floats[] = {TY_F16, TY_BF16, TY_F32, TY_F64};
static void all_divisions(void) {
    for (int i = 0; i < 4; i += test_some(1, 1, 3)) check_divisions(floats[i]);
}

/* Sums start from 0, as in NumPy; cumulative sums from the first element. */
static void check_sum(ty_dtype dtype, int64_t rows, int64_t columns) {
    struct test_round round = test_round();
    ty_tensor *x = ty_full(dtype, TY_SHAPE(rows, columns), -0.0);
    for (int axis = 0; axis < 2; axis++) {
        ty_tensor *sum = ty_real(ty_sum(x, ty_axes_of(1, &axis, false)));
        CHECK(ty_item(ty_any(ty_signbit(sum), TY_ALL)) == 0, "a sum of -0 along axis %d of %d x %d %s is -0",
              axis, (int)rows, (int)columns, ty_dtype_name(dtype));
        ty_tensor *run = ty_real(ty_cumsum(x, axis, (ty_running){0}));
        CHECK(ty_item(ty_all(ty_signbit(run), TY_ALL)) == 1, "a running sum of -0 is 0");
    }
    CHECK(ty_item(ty_signbit(ty_real(ty_sum(x, TY_ALL)))) == 0, "a sum of -0 is -0");
    ty_tensor *ones = ty_ones(dtype, TY_SHAPE(rows, columns));
    for (int axis = 0; axis < 2; axis++) {
        ty_tensor *before = ty_real(ty_cumsum(ones, axis, (ty_running){.exclusive = true}));
        CHECK(ty_item(ty_any(ty_signbit(before), TY_ALL)) == 0, "the sum of nothing before the first is -0");
    }
    test_round_end(round);
}
static void all_sums(void) {
    static const ty_dtype dtypes[] = {TY_F16, TY_BF16, TY_F32, TY_F64, TY_C64, TY_C128};
    static const int64_t sizes[][2] = {{1, 1}, {1, 16}, {3, 2}, {8, 64}, {16, 33}, {40, 100}, {3, 5000}};
    for (int d = 0; d < 6; d += test_some(1, 1, 4))
        for (int s = 0; s < 7; s += test_some(1, 1, 7)) check_sum(dtypes[d], sizes[s][0], sizes[s][1]);
}

static void on_all(void (*check)(void)) {
    ty_use_engine("ref");
    check();
    ty_use_engine("cpu");
    for (int isa = 0; isa <= (int)isa_best(); isa += test_some(1, 1, ISA_COUNT)) {
        isa_force((enum isa)isa);
        check();
    }
    isa_force(isa_best());
}
static void division_ends(void) { on_all(all_divisions); }
static void sums_of_minus_zero(void) { on_all(all_sums); }

TESTS_MAIN(TEST(complex_one), TEST(complex_two), TEST(complex_three), TEST(known_ends), TEST(division_ends),
           TEST(sums_of_minus_zero))
