/* Parallel loops: each item runs once, each range has its own index. Callers run concurrently, nest, fork,
   and run out of threads. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/machine/cache.h"
#include "base/machine/isa.h"
#include "base/machine/levels.h"
#include "base/threads/parallel.h"
#include "tests/support/child.h"
#include "tests/support/harness.h"

static void add_range(void *context, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) ((char *)context)[i]++;
}

static bool covers_once(int width, int64_t grain) {
    enum { ITEMS = 10007 };
    char *seen = calloc(ITEMS, 1);
    bool well = seen;
    if (seen) parallel_for(width, ITEMS, grain, add_range, seen);
    for (int i = 0; i < ITEMS && well; i++) well = seen[i] == 1;
    free(seen);
    return well;
}

static void items_once(void) {
    for (int width = 1; width <= 8; width++)
        CHECK(covers_once(width, 1 + width * 100), "%d threads do not do every item once", width);
    CHECK(covers_once(300, 1), "300 threads do not do every item once");
    for (int i = 0; i < 3000; i++)
        CHECK(covers_once(1 + i % 5, 1), "round %d leaves items out or does them twice", i);
}

/* After a pause, sleeping workers are woken, or the caller does their part. */
static void after_a_pause(void) {
    for (int i = 0; i < 20; i++) {
        usleep(1000);
        CHECK(covers_once(3, 1), "round %d after a pause", i);
    }
}

struct indices {
    atomic_int most, uses[8];
};

static void check_index(void *context, int64_t begin, int64_t end) {
    struct indices *seen = context;
    int index = parallel_index(), most = atomic_load(&seen->most);
    while (index > most && !atomic_compare_exchange_weak(&seen->most, &most, index)) {
    }
    if (index < 8) atomic_fetch_add(&seen->uses[index], 1);
    (void)begin, (void)end;
}

/* Scratch buffers are chosen by index: within a call no two ranges share one. */
static void indices_differ(void) {
    for (int i = 0; i < 500; i++) {
        struct indices seen = {0};
        parallel_for(4, 100, 1, check_index, &seen);
        for (int k = 0; k < 8; k++) CHECK(seen.uses[k] <= 1, "two ranges had index %d", k);
        CHECK(seen.most < 4, "index %d of 4", seen.most);
    }
    CHECK(parallel_index() == 0, "outside the index is %d", parallel_index());
}

static void nest(void *context, int64_t begin, int64_t end) {
    int outer = parallel_index();
    for (int64_t i = begin; i < end; i++) {
        struct indices seen = {0};
        parallel_for(4, 100, 1, check_index, &seen);
        if (seen.most != 0 || seen.uses[0] != 1 || parallel_index() != outer) *(atomic_bool *)context = false;
    }
}

static void nested_calls_are_serial(void) {
    atomic_bool well = true;
    parallel_for(4, 64, 1, nest, &well);
    CHECK(well, "a call inside a body was not serial or lost its index");
}

static void *call_often(void *failed) {
    for (int i = 0; i < 500; i++)
        if (!covers_once(1 + i % 4, 1)) atomic_store((atomic_bool *)failed, true);
    return NULL;
}

static void callers_meet(void) {
    atomic_bool failed = false;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) CHECK(!pthread_create(&threads[i], NULL, call_often, &failed), "no thread");
    for (int i = 0; i < 200; i++) ty_set_threads(1 + i % 5);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    CHECK(!failed, "callers from several threads disturb each other");
}

static int exit_status(void (*body)(void)) {
    fflush(NULL);
    pid_t id = fork();
    if (id == 0) body();
    return child_status(id);
}

static void child_uses_threads(void) {
#ifdef __SANITIZE_THREAD__
    enum { WIDTH = 1 }; /* ThreadSanitizer allows no new threads in the child of a fork */
#else
    enum { WIDTH = 3 };
#endif
    bool well = true;
    for (int i = 0; i < 20 && well; i++) well = covers_once(WIDTH, 1);
    exit(well ? 0 : 1);
}

static void forks(void) {
    CHECK(covers_once(3, 1), "before the fork");
    for (int i = 0; i < 5; i++) CHECK(exit_status(child_uses_threads) == 0, "the child's threads fail");
    CHECK(covers_once(3, 1), "after the fork");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* Limit address space below the stacks of the threads. */
static void child_without_room(void) {
    struct rlimit little = {64 << 20, 64 << 20};
    setrlimit(RLIMIT_AS, &little);
    _exit(covers_once(200, 1) ? 0 : 1);
}

static void too_few_threads(void) {
    CHECK(exit_status(child_without_room) == 0, "threads that cannot be started are missed");
}
#else
static void too_few_threads(void) {}
#endif

static void bypassing_copies(void) {
    char from[1000], to[1100];
    for (size_t i = 0; i < sizeof from; i++) from[i] = (char)(i * 7 + 1);
    for (size_t shift = 0; shift < 70; shift++) {
        isa_force((enum isa)(shift % ISA_COUNT));
        for (size_t bytes = 0; bytes < 300; bytes += 1 + bytes / 20) {
            memset(to, 0, sizeof to);
            cache_bypass_copy(to + shift, from + 3, bytes);
            cache_fence();
            CHECK(!memcmp(to + shift, from + 3, bytes), "%zu bytes at %zu differ", bytes, shift);
            CHECK((shift == 0 || to[shift - 1] == 0) && to[shift + bytes] == 0,
                  "%zu bytes at %zu: beyond them", bytes, shift);
        }
    }
    CHECK(cache_share() >= 64 << 10 && cache_share() <= 32 << 20, "a cache of %zu bytes", cache_share());
    CHECK(!cache_bypassed(1000), "a thousand bytes go past the caches");
    cache_force(999);
    CHECK(cache_share() == 999, "a forced share");
}

static void levels_of_cache(void) {
    int64_t first = level_bytes(LEVEL_FIRST), second = level_bytes(LEVEL_SECOND),
            way = level_bytes(LEVEL_SECOND_WAY);
    CHECK(first >= 8 << 10 && second >= first && way >= 1 << 10 && second % way == 0,
          "%lld, %lld in ways of %lld", (long long)first, (long long)second, (long long)way);
    for (int level = 0; level < LEVELS; level++) {
        int64_t found = level_bytes((enum level)level);
        level_force((enum level)level, 12345);
        CHECK(level_bytes((enum level)level) == 12345, "level %d is not as forced", level);
        level_force((enum level)level, 0);
        CHECK(level_bytes((enum level)level) == found, "level %d differs when found again", level);
    }
}

/* Copies work for all alignments, including destinations slightly ahead of their sources. */
static void long_copies(void) {
    enum { BYTES = 9000 };
    static char from[BYTES + 200], to[BYTES + 200];
    for (size_t i = 0; i < sizeof from; i++) from[i] = (char)(i * 7 + i / 256 + 1);
    for (size_t shift = 0; shift < 130; shift += 1 + shift / 5)
        for (size_t bytes = 0; bytes <= BYTES; bytes += 1 + bytes / 3) {
            memset(to, 0, sizeof to);
            cache_copy(to + shift, from + 60, bytes);
            CHECK(!memcmp(to + shift, from + 60, bytes), "%zu bytes at %zu differ", bytes, shift);
            CHECK((shift == 0 || to[shift - 1] == 0) && to[shift + bytes] == 0,
                  "%zu bytes at %zu: beyond them", bytes, shift);
        }
}

TESTS_MAIN(TEST(items_once), TEST(after_a_pause), TEST(indices_differ), TEST(nested_calls_are_serial),
           TEST(callers_meet), TEST(forks), TEST(too_few_threads), TEST(bypassing_copies), TEST(long_copies),
           TEST(levels_of_cache))
