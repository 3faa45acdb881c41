/* Made by ./dev docs from arithmetic.def: operators that act on each element of operands that broadcast. */
/* Elementwise: -x; unsigned integers wrap. */
TY_API ty_tensor *ty_neg(ty_tensor *x);
/* Elementwise: absolute value; of a complex number its magnitude. */
TY_API ty_tensor *ty_abs(ty_tensor *x);
/* Elementwise: -1, 0 or 1; NaN stays; of a complex number x/|x|. */
TY_API ty_tensor *ty_sign(ty_tensor *x);
/* Elementwise: x * x. */
TY_API ty_tensor *ty_square(ty_tensor *x);
/* Elementwise: square root; NaN for negative reals. */
TY_API ty_tensor *ty_sqrt(ty_tensor *x);
/* Elementwise: largest integer not above x. */
TY_API ty_tensor *ty_floor(ty_tensor *x);
/* Elementwise: smallest integer not below x. */
TY_API ty_tensor *ty_ceil(ty_tensor *x);
/* Elementwise: integer part, toward zero. */
TY_API ty_tensor *ty_trunc(ty_tensor *x);
/* Elementwise: nearest integer, ties to even. */
TY_API ty_tensor *ty_round(ty_tensor *x);
/* Elementwise: complex conjugate; a real tensor is returned as it is. */
TY_API ty_tensor *ty_conj(ty_tensor *x);
/* Elementwise: real part. */
TY_API ty_tensor *ty_real(ty_tensor *x);
/* Elementwise: imaginary part; 0 for reals. */
TY_API ty_tensor *ty_imag(ty_tensor *x);
/* Elementwise: a + b; or of bools. */
TY_API ty_tensor *ty_add(ty_tensor *a, ty_tensor *b);
/* Elementwise: a - b. */
TY_API ty_tensor *ty_sub(ty_tensor *a, ty_tensor *b);
/* Elementwise: a * b; and of bools. */
TY_API ty_tensor *ty_mul(ty_tensor *a, ty_tensor *b);
/* Elementwise: a / b, true division: integers become floating. */
TY_API ty_tensor *ty_div(ty_tensor *a, ty_tensor *b);
/* Elementwise: floor(a / b); integers divided by 0 give 0. */
TY_API ty_tensor *ty_floor_div(ty_tensor *a, ty_tensor *b);
/* Elementwise: a - b * floor(a / b), the sign of b; integers modulo 0 give 0. */
TY_API ty_tensor *ty_mod(ty_tensor *a, ty_tensor *b);
/* Elementwise: a to the b; integers to a negative power truncate toward 0. */
TY_API ty_tensor *ty_pow(ty_tensor *a, ty_tensor *b);
/* Elementwise: the larger; NaN wins; complex numbers by magnitude, then phase. */
TY_API ty_tensor *ty_max(ty_tensor *a, ty_tensor *b);
/* Elementwise: the smaller; NaN wins; complex numbers by magnitude, then phase. */
TY_API ty_tensor *ty_min(ty_tensor *a, ty_tensor *b);
/* Elementwise: a * b + c, rounded once (to a unit where the ISA has no such instruction). */
TY_API ty_tensor *ty_fma(ty_tensor *a, ty_tensor *b, ty_tensor *c);
/* Elementwise: min(max(a, b), c); NaN of a stays. */
TY_API ty_tensor *ty_clip(ty_tensor *a, ty_tensor *b, ty_tensor *c);
