/*
 * Pool of data blocks by size class, after segregated fits (Wilson et al., "Dynamic storage allocation", 1995,
 * section 3.6).  The first touch of fresh pages runs at a tenth of the memory's speed, so freed blocks are kept
 * for reuse.
 *
 * Classes are whole cache lines up to 1 KiB, then sixteenths of a power of two, then whole huge pages if that
 * wastes at most an eighth.  Small pages fall at random on L2's sets, which costs 5 per cent of products of 1000
 * squared.
 *
 * Each class is a list, newest first, because the newest may still be in cache.  Another list orders all blocks
 * by age: when more than an eighth of the machine's memory is kept, the oldest are freed.  Before an allocation
 * fails, all are freed.  List links are stored inside the blocks.
 */
#include "base/blocks.h"
#include <stdbool.h>
#include <stdint.h>
#include "base/checked.h"
#include "base/threads/lock.h"
#include "base/machine/machine.h"
#include "base/number.h"
#include "base/ring.h"
#include "base/system_memory.h"
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(memory, bytes) ((void)(memory), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(memory, bytes) ((void)(memory), (void)(bytes))
#endif

enum {
    LINEAR = 16,                   /* number of classes of 1 .. 16 cache lines */
    PARTS = 16,                    /* classes per power of two above that */
    CLASSES = LINEAR + PARTS * 53, /* up to PTRDIFF_MAX */
    HUGE_PAGE = 2 << 20,
    SPARED = 8, /* rounding up to huge pages may add 1/8 of the size */
    NEAR_LEAST = 256 << 10,
    KEPT_PART = 8, /* limit of kept memory: 1/8 of the machine's */
};

/* Header at the start of a pooled block. */
struct kept {
    struct ring same, all; /* links in the list of its class; in the list of all blocks */
    size_t bytes;
};

LOCK(lock) /* guards all variables below */
static struct ring classes[CLASSES];
static struct ring everything;
static size_t kept_bytes;

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

/* Remove a free block from both lists of the pool and return it. The lock must be held. */
static struct kept *remove_kept(struct kept *block) {
    ring_remove(&block->same);
    ring_remove(&block->all);
    kept_bytes -= block->bytes;
    ASAN_UNPOISON_MEMORY_REGION(block, block->bytes);
    return block;
}

void *block_take(size_t bytes) {
    int class;
    void *data = NULL;
    if (!class_of(bytes, &class, &bytes)) return NULL;
    lock_take(&lock);
    struct kept *block = RING_ITEM(ring_newest(&classes[class]), struct kept, same);
    if (block) data = remove_kept(block);
    lock_give(&lock);
    if (!data) data = system_data_alloc(bytes);
    if (!data && blocks_trim()) data = system_data_alloc(bytes);
    return data;
}

/* Free the pool's oldest blocks until at most `most` bytes remain in it. The lock must not be held. */
static void free_down_to(size_t most) {
    for (;;) {
        lock_take(&lock);
        struct kept *block =
            kept_bytes > most ? remove_kept(RING_ITEM(ring_oldest(&everything), struct kept, all)) : NULL;
        lock_give(&lock);
        if (!block) return;
        system_data_free(block, block->bytes);
    }
}

void block_give(void *data, size_t bytes) {
    int class;
    if (!class_of(bytes, &class, &bytes)) return;
    size_t most = machine_memory() / KEPT_PART;
    struct kept *block = data;
    block->bytes = bytes;
    lock_take(&lock);
    ring_add(&classes[class], &block->same);
    ring_add(&everything, &block->all);
    ASAN_POISON_MEMORY_REGION((char *)data + CACHE_LINE, bytes - CACHE_LINE);
    bool full = (kept_bytes += bytes) > most;
    lock_give(&lock);
    if (full) free_down_to(most);
}

size_t blocks_trim(void) {
    lock_take(&lock);
    size_t bytes = kept_bytes;
    lock_give(&lock);
    free_down_to(0);
    return bytes;
}
