/*
 * The mathematics of doubles (base/math/scalar.h): values of mpmath within their bounds (scalar_values.py), and the
 * same bits by FMA instructions and by fma(). Hashes of many results hold for every processor, compiler and C library.
 */
#include <math.h>
#include <string.h>

#include "base/machine/isa.h"
#include "base/math/scalar.h"
#include "tests/support/harness.h"

struct pair {
    double real, imaginary;
};
/* Return the function of that name at a and b: operands of a real function, or parts of a complex one. */
static struct pair value_of(const char *name, double a, double b) {
    double _Complex z = __builtin_complex(a, b), w = 0;
#define SCALAR1(f)                                                                                           \
    if (!strcmp(name, #f)) w = math_##f(a);
#define SCALAR2(f)                                                                                           \
    if (!strcmp(name, #f)) w = math_##f(a, b);
#define COMPLEX1(f)                                                                                          \
    if (!strcmp(name, #f)) w = math_##f(z);
#define COMPLEX2(f)                                                                                          \
    if (!strcmp(name, #f)) w = math_##f(z, __builtin_complex(b, -a / 3));
#include "base/math/scalar.def"
    return (struct pair){__real__ w, __imag__ w};
}

static const struct value {
    const char *name;
    bool is_complex;
    double a, b;
    struct pair want;
} values[] = {
#define REAL(name, a, b, want) {#name, false, a, b, {want, 0}},
#define COMPLEX(name, a, b, real, imaginary) {#name, true, a, b, {real, imaginary}},
#include "tests/base/scalar_values.def"
};

/* Return the bound in units of the last place: 2 for each part of a complex result. */
static double bound_of(const struct value *v) {
    static const char *const loose[] = {"lgamma", "j0", "j1", "y0", "y1"};
    for (size_t i = 0; i < sizeof loose / sizeof *loose; i++)
        if (!strcmp(v->name, loose[i])) return 3;
    return v->is_complex ? 2 : 1;
}
/* Return true if got is within some units of a table's entry, which is rounded itself. */
static bool is_close(double got, double want, double ulps) {
    int exponent;
    if (got == want) return true; /* also infinities */
    frexp(want, &exponent);
    return fabs(got - want) <= ulps * ldexp(1, exponent < -1021 ? -1074 : exponent - 53);
}
static void accuracy(void) {
    for (int isa = 0; isa <= (int)isa_best(); isa++) {
        isa_force((enum isa)isa);
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            const struct value *v = &values[i];
            struct pair got = value_of(v->name, v->a, v->b);
            bool well = is_close(got.real, v->want.real, bound_of(v)) &&
                        is_close(got.imaginary, v->want.imaginary, bound_of(v));
            CHECK(well, "%s %s(%a, %a) is %a, %a; not %a, %a", isa_name(isa_current()), v->name, v->a, v->b,
                  got.real, got.imaginary, v->want.real, v->want.imaginary);
        }
    }
    isa_force(isa_best());
}

/* ---- bits ---- */

/* Return a number of any exponent, or a usual one, or an end, from the state of a generator (Marsaglia's xorshift). */
static double next_number(uint64_t *state) {
    static const double ends[] = {0.0,         -0.0,      1, -1, (double)INFINITY, -(double)INFINITY,
                                  (double)NAN, 0x1p-1074, 2, -2};
    double x;
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    uint64_t kind = *state % 8, bits = *state * UINT64_C(0x9e3779b97f4a7c15);
    if (kind == 0) return ends[(bits >> 32) % (sizeof ends / sizeof *ends)];
    if (kind > 1)
        bits = (bits & UINT64_C(0x800fffffffffffff)) | (UINT64_C(1013) + bits % (kind < 5 ? 12 : 20)) << 52;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static uint64_t add(uint64_t hash, double x) {
    uint64_t bits = UINT64_MAX;
    if (!isnan(x)) memcpy(&bits, &x, sizeof bits);
    return (hash ^ bits) * UINT64_C(0x100000001b3);
}
/* Return a hash of 1000 results, NaN counted as one. */
static uint64_t hash_of(const char *name) {
    uint64_t state = 48, hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < 1000; i++) {
        double a = next_number(&state), b = next_number(&state);
        struct pair y = value_of(name, a, b);
        hash = add(add(hash, y.real), y.imaginary);
    }
    return hash;
}
static const struct {
    const char *name;
    uint64_t hash;
} hashes[] = {
#define HASH(name, hash) {#name, UINT64_C(hash)},
#include "tests/base/scalar_hashes.def"
#undef HASH
};
/* Return the stored hash, or 0. */
static uint64_t stored(const char *name) {
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++)
        if (!strcmp(hashes[i].name, name)) return hashes[i].hash;
    return 0;
}
static void bits(void) {
    static const char *const names[] = {
#define SCALAR1(f) #f,
#define SCALAR2(f) #f,
#define COMPLEX1(f) #f,
#define COMPLEX2(f) #f,
#include "base/math/scalar.def"
    };
    for (int isa = 0; isa <= (int)isa_best(); isa++) {
        isa_force((enum isa)isa);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            uint64_t found = hash_of(names[i]), want = stored(names[i]);
            CHECK(found == want, "%s: expected in scalar_hashes.def: HASH(%s, 0x%016llx)",
                  isa_name(isa_current()), names[i], (unsigned long long)found);
        }
    }
    isa_force(isa_best());
}

/* ---- products ---- */

static bool is_same(double a, double b) { return isnan(a) ? isnan(b) : a == b && !signbit(a) == !signbit(b); }

/* Products of complex numbers with all pairs of these parts, against the compiler's, by C's annex G. The last two
   overflow as floats, or as doubles too. */
static void products(void) {
    static const double parts[] = {0.0,         -0.0,  1,     -3,      (double)INFINITY, -(double)INFINITY,
                                   (double)NAN, 1e-30, 1e-35, 0x1p100, -0x1p1000};
    enum { PARTS = sizeof parts / sizeof *parts, PAIRS = PARTS * PARTS };
    for (int i = 0; i < PAIRS * PAIRS; i++) {
        double _Complex a = __builtin_complex(parts[i % PARTS], parts[i / PARTS % PARTS]);
        double _Complex b = __builtin_complex(parts[i / PAIRS % PARTS], parts[i / PAIRS / PARTS]);
        float _Complex short_a = (float _Complex)a, short_b = (float _Complex)b;
        double _Complex got = math_cmul(a, b), want = a * b;
        double _Complex short_got = (double _Complex)math_cmulf(short_a, short_b);
        double _Complex short_want = (double _Complex)(short_a * short_b);
        CHECK(is_same(__real__ got, __real__ want) && is_same(__imag__ got, __imag__ want),
              "(%g%+gi) (%g%+gi) is %g%+gi; not %g%+gi", __real__ a, __imag__ a, __real__ b, __imag__ b,
              __real__ got, __imag__ got, __real__ want, __imag__ want);
        CHECK(is_same(__real__ short_got, __real__ short_want) &&
                  is_same(__imag__ short_got, __imag__ short_want),
              "(%g%+gi) (%g%+gi) of floats is %g%+gi; not %g%+gi", __real__ a, __imag__ a, __real__ b,
              __imag__ b, __real__ short_got, __imag__ short_got, __real__ short_want, __imag__ short_want);
    }
}

TESTS_MAIN(TEST(accuracy), TEST(bits), TEST(products))
