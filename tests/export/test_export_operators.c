/*
 * Every operator in an exported file has the bits of cpu: samples of operators, gradients, elementwise rows and random
 * graphs, many in a file.  A share of them is drawn; TY_TEST_NIGHTLY=1 tests all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/compare.h"
#include "tests/support/exported.h"
#include "tests/support/random_graphs.h"
#include "tests/support/row_check.h"
#include "tests/support/samples/gradient_samples.h"
#include "tests/support/samples/operator_samples.h"
#include "tests/support/samples/sample.h"

/* Graphs of one file: a compiler's time is proportional to the text, its memory is, too. */
enum { BATCH = 100 };
struct batch {
    int n;
    struct exported_graph graphs[BATCH];
};

static void run(struct batch *b) {
    if (b->n) exported_many(b->n, b->graphs, NULL);
    b->n = 0;
}
/* True if this graph, one in `every`, is tested; `turn` counts. */
static bool is_drawn(int *turn, int every) { return getenv("TY_TEST_NIGHTLY") || (*turn)++ % every == 0; }

/* ---- samples of operators ---- */

/* Reasons that refuse the samples of some operators: kernels without text, and values that recording needs. */
static const struct {
    const char *names;
    bool pairs; /* of complex numbers alone */
    const char *why;
} refusals[] = {
    {" call ", false, "call"},
    {" evaluated nonzero ", false, "would not follow it"},
    {" eig schur qz sylvester expm logm sqrtm ", false, "matrix has no text"},
    {" lu cholesky solve triangular_solve inv qr eigh svd hessenberg ", true, "matrix has no text"}};
static const char *refusal(const char *name, ty_dtype dtype) {
    bool pairs = dtype == TY_C64 || dtype == TY_C128;
    char word[40];
    snprintf(word, sizeof word, " %s ", name);
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (strstr(refusals[i].names, word) && (pairs || !refusals[i].pairs)) return refusals[i].why;
    return NULL;
}

/* Return the sample's operand, a view of v [2,8,8,2]: x [1,4,4,1] with gaps, axes turned round or permuted. */
static ty_tensor *view_of(ty_tensor *v) {
    ty_tensor *x = v;
    for (int axis = 0; axis < 4; axis++) {
        int64_t size = axis % 3 ? 4 : 1, start = test_between(0, size), step = test_between(1, 2);
        if (start + (size - 1) * step >= ty_shape(x)[axis]) start = 0;
        x = ty_slice(x, axis, start, start + (size - 1) * step + 1, step);
        if (test_between(0, 2) == 0) x = ty_flip(x, axis);
    }
    return test_between(0, 2) ? x : ty_permute(x, (int[]){0, 2, 1, 3});
}
static void compare_sample(const struct exported_graph *g, ty_tensor *got, ty_tensor *want) {
    operator_sample_compare(g->sample, ty_dtype_of(g->inputs[0]), got, want);
}
/* Add a sample, unless it refuses the dtype or needs values while it is recorded. */
static void add_sample(struct batch *b, const struct operator_sample *sample, ty_dtype dtype) {
    struct exported_graph *g = &b->graphs[b->n];
    ty_tensor *v = ty_var(sample_shape(dtype, 4, (int64_t[]){2, 8, 8, 2}, -3, 3), "v");
    ty_tensor *y = sample->run(view_of(v));
    if (!ty_ok(y)) return;
    *g = (struct exported_graph){.ninputs = 1,
                                 .noutputs = 1,
                                 .inputs = {v},
                                 .outputs = {ty_is_promise(y) ? y : ty_lazy(y)},
                                 .compare = compare_sample,
                                 .sample = sample,
                                 .refused = refusal(sample->name, dtype)};
    snprintf(g->what, sizeof g->what, "%s %s", sample->name, ty_dtype_name(dtype));
    if (++b->n == BATCH) run(b);
}
static void operators(void) {
    if (!exported_can_run()) return;
    struct batch *b = test_room(sizeof *b);
    const char *only = getenv("TY_TEST_SAMPLE");
    int every = test_some(4, 8, 8), turn = (int)test_between(0, every - 1);
    for (int i = 0; i < operator_sample_count; i++)
        for (int dtype = 0; dtype < TY_DTYPES; dtype++)
            if (only ? !strcmp(only, operator_samples[i].name) : is_drawn(&turn, every))
                add_sample(b, &operator_samples[i], (ty_dtype)dtype);
    run(b);
}

/* ---- gradients ---- */

/* True if a refusal has a reason of the table. */
static bool has_reason(const char *why, bool pairs) {
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (strstr(why, refusals[i].why) && (pairs || !refusals[i].pairs)) return true;
    return false;
}
/* True if texts of a kernel of the graph add in another order than cpu (docs/bits.md). */
static bool adds_otherwise(const struct exported_graph *g) {
    static const char *const kernels[] = {
        "fft", "rfft", "irfft", "lu", "cholesky", "solve", "triangular_solve", "inv", "qr", "svd", "eigh"};
    ty_program *p = test_program(ty_compile(g->noutputs, g->outputs, (ty_compile_options){0}));
    const char *text = test_text(ty_program_text(p));
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        char word[32];
        snprintf(word, sizeof word, "= %s ", kernels[i]);
        if (strstr(text, word)) return true;
    }
    return false;
}
static void compare_gradient(const struct exported_graph *g, ty_tensor *got, ty_tensor *want) {
    const struct gradient_sample *f = g->sample;
    if (!strcmp(f->name, "filter_axis") || adds_otherwise(g)) /* the former reads windows in pieces */
        compare_near(got, want, 1e-10, 1e-10, "%s", g->what);
    else if (!strcmp(f->name, "avg_pool_volume")) /* -0 on cpu, where there is no window */
        compare_ulps(got, want, 0, "%s", g->what);
    else
        compare_bits(got, want, "%s", g->what);
}
/* Add the value and the gradients of an entry of gradient.def by all operands. */
static void add_gradient(struct batch *b, const struct gradient_sample *f, ty_dtype dtype) {
    struct exported_graph *g = &b->graphs[b->n];
    *g = (struct exported_graph){
        .ninputs = f->n, .noutputs = f->n + 1, .compare = compare_gradient, .sample = f};
    for (int i = 0; i < f->n; i++) g->inputs[i] = ty_var(gradient_operand(f, dtype, i), NULL);
    ty_tensor *y = CHECK_OK(f->value(g->inputs));
    ty_tensor *loss = ty_sum(dtype_is(ty_dtype_of(y), CLASS_COMPLEX) ? ty_abs(y) : y, TY_ALL);
    g->outputs[0] = ty_is_promise(y) ? y : ty_lazy(y);
    snprintf(g->what, sizeof g->what, "the gradient of %s, %s", f->name, ty_dtype_name(dtype));
    if (!ty_grad(loss, f->n, g->inputs, &g->outputs[1])) return; /* no derivative by integers */
    const char *why = exported_refusal(g);
    CHECK(!*why || has_reason(why, dtype == TY_C128), "%s: %s", g->what, why);
    if (!*why && ++b->n == BATCH) run(b);
}
static void gradients(void) {
    if (!exported_can_run()) return;
    struct batch *b = test_room(sizeof *b);
    const char *only = getenv("TY_TEST_SAMPLE");
    int every = test_some(4, 8, 8), turn = (int)test_between(0, every - 1);
    for (int i = 0; i < gradient_sample_count; i++)
        for (int pairs = 0; pairs < 2; pairs++) {
            if (!(gradient_samples[i].parts & (pairs ? PARTS_COMPLEX : PARTS_REAL))) continue;
            if (only ? !strcmp(only, gradient_samples[i].name) : is_drawn(&turn, every))
                add_gradient(b, &gradient_samples[i], pairs ? TY_C128 : TY_F64);
        }
    run(b);
}

/* ---- elementwise rows ---- */

/* Return a variable of numbers of the row's domain, random bits and special values. */
static ty_tensor *row_operand(enum row_id row, ty_dtype dtype, int i) {
    enum { ELEMENTS = 150 };
    ty_dtype own = row_operand_dtype(row, dtype, i);
    char *out = test_room(ELEMENTS * ty_dtype_size(own));
    sample_fill_all(own, out, ELEMENTS, row_table[row].low, row_table[row].high);
    return ty_var(ty_from(own, 1, (int64_t[]){ELEMENTS}, out), NULL);
}
static void add_row(struct batch *b, enum row_id row, ty_dtype dtype) {
    struct exported_graph *g = &b->graphs[b->n];
    *g = (struct exported_graph){.ninputs = row_ops[row].arity, .noutputs = 1};
    for (int i = 0; i < g->ninputs; i++) g->inputs[i] = row_operand(row, dtype, i);
    g->outputs[0] = CHECK_OK(elementwise(row, g->ninputs, g->inputs));
    snprintf(g->what, sizeof g->what, "%s %s", row_ops[row].name, ty_dtype_name(dtype));
    if (++b->n == BATCH) run(b);
}
static void rows(void) {
    if (!exported_can_run()) return;
    struct batch *b = test_room(sizeof *b);
    const char *only = getenv("TY_TEST_SAMPLE");
    int every = test_some(4, 8, 8), turn = (int)test_between(0, every - 1);
    for (int dtype = 0; dtype < TY_DTYPES; dtype++)
        for (int row = 0; row < ROWS; row++) {
            if (!row_takes((enum row_id)row, (ty_dtype)dtype)) continue;
            if (only ? !strcmp(only, row_ops[row].name) : is_drawn(&turn, every))
                add_row(b, (enum row_id)row, (ty_dtype)dtype);
        }
    run(b);
}

/* ---- random graphs ---- */

/* Gradients of kernels add in another order, whose windows cpu reads in pieces (docs/bits.md). */
static void compare_random(const struct exported_graph *g, ty_tensor *got, ty_tensor *want) {
    bool kernel = ty_rank(want) == 4;
    for (int i = 0; kernel && i < 4; i++) kernel = ty_shape(want)[i] == ty_shape(g->inputs[3])[i];
    if (kernel)
        compare_near(got, want, 1e-4, 1e-4, "%s", g->what);
    else
        compare_bits(got, want, "%s", g->what);
}
static void random_graphs(void) {
    if (!exported_can_run()) return;
    enum { GRAPHS = 6000, EACH = 20 };
    struct batch *b = test_room(sizeof *b);
    int every = getenv("TY_TEST_NIGHTLY") ? 1 : test_some(60, 120, 120);
    ty_allow_unused(true); /* graphs need not use all inputs */
    for (int seed = (int)test_between(0, every - 1); seed < GRAPHS;) {
        struct test_round round = test_round();
        for (; b->n < EACH && seed < GRAPHS; seed += every) {
            struct exported_graph *g = &b->graphs[b->n++];
            ty_tensor *values[RANDOM_INPUTS];
            *g = (struct exported_graph){.ninputs = RANDOM_INPUTS, .compare = compare_random};
            random_inputs(values);
            for (int i = 0; i < RANDOM_INPUTS; i++) g->inputs[i] = ty_var(values[i], NULL);
            g->noutputs = random_results((uint64_t)seed, g->inputs, seed % 3 == 0, g->outputs);
            for (int i = 0; i < g->noutputs; i++)
                if (!ty_is_promise(CHECK_OK(g->outputs[i]))) g->outputs[i] = ty_lazy(g->outputs[i]);
            snprintf(g->what, sizeof g->what, "graph %d", seed);
        }
        run(b);
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(operators), TEST(gradients), TEST(rows), TEST(random_graphs))
