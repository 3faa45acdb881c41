/* Made by ./dev docs from numeric.def: operators that act on each element of operands that broadcast. */
/* Elementwise: 1 / sqrt(x). */
TY_API ty_tensor *ty_rsqrt(ty_tensor *x);
/* Elementwise: cube root. */
TY_API ty_tensor *ty_cbrt(ty_tensor *x);
/* Elementwise: x itself, bool as i8. */
TY_API ty_tensor *ty_positive(ty_tensor *x);
/* Elementwise: what trunc takes away, with the sign of x; NaN for infinities. */
TY_API ty_tensor *ty_frac(ty_tensor *x);
/* Elementwise: 1 / x. */
TY_API ty_tensor *ty_recip(ty_tensor *x);
/* Elementwise: sqrt(a*a + b*b), without overflow. */
TY_API ty_tensor *ty_hypot(ty_tensor *a, ty_tensor *b);
/* Elementwise: |a| with the sign of b. */
TY_API ty_tensor *ty_copysign(ty_tensor *a, ty_tensor *b);
/* Elementwise: the larger; a number wins over NaN. */
TY_API ty_tensor *ty_fmax(ty_tensor *a, ty_tensor *b);
/* Elementwise: the smaller; a number wins over NaN. */
TY_API ty_tensor *ty_fmin(ty_tensor *a, ty_tensor *b);
/* Elementwise: a - b * trunc(a / b), the sign of a, as C has it; integers modulo 0 give 0. */
TY_API ty_tensor *ty_fmod(ty_tensor *a, ty_tensor *b);
/* Elementwise: a - b where positive, else 0. */
TY_API ty_tensor *ty_fdim(ty_tensor *a, ty_tensor *b);
/* Elementwise: (a - b) * (a - b). */
TY_API ty_tensor *ty_squared_difference(ty_tensor *a, ty_tensor *b);
/* Elementwise: 0 below 0, b at 0, 1 above. */
TY_API ty_tensor *ty_heaviside(ty_tensor *a, ty_tensor *b);
/* Elementwise: a times 2 to the power of b, which is rounded toward 0. */
TY_API ty_tensor *ty_ldexp(ty_tensor *a, ty_tensor *b);
/* Elementwise: the next number of the dtype from a towards b. */
TY_API ty_tensor *ty_nextafter(ty_tensor *a, ty_tensor *b);
/* Elementwise: greatest common divisor of |a| and |b|; 0 of 0 and 0. */
TY_API ty_tensor *ty_gcd(ty_tensor *a, ty_tensor *b);
/* Elementwise: least common multiple of |a| and |b|, 0 if either is 0; integers, which wrap. */
TY_API ty_tensor *ty_lcm(ty_tensor *a, ty_tensor *b);
/* Elementwise: every bit flipped; logical for bool. */
TY_API ty_tensor *ty_bit_not(ty_tensor *x);
/* Elementwise: how many bits of |x| are set, in the dtype of x. */
TY_API ty_tensor *ty_bit_count(ty_tensor *x);
/* Elementwise: bits set in both. */
TY_API ty_tensor *ty_bit_and(ty_tensor *a, ty_tensor *b);
/* Elementwise: bits set in one. */
TY_API ty_tensor *ty_bit_or(ty_tensor *a, ty_tensor *b);
/* Elementwise: bits that differ. */
TY_API ty_tensor *ty_bit_xor(ty_tensor *a, ty_tensor *b);
/* Elementwise: a << b; 0 when b is not in 0..bits-1. */
TY_API ty_tensor *ty_shift_left(ty_tensor *a, ty_tensor *b);
/* Elementwise: a >> b with the sign; 0 or -1 when b is not in 0..bits-1. */
TY_API ty_tensor *ty_shift_right(ty_tensor *a, ty_tensor *b);
