/*
 * Concurrent threads evaluate, run one program, assign variables that others read, trim, and change threads, engines
 * and print options. They also make errors, contract, and save to one path. Results equal those of a single thread, and
 * ThreadSanitizer (./dev tsan test_races) reports no race.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/io.h>
#include "tests/support/files.h"
#include "tests/support/harness.h"

enum { CALLERS = 6, SIZE = 2000 };

static ty_tensor *a, *b, *counter, *eager; /* variables: all elements equal, a = -b */
static ty_program *reads, *counts, *counts_too, *refuses;
static const char *path;
static atomic_int failed; /* 0 or 1: GCC before 13 exchanges no bytes on RISC-V */
static _Atomic int64_t runs;

#define EXPECT(condition) expect(condition, __LINE__, #condition)
static bool expect(bool well, int line, const char *condition) {
    if (!well && !atomic_exchange(&failed, true))
        fprintf(stderr, "line %d: %s does not hold\n", line, condition);
    return well;
}

/* Return true if all elements are equal. */
static bool is_whole(ty_tensor *x) {
    const float *v = ty_data(x);
    for (int i = 1; v && i < SIZE; i++)
        if (v[i] != v[0]) return false;
    return v;
}

/* ---- work of a thread in round i ---- */

static void evaluates(int i) {
    ty_tensor *x = ty_lazy(ty_full(TY_F32, TY_SHAPE(50 + i % 80), 2));
    EXPECT(ty_item(ty_sum(ty_mul(x, x), TY_ALL)) == 4.0 * (50 + i % 80));
    EXPECT(is_whole(ty_eval(ty_add(a, ty_num(1)))));
}

/* Both variables are assigned at the same time. */
static void sees_both(int i) {
    (void)i;
    EXPECT(ty_item(ty_amax(ty_abs(ty_add(a, b)), TY_ALL)) == 0);
}

static void runs_one_program(int i) {
    ty_tensor *sum, *other[2];
    (void)i;
    if (EXPECT(ty_run_outputs(reads, 1, &sum))) EXPECT(is_whole(sum) && *(const float *)ty_data(sum) == 0);
    EXPECT(!ty_run_outputs(reads, 2, other) && !ty_ok(other[1]));
}

/* Two programs update in place. */
static void updates(int i) {
    ty_tensor *now;
    if (EXPECT(ty_run_outputs(i % 2 ? counts : counts_too, 1, &now))) EXPECT(is_whole(now));
    atomic_fetch_add(&runs, 1);
}

static void assigns(int i) {
    ty_tensor *variables[] = {a, b},
              *values[] = {ty_full(TY_F32, TY_SHAPE(SIZE), i), ty_full(TY_F32, TY_SHAPE(SIZE), -i)};
    EXPECT(ty_assign_all(2, variables, values, NULL));
}

/* A value computed from an eager variable keeps that variable's old value, which gradients use. */
static void assigns_an_eager_one(int i) {
    ty_tensor *y = ty_square(eager), *g;
    EXPECT(is_whole(y));
    if (i % 3 == 0) EXPECT(ty_assign(eager, ty_full(TY_F32, TY_SHAPE(SIZE), i), NULL));
    ty_grad(y, 1, &eager, &g); /* may fail with "was assigned" */
    ty_free(ty_info(eager));
    EXPECT(ty_strides(eager)[0] == 1 && ty_is_contiguous(eager));
}

static void refers(int i) {
    char *info = ty_info(i % 2 ? a : counter), *text = ty_text(1, &a);
    EXPECT(info && text);
    ty_free(info), ty_free(text);
    EXPECT(!ty_shares_memory(a, b));
}

static void trims(int i) {
    if (i % 4 == 0) ty_trim();
}

static void sets(int i) {
    ty_print_options before;
    ty_print_options_now(&before);
    ty_set_threads(1 + i % 3);
    ty_use_engine(i % 2 ? "ref" : "cpu");
    ty_set_print_options((ty_print_options){.precision = 1 + i % 5, .nan_text = i % 2 ? "none" : "NaN"});
    char *text = ty_format(ty_full(TY_F64, TY_SHAPE(2), 1.0 / 3), (ty_print_options){0});
    EXPECT(text && strlen(text) == (size_t)(2 * (3 + i % 5) + 3));
    ty_free(text);
    evaluates(i);
    ty_set_print_options(before);
    ty_use_engine("cpu");
}

static void fails(int i) {
    ty_tensor *out, *bad = ty_add(ty_ones(TY_F32, TY_SHAPE(2 + i % 3)), ty_ones(TY_F32, TY_SHAPE(7)));
    char size[8];
    snprintf(size, sizeof size, "f32[%d]", 2 + i % 3);
    EXPECT(strstr(ty_error(bad), size));
    EXPECT(!ty_run_outputs(refuses, 1, &out) && strstr(ty_error(out), "77"));
}

static void contracts(int i) {
    ty_tensor *x = ty_full(TY_F32, TY_SHAPE(20, 10 + i % 70), 1);
    EXPECT(ty_item(ty_sum(ty_einsum("ij,kj->ik", x, x), TY_ALL)) == 400.0 * (10 + i % 70));
    EXPECT(ty_item(ty_sum(ty_matmul(x, ty_transpose(x)), TY_ALL)) == 400.0 * (10 + i % 70));
}

static void saves(int i) {
    if (i % 8) return;
    EXPECT(ty_save(path, a, NULL));
    EXPECT(is_whole(ty_load(path)));
}

static void (*const works[])(int i) = {
    evaluates, sees_both, runs_one_program, updates, assigns, trims, assigns_an_eager_one, refers,
    sets,      fails,     contracts,        saves};
enum { WORKS = sizeof works / sizeof *works };

/* ---- the threads ---- */

struct caller {
    pthread_t thread;
    int first, rounds;
};

static void *call(void *context) {
    const struct caller *c = context;
    for (int i = 0; i < c->rounds; i++) {
        ty_scope *s = ty_open();
        works[(c->first + i) % WORKS](i);
        ty_close(s);
    }
    return NULL;
}

static ty_program *counting(double step) {
    ty_tensor *next = ty_add(counter, ty_num(step));
    ty_update update = {counter, next};
    return test_program(ty_compile(1, &next, (ty_compile_options){.updates = &update, .nupdates = 1}));
}

static ty_tensor *full(double value) { return ty_full(TY_F32, TY_SHAPE(SIZE), value); }

static bool prepare(void) {
    a = ty_var(full(1), "a"), b = ty_var(full(-1), "b"), counter = ty_var(full(0), "counter");
    eager = ty_track(full(1), "eager");
    ty_tensor *sum = ty_add(a, b);
    ty_tensor *outside = ty_gather(counter, ty_var(ty_full(TY_I64, TY_SHAPE(1), SIZE + 77), "index"), 0);
    reads = test_program(ty_compile(1, &sum, (ty_compile_options){0}));
    refuses = test_program(ty_compile(1, &outside, (ty_compile_options){0}));
    counts = counting(1), counts_too = counting(1);
    path = scratch_path(scratch_folder(), "races.npy");
    return ty_ok(eager) && !*ty_program_error(reads) && !*ty_program_error(counts) &&
           !*ty_program_error(counts_too) && !*ty_program_error(refuses);
}

static void meet(int rounds) {
    static struct caller callers[CALLERS];
    if (test_starving() || !prepare()) return; /* threads would share the failing allocations */
    atomic_store(&failed, false);
    atomic_store(&runs, 0);
    for (int i = 0; i < CALLERS; i++) {
        callers[i] = (struct caller){.first = i * WORKS / CALLERS, .rounds = rounds};
        CHECK(!pthread_create(&callers[i].thread, NULL, call, &callers[i]), "no thread");
    }
    for (int i = 0; i < CALLERS; i++) pthread_join(callers[i].thread, NULL);
    CHECK(!failed, "see above");
    CHECK(ty_item(ty_amax(counter, TY_ALL)) == (double)runs, "%g after %lld updates",
          ty_item(ty_amax(counter, TY_ALL)), (long long)runs);
}

static void everything(void) { meet(test_some(WORKS * 60, WORKS * 25, 0)); }

/* ---- single lines of the above, one after the other ---- */

/* The next run does not overwrite a held output. */
static void outputs_are_the_callers(void) {
    ty_tensor *v = ty_var(full(1), "v"), *y = ty_add(v, ty_num(1)), *first, *second;
    ty_program *p = test_program(ty_compile(1, &y, (ty_compile_options){0}));
    if (*ty_program_error(p) || !ty_run_outputs(p, 1, &first)) return;
    if (!ty_assign(v, full(5), NULL) || !ty_run_outputs(p, 1, &second)) return;
    CHECK(first != second && ty_item(ty_amax(first, TY_ALL)) == 2 && ty_item(ty_amax(second, TY_ALL)) == 6,
          "%g, %g", ty_item(ty_amax(first, TY_ALL)), ty_item(ty_amax(second, TY_ALL)));
    ty_tensor *bad = ty_poison("not well");
    ty_program *q = test_program(ty_compile(1, &bad, (ty_compile_options){0}));
    CHECK(!ty_run_outputs(q, 1, &first), "what does not compile runs");
    CHECK(strstr(ty_error(first), "not well") || test_starving(), "%s", ty_error(first));
}

TESTS_MAIN(TEST(everything), TEST(outputs_are_the_callers))
