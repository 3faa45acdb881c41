/* Matrix products by NumPy's rules, as contractions. */
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/shape.h>
#include "ops/contract/contract.h"

/* Labels: row, summed axis, column; batch axes, numbered from the last. */
enum { ROW, SUM, COLUMN, BATCH };

/* Write the labels of n batch axes to labels[n]. They are numbered from the last axis, so that axes that
   broadcast together have one label. */
static void label_batch(uint8_t *labels, int n) {
    for (int i = 0; i < n; i++) labels[i] = (uint8_t)(BATCH + n - 1 - i);
}

/* Return poison, in the name of function `name`, if the leading batch axes of x[0] and x[1] do not broadcast,
   aligned at the last of them; else NULL. batch_a and batch_b are the numbers of these axes. */
static ty_tensor *refuse_batch(const char *name, ty_tensor **x, int batch_a, int batch_b) {
    for (int i = 1; i <= batch_a && i <= batch_b; i++) {
        int64_t size_a = ty_shape(x[0])[batch_a - i], size_b = ty_shape(x[1])[batch_b - i];
        if (size_a != size_b && size_a != 1 && size_b != 1)
            return refuse(
                name, 2, x, E_SHAPE,
                "batches do not broadcast: axis %d of the first is %lld, axis %d of the second is %lld",
                batch_a - i, (long long)size_a, batch_b - i, (long long)size_b);
    }
    return NULL;
}

/* Return a hint for the error message if transposing x[1] makes the product possible, else "". */
static const char *matmul_hint(ty_tensor **x) {
    int rank = ty_rank(x[1]);
    bool fits = rank > 1 && ty_shape(x[1])[rank - 1] == ty_shape(x[0])[ty_rank(x[0]) - 1];
    return fits ? "; transpose the second (ty_transpose)" : "";
}

ty_tensor *matmul_by(ty_tensor *a, ty_tensor *b, int sums) {
    ty_tensor *x[] = {a, b}, *bad = first_poison_in("matmul", 2, x);
    if (bad) return bad;
    int rank_a = ty_rank(a), rank_b = ty_rank(b);
    if (!rank_a || !rank_b)
        return refuse("matmul", 2, x, E_SHAPE, "a 0-d operand has no axis to sum over; use ty_mul to scale");
    int axis_b = rank_b > 1 ? rank_b - 2 : 0;
    int64_t size_a = ty_shape(a)[rank_a - 1], size_b = ty_shape(b)[axis_b];
    if (size_a != size_b)
        return refuse("matmul", 2, x, E_SHAPE,
                      "sizes do not match: axis %d of the first is %lld, axis %d of the second is %lld%s",
                      rank_a - 1, (long long)size_a, axis_b, (long long)size_b, matmul_hint(x));
    int batch_a = rank_a > 1 ? rank_a - 2 : 0, batch_b = rank_b > 1 ? rank_b - 2 : 0;
    bad = refuse_batch("matmul", x, batch_a, batch_b);
    if (bad) return bad;
    struct labelled left = {.x = a}, right = {.x = b};
    uint8_t output[TY_MAX_RANK + 2];
    int n = batch_a > batch_b ? batch_a : batch_b;
    label_batch(left.labels, batch_a);
    label_batch(right.labels, batch_b);
    label_batch(output, n);
    if (rank_a > 1) left.labels[batch_a] = output[n++] = ROW;
    left.labels[rank_a - 1] = SUM;
    right.labels[axis_b] = SUM;
    if (rank_b > 1) right.labels[rank_b - 1] = output[n++] = COLUMN;
    return contract_by(left, right, n, output, &(struct contract_rules){.sums = sums});
}

ty_tensor *ty_matmul(ty_tensor *a, ty_tensor *b) { return matmul_by(a, b, 0); }

ty_tensor *ty_dot_product(ty_tensor *a, ty_tensor *b) {
    ty_tensor *x[] = {a, b}, *bad = first_poison(2, x);
    if (bad) return bad;
    int last_a = ty_rank(a) - 1, last_b = ty_rank(b) - 1;
    if (last_a < 0 || last_b < 0)
        return refuse("dot_product", 2, x, E_SHAPE,
                      "a 0-d operand has no axis to sum over; use ty_mul to scale");
    if (ty_shape(a)[last_a] != ty_shape(b)[last_b])
        return refuse("dot_product", 2, x, E_SHAPE, "sizes of the last axes do not match: %lld and %lld",
                      (long long)ty_shape(a)[last_a], (long long)ty_shape(b)[last_b]);
    bad = refuse_batch("dot_product", x, last_a, last_b);
    if (bad) return bad;
    struct labelled left = {.x = a}, right = {.x = b};
    uint8_t output[TY_MAX_RANK];
    int n = last_a > last_b ? last_a : last_b;
    label_batch(left.labels, last_a);
    label_batch(right.labels, last_b);
    label_batch(output, n);
    left.labels[last_a] = right.labels[last_b] = SUM;
    return contract(left, right, n, output);
}
