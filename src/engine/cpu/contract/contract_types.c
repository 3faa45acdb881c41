/*
 * Chooses the dtypes of elements in memory, packed, as sums and stored. If the kernel takes several k's at once
 * (brgemm_types_of), a dimension of K is cut into groups.
 */
#include "contract/loops.h"
#include "contract/narrow.h"
#include "engine/cpu/contract/contract_plan.h"

/* Return the dtype that sums are computed in: complex if `lanes`, else the real part's. Integers compute modulo
   2^32 or 2^64, signed or not; bool counts, then tests for nonzero. */
static ty_dtype inner_of(ty_dtype sums, bool lanes) {
    if (dtype_is(sums, CLASS_COMPLEX)) return lanes ? sums : dtype_table[sums].real;
    if (dtype_is(sums, CLASS_FLOAT)) return dtype_table[sums].computed;
    return dtype_table[sums].size == 8 ? TY_I64 : TY_I32;
}

static bool same_bits(ty_dtype a, ty_dtype b) {
    return a == b || (dtype_is(a, CLASS_INTEGER) && dtype_is(b, CLASS_INTEGER) &&
                      dtype_table[a].size == dtype_table[b].size);
}

/* Set *loop to the cast between dtypes and return true; *loop is unchanged if their bits are the same. Return
   false with the fault set if the engine has no such cast. */
static bool find_cast(cpu_loop *loop, ty_dtype from, ty_dtype to, struct fault *fault) {
    if (same_bits(from, to)) return true;
    *loop = cpu_loop_find(&op_cast, from, to);
    return *loop || fault_set(fault, E_UNSUPPORTED,
                              "contraction of %s needs a cast to %s, and the cpu engine has none",
                              ty_dtype_name(from), ty_dtype_name(to));
}

void contract_choose_sums(struct contract_plan *p) {
    const ty_contraction *c = p->c;
    bool pairs = dtype_is(c->sums, CLASS_COMPLEX);
    p->inner = inner_of(c->sums, p->lanes);
    p->parts = pairs && !p->lanes ? 2 : 1;
    p->inner_bytes = (int64_t)dtype_table[p->inner].size;
    p->out_bytes = p->inner_bytes * p->parts;
    p->stored_bytes = (int64_t)dtype_table[c->dtype[TY_OUT]].size;
    p->types = (struct brgemm_types){p->inner, p->inner, p->inner, 1, p->lanes, p->lane >= 0};
}

void contract_cut_groups(struct contract_plan *p) {
    const ty_contraction *c = p->c;
    struct brgemm_types types = brgemm_types_of(c->dtype[TY_LEFT], c->dtype[TY_RIGHT], p->inner);
    int best = -1;
    bool columns = false;
    double filled = 0;
    for (int d = 0; d < c->ndims; d++)
        columns = columns || (c->dims[d].type == TY_DIM_N && c->dims[d].size > 1);
    if (types.group == 1 || p->lanes || p->parts > 1 || !columns) return;
    for (int d = 0; d < p->ndims; d++) {
        const struct box_dim *dim = &p->dims[d];
        if (dim->type != TY_DIM_K || !dim->stride[CONTRACT_LEFT] || !dim->stride[CONTRACT_RIGHT]) continue;
        if (dim->size == 0 || dim_guarded(c, dim->dim)) continue;
        double full = (double)dim->size / (double)round_up(dim->size, types.group);
        if (dim->stride[CONTRACT_LEFT] == 1) full *= 2;
        if (full >= filled) best = d, filled = full;
    }
    if (best < 0) return;
    p->types = types;
    p->dims[best].group = types.group;
}

/* Return true if kernels widen the elements of a side as they read them in place, so that it needs no copy. */
static bool is_widened_in_place(const struct contract_plan *p, int side) {
    const ty_contraction *c = p->c;
    if (c->packing[side].kind != TY_PACK_NONE || p->parts > 1 || p->types.group > 1) return false;
    if (!contraction_may_widen(c, (ty_side)side) || !brgemm_widens(c->dtype[side], p->inner)) return false;
    return side == CONTRACT_LEFT || contract_side_by_side(p, TY_DIM_N, side);
}

bool contract_choose_casts(struct contract_plan *p, struct fault *fault) {
    const ty_contraction *c = p->c;
    bool pairs = dtype_is(c->sums, CLASS_COMPLEX);
    ty_dtype *types[2] = {&p->types.left, &p->types.right};
    for (int side = 0; side < 2; side++) {
        if (is_widened_in_place(p, side)) *types[side] = c->dtype[side];
        p->side[side].element = (int64_t)dtype_table[c->dtype[side]].size;
        if (pairs && c->dtype[side] != c->sums)
            return fault_set(fault, E_DTYPE, "a contraction in %s has an operand of %s: cast it first",
                             ty_dtype_name(c->sums), ty_dtype_name(c->dtype[side]));
        ty_dtype packed = *types[side];
        p->side[side].packed = (int64_t)dtype_table[packed].size;
        if (!pairs && !find_cast(&p->side[side].widen, c->dtype[side], packed, fault)) return false;
    }
    return find_cast(&p->narrow, pairs ? c->sums : p->inner, c->dtype[TY_OUT], fault);
}
