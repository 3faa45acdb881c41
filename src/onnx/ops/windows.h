/* Attributes of convolutions and pooling, shared by families of operators. */
#ifndef ONNX_OPS_WINDOWS_H
#define ONNX_OPS_WINDOWS_H
#include <tyto/contract.h>
#include "base/checked.h"
#include "onnx/call.h"

/* Number of spatial axes that convolutions and pooling have at most. */
enum { WINDOW_AXES = 3 };

/* Strides, dilations and padding of n spatial axes. */
struct window {
    int n;
    int64_t stride[WINDOW_AXES], dilation[WINDOW_AXES], low[WINDOW_AXES], high[WINDOW_AXES];
    bool same, same_lower;
};

/* Set *extent to the elements from the first to the last of n, which lie `step` apart: (n - 1) * step + 1.  False if it
   overflows; n is at least 0. */
static inline bool window_extent(int64_t n, int64_t step, int64_t *extent) {
    return checked_mul(n - 1, step, extent) && checked_add(*extent, 1, extent);
}
/* Read strides, dilations, pads and auto_pad of n spatial axes.  False, with the fault set, if they do not fit. */
bool onnx_window(struct onnx_call *call, int n, struct window *w);
/* Read the options of a convolution of x with weights w, both with channels before spatial axes.  False, with the fault
   set, for more spatial axes than WINDOW_AXES, or a kernel_shape other than that of w. */
bool onnx_conv_options(struct onnx_call *call, ty_tensor *x, ty_tensor *w, ty_conv *o);
/* Return the means or maxima of windows of x (N,C,..), as AveragePool and MaxPool. */
ty_tensor *onnx_average_pool_of(struct onnx_call *call, ty_tensor *x);
ty_tensor *onnx_max_pool_of(struct onnx_call *call, ty_tensor *x);

#endif
