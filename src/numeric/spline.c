/*
 * Slopes of cubic splines: elimination in the tridiagonal system that makes second derivatives continuous. The
 * part that depends on x alone is one loop, the part of y two linear recurrences for all curves at once. No
 * pivoting is needed: each pivot is at least the distance of neighbouring points, also in the rows of the ends.
 */
#include <tyto/control.h>
#include "numeric/numeric.h"

/* Equations sub s[i-1] + diagonal s[i] + super s[i+1] = right: [n] each, right [n, ...]. */
struct band {
    ty_tensor *sub, *diagonal, *super, *right;
};

/* Scan body of the elimination: from x[], the row's sub-, main and superdiagonal, compute the inverse of
   the pivot, y[0], and the eliminated superdiagonal, y[1] and the carry. */
static void eliminate(void *context, ty_step *s) {
    (void)context;
    ty_tensor *m = ty_recip(ty_sub(s->x[1], ty_mul(s->x[0], s->carry[0])));
    s->y[0] = m;
    s->y[1] = s->next[0] = ty_mul(s->x[2], m);
}

/* Return the solution [n, ...] of a tridiagonal system with diagonals [n] and right sides [n, ...], by
   elimination without pivots. */
static ty_tensor *solve_band(struct band b) {
    ty_tensor *x[] = {b.sub, b.diagonal, b.super}, *y[2], *last;
    ty_tensor *zero = ty_ok(b.sub) ? ty_zeros(ty_dtype_of(b.sub), TY_SCALAR) : b.sub;
    ty_scan(eliminate, NULL, (ty_scan_spec){.ncarry = 1, .carry = &zero, .nx = 3, .x = x, .ny = 2}, &last, y,
            NULL);
    if (!ty_ok(b.right)) return b.right;
    int rank = ty_rank(b.right);
    ty_tensor *inverse = with_axes_behind(y[0], rank), *super = with_axes_behind(y[1], rank);
    ty_tensor *sub = with_axes_behind(b.sub, rank);
    ty_tensor *down = ty_linear_recurrence(ty_neg(ty_mul(sub, inverse)), ty_mul(b.right, inverse), 0, false);
    return ty_linear_recurrence(ty_neg(super), down, 0, true);
}

static ty_tensor *join(ty_tensor *first, ty_tensor *middle, ty_tensor *last) {
    return ty_concat(3, ((ty_tensor *[]){first, middle, last}), 0);
}
static ty_tensor *sum(ty_tensor *a, ty_tensor *b) { return ty_add(a, b); }
static ty_tensor *times(ty_tensor *a, ty_tensor *b) { return ty_mul(a, b); }
static ty_tensor *twice(ty_tensor *a) { return ty_mul(a, ty_num(2)); }
static ty_tensor *three(ty_tensor *a) { return ty_mul(a, ty_num(3)); }

/* Widths d and slopes of the pieces, n - 1 each along the first axis; dr is d with y's number of axes. */
struct spline_pieces {
    ty_tensor *d, *dr, *slope;
    int64_t n;
};
static ty_tensor *at(ty_tensor *x, int64_t i) { return part_of(x, 0, i, i + 1); }

/* Compute the not-a-knot equation of an end: *diagonal and *beside are the coefficients of its slope and
   its neighbour's, *right the right side. near and far are the indices of its first and second piece,
   seen from that end. */
static void not_a_knot(const struct spline_pieces *p, int64_t near, int64_t far, ty_tensor **diagonal,
                       ty_tensor **beside, ty_tensor **right) {
    ty_tensor *d = sum(at(p->dr, near), at(p->dr, far));
    *diagonal = at(p->d, far);
    *beside = sum(at(p->d, near), at(p->d, far));
    ty_tensor *a = times(times(sum(at(p->dr, near), twice(d)), at(p->dr, far)), at(p->slope, near));
    *right = ty_div(sum(a, times(ty_square(at(p->dr, near)), at(p->slope, far))), d);
}

/* Return the equations of the n - 2 interior points, one row per point. */
static struct band inner_rows(const struct spline_pieces *p) {
    int64_t m = p->n - 1;
    ty_tensor *before = part_of(p->d, 0, 0, m - 1), *after = part_of(p->d, 0, 1, m);
    ty_tensor *right = sum(times(part_of(p->dr, 0, 1, m), part_of(p->slope, 0, 0, m - 1)),
                           times(part_of(p->dr, 0, 0, m - 1), part_of(p->slope, 0, 1, m)));
    return (struct band){after, twice(sum(before, after)), before, three(right)};
}

/* Compute the equation of the first end or, if `last`, of the other: out[0] its diagonal, out[1] its
   neighbour's coefficient, out[2] the right side. */
static void end_row(const struct spline_pieces *p, const ty_interp_options *o, bool last, ty_tensor **out) {
    int64_t near = last ? p->n - 2 : 0, far = last ? p->n - 3 : 1;
    ty_tensor *one = ty_ones_like(at(p->d, 0)), *slope = at(p->slope, near);
    if (o->end == TY_SPLINE_NOT_A_KNOT && p->n > 3) {
        not_a_knot(p, near, far, &out[0], &out[1], &out[2]);
    } else if (o->end == TY_SPLINE_NOT_A_KNOT && p->n == 3) { /* one parabola */
        out[0] = out[1] = one;
        out[2] = twice(slope);
    } else if (o->end == TY_SPLINE_NOT_A_KNOT) { /* a line */
        out[0] = one, out[1] = ty_zeros_like(one);
        out[2] = slope;
    } else if (o->end == TY_SPLINE_NATURAL) {
        out[0] = twice(one), out[1] = one;
        out[2] = three(slope);
    } else {
        out[0] = one, out[1] = ty_zeros_like(one);
        out[2] = ty_full_like(slope, last ? o->last : o->first);
    }
}

/* Return the slopes [n, ...] at the points of a cubic spline with two ends, each treated as the options
   say. */
static ty_tensor *open_slopes(const struct spline_pieces *p, const ty_interp_options *o) {
    ty_tensor *low[3], *high[3];
    end_row(p, o, false, low);
    end_row(p, o, true, high);
    struct band b = {ty_zeros_like(low[0]), low[0], low[1], low[2]};
    ty_tensor *none = b.sub;
    if (p->n > 2) {
        struct band m = inner_rows(p);
        b = (struct band){join(none, m.sub, high[1]), join(low[0], m.diagonal, high[0]),
                          join(low[1], m.super, none), join(low[2], m.right, high[2])};
    } else {
        b = (struct band){ty_concat(2, ((ty_tensor *[]){none, high[1]}), 0),
                          ty_concat(2, ((ty_tensor *[]){low[0], high[0]}), 0),
                          ty_concat(2, ((ty_tensor *[]){low[1], none}), 0),
                          ty_concat(2, ((ty_tensor *[]){low[2], high[2]}), 0)};
    }
    return solve_band(b);
}

/* Return the slopes [n, ...] of the periodic spline, where both ends are one point, by the Sherman-Morrison
   formula: s = u - v (u0 + r uL) / (1 + v0 + r vL). u solves the system without its corners, v the same
   with the corners' column g (W. Sherman and J. Morrison 1950). */
static ty_tensor *ring_slopes(const struct spline_pieces *p) {
    int64_t m = p->n - 1; /* unknowns */
    if (m < 3) {          /* at most two pieces: solved directly */
        if (m == 1) return ty_zeros_like(ty_concat(2, ((ty_tensor *[]){p->slope, p->slope}), 0));
        ty_tensor *weighted = sum(times(at(p->slope, 0), at(p->dr, 1)), times(at(p->slope, 1), at(p->dr, 0)));
        ty_tensor *s = ty_div(weighted, sum(at(p->dr, 0), at(p->dr, 1)));
        return join(s, s, s);
    }
    ty_tensor *before = join(at(p->d, m - 1), part_of(p->d, 0, 0, m - 2), at(p->d, m - 2));
    ty_tensor *sub = p->d, *super = before, *diagonal = twice(sum(before, p->d));
    ty_tensor *dr = join(at(p->dr, m - 1), part_of(p->dr, 0, 0, m - 2), at(p->dr, m - 2));
    ty_tensor *sr = join(at(p->slope, m - 1), part_of(p->slope, 0, 0, m - 2), at(p->slope, m - 2));
    ty_tensor *right = three(sum(times(p->dr, sr), times(dr, p->slope)));
    /* corners: row 0 has d[0] on its left, the last row super[m-1] on its right */
    ty_tensor *gamma = ty_neg(at(diagonal, 0)), *left = at(sub, 0), *far = at(super, m - 1);
    ty_tensor *first = ty_sub(at(diagonal, 0), gamma);
    ty_tensor *final = ty_sub(at(diagonal, m - 1), ty_div(times(left, far), gamma));
    struct band b = {join(ty_zeros_like(left), part_of(sub, 0, 1, m - 1), at(sub, m - 1)),
                     join(first, part_of(diagonal, 0, 1, m - 1), final),
                     join(at(super, 0), part_of(super, 0, 1, m - 1), ty_zeros_like(far)), right};
    ty_tensor *u = solve_band(b);
    ty_tensor *zeros = ty_zeros_like(part_of(sub, 0, 1, m - 1));
    b.right = join(gamma, zeros, far);
    ty_tensor *v = solve_band(b);
    if (!ty_ok(u)) return u;
    int rank = ty_rank(u);
    ty_tensor *ratio = ty_div(left, gamma);
    ty_tensor *below = ty_add(ty_num(1), sum(at(v, 0), times(ratio, at(v, m - 1))));
    ty_tensor *above = sum(at(u, 0), times(with_axes_behind(ratio, rank), at(u, m - 1)));
    ty_tensor *share = ty_div(above, with_axes_behind(below, rank));
    ty_tensor *s = ty_sub(u, times(with_axes_behind(v, rank), share));
    return ty_concat(2, ((ty_tensor *[]){s, at(s, 0)}), 0);
}

ty_tensor *spline_slopes(ty_tensor *x, ty_tensor *y, const ty_interp_options *o) {
    struct spline_pieces p = {.n = ty_size(x), .d = ty_diff(x, 1, 0, NULL, NULL)};
    p.dr = with_axes_behind(p.d, ty_rank(y));
    p.slope = ty_div(ty_diff(y, 1, 0, NULL, NULL), p.dr);
    if (!ty_ok(p.slope)) return p.slope;
    return o->end == TY_SPLINE_PERIODIC ? ring_slopes(&p) : open_slopes(&p, o);
}
