/*
 * Narrow operands give the results of the same numbers in f64, for every function of expressions. Each golden of one
 * call is evaluated with one operand, then all, in a narrower dtype, and again with the same numbers in f64. A
 * floating-point result must agree to the accuracy of its dtype. Thus integers do not wrap before conversion, and no
 * wide result is computed in a narrow dtype. Then each operand becomes a number outside u8, which must be exact or
 * refused by name.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/expression.h>
#include "array/dtype.h"
#include "expression/call.h"
#include "tests/support/samples/golden_inputs.h"
#include "tests/support/harness.h"
#include "tests/support/samples/parameters.h"
#include "tests/support/tree.h"

enum { MOST_RESULTS = 32, MOST_ELEMENTS = 4096, STARVED_STEP = 149 };
static int checked, wrong;

/* Functions without a golden, and goldens that use a function inside arithmetic. */
static const char *const calls[] = {
    "lerp(v, v, 0.5)",
    "lerp(x, y, y)",
    "skew(y)",
    "kurtosis(y)",
    "sem(y)",
    "mad(y)",
    "gmean(y)",
    "hmean(y)",
    "variation(y)",
    "zscore(y)",
    "trim_mean(y, 0.3)",
    "central_moment(y, 3)",
    "entropy(y)",
    "rankdata(y)",
    "autocovariance(v, 2)",
    "autocorrelation(v, 2)",
    "ecdf(v, w)",
    "kde(v, w)",
    "ttest_1samp(v, 1.5)",
    "ttest_ind(v, w)",
    "ttest_rel(x, y)",
    "pearsonr(x, y)",
    "spearmanr(x, y)",
    "f_oneway([v, w])",
    "cdist(x, y)",
    "cdist(x, y, \"sqeuclidean\")",
    "cdist(x, y, \"cityblock\")",
    "cdist(x, y, \"chebyshev\")",
    "cdist(x, y, \"cosine\")",
    "cdist(x, y, \"correlation\")",
    "cdist(x, y, \"canberra\")",
    "cdist(x, y, \"braycurtis\")",
    "pdist(y)",
    "spectrogram(v, 4)",
    "filter([1, 0.5], [1, -0.25], v)",
    "filter(w, [1, 0.25], v)",
    "filter_both([1, 0.5], [1, -0.25], v)",
    "interp(w, arange(7), v)",
    "interp_derivative(w, arange(7), v)",
    "interp_integral(0, w, arange(7), v)",
    "pdf(\"normal\", x, 1, y)",
    "cdf(\"gamma\", y, y)",
    "roots(w)",
    "simpson(y)",
    "romberg(w)",
    "cumulative_trapezoid(y)",
    "cumulative_trapezoid(x, y)",
    "split_rhat(x)",
    "levene([v, w])",
    "bartlett_test([v, w])",
    "kstest(v, \"normal\", 0, 1)",
    "jarque_bera(v)",
    "grid_sample(reshape(v, (1, 1, 7)), reshape(w, (1, 5, 1)))",
};

/* Permitted differences, with reasons. */
static const char *const excused[][2] = {
    {"erf", "a result in f32 or f16 overflows or rounds where that in f64 does not"},
    {"y=exp(", "the operand in f32 overflows where that in f64 does not"},
    {"eigh", "vectors of equal values are any basis"},
    {"sinm", "as ill-conditioned as the exponential of great numbers"},
    {"histogram(t", "edges are rounded to the dtype of the elements, as NumPy's are"},
    {"full_like", "the first operand is the one that says the dtype"},
    {"fill_diagonal(", "what is stored takes the dtype of the first operand"},
    {"insert(", "what is stored takes the dtype of the first operand"},
    {"max(x, y)", "a whole number is an axis"},
    {"cond(", "the matrix may be singular"},
};

struct sides {
    ty_tensor *values[GOLDEN_INPUTS], *results[MOST_RESULTS];
    int n;
};

/* Return true if the text is one call without arithmetic that is not excused. */
static bool is_call(const char *text) {
    static const char *const signs[] = {" * ", " + ",   " - ",  " @ ",  " % ", " / ",
                                        "**",  "cast(", "view", " // ", " << "};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strstr(text, signs[i])) return false;
    for (size_t i = 0; i < sizeof excused / sizeof *excused; i++)
        if (strstr(text, excused[i][0])) return false;
    return true;
}

/* Return extremes of an integer dtype and numbers in between, or fractions; in the shape of x. */
static ty_tensor *numbers_of(ty_dtype dtype, const ty_tensor *x) {
    int64_t n = ty_size(x);
    double data[MOST_ELEMENTS];
    bool whole = dtype_is(dtype, CLASS_INTEGER), is_signed = dtype_is(dtype, CLASS_SIGNED);
    double most = ldexp(1, 8 * (int)ty_dtype_size(dtype) - is_signed) - 1, least = is_signed ? -most - 1 : 0;
    double ends[] = {most, least, 3, most - 1, floor(most / 2) + 2, 1, least + 1, floor(most * 0.75)};
    for (int64_t k = 0; k < n && k < MOST_ELEMENTS; k++)
        data[k] = whole ? ends[(5 * k + k / 8) % 8] : (double)(test_between(1, 200)) / 192;
    return ty_cast(ty_from(TY_F64, ty_rank(x), ty_shape(x), data), dtype);
}

static bool may_narrow(const ty_tensor *x) { return dtype_is(ty_dtype_of(x), CLASS_INTEGER | CLASS_FLOAT); }

static bool uses(const char *text, const char *name) {
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
        bool begins = at == text || !strchr("abcdefghijklmnopqrstuvwxyz0123456789_\".", at[-1]);
        if (begins && !strchr("abcdefghijklmnopqrstuvwxyz0123456789_(=\"", at[1] ? at[1] : ' ')) return true;
    }
    return false;
}

static void evaluate(const char *text, const char **names, struct sides *s) {
    s->n = ty_expressions(text, GOLDEN_INPUTS, names, s->values, MOST_RESULTS, s->results);
    for (int i = 0; i < s->n && i < MOST_RESULTS; i++) s->results[i] = ty_eval(s->results[i]);
}

static double accuracy(ty_dtype dtype) {
    if (dtype_is(dtype, CLASS_INTEGER | CLASS_BOOL)) return 0;
    if (dtype == TY_F64 || dtype == TY_C128) return 1e-10;
    return dtype == TY_F32 || dtype == TY_C64 ? 2e-3 : 2e-2;
}

/* Return the greatest difference over the greatest modulus; infinity if shapes differ, or only one is
   finite. */
static double apart(ty_tensor *got, ty_tensor *want) {
    static double a[2 * MOST_ELEMENTS], b[2 * MOST_ELEMENTS];
    if (ty_rank(got) != ty_rank(want) || ty_size(got) != ty_size(want)) return INFINITY;
    int64_t n = ty_size(got);
    double least =
        ldexp(1, dtype_least_normal(dtype_table[ty_dtype_of(got)].real)); /* a narrow result may underflow */
    double far = 0, most = 0, greatest = dtype_greatest(dtype_table[ty_dtype_of(got)].real);
    if (n > MOST_ELEMENTS || !ty_read(got, TY_C128, (void *)a) || !ty_read(want, TY_C128, (void *)b))
        return 0;
    for (int64_t k = 0; k < 2 * n; k++) {
        bool floats = ty_dtype_of(got) >= TY_F16, vanishes = fabs(a[k]) < least && fabs(b[k]) < least;
        if (a[k] == b[k] || (isnan(a[k]) && isnan(b[k])) || (floats && (vanishes || fabs(b[k]) > greatest)))
            continue;
        if (!isfinite(a[k]) || !isfinite(b[k])) return INFINITY;
        far = fmax(far, fabs(a[k] - b[k]));
    }
    for (int64_t k = 0; k < 2 * n; k++) most = isfinite(b[k]) ? fmax(most, fabs(b[k])) : most;
    return far ? far / (most > 0 ? most : 1) : 0;
}

static void complain(const char *text, const char *name, const char *how, const ty_tensor *got, double far) {
    wrong++;
    if (test_starving()) return;
    printf("%s\n    %s is %s: ", text, name, how);
    if (ty_ok(got))
        printf("%s, %.2g apart\n", ty_dtype_name(ty_dtype_of(got)), far);
    else
        printf("%s\n", ty_error(got));
}

/* Compare operand k, or if k is past the last, all operands, in a dtype and in f64. */
static void narrowed(const char *text, ty_dtype dtype, int k) {
    const char *names[GOLDEN_INPUTS];
    struct sides narrow, wide;
    bool any = false;
    golden_inputs(names, narrow.values);
    wide = narrow;
    for (int i = 0; i < GOLDEN_INPUTS; i++) {
        if ((k < GOLDEN_INPUTS && i != k) || !may_narrow(narrow.values[i]) || !uses(text, names[i])) continue;
        narrow.values[i] = numbers_of(dtype, narrow.values[i]);
        wide.values[i] = ty_cast(narrow.values[i], TY_F64);
        any = true;
    }
    if (!any) return;
    evaluate(text, names, &narrow);
    evaluate(text, names, &wide);
    for (int i = 0; i < narrow.n && narrow.n == wide.n; i++) {
        ty_tensor *got = narrow.results[i], *want = wide.results[i];
        if (!ty_ok(got) || !ty_ok(want) || !dtype_is(ty_dtype_of(got), CLASS_FLOAT | CLASS_COMPLEX)) continue;
        double far = apart(got, want);
        checked++;
        if (far > accuracy(ty_dtype_of(got)))
            complain(text, k < GOLDEN_INPUTS ? names[k] : "all", ty_dtype_name(dtype), got, far);
    }
}

static void narrow_call(const char *text);

/* Apply f to each call of the goldens and of the table above. */
static void each_call(void (*f)(const char *text)) {
    char *lines = tree_text("tests/goldens/goldens.txt"), *line;
    const char *only = getenv("TY_TEST_ONLY");
    int n = 0;
    size_t further = 0;
    checked = wrong = 0;
    while (further < sizeof calls / sizeof *calls) {
        line = tree_line(&lines);
        const char *text = line ? tree_golden(line) : calls[further++];
        if (!text || !is_call(text) || (only && !strstr(text, only))) continue;
        int before = checked;
        if (n++ % (test_starving() ? STARVED_STEP : 1) == 0) f(text);
        CHECK(line || checked > before || f != narrow_call || test_starving(), "nothing comes of %s", text);
    }
}

static void narrow_call(const char *text) {
    static const ty_dtype dtypes[] = {TY_I8, TY_U8, TY_I16, TY_F32};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int k = 0; k <= GOLDEN_INPUTS; k++) {
            struct test_round round = test_round();
            narrowed(text, dtypes[d], k);
            test_round_end(round);
        }
}

static void narrow_is_wide(void) {
    each_call(narrow_call);
    CHECK(checked > 2000 || test_starving() || getenv("TY_TEST_ONLY"), "only %d results", checked);
    CHECK(wrong == 0 || test_starving(), "%d results differ", wrong);
}

/* ---- plain numbers ---- */

/* Return true if an error names the number and the dtype that it exceeds. */
static bool names_number(const ty_tensor *x, double number) {
    char words[64];
    snprintf(words, sizeof words, "the number %.17g does not fit u8", number);
    return strstr(ty_error(x), words) != NULL;
}

/* Compare operand k as the number with u8 operands, against all in f64. */
static void beside_number(const char *text, double number, int k) {
    const char *names[GOLDEN_INPUTS];
    struct sides narrow, wide;
    golden_inputs(names, narrow.values);
    if (!may_narrow(narrow.values[k]) || !uses(text, names[k])) return;
    for (int i = 0; i < GOLDEN_INPUTS; i++) {
        ty_tensor *x = narrow.values[i];
        wide.values[i] = x;
        if (!may_narrow(x)) continue;
        narrow.values[i] = ty_cast(ty_mod(ty_iota(TY_I64, ty_rank(x), ty_shape(x), 0), ty_int(4)), TY_U8);
        wide.values[i] = ty_cast(narrow.values[i], TY_F64);
    }
    narrow.values[k] = number == floor(number) ? ty_int((int64_t)number) : ty_num(number);
    wide.values[k] = ty_scalar(TY_F64, number);
    evaluate(text, names, &narrow);
    evaluate(text, names, &wide);
    for (int i = 0; i < narrow.n && narrow.n == wide.n; i++) {
        ty_tensor *got = narrow.results[i], *want = wide.results[i];
        if (!ty_ok(want)) continue;
        checked++;
        double far = ty_ok(got) ? apart(got, want) : names_number(got, number) ? 0 : INFINITY;
        char how[32];
        snprintf(how, sizeof how, "the number %g", number);
        if (far > (ty_ok(got) ? accuracy(ty_dtype_of(got)) : 0)) complain(text, names[k], how, got, far);
    }
}

static void number_call(const char *text) {
    static const double numbers[] = {300, -1, 0.5};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < GOLDEN_INPUTS; k++) {
            struct test_round round = test_round();
            beside_number(text, numbers[i], k);
            test_round_end(round);
        }
}

static void numbers_beside_arrays(void) {
    each_call(number_call);
    CHECK(checked > 500 || test_starving() || getenv("TY_TEST_ONLY"), "only %d results", checked);
    CHECK(wrong == 0 || test_starving(), "%d results differ", wrong);
}

/* ---- every function of several tensors, by the table of functions ---- */

enum { CALL = 1024, WALKED = 2 };
static const char *const walked_names[WALKED] = {"u", "k"};

/* Write f(a=u, b=k, ...): parameter `odd` is k, the other tensors u; -1: all are u. False if the function
   lacks that parameter, or another tensor. */
static bool call_of(const struct function *f, int odd, char text[CALL]) {
    char names[PARAMETERS][PARAMETER];
    const char *values[PARAMETERS], *words[PARAMETERS];
    int n = parameters_of(f->parameters, names, values, words), tensors = 0;
    size_t at = (size_t)snprintf(text, CALL, "%s(", f->name);
    for (int i = 0; i < n; i++) {
        bool tensor = !strcmp(values[i], "x"), key = !strcmp(names[i], "key");
        tensors += tensor && !key;
        if (i == odd && (!tensor || key)) return false;
        const char *value = key                            ? "key(1)"
                            : i == odd                     ? "k"
                            : tensor                       ? "u"
                            : !strcmp(values[i], "[x, x]") ? "[u, u]"
                                                           : values[i];
        at += (size_t)snprintf(text + at, CALL - at, "%s%s=%s", i ? ", " : "", names[i], value);
    }
    snprintf(text + at, CALL - at, ")");
    return odd < n && tensors > (odd >= 0);
}

/* Return false for permitted differences: stored numbers lose their fraction; edges have the elements'
   dtype, as in NumPy; a matrix of extremes may be singular. */
static bool is_walked(const char *text, double number) {
    static const char *const storing[] = {"full_like(", "insert(", "fill_diagonal(", "place_mask(", "pad("};
    for (size_t i = 0; i < sizeof storing / sizeof *storing && number == 0.5; i++)
        if (!strncmp(text, storing[i], strlen(storing[i]))) return false;
    return strncmp(text, "cond(", 5) && !(isnan(number) && !strncmp(text, "histogram(x=k", 13));
}

static void walk_one(const char *text, ty_tensor *const *narrow, ty_tensor *const *wide, double number) {
    ty_tensor *got[MOST_RESULTS], *want[MOST_RESULTS];
    if (!is_walked(text, number)) return;
    int n = ty_expressions(text, WALKED, walked_names, narrow, MOST_RESULTS, got);
    if (n != ty_expressions(text, WALKED, walked_names, wide, MOST_RESULTS, want)) return;
    for (int i = 0; i < n && i < MOST_RESULTS; i++) {
        got[i] = ty_eval(got[i]), want[i] = ty_eval(want[i]);
        if (!ty_ok(want[i]) || ty_size(want[i]) > MOST_ELEMENTS) continue;
        bool refused = !ty_ok(got[i]) && (isnan(number) || names_number(got[i], number));
        double far = ty_ok(got[i]) ? apart(got[i], want[i]) : refused ? 0 : INFINITY;
        checked++;
        if (far > (ty_ok(got[i]) ? accuracy(ty_dtype_of(got[i])) : 0))
            complain(text, "k", isnan(number) ? "f32" : "a number", got[i], far);
    }
}

/* Return a vector or matrix of small integers. */
static ty_tensor *mould(int which) {
    static const int64_t shapes[][2] = {{3}, {3, 3}};
    return ty_mod(ty_iota(TY_F64, which + 1, shapes[which], 0), ty_int(4));
}

static void each_function(void (*f)(const char *text, int which)) {
    char text[CALL];
    checked = wrong = 0;
    for (int i = 0; i < function_count; i += test_starving() ? STARVED_STEP : 1)
        for (int odd = 0; odd < PARAMETERS; odd++)
            for (int which = 0; which < 2; which++) {
                struct test_round round = test_round();
                if (call_of(&function_table[i], odd, text)) f(text, which);
                test_round_end(round);
            }
    CHECK(checked > 500 || test_starving(), "only %d results", checked);
    CHECK(wrong == 0 || test_starving(), "%d results differ", wrong);
}

static void walk_numbers(const char *text, int which) {
    static const double numbers[] = {300, -1, 0.5};
    ty_tensor *u = mould(which), *bytes = ty_cast(u, TY_U8);
    for (int i = 0; i < 3; i++) {
        ty_tensor *k = numbers[i] == floor(numbers[i]) ? ty_int((int64_t)numbers[i]) : ty_num(numbers[i]);
        ty_tensor *narrow[] = {bytes, k}, *wide[] = {u, ty_scalar(TY_F64, numbers[i])};
        walk_one(text, narrow, wide, numbers[i]);
    }
}

/* Compare sevenths in f32 and f64, which a computation in f32 would round at once. */
static void walk_floats(const char *text, int which) {
    ty_tensor *u = ty_div(ty_add(mould(which), ty_num(1)), ty_num(7)),
              *k = ty_cast(ty_mul(u, ty_num(1.7)), TY_F32);
    ty_tensor *narrow[] = {u, k}, *wide[] = {u, ty_cast(k, TY_F64)};
    walk_one(text, narrow, wide, NAN);
}

/* Integer extremes give correct floating-point results; integers may wrap. */
static void functions_of_integers(void) {
    char text[CALL];
    checked = wrong = 0;
    for (int i = 0; i < function_count; i += test_starving() ? STARVED_STEP : 1)
        for (int way = 0; way < 6; way++) {
            static const ty_dtype dtypes[] = {TY_I8, TY_U8, TY_I16};
            struct test_round round = test_round();
            ty_tensor *ends = numbers_of(dtypes[way / 2], mould(way % 2)), *narrow[] = {ends, ends}, *wide[2],
                      *got[MOST_RESULTS];
            wide[0] = wide[1] = ty_cast(ends, TY_F64);
            if (call_of(&function_table[i], -1, text)) {
                int n = ty_expressions(text, WALKED, walked_names, narrow, MOST_RESULTS, got);
                bool floats = n > 0;
                for (int k = 0; k < n && k < MOST_RESULTS; k++)
                    floats =
                        floats && ty_ok(got[k]) && dtype_is(ty_dtype_of(got[k]), CLASS_FLOAT | CLASS_COMPLEX);
                if (floats) walk_one(text, narrow, wide, NAN);
            }
            test_round_end(round);
        }
    CHECK(checked > 200 || test_starving(), "only %d results", checked);
    CHECK(wrong == 0 || test_starving(), "%d results differ", wrong);
}

static void functions_beside_numbers(void) { each_function(walk_numbers); }
static void functions_of_two_widths(void) { each_function(walk_floats); }

TESTS_MAIN(TEST(narrow_is_wide), TEST(numbers_beside_arrays), TEST(functions_beside_numbers),
           TEST(functions_of_two_widths), TEST(functions_of_integers))
