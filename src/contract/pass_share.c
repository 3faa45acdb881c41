/*
 * Share: loops that threads divide.
 *
 * Loops over batches, rows and columns outside the outermost loop over K may be shared: their steps write
 * disjoint elements of out, so tasks need no locks. Loops over K are never shared. The shared loops form one
 * list of tasks. A task is a block of out that is summed in the cache of one processor. The executor walks
 * the list in boustrophedon order along the innermost shared loop, so that one of the two boxes stays in
 * cache between tasks.
 *
 * Each thread runs one range of tasks. If the largest range is much above average, a dimension is cut once
 * more: rows and columns in register tiles or whole vectors, batches in any number. The cut is outside all
 * loops, in 2 .. p parts, or just inside the shared ones, in 2 .. 4 p parts. The cut of least predicted time
 * is taken.
 *
 * Work of a few microseconds stays on one thread, as waking another takes as long. Sharing changes boxes of
 * rows and columns only, never steps of K, so bits do not depend on threads.
 */
#include "contract/passes.h"
#include <math.h>

int64_t contraction_unit(const ty_contraction *c, const struct contract_machine *m, int dim, bool tiles) {
    bool lanes = c->primitive == TY_PRIMITIVE_LANES;
    bool is_vector = dim == (lanes ? contraction_lane(c) : contraction_innermost(c, TY_OUT));
    if (lanes || !tiles) return is_vector ? m->lanes : 1;
    int64_t unit = c->dims[dim].type == TY_DIM_M   ? m->tile_rows
                   : c->dims[dim].type == TY_DIM_N ? m->tile_columns
                                                   : 1;
    for (int d = 0; d < c->ndims; d++)
        if (d != dim && c->dims[d].type == c->dims[dim].type && contraction_box(c, d) > 1) return 1;
    return unit;
}

/* Return the predicted seconds of c with all threads; the evenness of ranges is computed only if the result
   could be below `most`. */
static double predict(const ty_contraction *c, const struct contract_machine *m, double most) {
    struct contract_cost cost;
    contract_cost_of(c, m, &cost);
    double even = cost.seconds / m->threads;
    return even >= most ? even : even / contract_evenness(c, m->threads);
}

/* The best configuration so far and its predicted seconds. */
struct share_choice {
    ty_contraction best;
    double least;
};

/* Try to cut dimension `dim` to steps of `step` before loop `at`, and keep the result in *choice if it saves
   time. False with the fault set on error. */
static bool try_cut(const ty_contraction *c, const struct contract_machine *m, int at, int dim, int64_t step,
                    struct share_choice *choice, struct fault *fault) {
    ty_contraction next = *c;
    if (!contraction_cut(&next, at, dim, step, fault)) return false;
    double most = choice->least * 0.99, seconds = predict(&next, m, most);
    if (seconds < most) choice->least = seconds, choice->best = next;
    return true;
}

/* Try to cut each dimension, before loop `at`, in 2 .. most parts, and keep the best in *choice. False with the
   fault set on error. */
static bool try_cuts(const ty_contraction *c, const struct contract_machine *m, int at, int most,
                     struct share_choice *choice, struct fault *fault) {
    for (int d = 0; d < c->ndims; d++) {
        int64_t rest = contraction_left(c, at, d);
        for (int parts = 2; c->dims[d].type != TY_DIM_K && parts <= most && parts <= rest; parts++)
            for (int tiles = 0; tiles < 2; tiles++) {
                int64_t unit = contraction_unit(c, m, d, tiles),
                        step = ((rest - 1) / parts + unit) / unit * unit;
                if (step < rest && !try_cut(c, m, at, d, step, choice, fault)) return false;
            }
    }
    return true;
}

/* Cut one dimension more, outside all loops or inside the shared ones, if that saves time (*better). False with
   the fault set on error. */
static bool cut_best(ty_contraction *c, const struct contract_machine *m, bool *better, struct fault *fault) {
    double before = predict(c, m, INFINITY);
    int inside = contraction_outermost_sum(c);
    struct share_choice choice = {*c, before};
    if (!try_cuts(c, m, 0, m->threads, &choice, fault)) return false;
    if (inside > 0 && !try_cuts(c, m, inside, 4 * m->threads, &choice, fault)) return false;
    *better = choice.least < before;
    *c = choice.best;
    return true;
}

bool pass_contract_share(ty_contraction *c, const struct contract_machine *m, struct fault *fault) {
    enum { CUTS_MOST = 3 };
    struct contract_cost cost;
    contract_cost_of(c, m, &cost);
    bool steps = c->primitive != TY_PRIMITIVE_FLAT && c->primitive != TY_PRIMITIVE_SCALAR;
    if (m->threads < 2 || !steps || cost.seconds < 2 * contract_constants.task_seconds) return true;
    bool better = c->spans <= 1;
    for (int cuts = 0; better && cuts < CUTS_MOST; cuts++) {
        if (contract_evenness(c, m->threads) >= contract_constants.even) break;
        if (!cut_best(c, m, &better, fault)) return false;
    }
    if (contract_tasks(c) < 2) return true;
    for (int i = 0, n = contraction_outermost_sum(c); i < n; i++) c->loops[i].exec = TY_EXEC_SHARED;
    return true;
}
