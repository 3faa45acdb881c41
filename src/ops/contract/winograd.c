/*
 * Winograd's minimal filtering F(m x m, 3 x 3) as contractions (Winograd, "Arithmetic complexity of computations",
 * 1980; for networks Lavin and Gray, "Fast algorithms for convolutional neural networks", 2015, whose matrices are
 * used).  Along an axis, the m results of a tile need m + 2 products instead of 3 m:
 *
 *   Y = A' [(G w) . (B' x)]
 *
 * B', G and A' apply along one axis after the other; each of the (m + 2)^n points is a matrix product over the
 * channels.  Each step is a contraction: the overlapping tiles of x are a window with stride m.  So gradients,
 * layouts, groups, any number of axes and constant folding work without further code.
 *
 * Per result of a plane there are 2.25 times fewer products for m = 2, 4 times fewer for m = 4.  The intermediates
 * have ((m + 2) / m)^2 times the size of the images; docs/measured.md has the gains.
 */
#include <tyto/create.h>
#include <tyto/shape.h>
#include "ops/contract/conv.h"

enum { TAPS = 3, TILE_MOST = 4, POINTS_MOST = TILE_MOST + TAPS - 1 };
/* Labels in addition to conv.c's, one per axis: axes of x, tiles, points, elements of a tile.  Everything from
   LABEL_ELEMENT on is an element. */
enum {
    LABEL_AXIS = 32,
    LABEL_TILE = LABEL_AXIS + CONV_AXES,
    LABEL_POINT = LABEL_TILE + CONV_AXES,
    LABEL_ELEMENT = LABEL_POINT + CONV_AXES,
    NOWHERE = LABELS - 1,
};

struct transform {
    double b[POINTS_MOST * POINTS_MOST], g[POINTS_MOST * TAPS], a[TILE_MOST * POINTS_MOST]; /* B', G, A' */
};

/* Points 0, 1, -1 and infinity. */
static const struct transform two = {
    {1, 0, -1, 0, 0, 1, 1, 0, 0, -1, 1, 0, 0, 1, 0, -1},
    {1, 0, 0, 0.5, 0.5, 0.5, 0.5, -0.5, 0.5, 0, 0, 1},
    {1, 1, 1, 0, 0, 1, -1, -1},
};

/* Points 0, 1, -1, 2, -2 and infinity. */
static const struct transform four = {
    {4, 0,  -5, 0, 1, 0, 0, -4, -4, 1,  1, 0, 0, 4, -4, -1, 1, 0,
     0, -2, -1, 2, 1, 0, 0, 2,  -1, -2, 1, 0, 0, 4, 0,  -5, 0, 1},
    {1. / 4, 0, 0, -1. / 6, -1. / 6, -1. / 6, -1. / 6, 1. / 6, -1. / 6, 1. / 24, 1. / 12, 1. / 6, 1. / 24,
     -1. / 12, 1. / 6, 0, 0, 1},
    {1, 1, 1, 1, 1, 0, 0, 1, -1, 2, -2, 0, 0, 1, 1, 4, 4, 0, 0, 1, -1, 8, -8, 1},
};

bool winograd_applies(const struct conv *c, ty_dtype dtype) {
    bool applies = c->winograd && !c->transposed && dtype_is(dtype, CLASS_FLOAT | CLASS_COMPLEX) &&
                   !dtype_is_half(dtype);
    for (int i = 0; i < c->n; i++) {
        const struct contract_window *w = &c->windows[i];
        applies = applies && w->inner_size == TAPS && w->stride == 1 && w->dilation == 1 && w->outer_size > 0;
    }
    return applies;
}

static ty_tensor *matrix(ty_dtype dtype, int rows, int columns, const double *numbers) {
    return ty_cast(ty_from(TY_F64, TY_SHAPE(rows, columns), numbers), dtype);
}

/* Multiply the matrix `factors`, whose rows get the label `made`, with the axis labelled `old` of x, which
   the product replaces. If `window` is not NULL, the axis is read as overlapping tiles, and its axis of tiles
   stays. The new axis comes first, or after the axis `after` unless that is NOWHERE. */
static struct labelled multiply(ty_tensor *factors, struct labelled x, uint8_t made, uint8_t old,
                                uint8_t after, const struct contract_window *window) {
    struct labelled f = {factors, {made, window ? window->inner : old}}, out = {NULL, {0}};
    struct contract_rules rules = {.nwindows = window != NULL};
    int n = 0, rank = ty_rank(x.x);
    if (after == NOWHERE) out.labels[n++] = made;
    for (int i = 0; i < rank; i++) {
        if (x.labels[i] == after)
            out.labels[n++] = after, out.labels[n++] = made;
        else if (x.labels[i] != old)
            out.labels[n++] = x.labels[i];
        else if (window)
            out.labels[n++] = window->outer;
        if (x.labels[i] == old && window) x.labels[i] = CONTRACT_WINDOW;
    }
    if (window) rules.windows[0] = *window;
    out.x = contract_by(f, x, n, out.labels, &rules);
    return out;
}

/* Return y with each pair of axes of tiles and of their elements merged into one, cut to the result's length.
   Poison stays poison. */
static ty_tensor *join_tiles(const struct contract_rules *rules, const struct labelled *y) {
    int64_t shape[TY_MAX_RANK];
    int rank = 0, axes[CONV_AXES];
    for (int i = 0; i < ty_rank(y->x); i++) {
        int axis = y->labels[i] - LABEL_ELEMENT;
        if (axis < 0)
            shape[rank++] = ty_shape(y->x)[i];
        else
            shape[axes[axis] = rank - 1] *= ty_shape(y->x)[i];
    }
    ty_tensor *joined = ty_reshape(y->x, rank, shape);
    for (int i = 0; i < rules->nwindows && ty_ok(joined); i++)
        if (ty_shape(joined)[axes[i]] > rules->windows[i].outer_size)
            joined = ty_slice(joined, axes[i], 0, rules->windows[i].outer_size, 1);
    return joined;
}

/* Return w changed to step by tiles of m results: its outer index counts tiles, its inner index the m + TAPS
   - 1 elements that one tile reads. `axis`, the spatial axis, selects the labels. */
static struct contract_window tiles_of(const struct contract_window *w, int axis, int m) {
    struct contract_window tiles = *w;
    tiles.outer = (uint8_t)(LABEL_TILE + axis);
    tiles.inner = (uint8_t)(LABEL_ELEMENT + axis);
    tiles.outer_size = (w->outer_size + m - 1) / m;
    tiles.inner_size = m + TAPS - 1;
    tiles.stride = m;
    return tiles;
}

/* Return the product of image and kernel, summed over the channels, at each point of each tile. Labels of the
   result: the axes of points, last spatial axis first, then result[n] with labels of tiles in place of those
   of positions. */
static struct labelled multiply_points(struct labelled image, struct labelled kernel, int n,
                                       const uint8_t *result, const struct contract_rules *rules) {
    struct labelled y = {NULL, {0}};
    int rank = 0;
    for (int i = rules->nwindows - 1; i >= 0; i--) y.labels[rank++] = (uint8_t)(LABEL_POINT + i);
    for (int i = 0; i < n; i++) {
        int axis = 0;
        while (axis < rules->nwindows && rules->windows[axis].outer != result[i]) axis++;
        y.labels[rank++] = axis < rules->nwindows ? (uint8_t)(LABEL_TILE + axis) : result[i];
    }
    y.x = contract(image, kernel, rank, y.labels);
    return y;
}

ty_tensor *winograd_record(int m, struct labelled image, struct labelled kernel, int n, const uint8_t *result,
                           const struct contract_rules *rules) {
    const struct transform *t = m == 2 ? &two : &four;
    ty_dtype dtype = ty_promote(ty_dtype_of(image.x), ty_dtype_of(kernel.x));
    ty_tensor *b = matrix(dtype, m + TAPS - 1, m + TAPS - 1, t->b),
              *g = matrix(dtype, m + TAPS - 1, TAPS, t->g), *a = matrix(dtype, m, m + TAPS - 1, t->a);
    for (int i = 0; i < ty_rank(image.x); i++)
        if (image.labels[i] >= CONTRACT_WINDOW) image.labels[i] += LABEL_AXIS - CONTRACT_WINDOW;
    for (int i = 0; i < rules->nwindows; i++) {
        struct contract_window tiles = tiles_of(&rules->windows[i], i, m);
        uint8_t point = (uint8_t)(LABEL_POINT + i);
        image = multiply(b, image, point, (uint8_t)(LABEL_AXIS + i), NOWHERE, &tiles);
        kernel = multiply(g, kernel, point, rules->windows[i].inner, NOWHERE, NULL);
    }
    struct labelled y = multiply_points(image, kernel, n, result, rules);
    for (int i = 0; i < rules->nwindows; i++)
        y = multiply(a, y, (uint8_t)(LABEL_ELEMENT + i), (uint8_t)(LABEL_POINT + i),
                     (uint8_t)(LABEL_TILE + i), NULL);
    return ty_ok(y.x) ? join_tiles(rules, &y) : y.x;
}
