/* Quadrature of samples: each rule is a weighted sum of slices along an axis. */
#include "numeric/numeric.h"

/* Operands of a rule for samples. */
struct samples {
    ty_tensor *y, *at; /* at: NULL, or of y's rank with size 1 allowed on other axes */
    double spacing;
    int axis;
    int64_t n;
};

/* Return NULL if samples y and positions `at` ([n], or y's shape; NULL: equidistant) agree along the axis,
   which may be negative; else poison that begins with `name`. */
static ty_tensor *refuse_samples(const char *name, ty_tensor *y, ty_tensor *at, int axis) {
    ty_tensor *both[] = {y, at ? at : y}, *bad = first_poison_in(name, 2, both);
    if (bad) return bad;
    int rank = ty_rank(y), along = axis_normal(axis, rank);
    if (along < 0 || along >= rank) return refuse_axis(name, y, axis);
    if (ty_shape(y)[along] < 1) return refuse(name, 1, &y, E_SHAPE, "axis %d has no samples", axis);
    if (!at) return NULL;
    bool fits = ty_rank(at) == 1 ? ty_size(at) == ty_shape(y)[along] : ty_rank(at) == rank;
    for (int i = 0; fits && i < rank && ty_rank(at) != 1; i++) fits = ty_shape(at)[i] == ty_shape(y)[i];
    if (fits && !dtype_is(ty_dtype_of(at), CLASS_COMPLEX)) return NULL;
    return refuse(name, 2, both, E_DTYPE, "points must be real, %lld of them or one for each sample",
                  (long long)ty_shape(y)[along]);
}

/* Cast the operands x[], samples and, if `placed`, positions, to a floating dtype, align positions [n] with
   the axis of the samples, and store both in s. Replaces x[]. */
static void settle(struct samples *s, ty_tensor **x, bool placed) {
    if (placed && ty_rank(x[1]) == 1) { /* align with the axis of y */
        for (int i = s->axis + 1; i < ty_rank(x[0]); i++) x[1] = ty_expand(x[1], -1);
        for (int i = 0; i < s->axis; i++) x[1] = ty_expand(x[1], 0);
    }
    cast_to_floating(placed ? 2 : 1, x);
    if (placed && ty_ok(x[1])) x[1] = ty_cast(x[1], real_of(ty_dtype_of(x[1])));
    s->y = x[0];
    s->at = placed ? x[1] : NULL;
}

static ty_tensor *every(const struct samples *s, ty_tensor *x, int64_t start, int64_t stop, int64_t step) {
    return ty_slice(x, s->axis, start, stop, step);
}
/* Return the widths of the intervals that begin at samples start, start + step, ... below stop; the 0-d
   spacing if samples are equidistant. */
static ty_tensor *widths(const struct samples *s, int64_t start, int64_t stop, int64_t step) {
    if (!s->at) return ty_num(s->spacing);
    return ty_sub(every(s, s->at, start + 1, stop + 1, step), every(s, s->at, start, stop, step));
}
static ty_tensor *total(const struct samples *s, ty_tensor *x) { return ty_sum(x, ty_axis(s->axis)); }
static ty_tensor *N(double x) { return ty_num(x); }

/* ---- Simpson ---- */

/* Return the integral along the axis of the parabolas through samples 0 1 2, 2 3 4, ...; `count` >= 3 is
   the odd number of samples used. */
static ty_tensor *parabolas(const struct samples *s, int64_t count) {
    ty_tensor *a = every(s, s->y, 0, count - 2, 2), *b = every(s, s->y, 1, count - 1, 2),
              *c = every(s, s->y, 2, count, 2);
    ty_tensor *h0 = widths(s, 0, count - 2, 2), *h1 = widths(s, 1, count - 1, 2), *sum = ty_add(h0, h1);
    ty_tensor *wa = ty_sub(N(2), ty_div(h1, h0)), *wc = ty_sub(N(2), ty_div(h0, h1));
    ty_tensor *wb = ty_div(ty_square(sum), ty_mul(h0, h1));
    ty_tensor *all = ty_add(ty_add(ty_mul(a, wa), ty_mul(b, wb)), ty_mul(c, wc));
    return total(s, ty_mul(ty_div(sum, N(6)), all));
}

/* Return the integral along the axis over the last interval under the parabola through the last three
   samples. */
static ty_tensor *last_stretch(const struct samples *s) {
    int64_t n = s->n;
    ty_tensor *h0 = widths(s, n - 3, n - 2, 1), *h1 = widths(s, n - 2, n - 1, 1), *sum = ty_add(h0, h1);
    ty_tensor *square = ty_square(h1), *h01 = ty_mul(h0, h1);
    ty_tensor *last = ty_div(ty_add(ty_mul(square, N(2)), ty_mul(h01, N(3))), ty_mul(sum, N(6)));
    ty_tensor *middle = ty_div(ty_add(square, ty_mul(h01, N(3))), ty_mul(h0, N(6)));
    ty_tensor *first = ty_div(ty_mul(square, h1), ty_mul(ty_mul(h0, sum), N(6)));
    ty_tensor *y =
        ty_add(ty_mul(every(s, s->y, n - 1, n, 1), last), ty_mul(every(s, s->y, n - 2, n - 1, 1), middle));
    return total(s, ty_sub(y, ty_mul(every(s, s->y, n - 3, n - 2, 1), first)));
}

/* Return the integral of the samples along the axis by Simpson's rule; by the trapezium for two samples, 0
   for one. */
static ty_tensor *simpson(const struct samples *s) {
    if (s->n == 1) return ty_mul(total(s, s->y), N(0));
    if (s->n == 2) {
        ty_tensor *both = ty_add(every(s, s->y, 0, 1, 1), every(s, s->y, 1, 2, 1));
        return total(s, ty_mul(ty_mul(both, widths(s, 0, 1, 1)), N(0.5)));
    }
    if (s->n % 2) return parabolas(s, s->n);
    return ty_add(parabolas(s, s->n - 1), last_stretch(s));
}

ty_tensor *ty_simpson(ty_tensor *y, ty_tensor *at, double spacing, int axis) {
    FLOATING_DEFAULT;
    ty_tensor *bad = refuse_samples("simpson", y, at, axis), *x[] = {y, at};
    if (bad) return bad;
    struct samples s = {.spacing = spacing, .axis = axis_normal(axis, ty_rank(y))};
    s.n = ty_shape(y)[s.axis];
    struct composite c = composite_open("simpson", at ? 2 : 1, x);
    settle(&s, x, at != NULL);
    return composite_close(c, ty_ok(s.y) ? simpson(&s) : s.y);
}

/* ---- Romberg: trapezoids of ever finer steps, with successive powers of the step eliminated ---- */

/* Return the integral of 2^k + 1 equidistant samples along the axis by Romberg's method. */
static ty_tensor *romberg(const struct samples *s) {
    enum { MOST_LEVELS = 62 };
    ty_tensor *row[MOST_LEVELS + 1];
    int64_t step = s->n - 1;
    double h = s->spacing * (double)step;
    ty_tensor *ends = ty_add(every(s, s->y, 0, 1, 1), every(s, s->y, s->n - 1, s->n, 1));
    row[0] = total(s, ty_mul(ends, N(h / 2)));
    for (int level = 1; step > 1; level++, step /= 2) {
        h /= 2;
        ty_tensor *fresh = total(s, every(s, s->y, step / 2, s->n, step));
        ty_tensor *one = ty_add(ty_mul(row[0], N(0.5)), ty_mul(fresh, N(h)));
        double power = 1;
        for (int k = 0; k < level; k++) {
            ty_tensor *before = row[k];
            power *= 4;
            row[k] = one;
            one = ty_add(one, ty_mul(ty_sub(one, before), N(1 / (power - 1))));
        }
        row[level] = one;
    }
    int last = 0;
    for (int64_t n = s->n - 1; n > 1; n /= 2) last++;
    return row[last];
}

ty_tensor *ty_romberg(ty_tensor *y, double spacing, int axis) {
    FLOATING_DEFAULT;
    ty_tensor *bad = refuse_samples("romberg", y, NULL, axis), *x[] = {y};
    if (bad) return bad;
    struct samples s = {.spacing = spacing, .axis = axis_normal(axis, ty_rank(y))};
    s.n = ty_shape(y)[s.axis];
    if (s.n < 2 || ((s.n - 1) & (s.n - 2)))
        return refuse("romberg", 1, &y, E_ARGUMENT, "%lld samples on axis %d; expected 2^k + 1",
                      (long long)s.n, axis);
    struct composite c = composite_open("romberg", 1, x);
    settle(&s, x, false);
    return composite_close(c, ty_ok(s.y) ? romberg(&s) : s.y);
}

ty_tensor *ty_cumulative_trapezoid(ty_tensor *y, ty_tensor *at, double spacing, int axis) {
    ty_tensor *bad = refuse_samples("cumulative_trapezoid", y, at, axis), *x[] = {y, at};
    if (bad) return bad;
    struct samples s = {.spacing = spacing, .axis = axis_normal(axis, ty_rank(y))};
    s.n = ty_shape(y)[s.axis];
    struct composite c = composite_open("cumulative_trapezoid", at ? 2 : 1, x);
    settle(&s, x, at != NULL);
    if (!ty_ok(s.y)) return composite_close(c, s.y);
    ty_tensor *both = ty_add(every(&s, s.y, 1, s.n, 1), every(&s, s.y, 0, s.n - 1, 1));
    ty_tensor *area = ty_mul(ty_mul(both, widths(&s, 0, s.n - 1, 1)), N(0.5));
    return composite_close(c, ty_cumsum(area, s.axis, (ty_running){0}));
}
