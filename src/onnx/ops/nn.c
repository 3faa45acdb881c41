/* Convolutions and pooling. */
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "onnx/ops/products.h"
#include "onnx/ops/rows.h"
#include "onnx/ops/windows.h"

/* ---- convolutions ---- */

/* Add input i, one number for each channel, if it is given. */
static ty_tensor *with_bias(struct onnx_call *call, ty_tensor *y, int i) {
    if (!ty_ok(y) || !onnx_has(call, i)) return y;
    ty_tensor *bias = onnx_input(call, i);
    if (!onnx_sized(call, "B", bias, 1, ty_shape(y) + 1)) return onnx_failed(call);
    return ty_add(y, along_axis(bias, ty_rank(y), 1));
}
static ty_tensor *convolve(ty_tensor *x, ty_tensor *w, ty_conv o) {
    int rank = ty_rank(x);
    return rank == 3 ? ty_conv1d(x, w, o) : rank == 4 ? ty_conv2d(x, w, o) : ty_conv3d(x, w, o);
}
ty_tensor *onnx_conv_of(struct onnx_call *call, ty_tensor *x) {
    ty_tensor *w = onnx_input(call, 1);
    ty_conv o;
    if (!onnx_conv_options(call, x, w, &o)) return onnx_failed(call);
    return with_bias(call, convolve(x, w, o), 2);
}
bool onnx_op_conv(struct onnx_call *call) {
    return onnx_output(call, 0, onnx_conv_of(call, onnx_input(call, 0)));
}

/* Crop a transposed convolution to the sizes of output_shape, or of auto_pad: the other end gets an odd element.  A result
   that is too small gets zeros at its end. */
static bool crop_to(struct onnx_call *call, ty_tensor *x, ty_tensor *w, ty_conv *o) {
    struct ints sizes = ints_attribute(call, "output_shape");
    int n = ty_rank(x) - 2;
    bool same = o->same || o->same_lower, upper = o->same;
    if (sizes.items && sizes.n != n && sizes.n != n + 2)
        return onnx_refuse(call, E_SHAPE, "output_shape has %d entries for %d spatial axes", sizes.n, n);
    for (int i = 0; i < n && (sizes.items || same); i++) {
        int64_t in = ty_shape(x)[2 + i], wanted = sizes.items ? sizes.items[i + sizes.n - n] : 0;
        int64_t extent, total;
        if ((!sizes.items && !checked_mul(in, o->stride[i], &wanted)) ||
            !window_extent(in, o->stride[i], &total) ||
            !window_extent(ty_shape(w)[2 + i], o->dilation[i], &extent) ||
            !checked_add(total, extent - 1, &total) || !checked_add(total, o->output_padding[i], &total) ||
            !checked_add(total, negative_of(wanted), &total))
            return onnx_refuse(call, E_LIMIT, "the sizes of spatial axis %d are out of range", i);
        int64_t crop = total > 0 ? total : 0;
        o->low[i] = upper ? crop / 2 : crop - crop / 2;
        o->high[i] = total - o->low[i];
    }
    o->same = o->same_lower = false;
    return true;
}
bool onnx_op_conv_transpose(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *w = onnx_input(call, 1);
    struct ints more = ints_attribute(call, "output_padding");
    ty_conv o;
    if (!onnx_conv_options(call, x, w, &o)) return false;
    if (more.items && more.n != ty_rank(x) - 2)
        return onnx_refuse(call, E_SHAPE, "output_padding has %d entries for %d spatial axes", more.n,
                           ty_rank(x) - 2);
    for (int i = 0; i < more.n; i++) o.output_padding[i] = more.items[i];
    if (!crop_to(call, x, w, &o)) return false;
    ty_tensor *y = ty_rank(x) == 3   ? ty_conv_transpose1d(x, w, o)
                   : ty_rank(x) == 4 ? ty_conv_transpose2d(x, w, o)
                                     : ty_conv_transpose3d(x, w, o);
    return onnx_output(call, 0, with_bias(call, y, 2));
}

/* Convolve each channel of x (N,C,L) with its own kernel (C,1,K), after the K - 1 elements of the state or zeros. */
bool onnx_op_causal_conv_with_state(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *w = onnx_input(call, 1), *state = onnx_input_or(call, 3, NULL);
    const char *activation = onnx_text(call, "activation", "none");
    bool silu = !strcmp(activation, "silu") || !strcmp(activation, "swish");
    if (ty_rank(x) != 3 || ty_rank(w) != 3 || ty_shape(w)[2] < 1 || (!silu && strcmp(activation, "none")))
        return onnx_refuse(call, E_SHAPE,
                           "operands of %d and %d axes, activation %s; expected 3, 3 and "
                           "none, silu or swish",
                           ty_rank(x), ty_rank(w), activation);
    const int64_t *s = ty_shape(x);
    int64_t before[] = {s[0], s[1], ty_shape(w)[2] - 1};
    ty_tensor *parts[] = {state ? state : ty_zeros(ty_dtype_of(x), 3, before), x};
    ty_tensor *all = ty_concat(2, parts, 2);
    ty_tensor *y = with_bias(call, ty_conv1d(all, w, (ty_conv){.nchw = true, .groups = s[1]}), 2);
    return onnx_output(call, 0, silu ? ty_silu(y) : y) &&
           onnx_output(call, 1, ty_slice(all, 2, s[2], TY_END, 1));
}

/* ---- deformable convolution ---- */

/* Read x (N,C,..) at positions (N,K,n,P), in elements, of which `corner` has a bit for each axis: (N,C,K*P), times the
   weight of the corner; 0 outside of x. */
static ty_tensor *corner_of(ty_tensor *x, ty_tensor *places, int corner) {
    const int64_t *s = ty_shape(x), *p = ty_shape(places);
    int n = ty_rank(x) - 2;
    ty_tensor *flat = ty_int(0), *weight = ty_num(1), *inside = NULL;
    for (int i = 0; i < n; i++) {
        bool upper = corner >> i & 1;
        ty_tensor *at = ty_reshape(ty_slice(places, 2, i, i + 1, 1), 3, (int64_t[]){p[0], 1, p[1] * p[3]});
        ty_tensor *low = ty_floor(at), *share = ty_sub(at, low);
        weight = ty_mul(weight, upper ? share : ty_sub(ty_num(1), share));
        low = ty_add(ty_cast(low, TY_I64), ty_int(upper));
        ty_tensor *in = ty_logical_and(ty_ge(low, ty_int(0)), ty_lt(low, ty_int(s[2 + i])));
        inside = inside ? ty_logical_and(inside, in) : in;
        flat = ty_add(ty_mul(flat, ty_int(s[2 + i])), ty_clip(low, ty_int(0), ty_int(s[2 + i] - 1)));
    }
    ty_tensor *lines = ty_reshape(x, 3, (int64_t[]){s[0], s[1], product(x, 2, n + 2)});
    return ty_mul(ty_take_along_axis(lines, flat, 2), ty_where(inside, weight, ty_num(0)));
}
/* Sample x (N,C,..) at positions (N,K,n,P), in elements, by linear interpolation with zeros outside: (N,C,K,P). */
static ty_tensor *sample(ty_tensor *x, ty_tensor *places) {
    const int64_t *p = ty_shape(places);
    ty_tensor *y = NULL;
    for (int corner = 0; corner < 1 << (ty_rank(x) - 2); corner++) {
        ty_tensor *part = corner_of(x, places, corner);
        y = y ? ty_add(y, part) : part;
    }
    return ty_reshape(y, 4, (int64_t[]){p[0], ty_shape(x)[1], p[1], p[3]});
}

/* Positions of the K elements of windows at P places, before offsets: (K,n,P), in elements. */
static ty_tensor *window_places(ty_dtype dtype, int n, const int64_t *kernel, const int64_t *out,
                                const struct window *w) {
    int64_t shape[2 * WINDOW_AXES], k = 1, p = 1;
    for (int i = 0; i < n; i++) {
        k *= shape[i] = kernel[i];
        p *= shape[n + i] = out[i];
    }
    ty_tensor *part[WINDOW_AXES];
    for (int i = 0; i < n; i++) {
        ty_tensor *inner = ty_mul(ty_iota(dtype, 2 * n, shape, i), ty_num((double)w->dilation[i]));
        ty_tensor *outer = ty_mul(ty_iota(dtype, 2 * n, shape, n + i), ty_num((double)w->stride[i]));
        part[i] = ty_reshape(ty_sub(ty_add(inner, outer), ty_num((double)w->low[i])), 2, (int64_t[]){k, p});
    }
    return ty_stack(n, part, 1);
}

/* Check the shapes of offsets (N,OG*K*n,..) and mask (N,OG*K,..). */
static bool deform_fits(struct onnx_call *call, ty_tensor *x, ty_tensor *w, ty_tensor *offset,
                        ty_tensor *mask, int64_t groups, int64_t offset_groups, int64_t elements) {
    int rank = ty_rank(x);
    const int64_t *s = ty_shape(x), *o = ty_shape(offset);
    int64_t channels;
    if (ty_rank(offset) != rank || groups < 1 || offset_groups < 1 || groups > s[1] || offset_groups > s[1] ||
        s[1] % groups || s[1] % offset_groups || ty_shape(w)[1] != s[1] / groups || ty_shape(w)[0] % groups ||
        o[0] != s[0] || !checked_mul(offset_groups, elements * (rank - 2), &channels) || o[1] != channels)
        return onnx_refuse(call, E_SHAPE,
                           "offsets of %d axes and %lld channels do not fit %lld channels, group %lld and "
                           "offset_group %lld",
                           ty_rank(offset), (long long)(ty_rank(offset) > 1 ? o[1] : 0), (long long)s[1],
                           (long long)groups, (long long)offset_groups);
    if (mask && (ty_rank(mask) != rank || ty_size(mask) * (rank - 2) != ty_size(offset)))
        return onnx_refuse(call, E_SHAPE, "the mask has %lld elements; expected %lld",
                           (long long)ty_size(mask), (long long)(ty_size(offset) / (rank - 2)));
    return true;
}
bool onnx_op_deform_conv(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *w = onnx_input(call, 1), *offset = onnx_input(call, 2);
    ty_tensor *mask = onnx_input_or(call, 4, NULL);
    struct window window;
    ty_conv o;
    if (!onnx_conv_options(call, x, w, &o) || !onnx_window(call, ty_rank(x) - 2, &window)) return false;
    int n = window.n;
    int64_t k = product(w, 2, n + 2), groups = o.groups, parts = onnx_int(call, "offset_group", 1);
    if (!ty_ok(offset)) return onnx_output(call, 0, offset);
    if (!deform_fits(call, x, w, offset, mask, groups, parts, k)) return false;
    const int64_t *s = ty_shape(x), *out = ty_shape(offset) + 2;
    int64_t p = product(offset, 2, n + 2), m = ty_shape(w)[0],
            split[TY_MAX_RANK] = {s[0] * parts, s[1] / parts};
    for (int i = 0; i < n; i++) split[2 + i] = s[2 + i];
    ty_tensor *places = ty_add(ty_reshape(offset, 4, (int64_t[]){s[0] * parts, k, n, p}),
                               window_places(ty_dtype_of(offset), n, ty_shape(w) + 2, out, &window));
    ty_tensor *y = sample(ty_reshape(x, n + 2, split), places);
    if (mask) y = ty_mul(y, ty_reshape(mask, 4, (int64_t[]){s[0] * parts, 1, k, p}));
    y = ty_einsum("ngckp,gmck->ngmp", ty_reshape(y, 5, (int64_t[]){s[0], groups, s[1] / groups, k, p}),
                  ty_reshape(w, 4, (int64_t[]){groups, m / groups, s[1] / groups, k}));
    split[0] = s[0], split[1] = m;
    for (int i = 0; i < n; i++) split[2 + i] = out[i];
    return onnx_output(call, 0, with_bias(call, ty_reshape(y, n + 2, split), 3));
}

/* ---- windows added up ---- */

/* Add columns (N,C*K,L) up to images (N,C,..): the adjoint of gathering windows, for any number of axes. */
bool onnx_op_col2im(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    struct ints image = ints_input(call, 1), block = ints_input(call, 2);
    struct window w;
    if (!image.items || !block.items || !onnx_window(call, image.n, &w)) return false;
    int64_t shape[TY_MAX_RANK], whole = 1, k = 1, l = 1, all = 1, grid[2 * WINDOW_AXES];
    for (int i = 0; i < w.n; i++) {
        int64_t size = image.items[i], extent = 0;
        bool fits = size >= 1 && checked_add(size, w.low[i], &size) && checked_add(size, w.high[i], &size) &&
                    block.n == w.n && block.items[i] >= 1 &&
                    window_extent(block.items[i], w.dilation[i], &extent) && size >= extent;
        if (!fits)
            return onnx_refuse(call, E_SHAPE, "blocks of %d axes do not fit image axis %d of size %lld",
                               block.n, i, (long long)image.items[i]);
        shape[2 + i] = size;
        grid[i] = block.items[i];
        grid[w.n + i] = (size - extent) / w.stride[i] + 1;
        if (!checked_mul(whole, size, &whole) || !checked_mul(k, grid[i], &k) ||
            !checked_mul(l, grid[w.n + i], &l) || !checked_mul(k, l, &all))
            return onnx_refuse(call, E_LIMIT, "blocks and image of %d axes are too large", w.n);
    }
    if (ty_rank(x) != 3 || ty_shape(x)[1] % k || ty_shape(x)[2] != l)
        return onnx_refuse(call, E_SHAPE, "expected an operand (N, C * %lld, %lld)", (long long)k,
                           (long long)l);
    ty_tensor *at = ty_int(0);
    for (int i = 0; i < w.n; i++) { /* flat place of each element in the padded image */
        ty_tensor *inner = ty_mul(ty_iota(TY_I64, 2 * w.n, grid, i), ty_int(w.dilation[i]));
        ty_tensor *outer = ty_mul(ty_iota(TY_I64, 2 * w.n, grid, w.n + i), ty_int(w.stride[i]));
        at = ty_add(ty_mul(at, ty_int(shape[2 + i])), ty_add(inner, outer));
    }
    shape[0] = ty_shape(x)[0], shape[1] = ty_shape(x)[1] / k;
    x = ty_reshape(x, 3, (int64_t[]){shape[0], shape[1], all});
    ty_tensor *y = ty_reshape(ty_scatter_add(x, ty_ravel(at), 2, whole), w.n + 2, shape);
    for (int i = 0; i < w.n; i++) y = ty_slice(y, 2 + i, w.low[i], w.low[i] + image.items[i], 1);
    return onnx_output(call, 0, y);
}
