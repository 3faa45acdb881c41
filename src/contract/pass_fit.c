/*
 * Fit: what an engine holds in a run is at most what it may.
 *
 * The passes before plan with bytes as they are seen from here.  How much is packed at last, converted, waits
 * as sums, and for how many threads, only the engine can tell (machine->holds), and it may be told to hold
 * less (ty_set_workspace).  Where it is too much, one dimension of rows, columns or batches is cut outside
 * the sums: what is left of it, or of the box, in two.  Of all cuts that save a part of the excess the one of
 * least predicted time is made, until it fits.  Where that ends without fitting, those that save most bytes
 * are made instead; and at last operands are not packed where they can be read as they lie.
 *
 * K is not cut, nor are its loops moved: the order of sums is the same with any workspace, with any operand
 * constant, and for any number of threads.
 */
#include "contract/passes.h"
#include <math.h>
#include "array/dtype.h"

enum { SAVED = 16 }; /* a cut that saves a lesser part of the excess is not worth its time */

/* Bytes beyond what may be held; 0: it fits, or nobody can tell. */
static int64_t excess(const ty_contraction *c, const struct contract_machine *m) {
    struct contract_held held;
    if (!m->holds(m, c, &held)) return 0;
    return held.workspace > held.most ? held.workspace - held.most : 0;
}

/* Whether all of both operands and of out, each copied as wide as can be, is too little to ask. */
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

/* The best cut so far: of least time, or of fewest bytes. */
struct fitting {
    ty_contraction best;
    double seconds;
    int64_t over;
    bool bytes, found;
};

/* Cut before loop `at`. */
static bool try_cut(const ty_contraction *c, const struct contract_machine *m, int at, int dim, int64_t step,
                    int64_t over, struct fitting *f, struct fault *fault) {
    ty_contraction next = *c;
    struct contract_cost cost;
    if (!contraction_cut(&next, at, dim, step, fault)) return false;
    contract_pack_again(&next, m);
    contract_cost_of(&next, m, &cost);
    if (f->found && !f->bytes && cost.seconds >= f->seconds) return true;
    int64_t left = excess(&next, m), most = f->bytes ? over - 1 : over - over / SAVED - 1;
    if (f->found && f->bytes) most = f->over - 1;
    if (left <= most) *f = (struct fitting){next, cost.seconds, left, f->bytes, true};
    return true;
}

/* Halves of what the loops outside the sums leave of a dimension, and of the box: inside these loops, or
   where one of them steps that dimension. */
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

/* Reads an operand where it lies if that saves bytes.  Not where a vector meets a matrix: whether K lies side
   by side on both sides, which a copy may make so, decides in which lanes sums are made; nor where a window's guard
   parts the sums. */
static void refuse_copies(ty_contraction *c, const struct contract_machine *m, int64_t over) {
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

/* Cuts until it fits or no cut helps; *over: what is left of the excess. */
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
