/*
 * Losses: how far predictions are from what they should be.  Part of <tyto/nn.h>.
 *
 * All are composed of the functions of tyto.h, so they are eager or compiled, fuse into one pass, and have gradients of
 * any order.  All take the same options, of which zeros are the usual; (ty_loss_options){0} is the mean.
 *
 *   ty_tensor *loss = ty_loss_cross_entropy(logits, labels, (ty_loss_options){.smoothing = 0.1});
 *
 * The first operand is floating, real, and says the dtype of the result (half floats are computed in f32 and rounded
 * once).  Other floating operands, integers and bools are cast to it.  Elementwise losses take operands of one shape, or
 * a 0-d target, and never broadcast otherwise: a loss of (N,1) and (N) would silently be one of (N,N).
 */
#ifndef TYTO_LOSS_H
#define TYTO_LOSS_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What becomes of the losses of all examples, or elements where a loss is elementwise. */
typedef enum ty_reduction {
    TY_LOSS_MEAN, /* 0-d; of losses with weights of classes divided by the sum of weights, as PyTorch's */
    TY_LOSS_SUM,  /* 0-d */
    TY_LOSS_NONE, /* one by one */
    TY_LOSS_BATCH_MEAN, /* 0-d: the sum over the size of the first axis */
    TY_REDUCTIONS
} ty_reduction;

/* Which fields a loss reads is said beside it in losses.def; it ignores others.  0 of a number is the default in brackets;
   TY_ZERO (nn.h) is 0 itself. */
typedef struct ty_loss_options {
    ty_reduction reduction;
    /* NULL: 1.  (C), of classes, where there are labels; else it broadcasts to the elements */
    ty_tensor *weight;
    ty_tensor *positive; /* NULL: 1.  What targets of 1 weigh; broadcasts to the elements */
    int axis;            /* of classes, or of vectors: 0 and -1 are the last, 1 is PyTorch's of (N,C,H,W) */
    bool ignores;        /* whether `ignored` is said; else it is -100, as PyTorch's */
    int64_t ignored;     /* examples with this label count for nothing */
    double smoothing;    /* of labels, 0..1: this share of each goes to all classes alike */
    double margin;       /* [1 of hinges and triplets, 0 of cosine and ranking] */
    double delta;        /* [1] where a loss turns from a square to a line */
    double power;        /* [1 of multi_hinge, 2 of triplet (the norm's order) and focal (gamma)] */
    /* [0.25] focal: the weight of the targets of 1, others get 1 - alpha; above 1: no weights */
    double alpha;
    double epsilon;     /* [1e-6 of triplet and gaussian, 1e-8 of poisson] */
    bool logs;          /* kl: the target is the logarithm of probabilities */
    bool rates;         /* poisson: the prediction is the rate itself, not its logarithm */
    bool full;          /* poisson, gaussian: with the terms that do not depend on the prediction */
    bool swap;          /* triplet: of both distances to the negative the less (Balntas et al. 2016) */
    int64_t blank;      /* ctc: the class that stands for no label */
    bool zero_infinity; /* ctc: targets that are too long for their input count 0 instead of infinity */
} ty_loss_options;

/* ---- rows of losses.def ---- */

#define LOSS2(name, x, y, doc)                                                                               \
    TY_API ty_tensor *ty_loss_##name(ty_tensor *x, ty_tensor *y, ty_loss_options options);
#define LOSS3(name, x, y, z, doc)                                                                            \
    TY_API ty_tensor *ty_loss_##name(ty_tensor *x, ty_tensor *y, ty_tensor *z, ty_loss_options options);
#define LOSS4(name, x, y, z, w, doc)                                                                         \
    TY_API ty_tensor *ty_loss_##name(ty_tensor *x, ty_tensor *y, ty_tensor *z, ty_tensor *w,                 \
                                     ty_loss_options options);
#include <tyto/losses.def>

/* A loss of two operands, prediction and target, by its name ("huber"); NULL: there is none. */
typedef ty_tensor *(*ty_loss)(ty_tensor *prediction, ty_tensor *target, ty_loss_options options);
TY_API ty_loss ty_loss_find(const char *name);

/* ty_loss_l2 with its zeros: the mean of squared differences. */
TY_API ty_tensor *ty_mse(ty_tensor *prediction, ty_tensor *target);

/* ---- what is added to a loss ---- */

/* 0-d: the sum over n parameters of l1 |x| + l2 x^2, over all of their elements: L1, L2 (ridge) and both (elastic net).  Of
   the first parameter's dtype; of no parameters f32 0. */
TY_API ty_tensor *ty_penalty(int n, ty_tensor *const *x, double l1, double l2);

#ifdef __cplusplus
}
#endif
#endif
