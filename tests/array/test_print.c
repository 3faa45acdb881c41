/*
 * Printing against NumPy 2.2: every expected text is the output of str(), or of np.array2string with options.
 */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "array/decimal.h"
#include "tests/support/harness.h"

static void same(ty_tensor *x, ty_print_options options, const char *want) {
    char *got = test_text(ty_format(x, options));
    CHECK(got, "no text for %s", want);
    CHECK(strcmp(got, want) == 0, "printed\n%s\nwant\n%s", got, want);
}

/* Numbers of one array in a dtype, and NumPy's text. */
struct row {
    ty_dtype dtype;
    int n;
    double values[6];
    const char *text;
};

static void check_rows(int n, const struct row *rows) {
    for (int i = 0; i < n; i++) {
        int64_t size = rows[i].n;
        struct test_round round = test_round();
        same(ty_cast(ty_from(TY_F64, 1, &size, rows[i].values), rows[i].dtype), (ty_print_options){0},
             rows[i].text);
        test_round_end(round);
    }
}
#define CHECK_ROWS(rows) check_rows((int)(sizeof(rows) / sizeof *(rows)), rows)

static void whole_numbers(void) {
    static const struct row rows[] = {
        {TY_BOOL, 2, {1, 1}, "[ True  True]"},       {TY_BOOL, 2, {0, 1}, "[False  True]"},
        {TY_I32, 3, {1, -20, 300}, "[  1 -20 300]"}, {TY_I8, 2, {-128, 127}, "[-128  127]"},
        {TY_U8, 3, {0, 7, 255}, "[  0   7 255]"},    {TY_U16, 1, {65535}, "[65535]"},
        {TY_I16, 2, {-5, -50}, "[ -5 -50]"},         {TY_U32, 2, {4294967295, 0}, "[4294967295          0]"},
    };
    CHECK_ROWS(rows);
    same(ty_from(TY_I64, TY_SHAPE(2), (int64_t[]){INT64_MIN, INT64_MAX}), (ty_print_options){0},
         "[-9223372036854775808  9223372036854775807]");
    same(ty_from(TY_U64, TY_SHAPE(2), (uint64_t[]){0, UINT64_MAX}), (ty_print_options){0},
         "[                   0 18446744073709551615]");
}

static void points_line_up(void) {
    static const struct row rows[] = {
        {TY_F64, 3, {1, 2.5, -3}, "[ 1.   2.5 -3. ]"},
        {TY_F64, 3, {1 / 3., 2 / 3., 1}, "[0.33333333 0.66666667 1.        ]"},
        {TY_F64, 2, {99999999, 1e5}, "[99999999.   100000.]"},
        {TY_F64, 2, {0.5, 500}, "[  0.5 500. ]"},
        {TY_F64, 3, {-0.0, 0, 1}, "[-0.  0.  1.]"},
        {TY_F32, 3, {0.1, 0.2, 0.3}, "[0.1 0.2 0.3]"},
        {TY_F32, 2, {1 / 3., 100 / 3.}, "[ 0.33333334 33.333332  ]"},
        {TY_F32, 1, {1e-4}, "[0.0001]"},
        {TY_F16, 2, {0.1, 0.5}, "[0.1 0.5]"},
        {TY_F16, 1, {65504}, "[65504.]"},
        {TY_BF16, 2, {0.1, 3}, "[0.1 3. ]"},
    };
    CHECK_ROWS(rows);
}

static void exponents(void) {
    static const struct row rows[] = {
        {TY_F64, 2, {1e-5, 1}, "[1.e-05 1.e+00]"},
        {TY_F64, 2, {1e8, 1}, "[1.e+08 1.e+00]"},
        {TY_F64, 2, {0.5, 500.5}, "[5.000e-01 5.005e+02]"},
        {TY_F64, 3, {1e100, 1e-5, 0}, "[1.e+100 1.e-005 0.e+000]"},
        {TY_F64, 2, {5e-324, 1.7976931348623157e308}, "[4.94065646e-324 1.79769313e+308]"},
        {TY_F32, 2, {1e-45, 3.4028235e38}, "[1.4012985e-45 3.4028235e+38]"},
        {TY_F32, 2, {1.23456789e10, 0.1}, "[1.2345679e+10 1.0000000e-01]"},
        {TY_F16, 3, {0.1, 65504, 1 / 3.}, "[9.998e-02 6.550e+04 3.333e-01]"},
        {TY_F16, 2, {0.1, 6e-8}, "[1.e-01 6.e-08]"},
    };
    CHECK_ROWS(rows);
}

static void not_numbers(void) {
    static const struct row rows[] = {
        {TY_F64, 3, {NAN, 1.5, INFINITY}, "[nan 1.5 inf]"},
        {TY_F64, 2, {-INFINITY, 0.25}, "[-inf 0.25]"},
        {TY_F64, 2, {10.25, -INFINITY}, "[10.25  -inf]"},
        {TY_F32, 2, {10.25, -INFINITY}, "[10.25  -inf]"},
        {TY_F64, 2, {-INFINITY, 100.5}, "[ -inf 100.5]"},
        {TY_F64, 2, {NAN, -10.25}, "[   nan -10.25]"},
        {TY_F64, 3, {INFINITY, -1.5, NAN}, "[ inf -1.5  nan]"},
        {TY_F64, 2, {1e20, -INFINITY}, "[1.e+20   -inf]"},
        {TY_F64, 2, {12345, -INFINITY}, "[12345.   -inf]"},
        {TY_F64, 2, {INFINITY, 0.125}, "[  inf 0.125]"},
        {TY_F64, 2, {-INFINITY, -INFINITY}, "[-inf -inf]"},
        {TY_F64, 3, {NAN, INFINITY, -INFINITY}, "[ nan  inf -inf]"},
        {TY_F32, 1, {NAN}, "[nan]"},
        {TY_F64, 3, {NAN, 1e-10, -INFINITY}, "[   nan 1.e-10   -inf]"},
    };
    CHECK_ROWS(rows);
}

static void complex_numbers(void) {
    static const double plain[] = {1, 2, -0.5, -1e-3, 0, 0}, special[] = {NAN, INFINITY, 1, -INFINITY};
    static const float thirds[] = {1 / 3.f, 1, 2, -1 / 3.f};
    ty_print_options o = {0};
    same(ty_from(TY_C128, TY_SHAPE(3), (const void *)plain), o, "[ 1. +2.e+00j -0.5-1.e-03j  0. +0.e+00j]");
    same(ty_from(TY_C64, TY_SHAPE(2), (const void *)thirds), o,
         "[0.33333334+1.j         2.        -0.33333334j]");
    same(ty_from(TY_C128, TY_SHAPE(2), (const void *)special), o, "[nan+infj  1.-infj]");
    same(ty_from(TY_C128, TY_SHAPE(1), (void *)(double[]){1e10, 1e-10}), o, "[1.e+10+1.e-10j]");
}

/* NumPy writes scalars in full precision, whatever the precision of arrays. */
static void single_numbers(void) {
    static const struct {
        ty_dtype dtype;
        double value;
        const char *text;
    } rows[] = {
        {TY_F64, 1, "1.0"},
        {TY_F64, 1 / 3., "0.3333333333333333"},
        {TY_F64, 1e16, "1e+16"},
        {TY_F64, 1e15, "1000000000000000.0"},
        {TY_F64, 1e-5, "1e-05"},
        {TY_F64, 1.5e-7, "1.5e-07"},
        {TY_F64, 123456789, "123456789.0"},
        {TY_F64, -0.0, "-0.0"},
        {TY_F64, NAN, "nan"},
        {TY_F64, -INFINITY, "-inf"},
        {TY_F64, 5e-324, "5e-324"},
        {TY_F32, 1 / 3., "0.33333334"},
        {TY_F32, 16777216e3, "16777216000.0"},
        {TY_F16, 0.1, "0.1"},
        {TY_BOOL, 1, "True"},
        {TY_BOOL, 0, "False"},
        {TY_I64, -7, "-7"},
        {TY_U8, 200, "200"},
    };
    static const struct {
        double z[2];
        const char *text;
    } complexes[] = {
        {{1, 2}, "(1+2j)"},
        {{0, 2}, "2j"},
        {{-0.0, 1}, "(-0+1j)"},
        {{1e20, -1e-9}, "(1e+20-1e-09j)"},
        {{0, 0}, "0j"},
        {{NAN, -INFINITY}, "(nan-infj)"},
        {{INFINITY, NAN}, "(inf+nanj)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        same(ty_scalar(rows[i].dtype, rows[i].value), (ty_print_options){0}, rows[i].text);
    for (size_t i = 0; i < sizeof complexes / sizeof *complexes; i++)
        same(ty_from(TY_C128, TY_SCALAR, (const void *)complexes[i].z), (ty_print_options){0},
             complexes[i].text);
    same(ty_scalar(TY_F64, 3.141592653589793), (ty_print_options){.precision = 3}, "3.142");
}

static void brackets(void) {
    ty_print_options o = {0};
    same(ty_from(TY_BOOL, TY_SHAPE(2, 2), (bool[]){1, 0, 1, 1}), o, "[[ True False]\n [ True  True]]");
    same(ty_reshape(ty_arange(TY_I64, 0, 12, 1), TY_SHAPE(2, 2, 3)), o,
         "[[[ 0  1  2]\n  [ 3  4  5]]\n\n [[ 6  7  8]\n  [ 9 10 11]]]");
    same(ty_reshape(ty_arange(TY_F64, 0, 8, 1), TY_SHAPE(2, 1, 2, 2)), o,
         "[[[[0. 1.]\n   [2. 3.]]]\n\n\n [[[4. 5.]\n   [6. 7.]]]]");
    int64_t deep[TY_MAX_RANK];
    char want[2 * TY_MAX_RANK + 2] = {0};
    for (int i = 0; i < TY_MAX_RANK; i++) deep[i] = 1;
    memset(want, '[', TY_MAX_RANK);
    want[TY_MAX_RANK] = '7';
    memset(want + TY_MAX_RANK + 1, ']', TY_MAX_RANK);
    same(ty_full(TY_I32, TY_MAX_RANK, deep, 7), o, want);
}

static void rows_wrap(void) {
    ty_print_options o = {0};
    same(ty_arange(TY_I64, 0, 30, 1), o,
         "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n 24 25 26 27 28 29]");
    same(ty_div(ty_arange(TY_F64, 0, 12, 1), ty_num(7)), o,
         "[0.         0.14285714 0.28571429 0.42857143 0.57142857 0.71428571\n"
         " 0.85714286 1.         1.14285714 1.28571429 1.42857143 1.57142857]");
    same(ty_reshape(ty_mul(ty_arange(TY_F64, 0, 24, 1), ty_num(12345.678)), TY_SHAPE(2, 12)), o,
         "[[     0.     12345.678  24691.356  37037.034  49382.712  61728.39\n"
         "   74074.068  86419.746  98765.424 111111.102 123456.78  135802.458]\n"
         " [148148.136 160493.814 172839.492 185185.17  197530.848 209876.526\n"
         "  222222.204 234567.882 246913.56  259259.238 271604.916 283950.594]]");
}

static void middle_is_elided(void) {
    ty_print_options o = {0};
    same(ty_arange(TY_I64, 0, 2000, 1), o, "[   0    1    2 ... 1997 1998 1999]");
    same(ty_arange(TY_I64, 0, 1001, 1), o, "[   0    1    2 ...  998  999 1000]");
    same(ty_reshape(ty_arange(TY_F64, 0, 10000, 1), TY_SHAPE(100, 100)), o,
         "[[0.000e+00 1.000e+00 2.000e+00 ... 9.700e+01 9.800e+01 9.900e+01]\n"
         " [1.000e+02 1.010e+02 1.020e+02 ... 1.970e+02 1.980e+02 1.990e+02]\n"
         " [2.000e+02 2.010e+02 2.020e+02 ... 2.970e+02 2.980e+02 2.990e+02]\n"
         " ...\n"
         " [9.700e+03 9.701e+03 9.702e+03 ... 9.797e+03 9.798e+03 9.799e+03]\n"
         " [9.800e+03 9.801e+03 9.802e+03 ... 9.897e+03 9.898e+03 9.899e+03]\n"
         " [9.900e+03 9.901e+03 9.902e+03 ... 9.997e+03 9.998e+03 9.999e+03]]");
    same(ty_reshape(ty_arange(TY_I64, 0, 1500, 1), TY_SHAPE(3, 500)), o,
         "[[   0    1    2 ...  497  498  499]\n"
         " [ 500  501  502 ...  997  998  999]\n"
         " [1000 1001 1002 ... 1497 1498 1499]]");
    if (sizeof(size_t) < 8) return; /* sizes that memory cannot address are refused */
    same(ty_broadcast(ty_ones(TY_F32, TY_SHAPE(1, 1)), TY_SHAPE(1 << 20, 1 << 20)),
         (ty_print_options){.edge_items = 1}, "[[1. ... 1.]\n ...\n [1. ... 1.]]");
}

static void options(void) {
    same(ty_arange(TY_I64, 0, 100, 1), (ty_print_options){.threshold = 10, .edge_items = 2},
         "[ 0  1 ... 98 99]");
    same(ty_reshape(ty_arange(TY_I64, 0, 49, 1), TY_SHAPE(7, 7)),
         (ty_print_options){.threshold = 5, .edge_items = 1}, "[[ 0 ...  6]\n ...\n [42 ... 48]]");
    same(ty_steps(TY_I64, 0, 1000, 10), (ty_print_options){.line_width = 20},
         "[   0 1000 2000\n 3000 4000 5000\n 6000 7000 8000\n 9000]");
    same(ty_steps(TY_F64, 0, 1e5, 3), (ty_print_options){.line_width = 5}, "[     0.\n 100000.\n 200000.]");
    same(ty_reshape(ty_arange(TY_I64, 0, 3000, 1), TY_SHAPE(2, 1500)), (ty_print_options){.line_width = 12},
         "[[   0\n     1\n     2 ...\n  1497\n  1498\n  1499]\n [1500\n  1501\n  1502 ...\n  2997\n  2998\n  "
         "2999]]");
    same(ty_from(TY_F64, TY_SHAPE(2), (double[]){3.141592653589793, 271.8281828459045}),
         (ty_print_options){.precision = 3}, "[  3.142 271.828]");
    same(ty_from(TY_F64, TY_SHAPE(2), (double[]){0.1, 1 / 3.}), (ty_print_options){.precision = 17},
         "[0.1                0.3333333333333333]");
    same(ty_from(TY_F64, TY_SHAPE(2), (double[]){0.06, 0.44}), (ty_print_options){.precision = 1},
         "[0.1 0.4]");
    same(ty_from(TY_F64, TY_SHAPE(2), (double[]){0.0005, 0.4}), (ty_print_options){.precision = 3},
         "[0.001 0.4  ]");
    same(ty_from(TY_F64, TY_SHAPE(2), (double[]){0.0005, 0.4}), (ty_print_options){.precision = 2},
         "[0.  0.4]");
}

static void modes(void) {
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(3), (double[]){0.1, 2.345678901234, -30});
    ty_tensor *small = ty_from(TY_F64, TY_SHAPE(2), (double[]){1e-6, 1}),
              *odd = ty_from(TY_F64, TY_SHAPE(3), (double[]){NAN, -INFINITY, 1});
    same(x, (ty_print_options){.precision = 3}, "[  0.1     2.346 -30.   ]");
    same(x, (ty_print_options){.precision = 3, .mode = TY_FIXED}, "[  0.100   2.346 -30.000]");
    same(x, (ty_print_options){.mode = TY_UNIQUE}, "[  0.1              2.345678901234 -30.            ]");
    same(x, (ty_print_options){.precision = 2, .mode = TY_MAXPREC_EQUAL}, "[  0.10   2.35 -30.00]");
    same(x, (ty_print_options){.precision = -1}, "[  0.   2. -30.]");
    same(small, (ty_print_options){.precision = 3}, "[1.e-06 1.e+00]");
    same(small, (ty_print_options){.precision = 3, .suppress = true}, "[0. 1.]");
    same(x, (ty_print_options){.precision = 2, .sign = '+'}, "[ +0.1   +2.35 -30.  ]");
    same(ty_abs(x), (ty_print_options){.precision = 2, .sign = ' '}, "[  0.1    2.35  30.  ]");
    same(ty_steps(TY_I32, -1, 1, 3), (ty_print_options){.sign = '+'}, "[-1 +0 +1]");
    same(ty_arange(TY_U8, 0, 2, 1), (ty_print_options){.sign = ' '}, "[ 0  1]");
    same(odd, (ty_print_options){.nan_text = "NaN", .inf_text = "oo"}, "[NaN -oo  1.]");
}

static void release_options(void *nothing) {
    (void)nothing;
    ty_set_print_options((ty_print_options){0});
}

static void options_of_the_thread(void) {
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(2), (double[]){1 / 3., NAN});
    char word[] = "missing";
    test_own(word, release_options);
    ty_set_print_options((ty_print_options){.precision = 3, .nan_text = word, .sign = '+'});
    word[0] = 'M'; /* the text was copied */
    same(x, (ty_print_options){0}, "[ +0.333 +missing]");
    same(x, (ty_print_options){.precision = 1, .sign = '-'}, "[    0.3 missing]");
    ty_print_options now;
    ty_print_options_now(&now);
    CHECK(now.precision == 3 && now.threshold == 1000 && now.sign == '+' && !strcmp(now.inf_text, "inf"),
          "other options");
    now.precision = 2;
    ty_set_print_options(now);
    same(x, (ty_print_options){0}, "[  +0.33 +missing]");
    ty_set_print_options((ty_print_options){0});
    same(x, (ty_print_options){0}, "[0.33333333        nan]");
}

static void views(void) {
    ty_print_options o = {0};
    ty_tensor *x = ty_reshape(ty_arange(TY_I32, 0, 6, 1), TY_SHAPE(2, 3));
    same(ty_transpose(x), o, "[[0 3]\n [1 4]\n [2 5]]");
    same(ty_flip(x, 1), o, "[[2 1 0]\n [5 4 3]]");
    same(ty_slice(x, 1, TY_END, TY_END, -2), o, "[[2 0]\n [5 3]]");
    same(ty_window(ty_arange(TY_I32, 0, 4, 1), 0, 2, 1, 1), o, "[[0 1]\n [1 2]\n [2 3]]");
    same(ty_flip(ty_arange(TY_I64, 0, 2000, 1), 0), o, "[1999 1998 1997 ...    2    1    0]");
}

static void nothing_to_show(void) {
    ty_print_options o = {0};
    same(ty_zeros(TY_F32, TY_SHAPE(0)), o, "[]");
    same(ty_zeros(TY_F32, TY_SHAPE(0, 3)), o, "[], shape=(0, 3)");
    same(ty_zeros(TY_I64, TY_SHAPE(2, 0, 5)), o, "[], shape=(2, 0, 5)");
}

static void promises_and_poison(void) {
    ty_print_options o = {0};
    ty_tensor *x = ty_var(ty_ones(TY_F64, TY_SHAPE(2, 2)), "x");
    same(ty_add(x, ty_num(2)), o, "[[3. 3.]\n [3. 3.]]");
    same(ty_track(ty_ones(TY_F64, TY_SHAPE(2)), "t"), o, "[1. 1.]");
    char *text = test_text(ty_format(ty_poison("bad: %d", 7), o));
    CHECK(text && strstr(text, "error: ") == text && (test_starving() || strcmp(text, "error: bad: 7") == 0),
          "%s", text);
    text = test_text(ty_format(ty_add(ty_ones(TY_F64, TY_SHAPE(3)), ty_ones(TY_F64, TY_SHAPE(4))), o));
    CHECK(text && strstr(text, "error: ") == text, "%s", text);
}

static void to_a_file(void) {
    char line[64] = {0};
    FILE *file = tmpfile();
    CHECK(file, "no temporary file");
    bool printed = ty_print(file, ty_arange(TY_I32, 0, 3, 1));
    rewind(file);
    char *read = fgets(line, sizeof line, file);
    fclose(file);
    CHECK(printed && read && strcmp(line, "[0 1 2]\n") == 0, "read \"%s\"", line);
    FILE *full = fopen("/dev/full", "w");
    if (!full) return;
    setvbuf(full, NULL, _IONBF, 0);
    printed = ty_print(full, ty_num(1));
    fclose(full);
    CHECK(!printed, "a full device is no failure");
}

/* The digits read back as the same number, and no shorter ones do. */
static void shortest_digits(void) {
    static const struct {
        ty_dtype dtype;
        int most;
    } rows[] = {{TY_F64, 17}, {TY_F32, 9}};
    char text[DECIMAL_MOST + 16];
    for (int i = 0; i < 20000; i++) {
        int which = i & 1;
        uint64_t bits = test_random();
        double x;
        memcpy(&x, &bits, sizeof x);
        if (which) x = (float)(x * pow(2, -900));
        if (!isfinite(x)) continue;
        struct decimal d;
        decimal_unique(&d, rows[which].dtype, x, 0, 100, false);
        snprintf(text, sizeof text, "%s%se%d", d.negative ? "-" : "", d.digits, d.exponent - d.count + 1);
        double back = which ? (double)strtof(text, NULL) : strtod(text, NULL);
        CHECK(back == x && d.count <= rows[which].most, "%a printed as %s", x, text);
        if (d.count < 2) continue;
        snprintf(text, sizeof text, "%.*e", d.count - 2, x);
        back = which ? (double)strtof(text, NULL) : strtod(text, NULL);
        CHECK(back != x, "%a is also %s", x, text);
    }
}

/* A locale with a decimal comma changes nothing. */
static void any_locale(void) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ru_RU.UTF-8", "de_DE"};
    bool set = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !set; i++)
        set = setlocale(LC_NUMERIC, names[i]) != NULL;
    char *text =
        test_text(ty_format(ty_from(TY_F64, TY_SHAPE(2), (double[]){1.5, 1e-9}), (ty_print_options){0}));
    setlocale(LC_NUMERIC, "C");
    CHECK(text && strcmp(text, "[1.5e+00 1.0e-09]") == 0, "printed %s", text);
}

TESTS_MAIN(TEST(whole_numbers), TEST(points_line_up), TEST(exponents), TEST(not_numbers),
           TEST(complex_numbers), TEST(single_numbers), TEST(brackets), TEST(rows_wrap),
           TEST(middle_is_elided), TEST(options), TEST(modes), TEST(options_of_the_thread), TEST(views),
           TEST(nothing_to_show), TEST(promises_and_poison), TEST(to_a_file), TEST(shortest_digits),
           TEST(any_locale))
