/* Addresses of device memory, and the commands on it. */
#include "array/device_memory.h"
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include "base/alloc.h"
#include "base/list.h"
#include "base/machine/cache.h"
#include "base/machine/debug.h"
#include "base/threads/lock.h"

/* ---- the table of blocks ---- */

struct span {
    char *start;
    size_t bytes;
    struct device *device;
    void *handle;
};
LOCK(lock)
static struct span *spans; /* in ascending order of addresses */
static int nspans, room;

/* Return the number of blocks that begin at or before the address. */
static int spans_until(const void *address) {
    int low = 0, high = nspans;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if ((uintptr_t)spans[middle].start <= (uintptr_t)address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Return the block that contains the address; NULL if there is none.  The lock must be held. */
static struct span *span_at(const void *address) {
    int i = spans_until(address) - 1;
    return i >= 0 && (uintptr_t)address - (uintptr_t)spans[i].start < spans[i].bytes ? &spans[i] : NULL;
}

/* Add a block to the table.  False if memory runs out. */
static bool add(struct span s) {
    lock_take(&lock);
    bool fits = list_reserve(spans, (size_t)nspans + 1, room);
    int at = fits ? spans_until(s.start) : 0;
    if (fits) {
        memmove(spans + at + 1, spans + at, (size_t)(nspans++ - at) * sizeof *spans);
        spans[at] = s;
    }
    lock_give(&lock);
    return fits;
}

/* Remove the block that begins at the address from the table, and return it. */
static struct span take(const void *address) {
    lock_take(&lock);
    int at = spans_until(address) - 1;
    struct span s = spans[at];
    memmove(spans + at, spans + at + 1, (size_t)(--nspans - at) * sizeof *spans);
    if (!nspans) {
        mem_free(spans);
        spans = NULL;
        room = 0;
    }
    lock_give(&lock);
    return s;
}

struct device_place device_find(const struct device *d, const void *address) {
    struct device_place place = {0};
    lock_take(&lock);
    const struct span *s = span_at(address);
    if (s && s->device == d) place = (struct device_place){s->handle, (const char *)address - s->start};
    lock_give(&lock);
    return place;
}

/* ---- devices ---- */

atomic_int devices_open;

void device_lose(struct device *d) { atomic_store(&d->lost, true); }

bool device_usable(struct device *d, struct fault *fault) {
    return !atomic_load_explicit(&d->lost, memory_order_relaxed) ||
           fault_set(fault, E_DEVICE,
                     "%s: the device is lost, was opened before a fork, or its engine was removed", d->name);
}

/* Set the fault of a block that did not fit.  Always return NULL. */
static void *refuse(const struct device *d, size_t bytes, struct fault *fault) {
    long long held = (long long)atomic_load(&d->held), total = (long long)d->facts.memory;
    fault_set(fault, E_MEMORY, "%s: out of memory: %zu bytes were asked for, %lld are free, %lld are held",
              d->name, bytes, total > held ? total - held : 0, held);
    return NULL;
}

/* Return the handle of a new block.  NULL, with the fault set, on failure. */
static void *new_handle(struct device *d, size_t bytes, struct fault *fault) {
    struct fault why;
    fault_clear(&why);
    if (d->facts.most && bytes > (size_t)d->facts.most) return refuse(d, bytes, fault);
    void *handle = d->family->allocate(d, bytes, &why);
    if (!handle && why.set && why.code != E_MEMORY) return fault_copy(fault, &why), NULL;
    return handle ? handle : refuse(d, bytes, fault);
}

void *device_allocate(struct device *d, size_t bytes, struct fault *fault) {
    if (!device_usable(d, fault)) return NULL;
    struct span s = {.bytes = bytes, .device = d, .handle = new_handle(d, bytes, fault)};
    if (!s.handle) return NULL;
    s.start = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (s.start == MAP_FAILED || !add(s)) {
        if (s.start != MAP_FAILED) munmap(s.start, bytes);
        d->family->release(d, s.handle);
        fault_memory(fault, bytes);
        return NULL;
    }
    atomic_fetch_add(&d->held, (int64_t)bytes);
    return s.start;
}

void device_free(struct device *d, void *address) {
    if (!address) return;
    struct span s = take(address);
    munmap(s.start, s.bytes);
    if (!atomic_load(&d->orphan)) d->family->release(d, s.handle);
    atomic_fetch_sub(&d->held, (int64_t)s.bytes);
}

/* ---- commands ---- */

/* Wait for the commands given to a stream so far.  False, with the fault set, if one of them failed. */
static bool wait_for(struct device *d, void *stream, struct fault *fault) {
    void *event = d->family->record(d, stream, fault);
    if (!event) return false;
    bool done = d->family->wait(d, event, fault);
    d->family->event_release(d, event);
    return done;
}

bool device_wait(struct device *d, struct fault *fault) {
    return device_usable(d, fault) && wait_for(d, d->stream, fault);
}

/* Upload by a stream, and wait for that. */
static bool upload(struct device *d, void *stream, void *to, const void *from, size_t bytes,
                   struct fault *fault) {
    double start = debug_clock();
    if (!bytes) return true;
    if (!device_usable(d, fault) || !d->family->upload(d, stream, device_find(d, to), from, bytes, fault) ||
        !wait_for(d, stream, fault))
        return false;
    copy_watcher.copied(d, COPY_TO_DEVICE, bytes, debug_clock() - start);
    return true;
}

bool device_upload(struct device *d, void *to, const void *from, size_t bytes, struct fault *fault) {
    return upload(d, d->stream, to, from, bytes, fault);
}

bool device_upload_new(struct device *d, void *to, const void *from, size_t bytes, struct fault *fault) {
    return upload(d, d->copies, to, from, bytes, fault);
}

/* Download by a stream, and wait for that. */
static bool download(struct device *d, void *stream, void *to, const void *from, size_t bytes,
                     struct fault *fault) {
    double start = debug_clock();
    if (!bytes) return true;
    if (!device_usable(d, fault) || !d->family->download(d, stream, to, device_find(d, from), bytes, fault) ||
        !wait_for(d, stream, fault))
        return false;
    copy_watcher.copied(d, COPY_FROM_DEVICE, bytes, debug_clock() - start);
    return true;
}

bool device_download(struct device *d, void *to, const void *from, size_t bytes, struct fault *fault) {
    return download(d, d->stream, to, from, bytes, fault);
}

bool device_download_ended(struct device *d, void *to, const void *from, size_t bytes, struct fault *fault) {
    return download(d, d->copies, to, from, bytes, fault);
}

bool device_copy(struct device *d, void *to, const void *from, size_t bytes, struct fault *fault) {
    if (!bytes || to == from) return true;
    return device_usable(d, fault) &&
           d->family->copy(d, d->stream, device_find(d, to), device_find(d, from), bytes, fault);
}

bool device_zero(struct device *d, void *to, size_t bytes, struct fault *fault) {
    if (!bytes) return true;
    return device_usable(d, fault) && d->family->zero(d, d->stream, device_find(d, to), bytes, fault);
}

/* ---- memory of host or device ---- */

bool memory_copy(struct device *d, void *to, const void *from, size_t bytes, struct fault *fault) {
    if (d) return device_copy(d, to, from, bytes, fault);
    if (bytes) cache_copy(to, from, bytes);
    return true;
}

bool memory_zero(struct device *d, void *to, size_t bytes, struct fault *fault) {
    if (d) return device_zero(d, to, bytes, fault);
    if (bytes) memset(to, 0, bytes);
    return true;
}

bool memory_get(struct device *d, void *to, const void *from, size_t bytes, struct fault *fault) {
    if (d) return device_download(d, to, from, bytes, fault);
    if (bytes) memcpy(to, from, bytes);
    return true;
}

bool memory_set(struct device *d, void *to, const void *from, size_t bytes, struct fault *fault) {
    if (d) return device_upload(d, to, from, bytes, fault);
    if (bytes) memcpy(to, from, bytes);
    return true;
}
