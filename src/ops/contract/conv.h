/* Convolutions before they become contractions: sizes, read and checked. */
#ifndef OPS_CONTRACT_CONV_H
#define OPS_CONTRACT_CONV_H
#include <tyto/contract.h>
#include "ops/contract/contract.h"

enum { CONV_AXES = 3 };
struct conv {
    const char *name; /* such as "conv2d" */
    int n;            /* number of spatial axes */
    bool transposed;
    bool channels_first;
    int64_t groups;
    int winograd; /* 0, or the number of results per tile and axis, where Winograd's method applies
                     (winograd.c) */
    /* One per spatial axis, without labels.  inner: elements of the kernel.  outer: positions of the kernel, or,
       transposed, elements of x.  The windowed axis is x's, or, transposed, the result's. */
    struct contract_window windows[CONV_AXES];
};

/* Return the index of the channel axis in x and in the result. */
static inline int conv_channel(const struct conv *c) { return c->channels_first ? 1 : c->n + 1; }
/* Return the axis, in x and in the result, of spatial axis i, i = 0 .. n-1. Axes before the spatial ones are
   the batch and, with channels first, the channels. */
static inline int conv_space(const struct conv *c, int i) { return (c->channels_first ? 2 : 1) + i; }
/* Return the index of spatial axis i (from 0) in w. */
static inline int conv_kernel(const struct conv *c, int i) { return c->channels_first ? 2 + i : i; }
/* Return the index of the axis of the kernel w for input channels. */
static inline int conv_in(const struct conv *c) { return c->channels_first ? !c->transposed : c->n; }
/* Return the index of the axis of the kernel w for output channels. */
static inline int conv_out(const struct conv *c) { return c->channels_first ? c->transposed : c->n + 1; }

/* Check a convolution of n spatial axes with x = operands[0] and w = operands[1], and fill *c. Return NULL,
   or poison if an operand or option is invalid; *c is then incomplete. */
ty_tensor *conv_read(struct conv *c, int n, bool transposed, ty_tensor *const *operands,
                     const ty_conv *options);
/* Record the convolution of x and w that conv_read has checked. sums = 0, or 1 + the dtype in which products
   are added, without casting the operands first. Poison on failure. */
ty_tensor *conv_record(const struct conv *c, ty_tensor *x, ty_tensor *w, int sums);

/* True if c requests Winograd's method and it applies: kernels of 3, stride and dilation 1, not transposed,
   and `dtype` floating or complex, but no half. */
bool winograd_applies(const struct conv *c, ty_dtype dtype);
/* Record a convolution by Winograd's method with tiles of m = 2 or 4 results. result[n] are the labels of the
   result; labels and rules are those of contract_by. Poison on failure. */
ty_tensor *winograd_record(int m, struct labelled image, struct labelled kernel, int n, const uint8_t *result,
                           const struct contract_rules *rules);
#endif
