/* Lines of the user's source, recorded by the macros of <tyto/places.h>, and layers of models. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "array/tensor.h"
#include "base/hash.h"
#include "base/threads/lock.h"

_Thread_local struct location location_now;

void ty_here(const char *file, int line) { location_now.file = file, location_now.line = line; }

const char *location_words(const struct location *p, char out[LOCATION_WORDS]) {
    const char *slash = p->file ? strrchr(p->file, '/') : NULL;
    out[0] = 0;
    if (p->file) snprintf(out, LOCATION_WORDS, "%.60s:%d", slash ? slash + 1 : p->file, p->line);
    text_make_visible(out);
    return out;
}

/* The kept texts one behind another, each ending in 0, and a table of where they begin, from 1, by their hashes. */
static struct {
    int n;
    uint32_t used, at[LOCATION_LAYERS * 2];
    char bytes[LOCATION_BYTES];
} layers;
LOCK(lock)

/* Return the kept text that is equal to the one of n bytes; with the lock held. */
static const char *keep(const char *path, size_t n) {
    enum { SLOTS = sizeof layers.at / sizeof *layers.at };
    uint64_t slot = hash_bytes(path, n) % SLOTS;
    for (; layers.at[slot]; slot = (slot + 1) % SLOTS)
        if (!strcmp(&layers.bytes[layers.at[slot] - 1], path)) return &layers.bytes[layers.at[slot] - 1];
    if (layers.n == LOCATION_LAYERS || n >= LOCATION_BYTES - layers.used) return NULL;
    char *kept = &layers.bytes[layers.used];
    memcpy(kept, path, n + 1);
    layers.at[slot] = layers.used + 1;
    layers.used += (uint32_t)n + 1;
    layers.n++;
    return kept;
}
const char *location_layer(const char *path) {
    size_t n = strlen(path);
    if (!n) return NULL;
    lock_take(&lock);
    const char *kept = keep(path, n);
    lock_give(&lock);
    return kept;
}

const char *ty_place_of(const ty_tensor *x, char *out, size_t capacity) {
    char words[LOCATION_WORDS];
    if (!out || capacity == 0) return "";
    snprintf(out, capacity, "%s", location_words(&tensor_of(x)->location, words));
    return out;
}
