/* Made by ./dev docs from bessel.def: operators that act on each element of operands that broadcast. */
/* Elementwise: Bessel function of the first kind of real order a at b; NaN for |a| above 1024, and for b < 0
   unless a is whole.  Operands broadcast, integers become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_jv(ty_tensor *a, ty_tensor *b);
/* Elementwise: Bessel function of the second kind of real order a at b; NaN for |a| above 1024 and for b < 0.
   Operands broadcast, integers become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_yv(ty_tensor *a, ty_tensor *b);
/* Elementwise: modified Bessel function of the first kind of real order a at b; NaN for |a| above 1024, and
   for b < 0 unless a is whole.  Operands broadcast, integers become floating; poison if not, or for complex
   numbers. */
TY_API ty_tensor *ty_iv(ty_tensor *a, ty_tensor *b);
/* Elementwise: exp(-|b|) iv(a, b); NaN where iv is.  Operands broadcast, integers become floating; poison if
   not, or for complex numbers. */
TY_API ty_tensor *ty_ive(ty_tensor *a, ty_tensor *b);
/* Elementwise: modified Bessel function of the second kind of real order a at b; NaN for |a| above 1024 and
   for b < 0.  Operands broadcast, integers become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_kv(ty_tensor *a, ty_tensor *b);
/* Elementwise: exp(b) kv(a, b); NaN where kv is.  Operands broadcast, integers become floating; poison if not,
   or for complex numbers. */
TY_API ty_tensor *ty_kve(ty_tensor *a, ty_tensor *b);
/* Elementwise: spherical Bessel function of the first kind of order a, truncated to an integer, at b; NaN for
   a outside 0..1022.  Operands broadcast, integers become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_spherical_jn(ty_tensor *a, ty_tensor *b);
/* Elementwise: spherical Bessel function of the second kind of order a, truncated to an integer, at b; NaN for
   a outside 0..1022.  Operands broadcast, integers become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_spherical_yn(ty_tensor *a, ty_tensor *b);
/* Elementwise: modified spherical Bessel function of the first kind of order a, truncated to an integer, at b;
   NaN for a outside 0..1022.  Operands broadcast, integers become floating; poison if not, or for complex
   numbers. */
TY_API ty_tensor *ty_spherical_in(ty_tensor *a, ty_tensor *b);
/* Elementwise: modified spherical Bessel function of the second kind of order a, truncated to an integer, at
   b; NaN for a outside 0..1022.  Operands broadcast, integers become floating; poison if not, or for complex
   numbers. */
TY_API ty_tensor *ty_spherical_kn(ty_tensor *a, ty_tensor *b);
/* Elementwise: Airy's function Ai; NaN below -1e10.  Integers become floating; poison for complex numbers. */
TY_API ty_tensor *ty_airy_ai(ty_tensor *x);
/* Elementwise: Airy's function Bi; NaN below -1e10.  Integers become floating; poison for complex numbers. */
TY_API ty_tensor *ty_airy_bi(ty_tensor *x);
/* Elementwise: derivative of Airy's function Ai; NaN below -1e10.  Integers become floating; poison for
   complex numbers. */
TY_API ty_tensor *ty_airy_ai_derivative(ty_tensor *x);
/* Elementwise: derivative of Airy's function Bi; NaN below -1e10.  Integers become floating; poison for
   complex numbers. */
TY_API ty_tensor *ty_airy_bi_derivative(ty_tensor *x);
