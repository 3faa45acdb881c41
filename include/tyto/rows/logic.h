/* Made by ./dev docs from logic.def: operators that act on each element of operands that broadcast. */
/* Elementwise: true for NaN. */
TY_API ty_tensor *ty_is_nan(ty_tensor *x);
/* Elementwise: true for an infinity of either sign. */
TY_API ty_tensor *ty_is_inf(ty_tensor *x);
/* Elementwise: true for numbers, false for NaN and infinities. */
TY_API ty_tensor *ty_is_finite(ty_tensor *x);
/* Elementwise: true for plus infinity. */
TY_API ty_tensor *ty_is_pos_inf(ty_tensor *x);
/* Elementwise: true for minus infinity. */
TY_API ty_tensor *ty_is_neg_inf(ty_tensor *x);
/* Elementwise: true for negative numbers, -0 and NaN with a sign. */
TY_API ty_tensor *ty_signbit(ty_tensor *x);
/* Elementwise: true where x is 0. */
TY_API ty_tensor *ty_logical_not(ty_tensor *x);
/* Elementwise: a == b. */
TY_API ty_tensor *ty_eq(ty_tensor *a, ty_tensor *b);
/* Elementwise: a != b. */
TY_API ty_tensor *ty_ne(ty_tensor *a, ty_tensor *b);
/* Elementwise: a < b; complex numbers by magnitude, then phase. */
TY_API ty_tensor *ty_lt(ty_tensor *a, ty_tensor *b);
/* Elementwise: a <= b; complex numbers by magnitude, then phase. */
TY_API ty_tensor *ty_le(ty_tensor *a, ty_tensor *b);
/* Elementwise: a > b; complex numbers by magnitude, then phase. */
TY_API ty_tensor *ty_gt(ty_tensor *a, ty_tensor *b);
/* Elementwise: a >= b; complex numbers by magnitude, then phase. */
TY_API ty_tensor *ty_ge(ty_tensor *a, ty_tensor *b);
/* Elementwise: both are not 0. */
TY_API ty_tensor *ty_logical_and(ty_tensor *a, ty_tensor *b);
/* Elementwise: one is not 0. */
TY_API ty_tensor *ty_logical_or(ty_tensor *a, ty_tensor *b);
/* Elementwise: exactly one is not 0. */
TY_API ty_tensor *ty_logical_xor(ty_tensor *a, ty_tensor *b);
/* Elementwise: b where a is true, else c. */
TY_API ty_tensor *ty_where(ty_tensor *a, ty_tensor *b, ty_tensor *c);
