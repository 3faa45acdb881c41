/* A memory budget for programs: kernels that run twice for it, equal bits, and refused budgets. */
#include <stdio.h>
#include <string.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/programs.h"

enum { LAYERS = 12, WIDTH = 16, BATCH = 64, BUDGETS = 20 };

/* A training step: a deep network with dropout, its loss, gradients and updates of all weights. */
struct training {
    ty_tensor *weights[LAYERS], *loss;
    ty_update updates[LAYERS];
};

static ty_tensor *hold(ty_tensor *x) { return test_own(ty_retain(x), (void (*)(void *))ty_release); }

static bool record(struct training *t, bool drops) {
    ty_set_threads(2); /* each thread has a workspace, which counts */
    ty_tensor *gradients[LAYERS], *key = ty_var(ty_key(7), "key"),
                                  *y = ty_var(ty_normal(TY_F32, TY_SHAPE(BATCH, WIDTH), ty_key(1)), "x");
    for (int i = 0; i < LAYERS; i++) {
        ty_tensor *start = ty_normal(TY_F32, TY_SHAPE(WIDTH, WIDTH), ty_key((uint64_t)i + 2));
        t->weights[i] = ty_var(ty_mul(start, ty_num(0.2)), "w");
        y = ty_tanh(ty_matmul(y, t->weights[i]));
        ty_tensor *k = ty_fold(key, (uint64_t)i); /* a variable key, so that each run draws masks */
        if (drops) y = ty_mul(y, ty_dropout_mask(TY_F32, TY_SHAPE(BATCH, WIDTH), 0.1, k));
    }
    t->loss = ty_mean(ty_square(y), TY_ALL);
    if (!ty_grad(t->loss, LAYERS, t->weights, gradients)) return false;
    for (int i = 0; i < LAYERS; i++)
        t->updates[i] = (ty_update){t->weights[i], ty_sub(t->weights[i], ty_mul(ty_num(0.1), gradients[i]))};
    return true;
}

static ty_program *compile(const struct training *t, ty_compile_options o) {
    o.updates = t->updates;
    o.nupdates = LAYERS;
    return test_program(ty_compile(1, (ty_tensor *[]){t->loss}, o));
}

/* Return the least bytes that a program needs, from the message for a budget of one byte; 0: out of memory. */
static int64_t least_of(const struct training *t) {
    ty_program *p = compile(t, (ty_compile_options){.max_bytes = 1});
    long long bytes = 0;
    const char *error = ty_program_error(p);
    CHECK(*error, "a program fits a byte");
    if (test_starving() && mem_failed()) return 0;
    CHECK(sscanf(error, "compile: the program needs %lld bytes, more than max_bytes 1:", &bytes) == 1,
          "a program with no room says: %s", error);
    return bytes;
}

/* Do two steps; writes the loss and the resulting weights to results. False: an allocation failed. */
static bool train(ty_program *p, const struct training *t, ty_tensor **results) {
    struct training again = *t;
    ty_tensor *start[LAYERS];
    for (int i = 0; i < LAYERS; i++) start[i] = ty_eval(again.weights[i]);
    for (int i = 0; i < 2; i++)
        if (!ty_run(p)) return program_is_well(p);
    results[LAYERS] = hold(ty_output(p, 0));
    for (int i = 0; i < LAYERS; i++) results[i] = ty_eval(again.weights[i]);
    return ty_assign_all(LAYERS, t->weights, start, NULL);
}

static void compare_training(ty_program *p, const struct training *t, ty_tensor **want, long long bytes) {
    ty_tensor *got[LAYERS + 1];
    if (!program_is_well(p) || !train(p, t, got)) return;
    for (int i = 0; i <= LAYERS; i++) compare_bits(got[i], want[i], "result %d with %lld bytes", i, bytes);
}

/* Budgets from the full size down to the least possible are kept, with equal bits. */
static void budgets_are_kept(bool drops) {
    struct training t;
    ty_tensor *want[LAYERS + 1];
    if (!record(&t, drops)) return;
    ty_program *free = compile(&t, (ty_compile_options){0});
    if (!program_is_well(free) || !train(free, &t, want)) return;
    ty_report r;
    ty_program_report(free, &r);
    int64_t most = r.arena_bytes + r.kept_bytes, least = least_of(&t), before = 0;
    if (!least) return;
    CHECK(r.recomputed == 0 && r.saved_bytes == 0, "a program without a budget recomputes");
    CHECK(10 * least <= 6 * most, "the least is %lld of %lld bytes", (long long)least, (long long)most);
    for (int i = 0; i < BUDGETS; i++) {
        int64_t bytes = most - (most - least) * i / (BUDGETS - 1);
        ty_tensor *why = NULL;
        ty_program *p = compile(&t, (ty_compile_options){.max_bytes = bytes});
        compare_training(p, &t, want, (long long)bytes);
        if (!program_is_well(p)) return;
        ty_report q;
        ty_program_report(p, &q);
        CHECK(q.arena_bytes + q.kept_bytes <= bytes, "%lld bytes of %lld", (long long)q.arena_bytes,
              (long long)bytes);
        CHECK(q.recomputed >= before, "with less memory %lld kernels run twice, before %lld",
              (long long)q.recomputed, (long long)before);
        CHECK(q.saved_bytes == r.arena_bytes - q.arena_bytes, "%lld bytes saved", (long long)q.saved_bytes);
        CHECK((i == 0) == (q.recomputed == 0), "budget %d: %lld kernels run twice", i,
              (long long)q.recomputed);
        CHECK(ty_program_check(p, &why) || test_starving(), "%s", ty_error(why));
        before = q.recomputed;
    }
}

static void budgets_of_training(void) { budgets_are_kept(false); }
static void budgets_of_training_with_dropout(void) { budgets_are_kept(true); }

/* Budgets work for other engines and without fusion, with equal bits. */
static void engines_and_options(void) {
    struct training t;
    if (!record(&t, true)) return;
    int64_t least = least_of(&t);
    if (!least) return;
    for (int i = 0; i < 3; i++) {
        ty_compile_options o = {.engine = i == 1 ? "ref" : NULL, .no_fuse = i == 2};
        ty_tensor *want[LAYERS + 1];
        ty_program *free = compile(&t, o);
        if (!program_is_well(free) || !train(free, &t, want)) return;
        ty_report r;
        ty_program_report(free, &r);
        o.max_bytes = r.arena_bytes + r.kept_bytes - 1;
        compare_training(compile(&t, o), &t, want, (long long)o.max_bytes);
    }
}

/* A packed constant matrix counts as memory of the program. */
static void kept_constants_count(void) {
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(64, 256)), "x"),
              *w = ty_lazy(ty_normal(TY_F32, TY_SHAPE(256, 256), ty_key(3))), *y = ty_matmul(x, w);
    ty_program *free = test_program(ty_compile(1, &y, (ty_compile_options){0}));
    if (!program_is_well(free)) return;
    ty_report r;
    ty_program_report(free, &r);
    int64_t bytes = r.arena_bytes + r.kept_bytes;
    if (bytes == 0) return;
    ty_program *p = test_program(ty_compile(1, &y, (ty_compile_options){.max_bytes = bytes}));
    if (!program_is_well(p)) return;
    p = test_program(ty_compile(1, &y, (ty_compile_options){.max_bytes = bytes - 1}));
    CHECK(*ty_program_error(p), "%lld bytes fit %lld", (long long)bytes, (long long)bytes - 1);
}

/* A reader of a variable does not run again after the update that overwrites it. */
static void updates_stay_behind_their_readers(void) {
    enum { N = 6 };
    ty_tensor *x = ty_var(ty_normal(TY_F32, TY_SHAPE(256, 64), ty_key(1)), "x"), *y = x, *kept[N];
    for (int i = 0; i < N; i++) kept[i] = y = ty_softmax(ty_add(y, x), 1);
    for (int i = N - 1; i >= 0; i--) y = ty_softmax(ty_mul(y, kept[i]), 0);
    ty_update update = {x, ty_mul(x, ty_num(0.5))};
    ty_compile_options o = {.updates = &update, .nupdates = 1};
    ty_tensor *start = ty_eval(x), *want[2] = {0};
    ty_program *free = test_program(ty_compile(1, &y, o));
    if (!program_is_well(free)) return;
    int64_t most = test_report(free).arena_bytes;
    for (int i = 0; i < 8; i++) {
        o.max_bytes = i ? most * (8 - i) / 8 + 1 : 0;
        ty_tensor *why = NULL;
        ty_program *p = test_program(ty_compile(1, &y, o));
        if (*ty_program_error(p) && strstr(ty_program_error(p), "needs")) return;
        if (!program_is_well(p) || !ty_run(p)) return;
        CHECK(ty_program_check(p, &why) || test_starving(), "%s", ty_error(why));
        ty_tensor *got[2] = {hold(ty_output(p, 0)), ty_eval(x)};
        for (int j = 0; j < 2; j++) {
            if (i) compare_bits(got[j], want[j], "result %d with %lld bytes", j, (long long)o.max_bytes);
            if (!i) want[j] = got[j];
        }
        if (!ty_assign(x, start, NULL)) return;
    }
}

static void bad_budgets(void) {
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(4)), "x"), *y = ty_exp(x);
    const struct {
        ty_compile_options options;
        const char *words;
    } cases[] = {{{.max_bytes = -1}, "max_bytes is -1; expected 0 (no limit) or more"},
                 {{.max_bytes = INT64_MIN}, "max_bytes is -9223372036854775808"},
                 {{.pack_steps = -3}, "pack_steps is -3"},
                 {{.max_bytes = INT64_MAX}, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ty_program *p = test_program(ty_compile(1, &y, cases[i].options));
        if (test_starving() && mem_failed()) return;
        const char *error = ty_program_error(p);
        CHECK(strstr(error, cases[i].words) && !*error == !*cases[i].words, "case %d says: %s", (int)i,
              error);
    }
}

/* ---- memory of the caller ---- */

enum { GUARD = 256 };

/* Run in the caller's memory, filled with NaN of every dtype before each run; bytes after it stay
   unchanged. */
static void runs_in(ty_program *p, unsigned char *memory, int64_t bytes, const struct training *t,
                    ty_tensor **want) {
    ty_tensor *error = NULL;
    memset(memory, 0xff, (size_t)bytes + GUARD);
    CHECK(ty_program_memory(p, memory, (size_t)bytes, &error) && !error, "%s",
          error ? ty_error(error) : "no memory");
    compare_training(p, t, want, (long long)bytes);
    for (int i = 0; i < GUARD; i++) CHECK(memory[bytes + i] == 0xff, "byte %d behind is written", i);
}

/* Two programs use the same memory one after the other, then memory of their own again. */
static void programs_share_memory(void) {
    struct training t;
    ty_tensor *want[LAYERS + 1];
    if (!record(&t, true)) return;
    ty_program *p[2] = {compile(&t, (ty_compile_options){0}),
                        compile(&t, (ty_compile_options){.no_fuse = true})};
    if (!program_is_well(p[0]) || !program_is_well(p[1]) || !train(p[0], &t, want)) return;
    int64_t bytes[2] = {test_report(p[0]).arena_bytes, test_report(p[1]).arena_bytes};
    unsigned char *room = test_room((size_t)(bytes[0] + bytes[1]) + GUARD + 64);
    if (!room) return;
    unsigned char *memory = room + (64 - (uintptr_t)room % 64) % 64;
    for (int i = 0; i < 4; i++) runs_in(p[i % 2], memory, bytes[i % 2], &t, want);
    for (int i = 0; i < 2; i++) {
        CHECK(ty_program_memory(p[i], NULL, 0, NULL), "its own memory is refused");
        memset(memory, 0xff, (size_t)bytes[0]);
        compare_training(p[i], &t, want, 0);
        for (int64_t k = 0; k < bytes[0]; k++)
            CHECK(memory[k] == 0xff, "byte %lld is written that was given back", (long long)k);
    }
}

static void bad_memory(void) {
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(4, 4)), "x"), *y = ty_softmax(ty_matmul(ty_exp(x), x), 1);
    static _Alignas(64) char memory[1 << 16];
    ty_program *good = test_program(ty_compile(1, &y, (ty_compile_options){.no_fuse = true})),
               *ran = test_program(
                   ty_compile(1, &y, (ty_compile_options){.no_fuse = true, .incremental = true})),
               *broken = test_program(ty_compile(1, &y, (ty_compile_options){.max_bytes = -1}));
    if (!program_is_well(good) || !program_is_well(ran) || !ty_run(ran)) return;
    int64_t needed = test_report(good).arena_bytes;
    CHECK(needed > 0, "a program that needs no memory");
    const struct {
        ty_program *program;
        char *memory;
        size_t bytes;
        const char *words;
    } cases[] = {
        {good, memory, (size_t)needed - 1, "bytes (report.arena_bytes); got"},
        {good, memory, 0, "bytes (report.arena_bytes); got 0"},
        {good, memory + 4, sizeof memory - 64, "memory: the address is 4 bytes past a multiple of 64"},
        {ran, memory, sizeof memory, "an incremental program that has run keeps its memory"},
        {broken, memory, sizeof memory, "max_bytes is -1"},
        {NULL, memory, sizeof memory, "the program is NULL"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ty_tensor *error = NULL;
        CHECK(!ty_program_memory(cases[i].program, cases[i].memory, cases[i].bytes, &error), "case %d",
              (int)i);
        if (error) CHECK_POISON(error, cases[i].words);
        CHECK(error || test_starving(), "case %d says nothing", (int)i);
        CHECK(!ty_program_memory(cases[i].program, cases[i].memory, cases[i].bytes, NULL), "case %d", (int)i);
    }
    CHECK(ty_run(good) || test_starving(), "%s", ty_program_error(good)); /* as without a request */
}

TESTS_MAIN(TEST(budgets_of_training), TEST(budgets_of_training_with_dropout), TEST(engines_and_options),
           TEST(kept_constants_count), TEST(updates_stay_behind_their_readers), TEST(bad_budgets),
           TEST_AT_HOME(programs_share_memory), TEST_AT_HOME(bad_memory))
