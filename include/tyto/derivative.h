/*
 * Derivatives beside ty_grad and ty_vjp (graph.h), which are reverse mode.  Part of <tyto/tyto.h>, which says what holds
 * everywhere.  docs/autodiff.md has the conventions and examples.
 */
#ifndef TYTO_DERIVATIVE_H
#define TYTO_DERIVATIVE_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- forward mode ---- */

/*
 * results[i]: how y[i] moves when each x[k] moves by tangents[k], all k together: the sum over k of dy[i]/dx[k] times
 * tangents[k] (forward mode, graph to graph: results may be differentiated again, by this and by ty_grad, to any order).
 * Of promises: promises; of tracked values: values.  A tangent has the dtype and shape of its x, a result those of its y;
 * a y that depends on no x gets zeros.  An x that is itself computed from another one moves with that, and by its own
 * tangent.  Kinks, ties and steps: as ty_grad.  Complex numbers: the real-linear map itself, of which ty_vjp is the
 * adjoint, Re(conj(g) J t) = Re(conj(J* g) t); where f is holomorphic J t is f'(x) t.
 *
 * Nothing is kept of the steps of loops, so what ty_while repeats moves without `most`.  False when a result is
 * poisoned: all are then.
 */
TY_API bool ty_jvp(int ny, ty_tensor *const *y, int n, ty_tensor *const *x, ty_tensor *const *tangents,
                   ty_tensor **results);

#ifdef __cplusplus
}
#endif
#endif
