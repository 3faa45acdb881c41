/* Files of all formats through one interface: paths, memory, callbacks, mapping, ty_load and ty_save. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <tyto/io.h>
#include "io/archive.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"

/* Return true if the failure names a library missing from this build. */
static bool is_missing(const char *sentence) { return strstr(sentence, "without ") != NULL; }

static ty_tensor *sample(void) { return ty_reshape(ty_steps(TY_F64, -2, 0.5, 12), TY_SHAPE(3, 4)); }

static bool saved(const char *path, ty_tensor *x) {
    ty_tensor *error = NULL;
    if (ty_save(path, x, &error)) return true;
    CHECK(error && !ty_ok(error), "no sentence");
    if (!is_missing(ty_error(error))) CHECK_OK(error);
    return false;
}

static void by_extension(void) {
    static const char *const names[] = {"x.npy", "x.npz",    "x.safetensors", "x.csv",       "x.tsv",
                                        "x.idx", "X.NPY.GZ", "x.csv.gz",      "x.idx3-ubyte"};
    const char *folder = scratch_folder();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = scratch_path(folder, names[i]);
        ty_tensor *x = ty_named(sample(), "weights");
        if (!saved(path, x)) continue;
        ty_tensor *back = ty_load(path);
        if (!ty_ok(back) && is_missing(ty_error(back))) continue;
        check_same(back, x, names[i]);
    }
    ty_tensor *error = NULL;
    CHECK(!ty_save(scratch_path(folder, "x.tiff"), sample(), &error), "saved as tiff");
    CHECK_POISON(error, "the extension does not identify a format; expected one of npy, npz,");
    CHECK(!ty_save(scratch_path(folder, "x.npz.gz"), sample(), &error), "saved as npz.gz");
    CHECK_POISON(error, "cannot be compressed by gzip");
    CHECK(!ty_save(scratch_path(folder, "x.idx"), ty_cast(sample(), TY_U64), &error), "u64 as idx");
    CHECK_POISON(error, "idx has no element type for u64");
    CHECK_POISON(ty_load(scratch_path(folder, "absent.npy")), "cannot be opened: No such file");
    CHECK_POISON(ty_load(folder), "is a folder; expected a file");
}

/* The format follows the first bytes, whatever the name. */
static void by_content(void) {
    const char *folder = scratch_folder(), *path = scratch_path(folder, "x.npy"),
               *other = scratch_path(folder, "x.csv");
    if (saved(path, sample())) CHECK(rename(path, other) == 0, "not renamed");
    check_same(ty_load(other), sample(), "npy with the name of csv");
    write_file(path, "\xff\xfe", 2);
    CHECK_POISON(ty_load(path), "is truncated");
    write_file(scratch_path(folder, "strange"), "\xff\xfe", 2);
    CHECK_POISON(ty_load(scratch_path(folder, "strange")),
                 "neither the first bytes nor the ending of the name identify it");
}

static void several(void) {
    static const char *const names[] = {"a", "b"};
    const char *path = scratch_path(scratch_folder(), "two.npz");
    ty_tensor *x[] = {sample(), ty_num(1)}, *error = NULL;
    if (!ty_archive_save(path, 2, names, x, (ty_file_options){0}, &error)) CHECK_OK(error);
    CHECK_POISON(ty_load(path), "holds 2 tensors, not one: open it with ty_archive_open");
    ty_archive *a = own_archive(ty_archive_open(path, (ty_file_options){0}));
    check_same(ty_archive_at(a, 0), x[0], "a");
    check_same(ty_archive_get(a, "b"), x[1], "b");
    CHECK_POISON(ty_archive_at(a, 2), "archive: index 2 is out of bounds for 2 tensors");
}

/* ---- callbacks ---- */

struct memory {
    const uint8_t *bytes;
    size_t n, at, most; /* `most` bytes per call */
    bool broken;
};

static int64_t read_at(void *context, uint64_t at, void *out, size_t n) {
    struct memory *m = context;
    if (m->broken) return -1;
    size_t left = at < m->n ? m->n - (size_t)at : 0;
    n = n < left ? n : left;
    n = n < m->most ? n : m->most;
    memcpy(out, m->bytes + at, n);
    return (int64_t)n;
}

static int64_t read_next(void *context, void *out, size_t n) {
    struct memory *m = context;
    int64_t got = read_at(m, m->at, out, n);
    m->at += got > 0 ? (size_t)got : 0;
    return got;
}

static void sources(void) {
    static const char *const formats[] = {"npy", "npz", "csv", "safetensors", "idx"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        for (int way = 0; way < 2; way++) {
            struct test_round round = test_round();
            struct memory m = {.most = 7};
            m.bytes = write_one(sample(), (ty_file_options){.format = formats[i]}, &m.n);
            ty_source source = {
                .context = &m, .size = m.n, .read_at = way ? NULL : read_at, .read = read_next};
            ty_archive *a =
                own_archive(ty_archive_read("the wire", source, (ty_file_options){.format = formats[i]}));
            if (is_missing(ty_archive_error(a))) continue;
            check_same(ty_archive_at(a, 0), sample(), formats[i]);
            test_round_end(round);
        }
    struct memory m = {.broken = true, .n = 100};
    ty_source source = {.context = &m, .size = 100, .read_at = read_at};
    ty_archive *a = own_archive(ty_archive_read("the wire", source, (ty_file_options){0}));
    CHECK_POISON(ty_archive_at(a, 0), "the wire: the source's read_at failed at byte 0");
    source.read_at = NULL;
    a = own_archive(ty_archive_read("the wire", source, (ty_file_options){0}));
    CHECK_POISON(ty_archive_at(a, 0), "has neither read_at nor read");
    source.read = read_next;
    a = own_archive(ty_archive_read("the wire", source, (ty_file_options){0}));
    CHECK_POISON(ty_archive_at(a, 0), "the source's read failed after 0 bytes");
}

struct pot {
    uint8_t bytes[4096];
    size_t n, room;
};

static bool pour(void *context, const void *bytes, size_t n) {
    struct pot *p = context;
    if (n > p->room - p->n) return false;
    memcpy(p->bytes + p->n, bytes, n);
    p->n += n;
    return true;
}

static void sinks(void) {
    struct pot p = {.room = sizeof p.bytes};
    ty_sink sink = {&p, pour};
    ty_tensor *x = sample(), *error = NULL;
    const char *name = "x";
    if (!ty_archive_send(sink, 1, &name, &x, (ty_file_options){.format = "npz"}, &error)) CHECK_OK(error);
    check_same(parse_first(p.bytes, p.n, (ty_file_options){0}), x, "through a sink");
    p = (struct pot){.room = 50};
    CHECK(!ty_archive_send(sink, 1, &name, &x, (ty_file_options){.format = "npz"}, &error),
          "a full sink is well");
    CHECK_POISON(error, "the sink refused");
}

/* ---- raw, mapped ---- */

static void raw_files(void) {
    const char *path = scratch_path(scratch_folder(), "x.bin");
    static const int32_t data[] = {9, 1, 2, 3, 4, 5, 6};
    write_file(path, data, sizeof data);
    ty_file_options o = {
        .format = "raw", .dtype = TY_I32, .rank = 2, .shape = (int64_t[]){2, 3}, .offset = 4};
    ty_archive *a = own_archive(ty_archive_open(path, o));
    check_same(ty_archive_at(a, 0), ty_from(TY_I32, TY_SHAPE(2, 3), data + 1), "raw");
    o = (ty_file_options){.dtype = TY_I32, .rank = -1};
    a = own_archive(ty_archive_open(path, o));
    check_same(ty_archive_at(a, 0), ty_from(TY_I32, TY_SHAPE(7), data), "all there is");
    o.dtype = TY_F64;
    a = own_archive(ty_archive_open(path, o));
    CHECK_POISON(ty_archive_at(a, 0), "its 28 bytes are not a multiple of f64 elements");
    CHECK_POISON(ty_map(path, TY_I32, TY_SHAPE(8), 0),
                 "is truncated: its header declares 32 bytes of data, but 28 follow");
    CHECK_POISON(ty_map(path, TY_I32, TY_SHAPE(-1), 0), "its sizes exceed memory");
    CHECK_POISON(ty_map(path, TY_I32, TY_SHAPE(INT64_MAX, 2), 0), "its sizes exceed memory");
    CHECK_POISON(ty_map(path, TY_I32, TY_SHAPE(1), 29), "fewer than the offset 29");
    CHECK_POISON(ty_map(path, (ty_dtype)99, TY_SHAPE(1), 0), "unknown dtype 99");
    CHECK_POISON(ty_map("/nowhere/x", TY_I32, TY_SHAPE(1), 0), "cannot be opened");
}

/* Mapped elements show later changes of the file, are never written back, and live until their last use. */
static void mapped(void) {
    const char *path = scratch_path(scratch_folder(), "x.bin");
    float *data = test_room(40000);
    for (int i = 0; i < 10000; i++) data[i] = (float)i;
    write_file(path, data, 40000);
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_map(path, TY_F32, TY_SHAPE(99, 100), 400),
              *part = ty_keep(ty_slice(x, 0, 98, TY_END, 1));
    bool well = ty_ok(part);
    ty_close(scope);
    if (!well) CHECK_OK(part);
    CHECK(ty_item(ty_sum(part, TY_ALL)) == 100 * 9949.5, "sum %g", ty_item(ty_sum(part, TY_ALL)));
    CHECK(unlink(path) == 0 && ty_item(ty_amax(part, TY_ALL)) == 9999, "gone with the file");
    CHECK(ty_map(path, TY_F32, TY_SHAPE(1), 0) != NULL, "NULL");
}

static void mapped_formats(void) {
    static const char *const names[] = {"x.npy", "x.npz", "x.safetensors"};
    const char *folder = scratch_folder();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = scratch_path(folder, names[i]);
        saved(path, sample());
        ty_archive *a = own_archive(ty_archive_open(path, (ty_file_options){.map = true}));
        if (is_missing(ty_archive_error(a))) continue;
        ty_tensor *x = CHECK_OK(ty_archive_at(a, 0));
        check_same(x, sample(), names[i]);
        char *words = test_text(ty_info(x));
        bool mapped = i != 1 && machine_is_little_endian(); /* the file has the machine's byte order */
        CHECK(!words || i == 1 || !strstr(words, "borrowed") == !mapped, "%s, mapped: %d\n%s", names[i],
              mapped, words);
    }
}

/* ---- other ---- */

static void lists_formats(void) {
    const char *extensions, *doc;
    int n = 0;
    for (; ty_format_name(n, &extensions, &doc); n++)
        CHECK(*ty_format_name(n, NULL, NULL) && *extensions && *doc, "format %d says nothing", n);
    CHECK(n == 11 && !ty_format_name(-1, NULL, NULL), "%d formats", n);
}

static void texts(void) {
    static const char *const keys[] = {"by"}, *const values[] = {"Tyto"};
    size_t n;
    ty_file_options o = {.format = "safetensors", .nmeta = 1, .keys = keys, .values = values};
    ty_tensor *x = sample(), *error = NULL;
    uint8_t *bytes = write_one(x, o, &n);
    ty_archive *a = own_archive(ty_archive_parse(bytes, n, (ty_file_options){0}));
    const char *key, *value;
    if (is_missing(ty_archive_error(a))) return;
    CHECK(!*ty_archive_error(a), "%s", ty_archive_error(a));
    CHECK(!strcmp(ty_archive_meta(a, "by"), "Tyto") && ty_archive_pair(a, 1, &key, &value) &&
              !ty_archive_pair(a, 2, &key, &value),
          "other texts");
    o.format = "npy";
    CHECK(!ty_archive_bytes(1, (const char *const[]){"x"}, &x, o, &n, &error), "texts in npy");
    CHECK_POISON(error, "npy cannot store texts");
}

static void facts(void) {
    char *text = test_text(ty_info(ty_ones(TY_F32, TY_SHAPE(3, 4))));
    CHECK(!text ||
              !strcmp(
                  text,
                  "dtype      f32, 4 bytes\nshape      (3, 4)\nelements   12\nbytes      48\n"
                  "strides    (4, 1) elements, contiguous\noffset     0 elements into a buffer of 48 bytes\n"
                  "shared     no\ndevice     cpu\nkind       value"),
          "%s", text);
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(3, 4));
    text = test_text(ty_info(ty_slice(x, 1, 1, TY_END, 2)));
    CHECK(!text || (strstr(text, "strides    (4, 2) elements\n") && strstr(text, "offset     1 elements") &&
                    strstr(text, "shared     with 1 other tensor\n")),
          "%s", text);
    text = test_text(ty_info(ty_add(ty_var(x, "x"), ty_num(1))));
    CHECK(!text || strstr(text, "kind       promise: add of 2 operands, not computed"), "%s", text);
    text = test_text(ty_info(ty_track(x, "w")));
    CHECK(!text || strstr(text, "kind       eager variable\nname       w"), "%s", text);
    text = test_text(ty_info(ty_poison("bad")));
    CHECK(!text || strstr(text, "error: bad") || test_starving(), "%s", text);
}

TESTS_MAIN(TEST(by_extension), TEST(by_content), TEST(several), TEST(sources), TEST(sinks), TEST(raw_files),
           TEST(mapped), TEST(mapped_formats), TEST(lists_formats), TEST(texts), TEST(facts))
