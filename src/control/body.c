/* A global hash table finds bodies by structure. It holds no references. */
#include "control/body.h"
#include "array/remote.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/threads/lock.h"
#include "graph/structure.h"

enum { BUCKETS = 256 };

LOCK(lock)
static struct body *buckets[BUCKETS]; /* guarded by lock; so is dropping the last reference to a body */
/* last id given; guarded by lock */
static uint64_t bodies;

/* ---- parameters ---- */

static bool infer(struct infer *in) {
    return infer_shape(in, &((const struct parameter_attr *)in->attr)->of);
}

ATTRIBUTES(attributes, sizeof(struct parameter_attr), FIELD(struct parameter_attr, number, LONG),
           FIELD(struct parameter_attr, of, FORM, .tail = true));

const struct op op_parameter = {.name = "parameter",
                                .kind = KERNEL_NONE,
                                .infer = infer,
                                .attributes = &attributes,
                                .row = -1,
                                .lazy = true,
                                .no_gradient = {"a leaf: gradients end here"},
                                .onnx = "",
                                .doc = "the parameter of a loop or branch body"};

ty_tensor *parameter_new(int64_t number, ty_dtype dtype, int rank, const int64_t *shape) {
    struct parameter_attr attr = {.number = number};
    shape_attr_fill(&attr.of, dtype, rank, shape);
    ty_tensor *x = record(&op_parameter, &attr,
                          shape_attr_bytes(&attr.of, offsetof(struct parameter_attr, of)), 0, NULL);
    if (ty_ok(x)) x->varies = true;
    return x;
}

/* ---- structure ---- */

/* Serialise the subgraph's structure, in the order of the walk w, into b->key and hash it. Also set
   b->refuses. False, with the fault set, on failure. */
static bool make_key(struct body *b, const struct walk *w, struct fault *fault) {
    struct text t = {0};
    structure_add_number(&t, b->nparameters);
    for (int i = 0; i < b->nparameters; i++) structure_add_node(&t, w, b->parameters[i]);
    structure_add_number(&t, b->nroots);
    for (int i = 0; i < b->nroots; i++) structure_add_number(&t, walk_place(w, b->roots[i]));
    for (int64_t i = 0; i < w->count && !t.failed; i++) {
        ty_tensor *x = w->nodes[i];
        if (!x->promise && !tensor_home(x, fault)) return text_drop(&t), false;
        if (x->promise)
            structure_add_node(&t, w, x);
        else
            structure_add_leaf(&t, x, true);
        b->refuses |= x->op && op_may_refuse(x->op, x->attr);
        if (x->promise && op_serial(x->op, x->attr)) {
            text_drop(&t);
            return fault_set(
                fault, E_UNSUPPORTED,
                "an ordered call (ty_call) cannot be inside a loop or branch; unset `ordered`, and make "
                "results of one call operands of the next");
        }
    }
    b->key_bytes = t.length;
    b->key = text_take(&t);
    if (b->key) b->hash = hash_bytes(b->key, b->key_bytes);
    return b->key || fault_memory(fault, b->key_bytes);
}

/* Free a subgraph: release its parameters, outputs and base. */
static void drop(struct body *b) {
    for (int i = 0; b->parameters && i < b->nparameters; i++)
        if (b->parameters[i]) ty_release(b->parameters[i]);
    for (int i = 0; b->roots && i < b->nroots; i++)
        if (b->roots[i]) ty_release(b->roots[i]);
    if (b->extends.base) body_release(b->extends.base);
    mem_free(b->parameters);
    mem_free(b->roots);
    mem_free(b->key);
    mem_free(b);
}

/* Return a copy of the array from[n] with a reference to each tensor; the caller releases these and frees the
   array. NULL if memory runs out. */
static ty_tensor **retained(int n, ty_tensor *const *from) {
    ty_tensor **all = mem_array((size_t)n, sizeof *all);
    for (int i = 0; all && i < n; i++) all[i] = ty_retain(from[i]);
    return all;
}

/* Make a subgraph with these parameters and outputs that is not in the table. NULL, with the fault set, on
   failure. */
static struct body *body_new(int nparameters, ty_tensor *const *parameters, int nroots,
                             ty_tensor *const *roots, struct fault *fault) {
    struct walk w = {0};
    struct body *b = mem_alloc(sizeof *b);
    if (b) {
        *b = (struct body){.nparameters = nparameters,
                           .nroots = nroots,
                           .parameters = retained(nparameters, parameters),
                           .roots = retained(nroots, roots)};
        atomic_init(&b->refs, 1);
    }
    bool fits = b && b->parameters && b->roots;
    if (!fits) fault_memory(fault, sizeof *b);
    bool done = fits && walk_order(&w, nroots, roots, fault) && make_key(b, &w, fault);
    walk_drop(&w);
    if (done || !b) return b;
    drop(b);
    return NULL;
}

/* ---- the table ---- */

/* Return the subgraph in the table with the structure of `like`, without a reference of its own; NULL if
   there is none. The lock must be held. */
static struct body *find(const struct body *like) {
    for (struct body *b = buckets[like->hash % BUCKETS]; b; b = b->next)
        if (b->hash == like->hash && b->key_bytes == like->key_bytes &&
            !memcmp(b->key, like->key, b->key_bytes))
            return b;
    return NULL;
}

struct body *body_make(int nparameters, ty_tensor *const *parameters, int nroots, ty_tensor *const *roots,
                       const struct extension *extends, struct fault *fault) {
    struct body *fresh = body_new(nparameters, parameters, nroots, roots, fault);
    if (!fresh) return NULL;
    lock_take(&lock);
    struct body *b = find(fresh);
    if (b) {
        atomic_fetch_add(&b->refs, 1);
    } else {
        b = fresh;
        b->id = ++bodies;
        if (extends && extends->base) {
            b->extends = *extends;
            body_retain(b->extends.base);
        }
        b->next = buckets[b->hash % BUCKETS];
        buckets[b->hash % BUCKETS] = b;
    }
    lock_give(&lock);
    if (b != fresh) drop(fresh);
    return b;
}

int body_extended_parameter(const struct body *b, int i) {
    const struct body_kinds *from = &b->extends.of_base, *to = &b->extends.own;
    if (i < from->carries) return i;
    int kept = i - from->carries, first = from->sequences;
    return kept < first ? to->carries + kept : to->carries + to->sequences + kept - first;
}

int body_extended_result(const struct body *b, int i, bool stops) {
    if (stops && i == b->extends.base->nroots - 1) return b->nroots - 1;
    return i < b->extends.of_base.carries ? i : i - b->extends.of_base.carries + b->extends.own.carries;
}

struct body *body_retain(struct body *b) {
    atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
    return b;
}

/* Drop a reference; the last one removes the subgraph from the table and frees it. The last reference is
   dropped under the lock, so that `find` never returns a dying entry. */
void body_release(struct body *b) {
    int refs = atomic_load(&b->refs);
    while (refs > 1)
        if (atomic_compare_exchange_weak(&b->refs, &refs, refs - 1)) return;
    lock_take(&lock);
    bool last = atomic_fetch_sub(&b->refs, 1) == 1;
    struct body **at = &buckets[b->hash % BUCKETS];
    while (last && *at != b) at = &(*at)->next;
    if (last) *at = b->next;
    lock_give(&lock);
    if (last) drop(b);
}
