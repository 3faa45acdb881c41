/* Freed memory that is kept for reuse: its bounds, its age, settings of contexts and of the environment. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/cache.h>
#include "base/alloc.h"
#include "base/memory/blocks.h"
#include "base/machine/machine.h"
#include "tests/support/harness.h"
#include "tests/support/ragged.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

enum { MIB = 1 << 20, SLACK = 64000000, AGE = 11 /* seconds: more than two windows */ };

static void end_setting(void *nothing) {
    (void)nothing;
    ty_context_use(NULL);
    ty_set_cache(-1);
    ty_trim();
}
/* Begin with an empty pool and without a recent peak; the end of the test restores the default. */
static void begin(void) {
    static int nothing;
    test_own(&nothing, end_setting);
    ty_set_cache(-1);
    ty_trim();
    blocks_peak_begin();
}

static ty_memory_state now(void) {
    ty_memory_state memory;
    ty_memory_now(&memory);
    return memory;
}

/* Allocate and free `bytes` bytes; false without memory. */
static bool pass(size_t bytes) {
    void *x = mem_data_alloc(bytes);
    mem_data_free(x, bytes);
    return x;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* ---- the automatic bound ---- */

/* Batches of ever new sizes take little more memory than the largest batch over and over. */
static void ragged(void) {
    begin();
    CHECK(!ragged_steps(3, RAGGED_MOST, RAGGED_MOST) || test_starving(), "steps of a fixed size fail");
    int64_t fixed = now().recent;
    ty_trim();
    blocks_peak_begin();
    int failed = ragged_steps(test_starving() ? 10 : 300, RAGGED_LEAST, RAGGED_MOST);
    if (failed) return CHECK(test_starving(), "step %d fails", failed);
    if (test_verbose())
        printf("%lld bytes for a fixed size, %lld for ragged ones\n", (long long)fixed,
               (long long)now().peak);
    int64_t peak = now().peak;
    CHECK(peak <= fixed + SLACK, "%lld bytes for ragged sizes, %lld for a fixed one", (long long)peak,
          (long long)fixed);
    CHECK(peak <= 130000000, "%lld bytes", (long long)peak);
}

/* At any time live and kept blocks take at most the peak of the live ones and the larger of 64 MiB and a quarter. */
static void held(void) {
    enum { SLOTS = 24, MOST = 24 * MIB };
    void *x[SLOTS] = {0};
    size_t bytes[SLOTS] = {0}, peak = 0;
    begin();
    size_t most = machine_memory() / 8;
    for (int i = 0; i < 2000; i++) {
        int k = test_between(0, SLOTS - 1);
        mem_data_free(x[k], bytes[k]);
        bytes[k] = x[k] ? 0 : (size_t)test_between(1, MOST);
        x[k] = bytes[k] ? mem_data_alloc(bytes[k]) : NULL;
        struct blocks_state s = blocks_state();
        peak = larger(peak, s.live);
        CHECK(s.live + s.kept <= peak + larger(SLACK, peak / 4), "live %zu, kept %zu, peak %zu", s.live,
              s.kept, peak);
        CHECK(s.kept <= s.most && s.most <= most, "kept %zu of %zu", s.kept, s.most);
    }
    for (int k = 0; k < SLOTS; k++) mem_data_free(x[k], bytes[k]);
}

/* Blocks of a large computation go back with time; without time they serve the next one. */
static void aged(void) {
    enum { LARGE = 200 * MIB };
    begin();
    if (machine_memory() / 8 < LARGE || !pass(LARGE)) return;
    CHECK(now().kept >= LARGE, "%lld bytes are kept of a peak just now", (long long)now().kept);
    blocks_pass(AGE);
    CHECK(pass(1000) || test_starving(), "no memory");
    CHECK(now().kept < MIB, "%lld bytes are kept for long", (long long)now().kept);
    CHECK(now().recent < MIB, "%lld bytes are a recent peak", (long long)now().recent);
    CHECK(ty_cache() <= SLACK + MIB, "%lld bytes may be kept", (long long)ty_cache());
}

/* Memory in use is not freed by its age, and blocks that are used again do not age. */
static void used(void) {
    begin();
    for (int i = 0; i < 6; i++) {
        char *x = mem_data_alloc(8 * MIB);
        if (!x) return;
        memset(x, i, 8 * MIB);
        blocks_pass(AGE / 2);
        CHECK(pass(1 * MIB) || test_starving(), "no memory");
        CHECK(x[0] == i && x[8 * MIB - 1] == i, "a live block was freed");
        mem_data_free(x, 8 * MIB);
        CHECK(now().kept >= 8 * MIB || test_starving(), "%lld bytes are kept", (long long)now().kept);
    }
}

/* A loop over the same sizes asks the system for nothing, however large it is beside the live blocks. */
static void steady(void) {
    enum { BLOCKS = 5, LARGE = 30 * MIB };
    void *x[BLOCKS], *first[BLOCKS];
    begin();
    if (machine_memory() / 8 < 2 * (size_t)BLOCKS * LARGE) return;
    for (int i = 0; i < 3; i++) {
        size_t found = 0;
        for (int k = 0; k < BLOCKS; k++) x[k] = mem_data_alloc(LARGE);
        for (int k = 0; k < BLOCKS; k++)
            for (int j = 0; j < BLOCKS; j++) found += i && x[k] == first[j];
        memcpy(first, x, sizeof x);
        for (int k = 0; k < BLOCKS; k++) mem_data_free(x[k], LARGE);
        CHECK(!i || found == BLOCKS || test_starving(), "%zu of %d blocks are recycled", found, BLOCKS);
    }
}

/* ---- settings ---- */

static void set(void) {
    static const int64_t sizes[] = {0, 1, MIB, 10 * MIB};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        begin();
        ty_set_cache(sizes[i]);
        CHECK(ty_cache() == sizes[i], "%lld bytes are set, %lld are told", (long long)sizes[i],
              (long long)ty_cache());
        for (int k = 0; k < 200; k++) {
            pass((size_t)test_between(1, 4 * MIB));
            CHECK(now().kept <= sizes[i], "%lld bytes are kept of %lld", (long long)now().kept,
                  (long long)sizes[i]);
        }
    }
}

/* A smaller bound frees kept blocks at once. */
static void lowered(void) {
    begin();
    pass(3 * MIB);
    pass(5 * MIB);
    CHECK(now().kept >= 8 * MIB || test_starving(), "%lld bytes are kept", (long long)now().kept);
    ty_set_cache(6 * MIB);
    CHECK(now().kept <= 6 * MIB && (now().kept >= 5 * MIB || test_starving()), "%lld bytes are kept",
          (long long)now().kept);
    ty_set_cache(0);
    CHECK(now().kept == 0, "%lld bytes are kept", (long long)now().kept);
}

/* Negative numbers restore the default, and huge ones mean an eighth of the machine. */
static void extremes(void) {
    begin();
    int64_t standard = ty_cache(), most = (int64_t)(machine_memory() / 8);
    CHECK(standard <= most, "%lld bytes of %lld", (long long)standard, (long long)most);
    ty_set_cache(5);
    ty_set_cache(-1);
    CHECK(ty_cache() == standard, "-1 is %lld bytes", (long long)ty_cache());
    ty_set_cache(5);
    ty_set_cache(INT64_MIN);
    CHECK(ty_cache() == standard, "the least number is %lld bytes", (long long)ty_cache());
    ty_set_cache(INT64_MAX);
    CHECK(ty_cache() == most, "the greatest number is %lld bytes", (long long)ty_cache());
    ty_set_cache(INT64_MAX - 1);
    CHECK(ty_cache() == most, "the number before it is %lld bytes", (long long)ty_cache());
}

static void end_context(void *a) {
    ty_context_use(NULL);
    ty_context_free(a);
}

/* The bound belongs to the context; blocks of others stay when a context keeps nothing. */
static void contexts(void) {
    begin();
    ty_context *a = ty_context_new((ty_context_options){0});
    test_own(a, end_context);
    if (ty_context_failure(a)) return;
    pass(2 * MIB);
    int64_t kept = now().kept, standard = ty_cache();
    ty_context_use(a);
    CHECK(ty_cache() == standard, "a new context begins with another bound");
    ty_set_cache(5 * MIB);
    ty_context_use(NULL);
    CHECK(ty_cache() == standard, "a bound of one context holds in another");
    ty_context_use(a);
    CHECK(ty_cache() == 5 * MIB, "the bound is lost");
    pass(8 * MIB);
    CHECK(now().kept == kept, "%lld bytes are kept, %lld before", (long long)now().kept, (long long)kept);
}

/* Structs of other sizes are filled as far as they go. */
static void sizes(void) {
    struct {
        ty_memory_state known;
        int64_t more;
    } longer;
    int64_t shorter[2] = {-1, -1};
    begin();
    memset(&longer, 1, sizeof longer);
    ty_memory_now_sized(&longer.known, sizeof longer);
    ty_memory_now_sized((ty_memory_state *)(void *)shorter, sizeof *shorter);
    CHECK(longer.more == 0, "a member that the library lacks is %lld", (long long)longer.more);
    CHECK(shorter[0] == longer.known.live && shorter[1] == -1, "a shorter struct was overrun");
    ty_memory_now_sized(NULL, sizeof longer);
}

/* ---- AddressSanitizer ---- */

#if defined(__SANITIZE_ADDRESS__)
/* Bytes behind a large block and bytes of a freed one are hidden, also if the block is a part of a mapping. */
static void guarded(void) {
    static const size_t sizes[] = {MIB, MIB + 1, 2 * MIB - 64, 2 * MIB, 3 * MIB + 5, 20 * MIB};
    begin();
    for (int i = 0; i < 40; i++) {
        size_t bytes = sizes[test_between(0, 5)], end = (bytes + 63) / 64 * 64;
        char *x = mem_data_alloc(bytes), *y = mem_data_alloc(bytes);
        if (!x || !y) return mem_data_free(x, bytes), mem_data_free(y, bytes);
        CHECK(!__asan_region_is_poisoned(x, end) && !__asan_region_is_poisoned(y, end),
              "%zu bytes are hidden", bytes);
        CHECK(__asan_address_is_poisoned(x + end) && __asan_address_is_poisoned(y + end),
              "an overrun of %zu bytes is not seen", bytes);
        mem_data_free(x, bytes);
        for (size_t k = 4096; k < bytes; k += 4096)
            CHECK(__asan_address_is_poisoned(x + k), "byte %zu of %zu is open after its end", k, bytes);
        CHECK(!__asan_region_is_poisoned(y, end), "a neighbour is hidden");
        mem_data_free(y, bytes);
    }
}
#else
static void guarded(void) {}
#endif

/* ---- threads ---- */

static void *other(void *bytes) {
    for (int i = 0; i < 200; i++) {
        ty_set_cache(i % 3 ? (int64_t)(uintptr_t)bytes * (i % 7) : -1);
        pass((size_t)(uintptr_t)bytes + (size_t)i * 4096);
        if (i % 50 == 0) ty_trim();
    }
    return NULL;
}
static void threads(void) {
    pthread_t ids[3];
    begin();
    int64_t live = now().live;
    for (uintptr_t i = 0; i < 3; i++)
        CHECK(!pthread_create(&ids[i], NULL, other, (void *)((i + 1) * 300000)), "no thread");
    for (int i = 0; i < 3; i++) pthread_join(ids[i], NULL);
    ty_set_cache(0);
    CHECK(now().kept == 0 && now().live == live, "%lld bytes kept, %lld live, %lld before",
          (long long)now().kept, (long long)now().live, (long long)live);
}

TESTS_MAIN(TEST(ragged), TEST(held), TEST(aged), TEST(used), TEST(steady), TEST(set), TEST(lowered),
           TEST(extremes), TEST(contexts), TEST(sizes), TEST(guarded), TEST(threads))
