/*
 * Fuse: merges two dimensions of one type if, in all three operands, the outer stride is the inner one's times
 * its size:
 *
 *    stride[outer] = stride[inner] * size[inner]     in left, right and out.
 *
 * Then index outer * size[inner] + inner has a constant stride everywhere; operands with both strides 0 agree with
 * any fusion.  Few long dimensions split into better boxes than many short ones: 25 rows of 64 columns are 1600 rows
 * if they are contiguous.  See Springer and Bientinesi, "Design of a high-performance GEMM-like tensor-tensor
 * multiplication", ACM TOMS 44, 2018, section 4, and einsum_ir, Breuer et al.
 *
 * Dimensions that a guard names are never fused.  All pairs are tried, not only neighbours in the list, until none
 * fuses: the order of the list is not that of memory.  A pair stays if the product of sizes exceeds 64 bits.
 */
#include "contract/passes.h"
#include "base/checked.h"

/* True if dimensions `outer` and `inner` may be merged into one; *size is the merged size. */
static bool fuses(const ty_contraction *c, int outer, int inner, int64_t *size) {
    const ty_dim *a = &c->dims[outer], *b = &c->dims[inner];
    if (a->type != b->type || dim_guarded(c, outer) || dim_guarded(c, inner)) return false;
    for (int side = 0; side < 3; side++) {
        int64_t step;
        if (!checked_mul(b->stride[side], b->size, &step) || a->stride[side] != step) return false;
    }
    return checked_mul(a->size, b->size, size);
}

/* Merge one pair of dimensions into one and return true. Return false if there is no pair that may be merged. */
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
