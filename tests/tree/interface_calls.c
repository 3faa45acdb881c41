/* Calls the library through declarations made from tyto.json alone (interface_c.py), without its headers. */
#include "made.h"
#include <stdlib.h>
#include <string.h>

static int failed, passed;
#define CHECK(condition)                                                                                     \
    ((condition) ? (void)passed++                                                                            \
                 : (void)(failed++, fprintf(stderr, "not: %s (line %d)\n", #condition, __LINE__)))

static ty_tensor *half_of_squares(void *context, ty_tensor *const *x) {
    ++*(int *)context;
    return ty_mul(ty_num(0.5), ty_sum(ty_square(x[0]), (ty_axes){UINT64_MAX, 0, false}));
}

static void release(void *context, void *data) {
    (void)data;
    ++*(int *)context;
}

/* Fills the element at index[0] by its square. */
static void square_of(const int64_t *index, void *element, void *context) {
    (void)context;
    *(double *)element = (double)(index[0] * index[0]);
}

static void arrays(void) {
    const int64_t shape[] = {2, 3};
    const double data[] = {0, 1, 2, 3, 4, 5};
    double out[4] = {0};
    ty_tensor *x = ty_from(TY_F64, 2, shape, data);
    ty_tensor *y = ty_matmul(x, ty_permute(x, NULL));
    CHECK(ty_ok(y) && ty_rank(y) == 2 && ty_shape(y)[1] == 2 && ty_size(y) == 4);
    CHECK(ty_read(y, TY_F64, out) && out[0] == 5 && out[1] == 14 && out[2] == 14 && out[3] == 50);
    ty_axes rows = ty_axes_of(1, (int[]){0}, true);
    CHECK(rows.mask == 1 && rows.keep);
    CHECK(ty_rank(ty_sum(x, rows)) == 2 &&
          ty_item(ty_sum(x, ty_axis(-1))) != ty_item(x)); /* NaN: three elements */
    CHECK(strcmp(ty_dtype_name(ty_dtype_of(x)), "f64") == 0 && ty_dtype_size(TY_C128) == 16);
    ty_svd_parts parts = ty_svd(x, false);
    CHECK(ty_ok(parts.u) && ty_size(parts.s) == 2);
    char *text = ty_info(x);
    CHECK(text && strstr(text, "f64"));
    ty_free(text);
    ty_print_options options = {.precision = 2};
    text = ty_format(x, options);
    CHECK(text && strstr(text, "["));
    ty_free(text);
}

static void errors(void) {
    ty_tensor *wrong = ty_matmul(ty_ones(TY_F32, 1, (int64_t[]){2}), ty_ones(TY_F32, 1, (int64_t[]){3}));
    CHECK(!ty_ok(wrong) && *ty_error(wrong));
    CHECK(strcmp(ty_error(ty_poison("%s %d", "number", 7)), "number 7") == 0);
    ty_program *program = ty_compile(1, &wrong, (ty_compile_options){0});
    CHECK(*ty_program_error(program) && !ty_run(program));
    ty_program_free(program);
    CHECK(ty_metric_named("accuracy") == TY_METRIC_accuracy && ty_metric_named("none such") == TY_METRICS);
}

static void graphs(void) {
    int calls = 0;
    ty_tensor *x = ty_full(TY_F64, 1, (int64_t[]){4}, 3), *value, *gradient;
    CHECK(ty_value_and_grad(half_of_squares, &calls, 1, &x, &value, &gradient) && calls == 1);
    CHECK(ty_item(value) == 18 && ty_item(ty_sum(gradient, ty_axis(0))) == 12);
    ty_tensor *v = ty_var(x, "v"), *y = ty_exp(v), *error = NULL;
    ty_program *program = ty_compile(1, &y, (ty_compile_options){.keep_graph = true});
    CHECK(ty_run(program) && ty_size(ty_output(program, 0)) == 4);
    CHECK(ty_assign(v, ty_zeros(TY_F64, 1, (int64_t[]){4}), &error) && ty_run(program));
    CHECK(ty_item(ty_sum(ty_output(program, 0), ty_axis(0))) == 4);
    CHECK(!ty_assign(v, ty_num(1), &error) && *ty_error(error));
    ty_program_free(program);
}

static void memory(void) {
    double data[] = {1, 2, 3};
    int released = 0;
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_borrow(TY_F64, 1, (int64_t[]){3}, data, release, &released);
    CHECK(ty_data(x) == data && !released);
    ty_close(scope);
    CHECK(released == 1);
    ty_tensor *squares = ty_from_function(TY_F64, 1, (int64_t[]){4}, square_of, NULL);
    CHECK(ty_item(ty_sum(squares, ty_axis(0))) == 14);
}

int main(void) {
    ty_scope *scope = ty_open();
    arrays();
    errors();
    graphs();
    memory();
    CHECK(strcmp(ty_adam.name, "adam") == 0 && ty_rules[0] != NULL);
    ty_close(scope);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
