/*
 * Windows made of views, for engines that know none: a windowed axis of an operand becomes two axes of an overlapping
 * view of the padded operand; one of the output becomes two axes that are added up afterwards.
 */
#include "ops/contract.h"

/* The places from the first to the last that a window touches, and what is missing of them around the axis. */
static int64_t window_reach(const struct contract_window *w) {
    return (w->outer_size - 1) * w->stride + (w->inner_size - 1) * w->dilation + 1;
}

static ty_tensor *pad_axis(ty_tensor *x, int axis, int64_t low, int64_t high) {
    ty_padding padding[TY_MAX_RANK] = {{0}};
    if (!ty_ok(x)) return x;
    padding[axis] = (ty_padding){low, high, 0};
    return ty_pad(x, padding, ty_scalar(ty_dtype_of(x), 0));
}

static void open_windows(struct labelled *a, const struct contract_rules *rules) {
    for (int i = 0, rank = ty_rank(a->x); i < rank; i++) {
        if (a->labels[i] < CONTRACT_WINDOW) continue;
        const struct contract_window *w = &rules->windows[a->labels[i] - CONTRACT_WINDOW];
        int64_t high = window_reach(w) - w->low - w->length;
        a->x = ty_window(pad_axis(a->x, i, w->low, high), i, w->inner_size, w->stride, w->dilation);
        if (!ty_ok(a->x)) return;
        a->labels[i] = w->outer;
        a->labels[ty_rank(a->x) - 1] = w->inner;
    }
}

static ty_tensor *close_window(ty_tensor *y, int axis, const struct contract_window *w) {
    int64_t reach = window_reach(w);
    struct window_attr attr = {
        .axis = axis, .size = w->inner_size, .stride = w->stride, .dilation = w->dilation, .length = reach};
    y = record(&op_window_add, &attr, sizeof attr, 1, &y);
    return pad_axis(y, axis, -w->low, w->length - reach + w->low);
}

ty_tensor *contract_views(struct labelled a, struct labelled b, int rank, const uint8_t *output,
                          const struct contract_rules *rules) {
    uint8_t labels[TY_MAX_RANK + CONTRACT_WINDOWS];
    int n = rank;
    if (rules->sums) {
        a.x = ty_cast(a.x, (ty_dtype)(rules->sums - 1));
        b.x = ty_cast(b.x, (ty_dtype)(rules->sums - 1));
    }
    if (!ty_ok(a.x) || !ty_ok(b.x)) return first_poison(2, (ty_tensor *[]){a.x, b.x});
    open_windows(&a, rules);
    open_windows(&b, rules);
    for (int i = 0; i < rank; i++) {
        bool windowed = output[i] >= CONTRACT_WINDOW;
        const struct contract_window *w = &rules->windows[windowed ? output[i] - CONTRACT_WINDOW : 0];
        labels[i] = windowed ? w->outer : output[i];
        if (windowed) labels[n++] = w->inner;
    }
    ty_tensor *y = contract(a, b, n, labels);
    for (int i = rank - 1; i >= 0 && ty_ok(y); i--)
        if (output[i] >= CONTRACT_WINDOW) y = close_window(y, i, &rules->windows[output[i] - CONTRACT_WINDOW]);
    return y;
}
