/* Functions that read elements on the host, of tensors that only a lost device has: each tells the loss, and none takes
   other numbers in their place.  The harness fails a test in which code takes elements that could not be fetched. */
#include <string.h>
#include <tyto/data.h>
#include <tyto/io.h>
#include <tyto/nn.h>
#include <tyto/sparse_derivative.h>
#include <tyto/table.h>

#include "tests/support/far.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

/* Return numbers, of the dtype, that only far:0 has. */
static ty_tensor *alone(ty_dtype dtype, int rank, const int64_t *shape) {
    return CHECK_OK(ty_add(ty_to(sample_shape(dtype, rank, shape, 1, 9), "far:0"), ty_int(0)));
}

/* Check that a message tells of the device, or of memory where allocations fail. */
static void check_words(const char *message) {
    CHECK(strstr(message, "far: the device does not answer") ||
              strstr(message, "far:0: the device is lost") || test_starving(),
          "\"%s\"", message);
}

static void release_loader(void *x) { ty_loader_free(x); }
static void release_set(void *x) { ty_dataset_free(x); }
static void release_table(void *x) { ty_table_free(x); }

static void loaders(void) {
    far_begin();
    ty_tensor *x = alone(TY_F32, TY_SHAPE(20, 3)), *y = NULL;
    ty_dataset *set = test_own(ty_dataset_arrays(1, &x, NULL), release_set);
    far.lost = true;
    ty_loader *loader =
        test_own(ty_loader_new(set, (ty_loader_options){.batch = 4, .threads = -1}), release_loader);
    if (*ty_loader_error(loader)) {
        check_words(ty_loader_error(loader));
        return;
    }
    CHECK(ty_loader_next(loader, 1, &y) || test_starving(), "no batch");
    if (y) check_words(ty_error(y));
}

static void tables(void) {
    far_begin();
    const char *names[] = {"a"};
    ty_tensor *x = alone(TY_I64, TY_SHAPE(5)), *other = alone(TY_F64, TY_SHAPE(5));
    ty_table *t = test_own(ty_table_new(1, names, &x), release_table);
    far.lost = true;
    CHECK(!*ty_table_error(t) || test_starving(), "%s", ty_table_error(t)); /* its columns are at home */
    test_text(ty_table_to_string(t, (ty_table_print_options){0}));
    ty_table *lost = test_own(ty_table_new(1, names, &other), release_table);
    CHECK(*ty_table_error(lost), "a table of lost columns");
    check_words(ty_table_error(lost));
}

/* Indices are operands whose values decide which derivatives are zero. */
static void patterns(void) {
    far_begin();
    ty_tensor *index = alone(TY_I64, TY_SHAPE(4)), *x = ty_var(ty_ones(TY_F64, TY_SHAPE(10)), "x");
    ty_tensor *y = ty_take(x, index, 0), *values, *indices;
    far.lost = true;
    CHECK(!ty_sparse_jacobian(y, x, &values, &indices, NULL), "a pattern of lost indices");
    check_words(ty_error(values));
}

static void release_trainer(void *x) { ty_trainer_free(x); }
static void release_model(void *x) { ty_model_free(x); }

static void trainers(void) {
    far_begin();
    ty_tensor *x = alone(TY_F32, TY_SHAPE(8, 3)), *t = ty_zeros(TY_I64, TY_SHAPE(8));
    const ty_layer_value linear = TY_LAYER(linear, .units = 2);
    ty_model *m = test_own(ty_model_sequence(1, &linear, (ty_model_options){.lazy = true}), release_model);
    far.lost = true;
    ty_trainer *trainer = test_own(
        ty_trainer_new(m, (ty_trainer_options){.inputs = x, .targets = t, .batch = 4}), release_trainer);
    double loss = ty_trainer_step(trainer);
    CHECK(loss != loss, "a loss of %g of lost examples", loss);
    check_words(ty_trainer_error(trainer));
}

/* Passes over graphs look at constants, and merge equal ones: those that are lost are no zeros. */
static void constants(void) {
    far_begin();
    ty_tensor *x = ty_var(ty_ones(TY_I32, TY_SHAPE(3)), "x");
    ty_tensor *y = ty_mul(ty_add(x, alone(TY_I32, TY_SHAPE(3))), alone(TY_I32, 0, NULL));
    far.lost = true;
    ty_program *p = test_program(ty_compile(1, &y, (ty_compile_options){.engine = "cpu"}));
    test_text(ty_program_text(p));
    CHECK(!ty_run(p), "a program runs without its constants");
    check_words(ty_program_error(p));
}

/* The value of a plain number decides on dtypes. */
static void plain_numbers(void) {
    far_begin();
    ty_tensor *number = CHECK_OK(ty_add(ty_to(ty_int(300), "far:0"), ty_int(0)));
    far.lost = true;
    ty_tensor *y = ty_add(ty_ones(TY_U8, TY_SHAPE(2)), number);
    CHECK(!ty_ok(ty_eval(y)), "a sum with a lost number");
    check_words(ty_error(ty_eval(y)));
}

/* A family whose error cell is too large to be read is not registered. */
static void large_cells(void) {
    static struct device_family family;
    int i = 0;
    far_begin();
    while (strcmp(engine_family(i)->name, "far") != 0) i++;
    family = *engine_family(i);
    family.name = "farther";
    family.cell_bytes = DEVICE_CELL + 1;
    CHECK(!engine_register(&family), "a cell of %d bytes", DEVICE_CELL + 1);
    family.cell_bytes = DEVICE_CELL;
    CHECK(engine_register(&family), "a cell of %d bytes is refused", DEVICE_CELL);
    engine_remove(&family);
}

TESTS_MAIN(TEST(large_cells), TEST(loaders), TEST(tables), TEST(patterns), TEST(trainers), TEST(constants),
           TEST(plain_numbers))
