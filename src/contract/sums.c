/* The order of sums, and the conditions under which other choices of the passes change bits. */
#include "contract/sums.h"
#include <math.h>
#include "array/dtype.h"
#include "contract/loops.h"
#include "contract/narrow.h"

/* Append a digit unless it has one value only, or continues the last one inwards along its dimension. `apart`: it
   does not continue, as spans of the last one are summed apart. */
static void add_digit(struct sum_order *order, int dim, int64_t unit, int64_t extent, bool apart) {
    struct sum_digit *last = order->n ? &order->digit[order->n - 1] : NULL;
    if (extent <= unit) return;
    if (last && last->dim == dim && !apart)
        last->unit = unit;
    else if (order->n < TY_CONTRACTION_LOOPS)
        order->digit[order->n++] = (struct sum_digit){dim, unit, extent};
}

void contraction_order_of(const ty_contraction *c, struct sum_order *order) {
    int first = contraction_outermost_sum(c);
    order->n = 0;
    for (int i = 0; i < c->nloops; i++) {
        const ty_loop *loop = &c->loops[i];
        int64_t unit = loop->exec == TY_EXEC_PRIMITIVE ? 1 : loop->step;
        bool apart = c->spans > 1 && order->n == 1 && i > first;
        if (c->dims[loop->dim].type == TY_DIM_K)
            add_digit(order, loop->dim, unit, contraction_rest(c, i), apart);
    }
    for (int d = 0; d < c->ndims && !c->nloops; d++)
        if (c->dims[d].type == TY_DIM_K) add_digit(order, d, 1, c->dims[d].size, false);
}

bool contraction_order_equal(const struct sum_order *a, const struct sum_order *b) {
    bool same = a->n == b->n;
    for (int i = 0; same && i < a->n; i++)
        same = a->digit[i].dim == b->digit[i].dim && a->digit[i].unit == b->digit[i].unit;
    return same;
}

bool contraction_rounds(const ty_contraction *c) {
    return dtype_valid(c->sums) && dtype_is(c->sums, CLASS_FLOAT | CLASS_COMPLEX);
}

/* True if a primitive may sum each element in several chains, for some choice of left. */
static bool may_have_chains(const ty_contraction *c) {
    double rows = contraction_size(c, TY_DIM_M), columns = contraction_size(c, TY_DIM_N);
    double lanes = (double)(CONTRACT_LANE_BYTES / dtype_table[dtype_table[c->sums].computed].size);
    double vectors = fmin(rows * ceil(columns / lanes), columns * ceil(rows / lanes));
    return vectors <= CONTRACT_CHAINED;
}

/* True if out is a vector, so that the lanes of a vector may hold parts of a sum. */
static bool is_vector(const ty_contraction *c) {
    return contraction_size(c, TY_DIM_M) <= 1 || contraction_size(c, TY_DIM_N) <= 1;
}

/* True if a guard couples a kept dimension with a longer one of K, so that a window's pieces cut K. */
static bool has_pieces_of_sums(const ty_contraction *c) {
    for (int i = 0; i < c->nguards; i++) {
        int64_t kept = -1, summed = -1;
        for (int k = 0; k < 2; k++) {
            int dim = c->guards[i].dim[k];
            if (dim >= 0) *(c->dims[dim].type == TY_DIM_K ? &summed : &kept) = c->dims[dim].size;
        }
        if (kept >= 0 && summed > kept) return true;
    }
    return false;
}

bool contraction_boxes_show(const ty_contraction *c) {
    if (!contraction_rounds(c) || dtype_is(c->sums, CLASS_COMPLEX)) return false;
    bool pieces = contraction_parts_sums(c) && c->packing[TY_LEFT].kind == TY_PACK_NONE;
    return pieces || contraction_chains(c) > 1 || contraction_dot(c) >= 0;
}

bool contraction_sides_show(const ty_contraction *c) {
    if (!contraction_rounds(c)) return false;
    return dtype_is(c->sums, CLASS_COMPLEX) || is_vector(c) || may_have_chains(c) || has_pieces_of_sums(c);
}

/* The figures of core.c for a Zen 4 core: 1 MiB of L2 is common to many processors, and of the machines of
   `./dev plans` this one's plans change least by a fixed order (5 of 497). */
void contraction_reference(const ty_contraction *c, struct contract_machine *machine) {
    enum { KIB = 1024 };
    bool pairs = dtype_is(c->sums, CLASS_COMPLEX);
    contract_machine_usual(machine, pairs ? c->sums : dtype_table[c->sums].computed, 1);
    machine->l1 = 32 * KIB;
    machine->l2 = 1024 * KIB;
    machine->l2_way = 128 * KIB;
    machine->l3 = 32768 * KIB;
    machine->sums_room = 720 * KIB;
    machine->reach = 1536 * KIB;
    machine->flops = 7.3e9 * machine->lanes;
    machine->read = 27e9;
    machine->stream = 33e9;
    machine->l3_bytes = 70e9;
    machine->room = 7168 * KIB;
}
