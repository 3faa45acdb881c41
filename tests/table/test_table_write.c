/* Writing tables: the text to the byte, what quotes protect, and equal tables after reading. */
#include <stdio.h>
#include <tyto/io.h>
#include "tests/support/compare.h"
#include "tests/support/files.h"
#include "tests/table/tables.h"

/* Text that a sink collects; it refuses what does not fit. */
struct collected {
    char text[4096];
    size_t n;
};
static bool collect(void *context, const void *bytes, size_t n) {
    struct collected *c = context;
    if (n >= sizeof c->text - c->n) return false;
    memcpy(c->text + c->n, bytes, n);
    c->n += n;
    return true;
}

static void written_is(const ty_table *t, ty_table_write_options o, const char *wanted) {
    struct collected c = {.n = 0};
    ty_tensor *error = NULL;
    bool sent = ty_table_send((ty_sink){&c, collect}, t, o, &error);
    CHECK(sent && !error, "%s", error ? ty_error(error) : "no reason");
    CHECK(c.n == strlen(wanted) && !memcmp(c.text, wanted, c.n), "found\n%sexpected\n%s", c.text, wanted);
}

static ty_table *kinds(void) {
    const int64_t n = 3;
    ty_tensor *columns[] = {ty_from(TY_F64, 1, &n, (double[]){1, NAN, -1e-300}),
                            ty_from(TY_BOOL, 1, &n, (bool[]){1, 0, 1}),
                            ty_from(TY_C128, 1, &n, (void *)(double[]){1.5, -2, 0, 1, NAN, 0}),
                            ty_from(TY_U64, 1, &n, (uint64_t[]){UINT64_MAX, 0, 1}),
                            ty_from(TY_F32, 1, &n, (float[]){0.1f, INFINITY, 2})};
    ty_table *t = well(ty_table_new(5, (const char *const[]){"x", "b", "z", "u", "h"}, columns));
    t = well(ty_table_with(t, "b", columns[1], ty_from(TY_BOOL, 1, &n, (bool[]){0, 1, 0})));
    return well(ty_table_with_words(t, "w", ty_from(TY_I32, 1, &n, (int32_t[]){1, -1, 0}), 2,
                                    (const char *const[]){"a \"b\",\nc", " owl"}));
}

static void texts(void) {
    ty_table *t = kinds();
    written_is(t, (ty_table_write_options){0},
               "x,b,z,u,h,w\n1.0,True,(1.5-2j),18446744073709551615,0.1,\" owl\"\n,,1j,0,inf,\n"
               "-1e-300,True,,1,2.0,\"a \"\"b\"\",\nc\"\n");
    written_is(well(ty_table_select(t, 2, (const char *const[]){"x", "h"})),
               (ty_table_write_options){.decimal = ',', .missing = "NA", .precision = 2},
               "x;h\n1;0,1\nNA;inf\n-1e-300;2\n");
    written_is(well(ty_table_select(t, 1, (const char *const[]){"x"})),
               (ty_table_write_options){.nameless = true}, "1.0\n\"\"\n-1e-300\n");
    written_is(well(ty_table_rows_between(t, 0, 0)), (ty_table_write_options){.delimiter = '\t'},
               "x\tb\tz\tu\th\tw\n");
    written_is(well(ty_table_new(0, NULL, NULL)), (ty_table_write_options){0}, "");
    written_is(well(ty_table_select(t, 1, (const char *const[]){"z"})),
               (ty_table_write_options){.delimiter = '|', .decimal = ',', .missing = "a|b"},
               "z\n(1,5-2j)\n1j\n\"a|b\"\n");
}

/* Check that both tables are equal: names, kinds, missing elements and values to the bit. */
static void equal(const ty_table *a, const ty_table *b) {
    CHECK(ty_table_columns(a) == ty_table_columns(b) && ty_table_rows(a) == ty_table_rows(b), "sizes differ");
    for (int64_t i = 0; i < ty_table_columns(a) && ty_table_columns(a) == ty_table_columns(b); i++) {
        CHECK(!strcmp(ty_table_name(a, i), ty_table_name(b, i)), "\"%s\" is \"%s\"", ty_table_name(a, i),
              ty_table_name(b, i));
        CHECK(ty_table_kind(a, i) == ty_table_kind(b, i), "%s: %s", ty_table_name(a, i),
              ty_column_kind_name(ty_table_kind(b, i)));
        CHECK(ty_item(ty_all(ty_eq(ty_table_missing(a, i), ty_table_missing(b, i)), TY_ALL)) == 1, "missing");
        for (int64_t row = 0; ty_table_kind(a, i) == TY_COLUMN_WORDS && row < ty_table_rows(a); row++) {
            int64_t x = (int64_t)ty_item(ty_take(ty_table_at(a, i), ty_int((long long)row), 0)),
                    y = (int64_t)ty_item(ty_take(ty_table_at(b, i), ty_int((long long)row), 0));
            const char *one = ty_table_word(a, i, x), *other = ty_table_word(b, i, y);
            CHECK(one && other ? !strcmp(one, other) : one == other, "%s is %s", one ? one : "?",
                  other ? other : "?");
        }
        if (ty_table_kind(a, i) != TY_COLUMN_WORDS)
            compare_bits(ty_table_values(b, i), ty_table_values(a, i), "%s", ty_table_name(a, i));
    }
}

/* Words and names that look like other things, in every delimiter. */
static void read_back(void) {
    static const char *const odd[] = {"",   "a,b",   "a;b", "tab\there", "pipe|d",     "\"",  "\"\"", " x",
                                      "x ", "#x",    "# y", "line\nend", "cr\rlf\r\n", "1,5", "-",    "e",
                                      "ü☃", "plain", "'q'", "\\\"",      "=1+1",       "a\"b"};
    enum { ODD = sizeof odd / sizeof *odd };
    const int64_t n = ODD;
    int32_t codes[ODD];
    double numbers[ODD];
    for (int i = 0; i < ODD; i++)
        codes[i] = i ? i : -1, numbers[i] = i % 3 ? ldexp(1.0 / 3, 40 * i - 400) : NAN;
    ty_tensor *x = ty_from(TY_F64, 1, &n, numbers);
    ty_table *t = well(ty_table_new(1, (const char *const[]){"a \"name\", of #1"}, &x));
    t = well(ty_table_with_words(t, "# words", ty_from(TY_I32, 1, &n, codes), n, odd));
    t = well(ty_table_with(t, "2024", ty_iota(TY_I64, 1, &n, 0), ty_is_nan(x)));
    t = well(ty_table_with(t, " ", ty_gt(ty_iota(TY_I64, 1, &n, 0), ty_int(3)), NULL));
    for (const char *d = ",;\t|"; *d; d++) {
        struct collected c = {.n = 0};
        CHECK(ty_table_send((ty_sink){&c, collect}, t, (ty_table_write_options){.delimiter = *d}, NULL),
              "unsent");
        equal(t, well(ty_table_parse(c.text, c.n,
                                     (ty_table_options){.delimiter = *d, .header = TY_HEADER_FIRST})));
    }
}

static void files(void) {
    ty_table *t = well(ty_table_select(kinds(), 4, (const char *const[]){"x", "b", "u", "w"}));
    const char *folder = scratch_folder(), *const names[] = {"t.csv", "t.tsv", "t.csv.gz", "t.tsv.gz"};
    for (int i = 0; i < 4; i++) {
        const char *path = scratch_path(folder, names[i]);
        ty_tensor *error = NULL;
        if (!ty_table_write(path, t, (ty_table_write_options){0}, &error)) {
            CHECK(i > 1 && strstr(ty_error(error), "zlib"), "%s", ty_error(error));
            continue;
        }
        equal(t, well(ty_table_read(path, (ty_table_options){.delimiter = i & 1 ? '\t' : ','})));
    }
}

/* Texts of many pieces: the sink sees each byte once, in order. */
struct summed {
    size_t n, calls;
    uint32_t sum;
};
static bool sum_up(void *context, const void *bytes, size_t n) {
    struct summed *s = context;
    for (size_t i = 0; i < n; i++) s->sum = s->sum * 31 + ((const uint8_t *)bytes)[i];
    s->n += n, s->calls++;
    return true;
}
static void pieces(void) {
    for (int64_t n = 7; n < 100000; n *= 9) {
        ty_tensor *x = ty_iota(TY_I64, 1, &n, 0);
        ty_table *t = well(ty_table_new(1, (const char *const[]){"x"}, &x));
        struct summed found = {.n = 0}, wanted = {.n = 0};
        CHECK(ty_table_send((ty_sink){&found, sum_up}, t, (ty_table_write_options){0}, NULL), "unsent");
        sum_up(&wanted, "x\n", 2);
        for (int64_t i = 0; i < n; i++) {
            char line[24];
            sum_up(&wanted, line, (size_t)snprintf(line, sizeof line, "%lld\n", (long long)i));
        }
        CHECK(found.n == wanted.n && found.sum == wanted.sum, "%lld rows", (long long)n);
        CHECK((found.calls > 1) == (n > 20000), "%lld rows in %zu pieces", (long long)n, found.calls);
    }
}

static bool refuse_all(void *context, const void *bytes, size_t n) {
    return (void)context, (void)bytes, (void)n, false;
}

static void refusals(void) {
    ty_table *t = kinds();
    ty_tensor *e = NULL;
    ty_sink none = {.write = refuse_all};
    const char *folder = scratch_folder(), *path = scratch_path(folder, "wrong.csv");
    const struct {
        ty_table_write_options o;
        const char *words;
    } wrong[] = {{{.delimiter = ' '}, "the delimiter is a blank"},
                 {{.delimiter = '"'}, "the delimiter is \""},
                 {{.delimiter = '\n'}, "a line end"},
                 {{.delimiter = ',', .decimal = ','}, "both ','"},
                 {{.decimal = '7'}, "the decimal sign is 7"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(!ty_table_write(path, t, wrong[i].o, &e), "written");
        CHECK_POISON(e, wrong[i].words);
    }
    CHECK(!count_files(folder), "a file is left");
    CHECK(!ty_table_write(NULL, t, (ty_table_write_options){0}, &e), "written");
    CHECK_POISON(e, "the path or the sink's write function is NULL");
    CHECK(!ty_table_write(scratch_path(folder, "no/folder.csv"), t, (ty_table_write_options){0}, &e),
          "written");
    CHECK(ty_error_code(e) == TY_ERROR_FILE, "%s", ty_error(e));
    CHECK(!ty_table_send(none, t, (ty_table_write_options){0}, &e), "sent");
    CHECK_POISON(e, "the sink");
    CHECK(!ty_table_write(path, NULL, (ty_table_write_options){0}, &e), "written");
    CHECK_POISON(e, "the table is NULL");
}

TESTS_MAIN(TEST(texts), TEST(read_back), TEST(files), TEST(pieces), TEST(refusals))
