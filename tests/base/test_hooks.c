/* Progress of long calls: reports in order, stopping, and functions that call the library in turn. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <tyto/hooks.h>
#include <tyto/io.h>
#include <tyto/nn.h>
#include "array/progress.h"
#include "array/scope.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"
#include "tests/support/nn_help.h"

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Record of the calls of a progress function. */
struct seen {
    int calls, ends, wrong; /* wrong: reports that go backwards, come too early, or from another thread */
    int stop_after;         /* calls after which it stops the call; 0: never */
    char what[16];
    int64_t done, total;
    int depth;
    double last, first_pause;
    pthread_t thread;
    void (*also)(struct seen *s);
    ty_program *program;
    ty_tensor *variable;
};

static bool see(void *data, const ty_progress_state *now) {
    struct seen *s = data;
    double time = seconds();
    if (s->calls && !s->wrong && !now->ended && time - s->last < 0.095 && !test_starving()) s->wrong = 1;
    if (!pthread_equal(s->thread, pthread_self())) s->wrong = 2;
    if (now->depth < 1 || now->done < 0 || now->total < 0 || !(now->seconds > 0.09 || test_starving()))
        s->wrong = 3;
    if (now->total && now->done > now->total) s->wrong = 4;
    if (!s->calls) s->first_pause = now->seconds;
    if (s->calls && strcmp(s->what, now->what) == 0 && now->done < s->done && now->depth == 1) s->wrong = 5;
    snprintf(s->what, sizeof s->what, "%s", now->what);
    s->last = time;
    s->calls++;
    s->ends += now->ended;
    s->done = now->done;
    s->total = now->total;
    if (now->depth > s->depth) s->depth = now->depth;
    if (s->also) s->also(s);
    return !s->stop_after || s->calls < s->stop_after;
}

static struct seen begin(int stop_after) {
    return (struct seen){.stop_after = stop_after, .thread = pthread_self()};
}
static void hear(struct seen *s) { ty_context_set_progress(NULL, s ? see : NULL, s); }

static void wait_for(double time) {
    struct timespec t = {0, (long)(time * 1e9)};
    nanosleep(&t, NULL);
}

/* ---- the mechanism ---- */

/* Work of `steps` steps of 10 ms. Return the number of steps that were done. With failing allocations, which many
   repetitions make, steps take no time and each reports. */
static int work(const char *what, int steps, int64_t total, struct fault *fault) {
    struct progress p;
    int i = 0;
    if (test_starving()) progress_force(1);
    progress_begin(&p, what, total);
    for (; i < steps && progress_step(&p, i, fault); i++) wait_for(test_starving() ? 1e-6 : 0.01);
    progress_end(&p);
    if (test_starving()) progress_force(0);
    return i;
}

static void reports(void) {
    if (test_starving()) return;
    struct seen s = begin(0);
    hear(&s);
    double start = seconds();
    CHECK(work("test", 35, 35, NULL) == 35, "it was stopped");
    double most = (seconds() - start) / 0.095 + 1; /* a busy machine takes longer */
    hear(NULL);
    CHECK(s.calls >= 3 && s.calls <= most && s.ends == 1, "%d reports, %d ends", s.calls, s.ends);
    CHECK(!s.wrong && !strcmp(s.what, "test") && s.total == 35 && s.depth == 1, "reports of \"%s\": %d",
          s.what, s.wrong);
    s = begin(0);
    hear(&s);
    work("test", 5, 0, NULL);
    hear(NULL);
    work("test", 15, 0, NULL);
    CHECK(!s.calls, "short work, or work that is not heard, reports %d times", s.calls);
}

/* The outermost work is described; the units are its own, or those inside if it has a name alone. */
static void nests(void) {
    if (test_starving()) return;
    struct seen s = begin(0);
    struct progress outer;
    hear(&s);
    progress_begin(&outer, "outer", 7);
    progress_step(&outer, 3, NULL);
    work("inner", 25, 100, NULL);
    progress_end(&outer);
    CHECK(!s.wrong && !strcmp(s.what, "outer") && s.done == 3 && s.total == 7 && s.depth == 2,
          "\"%s\" %lld of %lld, depth %d, %d", s.what, (long long)s.done, (long long)s.total, s.depth,
          s.wrong);
    s = begin(0);
    progress_name(&outer, "outer");
    work("inner", 25, 100, NULL);
    CHECK(!s.wrong && !strcmp(s.what, "outer") && s.done > 5 && s.total == 100, "\"%s\" %lld of %lld", s.what,
          (long long)s.done, (long long)s.total);
    progress_end(&outer);
    hear(NULL);
}

/* A report that returns false stops this call, and no later one. */
static void stops(void) {
    if (test_starving()) return;
    struct seen s = begin(2);
    struct fault fault = {0};
    struct progress outer;
    hear(&s);
    progress_name(&outer, "outer");
    int done = work("inner", 1000, 0, &fault);
    CHECK(done < 100 && fault.set && strstr(fault.text, "interrupted") == fault.text, "%d steps: \"%s\"",
          done, fault.text);
    fault = (struct fault){0};
    CHECK(work("next", 3, 0, &fault) == 0 && fault.set, "the call goes on");
    CHECK(ty_error(ty_add(ty_ones(TY_F32, TY_SHAPE(2)), ty_num(1)))[0],
          "a kernel runs in a call that was stopped");
    progress_end(&outer);
    CHECK(s.calls == 3 && s.ends == 1, "%d reports, %d ends", s.calls, s.ends);
    CHECK(work("later", 3, 0, NULL) == 3, "the next call is stopped, too");
    CHECK_OK(ty_add(ty_ones(TY_F32, TY_SHAPE(2)), ty_num(1)));
    hear(NULL);
}

/* ---- functions that call the library ---- */

static void call_back(struct seen *s) {
    ty_scope *left_open = ty_open();
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(50, 50));
    s->wrong |= (!ty_ok(ty_eval(ty_matmul(ty_lazy(x), x))) && !test_starving()) * 16;
    work("inside", test_starving() ? 1 : 15, 0, NULL); /* would report if it were heard */
    ty_context *context = ty_context_new((ty_context_options){0});
    ty_context_use(context);
    ty_context_free(context);
    ty_trim();
    (void)left_open;
}

static void calls_back(void) {
    struct seen s = begin(0);
    int depth = scope_depth();
    s.also = call_back;
    hear(&s);
    work("test", test_starving() ? 2 : 25, 0, NULL);
    hear(NULL);
    CHECK(s.calls >= 2 && s.ends == 1 && !(s.wrong & 16), "%d reports, %d", s.calls, s.wrong);
    CHECK(scope_depth() == depth && !ty_context_now(), "%d scopes are open", scope_depth() - depth);
}

static void unset_hook(struct seen *s) {
    (void)s;
    hear(NULL);
}
static void unsets_itself(void) {
    if (test_starving()) return;
    struct seen s = begin(0);
    s.also = unset_hook;
    hear(&s);
    CHECK(work("test", 30, 0, NULL) == 30, "it was stopped");
    CHECK(s.calls == 1, "%d reports", s.calls);
}

/* The function frees the context in which the call computes. */
static ty_context *doomed;
static void free_context(struct seen *s) {
    if (s->calls > 1) return;
    ty_context_use(NULL);
    ty_context_free(doomed);
}
static void frees_the_context(void) {
    struct seen s = begin(0);
    s.also = free_context;
    doomed = ty_context_new((ty_context_options){0});
    if (ty_context_failure(doomed)) return;
    ty_context_use(doomed);
    ty_context_set_progress(doomed, see, &s);
    work("test", 30, 0, NULL);
    ty_context_use(NULL);
    CHECK(s.calls >= 2 && !s.wrong, "%d reports", s.calls);
}

/* ---- the library's long calls ---- */

static ty_tensor *log_density(void *context, ty_tensor *x) {
    (void)context;
    return ty_neg(ty_sum(ty_mul(x, x), TY_ALL));
}

static ty_samples sample(int64_t warmup) {
    ty_tensor *start = ty_zeros(TY_F64, TY_SHAPE(2, 10));
    return ty_hmc(log_density, NULL, start, ty_key(1), (ty_sampler_options){.draws = 50, .warmup = warmup});
}

/* Chains, whose loops run inside a program: reports, a stop, and the same bits afterwards. */
static void chains(void) {
    if (test_starving()) return;
    struct seen s = begin(2);
    ty_tensor *before = ty_contiguous(sample(100).draws);
    hear(&s);
    ty_samples stopped = sample(50000000); /* hours */
    hear(NULL);
    CHECK_POISON(stopped.draws, "interrupted");
    CHECK(s.calls == 3 && s.ends == 1 && !s.wrong && !strcmp(s.what, "sample"), "%d reports of \"%s\": %d",
          s.calls, s.what, s.wrong);
    CHECK(ty_item(ty_array_equal(before, sample(100).draws, false)) == 1, "other bits after a stop");
}

/* A program of a loop: the function runs the same program, computes, forgets all caches, and frees the program. */
static ty_tensor *next_value(ty_tensor *x) { return ty_add(ty_mul(x, ty_num(0.5)), ty_num(1)); }
static void step_of_loop(void *context, ty_step *step) {
    (void)context;
    step->next[0] = next_value(step->carry[0]);
}
static ty_tensor *looped(ty_tensor *x, int64_t steps) {
    ty_tensor *last = NULL;
    ty_scan(step_of_loop, NULL, (ty_scan_spec){.length = steps, .ncarry = 1, .carry = &x}, &last, NULL, NULL);
    return last;
}
static void inside_a_run(struct seen *s) {
    ty_scope *scope = ty_open();
    if (s->program && ty_run(s->program)) s->wrong = 20;
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(100));
    if (!(ty_item(ty_sum(ty_eval(looped(ty_lazy(x), 10)), TY_ALL)) > 0)) s->wrong = 21;
    ty_tensor *z = looped(x, 1000);
    if (!ty_ok(z)) s->wrong = 22;
    ty_trim();
    if (s->calls == 2 && s->program) {
        ty_program_free(s->program);
        s->program = NULL;
    }
    ty_close(scope);
}
static void runs(void) {
    if (test_starving()) return;
    struct seen s = begin(4);
    s.also = inside_a_run;
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(100)), "x"), *y = looped(x, 1000000000);
    s.program = ty_compile(1, &y, (ty_compile_options){0});
    CHECK(!*ty_program_error(s.program), "%s", ty_program_error(s.program));
    hear(&s);
    ty_tensor *out = NULL;
    bool done = ty_run_outputs(s.program, 1, &out);
    hear(NULL);
    CHECK(!done, "a billion steps");
    CHECK_POISON(out, "interrupted");
    CHECK(!s.wrong && s.ends == 1 && !s.program, "%d reports: %d", s.calls, s.wrong);
    s = begin(3);
    s.also = inside_a_run;
    hear(&s);
    ty_tensor *eager = looped(ty_ones(TY_F32, TY_SHAPE(100)), 1000000000);
    hear(NULL);
    CHECK_POISON(eager, "interrupted");
    CHECK(!s.wrong, "%d", s.wrong);
}

/* Loops whose number of steps is a value, so calls with other numbers share a program. */
static ty_tensor *below(void *context, ty_tensor *const *carry) {
    (void)context;
    return ty_lt(carry[0], carry[1]);
}
static void count_up(void *context, ty_tensor *const *carry, ty_tensor **next) {
    (void)context;
    next[0] = ty_add(carry[0], ty_num(1));
    next[1] = carry[1];
}
static ty_tensor *counted(double limit) {
    ty_tensor *carry[] = {ty_scalar(TY_F64, 0), ty_scalar(TY_F64, limit)}, *last[2], *steps = NULL;
    ty_while(below, count_up, NULL, 2, carry, 0, last, &steps);
    return last[0];
}
static void count_body(void *context, ty_tensor *const *x, ty_tensor **results) {
    ty_tensor *carry[] = {ty_mul(x[0], ty_num(0)), x[0]}, *last[2], *steps = NULL;
    ty_while(below, count_up, context, 2, carry, 0, last, &steps);
    results[0] = last[0];
}
static ty_function *function;
static ty_tensor *called(double limit) {
    ty_tensor *x = ty_scalar(TY_F64, limit), *y = NULL;
    ty_function_call(function, 1, &x, 1, &y);
    return y;
}
static void same_programs(struct seen *s) {
    ty_scope *scope = ty_open();
    if (ty_item(counted(10)) != 10) s->wrong = 30;
    if (ty_item(called(20)) != 20) s->wrong = 31;
    ty_close(scope);
}
static void inside_the_same(void) {
    if (test_starving()) return;
    ty_tensor *(*const ways[])(double limit) = {counted, called};
    function = ty_function_new(count_body, NULL, 1, 1, (ty_compile_options){0});
    bool warm = ty_item(counted(5)) == 5 && ty_item(counted(7)) == 7 && ty_item(called(5)) == 5;
    for (int way = 0; way < 2 && warm; way++) {
        struct seen s = begin(3);
        s.also = same_programs;
        hear(&s);
        ty_tensor *y = ways[way](1e15);
        hear(NULL);
        bool stopped = !ty_ok(y) && strstr(ty_error(y), "interrupted");
        if (!stopped || s.wrong || s.calls != 4) {
            ty_function_free(function);
            CHECK(stopped, "way %d: %s", way, ty_error(y));
            CHECK(!s.wrong && s.calls == 4, "way %d: %d reports: %d", way, s.calls, s.wrong);
        }
        warm = ty_item(ways[way](9)) == 9;
    }
    ty_function_free(function);
    CHECK(warm, "another value after a stop");
}

/* While a program that updates variables runs, nothing is reported: the function might wait for them. */
static void assign_inside(struct seen *s) {
    ty_scope *scope = ty_open();
    if (!ty_assign((ty_tensor *)s->variable, ty_ones(TY_F32, TY_SHAPE(100)), NULL)) s->wrong = 40;
    ty_close(scope);
}
static void updates(void) {
    if (test_starving()) return;
    struct seen s = begin(0);
    s.also = assign_inside;
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(100)), "x"), *y = looped(x, 2000000);
    s.variable = x;
    ty_update update = {x, y};
    ty_program *p =
        test_program(ty_compile(0, NULL, (ty_compile_options){.updates = &update, .nupdates = 1}));
    hear(&s);
    bool done = ty_run(p);
    hear(NULL);
    CHECK(done, "%s", ty_program_error(p));
    CHECK(s.calls == s.ends && !s.wrong, "%d reports in a run that holds variables", s.calls);
}

/* A training that is stopped goes on with the same bits. */
static void training(void) {
    if (test_starving()) return;
    for (int lazy = 0; lazy < 2; lazy++) {
        struct seen s = begin(3);
        ty_tensor *error = NULL;
        ty_trainer *t = nn_small_trainer(lazy, (ty_optimiser){.rule = &ty_adam});
        hear(&s);
        bool done = ty_trainer_fit(t, (ty_fit_options){.epochs = 1000000}, &error);
        hear(NULL);
        CHECK(!done, "it was not stopped");
        CHECK_POISON(error, "interrupted");
        CHECK(s.calls == 4 && s.ends == 1 && !s.wrong && !strcmp(s.what, "fit") && s.total > 1000000,
              "%d reports of \"%s\": %d", s.calls, s.what, s.wrong);
        int64_t steps = ty_trainer_steps(t);
        CHECK(steps > 0 && !*ty_trainer_error(t), "%lld steps, \"%s\"", (long long)steps,
              ty_trainer_error(t));
        double here = ty_trainer_step(t), there = NAN;
        ty_trainer *same = nn_small_trainer(lazy, (ty_optimiser){.rule = &ty_adam});
        while (ty_trainer_steps(same) <= steps) there = ty_trainer_step(same);
        CHECK(here == there, "%g after a stop, %g without", here, there);
    }
}

/* Reading from a slow source, and writing to a slow sink. */
struct slow {
    const uint8_t *bytes;
    int64_t size, limit;
};
static int64_t read_slowly(void *context, uint64_t at, void *out, size_t n) {
    const struct slow *s = context;
    int64_t left = s->size - (int64_t)at, most = (int64_t)n < left ? (int64_t)n : left;
    wait_for(0.003);
    if (most > 0) memcpy(out, s->bytes + at, (size_t)most);
    return most;
}
static bool write_slowly(void *context, const void *bytes, size_t n) {
    (void)context, (void)bytes, (void)n;
    wait_for(0.03);
    return true;
}
static void files(void) {
    if (test_starving()) return;
    enum { MANY = 40 };
    ty_tensor *tensors[MANY];
    const char *names[MANY];
    static char room[MANY][8];
    size_t n;
    for (int i = 0; i < MANY; i++) {
        snprintf(room[i], sizeof room[i], "t%d", i);
        names[i] = room[i], tensors[i] = ty_ones(TY_F32, TY_SHAPE(100));
    }
    struct slow slow = {write_bytes(MANY, names, tensors, (ty_file_options){.format = "npz"}, &n), 0, 0};
    slow.size = (int64_t)n;
    struct seen s = begin(0);
    hear(&s);
    ty_archive *a = ty_archive_read("slow", (ty_source){.context = &slow, .size = n, .read_at = read_slowly},
                                    (ty_file_options){0});
    hear(NULL);
    CHECK(!*ty_archive_error(own_archive(a)), "%s", ty_archive_error(a));
    CHECK(s.calls && s.ends == 1 && !strcmp(s.what, "read") && s.total == (int64_t)n && s.wrong % 5 == 0,
          "%d reports of \"%s\", %lld of %lld: %d", s.calls, s.what, (long long)s.done, (long long)s.total,
          s.wrong);
    s = begin(2);
    hear(&s);
    ty_tensor *error = NULL;
    bool written = ty_archive_send((ty_sink){.write = write_slowly}, MANY, names, tensors,
                                   (ty_file_options){.format = "npz"}, &error);
    hear(NULL);
    CHECK(!written && !strcmp(s.what, "write") && s.ends == 1, "%d reports of \"%s\"", s.calls, s.what);
    CHECK_POISON(error, "interrupted");
}

/* Each context has its function; other threads do not report to it. */
static void *work_elsewhere(void *unused) {
    work("elsewhere", 20, 0, NULL);
    return unused;
}
static void contexts(void) {
    struct seen s = begin(0), other = begin(0);
    ty_context *context = ty_context_new((ty_context_options){0});
    if (ty_context_failure(context)) return;
    hear(&s);
    ty_context_set_progress(context, see, &other);
    ty_context_use(context);
    work("test", 20, 0, NULL);
    ty_context_use(NULL);
    pthread_t thread;
    bool made = !pthread_create(&thread, NULL, work_elsewhere, NULL);
    if (made) pthread_join(thread, NULL);
    hear(NULL);
    ty_context_free(context);
    CHECK(other.calls && !other.wrong && !strcmp(other.what, "test"), "%d reports", other.calls);
    CHECK(!made || (s.calls && s.wrong == 2), "the other thread computes in the default context: %d",
          s.wrong);
}

TESTS_MAIN(TEST(reports), TEST(nests), TEST(stops), TEST(calls_back), TEST(unsets_itself),
           TEST(frees_the_context), TEST(chains), TEST(runs), TEST(inside_the_same), TEST(updates),
           TEST(training), TEST(files), TEST(contexts))
