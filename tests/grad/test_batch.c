/*
 * Batches of examples against one example after the other: ty_vmap of every elementwise entry, structural operator, and
 * function of gradient.def with its gradients. Every subset of operands is batched, as values, promises and tracked
 * values.
 */
#include <string.h>
#include "array/layout.h"
#include "ops/core/elementwise.h"
#include "ops/core/row_id.h"
#include "tests/support/compare.h"
#include "tests/support/samples/gradient_samples.h"
#include "tests/support/harness.h"
#include "tests/support/samples/operator_samples.h"
#include "tests/support/row_check.h"
#include "tests/support/samples/sample.h"

enum { MOST = 3 };

/* A batched function: one result of up to three operands. */
struct function {
    const char *name;
    int n;
    ty_tensor *(*run)(const struct function *f, ty_tensor *const *x);
    ty_tensor *(*value)(ty_tensor *const *x);
    ty_tensor *(*of_one)(ty_tensor *x);
    enum row_id row;
    double relative, absolute; /* tolerances; both 0: exact */
    bool varies; /* for a promise x it makes variables of its own, so all results are promises */
};

static void body(void *context, ty_tensor *const *x, ty_tensor **results) {
    const struct function *f = context;
    results[0] = f->run(f, x);
}

static ty_tensor *run_row(const struct function *f, ty_tensor *const *x) {
    return elementwise(f->row, f->n, x);
}
static ty_tensor *run_value(const struct function *f, ty_tensor *const *x) { return f->value(x); }
static ty_tensor *run_one(const struct function *f, ty_tensor *const *x) { return f->of_one(x[0]); }

/* Return the gradient by operand 0 of the sum of f's result. */
static ty_tensor *run_gradient(const struct function *f, ty_tensor *const *x) {
    ty_tensor *v[MOST], *y, *g;
    for (int i = 0; i < f->n; i++) v[i] = ty_is_promise(x[i]) ? x[i] : ty_track(x[i], "x");
    y = f->value(v);
    ty_grad(y, 1, v, &g);
    return g;
}

/* Return example k along the first axis. */
static ty_tensor *example(ty_tensor *x, int64_t k) { return ty_squeeze(ty_slice(x, 0, k, k + 1, 1), 0); }

enum how { EAGER, LAZY, TRACKED, HOWS };
static const char *const how_names[] = {"eager", "lazy", "tracked"};

static ty_tensor *leaf(ty_tensor *x, enum how how) {
    bool flows = ty_dtype_of(x) >= TY_F16;
    return how == LAZY ? ty_var(x, "x") : how == TRACKED && flows ? ty_track(x, "x") : x;
}

/* Return the stacked results of f for n examples, one by one. */
static ty_tensor *one_by_one(const struct function *f, ty_tensor *const *x, unsigned batched, int64_t n) {
    ty_allow_unused(true); /* some functions are constant gradients */
    ty_tensor **y = test_room((size_t)n * sizeof *y), *one[MOST];
    for (int64_t k = 0; k < n; k++) {
        for (int i = 0; i < f->n; i++) one[i] = leaf(batched >> i & 1 ? example(x[i], k) : x[i], TRACKED);
        y[k] = CHECK_OK(f->run(f, one));
    }
    return CHECK_OK(ty_stack((int)n, y, 0));
}

static void check(const struct function *f, ty_tensor *const *x, unsigned batched, int64_t n, enum how how) {
    ty_tensor *want = one_by_one(f, x, batched, n), *given[MOST], *got;
    int axes[MOST];
    for (int i = 0; i < f->n; i++) {
        bool differs =
            batched >> i & 1; /* an operand shared by all examples may be differentiated by, so it may be
                                 tracked */
        given[i] = CHECK_OK(leaf(x[i], how == EAGER && !differs && f->value ? TRACKED : how));
        axes[i] = differs ? 0 : TY_NO_AXIS;
    }
    ty_vmap(body, (void *)f, f->n, given, axes, 1, &got, NULL);
    CHECK_OK(got);
    CHECK(how == LAZY || f->varies || !ty_is_promise(got), "%s, %s: of values comes a promise", f->name,
          how_names[how]);
    got = CHECK_OK(ty_eval(got));
    if (f->relative == 0 && f->absolute == 0)
        compare_bits(got, want, "%s, %s, operands %x", f->name, how_names[how], batched);
    else
        compare_near(got, want, f->relative, f->absolute, "%s, %s, operands %x", f->name, how_names[how],
                     batched);
}

/* Check every nonempty set of batched operands. */
static void check_sets(const struct function *f,
                       ty_tensor *(*operand)(const struct function *f, int i, const void *with),
                       const void *with, int64_t n) {
    for (unsigned batched = 1; batched < 1u << f->n; batched++)
        for (enum how how = 0; how < HOWS; how++) {
            struct test_round round = test_round();
            ty_tensor *x[MOST], *one[8];
            for (int i = 0; i < f->n; i++) {
                for (int k = 0; k < n; k++) one[k] = CHECK_OK(operand(f, i, with));
                x[i] = batched >> i & 1 ? CHECK_OK(ty_stack((int)n, one, 0)) : one[0];
            }
            check(f, x, batched, n, how);
            test_round_end(round);
        }
}

/* Check batches of zero and one example. */
static void check_few(const struct function *f,
                      ty_tensor *(*operand)(const struct function *f, int i, const void *with),
                      const void *with) {
    check_sets(f, operand, with, 1);
    struct test_round round = test_round();
    ty_tensor *x[MOST], *y, *one[MOST];
    for (int i = 0; i < f->n; i++) {
        one[i] = leaf(CHECK_OK(operand(f, i, with)), TRACKED);
        int64_t shape[8] = {0};
        memcpy(shape + 1, ty_shape(one[i]), sizeof *shape * (size_t)ty_rank(one[i]));
        x[i] = ty_var(ty_zeros(ty_dtype_of(one[i]), ty_rank(one[i]) + 1, shape), "x");
    }
    ty_vmap(body, (void *)f, f->n, x, NULL, 1, &y, NULL);
    ty_tensor *like = CHECK_OK(f->run(f, one));
    CHECK_OK(ty_eval(y));
    CHECK(ty_rank(y) == ty_rank(like) + 1 && ty_shape(y)[0] == 0 &&
              shape_equal(ty_rank(like), ty_shape(like), ty_rank(like), ty_shape(y) + 1),
          "%s: no examples make another shape", f->name);
    test_round_end(round);
}

/* ---- elementwise entries ---- */

static ty_tensor *row_operand(const struct function *f, int i, const void *with) {
    static const struct {
        int rank;
        int64_t sizes[2];
    } shapes[MOST] = {{2, {2, 3}}, {1, {3}}, {2, {2, 1}}};
    const ty_dtype *dtype = with;
    return sample_shape(row_operand_dtype(f->row, *dtype, i), shapes[i].rank, shapes[i].sizes,
                        row_table[f->row].low, row_table[f->row].high);
}

static void rows(void) {
    static const ty_dtype dtypes[] = {TY_F32, TY_I32, TY_C64, TY_F16};
    for (int row = 0; row < ROWS; row++)
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
            struct function f = {
                .name = row_ops[row].name, .n = row_ops[row].arity, .run = run_row, .row = (enum row_id)row};
            if (row_takes(f.row, dtypes[d])) check_sets(&f, row_operand, &dtypes[d], 3);
        }
}

/* ---- structural operators ---- */

static ty_tensor *operator_operand(const struct function *f, int i, const void *with) {
    (void)f, (void)i, (void)with;
    return sample_shape(TY_F32, 4, (int64_t[]){1, 4, 4, 1}, 0.5, 2);
}

/* Return true for operators that cannot be batched: they read elements while they are recorded, or take dtypes for
   storage. */
static bool is_refused(const char *name) {
    return !strcmp(name, "packed") || !strcmp(name, "nonzero") || !strcmp(name, "evaluated") ||
           !strcmp(name, "tracked") || !strcmp(name, "variable");
}

static void operators(void) {
    for (int i = 0; i < operator_sample_count; i++) {
        struct function f = {.name = operator_samples[i].name,
                             .n = 1,
                             .run = run_one,
                             .of_one = operator_samples[i].run,
                             .relative = 1e-5,
                             .absolute = 1e-5,
                             .varies = true};
        if (is_refused(f.name)) continue;
        check_sets(&f, operator_operand, NULL, 3);
        check_few(&f, operator_operand, NULL);
    }
}

/* ---- functions and their gradients ---- */

static ty_tensor *function_operand(const struct function *f, int i, const void *with) {
    (void)f;
    return gradient_operand(with, TY_F64, i);
}

static void check_functions(ty_tensor *(*run)(const struct function *f, ty_tensor *const *x)) {
    for (int k = 0; k < gradient_sample_count; k++) {
        const struct gradient_sample *d = &gradient_samples[k];
        if (!(d->parts & PARTS_REAL)) continue;
        struct function f = {.name = d->name,
                             .n = d->n,
                             .run = run,
                             .value = d->value,
                             .relative = 1e-10,
                             .absolute = 1e-10,
                             .varies = !strcmp(d->name, "unpool_back")};
        check_sets(&f, function_operand, d, 3);
        check_few(&f, function_operand, d);
    }
}

static void functions(void) { check_functions(run_value); }
static void gradients(void) { check_functions(run_gradient); }

TESTS_MAIN(TEST(rows), TEST(operators), TEST(functions), TEST(gradients))
