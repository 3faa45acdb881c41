/* Carries that a loop updates in one buffer: values equal those of single steps, and no second buffer is
   allocated unless needed. */
#include <stdio.h>
#include <string.h>
#include "base/alloc.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/programs.h"

enum { N = 20000, MOST = 4 };

#define STEP(name, next_a, next_b, result)                                                                   \
    static void name(void *context, ty_step *s) {                                                            \
        ty_tensor *a = s->carry[0], *b = s->carry[1], *k = s->index, *i = ty_cast(k, TY_F32);                \
        (void)context, (void)a, (void)b, (void)i;                                                            \
        s->next[0] = next_a;                                                                                 \
        s->next[1] = next_b;                                                                                 \
        s->y[0] = result;                                                                                    \
    }
#include "tests/control/carries.def"

static const struct {
    const char *name;
    ty_step_function step;
} steps[] = {
#define STEP(name, ...) {#name, name},
#include "tests/control/carries.def"
};
enum { STEPS = sizeof steps / sizeof *steps };

/* A step that stops after index 2. */
struct stopping {
    ty_step_function step;
};
static void stopping_step(void *context, ty_step *s) {
    ((struct stopping *)context)->step(NULL, s);
    s->stop = ty_ge(s->index, ty_int(2));
}

static void make_carry(ty_tensor **carry) {
    carry[0] = ty_normal(TY_F32, TY_SHAPE(N), ty_key(1));
    carry[1] = ty_normal(TY_F32, TY_SHAPE(N), ty_key(2));
}

/* Run the steps one by one on values; results: the last carries, then y of each step. Returns their
   number. */
static int by_hand(ty_step_function step, int n, bool reverse, ty_tensor **results) {
    make_carry(results);
    for (int j = 0; j < n; j++) {
        int number = reverse ? n - 1 - j : j;
        ty_tensor *next[2] = {0}, *y = NULL;
        ty_step s = {.index = ty_scalar(TY_I64, number),
                     .carry = (ty_tensor *[]){results[0], results[1]},
                     .next = next,
                     .y = &y};
        step(NULL, &s);
        results[0] = next[0], results[1] = next[1];
        results[2 + number] = y;
    }
    return 2 + n;
}

static void check_scan(int which, int n, bool reverse, bool stops, ty_compile_options options) {
    ty_tensor *want[2 + MOST] = {0}, *carry[2], *got[4];
    int ran = stops && n > 3 ? 3 : n;
    struct stopping stopping = {steps[which].step};
    by_hand(steps[which].step, ran, reverse, want);
    make_carry(carry);
    carry[0] = ty_var(carry[0], "a"), carry[1] = ty_var(carry[1], "b");
    ty_scan_spec spec = {.ncarry = 2, .carry = carry, .ny = 1, .length = n, .reverse = reverse};
    if (!ty_scan(stops ? stopping_step : steps[which].step, &stopping, spec, got, &got[2], NULL)) return;
    ty_program *p = test_program(ty_compile(3, got, options));
    if (!program_is_well(p)) return;
    for (int run = 0; run < 2; run++) {
        if (!ty_run(p)) return;
        for (int i = 0; i < 2; i++)
            compare_bits(ty_output(p, i), want[i], "carry %d of %s, %d steps, run %d", i, steps[which].name,
                         n, run);
        for (int i = 0; i < ran; i++)
            compare_bits(ty_gather(ty_output(p, 2), ty_int(i), 0), want[2 + i], "step %d of %s", i,
                         steps[which].name);
    }
}

static void every_step(void) {
    static const ty_compile_options ways[] = {
        {0}, {.no_fuse = true}, {.no_reuse = true}, {.no_rewrite = true}};
    for (int which = 0; which < STEPS; which++)
        for (int n = 0; n <= MOST; n += test_starving() ? MOST : 1)
            for (int way = 0; way < (n == MOST && !test_starving() ? 4 : 1); way++) {
                struct test_round round = test_round();
                check_scan(which, n, false, false, ways[way]);
                if (n == MOST && !test_starving()) check_scan(which, n, true, false, ways[way]);
                if (n == MOST && !test_starving()) check_scan(which, n, false, true, ways[way]);
                test_round_end(round);
            }
}

/* Return the workspace and arena bytes of a loop besides its last carry a, the only output; -1 on error. */
static int64_t bytes_beside(ty_step_function step) {
    ty_tensor *carry[2], *last[2], *y;
    make_carry(carry);
    carry[0] = ty_var(carry[0], "a"), carry[1] = ty_var(carry[1], "b");
    ty_scan_spec spec = {.ncarry = 2, .carry = carry, .ny = 1, .length = 10};
    if (!ty_scan(step, NULL, spec, last, &y, NULL)) return -1;
    ty_program *p = test_program(ty_compile(2, last, (ty_compile_options){0}));
    return program_is_well(p) ? test_report(p).arena_bytes : -1;
}

static void places(void) {
    ty_set_threads(2); /* each thread has a workspace, which counts */
    const struct {
        ty_step_function step;
        int places; /* buffers of N elements besides the outputs */
    } cases[] = {{set_one, 0},
                 {set_a_fixed_one, 0},
                 {set_what_was_read, 0},
                 {set_from_the_one_before, 0},
                 {swapped, 1},
                 {both_of_one, 0},
                 {unread, 0},
                 {flipped, 1}};
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        int64_t bytes = bytes_beside(cases[i].step), place = N * 4;
        if (bytes < 0) continue;
        CHECK(bytes / place == cases[i].places, "case %d takes %lld bytes, %d places", i, (long long)bytes,
              cases[i].places);
    }
}

/* Gradients keep all carries in a history of its own. */
static void gradients(void) {
    ty_tensor *carry[2], *last[2], *y, *g[2], *want[2];
    make_carry(carry);
    carry[0] = ty_var(carry[0], "a"), carry[1] = ty_var(carry[1], "b");
    ty_scan_spec spec = {.ncarry = 2, .carry = carry, .ny = 1, .length = 3};
    if (!ty_scan(set_what_was_read, NULL, spec, last, &y, NULL)) return;
    ty_tensor *loss = ty_add(ty_sum(ty_mul(last[0], last[1]), TY_ALL), ty_sum(y, TY_ALL));
    if (!ty_grad(loss, 2, carry, g)) return;
    want[0] = ty_add(ty_eval(carry[1]),
                     ty_set(ty_zeros(TY_F32, TY_SHAPE(N)), TY_ITEMS(TY_RANGE(0, 3, 1)), ty_num(1)));
    want[1] = ty_eval(last[0]);
    for (int i = 0; i < 2; i++) {
        ty_tensor *away = ty_amax(ty_abs(ty_sub(ty_eval(g[i]), want[i])), TY_ALL);
        CHECK(test_starving() || ty_item(away) < 1e-6, "gradient %d is %g away", i, ty_item(away));
    }
}

TESTS_MAIN(TEST(every_step), TEST(places), TEST(gradients))
