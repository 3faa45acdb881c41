/*
 * Schedules of learning rates.  Part of <tyto/nn.h>.
 *
 * A schedule is a function from the step, a tensor, to the rate, a tensor; so in a compiled program the rate changes as the
 * count of steps goes on, and nothing is compiled anew.
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

/* The 0-d f64 rate at t, 0-d f64, steps counted from 0.  May be the caller's own. */
typedef ty_tensor *(*ty_schedule_function)(const ty_schedule *s, ty_tensor *t);

/* Zeros are the defaults in brackets, TY_ZERO is 0; schedules.def says which fields a schedule reads. */
struct ty_schedule {
    ty_schedule_function at; /* NULL: ty_schedule_constant */
    double rate;             /* the greatest one, or the first [1: what comes out is a factor] */
    double end;              /* the last, or least one [0] */
    double steps;            /* how many it takes, or a period */
    double factor;           /* of a decay [0.1 of step and exponential, else 1], or as schedules.def says */
    double power;            /* [1] */
    double share;            /* of steps, 0..1 [0.3] */
    double width;            /* noam: of the model */
    double warmup;           /* steps before `at` begins, in which the rate rises on a line to `rate` */
    double warmup_from;      /* where the rise starts, as a share of `rate`; step 1 is past it [0] */
    int n;                   /* table: how many rates */
    const double *steps_at;  /* table: n steps, counted from 0, rising */
    const double *rates;     /* table: rates[i] from steps_at[i] on */
};

#define SCHEDULE(name, wants, usual, value, doc)                                                             \
    TY_API ty_tensor *ty_schedule_##name(const ty_schedule *s, ty_tensor *t);
#include <tyto/schedules.def>
/* By name; NULL: there is none. */
TY_API ty_schedule_function ty_schedule_find(const char *name);

/* The 0-d f64 rate of a step that is counted from 1, as ty_optimise's is: 0-d, of any real dtype, a value or a promise. */
TY_API ty_tensor *ty_schedule_rate(const ty_schedule *s, ty_tensor *step);

/* ---- by what training achieves ---- */

/*
 * A rate that falls when a number (a loss, in validation) has not become better for a while: an object of the host, plain
 * data that may be copied and stored.  Options first, zeros are defaults; the rest is its state, at first only rate is given.
 */
typedef struct ty_plateau {
    double factor;    /* what the rate is multiplied by [0.1] */
    int64_t patience; /* bad steps that are borne: the next one lowers the rate [0] */
    int64_t cooldown; /* steps after that which do not count as bad [0] */
    double threshold; /* better means by this, relative to the best [0], or absolute */
    bool absolute;    /* threshold is absolute */
    bool rises;       /* more is better */
    double least;     /* the rate falls no lower [0] */
    double rate;      /* now */
    double best;      /* so far */
    int64_t wait;     /* bad steps in a row */
    int64_t cooling;  /* steps of cooldown left */
    int64_t seen;     /* numbers so far */
} ty_plateau;
/* Tells it the next number (NaN counts as bad) and returns the rate from now on; NaN where plateau is NULL. */
TY_API double ty_plateau_next(ty_plateau *plateau, double number);

#ifdef __cplusplus
}
#endif
#endif
