/*
 * Runs of sections: failures, stops, progress, pools, limits and calls of the user's functions are as if the kernels ran
 * one after the other.
 */
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include "array/progress.h"
#include "base/context/stop.h"
#include "tests/support/compare.h"
#include "tests/support/sections.h"

/* ---- failures ---- */

/* Four chains of which each may refuse: at step `at[i]` an index is taken from its variable. */
struct refusing {
    ty_tensor *index[4], *sum[4], *state[4];
    ty_update updates[4];
};

/* The update of the first chain is itself a kernel that may refuse. */
static void record_refusing(struct refusing *r) {
    for (int i = 0; i < 4; i++) {
        ty_tensor *x = square((uint64_t)i, SIZE), *y = chain(x, 2 + i);
        r->index[i] = ty_var(ty_arange(TY_I64, 0, SIZE, 1), "index");
        r->state[i] = square((uint64_t)i, SIZE);
        if (i) y = ty_matmul(ty_take(y, r->index[i], 0), x);
        r->updates[i] =
            (ty_update){r->state[i], i ? ty_add(r->state[i], y) : ty_put(r->state[i], r->index[i], y)};
        r->sum[i] = ty_matmul(y, x);
    }
}

/* Let chain i refuse: its message names an index that tells i. */
static bool refuse(const struct refusing *r, int i, bool on) {
    int64_t places[SIZE] = {0, 1, 2, 3, 4, on ? 100 + i : 5};
    return ty_assign(r->index[i], ty_from(TY_I64, TY_SHAPE(SIZE), places), NULL);
}

/* Run both programs where the chains of the bits of `who` refuse; `order` runs one kernel after the other. */
static void check_refusals(const struct refusing *r, ty_program *p, ty_program *order, int who) {
    ty_tensor *before[4];
    for (int i = 0; i < 4; i++)
        if (!refuse(r, i, who >> i & 1)) return;
    for (int i = 0; i < 4; i++) before[i] = ty_add(ty_eval(r->state[i]), ty_num(0));
    bool one = !who || ty_run(order), done = ty_run(p);
    if (test_starving()) return;
    CHECK(done == !who && one == !who, "%x refuse: %d", who, done);
    for (int i = 0; i < 4 && who; i++) compare_bits(ty_eval(r->state[i]), before[i], "state %d", i);
    if (who)
        CHECK(!strcmp(ty_program_error(p), ty_program_error(order)), "\"%s\", in order: \"%s\"",
              ty_program_error(p), ty_program_error(order));
}

static void check_failures(bool stoppable) {
    struct refusing r;
    record_refusing(&r);
    ty_compile_options options = {.updates = r.updates, .nupdates = 4, .stoppable = stoppable};
    ty_program *order = compiled(1, SECTIONS_NEVER, 4, r.sum, options);
    if (!is_well(order, "order")) return;
    for (int w = 1; w < WIDTHS; w++) {
        ty_program *p = compiled(widths[w], SECTIONS_ALWAYS, 4, r.sum, options);
        if (!is_well(p, "failures")) return;
        CHECK(p->flow.sections.n > 0, "no section:\n%s", test_text(ty_program_text(p)));
        for (int who = 0; who < 16; who++) {
            struct test_round round = test_round();
            check_refusals(&r, p, order, who);
            test_round_end(round);
        }
    }
}

static void failures(void) {
    for (int stoppable = 0; stoppable < 2; stoppable++) check_failures(stoppable);
}

/* ---- stops ---- */

static void stops(void) {
    if (test_starving()) return;
    ty_tensor *outputs[CHAINS];
    for (int i = 0; i < CHAINS; i++) outputs[i] = chain(square((uint64_t)i, SIZE), 3);
    ty_program *p = compiled(2, SECTIONS_ALWAYS, CHAINS, outputs, (ty_compile_options){0});
    ty_program *q = compiled(1, SECTIONS_NEVER, CHAINS, outputs, (ty_compile_options){0});
    if (!is_well(p, "stops") || !is_well(q, "order") || !ty_run(q)) return;
    bool asked = true;
    for (int64_t n = 1; asked; n++) {
        stop_at(n);
        bool done = ty_run(p);
        asked = stop_checks() >= n;
        stop_at(0);
        ty_resume(NULL);
        CHECK(done == !asked, "stop %lld: %d", (long long)n, done);
        CHECK(done || strstr(ty_program_error(p), "interrupted: ") == ty_program_error(p), "%s",
              ty_program_error(p));
        CHECK(n < 1000, "the run is never over");
    }
    CHECK(ty_run(p), "%s", ty_program_error(p));
    for (int i = 0; i < CHAINS; i++) compare_bits(ty_output(p, i), ty_output(q, i), "chain %d", i);
}

static pthread_t home;
static int reports, allowed;
static bool heard(void *data, const ty_progress_state *now) {
    (void)data;
    CHECK(pthread_equal(home, pthread_self()), "progress is reported on another thread");
    return now->ended || ++reports <= allowed;
}

/* The function that hears of progress runs on the thread of the call and stops all strands, also inside loops. */
static void progress(void) {
    if (test_starving()) return;
    ty_tensor *outputs[4];
    home = pthread_self();
    for (int i = 0; i < 4; i++)
        outputs[i] = looped(square((uint64_t)i, SIZE), square(10 + (uint64_t)i, SIZE));
    ty_program *p = compiled(2, SECTIONS_ALWAYS, 4, outputs, (ty_compile_options){0});
    if (!is_well(p, "progress")) return;
    CHECK(p->flow.sections.n > 0, "no section:\n%s", test_text(ty_program_text(p)));
    progress_force(1);
    ty_context_set_progress(NULL, heard, NULL);
    for (allowed = 0; allowed < 40; allowed++) {
        reports = 0;
        bool done = ty_run(p);
        CHECK(done == (reports <= allowed), "%d reports of %d, %d", reports, allowed, done);
        if (done) break;
        CHECK(strstr(ty_program_error(p), "the progress function stopped the call"), "%s",
              ty_program_error(p));
    }
    ty_context_set_progress(NULL, NULL, NULL);
    progress_force(0);
}

static void step_of_one(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_tanh(ty_matmul(s->carry[0], s->carry[0]));
}

/* Let other threads run for 30 ms, then stop the call. */
static bool waits(void *data, const ty_progress_state *now) {
    usleep(1000);
    return heard(data, now);
}

/* A stop by the function of progress ends long loops on other threads, too. */
static void long_loops(void) {
    enum { LONG = 400000 };
    ty_tensor *outputs[2];
    if (test_starving()) return;
    for (int i = 0; i < 2; i++) {
        ty_tensor *x = square((uint64_t)i, 2);
        ty_scan(step_of_one, NULL, (ty_scan_spec){.ncarry = 1, .carry = &x, .length = LONG}, &outputs[i],
                NULL, NULL);
    }
    ty_program *p = compiled(2, SECTIONS_BY_COST, 2, outputs, (ty_compile_options){0});
    if (!is_well(p, "long loops")) return;
    CHECK(p->flow.sections.n == 1 && p->flow.sections.all[0].nstrands == 2, "not two strands:\n%s",
          test_text(ty_program_text(p)));
    reports = 0;
    allowed = 30;
    home = pthread_self();
    progress_force(1);
    ty_context_set_progress(NULL, waits, NULL);
    ty_profile_start();
    bool done = ty_run(p);
    ty_profile *profile = ty_profile_stop();
    ty_context_set_progress(NULL, NULL, NULL);
    progress_force(0);
    int64_t steps = 0;
    for (int i = 0; i < ty_profile_count(profile); i++) {
        int64_t calls = test_profile_row(profile, i).calls;
        if (calls > steps) steps = calls;
    }
    ty_profile_free(profile);
    CHECK(!done && steps < LONG, "%d, %lld steps", done, (long long)steps);
}

/* ---- what runs in order ---- */

static int called;
static void calls(void *context, ty_called *call) {
    (void)context;
    CHECK(pthread_equal(home, pthread_self()), "a call on another thread");
    called++;
    memcpy(call->data[0], ty_data(call->x[0]), sizeof(float) * SIZE * SIZE);
}

static void calls_of_the_user(void) {
    ty_tensor *outputs[4];
    home = pthread_self();
    for (int i = 0; i < 4; i++) {
        ty_tensor *y = chain(square((uint64_t)i, SIZE), 4), *z;
        ty_form form = {TY_F32, 2, (int64_t[]){SIZE, SIZE}};
        ty_call((ty_callee){.f = calls, .ordered = i % 2}, 1, &y, 1, &form, &z);
        outputs[i] = chain(z, 4);
    }
    ty_program *p = compiled(2, SECTIONS_ALWAYS, 4, outputs, (ty_compile_options){0});
    if (!is_well(p, "calls")) return;
    for (int k = 0; k < p->flow.nkernels; k++)
        CHECK(p->flow.kernels[k].kind != KERNEL_CALL || strand_of(&p->flow, k) < 0, "a call in a section");
    called = 0;
    if (ty_run(p)) CHECK(called == 4, "%d calls", called);
}

/* A pool that runs parts backwards, the first one twice, on the caller's thread. */
static int pool_threads(void *pool) { return *(int *)pool; }
static bool pool_backwards(void *pool, int parts, void (*part)(void *data, int i), void *data) {
    (void)pool;
    for (int i = parts - 1; i >= 0; i--) part(data, i);
    part(data, 0);
    return true;
}

static void limits_and_pools(void) {
    ty_tensor *outputs[CHAINS];
    int threads = 3;
    for (int i = 0; i < CHAINS; i++) outputs[i] = chain(square((uint64_t)i, SIZE), 3);
    ty_program *q = compiled(1, SECTIONS_NEVER, CHAINS, outputs, (ty_compile_options){0});
    ty_set_threads(0);
    ty_context_set_pool(NULL, &(ty_thread_pool){&threads, pool_threads, pool_backwards}, NULL);
    ty_program *p = compiled(3, SECTIONS_ALWAYS, CHAINS, outputs, (ty_compile_options){0});
    bool done = is_well(p, "pool") && is_well(q, "order") && ty_run(p) && ty_run(q);
    ty_context_set_pool(NULL, NULL, NULL);
    for (int i = 0; done && i < CHAINS; i++) compare_bits(ty_output(p, i), ty_output(q, i), "chain %d", i);
    if (!done || test_starving()) return;
    ty_set_threads(3);
    for (double limit = 400; limit < 12000; limit += 300) { /* the same kernel exceeds the limit */
        char words[2][200];
        for (int i = 0; i < 2; i++) {
            ty_limits(NULL, limit, 0);
            ty_run(i ? q : p);
            snprintf(words[i], sizeof words[i], "%s", ty_program_error(i ? q : p));
            ty_limits(NULL, 0, 0);
        }
        CHECK(!strcmp(words[0], words[1]), "\"%s\", in order \"%s\"", words[0], words[1]);
    }
}

TESTS_MAIN(TEST(failures), TEST(stops), TEST(progress), TEST(long_loops), TEST(calls_of_the_user),
           TEST(limits_and_pools))
