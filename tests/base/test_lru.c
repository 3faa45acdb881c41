/* A cache keyed by bytes and bounded by bytes; the least recently used entry is evicted. */
#include "base/lru.h"
#include "tests/support/harness.h"

enum { VALUES = 400 };
static int refs[VALUES];
static void retain(void *value) { ++*(int *)value; }
static void release(void *value) { --*(int *)value; }
LOCK(lock)
static struct lru cache = {.lock = &lock, .retain = retain, .release = release, .most = 100 << 10};

static struct lru_key key_of(const int *n, uint64_t hash) { return (struct lru_key){n, sizeof *n, hash}; }

static enum lru_answer get(int n, uint64_t hash) {
    struct lru_key key = key_of(&n, hash);
    void *value;
    enum lru_answer answer = lru_get(&cache, &key, &value);
    CHECK((answer == LRU_FOUND) == (value == &refs[n]), "%d: another value", n);
    if (value) release(value);
    return answer;
}

static void put(int n, uint64_t hash, bool value, size_t bytes) {
    struct lru_key key = key_of(&n, hash);
    lru_put(&cache, &key, value ? &refs[n] : NULL, bytes);
}

static void end(void *unused) {
    (void)unused;
    lru_clear(&cache);
}

static void finds_by_bytes(void) {
    test_own(&cache, end);
    for (int n = 0; n < 40; n++) put(n, 7, n % 2, 100); /* the same hash for all */
    if (test_starving()) return;
    for (int n = 0; n < 40; n++) CHECK(get(n, 7) == (n % 2 ? LRU_FOUND : LRU_SEEN), "%d", n);
    CHECK(get(41, 7) == LRU_UNKNOWN && get(1, 8) == LRU_UNKNOWN, "what was not put is found");
    put(2, 7, true, 100);
    CHECK(get(2, 7) == LRU_FOUND, "a value that comes later");
    lru_clear(&cache);
    for (int n = 0; n < 40; n++) CHECK(refs[n] == 0, "%d: %d references are left", n, refs[n]);
    CHECK(cache.bytes == 0, "%zu bytes are left", cache.bytes);
}

static void the_oldest_goes(void) {
    test_own(&cache, end);
    for (int n = 0; n < VALUES; n++) {
        put(n, (uint64_t)n * 977, true, 1000);
        get(0, 0); /* keeps entry 0 recently used */
    }
    if (test_starving()) return;
    int left = 0;
    for (int n = 0; n < VALUES; n++) left += refs[n];
    CHECK(left > 80 && left <= 100, "%d are left", left);
    CHECK(refs[0] == 1 && refs[1] == 0 && refs[VALUES - 1] == 1, "others than the oldest went");
    CHECK(cache.bytes <= cache.most, "%zu bytes", cache.bytes);
}

/* An entry larger than the capacity stays until the next one is added. */
static void too_much(void) {
    test_own(&cache, end);
    put(1, 1, true, 10), put(2, 2, true, 1 << 20);
    if (test_starving()) return;
    CHECK(get(1, 1) == LRU_UNKNOWN && get(2, 2) == LRU_FOUND, "the newest did not stay");
    put(3, 3, true, 10);
    CHECK(get(2, 2) == LRU_UNKNOWN && get(3, 3) == LRU_FOUND, "what is too much stayed");
}

/* ---- parts that values share ---- */

enum { OWN = 1000, PART = 60 << 10, GROUP = 5 };

/* Values 0 .. GROUP-1 have one part in common, GROUP .. 2 GROUP-1 another one, and so on; each names it twice. */
static void parts(const void *value, lru_each each, void *context) {
    const int *group = refs + ((const int *)value - refs) / GROUP * GROUP;
    each(context, group, PART);
    each(context, group, PART);
}

static void shared_parts_count_once(void) {
    test_own(&cache, end);
    cache.parts = parts;
    for (int n = 0; n < GROUP; n++) put(n, (uint64_t)n, true, OWN + 2 * PART);
    if (!test_starving()) {
        for (int n = 0; n < GROUP; n++) CHECK(get(n, (uint64_t)n) == LRU_FOUND, "%d is gone", n);
        lock_take(&lock);
        size_t bytes = lru_bytes(&cache);
        lock_give(&lock);
        CHECK(bytes > PART && bytes < PART + 2 * GROUP * OWN, "%zu bytes", bytes);
        put(GROUP, GROUP, true, OWN + 2 * PART); /* another part: the first ones must go, all of them */
        CHECK(get(GROUP, GROUP) == LRU_FOUND, "the newest is gone");
        for (int n = 0; n < GROUP; n++) CHECK(refs[n] == 0, "%d is left, and its part with it", n);
    }
    lru_clear(&cache);
    cache.parts = NULL;
}

TESTS_MAIN(TEST(finds_by_bytes), TEST(the_oldest_goes), TEST(too_much), TEST(shared_parts_count_once))
