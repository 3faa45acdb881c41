/*
 * Short words for formulas: X is x, or a probability; A, B and C are the parameters; N makes a number.  F(name, expression)
 * is a formula.
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
/* How it is drawn. */
#define D(name, expression)                                                                                  \
    static T name(const struct wanted *w, const struct values *v) { return expression; }
#define SHAPE w->dtype, w->rank, w->shape
#define KEY w->key
#define HALF_A times(A, N(0.5))
#define HALF_B times(B, N(0.5))
#define Z ty_div(ty_sub(X, A), B) /* loc a, scale b */
#define Y ty_div(X, B)            /* scale b */
static inline T plus(T a, T b) { return ty_add(a, b); }
static inline T minus(T a, T b) { return ty_sub(a, b); }
static inline T times(T a, T b) { return ty_mul(a, b); }
static inline T over(T a, T b) { return ty_div(a, b); }
static inline T rest(T a) { return ty_sub(ty_num(1), a); }
static inline T both(T a, T b) { return ty_logical_and(a, b); }
static inline T positive(T a) { return ty_gt(a, N(0)); }
/* log(1 - exp(a)) of a < 0 */
static inline T log_rest(T a) {
    return ty_where(ty_gt(a, N(-0.6931471805599453)), ty_log(ty_neg(ty_expm1(a))),
                    ty_log1p(ty_neg(ty_exp(a))));
}

F(everywhere, ty_eq(ty_mul(X, N(0)), ty_mul(X, N(0))))
F(negative, ty_lt(X, N(0)))
F(not_negative, ty_ge(X, N(0)))
F(a_positive, positive(A))
F(b_positive, positive(B))
F(ab_positive, both(positive(A), positive(B)))

F(below_a, ty_lt(X, A))
F(one_or_more, ty_ge(X, N(1)))
F(a_itself, A)

#define OPEN .inside = everywhere
#define FROM_ZERO .inside = not_negative, .below = negative
#define ALL(name) .logpdf = name##_logpdf, .cdf = name##_cdf, .sf = name##_sf
#define LOGS(name) .logcdf = name##_logcdf, .logsf = name##_logsf
#define INVERSE(name) .ppf = name##_ppf, .isf = name##_isf
#endif
