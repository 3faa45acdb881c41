/* Made by ./dev docs from circular.def: operators that act on each element of operands that broadcast. */
/* Elementwise: sine of x in radians.  Integers become floating; complex numbers are allowed. */
TY_API ty_tensor *ty_sin(ty_tensor *x);
/* Elementwise: cosine of x in radians.  Integers become floating; complex numbers are allowed. */
TY_API ty_tensor *ty_cos(ty_tensor *x);
/* Elementwise: tangent of x in radians.  Integers become floating; complex numbers are allowed. */
TY_API ty_tensor *ty_tan(ty_tensor *x);
/* Elementwise: inverse sine in radians; NaN for reals outside [-1, 1].  Integers become floating; complex
   numbers are allowed. */
TY_API ty_tensor *ty_asin(ty_tensor *x);
/* Elementwise: inverse cosine in radians; NaN for reals outside [-1, 1].  Integers become floating; complex
   numbers are allowed. */
TY_API ty_tensor *ty_acos(ty_tensor *x);
/* Elementwise: inverse tangent in radians.  Integers become floating; complex numbers are allowed. */
TY_API ty_tensor *ty_atan(ty_tensor *x);
/* Elementwise: hyperbolic sine.  Integers become floating; complex numbers are allowed. */
TY_API ty_tensor *ty_sinh(ty_tensor *x);
/* Elementwise: hyperbolic cosine.  Integers become floating; complex numbers are allowed. */
TY_API ty_tensor *ty_cosh(ty_tensor *x);
/* Elementwise: hyperbolic tangent.  Integers become floating; complex numbers are allowed. */
TY_API ty_tensor *ty_tanh(ty_tensor *x);
/* Elementwise: inverse hyperbolic sine.  Integers become floating; complex numbers are allowed. */
TY_API ty_tensor *ty_asinh(ty_tensor *x);
/* Elementwise: inverse hyperbolic cosine; NaN for reals below 1.  Integers become floating; complex numbers
   are allowed. */
TY_API ty_tensor *ty_acosh(ty_tensor *x);
/* Elementwise: inverse hyperbolic tangent; NaN for reals outside [-1, 1].  Integers become floating; complex
   numbers are allowed. */
TY_API ty_tensor *ty_atanh(ty_tensor *x);
/* Elementwise: sin(pi x), exact at whole and half numbers.  Integers become floating; poison for complex
   numbers. */
TY_API ty_tensor *ty_sinpi(ty_tensor *x);
/* Elementwise: cos(pi x), exact at whole and half numbers.  Integers become floating; poison for complex
   numbers. */
TY_API ty_tensor *ty_cospi(ty_tensor *x);
/* Elementwise: sin(pi x) / (pi x); 1 at 0.  Integers become floating; poison for complex numbers. */
TY_API ty_tensor *ty_sinc(ty_tensor *x);
/* Elementwise: x converted from degrees to radians.  Integers become floating; poison for complex numbers. */
TY_API ty_tensor *ty_deg2rad(ty_tensor *x);
/* Elementwise: x converted from radians to degrees.  Integers become floating; poison for complex numbers. */
TY_API ty_tensor *ty_rad2deg(ty_tensor *x);
/* Elementwise: angle of a complex number in radians, in (-pi, pi]; 0 or pi for reals.  The result is real;
   complex numbers are allowed. */
TY_API ty_tensor *ty_arg(ty_tensor *x);
/* Elementwise: angle of the point (b, a) in radians, in [-pi, pi].  Operands broadcast, integers become
   floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_atan2(ty_tensor *a, ty_tensor *b);
