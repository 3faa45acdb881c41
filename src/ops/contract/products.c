/* Products of vectors, matrices and tensors, as contractions or broadcast multiplications. */
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "base/checked.h"
#include "ops/shape/arrange.h"
#include "ops/contract/contract.h"

ty_tensor *ty_trace(ty_tensor *x, int64_t offset, int axis1, int axis2) {
    ty_scope *scope = ty_open();
    return leave_as("trace", scope, x, ty_sum(ty_diagonal_at(x, offset, axis1, axis2), ty_axis(-1)));
}

ty_tensor *ty_outer(ty_tensor *a, ty_tensor *b) {
    ty_scope *scope = ty_open();
    return leave_as("outer", scope, a, ty_mul(ty_expand(ty_ravel(a), 1), ty_ravel(b)));
}

ty_tensor *ty_vdot(ty_tensor *a, ty_tensor *b) {
    ty_scope *scope = ty_open();
    return leave_as("vdot", scope, a, ty_dot_product(ty_ravel(ty_conj(a)), ty_ravel(b)));
}

/* Return the sum of products of a and b over axes axes_a[n] of a and axes_b[n] of b, paired in this order.
   The result has the remaining axes of a, then those of b. Poison on failure. */
ty_tensor *ty_tensordot(ty_tensor *a, ty_tensor *b, int n, const int64_t *axes_a, const int64_t *axes_b) {
    ty_tensor *operands[] = {a, b}, *bad = first_poison(2, operands);
    if (bad) return bad;
    int rank[] = {ty_rank(a), ty_rank(b)}, axes[2][TY_MAX_RANK], out = 0;
    if (n < 0 || n > rank[0] || n > rank[1])
        return refuse("tensordot", 2, operands, E_SHAPE, "%d axes cannot be summed over", n);
    bad = take_axes("tensordot", a, rank[0], n, axes_a, axes[0]);
    if (!bad) bad = take_axes("tensordot", b, rank[1], n, axes_b, axes[1]);
    if (bad) return bad;
    if (rank[0] + rank[1] - 2 * n > TY_MAX_RANK)
        return refuse("tensordot", 2, operands, E_LIMIT, "the result has too many axes");
    uint8_t output[2 * TY_MAX_RANK], next = (uint8_t)n;
    struct labelled x[] = {{.x = a}, {.x = b}};
    for (int k = 0; k < 2; k++) {
        uint64_t summed = 0;
        for (int i = 0; i < n; i++) {
            summed |= (uint64_t)1 << axes[k][i];
            x[k].labels[axes[k][i]] = (uint8_t)i;
            if (ty_shape(a)[axes[0][i]] != ty_shape(b)[axes[1][i]])
                return refuse("tensordot", 2, operands, E_SHAPE,
                              "axis %d of the first is %lld, axis %d of the second %lld", axes[0][i],
                              (long long)ty_shape(a)[axes[0][i]], axes[1][i],
                              (long long)ty_shape(b)[axes[1][i]]);
        }
        for (int i = 0; i < rank[k]; i++)
            if (!(summed >> i & 1)) output[out++] = x[k].labels[i] = next++;
    }
    return contract(x[0], x[1], out, output);
}

ty_tensor *ty_inner(ty_tensor *a, ty_tensor *b) {
    ty_tensor *bad = first_poison(2, (ty_tensor *[]){a, b});
    if (bad) return bad;
    if (!ty_rank(a) || !ty_rank(b)) return ty_mul(a, b);
    int64_t last = -1;
    ty_scope *scope = ty_open();
    return leave_as("inner", scope, a, ty_tensordot(a, b, 1, &last, &last));
}

/* Return component i, from 0, of the vectors along the last axis of x, without that axis. It is a 0-d zero if
   they have fewer components. */
static ty_tensor *component(ty_tensor *x, int i) {
    int last = ty_rank(x) - 1;
    if (i >= ty_shape(x)[last]) return ty_num(0);
    return ty_squeeze(range_of(x, last, i, i + 1), last);
}

static ty_tensor *cross_component(ty_tensor *a, ty_tensor *b, int i) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    return ty_sub(ty_mul(component(a, j), component(b, k)), ty_mul(component(a, k), component(b, j)));
}

ty_tensor *ty_cross(ty_tensor *a, ty_tensor *b, int axis) {
    ty_tensor *operands[] = {a, b}, *bad = first_poison(2, operands);
    int along[2] = {0, 0};
    for (int k = 0; k < 2 && !bad; k++) {
        along[k] = take_axis("cross", operands[k], ty_rank(operands[k]), axis, &bad);
        int64_t n = bad ? 3 : ty_shape(operands[k])[along[k]];
        if (n != 2 && n != 3)
            bad = refuse("cross", 2, operands, E_SHAPE, "axis %d must have 2 or 3 elements, not %lld",
                         along[k], (long long)n);
    }
    if (bad) return bad;
    ty_scope *scope = ty_open();
    for (int k = 0; k < 2; k++)
        operands[k] = ty_moveaxis(operands[k], 1, (int64_t[]){along[k]}, (int64_t[]){-1});
    bad = first_poison(2, operands);
    if (bad) return leave(scope, bad);
    bool flat = ty_shape(operands[0])[ty_rank(operands[0]) - 1] == 2 &&
                ty_shape(operands[1])[ty_rank(operands[1]) - 1] == 2;
    if (flat) return leave_as("cross", scope, a, cross_component(operands[0], operands[1], 2));
    ty_tensor *parts[3], *same[3];
    for (int i = 0; i < 3; i++) parts[i] = cross_component(operands[0], operands[1], i);
    ty_broadcast_together(3, parts, same);
    return leave_as("cross", scope, a, ty_stack(3, same, axis));
}

/* Return the Kronecker product, as numpy.kron: a and b are reshaped so that their axes alternate, multiplied,
   and pairs of axes are merged. Poison if there are too many axes. */
ty_tensor *ty_kron(ty_tensor *a, ty_tensor *b) {
    ty_tensor *operands[] = {a, b}, *bad = first_poison(2, operands);
    if (bad) return bad;
    int rank = ty_rank(a) > ty_rank(b) ? ty_rank(a) : ty_rank(b);
    if (rank > TY_MAX_RANK / 2)
        return refuse("kron", 2, operands, E_LIMIT, "at most %d axes can be paired", TY_MAX_RANK / 2);
    int64_t shape[2][TY_MAX_RANK], whole[TY_MAX_RANK];
    for (int i = 0; i < rank; i++) {
        for (int k = 0; k < 2; k++) {
            int axis = i - (rank - ty_rank(operands[k]));
            shape[k][2 * i + k] = axis >= 0 ? ty_shape(operands[k])[axis] : 1;
            shape[k][2 * i + 1 - k] = 1;
        }
        if (!checked_mul(shape[0][2 * i], shape[1][2 * i + 1], &whole[i]))
            return refuse("kron", 2, operands, E_LIMIT, "axis %d of the result is too long", i);
    }
    ty_scope *scope = ty_open();
    ty_tensor *pairs = ty_mul(ty_reshape(a, 2 * rank, shape[0]), ty_reshape(b, 2 * rank, shape[1]));
    return leave_as("kron", scope, a, ty_reshape(pairs, rank, whole));
}
