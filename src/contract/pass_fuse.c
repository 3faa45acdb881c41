/*
 * Fuse: two dimensions of one type become one when, in all three operands, the outer one's step is the
 * inner one's times its size:
 *
 *     stride[outer] = stride[inner] * size[inner]     in left, right and out.
 *
 * Then index outer * size[inner] + inner steps evenly through everything, which is the whole proof; an
 * operand that steps along neither (both strides 0) agrees with any fusion.  Few long dimensions split
 * into better boxes than many short ones (Springer and Bientinesi, "Design of a high-performance
 * GEMM-like tensor-tensor multiplication", ACM TOMS 44, 2018, section 4, and einsum_ir, Breuer et al.):
 * 25 rows of 64 columns are 1600 rows if they lie so.
 *
 * A dimension that a guard names keeps its own index and is never fused.  Pairs are tried in any order,
 * not only neighbours in the list, until nothing fuses: the order of the list says nothing about memory.
 * Sizes multiply within 64 bits or the pair stays two.
 */
#include "contract/passes.h"
#include "base/checked.h"

static bool is_guarded(const ty_contraction *c, int dim) {
    for (int i = 0; i < c->nguards; i++)
        if (c->guards[i].dim[0] == dim || c->guards[i].dim[1] == dim) return true;
    return false;
}

static bool fuses(const ty_contraction *c, int outer, int inner, int64_t *size) {
    const ty_dim *a = &c->dims[outer], *b = &c->dims[inner];
    if (a->type != b->type || is_guarded(c, outer) || is_guarded(c, inner)) return false;
    for (int side = 0; side < 3; side++) {
        int64_t step;
        if (!checked_mul(b->stride[side], b->size, &step) || a->stride[side] != step) return false;
    }
    return checked_mul(a->size, b->size, size);
}

static bool fuse_one(ty_contraction *c) {
    for (int outer = 0; outer < c->ndims; outer++)
        for (int inner = 0; inner < c->ndims; inner++) {
            int64_t size;
            if (outer == inner || !fuses(c, outer, inner, &size)) continue;
            c->dims[inner].size = size;
            contraction_forget(c, outer);
            return true;
        }
    return false;
}

bool pass_contract_fuse(ty_contraction *c, const struct contract_machine *m, struct fault *fault) {
    (void)m, (void)fault;
    while (fuse_one(c)) {
    }
    return true;
}
