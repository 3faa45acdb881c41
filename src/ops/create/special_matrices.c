/* Named matrices.  Those made of a vector are windows over it; others come from a formula of row and column. */
#include <float.h>
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "base/machine/floating.h"
#include "ops/shape/arrange.h"

/* Return the matrix, of m columns, whose row i is elements i .. i+m-1 of the vector `line`; `back` reverses
   the order of the rows. Closes `scope`. Poison, in the name of function `name` on operand x, on failure. */
static ty_tensor *rows_of(const char *name, ty_scope *scope, ty_tensor *x, ty_tensor *line, int64_t m,
                          bool back) {
    ty_tensor *y = ty_window(line, 0, m, 1, 1);
    return leave_as(name, scope, x, ty_contiguous(back ? ty_flip(y, 0) : y));
}

/* Check that the n operands are non-empty vectors. Return poison, in the name of function `name`, or NULL
   if they are. */
static ty_tensor *refuse_vectors(const char *name, int n, ty_tensor **x) {
    ty_tensor *bad = first_poison_in(name, n, x);
    for (int i = 0; i < n && !bad; i++)
        if (ty_rank(x[i]) != 1 || ty_size(x[i]) == 0)
            bad = refuse(name, n, x, E_SHAPE, "operand %d must be a vector of at least one element", i);
    return bad;
}

ty_tensor *ty_toeplitz(ty_tensor *column, ty_tensor *row) {
    ty_tensor *x[] = {column, row}, *bad = refuse_vectors("toeplitz", 2, x);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    int64_t m = ty_size(row);
    ty_tensor *parts[] = {ty_flip(column, 0), range_of(row, 0, 1, m)};
    return rows_of("toeplitz", scope, column, ty_concat(2, parts, 0), m, true);
}

ty_tensor *ty_hankel(ty_tensor *column, ty_tensor *row) {
    ty_tensor *x[] = {column, row}, *bad = refuse_vectors("hankel", 2, x);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    int64_t m = ty_size(row);
    ty_tensor *parts[] = {column, range_of(row, 0, 1, m)};
    return rows_of("hankel", scope, column, ty_concat(2, parts, 0), m, false);
}

ty_tensor *ty_circulant(ty_tensor *column) {
    ty_tensor *bad = refuse_vectors("circulant", 1, &column);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    int64_t n = ty_size(column);
    ty_tensor *back = ty_flip(column, 0), *parts[] = {back, range_of(back, 0, 0, n - 1)};
    return rows_of("circulant", scope, column, ty_concat(2, parts, 0), n, true);
}

ty_tensor *ty_companion(ty_tensor *a) {
    ty_tensor *bad = refuse_vectors("companion", 1, &a);
    int64_t n = bad ? 0 : ty_size(a);
    if (!bad && n < 2)
        bad = refuse("companion", 1, &a, E_ARGUMENT,
                     "expected at least 2 coefficients, a polynomial of degree 1");
    if (bad) return bad;
    struct composite c = composite_open_plain(
        "companion", composite_bytes(ty_dtype_of(a), 2, (int64_t[]){n - 1, n - 1}), 1, &a);
    ty_tensor *x = as_floating(a), *first = ty_neg(ty_div(range_of(x, 0, 1, n), range_of(x, 0, 0, 1)));
    ty_tensor *rows[] = {ty_expand(first, 0), ty_eye_of(ty_dtype_of(x), n - 2, n - 1, 0)};
    return composite_close(c, ty_concat(2, rows, 0));
}

ty_tensor *ty_vander(ty_tensor *x, int64_t n, bool increasing) {
    if (!ty_ok(x)) return tensor_share(x);
    if (ty_rank(x) != 1 || n < 0)
        return refuse("vander", 1, &x, E_SHAPE, "expected a vector and a number of columns");
    ty_scope *scope = ty_open();
    ty_tensor *base = ty_cast(x, dtype_table[ty_dtype_of(x)].sums), *powers = ty_iota(TY_I64, 1, &n, 0);
    if (!increasing) powers = ty_flip(powers, 0);
    return leave_as("vander", scope, x, ty_pow(ty_expand(base, 1), ty_cast(powers, ty_dtype_of(base))));
}

ty_tensor *ty_hilbert(ty_dtype dtype, int64_t n) {
    if (n < 0) return refuse("hilbert", 0, NULL, E_ARGUMENT, "size %lld is negative", (long long)n);
    struct composite c = composite_open_plain(NULL, composite_bytes(TY_F64, 2, (int64_t[]){n, n}), 0, NULL);
    ty_tensor *sum = ty_add(ty_add(row_numbers(n), column_numbers(n)), ty_int(1));
    return composite_close(c, ty_cast(ty_div(ty_num(1), ty_cast(sum, TY_F64)), dtype));
}

/* ---- from formulas ---- */

static void hadamard_element(const int64_t *index, void *element, void *context) {
    (void)context;
    *(double *)element = __builtin_popcountll((uint64_t)(index[0] & index[1])) & 1 ? -1 : 1;
}

ty_tensor *ty_hadamard(ty_dtype dtype, int64_t n) {
    if (n < 1 || (n & (n - 1)))
        return refuse("hadamard", 0, NULL, E_ARGUMENT, "size %lld is not a power of two", (long long)n);
    ty_scope *scope = ty_open();
    return leave(scope, ty_cast(ty_from_function(TY_F64, TY_SHAPE(n, n), hadamard_element, NULL), dtype));
}

/* Return the element in row i, column j, from 0, of a magic square of odd order n, with the numbers 1 .. n^2:
   the Siamese method as a formula, with 1 in the middle of the first row. */
static int64_t magic_odd(int64_t n, int64_t i, int64_t j) {
    return n * ((i + j + 1 + n / 2) % n) + (i + 2 * j + 1) % n + 1;
}

/* Write the element in row index[0], column index[1] of a magic square, an int64_t, to *element. context
   points to its order, an int64_t >= 1 that is not 2. */
static void magic_element(const int64_t *index, void *element, void *context) {
    int64_t n = *(const int64_t *)context, i = index[0], j = index[1], *out = element;
    if (n % 2) {
        *out = magic_odd(n, i, j);
    } else if (n % 4 == 0) {
        bool kept = (i % 4 == 0 || i % 4 == 3) == (j % 4 == 0 || j % 4 == 3);
        *out = kept ? n * n - (i * n + j) : i * n + j + 1;
    } else {
        /* LUX (Strachey): four odd squares, some rows of the upper and lower halves exchanged */
        int64_t h = n / 2, k = (n - 2) / 4, row = i % h, column = j % h;
        bool exchanged = column < k ? j < h : j >= h && j >= n - k + 1;
        if (j < h && row == k) exchanged = column >= 1 && column <= k;
        bool lower = (i >= h) != exchanged, right = j >= h;
        static const int64_t quarter[2][2] = {{0, 2}, {3, 1}};
        *out = magic_odd(h, row, column) + quarter[lower][right] * h * h;
    }
}

ty_tensor *ty_magic(ty_dtype dtype, int64_t n) {
    if (n < 1 || n == 2 || n >= INT64_C(1) << 30)
        return refuse("magic", 0, NULL, E_ARGUMENT, "there is no magic square of size %lld", (long long)n);
    ty_scope *scope = ty_open();
    return leave(scope, ty_cast(ty_from_function(TY_I64, TY_SHAPE(n, n), magic_element, &n), dtype));
}

/* Return the binomial coefficient "n over k", 0 <= k <= n / 2, exact below 2^53. Its factors are multiplied as the sum
   of two doubles, since long doubles have other digits on other machines. */
static double binomial(int64_t n, int64_t k) {
    static const int SCALE = 64;
    static const double FAR = 0x1p960; /* infinite when scaled back; the next product does not overflow */
    double high = ldexp(1, -SCALE), low = 0;
    for (int64_t i = 1; i <= k && high < FAR; i++) {
        double a = (double)(n - k + i), b = (double)i, product = high * a, quotient = product / b;
        low = ((fma(high, a, -product) + low * a) + fma(-quotient, b, product)) / b;
        high = quotient + low;
        low -= high - quotient;
    }
    return ldexp(high, SCALE);
}

/* Write element (index[0], index[1]) of the symmetric Pascal matrix, binomial(index[0] + index[1], index[0]),
   a double, to *element. context is not used. */
static void binomial_element(const int64_t *index, void *element, void *context) {
    (void)context;
    *(double *)element = binomial(index[0] + index[1], index[0] < index[1] ? index[0] : index[1]);
}

ty_tensor *ty_pascal(ty_dtype dtype, int64_t n) {
    FLOATING_DEFAULT;
    if (n < 0) return refuse("pascal", 0, NULL, E_ARGUMENT, "size %lld is negative", (long long)n);
    ty_scope *scope = ty_open();
    return leave(scope, ty_cast(ty_from_function(TY_F64, TY_SHAPE(n, n), binomial_element, NULL), dtype));
}

ty_tensor *ty_rosser(ty_dtype dtype) {
    static const int16_t elements[] = {611, 196, -192, 407,  -8,  -52,  -49, 29,  196, 899, 113,  -192, -71,
                                       -43, -8,  -44,  -192, 113, 899,  196, 61,  49,  8,   52,   407,  -192,
                                       196, 611, 8,    44,   59,  -23,  -8,  -71, 61,  8,   411,  -599, 208,
                                       208, -52, -43,  49,   44,  -599, 411, 208, 208, -49, -8,   8,    59,
                                       208, 208, 99,   -911, 29,  -44,  52,  -23, 208, 208, -911, 99};
    ty_scope *scope = ty_open();
    return leave(scope, ty_cast(ty_from(TY_I16, TY_SHAPE(8, 8), elements), dtype));
}
