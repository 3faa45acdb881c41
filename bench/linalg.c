/* Linear algebra against NumPy and SciPy, which call OpenBLAS's LAPACK, and PyTorch: ./dev bench linalg. */
#include <stdio.h>
#include "bench/support/harness.h"

/* Return a positive definite matrix made from x, cached for the last x. */
static ty_tensor *definite(ty_tensor *x) {
    static const void *of;
    static ty_tensor *made;
    if (of != ty_data(x)) {
        if (made) ty_release(made);
        int64_t n = ty_shape(x)[ty_rank(x) - 1];
        ty_scope *scope = ty_open();
        made = ty_retain(
            ty_eval(ty_add(ty_matmul(x, ty_transpose(x)), ty_mul(ty_eye(TY_F64, n), ty_num((double)n)))));
        ty_close(scope);
        of = ty_data(x);
    }
    return made;
}

/* Functions with several results return one, which the harness waits for; all are computed. */
static ty_tensor *solves(ty_tensor *const *x) { return ty_solve(x[0], x[1]); }
static ty_tensor *inverts(ty_tensor *const *x) { return ty_inv(x[0]); }
static ty_tensor *factors(ty_tensor *const *x) { return ty_lu(x[0]).u; }
static ty_tensor *determines(ty_tensor *const *x) { return ty_det(x[0]); }
static ty_tensor *roots(ty_tensor *const *x) { return ty_cholesky(definite(x[0])); }
static ty_tensor *reflects(ty_tensor *const *x) { return ty_qr(x[0], false).r; }
static ty_tensor *turns(ty_tensor *const *x) { return ty_eigh(x[0]).vectors; }
static ty_tensor *singulars(ty_tensor *const *x) { return ty_svd(x[0], false).vh; }
static ty_tensor *eigens(ty_tensor *const *x) { return ty_eig(x[0]).vectors; }
static ty_tensor *exponentiates(ty_tensor *const *x) { return ty_expm(x[0]); }

#define SCIPY "__import__('scipy.linalg', fromlist=['_'])."
#define DEFINITE                                                                                             \
    "(d if 'd' in globals() else globals().setdefault('d', a @ a.swapaxes(-1, -2) + a.shape[-1] * "          \
    "np.eye(a.shape[-1])))"
#define TORCH_DEFINITE                                                                                       \
    "(d if 'd' in globals() else globals().setdefault('d', a @ a.mT + a.shape[-1] * "                        \
    "torch.eye(a.shape[-1], dtype=torch.float64)))"

struct work {
    const char *name;
    ty_tensor *(*run)(ty_tensor *const *x);
    const char *numpy, *torch;
    double flops; /* in units of n^3; 0: unknown */
};

static const struct work large[] = {
    {"solve", solves, SCIPY "solve(a, b)", "torch.linalg.solve(a, b)", 2 / 3.0},
    {"lu", factors, SCIPY "lu_factor(a)", "torch.linalg.lu_factor(a)[0]", 2 / 3.0},
    {"det", determines, "np.linalg.det(a)", "torch.linalg.det(a)", 2 / 3.0},
    {"inv", inverts, SCIPY "inv(a)", "torch.linalg.inv(a)", 2},
    {"cholesky", roots, SCIPY "cholesky(" DEFINITE ", lower=True)",
     "torch.linalg.cholesky(" TORCH_DEFINITE ")", 1 / 3.0},
    {"qr", reflects, SCIPY "qr(a, mode='economic')", "torch.linalg.qr(a)[1]", 8 / 3.0},
    {"eigh", turns, SCIPY "eigh(a, driver='evd')", "torch.linalg.eigh(a)[1]", 0},
    {"svd", singulars, SCIPY "svd(a, full_matrices=False)", "torch.linalg.svd(a, full_matrices=False)[2]", 0},
    {"eig", eigens, SCIPY "eig(a)", "torch.linalg.eig(a)[1]", 0},
    {"expm", exponentiates, SCIPY "expm(a)", "torch.linalg.matrix_exp(a)", 0},
};

static const struct work small[] = {
    {"inv", inverts, "np.linalg.inv(a)", "torch.linalg.inv(a)", 2},
    {"solve", solves, "np.linalg.solve(a, b)", "torch.linalg.solve(a, b)", 2 / 3.0},
    {"det", determines, "np.linalg.det(a)", "torch.linalg.det(a)", 2 / 3.0},
    {"cholesky", roots, "np.linalg.cholesky(" DEFINITE ")", "torch.linalg.cholesky(" TORCH_DEFINITE ")",
     1 / 3.0},
    {"eigh", turns, "np.linalg.eigh(a)", "torch.linalg.eigh(a)[1]", 0},
    {"svd", singulars, "np.linalg.svd(a, full_matrices=False)", "torch.linalg.svd(a, full_matrices=False)[2]",
     0},
    {"qr", reflects, "np.linalg.qr(a)", "torch.linalg.qr(a)[1]", 0},
};

/* Run the functions on matrices of one size; count 0: one matrix, not a batch. */
static void cases(struct bench *b, const struct work *works, size_t n, int64_t count, int64_t side) {
    for (size_t i = 0; i < n; i++) {
        char name[64];
        const struct work *w = &works[i];
        if (count)
            snprintf(name, sizeof name, "%s %lldx%lldx%lld", w->name, (long long)count, (long long)side,
                     (long long)side);
        else
            snprintf(name, sizeof name, "%s %lld", w->name, (long long)side);
        struct bench_input a = {TY_F64, count ? 3 : 2, {count, side, side}, -0.1, 0.1},
                           right = {TY_F64, count ? 3 : 2, {count, side, 1}, 0, 1};
        if (!count) a.shape[0] = side, a.shape[1] = side, right.shape[0] = side, right.shape[1] = 1;
        bench_case(b, &(struct bench_case){.name = name,
                                           .ninputs = w->run == solves ? 2 : 1,
                                           .inputs = {a, right},
                                           .run = w->run,
                                           .numpy = w->numpy,
                                           .torch = w->torch,
                                           .flops = w->flops * (double)(count ? count : 1) *
                                                    (double)(side * side * side),
                                           .roof = BENCH_NO_ROOF});
    }
}

int main(int argc, char **argv) {
    struct bench *b = bench_open(argc, argv, "linalg");
    if (!b) return 1;
    cases(b, large, sizeof large / sizeof *large, 0, 512);
    if (!bench_quick(b)) cases(b, large, 6, 0, 1500);
    cases(b, small, sizeof small / sizeof *small, 10000, 8);
    if (!bench_quick(b)) cases(b, small, sizeof small / sizeof *small, 1000, 24);
    return bench_close(b);
}
