/*
 * Abbreviations for formulas: X is x or a probability; A, B and C are the parameters; N makes a number. F(name,
 * expression) defines a formula.
 */
#ifndef STATISTICS_WORDS_H
#define STATISTICS_WORDS_H
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include "statistics/formulas.h"

typedef ty_tensor *T;
#define X v->x
#define A v->a
#define B v->b
#define C v->c
#define N(number) ty_num(number)
#define PI 3.14159265358979323846
#define EULER 0.57721566490153286061
#define F(name, expression)                                                                                  \
    static inline T name(const struct values *v) { return expression; }
/* Define a function that draws. */
#define D(name, expression)                                                                                  \
    static T name(const struct wanted *w, const struct values *v) { return expression; }
#define SHAPE w->dtype, w->rank, w->shape
#define KEY w->key
#define HALF_A times(A, N(0.5))
#define HALF_B times(B, N(0.5))
#define Z ty_div(ty_sub(X, A), B) /* standardised: loc a, scale b */
#define Y ty_div(X, B)            /* scaled by b */

/* Return a + b; these short names of operators keep formulas readable. */
static inline T plus(T a, T b) { return ty_add(a, b); }
static inline T minus(T a, T b) { return ty_sub(a, b); }
static inline T times(T a, T b) { return ty_mul(a, b); }
static inline T over(T a, T b) { return ty_div(a, b); }
static inline T rest(T a) { return ty_sub(ty_num(1), a); }
static inline T both(T a, T b) { return ty_logical_and(a, b); }
static inline T positive(T a) { return ty_gt(a, N(0)); }
/* Return |z| with derivative -1 at 0, so that symmetric formulas stay as smooth as their value. */
static inline T size_of(T z) { return ty_where(positive(z), z, ty_neg(z)); }
/* Return log(1 - exp(a)) for a < 0. */
static inline T log_rest(T a) {
    T near = ty_gt(a, N(-0.6931471805599453)), one = N(-1);
    return ty_where(near, ty_log(ty_neg(ty_expm1(ty_where(near, a, one)))),
                    ty_log1p(ty_neg(ty_exp(ty_where(near, one, a)))));
}
/* Return log(1 - exp(-exp(s))); for s below -38 it is s, to which s - exp(s) / 2 rounds. */
static inline T log_rest_of_exp(T s) {
    T far = ty_lt(s, N(-38));
    T near = ty_where(far, N(0), ty_min(s, N(700))); /* above 700 exp(-exp(s)) is 0 */
    return ty_where(far, s, log_rest(ty_neg(ty_exp(near))));
}

F(everywhere, ty_eq(X, X))
static inline T at_zero(const struct values *v) { return (void)v, N(0); }
static inline T at_one(const struct values *v) { return (void)v, N(1); }
F(not_negative, ty_ge(X, N(0)))
F(a_positive, positive(A))
F(b_positive, positive(B))
F(ab_positive, both(positive(A), positive(B)))

F(one_or_more, ty_ge(X, N(1)))
F(b_itself, B)
F(a_itself, A)

/* An end of the support: name(order, log_factor, distance), each of v. */
#define CORNER(name, order, log_factor, distance)                                                            \
    static struct corner name(const struct values *v) {                                                      \
        return (struct corner){order, log_factor, distance, false, false, NULL};                             \
    }
#define OPEN .inside = everywhere
#define FROM_ZERO .inside = not_negative, .lowest = at_zero
#define ALL(name) .logpdf = name##_logpdf, .cdf = name##_cdf, .sf = name##_sf
#define LOGS(name) .logcdf = name##_logcdf, .logsf = name##_logsf
#define INVERSE(name) .ppf = name##_ppf, .isf = name##_isf
/* Return the size of the last axis of x, on which the elements of a vector are. */
static inline double last_size(T x) { return (double)ty_shape(x)[ty_rank(x) - 1]; }
#endif
