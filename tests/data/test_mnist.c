/* MNIST's folder: valid files, plain and compressed, and all errors. */
#include <string.h>
#include <tyto/data.h>
#include <tyto/tyto.h>
#include "tests/support/files.h"
#include "tests/support/harness.h"

static void end_set(void *set) { ty_dataset_free(set); }
static ty_dataset *own(ty_dataset *set) { return test_own(set, end_set); }
static void refused(ty_dataset *set, const char *words) { CHECK_POISON(ty_dataset_failure(own(set)), words); }

/* Sizes and labels of the files of a training set. */
struct set {
    const char *folder;
    int64_t images[3], labels[2];
    int rank_images, rank_labels;
    uint8_t label[4];
};

/* Return true if this build reads gzip files. */
static bool reads_gzip(void) {
    size_t n;
    uint8_t *bytes = make_gzip("1\n", 2, &n);
    return !strstr(ty_error(parse_first(bytes, n, (ty_file_options){.format = "csv"})), "without zlib");
}

static void write_part(const char *folder, const char *name, ty_tensor *x, bool packed) {
    size_t n;
    uint8_t *bytes = write_one(x, (ty_file_options){.format = "idx"}, &n);
    if (packed) bytes = make_gzip(bytes, n, &n);
    write_file(scratch_path(folder, name), bytes, n);
}

static void write_set(const struct set *s, bool packed) {
    size_t pixels = 1;
    for (int i = 0; i < s->rank_images; i++) pixels *= (size_t)s->images[i];
    uint8_t *ink = test_room(pixels + 1);
    for (size_t i = 0; i < pixels; i++) ink[i] = (uint8_t)(i * 31);
    ty_tensor *images = ty_from(TY_U8, s->rank_images, s->images, ink),
              *labels = ty_from(TY_U8, s->rank_labels, s->labels, s->label);
    write_part(s->folder, packed ? "train-images-idx3-ubyte.gz" : "train-images-idx3-ubyte", images, packed);
    write_part(s->folder, packed ? "train-labels-idx1-ubyte.gz" : "train-labels-idx1-ubyte", labels, packed);
}

static struct set three_digits(void) {
    return (struct set){scratch_folder(), {3, 28, 28}, {3}, 3, 1, {9, 0, 5}};
}

static void reads_mnist(void) {
    for (int packed = 0; packed < 1 + reads_gzip(); packed++) {
        struct set s = three_digits();
        write_set(&s, packed);
        ty_dataset *set = own(ty_dataset_mnist(s.folder, true));
        CHECK(!*ty_dataset_error(set), "%s", ty_dataset_error(set));
        CHECK(ty_dataset_size(set) == 3 && ty_dataset_classes(set) == 10, "other size");
        CHECK(!strcmp(ty_dataset_field(set, 0)->name, "image") &&
                  !strcmp(ty_dataset_field(set, 1)->name, "label"),
              "other names");
        ty_tensor *all[2], *one[2];
        CHECK(ty_dataset_get_all(set, 2, all) && ty_dataset_get(set, 1, 2, one), "unreadable");
        CHECK(ty_rank(all[0]) == 4 && ty_shape(all[0])[0] == 3 && ty_shape(all[0])[3] == 1, "other shape");
        CHECK(((const uint8_t *)ty_data(all[0]))[28 * 28 + 1] == (uint8_t)(785 * 31), "other pixels");
        CHECK(((const uint8_t *)ty_data(all[1]))[2] == 5, "other labels");
        CHECK(((const uint8_t *)ty_data(one[0]))[1] == (uint8_t)(785 * 31), "other pixels of one");
        CHECK(ty_item(one[1]) == 0, "other label of one");
    }
}

static void check_refused(struct set s, const char *words) {
    write_set(&s, false);
    refused(ty_dataset_mnist(s.folder, true), words);
}

static void refuses_wrong_sets(void) {
    struct set s = three_digits();
    s.label[1] = 10;
    check_refused(s, "label 1 is 10; labels are 0 to 9");
    s = three_digits();
    s.label[2] = 200;
    check_refused(s, "label 2 is 200; labels are 0 to 9");
    s = three_digits();
    s.labels[0] = 2;
    check_refused(s, "3 train images but 2 labels");
    s = three_digits();
    s.rank_images = 2;
    check_refused(s, "images are u8[3,28], not u8 of 3 axes");
    s = three_digits();
    s.rank_labels = 2;
    s.labels[1] = 1;
    check_refused(s, "labels are u8[3,1], not u8 of 1 axes");
    s = three_digits();
    s.images[2] = 27;
    check_refused(s, "28 x 27 pixels");
    s = three_digits();
    s.images[0] = s.labels[0] = 0;
    check_refused(s, "is empty");
}

static void tells_what_is_missing(void) {
    struct set s = three_digits();
    refused(ty_dataset_mnist(NULL, true), "the directory is NULL");
    refused(ty_dataset_mnist(s.folder, true), "has neither train-images-idx3-ubyte nor");
    write_set(&s, false);
    refused(ty_dataset_mnist(s.folder, false), "t10k-images-idx3-ubyte");
}

TESTS_MAIN(TEST(reads_mnist), TEST(refuses_wrong_sets), TEST(tells_what_is_missing))
