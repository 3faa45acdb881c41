/* Options of convolutions and sizes of their results.  Padding "same" is TensorFlow's: ceil(n / stride) positions,
   an odd element at the end; the transposed convolution of that has n * stride elements. */
#include "ops/contract/conv.h"
#include <stdio.h>
#include "base/checked.h"
#include "ops/window/window2d.h"

static const char *const names[2][CONV_AXES] = {{"conv1d", "conv2d", "conv3d"},
                                                {"conv_transpose1d", "conv_transpose2d", "conv_transpose3d"}};

/* ---- axes in messages ---- */

struct words {
    char x[24], w[24]; /* such as "(N,H,W,C)", "(R,S,C,K)" */
};

/* Return the names of the axes of x and of w for messages, such as "(N,H,W,C)" and "(R,S,C,K)". */
static struct words axis_words(const struct conv *c) {
    static const char *const space[] = {"W", "H,W", "D,H,W"}, *const kernel[] = {"S", "R,S", "Q,R,S"};
    const char *x = space[c->n - 1], *w = kernel[c->n - 1];
    struct words words;
    snprintf(words.x, sizeof words.x, c->channels_first ? "(N,C,%s)" : "(N,%s,C)", x);
    snprintf(words.w, sizeof words.w,
             !c->channels_first ? "(%s,C,K)"
             : c->transposed    ? "(C,K,%s)"
                                : "(K,C,%s)",
             w);
    return words;
}

/* Check that x and w, operands[0] and [1], have n + 2 axes each. Return poison, or NULL if they do. */
static ty_tensor *check_ranks(const struct conv *c, ty_tensor *const *operands) {
    int rank_x = ty_rank(operands[0]), rank_w = ty_rank(operands[1]), rank = c->n + 2;
    if (rank_x == rank && rank_w == rank) return NULL;
    struct words words = axis_words(c);
    return refuse(c->name, 2, operands, E_SHAPE, "x must be %s and w %s, of rank %d both, not %d and %d",
                  words.x, words.w, rank, rank_x, rank_w);
}

/* Return poison that says that x has `have` channels where w, by its input channels (per group if not
   transposed) `take`, requires another number. */
static ty_tensor *refuse_channels(const struct conv *c, ty_tensor *const *operands, int64_t have,
                                  int64_t take) {
    struct words words = axis_words(c);
    char groups[64] = "", hint[64] = "";
    if (c->groups > 1) snprintf(groups, sizeof groups, " for each of %lld groups", (long long)c->groups);
    if (!c->transposed && c->groups == 1 && have > 0 && take > 0 && have % take == 0 &&
        ty_shape(operands[1])[conv_out(c)] % (have / take) == 0)
        snprintf(hint, sizeof hint, "; groups of %lld would fit", (long long)(have / take));
    return refuse(c->name, 2, operands, E_SHAPE,
                  "x %s has %lld channels in axis %d and w %s takes %lld in axis %d%s%s", words.x,
                  (long long)have, conv_channel(c), words.w, (long long)take, conv_in(c), groups, hint);
}

/* Check that x, operands[0], has the channels that w, operands[1], requires, and that the groups divide the
   channels. Return poison, or NULL if all fits. */
static ty_tensor *check_channels(const struct conv *c, ty_tensor *const *operands) {
    int64_t have = ty_shape(operands[0])[conv_channel(c)], take = ty_shape(operands[1])[conv_in(c)],
            all = take;
    int64_t made = ty_shape(operands[1])[conv_out(c)];
    if (c->groups < 1)
        return refuse(c->name, 2, operands, E_ARGUMENT, "%lld groups; expected 1 or more",
                      (long long)c->groups);
    bool fits = c->transposed || checked_mul(take, c->groups, &all);
    if (!fits || all != have) return refuse_channels(c, operands, have, take);
    if (c->transposed ? have % c->groups : made % c->groups)
        return refuse(c->name, 2, operands, E_SHAPE,
                      "%lld channels in axis %d of w are not divisible by %lld groups",
                      (long long)(c->transposed ? have : made), c->transposed ? conv_in(c) : conv_out(c),
                      (long long)c->groups);
    return NULL;
}

/* ---- sizes along one axis ---- */

/* Explicit options of one axis. */
struct axis {
    int64_t size, low, high; /* span of the kernel; padding */
};

/* Check stride and dilation (c->windows[i]) and the output padding of spatial axis i, from 0. Return poison,
   or NULL if they are valid. Padding is not checked here. */
static ty_tensor *check_axis(const struct conv *c, ty_tensor *const *operands, const ty_conv *o, int i) {
    const struct contract_window *w = &c->windows[i];
    int axis = conv_space(c, i);
    if (w->stride < 1 || w->dilation < 1)
        return refuse(c->name, 2, operands, E_ARGUMENT,
                      "stride %lld and dilation %lld of axis %d must be positive", (long long)w->stride,
                      (long long)w->dilation, axis);
    int64_t more = o->output_padding[i], most = w->stride > w->dilation ? w->stride : w->dilation;
    if (more && !c->transposed)
        return refuse(c->name, 2, operands, E_SHAPE,
                      "output_padding %lld of axis %d is for transposed convolutions", (long long)more, axis);
    if (more < 0 || (more && more >= most))
        return refuse(
            c->name, 2, operands, E_ARGUMENT,
            "output_padding %lld of axis %d must be 0 or more and less than the stride or dilation, %lld",
            (long long)more, axis, (long long)most);
    if (more && (o->same || o->same_lower))
        return refuse(c->name, 2, operands, E_SHAPE,
                      "output_padding %lld of axis %d cannot be combined with `same`", (long long)more, axis);
    return NULL;
}

/* Return poison that says that the kernel does not fit spatial axis i, from 0, of x with the padding of *a. */
static ty_tensor *refuse_fit(const struct conv *c, ty_tensor *const *operands, int i, const struct axis *a) {
    const struct contract_window *w = &c->windows[i];
    return refuse(
        c->name, 2, operands, E_SHAPE,
        "a kernel of %lld with dilation %lld does not fit in axis %d of x, which is %lld and %lld + "
        "%lld of padding",
        (long long)w->inner_size, (long long)w->dilation, conv_space(c, i), (long long)w->length,
        (long long)a->low, (long long)a->high);
}

/* Compute the number of kernel positions along spatial axis i of x into c->windows[i].outer_size, the axis's
   size into `length`, and the extent of the dilated kernel into a->size. With `same`, also compute a->low and
   a->high. Return poison if the kernel does not fit, else NULL. */
static ty_tensor *count_places(struct conv *c, ty_tensor *const *operands, const ty_conv *o, int i,
                               struct axis *a) {
    struct contract_window *w = &c->windows[i];
    int64_t padded;
    w->length = ty_shape(operands[0])[conv_space(c, i)];
    bool fits = w->inner_size > 0 && checked_mul(w->inner_size - 1, w->dilation, &a->size) &&
                checked_add(a->size, 1, &a->size);
    if (fits && (o->same || o->same_lower)) same_padding(w->length, a->size, w->stride, &a->low, &a->high);
    fits = fits && checked_add(w->length, a->low, &padded) && checked_add(padded, a->high, &padded) &&
           a->size <= padded && a->low != INT64_MIN;
    if (!fits) return refuse_fit(c, operands, i, a);
    w->outer_size = (padded - a->size) / w->stride + 1;
    return NULL;
}

/* Compute the size of spatial axis i of the result of a transposed convolution into c->windows[i].length, and
   the extent of the dilated kernel into a->size. With `same`, also compute a->low and a->high. Return poison
   if the size is not positive or overflows, else NULL. */
static ty_tensor *count_result(struct conv *c, ty_tensor *const *operands, const ty_conv *o, int i,
                               struct axis *a) {
    struct contract_window *w = &c->windows[i];
    int64_t last = 0, whole = 0;
    bool same = o->same || o->same_lower;
    w->outer_size = ty_shape(operands[0])[conv_space(c, i)];
    bool counts = w->inner_size > 0 && w->outer_size > 0 &&
                  checked_mul(w->inner_size - 1, w->dilation, &a->size) &&
                  checked_add(a->size, 1, &a->size) && checked_mul(w->outer_size - 1, w->stride, &last) &&
                  checked_add(last, a->size, &whole) && checked_add(last, w->stride, &w->length);
    if (counts && same) same_padding(w->length, a->size, w->stride, &a->low, &a->high);
    counts = counts && (same || (a->low != INT64_MIN && a->high != INT64_MIN &&
                                 checked_add(whole, -a->low, &w->length) &&
                                 checked_add(w->length, -a->high, &w->length) &&
                                 checked_add(w->length, o->output_padding[i], &w->length)));
    if (counts && w->length > 0) return NULL;
    return refuse(
        c->name, 2, operands, E_SHAPE,
        "a kernel of %lld with dilation %lld at %lld places of axis %d leaves nothing between %lld + %lld "
        "of padding",
        (long long)w->inner_size, (long long)w->dilation, (long long)w->outer_size, conv_space(c, i),
        (long long)a->low, (long long)a->high);
}

/* Read the options of spatial axis i into its window, and compute its sizes and padding. Return poison if
   they are invalid, else NULL. */
static ty_tensor *read_axis(struct conv *c, ty_tensor *const *operands, const ty_conv *o, int i) {
    struct contract_window *w = &c->windows[i];
    *w = (struct contract_window){.stride = o->stride[i] ? o->stride[i] : 1,
                                  .dilation = o->dilation[i] ? o->dilation[i] : 1,
                                  .inner_size = ty_shape(operands[1])[conv_kernel(c, i)]};
    struct axis a = {.low = o->low[i], .high = o->high[i]};
    ty_tensor *bad = check_axis(c, operands, o, i);
    if (!bad) bad = (c->transposed ? count_result : count_places)(c, operands, o, i, &a);
    w->low = o->same_lower ? a.high : a.low;
    return bad;
}

ty_tensor *conv_read(struct conv *c, int n, bool transposed, ty_tensor *const *operands,
                     const ty_conv *options) {
    *c = (struct conv){.name = names[transposed][n - 1],
                       .n = n,
                       .transposed = transposed,
                       .channels_first = options->nchw,
                       .groups = options->groups ? options->groups : 1,
                       .winograd = options->winograd};
    ty_tensor *poison = first_poison_in(c->name, 2, operands);
    if (poison) return poison;
    if (c->winograd != 0 && c->winograd != 2 && c->winograd != 4)
        return refuse(c->name, 2, operands, E_ARGUMENT, "winograd is %d; expected 2, 4 or 0 (none)",
                      c->winograd);
    ty_tensor *bad = check_ranks(c, operands);
    if (!bad) bad = check_channels(c, operands);
    for (int i = 0; i < n && !bad; i++) bad = read_axis(c, operands, options, i);
    return bad;
}
