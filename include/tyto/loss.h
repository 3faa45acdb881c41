/*
 * Losses: distances of predictions from targets.  Part of <tyto/nn.h>.
 *
 * All are composed of the functions of tyto.h, so they are eager or compiled, fuse into one pass, and have gradients
 * of any order.  All have the same options; (ty_loss_options){0} is the mean.
 *
 *   ty_tensor *loss = ty_loss_cross_entropy(logits, labels, (ty_loss_options){.smoothing = 0.1});
 *
 * The first operand is floating and real, and determines the dtype of the result (half floats are computed in f32 and
 * rounded once).  Other floating operands, integers and bools are cast to it.  Elementwise losses need operands of one
 * shape, or a 0-d target, and never broadcast otherwise: a loss of (N,1) and (N) would silently be one of (N,N).
 */
#ifndef TYTO_LOSS_H
#define TYTO_LOSS_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reduction of the losses of all examples, or of all elements if a loss is elementwise. */
typedef enum ty_reduction {
    TY_LOSS_MEAN, /* 0-d; for losses with class weights divided by the sum of weights, as in PyTorch */
    TY_LOSS_SUM,  /* 0-d */
    TY_LOSS_NONE, /* no reduction */
    /* 0-d: the sum divided by the size of the first axis */
    TY_LOSS_BATCH_MEAN,
    TY_REDUCTIONS
} ty_reduction;

/* Options of losses; losses.def names those that each loss reads, and it ignores others.  TY_ZERO (nn.h)
   is 0 itself where 0 means another default. */
typedef struct ty_loss_options {
    ty_reduction reduction;
    /* NULL: 1.  (C), of classes, for losses with labels; else it broadcasts to the elements */
    ty_tensor *weight;
    ty_tensor *positive; /* weight of targets of 1, NULL: 1; broadcasts to the elements */
    int axis;            /* of classes, or of vectors: 0 and -1 are the last, 1 is PyTorch's of (N,C,H,W) */
    bool ignores;        /* true if `ignored` is given; else it is -100, as in PyTorch */
    int64_t ignored;     /* examples with this label do not count */
    double smoothing;    /* label smoothing, 0..1: this share is spread over all classes */
    double margin;       /* 0 means 1 for hinges and triplets */
    double delta;        /* distance at which a square becomes a line; 0 means 1 */
    double power;        /* 0 means 1 for multi_hinge, 2 for triplet (the norm's order) and focal (gamma) */
    /* focal: weight of targets of 1, others get 1 - alpha; 0 means 0.25, above 1: no weights */
    double alpha;
    double epsilon;     /* 0 means 1e-6 for triplet and gaussian, 1e-8 for poisson */
    bool logs;          /* kl: the target holds logarithms of probabilities */
    bool rates;         /* poisson: the prediction is the rate itself, not its logarithm */
    bool full;          /* poisson, gaussian: include the terms that do not depend on the prediction */
    bool swap;          /* triplet: use the smaller of both distances to the negative (Balntas et al. 2016) */
    int64_t blank;      /* ctc: the class of the blank */
    bool zero_infinity; /* ctc: targets too long for their input count 0 instead of infinity */
    bool unused[7];
} ty_loss_options;

/* ---- the entries of losses.def ---- */

/* Return the loss of x (predictions) and its targets that losses.def describes, reduced as options.reduction says:
   0-d, or with TY_LOSS_NONE one element for each element or example, of the dtype of x.  x is floating and real.
   Poison if shapes or dtypes do not fit, or for operands outside their domain; in promises such operands are an
   error when they are evaluated. */
#define LOSS2(name, x, y, doc)                                                                               \
    TY_API ty_tensor *ty_loss_##name##_sized(ty_tensor *x, ty_tensor *y, const ty_loss_options *options,     \
                                             size_t size);                                                   \
    TY_INLINE ty_tensor *ty_loss_##name(ty_tensor *x, ty_tensor *y, ty_loss_options options) {               \
        return ty_loss_##name##_sized(x, y, &options, sizeof options);                                       \
    }
#define LOSS3(name, x, y, z, doc)                                                                            \
    TY_API ty_tensor *ty_loss_##name##_sized(ty_tensor *x, ty_tensor *y, ty_tensor *z,                       \
                                             const ty_loss_options *options, size_t size);                   \
    TY_INLINE ty_tensor *ty_loss_##name(ty_tensor *x, ty_tensor *y, ty_tensor *z, ty_loss_options options) { \
        return ty_loss_##name##_sized(x, y, z, &options, sizeof options);                                    \
    }
#define LOSS4(name, x, y, z, w, doc)                                                                         \
    TY_API ty_tensor *ty_loss_##name##_sized(ty_tensor *x, ty_tensor *y, ty_tensor *z, ty_tensor *w,         \
                                             const ty_loss_options *options, size_t size);                   \
    TY_INLINE ty_tensor *ty_loss_##name(ty_tensor *x, ty_tensor *y, ty_tensor *z, ty_tensor *w,              \
                                        ty_loss_options options) {                                           \
        return ty_loss_##name##_sized(x, y, z, w, &options, sizeof options);                                 \
    }
#include <tyto/tables/losses.def>

/* A loss of two operands, such as ty_loss_huber_sized.  size: sizeof *options; NULL and 0: the defaults. */
typedef ty_tensor *(*ty_loss)(ty_tensor *prediction, ty_tensor *target, const ty_loss_options *options,
                              size_t size);
/* Return the loss of that name that has two operands, prediction and target, such as "huber"; NULL if there is
   none. */
TY_API ty_loss ty_loss_named(const char *name);

/* Mean squared error, 0-d, of the prediction's dtype, of a prediction and a target of its shape or 0-d: ty_loss_l2
   with default options.  Poison if shapes differ or the prediction is not floating. */
TY_API ty_tensor *ty_mse(ty_tensor *prediction, ty_tensor *target);

/* Return weights [classes], f32, by which classes count equally: n / (classes * rows of the class) for labels [n],
   integers from 0; 1 for a class without rows.  Poison for other shapes and dtypes, and labels outside. */
TY_API ty_tensor *ty_class_weights(ty_tensor *labels, int64_t classes);

/* ---- regularisation ---- */

/* Return the sum of l1 |x| + l2 x^2 over all elements of n parameters x[i], 0-d: L1, L2 (ridge) or both
   (elastic net).  In the first parameter's dtype; for n = 0 a 0 of f32.  Poison if one is poisoned. */
TY_API ty_tensor *ty_penalty(int n, ty_tensor *const *x, double l1, double l2);

#ifdef __cplusplus
}
#endif
#endif
