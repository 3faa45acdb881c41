/*
 * Sum: chooses the order in which each element of out adds up its products (sums.h), and spans of it.
 *
 * Sums are rounded, so their order decides bits. It follows from sizes, strides and dtypes: the caches, vectors,
 * threads and workspace of the machine, constant operands and epilogues have no part in it. The pass leaves the order
 * as loops over K; later passes choose other loops in the same order.
 *
 * One dimension of K needs no loop, as blocks of it continue the sums of the blocks before. Several dimensions may need
 * blocks, for instance all taps of a window inside some channels: their order is that of the loops which the passes
 * choose for one fixed machine. Where several partial sums of an element are added up in each box, all machines use the
 * boxes of that machine too, and its choice between a copy of a window and pieces in place.
 *
 * If out has few register tiles and K is long, threads share K: it is cut into spans, which are summed apart and
 * added up in order, on one thread too.
 */
#include "contract/passes.h"
#include "contract/sums.h"
#include <math.h>
#include <string.h>
#include "array/dtype.h"

/* Run the passes that decide the order of sums for the reference machine on *c, a copy, and choose between a copy and
   pieces of a window on the left if that decides it too. False with the fault set on error. */
static bool plan_reference(ty_contraction *c, struct fault *fault) {
    struct contract_machine machine;
    contraction_reference(c, &machine);
    c->constant[TY_LEFT] = c->constant[TY_RIGHT] = false;
    c->nloops = 0;
    bool made = pass_contract_orient(c, &machine, fault) && pass_contract_identify(c, &machine, fault) &&
                pass_contract_split(c, &machine, fault);
    bool lies = made && contraction_parts_sums(c) && contract_window_lies(c, &machine, TY_LEFT);
    c->packing[TY_LEFT].kind = lies || !made || !contraction_parts_sums(c) ? TY_PACK_NONE : TY_PACK_FOOTPRINT;
    return made;
}

/* Return the number of register tiles of out, 64-byte vectors wide; the same whichever side is left. */
static double tiles(const ty_contraction *c) {
    struct contract_machine machine;
    double rows = contraction_size(c, TY_DIM_M), columns = contraction_size(c, TY_DIM_N);
    contraction_reference(c, &machine);
    double high = machine.tile_rows, wide = machine.tile_columns;
    double count = floor(rows / high + 1) * floor(columns / wide + 1);
    double turned = floor(columns / high + 1) * floor(rows / wide + 1);
    return contraction_size(c, TY_DIM_C) * fmin(count, turned);
}

/* Return the length of a span along the outermost digit of the order: a multiple of `unit`; its whole extent: no
   spans. */
static int64_t span_of(const ty_contraction *c, const struct sum_digit *digit, int64_t unit) {
    const struct contract_constants *k = &contract_constants;
    double out = contraction_products(c) / contraction_size(c, TY_DIM_K), all = contraction_size(c, TY_DIM_K);
    double least = fmax((double)k->span_least, (double)k->span_products / out);
    double spans = fmin(floor(all / least), (double)k->spans_most);
    if (spans < 2 || spans <= tiles(c)) return digit->extent;
    return lesser(round_up((int64_t)ceil((double)digit->extent / spans), unit), digit->extent);
}

/* Insert the loop of spans before all loops, and set c->spans. *order is that of c. False with the fault set on
   error. */
static bool add_spans(ty_contraction *c, const struct sum_order *order, struct fault *fault) {
    enum { ALONG = 64 }; /* elements; spans of the only dimension of K are whole lines */
    const struct sum_digit *digit = &order->digit[0];
    int first = contraction_outermost_sum(c);
    bool looped = first < contraction_walked(c);
    int64_t unit = looped ? c->loops[first].step : order->n == 1 ? ALONG : 1;
    int64_t span = span_of(c, digit, unit);
    c->spans = ceil_div(digit->extent, span);
    if (c->spans < 2) c->spans = 0;
    if (!c->spans || (looped && span == unit)) return true;
    return contraction_cut(c, first, digit->dim, span, fault);
}

/* Replace the loops of c by entries of the primitive for all dimensions. False with the fault set on error. */
static bool add_entries(ty_contraction *c, struct fault *fault) {
    c->nloops = 0;
    for (int d = 0; d < c->ndims; d++)
        if (!contraction_insert(c, d, d, TY_EXEC_PRIMITIVE, greater(c->dims[d].size, 1), fault)) return false;
    return true;
}

bool pass_contract_sum(ty_contraction *c, const struct contract_machine *m, struct fault *fault) {
    struct sum_order order;
    ty_contraction reference = *c;
    (void)m;
    contraction_order_of(c, &order);
    if (order.n == 0 || contraction_products(c) == 0) return true;
    bool chosen = contraction_rounds(c) && (order.n > 1 || contraction_sides_show(c));
    if (!(chosen ? plan_reference(&reference, fault) : add_entries(&reference, fault))) return false;
    c->nloops = reference.nloops;
    memcpy(c->loops, reference.loops, sizeof c->loops);
    contraction_order_of(c, &order);
    c->packing[TY_LEFT].kind = reference.packing[TY_LEFT].kind;
    c->packing[TY_LEFT].loop = -1;
    if (reference.primitive != TY_PRIMITIVE_FLAT && !add_spans(c, &order, fault)) return false;
    if (!chosen && !c->spans) c->nloops = 0; /* blocks of one dimension, and of exact sums, are free */
    return true;
}
