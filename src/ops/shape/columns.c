#include "ops/shape/columns.h"
#include <tyto/memory.h>
#include <tyto/shape.h>
#include "array/dense.h"
#include "ops/core/memory/columns.h"
#include "ops/core/structure.h"

/* Return x, a value without gaps, with its axes in another order, which it keeps unless that is row-major. */
static ty_tensor *permuted(ty_tensor *x, const int *order) {
    ty_tensor *y = ty_permute(x, order);
    if (ty_ok(y) && y != x) y->keeps_order = layout_is_permuted(&y->layout);
    return y;
}

ty_tensor *ty_columns(ty_tensor *x) {
    x = tensor_resolve(x);
    if (!ty_ok(x) || x->promise || x->layout.rank < 2) return ty_contiguous(x);
    bool settled = x->keeps_order || layout_is_contiguous(&x->layout);
    if (settled && layout_is_columns(&x->layout)) return tensor_share(x);
    ty_scope *scope = ty_open();
    return leave_as("columns", scope, x, permuted(ty_contiguous(ty_permute(x, NULL)), NULL));
}

/* ---- several elementwise operators ---- */

/* Set shape[*rank] to the common shape of x[n]. False if there is none, an operand is poison or a promise, or
   none keeps its order. */
static bool common_shape(int n, ty_tensor *const *x, int *rank, int64_t *shape) {
    bool keeps = false, fits = true;
    int axis;
    *rank = 0;
    for (int i = 0; i < n && fits; i++) {
        const struct layout *l = &x[i]->layout;
        keeps = keeps || x[i]->keeps_order;
        fits = ty_ok(x[i]) && !x[i]->promise && shape_broadcast(rank, shape, l->rank, l->shape, &axis);
    }
    return keeps && fits;
}

bool columns_turn(struct columns *c, int n, ty_tensor **x) {
    int64_t shape[TY_MAX_RANK];
    int order[TY_MAX_RANK];
    if (!common_shape(n, x, &c->rank, shape)) return false;
    const ty_tensor *kept = columns_kept(n, x, c->rank, shape);
    if (!kept) return false;
    layout_order(&kept->layout, order);
    for (int i = 0; i < c->rank; i++) c->back[order[i]] = i;
    for (int i = 0; i < n; i++)
        if (tensor_size(x[i]) > 1) x[i] = ty_permute(ty_broadcast(x[i], c->rank, shape), order);
    return true;
}

ty_tensor *columns_return(const struct columns *c, ty_tensor *y) { return permuted(y, c->back); }
