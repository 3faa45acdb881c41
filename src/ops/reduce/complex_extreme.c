/* Maximum and minimum of complex numbers, by magnitude and then phase (array/order.h), and their indices.  They are
   the first rank of sorted lines.  NaN wins; of equal elements the first, as for real numbers. */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "ops/sort/sort.h"

/* Return x with the reduced axes, given as bits (bit i: axis i), moved to the end and merged into one, a
   line. Poison if that gives too many axes. */
static ty_tensor *in_lines(ty_tensor *x, uint64_t bits) {
    int order[TY_MAX_RANK], rank = ty_rank(x), kept = 0;
    int64_t shape[TY_MAX_RANK], n = 1;
    for (int i = 0; i < rank; i++) {
        bool reduced = bits >> i & 1;
        if (reduced) n *= ty_shape(x)[i];
        if (reduced) continue;
        shape[kept] = ty_shape(x)[i];
        order[kept++] = i;
    }
    for (int i = 0, at = kept; i < rank; i++)
        if (bits >> i & 1) order[at++] = i;
    if (kept == TY_MAX_RANK) return ty_expand(x, -1); /* fails later: too many axes */
    shape[kept] = n;
    return ty_reshape(ty_permute(x, order), kept + 1, shape);
}

/* Return the greatest or, unless `largest`, least complex number of each line, the last axis of `lines`,
   which becomes 1. NaN if the line has one. */
static ty_tensor *extreme_of(ty_tensor *lines, bool largest) {
    int last = ty_rank(lines) - 1;
    ty_tensor *value = sort_ranks(lines, last, SORT_VALUES, largest, 0, 1);
    if (largest) return value; /* NaN comes first in descending order */
    ty_tensor *nan = ty_is_nan(lines), *spoils = ty_where(nan, lines, ty_num(0));
    ty_axes line = {.last = 1, .keep = true};
    return ty_where(ty_any(nan, line), ty_sum(spoils, line), value);
}

ty_tensor *complex_extreme(const char *name, ty_tensor *x, ty_axes axes, bool largest, bool place) {
    uint64_t bits = axes_bits(axes, ty_rank(x));
    int64_t shape[TY_MAX_RANK];
    int rank = 0;
    for (int i = 0; i < ty_rank(x); i++) {
        bool reduced = bits >> i & 1;
        if (reduced && ty_shape(x)[i] == 0)
            return refuse(name, 1, &x, E_SHAPE, "axis %d is empty and has no minimum or maximum", i);
        if (!reduced || axes.keep) shape[rank++] = reduced ? 1 : ty_shape(x)[i];
    }
    ty_scope *scope = ty_open();
    ty_tensor *lines = in_lines(x, bits), *y = ty_ok(lines) ? extreme_of(lines, largest) : lines;
    if (place) {
        ty_tensor *same = ty_where(ty_is_nan(y), ty_is_nan(lines), ty_eq(lines, y));
        y = ty_argmax(ty_cast(same, TY_U8), (ty_axes){.last = 1});
    }
    return leave_as(name, scope, x, ty_reshape(y, rank, shape));
}
