/* A short array searched by hash: 64 comparisons of numbers cost less than one kernel. */
#include "compile/cache.h"
#include <string.h>
#include "base/alloc.h"
#include "ops/core/eager.h"
#include "ops/einsum/einsum.h"

enum { ENTRIES = 64 };

struct entry {
    char *bytes; /* NULL: free */
    size_t length;
    uint64_t hash;
    int64_t used; /* when */
    struct ty_program *program;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry entries[ENTRIES]; /* guarded by lock, as is now */
static int64_t now;
static _Atomic int64_t compiles;

int64_t cache_compiles(void) { return atomic_load(&compiles); }
void cache_count_compile(void) { atomic_fetch_add(&compiles, 1); }

static struct entry *find(const struct key *key) {
    for (int i = 0; i < ENTRIES; i++) {
        struct entry *e = &entries[i];
        if (e->bytes && e->hash == key->hash && e->length == key->bytes.length &&
            !memcmp(e->bytes, key->bytes.data, e->length))
            return e;
    }
    return NULL;
}

static void empty(struct entry *e) {
    mem_free(e->bytes);
    if (e->program) program_release(e->program);
    *e = (struct entry){0};
}

enum cache_answer cache_get(const struct key *key, struct ty_program **program) {
    pthread_mutex_lock(&lock);
    struct entry *e = find(key);
    if (e) e->used = ++now;
    *program = e && e->program ? program_retain(e->program) : NULL;
    pthread_mutex_unlock(&lock);
    return *program ? CACHE_FOUND : e ? CACHE_SEEN : CACHE_UNKNOWN;
}

static struct entry *oldest(void) {
    struct entry *old = &entries[0];
    for (int i = 1; i < ENTRIES; i++)
        if (entries[i].used < old->used) old = &entries[i];
    return old;
}

void cache_put(const struct key *key, struct ty_program *program) {
    pthread_mutex_lock(&lock);
    struct entry *e = find(key);
    if (!e) {
        char *bytes = mem_grow(NULL, key->bytes.length, 1);
        if (bytes) {
            memcpy(bytes, key->bytes.data, key->bytes.length);
            e = oldest();
            empty(e);
            *e = (struct entry){.bytes = bytes, .length = key->bytes.length, .hash = key->hash};
        }
    }
    if (e) e->used = ++now;
    if (e && program && !e->program) e->program = program_retain(program);
    pthread_mutex_unlock(&lock);
}

void cache_clear(void) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < ENTRIES; i++) empty(&entries[i]);
    pthread_mutex_unlock(&lock);
}

/* Here, because the programs that are kept hold most of what can be given back. */
size_t ty_trim(void) {
    cache_clear();
    eager_trim();
    einsum_trim();
    return mem_data_trim();
}
