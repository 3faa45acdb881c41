/*
 * Pool of data blocks by size class, after segregated fits (Wilson et al., "Dynamic storage allocation", 1995,
 * section 3.6).  The first touch of fresh pages runs at a tenth of the memory's speed, so freed blocks are kept
 * for reuse.
 *
 * Classes are whole cache lines up to 1 KiB, then sixteenths of a power of two, then whole huge pages if that
 * wastes at most an eighth.  Small pages fall at random on L2's sets, which costs 5 per cent of products of 1000
 * squared.  Each class is a list, newest first, because the newest may still be in cache.  Another list orders all
 * blocks by age.  List links are stored inside the blocks.
 *
 * On Linux, blocks of a MiB or more are cut from mapped memory instead (extents.h), whose free ranges split and merge.
 * malloc would keep free memory that lies below a live block of its heap.  AddressSanitizer does not know these blocks,
 * so free ranges and a guard behind each block are poisoned here.
 *
 * Bound: live and kept blocks together take at most the recent peak of the live set and a slack.  So a loop that
 * allocates the same sizes again never asks the system, and one with ever new sizes cannot pile up blocks.  The peak
 * is that of two windows of time.  Blocks that a whole window has not used are freed, too.  Before an allocation
 * fails, all are freed.
 */
#include "base/memory/blocks.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "base/memory/cache_most.h"
#include "base/checked.h"
#include "base/memory/extents.h"
#include "base/threads/lock.h"
#include "base/machine/machine.h"
#include "base/number.h"
#include "base/ring.h"
#include "base/memory/system_memory.h"
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
enum { GUARD = EXTENT_UNIT }; /* bytes behind each block of mapped memory */
#else
enum { GUARD = 0 };
#define ASAN_POISON_MEMORY_REGION(memory, bytes) ((void)(memory), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(memory, bytes) ((void)(memory), (void)(bytes))
#endif

enum {
    LINEAR = 16,                   /* number of classes of 1 .. 16 cache lines */
    PARTS = 16,                    /* classes per power of two above that */
    CLASSES = LINEAR + PARTS * 53, /* up to PTRDIFF_MAX */
    OF_EXTENT = -1,                /* instead of a class: a block of mapped memory */
    HUGE_PAGE = 2 << 20,
    SPARED = 8, /* rounding up to huge pages may add 1/8 of the size */
    NEAR_LEAST = 256 << 10,
    MAPPED = 1 << 20,         /* bytes: least size of a block of mapped memory */
    KEPT_PART = 8,            /* limit of kept memory: 1/8 of the machine's */
    SLACK = 64 * 1000 * 1000, /* bytes kept beside the peak of the live set, at least */
    SLACK_PART = 4,           /* or 1/4 of that peak */
    WINDOW = 5, /* seconds: longer than most steps of a training, short for a program that waits */
};

/* Header at the start of a pooled block. */
struct kept {
    struct ring same, all; /* links in the list of its class; in the list of all blocks */
    size_t bytes;
    int64_t window; /* number of the window of time in which it was freed */
};

LOCK(lock) /* guards all variables below */
static struct ring classes[CLASSES];
static struct ring everything;
static size_t kept_bytes, live_bytes, held_peak;
static size_t live_peak[2];    /* of the window before, of this one */
static int64_t window;         /* number of this window: seconds / WINDOW */
static _Atomic int64_t passed; /* seconds added by blocks_pass */

/* ---- classes ---- */

/* Round up to whole huge pages; returns `bytes` unchanged if that overflows. */
static size_t whole_pages(size_t bytes) {
    size_t rest = bytes % HUGE_PAGE, more = rest ? HUGE_PAGE - rest : 0;
    return bytes > SIZE_MAX - more ? bytes : bytes + more;
}

/* Compute the size class of a request of `bytes` bytes and the rounded size of its block. False if `bytes` is
   too large for any block. */
static bool class_of(size_t bytes, int *class, size_t *rounded) {
    size_t whole = whole_pages(bytes);
    if (whole - bytes <= bytes / SPARED) bytes = whole;
    if (bytes > PTRDIFF_MAX / 2) return false;
    if (bytes >= MAPPED && system_maps()) {
        *class = OF_EXTENT;
        *rounded = (bytes + GUARD + EXTENT_UNIT - 1) / EXTENT_UNIT * EXTENT_UNIT;
        return true;
    }
    size_t lines = bytes ? (bytes - 1) / CACHE_LINE : 0; /* lines needed, minus 1 */
    if (lines < LINEAR) {
        *class = (int)lines;
        *rounded = (lines + 1) * CACHE_LINE;
        return true;
    }
    int power = 63 - __builtin_clzll((unsigned long long)lines); /* at least 4 */
    size_t step = (size_t)1 << (power - 4), part = lines / step - PARTS;
    *class = LINEAR + (power - 4) * PARTS + (int)part;
    *rounded = (part + PARTS + 1) * step * CACHE_LINE;
    return true;
}

size_t block_near_bytes(size_t bytes) { return bytes < NEAR_LEAST ? bytes : whole_pages(bytes); }

/* ---- the bound ---- */

/* Return the number of the present window of time. The coarse clock costs a few nanoseconds. */
static int64_t window_now(void) {
    struct timespec now;
#ifdef CLOCK_MONOTONIC_COARSE
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return (now.tv_sec + atomic_load_explicit(&passed, memory_order_relaxed)) / WINDOW;
}

/* Begin the window `now` unless it is the present one. Return true if it is new. The lock must be held. */
static bool turn_to(int64_t now) {
    if (now <= window) return false;
    live_peak[0] = now == window + 1 ? live_peak[1] : live_bytes;
    live_peak[1] = live_bytes;
    window = now;
    return true;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }
static size_t recent_peak(void) { return larger(live_peak[0], live_peak[1]); }

/* Return the bytes that may be kept; `set` is that of cache_most. The lock must be held. */
static size_t kept_most(int64_t set) {
    size_t peak = recent_peak(), part = machine_memory() / KEPT_PART, most;
    if (set >= 0) return (uint64_t)set < part ? (size_t)set : part;
    most = peak - live_bytes + larger(SLACK, peak / SLACK_PART);
    return most < part ? most : part;
}

/* Add bytes to the live ones. The lock must be held. */
static void add_live(size_t bytes) {
    live_bytes += bytes;
    live_peak[1] = larger(live_peak[1], live_bytes);
}

/* ---- blocks ---- */

/* Remove a free block from both lists of the pool and return it. The lock must be held. */
static struct kept *remove_kept(struct kept *block) {
    ring_remove(&block->same);
    ring_remove(&block->all);
    kept_bytes -= block->bytes;
    ASAN_UNPOISON_MEMORY_REGION(block, block->bytes);
    return block;
}

/* Give memory back to the system. */
static void release(int class, void *data, size_t bytes) {
    if (class == OF_EXTENT) {
        ASAN_UNPOISON_MEMORY_REGION(data, bytes); /* the addresses may serve another mapping */
        system_unmap(data, bytes);
    } else {
        system_data_free(data, bytes);
    }
}

/* A part of the pool that goes back. */
struct surplus {
    int class; /* OF_EXTENT, or another number */
    void *data;
    size_t bytes; /* 0: none */
};

/* Remove the pool's oldest block, or a part of a free range, if more than `most` bytes are kept or if it was freed
   before window `since`. The lock must be held. */
static struct surplus remove_surplus(size_t most, int64_t since) {
    struct kept *block = RING_ITEM(ring_oldest(&everything), struct kept, all);
    int64_t of_block = block ? block->window : INT64_MAX, of_extent = extent_oldest();
    bool full = kept_bytes > most;
    if (of_extent <= of_block && of_extent < INT64_MAX && (full || of_extent < since)) {
        struct extent e = extent_remove_oldest(of_extent < since ? SIZE_MAX : kept_bytes - most);
        kept_bytes -= e.bytes;
        return (struct surplus){OF_EXTENT, e.start, e.bytes};
    }
    if (!block || !(full || of_block < since)) return (struct surplus){0};
    remove_kept(block);
    return (struct surplus){0, block, block->bytes};
}

/* Free blocks beyond the bound, and those freed before window `since`. The lock must not be held. */
static void free_surplus(int64_t set, int64_t since) {
    for (;;) {
        lock_take(&lock);
        struct surplus gone = remove_surplus(kept_most(set), since);
        lock_give(&lock);
        if (!gone.bytes) return;
        release(gone.class, gone.data, gone.bytes);
    }
}

/* Add a range of mapped memory to the free ones, and hide it from the program. False if there is no memory for their
   table. The lock must be held. */
static bool add_range(char *start, size_t bytes) {
    if (!extent_give(start, bytes, window)) return false;
    ASAN_POISON_MEMORY_REGION(start, bytes);
    kept_bytes += bytes;
    return true;
}

/* Show the first `used` bytes of a block of mapped memory to the program, up to a cache line, and hide the rest. */
static void show(char *data, size_t used, size_t bytes) {
    size_t shown = (used + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    ASAN_UNPOISON_MEMORY_REGION(data, shown);
    ASAN_POISON_MEMORY_REGION(data + shown, bytes - shown);
}

/* Map whole huge pages for a block of `bytes` bytes; the rest becomes a free range if it may be kept. NULL if memory
   runs out. */
static void *map_fresh(size_t bytes, int64_t set) {
    size_t whole = whole_pages(bytes), rest = whole - bytes;
    char *data = system_map(whole);
    if (!data || !rest) return data;
    lock_take(&lock);
    bool keeps = kept_bytes + rest <= kept_most(set) && add_range(data + bytes, rest);
    lock_give(&lock);
    if (!keeps) system_unmap(data + bytes, rest);
    return data;
}

static void *from_system(int class, size_t bytes, int64_t set) {
    return class == OF_EXTENT ? map_fresh(bytes, set) : system_data_alloc(bytes);
}

/* Allocate a block from the system, which is asked once more after all that is kept was freed. */
static void *fresh(int class, size_t bytes, int64_t set) {
    void *data = from_system(class, bytes, set);
    if (!data && blocks_trim()) data = from_system(class, bytes, set);
    lock_take(&lock);
    if (!data) live_bytes -= bytes;
    held_peak = larger(held_peak, live_bytes + kept_bytes);
    lock_give(&lock);
    return data;
}

/* Take a free block out of the pool; NULL if it has none. The lock must be held. */
static void *take_kept(int class, size_t bytes) {
    if (class == OF_EXTENT) {
        void *data = extent_take(bytes);
        if (data) kept_bytes -= bytes;
        return data;
    }
    struct kept *block = RING_ITEM(ring_newest(&classes[class]), struct kept, same);
    return block ? remove_kept(block) : NULL;
}

void *block_take(size_t asked) {
    int class;
    size_t bytes;
    if (!class_of(asked, &class, &bytes)) return NULL;
    int64_t now = window_now(), set = cache_most();
    lock_take(&lock);
    bool turned = turn_to(now);
    void *data = take_kept(class, bytes);
    add_live(bytes);
    bool full = kept_bytes > kept_most(set);
    lock_give(&lock);
    if (full || turned) free_surplus(set, now - 1);
    if (!data) data = fresh(class, bytes, set);
    if (data && class == OF_EXTENT) show(data, asked, bytes);
    return data;
}

/* Add a free block to the pool. False if there is no memory for the table of free ranges. The lock must be held. */
static bool add_kept(struct kept *block, int class, size_t bytes) {
    if (class == OF_EXTENT) return add_range((char *)block, bytes);
    block->bytes = bytes;
    block->window = window;
    ring_add(&classes[class], &block->same);
    ring_add(&everything, &block->all);
    ASAN_POISON_MEMORY_REGION((char *)block + CACHE_LINE, bytes - CACHE_LINE);
    kept_bytes += bytes;
    return true;
}

void block_give(void *data, size_t bytes) {
    int class;
    if (!class_of(bytes, &class, &bytes)) return;
    int64_t now = window_now(), set = cache_most();
    lock_take(&lock);
    bool turned = turn_to(now);
    live_bytes -= bytes;
    size_t most = kept_most(set);
    bool keeps = bytes <= most && add_kept(data, class, bytes);
    bool full = kept_bytes > most;
    lock_give(&lock);
    if (!keeps) release(class, data, bytes);
    if (turned || (keeps && full)) free_surplus(set, now - 1);
}

/* ---- the whole pool ---- */

size_t blocks_trim(void) {
    lock_take(&lock);
    size_t bytes = kept_bytes;
    lock_give(&lock);
    free_surplus(0, 0);
    lock_take(&lock);
    extent_table_free();
    lock_give(&lock);
    return bytes;
}

void blocks_settle(void) { free_surplus(cache_most(), 0); }

struct blocks_state blocks_state(void) {
    int64_t now = window_now(), set = cache_most();
    lock_take(&lock);
    turn_to(now);
    struct blocks_state s = {live_bytes, recent_peak(), kept_bytes, kept_most(set),
                             larger(held_peak, live_bytes + kept_bytes)};
    lock_give(&lock);
    return s;
}

void blocks_pass(int seconds) { atomic_fetch_add(&passed, seconds); }

void blocks_peak_begin(void) {
    lock_take(&lock);
    live_peak[0] = live_peak[1] = live_bytes;
    held_peak = live_bytes + kept_bytes;
    lock_give(&lock);
}
