#include <string.h>
#include <tyto/contract.h>
#include "onnx/ops/windows.h"
#include "onnx/ops/rows.h"

/* Copy the n entries of an attribute; an absent one leaves the defaults. */
static bool entries(struct onnx_call *call, const char *name, int n, int64_t least, int64_t *out) {
    struct ints list = ints_attribute(call, name);
    if (list.items && list.n != n)
        return onnx_refuse(call, E_SHAPE, "%s has %d entries for %d spatial axes", name, list.n, n);
    for (int i = 0; i < list.n; i++) {
        if (list.items[i] < least)
            return onnx_refuse(call, E_ARGUMENT, "%s has %lld; expected %lld or more", name,
                               (long long)list.items[i], (long long)least);
        out[i] = list.items[i];
    }
    return true;
}

bool onnx_window(struct onnx_call *call, int n, struct window *w) {
    const char *pad = onnx_text(call, "auto_pad", "NOTSET");
    int64_t pads[2 * WINDOW_AXES] = {0};
    if (n < 1 || n > WINDOW_AXES)
        return onnx_refuse(call, E_UNSUPPORTED, "%d spatial axes; expected 1..%d", n, WINDOW_AXES);
    *w =
        (struct window){.n = n, .same = !strcmp(pad, "SAME_UPPER"), .same_lower = !strcmp(pad, "SAME_LOWER")};
    for (int i = 0; i < n; i++) w->stride[i] = w->dilation[i] = 1;
    if (!w->same && !w->same_lower && strcmp(pad, "NOTSET") && strcmp(pad, "VALID"))
        return onnx_refuse(call, E_ARGUMENT,
                           "auto_pad is '%s'; expected NOTSET, SAME_UPPER, SAME_LOWER or VALID", pad);
    if (!entries(call, "strides", n, 1, w->stride) || !entries(call, "dilations", n, 1, w->dilation))
        return false;
    if (!strcmp(pad, "NOTSET") && !entries(call, "pads", 2 * n, INT32_MIN, pads)) return false;
    for (int i = 0; i < n; i++) {
        w->low[i] = pads[i];
        w->high[i] = pads[n + i];
    }
    return true;
}

bool onnx_conv_options(struct onnx_call *call, ty_tensor *x, ty_tensor *w, ty_conv *o) {
    struct window window;
    struct ints kernel = ints_attribute(call, "kernel_shape");
    int n = ty_rank(x) - 2;
    if (!ty_ok(x) || !ty_ok(w)) return onnx_output(call, 0, ty_ok(x) ? w : x);
    if (!onnx_window(call, n, &window)) return false;
    if (ty_rank(w) != n + 2)
        return onnx_refuse(call, E_SHAPE, "weights have %d axes; expected %d", ty_rank(w), n + 2);
    for (int i = 0; kernel.items && i < n; i++)
        if (kernel.n != n || kernel.items[i] != ty_shape(w)[2 + i])
            return onnx_refuse(call, E_SHAPE, "kernel_shape differs from the weights' %lld at axis %d",
                               (long long)ty_shape(w)[2 + i], i);
    int64_t groups = onnx_int(call, "group", 1);
    if (groups < 1)
        return onnx_refuse(call, E_ARGUMENT, "group is %lld; expected at least 1", (long long)groups);
    *o = (ty_conv){.same = window.same, .same_lower = window.same_lower, .nchw = true, .groups = groups};
    for (int i = 0; i < n; i++) {
        o->stride[i] = window.stride[i];
        o->dilation[i] = window.dilation[i];
        o->low[i] = window.low[i];
        o->high[i] = window.high[i];
    }
    return true;
}
