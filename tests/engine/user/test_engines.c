/* Engines of the user's own (tyto/engine.h): registration, failures of each function, their end, threads, forks. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/child.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/own.h"
#include "tests/support/samples/sample.h"

static ty_tensor *numbers(int64_t n) { return sample_shape(TY_F32, 1, &n, -2, 2); }

static ty_engine_counts counted(void) {
    ty_engine_counts counts;
    ty_engine_counted("own", &counts);
    return counts;
}

/* Check that a call failed with an error that has these words. */
#define CHECK_REFUSED(call, error, words)                                                                    \
    do {                                                                                                     \
        bool done_here = call;                                                                               \
        check_refused(__LINE__, done_here, error, words);                                                    \
    } while (0)
static void check_refused(int line, bool done, ty_tensor *error, const char *words) {
    CHECK(!done && error, "line %d: it is not refused", line);
    CHECK(strstr(ty_error(error), words) || test_starving(), "line %d: \"%s\" lacks \"%s\"", line,
          ty_error(error), words);
}

/* ---- registration ---- */

static void bad_registrations(void) {
    ty_tensor *error = NULL;
    static const char *const names[] = {"",    "1st",         "Own",  "my engine",      "a:0",
                                        "a.b", "caf\xc3\xa9", "_own", "fourteen_chars", "\n"};
    CHECK_REFUSED(ty_engine_register(NULL, &error), error, "NULL");
    ty_engine e = own_plain(NULL);
    CHECK_REFUSED(ty_engine_register(&e, &error), error, "the name is NULL");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        e = own_plain(names[i]);
        CHECK_REFUSED(ty_engine_register(&e, &error), error, "expected 1 to 13 of a-z, 0-9 and _");
    }
    static const char *const taken[] = {"cpu", "ref", "null"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        e = own_plain(taken[i]);
        CHECK_REFUSED(ty_engine_register(&e, &error), error, "there is an engine");
    }
    e = own_plain("own");
    e.language++;
    CHECK_REFUSED(ty_engine_register(&e, &error), error, "knows the language 2 of nests; expected 1");
    e = own_plain("own");
    e.lacks = 1u << TY_DTYPES;
    CHECK_REFUSED(ty_engine_register(&e, &error), error, "lacks is 0x8000");
    e = own_plain("own");
    e.memory = -1;
    CHECK_REFUSED(ty_engine_register(&e, &error), error, "memory is -1");
    e = own_plain("own");
    e.prepare = NULL;
    CHECK_REFUSED(ty_engine_register(&e, &error), error, "prepare is NULL");
    e = own_plain("own");
    e.launch = NULL;
    CHECK_REFUSED(ty_engine_register(&e, &error), error, "launch is NULL");
    e = own_plain("own");
    CHECK_REFUSED(ty_engine_register_sized(&e, 0, &error), error, "");
    CHECK_REFUSED(ty_engine_register_sized(&e, offsetof(ty_engine, prepare), &error), error,
                  "prepare is NULL");
    CHECK_REFUSED(ty_engine_unregister("own", &error), error, "no engine \"own\" was registered");
    CHECK_REFUSED(ty_engine_unregister(NULL, &error), error, "no engine");
    CHECK_REFUSED(ty_engine_unregister("cpu", &error), error, "no engine");
}

static void *nothing(void *context, ty_engine_error *error) {
    (void)error;
    return context;
}
static void *no_memory(void *context, size_t bytes, ty_engine_error *error) {
    (void)bytes, (void)error;
    return context;
}

static void functions_come_together(void) {
    ty_tensor *error = NULL;
    ty_engine e = own_plain("own");
    e.stream_open = nothing;
    CHECK_REFUSED(ty_engine_register(&e, &error), error, "is NULL; functions of streams come together");
    e = own_plain("own");
    e.allocate = no_memory;
    CHECK_REFUSED(ty_engine_register(&e, &error), error, "is NULL; functions of memory come together");
}

static void end_other(void *unused) {
    (void)unused;
    ty_engine_unregister("thirteen_char", NULL);
}
/* Register a second engine, in the host's memory, with the longest name. */
static void other_begin(void) {
    ty_tensor *error = NULL;
    ty_engine e = own_plain("thirteen_char");
    if (ty_engine_register(&e, &error)) test_own(&own, end_other);
    CHECK(!error, "%s", ty_error(error));
}

static void names_and_numbers(void) {
    ty_tensor *error = NULL;
    ty_engine e = own_plain("own");
    other_begin();
    own_begin();
    CHECK_REFUSED(ty_engine_register(&e, &error), error, "there is an engine \"own\"");
    ty_tensor *x = numbers(5), *y = CHECK_OK(ty_to(x, "own")), *z = CHECK_OK(ty_to(x, "thirteen_char"));
    CHECK(test_starving() || (!strcmp(ty_on(y), "own:0") && !strcmp(ty_on(z), "thirteen_char:0")), "%s %s",
          ty_on(y), ty_on(z));
    compare_bits(ty_sum(ty_exp(z), TY_ALL), ty_sum(ty_exp(x), TY_ALL), "in the host's memory");
    CHECK_POISON(ty_to(x, "own:1"), "own has 1 device");
    ty_context *c = ty_context_new((ty_context_options){.engine = "thirteen_char:0"});
    CHECK(!ty_context_failure(c) || test_starving(), "%s", ty_error(ty_context_failure(c)));
    ty_context_free(c);
}

/* Eight engines are there at one time, and 16 names in the life of the process. */
static void limits(void) {
    enum { AT_ONCE = 8, NAMES = 16 };
    ty_tensor *error = NULL;
    char name[8];
    if (test_starving()) return;
    other_begin();
    own_begin();
    for (int i = 2; i < AT_ONCE; i++) {
        ty_engine e = own_plain((snprintf(name, sizeof name, "e%d", i), name));
        CHECK(ty_engine_register(&e, &error), "%s: %s", name, ty_error(error));
    }
    ty_engine one_more = own_plain("e8");
    CHECK_REFUSED(ty_engine_register(&one_more, &error), error, "there are too many engines");
    for (int i = 2; i < NAMES; i++) {
        ty_engine e = own_plain((snprintf(name, sizeof name, "e%d", i), name));
        CHECK(i < AT_ONCE || ty_engine_register(&e, &error), "%s: %s", name, ty_error(error));
        CHECK(ty_engine_unregister(name, &error), "%s: %s", name, ty_error(error));
    }
    one_more = own_plain("e16");
    CHECK_REFUSED(ty_engine_register(&one_more, &error), error, "engines had 16 names");
}

/* A promise keeps its device when engines come and go. */
static void promises_keep_devices(void) {
    other_begin();
    own_begin();
    ty_tensor *x = numbers(5), *p = ty_exp(ty_to(ty_lazy(x), "own"));
    CHECK(ty_engine_unregister("thirteen_char", NULL) || test_starving(), "it is not there");
    CHECK(test_starving() || !strcmp(ty_on(p), "own:0"), "%s", ty_on(p));
    compare_bits(ty_eval(p), ty_exp(x), "a promise");
}

/* ---- computing ---- */

static void computes(void) {
    own_begin();
    int64_t shape[] = {30, 20};
    ty_tensor *x = sample_shape(TY_F32, 2, shape, -2, 2), *y = CHECK_OK(ty_to(x, "own"));
    compare_bits(ty_sum(ty_exp(y), ty_axis(0)), ty_sum(ty_exp(x), ty_axis(0)), "a sum");
    compare_bits(ty_matmul(y, ty_transpose(y)), ty_matmul(x, ty_transpose(x)), "a product");
    compare_bits(ty_softmax(y, 1), ty_softmax(x, 1), "softmax");
    compare_bits(ty_sort(y, 1, false), ty_sort(x, 1, false), "an algorithm");
    CHECK(counted().refused > 0 || test_starving(), "no kernel was left to cpu");
    CHECK(counted().prepared > 0 && counted().launches >= counted().prepared, "no kernel was prepared");
    ty_tensor *at = ty_from(TY_I64, TY_SHAPE(2), ((int64_t[]){3, 30}));
    ty_tensor *want = ty_take(x, at, 0), *got = ty_take(y, at, 0);
    CHECK(!ty_ok(got) && (test_starving() || !strcmp(ty_error(got), ty_error(want))), "\"%s\", not \"%s\"",
          ty_error(got), ty_error(want));
}

/* A kernel of more operands than its table of places on the stack has. */
static void many_operands(void) {
    own_begin();
    ty_tensor *x[60], *y[60];
    for (int i = 0; i < 60; i++) x[i] = numbers(3), y[i] = ty_to(x[i], "own");
    compare_bits(ty_concat(60, y, 0), ty_concat(60, x, 0), "60 pieces");
    compare_bits(ty_concat(7, y, 0), ty_concat(7, x, 0), "7 pieces");
}

static void leaves_kernels_to_cpu(void) {
    own_begin();
    own.lacks = true;
    ty_tensor *x = numbers(50), *y = ty_to(x, "own");
    compare_bits(ty_exp(y), ty_exp(x), "on copies");
    CHECK(test_starving() || (counted().refused == 1 && counted().launches == 0),
          "%lld refused, %lld launched", (long long)counted().refused, (long long)counted().launches);
}

static void explains(void) {
    own_begin();
    ty_tensor *x = ty_var(numbers(50), "x"), *y = ty_exp(x);
    CHECK(ty_use_engine("own") || test_starving(), "own is not there");
    ty_program *p = test_program(ty_compile(1, &y, (ty_compile_options){0}));
    char *page = test_text(ty_program_html(p, NULL, 0, 0));
    CHECK(!page || strstr(page, "r1 = f32 exp(r0)") || test_starving(), "no nests in the page of a program");
    ty_use_engine("cpu");
}

static void wrong_refusal(void) {
    own_begin();
    own.wrong = true;
    CHECK_POISON(ty_exp(ty_to(numbers(5), "own")), "own:0: launch: refused by check 0 of step 1");
}

/* ---- failures ---- */

/* A step of a loop, whose first carry is copied. */
static void halve(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_mul(s->carry[0], ty_num(0.5));
}

/* Compute eagerly, and by a program that writes a variable.  Return the first failure, or NULL. */
static ty_tensor *work(void) {
    int64_t shape[] = {40};
    ty_tensor *x = sample_shape(TY_F32, 1, shape, -2, 2), *y = ty_to(x, "own");
    ty_tensor *at = ty_from(TY_I64, TY_SHAPE(2), ((int64_t[]){0, 39}));
    ty_tensor *taken = ty_take(y, at, 0); /* has an error cell, which is zeroed */
    ty_tensor *far_sum = ty_sum(ty_exp(ty_concat(2, (ty_tensor *[]){y, y}, 0)), TY_ALL);
    double sum = ty_item(far_sum),
           want = ty_item(ty_sum(ty_exp(ty_concat(2, (ty_tensor *[]){x, x}, 0)), TY_ALL));
    if (!ty_ok(y)) return y;
    if (!ty_ok(taken)) return taken;
    if (!ty_ok(far_sum)) return far_sum;
    if (!ty_use_engine("own")) return ty_poison("own:0: it could not be opened");
    ty_tensor *w = ty_var(x, "w"), *next = ty_add(w, ty_num(1)), *last = NULL;
    ty_scan(halve, NULL, (ty_scan_spec){.ncarry = 1, .carry = &w, .length = 2}, &last, NULL, NULL);
    ty_tensor *out = ty_add(ty_sum(ty_sort(next, 0, false), TY_ALL), ty_sum(last, TY_ALL));
    ty_program *p = test_program(
        ty_compile(1, &out, (ty_compile_options){.updates = &(ty_update){w, next}, .nupdates = 1}));
    bool ran = ty_run(p);
    double total = ran ? ty_item(ty_output(p, 0)) : 0;
    ty_tensor *error = NULL;
    bool synced = ty_sync("own", &error);
    ty_use_engine("cpu");
    if (!ran) return ty_poison("%s", ty_program_error(p));
    if (!synced) return error;
    if (total != total || sum != sum) return ty_poison("own:0: elements did not come home");
    CHECK(sum == want || test_starving(), "%g is not %g", sum, want);
    return NULL;
}

static void each_function_fails(void) {
    static const ty_code codes[] = {TY_ERROR_USER, TY_ERROR_DEVICE, TY_ERROR_NONE};
    if (test_starving()) return;
    for (int call = 0; call < OWN_CALLS; call++)
        for (int64_t n = 1, reached = 1; n < 40 && reached; n++) {
            struct test_round round = test_round();
            own_begin();
            own.code = codes[n % 3];
            own_fail(call, n);
            ty_tensor *failed = work();
            reached = own_calls(call) >= n;
            CHECK(!failed || strstr(ty_error(failed), "own"), "%s, call %lld: \"%s\"", own_names[call],
                  (long long)n, ty_error(failed));
            CHECK(reached || n > 1, "%s is not called", own_names[call]);
            CHECK(failed || !reached || n > 1, "%s fails unseen", own_names[call]);
            test_round_end(round);
            CHECK(own_left() == 0, "%s, call %lld: %lld things are left", own_names[call], (long long)n,
                  (long long)own_left());
        }
}

/* ---- the end of an engine ---- */

static void release_context(void *c) { ty_context_free(c); }

static void unregister_in_use(void) {
    ty_tensor *error = NULL, *x = numbers(100);
    own_begin();
    ty_scope *scope = ty_open();
    ty_tensor *y = CHECK_OK(ty_to(numbers(100), "own"));
    CHECK_REFUSED(ty_engine_unregister("own", &error), error, "\"own\" is in use");
    CHECK_OK(ty_exp(y));
    ty_close(scope);

    CHECK(ty_use_engine("own") || test_starving(), "own is not there");
    ty_tensor *z = ty_exp(ty_var(x, "v"));
    ty_program *p = ty_compile(1, &z, (ty_compile_options){0});
    ty_use_engine("cpu");
    bool done = ty_engine_unregister("own", &error);
    CHECK(!done || test_starving(), "an engine of a program is unregistered");
    ty_program_free(p);
    ty_tensor *place = ty_to(ty_lazy(x), "own");
    done = ty_engine_unregister("own", &error);
    CHECK(done || test_starving(), "%s", error ? ty_error(error) : "");
    if (!done) return;
    CHECK_POISON(ty_eval(place), "unknown engine \"own:0\"");
    CHECK_POISON(ty_to(x, "own"), "unknown engine");
    CHECK(own_left() == 0, "%lld things are left", (long long)own_left());
    own_begin();
    compare_bits(ty_eval(place), x, "on the next engine of the name");
}

/* Threads that begin to use a context whose engine was removed do not compute by another one. */
static void contexts_that_stay(void) {
    own_begin();
    ty_context *c = test_own(ty_context_new((ty_context_options){.engine = "own"}), release_context);
    if (test_starving()) return;
    CHECK(ty_engine_unregister("own", NULL), "it is in use");
    ty_context *before = ty_context_use(c);
    ty_tensor *x = ty_exp(ty_ones(TY_F32, TY_SHAPE(3))), *y = ty_eval(ty_exp(ty_lazy(ty_num(2))));
    ty_context_use(before);
    check_refused(__LINE__, ty_ok(x), x, "there is no engine \"own:0\" any more");
    check_refused(__LINE__, ty_ok(y), y, "there is no engine \"own:0\" any more");
    own_begin_again(NULL);
    before = ty_context_use(c);
    x = ty_exp(ty_ones(TY_F32, TY_SHAPE(3)));
    ty_context_use(before);
    compare_bits(x, ty_exp(ty_ones(TY_F32, TY_SHAPE(3))), "on the next engine of the name");
}

/* A thread that computes by an engine when another one removes it. */
struct stale {
    pthread_barrier_t barrier;
    char error[256];
    bool done;
};
static void *keep_computing(void *data) {
    struct stale *s = data;
    ty_scope *scope = ty_open();
    ty_use_engine("own");
    pthread_barrier_wait(&s->barrier);
    pthread_barrier_wait(&s->barrier);
    ty_tensor *y = ty_exp(numbers(4));
    s->done = ty_ok(y);
    snprintf(s->error, sizeof s->error, "%s", ty_error(y));
    ty_use_engine("cpu");
    s->done = s->done || !ty_ok(ty_exp(numbers(4)));
    ty_close(scope);
    return NULL;
}
static void threads_that_stay(void) {
    struct stale s;
    ty_tensor *error = NULL;
    pthread_t thread;
    if (test_starving()) return;
    own_begin();
    pthread_barrier_init(&s.barrier, NULL, 2);
    pthread_create(&thread, NULL, keep_computing, &s);
    pthread_barrier_wait(&s.barrier);
    bool ended = ty_engine_unregister("own", &error);
    pthread_barrier_wait(&s.barrier);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&s.barrier);
    CHECK(ended, "%s", ty_error(error));
    CHECK(!s.done && strstr(s.error, "its engine was removed"), "\"%s\"", s.error);
}

static void *compute_often(void *data) {
    bool *well = data;
    *well = true;
    for (int i = 0; i < 30; i++) {
        ty_scope *scope = ty_open();
        ty_tensor *x = numbers(20 + i), *y = ty_sum(ty_exp(ty_to(x, "own")), TY_ALL);
        *well = *well && ty_item(y) == ty_item(ty_sum(ty_exp(x), TY_ALL));
        ty_close(scope);
    }
    return NULL;
}
static void many_threads(void) {
    enum { THREADS = 6 };
    pthread_t threads[THREADS];
    bool well[THREADS];
    int refused = 0;
    ty_tensor *error = NULL;
    if (test_starving()) return;
    own_begin();
    ty_scope *scope = ty_open();
    ty_to(numbers(7), "own"); /* in use as long as the scope */
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, compute_often, &well[i]);
    for (int i = 0; i < 20; i++) refused += !ty_engine_unregister("own", NULL);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) CHECK(well[i], "thread %d computes something else", i);
    ty_close(scope);
    CHECK(refused == 20, "%d of 20 calls are refused", refused);
    CHECK(ty_engine_unregister("own", &error), "%s", ty_error(error));
    CHECK(own_left() == 0, "%lld things are left", (long long)own_left());
}

static void *compute_once(void *unused) {
    ty_scope *scope = ty_open();
    ty_exp(ty_to(numbers(3), "own"));
    ty_close(scope);
    return unused;
}
/* An engine in use is refused without a wait for its functions, which threads may call all the time. */
static void refused_at_once(void) {
    pthread_t thread;
    if (test_starving()) return;
    own_begin();
    CHECK_OK(ty_to(numbers(7), "own"));
    own_hold(true);
    pthread_create(&thread, NULL, compute_once, NULL);
    while (!own_held()) usleep(100);
    bool done = ty_engine_unregister("own", NULL);
    int held = own_held();
    own_hold(false);
    pthread_join(thread, NULL);
    CHECK(!done && held, "it is removed, or was refused after the launch");
}

/* In the child the device is lost; another registration works there. */
static int in_child(ty_tensor *y, ty_tensor *x) {
    ty_tensor *error = NULL, *lost = ty_exp(y);
    if (ty_ok(lost) || ty_error_code(lost) != TY_ERROR_DEVICE) return 1;
    if (ty_engine_unregister("own", &error)) return 2; /* y has memory there, and a copy of x */
    ty_release(y);
    ty_release(x);
    if (!ty_engine_unregister("own", &error)) return 3;
    own_begin_again(NULL);
    x = numbers(20);
    return ty_item(ty_sum(ty_to(x, "own"), TY_ALL)) == ty_item(ty_sum(x, TY_ALL)) ? 0 : 4;
}
static void forks(void) {
    if (test_starving()) return;
    own_begin();
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_retain(numbers(10)), *y = CHECK_OK(ty_retain(ty_to(x, "own")));
    ty_close(scope);
    pid_t id = fork();
    if (id == 0) _exit(in_child(y, x));
    int status = child_status(id);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ends with %d", WEXITSTATUS(status));
    compare_bits(ty_exp(y), ty_exp(x), "in the parent");
    ty_release(y);
    ty_release(x);
}

static void *unregister(void *unused) {
    ty_engine_unregister("own", NULL);
    return unused;
}
/* A fork waits for a change of the registered engines, which holds locks of the devices. */
static void forks_in_a_change(void) {
    pthread_t thread;
    if (test_starving()) return;
    own_begin();
    ty_use_engine("own"); /* opens it */
    ty_use_engine("cpu");
    own.slow = true;
    pthread_create(&thread, NULL, unregister, NULL);
    while (!own_closes()) usleep(100);
    pid_t id = fork();
    if (id == 0) _exit(own_begin_again(NULL) && ty_use_engine("own") ? 0 : 1);
    int status = child_status(id);
    pthread_join(thread, NULL);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ends with %d", status);
}

static atomic_bool opening;
static void *open_often(void *unused) {
    while (atomic_load(&opening)) ty_use_engine("own"), ty_use_engine("cpu");
    return unused;
}
/* Threads that open the device while the engine is removed call none of its functions afterwards. */
static void opens_while_removed(void) {
    enum { OPENERS = 4 };
    pthread_t threads[OPENERS];
    int64_t late = 0;
    if (test_starving()) return;
    own_begin();
    atomic_store(&opening, true);
    for (int i = 0; i < OPENERS; i++) pthread_create(&threads[i], NULL, open_often, NULL);
    for (int i = 0; i < 200; i++) {
        usleep(200); /* some of them wait for the lock now */
        ty_engine_unregister("own", NULL);
        usleep(200);
        late += own_left();
        own_begin_again(NULL);
    }
    atomic_store(&opening, false);
    for (int i = 0; i < OPENERS; i++) pthread_join(threads[i], NULL);
    CHECK(late == 0, "%lld streams were opened after the end", (long long)late);
}

TESTS_MAIN(TEST(bad_registrations), TEST(functions_come_together), TEST(names_and_numbers),
           TEST(promises_keep_devices), TEST(computes), TEST(many_operands), TEST(leaves_kernels_to_cpu),
           TEST(explains), TEST(wrong_refusal), TEST(each_function_fails), TEST(unregister_in_use),
           TEST(contexts_that_stay), TEST(threads_that_stay), TEST(many_threads), TEST(refused_at_once),
           TEST(forks), TEST(forks_in_a_change), TEST(opens_while_removed), TEST(limits))
