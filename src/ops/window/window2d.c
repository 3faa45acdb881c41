/* Padding of two-dimensional windows. */
#include <tyto/shape.h>
#include "ops/window/window2d.h"

void same_padding(int64_t n, int64_t size, int64_t stride, int64_t *low, int64_t *high) {
    int64_t last = n > 0 ? (n - 1) / stride * stride : 0; /* start of the last window */
    int64_t missing = n > 0 && size > n - last ? size - (n - last) : 0;
    *low = missing / 2;
    *high = missing - *low;
}

ty_tensor *pad_axes(ty_tensor *x, const int32_t axis[2], const int64_t low[2], const int64_t high[2],
                    ty_tensor *value) {
    ty_padding padding[TY_MAX_RANK] = {{0}};
    for (int k = 0; k < 2; k++) padding[axis[k]] = (ty_padding){low[k], high[k], 0};
    return ty_pad(x, padding, value);
}
