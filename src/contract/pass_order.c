/*
 * Order: nesting of the loops.
 *
 * All orders compute the same but move different amounts of data. Goto and van de Geijn ("Anatomy of
 * high-performance matrix multiplication", ACM TOMS 34, 2008) keep one operand's box and stream the other
 * past it. K is not outermost, as out would be read and written for each block of K. It is not innermost
 * either, as operands would be packed again for each block of out. The candidates are
 *
 * batches | outer rows and columns | K | inner rows and columns
 *
 * Inner ones are 1, 2, 4, ... boxes of either type, the others are outside; rows come before columns or
 * after. With inner rows alone, a box of right serves all of them, and a block of out one box wide is summed
 * in the cache. With inner rows and columns, operands are packed seldom: boxes of one side wait in L3 while
 * those of the other pass, and partial sums are moved for each block of K. The candidate of least predicted
 * time (cost.c) wins, the first of equals, so the choice is deterministic.
 *
 * Batches whose steps are shorter than a cache line (small channel groups) go inside rows and columns;
 * outside they would fetch each line again.
 *
 * If sums are buffered for an epilogue or for transposition, the block of out must fit L2 together with the
 * boxes; other candidates are ruled out. Out uses streaming stores (`bypass`) if each element is stored once
 * and all operands together exceed L3.
 */
#include "contract/passes.h"
#include "array/dtype.h"
#include <string.h>

enum { CHUNKS_MOST = 12 };

/* A nesting of the loops. */
struct candidate {
    int rows, columns;                /* 2^rows boxes of M and 2^columns of N are inside K */
    bool columns_first, columns_last; /* N is before M outside K; after M inside K */
};

static bool append(ty_contraction *to, int dim, ty_exec exec, int64_t step) {
    if (to->nloops == TY_CONTRACTION_LOOPS) return false;
    to->loops[to->nloops++] = (ty_loop){dim, exec, step};
    return true;
}

/* Append the loops of c over dimensions of a type to `to`. False: too many loops. */
static bool append_type(ty_contraction *to, const ty_contraction *c, ty_dim_type type) {
    for (int i = 0; i < contraction_walked(c); i++)
        if (c->dims[c->loops[i].dim].type == type &&
            !append(to, c->loops[i].dim, TY_EXEC_SEQUENTIAL, c->loops[i].step))
            return false;
    return true;
}

/* Append an inner or outer half of c's loops over a type to `to`. The inner half (`inside`) are the innermost
   ones, of about `boxes` steps in all. The loop at the border is in both halves, with a longer step outside.
   False: too many loops. */
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

/* Append an inner (`inside`) or outer half of c's loops over rows and over columns, in the order that
   columns_first says. False: too many loops. */
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

/* Write the loops of c into `to`, a copy of c, in the candidate's order. False with the fault set on error.
   Passed by pointer, as a contraction has 10 KiB and the stack is deep here. */
static bool arrange(const ty_contraction *c, const struct candidate *by, ty_contraction *to,
                    struct fault *fault) {
    to->nloops = 0;
    bool ok = append_type(to, c, TY_DIM_C) && append_halves(to, c, by, by->columns_first, false) &&
              append_type(to, c, TY_DIM_K) && append_halves(to, c, by, !by->columns_last, true);
    for (int i = contraction_walked(c); ok && i < c->nloops; i++)
        ok = append(to, c->loops[i].dim, TY_EXEC_PRIMITIVE, c->loops[i].step);
    return ok || fault_set(fault, E_LIMIT, "contraction: more than %d loops", TY_CONTRACTION_LOOPS);
}

/* Return the bytes of the sums inside the outermost loop over K. */
static double block_bytes(const ty_contraction *c) {
    int64_t extent[TY_CONTRACTION_DIMS];
    int sum = contraction_outermost_sum(c);
    for (int d = 0; d < c->ndims; d++) extent[d] = c->dims[d].size;
    for (int i = 0; i < sum; i++) extent[c->loops[i].dim] = c->loops[i].step;
    return contraction_footprint(c, TY_OUT, extent) * (double)dtype_table[c->sums].size;
}

/* Set c->bypass to true, for streaming stores to out, if each element is stored once and the operands exceed L3;
   else to false. */
static void set_bypass(ty_contraction *c, const struct contract_machine *m) {
    bool whole = contraction_outermost_sum(c) == contraction_walked(c) || m->sums_apart;
    bool once = whole || block_bytes(c) <= (double)m->sums_room;
    c->bypass = once && c->bytes > (double)m->l3;
}

/* True if out has no contiguous columns, so that buffered sums are transposed when stored. */
static bool is_turned(const ty_contraction *c) {
    for (int d = 0; d < c->ndims; d++)
        if (c->dims[d].type == TY_DIM_N && c->dims[d].stride[TY_OUT] == 1) return false;
    return contraction_size(c, TY_DIM_N) > 1;
}

/* Return the predicted seconds of c, very large for ruled-out candidates; set c->bypass. */
static double predict(ty_contraction *c, const struct contract_machine *m) {
    struct contract_cost cost;
    bool summed = contraction_outermost_sum(c) < contraction_walked(c);
    set_bypass(c, m);
    contract_cost_of(c, m, &cost);
    bool fits = block_bytes(c) <= (double)m->sums_room;
    return (m->sums_apart || is_turned(c)) && summed && !fits ? cost.seconds * 1e6 : cost.seconds;
}

/* Return how often the extent of a type inside K may be doubled until all of it is inside K, at most CHUNKS_MOST. */
static int doublings(const ty_contraction *c, ty_dim_type type) {
    double n = 1;
    int most = 0;
    for (int i = 0; i < contraction_walked(c); i++)
        if (c->dims[c->loops[i].dim].type == type) n *= (double)contraction_trips(c, i);
    while (most < CHUNKS_MOST && (double)(1 << most) < n) most++;
    return most;
}

/* True if the loop is over a batch dimension, and its successive steps share cache lines of an operand. */
static bool shares_lines(const ty_contraction *c, const ty_loop *loop) {
    if (c->dims[loop->dim].type != TY_DIM_C) return false;
    for (int side = 0; side < 3; side++) {
        double step = (double)contraction_magnitude(c->dims[loop->dim].stride[side]) * (double)loop->step;
        if (step * (double)dtype_table[c->dtype[side]].size < CACHE_LINE) return true;
    }
    return false;
}

/* Move batch loops whose steps share cache lines inside the loops over rows and columns. */
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
        if (both ? !summed : !by.columns_last) continue; /* equal to another candidate */
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
