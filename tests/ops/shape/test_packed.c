/* Tensors of dtypes for storage: made of bytes, held, reshaped, viewed, compiled, printed, saved and exchanged; all other
   operators refuse them. */
#include <stdio.h>
#include <string.h>
#include <tyto/dlpack.h>
#include <tyto/io.h>
#include <tyto/tyto.h>
#include "tests/support/compare.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"
#include "tests/support/samples/operator_samples.h"

static const uint8_t some[] = {0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb, 0xed, 0x0f, 0x5a};

/* Return a tensor of shape[rank] whose bytes are the first ones of some[]. */
static ty_tensor *packed(ty_dtype dtype, int rank, const int64_t *shape) {
    return CHECK_OK(ty_from(dtype, rank, shape, some));
}

/* Check that x has the first n bytes of some[]; the bits behind the last element do not count. */
static void check_bytes(ty_tensor *x, int64_t n, int last, const char *what) {
    const uint8_t *data = ty_data(CHECK_OK(x));
    for (int64_t i = 0; i < n && data; i++) {
        int mask = i + 1 < n ? 255 : last;
        CHECK((data[i] & mask) == (some[i] & mask), "%s: byte %d is %d, not %d", what, (int)i, data[i],
              some[i]);
    }
}

static void bytes(void) {
    for (int d = TY_F8_E4M3FN; d <= TY_U2; d++) {
        ty_dtype dtype = (ty_dtype)d;
        int bits = ty_dtype_bits(dtype);
        ty_tensor *x = packed(dtype, TY_SHAPE(7));
        CHECK(ty_dtype_size(dtype) == 1 && bits && strlen(ty_dtype_name(dtype)) > 1, "its row");
        check_bytes(x, (7 * bits + 7) / 8, bits == 8 ? 255 : bits == 4 ? 15 : 63, "from bytes");
        uint8_t out[8] = {0};
        out[(7 * bits + 7) / 8] = 99;
        CHECK((ty_read)(x, dtype, out) || test_starving(), "it is not read");
        CHECK(out[(7 * bits + 7) / 8] == 99, "reading writes too much");
        CHECK(test_starving() || out[0] == some[0], "reading packed bytes");
    }
}

static void shapes(void) {
    for (int d = TY_F8_E4M3FN; d <= TY_U2; d++) {
        ty_dtype dtype = (ty_dtype)d;
        ty_tensor *x = packed(dtype, TY_SHAPE(2, 3)), *y = CHECK_OK(ty_reshape(x, TY_SHAPE(3, 2)));
        CHECK(ty_data(x) == ty_data(y), "a reshape shares");
        compare_bits(ty_cast(y, TY_F64), ty_reshape(ty_cast(x, TY_F64), TY_SHAPE(3, 2)), "reshape");
        ty_tensor *lazy = ty_reshape(ty_lazy(x), TY_SHAPE(3, 2));
        compare_bits(ty_cast(ty_eval(lazy), TY_F64), ty_cast(y, TY_F64), "a promise of a reshape");
        compare_bits(ty_eval(ty_cast(lazy, TY_F64)), ty_cast(y, TY_F64), "a promise of a cast");
        CHECK(ty_is_contiguous(x) && ty_contiguous(x) == x, "it is dense");
        compare_bits(ty_cast(ty_from(dtype, TY_SCALAR, some), TY_F64),
                     ty_reshape(ty_slice(ty_cast(ty_reshape(x, TY_SHAPE(6)), TY_F64), 0, 0, 1, 1), TY_SCALAR),
                     "rank 0");
        ty_tensor *empty = CHECK_OK(ty_from(dtype, TY_SHAPE(0, 5), (const void *)NULL));
        CHECK(ty_size(ty_cast(empty, TY_F32)) == 0 &&
                  ty_size(ty_cast(ty_zeros(TY_F32, TY_SHAPE(0)), dtype)) == 0,
              "no elements");
    }
}

static void views(void) {
    ty_tensor *x = packed(TY_I4, TY_SHAPE(2, 4)), *u = CHECK_OK(ty_view_as(x, TY_U8));
    compare_numbers(u, NUMBERS(0x21, 0x43, 0x65, 0x87), "bytes of i4");
    CHECK(ty_rank(u) == 2 && ty_shape(u)[1] == 2 && ty_data(u) == ty_data(x), "two share a byte");
    compare_numbers(ty_cast(ty_view_as(u, TY_U4), TY_I32), NUMBERS(1, 2, 3, 4, 5, 6, 7, 8), "u4 of bytes");
    compare_numbers(ty_cast(ty_view_as(x, TY_U2), TY_I32),
                    NUMBERS(1, 0, 2, 0, 3, 0, 0, 1, 1, 1, 2, 1, 3, 1, 0, 2), "u2 of i4");
    compare_numbers(ty_view_as(packed(TY_F8_E5M2, TY_SHAPE(2, 2)), TY_I16), NUMBERS(0x4321, (int16_t)0x8765),
                    "i16 of f8");
    compare_numbers(ty_eval(ty_view_as(ty_lazy(x), TY_U8)), NUMBERS(0x21, 0x43, 0x65, 0x87), "a promise");
    compare_bits(ty_cast(ty_eval(ty_view_as(ty_lazy(u), TY_I4)), TY_F32), ty_cast(x, TY_F32),
                 "a promise of i4");
    ty_tensor *strided = ty_view_as(ty_transpose(u), TY_U4);
    compare_numbers(ty_cast(strided, TY_I32), NUMBERS(1, 2, 5, 6, 3, 4, 7, 8), "bytes with steps are copied");
    compare_numbers(ty_cast(ty_eval(ty_view_as(ty_lazy(ty_transpose(u)), TY_U4)), TY_I32),
                    NUMBERS(1, 2, 5, 6, 3, 4, 7, 8), "compiled");
    compare_numbers(ty_cast(ty_view_as(ty_slice(ty_view_as(x, TY_U8), 0, 1, 2, 1), TY_U4), TY_I32),
                    NUMBERS(5, 6, 7, 8), "bytes behind others");
    CHECK_POISON(ty_view_as(packed(TY_I4, TY_SHAPE(3)), TY_U8), "whole bytes");
    CHECK_POISON(ty_view_as(ty_scalar(TY_U8, 1), TY_I4), "0-d");
    CHECK_POISON(ty_view_as(x, TY_BOOL), "bool");
    CHECK_POISON(ty_view_as(x, TY_DTYPES), "i4");
}

/* A weight of 4 bits with a scale for each row, in a compiled product. */
static void compiled(void) {
    ty_tensor *weight = packed(TY_I4, TY_SHAPE(3, 5)), *scale = ty_iota(TY_F32, TY_SHAPE(3, 1), 0);
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(2, 3)), "x"), *w = ty_var(weight, "w");
    ty_tensor *wide = ty_mul(ty_cast(ty_lazy(weight), TY_F32), scale),
              *live = ty_mul(ty_cast(w, TY_F32), scale);
    ty_tensor *outputs[] = {
        ty_matmul(x, wide),          ty_matmul(x, live), ty_cast(ty_matmul(x, wide), TY_F8_E5M2),
        ty_reshape(w, TY_SHAPE(15)), ty_lazy(weight),    ty_view_as(ty_reshape(w, TY_SHAPE(1, 15)), TY_I4)};
    ty_program *p = test_program(ty_compile(6, outputs, (ty_compile_options){0}));
    CHECK(ty_run(p) || test_starving(), "%s", ty_program_error(p));
    ty_tensor *want = ty_matmul(ty_ones(TY_F32, TY_SHAPE(2, 3)), ty_mul(ty_cast(weight, TY_F32), scale));
    compare_bits(ty_output(p, 0), want, "a constant");
    compare_bits(ty_output(p, 1), want, "a variable");
    compare_bits(ty_cast(ty_output(p, 2), TY_F64), ty_cast(ty_cast(want, TY_F8_E5M2), TY_F64),
                 "an output of f8");
    check_bytes(ty_output(p, 3), 8, 15, "the variable itself");
    check_bytes(ty_output(p, 4), 8, 15, "the constant itself");
    ty_tensor *error;
    ty_tensor *negative = ty_cast(ty_neg(ty_cast(weight, TY_I8)), TY_I4);
    CHECK(ty_assign(w, negative, &error) || test_starving(), "%s", ty_error(error));
    CHECK(ty_run(p) || test_starving(), "%s", ty_program_error(p));
    compare_bits(ty_cast(ty_output(p, 3), TY_I8), ty_reshape(ty_cast(negative, TY_I8), TY_SHAPE(15)),
                 "assigned");
}

/* A variable of f8 that a program updates. */
static void updated(void) {
    ty_tensor *w = ty_var(packed(TY_F8_E4M3FN, TY_SHAPE(3)), "w");
    ty_tensor *next = ty_cast(ty_mul(ty_cast(w, TY_F32), ty_num(2)), TY_F8_E4M3FN);
    ty_update update = {w, next};
    ty_tensor *sum = ty_sum(ty_cast(w, TY_F32), TY_ALL);
    ty_program *p =
        test_program(ty_compile(1, &sum, (ty_compile_options){.nupdates = 1, .updates = &update}));
    ty_tensor *was = ty_cast(packed(TY_F8_E4M3FN, TY_SHAPE(3)), TY_F64);
    for (int i = 0; i < 3; i++) CHECK(ty_run(p) || test_starving(), "%s", ty_program_error(p));
    compare_bits(ty_cast(ty_eval(w), TY_F64), ty_mul(was, ty_num(8)), "three updates");
}

static void shown(void) {
    ty_tensor *x = packed(TY_I4, TY_SHAPE(2, 3));
    const char *text = test_text(ty_format(x, (ty_print_options){0})), *info = test_text(ty_info(x));
    CHECK(test_starving() || (text && !strcmp(text, "[[1 2 3]\n [4 5 6]]")), "%s", text);
    CHECK(test_starving() || (info && strstr(info, "i4, 4 bits") && strstr(info, "bytes      3\n")), "%s",
          info);
    text = test_text(ty_format(packed(TY_F8_E4M3FN, TY_SHAPE(2)), (ty_print_options){0}));
    CHECK(test_starving() || (text && !strcmp(text, "[0.140625 2.75    ]")), "%s", text);
    CHECK(ty_item(packed(TY_F4_E2M1, TY_SCALAR)) == 0.5 || test_starving(), "ty_item");
    CHECK(ty_promote(TY_I4, TY_F32) == TY_DTYPES && ty_promote_all(1, (ty_dtype[]){TY_I4}) == TY_DTYPES,
          "no dtype");
}

static void refused(void) {
    static const char *const takes[] = {"reshape", "cast", "view_as", "packed"};
    for (int i = 0; i < operator_sample_count; i++) {
        struct test_round round = test_round();
        const char *name = operator_samples[i].name;
        bool taken = false;
        for (size_t k = 0; k < sizeof takes / sizeof *takes; k++) taken |= !strcmp(name, takes[k]);
        ty_tensor *y = operator_samples[i].run(packed(TY_I4, TY_SHAPE(1, 4, 4, 1)));
        CHECK(taken || !ty_ok(y), "%s takes i4", name);
        CHECK(taken || test_starving() || strstr(ty_error(y), "i4"), "%s: %s", name, ty_error(y));
        test_round_end(round);
    }
    ty_tensor *x = packed(TY_F8_E5M2, TY_SHAPE(4)), *error = NULL, *g = NULL;
    CHECK_POISON(ty_add(x, ty_num(1)), "f8_e5m2 is for storage alone; ty_cast it first");
    CHECK_POISON(ty_add(ty_ones(TY_F32, TY_SHAPE(4)), x), "storage");
    CHECK_POISON(ty_concat(2, (ty_tensor *[]){x, x}, 0), "storage");
    CHECK_POISON(ty_iota(TY_U2, TY_SHAPE(2), 0), "iota: u2 is for storage alone");
    CHECK(!ty_into(x, x, &error), "it is no destination");
    ty_tensor *v = ty_track(x, "v");
    CHECK(!ty_grad(ty_sum(ty_cast(v, TY_F32), TY_ALL), 1, &v, &g), "it has no gradient");
    CHECK_POISON(ty_cast_by(x, TY_I4, (ty_cast_options){.scale = (ty_scale_rounding)7}), "rounding");
}

static void store_nothing(const int64_t *index, void *element, void *context) {
    (void)index, (void)element, (void)context;
}

/* Messages begin with the name of the function that was called. */
static void named(void) {
    ty_tensor *x = packed(TY_U4, TY_SHAPE(3)), *v = ty_track(ty_ones(TY_F32, TY_SHAPE(3)), "v"), *g = NULL;
    CHECK_POISON(ty_zeros(TY_U4, TY_SHAPE(2)), "zeros: u4 is for storage alone");
    CHECK_POISON(ty_empty(TY_U4, TY_SHAPE(2)), "empty: u4 is for storage alone");
    CHECK_POISON(ty_ones(TY_U4, TY_SHAPE(2)), "ones: u4 is for storage alone");
    CHECK_POISON(ty_full(TY_U4, TY_SHAPE(2), 3), "full: u4 is for storage alone");
    CHECK_POISON(ty_scalar(TY_U4, 3), "scalar: u4 is for storage alone");
    CHECK_POISON(ty_memory(TY_U4, TY_SHAPE(2)), "memory: u4 is for storage alone");
    CHECK_POISON(ty_arange(TY_U4, 0, 3, 1), "arange: u4 is for storage alone");
    CHECK_POISON(ty_full_like(x, 3), "full_like: u4 is for storage alone");
    CHECK_POISON(ty_zeros_like(x), "zeros_like: u4 is for storage alone");
    CHECK_POISON(ty_ones_like(x), "ones_like: u4 is for storage alone");
    CHECK_POISON(ty_empty_like(x), "empty_like: u4 is for storage alone");
    CHECK_POISON(ty_from_function(TY_U4, TY_SHAPE(2), store_nothing, NULL),
                 "from_function: u4 is for storage alone");
    CHECK_POISON((ty_from_strided)(TY_U4, TY_SHAPE(4), (int64_t[]){1}, "four"),
                 "from_strided: u4 is for storage alone");
    CHECK_POISON((ty_from_strided)(TY_U4, TY_SHAPE(4), (int64_t[]){1}, NULL),
                 "from_strided: u4 is for storage alone");
    CHECK_POISON(ty_nonzero(x), "nonzero of u4[3]: u4 is for storage alone");
    CHECK_POISON(ty_trim_zeros(x, true, true), "trim_zeros of u4[3]: u4 is for storage alone");
    CHECK(!ty_grad(ty_cast(v, TY_U4), 1, &v, &g), "no gradient of integers");
    CHECK_POISON(g, "grad: y is u4[3]");
}

/* Enough elements for a compiled graph, not whole bytes. */
static void many(void) {
    const int64_t n = 600001;
    for (int d = TY_F8_E4M3FN; d <= TY_U2; d++) {
        struct test_round round = test_round();
        ty_tensor *x = ty_mod(ty_iota(TY_I32, 1, &n, 0), ty_int(3));
        ty_tensor *y = CHECK_OK(ty_cast(x, (ty_dtype)d)), *back = ty_cast(y, TY_I32);
        CHECK(!ty_is_promise(y), "it is a value");
        ty_tensor *want = (ty_dtype)d == TY_I2 ? ty_where(ty_eq(x, ty_int(2)), ty_int(-2), x) : x;
        compare_bits(back, ty_cast(want, TY_I32), "%s", ty_dtype_name((ty_dtype)d));
        test_round_end(round);
    }
}

static void files(void) {
    const char *folder = scratch_folder(), *path = scratch_path(folder, "packed.safetensors");
    for (int d = TY_F8_E4M3FN; d <= TY_U2; d++) {
        ty_tensor *x = packed((ty_dtype)d, TY_SHAPE(3, 3)), *error = NULL;
        bool named = d == TY_F8_E4M3FN || d == TY_F8_E5M2 || d == TY_F8_E8M0 || d == TY_F4_E2M1;
        bool saved = ty_save(path, x, &error);
        CHECK(saved == named || test_starving(), "%s: %s", ty_dtype_name((ty_dtype)d), ty_error(error));
        if (saved) compare_bits(ty_cast(ty_load(path), TY_F64), ty_cast(x, TY_F64), "from a file");
        CHECK(!ty_save(scratch_path(folder, "packed.npy"), x, &error), "npy has no such dtype");
        CHECK_POISON(error, "npy");
        CHECK(!ty_save(scratch_path(folder, "packed.csv"), x, &error), "csv has no such dtype");
        CHECK_POISON(error, "csv");
    }
}

static void exchanged(void) {
    for (int d = TY_F8_E4M3FN; d <= TY_U2; d++) {
        ty_tensor *x = packed((ty_dtype)d, TY_SHAPE(2, 4)), *error = NULL;
        DLManagedTensorVersioned *out = ty_to_dlpack(x, &error);
        if (!out) continue;
        CHECK(out->dl_tensor.dtype.bits == ty_dtype_bits((ty_dtype)d), "bits");
        compare_bits(ty_cast(ty_from_dlpack(out), TY_F64), ty_cast(x, TY_F64), "%s",
                     ty_dtype_name((ty_dtype)d));
    }
    ty_tensor *error = NULL;
    DLManagedTensorVersioned *out = ty_to_dlpack(packed(TY_U4, TY_SHAPE(2, 4)), &error);
    if (!out) return;
    out->dl_tensor.strides[0] = 1;
    CHECK_POISON(ty_from_dlpack(out), "without gaps");
}

static const struct test_case cases[] = {
#define CASE(name, operators) TEST_REACHES(name, operators),
#include "tests/ops/shape/packed.def"
};
TESTS_MAIN_TABLE(cases)
