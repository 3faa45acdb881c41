/*
 * Products with sparse matrices and triangular solutions against dense ones: every format, dtype and width of indices,
 * empty rows, duplicates and unsorted entries. Engines, threads, promises, batches, invalid patterns.
 */
#include <string.h>
#include "ops/sparse/sparse.h"
#include "tests/support/compare.h"
#include "tests/support/examples.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sparse_samples.h"

static const ty_dtype dtypes[] = {TY_F64, TY_F32, TY_C64, TY_C128, TY_I8,  TY_U8,  TY_I16,
                                  TY_U16, TY_I32, TY_U32, TY_I64,  TY_U64, TY_F16, TY_BF16};
enum { NDTYPES = sizeof dtypes / sizeof *dtypes };
static const struct {
    int64_t rows, columns, entries;
} sizes[] = {{6, 7, 20}, {5, 3, 9}, {1, 1, 1}, {0, 4, 0}, {4, 0, 0}, {3, 3, 0}, {40, 50, 300}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void check_products(ty_dtype dtype, ty_dtype index, int size) {
    ty_sparse coo = sparse_draw(dtype, index, sizes[size].rows, sizes[size].columns, sizes[size].entries);
    static const int64_t widths[] = {0, 1, 2, 8, 13, 64, 70};
    ty_tensor *dense = ty_sparse_to_dense(coo);
    double tolerance = 4 * sparse_tolerance(dtype);
    for (int form = 0; form < TY_SPARSE_FORMS; form++) {
        ty_sparse a = ty_sparse_as(coo, (ty_sparse_form)form);
        ty_tensor *x = sparse_dense_like(dtype, 1, &a.columns), *z = sparse_dense_like(dtype, 1, &a.rows);
        sparse_near(ty_sparse_matmul(a, x), sparse_times(dense, x), tolerance, "vector");
        sparse_near(ty_sparse_rmatmul(z, a), sparse_times(z, dense), tolerance, "vector from the left");
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            ty_tensor *y = sparse_dense_like(dtype, 2, (int64_t[]){a.columns, widths[w]});
            sparse_near(ty_sparse_matmul(a, y), sparse_times(dense, y), tolerance, "columns");
            ty_tensor *turned = ty_transpose(sparse_dense_like(dtype, 2, (int64_t[]){widths[w], a.columns}));
            sparse_near(ty_sparse_matmul(a, ty_flip(turned, 0)), sparse_times(dense, ty_flip(turned, 0)),
                        tolerance, "strided");
            ty_tensor *g = sparse_dense_like(dtype, 2, (int64_t[]){a.rows, widths[w]});
            sparse_near(ty_sparse_to_dense(ty_sparse_sampled(a, g, y)),
                        ty_mul(ty_sparse_to_dense(ty_sparse_with(a, ty_ones_like(a.values))),
                               sparse_times(g, ty_transpose(y))),
                        40 * tolerance, "sampled");
        }
    }
}

static void products(void) {
    for (int i = 0; i < NDTYPES; i++)
        for (int size = 0; size < SIZES; size++) {
            struct test_round round = test_round();
            check_products(dtypes[i], size % 2 ? TY_I64 : TY_I32, size);
            test_round_end(round);
        }
}

static void triangles(void) {
    static const ty_dtype floating[] = {TY_F64, TY_F32, TY_C64, TY_C128};
    for (int i = 0; i < 4; i++)
        for (int way = 0; way < 12; way++) {
            struct test_round round = test_round();
            bool upper = way & 1, unit = way & 2;
            ty_sparse a =
                ty_sparse_add(sparse_draw(floating[i], TY_I32, 9, 9, 30), sparse_banded(floating[i], 9));
            a = ty_sparse_as(a, (ty_sparse_form)(way / 4));
            ty_tensor *dense = ty_sparse_to_dense(a),
                      *b = sparse_dense_like(floating[i], 2, (int64_t[]){9, 3});
            sparse_near(ty_sparse_triangular_solve(a, b, upper, unit),
                        ty_triangular_solve(dense, b, upper, unit), 100 * sparse_tolerance(floating[i]),
                        "triangle");
            test_round_end(round);
        }
}

/* ---- engines, threads ---- */

struct product {
    ty_dtype dtype;
    int64_t width;
    int kind, part;
    bool transposed;
};

static void each_product(void (*check)(const struct product *p)) {
    static const int64_t widths[] = {1, 3, 70};
    static const ty_dtype some[] = {TY_F64, TY_F32, TY_C64, TY_C128, TY_I16, TY_U64};
    for (int i = 0; i < 6; i++)
        for (int kind = 0; kind < SPARSE_KINDS; kind++)
            for (int part = 0; part < SPARSE_PARTS; part++)
                for (int w = 0; w < 3; w++) {
                    if (kind == SPARSE_SOLVE && (part == SPARSE_ALL || dtype_is(some[i], CLASS_INTEGER)))
                        continue;
                    struct test_round round = test_round();
                    struct product p = {some[i], widths[w], kind, part, kind == SPARSE_SOLVE && w % 2};
                    check(&p);
                    test_round_end(round);
                }
}

/* Operands drawn once, for all engines. */
struct drawn {
    struct product p;
    ty_tensor *first, *x, *indices, *starts;
};
static struct drawn draw_product(const struct product *p) {
    ty_sparse drawn = sparse_draw(p->dtype, p->kind % 2 ? TY_I32 : TY_I64, 37, 37, 200);
    ty_sparse a = ty_sparse_as(ty_sparse_add(drawn, sparse_banded(p->dtype, 37)), TY_CSR);
    ty_tensor *x = sparse_dense_like(p->dtype, 2, (int64_t[]){37, p->width});
    ty_tensor *g = sparse_dense_like(p->dtype, 2, (int64_t[]){37, p->width});
    return (struct drawn){*p, p->kind == SPARSE_DOT ? g : a.values, x, a.indices, a.starts};
}
static ty_tensor *compute(const void *context) {
    const struct drawn *d = context;
    struct sparse_attr attr = {.kind = d->p.kind, .part = d->p.part, .transposed = d->p.transposed};
    if (d->p.kind == SPARSE_ADD) attr.size = 37;
    return sparse_record(attr, d->first, d->x, d->indices, d->starts);
}

static void check_engines(const struct product *p) {
    struct drawn d = draw_product(p);
    double tolerance = dtype_is(p->dtype, CLASS_INTEGER) ? 0 : 10 * sparse_tolerance(p->dtype);
    compare_engines(compute, &d, tolerance, tolerance, "kind %d, part %d, %lld columns of %s", p->kind,
                    p->part, (long long)p->width, ty_dtype_name(p->dtype));
}
static void engines_agree(void) { each_product(check_engines); }

static void check_threads(const struct product *p) {
    struct drawn d = draw_product(p);
    ty_set_threads(1);
    ty_tensor *one = CHECK_OK(compute(&d));
    for (int threads = 2; threads < 6; threads += 3) {
        ty_set_threads(threads);
        ty_trim();
        compare_bits(compute(&d), one, "%d threads, kind %d", threads, p->kind);
    }
}
static void any_threads(void) {
    each_product(check_threads);
    ty_sparse a = ty_sparse_as(sparse_draw(TY_F32, TY_I32, 3000, 2500, 200000), TY_CSR);
    ty_tensor *x = sparse_dense_like(TY_F32, 1, &a.columns), *z = sparse_dense_like(TY_F32, 1, &a.rows);
    ty_set_threads(1);
    ty_tensor *y = ty_sparse_matmul(a, x), *w = ty_sparse_rmatmul(z, a);
    ty_set_threads(7);
    ty_trim();
    compare_bits(ty_sparse_matmul(a, x), y, "rows");
    compare_bits(ty_sparse_rmatmul(z, a), w, "columns");
}

/* ---- promises, batches ---- */

static void promises(void) {
    ty_sparse a = ty_sparse_as(ty_sparse_add(sparse_draw(TY_F64, TY_I32, 6, 6, 20), sparse_banded(TY_F64, 6)),
                               TY_CSR),
              lazy = a;
    lazy.values = ty_var(a.values, "values");
    ty_tensor *x = sparse_dense_like(TY_F64, 1, (int64_t[]){6}), *v = ty_var(x, "x");
    compare_bits(ty_eval(ty_sparse_matmul(lazy, v)), ty_sparse_matmul(a, x), "rows");
    compare_bits(ty_eval(ty_sparse_rmatmul(v, lazy)), ty_sparse_rmatmul(x, a), "columns");
    compare_bits(ty_eval(ty_sparse_triangular_solve(lazy, v, true, false)),
                 ty_sparse_triangular_solve(a, x, true, false), "solution");
    compare_bits(ty_eval(ty_sparse_product(lazy, lazy).values), ty_sparse_product(a, a).values, "product");
    ty_sparse indexed = a;
    indexed.indices = ty_var(a.indices, "indices");
    compare_bits(ty_eval(ty_sparse_matmul(indexed, x)), ty_sparse_matmul(a, x), "a pattern that varies");
    indexed.values = lazy.values;
    CHECK_POISON(ty_sparse_product(indexed, a).values, "the indices were read from a variable");
}

static void products_of_examples(void *context, ty_tensor *const *x, ty_tensor **y) {
    const ty_sparse *a = context;
    ty_sparse b = *a;
    b.values = x[0];
    y[0] = ty_sparse_matmul(b, x[1]);
    y[1] = ty_sparse_rmatmul(x[1], b);
    y[2] = ty_sparse_triangular_solve(b, x[1], false, true);
    y[3] = ty_sparse_sampled(b, x[2], ty_flip(x[2], 0)).values;
}

static void examples(void) {
    ty_sparse a =
        ty_sparse_as(ty_sparse_add(sparse_draw(TY_F64, TY_I32, 5, 5, 9), sparse_banded(TY_F64, 5)), TY_CSR);
    int64_t n = ty_size(a.values);
    for (int set = 1; set < 8; set++) {
        struct test_round round = test_round();
        int axes[3];
        int64_t shapes[3][3] = {{3, n}, {3, 5}, {3, 5, 2}};
        ty_tensor *x[3];
        for (int i = 0; i < 3; i++) {
            bool many = set >> i & 1;
            axes[i] = many ? 0 : TY_NO_AXIS;
            x[i] = sparse_dense_like(TY_F64, 1 + many + (i == 2), shapes[i] + !many);
        }
        examples_check("sparse", products_of_examples, &a, 3, x, axes, 3, 4);
        test_round_end(round);
    }
}

/* ---- patterns that are found invalid while reading ---- */

static void check_damaged(ty_tensor *indices, ty_tensor *starts, const char *words) {
    ty_tensor *values = ty_ones(TY_F64, TY_SHAPE(4)), *x = ty_ones(TY_F64, TY_SHAPE(3, 2));
    for (int kind = 0; kind < SPARSE_KINDS; kind++)
        for (int engine = 0; engine < 2; engine++) {
            ty_use_engine(engine ? "ref" : "cpu");
            struct sparse_attr attr = {.kind = kind,
                                       .part = kind == SPARSE_SOLVE ? SPARSE_BELOW : SPARSE_ALL,
                                       .size = kind == SPARSE_ADD ? 3 : 0};
            CHECK_POISON(sparse_record(attr, kind == SPARSE_DOT ? x : values, x, indices, starts), words);
        }
    ty_use_engine("cpu");
}

static void damaged(void) {
    ty_tensor *starts = ty_from(TY_I64, TY_SHAPE(4), (int64_t[]){0, 1, 2, 4});
    check_damaged(ty_from(TY_I32, TY_SHAPE(4), (int32_t[]){0, 1, 3, 2}), starts,
                  "an entry of row 2 is in column 3, which is out of bounds; expected 0..2");
    check_damaged(ty_from(TY_I64, TY_SHAPE(4), (int64_t[]){0, -1, 1, 2}), starts,
                  "an entry of row 1 is in column -1");
    check_damaged(ty_from(TY_I64, TY_SHAPE(4), (int64_t[]){0, INT64_MIN, 1, 2}), starts, "row 1");
    ty_tensor *well = ty_from(TY_I32, TY_SHAPE(4), (int32_t[]){0, 1, 1, 2});
    check_damaged(well, ty_from(TY_I64, TY_SHAPE(4), (int64_t[]){0, 3, 2, 4}),
                  "the entries of row 1 are 3..1 of 4");
    check_damaged(well, ty_from(TY_I64, TY_SHAPE(4), (int64_t[]){0, 5, 2, 4}),
                  "the entries of row 0 are 0..4 of 4");
    check_damaged(well, ty_from(TY_I64, TY_SHAPE(4), (int64_t[]){0, -5, 2, 4}), "row 0");
    check_damaged(well, ty_from(TY_I64, TY_SHAPE(4), (int64_t[]){1, 1, 2, 4}),
                  "starts begin with 1 and end with 4");
    check_damaged(well, ty_from(TY_I64, TY_SHAPE(4), (int64_t[]){0, 1, 2, 3}),
                  "starts begin with 0 and end with 3");
    ty_sparse a = ty_sparse_csr(ty_ones(TY_F64, TY_SHAPE(2)), ty_from(TY_I32, TY_SHAPE(2), (int32_t[]){0, 0}),
                                ty_from(TY_I64, TY_SHAPE(3), (int64_t[]){0, 1, 2}), 2);
    CHECK_POISON(ty_sparse_triangular_solve(a, ty_ones(TY_F64, TY_SHAPE(2)), false, false),
                 "the matrix is singular: the diagonal of row 1 is 0 or missing");
    ty_use_engine("ref");
    CHECK_POISON(ty_sparse_triangular_solve(a, ty_ones(TY_F64, TY_SHAPE(2)), false, false),
                 "the diagonal of row 1 is 0 or missing");
}

#define CASE(name, operators) TEST_REACHES(name, operators),
static const struct test_case cases[] = {
#include "tests/ops/sparse/products.def"
};
TESTS_MAIN_TABLE(cases)
