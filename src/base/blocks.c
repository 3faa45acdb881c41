/*
 * Recycled blocks.  First touch of fresh pages runs at a tenth of the memory's speed, so a block that is given
 * back is kept for the next request of its class: whole cache lines up to 1 KiB, above one class for each
 * sixteenth of a power of two, and whole huge pages where these are an eighth more at most: small pages fall
 * at random on L2's sets, which takes 5 per cent of products of 1000 squared.  Each class is a list, newest
 * first, because that one may still be in the cache; one list over all classes goes by age, and its oldest
 * blocks are freed when more is kept than an eighth of the machine's memory.  Everything is freed before a
 * request may fail.  Lists go through the blocks themselves.  (Segregated fits: Wilson et al., "Dynamic storage
 * allocation", 1995, section 3.6.)
 */
#include "base/blocks.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif
#include "base/checked.h"
#include "base/lock.h"
#include "base/machine.h"
#include "base/number.h"
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(memory, bytes) ((void)(memory), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(memory, bytes) ((void)(memory), (void)(bytes))
#endif

enum {
    LINEAR = 16,                   /* classes of one line each */
    PARTS = 16,                    /* classes a power of two after that */
    CLASSES = LINEAR + PARTS * 53, /* to PTRDIFF_MAX */
    HUGE_PAGE = 2 << 20,
    SPARED = 8, /* a block of whole huge pages may be larger than asked for by this part of it */
    NEAR_LEAST = 256 << 10,
    KEPT_PART = 8, /* of the machine's memory */
};

struct link {
    struct link *newer, *older;
};
/* At the start of a block that is kept. */
struct kept {
    struct link same, all; /* of the same class; of all */
    size_t bytes;
};

LOCK(lock)                           /* guards all below */
static struct link classes[CLASSES]; /* rings; zero: empty */
static struct link everything = {&everything, &everything};
static size_t kept_bytes;

static struct kept *of_same(struct link *l) {
    return (struct kept *)((char *)l - offsetof(struct kept, same));
}
static struct kept *of_all(struct link *l) { return (struct kept *)((char *)l - offsetof(struct kept, all)); }

/* Above `ring`'s newest. */
static void insert(struct link *ring, struct link *l) {
    if (!ring->older) ring->older = ring->newer = ring;
    *l = (struct link){ring, ring->older};
    ring->older->newer = l;
    ring->older = l;
}

static void unlink_from(struct link *l) {
    l->newer->older = l->older;
    l->older->newer = l->newer;
}

/* To whole huge pages. */
static size_t whole_pages(size_t bytes) {
    size_t rest = bytes % HUGE_PAGE, more = rest ? HUGE_PAGE - rest : 0;
    return bytes > SIZE_MAX - more ? bytes : bytes + more;
}

/* The class, and the bytes that its blocks have; false: more than there can be. */
static bool class_of(size_t bytes, int *class, size_t *rounded) {
    size_t whole = whole_pages(bytes);
    if (whole - bytes <= bytes / SPARED) bytes = whole;
    if (bytes > PTRDIFF_MAX / 2) return false;
    size_t lines = bytes ? (bytes - 1) / CACHE_LINE : 0; /* one less than there are */
    if (lines < LINEAR) {
        *class = (int)lines;
        *rounded = (lines + 1) * CACHE_LINE;
        return true;
    }
    int power = 63 - __builtin_clzll((unsigned long long)lines); /* 4 at least */
    size_t step = (size_t)1 << (power - 4), part = lines / step - PARTS;
    *class = LINEAR + (power - 4) * PARTS + (int)part;
    *rounded = (part + PARTS + 1) * step * CACHE_LINE;
    return true;
}

size_t block_near_bytes(size_t bytes) { return bytes < NEAR_LEAST ? bytes : whole_pages(bytes); }

static void *fresh(size_t bytes) {
    size_t align = bytes >= HUGE_PAGE ? HUGE_PAGE : CACHE_LINE;
    void *data = NULL;
    if (posix_memalign(&data, align, bytes)) return NULL;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (align == HUGE_PAGE) madvise(data, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#endif
    return data;
}

/* With the lock held: takes it from both lists. */
static struct kept *remove_kept(struct kept *block) {
    unlink_from(&block->same);
    unlink_from(&block->all);
    kept_bytes -= block->bytes;
    ASAN_UNPOISON_MEMORY_REGION(block, block->bytes);
    return block;
}

void *block_take(size_t bytes) {
    int class;
    void *data = NULL;
    if (!class_of(bytes, &class, &bytes)) return NULL;
    lock_take(&lock);
    struct link *ring = &classes[class];
    if (ring->older && ring->older != ring) data = remove_kept(of_same(ring->older));
    lock_give(&lock);
    if (!data) data = fresh(bytes);
    if (!data && blocks_trim()) data = fresh(bytes);
    return data;
}

/* Frees the oldest until no more than `most` bytes are kept. */
static void free_down_to(size_t most) {
    for (;;) {
        lock_take(&lock);
        struct kept *block = kept_bytes > most ? remove_kept(of_all(everything.newer)) : NULL;
        lock_give(&lock);
        if (!block) return;
        free(block);
    }
}

void block_give(void *data, size_t bytes) {
    int class;
    if (!class_of(bytes, &class, &bytes)) return;
    size_t most = machine_memory() / KEPT_PART;
    struct kept *block = data;
    block->bytes = bytes;
    lock_take(&lock);
    insert(&classes[class], &block->same);
    insert(&everything, &block->all);
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
