/* Graphs written and read back: the result is the same graph, node by node, and computes the same bits. */
#define _GNU_SOURCE /* memmem */
#include <string.h>
#include <tyto/expression.h>
#include <tyto/io.h>
#include <tyto/nn.h>
#include "graph/walk.h"
#include "ops/core/elementwise.h"
#include "ops/core/operators.h"
#include "ops/core/row_id.h"
#include "tests/support/bodies.h"
#include "tests/support/compare.h"
#include "tests/support/files.h"
#include "tests/support/samples/golden_inputs.h"
#include "tests/support/samples/gradient_samples.h"
#include "tests/support/harness.h"
#include "tests/support/samples/operator_samples.h"
#include "tests/support/samples/sample.h"
#include "tests/support/tree.h"

enum { MOST = 8 };
static const char *const names[MOST] = {"a", "b", "c", "d", "e", "f", "g", "h"};
static const ty_file_options plain;

static void end_graph(void *graph) { ty_graph_free(graph); }
static ty_graph *own_graph(ty_graph *graph) { return test_own(graph, end_graph); }

static void *bytes_of(int n, ty_tensor *const *y, ty_graph_options options, size_t *size, const char *what) {
    ty_tensor *error = NULL;
    void *bytes = ty_graph_bytes(n, names, y, options, size, &error);
    if (!bytes && strstr(ty_error(error), "a call is a function of this program")) return NULL;
    CHECK(bytes || test_starving(), "%s: %s", what, ty_error(error));
    return test_own(bytes, ty_free);
}

/* Read a graph from bytes; NULL: out of memory. */
static ty_graph *read_back(const void *bytes, size_t size, const char *what) {
    ty_graph *g = own_graph(ty_graph_parse(bytes, size, plain));
    const char *error = ty_graph_error(g);
    if (!*error) return g;
    CHECK(test_starving(), "%s: %s", what, error);
    return NULL;
}

static bool same_node(const struct walk *w, const ty_tensor *x, const struct walk *v, const ty_tensor *y) {
    bool same = tensor_same_form(x, y) && x->weak == y->weak && x->promise == y->promise &&
                !strcmp(ty_name(x), ty_name(y));
    if (!x->promise) return same;
    bool in_files = x->op->attributes || !x->attr_bytes; /* custom rules are not written */
    same = same && x->op == y->op && x->ninputs == y->ninputs &&
           (!in_files || x->attr_bytes == y->attr_bytes) &&
           (!in_files || !x->attr_bytes || x->op->body || !memcmp(x->attr, y->attr, x->attr_bytes));
    for (int i = 0; i < x->ninputs && same && walk_enters(w, x); i++)
        same = walk_place(w, x->inputs[i]) == walk_place(v, y->inputs[i]);
    return same;
}

static bool has_body(const struct walk *w) {
    for (int64_t i = 0; i < w->count; i++)
        if (w->nodes[i]->promise && w->nodes[i]->op->body) return true;
    return false;
}

/* Check that two graphs are equal, with attributes byte by byte; returns true if they run subgraphs.
   Subgraphs may merge with existing ones when read, so different values may be shared than in the file. */
static bool check_structure(int n, ty_tensor *const *want, ty_tensor *const *got, const char *what) {
    struct walk w = {0}, v = {0};
    struct fault fault = {0};
    if (walk_order(&w, n, want, &fault) && walk_order(&v, n, got, &fault)) {
        bool same = w.count == v.count;
        int64_t i = 0;
        while (same && i < w.count && same_node(&w, w.nodes[i], &v, v.nodes[i])) i++;
        bool well = same && i == w.count && graph_verify(&v, &fault);
        const char *op = i < w.count && w.nodes[i]->op ? w.nodes[i]->op->name : "value";
        int64_t count = w.count, found = v.count;
        bool bodies = has_body(&w);
        walk_drop(&w);
        walk_drop(&v);
        CHECK(well || test_starving(), "%s: node %d, %s, of %d became another one of %d; %s", what, (int)i,
              op, (int)count, (int)found, fault.text);
        return bodies;
    }
    walk_drop(&w);
    walk_drop(&v);
    return true;
}

/* Write, read and write again: the graph and its bits stay the same, and so does a file without subgraphs. */
static void round_trip(const char *what, int n, ty_tensor *const *y) {
    size_t size, again;
    ty_tensor *got[MOST];
    struct test_round round = test_round();
    void *bytes = bytes_of(n, y, (ty_graph_options){0}, &size, what);
    ty_graph *g = bytes ? read_back(bytes, size, what) : NULL;
    CHECK(!g || ty_graph_count(g) == n, "%s: %d outputs of %d", what, g ? ty_graph_count(g) : 0, n);
    for (int i = 0; g && i < n; i++) {
        got[i] = ty_graph_get(g, names[i]);
        CHECK(!strcmp(ty_graph_name(g, i), names[i]), "output %d is called %s", i, ty_graph_name(g, i));
        CHECK_OK(got[i]);
    }
    if (g) {
        ty_tensor *want[MOST];
        for (int i = 0; i < n; i++) want[i] = tensor_resolve(y[i]);
        bool bodies = check_structure(n, want, got, what);
        for (int i = 0; i < n; i++) compare_bits(ty_eval(got[i]), ty_eval(y[i]), "%s, output %d", what, i);
        const void *second = bodies ? NULL : bytes_of(n, got, (ty_graph_options){0}, &again, what);
        CHECK(!second || (again == size && !memcmp(bytes, second, size)), "%s: another file", what);
    }
    test_round_end(round);
}

/* ---- every operator ---- */

static void rows(void) {
    for (int row = 0; row < ROWS; row++)
        for (int dtype = 0; dtype < TY_DTYPES; dtype++) {
            if (!dtype_is((ty_dtype)dtype, (int)row_table[row].in & 0xff)) continue;
            if (test_starving() && dtype != TY_F32) continue;
            struct test_round round = test_round();
            ty_tensor *x[3], *y;
            for (int i = 0; i < row_ops[row].arity; i++) {
                bool choice = row_table[row].in == CHOICE && i == 0;
                x[i] = ty_var(sample(choice ? TY_BOOL : (ty_dtype)dtype, LAYOUT_STRIDED, row_table[row].low,
                                     row_table[row].high),
                              "x");
            }
            y = elementwise(row, row_ops[row].arity, x);
            round_trip(row_ops[row].name, 1, &y);
            test_round_end(round);
        }
}

static void operators(void) {
    for (int i = 0; i < operator_sample_count; i++) {
        struct test_round round = test_round();
        ty_tensor *x = ty_var(sample_shape(TY_F32, TY_SHAPE(1, 4, 4, 1), -2, 2), "x");
        ty_tensor *y = operator_samples[i].run(x), *error = NULL;
        size_t size;
        if (strcmp(operator_samples[i].name, "call")) {
            round_trip(operator_samples[i].name, 1, &y);
        } else {
            CHECK(!ty_graph_bytes(1, names, &y, (ty_graph_options){0}, &size, &error), "a call was written");
            CHECK_POISON(error, "a call is a function of this program, which a file cannot have");
        }
        test_round_end(round);
    }
}

/* Functions and their gradients, over reals and complex numbers. */
static void gradients(void) {
    int step = test_some(1, 4, 40);
    for (int k = 0; k < gradient_sample_count; k += step) {
        const struct gradient_sample *f = &gradient_samples[k];
        struct test_round round = test_round();
        ty_tensor *x[3], *y[4];
        ty_dtype dtype = f->parts & PARTS_REAL ? TY_F64 : TY_C128;
        for (int i = 0; i < f->n; i++) x[i] = ty_var(gradient_operand(f, dtype, i), "x");
        y[0] = f->value(x);
        bool well = ty_ok(y[0]) && ty_is_promise(y[0]) && ty_grad(y[0], f->n, x, y + 1);
        round_trip(f->name, well ? 1 + f->n : 1, y);
        test_round_end(round);
    }
}

enum { MOST_RESULTS = 64 };

/* The expressions of the goldens, over variables. */
static void expressions(void) {
    const char *inputs[GOLDEN_INPUTS];
    ty_tensor *x[GOLDEN_INPUTS], *y[MOST_RESULTS];
    golden_inputs(inputs, x);
    for (int i = 0; i < GOLDEN_INPUTS; i++) x[i] = ty_var(x[i], inputs[i]);
    char *text = tree_text("tests/goldens/goldens.txt"), *line;
    int step = test_some(1, 7, 100);
    for (int number = 1; (line = tree_line(&text)); number++) {
        if (!tree_golden(line) || number % step) continue;
        struct test_round round = test_round();
        int n = ty_expressions(line, GOLDEN_INPUTS, inputs, x, MOST_RESULTS, y);
        if (n > 0 && n <= MOST && ty_ok(y[0])) round_trip(line, n, y);
        test_round_end(round);
    }
}

/* ---- subgraphs ---- */

static void loops(void) {
    ty_tensor *x = ty_var(sample_shape(TY_F64, TY_SHAPE(5, 4), -1, 1), "x"), *y[MOST];
    ty_tensor *w = ty_var(sample_shape(TY_F64, TY_SHAPE(4, 4), -1, 1), "w");
    ty_tensor *numbers = ty_var(sample_shape(TY_F64, TY_SHAPE(5), -1, 1), "numbers");
    for (int64_t checkpoint = 0; checkpoint < 3; checkpoint++)
        for (int reverse = 0; reverse < 2; reverse++) {
            y[0] = bodies_kept(numbers, w, reverse, checkpoint);
            ty_grad(y[0], 2, (ty_tensor *[]){numbers, w}, y + 1);
            ty_grad(y[2], 1, &numbers, y + 3);
            round_trip("a scan, its gradient and that one's", 4, y);
        }
    y[0] = bodies_nested(x);
    ty_grad(y[0], 1, &x, y + 1);
    y[2] = bodies_while(x);
    ty_grad(y[2], 1, &x, y + 3);
    y[4] = bodies_cond(x, ty_slice(x, 0, 0, 1, 1), true);
    ty_grad(y[4], 1, &x, y + 5);
    round_trip("loops in loops, while, branches", 6, y);
}

/* Write, free, read and write again: the file stays the same. */
static void loops_alone(void) {
    enum { ROOM = 1 << 17 };
    size_t size = 0, again;
    void *room = test_room(ROOM);
    struct test_round round = test_round();
    ty_tensor *x = ty_var(sample_shape(TY_F64, TY_SHAPE(5, 4), -1, 1), "x"), *y[3] = {bodies_nested(x)};
    ty_grad(y[0], 1, &x, y + 1);
    y[2] = bodies_cond(x, ty_slice(x, 0, 0, 1, 1), true);
    const void *first = bytes_of(3, y, (ty_graph_options){0}, &size, "loops");
    CHECK(size <= ROOM, "%zu bytes", size);
    void *bytes = first ? memcpy(room, first, size) : NULL;
    test_round_end(round);
    ty_graph *g = bytes ? read_back(bytes, size, "loops") : NULL;
    if (!g) return;
    for (int i = 0; i < 3; i++) y[i] = ty_graph_at(g, i);
    const void *second = bytes_of(3, y, (ty_graph_options){0}, &again, "loops");
    CHECK(!second || test_starving() || (again == size && !memcmp(bytes, second, size)), "another file");
}

/* The gradient of a graph read back equals that of the original. */
static void differentiated_later(void) {
    size_t size;
    ty_tensor *x = ty_var(sample_shape(TY_F64, TY_SHAPE(5, 4), -1, 1), "x"), *y = bodies_nested(x), *want,
              *got;
    void *bytes = bytes_of(1, &y, (ty_graph_options){0}, &size, "nested loops");
    ty_graph *g = bytes ? read_back(bytes, size, "nested loops") : NULL;
    if (!g) return;
    ty_tensor *there = ty_graph_variable(g, 0);
    ty_grad(y, 1, &x, &want);
    ty_grad(ty_graph_at(g, 0), 1, &there, &got);
    compare_bits(ty_eval(got), ty_eval(want), "the gradient");
}

/* ---- values ---- */

static void values(void) {
    ty_tensor *y[MOST], *x = ty_var(sample_shape(TY_F32, TY_SHAPE(3, 5), -1, 1), "x");
    for (int dtype = 0; dtype < TY_DTYPES; dtype++) {
        struct test_round round = test_round();
        for (int layout = 0; layout < MOST; layout++)
            y[layout] = ty_lazy(sample((ty_dtype)dtype, (enum sample_layout)layout, 0, 9));
        round_trip(ty_dtype_name((ty_dtype)dtype), MOST, y);
        test_round_end(round);
    }
    y[0] = ty_add(x, ty_broadcast(ty_scalar(TY_F32, 3), TY_SHAPE(1000, 3, 5)));
    y[1] = ty_lazy(ty_num(2)); /* a weak number */
    y[2] = ty_named(ty_mul(x, x), "\"\\\n\xc3\xa9");
    y[3] = ty_ones(TY_F32, TY_SHAPE(2)); /* a value */
    y[4] = y[0];                         /* twice the same */
    y[5] = ty_lazy(ty_zeros(TY_F64, TY_SHAPE(0, 3)));
    y[6] = x;
    round_trip("values", 7, y);
    size_t size;
    const void *bytes = bytes_of(1, y, (ty_graph_options){0}, &size, "a broadcast constant");
    CHECK(!bytes || size < 4096, "%d bytes for two small tensors", (int)size);
    CHECK(ty_ok(y[0]) || test_starving(), "%s", ty_error(y[0]));
}

/* Two outputs read one variable and share a result, which is computed once. */
static void variables(void) {
    size_t size;
    ty_tensor *x = ty_var(ty_arange(TY_F32, 0, 4, 1), "x"), *w = ty_var(ty_ones(TY_F32, TY_SHAPE(4)), "w");
    ty_tensor *s = ty_sin(ty_mul(x, w)), *y[] = {ty_add(s, x), ty_mul(s, w)}, *z = ty_var(x, "x");
    void *bytes = bytes_of(2, y, (ty_graph_options){.no_values = true}, &size, "without values");
    ty_graph *g = bytes ? read_back(bytes, size, "without values") : NULL;
    if (!g) return;
    CHECK(ty_graph_variables(g) == 2, "%d variables", ty_graph_variables(g));
    compare_bits(ty_eval(ty_graph_find(g, "w")), ty_zeros(TY_F32, TY_SHAPE(4)), "no value");
    CHECK(ty_assign(ty_graph_find(g, "x"), ty_eval(x), NULL) || test_starving(), "x is not assigned");
    CHECK(ty_assign(ty_graph_find(g, "w"), ty_eval(w), NULL) || test_starving(), "w is not assigned");
    for (int i = 0; i < 2; i++) compare_bits(ty_eval(ty_graph_at(g, i)), ty_eval(y[i]), "output %d", i);
    CHECK_POISON(ty_graph_find(g, "v"), "graph_find: 0 of 2 variables are named \"v\"; expected one");
    CHECK_POISON(ty_graph_get(g, "v"), "unknown output \"v\"; there are 2");
    CHECK_POISON(ty_graph_at(g, 2), "graph_at: output 2 is out of bounds; there are 2");
    CHECK_POISON(ty_graph_variable(g, -1), "graph_variable: variable -1 is out of bounds; there are 2");
    y[1] = z;
    bytes = bytes_of(2, y, (ty_graph_options){0}, &size, "two of a name");
    g = bytes ? read_back(bytes, size, "two of a name") : NULL;
    if (g) CHECK_POISON(ty_graph_find(g, "x"), "graph_find: 2 of 3 variables are named \"x\"; expected one");
}

/* A variable whose elements share bytes, without its value. */
static void narrow_variables(void) {
    size_t size;
    ty_tensor *w = ty_var(ty_cast(ty_arange(TY_F32, -3, 4, 1), TY_I4), "w"), *y = ty_cast(w, TY_F32);
    void *bytes = bytes_of(1, &y, (ty_graph_options){.no_values = true}, &size, "numbers of 4 bits");
    ty_graph *g = bytes ? read_back(bytes, size, "numbers of 4 bits") : NULL;
    if (!g) return;
    compare_bits(ty_eval(ty_graph_at(g, 0)), ty_zeros(TY_F32, TY_SHAPE(7)), "no value");
    CHECK(ty_assign(ty_graph_find(g, "w"), ty_eval(w), NULL) || test_starving(), "w is not assigned");
    compare_bits(ty_eval(ty_graph_at(g, 0)), ty_eval(y), "a value");
}

/* ---- a training step ---- */

enum { STEPS = 4, UPDATES = 8 };

/* Record one step of Adam on a small network with dropout. Returns the loss; writes updates of weights,
   states, key and count. */
static ty_tensor *training_step(ty_update *updates, int *nupdates) {
    const ty_optimiser adam = {.rule = &ty_adam, .rate = 0.05};
    ty_tensor *x = ty_var(sample_shape(TY_F32, TY_SHAPE(6, 4), -1, 1), "x"), *gradients[2], *states[2];
    ty_tensor *w[] = {ty_var(sample_shape(TY_F32, TY_SHAPE(4, 5), -1, 1), "w"),
                      ty_var(sample_shape(TY_F32, TY_SHAPE(5, 1), -1, 1), "v")};
    ty_tensor *key = ty_var(ty_key(7), "key"), *step = ty_var(ty_scalar(TY_F64, 0), "step");
    ty_tensor *hidden = ty_tanh(ty_matmul(x, w[0])), *now = ty_add(step, ty_num(1));
    hidden = ty_mul(hidden, ty_cast(ty_lt(ty_uniform(TY_F32, TY_SHAPE(6, 5), key), ty_num(0.8)), TY_F32));
    ty_tensor *loss = ty_mean(ty_square(ty_matmul(hidden, w[1])), TY_ALL);
    ty_grad(loss, 2, w, gradients);
    *nupdates = 0;
    updates[(*nupdates)++] = (ty_update){key, ty_fold(key, 0)};
    updates[(*nupdates)++] = (ty_update){step, now};
    for (int i = 0; i < 2; i++) {
        ty_tensor *old[2];
        for (int k = 0; k < 2; k++)
            states[k] = old[k] = ty_var(ty_zeros(TY_F32, ty_rank(w[i]), ty_shape(w[i])), "state");
        ty_tensor *value = ty_optimise(&adam, w[i], gradients[i], states, now, NULL);
        updates[(*nupdates)++] = (ty_update){w[i], value};
        for (int k = 0; k < 2; k++) updates[(*nupdates)++] = (ty_update){old[k], states[k]};
    }
    return loss;
}

static void training(void) {
    ty_update updates[UPDATES];
    int n, count;
    ty_tensor *loss = training_step(updates, &n), *error = NULL;
    const char *name = "loss", *path = scratch_path(scratch_folder(), "step.tyto");
    ty_graph_options options = {.updates = updates, .nupdates = n};
    bool saved = ty_graph_save(path, 1, &name, &loss, options, &error);
    CHECK(saved || test_starving(), "%s", ty_error(error));
    ty_graph *g = saved ? own_graph(ty_graph_load(path, (ty_file_options){.map = true})) : NULL;
    if (!g || *ty_graph_error(g)) {
        CHECK(test_starving(), "%s", ty_graph_error(g));
        return;
    }
    const ty_update *there = ty_graph_updates(g, &count);
    CHECK(count == n && ty_graph_variables(g) == n + 1, "%d updates, %d variables", count,
          ty_graph_variables(g));
    ty_tensor *again = ty_graph_get(g, "loss");
    ty_program *first =
        test_program(ty_compile(1, &loss, (ty_compile_options){.updates = updates, .nupdates = n}));
    ty_program *second =
        test_program(ty_compile(1, &again, (ty_compile_options){.updates = there, .nupdates = count}));
    double before = 0, after = 0;
    for (int i = 0; i < STEPS; i++) {
        if (!ty_run(first) || !ty_run(second)) {
            CHECK(test_starving(), "%s %s", ty_program_error(first), ty_program_error(second));
            return;
        }
        compare_bits(ty_output(second, 0), ty_output(first, 0), "loss of step %d", i);
        after = ty_item(ty_output(second, 0));
        if (i == 0) before = after;
        for (int k = 0; k < n; k++)
            compare_bits(ty_eval(there[k].variable), ty_eval(updates[k].variable),
                         "variable %d after step %d", k, i);
    }
    CHECK(after < before || test_starving(), "the loss went from %g to %g", before, after);
}

/* Every flipped bit of a saved graph is detected, including the marker of its checksum. */
static void flipped_bits(void) {
    ty_tensor *v = ty_var(ty_steps(TY_F32, 1, 1, 3), "a"), *y = ty_mul(ty_add(v, ty_num(2)), v);
    size_t size;
    uint8_t *bytes = bytes_of(1, &y, (ty_graph_options){0}, &size, "a graph");
    if (!bytes || test_starving()) return;
    CHECK(read_back(bytes, size, "whole"), "whole");
    for (size_t bit = 0; bit < 8 * size; bit++) {
        struct test_round round = test_round();
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        ty_graph *g = own_graph(ty_graph_parse(bytes, size, plain));
        CHECK(*ty_graph_error(g), "bit %zu of byte %zu was not missed", bit % 8, bit / 8);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        test_round_end(round);
    }
}

/* Layers and source places are in files, whose version says so; folders of the places are not. */
static void locations(void) {
    int64_t n = 3;
    for (int located = 0; located < 2; located++) {
        ty_tensor *x = ty_var(ty_iota(TY_F32, 1, &n, 0), "x"), *y[] = {NULL};
        if (located)
            location_now = (struct location){"/home/someone/net.c", 42, location_layer("block.0.attention")};
        y[0] = ty_exp(x);
        location_now = (struct location){0};
        size_t size;
        const char *bytes = bytes_of(1, y, (ty_graph_options){0}, &size, "located");
        if (!bytes) return;
        const char *version = located ? "tyto_graph\\\":2,\\\"reader\\\":1" : "tyto_graph\\\":1,";
        CHECK(memmem(bytes, size, version, strlen(version)), "the version is not %s", version);
        CHECK(!memmem(bytes, size, "someone", 7), "the file has a folder");
        ty_graph *g = read_back(bytes, size, "located");
        ty_tensor *z = g ? ty_graph_get(g, "a") : NULL;
        if (!z || !ty_ok(z)) return;
        const struct location *at = &z->location;
        CHECK(located ? at->line == 42 && at->file && !strcmp(at->file, "net.c") && at->layer &&
                            !strcmp(at->layer, "block.0.attention")
                      : !location_known(at),
              "%s:%d, %s", at->file ? at->file : "", at->line, at->layer ? at->layer : "");
        CHECK(!location_known(&location_now), "reading changes the location");
        char *page =
            test_text(ty_program_html(test_program(ty_compile(1, &z, (ty_compile_options){0})), NULL, 0, 0));
        CHECK(!page || !located == !strstr(page, "block.0.attention"), "the page of the loaded graph");
    }
}

TESTS_MAIN(TEST(rows), TEST(operators), TEST(gradients), TEST(expressions), TEST(loops), TEST(loops_alone),
           TEST(differentiated_later), TEST(values), TEST(variables), TEST(narrow_variables), TEST(training),
           TEST(flipped_bits), TEST(locations))
