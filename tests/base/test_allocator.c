/* The caller's allocator: all memory of the library comes from it and goes back, and bad ones are refused. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/expression.h>
#include <tyto/hooks.h>
#include <tyto/io.h>
#include <tyto/nn.h>
#include "base/alloc.h"
#include "tests/support/counting.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"
#include "tests/support/nn_help.h"

/* ---- refusals: before main has called anything else ---- */

static void *none(void *context, size_t bytes, size_t alignment) {
    (void)context, (void)bytes, (void)alignment;
    return NULL;
}
static char odd[256];
static int odd_released;
static void *give_odd(void *context, size_t bytes, size_t alignment) {
    (void)context, (void)bytes;
    return odd + alignment - (uintptr_t)odd % alignment + 8;
}
static void release_odd(void *context, void *memory, size_t bytes) {
    (void)context, (void)memory;
    odd_released += bytes == 64;
}

static bool refuses(const ty_allocator *a, size_t size, const char *words) {
    ty_tensor *error = NULL;
    bool well = !ty_set_allocator_sized(a, size, &error) && error && strstr(ty_error(error), words);
    if (!well) fprintf(stderr, "expected \"%s\", found \"%s\"\n", words, ty_error(error));
    return well && !ty_set_allocator_sized(a, size, NULL);
}

/* Try what is refused; none of it must choose malloc, which would refuse all later ones. */
static bool refusals(void) {
    ty_allocator good = counting_allocator();
    bool well = refuses(&(ty_allocator){NULL, NULL, release_odd}, sizeof good, "allocate is NULL");
    well &= refuses(&(ty_allocator){NULL, give_odd, NULL}, sizeof good, "release is NULL");
    well &= refuses(&good, 2 * sizeof(void *), "release is NULL");
    well &= refuses(&good, 0, "have 0 bytes");
    well &= refuses(&(ty_allocator){NULL, none, release_odd}, sizeof good, "out of memory");
    well &= refuses(&(ty_allocator){NULL, give_odd, release_odd}, sizeof good, "no multiple of 64");
    well &= odd_released == 2 && counting_blocks() == 0;
    well &= ty_set_allocator(NULL, NULL) && ty_set_allocator(&good, NULL) && ty_set_allocator(NULL, NULL);
    struct {
        ty_allocator known;
        void *later[3];
    } larger = {.known = good};
    well &= ty_set_allocator_sized(&larger.known, sizeof larger, NULL); /* of a later version of the header */
    return well && counting_faults() == 0;
}

/* ---- work on the allocator ---- */

static void compute(void) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(300, 300)), *y = ty_add(ty_matmul(x, x), ty_eye(TY_F32, 300));
    CHECK_OK(ty_sort(ty_reshape(y, TY_SHAPE(90000)), 0, true));
    CHECK_OK(ty_fft(y, 300, 1, TY_FFT_BACKWARD));
    CHECK_OK(ty_svd(y, false).s);
    CHECK_OK(ty_eval(ty_softmax(ty_add(ty_lazy(y), x), 1)));
    CHECK_OK(ty_ones(TY_F32, TY_SHAPE(2000, 2000))); /* 16 MB */
}

static void train(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        double losses[3];
        ty_trainer *trainer = nn_small_trainer(lazy, (ty_optimiser){.rule = &ty_adam});
        nn_steps(trainer, 3, losses);
        const char *path = nn_file("allocator.ckpt");
        ty_tensor *error = NULL;
        CHECK(ty_trainer_save(trainer, path, &error), "%s", ty_error(error));
        CHECK(ty_trainer_load(trainer, path, &error), "%s", ty_error(error));
    }
}

static void read_and_write(void) {
    static const char *const formats[] = {"npy", "npz", "safetensors", "csv", "png"};
    ty_tensor *x = ty_cast(ty_arange(TY_I32, 0, 60, 1), TY_U8), *image = ty_reshape(x, TY_SHAPE(4, 5, 3));
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t n;
        bool png = !strcmp(formats[i], "png"), csv = !strcmp(formats[i], "csv");
        ty_file_options options = {.format = formats[i], .deflate = !png && !csv};
        const char *name = "x";
        ty_tensor *image_or_rows = csv ? ty_reshape(x, TY_SHAPE(12, 5)) : image;
        uint8_t *bytes = write_bytes(1, &name, &image_or_rows, options, &n);
        ty_archive *archive = ty_archive_parse(bytes, n, (ty_file_options){.format = formats[i]});
        CHECK_OK(ty_archive_at(own_archive(archive), 0));
    }
    ty_tensor *error = ty_expression("nothing + (", 0, NULL, NULL);
    CHECK(!ty_ok(error), "a syntax error");
}

static void *in_a_thread(void *failed) {
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_ones(TY_F64, TY_SHAPE(200, 200));
    *(bool *)failed = !ty_ok(ty_matmul(x, x));
    ty_close(scope);
    return NULL;
}

static void compute_in_threads(void) {
    pthread_t threads[3];
    bool failed[3] = {false};
    ty_set_threads(3);
    for (int i = 0; i < 3; i++) CHECK(!pthread_create(&threads[i], NULL, in_a_thread, &failed[i]), "thread");
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 3; i++) CHECK(!failed[i] || test_starving(), "thread %d failed", i);
}

/* All memory comes from the allocator, and after ty_trim nothing is left. */
static void balance(void) {
    static void (*const works[])(void) = {compute, train, read_and_write, compute_in_threads};
    ty_trim();
    int64_t blocks = counting_blocks(), bytes = counting_bytes();
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        struct test_round round = test_round();
        works[i]();
        CHECK(counting_blocks() > blocks && counting_bytes() > bytes, "work %d took no memory", (int)i);
        test_round_end(round);
        ty_trim();
        CHECK(counting_blocks() == blocks && counting_bytes() == bytes,
              "work %d left %lld blocks, %lld bytes", (int)i, (long long)(counting_blocks() - blocks),
              (long long)(counting_bytes() - bytes));
    }
    CHECK(counting_faults() == 0, "%lld blocks came back wrong", (long long)counting_faults());
}

/* The library's counters and the allocator's agree on small blocks. */
static void counters(void) {
    int64_t before = mem_bytes(), blocks = counting_blocks();
    char *x = mem_alloc(1000), *y = x ? mem_grow(x, 50, 100) : NULL;
    if (!y) {
        mem_free(x);
        return;
    }
    CHECK(mem_bytes() - before == 5000, "%lld bytes", (long long)(mem_bytes() - before));
    for (int i = 0; i < 1000; i++) CHECK(y[i] == 0, "byte %d is lost by growing", i);
    char *z = mem_grow(y, 10, 1);
    mem_free(z ? z : y);
    CHECK(mem_bytes() == before && counting_blocks() == blocks, "%lld bytes are left",
          (long long)(mem_bytes() - before));
    char *text = ty_info(ty_num(1));
    CHECK(text || test_starving(), "a text");
    ty_free(text);
    CHECK(!mem_alloc(SIZE_MAX) && !mem_alloc(SIZE_MAX - 20) && !mem_data_alloc(SIZE_MAX / 4), "absurd sizes");
}

/* An allocator that has no more memory, or gives misaligned memory, is out of memory. */
static void fails_at(int64_t n, int off, void (*work)(void)) {
    ty_trim();
    int64_t blocks = counting_blocks();
    struct test_round round = test_round();
    counting_misalign(off);
    counting_fail_from(off ? 0 : n);
    work();
    counting_misalign(0);
    counting_fail_from(0);
    test_round_end(round);
    ty_trim();
    CHECK(counting_blocks() == blocks && counting_faults() == 0, "allocation %lld: %lld blocks are left",
          (long long)n, (long long)(counting_blocks() - blocks));
}

static void check_memory_error(ty_tensor *y) {
    CHECK(ty_ok(y) || strstr(ty_error(y), "out of memory"), "\"%s\"", ty_error(y));
}
static void some_work(void) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(100, 100)), *y = ty_matmul(x, x);
    check_memory_error(y);
    check_memory_error(ty_eval(ty_exp(ty_add(ty_lazy(y), x))));
    check_memory_error(ty_expression("sort(x) + 1", 1, (const char *[]){"x"}, &x));
}
static void all_work_fails(void) {
    ty_tensor *y = ty_ones(TY_F32, TY_SHAPE(100, 100));
    CHECK_POISON(y, "out of memory");
}

static void fails(void) {
    if (test_starving()) return;
    for (int64_t n = 1; n < 400; n += 1 + n / 20) fails_at(n, 0, some_work);
    fails_at(1, 0, all_work_fails);
    for (int off = 1; off < 64; off += off) fails_at(1, off, some_work);
    fails_at(1, 8, all_work_fails);
    fails_at(1, 0, some_work);
}

/* While memory is held, another allocator is refused; afterwards it is not. */
static void change(void) {
    ty_allocator same = counting_allocator();
    ty_tensor *error = NULL, *x = ty_ones(TY_F32, TY_SHAPE(10));
    if (!ty_ok(x)) return;
    CHECK(!ty_set_allocator(&same, &error), "memory is held");
    CHECK_POISON(error, "holds memory already");
    CHECK(!ty_set_allocator(NULL, NULL), "memory is held");
    CHECK_OK(ty_add(x, x));
}

static const struct test_case cases[] = {TEST(balance), TEST(counters), TEST(fails), TEST(change)};

int main(int argc, char **argv) {
    ty_allocator allocator = counting_allocator();
    ty_tensor *error = NULL;
    if (!refusals()) return 1;
    if (!ty_set_allocator(&allocator, &error)) {
        fprintf(stderr, "%s\n", ty_error(error));
        return 1;
    }
    int status = test_main(argc, argv, (int)(sizeof cases / sizeof *cases), cases);
    ty_trim();
    if (counting_blocks() || counting_faults())
        fprintf(stderr, "at the end %lld blocks are left\n", (long long)counting_blocks());
    if (counting_blocks() || counting_faults() || !ty_set_allocator(NULL, NULL)) return 1;
    return status;
}
