/*
 * Products of quantised numbers with zero points a' and b':
 *
 *   sum of (a - a') * (b - b') = sum of a * b - a' * sum of b - b' * sum of a + a' * b' * number of terms.
 *
 * So the large product stays one of 8-bit integers (Jacob et al., "Quantization and training of neural networks for
 * efficient integer-arithmetic-only inference", CVPR 2018, section 2.3).  All computation is in i32, where wrapping is
 * exact.
 */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "ops/contract/conv.h"
#include "base/options.h"

enum { IN_I32 = 1 + TY_I32 };

static bool is_byte(const ty_tensor *x) {
    return dtype_is(ty_dtype_of(x), CLASS_INTEGER) && ty_dtype_size(ty_dtype_of(x)) == 1;
}

static ty_tensor *refuse_dtypes(const char *name, ty_tensor *const *operands) {
    if (is_byte(operands[0]) && is_byte(operands[1])) return NULL;
    return refuse(name, 2, operands, E_DTYPE,
                  "both must be i8 or u8; for other dtypes use the function without _integer");
}

static ty_tensor *ones(ty_tensor *like, int rank, const int64_t *shape) {
    return ty_broadcast(ty_scalar(ty_dtype_of(like), 1), rank, shape);
}

/* Return y - zero * sum, with `sum` cast to i32: the correction of a sum of products for a zero point. Poison
   stays poison. */
static ty_tensor *take_away(ty_tensor *y, ty_tensor *zero, ty_tensor *sum) {
    return ty_sub(y, ty_mul(zero, ty_cast(sum, TY_I32)));
}

/* Return a zero point cast to i32: a vector of n elements is reshaped to `rank` axes, with n on `axis`. 0-d
   stays 0-d, and NULL stays NULL. */
static ty_tensor *zero_along(ty_tensor *zero, int rank, int axis) {
    if (!zero) return NULL;
    zero = stored_as("zero point", zero, TY_I32);
    if (!ty_ok(zero) || ty_rank(zero) != 1) return zero;
    int64_t shape[TY_MAX_RANK];
    for (int i = 0; i < rank; i++) shape[i] = i == axis ? ty_shape(zero)[0] : 1;
    return ty_reshape(zero, rank, shape);
}

/* ---- matrices ---- */

static ty_tensor *sum_along(ty_tensor *x, int axis) { return ty_sum(x, ty_axes_of(1, &axis, true)); }

/* Return the matrix product of a - a_zero and b - b_zero in i32, for 8-bit integers a [.., M, K] and b [..,
   K, N]. a_zero is 0-d or [M], b_zero 0-d or [N]; NULL stands for 0. Poison on failure. */
static ty_tensor *multiply(ty_tensor *a, ty_tensor *b, ty_tensor *a_zero, ty_tensor *b_zero) {
    ty_tensor *y = matmul_by(a, b, IN_I32);
    if (!ty_ok(y)) return y;
    a_zero = zero_along(a_zero, 2, 0);
    b_zero = zero_along(b_zero, 2, 1);
    if (a_zero) y = take_away(y, a_zero, sum_along(b, -2));
    if (b_zero) y = take_away(y, b_zero, sum_along(a, -1));
    ty_tensor *terms = ty_scalar(TY_I32, (double)(int32_t)ty_shape(a)[ty_rank(a) - 1]);
    return a_zero && b_zero ? ty_add(y, ty_mul(ty_mul(a_zero, b_zero), terms)) : y;
}

ty_tensor *ty_matmul_integer(ty_tensor *a, ty_tensor *b, ty_tensor *a_zero, ty_tensor *b_zero) {
    ty_tensor *all[] = {a, b, a_zero ? a_zero : a, b_zero ? b_zero : b}, *bad = first_poison(4, all);
    if (!bad) bad = refuse_dtypes("matmul_integer", all);
    if (bad) return bad;
    bool row = ty_rank(a) == 1, column = ty_rank(b) == 1;
    ty_scope *scope = ty_open();
    ty_tensor *y = multiply(row ? ty_expand(a, 0) : a, column ? ty_expand(b, 1) : b, a_zero, b_zero);
    if (column) y = ty_squeeze(y, -1);
    if (row) y = ty_squeeze(y, column ? -1 : -2);
    return leave_as("matmul_integer", scope, a, y);
}

/* ---- convolutions ---- */

/* Return ones of x's dtype and shape, but with a batch axis of size 1, since the sums of all images are
   equal. */
static ty_tensor *ones_image(const struct conv *c, ty_tensor *x) {
    int64_t shape[CONV_AXES + 2];
    memcpy(shape, ty_shape(x), sizeof *shape * (size_t)(c->n + 2));
    shape[0] = 1;
    return ones(x, c->n + 2, shape);
}
/* Return ones of w's dtype and shape, but with a single output channel if there are no groups: the sums of
   all output channels are equal. */
static ty_tensor *ones_kernel(const struct conv *c, ty_tensor *w) {
    int64_t shape[CONV_AXES + 2];
    memcpy(shape, ty_shape(w), sizeof *shape * (size_t)(c->n + 2));
    if (c->groups == 1) shape[conv_out(c)] = 1;
    return ones(w, c->n + 2, shape);
}

/* Return the convolution of x - x_zero by w - w_zero in i32, of 8-bit integers, by sums of x and w. Zero
   points may be NULL: 0. Poison on failure. */
static ty_tensor *convolve(const struct conv *c, ty_tensor *x, ty_tensor *w, ty_tensor *x_zero,
                           ty_tensor *w_zero) {
    ty_tensor *y = conv_record(c, x, w, IN_I32);
    x_zero = zero_along(x_zero, c->n + 2, conv_channel(c));
    w_zero = zero_along(w_zero, c->n + 2, conv_channel(c));
    if (x_zero) y = take_away(y, x_zero, conv_record(c, ones_image(c, x), w, IN_I32));
    if (w_zero) y = take_away(y, w_zero, conv_record(c, x, ones_kernel(c, w), IN_I32));
    if (!x_zero || !w_zero) return y;
    ty_tensor *terms = conv_record(c, ones_image(c, x), ones_kernel(c, w), IN_I32);
    return ty_add(y, ty_mul(ty_mul(x_zero, w_zero), terms));
}

/* Check the zero points, of which NULL means 0: x_zero has one element; w_zero is 0-d or a vector of 1 or of
   one per output channel. Return poison, or NULL if they fit. */
static ty_tensor *refuse_zeros(const struct conv *c, ty_tensor **operands, ty_tensor *x_zero,
                               ty_tensor *w_zero) {
    int64_t channels = ty_shape(operands[1])[conv_out(c)];
    if (x_zero && ty_size(x_zero) != 1)
        return refuse("conv_integer", 2, operands, E_ARGUMENT, "x_zero has %lld elements, expected 1",
                      (long long)ty_size(x_zero));
    bool fits = !w_zero || ty_rank(w_zero) == 0 ||
                (ty_rank(w_zero) == 1 && (ty_size(w_zero) == 1 || ty_size(w_zero) == channels));
    return fits ? NULL
                : refuse("conv_integer", 2, operands, E_ARGUMENT,
                         "w_zero has %d axes and %lld elements, expected 1 or %lld", ty_rank(w_zero),
                         (long long)ty_size(w_zero), (long long)channels);
}

ty_tensor *ty_conv_integer_sized(ty_tensor *x, ty_tensor *w, ty_tensor *x_zero, ty_tensor *w_zero,
                                 const ty_conv *given, size_t given_size) {
    OPTIONS(ty_conv, options, given, given_size);
    ty_tensor *all[] = {x, w, x_zero ? x_zero : x, w_zero ? w_zero : w}, *bad = first_poison(4, all);
    struct conv c;
    if (!bad) bad = refuse_dtypes("conv_integer", all);
    int n = bad ? 0 : ty_rank(x) - 2;
    if (!bad && (n < 1 || n > CONV_AXES))
        bad = refuse("conv_integer", 2, all, E_SHAPE,
                     "x has %d axes, expected batch, channels and 1 to %d more", n + 2, CONV_AXES);
    if (!bad) bad = conv_read(&c, n, false, all, &options);
    if (!bad) bad = refuse_zeros(&c, all, x_zero, w_zero);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    return leave_as("conv_integer", scope, x,
                    convolve(&c, x, w, x_zero ? ty_reshape(x_zero, 0, NULL) : NULL, w_zero));
}
