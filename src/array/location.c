/* Lines of the user's source, recorded by the macros of <tyto/places.h>, and layers of models. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "array/tensor.h"
#include "base/files/folders.h"
#include "base/hash.h"
#include "base/threads/lock.h"

_Thread_local struct location location_now;

void ty_here(const char *file, int line) { location_now.file = file, location_now.line = line; }

const char *location_words(const struct location *p, char out[LOCATION_WORDS]) {
    out[0] = 0;
    if (p->file) snprintf(out, LOCATION_WORDS, "%.60s:%d", folders_name(p->file), p->line);
    text_make_visible(out);
    return out;
}

/* The kept texts one behind another, each ending in 0, and a table of where they begin, from 1, by their hashes. */
static struct {
    int n, read; /* texts; those of files among them */
    uint32_t used, read_bytes, at[LOCATION_LAYERS * 2];
    char bytes[LOCATION_BYTES];
} layers;
LOCK(lock)

/* Return the place in the table of the text of n bytes, which is free if the text is not kept; with the lock held. */
static uint64_t place_of(const char *path, size_t n) {
    enum { SLOTS = sizeof layers.at / sizeof *layers.at };
    uint64_t slot = hash_bytes(path, n) % SLOTS;
    while (layers.at[slot] && strcmp(&layers.bytes[layers.at[slot] - 1], path) != 0)
        slot = (slot + 1) % SLOTS;
    return slot;
}

/* Keep the text of n bytes at a free place of the table; NULL without room; with the lock held. */
static const char *keep(const char *path, size_t n, uint64_t slot) {
    if (layers.n == LOCATION_LAYERS || n >= LOCATION_BYTES - layers.used) return NULL;
    char *kept = &layers.bytes[layers.used];
    memcpy(kept, path, n + 1);
    layers.at[slot] = layers.used + 1;
    layers.used += (uint32_t)n + 1;
    layers.n++;
    return kept;
}

/* Return the kept text of a file, or of a layer; *fresh: it was not kept before. */
static const char *kept_text(const char *path, bool read, bool *fresh) {
    size_t n = strlen(path);
    *fresh = false;
    if (!n) return NULL;
    lock_take(&lock);
    uint64_t slot = place_of(path, n);
    bool full = read && (layers.read >= LOCATION_LAYERS / 2 || n >= LOCATION_BYTES / 2 - layers.read_bytes);
    const char *kept = layers.at[slot] ? &layers.bytes[layers.at[slot] - 1] : NULL;
    if (!kept && !full) {
        kept = keep(path, n, slot);
        *fresh = kept;
    }
    if (*fresh && read) layers.read++, layers.read_bytes += (uint32_t)n + 1;
    lock_give(&lock);
    return kept;
}

const char *location_layer(const char *path) { return kept_text(path, false, &(bool){false}); }
const char *location_read(const char *path, bool *fresh) { return kept_text(path, true, fresh); }

const char *ty_place_of(const ty_tensor *x, char *out, size_t capacity) {
    char words[LOCATION_WORDS];
    if (!out || capacity == 0) return "";
    snprintf(out, capacity, "%s", location_words(&tensor_of(x)->location, words));
    return out;
}
