/* Reductions of the elements that a mask selects, with an initial value, as NumPy's where= and initial=.  Other
   elements become the identity of the reduction, so each is one fused pass. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "ops/reduce/statistics.h"

typedef ty_tensor *(*reduction)(ty_tensor *x, ty_axes axes);
typedef ty_tensor *(*combination)(ty_tensor *a, ty_tensor *b);

/* Check axes, mask and initial value of a masked reduction of x. Return poison, in the name of function
   `name`, or NULL if they are valid. */
static ty_tensor *refuse_masked(const char *name, ty_tensor *x, ty_axes axes, ty_tensor *where,
                                ty_tensor *initial) {
    ty_tensor *all[] = {x, where ? where : x, initial ? initial : x}, *bad = first_poison_in(name, 3, all);
    int rank, clash;
    int64_t shape[TY_MAX_RANK];
    if (bad || (bad = refuse_axes(name, x, axes))) return bad;
    if (initial && ty_rank(initial))
        return refuse(name, 2, (ty_tensor *[]){x, initial}, E_SHAPE, "the initial value must be 0-d");
    if (!where) return NULL;
    if (ty_dtype_of(where) != TY_BOOL)
        return refuse(name, 2, all, E_DTYPE, "the mask must be bool, not %s",
                      ty_dtype_name(ty_dtype_of(where)));
    rank = ty_rank(x);
    memcpy(shape, ty_shape(x), sizeof *shape * (size_t)rank);
    bool fits = shape_broadcast(&rank, shape, ty_rank(where), ty_shape(where), &clash);
    if (fits && shape_equal(rank, shape, ty_rank(x), ty_shape(x))) return NULL;
    return refuse(name, 2, all, E_SHAPE, "the mask does not broadcast to the shape of the first");
}

/* Return x with `identity`, that of the reduction, where the mask `where` is false; x itself if `where` is
   NULL. */
static ty_tensor *chosen(ty_tensor *x, ty_tensor *where, double identity) {
    return where ? ty_where(where, x, ty_scalar(ty_dtype_of(x), identity)) : x;
}

/* Return `reduce` of x over the axes, with `identity` where the mask is false, then combined with
   `initial` by `combine`; where and initial may be NULL. Poison, in the name of function `name`, on
   failure. */
static ty_tensor *folded(const char *name, ty_tensor *x, ty_axes axes, ty_tensor *where, ty_tensor *initial,
                         reduction reduce, combination combine, double identity) {
    ty_tensor *bad = refuse_masked(name, x, axes, where, initial);
    if (bad) return bad;
    ty_tensor *operands[] = {x, where ? where : x};
    struct composite c = composite_open(name, 2, operands);
    ty_tensor *y = reduce(chosen(operands[0], where ? operands[1] : NULL, identity), axes);
    if (initial && ty_ok(y)) y = combine(y, stored_as(NULL, initial, ty_dtype_of(y)));
    return composite_close(c, y);
}

ty_tensor *ty_sum_where(ty_tensor *x, ty_axes axes, ty_tensor *where, ty_tensor *initial) {
    return folded("sum_where", x, axes, where, initial, ty_sum, ty_add, 0);
}
ty_tensor *ty_prod_where(ty_tensor *x, ty_axes axes, ty_tensor *where, ty_tensor *initial) {
    return folded("prod_where", x, axes, where, initial, ty_prod, ty_mul, 1);
}
ty_tensor *ty_any_where(ty_tensor *x, ty_axes axes, ty_tensor *where) {
    return folded("any_where", x, axes, where, NULL, ty_any, NULL, 0);
}
ty_tensor *ty_all_where(ty_tensor *x, ty_axes axes, ty_tensor *where) {
    return folded("all_where", x, axes, where, NULL, ty_all, NULL, 1);
}

/* Return `value`, 0-d, broadcast to the shape that a reduction of x over these axes has. */
static ty_tensor *filled_like_reduced(ty_tensor *x, ty_axes axes, ty_tensor *value) {
    uint64_t gone = axes_bits(axes, ty_rank(x));
    int64_t shape[TY_MAX_RANK];
    int n = 0;
    for (int i = 0; i < ty_rank(x); i++) {
        if (!(gone >> i & 1))
            shape[n++] = ty_shape(x)[i];
        else if (axes.keep)
            shape[n++] = 1;
    }
    return ty_broadcast(value, n, shape);
}

/* Return the masked maximum or minimum of x over the axes, as `reduce` and `combine` compute it. Extremes
   have no identity, so excluded elements become `initial`, which a mask requires. where and initial may be
   NULL. Poison, in the name of function `name`, on failure. */
static ty_tensor *extreme(const char *name, ty_tensor *x, ty_axes axes, ty_tensor *where, ty_tensor *initial,
                          reduction reduce, combination combine) {
    ty_tensor *bad = refuse_masked(name, x, axes, where, initial);
    if (bad) return bad;
    if (where && !initial)
        return refuse(name, 2, (ty_tensor *[]){x, where}, E_ARGUMENT,
                      "a mask may select nothing: give an initial value");
    if (!initial) return reduce(x, axes);
    ty_tensor *operands[] = {x, where ? where : x};
    struct composite c = composite_open(name, 2, operands);
    ty_tensor *first = stored_as(NULL, initial, ty_dtype_of(operands[0]));
    if (!ty_ok(first) || count_reduced(x, axes) == 0)
        return composite_close(c, ty_ok(first) ? filled_like_reduced(x, axes, first) : first);
    ty_tensor *some = where ? ty_where(operands[1], operands[0], first) : operands[0];
    return composite_close(c, combine(reduce(some, axes), first));
}

ty_tensor *ty_amax_where(ty_tensor *x, ty_axes axes, ty_tensor *where, ty_tensor *initial) {
    return extreme("amax_where", x, axes, where, initial, ty_amax, ty_max);
}
ty_tensor *ty_amin_where(ty_tensor *x, ty_axes axes, ty_tensor *where, ty_tensor *initial) {
    return extreme("amin_where", x, axes, where, initial, ty_amin, ty_min);
}

ty_tensor *ty_mean_where(ty_tensor *x, ty_axes axes, ty_tensor *where) {
    ty_tensor *bad = refuse_masked("mean_where", x, axes, where, NULL);
    if (bad) return bad;
    if (!where) return ty_mean(x, axes);
    ty_tensor *operands[] = {x, where};
    struct composite c = composite_open("mean_where", 2, operands);
    ty_tensor *values = averaged(operands[0]);
    ty_tensor *mask = ty_broadcast(operands[1], ty_rank(x), ty_shape(x));
    ty_tensor *count =
        ty_ok(values) ? ty_cast(ty_sum(mask, axes), dtype_table[ty_dtype_of(values)].real) : values;
    return composite_close(c, ty_div(ty_sum(chosen(values, mask, 0), axes), count));
}
