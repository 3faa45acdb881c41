/* Common parts of interpolation, quadrature and solvers: dtypes, ascending points, extrapolation, and calls
   of the caller's functions. */
#include <math.h>
#include "array/scope.h"
#include "numeric/implicit.h"

int named_in(const char *name, int n, const char *const *names) {
    int i = 0;
    while (i < n && !(name && !strcmp(name, names[i]))) i++;
    return i;
}

void cast_to_floating(int n, ty_tensor **x) { cast_to_common(NULL, n, x, FLOATING, x); }

ty_tensor *with_axes_behind(ty_tensor *x, int rank) {
    while (ty_ok(x) && ty_rank(x) < rank) x = ty_expand(x, -1);
    return x;
}

ty_tensor *part_of(ty_tensor *x, int axis, int64_t start, int64_t stop) {
    return ty_slice(x, axis, start, stop, 1);
}

ty_tensor *element_at(ty_tensor *x, int64_t i) { return ty_squeeze(part_of(x, 0, i, i + 1), 0); }

ty_tensor *end_element(ty_tensor *x, bool last) {
    return ty_squeeze(ty_slice(x, 0, last ? -1 : 0, last ? TY_END : 1, 1), 0);
}

void leave_all(ty_scope *scope, int n, ty_tensor **results) {
    for (int i = 0; i < n; i++) results[i] = scope ? ty_keep(results[i]) : tensor_of(results[i]);
    ty_close(scope);
}

/* ---- points ---- */

static ty_tensor *falls(ty_tensor *x) {
    return ty_logical_not(ty_gt(part_of(x, 0, 1, TY_END), part_of(x, 0, 0, -1)));
}

/* Return NULL if the vector x is strictly ascending or is a promise; else poison that begins with `name`,
   calls x `what` and shows the first pair that is not. */
static ty_tensor *refuse_falling(const char *name, ty_tensor *x, const char *what) {
    ty_scope *scope = ty_open();
    ty_tensor *wrong = falls(ty_detach(x)), *bad;
    int64_t at = first_true(wrong, &bad);
    if (at >= 0)
        bad = refuse(name, 1, &x, E_DOMAIN,
                     "%s must be ascending: number %lld is %.15g, and the next one %.15g", what,
                     (long long)at, element_of(x, at), element_of(x, at + 1));
    if (bad) return leave(scope, bad);
    ty_close(scope);
    return NULL;
}

ty_tensor *refuse_places(const char *name, ty_tensor *x, int64_t least, const char *what) {
    if (ty_rank(x) != 1 || dtype_is(ty_dtype_of(x), CLASS_COMPLEX | CLASS_BOOL))
        return refuse(name, 1, &x, E_DTYPE, "%s must be a real vector", what);
    if (ty_size(x) < least)
        return refuse(name, 1, &x, E_ARGUMENT, "%lld of %s; expected at least %lld", (long long)ty_size(x),
                      what, (long long)least);
    return ty_is_promise(x) || ty_size(x) < 2 ? NULL : refuse_falling(name, x, what);
}

ty_tensor *unless_falling(ty_tensor *y, ty_tensor *x) {
    if (!ty_ok(x) || !ty_is_promise(x) || ty_size(x) < 2) return y;
    return ty_where(ty_any(falls(x), TY_ALL), ty_num((double)NAN), y);
}

/* ---- extrapolation ---- */

ty_tensor *extrapolate_inside(ty_tensor *at, ty_tensor *first, ty_tensor *last, ty_extrapolation rule) {
    if (rule == TY_EXTRAPOLATE_WRAP) return ty_add(first, ty_mod(ty_sub(at, first), ty_sub(last, first)));
    if (rule != TY_EXTRAPOLATE_NEAREST) return at;
    return ty_where(ty_lt(at, first), first, ty_where(ty_gt(at, last), last, at));
}

ty_tensor *extrapolate_outside(ty_tensor *at, ty_tensor *first, ty_tensor *last, ty_extrapolation rule) {
    return rule == TY_EXTRAPOLATE_FILL ? ty_logical_or(ty_lt(at, first), ty_gt(at, last)) : NULL;
}

ty_tensor *refuse_extrapolate(const char *name, ty_tensor *at, ty_tensor *first, ty_tensor *last,
                              ty_extrapolation rule) {
    if ((unsigned)rule >= TY_EXTRAPOLATIONS)
        return refuse(name, 0, NULL, E_ARGUMENT,
                      "unknown extrapolation %d; TY_EXTRAPOLATE_NEAREST is the first of %d", (int)rule,
                      TY_EXTRAPOLATIONS);
    if (rule != TY_EXTRAPOLATE_ERROR || ty_size(at) == 0) return NULL;
    ty_scope *scope = ty_open();
    ty_tensor *now = ty_detach(value_now(name, at)), *bad;
    first = ty_detach(ty_eval(first)), last = ty_detach(ty_eval(last));
    ty_tensor *outside = ty_logical_or(ty_lt(now, first), ty_gt(now, last));
    int64_t i = first_true(outside, &bad);
    if (i >= 0)
        bad = refuse(name, 1, &at, E_DOMAIN, "query %lld is %.15g, outside of the points %.15g to %.15g",
                     (long long)i, element_of(now, i), ty_item(first), ty_item(last));
    if (bad) return leave(scope, bad);
    ty_close(scope);
    return NULL;
}

/* ---- the caller's functions ---- */

ty_tensor *call_body(const char *name, ty_body f, void *context, ty_tensor *x, int n,
                     ty_tensor *const *parameters) {
    ty_tensor *operands[MOST_PARAMETERS_OF_BODY + 1] = {x};
    if (n < 0 || n > MOST_PARAMETERS_OF_BODY)
        return ty_poison_code(E_ARGUMENT, "%s: %d parameters; expected up to %d", name, n,
                              MOST_PARAMETERS_OF_BODY);
    for (int i = 0; i < n; i++) operands[1 + i] = parameters[i];
    struct scope_fence fence = scope_fence();
    return scope_fence_result(fence, name, f(context, operands));
}

ty_tensor *weighted_sum(const char *name, ty_tensor *y, ty_tensor *weights) {
    if (!ty_ok(y) || !ty_ok(weights)) return ty_ok(y) ? weights : y;
    if (ty_rank(y) < 1 || ty_shape(y)[0] != ty_size(weights))
        return refuse(name, 1, &y, E_USER,
                      "f returned this for %lld points; expected [%lld, ..], a result for each",
                      (long long)ty_size(weights), (long long)ty_size(weights));
    cast_to_floating(1, &y);
    if (!ty_ok(y)) return y;
    weights = ty_cast(weights, real_of(ty_dtype_of(y)));
    return ty_sum(ty_mul(y, with_axes_behind(weights, ty_rank(y))), ty_axis(0));
}
