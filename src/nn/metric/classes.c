/* Metrics of classification. */
#include <string.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "nn/loss/loss.h"
#include "nn/metric/metric.h"
#include "ops/index/index.h"

/* Set *scores to true if x are scores [..., C] of integer labels t [...], to false if x are integer labels
   of t's shape, and return NULL; else return poison. */
static ty_tensor *check(ty_tensor *x, ty_tensor *t, bool *scores) {
    ty_tensor *both[] = {x, t};
    int rank = ty_rank(x);
    if (!dtype_is(ty_dtype_of(t), CLASS_INTEGER))
        return refuse("batch", 2, both, E_DTYPE, "labels must be of an integer dtype, not %s",
                      ty_dtype_name(ty_dtype_of(t)));
    *scores = rank > 0 && loss_is_without(t, x, rank - 1);
    bool equal =
        rank == ty_rank(t) && (!rank || !memcmp(ty_shape(x), ty_shape(t), sizeof(int64_t) * (size_t)rank));
    if (!*scores && !(equal && dtype_is(ty_dtype_of(x), CLASS_INTEGER)))
        return refuse("batch", 2, both, E_SHAPE,
                      "predictions must be scores (..., C) of labels (...), or labels of the same shape");
    if (*scores && dtype_is(ty_dtype_of(x), CLASS_COMPLEX))
        return refuse("batch", 2, both, E_DTYPE, "scores must be real");
    return *scores && ty_shape(x)[rank - 1] == 0 ? refuse("batch", 2, both, E_SHAPE, "there are no classes")
                                                 : NULL;
}

static ty_tensor *counts_of(ty_tensor *t, const ty_metric_options *o) {
    return o->ignores ? ty_ne(t, ty_int(o->ignored))
                      : ty_full_of(ty_scalar(TY_BOOL, 1), ty_rank(t), ty_shape(t));
}

/* Return labels t as i64, where the bool `counts` is false replaced by 0; others outside 0..classes-1 are a
   fault when computed. */
static ty_tensor *labels_of(ty_tensor *t, ty_tensor *counts, int64_t classes) {
    return labels_checked(ty_where(counts, ty_cast(t, TY_I64), ty_int(0)), classes);
}

static struct metric_hits nothing(ty_tensor *bad) { return (struct metric_hits){bad, bad}; }

struct metric_hits metric_hits(ty_tensor *x, ty_tensor *t, const ty_metric_options *o) {
    bool scores = false;
    ty_tensor *bad = check(x, t, &scores);
    if (bad) return nothing(bad);
    ty_tensor *counts = counts_of(t, o);
    ty_tensor *said = scores ? ty_argmax(x, ty_axis(-1)) : x;
    ty_tensor *label = scores ? labels_of(t, counts, ty_shape(x)[ty_rank(x) - 1]) : t;
    return (struct metric_hits){ty_logical_and(counts, ty_eq(said, label)), counts};
}

/* Test if labels t [..] are among the o->k largest scores x [.., C], by default 5; the result has the hits
   and the examples that count. A label's rank is the number of larger scores, and of equal ones of lower
   classes. An example whose own score is NaN is wrong. Poison if operands do not fit. */
struct metric_hits metric_hits_of_k(ty_tensor *x, ty_tensor *t, const ty_metric_options *o) {
    bool scores = false;
    ty_tensor *bad = check(x, t, &scores);
    if (!bad && !scores)
        bad = refuse("batch", 2, (ty_tensor *[]){x, t}, E_SHAPE, "top_k expects scores (..., C)");
    if (bad) return nothing(bad);
    int64_t classes = ty_shape(x)[ty_rank(x) - 1], k = o->k ? o->k : 5;
    ty_tensor *counts = counts_of(t, o), *label = ty_expand(labels_of(t, counts, classes), -1);
    ty_tensor *own = ty_take_along_axis(x, label, -1), *place = ty_iota(TY_I64, 1, &classes, 0);
    ty_tensor *before = ty_logical_or(ty_gt(x, own), ty_logical_and(ty_eq(x, own), ty_lt(place, label)));
    ty_tensor *rank = ty_sum(ty_cast(before, TY_I64), ty_axis(-1)), *known = ty_squeeze(ty_eq(own, own), -1);
    ty_tensor *right = ty_logical_and(known, ty_lt(rank, ty_int(k)));
    return (struct metric_hits){ty_logical_and(counts, right), counts};
}

/* Return the confusion matrix f64 [C, C], rows by true labels t, columns by predictions x (labels or
   scores), by one scatter into C * C counts. Poison if operands do not fit or C is unknown. */
ty_tensor *metric_pairs(ty_tensor *x, ty_tensor *t, const ty_metric_options *o) {
    bool scores = false;
    ty_tensor *bad = check(x, t, &scores);
    int64_t classes = o->classes ? o->classes : scores && !bad ? ty_shape(x)[ty_rank(x) - 1] : 0;
    if (!bad && (classes < 1 || classes > 1 << 15))
        bad = refuse("batch", 2, (ty_tensor *[]){x, t}, E_ARGUMENT,
                     "%lld classes; set their number in the options, 1 to 32768", (long long)classes);
    if (bad) return bad;
    ty_tensor *counts = counts_of(t, o), *said = scores ? ty_argmax(x, ty_axis(-1)) : x;
    ty_tensor *row = labels_of(t, counts, classes), *column = labels_of(said, counts, classes);
    ty_tensor *place = ty_ravel(ty_add(ty_mul(row, ty_int(classes)), column));
    ty_tensor *sums = ty_scatter_add(ty_ravel(ty_cast(counts, TY_F64)), place, 0, classes * classes);
    return ty_reshape(sums, 2, (int64_t[]){classes, classes});
}

/* Return a / b elementwise, 0 where b is not positive. */
static ty_tensor *ratio(ty_tensor *a, ty_tensor *b) {
    ty_tensor *some = ty_gt(b, ty_num(0));
    return ty_where(some, ty_div(a, ty_where(some, b, ty_num(1))), ty_num(0));
}

static ty_tensor *all(ty_tensor *x) { return ty_sum(x, TY_ALL); }
static ty_tensor *truths_of(ty_tensor *c) { return ty_sum(c, ty_axis(1)); }
static ty_tensor *predictions_of(ty_tensor *c) { return ty_sum(c, ty_axis(0)); }

ty_tensor *metric_of_classes(ty_tensor *c, double truths, double predictions, const ty_metric_options *o) {
    ty_tensor *truth = truths_of(c), *said = predictions_of(c);
    ty_tensor *hits = ty_mul(ty_diagonal(c, 0, 1), ty_num(truths + predictions));
    ty_tensor *of = ty_add(ty_mul(truth, ty_num(truths)), ty_mul(said, ty_num(predictions)));
    ty_tensor *each = ratio(hits, of), *present = ty_cast(ty_gt(ty_add(truth, said), ty_num(0)), TY_F64);
    switch (o->average) {
    case TY_AVERAGE_NONE:
        return each;
    case TY_AVERAGE_MICRO:
        return ratio(all(hits), all(of));
    case TY_AVERAGE_WEIGHTED:
        return ty_div(all(ty_mul(each, truth)), all(truth));
    default:
        return ty_div(all(each), all(present));
    }
}

ty_tensor *metric_kappa(ty_tensor *c) {
    ty_tensor *n = all(c), *right = ty_div(all(ty_diagonal(c, 0, 1)), n);
    ty_tensor *chance = ty_div(all(ty_mul(truths_of(c), predictions_of(c))), ty_square(n));
    return ty_div(ty_sub(right, chance), ty_sub(ty_num(1), chance));
}

ty_tensor *metric_matthews(ty_tensor *c) {
    ty_tensor *n = all(c), *truth = truths_of(c), *said = predictions_of(c), *square = ty_square(n);
    ty_tensor *both = ty_sub(ty_mul(all(ty_diagonal(c, 0, 1)), n), all(ty_mul(truth, said)));
    ty_tensor *a = ty_sub(square, all(ty_square(truth))), *b = ty_sub(square, all(ty_square(said)));
    return ratio(both, ty_sqrt(ty_mul(a, b)));
}

ty_tensor *metric_surprise(ty_tensor *x, ty_tensor *t, const ty_metric_options *o) {
    ty_loss_options options = {.reduction = TY_LOSS_SUM, .ignores = o->ignores, .ignored = o->ignored};
    ty_tensor *total = ty_loss_cross_entropy(ty_cast(x, TY_F64), t, options);
    if (!ty_ok(total)) return total;
    ty_tensor *counts = ty_ne(t, ty_int(o->ignores ? o->ignored : -100));
    return metric_pair(total, metric_sum(counts));
}
