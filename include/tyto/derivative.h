/*
 * Derivatives beside ty_grad and ty_vjp (graph.h), which are reverse mode.  Part of <tyto/tyto.h>, which says what holds
 * everywhere.  docs/autodiff.md has the conventions and examples.
 */
#ifndef TYTO_DERIVATIVE_H
#define TYTO_DERIVATIVE_H
#include <tyto/control.h>
#include <tyto/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- tensors that y does not depend on ---- */

/*
 * A derivative by an x that y does not depend on is an error: x is no variable, or what leads from it to y lost its history
 * (ty_detach, ty_remember, elements that were read).  Switched on, it is zeros, as for parameters that a step does not use;
 * so is a tangent of a y that depends on no x.  Dependence is a path of operators, also through steps (ty_floor), whose
 * derivative is 0.  Derivatives of derivatives that one call takes, such as the hessian of a linear y, are zeros in either
 * case.  Holds for every function that derives, per thread, off at the start.  Returns the previous setting.
 */
TY_API bool ty_allow_unused(bool on);

/* ---- forward mode ---- */

/*
 * results[i]: how y[i] moves when each x[k] moves by tangents[k], all k together: the sum over k of dy[i]/dx[k] times
 * tangents[k] (forward mode, graph to graph: results may be differentiated again, by this and by ty_grad, to any order).
 * Of promises: promises; of tracked values: values.  A tangent has the dtype and shape of its x, a result those of its y;
 * a y that depends on no x is an error, as an x that no y depends on (ty_allow_unused).  An x that is itself computed from another one moves with that, and by its own
 * tangent.  Kinks, ties and steps: as ty_grad.  Complex numbers: the real-linear map itself, of which ty_vjp is the
 * adjoint, Re(conj(g) J t) = Re(conj(J* g) t); where f is holomorphic J t is f'(x) t.
 *
 * Nothing is kept of the steps of loops, so what ty_while repeats moves without `most`.  False when a result is
 * poisoned: all are then.
 */
TY_API bool ty_jvp(int ny, ty_tensor *const *y, int n, ty_tensor *const *x, ty_tensor *const *tangents,
                   ty_tensor **results);

/* ---- matrices of derivatives: of y, which was computed from x ---- */

/*
 * jacobians[i]: the derivative of every element of y by every element of x[i], of the shape [y..., x[i]...] and of y's
 * dtype; so element [p..., q...] is dy[p]/dx[i][q].  By unit vectors, many at once: forward where x has fewer elements than
 * y, else in reverse.  By complex x: how y moves when the real part of an element does, which is its derivative where y is
 * holomorphic.  max_bytes: what the results may take together, 0: 2^30; more is refused with what it takes.  What is on the
 * way from y to x takes some 256 KiB for each tensor there, or its bytes for a 32nd of the unit vectors.
 */
TY_API bool ty_jacobian(ty_tensor *y, int n, ty_tensor *const *x, int64_t max_bytes, ty_tensor **jacobians);

/*
 * The second derivatives of the sum of y, real: hessians[i * n + j], of the shape [x[i]..., x[j]...], has by x[i] and x[j].
 * Each column is how the gradient moves (forward over reverse).  max_bytes as above, of all n * n.
 */
TY_API bool ty_hessian(ty_tensor *y, int n, ty_tensor *const *x, int64_t max_bytes, ty_tensor **hessians);

/* results[i]: row i of that times v, without making it: how the gradient of the sum of y moves along v.  v[i] has the form
   of x[i], and so has results[i].  Takes a small multiple of the gradient's time. */
TY_API bool ty_hvp(ty_tensor *y, int n, ty_tensor *const *x, ty_tensor *const *v, ty_tensor **results);
/* The gradient by x of v' H v, of third derivatives of the sum of y. */
TY_API bool ty_grad_vhv(ty_tensor *y, int n, ty_tensor *const *x, ty_tensor *const *v, ty_tensor **results);
/* [], the trace of the hessian: the sum of the second derivatives of the sum of y by each element.  By unit vectors, as
   many at once as have 2^24 elements, forward over forward, so that no gradient is recorded. */
TY_API ty_tensor *ty_laplacian(ty_tensor *y, int n, ty_tensor *const *x);

/* d^order y / dx^order by an x of one element: y's form.  order 0: y. */
TY_API ty_tensor *ty_derivative(ty_tensor *y, ty_tensor *x, int order);
/* coefficients[0 .. order], of y's form each: y(x + s v) is their sum times 1, s, s^2, ... up to the term of s^order.  Each
   order is the tangent of the one before it, so what is recorded grows like 2^order to 3^order. */
TY_API bool ty_taylor(ty_tensor *y, int n, ty_tensor *const *x, ty_tensor *const *v, int order,
                      ty_tensor **coefficients);

/* ---- the same of a function of the caller's ---- */

/*
 * f is called once, with tensors that stand for x, which need be no variables: promises for promises, values that are
 * tracked for values.  Nothing that f uses beside them counts as moving, not even what x themselves are named by.  *value
 * (NULL: not wanted) receives f(x), every other result is as above.  Of values the results remember how they came to be, so
 * that they may be differentiated again, unless ty_remember is off.  An f that returns NULL makes poison.  False when a
 * result is poisoned.
 */
TY_API bool ty_value_and_grad(ty_body f, void *context, int n, ty_tensor *const *x, ty_tensor **value,
                              ty_tensor **gradients);
/* The same of an f with nresults results, of which the first one is differentiated and the others are told. */
TY_API bool ty_results_and_grad(ty_branch f, void *context, int n, ty_tensor *const *x, ty_tensor **gradients,
                                int nresults, ty_tensor **results);
/* How f(x) moves: the jacobian times tangents. */
TY_API bool ty_value_and_jvp(ty_body f, void *context, int n, ty_tensor *const *x, ty_tensor *const *tangents,
                             ty_tensor **value, ty_tensor **tangent);
/* What flows back when g flows into f(x), of whose form it is: g times the jacobian. */
TY_API bool ty_value_and_vjp(ty_body f, void *context, ty_tensor *g, int n, ty_tensor *const *x,
                             ty_tensor **value, ty_tensor **gradients);
TY_API bool ty_value_and_jacobian(ty_body f, void *context, int n, ty_tensor *const *x, int64_t max_bytes,
                                  ty_tensor **value, ty_tensor **jacobians);
/* gradients NULL: not wanted. */
TY_API bool ty_value_grad_and_hessian(ty_body f, void *context, int n, ty_tensor *const *x, int64_t max_bytes,
                                      ty_tensor **value, ty_tensor **gradients, ty_tensor **hessians);
TY_API bool ty_value_grad_and_hvp(ty_body f, void *context, int n, ty_tensor *const *x, ty_tensor *const *v,
                                  ty_tensor **value, ty_tensor **gradients, ty_tensor **results);
TY_API bool ty_value_and_laplacian(ty_body f, void *context, int n, ty_tensor *const *x, ty_tensor **value,
                                   ty_tensor **laplacian);
/* By an x of one element. */
TY_API bool ty_value_and_derivative(ty_body f, void *context, ty_tensor *x, int order, ty_tensor **value,
                                    ty_tensor **derivative);

/* ---- derivatives of one's own ---- */

/*
 * A function of n tensors whose derivatives are told.  f makes its value of x, through which nothing flows by itself (f
 * sees them detached).  A derivative by what f uses beside x is an error, since the rule has none.  One of the two others may be NULL: it is then the
 * transpose of the one that is there, which must be made of operators and be linear in g, or t.
 *   vjp  fills gradients[0 .. n), at first NULL, which means 0, with what flows to each x when g flows into y = f(x):
 *        of the dtype and shape of that x
 *   jvp  how y moves when each x[i] moves by t[i], or, where that is NULL, not at all: of y's form; NULL: not at all
 * They may be called at any time while a tensor made by this is alive, compute with promises or values as f does, and may
 * be differentiated again if they are made of operators.
 */
typedef struct ty_custom {
    ty_body f;
    void (*vjp)(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *g, ty_tensor **gradients);
    ty_tensor *(*jvp)(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *const *t);
    void *context;
    /* Called once, when the last tensor that uses the context has gone, or before ty_apply returns; in whatever thread.
       NULL: the context outlives them all. */
    void (*release)(void *context);
} ty_custom;

/* f of n tensors x, with the rule's derivatives: a promise of promises.  Poison where the rule has neither derivative. */
TY_API ty_tensor *ty_apply(ty_custom rule, int n, ty_tensor *const *x);

/*
 * f(x), of whose steps nothing is kept for gradients: they are computed once more when one is taken, from x (Chen et al.,
 * "Training deep nets with sublinear memory cost", 2016).  Compiling does not undo it.  Gradients flow to what f uses
 * beside x, too.  f is called again then: context, and tensors that it points to (ty_retain), must live until gradients
 * have been taken, f make the same of the same, and a variable (ty_track) that it uses not be assigned in between, which is an error.
 */
TY_API ty_tensor *ty_checkpoint(ty_body f, void *context, int n, ty_tensor *const *x);

/* ---- are gradients right? ---- */

typedef enum ty_difference {
    TY_DIFFERENCE_CENTRAL, /* (f(x + h) - f(x - h)) / 2h, whose error falls with h^2 */
    TY_DIFFERENCE_FOURTH,  /* of four places, whose error falls with h^4: some ten digits */
    TY_DIFFERENCE_COMPLEX /* Im f(x + ih) / h, to the last digit: of real x and an f that is analytic and takes complex
                              numbers (Squire & Trapp, SIAM Review 40, 1998) */
} ty_difference;

/* All zero is the usual. */
typedef struct ty_check_options {
    int order; /* 1 (and 0): the gradient; 2: the gradient of the gradient */
    ty_difference difference;
    double step; /* h, times 1 or the element if that is larger; 0: what suits the difference in f64 */
    double absolute, relative; /* allowed: absolute + relative * |numeric|; both 0: 1e-6 and 1e-5 */
    bool dtypes;               /* x stay in their dtypes; else they are cast to f64 and c128 */
} ty_check_options;

typedef struct ty_check_report {
    double error;             /* the largest |analytic - numeric| by what is allowed: above 1 is wrong */
    double analytic, numeric; /* there */
    int x;                    /* there: which operand, */
    int64_t element;          /* which of its elements, row-major, */
    bool imaginary;           /* whether by its imaginary part */
    int64_t compared;         /* how many numbers were compared */
    double modes; /* how far forward mode is from reverse mode, relative to the size of what they add up */
    char message[256]; /* the worst element in words; where f or its gradient failed, why */
} ty_check_report;

/*
 * Whether ty_grad of f is what differences say, element by element of n operands x, for a weighted sum of all that f makes,
 * with weights of no pattern; and whether ty_jvp is its transpose.  f is evaluated at values of x, some 2 (or 4) times an
 * element, so x should be small.  *report (NULL: not wanted) has the worst element.  False where an error is above what is
 * allowed, or f failed.  At kinks and ties differences are no derivatives.
 */
TY_API bool ty_check_gradient(ty_body f, void *context, int n, ty_tensor *const *x, ty_check_options options,
                              ty_check_report *report);

#ifdef __cplusplus
}
#endif
#endif
