/* Arithmetic and geometric sequences, grids of them, and complex numbers from parts. */
#include <math.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "base/machine/floating.h"
#include "base/math/scalar.h"
#include "base/wide.h"
#include "ops/shape/arrange.h"

ty_tensor *ty_arange(ty_dtype dtype, double start, double stop, double step) {
    FLOATING_DEFAULT;
    double n = ceil((stop - start) / step);
    if (!dtype_valid(dtype)) return refuse_dtype_of("arange", 0, NULL, dtype);
    if (!(step != 0) || !isfinite(start) || !isfinite(stop) || !isfinite(step))
        return refuse("arange", 0, NULL, E_ARGUMENT,
                      "from %g to %g in steps of %g: the step must not be 0, and all must be finite", start,
                      stop, step);
    if (n >= 0x1p62) return refuse("arange", 0, NULL, E_LIMIT, "%g elements are too many", n);
    return ty_steps(dtype, start, step, n > 0 ? (int64_t)n : 0);
}

/* Read x, a tensor of one integer, signed or not, into *out. Evaluates a promise. False if its value cannot
   be computed. */
static bool read_integer(ty_tensor *x, wide *out) {
    int64_t value;
    bool natural = ty_dtype_of(x) == TY_U64;
    if (!ty_read(x, natural ? TY_U64 : TY_I64, (void *)&value)) return false;
    *out = natural ? wide_of_natural((uint64_t)value) : wide_of(value);
    return true;
}

/* Return Python's range x[0], x[0] + x[2], .. up to but without x[1], as integers of `dtype`; x[] = start,
   stop, step. Computed exactly in 128 bits. Poison if step is 0 or there are too many elements. */
static ty_tensor *range_exact(ty_dtype dtype, ty_tensor *const *x) {
    wide start, stop, step;
    if (!read_integer(x[0], &start) || !read_integer(x[1], &stop) || !read_integer(x[2], &step))
        return tensor_out_of_memory();
    if (wide_compare(step, wide_of(0)) == 0)
        return refuse("arange", 0, NULL, E_ARGUMENT, "the step must not be 0");
    /* rounded up */
    wide n = wide_subtract(wide_of(0), wide_floor_divide(wide_subtract(start, stop), step));
    if (wide_less(n, wide_of(0))) n = wide_of(0);
    if (!wide_less(n, wide_of((int64_t)1 << 62)))
        return refuse("arange", 0, NULL, E_LIMIT, "%g elements are too many", wide_double(n));
    return arange_exact(dtype, (int64_t)wide_low(start), (int64_t)wide_low(step), (int64_t)wide_low(n));
}

ty_tensor *ty_arange_of(ty_dtype dtype, ty_tensor *start, ty_tensor *stop, ty_tensor *step) {
    ty_tensor *x[] = {start, stop, step}, *bad = first_poison(3, x);
    if (bad) return bad;
    bool integers = dtype_valid(dtype) && dtype_is(dtype, CLASS_INTEGER);
    ty_scope *scope = ty_open();
    for (int i = 0; i < 3; i++) {
        if (ty_size(x[i]) != 1 || dtype_is(ty_dtype_of(x[i]), CLASS_COMPLEX))
            return leave(scope, refuse("arange", 1, x + i, E_DTYPE,
                                       "start, stop and step must be real numbers, one each"));
        x[i] = ty_eval(x[i]);
        if (!ty_ok(x[i])) return leave(scope, x[i]);
        integers = integers && dtype_is(ty_dtype_of(x[i]), CLASS_INTEGER);
    }
    ty_tensor *y =
        integers ? range_exact(dtype, x) : ty_arange(dtype, ty_item(x[0]), ty_item(x[1]), ty_item(x[2]));
    return leave(scope, y);
}

ty_tensor *ty_logspace(ty_dtype dtype, double first, double last, int64_t n, double base) {
    struct composite c = open_line(dtype, n);
    ty_tensor *exponents = ty_linspace(TY_F64, first, last, n);
    return composite_close(c, ty_cast(ty_pow(ty_scalar(TY_F64, base), exponents), dtype));
}

/* Return n values of constant ratio from `first` to `last`, both exact, as powers of 10; negative ends are
   mirrored. Poison unless both ends are finite and of one sign. */
ty_tensor *ty_geomspace(ty_dtype dtype, double first, double last, int64_t n) {
    FLOATING_DEFAULT;
    if (!(first * last > 0) || !isfinite(first) || !isfinite(last))
        return refuse("geomspace", 0, NULL, E_ARGUMENT,
                      "from %g to %g: both ends must be finite, not 0 and of the same sign", first, last);
    struct composite c = open_line(dtype, n);
    double sign = first < 0 ? -1 : 1;
    ty_tensor *exponents = ty_linspace(TY_F64, math_log10(first * sign), math_log10(last * sign), n);
    ty_tensor *x = ty_mul(ty_pow(ty_scalar(TY_F64, 10), exponents), ty_num(sign));
    if (n > 0) {
        ty_tensor *i = ty_iota(TY_I64, 1, &n, 0);
        if (n > 1) x = ty_where(ty_eq(i, ty_int(n - 1)), ty_num(last), x);
        x = ty_where(ty_eq(i, ty_int(0)), ty_num(first), x);
    }
    return composite_close(c, ty_cast(x, dtype));
}

/* Broadcast x[n], vectors or 0-d, to a common grid, into out[n]: x[i] varies along axis i of out[i]. `xy`
   swaps the first two axes, so that matrices of (x, y) have y along their rows. False on failure: all out[]
   are then poison. */
bool ty_meshgrid(int n, ty_tensor *const *x, bool xy, ty_tensor **out) {
    int64_t shape[TY_MAX_RANK];
    ty_tensor *bad = first_poison(n, x);
    if (!bad && n > TY_MAX_RANK)
        bad = refuse("meshgrid", 0, x, E_LIMIT, "%d axes; expected at most %d", n, TY_MAX_RANK);
    for (int i = 0; i < n && !bad; i++) {
        if (ty_rank(x[i]) > 1) bad = refuse("meshgrid", 1, x + i, E_SHAPE, "operand %d must be a vector", i);
        shape[xy && i < 2 && n > 1 ? 1 - i : i] = ty_size(x[i]);
    }
    if (bad || !out) return results_poisoned(n, out, bad);
    for (int i = 0; i < n; i++) {
        int64_t line[TY_MAX_RANK];
        int axis = xy && i < 2 && n > 1 ? 1 - i : i;
        for (int k = 0; k < n; k++) line[k] = k == axis ? shape[k] : 1;
        ty_scope *scope = ty_open();
        out[i] = leave_as("meshgrid", scope, x[i], ty_broadcast(ty_reshape(x[i], n, line), n, shape));
    }
    return results_settled(n, out);
}

ty_tensor *ty_unit(ty_dtype dtype, int64_t n, int64_t i) {
    FLOATING_DEFAULT;
    if (n < 0) return refuse("unit", 0, NULL, E_ARGUMENT, "length %lld is negative", (long long)n);
    if (i < -n || i >= n)
        return refuse("unit", 0, NULL, E_INDEX, "index %lld is out of bounds; expected %lld..%lld",
                      (long long)i, (long long)-n, (long long)n - 1);
    ty_scope *scope = ty_open();
    return leave(scope, ty_one_hot(ty_scalar(TY_I64, (double)(i < 0 ? i + n : i)), n, dtype));
}

ty_tensor *ty_from_parts(ty_tensor *real, ty_tensor *imaginary) {
    ty_tensor *operands[] = {real, imaginary}, *parts[2], *bad = first_poison(2, operands);
    if (bad) return bad;
    for (int i = 0; i < 2; i++)
        if (dtype_is(ty_dtype_of(operands[i]), CLASS_COMPLEX))
            return refuse("from_parts", 2, operands, E_DTYPE, "the parts must be real");
    ty_scope *scope = ty_open();
    cast_to_common(NULL, 2, operands, FLOATING, parts);
    for (int i = 0; i < 2; i++) {
        if (ty_ok(parts[i]) && dtype_table[ty_dtype_of(parts[i])].size < 4)
            parts[i] = ty_cast(parts[i], TY_F32);
    }
    ty_tensor *both[2];
    if (!ty_broadcast_together(2, parts, both)) return leave_as("from_parts", scope, real, both[0]);
    ty_dtype dtype = ty_dtype_of(both[0]) == TY_F64 ? TY_C128 : TY_C64;
    /* adjacent in memory, then viewed as complex: keeps infinities and signed zeros, which x + i * y would not */
    ty_tensor *pairs = ty_view_as(ty_stack(2, both, -1), dtype);
    return leave_as("from_parts", scope, real, ty_reshape(pairs, ty_rank(both[0]), ty_shape(both[0])));
}

ty_tensor *ty_polar(ty_tensor *modulus, ty_tensor *angle) {
    ty_tensor *x[] = {modulus, angle}, *bad = first_poison(2, x);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    cast_to_common(NULL, 2, x, FLOATING, x); /* before cosine and sine, so that they have the precision
                                                of the result */
    return leave_as("polar", scope, modulus,
                    ty_from_parts(ty_mul(x[0], ty_cos(x[1])), ty_mul(x[0], ty_sin(x[1]))));
}
