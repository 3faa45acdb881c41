/* What convolution and pooling share: how two-dimensional windows lie on their axes. */
#ifndef OPS_WINDOW_WINDOW2D_H
#define OPS_WINDOW_WINDOW2D_H
#include "ops/core/structure.h"

/* The padding that makes the output ceil(n / stride) long, the odd element at the end (TensorFlow's "same").
 */
void same_padding(int64_t n, int64_t size, int64_t stride, int64_t *low, int64_t *high);
/* x padded with `value` on two axes (of any rank), or x itself where there is nothing to pad. */
ty_tensor *pad_axes(ty_tensor *x, const int32_t axis[2], const int64_t low[2], const int64_t high[2],
                    ty_tensor *value);
#endif
