/* Schedules against PyTorch's learning rates (tests/goldens/schedules.def, written by schedules.py), step
   by step and as one program. */
#include <math.h>
#include <string.h>
#include <tyto/nn.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"

enum { STEPS = 32, NUMBERS_OF_PLATEAU = 20 };
static const double at[] = {4, 11, 20}, at_rates[] = {0.5, 0.25, 0.125};

#define UNPACK(...) __VA_ARGS__
static const struct row {
    const char *name;
    ty_schedule s;
    double rates[STEPS];
} rows[] = {
#define SCHEDULE_CASE(name, options, rates)                                                                  \
    {#name, {.at = ty_schedule_##name, UNPACK options}, {UNPACK rates}},
#define PLATEAU_CASE(options, numbers, rates)
#include "tests/goldens/schedules.def"
#undef SCHEDULE_CASE
#undef PLATEAU_CASE
};
enum { ROWS = sizeof rows / sizeof *rows };

static const struct {
    ty_plateau p;
    double numbers[NUMBERS_OF_PLATEAU], rates[NUMBERS_OF_PLATEAU];
} plateaus[] = {
#define SCHEDULE_CASE(name, options, rates)
#define PLATEAU_CASE(options, numbers, rates) {{UNPACK options}, {UNPACK numbers}, {UNPACK rates}},
#include "tests/goldens/schedules.def"
};

/* Compare with a program that counts its steps itself. */
static void compiled(const struct row *row, ty_tensor *const *rates) {
    ty_tensor *step = ty_var(ty_scalar(TY_I64, 0), "step"), *now = ty_add(step, ty_int(1));
    ty_tensor *rate = ty_schedule_rate(&row->s, now);
    ty_update update = {.variable = step, .value = now};
    ty_program *program =
        test_program(ty_compile(1, &rate, (ty_compile_options){.updates = &update, .nupdates = 1}));
    for (int t = 0; t < STEPS; t++) {
        CHECK(ty_run(program), "%s: %s", row->name, ty_program_error(program));
        compare_bits(ty_output(program, 0), rates[t], "%s, row %d, compiled step %d", row->name,
                     (int)(row - rows), t);
    }
}

static void schedules(void) {
    for (int i = 0; i < ROWS; i++) {
        struct test_round round = test_round();
        ty_tensor *rates[STEPS];
        for (int t = 0; t < STEPS; t++) {
            rates[t] = CHECK_OK(ty_schedule_rate(&rows[i].s, ty_scalar(t % 2 ? TY_F32 : TY_U8, t + 1)));
            compare_near(rates[t], ty_scalar(TY_F64, rows[i].rates[t]), 1e-13, 1e-16, "%s, row %d, step %d",
                         rows[i].name, i, t);
        }
        compiled(&rows[i], rates);
        test_round_end(round);
    }
}

static void every_schedule_is_tested(void) {
    static const char *const names[] = {
#define SCHEDULE(name, ...) #name,
#include <tyto/tables/schedules.def>
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bool found = false;
        for (int k = 0; k < ROWS; k++)
            found |= !strcmp(rows[k].name, names[i]) && rows[k].s.at == ty_schedule_named(names[i]);
        CHECK(found, "%s has no row in this test", names[i]);
    }
    CHECK(!ty_schedule_named("cosinus"), "a schedule without a row is found");
}

/* Steps long after the end, and restarts whose starts a logarithm might miss. */
static void ends(void) {
    ty_schedule s = {.at = ty_schedule_cosine, .rate = 0.5, .end = 0.125, .steps = 10};
    compare_numbers(ty_schedule_rate(&s, ty_int(1000)), NUMBERS(0.125), "cosine");
    s.at = ty_schedule_polynomial;
    compare_numbers(ty_schedule_rate(&s, ty_int(1000)), NUMBERS(0.125), "polynomial");
    s = (ty_schedule){.at = ty_schedule_cosine_restarts, .steps = 10, .factor = 3};
    for (int64_t start = 0, length = 10; start < 1000000; start += length, length *= 3)
        compare_numbers(ty_schedule_rate(&s, ty_int(start + 1)), NUMBERS(1), "a round from step %d on",
                        (int)start);
    compare_numbers(ty_schedule_rate(&(ty_schedule){0}, ty_int(5)), NUMBERS(1), "nothing said");
    compare_numbers(ty_schedule_rate(&(ty_schedule){.rate = TY_ZERO}, ty_int(5)), NUMBERS(0), "a rate of 0");
}

static void falls_on_plateaus(void) {
    for (size_t i = 0; i < sizeof plateaus / sizeof *plateaus; i++) {
        ty_plateau p = plateaus[i].p;
        for (int t = 0; t < NUMBERS_OF_PLATEAU; t++) {
            double rate = ty_plateau_next(&p, plateaus[i].numbers[t]);
            CHECK(fabs(rate - plateaus[i].rates[t]) <= 1e-15, "plateau %d, step %d: %.17g, expected %.17g",
                  (int)i, t, rate, plateaus[i].rates[t]);
        }
    }
    ty_plateau p = {.rate = 1};
    CHECK(ty_plateau_next(&p, NAN) == 0.1 && ty_plateau_next(&p, 1e300) == 0.1 && p.best == 1e300,
          "NaN is bad, and anything better");
    CHECK(isnan(ty_plateau_next(NULL, 1)), "NULL");
    ty_plateau long_ago = {.rate = 1, .best = 1, .seen = INT64_MAX, .wait = INT64_MAX, .patience = INT64_MAX};
    CHECK(ty_plateau_next(&long_ago, 2) == 1 && long_ago.seen == INT64_MAX && long_ago.wait == INT64_MAX,
          "counts stay at the largest number");
}

static void refusals(void) {
    ty_tensor *one = ty_int(1);
    const double falling[] = {4, 3};
#define REFUSED(words, ...) CHECK_POISON(ty_schedule_rate(&(ty_schedule){__VA_ARGS__}, one), words)
    REFUSED("schedule_cosine: steps 0; expected a number above 0", .at = ty_schedule_cosine);
    REFUSED("schedule_noam: width -1; expected a number above 0", .at = ty_schedule_noam, .steps = 1,
            .width = -1);
    REFUSED("schedule_rate: rate -1; expected a number of at least 0", .rate = -1);
    REFUSED("warmup nan", .warmup = NAN);
    REFUSED("factor -2", .at = ty_schedule_step, .steps = 1, .factor = -2);
    REFUSED("schedule_table: a table of 0 rates", .at = ty_schedule_table);
    REFUSED("schedule_table: rate 0.25 at step 3, number 1; expected ascending steps",
            .at = ty_schedule_table, .n = 2, .steps_at = falling, .rates = at_rates);
    CHECK_POISON(ty_schedule_rate(NULL, one), "schedule_rate: the schedule is NULL");
    CHECK_POISON(ty_schedule_rate(&(ty_schedule){0}, ty_ones(TY_I32, TY_SHAPE(2))),
                 "schedule_rate of i32[2]: steps must be a real 0-d tensor");
    CHECK_POISON(ty_schedule_rate(&(ty_schedule){0}, ty_complex(1, 1)), "steps must be a real 0-d tensor");
}

TESTS_MAIN(TEST(schedules), TEST(every_schedule_is_tested), TEST(ends), TEST(falls_on_plateaus),
           TEST(refusals))
