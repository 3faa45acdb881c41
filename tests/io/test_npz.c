/* npz archives: stored, deflated, with 64-bit sizes, and inconsistent zip files. */
#include <string.h>
#include <tyto/io.h>
#include "io/formats/zip.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"

static const ty_file_options npz = {.format = "npz"}, deflated = {.format = "npz", .deflate = true},
                             npy = {.format = "npy"};

static bool deflates(void) {
    size_t n;
    ty_tensor *error = NULL, *x = ty_num(1);
    const char *name = "x";
    void *bytes = ty_archive_bytes(1, &name, &x, deflated, &n, &error);
    ty_free(bytes);
    return bytes || !strstr(ty_error(error), "zlib");
}

static const char *const names[] = {"a", "layer/1.weight", "\xc3\xa4", "../../etc/passwd", "/absolute", ""};
enum { N = sizeof names / sizeof *names };

static void fill(ty_tensor *x[N]) {
    x[0] = ty_arange(TY_F32, 0, 1000, 1);
    x[1] = ty_transpose(ty_reshape(ty_arange(TY_I64, 0, 12, 1), TY_SHAPE(3, 4)));
    x[2] = ty_scalar(TY_U8, 7);
    x[3] = ty_zeros(TY_C64, TY_SHAPE(0, 3));
    x[4] = ty_zeros(TY_F64, TY_SHAPE(300, 300));
    x[5] = ty_full(TY_BOOL, TY_SHAPE(5), 1);
}

static void round_trips(void) {
    ty_tensor *x[N];
    size_t n, plain = 0;
    fill(x);
    for (int i = 0; i < 1 + deflates(); i++) {
        uint8_t *bytes = write_bytes(N, names, x, i ? deflated : npz, &n);
        if (i == 0) plain = n;
        CHECK(i == 0 || n < plain / 10, "%zu bytes deflated, %zu stored", n, plain);
        ty_archive *a = parse_well(bytes, n, (ty_file_options){0});
        CHECK(ty_archive_count(a) == N && !strcmp(ty_archive_format(a), "npz"), "%d tensors",
              ty_archive_count(a));
        for (int k = N - 1; k >= 0; k--)
            check_same(ty_archive_get(a, *names[k] ? names[k] : "arr_0"), x[k], names[k]);
        ty_dtype dtype;
        int rank;
        const int64_t *shape;
        CHECK(ty_archive_form(a, 1, &dtype, &rank, &shape) && dtype == TY_I64 && rank == 2 && shape[0] == 4,
              "another form");
        CHECK_POISON(ty_archive_get(a, "b"), "unknown tensor \"b\"; expected one of a, layer");
    }
    uint8_t *bytes = write_bytes(0, NULL, NULL, npz, &n);
    CHECK(ty_archive_count(parse_well(bytes, n, (ty_file_options){0})) == 0, "not empty");
}

/* ---- 64 bits ---- */

/* Return a zip of two npy members; sizes and offsets from `large` on use 64-bit fields. */
static uint8_t *make_zip(uint64_t large, bool pack, size_t *size) {
    struct fault fault = {0};
    struct output out;
    struct zip_writer z;
    size_t n;
    uint8_t *file = write_one(ty_arange(TY_I16, 0, 50, 1), npy, &n);
    output_to_memory(&out, &fault);
    zip_start(&z, &out, large);
    const struct zip_content content = {file, n, NULL};
    bool ok = zip_add(&z, "x.npy", &content, pack) && zip_add(&z, "y.npy", &content, pack) && zip_end(&z);
    *size = out.memory.length;
    uint8_t *copy = test_room(*size);
    if (ok) memcpy(copy, out.memory.data, *size);
    zip_drop(&z);
    output_end(&out, false);
    CHECK(ok, "%s", fault.text);
    return copy;
}

static void sizes_of_64_bits(void) {
    size_t n, usual;
    make_zip(ZIP_LARGE, false, &usual);
    for (int pack = 0; pack < 1 + deflates(); pack++)
        for (uint64_t large = 0; large <= 400;
             large += 200) { /* all fields; the second member's offset only; the directory's only */
            uint8_t *bytes = make_zip(large, pack, &n);
            CHECK(pack || n > usual, "nothing is written with 64 bits");
            ty_archive *a = parse_well(bytes, n, npz);
            check_same(ty_archive_get(a, "x"), ty_arange(TY_I16, 0, 50, 1), "x");
            check_same(ty_archive_get(a, "y"), ty_arange(TY_I16, 0, 50, 1), "y");
        }
}

/* ---- damage ---- */

static void put(uint8_t *at, uint64_t value, int n) {
    for (int i = 0; i < n; i++) at[i] = (uint8_t)(value >> 8 * i);
}

/* Return the central directory entry of member `i`. */
static uint8_t *entry_of(uint8_t *bytes, size_t n, int i) {
    for (size_t k = 0; k + 4 <= n; k++)
        if (!memcmp(bytes + k, "PK\1\2", 4) && i-- == 0) return bytes + k;
    CHECK(false, "no entry");
    return NULL;
}

static void lying_sizes(void) {
    static const struct {
        int place, bytes;
        uint64_t value;
        const char *words;
    } rows[] = {
        {8, 2, 1, "is encrypted"},
        {10, 2, 14, "compression method 14; expected 0 (stored) or 8 (deflated)"},
        {16, 4, 12345, "the checksum (CRC-32) does not match"},
        {20, 4, 1 << 30, "lies outside the file"},
        {20, 4, 10, "two sizes differ"},
        {24, 4, 1 << 30, "two sizes differ"},
        {24, 4, ZIP_LARGE, "zip64 field is missing"},
        {28, 2, 65535, "directory ends early"},
        {42, 4, 1 << 30, "lies outside the file"},
        {42, 4, 5, "a member's header is missing"},
    };
    size_t n;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_round round = test_round();
        uint8_t *bytes = make_zip(ZIP_LARGE, false, &n);
        put(entry_of(bytes, n, 0) + rows[i].place, rows[i].value, rows[i].bytes);
        CHECK_POISON(parse_first(bytes, n, npz), rows[i].words);
        test_round_end(round);
    }
}

/* Bombs are refused: at once if deflate cannot reach the size, otherwise by the limit, before unpacking. */
static void bombs(void) {
    size_t n;
    if (!deflates()) return;
    uint8_t *bytes = make_zip(ZIP_LARGE, true, &n);
    put(entry_of(bytes, n, 0) + 24, 1 << 30, 4);
    CHECK_POISON(parse_first(bytes, n, npz), "more than deflate can");
    bytes = make_zip(ZIP_LARGE, true, &n);
    CHECK_POISON(parse_first(bytes, n, (ty_file_options){.format = "npz", .most_bytes = 50}),
                 "more than the allowed 50");
    put(entry_of(bytes, n, 0) + 24, 300, 4); /* more than the data */
    CHECK_POISON(parse_first(bytes, n, npz), "[member \"x\"]");
    put(entry_of(bytes, n, 0) + 24, 150, 4); /* less than the data */
    CHECK_POISON(parse_first(bytes, n, npz), "[member \"x\"]");
}

static void odd_members(void) {
    size_t n;
    uint8_t *bytes = make_zip(ZIP_LARGE, false, &n), *entry = entry_of(bytes, n, 1);
    entry[46] = 'x';
    CHECK_POISON(parse_first(bytes, n, npz), "has two members \"x.npy\"");
    entry[46] = 0;
    CHECK_POISON(parse_first(bytes, n, npz), "zero byte");
    struct fault fault = {0};
    struct output out;
    struct zip_writer z;
    bytes = make_zip(ZIP_LARGE, false, &n); /* a zip inside a zip, and a text */
    output_to_memory(&out, &fault);
    zip_start(&z, &out, ZIP_LARGE);
    bool ok = zip_add(&z, "inner.npz", &(struct zip_content){bytes, n, NULL}, false) &&
              zip_add(&z, "read.me", &(struct zip_content){"plain text", 10, NULL}, false) && zip_end(&z);
    size_t size = out.memory.length;
    uint8_t *copy = test_room(size);
    if (ok) memcpy(copy, out.memory.data, size);
    zip_drop(&z);
    output_end(&out, false);
    CHECK(ok, "%s", fault.text);
    ty_archive *a = parse_well(copy, size, npz);
    CHECK_POISON(ty_archive_get(a, "inner.npz"),
                 "is not an npy file: it does not begin with \\x93NUMPY  [member");
    CHECK_POISON(ty_archive_get(a, "read.me"), "is not an npy file");
}

static void comments_at_the_end(void) {
    size_t n;
    uint8_t *bytes = make_zip(ZIP_LARGE, false, &n), *longer = test_room(n + 300);
    memcpy(longer, bytes, n);
    put(longer + n - 2, 300, 2);
    memcpy(longer + n + 10, "PK\5\6", 4); /* looks like an end record */
    check_same(parse_first(longer, n + 300, npz), ty_arange(TY_I16, 0, 50, 1), "with a comment");
    CHECK_POISON(parse_first(longer, n + 299, npz), "is truncated, or not a zip");
    CHECK_POISON(parse_first("PK\5\6", 4, npz), "is truncated: it is shorter than any zip");
}

static void damaged(void) {
    size_t n;
    for (int pack = 0; pack < 1 + deflates(); pack++) {
        uint8_t *bytes = make_zip(pack ? 0 : ZIP_LARGE, pack, &n);
        check_damaged(bytes, n, npz, 500);
    }
}

/* A flipped bit of a member is always detected. */
static void every_flipped_bit_is_found(void) {
    size_t n;
    uint8_t *bytes = make_zip(ZIP_LARGE, false, &n);
    for (size_t bit = 8 * (30 + 5); bit < 8 * (30 + 5 + 228); bit++) {
        struct test_round round = test_round();
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        CHECK(!ty_ok(parse_first(bytes, n, npz)), "bit %zu flipped and nobody saw", bit);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        test_round_end(round);
    }
}

static void refuses_wrong_requests(void) {
    static const char *const twice[] = {"a", "a"};
    ty_tensor *x[] = {ty_num(1), ty_num(2)}, *error = NULL;
    size_t n;
    CHECK(!ty_archive_bytes(2, twice, x, npz, &n, &error), "two of one name");
    CHECK_POISON(error, "\"a\" occurs twice");
    CHECK(!ty_archive_bytes(2, names, x, npy, &n, &error), "two in npy");
    CHECK_POISON(error, "npy holds one tensor, not 2; npz and safetensors hold several");
    CHECK(!ty_archive_bytes(1, names, (ty_tensor *[]){ty_poison("broken")}, npz, &n, &error), "poison");
    CHECK_POISON(error, "tensor \"a\": broken");
    CHECK(!ty_archive_bytes(1, names, x, (ty_file_options){.format = "zip"}, &n, &error), "zip");
    CHECK_POISON(error, "unknown format \"zip\"; expected one of npy, npz, safetensors");
    CHECK(!ty_archive_bytes(1, names, x, (ty_file_options){0}, &n, &error), "no format");
    CHECK_POISON(error, "give the format");
}

TESTS_MAIN(TEST(round_trips), TEST(sizes_of_64_bits), TEST(lying_sizes), TEST(bombs), TEST(odd_members),
           TEST(comments_at_the_end), TEST(damaged), TEST(every_flipped_bit_is_found),
           TEST(refuses_wrong_requests))
