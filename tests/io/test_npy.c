/* npy files: all variants that NumPy writes, and all errors. */
#include <stdio.h>
#include <string.h>
#include <tyto/io.h>
#include "tests/support/files.h"
#include "tests/support/harness.h"

static const ty_file_options npy = {.format = "npy"}, bf16 = {.format = "npy", .bf16 = true};

/* An npy file of version `major` with this header, then n bytes. */
struct npy_file {
    uint8_t *bytes;
    size_t n;
};

static struct npy_file make_npy(int major, const char *header, const void *data, size_t n) {
    size_t length = strlen(header), width = major == 1 ? 2 : 4;
    struct npy_file f = {test_room(8 + width + length + n + 1), 8 + width + length + n};
    memcpy(f.bytes, "\x93NUMPY", 6);
    f.bytes[6] = (uint8_t)major;
    for (size_t i = 0; i < width; i++) f.bytes[8 + i] = (uint8_t)(length >> 8 * i);
    memcpy(f.bytes + 8 + width, header, length);
    if (n) memcpy(f.bytes + 8 + width + length, data, n);
    return f;
}

static ty_tensor *parsed(const char *header, const void *data, size_t n) {
    struct npy_file f = make_npy(1, header, data, n);
    return parse_first(f.bytes, f.n, npy);
}

/* ---- valid files ---- */

static void round_trips(void) {
    static const int64_t shapes[][3] = {{2, 3, 4}, {0, 3, 1}, {1, 1, 1}};
    size_t n;
    for (int d = 0; d < TY_DTYPES; d++)
        for (int i = 0; i < 3; i++)
            for (int rank = 0; rank <= 3; rank++) {
                struct test_round round = test_round();
                ty_tensor *all = ty_reshape(ty_arange(TY_F64, 0, 24, 1), TY_SHAPE(2, 3, 4));
                ty_tensor *x = ty_slice(ty_slice(all, 0, 0, shapes[i][0], 1), 1, 0, shapes[i][1], 1);
                x = ty_cast(ty_slice(x, 2, 0, shapes[i][2], 1), (ty_dtype)d);
                for (int k = 3; k > rank; k--) x = ty_sum(x, ty_axis(0));
                x = ty_cast(x, (ty_dtype)d);
                uint8_t *bytes = write_one(x, npy, &n);
                check_same(parse_first(bytes, n, bf16), x, ty_dtype_name((ty_dtype)d));
                CHECK(ty_rank(x) == rank && (n - (size_t)ty_size(x) * ty_dtype_size((ty_dtype)d)) % 64 == 0,
                      "the elements are not aligned to 64 bytes");
                test_round_end(round);
            }
}

static void layouts(void) {
    size_t n;
    ty_tensor *x = ty_reshape(ty_arange(TY_F32, 0, 12, 1), TY_SHAPE(3, 4));
    ty_tensor *all[] = {ty_transpose(x),
                        ty_flip(x, 1),
                        ty_slice(x, 1, 1, TY_END, 2),
                        ty_broadcast(ty_num(3), TY_SHAPE(2, 2)),
                        ty_sin(ty_var(x, "x")),
                        ty_track(x, "x")};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint8_t *bytes = write_one(all[i], npy, &n);
        check_same(parse_first(bytes, n, npy), all[i], "layout");
    }
}

/* True if the n bytes contain the text. */
static bool has(const uint8_t *bytes, size_t n, const char *text) {
    for (size_t i = 0; i + strlen(text) <= n; i++)
        if (!memcmp(bytes + i, text, strlen(text))) return true;
    return false;
}

static void column_order(void) {
    static const ty_file_options npz = {.format = "npz"},
                                 others[] = {{.format = "safetensors"}, {.format = "csv"}};
    size_t n;
    ty_tensor *x = ty_reshape(ty_arange(TY_F32, 0, 24, 1), TY_SHAPE(4, 6)), *c = ty_columns(x),
              *t = ty_reshape(ty_arange(TY_I16, 0, 24, 1), TY_SHAPE(2, 3, 4));
    const struct {
        ty_tensor *x;
        bool columns;
    } all[] = {{c, true},
               {ty_neg(c), true},
               {ty_transpose(x), true},
               {ty_permute(t, NULL), true},
               {ty_columns(t), true},
               {ty_at(c, ":, 1:3"), true},
               {x, false},
               {ty_at(c, "1:3"), false},
               {ty_swap(t, 0, 1), false},
               {ty_flip(c, 0), false},
               {ty_at(c, ":, 0"), false},
               {ty_zeros(TY_F32, TY_SHAPE(0, 3)), false},
               {ty_num(3), false}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int k = 0; k < 2; k++) {
            ty_file_options format = k ? npz : npy;
            uint8_t *bytes = write_one(all[i].x, format, &n);
            ty_tensor *y = parse_first(bytes, n, format);
            check_same(y, all[i].x, "column order");
            if (test_starving()) continue;
            CHECK(has(bytes, n, "'fortran_order': True") == all[i].columns, "array %d in the wrong order",
                  (int)i);
            CHECK(ty_is_contiguous(y) == !all[i].columns && !ty_keeps_order(y), "array %d is read otherwise",
                  (int)i);
        }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        uint8_t *bytes = write_one(c, others[i], &n);
        ty_tensor *y = ty_cast(parse_first(bytes, n, others[i]), TY_F32);
        check_same(y, c, "a format without orders");
    }
}

static void both_orders_of_everything(void) {
    static const char little[] = {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0},
                      big[] = {0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6};
    static const int16_t straight[] = {1, 2, 3, 4, 5, 6}, turned[] = {1, 3, 5, 2, 4, 6};
    static const struct {
        const char *header, *data;
        const int16_t *want;
    } rows[] = {
        {"{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }", little, straight},
        {"{'descr': '>i2', 'fortran_order': False, 'shape': (2, 3), }", big, straight},
        {"{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }", little, turned},
        {"{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }", big, turned},
        {"{\"shape\":(2L,3L),\"fortran_order\":False,\"descr\":\"<i2\"}", little, straight},
        {"  {  'shape'  : ( 2 , 3 , ) , 'descr' : '<i2' , 'fortran_order' : False }  \n", little, straight},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int major = 1; major <= 3; major++) {
            struct npy_file f = make_npy(major, rows[i].header, rows[i].data, 12);
            ty_tensor *x = parse_first(f.bytes, f.n, (ty_file_options){0});
            check_same(x, ty_from(TY_I16, TY_SHAPE(2, 3), rows[i].want), rows[i].header);
        }
}

static void swapped_widths(void) {
    static const uint8_t bytes[16] = {0x40, 9, 0x21, 0xfb, 0x54, 0x44, 0x2d, 0x18, 0xc0, 0, 0, 0, 0, 0, 0, 0};
    static const uint8_t single[8] = {0x40, 0x49, 0x0f, 0xdb, 0xc0, 0, 0, 0};
    ty_tensor *x = parsed("{'descr': '>f8', 'fortran_order': False, 'shape': (2,)}", bytes, 16);
    check_same(x, ty_from(TY_F64, TY_SHAPE(2), (double[]){0x1.921fb54442d18p+1, -2}), ">f8");
    x = parsed("{'descr': '>c16', 'fortran_order': False, 'shape': ()}", bytes, 16);
    check_same(x, ty_from(TY_C128, TY_SCALAR, (void *)(double[]){0x1.921fb54442d18p+1, -2}), ">c16");
    x = parsed("{'descr': '>c8', 'fortran_order': False, 'shape': ()}", single, 8);
    check_same(x, ty_from(TY_C64, TY_SCALAR, (void *)(float[]){0x1.921fb6p+1f, -2}), ">c8");
    x = parsed("{'descr': '>f2', 'fortran_order': True, 'shape': (1, 1)}", "\x3c\0", 2);
    CHECK(ty_item(x) == 1 && ty_rank(x) == 2, ">f2");
    static const int16_t native[] = {1, -2, 300};
    x = CHECK_OK(parsed("{'descr': '=i2', 'fortran_order': False, 'shape': (3,)}", native, sizeof native));
    check_same(x, ty_from(TY_I16, TY_SHAPE(3), native), "the machine's order");
    x = parsed("{'descr': '>b1', 'fortran_order': False, 'shape': (2,)}", "\1\0", 2);
    check_same(x, ty_from(TY_BOOL, TY_SHAPE(2), (bool[]){1, 0}), ">b1");
}

/* NumPy's letters of C types are read like i8 and f4. */
static void letters(void) {
    static const uint8_t bytes[16] = {0};
    static const struct {
        const char *descr;
        ty_dtype dtype;
    } rows[] = {{"?", TY_BOOL}, {"|?", TY_BOOL}, {"b", TY_I8},   {"B", TY_U8},   {"<h", TY_I16},
                {"H", TY_U16},  {"i", TY_I32},   {"<I", TY_U32}, {"<l", TY_I64}, {"L", TY_U64},
                {"q", TY_I64},  {">Q", TY_U64},  {"e", TY_F16},  {"f", TY_F32},  {"d", TY_F64},
                {"<d", TY_F64}, {"F", TY_C64},   {"=D", TY_C128}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char header[96];
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (1,)}",
                 rows[i].descr);
        ty_tensor *x = parsed(header, bytes, ty_dtype_size(rows[i].dtype));
        CHECK(ty_ok(x) || test_starving(), "%s: %s", rows[i].descr, ty_error(x));
        CHECK(!ty_ok(x) || ty_dtype_of(x) == rows[i].dtype, "%s is %s", rows[i].descr,
              ty_dtype_name(ty_dtype_of(x)));
    }
}

static void in_gzip(void) {
    size_t n, m;
    ty_tensor *x = ty_arange(TY_I32, 0, 1000, 1);
    uint8_t *bytes = write_one(x, npy, &n), *packed = make_gzip(bytes, n, &m);
    ty_archive *a = own_archive(ty_archive_parse(packed, m, (ty_file_options){0}));
    if (strstr(ty_archive_error(a), "without zlib")) return;
    CHECK(!strcmp(ty_archive_format(a), "npy"), "%s", ty_archive_error(a));
    for (int i = 0; i < 2; i++)
        check_same(ty_archive_at(a, 0), x, "in gzip"); /* the second read starts at the beginning */
    ty_file_options little = {.most_bytes = 100};
    CHECK_POISON(parse_first(packed, m, little), "would unpack to 4000 bytes, more than the allowed 100");
}

/* ---- errors ---- */

#define HEADER(descr, order, shape) "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape "}"

static void wrong_headers(void) {
    static const struct {
        const char *header, *words;
    } rows[] = {
        {HEADER("'|O'", "False", "(1,)"), "pickles"},
        {HEADER("'<U5'", "False", "(1,)"), "strings: save numbers, or one column at a time"},
        {HEADER("'|S5'", "False", "(1,)"), "byte strings"},
        {HEADER("'<M8[ns]'", "False", "(1,)"), "dates"},
        {HEADER("'<m8[s]'", "False", "(1,)"), "time differences"},
        {HEADER("'|V2'", "False", "(1,)"), ".bf16 = true"},
        {HEADER("'|V7'", "False", "(1,)"), "raw bytes or a structure"},
        {HEADER("'<f16'", "False", "(1,)"), "save x.astype('f8')"},
        {HEADER("'<c32'", "False", "(1,)"), "save x.astype('c16')"},
        {HEADER("[('a', '<i4'), ('b', '<f8')]", "False", "(1,)"),
         "structured dtype [('a', '<i4'), ('b', '<f8')]: save"},
        {HEADER("'<q4'", "False", "(1,)"), "not one of NumPy's"},
        {HEADER("''", "False", "(1,)"), "not one of NumPy's"},
        {HEADER("'<f4'", "0", "(1,)"), "the npy header has \"0, 'shape': (1,)}\"; expected True"},
        {HEADER("'<f4'", "False", "(1)"), "the npy header has \")}\"; expected \",\""},
        {HEADER("'<f4'", "False", "[1]"), "the npy header has \"[1]}\"; expected \"(\""},
        {HEADER("'<f4'", "False", "(-1,)"), "the npy header has \"-1,)}\"; expected a size"},
        {HEADER("'<f4'", "False", "(1.0,)"), "the npy header has \".0,)}\"; expected \",\""},
        {HEADER("'<f4'", "False", "(1, 2"), "the npy header has \"}\"; expected \")\""},
        {HEADER("'<f4'", "False", "(99999999999999999999,)"),
         "the npy header has a size that exceeds memory"},
        {HEADER("'<f4'", "False", "(4294967296, 4294967296)"), "its sizes exceed memory"},
        {HEADER("'<f4'", "False", "(9223372036854775807,)"), "its sizes exceed memory"},
        {HEADER("'<f4'", "False", "(500000000,)"), "declares 2000000000 bytes of data, but 4 follow"},
        {HEADER("'<f4'", "False", "(2,)"), "is truncated: its header declares 8 bytes of data, but 4 follow"},
        {HEADER("'<f4'", "False", "(0,)"), "declares 0 bytes of data, but 4 follow"},
        {"{'descr': '<f4', 'fortran_order': False}", "lacks the key \"shape\""},
        {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}", "has the key \"descr\""},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (), 'more': 1}", "has the key \"more\""},
        {"{'descr': '<f\\x34', 'fortran_order': False, 'shape': ()}", "a plain text"},
        {"{'descr': '<f4, 'fortran_order': False, 'shape': ()}", "has dtype <f4, "},
        {HEADER("'<f4'", "False", "()") " x", "\"x\"; expected the end"},
        {"", "expected \"{\""},
        {"{}", "lacks the key"},
        {"__import__('os').system('true')", "expected \"{\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_round round = test_round();
        CHECK_POISON(parsed(rows[i].header, "1234", 4), rows[i].words);
        test_round_end(round);
    }
    struct npy_file f = make_npy(1, HEADER("'<f4'", "False", "()"), "1234", 4);
    f.bytes[12] = 0;
    CHECK(!ty_ok(parse_first(f.bytes, f.n, npy)), "a zero byte in the header is well");
}

static void many_axes(void) {
    char header[1024] = "{'descr': '|u1', 'fortran_order': True, 'shape': (";
    for (int i = 0; i < 64; i++) strcat(header, "1,");
    size_t end = strlen(header);
    strcpy(header + end, ")}");
    CHECK(ty_rank(CHECK_OK(parsed(header, "x", 1))) == 64, "64 axes");
    strcpy(header + end, "1,)}");
    CHECK_POISON(parsed(header, "x", 1), "more than the 64 axes");
}

static void wrong_beginnings(void) {
    struct npy_file f = make_npy(1, HEADER("'<f4'", "False", "()"), "1234", 4);
    f.bytes[6] = 4;
    CHECK_POISON(parse_first(f.bytes, f.n, npy), "version 4.0; expected 1.0, 2.0 or 3.0");
    f.bytes[6] = 2;
    CHECK_POISON(parse_first(f.bytes, f.n, npy), "more than the allowed 1048576");
    f.bytes[6] = 1;
    f.bytes[9] = 255;
    CHECK_POISON(parse_first(f.bytes, f.n, npy), "is truncated: the npy header has");
    f.bytes[0] = 'x';
    CHECK_POISON(parse_first(f.bytes, f.n, npy), "is not an npy file");
    CHECK_POISON(parse_first(f.bytes, f.n, (ty_file_options){0}), "unknown format");
}

static void damaged(void) {
    size_t n;
    uint8_t *bytes = write_one(ty_arange(TY_F32, 0, 3, 1), npy, &n);
    check_damaged(bytes, n, npy, 2000);
}

static void bools_are_0_and_1(void) {
    CHECK_POISON(parsed(HEADER("'|b1'", "False", "(3,)"), "\0\1\2", 3), "is BOOL but holds the byte 2");
}

TESTS_MAIN(TEST(round_trips), TEST(layouts), TEST(column_order), TEST(both_orders_of_everything),
           TEST(swapped_widths), TEST(letters), TEST(in_gzip), TEST(wrong_headers), TEST(many_axes),
           TEST(wrong_beginnings), TEST(damaged), TEST(bools_are_0_and_1))
