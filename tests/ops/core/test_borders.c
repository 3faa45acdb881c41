/*
 * Borders of tiles, parts and pieces. Operands have random shapes and some thousand elements, on both engines, eagerly
 * and lazily. Tiles so small that every operand has several give the values of usual tiles.
 */
#include "tests/support/compare.h"
#include "tests/support/explain.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

#define BORDER(name, expression)                                                                             \
    static ty_tensor *border_##name(ty_tensor *x) { return expression; }
#include "tests/ops/core/borders.def"

static const struct border {
    const char *name;
    ty_tensor *(*run)(ty_tensor *x);
} borders[] = {
#define BORDER(name, expression) {#name, border_##name},
#include "tests/ops/core/borders.def"
};

struct use {
    const struct border *border;
    ty_tensor *x;
};

static ty_tensor *compute(const void *context) {
    const struct use *use = context;
    return use->border->run(use->x);
}

static void explain_use(const void *context, char *out, size_t size) {
    explain_tensor(out, size, "x", ((const struct use *)context)->x);
}

/* Return an operand with one long axis or three of medium length, contiguous or not. */
static ty_tensor *operand(ty_dtype dtype) {
    static const int64_t few[] = {1, 2, 3, 5}, some[] = {13, 16, 33, 70}, many[] = {257, 400, 1030};
    int64_t shape[3] = {few[test_between(0, 3)], few[test_between(0, 3)], few[test_between(0, 3)]};
    if (test_between(0, 1))
        shape[test_between(0, 2)] = many[test_between(0, 2)];
    else
        shape[test_between(0, 2)] = some[test_between(0, 3)],
                              shape[test_between(0, 2)] = some[test_between(0, 3)];
    bool turned = test_between(0, 2) == 0;
    ty_tensor *x = sample_shape(dtype, 3, shape, -3, 3);
    return turned ? ty_permute(ty_contiguous(ty_permute(x, NULL)), NULL) : x;
}

static void once(const struct border *border, ty_dtype dtype) {
    struct test_round round = test_round();
    struct use use = {border, operand(dtype)};
    test_explain(explain_use, &use);
    ty_use_engine("ref");
    bool takes = ty_ok(compute(&use));
    ty_use_engine("cpu");
    ty_tensor *eager = compute(&use);
    CHECK(takes == ty_ok(eager) || test_starving(), "%s %s: the engines disagree: %s", border->name,
          ty_dtype_name(dtype), ty_error(eager));
    if (takes && ty_ok(eager)) {
        double relative = 4096 * relative_ulp(ty_dtype_of(eager));
        compare_engines(compute, &use, relative, 8 * relative, "%s %s", border->name, ty_dtype_name(dtype));
        ty_tensor *lazy = ty_eval(border->run(ty_lazy(use.x)));
        compare_near(lazy, eager, relative, 8 * relative, "%s %s lazily", border->name, ty_dtype_name(dtype));
    }
    test_round_end(round);
}

static void crossed(void) {
    static const ty_dtype dtypes[] = {TY_F32, TY_U8, TY_F64, TY_I64, TY_F16, TY_BOOL, TY_I16, TY_C64};
    size_t n = sizeof borders / sizeof *borders, only = (size_t)test_between(0, (int64_t)n - 1);
    for (size_t i = 0; i < n; i++) {
        test_draw_tiles();
        ty_dtype dtype = dtypes[test_between(0, 7)];
        if (i == only || !test_starving()) once(&borders[i], dtype);
    }
}

TESTS_MAIN(TEST(crossed))
