/*
 * The completeness matrix: for every operator of the table its documentation, shape rule, gradient or the
 * reason why there is none, the engines that run it, and the tests that cover it.  A hole fails; -v prints
 * the matrix.
 */
#include <stdio.h>
#include <string.h>

#include "array/tensor.h"
#include "ops/core/operators.h"
#include "ops/core/structure.h"
#include "tests/support/harness.h"
#include "tests/support/operator_samples.h"
#include "tests/support/sample.h"

/* ---- what the test programs say they cover ---------------------------------------------------------------
 */

static const char *const tested[] = {
#define CASE(name, operators) operators,
#include "tests/ops/shape/structure.def"
#define CASE(name, operators) operators,
#include "tests/ops/reduce/reduce.def"
#define CASE(name, operators) operators,
#include "tests/ops/reduce/scan.def"
#define CASE(name, operators) operators,
#include "tests/ops/reduce/statistics.def"
#define CASE(name, operators) operators,
#include "tests/ops/contract/contract.def"
#define CASE(name, operators) operators,
#include "tests/ops/window/pool.def"
#define CASE(name, operators) operators,
#include "tests/ops/contract/conv.def"
#define CASE(name, operators) operators,
#include "tests/ops/contract/window.def"
#define CASE(name, operators) operators,
#include "tests/ops/random/random.def"
#define CASE(name, operators) operators,
#include "tests/ops/sort/sort.def"
#define CASE(name, operators) operators,
#include "tests/ops/random/distributions.def"
#define CASE(name, operators) operators,
#include "tests/ops/index/index_kernels.def"
#define CASE(name, operators) operators,
#include "tests/ops/image/image.def"
#define CASE(name, operators) operators,
#include "tests/ops/image/resample.def"
    NULL,
};
static const char *const differentiated[] = {
#define GRADIENT(name, operators, ...) operators,
#include "tests/grad/gradient.def"
    NULL,
};

static bool covers(const char *const *rows, const char *name) {
    size_t n = strlen(name);
    for (; *rows; rows++)
        for (const char *at = strstr(*rows, name); at; at = strstr(at + 1, name))
            if ((at == *rows || at[-1] == ' ') && (at[n] == 0 || at[n] == ' ')) return true;
    return false;
}

/* ---- the matrix
 * -------------------------------------------------------------------------------------------- */

/* Whether something flows to one of its operands. */
static bool differentiable(const struct op *op) {
    bool flows = false;
    for (int i = 0; i < (op->row >= 0 ? op->arity : 1); i++) flows |= op->vjp && !op->no_gradient[i];
    return flows;
}

/* Whether each operand has a gradient rule or a reason; rows name a reason for each operand. */
static bool gradient_settled(const struct op *op) { return op->vjp || op->no_gradient[0] || op->arity == 0; }

/* A row on small operands of every dtype that it takes. */
static bool row_runs(const struct op *op, const char *engine) {
    bool well = true;
    for (int dtype = 0; dtype < TY_DTYPES; dtype++) {
        if (!dtype_is((ty_dtype)dtype, (int)row_table[op->row].in & 0xFF)) continue;
        struct test_round round = test_round();
        ty_tensor *x[3];
        for (int i = 0; i < op->arity; i++)
            x[i] = ty_ones(row_table[op->row].in == CHOICE && i == 0 ? TY_BOOL : (ty_dtype)dtype,
                           TY_SHAPE(2, 3));
        ty_use_engine(engine);
        well &= ty_ok(elementwise(op->row, op->arity, x));
        ty_use_engine("cpu");
        test_round_end(round);
    }
    return well;
}

static bool runs(const struct op *op, const char *engine) {
    if (op->row >= 0) return row_runs(op, engine);
    ty_tensor *(*run)(ty_tensor * x) = operator_sample_of(op->name);
    if (!run) return false;
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(1, 4, 4, 1));
    ty_use_engine(engine);
    ty_tensor *eager = run(x), *lazy = ty_eval(run(ty_lazy(x)));
    ty_use_engine("cpu");
    return ty_ok(eager) && ty_ok(lazy);
}

/* Whether the operator's sample really contains it, as a promise somewhere under its result. */
static bool sample_contains(const struct op *op) {
    if (op->row >= 0 || !strcmp(op->name, "tracked")) return true;
    ty_tensor *(*run)(ty_tensor * x) = operator_sample_of(op->name);
    bool never_promised = op->kind == KERNEL_COPY || op->kind == KERNEL_IOTA || op->kind == KERNEL_NONZERO;
    /* promises are row-major; iota has no operands; the shape of nonzero is known for values only */
    if (!run || never_promised) return run != NULL;
    ty_tensor *y = CHECK_OK(run(ty_var(ty_ones(TY_F32, TY_SHAPE(1, 4, 4, 1)), "x")));
    char *text = test_text(ty_text(1, &y));
    CHECK(text, "no memory for the text of a graph");
    return strstr(text, op->name) != NULL;
}

static const char *yes(bool holds) { return holds ? "yes" : "HOLE"; }

static int hole_count;

static const char *need(bool holds) {
    hole_count += !holds;
    return yes(holds);
}

static void print_row(const struct op *op) {
    const char *gradient = differentiable(op)   ? need(op->row >= 0 || covers(differentiated, op->name))
                           : op->no_gradient[0] ? op->no_gradient[0]
                                                : need(gradient_settled(op));
    char line[512];
    snprintf(line, sizeof line,
             "%-18s %-10s doc %-4s shape %-4s ref %-4s null %-4s cpu %-4s tested %-4s onnx %-14s gradient %s",
             op->name, kernel_kind_name(op->kind), need(op->doc && *op->doc), need(op->infer != NULL),
             need(runs(op, "ref")), need(runs(op, "null")), need(runs(op, "cpu")),
             need((op->row >= 0 || covers(tested, op->name)) && sample_contains(op)),
             op->onnx && *op->onnx ? op->onnx : "-", gradient);
    if (test_verbose() || (strstr(line, "HOLE") && !test_starving())) printf("%s\n", line);
}

static void no_holes(void) {
    hole_count = 0;
    for (const struct op *const *op = op_table; *op; op++) {
        struct test_round round = test_round();
        print_row(*op);
        test_round_end(round);
    }
    CHECK(hole_count == 0, "the matrix has %d holes", hole_count);
}

/* Names are unique and found again. */
static void names(void) {
    for (const struct op *const *op = op_table; *op; op++)
        CHECK(op_find((*op)->name) == *op, "two operators are called %s", (*op)->name);
    CHECK(op_find("no such operator") == NULL, "a name that is none is found");
    for (int i = 0; i < operator_sample_count; i++)
        CHECK(op_find(operator_samples[i].name) != NULL, "operators.def has %s, which is no operator",
              operator_samples[i].name);
}

/* Operators hand kernels of their kind what kernels.def says, and one that does not is told. */
static void kinds(void) {
    for (const struct op *const *op = op_table; *op; op++) {
        int ncore = kernel_kinds[(*op)->kind].ncore;
        CHECK(ncore == KERNEL_ANY || ncore == (*op)->arity, "%s takes %d operands, kernels of kind %s %d",
              (*op)->name, (*op)->arity, kernel_kind_name((*op)->kind), ncore);
    }
    int64_t sizes[] = {2, 3, 4}, strides[] = {12, 4, 1};
    struct operand x = {.dtype = TY_F32, .layout = {3, 0, sizes, strides}};
    struct fault fault = {0};
    struct kernel two = {.kind = KERNEL_SORT, .op = &op_sort, .ncore = 2, .inputs = &x};
    CHECK(!kernel_check(&two, &fault), "a sort of two inputs passes");
    CHECK(!strcmp(fault.text, "sort: a kernel of kind sort takes 1 core input, not 2 (kernels.def)"), "%s",
          fault.text);
    struct kernel bare = {.kind = KERNEL_SORT, .op = &op_sort, .ncore = 1, .inputs = &x, .attr_bytes = 8};
    CHECK(!kernel_check(&bare, &(struct fault){0}), "a sort with 8 bytes of attributes passes");
    struct kernel pad = {.kind = KERNEL_PAD, .op = &op_pad, .ncore = 2, .inputs = &x};
    for (size_t axes = 0; axes < 5; axes++) {
        pad.attr_bytes = axes * sizeof(ty_padding);
        CHECK(kernel_check(&pad, &(struct fault){0}) == (axes == 3), "paddings of %zu axes for 3", axes);
    }
}

static void engines(void) {
    CHECK(ty_use_engine("ref") && !strcmp(ty_engine_name(), "ref"), "the reference is an engine");
    CHECK(ty_use_engine("null") && !strcmp(ty_engine_name(), "null"), "null is an engine");
    CHECK(!ty_use_engine("abacus") && !strcmp(ty_engine_name(), "null"), "an unknown engine changes nothing");
    CHECK(ty_use_engine("cpu") && !strcmp(ty_engine_name(), "cpu"), "cpu is an engine");
}

TESTS_MAIN(TEST(names), TEST(kinds), TEST(engines), TEST(no_holes))
