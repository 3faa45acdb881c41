/* Elementwise operators and what is composed of them.  Part of <tyto/tyto.h>, which says what holds everywhere. */
#ifndef TYTO_MATH_H
#define TYTO_MATH_H
#include <tyto/tyto.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- elementwise operators: one row of elementwise.def each ---- */

#define OP1(name, ...) TY_API ty_tensor *ty_##name(ty_tensor *x);
#define OP2(name, ...) TY_API ty_tensor *ty_##name(ty_tensor *a, ty_tensor *b);
#define OP3(name, ...) TY_API ty_tensor *ty_##name(ty_tensor *a, ty_tensor *b, ty_tensor *c);
#include <tyto/elementwise.def>

/* Converts elements: floating to integer goes toward zero, saturates at the integer's ends and makes 0 of NaN;
   integers wrap; complex to real drops the imaginary part; to bool tests against zero. */
TY_API ty_tensor *ty_cast(ty_tensor *x, ty_dtype dtype);

/* ---- composites: nothing but the functions above ---- */

TY_API ty_tensor *ty_softmax(ty_tensor *x, int axis);
TY_API ty_tensor *ty_log_softmax(ty_tensor *x, int axis);
/* Mean over the batch of -log softmax(logits)[label]; logits (N,C), labels (N) of an integer dtype. */
TY_API ty_tensor *ty_cross_entropy(ty_tensor *logits, ty_tensor *labels);
TY_API ty_tensor *ty_leaky_relu(ty_tensor *x, double slope);
TY_API ty_tensor *ty_elu(ty_tensor *x, double alpha);
TY_API ty_tensor *ty_relu6(ty_tensor *x);
TY_API ty_tensor *ty_silu(ty_tensor *x);
TY_API ty_tensor *ty_gelu(ty_tensor *x); /* exact: x * Phi(x) */

#ifdef __cplusplus
}
#endif
#endif
