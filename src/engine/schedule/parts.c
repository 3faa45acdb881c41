/* Long sums in parts: work items sum parts of whole blocks, and a last step joins the results of parts as blocks are
   joined, which is the same order. */
#include <string.h>

#include "engine/schedule/change.h"

/* PARTS of a sum, so that two threads end together; ITEMS: as many work items need no parts; LEAST terms for each
   part, which take 10 us, as another launch does. */
enum { PARTS = 16, ITEMS = 16, LEAST = 1 << 16 };

/* True if the terms of a sum lie lines apart in more memory than caches hold: STEP and FAR bytes.  Work items then sum
   neighbouring columns of one block after the other (sums of columns of 4000 x 2500: 9.1 ms, in parts 3.4). */
static bool is_far(const ty_nest *n) {
    enum { STEP = 1024, FAR = 1 << 23 };
    bool far = false;
    for (int k = 0; k < n->nreads; k++) {
        const ty_nest_access *a = &n->reads[k];
        double size = (double)dtype_table[a->dtype].size, step = size * (double)a->strides[n->ndims - 1];
        for (int d = 0; d < n->ndims; d++)
            if (a->strides[d]) size *= (double)n->dims[d].size;
        far = far || (a->slot >= 0 && !a->nterms && size >= FAR && (step >= STEP || step <= -STEP));
    }
    return far;
}
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
    bool far = cut && is_far(n);
    if (!cut || items < 1 || (items >= ITEMS && !far) || items * (double)n->dims[d].size < 2.0 * LEAST)
        return 0;
    int64_t part = n->folds[0].block, size = n->dims[d].size;
    while ((!far && part < size / PARTS) || (double)part * items < LEAST) part *= 2;
    return part < size ? part : 0;
}

/* Return an access of a nest with one more dim, of parts, before all others; it begins `from` terms later. */
static ty_nest_access access_in_part(struct change *c, const ty_nest *n, ty_nest_access a, int64_t part,
                                     int64_t from) {
    int64_t *strides = change_room(c, n->ndims + 1, sizeof *strides);
    int d = n->ndims - 1;
    if (!strides) return a;
    memcpy(strides + 1, a.strides, (size_t)n->ndims * sizeof *strides);
    strides[0] = a.strides[d] * part;
    a.offset += a.strides[d] * from;
    a.strides = strides;
    return a;
}
/* Add the step that sums `count` parts of `part` terms, from term `from` on; results lie in slots[fold]. */
static void add_parts(struct change *c, const ty_nest *n, int64_t count, int64_t part, int64_t from,
                      int64_t step, const int *slots, int64_t first) {
    int d = n->ndims - 1;
    ty_nest *to = change_room(c, 1, sizeof *to);
    ty_nest_dim *dims = change_room(c, n->ndims + 1, sizeof *dims);
    ty_nest_access *reads = change_room(c, n->nreads, sizeof *reads);
    ty_nest_write *writes = change_room(c, n->nfolds, sizeof *writes);
    int64_t *dense = change_room(c, n->ndims + 1, sizeof *dense), below = 1;
    if (c->failed) return;
    memcpy(dims + 1, n->dims, (size_t)d * sizeof *dims);
    dims[0] = (ty_nest_dim){count, TY_NEST_PARALLEL, -1, -1};
    dims[d + 1] = (ty_nest_dim){part, TY_NEST_FOLD, -1, -1};
    for (int k = 0; k < n->nreads; k++) reads[k] = access_in_part(c, n, n->reads[k], step, from);
    for (int i = d - 1; i >= 0; below *= n->dims[i--].size) dense[i + 1] = below;
    dense[0] = below;
    for (int f = 0; f < n->nfolds; f++)
        writes[f] = (ty_nest_write){
            .to = {.slot = slots[f], .dtype = n->folds[f].dtype, .offset = first * below, .strides = dense},
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
    uint16_t *map = change_room(c, register_count(n), sizeof *map);
    int64_t *dense = change_room(c, n->ndims, sizeof *dense), *none = change_room(c, n->ndims, sizeof *none);
    if (c->failed) return n;
    memcpy(dims, n->dims, (size_t)n->ndims * sizeof *dims);
    dims[d].size = count, dense[d] = 1;
    for (int i = d - 1; i >= 0; dense[d] *= n->dims[i--].size) dense[i] = dense[d];
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
    for (int reg = 0; reg < register_count(n); reg++)
        map[reg] = (uint16_t)(reg < n->nreads ? reg : reg + shift);
    *to = *n;
    to->nreads = n->nreads + n->nfolds, to->nbefore = 0;
    change_registers(c, to, map);
    to->dims = dims, to->reads = reads, to->folds = folds;
    return to;
}

const ty_nest *change_parts(struct change *c, const ty_nest *n) {
    enum { FOLDS = 4 };
    int slots[FOLDS], d = n->ndims - 1;
    int64_t part = n->nfolds <= FOLDS ? part_of(n) : 0, items = 1;
    if (!part) return n;
    int64_t size = n->dims[d].size, whole = size / part, rest = size % part, count = whole + (rest > 0);
    for (int i = 0; i < d; i++) items *= n->dims[i].size;
    for (int f = 0; f < n->nfolds; f++)
        if (!change_fits(c, n->folds[f].dtype, (double)items * (double)count * n->nfolds)) return n;
    for (int f = 0; f < n->nfolds; f++) slots[f] = change_temporary(c, n->folds[f].dtype, items * count);
    add_parts(c, n, whole, part, 0, part, slots, 0);
    if (rest) add_parts(c, n, 1, rest, whole * part, part, slots, whole);
    return joining(c, n, count, slots);
}
