/*
 * Rings: circular lists whose links lie inside of the items, in order of age or of use.  The head is a link of its own;
 * all zero is an empty ring.  A head must not move while it has items.
 */
#ifndef BASE_RING_H
#define BASE_RING_H
#include <stddef.h>

struct ring {
    struct ring *newer, *older;
};

/* Return the item of type `type` whose field `link` is at `place`; NULL if `place` is NULL. */
#define RING_ITEM(place, type, link) ((type *)ring_start(place, offsetof(type, link)))
static inline void *ring_start(struct ring *place, size_t offset) {
    return place ? (char *)place - offset : NULL;
}

/* Add `item`, which is in no ring, to the ring of `head` as its newest. A zeroed head is an empty ring. */
static inline void ring_add(struct ring *head, struct ring *item) {
    if (!head->older) head->older = head->newer = head;
    *item = (struct ring){head, head->older};
    head->older->newer = item;
    head->older = item;
}

/* Remove an item from its ring; its own links stay as they were. */
static inline void ring_remove(struct ring *item) {
    item->newer->older = item->older;
    item->older->newer = item->newer;
}

/* Return the newest item of the ring, which stays in it; NULL if the ring is empty. ring_oldest does so for the
   oldest. */
static inline struct ring *ring_newest(const struct ring *head) {
    return head->older == head ? NULL : head->older;
}
static inline struct ring *ring_oldest(const struct ring *head) {
    return head->newer == head ? NULL : head->newer;
}
/* Return the item added just before `item`, that is the next older; NULL if `item` is the oldest of the ring of
   `head`. */
static inline struct ring *ring_next(const struct ring *head, const struct ring *item) {
    return item->older == head ? NULL : item->older;
}
#endif
