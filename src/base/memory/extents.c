#include "base/memory/extents.h"
#include <string.h>
#include "base/memory/system_memory.h"

static struct extent *table; /* in ascending order of addresses, no two of them adjacent */
static size_t count, room;
static uint64_t calls;

/* Return the number of ranges that begin before `start`. */
static size_t place_of(const char *start) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table[middle].start < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Make room for one more range. False if memory runs out. */
static bool reserve(void) {
    if (count < room) return true;
    size_t more = room ? 2 * room : 64;
    struct extent *grown = system_resize(table, more * sizeof *table);
    if (!grown) return false;
    table = grown;
    room = more;
    return true;
}

static void insert(size_t at, struct extent e) {
    memmove(table + at + 1, table + at, (count++ - at) * sizeof *table);
    table[at] = e;
}

static void erase(size_t at) { memmove(table + at, table + at + 1, (--count - at) * sizeof *table); }

/* Return the bytes before the first address in range e where a block of `bytes` bytes may begin. */
static size_t skipped(const struct extent *e, size_t bytes) {
    size_t over = (uintptr_t)e->start % EXTENT_HUGE;
    return bytes % EXTENT_HUGE == 0 && over ? EXTENT_HUGE - over : 0;
}

/* Return the number of the smallest range that has room for `bytes` bytes; count if there is none. */
static size_t best_fit(size_t bytes) {
    size_t best = count;
    for (size_t i = 0; i < count; i++) {
        if (table[i].bytes < bytes || (best < count && table[i].bytes >= table[best].bytes)) continue;
        if (skipped(&table[i], bytes) <= table[i].bytes - bytes) best = i;
    }
    return best;
}

void *extent_take(size_t bytes) {
    size_t i = best_fit(bytes);
    if (i == count || !reserve()) return NULL;
    struct extent *e = &table[i], after = *e;
    size_t before = skipped(e, bytes);
    char *data = e->start + before;
    after.start = data + bytes;
    after.bytes = e->bytes - before - bytes;
    e->bytes = before;
    if (before && after.bytes)
        insert(i + 1, after);
    else if (after.bytes)
        *e = after;
    else if (!before)
        erase(i);
    return data;
}

bool extent_give(char *start, size_t bytes, int64_t window) {
    if (!reserve()) return false;
    struct extent e = {start, bytes, window, calls++};
    size_t at = place_of(start);
    if (at < count && start + bytes == table[at].start) {
        e.bytes += table[at].bytes;
        erase(at);
    }
    if (at > 0 && table[at - 1].start + table[at - 1].bytes == start) {
        e.start = table[at - 1].start;
        e.bytes += table[at - 1].bytes;
        erase(--at);
    }
    insert(at, e);
    return true;
}

static size_t oldest(void) {
    size_t found = 0;
    for (size_t i = 1; i < count; i++)
        if (table[i].age < table[found].age) found = i;
    return found;
}

int64_t extent_oldest(void) { return count ? table[oldest()].window : INT64_MAX; }

struct extent extent_remove_oldest(size_t most) {
    size_t i = oldest();
    struct extent *e = &table[i], gone = *e;
    if (most < e->bytes) {
        char *cut = e->start + (e->bytes - most);
        cut -= (uintptr_t)cut % EXTENT_HUGE;
        if (cut > e->start) {
            gone.start = cut;
            gone.bytes = (size_t)(e->start + e->bytes - cut);
            e->bytes -= gone.bytes;
            return gone;
        }
    }
    erase(i);
    return gone;
}

void extent_table_free(void) {
    if (count || !table) return;
    system_free(table);
    table = NULL;
    room = 0;
}
