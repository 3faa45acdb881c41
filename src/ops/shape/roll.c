/* Roll: shifts elements along axes; those that leave at one end enter at the other. */
#include <tyto/shape.h>
#include "ops/shape/arrange.h"

/* Return x with its elements moved by `shift`, cyclically, to higher indices (negative: lower) along `axis`,
   not negative, by a concatenation of two slices; x itself if nothing moves. */
static ty_tensor *roll_axis(ty_tensor *x, int axis, int64_t shift) {
    if (!ty_ok(x)) return tensor_share(x);
    int64_t n = ty_shape(x)[axis];
    if (n) shift = (shift % n + n) % n;
    if (n == 0 || shift == 0) return tensor_share(tensor_resolve(x));
    ty_tensor *parts[] = {range_of(x, axis, n - shift, n), range_of(x, axis, 0, n - shift)};
    return ty_concat(2, parts, axis);
}

ty_tensor *ty_roll(ty_tensor *x, int n, const int64_t *shifts, const int64_t *axes) {
    if (!ty_ok(x)) return tensor_share(x);
    ty_tensor *bad = NULL, *y = x;
    int rank = ty_rank(x);
    if ((bad = refuse_missing("roll", n, shifts, "shifts"))) return bad;
    if (!axes && n != 1)
        return refuse("roll", 1, &x, E_ARGUMENT, "without axes expected one shift, not %d", n);
    ty_scope *scope = ty_open();
    if (!axes) return leave(scope, reshape_like(roll_axis(ty_ravel(x), 0, shifts[0]), rank, ty_shape(x)));
    for (int i = 0; i < n && ty_ok(y); i++) {
        int axis = take_axis("roll", x, rank, axes[i], &bad);
        y = bad ? bad : roll_axis(y, axis, shifts[i]);
    }
    return leave_as("roll", scope, bad ? bad : x, n < 1 ? tensor_share(tensor_resolve(x)) : y);
}
