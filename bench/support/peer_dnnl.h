/* Convolutions by oneDNN, found at run time. */
#ifndef BENCH_PEER_DNNL_H
#define BENCH_PEER_DNNL_H
#include "bench/support/harness.h"

enum bench_direction { BENCH_FORWARD, BENCH_INPUT_GRADIENT, BENCH_KERNEL_GRADIENT };

/* The `detail` of a case for this peer: one f32 convolution of n spatial axes (the last n entries count). */
struct bench_convolution {
    const char *name;
    int n;
    int64_t batch, channels, filters, groups;
    int64_t size[3], kernel[3], stride[3], dilation[3], low[3], high[3]; /* by spatial axis, in order */
    bool transposed; /* size is x's in any case; padding is cut from the result */
    bool nchw;
    bool activated; /* a hard swish follows, which this peer does not compute */
    enum bench_direction direction;
};
/* Return the result's size along a spatial axis. */
int64_t bench_result(const struct bench_convolution *c, int axis);

/* Add two columns if oneDNN is installed: images in the case's layout, and in oneDNN's preferred layout.
   Kernels always have the preferred layout, rearranged before timing. */
void bench_dnnl(struct bench *b);
#endif
