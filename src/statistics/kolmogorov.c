/*
 * Distributions of Kolmogorov and Smirnov distances. Sample sizes are integers, distances tensors, so
 * everything is loops of fixed length over vectors.
 */
#include <tyto/contract.h>
#include <tyto/control.h>
#include "base/divisor.h"
#include "base/math/scalar.h"
#include "statistics/sample.h"

static T share_of(T p) { return ty_clip(p, N(0), N(1)); }

/* ---- one-sided, one sample: Smirnov's sum ---- */

/* Return the one-sided p-value of Smirnov's distance d for n elements: d times the sum over j of
   binomial(n, j) (1 - d - j/n)^(n-j) (d + j/n)^(j-1), by logarithms. */
T smirnov_p(T d, int64_t n) {
    T j = counted(n), size = N((double)n), at = ty_expand(d, -1);
    T below = plus(at, over(j, size)), above = minus(N(1), below),
      inside = both(positive(above), positive(below));
    T logs = minus(ty_lgamma(number((double)n + 1)),
                   plus(ty_lgamma(plus(j, N(1))), ty_lgamma(minus(N((double)n + 1), j))));
    logs = plus(logs, times(minus(size, j), ty_log(ty_where(inside, above, N(1)))));
    logs = plus(logs, times(minus(j, N(1)), ty_log(ty_where(inside, below, N(1)))));
    T terms = ty_where(inside, ty_exp(logs), N(0));
    T p = share_of(times(ty_sum(terms, last_axis), d));
    return ty_where(ty_le(d, N(0)), N(1), p);
}

/* ---- two-sided, large samples ---- */

/* Return the limit of P(sqrt(n) D >= z) for large n: two theta series, each where it converges quickly. NaN
   for NaN. */
T kolmogorov_limit_p(T z) {
    T k = plus(counted(8), N(1)), at = ty_expand(z, -1), odd = minus(times(k, N(2)), N(1));
    T sign = minus(N(1), times(N(2), ty_fmod(minus(k, N(1)), N(2))));
    T far = times(N(2), ty_sum(times(sign, ty_exp(times(N(-2), ty_square(times(k, at))))), last_axis));
    T safe = ty_where(ty_gt(at, N(0.04)), at, N(1));
    T near = ty_sum(ty_exp(times(N(-PI * PI / 8), ty_square(over(odd, safe)))), last_axis);
    T width = ty_where(ty_gt(z, N(0.04)), z, N(1));
    near = minus(N(1), times(over(N(2.50662827463100050242), width), near));
    T p = ty_where(ty_lt(z, N(0.8)), ty_where(ty_gt(z, N(0.04)), near, N(1)), far);
    return ty_where(ty_is_nan(z), z, share_of(p));
}

/* Return a0 + a1 x + a2 x^2 + a3 x^3. */
static T cubic(T a0, T a1, T a2, T a3, T x) {
    return plus(a0, times(x, plus(a1, times(x, plus(a2, times(x, a3))))));
}

/* Return P(D < d) for n elements by Pelz and Good's expansion in 1 / sqrt(n), as given by Simard and
   L'Ecuyer (their 4.1). */
static T pelz_good(T d, int64_t n) {
    double root = sqrt((double)n), p2 = PI * PI, p4 = p2 * p2, p6 = p4 * p2;
    T z = ty_expand(times(ty_clip(d, N(0.05 / root), N(1)), N(root)), -1), s = ty_square(z), zero = N(0);
    T k = counted(24), half = ty_square(plus(k, N(0.5))), whole = ty_square(plus(k, N(1)));
    T at_half = ty_exp(times(N(-p2 / 2), over(half, s))),
      at_whole = ty_exp(times(N(-p2 / 2), over(whole, s)));
    T z4 = ty_square(s), z6 = times(z4, s), z8 = ty_square(z4);
    T c1 = cubic(ty_neg(s), N(p2), zero, zero, half);
    T c2 = cubic(plus(times(N(6), z6), times(N(2), z4)), times(N(p2), minus(times(N(2), z4), times(N(5), s))),
                 times(N(p4), minus(N(1), times(N(2), s))), zero, half);
    T c3 = cubic(minus(times(N(-30), z6), times(N(90), z8)),
                 times(N(p2), minus(times(N(135), z4), times(N(96), z6))),
                 times(N(p4), minus(times(N(212), z4), times(N(60), s))),
                 times(N(p6), minus(N(5), times(N(30), s))), half);
    T e2 = times(N(p2), whole), e3 = times(e2, minus(times(N(3), s), e2));
#define SUM(terms, weight) ty_sum(times(terms, weight), last_axis)
    T w = ty_squeeze(z, -1), w2 = ty_square(w), w3 = times(w, w2), w4 = ty_square(w2);
    double scale = 2.50662827463100050242; /* sqrt(2 pi) */
    T k0 = over(times(N(scale), ty_sum(at_half, last_axis)), w);
    T k1 = over(times(N(scale / 6), SUM(c1, at_half)), w4);
    T k2 = minus(over(times(N(scale / 72), SUM(c2, at_half)), times(w4, w3)),
                 over(times(N(scale / 36), SUM(e2, at_whole)), w3));
    T k3 = plus(over(times(N(scale / 6480), SUM(c3, at_half)), times(ty_square(w4), w2)),
                over(times(N(scale / 216), SUM(e3, at_whole)), times(w4, w2)));
#undef SUM
    return plus(k0, plus(over(k1, N(root)), plus(over(k2, N((double)n)), over(k3, N((double)n * root)))));
}

/* ---- two-sided, one sample, exact ---- */

/*
 * n times the sample's distribution is a Poisson process of rate 1 up to time n, conditioned on n points. D < d
 * = t/n means that the count stays between s - t and s + t at all times s. These bounds cross integers at times
 * k + g and k + 1 - g, with g the distance of t from an integer. Between these times the bounds are constant,
 * and a vector of probabilities of the counts is propagated (Pomeranz, 1974).
 */
struct bands {
    int64_t n, width, most; /* counts in a band; new points per interval */
    T t, g;                 /* [lines] */
    T kernels[3];           /* probabilities of most .. 0 new points in g, 1 - 2g, 2g: [most + 1, lines] */
};

/* Return the least allowed count, inclusive, between a and `end`, neighbouring times at which a bound crosses an
   integer: there it is constant. */
static T least_at(const struct bands *b, T a, T end) {
    return plus(ty_floor(minus(times(plus(a, end), N(0.5)), b->t)), N(1));
}
/* Return the greatest allowed count, inclusive, between a and `end`, neighbouring times at which a bound crosses
   an integer: there it is constant. */
static T most_at(const struct bands *b, T a, T end) {
    return minus(ty_ceil(plus(times(plus(a, end), N(0.5)), b->t)), N(1));
}

static T poisson_kernel(T time, int64_t most) {
    T k = minus(N((double)most), ty_expand(counted(most + 1), 1));
    return ty_exp(minus(ty_xlogy(k, time), plus(time, ty_lgamma(plus(k, N(1))))));
}

/* Return the probabilities of the allowed counts in the band between times b and c, given v [width, lines],
   those in the band between a and b; both start at the band's least count. `kernel` holds the Poisson
   weights of the points that arrive. */
static T next_band(const struct bands *s, T v, T kernel, T a, T b, T c) {
    ty_padding padding[] = {{s->most, 1, 0}, {0, 0, 0}};
    T room = ty_pad(v, padding, number(0)), moved = NULL; /* one count more than the width */
    for (int64_t k = 0; k <= s->most; k++) {              /* most - k new points */
        T one = times(ty_slice(kernel, 0, k, k + 1, 1), ty_slice(room, 0, k, k + s->width + 1, 1));
        moved = moved ? plus(moved, one) : one;
    }
    T least = least_at(s, a, b), next = least_at(s, b, c);
    T points = plus(ty_expand(counted(s->width + 1), 1), least);
    moved = ty_where(ty_le(points, most_at(s, a, b)), moved, N(0));
    T up = ty_slice(moved, 0, 1, TY_END, 1), same = ty_slice(moved, 0, 0, -1, 1);
    return ty_where(ty_gt(next, least), up, same);
}

/* Scan body, whose context is a struct bands: propagate the weights by one unit of time: from the band k - 1
   + g .. k - g over k - g .. k + g to the next one. */
static void whole_step(void *context, ty_step *step) {
    const struct bands *s = context;
    T k = plus(ty_cast(step->index, TY_F64), N(1));
    T a = plus(minus(k, N(1)), s->g), b = minus(k, s->g), c = plus(k, s->g), d = minus(plus(k, N(1)), s->g);
    T v = next_band(s, step->carry[0], s->kernels[1], a, b, c);
    step->next[0] = next_band(s, v, s->kernels[2], b, c, d);
}

/* Most points in a time of 1 that are considered: more have a probability of 1e-23. */
enum { FEW = 22 };
/* Return P(D < t/n) for t [lines], at most t_most, by propagating counts between two parallel bounds. */
static T between_bounds(T t, int64_t n, double t_most) {
    struct bands s = {.n = n, .width = 2 * (int64_t)ceil(t_most) + 2};
    s.t = t;
    s.most = s.width < FEW ? s.width : FEW;
    T part = minus(t, ty_floor(t)), end = N((double)n), zero = times(t, N(0));
    s.g = ty_min(part, minus(N(1), part));
    T even = minus(N(1), times(N(2), s.g));
    T times_of[] = {s.g, even, times(N(2), s.g)};
    for (int i = 0; i < 3; i++) s.kernels[i] = poisson_kernel(times_of[i], s.most);
    T points = plus(ty_expand(counted(s.width), 1), least_at(&s, zero, s.g));
    T v = ty_cast(ty_eq(points, N(0)), TY_F64);
    v = next_band(&s, v, s.kernels[0], zero, s.g, minus(N(1), s.g));
    ty_scan_spec loop = {.ncarry = 1, .carry = &v, .length = n - 1};
    T last = v;
    if (n > 1) ty_scan(whole_step, &s, loop, &last, NULL, NULL);
    T a = plus(N((double)(n - 1)), s.g), b = minus(end, s.g);
    last = next_band(&s, last, s.kernels[1], a, b, plus(zero, end));
    last = next_band(&s, last, s.kernels[0], b, plus(zero, end), plus(zero, end));
    T at = plus(ty_expand(counted(s.width), 1), least_at(&s, b, plus(zero, end)));
    T found = ty_sum(ty_where(ty_eq(at, end), last, N(0)), ty_axis(0));
    double given = (double)n * math_log((double)n) - (double)n -
                   math_lgamma((double)n + 1); /* probability of n points */
    return times(found, N(math_exp(-given)));
}

enum { COUNTED_MOST = 1000 };

/* Return the two-sided p-value of Kolmogorov's distance d for n elements. For n d^2 above 4, or d above
   1/2, it is twice the one-sided one: D+ and D- are never both so large. */
T kolmogorov_p(T d, int64_t n) {
    double size = (double)n, t_most = fmin(size / 2, sqrt(4 * size)) + 1;
    T t = times(d, N(size)), tail = share_of(times(smirnov_p(d, n), N(2)));
    T in_tail = ty_logical_or(ty_ge(d, N(0.5)), ty_ge(times(t, d), N(4)));
    T inside;
    if (n <= COUNTED_MOST) {
        T lines = ty_where(ty_is_nan(t), N(1), ty_clip(t, N(0.5), N(t_most)));
        inside = between_bounds(ty_ravel(lines), n, t_most);
        inside = ty_ok(d) && ty_ok(inside) ? ty_reshape(inside, ty_rank(d), ty_shape(d)) : inside;
    } else
        inside = pelz_good(d, n);
    T p = ty_where(in_tail, tail, share_of(minus(N(1), inside)));
    p = ty_where(ty_le(t, N(0.5)), N(1), p);
    return ty_where(ty_is_nan(d), d, p);
}

/* ---- two samples ---- */

/* All paths from (0, 0) to (n, m) are equally likely: Q[i, j] is the share of paths to (i, j) that have been
   outside. */
struct paths {
    double to_row, to_column; /* steps of the two distributions in units of 1 / lcm */
    T columns;                /* [m + 1] */
    T least;                  /* [lines, 1]: least difference that counts as outside */
    ty_alternative alternative;
};

/* Scan body, whose context is a struct paths: compute a row of a lattice, from the row before: for each point
   the share of paths to it that reach the distance. */
static void row_of_paths(void *context, ty_step *step) {
    const struct paths *p = context;
    T i = plus(ty_cast(step->index, TY_F64), N(1));
    T apart_by = minus(times(i, N(p->to_row)), times(p->columns, N(p->to_column)));
    if (p->alternative == TY_TWO_SIDED) apart_by = ty_abs(apart_by);
    if (p->alternative == TY_LESS) apart_by = ty_neg(apart_by);
    T outside = ty_ge(apart_by, p->least), all = plus(i, p->columns);
    T from_left = ty_where(outside, N(0), over(p->columns, all));
    T from_below = ty_where(outside, N(1), times(step->carry[0], over(i, all)));
    step->next[0] = ty_linear_recurrence(from_left, from_below, -1, false);
}

/* Return P(D >= h/n) for two samples of n elements, by reflection: the sum of 2 (-1)^(k-1) binomial(2n, n -
   k h) / binomial(2n, n) (B. Gnedenko and V. Korolyuk, 1951). One-sided: half its first term. */
static T reflected_p(T h, int64_t n, ty_alternative alternative) {
    T size = number((double)n + 1), k = plus(counted(alternative == TY_TWO_SIDED ? n : 1), N(1));
    T far = times(ty_expand(h, -1), k), inside = ty_le(far, N((double)n)), at = ty_where(inside, far, N(0));
    T logs = minus(times(ty_lgamma(size), N(2)), plus(ty_lgamma(minus(size, at)), ty_lgamma(plus(size, at))));
    T sign = minus(N(1), times(N(2), ty_fmod(minus(k, N(1)), N(2))));
    T sum = ty_sum(ty_where(inside, times(sign, ty_exp(logs)), N(0)), last_axis);
    return alternative == TY_TWO_SIDED ? times(N(2), sum) : sum;
}

enum { REFLECTED_FROM = 500 };

T two_sample_p(T d, int64_t n, int64_t m, ty_alternative alternative) {
    if (n == m && n >= REFLECTED_FROM) {
        T h = ty_round(times(d, N((double)n)));
        return ty_where(ty_le(h, N(0)), N(1), share_of(reflected_p(h, n, alternative)));
    }
    bool turned = n > m; /* few long rows */
    int64_t rows = turned ? m : n, columns = turned ? n : m, g = (int64_t)divisor((uint64_t)n, (uint64_t)m);
    struct paths p = {(double)(columns / g), (double)(rows / g), counted(columns + 1), NULL, alternative};
    if (turned && alternative != TY_TWO_SIDED) p.alternative = alternative == TY_LESS ? TY_GREATER : TY_LESS;
    T h = ty_round(times(d, N((double)(n / g) * (double)m)));
    p.least = ty_expand(ty_ravel(h), -1);
    T first = times(p.columns, N(p.alternative == TY_GREATER ? -p.to_column : p.to_column));
    T q = ty_cast(ty_ge(plus(first, times(p.least, N(0))), p.least), TY_F64);
    ty_scan_spec loop = {.ncarry = 1, .carry = &q, .length = rows};
    T last;
    ty_scan(row_of_paths, &p, loop, &last, NULL, NULL);
    last = ty_slice(last, -1, -1, TY_END, 1);
    if (!ty_ok(h) || !ty_ok(last)) return ty_ok(h) ? last : h;
    T found = share_of(ty_reshape(last, ty_rank(h), ty_shape(h)));
    return ty_where(ty_le(h, N(0)), N(1), found);
}
