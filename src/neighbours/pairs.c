/* Distances of all pairs: of two sets of points, of one set, and in square form. */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/index.h>
#include <tyto/shape.h>
#include "base/options.h"
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "neighbours/distance.h"

/* Most distances in a block of rows; the differences, one per feature, are never stored. */
enum { BLOCK_ELEMENTS = 1 << 20 };

static int64_t rows_of(const ty_tensor *x) { return ty_shape(x)[ty_rank(x) - 2]; }

ty_tensor *ty_cdist_sized(ty_tensor *a, ty_tensor *b, const ty_distance_options *given, size_t given_size) {
    OPTIONS(ty_distance_options, o, given, given_size);
    struct pairing g;
    ty_tensor *x[] = {a, b, o.parameter};
    int n = o.parameter ? 3 : 2;
    ty_tensor *bad = first_poison(n, x);
    if (!bad) bad = pairing_open(&g, "cdist", o, a, b);
    if (bad) return bad;
    int64_t pairs = rows_of(a) ? ty_size(a) / g.features : 0; /* including the batch axes of a */
    struct composite c = composite_open_plain("cdist", pairing_bytes(&g, pairs, rows_of(b)), n, x);
    pairing_lazily(&c, n, x);
    g.flows = !c.evaluates;
    if (g.given) g.given = x[2];
    bad = pairing_parameter(&g, x[0], x[1]);
    ty_tensor *y = bad ? bad : pairing_all(&g, pairing_prepare(&g, x[0]), pairing_prepare(&g, x[1]));
    return composite_close(c, ty_cast(y, g.result));
}

/* ---- one set ---- */

/* Return the row-major indices, i64, of the pairs i < j of rows i = first .. first + count - 1 of n in their
   matrix [count, n - first - 1] of distances to all rows after `first`. Poison if memory runs out. */
static ty_tensor *places(int64_t n, int64_t first, int64_t count) {
    int64_t behind = n - 1 - first, size = count * behind - count * (count - 1) / 2, at = 0;
    int64_t *place = mem_array((size_t)size, sizeof *place);
    if (!place) return tensor_out_of_memory();
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = i; j < behind; j++) place[at++] = i * behind + j;
    ty_tensor *y = ty_from(TY_I64, 1, &size, place);
    mem_free(place);
    return y;
}

/* Return the distances of the pairs i < j, i = first .. first + count - 1, of rows of x, a vector in row-
   major order. */
static ty_tensor *some_rows(ty_tensor *x, ty_distance_options o, int64_t first, int64_t count) {
    ty_scope *scope = ty_open();
    ty_tensor *others = ty_slice(x, 0, first + 1, TY_END, 1);
    ty_tensor *all = ty_cdist(ty_slice(x, 0, first, first + count, 1), others, o);
    return leave(scope, ty_take(all, places(ty_shape(x)[0], first, count), TY_FLAT));
}

/* Return the distances of all pairs i < j of x's rows, a vector in row-major order, by blocks of rows; the
   last row pairs only with earlier ones. */
static ty_tensor *all_rows(ty_tensor *x, ty_distance_options o) {
    int64_t n = ty_shape(x)[0], step = n < BLOCK_ELEMENTS ? BLOCK_ELEMENTS / n : 1,
            blocks = (n - 2 + step) / step;
    ty_tensor **parts = mem_array((size_t)blocks, sizeof *parts);
    if (!parts) return tensor_out_of_memory();
    for (int64_t i = 0; i < blocks; i++)
        parts[i] = some_rows(x, o, i * step, n - 1 - i * step < step ? n - 1 - i * step : step);
    ty_tensor *y = blocks > 1 ? ty_concat((int)blocks, parts, 0) : parts[0];
    mem_free(parts);
    return y;
}

ty_tensor *ty_pdist_sized(ty_tensor *x, const ty_distance_options *given, size_t given_size) {
    OPTIONS(ty_distance_options, o, given, given_size);
    struct pairing g;
    ty_tensor *operands[] = {x, o.parameter}, *bad = first_poison(o.parameter ? 2 : 1, operands);
    if (!bad) bad = refuse_points("pdist", x, "points", 0);
    if (!bad) bad = pairing_open(&g, "pdist", o, x, x);
    if (bad) return bad;
    if (ty_shape(x)[0] < 2) return ty_zeros(g.result, TY_SHAPE(0));
    ty_scope *scope = ty_open();
    bad = pairing_parameter(&g, x, x);
    o.parameter = g.parameter;
    return leave_as("pdist", scope, x, bad ? bad : all_rows(x, o));
}

/* Return the number of points n with n (n - 1) / 2 pairs; -1 if there is none. */
static int64_t points_of(int64_t pairs) {
    int64_t n = (int64_t)sqrt(2 * (double)pairs);
    while (n * (n - 1) / 2 < pairs || n < 1) n++;
    return n * (n - 1) / 2 == pairs ? n : -1;
}

ty_tensor *ty_squareform(ty_tensor *x) {
    FLOATING_DEFAULT;
    ty_tensor *bad = first_poison(1, &x);
    if (bad) return bad;
    int64_t n = ty_rank(x) == 1 ? points_of(ty_size(x)) : -1;
    if (n < 0)
        return refuse("squareform", 1, &x, E_SHAPE,
                      "expected a vector of n (n - 1) / 2 distances of n points: 0, 1, 3, 6, ...");
    if (n < 2) return ty_zeros(ty_dtype_of(x), TY_SHAPE(n, n));
    struct composite c = composite_open_plain("squareform", n * n * 8, 1, &x);
    int64_t shape[] = {n, n};
    ty_tensor *i = ty_iota(TY_I64, 2, shape, 0), *j = ty_iota(TY_I64, 2, shape, 1), *same = ty_eq(i, j);
    ty_tensor *low = ty_min(i, j), *high = ty_max(i, j);
    ty_tensor *before = ty_floor_div(ty_mul(low, ty_sub(ty_int(2 * n - 3), low)),
                                     ty_int(2)); /* pairs of earlier rows, plus low + 1 */
    ty_tensor *place = ty_where(same, ty_int(0), ty_sub(ty_add(before, high), ty_int(1)));
    return composite_close(c, ty_where(same, ty_num(0), ty_take(x, place, 0)));
}
