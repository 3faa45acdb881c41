/* csv: accepted formats, detected properties, and the positions in error messages. */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <tyto/io.h>
#include <tyto/table.h>
#include "array/number_read.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"

static const ty_file_options csv = {.format = "csv"};

static ty_tensor *read_text(const char *text) { return parse_first(text, strlen(text), csv); }

/* Return a copy of a text with blank lines behind it, so that its cells are looked at by whole blocks. */
static char *with_blanks(const char *text) {
    enum { BLANKS = 80 };
    size_t n = strlen(text);
    char *copy = test_room(n + BLANKS + 1);
    memcpy(copy, text, n);
    memset(copy + n, '\n', BLANKS);
    copy[n + BLANKS] = 0;
    return copy;
}

/* Compare with values of the dtype; NaN equals NaN. */
static void check_table(const char *text, ty_dtype dtype, int rank, int64_t rows, int64_t columns,
                        const double *want) {
    ty_tensor *x = CHECK_OK(read_text(text));
    CHECK(ty_dtype_of(x) == dtype && ty_rank(x) == rank, "\"%s\" is %s of %d axes", text,
          ty_dtype_name(ty_dtype_of(x)), ty_rank(x));
    CHECK(ty_shape(x)[0] == rows && (rank == 1 || ty_shape(x)[1] == columns), "\"%s\" has another shape",
          text);
    double *got = test_room((size_t)ty_size(x) * sizeof *got);
    CHECK(ty_read(x, TY_F64, got), "cannot be read");
    for (int64_t i = 0; i < ty_size(x); i++)
        CHECK(got[i] == want[i] || (isnan(got[i]) && isnan(want[i])), "\"%s\": element %d is %g, want %g",
              text, (int)i, got[i], want[i]);
}

static const struct {
    const char *text;
    ty_dtype dtype;
    int rank, rows, columns;
    double want[6];
} table_rows[] = {
    {"1,2\n3,4\n", TY_I64, 2, 2, 2, {1, 2, 3, 4}},
    {"1,2\r\n3,4", TY_I64, 2, 2, 2, {1, 2, 3, 4}},
    {"\n1\t2\n\n3\t4\n\n", TY_I64, 2, 2, 2, {1, 2, 3, 4}},
    {"1;2.5\n", TY_F64, 2, 1, 2, {1, 2.5}},
    {"1|2\n", TY_I64, 2, 1, 2, {1, 2}},
    {"  1   2  \n 3\t 4\n", TY_I64, 2, 2, 2, {1, 2, 3, 4}},
    {"1 , 2\n", TY_I64, 2, 1, 2, {1, 2}},
    {"1\n2\n3", TY_I64, 1, 3, 1, {1, 2, 3}},
    {"a,b\n1,2\n", TY_I64, 2, 1, 2, {1, 2}},
    {"# 9,9,9\n1,2 # 9\n", TY_I64, 2, 1, 2, {1, 2}},
    {"\"1\",\"2.5\"\n", TY_F64, 2, 1, 2, {1, 2.5}},
    {"\"a,b\",c\n1,2\n", TY_I64, 2, 1, 2, {1, 2}},
    {"1,,3\nNA,nan,null\n", TY_F64, 2, 2, 3, {1, NAN, 3, NAN, NAN, NAN}},
    {"1,\n,2\n", TY_F64, 2, 2, 2, {1, NAN, NAN, 2}},
    {"True,False\n", TY_BOOL, 2, 1, 2, {1, 0}},
    {"true,2\n", TY_I64, 2, 1, 2, {1, 2}},
    {"1e3,-inf,+Infinity\n", TY_F64, 2, 1, 3, {1000, -INFINITY, INFINITY}},
    {"-9223372036854775808\n", TY_I64, 1, 1, 1, {-9223372036854775808.0}},
    {"9223372036854775808\n1\n", TY_U64, 1, 2, 1, {9223372036854775808.0, 1}},
    {"1\n18446744073709551615\n", TY_U64, 1, 2, 1, {1, 18446744073709551615.0}},
    {"-1\n9223372036854775808\n", TY_F64, 1, 2, 1, {-1, 9223372036854775808.0}},
    {"18446744073709549568\n-1\n", TY_F64, 1, 2, 1, {18446744073709549568.0, -1}},
    {"9007199254740992,0.5\n-9007199254740994,\n", TY_F64, 2, 2, 2, {0x1p53, 0.5, -0x1p53 - 2, NAN}},
    {"1e22\n10000000000000000000000\n-00010000000000000000000000\n", TY_F64, 1, 3, 1, {1e22, 1e22, -1e22}},
    {"123456789012345678.5\n123456789012345678.0\n",
     TY_F64,
     1,
     2,
     1,
     {123456789012345678.5, 123456789012345678.0}},
    {"#N/A,2\n3,#NA\n", TY_F64, 2, 2, 2, {NAN, 2, 3, NAN}},
    {"a,b\n#N/A,2\n# 3,4\n#\n## 5,6\n#x\n7,8 #\n", TY_F64, 2, 2, 2, {NAN, 2, 7, 8}},
    {"#x,y\n1,2\n", TY_I64, 2, 1, 2, {1, 2}},
    {"\"\",\"1\",\"2\"\n\"1\",7,8\n\"2\",9,6\n", TY_I64, 2, 2, 3, {1, 7, 8, 2, 9, 6}},
    {"\"id\",\"2019\"\n\"1\",7\n", TY_I64, 2, 1, 2, {1, 7}},
    {"\"1\",\"2\"\n\"3\",\"4\"\n", TY_I64, 2, 2, 2, {1, 2, 3, 4}},
    {"\"1\",\"2\"\n", TY_I64, 2, 1, 2, {1, 2}},
    {"\"1\",\"2\"\n\"3\",\n", TY_F64, 2, 2, 2, {1, 2, 3, NAN}},
    {"18446744073709551616\n", TY_F64, 1, 1, 1, {18446744073709551616.0}},
    {"\xef\xbb\xbf"
     "1,2\n",
     TY_I64,
     2,
     1,
     2,
     {1, 2}},
    {"1,2\r3,4\r", TY_I64, 2, 2, 2, {1, 2, 3, 4}},
    {"1,2\n3,4\r5,6\n", TY_I64, 2, 3, 2, {1, 2, 3, 4, 5, 6}},
    {"1;2\n3;1,5\n", TY_F64, 2, 2, 2, {1, 2, 3, 1.5}},
    {"id,2019,2020\n1,2,3\n", TY_I64, 2, 1, 3, {1, 2, 3}},
    {"0,1\n0.5,2.5\n", TY_F64, 2, 2, 2, {0, 1, 0.5, 2.5}},
    {"1999,2000\n1,2\n", TY_I64, 2, 2, 2, {1999, 2000, 1, 2}},
    {"1 2 3\n", TY_I64, 2, 1, 3, {1, 2, 3}},
    {"1 2 # 3\n4 5\n", TY_I64, 2, 2, 2, {1, 2, 4, 5}},
    {"\"1\",2\t# x\n3,\"4\" # y, z\n5,6 #", TY_I64, 2, 3, 2, {1, 2, 3, 4, 5, 6}},
    {"true\n2\nfalse\n", TY_I64, 1, 3, 1, {1, 2, 0}},
    {"1\n-\n?\n", TY_F64, 1, 3, 1, {1, NAN, NAN}},
    {"-,1\n-,2\n", TY_F64, 2, 2, 2, {NAN, 1, NAN, 2}},
    {"\"1,234\",5\n\"6\",7\n", TY_I64, 2, 2, 2, {1234, 5, 6, 7}},
    {"", TY_F64, 1, 0, 0, {0}},
    {"# nothing\n\n", TY_F64, 1, 0, 0, {0}},
    {"x,y\n", TY_F64, 1, 0, 0, {0}},
};

static void tables(void) {
    for (size_t i = 0; i < sizeof table_rows / sizeof *table_rows; i++) {
        struct test_round round = test_round();
        check_table(table_rows[i].text, table_rows[i].dtype, table_rows[i].rank, table_rows[i].rows,
                    table_rows[i].columns, table_rows[i].want);
        check_table(with_blanks(table_rows[i].text), table_rows[i].dtype, table_rows[i].rank,
                    table_rows[i].rows, table_rows[i].columns, table_rows[i].want);
        test_round_end(round);
    }
}

static void complex_numbers(void) {
    ty_tensor *x = CHECK_OK(read_text("1,(1+2j)\n-2j,(nan-infj)\n"));
    CHECK(ty_dtype_of(x) == TY_C128, "%s", ty_dtype_name(ty_dtype_of(x)));
    const double *z = ty_data(x);
    CHECK(z[0] == 1 && z[1] == 0 && z[2] == 1 && z[3] == 2 && z[4] == 0 && z[5] == -2 && isnan(z[6]) &&
              z[7] == -INFINITY,
          "other numbers");
}

static void sentences(void) {
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"1,2\n3\n", "csv data:2: column 2: the record has 1 cell; expected 2: add what is missing"},
        {"1,2\n\n# x\n3,4,5\n", "csv data:4: column 3: the record has 3 cells; expected 2"},
        {"1,2\n3,4,5\n", "csv data:2: column 3: the record has 3 cells; expected 2"},
        {"1,2\n3,four\n",
         "csv data:2: column 2: (1) has \"four\", which is not a number: correct it, select columns of a "
         "table (ty_table_read; tyto: FILE:COLUMN), or number the words of columns (.words; tyto convert "
         "--words)"},
        {"1,2\n3,1+2i\n", "\"1+2i\", which is not a number"},
        {"1,2\n\"3,4\n", "csv data:2: column 1: a quote is opened"},
        {"1,2\n\"3\"x,4\n", "follows a closing quote"},
        {"1,2\n0x10,4\n", "\"0x10\", which is not a number"},
        {"1,2\n1e,4\n", "\"1e\", which is not a number"},
        {"1,x\n4,y\n",
         "csv data:1: column 2: (1) has \"x\", which is not a number: select columns of a table"},
        {"true,2\nfalse,x\n", "csv data:2: column 2: (1) has \"x\", which is not a number"},
        {"a,b\n1,one\n", "csv data:2: column 2: (b) has \"one\", which is not a number"},
        {"1925043636869802844,2.5\n",
         "csv data: column 1 (0) has 1925043636869802844 in row 0, counted from 0, "
         "which would lose digits as f64, the dtype of an array with"},
        {"a,b\n1,1925043636869802844\n,2\n", "csv data: column 2 (b) has 1925043636869802844 in row 0"},
        {"1925043636869802844\n2.5\n",
         "csv data:2: column 1: (0) has \"2.5\", which would make the column f64"},
        {"0.5,1\n\n2,-1925043636869802844\n", "column 2 (1) has -1925043636869802844 in row 1"},
        {"1j,9007199254740993\n", "column 2 (1) has 9007199254740993 in row 0"},
        {"-1\n18446744073709551615\n",
         "csv data:2: column 1: (0) has 18446744073709551615, which would lose"},
        {"-1,18446744073709551615\n", "column 2 (1) has 18446744073709551615 in row 0"},
        {"18446744073709551615\n-1\n",
         "csv data:2: column 1: (0) has \"-1\", which would make the column f64"},
        {"36893488147419103233\n", "csv data:1: column 1: (0) has 36893488147419103233, which would lose"},
        {"1,2\n#FF0000,3\n",
         "csv data:2: column 1: (0) has \"#FF0000\", which is not a number: a comment needs"},
        {"1,2\n#3,4\n", "a comment needs blanks around its sign, or choose the sign (.comment;"},
        {"1,2\n3,#FF0000\n", "csv data:2: column 2: (1) has \"#FF0000\""},
        {"1,2\n3,4#5\n", "\"4#5\", which is not a number: a comment needs blanks"},
        {"#FF0000,1\n#00FF00,2\n", "csv data:1: column 1: (0) has \"#FF0000\""},
        {"\xff\xfe"
         "1",
         "csv data:1: is UTF-16: save it as UTF-8"},
        {"\xfe\xff"
         "1",
         "is UTF-16"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_round round = test_round();
        CHECK_POISON(read_text(rows[i].text), rows[i].words);
        CHECK_POISON(read_text(with_blanks(rows[i].text)), rows[i].words);
        test_round_end(round);
    }
    ty_archive *a = parse_well("time, \"a b\"\n1,2\n", 16, csv);
    CHECK(!strcmp(ty_archive_meta(a, "columns"), "time,a b"), "columns %s", ty_archive_meta(a, "columns"));
    a = parse_well("x , y # z\n1,2\n", 14, csv);
    CHECK(!strcmp(ty_archive_meta(a, "columns"), "x,y"), "columns %s", ty_archive_meta(a, "columns"));
}

/* Text with zero bytes is refused. */
static void binary_is_no_table(void) {
    static const char zeros[] = "1,2\n3,\0"
                                "4\n",
                      wide[] = "1\0,\0002\0\n\0";
    CHECK_POISON(parse_first(zeros, sizeof zeros - 1, csv), "csv data:2: column 2: has zero bytes");
    CHECK_POISON(parse_first(wide, sizeof wide - 1, csv), "csv data:1: column 1: has zero bytes, as UTF-16");
}

/* Headers of names are recognised; numbers and others are no header. */
static void headers(void) {
    static const struct {
        const char *text, *columns;
    } rows[] = {{"1,2\n3,4\n", NULL},
                {"NA,-\n3,4\n", NULL},
                {"True,False\n", NULL},
                {"a,\n1,2\n", "a,Unnamed: 1"},
                {"\"a;b\",c\n1,2\n", "\"a;b\",c"},
                {"a\tb c\n1\t2\n", "a,b c"},
                {"\"first name\"\n1\n", "\"first name\""},
                {"x \"\"\n1 2\n", "x,Unnamed: 1"},
                {"\"\",\"1\",\"2\"\n\"1\",7,8\n", "Unnamed: 0,1,2"},
                {"\"1\",\"2\"\n\"3\",\"4\"\n", NULL},
                {"\"a \"\"q\"\"\",b\n1,2\n", "\"a \"\"q\"\"\",b"},
                {"\"3\"\"\"\n1\n", "\"3\"\"\""},
                {"\"2019\"\n1\n", "2019"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_round round = test_round();
        ty_archive *a = own_archive(ty_archive_parse(rows[i].text, strlen(rows[i].text), csv));
        const char *columns = ty_archive_meta(a, "columns");
        if (!*ty_archive_error(a))
            CHECK(!columns == !rows[i].columns && (!columns || !strcmp(columns, rows[i].columns)),
                  "%s: columns %s", rows[i].text, columns ? columns : "(none)");
        CHECK(!*ty_archive_error(a) || test_starving(), "%s: %s", rows[i].text, ty_archive_error(a));
        test_round_end(round);
    }
}

/* A written header uses the delimiter. */
static void written_headers(void) {
    size_t n;
    ty_file_options o = {.format = "csv", .delimiter = ';', .header = "a,\"b,c\""};
    uint8_t *bytes = write_one(ty_from(TY_I64, TY_SHAPE(1, 2), (int64_t[]){1, 2}), o, &n);
    if (bytes) CHECK(n == 12 && !memcmp(bytes, "a;\"b,c\"\n1;2\n", n), "%.*s", (int)n, bytes);
}

static void options(void) {
    ty_file_options o = csv;
    o.skip_rows = 2;
    o.delimiter = ':';
    o.comment = '%';
    const char *text = "junk\nmore junk,\n1:2 % no\n3:4\n";
    check_same(parse_first(text, strlen(text), o), ty_from(TY_I64, TY_SHAPE(2, 2), (int64_t[]){1, 2, 3, 4}),
               "options");
    o = (ty_file_options){.format = "csv", .comment = '#'};
    text = "1,2#no\n#3,4\n5,6#\n";
    check_same(parse_first(text, strlen(text), o), ty_from(TY_I64, TY_SHAPE(2, 2), (int64_t[]){1, 2, 5, 6}),
               "a sign that was chosen");
    o = (ty_file_options){.format = "csv", .rounded = true};
    text = "1925043636869802844,\n0.5,36893488147419103233\n-1,18446744073709551615\n";
    check_same(
        parse_first(text, strlen(text), o),
        ty_from(TY_F64, TY_SHAPE(3, 2),
                (double[]){1925043636869802844., NAN, 0.5, 36893488147419103233., -1, 18446744073709551615.}),
        "rounded");
}

/* Options of tables are options of files. */
static void table_options(void) {
    static const char *const gone[] = {"-9"};
    static const struct {
        const char *text;
        ty_file_options options;
        double want[4];
    } rows[] = {
        {"1;2,5\n3;4\n", {.decimal = ','}, {1, 2.5, 3, 4}},
        {"1'000;2\n3;4\n", {.thousands = '\''}, {1000, 2, 3, 4}},
        {"1,2\n3\n", {.ragged = true}, {1, 2, 3, NAN}},
        {"9,9\n1,2\n3,4\n", {.names = TY_HEADER_FIRST}, {1, 2, 3, 4}},
        {"x,y\nx,z\n", {.names = TY_HEADER_NONE, .words = true}, {0, 0, 0, 1}},
        {"1,-9\n3,4\n", {.missing = gone, .nmissing = 1}, {1, NAN, 3, 4}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ty_file_options o = rows[i].options;
        double got[4];
        o.format = "csv";
        ty_tensor *x = CHECK_OK(parse_first(rows[i].text, strlen(rows[i].text), o));
        CHECK(ty_size(x) == 4 && ty_read(x, TY_F64, got), "row %d", (int)i);
        for (int k = 0; k < 4; k++)
            CHECK(got[k] == rows[i].want[k] || (isnan(got[k]) && isnan(rows[i].want[k])), "row %d: %g",
                  (int)i, got[k]);
    }
    CHECK_POISON(parse_first("1\n", 2, (ty_file_options){.format = "csv", .names = 9}), "unknown header 9");
    CHECK_POISON(parse_first("1\n", 2, (ty_file_options){.format = "csv", .skip_rows = -1}),
                 "-1 lines to skip");
}

static void round_trips(void) {
    size_t n;
    ty_tensor *all[] = {
        ty_from(TY_F64, TY_SHAPE(2, 3), (double[]){0.1, 1 / 3., -1e-300, 1e300, 5e-324, 3}),
        ty_from(TY_F64, TY_SHAPE(4), (double[]){NAN, INFINITY, -INFINITY, -0.0}),
        ty_from(TY_I64, TY_SHAPE(2, 1, 1), (int64_t[]){INT64_MIN, INT64_MAX}),
        ty_from(TY_U64, TY_SHAPE(2), (uint64_t[]){0, UINT64_MAX}),
        ty_from(TY_BOOL, TY_SHAPE(2, 2), (bool[]){1, 0, 0, 1}),
        ty_from(TY_C128, TY_SHAPE(1, 2), (void *)(double[]){0.1, -2, 1e-5, 1e20}),
        ty_transpose(ty_reshape(ty_steps(TY_F64, 0, 0.5, 6), TY_SHAPE(2, 3))),
        ty_zeros(TY_F64, TY_SHAPE(0)),
    };
    all[2] = ty_reshape(all[2], TY_SHAPE(2));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint8_t *bytes = write_one(all[i], csv, &n);
        check_same(parse_first(bytes, n, csv), all[i], "round trip");
    }
    ty_tensor *error = NULL, *deep = ty_zeros(TY_F32, TY_SHAPE(1, 2, 3));
    CHECK(!ty_archive_bytes(1, (const char *const[]){"x"}, &deep, csv, &n, &error), "three axes");
    CHECK_POISON(error, "csv has rows and columns, but the tensor has 3 axes: reshape it");
}

static void written_forms(void) {
    size_t n;
    ty_file_options o = {.format = "csv", .precision = 3, .delimiter = ';', .header = "a;b"};
    uint8_t *bytes = write_one(ty_from(TY_F64, TY_SHAPE(1, 2), (double[]){1 / 3., 12345}), o, &n);
    CHECK(n == 19 && !memcmp(bytes, "a;b\n0.333;1.23e+04\n", n), "%.*s", (int)n, bytes);
    bytes = write_one(ty_from(TY_C64, TY_SHAPE(1), (void *)(float[]){1.5f, -2}), o, &n);
    CHECK(n == 13 && !memcmp(bytes, "a;b\n(1.5-2j)\n", n), "%.*s", (int)n, bytes);
    bytes = write_one(ty_from(TY_F32, TY_SHAPE(1, 2), (float[]){0.1f, 16777216}), csv, &n);
    CHECK(n == 15 && !memcmp(bytes, "0.1,16777216.0\n", n), "%.*s", (int)n, bytes);
}

/* Files longer than the read window, and lines longer than it, are read. */
static void large_files(void) {
    size_t n;
    ty_tensor *tall = ty_mul(ty_arange(TY_F64, 0, 60000, 1), ty_num(1.0625)),
              *wide = ty_reshape(tall, TY_SHAPE(1, 60000));
    uint8_t *bytes = write_one(tall, csv, &n);
    CHECK(n > 1 << 19, "%zu bytes are too few for this test", n);
    check_same(parse_first(bytes, n, csv), tall, "tall");
    bytes = write_one(wide, csv, &n);
    check_same(parse_first(bytes, n, csv), wide, "wide");
}

/* Numbers are read as by strtod in the C locale, to the last bit, in any locale. */
static void numbers(void) {
    char text[1200];
    struct number number;
    for (int i = 0; i < 40000; i++) {
        static const char *const forms[] = {"%.17g", "%.25e", "%.3f", "%g", "%.900e", "%.0f"};
        uint64_t bits = test_random();
        double x;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x)) continue;
        snprintf(text, sizeof text, forms[i % 6], i % 6 == 2 ? fmod(x, 1e9) : x);
        size_t used = number_read(text, strlen(text), &number);
        CHECK(used == strlen(text) && number.value == strtod(text, NULL), "%s is read as %a", text,
              number.value);
    }
    CHECK(number_read("1.5", 3, &number) == 3 && number.value == 1.5, "1.5");
    bool set = setlocale(LC_NUMERIC, "de_DE.UTF-8") || setlocale(LC_NUMERIC, "fr_FR.UTF-8");
    size_t used = number_read("1.23456789012345678901e-7", 25, &number), n;
    uint8_t *bytes = write_one(ty_from(TY_F64, TY_SHAPE(1), (double[]){1.5}),
                               (ty_file_options){.format = "csv", .precision = 4}, &n);
    setlocale(LC_NUMERIC, "C");
    CHECK(used == 25 && number.value == 1.23456789012345678901e-7, "in another locale (%d)", set);
    CHECK(n == 4 && !memcmp(bytes, "1.5\n", 4), "%.*s", (int)n, bytes);
}

/* A column that has a word is a column of words. */
static void words(void) {
    static const struct {
        const char *text;
        ty_dtype dtype;
        double want[6];
        const char *names[2]; /* names of columns 0 and 1 */
    } rows[] = {
        {"b,1\na,2\nb,3\n", TY_I64, {1, 1, 0, 2, 1, 3}, {"a,b", NULL}},
        {"x,y\nb,1\na,2\nb,3\n", TY_I64, {1, 1, 0, 2, 1, 3}, {"a,b", NULL}},
        {"1.5,one two\n2,10\n3,one two\n", TY_F64, {1.5, 1, 2, 0, 3, 1}, {NULL, "10,one two"}},
        {"1,\"a,b\"\n2,c\n3,NA\n", TY_F64, {1, 0, 2, 1, 3, NAN}, {NULL, "\"a,b\",c"}},
        {"1,ab\n2,a\n3,\xc3\xa9\n", TY_I64, {1, 1, 2, 0, 3, 2}, {NULL, "a,ab,\xc3\xa9"}},
        {"1j,b\n2,a\n3,b\n", TY_C128, {0, 1, 2, 0, 3, 1}, {NULL, "a,b"}},
        {"a,b\n1,\n2,y\n3,x\n", TY_F64, {1, NAN, 2, 1, 3, 0}, {NULL, "x,y"}},
        {"p,q\nNA,b\ny,\nx,a\n", TY_F64, {NAN, 1, 1, NAN, 0, 0}, {"x,y", "a,b"}},
        {"1,\"a \"\"q\"\"\"\n2,\"b\"\n3,b\n", TY_I64, {1, 0, 2, 1, 3, 1}, {NULL, "\"a \"\"q\"\"\",b"}},
        {"x , y # z\n1,b # c\n2, a\n3,b \n", TY_I64, {1, 1, 2, 0, 3, 1}, {NULL, "a,b"}},
        {"1,red #1\n2,#FF0000\n3,red #1\n", TY_I64, {1, 1, 2, 0, 3, 1}, {NULL, "\"#FF0000\",\"red #1\""}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ty_archive *a =
            parse_well(rows[i].text, strlen(rows[i].text), (ty_file_options){.format = "csv", .words = true});
        ty_tensor *x = CHECK_OK(ty_archive_at(a, 0));
        double got[6];
        CHECK(ty_dtype_of(x) == rows[i].dtype && ty_size(x) == 6 && ty_read(ty_real(x), TY_F64, got),
              "row %d", (int)i);
        for (int k = 0; k < 6; k++)
            CHECK(got[k] == rows[i].want[k] || (isnan(got[k]) && isnan(rows[i].want[k])),
                  "row %d: element %d is %g", (int)i, k, got[k]);
        for (int k = 0; k < 2; k++) {
            const char *names = ty_archive_meta(a, k ? "words:1" : "words:0"), *want = rows[i].names[k];
            CHECK(!names == !want && (!want || !strcmp(names, want)), "row %d: column %d has %s", (int)i, k,
                  names ? names : "none");
        }
    }
    ty_file_options o = {.format = "csv", .words = true};
    ty_archive *late = parse_well("x,a\n,a\n1,a\nb,c\n", 15, o);
    CHECK(!strcmp(ty_archive_meta(late, "words:0"), "1,b"), "%s", ty_archive_meta(late, "words:0"));
    CHECK_POISON(parse_first("1,a\n", 4, csv),
                 "select columns of a table (ty_table_read; tyto: FILE:COLUMN)");
    char *many = test_room(40000); /* some of them repeatedly */
    size_t n = 0;
    for (int i = 0; i < 3000; i++) n += (size_t)sprintf(many + n, "1,w%d\n", i * 7 % 1000);
    ty_tensor *x = CHECK_OK(parse_first(many, n, o));
    CHECK(ty_item(ty_amax(x, TY_ALL)) == 999, "the last of 1000 words is %g", ty_item(ty_amax(x, TY_ALL)));
}

static void damaged(void) {
    const char *text = "a,b # x\n1,2.5\n\"3\",(1-2j)\nNA,-inf\n";
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i++) read_anything(text, i, csv);
    uint8_t *room = test_room(n);
    for (int i = 0; i < test_some(20000, 5000, 200); i++) {
        struct test_round round = test_round();
        memcpy(room, text, n);
        for (int k = (int)test_between(1, 6); k > 0; k--)
            room[test_between(0, (int64_t)n - 1)] =
                (uint8_t) ",;\t\n\r\"#.eE+-j()019 x\0\xff"[test_between(0, 22)];
        read_anything(room, n, (ty_file_options){.format = "csv", .words = i % 2});
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(tables), TEST(complex_numbers), TEST(sentences), TEST(binary_is_no_table), TEST(headers),
           TEST(written_headers), TEST(options), TEST(table_options), TEST(round_trips), TEST(written_forms),
           TEST(large_files), TEST(numbers), TEST(words), TEST(damaged))
