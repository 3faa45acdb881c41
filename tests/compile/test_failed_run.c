/*
 * A failed run changes no variable: a kernel refuses at each position in a chain of updates, or any allocation fails.
 * Both engines run, with passes disabled.
 */
#include <string.h>
#include "base/alloc.h"
#include "compile/program.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

enum { STAGES = 6, SIZE = 40 };

/* ---- a chain of updates with one gather, scatter, ... at a chosen position ---- */

struct chain {
    ty_tensor *variables[STAGES], *index;
    ty_update updates[STAGES + 1];
    int nupdates;
    ty_tensor *output;
};

/* Pass a value through a kernel that may refuse; index holds the positions 0, 1, ... in order. */
static ty_tensor *gathered(ty_tensor *x, ty_tensor *index) { return ty_gather(x, index, 0); }
static ty_tensor *scattered(ty_tensor *x, ty_tensor *index) { return ty_scatter_add(x, index, 0, SIZE); }
static ty_tensor *put(ty_tensor *x, ty_tensor *index) { return ty_put(x, index, x); }
static ty_tensor *drawn(ty_tensor *x, ty_tensor *index) { /* a negative index is an invalid parameter */
    ty_tensor *parameter = ty_sub(ty_num(1), ty_mul(ty_cast(index, TY_F64), ty_num(1e-3)));
    ty_tensor *some = ty_poisson(TY_F32, TY_SHAPE(SIZE), parameter, ty_lazy(ty_key(1)));
    return ty_add(x, ty_mul(some, ty_num(1e-3)));
}
static const struct {
    const char *name;
    ty_tensor *(*pass)(ty_tensor *x, ty_tensor *index);
} ways[] = {{"gather", gathered}, {"scatter_add", scattered}, {"put", put}, {"poisson", drawn}};
enum { WAYS = sizeof ways / sizeof *ways };

/* Return the next value of variable v, made from the previous stage's value by one of four methods. */
static ty_tensor *next_value(int kind, ty_tensor *v, ty_tensor *made) {
    if (kind == 0) return ty_add(v, ty_mul(made, ty_num(0.5)));          /* in place */
    if (kind == 1) return ty_add(ty_flip(v, 0), made);                   /* not in place */
    if (kind == 2) return ty_add(ty_mul(made, made), ty_sum(v, TY_ALL)); /* reads all of it */
    return made;
}

/* Record a chain in which each stage reads the previous one and its variable's current or next value.
   Stage `at` passes through a kernel that may refuse. */
static void make_chain(struct chain *c, int at, int way, bool through_next) {
    ty_tensor *x = ty_var(ty_iota(TY_F32, TY_SHAPE(SIZE), 0), "x");
    c->index = ty_var(ty_arange(TY_I64, 0, SIZE, 1), "index");
    c->nupdates = 0;
    for (int i = 0; i < STAGES; i++) {
        ty_tensor *v = ty_var(ty_full(TY_F32, TY_SHAPE(SIZE), i + 1), "v");
        if (i == at) x = ways[way].pass(x, c->index);
        ty_tensor *next = next_value(i % 4, v, x);
        c->variables[i] = v;
        c->updates[c->nupdates++] = (ty_update){v, next};
        x = ty_mul(through_next ? next : ty_add(x, v), ty_num(0.25));
    }
    c->output = at == STAGES ? ways[way].pass(x, c->index) : x;
}

static void check_unchanged(const struct chain *c, ty_tensor *const *before, const char *what) {
    for (int i = 0; i < STAGES; i++)
        if (ty_ok(before[i])) compare_bits(ty_eval(c->variables[i]), before[i], "%s: variable %d", what, i);
}

static void read_variables(const struct chain *c, ty_tensor **values) {
    for (int i = 0; i < STAGES; i++) { /* copies: a held value would prevent updates in place */
        float memory[SIZE];
        values[i] = ty_read(c->variables[i], TY_F32, memory) ? ty_from(TY_F32, TY_SHAPE(SIZE), memory)
                                                             : ty_poison("no memory");
    }
}

static bool set_index(const struct chain *c, int64_t last) {
    int64_t places[SIZE];
    for (int i = 0; i < SIZE; i++) places[i] = i;
    places[SIZE - 1] = last;
    return ty_assign(c->index, ty_from(TY_I64, TY_SHAPE(SIZE), places), NULL);
}

static void check_program(const struct chain *c, ty_program *p, const char *what) {
    ty_tensor *why = NULL;
    ty_tensor *before[STAGES];
    if (*ty_program_error(p)) {
        CHECK(test_starving(), "%s: %s", what, ty_program_error(p));
        return;
    }
    CHECK(ty_program_check(p, &why) || test_starving(), "%s: %s", what, ty_error(why));
    if (!ty_run(p) || !set_index(c, 1 << 20)) return;
    read_variables(c, before);
    CHECK(!ty_run(p), "%s: an index outside was accepted", what);
    check_unchanged(c, before, what);
    if (!set_index(c, SIZE - 1) || !ty_run(p)) return;
    CHECK(!*ty_program_error(p), "%s: %s", what, ty_program_error(p));
}

static void check_chain(int at, int way, const char *engine) {
    for (int mode = 0; mode < 16; mode++) {
        struct test_round round = test_round();
        struct chain c;
        char what[96];
        make_chain(&c, at, way, mode & 1);
        snprintf(what, sizeof what, "%s, stage %d, %s, mode %d", ways[way].name, at, engine, mode);
        check_program(&c,
                      test_program(ty_compile(1, &c.output,
                                              (ty_compile_options){.engine = engine,
                                                                   .updates = c.updates,
                                                                   .nupdates = c.nupdates,
                                                                   .no_fuse = mode >> 1 & 1,
                                                                   .no_rewrite = mode >> 2 & 1,
                                                                   .stoppable = mode >> 3 & 1})),
                      what);
        test_round_end(round);
    }
}

static void refusals_at_every_place(void) {
    for (int way = 0; way < WAYS; way++)
        for (int at = 0; at <= STAGES; at++) {
            check_chain(at, way, "cpu");
            check_chain(at, way, "ref");
        }
}

/* The update of an embedding table, by its gradient added at looked-up rows, stays in place without a
   second table. */
static void tables_stay_in_place(void) {
    ty_tensor *table = ty_var(ty_ones(TY_F32, TY_SHAPE(SIZE, 8)), "table"),
              *index = ty_var(ty_arange(TY_I64, 0, 5, 1), "index"), *g;
    ty_tensor *loss = ty_sum(ty_square(ty_take(table, index, 0)), TY_ALL);
    if (!ty_grad(loss, 1, &table, &g)) return;
    ty_update update = {table, ty_sub(table, ty_mul(g, ty_num(0.1)))};
    ty_program *p =
        test_program(ty_compile(1, &loss, (ty_compile_options){.updates = &update, .nupdates = 1}));
    if (*ty_program_error(p)) return;
    CHECK(test_report(p).inplace >= 1, "%d in place", (int)test_report(p).inplace);
}

/* ---- allocations ---- */

/* Fail each allocation of a first run in turn: kept constants, fresh buffers, outputs. */
static void allocations_that_fail(void) {
    if (test_starving()) return;
    int64_t failures = 0;
    for (int64_t n = 1;; n++) {
        struct test_round round = test_round();
        ty_tensor *w = ty_var(ty_ones(TY_F32, TY_SHAPE(64, 96)), "w"),
                  *x = ty_var(ty_ones(TY_F32, TY_SHAPE(40, 64)), "x");
        ty_tensor *held = ty_eval(w), *kept = ty_iota(TY_F32, TY_SHAPE(96, 80), 1);
        ty_tensor *y = ty_matmul(ty_matmul(x, w), kept);
        ty_update updates[] = {{x, ty_mul(x, ty_num(2))}, {w, ty_mul(w, ty_num(3))}};
        ty_program *p =
            test_program(ty_compile(1, &y, (ty_compile_options){.updates = updates, .nupdates = 2}));
        CHECK(!*ty_program_error(p), "%s", ty_program_error(p));
        CHECK(test_report(p).kept_bytes > 0, "nothing is kept of the constant");
        mem_fail_at(n);
        bool done = ty_run(p), failed = mem_failed();
        mem_fail_at(0);
        double of_x = ty_item(ty_at(x, "0,0")), of_w = ty_item(ty_at(w, "0,0"));
        CHECK(done || (of_x == 1 && of_w == 1), "a run without memory left %g and %g", of_x, of_w);
        CHECK(!done || (of_x == 2 && of_w == 3), "a run left %g and %g", of_x, of_w);
        CHECK(ty_item(ty_at(held, "0,0")) == 1, "a held value changed");
        failures += failed && !done;
        test_round_end(round);
        if (!failed) break;
    }
    CHECK(failures >= 3, "only %d allocations were made to fail", (int)failures);
}

/* Assigning several variables succeeds for all or changes none. */
static void assignments_are_all_or_none(void) {
    if (test_starving()) return;
    for (int eager = 0; eager < 2; eager++)
        for (int64_t n = 1;; n++) {
            struct test_round round = test_round();
            ty_tensor *v[12], *values[12], *error;
            for (int i = 0; i < 12; i++) {
                ty_tensor *ones = ty_ones(TY_F32, TY_SHAPE(300));
                v[i] = eager ? ty_track(ones, "v") : ty_var(ones, "v");
            }
            for (int i = 0; i < 12; i++)
                values[i] =
                    i % 3 ? ty_full(TY_F32, TY_SHAPE(300), 2) : ty_lazy(ty_full(TY_F32, TY_SHAPE(300), 2));
            mem_fail_at(n);
            bool done = ty_assign_all(12, v, values, &error), failed = mem_failed();
            mem_fail_at(0);
            for (int i = 0; i < 12; i++) {
                double got = ty_item(ty_at(v[i], "0"));
                CHECK(got == (done ? 2 : 1), "variable %d has %g after %s", i, got,
                      done ? "success" : "failure");
            }
            CHECK(done != (error && !ty_ok(error)), "the error does not fit");
            test_round_end(round);
            if (!failed) break;
        }
}

static void assignments_of_a_wrong_shape(void) {
    ty_tensor *v[] = {ty_var(ty_ones(TY_F32, TY_SHAPE(2)), "a"), ty_var(ty_ones(TY_F32, TY_SHAPE(2)), "b")};
    ty_tensor *values[] = {ty_zeros(TY_F32, TY_SHAPE(2)), ty_zeros(TY_F32, TY_SHAPE(3))}, *error = NULL;
    CHECK(!ty_assign_all(2, v, values, &error), "f32[3] was assigned to f32[2]");
    if (error) CHECK_POISON(error, test_starving() ? "f32[2]" : "f32[2] 'b'"); /* a name may be lost */
    CHECK(ty_item(ty_at(v[0], "0")) == 1 || test_starving(), "the first one was assigned all the same");
    CHECK(ty_assign_all(0, NULL, NULL, NULL), "nothing to assign is no failure");
}

TESTS_MAIN(TEST(refusals_at_every_place), TEST(tables_stay_in_place), TEST(allocations_that_fail),
           TEST(assignments_are_all_or_none), TEST(assignments_of_a_wrong_shape))
