/* Made by ./dev docs from integral.def: operators that act on each element of operands that broadcast. */
/* Elementwise: inverse of gammainc: the x with gammainc(a, x) = b; NaN for b outside [0, 1] or a outside (0,
   1e5].  Operands broadcast, integers become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_gammaincinv(ty_tensor *a, ty_tensor *b);
/* Elementwise: inverse of gammaincc: the x with gammaincc(a, x) = b; NaN for b outside [0, 1] or a outside (0,
   1e5].  Operands broadcast, integers become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_gammainccinv(ty_tensor *a, ty_tensor *b);
/* Elementwise: inverse of betainc: the x with betainc(a, b, x) = c; NaN for c outside [0, 1], a or b outside
   [1e-3, 1e5].  Operands broadcast, integers become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_betaincinv(ty_tensor *a, ty_tensor *b, ty_tensor *c);
/* Elementwise: gamma(x + 1), which is x! at whole numbers; NaN at negative whole numbers.  Integers become
   floating; poison for complex numbers. */
TY_API ty_tensor *ty_factorial(ty_tensor *x);
/* Elementwise: binomial coefficient, a over b, by gamma functions unless b is whole; NaN for whole b above
   1000 (whole a: if a - b is, too), for other b if |a| or |b| exceeds 1000 or a is a negative whole number,
   and above 1e9.  Operands broadcast, integers become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_binom(ty_tensor *a, ty_tensor *b);
/* Elementwise: number of permutations of a elements with b cycles, the unsigned Stirling number of the first
   kind; NaN unless both are whole and 0 <= a <= 256.  Operands broadcast, integers become floating; poison if
   not, or for complex numbers. */
TY_API ty_tensor *ty_stirling1(ty_tensor *a, ty_tensor *b);
/* Elementwise: number of partitions of a elements into b sets, the Stirling number of the second kind; NaN
   unless both are whole and 0 <= a <= 256.  Operands broadcast, integers become floating; poison if not, or
   for complex numbers. */
TY_API ty_tensor *ty_stirling2(ty_tensor *a, ty_tensor *b);
/* Elementwise: Lambert's W, principal branch: the w >= -1 with w exp(w) = x; NaN below -1/e.  Integers become
   floating; poison for complex numbers. */
TY_API ty_tensor *ty_lambertw(ty_tensor *x);
/* Elementwise: Lambert's W, branch -1: the w <= -1 with w exp(w) = x; NaN below -1/e and above 0.  Integers
   become floating; poison for complex numbers. */
TY_API ty_tensor *ty_lambertwm1(ty_tensor *x);
/* Elementwise: polylogarithm of whole order a at b, the sum of b^k / k^a over k from 1; NaN for a outside
   -30..64 and for b > 1.  Operands broadcast, integers become floating; poison if not, or for complex
   numbers. */
TY_API ty_tensor *ty_polylog(ty_tensor *a, ty_tensor *b);
/* Elementwise: dilogarithm of 1 - x (Spence's function); NaN for x below 0.  Integers become floating; poison
   for complex numbers. */
TY_API ty_tensor *ty_spence(ty_tensor *x);
/* Elementwise: exponential integral of whole order a, of exp(-b t) / t^a from 1 to infinity; NaN for a outside
   -32..1000 and for b < 0.  Operands broadcast, integers become floating; poison if not, or for complex
   numbers. */
TY_API ty_tensor *ty_expn(ty_tensor *a, ty_tensor *b);
/* Elementwise: complete elliptic integral of the first kind of the parameter x, the square of the modulus; NaN
   above 1 and below -1e100.  Integers become floating; poison for complex numbers. */
TY_API ty_tensor *ty_ellipk(ty_tensor *x);
/* Elementwise: complete elliptic integral of the second kind of the parameter x, the square of the modulus;
   NaN above 1 and below -1e100.  Integers become floating; poison for complex numbers. */
TY_API ty_tensor *ty_ellipe(ty_tensor *x);
/* Elementwise: complete elliptic integral of the third kind, of characteristic a and parameter b; NaN where
   one is above 1, a < -16, b < -1e4.  Operands broadcast, integers become floating; poison if not, or for
   complex numbers. */
TY_API ty_tensor *ty_ellippi(ty_tensor *a, ty_tensor *b);
/* Elementwise: derivative of order a of ellipk at b; NaN for a outside 0..8.  Operands broadcast, integers
   become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_ellipk_derivative(ty_tensor *a, ty_tensor *b);
/* Elementwise: derivative of order a of ellipe at b; NaN for a outside 0..8.  Operands broadcast, integers
   become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_ellipe_derivative(ty_tensor *a, ty_tensor *b);
/* Elementwise: incomplete elliptic integral of the first kind up to the angle a, of parameter b; NaN if 1 - b
   sin^2 becomes negative, for |a| above 1e5 or |b| above 1e4.  Operands broadcast, integers become floating;
   poison if not, or for complex numbers. */
TY_API ty_tensor *ty_ellipkinc(ty_tensor *a, ty_tensor *b);
/* Elementwise: incomplete elliptic integral of the second kind up to the angle a, of parameter b; NaN where
   ellipkinc is.  Operands broadcast, integers become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_ellipeinc(ty_tensor *a, ty_tensor *b);
/* Elementwise: incomplete elliptic integral of the third kind, of 1 / ((1 - a sin^2 t) sqrt(1 - c sin^2 t))
   for t from 0 to b; NaN where ellipkinc(b, c) is, for a outside -16..1e4, and at or beyond a pole.  Operands
   broadcast, integers become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_ellippiinc(ty_tensor *a, ty_tensor *b, ty_tensor *c);
/* Elementwise: Carlson's degenerate integral R_C(a, b); for b < 0 the principal value; NaN for a < 0 and
   outside 1e-100 to 1e100.  Operands broadcast, integers become floating; poison if not, or for complex
   numbers. */
TY_API ty_tensor *ty_elliprc(ty_tensor *a, ty_tensor *b);
/* Elementwise: Carlson's integral of the first kind, R_F(a, b, c); NaN below 0 and outside 1e-100 to 1e100.
   Operands broadcast, integers become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_elliprf(ty_tensor *a, ty_tensor *b, ty_tensor *c);
/* Elementwise: Carlson's integral of the second kind, R_D(a, b, c), symmetric in a and b; NaN below 0 and
   outside 1e-100 to 1e100.  Operands broadcast, integers become floating; poison if not, or for complex
   numbers. */
TY_API ty_tensor *ty_elliprd(ty_tensor *a, ty_tensor *b, ty_tensor *c);
/* Elementwise: Carlson's integral R_G(a, b, c); NaN below 0 and outside 1e-100 to 1e100.  Operands broadcast,
   integers become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_elliprg(ty_tensor *a, ty_tensor *b, ty_tensor *c);
/* Elementwise: Jacobi's elliptic sine of a, of parameter b; NaN for |a| above 1000 and for b outside [0, 1].
   Operands broadcast, integers become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_jacobi_sn(ty_tensor *a, ty_tensor *b);
/* Elementwise: Jacobi's elliptic cosine of a, of parameter b; NaN for |a| above 1000 and for b outside [0, 1].
   Operands broadcast, integers become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_jacobi_cn(ty_tensor *a, ty_tensor *b);
/* Elementwise: Jacobi's elliptic function dn of a, of parameter b; NaN for |a| above 1000 and for b outside
   [0, 1].  Operands broadcast, integers become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_jacobi_dn(ty_tensor *a, ty_tensor *b);
/* Elementwise: Jacobi's amplitude of a, of parameter b; NaN for |a| above 1000 and for b outside [0, 1].
   Operands broadcast, integers become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_jacobi_am(ty_tensor *a, ty_tensor *b);
/* Elementwise: Fresnel integral S, of sin(pi/2 t^2) from 0 to x.  Integers become floating; poison for complex
   numbers. */
TY_API ty_tensor *ty_fresnel_s(ty_tensor *x);
/* Elementwise: Fresnel integral C, of cos(pi/2 t^2) from 0 to x.  Integers become floating; poison for complex
   numbers. */
TY_API ty_tensor *ty_fresnel_c(ty_tensor *x);
/* Elementwise: sine integral, of sin(t) / t from 0 to x.  Integers become floating; poison for complex
   numbers. */
TY_API ty_tensor *ty_sine_integral(ty_tensor *x);
/* Elementwise: cosine integral, of cos(t) / t from infinity to x; NaN below 0.  Integers become floating;
   poison for complex numbers. */
TY_API ty_tensor *ty_cosine_integral(ty_tensor *x);
/* Elementwise: hyperbolic sine integral, of sinh(t) / t from 0 to x.  Integers become floating; poison for
   complex numbers. */
TY_API ty_tensor *ty_sinh_integral(ty_tensor *x);
/* Elementwise: hyperbolic cosine integral: log x plus Euler's constant plus the integral of (cosh(t) - 1) / t
   from 0 to x; NaN below 0.  Integers become floating; poison for complex numbers. */
TY_API ty_tensor *ty_cosh_integral(ty_tensor *x);
/* Elementwise: Struve's function H of real order a at b; NaN for a outside -8..32, and for b < 0 unless a is
   whole.  Operands broadcast, integers become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_struve(ty_tensor *a, ty_tensor *b);
/* Elementwise: modified Struve's function L of real order a at b; NaN for a outside -8..32, and for b < 0
   unless a is whole.  Operands broadcast, integers become floating; poison if not, or for complex numbers. */
TY_API ty_tensor *ty_modstruve(ty_tensor *a, ty_tensor *b);
