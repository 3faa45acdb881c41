/* Archives: tensors survive a round trip, damaged files are refused, and a failed write leaves the old
   file. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <tyto/io.h>
#include "io/formats/crc.h"
#include "tests/support/child.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"

static void release_archive(void *archive) { ty_archive_free(archive); }

static const ty_file_options safetensors = {.format = "safetensors"};
static ty_archive *parse_safetensors(const void *bytes, size_t n) {
    return ty_archive_parse(bytes, n, safetensors);
}

static ty_archive *opened(ty_archive *archive) {
    test_own(archive, release_archive);
    CHECK(!*ty_archive_error(archive), "%s", ty_archive_error(archive));
    return archive;
}

static void refused(ty_archive *archive, const char *words) {
    test_own(archive, release_archive);
    CHECK(strstr(ty_archive_error(archive), words), "\"%s\" does not say \"%s\"", ty_archive_error(archive),
          words);
    CHECK(ty_archive_count(archive) == 0 && !ty_archive_name(archive, 0) && !ty_archive_meta(archive, "x"),
          "holds something");
    CHECK(!ty_ok(ty_archive_get(archive, "x")), "gives something");
}

static void saved(const char *path, int n, const char *const *names, ty_tensor *const *tensors) {
    ty_tensor *error = NULL;
    bool ok = ty_checkpoint_save(path, n, names, tensors, 0, NULL, NULL, &error);
    CHECK(ok, "%s", error ? ty_error(error) : "no error given");
}

static void not_saved(const char *path, int n, const char *const *names, ty_tensor *const *tensors,
                      const char *words) {
    ty_tensor *error = NULL;
    CHECK(!ty_checkpoint_save(path, n, names, tensors, 0, NULL, NULL, &error) && error, "saved to %s", path);
    CHECK_POISON(error, words);
    CHECK(!ty_checkpoint_save(path, n, names, tensors, 0, NULL, NULL, NULL), "saved to %s", path);
}

static const char *const one_name[] = {"x"};

/* ---- round trips ---- */

static void every_dtype(void) {
    const char *path = scratch_path(scratch_folder(), "all");
    const char *names[TY_DTYPES];
    ty_tensor *tensors[TY_DTYPES];
    for (int d = 0; d < TY_DTYPES; d++) {
        names[d] = ty_dtype_name((ty_dtype)d);
        tensors[d] = ty_cast(ty_reshape(ty_arange(TY_F64, 0, 6, 1), TY_SHAPE(2, 3)), (ty_dtype)d);
    }
    saved(path, TY_DTYPES, names, tensors);
    ty_archive *a = opened(ty_checkpoint_load(path));
    CHECK(ty_archive_count(a) == TY_DTYPES, "%d tensors", ty_archive_count(a));
    for (int d = 0; d < TY_DTYPES; d++) {
        ty_tensor *x = CHECK_OK(ty_archive_get(a, names[d]));
        CHECK(ty_dtype_of(x) == (ty_dtype)d && ty_rank(x) == 2 && ty_shape(x)[1] == 3, "%s has another form",
              names[d]);
        CHECK(memcmp(ty_data(x), ty_data(tensors[d]), 6 * ty_dtype_size((ty_dtype)d)) == 0, "%s differs",
              names[d]);
    }
}

static void every_layout(void) {
    const char *path = scratch_path(scratch_folder(), "layouts");
    ty_tensor *x = ty_reshape(ty_arange(TY_F32, 0, 12, 1), TY_SHAPE(3, 4));
    ty_tensor *tensors[] = {ty_transpose(x),
                            ty_flip(x, 0),
                            ty_slice(x, 1, 1, TY_END, 2),
                            ty_broadcast(ty_scalar(TY_F64, 2), TY_SHAPE(2, 2)),
                            ty_window(ty_arange(TY_I16, 0, 5, 1), 0, 3, 1, 1),
                            ty_scalar(TY_I64, -5),
                            ty_zeros(TY_U8, TY_SHAPE(0, 7)),
                            ty_add(ty_var(x, "v"), ty_num(1)),
                            ty_track(x, "t")};
    enum { N = sizeof tensors / sizeof *tensors };
    const char *names[N] = {"transposed", "flipped", "sliced",  "broadcast", "window",
                            "scalar",     "empty",   "promise", "tracked"};
    saved(path, N, names, tensors);
    ty_archive *a = opened(ty_checkpoint_load(path));
    for (int i = 0; i < N; i++) {
        ty_tensor *want = CHECK_OK(ty_eval(tensors[i])), *got = CHECK_OK(ty_archive_get(a, names[i]));
        CHECK(ty_dtype_of(got) == ty_dtype_of(want) && ty_rank(got) == ty_rank(want), "%s has another form",
              names[i]);
        CHECK(ty_item(ty_all(ty_eq(got, want), TY_ALL)) == 1, "%s differs", names[i]);
    }
}

static void names_and_texts(void) {
    static const char *const names[] = {"layer/1.weight", "a \"b\" \\ c\n\t\1",
                                        "\xc3\xa9\xe2\x82\xac\xf0\x9f\xa6\x89", ""};
    static const char *const keys[] = {"step", "", "\"}]"}, *const values[] = {"12", "empty key",
                                                                               "\xc3\xa4\n"};
    const char *path = scratch_path(scratch_folder(), "names");
    ty_tensor *tensors[4], *error = NULL;
    for (int i = 0; i < 4; i++) tensors[i] = ty_scalar(TY_I32, i);
    bool ok = ty_checkpoint_save(path, 4, names, tensors, 3, keys, values, &error);
    CHECK(ok, "%s", error ? ty_error(error) : "");
    ty_archive *a = opened(ty_checkpoint_load(path));
    for (int i = 0; i < 4; i++) {
        CHECK(ty_item(ty_archive_get(a, names[i])) == i, "tensor %d differs", i);
        CHECK(strcmp(ty_archive_name(a, i), names[i]) == 0, "name %d is %s", i, ty_archive_name(a, i));
    }
    for (int i = 0; i < 3; i++)
        CHECK(strcmp(ty_archive_meta(a, keys[i]), values[i]) == 0, "text %d differs", i);
    CHECK(!ty_archive_meta(a, "other") && !ty_archive_name(a, 4) && !ty_archive_name(a, -1),
          "finds what is not there");
    CHECK_POISON(ty_archive_get(a, "other"), "unknown tensor \"other\"; expected one of layer/1.weight,");
}

static void nothing_at_all(void) {
    const char *path = scratch_path(scratch_folder(), "empty");
    saved(path, 0, NULL, NULL);
    CHECK(ty_archive_count(opened(ty_checkpoint_load(path))) == 0, "holds something");
}

/* Data of every tensor begins at a multiple of its element size. */
static void aligned_in_the_file(void) {
    const char *path = scratch_path(scratch_folder(), "aligned");
    static const char *const names[] = {"a", "b", "c"};
    ty_tensor *tensors[] = {ty_ones(TY_U8, TY_SHAPE(3)), ty_ones(TY_F64, TY_SHAPE(1)),
                            ty_ones(TY_I16, TY_SHAPE(5))};
    size_t n;
    saved(path, 3, names, tensors);
    const uint8_t *bytes = read_file(path, &n);
    size_t data = 8 + (bytes[0] | (size_t)bytes[1] << 8);
    CHECK(data % 8 == 0 && n == data + 8 + 10 + 3, "data at %zu of %zu", data, n);
    CHECK(bytes[data + 7] == 0x3f && bytes[data + 8] == 1, "the widest come first");
}

/* ---- damage ---- */

static const uint8_t *small_archive(const char **path, size_t *n) {
    static const char *const keys[] = {"step"}, *const values[] = {"7"};
    ty_tensor *error = NULL, *tensors[] = {ty_arange(TY_F32, 0, 4, 1)};
    *path = scratch_path(scratch_folder(), "small");
    bool ok = ty_checkpoint_save(*path, 1, one_name, tensors, 1, keys, values, &error);
    CHECK(ok, "%s", error ? ty_error(error) : "");
    return read_file(*path, n);
}

/* Parse a file with this header and n zero bytes of data. */
static ty_archive *parsed(const char *json, size_t n) {
    size_t length = strlen(json);
    uint8_t *file = test_room(8 + length + n);
    for (int i = 0; i < 8; i++) file[i] = (uint8_t)((uint64_t)length >> 8 * i);
    memcpy(file + 8, json, length);
    return parse_safetensors(file, 8 + length + n);
}

static void every_flipped_bit(void) {
    const char *path;
    size_t n;
    const uint8_t *good = small_archive(&path, &n);
    uint8_t *bytes = test_room(n);
    opened(ty_checkpoint_load(path));
    for (size_t bit = 0; bit < 8 * n; bit++) {
        struct test_round round = test_round();
        memcpy(bytes, good, n);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        write_file(path, bytes, n);
        refused(ty_checkpoint_load(path), path);
        refused(parse_safetensors(bytes, n), "safetensors data"); /* no flip disables the checksum */
        test_round_end(round);
    }
}

/* Damaging one to four bytes of the checksum's marker is detected; a text of another program in its place
   is no checksum. */
static void damaged_marks(void) {
    static const char foreign[] = "{\"__metadata__\":{\"checksum\":\"sha256:0123456789\"}}";
    const char *path;
    size_t n;
    const uint8_t *good = small_archive(&path, &n);
    uint8_t *bytes = test_room(n);
    for (int i = 0; i < 300; i++) {
        struct test_round round = test_round();
        memcpy(bytes, good, n);
        for (int64_t k = test_between(1, 4); k > 0; k--)
            bytes[test_between(9, 8 + 36)] ^= (uint8_t)test_between(1, 255);
        bool same = !memcmp(bytes, good, n);
        ty_archive *a = test_own(parse_safetensors(bytes, n), release_archive);
        CHECK(same == !*ty_archive_error(a) || test_starving(), "case %d is read", i);
        test_round_end(round);
    }
    opened(parsed(foreign, 0));
}

static void truncated_anywhere(void) {
    const char *path;
    size_t n;
    const uint8_t *good = small_archive(&path, &n);
    for (size_t i = 0; i < n; i++) {
        struct test_round round = test_round();
        write_file(path, good, i);
        refused(ty_checkpoint_load(path), path);
        refused(parse_safetensors(good, i), "safetensors data");
        test_round_end(round);
    }
}

#define ENTRY(name, dtype, shape, offsets)                                                                   \
    "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static void wrong_headers(void) {
    static const struct {
        const char *json;
        size_t n;
        const char *words;
    } rows[] = {
        {"[]", 0, "does not begin with {"},
        {"{", 0, "not valid JSON"},
        {"{} x", 0, "not valid JSON"},
        {"{\"a\":1}", 0, "not described by dtype, shape and data_offsets"},
        {"{\"__metadata__\":[]}", 0, "__metadata__ is not an object of strings"},
        {"{\"__metadata__\":{\"a\":1}}", 0, "is not a string"},
        {"{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"}}", 0, "not valid JSON: duplicate"},
        {"{" ENTRY("a", "U8", "[1]", "[0,1]") "," ENTRY("a", "U8", "[1]", "[0,1]") "}", 1,
         "not valid JSON: duplicate"},
        {"{" ENTRY("a", "F6_E2M3", "[4]", "[0,3]") "}", 3, "dtype F6_E2M3, which is not supported"},
        {"{" ENTRY("a", "U8", "1", "[0,1]") "}", 1, "not a list of up to 64 sizes"},
        {"{" ENTRY("a", "U8", "[-1]", "[0,1]") "}", 1, "not a list of up to 64 sizes"},
        {"{" ENTRY("a", "U8", "[1.0]", "[0,1]") "}", 1, "not a list of up to 64 sizes"},
        {"{" ENTRY("a", "U8", "[18446744073709551616]", "[0,1]") "}", 1, "not a list of up to 64 sizes"},
        {"{" ENTRY("a", "U8", "[4294967296,4294967296]", "[0,1]") "}", 1, "do not match"},
        {"{" ENTRY("a", "F32", "[9223372036854775807]", "[0,4]") "}", 4, "do not match"},
        {"{" ENTRY("a", "U8", "[1]", "[0]") "}", 1, "not two numbers"},
        {"{" ENTRY("a", "U8", "[1]", "[1,0]") "}", 1, "is at bytes 1 to 0"},
        {"{" ENTRY("a", "U8", "[2]", "[0,2]") "}", 1, "is at bytes 0 to 2, beyond the 1"},
        {"{" ENTRY("a", "U8", "[9223372036854775807]", "[0,9223372036854775807]") "}", 1,
         "beyond the 1 bytes of data"},
        {"{" ENTRY("a", "F32", "[2]", "[0,4]") "}", 4, "do not match its shape and dtype F32"},
        {"{" ENTRY("a", "U8", "[1]", "[1,2]") "}", 2, "begins at byte 1, but the one before it ends at 0"},
        {"{" ENTRY("a", "U8", "[1]", "[0,1]") "," ENTRY("b", "U8", "[1]", "[2,3]") "}", 3,
         "\"b\" begins at byte 2"},
        {"{" ENTRY("a", "U8", "[2]", "[0,2]") "," ENTRY("b", "U8", "[2]", "[1,3]") "}", 3,
         "\"b\" begins at byte 1"},
        {"{" ENTRY("a", "U8", "[1]", "[0,1]") "}", 2, "end at byte 1 of 2"},
        {"{\"a\":{\"shape\":[[[[[[[[]]]]]]]]}}", 0, "nested deeper"},
        {"{\"a\":[[[[[[[[]]]]]]]]}", 0, "nested deeper than 3"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        refused(parsed(rows[i].json, rows[i].n), rows[i].words);
}

/* Nesting that would overflow the stack of a recursive parser is refused. */
static void deep_nests(void) {
    size_t n = 1 << 20;
    char *json = test_room(n + 8);
    strcpy(json, "{\"a\":");
    memset(json + 5, '[', n);
    refused(parsed(json, 0), "nested deeper than 3, at line 1, column 8");
}

static void absurd_lengths(void) {
    uint8_t file[16] = {0};
    refused(parse_safetensors(file, 16), "does not begin with {");
    file[0] = 9;
    refused(parse_safetensors(file, 16), "is truncated: the header has 9 bytes, 8 follow");
    file[4] = 1;
    refused(parse_safetensors(file, 16), "more than the allowed 100000000");
    memset(file, 255, 8);
    refused(parse_safetensors(file, 16), "18446744073709551615 bytes");
}

static void bool_bytes(void) {
    char file[] = "\71\0\0\0\0\0\0\0{" ENTRY("a", "BOOL", "[2]", "[0,2]") "}  \1\2";
    file[0] = (char)(sizeof file - 1 - 8 - 2);
    CHECK_POISON(ty_archive_get(opened(parse_safetensors(file, sizeof file - 1)), "a"),
                 "is BOOL but holds the byte 2");
}

static void files_of_others(void) {
    static const char json[] =
        "{\"__metadata__\":{\"format\":\"pt\"}," ENTRY("w", "F32", "[2,1]", "[0,8]") "}   ";
    const char *path = scratch_path(scratch_folder(), "other");
    size_t n = sizeof json - 1;
    uint8_t *file = test_room(8 + n + 8);
    file[0] = (uint8_t)n;
    memcpy(file + 8, json, n);
    write_file(path, file, 8 + n + 8);
    refused(ty_checkpoint_load(path), "has no checksum");
    ty_archive *a = opened(ty_archive_open(path, safetensors));
    ty_tensor *w = CHECK_OK(ty_archive_get(a, "w"));
    CHECK(strcmp(ty_archive_meta(a, "format"), "pt") == 0 && ty_shape(w)[0] == 2, "differs");
}

static void checksum_itself(void) {
    struct crc crc;
    crc_start(&crc, CRC_CASTAGNOLI);
    crc_add(&crc, "123456789", 9);
    CHECK(crc_value(&crc) == 0xe3069283, "CRC-32C of 123456789 is %08x",
          (unsigned)crc_value(&crc)); /* RFC 3720 */
    crc_start(&crc, CRC_CASTAGNOLI);
    crc_add(&crc, "12", 2);
    crc_add(&crc, "3456789", 7);
    CHECK(crc_value(&crc) == 0xe3069283, "in two parts it is %08x", (unsigned)crc_value(&crc));
    crc_start(&crc, CRC_ZIP);
    crc_add(&crc, "123456789", 9);
    CHECK(crc_value(&crc) == 0xcbf43926, "CRC-32 of 123456789 is %08x", (unsigned)crc_value(&crc));
}

/* ---- writing ---- */

static void refuses_wrong_requests(void) {
    static const char *const twice[] = {"a", "a"}, *const reserved[] = {"__metadata__"},
                             *const bad[] = {"\xff"};
    static const char *const overlong[] = {"\xc0\xaf"}, *const surrogate[] = {"\xed\xa0\x80"},
                             *const cut[] = {"\xe2\x82"};
    static const char *const checksum[] = {"checksum"};
    const char *folder = scratch_folder(), *path = scratch_path(folder, "never");
    ty_tensor *x[] = {ty_ones(TY_F32, TY_SHAPE(2)), ty_ones(TY_F32, TY_SHAPE(2))}, *error = NULL;
    ty_tensor *poison[] = {ty_poison("broken on purpose")};
    not_saved(path, 2, twice, x, "\"a\" occurs twice");
    not_saved(path, 1, reserved, x, "is reserved by the format");
    not_saved(path, 1, bad, x, "is not UTF-8");
    not_saved(path, 1, overlong, x, "is not UTF-8");
    not_saved(path, 1, surrogate, x, "is not UTF-8");
    not_saved(path, 1, cut, x, "is not UTF-8");
    not_saved(path, 1, one_name, poison, "broken on purpose");
    CHECK(!ty_checkpoint_save(path, 1, one_name, x, 1, checksum, one_name, &error), "a reserved key is well");
    CHECK_POISON(error, "is reserved by the format");
    CHECK(count_files(folder) == 0, "%d files are left", count_files(folder));
}

static void refuses_wrong_places(void) {
    const char *folder = scratch_folder();
    char name[240] = {0};
    memset(name, 'n', 230);
    ty_tensor *x[] = {ty_ones(TY_F32, TY_SHAPE(2))};
    not_saved(scratch_path(folder, "absent/file"), 1, one_name, x,
              "its directory cannot be opened: No such file");
    not_saved(folder, 1, one_name, x, "is a folder; expected a file");
    not_saved(scratch_path(folder, ""), 1, one_name, x, "is a folder; expected a file");
    not_saved(scratch_path(folder, name), 1, one_name, x, "the name is longer than 200 bytes");
    CHECK(symlink("nowhere", scratch_path(folder, "dangling")) == 0, "no link");
    not_saved(scratch_path(folder, "dangling"), 1, one_name, x, "dangling");
    CHECK(count_files(folder) == 1, "%d files are left", count_files(folder));
}

static void release_limit(void *limit) {
    setrlimit(RLIMIT_FSIZE, limit);
    signal(SIGXFSZ, SIG_DFL);
}

/* If the disk is full during the write, the old file remains, and no other. */
static void a_full_disk(void) {
    const char *folder = scratch_folder(), *path = scratch_path(folder, "file");
    ty_tensor *small[] = {ty_ones(TY_F32, TY_SHAPE(2))}, *large[] = {ty_ones(TY_F32, TY_SHAPE(100000))};
    size_t n, m;
    saved(path, 1, one_name, small);
    const uint8_t *before = read_file(path, &n);
    struct rlimit *limit = test_room(sizeof *limit), less;
    getrlimit(RLIMIT_FSIZE, limit);
    signal(SIGXFSZ, SIG_IGN);
    test_own(limit, release_limit);
    less = *limit;
    less.rlim_cur = 100000;
    setrlimit(RLIMIT_FSIZE, &less);
    not_saved(path, 1, one_name, large, "cannot be written: File too large");
    const uint8_t *after = read_file(path, &m);
    CHECK(n == m && memcmp(before, after, n) == 0, "the old file has changed");
    CHECK(count_files(folder) == 1, "%d files are left", count_files(folder));
}

static void keeps_mode_and_follows_links(void) {
    const char *folder = scratch_folder(), *path = scratch_path(folder, "file"),
               *link = scratch_path(folder, "link");
    ty_tensor *x[] = {ty_ones(TY_F32, TY_SHAPE(2))};
    struct stat status;
    saved(path, 1, one_name, x);
    CHECK(chmod(path, 0640) == 0 && symlink("file", link) == 0, "no link");
    saved(link, 1, one_name, x);
    CHECK(lstat(link, &status) == 0 && S_ISLNK(status.st_mode), "the link is gone");
    CHECK(stat(path, &status) == 0 && (status.st_mode & 0777) == 0640, "mode %o", (unsigned)status.st_mode);
    CHECK(count_files(folder) == 2, "%d files", count_files(folder));
}

static pid_t gone_process(void) {
    pid_t child = fork();
    if (child == 0) _exit(0);
    child_status(child);
    return child;
}

/* Leftover files of killed writers are removed; similar names stay. */
static void sweeps_leftovers(void) {
    static const char *const forms[] = {
        "file.tyto-%ld-0123456789abcdef.tmp",  "file.tyto-%ld-0123456789abcde.tmp",
        "file.tyto-%ld-0123456789ABCDEF.tmp",  "file.tyto-%ld-0123456789abcdef.tmp2",
        "other.tyto-%ld-0123456789abcdef.tmp", "file.tyto-%ldx-0123456789abcdef.tmp"};
    const char *folder = scratch_folder();
    ty_tensor *x[] = {ty_ones(TY_F32, TY_SHAPE(2))};
    char name[128];
    long gone = gone_process();
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        snprintf(name, sizeof name, forms[i], gone);
        write_file(scratch_path(folder, name), "rest", 4);
    }
    snprintf(name, sizeof name, forms[0], (long)getpid());
    write_file(scratch_path(folder, name), "mine", 4);
    snprintf(name, sizeof name, "file.tyto-%ld-fedcba9876543210.tmp", gone);
    const char *locked = scratch_path(folder, name);
    write_file(locked, "held", 4);
    FILE *hold = fopen(locked, "rb");
    CHECK(hold && flock(fileno(hold), LOCK_EX) == 0, "no lock");
    bool ok = ty_checkpoint_save(scratch_path(folder, "file"), 1, one_name, x, 0, NULL, NULL, NULL);
    fclose(hold);
    CHECK(ok, "not saved");
    snprintf(name, sizeof name, forms[0], gone);
    CHECK(access(scratch_path(folder, name), F_OK) != 0, "the leftover is there");
    CHECK(count_files(folder) == 8, "%d files, want 8", count_files(folder));
}

TESTS_MAIN(TEST(every_dtype), TEST(every_layout), TEST(names_and_texts), TEST(nothing_at_all),
           TEST(aligned_in_the_file), TEST(every_flipped_bit), TEST(damaged_marks), TEST(truncated_anywhere),
           TEST(wrong_headers), TEST(deep_nests), TEST(absurd_lengths), TEST(bool_bytes),
           TEST(files_of_others), TEST(checksum_itself), TEST(refuses_wrong_requests),
           TEST(refuses_wrong_places), TEST(a_full_disk), TEST(keeps_mode_and_follows_links),
           TEST(sweeps_leftovers))
