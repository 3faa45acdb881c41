/*
 * Identify: chooses the primitive that computes a box.
 *
 *   LANES    chosen by pass_orient.c: a batch or row dimension is innermost and matrices are tiny.
 *   FLAT     no rows and no columns (dot products), or nothing is summed and one of them is missing
 *            (elementwise products): a reduction or map of products, bound by memory.
 *   BRGEMM   several summed dimensions, or an operand that overlaps itself: a batch of small products added up
 *            in registers (Georganas et al., "Harnessing deep learning via a single building block", IPDPS
 *            2020).  The batch is the rest of K when one dimension of it is the product's own.
 *   GEMM     one summed dimension: a batch of one.
 *   SCALAR   no dimensions, or a size of 0.
 *
 * Memory layout does not matter here: unit strides on either side are read in place, others are packed
 * (pass_pack.c).  FLAT has no padding, so guards exclude it.
 */
#include "contract/passes.h"

/* Return the number of dimensions of a type. */
static int count(const ty_contraction *c, ty_dim_type type) {
    int n = 0;
    for (int i = 0; i < c->ndims; i++) n += c->dims[i].type == type;
    return n;
}

static bool is_empty(const ty_contraction *c) {
    for (int i = 0; i < c->ndims; i++)
        if (c->dims[i].size == 0) return true;
    return false;
}

bool pass_contract_identify(ty_contraction *c, const struct contract_machine *m, struct fault *fault) {
    (void)m, (void)fault;
    int rows = count(c, TY_DIM_M), columns = count(c, TY_DIM_N), sums = count(c, TY_DIM_K);
    bool window = contraction_is_window(c, TY_LEFT) || contraction_is_window(c, TY_RIGHT);
    bool flat = sums ? rows == 0 && columns == 0 : rows == 0 || columns == 0;
    if (c->ndims == 0 || is_empty(c))
        c->primitive = TY_PRIMITIVE_SCALAR;
    else if (flat && c->nguards == 0 && c->primitive != TY_PRIMITIVE_LANES)
        c->primitive = TY_PRIMITIVE_FLAT;
    else if (c->primitive != TY_PRIMITIVE_LANES)
        c->primitive = sums > 1 || window ? TY_PRIMITIVE_BRGEMM : TY_PRIMITIVE_GEMM;
    return true;
}
