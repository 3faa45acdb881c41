/* Learning-rate schedules: each entry of schedules.def becomes a function. */
#include <math.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include <tyto/nn.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "array/scope.h"
#include "array/tensor.h"
#include "base/machine/floating.h"
#include "base/math/scalar.h"
#include "base/options.h"
#include "nn/option.h"
#include "ops/core/field_value.h"
#include "ops/core/structure.h"

enum { STEPS = 1, WIDTH = 2, TABLE = 4 };
#define NUM(x) ty_num(x)

static ty_tensor *powered(double base, ty_tensor *x) { return ty_pow(ty_scalar(TY_F64, base), x); }
static ty_tensor *of(double from, double to, ty_tensor *share) {
    return ty_add(ty_mul(share, NUM(to - from)), NUM(from));
}
static ty_tensor *bent(double from, double to, ty_tensor *share) {
    return of(to, from, ty_mul(ty_add(ty_cospi(share), NUM(1)), NUM(0.5)));
}
static ty_tensor *done(ty_tensor *t, double n) { return ty_min(ty_div(t, NUM(n)), NUM(1)); }

/* Return the fraction of its round that step t, from 0, has completed; rounds are steps, factor steps,
   factor^2 steps, ... long. An integer t at a start belongs to the new round despite rounding of the
   logarithm. */
static ty_tensor *in_round(ty_tensor *t, double steps, double factor) {
    ty_tensor *x = ty_div(t, NUM(steps));
    if (factor == 1) return ty_sub(x, ty_floor(x));
    ty_tensor *grown = ty_add(ty_mul(x, NUM(factor - 1)), NUM(1));
    ty_tensor *round = ty_floor(ty_add(ty_div(ty_log(grown), NUM(math_log(factor))), NUM(1e-9)));
    ty_tensor *length = powered(factor, round), *start = ty_div(ty_sub(length, NUM(1)), NUM(factor - 1));
    return ty_max(ty_div(ty_sub(x, start), length), NUM(0));
}

/* Return the rate at step t, 0-d from 0, of a one-cycle schedule as in PyTorch, from rate / factor up to
   `rate` and down to `end` (0: the first rate / 1e4). The peak is one step before `share` of the steps
   ends, the final rate at the last step. */
static ty_tensor *cycle(ty_tensor *t, double rate, double end, double steps, double share, double factor) {
    double top = share * steps - 1, first = rate / factor, last = end == 0 ? first / 1e4 : end;
    ty_tensor *up = bent(first, rate, top > 0 ? ty_div(t, NUM(top)) : ty_scalar(TY_F64, 1));
    ty_tensor *down = bent(rate, last, done(ty_sub(t, NUM(top)), fmax(steps - 1 - top, 1e-9)));
    return ty_where(ty_le(t, NUM(top)), up, down);
}

/* Return the triangle wave of x: 0 at even integers, 1 at odd ones, linear between them. */
static ty_tensor *zigzag(ty_tensor *x) {
    ty_tensor *half = ty_mul(x, NUM(0.5)), *back = ty_sub(half, ty_floor(half));
    return ty_sub(NUM(1), ty_abs(ty_sub(ty_mul(back, NUM(2)), NUM(1))));
}

static ty_tensor *noam_at(ty_tensor *n, double steps) {
    return ty_min(ty_rsqrt(n), ty_mul(n, NUM(math_pow(steps, -1.5))));
}

/* Return the rate, 0-d f64, of the table s at step t, 0-d: that of the last entry at or before it, `rate`
   before the first. */
static ty_tensor *from_table(const ty_schedule *s, double rate, ty_tensor *t) {
    int64_t n = s->n;
    ty_tensor *at = ty_from(TY_F64, 1, &n, s->steps_at);
    ty_tensor *first = ty_scalar(TY_F64, rate), *rest = ty_from(TY_F64, 1, &n, s->rates);
    ty_tensor *rates = ty_concat(2, (ty_tensor *[]){ty_expand(first, 0), rest}, 0);
    return ty_take(rates, ty_searchsorted(at, t, true), 0);
}

#define AT_LEAST_0(member) FIELD(ty_schedule, member, REAL, .end = INFINITY)
#define ABOVE_0(member) FIELD(ty_schedule, member, REAL, .end = INFINITY, .above = true)
ATTRIBUTES_OF(, schedule_numbers, sizeof(ty_schedule), AT_LEAST_0(rate), AT_LEAST_0(end), ABOVE_0(steps),
              AT_LEAST_0(factor), AT_LEAST_0(power), AT_LEAST_0(share), ABOVE_0(width), AT_LEAST_0(warmup),
              FIELD_AT(ty_schedule, warmup_from, "from", FIELD_REAL),
              FIELD_AT(ty_schedule, n, "table", FIELD_INT));

/* Check the numbers of schedule s, which may be NULL; `wants` is the set of STEPS, WIDTH and TABLE that it
   needs. Return poison that begins with schedule_`name`, or NULL if they are valid. */
static ty_tensor *check(const char *name, int wants, const ty_schedule *s) {
    if (!s) return ty_poison_code(E_ARGUMENT, "schedule_%s: the schedule is NULL", name);
    struct fault fault;
    char who[64];
    fault_clear(&fault);
    text_print(who, sizeof who, "schedule_%s", name);
    if (!OPTIONS_UNUSED(s, who, &fault)) return tensor_fault(&fault);
    for (int i = 0; i < schedule_numbers.n; i++) {
        const struct field *f = &schedule_numbers.fields[i];
        bool steps = f->offset == offsetof(ty_schedule, steps),
             width = f->offset == offsetof(ty_schedule, width);
        bool counts = (!steps || wants & STEPS) && (!width || wants & WIDTH);
        if (counts && !field_check(f, s, who, &fault)) return tensor_fault(&fault);
    }
    if (!(wants & TABLE)) return NULL;
    if (s->n < 1 || !s->steps_at || !s->rates)
        return ty_poison_code(
            E_ARGUMENT, "schedule_%s: a table of %d rates; expected at least 1, with steps_at and rates",
            name, s->n);
    for (int i = 0; i < s->n; i++)
        if (!(s->rates[i] >= 0) || (i && !(s->steps_at[i] > s->steps_at[i - 1])))
            return ty_poison_code(
                E_ARGUMENT,
                "schedule_%s: rate %g at step %g, number %d; expected ascending steps and rates "
                "of at least 0",
                name, s->rates[i], s->steps_at[i], i);
    return NULL;
}

/* Return t, a 0-d real tensor, as f64, after checking schedule s; poison on failure. `wants` is the set of
   STEPS, WIDTH and TABLE that the schedule needs. */
static ty_tensor *time_of(const char *name, int wants, const ty_schedule *s, ty_tensor *t) {
    ty_tensor *bad = first_poison_in(name, 1, &t);
    if (!bad) bad = check(name + strlen("schedule_"), wants, s);
    if (bad) return bad;
    if (ty_rank(t) != 0 || dtype_is(ty_dtype_of(t), CLASS_COMPLEX))
        return refuse(name, 1, &t, E_DTYPE, "steps must be a real 0-d tensor");
    return ty_cast(t, TY_F64);
}

#define SCHEDULE(name, wants, usual, value, doc)                                                             \
    ty_tensor *ty_schedule_##name(const ty_schedule *s, ty_tensor *t) {                                      \
        FLOATING_DEFAULT;                                                                                    \
        ty_scope *scope = ty_open();                                                                         \
        t = time_of("schedule_" #name, wants, s, t);                                                         \
        if (!ty_ok(t)) return leave(scope, t);                                                               \
        double rate = option_or(s->rate, 1), end = s->end + 0.0, steps = s->steps,                           \
               power = option_or(s->power, 1);                                                               \
        double factor = option_or(s->factor, usual), share = option_or(s->share, 0.3);                       \
        (void)end, (void)steps, (void)power, (void)factor, (void)share, (void)rate;                          \
        return leave(scope, ty_cast(value, TY_F64));                                                         \
    }
#include <tyto/tables/schedules.def>

ty_schedule_function ty_schedule_named(const char *name) {
    static const struct {
        const char *name;
        ty_schedule_function at;
    } rows[] = {
#define SCHEDULE(name, ...) {#name, ty_schedule_##name},
#include <tyto/tables/schedules.def>
    };
    for (size_t i = 0; name && i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, name)) return rows[i].at;
    return NULL;
}

static ty_tensor *call(const ty_schedule *s, ty_tensor *t) {
    struct scope_fence fence = scope_fence();
    return scope_fence_result(fence, "schedule", (s->at ? s->at : ty_schedule_constant)(s, t));
}

ty_tensor *ty_schedule_rate(const ty_schedule *s, ty_tensor *step) {
    FLOATING_DEFAULT;
    ty_scope *scope = ty_open();
    step = time_of("schedule_rate", 0, s, step);
    if (!ty_ok(step)) return leave(scope, step);
    ty_tensor *after = ty_sub(step, NUM(1 + s->warmup));
    if (s->warmup == 0) return leave(scope, call(s, after));
    ty_tensor *rate = call(s, ty_max(after, NUM(0)));
    double from = s->warmup_from + 0.0;
    ty_tensor *rising = ty_mul(of(from, 1, ty_div(step, NUM(s->warmup))), NUM(option_or(s->rate, 1)));
    return leave(scope, ty_where(ty_lt(after, NUM(0)), rising, rate));
}

/* ---- plateaus ---- */

static bool is_better(const ty_plateau *p, double number) {
    double sign = p->rises ? -1 : 1;
    double margin = p->absolute ? p->threshold : p->threshold * fabs(p->best);
    return !p->seen || sign * number < sign * p->best - (isfinite(margin) ? margin : 0);
}

double ty_plateau_next(ty_plateau *p, double number) {
    FLOATING_DEFAULT;
    struct fault unheard;
    fault_clear(&unheard);
    if (!p || !OPTIONS_UNUSED(p, "plateau", &unheard)) return NAN;
    bool better = is_better(p, number) && number == number;
    if (better || !p->seen) p->best = better ? number : p->rises ? -INFINITY : INFINITY;
    p->wait = better ? 0 : p->wait < INT64_MAX ? p->wait + 1 : INT64_MAX;
    if (p->seen < INT64_MAX) p->seen++;
    if (p->cooling > 0) p->cooling--, p->wait = 0;
    if (p->wait <= p->patience) return p->rate;
    p->rate = fmax(p->rate * option_or(p->factor, 0.1), p->least);
    p->cooling = p->cooldown;
    p->wait = 0;
    return p->rate;
}
