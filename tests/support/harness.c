/*
 * The harness: a thin layer over a test runner (cmocka if installed) that adds scopes, a leak check and failing
 * allocations. A failed CHECK jumps back to `attempt`, which cleans up before the runner gets the result.
 */
#include "tests/support/harness.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "array/remote.h"
#include "array/scope.h"
#include "compile/passes.h"
#include "base/alloc.h"
#include "base/machine/cache.h"
#include "base/machine/core.h"
#include "base/machine/isa.h"
#include "base/machine/levels.h"
#include "engine/cpu/cpu.h"
#include "ops/shape/pieces.h"
#include "tests/support/counting.h"
#include "tests/support/gather.h"
#include "tests/support/reach.h"
#include "tests/support/runner.h"
#include "tests/support/stand_in.h"
#include "tests/support/starve.h"

enum { OWNED = 4096, SAMPLES = 150, MOST_SAMPLES = 1 << 20, LEAST_SAMPLES = 8, MOST_SINGLES = 16 };

#if defined(__SANITIZE_ADDRESS__)
/* Make impossible sizes fail like malloc instead of ending the process. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }
#endif

/* Processor seconds for failing allocations, for a test and for all tests of a program, which are often the
   entries of one table and share their allocations.  TY_TEST_SECONDS=S gives each test S seconds. */
enum { SECONDS_A_TEST = 1, SECONDS_A_PROGRAM = 8 };

static struct {
    jmp_buf back;
    bool verbose, oom;
    bool hard;           /* the last failure counts even after a failed allocation */
    char sentence[2048]; /* message of the last failure */
    void (*explain)(const void *context, char *out, size_t size);
    const void *context;
    char explanation[16384]; /* text written by `explain` */
    int owned;
    struct {
        void *pointer;
        void (*release)(void *);
    } own[OWNED];
    uint64_t random;
    int passed, chosen; /* numbers of tests of this program */
    int64_t starved;    /* failing allocations of this program */
} state;

#if defined(__GLIBC__)
/* Keep the memory that ty_trim returns to the system: to get it back would take half of the time of short tests. */
__attribute__((visibility("default"))) int malloc_trim(size_t kept) {
    (void)kept;
    return 0;
}
#endif

/* ---- failures ---------------------------------------------------------------------------------- */

static void describe(const char *file, int line, const char *condition, const char *format, va_list args) {
    const char *base = strrchr(file, '/');
    size_t room = sizeof state.sentence;
    int n = snprintf(state.sentence, room, "%s:%d: ", base ? base + 1 : file, line);
    n += vsnprintf(state.sentence + n, room - (size_t)n, format, args);
    if ((size_t)n < room) snprintf(state.sentence + n, room - (size_t)n, "  [%s]", condition);
    void (*explain)(const void *, char *, size_t) = state.explain;
    state.explain = NULL; /* explain itself may fail */
    if (explain && !state.oom) explain(state.context, state.explanation, sizeof state.explanation);
}

void test_explain(void (*explain)(const void *context, char *out, size_t size), const void *context) {
    state.explain = explain;
    state.context = context;
}

_Noreturn void test_fail(const char *file, int line, const char *condition, const char *format, ...) {
    va_list args;
    va_start(args, format);
    describe(file, line, condition, format, args);
    va_end(args);
    state.hard = false;
    longjmp(state.back, 1);
}

/* End the test as failed, even after a failed allocation. */
_Noreturn __attribute__((format(printf, 4, 5))) static void
fail_hard(const char *file, int line, const char *condition, const char *format, ...) {
    va_list args;
    va_start(args, format);
    describe(file, line, condition, format, args);
    va_end(args);
    state.hard = true;
    longjmp(state.back, 1);
}

/* Return true if an allocation failed, in the library or one that it calls, and the message says so. */
static bool tells_of_memory(const char *sentence) {
    return mem_failed() && (strstr(sentence, "out of memory") || strstr(sentence, strerror(ENOMEM)));
}

/* End the test unless the code of poison x fits its message: it has one, which is that of memory if memory ran out.  A
   message of the test's own, or one that lacks a list in parentheses, may tell of memory with another code. */
static void check_code(const char *file, int line, const char *text, const ty_tensor *x) {
    ty_code code = ty_error_code(x);
    bool told = code > TY_ERROR_NONE && code < TY_CODES && code != TY_ERROR_INTERNAL;
    bool memory = tells_of_memory(ty_error(x)) && !strstr(ty_error(x), "(out of memory)");
    if (told && (code == TY_ERROR_MEMORY || code == TY_ERROR_USER || !memory)) return;
    fail_hard(file, line, text, "the error \"%s\" has the code %s", ty_error(x), ty_code_name(code));
}

ty_tensor *test_check_ok(const char *file, int line, const char *text, ty_tensor *x) {
    if (!x) fail_hard(file, line, text, "NULL came back where a tensor belongs");
    if (ty_ok(x)) return x;
    check_code(file, line, text, x);
    if (tells_of_memory(ty_error(x))) test_fail(file, line, text, "%s", ty_error(x));
    fail_hard(file, line, text, "poisoned: %s", ty_error(x));
}

/* Return true if a message begins with one word and a colon twice, as in "sum: sum: axis 2". */
static bool names_twice(const char *message) {
    size_t n = strcspn(message, ": ");
    return message[n] == ':' && message[n + 1] == ' ' && !strncmp(message, message + n + 2, n + 1);
}

ty_tensor *test_check_poison(const char *file, int line, const char *text, ty_tensor *x, const char *words) {
    if (!x) fail_hard(file, line, text, "NULL came back where a tensor belongs");
    if (ty_ok(x)) fail_hard(file, line, text, "no error where one that says \"%s\" was expected", words);
    check_code(file, line, text, x);
    if (names_twice(ty_error(x))) fail_hard(file, line, text, "\"%s\" names the function twice", ty_error(x));
    if (strstr(ty_error(x), words)) return x;
    if (tells_of_memory(ty_error(x))) test_fail(file, line, text, "%s", ty_error(x));
    fail_hard(file, line, text, "the error \"%s\" does not say \"%s\"", ty_error(x), words);
}

/* ---- objects owned by tests ---------------------------------------------------------------------- */

void *test_own(void *pointer, void (*release)(void *)) {
    if (!pointer) return NULL;
    if (state.owned == OWNED) {
        release(pointer);
        test_fail(__FILE__, __LINE__, "state.owned < OWNED", "a test owns more than %d things", OWNED);
    }
    state.own[state.owned].pointer = pointer;
    state.own[state.owned++].release = release;
    return pointer;
}

static void release_down_to(int owned) {
    while (state.owned > owned) {
        state.owned--;
        state.own[state.owned].release(state.own[state.owned].pointer);
    }
}

struct test_round test_round(void) {
    return (struct test_round){ty_open(), state.owned};
}

void test_round_end(struct test_round round) {
    state.explain = NULL;
    ty_close(round.scope);
    release_down_to(round.owned);
}

static void release_program(void *program) { ty_program_free(program); }

ty_program *test_program(ty_program *program) { return test_own(program, release_program); }

ty_report test_report(const ty_program *program) {
    ty_report report;
    ty_program_report(program, &report);
    return report;
}

ty_profile_row test_profile_row(const ty_profile *profile, int i) {
    ty_profile_row row;
    ty_profile_at(profile, i, &row);
    return row;
}

ty_einsum_report test_einsum_report(const ty_einsum_plan *plan) {
    ty_einsum_report report;
    ty_einsum_plan_report(plan, &report);
    return report;
}

char *test_text(char *text) { return test_own(text, ty_free); }

void *test_room(size_t bytes) {
    void *room = calloc(1, bytes ? bytes : 1);
    if (!room) test_fail(__FILE__, __LINE__, "room", "no memory for %zu bytes of the test's own", bytes);
    return test_own(room, free);
}

/* ---- random numbers: splitmix64 (Steele, Lea, Flood, OOPSLA 2014) --------------------------------- */

uint64_t test_random(void) {
    uint64_t z = state.random += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

uint64_t test_random_from(uint64_t start) {
    uint64_t before = state.random;
    state.random = start;
    return before;
}

double test_uniform(double low, double high) {
    return low + (high - low) * ((double)(test_random() >> 11) * 0x1p-53);
}

int64_t test_between(int64_t low, int64_t high) {
    return low + (int64_t)(test_random() % (uint64_t)(high - low + 1));
}

bool test_verbose(void) { return state.verbose; }

bool test_starving(void) { return state.oom; }

static bool is_quick(void) {
    const char *quick = getenv("TY_TEST_QUICK");
    return quick && *quick == '1';
}

int test_some(int all, int quick, int starving) {
    return test_starving() ? starving : is_quick() ? quick : all;
}

/* ---- the machine ------------------------------------------------------------------------------------ */

void test_draw_caches(void) {
    static const int64_t first[] = {0, 1 << 10, 4 << 10, 48 << 10}, times[] = {4, 16, 64},
                         ways[] = {1, 8, 16};
    int64_t bytes = first[test_between(0, 3)], second = bytes * times[test_between(0, 2)];
    level_force(LEVEL_FIRST, bytes);
    level_force(LEVEL_SECOND, second);
    level_force(LEVEL_SECOND_WAY, second / ways[test_between(0, 2)]);
    cache_force(test_between(0, 2) ? 0 : 1); /* 1: even small arrays exceed the last cache */
    core_force((int)test_between(-1, CORES - 1));
    ty_trim(); /* prepared kernels of other cache sizes would be found again */
}

void test_draw_tiles(void) {
    static const int64_t tiles[] = {64, 64, 128, 192, 0}, parts[] = {1 << 12, 1 << 10, 1 << 7, 1},
                         pieces[] = {1, 7, 64, 300, 0};
    cpu_force(tiles[test_between(0, 4)], parts[test_between(0, 3)]);
    piece_force(pieces[test_between(0, 4)]);
    ty_trim();
}

/* ---- one attempt ------------------------------------------------------------------------------------ */

/* The jump of a failed check may have left a callback of the test, and with it a fence. */
static bool survives(void (*run)(void)) {
    int depth = scope_depth();
    if (setjmp(state.back)) {
        scope_fences_gone();
        return false;
    }
    run();
    CHECK(scope_depth() == depth, "%d scopes were open before the test and %d after it", depth,
          scope_depth());
    return true;
}

/* Free the test's tensors and restore the settings of process and thread, which a failed allocation may have left. */
static void restore(void) {
    release_down_to(0);
    ty_sync(NULL, NULL); /* kernels in the queue of `far` hold memory */
    test_use_engine("cpu");
    ty_allow_unused(false);
    ty_set_history(true);
    ty_set_print_options((ty_print_options){0});
    ty_set_workspace(0);
    ty_set_cache(-1);
    ty_set_threads(0);
    isa_force(isa_best());
    cache_force(0);
    core_force(-1);
    cpu_force(0, 0);
    piece_force(0);
    boxes_force(0);
    for (int level = 0; level < LEVELS; level++) level_force((enum level)level, 0);
}

/* Return true if the test failed because it needs a library that this build lacks (TEST_WITHOUT), or a second thread or
   process, which WebAssembly lacks. */
static bool is_left_out(void) {
#ifdef __EMSCRIPTEN__
    if (strstr(state.sentence, ": no thread ") || strstr(state.sentence, ": no process ")) return true;
#endif
#ifdef TEST_WITHOUT
    return strstr(state.sentence, "this build is without") != NULL;
#else
    return false;
#endif
}

/* Run the test so that opencl:0 prepares its kernels, if the test runs there.  Faults show in the attempt. */
static void gather(const struct test_case *test) {
    if (!test_stand_in("opencl") || state.oom) return;
    state.random = 1;
    ty_scope *scope = ty_open();
    stand_in_gather(true);
    test_use_engine("cpu");
    (void)survives(test->run);
    int n = stand_in_gather(false);
    if (test_verbose()) printf("%s: %d kernels\n", test->name, n);
    ty_close(scope);
    restore();
    ty_trim();
}

/* Run a test with allocation k failing (0: none). True if it passed without a leak; *starved: an
   allocation did fail. */
static bool attempt(const struct test_case *test, int64_t k, bool *starved) {
    ty_trim();
    test_use_engine("cpu"); /* opens the device of `far` */
    int64_t live = mem_live();
    gather(test);
    int64_t unread = remote_unread();
    state.random = 1;
    state.hard = false;
    state.explain = NULL;
    *state.explanation = 0;
    ty_scope *scope = ty_open();
    starve_others(state.oom);
    mem_fail_at(k);
    test_use_engine("cpu");
    bool well = survives(test->run);
    *starved = mem_failed();
    mem_fail_at(0);
    starve_others(false);
    ty_close(scope);
    restore();
    gather_drop();
    ty_trim();
    if (!well && is_left_out()) {
        fprintf(stderr, "%s: left out: %s\n", test->name, state.sentence);
    } else if (!well && (state.hard || !*starved)) {
        fprintf(stderr, "%s\n%s", state.sentence, state.explanation);
        return false;
    }
    if (remote_unread() != unread) {
        fprintf(stderr, "%s: code took elements without asking if they could be fetched (tensor_data)\n",
                test->name);
        return false;
    }
    if (mem_live() != live)
        fprintf(stderr, "%s: %lld blocks of memory are left\n", test->name, (long long)(mem_live() - live));
    return mem_live() == live;
}

/* Seconds of the processor: a busy machine fails as many allocations as an idle one. */
static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- failing allocations ------------------------------------------------------------------------------ */

static bool starve_at(const struct test_case *test, int64_t k, bool *starved) {
    bool well = attempt(test, k, starved);
    state.starved++;
    if (!well)
        fprintf(stderr, "%s: with allocation %lld failing (TY_TEST_OOM=%lld repeats it)\n", test->name,
                (long long)k, (long long)k);
    return well;
}

/* Return the number of allocations to fail in one of n tests, each attempt of which takes seconds_each; a
   quarter of it with TY_TEST_QUICK. */
static int64_t samples_of(double seconds_each, int n) {
    const char *asked = getenv("TY_TEST_SECONDS");
    double most_each =
        n * SECONDS_A_TEST > SECONDS_A_PROGRAM ? (double)SECONDS_A_PROGRAM / n : SECONDS_A_TEST;
    double affordable = (asked ? atof(asked) : most_each) / (seconds_each + 1e-6) / (is_quick() ? 4 : 1);
    int64_t most = asked ? MOST_SAMPLES : SAMPLES;
    return affordable < LEAST_SAMPLES ? LEAST_SAMPLES : affordable > most ? most : (int64_t)affordable;
}

/* The order in which allocations 1 to n fail: the first MOST_SINGLES one by one, and between them others that
   spread evenly over all (the van der Corput sequence).  A machine with more time goes further in it, so that
   no machine fails an allocation that a longer sweep left out. */
struct order {
    int64_t n, taken, single, i;
};

/* Return the allocation of the order that fails next; 0 after the last. */
static int64_t order_next(struct order *o) {
    if (o->taken++ % 2 == 0 && o->single < MOST_SINGLES && o->single < o->n) return ++o->single;
    int bits = 1;
    while (o->n >> bits) bits++;
    while (o->i >> bits == 0) {
        int64_t k = 0, i = o->i++;
        for (int b = 0; b < bits; b++) k |= (i >> b & 1) << (bits - 1 - b);
        if (k > MOST_SINGLES && k <= o->n) return k;
    }
    return o->single < MOST_SINGLES && o->single < o->n ? ++o->single : 0;
}

/* Fail `samples_of` allocations, one in each attempt; false if an attempt failed. */
static bool starve(const struct test_case *test) {
    const char *asked = getenv("TY_TEST_OOM");
    bool starved = true;
    if (asked && atoll(asked) > 0) return starve_at(test, atoll(asked), &starved);
    int64_t before = mem_count() + starve_count();
    double start = seconds();
    if (!attempt(test, 0, &starved)) return false;
    int64_t allocations = mem_count() + starve_count() - before,
            samples = samples_of(seconds() - start, state.chosen);
    if (asked && !strcmp(asked, "all")) samples = INT64_MAX;
    struct order order = {.n = allocations};
    for (int64_t k; samples-- > 0 && (k = order_next(&order));)
        if (!starve_at(test, k, &starved)) return false;
    return true;
}

/* ---- main -----------------------------------------------------------------------------------------------
 */

/* Run the test once; true if it passed and recorded the operators of its entry. */
static bool run_once(const struct test_case *test) {
    bool starved;
    char missing[512];
    if (!test->reaches) return attempt(test, 0, &starved);
    reach_begin();
    bool well = attempt(test, 0, &starved);
    reach_end();
    if (!well || !reach_missing(test->reaches, missing, sizeof missing)) return well;
    fprintf(stderr, "%s: its row in the .def file names operators that it never records: %s\n", test->name,
            missing);
    return false;
}

static bool run_case(const struct test_case *test) {
    bool elsewhere = test->home && (test_stand_in("far") || test_stand_in("opencl"));
    bool left_out = elsewhere || runner_leaves_out(test->name);
    if (left_out) printf("left out: %s tests what only another system does\n", test->name);
    bool well = left_out || (state.oom ? starve(test) : run_once(test));
    state.passed += well;
    return well;
}

int test_main(int argc, char **argv, int n, const struct test_case *cases) {
    const char *part = "";
    ty_allocator allocator = counting_allocator();
    if (getenv("TY_TEST_ALLOCATOR") && !ty_set_allocator(&allocator, NULL)) return 1;
    mem_watch();
#ifdef TEST_SANITIZE
    /* drivers of OpenCL leak, and install signal stacks that end AddressSanitizer */
    setenv("OCL_ICD_VENDORS", "/nonexistent", 0);
#endif
    if (stand_in_lacks_device()) return 0;
#if defined(__GLIBC__)
    (void)mallopt(M_TRIM_THRESHOLD, INT_MAX);
    (void)mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the largest: blocks below it are reused, not new pages */
#endif
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--oom"))
            state.oom = true;
        else if (!strcmp(argv[i], "-v"))
            state.verbose = true;
        else
            part = argv[i];
    }
    state.oom |= getenv("TY_TEST_OOM") != NULL;
    struct test_case *chosen = calloc((size_t)n + 1, sizeof *chosen);
    if (!chosen) return 1;
    int count = 0;
    for (int i = 0; i < n; i++)
        if (strstr(cases[i].name, part)) chosen[count++] = cases[i];
    state.chosen = count;
    const char *name = strrchr(argv[0], '/');
    bool well = runner_run(name ? name + 1 : argv[0], count, chosen, run_case);
    free(chosen);
    if (state.oom) printf("failing allocations: %lld\n", (long long)state.starved);
    printf("%d passed, %d failed\n", state.passed, count - state.passed);
    if (counting_faults()) fprintf(stderr, "%lld blocks came back wrong\n", (long long)counting_faults());
    return !well || counting_faults();
}
