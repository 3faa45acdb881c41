/* A convolution before it is a contraction: sizes read and checked. */
#ifndef OPS_CONTRACT_CONV_H
#define OPS_CONTRACT_CONV_H
#include <tyto/contract.h>
#include "ops/contract/contract.h"

enum { CONV_AXES = 3 };
struct conv {
    const char *name; /* "conv2d" */
    int n;            /* spatial axes */
    bool transposed;
    bool channels_first;
    int64_t groups;
    int winograd; /* 0, or results of a tile along each axis (winograd.c) where that applies */
    /* One for each spatial axis, without labels: outer are the places where the kernel lies (the transposed
       one's elements of x), inner its elements; the axis is x's, or the transposed one's result's. */
    struct contract_window windows[CONV_AXES];
};

/* Which axis of x (and of the result), and which of w, is which. */
static inline int conv_channel(const struct conv *c) { return c->channels_first ? 1 : c->n + 1; }
static inline int conv_space(const struct conv *c, int i) { return (c->channels_first ? 2 : 1) + i; }
static inline int conv_kernel(const struct conv *c, int i) { return c->channels_first ? 2 + i : i; }
static inline int conv_in(const struct conv *c) { return c->channels_first ? !c->transposed : c->n; }
static inline int conv_out(const struct conv *c) { return c->channels_first ? c->transposed : c->n + 1; }

/* Fills *c for x = operands[0], w = operands[1] (well ones); a poisoned tensor that says what does not fit,
 * or NULL. */
ty_tensor *conv_read(struct conv *c, int n, bool transposed, ty_tensor *const *operands,
                     const ty_conv *options);
/* Records it.  sums as in contract_rules. */
ty_tensor *conv_record(const struct conv *c, ty_tensor *x, ty_tensor *w, int sums);

/* winograd.c: whether c's sum over elements of the kernel can be done in tiles; and that sum, with labels and rules
   as contract_by takes them. */
bool winograd_applies(const struct conv *c, ty_dtype dtype);
ty_tensor *winograd_record(int m, struct labelled image, struct labelled kernel, int n, const uint8_t *result,
                           const struct contract_rules *rules);
#endif
