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
/* Compare the class of the largest score, or the predicted label, with the label. */
struct metric_hits metric_hits(ty_tensor *x, ty_tensor *t, const ty_metric_options *o);
/* True where the label is among the o->k largest scores, by default 5. */
struct metric_hits metric_hits_of_k(ty_tensor *x, ty_tensor *t, const ty_metric_options *o);
/* Return [2]: sums of both masks. */
ty_tensor *metric_shares(struct metric_hits hits);
/* Return c[0] / c[1] of such sums. */
ty_tensor *metric_share(ty_tensor *c);

/* Return the confusion matrix [C, C]: counts by true label (rows) and predicted label (columns). */
ty_tensor *metric_pairs(ty_tensor *x, ty_tensor *t, const ty_metric_options *o);
/* Return (wt + wp) hits / (wt truths + wp predictions) per class of a confusion matrix c [C, C], where wt is
   `truths` and wp `predictions`. The options choose [C] or an average. */
ty_tensor *metric_of_classes(ty_tensor *c, double truths, double predictions, const ty_metric_options *o);
/* Return Cohen's kappa of a confusion matrix [C, C]. */
ty_tensor *metric_kappa(ty_tensor *c);
/* Return the Matthews correlation of a confusion matrix [C, C], 0 if undefined. */
ty_tensor *metric_matthews(ty_tensor *c);

enum { METRIC_ABSOLUTE, METRIC_SQUARE };
/* Return [2]: sum of absolute or squared differences, and their number. */
ty_tensor *metric_means(ty_tensor *x, ty_tensor *t, int how);
/* Return [4]: count, mean of t, sum of squared deviations of t from it, sum of squared errors of x. */
ty_tensor *metric_moments(ty_tensor *x, ty_tensor *t);
/* Return R squared from such moments; NaN if the targets do not vary. */
ty_tensor *metric_explained(ty_tensor *c);
/* Combine the moments of two sets. */
ty_tensor *metric_joined(ty_tensor *a, ty_tensor *b);
/* Return [2]: sum of cross entropies, and the number of labels that are not ignored. */
ty_tensor *metric_surprise(ty_tensor *x, ty_tensor *t, const ty_metric_options *o);

/* Return [2, o->bins]: counts of negatives and of positives by score in 0..1; bins 0: 1000. */
ty_tensor *metric_histogram(ty_tensor *x, ty_tensor *t, const ty_metric_options *o);
/* Return the area under the ROC curve from such a histogram. */
ty_tensor *metric_binned_auc(ty_tensor *c);

/* Return the sum of real numbers in f64. */
ty_tensor *metric_sum(ty_tensor *x);
/* Stack two scalars as [2]. */
ty_tensor *metric_pair(ty_tensor *a, ty_tensor *b);
#endif
