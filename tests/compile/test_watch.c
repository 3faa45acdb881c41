/* Observation of kernels: profiles count and time them; the trap names the kernel that made a NaN or an
   infinity. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "base/alloc.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"
#include "tests/support/programs.h"

/* ---- profiles ---- */

static void free_profile(void *p) { ty_profile_free(p); }
static void stop(void *unused) {
    (void)unused;
    ty_profile_free(ty_profile_stop());
}
/* Start a profile that ends with the test, even if it fails. */
static void start(void) {
    static char any;
    test_own(&any, stop);
    ty_profile_start();
}
static ty_profile *stopped(void) { return test_own(ty_profile_stop(), free_profile); }

/* Return the entry of that name; calls 0: none. */
static ty_profile_row row_of(const ty_profile *p, const char *name) {
    for (int i = 0; i < ty_profile_count(p); i++)
        if (!strcmp(test_profile_row(p, i).name, name)) return test_profile_row(p, i);
    return (ty_profile_row){.name = ""};
}
static int64_t calls_of(const ty_profile *p, const char *name) { return row_of(p, name).calls; }

static void counts_and_work(void) {
    ty_tensor *a = ty_ones(TY_F32, TY_SHAPE(8, 16)), *b = ty_ones(TY_F32, TY_SHAPE(16, 4));
    start();
    for (int i = 0; i < 3; i++) ty_matmul(a, b);
    ty_add(a, ty_num(1));
    ty_sum(a, TY_ALL);
    const ty_profile *p = stopped();
    ty_matmul(a, b);
    if (test_starving()) return;
    ty_profile_row r = row_of(p, "contract f32[8,16], f32[16,4] -> f32[8,4]");
    CHECK(r.calls == 3, "%lld products were counted", (long long)r.calls);
    CHECK(r.flops == 2 * 8 * 16 * 4, "a product counts %g operations", r.flops);
    CHECK(r.bytes == 4 * (8 * 16 + 16 * 4 + 8 * 4), "a product counts %g bytes", r.bytes);
    CHECK(r.ms > 0, "it took no time");
    r = row_of(p, "sum f32[8,16] -> f32[]");
    CHECK(r.calls == 1 && r.flops == 8 * 16, "a sum of 128: %lld calls of %g operations", (long long)r.calls,
          r.flops);
    for (int i = 1; i < ty_profile_count(p); i++)
        CHECK(test_profile_row(p, i - 1).ms >= test_profile_row(p, i).ms,
              "row %d took longer than the one before", i);
}

/* A broadcast operand counts its stored bytes once. */
static void bytes_of_what_is_there(void) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(100, 64)), *row = ty_ones(TY_F32, TY_SHAPE(64));
    start();
    ty_mul(x, row);
    const ty_profile *p = stopped();
    if (test_starving()) return;
    CHECK(ty_profile_count(p) == 1, "%d rows", ty_profile_count(p));
    CHECK(test_profile_row(p, 0).bytes == 4 * (2 * 6400 + 64), "%g bytes", test_profile_row(p, 0).bytes);
}

static void step(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_matmul(s->carry[0], s->carry[0]);
}

/* A loop's own time excludes that of its steps. */
static void loops_and_their_steps(void) {
    ty_tensor *x = ty_var(ty_mul(ty_ones(TY_F32, TY_SHAPE(64, 64)), ty_num(0.01)), "x"), *last;
    if (!ty_scan(step, NULL, (ty_scan_spec){.ncarry = 1, .carry = &x, .length = 50}, &last, NULL, NULL))
        return;
    ty_program *program = test_program(ty_compile(1, &last, (ty_compile_options){0}));
    if (!program_is_well(program)) return;
    start();
    for (int i = 0; i < 2; i++) ty_run(program);
    const ty_profile *p = stopped();
    if (test_starving()) return;
    CHECK(calls_of(p, "contract f32[64,64], f32[64,64] -> f32[64,64]") == 100, "not 100 products:\n%s",
          test_text(ty_profile_table(p, 0, 0, 0)));
    for (int i = 0; i < ty_profile_count(p); i++) {
        ty_profile_row r;
        ty_profile_at(p, i, &r);
        if (strncmp(r.name, "loop", 4)) continue;
        CHECK(r.calls == 2, "the loop ran %lld times", (long long)r.calls);
    }
}

static void rows_count_as_one(void) {
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(4096, 512)), "x"), *y = ty_softmax(x, 1);
    ty_program *program = test_program(ty_compile(1, &y, (ty_compile_options){0}));
    if (!program_is_well(program)) return;
    start();
    ty_run(program);
    const ty_profile *p = stopped();
    if (test_starving()) return;
    CHECK(ty_profile_count(p) == test_report(program).kernels, "%d rows for %lld kernels",
          ty_profile_count(p), (long long)test_report(program).kernels);
    CHECK(test_profile_row(p, 0).bytes == 2.0 * 4 * 4096 * 512, "%g bytes", test_profile_row(p, 0).bytes);
    CHECK(test_profile_row(p, 0).flops >= 4096 * 512, "%g operations", test_profile_row(p, 0).flops);
}

static void *add_often(void *x) {
    ty_scope *scope = ty_open();
    for (int i = 0; i < 200; i++) ty_add(x, x);
    ty_close(scope);
    return NULL;
}

static void all_threads_count(void) {
    enum { N = 4 };
    pthread_t threads[N];
    ty_tensor *x = ty_ones(TY_F64, TY_SHAPE(33));
    start();
    for (int i = 0; i < N; i++) CHECK(!pthread_create(&threads[i], NULL, add_often, x), "no thread");
    for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
    const ty_profile *p = stopped();
    if (test_starving()) return;
    CHECK(calls_of(p, "add f64[33], f64[33] -> f64[33]") == 200 * N, "%s",
          test_text(ty_profile_table(p, 0, 0, 0)));
}

static void a_start_forgets(void) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(5));
    start();
    ty_exp(x);
    ty_profile_start();
    ty_log(x);
    const ty_profile *p = stopped(), *nothing = stopped();
    if (test_starving()) return;
    CHECK(ty_profile_count(p) == 1 && calls_of(p, "log f32[5] -> f32[5]") == 1, "%s",
          test_text(ty_profile_table(p, 0, 0, 0)));
    CHECK(ty_profile_count(nothing) == 0, "%d rows after the end", ty_profile_count(nothing));
    CHECK(ty_profile_count(NULL) == 0 && !*test_profile_row(NULL, 0).name && !*test_profile_row(p, 1).name &&
              !*test_profile_row(p, -1).name,
          "rows outside have a name");
}

static void tables(void) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(5));
    start();
    ty_exp(x), ty_log(x), ty_sin(x);
    const ty_profile *p = stopped();
    char *all = test_text(ty_profile_table(p, 0, 0, 0)), *one = test_text(ty_profile_table(p, 1, 1e9, 1e9));
    if (test_starving()) return;
    CHECK(strstr(all, "sin f32[5] -> f32[5]\n") && strstr(all, "ms in 3 kinds of kernels\n"), "%s", all);
    CHECK(!strstr(all, "roof") && strstr(one, "roof") && strstr(one, "2 more\n"), "%s", one);
    CHECK(strstr(test_text(ty_profile_table(NULL, 0, 0, 0)), "in 0 kinds"), "NULL has rows");
    /* A memory of a byte a second is slower than any kernel; one of 10^30 is never the limit. */
    char *slow = test_text(ty_profile_table(p, 0, 1e30, 1)),
         *fast = test_text(ty_profile_table(p, 0, 1e30, 1e30));
    CHECK(strstr(slow, "cache  exp f32[5]") && !strstr(fast, "cache") && strstr(fast, " 0.0%  exp f32[5]"),
          "%s%s", slow, fast);
}

/* ---- files ---- */

static void saved_and_loaded(void) {
    const char *path = scratch_path(scratch_folder(), "profile.json");
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(5)), *error = NULL;
    start();
    for (int i = 0; i < 7; i++) ty_exp(x);
    ty_log(x);
    ty_profile *p = stopped();
    bool saved = ty_profile_save(p, path, &error);
    if (!saved) return (void)CHECK(test_starving(), "not saved: %s", ty_error(error));
    ty_profile *q = test_own(ty_profile_load(path, &error), free_profile);
    if (!q) return (void)CHECK(test_starving(), "not loaded: %s", ty_error(error));
    CHECK(ty_profile_count(q) == ty_profile_count(p), "%d rows", ty_profile_count(q));
    for (int i = 0; i < ty_profile_count(p); i++) {
        ty_profile_row a = test_profile_row(p, i), b = row_of(q, a.name);
        CHECK(a.calls == b.calls && a.ms == b.ms && a.bytes == b.bytes && a.flops == b.flops, "%s differs",
              a.name);
    }
}

static void bad_files(void) {
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "is not a profile: \"traceEvents\" does not begin a line"},
        {"{\"tyto_profile\": 1}", "does not begin a line in its first 19 bytes"},
        {"{\"a\":,\n\"traceEvents\": [", "is not valid JSON"},
        {"{\"a\": 1,\n\"traceEvents\": [", "\"tyto_profile\" is missing"},
        {"{\"tyto_profile\": 2,\n\"traceEvents\": [", "\"tyto_profile\" is 2; expected 1, the only version"},
        {"{\"tyto_profile\": 1,\n\"traceEvents\": [", "\"lost\" is missing"},
        {"{\"tyto_profile\": 1, \"kernels\": [], \"lost\": -1, \"threads\": 1,\n\"traceEvents\": [",
         "is not a profile: \"lost\" is -1; expected a whole number from 0 to"},
        {"{\"tyto_profile\": 1, \"lost\": 0, \"threads\": 1,\n\"traceEvents\": [",
         "\"kernels\" is missing; expected a list of up to 100000"},
        {"{\"tyto_profile\": 1, \"kernels\": [3], \"lost\": 0, \"threads\": 1,\n\"traceEvents\": [",
         "kernels 0: expected an object with \"name\""},
        {"{\"tyto_profile\": 1, \"kernels\": [{\"name\": \"a\", \"calls\": 1e99, \"ms\": 0, \"bytes\": 0, "
         "\"flops\": 0}], \"lost\": 0, \"threads\": 1,\n\"traceEvents\": [",
         "kernels 0: \"calls\" is 1e+99; expected a whole number from 0 to"},
        {"[[[[[[[[[[[[\n\"traceEvents\": [", "nested deeper"},
    };
    const char *path = scratch_path(scratch_folder(), "bad.json");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ty_tensor *error = NULL;
        FILE *f = fopen(path, "wb");
        CHECK(f && fputs(cases[i].text, f) >= 0 && !fclose(f), "no file");
        ty_profile *p = test_own(ty_profile_load(path, &error), free_profile);
        CHECK(!p, "case %d was read", (int)i);
        CHECK_POISON(error, cases[i].words);
    }
}

static void bad_paths(void) {
    ty_tensor *error = NULL;
    start();
    ty_profile *p = stopped();
    if (!p) return;
    CHECK(!ty_profile_save(p, "/no/such/folder/x.json", &error), "saved");
    CHECK_POISON(error, "/no/such/folder");
    CHECK(!ty_profile_save(p, NULL, &error), "saved");
    CHECK_POISON(error, "the path is NULL");
    CHECK(!ty_profile_save(NULL, "x", &error), "saved");
    CHECK_POISON(error, "the profile is NULL");
    CHECK(!ty_profile_load("/no/such/file", &error), "loaded");
    CHECK_POISON(error, "/no/such/file");
    CHECK(!ty_profile_load(NULL, &error), "loaded");
    CHECK_POISON(error, "the path is NULL");
    CHECK(!ty_profile_load(NULL, NULL) && !ty_profile_save(NULL, NULL, NULL), "done");
}

/* ---- the trap ---- */

static void untrap(void *unused) {
    (void)unused;
    ty_trap_nan(false);
}
static void trap(void) {
    static char any;
    test_own(&any, untrap);
    ty_trap_nan(true);
}

static ty_tensor *numbers(ty_dtype dtype, double a, double b, double c) {
    return ty_cast(ty_from(TY_F64, TY_SHAPE(3), (const double[]){a, b, c}), dtype);
}

static ty_tensor *log_of_flipped(ty_tensor *x) { return ty_log(ty_flip(x, 0)); }
static ty_tensor *narrowed(ty_tensor *x) { return ty_cast(x, TY_F32); }
static ty_tensor *sum_of_all(ty_tensor *x) { return ty_sum(x, TY_ALL); }
static ty_tensor *running_sum(ty_tensor *x) { return ty_cumsum(x, 0, (ty_running){0}); }

static const struct {
    const char *words; /* NULL: no error */
    ty_dtype dtype;
    double a, b, c;
    ty_tensor *(*make)(ty_tensor *x);
} traps[] = {
    {"trap: log made -inf of finite operands, first at [1] of", TY_F32, 1, 0, -1, ty_log},
    {"trap: sqrt made NaN of finite operands, first at [2] of", TY_F64, 1, 0, -1, ty_sqrt},
    {"trap: sqrt made NaN of finite operands, first at [0] of", TY_BF16, -4, 1, 1, ty_sqrt},
    {"trap: exp made inf of finite operands, first at [2] of", TY_F16, 1, 2, 12, ty_exp},
    {"from 1 to 12", TY_F16, 1, 2, 12, ty_exp},
    {"trap: recip made NaN or an infinity of finite operands, first at [1] of", TY_C64, 1, 0, 2, ty_recip},
    {"trap: log made -inf of finite operands, first at [0] of", TY_F32, 1, 2, 0, log_of_flipped},
    {"trap: cast made inf of finite operands, first at [1] of", TY_F64, 1, 1e300, 0, narrowed},
    {"trap: sum made inf of finite operands, first at [] of", TY_F32, 3e38, 3e38, 1, sum_of_all},
    {"trap: cumsum made inf of finite operands, first at [1] of", TY_F32, 3e38, 3e38, 1, running_sum},
    {NULL, TY_F32, 1, 2, 3, ty_log},
    {NULL, TY_F32, 1, INFINITY, 3, ty_exp},
    {NULL, TY_F64, NAN, 0, -1, ty_sqrt},
    {NULL, TY_I32, 1, 0, 3, sum_of_all},
};

static void check_trapped(ty_tensor *y, int i, const char *how) {
    if (!ty_ok(y) && test_starving() && mem_failed()) return;
    if (traps[i].words)
        CHECK(!ty_ok(y) && strstr(ty_error(y), traps[i].words), "case %d, %s: %s", i, how, ty_error(y));
    else
        CHECK(ty_ok(y), "case %d, %s: %s", i, how, ty_error(y));
}

static void traps_eager_and_lazy(void) {
    trap();
    for (int i = 0; i < (int)(sizeof traps / sizeof *traps); i++) {
        struct test_round round = test_round();
        ty_trap_nan(false); /* the values themselves may be infinite */
        ty_tensor *x = numbers(traps[i].dtype, traps[i].a, traps[i].b, traps[i].c);
        ty_trap_nan(true);
        check_trapped(traps[i].make(x), i, "eager");
        check_trapped(ty_eval(traps[i].make(ty_var(x, "x"))), i, "lazy");
        test_round_end(round);
    }
}

/* The trap names the first operator, even if all would be one kernel, and the variable by its name. */
static void names_the_first(void) {
    trap();
    ty_tensor *x = ty_var(numbers(TY_F32, 4, -9, 1), "weights"),
              *y = ty_add(ty_sqrt(ty_mul(x, ty_num(2))), x);
    ty_program *p = test_program(ty_compile(1, &y, (ty_compile_options){0}));
    if (!program_is_well(p)) return;
    CHECK(!ty_run(p), "nothing was trapped");
    if (test_starving() && mem_failed()) return;
    CHECK(strstr(ty_program_error(p), "trap: sqrt made NaN"), "%s", ty_program_error(p));
    y = ty_log(x);
    p = test_program(ty_compile(1, &y, (ty_compile_options){0}));
    if (!program_is_well(p)) return;
    CHECK(!ty_run(p), "nothing was trapped");
    CHECK(test_starving() || strstr(ty_program_error(p), "operands: weights f32[3] from -9 to 4"), "%s",
          ty_program_error(p));
}

static void diverge(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_mul(s->carry[0], s->carry[0]);
}

static void traps_in_loops(void) {
    trap();
    ty_tensor *x = ty_num(10), *last;
    ty_trap_nan(false);
    x = ty_var(ty_cast(x, TY_F32), "x");
    bool made =
        ty_scan(diverge, NULL, (ty_scan_spec){.ncarry = 1, .carry = &x, .length = 20}, &last, NULL, NULL);
    ty_trap_nan(true);
    if (!made) return;
    ty_tensor *y = ty_eval(last);
    if (test_starving() && !ty_ok(y)) return;
    CHECK_POISON(y, "mul made inf of finite operands");
}

static void trap_is_a_setting(void) {
    trap();
    CHECK(ty_trap_nan(true), "it was off");
    CHECK(ty_trap_nan(false), "it was off");
    CHECK(!ty_trap_nan(false), "it was on");
    ty_tensor *y = ty_log(numbers(TY_F32, 0, 1, 2));
    CHECK_OK(y);
}

TESTS_MAIN(TEST(counts_and_work), TEST(bytes_of_what_is_there), TEST(loops_and_their_steps),
           TEST(rows_count_as_one), TEST(all_threads_count), TEST(a_start_forgets), TEST(tables),
           TEST(saved_and_loaded), TEST(bad_files), TEST(bad_paths), TEST(traps_eager_and_lazy),
           TEST(names_the_first), TEST(traps_in_loops), TEST(trap_is_a_setting))
