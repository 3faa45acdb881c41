/*
 * Adaptive Gauss-Kronrod quadrature: Gauss's rule of 10 nodes inside Kronrod's of 21, whose difference
 * estimates the error (R. Piessens et al., "QUADPACK", 1983, qk21). Each round halves the intervals with the
 * largest errors. Intervals at an end of the range that were halved several times may contain a singularity;
 * their nodes then follow powers of the distance.
 */
#include <math.h>
#include <stdlib.h>
#include "array/scope.h"
#include "base/math/scalar.h"
#include "base/options.h"
#include "array/progress.h"
#include "base/alloc.h"
#include "base/list.h"
#include "numeric/numeric.h"
#include "numeric/quad_interval.h"

enum { MOST_AT_ONCE = 256 };

/* State of one quadrature. */
struct quad {
    ty_body f;
    void *context;
    int n;
    ty_tensor *const *parameters;
    double low, high; /* limits of x, ascending */
    double sign;      /* -1 if the limits were swapped, else 1 */
    ty_quad_options o;
    ty_quad_report now;
    struct interval *all;
    int64_t count, room;
    int64_t width; /* number of results of f per node; 0: not known yet */
    double *total;
    struct fault fault;
};

/* ---- evaluation ---- */

static bool failed(struct quad *q, const ty_tensor *bad) { return fault_tensor(&q->fault, bad); }

/* Return the values of f at the m nodes x[] as doubles, [m, q->width], complex ones as pairs; the caller
   frees them, also after a fault. Sets q->width. Errors set the fault; the result may then be NULL. */
static double *values_at(struct quad *q, int64_t m, const double *x) {
    bool remembered = ty_set_history(false);
    ty_scope *scope = ty_open();
    ty_tensor *y = call_body("quad", q->f, q->context, ty_from(TY_F64, 1, &m, x), q->n, q->parameters);
    y = ty_ok(y) ? ty_eval(y) : y;
    double *room = NULL;
    if (ty_ok(y) && (ty_rank(y) < 1 || ty_shape(y)[0] != m))
        y = refuse("quad", 1, &y, E_USER,
                   "f returned this for %lld points; expected [%lld, ..], a result for each", (long long)m,
                   (long long)m);
    if (ty_ok(y)) {
        if (dtype_is(ty_dtype_of(y), CLASS_COMPLEX))
            y = ty_stack(2, (ty_tensor *[]){ty_real(y), ty_imag(y)}, -1);
        int64_t width = ty_ok(y) ? ty_size(y) / m : 0;
        if (q->width && width != q->width)
            fault_set(&q->fault, E_USER, "quad: f returned %lld numbers for a point, and %lld before",
                      (long long)width, (long long)q->width);
        q->width = width;
        room = mem_array((size_t)(m * width) + 1, sizeof *room);
        if (!room) fault_memory(&q->fault, (size_t)(m * width) * sizeof *room);
        if (room && width && !ty_read(y, TY_F64, room)) failed(q, y);
    } else {
        failed(q, y);
    }
    ty_close(scope);
    ty_set_history(remembered);
    q->now.evaluations += m;
    return room;
}

/* Set *value to the Kronrod sum of one component, over y[i q->width] times slope[i] for node i, and return
   QUADPACK's error estimate; the plain difference if f is `rough`, where Kronrod gains nothing. *settled
   becomes true if only rounding is left. */
static double sum_up(const struct quad *q, const double *y, const double *slope, bool rough, double *value,
                     bool *settled) {
    double kronrod = 0, gauss = 0, size = 0, spread = 0;
    for (int i = 0; i < PLACES; i++) {
        double v = y[i * q->width] * slope[i];
        kronrod += kronrod_weight(i) * v;
        gauss += gauss_weight(i) * v;
        size += kronrod_weight(i) * fabs(v);
    }
    for (int i = 0; i < PLACES; i++)
        spread += kronrod_weight(i) * fabs(y[i * q->width] * slope[i] - kronrod / 2);
    double error = fabs(kronrod - gauss), least = 50 * 0x1p-52 * size;
    if (spread != 0 && error != 0 && !rough) error = spread * fmin(1, math_pow(200 * error / spread, 1.5));
    *settled = error <= least;
    *value = kronrod;
    return fmax(error, least);
}

/* Return true if all values y[m q->width] at the m nodes x[] are finite, else set the fault with the first
   that is not. */
static bool name_infinity(struct quad *q, int64_t m, const double *x, const double *y) {
    for (int64_t i = 0; i < m * q->width; i++)
        if (!isfinite(y[i]))
            return fault_set(&q->fault, E_DOMAIN,
                             "quad: f is %g at %.15g; make a singularity an end or one of `points`", y[i],
                             x[i / q->width]);
    return true;
}

/* Halvings of an interval at an end of the range after which f is taken to be singular there. */
enum { LEVEL_OF_POWERS = 3 };
static bool is_rough(const struct interval *v) {
    return v->end_low != v->end_high && v->level >= LEVEL_OF_POWERS;
}

/* Set v's sums, error and `settled` from its PLACES nodes x, values y and slopes. False sets the fault: no
   memory, or a sum that is not finite. */
static bool sum_interval(struct quad *q, struct interval *v, const double *x, const double *y,
                         const double *slope) {
    if (!v->value) v->value = mem_array((size_t)(q->width ? q->width : 1), sizeof *v->value);
    if (!v->value) return fault_memory(&q->fault, (size_t)q->width * sizeof *v->value);
    v->error = 0, v->settled = true;
    for (int64_t r = 0; r < q->width; r++) {
        bool settled;
        double error = sum_up(q, y + r, slope, is_rough(v), &v->value[r], &settled);
        if (v->crowded) error = fmax(error, fabs(v->value[r])); /* both rules miss the same part */
        if (!isfinite(v->value[r]) || !isfinite(error))
            return fault_set(&q->fault, E_DOMAIN,
                             "quad: the sum of f between %.15g and %.15g is too large for doubles",
                             fmin(x[0], x[PLACES - 1]), fmax(x[0], x[PLACES - 1]));
        v->error = fmax(v->error, error);
        v->settled = v->settled && settled;
    }
    double size = fabs(v->low) + fabs(v->high), middle = interval_middle(v);
    double shorter = fmin(v->high - middle, middle - v->low);
    v->settled = v->settled || !(shorter > 4 * 0x1p-52 * size);
    return true;
}

/* Evaluate the `many` intervals from index `first` on by one call of f; false sets the fault. */
static bool evaluate(struct quad *q, int64_t first, int64_t many) {
    int64_t m = many * PLACES;
    double *x = mem_array(2 * (size_t)m, sizeof *x), *slope = x + m, *y = NULL;
    if (!x) return fault_memory(&q->fault, 2 * (size_t)m * sizeof *x);
    for (int64_t k = 0; k < many; k++)
        interval_places(&q->all[first + k], x + k * PLACES, slope + k * PLACES);
    y = values_at(q, m, x);
    bool well = y && !q->fault.set && name_infinity(q, m, x, y);
    for (int64_t k = 0; k < many && well; k++)
        well = sum_interval(q, &q->all[first + k], x + k * PLACES, y + k * PLACES * q->width,
                            slope + k * PLACES);
    mem_free(x), mem_free(y);
    return well;
}

/* Append a copy of interval v, not yet evaluated, to q->all; false sets the fault: no memory. */
static bool add_interval(struct quad *q, struct interval v) {
    v.value = NULL;
    return list_append(q->all, q->count, q->room, v) ||
           fault_memory(&q->fault, (size_t)q->count * sizeof *q->all);
}

/* ---- singular ends ---- */

/* Powers of the distance from an end: 2 to 10 smooth roots of these orders, and each smooths a logarithm. */
static const int powers[] = {2, 3, 4, 6, 10};
enum { POWERS = sizeof powers / sizeof *powers };

static bool wants_powers(const struct interval *v) { return is_rough(v) && !v->tried; }

/* Replace interval i of q->all by its best substitution, if the error falls to below a quarter. Return true
   if it was replaced; false if not, or with the fault set. */
static bool try_powers(struct quad *q, int64_t i) {
    int64_t first = q->count, best = i;
    q->all[i].tried = true;
    for (int k = 0; k < POWERS; k++) {
        struct interval v = q->all[i];
        v.power = powers[k];
        if (!add_interval(q, v)) return false;
    }
    if (!evaluate(q, first, POWERS)) return false;
    for (int64_t k = first; k < q->count; k++)
        if (q->all[k].error < q->all[best].error / (best == i ? 4 : 1)) best = k;
    struct interval taken = q->all[best];
    q->all[best] = q->all[i], q->all[i] = taken;
    while (q->count > first) mem_free(q->all[--q->count].value);
    return best != i;
}

/* ---- rounds ---- */

static int by_place(const void *a, const void *b) {
    const struct interval *x = a, *y = b;
    if (x->map != y->map) return x->map - y->map;
    return (x->low > y->low) - (x->low < y->low);
}
/* Compare intervals for qsort: unsettled ones first, by descending error, then by map and lower end. */
static int by_error(const void *a, const void *b) {
    const struct interval *x = a, *y = b;
    if (x->settled != y->settled) return x->settled - y->settled;
    if (x->error != y->error) return x->error < y->error ? 1 : -1;
    return by_place(a, b);
}

/* Set q->now.error to the sum of the intervals' errors and return the allowed error: the larger of the
   absolute tolerance and the relative one times the largest component. */
static double allowed(struct quad *q) {
    double most = 0;
    q->now.error = 0;
    for (int64_t i = 0; i < q->count; i++) q->now.error += q->all[i].error;
    for (int64_t r = 0; r < q->width; r++) {
        double total = 0;
        for (int64_t i = 0; i < q->count; i++) total += q->all[i].value[r];
        most = fmax(most, fabs(total));
    }
    return fmax(q->o.absolute, q->o.relative * most);
}

/* Halve interval i of q->all: it becomes the lower half, and the upper half is appended; neither is
   evaluated. False sets the fault: no memory. */
static bool halve_one(struct quad *q, int64_t i) {
    double middle = interval_middle(&q->all[i]);
    struct interval low = q->all[i], high = low;
    low.high = high.low = middle;
    low.end_high = high.end_low = false;
    low.level = high.level = low.level + 1;
    if (!low.end_low) low.power = 1;
    if (!high.end_high) high.power = 1;
    q->all[i] = low;
    return add_interval(q, high);
}

/* Improve the intervals with the largest errors, so many that the rest is within half of `bound`. Return
   false if none can be improved, or with the fault set. Reorders q->all. */
static bool improve(struct quad *q, double bound) {
    double rest = q->now.error;
    int64_t many = 0, most = q->o.intervals - q->count, first = q->count;
    bool better = false;
    qsort(q->all, (size_t)q->count, sizeof *q->all, by_error);
    while (many < q->count && many < most && many < MOST_AT_ONCE / 2 && rest > bound / 2 &&
           !q->all[many].settled)
        rest -= q->all[many++].error;
    for (int64_t i = 0; i < many && !q->fault.set; i++)
        if (wants_powers(&q->all[i])) better = try_powers(q, i) || better;
    if (better || q->fault.set) return better;
    for (int64_t i = 0; i < many; i++)
        if (!halve_one(q, i)) return false;
    return many && evaluate(q, 0, many) && evaluate(q, first, many);
}

/* Improve the intervals until the error is within the tolerance, no improvement is possible or the
   intervals run out. q->now says which; the fault is set on failure. */
static void search(struct quad *q) {
    while (!q->fault.set && progress_at(q->count, q->o.intervals, &q->fault)) {
        double bound = allowed(q);
        q->now.intervals = q->count;
        q->now.converged = q->now.error <= bound;
        if (q->now.converged) {
            text_print(q->now.message, sizeof q->now.message, "the error is at most %g", bound);
            return;
        }
        if (improve(q, bound) || q->fault.set) continue;
        text_print(
            q->now.message, sizeof q->now.message,
            q->count >= q->o.intervals
                ? "%lld intervals were not enough: the error is about %g, and %g is allowed"
                : "%lld intervals, and halving does not help: the error is about %g, and %g is allowed",
            (long long)q->count, q->now.error, bound);
        return;
    }
}

/* ---- public function ---- */

/* Return NULL if the function, the ends low and high, and the options of quad are valid, else poison. */
static ty_tensor *refuse_quad(const struct quad *q, double low, double high) {
    if (!q->f) return ty_poison_code(E_ARGUMENT, "quad: the function is NULL");
    if (isnan(low) || isnan(high))
        return ty_poison_code(E_DOMAIN, "quad: from %g to %g; an end is NaN", low, high);
    if (low == high && isinf(low))
        return ty_poison_code(E_SHAPE, "quad: from %g to %g; the interval is empty", low, high);
    if (!(q->o.absolute >= 0) || !(q->o.relative >= 0))
        return ty_poison_code(E_ARGUMENT, "quad: absolute %g, relative %g; expected numbers of at least 0",
                              q->o.absolute, q->o.relative);
    if (q->o.intervals < 1 || q->o.intervals > 1 << 24 || q->o.npoints < 0)
        return ty_poison_code(E_ARGUMENT,
                              "quad: %lld intervals and %d points; expected 1 to %d, and at least 0",
                              (long long)q->o.intervals, q->o.npoints, 1 << 24);
    ty_tensor *bad = refuse_missing("quad", q->o.npoints, q->o.points, "points");
    for (int i = 0; i < q->o.npoints && !bad; i++) {
        double x = q->o.points[i];
        if (!(x > fmin(low, high) && x < fmax(low, high)))
            bad = ty_poison_code(E_ARGUMENT, "quad: point %d is %g, which is not between %g and %g", i, x,
                                 low, high);
    }
    return bad;
}

static double t_of(const struct interval *v, double x) { return v->map ? 1 / (1 + fabs(x - v->base)) : x; }

/* Append `part` of the range as intervals cut at the caller's points, unevaluated; false sets the fault: no
   memory. */
static bool add_part(struct quad *q, struct interval part) {
    int64_t first = q->count;
    if (!add_interval(q, part)) return false;
    for (int i = 0; i < q->o.npoints; i++) {
        struct interval piece = part;
        bool beside = part.map && (q->o.points[i] - part.base) * part.map < 0;
        double t = beside ? 1 : t_of(&part, q->o.points[i]);
        if (t == part.low) q->all[first].end_low = true;
        if (t == part.high) part.end_high = true;
        piece.low = t, piece.end_low = true;
        if (t > part.low && t < part.high && !add_interval(q, piece)) return false;
    }
    qsort(q->all + first, (size_t)(q->count - first), sizeof *q->all, by_place);
    for (int64_t i = first; i < q->count; i++) {
        bool last = i + 1 == q->count;
        q->all[i].high = last ? part.high : q->all[i + 1].low;
        q->all[i].end_high = !last || part.end_high;
    }
    return true;
}

/* Append and evaluate the first intervals; failures set the fault. Infinite ranges are mapped from a
   distance of 1 from the finite end, or, if both ends are infinite, from 0. */
static void start(struct quad *q) {
    bool below = isinf(q->low), above = isinf(q->high);
    double low_base = above ? 0 : q->high, high_base = below ? 0 : q->low;
    struct interval near = {.low = below ? low_base - 1 : q->low, .high = above ? high_base + 1 : q->high};
    struct interval far = {.low = 0, .high = 0.5, .end_low = true, .power = 1};
    near.power = 1, near.end_low = !below, near.end_high = !above;
    bool well = add_part(q, near);
    far.map = -1, far.base = low_base;
    if (well && below) well = add_part(q, far);
    far.map = 1, far.base = high_base;
    if (well && above) well = add_part(q, far);
    for (int64_t i = 0; i < q->count && !q->fault.set; i += MOST_AT_ONCE)
        evaluate(q, i, q->count - i < MOST_AT_ONCE ? q->count - i : MOST_AT_ONCE);
}

/* Return the integral, the weighted sum of f at all nodes, sorted by interval, recorded so that gradients
   flow to the parameters. Poison on failure. */
static ty_tensor *result(struct quad *q) {
    int64_t m = q->count * PLACES;
    double *x = mem_array(2 * (size_t)m, sizeof *x), *w = x + m;
    if (!x) return tensor_out_of_memory();
    qsort(q->all, (size_t)q->count, sizeof *q->all, by_place);
    for (int64_t k = 0; k < q->count; k++) {
        interval_places(&q->all[k], x + k * PLACES, w + k * PLACES);
        for (int i = 0; i < PLACES; i++) w[k * PLACES + i] *= q->sign * kronrod_weight(i);
    }
    ty_tensor *places = ty_from(TY_F64, 1, &m, x), *weights = ty_from(TY_F64, 1, &m, w);
    mem_free(x);
    return weighted_sum("quad", call_body("quad", q->f, q->context, places, q->n, q->parameters), weights);
}

ty_tensor *ty_quad_sized(ty_body f, void *context, double low, double high, int n,
                         ty_tensor *const *parameters, const ty_quad_options *given, size_t given_size,
                         ty_quad_report *report, size_t report_size) {
    FLOATING_DEFAULT;
    ty_quad_options options;
    struct fault fault;
    fault_clear(&fault);
    bool known = OPTIONS_READ(options, given, given_size, &fault);
    PROGRESS_NAMED("integrate");
    struct quad q = {.f = f, .context = context, .n = n, .parameters = parameters, .o = options};
    q.sign = low > high ? -1 : 1;
    q.low = fmin(low, high), q.high = fmax(low, high);
    if (!q.o.intervals) q.o.intervals = 1000;
    if (q.o.absolute == 0 && q.o.relative == 0) q.o.absolute = q.o.relative = 1e-10;
    ty_scope *scope = ty_open();
    ty_tensor *bad = known ? first_poison(n, parameters) : tensor_fault(&fault), *y = NULL;
    if (!bad) bad = refuse_quad(&q, low, high);
    if (!bad) start(&q), search(&q);
    if (!bad && q.fault.set) bad = tensor_fault(&q.fault);
    if (!bad && !q.now.converged && !report) bad = ty_poison_code(E_NOT_CONVERGED, "quad: %s", q.now.message);
    y = bad ? bad : result(&q);
    if (!ty_ok(y))
        text_print(q.now.message, sizeof q.now.message, "%.250s", ty_error(y)), q.now.converged = false;
    for (int64_t i = 0; i < q.count; i++) mem_free(q.all[i].value);
    mem_free(q.all);
    options_write(report, report_size, &q.now, sizeof q.now);
    return leave(scope, y);
}
