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

/* Rule for an axis that equals axis `axis` of the result, index by index. */
static inline struct reach_axis reach_same(int axis) { return (struct reach_axis){axis, false, 1, 1, 1, 0}; }

/* Compute the reach of operand i of y; everything if the operator has a gradient but no rule. */
void reach_of(ty_tensor *y, int i, struct reach *r);

/* ---- shared rules ---- */

/* Rule for operands that are broadcast to the result, from the last axis on. */
void reach_broadcast(ty_tensor *y, int i, struct reach *r);
/* Rule for operators that only move elements (REACH_MOVES). */
void reach_moves(ty_tensor *y, int i, struct reach *r);
/* Rule for operators whose derivative is 0 (REACH_NOTHING). */
void reach_nothing(ty_tensor *y, int i, struct reach *r);
/* Rule for operators along one axis: everything depends on everything along `axis`, and index by index along
   others. */
void reach_beside(const ty_tensor *y, int i, int axis, struct reach *r);
#endif
