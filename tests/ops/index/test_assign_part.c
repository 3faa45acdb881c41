/* Assignment of parts of variables: values, holders of values, refusals, threads. Incremental runs of such variables
   are in test_incremental_rows.c. */
#include <pthread.h>
#include <stdio.h>
#include <tyto/tyto.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"

enum { N = 40, D = 6 };

static ty_tensor *numbers(int64_t rows, uint64_t key) {
    return ty_normal(TY_F32, TY_SHAPE(rows, D), ty_key(key));
}
static ty_tensor *matrix(uint64_t key) { return ty_var(numbers(N, key), "x"); }

static ty_program *compile(int n, ty_tensor **outputs) {
    return test_program(ty_compile(n, outputs, (ty_compile_options){.incremental = true}));
}

static bool assign(ty_tensor *x, const char *part, ty_tensor *v) {
    ty_tensor *error = NULL;
    bool done = ty_assign_at(x, part, v, &error);
    CHECK(done || test_starving(), "%s: %s", part, ty_error(error));
    return done;
}

/* A value that somebody holds stays; without holders the memory of the variable stays. */
static void held_values(void) {
    ty_tensor *x = matrix(1), *before = ty_eval(x), *copy = ty_mul(before, ty_num(1)), *error = NULL;
    if (!assign(x, "1:3", numbers(2, 2))) return;
    compare_bits(before, copy, "the value that was read");
    ty_tensor *want = ty_set_at(before, "1:3", numbers(2, 2));
    compare_bits(ty_eval(x), want, "the variable");
    ty_tensor *self = ty_at(x, "::-1"); /* reads what it writes */
    want = ty_eval(self);
    if (ty_assign_at(x, "...", self, &error)) compare_bits(ty_eval(x), want, "reversed");
}

/* Parts with tensors, new axes and negative steps, of values of other dtypes that broadcast; eager variables. */
static void parts_of_all_kinds(void) {
    int64_t two[] = {4, -1};
    ty_tensor *index = ty_from(TY_I64, TY_SHAPE(2), two), *error = NULL;
    ty_index lists[][3] = {{TY_OF(index)},
                           {TY_RANGE(8, 2, -3), TY_AT(1)},
                           {TY_AT(-1), TY_NEW, TY_RANGE(1, 4, 1)},
                           {TY_DOTS, TY_AT(2)},
                           {TY_RANGE(4, 4, 1)},
                           {TY_OF(ty_lazy(index)), TY_RANGE(0, 3, 1)}};
    const int counts[] = {1, 2, 3, 2, 1, 2};
    for (int i = 0; i < 12; i++) {
        ty_tensor *value = numbers(N, 1), *v = i % 3 ? ty_num(i) : ty_scalar(TY_I32, i);
        ty_tensor *x = i % 2 ? ty_track(value, "x") : ty_var(value, "x");
        ty_tensor *y = ty_lazy(ty_num(0));
        if (!(i % 2)) y = ty_exp(x);
        ty_program *p = compile(1, &y);
        if (!ty_run(p)) return;
        compare_bits(ty_output(p, 0), ty_eval(y), "before part %d", i);
        bool done = ty_assign_items(x, counts[i / 2], lists[i / 2], v, &error);
        CHECK(done || test_starving(), "%d: %s", i, ty_error(error));
        if (!done) return;
        compare_bits(ty_eval(ty_detach(x)), ty_eval(ty_set(value, counts[i / 2], lists[i / 2], v)),
                     "items %d", i);
        if (!ty_run(p)) return;
        compare_bits(ty_output(p, 0), ty_eval(y), "part %d", i);
    }
}

static void refusals(void) {
    ty_tensor *x = matrix(1), *value = numbers(N, 1), *error = NULL;
    static const struct {
        const char *part, *words;
    } rows[] = {
        {"900", "out of bounds"}, {"1:2:0", "step"}, {"oops", "column 1"}, {NULL, "the text is NULL"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK(!ty_assign_at(x, rows[i].part, ty_num(1), &error), "%s was accepted", rows[i].part);
        CHECK_POISON(error, rows[i].words);
    }
    CHECK(!ty_assign_at(x, "1:3", ty_zeros(TY_F32, TY_SHAPE(3, D)), &error), "a shape was accepted");
    CHECK_POISON(error, "broadcast");
    CHECK(!ty_assign_at(value, "1", ty_num(1), &error), "a value was assigned");
    CHECK_POISON(error, "only variables");
    CHECK(!ty_assign_at(ty_exp(x), "1", ty_num(1), &error), "a promise was assigned");
    CHECK_POISON(error, "only variables");
    CHECK(!ty_assign_at(x, "1", ty_poison("bad"), &error), "poison was assigned");
    CHECK_POISON(error, "bad");
    CHECK(!ty_assign_at(ty_poison("worse"), "1", ty_num(1), NULL), "poison was assigned");
    int64_t far = N;
    CHECK(!ty_assign_items(x, 1, (ty_index[]){TY_OF(ty_from(TY_I64, TY_SHAPE(1), &far))}, ty_num(1), &error),
          "an index was accepted");
    CHECK_POISON(error, "out of bounds");
    compare_bits(ty_eval(x), value, "after refusals");
}

/* A function that a run calls does not wait for the run. */
static void assigns(void *context, ty_called *call) {
    ty_tensor *error = NULL;
    bool done = ty_assign_at(context, "1", ty_num(1), &error);
    if (done || ty_error_code(error) != TY_ERROR_STATE) call->y[0] = ty_poison("it was assigned");
    ((double *)call->data[0])[0] = 1;
}

static void inside_a_run(void) {
    ty_tensor *x = matrix(1), *y, *one = ty_lazy(ty_num(0)), *error = NULL;
    ty_form form = {TY_F64, 0, NULL};
    ty_update update = {x, ty_add(x, ty_num(1))};
    if (!ty_call((ty_callee){.f = assigns, .context = x}, 1, &one, 1, &form, &y)) return;
    ty_program *p = test_program(ty_compile(1, &y, (ty_compile_options){.updates = &update, .nupdates = 1}));
    bool ran = ty_run(p);
    CHECK(ran || test_starving(), "%s", ty_program_error(p));
    CHECK(ty_assign_at(x, "1", ty_num(1), &error) || test_starving(), "%s", ty_error(error));
}

/* ---- threads ---- */

enum { THREADS = 4, ROUNDS = 40 };
struct meeting {
    ty_program *program;
    ty_tensor *x;
    int row;
};

/* Assign one row again and again, and run; the row's result must follow, whatever other threads do. */
static void *meet(void *context) {
    const struct meeting *m = context;
    ty_scope *scope = ty_open();
    const char *wrong = NULL;
    char part[20];
    snprintf(part, sizeof part, "%d", m->row);
    for (int i = 0; i < ROUNDS && !wrong; i++) {
        ty_tensor *y, *error = NULL;
        if (!ty_assign_at(m->x, part, ty_num(i), &error))
            wrong = ty_error(error);
        else if (!ty_run_outputs(m->program, 1, &y))
            wrong = ty_error(y);
        else if (ty_item(ty_at(y, part)) != i * D)
            wrong = "the row of another time";
    }
    ty_close(scope);
    return (void *)(uintptr_t)wrong;
}

static void several_threads(void) {
    ty_tensor *x = matrix(1), *y = ty_sum(x, (ty_axes){.mask = 2});
    ty_program *p = compile(1, &y);
    struct meeting meetings[THREADS];
    pthread_t threads[THREADS];
    if (test_starving() || *ty_program_error(p)) return;
    for (int i = 0; i < THREADS; i++) {
        meetings[i] = (struct meeting){p, x, i * 3};
        pthread_create(&threads[i], NULL, meet, &meetings[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        CHECK(!wrong, "%s", (const char *)wrong);
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(ty_item(ty_get(x, TY_ITEMS(TY_AT(i * 3), TY_AT(0)))) == ROUNDS - 1, "row %d", i);
}

TESTS_MAIN(TEST(held_values), TEST(parts_of_all_kinds), TEST(refusals), TEST(inside_a_run),
           TEST(several_threads))
