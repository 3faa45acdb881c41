/*
 * Allocation over system_memory.h.  Counters and injected failures are for tests; they cost atomic operations and
 * are off until mem_watch.
 */
#include "base/threads/unload.h"
#include "base/alloc.h"
#include <stdatomic.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include "base/memory/blocks.h"
#include "base/checked.h"
#include "base/memory/system_memory.h"

enum {
    OVERWRITTEN =
        1 << 20, /* bytes of data: pages of large blocks that nobody has touched stay without memory */
    FREED =
        0xdd /* what a test finds that reads through a pointer to freed memory: no address, no small number */
};
static _Atomic int64_t allocated, freed, fail_countdown, bytes_now, bytes_most;
static _Atomic size_t limit;
static atomic_bool watched, failed;

void mem_watch(void) { atomic_store(&watched, true); }
static inline bool is_watched(void) { return atomic_load_explicit(&watched, memory_order_relaxed); }

void mem_fail_at(int64_t n) {
    atomic_store(&failed, false);
    atomic_store(&fail_countdown, n);
}
void mem_limit(size_t most) { atomic_store(&limit, most); }
bool mem_failed(void) { return atomic_load(&failed); }
int64_t mem_count(void) { return atomic_load(&allocated); }
int64_t mem_live(void) {
    int64_t gone = atomic_load(&freed); /* read first, so that the result is never too small */
    return atomic_load(&allocated) - gone;
}

static bool is_beyond_limit(size_t bytes) {
    size_t most = atomic_load_explicit(&limit, memory_order_relaxed);
    return most && bytes > most;
}

static bool is_turn(void) {
    return atomic_load_explicit(&fail_countdown, memory_order_relaxed) > 0 &&
           atomic_fetch_sub(&fail_countdown, 1) == 1;
}

static bool fails_now(size_t bytes) {
    if (!is_watched() || !(is_beyond_limit(bytes) || is_turn())) return false;
    atomic_store(&failed, true);
    return true;
}

bool mem_fail_other(void) {
    if (!is_watched() || !is_turn()) return false;
    atomic_store(&failed, true);
    return true;
}

int64_t mem_bytes(void) { return atomic_load(&bytes_now); }
int64_t mem_peak(void) { return atomic_load(&bytes_most); }
void mem_peak_begin(void) { atomic_store(&bytes_most, mem_bytes()); }

static void add_bytes(int64_t bytes) {
    int64_t now = atomic_fetch_add(&bytes_now, bytes) + bytes, most = atomic_load(&bytes_most);
    while (now > most && !atomic_compare_exchange_weak(&bytes_most, &most, now)) continue;
}

/* Count the memory of `bytes` bytes, if allocations are watched, and return it; NULL is not counted. */
static void *counted(void *memory, size_t bytes) {
    if (!memory || !is_watched()) return memory;
    atomic_fetch_add_explicit(&allocated, 1, memory_order_relaxed);
    add_bytes((int64_t)bytes);
    return memory;
}

static void *counted_small(void *memory) {
    return memory && is_watched() ? counted(memory, system_bytes(memory)) : memory;
}

static void count_free(size_t bytes) {
    atomic_fetch_add_explicit(&freed, 1, memory_order_relaxed);
    add_bytes(-(int64_t)bytes);
}

void *mem_alloc(size_t bytes) { return fails_now(bytes) ? NULL : counted_small(system_alloc_zeroed(bytes)); }

void *mem_array(size_t n, size_t size) {
    size_t bytes;
    return checked_mul_size(n, size, &bytes) ? mem_alloc(bytes) : NULL;
}

void *mem_grow(void *old, size_t n, size_t size) {
    size_t bytes;
    if (!checked_mul_size(n, size, &bytes) || fails_now(bytes)) return NULL;
    int64_t before = old && is_watched() ? (int64_t)system_bytes(old) : 0;
    void *memory = system_resize(old, bytes);
    if (!old) return counted_small(memory);
    if (memory && is_watched()) add_bytes((int64_t)system_bytes(memory) - before);
    return memory;
}

void mem_free(void *memory) {
    if (!memory) return;
    if (is_watched()) {
        size_t bytes = system_bytes(memory);
        memset(memory, FREED, bytes);
        count_free(bytes);
    }
    system_free(memory);
}

char *mem_copy_text(const char *text) {
    size_t n = strlen(text) + 1;
    char *copy = mem_alloc(n);
    if (copy) memcpy(copy, text, n);
    return copy;
}

void *mem_data_alloc(size_t bytes) {
    unload_expect(); /* freed blocks stay in the pool */
    return fails_now(bytes) ? NULL : counted(block_take(bytes), bytes);
}
void *mem_near_alloc(size_t bytes) { return mem_data_alloc(block_near_bytes(bytes)); }

/* Free all recycled data blocks that are not in use, and return the sum of their sizes in bytes.
   malloc_trim also returns small freed blocks, which glibc keeps, to the system. */
size_t mem_data_trim(void) {
    size_t bytes = blocks_trim();
#ifdef __GLIBC__
    if (!system_memory_hooked()) malloc_trim(0);
#endif
    return bytes;
}

void mem_data_free(void *data, size_t bytes) {
    if (!data) return;
    if (is_watched()) {
        memset(data, FREED, bytes < OVERWRITTEN ? bytes : OVERWRITTEN);
        count_free(bytes);
    }
    block_give(data, bytes);
}

void mem_near_free(void *data, size_t bytes) { mem_data_free(data, block_near_bytes(bytes)); }
