/* Polynomials as vectors of coefficients, highest power first. */
#include <math.h>
#include <tyto/contract.h>
#include <tyto/control.h>
#include <tyto/linalg.h>
#include <tyto/signal.h>
#include "ops/math/numbers.h"
#include "numeric/implicit.h"
#include "signal/horner.h"

enum { MOST_ORDER = 1 << 12 };

/* Return NULL if p is a vector with elements, else poison that begins with `name` and calls p `what`. */
static ty_tensor *refuse_vector(const char *name, ty_tensor *p, const char *what) {
    ty_tensor *bad = first_poison_in(name, 1, &p);
    if (bad) return bad;
    if (ty_rank(p) == 1 && ty_size(p) > 0) return NULL;
    return refuse(name, 1, &p, E_SHAPE, "%s must be a vector of at least one number", what);
}
static ty_tensor *refuse_two(const char *name, ty_tensor *a, ty_tensor *b) {
    ty_tensor *bad = refuse_vector(name, a, "a polynomial");
    return bad ? bad : refuse_vector(name, b, "a polynomial");
}
/* ---- values ---- */

ty_tensor *ty_polyval(ty_tensor *p, ty_tensor *x) {
    ty_tensor *both[] = {p, x}, *bad = first_poison(2, both);
    if (!bad) bad = refuse_vector("polyval", p, "a polynomial");
    if (bad) return bad;
    struct composite c = composite_open_met("polyval", 2, both, COUNTED);
    return composite_close(c, ty_ok(both[1]) ? horner(both[0], both[1]) : both[1]);
}

/* ---- least squares fit ---- */

/* Return NULL if x [n], y [n] or [n, k] and weights [n] or NULL suit a fit of this degree, else poison. */
static ty_tensor *refuse_fit(ty_tensor *x, ty_tensor *y, int64_t degree, ty_tensor *weights) {
    ty_tensor *all[] = {x, y, weights}, *bad = first_poison_in("polyfit", weights ? 3 : 2, all);
    if (bad) return bad;
    if (ty_rank(x) != 1 || ty_size(x) < 1 || ty_rank(y) < 1 || ty_rank(y) > 2 || ty_shape(y)[0] != ty_size(x))
        return refuse("polyfit", 2, all, E_SHAPE, "x must be [m], and y [m] or [m,k], with m of at least 1");
    if (degree < 0 || degree > MOST_ORDER)
        return refuse("polyfit", 2, all, E_ARGUMENT, "degree %lld is out of range; expected 0..%d",
                      (long long)degree, MOST_ORDER);
    if (weights && (ty_rank(weights) != 1 || ty_size(weights) != ty_size(x)))
        return refuse("polyfit", 3, all, E_SHAPE, "weights must be [%lld], one for each x",
                      (long long)ty_size(x));
    return NULL;
}

/* Return the coefficients [degree + 1], or [degree + 1, k] for y [m, k], of the least-squares polynomial,
   highest power first. all[] are x [m], y and, if `weighted`, the weights [m]; they are replaced by
   casts. */
static ty_tensor *nearest(ty_tensor **all, int64_t degree, bool weighted) {
    cast_to_floating(weighted ? 3 : 2, all);
    ty_tensor *a = ty_vander(all[0], degree + 1, false), *b = all[1];
    if (!ty_ok(a) || !ty_ok(b)) return ty_ok(a) ? b : a;
    if (weighted) {
        a = ty_mul(a, ty_expand(all[2], -1));
        b = ty_mul(b, with_axes_behind(all[2], ty_rank(b)));
    }
    ty_tensor *length = ty_sqrt(ty_sum(ty_square(ty_abs(a)), ty_axis(0)));
    length = ty_where(ty_eq(length, ty_num(0)), ty_num(1), length);
    double eps = dtype_table[ty_dtype_of(length)].size == 8 ? 0x1p-52 : 0x1p-23;
    ty_lstsq_parts parts = ty_lstsq(ty_div(a, length), b, (double)ty_size(all[0]) * eps);
    return ty_ok(parts.x) ? ty_div(parts.x, with_axes_behind(length, ty_rank(parts.x))) : parts.x;
}

ty_tensor *ty_polyfit(ty_tensor *x, ty_tensor *y, int64_t degree, ty_tensor *weights) {
    FLOATING_DEFAULT;
    ty_tensor *all[] = {x, y, weights}, *bad = refuse_fit(x, y, degree, weights);
    if (bad) return bad;
    struct composite c = composite_open("polyfit", weights ? 3 : 2, all);
    return composite_close(c, nearest(all, degree, weights != NULL));
}

/* ---- arithmetic ---- */

static ty_tensor *zeros_before(ty_tensor *p, int64_t n) {
    ty_padding padding = {.low = n - ty_size(p)};
    return padding.low > 0 ? ty_pad(p, &padding, ty_scalar(ty_dtype_of(p), 0)) : p;
}

/* Return f(a, b), where f is ty_add or ty_sub, of two polynomials, highest power first, the shorter one
   extended by zeros in front. Poison that begins with `name` on failure. */
static ty_tensor *added(const char *name, ty_tensor *a, ty_tensor *b,
                        ty_tensor *(*f)(ty_tensor *, ty_tensor *)) {
    ty_tensor *bad = refuse_two(name, a, b);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    int64_t n = ty_size(a) > ty_size(b) ? ty_size(a) : ty_size(b);
    return leave_as(name, scope, a, f(zeros_before(a, n), zeros_before(b, n)));
}
ty_tensor *ty_polyadd(ty_tensor *a, ty_tensor *b) { return added("polyadd", a, b, ty_add); }
ty_tensor *ty_polysub(ty_tensor *a, ty_tensor *b) { return added("polysub", a, b, ty_sub); }
ty_tensor *ty_polymul(ty_tensor *a, ty_tensor *b) {
    ty_tensor *bad = refuse_two("polymul", a, b);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    return leave_as("polymul", scope, a, ty_convolve(a, b, TY_FULL));
}

/* Divide polynomial a by b into quotient out[0] and remainder out[1]; if b is longer than a, these are 0
   and a. The quotient is the start of a power series: a filtered by 1 / b. Both are poison if b has more
   than MOST_ORDER elements. */
static void divide(ty_tensor *a, ty_tensor *b, ty_tensor **out) {
    int64_t m = ty_size(a), n = ty_size(b), count = m - n + 1, rest = n > 1 ? n - 1 : 1;
    if (count < 1) {
        out[0] = ty_zeros(ty_dtype_of(a), TY_SHAPE(1));
        out[1] = zeros_before(a, rest);
        return;
    }
    if (n > MOST_ORDER) {
        out[0] = out[1] = refuse("polydiv", 1, &b, E_LIMIT, "a divisor of %lld elements; expected at most %d",
                                 (long long)n, MOST_ORDER);
        return;
    }
    out[0] = ty_filter(ty_ones(ty_dtype_of(a), TY_SHAPE(1)), b, part_of(a, 0, 0, count), 0);
    ty_tensor *back = ty_convolve(out[0], b, TY_FULL);
    out[1] = n > 1 ? part_of(ty_sub(a, back), 0, m - rest, m) : ty_zeros_like(part_of(a, 0, 0, 1));
}

ty_polydiv_parts ty_polydiv(ty_tensor *a, ty_tensor *b) {
    ty_tensor *both[] = {a, b}, *bad = refuse_two("polydiv", a, b), *out[2];
    if (bad) return (ty_polydiv_parts){bad, tensor_share(bad)};
    ty_scope *scope = ty_open();
    cast_to_floating(2, both);
    if (ty_ok(both[0]) && ty_ok(both[1]))
        divide(both[0], both[1], out);
    else
        out[0] = out[1] = ty_ok(both[0]) ? both[1] : both[0];
    leave_all(scope, 2, out);
    return (ty_polydiv_parts){out[0], out[1]};
}

/* ---- derivatives and integrals ---- */

/* Return NULL if p is a polynomial and the order is valid, else poison that begins with `name`. */
static ty_tensor *refuse_order(const char *name, ty_tensor *p, int64_t order) {
    ty_tensor *bad = refuse_vector(name, p, "a polynomial");
    if (bad) return bad;
    if (order >= 0 && order <= MOST_ORDER) return NULL;
    return refuse(name, 1, &p, E_ARGUMENT, "order %lld is out of range; expected 0..%d", (long long)order,
                  MOST_ORDER);
}

/* Return the products e (e - 1) ... of `order` factors for the n exponents e = high, high - 1, ...: a
   vector [n], i64 for integer p, else in p's real dtype. */
static ty_tensor *falling(ty_tensor *p, int64_t high, int64_t n, int64_t order) {
    ty_tensor *e = ty_sub(ty_num((double)high), ty_iota(TY_F64, 1, &n, 0)), *all = ty_ones_like(e);
    for (int64_t i = 0; i < order; i++) all = ty_mul(all, ty_sub(e, ty_num((double)i)));
    bool whole = dtype_is(ty_dtype_of(p), CLASS_INTEGER | CLASS_BOOL);
    return ty_cast(all, whole ? TY_I64 : real_of(ty_dtype_of(p)));
}

ty_tensor *ty_polyder(ty_tensor *p, int64_t order) {
    ty_tensor *bad = refuse_order("polyder", p, order);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    int64_t n = ty_size(p) - order;
    if (n < 1) return leave(scope, ty_zeros_like(part_of(p, 0, 0, 1)));
    return leave_as("polyder", scope, p, ty_mul(part_of(p, 0, 0, n), falling(p, ty_size(p) - 1, n, order)));
}

ty_tensor *ty_polyint(ty_tensor *p, int64_t order) {
    ty_tensor *bad = refuse_order("polyint", p, order), *y = p;
    if (bad) return bad;
    ty_scope *scope = ty_open();
    cast_to_floating(1, &y);
    if (!ty_ok(y)) return leave(scope, y);
    ty_padding behind = {.high = order};
    int64_t n = ty_size(y);
    y = ty_div(y, falling(y, n - 1 + order, n, order));
    return leave_as("polyint", scope, p, ty_pad(y, &behind, ty_scalar(ty_dtype_of(y), 0)));
}

/* ---- roots ---- */

/* Return the coefficients, highest power first, of the product of (x - root) over roots[start..stop), at
   least one; by halves, so that factors of products have equal length. */
static ty_tensor *product_of(ty_tensor *roots, int64_t start, int64_t stop) {
    if (stop - start == 1) {
        ty_tensor *root = part_of(roots, 0, start, stop);
        return ty_concat(2, ((ty_tensor *[]){ty_ones_like(root), ty_neg(root)}), 0);
    }
    int64_t middle = start + (stop - start) / 2;
    return ty_convolve(product_of(roots, start, middle), product_of(roots, middle, stop), TY_FULL);
}

ty_tensor *ty_poly(ty_tensor *roots) {
    ty_tensor *bad = first_poison(1, &roots), *x = roots;
    if (bad) return bad;
    if (ty_rank(roots) != 1 || ty_size(roots) > MOST_ORDER)
        return refuse("poly", 1, &roots, E_LIMIT, "roots must be a vector of at most %d", MOST_ORDER);
    ty_scope *scope = ty_open();
    cast_to_floating(1, &x);
    if (!ty_ok(x)) return leave(scope, x);
    int64_t n = ty_size(x);
    return leave_as("poly", scope, roots, n ? product_of(x, 0, n) : ty_ones(ty_dtype_of(x), TY_SHAPE(1)));
}

/* Set *start and *stop to the range from the first to the last nonzero coefficient of p, stop excluded;
   empty if there is none, the whole vector for a promise. *bad becomes poison on failure, else NULL. */
static void find_ends(ty_tensor *p, int64_t *start, int64_t *stop, ty_tensor **bad) {
    *start = 0, *stop = ty_size(p), *bad = NULL;
    if (ty_is_promise(p)) return;
    ty_scope *scope = ty_open();
    ty_tensor *there = ty_ne(ty_detach(p), ty_num(0));
    int64_t first = first_true(there, bad), last = *bad ? -1 : first_true(ty_flip(there, 0), bad);
    *start = first < 0 ? *stop : first;
    *stop = last < 0 ? *start : *stop - last;
    if (*bad) ty_keep(*bad);
    ty_close(scope);
}

ty_tensor *ty_roots(ty_tensor *p) {
    ty_tensor *bad = refuse_vector("roots", p, "a polynomial"), *x = p;
    if (bad) return bad;
    ty_scope *scope = ty_open();
    int64_t start, stop;
    find_ends(p, &start, &stop, &bad);
    if (bad) return leave(scope, bad);
    cast_to_floating(1, &x);
    if (!ty_ok(x)) return leave(scope, x);
    ty_dtype paired = ty_promote(ty_dtype_of(x), TY_C64);
    if (stop - start < 2) return leave(scope, ty_zeros(paired, TY_SHAPE(ty_size(x) - stop)));
    ty_tensor *found = ty_eigvals(ty_companion(part_of(x, 0, start, stop)));
    ty_padding zeros = {.high = ty_size(x) - stop};
    if (zeros.high && ty_ok(found)) found = ty_pad(found, &zeros, ty_scalar(ty_dtype_of(found), 0));
    return leave_as("roots", scope, p, found);
}
