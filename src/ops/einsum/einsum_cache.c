/* Einsums that were asked for before, found by their equation, shapes and dtype: the search for a path costs
   more than many a contraction. */
#include <pthread.h>
#include "base/alloc.h"
#include "ops/einsum/einsum.h"

enum { ENTRIES = 64 };

struct entry {
    char *key; /* NULL: free */
    size_t length;
    uint64_t hash;
    int64_t used; /* when */
    struct einsum *einsum;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry entries[ENTRIES]; /* guarded by lock, as is now */
static int64_t now;

/* FNV-1a over words: keys are short. */
static uint64_t hash_of(const struct text *key) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < key->length; i++) hash = (hash ^ (uint8_t)key->data[i]) * 0x100000001b3;
    return hash;
}

/* All that the einsum depends on.  Constant operands are a plan's, and plans are not remembered. */
static bool key_of(const struct einsum_request *r, struct text *key) {
    struct {
        int64_t memory;
        int32_t n, dtype, objective, strategy;
    } head = {r->options.memory, r->n, (int32_t)r->dtype, (int32_t)r->options.objective,
              (int32_t)r->options.strategy};
    text_add_bytes(key, &head, sizeof head);
    text_add_bytes(key, r->text, strlen(r->text) + 1);
    for (int k = 0; k < r->n; k++) {
        text_add_bytes(key, &r->ranks[k], sizeof r->ranks[k]);
        text_add_bytes(key, r->shapes[k], (size_t)r->ranks[k] * sizeof **r->shapes);
    }
    return !key->failed;
}

static struct entry *find(const struct text *key, uint64_t hash) {
    for (int i = 0; i < ENTRIES; i++) {
        struct entry *e = &entries[i];
        if (e->key && e->hash == hash && e->length == key->length && !memcmp(e->key, key->data, e->length))
            return e;
    }
    return NULL;
}

static void empty(struct entry *e) {
    mem_free(e->key);
    if (e->einsum) einsum_release(e->einsum);
    *e = (struct entry){0};
}

static struct entry *oldest(void) {
    struct entry *old = &entries[0];
    for (int i = 1; i < ENTRIES; i++)
        if (entries[i].used < old->used) old = &entries[i];
    return old;
}

static struct einsum *get(const struct text *key, uint64_t hash) {
    pthread_mutex_lock(&lock);
    struct entry *e = find(key, hash);
    if (e) e->used = ++now;
    struct einsum *found = e ? einsum_retain(e->einsum) : NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

/* Takes the key's memory. */
static void put(struct text *key, uint64_t hash, struct einsum *einsum) {
    pthread_mutex_lock(&lock);
    if (!find(key, hash)) {
        struct entry *e = oldest();
        empty(e);
        *e = (struct entry){key->data, key->length, hash, ++now, einsum_retain(einsum)};
        *key = (struct text){0};
    }
    pthread_mutex_unlock(&lock);
}

struct einsum *einsum_find(const struct einsum_request *request, struct fault *fault) {
    struct text key = {0};
    struct einsum *e = NULL;
    if (!key_of(request, &key)) {
        text_drop(&key);
        fault_memory(fault, strlen(request->text));
        return NULL;
    }
    uint64_t hash = hash_of(&key);
    e = get(&key, hash);
    if (!e && (e = einsum_make(request, fault))) put(&key, hash, e);
    text_drop(&key);
    return e;
}

void einsum_trim(void) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < ENTRIES; i++) empty(&entries[i]);
    pthread_mutex_unlock(&lock);
}
