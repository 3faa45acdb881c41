/* Functions with bounds of sizes (ty_function_bound): programs of all sizes share memory plans, and give the bits of
   programs that are compiled for their size alone. */
#include <pthread.h>
#include <string.h>
#include "base/alloc.h"
#include "compile/passes/sections.h"
#include "compile/program.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/programs.h"

enum { COLUMNS = 6 };

static void free_function(void *f) { ty_function_free(f); }
static ty_function *own(ty_branch body, const void *context, int n, int nresults) {
    ty_function *f = ty_function_new(body, (void *)(uintptr_t)context, n, nresults, (ty_compile_options){0});
    return test_own(f, free_function);
}
/* Declare that axis 0 of operand 0 and, if there is one, of operand 1 has at most `most` elements. */
static bool bound(ty_function *f, int64_t most, int n) {
    ty_tensor *why = NULL;
    bool done = true;
    for (int i = 0; i < n; i++) done = done && ty_function_bound(f, i, 0, most, &why);
    CHECK(done || (test_starving() && mem_failed()), "%s", ty_error(why));
    return done;
}
static ty_function_memory report(const ty_function *f) {
    ty_function_memory memory;
    ty_function_report(f, &memory);
    return memory;
}
static ty_tensor *rows(int64_t n, uint64_t seed) {
    return ty_normal(TY_F32, TY_SHAPE(n, COLUMNS), ty_key(seed));
}

/* Call f, whose sizes have bounds, and plain, which is compiled for each size, and compare bits. False if an
   allocation failed. */
static bool agree(ty_function *f, ty_function *plain, int n, ty_tensor *const *x, int nresults,
                  const char *what) {
    ty_tensor *got[4], *want[4];
    if (!ty_function_call(f, n, x, nresults, got) || !ty_function_call(plain, n, x, nresults, want)) {
        CHECK(test_starving(), "%s of %d rows: %s", what, (int)ty_shape(x[0])[0], ty_error(got[0]));
        return false;
    }
    for (int i = 0; i < nresults; i++)
        compare_bits(got[i], want[i], "%s of %d rows, result %d", what, (int)ty_shape(x[0])[0], i);
    return true;
}

/* ---- one compilation ---- */

/* A step of descent on the mean square of x w, from w = x[1]; also the loss. */
static void descend(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context;
    ty_tensor *w = x[1], *loss = ty_mean(ty_square(ty_tanh(ty_matmul(x[0], w))), TY_ALL), *g;
    ty_grad(loss, 1, &w, &g);
    results[0] = ty_sub(w, ty_mul(g, ty_num(0.1)));
    results[1] = loss;
}

/* Ragged training: 1,000 sizes, one compilation, bits of each size's own program. */
static void thousand_sizes(void) {
    enum { MOST = 1001 };
    int step = test_some(1, 19, 331);
    ty_function *f = own(descend, NULL, 2, 2), *plain = own(descend, NULL, 2, 2);
    ty_tensor *w = ty_normal(TY_F32, TY_SHAPE(COLUMNS, COLUMNS), ty_key(1));
    if (!bound(f, MOST, 1)) return;
    int count = 0;
    for (int64_t n = 2; n <= MOST; n += step, count++) {
        struct test_round round = test_round();
        ty_tensor *x[] = {rows(n, (uint64_t)n), w};
        bool well = agree(f, plain, 2, x, 2, "a step");
        test_round_end(round);
        if (!well) return;
    }
    ty_function_memory m = report(f);
    CHECK(test_starving() || (m.compiles == 1 && m.resized >= count - 1 && ty_function_compiles(f) == 1),
          "%d sizes: %d compilations, %d resized", count, (int)m.compiles, (int)m.resized);
    CHECK(test_starving() || (m.plans >= 1 && m.plans <= 4), "%d plans", (int)m.plans);
}

/* Sizes that return after their program was dropped are not compiled in full again. */
static void dropped_programs(void) {
    ty_function *f = own(descend, NULL, 2, 2), *plain = own(descend, NULL, 2, 2);
    ty_tensor *w = ty_normal(TY_F32, TY_SHAPE(COLUMNS, COLUMNS), ty_key(1));
    if (!bound(f, 90, 1)) return;
    ty_function_cache(f, 0);
    for (int round = 0; round < 2; round++) {
        for (int64_t n = 10; n < 15; n++) {
            ty_tensor *x[] = {rows(n, 3), w};
            if (!agree(f, plain, 2, x, 2, "a step")) return;
        }
    }
    ty_function_memory m = report(f);
    CHECK(test_starving() || (m.compiles == 1 && m.resized == 10 && m.programs == 1 && m.dropped == 10),
          "%d compilations, %d resized, %d programs, %d dropped", (int)m.compiles, (int)m.resized,
          (int)m.programs, (int)m.dropped);
}

/* ---- random bodies ---- */

/* Some of these decide by the size, in the body itself. */
static ty_tensor *apply(int op, ty_tensor *y, ty_tensor *const *x, ty_tensor *w) {
    int64_t n = ty_shape(y)[0];
    switch (op) {
    case 0:
        return ty_tanh(ty_matmul(y, w));
    case 1:
        return ty_softmax(y, 0);
    case 2:
        return ty_sub(y, ty_expand(ty_mean(y, ty_axis(0)), 0));
    case 3:
        return ty_cumsum(y, 0, (ty_running){0});
    case 4:
        return ty_mul(y, ty_expand(x[1], 1));
    case 5: /* a square of the size */
        return ty_div(ty_matmul(ty_matmul(y, ty_transpose(y)), x[0]), ty_num((double)(n + 1)));
    case 6:
        return ty_slice(ty_concat(2, (ty_tensor *[]){y, ty_flip(y, 0)}, 0), 0, n / 2, n / 2 + n, 1);
    case 7:
        return n > 20 ? ty_sin(y) : ty_add(ty_cos(y), ty_sum(y, TY_ALL));
    case 8:
        return n % 4 == 0 ? ty_neg(y) : ty_max(y, x[0]);
    case 9:
        return ty_reshape(ty_cumsum(ty_reshape(y, TY_SHAPE(n * COLUMNS)), 0, (ty_running){0}),
                          TY_SHAPE(n, COLUMNS));
    case 10:
        return ty_sort(y, 0, false);
    case 11: /* independent kernels */
        return ty_add(ty_cumsum(ty_sort(y, 1, false), 0, (ty_running){0}),
                      ty_sort(ty_cumsum(ty_flip(y, 0), 0, (ty_running){0}), 0, true));
    default:
        return ty_add(ty_relu(y), x[0]);
    }
}
enum { OPERATIONS = 13, LONGEST = 9 };

struct body {
    int length, operations[LONGEST];
    bool gradient;
    ty_tensor *w;
};

static void draw_body(struct body *b) {
    b->length = (int)test_between(1, LONGEST);
    for (int i = 0; i < b->length; i++) b->operations[i] = (int)test_between(0, OPERATIONS - 1);
    b->gradient = test_between(0, 1);
    b->w = ty_normal(TY_F32, TY_SHAPE(COLUMNS, COLUMNS), ty_key(test_random()));
}

static void run_body(void *context, ty_tensor *const *x, ty_tensor **results) {
    const struct body *b = context;
    ty_tensor *y = x[0], *leaf = x[0];
    for (int i = 0; i < b->length; i++) y = apply(b->operations[i], y, x, b->w);
    results[0] = y;
    results[1] = ty_sum(y, TY_ALL);
    if (b->gradient) ty_grad(ty_mean(ty_square(y), TY_ALL), 1, &leaf, &results[1]);
}

/* Sizes in random order, also 0, 1, the bound and a larger one. */
static void random_bodies(void) {
    enum { MOST = 40 };
    for (int i = 0; i < test_some(60, 10, 2); i++) {
        struct test_round round = test_round();
        struct body b;
        draw_body(&b);
        ty_function *f = own(run_body, &b, 2, 2), *plain = own(run_body, &b, 2, 2);
        bool well = bound(f, MOST, 2);
        for (int k = 0; k < test_some(25, 12, 3) && well; k++) {
            int64_t n = test_between(0, MOST + 1);
            ty_tensor *x[] = {rows(n, 7), ty_normal(TY_F32, TY_SHAPE(n), ty_key(8))};
            well = agree(f, plain, 2, x, 2, "a random body");
        }
        test_round_end(round);
        if (!well) return;
    }
}

/* Compile a body for n rows with plans of the share, and verify the plan independently. Return the bytes of the
   arena, -1 if an allocation failed. */
static int64_t arena_of(struct body *b, int64_t n, const struct plan_use *sharing) {
    ty_tensor *x[] = {ty_var(ty_zeros(TY_F32, TY_SHAPE(n, COLUMNS)), "x"),
                      ty_var(ty_zeros(TY_F32, TY_SHAPE(n)), "y")};
    ty_tensor *results[2], *why = NULL;
    run_body(b, x, results);
    ty_program *p = program_new_shared(2, results, (ty_compile_options){0}, sharing);
    if (!p) return -1;
    test_program(p);
    if (!program_is_well(p)) return -1;
    CHECK(ty_program_check(p, &why) || test_starving(), "%d rows: %s", (int)n, ty_error(why));
    return p->plan.arena_bytes;
}

/* Plans of every size are verified by the checker.  Their arenas take about as much as the largest before, or as the
   size needs alone if that is more. */
static void shared_plans(void) {
    enum { MOST = 60 };
    for (int i = 0; i < test_some(40, 8, 2); i++) {
        struct test_round round = test_round();
        struct plan_share share = {0};
        struct plan_use sharing = {&share, 1};
        struct body b;
        size_t bytes;
        draw_body(&b);
        ty_set_threads((int)test_between(1, 4));
        int64_t largest = arena_of(&b, MOST, &sharing), arena = largest;
        for (int k = 0; k < test_some(20, 10, 3) && arena >= 0; k++) {
            int64_t n = test_between(1, MOST), alone = arena_of(&b, n, NULL);
            if (alone > largest) largest = alone;
            sections_force(test_between(0, 1) ? SECTIONS_ALWAYS : SECTIONS_NEVER); /* kernels side by side */
            arena = arena_of(&b, n, &sharing);
            CHECK(test_starving() || arena <= largest + largest / 4 + 4096, "%d rows: %lld bytes, not %lld",
                  (int)n, (long long)arena, (long long)largest);
            if (arena > largest) largest = arena;
        }
        CHECK(test_starving() || memory_share_count(&share, &bytes) > 0, "no plans");
        sections_force(SECTIONS_BY_COST);
        memory_share_drop(&share);
        CHECK(!memory_share_count(&share, &bytes) && !bytes, "plans are left");
        test_round_end(round);
        if (arena < 0) return;
    }
}

/* Compile two chains of kernels, side by side or not, with plans of the share, and verify the plan. False if an
   allocation failed. */
static bool check_chains(int64_t n, enum sections_forced how, const struct plan_use *sharing) {
    ty_tensor *results[2], *why = NULL;
    for (int i = 0; i < 2; i++) {
        ty_tensor *y = ty_var(ty_zeros(TY_F32, TY_SHAPE(n, COLUMNS)), "x");
        for (int k = 0; k < 4; k++) y = ty_cumsum(ty_sort(y, 0, i), 0, (ty_running){0});
        results[i] = y;
    }
    sections_force(how);
    ty_program *p = program_new_shared(2, results, (ty_compile_options){0}, sharing);
    sections_force(SECTIONS_BY_COST);
    if (!p) return false;
    test_program(p);
    if (!program_is_well(p)) return false;
    CHECK(ty_program_check(p, &why) || test_starving(), "%d rows: %s", (int)n, ty_error(why));
    CHECK((p->flow.sections.n > 0) == (how == SECTIONS_ALWAYS) || test_starving(), "%d sections",
          p->flow.sections.n);
    return true;
}

/* Plans for kernels one after the other serve no kernels side by side, although lifetimes are equal. */
static void kernels_side_by_side(void) {
    struct plan_share share = {0};
    struct plan_use sharing = {&share, 1};
    ty_set_threads(2);
    bool done = check_chains(50, SECTIONS_NEVER, &sharing) && check_chains(40, SECTIONS_ALWAYS, &sharing) &&
                check_chains(30, SECTIONS_NEVER, &sharing) && check_chains(20, SECTIONS_ALWAYS, &sharing);
    size_t bytes;
    CHECK(!done || test_starving() || memory_share_count(&share, &bytes) == 2, "%d plans",
          memory_share_count(&share, &bytes));
    memory_share_drop(&share);
}

/* ---- sizes without a plan of the bound ---- */

static void refuses_many(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context;
    results[0] = ty_shape(x[0])[0] > 20 ? ty_poison("more than 20 rows") : ty_softmax(ty_sin(x[0]), 0);
}

/* The body fails for the bound: sizes within it work, and larger ones say why. */
static void bodies_that_refuse_the_bound(void) {
    ty_function *f = own(refuses_many, NULL, 1, 1), *plain = own(refuses_many, NULL, 1, 1);
    ty_tensor *y, *many = rows(21, 1);
    if (!bound(f, 100, 1)) return;
    for (int64_t n = 15; n <= 20; n++) {
        ty_tensor *x = rows(n, 2);
        if (!agree(f, plain, 1, &x, 1, "softmax")) return;
    }
    CHECK(!ty_function_call(f, 1, &many, 1, &y), "21 rows are accepted");
    CHECK_POISON(y, "more than 20 rows");
}

/* The bounds together exceed the address space: sizes are compiled as usual. */
static void bounds_beyond_memory(void) {
    ty_function *f = own(run_body, &(struct body){.length = 1, .operations = {1}}, 2, 2),
                *plain = own(run_body, &(struct body){.length = 1, .operations = {1}}, 2, 2);
    if (!bound(f, INT64_MAX, 2)) return;
    for (int64_t n = 3; n < 6; n++) {
        ty_tensor *x[] = {rows(n, 1), ty_ones(TY_F32, TY_SHAPE(n))};
        if (!agree(f, plain, 2, x, 2, "softmax")) return;
    }
}

/* A bound may be set, changed and removed between calls. */
static void changing_bounds(void) {
    static const int64_t bounds[] = {0, 10, 40, 0, 7};
    ty_function *f = own(descend, NULL, 2, 2), *plain = own(descend, NULL, 2, 2);
    ty_tensor *w = ty_normal(TY_F32, TY_SHAPE(COLUMNS, COLUMNS), ty_key(1));
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        if (!bound(f, bounds[i], 1)) return;
        for (int64_t n = 4; n < 14; n += 3) {
            ty_tensor *x[] = {rows(n + (int64_t)i, 1), w};
            if (!agree(f, plain, 2, x, 2, "a step")) return;
        }
    }
}

/* ---- nesting, history ---- */

static void nested(void *context, ty_tensor *const *x, ty_tensor **results) {
    ty_function_call(context, 2, x, 2, results);
    results[0] = ty_neg(results[0]);
}

static void functions_in_functions(void) {
    struct body b = {.length = 3, .operations = {2, 5, 1}};
    ty_function *f = own(run_body, &b, 2, 2), *outer = own(nested, f, 2, 2);
    ty_function *plain = own(run_body, &b, 2, 2), *plain_outer = own(nested, plain, 2, 2);
    if (!bound(f, 30, 2) || !bound(outer, 30, 2)) return;
    for (int64_t n = 2; n < 30; n += 5) {
        ty_tensor *x[] = {rows(n, 1), ty_ones(TY_F32, TY_SHAPE(n))};
        if (!agree(outer, plain_outer, 2, x, 2, "a function in a function")) return;
    }
    CHECK(test_starving() || (report(outer).compiles == 1 && !report(f).compiles), "%d and %d compilations",
          (int)report(outer).compiles, (int)report(f).compiles);
}

/* Promises and tracked values take no program: gradients flow through the function. */
static void tracked_values(void) {
    struct body b = {.length = 2, .operations = {2, 12}};
    ty_function *f = own(run_body, &b, 2, 2);
    ty_tensor *x[] = {ty_track(rows(5, 1), "x"), ty_ones(TY_F32, TY_SHAPE(5))}, *y[2], *g, *want[2], *h;
    if (!bound(f, 30, 2) || !ty_function_call(f, 2, x, 2, y) || !ty_grad(y[1], 1, x, &g)) return;
    run_body(&b, x, want);
    if (!ty_grad(want[1], 1, x, &h)) return;
    compare_bits(g, h, "a gradient");
    CHECK(!report(f).compiles && !report(f).resized, "something was compiled");
}

/* ---- threads ---- */

struct crew {
    ty_function *f;
    ty_tensor *want[25];
};

static void *call_often(void *context) {
    struct crew *c = context;
    bool well = true;
    ty_scope *scope = ty_open();
    for (int k = 0; k < 75 && well; k++) {
        int64_t n = k * 7 % 25;
        ty_tensor *x[] = {rows(n, 1), ty_ones(TY_F32, TY_SHAPE(n))}, *y[2];
        well = ty_function_call(c->f, 2, x, 2, y) && ty_shape(y[0])[0] == n &&
               !memcmp(ty_data(y[0]), ty_data(c->want[n]), (size_t)ty_size(y[0]) * sizeof(float));
    }
    ty_close(scope);
    return well ? c : NULL;
}

static void many_threads(void) {
    enum { N = 4 };
    pthread_t threads[N];
    struct body b = {.length = 3, .operations = {2, 0, 3}};
    struct crew c = {.f = own(run_body, &b, 2, 2)};
    if (!bound(c.f, 24, 2)) return;
    for (int64_t n = 0; n < 25; n++) {
        ty_tensor *x[] = {rows(n, 1), ty_ones(TY_F32, TY_SHAPE(n))}, *y[2];
        run_body(&b, x, y);
        if (!ty_ok(c.want[n] = ty_eval(y[0]))) return;
    }
    for (int i = 0; i < N; i++) CHECK(!pthread_create(&threads[i], NULL, call_often, &c), "no thread");
    for (int i = 0; i < N; i++) {
        void *well;
        pthread_join(threads[i], &well);
        CHECK(test_starving() || well, "thread %d saw something else", i);
    }
}

/* ---- the report, errors ---- */

/* Many structures: the oldest plans are dropped. */
static void many_plans(void) {
    struct plan_share share = {0};
    struct body b = {.length = 4, .operations = {12, 2, 3, 1}};
    size_t bytes;
    for (int i = 0; i < SHARED_PLANS + 3; i++) {
        struct plan_use sharing = {&share, (uint64_t)i};
        if (arena_of(&b, 5, &sharing) < 0) break;
        CHECK(test_starving() || memory_share_knows(&sharing), "family %d was not noted", i);
    }
    CHECK(test_starving() || memory_share_count(&share, &bytes) == SHARED_PLANS, "%d plans",
          memory_share_count(&share, &bytes));
    CHECK(!memory_share_knows(&(struct plan_use){&share, 0}) || test_starving(), "the oldest plan is left");
    memory_share_drop(&share);
}

static void bad_bounds(void) {
    ty_function *f = own(descend, NULL, 2, 2), *broken = own(NULL, NULL, 2, 2),
                *limited =
                    test_own(ty_function_new(descend, NULL, 2, 2, (ty_compile_options){.max_bytes = 1 << 20}),
                             free_function);
    const struct {
        ty_function *f;
        int operand, axis;
        int64_t most;
        const char *words;
    } cases[] = {{NULL, 0, 0, 5, "the function is NULL"},
                 {broken, 0, 0, 5, "the body is NULL"},
                 {limited, 0, 0, 5, "max_bytes"},
                 {f, -1, 0, 5, "operand -1 is out of bounds for the 2 operands"},
                 {f, 2, 0, 5, "operand 2 is out of bounds for the 2 operands"},
                 {f, 0, -1, 5, "axis -1 is out of bounds; expected 0..63"},
                 {f, 0, TY_MAX_RANK, 5, "axis 64 is out of bounds; expected 0..63"},
                 {f, 0, 0, -1, "the bound is -1; expected 0 (none) or more"}};
    if (test_starving() && mem_failed()) return;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ty_tensor *why = NULL;
        CHECK(!ty_function_bound(cases[i].f, cases[i].operand, cases[i].axis, cases[i].most, &why), "case %d",
              (int)i);
        CHECK_POISON(why, cases[i].words);
        CHECK(!ty_function_bound(cases[i].f, cases[i].operand, cases[i].axis, cases[i].most, NULL), "case %d",
              (int)i);
    }
}

TESTS_MAIN(TEST(thousand_sizes), TEST(dropped_programs), TEST(random_bodies), TEST(shared_plans),
           TEST(kernels_side_by_side), TEST(bodies_that_refuse_the_bound), TEST(bounds_beyond_memory),
           TEST(changing_bounds), TEST(functions_in_functions), TEST(tracked_values), TEST(many_threads),
           TEST(many_plans), TEST(bad_bounds))
