/* IDX files: valid files and all errors. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <tyto/io.h>
#include <unistd.h>
#include "tests/support/files.h"
#include "tests/support/harness.h"

static ty_tensor *only(ty_archive *archive) {
    ty_tensor *x = ty_archive_at(archive, 0);
    ty_archive_free(archive);
    return x;
}

static const ty_file_options idx = {.format = "idx"};
static ty_tensor *parse_idx(const void *bytes, size_t n) { return only(ty_archive_parse(bytes, n, idx)); }
static ty_tensor *read_idx(const char *path) { return only(ty_archive_open(path, idx)); }

/* An IDX file, freed when the test ends. */
struct idx_file {
    uint8_t *bytes;
    size_t n;
};

static struct idx_file make_idx(uint8_t type, int rank, const uint32_t *sizes, const void *data, size_t n) {
    struct idx_file f = {test_room(4 + 4 * (size_t)rank + n + 1), 4 + 4 * (size_t)rank + n};
    f.bytes[2] = type;
    f.bytes[3] = (uint8_t)rank;
    for (int i = 0; i < 4 * rank; i++) f.bytes[4 + i] = (uint8_t)(sizes[i / 4] >> 8 * (3 - i % 4));
    if (n) memcpy(f.bytes + 4 + 4 * rank, data, n);
    return f;
}

static struct idx_file small_file(void) {
    return make_idx(0x08, 2, (uint32_t[]){2, 3}, (uint8_t[]){1, 2, 3, 4, 5, 6}, 6);
}

static struct idx_file compress(struct idx_file plain) {
    struct idx_file f;
    f.bytes = make_gzip(plain.bytes, plain.n, &f.n);
    return f;
}

/* Return true if this build reads gzip files. */
static bool reads_gzip(void) {
    struct idx_file f = compress(small_file());
    return !strstr(ty_error(parse_idx(f.bytes, f.n)), "without zlib");
}

static void every_type(void) {
    static const struct {
        uint8_t code;
        ty_dtype dtype;
        uint8_t bytes[8];
        size_t n;
        double want;
    } rows[] = {
        {0x08, TY_U8, {200}, 1, 200},
        {0x09, TY_I8, {200}, 1, -56},
        {0x0b, TY_I16, {0xff, 0xfe}, 2, -2},
        {0x0c, TY_I32, {0x01, 0x02, 0x03, 0x04}, 4, 0x01020304},
        {0x0d, TY_F32, {0x40, 0x49, 0x0f, 0xdb}, 4, 0x1.921fb6p+1},
        {0x0e, TY_F64, {0x40, 0x09, 0x21, 0xfb, 0x54, 0x44, 0x2d, 0x18}, 8, 0x1.921fb54442d18p+1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int rank = 0; rank < 2; rank++) {
            struct idx_file f = make_idx(rows[i].code, rank, (uint32_t[]){1}, rows[i].bytes, rows[i].n);
            ty_tensor *x = CHECK_OK(parse_idx(f.bytes, f.n));
            CHECK(ty_dtype_of(x) == rows[i].dtype && ty_rank(x) == rank && ty_item(x) == rows[i].want,
                  "type %02x is %s of %d axes, %g", rows[i].code, ty_dtype_name(ty_dtype_of(x)), ty_rank(x),
                  ty_item(x));
        }
}

static void check_small(ty_tensor *x) {
    uint8_t got[6];
    CHECK_OK(x);
    CHECK(ty_rank(x) == 2 && ty_shape(x)[0] == 2 && ty_shape(x)[1] == 3, "rank %d", ty_rank(x));
    CHECK(ty_read(x, TY_U8, got) && memcmp(got, (uint8_t[]){1, 2, 3, 4, 5, 6}, 6) == 0, "other elements");
}

static void plain_and_compressed(void) {
    const char *folder = scratch_folder(), *plain = scratch_path(folder, "plain"),
               *packed = scratch_path(folder, "x.gz");
    struct idx_file f = small_file(), g = compress(f);
    write_file(plain, f.bytes, f.n);
    check_small(read_idx(plain));
    write_file(packed, g.bytes, g.n);
    if (reads_gzip())
        check_small(read_idx(packed));
    else
        CHECK_POISON(read_idx(packed), "without zlib");
}

/* 100,000 zeros in 138 bytes, made by a real compressor. */
static void well_compressed(void) {
    static const uint8_t packed[] = {
        0x1f, 0x8b, 0x08,         0,    0,    0,    0,    0,    0x02, 0x03, 0xed, 0xc1, 0x31, 0x01, 0,
        0,    0x08, 0x03,         0xa0, 0xf9, 0x99, 0xdc, 0x1c, 0x46, 0xb5, 0x86, 0x07, 0x90, 0x74, 0xa5,
        0x66, 0x03, [128] = 0xbc, 0x75, 0xe9, 0x86, 0x5b, 0x53, 0xa8, 0x86, 0x01, 0,
    };
    if (!reads_gzip()) return;
    ty_tensor *x = CHECK_OK(parse_idx(packed, sizeof packed));
    CHECK(ty_size(x) == 100000 && ty_item(ty_any(x, TY_ALL)) == 0, "not 100,000 zeros");
}

static void more_than_one_block(void) {
    uint32_t size = 200000;
    uint8_t *data = test_room(size);
    for (uint32_t i = 0; i < size; i++) data[i] = (uint8_t)(i * 7 + (i >> 8));
    struct idx_file f = make_idx(0x08, 1, &size, data, size), g = compress(f);
    ty_tensor *x = CHECK_OK(parse_idx(f.bytes, f.n));
    CHECK(memcmp(ty_data(x), data, size) == 0, "plain elements differ");
    if (!reads_gzip()) return;
    x = CHECK_OK(parse_idx(g.bytes, g.n));
    CHECK(memcmp(ty_data(x), data, size) == 0, "unpacked elements differ");
}

/* A truncated file is refused with a message about its end, wherever it is cut. */
static void truncated_anywhere(void) {
    struct idx_file files[] = {small_file(), compress(small_file())};
    for (int i = 0; i < 1 + reads_gzip(); i++)
        for (size_t n = 0; n < files[i].n; n++) {
            struct test_round round = test_round();
            CHECK_POISON(parse_idx(files[i].bytes, n), n ? "truncated" : "the file is empty");
            test_round_end(round);
        }
}

static void bytes_too_many(void) {
    struct idx_file f = small_file(), g = compress(f);
    CHECK_POISON(parse_idx(f.bytes, f.n + 1), "6 bytes of data, but 7 follow");
    if (!reads_gzip()) return;
    g.bytes[g.n] = 1; /* not zero, since zeros would be padding of a tape block */
    CHECK_POISON(parse_idx(g.bytes, g.n + 1), "bytes after its gzip data");
    f.n++;
    g = compress(f);
    CHECK_POISON(parse_idx(g.bytes, g.n), "extra bytes after its data");
}

static void damaged_gzip(void) {
    struct idx_file g = compress(small_file());
    if (!reads_gzip()) return;
    for (size_t bit = 0; bit < 8 * g.n; bit++) {
        struct test_round round = test_round();
        g.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        ty_tensor *x = parse_idx(g.bytes, g.n);
        if (ty_ok(x)) check_small(x); /* the time stamp and its neighbours are ignored */
        g.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        test_round_end(round);
    }
}

static void absurd_sizes(void) {
    uint32_t sizes[65]; /* the first size is the largest that 32-bit memory can address */
    for (int i = 0; i < 65; i++) sizes[i] = i ? UINT32_MAX : 2000000000;
    static const struct {
        int rank;
        const char *plain, *packed;
    } rows[] = {
        {1, "truncated",
         "would unpack to 2000000000 bytes, more than the allowed 67109424: if the file is trusted, allow "
         "more"},
        {3, "its sizes exceed memory", "its sizes exceed memory"},
        {64, "its sizes exceed memory", "its sizes exceed memory"},
        {65, "65 axes", "65 axes"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct idx_file f = make_idx(0x08, rows[i].rank, sizes, "1234", 4), g = compress(f);
        CHECK_POISON(parse_idx(f.bytes, f.n), rows[i].plain);
        if (reads_gzip()) CHECK_POISON(parse_idx(g.bytes, g.n), rows[i].packed);
    }
    sizes[0] = 250000000;
    struct idx_file f = make_idx(0x0e, 1, sizes, "1234", 4), g = compress(f);
    CHECK_POISON(parse_idx(f.bytes, f.n),
                 "is truncated: its header declares 2000000000 bytes of data, but 4 follow");
    if (reads_gzip())
        CHECK_POISON(parse_idx(g.bytes, g.n), "would unpack to 2000000000 bytes, more than the allowed "
                                              "67109424: if the file is trusted, allow more");
}

static void empty_and_many_axes(void) {
    uint32_t sizes[64];
    for (int i = 0; i < 64; i++) sizes[i] = 1;
    struct idx_file f = make_idx(0x08, 64, sizes, "x", 1);
    CHECK(ty_rank(CHECK_OK(parse_idx(f.bytes, f.n))) == 64, "64 axes");
    f = make_idx(0x08, 2, (uint32_t[]){0, 5}, NULL, 0);
    CHECK(ty_size(CHECK_OK(parse_idx(f.bytes, f.n))) == 0, "not empty");
    f = compress(f);
    if (reads_gzip()) CHECK(ty_size(CHECK_OK(parse_idx(f.bytes, f.n))) == 0, "not empty");
}

static void no_idx_at_all(void) {
    struct idx_file f = small_file();
    f.bytes[1] = 1;
    CHECK_POISON(parse_idx(f.bytes, f.n), "begins with 00 01");
    f.bytes[1] = 0;
    f.bytes[2] = 0x0a;
    CHECK_POISON(parse_idx(f.bytes, f.n), "element type 0x0a");
    CHECK_POISON(parse_idx("", 0), "the file is empty");
}

static void no_file_at_all(void) {
    const char *folder = scratch_folder();
    CHECK_POISON(read_idx(scratch_path(folder, "absent")), "absent: cannot be opened: No such file");
    CHECK_POISON(read_idx(folder), "is a folder; expected a file");
}

/* A named pipe is read to its end: whole, cut off and empty. */
static void through_a_pipe(void) {
    const char *pipe = scratch_path(scratch_folder(), "pipe");
    struct idx_file f = small_file();
    CHECK(mkfifo(pipe, 0600) == 0, "no pipe");
    for (size_t n = f.n;; n = n > 9 ? 9 : 0) {
        pid_t writer = fork();
        if (writer == 0) {
            int to = open(pipe, O_WRONLY);
            _exit(to >= 0 && write(to, f.bytes, n) == (ssize_t)n ? 0 : 1);
        }
        CHECK(writer > 0, "no process");
        ty_tensor *x = read_idx(pipe);
        int status = -1;
        if (test_starving()) { /* a reader that fails early leaves the writer waiting */
            int rest = open(pipe, O_RDONLY | O_NONBLOCK);
            CHECK(rest >= 0, "the pipe is gone");
            waitpid(writer, &status, 0);
            close(rest);
            return;
        }
        CHECK(waitpid(writer, &status, 0) == writer && status == 0, "the writer failed");
        if (n == f.n)
            CHECK(ty_size(CHECK_OK(x)) == 6 && ty_dtype_of(x) == TY_U8, "another array");
        else
            CHECK(!ty_ok(x), "%zu of %zu bytes are a file", n, f.n);
        if (n == 0) return;
    }
}

TESTS_MAIN(TEST(every_type), TEST(plain_and_compressed), TEST(well_compressed), TEST(more_than_one_block),
           TEST(truncated_anywhere), TEST(bytes_too_many), TEST(damaged_gzip), TEST(absurd_sizes),
           TEST(empty_and_many_axes), TEST(no_idx_at_all), TEST(no_file_at_all), TEST(through_a_pipe))
