/* Products with sparse matrices along an axis, and their adjoints, in every layout and dtype on every
   engine. */
#include "ops/core/attributes.h"
#include "ops/core/operators.h"
#include "ops/image/resample.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

static int rounds(int many) { return test_starving() ? 2 : many; }

struct sums {
    ty_tensor *operands[1 + 2 * RESAMPLE_AXES];
    const struct op *op;
    struct resample_attr attr;
};

static ty_tensor *recorded(const void *context) {
    const struct sums *s = context;
    return record(s->op, &s->attr, sizeof s->attr, 3 + 2 * s->attr.further, s->operands);
}

/* Compute the sums through a graph and with an epilogue. */
static ty_tensor *recorded_lazily(const struct sums *s) {
    struct sums lazy = *s;
    for (int i = 0; i < 3 + 2 * s->attr.further; i++) lazy.operands[i] = ty_lazy(s->operands[i]);
    ty_tensor *y = recorded(&lazy);
    return ty_eval(ty_add(ty_mul(y, y), ty_lazy(recorded(s))));
}

/* Return x in another layout: permuted, with gaps, or reversed. */
static ty_tensor *scattered(ty_tensor *x) {
    int rank = ty_rank(CHECK_OK(x)), order[8], back[8];
    int kind = (int)test_between(0, 3);
    if (kind == 0) return x;
    if (kind == 1) return ty_flip(ty_contiguous(ty_flip(x, -1)), -1);
    if (kind == 2) return ty_slice(ty_repeat(x, 2, rank - 1), rank - 1, 0, TY_END, 2);
    int by = (int)test_between(1, rank);
    for (int i = 0; i < rank; i++) order[i] = (i + by) % rank;
    for (int i = 0; i < rank; i++) back[order[i]] = i;
    return ty_permute(ty_contiguous(ty_permute(x, order)), back);
}

/* Make a table of taps and weights, some of them 0; sometimes one row serves for all. */
static void sample_table(ty_dtype dtype, int rank, const int64_t *table, int64_t size, ty_tensor **index,
                         ty_tensor **weight) {
    int64_t row[6];
    memcpy(row, table, sizeof *row * (size_t)rank);
    *index = scattered(sample_shape(TY_I32, rank, table, 0, size ? (double)(size - 1) : 0));
    if (test_between(0, 3) == 0) row[rank - 2] = 1;
    ty_tensor *w = sample_shape(dtype_table[dtype].real, rank, row, -1, 1);
    *weight = ty_broadcast(scattered(ty_where(ty_lt(w, ty_num(-0.7)), ty_num(0), w)), rank, table);
}

static void check_sums(ty_dtype dtype, int long_run) {
    static const struct op *const ops[] = {&op_resample, &op_resample_add, &op_resample_dot};
    int rank = (int)test_between(1, 4), axis = (int)test_between(0, rank - 1),
        batch = (int)test_between(0, axis);
    int64_t shape[4], places = test_between(0, 6), taps = test_between(0, 9), table[6];
    for (int i = 0; i < rank; i++) shape[i] = test_between(test_between(0, 9) ? 1 : 0, 4);
    if (long_run == 1) shape[rank - 1] = test_between(17, 40);
    if (long_run == 2) places = test_between(40, 80);
    int64_t size = shape[axis] ? shape[axis] : (places = 0);
    for (int i = 0; i < batch; i++) table[i] = test_between(0, 2) ? shape[i] : 1;
    table[batch] = taps;
    table[batch + 1] = places;
    ty_tensor *x = scattered(sample_shape(dtype, rank, shape, -1, 1));
    ty_tensor *index, *weight;
    sample_table(dtype, batch + 2, table, size, &index, &weight);
    shape[axis] = places;
    ty_tensor *g = scattered(sample_shape(dtype, rank, shape, -1, 1));
    for (int kind = 0; kind < 3; kind++) {
        struct sums s = {{kind ? g : x, kind == 2 ? x : index, kind == 2 ? index : weight},
                         ops[kind],
                         {kind, axis, batch, 0, 0}};
        if (kind == RESAMPLE_ADD) s.attr.size = size;
        double ulp = 64 * relative_ulp(dtype);
        compare_engines(recorded, &s, ulp, ulp,
                        "%s of %s, rank %d, axis %d, batch %d, %lld taps, %lld places", ops[kind]->name,
                        ty_dtype_name(dtype), rank, axis, batch, (long long)taps, (long long)places);
        ty_tensor *y = recorded(&s);
        compare_near(recorded_lazily(&s), ty_add(ty_mul(y, y), y), ulp, ulp, "%s with an epilogue",
                     ops[kind]->name);
    }
}

/* Several axes at once give the result of one after the other. */
static void check_axes(ty_dtype dtype, int long_run) {
    int rank = (int)test_between(2, 5), n = (int)test_between(2, rank < RESAMPLE_AXES ? rank : RESAMPLE_AXES),
        axis = (int)test_between(0, rank - n);
    int64_t shape[5];
    for (int i = 0; i < rank; i++) shape[i] = test_between(test_between(0, 19) ? 1 : 0, 4);
    if (long_run == 1) shape[rank - 1] = test_between(17, 40);
    struct sums s = {.op = &op_resample, .attr = {.axis = axis, .further = n - 1}};
    ty_tensor *x = s.operands[0] = scattered(sample_shape(dtype, rank, shape, -1, 1)), *y = x;
    for (int k = 0; k < n; k++) {
        int64_t size = shape[axis + k], table[2] = {test_between(0, 3), test_between(0, 5)};
        if (long_run == 2 && k == n - 1) table[1] = test_between(40, 2000);
        if (size == 0) table[1] = 0;
        sample_table(dtype, 2, table, size, &s.operands[1 + 2 * k], &s.operands[2 + 2 * k]);
    }
    for (int k = n - 1; k >= 0; k--)
        y = resample_read(y, s.operands[1 + 2 * k], s.operands[2 + 2 * k], axis + k, 0);
    double ulp = 256 * relative_ulp(dtype);
    compare_engines(recorded, &s, ulp, ulp, "resample of %s, rank %d, %d axes from %d", ty_dtype_name(dtype),
                    rank, n, axis);
    compare_near(recorded(&s), y, ulp, ulp, "%d axes at once", n);
    compare_near(recorded_lazily(&s), ty_add(ty_mul(y, y), y), ulp, ulp, "%d axes with an epilogue", n);
}

static void axes_at_once(void) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_C64, TY_C128};
    for (int round = 0; round < rounds(240); round++) {
        struct test_round r = test_round();
        check_axes(dtypes[round % 4], round / 4 % 3);
        test_round_end(r);
    }
}

static void sums_in_every_layout(void) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_C64, TY_C128};
    for (int round = 0; round < rounds(240); round++) {
        struct test_round r = test_round();
        check_sums(dtypes[round % 4], round / 4 % 3);
        test_round_end(r);
    }
}

static const struct test_case cases[] = {
#define CASE(name, operators) TEST_REACHES(name, operators),
#include "tests/ops/image/resample.def"
};
TESTS_MAIN_TABLE(cases)
