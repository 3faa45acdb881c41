/*
 * Destinations of graphs and programs: several at once, over operands, in given memory; what is refused; bytes allocated
 * beside them; and random programs with aliases, in which values that somebody holds never change.
 */
#include <stdio.h>
#include <string.h>
#include <tyto/dlpack.h>
#include <tyto/expression.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "tests/support/copies.h"
#include "tests/support/harness.h"
#include "tests/support/samples/compositions.h"
#include "tests/support/samples/beside.h"
#include "tests/support/samples/sample.h"

static ty_tensor *vector(int64_t n) { return sample_shape(TY_F64, 1, &n, -2, 2); }

static ty_tensor *memory_of(ty_tensor *x) {
    ty_tensor *m = ty_memory(ty_dtype_of(x), ty_rank(x), ty_shape(x));
    if (ty_ok(m) && ty_ok(x)) CHECK(ty_into(m, x, NULL) || test_starving(), "no copy");
    return m;
}

/* Compute promise x into `to` and compare with `expected`. */
static void gives(ty_tensor *to, ty_tensor *x, ty_tensor *expected, const char *what) {
    ty_tensor *error = NULL;
    if (!ty_ok(to) || !ty_ok(x) || !ty_ok(expected)) return;
    bool done = ty_into(to, x, &error);
    CHECK(done || test_starving(), "%s: %s", what, ty_error(error));
    CHECK(!done || bytes_equal(to, expected), "%s: other elements", what);
    CHECK(done || !ty_ok(error), "%s: no error", what);
}

/* ---- graphs over their operands ---- */

static struct {
    const char *name;
    ty_tensor *(*run)(ty_tensor *x);
} const graphs[] = {{"joined", joined}, {"centred", centred},     {"crossed", crossed},
                    {"summed", summed}, {"softmaxed", softmaxed}, {"ordered", ordered}};

static void graphs_over_their_operands(void) {
    static const int64_t sizes[] = {1, 7, 100, 5000, 200000};
    for (size_t g = 0; g < sizeof graphs / sizeof *graphs; g++)
        for (size_t s = 0; s < 5u - (size_t)test_some(0, 1, 2); s++)
            for (int how = 0; how < 5; how++) {
                struct test_round round = test_round();
                int64_t n = sizes[s];
                ty_tensor *all = memory_of(vector(2 * n + 1)), *x = ty_slice(all, 0, 0, n, 1);
                ty_tensor *to = how == 0   ? x
                                : how == 1 ? ty_slice(all, 0, 1, n + 1, 1)
                                : how == 2 ? ty_flip(x, 0)
                                : how == 3 ? ty_slice(all, 0, 0, 2 * n, 2)
                                           : ty_slice(all, 0, n, 2 * n, 1);
                gives(to, graphs[g].run(ty_lazy(x)), copy_of(graphs[g].run(x)), graphs[g].name);
                test_round_end(round);
            }
}

/* One result over the operand, and another from kernels that may run later. */
static void two_results(void) {
    for (size_t g = 0; g < sizeof graphs / sizeof *graphs; g++)
        for (int64_t n = 7; n < 300000; n *= 30)
            for (int first = 0; first < 2; first++) {
                struct test_round round = test_round();
                ty_tensor *a = memory_of(vector(n)), *c = ty_memory(TY_F64, 1, &n), *error = NULL;
                ty_tensor *exps = ty_exp(ty_lazy(a)), *others = graphs[g].run(ty_lazy(a));
                ty_tensor *want[] = {copy_of(ty_exp(a)), copy_of(graphs[g].run(a))};
                ty_tensor *to[] = {first ? c : a, first ? a : c},
                          *x[] = {first ? others : exps, first ? exps : others};
                bool done = ty_ok(want[0]) && ty_ok(want[1]) && ty_into_all(2, to, x, &error);
                CHECK(done || test_starving(), "%s: %s", graphs[g].name, ty_error(error));
                CHECK(!done || (bytes_equal(a, want[0]) && bytes_equal(c, want[1])),
                      "%s beside exp, %d elements", graphs[g].name, (int)n);
                test_round_end(round);
            }
}

/* One operator on few operands runs on the destination, one on many is compiled; so are long chains of views. */
static void many_operands_and_views(void) {
    for (int n = 1; n < 14; n++) {
        ty_tensor *x[14], *lazy[14];
        for (int i = 0; i < n; i++) lazy[i] = ty_lazy(x[i] = vector(i + 2));
        ty_tensor *expected = ty_concat(n, x, 0), *to = ty_memory(TY_F64, 1, ty_shape(expected));
        gives(to, ty_concat(n, lazy, 0), expected, "concat");
    }
    for (int n = 1; n < 60; n += 7) {
        ty_tensor *x = vector(90), *lazy = ty_lazy(x);
        for (int i = 0; i < n; i++)
            lazy = ty_flip(ty_slice(lazy, 0, 0, 89 - i, 1), 0), x = ty_flip(ty_slice(x, 0, 0, 89 - i, 1), 0);
        ty_tensor *to = ty_memory(TY_F64, 1, ty_shape(x));
        gives(to, lazy, x, "views");
        gives(to, ty_exp(lazy), ty_exp(x), "of views");
    }
}

static void shifted_by_one(void) {
    ty_tensor *x = memory_of(ty_arange(TY_F64, 0, 6, 1));
    ty_tensor *rest = ty_at(x, "1:"), *expected = copy_of(ty_add(ty_at(x, ":-1"), ty_num(1)));
    gives(rest, ty_add(ty_lazy(ty_at(x, ":-1")), ty_num(1)), expected, "x[1:] = x[:-1] + 1");
    gives(ty_at(x, "::-1"), x, copy_of(x), "x[::-1] = x");
    ty_tensor *m = memory_of(sample_shape(TY_F32, 2, (int64_t[]){5, 5}, 0, 1));
    gives(m, ty_transpose(m), copy_of(ty_transpose(m)), "m = m^T");
    gives(m, ty_matmul(ty_lazy(m), m), copy_of(ty_matmul(m, m)), "m = m m");
}

/* Two tensors that borrow the same bytes are one memory. */
static void borrowed_twice(void) {
    double numbers[] = {1, 2, 3, 4};
    ty_tensor *a = ty_borrow(TY_F64, TY_SHAPE(3), numbers, NULL, NULL),
              *b = ty_borrow(TY_F64, TY_SHAPE(3), numbers + 1, NULL, NULL);
    if (!ty_ok(a) || !ty_ok(b)) return;
    if (ty_into(b, ty_add(ty_lazy(a), ty_num(10)), NULL))
        CHECK(numbers[0] == 1 && numbers[1] == 11 && numbers[2] == 12 && numbers[3] == 13, "%g %g %g %g",
              numbers[0], numbers[1], numbers[2], numbers[3]);
}

static void several_at_once(void) {
    ty_tensor *a = memory_of(vector(50)), *b = memory_of(vector(50)), *of_a = copy_of(a), *of_b = copy_of(b),
              *error;
    if (!ty_ok(of_a) || !ty_ok(of_b)) return;
    bool done = ty_into_all(2, (ty_tensor *[]){a, b}, (ty_tensor *[]){b, a}, &error);
    CHECK(done || test_starving(), "%s", ty_error(error));
    CHECK(!done || (bytes_equal(a, of_b) && bytes_equal(b, of_a)), "not swapped");
    of_a = copy_of(ty_add(a, b)), of_b = copy_of(ty_mul(ty_sub(a, b), a));
    ty_tensor *sum = ty_add(ty_lazy(a), b), *product = ty_mul(ty_sub(ty_lazy(a), b), a);
    if (!ty_ok(of_a) || !ty_ok(of_b)) return;
    done = ty_into_all(2, (ty_tensor *[]){a, b}, (ty_tensor *[]){sum, product}, &error);
    CHECK(done || test_starving(), "%s", ty_error(error));
    CHECK(!done || (bytes_equal(a, of_a) && bytes_equal(b, of_b)), "read after it was written");
    ty_tensor *twice[] = {sum, sum}, *halves[] = {a, b};
    of_a = copy_of(ty_add(a, b));
    done = ty_into_all(2, halves, twice, &error);
    CHECK(!done || !ty_ok(of_a) || (bytes_equal(a, of_a) && bytes_equal(b, of_a)), "one promise into two");
    CHECK(ty_into_all(0, NULL, NULL, &error), "none at all");
}

/* ---- programs ---- */

static void programs_into_memory(void) {
    ty_tensor *v = ty_var(vector(300), "v"), *w = ty_var(vector(300), "w");
    ty_tensor *outputs[] = {ty_exp(v), ty_cumsum(ty_mul(v, w), 0, (ty_running){0}), ty_add(ty_flip(v, 0), w)};
    ty_update update = {w, ty_add(w, ty_num(1))};
    ty_program *p =
        test_program(ty_compile(3, outputs, (ty_compile_options){.updates = &update, .nupdates = 1}));
    ty_tensor *room = ty_memory(TY_F64, TY_SHAPE(700)), *dense = ty_memory(TY_F64, TY_SHAPE(300));
    ty_tensor *to[] = {dense, ty_slice(room, 0, 600, 0, -2), NULL};
    if (!ty_ok(room) || !ty_ok(dense) || !ty_ok(to[1])) return;
    for (int i = 0; i < 3; i++) {
        struct test_round round = test_round();
        ty_tensor *want[3];
        if (!ty_eval_all(3, outputs, want)) return;
        for (int k = 0; k < 3; k++) want[k] = copy_of(want[k]);
        bool done = ty_run_into(p, 3, to);
        CHECK(done || test_starving(), "%s", ty_program_error(p));
        if (done) {
            CHECK(bytes_equal(to[0], want[0]) && bytes_equal(to[1], want[1]), "round %d: other elements", i);
            CHECK(bytes_equal(ty_output(p, 2), want[2]), "round %d: another output", i);
            for (int k = 0; k < 2; k++) CHECK_POISON(ty_output(p, k), "destination");
        }
        test_round_end(round);
    }
    ty_tensor *kept = copy_of(dense);
    if (!ty_run(p) || !ty_ok(kept)) return;
    CHECK(bytes_equal(dense, kept), "a later run wrote into the destination");
    CHECK(!ty_run_into(p, 2, to) && strstr(ty_program_error(p), "2 destinations"), "%s", ty_program_error(p));
    CHECK(!ty_run_into(p, 3, (ty_tensor *[]){room, NULL, NULL}), "another shape");
    CHECK(!ty_run_into(p, 3, NULL), "no array");
    CHECK(ty_run(p) || test_starving(), "%s", ty_program_error(p));
}

static void incremental_programs(void) {
    ty_tensor *v = ty_var(vector(30), "v"), *w = ty_var(vector(30), "w");
    ty_tensor *outputs[] = {ty_exp(v), ty_neg(w)}, *want[2];
    ty_program *p = test_program(ty_compile(2, outputs, (ty_compile_options){.incremental = true}));
    ty_tensor *to[] = {ty_memory(TY_F64, TY_SHAPE(30)), ty_memory(TY_F64, TY_SHAPE(30))};
    for (int i = 0; i < 4; i++) {
        bool done = ty_eval_all(2, outputs, want) && ty_run_into(p, 2, to);
        CHECK(done || test_starving(), "%s", ty_program_error(p));
        CHECK(!done || (bytes_equal(to[0], want[0]) && bytes_equal(to[1], want[1])), "round %d", i);
        if (!ty_assign(i % 2 ? v : w, vector(30), NULL)) return;
    }
}

/* ---- refused ---- */

static void refused_as(ty_tensor *to, ty_tensor *x, ty_code code, const char *reason) {
    ty_tensor *error = NULL;
    CHECK(!ty_into(to, x, &error), "not refused: %s", reason);
    if (test_starving() && ty_error_code(error) == TY_ERROR_MEMORY) return;
    CHECK(ty_error_code(error) == code && strstr(ty_error(error), reason), "code %s, \"%s\", not %s",
          ty_code_name(ty_error_code(error)), ty_error(error), reason);
    CHECK(!ty_into(to, x, NULL), "without a place for the error");
}

static void none(DLManagedTensorVersioned *self) { (void)self; }

static void what_is_refused(void) {
    static double number[] = {1, 2, 3};
    static int64_t three = 3;
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(3), number), *m = ty_memory(TY_F64, TY_SHAPE(3)),
              *lazy = ty_exp(ty_lazy(x));
    ty_tensor *view = ty_flip(x, 0), *tracked = ty_track(x, "t"), *error;
    if (!ty_ok(m) || !ty_ok(lazy) || !ty_ok(view) || !ty_ok(tracked)) return;
    refused_as(NULL, x, TY_ERROR_ARGUMENT, "into: the destination is NULL");
    refused_as(m, NULL, TY_ERROR_ARGUMENT, "NULL");
    refused_as(ty_poison("mine"), x, TY_ERROR_USER, "mine");
    refused_as(m, ty_poison("yours"), TY_ERROR_USER, "yours");
    refused_as(m, ty_cast(lazy, TY_F32), TY_ERROR_DTYPE, "f32[3]");
    refused_as(m, ty_num(1), TY_ERROR_SHAPE, "f64[3]");
    refused_as(ty_memory(TY_F64, TY_SHAPE(1, 3)), x, TY_ERROR_SHAPE, "f64[1,3]");
    refused_as(x, lazy, TY_ERROR_STATE, "others hold its value");
    refused_as(view, lazy, TY_ERROR_STATE, "others hold its value");
    refused_as(lazy, x, TY_ERROR_STATE, "promise");
    refused_as(ty_var(x, "v"), x, TY_ERROR_STATE, "ty_assign");
    refused_as(tracked, x, TY_ERROR_STATE, "ty_assign");
    refused_as(ty_exp(tracked), x, TY_ERROR_STATE, "tracked");
    refused_as(m, ty_exp(tracked), TY_ERROR_UNSUPPORTED, "ty_detach");
    refused_as(ty_broadcast(ty_memory(TY_F64, TY_SCALAR), TY_SHAPE(3)), x, TY_ERROR_STATE, "one element");
    refused_as(ty_window(m, 0, 2, 1, 1), ty_ones(TY_F64, TY_SHAPE(2, 2)), TY_ERROR_STATE, "one element");
    static DLManagedTensorVersioned lent; /* the scope releases it after this function */
    lent =
        (DLManagedTensorVersioned){.version = {1, 0},
                                   .deleter = none,
                                   .flags = DLPACK_FLAG_BITMASK_READ_ONLY,
                                   .dl_tensor = {number, {kDLCPU, 0}, 1, {kDLFloat, 64, 1}, &three, NULL, 0}};
    refused_as(ty_from_dlpack(&lent), x, TY_ERROR_STATE, "read-only");
    ty_tensor *both[] = {ty_at(m, ":2"), ty_at(m, "1:")}, *ones = ty_ones(TY_F64, TY_SHAPE(2));
    CHECK(!ty_into_all(2, both, (ty_tensor *[]){ones, ones}, &error), "overlapping destinations");
    CHECK(!ty_into_all(-1, both, both, &error) && !ty_into_all(2, NULL, both, &error), "no arrays");
    CHECK(test_starving() || ty_item(ty_sum(m, TY_ALL)) == 0, "a refusal wrote something");
    CHECK_POISON(ty_memory(TY_F64, TY_SHAPE(-1)), "negative");
}

/* A value of the caller's alone may be written into. */
static void a_value_of_ones_own(void) {
    ty_tensor *x = ty_zeros(TY_F64, TY_SHAPE(40)), *y = vector(40);
    gives(x, ty_exp(ty_lazy(y)), ty_exp(y), "a value that nobody else holds");
    gives(x, ty_mul(ty_exp(ty_lazy(y)), ty_cumsum(ty_lazy(y), 0, (ty_running){0})),
          ty_mul(ty_exp(y), ty_cumsum(y, 0, (ty_running){0})), "compiled");
}

static void count_end(void *context, void *data) {
    (void)data;
    ++*(int *)context;
}

/* A view keeps memory that was lent until it has been written, also if its owner's handle is gone. */
static void lent_and_released(void) {
    static double numbers[6];
    int ended = 0;
    ty_scope *scope = ty_open();
    ty_tensor *lent = ty_borrow(TY_F64, TY_SHAPE(6), numbers, count_end, &ended), *error = NULL;
    ty_tensor *view = ty_own(ty_slice(lent, 0, 5, TY_END, -2)),
              *x = ty_from(TY_F64, TY_SHAPE(3), (double[]){1, 2, 3});
    ty_tensor *y = ty_own(ty_exp(ty_neg(ty_lazy(x))));
    ty_close(scope);
    bool done = ty_ok(view) && ty_ok(y) && ty_into(view, y, &error);
    CHECK((done && !ended) || test_starving(), "%d ends: %s", ended, ty_error(error));
    CHECK(!done || (numbers[5] > numbers[3] && numbers[3] > numbers[1] && numbers[0] == 0), "other elements");
    ty_release(view);
    ty_release(y);
    CHECK(ended == 1 || test_starving(), "%d ends", ended);
}

static void an_index_out_of_bounds(void) {
    ty_tensor *m = memory_of(vector(5)), *before = copy_of(m), *error = NULL;
    ty_tensor *far = ty_from(TY_I64, TY_SHAPE(5), (int64_t[]){0, 1, 2, 3, 77});
    if (!ty_ok(before) || !ty_ok(far)) return;
    CHECK(!ty_into(m, ty_gather(ty_lazy(m), far, 0), &error), "77 of 5");
    CHECK(bytes_equal(m, before) || test_starving(), "elements were written first");
}

/* ---- bytes beside ---- */

static const struct {
    const char *text;
    double bytes; /* for each element of x, f32 */
} beside[] = {
#define INTO(text, bytes) {text, bytes},
#include "tests/support/samples/into.def"
};

static void no_memory_beside(void) {
    enum { N = 1 << 20 };
    ty_tensor *x[BESIDE_NAMES];
    if (test_starving()) return;
    beside_operands(TY_F32, N, x);
    for (size_t k = 0; k < sizeof beside / sizeof *beside; k++) {
        struct beside b = beside_into(beside[k].text, x);
        CHECK(!b.error, "%s: %s", beside[k].text, b.error);
        CHECK((double)b.peak <= beside[k].bytes * N + (1 << 19), "%s: %lld bytes beside, %.2f an element",
              beside[k].text, (long long)b.peak, (double)b.peak / N);
    }
}

/* ---- values that become memory ---- */

/* A view that becomes memory shows its changes to the tensor it views, and promises made before read them. */
static void values_become_memory(void) {
    float data[] = {1, 2, 3, 4, 5, 6};
    ty_tensor *x = ty_from(TY_F32, TY_SHAPE(2, 3), data), *row = ty_at(x, "1"),
              *sum = ty_sum(ty_lazy(x), TY_ALL);
    ty_tensor *error = NULL;
    CHECK(!ty_into(ty_at(row, "0"), ty_scalar(TY_F32, 40), NULL), "a value with views changes");
    CHECK(ty_expose(row, &error) && !error, "%s", ty_error(error));
    CHECK(ty_expose(row, NULL) && ty_expose(x, NULL), "memory is refused");
    if (!ty_ok(x) || !ty_ok(row)) return;
    CHECK(ty_into(ty_at(row, "0"), ty_scalar(TY_F32, 40), &error) || test_starving(), "%s", ty_error(error));
    CHECK(test_starving() || ty_item(ty_at(x, "1, 0")) == 40,
          "the tensor that is viewed does not show the change");
    CHECK(test_starving() || ty_item(sum) == 57, "a promise reads old elements: %g", ty_item(sum));
}

/* Cached and compiled programs keep their constants apart from values that became memory, and from their results. */
static void programs_keep_constants(void) {
    const double numbers[] = {1, 2, 3};
    ty_tensor *v = ty_var(ty_zeros(TY_F64, TY_SHAPE(3)), "v"), *error = NULL;
    for (int i = 0; i < 3; i++) { /* the program of the first evaluation is found again by equal elements */
        ty_tensor *k = ty_from(TY_F64, TY_SHAPE(3), numbers);
        ty_tensor *y = ty_eval(ty_mul(ty_add(v, ty_lazy(k)), ty_lazy(k)));
        ty_tensor *folded = ty_eval(ty_mul(ty_lazy(ty_iota(TY_F64, TY_SHAPE(3), 0)), ty_num(3)));
        CHECK(test_starving() || (ty_item(ty_sum(y, TY_ALL)) == 14 && ty_item(ty_sum(folded, TY_ALL)) == 9),
              "evaluation %d: %g and %g", i, ty_item(ty_sum(y, TY_ALL)), ty_item(ty_sum(folded, TY_ALL)));
        CHECK((ty_expose(k, &error) && ty_into(k, ty_full(TY_F64, TY_SHAPE(3), 100), &error) &&
               ty_expose(folded, &error) && ty_into(folded, ty_full(TY_F64, TY_SHAPE(3), 100), &error)) ||
                  test_starving(),
              "%s", ty_error(error));
    }
    ty_tensor *c = ty_add(ty_lazy(ty_ones(TY_F64, TY_SHAPE(3))), ty_num(1)), *y[2];
    ty_tensor *outputs[] = {c, ty_add(v, c)};
    ty_program *p = test_program(ty_compile(2, outputs, (ty_compile_options){0}));
    for (int i = 0; i < 3; i++) {
        ty_tensor *again[2];
        if (!ty_run_outputs(p, 2, y) || !ty_run_outputs(p, 2, again))
            return CHECK(test_starving(), "%s", ty_program_error(p));
        CHECK((ty_expose(y[0], &error) && ty_into(y[0], ty_full(TY_F64, TY_SHAPE(3), 100), &error)) ||
                  test_starving(),
              "%s", ty_error(error));
        double sums[] = {ty_item(ty_sum(again[0], TY_ALL)), ty_item(ty_sum(again[1], TY_ALL))};
        CHECK(test_starving() || (sums[0] == 6 && sums[1] == 6), "run %d: %g and %g", i, sums[0], sums[1]);
    }
}

static void refused_as_memory(void) {
    static float fixed[2];
    ty_tensor *wide = ty_broadcast(ty_ones(TY_F32, TY_SHAPE(1)), TY_SHAPE(3));
    ty_tensor *list[] = {NULL,
                         ty_poison("bad"),
                         ty_lazy(ty_ones(TY_F32, TY_SHAPE(2))),
                         wide,
                         ty_track(ty_ones(TY_F32, TY_SHAPE(2)), "w"),
                         ty_cast(ty_ones(TY_F32, TY_SHAPE(2)), TY_I4)};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        ty_tensor *error = NULL;
        CHECK(!ty_expose(list[i], &error) && !ty_ok(error), "case %zu becomes memory", i);
        CHECK(!ty_expose(list[i], NULL), "case %zu becomes memory", i);
    }
    CHECK(ty_expose(ty_borrow(TY_F32, TY_SHAPE(2), fixed, NULL, NULL), NULL) || test_starving(),
          "borrowed memory");
}

/* Return true unless y is poison, which only a lack of memory allows. */
static bool is_well(const char *name, ty_tensor *y) {
    CHECK(ty_ok(y) || test_starving(), "%s: %s", name, ty_error(y));
    return ty_ok(y);
}

/* Check that the memory of x is read if a tensor made of it exists, which is dropped, and not afterwards. */
static void check_read(const char *name, ty_tensor *x, ty_tensor *(*make)(ty_tensor *x)) {
    CHECK(!ty_is_read(x), "%s: it is read before", name);
    ty_scope *scope = ty_open();
    ty_tensor *y = make(x);
    CHECK(!is_well(name, y) || ty_is_read(x), "%s: it is not read", name);
    ty_close(scope);
    CHECK(!ty_is_read(x), "%s: it is read afterwards", name);
}

static ty_tensor *promise_of(ty_tensor *x) { return ty_neg(ty_lazy(x)); }
static ty_tensor *promise_of_view(ty_tensor *x) { return ty_lazy(ty_at(x, "1")); }
static ty_tensor *tracked_beside(ty_tensor *x) { return ty_mul(ty_track(ty_ones(TY_F64, 0, NULL), "t"), x); }
static ty_tensor *tracked(ty_tensor *x) { return ty_track(x, "x"); }
static ty_tensor *evaluated_beside(ty_tensor *x) {
    return ty_eval(ty_mul(ty_track(ty_ones(TY_F64, 0, NULL), "t"), ty_lazy(x)));
}

/* Promises, histories and programs read their operands as long as they exist. */
static void readers_are_counted(void) {
    double data[] = {1, 2, 3, 4}, borrowed[] = {1, 2};
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(2, 2), data), *row = ty_at(x, "1");
    ty_tensor *b = ty_borrow(TY_F64, TY_SHAPE(2), borrowed, NULL, NULL), *p = ty_lazy(b);
    if (!is_well("x", x) || !is_well("row", row) || !is_well("b", b) || !is_well("p", p)) return;
    check_read("promise", x, promise_of);
    check_read("promise of a view", x, promise_of_view);
    check_read("its view", row, promise_of_view);
    check_read("history", x, tracked_beside);
    check_read("history of an evaluated promise", x, evaluated_beside);
    check_read("tracked leaf", x, tracked);
    CHECK(!ty_is_read(b) && !ty_is_read(p) && !ty_is_read(NULL) && !ty_is_read(ty_poison("bad")),
          "borrowed memory, a promise, NULL or poison is read");
    ty_tensor *y = ty_mul(ty_track(row, "t"), ty_num(2)), *plain = ty_detach(y);
    CHECK(!is_well("y", y) || !is_well("plain", plain) || ty_is_read(plain),
          "a view of a result with history is not read");
    ty_tensor *v = ty_var(ty_zeros(TY_F64, TY_SHAPE(2)), "v"), *big = ty_zeros(TY_F64, TY_SHAPE(300, 2));
    ty_program *program = ty_compile(1, (ty_tensor *[]){ty_add(v, ty_lazy(big))}, (ty_compile_options){0});
    CHECK(test_starving() || ty_is_read(big), "a program does not read its constant");
    ty_program_free(program);
}

/* Memory that a result takes over has no readers of its former owner. */
static void given_memory_is_not_read(void) {
    ty_tensor *x = ty_own(ty_zeros(TY_F64, TY_SHAPE(1000)));
    if (!ty_ok(x)) return ty_release(x);
    ty_tensor *promise = ty_add(ty_lazy(ty_give(x)), ty_num(1));
    ty_release(x);
    ty_tensor *y = ty_eval(promise);
    CHECK(!is_well("sum", y) || !ty_is_read(y), "a result of given memory is read");
}

TESTS_MAIN(TEST(readers_are_counted), TEST(given_memory_is_not_read), TEST(values_become_memory),
           TEST(programs_keep_constants), TEST(refused_as_memory), TEST(graphs_over_their_operands),
           TEST(two_results), TEST(many_operands_and_views), TEST(shifted_by_one), TEST(borrowed_twice),
           TEST(several_at_once), TEST(programs_into_memory), TEST(incremental_programs),
           TEST(what_is_refused), TEST(a_value_of_ones_own), TEST(an_index_out_of_bounds),
           TEST(lent_and_released), TEST_AT_HOME(no_memory_beside))
