/* Random numbers: published vectors of Philox, the reference, the same bits for any number of threads, and
   moments. */
#include <math.h>
#include <string.h>

#include "base/machine/isa.h"
#include "engine/cpu/random/random.h"
#include "ops/random/philox.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

/* Philox4x32-10 of counter 0 and key 0 gives 6627e8d5 e169c58d bc57ac4c 9b00dbd8 (kat_vectors of
   Random123). */
static void known_answer(void) {
    static const char *const engines[] = {"cpu", "ref"};
    for (int e = 0; e < 2; e++) {
        ty_use_engine(engines[e]);
        float singles[] = {0x6627e8p-24F, 0xe169c5p-24F, 0xbc57acp-24F, 0x9b00dbp-24F};
        double doubles[] = {0x1.c2d38b1acc4fdp-1, 0x1.3601b7b178af5p-1};
        compare_bits(ty_uniform(TY_F32, TY_SHAPE(4), ty_key(0)), ty_from(TY_F32, TY_SHAPE(4), singles),
                     "f32, %s", engines[e]);
        compare_bits(ty_uniform(TY_F64, TY_SHAPE(2), ty_key(0)), ty_from(TY_F64, TY_SHAPE(2), doubles),
                     "f64, %s", engines[e]);
    }
}

/* kat_vectors of Random123 for philox4x32 with 10 rounds: counter, key, result. */
static const uint32_t published[][10] = {
    {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
    {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d, 0x41c83b0e,
     0xa20bc7c6, 0x6d5451fd},
    {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09, 0x94fdcceb,
     0x5001e420, 0x24126ea1},
};

/* The loops of each instruction set make the blocks around the counter. */
static void published_vectors(void) {
    for (size_t v = 0; v < sizeof published / sizeof *published; v++) {
        const uint32_t *given = published[v], *answer = given + 6;
        uint32_t block[4] = {given[0], given[1], given[2], given[3]}, many[4 * 67];
        philox(block, given[4], given[5]);
        CHECK(!memcmp(block, answer, sizeof block), "vector %zu is %08x %08x %08x %08x", v, block[0],
              block[1], block[2], block[3]);
        uint64_t counter = given[0] | (uint64_t)given[1] << 32, stream = given[2] | (uint64_t)given[3] << 32;
        for (int isa = 0; isa <= (int)isa_best(); isa++) {
            isa_force((enum isa)isa);
            random_loops_current()->words(counter - 33, 67, stream, given[4] | (uint64_t)given[5] << 32,
                                          many);
            CHECK(!memcmp(many + 4 * 33, answer, sizeof block), "vector %zu, %s", v, isa_name((enum isa)isa));
        }
    }
}

struct drawing {
    ty_tensor *key;
    ty_dtype dtype;
    int64_t n;
    ty_tensor *(*draw)(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *key);
};

static ty_tensor *draw_it(const void *context) {
    const struct drawing *d = context;
    return d->draw(d->dtype, 1, &d->n, d->key);
}

static ty_tensor *fold_it(const void *context) {
    const struct drawing *d = context;
    return ty_fold(d->key, (uint64_t)d->n);
}

static void engines_agree(void) {
    static const int64_t sizes[] = {1, 2, 3, 5, 16, 17, 1023, 5001};
    static const ty_dtype dtypes[] = {TY_F16, TY_BF16, TY_F32, TY_F64};
    for (int d = 0; d < 4; d++)
        for (int s = 0; s < 8; s++) {
            struct test_round round = test_round();
            struct drawing u = {ty_fold(ty_key(0x123456789ABCDEF), (uint64_t)s), dtypes[d], sizes[s],
                                ty_uniform};
            compare_engines(draw_it, &u, 0, 0, "%lld uniform %s", (long long)u.n, ty_dtype_name(u.dtype));
            u.draw = ty_normal;
            double unit = relative_ulp(u.dtype);
            compare_engines(draw_it, &u, 2 * unit, 4 * unit, "%lld normal %s", (long long)u.n,
                            ty_dtype_name(u.dtype));
            test_round_end(round);
        }
    struct drawing f = {ty_key(7), TY_U64, 3, NULL};
    compare_engines(fold_it, &f, 0, 0, "a folded key");
}

/* Bits do not depend on threads, instruction set, or the length of the draw. */
static void any_width(void) {
    static const int widths[] = {1, 2, 3, 8};
    static ty_tensor *(*const draws[])(ty_dtype, int, const int64_t *, ty_tensor *) = {ty_uniform, ty_normal};
    for (int k = 0; k < 2; k++) {
        ty_tensor *first = draws[k](TY_F32, TY_SHAPE(100003), ty_key(3));
        for (int w = 0; w < 4; w++) {
            struct test_round round = test_round();
            ty_set_threads(widths[w]);
            compare_bits(draws[k](TY_F32, TY_SHAPE(100003), ty_key(3)), first, "%d threads", widths[w]);
            test_round_end(round);
        }
        compare_bits(draws[k](TY_F32, TY_SHAPE(1001), ty_key(3)), ty_slice(first, 0, 0, 1001, 1),
                     "a shorter draw");
        compare_bits(draws[k](TY_F32, TY_SHAPE(7, 11, 13), ty_key(3)),
                     ty_reshape(ty_slice(first, 0, 0, 1001, 1), TY_SHAPE(7, 11, 13)), "another shape");
    }
}

static void keys(void) {
    ty_tensor *a = ty_uniform(TY_F64, TY_SHAPE(4), ty_key(1)),
              *b = ty_uniform(TY_F64, TY_SHAPE(4), ty_key(2));
    ty_tensor *c = ty_uniform(TY_F64, TY_SHAPE(4), ty_fold(ty_key(1), 0)),
              *d = ty_uniform(TY_F64, TY_SHAPE(4), ty_fold(ty_key(1), 1));
    ty_tensor *all[] = {a, b, c, d};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            CHECK(ty_item(ty_any(ty_eq(CHECK_OK(all[i]), CHECK_OK(all[j])), TY_ALL)) == 0,
                  "keys %d and %d share a number", i, j);
    ty_tensor *lazy = ty_uniform(TY_F64, TY_SHAPE(4), ty_lazy(ty_key(1)));
    CHECK(ty_is_promise(lazy), "a promised key gives promised numbers");
    compare_bits(lazy, a, "and the same ones");
}

static void check_moments(ty_tensor *x, double mean, double variance) {
    double n = (double)ty_size(x), m = ty_item(ty_mean(ty_cast(x, TY_F64), TY_ALL));
    double v = ty_item(ty_variance(ty_cast(x, TY_F64), TY_ALL));
    CHECK_OK(x);
    CHECK(fabs(m - mean) < 4 * sqrt(variance / n), "%s: mean %g, expected %g", ty_dtype_name(ty_dtype_of(x)),
          m, mean);
    CHECK(fabs(v - variance) < 8 * variance / sqrt(n), "%s: variance %g, expected %g",
          ty_dtype_name(ty_dtype_of(x)), v, variance);
}

static void uniform_moments(void) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64};
    for (int d = 0; d < 2; d++) {
        ty_tensor *x = ty_uniform(dtypes[d], TY_SHAPE(200000), ty_key(11));
        check_moments(x, 0.5, 1 / 12.0);
        CHECK(ty_item(ty_amin(x, TY_ALL)) >= 0 && ty_item(ty_amax(x, TY_ALL)) < 1,
              "uniform numbers lie in [0, 1)");
        ty_tensor *low = ty_slice(x, 0, 0, -1, 1), *high = ty_slice(x, 0, 1, TY_END, 1);
        double covariance =
            ty_item(ty_mean(ty_mul(ty_sub(low, ty_num(0.5)), ty_sub(high, ty_num(0.5))), TY_ALL));
        CHECK(fabs(covariance) < 4 / 12.0 / sqrt(200000), "neighbours have covariance %g", covariance);
    }
}

static void normal_moments(void) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64};
    for (int d = 0; d < 2; d++) {
        ty_tensor *x = ty_normal(dtypes[d], TY_SHAPE(200000), ty_key(12));
        check_moments(x, 0, 1);
        double fourth = ty_item(ty_mean(ty_square(ty_square(x)), TY_ALL));
        CHECK(fabs(fourth - 3) < 0.1, "the fourth moment is %g, expected 3", fourth);
        double inside = ty_item(ty_mean(ty_cast(ty_lt(ty_abs(x), ty_num(1)), TY_F64), TY_ALL));
        CHECK(fabs(inside - 0.682689) < 0.005, "%g of the numbers lie within one deviation", inside);
    }
}

static void bernoulli_moments(void) {
    for (int i = 0; i <= 4; i++) {
        ty_tensor *x = CHECK_OK(ty_bernoulli(TY_SHAPE(100000), i / 4.0, ty_key(5)));
        double p = ty_item(ty_mean(ty_cast(x, TY_F64), TY_ALL));
        CHECK(ty_dtype_of(x) == TY_BOOL, "bernoulli is bool");
        CHECK(fabs(p - i / 4.0) <= 4 * 0.5 / sqrt(100000), "%g of the draws are true, expected %g", p,
              i / 4.0);
        CHECK((i > 0 && i < 4) || p == i / 4.0, "probabilities 0 and 1 are certain");
    }
}

static void random_errors(void) {
    CHECK_POISON(ty_uniform(TY_F32, TY_SHAPE(2), ty_num(3)), "key");
    CHECK_POISON(ty_uniform(TY_I32, TY_SHAPE(2), ty_key(3)), "i32");
    CHECK_POISON(ty_normal(TY_C64, TY_SHAPE(2), ty_key(3)), "c64");
    CHECK_POISON(ty_bernoulli(TY_SHAPE(2), 1.5, ty_key(3)), "1.5");
}

static const struct test_case cases[] = {
#define CASE(name, operators) TEST_REACHES(name, operators),
#include "tests/ops/random/random.def"
};
TESTS_MAIN_TABLE(cases)
