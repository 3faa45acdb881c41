/* Made by ./dev docs from numeric.def: operators that act on each element of operands that broadcast. */
/* Elementwise: 1 / sqrt(x).  Integers become floating; complex numbers are allowed. */
TY_API ty_tensor *ty_rsqrt(ty_tensor *x);
/* Elementwise: cube root.  Integers become floating; poison for complex numbers. */
TY_API ty_tensor *ty_cbrt(ty_tensor *x);
/* Elementwise: x unchanged; bool becomes i8.  Keeps the dtype (bool: i8); complex numbers are allowed. */
TY_API ty_tensor *ty_positive(ty_tensor *x);
/* Elementwise: fractional part, x - trunc(x), with the sign of x; NaN for infinities.  Integers become
   floating; poison for complex numbers. */
TY_API ty_tensor *ty_frac(ty_tensor *x);
/* Elementwise: 1 / x.  Integers become floating; complex numbers are allowed. */
TY_API ty_tensor *ty_recip(ty_tensor *x);
/* Elementwise: sqrt(a*a + b*b), without overflow.  Operands broadcast, integers become floating; poison if
   not, or for complex numbers. */
TY_API ty_tensor *ty_hypot(ty_tensor *a, ty_tensor *b);
/* Elementwise: |a| with the sign of b.  Operands broadcast, integers become floating; poison if not, or for
   complex numbers. */
TY_API ty_tensor *ty_copysign(ty_tensor *a, ty_tensor *b);
/* Elementwise: the larger of a and b; a number wins over NaN.  Operands broadcast and are promoted; poison if
   not, or for complex numbers. */
TY_API ty_tensor *ty_fmax(ty_tensor *a, ty_tensor *b);
/* Elementwise: the smaller of a and b; a number wins over NaN.  Operands broadcast and are promoted; poison if
   not, or for complex numbers. */
TY_API ty_tensor *ty_fmin(ty_tensor *a, ty_tensor *b);
/* Elementwise: remainder with the sign of a, as in C, a - b * trunc(a / b); integers modulo 0 give 0.  Operands
   broadcast and are promoted (bool: i8); poison if not, or for complex numbers. */
TY_API ty_tensor *ty_fmod(ty_tensor *a, ty_tensor *b);
/* Elementwise: positive difference: a - b if positive, else 0; NaN stays.  Operands broadcast, integers become
   floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_fdim(ty_tensor *a, ty_tensor *b);
/* Elementwise: squared difference, (a - b) * (a - b).  Operands broadcast and are promoted (bool: i8); poison
   if not. */
TY_API ty_tensor *ty_squared_difference(ty_tensor *a, ty_tensor *b);
/* Elementwise: step function of a: 0 below 0, b at 0, 1 above; NaN stays.  Operands broadcast, integers become
   floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_heaviside(ty_tensor *a, ty_tensor *b);
/* Elementwise: a times 2 to the power b, which is truncated to an integer.  Operands broadcast, integers
   become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_ldexp(ty_tensor *a, ty_tensor *b);
/* Elementwise: next number of the dtype after a in the direction of b; a itself if equal.  Operands broadcast,
   integers become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_nextafter(ty_tensor *a, ty_tensor *b);
/* Elementwise: greatest common divisor of |a| and |b|; 0 if both are 0.  Operands broadcast and are promoted
   (bool: i8); poison if not, or for floating and complex numbers. */
TY_API ty_tensor *ty_gcd(ty_tensor *a, ty_tensor *b);
/* Elementwise: least common multiple of |a| and |b|, 0 if either is 0; wraps on overflow.  Operands broadcast
   and are promoted (bool: i8); poison if not, or for floating and complex numbers. */
TY_API ty_tensor *ty_lcm(ty_tensor *a, ty_tensor *b);
/* Elementwise: bitwise complement; logical not for bool.  Keeps the dtype; poison for floating and complex
   numbers. */
TY_API ty_tensor *ty_bit_not(ty_tensor *x);
/* Elementwise: number of set bits of |x|, in the dtype of x.  Keeps the dtype (bool: i8); poison for floating
   and complex numbers. */
TY_API ty_tensor *ty_bit_count(ty_tensor *x);
/* Elementwise: bitwise and.  Operands broadcast and are promoted; poison if not, or for floating and complex
   numbers. */
TY_API ty_tensor *ty_bit_and(ty_tensor *a, ty_tensor *b);
/* Elementwise: bitwise or.  Operands broadcast and are promoted; poison if not, or for floating and complex
   numbers. */
TY_API ty_tensor *ty_bit_or(ty_tensor *a, ty_tensor *b);
/* Elementwise: bitwise exclusive or.  Operands broadcast and are promoted; poison if not, or for floating and
   complex numbers. */
TY_API ty_tensor *ty_bit_xor(ty_tensor *a, ty_tensor *b);
/* Elementwise: a shifted left by b bits, a << b; 0 if b is outside 0..bits-1.  Operands broadcast and are
   promoted (bool: i8); poison if not, or for floating and complex numbers. */
TY_API ty_tensor *ty_shift_left(ty_tensor *a, ty_tensor *b);
/* Elementwise: a shifted right by b bits with the sign, a >> b; 0 or -1 if b is outside 0..bits-1.  Operands
   broadcast and are promoted (bool: i8); poison if not, or for floating and complex numbers. */
TY_API ty_tensor *ty_shift_right(ty_tensor *a, ty_tensor *b);
