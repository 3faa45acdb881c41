/*
 * Schedules of learning rates.  Part of <tyto/nn.h>.
 *
 * A schedule is a function from the step, a tensor, to the rate, a tensor; so in a compiled program the rate follows
 * the count of steps without compiling anew.
 *
 *   ty_schedule s = {.at = ty_schedule_cosine, .rate = 0.1, .steps = 1000, .warmup = 50};
 *   ty_tensor *rate = ty_schedule_rate(&s, step);
 */
#ifndef TYTO_SCHEDULE_H
#define TYTO_SCHEDULE_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ty_schedule ty_schedule;

/* Return the rate, 0-d f64, at t, 0-d f64, which counts steps from 0.  May be the caller's own. */
typedef ty_tensor *(*ty_schedule_function)(const ty_schedule *s, ty_tensor *t);

/* A schedule.  Zeros are the defaults, TY_ZERO is 0 itself; schedules.def names the fields that each
   schedule reads. */
struct ty_schedule {
    ty_schedule_function at; /* NULL: ty_schedule_constant */
    double rate;             /* greatest or first rate [1: the result is a factor] */
    double end;              /* last or least rate */
    double steps;            /* length, or period */
    double factor; /* of a decay, or as schedules.def says; 0 means 0.1 for step and exponential, else 1 */
    double power;  /* 0 means 1 */
    double share;  /* of steps, 0..1; 0 means 0.3 */
    double width;  /* noam: of the model */
    double warmup; /* steps before `at` begins, in which the rate rises linearly to `rate` */
    double warmup_from;     /* start of the rise, as a share of `rate`; step 1 is past it */
    int n;                  /* table: number of rates */
    const double *steps_at; /* table: n steps, counted from 0, ascending */
    const double *rates;    /* table: rates[i] from steps_at[i] on */
    double unused[4];       /* 0: room for later members */
};

/* Return the rate, 0-d f64, of schedule s at t, 0-d and real, which counts steps from 0; schedules.def has the
   formulas.  Poison if s lacks a field that the schedule needs, or t does not fit. */
#define SCHEDULE(name, wants, usual, value, doc)                                                             \
    TY_API ty_tensor *ty_schedule_##name(const ty_schedule *s, ty_tensor *t);
#include <tyto/tables/schedules.def>
/* Return the schedule function of a name, such as "cosine"; NULL if there is none. */
TY_API ty_schedule_function ty_schedule_named(const char *name);

/* Return the rate of schedule s at a step that is counted from 1, as ty_optimise's: 0-d f64.  `step` is 0-d, of
   any real dtype, a value or a promise.  Poison if s is not valid. */
TY_API ty_tensor *ty_schedule_rate(const ty_schedule *s, ty_tensor *step);

/* ---- schedules that follow a measurement ---- */

/* A rate that falls when a number (a loss, in validation) has not improved for a while: plain data of the host that
   may be copied and stored.  Options come first, zeros are the defaults; then the state, of which
   only `rate` is set at the start. */
typedef struct ty_plateau {
    double factor;    /* of the rate at each decrease; 0 means 0.1 */
    int64_t patience; /* bad steps tolerated: the next one lowers the rate */
    int64_t cooldown; /* steps after a decrease that do not count as bad */
    double threshold; /* least improvement, relative to the best, or absolute */
    bool absolute;    /* threshold is absolute */
    bool rises;       /* greater is better */
    double least;     /* lower bound of the rate */
    double rate;      /* present rate */
    double best;      /* best number so far */
    int64_t wait;     /* bad steps in a row */
    int64_t cooling;  /* remaining steps of cooldown */
    int64_t seen;     /* count of numbers so far */
    double unused[4]; /* 0: room for later members */
} ty_plateau;
/* Enter the next number, such as a loss (NaN counts as bad), in *plateau; returns the new rate, which plateau->rate
   holds too, NaN if plateau is NULL. */
TY_API double ty_plateau_next(ty_plateau *plateau, double number);

#ifdef __cplusplus
}
#endif
#endif
