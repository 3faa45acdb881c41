/* What rows of metrics.def are made of. */
#ifndef NN_METRIC_METRIC_H
#define NN_METRIC_METRIC_H
#include <tyto/nn.h>
#include "nn/option.h"

/* An example that counts, and one that is right: bool or f64, of the labels' shape. */
struct metric_hits {
    ty_tensor *right, *counts;
};
struct metric_hits metric_hits(ty_tensor *x, ty_tensor *t, const ty_metric_options *o);
struct metric_hits metric_hits_of_k(ty_tensor *x, ty_tensor *t, const ty_metric_options *o);
/* (2): sums of both; and what share the first is of the second. */
ty_tensor *metric_shares(struct metric_hits hits);
ty_tensor *metric_share(ty_tensor *c);

/* (C,C): how often each pair of a true and a predicted label occurs. */
ty_tensor *metric_pairs(ty_tensor *x, ty_tensor *t, const ty_metric_options *o);
/* Of each class (wt + wp) hits / (wt truths + wp predictions), averaged. */
ty_tensor *metric_of_classes(ty_tensor *c, double truths, double predictions, const ty_metric_options *o);
ty_tensor *metric_kappa(ty_tensor *c);
ty_tensor *metric_matthews(ty_tensor *c);

enum { METRIC_ABSOLUTE, METRIC_SQUARE };
ty_tensor *metric_means(ty_tensor *x, ty_tensor *t, int how);
/* (4): how many, the mean of t, squared distances from it, squared distances of x. */
ty_tensor *metric_moments(ty_tensor *x, ty_tensor *t);
ty_tensor *metric_explained(ty_tensor *c);
/* Both of two such states. */
ty_tensor *metric_joined(ty_tensor *a, ty_tensor *b);
ty_tensor *metric_surprise(ty_tensor *x, ty_tensor *t, const ty_metric_options *o);

/* (2,bins): how many negatives and positives have scores in each bin. */
ty_tensor *metric_histogram(ty_tensor *x, ty_tensor *t, const ty_metric_options *o);
ty_tensor *metric_binned_auc(ty_tensor *c);

/* f64 sums of real numbers. */
ty_tensor *metric_sum(ty_tensor *x);
ty_tensor *metric_pair(ty_tensor *a, ty_tensor *b);
#endif
