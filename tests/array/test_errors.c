/* Codes of errors and their details as JSON: one error of each code, copies of errors that keep it, and the failures of
   handles. */
#include <stdlib.h>
#include <string.h>
#include <tyto/contraction.h>
#include <tyto/data.h>
#include <tyto/expression.h>
#include <tyto/io.h>
#include <tyto/nn.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "io/json.h"
#include "tests/support/harness.h"

#define CHECK_CODE(x, expected) check_code(__LINE__, x, expected)
static ty_tensor *check_code(int line, ty_tensor *x, ty_code expected) {
    CHECK_POISON(x, "");
    CHECK(ty_error_code(x) == expected || (mem_failed() && ty_error_code(x) == TY_ERROR_MEMORY),
          "line %d: \"%s\" has the code %s, not %s", line, ty_error(x), ty_code_name(ty_error_code(x)),
          ty_code_name(expected));
    return x;
}

/* ---- the table ---- */

static void names(void) {
    static const char *const words[] = {"none",        "memory", "shape",       "dtype",         "index",
                                        "argument",    "domain", "singular",    "not converged", "file",
                                        "format",      "limit",  "interrupted", "timeout",       "device",
                                        "unsupported", "state",  "user",        "internal"};
    CHECK(TY_CODES == sizeof words / sizeof *words, "%d codes", TY_CODES);
    for (int i = 0; i < TY_CODES; i++)
        CHECK(!strcmp(ty_code_name((ty_code)i), words[i]), "code %d is \"%s\"", i, ty_code_name((ty_code)i));
    CHECK(!strcmp(ty_code_name(TY_CODES), "?") && !strcmp(ty_code_name((ty_code)-1), "?"), "no code");
}

/* ---- an error of each code ---- */

static ty_tensor *square_plus_one(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_add(ty_mul(x[0], x[0]), ty_num(1));
}

static ty_tensor *nothing(void *context, ty_tensor *const *x) {
    (void)context, (void)x;
    return NULL;
}

/* Errors that the operands' forms show. */
static void of_forms(void) {
    ty_tensor *a = ty_ones(TY_F32, TY_SHAPE(2, 3)), *whole = ty_ones(TY_I32, TY_SHAPE(3)), *many[65];
    CHECK_CODE(ty_zeros(TY_F64, TY_SHAPE((int64_t)1 << 40, (int64_t)1 << 40)), TY_ERROR_MEMORY);
    CHECK_CODE(ty_matmul(a, a), TY_ERROR_SHAPE);
    CHECK_CODE(ty_add(a, ty_ones(TY_F32, TY_SHAPE(4))), TY_ERROR_SHAPE);
    CHECK_CODE(ty_einsum("ab,b", a, a), TY_ERROR_SHAPE);
    CHECK_CODE(ty_uniform(TY_I32, TY_SHAPE(2), ty_key(1)), TY_ERROR_DTYPE);
    CHECK_CODE(ty_floor(ty_ones(TY_C64, TY_SHAPE(2))), TY_ERROR_DTYPE);
    CHECK_CODE(ty_sum(a, ty_axis(2)), TY_ERROR_INDEX);
    CHECK_CODE(ty_cast(a, (ty_dtype)99), TY_ERROR_ARGUMENT);
    CHECK_CODE(ty_neg(NULL), TY_ERROR_ARGUMENT);
    CHECK_CODE(ty_concat(1, NULL, 0), TY_ERROR_ARGUMENT);
    CHECK_CODE(ty_einsum("ab,(b", a, a), TY_ERROR_FORMAT);
    CHECK_CODE(ty_expression("1 +", 0, NULL, NULL), TY_ERROR_FORMAT);
    for (int i = 0; i < 65; i++) many[i] = whole;
    ty_tensor *mesh[65];
    CHECK(!ty_meshgrid(65, many, false, mesh), "a grid of 65 axes");
    CHECK_CODE(mesh[0], TY_ERROR_LIMIT);
}

/* Errors that the values of elements show. */
static void of_values(void) {
    ty_tensor *whole = ty_ones(TY_I32, TY_SHAPE(3)), *start = ty_full(TY_F64, TY_SHAPE(1), 0.3);
    CHECK_CODE(ty_take(whole, ty_full(TY_I64, TY_SHAPE(1), 7), 0), TY_ERROR_INDEX);
    CHECK_CODE(ty_repeat_each(whole, ty_neg(whole), 0), TY_ERROR_DOMAIN);
    CHECK_CODE(ty_inv(ty_zeros(TY_F64, TY_SHAPE(2, 2))), TY_ERROR_SINGULAR);
    CHECK_CODE(ty_cholesky(ty_neg(ty_eye(TY_F64, 2))), TY_ERROR_SINGULAR);
    CHECK_CODE(ty_newton(square_plus_one, NULL, start, 0, NULL, (ty_root_options){.steps = 5}),
               TY_ERROR_NOT_CONVERGED);
    CHECK_CODE(ty_load("there-is-no-such-file.npy"), TY_ERROR_FILE);
}

/* Errors of the caller, of callbacks and of the order of calls. */
static void of_callers(void) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(3)), *value, *gradient;
    CHECK_CODE(ty_poison("mine"), TY_ERROR_USER);
    CHECK_CODE(ty_poison(NULL), TY_ERROR_ARGUMENT);
    for (int i = 1; i < TY_CODES; i++)
        CHECK(ty_error_code(ty_poison_code((ty_code)i, "%d", i)) == (ty_code)i || mem_failed(), "code %d", i);
    CHECK_CODE(ty_poison_code(TY_ERROR_NONE, "none"), TY_ERROR_USER);
    CHECK_CODE(ty_poison_code(TY_CODES, "beyond"), TY_ERROR_USER);
    CHECK_CODE(ty_poison_code((ty_code)-1, "before"), TY_ERROR_USER);
    CHECK(!ty_value_and_grad(nothing, NULL, 1, &x, &value, &gradient), "a function that returns NULL");
    CHECK_CODE(gradient, TY_ERROR_USER);
    ty_tensor *v = ty_var(x, "v");
    ty_program *p = test_own(ty_compile(1, (ty_tensor *[]){ty_neg(v)}, (ty_compile_options){0}),
                             (void (*)(void *))ty_program_free);
    CHECK_CODE(ty_output(p, 0), TY_ERROR_STATE);
    CHECK(ty_error_code(x) == TY_ERROR_NONE && ty_error_code(NULL) == TY_ERROR_ARGUMENT,
          "no poison, and NULL");
}

/* ---- errors that are passed on ---- */

static void pass_on(void *context, ty_tensor *const *x, ty_tensor **y) {
    y[0] = ty_sum(x[0], ty_axis(context ? 9 : 0));
}

static void copies(void) {
    ty_tensor *bad = ty_poison_code(TY_ERROR_TIMEOUT, "too late"), *x = ty_ones(TY_F32, TY_SHAPE(3)), *y;
    CHECK_CODE(ty_neg(bad), TY_ERROR_TIMEOUT);
    CHECK_CODE(ty_softmax(bad, 0), TY_ERROR_TIMEOUT);
    CHECK_CODE(ty_matmul(x, bad), TY_ERROR_TIMEOUT);
    CHECK_CODE(ty_eval(ty_neg(ty_lazy(bad))), TY_ERROR_TIMEOUT);
    CHECK(!ty_vmap(pass_on, x, 1, &x, NULL, 1, &y, NULL), "axis 9");
    CHECK_CODE(y, TY_ERROR_INDEX);
    ty_program *p = test_own(ty_compile(1, &bad, (ty_compile_options){0}), (void (*)(void *))ty_program_free);
    CHECK_CODE(ty_program_failure(p), TY_ERROR_TIMEOUT);
    CHECK_CODE(ty_output(p, 0), TY_ERROR_TIMEOUT);
    ty_tensor *error;
    CHECK(!ty_save("never-written.npy", bad, &error), "poison cannot be saved");
    CHECK_CODE(error, TY_ERROR_TIMEOUT);
}

/* ---- failures of handles ---- */

static void failures(void) {
    ty_archive *archive =
        test_own(ty_archive_parse("no format", 9, (ty_file_options){0}), (void (*)(void *))ty_archive_free);
    CHECK_CODE(ty_archive_failure(archive), TY_ERROR_FORMAT);
    CHECK_CODE(ty_archive_at(archive, 0), TY_ERROR_FORMAT);
    ty_model *model =
        test_own(ty_model_parse("{", 1, (ty_model_options){0}), (void (*)(void *))ty_model_free);
    CHECK_CODE(ty_model_failure(model), TY_ERROR_FORMAT);
    CHECK(mem_failed() || !strcmp(ty_error(ty_model_failure(model)), ty_model_error(model)),
          "another message");
    ty_tree *tree = test_own(ty_tree_new(ty_ones(TY_F32, TY_SHAPE(3, 2)), (ty_distance_options){0}),
                             (void (*)(void *))ty_tree_free);
    CHECK(mem_failed() || !ty_tree_failure(tree), "a tree that has not failed");
    CHECK_CODE(ty_tree_failure(NULL), TY_ERROR_ARGUMENT);
    CHECK_CODE(ty_graph_failure(NULL), TY_ERROR_ARGUMENT);
    CHECK_CODE(ty_loader_failure(NULL), TY_ERROR_ARGUMENT);
    CHECK_CODE(ty_dataset_failure(NULL), TY_ERROR_ARGUMENT);
    CHECK_CODE(ty_trainer_failure(NULL), TY_ERROR_ARGUMENT);
    CHECK_CODE(ty_function_failure(NULL), TY_ERROR_ARGUMENT);
    CHECK_CODE(ty_einsum_plan_failure(NULL), TY_ERROR_ARGUMENT);
    CHECK_CODE(ty_contraction_plan_failure(NULL), TY_ERROR_MEMORY);
}

/* ---- details ---- */

/* Return the details of x, parsed; the test ends if they are not valid JSON. */
static const struct json *details_of(const ty_tensor *x) {
    char *text = test_own(ty_error_details(x), ty_free);
    if (!text && mem_failed()) test_fail(__FILE__, __LINE__, "text", "out of memory");
    CHECK(text, "no details");
    struct fault fault = {0};
    struct json *root =
        test_own(json_read("details", "they", text, strlen(text), 8, 1 << 20, &fault), mem_free);
    CHECK(root, "%s: %s", fault.text, text);
    return root;
}

static bool has_text(const struct json *object, const char *key, const char *expected) {
    const char *text = json_text(json_get(object, key));
    return text && !strcmp(text, expected);
}

static void check_operand(const struct json *list, int i, const char *dtype, int64_t first,
                          const char *name) {
    const struct json *x = &json_get(list, "operands")->items[i];
    int64_t index, size;
    CHECK(json_integer(json_get(x, "index"), &index) && index == i + 1, "operand %d has another index", i);
    CHECK(has_text(x, "dtype", dtype), "operand %d has another dtype", i);
    CHECK(json_count(json_get(x, "shape")) == 2 && json_integer(json_get(x, "shape")->items, &size) &&
              size == first,
          "operand %d has another shape", i);
    CHECK(name ? has_text(x, "name", name) : !json_get(x, "name"), "operand %d has another name", i);
    CHECK(has_text(x, "place", "net.c:42"), "operand %d has another place", i);
}

static void details(void) {
    ty_here("folder/net.c", 42);
    ty_tensor *a = ty_named(ty_ones(TY_F32, TY_SHAPE(2, 3)), "\"we\\ights\"\n\x01\xff<"),
              *b = ty_ones(TY_F64, TY_SHAPE(4, 3));
    CHECK_OK(a), CHECK_OK(b);
    ty_here("folder/net.c", 50);
    ty_tensor *y = ty_matmul(a, b), *z = ty_sum(a, ty_axis(7)), *mine = ty_poison("mine: \"quoted\"");
    ty_here(NULL, 0);
    CHECK_CODE(y, TY_ERROR_SHAPE);
    const struct json *root = details_of(y);
    CHECK(has_text(root, "code", "shape") && has_text(root, "function", "matmul"), "code and function");
    CHECK(has_text(root, "message", ty_error(y)) && has_text(root, "place", "net.c:50"), "message and place");
    CHECK(json_count(json_get(root, "operands")) == 2, "two operands");
    check_operand(root, 0, "f32", 2, "\"we\\ights\"\n\x01\xef\xbf\xbd<");
    check_operand(root, 1, "f64", 4, NULL);
    CHECK_CODE(z, TY_ERROR_INDEX);
    root = details_of(ty_neg(z));
    CHECK(has_text(root, "code", "index") && has_text(root, "function", "sum"), "the first failure is kept");
    CHECK(json_count(json_get(root, "operands")) == 1, "one operand");
    CHECK_CODE(mine, TY_ERROR_USER);
    root = details_of(mine);
    CHECK(has_text(root, "code", "user") && has_text(root, "function", "mine") && !json_get(root, "operands"),
          "an error of the caller's");
    CHECK(has_text(details_of(NULL), "code", "argument"), "NULL");
    CHECK(has_text(details_of(b), "code", "none"), "no error");
}

/* Functions look at sizes before they ask for an error: axes of poison, counted from the end too, have size 0. */
static void sizes_of_poison(void) {
    ty_tensor *poison = ty_add(ty_zeros(TY_F32, TY_SHAPE(2)), ty_zeros(TY_F32, TY_SHAPE(3)));
    int rank = ty_rank(poison);
    CHECK(!ty_ok(poison) && !rank, "rank %d", rank);
    for (int i = rank - TY_MAX_RANK; i < rank + TY_MAX_RANK; i++)
        CHECK(!ty_shape(poison)[i] && !ty_strides(poison)[i], "axis %d", i);
}

TESTS_MAIN(TEST(names), TEST(of_forms), TEST(of_values), TEST(of_callers), TEST(copies), TEST(failures),
           TEST(details), TEST(sizes_of_poison))
