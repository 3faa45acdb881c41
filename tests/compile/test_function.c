/* Functions compiled once for each shape and dtype of their operands: values of the function, and few
   compilations. */
#include <pthread.h>
#include <string.h>
#include "base/alloc.h"
#include "base/memory/blocks.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/programs.h"

static void free_function(void *f) { ty_function_free(f); }
static ty_function *own(ty_function *f) { return test_own(f, free_function); }
static bool is_well(const ty_function *f) {
    const char *error = ty_function_error(f);
    CHECK(!*error || (test_starving() && mem_failed()), "%s", error);
    return !*error;
}

/* ---- functions ---- */

/* Compute two layers; context: two matrices. */
static void layers(void *context, ty_tensor *const *x, ty_tensor **results) {
    ty_tensor *const *w = context;
    results[0] = ty_softmax(ty_matmul(ty_relu(ty_matmul(x[0], w[0])), w[1]), 1);
    results[1] = ty_sum(results[0], ty_axis(0));
}
static void sum_of_both(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context;
    results[0] = ty_add(ty_mul(x[0], x[1]), x[0]);
}
static void nothing_new(void *context, ty_tensor *const *x, ty_tensor **results) {
    results[0] = results[1] = x[0];
    results[2] = context;
}

static void make_weights(ty_tensor **w, bool variables) {
    w[0] = ty_normal(TY_F32, TY_SHAPE(12, 20), ty_key(1));
    w[1] = ty_normal(TY_F32, TY_SHAPE(20, 5), ty_key(2));
    for (int i = 0; i < 2 && variables; i++) w[i] = ty_var(w[i], "w");
}

/* ---- values and compilations ---- */

static void every_size(void) {
    ty_tensor *w[2];
    make_weights(w, false);
    ty_function *f = own(ty_function_new(layers, w, 1, 2, (ty_compile_options){0}));
    if (!is_well(f)) return;
    for (int round = 0; round < 2; round++) {
        for (int64_t n = 0; n < 9; n++) {
            ty_tensor *x = ty_normal(TY_F32, TY_SHAPE(n, 12), ty_key((uint64_t)n)), *want[2], *got[2];
            layers(w, &x, want);
            if (!ty_function_call(f, 1, &x, 2, got))
                return (void)CHECK(test_starving(), "%s", ty_error(got[0]));
            for (int i = 0; i < 2; i++)
                compare_bits(got[i], ty_eval(want[i]), "result %d of %d rows", i, (int)n);
        }
        CHECK(test_starving() || ty_function_compiles(f) == 9, "%d compilations",
              (int)ty_function_compiles(f));
    }
}

/* Strides, scalars and dtypes broadcast as in the function itself. */
static void every_layout(void) {
    ty_function *f = own(ty_function_new(sum_of_both, NULL, 2, 1, (ty_compile_options){0}));
    ty_tensor *a = ty_normal(TY_F64, TY_SHAPE(4, 6), ty_key(1)),
              *b = ty_normal(TY_F64, TY_SHAPE(6, 4), ty_key(2));
    if (!is_well(f)) return;
    ty_tensor *cases[][2] = {
        {a, a},
        {a, ty_transpose(b)},
        {ty_flip(a, 1), a},
        {a, ty_broadcast(ty_num(3), TY_SHAPE(4, 6))},
        {ty_num(2), ty_num(3)},
        {a, ty_scalar(TY_F64, 7)},
        {ty_cast(a, TY_I32), ty_cast(a, TY_F32)},
        {ty_zeros(TY_F32, TY_SHAPE(0, 3)), ty_ones(TY_F32, TY_SHAPE(3))},
        {ty_at(a, "1:3"), ty_at(a, "::2")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ty_tensor *want, *got;
        sum_of_both(NULL, cases[i], &want);
        if (!ty_ok(want)) continue;
        if (!ty_function_call(f, 2, cases[i], 1, &got))
            return (void)CHECK(test_starving(), "case %d: %s", (int)i, ty_error(got));
        compare_bits(got, want, "case %d", (int)i);
    }
}

static void ragged_batches(void) {
    static const int64_t sizes[] = {64, 64, 17, 64, 64, 17};
    ty_tensor *w[2];
    make_weights(w, false);
    ty_function *f = own(ty_function_new(layers, w, 1, 2, (ty_compile_options){0}));
    if (!is_well(f)) return;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(sizes[i], 12)), *got[2];
        if (!ty_function_call(f, 1, &x, 2, got)) return;
    }
    CHECK(test_starving() || ty_function_compiles(f) == 2, "%d compilations", (int)ty_function_compiles(f));
}

static ty_function_memory report(const ty_function *f) {
    ty_function_memory memory;
    ty_function_report(f, &memory);
    return memory;
}

/* Call f on 1 .. n rows; false on failure. */
static bool call_sizes(ty_function *f, int64_t n) {
    for (int64_t rows = 1; rows <= n; rows++) {
        ty_tensor *x[2] = {ty_ones(TY_F32, TY_SHAPE(rows)), ty_ones(TY_F32, TY_SHAPE(rows))}, *y;
        if (!ty_function_call(f, 2, x, 1, &y)) return false;
        CHECK(test_starving() || ty_item(ty_amax(y, TY_ALL)) == 2, "a wrong result of %d rows", (int)rows);
    }
    return true;
}

/* A bound on bytes drops programs and is told; within the bound nothing is compiled twice. */
static void bounded_programs(void) {
    enum { SIZES = 40 };
    ty_function *f = own(ty_function_new(sum_of_both, NULL, 2, 1, (ty_compile_options){0}));
    if (!is_well(f) || !call_sizes(f, SIZES) || !call_sizes(f, SIZES) || test_starving()) return;
    ty_function_memory all = report(f), few;
    CHECK(all.programs == SIZES && all.compiles == SIZES && !all.dropped,
          "%d programs, %d compiled, %d dropped", (int)all.programs, (int)all.compiles, (int)all.dropped);
    CHECK(all.bytes > 0 && all.bytes <= all.most && all.most >= 64 << 20, "%lld bytes of %lld",
          (long long)all.bytes, (long long)all.most);
    ty_function_cache(f, all.bytes / 2);
    few = report(f);
    CHECK(few.bytes <= all.bytes / 2 && few.programs > SIZES / 4 && few.programs + few.dropped == SIZES,
          "%lld bytes in %d programs, %d dropped", (long long)few.bytes, (int)few.programs, (int)few.dropped);
    call_sizes(f, SIZES);
    CHECK(report(f).compiles > SIZES && report(f).bytes <= all.bytes / 2, "nothing was compiled again");
    ty_function_cache(f, 0);
    CHECK(report(f).programs == 1, "%d programs without room", (int)report(f).programs);
    ty_function_cache(f, INT64_MAX);
    CHECK(report(f).most > all.most, "the most is %lld", (long long)report(f).most);
    ty_function_cache(f, INT64_MIN);
    CHECK(report(f).most >= 64 << 20 && report(f).most <= all.most, "the default is %lld",
          (long long)report(f).most);
    ty_function_cache(NULL, 5);
    ty_function_report(NULL, &few);
    CHECK(!few.programs && !few.most, "NULL keeps programs");
}

/* ---- constants ---- */

/* Compute a product with a matrix that has to be packed. */
static void product(void *context, ty_tensor *const *x, ty_tensor **results) {
    results[0] = ty_matmul(x[0], ty_transpose(context));
}

/* Programs for several sizes hold one constant and, where they pack it alike, one packed copy; the cache counts each once.
   So a bound that one program almost fills keeps them all. */
static void constants_held_once(void) {
    enum { SIDE = 512, BYTES = SIDE * SIDE * 4, SIZES = 6 };
    ty_tensor *w = ty_normal(TY_F32, TY_SHAPE(SIDE, SIDE), ty_key(1));
    ty_function *f = own(ty_function_new(product, w, 1, 1, (ty_compile_options){0}));
    if (!is_well(f) || !ty_ok(w)) return;
    ty_trim();
    size_t before = blocks_state().live;
    ty_function_cache(f, 4 * BYTES);
    for (int i = 0; i < 2 * SIZES; i++) {
        struct test_round round = test_round();
        ty_tensor *x = ty_normal(TY_F32, TY_SHAPE(6 + 2 * (i % SIZES), SIDE), ty_key(2)), *y;
        if (ty_function_call(f, 1, &x, 1, &y))
            compare_bits(y, ty_matmul(x, ty_transpose(w)), "product number %d", i);
        else
            CHECK_OK(y);
        test_round_end(round);
    }
    if (test_starving()) return;
    ty_trim();
    double more = (double)(blocks_state().live - before);
    CHECK(more < 2.5 * BYTES, "%g bytes besides a constant of %d", more, BYTES);
    CHECK(ty_function_compiles(f) == SIZES && report(f).programs == SIZES, "%d compilations, %d programs",
          (int)ty_function_compiles(f), (int)report(f).programs);
    CHECK(report(f).bytes < 4 * BYTES && report(f).bytes > BYTES, "%lld bytes", (long long)report(f).bytes);
}

/* Several programs share packed data; the last one frees it. */
static void packed_once(void) {
    enum { SIDE = 512, BYTES = SIDE * SIDE * 4, COPIES = 5 };
    ty_tensor *w = ty_normal(TY_F32, TY_SHAPE(SIDE, SIDE), ty_key(1)),
              *x = ty_var(ty_normal(TY_F32, TY_SHAPE(8, SIDE), ty_key(2)), "x"),
              *y = ty_matmul(x, ty_transpose(ty_lazy(w))),
              *other = ty_matmul(x, ty_transpose(ty_lazy(ty_neg(w))));
    ty_program *p[COPIES + 1];
    if (!ty_ok(y) || !ty_ok(other)) return;
    ty_trim();
    size_t before = blocks_state().live;
    int64_t kept = 0;
    for (int i = 0; i <= COPIES; i++) {
        p[i] = test_program(ty_compile(1, i < COPIES ? &y : &other, (ty_compile_options){0}));
        if (!program_is_well(p[i])) return;
        if (!ty_run(p[i])) return (void)CHECK(test_starving(), "%s", ty_program_error(p[i]));
        kept += test_report(p[i]).kept_bytes;
        compare_bits(ty_output(p[i], 0), ty_matmul(ty_eval(x), ty_transpose(i < COPIES ? w : ty_neg(w))),
                     "%d", i);
    }
    if (test_starving()) return;
    ty_trim();
    CHECK(kept >= (COPIES + 1) * BYTES, "the matrices are not packed: %lld bytes", (long long)kept);
    double more = (double)(blocks_state().live - before);
    /* two packed matrices, the negative one as it was made and as it is folded; and rows */
    CHECK(more < 4.5 * BYTES, "%d programs hold %g bytes", COPIES + 1, more);
}

/* Threads that compile, run and free programs of one constant and of another, again and again. */
static void *pack_often(void *context) {
    ty_tensor *const *w = context;
    for (int i = 0; i < 8; i++) {
        ty_scope *scope = ty_open();
        ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(8, 128)), "x"),
                  *y = ty_matmul(x, ty_transpose(ty_lazy(w[i % 2])));
        ty_program *p = ty_compile(1, &y, (ty_compile_options){0});
        bool done = ty_run(p);
        double sum = done ? ty_item(ty_sum(ty_output(p, 0), TY_ALL)) : 0;
        ty_program_free(p);
        ty_close(scope);
        if (done && sum != 8 * 128 * 128 * (i % 2 ? 0.25 : 0.5)) return context;
    }
    return NULL;
}
static void packed_by_threads(void) {
    enum { THREADS = 4 };
    ty_tensor *w[2] = {ty_full(TY_F32, TY_SHAPE(128, 128), 0.5), ty_full(TY_F32, TY_SHAPE(128, 128), 0.25)};
    pthread_t threads[THREADS];
    if (test_starving() || !ty_ok(w[0]) || !ty_ok(w[1])) return;
    for (int t = 0; t < THREADS; t++) CHECK(!pthread_create(&threads[t], NULL, pack_often, w), "no thread");
    for (int t = 0; t < THREADS; t++) {
        void *wrong;
        pthread_join(threads[t], &wrong);
        CHECK(!wrong, "thread %d has another sum", t);
    }
}

static void results_that_are_no_work(void) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(3)), *constant = ty_steps(TY_I64, 0, 4, 1), *got[3];
    ty_function *f = own(ty_function_new(nothing_new, constant, 1, 3, (ty_compile_options){0}));
    if (!is_well(f) || !ty_function_call(f, 1, &x, 3, got)) return;
    compare_bits(got[0], x, "the operand itself");
    compare_bits(got[1], x, "and again");
    compare_bits(got[2], constant, "a constant");
}

/* Each call reads the current values of variables. */
static void variables_inside(void) {
    ty_tensor *w[2], *x = ty_ones(TY_F32, TY_SHAPE(3, 12)), *got[2], *want[2];
    make_weights(w, true);
    ty_function *f = own(ty_function_new(layers, w, 1, 2, (ty_compile_options){0}));
    if (!is_well(f)) return;
    for (int i = 0; i < 3; i++) {
        if (!ty_function_call(f, 1, &x, 2, got)) return;
        layers(w, &x, want);
        compare_bits(got[0], ty_eval(want[0]), "values number %d", i);
        if (!ty_assign(w[0], ty_normal(TY_F32, TY_SHAPE(12, 20), ty_key(20 + (uint64_t)i)), NULL)) return;
    }
    CHECK(test_starving() || ty_function_compiles(f) == 1, "%d compilations", (int)ty_function_compiles(f));
}

/* A plain number adopts the dtype of other operands inside of a function, too, and as a tracked value. */
static void plain_numbers(void) {
    ty_function *f = own(ty_function_new(sum_of_both, NULL, 2, 1, (ty_compile_options){0}));
    ty_tensor *x = ty_arange(TY_F32, 0, 5, 1), *y, *z, *g, *number = ty_num(2.1),
              *strong = ty_scalar(TY_F64, 2.1);
    if (!is_well(f)) return;
    if (!ty_function_call(f, 2, (ty_tensor *[]){x, number}, 1, &y) ||
        !ty_function_call(f, 2, (ty_tensor *[]){x, strong}, 1, &z))
        return (void)CHECK(test_starving(), "%s", ty_error(y));
    compare_bits(y, ty_add(ty_mul(x, number), x), "a plain number");
    CHECK(ty_dtype_of(z) == TY_F64 || test_starving(), "a number of f64 gives %s",
          ty_dtype_name(ty_dtype_of(z)));
    ty_tensor *tracked = ty_track(number, ""), *product = ty_mul(x, tracked);
    CHECK(ty_dtype_of(product) == TY_F32 || test_starving(), "a tracked plain number gives %s",
          ty_dtype_name(ty_dtype_of(product)));
    if (!ty_grad(product, 1, &tracked, &g)) return (void)CHECK(test_starving(), "%s", ty_error(g));
    CHECK((ty_dtype_of(g) == TY_F64 && ty_item(g) == 10) || test_starving(), "its gradient is %g",
          ty_item(g));
    CHECK(ty_assign(tracked, ty_num(3), NULL) || test_starving(), "a number cannot be assigned");
    product = ty_mul(x, tracked);
    CHECK(ty_dtype_of(product) == TY_F32 || test_starving(), "after an assignment it gives %s",
          ty_dtype_name(ty_dtype_of(product)));
}

/* With promises and tracked values the function is called directly. */
static void promises_and_gradients(void) {
    ty_function *f = own(ty_function_new(sum_of_both, NULL, 2, 1, (ty_compile_options){0}));
    ty_tensor *a = ty_full(TY_F32, TY_SHAPE(3), 2), *b = ty_full(TY_F32, TY_SHAPE(3), 5), *y, *g;
    if (!is_well(f)) return;
    ty_tensor *lazy[] = {ty_var(a, "a"), b}, *tracked[] = {ty_track(a, "a"), b};
    if (!ty_function_call(f, 2, lazy, 1, &y)) return;
    CHECK(ty_is_promise(y), "a value came of a promise");
    CHECK(test_starving() || ty_item(ty_sum(y, TY_ALL)) == 36, "%g", ty_item(ty_sum(y, TY_ALL)));
    if (!ty_function_call(f, 2, tracked, 1, &y) || !ty_grad(y, 1, tracked, &g)) return;
    CHECK(test_starving() || ty_item(ty_sum(g, TY_ALL)) == 18, "%g", ty_item(ty_sum(g, TY_ALL)));
    CHECK(ty_function_compiles(f) == 0, "%d compilations", (int)ty_function_compiles(f));
}

static void inner(void *context, ty_tensor *const *x, ty_tensor **results) {
    ty_function_call(context, 2, x, 1, results);
    results[0] = ty_neg(results[0]);
}

static void functions_in_functions(void) {
    ty_function *f = own(ty_function_new(sum_of_both, NULL, 2, 1, (ty_compile_options){0})),
                *g = own(ty_function_new(inner, f, 2, 1, (ty_compile_options){0}));
    ty_tensor *x[] = {ty_full(TY_F32, TY_SHAPE(3), 2), ty_full(TY_F32, TY_SHAPE(3), 5)}, *y;
    if (!is_well(f) || !is_well(g) || !ty_function_call(g, 2, x, 1, &y)) return;
    CHECK(test_starving() || ty_item(ty_sum(y, TY_ALL)) == -36, "%g", ty_item(ty_sum(y, TY_ALL)));
    CHECK(ty_function_compiles(f) == 0 && ty_function_compiles(g) == 1, "compiled apart");
}

static void each_setting_has_its_form(void) {
    ty_function *f = own(ty_function_new(sum_of_both, NULL, 2, 1, (ty_compile_options){0}));
    ty_tensor *x[] = {ty_full(TY_F32, TY_SHAPE(3), 2), ty_full(TY_F32, TY_SHAPE(3), 5)}, *y, *z;
    if (!is_well(f) || !ty_function_call(f, 2, x, 1, &y)) return;
    ty_use_engine("ref");
    if (!ty_function_call(f, 2, x, 1, &z)) return;
    compare_bits(y, z, "ref");
    ty_use_engine("cpu");
    if (!ty_function_call(f, 2, x, 1, &z)) return;
    CHECK(test_starving() || ty_function_compiles(f) == 2, "%d compilations", (int)ty_function_compiles(f));
}

/* ---- threads ---- */

static void *call_often(void *f) {
    ty_scope *scope = ty_open();
    for (int64_t i = 0; i < 40; i++) {
        ty_tensor *x[] = {ty_full(TY_F32, TY_SHAPE(i % 5 + 1), 2), ty_scalar(TY_F32, 3)}, *y;
        bool done = ty_function_call(f, 2, x, 1, &y);
        if (!done || ty_item(ty_amax(y, TY_ALL)) != 8 || ty_size(y) != i % 5 + 1) break;
        if (i == 39) {
            ty_close(scope);
            return f;
        }
    }
    ty_close(scope);
    return NULL;
}

static void many_threads(void) {
    enum { N = 4 };
    pthread_t threads[N];
    void *well;
    ty_function *f = own(ty_function_new(sum_of_both, NULL, 2, 1, (ty_compile_options){0}));
    if (!is_well(f)) return;
    for (int i = 0; i < N; i++) CHECK(!pthread_create(&threads[i], NULL, call_often, f), "no thread");
    for (int i = 0; i < N; i++) {
        pthread_join(threads[i], &well);
        CHECK(test_starving() || well, "thread %d saw something else", i);
    }
}

/* ---- errors ---- */

static void fills_none(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context, (void)x, (void)results;
}
static void fails(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context;
    results[0] = ty_matmul(x[0], x[0]);
}
static void reads(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context;
    results[0] = ty_reshape(x[0], TY_SHAPE((int64_t)ty_item(ty_amax(x[0], TY_ALL))));
}

static void bad_functions(void) {
    ty_update update = {0};
    const struct {
        ty_branch body;
        int n, nresults;
        ty_compile_options options;
        const char *words;
    } cases[] = {
        {NULL, 1, 1, {0}, "function: the body is NULL"},
        {fails, -1, 1, {0}, "-1 operands and 1 results"},
        {fails, 1, -2, {0}, "1 operands and -2 results"},
        {fails, 1, 1, {.updates = &update, .nupdates = 1}, "updates and incremental runs need a program"},
        {fails, 1, 1, {.incremental = true}, "updates and incremental runs need a program"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ty_function *f =
            own(ty_function_new(cases[i].body, NULL, cases[i].n, cases[i].nresults, cases[i].options));
        if (test_starving() && mem_failed()) return;
        CHECK(strstr(ty_function_error(f), cases[i].words), "case %d: %s", (int)i, ty_function_error(f));
        ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(2)), *y;
        CHECK(!ty_function_call(f, 1, &x, 1, &y), "case %d can be called", (int)i);
        CHECK_POISON(y, cases[i].words);
    }
}

static void bad_calls(void) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(2, 3)), *y, *poison = ty_poison("it was bad before"),
              *null = NULL;
    ty_function *f = own(ty_function_new(fails, NULL, 1, 1, (ty_compile_options){0})),
                *g = own(ty_function_new(fills_none, NULL, 1, 1, (ty_compile_options){0})),
                *h = own(ty_function_new(reads, NULL, 1, 1, (ty_compile_options){0})),
                *none = own(ty_function_new(fails, NULL, 1, 1, (ty_compile_options){.engine = "none"}));
    if (!is_well(f) || !is_well(g) || !is_well(h) || !is_well(none)) return;
    const struct {
        ty_function *f;
        int n, nresults;
        ty_tensor *const *x;
        const char *words;
    } cases[] = {{f, 1, 1, &x, "matmul"},
                 {g, 1, 1, &x, "function: the body did not set result 0"},
                 {h, 1, 1, &x, ""},
                 {none, 1, 1, &x, "matmul"},
                 {f, 2, 1, (ty_tensor *[]){x, x}, "2 operands and 1 results; expected 1 and 1"},
                 {f, 1, 1, &poison, "it was bad before"},
                 {f, 1, 1, &null, "function_call: the tensor is NULL"},
                 {f, 1, 1, NULL, "function_call: the array of 1 tensors is NULL"},
                 {NULL, 1, 1, &x, "the function is NULL"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        y = NULL;
        CHECK(!ty_function_call(cases[i].f, cases[i].n, cases[i].x, cases[i].nresults, &y), "case %d",
              (int)i);
        CHECK_POISON(y, cases[i].words);
    }
    CHECK(!ty_function_call(f, 1, &x, 1, NULL), "there is no place for results");
    ty_function_free(NULL);
    CHECK(ty_function_compiles(NULL) == 0 && *ty_function_error(NULL), "NULL is a function");
}

TESTS_MAIN(TEST(bounded_programs), TEST(plain_numbers), TEST(constants_held_once), TEST_AT_HOME(packed_once),
           TEST(packed_by_threads), TEST(every_size), TEST(every_layout), TEST(ragged_batches),
           TEST(results_that_are_no_work), TEST(variables_inside), TEST(promises_and_gradients),
           TEST(functions_in_functions), TEST(each_setting_has_its_form), TEST(many_threads),
           TEST(bad_functions), TEST(bad_calls))
