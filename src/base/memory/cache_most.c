#include "base/memory/cache_most.h"
#include <stdatomic.h>
#include <tyto/cache.h>
#include "base/memory/blocks.h"
#include "base/context/context.h"
#include "base/machine/environment.h"
#include "base/options.h"

static bool allows(const char *value) {
    int64_t bytes;
    return environment_number(value, INT64_MAX, &bytes);
}
const struct environment_row environment_cache = {"TY_CACHE", "a number of bytes, 0 to keep nothing", allows,
                                                  "Bytes of freed memory that are kept for reuse."};

enum { UNREAD = -2, AUTOMATIC = -1 };

/* Return TY_CACHE, read at the first call; AUTOMATIC if it is not set. */
static int64_t default_most(void) {
    static _Atomic int64_t known = UNREAD;
    int64_t bytes = atomic_load_explicit(&known, memory_order_relaxed);
    if (bytes != UNREAD) return bytes;
    const char *value = environment_value(&environment_cache);
    bytes = AUTOMATIC;
    if (value) environment_number(value, INT64_MAX, &bytes);
    atomic_store_explicit(&known, bytes, memory_order_relaxed);
    return bytes;
}

int64_t cache_most(void) {
    int64_t set = atomic_load_explicit(&context_now()->cache, memory_order_relaxed);
    return set ? set - 1 : default_most();
}

void ty_set_cache(int64_t bytes) {
    int64_t set = bytes < 0 ? 0 : bytes < INT64_MAX ? bytes + 1 : bytes;
    atomic_store(&context_now()->cache, set);
    blocks_settle();
}

int64_t ty_cache(void) {
    struct blocks_state state = blocks_state();
    return (int64_t)state.most;
}

void ty_memory_now_sized(ty_memory_state *memory, size_t size) {
    struct blocks_state s = blocks_state();
    ty_memory_state now = {(int64_t)s.live, (int64_t)s.recent, (int64_t)s.kept, (int64_t)s.peak};
    options_write(memory, size, &now, sizeof now);
}
