/* Predicates of matrices (the last two axes) and of pairs of tensors.  Results that depend on elements are bool
   tensors, one element per matrix, so that they work on promises.  With tolerance 0 they are exact. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "ops/core/variable.h"
#include "ops/shape/arrange.h"

bool ty_is_square(const ty_tensor *x) {
    int rank = ty_ok(x) ? ty_rank(x) : 0;
    return rank > 1 && ty_shape(x)[rank - 1] == ty_shape(x)[rank - 2];
}

static ty_tensor *is_near(ty_tensor *difference, double tolerance) {
    return ty_le(ty_abs(difference), ty_num(tolerance));
}

/* Return x in a floating or complex dtype, to which integers are cast: their differences and absolute values
   would wrap in comparisons with a tolerance. */
static ty_tensor *measured(ty_tensor *x) {
    if (ty_ok(x)) cast_to_common(NULL, 1, &x, FLOATING, &x);
    return x;
}

static ty_tensor *over_matrix(ty_tensor *x) { return ty_all(x, ty_axes_of(2, (int[]){-2, -1}, false)); }

/* Return, for each matrix of x [.., m, n], a bool [..]: true if |x| <= tolerance wherever column - row is
   less than low or above high. Poison, in the name of function `name`, if x is no matrix. */
static ty_tensor *is_banded(const char *name, ty_tensor *x, int64_t low, int64_t high, double tolerance) {
    if (!ty_ok(x)) return tensor_share_in(name, x);
    int rank = ty_rank(x);
    if (rank < 2) return refuse(name, 1, &x, E_SHAPE, "expected a matrix, not %d axes", rank);
    struct composite c = composite_open_plain(name, 0, 1, &x);
    ty_tensor *numbers = diagonal_numbers(ty_shape(x)[rank - 2], ty_shape(x)[rank - 1]);
    ty_tensor *inside = ty_logical_and(ty_ge(numbers, ty_int(low)), ty_le(numbers, ty_int(high)));
    ty_tensor *zero =
        tolerance > 0 ? is_near(measured(x), tolerance) : ty_eq(x, ty_scalar(ty_dtype_of(x), 0));
    return composite_close(c, over_matrix(ty_logical_or(inside, zero)));
}

ty_tensor *ty_is_triu(ty_tensor *x, double tolerance) {
    return is_banded("is_triu", x, 0, INT64_MAX, tolerance);
}
ty_tensor *ty_is_tril(ty_tensor *x, double tolerance) {
    return is_banded("is_tril", x, INT64_MIN + 1, 0, tolerance);
}
ty_tensor *ty_is_diag(ty_tensor *x, double tolerance) { return is_banded("is_diag", x, 0, 0, tolerance); }

/* Return, for each matrix of x [.., m, n], a bool [..]: true if it equals its transpose, conjugated if
   `conjugated`, to within `tolerance` (0: exactly); false if it is not square. Poison, in the name of
   function `name`, if x is no matrix. */
static ty_tensor *equals_mirror(const char *name, ty_tensor *x, bool conjugated, double tolerance) {
    if (!ty_ok(x)) return tensor_share_in(name, x);
    int rank = ty_rank(x);
    if (rank < 2) return refuse(name, 1, &x, E_SHAPE, "expected a matrix, not %d axes", rank);
    if (!ty_is_square(x)) {
        ty_scope *scope = ty_open();
        ty_tensor *no = ty_scalar(TY_BOOL, 0);
        return leave(scope, ty_contiguous(ty_broadcast(no, rank - 2, ty_shape(x))));
    }
    struct composite c = composite_open_plain(name, 0, 1, &x);
    if (tolerance > 0) x = measured(x);
    ty_tensor *mirror = ty_transpose(conjugated ? ty_conj(x) : x);
    ty_tensor *same = tolerance > 0 ? is_near(ty_sub(x, mirror), tolerance) : ty_eq(x, mirror);
    return composite_close(c, over_matrix(same));
}

ty_tensor *ty_is_symmetric(ty_tensor *x, double tolerance) {
    return equals_mirror("is_symmetric", x, false, tolerance);
}
ty_tensor *ty_is_hermitian(ty_tensor *x, double tolerance) {
    return equals_mirror("is_hermitian", x, true, tolerance);
}

/* Return a 0-d bool: true if all elements of a and b, broadcast, are equal; NaNs are equal if equal_nan.
   Poison, in the name of function `name`, on failure. */
static ty_tensor *all_equal(const char *name, ty_tensor *a, ty_tensor *b, bool equal_nan) {
    ty_tensor *x[] = {a, b};
    struct composite c = composite_open_plain(name, 0, 2, x);
    ty_tensor *same = ty_eq(x[0], x[1]);
    if (equal_nan) same = ty_logical_or(same, ty_logical_and(ty_is_nan(x[0]), ty_is_nan(x[1])));
    return composite_close(c, ty_all(same, TY_ALL));
}

ty_tensor *ty_array_equal(ty_tensor *a, ty_tensor *b, bool equal_nan) {
    ty_tensor *bad = first_poison(2, (ty_tensor *[]){a, b});
    if (bad) return bad;
    if (!shape_equal(ty_rank(a), ty_shape(a), ty_rank(b), ty_shape(b))) return ty_scalar(TY_BOOL, 0);
    return all_equal("array_equal", a, b, equal_nan);
}

ty_tensor *ty_array_equiv(ty_tensor *a, ty_tensor *b) {
    ty_tensor *bad = first_poison(2, (ty_tensor *[]){a, b});
    if (bad) return bad;
    int64_t shape[TY_MAX_RANK];
    int rank = ty_rank(a), axis;
    memcpy(shape, ty_shape(a), sizeof *shape * (size_t)rank);
    if (!shape_broadcast(&rank, shape, ty_rank(b), ty_shape(b), &axis)) return ty_scalar(TY_BOOL, 0);
    return all_equal("array_equiv", a, b, false);
}

/* True if the memory ranges, from first to last byte, of two tensors on one buffer overlap; false if one is
   empty. */
static bool meet(const struct variable_use *a, const struct variable_use *b) {
    const struct variable_use *uses[] = {a, b};
    int64_t begin[2], end[2];
    for (int i = 0; i < 2; i++) {
        const ty_tensor *x = uses[i]->leaf;
        int64_t size = (int64_t)dtype_table[x->dtype].size, low, high;
        struct layout from_first = {
            .rank = x->layout.rank, .shape = x->layout.shape, .strides = x->layout.strides};
        layout_extent(&from_first, &low, &high);
        begin[i] = uses[i]->offset + low * size;
        end[i] = uses[i]->offset + high * size;
    }
    return begin[0] < end[1] && begin[1] < end[0] && begin[0] < end[0] && begin[1] < end[1];
}

bool ty_shares_memory(ty_tensor *a, ty_tensor *b) {
    if (!ty_ok(a) || !ty_ok(b)) return false;
    ty_scope *scope = ty_open();
    struct variable_use uses[] = {{.leaf = tensor_resolve(a)}, {.leaf = tensor_resolve(b)}};
    struct buffer *dead = NULL;
    variables_take(2, uses);
    bool shares = uses[0].buffer && uses[0].buffer == uses[1].buffer && meet(&uses[0], &uses[1]);
    variables_give(2, uses, false, &dead);
    buffers_end(dead);
    ty_close(scope);
    return shares;
}
