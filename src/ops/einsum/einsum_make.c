/* Makes an einsum from an equation and shapes: parsing, labels, the path, the order of axes, the steps. */
#include "ops/einsum/einsum.h"
#include "base/alloc.h"

struct einsum *einsum_retain(struct einsum *e) {
    atomic_fetch_add_explicit(&e->refs, 1, memory_order_relaxed);
    return e;
}

void einsum_release(struct einsum *e) {
    if (!last_reference(&e->refs)) return;
    arena_drop(&e->arena);
    mem_free(e->text);
    mem_free(e);
}

/* ---- the path ---- */

static struct label_set set_of(int n, const uint8_t *labels) {
    struct label_set s = {{0}};
    for (int i = 0; i < n; i++) set_put(&s, labels[i]);
    return s;
}

static double leaf_elements(const struct einsum *e, int k, const int64_t *shape) {
    double n = 1;
    for (int i = 0; i < e->leaves[k].rank; i++) n *= (double)shape[i];
    return n;
}

/* Build *path, in the arena, by the steps of an equation that is a tree; each label is summed as soon as no
   other node and not the output needs it. False if memory runs out. */
static bool follow_tree(struct path *path, const struct einsum *e, const struct einsum_network *net,
                        const struct path_wish *wish, struct arena *arena) {
    int users[PATH_LABELS] = {0};
    if (!path_start(path, net, arena)) return false;
    for (int k = 0; k < e->n; k++)
        for (int label = 0; label < PATH_LABELS; label++)
            users[label] += set_has(&path->node[k].labels, label);
    for (int k = 0; k < e->equation.nsteps; k++) {
        const struct tree_step *s = &e->equation.steps[k];
        struct label_set a = path->node[s->left].labels, b = path->node[s->right].labels;
        struct label_set result = set_union(a, b);
        for (int label = 0; label < PATH_LABELS; label++) {
            bool in_a = set_has(&a, label), in_b = set_has(&b, label), out = set_has(&net->output, label);
            if (in_a && in_b) users[label]--;
            if ((in_a || in_b) && !out && users[label] == 1)
                result.words[label / 64] &= ~((uint64_t)1 << (label % 64));
        }
        path_join(path, net, wish, s->left, s->right, result);
    }
    return true;
}

/* Find a good binary tree of pairs for the n operands, whose memory is within the limit, into *path. False,
   with the fault set, if there is none or memory runs out. */
static bool find_tree(struct path *path, const struct einsum *e, const struct einsum_network *net,
                      struct arena *arena, struct fault *fault) {
    static const struct path_wish wish = {.memory = INFINITY};
    double limit = e->options.memory > 0 ? (double)e->options.memory : INFINITY;
    bool least = e->options.objective == TY_EINSUM_MEMORY;
    struct einsum_network late = *net;
    late.late = true;
    bool done = follow_tree(path, e, least ? &late : net, &wish, arena);
    if (done && !least && path_root(path)->peak > limit) done = follow_tree(path, e, &late, &wish, arena);
    if (done) path_sum_first(path, &late, &wish, least ? path_root(path)->peak : limit);
    if (!done || !path_order(path, arena)) return fault_memory(fault, sizeof *path);
    if (path_root(path)->peak <= limit) return true;
    return fault_set(fault, E_LIMIT,
                     "the tree takes %.0f bytes for its intermediates, more than the limit of %.0f",
                     path_root(path)->peak, limit);
}

/* Build the network of operands and labels and find a path through it, into *path, by the equation's tree or
   a search. False, with the fault set, on failure. */
static bool find_path(struct einsum *e, struct path *path, struct arena *arena, struct fault *fault) {
    struct label_set *operands = arena_array(arena, (size_t)e->n, sizeof *operands);
    struct label_set *lonely = arena_array(arena, (size_t)e->n, sizeof *lonely);
    double *sizes = arena_array(arena, PATH_LABELS, sizeof *sizes);
    if (!operands || !sizes || !lonely) return fault_memory(fault, PATH_LABELS * sizeof *sizes);
    for (int label = 0; label < PATH_LABELS; label++) sizes[label] = (double)e->sizes[label];
    for (int k = 0; k < e->n; k++) {
        const struct einsum_leaf *leaf = &e->leaves[k];
        operands[k] = set_without(set_of(leaf->count, leaf->labels), leaf->lonely);
        if (e->n > 1) lonely[k] = leaf->lonely; /* the sum of a single operand is the result */
    }
    struct einsum_network net = {.n = e->n,
                                 .operands = operands,
                                 .output = set_of(e->core_rank, e->core),
                                 .sizes = sizes,
                                 .lonely = lonely,
                                 .constant = e->constant,
                                 .dtype = e->dtype};
    return e->equation.is_tree ? find_tree(path, e, &net, arena, fault)
                               : path_find(path, &net, &e->options, arena, fault);
}

/* ---- steps ---- */

/* Set step k, from 0, of *e from the path: its operands, and the labels of operands and result in the orders
   *o. False, with the fault set, if it has too many labels. */
static bool make_step(struct einsum *e, const struct einsum_orders *o, const struct path *path, int k,
                      struct fault *fault) {
    const struct path_node *y = &path->node[e->n + k];
    struct einsum_step *s = &e->steps[k];
    int id[3] = {y->left, y->right, e->n + k}, count[3], total = 0, next = 0;
    uint8_t number[PATH_LABELS];
    for (int i = 0; i < 3; i++) total += count[i] = o->count[id[i]];
    *s = (struct einsum_step){.left = id[0],
                              .right = id[1],
                              .ra = count[0],
                              .rb = count[1],
                              .ro = count[2],
                              .cost = y->pair,
                              .constant = y->constant};
    s->labels = arena_array(&e->arena, (size_t)total + 1, 1);
    s->named = arena_array(&e->arena, (size_t)total + 1, 1);
    if (!s->labels || !s->named) return fault_memory(fault, (size_t)total);
    memset(number, 0xff, sizeof number);
    for (int i = 0, at = 0; i < 3; i++)
        for (int axis = 0; axis < count[i]; axis++, at++) {
            uint8_t label = s->named[at] = o->labels[id[i]][axis];
            if (number[label] == 0xff) number[label] = (uint8_t)next++;
            s->labels[at] = number[label];
        }
    if (next <= STEP_LABELS) return true;
    return fault_set(fault, E_LIMIT, "two contracted operands have %d letters; expected at most %d", next,
                     STEP_LABELS);
}

/* Add the steps' flops, bytes, seconds and largest result, but not of constant steps, to e->report, and set
   its peak. Also set e->most_elements and e->widest from all steps. */
static void add_to_report(struct einsum *e, const struct path *path) {
    ty_einsum_report *r = &e->report;
    r->steps = e->nsteps;
    for (int k = 0; k < e->nsteps; k++) {
        const struct path_node *y = &path->node[e->n + k];
        if (y->size > e->most_elements) e->most_elements = y->size, e->widest = k;
        if (y->constant) continue;
        r->flops += y->pair.flops;
        r->bytes += y->pair.bytes;
        r->seconds += y->pair.seconds;
        r->largest = fmax(r->largest, y->held);
    }
    r->peak = path_root(path)->peak;
}

/* Find the path, make the steps of *e, and add them to the report. `scratch` is for temporaries. False, with
   the fault set, on failure. */
static bool make_steps(struct einsum *e, struct arena *scratch, struct fault *fault) {
    struct path path = {0};
    struct einsum_orders *o = arena_alloc(scratch, sizeof *o);
    e->nsteps = e->n - 1;
    e->steps = arena_array(&e->arena, (size_t)e->n, sizeof *e->steps);
    if (!o || !e->steps) return fault_memory(fault, sizeof *o);
    if (!find_path(e, &path, scratch, fault)) return false;
    einsum_sum_leaves(e, &path);
    if (!einsum_order(e, &path, o)) return fault_memory(fault, TY_MAX_RANK);
    for (int k = 0; k < e->nsteps; k++)
        if (!make_step(e, o, &path, k, fault)) return false;
    add_to_report(e, &path);
    return true;
}

/* Add the sums over labels of single operands, unless constant, to the flops and bytes of e->report. */
static void count_sums(struct einsum *e, const struct einsum_request *request) {
    for (int k = 0; k < e->n; k++) {
        if (!e->leaves[k].summed || (e->constant && e->constant[k])) continue;
        double elements = leaf_elements(e, k, request->shapes[k]);
        e->report.flops += elements;
        e->report.bytes += elements * (double)dtype_table[e->dtype].size;
    }
}

/* ---- all of it ---- */

static bool count_operands(const struct einsum *e, int given, struct fault *fault) {
    int named = e->equation.noperands;
    return named == given || fault_set(fault, E_ARGUMENT, "the equation has %d operand%s and %d %s given",
                                       named, named == 1 ? "" : "s", given, given == 1 ? "was" : "were");
}

/* Check the options. False, with the fault set, if one is invalid. */
static bool check_options(const ty_einsum_options *o, struct fault *fault) {
    if ((unsigned)o->objective > TY_EINSUM_MEMORY)
        return fault_set(fault, E_ARGUMENT, "unknown objective %d", (int)o->objective);
    if ((unsigned)o->strategy > TY_EINSUM_LEFT_TO_RIGHT)
        return fault_set(fault, E_ARGUMENT, "unknown strategy %d", (int)o->strategy);
    return o->memory >= 0 ||
           fault_set(fault, E_ARGUMENT, "the limit is %lld bytes; expected 0 (no limit) or more",
                     (long long)o->memory);
}

/* Fill *e for a request: check, parse, label and find the steps. False, with the fault set, on failure. */
static bool fill(struct einsum *e, const struct einsum_request *r, struct fault *fault) {
    struct arena scratch = {0};
    if (!check_options(&r->options, fault)) return false;
    if (!equation_read(&e->equation, e->text, &e->arena, fault) || !count_operands(e, r->n, fault))
        return false;
    e->leaves = arena_array(&e->arena, (size_t)e->n, sizeof *e->leaves);
    if (!e->leaves) return fault_memory(fault, (size_t)e->n * sizeof *e->leaves);
    if (r->constant && !(e->constant = arena_copy(&e->arena, r->constant, (size_t)e->n)))
        return fault_memory(fault, (size_t)e->n);
    bool done = einsum_label(e, r, fault) && einsum_leaves(e, fault) && make_steps(e, &scratch, fault);
    arena_drop(&scratch);
    if (done) count_sums(e, r);
    return done;
}

struct einsum *einsum_make(const struct einsum_request *request, struct fault *fault) {
    struct einsum *e = mem_alloc(sizeof *e);
    if (!e || !(e->text = mem_copy_text(request->text))) {
        fault_memory(fault, sizeof *e);
        mem_free(e);
        return NULL;
    }
    atomic_init(&e->refs, 1);
    e->n = request->n;
    e->dtype = request->dtype;
    e->options = request->options;
    if (fill(e, request, fault)) return e;
    einsum_release(e);
    return NULL;
}
