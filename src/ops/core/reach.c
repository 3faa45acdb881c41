#include "ops/core/reach.h"

void reach_of(ty_tensor *y, int i, struct reach *r) {
    bool flows = y->op->vjp || y->op->vjp_all;
    *r = (struct reach){.kind = y->op->reach || flows ? REACH_AXES : REACH_NOTHING};
    for (int k = 0; k < y->inputs[i]->layout.rank; k++) r->axis[k].axis = -1;
    if (y->op->reach) y->op->reach(y, i, r);
}

void reach_broadcast(ty_tensor *y, int i, struct reach *r) {
    const struct layout *x = &y->inputs[i]->layout;
    int extra = y->layout.rank - x->rank;
    if (y->op->no_gradient[i < 3 ? i : 2]) r->kind = REACH_NOTHING;
    for (int k = 0; k < x->rank; k++)
        if (x->shape[k] == y->layout.shape[k + extra]) r->axis[k] = reach_same(k + extra);
}

void reach_moves(ty_tensor *y, int i, struct reach *r) {
    (void)y, (void)i;
    r->kind = REACH_MOVES;
}

void reach_nothing(ty_tensor *y, int i, struct reach *r) {
    (void)y, (void)i;
    r->kind = REACH_NOTHING;
}

void reach_beside(const ty_tensor *y, int i, int axis, struct reach *r) {
    for (int k = 0; k < y->inputs[i]->layout.rank; k++)
        if (k != axis) r->axis[k] = reach_same(k);
}
