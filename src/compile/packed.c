#include "compile/packed.h"
#include <stdint.h>
#include <string.h>
#include "base/alloc.h"
#include "base/hash.h"
#include "base/threads/lock.h"

enum { BUCKETS = 256, SAMPLES = 64, SAMPLE = 64 };

/* Shared data. */
struct packed {
    struct packed *next; /* next in its bucket */
    uint64_t hash;
    size_t bytes;
    int64_t users;
    void *data;
};

LOCK(lock)
static struct packed *buckets[BUCKETS]; /* guarded by `lock`, as are the fields of all entries */

/* Return a hash of samples of the data: all of it would take as long as packing. */
static uint64_t hash_of(const void *data, size_t bytes) {
    uint64_t hash = hash_join(0, bytes);
    size_t step = bytes / SAMPLES;
    if (step <= SAMPLE) return hash_join(hash, hash_bytes(data, bytes));
    for (size_t i = 0; i < SAMPLES; i++)
        hash = hash_join(hash, hash_bytes((const char *)data + i * step, SAMPLE));
    return hash_number(hash);
}

/* Return the link to the entry of these bytes and hash whose data is at `data`, or any if that is NULL; a link to NULL
   if there is none. The lock must be held. */
static struct packed **find(uint64_t hash, size_t bytes, const void *data) {
    struct packed **at = &buckets[hash % BUCKETS];
    while (*at && ((*at)->hash != hash || (*at)->bytes != bytes || (data && (*at)->data != data)))
        at = &(*at)->next;
    return at;
}

void *packed_new(size_t bytes) {
    void *data = mem_data_alloc(bytes);
    if (data) memset(data, 0, bytes); /* what packing leaves out must be equal, too */
    return data;
}

/* End a use of shared data and return the memory to free; NULL if others use it. Data that is not shared is returned. */
static void *unused(void *data, size_t bytes) {
    lock_take(&lock);
    struct packed **at = find(hash_of(data, bytes), bytes, data), *p = *at;
    bool last = !p || --p->users == 0;
    if (p && last) *at = p->next;
    lock_give(&lock);
    if (p && last) mem_free(p);
    return last ? data : NULL;
}

void packed_end(void *data, size_t bytes) {
    void *gone = data ? unused(data, bytes) : NULL;
    if (gone) mem_data_free(gone, bytes);
}

/* Let others share the data. Without memory nobody does. */
static void offer(void *data, size_t bytes, uint64_t hash) {
    struct packed *p = mem_alloc(sizeof *p);
    if (!p) return;
    lock_take(&lock);
    *p = (struct packed){buckets[hash % BUCKETS], hash, bytes, 1, data};
    buckets[hash % BUCKETS] = p;
    lock_give(&lock);
}

void *packed_share(void *data, size_t bytes) {
    uint64_t hash = hash_of(data, bytes);
    lock_take(&lock);
    struct packed *p = *find(hash, bytes, NULL);
    void *other = p ? p->data : NULL;
    if (p) p->users++;
    lock_give(&lock);
    if (other && !memcmp(other, data, bytes)) {
        mem_data_free(data, bytes);
        return other;
    }
    packed_end(other, bytes);
    offer(data, bytes, hash);
    return data;
}
