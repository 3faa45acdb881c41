/* 128-bit integers of two words, against the compiler's type, or without it against identities. */
#include <string.h>

#define WIDE_WORDS
#include "base/wide.h"
#include "tests/support/harness.h"

/* Return an integer of random magnitude, often an extreme one. */
static int64_t draw(void) {
    static const int64_t ends[] = {0,         1, -1, 2, INT64_MAX, INT64_MIN, INT64_MIN + 1, INT64_C(1) << 32,
                                   UINT32_MAX};
    if (test_between(0, 2) == 0) return ends[test_between(0, sizeof ends / sizeof *ends - 1)];
    return (int64_t)test_random() >> test_between(0, 63);
}

static wide of(int64_t high, int64_t low) { return (wide){(uint64_t)low, high}; }

static bool equal(wide a, wide b) { return a.low == b.low && a.high == b.high; }

static void rules(void) {
    for (int i = 0; i < 100000; i++) {
        wide a = of(draw(), draw()), b = of(draw(), draw());
        int64_t s = draw(), t = draw();
        CHECK(equal(wide_subtract(wide_add(a, b), b), a), "a + b - b");
        CHECK(wide_compare(a, b) == -wide_compare(b, a), "a < b is b > a");
        CHECK(equal(wide_times(wide_add(a, b), s), wide_add(wide_times(a, s), wide_times(b, s))),
              "(a + b) s");
        CHECK(equal(wide_product(s, t), wide_product(t, s)), "%lld * %lld", (long long)s, (long long)t);
        CHECK(wide_low(wide_product(s, t)) == (uint64_t)s * (uint64_t)t, "the lower word of a product");
        CHECK(equal(wide_times(a, -1), wide_subtract(wide_of(0), a)), "-a");
        if (!t) continue;
        wide q = wide_floor_divide(wide_product(s, t), wide_of(t));
        CHECK(equal(q, wide_of(s)), "%lld * %lld / %lld", (long long)s, (long long)t, (long long)t);
        wide rest = wide_subtract(a, wide_times(wide_floor_divide(a, wide_of(t)), t));
        bool inside = t > 0 ? wide_within(rest, 0, t - 1) : wide_within(rest, t + 1, 0);
        CHECK(inside || a.high == INT64_MIN, "a rest has the divisor's sign and is below it");
    }
}

#ifdef __SIZEOF_INT128__
static __int128 exact(wide a) { return (__int128)((unsigned __int128)a.high << 64 | a.low); }

static __int128 floored(__int128 a, __int128 b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

static void as_the_compiler_has_it(void) {
    for (int i = 0; i < 100000; i++) {
        wide a = of(draw() >> 2, draw()), b = of(draw() >> 2, draw());
        int64_t s = draw();
        uint64_t m = (uint64_t)draw(), n = (uint64_t)draw();
        wide divisor = test_between(0, 1) ? wide_of(s) : wide_subtract(wide_of(0), wide_of_natural(m));
        CHECK(product_high(m, n) == (uint64_t)((unsigned __int128)m * n >> 64), "%llx * %llx",
              (unsigned long long)m, (unsigned long long)n);
        CHECK(exact(wide_add(a, b)) == exact(a) + exact(b), "a sum");
        CHECK(exact(wide_subtract(a, b)) == exact(a) - exact(b), "a difference");
        CHECK((unsigned __int128)exact(wide_times(a, s)) ==
                  (unsigned __int128)exact(a) * (unsigned __int128)s,
              "a product");
        CHECK(wide_less(a, b) == (exact(a) < exact(b)), "which is less");
        CHECK(exact(wide_of_natural(m)) == m, "a natural number");
        double x = wide_double(a), y = (double)exact(a);
        CHECK(x == y || (x / y > 1 - 1e-15 && x / y < 1 + 1e-15), "%g as a double is %g", y, x);
        if (wide_compare(divisor, wide_of(0)) != 0)
            CHECK(exact(wide_floor_divide(a, divisor)) == floored(exact(a), exact(divisor)), "a quotient");
    }
}
#else
static void as_the_compiler_has_it(void) {}
#endif

TESTS_MAIN(TEST(rules), TEST(as_the_compiler_has_it))
