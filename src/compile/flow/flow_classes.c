/* Classes of kernels by the variables that they depend on, and the blocks that must stay in memory between
   runs (flow.h). */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/map.h"
#include "compile/flow/flow.h"

void classes_drop(struct classes *c) {
    mem_free(c->sets);
    mem_free(c->of_block);
    mem_free(c->label);
    *c = (struct classes){.wanted = c->wanted, .nchanging = c->nchanging, .changing = c->changing};
}

static void add_label(struct labels *s, int label) { s->words[label / 64] |= UINT64_C(1) << label % 64; }
static void add_set(struct labels *s, const struct labels *more) {
    for (int i = 0; i < LABEL_WORDS; i++) s->words[i] |= more->words[i];
}

/* ---- constants that others may write ---- */

static int foreign_inside(const struct kernel *k) {
    int count = 0;
    for (int i = 0; i < k->ninside; i++) count += flow_foreign(k->inside[i].flow);
    return count;
}

bool kernel_calls_user(const struct kernel *k) {
    bool any = kernel_table[k->kind].foreign;
    for (int i = 0; i < k->ninside; i++)
        for (int j = 0; j < k->inside[i].flow->nkernels; j++)
            any = any || kernel_calls_user(&k->inside[i].flow->kernels[j]);
    return any;
}

int flow_foreign(const struct flow *f) {
    int count = 0;
    for (int b = 0; b < f->nblocks; b++)
        count += f->blocks[b].kind == BLOCK_CONSTANT && tensor_may_change(f->blocks[b].leaf);
    for (int k = 0; k < f->nkernels; k++) count += foreign_inside(&f->kernels[k]);
    return count;
}

/* ---- labels of variables ---- */

/* State of flow_classify. */
struct classing {
    struct flow *flow;
    struct classes *classes;
    int sets_room;       /* capacity of classes->sets */
    struct map expected; /* variables expected to change */
    struct map updated;  /* variables that the program updates in every run */
    struct map classes_by_hash;
    bool *updates; /* by block: the next value of a variable, written in every run */
    bool all;      /* any variable may change */
};

static bool expects(const struct classing *c, const struct block *b) {
    return b->kind == BLOCK_VARIABLE && (c->all || map_find(&c->expected, map_key(b->leaf)));
}

/* Set classes->label[] of each block: a label for each variable that may change, else -1. If there are too
   many variables, those close to each other in the graph share one. */
static void label_variables(struct classing *c) {
    const struct flow *f = c->flow;
    int64_t count = 0, number = 0;
    for (int b = 0; b < f->nblocks; b++) count += expects(c, &f->blocks[b]);
    int64_t labels = count < MOST_LABELS - 1 ? count : MOST_LABELS - 1;
    for (int b = 0; b < f->nblocks; b++) {
        const struct block *block = &f->blocks[b];
        int *label = &c->classes->label[b];
        *label = -1;
        if (expects(c, block)) *label = 1 + (int)(number++ * labels / count);
        if (block->kind == BLOCK_VARIABLE && map_find(&c->updated, map_key(block->leaf)))
            *label = LABEL_ALWAYS;
    }
}

/* Fill the maps of the variables expected to change and of those that are updated, and mark the blocks of the
   updates' values. False, with no fault set, if memory runs out. */
static bool find_variables(struct classing *c) {
    const struct flow *f = c->flow;
    c->all = f->classes.nchanging == 0;
    for (int i = 0; i < f->classes.nchanging; i++)
        if (!map_put(&c->expected, map_key(f->classes.changing[i]), i, NULL)) return false;
    for (int i = 0; i < f->nupdates; i++) {
        if (!map_put(&c->updated, map_key(f->updates[i].leaf), i, NULL)) return false;
        c->updates[f->updates[i].value.slot] = true;
    }
    return true;
}

/* ---- classes ---- */

/* Return the number of the class that is the set *s of labels, added if it is new. -1 if memory runs out.
   Sets with equal hashes use the next keys of the map. */
static int class_of_set(struct classing *c, const struct labels *s) {
    struct classes *to = c->classes;
    for (uint64_t h = hash_words(s->words, LABEL_WORDS);; h++) {
        bool is_new;
        const int64_t *number = map_put(&c->classes_by_hash, h, to->n, &is_new);
        if (!number) return -1;
        if (!is_new && memcmp(&to->sets[*number], s, sizeof *s)) continue;
        if (!is_new) return (int)*number;
        return list_append(to->sets, to->n, c->sets_room, *s) ? to->n - 1 : -1;
    }
}

/* Set the class of block b, a variable or constant. False if memory runs out. */
static bool classify_leaf(struct classing *c, int b) {
    const struct block *block = &c->flow->blocks[b];
    struct labels set = {{0}};
    int label = c->classes->label[b];
    if (block->kind == BLOCK_CONSTANT && tensor_may_change(block->leaf)) label = LABEL_ALWAYS;
    if (label >= 0) add_label(&set, label);
    return (c->classes->of_block[b] = class_of_set(c, &set)) >= 0;
}

/* Set the class of kernel k's outputs: the union of those of its inputs, with LABEL_ALWAYS if it runs foreign
   code or writes an update. False, with no fault set, if memory runs out. */
static bool classify_kernel(struct classing *c, const struct kernel *k) {
    const struct flow *f = c->flow;
    struct classes *to = c->classes;
    struct labels set = {{0}};
    for (int i = 0; i < k->ninputs; i++) add_set(&set, &to->sets[to->of_block[k->inputs[i].slot]]);
    bool always = foreign_inside(k) > 0 || kernel_calls_user(k);
    for (int i = 0; i < k->noutputs; i++) {
        int b = k->outputs[i].slot;
        always = always || c->updates[b] || f->blocks[b].kind == BLOCK_UPDATE;
    }
    if (always) add_label(&set, LABEL_ALWAYS);
    int class = class_of_set(c, &set);
    for (int i = 0; i < k->noutputs; i++) to->of_block[k->outputs[i].slot] = class;
    return class >= 0;
}

/* Mark the temporaries that another class reads: they stay between runs. */
static void mark_staying(struct flow *f) {
    for (int b = 0; b < f->nblocks; b++) f->blocks[b].stays = false;
    for (int k = 0; k < f->nkernels; k++)
        for (int i = 0; i < f->kernels[k].ninputs; i++) {
            int b = f->kernels[k].inputs[i].slot;
            if (f->classes.of_block[b] != class_of(f, &f->kernels[k]) && f->blocks[b].kind == BLOCK_TEMPORARY)
                f->blocks[b].stays = true;
        }
}

/* Compute the classes of all blocks and kernels of a flow. False if memory runs out. */
static bool classify(struct classing *c) {
    const struct flow *f = c->flow;
    if (!c->classes->of_block || !c->classes->label || !c->updates) return false;
    if (!find_variables(c)) return false;
    label_variables(c);
    for (int b = 0; b < f->nblocks; b++)
        if (!classify_leaf(c, b)) return false;
    for (int k = 0; k < f->nkernels; k++)
        if (!classify_kernel(c, &f->kernels[k])) return false;
    mark_staying(c->flow);
    return true;
}

bool flow_classify(struct flow *f, struct fault *fault) {
    size_t blocks = (size_t)f->nblocks + 1;
    if (!f->classes.wanted) return true;
    classes_drop(&f->classes);
    f->classes.of_block = mem_array(blocks, sizeof(int));
    f->classes.label = mem_array(blocks, sizeof(int));
    f->classes.foreign = flow_foreign(f);
    struct classing c = {.flow = f, .classes = &f->classes, .updates = mem_array(blocks, sizeof *c.updates)};
    bool done = classify(&c);
    map_drop(&c.expected);
    map_drop(&c.updated);
    map_drop(&c.classes_by_hash);
    mem_free(c.updates);
    return done || fault_memory(fault, blocks * sizeof(struct labels));
}

bool flow_check_classes(const struct flow *f, struct fault *fault) {
    for (int k = 0; f->classes.n && k < f->nkernels; k++)
        for (int i = 0; i < f->kernels[k].ninputs; i++) {
            int b = f->kernels[k].inputs[i].slot;
            if (f->blocks[b].kind != BLOCK_TEMPORARY || f->blocks[b].stays ||
                f->classes.of_block[b] == class_of(f, &f->kernels[k]))
                continue;
            return fault_set(fault, E_INTERNAL,
                             "incremental: block %d does not stay, and kernel %d may run without it", b, k);
        }
    return true;
}
