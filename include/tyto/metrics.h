/*
 * Metrics: the quality of predictions, for reports.  Part of <tyto/nn.h>.
 *
 *   double right = ty_item(ty_metric_accuracy(scores, labels, (ty_metric_options){0}));
 *
 * Over batches a state, a tensor of f64, is carried from each to the next, eagerly or as a variable of a program:
 *
 *   state = ty_metric_add(TY_METRIC_accuracy, state, scores, labels, options);
 *   value = ty_metric_value(TY_METRIC_accuracy, state, options);
 *
 * Values are those of all examples together, however they were cut into batches (sums are of f64, so exact for
 * counts).  Scores are real; labels are integers of the shape of the scores without the last axis.
 */
#ifndef TYTO_METRICS_H
#define TYTO_METRICS_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Average of a number over classes.  MACRO leaves out classes that neither occur nor are predicted. */
typedef enum ty_class_average {
    TY_AVERAGE_MACRO,    /* mean over classes */
    TY_AVERAGE_MICRO,    /* over all examples, whatever their class */
    TY_AVERAGE_WEIGHTED, /* mean weighted by the number of examples of each class */
    TY_AVERAGE_NONE,     /* no average: (C) */
    TY_AVERAGES
} ty_class_average;

/* Options of metrics; zeros are the defaults. */
typedef struct ty_metric_options {
    /* [the scores' last axis]; required if predictions are labels, and for ty_metric_state */
    int64_t classes;
    int64_t k;    /* 0 means 5 */
    double beta;  /* 0 means 1 */
    int64_t bins; /* 0 means 1000 */
    ty_class_average average;
    bool ignores; /* examples with the label `ignored` do not count */
    int64_t ignored;
} ty_metric_options;

/* Entries of metrics.def. */
typedef enum ty_metric {
#define METRIC(name, shape, count, value, doc) TY_METRIC_##name,
#include <tyto/tables/metrics.def>
    TY_METRICS
} ty_metric;
/* Return the metric of a name, such as "f_score"; TY_METRICS, which the functions refuse, if there is none. */
TY_API ty_metric ty_metric_named(const char *name);

/* Return the metric of metrics.def, such as ty_metric_accuracy, over all examples at once: f64, 0-d, (C) without
   average, (C,C) for confusion.  `prediction` holds scores (..., C) or labels, `target` labels (...), or numbers of
   one shape for mae, mse, rmse and r2.  Poison if operands or options do not fit. */
#define METRIC(name, shape, count, value, doc)                                                               \
    TY_API ty_tensor *ty_metric_##name##_sized(ty_tensor *prediction, ty_tensor *target,                     \
                                               const ty_metric_options *options, size_t size);               \
    TY_INLINE ty_tensor *ty_metric_##name(ty_tensor *prediction, ty_tensor *target,                          \
                                          ty_metric_options options) {                                       \
        return ty_metric_##name##_sized(prediction, target, &options, sizeof options);                       \
    }
#include <tyto/tables/metrics.def>

TY_API ty_tensor *ty_metric_state_sized(ty_metric metric, const ty_metric_options *options, size_t size);
/* Return the state of a metric before the first batch: f64 zeros, [2], [4], [C, C] or [2, bins] by metric.  Poison
   if the metric needs options.classes and it is 0. */
TY_INLINE ty_tensor *ty_metric_state(ty_metric metric, ty_metric_options options) {
    return ty_metric_state_sized(metric, &options, sizeof options);
}
TY_API ty_tensor *ty_metric_add_sized(ty_metric metric, ty_tensor *state, ty_tensor *prediction,
                                      ty_tensor *target, const ty_metric_options *options, size_t size);
/* Return the state with the predictions and targets of one more batch added; `state` itself is unchanged.  Metric
   and options must be those of ty_metric_state.  Only dtype and shape of the state are checked.  Poison if they or
   an operand do not fit. */
TY_INLINE ty_tensor *ty_metric_add(ty_metric metric, ty_tensor *state, ty_tensor *prediction,
                                   ty_tensor *target, ty_metric_options options) {
    return ty_metric_add_sized(metric, state, prediction, target, &options, sizeof options);
}
TY_API ty_tensor *ty_metric_value_sized(ty_metric metric, ty_tensor *state, const ty_metric_options *options,
                                        size_t size);
/* Return the metric's value of a state, f64: 0-d, (C) for precision, recall and f_score without average, (C,C) for
   confusion.  The options must be those of ty_metric_state.  Only dtype and shape of the state are checked, and
   give poison: a state of another metric with that shape is not noticed. */
TY_INLINE ty_tensor *ty_metric_value(ty_metric metric, ty_tensor *state, ty_metric_options options) {
    return ty_metric_value_sized(metric, state, &options, sizeof options);
}

/* ---- metrics of all examples at once ---- */

/* Operands are real scores (N) and labels (N), 0 or not.  Results are 0-d f64, NaN if one kind of label is missing. */

/* Area under the ROC curve of real scores (N) with labels (N), 0 or not: the probability that a positive scores
   above a negative, ties counting half.  0-d f64; NaN if one kind of label is missing or a score is NaN.  Poison if
   shapes do not fit. */
TY_API ty_tensor *ty_roc_auc(ty_tensor *scores, ty_tensor *labels);
/* Receiver operating characteristic of real scores (N) with labels (N), 0 or not: f64 [k, 3], a row for each distinct
   score in descending order: the shares of negatives and of positives with at least this score, and the score; the first
   row is 0, 0 and infinity.  Shares are NaN if one kind of label is missing or a score is NaN.  Promises are evaluated.
   Poison if shapes do not fit, or for N = 0. */
TY_API ty_tensor *ty_roc_curve(ty_tensor *scores, ty_tensor *labels);
/* Average precision of real scores (N) with labels (N), 0 or not: the sum over all thresholds of precision times
   the gain in recall.  0-d f64; NaN if one kind of label is missing or a score is NaN.  Poison if shapes do not fit. */
TY_API ty_tensor *ty_average_precision(ty_tensor *scores, ty_tensor *labels);

#ifdef __cplusplus
}
#endif
#endif
