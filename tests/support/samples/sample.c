/* Operands for tests. */
#include "tests/support/samples/sample.h"

#include <math.h>
#include <string.h>

#include "array/layout.h"
#include "tests/support/harness.h"

const char *sample_layout_name(enum sample_layout layout) {
    static const char *const names[LAYOUTS] = {"contiguous", "strided",    "negative", "broadcast",
                                               "size one",   "transposed", "offset",   "window",
                                               "scalar",     "empty",      "long"};
    return names[layout];
}

static struct element random_element(ty_dtype dtype, double low, double high) {
    if (dtype == TY_BOOL) return (struct element){.i = test_between(0, 1)};
    if (dtype_is(dtype, CLASS_UNSIGNED) && low < 0) {
        high = high < 0 ? -low : high;
        low = 0;
    }
    if (dtype_is(dtype, CLASS_INTEGER))
        return (struct element){.i = test_between((int64_t)ceil(low), (int64_t)floor(high))};
    struct element e = {.z = test_uniform(low, high)};
    if (dtype_is(dtype, CLASS_COMPLEX)) __imag__ e.z = test_uniform(-high, high);
    return e;
}

static ty_dtype widest(ty_dtype dtype) {
    return dtype_is(dtype, CLASS_FLOAT) ? TY_F64 : dtype_is(dtype, CLASS_COMPLEX) ? TY_C128 : TY_I64;
}

void sample_fill(ty_dtype dtype, void *out, int64_t n, double low, double high) {
    size_t size = ty_dtype_size(dtype);
    for (int64_t i = 0; i < n; i++)
        element_store(dtype, (char *)out + (size_t)i * size, widest(dtype), random_element(dtype, low, high));
}

void sample_fill_all(ty_dtype dtype, void *out, int64_t n, double low, double high) {
    _Alignas(16) char special[SAMPLE_SPECIALS * 16];
    size_t size = ty_dtype_size(dtype);
    int specials = sample_specials(dtype, special);
    sample_fill(dtype, out, n, low, high);
    for (int64_t i = 0; i < n; i++) {
        char *at = (char *)out + (size_t)i * size;
        uint64_t bits[2] = {test_random(), test_random()};
        int which = (int)(bits[0] >> 60);
        if (dtype == TY_BOOL) continue;
        if (which < 4) memcpy(at, bits, size);
        if (which == 4) memcpy(at, special + (size_t)(bits[1] % (uint64_t)specials) * size, size);
    }
}

ty_tensor *sample_shape(ty_dtype dtype, int rank, const int64_t *shape, double low, double high) {
    int64_t n = shape_size(rank, shape);
    void *data = test_room((size_t)n * ty_dtype_size(dtype));
    sample_fill(dtype, data, n, low, high);
    return ty_from(dtype, rank, shape, data);
}

ty_tensor *sample(ty_dtype dtype, enum sample_layout layout, double low, double high) {
    ty_tensor *x;
    switch (layout) {
    case LAYOUT_STRIDED:
        x = sample_shape(dtype, TY_SHAPE(3, 10), low, high);
        return ty_slice(x, 1, 1, TY_END, 2);
    case LAYOUT_NEGATIVE:
        x = sample_shape(dtype, TY_SHAPE(3, 5), low, high);
        return ty_flip(ty_flip(x, 0), 1);
    case LAYOUT_BROADCAST:
        x = sample_shape(dtype, TY_SHAPE(1, 5), low, high);
        return ty_broadcast(x, TY_SHAPE(3, 5));
    case LAYOUT_SIZE_ONE:
        return sample_shape(dtype, TY_SHAPE(3, 1), low, high);
    case LAYOUT_TRANSPOSED:
        return ty_transpose(sample_shape(dtype, TY_SHAPE(5, 3), low, high));
    case LAYOUT_OFFSET:
        x = sample_shape(dtype, TY_SHAPE(7, 9), low, high);
        return ty_slice(ty_slice(x, 0, 2, 5, 1), 1, 3, 8, 1);
    case LAYOUT_WINDOW:
        return ty_window(sample_shape(dtype, TY_SHAPE(7), low, high), 0, 5, 1, 1);
    case LAYOUT_SCALAR:
        return sample_shape(dtype, TY_SCALAR, low, high);
    case LAYOUT_EMPTY:
        return sample_shape(dtype, TY_SHAPE(0, 5), low, high);
    case LAYOUT_LONG:
        return sample_shape(dtype, TY_SHAPE(2500), low, high);
    default:
        return sample_shape(dtype, TY_SHAPE(3, 5), low, high);
    }
}

/* Write the least and greatest of an integer dtype and their neighbours, small numbers, and counts near
   the width. */
static int specials_integer(ty_dtype dtype, int64_t *out) {
    int bits = 8 * (int)ty_dtype_size(dtype), n = 0;
    uint64_t all = UINT64_MAX >> (64 - bits), top = dtype_is(dtype, CLASS_SIGNED) ? all >> 1 : all;
    int64_t low = dtype_is(dtype, CLASS_SIGNED) ? -(int64_t)top - 1 : 0;
    const int64_t numbers[] = {0,   1,       2,  3,  7, bits - 1, bits, (int64_t)top, (int64_t)top - 1,
                               low, low + 1, -1, -2, -7};
    int count = (int)(sizeof numbers / sizeof *numbers) - (dtype_is(dtype, CLASS_SIGNED) ? 0 : 3);
    for (; n < count; n++) out[n] = numbers[n];
    return n;
}

static int specials_real(ty_dtype dtype, double *out) {
    static const struct {
        double most, normal, least;
    } limits[] = {[TY_F16] = {65504, 0x1p-14, 0x1p-24},
                  [TY_BF16] = {0x1.FEp127, 0x1p-126, 0x1p-133},
                  [TY_F32] = {0x1.FFFFFEp127, 0x1p-126, 0x1p-149},
                  [TY_F64] = {0x1.FFFFFFFFFFFFFp1023, 0x1p-1022, 0x1p-1074}};
    double most = limits[dtype].most, normal = limits[dtype].normal, least = limits[dtype].least;
    const double numbers[] = {0,    -0.0,  1,      -1,      0.5,   -0.5,  1.5,      2.5,
                              -2.5, 3,     10,     -10,     100,   NAN,   INFINITY, -INFINITY,
                              most, -most, normal, -normal, least, -least};
    memcpy(out, numbers, sizeof numbers);
    return (int)(sizeof numbers / sizeof *numbers);
}

static int specials_complex(double _Complex *out) {
    static const double parts[][2] = {{0, 0},       {1, 0},    {0, 1},      {-1, 0},  {0, -1}, {2, 3},
                                      {-0.5, 0.25}, {30, -20}, {1e-3, 1e3}, {-2, -2}, {3, 0}};
    int n = (int)(sizeof parts / sizeof *parts);
    for (int i = 0; i < n; i++) {
        __real__ out[i] = parts[i][0];
        __imag__ out[i] = parts[i][1];
    }
    return n;
}

int sample_specials(ty_dtype dtype, void *out) {
    int64_t whole[SAMPLE_SPECIALS] = {0, 1};
    double reals[SAMPLE_SPECIALS];
    double _Complex numbers[SAMPLE_SPECIALS];
    bool is_real = dtype_is(dtype, CLASS_FLOAT), is_complex = dtype_is(dtype, CLASS_COMPLEX);
    int n = is_real ? specials_real(dtype, reals) : is_complex ? specials_complex(numbers) : 2;
    if (dtype_is(dtype, CLASS_INTEGER)) n = specials_integer(dtype, whole);
    for (int i = 0; i < n; i++) {
        struct element e = {0};
        if (is_real)
            e.z = reals[i];
        else if (is_complex)
            e.z = numbers[i];
        else
            e.i = whole[i];
        element_store(dtype, (char *)out + (size_t)i * ty_dtype_size(dtype), widest(dtype), e);
    }
    return n;
}
