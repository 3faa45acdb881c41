/*
 * Drop: removes dimensions of size 1.
 *
 * Guards that always hold are removed too. A guard that never holds (an operand that is all padding) stays.
 */
#include "contract/passes.h"
#include <string.h>
#include "base/wide.h"

void contraction_forget(ty_contraction *c, int dim) {
    c->ndims--;
    memmove(c->dims + dim, c->dims + dim + 1, (size_t)(c->ndims - dim) * sizeof *c->dims);
    for (int i = 0; i < c->nguards; i++)
        for (int j = 0; j < 2; j++) {
            int *at = &c->guards[i].dim[j];
            if (*at == dim) *at = -1, c->guards[i].coefficient[j] = 0;
            if (*at > dim) --*at;
        }
    for (int i = c->nloops - 1; i >= 0; i--) {
        if (c->loops[i].dim == dim)
            contraction_remove(c, i);
        else if (c->loops[i].dim > dim)
            c->loops[i].dim--;
    }
}

/* True if the guard holds for all indices of its dimensions. */
static bool always_holds(const ty_contraction *c, const ty_guard *g) {
    wide least = wide_of(g->low), most = least;
    for (int j = 0; j < 2; j++) {
        if (g->dim[j] < 0) continue;
        wide reach = wide_product(c->dims[g->dim[j]].size - 1, g->coefficient[j]);
        if (c->dims[g->dim[j]].size == 0) return true;
        wide *end = g->coefficient[j] < 0 ? &least : &most;
        *end = wide_add(*end, reach);
    }
    return !wide_less(least, wide_of(0)) && wide_less(most, wide_of(g->size));
}

bool pass_contract_drop(ty_contraction *c, const struct contract_machine *m, struct fault *fault) {
    (void)m, (void)fault;
    for (int d = c->ndims - 1; d >= 0; d--)
        if (c->dims[d].size == 1) contraction_forget(c, d);
    for (int i = c->nguards - 1; i >= 0; i--)
        if (always_holds(c, &c->guards[i])) {
            c->nguards--;
            memmove(c->guards + i, c->guards + i + 1, (size_t)(c->nguards - i) * sizeof *c->guards);
        }
    return true;
}
