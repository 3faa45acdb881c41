/* Made by ./dev docs from polynomial.def: operators that act on each element of operands that broadcast. */
/* Elementwise: Legendre's polynomial of degree a, rounded toward 0; 0 for a negative degree, NaN beyond 1000
   and for |b| > 1e90. */
TY_API ty_tensor *ty_eval_legendre(ty_tensor *a, ty_tensor *b);
/* Elementwise: Chebyshev's polynomial of the first kind of degree a, rounded toward 0; 0 for a negative degree,
   NaN beyond 1000 and for |b| > 1e90. */
TY_API ty_tensor *ty_eval_chebyt(ty_tensor *a, ty_tensor *b);
/* Elementwise: Chebyshev's polynomial of the second kind of degree a, rounded toward 0; 0 for a negative
   degree, NaN beyond 1000 and for |b| > 1e90. */
TY_API ty_tensor *ty_eval_chebyu(ty_tensor *a, ty_tensor *b);
/* Elementwise: the physicists' Hermite polynomial of degree a, rounded toward 0; 0 for a negative degree, NaN
   beyond 1000 and for |b| > 1e90. */
TY_API ty_tensor *ty_eval_hermite(ty_tensor *a, ty_tensor *b);
/* Elementwise: the probabilists' Hermite polynomial of degree a, rounded toward 0; 0 for a negative degree, NaN
   beyond 1000 and for |b| > 1e90. */
TY_API ty_tensor *ty_eval_hermitenorm(ty_tensor *a, ty_tensor *b);
/* Elementwise: Laguerre's polynomial of degree a, rounded toward 0; 0 for a negative degree, NaN beyond 1000
   and for |b| > 1e90. */
TY_API ty_tensor *ty_eval_laguerre(ty_tensor *a, ty_tensor *b);
/* Elementwise: Laguerre's polynomial of parameter b of degree a, rounded toward 0; 0 for a negative degree, NaN
   beyond 1000 and for b outside (-1, 1000]. */
TY_API ty_tensor *ty_eval_genlaguerre(ty_tensor *a, ty_tensor *b, ty_tensor *c);
/* Elementwise: Gegenbauer's polynomial of parameter b of degree a, rounded toward 0; 0 for a negative degree,
   NaN beyond 1000 and for b outside (-1/2, 1000]. */
TY_API ty_tensor *ty_eval_gegenbauer(ty_tensor *a, ty_tensor *b, ty_tensor *c);
/* Elementwise: Ferrers' associated Legendre function of order a and degree b, both rounded toward 0, with the
   sign (-1)^a; 0 where the degree is below the order, NaN for |c| > 1, orders outside 0 to 150 and degrees
   beyond 1000. */
TY_API ty_tensor *ty_lpmv(ty_tensor *a, ty_tensor *b, ty_tensor *c);
/* Elementwise: Kummer's function 1F1(a; b; c); NaN outside 1e-10 <= b <= 1000, |a| <= 1000, |c| <= 700 and
   where terms of either sign would cancel: |c| times -a for c > 0, times a - b for c < 0, above 200. */
TY_API ty_tensor *ty_hyp1f1(ty_tensor *a, ty_tensor *b, ty_tensor *c);
