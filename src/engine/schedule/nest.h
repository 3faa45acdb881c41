/* Facts about nests that schedules and renderers share: numbers of registers, dims of a role, orders of folds. */
#ifndef ENGINE_SCHEDULE_NEST_H
#define ENGINE_SCHEDULE_NEST_H
#include "array/dtype.h"
#include "engine/nest/folds.h"
#include "engine/nest/nest.h"

/* Return the number of the first register of each group. */
static inline int first_before(const ty_nest *n) { return n->nreads; }
static inline int first_fold(const ty_nest *n) { return n->nreads + n->nbefore; }
static inline int first_after(const ty_nest *n) { return n->nreads + n->nbefore + n->nfolds; }
static inline int register_count(const ty_nest *n) { return first_after(n) + n->nafter; }
/* Return the operator whose result is register `reg`; NULL: a read or a fold. */
static inline const ty_nest_instr *instr_of(const ty_nest *n, int reg) {
    if (reg >= first_after(n)) return &n->after[reg - first_after(n)];
    return reg >= n->nreads && reg < first_fold(n) ? &n->before[reg - n->nreads] : NULL;
}
/* Return the number of dims before the FOLD dims. */
static inline int outer_dims(const ty_nest *n) {
    int d = n->ndims;
    while (d > 0 && n->dims[d - 1].role == TY_NEST_FOLD) d--;
    return d;
}
/* True if a nest is one loop.  Texts have its size as an argument: operators on any number of elements have one text. */
static inline bool nest_is_flat(const ty_nest *n) {
    return n->ndims == 1 && n->dims[0].role == TY_NEST_PARALLEL;
}
/* Return the dtype of a register. */
static inline ty_dtype register_dtype(const ty_nest *n, int reg) {
    const ty_nest_instr *in = instr_of(n, reg);
    if (in) return in->out;
    if (reg < n->nreads) return n->reads[reg].dtype;
    return nest_fold_dtype(&n->folds[reg - first_fold(n)]);
}

/* True if a fold joins lanes or blocks, or sums of spans, by an order of its own. */
static inline bool fold_has_blocks(const ty_nest_fold *f) {
    bool parts = f->join != TY_NEST_CHAIN && (f->block > 0 || f->inner > 0); /* a chain of one lane goes on */
    return nest_rounds(f) && (f->lanes > 1 || parts);
}
static inline bool fold_has_spans(const ty_nest_fold *f) { return nest_rounds(f) && f->spans > 0; }
#endif
