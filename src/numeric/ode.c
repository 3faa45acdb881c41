/*
 * Ordinary differential equations: a loop over the requested times around a loop over steps until one passes
 * the time. Step lengths carry no gradients. (E. Hairer, S. Norsett, G. Wanner, "Solving ordinary differential
 * equations I", II.4.)
 */
#include <math.h>
#include <tyto/control.h>
#include "numeric/implicit.h"
#include "array/progress.h"
#include "numeric/ode.h"
#include "base/options.h"

static ty_tensor *N(double x) { return ty_num(x); }

ty_ode_method ty_ode_method_named(const char *name) {
    static const char *const names[] = {"rk45", "stiff", "rk4", "bdf"};
    return (ty_ode_method)named_in(name, TY_ODE_METHODS, names);
}

ty_tensor *ode_slope(const struct ode *e, ty_tensor *t, ty_tensor *y) {
    ty_tensor *operands[MOST_PARAMETERS_OF_BODY + 1] = {y};
    for (int i = 0; i < e->n; i++) operands[1 + i] = e->parameters[i];
    ty_tensor *k = call_body("odeint", e->f, e->context, ty_cast(t, e->dtype), e->n + 1, operands);
    if (!ty_ok(k)) return k;
    bool same = ty_rank(k) == e->rank;
    for (int i = 0; same && i < e->rank; i++) same = ty_shape(k)[i] == e->shape[i];
    if (!same || dtype_is(ty_dtype_of(k), CLASS_COMPLEX))
        return refuse("odeint", 2, ((ty_tensor *[]){k, y}), E_USER,
                      "f returned the first for the second; it must be real and of the same shape");
    return ty_cast(k, e->dtype);
}

ty_tensor *ode_by_y(void *context, ty_tensor *const *x) {
    const struct ode_moment *m = context;
    return ode_slope(m->e, m->t, x[0]);
}

ty_tensor *ode_solved(const ty_lu_parts *lu, const struct ode *e, ty_tensor *b) {
    ty_tensor *flat = ty_take(ty_ravel(b), lu->order, 0);
    ty_tensor *x = ty_triangular_solve(lu->u, ty_triangular_solve(lu->l, flat, false, true), true, false);
    return ty_reshape(x, e->rank, e->shape);
}

/* ---- adaptive steps ---- */

/* Values carried from time to time. */
enum { TIME, VALUE, SLOPE, LENGTH, ORDER, EQUAL, ALIVE, FROM, WIDTH, DENSE, CARRIES };
/* Direction and end of the integration. */
struct way {
    const struct ode *e;
    ty_tensor *sign, *last; /* f64 [] */
    bool twice;             /* accepted steps are computed again for gradients */
};

ty_tensor *ode_size(const struct ode *e, ty_tensor *x, ty_tensor *a, ty_tensor *b) {
    ty_tensor *scale = ty_add(ty_mul(ty_max(ty_abs(a), ty_abs(b)), N(e->o.relative)), N(e->o.absolute));
    return ty_cast(ty_sqrt(ty_mean(ty_square(ty_div(x, scale)), TY_ALL)), TY_F64);
}

/* Return the factor for the next step length, 0.9 error^(-1 / order) within 1/5 to 10; 1/5 after a NaN
   error, at most 1 after a rejected step. The error is relative to the tolerance; all tensors are 0-d. */
static ty_tensor *factor_of(double order, ty_tensor *error, ty_tensor *accepted) {
    ty_tensor *by_error = ty_mul(ty_pow(error, N(-1 / order)), N(0.9));
    ty_tensor *factor = ty_fmin(ty_fmax(by_error, N(0.2)), N(10));
    return ty_where(accepted, factor, ty_where(ty_is_nan(error), N(0.2), ty_min(factor, N(1))));
}

typedef struct ode_step (*one_step)(const struct ode *e, ty_tensor *t, ty_tensor *y, ty_tensor *k,
                                    ty_tensor *h);
/* Return the state after a trial `step` of length h from `now` at time t: value, slope (the old one if
   rejected), next length, and `accepted`. `order` is that of the error. If `twice`, the step is taken
   again for gradients, a tiny one if rejected. */
static struct ode_state by_one_step(const struct ode *e, one_step step, double order, bool twice,
                                    ty_tensor *t, struct ode_state now, ty_tensor *h) {
    ty_tensor *y = now.y, *k = now.slope;
    struct ode_step s = twice ? step(e, ty_detach(t), ty_detach(y), ty_detach(k), h) : step(e, t, y, k, h);
    ty_tensor *error = ode_size(e, ty_detach(s.error), ty_detach(y), ty_detach(s.y));
    ty_tensor *accepted = ty_le(error, N(1));
    if (twice) /* after rejection a tiny step replaces it, as f may be NaN there, and so its gradient */
        s = step(e, t, y, k, ty_where(accepted, h, ty_mul(h, N(1e-9))));
    now.y = s.y, now.slope = ty_where(accepted, s.slope, k);
    now.length = ty_mul(h, factor_of(order, error, accepted));
    now.dense = s.dense, now.accepted = accepted;
    return now;
}
static struct ode_state rk45(const struct ode *e, bool twice, ty_tensor *t, struct ode_state now,
                             ty_tensor *h) {
    return by_one_step(e, ode_rk45, 5, twice, t, now, h);
}
static struct ode_state stiff(const struct ode *e, bool twice, ty_tensor *t, struct ode_state now,
                              ty_tensor *h) {
    return by_one_step(e, ode_stiff, 4, twice, t, now, h);
}

static const struct {
    struct ode_state (*step)(const struct ode *e, bool twice, ty_tensor *t, struct ode_state now,
                             ty_tensor *h);
    /* Return the initial state; NULL: the slope is used. */
    ty_tensor *(*start)(const struct ode *e, ty_tensor *y, ty_tensor *k, ty_tensor *h);
    double order; /* order of the error estimate, plus 1 */
    int powers;   /* number of coefficients of the step's polynomial */
    bool stops;   /* steps end at each requested time, as the polynomial is less exact than the end */
} methods[TY_ODE_METHODS] = {[TY_ODE_RK45] = {rk45, NULL, 5, 5, false},
                             [TY_ODE_STIFF] = {stiff, NULL, 4, 5, true},
                             [TY_ODE_BDF] = {ode_bdf, ode_bdf_start, 2, 6, false}};

/* Return the time t + h after a step, exactly `goal` if the 0-d bool `reaches` is true; gradients are those
   of t + h. */
static ty_tensor *time_after(ty_tensor *t, ty_tensor *h, ty_tensor *goal, ty_tensor *reaches) {
    ty_tensor *end = ty_add(t, h), *rounding = ty_detach(ty_sub(goal, end));
    return ty_where(reaches, ty_add(end, rounding), end);
}

/* Return the next step length. `length` is the one proposed after a step h, which may be shorter than the
   planned `before` to end at a requested time; if so, and the 0-d bool `taken` is true, the result is at
   least `before` in size. */
static ty_tensor *length_after(ty_tensor *before, ty_tensor *length, ty_tensor *h, ty_tensor *taken) {
    ty_tensor *resumes = ty_logical_and(taken, ty_lt(ty_abs(h), ty_abs(before)));
    ty_tensor *longer = ty_gt(ty_abs(before), ty_abs(length));
    return ty_detach(ty_where(ty_logical_and(resumes, longer), before, length));
}

/* Loop step: one trial step towards the requested time, from carries c to next[]. A rejected step whose
   next length is too short to change the time ends the run. context is the struct way. */
static void take_step(void *context, ty_tensor *const *c, ty_tensor **next) {
    const struct way *w = context;
    const struct ode *e = w->e;
    ty_tensor *goal = methods[e->o.method].stops ? c[CARRIES] : w->last, *wanted = ty_abs(c[LENGTH]);
    ty_tensor *left = ty_abs(ty_sub(goal, c[TIME])), *longest = ty_min(wanted, left);
    if (e->o.longest > 0) longest = ty_min(longest, N(e->o.longest));
    ty_tensor *h = ty_detach(ty_mul(longest, w->sign));
    struct ode_state now = {c[VALUE], c[SLOPE], c[LENGTH], c[ORDER], c[EQUAL], NULL, NULL};
    struct ode_state s = methods[e->o.method].step(e, w->twice, c[TIME], now, h);
    next[TIME] = ty_where(s.accepted, time_after(c[TIME], h, goal, ty_ge(longest, left)), c[TIME]);
    next[VALUE] = ty_where(s.accepted, s.y, c[VALUE]);
    next[SLOPE] = s.slope;
    next[LENGTH] = ty_detach(s.length);
    if (methods[e->o.method].stops) next[LENGTH] = length_after(c[LENGTH], next[LENGTH], h, s.accepted);
    next[ORDER] = s.order;
    next[EQUAL] = s.equal;
    next[FROM] = ty_where(s.accepted, c[TIME], c[FROM]);
    next[WIDTH] = ty_where(s.accepted, h, c[WIDTH]);
    next[DENSE] = ty_where(s.accepted, s.dense, c[DENSE]);
    ty_tensor *least = ty_mul(ty_abs(c[TIME]), N(16 * 0x1p-52));
    next[ALIVE] = ty_logical_or(s.accepted, ty_gt(ty_abs(next[LENGTH]), least));
    next[ALIVE] = ty_logical_and(next[ALIVE], ty_ne(next[LENGTH], N(0)));
}

/* Return the condition, a 0-d bool, of the inner loop: the requested time, c[CARRIES], lies ahead, and the
   solver has not failed. context is the struct way. */
static ty_tensor *goes_on(void *context, ty_tensor *const *c) {
    const struct way *w = context;
    ty_tensor *ahead = ty_gt(ty_mul(ty_sub(c[CARRIES], c[TIME]), w->sign), N(0));
    return ty_logical_and(ahead, c[ALIVE]);
}
static void step_on(void *context, ty_tensor *const *c, ty_tensor **next) {
    take_step(context, c, next);
    next[CARRIES] = c[CARRIES];
}

/* Scan body: step until the requested time s->x[0] and output the value there in s->y[0]; NaN if the steps
   run out, which also ends the run. context is the struct way. */
static void to_time(void *context, ty_step *s) {
    struct way *w = context;
    ty_tensor *c[CARRIES + 1], *last[CARRIES + 1], *t = s->x[0];
    for (int i = 0; i < CARRIES; i++) c[i] = s->carry[i];
    c[CARRIES] = t;
    ty_while(goes_on, step_on, w, CARRIES + 1, c, w->e->o.steps, last, NULL);
    for (int i = 0; i < CARRIES; i++) s->next[i] = last[i];
    ty_tensor *share = ty_cast(ty_div(ty_sub(t, last[FROM]), last[WIDTH]), w->e->dtype), *y = NULL;
    for (int i = methods[w->e->o.method].powers - 1; i >= 0; i--) {
        ty_tensor *one = ty_squeeze(part_of(last[DENSE], 0, i, i + 1), 0);
        y = y ? ty_add(ty_mul(y, share), one) : one;
    }
    ty_tensor *short_of = ty_gt(ty_mul(ty_sub(t, last[TIME]), w->sign), N(0));
    s->y[0] = ty_where(short_of, N((double)NAN), y);
    s->next[ALIVE] = ty_logical_and(last[ALIVE], ty_logical_not(short_of));
}

/* Return the signed length of the first step, f64 []: the option, or an estimate from the slope at the
   start (time t, value y, slope k) and the one a little later. */
static ty_tensor *first_length(const struct way *w, ty_tensor *t, ty_tensor *y, ty_tensor *k) {
    const struct ode *e = w->e;
    if (e->o.first > 0) return ty_mul(w->sign, N(e->o.first));
    y = ty_detach(y), k = ty_detach(k);
    ty_tensor *d0 = ode_size(e, y, y, y), *d1 = ode_size(e, k, y, y);
    ty_tensor *tiny = ty_logical_or(ty_lt(d0, N(1e-5)), ty_lt(d1, N(1e-5)));
    ty_tensor *h0 = ty_where(tiny, N(1e-6), ty_div(ty_mul(d0, N(0.01)), d1)), *h = ty_mul(h0, w->sign);
    ty_tensor *later = ode_slope(e, ty_add(t, h), ty_add(y, ty_mul(ty_cast(h, e->dtype), k)));
    ty_tensor *d2 = ty_div(ode_size(e, ty_sub(later, k), y, y), h0), *most = ty_max(d1, d2);
    ty_tensor *h1 = ty_pow(ty_div(N(0.01), most), N(1 / methods[e->o.method].order));
    h1 = ty_where(ty_gt(most, N(1e-15)), h1, ty_max(N(1e-6), ty_mul(h0, N(1e-3))));
    h0 = ty_fmin(ty_mul(h0, N(100)), h1); /* NaN if the trial step met NaN */
    return ty_detach(ty_mul(ty_where(ty_gt(h0, N(0)), h0, N(1e-6)), w->sign));
}

/* Return NULL if the solver, whose last carries these are, reached the last of `times`, or is a promise;
   else poison with time, step length and advice. */
static ty_tensor *refuse_end(const struct ode *e, ty_tensor *const *last, ty_tensor *times) {
    if (!ty_ok(last[ALIVE]) || ty_is_promise(last[ALIVE]) || ty_item(last[ALIVE]) == 1) return NULL;
    double t = ty_item(last[TIME]), length = ty_item(last[LENGTH]),
           end = element_of(times, ty_size(times) - 1);
    bool is_explicit = e->o.method == TY_ODE_RK45;
    if (fabs(length) <= fabs(t) * 16 * 0x1p-52 || length == 0)
        return refuse(
            "odeint", 0, NULL, E_NOT_CONVERGED,
            "at %.15g of %.15g the steps are too short (%g) for the tolerance; f may be infinite there", t,
            end, length);
    return refuse("odeint", 0, NULL, E_NOT_CONVERGED,
                  "not finished after %lld steps between neighbouring times: at %.15g of %.15g, with steps "
                  "of %g; allow more steps%s",
                  (long long)e->o.steps, t, end, length, is_explicit ? ", or use TY_ODE_STIFF" : "");
}

/* Return the solution [times - 1, ...] at times[1..] from y0 at times[0], by adaptive steps; poison on
   failure. */
static ty_tensor *adaptive(const struct ode *e, ty_tensor *y0, ty_tensor *times) {
    int64_t count = ty_size(times);
    ty_tensor *first = ty_squeeze(part_of(times, 0, 0, 1), 0), *c[CARRIES], *last[CARRIES], *rows;
    ty_tensor *end = ty_detach(ty_squeeze(part_of(times, 0, count - 1, count), 0));
    struct way w = {e, ty_where(ty_lt(end, ty_detach(first)), N(-1), N(1)), end, false};
    ty_tensor *operands[MOST_PARAMETERS_OF_BODY + 2] = {y0, times};
    for (int i = 0; i < e->n; i++) operands[2 + i] = e->parameters[i];
    w.twice = !e->o.no_gradient && !all_plain(e->n + 2, operands);
    w.sign = ty_cast(w.sign, TY_F64);
    c[TIME] = c[FROM] = first;
    c[VALUE] = y0;
    c[SLOPE] = ode_slope(e, first, y0);
    if (!ty_ok(c[SLOPE])) return c[SLOPE];
    c[LENGTH] = ty_cast(first_length(&w, ty_detach(first), y0, c[SLOPE]), TY_F64);
    c[ALIVE] = ty_eq(c[LENGTH], c[LENGTH]);
    c[WIDTH] = ty_ones_like(end);
    ty_tensor *none = ty_zeros_like(y0);
    c[DENSE] = ty_stack(methods[e->o.method].powers, ((ty_tensor *[]){y0, none, none, none, none, none}), 0);
    c[ORDER] = ty_scalar(TY_I64, 1), c[EQUAL] = ty_scalar(TY_I64, 0);
    if (methods[e->o.method].start) c[SLOPE] = methods[e->o.method].start(e, y0, c[SLOPE], c[LENGTH]);
    ty_tensor *rest = part_of(times, 0, 1, count);
    ty_scan_spec loop = {.ncarry = CARRIES, .carry = c, .nx = 1, .x = &rest, .ny = 1, .checkpoint = 1};
    if (!ty_scan(to_time, &w, loop, last, &rows, NULL)) return rows;
    ty_tensor *bad = refuse_end(e, last, times);
    return bad ? bad : rows;
}

/* ---- equal steps ---- */

/* Context of the loop over equal steps between two times. */
struct stretch {
    const struct ode *e;
    ty_tensor *from, *h;
};
static void small_step(void *context, ty_step *s) {
    const struct stretch *r = context;
    ty_tensor *t = ty_add(r->from, ty_mul(ty_cast(s->index, TY_F64), r->h));
    s->next[0] = ode_rk4(r->e, t, s->carry[0], r->h);
}
/* Scan body: make o.steps equal steps from time s->x[0] to s->x[1]; the new value is the carry and the
   output. context is the struct ode. */
static void even_steps(void *context, ty_step *s) {
    const struct ode *e = context;
    struct stretch r = {e, s->x[0], ty_div(ty_sub(s->x[1], s->x[0]), N((double)e->o.steps))};
    ty_scan_spec loop = {.ncarry = 1, .carry = s->carry, .length = e->o.steps, .checkpoint = 1};
    ty_scan(small_step, &r, loop, s->next, NULL, NULL);
    s->y[0] = s->next[0];
}
/* Return the solution [times - 1, ...] at times[1..] from y0 at times[0], by o.steps equal steps between
   two times. */
static ty_tensor *even(const struct ode *e, ty_tensor *y0, ty_tensor *times) {
    int64_t count = ty_size(times);
    ty_tensor *ends[] = {part_of(times, 0, 0, count - 1), part_of(times, 0, 1, count)}, *last, *rows;
    ty_scan_spec loop = {.ncarry = 1, .carry = &y0, .nx = 2, .x = ends, .ny = 1, .checkpoint = 1};
    ty_scan(even_steps, (void *)(uintptr_t)e, loop, &last, &rows, NULL);
    return rows;
}

/* ---- public functions ---- */

/* Return NULL if `times` is a real vector, strictly ascending or strictly descending (unchecked in
   promises), else poison. */
static ty_tensor *refuse_times(ty_tensor *times) {
    if (ty_rank(times) != 1 || ty_size(times) < 1 || dtype_is(ty_dtype_of(times), CLASS_COMPLEX | CLASS_BOOL))
        return refuse("odeint", 1, &times, E_DTYPE, "times must be a real vector of at least one element");
    int64_t count = ty_size(times);
    if (count < 2 || ty_is_promise(times)) return NULL;
    bool falls = element_of(times, count - 1) < element_of(times, 0);
    return refuse_places("odeint", falls ? ty_flip(times, 0) : times, 1,
                         falls ? "times, reversed," : "times");
}

/* Return NULL if function, start y0, times, parameters and options of odeint are valid, else poison. */
static ty_tensor *refuse_ode(const struct ode *e, ty_tensor *y0, ty_tensor *times) {
    ty_tensor *both[] = {y0, times}, *bad = first_poison_in("odeint", 2, both);
    if (!bad) bad = first_poison_in("odeint", e->n, e->parameters);
    if (bad) return bad;
    if (!e->f) return refuse("odeint", 0, NULL, E_ARGUMENT, "the function is NULL");
    if (e->n >= MOST_PARAMETERS_OF_BODY)
        return refuse("odeint", 0, NULL, E_ARGUMENT, "%d parameters; expected up to %d", e->n,
                      MOST_PARAMETERS_OF_BODY - 1);
    if (!dtype_is(ty_dtype_of(y0), CLASS_FLOAT))
        return refuse("odeint", 1, &y0, E_DTYPE, "y0 must be floating and real");
    if ((unsigned)e->o.method >= TY_ODE_METHODS)
        return refuse("odeint", 0, NULL, E_ARGUMENT, "unknown method %d; TY_ODE_RK45 is the first of %d",
                      (int)e->o.method, TY_ODE_METHODS);
    if (!(e->o.relative >= 0) || !(e->o.absolute >= 0) || e->o.steps < 1 || !(e->o.first >= 0) ||
        !(e->o.longest >= 0))
        return refuse("odeint", 0, NULL, E_ARGUMENT, "an option is negative or NaN");
    return refuse_times(times);
}

ty_tensor *ty_odeint_sized(ty_body f, void *context, ty_tensor *y0, ty_tensor *times, int n,
                           ty_tensor *const *parameters, const ty_ode_options *given, size_t given_size) {
    OPTIONS(ty_ode_options, options, given, given_size);
    FLOATING_DEFAULT;
    PROGRESS_NAMED("solve");
    struct ode e = {.f = f, .context = context, .n = n, .parameters = parameters, .o = options};
    if (!e.o.steps) e.o.steps = options.method == TY_ODE_RK4 ? 1 : 1000;
    if (e.o.relative == 0 && e.o.absolute == 0) e.o.relative = 1e-6, e.o.absolute = 1e-9;
    ty_tensor *bad = refuse_ode(&e, y0, times), *rows = NULL;
    if (bad) return bad;
    ty_scope *scope = ty_open();
    ty_dtype dtype = ty_dtype_of(y0);
    if (dtype_is_half(dtype)) y0 = ty_cast(y0, TY_F32); /* rounded once, at the end */
    y0 = ty_contiguous(y0);
    e.dtype = ty_dtype_of(y0), e.rank = ty_rank(y0);
    memcpy(e.shape, ty_shape(y0), sizeof(int64_t) * (size_t)e.rank);
    times = ty_cast(times, TY_F64);
    ty_tensor *start = ty_expand(y0, 0);
    if (ty_ok(times) && ty_size(times) == 1) return leave(scope, ty_cast(ty_contiguous(start), dtype));
    rows = options.method == TY_ODE_RK4 ? even(&e, y0, times) : adaptive(&e, y0, times);
    return leave_as("odeint", scope, y0, ty_cast(ty_concat(2, ((ty_tensor *[]){start, rows}), 0), dtype));
}
