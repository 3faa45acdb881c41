/* Matches an equation with its operands: every axis gets a label, every label a size, the output its labels. */
#include <stdio.h>
#include "ops/einsum/einsum.h"

/* State of labelling; labels are those of the given axes, before any preparation. */
struct labelling {
    struct einsum *e;
    const struct einsum_request *request;
    struct fault *fault;
    int axis[PATH_LABELS], owner[PATH_LABELS]; /* axis and operand that determined the size of each label */
};

/* Set labels and rank of leaf k from term k of the equation; '...' may stand for more axes than in earlier
   operands. False, with the fault set, if rank and term disagree or memory runs out. */
static bool label_axes(struct labelling *l, int k) {
    struct equation *q = &l->e->equation;
    struct einsum_leaf *leaf = &l->e->leaves[k];
    const struct term *term = &q->operands[k];
    int rank = l->request->ranks[k], hidden = rank - term->count;
    char which[NAME_ROOM];
    leaf->rank = leaf->count = rank;
    if (hidden < 0 || (hidden > 0 && term->ellipsis < 0))
        return fault_set(l->fault, E_SHAPE, "the %s operand has rank %d and the equation names %d %s%s",
                         ordinal(k, which), rank, term->count, term->count == 1 ? "axis" : "axes",
                         hidden > 0 && !q->is_tree ? "; '...' would stand for the other axes" : "");
    leaf->labels = arena_array(&l->e->arena, (size_t)rank + 1, sizeof *leaf->labels);
    if (!leaf->labels) return fault_memory(l->fault, (size_t)rank);
    int before = term->ellipsis < 0 ? term->count : term->ellipsis;
    for (int i = 0; i < rank; i++) {
        if (i < before)
            leaf->labels[i] = term->labels[i];
        else if (i < before + hidden)
            leaf->labels[i] = (uint8_t)(DOTS + before + hidden - 1 - i);
        else
            leaf->labels[i] = term->labels[i - hidden];
    }
    if (hidden > q->dots) q->dots = hidden;
    return true;
}

/* Record the sizes of operand k's labels. False, with the fault set, if a size is negative, or differs from
   that of an equal label and neither is 1. */
static bool take_sizes(struct labelling *l, int k) {
    const struct einsum_leaf *leaf = &l->e->leaves[k];
    for (int i = 0; i < leaf->rank; i++) {
        int label = leaf->labels[i];
        int64_t size = l->request->shapes[k][i], *known = &l->e->sizes[label];
        char name[NAME_ROOM], first[NAME_ROOM], second[NAME_ROOM];
        if (size < 0) return fault_set(l->fault, E_SHAPE, "axis %d has size %lld", i, (long long)size);
        if (*known >= 0 && (size == 1 || *known == size)) continue;
        if (*known >= 0 && *known != 1)
            return fault_set(l->fault, E_SHAPE,
                             "%s is %lld in axis %d of the %s operand and %lld in axis %d of the %s",
                             equation_label(&l->e->equation, label, name), (long long)*known, l->axis[label],
                             ordinal(l->owner[label], first), (long long)size, i, ordinal(k, second));
        *known = size, l->axis[label] = i, l->owner[label] = k;
    }
    return true;
}

/* Set the output of an equation without '->': '...', then the letters that occur once, alphabetically.
   times[] counts the occurrences of each label in the operands. */
static void make_output(struct equation *q, const int *times) {
    q->output.ellipsis = 0;
    for (int label = 0; label < LETTERS; label++)
        if (times[label] == 1 && q->output.count < TY_MAX_RANK)
            q->output.labels[q->output.count++] = (uint8_t)label;
}

/* Determine the labels of the output, in the order of its axes. False, with the fault set, if a label is in
   no operand or twice in the output, or '...' is missing. */
static bool label_output(struct labelling *l) {
    struct equation *q = &l->e->equation;
    struct term *term = &q->output;
    int times[PATH_LABELS] = {0}, n = 0;
    bool seen[PATH_LABELS] = {false};
    char name[NAME_ROOM];
    for (int k = 0; k < q->noperands; k++)
        for (int i = 0; i < q->operands[k].count; i++) times[q->operands[k].labels[i]]++;
    if (!q->has_output && !q->is_tree)
        make_output(q, times);
    else if (q->dots && term->ellipsis < 0)
        return fault_set(l->fault, E_SHAPE, "the output lacks '...', which stands for %d %s", q->dots,
                         q->dots == 1 ? "axis" : "axes");
    if (term->count + q->dots > TY_MAX_RANK)
        return fault_set(l->fault, E_LIMIT, "the output has more than %d axes", TY_MAX_RANK);
    for (int i = 0; i <= term->count; i++) {
        for (int k = q->dots - 1; i == term->ellipsis && k >= 0; k--) l->e->output[n++] = (uint8_t)(DOTS + k);
        if (i == term->count) break;
        int label = term->labels[i];
        const char *wrong = !times[label] ? "is not in any operand"
                            : seen[label] ? "occurs twice in the output"
                                          : NULL;
        if (wrong)
            return fault_set(l->fault, E_ARGUMENT, "column %d: %s %s", term->columns[i],
                             equation_label(q, label, name), wrong);
        seen[label] = true;
        l->e->output[n++] = (uint8_t)label;
    }
    l->e->rank = n;
    return true;
}

static void remove_axis(struct einsum_leaf *leaf, int axis) {
    memmove(leaf->labels + axis, leaf->labels + axis + 1, (size_t)(--leaf->count - axis));
}

/* Remove the axes of size 1 from a leaf, an operand with the sizes shape[leaf->rank], and set their bits in
   leaf->units. */
static void drop_units(struct einsum_leaf *leaf, const int64_t *shape) {
    for (int i = leaf->rank - 1; i >= 0; i--) {
        if (shape[i] != 1) continue;
        leaf->units |= (uint64_t)1 << i;
        remove_axis(leaf, i);
    }
}

bool einsum_label(struct einsum *e, const struct einsum_request *request, struct fault *fault) {
    struct labelling l = {.e = e, .request = request, .fault = fault};
    memset(e->sizes, 0xff, sizeof e->sizes);
    for (int k = 0; k < e->n; k++)
        if (!label_axes(&l, k)) return false;
    for (int k = 0; k < e->n; k++)
        if (!take_sizes(&l, k)) return false;
    if (!label_output(&l)) return false;
    for (int i = 0; i < e->rank; i++)
        if (e->sizes[e->output[i]] != 1) e->core[e->core_rank++] = e->output[i];
    for (int k = 0; k < e->n; k++) drop_units(&e->leaves[k], request->shapes[k]);
    return true;
}

/* ---- preparation of operands ---- */

/* Return the first axis of the leaf whose label an earlier axis has, too, and set *first to that earlier
   axis. Return -1 if there is none; *first is then undefined. */
static int repeated_axis(const struct einsum_leaf *leaf, int *first) {
    for (int i = 1; i < leaf->count; i++)
        for (*first = 0; *first < i; ++*first)
            if (leaf->labels[*first] == leaf->labels[i]) return i;
    return -1;
}

/* List in leaf->diagonals the pairs of axes with equal labels, of which diagonals will be taken, and replace
   each pair by one last axis. False if memory runs out. */
static bool take_diagonals(struct einsum *e, struct einsum_leaf *leaf) {
    int i, j;
    if (repeated_axis(leaf, &i) < 0) return true;
    leaf->diagonals = arena_array(&e->arena, (size_t)leaf->count, sizeof *leaf->diagonals);
    if (!leaf->diagonals) return false;
    while ((j = repeated_axis(leaf, &i)) >= 0) {
        uint8_t label = leaf->labels[i], *pair = leaf->diagonals[leaf->ndiagonals++];
        pair[0] = (uint8_t)i;
        pair[1] = (uint8_t)j;
        remove_axis(leaf, j);
        remove_axis(leaf, i);
        leaf->labels[leaf->count++] = label;
    }
    return true;
}

/* Add to leaf->lonely the leaf's labels that no other operand (users[label] is 1) and not the output has. */
static void find_lonely(struct einsum *e, struct einsum_leaf *leaf, const int *users) {
    for (int i = 0; i < leaf->count; i++) {
        uint8_t label = leaf->labels[i];
        if (users[label] == 1 && !memchr(e->output, label, (size_t)e->rank)) set_put(&leaf->lonely, label);
    }
}

bool einsum_leaves(struct einsum *e, struct fault *fault) {
    int users[PATH_LABELS] = {0};
    for (int k = 0; k < e->n; k++) {
        if (!take_diagonals(e, &e->leaves[k])) return fault_memory(fault, TY_MAX_RANK);
        for (int i = 0; i < e->leaves[k].count; i++) users[e->leaves[k].labels[i]]++;
    }
    for (int k = 0; k < e->n; k++) find_lonely(e, &e->leaves[k], users);
    return true;
}

/* Mark in leaf->summed the axes whose labels are not in the set *left, so that the leaf is summed over them,
   and remove these labels from the leaf. */
static void sum_leaf(struct einsum_leaf *leaf, const struct label_set *left) {
    int kept = 0;
    for (int i = 0; i < leaf->count; i++) {
        uint8_t label = leaf->labels[i];
        if (set_has(left, label))
            leaf->labels[kept++] = label;
        else
            leaf->summed |= (uint64_t)1 << i;
    }
    leaf->count = kept;
}

void einsum_sum_leaves(struct einsum *e, const struct path *path) {
    for (int k = 0; k < e->n; k++) sum_leaf(&e->leaves[k], &path->node[k].labels);
}
