/* Made by ./dev docs from circular.def: operators that act on each element of operands that broadcast. */
/* Elementwise: sine of radians. */
TY_API ty_tensor *ty_sin(ty_tensor *x);
/* Elementwise: cosine of radians. */
TY_API ty_tensor *ty_cos(ty_tensor *x);
/* Elementwise: tangent of radians. */
TY_API ty_tensor *ty_tan(ty_tensor *x);
/* Elementwise: inverse sine; NaN for reals outside [-1, 1]. */
TY_API ty_tensor *ty_asin(ty_tensor *x);
/* Elementwise: inverse cosine; NaN for reals outside [-1, 1]. */
TY_API ty_tensor *ty_acos(ty_tensor *x);
/* Elementwise: inverse tangent. */
TY_API ty_tensor *ty_atan(ty_tensor *x);
/* Elementwise: hyperbolic sine. */
TY_API ty_tensor *ty_sinh(ty_tensor *x);
/* Elementwise: hyperbolic cosine. */
TY_API ty_tensor *ty_cosh(ty_tensor *x);
/* Elementwise: hyperbolic tangent. */
TY_API ty_tensor *ty_tanh(ty_tensor *x);
/* Elementwise: inverse hyperbolic sine. */
TY_API ty_tensor *ty_asinh(ty_tensor *x);
/* Elementwise: inverse hyperbolic cosine; NaN for reals below 1. */
TY_API ty_tensor *ty_acosh(ty_tensor *x);
/* Elementwise: inverse hyperbolic tangent; NaN for reals outside [-1, 1]. */
TY_API ty_tensor *ty_atanh(ty_tensor *x);
/* Elementwise: sin(pi x), exact at whole and half numbers. */
TY_API ty_tensor *ty_sinpi(ty_tensor *x);
/* Elementwise: cos(pi x), exact at whole and half numbers. */
TY_API ty_tensor *ty_cospi(ty_tensor *x);
/* Elementwise: sin(pi x) / (pi x); 1 at 0. */
TY_API ty_tensor *ty_sinc(ty_tensor *x);
/* Elementwise: degrees to radians. */
TY_API ty_tensor *ty_deg2rad(ty_tensor *x);
/* Elementwise: radians to degrees. */
TY_API ty_tensor *ty_rad2deg(ty_tensor *x);
/* Elementwise: angle in radians, (-pi, pi]. */
TY_API ty_tensor *ty_arg(ty_tensor *x);
/* Elementwise: angle of the point (b, a) in radians. */
TY_API ty_tensor *ty_atan2(ty_tensor *a, ty_tensor *b);
