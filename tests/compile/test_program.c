/* Programs: runs, updates, ownership, memory plans, the cache of evaluations, text and drawings. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "compile/demand/cache.h"
#include "compile/passes.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/programs.h"

static ty_tensor *variable(double first, const char *name) {
    return ty_var(ty_steps(TY_F32, first, 1, 6), name);
}

static ty_program *compile(int n, ty_tensor **outputs, int nupdates, const ty_update *updates) {
    return test_program(
        ty_compile(n, outputs, (ty_compile_options){.updates = updates, .nupdates = nupdates}));
}
static bool run(ty_program *p) { return ty_run(p) ? true : program_is_well(p); }

/* Return the first element; NaN if an allocation failed. */
static double first(ty_tensor *x) {
    int64_t flat = -1;
    return ty_item(ty_slice(ty_reshape(x, 1, &flat), 0, 0, 1, 1));
}
#define EXPECT(x, number)                                                                                    \
    do {                                                                                                     \
        double found = first(x);                                                                             \
        CHECK(found == (number) || test_starving(), #x " is %g instead of %g", found, (double)(number));     \
    } while (0)

/* ---- variables ---- */

static void reads_variables_at_each_run(void) {
    ty_tensor *x = variable(1, "x"), *y = ty_mul(x, ty_num(2));
    ty_program *p = compile(1, &y, 0, NULL);
    CHECK(!ty_ok(ty_output(p, 0)), "there is an output before the first run");
    if (!program_is_well(p) || !run(p)) return;
    EXPECT(ty_output(p, 0), 2);
    CHECK_POISON(ty_output(p, 1), "output: index 1 is out of bounds: the program has 1 output");
    if (!ty_assign(x, ty_steps(TY_F32, 5, 1, 6), NULL) || !run(p)) return;
    EXPECT(ty_output(p, 0), 10);
}

static void updates_in_place(void) {
    ty_tensor *x = variable(1, "x"), *y = ty_mul(x, ty_num(10));
    ty_update update = {x, ty_add(x, ty_num(1))};
    ty_program *p = compile(1, &y, 1, &update);
    if (!program_is_well(p)) return;
    for (int i = 0; i < 3; i++) {
        if (!run(p)) return;
        EXPECT(ty_output(p, 0), 10 * (i + 1));
        EXPECT(x, i + 2);
    }
    ty_tensor *before = ty_eval(x); /* the value is held, so it must stay */
    if (!run(p)) return;
    EXPECT(before, 4);
    EXPECT(x, 5);
}

static void updates_that_cross(void) {
    ty_tensor *a = variable(1, "a"), *b = variable(2, "b"), *c = variable(3, "c");
    ty_update rotate[] = {{a, b}, {b, c}, {c, a}};
    ty_program *p = compile(0, NULL, 3, rotate);
    if (!program_is_well(p) || !run(p)) return;
    EXPECT(a, 2);
    EXPECT(b, 3);
    EXPECT(c, 1);
    ty_update sums[] = {{a, ty_add(a, b)}, {b, ty_flip(ty_mul(a, b), 0)}, {c, ty_flip(c, 0)}};
    p = compile(0, NULL, 3, sums);
    if (!program_is_well(p) || !run(p)) return;
    EXPECT(a, 5);
    EXPECT(b, 7 * 8);
    EXPECT(c, 6);
}

/* Updates take effect after all readers of the variable, even those after its next value. */
static void updates_come_last(void) {
    ty_tensor *w = ty_var(ty_ones(TY_F32, TY_SHAPE(4, 4)), "w"),
              *x = ty_var(ty_ones(TY_F32, TY_SHAPE(4, 4)), "x");
    ty_tensor *y = ty_matmul(x, w), *g = ty_matmul(ty_transpose(x), y),
              *late = ty_sum(ty_matmul(g, w), TY_ALL);
    ty_update update = {w, ty_sub(w, g)};
    ty_tensor *outputs[] = {late, update.value};
    double want = first(ty_eval(late));
    ty_program *p = compile(2, outputs, 1, &update);
    if (!program_is_well(p) || !run(p)) return;
    EXPECT(ty_output(p, 0), want);
    EXPECT(ty_output(p, 1), 1 - 16);
    float values[16];
    if (ty_read(w, TY_F32, values)) CHECK(values[0] == -15, "w became %g", (double)values[0]);
}

static void updates_of_every_kind(void) {
    ty_tensor *x = variable(1, "x"), *y = variable(2, "y"), *z = variable(3, "z");
    ty_tensor *constant = ty_lazy(ty_full(TY_F32, TY_SHAPE(6), 9));
    ty_tensor *shared = ty_add(x, y);
    ty_update updates[] = {{x, constant}, {y, shared}, {z, shared}};
    ty_tensor *outputs[] = {x, shared, constant, shared};
    ty_program *p = compile(4, outputs, 3, updates);
    if (!program_is_well(p) || !run(p)) return;
    EXPECT(ty_output(p, 0), 1);
    EXPECT(ty_output(p, 1), 3);
    EXPECT(ty_output(p, 2), 9);
    EXPECT(ty_output(p, 3), 3);
    CHECK_POISON(ty_output(p, -1), "index -1 is out of bounds: the program has 4 outputs");
    EXPECT(x, 9);
    EXPECT(y, 3);
    EXPECT(z, 3);
}

/* The next value of a variable is a view of numbers of another size. */
static void updates_read_as_another_dtype(void) {
    ty_tensor *wide = ty_var(ty_full(TY_F64, TY_SHAPE(3), 1), "wide");
    ty_tensor *bytes = ty_var(ty_full(TY_U8, TY_SHAPE(24), 3), "bytes");
    ty_tensor *next = ty_add(ty_cast(bytes, TY_I32), ty_int(0x01010100 - 3));
    ty_tensor *words = ty_add(ty_view_as(wide, TY_U32), ty_int(7));
    ty_update updates[] = {{wide, ty_view_as(words, TY_F64)},
                           {bytes, ty_view_as(ty_slice(next, 0, 0, 6, 1), TY_U8)}};
    ty_tensor *want[2];
    for (int i = 0; i < 2; i++) want[i] = ty_eval(updates[i].value);
    ty_program *p = compile(0, NULL, 2, updates);
    if (!program_is_well(p) || !run(p)) return;
    compare_near(ty_eval(wide), want[0], 0, 0, "f64 of u32");
    compare_near(ty_eval(bytes), want[1], 0, 0, "u8 of i32");
}

/* ---- memory of runs ---- */

static void allocates_nothing(void) {
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(32, 32)), "x"),
              *w = ty_var(ty_ones(TY_F32, TY_SHAPE(32, 32)), "w");
    ty_tensor *y = ty_sum(ty_tanh(ty_matmul(x, w)), ty_axis(1)), *g;
    if (!ty_grad(ty_sum(y, TY_ALL), 1, &w, &g)) return;
    ty_update update = {w, ty_sub(w, ty_mul(ty_num(0.1), g))};
    ty_program *p = compile(1, &y, 1, &update);
    if (!program_is_well(p) || !run(p)) return;
    int64_t before = mem_count();
    for (int i = 0; i < 3; i++)
        if (!run(p)) return;
    CHECK(mem_count() == before, "three runs made %d allocations", (int)(mem_count() - before));
}

static void outputs_stay_with_their_holders(void) {
    ty_tensor *x = variable(1, "x"), *y = ty_mul(x, ty_num(2)), *flat = ty_reshape(y, TY_SHAPE(2, 3));
    ty_tensor *outputs[] = {y, flat};
    ty_update update = {x, ty_add(x, ty_num(1))};
    ty_program *p = compile(2, outputs, 1, &update);
    if (!program_is_well(p) || !run(p)) return;
    ty_tensor *held = test_own(ty_retain(ty_output(p, 1)), (void (*)(void *))ty_release);
    ty_tensor *seen = ty_slice(ty_output(p, 0), 0, 1, TY_END, 1);
    if (!run(p)) return;
    EXPECT(held, 2);
    EXPECT(ty_slice(seen, 0, 0, 1, 1), 4);
    EXPECT(ty_output(p, 0), 4);
    EXPECT(ty_output(p, 1), 4);
}

/* ---- plans ---- */

static ty_tensor *ladder(int steps) {
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(64, 64)), "x"),
              *sum = ty_lazy(ty_zeros(TY_F32, TY_SHAPE(64)));
    for (int i = 0; i < steps; i++) {
        x = ty_tanh(ty_matmul(x, x));
        sum = ty_add(sum, ty_sum(x, ty_axis(i % 2)));
    }
    return sum;
}

static void plans_reuse_memory(void) {
    ty_tensor *y = ladder(12);
    ty_program *p = compile(1, &y, 0, NULL);
    ty_program *apart = test_program(ty_compile(1, &y, (ty_compile_options){.no_reuse = true}));
    if (!program_is_well(p) || !program_is_well(apart)) return;
    ty_report r = test_report(p), s = test_report(apart);
    CHECK(r.arena_bytes < r.unplanned_bytes / 2, "%d of %d bytes", (int)r.arena_bytes,
          (int)r.unplanned_bytes);
    CHECK(r.arena_bytes >= r.live_bound && (double)r.arena_bytes <= 1.1 * (double)r.live_bound,
          "%d bytes for a bound of %d", (int)r.arena_bytes, (int)r.live_bound);
    CHECK(s.arena_bytes >= s.unplanned_bytes, "without reuse %d bytes of %d", (int)s.arena_bytes,
          (int)s.unplanned_bytes);
}

/* The report's time of compilation is positive, at most that measured outside, and constant. */
static void time_of_compiling(void) {
    ty_tensor *y = ladder(12);
    double before = debug_clock();
    ty_program *p = compile(1, &y, 0, NULL);
    double around = debug_clock() - before;
    if (!program_is_well(p)) return;
    double reported = test_report(p).compile_ms;
    CHECK(reported > 0 && reported <= around, "%g ms of %g", reported, around);
    if (ty_run(p)) CHECK(test_report(p).compile_ms == reported, "a run changed what compiling took");
}

static void random_packings(void) {
    enum { MOST = 60 };
    struct region regions[MOST];
    double worst = 1;
    for (int round = 0; round < 200; round++) {
        int n = (int)test_between(1, MOST), times = 40;
        int64_t live[64] = {0}, bound = 0;
        for (int i = 0; i < n; i++) {
            int from = (int)test_between(0, times - 1),
                to = (int)test_between(from, from + 8 < times ? from + 8 : times - 1);
            regions[i] = (struct region){from, to, 64 * test_between(1, 50), 0, i};
            for (int t = from; t <= to; t++) live[t] += regions[i].bytes;
        }
        for (int t = 0; t < times; t++) bound = live[t] > bound ? live[t] : bound;
        int64_t bytes = memory_plan_pack(n, regions, bound, 0);
        if (bytes < 0 && test_starving()) return;
        worst = (double)bytes / (double)bound > worst ? (double)bytes / (double)bound : worst;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++) {
                const struct region *a = &regions[i], *b = &regions[j];
                bool apart = a->offset + a->bytes <= b->offset || b->offset + b->bytes <= a->offset;
                CHECK(apart || a->last < b->first || b->last < a->first,
                      "round %d: regions %d and %d overlap", round, i, j);
                CHECK(a->offset + a->bytes <= bytes, "round %d: region %d ends outside", round, i);
            }
    }
    CHECK(worst <= 1.15, "the worst packing takes %.2f of its bound", worst);
}

static void checker_sees_a_broken_plan(void) {
    ty_tensor *y = ladder(6);
    ty_program *p = compile(1, &y, 0, NULL);
    ty_tensor *why = NULL;
    if (!program_is_well(p) || !ty_program_check(p, &why)) return;
    struct memory_plan *plan = &p->plan;
    for (int i = 0; i < plan->nregions; i++) {
        for (int j = 0; j < plan->nregions; j++) {
            struct region *a = &plan->regions[i], *b = &plan->regions[j];
            int64_t right = a->offset;
            if (i == j || a->last < b->first || b->last < a->first ||
                b->offset + a->bytes > plan->arena_bytes)
                continue;
            a->offset = b->offset;
            bool passed = ty_program_check(p, &why);
            a->offset = right;
            CHECK(!passed && (strstr(ty_error(why), "both alive") || strstr(ty_error(why), "memory")),
                  "regions %d and %d overlap: \"%s\"", i, j, ty_error(why));
        }
        plan->regions[i].offset += plan->arena_bytes;
        CHECK(!ty_program_check(p, &why), "region %d lies outside unseen", i);
        plan->regions[i].offset -= plan->arena_bytes;
    }
}

/* ---- the cache ---- */

static ty_tensor *step(ty_tensor *x, double rate) { return ty_sub(x, ty_mul(ty_sin(x), ty_num(rate))); }

static void compiles_once(void) {
    ty_tensor *x = variable(1, "x"), *y = variable(2, "y");
    int64_t before = cache_compiles();
    ty_tensor *last = x;
    for (int i = 0; i < 5; i++) last = ty_eval(step(i % 2 ? x : y, 0.5));
    if (test_starving()) return;
    CHECK(cache_compiles() == before + 1, "five evaluations of one structure compiled %d times",
          (int)(cache_compiles() - before));
    for (int i = 0; i < 5; i++) ty_eval(step(x, 1.0 / (i + 3)));
    CHECK(cache_compiles() == before + 2, "new constants compiled %d times",
          (int)(cache_compiles() - before - 1));
    compare_near(ty_eval(step(x, 0.3)),
                 ty_sub(ty_steps(TY_F32, 1, 1, 6), ty_mul(ty_sin(ty_steps(TY_F32, 1, 1, 6)), ty_num(0.3))),
                 1e-6, 1e-6, "the general program");
    CHECK(ty_ok(last), "%s", ty_error(last));
    for (int i = 0; i < 100; i++) ty_eval(ty_sum(ty_broadcast(x, TY_SHAPE(i + 1, 6)), TY_ALL));
    EXPECT(ty_eval(step(x, 0)), 1);
}

static void large_constants_are_arguments(void) {
    ty_tensor *x = variable(1, "x");
    int64_t before = cache_compiles();
    for (int i = 0; i < 4; i++) {
        ty_tensor *big = ty_full(TY_F32, TY_SHAPE(20, 6), i),
                  *y = ty_sum(ty_mul(ty_transpose(ty_lazy(big)), ty_expand(x, 1)), ty_axis(1));
        EXPECT(ty_eval(y), 20 * i);
    }
    CHECK(test_starving() || cache_compiles() == before + 1, "compiled %d times",
          (int)(cache_compiles() - before));
}

static void evaluates_lists(void) {
    ty_tensor *x = variable(1, "x"), *value = ty_steps(TY_F32, 7, 1, 6), *bad = ty_poison("by hand");
    ty_tensor *a = ty_add(x, ty_num(1)), *list[] = {a, value, x, a, bad}, *values[5];
    bool done = ty_eval_all(4, list, values);
    CHECK(done || test_starving(), "%s", ty_error(values[0]));
    EXPECT(values[0], 2);
    EXPECT(values[1], 7);
    EXPECT(values[2], 1);
    EXPECT(values[3], 2);
    CHECK(!ty_eval_all(5, list, values) && !ty_ok(values[4]), "a poisoned tensor was evaluated");
    CHECK(strstr(ty_error(values[4]), "by hand") || test_starving(), "the poison says %s",
          ty_error(values[4]));
    for (int i = 0; i < 4; i++) CHECK(!ty_ok(values[i]), "result %d is a value where another failed", i);
}

/* ---- constants ---- */

static const struct {
    ty_dtype dtype;
    int rank;
    int64_t x[4], w[4];
} weights[] = {{TY_F32, 4, {1, 9, 7, 40}, {3, 3, 40, 80}},
               {TY_F32, 4, {2, 34, 9, 9}, {65, 34, 3, 3}},
               {TY_F32, 4, {1, 6, 5, 40}, {4, 4, 40, 70}},
               {TY_F32, 4, {1, 300, 7, 7}, {160, 300, 1, 1}},
               {TY_BF16, 2, {70, 300}, {300, 90}},
               {TY_F64, 2, {70, 300}, {300, 90}},
               {TY_C64, 2, {33, 60}, {60, 90}}};

static ty_tensor *weighted(int i, ty_tensor *x, ty_tensor *w) {
    if (i == 0) return ty_conv2d(x, w, (ty_conv){.low = {1, 1}, .high = {1, 1}});
    if (i == 1) return ty_conv2d(x, w, (ty_conv){.nchw = true, .stride = {2, 2}, .low = {1, 0}});
    if (i == 3) return ty_conv2d(x, w, (ty_conv){.nchw = true});
    if (i == 2) return ty_conv_transpose2d(x, w, (ty_conv){.stride = {2, 2}});
    return ty_matmul(x, w);
}

static ty_tensor *waves(int i, const int64_t *shape, double rate) {
    ty_tensor *x = ty_iota(TY_F32, weights[i].rank, shape, weights[i].rank - 1);
    return ty_cast(ty_sin(ty_mul(x, ty_num(rate))), weights[i].dtype);
}

static bool same_bits(ty_program *p, ty_program *q) {
    if (!run(p) || !run(q)) return test_starving();
    ty_tensor *a = ty_output(p, 0), *b = ty_output(q, 0);
    const void *x = ty_data(a), *y = ty_data(b);
    return x && y ? !memcmp(x, y, (size_t)ty_size(a) * ty_dtype_size(ty_dtype_of(a))) : test_starving();
}

/* Check that runs read the copy packed in the first run: overwriting the constant's own memory has no
   effect. */
static void check_packed_once(int i, ty_program *p, ty_tensor *w) {
    if (!run(p)) return;
    ty_tensor *before = ty_retain(ty_output(p, 0));
    memset(tensor_data(w), 0, (size_t)ty_size(w) * ty_dtype_size(ty_dtype_of(w)));
    if (run(p)) compare_bits(ty_output(p, 0), before, "%d: packed again", i);
    ty_release(before);
}

static void check_kept(int i) {
    ty_tensor *x = ty_var(waves(i, weights[i].x, 0.7), "x"), *w = waves(i, weights[i].w, 1.3);
    ty_tensor *kept = weighted(i, x, w), *read = weighted(i, x, ty_var(w, "w"));
    ty_program *p = compile(1, &kept, 0, NULL), *q = compile(1, &read, 0, NULL);
    if (!program_is_well(p) || !program_is_well(q)) return;
    int64_t bytes = test_report(p).kept_bytes;
    CHECK(bytes > 0 && test_report(q).kept_bytes == 0, "%d: %lld bytes", i, (long long)bytes);
    CHECK(same_bits(p, q), "%d: not the bits of what is packed in each run", i);
    if (ty_assign(x, waves(i, weights[i].x, 0.3), NULL))
        CHECK(same_bits(p, q), "%d: not in the second run", i);
    check_packed_once(i, p, w);
}

/* Constants are packed once for all runs, with any number of threads. */
static void keeps_constants(void) {
    int threads = ty_threads();
    for (int i = 0; i < (int)(sizeof weights / sizeof *weights); i++)
        for (int n = 1; n <= 3; n += 2) {
            ty_set_threads(n);
            check_kept(i);
        }
    ty_set_threads(threads);
}

/* Borrowed constants may change and are read again. */
static void reads_borrowed_constants(void) {
    static float numbers[64 * 96];
    for (int i = 0; i < 64 * 96; i++) numbers[i] = 1;
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(40, 64)), "x");
    ty_tensor *y = ty_matmul(x, ty_borrow(TY_F32, TY_SHAPE(64, 96), numbers, NULL, NULL));
    ty_program *p = compile(1, &y, 0, NULL);
    if (!program_is_well(p) || !run(p)) return;
    EXPECT(ty_output(p, 0), 64);
    for (int i = 0; i < 64 * 96; i++) numbers[i] = 2;
    if (run(p)) EXPECT(ty_output(p, 0), 128);
}

/* ---- threads ---- */

static void *evaluate_often(void *start) {
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_var(ty_full(TY_F32, TY_SHAPE(6), *(double *)start), "x");
    double sum = 0;
    for (int i = 0; i < 50; i++) {
        ty_scope *inner = ty_open();
        sum += first(ty_eval(ty_add(ty_mul(x, ty_num(2)), ty_num(i))));
        ty_close(inner);
    }
    *(double *)start = sum;
    ty_close(scope);
    return NULL;
}

static void threads_share_the_cache(void) {
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    double sums[THREADS];
    for (int i = 0; i < THREADS; i++) {
        sums[i] = i;
        CHECK(!pthread_create(&threads[i], NULL, evaluate_often, &sums[i]), "no thread");
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        CHECK(sums[i] == 50 * 2 * i + 49 * 25 || test_starving(), "thread %d has %g", i, sums[i]);
}

/* ---- failing kernels, text and drawings ---- */

static void a_failing_run_says_why(void) {
    ty_tensor *x = variable(1, "x"), *index = ty_var(ty_full(TY_I64, TY_SHAPE(2), 3), "index"),
              *y = ty_gather(x, index, 0);
    ty_program *p = compile(1, &y, 0, NULL);
    if (!program_is_well(p) || !run(p)) return;
    if (!ty_assign(index, ty_full(TY_I64, TY_SHAPE(2), 77), NULL)) return;
    bool told = !ty_run(p); /* a device tells it when somebody reads the output */
    ty_tensor *error = NULL;
    CHECK(!ty_sync(NULL, &error) || told, "an index outside was accepted");
    const char *words = told ? ty_program_error(p) : ty_error(error);
    CHECK(strstr(words, "77") || test_starving(), "the sentence is: %s", words);
    ty_tensor *kept = ty_neg(ty_output(p, 0));
    CHECK(!ty_ok(kept), "there is an output all the same");
    if (!ty_assign(index, ty_full(TY_I64, TY_SHAPE(2), 2), NULL) || !run(p)) return;
    CHECK(!*ty_program_error(p) || test_starving(), "an earlier failure stays: %s", ty_program_error(p));
}

static void describes(void) {
    ty_tensor *y = ladder(3), *bad = ty_poison("<no> & \"good\"");
    ty_program *programs[] = {compile(1, &y, 0, NULL), compile(1, &bad, 0, NULL), compile(0, NULL, 0, NULL)};
    for (int i = 0; i < 3; i++) {
        char *words[] = {test_text(ty_program_text(programs[i])), test_text(ty_program_dot(programs[i])),
                         test_text(ty_program_memory_svg(programs[i])),
                         test_text(ty_program_graph_svg(programs[i]))};
        static const char *const ends[] = {"\n", "}\n", "</svg>\n", "</svg>\n"};
        for (int j = 0; j < 4; j++) {
            CHECK(words[j] || test_starving(), "no text %d", j);
            if (!words[j]) continue;
            size_t n = strlen(words[j]), m = strlen(ends[j]);
            CHECK(n >= m && !strcmp(words[j] + n - m, ends[j]), "text %d of program %d ends in \"%s\"", j, i,
                  n > 9 ? words[j] + n - 9 : "");
        }
        if (words[0] && i == 0) CHECK(strstr(words[0], "contract") || test_starving(), "%s", words[0]);
    }
}

/* Outputs keep their dtype, even if a view reads another kernel's block as a different dtype. */
static void outputs_read_as_another_dtype(void) {
    const int64_t bits = INT64_C(0x3ff0000000000000);
    ty_tensor *x = ty_var(ty_from(TY_I64, TY_SHAPE(2), (int64_t[]){bits - 1, bits}), "x");
    ty_tensor *sum = ty_add(x, ty_int(1)), *y = CHECK_OK(ty_eval(ty_view_as(sum, TY_F64)));
    CHECK(ty_dtype_of(y) == TY_F64, "the dtype is %s", ty_dtype_name(ty_dtype_of(y)));
    compare_near(y, ty_from(TY_F64, TY_SHAPE(2), (double[]){1, 1 + 0x1p-52}), 0, 0, "bits");
}

TESTS_MAIN(TEST(reads_variables_at_each_run), TEST(updates_in_place), TEST(updates_that_cross),
           TEST(updates_come_last), TEST(updates_of_every_kind), TEST(updates_read_as_another_dtype),
           TEST_AT_HOME(allocates_nothing), TEST(outputs_stay_with_their_holders), TEST(plans_reuse_memory),
           TEST(time_of_compiling), TEST(random_packings), TEST(checker_sees_a_broken_plan),
           TEST(compiles_once), TEST(large_constants_are_arguments), TEST_AT_HOME(keeps_constants),
           TEST(reads_borrowed_constants), TEST(evaluates_lists), TEST(threads_share_the_cache),
           TEST(a_failing_run_says_why), TEST(describes), TEST(outputs_read_as_another_dtype))
