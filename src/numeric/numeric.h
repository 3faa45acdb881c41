/* What interpolation, polynomials, quadrature and solvers share. */
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

/* The place of `name` among n; n: it is none of them. */
int named_in(const char *name, int n, const char *const *names);

/* n operands in the floating or complex dtype that they meet in. */
void cast_to_floating(int n, ty_tensor **x);
/* The dtype of the parts of a complex one; others themselves. */
static inline ty_dtype real_of(ty_dtype dtype) {
    return dtype == TY_C64 ? TY_F32 : dtype == TY_C128 ? TY_F64 : dtype;
}
/* x with further axes of size 1 behind until it has `rank`. */
ty_tensor *with_axes_behind(ty_tensor *x, int rank);
/* Elements start .. stop of an axis. */
ty_tensor *part_of(ty_tensor *x, int axis, int64_t start, int64_t stop);

/* Poison where x is no real vector of at least `least`, or a value that does not rise; NULL: it is well. */
ty_tensor *refuse_places(const char *name, ty_tensor *x, int64_t least, const char *what);
/* y, NaN everywhere where the vector x is a promise that does not rise. */
ty_tensor *unless_falling(ty_tensor *y, ty_tensor *x);
/* Queries that are brought inside by TY_BEYOND_NEAREST and TY_BEYOND_WRAP; others as they are. */
ty_tensor *beyond_inside(ty_tensor *at, ty_tensor *first, ty_tensor *last, ty_beyond beyond);
/* Where queries are outside, for TY_BEYOND_FILL; NULL: nowhere, or it does not matter. */
ty_tensor *beyond_outside(ty_tensor *at, ty_tensor *first, ty_tensor *last, ty_beyond beyond);
/* Poison for TY_BEYOND_ERROR where a query is outside; NULL: none is. */
ty_tensor *refuse_beyond(const char *name, ty_tensor *at, ty_tensor *first, ty_tensor *last,
                         ty_beyond beyond);

/* The slopes [n, ...] of the cubic spline through y [n, ...] at x [n]. */
ty_tensor *spline_slopes(ty_tensor *x, ty_tensor *y, const ty_interp_options *o);

enum { MOST_PARAMETERS_OF_BODY = 64 };
/* The values of ty_piecewise_at where queries and points are known to be well: at and p in dtypes that suit. */
ty_tensor *piecewise_value(const ty_piecewise *p, ty_tensor *at);
/* leave for n results. */
void leave_all(ty_scope *scope, int n, ty_tensor **results);

/* f(context, {x, parameters...}) behind a fence; NULL becomes poison. */
ty_tensor *call_body(const char *name, ty_body f, void *context, ty_tensor *x, int n,
                     ty_tensor *const *parameters);
/* The sum over the first axis of y, as many as weights, times weights; poison where f made y of another size. */
ty_tensor *weighted_sum(const char *name, ty_tensor *y, ty_tensor *weights);
#endif
