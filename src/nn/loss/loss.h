/*
 * Losses. A kind is a check of its operands' shapes and a function that computes the loss of each example.
 * Dtypes, weights, reduction and messages are common to all (door.c).
 */
#ifndef NN_LOSS_LOSS_H
#define NN_LOSS_LOSS_H
#include "base/for_command.h"
#include <tyto/nn.h>
#include "nn/option.h"
#include "ops/core/structure.h"
#include "ops/index/index.h"

enum { LOSS_OPERANDS = 4 };

/* Result of a kind. each: the losses. over: divisor of their mean, NULL for their count. averaged: losses to
   average instead, NULL for each. */
struct loss_sum {
    ty_tensor *each, *over, *averaged;
};

/* Domains of operands. Targets and logarithms may exceed theirs by a rounding of f16, 2^-10. NaN is
   accepted and makes the loss NaN. */
enum loss_range {
    LOSS_ANY,
    LOSS_SHARE,        /* target in 0..1 */
    LOSS_SIGN,         /* target 1 or -1 */
    LOSS_COUNT,        /* target >= 0 */
    LOSS_PROBABILITY,  /* probability in 0..1 */
    LOSS_NOT_NEGATIVE, /* >= 0 */
    LOSS_LOGARITHM,    /* log-probability <= 0 */
    LOSS_RANGES
};
/* Domain of one operand. */
struct loss_domain {
    int operand; /* index of the operand */
    enum loss_range range;
    enum index_words words; /* fault message for values outside */
    /* True if the options require the check; NULL: always required. */
    bool (*asked)(ty_tensor *const *x, const ty_loss_options *o);
    /* Return a bool mask that broadcasts to the operand: true for elements to check. NULL: check all. */
    ty_tensor *(*counted)(ty_tensor *const *x, const ty_loss_options *o);
};

/* A kind of loss, a static entry of the table. */
struct loss_kind {
    const char *name; /* such as "loss_huber" */
    int floating;     /* number of leading operands cast to the first one's dtype */
    int sign;         /* index of the operand whose values are 1 or -1, to which bools are mapped; 0: none */
    bool of_classes;  /* the weight is per class and used by `make`; else per element */
    struct loss_domain domains[LOSS_OPERANDS]; /* ends at the first entry with LOSS_ANY */
    /* NULL if shapes and dtypes of n operands fit, else poison. */
    ty_tensor *(*check)(const struct loss_kind *k, int n, ty_tensor *const *x, const ty_loss_options *o);
    struct loss_sum (*make)(ty_tensor *const *x, const ty_loss_options *o);
};

#define LOSS2(name, ...) extern const struct loss_kind loss_##name;
#define LOSS3 LOSS2
#define LOSS4 LOSS2
#include <tyto/tables/losses.def>

/* Numbers of ty_loss_options with their ranges. */
extern const struct attributes loss_numbers TABLE_FOR_COMMAND(loss_numbers);

/* Return NULL if all n operands have one shape (the second may be 0-d), else poison. */
ty_tensor *loss_check_same(const struct loss_kind *k, int n, ty_tensor *const *x, const ty_loss_options *o);
/* Return NULL if x[0] has an axis of classes, at least one, and x[1] integer labels of its shape without
   that axis; else poison. Class weights are checked, too. */
ty_tensor *loss_check_labels(const struct loss_kind *k, int n, ty_tensor *const *x, const ty_loss_options *o);
/* Return the options' axis of classes, counted from 0; by default the last. Return -1 if a tensor of this
   rank has no such axis. */
int loss_axis(const ty_loss_options *o, int rank);
/* Return true if the shape of y is that of x without `axis`, which is not negative. */
bool loss_is_without(const ty_tensor *y, const ty_tensor *x, int axis);

/* Return the one-hot encoding of labels as bool, with the shape of x. Unless counts is NULL, *counts is true
   where a label is not the ignored one, which then encodes class 0. */
ty_tensor *loss_chosen(ty_tensor *x, ty_tensor *labels, const ty_loss_options *o, ty_tensor **counts);
/* Reshape weights, [C], so that they broadcast along the axis of classes of x. */
ty_tensor *loss_of_classes(ty_tensor *weight, ty_tensor *x, const ty_loss_options *o);
#endif
