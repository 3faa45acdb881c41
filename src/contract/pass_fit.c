/*
 * Fit: reduces the memory of a run to the allowed workspace.
 *
 * Only the engine knows exactly how much a run holds (machine->holds): packed copies, conversions, buffered
 * sums, for how many threads. The user may set a limit (ty_set_workspace). While the limit is exceeded, one
 * dimension of rows, columns or batches is halved, outside the sums: either its remaining extent or its box.
 * Of the cuts that save enough of the excess, that of least predicted time is made. If these do not suffice,
 * cuts that save most bytes are made instead. As a last resort operands are read in place.
 *
 * K is never cut and its loops are not moved. The order of summation is therefore the same with any
 * workspace, constant operand and number of threads.
 */
#include "contract/passes.h"
#include <math.h>
#include "array/dtype.h"

enum { SAVED = 16 }; /* a cut must save 1/16 of the excess at least */

/* Return by how many bytes the workspace exceeds its limit; 0: it fits, or is not known. */
static int64_t excess(const ty_contraction *c, const struct contract_machine *m) {
    struct contract_held held;
    if (!m->holds(m, c, &held)) return 0;
    return held.workspace > held.most ? held.workspace - held.most : 0;
}

/* True if both operands and out, copied in their widest dtype, are too small to matter, and there is no
   padding. */
static bool is_small(const ty_contraction *c, const struct contract_machine *m) {
    double bytes = 0, element = 2 * fmax(m->packed, m->summed);
    for (int side = 0; side < 3; side++) {
        double size = element;
        for (int d = 0; d < c->ndims; d++)
            if (contraction_touches(c, (ty_side)side, d)) size *= (double)c->dims[d].size;
        bytes += size;
    }
    return c->nguards == 0 && bytes <= contract_workspace(m) / 4;
}

/* The best cut so far: by least time, or by fewest bytes if `bytes`. */
struct fitting {
    ty_contraction best;
    double seconds;
    int64_t over;
    bool bytes, found;
};

/* Try to cut dimension `dim` to steps of `step` before loop `at`, and keep the result in *f if it is better;
   `over` is the present excess. False with the fault set on error. */
static bool try_cut(const ty_contraction *c, const struct contract_machine *m, int at, int dim, int64_t step,
                    int64_t over, struct fitting *f, struct fault *fault) {
    ty_contraction next = *c;
    struct contract_cost cost;
    if (!contraction_cut(&next, at, dim, step, fault)) return false;
    if (!pass_contract_pack(&next, m, fault)) return false;
    contract_cost_of(&next, m, &cost);
    if (f->found && !f->bytes && cost.seconds >= f->seconds) return true;
    int64_t left = excess(&next, m), most = f->bytes ? over - 1 : over - over / SAVED - 1;
    if (f->found && f->bytes) most = f->over - 1;
    if (left > most) return true;
    f->best = next; /* by member: a compound literal is one more configuration on the stack */
    f->seconds = cost.seconds;
    f->over = left;
    f->found = true;
    return true;
}

/* Try to halve the extent of dimension `dim` outside the loops over K, and its box; keep the best in *f. The new
   loop goes just outside K, or replaces a loop over that dimension. False with the fault set on error. */
static bool try_dim(const ty_contraction *c, const struct contract_machine *m, int dim, int64_t over,
                    struct fitting *f, struct fault *fault) {
    const int64_t whole[2] = {contraction_left(c, contraction_outermost_sum(c), dim),
                              contraction_box(c, dim)};
    int64_t tried = 0;
    for (int i = 0; i < 2; i++)
        for (int tiles = 1; tiles >= 0; tiles--) {
            int64_t unit = contraction_unit(c, m, dim, tiles),
                    step = ((whole[i] - 1) / 2 + unit) / unit * unit;
            if (step >= whole[i] || step == tried) continue;
            tried = step;
            int last = contraction_outermost_sum(c), same = last;
            while (same > 0 && c->loops[same - 1].dim != dim) same--;
            if (!try_cut(c, m, last, dim, step, over, f, fault)) return false;
            if (same > 0 && same < last && !try_cut(c, m, same, dim, step, over, f, fault)) return false;
        }
    return true;
}

/* Have operands read in place if that saves some of `over` bytes. Not for a matrix-vector product, where
   copying decides the lanes of sums, nor where a window's guard splits the sums. Out of line: its configuration would
   lie on the stack below those of cut_all, too. */
static __attribute__((noinline)) void refuse_copies(ty_contraction *c, const struct contract_machine *m,
                                                    int64_t over) {
    if (contraction_size(c, TY_DIM_N) <= 1) return;
    for (int side = TY_LEFT; side <= TY_RIGHT && over > 0; side++) {
        ty_contraction next = *c;
        if (side == TY_LEFT && contraction_parts_sums(c)) continue;
        next.packing[side].kind = TY_PACK_NONE;
        next.packing[side].loop = -1;
        int64_t left = excess(&next, m);
        if (left < over) *c = next, over = left;
    }
}

/* Cut dimensions until the configuration fits or no cut helps; *over is the remaining excess. bytes: save the
   most bytes, else the least time is chosen. False with the fault set on error. */
static bool cut_all(ty_contraction *c, const struct contract_machine *m, bool bytes, int64_t *over,
                    struct fault *fault) {
    bool found = true;
    while (*over > 0 && found) {
        struct fitting f = {.bytes = bytes};
        for (int d = 0; d < c->ndims; d++)
            if (c->dims[d].type != TY_DIM_K && !try_dim(c, m, d, *over, &f, fault)) return false;
        found = f.found;
        if (found) *c = f.best, *over = f.over;
    }
    return true;
}

bool pass_contract_fit(ty_contraction *c, const struct contract_machine *m, struct fault *fault) {
    if (!m->holds || is_small(c, m)) return true;
    ty_contraction given = *c;
    int64_t over = excess(c, m), least = over;
    if (!cut_all(c, m, false, &over, fault)) return false;
    if (over > 0 && !cut_all(&given, m, true, &least, fault)) return false;
    if (least < over) *c = given, over = least;
    refuse_copies(c, m, over);
    return true;
}
