/* Tensors and programs on OpenCL have the bits, losses and errors of `cpu`. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "engine/opencl/opencl.h"
#include "ops/core/kernel/devices.h"
#include "onnx/api.h"
#include "ops/core/kernel/verify.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/nn_help.h"
#include "tests/support/samples/sample.h"
#include "tests/support/starve.h"
#include "tests/support/wire_text.h"
#undef I /* of <complex.h> */
#include "tests/onnx/pieces.h"

static void close_devices(void *family) {
    ty_use_engine("cpu");
    ty_trim();
    engine_remove(family);
}

/* Return true if there is a device, whose memory and programs the test frees at its end; else false, after a
   sentence. */
static bool begin(void) {
    struct fault why = {0};
    starve_others(false); /* drivers end the process without memory */
    int n = opencl_family.count(&why);
    if (!n) printf("nothing to test: %s\n", why.text);
    if (!n || test_starving()) return false;
    test_own((void *)&opencl_family, close_devices);
    return true;
}

static ty_tensor *formula(ty_tensor *x) {
    return ty_sum(ty_mul(ty_exp(x), ty_add(x, ty_num(0.5))), ty_axis(1));
}

static void computes_at_once(void) {
    if (!begin()) return;
    ty_tensor *x = sample_shape(TY_F32, 2, (int64_t[]){30, 50}, -2, 2);
    ty_tensor *y = formula(CHECK_OK(ty_to(x, "opencl:0")));
    CHECK_OK(y);
    CHECK(!strcmp(ty_on(y), "opencl:0"), "the result is on %s", ty_on(y));
    compare_bits(y, formula(x), "a formula on opencl:0");
}

/* A program with a variable, which stays on the device between runs. */
static ty_tensor *run_thrice(const char *engine) {
    ty_tensor *x = sample_shape(TY_F32, 2, (int64_t[]){30, 50}, -2, 2), *v = ty_var(x, "v"), *y = formula(v);
    ty_update update = {v, ty_mul(v, ty_num(0.75))};
    ty_program *p = test_program(
        ty_compile(1, &y, (ty_compile_options){.engine = engine, .updates = &update, .nupdates = 1}));
    CHECK(!*ty_program_error(p), "%s: %s", engine, ty_program_error(p));
    for (int i = 0; i < 3; i++) CHECK(ty_run(p), "%s: %s", engine, ty_program_error(p));
    return ty_add(ty_output(p, 0), ty_num(0));
}

static void runs_programs(void) {
    if (!begin()) return;
    test_random_from(1);
    ty_tensor *want = run_thrice("cpu");
    test_random_from(1);
    compare_bits(run_thrice("opencl:0"), want, "the third run");
}

/* A wrong label leaves the weights as they were, and the next run computes. */
static void keeps_weights_after_bad_labels(void) {
    int32_t good[] = {0, 1, 2}, bad[] = {0, 7, 9};
    if (!begin()) return;
    ty_tensor *w = ty_var(ty_ones(TY_F32, TY_SHAPE(4, 3)), "w"), *g;
    ty_tensor *label = ty_var(ty_from(TY_I32, TY_SHAPE(3), good), "label");
    ty_tensor *loss = ty_sum(ty_square(ty_take(w, label, 0)), TY_ALL);
    ty_grad(loss, 1, &w, &g);
    ty_update update = {w, ty_sub(w, g)};
    ty_program *p = test_program(
        ty_compile(1, &loss, (ty_compile_options){.engine = "opencl:0", .updates = &update, .nupdates = 1}));
    CHECK(ty_run(p), "%s", ty_program_error(p));
    ty_tensor *before = ty_eval(w);
    ty_assign(label, ty_from(TY_I32, TY_SHAPE(3), bad), NULL);
    ty_tensor *read = ty_run(p) ? ty_add(ty_output(p, 0), ty_num(0)) : ty_program_failure(p);
    CHECK(strstr(ty_error(read), "index 7 at [1] is out of bounds for axis 0 of size 4"), "\"%s\"",
          ty_error(read));
    compare_bits(ty_eval(w), before, "weights after a bad label");
    ty_assign(label, ty_from(TY_I32, TY_SHAPE(3), good), NULL);
    CHECK(ty_run(p), "after a refusal: %s", ty_program_error(p));
}

/* A run with several refusals has the message of the first kernel, at its lowest position; later runs compute. */
static void tells_the_first_refusal(void) {
    int32_t bad[2][3] = {{0, 9, 8}, {7, 0, 9}}, good[] = {0, 1, 2};
    char told[2][1000];
    if (!begin()) return;
    for (int e = 0; e < 2; e++) {
        ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(4, 3)), "x"), *label[2];
        for (int i = 0; i < 2; i++) label[i] = ty_var(ty_from(TY_I32, TY_SHAPE(3), bad[i]), i ? "b" : "a");
        ty_tensor *y = ty_sum(ty_take(ty_exp(ty_take(x, label[0], 0)), label[1], 0), TY_ALL);
        ty_program *p =
            test_program(ty_compile(1, &y, (ty_compile_options){.engine = e ? "opencl:0" : "cpu"}));
        ty_tensor *read = ty_run(p) ? ty_add(ty_output(p, 0), ty_num(0)) : ty_program_failure(p);
        CHECK(!ty_ok(read), "an index out of bounds");
        snprintf(told[e], sizeof told[e], "%s", ty_error(read));
        for (int i = 0; i < 2; i++) ty_assign(label[i], ty_from(TY_I32, TY_SHAPE(3), good), NULL);
        CHECK(ty_run(p), "after a refusal: %s", ty_program_error(p));
        CHECK_OK(ty_add(ty_output(p, 0), ty_num(0)));
    }
    CHECK(strstr(told[0], "index 9 at [1]") && !strcmp(told[0], told[1]), "cpu: %s; opencl:0: %s", told[0],
          told[1]);
}

static void trains(void) {
    double losses[2][3];
    if (!begin()) return;
    for (int e = 0; e < 2; e++) {
        ty_use_engine(e ? "opencl:0" : "cpu");
        nn_steps(nn_small_trainer(true, (ty_optimiser){.rule = &ty_adam}), 3, losses[e]);
    }
    for (int i = 0; i < 3; i++)
        CHECK(fabs(losses[0][i] - losses[1][i]) <= 1e-4 * fabs(losses[0][i]), "step %d: %.17g and %.17g", i,
              losses[0][i], losses[1][i]);
}

static void end_verifying(void *unused) {
    (void)unused;
    kernels_verify(false);
}

/* Kernels are compared with ref when they are prepared, as with TY_DEBUG: a row, a sum, a product and a gather. */
static void verifies(void) {
    int32_t index[] = {1, 0, 1};
    if (!begin()) return;
    test_own((void *)&opencl_family, end_verifying);
    kernels_verify(true);
    ty_tensor *x = sample_shape(TY_F32, 2, (int64_t[]){19, 23}, -2, 2),
              *there = CHECK_OK(ty_to(x, "opencl:0"));
    ty_tensor *rows = ty_from(TY_I32, TY_SHAPE(3), index);
    compare_bits(formula(there), formula(x), "a verified formula");
    compare_bits(ty_matmul(there, ty_transpose(there)), ty_matmul(x, ty_transpose(x)), "a verified product");
    compare_bits(ty_take(there, rows, 0), ty_take(x, rows, 0), "a verified gather");
}

/* ---- nothing to compute ---- */

enum { EMPTY = 14 };

/* Set y to functions of x f32[0,5]: with no elements, or of none. */
static void of_nothing(ty_tensor *x, ty_tensor *y[EMPTY]) {
    ty_tensor *columns = ty_transpose(x), *none = ty_cast(ty_slice(x, 1, 0, 1, 1), TY_I64);
    ty_tensor *row = ty_ravel(none), *some = ty_ones(TY_F32, TY_SHAPE(3, 5));
    ty_tensor *parts[] = {x, some}, *filters = ty_ones(TY_F32, TY_SHAPE(3, 3, 0, 2));
    ty_tensor *image = ty_zeros(TY_F32, TY_SHAPE(1, 4, 4, 0));
    int i = 0;
    y[i++] = ty_exp(x);
    y[i++] = ty_sum(x, TY_ALL);
    y[i++] = ty_sum(x, ty_axis(0));
    y[i++] = ty_prod(columns, ty_axis(1));
    y[i++] = ty_cumsum(x, 1, (ty_running){0});
    y[i++] = ty_matmul(columns, x); /* a sum of no products */
    y[i++] = ty_matmul(x, columns);
    y[i++] = ty_concat(2, parts, 0);
    y[i++] = ty_take(some, row, 0);
    y[i++] = ty_scatter(some, none, ty_slice(x, 1, 0, 1, 1), 0, TY_SCATTER_ADD);
    y[i++] = ty_sort(x, 1, false);
    y[i++] = ty_nonzero(x);
    y[i++] = ty_softmax(x, 1);
    y[i++] = ty_conv2d(image, filters, (ty_conv){0});
}

static void computes_nothing(void) {
    ty_tensor *want[EMPTY], *got[EMPTY];
    if (!begin()) return;
    ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(0, 5));
    of_nothing(x, want);
    of_nothing(CHECK_OK(ty_to(x, "opencl:0")), got);
    for (int i = 0; i < EMPTY; i++) {
        CHECK_OK(want[i]);
        compare_bits(got[i], want[i], "function %d of no elements", i);
    }
}

/* ---- two devices ---- */

/* Return true if there are two devices, as with POCL_DEVICES="basic basic"; else false, after a sentence. */
static bool begin_two(void) {
    struct fault why = {0};
    if (!begin()) return false;
    int n = opencl_family.count(&why);
    if (n < 2) printf("nothing to test: %d device\n", n);
    return n > 1;
}

/* Values of two devices do not mix, until ty_to moves one of them. */
static void moves_between_devices(void) {
    if (!begin_two()) return;
    ty_tensor *x = sample_shape(TY_F32, 2, (int64_t[]){30, 50}, -2, 2), *a = CHECK_OK(ty_to(x, "opencl:0")),
              *b = CHECK_OK(ty_to(x, "opencl:1")), *mixed = ty_mul(a, b);
    CHECK_POISON(mixed, "opencl:0");
    CHECK(strstr(ty_error(mixed), "opencl:1") && strstr(ty_error(mixed), "ty_to"), "\"%s\"", ty_error(mixed));
    ty_tensor *want = ty_mul(formula(x), formula(x));
    CHECK(!strcmp(ty_on(formula(b)), "opencl:1"), "the result is on %s", ty_on(formula(b)));
    compare_bits(ty_mul(formula(ty_to(a, "opencl:1")), formula(b)), want, "a formula on opencl:1");
    CHECK(!strcmp(ty_on(ty_to(b, "opencl:0")), "opencl:0"), "it has not moved");
}

/* A program computes on both devices, and a thread on each. */
static ty_tensor *run_parts(const char *first, const char *second) {
    ty_tensor *x = sample_shape(TY_F32, 2, (int64_t[]){30, 50}, -2, 2), *v = ty_var(x, "v");
    ty_tensor *a = ty_exp(ty_to(v, first)), *b = ty_matmul(ty_transpose(ty_to(v, second)), ty_to(a, second));
    ty_tensor *y = formula(b);
    ty_update update = {v, ty_mul(v, ty_num(0.75))};
    ty_program *p = test_program(ty_compile(1, &y, (ty_compile_options){.updates = &update, .nupdates = 1}));
    CHECK(!*ty_program_error(p), "%s, %s: %s", first, second, ty_program_error(p));
    for (int i = 0; i < 3; i++) CHECK(ty_run(p), "%s, %s: %s", first, second, ty_program_error(p));
    return ty_add(ty_to(ty_output(p, 0), "cpu"), ty_num(0));
}

static void runs_parts_on_two_devices(void) {
    if (!begin_two()) return;
    test_random_from(1);
    ty_tensor *want = run_parts("cpu", "cpu");
    test_random_from(1);
    compare_bits(run_parts("opencl:0", "opencl:1"), want, "parts on opencl:0 and opencl:1");
    test_random_from(1);
    compare_bits(run_parts("opencl:1", "cpu"), want, "parts on opencl:1 and cpu");
}

/* Let the calling thread compute on a device.  Return NULL if it has the bits of `cpu`. */
static void *compute_on(void *name) {
    enum { ROUNDS = 20 };
    bool good = (ty_use_engine)(name);
    for (int i = 0; good && i < ROUNDS; i++) {
        ty_scope *scope = ty_open();
        ty_tensor *y = formula(ty_add(ty_ones(TY_F32, TY_SHAPE(30, 50)), ty_num(i)));
        good = ty_ok(y) && !strcmp(ty_on(y), name);
        (ty_use_engine)("cpu");
        ty_tensor *want = formula(ty_add(ty_ones(TY_F32, TY_SHAPE(30, 50)), ty_num(i)));
        good = good && ty_ok(want) && !memcmp(ty_data(y), ty_data(want), 30 * sizeof(float));
        (ty_use_engine)(name);
        ty_close(scope);
    }
    ty_use_engine("cpu");
    return good ? NULL : name;
}

static void threads_use_two_devices(void) {
    static char names[2][16] = {"opencl:0", "opencl:1"};
    pthread_t threads[4];
    void *failed;
    if (!begin_two()) return;
    for (int i = 0; i < 4; i++)
        CHECK(!pthread_create(&threads[i], NULL, compute_on, names[i % 2]), "thread %d", i);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], &failed);
        CHECK(!failed, "a thread on %s", (char *)failed);
    }
}

/* A model whose programs are on the device uses no memory of the host for intermediate results: y has the sums of sums
   of sums of x[n, 300] along axis 1. */
static void models_keep_memory_there(void) {
    if (!begin()) return;
    struct wire w = wire_text(
        MODEL(IN("x", 1, SYMBOL("n") D(300)) Y I64("axis", "", "7=1 ") NODE("CumSum", I("x") I("axis") O("c"))
                  NODE("CumSum", I("c") I("axis") O("d")) NODE("CumSum", I("d") I("axis") O("y"))));
    ty_onnx *m = ty_onnx_parse(w.bytes, w.n, (ty_onnx_options){.eager = false});
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(40, 300)), *y, *z, *error = NULL;
    int64_t bytes = -1, size = 40;
    ty_use_engine("opencl:0");
    CHECK(ty_onnx_reserve(m, 1, (const char *const[]){"n"}, &size, &bytes, &error), "%s", ty_error(error));
    CHECK(bytes == 0 && !onnx_of(m)->shared, "%lld bytes of the host", (long long)bytes);
    CHECK(ty_onnx_run(m, 1, &x, 1, &y), "%s", ty_error(y));
    CHECK(!onnx_of(m)->shared, "memory of the host");
    ty_use_engine("cpu");
    CHECK(ty_onnx_run(m, 1, &x, 1, &z), "%s", ty_error(z));
    CHECK(onnx_of(m)->shared_bytes > 0, "no memory of the host");
    compare_bits(ty_to(y, "cpu"), z, "a model on opencl:0");
    ty_onnx_free(m);
    wire_drop(&w);
}

TESTS_MAIN(TEST(computes_at_once), TEST(runs_programs), TEST(keeps_weights_after_bad_labels),
           TEST(tells_the_first_refusal), TEST(trains), TEST(verifies), TEST(computes_nothing),
           TEST(moves_between_devices), TEST(runs_parts_on_two_devices), TEST(threads_use_two_devices),
           TEST(models_keep_memory_there))
