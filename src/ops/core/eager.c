/*
 * Eager execution: a program of one kernel.  Lowering and looking up the preparation take longer than adding a hundred
 * numbers, and loops repeat the same calls.  So each thread caches its last prepared kernels (prepared.h) by
 * everything that lowering and preparing depend on: engine, instruction set, threads, workspace, operator, attributes,
 * dtypes, layouts.  The size of a thread's cache is bounded by evicting entries round-robin.
 */
#include "ops/core/eager.h"
#include <string.h>
#include "base/alloc.h"
#include "base/hash.h"
#include "base/machine/isa.h"
#include "base/context/stop.h"
#include "base/threads/lock.h"
#include "base/threads/parallel.h"
#include "base/ring.h"
#include "base/threads/thread_end.h"
#include "base/threads/unload.h"
#include "base/workspace.h"
#include "array/remote.h"
#include "ops/core/kernel/devices.h"
#include "ops/core/kernel/kernel_lower.h"
#include "ops/core/kernel/prepared.h"
#include "ops/core/watch.h"

enum {
    KEY_WORDS = 96,
    STACK_BYTES = 1 << 10, /* small, since preparing a contraction needs the rest of the stack */
    USUAL_INPUTS = 8,
    PIECES = 96,
    MOST_BYTES = 3 << 20, /* limit per thread; a contraction takes some 50 KiB */
#if defined(__SANITIZE_ADDRESS__)
    SCRATCH_KEPT = 0 /* the pool guards the bytes behind a block */
#else
    SCRATCH_KEPT = 64 << 10 /* bytes; a gather of few elements takes 48 KiB, other kernels less */
#endif
};

struct eager_key {
    int n; /* words used; 0: empty */
    int64_t words[KEY_WORDS];
};

struct piece {
    struct eager_key key;
    struct prepared *prepared; /* NULL: empty */
};

struct eager_pieces {
    struct ring others; /* ring of the caches of all threads */
    int hand;           /* index of the next entry to evict */
    size_t bytes;       /* total size of the cached preparations */
    char *scratch;      /* SCRATCH_KEPT bytes between kernels of small workspaces; NULL: none, or in use */
    struct piece at[PIECES];
};

/* ---- the cache of a thread: made when it first computes, freed when it ends ---- */

/* Release the preparation of a cache entry, if it has one, subtract its bytes from *all, and clear its key. */
static void empty(struct eager_pieces *all, struct piece *piece) {
    if (!piece->prepared) return;
    all->bytes -= piece->prepared->bytes;
    prepared_release(piece->prepared);
    piece->prepared = NULL;
    piece->key.n = 0;
}

/* All threads' caches, so that all are freed when the library is unloaded. */
LOCK(lock)
static struct ring everybody;

/* Add a thread's cache to the list of all threads' caches. */
static void enlist(struct eager_pieces *all) {
    lock_take(&lock);
    ring_add(&everybody, &all->others);
    lock_give(&lock);
}

/* Remove a thread's cache from the list of all caches, release its entries, and free it. */
static void drop(struct eager_pieces *all) {
    lock_take(&lock);
    ring_remove(&all->others);
    lock_give(&lock);
    for (int i = 0; i < PIECES; i++) empty(all, &all->at[i]);
    mem_near_free(all->scratch, SCRATCH_KEPT);
    mem_free(all);
}

__attribute__((destructor)) static void end(void) {
    while (unloading() && ring_newest(&everybody))
        drop(RING_ITEM(ring_newest(&everybody), struct eager_pieces, others));
    context_thread.pieces = NULL;
}

void eager_trim(void) {
    struct context_thread *t = thread_now();
    if (t->pieces) drop(t->pieces);
    t->pieces = NULL;
}
static _Thread_local struct thread_end at_end = {.end = eager_trim};

/* Allocate the cache of thread t and return it. NULL, with no fault set, if memory runs out. It is one block, whose
   unused pages are never touched. */
static __attribute__((noinline)) struct eager_pieces *make_pieces(struct context_thread *t) {
    if (!thread_at_end(&at_end)) return NULL;
    struct eager_pieces *all = mem_alloc(sizeof *all);
    if (!all) return NULL;
    enlist(all);
    t->pieces = all;
    return all;
}

/* ---- keys ---- */

/* Append n bytes to the key, padded to words; sets key->n above KEY_WORDS if they do not fit. */
static void add_bytes(struct eager_key *key, const void *bytes, size_t n) {
    size_t words = (n + 7) / 8;
    if (words > (size_t)(KEY_WORDS - key->n)) {
        key->n = KEY_WORDS + 1;
        return;
    }
    if (words) key->words[key->n + (int)words - 1] = 0;
    if (n) memcpy(&key->words[key->n], bytes, n);
    key->n += (int)words;
}

/* Append dtype, shape, strides and offset to the key. */
static void add_layout(struct eager_key *key, ty_dtype dtype, const struct layout *l) {
    int64_t head[2] = {(int64_t)dtype << 32 | l->rank, l->offset};
    size_t axes = sizeof(int64_t) * (size_t)l->rank;
    add_bytes(key, head, sizeof head);
    if (key->n <= KEY_WORDS) add_bytes(key, l->shape, axes);
    if (key->n <= KEY_WORDS) add_bytes(key, l->strides, axes);
}

/* Return n bytes less the trailing whole 8-byte words that are zero, since unused attributes are zero. */
static size_t without_zeros(const char *bytes, size_t n) {
    for (uint64_t word; n >= sizeof word; n -= sizeof word) {
        memcpy(&word, bytes + n - sizeof word, sizeof word);
        if (word) break;
    }
    return n;
}

/* Return the engine of thread t that computes in the host's memory. */
static const struct engine *host_engine(const struct context_thread *t) {
    return engine_at_host(t->engine ? t->engine : engine_current());
}

/* Build the key of a call in *key: operator, attributes, dtypes and layouts, engine, instruction set and
   number of threads. False, with no fault set, if it is too long to cache. */
static bool make_key(const struct context_thread *t, const struct engine *engine, struct eager_key *key,
                     const ty_tensor *y, const struct infer *in) {
    const void *who[2] = {engine, in->op};
    size_t attr_bytes = without_zeros(in->attr, in->attr_bytes);
    int64_t how[4] = {(int64_t)isa_current() << 32 | parallel_width_of(t), workspace_most_of(t),
                      (int64_t)in->attr_bytes << 32 | in->ninputs, (int64_t)attr_bytes};
    key->n = 0;
    add_bytes(key, who, sizeof who);
    add_bytes(key, how, sizeof how);
    add_bytes(key, in->attr, attr_bytes);
    if (key->n <= KEY_WORDS) add_layout(key, y->dtype, &y->layout);
    for (int i = 0; i < in->ninputs && key->n <= KEY_WORDS; i++)
        add_layout(key, in->inputs[i]->dtype, &in->inputs[i]->layout);
    return key->n <= KEY_WORDS;
}

/* Return the entry of a cache where the key belongs; it may hold another key or be empty. */
static struct piece *piece_of(struct eager_pieces *all, const struct eager_key *key) {
    return &all->at[(hash_words(key->words, (size_t)key->n) >> 32) % PIECES];
}

static bool same_key(const struct eager_key *a, const struct eager_key *b) {
    return a->n == b->n && !memcmp(a->words, b->words, sizeof *a->words * (size_t)a->n);
}

/* ---- look up, launch, compute ---- */

/* Lower in->op, in temporary memory, and return its preparation by an engine, owned by the caller.  NULL, with the
   fault set, on failure. */
static __attribute__((noinline)) struct prepared *
eager_prepare(const struct engine *engine, const ty_tensor *y, const struct infer *in, struct fault *fault) {
    _Alignas(16) char stack[STACK_BYTES];
    struct arena arena = {0};
    struct operand room[USUAL_INPUTS], *inputs = room, output = {.dtype = y->dtype, .layout = y->layout};
    struct prepared *found = NULL;
    struct kernel kernel;
    arena_use(&arena, stack, sizeof stack);
    if (in->ninputs > USUAL_INPUTS) inputs = arena_array(&arena, (size_t)in->ninputs, sizeof *inputs);
    for (int i = 0; inputs && i < in->ninputs; i++)
        inputs[i] = (struct operand){.dtype = in->inputs[i]->dtype, .layout = in->inputs[i]->layout};
    if (!inputs)
        fault_memory(fault, (size_t)in->ninputs * sizeof *inputs);
    else if (kernel_lower(&kernel, in->op, in->attr, in->attr_bytes, in->ninputs, inputs, &output, &arena,
                          fault))
        found = prepared_for(engine, &kernel, fault);
    arena_drop(&arena);
    return found;
}

struct prepared *eager_shared(const struct engine *engine, const ty_tensor *y, const struct infer *in,
                              struct fault *fault) {
    struct eager_key key;
    bool cached = make_key(thread_now(), engine, &key, y, in);
    struct prepared *p = cached ? prepared_noted(key.words, (size_t)key.n) : NULL;
    if (p) return p;
    p = eager_prepare(engine, y, in, fault);
    if (p && cached) prepared_note(key.words, (size_t)key.n, p);
    return p;
}

static bool run(const struct launch *l, struct fault *fault) {
    return prepared_start(l->shared, l->slots, l->workspace, fault);
}

/* Launch p under the watchers that are active. False, with the fault set, on failure. */
static __attribute__((noinline)) bool watch(struct prepared *p, void *const *slots, void *workspace,
                                            struct fault *fault) {
    struct launch l = {&p->kernel, p, NULL, slots, workspace, run};
    return watcher.watch(&l, fault);
}

bool eager_start(struct context_thread *t, struct prepared *p, void *const *slots, void *workspace,
                 struct fault *fault) {
    bool done =
        launch_watches() ? watch(p, slots, workspace, fault) : prepared_start(p, slots, workspace, fault);
    return stop_end_of(t, fault) && done;
}

/* Return the workspace of a kernel on thread t, to be dropped by drop_workspace; NULL if memory runs out. Small ones
   are kept from call to call, since the pool of blocks takes a tenth of the time of adding ten numbers. A kernel that
   calls the user's function may compute within, so the block belongs to the call meanwhile. */
static char *take_workspace(struct context_thread *t, size_t bytes, ty_context **account) {
    struct eager_pieces *all = t->pieces;
    if (bytes > SCRATCH_KEPT || !all) return account_near_alloc(bytes, account);
    if (!account_charge(bytes, account)) return NULL;
    char *kept = all->scratch ? all->scratch : mem_near_alloc(SCRATCH_KEPT);
    all->scratch = NULL;
    if (!kept) account_credit(bytes, *account);
    return kept;
}

/* Drop a workspace of take_workspace, which was called with pieces if `keeps`; NULL is allowed. */
static void drop_workspace(struct context_thread *t, char *workspace, size_t bytes, bool keeps,
                           ty_context *account) {
    if (bytes > SCRATCH_KEPT || !keeps) {
        account_near_free(workspace, bytes, account);
        return;
    }
    if (!workspace) return;
    account_credit(bytes, account);
    struct eager_pieces *all = t->pieces; /* the user's function may have freed them by ty_trim */
    if (all && !all->scratch)
        all->scratch = workspace;
    else
        mem_near_free(workspace, SCRATCH_KEPT);
}

/* Launch p for y = op(inputs): write the result to y's memory. The launch's slots are the addresses of the
   inputs, then of y. Allocates the workspace. False, with the fault set, on failure. */
static bool launch(struct context_thread *t, struct prepared *p, const ty_tensor *y, const struct infer *in,
                   struct fault *fault) {
    void *room[USUAL_INPUTS + 1], **slots = room;
    size_t bytes = p->kernel.workspace;
    ty_context *account = NULL;
    if (!launch_allowed(t, &p->kernel, fault)) return false;
    if (in->ninputs > USUAL_INPUTS) slots = mem_array((size_t)in->ninputs + 1, sizeof *slots);
    if (!slots) return fault_memory(fault, sizeof *slots);
    bool home = true, keeps = t->pieces != NULL;
    for (int i = 0; i < in->ninputs && home; i++)
        home = (slots[i] = tensor_at(in->inputs[i], NULL, fault)) != NULL;
    slots[in->ninputs] = y->buffer->data + y->layout.offset * (int64_t)dtype_table[y->dtype].size;
    char *workspace = bytes && home ? take_workspace(t, bytes, &account) : NULL;
    bool done = !home                 ? false
                : workspace || !bytes ? eager_start(t, p, slots, workspace, fault)
                                      : fault_memory(fault, bytes);
    if (bytes) drop_workspace(t, workspace, bytes, keeps, account);
    if (slots != room) mem_free(slots);
    return done;
}

/* Evict entries of a cache in circular order until its bytes are at most MOST_BYTES; the entry `used` only after all
   others. */
static void limit_bytes(struct eager_pieces *all, struct piece *used) {
    for (int i = 0; i < PIECES && all->bytes > MOST_BYTES; i++) {
        struct piece *next = &all->at[all->hand];
        all->hand = (all->hand + 1) % PIECES;
        if (next != used) empty(all, next);
    }
    if (all->bytes > MOST_BYTES) empty(all, used);
}

/* Return `piece`, which holds the preparation of the call y = op(inputs) under `key` afterwards; another
   preparation in it is released. NULL, with the fault set, if preparing fails. */
static struct piece *fill_piece(struct eager_pieces *all, struct piece *piece, const struct eager_key *key,
                                const ty_tensor *y, const struct infer *in, struct fault *fault) {
    if (piece->prepared && same_key(&piece->key, key)) return piece;
    struct prepared *p = eager_prepare(host_engine(thread_now()), y, in, fault);
    if (!p) return NULL;
    empty(all, piece);
    piece->key = *key;
    piece->prepared = p;
    all->bytes += p->bytes;
    return piece;
}

/* Compute y on thread t by the preparation that its cache `all` has under `key`; prepare and cache it if there is
   none. False, with the fault set, on failure. */
static bool compute_remembered(struct context_thread *t, struct eager_pieces *all,
                               const struct eager_key *key, const ty_tensor *y, const struct infer *in,
                               struct fault *fault) {
    struct piece *piece = fill_piece(all, piece_of(all, key), key, y, in, fault);
    bool done = piece && launch(t, piece->prepared, y, in, fault);
    if (all->bytes > MOST_BYTES && piece) limit_bytes(all, piece);
    return done;
}

/* Compute y by a preparation that is freed afterwards, not cached. False, with the fault set, on failure. */
static bool compute_once(struct context_thread *t, const ty_tensor *y, const struct infer *in,
                         struct fault *fault) {
    struct prepared *p = eager_prepare(host_engine(t), y, in, fault);
    bool done = p && launch(t, p, y, in, fault);
    if (p) prepared_release(p);
    return done;
}

bool eager_compute(const ty_tensor *y, const struct infer *in, struct fault *fault) {
    if (__builtin_expect(!y->buffer->data, 0)) return eager_compute_on(y, in, fault);
    struct context_thread *t = thread_now();
    struct eager_key key;
    bool cached = make_key(t, host_engine(t), &key, y, in);
    struct eager_pieces *all = !cached ? NULL : t->pieces ? t->pieces : make_pieces(t);
    return all ? compute_remembered(t, all, &key, y, in, fault) : compute_once(t, y, in, fault);
}
