/* Datasets of every kind from files written here, and all errors in such files. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <tyto/data.h>
#include "tests/support/files.h"
#include "tests/support/harness.h"

static void end_set(void *set) { ty_dataset_free(set); }
static ty_dataset *own(ty_dataset *set) { return test_own(set, end_set); }

/* Check that a dataset has no error, or (refused) that it failed with a message. */
static ty_dataset *well(ty_dataset *set) {
    own(set);
    if (*ty_dataset_error(set)) CHECK_OK(ty_dataset_failure(set));
    return set;
}
static void refused(ty_dataset *set, const char *words) {
    own(set);
    CHECK(*ty_dataset_error(set) && ty_dataset_size(set) == 0 && ty_dataset_fields(set) == 0,
          "a wrong set is well");
    CHECK_POISON(ty_dataset_failure(set), words);
}

/* A dataset freed within the test, or at its end at the latest. */
static ty_dataset *held;
static void end_held(void *unused) {
    (void)unused;
    ty_dataset_free(held);
    held = NULL;
}
static ty_dataset *hold(ty_dataset *set) {
    test_own(&held, end_held);
    return held = set;
}

static void says(ty_dataset *set, int64_t index, const char *words) {
    char *where = test_text(ty_dataset_where(set, index));
    CHECK_OK(where ? ty_num(0) : ty_poison("out of memory"));
    CHECK(strstr(where, words), "example %d is %s", (int)index, where);
}

static const char *file(const char *folder, const char *name, const void *bytes, size_t n) {
    const char *path = scratch_path(folder, name);
    write_file(path, bytes, n);
    return path;
}

/* Read field i of an example into out; returns the number of values. */
static int64_t numbers(ty_dataset *set, int64_t index, int field, double *out) {
    ty_tensor *x[TY_MOST_FIELDS];
    ty_dataset_get(set, index, field + 1, x);
    CHECK_OK(x[field]);
    CHECK(ty_read(x[field], TY_F64, out), "no numbers");
    return ty_size(x[field]);
}
static double number(ty_dataset *set, int64_t index, int field) {
    double out[4096];
    numbers(set, index, field, out);
    return out[0];
}

static void check_field(ty_dataset *set, int i, const char *name, ty_dtype dtype, int rank,
                        const int64_t *shape) {
    const ty_field *f = ty_dataset_field(set, i);
    CHECK(f && !strcmp(f->name, name) && f->dtype == dtype && f->rank == rank, "field %d", i);
    for (int k = 0; k < rank; k++)
        CHECK(f->shape[k] == shape[k], "field %d, size %d is %d", i, k, (int)f->shape[k]);
}

/* ---- arrays and files of arrays ---- */

static ty_tensor *rows(int64_t n, int64_t m) {
    return ty_reshape(ty_iota(TY_F32, 1, (int64_t[]){n * m}, 0), 2, (int64_t[]){n, m});
}

static void arrays(void) {
    ty_tensor *x = rows(5, 3), *y = ty_iota(TY_I64, TY_SHAPE(5), 0);
    ty_tensor *forms[] = {x, ty_lazy(x), ty_flip(ty_flip(x, 0), 0),
                          ty_permute(ty_contiguous(ty_permute(x, NULL)), NULL), ty_track(x, NULL)};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        ty_dataset *set =
            well(ty_dataset_arrays(2, (ty_tensor *[]){forms[i], y}, (const char *[]){"x", "y"}));
        double got[3];
        CHECK(ty_dataset_size(set) == 5 && ty_dataset_fields(set) == 2, "form %d", (int)i);
        check_field(set, 0, "x", TY_F32, 1, (int64_t[]){3});
        check_field(set, 1, "y", TY_I64, 0, NULL);
        CHECK(numbers(set, 2, 0, got) == 3 && got[0] == 6 && got[2] == 8, "form %d has %g", (int)i, got[0]);
        CHECK(number(set, 4, 1) == 4 && !ty_dataset_field(set, 2) && !ty_dataset_class(set, 0), "form %d",
              (int)i);
    }
    ty_tensor *out[2];
    ty_dataset *set = well(ty_dataset_arrays(1, &x, NULL));
    CHECK(!ty_dataset_get(set, 5, 1, out), "example 5 of 5");
    CHECK_POISON(out[0], "data: example 5 is out of bounds for a set of 5 examples");
    CHECK(!ty_dataset_get(set, 0, 2, out), "two of one");
    CHECK_POISON(out[1], "2 fields were requested; the set has 1");
}

static void arrays_refused(void) {
    ty_tensor *x = rows(5, 3), *y = rows(4, 3), *none = ty_poison("no data"), *number = ty_num(1);
    refused(ty_dataset_arrays(2, (ty_tensor *[]){x, y}, NULL),
            "field 1 has 4 examples; the fields before it have 5");
    refused(ty_dataset_arrays(1, &none, NULL), "field 0: no data");
    refused(ty_dataset_arrays(1, &number, NULL), "no axis of examples");
    refused(ty_dataset_arrays(0, &x, NULL), "0 fields; a set has 1 to 16");
    refused(ty_dataset_arrays(17, &x, NULL), "17 fields");
    refused(ty_dataset_arrays(1, NULL, NULL), "dataset_arrays: the array of 1 tensors is NULL");
}

static void files_of_arrays(void) {
    const char *folder = scratch_folder(), *x = scratch_path(folder, "x.npy"),
               *y = scratch_path(folder, "y.idx"), *z = scratch_path(folder, "z.npz");
    ty_tensor *error, *both[] = {rows(4, 3), ty_cast(ty_iota(TY_I64, TY_SHAPE(4), 0), TY_U8)};
    CHECK(ty_save(x, both[0], &error) && ty_save(y, both[1], &error), "%s", ty_error(error));
    ty_dataset *set = well(ty_dataset_files(2, (const char *[]){x, y}, (ty_file_options){0}));
    CHECK(ty_dataset_size(set) == 4 && number(set, 3, 0) == 9 && number(set, 3, 1) == 3, "files");
    CHECK(ty_archive_save(z, 2, (const char *[]){"a", "b"}, both, (ty_file_options){0}, &error), "%s",
          ty_error(error));
    set = well(ty_dataset_archive(z, 0, NULL, (ty_file_options){0}));
    CHECK(ty_dataset_fields(set) == 2 && !strcmp(ty_dataset_field(set, 1)->name, "b"), "archive");
    set = well(ty_dataset_archive(z, 1, (const char *[]){"b"}, (ty_file_options){0}));
    CHECK(number(set, 2, 0) == 2, "archive");
    refused(ty_dataset_archive(z, 1, (const char *[]){"c"}, (ty_file_options){0}),
            "unknown tensor \"c\"; expected one of a,");
    refused(ty_dataset_archive(scratch_path(folder, "none.npz"), 0, NULL, (ty_file_options){0}),
            "cannot be opened");
    refused(ty_dataset_files(1, (const char *[]){z}, (ty_file_options){0}), "holds 2 tensors, not one");
    refused(ty_dataset_files(1, (const char *[]){NULL}, (ty_file_options){0}), "the path is NULL");
    size_t n;
    uint8_t *bytes = read_file(y, &n);
    for (size_t i = 0; i < n; i++) {
        struct test_round round = test_round();
        write_file(y, bytes, i);
        refused(ty_dataset_files(1, &y, (ty_file_options){.format = "idx"}),
                i ? "truncated" : "the file is empty");
        test_round_end(round);
    }
}

/* Words and gaps among the inputs are refused, or accepted by options. */
static void csv_inputs(const char *folder) {
    static const char text[] = "size,colour,kind\n1,red,x\n2,blue,y\n,red,x\n";
    const char *path = file(folder, "i.csv", text, sizeof text - 1);
    ty_csv_options o = {.classes = true};
    refused(ty_dataset_csv(path, o), "column 0 (size) has a missing value in row 2, counted from 0");
    o.missing = true;
    refused(ty_dataset_csv(path, o), "column 1 (colour) has text (blue,red), but inputs must be numbers");
    o.file.words = true;
    ty_dataset *set = well(ty_dataset_csv(path, o));
    double got[2];
    CHECK(numbers(set, 1, 0, got) == 2 && got[0] == 2 && got[1] == 0, "%g %g", got[0], got[1]);
    CHECK(numbers(set, 2, 0, got) == 2 && got[0] != got[0] && got[1] == 1, "%g %g", got[0], got[1]);
    o = (ty_csv_options){.target = "colour", .classes = true, .missing = true};
    refused(ty_dataset_csv(path, o), "column 2 (kind) has text (x,y)");
    static const char late[] = "a,b\n1,\n2,y\n";
    path = file(folder, "j.csv", late, sizeof late - 1);
    refused(ty_dataset_csv(path, (ty_csv_options){.classes = true}), "the target of row 0 is missing");
    static const char quoted[] = "a,b\n1,\"a \"\"q\"\"\"\n";
    set = well(
        ty_dataset_csv(file(folder, "k.csv", quoted, sizeof quoted - 1), (ty_csv_options){.classes = true}));
    CHECK(!strcmp(ty_dataset_class(set, 0), "a \"q\""), "%s", ty_dataset_class(set, 0));
}

static void csv(void) {
    static const char named[] = "a,\"b,c\",d\n1,2,3\n4,5,6\n7,8,3\n", plain[] = "1,2,3.5\n4,5,6\n",
                      gap[] = "1,2\n3,\n";
    const char *folder = scratch_folder(), *path = file(folder, "a.csv", named, sizeof named - 1),
               *other = file(folder, "b.csv", plain, sizeof plain - 1),
               *hole = file(folder, "c.csv", gap, sizeof gap - 1);
    static const struct {
        const char *target;
        double input[2], value;
    } cases[] = {{NULL, {1, 2}, 3}, {"d", {1, 2}, 3}, {"b,c", {1, 3}, 2},
                 {"a", {2, 3}, 1},  {"1", {1, 3}, 2}, {"-3", {2, 3}, 1}};
    double got[2];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ty_dataset *set = well(ty_dataset_csv(path, (ty_csv_options){.target = cases[i].target}));
        CHECK(numbers(set, 0, 0, got) == 2 && !memcmp(got, cases[i].input, sizeof got), "case %d: %g %g",
              (int)i, got[0], got[1]);
        CHECK(number(set, 0, 1) == cases[i].value && ty_dataset_field(set, 1)->dtype == TY_I64, "case %d",
              (int)i);
    }
    ty_dataset *set = well(ty_dataset_csv(path, (ty_csv_options){.classes = true}));
    CHECK(ty_dataset_classes(set) == 2 && !strcmp(ty_dataset_class(set, 1), "6"), "classes");
    CHECK(number(set, 0, 1) == 0 && number(set, 1, 1) == 1 && number(set, 2, 1) == 0, "labels");
    static const char iris[] = "5.1,3.5,setosa\n4.9,3.0,setosa\n7.0,3.2,versicolor\n6.3,,\"b, c\"\n",
                      half[] = "1,a\n2,\n";
    set = well(ty_dataset_csv(file(folder, "f.csv", iris, sizeof iris - 1),
                              (ty_csv_options){.classes = true, .missing = true}));
    CHECK(ty_dataset_size(set) == 4 && ty_dataset_classes(set) == 3 &&
              !strcmp(ty_dataset_class(set, 0), "b, c") && !strcmp(ty_dataset_class(set, 2), "versicolor"),
          "%d classes of words", ty_dataset_classes(set));
    CHECK(number(set, 1, 1) == 1 && number(set, 2, 1) == 2 && number(set, 3, 1) == 0 &&
              number(set, 2, 0) == 7,
          "words");
    refused(ty_dataset_csv(file(folder, "g.csv", half, sizeof half - 1), (ty_csv_options){.classes = true}),
            "the target of row 1 is missing");
    set = well(ty_dataset_csv(other, (ty_csv_options){0}));
    CHECK(ty_dataset_field(set, 1)->dtype == TY_F32 && number(set, 0, 1) == 3.5, "real targets");
    refused(ty_dataset_csv(path, (ty_csv_options){.target = "e"}), "has no column \"e\", the target");
    refused(ty_dataset_csv(other, (ty_csv_options){.target = "3"}), "its 3 columns have no names");
    refused(ty_dataset_csv(hole, (ty_csv_options){.classes = true}), "the target of row 1 is missing");
    refused(ty_dataset_csv(hole, (ty_csv_options){0}),
            "column 1 has a missing value in row 1, counted from 0: fill it, or "
            "allow NaN");
    refused(ty_dataset_csv(file(folder, "h.csv", "1j,2\n", 5), (ty_csv_options){0}), "has complex numbers");
    csv_inputs(folder);
    refused(ty_dataset_csv(file(folder, "d.csv", "1\n2\n", 4), (ty_csv_options){0}), "has 1 column");
    refused(ty_dataset_csv(file(folder, "e.csv", "1,2\n2,x\n", 8), (ty_csv_options){0}), "is not a number");
}

/* ---- CIFAR ---- */

enum { PLANE = 1024 };

static uint8_t pixel(int record, int row, int column, int c) {
    return (uint8_t)(record * 50 + row * 3 + column + c * 80);
}

static size_t write_records(uint8_t *out, int n, int labels, int first) {
    uint8_t *at = out;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < labels; k++) *at++ = (uint8_t)(first + i + k);
        for (int c = 0; c < 3; c++)
            for (int p = 0; p < PLANE; p++) *at++ = pixel(first + i, p / 32, p % 32, c);
    }
    return (size_t)(at - out);
}

static void cifar(void) {
    const char *folder = scratch_folder();
    uint8_t *bytes = test_room(3 * 3074);
    char name[32];
    double got[3 * PLANE];
    for (int i = 1; i <= 5; i++) {
        snprintf(name, sizeof name, "data_batch_%d.bin", i);
        file(folder, name, bytes, write_records(bytes, i == 2 ? 2 : 1, 1, i));
    }
    file(folder, "test_batch.bin", bytes, write_records(bytes, 1, 1, 9));
    ty_dataset *set = well(ty_dataset_cifar10(folder, true));
    CHECK(ty_dataset_size(set) == 6 && ty_dataset_classes(set) == 0, "%d examples",
          (int)ty_dataset_size(set));
    check_field(set, 0, "image", TY_U8, 3, (int64_t[]){32, 32, 3});
    CHECK(numbers(set, 3, 0, got) == 3 * PLANE && number(set, 3, 1) == 3, "the fourth is record 0 of file 3");
    for (int i = 0; i < 3 * PLANE; i++)
        CHECK(got[i] == pixel(3, i / 96, i / 3 % 32, i % 3), "pixel %d is %g", i, got[i]);
    says(set, 2, "data_batch_2.bin, record 1");
    file(folder, "batches.meta.txt", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n\n", 21);
    set = well(ty_dataset_cifar10(folder, false));
    CHECK(ty_dataset_size(set) == 1 && ty_dataset_classes(set) == 10 &&
              !strcmp(ty_dataset_class(set, 9), "j"),
          "classes");
    file(folder, "train.bin", bytes, write_records(bytes, 2, 2, 5));
    CHECK(number(well(ty_dataset_cifar100(folder, true, true)), 1, 1) == 6, "coarse");
    CHECK(number(well(ty_dataset_cifar100(folder, true, false)), 1, 1) == 7, "fine");
    refused(ty_dataset_cifar100(folder, false, false), "test.bin: cannot be opened");
    file(folder, "test_batch.bin", bytes, write_records(bytes, 2, 1, 9));
    refused(ty_dataset_cifar10(folder, false), "the label of record 1 is 10; expected 0 to 9");
    for (size_t n = 0; n < 3073; n += (size_t)test_some(61, 500, 3000)) {
        file(folder, "test_batch.bin", bytes, n);
        refused(ty_dataset_cifar10(folder, false), "are not a multiple of the record size 3073");
    }
}

/* ---- text ---- */

static void text(void) {
    static const char words[] = "to be, or not to be";
    const char *folder = scratch_folder(), *path = file(folder, "t", words, sizeof words - 1);
    double got[8];
    ty_dataset *set = well(ty_dataset_text(path, (ty_text_options){.length = 8}));
    CHECK(ty_dataset_size(set) == 2 && ty_dataset_classes(set) == 0, "%d windows", (int)ty_dataset_size(set));
    check_field(set, 1, "target", TY_I32, 1, (int64_t[]){8});
    CHECK(numbers(set, 1, 0, got) == 8 && got[0] == words[8] && numbers(set, 1, 1, got) == 8 &&
              got[7] == words[16],
          "windows");
    set = well(ty_dataset_text(path, (ty_text_options){.length = 8, .stride = 3}));
    CHECK(ty_dataset_size(set) == 4 && number(set, 3, 0) == words[9], "steps of 3");
    set = well(ty_dataset_text(path, (ty_text_options){.length = 18}));
    CHECK(ty_dataset_size(set) == 1, "all of it");
    refused(ty_dataset_text(path, (ty_text_options){.length = 19}),
            "has 19 bytes, fewer than a window of 19");
    refused(ty_dataset_text(path, (ty_text_options){.length = -1}),
            "dataset_text: the length or stride is negative");
    refused(ty_dataset_text(scratch_path(folder, "none"), (ty_text_options){0}), "cannot be opened");
    refused(ty_dataset_text(file(folder, "empty", "", 0), (ty_text_options){.length = 1}), "has 0 bytes");
}

static void characters(void) {
    static const char words[] = "aé€a😀bé"; /* characters of 1 to 4 bytes */
    const char *folder = scratch_folder(), *path = file(folder, "t", words, sizeof words - 1);
    double got[6], want[] = {0, 2, 3, 0, 4, 1};
    ty_dataset *set = well(ty_dataset_text(path, (ty_text_options){.length = 6, .characters = true}));
    CHECK(ty_dataset_size(set) == 1 && ty_dataset_classes(set) == 5, "%d classes", ty_dataset_classes(set));
    CHECK(numbers(set, 0, 0, got) == 6 && !memcmp(got, want, sizeof got), "numbers");
    CHECK(!strcmp(ty_dataset_class(set, 4), "😀") && !strcmp(ty_dataset_class(set, 2), "é"), "names");
    static const char *const wrong[] = {
        "a\x80", "a\xc3", "a\xc0\x80", "a\xed\xa0\x80", "a\xf4\x90\x80\x80", "a\xe2\x82", "a\xff"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refused(ty_dataset_text(file(folder, "w", wrong[i], strlen(wrong[i])),
                                (ty_text_options){.length = 1, .characters = true}),
                "is not UTF-8 at byte 1");
}

/* ---- folders ---- */

static const char *folder_of_images(void) {
    const char *folder = scratch_folder(), *b = scratch_path(folder, "b"), *a = scratch_path(folder, "a");
    CHECK(mkdir(a, 0700) == 0 && mkdir(b, 0700) == 0 && mkdir(scratch_path(folder, ".c"), 0700) == 0,
          "no folder");
    file(folder, "README", "x", 1);
    file(a, "2.ppm", "P6 1 1 255\n\x0a\x14\x1e", 14);
    file(a, "1.PGM", "P5 2 1 255\n\x07\xc8", 13);
    file(a, "notes.txt", "x", 1);
    file(b, "x.pgm", "P5 1 2 65535\n\x80\x80\xff\xff", 17);
    return folder;
}

static void folders(void) {
    const char *folder = folder_of_images();
    double got[8];
    ty_dataset *set = well(ty_dataset_folder(folder, (ty_folder_options){0}));
    CHECK(ty_dataset_size(set) == 3 && ty_dataset_classes(set) == 2 && !strcmp(ty_dataset_class(set, 1), "b"),
          "classes");
    check_field(set, 0, "image", TY_U8, 3, (int64_t[]){-1, -1, 3});
    CHECK(numbers(set, 0, 0, got) == 6 && got[0] == 7 && got[2] == 7 && got[3] == 200, "grey is RGB");
    CHECK(numbers(set, 1, 0, got) == 3 && got[0] == 10 && got[2] == 30, "the second");
    CHECK(numbers(set, 2, 0, got) == 6 && got[0] == 128 && got[5] == 255, "16 bits");
    CHECK(number(set, 1, 1) == 0 && number(set, 2, 1) == 1, "labels");
    says(set, 0, "/a/1.PGM");
    set = well(ty_dataset_folder(folder, (ty_folder_options){.channels = 1}));
    CHECK(numbers(set, 1, 0, got) == 1 && got[0] == 18, "grey of 10, 20, 30 is %g", got[0]);
    set = well(ty_dataset_folder(folder, (ty_folder_options){.channels = 4}));
    CHECK(numbers(set, 1, 0, got) == 4 && got[3] == 255, "alpha");
    file(scratch_path(folder, "a"), "2.ppm", "P6 1 1 255\n\x0a", 12);
    ty_tensor *out[2];
    CHECK(!ty_dataset_get(set, 1, 2, out), "a truncated image");
    CHECK_POISON(out[1], "example 1 (");
    CHECK_POISON(out[0], "2.ppm: is truncated");
}

static void folders_refused(void) {
    const char *folder = scratch_folder(), *none = scratch_path(folder, "none");
    refused(ty_dataset_folder(folder, (ty_folder_options){0}), "has no sub-folders");
    refused(ty_dataset_folder(none, (ty_folder_options){0}), "cannot be opened");
    refused(ty_dataset_folder(NULL, (ty_folder_options){0}), "the directory is NULL");
    refused(ty_dataset_folder(folder, (ty_folder_options){.channels = 2}), "2 channels");
    CHECK(mkdir(none, 0700) == 0, "no folder");
    refused(ty_dataset_folder(folder, (ty_folder_options){0}), "none: has no images");
}

/* ---- all examples ---- */

/* Compare all examples of a set with its examples one by one. */
static void check_all(ty_dataset *set, const char *name) {
    ty_tensor *all[2], *one[2];
    CHECK(ty_dataset_get_all(set, 2, all), "%s: %s", name, ty_error(all[0]));
    for (int64_t i = 0; i < ty_dataset_size(set); i++) {
        CHECK(ty_dataset_get(set, i, 2, one), "%s: example %d", name, (int)i);
        for (int k = 0; k < 2; k++) check_same(ty_squeeze(ty_slice(all[k], 0, i, i + 1, 1), 0), one[k], name);
    }
}

static void everything(void) {
    const char *folder = scratch_folder();
    ty_tensor *x = rows(5, 3), *y = ty_iota(TY_I64, TY_SHAPE(5), 0), *out[2];
    ty_dataset *set = well(ty_dataset_arrays(2, (ty_tensor *[]){ty_flip(x, 1), y}, NULL)),
               *digits = well(ty_dataset_digits(1, 7, 4));
    check_all(set, "arrays");
    check_all(well(ty_dataset_subset(set, 3, (int64_t[]){4, 0, 4})), "a subset");
    check_all(digits, "digits");
    check_all(well(ty_dataset_concat(2, (ty_dataset *[]){digits, digits})), "joined digits");
    CHECK(ty_dataset_get_all(set, 1, out) && ty_size(out[0]) == 15, "the first field alone");
    CHECK(!ty_dataset_get_all(set, 3, (ty_tensor *[3]){0}) && !ty_dataset_get_all(set, 0, out),
          "3 of 2 fields");
    CHECK(!ty_dataset_get_all(NULL, 2, out), "of nothing");
    CHECK_POISON(out[1], "the data set is NULL");
    CHECK(mkdir(scratch_path(folder, "a"), 0700) == 0, "no folder");
    file(scratch_path(folder, "a"), "1.pgm", "P5 1 1 255\n\x0a", 12);
    file(scratch_path(folder, "a"), "2.pgm", "P5 2 1 255\n\x0a\x0b", 13);
    ty_dataset *uneven = well(ty_dataset_folder(folder, (ty_folder_options){.channels = 1}));
    CHECK(!ty_dataset_get_all(uneven, 2, out), "images of two sizes");
    CHECK_POISON(out[0], "is u8[1,1,1] in the first example but u8[1,2,1] in number 1");
    CHECK_POISON(out[1], "is u8[1,1,1] in the first example");
}

/* ---- the caller's own datasets ---- */

static int ended;
static ty_scope *around;
static void end_source(void *context) { (void)context, ended++; }
static bool give(void *context, int64_t index, ty_tensor **out) {
    int way = *(int *)context;
    if (way == 1) return false;
    if (way == 4) ty_open();
    if (way == 7) ty_close(around);
    out[0] = way == 2   ? ty_poison("no bytes")
             : way == 3 ? ty_zeros(TY_F32, TY_SHAPE(2, 2))
             : way == 5 ? ty_lazy(ty_full(TY_F32, TY_SHAPE(2), (double)index))
             : way == 6 ? NULL
                        : ty_full(TY_F32, TY_SHAPE(2), (double)index);
    return true;
}

static void sources(void) {
    static const int64_t shape[] = {2};
    const ty_field field = {"x", TY_F32, 1, shape};
    static const char *const words[] = {NULL, "get failed", "no bytes", "field \"x\" is f32[2,2], not f32[2]",
                                        NULL, NULL,         "NULL",     "scope"};
    ty_tensor *out;
    for (int way = 0; way < 8; way++) {
        struct test_round round = test_round();
        ended = 0;
        ty_data_source source = {
            .context = &way, .size = 4, .nfields = 1, .fields = &field, .get = give, .done = end_source};
        ty_dataset *set = hold(ty_dataset_source(source));
        around = ty_open();
        bool ok = ty_dataset_get(set, 3, 1, &out);
        if (!words[way]) CHECK_OK(out);
        CHECK(ok == !words[way], "way %d", way);
        if (words[way]) CHECK_POISON(out, words[way]);
        if (words[way]) CHECK_POISON(out, "data: example 3");
        ty_close(around);
        end_held(NULL);
        CHECK(ended == 1, "ended %d times", ended);
        test_round_end(round);
    }
    refused(ty_dataset_source((ty_data_source){0}), "function get is NULL");
    refused(ty_dataset_source((ty_data_source){.get = give, .nfields = 1}),
            "dataset_source: the array of 1 fields is NULL");
    refused(ty_dataset_source((ty_data_source){.get = give, .size = -1}),
            "dataset_source: the size is -1; expected 0 or more");
}

/* ---- parts ---- */

static void parts(void) {
    ty_tensor *x = rows(10, 1);
    ty_dataset *set = hold(ty_dataset_arrays(1, &x, NULL)), *split[3], *both;
    ty_dataset *few = well(ty_dataset_subset(set, 3, (int64_t[]){7, 0, 7}));
    CHECK(ty_dataset_size(few) == 3 && number(few, 0, 0) == 7 && number(few, 1, 0) == 0, "subset");
    double fractions[] = {0.65, 0.25, 0.1};
    for (int keyed = 0; keyed < 2; keyed++) {
        int seen = 0;
        bool ok = ty_dataset_split(set, 3, fractions, keyed ? ty_key(4) : NULL, split);
        for (int i = 0; i < 3; i++) own(split[i]);
        for (int i = 0; i < 3; i++) CHECK_OK(*ty_dataset_error(split[i]) ? ty_dataset_failure(split[i]) : x);
        CHECK(ok && ty_dataset_size(split[0]) == 7 && ty_dataset_size(split[1]) == 2 &&
                  ty_dataset_size(split[2]) == 1,
              "sizes");
        for (int i = 0; i < 3; i++)
            for (int64_t k = 0; k < ty_dataset_size(split[i]); k++) seen |= 1 << (int)number(split[i], k, 0);
        CHECK(seen == 1023, "not each once: %x", seen);
        CHECK(keyed || number(split[1], 0, 0) == 7, "in order");
    }
    both = well(ty_dataset_concat(2, (ty_dataset *[]){few, split[0]}));
    end_held(NULL); /* derived datasets keep it alive */
    CHECK(ty_dataset_size(both) == 10 && number(both, 2, 0) == 7 &&
              number(both, 3, 0) == number(split[0], 0, 0),
          "concat");
    says(few, 0, "example 7 of the whole");
}

static void parts_refused(void) {
    ty_tensor *x = rows(10, 1), *y[] = {rows(10, 1), rows(10, 1)}, *z = ty_iota(TY_I64, TY_SHAPE(3, 1), 0),
              *bad = ty_poison("no key");
    ty_dataset *set = well(ty_dataset_arrays(1, &x, NULL)), *two = well(ty_dataset_arrays(2, y, NULL)),
               *out[2], *whole = well(ty_dataset_arrays(1, &z, NULL));
    refused(ty_dataset_subset(set, 1, (int64_t[]){10}),
            "dataset_subset: index 0 is 10, out of bounds for a set of 10 examples");
    refused(ty_dataset_subset(set, -1, NULL), "-1 indices");
    refused(ty_dataset_subset(NULL, 0, NULL), "the data set is NULL");
    refused(ty_dataset_concat(2, (ty_dataset *[]){set, two}), "set 1 has 2 fields; the first set has 1");
    refused(ty_dataset_concat(2, (ty_dataset *[]){set, whole}),
            "field 0 of set 1 is i64 of 1 axes, but f32 of 1");
    refused(ty_dataset_concat(1, (ty_dataset *[]){NULL}), "the data set is NULL");
    const struct {
        double fractions[2];
        ty_tensor *key;
        const char *words;
    } cases[] = {{{0.6, 0.6}, NULL, "add up to 1.2"},
                 {{-1, 0.5}, NULL, "fraction 0 is -1"},
                 {{0.5, 0.5}, bad, "no key"}};
    for (int i = 0; i < 3; i++) {
        CHECK(!ty_dataset_split(set, 2, cases[i].fractions, cases[i].key, out), "case %d", i);
        for (int k = 0; k < 2; k++) own(out[k]);
        for (int k = 0; k < 2; k++) CHECK_POISON(ty_dataset_failure(out[k]), cases[i].words);
    }
    CHECK(!ty_dataset_get(NULL, 0, 1, &x), "of nothing");
    CHECK_POISON(x, "the data set is NULL");
}

TESTS_MAIN(TEST(arrays), TEST(arrays_refused), TEST(files_of_arrays), TEST(csv), TEST(cifar), TEST(text),
           TEST(characters), TEST(folders), TEST(folders_refused), TEST(everything), TEST(sources),
           TEST(parts), TEST(parts_refused))
