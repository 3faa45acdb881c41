/* WAV files: those of SciPy and others (wav.py), round trips, damaged files, and all errors. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "tests/support/files.h"
#include "tests/support/harness.h"

struct sample {
    const char *name;
    ty_dtype dtype;
    int64_t frames, channels, rate, bits;
    const uint8_t *bytes;
    size_t n;
    const double *elements; /* behind one 0, so that there is one */
};
#define UNWRAP(...) __VA_ARGS__
#define WAV(name, dtype, frames, channels, rate, bits, bytes, elements)                                      \
    static const uint8_t name##_bytes[] = {UNWRAP bytes};                                                    \
    static const double name##_elements[] = {0, UNWRAP elements};
#include "tests/io/wav.def"
#undef WAV
static const struct sample samples[] = {
#define WAV(name, dtype, frames, channels, rate, bits, bytes, elements)                                      \
    {#name, dtype, frames, channels, rate, bits, name##_bytes, sizeof name##_bytes, name##_elements},
#include "tests/io/wav.def"
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static const ty_file_options wav = {.format = "wav"};

static const struct sample *sample_named(const char *name) {
    for (int i = 0; i < SAMPLES; i++)
        if (!strcmp(samples[i].name, name)) return &samples[i];
    CHECK(false, "no sample is called %s", name);
    return samples;
}

static ty_tensor *elements_of(const struct sample *s) {
    int64_t shape[] = {s->frames, s->channels};
    return ty_cast(ty_from(TY_F64, s->channels ? 2 : 1, shape, s->elements + 1), s->dtype);
}

static void check_number(ty_archive *a, const char *key, int64_t want, const char *name) {
    char digits[32];
    const char *text = ty_archive_meta(a, key);
    snprintf(digits, sizeof digits, "%lld", (long long)want);
    CHECK(text && !strcmp(text, digits), "%s: the text %s is %s, not %s", name, key, text ? text : "NULL",
          digits);
}

static void every_kind(void) {
    for (int i = 0; i < SAMPLES; i++) {
        struct test_round round = test_round();
        const struct sample *s = &samples[i];
        ty_archive *a = parse_well(s->bytes, s->n, (ty_file_options){0});
        if (!*ty_archive_error(a)) {
            CHECK(!strcmp(ty_archive_format(a), "wav"), "%s is read as %s", s->name, ty_archive_format(a));
            check_number(a, "rate", s->rate, s->name);
            check_number(a, "bits", s->bits, s->name);
            check_same(ty_archive_at(a, 0), CHECK_OK(elements_of(s)), s->name);
        }
        size_t n;
        uint8_t *packed = make_gzip(s->bytes, s->n, &n);
        ty_tensor *x = parse_first(packed, n, (ty_file_options){0});
        if (!strstr(ty_error(x), "without zlib")) check_same(CHECK_OK(x), elements_of(s), s->name);
        test_round_end(round);
    }
}

/* Files that SciPy writes are written here as it does, but odd data are padded. */
static void written_as_scipy(void) {
    static const char *const names[] = {"i16_mono", "i16_stereo", "i32", "f32", "f64", "i24", "empty"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct test_round round = test_round();
        const struct sample *s = sample_named(names[i]);
        size_t n;
        ty_file_options options = wav;
        options.rate = s->rate;
        options.bits = s->bits;
        uint8_t *bytes = write_one(elements_of(s), options, &n);
        if (bytes)
            CHECK(n == s->n && !memcmp(bytes, s->bytes, n), "%s: %zu bytes differ from SciPy's %zu", s->name,
                  n, s->n);
        test_round_end(round);
    }
    const struct sample *s = sample_named("u8_odd");
    size_t n;
    uint8_t *bytes = write_one(elements_of(s), (ty_file_options){.format = "wav", .rate = s->rate}, &n);
    if (bytes) {
        CHECK(n == s->n + 1 && !bytes[n - 1] && bytes[4] == 40, "odd data are not padded");
        check_same(parse_first(bytes, n, wav), elements_of(s), "padded data");
    }
}

static void views_and_files(void) {
    ty_tensor *error = NULL, *x = ty_cast(ty_transpose(ty_iota(TY_I64, TY_SHAPE(2, 5), 1)), TY_I16);
    const char *name = "", *path = scratch_path(scratch_folder(), "a.wav");
    bool well = ty_archive_save(path, 1, &name, &x, (ty_file_options){.rate = 8000}, &error);
    CHECK(well || test_starving(), "%s", well ? "" : ty_error(error));
    if (!well) return;
    check_same(ty_load(path), ty_contiguous(x), "a transposed view");
    ty_archive *a = own_archive(ty_archive_open(path, (ty_file_options){.map = true}));
    check_same(ty_archive_at(a, 0), ty_contiguous(x), "mapped");
    ty_tensor *lossy = ty_from(TY_I32, TY_SHAPE(3), (int32_t[]){255, -1, 0x12345678});
    size_t n;
    uint8_t *bytes = write_one(lossy, (ty_file_options){.format = "wav", .rate = 1, .bits = 24}, &n);
    if (bytes)
        check_same(parse_first(bytes, n, wav), ty_from(TY_I32, TY_SHAPE(3), (int32_t[]){0, -256, 0x12345600}),
                   "24 bits");
}

/* Samples of 24 bits keep their order where pieces of 4096 of them meet. */
static void many_packed(void) {
    static const int64_t counts[] = {4095, 4096, 4097, 8192, 10001};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct test_round round = test_round();
        ty_tensor *x = ty_mul(ty_cast(ty_iota(TY_I64, TY_SHAPE(counts[i]), 0), TY_I32), ty_int(-256));
        size_t n;
        uint8_t *bytes = write_one(x, (ty_file_options){.format = "wav", .rate = 1, .bits = 24}, &n);
        if (bytes) check_same(parse_first(bytes, n, wav), x, "many samples of 24 bits");
        test_round_end(round);
    }
}

static void damaged(void) {
    static const char *const names[] = {"i16_stereo", "i24", "extensible", "wide", "big", "f64"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct test_round round = test_round();
        const struct sample *s = sample_named(names[i]);
        check_damaged(s->bytes, s->n, wav, test_some(300, 30, 1));
        test_round_end(round);
    }
}

/* A streamed file, whose size is not known, has the data to its end. */
static void streamed(void) {
    uint8_t bytes[50];
    const struct sample *s = sample_named("i16_mono");
    memcpy(bytes, s->bytes, sizeof bytes);
    memset(bytes + 40, 0xff, 4);
    check_same(parse_first(bytes, sizeof bytes, wav), ty_from(TY_I16, TY_SHAPE(3), (int16_t[]){0, 1, -1}),
               "unknown size");
}

/* ---- errors ---- */

/* Changes of the file i16_mono: `count` bytes at `at`. */
static const struct {
    int at, count;
    uint8_t bytes[8];
    const char *words;
} changes[] = {
    {0, 1, {'X'}, "is not a WAV file: expected RIFF, RIFX or RF64, a size, and WAVE"},
    {8, 1, {'X'}, "is not a WAV file"},
    {12, 1, {'X'}, "has no chunk \"fmt \" before \"data\""},
    {16, 1, {15}, "\"fmt \" has 15 bytes; expected 16 or more"},
    {20, 1, {7}, "has the coding 7 (mu-law); expected 1 (PCM) or 3 (float): ffmpeg -i FILE"},
    {20, 1, {3}, "has samples of 16 bits in 2 bytes; expected 8, 16, 24, 32 or 64 bits"},
    {22, 1, {0}, "has 0 channels in frames of 2 bytes"},
    {22, 1, {3}, "has 3 channels in frames of 2 bytes"},
    {32, 1, {0}, "has samples of 16 bits in 0 bytes"},
    {34, 1, {17}, "has samples of 17 bits in 2 bytes"},
    {34, 1, {0}, "has samples of 0 bits in 2 bytes"},
    {36, 1, {'X'}, "is truncated: the chunk \"data\" is missing"},
    {40, 1, {13}, "has 13 bytes of data, no multiple of its frames of 2"},
    {40,
     1,
     {16},
     "is truncated: its header declares 16 bytes of data, but 14 follow; ffmpeg -i FILE -c copy"},
};

static void refused_files(void) {
    const struct sample *s = sample_named("i16_mono");
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct test_round round = test_round();
        uint8_t *bytes = test_room(s->n);
        memcpy(bytes, s->bytes, s->n);
        memcpy(bytes + changes[i].at, changes[i].bytes, (size_t)changes[i].count);
        CHECK_POISON(parse_first(bytes, s->n, wav), changes[i].words);
        test_round_end(round);
    }
}

/* Floats fill their bytes: those of 32 bits in 8 bytes are none. */
static void padded_floats(void) {
    const struct sample *s = sample_named("f32");
    uint8_t *bytes = test_room(s->n);
    memcpy(bytes, s->bytes, s->n);
    bytes[32] = 8;
    CHECK_POISON(parse_first(bytes, s->n, wav), "has samples of 32 bits in 8 bytes; expected");
}

static void refuse_write(ty_tensor *x, int64_t rate, int64_t bits, const char *words) {
    ty_tensor *error = NULL;
    const char *name = "";
    size_t n;
    ty_file_options options = {.format = "wav", .rate = rate, .bits = bits};
    void *bytes = ty_archive_bytes(1, &name, &x, options, &n, &error);
    CHECK(!bytes, "written");
    ty_free(bytes);
    if (error) CHECK_POISON(error, words);
}

static void refused_writes(void) {
    ty_tensor *x = ty_zeros(TY_I16, TY_SHAPE(4)), *wide = ty_zeros(TY_F64, TY_SHAPE(1, 9000));
    refuse_write(x, 0, 0, "wav needs the rate, 1 to 2147483647 frames a second, found 0: .rate");
    refuse_write(x, -1, 0, "found -1");
    refuse_write(x, 4294967296, 0, "found 4294967296");
    refuse_write(x, 1, 24, "samples of 24 bits from i16; expected 16");
    refuse_write(ty_zeros(TY_I32, TY_SHAPE(4)), 1, 16, "samples of 16 bits from i32; expected 32 or 24");
    refuse_write(wide, 1, 0, "9000 channels; expected 1 to 8191");
    refuse_write(ty_zeros(TY_I16, TY_SHAPE(4, 0)), 1, 0, "0 channels; expected 1 to 32767");
    refuse_write(ty_zeros(TY_I64, TY_SHAPE(4)), 1, 0, "wav holds u8, i16, i32, f32 or f64 [frames]");
    refuse_write(ty_zeros(TY_I16, TY_SHAPE(2, 2, 2)), 1, 0, "not i16[2,2,2]: cast or reshape");
    refuse_write(ty_zeros(TY_I16, TY_SHAPE(0)), 1, 24, "expected 16");
}

TESTS_MAIN(TEST(every_kind), TEST(written_as_scipy), TEST(views_and_files), TEST(many_packed), TEST(damaged),
           TEST(streamed), TEST(refused_files), TEST(padded_floats), TEST(refused_writes))
