/* Helpers of convolution and pooling for two-dimensional windows. */
#ifndef OPS_WINDOW_WINDOW2D_H
#define OPS_WINDOW_WINDOW2D_H
#include "ops/core/structure.h"

/* Compute the padding *low and *high of n elements for which windows of `size` give ceil(n / stride)
   elements, an odd element at the end (TensorFlow's "same"). */
void same_padding(int64_t n, int64_t size, int64_t stride, int64_t *low, int64_t *high);
/* Return x padded with `value` along two axes, by low[k] and high[k] elements; x itself if the padding is 0. */
ty_tensor *pad_axes(ty_tensor *x, const int32_t axis[2], const int64_t low[2], const int64_t high[2],
                    ty_tensor *value);
#endif
