/* Sums of a constant over loops of fixed size, such as the number of elements of a window, as constants. */
#include <string.h>

#include "engine/schedule/change.h"

/* True if fold i of a nest sums an integer constant over all terms.  Terms of its access would make it 0 outside. */
static bool is_count(const ty_nest *n, int i) {
    const ty_nest_fold *f = &n->folds[i];
    bool is = f->kind == TY_NEST_SUM && f->dtype == TY_I64 && f->when == TY_NEST_ALWAYS && !f->exclusive &&
              f->value < n->nreads && n->reads[f->value].slot == TY_NEST_CONSTANT &&
              !n->reads[f->value].varies && !n->reads[f->value].nterms && outer_dims(n) < n->ndims;
    for (int d = outer_dims(n); d < n->ndims; d++) is = is && n->dims[d].begin < 0 && n->dims[d].end < 0;
    return is;
}
/* Return a nest without the last fold, whose register becomes a read behind the others. */
static const ty_nest *without_count(struct change *c, const ty_nest *n) {
    const ty_nest_access *one = &n->reads[n->folds[n->nfolds - 1].value];
    ty_nest *to = change_room(c, 1, sizeof *to);
    ty_nest_access *reads = change_room(c, n->nreads + 1, sizeof *reads);
    uint16_t *map = change_room(c, register_count(n), sizeof *map);
    int last = first_after(n) - 1;
    if (c->failed) return n;
    memcpy(reads, n->reads, (size_t)n->nreads * sizeof *reads);
    reads[n->nreads] = *one;
    for (int d = outer_dims(n); d < n->ndims; d++) reads[n->nreads].constant[0] *= (uint64_t)n->dims[d].size;
    for (int reg = 0; reg < register_count(n); reg++)
        map[reg] = (uint16_t)(reg < n->nreads || reg > last ? reg : reg == last ? n->nreads : reg + 1);
    *to = *n;
    to->nreads++, to->nfolds--;
    change_registers(c, to, map);
    to->reads = reads;
    return to;
}
const ty_nest *change_counts(struct change *c, const ty_nest *n) {
    while (!c->failed && n->nfolds > 1 && is_count(n, n->nfolds - 1)) n = without_count(c, n);
    return n;
}
