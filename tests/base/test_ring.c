/* Rings: order by age, removal from every place, and heads that are all zero. */
#include "base/ring.h"
#include "tests/support/harness.h"

enum { ITEMS = 5 };
struct item {
    int number;
    struct ring link;
};

/* Check that the ring holds the items whose bits are set in `expected`, the newest first. */
static void check(const struct ring *head, unsigned expected) {
    int last = ITEMS, seen = 0, least = -1;
    for (struct ring *at = ring_newest(head); at; at = ring_next(head, at)) {
        const struct item *item = RING_ITEM(at, struct item, link);
        CHECK(item->number < last && (expected >> item->number & 1), "%d after %d", item->number, last);
        last = least = item->number;
        seen++;
    }
    const struct item *oldest = RING_ITEM(ring_oldest(head), struct item, link);
    CHECK(seen == __builtin_popcount(expected), "%d items of the set %x", seen, expected);
    CHECK(oldest ? oldest->number == least : least < 0, "another item is the oldest");
}

static void keeps_the_order(void) {
    for (unsigned gone = 0; gone < 1u << ITEMS; gone++) { /* every subset is removed */
        struct ring head = {0};
        struct item items[ITEMS];
        check(&head, 0);
        for (int i = 0; i < ITEMS; i++) {
            items[i].number = i;
            ring_add(&head, &items[i].link);
        }
        unsigned left = (1u << ITEMS) - 1;
        for (int i = 0; i < ITEMS; i++) {
            if (!(gone >> i & 1)) continue;
            ring_remove(&items[i].link);
            check(&head, left &= ~(1u << i));
        }
        check(&head, left);
    }
}

TESTS_MAIN(TEST(keeps_the_order))
