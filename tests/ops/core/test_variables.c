/* Concurrent runs and assignments of one variable, in controlled steps: this thread acts as one of the
   runs. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
#include "ops/core/variable.h"
#include "tests/support/harness.h"

enum { SIZE = 300, A_WHILE = 30000 /* microseconds: long enough for anything that does not wait */ };

static ty_tensor *full(double value) { return ty_full(TY_F32, TY_SHAPE(SIZE), value); }

/* ---- another thread's run ---- */

static struct other {
    pthread_t thread;
    ty_program *program;
    atomic_bool over;
    double value; /* greatest element of its output */
} other;

static void *run(void *unused) {
    ty_scope *s = ty_open();
    ty_tensor *y;
    other.value = ty_run_outputs(other.program, 1, &y) ? ty_item(ty_amax(y, TY_ALL)) : -1;
    ty_close(s);
    atomic_store(&other.over, true);
    return unused;
}

static void begin(ty_program *p) {
    other.program = p;
    atomic_store(&other.over, false);
    CHECK(!pthread_create(&other.thread, NULL, run, NULL), "no thread");
    usleep(A_WHILE);
}

static double end(void) {
    pthread_join(other.thread, NULL);
    return other.value;
}

/* ---- this thread's run, by variables_take ---- */

static struct variable_use use;

static bool take(ty_tensor *v, bool updates) {
    use = (struct variable_use){.leaf = v, .updates = updates};
    variables_take(1, &use);
    if (!updates || use.in_place) return true;
    use.fresh = buffer_new(sizeof(float[SIZE]));
    return use.fresh;
}

static void fill(float value) {
    float *to = (float *)(use.fresh ? use.fresh->data : use.data);
    for (int i = 0; i < SIZE; i++) to[i] = value;
}

static void give(bool done) {
    struct buffer *dead = NULL;
    variables_give(1, &use, done, &dead);
    buffers_end(dead);
}

static double now(ty_tensor *v) { return ty_item(ty_amax(v, TY_ALL)); }

/* ---- programs ---- */

static struct {
    ty_tensor *v, *held; /* held: shares v's buffer */
    ty_program *reads, *adds;
} it;

static bool prepare(bool shared) {
    ty_tensor *held = full(5);
    ty_scope *s = ty_open();
    it.v = ty_keep(ty_var(shared ? held : ty_add(held, ty_num(0)), "v"));
    ty_close(s);
    it.held = held;
    ty_tensor *same = ty_add(it.v, ty_num(0)), *more = ty_add(it.v, ty_num(1));
    ty_update update = {it.v, more};
    it.reads = test_program(ty_compile(1, &same, (ty_compile_options){0}));
    it.adds = test_program(ty_compile(1, &more, (ty_compile_options){.updates = &update, .nupdates = 1}));
    return !test_starving() && !*ty_program_error(it.reads) && !*ty_program_error(it.adds);
}

/* ---- the cases ---- */

static void in_place_where_nobody_looks(void) {
    for (int shared = 0; shared < 2; shared++) {
        if (!prepare(shared)) return;
        CHECK(take(it.v, true) && use.in_place == !shared, "%s: in place: %d", shared ? "shared" : "alone",
              use.in_place);
        fill(8);
        give(true);
        CHECK(now(it.v) == 8 && now(it.held) == 5, "%g, and beside it %g", now(it.v), now(it.held));
    }
}

static void updates_wait_for_each_other(void) {
    for (int shared = 0; shared < 2; shared++) {
        if (!prepare(shared)) return;
        take(it.v, true);
        begin(it.adds);
        bool waited = !other.over;
        fill(8);
        give(true);
        double value = end();
        CHECK(waited && value == 9 && now(it.v) == 9, "%s: %g", waited ? "waited" : "did not wait", value);
    }
}

/* A reader sees the old value, or waits while it is overwritten in place. */
static void readers(void) {
    for (int shared = 0; shared < 2; shared++) {
        if (!prepare(shared)) return;
        take(it.v, true);
        begin(it.reads);
        bool waited = !other.over;
        fill(8);
        give(true);
        double value = end();
        CHECK(waited == !shared && value == (shared ? 5 : 8), "%s, %s: %g", shared ? "shared" : "alone",
              waited ? "waited" : "did not wait", value);
    }
}

/* A value that a run has begun to read stays unchanged. */
static void reads_keep_the_value(void) {
    if (!prepare(false)) return;
    take(it.v, false);
    begin(it.adds);
    CHECK(other.over && end() == 6 && now(it.v) == 6, "a run waits for one that reads");
    bool stays = ty_assign(it.v, full(7), NULL) && ((float *)use.data)[SIZE - 1] == 5;
    give(true);
    CHECK(stays && now(it.v) == 7, "%g", now(it.v));
}

static void assigned_meanwhile(void) {
    for (int shared = 0; shared < 2; shared++)
        for (int done = 0; done < 2; done++) {
            if (!prepare(shared)) return;
            take(it.v, true);
            CHECK(ty_assign(it.v, full(20), NULL), "not assigned");
            begin(it.reads);
            CHECK(other.over && end() == 20, "a reader of what was assigned waits");
            fill(8);
            give(done);
            CHECK(now(it.v) == 20, "a run has overwritten what was assigned after it began: %g", now(it.v));
            take(it.v, true); /* no claim is left */
            give(false);
        }
}

static void failing_runs_change_nothing(void) {
    if (!prepare(true)) return;
    take(it.v, true);
    fill(8);
    give(false);
    CHECK(now(it.v) == 5, "%g", now(it.v));
}

/* ---- eager variables ---- */

static void values_of_eager_ones(void) {
    ty_tensor *w = ty_track(full(1), "w"), *values[2] = {full(2), full(3)}, *twice[] = {w, w};
    ty_tensor *y = ty_mul(w, w), *g;
    CHECK(ty_assign_all(2, twice, values, NULL) || test_starving(), "not assigned");
    if (test_starving()) return;
    CHECK(now(w) == 3 && now(y) == 1, "%g, %g", now(w), now(y));
    CHECK(!ty_grad(y, 1, &w, &g), "a gradient by what was assigned since");
    CHECK_POISON(g, "assigned");
}

TESTS_MAIN(TEST_AT_HOME(in_place_where_nobody_looks), TEST_AT_HOME(updates_wait_for_each_other),
           TEST_AT_HOME(readers), TEST_AT_HOME(reads_keep_the_value), TEST_AT_HOME(assigned_meanwhile),
           TEST_AT_HOME(failing_runs_change_nothing), TEST(values_of_eager_ones))
