/*
 * Memory limits for small files: gzip of several members, bombs that expand a thousandfold, overlapping zip members,
 * headers of brackets. All are refused before allocation, unless the limit is raised.
 */
#include <string.h>
#include "contract/configuration.h"
#include "base/alloc.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"

static bool reads_gzip(void) {
    size_t n;
    const uint8_t *bytes = make_gzip("1\n", 2, &n);
    return ty_ok(parse_first(bytes, n, (ty_file_options){.format = "csv"})) || test_starving();
}

static uint8_t *joined(const void *a, size_t n, const void *b, size_t m) {
    uint8_t *both = test_room(n + m);
    memcpy(both, a, n);
    memcpy(both + n, b, m);
    return both;
}

/* ---- members of gzip ---- */

static void members_are_one_text(void) {
    static const char first[] = "a,b\n1,2\n3", second[] = ",4\n5,6\n", zeros[3000] = {0};
    size_t n, m, none;
    if (!reads_gzip()) return;
    const uint8_t *one = make_gzip(first, strlen(first), &n), *other = make_gzip(second, strlen(second), &m),
                  *empty = make_gzip("", 0, &none);
    uint8_t *bytes = joined(joined(one, n, empty, none), n + none, other, m);
    size_t size = n + none + m;
    ty_file_options csv = {.format = "csv"};
    ty_tensor *x = parse_first(bytes, size, csv);
    if (ty_ok(x))
        CHECK(ty_rank(x) == 2 && ty_shape(x)[0] == 3 && ty_item(ty_at(x, "2,1")) == 6, "rows are missing");
    CHECK_OK(parse_first(joined(bytes, size, zeros, sizeof zeros), size + sizeof zeros, csv));
    CHECK_POISON(parse_first(joined(bytes, size, "no gzip", 7), size + 7, csv), "that are not gzip");
    CHECK_POISON(parse_first(bytes, size - 5, csv), "ends early");
    CHECK_POISON(parse_first(joined(bytes, size, "\x1f", 1), size + 1, csv), "ends early");
}

static void members_of_an_array(void) {
    size_t n, a, b;
    if (!reads_gzip()) return;
    ty_tensor *x = ty_iota(TY_F64, TY_SHAPE(3000), 0);
    const uint8_t *npy = write_one(x, (ty_file_options){.format = "npy"}, &n);
    if (!npy) return;
    for (size_t cut = 0; cut <= n; cut += cut < 200 ? 7 : 5000) {
        const uint8_t *one = make_gzip(npy, cut, &a), *other = make_gzip(npy + cut, n - cut, &b);
        ty_tensor *y = parse_first(joined(one, a, other, b), a + b, (ty_file_options){.format = "npy"});
        if (ty_ok(y)) check_same(y, x, "two members");
        CHECK(ty_ok(y) || test_starving(), "cut at %zu: %s", cut, ty_error(y));
        if (test_starving()) break;
    }
}

/* ---- totals ---- */

/* Return the gzip file at `path` repeated `times` times. */
static uint8_t *repeated(const char *path, int times, size_t *size) {
    size_t n;
    const uint8_t *bytes = read_file(path, &n);
    uint8_t *all = test_room(n * (size_t)times);
    for (int i = 0; i < times; i++) memcpy(all + n * (size_t)i, bytes, n);
    *size = n * (size_t)times;
    return all;
}

static void tables_have_a_budget(void) {
    if (!reads_gzip() || test_starving()) return;
    const char *path = scratch_path(scratch_folder(), "x.csv.gz");
    CHECK(ty_save(path, ty_zeros(TY_I64, TY_SHAPE(1 << 20)), NULL), "not written");
    size_t n;
    const uint8_t *bytes = repeated(path, 40, &n);
    CHECK(n < 1 << 20, "%zu bytes are not few", n);
    CHECK_POISON(parse_first(bytes, n, (ty_file_options){.format = "csv"}), "--most-bytes");
    ty_tensor *x = parse_first(bytes, n, (ty_file_options){.format = "csv", .most_bytes = 350 << 20});
    CHECK(ty_ok(x) && ty_size(x) == 40 << 20, "%s", ty_error(x));
    CHECK_OK(parse_first(bytes, n / 40 * 8, (ty_file_options){.format = "csv"}));
}

/* Cells count as their memory: 8 bytes for a line of 2, 16 for complex ones. */
static void cells_have_a_budget(void) {
    if (!reads_gzip() || test_starving()) return;
    const char *path = scratch_path(scratch_folder(), "x.csv.gz");
    CHECK(ty_save(path, ty_zeros(TY_I64, TY_SHAPE(1 << 20)), NULL), "not written");
    size_t n;
    const uint8_t *bytes = repeated(path, 40, &n);
    enum { MOST = 24 << 20 };
    mem_peak_begin();
    int64_t before = mem_peak();
    CHECK_POISON(parse_first(bytes, n, (ty_file_options){.format = "csv", .most_bytes = MOST}),
                 "--most-bytes");
    /* the window has 1 MiB */
    CHECK(mem_peak() - before < MOST + (3 << 20), "%lld bytes were taken", (long long)(mem_peak() - before));
    ty_file_options o = {.format = "csv", .most_bytes = MOST};
    CHECK_OK(parse_first(bytes, n / 40 * 3, o));
    CHECK_POISON(parse_first(bytes, n / 40 * 4, o), "more than the allowed 25165824");
    const char *more = scratch_path(scratch_folder(), "y.csv.gz");
    CHECK(ty_save(more, ty_mul(ty_ones(TY_C128, TY_SHAPE(8)), ty_complex(0, 1)), NULL), "not written");
    size_t m;
    const uint8_t *pairs = read_file(more, &m);
    CHECK_OK(parse_first(joined(bytes, n / 40, pairs, m), n / 40 + m, o));
    CHECK_POISON(
        parse_first(joined(bytes, n / 40 * 2, pairs, m), n / 40 * 2 + m, o),
        "would unpack to 33554560 bytes, more than the allowed 25165824: if the file is trusted, allow more");
    o.most_bytes = 1;
    CHECK_POISON(parse_first(bytes, n / 40, o), "more than the allowed 1");
}

static void arrays_have_a_budget(void) {
    if (!reads_gzip() || test_starving()) return;
    const char *folder = scratch_folder(), *path = scratch_path(folder, "x.npy.gz");
    ty_tensor *x = ty_zeros(TY_F64, TY_SHAPE(12 << 20));
    CHECK(ty_save(path, x, NULL), "not written");
    CHECK_POISON(ty_load(path), "would unpack to 1006");
    ty_archive *a = own_archive(ty_archive_open(path, (ty_file_options){.most_bytes = 1 << 27}));
    check_same(ty_archive_at(a, 0), x, "with a larger budget");
}

/* The limit holds for all members together; each alone would be small enough. */
static void archives_have_a_budget(void) {
    if (!reads_gzip() || test_starving()) return;
    enum { N = 8 };
    static const char *const names[N] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    ty_tensor *x[N];
    for (int i = 0; i < N; i++) x[i] = ty_zeros(TY_F64, TY_SHAPE(2 << 20));
    size_t n;
    const uint8_t *bytes = write_bytes(N, names, x, (ty_file_options){.format = "npz", .deflate = true}, &n);
    ty_archive *a = parse_well(bytes, n, (ty_file_options){0});
    int rank;
    ty_dtype dtype;
    const int64_t *shape;
    CHECK(ty_archive_form(a, 3, &dtype, &rank, &shape) && shape[0] == 2 << 20, "looking is free");
    CHECK_POISON(ty_archive_get(a, "a"), "--most-bytes");
    a = parse_well(bytes, n, (ty_file_options){.most_bytes = 1 << 28});
    check_same(ty_archive_get(a, "h"), x[7], "with a larger budget");
}

/* ---- overlaps ---- */

static void put32(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> 8 * i);
}

static void members_do_not_overlap(void) {
    static const char *const names[] = {"a", "b", "c"};
    ty_tensor *x[3];
    size_t n;
    for (int i = 0; i < 3; i++) x[i] = ty_full(TY_F64, TY_SHAPE(50), i);
    uint8_t *bytes = write_bytes(3, names, x, (ty_file_options){.format = "npz"}, &n);
    if (!bytes) return;
    uint8_t *entries[3];
    int found = 0;
    for (size_t i = 0; i + 46 < n; i++)
        if (!memcmp(bytes + i, "PK\1\2", 4)) entries[found++] = bytes + i;
    CHECK(found == 3, "%d entries", found);
    uint32_t second = (uint32_t)(entries[1][42] | entries[1][43] << 8);
    parse_well(bytes, n, (ty_file_options){0});
    put32(entries[2] + 42, second); /* two members at one offset, under two names */
    CHECK_POISON(parse_first(bytes, n, (ty_file_options){.format = "npz"}), "overlap");
    put32(entries[2] + 42, 0);
    CHECK_POISON(parse_first(bytes, n, (ty_file_options){.format = "npz"}), "overlap");
}

/* ---- headers ---- */

/* Return a safetensors file with this header only; its `data` bytes need not exist. */
static const uint8_t *headed(const char *header, size_t length, size_t *size) {
    uint8_t *bytes = test_room(8 + length);
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)((uint64_t)length >> 8 * i);
    memcpy(bytes + 8, header, length);
    *size = 8 + length;
    return bytes;
}

/* Return begin, `middle` repeated `times` times, and end. */
static char *filled(const char *begin, const char *middle, const char *end, size_t times) {
    size_t b = strlen(begin), m = strlen(middle), e = strlen(end);
    char *text = test_room(b + m * times + e + 1);
    memcpy(text, begin, b);
    for (size_t i = 0; i < times; i++) memcpy(text + b + i * m, middle, m);
    memcpy(text + b + m * times, end, e);
    return text;
}

static void headers_of_brackets(void) {
    static const struct {
        const char *begin, *middle, *end, *words, *small; /* small: with 32-bit pointers, if not the same */
    } rows[] = {{"{\"a\":[", "[],", "0]}", "--most-bytes", "is not described by"},
                {"{\"a\":{\"shape\":[", "1,", "1]}}", "is not described by", NULL},
                {"{\"a\":{\"shape\":[", "[", "]}}", "--most-bytes", "nested deeper"},
                {"{\"a\":", "{\"a\":", "1}", "nested deeper", NULL},
                {"{\"a\":", "[", "1}", "--most-bytes", "nested deeper"},
                {"{\"__metadata__\":{\"x\":\"\"", ",\"a\":\"\"", "}}", "duplicate name", NULL},
                {"{", "\"a\":{},", "\"b\":{}}", "duplicate name", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_round round = test_round();
        size_t times = test_starving() ? 100 : 3000000, n;
        char *text = filled(rows[i].begin, rows[i].middle, rows[i].end, times);
        const uint8_t *bytes = headed(text, strlen(text), &n);
        ty_tensor *x = parse_first(bytes, n, (ty_file_options){.format = "safetensors"});
        bool smaller = rows[i].small && sizeof(void *) < 8; /* values of half the size stay below the limit */
        if (!test_starving()) CHECK_POISON(x, smaller ? rows[i].small : rows[i].words);
        test_round_end(round);
    }
}

/* Many small tensors are accepted. */
static void headers_of_many_tensors(void) {
    enum { N = 3000, NAME = 32 };
    if (test_starving()) return;
    char *texts = test_room(N * NAME);
    const char **names = test_room(N * sizeof *names);
    ty_tensor **tensors = test_room(N * sizeof *tensors), *x = ty_ones(TY_F32, TY_SHAPE(2, 2));
    for (int i = 0; i < N; i++) {
        names[i] = texts + i * NAME;
        snprintf(texts + i * NAME, NAME, "layer.%d.weight", i);
        tensors[i] = x;
    }
    size_t n;
    uint8_t *bytes = write_bytes(N, names, tensors, (ty_file_options){.format = "safetensors"}, &n);
    check_same(ty_archive_get(parse_well(bytes, n, (ty_file_options){0}), "layer.2999.weight"), x,
               "the last of many");
}

static void configurations_have_a_budget(void) {
    ty_contraction c;
    size_t times = test_starving() ? 100 : 1000000;
    char *text = filled("[", "[],", "0]", times);
    CHECK(!contraction_from_json(&c, text, strlen(text)), "brackets were taken for a contraction");
    if (!test_starving()) CHECK(strstr(c.error, "at most 1048576"), "%s", c.error);
}

TESTS_MAIN(TEST(members_are_one_text), TEST(members_of_an_array), TEST(tables_have_a_budget),
           TEST(cells_have_a_budget), TEST(arrays_have_a_budget), TEST(archives_have_a_budget),
           TEST(members_do_not_overlap), TEST(headers_of_brackets), TEST(headers_of_many_tensors),
           TEST(configurations_have_a_budget))
