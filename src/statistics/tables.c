/* Tests of counts: Pearson's chi-squared test and Fisher's exact test. */
#include <tyto/control.h>
#include <tyto/index.h>
#include "statistics/sample.h"
#include "base/options.h"

ty_test ty_chisquare_sized(ty_tensor *observed, ty_tensor *expected, int axis, const ty_test_options *given,
                           size_t given_size) {
    OPTIONS_PARTS(ty_test, ty_test_options, o, given, given_size);
    int n = expected ? 2 : 1;
    struct study s =
        study_options(study_lines("chisquare", n, (T[]){observed, expected}, n, axis, 1, STUDY_PAIRED), o);
    double freedom = (double)s.size[0] - 1 - o.ddof;
    if (!s.bad && !(o.ddof >= 0 && freedom > 0))
        s = study_refuse(
            s, E_ARGUMENT,
            "%lld counts and %g estimated parameters leave %g degrees of freedom; expected more than 0",
            (long long)s.size[0], o.ddof, freedom);
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    T usual = expected ? s.x[1] : line_mean(s.x[0]);
    T statistic = ty_sum(over(ty_square(minus(s.x[0], usual)), usual), last_axis);
    return study_test(&s, statistic, chi2_p(statistic, number(freedom)), number(freedom), NULL);
}

/* Open a study of tables [.., rows, columns]; positive `rows` and `columns` are required sizes, 0: any. Sets
   s.size[0] and [1] to the sizes. On failure its `bad` is poison, in the name of function `name`. */
static struct study table_open(const char *name, T table, int64_t rows, int64_t columns, ty_test_options o) {
    struct study s = study_open(name, 1, &table, 1);
    int rank = s.bad ? 0 : ty_rank(table);
    const int64_t *shape = s.bad ? NULL : ty_shape(table);
    if (s.bad) return s;
    if (rank < 2)
        s = study_refuse(s, E_ARGUMENT, "a tensor of %d axes; expected at least two, rows and columns", rank);
    else if (rows && (shape[rank - 2] != rows || shape[rank - 1] != columns))
        s = study_refuse(s, E_SHAPE, "a table of %lld rows and %lld columns; expected %lld by %lld",
                         (long long)shape[rank - 2], (long long)shape[rank - 1], (long long)rows,
                         (long long)columns);
    else if (shape[rank - 2] < 1 || shape[rank - 1] < 1)
        s = study_refuse(s, E_SHAPE, "a table of %lld rows and %lld columns is empty",
                         (long long)shape[rank - 2], (long long)shape[rank - 1]);
    else {
        s.size[0] = shape[rank - 2];
        s.size[1] = shape[rank - 1];
    }
    return study_options(s, o);
}

ty_test ty_chi2_contingency_sized(ty_tensor *table, const ty_test_options *given, size_t given_size) {
    OPTIONS_PARTS(ty_test, ty_test_options, o, given, given_size);
    struct study s = table_open("chi2_contingency", table, 0, 0, o);
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    ty_axes all = ty_axes_of(2, (int[]){-1, -2}, true), rows = ty_axes_of(1, (int[]){-2}, true);
    T seen = s.x[0], expected = over(times(ty_sum(seen, rows), ty_sum(seen, last_kept)), ty_sum(seen, all));
    double freedom = (double)(s.size[0] - 1) * (double)(s.size[1] - 1);
    T differ = ty_abs(minus(seen, expected));
    if (freedom == 1 && o.continuity >= 0) differ = minus(differ, ty_min(differ, N(0.5)));
    all.keep = false;
    T statistic = ty_sum(over(ty_square(differ), expected), all);
    T p = freedom > 0 ? chi2_p(statistic, number(freedom)) : plus(times(statistic, N(0)), N(1));
    return study_test(&s, statistic, p, number(freedom), NULL);
}

/* ---- Fisher ---- */

enum { AT_ONCE = 256 };
/* All tables with these marginal sums, which differ in their first count, from `least` to `most`. */
struct hypergeometric {
    T row, other, column, least, most; /* sums of rows, of the first column, and bounds: [.., 1] */
    T at, log_at, log_mode;            /* observed count and its log weight; log weight of the mode */
    ty_alternative alternative;
};

static T log_choices(T n, T k) {
    T one = N(1);
    return minus(ty_lgamma(plus(n, one)), plus(ty_lgamma(plus(k, one)), ty_lgamma(plus(minus(n, k), one))));
}

static T log_weight(const struct hypergeometric *h, T count) {
    return plus(log_choices(h->row, count), log_choices(h->other, minus(h->column, count)));
}

static T is_left(void *context, T const *carry) {
    const struct hypergeometric *h = context;
    return ty_any(ty_le(plus(h->least, carry[0]), h->most), TY_ALL);
}

/* Loop body, whose context is a struct hypergeometric: one step of the sum in Fisher's test, over the next
   AT_ONCE counts. carry[] and next[] hold: counts done, sum of weights, sum of weights at least as extreme as
   the observed one. Weights are relative to the mode's. */
static void add_weights(void *context, T const *carry, T *next) {
    const struct hypergeometric *h = context;
    T count = plus(plus(h->least, carry[0]), counted(AT_ONCE)), inside = ty_le(count, h->most);
    T logs = log_weight(h, ty_min(count, h->most));
    T weight = ty_where(inside, ty_exp(minus(logs, h->log_mode)), N(0));
    T extreme = h->alternative == TY_LESS      ? ty_le(count, h->at)
                : h->alternative == TY_GREATER ? ty_ge(count, h->at)
                                               : ty_le(logs, plus(h->log_at, N(1e-7)));
    next[0] = plus(carry[0], number(AT_ONCE));
    next[1] = plus(carry[1], ty_sum(weight, last_kept));
    next[2] = plus(carry[2], ty_sum(ty_where(extreme, weight, N(0)), last_kept));
}

/* Return element (row, column), from 0, of each table [.., rows, columns], as [.., 1], with a last axis for
   trial counts. */
static T cell(T table, int row, int column) {
    return ty_expand(ty_get(table, TY_ITEMS(TY_DOTS, TY_AT(row), TY_AT(column))), -1);
}

ty_test ty_fisher_exact_sized(ty_tensor *table, const ty_test_options *given, size_t given_size) {
    OPTIONS_PARTS(ty_test, ty_test_options, o, given, given_size);
    struct study s = table_open("fisher_exact", table, 2, 2, o);
    if (s.bad) return study_test(&s, NULL, NULL, NULL, NULL);
    T whole = ty_all(both(ty_ge(s.x[0], N(0)), ty_eq(s.x[0], ty_floor(s.x[0]))),
                     ty_axes_of(2, (int[]){-1, -2}, false));
    T counts = ty_where(ty_expand(ty_expand(whole, -1), -1), s.x[0], N(0));
    T a = cell(counts, 0, 0), b = cell(counts, 0, 1), c = cell(counts, 1, 0), d = cell(counts, 1, 1);
    struct hypergeometric h = {.row = plus(a, b), .other = plus(c, d), .column = plus(a, c), .at = a};
    h.alternative = o.alternative;
    h.least = ty_max(minus(h.column, h.other), N(0));
    h.most = ty_min(h.row, h.column);
    T mode = ty_floor(over(times(plus(h.column, N(1)), plus(h.row, N(1))), plus(plus(h.row, h.other), N(2))));
    h.log_at = log_weight(&h, a);
    h.log_mode = log_weight(&h, mode);
    T zero = times(a, N(0)), sums[] = {number(0), zero, zero};
    ty_while(is_left, add_weights, &h, 3, sums, 0, sums, NULL);
    T p = ty_squeeze(ty_min(over(sums[2], sums[1]), N(1)), -1);
    T odds = ty_squeeze(over(times(a, d), times(b, c)), -1);
    T empty = ty_logical_or(ty_logical_or(ty_eq(h.row, N(0)), ty_eq(h.other, N(0))),
                            ty_logical_or(ty_eq(h.column, N(0)), ty_eq(plus(b, d), N(0))));
    odds = ty_where(ty_squeeze(empty, -1), N((double)NAN), odds);
    T nan = N((double)NAN);
    return study_test(&s, ty_where(whole, odds, nan), ty_where(whole, p, nan), NULL, NULL);
}
