/* Made by ./dev docs from logic.def: operators that act on each element of operands that broadcast. */
/* Elementwise: true if x is NaN.  Returns bool; complex numbers are allowed. */
TY_API ty_tensor *ty_is_nan(ty_tensor *x);
/* Elementwise: true if x is an infinity of either sign.  Returns bool; complex numbers are allowed. */
TY_API ty_tensor *ty_is_inf(ty_tensor *x);
/* Elementwise: true if x is neither NaN nor infinite.  Returns bool; complex numbers are allowed. */
TY_API ty_tensor *ty_is_finite(ty_tensor *x);
/* Elementwise: true if x is plus infinity.  Returns bool; poison for complex numbers. */
TY_API ty_tensor *ty_is_pos_inf(ty_tensor *x);
/* Elementwise: true if x is minus infinity.  Returns bool; poison for complex numbers. */
TY_API ty_tensor *ty_is_neg_inf(ty_tensor *x);
/* Elementwise: true if x has a minus sign: negative numbers, -0, NaN with a sign.  Returns bool; poison for
   complex numbers. */
TY_API ty_tensor *ty_signbit(ty_tensor *x);
/* Elementwise: true if x is 0.  Returns bool; complex numbers are allowed. */
TY_API ty_tensor *ty_logical_not(ty_tensor *x);
/* Elementwise: true if a == b.  Operands broadcast, the result is bool; poison if not. */
TY_API ty_tensor *ty_eq(ty_tensor *a, ty_tensor *b);
/* Elementwise: true if a != b.  Operands broadcast, the result is bool; poison if not. */
TY_API ty_tensor *ty_ne(ty_tensor *a, ty_tensor *b);
/* Elementwise: true if a < b; complex numbers by magnitude, then phase.  Operands broadcast, the result is
   bool; poison if not. */
TY_API ty_tensor *ty_lt(ty_tensor *a, ty_tensor *b);
/* Elementwise: true if a <= b; complex numbers by magnitude, then phase.  Operands broadcast, the result is
   bool; poison if not. */
TY_API ty_tensor *ty_le(ty_tensor *a, ty_tensor *b);
/* Elementwise: true if a > b; complex numbers by magnitude, then phase.  Operands broadcast, the result is
   bool; poison if not. */
TY_API ty_tensor *ty_gt(ty_tensor *a, ty_tensor *b);
/* Elementwise: true if a >= b; complex numbers by magnitude, then phase.  Operands broadcast, the result is
   bool; poison if not. */
TY_API ty_tensor *ty_ge(ty_tensor *a, ty_tensor *b);
/* Elementwise: true if a and b are not 0.  Operands broadcast, the result is bool; poison if not. */
TY_API ty_tensor *ty_logical_and(ty_tensor *a, ty_tensor *b);
/* Elementwise: true if a or b is not 0.  Operands broadcast, the result is bool; poison if not. */
TY_API ty_tensor *ty_logical_or(ty_tensor *a, ty_tensor *b);
/* Elementwise: true if exactly one of a and b is not 0.  Operands broadcast, the result is bool; poison if
   not. */
TY_API ty_tensor *ty_logical_xor(ty_tensor *a, ty_tensor *b);
/* Elementwise: b where a is not 0, else c.  Operands broadcast, b and c are promoted; poison if not. */
TY_API ty_tensor *ty_where(ty_tensor *a, ty_tensor *b, ty_tensor *c);
