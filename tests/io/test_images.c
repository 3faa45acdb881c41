/* Images: PNG and JPEG of other programs (images.py), images with Exif orientation (turned.py), hand-made
   PGM and PPM, round trips, and all errors. */
#include <stdio.h>
#include <string.h>
#include "tests/support/files.h"
#include "tests/support/harness.h"

struct sample {
    const char *name, *format;
    ty_dtype dtype;
    int64_t shape[3];
    const uint8_t *bytes;
    size_t n;
    const int32_t *elements;
    size_t count;
};
#define UNWRAP(...) __VA_ARGS__
#define IMAGE(name, format, dtype, height, width, channels, bytes, elements)                                 \
    static const uint8_t name##_bytes[] = {UNWRAP bytes};                                                    \
    static const int32_t name##_elements[] = {UNWRAP elements};
#include "tests/io/images.def"
#define IMAGE(name, format, dtype, height, width, channels, bytes, elements)                                 \
    static const uint8_t name##_bytes[] = {UNWRAP bytes};                                                    \
    static const int32_t name##_elements[] = {UNWRAP elements};
#include "tests/io/turned.def"
static const struct sample samples[] = {
#define IMAGE(name, format, dtype, height, width, channels, bytes, elements)                                 \
    {#name,           #format,                                                                               \
     dtype,           {height, width, channels},                                                             \
     name##_bytes,    sizeof name##_bytes,                                                                   \
     name##_elements, sizeof name##_elements / sizeof(int32_t)},
#include "tests/io/images.def"
#define IMAGE(name, format, dtype, height, width, channels, bytes, elements)                                 \
    {#name,           #format,                                                                               \
     dtype,           {height, width, channels},                                                             \
     name##_bytes,    sizeof name##_bytes,                                                                   \
     name##_elements, sizeof name##_elements / sizeof(int32_t)},
#include "tests/io/turned.def"
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static ty_file_options named(const char *format) { return (ty_file_options){.format = format}; }

static bool is_absent(const char *format) {
    return strstr(ty_error(parse_first("", 0, named(format))), "without lib") != NULL;
}

static void check_sample(const struct sample *s, ty_tensor *x) {
    CHECK_OK(x);
    CHECK(ty_dtype_of(x) == s->dtype && ty_rank(x) == 3 && !memcmp(ty_shape(x), s->shape, sizeof s->shape),
          "%s is %s [%d,%d,%d]", s->name, ty_dtype_name(ty_dtype_of(x)), (int)ty_shape(x)[0],
          (int)ty_shape(x)[1], (int)ty_shape(x)[2]);
    ty_tensor *want = ty_from(TY_I32, 3, s->shape, s->elements);
    check_same(x, CHECK_OK(ty_cast(want, s->dtype)), s->name);
}

static void every_kind(void) {
    const char *folder = scratch_folder();
    for (int i = 0; i < SAMPLES; i++) {
        const struct sample *s = &samples[i];
        if (is_absent(s->format)) continue;
        CHECK((size_t)(s->shape[0] * s->shape[1] * s->shape[2]) == s->count, "%s", s->name);
        check_sample(s, parse_first(s->bytes, s->n, (ty_file_options){0}));
        char name[64];
        snprintf(name, sizeof name, "%s.%s", s->name, s->format);
        const char *path = scratch_path(folder, name);
        write_file(path, s->bytes, s->n);
        check_sample(s, ty_load(path));
        size_t size;
        uint8_t *packed = make_gzip(s->bytes, s->n, &size);
        ty_tensor *x = parse_first(packed, size, named(s->format));
        if (!strstr(ty_error(x), "without zlib")) check_sample(s, x);
    }
}

/* Shape and dtype are known before the pixels are decoded. */
static void form_first(void) {
    for (int i = 0; i < SAMPLES; i++) {
        const struct sample *s = &samples[i];
        if (is_absent(s->format)) continue;
        ty_dtype dtype;
        int rank;
        const int64_t *shape;
        ty_archive *a = parse_well(s->bytes, s->n, (ty_file_options){0});
        CHECK(ty_archive_form(a, 0, &dtype, &rank, &shape), "%s has no form", s->name);
        CHECK(dtype == s->dtype && rank == 3 && !memcmp(shape, s->shape, sizeof s->shape), "%s", s->name);
        CHECK(!strcmp(ty_archive_format(a), s->format), "%s is %s", s->name, ty_archive_format(a));
    }
}

static void damaged(void) {
    for (int i = 0; i < SAMPLES; i++)
        if (!is_absent(samples[i].format))
            check_damaged(samples[i].bytes, samples[i].n, named(samples[i].format), test_some(300, 30, 1));
}

/* ---- PGM and PPM ---- */

struct netpbm {
    const char *file; /* n bytes, which may contain zeros */
    size_t n;
    ty_dtype dtype;
    int64_t shape[3];
    double elements[8];
};
#define BYTES(text) text, sizeof text - 1

static void netpbm(void) {
    static const struct netpbm rows[] = {
        {BYTES("P2 2 1 255 7 200"), TY_U8, {1, 2, 1}, {7, 200}},
        {BYTES("P2\n# a comment\n2 # and another\n1\n255\n7\n200\n"), TY_U8, {1, 2, 1}, {7, 200}},
        {BYTES("P2 2 1 15 0 15"), TY_U8, {1, 2, 1}, {0, 255}},
        {BYTES("P2 2 1 2 1 2"), TY_U8, {1, 2, 1}, {128, 255}},
        {BYTES("P2 2 1 1000 500 1000"), TY_U16, {1, 2, 1}, {32768, 65535}},
        {BYTES("P3 1 2 255 1 2 3 4 5 6"), TY_U8, {2, 1, 3}, {1, 2, 3, 4, 5, 6}},
        {BYTES("P5 2 1 255\n\x07\xc8"), TY_U8, {1, 2, 1}, {7, 200}},
        {BYTES("P5 1 2 65535\n\x01\x02\xff\xff"), TY_U16, {2, 1, 1}, {258, 65535}},
        {BYTES("P5 2 1 7\n\x07\x01"), TY_U8, {1, 2, 1}, {255, 36}},
        {BYTES("P6\n1 1\n255\n\x01\x02\x03"), TY_U8, {1, 1, 3}, {1, 2, 3}},
        {BYTES("P6 1 1 65535 \x00\x01\x00\x02\x00\x03"), TY_U16, {1, 1, 3}, {1, 2, 3}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct netpbm *r = &rows[i];
        ty_tensor *x = CHECK_OK(parse_first(r->file, r->n, (ty_file_options){0}));
        CHECK(ty_dtype_of(x) == r->dtype && ty_rank(x) == 3 &&
                  !memcmp(ty_shape(x), r->shape, sizeof r->shape),
              "row %d", (int)i);
        double got[8];
        CHECK(ty_read(x, TY_F64, got) && !memcmp(got, r->elements, sizeof(double) * (size_t)ty_size(x)),
              "row %d has %g %g", (int)i, got[0], got[1]);
        bool open_end = r->file[1] < '5'; /* a truncated number is still a number */
        for (size_t n = 0; n < r->n && !open_end; n++)
            CHECK_POISON(parse_first(r->file, n, named("pnm")), "truncated");
        check_damaged((const uint8_t *)"P5 2 1 255\n\x07\xc8", 13, named("pnm"), 100);
    }
}

static void netpbm_refused(void) {
    static const struct {
        const char *file;
        size_t n;
        const char *words;
    } rows[] = {
        {BYTES("P4 1 1 1"), "is not PGM or PPM: it begins with 50 34"},
        {BYTES("P5 x 1 255\n1"), "found the byte 0x78, expected the"},
        {BYTES("P5 0 1 255\n1"), "the image has 1 x 0 pixels; expected 1 to 2147483647"},
        {BYTES("P5 1 1 0\n1"), "maximum sample is 0"},
        {BYTES("P5 1 1 65536\n1"), "the maximum sample is greater than 65535"},
        {BYTES("P5 99999999999 1 255\n1"), "the width is greater than"},
        {BYTES("P5 2000000000 2000000000 255\n1"), "would unpack to"},
        {BYTES("P5 2 1 255\n1"), "truncated"},
        {BYTES("P5 2 1 255\n123"), "2 bytes of data, but 3 follow"},
        {BYTES("P5 2 1 7\n\x08\x01"), "has the sample 8, above its maximum 7"},
        {BYTES("P2 2 1 7 8 1"), "has the sample 8"},
        {BYTES("P2 2 1 7 1 2 3"), "has more than its 2 samples"},
        {BYTES("P2 2 1 7 1 "), "truncated"},
        {BYTES("P2 1000 1000 7 1 2 3"), "1000000 samples are expected in"},
        {BYTES("P2 2 1 7 1 -2"), "found the byte 0x2d, expected a"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_POISON(parse_first(rows[i].file, rows[i].n, named("pnm")), rows[i].words);
}

/* Without Exif orientation, pixels are those of turned_1 and turned_png_1. */
static void unturned(void) {
    for (int i = 0; i < SAMPLES; i++) {
        const struct sample *s = &samples[i];
        if (strncmp(s->name, "turned_", 7) || is_absent(s->format)) continue;
        ty_tensor *x = parse_first(s->bytes, s->n, (ty_file_options){.unturned = true});
        if (!ty_ok(CHECK_OK(x))) continue;
        CHECK(ty_shape(x)[0] == 2 && ty_shape(x)[1] == 3, "%s was turned", s->name);
    }
}

/* ---- writing ---- */

static void written_and_read(void) {
    static const char *const extensions[] = {"png", "pgm", "ppm"};
    const char *folder = scratch_folder();
    for (int dtype = 0; dtype < 2; dtype++)
        for (int channels = 0; channels <= 4; channels++)
            for (size_t k = 0; k < 3; k++) {
                if (is_absent("png") && k == 0) continue;
                struct test_round round = test_round();
                int64_t shape[] = {5, 7, channels ? channels : 1};
                ty_tensor *x = ty_randint(dtype ? TY_U16 : TY_U8, channels ? 3 : 2, shape, ty_int(0),
                                          ty_int(dtype ? 65535 : 255), ty_key(3)),
                          *error = NULL;
                char name[32];
                snprintf(name, sizeof name, "%d%d.%s", dtype, channels, extensions[k]);
                const char *path = scratch_path(folder, name);
                bool ok = ty_save(path, x, &error);
                if (k && (channels == 2 || channels == 4)) {
                    CHECK(!ok, "pnm with alpha");
                    CHECK_POISON(error, "1 channel or 3");
                } else {
                    CHECK(ok, "%s", ty_error(error));
                    check_same(ty_load(path), ty_reshape(x, 3, shape), name);
                }
                test_round_end(round);
            }
}

static void strided_is_written(void) {
    if (is_absent("png")) return;
    ty_tensor *x = ty_randint(TY_U8, TY_SHAPE(6, 4, 3), ty_int(0), ty_int(255), ty_key(1));
    ty_tensor *turned = ty_permute(ty_lazy(x), (int[]){1, 0, 2});
    size_t n;
    uint8_t *bytes = write_one(turned, named("png"), &n);
    check_same(parse_first(bytes, n, named("png")), ty_contiguous(ty_eval(turned)), "turned");
}

static void refuses_to_write(void) {
    static const char *const formats[] = {"png", "pnm"};
    const struct {
        ty_tensor *x;
        const char *words;
    } rows[] = {
        {ty_zeros(TY_F32, TY_SHAPE(2, 2)), "u8 or u16 (H,W) or (H,W,1 to 4), not f32[2,2]"},
        {ty_zeros(TY_U8, TY_SHAPE(2)), "not u8[2]"},
        {ty_zeros(TY_U8, TY_SHAPE(2, 2, 5)), "not u8[2,2,5]"},
        {ty_zeros(TY_U8, TY_SHAPE(0, 2, 3)), "not u8[0,2,3]"},
    };
    for (int f = 0; f < 2; f++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            ty_tensor *error = NULL;
            size_t n;
            const char *name = "x";
            if (is_absent(formats[f])) continue;
            void *bytes = ty_archive_bytes(1, &name, (ty_tensor *[]){CHECK_OK(rows[i].x)}, named(formats[f]),
                                           &n, &error);
            CHECK(!bytes, "%s is written", formats[f]);
            CHECK_POISON(error, rows[i].words);
        }
    ty_tensor *error = NULL;
    CHECK(!ty_save(scratch_path(scratch_folder(), "x.jpg"), ty_zeros(TY_U8, TY_SHAPE(2, 2)), &error),
          "a jpeg");
    CHECK_POISON(error, "jpeg cannot be written");
}

/* A few bytes that claim a large image are refused. */
static void too_large(void) {
    static const uint8_t png[] = {0x89, 'P', 'N', 'G', 13, 10, 26, 10, 0, 0, 0, 13, 'I', 'H', 'D',
                                  'R',  0,   1,   0,   0,  0,  1,  0,  0, 8, 2, 0,  0,   0};
    uint8_t whole[sizeof png + 4 + 12] = {0}, *end = whole + sizeof png;
    uint32_t crc = crc32_of(png + 12, 17);
    if (is_absent("png") || is_absent("jpeg")) return;
    memcpy(whole, png, sizeof png);
    for (int i = 0; i < 4; i++) end[i] = (uint8_t)(crc >> 8 * (3 - i));
    memcpy(end + 4, "\0\0\0\0IDAT\x35\xaf\x06\x1e", 12);
    CHECK_POISON(parse_first(whole, sizeof whole, named("png")), "would unpack to 12884901888 bytes");
    for (int i = 0; i < SAMPLES; i++) {
        if (strcmp(samples[i].name, "jpeg_rgb") != 0) continue;
        uint8_t *bytes = test_room(samples[i].n), *frame = NULL;
        memcpy(bytes, samples[i].bytes, samples[i].n);
        for (size_t k = 0; k + 9 < samples[i].n && !frame; k++)
            if (bytes[k] == 0xff && bytes[k + 1] == 0xc0) frame = bytes + k;
        CHECK(frame, "no frame");
        memcpy(frame + 5, "\xf0\x00\xf0\x00", 4);
        CHECK_POISON(parse_first(bytes, samples[i].n, named("jpeg")), "would unpack to");
        ty_file_options more = {.format = "jpeg", .most_bytes = UINT64_C(1) << 36};
        ty_archive *a = parse_well(bytes, samples[i].n, more);
        CHECK(ty_archive_count(a) == 1, "refused");
    }
}

/* A segment that is skipped is longer than what is read at once. */
static void long_segments(void) {
    enum { LONG = 65535, SEGMENTS = 3 };
    if (is_absent("jpeg")) return;
    for (int i = 0; i < SAMPLES; i++) {
        if (strcmp(samples[i].name, "jpeg_rgb") != 0) continue;
        size_t n = samples[i].n + SEGMENTS * (LONG + 2), at = 2;
        uint8_t *bytes = test_room(n);
        memcpy(bytes, samples[i].bytes, at);
        for (int k = 0; k < SEGMENTS; k++, at += LONG + 2) {
            memset(bytes + at, 0x55, LONG + 2);
            memcpy(bytes + at, "\xff\xe5\xff\xff", 4); /* APP5, its length */
        }
        memcpy(bytes + at, samples[i].bytes + 2, samples[i].n - 2);
        check_sample(&samples[i], parse_first(bytes, n, named("jpeg")));
    }
}

TESTS_MAIN(TEST(long_segments), TEST(every_kind), TEST(unturned), TEST(form_first), TEST(damaged),
           TEST(netpbm), TEST(netpbm_refused), TEST(written_and_read), TEST(strided_is_written),
           TEST(refuses_to_write), TEST(too_large))
