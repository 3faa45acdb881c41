/*
 * Convolutions over one to three axes, plain and transposed, as one contraction.  Labels: N, G, C, K for batch, group
 * and channels, p for positions of the kernel, r for its elements.
 *
 *   plain       y[N, p, G K] = sum over r, C of x[N, p * stride + r * dilation - low, G C] * w[r, C, G K];
 *   transposed  y[N, p * stride + r * dilation - low, G K] = sum over r, C of x[N, p, G C] * w[r, G C, K].
 *
 * Layouts (channels last or first) are orders of labels, groups split a channel axis in two, and a depthwise
 * convolution has no C.  Nothing is padded, transposed or unrolled here; gradients are those of the contraction.
 */
#include <tyto/shape.h>
#include "ops/contract/conv.h"
#include "base/options.h"

enum { LABEL_N, LABEL_G, LABEL_C, LABEL_K, LABEL_PLACE, LABEL_KERNEL = LABEL_PLACE + CONV_AXES };

/* Split the channel `axis` of *x, in place, into an axis of `groups` groups and one of the channels of each
   group; its labels follow. With one channel per group the axis is only relabelled as groups; with one group
   nothing changes. */
static void split_groups(struct labelled *x, int axis, int64_t groups) {
    int64_t shape[CONV_AXES + 3];
    int rank = ty_rank(x->x);
    if (groups == 1) return;
    if (ty_shape(x->x)[axis] == groups) {
        x->labels[axis] = LABEL_G;
        return;
    }
    for (int i = 0; i < rank; i++) shape[i + (i > axis)] = ty_shape(x->x)[i];
    shape[axis + 1] = shape[axis] / groups;
    shape[axis] = groups;
    memmove(x->labels + axis + 1, x->labels + axis, (size_t)(rank - axis));
    x->labels[axis] = LABEL_G;
    x->x = ty_reshape(x->x, rank + 1, shape);
}

/* Write the labels of the convolution's result to labels[] and return their number. It is the rank of the
   result, plus 1 if there are several groups with in_group output channels each, in_group not 1. */
static int label_result(const struct conv *c, int64_t in_group, uint8_t *labels) {
    int n = 0, axes = c->n + 2;
    for (int axis = 0; axis < axes; axis++) {
        int i = axis - conv_space(c, 0);
        if (axis == 0) {
            labels[n++] = LABEL_N;
        } else if (axis == conv_channel(c)) {
            if (c->groups > 1) labels[n++] = LABEL_G;
            if (c->groups == 1 || in_group != 1) labels[n++] = LABEL_K;
        } else {
            labels[n++] = (uint8_t)((c->transposed ? CONTRACT_WINDOW : LABEL_PLACE) + i);
        }
    }
    return n;
}

/* Return y, the result, with its adjacent axes of groups and of channels per group merged into one. Return y
   itself if it has only one axis for both, or is poisoned. */
static ty_tensor *join_groups(const struct conv *c, ty_tensor *y) {
    int64_t shape[CONV_AXES + 3];
    int axis = conv_channel(c), rank = ty_rank(y);
    if (!ty_ok(y) || rank == c->n + 2) return y;
    for (int i = rank - 1; i > axis; i--) shape[i - 1] = ty_shape(y)[i];
    for (int i = 0; i < axis; i++) shape[i] = ty_shape(y)[i];
    shape[axis] = ty_shape(y)[axis] * ty_shape(y)[axis + 1];
    return ty_reshape(y, rank - 1, shape);
}

ty_tensor *conv_record(const struct conv *c, ty_tensor *x, ty_tensor *w, int sums) {
    struct contract_rules rules = {.nwindows = c->n, .sums = sums};
    struct labelled image = {.x = x}, kernel = {.x = w};
    ty_tensor *bad = first_poison(2, (ty_tensor *[]){x, w});
    if (bad) return bad;
    image.labels[0] = LABEL_N;
    image.labels[conv_channel(c)] = kernel.labels[conv_in(c)] = LABEL_C;
    kernel.labels[conv_out(c)] = LABEL_K;
    for (int i = 0; i < c->n; i++) {
        rules.windows[i] = c->windows[i];
        rules.windows[i].outer = (uint8_t)(LABEL_PLACE + i);
        rules.windows[i].inner = kernel.labels[conv_kernel(c, i)] = (uint8_t)(LABEL_KERNEL + i);
        image.labels[conv_space(c, i)] = (uint8_t)((c->transposed ? LABEL_PLACE : CONTRACT_WINDOW) + i);
    }
    int64_t made = ty_shape(w)[conv_out(c)];
    uint8_t result[CONV_AXES + 3];
    int n = label_result(c, c->transposed ? made : made / c->groups, result);
    ty_scope *scope = ty_open();
    split_groups(&image, conv_channel(c), c->groups);
    split_groups(&kernel, c->transposed ? conv_in(c) : conv_out(c), c->groups);
    ty_dtype dtype = ty_promote(ty_dtype_of(image.x), ty_dtype_of(kernel.x));
    ty_tensor *y = winograd_applies(c, dtype) ? winograd_record(c->winograd, image, kernel, n, result, &rules)
                                              : contract_by(image, kernel, n, result, &rules);
    return leave(scope, join_groups(c, y));
}

/* Return the convolution of x by w along n spatial axes; poison on failure. */
static ty_tensor *convolve(int n, bool transposed, ty_tensor *x, ty_tensor *w, const ty_conv *options) {
    ty_tensor *operands[] = {x, w};
    struct conv c;
    ty_tensor *bad = conv_read(&c, n, transposed, operands, options);
    return bad ? bad : conv_record(&c, x, w, 0);
}

ty_tensor *ty_conv1d_sized(ty_tensor *x, ty_tensor *w, const ty_conv *given, size_t given_size) {
    OPTIONS(ty_conv, options, given, given_size);
    return convolve(1, false, x, w, &options);
}
ty_tensor *ty_conv2d_sized(ty_tensor *x, ty_tensor *w, const ty_conv *given, size_t given_size) {
    OPTIONS(ty_conv, options, given, given_size);
    return convolve(2, false, x, w, &options);
}
ty_tensor *ty_conv3d_sized(ty_tensor *x, ty_tensor *w, const ty_conv *given, size_t given_size) {
    OPTIONS(ty_conv, options, given, given_size);
    return convolve(3, false, x, w, &options);
}
ty_tensor *ty_conv_transpose1d_sized(ty_tensor *x, ty_tensor *w, const ty_conv *given, size_t given_size) {
    OPTIONS(ty_conv, options, given, given_size);
    return convolve(1, true, x, w, &options);
}
ty_tensor *ty_conv_transpose2d_sized(ty_tensor *x, ty_tensor *w, const ty_conv *given, size_t given_size) {
    OPTIONS(ty_conv, options, given, given_size);
    return convolve(2, true, x, w, &options);
}
ty_tensor *ty_conv_transpose3d_sized(ty_tensor *x, ty_tensor *w, const ty_conv *given, size_t given_size) {
    OPTIONS(ty_conv, options, given, given_size);
    return convolve(3, true, x, w, &options);
}
