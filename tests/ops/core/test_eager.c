/* Eager calls cache kernels: the second call of a shape finds the kernel that the first prepared. */
#include "base/alloc.h"
#include "ops/core/op.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

/* Count the kernels lowered while `run` computes on x and y. */
static int lowered;
static void count(const struct op *op, const struct kernel *kernel) {
    (void)op;
    lowered += kernel != NULL;
}
static int kernels_lowered(ty_tensor *(*run)(ty_tensor *x, ty_tensor *y), ty_tensor *x, ty_tensor *y) {
    void (*before)(const struct op *, const struct kernel *) = op_watch;
    lowered = 0;
    op_watch = count;
    ty_tensor *z = run(x, y);
    op_watch = before;
    CHECK_OK(z);
    return lowered;
}

static ty_tensor *maxima(ty_tensor *x, ty_tensor *y) { return (void)y, ty_amax(x, ty_axis(0)); }
static ty_tensor *sorted(ty_tensor *x, ty_tensor *y) { return (void)y, ty_sort(x, 1, false); }
static ty_tensor *sums(ty_tensor *x, ty_tensor *y) { return (void)y, ty_cumsum(x, 0, (ty_running){0}); }
static ty_tensor *whole(ty_tensor *x, ty_tensor *y) { return (void)y, ty_cast(x, TY_I32); }
static ty_tensor *turned(ty_tensor *x, ty_tensor *y) { return (void)y, ty_contiguous(ty_transpose(x)); }

static const struct {
    const char *name;
    ty_tensor *(*run)(ty_tensor *x, ty_tensor *y);
} calls[] = {{"matmul", ty_matmul}, {"add", ty_add}, {"amax", maxima},      {"sort", sorted},
             {"cumsum", sums},      {"cast", whole}, {"contiguous", turned}};

static void second_calls_find_kernels(void) {
    static const int64_t sizes[] = {2, 3, 8, 17, 48, 64, 200};
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_F16, TY_I8, TY_C64};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
                struct test_round round = test_round();
                ty_trim(); /* so that each call is the first of its kind in this thread */
                ty_tensor *x = ty_ones(dtypes[d], TY_SHAPE(sizes[s], sizes[s]));
                int first = kernels_lowered(calls[c].run, x, x), second = kernels_lowered(calls[c].run, x, x);
                CHECK(first > 0 && second == 0, "%s of %s[%d,%d] lowers %d kernels, then %d", calls[c].name,
                      ty_dtype_name(dtypes[d]), (int)sizes[s], (int)sizes[s], first, second);
                test_round_end(round);
            }
}

/* With more contractions than the cache holds, old ones are evicted, the last is found, and all results
   are correct. */
static void many_contractions(void) {
    for (int64_t n = 30; n < test_some(330, 130, 60); n++) {
        struct test_round round = test_round();
        ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(n, n)), *want = ty_full(TY_F32, TY_SHAPE(n, n), (double)n);
        CHECK(kernels_lowered(ty_matmul, x, x) == 1, "a product of %d is known before its time", (int)n);
        CHECK(kernels_lowered(ty_matmul, x, x) == 0, "a product of %d is forgotten at once", (int)n);
        CHECK(ty_item(ty_all(ty_eq(ty_matmul(x, x), want), TY_ALL)) == 1, "a product of %d is wrong", (int)n);
        test_round_end(round);
    }
}

TESTS_MAIN(TEST_AT_HOME(second_calls_find_kernels), TEST_AT_HOME(many_contractions))
