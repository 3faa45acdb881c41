/* Orders of sums for narrow products, by sizes, strides and dtypes alone. */
#include "contract/narrow.h"
#include "array/dtype.h"
#include "base/number.h"
#include "contract/loops.h"

/* Return the number of real sums in a vector. Integers are summed in 4 bytes, or in 8. */
static int64_t lanes_of(const ty_contraction *c) {
    ty_dtype real = dtype_table[c->sums].real;
    int64_t bytes = (int64_t)dtype_table[dtype_table[real].computed].size;
    return CONTRACT_LANE_BYTES / greater(bytes, 4);
}

/* Return the number of elements along all dimensions of a type, at most 2^40. */
static int64_t count(const ty_contraction *c, ty_dim_type type) {
    const double most = (double)((int64_t)1 << 40);
    double n = contraction_size(c, type);
    return (int64_t)(n < most ? n : most);
}

/* Return the number of columns of one row: N, and for LANES the batch that vectors run along. */
static int64_t columns_of(const ty_contraction *c) {
    bool lanes = c->primitive == TY_PRIMITIVE_LANES;
    double n = contraction_size(c, TY_DIM_N) * (lanes ? contraction_size(c, TY_DIM_C) : 1);
    return n < (double)INT32_MAX ? (int64_t)n : INT32_MAX;
}

/* With 16 registers of 32 bytes, all sums and operands fit one tile, so right is read once. Four vectors of 64 bytes
   keep the units busy with one sum each on most processors. Windows along vectors of a batch have one sum, since caches
   decide whether these read padding. */
int contraction_chains(const ty_contraction *c) {
    enum { CHAINED_TERMS = 12 }; /* with fewer, adding up the sums costs the gain */
    static const int chains[CONTRACT_CHAINED + 1] = {1, 4, 3, 2};
    int64_t lanes = lanes_of(c), rows = count(c, TY_DIM_M), columns = columns_of(c);
    if (!dtype_is(c->sums, CLASS_FLOAT) || count(c, TY_DIM_K) < CHAINED_TERMS || rows < 1 || columns < 1)
        return 1;
    if (c->primitive == TY_PRIMITIVE_LANES && contraction_is_window(c, TY_LEFT)) return 1;
    if (rows > CONTRACT_CHAINED || columns > CONTRACT_CHAINED * lanes) return 1;
    int64_t vectors = rows * ceil_div(columns, lanes);
    return vectors <= CONTRACT_CHAINED ? chains[vectors] : 1;
}

/* Return true if a guard (padding) of c belongs to the right side. */
static bool is_right_padded(const ty_contraction *c) {
    for (int i = 0; i < c->nguards; i++)
        if (c->guards[i].side == TY_RIGHT) return true;
    return false;
}

/* Return the number of elements along the K dimension `dim` and all others that continue it in both operands. */
static int64_t run_of(const ty_contraction *c, int dim) {
    int64_t run = c->dims[dim].size, step[2] = {c->dims[dim].stride[TY_LEFT], c->dims[dim].stride[TY_RIGHT]};
    for (int d = 0; d < c->ndims; d++) {
        const ty_dim *next = &c->dims[d];
        bool continues = next->type == TY_DIM_K && next->size > 1 && d != dim;
        for (int side = 0; side < 2 && continues; side++)
            continues = contraction_magnitude(next->stride[side]) ==
                        contraction_magnitude(step[side]) * (uint64_t)run;
        if (!continues) continue;
        run *= next->size;
        d = -1;
    }
    return run;
}

/* K must fill a vector and have a few more terms, or adding up the lanes costs more than the sums. */
int contraction_dot(const ty_contraction *c) {
    enum { DOT_TERMS = 32 };
    int64_t lanes = lanes_of(c);
    if (c->primitive == TY_PRIMITIVE_LANES || dtype_is(c->sums, CLASS_COMPLEX) || is_right_padded(c))
        return -1;
    if (contraction_size(c, TY_DIM_N) > 1 || contraction_size(c, TY_DIM_K) < DOT_TERMS) return -1;
    for (int d = 0; d < c->ndims; d++)
        if (c->dims[d].type == TY_DIM_K && c->dims[d].size > 1 && c->dims[d].stride[TY_LEFT] == 1 &&
            c->dims[d].stride[TY_RIGHT] != 0)
            return run_of(c, d) < lanes ? -1 : d;
    return -1;
}

bool contraction_may_widen(const ty_contraction *c, ty_side side) {
    int dot = contraction_dot(c);
    if (c->primitive == TY_PRIMITIVE_LANES || contraction_is_window(c, side)) return false;
    if (side == TY_RIGHT) return dot < 0 && contraction_size(c, TY_DIM_N) > 1;
    for (int d = 0; d < c->ndims; d++)
        if (c->dims[d].type == TY_DIM_K && d != dot && contraction_box(c, d) > 1) return false;
    return dot >= 0;
}

bool contraction_is_narrow(const ty_contraction *c) {
    return contraction_dot(c) >= 0 || contraction_chains(c) > 1;
}

/* Return the K dimension without a step that comes next from the inside: the one with the smallest stride on `side`,
   the last of several; -1: none is left. */
static int next_inside(const ty_contraction *c, int side, const bool *done) {
    int best = -1;
    for (int d = c->ndims - 1; d >= 0; d--) {
        if (c->dims[d].type != TY_DIM_K || done[d]) continue;
        uint64_t step = contraction_magnitude(c->dims[d].stride[side]);
        if (best < 0 || step < contraction_magnitude(c->dims[best].stride[side])) best = d;
    }
    return best;
}

void contraction_narrow_steps(const ty_contraction *c, int64_t *step) {
    /* terms times vectors of columns: right's part of a block is at most 256 KiB, so a copy stays in L2 */
    enum { BLOCK = 4096 };
    int dot = contraction_dot(c);
    bool done[TY_CONTRACTION_DIMS] = {false};
    if (!contraction_is_narrow(c)) return;
    int64_t lanes = lanes_of(c), room = dot < 0 ? BLOCK / ceil_div(columns_of(c), lanes) : BLOCK;
    for (int d; (d = dot >= 0 && !done[dot] ? dot : next_inside(c, TY_LEFT, done)) >= 0;) {
        step[d] = lesser(c->dims[d].size, room);
        room = step[d] < c->dims[d].size ? 1 : greater(room / greater(step[d], 1), 1);
        done[d] = true;
    }
}
