/* Dependence of result elements on operand elements, so that derivatives that are 0 everywhere are not computed.  A
   rule may report too many dependences, never too few.  Operators have their own rules (op->reach). */
#ifndef OPS_CORE_REACH_H
#define OPS_CORE_REACH_H
#include "ops/core/op.h"

enum reach_kind {
    REACH_AXES,    /* given axis by axis */
    REACH_MOVES,   /* the operator only moves elements of all its operands, so it may run on element ids
                      instead, with 0 for no element */
    REACH_ALONE,   /* the operator may run on element ids of this operand, with zeros as the other operands */
    REACH_GOES,    /* element i of the operand flows to element to[i] of the result; `to` is an i64 value */
    REACH_NOTHING, /* the result does not depend on the operand, or the derivative is 0 */
};

/* Index c of the result's axis depends on indices c * stride + t * dilation - low of the operand's axis, t = 0 ..
   size-1, as far as they are inside.  inverse: index p of the operand's axis reaches the same indices, with p for
   c, of the result's. */
struct reach_axis {
    int axis; /* axis of the result; -1: everything depends on the whole axis */
    bool inverse;
    int64_t size, stride, dilation, low;
};

struct reach {
    enum reach_kind kind;
    struct reach_axis axis[TY_MAX_RANK]; /* REACH_AXES: by axis of the operand */
    ty_tensor *to;
};

/* Return the reach of an operand's axis that corresponds to axis `axis` of the result, index by index. */
static inline struct reach_axis reach_same(int axis) { return (struct reach_axis){axis, false, 1, 1, 1, 0}; }

/* Compute the reach of operand i of y into *r: everything if the operator has a gradient but no rule, nothing
   if it has no gradient. */
void reach_of(ty_tensor *y, int i, struct reach *r);

/* ---- shared rules ---- */

/* Reach rule for operand i of y if operands are broadcast to the result, aligned at the last axis; sets *r. */
void reach_broadcast(ty_tensor *y, int i, struct reach *r);
/* Reach rule for operators that only move elements: set r->kind to REACH_MOVES, for any operand i of y. */
void reach_moves(ty_tensor *y, int i, struct reach *r);
/* Reach rule for operators whose derivative is 0: set r->kind to REACH_NOTHING, for any operand i of y. */
void reach_nothing(ty_tensor *y, int i, struct reach *r);
/* Reach rule for operand i of an operator along one axis: everything depends on everything along `axis`, and
   index by index along the other axes; sets *r. */
void reach_beside(const ty_tensor *y, int i, int axis, struct reach *r);
#endif
