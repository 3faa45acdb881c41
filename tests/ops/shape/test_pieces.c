/* Results made in pieces have the bits of those made as a whole, for all pieces and layouts, eagerly and
   as promises. */
#include <tyto/tyto.h>
#include "ops/shape/pieces.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

#define INTS(...)                                                                                            \
    (int64_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]) { __VA_ARGS__ }

static ty_tensor *edges(ty_tensor *x) { return ty_cast(ty_steps(TY_I32, -3, 2, 4), ty_dtype_of(x)); }
static ty_tensor *last(ty_tensor *x) { return ty_slice(x, 1, -2, TY_END, 1); }
static ty_tensor *places(ty_tensor *x) { return ty_sub(ty_argsort(ty_ravel(x), 0, false), ty_int(3)); }
static ty_tensor *unravel(ty_tensor *x) { return ty_unravel_index(places(x), 3, ty_shape(x)); }
static ty_tensor *labels(ty_tensor *x) { return ty_cast(ty_argmax(x, ty_axis(1)), TY_U16); }
static ty_tensor *plane(ty_tensor *x, ty_tensor *weights) {
    return ty_histogram2d(x, ty_flip(x, 2), edges(x), edges(x), weights, false);
}

/* x has three axes of 5, 4 and 9 elements. */
#define USES(F)                                                                                              \
    F(delete_none, ty_delete(x, 0, NULL, 2))                                                                 \
    F(delete_some, ty_delete(x, INTS(0, -1, 5, 0, 4), 2))                                                    \
    F(delete_all, ty_delete(x, INTS(3, 2, 1, 0, 2), 1))                                                      \
    F(delete_rows, ty_delete(x, INTS(2), 0))                                                                 \
    F(delete_flat, ty_delete(ty_ravel(x), INTS(0, 1, 8, 100, 101, 179, -2), 0))                              \
    F(insert_number, ty_insert(x, INTS(0, 9, 4, 4), ty_int(1), 2))                                           \
    F(insert_slices, ty_insert(x, INTS(-1), last(x), 1))                                                     \
    F(insert_each, ty_insert(x, INTS(3, 0), last(x), 1))                                                     \
    F(insert_none, ty_insert(x, INTS(3), ty_slice(x, 0, 0, 0, 1), 0))                                        \
    F(insert_cast, ty_insert(x, INTS(2, 5), ty_arange(TY_I64, 0, 9, 1), 0))                                  \
    F(insert_flat, ty_insert(ty_ravel(x), INTS(7, 180, 0, 7), ty_steps(TY_U8, 1, 1, 4), 0))                  \
    F(unravel, unravel(x))                                                                                   \
    F(unravel_one, ty_unravel_index(places(x), 1, (int64_t[]){180}))                                         \
    F(one_hot, ty_one_hot(labels(x), 3, TY_F32))                                                             \
    F(trim, ty_trim_zeros(ty_ravel(x), true, true))                                                          \
    F(histogram, ty_histogram(x, 5, 0, 0, NULL, false))                                                      \
    F(histogram_within, ty_histogram(x, 7, -2, 1, NULL, true))                                               \
    F(histogram_weighted, ty_histogram(x, 3, -3, 3, ty_flip(x, 1), false))                                   \
    F(histogram_edges, ty_histogram_edges(x, edges(x), NULL, false))                                         \
    F(edges_weighted, ty_histogram_edges(x, edges(x), x, true))                                              \
    F(histogram2d, plane(x, NULL))                                                                           \
    F(plane_weighted, plane(x, x))

#define FUNCTION(name, expression)                                                                           \
    static ty_tensor *use_##name(ty_tensor *x) { return expression; }
USES(FUNCTION)

static const struct use {
    const char *name;
    ty_tensor *(*run)(ty_tensor *x);
} uses[] = {
#define ROW(name, expression) {#name, use_##name},
    USES(ROW)};

static ty_tensor *operand(ty_dtype dtype) {
    static const int64_t shape[] = {5, 4, 9}, turned[] = {9, 4, 5};
    switch (test_between(0, 2)) {
    case 0:
        return sample_shape(dtype, 3, shape, -3, 3);
    case 1:
        return ty_permute(sample_shape(dtype, 3, turned, -3, 3), NULL);
    default:
        return ty_flip(ty_slice(sample_shape(dtype, 3, (int64_t[]){5, 8, 9}, -3, 3), 1, 0, TY_END, 2), 2);
    }
}

/* Check that both are poison, or have the same bits. */
static void same(ty_tensor *got, ty_tensor *want, const struct use *use, ty_dtype dtype, const char *world) {
    const char *name = ty_dtype_name(dtype);
    if (test_starving() && (!ty_ok(got) || !ty_ok(want))) return;
    CHECK(ty_ok(got) == ty_ok(want), "%s %s %s: \"%s\", not \"%s\"", use->name, name, world, ty_error(got),
          ty_error(want));
    if (ty_ok(want)) compare_bits(got, want, "%s %s %s", use->name, name, world);
}

static void once(const struct use *use, ty_dtype dtype) {
    struct test_round round = test_round();
    ty_tensor *x = operand(dtype);
    ty_tensor *want = use->run(x);
    for (int64_t piece = 1; piece < 200; piece = piece * 5 + 2) {
        piece_force(piece);
        same(use->run(x), want, use, dtype, "in pieces");
        same(ty_eval(use->run(ty_lazy(x))), want, use, dtype, "lazily");
        if (dtype == TY_F64) same(use->run(ty_track(x, "x")), want, use, dtype, "tracked");
    }
    piece_force(0);
    test_round_end(round);
}

static void pieces(void) {
    static const ty_dtype dtypes[] = {TY_F32,  TY_F16,  TY_F64, TY_U8, TY_I64,
                                      TY_BOOL, TY_BF16, TY_C64, TY_I16};
    size_t n = sizeof uses / sizeof *uses, only = (size_t)test_between(0, (int64_t)n - 1);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++)
            if (!test_starving() || (i == only && k < 4)) once(&uses[i], dtypes[k]);
}

TESTS_MAIN(TEST(pieces))
