/* Elementwise operators and what is composed of them.  Part of <tyto/tyto.h>, which says what holds everywhere. */
#ifndef TYTO_MATH_H
#define TYTO_MATH_H
#include <tyto/arithmetic.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- elementwise operators: one row of rows/ each; elementwise.def explains them ---- */

#define OP1(name, ...) TY_API ty_tensor *ty_##name(ty_tensor *x);
#define OP2(name, ...) TY_API ty_tensor *ty_##name(ty_tensor *a, ty_tensor *b);
#define OP3(name, ...) TY_API ty_tensor *ty_##name(ty_tensor *a, ty_tensor *b, ty_tensor *c);
#include <tyto/rows/numeric.def>
#include <tyto/rows/exponential.def>
#include <tyto/rows/circular.def>
#include <tyto/rows/special.def>
#include <tyto/rows/bessel.def>
#include <tyto/rows/integral.def>
#include <tyto/rows/polynomial.def>
#include <tyto/rows/activation.def>
#undef OP1
#undef OP2
#undef OP3

/* ---- composites: nothing but the functions above ---- */

TY_API ty_tensor *ty_softmax(ty_tensor *x, int axis);
TY_API ty_tensor *ty_log_softmax(ty_tensor *x, int axis);
/* Mean over the batch of -log softmax(logits)[label]; logits (N,C), labels (N) of an integer dtype.  Examples
   with the label `ignored` count for nothing (NaN where no other is left); any other label outside 0..C-1 is an
   error that names it and its place, of a promise when it runs.  Without `ignored` it is -100, as PyTorch's. */
TY_API ty_tensor *ty_cross_entropy(ty_tensor *logits, ty_tensor *labels);
TY_API ty_tensor *ty_cross_entropy_ignoring(ty_tensor *logits, ty_tensor *labels, int64_t ignored);
TY_API ty_tensor *ty_leaky_relu(ty_tensor *x, double slope);
TY_API ty_tensor *ty_elu(ty_tensor *x, double alpha);
TY_API ty_tensor *ty_relu6(ty_tensor *x);
TY_API ty_tensor *ty_silu(ty_tensor *x);
TY_API ty_tensor *ty_gelu(ty_tensor *x);         /* exact: x * Phi(x) */
TY_API ty_tensor *ty_gelu_tanh(ty_tensor *x);    /* the usual approximation of it */
TY_API ty_tensor *ty_mish(ty_tensor *x);         /* x tanh(softplus(x)) */
TY_API ty_tensor *ty_softsign(ty_tensor *x);     /* x / (1 + |x|) */
TY_API ty_tensor *ty_hard_sigmoid(ty_tensor *x); /* (x + 3) / 6 between 0 and 1 */
TY_API ty_tensor *ty_hard_swish(ty_tensor *x);   /* x hard_sigmoid(x) */

/* bool: |a - b| <= atol + rtol |b|, or a == b; NaN is close to NaN where equal_nan says so.  NumPy's defaults are
   rtol 1e-5 and atol 1e-8. */
TY_API ty_tensor *ty_is_close(ty_tensor *a, ty_tensor *b, double rtol, double atol, bool equal_nan);
/* Whether all are: a 0-d bool. */
TY_API ty_tensor *ty_all_close(ty_tensor *a, ty_tensor *b, double rtol, double atol, bool equal_nan);
/* Replaces NaN by `nan`, plus and minus infinity by `above` and `below`; an infinity there stands for the greatest
   and least finite number of the dtype.  Parts of complex numbers one by one; integers stay as they are. */
TY_API ty_tensor *ty_nan_to_num(ty_tensor *x, double nan, double above, double below);
/* x to `decimals` digits behind the point, ties to even; negative: to tens, hundreds.  Floats are scaled and rounded in their
   dtype, complex numbers by parts; integers are exact and wrap.  Dtype and shape are x's; the derivative is 0. */
TY_API ty_tensor *ty_round_to(ty_tensor *x, int decimals);
/* a + weight (b - a), the sum rounded once where the ISA can; of integers in f64. */
TY_API ty_tensor *ty_lerp(ty_tensor *a, ty_tensor *b, ty_tensor *weight);
/* a to the b in f64 or c128, whatever the operands are. */
TY_API ty_tensor *ty_float_power(ty_tensor *a, ty_tensor *b);

#ifdef __cplusplus
}
#endif
#endif
