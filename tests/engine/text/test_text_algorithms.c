/*
 * Algorithms as texts compute the same as cpu: kernels of each that are large enough for all of its steps, in drawn
 * dtypes and sizes, run by OpenCL and as C99.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/algorithm/algorithm.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/few_bits_samples.h"
#include "tests/support/samples/sample.h"
#include "tests/support/text_engine.h"

static const ty_dtype reals[] = {TY_F32, TY_F64, TY_F16, TY_BF16};
static const ty_dtype numbers[] = {TY_F32, TY_F64, TY_F16, TY_BF16, TY_I8,  TY_I16,
                                   TY_I32, TY_I64, TY_U8,  TY_U16,  TY_U32, TY_U64};
static const ty_dtype ordered[] = {TY_F32, TY_F64, TY_F16, TY_BF16, TY_I8,  TY_I16, TY_I32,
                                   TY_I64, TY_U8,  TY_U16, TY_U32,  TY_U64, TY_C64, TY_C128};
#define ONE_OF(dtypes) dtypes[test_between(0, (int)(sizeof dtypes / sizeof *dtypes) - 1)]

/* The device of the operators from now on; NULL: cpu. */
static struct device *there;
static void now(void) {
    if (there) text_engine_use(there);
}

/* ---- one case for each algorithm: operands are drawn and computed by cpu ---- */

/* Return numbers with ties, zeros of both signs, infinities and, of floats, NaN. */
static ty_tensor *messy(ty_dtype dtype, int rank, const int64_t *shape) {
    ty_dtype real = dtype == TY_C64 ? TY_F32 : dtype == TY_C128 ? TY_F64 : dtype;
    if (real != dtype) return ty_from_parts(messy(real, rank, shape), messy(real, rank, shape));
    ty_tensor *x = ty_cast(ty_floor(sample_shape(TY_F32, rank, shape, -9, 9)), dtype);
    if (dtype != TY_F32 && dtype != TY_F64 && dtype != TY_F16 && dtype != TY_BF16) return x;
    ty_tensor *zero = ty_mul(x, ty_num(0));
    x = ty_where(ty_eq(x, ty_num(7)), ty_div(ty_num(1), zero), x);
    return ty_where(ty_eq(x, ty_num(-8)), ty_div(zero, zero), ty_where(ty_eq(x, ty_num(3)), zero, x));
}
static ty_tensor *sorts(void) {
    int64_t n[] = {1, 2, 31, 32, 33, 64, 65, 97, 300}, lines = test_between(1, 3),
            size = n[test_between(0, 8)];
    ty_tensor *x = messy(ONE_OF(ordered), 2, (int64_t[]){lines, size});
    bool across = test_between(0, 1), places = test_between(0, 1), descending = test_between(0, 1);
    if (across) x = ty_transpose(x);
    now();
    return places ? ty_argsort(x, across ? 0 : 1, descending) : ty_sort(x, across ? 0 : 1, descending);
}
static ty_tensor *searches(void) {
    ty_dtype dtype = ONE_OF(ordered);
    ty_tensor *sorted = ty_sort(messy(dtype, 2, (int64_t[]){2, test_between(1, 70)}), 1, false);
    ty_tensor *x = messy(dtype, 3, (int64_t[]){2, 3, 5});
    bool right = test_between(0, 1);
    now();
    return ty_searchsorted(sorted, x, right);
}
static ty_tensor *nonzeros(void) {
    ty_tensor *x =
        sample_shape(ONE_OF(numbers), 3, (int64_t[]){3, test_between(1, 9), test_between(1, 60)}, -2, 2);
    x = ty_ne(test_between(0, 1) ? ty_permute(x, (int[]){2, 0, 1}) : x, ty_num(0));
    now();
    return ty_nonzero(x);
}
static ty_tensor *suppresses(void) {
    int64_t boxes = test_between(1, 40);
    ty_tensor *x = sample_shape(TY_F32, 3, (int64_t[]){2, boxes, 4}, 0, 9);
    ty_tensor *scores = sample_shape(TY_F32, 3, (int64_t[]){2, 3, boxes}, 0, 1);
    ty_nms_options options = {.most = test_between(1, 12), .overlap = 0.3, .score = 0.1};
    now();
    return ty_nms_padded(x, scores, options);
}
static ty_tensor *filters(void) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_F16, TY_BF16, TY_C64, TY_C128};
    ty_dtype dtype = ONE_OF(dtypes);
    int axis = (int)test_between(0, 2);
    ty_tensor *x = sample_shape(dtype, 3, (int64_t[]){3, 9, test_between(1, 20)}, -1, 1);
    ty_tensor *b = sample_shape(dtype, 1, (int64_t[]){test_between(1, 12)}, -1, 1);
    ty_tensor *a = sample_shape(dtype, 1, (int64_t[]){test_between(1, 12)}, 0.01, 0.05);
    a = ty_concat(2, (ty_tensor *[]){ty_ones(dtype, TY_SHAPE(1)), a}, 0);
    if (test_between(0, 1)) x = ty_flip(x, axis);
    now();
    return ty_filter(b, a, x, axis);
}
static ty_tensor *key(void) { return ty_key(test_random()); }
static ty_tensor *integers(void) {
    static const ty_dtype wholes[] = {TY_I8, TY_I32, TY_I64, TY_U8, TY_U32, TY_U64};
    ty_dtype dtype = ONE_OF(wholes);
    ty_tensor *low = ty_from(TY_I64, TY_SHAPE(2, 1), (int64_t[]){3, 90}), *k = key();
    now();
    return ty_randint(dtype, TY_SHAPE(2, 60), low, ty_int(100), k);
}
static ty_tensor *permutations(void) {
    int64_t n = test_between(1, 90);
    ty_tensor *k = key();
    now();
    return ty_permutation(n, k);
}
static ty_tensor *gammas(void) {
    ty_tensor *shape = ty_from(TY_F64, TY_SHAPE(4, 1), (double[]){0, 0.3, 1, 80}), *k = key();
    ty_dtype dtype = ONE_OF(reals);
    now();
    return ty_random_gamma(dtype, TY_SHAPE(4, 30), shape, k);
}
static ty_tensor *betas(void) {
    ty_tensor *a = ty_from(TY_F64, TY_SHAPE(3, 1), (double[]){0.01, 2, 70}), *k = key();
    ty_dtype dtype = ONE_OF(reals);
    now();
    return ty_random_beta(dtype, TY_SHAPE(3, 30), a, ty_num(0.7), k);
}
static ty_tensor *poissons(void) {
    ty_tensor *rate = ty_from(TY_F64, TY_SHAPE(3, 1), (double[]){0, 3, 30}), *k = key();
    ty_dtype dtype = ONE_OF(numbers);
    now();
    return ty_poisson(dtype, TY_SHAPE(3, 30), rate, k);
}
static ty_tensor *binomials(void) {
    ty_tensor *n = ty_from(TY_F64, TY_SHAPE(3, 1), (double[]){5, 100, 1e6}), *k = key();
    ty_tensor *p = ty_num(test_between(0, 1) ? 0.8 : 0.01);
    now();
    return ty_binomial(TY_F64, TY_SHAPE(3, 30), n, p, k);
}
static ty_tensor *urns(void) {
    ty_tensor *good = ty_from(TY_F64, TY_SHAPE(3, 1), (double[]){5, 1000, 1e7}), *k = key();
    ty_tensor *drawn = ty_num((double)test_between(1, 800));
    now();
    return ty_hypergeometric(TY_F64, TY_SHAPE(3, 30), good, ty_num(900), drawn, k);
}
static ty_tensor *angles(void) {
    ty_tensor *many = ty_from(TY_F64, TY_SHAPE(3, 1), (double[]){0, 0.5, 1000}), *k = key();
    now();
    return ty_von_mises(TY_F64, TY_SHAPE(3, 30), many, k);
}

/* Return a sparse matrix of n rows with up to 4 entries in each, all indices drawn; `diagonal` is added. */
static ty_tensor *triangles(void) {
    int64_t n = test_between(1, 20), width = test_between(1, 5), starts[32] = {0}, e = 0;
    int32_t indices[128];
    for (int64_t i = 0; i < n; i++) {
        indices[e++] = (int32_t)i;
        for (int64_t k = test_between(0, 4); k > 0; k--) indices[e++] = (int32_t)test_between(0, n - 1);
        starts[i + 1] = e;
    }
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_C64, TY_C128};
    ty_dtype dtype = ONE_OF(dtypes);
    ty_tensor *values = sample_shape(dtype, 1, (int64_t[]){e}, 0.5, 2);
    ty_sparse a = ty_sparse_csr(values, ty_from(TY_I32, TY_SHAPE(e), indices),
                                ty_from(TY_I64, TY_SHAPE(n + 1), starts), n);
    ty_tensor *b = sample_shape(dtype, 2, (int64_t[]){n, width}, -1, 1);
    bool upper = test_between(0, 1), unit = test_between(0, 1);
    if (test_between(0, 1)) a = ty_sparse_transpose(a);
    now();
    return ty_sparse_triangular_solve(a, b, upper, unit);
}

/* ---- matrices: sums have another order than those of cpu ---- */

/* Return two matrices with a strong diagonal. */
static ty_tensor *matrix(ty_dtype dtype, int64_t m, int64_t n) {
    ty_tensor *x = sample_shape(dtype, 3, (int64_t[]){2, m, n}, -1, 1);
    return ty_add(
        x, ty_mul(ty_slice(ty_slice(ty_eye(dtype, m + n), 0, 0, m, 1), 1, 0, n, 1), ty_num((double)(m + n))));
}
static ty_tensor *square(void) {
    int64_t n = test_between(1, 40);
    return matrix(test_between(0, 1) ? TY_F32 : TY_F64, n, n);
}
static ty_tensor *rectangle(void) {
    int64_t m = test_between(1, 30), n = test_between(1, 30);
    return matrix(test_between(0, 1) ? TY_F32 : TY_F64, m, n);
}
/* Return the elements of all parts, joined by cpu. */
static ty_tensor *parts_of(int n, ty_tensor *const *parts) {
    ty_tensor *all[4];
    ty_use_engine("cpu");
    for (int i = 0; i < n; i++) all[i] = ty_reshape(parts[i], TY_SHAPE(ty_size(parts[i])));
    return ty_concat(n, all, 0);
}
static ty_tensor *lus(void) {
    ty_tensor *a = rectangle();
    now();
    ty_lu_parts f = ty_lu(a);
    return parts_of(2, (ty_tensor *[]){f.l, f.u});
}
static ty_tensor *choleskys(void) {
    ty_tensor *a = square(), *b = ty_matmul(a, ty_transpose(a));
    now();
    return ty_cholesky(b);
}
static ty_tensor *systems(void) {
    ty_tensor *a = square(), *b = ty_slice(a, 2, 0, 1, 1);
    now();
    return ty_solve(a, b);
}
static ty_tensor *inverses(void) {
    ty_tensor *a = square();
    now();
    return ty_inv(a);
}
static ty_tensor *halves(void) {
    ty_tensor *a = square(), *b = ty_slice(a, 2, 0, 1, 1);
    bool upper = test_between(0, 1), unit = false;
    now();
    return ty_triangular_solve(a, b, upper, unit);
}
static ty_tensor *qrs(void) {
    ty_tensor *a = rectangle();
    bool full = test_between(0, 1);
    now();
    ty_qr_parts f = ty_qr(a, full);
    return parts_of(2, (ty_tensor *[]){f.q, f.r});
}
static ty_tensor *hessenbergs(void) {
    ty_tensor *a = square();
    now();
    ty_hessenberg_parts f = ty_hessenberg(a);
    return parts_of(2, (ty_tensor *[]){f.h, f.q});
}
/* Vectors of near values are not unique, so the matrix is put together again. */
static ty_tensor *eighs(void) {
    ty_tensor *a = square(), *b = ty_add(a, ty_transpose(a));
    now();
    ty_eigen_parts f = ty_eigh(b);
    ty_use_engine("cpu");
    ty_tensor *turned = ty_transpose(f.vectors), *w = ty_reshape(f.values, TY_SHAPE(2, 1, ty_shape(a)[2]));
    return parts_of(
        3, (ty_tensor *[]){f.values, ty_matmul(ty_mul(f.vectors, w), turned), ty_matmul(turned, f.vectors)});
}
static ty_tensor *svds(void) {
    ty_tensor *a = rectangle();
    bool full = test_between(0, 1);
    now();
    ty_svd_parts f = ty_svd(a, full);
    ty_use_engine("cpu");
    int64_t least = ty_shape(f.s)[1];
    ty_tensor *u = ty_slice(f.u, 2, 0, least, 1), *vh = ty_slice(f.vh, 1, 0, least, 1);
    ty_tensor *again = ty_matmul(ty_mul(u, ty_reshape(f.s, TY_SHAPE(2, 1, least))), vh);
    return parts_of(4, (ty_tensor *[]){f.s, again, ty_matmul(ty_transpose(f.u), f.u),
                                       ty_matmul(f.vh, ty_transpose(f.vh))});
}

/* ---- numbers of few bits ---- */

static ty_tensor *few_bits(void) {
    static const int widths[] = {2, 4, 8};
    int64_t sizes[] = {test_between(1, 5), test_between(1, 300)};
    struct few_bits p = few_bits_draw(sample_shape(TY_F32, 2, sizes, -1, 1), test_between(1, 40),
                                      ONE_OF(widths), 16 << test_between(0, 3), test_between(0, 1),
                                      (enum few_bits_table)test_between(0, 2), test_between(0, 2));
    now();
    return few_bits_record(&p);
}

/* ---- Fourier transforms, of lengths with small and large prime factors ---- */

static ty_tensor *transforms(void) {
    static const int64_t lengths[] = {1, 2, 3, 4, 8, 15, 16, 49, 61, 64, 67, 90, 97, 128, 134, 3 * 67};
    int64_t n = ONE_OF(lengths), size = test_between(0, 1) ? TY_FFT_WHOLE : ONE_OF(lengths);
    int axis = (int)test_between(0, 1), kind = (int)test_between(0, 3);
    int64_t *shape = axis ? (int64_t[]){3, n} : (int64_t[]){n, 3};
    ty_tensor *x = sample_shape(test_between(0, 1) ? TY_F32 : TY_F64, 2, shape, -1, 1);
    if (kind != 1) x = ty_from_parts(x, ty_flip(x, axis));
    now();
    if (kind == 0) return ty_fft(x, size, axis, TY_FFT_ORTHO);
    if (kind == 1) return ty_rfft(x, size, axis, TY_FFT_BACKWARD);
    if (kind == 2) return ty_irfft(x, n == 1 ? 2 : size, axis, TY_FFT_BACKWARD);
    return ty_ifft(x, size, axis, TY_FFT_FORWARD);
}

static const struct algorithm_case {
    const char *name;
    ty_tensor *(*run)(void);
    bool rounds; /* otherwise than cpu */
} algorithms[] = {{"sort", sorts, false},
                  {"search", searches, false},
                  {"nonzero", nonzeros, false},
                  {"suppress", suppresses, false},
                  {"filter", filters, false},
                  {"few bits", few_bits, false},
                  {"integers", integers, false},
                  {"permutation", permutations, false},
                  {"gamma", gammas, false},
                  {"beta", betas, false},
                  {"poisson", poissons, false},
                  {"binomial", binomials, false},
                  {"hypergeometric", urns, false},
                  {"von Mises", angles, false},
                  {"triangle", triangles, false},
                  {"lu", lus, true},
                  {"cholesky", choleskys, true},
                  {"solve", systems, true},
                  {"inverse", inverses, true},
                  {"triangular", halves, true},
                  {"qr", qrs, true},
                  {"hessenberg", hessenbergs, true},
                  {"eigh", eighs, true},
                  {"svd", svds, true},
                  {"fft", transforms, true},
                  {"fft", transforms, true},
                  {"fft", transforms, true},
                  {"fft", transforms, true}};

/* Run some cases, since a compiler runs for each; the next device takes others. */
static void cases_on(struct device *d) {
    static int turn;
    int n = (int)(sizeof algorithms / sizeof *algorithms);
    const char *only = getenv("TY_TEST_SAMPLE");
    int every = test_some(2, 6, 6), first = turn++ % every;
    for (int i = first; i < n; i += every) {
        struct test_round round = test_round();
        const struct algorithm_case *c = &algorithms[i];
        uint64_t seed = test_random();
        int64_t before = text_engine_made();
        ty_tensor *got[2] = {NULL, NULL};
        for (int side = 0; side < 2 && (!only || !strcmp(only, c->name)); side++) {
            there = side ? d : NULL;
            test_random_from(seed);
            got[side] = c->run();
            ty_use_engine("cpu");
            CHECK(ty_ok(got[side]), "%s: %s", c->name, ty_error(got[side]));
            if (side) CHECK(text_engine_made() > before, "%s did not run as text", c->name);
        }
        if (got[1] && !c->rounds) compare_bits(got[1], got[0], "%s", c->name);
        if (got[1] && c->rounds) {
            bool single = ty_dtype_of(got[0]) == TY_F32 || ty_dtype_of(got[0]) == TY_C64;
            double bound = single ? 2e-5 : 4e-14;
            compare_near(got[1], got[0], bound, bound * 60, "%s", c->name);
        }
        there = NULL;
        test_random_from(seed + 1);
        test_round_end(round);
    }
}

/* Some thousands of rotations leave vectors orthonormal, as errors are those of small angles. */
static void rotations_on(struct device *d) {
    enum { N = 60 };
    ty_tensor *x = sample_shape(TY_F32, 2, (int64_t[]){N, N}, -1, 1), *one = ty_eye(TY_F32, N);
    ty_tensor *symmetric = ty_add(x, ty_transpose(x));
    text_engine_use(d);
    ty_eigen_parts eigen = ty_eigh(symmetric);
    ty_svd_parts parts = ty_svd(x, false);
    ty_use_engine("cpu");
    compare_near(ty_matmul(ty_transpose(eigen.vectors), eigen.vectors), one, 0, 3e-6, "eigh");
    compare_near(ty_matmul(parts.vh, ty_transpose(parts.vh)), one, 0, 3e-6, "svd");
}

/* ---- values that are refused ---- */

static ty_tensor *negative_shape(void) {
    ty_tensor *shape = ty_from(TY_F64, TY_SHAPE(4), (double[]){1, 2, -3, -4});
    return ty_random_gamma(TY_F32, TY_SHAPE(4), shape, ty_key(1));
}
static ty_tensor *empty_range(void) {
    ty_tensor *low = ty_from(TY_I64, TY_SHAPE(3), (int64_t[]){3, 7, 9});
    return ty_randint(TY_I32, TY_SHAPE(3), low, ty_int(7), ty_key(1));
}
static ty_tensor *no_pivot(void) {
    ty_tensor *starts = ty_from(TY_I64, TY_SHAPE(4), (int64_t[]){0, 1, 2, 2});
    ty_sparse a = ty_sparse_csr(ty_ones(TY_F32, TY_SHAPE(2)), ty_from(TY_I32, TY_SHAPE(2), (int32_t[]){0, 0}),
                                starts, 3);
    return ty_sparse_triangular_solve(a, ty_ones(TY_F32, TY_SHAPE(3, 2)), false, false);
}
static ty_tensor *second_of_two(void) {
    return ty_from(TY_F64, TY_SHAPE(2, 2, 2), (double[]){2, 1, 1, 2, 1, 2, 2, 4});
}
static ty_tensor *singular(void) { return ty_solve(second_of_two(), ty_ones(TY_F64, TY_SHAPE(2, 2, 1))); }
static ty_tensor *no_inverse(void) { return ty_inv(second_of_two()); }
static ty_tensor *indefinite(void) { return ty_cholesky(second_of_two()); }
static ty_tensor *zero_diagonal(void) {
    ty_tensor *a = ty_from(TY_F32, TY_SHAPE(3, 3), (float[]){1, 0, 0, 2, 0, 0, 3, 3, 0});
    return ty_triangular_solve(a, ty_ones(TY_F32, TY_SHAPE(3, 2)), false, false);
}
static void refusals_on(struct device *d) {
    ty_tensor *(*const refused[])(void) = {negative_shape, empty_range, no_pivot,     singular,
                                           no_inverse,     indefinite,  zero_diagonal};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        ty_tensor *want = refused[i]();
        int64_t before = text_engine_made();
        text_engine_use(d);
        ty_tensor *got = refused[i]();
        ty_use_engine("cpu");
        CHECK(text_engine_made() > before, "case %d did not run as text", (int)i);
        CHECK(!ty_ok(want) && !ty_ok(got) && !strcmp(ty_error(got), ty_error(want)), "%s; expected %s",
              ty_error(got), ty_error(want));
    }
}

/* A program has the whole file of a function, so functions of one file need the same rows. */
static void files_have_rows(void) {
    for (int i = 0; i < ALGORITHMS; i++)
        for (int k = 0; k < i; k++) {
            const struct algorithm *a = &algorithm_table[i], *b = &algorithm_table[k];
            CHECK(strcmp(a->file, b->file) || !strcmp(a->rows, b->rows), "%s and %s of %s: \"%s\", \"%s\"",
                  a->name, b->name, a->file, a->rows, b->rows);
        }
}

static void cases_in_c99(void) { device_test(cases_on, device_c99); }
static void cases_in_opencl(void) { device_test(cases_on, device_opencl); }
static void rotations_in_c99(void) { device_test(rotations_on, device_c99); }
static void refusals_in_c99(void) { device_test(refusals_on, device_c99); }
static void refusals_in_opencl(void) { device_test(refusals_on, device_opencl); }

TESTS_MAIN(TEST(files_have_rows), TEST(cases_in_c99), TEST(cases_in_opencl), TEST(rotations_in_c99),
           TEST(refusals_in_c99), TEST(refusals_in_opencl))
