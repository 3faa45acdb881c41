/* No kernel is prepared twice: equal kernels share their engine's preparation, in programs and eager
   calls. */
#include <pthread.h>
#include <string.h>
#include "compile/demand/cache.h"
#include "compile/program.h"
#include "ops/core/kernel/prepared.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

enum { SIZE = 24 };

static ty_tensor *matrix(double from) {
    return ty_reshape(ty_steps(TY_F32, from, 0.01, SIZE * SIZE), TY_SHAPE(SIZE, SIZE));
}

static ty_program *compile(int n, ty_tensor **y) {
    ty_program *p = test_program(ty_compile(n, y, (ty_compile_options){0}));
    if (*ty_program_error(p)) CHECK_OK(ty_program_failure(p));
    return p;
}

/* Return the number of kernels prepared since *since, and advance it. */
static int64_t prepared(int64_t *since) {
    int64_t now = prepared_made(), n = now - *since;
    *since = now;
    return n;
}

static void in_a_program_and_between(void) {
    ty_trim();
    ty_tensor *x = ty_var(matrix(0), "x"), *y = x;
    int64_t since = prepared_made();
    for (int i = 0; i < 10; i++) y = ty_matmul(y, x);
    ty_program *p = compile(1, &y), *q;
    CHECK(prepared(&since) == 1, "10 equal products were prepared more than once");
    CHECK(p->flow.kernels[3].shared == p->flow.kernels[8].shared, "and are not shared");
    ty_tensor *z = ty_tanh(ty_matmul(x, x));
    z = ty_matmul(ty_sum(z, ty_axis(0)), ty_matmul(x, z));
    q = compile(1, &z);
    int64_t n = prepared(&since);
    CHECK(n < test_report(q).kernels || test_starving(), "another program prepares all %lld again",
          (long long)n);
    CHECK(compile(1, &z) != q && prepared(&since) == 0, "the same program prepares again");
    if (!ty_run(p) || !ty_run(q)) return;
    compare_bits(ty_output(p, 0), ty_eval(y), "the first program");
    compare_bits(ty_output(q, 0), ty_eval(z), "the second program");
}

static void with_eager_calls(void) {
    ty_trim();
    ty_tensor *a = matrix(0), *b = matrix(1), *x = ty_var(a, "x"), *y = ty_matmul(x, ty_var(b, "b"));
    ty_tensor *want = ty_matmul(a, b);
    CHECK_OK(want);
    int64_t since = prepared_made();
    ty_program *p = compile(1, &y);
    CHECK(prepared(&since) == 0 || test_starving(), "a product of values is prepared again for a program");
    ty_use_engine("ref");
    compile(1, &y);
    CHECK(prepared(&since) == 1, "two engines share");
    ty_use_engine("cpu");
    if (ty_run(p)) compare_bits(ty_output(p, 0), want, "the program");
}

/* Offsets of operands do not matter. */
static void at_any_offset(void) {
    ty_trim();
    ty_tensor *values = ty_reshape(ty_steps(TY_F32, 0, 0.01, 8 * SIZE * SIZE), TY_SHAPE(8, SIZE, SIZE));
    ty_tensor *x = ty_var(values, "x"), *y[4];
    int64_t since = prepared_made();
    for (int i = 0; i < 4; i++)
        y[i] = ty_matmul(ty_gather(x, ty_int(2 * i), 0), ty_flip(ty_gather(x, ty_int(i), 0), 1));
    ty_program *p = compile(4, y);
    int64_t n = prepared(&since);
    CHECK(test_report(p).kernels <= 12 && n <= 4, "%lld of %lld kernels", (long long)n,
          (long long)test_report(p).kernels);
    if (!ty_run(p)) return;
    for (int i = 0; i < 4; i++)
        compare_bits(
            ty_output(p, i),
            ty_matmul(ty_gather(values, ty_int(2 * i), 0), ty_flip(ty_gather(values, ty_int(i), 0), 1)),
            "product %d", i);
}

/* Constants are packed once for all kernels that read them alike. */
static void constants_are_kept_once(void) {
    enum { N = 200 };
    ty_tensor *w = ty_mul(ty_normal(TY_F32, TY_SHAPE(N, N), ty_key(1)), ty_num(0.1)),
              *v = ty_add(w, ty_num(0.1));
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(N, N)), "x"), *once = ty_matmul(x, w), *y = x, *z = x;
    for (int i = 0; i < 5; i++) y = ty_matmul(y, w), z = ty_matmul(z, i % 2 ? w : v);
    int64_t of_one = test_report(compile(1, &once)).kept_bytes;
    ty_program *p = compile(1, &y), *q = compile(1, &z);
    CHECK(of_one > 0 && test_report(p).kept_bytes == of_one, "%lld bytes instead of %lld",
          (long long)test_report(p).kept_bytes, (long long)of_one);
    CHECK(test_report(q).kept_bytes == 2 * of_one, "%lld bytes of two matrices",
          (long long)test_report(q).kept_bytes);
    for (int i = 0; i < 2; i++) {
        if (!ty_run(p) || !ty_run(q)) return;
        ty_tensor *a = ty_ones(TY_F32, TY_SHAPE(N, N)), *b = a;
        for (int k = 0; k < 5; k++) a = ty_matmul(a, w), b = ty_matmul(b, k % 2 ? w : v);
        compare_bits(ty_output(p, 0), a, "one matrix, run %d", i);
        compare_bits(ty_output(q, 0), b, "two matrices, run %d", i);
    }
}

/* Kernels with tables of addresses too large for the stack, and with keys too long for the cache. */
static void many_operands(void) {
    for (int n = 30; n < 700; n += n < 50 ? 3 : 211) {
        struct test_round round = test_round();
        ty_tensor **x = test_room(2 * (size_t)n * sizeof *x), **v = x + n;
        for (int i = 0; i < n; i++) v[i] = ty_var(x[i] = ty_full(TY_F32, TY_SHAPE(2, 3), i), "x");
        ty_tensor *y = ty_concat(n, v, 1), *want = CHECK_OK(ty_concat(n, x, 1));
        ty_program *p = compile(1, &y);
        if (ty_run(p)) compare_bits(ty_output(p, 0), want, "%d operands", n);
        test_round_end(round);
    }
}

/* A smaller last batch: both programs stay cached, despite many others in between. */
static void ragged_batches(void) {
    enum { OTHERS = 150 };
    ty_tensor *w = matrix(0);
    int64_t compiled = 0;
    for (int epoch = 0; epoch < 3; epoch++) {
        struct test_round round = test_round();
        for (int64_t batch = 100; batch > 0; batch -= 93) {
            ty_tensor *x = ty_lazy(ty_ones(TY_F32, TY_SHAPE(batch, SIZE)));
            CHECK_OK(ty_eval(ty_tanh(ty_matmul(x, w))));
        }
        if (epoch == 1) compiled = cache_compiles();
        for (int i = 1; i < OTHERS && epoch < 2; i++)
            CHECK_OK(ty_eval(ty_neg(ty_lazy(ty_ones(TY_F32, TY_SHAPE(i, 1 + epoch))))));
        if (epoch == 1) compiled = cache_compiles();
        test_round_end(round);
    }
    CHECK(cache_compiles() == compiled || test_starving(), "%lld programs were compiled again",
          (long long)(cache_compiles() - compiled));
}

enum { THREADS = 4 };
static void *work(void *context) {
    ty_scope *scope = ty_open();
    const char *wrong = NULL;
    (void)context;
    for (int i = 0; i < 40 && !wrong; i++) {
        int64_t n = 3 + i % 7;
        ty_tensor *ones = ty_ones(TY_F32, TY_SHAPE(n, n)), *x = ty_var(ones, "x"),
                  *y = ty_tanh(ty_matmul(x, x));
        ty_program *p = ty_compile(1, &y, (ty_compile_options){0});
        if (!ty_run(p))
            wrong = "a run failed";
        else if (!ty_item(ty_all(ty_eq(ty_output(p, 0), ty_tanh(ty_matmul(ones, ones))), TY_ALL)))
            wrong = "another result";
        ty_program_free(p);
        if (i % 10 == 9) ty_trim();
    }
    ty_close(scope);
    return (void *)(uintptr_t)wrong;
}

static void several_threads(void) {
    pthread_t threads[THREADS];
    if (test_starving()) return;
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        CHECK(!wrong, "%s", (const char *)wrong);
    }
}

TESTS_MAIN(TEST(in_a_program_and_between), TEST(with_eager_calls), TEST(at_any_offset),
           TEST(constants_are_kept_once), TEST(many_operands), TEST(ragged_batches), TEST(several_threads))
