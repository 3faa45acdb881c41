/*
 * add(max_pool(src1), src2) with random sizes, windows and broadcasts equals plain loops exactly, eagerly and compiled.
 * The compiled program has one kernel and copies no operand.
 */
#include "tests/support/harness.h"
#include <math.h>

struct pool_case {
    ty_dtype dtype;
    int64_t x[4], y[4], b[4]; /* shapes of src1, the result, src2 */
    int rank_b;               /* leading axes that src2 lacks */
    ty_pool pool;
    double *values_x, *values_b, *expected;
};

static int64_t product(int n, const int64_t *shape) {
    int64_t size = 1;
    for (int i = 0; i < n; i++) size *= shape[i];
    return size;
}

static double round_to(ty_dtype dtype, double value) {
    return dtype == TY_F32 ? (double)(float)value : value;
}

static double *values(ty_dtype dtype, int64_t n, bool negative) {
    double *out = test_room((size_t)n * sizeof *out);
    for (int64_t i = 0; i < n; i++) {
        double value = test_uniform(-1000, negative ? -1 : 1000);
        out[i] = dtype == TY_I32 ? trunc(value) : round_to(dtype, value);
    }
    return out;
}

static double largest(const struct pool_case *c, int64_t plane, int64_t p, int64_t q) {
    double best = -INFINITY;
    const ty_pool *o = &c->pool;
    for (int64_t r = 0; r < o->size[0]; r++)
        for (int64_t s = 0; s < o->size[1]; s++) {
            int64_t h = p * o->stride[0] + r - o->low[0], w = q * o->stride[1] + s - o->low[1];
            if (h < 0 || h >= c->x[2] || w < 0 || w >= c->x[3]) continue;
            best = fmax(best, c->values_x[(plane * c->x[2] + h) * c->x[3] + w]);
        }
    return best;
}

/* Return the element of src2 that broadcasts to index i of the result. */
static double other(const struct pool_case *c, const int64_t *i) {
    int64_t at = 0;
    for (int a = 0; a < 4; a++) at = at * c->b[a] + (c->b[a] == 1 ? 0 : i[a]);
    return c->values_b[at];
}

static void expect(struct pool_case *c) {
    double *out = c->expected = test_room((size_t)product(4, c->y) * sizeof *out);
    int64_t i[4];
    for (i[0] = 0; i[0] < c->y[0]; i[0]++)
        for (i[1] = 0; i[1] < c->y[1]; i[1]++)
            for (i[2] = 0; i[2] < c->y[2]; i[2]++)
                for (i[3] = 0; i[3] < c->y[3]; i[3]++)
                    *out++ = round_to(c->dtype, largest(c, i[0] * c->x[1] + i[1], i[2], i[3]) + other(c, i));
}

/* Make case `number`: dtypes and the sixteen broadcast patterns in order, the rest at random. */
static struct pool_case make(int number) {
    static const ty_dtype dtypes[] = {TY_I32, TY_F32, TY_F64};
    struct pool_case c = {.dtype = dtypes[number % 3], .pool.nchw = true};
    c.x[0] = c.y[0] = test_between(1, 3);
    c.x[1] = c.y[1] = test_between(1, 6);
    for (int k = 0; k < 2; k++) {
        ty_pool *o = &c.pool;
        o->size[k] = test_between(1, 4);
        o->stride[k] = test_between(1, 3);
        o->low[k] = test_between(0, o->size[k] - 1);
        o->high[k] = test_between(0, o->size[k] - 1);
        c.x[2 + k] = test_between(o->size[k], o->size[k] + 18);
        c.y[2 + k] = (c.x[2 + k] + o->low[k] + o->high[k] - o->size[k]) / o->stride[k] + 1;
    }
    for (int a = 0; a < 4; a++) c.b[a] = number >> a & 1 ? c.y[a] : 1;
    while (c.rank_b < 4 && c.b[c.rank_b] == 1 && test_between(0, 1)) c.rank_b++;
    c.values_x = values(c.dtype, product(4, c.x), number % 2);
    c.values_b = values(c.dtype, product(4, c.b), number % 5 == 0);
    expect(&c);
    return c;
}

static ty_tensor *from(ty_dtype dtype, int rank, const int64_t *shape, const double *data) {
    return ty_eval(ty_cast(ty_from(TY_F64, rank, shape, data), dtype));
}

static void compare(const struct pool_case *c, ty_tensor *got, int number, const char *how) {
    CHECK_OK(got);
    int64_t n = product(4, c->y);
    CHECK(ty_dtype_of(got) == c->dtype && ty_rank(got) == 4 && ty_size(got) == n,
          "case %d %s: shape or dtype", number, how);
    double *found = test_room((size_t)n * sizeof *found);
    CHECK(ty_read(got, TY_F64, found), "case %d %s: not readable", number, how);
    for (int64_t i = 0; i < n; i++)
        CHECK(found[i] == c->expected[i], "case %d (%s) %s: element %lld is %.17g, expected %.17g", number,
              ty_dtype_name(c->dtype), how, (long long)i, found[i], c->expected[i]);
}

static void check_program(const struct pool_case *c, ty_tensor *src1, ty_tensor *src2, int number) {
    ty_tensor *dst = ty_add(ty_max_pool2d(ty_var(src1, "src1"), c->pool), ty_var(src2, "src2"));
    ty_program *program = test_program(ty_compile(1, &dst, (ty_compile_options){0}));
    CHECK(ty_run(program), "case %d: %s", number, ty_program_error(program));
    compare(c, ty_output(program, 0), number, "compiled");
    ty_report report;
    ty_program_report(program, &report);
    CHECK(report.kernels == 1, "case %d: %lld kernels, expected the addition inside the pooling", number,
          (long long)report.kernels);
}

static void random_cases(void) {
    for (int number = 0; number < (test_starving() ? 2 : 100); number++) {
        struct test_round round = test_round();
        struct pool_case c = make(number);
        ty_tensor *src1 = from(c.dtype, 4, c.x, c.values_x);
        ty_tensor *src2 = from(c.dtype, 4 - c.rank_b, c.b + c.rank_b, c.values_b);
        compare(&c, ty_add(ty_max_pool2d(src1, c.pool), src2), number, "eager");
        check_program(&c, src1, src2, number);
        test_round_end(round);
    }
}

/* Sizes where the memory of a padded src1 or a broadcast src2 would be noticed. */
static void takes_no_memory(void) {
    static const ty_dtype dtypes[] = {TY_I32, TY_F32, TY_F64};
    for (int k = 0; k < 3; k++) {
        struct test_round round = test_round();
        ty_tensor *src1 = ty_var(ty_zeros(dtypes[k], TY_SHAPE(4, 16, 112, 112)), "src1");
        ty_tensor *src2 = ty_var(ty_zeros(dtypes[k], TY_SHAPE(4, 1, 56, 56)), "src2");
        ty_pool pool = {.size = {3, 3}, .stride = {2, 2}, .low = {1, 1}, .high = {1, 1}, .nchw = true};
        ty_tensor *dst = ty_add(ty_max_pool2d(src1, pool), src2);
        int64_t bytes = ty_size(dst) * (int64_t)ty_dtype_size(dtypes[k]);
        ty_program *program = test_program(ty_compile(1, &dst, (ty_compile_options){0}));
        CHECK(ty_run(program), "%s", ty_program_error(program));
        ty_report report;
        ty_program_report(program, &report);
        CHECK(report.kernels == 1, "%lld kernels", (long long)report.kernels);
        CHECK(report.arena_bytes <= bytes + (1 << 16), "%lld bytes planned for a result of %lld",
              (long long)report.arena_bytes, (long long)bytes);
        CHECK(report.unplanned_bytes <= bytes + (1 << 16), "%lld bytes of buffers for a result of %lld",
              (long long)report.unplanned_bytes, (long long)bytes);
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(random_cases), TEST(takes_no_memory))
