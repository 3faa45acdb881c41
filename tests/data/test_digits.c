/* The built-in digits are always the same, for any range and any number of threads. */
#include <string.h>
#include <tyto/data.h>
#include <tyto/tyto.h>
#include "tests/support/harness.h"

static void end_set(void *set) { ty_dataset_free(set); }
static ty_dataset *own(ty_dataset *set) { return test_own(set, end_set); }

struct digits {
    ty_tensor *images, *labels;
};

static struct digits draw(uint64_t seed, int64_t first, int64_t n) {
    ty_dataset *set = own(ty_dataset_digits(seed, first, n));
    ty_tensor *fields[2];
    bool ok = ty_dataset_get_all(set, 2, fields);
    struct digits d = {fields[0], fields[1]};
    CHECK_OK(d.images);
    CHECK_OK(d.labels);
    CHECK(ok && ty_rank(d.images) == 4 && ty_shape(d.images)[0] == n && ty_shape(d.images)[3] == 1,
          "other shape");
    CHECK(ty_size(d.labels) == n && ty_dtype_of(d.images) == TY_U8 && ty_dtype_of(d.labels) == TY_U8,
          "other form");
    return d;
}

static bool equal(ty_tensor *a, int64_t at, ty_tensor *b, size_t bytes) {
    return memcmp((const char *)ty_data(a) + at, ty_data(b), bytes) == 0;
}

static void sample_depends_on_seed_and_number(void) {
    struct digits all = draw(5, 0, 300), part = draw(5, 117, 100), other = draw(6, 0, 300);
    CHECK(equal(all.images, 117 * 784, part.images, 100 * 784), "images of a range differ");
    CHECK(equal(all.labels, 117, part.labels, 100), "labels of a range differ");
    CHECK(!equal(all.images, 0, other.images, 300 * 784), "another seed draws the same");
}

static void same_for_any_threads(void) {
    static const int threads[] = {2, 3, 8};
    ty_set_threads(1);
    struct digits one = draw(9, 1000, 500);
    for (int i = 0; i < 3; i++) {
        ty_set_threads(threads[i]);
        struct digits many = draw(9, 1000, 500);
        CHECK(equal(one.images, 0, many.images, 500 * 784), "%d threads draw other images", threads[i]);
        CHECK(equal(one.labels, 0, many.labels, 500), "%d threads draw other labels", threads[i]);
    }
}

/* The first 200 samples never change, so that published results stay valid: FNV-1a hash. */
static void same_for_ever(void) {
    struct digits d = draw(1, 0, 200);
    uint64_t hash = 14695981039346656037u;
    const uint8_t *pixels = ty_data(d.images), *labels = ty_data(d.labels);
    for (int i = 0; i < 200 * 784; i++) hash = (hash ^ pixels[i]) * 1099511628211u;
    for (int i = 0; i < 200; i++) hash = (hash ^ labels[i]) * 1099511628211u;
    CHECK(hash == 0xd2e150138b62b40c, "the set has changed: its hash is %016llx", (unsigned long long)hash);
}

static void classes_and_ink(void) {
    enum { N = 5000 };
    struct digits d = draw(1, 0, N);
    int counts[10] = {0};
    const uint8_t *labels = ty_data(d.labels);
    for (int i = 0; i < N; i++) {
        CHECK(labels[i] < 10, "label %d", labels[i]);
        counts[labels[i]]++;
    }
    for (int i = 0; i < 10; i++)
        CHECK(counts[i] > N / 10 - 110 && counts[i] < N / 10 + 110, "%d of %d", counts[i], i);
    double mean = ty_item(ty_mean(ty_cast(d.images, TY_F64), TY_ALL));
    CHECK(mean > 15 && mean < 50, "mean ink is %g", mean);
}

static void one_by_one(void) {
    struct digits all = draw(5, 3, 2);
    ty_tensor *one[2];
    ty_dataset *set = own(ty_dataset_digits(5, 3, 2));
    bool ok = ty_dataset_get(set, 1, 2, one), named = ty_dataset_classes(set) == 10;
    named = named && !strcmp(ty_dataset_class(set, 7), "7");
    CHECK_OK(one[0]);
    CHECK_OK(one[1]);
    CHECK(ok && equal(all.images, 784, one[0], 784) && equal(all.labels, 1, one[1], 1), "other digits");
    CHECK(named, "other names");
}

static void wrong_ranges(void) {
    static const int64_t ranges[][2] = {{-1, 5}, {0, -1}, {0, 0}, {INT64_MAX, 1}, {1, INT64_MAX}};
    for (int i = 0; i < 5; i++) {
        ty_dataset *set = own(ty_dataset_digits(1, ranges[i][0], ranges[i][1]));
        ty_tensor *fields[2];
        CHECK_POISON(ty_dataset_failure(set), "expected 1 or more from index 0 or more");
        CHECK(!ty_dataset_get_all(set, 2, fields), "range %d is well", i);
        CHECK_POISON(fields[0], "expected 1 or more from index 0 or more");
        CHECK_POISON(fields[1], "expected 1 or more from index 0 or more");
    }
    ty_dataset *endless = own(ty_dataset_digits(1, 0, INT64_MAX));
    ty_tensor *images;
    CHECK(!*ty_dataset_error(endless), "%s", ty_dataset_error(endless));
    CHECK(!ty_dataset_get_all(endless, 1, &images), "all of an endless set");
    CHECK_POISON(images, "do not fit into memory");
}

TESTS_MAIN(TEST(sample_depends_on_seed_and_number), TEST(same_for_any_threads), TEST(same_for_ever),
           TEST(classes_and_ink), TEST(one_by_one), TEST(wrong_ranges))
