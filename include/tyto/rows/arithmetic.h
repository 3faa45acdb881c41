/* Made by ./dev docs from arithmetic.def: operators that act on each element of operands that broadcast. */
/* Elementwise: -x; unsigned integers wrap.  Keeps the dtype (bool: i8); complex numbers are allowed. */
TY_API ty_tensor *ty_neg(ty_tensor *x);
/* Elementwise: absolute value; the modulus of a complex number.  The result is real; complex numbers are
   allowed. */
TY_API ty_tensor *ty_abs(ty_tensor *x);
/* Elementwise: sign: -1, 0 or 1; NaN stays; x / |x| for complex numbers.  Keeps the dtype (bool: i8); complex
   numbers are allowed. */
TY_API ty_tensor *ty_sign(ty_tensor *x);
/* Elementwise: square, x * x.  Keeps the dtype (bool: i8); complex numbers are allowed. */
TY_API ty_tensor *ty_square(ty_tensor *x);
/* Elementwise: square root; NaN for negative reals.  Integers become floating; complex numbers are allowed. */
TY_API ty_tensor *ty_sqrt(ty_tensor *x);
/* Elementwise: largest integer not above x.  Keeps the dtype; poison for complex numbers. */
TY_API ty_tensor *ty_floor(ty_tensor *x);
/* Elementwise: smallest integer not below x.  Keeps the dtype; poison for complex numbers. */
TY_API ty_tensor *ty_ceil(ty_tensor *x);
/* Elementwise: integer part, toward zero.  Keeps the dtype; poison for complex numbers. */
TY_API ty_tensor *ty_trunc(ty_tensor *x);
/* Elementwise: nearest integer, ties to even.  Keeps the dtype; poison for complex numbers. */
TY_API ty_tensor *ty_round(ty_tensor *x);
/* Elementwise: complex conjugate; real tensors are returned unchanged.  Keeps the dtype; complex numbers are
   allowed. */
TY_API ty_tensor *ty_conj(ty_tensor *x);
/* Elementwise: real part; real numbers are returned unchanged.  The result is real; complex numbers are
   allowed. */
TY_API ty_tensor *ty_real(ty_tensor *x);
/* Elementwise: imaginary part; 0 for real numbers.  The result is real; complex numbers are allowed. */
TY_API ty_tensor *ty_imag(ty_tensor *x);
/* Elementwise: a + b; logical or for bools.  Operands broadcast and are promoted; poison if not. */
TY_API ty_tensor *ty_add(ty_tensor *a, ty_tensor *b);
/* Elementwise: a - b.  Operands broadcast and are promoted (bool: i8); poison if not. */
TY_API ty_tensor *ty_sub(ty_tensor *a, ty_tensor *b);
/* Elementwise: a * b; logical and for bools.  Operands broadcast and are promoted; poison if not. */
TY_API ty_tensor *ty_mul(ty_tensor *a, ty_tensor *b);
/* Elementwise: true division, a / b.  Operands broadcast, integers become floating; poison if not. */
TY_API ty_tensor *ty_div(ty_tensor *a, ty_tensor *b);
/* Elementwise: quotient rounded down, floor(a / b); integers divided by 0 give 0.  Operands broadcast and are
   promoted (bool: i8); poison if not, or for complex numbers. */
TY_API ty_tensor *ty_floor_div(ty_tensor *a, ty_tensor *b);
/* Elementwise: remainder with the sign of b, a - b * floor(a / b); integers modulo 0 give 0.  Operands
   broadcast and are promoted (bool: i8); poison if not, or for complex numbers. */
TY_API ty_tensor *ty_mod(ty_tensor *a, ty_tensor *b);
/* Elementwise: a to the power b; integers to a negative power truncate toward 0.  Operands broadcast and are
   promoted (bool: i8); poison if not. */
TY_API ty_tensor *ty_pow(ty_tensor *a, ty_tensor *b);
/* Elementwise: the larger of a and b; NaN wins; complex numbers by magnitude, then phase.  Operands broadcast
   and are promoted; poison if not. */
TY_API ty_tensor *ty_max(ty_tensor *a, ty_tensor *b);
/* Elementwise: the smaller of a and b; NaN wins; complex numbers by magnitude, then phase.  Operands broadcast
   and are promoted; poison if not. */
TY_API ty_tensor *ty_min(ty_tensor *a, ty_tensor *b);
/* Elementwise: a * b + c, rounded once, or to a unit where the instruction set lacks it.  Operands broadcast
   and are promoted (bool: i8); poison if not. */
TY_API ty_tensor *ty_fma(ty_tensor *a, ty_tensor *b, ty_tensor *c);
/* Elementwise: a limited to the range b..c, min(max(a, b), c); NaN in a stays.  Operands broadcast and are
   promoted (bool: i8); poison if not, or for complex numbers. */
TY_API ty_tensor *ty_clip(ty_tensor *a, ty_tensor *b, ty_tensor *c);
