/*
 * Reading a file and writing it in the same format twice keeps tensors, names and texts, and both written files are
 * equal. A table has files for every format of formats.def.
 */
#include <string.h>
#include "tests/support/files.h"
#include "tests/support/harness.h"

/* ---- initial contents ---- */

struct content {
    int n;
    const char *names[8];
    ty_tensor *tensors[8];
    const char *keys[3], *values[3];
    int nmeta;
};

static ty_tensor *counted(ty_dtype dtype) {
    return ty_cast(ty_sub(ty_iota(TY_F64, TY_SHAPE(3, 4), 1), ty_num(1)), dtype);
}

static void one(struct content *c, ty_dtype dtype) {
    c->n = 1;
    c->names[0] = "";
    c->tensors[0] = counted(dtype);
}
static void many(struct content *c) {
    static const char *const names[] = {"a",      "b.weight", "\xc3\xa9/x", "empty",
                                        "scalar", "c128",     "pairs",      "flags"};
    ty_tensor *x[] = {counted(TY_F32),
                      counted(TY_I16),
                      counted(TY_F16),
                      ty_zeros(TY_F64, TY_SHAPE(0, 5)),
                      ty_scalar(TY_I64, 7),
                      ty_mul(counted(TY_C128), ty_complex(1, 2)),
                      ty_ones(TY_F64, TY_SHAPE(3, 2)),
                      ty_gt(counted(TY_F64), ty_num(1))};
    c->n = 8;
    for (int i = 0; i < 8; i++) {
        c->names[i] = names[i];
        c->tensors[i] = x[i];
    }
}
static void npy(struct content *c, int i) { one(c, (ty_dtype)i); }
static void npz(struct content *c, int i) {
    (void)i;
    many(c);
}
static void safetensors(struct content *c, int i) {
    many(c);
    c->nmeta = i ? 3 : 0;
    c->keys[0] = "format", c->keys[1] = "a \"quoted\"\n key", c->keys[2] = "\xe2\x82\xac";
    c->values[0] = "pt", c->values[1] = "", c->values[2] = "\x1b[31m";
}
static void idx(struct content *c, int i) {
    static const ty_dtype dtypes[] = {TY_U8, TY_I8, TY_I16, TY_I32, TY_F32, TY_F64};
    one(c, dtypes[i]);
}
/* Fill images with 1 to 4 channels, then with 16 bits; PNM has 1 or 3 channels. */
static void png(struct content *c, int i) {
    one(c, i < 4 ? TY_U8 : TY_U16);
    c->tensors[0] = ty_cast(ty_iota(TY_I64, TY_SHAPE(5, 40, i % 4 + 1), 1), i < 4 ? TY_U8 : TY_U16);
}
static void pnm(struct content *c, int i) { png(c, 2 * i); }
static void wav(struct content *c, int i) {
    static const ty_dtype dtypes[] = {TY_U8, TY_I16, TY_I32, TY_F32, TY_F64};
    one(c, dtypes[i]);
    c->tensors[0] = i % 2 ? ty_ravel(c->tensors[0]) : ty_reshape(c->tensors[0], TY_SHAPE(-1, 2));
}
static void csv(struct content *c, int i) {
    static const ty_dtype dtypes[] = {TY_BOOL, TY_I64, TY_U64, TY_F64, TY_C128};
    one(c, dtypes[i]);
    if (dtypes[i] == TY_U64) c->tensors[0] = ty_from(TY_U64, TY_SHAPE(2), (uint64_t[]){7, UINT64_MAX});
}
static void mtx(struct content *c, int i) {
    static const ty_dtype dtypes[] = {TY_I64, TY_U64, TY_F64, TY_C128};
    one(c, dtypes[i]);
    if (dtypes[i] == TY_U64) c->tensors[0] = ty_from(TY_U64, TY_SHAPE(2, 1), (uint64_t[]){7, UINT64_MAX});
}

static const struct {
    const char *format;
    void (*fill)(struct content *c, int i);
    int n; /* number of contents; 0 for formats that are only read */
} formats[] = {{"npy", npy, TY_DTYPES}, {"npz", npz, 1},        {"safetensors", safetensors, 2},
               {"idx", idx, 6},         {"png", png, 8},        {"jpeg", NULL, 0},
               {"pnm", pnm, 4},         {"wav", wav, 5},        {"mtx", mtx, 4},
               {"csv", csv, 5},         {"raw", npy, TY_DTYPES}};
enum { FORMATS = sizeof formats / sizeof *formats };

static void every_format_has_a_row(void) {
    const char *name;
    for (int i = 0; (name = ty_format_name(i, NULL, NULL)); i++)
        CHECK(i < FORMATS && !strcmp(name, formats[i].format), "the format %s is not tested here", name);
}

/* ---- reading and writing again ---- */

/* Return the options that a reader and a writer need, from the original tensor. */
static ty_file_options told(const char *format, const ty_tensor *x) {
    return (ty_file_options){.format = format,
                             .bf16 = true,
                             .dtype = ty_dtype_of(x),
                             .rank = ty_rank(x),
                             .shape = ty_shape(x),
                             .rate = 44100};
}

/* Write all tensors of the archive, like `tyto convert`. Returns *size bytes. */
static uint8_t *write_again(ty_archive *a, ty_file_options options, size_t *size) {
    const char *names[8], *keys[8], *values[8];
    ty_tensor *tensors[8];
    int n = ty_archive_count(a);
    CHECK(n <= 8, "%d tensors", n);
    for (int i = 0; i < n; i++) {
        names[i] = ty_archive_name(a, i);
        tensors[i] = ty_archive_at(a, i);
    }
    options.keys = keys;
    options.values = values;
    options.nmeta = 0;
    for (int i = 0; !strcmp(options.format, "safetensors") &&
                    ty_archive_pair(a, i, &keys[options.nmeta], &values[options.nmeta]);
         i++)
        if (strcmp(keys[options.nmeta], "checksum")) options.nmeta++;
    options.header = ty_archive_meta(a, "columns");
    return write_bytes(n, names, tensors, options, size);
}

static void check_content(ty_archive *a, const struct content *c, const char *what) {
    CHECK(ty_archive_count(a) == c->n, "%s: %d tensors", what, ty_archive_count(a));
    for (int i = 0; i < c->n; i++) {
        ty_tensor *got = *c->names[i] ? ty_archive_get(a, c->names[i]) : ty_archive_at(a, 0);
        CHECK(ty_ok(got) || test_starving(), "%s: %s", what, ty_error(got));
        if (ty_ok(got)) check_same(got, c->tensors[i], what);
    }
    for (int i = 0; i < c->nmeta; i++) {
        const char *value = ty_archive_meta(a, c->keys[i]);
        CHECK(value && !strcmp(value, c->values[i]), "%s: the text of %s is %s", what, c->keys[i],
              value ? value : "gone");
    }
}

static void check_twice(const char *format, struct content *c, const char *what) {
    ty_file_options options = told(format, c->tensors[0]), first = options;
    first.nmeta = c->nmeta;
    first.keys = c->keys;
    first.values = c->values;
    size_t sizes[3];
    uint8_t *bytes[3] = {write_bytes(c->n, c->names, c->tensors, first, &sizes[0])};
    for (int k = 1; k < 3 && bytes[k - 1]; k++) {
        ty_archive *a = own_archive(ty_archive_parse(bytes[k - 1], sizes[k - 1], options));
        CHECK(!*ty_archive_error(a) || test_starving(), "%s: %s", what, ty_archive_error(a));
        if (*ty_archive_error(a)) return;
        check_content(a, c, what);
        bytes[k] = write_again(a, options, &sizes[k]);
    }
    if (bytes[1] && bytes[2])
        CHECK(sizes[1] == sizes[2] && !memcmp(bytes[1], bytes[2], sizes[1]), "%s: the second writing differs",
              what);
}

static void twice_is_once(void) {
    for (int f = 0; f < FORMATS; f++)
        for (int i = 0; i < formats[f].n; i++) {
            struct test_round round = test_round();
            struct content c = {0};
            char what[64];
            snprintf(what, sizeof what, "%s %d", formats[f].format, i);
            formats[f].fill(&c, i);
            bool well = true;
            for (int k = 0; k < c.n; k++) well = well && ty_ok(c.tensors[k]);
            if (well) check_twice(formats[f].format, &c, what);
            test_round_end(round);
        }
}

/* ---- on every machine ---- */

/* The CRC-32 of written files depends neither on byte order nor on word size. */
static void bytes_of_every_machine(void) {
    static const struct {
        const char *format;
        int filling;
        uint32_t crc;
    } rows[] = {{"npy", TY_I16, 0x8a6bf3b7},   {"npy", TY_F32, 0x0c92bbfb}, {"npy", TY_C128, 0xfffbf9bd},
                {"npz", 0, 0x1b36a145},        {"idx", 2, 0x1f32411b},      {"idx", 5, 0xb6beb7f4},
                {"safetensors", 1, 0xbc02f0f5}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct test_round round = test_round();
        struct content c = {0};
        size_t size;
        for (int f = 0; f < FORMATS; f++)
            if (!strcmp(formats[f].format, rows[r].format)) formats[f].fill(&c, rows[r].filling);
        ty_file_options options = told(rows[r].format, c.tensors[0]);
        const uint8_t *bytes = write_bytes(c.n, c.names, c.tensors, options, &size);
        if (bytes)
            CHECK(crc32_of(bytes, size) == rows[r].crc, "%s %d: CRC-32 is %08x", rows[r].format,
                  rows[r].filling, (unsigned)crc32_of(bytes, size));
        test_round_end(round);
    }
}

/* ---- tables written by other programs ---- */

static void tables_of_others(void) {
    static const char *const tables[] = {
        "1,2\n3,4\n",
        "a,b\n1,2\n3,4\n",
        "\"x, y\";\"he said \"\"no\"\"\"; c d \n1;2;3\n",
        ("\xef\xbb\xbf"
         "time value\n1 2.5\n3 NA\n"),
        "# made by hand\n\n x\n1\n\n2\n",
        "True,False\n",
        "18446744073709551615\n1\n",
        "1,-\n2,inf\n",
        "(1+2j),3\n",
        "name,\n1,2\n",
        "only,words\n",
        "1\r\n2\r\n",
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct test_round round = test_round();
        ty_file_options options = {.format = "csv"};
        size_t sizes[3] = {strlen(tables[i])};
        const uint8_t *bytes[3] = {(const uint8_t *)tables[i]};
        ty_tensor *x[3] = {NULL};
        for (int k = 1; k < 3; k++) {
            ty_archive *a = own_archive(ty_archive_parse(bytes[k - 1], sizes[k - 1], options));
            CHECK(!*ty_archive_error(a) || test_starving(), "%s: %s", tables[i], ty_archive_error(a));
            if (*ty_archive_error(a)) break;
            x[k] = ty_archive_at(a, 0);
            bytes[k] = write_again(a, options, &sizes[k]);
            if (!bytes[k]) break;
        }
        if (x[2] && ty_ok(x[1]) && ty_ok(x[2])) check_same(x[2], x[1], tables[i]);
        if (x[2] && bytes[2])
            CHECK(sizes[1] == sizes[2] && !memcmp(bytes[1], bytes[2], sizes[1]),
                  "%s became %.*s and then %.*s", tables[i], (int)sizes[1], bytes[1], (int)sizes[2],
                  bytes[2]);
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(every_format_has_a_row), TEST(twice_is_once), TEST(bytes_of_every_machine),
           TEST(tables_of_others))
