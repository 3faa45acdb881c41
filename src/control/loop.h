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

/* Index of the parameter that has the step's index. */
static inline int loop_index_parameter(const struct loop_attr *a) { return a->ncarries + a->nsequences; }
/* Number of shared operands, which are the same in every step. */
static inline int loop_shared(const struct loop_attr *a) {
    return a->body->nparameters - a->ncarries - a->nsequences - 1;
}
/* Parameter of shared operand i. */
static inline int loop_shared_parameter(const struct loop_attr *a, int i) {
    return loop_index_parameter(a) + 1 + i;
}
/* Index among all operands of shared operand i. */
static inline int loop_shared_operand(const struct loop_attr *a, int i) {
    return a->ncarries + a->nsequences + i;
}
/* Number of operands. */
static inline int loop_operands(const struct loop_attr *a) {
    return a->body->nparameters - 1 + (a->counted != 0);
}
/* Number of results. */
static inline int loop_results(const struct loop_attr *a) {
    return a->ncarries + a->nstacked + a->nhistories + 1;
}
/* Index among all results of history i. */
static inline int loop_history_result(const struct loop_attr *a, int i) {
    return a->ncarries + a->nstacked + i;
}
/* Index of the result that has the number of steps run. */
static inline int loop_count_result(const struct loop_attr *a) {
    return a->ncarries + a->nstacked + a->nhistories;
}
/* Returns the size in bytes of attributes with a->nhistories histories. */
static inline size_t loop_attr_bytes(const struct loop_attr *a) {
    return sizeof *a + (size_t)a->nhistories * sizeof *a->histories;
}
/* Returns the index of carry's history, or -1 if it has none. */
int loop_history_of(const struct loop_attr *a, int carry);

/* Returns the slice of a carry's history, [length + 1, ...], whose element t is the carry before the step
   with index t: [length, ...]. */
ty_tensor *loop_before_steps(const struct loop_attr *a, ty_tensor *history);
/* Returns the slice of a carry's history, [length + 1, ...], whose element t is the carry after the step
   with index t: [length, ...]. */
ty_tensor *loop_after_steps(const struct loop_attr *a, ty_tensor *history);

/* Returns the set of tangents of the wanted results (op->jvp; loop_tangent.c). t[i] is the tangent of
   operand i, or NULL for 0. NULL: all tangents are 0. Poison on failure. */
ty_tensor *loop_jvp(ty_tensor *y, ty_tensor *const *t, const bool *wanted);
/* Writes the gradients of the needed operands to out (op->vjp_all; loop_gradient.c). g is the set of
   gradients of the results. Poison on failure. */
void loop_vjp(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **out);
#endif
