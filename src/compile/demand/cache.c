#include "compile/demand/cache.h"
#include <stdatomic.h>
#include "base/alloc.h"
#include "base/lru.h"
#include "base/options.h"
#include "base/threads/unload.h"
#include "compile/demand/kept.h"
#include "ops/core/eager.h"
#include "ops/core/kernel/devices.h"
#include "ops/core/kernel/prepared.h"
#include "ops/einsum/einsum.h"

static void retain(void *program) { program_retain(program); }
static void release(void *program) { program_release(program); }
LOCK(lock)
static struct lru programs = {
    .lock = &lock, .retain = retain, .release = release, .parts = program_parts, .most = SIZE_MAX};
static _Atomic int64_t compiles;
static _Atomic int64_t most = -1; /* limit that the caller set; below 0: the default */

int64_t cache_compiles(void) { return atomic_load(&compiles); }
void cache_count_compile(void) { atomic_fetch_add(&compiles, 1); }

static struct lru_key key_of(const struct key *key) {
    return (struct lru_key){key->bytes.data, key->bytes.length, key->hash};
}

enum lru_answer cache_get(const struct key *key, struct ty_program **program) {
    struct lru_key by = key_of(key);
    void *found;
    enum lru_answer answer = lru_get(&programs, &by, &found);
    *program = found;
    return answer;
}

void cache_put(const struct key *key, struct ty_program *program) {
    struct lru_key by = key_of(key);
    lru_bound(&programs, kept_most(atomic_load(&most)));
    lru_put(&programs, &by, program, program ? program_bytes(program) : 0);
}

void ty_eval_cache(int64_t bytes) {
    atomic_store(&most, bytes < 0 ? -1 : bytes);
    lru_bound(&programs, kept_most(bytes));
}

void ty_eval_report_sized(ty_function_memory *memory, size_t size) {
    ty_function_memory now;
    kept_report(&programs, atomic_load(&most), cache_compiles(), &now);
    options_write(memory, size, &now, sizeof now);
}

/* Empty the cache (ty_trim). */
static void cache_clear(void) { lru_clear(&programs); }

/* Free cached programs, kernels and recycled memory, and return the bytes of data freed. Defined here, as
   cached programs hold most of it. */
size_t ty_trim(void) {
    cache_clear();
    eager_trim();
    prepared_trim();
    einsum_trim();
    devices_trim();
    return mem_data_trim();
}

__attribute__((destructor)) static void end(void) {
    if (unloading()) ty_trim();
}
