/*
 * The operator `loop`, behind ty_scan, ty_while and their gradients. struct loop_attr (ops/core/attributes.h)
 * has the counts. Parameters: carries, sequences, the index, shared ones. Operands: the same without the
 * index, then the step count if there is one. Outputs of the body: next carries, stacked results, the stop
 * flag if any. Results: last carries, stacked results, histories, the number of steps.
 */
#ifndef CONTROL_LOOP_H
#define CONTROL_LOOP_H
#include "control/body.h"
#include "ops/core/attributes.h"
#include "ops/core/result.h"

extern const struct op op_loop;

/* ---- indices of operands, parameters and results, from 0 ---- */

/* Return the index of the loop body's parameter that has the step's index. */
static inline int loop_index_parameter(const struct loop_attr *a) { return a->ncarries + a->nsequences; }
/* Return the number of shared operands, which are the same in every step. */
static inline int loop_shared(const struct loop_attr *a) {
    return a->body->nparameters - a->ncarries - a->nsequences - 1;
}
/* Return the index of the loop body's parameter for shared operand number i, from 0. */
static inline int loop_shared_parameter(const struct loop_attr *a, int i) {
    return loop_index_parameter(a) + 1 + i;
}
/* Return the index, among all operands of the loop, of shared operand number i, from 0. */
static inline int loop_shared_operand(const struct loop_attr *a, int i) {
    return a->ncarries + a->nsequences + i;
}
/* Return the number of operands of the loop: carries, sequences, shared ones and, if a->counted, the
   number of steps. */
static inline int loop_operands(const struct loop_attr *a) {
    return a->body->nparameters - 1 + (a->counted != 0);
}
/* Return the number of results of the loop: carries, stacked results, histories and the number of steps run. */
static inline int loop_results(const struct loop_attr *a) {
    return a->ncarries + a->nstacked + a->nhistories + 1;
}
/* Return the index, among all results of the loop, of history number i, from 0. */
static inline int loop_history_result(const struct loop_attr *a, int i) {
    return a->ncarries + a->nstacked + i;
}
/* Return the index of the loop's result that has the number of steps run. */
static inline int loop_count_result(const struct loop_attr *a) {
    return a->ncarries + a->nstacked + a->nhistories;
}
/* Return the size in bytes of the attributes of a loop with a->nhistories histories. */
static inline size_t loop_attr_bytes(const struct loop_attr *a) {
    return sizeof *a + (size_t)a->nhistories * sizeof *a->histories;
}
/* Return the index of the history of carry number `carry`, or -1 if it has none. */
int loop_history_of(const struct loop_attr *a, int carry);

/* Return the slice of a carry's history, [length + 1, ...], whose element t is the carry before the step
   with index t: [length, ...]. */
ty_tensor *loop_before_steps(const struct loop_attr *a, ty_tensor *history);
/* Return the slice of a carry's history, [length + 1, ...], whose element t is the carry after the step
   with index t: [length, ...]. */
ty_tensor *loop_after_steps(const struct loop_attr *a, ty_tensor *history);

/* Tangent rule of loops (op->jvp; loop_tangent.c): return the set of tangents of the wanted results. t[i] is
   the tangent of operand i, or NULL for 0. NULL: all tangents are 0. Poison on failure. */
ty_tensor *loop_jvp(ty_tensor *y, ty_tensor *const *t, const bool *wanted);
/* Gradient rule of loops (op->vjp_all; loop_gradient.c): write the gradients of the needed operands to out[],
   NULL for 0. g is the set of gradients of the results. Poison on failure. */
void loop_vjp(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **out);
#endif
