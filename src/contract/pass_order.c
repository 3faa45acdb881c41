/*
 * Order: which loop is inside which.
 *
 * All orders compute the same; they differ in what is brought how often.  What works is known since Goto
 * and van de Geijn ("Anatomy of high-performance matrix multiplication", ACM TOMS 34, 2008): keep one
 * operand's box and stream the other past it, and sum over K neither outermost (all of out would be read
 * and written for each block of K) nor innermost (both operands would be packed again for each block of
 * out).  So the candidates are
 *
 *     batches | outer rows and columns | K | inner rows and columns
 *
 * where inner ones are 1, 2, 4, ... boxes of either type and the others are outside, on both sides rows
 * before columns or after.  Inner rows alone: a box of right stays for all of them, and a block of out, inner
 * rows high and one box of columns wide, is summed up in the cache before the next begins; with one box
 * inside, K is innermost.  Inner rows and columns, which is what Goto and van de Geijn have: both operands
 * are packed seldom, as the boxes of one side wait in the third level while those of the other pass, and sums
 * are brought for each block of K.  Each candidate's time is predicted (cost.c) and the least wins, the first
 * of equals, so that the choice is the same everywhere.
 *
 * Batches whose steps are shorter than a line of memory (channels in groups of a few) go inside rows and
 * columns: outside them each would bring all lines again.
 *
 * When sums are kept apart until an epilogue has seen them, or until they are turned as they are stored,
 * the block of out must fit the second level beside the boxes; candidates in which it does not are out of
 * the question.  Where out is written once (K is one block, or its sums are apart, or wait in the second
 * level until they are finished) and everything together exceeds what the cache may hold, out goes past the
 * cache (`bypass`): a line that will not be seen soon need not be read before it is overwritten.
 */
#include "contract/passes.h"
#include "array/dtype.h"
#include <string.h>

enum { CHUNKS_MOST = 12 };

struct candidate {
    int rows, columns;                /* 2^rows boxes of M, 2^columns of N are inside K */
    bool columns_first, columns_last; /* outside K, N before M; inside, after it */
};

static bool append(ty_contraction *to, int dim, ty_exec exec, int64_t step) {
    if (to->nloops == TY_CONTRACTION_LOOPS) return false;
    to->loops[to->nloops++] = (ty_loop){dim, exec, step};
    return true;
}

/* The loops of `c` over a type. */
static bool append_type(ty_contraction *to, const ty_contraction *c, ty_dim_type type) {
    for (int i = 0; i < contraction_walked(c); i++)
        if (c->dims[c->loops[i].dim].type == type &&
            !append(to, c->loops[i].dim, TY_EXEC_SEQUENTIAL, c->loops[i].step))
            return false;
    return true;
}

/* The loops over a type are cut in two: inside are the innermost ones, about `boxes` steps in all; the one at
   the border is in both, with a longer step outside.  Appends one of the halves. */
static bool append_half(ty_contraction *to, const ty_contraction *c, ty_dim_type type, double boxes,
                        bool inside) {
    double room = boxes;
    int first = contraction_walked(c), n = first;
    int64_t border = 0;
    for (int i = n - 1; i >= 0 && room > 1; i--) {
        if (c->dims[c->loops[i].dim].type != type) continue;
        int64_t trips = contraction_trips(c, i);
        first = i;
        border = (double)trips <= room ? 0 : (int64_t)room;
        room /= (double)trips;
    }
    for (int i = 0; i < n; i++) {
        ty_loop loop = c->loops[i];
        int64_t longer;
        if (c->dims[loop.dim].type != type) continue;
        if (!inside && i == first && border > 1 && !__builtin_mul_overflow(loop.step, border, &longer) &&
            !append(to, loop.dim, TY_EXEC_SEQUENTIAL, longer))
            return false;
        bool outside = i < first || (i == first && border == 1);
        if (outside != inside && !append(to, loop.dim, TY_EXEC_SEQUENTIAL, loop.step)) return false;
    }
    return true;
}

static bool append_halves(ty_contraction *to, const ty_contraction *c, const struct candidate *by,
                          bool columns_first, bool inside) {
    for (int i = 0; i < 2; i++) {
        bool columns = columns_first == (i == 0);
        if (!append_half(to, c, columns ? TY_DIM_N : TY_DIM_M,
                         (double)(1 << (columns ? by->columns : by->rows)), inside))
            return false;
    }
    return true;
}

/* Puts c's loops into `to`, a copy of c, in the candidate's order.  Written in place: a contraction has some 10 KiB, and
   many calls lie above this one on the stack. */
static bool arrange(const ty_contraction *c, const struct candidate *by, ty_contraction *to,
                    struct fault *fault) {
    to->nloops = 0;
    bool ok = append_type(to, c, TY_DIM_C) && append_halves(to, c, by, by->columns_first, false) &&
              append_type(to, c, TY_DIM_K) && append_halves(to, c, by, !by->columns_last, true);
    for (int i = contraction_walked(c); ok && i < c->nloops; i++)
        ok = append(to, c->loops[i].dim, TY_EXEC_PRIMITIVE, c->loops[i].step);
    return ok || fault_set(fault, "contraction: more than %d loops", TY_CONTRACTION_LOOPS);
}

/* Bytes of the sums inside the outermost loop over K. */
static double block_bytes(const ty_contraction *c) {
    int64_t extent[TY_CONTRACTION_DIMS];
    int sum = contraction_outermost_sum(c);
    for (int d = 0; d < c->ndims; d++) extent[d] = c->dims[d].size;
    for (int i = 0; i < sum; i++) extent[c->loops[i].dim] = c->loops[i].step;
    return contraction_footprint(c, TY_OUT, extent) * (double)dtype_table[c->sums].size;
}

static void set_bypass(ty_contraction *c, const struct contract_machine *m) {
    bool whole = contraction_outermost_sum(c) == contraction_walked(c) || m->sums_apart;
    bool once = whole || block_bytes(c) <= (double)m->sums_room;
    c->bypass = once && c->bytes > (double)m->l3;
}

/* Whether no columns lie side by side in out: sums wait to be turned. */
static bool is_turned(const ty_contraction *c) {
    for (int d = 0; d < c->ndims; d++)
        if (c->dims[d].type == TY_DIM_N && c->dims[d].stride[TY_OUT] == 1) return false;
    return contraction_size(c, TY_DIM_N) > 1;
}

static double predict(ty_contraction *c, const struct contract_machine *m) {
    struct contract_cost cost;
    bool summed = contraction_outermost_sum(c) < contraction_walked(c);
    set_bypass(c, m);
    contract_cost_of(c, m, &cost);
    bool fits = block_bytes(c) <= (double)m->sums_room;
    return (m->sums_apart || is_turned(c)) && summed && !fits ? cost.seconds * 1e6 : cost.seconds;
}

/* How many times the boxes of a type may be doubled until all are inside K. */
static int doublings(const ty_contraction *c, ty_dim_type type) {
    double n = 1;
    int most = 0;
    for (int i = 0; i < contraction_walked(c); i++)
        if (c->dims[c->loops[i].dim].type == type) n *= (double)contraction_trips(c, i);
    while (most < CHUNKS_MOST && (double)(1 << most) < n) most++;
    return most;
}

/* Whether steps of a loop over a batch meet the same lines of left, right or out. */
static bool shares_lines(const ty_contraction *c, const ty_loop *loop) {
    if (c->dims[loop->dim].type != TY_DIM_C) return false;
    for (int side = 0; side < 3; side++) {
        double step = (double)contraction_magnitude(c->dims[loop->dim].stride[side]) * (double)loop->step;
        if (step * (double)dtype_table[c->dtype[side]].size < CACHE_LINE) return true;
    }
    return false;
}

/* Batches that share lines go inside rows and columns, so that a box's lines are used up while near. */
static void nest_batches(ty_contraction *c) {
    int end = contraction_outermost_sum(c);
    for (int i = 0; i < end; i++) {
        ty_loop loop = c->loops[i];
        if (!shares_lines(c, &loop)) continue;
        end--;
        memmove(c->loops + i, c->loops + i + 1, (size_t)(end - i) * sizeof loop);
        c->loops[end] = loop;
        i--;
    }
}

static struct candidate candidate(int i, int rows) {
    return (struct candidate){i / 4 % (rows + 1), i / 4 / (rows + 1), (i & 2) == 0, (i & 1) == 0};
}

bool pass_contract_order(ty_contraction *c, const struct contract_machine *m, struct fault *fault) {
    ty_contraction next;
    struct candidate best;
    int rows = doublings(c, TY_DIM_M), columns = doublings(c, TY_DIM_N);
    double least = predict(c, m);
    bool choice = contraction_walked(c) > 1, summed = contraction_outermost_sum(c) < contraction_walked(c),
         product = c->primitive == TY_PRIMITIVE_GEMM || c->primitive == TY_PRIMITIVE_BRGEMM, found = false;
    if (choice && product) next = *c;
    for (int i = 0; choice && product && i < 4 * (rows + 1) * (columns + 1); i++) {
        struct candidate by = candidate(i, rows);
        bool both = by.rows && by.columns;
        if (both ? !summed : !by.columns_last) continue; /* the same as another one */
        if (!arrange(c, &by, &next, fault)) return false;
        double seconds = predict(&next, m);
        if (seconds >= least * (1 - 1e-9)) continue;
        least = seconds;
        best = by;
        found = true;
    }
    if (found) {
        if (!arrange(c, &best, &next, fault)) return false;
        set_bypass(&next, m);
        *c = next;
    }
    nest_batches(c);
    return true;
}
