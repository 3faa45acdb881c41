/*
 * Cross entropies. log_softmax subtracts the largest logit first. The comparison of labels with iota is fused
 * into the sums, so no one-hot matrix is stored.
 */
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "nn/loss/loss.h"
#include "ops/index/index.h"

ty_tensor *loss_of_classes(ty_tensor *weight, ty_tensor *x, const ty_loss_options *o) {
    int rank = ty_rank(x);
    int64_t shape[TY_MAX_RANK];
    for (int i = 0; i < rank; i++) shape[i] = 1;
    shape[loss_axis(o, rank)] = ty_size(weight);
    return ty_reshape(weight, rank, shape);
}

/* Return a bool tensor shaped like labels: true where a label is not the ignored one, by default -100. */
static ty_tensor *loss_counts(ty_tensor *labels, const ty_loss_options *o) {
    return ty_ne(labels, ty_int(o->ignores ? o->ignored : -100));
}

ty_tensor *loss_chosen(ty_tensor *x, ty_tensor *labels, const ty_loss_options *o, ty_tensor **counts) {
    int axis = loss_axis(o, ty_rank(x));
    int64_t classes = ty_shape(x)[axis];
    ty_tensor *label = labels;
    if (counts) {
        *counts = loss_counts(labels, o);
        label = ty_where(*counts, labels, ty_cast(ty_int(0), ty_dtype_of(labels)));
    }
    ty_tensor *place = loss_of_classes(ty_iota(TY_I64, 1, &classes, 0), x, o);
    return ty_eq(ty_expand(labels_checked(label, classes), axis), place);
}

/* Compute the losses -logs[label] w[label] over the axis of classes, with the share `smoothing` spread
   evenly over all classes, by their weights. Ignored labels give 0 and do not count in the divisor
   `over`. */
static struct loss_sum by_labels(ty_tensor *logs, ty_tensor *labels, const ty_loss_options *o,
                                 double smoothing) {
    if (!ty_ok(logs)) return (struct loss_sum){.each = logs};
    int along = loss_axis(o, ty_rank(logs));
    ty_axes axis = ty_axis(along);
    ty_tensor *counts, *chosen = loss_chosen(logs, labels, o, &counts);
    ty_tensor *weight = o->weight ? loss_of_classes(o->weight, logs, o) : NULL;
    ty_tensor *own = ty_sum(ty_where(chosen, logs, ty_num(0)), axis);
    ty_tensor *over = ty_cast(counts, ty_dtype_of(logs));
    if (weight) {
        over = ty_mul(over, ty_sum(ty_where(chosen, weight, ty_num(0)), axis));
        own = ty_mul(own, over);
    }
    if (smoothing != 0) {
        ty_tensor *all = ty_sum(weight ? ty_mul(logs, weight) : logs, axis);
        double share = smoothing / (double)ty_shape(logs)[along];
        own = ty_add(ty_mul(own, ty_num(1 - smoothing)), ty_mul(all, ty_num(share)));
    }
    return (struct loss_sum){.each = ty_neg(ty_where(counts, own, ty_num(0))), .over = over};
}

/* Compute the losses -sum(t w logs) over the axis of classes; w are the weights of classes, if any. The
   share o->smoothing of the targets t, shaped like logs, is first spread evenly over all classes. */
static struct loss_sum by_shares(ty_tensor *logs, ty_tensor *t, const ty_loss_options *o) {
    if (!ty_ok(logs)) return (struct loss_sum){.each = logs};
    int axis = loss_axis(o, ty_rank(logs));
    double share = o->smoothing / (double)ty_shape(logs)[axis];
    if (o->smoothing != 0) t = ty_add(ty_mul(t, ty_num(1 - o->smoothing)), ty_num(share));
    if (o->weight) logs = ty_mul(logs, loss_of_classes(o->weight, logs, o));
    return (struct loss_sum){.each = ty_neg(ty_sum(ty_mul(t, logs), ty_axis(axis)))};
}

static bool has_shares(ty_tensor *const *x) { return dtype_is(ty_dtype_of(x[1]), CLASS_FLOAT); }
static bool asks_shares(ty_tensor *const *x, const ty_loss_options *o) {
    (void)o;
    return has_shares(x);
}

/* Check integer labels or floating shares x[1] of the classes of logits x[0], and the weights. Return
   poison, or NULL if they fit. */
static ty_tensor *check_cross_entropy(const struct loss_kind *k, int n, ty_tensor *const *x,
                                      const ty_loss_options *o) {
    int axis = loss_axis(o, ty_rank(x[0]));
    if (!has_shares(x) || axis < 0) return loss_check_labels(k, n, x, o);
    if (ty_rank(x[1]) == 0 || loss_check_same(k, n, x, o))
        return refuse(k->name, n, x, E_DTYPE,
                      "floating targets must have the shape of the logits; labels must be integers");
    return o->weight && (ty_rank(o->weight) != 1 || ty_shape(o->weight)[0] != ty_shape(x[0])[axis])
               ? refuse(k->name, 1, &o->weight, E_ARGUMENT,
                        "expected one weight for each of the %lld classes", (long long)ty_shape(x[0])[axis])
               : NULL;
}

static struct loss_sum cross_entropy(ty_tensor *const *x, const ty_loss_options *o) {
    ty_tensor *logs = ty_log_softmax(x[0], loss_axis(o, ty_rank(x[0])));
    return has_shares(x) ? by_shares(logs, ty_cast(x[1], ty_dtype_of(logs)), o)
                         : by_labels(logs, x[1], o, o->smoothing);
}

static struct loss_sum nll(ty_tensor *const *x, const ty_loss_options *o) {
    return by_labels(x[0], x[1], o, 0);
}

const struct loss_kind loss_cross_entropy = {.name = "loss_cross_entropy",
                                             .floating = 1,
                                             .of_classes = true,
                                             .domains = {{1, LOSS_SHARE, WORDS_TARGETS, asks_shares, NULL}},
                                             .check = check_cross_entropy,
                                             .make = cross_entropy};
/* Return the bool mask, broadcasting to x[0], of elements to check: all classes of examples whose label
   x[1] is not ignored. */
static ty_tensor *nll_counted(ty_tensor *const *x, const ty_loss_options *o) {
    return ty_expand(loss_counts(x[1], o), loss_axis(o, ty_rank(x[0])));
}

const struct loss_kind loss_nll = {.name = "loss_nll",
                                   .floating = 1,
                                   .of_classes = true,
                                   .domains = {{0, LOSS_LOGARITHM, WORDS_LOGARITHMS, NULL, nll_counted}},
                                   .check = loss_check_labels,
                                   .make = nll};
