/* Contexts: settings of each, nesting, freeing in use, threads in different contexts at the same time. */
#include <math.h>
#include <pthread.h>
#include <string.h>
#include "base/alloc.h"
#include "base/context/context.h"
#include "base/threads/parallel.h"
#include "tests/support/harness.h"

static void end_context(void *context) { ty_context_free(context); }
static ty_context *own(ty_context *context) {
    test_own(context, end_context);
    return context;
}
static void leave(void *before) {
    (void)before;
    ty_context_use(NULL);
}

/* Settings belong to the context, and new contexts begin with the options or the defaults. */
static void settings(void) {
    int before = ty_threads();
    ty_context *a = own(ty_context_new((ty_context_options){.threads = 3, .workspace = 12345}));
    ty_context *b = own(ty_context_new((ty_context_options){0}));
    if (ty_context_failure(a) || ty_context_failure(b)) return; /* no memory */
    test_own(a, leave);
    CHECK(!ty_context_now(), "a thread does not begin in the default context");
    CHECK(!ty_context_use(a) && ty_context_now() == a, "ty_context_use does not enter the context");
    CHECK(ty_threads() == 3 || ty_threads() == 1, "3 threads are asked for, %d found", ty_threads());
    CHECK(ty_workspace() == 12345, "12345 bytes are asked for, %lld found", (long long)ty_workspace());
    ty_set_threads(2);
    ty_set_workspace(99);
    CHECK(ty_context_use(b) == a, "ty_context_use does not return the context before");
    CHECK(ty_workspace() == 0, "a setting of one context holds in another");
    ty_context_use(a);
    CHECK(ty_workspace() == 99, "a setting of a context is lost");
    CHECK(ty_context_use(NULL) == a && !ty_context_now(), "NULL is not the default context");
    CHECK(ty_threads() == before && ty_workspace() == 0, "settings of a context hold in the default one");
}

static int precision_now(void) {
    ty_print_options now;
    ty_print_options_now(&now);
    return now.precision;
}

/* A thread begins with the context's engine and print options; what it chooses then holds until the next use. */
static void choices(void) {
    ty_print_options now;
    ty_set_print_options((ty_print_options){.precision = 3, .nan_text = "not a number, at all"});
    ty_context *a = own(ty_context_new((ty_context_options){.engine = "ref"}));
    if (ty_context_failure(a)) return;
    test_own(a, leave);
    ty_set_print_options((ty_print_options){.precision = 5});
    ty_context_use(a);
    CHECK(!strcmp(ty_engine_name(), "ref"), "the engine is %s", ty_engine_name());
    ty_print_options_now(&now);
    CHECK(now.precision == 3, "print options do not come from the context");
    CHECK(!strcmp(now.nan_text, "not a number, a"), "text: %s", now.nan_text);
    CHECK(ty_use_engine("null") && !strcmp(ty_engine_name(), "null"),
          "the thread's own engine does not hold");
    ty_set_print_options((ty_print_options){.precision = 7});
    CHECK(precision_now() == 7, "the thread's own print options do not hold");
    ty_context_use(a);
    CHECK(!strcmp(ty_engine_name(), "ref") && precision_now() == 3, "the context does not hold again");
    ty_context_use(NULL);
    CHECK(!strcmp(ty_engine_name(), "cpu") && precision_now() == 8, "the default does not hold again");
}

/* A context that failed makes all computations in it fail with its reason. */
static void failures(void) {
    ty_context *a = own(ty_context_new((ty_context_options){.engine = "abacus"}));
    CHECK_POISON(ty_context_failure(a), "unknown engine \"abacus\"");
    CHECK(!ty_context_failure(NULL), "the default context has failed");
    test_own(a, leave);
    ty_context_use(a);
    ty_tensor *sum = ty_add(ty_num(1), ty_num(2));
    ty_context_use(NULL);
    CHECK_POISON(sum, "unknown engine \"abacus\"");
    ty_context_free(NULL);
}

/* Options of another size: missing ones are defaults, further ones are not read. */
static void sizes(void) {
    struct {
        ty_context_options known;
        char more[64];
    } longer = {.known = {.threads = 2, .workspace = 77}};
    ty_context *shorter = own(ty_context_new_sized(&longer.known, sizeof longer.known.threads));
    ty_context *grown = own(ty_context_new_sized(&longer.known, sizeof longer));
    ty_context *none = own(ty_context_new_sized(NULL, 0));
    if (ty_context_failure(shorter) || ty_context_failure(grown) || ty_context_failure(none)) return;
    test_own(none, leave);
    ty_context_use(shorter);
    CHECK(ty_workspace() == 0, "a field behind the caller's struct is read");
    ty_context_use(grown);
    CHECK(ty_workspace() == 77, "a field of a longer struct is lost");
    ty_context_use(none);
    CHECK(ty_workspace() == 0, "NULL does not mean the defaults");
}

/* Contexts that their owner frees live while they are used or nested. */
static void freed_in_use(void) {
    ty_context *all[CONTEXT_NEST];
    int64_t before = mem_live();
    for (int i = 0; i < CONTEXT_NEST; i++) {
        all[i] = ty_context_new((ty_context_options){.workspace = 1000 + i});
        ty_context_use(all[i]);
        ty_context_free(all[i]);
    }
    for (int i = CONTEXT_NEST - 1; i >= 0 && !test_starving(); i--) {
        CHECK(ty_context_use(all[i]) == all[i < CONTEXT_NEST - 1 ? i + 1 : i],
              "context %d is not found again", i);
        CHECK(ty_workspace() == 1000 + i, "nested context %d is lost", i);
    }
    ty_context_use(NULL);
    CHECK(mem_live() == before, "%lld contexts leak", (long long)(mem_live() - before));
    for (int i = 0; i < 3 * CONTEXT_NEST; i++) { /* deeper than the references kept */
        ty_context *one = ty_context_new((ty_context_options){0});
        ty_context_use(one);
        ty_context_free(one);
    }
    ty_context_use(NULL);
    CHECK(mem_live() == before, "%lld contexts leak", (long long)(mem_live() - before));
}

/* ---- threads ---- */

struct thread_job {
    ty_context *context;
    ty_tensor *a, *b;
    float *out;
    bool failed;
    int width; /* the least number of threads that a part found */
};

static void find_width(void *context, int64_t begin, int64_t end) {
    struct thread_job *job = context;
    (void)begin, (void)end;
    if (context_now() != job->context) job->width = 0; /* any of several writers */
}

/* Compute in a context that the caller frees meanwhile; the thread ends in it. */
static void *compute(void *context) {
    struct thread_job *job = context;
    ty_context_use(job->context);
    ty_scope *scope = ty_open();
    job->width = 1;
    parallel_for(ty_threads(), 64, 1, find_width, job);
    for (int i = 0; i < 20 && !job->failed; i++) {
        ty_scope *inner = ty_open();
        ty_tensor *y = ty_softmax(ty_matmul(job->a, job->b), 1);
        job->failed = !ty_read(y, TY_F32, job->out);
        ty_close(inner);
    }
    ty_close(scope);
    return NULL;
}

enum { SIDE = 150, THREADS = 4 };

/* Threads in contexts of different numbers of threads and workspaces compute the same bits at the same time. */
static void side_by_side(void) {
    if (test_starving()) return;
    int64_t shape[] = {SIDE, SIDE};
    ty_tensor *key = ty_key(5);
    ty_tensor *a = ty_uniform(TY_F32, 2, shape, key), *b = ty_uniform(TY_F32, 2, shape, ty_key(6));
    struct thread_job jobs[THREADS];
    pthread_t threads[THREADS];
    ty_data(a), ty_data(b);
    for (int i = 0; i < THREADS; i++) {
        ty_context *own_one =
            ty_context_new((ty_context_options){.threads = 1 + i, .workspace = i % 2 ? 4096 : 0});
        jobs[i] = (struct thread_job){own_one, a, b, test_room(sizeof(float) * SIDE * SIDE), false, 1};
        if (!CHECK_OK(a) || pthread_create(&threads[i], NULL, compute, &jobs[i])) return;
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        CHECK(!jobs[i].failed, "thread %d failed", i);
        CHECK(jobs[i].width, "a worker does not compute in the context of its job");
        CHECK(!memcmp(jobs[i].out, jobs[0].out, sizeof(float) * SIDE * SIDE), "thread %d has other bits", i);
        CHECK(atomic_load(&jobs[i].context->refs) == 1, "a thread that ended keeps its context");
        ty_context_free(jobs[i].context);
    }
}

TESTS_MAIN(TEST(settings), TEST(choices), TEST(failures), TEST(sizes), TEST(freed_in_use), TEST(side_by_side))
