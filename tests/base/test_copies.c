/*
 * Several copies of the library in one process do not disturb each other: two of the shared library besides the one of
 * this program, one of them in a namespace of its own where the loader can.  All compute at once, are unloaded while
 * others compute, and fork.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/support/child.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"

/* Functions of one copy. */
struct copy {
    void *library;
    ty_scope *(*open)(void);
    void (*close)(ty_scope *scope);
    ty_tensor *(*arange)(ty_dtype dtype, double start, double stop, double step);
    ty_tensor *(*reshape)(ty_tensor *x, int rank, const int64_t *shape);
    ty_tensor *(*matmul)(ty_tensor *x, ty_tensor *y);
    ty_tensor *(*sin)(ty_tensor *x);
    ty_tensor *(*lazy)(ty_tensor *x);
    ty_tensor *(*eval)(ty_tensor *x);
    const void *(*data)(ty_tensor *x);
    bool (*ok)(const ty_tensor *x);
    void (*set_threads)(int n);
    int (*threads)(void);
    size_t (*trim)(void);
};

static bool find(struct copy *c) {
    const struct {
        const char *name;
        void *at;
    } names[] = {{"ty_open", &c->open},
                 {"ty_close", &c->close},
                 {"ty_arange", &c->arange},
                 {"ty_reshape", &c->reshape},
                 {"ty_matmul", &c->matmul},
                 {"ty_sin", &c->sin},
                 {"ty_lazy", &c->lazy},
                 {"ty_eval", &c->eval},
                 {"ty_data", &c->data},
                 {"ty_ok", &c->ok},
                 {"ty_set_threads", &c->set_threads},
                 {"ty_threads", &c->threads},
                 {"ty_trim", &c->trim}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *symbol = dlsym(c->library, names[i].name);
        if (!symbol) return false;
        memcpy(names[i].at, &symbol, sizeof symbol);
    }
    return true;
}

/* Copy the library to a file of this name, since the loader loads a file once. */
static const char *copy_library(const char *name) {
    size_t n;
    const char *path = scratch_path(scratch_folder(), name);
    uint8_t *bytes = read_file(LIBRARY, &n);
    write_file(path, bytes, n);
    return path;
}

static struct copy load(const char *path) {
    struct copy c = {.library = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    CHECK(c.library && find(&c), "%s: %s", path, c.library ? "a function is missing" : dlerror());
    return c;
}

static struct copy own(void) {
    return (struct copy){NULL,    ty_open, ty_close, ty_arange, ty_reshape,     ty_matmul,  ty_sin,
                         ty_lazy, ty_eval, ty_data,  ty_ok,     ty_set_threads, ty_threads, ty_trim};
}

/* ThreadSanitizer's atexit calls functions at the end of the process only, and not by dlclose: workers would stay. */
#ifdef __SANITIZE_THREAD__
enum { UNLOADS = false };
#else
enum { UNLOADS = true };
#endif
static bool unload(const struct copy *c) { return !UNLOADS || !dlclose(c->library); }

enum { SIDE = 200 };
/* Compute with workers, machine code and compiled programs; return a hash of the bits, 0 on failure. */
static uint64_t compute(const struct copy *c) {
    ty_scope *scope = c->open();
    uint64_t hash = 0;
    ty_tensor *x = c->reshape(c->arange(TY_F32, 0, SIDE * SIDE, 1), 2, (int64_t[]){SIDE, SIDE});
    ty_tensor *y = c->eval(c->matmul(c->lazy(c->sin(x)), c->matmul(c->sin(x), c->sin(x))));
    if (c->ok(y)) {
        const uint8_t *bytes = c->data(y);
        hash = 14695981039346656037u;
        for (size_t i = 0; i < SIDE * SIDE * sizeof(float); i++) hash = (hash ^ bytes[i]) * 1099511628211u;
    }
    c->close(scope);
    return hash;
}

struct user {
    const struct copy *copy;
    uint64_t expected;
    int rounds;
    atomic_bool *stop;
    atomic_int wrong, done;
};
static void *use(void *context) {
    struct user *u = context;
    for (int i = 0; i < u->rounds && !(u->stop && atomic_load(u->stop)); i++) {
        if (compute(u->copy) != u->expected) atomic_fetch_add(&u->wrong, 1);
        atomic_fetch_add(&u->done, 1);
    }
    return NULL;
}

/* Two threads of each copy compute at once. */
static void compute_at_once(int n, const struct copy *copies) {
    struct user users[6];
    pthread_t threads[6];
    uint64_t expected = compute(&copies[0]);
    for (int i = 0; i < 2 * n; i++) {
        users[i] = (struct user){&copies[i % n], expected, 15, NULL, 0, 0};
        CHECK(!pthread_create(&threads[i], NULL, use, &users[i]), "no thread");
    }
    for (int i = 0; i < 2 * n; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 2 * n; i++)
        CHECK(!users[i].wrong, "copy %d: %d of %d results differ", i % n, users[i].wrong, users[i].done);
    CHECK(expected, "the first result failed");
}

static void at_once(void) {
    if (test_starving()) return;
    struct copy copies[] = {own(), load(copy_library("liba.so")), load(copy_library("libb.so"))};
    CHECK(copies[1].open != copies[2].open && copies[1].open != copies[0].open, "the copies are one");
    for (int i = 0; i < 3; i++) copies[i].set_threads(2 + i);
    for (int i = 0; i < 3; i++)
        CHECK(copies[i].threads() == 2 + i, "copy %d has %d threads", i, copies[i].threads());
    compute_at_once(3, copies);
    CHECK(unload(&copies[1]) && unload(&copies[2]), "dlclose");
}

/* One copy is loaded and unloaded again and again while another computes. */
static void unloaded_meanwhile(void) {
    if (test_starving() || !UNLOADS) return;
    struct copy mine = own();
    const char *path = copy_library("libc.so");
    atomic_bool stop = false;
    uint64_t expected = compute(&mine);
    struct user u = {&mine, expected, 1 << 30, &stop, 0, 0};
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, use, &u), "no thread");
    int failed = 0;
    for (int i = 0; i < 10; i++) {
        struct copy c = {.library = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
        bool found = c.library && find(&c);
        if (found) c.set_threads(3);
        failed += !found || compute(&c) != expected;
        if (c.library) failed += dlclose(c.library) != 0;
        void *still = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
        failed += still != NULL;
    }
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
    CHECK(!failed, "%d rounds failed", failed);
    CHECK(!u.wrong && u.done, "%d of %d results are wrong", u.wrong, u.done);
}

/* Affinity, modes and signals of the caller's thread stay as they were. */
static void callers_thread(void) {
    if (test_starving()) return;
    struct copy copies[] = {own(), load(copy_library("libd.so"))};
    cpu_set_t before, after;
    sched_getaffinity(0, sizeof before, &before);
    fesetround(FE_UPWARD);
    for (int i = 0; i < 10; i++) compute(&copies[i % 2]);
    int round = fegetround();
    fesetround(FE_TONEAREST);
    sched_getaffinity(0, sizeof after, &after);
    CHECK(round == FE_UPWARD, "the rounding mode is %d", round);
    CHECK(CPU_EQUAL(&before, &after), "the affinity of the caller has changed");
    CHECK(unload(&copies[1]), "dlclose");
}

#if !defined(__SANITIZE_ADDRESS__) &&                                                                        \
    !defined(__SANITIZE_THREAD__) /* GCC 12's hold locks of malloc across a fork */
/* Forks while both copies compute; the child uses both. */
static void forks(void) {
    if (test_starving()) return;
    struct copy copies[] = {own(), load(copy_library("libe.so"))};
    atomic_bool stop = false;
    uint64_t expected = compute(&copies[0]);
    struct user users[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        users[i] = (struct user){&copies[i], expected, 1 << 30, &stop, 0, 0};
        CHECK(!pthread_create(&threads[i], NULL, use, &users[i]), "no thread");
    }
    int bad = 0;
    for (int i = 0; i < 5; i++) {
        pid_t id = fork();
        if (!id) _exit(compute(&copies[0]) != expected || compute(&copies[1]) != expected);
        bad += child_status(id) != 0;
    }
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    CHECK(!bad, "%d children failed", bad);
    CHECK(!users[0].wrong && !users[1].wrong, "results are wrong");
    CHECK(unload(&copies[1]), "dlclose");
}
#else
static void forks(void) {}
#endif

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* A namespace has a C library of its own. Its threads are those of the process, so they compute in a child process,
   whose end does not depend on the loader. */
static void namespaces(void) {
    if (test_starving()) return;
    const char *path = copy_library("libf.so");
    struct copy mine = own();
    uint64_t expected = compute(&mine);
    fflush(NULL);
    pid_t id = fork();
    if (!id) {
        struct copy c = {.library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW | RTLD_LOCAL)};
        if (!c.library || !find(&c)) _exit(2); /* the loader cannot */
        c.set_threads(2);
        _exit(compute(&c) != expected || compute(&mine) != expected);
    }
    int status = child_status(id);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) != 1, "the child ended with %d", status);
    if (WEXITSTATUS(status) == 2 && test_verbose()) fprintf(stderr, "dlmopen cannot load the library\n");
}
#else
static void namespaces(void) {}
#endif

TESTS_MAIN(TEST(at_once), TEST(unloaded_meanwhile), TEST(callers_thread), TEST(forks), TEST(namespaces))
