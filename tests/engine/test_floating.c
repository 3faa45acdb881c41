/*
 * Results have the same bits in every floating-point mode of the caller, with one thread and with many. The caller's
 * modes and flags are restored. This covers all elementwise entries, operators, gradients and public functions with a
 * golden. Functions read no modes themselves, since expressions call them.
 */
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <tyto/expression.h>
#include <tyto/data.h>
#include <tyto/io.h>
#include <tyto/nn.h>

#include "base/threads/parallel.h"
#include "ops/core/elementwise.h"
#include "ops/core/row_id.h"
#include "tests/support/compare.h"
#include "tests/support/samples/golden_inputs.h"
#include "tests/support/samples/gradient_samples.h"
#include "tests/support/harness.h"
#include "tests/support/modes.h"
#include "tests/support/samples/operator_samples.h"
#include "tests/support/row_check.h"
#include "tests/support/samples/sample.h"
#include "tests/support/tree.h"

enum { MOST = 64 };

/* Computes up to MOST results into y; returns their number. */
typedef int computing(const void *context, ty_tensor **y);

/* Compute in the modes and check the flags; the test's own modes are restored first. */
static int computed_in(const struct mode *mode, computing *compute, const void *context, ty_tensor **y,
                       const char *what) {
    struct modes own = modes_now();
    feclearexcept(FE_ALL_EXCEPT);
    bool there = mode->set();
    struct modes before = modes_now();
    int n = there ? compute(context, y) : 0;
    struct modes after = modes_now();
    modes_restore(own);
    CHECK(!memcmp(&before, &after, sizeof before), "%s, %s: registers %llx %llx %llx are now %llx %llx %llx",
          what, mode->name, (unsigned long long)before.words[0], (unsigned long long)before.words[1],
          (unsigned long long)before.words[2], (unsigned long long)after.words[0],
          (unsigned long long)after.words[1], (unsigned long long)after.words[2]);
    return n;
}

static void same_in_all(computing *compute, const void *context, const char *what) {
    struct test_round round = test_round();
    ty_tensor *want[MOST], *got[MOST];
    int n = compute(context, want);
    for (int m = 0; m < mode_count; m += test_starving() ? 3 : 1) {
        struct test_round inner = test_round();
        ty_trim(); /* kernels prepared in other modes would be reused */
        int k = computed_in(&mode_table[m], compute, context, got, what);
        CHECK(k == n || k == 0, "%s, %s: %d results instead of %d", what, mode_table[m].name, k, n);
        for (int i = 0; i < k; i++) {
            if (!test_starving())
                CHECK(ty_ok(got[i]) == ty_ok(want[i]), "%s, %s: %s", what, mode_table[m].name,
                      ty_error(ty_ok(want[i]) ? got[i] : want[i]));
            if (ty_ok(got[i]) && ty_ok(want[i]))
                compare_bits(got[i], want[i], "%s, %s", what, mode_table[m].name);
        }
        test_round_end(inner);
    }
    test_round_end(round);
}

/* ---- elementwise entries ---- */

struct row_use {
    enum row_id row;
    ty_tensor *operands[3];
};

static int compute_row(const void *context, ty_tensor **y) {
    const struct row_use *use = context;
    y[0] = elementwise(use->row, row_ops[use->row].arity, (ty_tensor **)use->operands);
    return 1;
}

/* Check an entry on seven elements, which fill no vector of most dtypes: padding is computed, too. */
static void check_row(enum row_id row, ty_dtype dtype) {
    char what[96];
    struct test_round round = test_round();
    struct row_use use = {.row = row};
    for (int i = 0; i < row_ops[row].arity; i++)
        use.operands[i] = sample_shape(row_operand_dtype(row, dtype, i), 1, (int64_t[]){7},
                                       row_table[row].low, row_table[row].high);
    snprintf(what, sizeof what, "%s %s", row_ops[row].name, ty_dtype_name(dtype));
    same_in_all(compute_row, &use, what);
    for (int i = 0; i < row_ops[row].arity; i++) {
        _Alignas(16) char room[SAMPLE_SPECIALS * 16];
        int64_t shape[3] = {1, 1, 1};
        shape[i] = sample_specials(row_operand_dtype(row, dtype, i), room);
        use.operands[i] = ty_from(row_operand_dtype(row, dtype, i), row_ops[row].arity, shape, room);
    }
    same_in_all(compute_row, &use, what);
    test_round_end(round);
}

static void rows(void) {
    int apart = test_some(1, 5, 301), k = 0;
    for (int row = 0; row < ROWS; row++)
        for (int dtype = 0; dtype < TY_DTYPES; dtype++)
            if (row_takes((enum row_id)row, (ty_dtype)dtype) && k++ % apart == 0)
                check_row((enum row_id)row, (ty_dtype)dtype);
}

/* Entries on long arrays, shared by eight threads: one thread's modes do not affect the others. */
static void rows_in_threads(void) {
    enum { N = 100003 };
    int apart = test_some(1, 3, 31);
    for (int row = 0; row < ROWS; row += apart) {
        if (!row_takes((enum row_id)row, TY_F32)) continue;
        struct test_round round = test_round();
        struct row_use use = {.row = (enum row_id)row};
        for (int i = 0; i < row_ops[row].arity; i++)
            use.operands[i] = sample_shape(row_operand_dtype((enum row_id)row, TY_F32, i), 1, (int64_t[]){N},
                                           row_table[row].low, row_table[row].high);
        ty_set_threads(1);
        ty_tensor *alone[1], *together[1];
        compute_row(&use, alone);
        ty_set_threads(8);
        for (int m = 2; m < mode_count; m += 2) {
            int n = computed_in(&mode_table[m], compute_row, &use, together, row_ops[row].name);
            if (n && ty_ok(alone[0]) && ty_ok(together[0]))
                compare_bits(together[0], alone[0], "%s, 8 threads, %s", row_ops[row].name,
                             mode_table[m].name);
        }
        test_round_end(round);
    }
}

/* A worker has the usual modes, whatever the modes of the caller that started it. */
static int round_of_worker = -1, round_of_caller = -1;

static void look(void *context, int64_t begin, int64_t end) {
    (void)begin, (void)end;
    if (pthread_equal(pthread_self(), *(pthread_t *)context)) {
        round_of_caller = fegetround();
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); /* so that a worker can start in time */
    } else {
        round_of_worker = fegetround();
    }
}

static void workers(void) {
    pthread_t caller = pthread_self();
    struct modes own = modes_now();
    ty_set_threads(2);
    fesetround(FE_UPWARD);
    for (int i = 0; i < 50 && round_of_worker < 0; i++) parallel_for(2, 2, 1, look, &caller);
    modes_restore(own);
    CHECK(round_of_caller == FE_UPWARD, "parallel_for itself changes modes");
    CHECK(round_of_worker == FE_TONEAREST || round_of_worker < 0, "a worker rounds as its first caller: %d",
          round_of_worker);
}

/* ---- operators ---- */

static ty_tensor *operand;

static int compute_sample(const void *context, ty_tensor **y) {
    const struct operator_sample *sample = context;
    y[0] = sample->run(operand);
    y[1] = ty_eval(sample->run(ty_lazy(operand)));
    return 2;
}

static void operators(void) {
    operand = sample_shape(TY_F32, 4, (int64_t[]){1, 4, 4, 1}, -0.9, 0.9);
    for (int i = 0; i < operator_sample_count; i += test_some(1, 1, 7)) {
        if (!strcmp(operator_samples[i].name, "tracked")) continue; /* has no value of its own */
        same_in_all(compute_sample, &operator_samples[i], operator_samples[i].name);
    }
}

/* ---- gradients ---- */

static ty_tensor *of_function[3];

static int compute_gradient(const void *context, ty_tensor **y) {
    const struct gradient_sample *f = context;
    ty_tensor *x[3];
    for (int i = 0; i < f->n; i++) x[i] = ty_track(of_function[i], "x");
    ty_tensor *value = ty_sum(ty_abs(f->value(x)), TY_ALL);
    if (!ty_ok(value) || !ty_grad(value, f->n, x, y)) y[0] = value;
    return ty_ok(y[0]) ? f->n : 1;
}

static void gradients(void) {
    int apart = test_some(1, 3, 31);
    for (int k = 0; k < gradient_sample_count; k += apart) {
        const struct gradient_sample *f = &gradient_samples[k];
        struct test_round round = test_round();
        for (int i = 0; i < f->n; i++) of_function[i] = gradient_operand(f, TY_F64, i);
        same_in_all(compute_gradient, f, f->name);
        test_round_end(round);
    }
}

/* ---- public functions ---- */

static const char *names[GOLDEN_INPUTS];
static ty_tensor *values[GOLDEN_INPUTS];

static int compute_expression(const void *context, ty_tensor **y) {
    return ty_expressions(context, GOLDEN_INPUTS, names, values, MOST, y);
}

static void public_functions(void) {
    int apart = test_some(1, 5, 101), k = 0;
    golden_inputs(names, values);
    char *text = tree_text("tests/goldens/goldens.txt"), *line;
    while ((line = tree_line(&text)))
        if ((line = tree_golden(line)) && k++ % apart == 0) same_in_all(compute_expression, line, line);
}

/* ---- functions without a golden ---- */

static int compute_numbers(const void *context, ty_tensor **y) {
    (void)context;
    y[0] = ty_full(TY_F16, TY_SHAPE(2), 0.1);
    y[1] = ty_scalar(TY_F32, 1e-40);
    y[2] = ty_cast(ty_natural(UINT64_C(0x8000000000000401)), TY_F64);
    y[3] = ty_arange(TY_F32, 0, 1, 0.1);
    y[4] = ty_geomspace(TY_F64, 1, 7, 9);
    y[5] = ty_dropout_mask(TY_F64, TY_SHAPE(9), 0.3, ty_key(1));
    y[6] = ty_binomial(TY_F64, TY_SHAPE(9), ty_num(300), ty_num(0.3), ty_key(1));
    y[7] = ty_pascal(TY_F64, 40);
    y[8] = ty_add(ty_ones(TY_F32, TY_SHAPE(3)), ty_num(0.1));
    y[9] = ty_set_at(ty_ones(TY_F32, TY_SHAPE(3)), "1", ty_num(0.1));
    y[10] = ty_scalar(TY_F64, ty_item(ty_natural(UINT64_C(0x8000000000000401))));
    y[11] = ty_affine_grid(ty_ones(TY_F64, TY_SHAPE(1, 2, 3)), 2, (int64_t[]){3, 3}, false);
    y[12] = ty_nms(ty_from(TY_F32, TY_SHAPE(1, 1, 4), (float[]){0, 0, 1, 1}),
                   ty_from(TY_F32, TY_SHAPE(1, 1, 1), (float[]){0.1f}),
                   (ty_nms_options){.most = 1, .use_score = true, .score = 0.1});
    y[13] = ty_cov(ty_from(TY_F64, TY_SHAPE(1, 3), (double[]){1, 2, 4}), true, 0.1);
    y[14] = ty_expression("[9007199254740993, 0.3]", 0, NULL, NULL);
    y[15] = ty_expression("clip([0.5], 0, 9007199254740993)", 0, NULL, NULL);
    y[16] = ty_expression("full((2), 9007199254740993, dtype=f64)", 0, NULL, NULL);
    ty_dataset *digits = ty_dataset_digits(3, 0, 9);
    ty_dataset_get_all(digits, 2, &y[17]);
    ty_dataset_free(digits);
    return 19;
}

static int compute_contraction(const void *context, ty_tensor **y) {
    ty_tensor *const *x = context;
    ty_einsum_operand operands[] = {{TY_SHAPE(3, 5), NULL}, {TY_SHAPE(5, 7), NULL}, {TY_SHAPE(7, 2), NULL}};
    ty_einsum_plan *plan = ty_einsum_plan_new("ab,bc,cd->ad", TY_F64, 3, operands, (ty_einsum_options){0});
    y[0] = ty_einsum_plan_run(plan, 3, x);
    ty_einsum_plan_free(plan);
    return 1;
}

static int compute_program(const void *context, ty_tensor **y) {
    ty_tensor *x = ty_var(*(ty_tensor *const *)context, "x");
    y[0] = ty_exp(ty_div(ty_matmul(x, ty_transpose(x)), ty_num(3)));
    ty_program *program = ty_compile(1, y, (ty_compile_options){0});
    y[0] = ty_run(program) ? ty_add(ty_output(program, 0), ty_num(0)) : ty_program_failure(program);
    ty_program_free(program);
    return 1;
}

/* Convert numbers to text and back. */
static int compute_text(const void *context, ty_tensor **y) {
    ty_tensor *x = *(ty_tensor *const *)context, *error;
    const char *name = "x";
    ty_file_options options = {.format = "csv"};
    size_t size;
    char *bytes = ty_archive_bytes(1, &name, &x, options, &size, &error);
    y[0] = bytes ? ty_from(TY_U8, TY_SHAPE((int64_t)size), bytes) : error;
    ty_archive *back = bytes ? ty_archive_parse(bytes, size, options) : NULL;
    y[1] = back ? ty_archive_at(back, 0) : ty_poison("no archive: out of memory");
    if (back) ty_archive_free(back);
    ty_free(bytes);
    char *text = ty_format(x, (ty_print_options){0});
    y[2] = text ? ty_from(TY_U8, TY_SHAPE((int64_t)strlen(text)), text) : ty_poison("no text: out of memory");
    ty_free(text);
    const char *sentence = ty_error(ty_full(TY_I8, TY_SHAPE(1), 1000.1));
    y[3] = ty_from(TY_U8, TY_SHAPE((int64_t)strlen(sentence)), sentence);
    return 4;
}

static int compute_training(const void *context, ty_tensor **y) {
    bool lazy = context;
    const ty_layer_value steps[] = {TY_LAYER(linear, .units = 5), TY_LAYER(activation, .function = ty_tanh),
                                    TY_LAYER(dropout, .p = 0.3), TY_LAYER(linear, .units = 3)};
    ty_model *model = ty_model_sequence(4, steps, (ty_model_options){.lazy = lazy, .seed = 3});
    ty_tensor *images = ty_uniform(TY_F32, TY_SHAPE(12, 6), ty_key(5));
    ty_tensor *labels = ty_mod(ty_arange(TY_I64, 0, 12, 1), ty_int(3));
    ty_trainer *trainer = ty_trainer_new(
        model, (ty_trainer_options){
                   .inputs = images, .targets = labels, .batch = 4, .optimiser = {.rule = &ty_adam}});
    y[0] = ty_scalar(TY_F64, ty_trainer_run(trainer, 4, NULL, NULL));
    y[1] = ty_scalar(TY_F64, ty_trainer_accuracy(trainer, images, labels, &(ty_tensor *){NULL}));
    int n = ty_model_parameters(model);
    for (int i = 0; i < n; i++) y[2 + i] = ty_add(ty_eval(ty_model_parameter(model, i)), ty_num(0));
    ty_trainer_free(trainer);
    ty_model_free(model);
    return 2 + n;
}

static void others(void) {
    ty_tensor *x[] = {sample_shape(TY_F64, 2, (int64_t[]){3, 5}, -1, 1),
                      sample_shape(TY_F64, 2, (int64_t[]){5, 7}, -1, 1),
                      sample_shape(TY_F64, 2, (int64_t[]){7, 2}, -1, 1)};
    ty_tensor *small[] = {ty_mul(x[0], ty_num(0x1p-1040))};
    same_in_all(compute_numbers, NULL, "numbers");
    same_in_all(compute_contraction, x, "a plan of einsum");
    same_in_all(compute_program, x, "a program");
    same_in_all(compute_text, x, "text");
    same_in_all(compute_text, small, "text of subnormal numbers");
    same_in_all(compute_training, NULL, "eager training");
    same_in_all(compute_training, "", "compiled training");
}

TESTS_MAIN(TEST(workers), TEST(rows), TEST(rows_in_threads), TEST(operators), TEST(gradients),
           TEST(public_functions), TEST(others))
