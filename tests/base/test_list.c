/* Growable arrays: every type of capacity, doubling, bounds, and lists that failed allocations leave unchanged. */
#include "base/alloc.h"
#include "base/list.h"
#include "tests/support/harness.h"

enum { MANY = 5000 };

/* Items of 1, 8, 128 and 200 bytes with counts of each type that owners use. */
static void appends(void) {
    struct wide {
        int64_t words[25];
    } *wide = NULL;
    struct page {
        int64_t words[16];
    } *pages = NULL; /* eight fill a first allocation */
    int64_t *numbers = NULL, count = 0, capacity = 0;
    char *bytes = NULL;
    size_t nbytes = 0, byte_room = 0;
    int nwide = 0, wide_room = 0, npages = 0, page_room = 0, moves = 0;
    for (int i = 0; i < MANY; i++) {
        int64_t before = capacity;
        bool fits = list_append(numbers, count, capacity, 3 * (int64_t)i) &&
                    list_append(bytes, nbytes, byte_room, (char)(i % 100)) &&
                    list_append(pages, npages, page_room, (struct page){{0, i}}) &&
                    list_append(wide, nwide, wide_room, (struct wide){{i, -i}});
        if (!fits) break;
        moves += capacity != before;
        CHECK(capacity == before || capacity >= 2 * before, "from %lld to %lld", (long long)before,
              (long long)capacity);
    }
    if (!test_starving()) CHECK(count == MANY && nbytes == MANY && nwide == MANY, "some were not appended");
    CHECK(moves <= 8, "%d moves", moves); /* from 128 to 8192, by doubling */
    for (int i = 0; i < nwide; i++)
        CHECK(numbers[i] == 3 * i && pages[i].words[1] == i && bytes[i] == i % 100 && wide[i].words[0] == i &&
                  wide[i].words[1] == -i,
              "item %d changed", i);
    mem_free(numbers), mem_free(bytes), mem_free(pages), mem_free(wide);
}

static void reserves(void) {
    int *items = NULL, capacity = 0;
    CHECK(list_reserve(items, 0, capacity) && !items, "an empty list has memory");
    if (list_reserve(items, 100000, capacity)) {
        const int *before = items;
        CHECK(capacity == 100000, "the capacity is %d", capacity);
        CHECK(list_reserve(items, 99999, capacity) && items == before, "a list moved though it had capacity");
    }
    mem_free(items);
}

/* Counts that no memory or no `int` holds are refused, and nothing changes. */
static void refuses(void) {
    int *items = NULL, capacity = 0;
    if (!list_reserve(items, 10, capacity)) return;
    const int *before = items;
    int known = capacity;
    items[9] = 7;
    CHECK(!list_reserve(items, (size_t)INT32_MAX + 1, capacity), "an int counts more than 2^31 items");
    int64_t wide = capacity;
    CHECK(!list_reserve(items, INT64_MAX, wide) && !list_reserve(items, SIZE_MAX, wide),
          "too many are promised");
    CHECK(!list_reserve(items, INT64_MAX / 2, wide), "bytes overflow");
    CHECK(items == before && capacity == known && wide == known && items[9] == 7, "a refused list changed");
    mem_free(items);
}

TESTS_MAIN(TEST(appends), TEST(reserves), TEST(refuses))
