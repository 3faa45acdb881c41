/* Convolutions by oneDNN, found at run time. */
#ifndef BENCH_PEER_DNNL_H
#define BENCH_PEER_DNNL_H
#include "bench/harness.h"

enum bench_direction { BENCH_FORWARD, BENCH_INPUT_GRADIENT, BENCH_KERNEL_GRADIENT };

/* What a case with this peer says in `detail`: one f32 convolution of n spatial axes (the last n entries
 * count). */
struct bench_convolution {
    const char *name;
    int n;
    int64_t batch, channels, filters, groups;
    int64_t size[3], kernel[3], stride[3], dilation[3], low[3],
        high[3];     /* by spatial axis, first one first */
    bool transposed; /* size is that of x all the same; padding is cut from the result */
    bool nchw;
    enum bench_direction direction;
};
/* The result's size along a spatial axis. */
int64_t bench_result(const struct bench_convolution *c, int axis);

/* Adds two columns where oneDNN is installed: images in the layout of the case and in the one oneDNN likes
   best; kernels are always in the latter, rearranged before time is taken. */
void bench_dnnl(struct bench *b);
#endif
