/*
 * Which elements of an operand an element of a result depends on, so that derivatives which are 0 everywhere need not be
 * computed.  It may say more than is true, never less.  The rules stand with the operators (op->reach).
 */
#ifndef OPS_CORE_REACH_H
#define OPS_CORE_REACH_H
#include "ops/core/op.h"

enum reach_kind {
    REACH_AXES, /* axis by axis */
    REACH_MOVES, /* the operator only moves elements, of all its operands: it may run on their numbers, where 0 is nobody's */
    REACH_ALONE, /* the same with zeros in the place of the other operands, whose elements may meet those of this one */
    REACH_GOES,    /* operand's element i flows to the result's element `to`[i], an i64 value */
    REACH_NOTHING, /* the result does not change with the operand, or its derivative is 0 */
};

/* Place c of the result's axis depends on places c * stride + t * dilation - low of the operand's, those of t = 0 .. size-1
   that are inside it; inverse: place p of the operand's reaches such places, with p for c, of the result's. */
struct reach_axis {
    int axis; /* of the result; -1: everything depends on the whole axis */
    bool inverse;
    int64_t size, stride, dilation, low;
};

struct reach {
    enum reach_kind kind;
    struct reach_axis axis[TY_MAX_RANK]; /* AXES: of the operand */
    ty_tensor *to;
};

/* Places are the same as those of axis `axis` of the result. */
static inline struct reach_axis reach_same(int axis) { return (struct reach_axis){axis, false, 1, 1, 1, 0}; }

/* What operand i of y reaches; an operator without a rule, that has a gradient: everything. */
void reach_of(ty_tensor *y, int i, struct reach *r);

/* ---- rules that operators share ---- */

/* Operands broadcast, from the last axis on. */
void reach_broadcast(ty_tensor *y, int i, struct reach *r);
void reach_moves(ty_tensor *y, int i, struct reach *r);
void reach_nothing(ty_tensor *y, int i, struct reach *r);
/* Along `axis` everything on everything, along the others each by itself. */
void reach_beside(const ty_tensor *y, int i, int axis, struct reach *r);
#endif
