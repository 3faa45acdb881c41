/* Made by ./dev docs from exponential.def: operators that act on each element of operands that broadcast. */
/* Elementwise: exponential function, e to the power x.  Integers become floating; complex numbers are
   allowed. */
TY_API ty_tensor *ty_exp(ty_tensor *x);
/* Elementwise: 2 to the power x.  Integers become floating; complex numbers are allowed. */
TY_API ty_tensor *ty_exp2(ty_tensor *x);
/* Elementwise: exp(x) - 1, exact near 0.  Integers become floating; complex numbers are allowed. */
TY_API ty_tensor *ty_expm1(ty_tensor *x);
/* Elementwise: natural logarithm; NaN for negative reals.  Integers become floating; complex numbers are
   allowed. */
TY_API ty_tensor *ty_log(ty_tensor *x);
/* Elementwise: logarithm to base 2; NaN for negative reals.  Integers become floating; complex numbers are
   allowed. */
TY_API ty_tensor *ty_log2(ty_tensor *x);
/* Elementwise: logarithm to base 10; NaN for negative reals.  Integers become floating; complex numbers are
   allowed. */
TY_API ty_tensor *ty_log10(ty_tensor *x);
/* Elementwise: log(1 + x), exact near 0; NaN for reals below -1.  Integers become floating; complex numbers
   are allowed. */
TY_API ty_tensor *ty_log1p(ty_tensor *x);
/* Elementwise: 10 to the power x.  Integers become floating; poison for complex numbers. */
TY_API ty_tensor *ty_exp10(ty_tensor *x);
/* Elementwise: log(x / (1 - x)); NaN outside [0, 1].  Integers become floating; poison for complex numbers. */
TY_API ty_tensor *ty_logit(ty_tensor *x);
/* Elementwise: entropy of one element, -x log(x); 0 at 0, minus infinity below.  Integers become floating;
   poison for complex numbers. */
TY_API ty_tensor *ty_entr(ty_tensor *x);
/* Elementwise: log(exp(a) + exp(b)), without overflow.  Operands broadcast, integers become floating; poison
   if not, or for complex numbers. */
TY_API ty_tensor *ty_logaddexp(ty_tensor *a, ty_tensor *b);
/* Elementwise: log2(exp2(a) + exp2(b)), without overflow.  Operands broadcast, integers become floating;
   poison if not, or for complex numbers. */
TY_API ty_tensor *ty_logaddexp2(ty_tensor *a, ty_tensor *b);
/* Elementwise: a log(b); 0 if a is 0, unless b is NaN.  Operands broadcast, integers become floating; poison
   if not, or for complex numbers. */
TY_API ty_tensor *ty_xlogy(ty_tensor *a, ty_tensor *b);
/* Elementwise: a log(1 + b); 0 if a is 0, unless b is NaN.  Operands broadcast, integers become floating;
   poison if not, or for complex numbers. */
TY_API ty_tensor *ty_xlog1py(ty_tensor *a, ty_tensor *b);
