/*
 * Ensembles of decision trees.  All examples go down all trees together: a step replaces the node of each example in each
 * tree by its child, and leaves are their own children.  So a pass has as many steps as the deepest tree, and works on
 * promises.
 */
#include <math.h>
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "onnx/ops/ml/labels.h"
#include "onnx/ops/ml/posts.h"
#include "onnx/ops/rows.h"
#include "onnx/ops/text/words.h"

enum mode { LEQ, LT, GTE, GT, EQ, NEQ, MODES, LEAF = MODES };

/* Nodes of all trees.  Arrays have n entries in memory of the call. */
struct forest {
    int64_t n, trees, targets;
    int64_t *feature, *yes, *no, *root;
    uint8_t *mode, *missing; /* missing: NaN takes the branch yes */
    double *split;
    double *value;  /* (n,targets): of leaves */
    uint64_t modes; /* bit m: a node has mode m */
    int aggregate;
};
enum { AVERAGE, SUM, MIN, MAX };

static bool forest_make(struct onnx_call *call, struct forest *f, int64_t n, int64_t targets) {
    f->n = n, f->targets = targets;
    if (n < 1 || n > INT32_MAX || targets < 1 || targets > INT32_MAX / n)
        return onnx_refuse(call, E_LIMIT, "%lld nodes and %lld targets", (long long)n, (long long)targets);
    f->feature = onnx_memory(call, n, sizeof *f->feature), f->yes = onnx_memory(call, n, sizeof *f->yes);
    f->no = onnx_memory(call, n, sizeof *f->no), f->root = onnx_memory(call, n, sizeof *f->root);
    f->mode = onnx_memory(call, n, 1), f->missing = onnx_memory(call, n, 1);
    f->split = onnx_memory(call, n, sizeof *f->split),
    f->value = onnx_memory(call, n * targets, sizeof *f->value);
    double none = f->aggregate == MIN ? INFINITY : f->aggregate == MAX ? -INFINITY : 0;
    for (int64_t i = 0; i < n * targets && f->value; i++) f->value[i] = none;
    return !call->fault->set;
}
static void leaf_add(struct forest *f, int64_t node, int64_t target, double weight) {
    double *at = f->value + node * f->targets + target;
    *at = f->aggregate == MIN   ? (weight < *at ? weight : *at)
          : f->aggregate == MAX ? (weight > *at ? weight : *at)
                                : *at + weight;
}

/* Return the number of steps from the roots to the deepest leaf; -1, with the fault set, if children form a cycle. */
static int64_t depth_of(struct onnx_call *call, const struct forest *f) {
    int64_t *now = onnx_memory(call, f->n, sizeof *now), *next = onnx_memory(call, f->n, sizeof *next);
    int64_t *seen = onnx_memory(call, f->n, sizeof *seen), count = f->trees,
            depth = 0; /* seen: in this step */
    if (!seen || !now || !next) return -1;
    for (int64_t i = 0; i < count; i++) now[i] = f->root[i];
    for (; count && depth <= f->n; depth++) {
        int64_t more = 0, *swap = now;
        for (int64_t i = 0; i < count; i++) {
            if (f->mode[now[i]] == LEAF) continue;
            int64_t children[] = {f->yes[now[i]], f->no[now[i]]};
            for (int k = 0; k < 2; k++) {
                if (seen[children[k]] == depth + 1) continue;
                seen[children[k]] = depth + 1;
                next[more++] = children[k];
            }
        }
        now = next, next = swap, count = more;
    }
    if (!count) return depth;
    onnx_refuse(call, E_ARGUMENT, "children of nodes form a cycle");
    return -1;
}

/* Return true where x meets the condition of its node. */
static ty_tensor *met(const struct forest *f, ty_tensor *x, ty_tensor *split, ty_tensor *mode) {
    static ty_tensor *(*const compare[MODES])(ty_tensor *, ty_tensor *) = {ty_le, ty_lt, ty_ge,
                                                                           ty_gt, ty_eq, ty_ne};
    ty_tensor *y = NULL;
    for (int k = 0; k < MODES; k++) {
        if (!(f->modes >> k & 1)) continue;
        ty_tensor *part = compare[k](x, split);
        y = y ? ty_where(ty_eq(mode, ty_int(k)), part, y) : part;
    }
    return y;
}
/* Return the sums, or other aggregates, of leaves: (N,targets), of the dtype of x (N,F). */
static ty_tensor *forest_run(struct onnx_call *call, const struct forest *f, ty_tensor *x) {
    int64_t n = f->n, steps = depth_of(call, f), shape[] = {ty_shape(x)[0], f->trees};
    ty_dtype dtype = ty_dtype_of(x);
    if (steps < 0) return onnx_failed(call);
    ty_tensor *feature = ty_from(TY_I64, 1, &n, f->feature),
              *split = ty_cast(ty_from(TY_F64, 1, &n, f->split), dtype);
    ty_tensor *yes = ty_from(TY_I64, 1, &n, f->yes), *no = ty_from(TY_I64, 1, &n, f->no);
    ty_tensor *mode = ty_from(TY_U8, 1, &n, f->mode), *missing = ty_from(TY_BOOL, 1, &n, f->missing);
    ty_tensor *node = ty_broadcast(ty_from(TY_I64, 1, &f->trees, f->root), 2, shape);
    bool tracks = false;
    for (int64_t i = 0; i < n; i++) tracks |= f->missing[i];
    for (int64_t i = 0; i < steps && f->modes; i++) {
        ty_tensor *value = ty_take_along_axis(x, ty_gather(feature, node, 0), 1);
        ty_tensor *take = met(f, value, ty_gather(split, node, 0), ty_gather(mode, node, 0));
        if (tracks) take = ty_logical_or(take, ty_logical_and(ty_is_nan(value), ty_gather(missing, node, 0)));
        node = ty_where(take, ty_gather(yes, node, 0), ty_gather(no, node, 0));
    }
    ty_tensor *leaves = ty_cast(ty_from(TY_F64, 2, (int64_t[]){n, f->targets}, f->value), dtype);
    ty_tensor *all = ty_gather(leaves, node, 0); /* (N,trees,targets) */
    if (f->aggregate == MIN) return ty_amin(all, ty_axis(1));
    if (f->aggregate == MAX) return ty_amax(all, ty_axis(1));
    ty_tensor *sum = ty_sum(all, ty_axis(1));
    return f->aggregate == SUM ? sum : ty_div(sum, ty_num((double)f->trees));
}
/* Return x as a floating matrix with more columns than every feature that nodes read. */
static ty_tensor *features_of(struct onnx_call *call, const struct forest *f) {
    ty_tensor *x = onnx_input(call, 0);
    if (ty_rank(x) == 1) x = ty_expand(x, 0);
    for (int64_t i = 0; i < f->n && ty_ok(x); i++)
        if (ty_rank(x) != 2 ||
            (f->mode[i] != LEAF && (f->feature[i] < 0 || f->feature[i] >= ty_shape(x)[1]))) {
            onnx_refuse(call, E_INDEX, "node %lld reads feature %lld of an operand of %d axes", (long long)i,
                        (long long)f->feature[i], ty_rank(x));
            return onnx_failed(call);
        }
    return is_floating(ty_dtype_of(x)) ? x : ty_cast(x, TY_F32);
}

/* ---- opsets 1 and 3: nodes have identifiers ---- */

/* Return the place of node `id` of a tree among n nodes, searching from `hint` on; -1: there is none. */
static int64_t node_find(int64_t n, const int64_t *trees, const int64_t *ids, int64_t tree, int64_t id,
                         int64_t hint) {
    for (int64_t k = 0; k < n; k++) {
        int64_t i = (hint + k) % n;
        if (trees[i] == tree && ids[i] == id) return i;
    }
    return -1;
}
static int mode_of(struct wire_bytes word) {
    static const char *const words[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE", "BRANCH_GT",
                                        "BRANCH_EQ",  "BRANCH_NEQ", "LEAF"};
    for (int i = 0; i < LEAF + 1; i++)
        if (words_equal(word, words_of(words[i]))) return i;
    return -1;
}
/* Return the elements of a list of floats, or of the tensor of doubles that may replace it. */
static struct reals numbers_of(struct onnx_call *call, const char *name, const char *tensor) {
    struct labels list = onnx_labels_read(call, name, NULL, NULL, tensor);
    struct reals out = {0, NULL};
    if (list.numbers) out.items = onnx_known_reals_of(call, list.numbers, &out.n);
    return out;
}

/* Read nodes_*.  ids and trees receive the identifiers of nodes. */
static bool read_nodes(struct onnx_call *call, struct forest *f, int64_t targets, struct ints *ids,
                       struct ints *trees) {
    struct ints yes = ints_attribute(call, "nodes_truenodeids"),
                no = ints_attribute(call, "nodes_falsenodeids");
    struct ints feature = ints_attribute(call, "nodes_featureids");
    struct ints missing = ints_attribute(call, "nodes_missing_value_tracks_true");
    struct reals split = numbers_of(call, "nodes_values", "nodes_values_as_tensor");
    int modes;
    const struct wire_bytes *mode = onnx_texts(call, "nodes_modes", &modes);
    *ids = ints_attribute(call, "nodes_nodeids"), *trees = ints_attribute(call, "nodes_treeids");
    int n = ids->n;
    if (trees->n != n || yes.n != n || no.n != n || feature.n != n || split.n != n || modes != n ||
        (missing.n && missing.n != n))
        return onnx_refuse(call, E_SHAPE,
                           "%d nodes, but %d values, %d modes, %d features and %d and %d children", n,
                           split.n, modes, feature.n, yes.n, no.n);
    if (!forest_make(call, f, n, targets)) return false;
    for (int i = 0; i < n; i++) {
        int kind = mode_of(mode[i]);
        if (kind < 0)
            return onnx_refuse(call, E_ARGUMENT, "unknown mode '%.*s'", (int)mode[i].n,
                               (const char *)mode[i].at);
        f->mode[i] = (uint8_t)kind, f->split[i] = split.items[i],
        f->missing[i] = missing.n && missing.items[i];
        f->yes[i] = f->no[i] = i;
        if (i == 0 || trees->items[i] != trees->items[i - 1]) f->root[f->trees++] = i;
        if (kind == LEAF) continue;
        f->modes |= UINT64_C(1) << kind, f->feature[i] = feature.items[i];
        f->yes[i] = node_find(n, trees->items, ids->items, trees->items[i], yes.items[i], i);
        f->no[i] = node_find(n, trees->items, ids->items, trees->items[i], no.items[i], i);
        if (f->yes[i] < 0 || f->no[i] < 0)
            return onnx_refuse(call, E_INDEX, "node %d has a child %lld or %lld that does not exist", i,
                               (long long)yes.items[i], (long long)no.items[i]);
    }
    return true;
}
/* Read the weights of leaves. */
static bool read_leaves(struct onnx_call *call, struct forest *f, const char *const *names, struct ints ids,
                        struct ints trees) {
    struct ints tree = ints_attribute(call, names[0]), node = ints_attribute(call, names[1]);
    struct ints target = ints_attribute(call, names[2]);
    struct reals weight = numbers_of(call, names[3], names[4]);
    int64_t hint = 0;
    if (tree.n != node.n || tree.n != target.n || tree.n != weight.n)
        return onnx_refuse(call, E_SHAPE, "%d leaves, but %d targets and %d weights", node.n, target.n,
                           weight.n);
    for (int i = 0; i < tree.n; i++) {
        hint = node_find(ids.n, trees.items, ids.items, tree.items[i], node.items[i], hint);
        if (hint < 0 || target.items[i] < 0 || target.items[i] >= f->targets)
            return onnx_refuse(call, E_INDEX,
                               "leaf %lld of tree %lld does not exist, or has target %lld of %lld",
                               (long long)node.items[i], (long long)tree.items[i], (long long)target.items[i],
                               (long long)f->targets);
        leaf_add(f, hint, target.items[i], weight.items[i]);
    }
    return true;
}
/* Add base_values to scores, if there are any. */
static ty_tensor *with_base(struct onnx_call *call, ty_tensor *y) {
    struct labels base = onnx_labels_read(call, "base_values", NULL, NULL, "base_values_as_tensor");
    return base.numbers && base.n ? ty_add(y, ty_cast(base.numbers, ty_dtype_of(y))) : y;
}

bool onnx_op_tree_ensemble_regressor(struct onnx_call *call) {
    static const char *const names[] = {"target_treeids", "target_nodeids", "target_ids", "target_weights",
                                        "target_weights_as_tensor"};
    static const char *const ways[] = {"AVERAGE", "SUM", "MIN", "MAX", NULL};
    struct forest f = {.aggregate = onnx_word(call, "aggregate_function", "SUM", ways)};
    struct ints ids, trees;
    if (!read_nodes(call, &f, onnx_int(call, "n_targets", 1), &ids, &trees) ||
        !read_leaves(call, &f, names, ids, trees))
        return false;
    ty_tensor *y = with_base(call, forest_run(call, &f, features_of(call, &f)));
    return onnx_output(call, 0, onnx_post_transform(call, ty_cast(y, TY_F32), onnx_post_read(call)));
}

/* Return true if all weights belong to one class. */
static bool is_binary(struct ints classes) {
    for (int i = 1; i < classes.n; i++)
        if (classes.items[i] != classes.items[0]) return false;
    return classes.n > 0;
}
bool onnx_op_tree_ensemble_classifier(struct onnx_call *call) {
    static const char *const names[] = {"class_treeids", "class_nodeids", "class_ids", "class_weights",
                                        "class_weights_as_tensor"};
    struct labels classes = onnx_labels_read(call, NULL, "classlabels_int64s", "classlabels_strings", NULL);
    struct forest f = {.aggregate = SUM};
    struct ints ids, trees, targets = ints_attribute(call, "class_ids");
    if (!read_nodes(call, &f, classes.n, &ids, &trees) || !read_leaves(call, &f, names, ids, trees))
        return false;
    ty_tensor *y = with_base(call, ty_cast(forest_run(call, &f, features_of(call, &f)), TY_F32));
    int post = onnx_post_read(call);
    if (is_binary(targets) && classes.n <= 2) {
        ty_tensor *one = ty_slice(y, 1, 0, 1, 1);
        bool shares = post == POST_NONE || post == POST_PROBIT;
        y = ty_concat(2, (ty_tensor *[]){shares ? ty_sub(ty_num(1), one) : ty_neg(one), one}, 1);
    }
    return onnx_classify(call, onnx_post_transform(call, y, post), classes);
}

/* ---- opset 5 ---- */

/* Read members of sets, which end with NaN: a node of the mode MEMBER becomes a chain of nodes EQ. */
struct members {
    struct reals list;
    int at;
};
/* Count the nodes that nodes of the mode MEMBER need in addition; -1, with the fault set, if a set is empty. */
static int64_t further_nodes(struct onnx_call *call, struct ints modes, struct reals list) {
    int64_t more = 0;
    int at = 0;
    for (int i = 0; i < modes.n; i++) {
        if (modes.items[i] != MODES) continue;
        int from = at;
        while (at < list.n && list.items[at] == list.items[at]) at++;
        if (at == list.n || at == from) {
            onnx_refuse(call, E_ARGUMENT, "node %d has no members", i);
            return -1;
        }
        more += at++ - from - 1;
    }
    return more;
}
/* Set node i to the condition x == the next member, for all members of the set; `spare` is the first free node. */
static void chain(struct forest *f, int64_t i, struct members *m, int64_t *spare) {
    int64_t no = f->no[i], node = i;
    for (;;) {
        f->mode[node] = EQ, f->split[node] = m->list.items[m->at++];
        f->feature[node] = f->feature[i], f->yes[node] = f->yes[i];
        f->missing[node] = f->missing[i], f->no[node] = no;
        if (m->list.items[m->at] != m->list.items[m->at]) break;
        f->no[node] = *spare;
        node = (*spare)++;
    }
    m->at++;
}
static struct ints ints_tensor(struct onnx_call *call, const char *name) {
    struct ints out = {0, NULL};
    if (onnx_attribute(call, name)) out.items = onnx_known_ints_of(call, onnx_tensor(call, name), &out.n);
    return out;
}
/* Fill inner nodes: nodes 0 .. n - 1, leaves from `leaf` on, further nodes of sets from `spare` on. */
static bool fill_nodes(struct onnx_call *call, struct forest *f, struct ints modes, struct members m,
                       int64_t leaf, int64_t leaves, int64_t spare) {
    struct ints yes = ints_attribute(call, "nodes_truenodeids"),
                no = ints_attribute(call, "nodes_falsenodeids");
    struct ints yes_leaf = ints_attribute(call, "nodes_trueleafs"),
                no_leaf = ints_attribute(call, "nodes_falseleafs");
    struct ints feature = ints_attribute(call, "nodes_featureids");
    struct ints missing = ints_attribute(call, "nodes_missing_value_tracks_true");
    struct reals split = numbers_of(call, NULL, "nodes_splits");
    int n = modes.n;
    if (yes.n != n || no.n != n || yes_leaf.n != n || no_leaf.n != n || feature.n != n || split.n != n ||
        (missing.n && missing.n != n))
        return onnx_refuse(call, E_SHAPE, "%d modes, but %d splits, %d features and %d and %d children", n,
                           split.n, feature.n, yes.n, no.n);
    for (int i = 0; i < n; i++) {
        int64_t most[] = {yes_leaf.items[i] ? leaves : n, no_leaf.items[i] ? leaves : n};
        if (modes.items[i] < 0 || modes.items[i] > MODES || yes.items[i] < 0 || no.items[i] < 0 ||
            yes.items[i] >= most[0] || no.items[i] >= most[1])
            return onnx_refuse(call, E_INDEX, "node %d has mode %lld and children %lld and %lld", i,
                               (long long)modes.items[i], (long long)yes.items[i], (long long)no.items[i]);
        f->mode[i] = (uint8_t)modes.items[i], f->split[i] = split.items[i], f->feature[i] = feature.items[i];
        f->missing[i] = missing.n && missing.items[i];
        f->yes[i] = yes.items[i] + (yes_leaf.items[i] ? leaf : 0);
        f->no[i] = no.items[i] + (no_leaf.items[i] ? leaf : 0);
        if (modes.items[i] == MODES) chain(f, i, &m, &spare);
        f->modes |= UINT64_C(1) << f->mode[i];
    }
    return true;
}
bool onnx_op_tree_ensemble(struct onnx_call *call) {
    struct ints modes = ints_tensor(call, "nodes_modes"), roots = ints_attribute(call, "tree_roots");
    struct ints target = ints_attribute(call, "leaf_targetids");
    struct reals weight = numbers_of(call, NULL, "leaf_weights"),
                 set = numbers_of(call, NULL, "membership_values");
    struct forest f = {.aggregate = (int)clamped(onnx_int(call, "aggregate_function", SUM), AVERAGE, MAX)};
    int64_t more = call->fault->set ? -1 : further_nodes(call, modes, set), leaf = modes.n, leaves = target.n;
    if (more < 0 || weight.n != leaves || roots.n < 1)
        return onnx_refuse(call, E_SHAPE, "%d leaves, but %d weights, and %d trees", target.n, weight.n,
                           roots.n);
    if (!forest_make(call, &f, leaf + leaves + more, onnx_int(call, "n_targets", 1))) return false;
    for (int64_t i = leaf; i < f.n; i++) f.mode[i] = LEAF, f.yes[i] = f.no[i] = i;
    for (int i = 0; i < leaves; i++) {
        if (target.items[i] < 0 || target.items[i] >= f.targets)
            return onnx_refuse(call, E_INDEX, "leaf %d has target %lld of %lld", i,
                               (long long)target.items[i], (long long)f.targets);
        leaf_add(&f, leaf + i, target.items[i], weight.items[i]);
    }
    if (!fill_nodes(call, &f, modes, (struct members){set, 0}, leaf, leaves, leaf + leaves)) return false;
    for (f.trees = 0; f.trees < roots.n && f.trees < f.n; f.trees++) {
        int64_t root = roots.items[f.trees];
        if (root < 0 || root >= modes.n)
            return onnx_refuse(call, E_INDEX, "root %lld of %d", (long long)root, modes.n);
        f.root[f.trees] = root;
    }
    ty_tensor *y = forest_run(call, &f, features_of(call, &f));
    int post = (int)clamped(onnx_int(call, "post_transform", 0), POST_NONE, POST_PROBIT);
    return onnx_output(call, 0, onnx_post_transform(call, y, post));
}
