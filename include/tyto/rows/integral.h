/* Made by ./dev docs from integral.def: operators that act on each element of operands that broadcast. */
/* Elementwise: the x for which gammainc(a, x) = b; NaN for b outside [0, 1] and a outside (0, 1e5]. */
TY_API ty_tensor *ty_gammaincinv(ty_tensor *a, ty_tensor *b);
/* Elementwise: the x for which gammaincc(a, x) = b; NaN for b outside [0, 1] and a outside (0, 1e5]. */
TY_API ty_tensor *ty_gammainccinv(ty_tensor *a, ty_tensor *b);
/* Elementwise: the x for which betainc(a, b, x) = c; NaN for c outside [0, 1], a and b outside [1e-3, 1e5]. */
TY_API ty_tensor *ty_betaincinv(ty_tensor *a, ty_tensor *b, ty_tensor *c);
/* Elementwise: gamma(x + 1), x! at whole numbers; NaN at negative ones. */
TY_API ty_tensor *ty_factorial(ty_tensor *x);
/* Elementwise: binomial coefficient, a over b, |a| and |b| up to 1e9; a product for whole b >= 0, up to 1000;
   otherwise by gamma functions, NaN for negative whole a, for b beyond 1000 and where the gamma functions leave
   their range. */
TY_API ty_tensor *ty_binom(ty_tensor *a, ty_tensor *b);
/* Elementwise: number of permutations of a elements with b cycles: the unsigned Stirling number of the first
   kind; NaN unless both are whole, 0 <= a <= 256. */
TY_API ty_tensor *ty_stirling1(ty_tensor *a, ty_tensor *b);
/* Elementwise: number of partitions of a elements into b sets: the Stirling number of the second kind; NaN
   unless both are whole, 0 <= a <= 256. */
TY_API ty_tensor *ty_stirling2(ty_tensor *a, ty_tensor *b);
/* Elementwise: Lambert's W: the w >= -1 for which w exp(w) = x; NaN below -1/e. */
TY_API ty_tensor *ty_lambertw(ty_tensor *x);
/* Elementwise: Lambert's W of branch -1: the w <= -1 for which w exp(w) = x; NaN below -1/e and above 0. */
TY_API ty_tensor *ty_lambertwm1(ty_tensor *x);
/* Elementwise: polylogarithm of whole order a, the sum of b^k / k^a; NaN outside orders -30 to 64 and for b >
   1. */
TY_API ty_tensor *ty_polylog(ty_tensor *a, ty_tensor *b);
/* Elementwise: dilogarithm of 1 - x; NaN below 0. */
TY_API ty_tensor *ty_spence(ty_tensor *x);
/* Elementwise: exponential integral of whole order a: the integral of exp(-b t) / t^a for t from 1 to infinity;
   NaN outside orders -32 to 1000 and for b < 0. */
TY_API ty_tensor *ty_expn(ty_tensor *a, ty_tensor *b);
/* Elementwise: complete elliptic integral of the first kind, of parameter x (the square of the modulus); NaN
   above 1 and below -1e100. */
TY_API ty_tensor *ty_ellipk(ty_tensor *x);
/* Elementwise: complete elliptic integral of the second kind, of parameter x; NaN above 1 and below -1e100. */
TY_API ty_tensor *ty_ellipe(ty_tensor *x);
/* Elementwise: complete elliptic integral of the third kind, of characteristic a and parameter b; NaN for a or
   b above 1, a < -16, b < -1e4. */
TY_API ty_tensor *ty_ellippi(ty_tensor *a, ty_tensor *b);
/* Elementwise: derivative number a of ellipk at b; NaN outside orders 0 to 8. */
TY_API ty_tensor *ty_ellipk_derivative(ty_tensor *a, ty_tensor *b);
/* Elementwise: derivative number a of ellipe at b; NaN outside orders 0 to 8. */
TY_API ty_tensor *ty_ellipe_derivative(ty_tensor *a, ty_tensor *b);
/* Elementwise: elliptic integral of the first kind up to the angle a, of parameter b; NaN where 1 - b sin^2 t
   is negative between 0 and a, beyond |a| = 1e5 and |b| = 1e4. */
TY_API ty_tensor *ty_ellipkinc(ty_tensor *a, ty_tensor *b);
/* Elementwise: elliptic integral of the second kind up to the angle a, of parameter b; NaN where ellipkinc is
   NaN. */
TY_API ty_tensor *ty_ellipeinc(ty_tensor *a, ty_tensor *b);
/* Elementwise: elliptic integral of the third kind: of 1 / ((1 - a sin^2 t) sqrt(1 - c sin^2 t)) for t from 0
   to b; NaN where ellipkinc(b, c) is NaN, for a outside -16..1e4, and at or beyond a pole. */
TY_API ty_tensor *ty_ellippiinc(ty_tensor *a, ty_tensor *b, ty_tensor *c);
/* Elementwise: Carlson's degenerate integral R_C(a, b); for b < 0 the principal value; NaN for a < 0 and
   outside 1e-100 to 1e100. */
TY_API ty_tensor *ty_elliprc(ty_tensor *a, ty_tensor *b);
/* Elementwise: Carlson's integral of the first kind, R_F; NaN below 0 and outside 1e-100 to 1e100. */
TY_API ty_tensor *ty_elliprf(ty_tensor *a, ty_tensor *b, ty_tensor *c);
/* Elementwise: Carlson's integral of the second kind, R_D(a, b, c), in which c has the exponent 3/2; NaN for
   operands below 0 or outside 1e-100 to 1e100. */
TY_API ty_tensor *ty_elliprd(ty_tensor *a, ty_tensor *b, ty_tensor *c);
/* Elementwise: Carlson's integral R_G; NaN below 0 and outside 1e-100 to 1e100. */
TY_API ty_tensor *ty_elliprg(ty_tensor *a, ty_tensor *b, ty_tensor *c);
/* Elementwise: Jacobi's elliptic sine of a, of parameter b; NaN beyond |a| = 1000 and for b outside [0, 1]. */
TY_API ty_tensor *ty_jacobi_sn(ty_tensor *a, ty_tensor *b);
/* Elementwise: Jacobi's elliptic cosine of a, of parameter b; NaN beyond |a| = 1000 and for b outside [0, 1].
   */
TY_API ty_tensor *ty_jacobi_cn(ty_tensor *a, ty_tensor *b);
/* Elementwise: Jacobi's function dn of a, of parameter b; NaN beyond |a| = 1000 and for b outside [0, 1]. */
TY_API ty_tensor *ty_jacobi_dn(ty_tensor *a, ty_tensor *b);
/* Elementwise: Jacobi's amplitude of a, of parameter b; NaN beyond |a| = 1000 and for b outside [0, 1]. */
TY_API ty_tensor *ty_jacobi_am(ty_tensor *a, ty_tensor *b);
/* Elementwise: integral of sin(pi/2 t^2) from 0 to x. */
TY_API ty_tensor *ty_fresnel_s(ty_tensor *x);
/* Elementwise: integral of cos(pi/2 t^2) from 0 to x. */
TY_API ty_tensor *ty_fresnel_c(ty_tensor *x);
/* Elementwise: integral of sin(t) / t from 0 to x. */
TY_API ty_tensor *ty_sine_integral(ty_tensor *x);
/* Elementwise: integral of cos(t) / t from infinity to x; NaN below 0. */
TY_API ty_tensor *ty_cosine_integral(ty_tensor *x);
/* Elementwise: integral of sinh(t) / t from 0 to x. */
TY_API ty_tensor *ty_sinh_integral(ty_tensor *x);
/* Elementwise: log x + Euler's constant + the integral of (cosh(t) - 1) / t from 0 to x; NaN below 0. */
TY_API ty_tensor *ty_cosh_integral(ty_tensor *x);
/* Elementwise: Struve's function H, of real order a; NaN outside orders -8 to 32, and for b < 0 unless the
   order is whole. */
TY_API ty_tensor *ty_struve(ty_tensor *a, ty_tensor *b);
/* Elementwise: Struve's modified function L, of real order a; NaN outside orders -8 to 32, and for b < 0 unless
   the order is whole. */
TY_API ty_tensor *ty_modstruve(ty_tensor *a, ty_tensor *b);
