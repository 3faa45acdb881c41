/*
 * Identify: what computes a box.
 *
 *   LANES    a batch dimension, or rows, lie innermost and the matrices are slivers (pass_orient.c said so)
 *   FLAT     there are neither rows nor columns (dot products and batches of them), or nothing is summed
 *            and there are not both (elementwise products): a reduction, or a map, of products, bound by
 *            memory and not by registers
 *   BRGEMM   several summed dimensions, or an operand that overlaps itself: a batch of small products
 *            added up in registers (Georganas et al., "Harnessing deep learning via a single building
 *            block", IPDPS 2020); the batch is what is left of K when one dimension of it is the
 *            product's own
 *   GEMM     one summed dimension: a batch of one
 *   SCALAR   nothing is left to do, or nothing to compute: sizes of 0
 *
 * In which layout operands lie does not matter here: what has unit stride on either side is read where it
 * is, what has none is packed (pass_pack.c).  A guard keeps contractions off the flat path, which has no
 * padding.
 */
#include "contract/passes.h"

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
