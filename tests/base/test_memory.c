/* Data blocks: aligned, recycled by class, bounded, returned to the system; a warm call touches no fresh
   page. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "base/alloc.h"
#include "base/fill.h"
#include "base/machine/machine.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"

static void aligned_and_apart(void) {
    enum { BLOCKS = 200 };
    unsigned char *blocks[BLOCKS];
    size_t sizes[BLOCKS];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < BLOCKS; i++) {
            sizes[i] = (size_t)test_between(0, 1 << test_between(0, 18));
            blocks[i] = mem_data_alloc(sizes[i]);
            if (!blocks[i]) continue;
            CHECK((uintptr_t)blocks[i] % 64 == 0, "%zu bytes at %p", sizes[i], (void *)blocks[i]);
            memset(blocks[i], i, sizes[i]);
        }
        for (int i = 0; i < BLOCKS; i++) {
            for (size_t k = 0; blocks[i] && k < sizes[i]; k += 61)
                CHECK(blocks[i][k] == i, "block %d of %zu bytes was written by another", i, sizes[i]);
            mem_data_free(blocks[i], sizes[i]);
        }
    }
}

/* Memory for repeated use begins on a huge page, unless it is small. */
static void near_memory(void) {
    enum { LEAST = 256 << 10, HUGE_PAGE = 2 << 20 };
    for (size_t bytes = LEAST / 2; bytes < 5 * HUGE_PAGE; bytes += 1 + bytes / 3) {
        unsigned char *x = mem_near_alloc(bytes);
        if (!x) continue;
        CHECK((uintptr_t)x % (bytes < LEAST ? 64 : HUGE_PAGE) == 0, "%zu bytes at %p", bytes, (void *)x);
        memset(x, 1, bytes);
        mem_near_free(x, bytes);
        unsigned char *y = mem_near_alloc(bytes);
        CHECK(x == y || test_starving(), "%zu bytes were not recycled", bytes);
        mem_near_free(y, bytes);
        ty_trim();
    }
    CHECK(!mem_near_alloc(SIZE_MAX) && !mem_near_alloc(SIZE_MAX / 2), "absurd sizes are refused");
}

/* Freed data is overwritten, so a later read sees other values; pages far behind stay untouched. */
static void freed_is_overwritten(void) {
    enum { OVERWRITTEN = 1 << 20, LINK = 64 /* where a block that is kept names the next one */ };
    for (size_t bytes = 1000; bytes < (size_t)6 << 20; bytes += bytes / 2) {
        unsigned char *x = mem_data_alloc(bytes);
        if (!x) continue;
        memset(x, 1, bytes);
        mem_data_free(x, bytes);
        unsigned char *y = mem_data_alloc(bytes);
        size_t old = 0, end = bytes < OVERWRITTEN ? bytes : OVERWRITTEN;
        for (size_t i = LINK; y && i < end; i++) old += y[i] == 1;
        CHECK(old == 0, "%zu of %zu bytes are as before they were given back", old, bytes);
        mem_data_free(y, bytes);
    }
    ty_trim();
}

/* Blocks near the size of a huge page begin on one, too, as do larger blocks. */
static void whole_pages(void) {
    enum { HUGE_PAGE = 2 << 20 };
    for (size_t bytes = HUGE_PAGE - HUGE_PAGE / 9; bytes < 9 * (size_t)HUGE_PAGE; bytes += bytes / 5) {
        char *x = mem_data_alloc(bytes);
        CHECK((uintptr_t)x % HUGE_PAGE == 0, "%zu bytes at %p", bytes, (void *)x);
        mem_data_free(x, bytes);
    }
    ty_trim();
}

/* The next request of a class gets the block freed last; a request never gets less than its size. */
static void classes(void) {
    for (size_t bytes = 1; bytes < (size_t)1 << 28; bytes += 1 + bytes / 7) {
        char *x = mem_data_alloc(bytes);
        mem_data_free(x, bytes);
        char *y = mem_data_alloc(bytes);
        mem_data_free(y, bytes);
        CHECK(x == y || test_starving(), "%zu bytes were not recycled", bytes);
        size_t more = bytes + bytes / 8 + 65; /* rounding to huge pages may save up to an eighth */
        char *z = mem_data_alloc(more);
        bool splits = more >= 1 << 20; /* free memory splits and merges from this size on */
        CHECK(z != y || !z || splits || test_starving(), "%zu bytes were given for more", bytes);
        mem_data_free(z, more);
        if (bytes > 1 << 22) ty_trim();
    }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static long faults(void) {
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return use.ru_minflt;
}

/* A warm call touches no fresh page, for sizes from one element to 64 MiB. */
static void warm_calls_touch_no_fresh_page(void) {
    if (test_starving()) return;
    for (int64_t n = 1; n <= 1 << 24; n *= 8) {
        ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(n));
        long before = 0;
        for (int i = 0; i < 6; i++) {
            if (i == 3) before = faults();
            ty_scope *scope = ty_open();
            ty_add(ty_mul(x, x), ty_num(1));
            ty_close(scope);
        }
        long made = faults() - before;
        CHECK(made < 4, "%ld page faults in three warm calls on %lld elements", made, (long long)n);
    }
}
#else
static void warm_calls_touch_no_fresh_page(void) {}
#endif

static void *churn(void *seed) {
    char *held[16] = {0};
    size_t sizes[16];
    unsigned state = (unsigned)(uintptr_t)seed, bad = 0;
    for (int i = 0; i < 3000; i++) {
        state = state * 1664525 + 1013904223;
        int k = (int)(state >> 28);
        if (held[k]) {
            bad += held[k][0] != (char)k || held[k][sizes[k] - 1] != (char)k;
            mem_data_free(held[k], sizes[k]);
        }
        sizes[k] = 1 + (state >> 8) % 5000;
        held[k] = mem_data_alloc(sizes[k]);
        if (held[k]) memset(held[k], k, sizes[k]);
    }
    for (int k = 0; k < 16; k++) mem_data_free(held[k], held[k] ? sizes[k] : 0);
    return (void *)(uintptr_t)bad;
}

static void many_threads(void) {
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++)
        CHECK(!pthread_create(&threads[i], NULL, churn, (void *)(i + 1)), "no thread");
    for (int i = 0; i < 4; i++) {
        void *bad;
        pthread_join(threads[i], &bad);
        CHECK(!bad, "thread %d's blocks were written by another", i);
    }
}

static void fills(void) {
    static char room[(1 << 20) + 64];
    for (size_t size = 1; size <= 16; size *= 2)
        for (size_t bytes = size; bytes <= (size_t)1 << 20; bytes = bytes * 5 / size / 2 * size + size) {
            memset(room, 0, sizeof room);
            for (size_t k = 0; k < size; k++) room[k] = (char)(k + 1);
            fill_memory(room, size, bytes);
            for (size_t k = 0; k < bytes; k++)
                CHECK(room[k] == (char)(k % size + 1), "byte %zu of %zu", k, bytes);
            CHECK(room[bytes] == 0, "beyond %zu bytes", bytes);
        }
}

/* Cache sizes are read from the kernel's files, one level at a time; NULL: no such file. */
static void caches_told(void) {
    static const struct {
        const char *name, *level[4], *type[4], *size[4];
        size_t second, last;
    } cases[] = {
        {"nothing", {NULL}, {NULL}, {NULL}, 0, 0},
        {"three levels",
         {"1\n", "1\n", "2\n", "3\n"},
         {"Data\n", "Instruction\n", "Unified\n", "Unified\n"},
         {"32K\n", "32K\n", "512K\n", "32768K\n"},
         512 << 10,
         32 << 20},
        {"instructions last", {"2", "1"}, {"Unified", "Instruction"}, {"1M", "64K"}, 1 << 20, 1 << 20},
        {"no size of the last", {"1", "2"}, {"Data", "Unified"}, {"48K", NULL}, 0, 48 << 10},
        {"no number", {"1", "2"}, {"Data", "Unified"}, {"48K", "much"}, 0, 48 << 10},
        {"too large a number", {"1"}, {"Data"}, {"12345678901234567890G"}, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *folder = scratch_folder();
        for (int k = 0; k < 4 && cases[i].level[k]; k++) {
            char name[32];
            const char *const names[] = {"level", "type", "size", "ways_of_associativity"};
            const char *const texts[] = {cases[i].level[k], cases[i].type[k], cases[i].size[k], "8\n"};
            snprintf(name, sizeof name, "index%d", k);
            CHECK(!mkdir(scratch_path(folder, name), 0700), "no folder %s", name);
            for (int f = 0; f < 4; f++) {
                snprintf(name, sizeof name, "index%d/%s", k, names[f]);
                if (texts[f]) write_file(scratch_path(folder, name), texts[f], strlen(texts[f]));
            }
        }
        size_t second = machine_cache_told(folder, MACHINE_SECOND),
               way = machine_cache_told(folder, MACHINE_SECOND_WAY),
               last = machine_cache_told(folder, MACHINE_LAST);
        CHECK(second == cases[i].second && last == cases[i].last, "%s: %zu and %zu bytes", cases[i].name,
              second, last);
        CHECK(way == second / 8, "%s: ways of %zu bytes", cases[i].name, way);
    }
}

TESTS_MAIN(TEST(aligned_and_apart), TEST(near_memory), TEST(freed_is_overwritten), TEST(whole_pages),
           TEST(classes), TEST(warm_calls_touch_no_fresh_page), TEST(many_threads), TEST(fills),
           TEST(caches_told))
