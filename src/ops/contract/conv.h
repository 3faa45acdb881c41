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

/* Return the channel axis of x and of the result. */
static inline int conv_channel(const struct conv *c) { return c->channels_first ? 1 : c->n + 1; }
/* Return spatial axis i of x and of the result. */
static inline int conv_space(const struct conv *c, int i) { return (c->channels_first ? 2 : 1) + i; }
/* Return spatial axis i of w. */
static inline int conv_kernel(const struct conv *c, int i) { return c->channels_first ? 2 + i : i; }
/* Return the axis of w for input channels. */
static inline int conv_in(const struct conv *c) { return c->channels_first ? !c->transposed : c->n; }
/* Return the axis of w for output channels. */
static inline int conv_out(const struct conv *c) { return c->channels_first ? c->transposed : c->n + 1; }

/* Fill *c for x = operands[0], w = operands[1].  Returns NULL, or poison if an operand or option is invalid. */
ty_tensor *conv_read(struct conv *c, int n, bool transposed, ty_tensor *const *operands,
                     const ty_conv *options);
/* Record the convolution; sums as in contract_rules. */
ty_tensor *conv_record(const struct conv *c, ty_tensor *x, ty_tensor *w, int sums);

/* True if Winograd's method is requested and applies to c. */
bool winograd_applies(const struct conv *c, ty_dtype dtype);
/* Record a convolution by Winograd's method with tiles of m results; labels and rules as for contract_by. */
ty_tensor *winograd_record(int m, struct labelled image, struct labelled kernel, int n, const uint8_t *result,
                           const struct contract_rules *rules);
#endif
