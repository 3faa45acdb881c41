/*
 * Share: loops for threads.
 *
 * What may be shared is every loop over batches, rows and columns outside the outermost loop over K:
 * their steps write different elements of out, so tasks need no locks and add nothing up; a loop over K
 * is never shared.  The shared loops are collapsed into one list of tasks.  A task is a block of out that
 * is summed up within the cache of one processor; consecutive tasks share an operand's box, and the
 * executor walks the list back and forth along the innermost of the shared loops (a boustrophedon: of
 * space-filling orders the one that needs no power of two), so that one of the two boxes stays where it
 * is from task to task.
 *
 * Each thread does one range of the list, and the ranges are to be even: what the longest one makes of out
 * says how much of the machine is used.  When that is too little, a dimension is cut once more, rows and
 * columns in register tiles or as evenly as vectors allow, batches in any number: outside all loops, so that
 * a thread has a part of out as if that were all, or inside those that are shared, which makes boxes smaller.
 * Every cut is tried, outside in 2 .. p parts and inside in 2 .. 4 p, its time predicted with what it costs
 * in packing, and the best one taken.
 *
 * Work of some microseconds is done by one thread: waking another takes as long.  Shares of threads
 * change boxes of rows and columns only, which no rounding depends on; the steps of K were fixed before
 * anybody knew of threads.
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

/* Predicted seconds; how even the ranges are is found out only where these could be less than `most`. */
static double predict(const ty_contraction *c, const struct contract_machine *m, double most) {
    struct contract_cost cost;
    contract_cost_of(c, m, &cost);
    double even = cost.seconds / m->threads;
    return even >= most ? even : even / contract_evenness(c, m->threads);
}

/* The best configuration so far, and the seconds that it is predicted to take. */
struct choice {
    ty_contraction best;
    double least;
};

static bool try_cut(const ty_contraction *c, const struct contract_machine *m, int at, int dim, int64_t step,
                    struct choice *choice, struct fault *fault) {
    ty_contraction next = *c;
    if (!contraction_cut(&next, at, dim, step, fault)) return false;
    double most = choice->least * 0.99, seconds = predict(&next, m, most);
    if (seconds < most) choice->least = seconds, choice->best = next;
    return true;
}

/* Tries to cut each dimension, in so many parts at most, where the loops before `at` have left it. */
static bool try_cuts(const ty_contraction *c, const struct contract_machine *m, int at, int most,
                     struct choice *choice, struct fault *fault) {
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

/* Tries to cut one dimension more, outside all loops and inside those that can be shared; keeps the best. */
static bool cut_best(ty_contraction *c, const struct contract_machine *m, bool *better, struct fault *fault) {
    double before = predict(c, m, INFINITY);
    int inside = contraction_outermost_sum(c);
    struct choice choice = {*c, before};
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
