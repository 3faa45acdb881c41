/* Replacement of the diagonal, a strided range of the flattened elements. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/shape.h>
#include "base/number.h"
#include "ops/core/structure.h"

/* Compute the range 0, *step, 2 *step, .. below *end of x's diagonal in flattened order; `wrap` restarts it
   below the square of a tall matrix. Return poison if x has no diagonal, else NULL. */
static ty_tensor *diagonal_range(ty_tensor *x, bool wrap, int64_t *step, int64_t *end) {
    int rank = ty_rank(x);
    const int64_t *shape = ty_shape(x);
    if (rank < 2) return refuse("fill_diagonal", 1, &x, E_SHAPE, "a diagonal needs two axes, not %d", rank);
    *end = ty_size(x);
    *step = 1;
    if (rank == 2) {
        *step = shape[1] + 1;
        if (!wrap && shape[0] > shape[1]) *end = shape[1] * shape[1];
        return NULL;
    }
    for (int i = 1; i < rank; i++)
        if (shape[i] != shape[0])
            return refuse("fill_diagonal", 1, &x, E_SHAPE,
                          "with more than two axes, all must have the same size");
    int64_t apart = 1;
    for (int i = 1; i < rank; i++) *step += apart *= shape[0];
    return NULL;
}

/* Return a vector of n elements: those of `values` in row-major order, repeated cyclically or cut. A 0-d
   tensor is returned as it is. Poison on failure. */
static ty_tensor *in_turn(ty_tensor *values, int64_t n) {
    if (ty_rank(values) == 0) return values;
    int64_t size = ty_size(values);
    ty_tensor *flat = ty_reshape(values, 1, (int64_t[]){-1});
    if (size >= n) return ty_slice(flat, 0, 0, n, 1);
    return ty_gather(flat, ty_mod(ty_iota(TY_I64, 1, &n, 0), ty_int(size)), 0);
}

ty_tensor *ty_fill_diagonal(ty_tensor *x, ty_tensor *value, bool wrap) {
    ty_tensor *operands[] = {x, value}, *bad = first_poison(2, operands);
    int64_t step = 1, end = 0;
    if (bad || (bad = diagonal_range(x, wrap, &step, &end))) return bad;
    int64_t n = ceil_div(end, step);
    if (n == 0) return tensor_share(tensor_resolve(x));
    if (ty_size(value) == 0)
        return refuse("fill_diagonal", 2, operands, E_SHAPE, "there are no values to insert");
    ty_scope *scope = ty_open();
    ty_tensor *flat = ty_reshape(x, 1, (int64_t[]){-1}), *values = stored_as(NULL, value, ty_dtype_of(x));
    ty_index range = {.kind = TY_INDEX_RANGE, .start = 0, .stop = end, .step = step};
    ty_tensor *y = ty_ok(values) ? ty_set(flat, 1, &range, in_turn(values, n)) : values;
    return leave_as("fill_diagonal", scope, x, ty_ok(y) ? ty_reshape(y, ty_rank(x), ty_shape(x)) : y);
}
