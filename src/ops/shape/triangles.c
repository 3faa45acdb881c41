/* Diagonals and triangles of matrices in the last two axes.  Masks compare column index - row index with an offset. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "base/checked.h"
#include "ops/shape/arrange.h"

static ty_tensor *refuse_sizes(const char *name, ty_dtype dtype, int64_t n, int64_t m) {
    if (!dtype_valid(dtype)) return refuse_dtype_of(name, 0, NULL, dtype);
    if (n >= 0 && m >= 0) return NULL;
    return refuse(name, 0, NULL, E_ARGUMENT, "%lld rows and %lld columns; expected 0 or more", (long long)n,
                  (long long)m);
}

ty_tensor *ty_eye_of(ty_dtype dtype, int64_t n, int64_t m, int64_t k) {
    ty_tensor *bad = refuse_sizes("eye", dtype, n, m);
    if (bad) return bad;
    struct composite c = composite_open_plain(NULL, composite_bytes(dtype, 2, (int64_t[]){n, m}), 0, NULL);
    return composite_close(c, ty_cast(ty_eq(diagonal_numbers(n, m), ty_int(k)), dtype));
}

ty_tensor *ty_tri(ty_dtype dtype, int64_t n, int64_t m, int64_t k) {
    ty_tensor *bad = refuse_sizes("tri", dtype, n, m);
    if (bad) return bad;
    struct composite c = composite_open_plain(NULL, composite_bytes(dtype, 2, (int64_t[]){n, m}), 0, NULL);
    return composite_close(c, ty_cast(ty_le(diagonal_numbers(n, m), ty_int(k)), dtype));
}

/* Return x [.., n, m] where (column - row) * sign <= k, else 0. A vector stands for a square matrix of equal
   rows. Poison, in the name of function `name`, if x is 0-d. */
static ty_tensor *triangle(const char *name, ty_tensor *x, int64_t sign, int64_t k) {
    if (!ty_ok(x)) return tensor_share_in(name, x);
    int rank = ty_rank(x);
    if (!rank) return refuse(name, 1, &x, E_SHAPE, "expected a matrix, not a 0-d tensor");
    struct composite c = composite_open_plain(name, 0, 1, &x);
    int64_t m = ty_shape(x)[rank - 1], n = rank > 1 ? ty_shape(x)[rank - 2] : m;
    ty_tensor *numbers = ty_mul(diagonal_numbers(n, m), ty_int(sign));
    ty_tensor *zero = ty_scalar(ty_dtype_of(x), 0);
    return composite_close(c, ty_where(ty_le(numbers, ty_int(k)), x, zero));
}

ty_tensor *ty_tril(ty_tensor *x, int64_t k) { return triangle("tril", x, 1, k); }
ty_tensor *ty_triu(ty_tensor *x, int64_t k) { return triangle("triu", x, -1, negative_of(k)); }

ty_tensor *ty_diagonal_at(ty_tensor *x, int64_t offset, int axis1, int axis2) {
    if (!ty_ok(x)) return tensor_share(x);
    int axes[2];
    ty_tensor *bad = take_axes("diagonal", x, ty_rank(x), 2, (int64_t[]){axis1, axis2}, axes);
    if (bad) return bad;
    int cut = axes[offset > 0];
    int64_t size = ty_shape(x)[cut], start = offset > 0 ? offset : negative_of(offset);
    ty_scope *scope = ty_open();
    return leave(scope, ty_diagonal(range_of(x, cut, start < size ? start : size, size), axes[0], axes[1]));
}

/* Return a square matrix with the vector v on diagonal k (column - row; negative: below) and zeros elsewhere.
   v followed by n zeros is one row and a step to the right, so the copies of that, cut to n * n elements, are
   the square part. Poison if it is too large. */
static ty_tensor *on_diagonal(ty_tensor *v, int64_t k) {
    int64_t n = ty_size(v), away = k < 0 ? negative_of(k) : k, side;
    if (__builtin_add_overflow(n, away, &side) || side >= INT64_C(1) << 31)
        return refuse("diag", 1, &v, E_LIMIT, "a matrix of offset %lld is too large", (long long)k);
    ty_padding around[2] = {{k < 0 ? away : 0, k > 0 ? away : 0, 0}, {k > 0 ? away : 0, k < 0 ? away : 0, 0}};
    ty_tensor *square =
        ty_pad(ty_expand(v, 1), (ty_padding[]){{0, 0, 0}, {0, n, 0}}, ty_scalar(ty_dtype_of(v), 0));
    ty_tensor *line = range_of(ty_ravel(square), 0, 0, n * n);
    return ty_pad(ty_reshape(line, TY_SHAPE(n, n)), around, ty_scalar(ty_dtype_of(v), 0));
}

ty_tensor *ty_diag(ty_tensor *x, int64_t k) {
    if (!ty_ok(x)) return tensor_share(x);
    int rank = ty_rank(x);
    if (rank < 1) return refuse("diag", 1, &x, E_SHAPE, "expected a vector or matrix, not a 0-d tensor");
    if (rank > 1) return ty_diagonal_at(x, k, -2, -1);
    ty_scope *scope = ty_open();
    return leave_as("diag", scope, x, on_diagonal(x, k));
}

ty_tensor *ty_diagflat(ty_tensor *x, int64_t k) {
    ty_scope *scope = ty_open();
    return leave_as("diagflat", scope, x, ty_diag(ty_ravel(x), k));
}

/* MOST_SIDE: products with sides stay in 64 bits.  MANY_ROWS: more rows are counted only after allocating a vector
   of that length succeeded. */
#define MOST_SIDE (INT64_C(1) << 60)
enum { MANY_ROWS = 1 << 20 };

/* Compute the columns of row i, of an m-column matrix, with low <= column - row <= high: from *begin up to
   the returned end, exclusive. */
static int64_t columns_between(int64_t i, int64_t m, int64_t low, int64_t high, int64_t *begin) {
    *begin = clamped(i + low, 0, m);
    return clamped(i + high + 1, 0, m);
}

/* Set out[0] and out[1] to row and column indices, i64 vectors, of elements with low <= column - row <= high.
   The matrix is n by m; elements are in row-major order. False if out[] is poisoned, in the name of function
   `name`, or out is NULL. */
static bool places_between(const char *name, int64_t n, int64_t m, int64_t low, int64_t high,
                           ty_tensor **out) {
    if (!out) return false;
    ty_tensor *bad = refuse_sizes(name, TY_I64, n, m);
    if (!bad && (n > MOST_SIDE || m > MOST_SIDE))
        bad = refuse(name, 0, NULL, E_LIMIT, "%lld rows and %lld columns are too many", (long long)n,
                     (long long)m);
    if (bad) return results_poisoned(2, out, bad);
    low = clamped(low, -n, m), high = clamped(high, -n - 1, m);
    /* rows with at least one element each, so that they are no more than the result's elements */
    int64_t first = high < 0 ? -high : 0, last = m - low < n ? m - low : n, count = 0, begin, *rows, *columns;
    if (m == 0 || low > high || last < first) last = first;
    if (last - first > MANY_ROWS && !ty_ok(bad = index_vector(last - first, &rows)))
        return results_poisoned(2, out, bad);
    for (int64_t i = first; i < last && count <= MOST_SIDE; i++) {
        int64_t end = columns_between(i, m, low, high, &begin);
        count += end - begin;
    }
    out[0] = index_vector(count, &rows);
    out[1] = index_vector(count, &columns);
    if (!results_settled(2, out)) return false;
    for (int64_t i = first; i < last; i++) {
        int64_t end = columns_between(i, m, low, high, &begin);
        for (int64_t j = begin; j < end; j++) {
            *rows++ = i;
            *columns++ = j;
        }
    }
    return true;
}

bool ty_tril_indices(int64_t n, int64_t m, int64_t k, ty_tensor **out) {
    return places_between("tril_indices", n, m, INT64_MIN, k, out);
}
bool ty_triu_indices(int64_t n, int64_t m, int64_t k, ty_tensor **out) {
    return places_between("triu_indices", n, m, k, INT64_MAX, out);
}
