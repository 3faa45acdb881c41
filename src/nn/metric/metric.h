/* Functions of which the entries of metrics.def are composed. In all, x are predictions and t targets;
   errors are poison. */
#ifndef NN_METRIC_METRIC_H
#define NN_METRIC_METRIC_H
#include <tyto/nn.h>
#include "nn/option.h"

/* Masks of correct examples and of examples that count, bool or f64, in the labels' shape. */
struct metric_hits {
    ty_tensor *right, *counts;
};
/* Compare the class of the largest score in x, or the predicted label x, with the label t. Returned masks
   are poison if operands do not fit. */
struct metric_hits metric_hits(ty_tensor *x, ty_tensor *t, const ty_metric_options *o);
/* Return masks: the label t is among the o->k largest scores in x [..., C], by default 5; the label counts.
   Poison if operands do not fit. */
struct metric_hits metric_hits_of_k(ty_tensor *x, ty_tensor *t, const ty_metric_options *o);
/* Return f64 [2]: the numbers of correct examples and of examples that count. */
ty_tensor *metric_shares(struct metric_hits hits);
/* Return c[0] / c[1] of such a pair of sums, 0-d. */
ty_tensor *metric_share(ty_tensor *c);

/* Return the confusion matrix f64 [C, C]: counts by true label t (rows) and predicted label (columns), of
   scores or labels x. Poison if operands do not fit or C is unknown. */
ty_tensor *metric_pairs(ty_tensor *x, ty_tensor *t, const ty_metric_options *o);
/* Return (wt + wp) hits / (wt truths + wp predictions) per class of a confusion matrix c [C, C], where wt is
   `truths` and wp `predictions`. The options choose [C] or an average. */
ty_tensor *metric_of_classes(ty_tensor *c, double truths, double predictions, const ty_metric_options *o);
/* Return Cohen's kappa, 0-d, of a confusion matrix c [C, C]; NaN if agreement by chance is certain. */
ty_tensor *metric_kappa(ty_tensor *c);
/* Return the Matthews correlation, 0-d, of a confusion matrix c [C, C], 0 if undefined. */
ty_tensor *metric_matthews(ty_tensor *c);

enum { METRIC_ABSOLUTE, METRIC_SQUARE };
/* Return f64 [2]: sum of absolute or squared differences x - t, as `how` says (METRIC_ABSOLUTE or
   METRIC_SQUARE), and their number. Poison if operands do not fit. */
ty_tensor *metric_means(ty_tensor *x, ty_tensor *t, int how);
/* Return f64 [4]: count, mean of targets t, sum of squared deviations of t from it, sum of squared errors
   of x. Poison if operands do not fit. */
ty_tensor *metric_moments(ty_tensor *x, ty_tensor *t);
/* Return R squared from the moments c of metric_moments; NaN if the targets do not vary. */
ty_tensor *metric_explained(ty_tensor *c);
/* Combine a and b, the moments of two sets as metric_moments returns them, into those of both. */
ty_tensor *metric_joined(ty_tensor *a, ty_tensor *b);
/* Return f64 [2]: the sum of cross entropies of logits x and labels t, and the number of labels that are
   not ignored. Poison if operands do not fit. */
ty_tensor *metric_surprise(ty_tensor *x, ty_tensor *t, const ty_metric_options *o);

/* Return f64 [2, o->bins]: counts of negatives and of positives (t is not 0) by score x, clamped to 0..1;
   bins 0: 1000. Poison if operands do not fit. */
ty_tensor *metric_histogram(ty_tensor *x, ty_tensor *t, const ty_metric_options *o);
/* Return the area under the ROC curve from the histogram c [2, bins] of metric_histogram; NaN without
   positives or negatives. */
ty_tensor *metric_binned_auc(ty_tensor *c);

/* Return the sum of all elements of x, real or bool, in f64. */
ty_tensor *metric_sum(ty_tensor *x);
/* Stack two scalars as a vector [a, b]. */
ty_tensor *metric_pair(ty_tensor *a, ty_tensor *b);
#endif
