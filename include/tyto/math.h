/* Elementwise operators and functions composed of them.  Part of <tyto/tyto.h>, which states the rules that hold
   for all functions. */
#ifndef TYTO_MATH_H
#define TYTO_MATH_H
#include <tyto/arithmetic.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- elementwise operators, made by ./dev docs from rows/; elementwise.def explains them ---- */

#include <tyto/rows/numeric.h>
#include <tyto/rows/exponential.h>
#include <tyto/rows/circular.h>
#include <tyto/rows/special.h>
#include <tyto/rows/bessel.h>
#include <tyto/rows/integral.h>
#include <tyto/rows/polynomial.h>
#include <tyto/rows/activation.h>

/* ---- composites: made of the functions above ---- */

/* Divide exp(x) by its sum along `axis` (negative: from the end), without overflow; of x's shape.  Integers give a
   floating result.  Poison for complex numbers or an axis outside. */
TY_API ty_tensor *ty_softmax(ty_tensor *x, int axis);
/* Return the logarithm of ty_softmax along `axis` (negative: from the end), without overflow; of x's shape.
   Integers give a floating result.  Poison for complex numbers or an axis outside. */
TY_API ty_tensor *ty_log_softmax(ty_tensor *x, int axis);
/* Mean over the batch of -log softmax(logits)[label], 0-d, for logits (N,C) and integer labels (N) in 0..C-1; of
   the logits' dtype.  Examples with the label -100 are ignored, as in PyTorch; NaN if none remains.  An empty batch
   and any other label outside give poison, for a promise when it is evaluated. */
TY_API ty_tensor *ty_cross_entropy(ty_tensor *logits, ty_tensor *labels);
/* Mean over the batch of -log softmax(logits)[label], 0-d, for logits (N,C) and integer labels (N) in 0..C-1; of
   the logits' dtype.  Examples with the label `ignored` do not count; NaN if none remains.  An empty batch and any
   other label outside give poison, for a promise when it is evaluated. */
TY_API ty_tensor *ty_cross_entropy_ignoring(ty_tensor *logits, ty_tensor *labels, int64_t ignored);
/* Return x if x > 0, else slope * x, elementwise.  Integers give a floating result; poison for complex numbers. */
TY_API ty_tensor *ty_leaky_relu(ty_tensor *x, double slope);
/* Return x if x > 0, else alpha (exp(x) - 1), elementwise.  Integers give a floating result; poison for complex
   numbers. */
TY_API ty_tensor *ty_elu(ty_tensor *x, double alpha);
/* Return min(max(x, 0), 6), elementwise.  Integers give a floating result; poison for complex numbers. */
TY_API ty_tensor *ty_relu6(ty_tensor *x);
/* Return x sigmoid(x), elementwise; also called swish.  Integers give a floating result; poison for complex
   numbers. */
TY_API ty_tensor *ty_silu(ty_tensor *x);
/* Return x Phi(x), elementwise and exact; Phi is the normal cdf.  Integers give a floating result; poison for
   complex numbers. */
TY_API ty_tensor *ty_gelu(ty_tensor *x);
/* Return the usual approximation of ty_gelu by tanh, elementwise.  Integers give a floating result; poison for
   complex numbers. */
TY_API ty_tensor *ty_gelu_tanh(ty_tensor *x);
/* Return x tanh(softplus(x)), elementwise.  Integers give a floating result; poison for complex numbers. */
TY_API ty_tensor *ty_mish(ty_tensor *x);
/* Return x / (1 + |x|), elementwise.  Integers give a floating result; complex numbers are allowed. */
TY_API ty_tensor *ty_softsign(ty_tensor *x);
/* Return (x + 3) / 6 clipped to 0..1, elementwise.  Integers give a floating result; poison for complex
   numbers. */
TY_API ty_tensor *ty_hard_sigmoid(ty_tensor *x);
/* Return x hard_sigmoid(x), elementwise.  Integers give a floating result; poison for complex numbers. */
TY_API ty_tensor *ty_hard_swish(ty_tensor *x);

/* Return a bool for each element, of the shape to which a and b broadcast: |a - b| <= atol + rtol |b|, or a == b.
   NaN is close to NaN if `equal_nan`; equal infinities are close.  NumPy's defaults are rtol 1e-5 and atol 1e-8.
   Poison if they do not broadcast. */
TY_API ty_tensor *ty_is_close(ty_tensor *a, ty_tensor *b, double rtol, double atol, bool equal_nan);
/* Return a 0-d bool: true if all elements of a and b, which broadcast, are close: |a - b| <= atol + rtol |b|, or a
   == b.  NaN is close to NaN if `equal_nan`.  Poison if they do not broadcast. */
TY_API ty_tensor *ty_all_close(ty_tensor *a, ty_tensor *b, double rtol, double atol, bool equal_nan);
/* Replace, elementwise, NaN by `nan`, infinity by `above` and minus infinity by `below`; an infinite replacement stands for
   the greatest or least finite number of the dtype.  Applies to the parts of complex numbers; integers are
   unchanged.  Poison if x is poisoned. */
TY_API ty_tensor *ty_nan_to_num(ty_tensor *x, double nan, double above, double below);
/* Round x, elementwise, to `decimals` digits after the point, ties to even, in x's dtype; a negative number rounds to tens,
   hundreds and so on.  Floats are scaled and rounded in their dtype, complex numbers by parts; integers are exact
   and wrap.  The derivative is 0.  Poison if x is poisoned. */
TY_API ty_tensor *ty_round_to(ty_tensor *x, int decimals);
/* Return a + weight (b - a), elementwise with broadcasting; the sum is rounded once if the instruction set can.
   Integers give f64.  Poison if they do not broadcast. */
TY_API ty_tensor *ty_lerp(ty_tensor *a, ty_tensor *b, ty_tensor *weight);
/* Return a to the power b, elementwise with broadcasting, computed in f64 or c128 for all dtypes, which is the
   result's dtype.  A real result that does not exist is NaN; poison if they do not broadcast. */
TY_API ty_tensor *ty_float_power(ty_tensor *a, ty_tensor *b);

#ifdef __cplusplus
}
#endif
#endif
