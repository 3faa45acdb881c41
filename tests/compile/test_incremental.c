/* Incremental programs: the number of kernels per run, their values, and the memory they keep. */
#include <pthread.h>
#include <string.h>
#include <tyto/dlpack.h>
#include "base/alloc.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

enum { SIZE = 12 };

static ty_tensor *matrix(double from) {
    return ty_reshape(ty_steps(TY_F32, from, 0.25, SIZE * SIZE), TY_SHAPE(SIZE, SIZE));
}
static ty_tensor *variable(double from, const char *name) { return ty_var(matrix(from), name); }

static ty_program *compile(int n, ty_tensor **outputs, ty_compile_options o) {
    o.incremental = true;
    return test_program(ty_compile(n, outputs, o));
}

static int64_t launched(const ty_program *p) { return test_report(p).launched; }
static int64_t kernels(const ty_program *p) { return test_report(p).kernels; }

/* Run and compare all outputs with the promises evaluated directly; `wanted` kernels must run. False: out
   of memory. */
static bool run(ty_program *p, int n, ty_tensor **promises, int64_t wanted, int line) {
    ty_tensor *why = NULL;
    ty_tensor *want[8];
    bool ran = ty_run(p);
    if (!ran && test_starving()) return false;
    CHECK(ran, "line %d: %s", line, ty_program_error(p));
    CHECK(ty_program_check(p, &why) || test_starving(), "line %d: %s", line, ty_error(why));
    CHECK(launched(p) == wanted, "line %d: %lld kernels ran instead of %lld of %lld", line,
          (long long)launched(p), (long long)wanted, (long long)kernels(p));
    if (!ty_eval_all(n, promises, want)) return false;
    for (int i = 0; i < n; i++) compare_bits(ty_output(p, i), want[i], "line %d, output %d", line, i);
    return true;
}
#define RUN(p, n, promises, wanted) run(p, n, promises, wanted, __LINE__)

static bool assign(ty_tensor *v, double from) { return ty_assign(v, matrix(from), NULL); }

/* ---- which kernels run ---- */

/* With two branches of two products and a kernel that joins them, a run computes only kernels that depend
   on changed variables. */
static void only_what_depends(void) {
    ty_tensor *a = variable(1, "a"), *b = variable(2, "b");
    ty_tensor *left = ty_matmul(ty_matmul(a, a), a), *right = ty_matmul(ty_matmul(b, b), b);
    ty_tensor *outputs[] = {left, right, ty_mul(left, right)};
    ty_program *p = compile(3, outputs, (ty_compile_options){0});
    if (!RUN(p, 3, outputs, 5) || !RUN(p, 3, outputs, 0)) return;
    if (!assign(a, 3) || !RUN(p, 3, outputs, 3)) return;
    if (!assign(b, 4) || !RUN(p, 3, outputs, 3)) return;
    if (!assign(a, 5) || !assign(b, 6) || !RUN(p, 3, outputs, 5)) return;
    RUN(p, 3, outputs, 0);
}

/* An epilogue that reads another variable is not fused into the product. */
static void products_are_kept(void) {
    ty_tensor *w = variable(1, "w"), *x = variable(2, "x");
    ty_tensor *y = ty_relu(ty_sub(ty_matmul(ty_matmul(w, w), w), x));
    ty_program *p = compile(1, &y, (ty_compile_options){0});
    if (!RUN(p, 1, &y, 3) || !assign(x, 7) || !RUN(p, 1, &y, 1) || !assign(w, 3)) return;
    if (!RUN(p, 1, &y, 3)) return;
    CHECK(test_report(p).stays_bytes == 576, "%lld bytes stay", (long long)test_report(p).stays_bytes);
    char *text = test_text(ty_program_text(p));
    CHECK(test_starving() || strstr(text, "kept between runs 576"), "%s", text);
}

/* In a chain of products, all results are kept if every variable is declared as changing, none if only the
   first is. */
static void those_that_change(void) {
    ty_tensor *x = variable(1, "x"), *w[4], *y = x;
    for (int i = 0; i < 4; i++) y = ty_tanh(ty_matmul(y, w[i] = variable(i, "w")));
    ty_tensor *fixed = ty_matmul(w[0], ty_matmul(w[1], w[2]));
    ty_tensor *sum = ty_matmul(y, fixed);
    ty_program *any = compile(1, &sum, (ty_compile_options){0});
    ty_program *one = compile(1, &sum, (ty_compile_options){.changing = &x, .nchanging = 1});
    if (!RUN(any, 1, &sum, 7) || !RUN(one, 1, &sum, 7)) return;
    CHECK(test_report(one).stays_bytes == 576 && test_report(any).stays_bytes > 4 * 576,
          "%lld and %lld bytes stay", (long long)test_report(one).stays_bytes,
          (long long)test_report(any).stays_bytes);
    if (!assign(x, 3) || !RUN(any, 1, &sum, 5) || !RUN(one, 1, &sum, 5)) return;
    if (!assign(w[3], 3) || !RUN(any, 1, &sum, 2) || !RUN(one, 1, &sum, 7)) return;
    if (!assign(x, 4) || !RUN(any, 1, &sum, 5)) return;
    RUN(one, 1, &sum, 5);
}

/* Weights not declared as changing are packed once, and again after they change. */
static void weights_are_packed(void) {
    enum { N = 200 };
    ty_tensor *values = ty_mul(ty_normal(TY_F32, TY_SHAPE(N, N), ty_key(1)), ty_num(0.1));
    ty_tensor *x = ty_var(values, "x"), *w = ty_var(values, "w"), *y = ty_tanh(ty_matmul(ty_matmul(x, w), w));
    ty_program *p = compile(1, &y, (ty_compile_options){.changing = &x, .nchanging = 1});
    if (!RUN(p, 1, &y, 2)) return;
    CHECK(test_report(p).kept_bytes > 0, "nothing is packed");
    for (int i = 1; i < 5; i++) {
        if (!ty_assign(i % 2 ? x : w, ty_mul(values, ty_num(i)), NULL) || !RUN(p, 1, &y, 2)) return;
    }
    RUN(p, 1, &y, 0);
}

/* Kernels that depend on no variable run once. */
static void constants_once(void) {
    ty_tensor *x = variable(1, "x"), *c = ty_lazy(ty_uniform(TY_F32, TY_SHAPE(300, SIZE), ty_key(1)));
    ty_tensor *y = ty_matmul(ty_cumsum(ty_sort(c, 0, false), 0, (ty_running){0}), x);
    ty_program *p = compile(1, &y, (ty_compile_options){.no_rewrite = true});
    if (!RUN(p, 1, &y, 3) || !assign(x, 2)) return;
    RUN(p, 1, &y, 1);
}

/* With more variables than labels some kernels run needlessly, but none is omitted. */
static void many_variables(void) {
    enum { MANY = 700 };
    ty_tensor **x = test_room(2 * MANY * sizeof *x), **y = x + MANY;
    for (int i = 0; i < MANY; i++) y[i] = ty_sum(x[i] = ty_var(ty_full(TY_F32, TY_SHAPE(3), i), "x"), TY_ALL);
    ty_program *p = compile(MANY, y, (ty_compile_options){0});
    for (int round = 0; round < 6; round++) {
        int which = round * 139;
        if (!ty_run(p)) return;
        CHECK(launched(p) <= (round ? 3 : MANY), "%lld kernels ran", (long long)launched(p));
        for (int i = 0; i < MANY; i++)
            CHECK(ty_item(ty_output(p, i)) == 3 * ty_item(ty_amax(x[i], TY_ALL)) || test_starving(),
                  "%d of %d", i, round);
        if (!ty_assign(x[which], ty_full(TY_F32, TY_SHAPE(3), -round), NULL)) return;
    }
}

/* ---- updates ---- */

static void updates_run_always(void) {
    ty_tensor *w = variable(0, "w"), *x = variable(1, "x"), *count = ty_var(ty_scalar(TY_F64, 0), "count");
    ty_tensor *product = ty_matmul(ty_matmul(x, x), x), *y = ty_sum(ty_mul(product, w), TY_ALL);
    ty_update updates[] = {{w, ty_add(w, ty_num(1))}, {count, ty_add(count, ty_num(1))}};
    ty_program *p = compile(1, &y, (ty_compile_options){.updates = updates, .nupdates = 2});
    for (int i = 0; i < 5; i++) {
        ty_tensor *want = ty_eval(y); /* before the update */
        if (i == 3 && !assign(x, 2)) return;
        if (i == 3) want = ty_eval(y);
        if (!ty_run(p)) return;
        int64_t least = i == 0 || i == 3 ? kernels(p) : kernels(p) - 2;
        CHECK(launched(p) == least, "run %d: %lld of %lld", i, (long long)launched(p), (long long)kernels(p));
        compare_bits(ty_output(p, 0), want, "run %d", i);
        CHECK(ty_item(count) == i + 1 || test_starving(), "run %d counts %g", i, ty_item(count));
    }
}

/* An unchanged next value is written again over an assignment in between. */
static void updates_undo_assignments(void) {
    ty_tensor *v = variable(0, "v"), *x = variable(1, "x"), *next = ty_matmul(ty_matmul(x, x), x);
    ty_update update = {v, next};
    ty_program *p = compile(0, NULL, (ty_compile_options){.updates = &update, .nupdates = 1});
    for (int i = 0; i < 3; i++) {
        if (!ty_run(p)) return;
        compare_bits(ty_eval(v), ty_eval(next), "run %d", i);
        CHECK(launched(p) <= (i ? 1 : 3), "run %d: %lld kernels", i, (long long)launched(p));
        if (!assign(v, i)) return;
    }
}

/* A variable that another program updates in place counts as changed. */
static void updates_of_others(void) {
    ty_tensor *v = variable(0, "v"), *y = ty_matmul(v, v);
    ty_update update = {v, ty_add(v, ty_num(1))};
    ty_program *writes =
        test_program(ty_compile(0, NULL, (ty_compile_options){.updates = &update, .nupdates = 1}));
    ty_program *p = compile(1, &y, (ty_compile_options){0});
    if (!RUN(p, 1, &y, 1) || !ty_run(writes) || !RUN(p, 1, &y, 1)) return;
    RUN(p, 1, &y, 0);
}

/* ---- memory ---- */

/* The holder of an output keeps its values; an output that is not computed again is the same tensor. */
static void outputs_that_are_held(void) {
    ty_tensor *a = variable(1, "a"), *b = variable(2, "b"), *product = ty_matmul(a, a);
    ty_tensor *outputs[] = {product, ty_add(product, b)}, *held[2];
    ty_program *p = compile(2, outputs, (ty_compile_options){0});
    if (!ty_run_outputs(p, 2, held)) return;
    ty_tensor *copies[] = {ty_mul(held[0], ty_num(1)), ty_mul(held[1], ty_num(1))};
    if (!assign(b, 5) || !RUN(p, 2, outputs, 1)) return;
    CHECK(ty_data(ty_output(p, 0)) == ty_data(held[0]), "an output that has not changed was moved");
    if (!assign(a, 6) || !RUN(p, 2, outputs, 2)) return;
    for (int i = 0; i < 2; i++) compare_bits(held[i], copies[i], "output %d, held", i);
}

/* An exported output is computed again, since others could write it. */
static void outputs_that_are_exported(void) {
    ty_tensor *a = variable(1, "a"), *b = variable(2, "b"), *product = ty_matmul(a, a);
    ty_tensor *outputs[] = {product, ty_add(product, b)}, *error = NULL;
    ty_program *p = compile(2, outputs, (ty_compile_options){0});
    if (!RUN(p, 2, outputs, 2)) return;
    DLManagedTensor *view = ty_to_dlpack_legacy(ty_output(p, 0), &error);
    if (!view) return;
    ((float *)view->dl_tensor.data)[0] = -1;
    bool well = RUN(p, 2, outputs, 1);
    view->deleter(view);
    if (well) RUN(p, 2, outputs, 0);
}

static void nothing(void *context, void *data) {
    (void)context;
    (void)data;
}

/* Borrowed memory may change without notice, so its readers run each time. */
static void borrowed_memory(void) {
    float constant[SIZE * SIZE] = {1}, value[SIZE * SIZE] = {2};
    ty_tensor *x = variable(1, "x"), *y = variable(3, "y");
    ty_tensor *c = ty_lazy(ty_borrow(TY_F32, TY_SHAPE(SIZE, SIZE), constant, nothing, NULL));
    if (!ty_assign(y, ty_borrow(TY_F32, TY_SHAPE(SIZE, SIZE), value, nothing, NULL), NULL)) return;
    ty_tensor *outputs[] = {ty_matmul(c, x), ty_matmul(x, x), ty_matmul(y, y)};
    ty_program *p = compile(3, outputs, (ty_compile_options){0});
    if (!RUN(p, 3, outputs, 3)) return;
    constant[1] = value[1] = 5;
    if (!RUN(p, 3, outputs, 2) || !assign(y, 2) || !RUN(p, 3, outputs, 2)) return;
    RUN(p, 3, outputs, 1);
}

/* A constant may be exported after the first run. */
static void exported_constant(void) {
    ty_tensor *x = variable(1, "x"), *value = matrix(2), *error = NULL;
    ty_tensor *outputs[] = {ty_add(ty_lazy(value), x), ty_matmul(x, x)};
    ty_program *p = compile(2, outputs, (ty_compile_options){0});
    if (!RUN(p, 2, outputs, 2) || !RUN(p, 2, outputs, 0)) return;
    DLManagedTensor *view = ty_to_dlpack_legacy(value, &error);
    if (!view) return;
    ((float *)view->dl_tensor.data)[0] = -1;
    RUN(p, 2, outputs, 2);
    view->deleter(view);
}

/* ---- failures ---- */

/* After a failed run, which may have written some kept results, the next run computes all of them. */
static void after_a_failure(void) {
    int64_t good[] = {0, 1}, bad[] = {0, SIZE};
    ty_tensor *x = variable(1, "x"), *index = ty_var(ty_from(TY_I64, TY_SHAPE(2), good), "index");
    ty_tensor *product = ty_matmul(x, x), *y[] = {ty_gather(product, index, 0), ty_matmul(product, x)};
    ty_program *p = compile(2, y, (ty_compile_options){0});
    if (!RUN(p, 2, y, 3) || !ty_assign(index, ty_from(TY_I64, TY_SHAPE(2), bad), NULL)) return;
    CHECK(!ty_run(p) && !ty_ok(ty_output(p, 1)), "an index outside was accepted");
    if (!ty_assign(index, ty_from(TY_I64, TY_SHAPE(2), good), NULL) || !RUN(p, 2, y, 3)) return;
    if (!ty_assign(index, ty_from(TY_I64, TY_SHAPE(2), bad), NULL) || !assign(x, 4)) return;
    CHECK(!ty_run(p), "an index outside was accepted");
    if (!ty_assign(index, ty_from(TY_I64, TY_SHAPE(2), good), NULL)) return;
    if (RUN(p, 2, y, 3)) RUN(p, 2, y, 0);
}

static void what_is_asked_for(void) {
    ty_tensor *x = variable(1, "x"), *y = ty_matmul(x, x), *value = matrix(1);
    ty_program *p = compile(1, &y, (ty_compile_options){.changing = &value, .nchanging = 1});
    const char *error = ty_program_error(p);
    CHECK(test_starving() || strstr(error, "only lazy variables (ty_var) change"), "%s", error);
    p = compile(1, &y, (ty_compile_options){.nchanging = 1});
    CHECK(test_starving() || strstr(ty_program_error(p), "1 changing"), "%s", ty_program_error(p));
}

/* ---- loops and branches ---- */

static void step(void *context, ty_step *s) {
    s->next[0] = ty_tanh(ty_add(ty_matmul(s->carry[0], context), s->x[0]));
}
static void squares(void *context, ty_tensor *const *x, ty_tensor **y) {
    y[0] = ty_matmul(x[0], x[0]), (void)context;
}
static void negates(void *context, ty_tensor *const *x, ty_tensor **y) { y[0] = ty_neg(x[0]), (void)context; }

static void loops_and_branches(void) {
    ty_tensor *w = variable(1, "w"), *first = variable(2, "first"), *z = variable(3, "z");
    ty_tensor *which = ty_var(ty_scalar(TY_BOOL, 1), "which");
    ty_tensor *xs = ty_var(ty_full(TY_F32, TY_SHAPE(5, SIZE, SIZE), 0.5), "xs"), *y[2];
    ty_scan(step, w, (ty_scan_spec){.ncarry = 1, .carry = &first, .nx = 1, .x = &xs}, &y[0], NULL, NULL);
    ty_cond(which, squares, negates, NULL, 1, &z, 1, &y[1]);
    ty_program *p = compile(2, y, (ty_compile_options){0});
    int64_t all = kernels(p);
    if (!RUN(p, 2, y, all) || !assign(z, 4) || !RUN(p, 2, y, 1) || !assign(first, 1)) return;
    if (!RUN(p, 2, y, 1) || !RUN(p, 2, y, 0)) return;
    if (ty_assign(which, ty_scalar(TY_BOOL, 0), NULL)) RUN(p, 2, y, 2); /* the index too */
}

/* A loop body that reads borrowed memory runs each time. */
static void borrowed_in_a_body(void) {
    float memory[SIZE * SIZE] = {0.25};
    ty_tensor *w = ty_borrow(TY_F32, TY_SHAPE(SIZE, SIZE), memory, nothing, NULL);
    ty_tensor *first = variable(2, "first"),
              *xs = ty_var(ty_full(TY_F32, TY_SHAPE(5, SIZE, SIZE), 0.5), "xs");
    ty_tensor *y[2] = {NULL, ty_matmul(first, first)};
    ty_scan(step, w, (ty_scan_spec){.ncarry = 1, .carry = &first, .nx = 1, .x = &xs}, &y[0], NULL, NULL);
    ty_program *p = compile(2, y, (ty_compile_options){0});
    if (!RUN(p, 2, y, kernels(p))) return;
    memory[1] = 0.5;
    RUN(p, 2, y, kernels(p) - 1);
}

/* ---- random numbers, threads ---- */

static void random_keys(void) {
    ty_tensor *key = ty_var(ty_key(1), "key"), *x = variable(1, "x");
    ty_tensor *noise = ty_normal(TY_F32, TY_SHAPE(SIZE, SIZE), key),
              *y[] = {ty_matmul(noise, noise), ty_matmul(x, x)};
    ty_update update = {key, ty_fold(key, 1)};
    ty_program *p = compile(2, y, (ty_compile_options){.updates = &update, .nupdates = 1});
    ty_tensor *before = NULL;
    for (int i = 0; i < 3; i++) {
        ty_tensor *now[2];
        if (!ty_run_outputs(p, 2, now)) return;
        CHECK(launched(p) == kernels(p) - (i > 0), "run %d", i);
        CHECK(!before || memcmp(ty_data(before), ty_data(now[0]), 64), "the same numbers in run %d", i);
        before = now[0];
    }
}

enum { THREADS = 4, ROUNDS = 60 };
struct meeting {
    ty_program *program;
    ty_tensor *a, *b;
};

/* Check that outputs of concurrent runs are 4 * a, 4 * b and their sum, from the same values. */
static void *meet(void *context) {
    const struct meeting *m = context;
    ty_scope *scope = ty_open();
    const char *wrong = NULL;
    for (int i = 0; i < ROUNDS && !wrong; i++) {
        ty_tensor *y[3];
        ty_assign(i % 2 ? m->a : m->b, ty_full(TY_F32, TY_SHAPE(4, 4), i), NULL);
        if (!ty_run_outputs(m->program, 3, y))
            wrong = ty_error(y[0]);
        else if (ty_item(ty_amax(ty_abs(ty_sub(y[2], ty_add(y[0], y[1]))), TY_ALL)) != 0)
            wrong = "outputs do not agree";
    }
    ty_close(scope);
    return (void *)(uintptr_t)wrong;
}

static void several_threads(void) {
    ty_tensor *ones = ty_full(TY_F32, TY_SHAPE(4, 4), 1);
    struct meeting m = {.a = ty_var(ones, "a"), .b = ty_var(ones, "b")};
    ty_tensor *y[3] = {ty_matmul(m.a, ones), ty_matmul(m.b, ones)};
    pthread_t threads[THREADS];
    y[2] = ty_add(y[0], y[1]);
    m.program = compile(3, y, (ty_compile_options){0});
    if (test_starving() || *ty_program_error(m.program)) return;
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, meet, &m);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        CHECK(!wrong, "%s", (const char *)wrong);
    }
}

TESTS_MAIN(TEST(only_what_depends), TEST(products_are_kept), TEST(those_that_change),
           TEST_AT_HOME(weights_are_packed), TEST(constants_once), TEST(many_variables),
           TEST(updates_run_always), TEST(updates_undo_assignments), TEST(updates_of_others),
           TEST(outputs_that_are_held), TEST(outputs_that_are_exported), TEST(borrowed_memory),
           TEST(exported_constant), TEST(after_a_failure), TEST(what_is_asked_for), TEST(loops_and_branches),
           TEST(borrowed_in_a_body), TEST(random_keys), TEST(several_threads))
