/* Made by ./dev docs from bessel.def: operators that act on each element of operands that broadcast. */
/* Elementwise: Bessel function of the first kind, of real order a; NaN for |a| > 1024, and for b < 0 unless the
   order is whole. */
TY_API ty_tensor *ty_jv(ty_tensor *a, ty_tensor *b);
/* Elementwise: Bessel function of the second kind, of real order a; NaN for |a| > 1024, and for b < 0. */
TY_API ty_tensor *ty_yv(ty_tensor *a, ty_tensor *b);
/* Elementwise: modified Bessel function of the first kind, of real order a; NaN for |a| > 1024, and for b < 0
   unless the order is whole. */
TY_API ty_tensor *ty_iv(ty_tensor *a, ty_tensor *b);
/* Elementwise: exp(-|b|) iv(a, b). */
TY_API ty_tensor *ty_ive(ty_tensor *a, ty_tensor *b);
/* Elementwise: modified Bessel function of the second kind, of real order a; NaN for |a| > 1024, and for b < 0.
   */
TY_API ty_tensor *ty_kv(ty_tensor *a, ty_tensor *b);
/* Elementwise: exp(b) kv(a, b). */
TY_API ty_tensor *ty_kve(ty_tensor *a, ty_tensor *b);
/* Elementwise: spherical Bessel function of the first kind, of order a, rounded toward 0; NaN below order 0 and
   beyond 1022. */
TY_API ty_tensor *ty_spherical_jn(ty_tensor *a, ty_tensor *b);
/* Elementwise: spherical Bessel function of the second kind, of order a, rounded toward 0; NaN below order 0
   and beyond 1022. */
TY_API ty_tensor *ty_spherical_yn(ty_tensor *a, ty_tensor *b);
/* Elementwise: modified spherical Bessel function of the first kind, of order a, rounded toward 0; NaN below
   order 0 and beyond 1022. */
TY_API ty_tensor *ty_spherical_in(ty_tensor *a, ty_tensor *b);
/* Elementwise: modified spherical Bessel function of the second kind, of order a, rounded toward 0; NaN below
   order 0 and beyond 1022. */
TY_API ty_tensor *ty_spherical_kn(ty_tensor *a, ty_tensor *b);
/* Elementwise: Airy's function Ai; NaN below -1e10. */
TY_API ty_tensor *ty_airy_ai(ty_tensor *x);
/* Elementwise: Airy's function Bi; NaN below -1e10. */
TY_API ty_tensor *ty_airy_bi(ty_tensor *x);
/* Elementwise: derivative of Airy's function Ai; NaN below -1e10. */
TY_API ty_tensor *ty_airy_ai_derivative(ty_tensor *x);
/* Elementwise: derivative of Airy's function Bi; NaN below -1e10. */
TY_API ty_tensor *ty_airy_bi_derivative(ty_tensor *x);
