/* One use of each structural operator: the functions that operators.def calls, and its table. */
#include "tests/support/samples/operator_samples.h"

#include <math.h>
#include <string.h>

#include "array/tensor.h"
#include "tests/support/bodies.h"
#include "tests/support/compare.h"
#include "tests/support/samples/few_bits_samples.h"

static ty_tensor *pooled(ty_tensor *x) { return ty_max_pool2d(x, (ty_pool){.size = {2, 2}}); }

static ty_tensor *averaged(ty_tensor *x) { return ty_avg_pool2d(x, (ty_pool){.size = {2, 2}}); }

static ty_tensor *windowed(ty_tensor *x) { return ty_window(x, 1, 2, 1, 1); }

/* Return the gradient of f for an incoming gradient *g that is a variable, so that nothing is constant. */
static ty_tensor *gradient_by(ty_tensor *(*f)(ty_tensor *x), ty_tensor *x, ty_tensor **g) {
    ty_tensor *v = ty_is_promise(x) || x->tracked ? x : ty_track(x, "x"), *y = f(v), *gradient;
    ty_tensor *ones = ty_ones(ty_dtype_of(y), ty_rank(y), ty_shape(y));
    *g = ty_is_promise(x) ? ty_var(ones, "g") : ty_track(ones, "g");
    ty_vjp(y, *g, 1, &v, &gradient);
    return gradient;
}

static ty_tensor *gradient_of(ty_tensor *(*f)(ty_tensor *x), ty_tensor *x) {
    ty_tensor *g;
    return gradient_by(f, x, &g);
}

static ty_tensor *gradient_twice_of(ty_tensor *(*f)(ty_tensor *x), ty_tensor *x) {
    ty_tensor *g, *first = gradient_by(f, x, &g), *second;
    ty_vjp(first, x, 1, &g, &second);
    return second;
}

static ty_tensor *enlarged(ty_tensor *x) { return ty_upsample(x, 2, TY_LINEAR, true); }

/* Return an image sampled at the points of the grid x. */
static ty_tensor *sampled_at(ty_tensor *grid) {
    ty_tensor *image = ty_iota(TY_F32, 4, (int64_t[]){1, 1, 4, 4}, 3);
    return ty_grid_sample(image, ty_reshape(grid, 4, (int64_t[]){1, 2, 4, 2}),
                          (ty_grid_options){.sampling = TY_LINEAR});
}

static ty_tensor *gradient_by_grid(ty_tensor *x) { return gradient_of(sampled_at, x); }

/* Return a sparse matrix of 6 rows, one of them empty, with x's elements as values. */
static ty_sparse sparse_of(ty_tensor *x, bool csr) {
    ty_tensor *indices =
        ty_from(TY_I32, TY_SHAPE(16), (int32_t[]){0, 5, 1, 0, 1, 2, 2, 4, 4, 4, 0, 3, 5, 1, 0, 4});
    ty_tensor *starts = ty_from(TY_I64, TY_SHAPE(7), (int64_t[]){0, 2, 5, 7, 7, 10, 16}),
              *values = ty_reshape(x, TY_SHAPE(16));
    return csr ? ty_sparse_csr(values, indices, starts, 6) : ty_sparse_csc(values, indices, starts, 6);
}
static ty_tensor *sparse_samples(ty_tensor *x, bool csr, bool solves) {
    ty_tensor *v = ty_slice(ty_reshape(x, TY_SHAPE(8, 2)), 0, 0, 6, 1);
    return solves ? ty_sparse_triangular_solve(sparse_of(x, csr), v, false, true)
                  : ty_sparse_matmul(sparse_of(x, csr), v);
}
static ty_tensor *sparse_by_values(ty_tensor *x) {
    return ty_sparse_matmul(sparse_of(x, true), ty_steps(TY_F32, 1, 0.5, 6));
}

/* Return x times a matrix of numbers of 4 bits. */
static ty_tensor *few_bits_by(ty_tensor *x) {
    uint8_t codes[48];
    for (int i = 0; i < 48; i++) codes[i] = (uint8_t)(i * 37 + 11);
    struct few_bits p = {.codes = ty_from(TY_U8, TY_SHAPE(24, 2), (const void *)codes),
                         .table = few_bits_table_of(4, TABLE_OTHER),
                         .a = ty_reshape(x, TY_SHAPE(4, 4)),
                         .scale = ty_reshape(ty_steps(TY_F32, 1, 0.5, 24), TY_SHAPE(24, 1)),
                         .bits = 4,
                         .block = 8};
    return few_bits_record(&p);
}

/* Return a symmetric positive definite matrix from x's 16 elements. */
static ty_tensor *samples_square(ty_tensor *x) {
    ty_tensor *a = ty_reshape(x, TY_SHAPE(4, 4)), *one = ty_from(TY_F32, TY_SHAPE(4), (float[]){5, 4, 3, 2});
    return ty_add(ty_add(ty_mul(a, ty_num(0.05)), ty_mul(ty_transpose(a), ty_num(0.05))), ty_diag(one, 0));
}

/* Return the product of the factors, since factors are not unique. */
static ty_tensor *samples_schur(ty_tensor *a) {
    ty_schur_parts f = ty_schur(ty_cast(a, TY_C128), TY_EIGEN_RIGHT);
    return ty_mul(ty_matmul(ty_matmul(f.z, f.t), ty_conj(ty_transpose(f.z))), ty_num(0.01));
}
static ty_tensor *samples_hessenberg(ty_tensor *a) {
    ty_hessenberg_parts f = ty_hessenberg(a);
    return ty_mul(ty_matmul(ty_matmul(f.q, f.h), ty_conj(ty_transpose(f.q))), ty_num(0.01));
}
static ty_tensor *samples_qz(ty_tensor *a) {
    ty_qz_parts f = ty_qz(ty_cast(a, TY_C128), ty_eye(TY_C128, 4), TY_UNORDERED);
    return ty_mul(ty_matmul(ty_matmul(f.q, f.s), ty_conj(ty_transpose(f.z))), ty_num(0.01));
}

#define SAMPLE(name, expression)                                                                             \
    static ty_tensor *sample_##name(ty_tensor *x) { return expression; }
#include "tests/support/samples/operators.def"

const struct operator_sample operator_samples[] = {
#define SAMPLE(name, expression) {#name, sample_##name},
#include "tests/support/samples/operators.def"
};
const int operator_sample_count = (int)(sizeof operator_samples / sizeof *operator_samples);

void operator_sample_compare(const struct operator_sample *sample, ty_dtype dtype, ty_tensor *got,
                             ty_tensor *want) {
    static const char *const rounded[] = {"cholesky", "solve", "triangular_solve", "inv", "qr",
                                          "eigh",     "svd",   "hessenberg",       "fft", "rfft",
                                          "irfft"};
    bool rounds = false;
    for (size_t i = 0; i < sizeof rounded / sizeof *rounded; i++)
        rounds = rounds || !strcmp(rounded[i], sample->name);
    if (!rounds) {
        compare_bits(got, want, "%s %s", sample->name, ty_dtype_name(dtype));
        return;
    }
    double unit = ldexp(1, -dtype_table[ty_dtype_of(want)].digits);
    compare_near(got, want, 100 * unit, 100 * unit, "%s %s", sample->name, ty_dtype_name(dtype));
}

ty_tensor *(*operator_sample_of(const char *name))(ty_tensor *x) {
    for (int i = 0; i < operator_sample_count; i++)
        if (!strcmp(operator_samples[i].name, name)) return operator_samples[i].run;
    return NULL;
}
