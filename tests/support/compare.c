/* Comparison of tensors. */
#include "tests/support/compare.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "array/tensor.h"
#include "base/machine/isa.h"
#include "tests/support/harness.h"

#undef compare_rounded
#undef compare_near
#undef compare_bits
#undef compare_engines
#undef compare_numbers

/* Place of the call whose tensors are compared. */
static struct {
    const char *file;
    int line;
} caller = {"", 0};

void compare_at(const char *file, int line) {
    caller.file = file;
    caller.line = line;
}

/* CHECK and CHECK_OK at the place of the call. */
#define MUST(condition, ...)                                                                                 \
    ((condition) ? (void)0 : test_fail(caller.file, caller.line, #condition, __VA_ARGS__))
#define MUST_BE_OK(tensor) test_check_ok(caller.file, caller.line, #tensor, tensor)

/* Map a real to an integer that is monotonic in it: neighbours differ by one, 0 and -0 are equal. */
static int64_t ordered(ty_dtype dtype, const void *at) {
    uint16_t half;
    uint32_t single;
    int64_t magnitude;
    bool negative;
    switch (ty_dtype_size(dtype)) {
    case 2:
        memcpy(&half, at, sizeof half);
        negative = half >> 15;
        magnitude = half & 0x7FFF;
        break;
    case 4:
        memcpy(&single, at, sizeof single);
        negative = single >> 31;
        magnitude = single & 0x7FFFFFFF;
        break;
    default:
        memcpy(&magnitude, at, sizeof magnitude);
        negative = magnitude < 0;
        magnitude &= INT64_MAX;
    }
    return negative ? -magnitude : magnitude;
}

static double reals_apart(ty_dtype dtype, const void *a, const void *b) {
    bool nan_a = isnan(creall(element_load(dtype, a).z)), nan_b = isnan(creall(element_load(dtype, b).z));
    if (nan_a || nan_b) return nan_a && nan_b ? 0 : INFINITY;
    return fabs((double)((long double)ordered(dtype, a) - (long double)ordered(dtype, b)));
}

static bool is_nan(long double _Complex z) { return isnan(creall(z)) || isnan(cimagl(z)); }

static bool is_finite(long double _Complex z) { return isfinite(creall(z)) && isfinite(cimagl(z)); }

static double complex_apart(ty_dtype dtype, const void *a, const void *b) {
    long double _Complex x = element_load(dtype, a).z, y = element_load(dtype, b).z;
    long double larger = fmaxl(cabsl(x), cabsl(y));
    if (isnan(larger) || isinf(larger)) return is_finite(x) == is_finite(y) ? 0 : INFINITY;
    int digits = dtype == TY_C64 ? FLT_MANT_DIG : DBL_MANT_DIG, lowest = dtype == TY_C64 ? -149 : -1074;
    int exponent = larger == 0 ? lowest : ilogbl(larger) - digits + 1;
    return (double)(cabsl(x - y) / ldexpl(1, exponent < lowest ? lowest : exponent));
}

double ulps_apart(ty_dtype dtype, const void *a, const void *b) {
    if (dtype_is(dtype, CLASS_COMPLEX)) return complex_apart(dtype, a, b);
    if (dtype_is(dtype, CLASS_FLOAT)) return reals_apart(dtype, a, b);
    return memcmp(a, b, ty_dtype_size(dtype)) == 0 ? 0 : INFINITY;
}

static void words_of(char *out, size_t capacity, ty_dtype dtype, const void *at) {
    struct element e = element_load(dtype, at);
    if (dtype_is(dtype, CLASS_COMPLEX))
        snprintf(out, capacity, "%.17g%+.17gj", (double)creall(e.z), (double)cimagl(e.z));
    else if (dtype_is(dtype, CLASS_FLOAT))
        snprintf(out, capacity, "%.17g", (double)creall(e.z));
    else
        snprintf(out, capacity, dtype == TY_U64 ? "%llu" : "%lld", (long long)e.i);
}

/* Return a copy of all elements in row-major order, freed when the test ends. */
static char *elements(ty_tensor *x, const char *what) {
    MUST_BE_OK(x);
    char *data = test_room((size_t)ty_size(x) * ty_dtype_size(ty_dtype_of(x)));
    if (!ty_read(x, ty_dtype_of(x), data)) {
        MUST_BE_OK(ty_eval(x));
        test_fail(caller.file, caller.line, "ty_read(x)", "%s: ty_read failed on a tensor that evaluates",
                  what);
    }
    return data;
}

struct pair {
    ty_dtype dtype;
    int64_t n;
    char *got, *want;
};

static int64_t comparisons;
int64_t compare_count(void) { return comparisons; }

static struct pair pair_of(ty_tensor *got, ty_tensor *want, const char *what) {
    char left[128], right[128];
    comparisons++;
    MUST_BE_OK(got);
    MUST_BE_OK(want);
    bool same = ty_dtype_of(got) == ty_dtype_of(want) && ty_rank(got) == ty_rank(want) &&
                (ty_rank(got) == 0 ||
                 memcmp(ty_shape(got), ty_shape(want), (size_t)ty_rank(got) * sizeof(int64_t)) == 0);
    MUST(same, "%s: got %s, expected %s", what, tensor_describe_into(left, sizeof left, got),
         tensor_describe_into(right, sizeof right, want));
    struct pair p = {ty_dtype_of(got), ty_size(got), elements(got, what), elements(want, what)};
    return p;
}

static void differ(const struct pair *p, int64_t i, const char *what, double apart) {
    char left[80], right[80];
    size_t size = ty_dtype_size(p->dtype);
    words_of(left, sizeof left, p->dtype, p->got + (size_t)i * size);
    words_of(right, sizeof right, p->dtype, p->want + (size_t)i * size);
    test_fail(caller.file, caller.line, "got == want", "%s: element %lld of %lld is %s, expected %s (%g ulp)",
              what, (long long)i, (long long)p->n, left, right, apart);
}

#define SENTENCE(what)                                                                                       \
    char sentence[512];                                                                                      \
    va_list args;                                                                                            \
    va_start(args, what);                                                                                    \
    vsnprintf(sentence, sizeof sentence, what, args);                                                        \
    va_end(args)

static double smallest_normal(ty_dtype dtype) {
    switch (dtype_table[dtype].real) {
    case TY_F16:
        return 0x1p-14;
    case TY_BF16:
    case TY_F32:
        return FLT_MIN;
    default:
        return DBL_MIN;
    }
}

void compare_rounded(ty_tensor *got, ty_tensor *want, double ulps, double tiny, const char *what, ...) {
    SENTENCE(what);
    struct pair p = pair_of(got, want, sentence);
    size_t size = ty_dtype_size(p.dtype);
    for (int64_t i = 0; i < p.n; i++) {
        const char *a = p.got + (size_t)i * size, *b = p.want + (size_t)i * size;
        if (memcmp(a, b, size) == 0) continue;
        double apart = ulps_apart(p.dtype, a, b);
        long double distance = cabsl(element_load(p.dtype, a).z - element_load(p.dtype, b).z);
        bool small = isfinite(apart) && distance <= (long double)(tiny * smallest_normal(p.dtype));
        if (!(apart <= ulps || small)) differ(&p, i, sentence, apart);
    }
}

void compare_near(ty_tensor *got, ty_tensor *want, double relative, double absolute, const char *what, ...) {
    SENTENCE(what);
    struct pair p = pair_of(got, want, sentence);
    size_t size = ty_dtype_size(p.dtype);
    for (int64_t i = 0; i < p.n; i++) {
        const char *a = p.got + (size_t)i * size, *b = p.want + (size_t)i * size;
        if (memcmp(a, b, size) == 0) continue;
        double apart = ulps_apart(p.dtype, a, b);
        long double _Complex x = element_load(p.dtype, a).z, y = element_load(p.dtype, b).z;
        bool near = dtype_is(p.dtype, CLASS_FLOAT | CLASS_COMPLEX) &&
                    cabsl(x - y) <= (long double)absolute + (long double)relative * cabsl(y);
        if (apart != 0 && !near) differ(&p, i, sentence, apart);
    }
}

double relative_ulp(ty_dtype dtype) {
    switch (dtype_table[dtype].real) {
    case TY_F16:
        return 0x1p-10;
    case TY_BF16:
        return 0x1p-7;
    case TY_F32:
        return FLT_EPSILON;
    case TY_F64:
        return DBL_EPSILON;
    default:
        return 0;
    }
}

void compare_engines(ty_tensor *(*compute)(const void *context), const void *context, double relative,
                     double absolute, const char *what, ...) {
    SENTENCE(what);
    ty_use_engine("ref");
    ty_tensor *want = compute(context);
    ty_use_engine("cpu");
    for (int isa = 0; isa <= (int)isa_best(); isa++) {
        isa_force((enum isa)isa);
        compare_near(compute(context), want, relative, absolute, "%s, %s", sentence, isa_name((enum isa)isa));
    }
}

void compare_bits(ty_tensor *got, ty_tensor *want, const char *what, ...) {
    SENTENCE(what);
    struct pair p = pair_of(got, want, sentence);
    size_t size = ty_dtype_size(p.dtype);
    for (int64_t i = 0; i < p.n; i++) {
        const char *a = p.got + (size_t)i * size, *b = p.want + (size_t)i * size;
        if (memcmp(a, b, size) == 0) continue;
        bool both_nan = ulps_apart(p.dtype, a, b) == 0 && is_nan(element_load(p.dtype, a).z);
        if (!both_nan) differ(&p, i, sentence, ulps_apart(p.dtype, a, b));
    }
}

void compare_numbers(ty_tensor *got, int64_t n, const double *want, const char *what, ...) {
    SENTENCE(what);
    MUST_BE_OK(got);
    MUST(ty_size(got) == n, "%s: got %lld elements, expected %lld", sentence, (long long)ty_size(got),
         (long long)n);
    ty_dtype dtype = ty_dtype_of(got);
    size_t size = ty_dtype_size(dtype);
    struct pair p = {dtype, n, elements(got, sentence), test_room((size_t)n * size)};
    for (int64_t i = 0; i < n; i++) {
        element_store(dtype, p.want + (size_t)i * size, TY_F64, (struct element){.z = want[i]});
        double apart = ulps_apart(dtype, p.got + (size_t)i * size, p.want + (size_t)i * size);
        if (!(apart <= 1)) differ(&p, i, sentence, apart);
    }
}
