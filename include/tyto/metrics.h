/*
 * Metrics: how good predictions are, in numbers for people.  Part of <tyto/nn.h>.
 *
 *   double right = ty_item(ty_metric_accuracy(scores, labels, (ty_metric_options){0}));
 *
 * Over batches a state, a tensor of f64, is carried from each to the next, eagerly or as a variable of a program:
 *
 *   state = ty_metric_add(TY_METRIC_accuracy, state, scores, labels, options);
 *   value = ty_metric_value(TY_METRIC_accuracy, state, options);
 *
 * Values are those of all examples together, however they were cut into batches (sums are of f64, so exact for counts).
 * Scores are real, labels integers of the shape of the scores without the last axis.
 */
#ifndef TYTO_METRICS_H
#define TYTO_METRICS_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What becomes of a number of each class; classes that neither occur nor are predicted are left out of MACRO. */
typedef enum ty_class_average {
    TY_AVERAGE_MACRO,    /* the mean */
    TY_AVERAGE_MICRO,    /* of all examples alike, whatever their class */
    TY_AVERAGE_WEIGHTED, /* the mean weighted by how many examples are of the class */
    TY_AVERAGE_NONE,     /* one by one, (C) */
    TY_AVERAGES
} ty_class_average;

/* Zeros are the defaults in brackets. */
typedef struct ty_metric_options {
    int64_t
        classes;  /* [the scores' last axis]; needed where predictions are labels, and for ty_metric_state */
    int64_t k;    /* [5] */
    double beta;  /* [1] */
    int64_t bins; /* [1000] */
    ty_class_average average;
    bool ignores; /* whether examples with the label `ignored` count for nothing */
    int64_t ignored;
} ty_metric_options;

typedef enum ty_metric {
#define METRIC(name, shape, count, value, doc) TY_METRIC_##name,
#include <tyto/metrics.def>
    TY_METRICS
} ty_metric;
/* By name ("f_score"); TY_METRICS: there is none. */
TY_API ty_metric ty_metric_named(const char *name);

/* Of all examples at once. */
#define METRIC(name, shape, count, value, doc)                                                               \
    TY_API ty_tensor *ty_metric_##name(ty_tensor *prediction, ty_tensor *target, ty_metric_options options);
#include <tyto/metrics.def>

/* The state before the first batch, zeros; with one more batch; and what it means. */
TY_API ty_tensor *ty_metric_state(ty_metric metric, ty_metric_options options);
TY_API ty_tensor *ty_metric_add(ty_metric metric, ty_tensor *state, ty_tensor *prediction, ty_tensor *target,
                                ty_metric_options options);
TY_API ty_tensor *ty_metric_value(ty_metric metric, ty_tensor *state, ty_metric_options options);

/* ---- of all examples at once only: scores (N), real; labels (N), 0 or not.  0-d f64; NaN where a kind of label is missing ---- */

/* The area under the ROC curve: how probably a positive has a greater score than a negative, equal ones by half. */
TY_API ty_tensor *ty_roc_auc(ty_tensor *scores, ty_tensor *labels);
/* The sum over all thresholds of precision times the gain in recall. */
TY_API ty_tensor *ty_average_precision(ty_tensor *scores, ty_tensor *labels);

#ifdef __cplusplus
}
#endif
#endif
