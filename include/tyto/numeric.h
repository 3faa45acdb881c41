/* Interpolation, polynomials, quadrature.  Part of <tyto/tyto.h>, which states the rules that hold for all
   functions.  All are composed of public functions, so gradients flow and graphs compile.  Definitions are NumPy's
   and SciPy's (numpy.poly*, scipy.interpolate, scipy.integrate) unless stated otherwise.  docs/numeric.md has
   examples. */
#ifndef TYTO_NUMERIC_H
#define TYTO_NUMERIC_H
#include <tyto/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- interpolation ---- */

/* Curve through given points. */
typedef enum ty_interp_kind {
    TY_INTERP_LINEAR,
    TY_INTERP_NEAREST,  /* the value of the nearest point; halfway, of the lower one */
    TY_INTERP_PREVIOUS, /* the value of the last point that is <= the query */
    TY_INTERP_NEXT,     /* the value of the first point that is >= the query */
    TY_INTERP_CUBIC,    /* the cubic spline with a continuous second derivative */
    TY_INTERP_PCHIP,    /* cubic, monotone where the points are (F. Fritsch and J. Butland 1984) */
    TY_INTERP_AKIMA,    /* cubic, from slopes near each point alone (H. Akima 1970) */
    /* as AKIMA, with weights that overshoot less where values are flat (MATLAB's makima) */
    TY_INTERP_MAKIMA,
    TY_INTERP_KINDS
} ty_interp_kind;
/* Return the kind of interpolation by its name: "linear", "nearest", "previous", "next", "cubic", "pchip",
   "akima" or "makima".  TY_INTERP_KINDS, which the functions refuse, if there is none. */
TY_API ty_interp_kind ty_interp_kind_named(const char *name);

/* Extrapolation: the value before the first and after the last point. */
typedef enum ty_extrapolation {
    TY_EXTRAPOLATE_NEAREST, /* the value at the end */
    TY_EXTRAPOLATE_EXTEND,  /* the first or last piece, continued */
    TY_EXTRAPOLATE_FILL,    /* `fill` */
    TY_EXTRAPOLATE_WRAP,    /* periodic, with the period last - first */
    TY_EXTRAPOLATE_ERROR,   /* an error that names the query; a promise of queries is evaluated to check it */
    TY_EXTRAPOLATIONS
} ty_extrapolation;
/* Return the rule of extrapolation by its name: "nearest", "extend", "fill", "wrap" or "error".
   TY_EXTRAPOLATIONS, which the functions refuse, if there is none. */
TY_API ty_extrapolation ty_extrapolation_named(const char *name);

/* End condition of a cubic spline. */
typedef enum ty_spline_end {
    TY_SPLINE_NOT_A_KNOT, /* the first two pieces are one polynomial, and so are the last two */
    TY_SPLINE_NATURAL,    /* the second derivative is 0 at both ends */
    TY_SPLINE_CLAMPED,    /* the first derivative is `first` and `last` at the ends */
    TY_SPLINE_PERIODIC,   /* both ends are one point: the last value counts as the first */
    TY_SPLINE_ENDS
} ty_spline_end;
/* Return the condition at the ends of a spline by its name: "not-a-knot", "natural", "clamped" or
   "periodic".  TY_SPLINE_ENDS, which the functions refuse, if there is none. */
TY_API ty_spline_end ty_spline_end_named(const char *name);

/* Options of interpolation; all zero: linear, along the first axis of y, as NumPy's interp. */
typedef struct ty_interp_options {
    ty_interp_kind kind;
    int axis; /* axis of y along which the points lie; negative: from the end */
    ty_extrapolation extrapolate;
    double fill;        /* value for TY_EXTRAPOLATE_FILL */
    ty_spline_end end;  /* of TY_INTERP_CUBIC */
    double first, last; /* slopes at the ends, for TY_SPLINE_CLAMPED */
} ty_interp_options;

TY_API ty_tensor *ty_interp_sized(ty_tensor *at, ty_tensor *x, ty_tensor *y, const ty_interp_options *options,
                                  size_t size);
/*
 * Return the values at `at` of a curve through points.  x is an ascending real vector [n].  y has n elements along
 * options.axis, real or (linear, steps, cubic) complex.  The axes of `at`, real of any shape, replace that axis in the
 * result.
 *
 * Computed in the common floating dtype; NaN gives NaN.  Gradients flow to at, x and y.  n is at least 1 for steps,
 * else 2; poison if shapes do not fit.  Points that do not ascend give poison that names the first one; if x is a
 * promise the result is NaN instead.
 */
TY_INLINE ty_tensor *ty_interp(ty_tensor *at, ty_tensor *x, ty_tensor *y, ty_interp_options options) {
    return ty_interp_sized(at, x, y, &options, sizeof options);
}

/* A piecewise polynomial: at x[i] + t it is the sum of coefficients[k, i, ...] t^(degree - k). */
typedef struct ty_piecewise {
    ty_tensor *x;            /* [n], ascending */
    ty_tensor *coefficients; /* [degree + 1, n - 1, ...], highest power first */
    int axis;                /* index, among the trailing axes, of the first axis of queries in results */
    ty_extrapolation extrapolate;
    double fill;
} ty_piecewise;
TY_API ty_piecewise ty_interpolant_sized(ty_tensor *x, ty_tensor *y, const ty_interp_options *options,
                                         size_t size);
/* Return the curve of ty_interp through the points (x, y) as a piecewise polynomial; steps (nearest, previous,
   next) are refused.  x is an ascending vector [n]; y has n elements along options.axis.  On failure its
   tensors x and coefficients are poisoned. */
TY_INLINE ty_piecewise ty_interpolant(ty_tensor *x, ty_tensor *y, ty_interp_options options) {
    return ty_interpolant_sized(x, y, &options, sizeof options);
}
/* Return the values of a piecewise polynomial at `at`, real of any shape, whose axes replace the interpolated
   one.  Outside x as p.extrapolate says.  Poison if `at` is complex or p has failed. */
TY_API ty_tensor *ty_piecewise_at(ty_piecewise p, ty_tensor *at);
/* Return the derivative of the given order as a piecewise polynomial; a negative order gives repeated integrals
   from x[0].  On failure, such as an order above 65 or a degree above 64, its tensors x and coefficients are
   poisoned. */
TY_API ty_piecewise ty_piecewise_derivative(ty_piecewise p, int order);
/* Return the integral of a piecewise polynomial from low to high, which are real and broadcast; their axes
   replace the interpolated one in the result.  Outside x as p.extrapolate says, but FILL and ERROR count as EXTEND.
   Poison on failure. */
TY_API ty_tensor *ty_piecewise_integral(ty_piecewise p, ty_tensor *low, ty_tensor *high);

TY_API ty_tensor *ty_interpn_sized(ty_tensor *at, int n, ty_tensor *const *axes, ty_tensor *y,
                                   const ty_interp_options *options, size_t size);
/*
 * Interpolate on a grid of n axes, 1 to 8.  axes[i] is an ascending real vector of 2 elements or more; y has the
 * sizes of the axes in front and any axes behind.  `at` is [.., n], a point each; the result has the axes of `at`
 * without the last, then those behind, and the common floating dtype.
 *
 * options.kind is linear (2^n corners), nearest, or cubic on up to 4 axes (4^n terms: splines along all axes, with
 * the ends of ty_spline_end except PERIODIC).  options.extrapolate is that of ty_interp; options.axis is ignored.
 * Poison if shapes or options do not fit.
 */
TY_INLINE ty_tensor *ty_interpn(ty_tensor *at, int n, ty_tensor *const *axes, ty_tensor *y,
                                ty_interp_options options) {
    return ty_interpn_sized(at, n, axes, y, &options, sizeof options);
}

/* ---- polynomials: vectors p[0] x^(n-1) + ... + p[n-1], the highest power first, as in numpy.poly* ---- */

/* Return the values p(x) of a polynomial by Horner's rule; p is a vector with the highest power first, x has any
   shape, also the result's.  dtypes are promoted.  Poison if p is no vector or empty. */
TY_API ty_tensor *ty_polyval(ty_tensor *p, ty_tensor *x);
/* Fit a polynomial of the given degree to y, [m] or [m, k], at x [m], by least squares: [degree + 1] or [degree +
   1, k], highest power first.  Each residual is multiplied by its weight ([m]; NULL: ones) before squaring.  The
   result is floating.  Poison if shapes do not fit or the degree is outside 0..4096.  By ty_lstsq on powers scaled
   to length 1. */
TY_API ty_tensor *ty_polyfit(ty_tensor *x, ty_tensor *y, int64_t degree, ty_tensor *weights);
/* Sum of two polynomials, vectors with the highest power first; of the longer one's length and the promoted dtype.
   Poison if one is no vector or empty. */
TY_API ty_tensor *ty_polyadd(ty_tensor *a, ty_tensor *b);
/* Difference a - b of two polynomials, vectors with the highest power first; of the longer one's length and the
   promoted dtype.  Poison if one is no vector or empty. */
TY_API ty_tensor *ty_polysub(ty_tensor *a, ty_tensor *b);
/* Product of two polynomials, vectors of n and m elements with the highest power first: n + m - 1 elements of the
   promoted dtype.  Poison if one is no vector or empty. */
TY_API ty_tensor *ty_polymul(ty_tensor *a, ty_tensor *b);
/* Result of ty_polydiv.  The remainder has one element less than b, at least one; leading zeros are kept. */
typedef struct ty_polydiv_parts {
    ty_tensor *quotient, *remainder;
} ty_polydiv_parts;
/* Divide polynomials, vectors of m and n elements with the highest power first: a = quotient b + remainder, both
   floating.  The quotient has m - n + 1 elements, {0} if m < n; the remainder n - 1, at least one.  b[0] = 0 gives
   infinities and NaN.  Both parts are poisoned if an operand is no vector or empty, or b has more than 4096
   elements. */
TY_API ty_polydiv_parts ty_polydiv(ty_tensor *a, ty_tensor *b);
/* Derivative of the given order, 0 to 4096, of a polynomial, a vector [n] with the highest power first: n - order
   elements, of {0} at least one; integers give i64.  Poison for another order, or if p is no vector or empty. */
TY_API ty_tensor *ty_polyder(ty_tensor *p, int64_t order);
/* Integral of the given order, 0 to 4096, of a polynomial, a vector [n] with the highest power first: n + order
   elements, floating; constants of integration are 0.  Poison for another order, or if p is no vector or empty. */
TY_API ty_tensor *ty_polyint(ty_tensor *p, int64_t order);
/* Return the polynomial [n + 1], floating, highest power first, with p[0] = 1 and the given roots, a vector [n].  n
   is at most 4096, else poison.  No roots give [1]. */
TY_API ty_tensor *ty_poly(ty_tensor *roots);
/* Return the n - 1 roots of a polynomial, a vector [n] with the highest power first, as a complex vector in no
   particular order.  They are the eigenvalues of the companion matrix.  Leading zeros of a value are dropped, each
   trailing zero gives a root 0.  For a promise the first element counts as nonzero.  Poison if p is no vector or
   empty. */
TY_API ty_tensor *ty_roots(ty_tensor *p);

/* ---- quadrature of samples along an axis, which is removed unless stated otherwise ---- */

/* Integrate samples y along an axis, which is removed, by Simpson's rule.  `at` holds their real positions, a
   vector or of y's shape (NULL: `spacing` apart).  Two samples give the trapezium, one gives 0; integers a floating
   result.  For even numbers from 4 on, the last interval uses the parabola through the last three (K. Cartwright
   2017).  Poison for no samples, complex `at`, shapes that do not fit, or an axis outside (negative: from the end). */
TY_API ty_tensor *ty_simpson(ty_tensor *y, ty_tensor *at, double spacing, int axis);
/* Integrate 2^k + 1 samples y, `spacing` apart, along an axis, which is removed, by Romberg's rule.  Integers give
   a floating result.  Poison for another number of samples, also 1, or if the axis is outside (negative: from the
   end). */
TY_API ty_tensor *ty_romberg(ty_tensor *y, double spacing, int axis);
/* Cumulative integral of samples y along an axis by the trapezoidal rule, from the first sample to each other one;
   the axis keeps one element less.  `at` holds the real positions, a vector or of y's shape (NULL: `spacing`
   apart).  Integers give a floating result.  Poison if there is no sample, shapes do not fit or the axis is outside
   (negative: from the end). */
TY_API ty_tensor *ty_cumulative_trapezoid(ty_tensor *y, ty_tensor *at, double spacing, int axis);

/*
 * ---- quadrature of functions ----
 *
 * f(context, {x, parameters[0 .. n)}) is called with many points x at once, f64[m], and returns [m, ...]: for each
 * point a number or a tensor of any shape, whose elements are integrated together.  It may be called several times.
 */

/* Options of ty_quad; zeros are the defaults. */
typedef struct ty_quad_options {
    double absolute, relative; /* tolerances, of which the larger bound counts; both 0 means 1e-10 */
    int64_t intervals;         /* greatest number of intervals; 0 means 1000 */
    int npoints; /* number of points strictly inside where f or a derivative jumps or is infinite */
    const double *points;
} ty_quad_options;
/* Report of ty_quad. */
typedef struct ty_quad_report {
    bool converged;
    double error; /* estimate, in terms of the greatest element */
    int64_t intervals, evaluations;
    char message[256]; /* reason for the end */
} ty_quad_report;
TY_API ty_tensor *ty_quad_sized(ty_body f, void *context, double low, double high, int n,
                                ty_tensor *const *parameters, const ty_quad_options *options, size_t size,
                                ty_quad_report *report, size_t report_size);
/*
 * Integrate f(context, {x, parameters[0 .. n)}), called with many points x f64[m] at once to return [m, ...], from
 * low to high; the result is [...].  n is at most 64.  The ends are finite or infinite (INFINITY).  By adaptive
 * Gauss-Kronrod quadrature of 21 points with QUADPACK's error estimate.  The interval of the largest error is
 * halved.
 *
 * f is never evaluated at an end or at one of options.points, so it may be infinite there.  An interval at such an end
 * places its nodes by a power of the distance if that lowers the error.
 *
 * Intervals are chosen on values: promises among the parameters are evaluated.  Then f is called once more on all
 * points, so that gradients flow to the parameters and to tensors that f uses.  Failure to converge gives poison; with
 * a report (may be NULL) the estimate is returned, and the report says so.
 */
TY_INLINE ty_tensor *ty_quad(ty_body f, void *context, double low, double high, int n,
                             ty_tensor *const *parameters, ty_quad_options options, ty_quad_report *report) {
    return ty_quad_sized(f, context, low, high, n, parameters, &options, sizeof options, report,
                         sizeof *report);
}

/* Nodes, ascending, and weights of a quadrature rule: f64[count] each. */
typedef struct ty_gauss_parts {
    ty_tensor *places, *weights;
} ty_gauss_parts;
/* Return the Gauss-Legendre rule of `count` nodes, 1 to 4096, for integrals from -1 to 1: nodes and weights,
   f64[count] each, ascending.  On failure both are poisoned. */
TY_API ty_gauss_parts ty_gauss_legendre(int64_t count);
/* Integrate f(context, {x, parameters[0 .. n)}) over the box from low[i] to high[i] of `rank` axes by the
   Gauss-Legendre rule with `count` nodes along each.  f gets all count^rank points (at most 2^24; n at most 64) at
   once, x f64[count^rank, rank], and returns [count^rank, ...]; the result has the axes behind.  Poison on failure. */
TY_API ty_tensor *ty_fixed_quad(ty_body f, void *context, int rank, const double *low, const double *high,
                                int64_t count, int n, ty_tensor *const *parameters);

#ifdef __cplusplus
}
#endif
#endif
