/* Made by ./dev docs from activation.def: operators that act on each element of operands that broadcast. */
/* Elementwise: 1 / (1 + exp(-x)).  Integers become floating; poison for complex numbers. */
TY_API ty_tensor *ty_sigmoid(ty_tensor *x);
/* Elementwise: log(1 + exp(x)), without overflow.  Integers become floating; poison for complex numbers. */
TY_API ty_tensor *ty_softplus(ty_tensor *x);
/* Elementwise: log(sigmoid(x)), without overflow.  Integers become floating; poison for complex numbers. */
TY_API ty_tensor *ty_log_sigmoid(ty_tensor *x);
/* Elementwise: x if positive, else 0; NaN stays.  Keeps the dtype (bool: i8); poison for complex numbers. */
TY_API ty_tensor *ty_relu(ty_tensor *x);
/* Elementwise: (x + sqrt(x*x + 4)) / 2, a smooth relu.  Integers become floating; poison for complex
   numbers. */
TY_API ty_tensor *ty_squareplus(ty_tensor *x);
