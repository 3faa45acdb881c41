/* Chooses how each node is written: whole or by elements, inside of its users or with a name of its own. */
#include <string.h>
#include "base/hash.h"
#include "compile/passes/rewrite.h"
#include "notation/build.h"
#include "ops/core/operators.h"

enum { SUM = 4 };   /* of a sum: its sign, index, first and last value */
enum { HIGH = 24 }; /* operators inside each other in one line; it bounds recursion, too */

static const struct notation *row_of(const struct writing *w, int64_t k) { return w->facts[k].row; }
/* Return true if node k shows nothing but its first operand. */
static bool is_same(const struct notation *row) { return row && row->whole == note_same_whole; }
/* Return the number of the first operands that are written with node k. */
static int shown(const struct writing *w, int64_t k) {
    if (is_leaf(w, k)) return 0;
    return is_same(row_of(w, k)) ? 1 : node_of(w, k)->ninputs;
}
bool is_function(const struct writing *w, int64_t k) {
    const struct notation *row = row_of(w, k);
    if (is_leaf(w, k) || node_of(w, k)->op->row >= 0) return false;
    return !(row && row->build) || (node_of(w, k)->op == &op_contract && contract_adds(node_of(w, k)));
}

/* ---- names ---- */

bool name_hash(const struct writing *w, const char *name, uint64_t *hash) {
    struct text t = {0};
    word_write(&t, &(struct note){.kind = NOTE_NAME, .word = name}, w->form);
    bool written = !t.failed;
    if (written) *hash = hash_bytes(t.data, t.length);
    text_drop(&t);
    return written;
}

char *name_take(struct writing *w, const char *wanted, const char *letters) {
    struct text t = {0};
    bool is_new = false;
    uint64_t hash;
    for (int64_t i = 0; !is_new && !t.failed; i++) {
        t.length = 0;
        int64_t n = letters ? (int64_t)strlen(letters) : 0, number = wanted ? i + 1 : i / n;
        if (wanted) text_add_visible(&t, wanted);
        if (!wanted) text_add_bytes(&t, &letters[i % n], 1);
        if (number > (wanted ? 1 : 0)) text_add(&t, wanted ? "_%lld" : "%lld", (long long)number);
        if (t.failed || !name_hash(w, t.data, &hash) || !map_put(&w->taken, hash, 0, &is_new))
            t.failed = true;
    }
    char *name = t.failed ? NULL : arena_copy(&w->arena, t.data, t.length + 1);
    text_drop(&t);
    return name;
}

/* Take the names of variables, before others take them.  False without memory. */
static bool name_leaves(struct writing *w) {
    for (int given = 1; given >= 0; given--)
        for (int64_t k = 0; k < w->walk->count; k++) {
            const ty_tensor *x = node_of(w, k);
            bool variable = is_leaf(w, k) && w->facts[k].uses && !constant_value(tensor_of(x)) &&
                            !loops_stage(w->loops, x);
            if (!variable || (x->name && *x->name) != given) continue;
            if (!(w->facts[k].name = name_take(w, given ? x->name : NULL, "xyz"))) return false;
        }
    return true;
}

/* Name the series of loops, their indices and numbers of steps.  False without memory. */
static bool name_loops(struct writing *w) {
    bool named = true;
    for (int i = 0; i < w->loops->nloops && named; i++) {
        struct recurrence *r = &w->loops->loops[i];
        named = (r->index = name_take(w, NULL, "tuvw")) != NULL;
        if (r->counted) named = named && (r->count = name_take(w, NULL, "nm")) != NULL;
    }
    for (int i = 0; i < w->loops->nseries && named; i++) {
        struct series *s = &w->loops->series[i];
        if (s->letters) named = (s->name = name_take(w, NULL, s->letters)) != NULL;
    }
    return named;
}

/* Define the arrays of sequences, and note where they are. */
static void define_sequences(struct writing *w, const int64_t *roots) {
    for (int i = 0; i < w->loops->nsteps; i++) {
        const struct stage *left = &w->loops->steps[i].left;
        if (left->kind != STAGE_ALL) continue;
        w->loops->series[left->series].root = roots[i];
        w->facts[roots[i]].defined |= !is_leaf(w, roots[i]);
    }
}

/* Return the number of loops around loop i - 1, counting itself. */
static int depth_of(const struct loops *l, int i) {
    int depth = 0;
    for (; i > 0; i = l->loops[i - 1].outer + 1) depth++;
    return depth;
}

/* Set the innermost loop on whose step node k depends. */
static void find_loop(struct writing *w, int64_t k) {
    const struct stage *s = loops_stage(w->loops, node_of(w, k));
    struct facts *f = &w->facts[k];
    bool step = s && (s->kind == STAGE_AT || s->kind == STAGE_INDEX);
    if (s) f->in = step ? s->loop + 1 : w->loops->loops[s->loop].outer + 1;
    for (int i = 0; i < shown(w, k); i++) {
        int in = operand_facts(w, k, i)->in;
        if (depth_of(w->loops, in) > depth_of(w->loops, f->in)) f->in = in;
    }
}

/* ---- facts ---- */

/* Count the uses of all nodes.  A node that shows its operand alone is not named itself. */
static void count_uses(struct writing *w, int n, const int64_t *roots) {
    for (int i = 0; i < n; i++) w->facts[roots[i]].uses++;
    for (int64_t k = w->walk->count - 1; k >= 0; k--)
        for (int i = 0; i < shown(w, k) && w->facts[k].uses; i++)
            operand_facts(w, k, i)->uses += is_same(row_of(w, k)) ? w->facts[k].uses : 1;
}

/* Return true if the operands of elementwise node k are whole, and single or of the result's shape. */
static bool elements_whole(const struct writing *w, int64_t k) {
    const ty_tensor *y = node_of(w, k);
    struct element e;
    for (int i = 0; i < y->ninputs; i++) {
        ty_tensor *x = y->inputs[i];
        bool same = is_single(x) || constant_uniform(x, &e) ||
                    shape_equal(x->layout.rank, x->layout.shape, y->layout.rank, y->layout.shape);
        if (!same || !operand_facts(w, k, i)->whole) return false;
    }
    return true;
}

/* Return true if node k is an array whose elements are all written as one number. */
static bool is_even(const struct writing *w, int64_t k) {
    const ty_tensor *y = node_of(w, k);
    const struct notation *row = row_of(w, k);
    struct element e;
    if (is_single(y)) return false;
    if (is_leaf(w, k)) return constant_uniform(tensor_of(y), &e);
    bool spreads =
        is_same(row) || (row && (row->whole == note_spread_whole || row->whole == note_permute_whole));
    bool even = y->op->row >= 0 || spreads;
    for (int i = 0; i < shown(w, k); i++)
        even = even && (is_single(y->inputs[i]) || operand_facts(w, k, i)->even);
    return even;
}

/* Set whether node k is written whole, and define operands that must be, but cannot. */
static void find_whole(struct writing *w, int64_t k) {
    struct facts *f = &w->facts[k];
    const struct notation *row = row_of(w, k);
    f->even = is_even(w, k);
    f->whole = is_leaf(w, k) || is_function(w, k);
    for (int i = 0; i < shown(w, k) && is_function(w, k); i++) {
        struct facts *operand = operand_facts(w, k, i);
        operand->defined |= !operand->whole || (operand->even && !is_leaf(w, walk_operand(w->walk, k, i)));
        operand->whole = true;
    }
    if (f->whole) return;
    f->whole = node_of(w, k)->op->row >= 0 ? elements_whole(w, k) : row->whole(w, k);
    if (f->whole && node_of(w, k)->op == &op_contract && !is_single(node_of(w, k))) w->products = true;
    f->elements = !f->whole;
}

/* Set size and height of node k, from those of its operands. */
static void find_size(struct writing *w, int64_t k) {
    struct facts *f = &w->facts[k];
    const struct notation *row = row_of(w, k);
    bool sums = row && (row->build == note_reduce_build || row->build == note_contract_build);
    f->size = is_same(row) ? 0 : sums ? SUM : 1;
    for (int i = 0; i < shown(w, k); i++) {
        const struct facts *operand = operand_facts(w, k, i);
        f->size += operand->defined ? 1 : operand->size;
        int height = operand->defined ? 1 : operand->height + 1;
        if (height > f->height) f->height = height;
    }
}

bool facts_find(struct writing *w, int n, const int64_t *roots, const char *const *names) {
    w->facts = arena_array(&w->arena, (size_t)w->walk->count + 1, sizeof *w->facts);
    if (!w->facts) return fault_memory(w->fault, (size_t)w->walk->count * sizeof *w->facts);
    for (int64_t k = 0; k < w->walk->count; k++)
        if (!is_leaf(w, k)) w->facts[k].row = notation_of(node_of(w, k)->op->name);
    count_uses(w, n, roots);
    if (!name_leaves(w)) return fault_memory(w->fault, 1);
    for (int i = 0; i < n; i++) {
        struct facts *f = &w->facts[roots[i]];
        bool other =
            names[i] && loops_stage(w->loops, node_of(w, roots[i])); /* a name beside the stage's own */
        if (other && !name_take(w, names[i], NULL)) return fault_memory(w->fault, 1);
        if (!names[i] || is_leaf(w, roots[i]) || f->name) continue;
        f->defined = true;
        if (!(f->name = name_take(w, names[i], NULL))) return fault_memory(w->fault, 1);
    }
    define_sequences(w, roots);
    if (!name_loops(w)) return fault_memory(w->fault, 1);
    for (int64_t k = 0; k < w->walk->count; k++) {
        struct facts *f = &w->facts[k];
        if (!f->uses) continue;
        find_loop(w, k);
        find_whole(w, k);
        find_size(w, k);
        f->defined |= !is_leaf(w, k) &&
                      ((f->uses > 1 && f->size >= LARGE && !is_same(row_of(w, k))) || f->height >= HIGH);
        f->whole |= f->defined;
    }
    for (int64_t k = 0; k < w->walk->count; k++) {
        struct facts *f = &w->facts[k];
        f->elements |= f->defined && f->even;
        if (f->defined && !f->name && !(f->name = name_take(w, node_of(w, k)->name, "abcdfghpqrstuvw")))
            return fault_memory(w->fault, 1);
    }
    return true;
}
