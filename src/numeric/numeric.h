/* Common parts of interpolation, polynomials, quadrature and solvers. */
#ifndef NUMERIC_NUMERIC_H
#define NUMERIC_NUMERIC_H
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/derivative.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include <tyto/numeric.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "ops/core/structure.h"

/* Return the index of `name` in names[0..n); n if it is none of them or NULL. */
int named_in(const char *name, int n, const char *const *names);

/* Cast x[0..n) in place to their common floating or complex dtype; failures poison them. */
void cast_to_floating(int n, ty_tensor **x);
/* Return the dtype of the parts of a complex dtype; any other dtype itself. */
static inline ty_dtype real_of(ty_dtype dtype) {
    return dtype == TY_C64 ? TY_F32 : dtype == TY_C128 ? TY_F64 : dtype;
}
/* Append axes of size 1 to x until it has `rank` axes; poison is returned as it is. */
ty_tensor *with_axes_behind(ty_tensor *x, int rank);
/* Return the elements start..stop of x along `axis`, stop excluded. */
ty_tensor *part_of(ty_tensor *x, int axis, int64_t start, int64_t stop);
/* Return x[i] along axis 0, without that axis. */
ty_tensor *element_at(ty_tensor *x, int64_t i);
/* Return the first or the last element of x along axis 0, without that axis. */
ty_tensor *end_element(ty_tensor *x, bool last);

/* Return NULL if x is a real vector of at least `least` elements that, if it is a value, is strictly
   ascending. Else return poison whose message calls it `what`. */
ty_tensor *refuse_places(const char *name, ty_tensor *x, int64_t least, const char *what);
/* Return y, or all NaN if the vector x, a promise, is not strictly ascending when it is computed. */
ty_tensor *unless_falling(ty_tensor *y, ty_tensor *x);
/* Return queries `at`, moved inside first..last for TY_EXTRAPOLATE_NEAREST (clamped) and TY_EXTRAPOLATE_WRAP
   (periodic); unchanged otherwise. */
ty_tensor *extrapolate_inside(ty_tensor *at, ty_tensor *first, ty_tensor *last, ty_extrapolation rule);
/* Return the mask of queries `at` outside first..last for TY_EXTRAPOLATE_FILL; NULL for other kinds of
   extrapolation. */
ty_tensor *extrapolate_outside(ty_tensor *at, ty_tensor *first, ty_tensor *last, ty_extrapolation rule);
/* Return NULL if all queries `at` are inside first..last, or if `rule` is not TY_EXTRAPOLATE_ERROR; else
   poison. Poison also if `rule` is no enum constant. */
ty_tensor *refuse_extrapolate(const char *name, ty_tensor *at, ty_tensor *first, ty_tensor *last,
                              ty_extrapolation rule);

/* Return the slopes [n, ...] at x [n] of the cubic spline through y [n, ...], with the ends that o says;
   poison on failure. */
ty_tensor *spline_slopes(ty_tensor *x, ty_tensor *y, const ty_interp_options *o);

enum { MOST_PARAMETERS_OF_BODY = 64 };
/* Evaluate p at the queries `at` like ty_piecewise_at, without checks; both must have matching dtypes. */
ty_tensor *piecewise_value(const ty_piecewise *p, ty_tensor *at);
/* Keep results[0..n) in the outer scope and close `scope`, which may be NULL for want of memory. */
void leave_all(ty_scope *scope, int n, ty_tensor **results);

/* Return f(context, {x, parameters[0..n)}), called behind a scope fence; a NULL result becomes poison. */
ty_tensor *call_body(const char *name, ty_body f, void *context, ty_tensor *x, int n,
                     ty_tensor *const *parameters);
/* Return the sum over axis 0 of y times the vector `weights`, in a floating dtype of y's; poison if their
   lengths differ. */
ty_tensor *weighted_sum(const char *name, ty_tensor *y, ty_tensor *weights);
#endif
