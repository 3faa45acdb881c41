/* Made by ./dev docs from polynomial.def: operators that act on each element of operands that broadcast. */
/* Elementwise: Legendre's polynomial of degree a, truncated to an integer, at b; 0 for a negative degree, NaN
   for a above 1000 or |b| above 1e90.  Operands broadcast, integers become floating; poison if not, or for
   complex numbers. */
TY_API ty_tensor *ty_eval_legendre(ty_tensor *a, ty_tensor *b);
/* Elementwise: Chebyshev's polynomial of the first kind of degree a, truncated to an integer, at b; 0 for a
   negative degree, NaN for a above 1000 or |b| above 1e90.  Operands broadcast, integers become floating;
   poison if not, or for complex numbers. */
TY_API ty_tensor *ty_eval_chebyt(ty_tensor *a, ty_tensor *b);
/* Elementwise: Chebyshev's polynomial of the second kind of degree a, truncated to an integer, at b; 0 for a
   negative degree, NaN for a above 1000 or |b| above 1e90.  Operands broadcast, integers become floating;
   poison if not, or for complex numbers. */
TY_API ty_tensor *ty_eval_chebyu(ty_tensor *a, ty_tensor *b);
/* Elementwise: physicists' Hermite polynomial of degree a, truncated to an integer, at b; 0 for a negative
   degree, NaN for a above 1000 or |b| above 1e90.  Operands broadcast, integers become floating; poison if
   not, or for complex numbers. */
TY_API ty_tensor *ty_eval_hermite(ty_tensor *a, ty_tensor *b);
/* Elementwise: probabilists' Hermite polynomial of degree a, truncated to an integer, at b; 0 for a negative
   degree, NaN for a above 1000 or |b| above 1e90.  Operands broadcast, integers become floating; poison if
   not, or for complex numbers. */
TY_API ty_tensor *ty_eval_hermitenorm(ty_tensor *a, ty_tensor *b);
/* Elementwise: Laguerre's polynomial of degree a, truncated to an integer, at b; 0 for a negative degree, NaN
   for a above 1000 or |b| above 1e90.  Operands broadcast, integers become floating; poison if not, or for
   complex numbers. */
TY_API ty_tensor *ty_eval_laguerre(ty_tensor *a, ty_tensor *b);
/* Elementwise: generalised Laguerre polynomial of degree a, truncated to an integer, and parameter b at c; 0
   for a negative degree, NaN for a above 1000 or b outside (-1, 1000].  Operands broadcast, integers become
   floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_eval_genlaguerre(ty_tensor *a, ty_tensor *b, ty_tensor *c);
/* Elementwise: Gegenbauer's polynomial of degree a, truncated to an integer, and parameter b at c; 0 for a
   negative degree, NaN for a above 1000 or b outside (-1/2, 1000].  Operands broadcast, integers become
   floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_eval_gegenbauer(ty_tensor *a, ty_tensor *b, ty_tensor *c);
/* Elementwise: associated Legendre function (Ferrers) of order a and degree b, both truncated to integers, at
   c, with the factor (-1)^a; 0 if b is below a, NaN for |c| > 1, a outside 0..150 or b above 1000.  Operands
   broadcast, integers become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_lpmv(ty_tensor *a, ty_tensor *b, ty_tensor *c);
/* Elementwise: Kummer's function 1F1(a; b; c); NaN outside 1e-10 <= b <= 1000, |a| <= 1000, |c| <= 700 and
   where terms of either sign would cancel: |c| times -a for c > 0, times a - b for c < 0, above 200.  Operands
   broadcast, integers become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_hyp1f1(ty_tensor *a, ty_tensor *b, ty_tensor *c);
