/*
 * The operator `loop`: ty_scan, ty_while and their gradients.  Operands, parameters, roots and results are in the order
 * that struct loop_attr (ops/core/attributes.h) tells.
 */
#ifndef CONTROL_LOOP_H
#define CONTROL_LOOP_H
#include "control/body.h"
#include "ops/core/attributes.h"
#include "ops/core/result.h"

extern const struct op op_loop;

/* ---- where what stands among operands, parameters, roots and results ---- */

static inline int loop_index_parameter(const struct loop_attr *a) { return a->ncarries + a->nsequences; }
static inline int loop_shared(const struct loop_attr *a) { /* what every step reads */
    return a->body->nparameters - a->ncarries - a->nsequences - 1;
}
/* The parameter that shared operand i is. */
static inline int loop_shared_parameter(const struct loop_attr *a, int i) {
    return loop_index_parameter(a) + 1 + i;
}
static inline int loop_shared_operand(const struct loop_attr *a, int i) {
    return a->ncarries + a->nsequences + i;
}
static inline int loop_operands(const struct loop_attr *a) {
    return a->body->nparameters - 1 + (a->counted != 0);
}
static inline int loop_results(const struct loop_attr *a) {
    return a->ncarries + a->nstacked + a->nhistories + 1;
}
static inline int loop_history_result(const struct loop_attr *a, int i) {
    return a->ncarries + a->nstacked + i;
}
static inline int loop_count_result(const struct loop_attr *a) {
    return a->ncarries + a->nstacked + a->nhistories;
}
static inline size_t loop_attr_bytes(const struct loop_attr *a) {
    return sizeof *a + (size_t)a->nhistories * sizeof *a->histories;
}
/* The history of carry i; -1: it has none. */
int loop_history_of(const struct loop_attr *a, int carry);

/* Of the history of a carry: element t is what it was before step t, or after it. */
ty_tensor *loop_before_steps(const struct loop_attr *a, ty_tensor *history);
ty_tensor *loop_after_steps(const struct loop_attr *a, ty_tensor *history);

/* The tangent (loop_tangent.c). */
ty_tensor *loop_jvp(ty_tensor *y, ty_tensor *const *t, const bool *wanted);
/* The gradient (loop_gradient.c). */
void loop_vjp(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **out);
#endif
