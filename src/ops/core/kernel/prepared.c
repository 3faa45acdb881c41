/* Cache of prepared kernels by everything that preparing depends on: engine, instruction set, threads, workspace,
   and the kernel except for its operands' addresses. */
#include "ops/core/kernel/prepared.h"
#include <string.h>
#include "base/alloc.h"
#include "base/hash.h"
#include "base/context/context.h"
#include "base/machine/isa.h"
#include "base/lru.h"
#include "base/context/stop.h"
#include "base/threads/parallel.h"
#include "base/threads/unload.h"
#include "base/workspace.h"
#include "ops/core/guard.h"
#include "ops/core/kernel/kernel_lower.h"
#include "ops/core/kernel/verify.h"
#include "ops/core/kernel/work.h"

enum {
    KEY_WORDS = 512,      /* kernels with longer keys (very many operands) are not cached */
    MOST_BYTES = 8 << 20, /* size of the cache; a contraction takes some 50 KiB */
    STACK_SLOTS = 40,     /* more operands than any program has */
    LONG_WORK = 1 << 18   /* operations of a kernel that may take long: 0.1 to 30 ms on one thread */
};

struct prepared *prepared_retain(struct prepared *p) {
    atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
    return p;
}
static void retain(void *p) { prepared_retain(p); }
static void release(void *p) { prepared_release(p); }
LOCK(lock)
static struct lru cache = {.lock = &lock, .retain = retain, .release = release, .most = MOST_BYTES};
LOCK(noting)
static struct lru notes = {.lock = &noting, .retain = retain, .release = release, .most = MOST_BYTES};

void prepared_release(struct prepared *p) {
    if (atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) != 1) return;
    if (p->engine->drop && p->made) p->engine->drop(&p->kernel);
    arena_drop(&p->arena);
    mem_free(p);
}

static _Atomic int64_t made;
int64_t prepared_made(void) { return atomic_load(&made); }

void prepared_trim(void) {
    lru_clear(&notes);
    lru_clear(&cache);
}

__attribute__((destructor)) static void end(void) {
    if (unloading()) prepared_trim();
}

/* ---- keys ---- */

struct prepared_key {
    size_t n; /* words; above KEY_WORDS: too long */
    int64_t words[KEY_WORDS];
};

static void add_word(struct prepared_key *key, int64_t word) {
    if (key->n < KEY_WORDS) key->words[key->n] = word;
    key->n++;
}

/* Append n and the n bytes to the key, padded to 8-byte words. If they do not fit, they are not copied, and
   key->n, in words, grows beyond KEY_WORDS. */
static void add_bytes(struct prepared_key *key, const void *bytes, size_t n) {
    size_t words = (n + 7) / 8;
    add_word(key, (int64_t)n);
    if (words && key->n + words <= KEY_WORDS) {
        key->words[key->n + words - 1] = 0;
        memcpy(&key->words[key->n], bytes, n);
    }
    key->n += words;
}

/* Append dtype, layout and guard of n operands to the key. */
static void add_operands(struct prepared_key *key, int n, const struct operand *x) {
    for (int i = 0; i < n; i++) {
        add_word(key, (int64_t)x[i].dtype << 32 | x[i].passing << 16 | x[i].layout.rank);
        for (int a = 0; a < x[i].layout.rank; a++) add_word(key, x[i].layout.shape[a]);
        for (int a = 0; a < x[i].layout.rank; a++) add_word(key, x[i].layout.strides[a]);
        add_word(key, x[i].guard ? 1 + x[i].guard->free : 0);
        for (int a = 0; x[i].guard && a < x[i].layout.rank; a++) {
            add_word(key, x[i].guard->low[a]);
            add_word(key, x[i].guard->high[a]);
        }
    }
}

/* Append an elementwise program to the key; NULL is -1. */
static void add_program(struct prepared_key *key, const struct program *p) {
    add_word(key, p ? (int64_t)p->ninputs << 32 | p->ninstrs : -1);
    for (int i = 0; p && i < p->ninstrs; i++) {
        const struct instr *s = &p->instrs[i];
        add_word(key, (int64_t)(intptr_t)s->op);
        add_word(key, (int64_t)s->in << 32 | s->out);
        add_word(key, (int64_t)s->src[0] << 32 | s->src[1] << 16 | s->src[2]);
    }
    if (p) add_bytes(key, p->outputs, (size_t)p->noutputs * sizeof *p->outputs);
}

/* Build the key of kernel k for an engine in *key: all that preparing depends on, without addresses. False,
   with no fault set, if it is too long to cache. */
static bool make_key(struct prepared_key *key, const struct engine *engine, const struct kernel *k) {
    key->n = 0;
    add_word(key, (int64_t)(intptr_t)engine);
    add_word(key, (int64_t)isa_current() << 32 | parallel_width());
    add_word(key, workspace_most());
    add_word(key, (int64_t)(intptr_t)k->op);
    add_word(key, (int64_t)k->kind << 32 | k->core_dtype);
    add_word(key, (int64_t)k->ncore << 33 | (int64_t)k->looks << 32 | k->constant);
    add_word(key, (int64_t)k->ninputs << 32 | k->noutputs);
    add_bytes(key, k->attr, k->attr_bytes);
    add_operands(key, k->ninputs, k->inputs);
    add_operands(key, k->noutputs, k->outputs);
    add_program(key, k->prologue);
    add_program(key, k->program);
    return key->n <= KEY_WORDS;
}

/* ---- self-contained copy of a kernel ---- */

/* Return copies of from[n] in the arena, with slots slot, slot + 1, .. and offset 0. NULL if memory runs out. */
static struct operand *copy_operands(int n, const struct operand *from, int slot, struct arena *arena) {
    struct operand *x = arena_array(arena, (size_t)n, sizeof *x);
    for (int i = 0; x && i < n; i++) {
        x[i] = from[i];
        x[i].slot = slot + i;
        if (!layout_copy(&x[i].layout, &from[i].layout, arena)) return NULL;
        x[i].layout.offset = 0;
        if (from[i].guard && !(x[i].guard = guard_copy(from[i].layout.rank, NULL, from[i].guard, arena)))
            return NULL;
    }
    return x;
}

/* Replace *p by a copy in the arena, unless it is NULL. False if memory runs out. */
static bool copy_program(struct program **p, struct arena *arena) {
    if (!*p) return true;
    struct program *copy = arena_copy(arena, *p, sizeof *copy);
    if (!copy) return false;
    copy->instrs = arena_copy(arena, (*p)->instrs, (size_t)copy->ninstrs * sizeof *copy->instrs);
    copy->outputs = arena_copy(arena, (*p)->outputs, (size_t)copy->noutputs * sizeof *copy->outputs);
    *p = copy;
    return copy->instrs && copy->outputs;
}

/* Copy kernel k to *to, and all that it points to into the arena. False if memory runs out. */
static bool copy_kernel(struct kernel *to, const struct kernel *k, struct arena *arena) {
    *to = *k;
    to->location = (struct location){0}; /* shared by many users */
    to->away = NULL;
    to->inputs = copy_operands(k->ninputs, k->inputs, 0, arena);
    to->outputs = copy_operands(k->noutputs, k->outputs, k->ninputs, arena);
    to->kept_slot = k->ninputs + k->noutputs;
    if (k->attr) to->attr = arena_copy(arena, k->attr, k->attr_bytes);
    return to->inputs && to->outputs && (to->attr || !k->attr) && copy_program(&to->prologue, arena) &&
           copy_program(&to->program, arena);
}

/* Let an engine prepare a kernel, whose work is known. A request to stop cuts its long loops short (stop_cut). False,
   with the fault set, on failure. */
static bool prepare_by(const struct engine *engine, struct prepared *p, struct fault *fault) {
    bool forced = atomic_load_explicit(&parallel_forced, memory_order_relaxed) > 0;
    double before = context_thread.work;
    context_thread.work = forced && !(p->work > 0) ? 1 : p->work;
    p->kernel.device = engine->device;
    p->made = engine->prepare(&p->kernel, &p->arena, fault);
    bool done = p->made;
    context_thread.work = before;
    return stop_end(fault) && done;
}

/* Return a copy of kernel k for an engine that has not prepared it yet; NULL, with the fault set, if memory runs out. */
static struct prepared *prepared_new(const struct engine *engine, const struct kernel *k,
                                     struct fault *fault) {
    struct prepared *p = mem_grow(NULL, 1, sizeof *p);
    if (!p) {
        fault_memory(fault, sizeof *p);
        return NULL;
    }
    unload_expect();
    atomic_init(&p->refs, 1);
    p->engine = engine;
    p->made = false;
    p->arena = (struct arena){0};
    arena_use(&p->arena, p->memory, sizeof p->memory);
    bool copied = copy_kernel(&p->kernel, k, &p->arena) || fault_memory(fault, sizeof p->memory);
    double work = copied ? work_operations(&p->kernel) : 0;
    p->work = work < LONG_WORK ? 0 : work;
    if (copied) return p;
    prepared_release(p);
    return NULL;
}

/* Prepare kernel k for an engine, on a copy. Return the preparation, owned by the caller; NULL, with the
   fault set, on failure. */
static struct prepared *prepare(const struct engine *engine, const struct kernel *k, struct fault *fault) {
    struct prepared *p = prepared_new(engine, k, fault);
    if (!p) return NULL;
    atomic_fetch_add_explicit(&made, 1, memory_order_relaxed);
    bool verifies = engine->device && kernels_verified();
    if (prepare_by(engine, p, fault) && (!verifies || p->kernel.away || kernel_verify(p, fault))) {
        p->bytes = sizeof *p + arena_bytes(&p->arena);
        return p;
    }
    prepared_release(p);
    return NULL;
}

struct prepared *prepared_around(const struct engine *engine, const struct kernel *k, struct prepared *inner,
                                 struct fault *fault) {
    struct prepared *p = prepared_new(engine, k, fault);
    if (!p) {
        prepared_release(inner);
        return NULL;
    }
    p->kernel.device = engine->device;
    p->kernel.away = inner;
    p->kernel.width = inner->kernel.width;
    p->kernel.workspace = engine->device || inner->engine->device ? 0 : inner->kernel.workspace;
    p->bytes = sizeof *p + arena_bytes(&p->arena);
    p->made = true;
    return p;
}

static struct lru_key key_of(const int64_t *words, size_t n) {
    return (struct lru_key){words, n * sizeof *words, hash_words(words, n)};
}

/* Return a reference, owned by the caller, to the cached preparation of kernel k; prepare and cache it if
   there is none. NULL, with the fault set, on failure. */
static struct prepared *find(const struct prepared_key *key, const struct engine *engine,
                             const struct kernel *k, struct fault *fault) {
    struct lru_key by = key_of(key->words, key->n);
    void *found;
    if (lru_get(&cache, &by, &found) == LRU_FOUND) return found;
    struct prepared *p = prepare(engine, k, fault);
    if (p) lru_put(&cache, &by, p, p->bytes);
    return p;
}

/* Return a reference, owned by the caller, to the preparation of a kernel equal to k. NULL, with the fault
   set, on failure. The key is allocated, because preparing needs much of the stack. */
struct prepared *prepared_for(const struct engine *engine, const struct kernel *k, struct fault *fault) {
    struct prepared_key *key = mem_grow(NULL, 1, sizeof *key);
    struct prepared *p = NULL;
    if (!key)
        fault_memory(fault, sizeof *key);
    else if (make_key(key, engine, k))
        p = find(key, engine, k, fault);
    else
        p = prepare(engine, k, fault);
    mem_free(key);
    return p;
}

/* ---- notes ---- */

struct prepared *prepared_noted(const int64_t *words, size_t n) {
    struct lru_key by = key_of(words, n);
    void *found;
    return lru_get(&notes, &by, &found) == LRU_FOUND ? found : NULL;
}

void prepared_note(const int64_t *words, size_t n, struct prepared *p) {
    struct lru_key by = key_of(words, n);
    lru_put(&notes, &by, p, p->bytes);
}

/* ---- launch ---- */

static size_t table_bytes(const struct kernel *k) {
    size_t slots = (size_t)prepared_slots(k);
    if (k->device) return 0; /* the workspace is the device's */
    return slots > STACK_SLOTS ? (slots * sizeof(void *) + 63) / 64 * 64 : 0;
}

size_t prepared_workspace(const struct kernel *k) { return table_bytes(k) + k->shared->kernel.workspace; }

/* Return the engine's part of the workspace, `bytes` bytes (the size of the table of addresses) after its
   start; `workspace` itself, even NULL, if bytes is 0. */
static void *rest_of(void *workspace, size_t bytes) { return bytes ? (char *)workspace + bytes : workspace; }

static void fill_table(void **table, const struct kernel *k, void *const *slots) {
    for (int i = 0; i < k->ninputs; i++) *table++ = operand_base(&k->inputs[i], slots);
    for (int i = 0; i < k->noutputs; i++) *table++ = operand_base(&k->outputs[i], slots);
    *table = k->kept ? slots[k->kept_slot] : NULL;
}

bool prepared_start_long(const struct prepared *p, void *const *table, void *workspace, struct fault *fault) {
    struct context_thread *t = thread_now();
    double before = t->work;
    t->work = p->work > 0 ? p->work : 1;
    bool done = p->engine->launch(&p->kernel, table, workspace, fault);
    t->work = before;
    return done;
}

/* prepared_launch on a device: the table of addresses is the host's. */
static __attribute__((noinline)) bool launch_on(const struct kernel *k, void *const *slots, void *workspace,
                                                struct fault *fault) {
    size_t n = (size_t)prepared_slots(k);
    void *room[STACK_SLOTS], **table = n > STACK_SLOTS ? mem_array(n, sizeof *table) : room;
    if (!table) return fault_memory(fault, n * sizeof *table);
    fill_table(table, k, slots);
    bool done = prepared_start(k->shared, table, workspace, fault);
    if (table != room) mem_free(table);
    return done;
}

bool prepared_launch(const struct kernel *k, void *const *slots, void *workspace, struct fault *fault) {
    void *room[STACK_SLOTS];
    if (__builtin_expect(k->device != NULL, 0)) return launch_on(k, slots, workspace, fault);
    size_t bytes = table_bytes(k);
    void **table = bytes ? workspace : room;
    fill_table(table, k, slots);
    return prepared_start(k->shared, table, rest_of(workspace, bytes), fault);
}

bool prepared_round(const struct prepared *p, struct boxes *boxes) {
    return p->engine->round && p->engine->round(&p->kernel, boxes);
}

bool prepared_launch_part(const struct kernel *k, const struct boxes *boxes, void *const *slots,
                          void *workspace, struct fault *fault) {
    void *room[STACK_SLOTS];
    size_t bytes = table_bytes(k);
    void **table = bytes ? workspace : room;
    struct context_thread *t = thread_now();
    double before = t->work;
    fill_table(table, k, slots);
    if (k->shared->work > 0) t->work = k->shared->work;
    bool done =
        k->shared->engine->launch_part(&k->shared->kernel, boxes, table, rest_of(workspace, bytes), fault);
    t->work = before;
    return done;
}

void prepared_keep(const struct kernel *k, void *const *slots, void *workspace) {
    void *room[STACK_SLOTS];
    size_t bytes = table_bytes(k);
    void **table = bytes ? workspace : room;
    fill_table(table, k, slots);
    k->shared->engine->keep(&k->shared->kernel, table, rest_of(workspace, bytes));
}
