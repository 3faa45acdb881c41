/*
 * The order of axes of each intermediate.
 *
 * Its producer has a natural order: that of the larger operand, whose last axis stays last if it survives, so that
 * rows stay rows.  Its consumer prefers groups that merge into long axes: labels in both operands and the result,
 * labels that only this operand passes on, and summed labels, each group in the same order on both sides.  So an
 * intermediate is stored in these groups, the one with its naturally last axis at the end.  Within a group the order
 * is that of the larger operand.
 */
#include "ops/einsum/einsum.h"

struct ordering {
    const struct path *path;
    struct einsum_orders *chosen, natural;
};

/* Append the labels of node `id` that are in *wanted to out[], in their order in *o. *n, the number of labels
   in out[], grows, and the labels are removed from *wanted. */
static void move_labels(uint8_t *out, int *n, const struct einsum_orders *o, int id,
                        struct label_set *wanted) {
    for (int i = 0; i < o->count[id]; i++) {
        int label = o->labels[id][i];
        if (!set_has(wanted, label)) continue;
        out[(*n)++] = (uint8_t)label;
        wanted->words[label / 64] &= ~((uint64_t)1 << (label % 64));
    }
}

/* Store a copy of labels[n] as the order of node id in *o. False if there are more labels than a tensor has
   axes, or memory runs out. */
static bool store(struct einsum *e, struct einsum_orders *o, int id, int n, const uint8_t *labels) {
    if (n > TY_MAX_RANK) return false;
    o->count[id] = (uint8_t)n;
    o->labels[id] = arena_copy(&e->arena, labels, (size_t)n + 1);
    return o->labels[id] != NULL;
}

/* Store the natural axis order of the result of node `id`: the remaining labels of the larger operand, then
   the smaller one's own. The smaller one's come first instead if the larger operand's last axis is to stay
   last. False if there are too many axes or memory runs out. */
static bool find_natural(struct einsum *e, struct ordering *o, int id) {
    const struct path_node *y = &o->path->node[id];
    bool swap = o->path->node[y->left].size < o->path->node[y->right].size;
    int larger = swap ? y->right : y->left, smaller = swap ? y->left : y->right, n = 0;
    int last = o->natural.count[larger] - 1;
    bool stays = last >= 0 && set_has(&y->labels, o->natural.labels[larger][last]);
    struct label_set own = set_common(o->path->node[larger].labels, y->labels),
                     others = set_without(y->labels, own);
    uint8_t out[PATH_LABELS];
    if (stays) move_labels(out, &n, &o->natural, smaller, &others);
    move_labels(out, &n, &o->natural, larger, &own);
    move_labels(out, &n, &o->natural, smaller, &others);
    return store(e, &o->natural, id, n, out);
}

/* Store the axis order of `child`, an operand of node `id`, so that it matches `other`, the second operand,
   and the node's result. False if there are too many axes or memory runs out. */
static bool choose(struct einsum *e, struct ordering *o, int id, int child, int other) {
    const struct path_node *y = &o->path->node[id];
    struct label_set mine = o->path->node[child].labels, theirs = o->path->node[other].labels;
    struct label_set group[3] = {set_common(set_common(mine, theirs), y->labels),
                                 set_common(set_without(mine, theirs), y->labels),
                                 set_without(mine, y->labels)};
    int count = o->natural.count[child], last = count ? o->natural.labels[child][count - 1] : 0, end = 2,
        n = 0;
    bool leads = o->path->node[child].size >= o->path->node[other].size;
    const struct einsum_orders *theirs_now = o->chosen->labels[other] ? o->chosen : &o->natural;
    uint8_t out[PATH_LABELS];
    for (int i = 0; i < 3; i++)
        if (set_has(&group[i], last)) end = i;
    for (int i = 0; i < 3; i++) { /* the group `end` and the last one are swapped */
        struct label_set *labels = &group[i == 2 ? end : i == end ? 2 : i];
        if (!leads) move_labels(out, &n, theirs_now, other, labels);
        move_labels(out, &n, &o->natural, child, labels);
    }
    return store(e, o->chosen, child, n, out);
}

bool einsum_order(struct einsum *e, const struct path *path, struct einsum_orders *chosen) {
    struct ordering o = {.path = path, .chosen = chosen};
    int root = path->nodes - 1;
    for (int k = 0; k < e->n; k++) {
        chosen->labels[k] = o.natural.labels[k] = e->leaves[k].labels;
        chosen->count[k] = o.natural.count[k] = (uint8_t)e->leaves[k].count;
    }
    for (int id = e->n; id <= root; id++)
        if (!find_natural(e, &o, id)) return false;
    chosen->labels[root] = e->core;
    chosen->count[root] = (uint8_t)e->core_rank;
    for (int id = root; id >= e->n; id--) {
        int pair[2] = {path->node[id].left, path->node[id].right};
        for (int side = 0; side < 2; side++) {
            int child = pair[side];
            bool constant = child < e->n && e->constant && e->constant[child];
            if (child < e->n && !constant) continue;
            if (!choose(e, &o, id, child, pair[1 - side])) return false;
            if (constant) e->leaves[child].arranged = chosen->labels[child];
        }
    }
    return true;
}
