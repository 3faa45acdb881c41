/* Forward mode, Jacobians, Hessians, custom derivatives and gradient checks; ty_grad and ty_vjp, which are reverse
   mode, are in graph.h.  Part of <tyto/tyto.h>, which states the rules that hold for all functions.
   docs/autodiff.md has the conventions and examples. */
#ifndef TYTO_DERIVATIVE_H
#define TYTO_DERIVATIVE_H
#include <tyto/control.h>
#include <tyto/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- tensors that y does not depend on ---- */

/*
 * Allow derivatives by an x that y does not depend on: zeros instead of an error.  For this thread; off at the start.
 * Returns the previous setting.
 *
 * The error means that x is no variable, or that the path from it to y lost its history (ty_detach, ty_set_history,
 * elements that were read).  Zeros suit parameters that a step does not use; tangents of a y that depends on no x are
 * zeros too.  Dependence is a path of operators, also through step functions (ty_floor), whose derivative is 0.
 * Higher derivatives within one call, such as the Hessian of a linear y, are zeros in either case.
 */
TY_API bool ty_allow_unused(bool on);

/* ---- forward mode ---- */

/*
 * Compute the Jacobian-vector products results[i] of ny tensors y: the sum over k of dy[i]/dx[k] times tangents[k],
 * for n tensors x.
 *
 * Forward mode, from graph to graph: results can be differentiated again, by this and by ty_grad.  They are promises
 * for promises, values for tracked values.  A tangent has the dtype and shape of its x, a result those of its y.  An x
 * that is computed from another one moves with that, and by its own tangent.  Kinks, ties and steps are those of
 * ty_grad.
 *
 * Complex numbers: the real-linear map itself, of which ty_vjp is the adjoint, Re(conj(g) J t) = Re(conj(J* g) t).
 * Where f is holomorphic, J t is f'(x) t.
 *
 * Loops keep nothing of their steps, so ty_while needs no `most`.  A y that depends on no x, or an x that no y depends
 * on, is an error (ty_allow_unused).  False if a result is poisoned: all are then.
 */
TY_API bool ty_jvp(int ny, ty_tensor *const *y, int n, ty_tensor *const *x, ty_tensor *const *tangents,
                   ty_tensor **results);

/* ---- matrices of derivatives of y, which was computed from x ---- */

/*
 * Compute the Jacobians of y by n tensors x: jacobians[i] has the shape [y..., x[i]...] and y's dtype.  Element [p...,
 * q...] is dy[p]/dx[i][q].
 *
 * By a batch of unit vectors: forward if x has fewer elements than y, else in reverse.  By complex x: the derivative
 * by the real part of an element, which is that by the element if y is holomorphic.  max_bytes limits the results
 * together, 0 means 2^30; more gives poison that states the size.  Each tensor between y and x takes some 256 KiB, or
 * its bytes for a 32nd of the unit vectors.  False if a result is poisoned.
 */
TY_API bool ty_jacobian(ty_tensor *y, int n, ty_tensor *const *x, int64_t max_bytes, ty_tensor **jacobians);

/* Compute the second derivatives of the sum of y, real, by n tensors x: hessians[i * n + j], of the shape
   [x[i]..., x[j]...], has those by x[i] and x[j].  y was computed from each x, a promise or tracked (ty_var,
   ty_track); else an error, or zeros if allowed (ty_allow_unused).  Forward over reverse.  max_bytes limits all
   n * n results together, 0: 2^30.  False if a result is poisoned, as all are if an argument is refused. */
TY_API bool ty_hessian(ty_tensor *y, int n, ty_tensor *const *x, int64_t max_bytes, ty_tensor **hessians);

/* Compute Hessian-vector products of the sum of y by n tensors x without forming the Hessian: results[i] is the
   derivative of the gradient by x[i] along v[0 .. n).  y was computed from each x, a promise or tracked (ty_var,
   ty_track); else an error, or zeros if allowed (ty_allow_unused).  v[i] and results[i] have the dtype and shape of
   x[i].  Takes a small multiple of the gradient's time.  False if a result is poisoned, as all are if an argument is
   refused. */
TY_API bool ty_hvp(ty_tensor *y, int n, ty_tensor *const *x, ty_tensor *const *v, ty_tensor **results);
/* Compute the gradients by n tensors x of v' H v, where H is the Hessian of the sum of y.  y was computed from each
   x, a promise or tracked; else an error, or zeros if allowed (ty_allow_unused).  v[i] and results[i] have the dtype
   and shape of x[i].  False if a result is poisoned, as all are if an argument is refused. */
TY_API bool ty_grad_vhv(ty_tensor *y, int n, ty_tensor *const *x, ty_tensor *const *v, ty_tensor **results);
/* Return the trace of the Hessian of the sum of y, [], of y's dtype: the sum of its second derivatives by each
   element of n tensors x; poison on failure.  By batches of unit vectors of 2^24 elements, forward over forward, so
   that no gradient is recorded. */
TY_API ty_tensor *ty_laplacian(ty_tensor *y, int n, ty_tensor *const *x);

/* Return d^order y / dx^order for an x of one element, of y's dtype and shape; order 0 gives y.  Poison on failure,
   such as a negative order. */
TY_API ty_tensor *ty_derivative(ty_tensor *y, ty_tensor *x, int order);
/* Compute Taylor coefficients of y along v[0 .. n), by n tensors x: y(x + s v) is the sum of coefficients[k] s^k
   for k from 0 to `order`, each of y's dtype and shape.  Each order is the tangent of the previous one, so the
   graph grows like 2^order to 3^order.  False if a result is poisoned, as all are then. */
TY_API bool ty_taylor(ty_tensor *y, int n, ty_tensor *const *x, ty_tensor *const *v, int order,
                      ty_tensor **coefficients);

/* ---- derivatives of a function of the caller's ---- */

/*
 * f is called once, with placeholders for x: promises for promises, tracked values for values; x need not be
 * variables.  Other tensors that f uses count as constants, even if they are x themselves.  An f that returns NULL
 * makes poison.
 *
 * *value (NULL: not wanted) receives f(x).  Results of values remember their history, so that they can be
 * differentiated again, unless ty_set_history is off.  Each function returns false if a result is poisoned.
 */

/* Compute f(context, x), written to *value unless that is NULL, and its gradients.  gradients[i] is the
   derivative of the sum of f by x[i], of x[i]'s dtype and shape.  f is called once, with placeholders for the n
   tensors x.  False if a result is poisoned, as all are if f fails. */
TY_API bool ty_value_and_grad(ty_body f, void *context, int n, ty_tensor *const *x, ty_tensor **value,
                              ty_tensor **gradients);
/* Compute nresults results of f(context, x, results), and the gradients of the sum of the first one by the n
   tensors x.  gradients[i] has the dtype and shape of x[i].  f is called once, with placeholders for x.  False if a
   result is poisoned, as all are if f fails. */
TY_API bool ty_results_and_grad(ty_branch f, void *context, int n, ty_tensor *const *x, ty_tensor **gradients,
                                int nresults, ty_tensor **results);
/* Compute f(context, x), written to *value unless that is NULL, and in *tangent its Jacobian times tangents[0 ..
   n): forward mode.  tangents[i] has x[i]'s dtype and shape, *tangent those of f(x).  f is called once, with
   placeholders for the n tensors x.  False if a result is poisoned, as both are if f fails. */
TY_API bool ty_value_and_jvp(ty_body f, void *context, int n, ty_tensor *const *x, ty_tensor *const *tangents,
                             ty_tensor **value, ty_tensor **tangent);
/* Compute f(context, x), written to *value unless that is NULL, and in gradients[0 .. n) g times its Jacobian:
   reverse mode.  g has f(x)'s dtype and shape, gradients[i] those of x[i].  f is called once, with placeholders for
   the n tensors x.  False if a result is poisoned, as all are if f fails. */
TY_API bool ty_value_and_vjp(ty_body f, void *context, ty_tensor *g, int n, ty_tensor *const *x,
                             ty_tensor **value, ty_tensor **gradients);
/* Compute f(context, x), written to *value unless that is NULL, and its Jacobians by n tensors x: jacobians[i] is
   [f(x)..., x[i]...]; max_bytes limits them together, 0: 2^30.  f is called once, with placeholders for x.  False
   if a result is poisoned, as all are if f fails. */
TY_API bool ty_value_and_jacobian(ty_body f, void *context, int n, ty_tensor *const *x, int64_t max_bytes,
                                  ty_tensor **value, ty_tensor **jacobians);
/* Compute f(context, x), written to *value unless that is NULL, the gradients of its sum (NULL: not wanted), and
   its Hessians: hessians[i * n + j] is [x[i]..., x[j]...].  max_bytes limits these together, 0: 2^30.  f is called
   once, with placeholders for the n tensors x.  False if a result is poisoned, as all are if f fails. */
TY_API bool ty_value_grad_and_hessian(ty_body f, void *context, int n, ty_tensor *const *x, int64_t max_bytes,
                                      ty_tensor **value, ty_tensor **gradients, ty_tensor **hessians);
/* Compute f(context, x), written to *value unless that is NULL, the gradients of its sum (NULL: not wanted), and
   Hessian-vector products results[0 .. n) along v[0 .. n), of x's dtypes and shapes.  f is called once, with
   placeholders for the n tensors x.  False if a result is poisoned, as all are if f fails. */
TY_API bool ty_value_grad_and_hvp(ty_body f, void *context, int n, ty_tensor *const *x, ty_tensor *const *v,
                                  ty_tensor **value, ty_tensor **gradients, ty_tensor **results);
/* Compute f(context, x), written to *value unless that is NULL, and in *laplacian the trace of the Hessian of
   its sum, [].  f is called once, with placeholders for the n tensors x.  False if a result is poisoned, as both
   are if f fails. */
TY_API bool ty_value_and_laplacian(ty_body f, void *context, int n, ty_tensor *const *x, ty_tensor **value,
                                   ty_tensor **laplacian);
/* Compute f(context, &x), written to *value unless that is NULL, and in *derivative its derivative of the given order
   (0: f itself; negative: a failure), of f(x)'s dtype and shape.  x has one element.  f is called once, with a
   placeholder for x.  False if a result is poisoned, as both are if f fails. */
TY_API bool ty_value_and_derivative(ty_body f, void *context, ty_tensor *x, int order, ty_tensor **value,
                                    ty_tensor **derivative);

/* ---- custom derivatives ---- */

/*
 * A function f of n tensors with custom derivatives.  f sees its operands detached.  A derivative by another tensor
 * that f uses is an error, since the rule has none.  One of vjp and jvp may be NULL: it is then the transpose of the
 * other, which must be made of operators and be linear in g or t.
 *
 *   vjp  fills gradients[0 .. n) with the gradient of each x, of its dtype and shape, for the gradient g of y = f(x);
 *        they are NULL at first, which means 0
 *   jvp  returns the tangent of y, of its dtype and shape, for the tangents t[i]; NULL means 0 for t[i] and the result
 *
 * They may be called at any time while a tensor made by the rule is alive.  They compute with promises or values, as f
 * does; if made of operators, they can be differentiated again.
 */
typedef struct ty_custom {
    ty_body f;
    void (*vjp)(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *g, ty_tensor **gradients);
    ty_tensor *(*jvp)(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *const *t);
    void *context;
    /* Called once, on any thread, when the last tensor that uses the context is freed, or before ty_apply returns.
       NULL: the context outlives them all. */
    void (*release)(void *context);
} ty_custom;

TY_API ty_tensor *ty_apply_sized(const ty_custom *rule, size_t size, int n, ty_tensor *const *x);
/* Return rule.f of n tensors x, with the rule's derivatives; promises give a promise.  Poison if the rule has
   neither derivative or f fails. */
TY_INLINE ty_tensor *ty_apply(ty_custom rule, int n, ty_tensor *const *x) {
    return ty_apply_sized(&rule, sizeof rule, n, x);
}

/*
 * Compute f(x) without keeping intermediates for gradients: f is called again, from x, when a gradient is taken;
 * poison if f fails (Chen et al., "Training deep nets with sublinear memory cost", 2016).
 *
 * Compiling does not undo this.  Gradients flow to other tensors that f uses, too.  The context, and tensors that it
 * points to (ty_retain), must live until gradients have been taken.  f must be deterministic; assigning to a variable
 * (ty_track) that it uses before then is an error.
 */
TY_API ty_tensor *ty_checkpoint(ty_body f, void *context, int n, ty_tensor *const *x);

/* ---- gradient checks ---- */

/* Difference quotient that stands for a derivative. */
typedef enum ty_difference {
    TY_DIFFERENCE_CENTRAL, /* (f(x + h) - f(x - h)) / 2h, error of order h^2 */
    TY_DIFFERENCE_FOURTH,  /* of four points, error of order h^4: some ten digits */
    /* Im f(x + ih) / h, exact to the last digit: for real x and an analytic f of complex numbers (Squire & Trapp,
       SIAM Review 40, 1998) */
    TY_DIFFERENCE_COMPLEX
} ty_difference;

/* Options of ty_check_gradient; all zero is the usual choice. */
typedef struct ty_check_options {
    int order; /* 1 (and 0): the gradient; 2: the gradient of the gradient */
    ty_difference difference;
    /* h, times 1 or the element if that is larger; 0 means one that suits the difference in f64 */
    double step;
    double absolute, relative; /* tolerance: absolute + relative * |numeric|; both 0 means 1e-6 and 1e-5 */
    bool dtypes;               /* keep the dtypes of x; else they are cast to f64 and c128 */
    bool unused[7];
} ty_check_options;

/* Report of ty_check_gradient about the worst element. */
typedef struct ty_check_report {
    double error;             /* |analytic - numeric| / tolerance: above 1 is wrong */
    double analytic, numeric; /* the two derivatives */
    int x;                    /* index of the operand, */
    int64_t element;          /* index of its element, row-major, */
    bool imaginary;           /* true: by its imaginary part */
    int64_t compared;         /* count of numbers compared */
    /* difference of forward from reverse mode, relative to the size of the terms of their sums */
    double modes;
    char message[256]; /* the worst element in words, or the reason why f or its gradient failed */
} ty_check_report;

TY_API bool ty_check_gradient_sized(ty_body f, void *context, int n, ty_tensor *const *x,
                                    const ty_check_options *options, size_t size, ty_check_report *report,
                                    size_t report_size, ty_tensor **error);
/* Compare ty_grad of f with difference quotients, element by element of n operands x, for a weighted sum of f's
   results with fixed irregular weights; and ty_jvp with its transpose.  f(context, x) is evaluated at values of
   x, some 2 (or 4) times an element, so x should be small.  *report (NULL: not wanted) describes the worst
   element.  At kinks and ties differences are no derivatives.

   False, with a poisoned tensor in *error (NULL: not wanted), if the gradient is wrong or could not be checked.
   An error beyond the tolerance and modes that differ have the code TY_ERROR_USER.  Otherwise the code is that of the
   refused argument, or of f's failure. */
TY_INLINE bool ty_check_gradient(ty_body f, void *context, int n, ty_tensor *const *x,
                                 ty_check_options options, ty_check_report *report, ty_tensor **error) {
    return ty_check_gradient_sized(f, context, n, x, &options, sizeof options, report, sizeof *report, error);
}

#ifdef __cplusplus
}
#endif
#endif
