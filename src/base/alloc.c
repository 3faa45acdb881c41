/*
 * One door to memory.  Small blocks come from malloc; data blocks are aligned, and large ones are kept
 * for the next request of nearly the same size: first touch of fresh pages runs at a tenth of the
 * memory's speed.  The cache is bounded, and emptied before a request may fail.
 */
#include "base/alloc.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif
#include "base/checked.h"

enum {
    CACHE_BLOCKS = 32,
    CACHE_SMALLEST = 64 << 10,
    HUGE_PAGE = 2 << 20,
};
static const size_t cache_most_bytes = (size_t)256 << 20;

static _Atomic int64_t live, count, fail_countdown;
static atomic_bool failed;

void mem_fail_at(int64_t n) {
    atomic_store(&failed, false);
    atomic_store(&fail_countdown, n);
}
bool mem_failed(void) { return atomic_load(&failed); }
int64_t mem_live(void) { return atomic_load(&live); }
int64_t mem_count(void) { return atomic_load(&count); }

static bool fails_now(void) {
    if (atomic_load_explicit(&fail_countdown, memory_order_relaxed) <= 0) return false;
    if (atomic_fetch_sub(&fail_countdown, 1) != 1) return false;
    atomic_store(&failed, true);
    return true;
}

static void *counted(void *memory) {
    if (memory) {
        atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    }
    return memory;
}

void *mem_alloc(size_t bytes) { return fails_now() ? NULL : counted(calloc(1, bytes ? bytes : 1)); }

void *mem_array(size_t n, size_t size) {
    size_t bytes;
    return checked_mul_size(n, size, &bytes) ? mem_alloc(bytes) : NULL;
}

void *mem_grow(void *old, size_t n, size_t size) {
    size_t bytes;
    if (!checked_mul_size(n, size, &bytes) || fails_now()) return NULL;
    void *memory = realloc(old, bytes ? bytes : 1);
    return old ? memory : counted(memory);
}

void mem_free(void *memory) {
    if (!memory) return;
    atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
    free(memory);
}

char *mem_copy_text(const char *text) {
    size_t n = strlen(text) + 1;
    char *copy = mem_alloc(n);
    if (copy) memcpy(copy, text, n);
    return copy;
}

/* ---- data blocks ---- */

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static struct { void *data; size_t bytes; } cache[CACHE_BLOCKS]; /* guarded by cache_lock */
static size_t cache_bytes;

/* Whole cache lines, and one class of sizes per sixteenth of a power of two, so that blocks fit again. */
static bool data_size(size_t bytes, size_t *rounded) {
    size_t step = 64;
    while (bytes >= CACHE_SMALLEST && step < bytes / 32) step *= 2;
    if (!checked_add_size(bytes, step - 1, rounded)) return false;
    *rounded = *rounded / step * step;
    if (*rounded == 0) *rounded = 64;
    return *rounded <= PTRDIFF_MAX;
}

static void *cache_take(size_t bytes) {
    void *data = NULL;
    pthread_mutex_lock(&cache_lock);
    for (int i = 0; i < CACHE_BLOCKS && !data; i++) {
        if (!cache[i].data || cache[i].bytes != bytes) continue;
        data = cache[i].data;
        cache[i].data = NULL;
        cache_bytes -= bytes;
    }
    pthread_mutex_unlock(&cache_lock);
    return data;
}

static bool cache_give(void *data, size_t bytes) {
    bool kept = false;
    pthread_mutex_lock(&cache_lock);
    for (int i = 0; i < CACHE_BLOCKS && !kept && bytes <= cache_most_bytes - cache_bytes; i++) {
        if (cache[i].data) continue;
        cache[i].data = data;
        cache[i].bytes = bytes;
        cache_bytes += bytes;
        kept = true;
    }
    pthread_mutex_unlock(&cache_lock);
    return kept;
}

size_t mem_data_trim(void) {
    pthread_mutex_lock(&cache_lock);
    size_t bytes = cache_bytes;
    for (int i = 0; i < CACHE_BLOCKS; i++) {
        free(cache[i].data);
        cache[i].data = NULL;
    }
    cache_bytes = 0;
    pthread_mutex_unlock(&cache_lock);
    return bytes;
}

static void *data_fresh(size_t bytes) {
    size_t align = bytes >= 2 * HUGE_PAGE ? HUGE_PAGE : 64;
    void *data = NULL;
    if (posix_memalign(&data, align, bytes)) return NULL;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (align == HUGE_PAGE) madvise(data, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#endif
    return data;
}

void *mem_data_alloc(size_t bytes) {
    if (fails_now() || !data_size(bytes, &bytes)) return NULL;
    void *data = bytes >= CACHE_SMALLEST ? cache_take(bytes) : NULL;
    if (!data) data = data_fresh(bytes);
    if (!data && mem_data_trim()) data = data_fresh(bytes);
    return counted(data);
}

void mem_data_free(void *data, size_t bytes) {
    if (!data) return;
    atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
    if (!data_size(bytes, &bytes) || bytes < CACHE_SMALLEST || !cache_give(data, bytes)) free(data);
}
