/*
 * Interpolation, polynomials, quadrature.  Part of <tyto/tyto.h>, which says what holds everywhere.  All are made of public
 * functions, so gradients flow and graphs compile; definitions are NumPy's and SciPy's (numpy.poly*, scipy.interpolate,
 * scipy.integrate) where nothing else is said.  docs/numeric.md has examples.
 */
#ifndef TYTO_NUMERIC_H
#define TYTO_NUMERIC_H
#include <tyto/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- interpolation ---- */

typedef enum ty_interp_kind {
    TY_INTERP_LINEAR,
    TY_INTERP_NEAREST,  /* the value of the nearest point, half way that of the lower one */
    TY_INTERP_PREVIOUS, /* of the last point that is not greater */
    TY_INTERP_NEXT,     /* of the first point that is not less */
    TY_INTERP_CUBIC,    /* the spline of degree 3, whose second derivative is continuous */
    TY_INTERP_PCHIP,    /* cubic, as monotone as the points are (F. Fritsch and J. Butland 1984) */
    TY_INTERP_AKIMA,    /* cubic, by slopes near each point alone (H. Akima 1970) */
    TY_INTERP_MAKIMA, /* the same with weights that overshoot less where values are flat (MATLAB's makima) */
    TY_INTERP_KINDS
} ty_interp_kind;
/* "linear", "nearest", ...; TY_INTERP_KINDS for anything else, which the functions refuse. */
TY_API ty_interp_kind ty_interp_kind_named(const char *name);

/* What stands before the first and behind the last point. */
typedef enum ty_beyond {
    TY_BEYOND_NEAREST, /* the value at the end */
    TY_BEYOND_EXTEND,  /* the first and last piece go on */
    TY_BEYOND_FILL,    /* `fill` */
    TY_BEYOND_WRAP,    /* everything again and again, with the period last - first */
    TY_BEYOND_ERROR,   /* an error that names the query: a promise of queries is evaluated for that */
    TY_BEYONDS
} ty_beyond;
/* "nearest", "extend", "fill", "wrap", "error"; TY_BEYONDS for anything else. */
TY_API ty_beyond ty_beyond_named(const char *name);

/* What makes a cubic spline definite. */
typedef enum ty_spline_end {
    TY_SPLINE_NOT_A_KNOT, /* the first two pieces are one polynomial, and so are the last two */
    TY_SPLINE_NATURAL,    /* the second derivative is 0 at both ends */
    TY_SPLINE_CLAMPED,    /* the first derivative is `first` and `last` at the ends */
    TY_SPLINE_PERIODIC,   /* both ends are one point: the last value is taken to be the first */
    TY_SPLINE_ENDS
} ty_spline_end;
/* "not-a-knot", "natural", "clamped", "periodic"; TY_SPLINE_ENDS for anything else. */
TY_API ty_spline_end ty_spline_end_named(const char *name);

/* All zeros: linear, along the first axis of y, NumPy's interp. */
typedef struct ty_interp_options {
    ty_interp_kind kind;
    int axis; /* of y, along which the points lie */
    ty_beyond beyond;
    double fill;
    ty_spline_end end; /* of TY_INTERP_CUBIC */
    double first, last;
} ty_interp_options;

/*
 * y(at), of the curve through the points: x is a real vector of n that rises, y has n elements along the axis, real or (linear,
 * steps, cubic) complex; the axes of `at`, real, any shape, stand in the place of that axis.  Computed in the floating dtype that
 * all meet in; NaN gives NaN.  Gradients flow to at, x and y.  n is 1 or more for steps, else 2 or more.  Points that do not rise
 * are an error that names the first; where x is a promise the result is NaN instead.
 */
TY_API ty_tensor *ty_interp(ty_tensor *at, ty_tensor *x, ty_tensor *y, ty_interp_options options);

/* A polynomial for each stretch between neighbours of x: at x[i] + t it is the sum of coefficients[k, i, ...] t^(degree - k). */
typedef struct ty_piecewise {
    ty_tensor *x;            /* [n], rising */
    ty_tensor *coefficients; /* [degree + 1, n - 1, ...], highest power first */
    int axis;                /* where the axes of queries stand among the axes behind */
    ty_beyond beyond;
    double fill;
} ty_piecewise;
/* The curve of ty_interp, but for steps. */
TY_API ty_piecewise ty_interpolant(ty_tensor *x, ty_tensor *y, ty_interp_options options);
/* Its values. */
TY_API ty_tensor *ty_piecewise_at(ty_piecewise p, ty_tensor *at);
/* Its derivative of an order of 0 or more; negative: integrals from x[0] on, as many times. */
TY_API ty_piecewise ty_piecewise_derivative(ty_piecewise p, int order);
/* The integral from low to high, real numbers or tensors of one shape; outside of x as `beyond` says, but that fill and error are
   extended. */
TY_API ty_tensor *ty_piecewise_integral(ty_piecewise p, ty_tensor *low, ty_tensor *high);

/* On a grid of n axes, 1 to 8: y has the sizes of axes[0 .. n), vectors that rise, in front, and any axes behind; `at` is [.., n], a
   place each; the result has the axes of `at` but the last, then those behind.  Linear (2^n corners), nearest, or cubic on up to 4
   axes (4^n terms: splines along all axes, with the ends above but the periodic one); beyond as above. */
TY_API ty_tensor *ty_interpn(ty_tensor *at, int n, ty_tensor *const *axes, ty_tensor *y,
                             ty_interp_options options);

/* ---- polynomials: vectors p[0] x^(n-1) + ... + p[n-1], the highest power first, as numpy.poly* have them ---- */

/* p(x), by Horner's rule; x any shape. */
TY_API ty_tensor *ty_polyval(ty_tensor *p, ty_tensor *x);
/* The polynomial of a degree whose values at x [m] are nearest to y, [m] or [m, k], in the sum of squares of weights (NULL: ones;
   [m]) times the distance: [degree + 1], or [degree + 1, k].  By ty_lstsq on powers scaled to length 1. */
TY_API ty_tensor *ty_polyfit(ty_tensor *x, ty_tensor *y, int64_t degree, ty_tensor *weights);
TY_API ty_tensor *ty_polyadd(ty_tensor *a, ty_tensor *b);
TY_API ty_tensor *ty_polysub(ty_tensor *a, ty_tensor *b);
TY_API ty_tensor *ty_polymul(ty_tensor *a, ty_tensor *b);
/* a = quotient b + remainder, which has one element less than b, leading zeros among them (at least one).  b[0] of 0 makes
   infinities and NaN. */
typedef struct ty_polydiv_parts {
    ty_tensor *quotient, *remainder;
} ty_polydiv_parts;
TY_API ty_polydiv_parts ty_polydiv(ty_tensor *a, ty_tensor *b);
/* Derivative and integral of an order of 0 or more; constants of integration are 0. */
TY_API ty_tensor *ty_polyder(ty_tensor *p, int64_t order);
TY_API ty_tensor *ty_polyint(ty_tensor *p, int64_t order);
/* The polynomial with p[0] = 1 and these roots. */
TY_API ty_tensor *ty_poly(ty_tensor *roots);
/* Complex: the eigenvalues of the companion matrix.  Zeros at the front of a value are left out, each zero at its back is a
   root 0; of a promise the first element counts as not 0. */
TY_API ty_tensor *ty_roots(ty_tensor *p);

/* ---- quadrature of samples: along an axis, which goes ---- */

/* Simpson's rule; `at`: where the samples are, a vector or of y's shape (NULL: `spacing` apart).  Of an even number the last stretch
   takes the parabola through the last three (K. Cartwright 2017). */
TY_API ty_tensor *ty_simpson(ty_tensor *y, ty_tensor *at, double spacing, int axis);
/* Romberg's rule for 2^k + 1 samples. */
TY_API ty_tensor *ty_romberg(ty_tensor *y, double spacing, int axis);
/* The trapezoidal rule from the first sample to each other one: an element less on the axis. */
TY_API ty_tensor *ty_cumulative_trapezoid(ty_tensor *y, ty_tensor *at, double spacing, int axis);

/* ---- quadrature of functions ----
 *
 * f(context, {x, parameters[0 .. n)}) is called with many places x at once, f64[m], and makes [m, ...]: for each place a
 * number, or a tensor of any shape, all of which are integrated together.  It may be called several times. */

typedef struct ty_quad_options {
    double absolute, relative; /* the error allowed: the larger of the two bounds [1e-10, 1e-10] */
    int64_t intervals;         /* at most [1000] */
    int npoints;               /* places where f or a derivative jumps or is infinite, strictly inside */
    const double *points;
} ty_quad_options;
typedef struct ty_quad_report {
    bool converged;
    double error; /* estimated, in the sense of the greatest element */
    int64_t intervals, evaluations;
    char message[256]; /* how it ended */
} ty_quad_report;
/*
 * The integral of f from low to high, finite or not (INFINITY), by the Gauss-Kronrod rule of 21 places on intervals that are halved
 * where the error is largest, with QUADPACK's estimate.  f is never evaluated at an end or a point, so it may be infinite there; an
 * interval at such an end places its nodes by a power of the distance, if that lowers the error.  Which intervals is found on values: promises among the parameters are
 * evaluated; then f is called once more on all places, as it is, so that gradients flow to the parameters and to what f uses.
 * What does not converge is an error; with a report (else NULL) it is handed over, and the report says so.
 */
TY_API ty_tensor *ty_quad(ty_body f, void *context, double low, double high, int n,
                          ty_tensor *const *parameters, ty_quad_options options, ty_quad_report *report);

/* The rule of Gauss and Legendre with 1 to 4096 places for integrals from -1 to 1: f64[count] each, places rising. */
typedef struct ty_gauss_parts {
    ty_tensor *places, *weights;
} ty_gauss_parts;
TY_API ty_gauss_parts ty_gauss_legendre(int64_t count);
/* The integral of f over a box of `rank` axes by that rule with `count` places along each, count^rank at once (2^24 at most): x is
   f64[count^rank, rank]. */
TY_API ty_tensor *ty_fixed_quad(ty_body f, void *context, int rank, const double *low, const double *high,
                                int64_t count, int n, ty_tensor *const *parameters);

#ifdef __cplusplus
}
#endif
#endif
