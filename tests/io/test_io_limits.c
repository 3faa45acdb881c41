/*
 * Readers and writers below, at and above the sizes of their buffers and limits (tests/thresholds.def): bytes against
 * those that the test composes, and the same tensor read back.
 */
#include <stdio.h>
#include <string.h>
#include <tyto/sparse.h>

#include "tests/support/files.h"
#include "tests/support/harness.h"

enum { TEXT = 1 << 16, HEADER = 1 << 20 };

/* ---- pieces of elements ---- */

/* PIECE of elements.c (8192 bytes): idx reverses the bytes of its elements by pieces. */
static void reversed_pieces(void) {
    for (int64_t pieces = 1; pieces <= 3; pieces += 2)
        for (int64_t more = -1; more <= 1; more++) {
            struct test_round round = test_round();
            int64_t n = 4096 * pieces + more;
            int16_t *x = test_room((size_t)n * sizeof *x);
            for (int64_t i = 0; i < n; i++) x[i] = (int16_t)(i * 257 - 9);
            size_t size;
            ty_tensor *value = CHECK_OK(ty_from(TY_I16, 1, &n, x));
            uint8_t *bytes = write_one(value, (ty_file_options){.format = "idx"}, &size);
            CHECK(size == 8 + 2 * (size_t)n, "%zu bytes of %lld elements", size, (long long)n);
            for (int64_t i = 0; i < n; i++)
                CHECK(bytes[8 + 2 * i] == (uint8_t)((uint16_t)x[i] >> 8) && bytes[9 + 2 * i] == (uint8_t)x[i],
                      "element %lld of %lld", (long long)i, (long long)n);
            check_same(parse_first(bytes, size, (ty_file_options){0}), value, "idx");
            test_round_end(round);
        }
}

/* ---- texts that are written by pieces ---- */

/* Fill x with n digits so that `head` bytes and the lines after them end at byte `target`: one digit a line, and the first
   number longer by what is missing.  Returns the number of elements that it takes. */
static int64_t fill_lines(int64_t *x, size_t head, size_t line, size_t target) {
    size_t left = target - head, n = left / line, more = left % line;
    for (size_t i = 0; i < n; i++) x[i] = (int64_t)(i * 7 % 9) + 1;
    for (; more; more--) x[0] = 10 * x[0] + 1;
    return (int64_t)n;
}

/* FLUSH of mtx.c: lines of one column whose text reaches 65536 bytes, one less and one more; then ten lines. */
static void dense_lines(void) {
    static int64_t x[TEXT];
    for (int more = -1; more <= 1; more++) {
        struct test_round round = test_round();
        char *want = test_room(TEXT + 256), *at = want;
        int64_t n = 32700;
        for (int turn = 0; turn < 2; turn++) { /* the head has the number of lines */
            size_t head = (size_t)sprintf(want, "%%%%MatrixMarket matrix array integer general\n%lld 1\n",
                                          (long long)n);
            n = fill_lines(x, head, 2, (size_t)(TEXT + more)) + 10;
            for (int i = 1; i <= 10; i++) x[n - i] = i % 10;
            at = want + head;
        }
        for (int64_t i = 0; i < n; i++) at += sprintf(at, "%lld\n", (long long)x[i]);
        CHECK(at - want == TEXT + more + 20, "%d bytes", (int)(at - want));
        size_t size;
        ty_tensor *value = CHECK_OK(ty_from(TY_I64, TY_SHAPE(n, 1), x));
        uint8_t *bytes = write_one(value, (ty_file_options){.format = "mtx"}, &size);
        CHECK(size == (size_t)(at - want) && !memcmp(bytes, want, size), "%d: other text", more);
        check_same(parse_first(bytes, size, (ty_file_options){0}), value, "mtx");
        test_round_end(round);
    }
}

/* PIECE of matrix_market.c: the same of entries "1 column value". */
static void sparse_lines(void) {
    enum { MOST = 7000 };
    const char *path = scratch_path(scratch_folder(), "x.mtx");
    for (int more = -1; more <= 1; more++) {
        struct test_round round = test_round();
        int64_t *x = test_room(MOST * sizeof *x), *places = test_room(2 * MOST * sizeof *places),
                n = MOST - 1000;
        char *want = test_room(TEXT + 512), *at = want;
        int64_t first = 90000; /* columns of five digits: 10 bytes a line */
        for (int turn = 0; turn < 2; turn++) {
            size_t head = (size_t)sprintf(
                want, "%%%%MatrixMarket matrix coordinate integer general\n1 99999 %lld\n", (long long)n);
            n = fill_lines(x, head, 10, (size_t)(TEXT + more)) + 10;
            for (int i = 1; i <= 10; i++) x[n - i] = i % 10;
            at = want + head;
        }
        CHECK(n <= MOST, "%lld entries", (long long)n);
        for (int64_t i = 0; i < n; i++) {
            places[2 * i + 1] = first + i;
            at += sprintf(at, "1 %lld %lld\n", (long long)(first + i + 1), (long long)x[i]);
        }
        ty_sparse a =
            ty_sparse_coo(ty_from(TY_I64, 1, &n, x), ty_from(TY_I64, TY_SHAPE(n, 2), places), 1, 99999);
        size_t size;
        ty_tensor *error = NULL;
        bool saved = ty_matrix_market_save(path, a, &error);
        CHECK(saved || test_starving(), "%s", ty_error(error));
        if (!saved) return;
        uint8_t *text = read_file(path, &size);
        CHECK(size == (size_t)(at - want) && !memcmp(text, want, size), "%d: other text", more);
        ty_sparse back = ty_matrix_market_load(path);
        check_same(back.values, a.values, "values");
        check_same(ty_eval(ty_cast(back.indices, TY_I64)), a.indices, "indices");
        test_round_end(round);
    }
}

/* MOST_PRECISION: more than 40 digits are 40. */
static void precision(void) {
    double x[] = {0.1, 1.0 / 3, 123456789.0123456789};
    for (int digits = 39; digits <= 41; digits++) {
        char want[256], *at = want;
        for (int i = 0; i < 3; i++) at += sprintf(at, "%.*g\n", digits < 40 ? digits : 40, x[i]);
        size_t size;
        uint8_t *bytes = write_one(CHECK_OK(ty_from(TY_F64, TY_SHAPE(3), x)),
                                   (ty_file_options){.format = "csv", .precision = digits}, &size);
        CHECK(size == strlen(want) && !memcmp(bytes, want, size), "%d digits", digits);
    }
}

/* ---- headers ---- */

/* MOST_HEADER of npy: a header of version 2 with so many bytes. */
static void npy_headers(void) {
    static const char start[] = "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }";
    for (int more = -1; more <= 1; more++) {
        struct test_round round = test_round();
        uint32_t length = (uint32_t)(HEADER + more);
        uint8_t *bytes = test_room(length + 15);
        memcpy(bytes, "\x93NUMPY\x02\x00", 8);
        for (int i = 0; i < 4; i++) bytes[8 + i] = (uint8_t)(length >> 8 * i);
        memset(bytes + 12, ' ', length);
        memcpy(bytes + 12, start, strlen(start));
        bytes[11 + length] = '\n';
        memcpy(bytes + 12 + length, (uint8_t[]){7, 0, 250}, 3);
        ty_tensor *y = parse_first(bytes, length + 15, (ty_file_options){0});
        if (more <= 0)
            check_same(CHECK_OK(y), ty_from(TY_U8, TY_SHAPE(3), (uint8_t[]){7, 0, 250}), "npy");
        else
            CHECK_POISON(y, "has an npy header of 1048577 bytes, more than the allowed 1048576");
        test_round_end(round);
    }
}

/* MAGIC of npy (6) and of idx (4): files that end before, at and after the bytes by which they are recognised. */
static void magic_numbers(void) {
    static const char npy[] = "\x93NUMPY\x01", idx[] = "\0\0\x08\1\0";
    for (size_t n = 5; n <= 7; n++)
        CHECK_POISON(parse_first(npy, n, (ty_file_options){0}), n < 6 ? "format" : "truncated");
    for (size_t n = 3; n <= 5; n++)
        CHECK_POISON(parse_first(idx, n, (ty_file_options){0}), n < 4 ? "format" : "truncated");
}

/* NEAREST_LIST: the names of an archive that a message lists. */
static void listed_names(void) {
    for (int length = 1; length <= 3;
         length++) { /* 7 names of some 40 bytes, and one of 1, for which there is room or not */
        struct test_round round = test_round();
        enum { N = 9 };
        char names[N][64];
        const char *pointers[N];
        ty_tensor *x[N];
        for (int i = 0; i < N; i++) {
            int bytes = i < 6 ? 40 : i == 6 ? 37 + length : 1;
            memset(names[i], 'a' + i, sizeof names[i]);
            names[i][bytes] = 0;
            pointers[i] = names[i], x[i] = ty_num(i);
        }
        size_t size;
        uint8_t *bytes = write_bytes(N, pointers, x, (ty_file_options){.format = "safetensors"}, &size);
        ty_tensor *y = ty_archive_get(parse_well(bytes, size, (ty_file_options){0}), "absent");
        CHECK_POISON(y, "unknown tensor \"absent\"; expected one of ");
        const char *error = ty_error(y);
        bool more = error && strstr(error, ", ..."), last = error && strstr(error, ", h");
        if (!test_starving())
            CHECK(more && last == (length == 1), "names of %d bytes: %s", 289 + length, error);
        test_round_end(round);
    }
}

/* NAME_LIMIT: names of files of 199 to 201 bytes. */
static void file_names(void) {
    const char *folder = scratch_folder();
    for (int n = 199; n <= 201; n++) {
        char name[202] = {0};
        memset(name, 'n', (size_t)n - 4);
        strcat(name, ".npy");
        const char *path = scratch_path(folder, name);
        ty_tensor *x = CHECK_OK(ty_iota(TY_F32, 1, &(int64_t){n}, 0)), *error = NULL;
        bool done = ty_save(path, x, &error);
        if (n <= 200) {
            CHECK(done || test_starving(), "%d bytes: %s", n, ty_error(error));
            if (done) check_same(ty_load(path), x, "a long name");
        } else {
            CHECK(!done, "a name of 201 bytes");
            CHECK_POISON(error, "the name is longer than 200 bytes");
        }
    }
    CHECK(count_files(folder) == 2 || test_starving(), "%d files", count_files(folder));
}

/* ---- checksums ---- */

/* PIECE of safetensors_read.c: bytes behind the digits of the checksum, 1 MiB, one less and one more; the last one damaged. */
static void summed_pieces(void) {
    const char *folder = scratch_folder(), *path = scratch_path(folder, "x.safetensors"), *name = "x";
    size_t size;
    for (int64_t more = -1; more <= 1; more++) {
        if (test_starving() && more < 1) continue;
        struct test_round round = test_round();
        int64_t n = HEADER;
        for (int turn = 0; turn < 3; turn++) { /* find the length by that of the header */
            ty_tensor *x = CHECK_OK(ty_mod(ty_iota(TY_I32, 1, &n, 0), ty_int(251)));
            x = CHECK_OK(ty_eval(ty_cast(x, TY_U8)));
            ty_tensor *error = NULL;
            bool saved = ty_checkpoint_save(path, 1, &name, &x, 0, NULL, NULL, &error);
            CHECK(saved || test_starving(), "%s", ty_error(error));
            if (!saved) return;
            uint8_t *bytes = read_file(path, &size), *digits = NULL;
            for (size_t i = 8; !digits; i++)
                if (!memcmp(bytes + i, "\"__metadata__\":{\"checksum\":\"", 28)) digits = bytes + i + 28;
            int64_t behind = (int64_t)size - (digits + 8 + 7 - bytes); /* "crc32c:" before the digits */
            if (turn < 2) {
                n += HEADER + more - behind;
                continue;
            }
            CHECK(behind == HEADER + more, "%lld bytes behind the checksum", (long long)behind);
            ty_archive *a = own_archive(ty_checkpoint_load(path));
            check_same(ty_archive_get(a, "x"), x, "a checkpoint");
            bytes[size - 1] ^= 1;
            write_file(path, bytes, size);
            a = own_archive(ty_checkpoint_load(path));
            CHECK(strstr(ty_archive_error(a), "checksum") || test_starving(), "%s", ty_archive_error(a));
        }
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(reversed_pieces), TEST(dense_lines), TEST(sparse_lines), TEST(precision), TEST(npy_headers),
           TEST(magic_numbers), TEST(listed_names), TEST(file_names), TEST(summed_pieces))
