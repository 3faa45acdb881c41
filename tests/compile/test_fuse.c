/* ty_fuse gives the values of the plain function in one kernel, and lets promises and tracked operands
   through. */
#include <string.h>
#include <tyto/tyto.h>
#include "base/alloc.h"
#include "compile/demand/cache.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

static int calls;

static ty_tensor *chain(void *context, ty_tensor *const *x) {
    calls++;
    const double *scale = context;
    return ty_sub(ty_mul(ty_sin(x[0]), ty_add(x[1], ty_num(*scale))), ty_abs(x[2]));
}

static ty_tensor *squares(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_sum(ty_square(ty_sub(x[0], x[1])), ty_axis(-1));
}

static void same_values(void) {
    double scale = 0.5;
    for (int dtype = TY_F16; dtype <= TY_C128; dtype++)
        for (int layout = 0; layout < LAYOUT_EMPTY; layout++) {
            struct test_round round = test_round();
            ty_tensor *x[3];
            for (int i = 0; i < 3; i++)
                x[i] = sample((ty_dtype)dtype, (enum sample_layout)((layout + i) % LAYOUT_EMPTY), -2, 2);
            compare_near(ty_fuse(chain, &scale, 3, x), chain(&scale, x), 4 * relative_ulp((ty_dtype)dtype),
                         4 * relative_ulp((ty_dtype)dtype), "%s, %s", ty_dtype_name((ty_dtype)dtype),
                         sample_layout_name((enum sample_layout)layout));
            test_round_end(round);
        }
    ty_tensor *empty[] = {ty_zeros(TY_F32, TY_SHAPE(0, 3)), ty_ones(TY_F32, TY_SHAPE(3))};
    compare_bits(ty_fuse(squares, NULL, 2, empty), ty_zeros(TY_F32, TY_SHAPE(0)), "nothing");
    ty_tensor *two[] = {ty_from(TY_F64, TY_SHAPE(2, 2), (double[]){1, 2, 3, 4}), ty_num(1)};
    compare_numbers(ty_fuse(squares, NULL, 2, two), NUMBERS(1, 13), "a reduction at the end");
}

/* The kernel is compiled once: a second call allocates less than the first, and each calls the function
   once. */
static void kept(void) {
    double scale = 1;
    int64_t spent[2], compiled = cache_compiles();
    ty_tensor *x[3];
    for (int i = 0; i < 3; i++) x[i] = sample_shape(TY_F32, TY_SHAPE(2, 11), -2, 2);
    calls = 0;
    for (int i = 0; i < 2; i++) {
        int64_t before = mem_count();
        CHECK_OK(ty_fuse(chain, &scale, 3, x));
        spent[i] = mem_count() - before;
    }
    CHECK(calls == 2, "the body is called once a call, not %d times in two", calls);
    CHECK(test_starving() || cache_compiles() == compiled + 1, "compiled %d times",
          (int)(cache_compiles() - compiled));
    CHECK(spent[1] < spent[0], "%lld allocations, then %lld", (long long)spent[0], (long long)spent[1]);
}

static void promises_and_gradients(void) {
    double scale = 2;
    ty_tensor *v = ty_track(sample(TY_F64, LAYOUT_CONTIGUOUS, 0.5, 2), "v"), *g, *h;
    ty_tensor *x[] = {v, ty_num(1), ty_num(3)};
    CHECK(ty_grad(ty_sum(ty_fuse(chain, &scale, 3, x), TY_ALL), 1, &v, &g) || test_starving(),
          "a gradient through it");
    CHECK(ty_grad(ty_sum(chain(&scale, x), TY_ALL), 1, &v, &h) || test_starving(), "a gradient without it");
    compare_bits(g, h, "gradients");
    ty_tensor *lazy[] = {ty_lazy(sample(TY_F64, LAYOUT_CONTIGUOUS, 0.5, 2)), ty_num(1), ty_num(3)};
    ty_tensor *y = CHECK_OK(ty_fuse(chain, &scale, 3, lazy));
    CHECK(ty_is_promise(y), "a promise stays one");
    ty_tensor *bad[] = {ty_poison("first"), ty_num(1), ty_num(3)};
    CHECK_POISON(ty_fuse(chain, &scale, 3, bad), "first");
    ty_tensor *unfit[] = {ty_ones(TY_F32, TY_SHAPE(2)), ty_ones(TY_F32, TY_SHAPE(3)), ty_num(3)};
    CHECK_POISON(ty_fuse(chain, &scale, 3, unfit), "do not broadcast");
}

/* ---- composites of a large value and a variable ---- */

static ty_tensor *entropy(ty_tensor *x, ty_tensor *at) { return ty_cross_entropy(x, ty_cast(at, TY_I32)); }
static ty_tensor *area(ty_tensor *x, ty_tensor *at) { return ty_trapezoid(x, at, 1, 0); }

static void beside_variables(void) {
    static ty_tensor *(*const functions[])(ty_tensor *, ty_tensor *) = {entropy, area};
    const int64_t n = 4096;
    ty_tensor *large = ty_normal(TY_F32, TY_SHAPE(n, 64), ty_key(1));
    ty_tensor *first = ty_zeros(TY_F32, 1, &n),
              *second = ty_cast(ty_gt(ty_uniform(TY_F32, 1, &n, ty_key(2)), ty_num(0.5)), TY_F32);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        struct test_round round = test_round();
        ty_tensor *at = ty_var(first, "at"), *y = CHECK_OK(functions[i](large, at));
        CHECK(ty_is_promise(y), "function %d forgot the variable", (int)i);
        CHECK(ty_assign(at, second, NULL) || test_starving(), "not assigned");
        compare_bits(CHECK_OK(ty_eval(y)), CHECK_OK(functions[i](large, second)), "function %d, assigned",
                     (int)i);
        test_round_end(round);
    }
    ty_tensor *at = ty_track(second, "at"), *slope;
    ty_grad(ty_sum(area(large, at), TY_ALL), 1, &at, &slope);
    CHECK_OK(slope);
    CHECK(ty_item(ty_any(ty_ne(slope, ty_num(0)), TY_ALL)) == 1 || test_starving(),
          "no gradient by where the points are");
}

TESTS_MAIN(TEST(same_values), TEST(kept), TEST(promises_and_gradients), TEST(beside_variables))
