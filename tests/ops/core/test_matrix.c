/*
 * The completeness matrix: each operator's documentation, shape rule, gradient or the reason for none, the engines that
 * run it, and the tests that cover it. The operators that the tables reach are observed while they run. A hole fails
 * and names the file to edit; -v prints the matrix.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tyto/expression.h>

#include "array/tensor.h"
#include "graph/walk.h"
#include "ops/core/operators.h"
#include "ops/core/structure.h"
#include "tests/grad/adjoints.h"
#include "tests/support/bodies.h"
#include "tests/support/samples/golden_inputs.h"
#include "tests/support/samples/gradient_samples.h"
#include "tests/support/harness.h"
#include "tests/support/samples/operator_samples.h"
#include "tests/support/reach.h"
#include "tests/support/samples/sample.h"
#include "tests/support/tree.h"

/* ---- operators of hand-written tests, which the harness enforces ---- */

static const char *const tested[] = {
#define CASE(name, operators) operators,
#include "tests/ops/shape/structure.def"
#define CASE(name, operators) operators,
#include "tests/ops/shape/packed.def"
#define CASE(name, operators) operators,
#include "tests/ops/reduce/reduce.def"
#define CASE(name, operators) operators,
#include "tests/ops/reduce/scan.def"
#define CASE(name, operators) operators,
#include "tests/ops/reduce/statistics.def"
#define CASE(name, operators) operators,
#include "tests/ops/contract/contract.def"
#define CASE(name, operators) operators,
#include "tests/ops/contract/few_bits.def"
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
#include "tests/ops/sparse/products.def"
#define CASE(name, operators) operators,
#include "tests/ops/linalg/factor.def"
#define CASE(name, operators) operators,
#include "tests/ops/linalg/linalg.def"
#define CASE(name, operators) operators,
#include "tests/ops/fft/fft.def"
#define CASE(name, operators) operators,
#include "tests/ops/random/distributions.def"
#define CASE(name, operators) operators,
#include "tests/ops/index/index_kernels.def"
#define CASE(name, operators) operators,
#include "tests/ops/image/image.def"
#define CASE(name, operators) operators,
#include "tests/ops/image/resample.def"
#define CASE(name, operators) operators,
#include "tests/grad/history.def"
#define CASE(name, operators) operators,
#include "tests/grad/custom.def"
#define CASE(name, operators) operators,
#include "tests/control/control.def"
#define CASE(name, operators) operators,
#include "tests/control/call.def"
    NULL,
};
static const char *const differentiated[] = {
#define CASE(name, operators) operators,
#include "tests/grad/structural_gradients.def"
#define CASE(name, operators) operators, /* in f32 alone, so not by differences */
#include "tests/ops/contract/few_bits.def"
    NULL,
};

/* Return true if a case names the operator. */
static bool in_a_case(const char *const *rows, const char *name) {
    for (; *rows; rows++)
        if (tree_has_word(*rows, name)) return true;
    return false;
}

/* ---- operators that the tables of functions reach, by running them ---- */

enum { OPERATORS = 512 };
static bool in_goldens[OPERATORS], in_gradients[OPERATORS];

static int place_of(const struct op *op) {
    int place = 0;
    while (op_table[place] && op_table[place] != op) place++;
    CHECK(place < OPERATORS, "more than %d operators", OPERATORS);
    return place;
}

enum { MOST_RESULTS = 64 };

/* Run each golden, whose results goldens_compare compares with NumPy's. */
static void run_goldens(void) {
    const char *names[GOLDEN_INPUTS];
    ty_tensor *inputs[GOLDEN_INPUTS], *results[MOST_RESULTS];
    golden_inputs(names, inputs);
    char *text = tree_text("tests/goldens/goldens.txt"), *line;
    reach_begin();
    for (int number = 1; (line = tree_line(&text)); number++) {
        struct test_round round = test_round();
        int n =
            tree_golden(line) ? ty_expressions(line, GOLDEN_INPUTS, names, inputs, MOST_RESULTS, results) : 0;
        if (n > 0)
            CHECK(ty_ok(results[0]) || test_starving(),
                  "goldens.txt:%d: %s (golden_inputs has those of make.py?)", number, ty_error(results[0]));
        test_round_end(round);
    }
    reach_end();
    for (int i = 0; op_table[i]; i++) in_goldens[i] = reach_recorded(op_table[i]);
}

/* Return true if a gradient passes through it to a tracked operand. */
static bool lets_gradients_through(const ty_tensor *x) {
    bool flows = false;
    for (int i = 0; x->op && x->tracked && i < x->ninputs; i++)
        flows |=
            x->inputs[i]->tracked && (x->op->vjp || x->op->vjp_all) && !x->op->no_gradient[i < 2 ? i : 2];
    return flows;
}

/* Run each function that test_gradient differentiates, and collect the operators between its value and its
   operands. */
static void run_gradients(void) {
    for (int k = 0; k < gradient_sample_count; k++) {
        const struct gradient_sample *f = &gradient_samples[k];
        struct test_round round = test_round();
        struct walk w = {.history = true};
        struct fault fault = {0};
        ty_tensor *x[3], *y;
        for (int i = 0; i < f->n; i++) x[i] = ty_track(gradient_operand(f, TY_F64, i), "x");
        y = f->value(x);
        if (ty_ok(y) && walk_order(&w, 1, &y, &fault))
            for (int64_t i = 0; i < w.count; i++)
                if (lets_gradients_through(w.nodes[i])) in_gradients[place_of(w.nodes[i]->op)] = true;
        walk_drop(&w);
        test_round_end(round);
    }
}

/* ---- operators per engine ---- */

/* Return true if an entry runs on small operands of every supported dtype. */
static bool row_runs(const struct op *op, const char *engine) {
    bool well = true;
    for (int dtype = 0; dtype < TY_DTYPES; dtype++) {
        if (!dtype_is((ty_dtype)dtype, (int)row_table[op->row].in & 0xFF)) continue;
        ty_tensor *x[3];
        for (int i = 0; i < op->arity; i++)
            x[i] = ty_ones(row_table[op->row].in == CHOICE && i == 0 ? TY_BOOL : (ty_dtype)dtype,
                           TY_SHAPE(2, 3));
        ty_use_engine(engine);
        well &= ty_ok(elementwise(op->row, op->arity, x));
        ty_use_engine("cpu");
    }
    return well;
}

/* Return true if the operator's sample runs eagerly and as a promise. */
static bool sample_runs(const struct op *op, const char *engine) {
    ty_tensor *(*run)(ty_tensor * x) = operator_sample_of(op->name);
    if (!run) return false;
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(1, 4, 4, 1));
    ty_use_engine(engine);
    bool well = ty_ok(run(x)) && ty_ok(ty_eval(run(ty_lazy(x))));
    ty_use_engine("cpu");
    return well;
}

/* Return true if a use of the operator runs on the engine, by its own kernel or as a view. */
static bool runs(const struct op *op, const char *engine) {
    struct test_round round = test_round();
    ty_trim(); /* kernels prepared before would be reused */
    reach_begin();
    bool well = op->row >= 0 ? row_runs(op, engine) : sample_runs(op, engine);
    reach_end();
    /* the null engine counts nothing, so results sized by counting are empty and need no kernel */
    bool view = op->kind == KERNEL_NONE || !strcmp(engine, "null");
    bool reached = view ? reach_recorded(op) : reach_lowered(op, engine);
    test_round_end(round);
    return well && reached;
}

/* ---- the matrix ---- */

/* Return true if a gradient flows to one of its operands. */
static bool differentiable(const struct op *op) {
    bool flows = false;
    for (int i = 0; i < (op->row >= 0 ? op->arity : 1); i++)
        flows |= (op->vjp || op->vjp_all) && !op->no_gradient[i];
    return flows;
}

static int hole_count;

/* Return "yes", or print a hole with its remedy. */
static const char *need(bool holds, const struct op *op, const char *remedy) {
    if (holds) return "yes";
    hole_count++;
    if (!test_starving()) printf("HOLE %s: %s\n", op->name, remedy);
    return "HOLE";
}

static const char *gradient_of(const struct op *op) {
    if (differentiable(op))
        return need(
            op->row >= 0 || in_gradients[place_of(op)] || in_a_case(differentiated, op->name), op,
            "no function of tests/grad/gradient.def is differentiated through it: add a GRADIENT row");
    if (op->no_gradient[0]) return op->no_gradient[0];
    return need(op->arity == 0, op, "neither vjp nor no_gradient in its struct op");
}

static const char *values_of(const struct op *op) {
    if (op->row >= 0) return "rows"; /* test_elementwise and test_generated run all of them */
    if (in_goldens[place_of(op)]) return "NumPy";
    if (in_a_case(tested, op->name)) return "case";
    return need(
        false, op,
        "no value of it is compared: add a line to tests/goldens/goldens.txt, or its name to the row of a "
        "test that compares it (CASE in tests/ops/*/*.def)");
}

static void print_row(const struct op *op) {
    char line[512];
    const char *remedy =
        op->row >= 0
            ? "an engine lacks loops for a dtype of its row"
            : "its row SAMPLE(name, ...) in tests/support/samples/operators.def is missing, fails, or "
              "does not reach it on an engine";
    snprintf(line, sizeof line,
             "%-18s %-10s doc %-4s shape %-4s ref %-4s null %-4s cpu %-4s values %-5s onnx %-14s gradient %s",
             op->name, kernel_kind_name(op->kind), need(op->doc && *op->doc, op, "no doc in its struct op"),
             need(op->infer != NULL, op, "no infer in its struct op"), need(runs(op, "ref"), op, remedy),
             need(runs(op, "null"), op, remedy), need(runs(op, "cpu"), op, remedy), values_of(op),
             op->onnx && *op->onnx ? op->onnx : "-", gradient_of(op));
    if (test_verbose()) printf("%s\n", line);
}

static void no_holes(void) {
    hole_count = 0;
    run_goldens();
    run_gradients();
    for (const struct op *const *op = op_table; *op; op++) {
        struct test_round round = test_round();
        print_row(*op);
        test_round_end(round);
    }
    CHECK(hole_count == 0, "the matrix has %d holes", hole_count);
}

/* Each kind of kernel belongs to an operator, or is made by pass_rows. */
static void kinds_are_used(void) {
    for (int kind = KERNEL_NONE + 1; kind < KERNEL_KINDS; kind++) {
        if (kind == KERNEL_ROWS) continue;
        const struct op *const *op = op_table;
        while (*op && (*op)->kind != (enum kernel_kind)kind) op++;
        CHECK(*op, "no operator makes kernels of kind %s (ops/core/kernel/kernels.def)",
              kernel_kind_name((enum kernel_kind)kind));
    }
}

/* Operator names are unique and can be looked up. */
static void names(void) {
    for (const struct op *const *op = op_table; *op; op++)
        CHECK(op_find((*op)->name) == *op, "two operators are called %s", (*op)->name);
    CHECK(op_find("no such operator") == NULL, "a name that is none is found");
    for (int i = 0; i < operator_sample_count; i++)
        CHECK(op_find(operator_samples[i].name) != NULL, "operators.def has %s, which is no operator",
              operator_samples[i].name);
}

/* Operators pass kernels of their kind the operands that kernels.def lists; violations are reported. */
static void kinds(void) {
    for (const struct op *const *op = op_table; *op; op++) {
        int ncore = kernel_table[(*op)->kind].ncore;
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

TESTS_MAIN(TEST(names), TEST(kinds), TEST(kinds_are_used), TEST(engines), TEST(no_holes))
