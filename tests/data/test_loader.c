/* Batches have the same bits for any number of threads and any order of work; errors, positions, early
   ends, forks. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <tyto/data.h>
#include <unistd.h>
#include "tests/support/child.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"

static void end_set(void *set) { ty_dataset_free(set); }
static void end_loader(void *loader) { ty_loader_free(loader); }
static ty_dataset *own(ty_dataset *set) { return test_own(set, end_set); }
static ty_loader *load(ty_dataset *set, ty_loader_options options) {
    ty_loader *loader = test_own(ty_loader_new(set, options), end_loader);
    if (*ty_loader_error(loader)) CHECK_OK(ty_loader_failure(loader));
    return loader;
}
static void refused(ty_dataset *set, ty_loader_options options, const char *words) {
    ty_loader *loader = test_own(ty_loader_new(set, options), end_loader);
    CHECK_POISON(ty_loader_failure(loader), words);
    CHECK(ty_loader_batches(loader) == 0 && ty_loader_threads(loader) == 0, "has batches");
    ty_tensor *out[2];
    CHECK(!ty_loader_next(loader, 1, out), "a batch of nothing");
    CHECK_POISON(out[0], words);
}

static ty_dataset *numbers(int64_t n) {
    ty_tensor *x = ty_iota(TY_F32, 1, &n, 0);
    return own(ty_dataset_arrays(1, &x, NULL));
}

/* ---- order and size of batches ---- */

/* The examples of an epoch and the sizes of its batches. */
struct epoch {
    int batches, sizes[64], seen[64], order[64], examples;
};

static void run_epoch(ty_loader *loader, struct epoch *e) {
    ty_tensor *x;
    *e = (struct epoch){0};
    while (ty_loader_next(loader, 1, &x)) {
        float at[64];
        CHECK_OK(x);
        CHECK(ty_rank(x) == 1 && ty_read(x, TY_F32, at), "rank %d", ty_rank(x));
        e->sizes[e->batches++] = (int)ty_size(x);
        for (int i = 0; i < (int)ty_size(x); i++) e->seen[(int)at[i]]++, e->order[e->examples++] = (int)at[i];
    }
    CHECK_POISON(x, test_starving() ? "" : "the epoch is over");
}

static void orders(void) {
    static const struct {
        ty_loader_options options;
        int n, batches, first, last, examples;
    } rows[] = {
        {{.batch = 4}, 10, 3, 4, 2, 10},
        {{.batch = 4, .drop_last = true}, 10, 2, 4, 4, 8},
        {{.batch = 5}, 10, 2, 5, 5, 10},
        {{.batch = 1}, 10, 10, 1, 1, 10},
        {{.batch = TY_ALL_EXAMPLES}, 10, 1, 10, 10, 10},
        {{.batch = 99}, 10, 1, 10, 10, 10},
        {{0}, 40, 2, 32, 8, 40},
        {{.batch = 4, .order = TY_IN_ORDER}, 10, 3, 4, 2, 10},
        {{.batch = 4, .order = TY_SAMPLED}, 10, 3, 4, 2, 10},
        {{.batch = 4, .order = TY_SAMPLED, .samples = 30}, 10, 8, 4, 2, 30},
        {{.batch = 3}, 1, 1, 1, 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int threads = -1; threads < 3; threads += 1 + (threads == -1)) {
            struct test_round round = test_round();
            ty_loader_options o = rows[i].options;
            struct epoch e, f;
            o.threads = threads;
            o.seed = 5;
            ty_loader *loader = load(numbers(rows[i].n), o);
            CHECK(ty_loader_fields(loader) == 1, "%d fields", ty_loader_fields(loader));
            CHECK(ty_loader_batches(loader) == rows[i].batches, "row %d has %d", (int)i,
                  (int)ty_loader_batches(loader));
            run_epoch(loader, &e);
            run_epoch(loader, &f);
            CHECK(e.batches == rows[i].batches && f.batches == e.batches, "row %d: %d batches", (int)i,
                  e.batches);
            CHECK(e.sizes[0] == rows[i].first && e.sizes[e.batches - 1] == rows[i].last, "row %d: sizes",
                  (int)i);
            CHECK(e.examples == rows[i].examples, "row %d: %d examples", (int)i, e.examples);
            int twice = 0, sorted = 1;
            for (int k = 0; k < rows[i].n; k++) twice += e.seen[k] > 1;
            for (int k = 0; k < e.examples; k++) sorted = sorted && e.order[k] == k;
            CHECK(o.order == TY_SAMPLED || !twice, "row %d: an example comes twice", (int)i);
            CHECK(sorted == (o.order == TY_IN_ORDER || rows[i].n == 1), "row %d: in order", (int)i);
            bool same = !memcmp(e.order, f.order, sizeof e.order);
            CHECK(same == (o.order == TY_IN_ORDER || rows[i].n == 1), "row %d: epochs", (int)i);
            test_round_end(round);
        }
}

/* ---- the same bits ---- */

static const ty_image_step steps[] = {{.apply = ty_step_random_crop, .size = {24, 24}, .pad = 2},
                                      {.apply = ty_step_flip},
                                      {.apply = ty_step_affine, .degrees = 10},
                                      {.apply = ty_step_normalise, .mean = {0.2}, .deviation = {0.4}}};
enum { STEPS = sizeof steps / sizeof *steps };

/* Return a hash of the bits and order of `many` batches; stores the position before the last one in
   *before_last unless NULL. */
static uint64_t hash_batches(ty_loader *loader, int many, ty_data_place *before_last) {
    uint64_t h = 14695981039346656037u;
    ty_tensor *out[2];
    for (int i = 0; i < many; i++) {
        struct test_round round = test_round();
        if (before_last && i == many - 1) *before_last = ty_loader_tell(loader);
        if (ty_loader_next(loader, 2, out))
            for (int k = 0; k < 2; k++) {
                const uint8_t *bytes = (CHECK_OK(out[k]), ty_data(out[k]));
                size_t n = (size_t)ty_size(out[k]) * ty_dtype_size(ty_dtype_of(out[k]));
                for (size_t b = 0; b < n; b++) h = (h ^ bytes[b]) * 1099511628211u;
            }
        else
            h = h * 31 + 7;
        test_round_end(round);
    }
    return h;
}

static void same_bits(void) {
    ty_dataset *set = own(ty_dataset_digits(3, 0, 50));
    uint64_t want = 0;
    int many = test_some(23, 23, 5);
    for (int threads = -1; threads <= 3; threads += 1 + (threads == -1))
        for (int prefetch = 1; prefetch <= 5; prefetch += 2) {
            ty_loader_options o = {.batch = 7,
                                   .seed = 11,
                                   .threads = threads,
                                   .prefetch = prefetch,
                                   .steps = steps,
                                   .nsteps = STEPS};
            ty_loader *loader = load(set, o);
            uint64_t got = hash_batches(loader, many, NULL);
            if (!want) want = got;
            CHECK(got == want, "%d threads, %d ahead: other bits", threads, prefetch);
        }
    uint64_t other = hash_batches(
        load(set, (ty_loader_options){.batch = 7, .seed = 12, .steps = steps, .nsteps = STEPS}), many, NULL);
    CHECK(other != want, "another seed, the same bits");
}

static void resumed(void) {
    ty_dataset *set = own(ty_dataset_digits(3, 0, 20));
    for (int threads = -1; threads <= 2; threads += 3)
        for (int many = 1; many < test_some(14, 14, 3); many++) {
            struct test_round round = test_round();
            ty_loader_options o = {
                .batch = 7, .seed = 11, .threads = threads, .steps = steps, .nsteps = STEPS};
            ty_data_place place, back;
            ty_loader *first = load(set, o);
            hash_batches(first, many, &place);
            uint64_t rest = hash_batches(first, 6, NULL);
            o.seed = 99;
            ty_loader *second = load(set, o);
            hash_batches(second, many % 5, NULL);
            CHECK(ty_loader_seek(second, place, NULL), "no such place");
            back = ty_loader_tell(second);
            CHECK(back.seed == 11 && back.epoch == place.epoch && back.batch == place.batch, "elsewhere");
            hash_batches(second, 1, NULL);
            CHECK(hash_batches(second, 6, NULL) == rest, "after %d: other bits", many);
            test_round_end(round);
        }
    ty_loader *loader = load(set, (ty_loader_options){.batch = 7});
    ty_tensor *why[4] = {0};
    CHECK(!ty_loader_seek(loader, (ty_data_place){0, -1, 0}, &why[0]) &&
              !ty_loader_seek(loader, (ty_data_place){0, 0, 4}, &why[1]) &&
              !ty_loader_seek(loader, (ty_data_place){0, INT64_MAX, 0}, &why[2]) &&
              !ty_loader_seek(NULL, (ty_data_place){0}, &why[3]),
          "a place that there is not");
    CHECK_POISON(why[0], "epoch -1 is out of range");
    CHECK_POISON(why[1], "batch 4 is out of bounds; expected 0..");
    CHECK_POISON(why[2], "is out of range");
    CHECK_POISON(why[3], "the loader is NULL");
}

/* Steps of an image apply to its mask, too. */
static void masks(void) {
    static const ty_image_step of_image[] = {{.apply = ty_step_random_crop, .size = {24, 24}, .pad = 2},
                                             {.apply = ty_step_flip},
                                             {.apply = ty_step_float}};
    static const ty_image_step turn = {.apply = ty_step_affine, .degrees = 40, .nearest = true};
    ty_tensor *x = ty_randint(TY_U8, TY_SHAPE(12, 28, 28, 1), ty_int(0), ty_int(256), ty_key(1)),
              *fields[] = {x, x}, *out[2];
    ty_dataset *set = own(ty_dataset_arrays(2, fields, NULL));
    ty_loader *loader = load(set, (ty_loader_options){.batch = 4,
                                                      .threads = 1,
                                                      .steps = of_image,
                                                      .nsteps = 3,
                                                      .target_steps = of_image,
                                                      .ntarget_steps = 2});
    while (ty_loader_next(loader, 2, out)) {
        CHECK_OK(out[0]);
        CHECK(ty_dtype_of(out[1]) == TY_U8 && ty_shape(out[1])[1] == 24, "another mask");
        ty_tensor *same = ty_array_equal(out[0], ty_div(ty_cast(out[1], TY_F32), ty_num(255)), false);
        CHECK(ty_item(CHECK_OK(same)) == 1, "the mask was cut elsewhere");
    }
    loader = load(set, (ty_loader_options){.threads = -1, .target_steps = &turn, .ntarget_steps = 1});
    CHECK(ty_loader_next(loader, 2, out), "no batch");
    CHECK_OK(out[1]);
    CHECK(ty_dtype_of(out[1]) == TY_U8 && ty_item(ty_any(ty_ne(out[0], out[1]), TY_ALL)) == 1, "not turned");
    refused(numbers(3), (ty_loader_options){.target_steps = &turn, .ntarget_steps = 1},
            "the set has one field");
}

/* ---- errors ---- */

static atomic_int calls;
static bool give(void *context, int64_t index, ty_tensor **out) {
    int way = *(int *)context;
    atomic_fetch_add(&calls, 1);
    if (way == 1 && (index == 5 || index == 3)) return false;
    out[0] = ty_full(TY_F32, TY_SHAPE(way == 2 && index >= 2 ? index : 2), (double)index);
    if (way == 3) nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    return true;
}
static ty_dataset *source(int *way, int64_t size) {
    static const int64_t shape[] = {-1};
    static const ty_field field = {"x", TY_F32, 1, shape};
    return own(ty_dataset_source(
        (ty_data_source){.context = way, .size = size, .nfields = 1, .fields = &field, .get = give}));
}

static void failing_examples(void) {
    static int bad = 1, uneven = 2;
    ty_tensor *x;
    for (int threads = -1; threads <= 2; threads += 3) {
        ty_loader *loader =
            load(source(&bad, 9), (ty_loader_options){.batch = 3, .order = TY_IN_ORDER, .threads = threads});
        CHECK(ty_loader_next(loader, 1, &x), "no batch");
        CHECK_OK(x);
        CHECK(ty_loader_next(loader, 1, &x), "no batch");
        CHECK_POISON(x, "data: example 3: the data source's get failed");
        CHECK(ty_loader_next(loader, 1, &x), "no batch");
        CHECK_OK(x);
        CHECK(ty_item(ty_amax(x, TY_ALL)) == 8, "the batch after it");
        loader = load(source(&uneven, 9),
                      (ty_loader_options){.batch = 5, .order = TY_IN_ORDER, .threads = threads});
        CHECK(ty_loader_next(loader, 1, &x), "no batch");
        CHECK_POISON(x, "field \"x\" of a batch is f32[2] in the first example but f32[3] in number 3");
    }
}

static void files_that_fail(void) {
    const char *folder = scratch_folder(), *a = scratch_path(folder, "a");
    ty_tensor *out[2];
    CHECK(mkdir(a, 0700) == 0, "no folder");
    write_file(scratch_path(a, "1.pgm"), "P5 2 1 255\n\x07\xc8", 13);
    write_file(scratch_path(a, "2.pgm"), "P5 2 1 255\n\x07", 12);
    ty_dataset *set = own(ty_dataset_folder(folder, (ty_folder_options){.channels = 1}));
    ty_loader *loader = load(set, (ty_loader_options){.batch = 2, .threads = 1});
    CHECK(ty_loader_next(loader, 2, out), "no batch");
    CHECK_POISON(out[0], "/a/2.pgm");
    CHECK_POISON(out[1], "is truncated");
    ty_image_step large = {.apply = ty_step_crop, .size = {2, 2}};
    loader = load(set, (ty_loader_options){
                           .order = TY_IN_ORDER, .batch = 1, .threads = 1, .steps = &large, .nsteps = 1});
    CHECK(ty_loader_next(loader, 2, out), "no batch");
    CHECK_POISON(out[0], "1.pgm): step_crop: a crop of 2 x 2 does not fit an image of 1 x 2");
}

static void refusals(void) {
    ty_dataset *set = numbers(10);
    int way = 0;
    ty_image_step none = {.apply = NULL};
    refused(set, (ty_loader_options){.batch = -2},
            "loader: batches of -2 from 10 examples; expected 1 or more of each");
    refused(set, (ty_loader_options){.batch = 11, .drop_last = true},
            "loader: batches of 11 from 10 examples without the last partial one (drop_last) leave no batch");
    refused(set, (ty_loader_options){.order = (ty_order)7}, "unknown order 7");
    refused(set, (ty_loader_options){.order = TY_SAMPLED, .samples = -1},
            "loader: batches of 32 from -1 examples; expected 1 or more of each");
    refused(set, (ty_loader_options){.threads = -2}, "-2 threads");
    refused(set, (ty_loader_options){.prefetch = -1}, "-1 batches ahead");
    refused(set, (ty_loader_options){.nsteps = 1}, "1 steps, NULL");
    refused(set, (ty_loader_options){.nsteps = 1, .steps = &none}, "step 0 has no function");
    refused(source(&way, 0), (ty_loader_options){0}, "has no examples");
    refused(NULL, (ty_loader_options){0}, "the data set is NULL");
    ty_tensor *out[2];
    CHECK(!ty_loader_next(load(set, (ty_loader_options){0}), 2, out), "two fields of one");
    CHECK_POISON(out[1], "2 fields were requested; the set has 1");
    CHECK(!ty_loader_next(NULL, 1, out), "of nothing");
    CHECK_POISON(out[0], "the loader is NULL");
}

/* ---- threads ---- */

/* No more examples are prefetched than requested. */
static void bounded(void) {
    static int way = 3;
    ty_tensor *x;
    atomic_store(&calls, 0);
    ty_loader *loader =
        load(source(&way, 1000), (ty_loader_options){.batch = 2, .threads = 2, .prefetch = 3});
    if (!ty_loader_threads(loader)) return;
    CHECK(ty_loader_next(loader, 1, &x), "no batch");
    CHECK_OK(x);
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    CHECK(atomic_load(&calls) == 8, "%d examples were made for 1 batch and 3 ahead, of 2",
          atomic_load(&calls));
}

static void ends_at_any_time(void) {
    static int slow = 3;
    ty_tensor *x;
    for (int i = 0; i < test_some(40, 20, 4); i++) {
        struct test_round round = test_round();
        ty_loader *loader = load(source(&slow, 100),
                                 (ty_loader_options){.batch = 4, .threads = i % 4, .prefetch = 1 + i % 3});
        for (int k = 0; k < i % 3; k++) CHECK(ty_loader_next(loader, 1, &x), "no batch");
        if (i % 5 == 4) CHECK(ty_loader_seek(loader, (ty_data_place){1, 3, 2}, NULL), "no such place");
        test_round_end(round);
    }
}

/* Loaders work while the library's own threads are busy. */
static void beside_other_work(void) {
    ty_dataset *set = own(ty_dataset_digits(3, 0, 64));
    ty_loader *loader =
        load(set, (ty_loader_options){.batch = 16, .threads = 2, .steps = steps, .nsteps = STEPS});
    ty_tensor *out[2];
    for (int i = 0; i < test_some(12, 6, 2); i++) {
        struct test_round round = test_round();
        if (ty_loader_next(loader, 2, out)) {
            CHECK_OK(out[0]);
            ty_tensor *flat = ty_reshape(out[0], TY_SHAPE(ty_shape(out[0])[0], 576));
            CHECK_OK(ty_matmul(flat, ty_permute(flat, NULL)));
        }
        test_round_end(round);
    }
}

/* A child of fork continues at the parent's position, without threads. */
static void forks(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return; /* GCC 12's sanitizers hold allocator locks across a fork */
#endif
    if (test_starving()) return;
    ty_dataset *set = own(ty_dataset_digits(3, 0, 60));
    ty_loader_options o = {
        .batch = 5, .seed = 3, .threads = 2, .prefetch = 3, .steps = steps, .nsteps = STEPS};
    uint64_t want = hash_batches(load(set, o), 20, NULL);
    fflush(NULL);
    for (int i = 0; i < test_some(30, 10, 0); i++) {
        struct test_round round = test_round();
        ty_loader *loader = load(set, o);
        pid_t id = fork();
        if (id == 0) {
            alarm(20);
            bool well = hash_batches(loader, 20, NULL) == want && ty_loader_threads(loader) == 0;
            ty_loader_free(loader);
            _exit(well ? 0 : 1);
        }
        int status = child_status(id);
        CHECK(status == 0, "fork %d: the child ends with %x", i, (unsigned)status);
        CHECK(hash_batches(loader, 20, NULL) == want, "fork %d: the parent has other bits", i);
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(orders), TEST(same_bits), TEST(resumed), TEST(masks), TEST(failing_examples),
           TEST(files_that_fail), TEST(refusals), TEST(bounded), TEST(ends_at_any_time),
           TEST(beside_other_work), TEST(forks))
