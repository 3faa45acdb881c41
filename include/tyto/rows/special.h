/* Made by ./dev docs from special.def: operators that act on each element of operands that broadcast. */
/* Elementwise: error function. */
TY_API ty_tensor *ty_erf(ty_tensor *x);
/* Elementwise: 1 - erf(x), exact for large x. */
TY_API ty_tensor *ty_erfc(ty_tensor *x);
/* Elementwise: log |Gamma(x)|. */
TY_API ty_tensor *ty_lgamma(ty_tensor *x);
/* Elementwise: gamma function, (x - 1)! at whole numbers; NaN at negative ones. */
TY_API ty_tensor *ty_gamma(ty_tensor *x);
/* Elementwise: derivative of lgamma; NaN at negative whole numbers. */
TY_API ty_tensor *ty_digamma(ty_tensor *x);
/* Elementwise: second derivative of lgamma. */
TY_API ty_tensor *ty_trigamma(ty_tensor *x);
/* Elementwise: inverse of erf; NaN outside [-1, 1]. */
TY_API ty_tensor *ty_erfinv(ty_tensor *x);
/* Elementwise: inverse of erfc; NaN outside [0, 2]. */
TY_API ty_tensor *ty_erfcinv(ty_tensor *x);
/* Elementwise: exp(x * x) erfc(x), without underflow. */
TY_API ty_tensor *ty_erfcx(ty_tensor *x);
/* Elementwise: probability that a normal number is below x. */
TY_API ty_tensor *ty_ndtr(ty_tensor *x);
/* Elementwise: log of ndtr, without underflow. */
TY_API ty_tensor *ty_log_ndtr(ty_tensor *x);
/* Elementwise: inverse of ndtr; NaN outside [0, 1]. */
TY_API ty_tensor *ty_ndtri(ty_tensor *x);
/* Elementwise: Dawson's integral, exp(-x * x) times the integral of exp(t * t) from 0 to x. */
TY_API ty_tensor *ty_dawson(ty_tensor *x);
/* Elementwise: modified Bessel function of the first kind, order 0. */
TY_API ty_tensor *ty_i0(ty_tensor *x);
/* Elementwise: modified Bessel function of the first kind, order 1. */
TY_API ty_tensor *ty_i1(ty_tensor *x);
/* Elementwise: exp(-|x|) i0(x). */
TY_API ty_tensor *ty_i0e(ty_tensor *x);
/* Elementwise: exp(-|x|) i1(x). */
TY_API ty_tensor *ty_i1e(ty_tensor *x);
/* Elementwise: Bessel function of the first kind, order 0. */
TY_API ty_tensor *ty_j0(ty_tensor *x);
/* Elementwise: Bessel function of the first kind, order 1. */
TY_API ty_tensor *ty_j1(ty_tensor *x);
/* Elementwise: Bessel function of the second kind, order 0; NaN below 0. */
TY_API ty_tensor *ty_y0(ty_tensor *x);
/* Elementwise: Bessel function of the second kind, order 1; NaN below 0. */
TY_API ty_tensor *ty_y1(ty_tensor *x);
/* Elementwise: modified Bessel function of the second kind, order 0; NaN below 0. */
TY_API ty_tensor *ty_k0(ty_tensor *x);
/* Elementwise: modified Bessel function of the second kind, order 1; NaN below 0. */
TY_API ty_tensor *ty_k1(ty_tensor *x);
/* Elementwise: exponential integral E1, of exp(-t) / t from x on; NaN below 0. */
TY_API ty_tensor *ty_expint_e1(ty_tensor *x);
/* Elementwise: exponential integral Ei, of exp(t) / t up to x. */
TY_API ty_tensor *ty_expint_ei(ty_tensor *x);
/* Elementwise: derivative number a + 1 of lgamma at b. */
TY_API ty_tensor *ty_polygamma(ty_tensor *a, ty_tensor *b);
/* Elementwise: Hurwitz' zeta function, the sum of (k + b)^-a; Riemann's for b = 1; NaN for a < 1 or b < 0. */
TY_API ty_tensor *ty_zeta(ty_tensor *a, ty_tensor *b);
/* Elementwise: log of beta(a, b); NaN below 0. */
TY_API ty_tensor *ty_lbeta(ty_tensor *a, ty_tensor *b);
/* Elementwise: gamma(a) gamma(b) / gamma(a + b); NaN below 0. */
TY_API ty_tensor *ty_beta(ty_tensor *a, ty_tensor *b);
/* Elementwise: regularised lower incomplete gamma function P(a, b). */
TY_API ty_tensor *ty_gammainc(ty_tensor *a, ty_tensor *b);
/* Elementwise: regularised upper incomplete gamma function Q(a, b) = 1 - P(a, b). */
TY_API ty_tensor *ty_gammaincc(ty_tensor *a, ty_tensor *b);
/* Elementwise: log of gammainc(a, b), without underflow. */
TY_API ty_tensor *ty_log_gammainc(ty_tensor *a, ty_tensor *b);
/* Elementwise: log of gammaincc(a, b), without underflow. */
TY_API ty_tensor *ty_log_gammaincc(ty_tensor *a, ty_tensor *b);
/* Elementwise: regularised incomplete beta function I_c(a, b); NaN outside [0, 1]. */
TY_API ty_tensor *ty_betainc(ty_tensor *a, ty_tensor *b, ty_tensor *c);
/* Elementwise: 1 - betainc(a, b, c), which does not cancel; NaN outside [0, 1]. */
TY_API ty_tensor *ty_betaincc(ty_tensor *a, ty_tensor *b, ty_tensor *c);
/* Elementwise: log of betainc(a, b, c), without underflow; NaN outside [0, 1]. */
TY_API ty_tensor *ty_log_betainc(ty_tensor *a, ty_tensor *b, ty_tensor *c);
/* Elementwise: log of betaincc(a, b, c), without underflow; NaN outside [0, 1]. */
TY_API ty_tensor *ty_log_betaincc(ty_tensor *a, ty_tensor *b, ty_tensor *c);
/* Elementwise: Bessel function of the first kind, of order a, rounded toward 0; NaN beyond order 128. */
TY_API ty_tensor *ty_jn(ty_tensor *a, ty_tensor *b);
/* Elementwise: modified Bessel function of the first kind, of order a, rounded toward 0; NaN beyond order 128.
   */
TY_API ty_tensor *ty_in(ty_tensor *a, ty_tensor *b);
/* Elementwise: exp(-|b|) in(a, b). */
TY_API ty_tensor *ty_ine(ty_tensor *a, ty_tensor *b);
/* Elementwise: derivative number a of sinc at b; NaN below order 0 and beyond 128. */
TY_API ty_tensor *ty_sinc_derivative(ty_tensor *a, ty_tensor *b);
