/* Long sums in parts: work items sum parts of whole blocks, and a last step joins the results of parts as blocks are
   joined, which is the same order. */
#include <string.h>

#include "engine/schedule/change.h"

/* PARTS of a sum, so that two threads end together; ITEMS: as many work items need no parts; LEAST terms for each
   part, which take 10 us, as another launch does. */
enum { PARTS = 16, ITEMS = 16, LEAST = 1 << 16 };

/* Return the terms of a part, blocks times a power of 2; 0: the sum is not cut. */
static int64_t part_of(const ty_nest *n) {
    int d = n->ndims - 1;
    double items = 1;
    for (int i = 0; i < d; i++) items *= (double)n->dims[i].size;
    bool cut = n->nfolds > 0 && outer_dims(n) == d && n->dims[d].begin < 0 && n->dims[d].end < 0;
    for (int i = 0; cut && i < n->nfolds; i++) {
        const ty_nest_fold *f = &n->folds[i];
        cut = fold_has_blocks(f) && f->join == TY_NEST_HALVES && f->when == TY_NEST_ALWAYS && !f->spans &&
              !f->inner && f->block == n->folds[0].block && f->block > 0;
    }
    for (int i = 0; cut && i < d; i++) cut = n->dims[i].role == TY_NEST_PARALLEL && n->dims[i].begin < 0;
    for (int k = 0; cut && k < n->nreads; k++) cut = !n->reads[k].varies;
    if (!cut || items < 1 || items >= ITEMS || items * (double)n->dims[d].size < 2.0 * LEAST) return 0;
    int64_t part = n->folds[0].block, size = n->dims[d].size;
    while (part < size / PARTS || (double)part * items < LEAST) part *= 2;
    return part < size ? part : 0;
}

/* Return an access of a nest with one more dim before the FOLD dim, of parts; it begins `from` terms later. */
static ty_nest_access access_in_part(struct change *c, const ty_nest *n, ty_nest_access a, int64_t part,
                                     int64_t from) {
    int64_t *strides = change_room(c, n->ndims + 1, sizeof *strides);
    int d = n->ndims - 1;
    if (!strides) return a;
    memcpy(strides, a.strides, (size_t)d * sizeof *strides);
    strides[d] = a.strides[d] * part, strides[d + 1] = a.strides[d];
    a.offset += a.strides[d] * from;
    a.strides = strides;
    return a;
}
/* Add the step that sums `count` parts of `part` terms, from term `from` on; results lie in slots[fold]. */
static void add_parts(struct change *c, const ty_nest *n, int64_t count, int64_t part, int64_t from,
                      int64_t step, const int *slots, int64_t first, int64_t all) {
    int d = n->ndims - 1;
    ty_nest *to = change_room(c, 1, sizeof *to);
    ty_nest_dim *dims = change_room(c, n->ndims + 1, sizeof *dims);
    ty_nest_access *reads = change_room(c, n->nreads, sizeof *reads);
    ty_nest_write *writes = change_room(c, n->nfolds, sizeof *writes);
    int64_t *dense = change_room(c, n->ndims + 1, sizeof *dense), below = all;
    if (c->failed) return;
    memcpy(dims, n->dims, (size_t)d * sizeof *dims);
    dims[d] = (ty_nest_dim){count, TY_NEST_PARALLEL, -1, -1};
    dims[d + 1] = (ty_nest_dim){part, TY_NEST_FOLD, -1, -1};
    for (int k = 0; k < n->nreads; k++) reads[k] = access_in_part(c, n, n->reads[k], step, from);
    dense[d] = 1;
    for (int i = d - 1; i >= 0; below *= n->dims[i--].size) dense[i] = below;
    for (int f = 0; f < n->nfolds; f++)
        writes[f] = (ty_nest_write){
            .to = {.slot = slots[f], .dtype = n->folds[f].dtype, .offset = first, .strides = dense},
            .value = (uint16_t)(first_fold(n) + f),
            .when = TY_NEST_ALWAYS,
            .second = TY_NEST_ALWAYS};
    *to = *n;
    to->name = "sums of parts", to->ndims = d + 2, to->nafter = 0, to->nwrites = n->nfolds;
    to->dims = dims, to->reads = reads, to->writes = writes;
    change_step(c, (ty_nest_step){.nest = to});
}
/* Return the nest that joins the results of `count` parts and does what follows the folds. */
static const ty_nest *joining(struct change *c, const ty_nest *n, int64_t count, const int *slots) {
    int d = n->ndims - 1, shift = n->nfolds - n->nbefore;
    ty_nest *to = change_room(c, 1, sizeof *to);
    ty_nest_dim *dims = change_room(c, n->ndims, sizeof *dims);
    ty_nest_access *reads = change_room(c, n->nreads + n->nfolds, sizeof *reads);
    ty_nest_fold *folds = change_room(c, n->nfolds, sizeof *folds);
    ty_nest_instr *after = change_room(c, n->nafter, sizeof *after);
    ty_nest_write *writes = change_room(c, n->nwrites, sizeof *writes);
    int64_t *dense = change_room(c, n->ndims, sizeof *dense), *none = change_room(c, n->ndims, sizeof *none);
    if (c->failed) return n;
    memcpy(dims, n->dims, (size_t)n->ndims * sizeof *dims);
    dims[d].size = count, dense[d] = 1;
    for (int64_t i = d - 1, below = count; i >= 0; below *= n->dims[i--].size) dense[i] = below;
    for (int k = 0; k < n->nreads; k++) {
        reads[k] = n->reads[k];
        if (!reads[k].late && reads[k].strides[d])
            reads[k] = (ty_nest_access){.slot = TY_NEST_CONSTANT, .dtype = reads[k].dtype, .strides = none};
    }
    for (int f = 0; f < n->nfolds; f++) {
        reads[n->nreads + f] =
            (ty_nest_access){.slot = slots[f], .dtype = n->folds[f].dtype, .strides = dense};
        folds[f] = n->folds[f];
        if (folds[f].kind == TY_NEST_DOT) folds[f].kind = TY_NEST_SUM;
        folds[f].value = (uint16_t)(n->nreads + f), folds[f].lanes = 1, folds[f].block = 1;
    }
    memcpy(after, n->after, (size_t)n->nafter * sizeof *after);
    memcpy(writes, n->writes, (size_t)n->nwrites * sizeof *writes);
    for (int i = 0; i < n->nafter; i++)
        for (int k = 0; k < after[i].n; k++)
            if (after[i].from[k] >= n->nreads) after[i].from[k] = (uint16_t)(after[i].from[k] + shift);
    for (int i = 0; i < n->nwrites; i++) {
        uint16_t *of[] = {&writes[i].value, &writes[i].when, &writes[i].second};
        for (int k = 0; k < 3; k++)
            if (*of[k] != TY_NEST_ALWAYS && *of[k] >= n->nreads) *of[k] = (uint16_t)(*of[k] + shift);
    }
    *to = *n;
    to->nreads = n->nreads + n->nfolds, to->nbefore = 0;
    to->dims = dims, to->reads = reads, to->folds = folds, to->after = after, to->writes = writes;
    return to;
}

const ty_nest *change_parts(struct change *c, const ty_nest *n) {
    enum { FOLDS = 4 };
    int slots[FOLDS], d = n->ndims - 1;
    int64_t part = n->nfolds <= FOLDS ? part_of(n) : 0, items = 1;
    if (!part) return n;
    int64_t size = n->dims[d].size, whole = size / part, rest = size % part, count = whole + (rest > 0);
    for (int i = 0; i < d; i++) items *= n->dims[i].size;
    for (int f = 0; f < n->nfolds; f++) slots[f] = change_temporary(c, n->folds[f].dtype, items * count);
    add_parts(c, n, whole, part, 0, part, slots, 0, count);
    if (rest) add_parts(c, n, 1, rest, whole * part, part, slots, whole, count);
    return joining(c, n, count, slots);
}
