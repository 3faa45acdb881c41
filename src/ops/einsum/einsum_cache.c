/* Cache of einsums by equation, shapes and dtype, because the search for a path costs more than many a contraction. */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/lru.h"
#include "ops/einsum/einsum.h"

static void retain(void *einsum) { einsum_retain(einsum); }
static void release(void *einsum) { einsum_release(einsum); }
LOCK(lock)
enum { MOST_BYTES = 1 << 20 };
static struct lru einsums = {.lock = &lock, .retain = retain, .release = release, .most = MOST_BYTES};

/* Append the key of a request for the cache to *key. False, with no fault set, if memory runs out. Constant
   operands are not part of it: only plans have them, and plans are not cached. */
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

struct einsum *einsum_find(const struct einsum_request *request, struct fault *fault) {
    struct text key = {0};
    struct einsum *e = NULL;
    if (!key_of(request, &key)) {
        text_drop(&key);
        fault_memory(fault, strlen(request->text));
        return NULL;
    }
    struct lru_key by = {key.data, key.length, hash_bytes(key.data, key.length)};
    void *found;
    lru_get(&einsums, &by, &found);
    e = found;
    if (!e && (e = einsum_make(request, fault)))
        lru_put(&einsums, &by, e, sizeof *e + arena_bytes(&e->arena));
    text_drop(&key);
    return e;
}

void einsum_trim(void) { lru_clear(&einsums); }
