/*
 * malloc, or the caller's allocator.  Without one, each call costs one more load.  The caller's functions are told
 * the size of what they free, so small blocks have a header with it; malloc's blocks have none.
 */
#include "base/memory/system_memory.h"
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <malloc.h>
#include <sys/mman.h>
#else
static size_t malloc_usable_size(void *memory) { return memory ? 0 : 0; }
#endif
#include "base/checked.h"
#include "base/number.h"
#include "base/threads/lock.h"
#include "base/machine/machine.h"

enum {
    SMALL = 1024,
    HUGE_PAGE = 2 << 20,
    HEADER = 16, /* bytes in front of a small block, a multiple of its alignment */
};
_Static_assert(HEADER >= sizeof(size_t) && HEADER % _Alignof(max_align_t) == 0,
               "a header keeps the alignment");

static const struct memory_hooks by_malloc; /* stands for malloc; its members are not called */
static struct memory_hooks chosen;
static _Atomic(const struct memory_hooks *) current; /* NULL until the first allocation */
static _Atomic int64_t held;                         /* live blocks of the caller's allocator */
LOCK(lock)                                           /* guards `chosen` while it is set */

/* ---- choice ---- */

/* Choose malloc, as nothing was chosen before the first allocation. Return the choice. */
static __attribute__((noinline)) const struct memory_hooks *choose(void) {
    const struct memory_hooks *now = NULL;
    return atomic_compare_exchange_strong(&current, &now, &by_malloc) ? &by_malloc : now;
}

/* Return the caller's allocator; NULL: malloc. */
static inline const struct memory_hooks *hooks(void) {
    const struct memory_hooks *now = atomic_load_explicit(&current, memory_order_acquire);
    if (!now) now = choose();
    return now == &by_malloc ? NULL : now;
}

bool system_memory_hooked(void) {
    const struct memory_hooks *now = atomic_load_explicit(&current, memory_order_acquire);
    return now && now != &by_malloc;
}

/* Allocate one block from `h` and free it, to find functions that cannot serve before they are used. */
static enum hooks_outcome try(const struct memory_hooks *h) {
    void *memory = h->allocate(h->context, CACHE_LINE, CACHE_LINE);
    if (!memory) return HOOKS_NO_MEMORY;
    bool aligned = (uintptr_t)memory % CACHE_LINE == 0;
    h->release(h->context, memory, CACHE_LINE);
    return aligned ? HOOKS_SET : HOOKS_MISALIGNED;
}

/* Make `h` the current allocator (NULL: none is chosen) if no memory is held. Under the lock. */
static enum hooks_outcome replace(const struct memory_hooks *h) {
    const struct memory_hooks *before = atomic_load(&current);
    if (before == &by_malloc || atomic_load(&held)) return HOOKS_IN_USE;
    if (before && !atomic_compare_exchange_strong(&current, &before, NULL)) return HOOKS_IN_USE;
    if (!h) return HOOKS_SET;
    chosen = *h;
    before = NULL;
    return atomic_compare_exchange_strong(&current, &before, &chosen) ? HOOKS_SET : HOOKS_IN_USE;
}

enum hooks_outcome system_memory_use(const struct memory_hooks *h) {
    if (!h && atomic_load(&current) == &by_malloc) return HOOKS_SET;
    enum hooks_outcome outcome = h ? try(h) : HOOKS_SET;
    if (outcome != HOOKS_SET) return outcome;
    lock_take(&lock);
    outcome = replace(h);
    lock_give(&lock);
    return outcome;
}

/* ---- the caller's allocator ---- */

/* Allocate from `h`. Memory of a wrong alignment goes back and counts as none. */
static void *take(const struct memory_hooks *h, size_t bytes, size_t alignment) {
    atomic_fetch_add(&held, 1);
    void *memory = h->allocate(h->context, bytes, alignment);
    if (memory && (uintptr_t)memory % alignment) {
        h->release(h->context, memory, bytes);
        memory = NULL;
    }
    if (!memory) atomic_fetch_sub(&held, 1);
    return memory;
}

static void give(const struct memory_hooks *h, void *memory, size_t bytes) {
    h->release(h->context, memory, bytes);
    atomic_fetch_sub(&held, 1);
}

/* Allocate a small block with its size in front of it. */
static void *take_small(const struct memory_hooks *h, size_t bytes) {
    size_t whole;
    if (!checked_add_size(bytes, HEADER, &whole)) return NULL;
    char *memory = take(h, whole, HEADER);
    if (!memory) return NULL;
    memcpy(memory, &bytes, sizeof bytes);
    return memory + HEADER;
}

static size_t small_bytes(const void *memory) {
    size_t bytes;
    memcpy(&bytes, (const char *)memory - HEADER, sizeof bytes);
    return bytes;
}

static void give_small(const struct memory_hooks *h, void *memory) {
    give(h, (char *)memory - HEADER, small_bytes(memory) + HEADER);
}

static void *resize_small(const struct memory_hooks *h, void *old, size_t bytes) {
    void *memory = take_small(h, bytes);
    if (!memory || !old) return memory;
    size_t before = small_bytes(old);
    memcpy(memory, old, before < bytes ? before : bytes);
    give_small(h, old);
    return memory;
}

/* ---- either ---- */

void *system_alloc(size_t bytes) {
    const struct memory_hooks *h = hooks();
    return h ? take_small(h, bytes) : malloc(bytes ? bytes : 1);
}

/* Small blocks use malloc and memset, which beat calloc, since that skips malloc's per-thread cache. Large blocks of
   calloc come zeroed from the system. */
void *system_alloc_zeroed(size_t bytes) {
    if (bytes > SMALL && !hooks()) return calloc(1, bytes);
    void *memory = system_alloc(bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

void *system_resize(void *old, size_t bytes) {
    const struct memory_hooks *h = hooks();
    return h ? resize_small(h, old, bytes) : realloc(old, bytes ? bytes : 1);
}

void system_free(void *memory) {
    const struct memory_hooks *h = hooks();
    if (h)
        give_small(h, memory);
    else
        free(memory);
}

size_t system_bytes(void *memory) { return hooks() ? small_bytes(memory) : malloc_usable_size(memory); }

/* Allocate data by malloc; on Linux it asks for huge pages. */
static void *data_by_malloc(size_t bytes) {
    size_t align = bytes >= HUGE_PAGE ? HUGE_PAGE : CACHE_LINE;
    void *data = NULL;
    if (posix_memalign(&data, align, bytes)) return NULL;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (align == HUGE_PAGE) madvise(data, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#endif
    return data;
}

void *system_data_alloc(size_t bytes) {
    const struct memory_hooks *h = hooks();
    return h ? take(h, bytes, CACHE_LINE) : data_by_malloc(bytes);
}

void system_data_free(void *data, size_t bytes) {
    const struct memory_hooks *h = hooks();
    if (h)
        give(h, data, bytes);
    else
        release_aligned(data);
}

/* ---- mapped memory ---- */

#if defined(__linux__)
bool system_maps(void) { return !hooks(); }

void *system_map(size_t bytes) {
    char *memory = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    size_t before = (HUGE_PAGE - (uintptr_t)memory % HUGE_PAGE) % HUGE_PAGE;
    if (before) munmap(memory, before);
    munmap(memory + before + bytes, HUGE_PAGE - before);
#ifdef MADV_HUGEPAGE
    madvise(memory + before, bytes, MADV_HUGEPAGE);
#endif
    return memory + before;
}

/* Unmapping a part fails if no more mappings are allowed. Its pages go back then, and the addresses stay reserved. */
void system_unmap(void *memory, size_t bytes) {
    if (munmap(memory, bytes)) madvise(memory, bytes, MADV_DONTNEED);
}
#else
bool system_maps(void) { return false; }
void *system_map(size_t bytes) { return bytes ? NULL : NULL; }
void system_unmap(void *memory, size_t bytes) { (void)memory, (void)bytes; }
#endif
