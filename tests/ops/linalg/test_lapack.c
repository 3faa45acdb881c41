/* LAPACK with TY_LAPACK=1: residuals, bits, the message if it cannot be opened, forks. Without LAPACK only
   the message is tested. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "tests/support/child.h"
#include "tests/support/samples/matrices.h"

__attribute__((constructor)) static void ask(void) { setenv("TY_LAPACK", "1", 1); }

enum { SIDE = 140 }; /* LAPACK is used for sizes from 128 */
static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_C64, TY_C128};

static bool is_there(void) {
    ty_tensor *w = ty_eigvals(ty_eye(TY_F64, SIDE));
    if (!ty_ok(w)) CHECK(strstr(ty_error(w), "TY_LAPACK=1 requests LAPACK"), "%s", ty_error(w));
    return ty_ok(w);
}

/* A failed attempt to open LAPACK, for lack of descriptors, is repeated later. */
static void not_remembered(void) {
    struct rlimit before, none;
    ty_tensor *a = ty_mul(ty_eye(TY_F64, SIDE), ty_num(2));
    CHECK_OK(a);
    if (getrlimit(RLIMIT_NOFILE, &before) || test_starving()) return;
    none = before;
    none.rlim_cur = 4;
    CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0, "a limit");
    ty_tensor *refused = ty_eigvals(a);
    CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0, "the limit as it was");
    CHECK_POISON(refused, "TY_LAPACK=1 requests LAPACK");
    if (is_there())
        compare_bits(ty_real(CHECK_OK(ty_eigvals(a))), ty_full(TY_F64, TY_SHAPE(SIDE), 2), "now there");
}

static void check_residuals(ty_dtype dtype) {
    ty_tensor *a = matrix_of(USUAL, dtype, SIDE, SIDE), *b = matrix_of(USUAL, dtype, SIDE, SIDE);
    ty_eigen_parts e = ty_eig(a), h = ty_eigh(ty_add(a, adjoint_of(a)));
    compare_residual(product(a, CHECK_OK(e.vectors)), ty_mul(wide(e.vectors), wide(e.values)), a, SIDE, dtype,
                     "av - vl");
    compare_residual(product(ty_add(a, adjoint_of(a)), CHECK_OK(h.vectors)),
                     ty_mul(wide(h.vectors), wide(h.values)), a, 2 * SIDE, dtype, "hermitian av - vl");
    ty_svd_parts s = ty_svd(ty_slice(a, 1, 0, 100, 1), true);
    check_orthonormal(CHECK_OK(s.u), dtype, "u");
    compare_residual(product(ty_mul(wide(ty_slice(s.u, 1, 0, 100, 1)), wide(s.s)), s.vh),
                     ty_slice(a, 1, 0, 100, 1), a, SIDE, dtype, "a - usv^H");
    ty_schur_parts f = ty_schur(a, TY_EIGEN_LEFT);
    compare_residual(product(product(CHECK_OK(f.z), f.t), adjoint_of(f.z)), a, a, SIDE, dtype, "a - ztz^H");
    ty_hessenberg_parts g = ty_hessenberg(a);
    compare_residual(product(product(CHECK_OK(g.q), g.h), adjoint_of(g.q)), a, a, SIDE, dtype, "a - qhq^H");
    ty_qz_parts q = ty_qz(a, b, TY_EIGEN_INSIDE);
    compare_residual(product(product(CHECK_OK(q.q), q.s), adjoint_of(q.z)), a, a, SIDE, dtype, "a - qsz^H");
    ty_tensor *nan = ty_set_at(a, "2, 1", ty_num(NAN));
    CHECK(ty_item(ty_all(ty_is_nan(CHECK_OK(ty_eigvals(nan))), TY_ALL)) == 1, "NaN stays outside");
}

static void residuals(void) {
    for (int d = 0; d < 4 && is_there(); d++) {
        struct test_round round = test_round();
        check_residuals(dtypes[d]);
        test_round_end(round);
    }
}

/* A batch gives the results of its matrices, for any number of threads. */
static void bits(void) {
    if (!is_there()) return;
    ty_tensor *one[5];
    for (int i = 0; i < 5; i++) one[i] = matrix_of(USUAL, TY_F64, SIDE, SIDE);
    ty_tensor *all = ty_stack(5, one, 0), *want = CHECK_OK(ty_eigvalsh(all));
    for (int threads = 1; threads < 5; threads++) {
        ty_set_threads(threads);
        compare_bits(CHECK_OK(ty_eigvalsh(all)), want, "with %d threads", threads);
    }
    compare_bits(ty_squeeze(ty_slice(want, 0, 3, 4, 1), 0), CHECK_OK(ty_eigvalsh(one[3])), "one of a batch");
}

static void forks(void) {
    if (!is_there() || test_starving()) return;
    ty_tensor *a = ty_mul(ty_eye(TY_F64, SIDE), ty_num(2));
    pid_t id = fork();
    if (id == 0) _exit(ty_item(ty_sum(ty_eigvalsh(a), TY_ALL)) == 2 * SIDE ? 0 : 1);
    CHECK(child_status(id) == 0, "the child of a fork");
}

TESTS_MAIN(TEST(not_remembered), TEST(residuals), TEST(bits), TEST(forks))
