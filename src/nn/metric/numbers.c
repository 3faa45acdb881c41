/* Metrics of regression and of binary scores. */
#include <math.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "nn/metric/metric.h"
#include "ops/core/structure.h"

ty_tensor *metric_sum(ty_tensor *x) { return ty_sum(ty_cast(x, TY_F64), TY_ALL); }
ty_tensor *metric_pair(ty_tensor *a, ty_tensor *b) { return ty_stack(2, (ty_tensor *[]){a, b}, 0); }
ty_tensor *metric_shares(struct metric_hits hits) {
    return metric_pair(metric_sum(hits.right), metric_sum(hits.counts));
}
ty_tensor *metric_share(ty_tensor *c) { return ty_div(ty_at(c, "0"), ty_at(c, "1")); }

/* ---- regression ---- */

/* Check that predictions and targets are real and have one shape. Return poison, or NULL if they do. */
static ty_tensor *check_numbers(ty_tensor *x, ty_tensor *t) {
    ty_tensor *both[] = {x, t};
    int rank = ty_rank(x);
    if (dtype_is(ty_dtype_of(x), CLASS_COMPLEX) || dtype_is(ty_dtype_of(t), CLASS_COMPLEX))
        return refuse("batch", 2, both, E_DTYPE, "complex dtypes are not supported; use ty_real or ty_abs");
    if (rank != ty_rank(t) || (rank && memcmp(ty_shape(x), ty_shape(t), sizeof(int64_t) * (size_t)rank)))
        return refuse("batch", 2, both, E_SHAPE, "predictions and targets must have the same shape");
    return NULL;
}

static ty_tensor *how_many(ty_tensor *x) { return ty_scalar(TY_F64, (double)ty_size(x)); }

ty_tensor *metric_means(ty_tensor *x, ty_tensor *t, int how) {
    ty_tensor *bad = check_numbers(x, t);
    if (bad) return bad;
    ty_tensor *d = ty_sub(ty_cast(x, TY_F64), ty_cast(t, TY_F64));
    return metric_pair(metric_sum(how == METRIC_SQUARE ? ty_square(d) : ty_abs(d)), how_many(x));
}

ty_tensor *metric_moments(ty_tensor *x, ty_tensor *t) {
    ty_tensor *bad = check_numbers(x, t);
    if (bad) return bad;
    x = ty_cast(x, TY_F64), t = ty_cast(t, TY_F64);
    ty_tensor *mean = ty_size(x) ? ty_mean(t, TY_ALL) : ty_scalar(TY_F64, 0);
    ty_tensor *four[] = {how_many(x), mean, metric_sum(ty_square(ty_sub(t, mean))),
                         metric_sum(ty_square(ty_sub(x, t)))};
    return ty_stack(4, four, 0);
}

/* Return the moments [4] of two sets together from those of each, a and b: count, mean, sum of squared
   deviations, sum of squared errors. Avoids the cancellation of a mean of squares (Chan, Golub, LeVeque
   1983). */
ty_tensor *metric_joined(ty_tensor *a, ty_tensor *b) {
    ty_tensor *n = ty_at(a, "0"), *m = ty_at(b, "0"), *total = ty_max(ty_add(n, m), ty_num(1));
    ty_tensor *apart = ty_sub(ty_at(b, "1"), ty_at(a, "1")), *share = ty_div(m, total);
    ty_tensor *mean = ty_add(ty_at(a, "1"), ty_mul(apart, share));
    ty_tensor *between = ty_mul(ty_mul(ty_square(apart), n), share);
    ty_tensor *squares = ty_add(ty_add(ty_at(a, "2"), ty_at(b, "2")), between);
    return ty_stack(4, (ty_tensor *[]){ty_add(n, m), mean, squares, ty_add(ty_at(a, "3"), ty_at(b, "3"))}, 0);
}

/* Return R squared, 0-d, from moments c [4], of which c[2] is the targets' sum of squared deviations and
   c[3] the sum of squared errors. NaN if the targets do not vary: there is no variance to explain. */
ty_tensor *metric_explained(ty_tensor *c) {
    ty_tensor *squares = ty_at(c, "2"), *r2 = ty_sub(ty_num(1), ty_div(ty_at(c, "3"), squares));
    return ty_where(ty_eq(squares, ty_num(0)), ty_num((double)NAN), r2);
}

/* ---- binary scores ---- */

ty_tensor *metric_histogram(ty_tensor *x, ty_tensor *t, const ty_metric_options *o) {
    ty_tensor *bad = check_numbers(x, t);
    int64_t bins = o->bins ? o->bins : 1000;
    if (bad) return bad;
    if (bins < 1 || bins > 1 << 24)
        return ty_poison_code(E_ARGUMENT, "%lld bins; expected 1 to 2^24", (long long)bins);
    ty_tensor *place = ty_floor(ty_mul(ty_cast(x, TY_F64), ty_num((double)bins)));
    place = ty_cast(ty_clip(place, ty_num(0), ty_num((double)(bins - 1))), TY_I64);
    place = ty_add(place, ty_mul(ty_cast(ty_ne(t, ty_int(0)), TY_I64), ty_int(bins)));
    ty_tensor *ones = ty_full_of(ty_scalar(TY_F64, 1), 1, (int64_t[]){ty_size(x)});
    return ty_reshape(ty_scatter_add(ones, ty_ravel(place), 0, 2 * bins), 2, (int64_t[]){2, bins});
}

/* Return the area under the ROC curve, 0-d, from a histogram c [2, bins] of negatives and positives: the
   share of pairs in which a positive beats a negative. It beats the negatives of lower bins, and half of
   those in its own. */
ty_tensor *metric_binned_auc(ty_tensor *c) {
    ty_tensor *no = ty_at(c, "0"), *yes = ty_at(c, "1");
    ty_tensor *below = ty_cumsum(no, 0, (ty_running){.exclusive = true});
    ty_tensor *won = ty_sum(ty_mul(yes, ty_add(below, ty_mul(no, ty_num(0.5)))), TY_ALL);
    return ty_div(won, ty_mul(ty_sum(no, TY_ALL), ty_sum(yes, TY_ALL)));
}

/* Check scores and labels: vectors of one length, scores real. Return poison that begins with `name`, or
   NULL if so. */
static ty_tensor *check_scores(const char *name, ty_tensor *x, ty_tensor *t) {
    ty_tensor *both[] = {x, t}, *bad = first_poison_in(name, 2, both);
    if (bad) return bad;
    if (ty_rank(x) != 1 || ty_rank(t) != 1 || ty_shape(x)[0] != ty_shape(t)[0])
        return refuse(name, 2, both, E_SHAPE, "scores and labels must be vectors of one length");
    if (dtype_is(ty_dtype_of(x), CLASS_COMPLEX)) return refuse(name, 2, both, E_DTYPE, "scores must be real");
    return NULL;
}

static ty_tensor *yes_of(ty_tensor *t) { return ty_cast(ty_ne(t, ty_int(0)), TY_F64); }

/* Return x, or NaN if a score is NaN: such a score has no place among the others. */
static ty_tensor *if_ordered(ty_tensor *scores, ty_tensor *x) {
    return ty_where(ty_any(ty_ne(scores, scores), TY_ALL), ty_num((double)NAN), x);
}

/* Return the area under the ROC curve, f64 [], of scores [n] and labels [n], 0 for negatives: from the
   ranks of the positives, averaged over equal scores (Mann and Whitney 1947). NaN unless there are
   positives and negatives; poison if operands do not fit. */
ty_tensor *ty_roc_auc(ty_tensor *scores, ty_tensor *labels) {
    ty_tensor *bad = check_scores("roc_auc", scores, labels);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    ty_tensor *sorted = ty_sort(scores, 0, false), *yes = yes_of(labels);
    ty_tensor *ends = ty_add(ty_searchsorted(sorted, scores, false), ty_searchsorted(sorted, scores, true));
    ty_tensor *rank = ty_mul(ty_cast(ty_add(ends, ty_int(1)), TY_F64), ty_num(0.5));
    ty_tensor *n = ty_sum(yes, TY_ALL), *others = ty_sub(how_many(scores), n);
    ty_tensor *least = ty_mul(ty_mul(n, ty_add(n, ty_num(1))), ty_num(0.5));
    ty_tensor *won = ty_sub(ty_sum(ty_mul(yes, rank), TY_ALL), least);
    return leave_as("roc_auc", scope, scores, if_ordered(scores, ty_div(won, ty_mul(n, others))));
}

ty_tensor *ty_roc_curve(ty_tensor *scores, ty_tensor *labels) {
    FLOATING_DEFAULT;
    ty_tensor *bad = check_scores("roc_curve", scores, labels);
    if (bad) return bad;
    int64_t n = ty_size(scores);
    if (!n) return refuse("roc_curve", 1, &scores, E_SHAPE, "there are no scores");
    ty_scope *scope = ty_open();
    ty_tensor *order = ty_argsort(ty_neg(ty_cast(scores, TY_F64)), 0, false);
    ty_tensor *s = ty_cast(ty_take(scores, order, 0), TY_F64), *yes = ty_take(yes_of(labels), order, 0);
    /* the last of each run of equal scores */
    ty_tensor *turns = ty_ne(ty_slice(s, 0, 0, n - 1, 1), ty_slice(s, 0, 1, n, 1)),
              *last = ty_ones(TY_BOOL, 1, (int64_t[]){1});
    ty_tensor *ends = ty_squeeze(ty_nonzero(ty_concat(2, (ty_tensor *[]){turns, last}, 0)), 0);
    ty_tensor *right = ty_take(ty_cumsum(yes, 0, (ty_running){0}), ends, 0), *all = ty_sum(yes, TY_ALL);
    ty_tensor *wrong = ty_sub(ty_cast(ty_add(ends, ty_int(1)), TY_F64), right);
    ty_tensor *columns[] = {if_ordered(scores, ty_div(wrong, ty_sub(ty_num((double)n), all))),
                            if_ordered(scores, ty_div(right, all)), ty_take(s, ends, 0)};
    ty_tensor *first = ty_from(TY_F64, 2, (int64_t[]){1, 3}, (double[]){0, 0, INFINITY});
    ty_tensor *rows[] = {first, ty_stack(3, columns, 1)};
    return leave_as("roc_curve", scope, scores, ty_concat(2, rows, 0));
}

/* Return the average precision, f64 [], of scores [n] and labels [n], 0 for negatives: the mean, over the
   positives, of the precision at the threshold of their score. NaN without positives; poison if operands
   do not fit. */
ty_tensor *ty_average_precision(ty_tensor *scores, ty_tensor *labels) {
    ty_tensor *bad = check_scores("average_precision", scores, labels);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    ty_tensor *order = ty_argsort(scores, 0, false), *yes = ty_take(yes_of(labels), order, 0);
    ty_tensor *sorted = ty_take(scores, order, 0), *from = ty_searchsorted(sorted, sorted, false);
    ty_tensor *before = ty_take(ty_cumsum(yes, 0, (ty_running){.exclusive = true}), from, 0);
    ty_tensor *n = ty_sum(yes, TY_ALL), *hits = ty_sub(n, before);
    ty_tensor *said = ty_sub(how_many(scores), ty_cast(from, TY_F64));
    ty_tensor *total = ty_sum(ty_mul(yes, ty_div(hits, said)), TY_ALL);
    return leave_as("average_precision", scope, scores, if_ordered(scores, ty_div(total, n)));
}
