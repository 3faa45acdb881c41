/*
 * Adaptive quadrature: Gauss's rule of 10 places inside Kronrod's of 21 on every interval, whose difference tells the error (R.
 * Piessens et al., "QUADPACK", 1983, qk21).  In each round those intervals are halved that hold the most of the error.  Infinite
 * ranges are mapped to -1..1 or 0..1.
 */
#include <math.h>
#include <stdlib.h>
#include "array/scope.h"
#include "base/alloc.h"
#include "numeric/numeric.h"

enum { PLACES = 21, MOST_AT_ONCE = 256 };

/* From the end to the middle, and what each place weighs in both rules. */
static const double places_half[11] = {0.995657163025808080735527280689003,
                                       0.973906528517171720077964012084452,
                                       0.930157491355708226001207180059508,
                                       0.865063366688984510732096688423493,
                                       0.780817726586416897063717578345042,
                                       0.679409568299024406234327365114874,
                                       0.562757134668604683339000099272694,
                                       0.433395394129247190799265943165784,
                                       0.294392862701460198131126603103866,
                                       0.148874338981631210884826001129720,
                                       0};
static const double kronrod_half[11] = {
    0.011694638867371874278064396062192, 0.032558162307964727478818972459390,
    0.054755896574351996031381300244580, 0.075039674810919952767043140916190,
    0.093125454583697605535065465083366, 0.109387158802297641899210590325805,
    0.123491976262065851077958109585166, 0.134709217311473325928054001771707,
    0.142775938577060080797094273138717, 0.147739104901338491374841515972068,
    0.149445554002916905664936468389821};
static const double gauss_half[11] = {
    0, 0.066671344308688137593568809893332, 0, 0.149451349150580593145863396957658,
    0, 0.219086362515982043995534934228163, 0, 0.269266719309996355091226921569469,
    0, 0.295524224714752870173815619188769, 0};

static double mirrored(const double *half, int i) { return half[i <= 10 ? i : 20 - i]; }
static double place(int i) { return i <= 10 ? -places_half[i] : places_half[20 - i]; }

struct interval {
    double low, high, error;
    bool settled;  /* halving it tells no more: the error is that of rounding, or it is too short */
    double *value; /* `width` numbers */
};

struct quad {
    ty_body f;
    void *context;
    int n;
    ty_tensor *const *parameters;
    double low, high; /* of x */
    bool endless[2];  /* which ends are infinite */
    double sign;      /* low and high were turned */
    ty_quad_options o;
    ty_quad_report now;
    struct interval *all;
    int64_t count, room;
    int64_t width; /* numbers that f makes for a place; 0: not known yet */
    double *total;
    struct fault fault;
};

/* ---- where x lies: t is what intervals are of ---- */

static double x_of(const struct quad *q, double t, double *slope) {
    if (q->endless[0] && q->endless[1]) {
        double rest = (1 - t) * (1 + t);
        *slope = (1 + t * t) / (rest * rest);
        return t / rest;
    }
    if (q->endless[0] || q->endless[1]) {
        double rest = 1 - t;
        *slope = 1 / (rest * rest);
        return q->endless[1] ? q->low + t / rest : q->high - t / rest;
    }
    *slope = 1;
    return t;
}

static double t_of(const struct quad *q, double x) {
    if (q->endless[0] && q->endless[1]) return x == 0 ? 0 : (sqrt(1 + 4 * x * x) - 1) / (2 * x);
    double far = q->endless[1] ? x - q->low : q->high - x;
    return q->endless[0] || q->endless[1] ? far / (1 + far) : x;
}

/* Places of an interval and the slopes of x there times half its length. */
static void fill_places(const struct quad *q, const struct interval *v, double *x, double *slope) {
    double half = (v->high - v->low) / 2, middle = v->low + half;
    for (int i = 0; i < PLACES; i++) {
        x[i] = x_of(q, middle + half * place(i), &slope[i]);
        slope[i] *= half;
    }
}

/* ---- one round ---- */

static bool failed(struct quad *q, const ty_tensor *bad) { return fault_set(&q->fault, "%s", ty_error(bad)); }

/* What f makes at m places, as doubles, parts of complex numbers one after the other; to be freed. */
static double *values_at(struct quad *q, int64_t m, const double *x) {
    bool remembered = ty_remember(false);
    ty_scope *scope = ty_open();
    ty_tensor *y = call_body("quad", q->f, q->context, ty_from(TY_F64, 1, &m, x), q->n, q->parameters);
    y = ty_ok(y) ? ty_eval(y) : y;
    double *room = NULL;
    if (ty_ok(y) && (ty_rank(y) < 1 || ty_shape(y)[0] != m))
        y = refuse("quad", 1, &y,
                   "this is what f made of %lld places; expected [%lld, ..], a result for each", (long long)m,
                   (long long)m);
    if (ty_ok(y)) {
        if (dtype_is(ty_dtype_of(y), CLASS_COMPLEX))
            y = ty_stack(2, (ty_tensor *[]){ty_real(y), ty_imag(y)}, -1);
        int64_t width = ty_ok(y) ? ty_size(y) / m : 0;
        if (q->width && width != q->width)
            fault_set(&q->fault, "quad: f made %lld numbers for a place, and %lld before", (long long)width,
                      (long long)q->width);
        q->width = width;
        room = mem_array((size_t)(m * width) + 1, sizeof *room);
        if (!room) fault_memory(&q->fault, (size_t)(m * width) * sizeof *room);
        if (room && width && !ty_read(y, TY_F64, room)) failed(q, y);
    } else {
        failed(q, y);
    }
    ty_close(scope);
    ty_remember(remembered);
    q->now.evaluations += m;
    return room;
}

/* Both sums of one component, and QUADPACK's estimate of the error. */
static double sum_up(const struct quad *q, const double *y, const double *slope, double *value,
                     bool *settled) {
    double kronrod = 0, gauss = 0, size = 0, spread = 0;
    for (int i = 0; i < PLACES; i++) {
        double v = y[i * q->width] * slope[i];
        kronrod += mirrored(kronrod_half, i) * v;
        gauss += mirrored(gauss_half, i) * v;
        size += mirrored(kronrod_half, i) * fabs(v);
    }
    for (int i = 0; i < PLACES; i++)
        spread += mirrored(kronrod_half, i) * fabs(y[i * q->width] * slope[i] - kronrod / 2);
    double error = fabs(kronrod - gauss), least = 50 * 0x1p-52 * size;
    if (spread != 0 && error != 0) error = spread * fmin(1, pow(200 * error / spread, 1.5));
    *settled = error <= least;
    *value = kronrod;
    return fmax(error, least);
}

static bool name_infinity(struct quad *q, int64_t m, const double *x, const double *y) {
    for (int64_t i = 0; i < m * q->width; i++)
        if (!isfinite(y[i]))
            return fault_set(
                &q->fault,
                "quad: f is %g at %.15g; where it is infinite there must be an end or one of `points`", y[i],
                x[i / q->width]);
    return true;
}

/* Intervals `first` .. first + many. */
static bool evaluate(struct quad *q, int64_t first, int64_t many) {
    int64_t m = many * PLACES;
    double *x = mem_array(2 * (size_t)m, sizeof *x), *slope = x + m, *y = NULL;
    if (!x) return fault_memory(&q->fault, 2 * (size_t)m * sizeof *x);
    for (int64_t k = 0; k < many; k++) fill_places(q, &q->all[first + k], x + k * PLACES, slope + k * PLACES);
    y = values_at(q, m, x);
    bool well = y && !q->fault.set && name_infinity(q, m, x, y);
    for (int64_t k = 0; k < many && well; k++) {
        struct interval *v = &q->all[first + k];
        if (!v->value) v->value = mem_array((size_t)(q->width ? q->width : 1), sizeof *v->value);
        if (!v->value) well = fault_memory(&q->fault, (size_t)q->width * sizeof *v->value);
        v->error = 0, v->settled = true;
        for (int64_t r = 0; r < q->width && well; r++) {
            bool settled;
            double error =
                sum_up(q, y + k * PLACES * q->width + r, slope + k * PLACES, &v->value[r], &settled);
            v->error = fmax(v->error, error);
            v->settled = v->settled && settled;
        }
        double middle = v->low + (v->high - v->low) / 2, size = fabs(v->low) + fabs(v->high);
        v->settled = v->settled || !(v->high - middle > 4 * 0x1p-52 * size);
    }
    mem_free(x), mem_free(y);
    return well;
}

static bool add_interval(struct quad *q, double low, double high) {
    if (q->count == q->room) {
        int64_t room = q->room ? 2 * q->room : 16;
        struct interval *grown = mem_grow(q->all, (size_t)room, sizeof *grown);
        if (!grown) return fault_memory(&q->fault, (size_t)room * sizeof *grown);
        q->all = grown, q->room = room;
    }
    q->all[q->count++] = (struct interval){.low = low, .high = high};
    return true;
}

/* ---- rounds ---- */

static int by_error(const void *a, const void *b) {
    const struct interval *x = a, *y = b;
    if (x->settled != y->settled) return x->settled - y->settled;
    if (x->error != y->error) return x->error < y->error ? 1 : -1;
    return (x->low > y->low) - (x->low < y->low);
}
static int by_place(const void *a, const void *b) {
    const struct interval *x = a, *y = b;
    return (x->low > y->low) - (x->low < y->low);
}

/* The error that there is, and the one that is allowed. */
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

/* Halves the intervals of the greatest errors, so many that the rest is allowed; 0: none can be halved. */
static int64_t halve(struct quad *q, double bound) {
    double rest = q->now.error;
    int64_t many = 0, most = q->o.intervals - q->count;
    qsort(q->all, (size_t)q->count, sizeof *q->all, by_error);
    while (many < q->count && many < most && many < MOST_AT_ONCE / 2 && rest > bound / 2 &&
           !q->all[many].settled)
        rest -= q->all[many++].error;
    int64_t first = q->count;
    for (int64_t i = 0; i < many; i++) {
        double low = q->all[i].low, high = q->all[i].high, middle = low + (high - low) / 2;
        if (!add_interval(q, middle, high)) return 0;
        q->all[i].high = middle;
    }
    bool well = many && evaluate(q, 0, many) && evaluate(q, first, many);
    return well ? many : 0;
}

static void search(struct quad *q) {
    while (!q->fault.set) {
        double bound = allowed(q);
        q->now.intervals = q->count;
        q->now.converged = q->now.error <= bound;
        if (q->now.converged) {
            text_print(q->now.message, sizeof q->now.message, "the error is at most %g", bound);
            return;
        }
        if (halve(q, bound) || q->fault.set) continue;
        text_print(
            q->now.message, sizeof q->now.message,
            q->count >= q->o.intervals
                ? "%lld intervals were not enough: the error is about %g, and %g is allowed"
                : "%lld intervals, and halving tells no more: the error is about %g, and %g is allowed",
            (long long)q->count, q->now.error, bound);
        return;
    }
}

/* ---- the function ---- */

static ty_tensor *refuse_quad(const struct quad *q, double low, double high) {
    if (!q->f) return ty_poison("quad: the function is NULL");
    if (isnan(low) || isnan(high)) return ty_poison("quad: from %g to %g; an end is no number", low, high);
    if (low == high && isinf(low))
        return ty_poison("quad: from %g to %g; there is nothing between", low, high);
    if (!(q->o.absolute >= 0) || !(q->o.relative >= 0))
        return ty_poison("quad: absolute %g, relative %g; expected numbers of at least 0", q->o.absolute,
                         q->o.relative);
    if (q->o.intervals < 1 || q->o.intervals > 1 << 24 || q->o.npoints < 0)
        return ty_poison("quad: %lld intervals and %d points; expected 1 to %d, and at least 0",
                         (long long)q->o.intervals, q->o.npoints, 1 << 24);
    ty_tensor *bad = refuse_missing("quad", q->o.npoints, q->o.points, "points");
    for (int i = 0; i < q->o.npoints && !bad; i++) {
        double x = q->o.points[i];
        if (!(x > fmin(low, high) && x < fmax(low, high)))
            bad = ty_poison("quad: point %d is %g, which is not between %g and %g", i, x, low, high);
    }
    return bad;
}

/* The first intervals: between ends and points. */
static void start(struct quad *q) {
    double low = q->endless[0] && q->endless[1] ? -1 : q->endless[0] || q->endless[1] ? 0 : q->low;
    double high = q->endless[0] || q->endless[1] ? 1 : q->high;
    for (int i = 0; i < q->o.npoints; i++)
        if (!add_interval(q, t_of(q, q->o.points[i]), high)) return;
    if (!add_interval(q, low, high)) return;
    qsort(q->all, (size_t)q->count, sizeof *q->all, by_place);
    for (int64_t i = 0; i + 1 < q->count; i++) q->all[i].high = q->all[i + 1].low;
    for (int64_t i = 0; i < q->count && !q->fault.set; i += MOST_AT_ONCE)
        evaluate(q, i, q->count - i < MOST_AT_ONCE ? q->count - i : MOST_AT_ONCE);
}

/* All places in order, as f sees them, with gradients. */
static ty_tensor *result(struct quad *q) {
    int64_t m = q->count * PLACES;
    double *x = mem_array(2 * (size_t)m, sizeof *x), *w = x + m;
    if (!x) return tensor_out_of_memory();
    qsort(q->all, (size_t)q->count, sizeof *q->all, by_place);
    for (int64_t k = 0; k < q->count; k++) {
        fill_places(q, &q->all[k], x + k * PLACES, w + k * PLACES);
        for (int i = 0; i < PLACES; i++) w[k * PLACES + i] *= q->sign * mirrored(kronrod_half, i);
    }
    ty_tensor *places = ty_from(TY_F64, 1, &m, x), *weights = ty_from(TY_F64, 1, &m, w);
    mem_free(x);
    return weighted_sum("quad", call_body("quad", q->f, q->context, places, q->n, q->parameters), weights);
}

ty_tensor *ty_quad(ty_body f, void *context, double low, double high, int n, ty_tensor *const *parameters,
                   ty_quad_options options, ty_quad_report *report) {
    FLOATING_DEFAULT;
    struct quad q = {.f = f, .context = context, .n = n, .parameters = parameters, .o = options};
    q.sign = low > high ? -1 : 1;
    q.low = fmin(low, high), q.high = fmax(low, high);
    q.endless[0] = isinf(q.low), q.endless[1] = isinf(q.high);
    if (!q.o.intervals) q.o.intervals = 1000;
    if (q.o.absolute == 0 && q.o.relative == 0) q.o.absolute = q.o.relative = 1e-10;
    ty_tensor *bad = first_poison(n, parameters), *y = NULL;
    if (!bad) bad = refuse_quad(&q, low, high);
    ty_scope *scope = ty_open();
    if (!bad) start(&q), search(&q);
    if (!bad && q.fault.set) bad = ty_poison("%s", q.fault.text);
    if (!bad && !q.now.converged && !report) bad = ty_poison("quad: %s", q.now.message);
    y = bad ? bad : result(&q);
    if (!ty_ok(y))
        text_print(q.now.message, sizeof q.now.message, "%.250s", ty_error(y)), q.now.converged = false;
    for (int64_t i = 0; i < q.count; i++) mem_free(q.all[i].value);
    mem_free(q.all);
    if (report) *report = q.now;
    return leave(scope, y);
}
