/*
 * Special functions and random draws against PyTorch (torch.special, torch.distributions' kernels) and NumPy. NumPy's
 * only special function is i0; its draws come from numpy.random.
 */
#include "bench/support/harness.h"

enum { N = 1 << 20 };

#define F64(low, high)                                                                                       \
    { TY_F64, 1, {N}, low, high }
#define F32(low, high)                                                                                       \
    { TY_F32, 1, {N}, low, high }
#define RUN(name, value)                                                                                     \
    static ty_tensor *name(ty_tensor *const *x) { return value; }

RUN(gamma_of, ty_lgamma(x[0]))
RUN(digamma_of, ty_digamma(x[0]))
RUN(erfinv_of, ty_erfinv(x[0]))
RUN(erfcx_of, ty_erfcx(x[0]))
RUN(ndtri_of, ty_ndtri(x[0]))
RUN(i0_of, ty_i0(x[0]))
RUN(i1e_of, ty_i1e(x[0]))
RUN(j0_of, ty_j0(x[0]))
RUN(k1_of, ty_k1(x[0]))
RUN(zeta_of, ty_zeta(x[0], x[1]))
RUN(gammainc_of, ty_gammainc(x[0], x[1]))
RUN(logaddexp_of, ty_logaddexp(x[0], x[1]))
RUN(xlogy_of, ty_xlogy(x[0], x[1]))
RUN(sinc_of, ty_sinc(x[0]))
RUN(logit_of, ty_logit(x[0]))
RUN(gcd_of, ty_gcd(x[0], x[1]))
RUN(randint_draw, ((void)x, ty_randint(TY_I64, TY_SHAPE(N), ty_int(0), ty_int(1000), ty_key(1))))
RUN(gamma_draw, ty_random_gamma(TY_F64, TY_SHAPE(N), x[0], ty_key(1)))
RUN(poisson_draw, ty_poisson(TY_F64, TY_SHAPE(N), x[0], ty_key(1)))
RUN(exponential_draw, ((void)x, ty_exponential(TY_F64, TY_SHAPE(N), ty_num(2), ty_key(1))))

static const struct bench_case cases[] = {
    {"lgamma f64", 1, {F64(0.1, 20)}, gamma_of, NULL, "torch.lgamma(a)", 0, BENCH_NO_ROOF},
    {"digamma f64", 1, {F64(0.1, 20)}, digamma_of, NULL, "torch.digamma(a)", 0, BENCH_NO_ROOF},
    {"erfinv f64", 1, {F64(-1, 1)}, erfinv_of, NULL, "torch.erfinv(a)", 0, BENCH_NO_ROOF},
    {"erfinv f32", 1, {F32(-1, 1)}, erfinv_of, NULL, "torch.erfinv(a)", 0, BENCH_NO_ROOF},
    {"erfcx f64", 1, {F64(-2, 9)}, erfcx_of, NULL, "torch.special.erfcx(a)", 0, BENCH_NO_ROOF},
    {"ndtri f64", 1, {F64(0, 1)}, ndtri_of, NULL, "torch.special.ndtri(a)", 0, BENCH_NO_ROOF},
    {"i0 f64", 1, {F64(-20, 20)}, i0_of, "np.i0(a)", "torch.special.i0(a)", 0, BENCH_NO_ROOF},
    {"i1e f64", 1, {F64(-20, 20)}, i1e_of, NULL, "torch.special.i1e(a)", 0, BENCH_NO_ROOF},
    {"j0 f64", 1, {F64(-20, 20)}, j0_of, NULL, "torch.special.bessel_j0(a)", 0, BENCH_NO_ROOF},
    {"k1 f64", 1, {F64(0.1, 20)}, k1_of, NULL, "torch.special.modified_bessel_k1(a)", 0, BENCH_NO_ROOF},
    {"zeta f64", 2, {F64(1.5, 4), F64(0.5, 4)}, zeta_of, NULL, "torch.special.zeta(a, b)", 0, BENCH_NO_ROOF},
    {"gammainc f64",
     2,
     {F64(0.5, 9), F64(0.5, 9)},
     gammainc_of,
     NULL,
     "torch.special.gammainc(a, b)",
     0,
     BENCH_NO_ROOF},
    {"logaddexp f64",
     2,
     {F64(-9, 9), F64(-9, 9)},
     logaddexp_of,
     "np.logaddexp(a, b)",
     "torch.logaddexp(a, b)",
     0,
     BENCH_NO_ROOF},
    {"xlogy f64", 2, {F64(0, 1), F64(0, 1)}, xlogy_of, NULL, "torch.xlogy(a, b)", 0, BENCH_NO_ROOF},
    {"sinc f64", 1, {F64(-9, 9)}, sinc_of, "np.sinc(a)", "torch.sinc(a)", 0, BENCH_NO_ROOF},
    {"logit f64", 1, {F64(0, 1)}, logit_of, NULL, "torch.logit(a)", 0, BENCH_NO_ROOF},
    {"gcd i64",
     2,
     {{TY_I64, 1, {N}, 0, 1e6}, {TY_I64, 1, {N}, 0, 1e6}},
     gcd_of,
     "np.gcd(a, b)",
     "torch.gcd(a, b)",
     0,
     BENCH_NO_ROOF},
    {"draw randint",
     1,
     {F64(0, 1)},
     randint_draw,
     "np.random.randint(0, 1000, a.shape)",
     "torch.randint(0, 1000, a.shape)",
     0,
     BENCH_NO_ROOF},
    {"draw gamma",
     1,
     {F64(0.5, 9)},
     gamma_draw,
     "np.random.standard_gamma(a)",
     "torch._standard_gamma(a)",
     0,
     BENCH_NO_ROOF},
    {"draw poisson",
     1,
     {F64(0.5, 40)},
     poisson_draw,
     "np.random.poisson(a)",
     "torch.poisson(a)",
     0,
     BENCH_NO_ROOF},
    {"draw exponential",
     1,
     {F64(0, 1)},
     exponential_draw,
     "np.random.exponential(2, a.shape)",
     "torch.empty_like(a).exponential_(0.5)",
     0,
     BENCH_NO_ROOF}};

int main(int argc, char **argv) {
    struct bench *b = bench_open(argc, argv, "special functions and random draws");
    if (!b) return 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) bench_case(b, &cases[i]);
    return bench_close(b);
}
