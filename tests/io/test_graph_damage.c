/* Damaged files of graphs are refused with a message or compute something; none crashes. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/io.h>
#include "array/location.h"
#include "graph/walk.h"
#include "ops/core/operators.h"
#include "tests/support/bodies.h"
#include "tests/support/compare.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"
#include "tests/support/samples/operator_samples.h"
#include "tests/support/samples/sample.h"
#include "tests/support/tree.h"

static void end_graph(void *graph) { ty_graph_free(graph); }

/* Return the graph read from a structure in JSON and tensors. */
static ty_graph *graph_of_json(const char *json, int n, const char *const *names, ty_tensor *const *tensors) {
    const char *key = "tyto_graph";
    size_t size;
    ty_tensor *error = NULL;
    ty_file_options options = {.format = "safetensors", .nmeta = 1, .keys = &key, .values = &json};
    void *bytes = test_own(ty_archive_bytes(n, names, tensors, options, &size, &error), ty_free);
    CHECK(bytes || test_starving(), "%s", ty_error(error));
    return test_own(ty_graph_parse(bytes, size, (ty_file_options){0}), end_graph);
}

/* ---- one error at a time ---- */

/* y = slice(a + a), and the sum over a loop; b is a weak number. */
static const char good[] =
    "{\"tyto_graph\":1,\"reader\":1,\"bodies\":[{\"nodes\":[{\"op\":\"parameter\",\"dtype\":\"f32\","
    "\"shape\":[2]},"
    "{\"op\":\"parameter\",\"dtype\":\"i64\",\"shape\":[]},"
    "{\"op\":\"add\",\"of\":[0,0],\"dtype\":\"f32\",\"shape\":[2]}],\"results\":[2]}],"
    "\"nodes\":[{\"op\":\"variable\",\"dtype\":\"f32\",\"shape\":[3],\"name\":\"a\",\"tensor\":\"a\"},"
    "{\"op\":\"add\",\"of\":[0,0],\"dtype\":\"f32\",\"shape\":[3]},"
    "{\"op\":\"slice\",\"of\":[1],\"attributes\":{\"axis\":0,\"start\":1,\"size\":2,\"step\":1},\"dtype\":"
    "\"f32\",\"shape\":[2]},"
    "{\"op\":\"loop\",\"of\":[2],\"attributes\":{\"body\":0,\"length\":3,\"carries\":1,\"sequences\":0,"
    "\"stacked\":0,"
    "\"reverse\":false,\"counted\":false,\"stops\":false,\"frugal\":false,\"histories\":[]}},"
    "{\"op\":\"result\",\"of\":[3],\"attributes\":{\"index\":0},\"dtype\":\"f32\",\"shape\":[2]},"
    "{\"op\":\"value\",\"dtype\":\"f32\",\"shape\":[],\"tensor\":\"b\"},"
    "{\"op\":\"mul\",\"of\":[4,5],\"dtype\":\"f32\",\"shape\":[2]}],"
    "\"outputs\":[{\"name\":\"y\",\"node\":6}],\"updates\":[{\"variable\":0,\"value\":1}]}";

/* The first occurrence of `what` is replaced. */
static const struct {
    const char *what, *by, *sentence;
} wrong[] = {
    {"\"tyto_graph\":1", "\"tyto_graph\":3", NULL}, /* a later version that this reader accepts */
    {"\"op\":\"parameter\"", "\"layer\":7,\"op\":\"parameter\"", "\"layer\" is 7; expected a text"},
    {"\"op\":\"parameter\"", "\"file\":7,\"op\":\"parameter\"", "\"file\" is 7; expected a text"},
    {"\"op\":\"parameter\"", "\"line\":-1,\"op\":\"parameter\"", "\"line\" is -1"},
    {"\"tyto_graph\":1,\"reader\":1", "\"tyto_graph\":3,\"reader\":3",
     "needs a reader of version 3; this one reads version 2"},
    {"\"reader\":1", "\"reader\":2", "\"reader\" is 2; expected 1"},
    {"\"reader\":1", "\"reader\":\"1\"", "\"reader\" is \"1\"; expected 1"},
    {"\"reader\":1,", "", "\"reader\" is missing"},
    {"\"reader\":1", "\"reader\":1,\"more\":0", "\"more\" is not a known field"},
    {"\"reader\":1", "\"reader\":1,\"reader\":1", "duplicate name \"reader\""},
    {"\"bodies\":[", "\"bodies\":[[[[[[[[", "nested deeper than 8"},
    {"\"bodies\":[{", "\"bodies\":[1,{", "expected an object with \"nodes\""},
    {"\"results\":[2]", "\"results\":[]", "\"results\" is []; expected a list of nodes, at least one"},
    {"\"results\":[2]", "\"results\":[3]", "body 0, \"results\" is 3; expected a whole number from 0 to 2"},
    {"\"results\":[2]", "\"results\":[2],\"extends\":0,\"kinds\":[0,0,0,0]",
     "\"extends\" is 0; expected nothing, as there is none to name"},
    {"\"op\":\"parameter\"", "\"op\":\"variable\"",
     "body 0, node 0, variable: the body uses nothing from around it"},
    {"\"op\":\"variable\"", "\"op\":\"parameter\"", "node 0, parameter: \"tensor\" is not a known field"},
    {"\"op\":\"variable\"", "\"op\":\"value\"", "node 1, add: all its operands are values"},
    {"\"op\":\"variable\"", "\"op\":\"tracked\"", "node 0, tracked: unknown operator"},
    {"\"op\":\"mul\"", "\"op\":\"multiply\"", "node 6, multiply: unknown operator"},
    {"\"op\":\"mul\"", "\"op\":7", "\"op\" is 7; expected the name of an operator"},
    {"\"op\":\"mul\"", "\"op\":\"sin\"", "node 6, sin: 2 operands; expected 1"},
    {"\"of\":[0,0],\"dtype\":\"f32\",\"shape\":[3]", "\"of\":[0,1],\"dtype\":\"f32\",\"shape\":[3]",
     "node 1, add: \"of\" is 1; expected 0"},
    {"\"of\":[4,5]", "\"of\":[4,6]", "node 6, mul: \"of\" is 6; expected a whole number from 0 to 5"},
    {"\"of\":[4,5]", "\"of\":[4,-1]", "node 6, mul: \"of\" is -1"},
    {"\"of\":[4,5]", "\"of\":[3,5]", "node 6, mul: operand 3 has several results"},
    {"\"of\":[3]", "\"of\":[2]", "node 4, result: result of f32[2]: the operand has no results"},
    {"\"index\":0", "\"index\":2", "result 2 is out of bounds for 2 results"},
    {"\"index\":0", "\"index\":-1", "result -1 is out of bounds for 2 results"},
    {"\"node\":6", "\"node\":3", "node 3 has several results"},
    {"\"node\":6", "\"node\":7", "\"node\" is 7"},
    {"\"outputs\":[", "\"outputs\":[{\"name\":\"y\",\"node\":1},", "two outputs are named \"y\""},
    {"\"shape\":[3],\"name\"", "\"shape\":[4],\"name\"",
     "tensor \"a\" is f32[3], and does not have the dtype and shape"},
    {"\"dtype\":\"f32\",\"shape\":[3],\"name\"", "\"dtype\":\"f99\",\"shape\":[3],\"name\"",
     "\"dtype\" is \"f99\"; expected one of bool, i8"},
    {"\"dtype\":\"f32\",\"shape\":[3],\"name\"", "\"dtype\":\"i32\",\"shape\":[3],\"name\"",
     "tensor \"a\" is f32[3]"},
    {"\"tensor\":\"a\"", "\"tensor\":\"c\"", "node 0, variable: unknown tensor \"c\""},
    {",\"tensor\":\"a\"", "", NULL},
    {"\"shape\":[3],\"name\":\"a\",\"tensor\":\"a\"", "\"shape\":[1000000,1000000],\"name\":\"a\"",
     "a variable without a value exceeds"},
    {"\"dtype\":\"f32\",\"shape\":[2]},{\"op\":\"loop\"", "\"dtype\":\"f32\",\"shape\":[3]},{\"op\":\"loop\"",
     "node 2, slice: it computes f32[2], not the dtype and shape"},
    {"\"axis\":0", "\"axis\":1", "node 2, slice: slice of f32[3]: axis 1 is out of bounds"},
    {"\"axis\":0", "\"axis\":0.5", "\"axis\" is 0.5; expected a whole number"},
    {"\"axis\":0", "\"axis\":4294967296", "\"axis\" is 4294967296; expected a whole number from -2147483648"},
    {"\"axis\":0", "\"axes\":0", "\"axes\" is not a known field (did you mean axis?)"},
    {"\"axis\":0,", "", "\"axis\" is missing"},
    {"\"start\":1", "\"start\":2", "2 elements from 2 in steps of 1 are out of bounds for the 3 of axis 0"},
    {"\"step\":1", "\"step\":9223372036854775807", "are out of bounds for the 3 of axis 0"},
    {",\"attributes\":{\"index\":0}", "", "\"attributes\" are missing"},
    {"\"of\":[4,5]", "\"of\":[4,5],\"attributes\":{}", "node 6, mul: it has no attributes"},
    {"\"body\":0", "\"body\":1", "node 3, loop: \"body\" is 1; expected 0"},
    {"\"carries\":1", "\"carries\":2", "operands and attributes do not fit the body"},
    {"\"carries\":1", "\"carries\":-2147483648", "operands and attributes do not fit the body"},
    {"\"histories\":[]", "\"histories\":[1]", "operands and attributes do not fit the body"},
    {"\"histories\":[]", "\"histories\":[0,0]", "operands and attributes do not fit the body"},
    {"\"counted\":false", "\"counted\":0", "\"counted\" is 0; expected true or false"},
    {"\"stops\":false", "\"stops\":true", "operands and attributes do not fit the body"},
    {"\"variable\":0", "\"variable\":1", "update 0 has no variable"},
    {"\"value\":1}", "\"value\":6}", "update 0 has no variable"},
    {"\"updates\":[", "\"updates\":[{\"variable\":0,\"value\":0},", "update 1 has no variable, repeats one"},
    {"\"shape\":[],\"tensor\":\"b\"", "\"shape\":[],\"weak\":1,\"tensor\":\"b\"",
     "\"weak\" is 1; expected true or false"},
    {"\"nodes\":[{\"op\":\"variable\"", "\"nodes\":[7,{\"op\":\"variable\"",
     "node 0, node: expected an object"},
    {"{\"tyto_graph\"", "[{\"tyto_graph\"", "the structure is not valid JSON"},
};

static char *replaced(const char *text, size_t at, size_t gone, const char *by) {
    size_t n = strlen(text), more = strlen(by);
    char *out = test_room(n + more + 1);
    memcpy(out, text, at);
    memcpy(out + at, by, more);
    memcpy(out + at + more, text + at + gone, n - at - gone + 1);
    return out;
}

static void each_is_refused(void) {
    const char *names[] = {"a", "b"};
    ty_tensor *tensors[] = {ty_steps(TY_F32, 1, 1, 3), ty_scalar(TY_F32, 2)};
    ty_graph *g = graph_of_json(good, 2, names, tensors);
    CHECK(!*ty_graph_error(g) || test_starving(), "%s", ty_graph_error(g));
    if (!*ty_graph_error(g)) compare_numbers(ty_eval(ty_graph_get(g, "y")), NUMBERS(64, 96), "what is right");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct test_round round = test_round();
        const char *at = strstr(good, wrong[i].what);
        CHECK(at, "%s is not in the text", wrong[i].what);
        g = graph_of_json(replaced(good, (size_t)(at - good), strlen(wrong[i].what), wrong[i].by), 2, names,
                          tensors);
        const char *error = ty_graph_error(g);
        bool expected = wrong[i].sentence ? strstr(error, wrong[i].sentence) != NULL : !*error;
        CHECK(expected || test_starving(), "%s for %s: \"%s\"", wrong[i].by, wrong[i].what, error);
        CHECK(!strchr(error, '\n'), "several lines: %s", error);
        test_round_end(round);
    }
}

/* Deeply nested subgraphs, each running the one before, are refused. */
static void nested_too_deep(void) {
    struct text t = {0};
    text_add(&t, "{\"tyto_graph\":1,\"reader\":1,\"bodies\":[{\"nodes\":[{\"op\":\"parameter\",\"dtype\":"
                 "\"f32\",\"shape\":[]},"
                 "{\"op\":\"parameter\",\"dtype\":\"i64\",\"shape\":[]}],\"results\":[0]}");
    for (int i = 0; i < 40; i++)
        text_add(&t,
                 ",{\"nodes\":[{\"op\":\"parameter\",\"dtype\":\"f32\",\"shape\":[]},{\"op\":\"parameter\","
                 "\"dtype\":\"i64\","
                 "\"shape\":[]},{\"op\":\"loop\",\"of\":[0],\"attributes\":{\"body\":%d,\"length\":3,"
                 "\"carries\":1,"
                 "\"sequences\":0,\"stacked\":0,\"reverse\":false,\"counted\":false,\"stops\":false,"
                 "\"frugal\":false,"
                 "\"histories\":[]}},{\"op\":\"result\",\"of\":[2],\"attributes\":{\"index\":0},\"dtype\":"
                 "\"f32\",\"shape\":[]}"
                 "],\"results\":[3]}",
                 i);
    text_add(&t, "],\"nodes\":[],\"outputs\":[],\"updates\":[]}");
    char *json = test_own(text_take(&t), ty_free);
    if (!json) return;
    ty_graph *g = graph_of_json(json, 0, NULL, NULL);
    CHECK(strstr(ty_graph_error(g), "body 16, node 2, loop: bodies are nested deeper than 16") ||
              test_starving(),
          "%s", ty_graph_error(g));
}

/* A file that names many layers, or a long one, does not fill the room that the names of all layers share. */
static void names_of_layers_are_bounded(void) {
    for (int longest = 0; longest < 2; longest++) {
        struct text t = {0};
        int n = longest ? 1 : LOCATION_LAYERS / 4 + 1;
        text_add(&t, "{\"tyto_graph\":2,\"reader\":1,\"bodies\":[],\"nodes\":[");
        for (int i = 0; i < n; i++)
            text_add(&t, "%s{\"op\":\"variable\",\"dtype\":\"f32\",\"shape\":[],\"layer\":\"hostile%0*d\"}",
                     i ? "," : "", longest ? 5000 : 1, i);
        text_add(&t, "],\"outputs\":[],\"updates\":[]}");
        char *json = test_own(text_take(&t), ty_free);
        if (!json) return;
        const char *error = ty_graph_error(graph_of_json(json, 0, NULL, NULL));
        CHECK(strstr(error, longest ? "expected at most 4096" : "more than 4096 names of layers and files") ||
                  test_starving(),
              "%s", error);
    }
    CHECK(location_layer("one.of.a.model"), "the layers of models have no room");
}

/* ---- arbitrary numbers ---- */

/* Return true if no 64-bit field of the attributes exceeds a thousand. */
static bool fields_are_small(const struct attributes *a, const struct infer *in) {
    bool small = true;
    for (int i = 0; i < a->n; i++) {
        const struct field *f = &a->fields[i];
        const char *at = field_first(a, i, in);
        for (int k = 0; (f->parts || f->type == FIELD_LONG) && k < field_count(a, i, in);
             k++, at += f->size) {
            struct infer inside = {.attr = at, .attr_bytes = f->size};
            small = small &&
                    (f->parts ? fields_are_small(f->parts, &inside) : llabs(field_number(f, at) / 2) < 500);
        }
    }
    return small;
}

/* Return true if a node is cheap to compute: its result is small, and its loops and windows are short. */
static bool node_is_small(const ty_tensor *x) {
    bool steps = x->promise &&
                 (x->op->kind == KERNEL_POOL || x->op->kind == KERNEL_CONTRACT || x->op->kind == KERNEL_LOOP);
    struct infer in = {
        .attr = x->attr, .attr_bytes = x->attr_bytes, .ninputs = x->ninputs, .inputs = x->inputs};
    return tensor_size(x) <= 1 << 12 && (!steps || fields_are_small(x->op->attributes, &in));
}

static bool is_small(ty_tensor *x) {
    struct walk w = {0};
    struct fault fault = {0};
    bool small = walk_order(&w, 1, &x, &fault);
    for (int64_t i = 0; i < w.count && small; i++) {
        ty_tensor *const *roots, *y = w.nodes[i];
        uint64_t id;
        int n;
        small = node_is_small(y);
        for (int k = 0; small && y->promise && y->op->body && (n = y->op->body(y->attr, k, &roots, &id)); k++)
            for (int r = 0; r < n; r++) small = small && is_small(roots[r]);
    }
    walk_drop(&w);
    return small;
}

/* Verify, show, compute on both engines and differentiate the graph; false if it was refused. */
static bool use(const ty_graph *g) {
    if (*ty_graph_error(g)) return false;
    for (int i = 0; i < ty_graph_count(g); i++) {
        ty_tensor *y = ty_graph_at(g, i), *v = ty_graph_variables(g) ? ty_graph_variable(g, 0) : NULL,
                  *gradient;
        struct walk w = {0};
        struct fault fault = {0};
        bool well = walk_order(&w, 1, &y, &fault) && graph_verify(&w, &fault);
        walk_drop(&w);
        CHECK(well || test_starving(), "%s", fault.text);
        ty_free(ty_text(1, &y));
        if (!is_small(y)) continue;
        for (int engine = 0; engine < 2; engine++) {
            ty_use_engine(engine ? "ref" : "cpu");
            ty_eval(y);
        }
        ty_use_engine("cpu");
        if (v && ty_ok(v) && ty_grad(y, 1, &v, &gradient) && is_small(gradient)) ty_eval(gradient);
    }
    return true;
}

static const char *const numbers[] = {"-1",
                                      "0",
                                      "1",
                                      "2",
                                      "3",
                                      "5",
                                      "63",
                                      "64",
                                      "65",
                                      "127",
                                      "128",
                                      "255",
                                      "999",
                                      "1e3",
                                      "null",
                                      "2147483647",
                                      "-2147483648",
                                      "4611686018427387904",
                                      "9223372036854775807",
                                      "-9223372036854775808"};

struct damage {
    int n;
    const char **names;
    ty_tensor **tensors;
    int tried, well;
};

/* Replace each number of the text by each of the others. */
static void damage_numbers(struct damage *d, const char *json, int step) {
    static int turn;
    for (size_t at = 1; json[at]; at++) {
        if (!isdigit((unsigned char)json[at]) || !strchr("[,:-", json[at - 1])) continue;
        size_t from = json[at - 1] == '-' ? at - 1 : at, end = at;
        while (isdigit((unsigned char)json[end])) end++;
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            if (turn++ % step) continue;
            struct test_round round = test_round();
            d->tried++;
            d->well +=
                use(graph_of_json(replaced(json, from, end - from, numbers[k]), d->n, d->names, d->tensors));
            test_round_end(round);
        }
        at = end - 1;
    }
}

/* Damage the structure and the values of a written graph. */
static void damage_graph(struct damage *d, ty_tensor *y, const char *what, int step) {
    enum { MOST = 64 };
    const char *names[MOST], *name = "y";
    ty_tensor *tensors[MOST], *error = NULL;
    size_t size;
    void *bytes = test_own(ty_graph_bytes(1, &name, &y, (ty_graph_options){0}, &size, &error), ty_free);
    CHECK(bytes || test_starving(), "%s: %s", what, ty_error(error));
    if (!bytes) return;
    ty_archive *a = own_archive(ty_archive_parse(bytes, size, (ty_file_options){0}));
    const char *json = ty_archive_meta(a, "tyto_graph");
    if (!json) return;
    for (d->n = 0; d->n < ty_archive_count(a) && d->n < MOST; d->n++) {
        names[d->n] = ty_archive_name(a, d->n);
        tensors[d->n] = ty_archive_at(a, d->n);
        if (!ty_ok(tensors[d->n])) return;
    }
    d->names = names;
    d->tensors = tensors;
    damage_numbers(d, json, step);
}

static void numbers_anywhere(void) {
    struct damage d = {0};
    int step = test_some(3, 13, 1997);
    for (int i = 0; i < operator_sample_count; i++) {
        struct test_round round = test_round();
        ty_tensor *x = ty_var(sample_shape(TY_F32, TY_SHAPE(1, 4, 4, 1), -2, 2), "x");
        if (strcmp(operator_samples[i].name, "call")) /* no file can have one */
            damage_graph(&d, operator_samples[i].run(x), operator_samples[i].name, step);
        test_round_end(round);
    }
    for (int i = 0; i < 2; i++) {
        struct test_round round = test_round();
        ty_tensor *x = ty_var(sample_shape(TY_F64, TY_SHAPE(3, 2), -1, 1), "x"), *y = bodies_nested(x), *g;
        if (i && ty_grad(y, 1, &x, &g)) y = g;
        damage_graph(&d, y, "nested loops", i ? 11 * step : step);
        test_round_end(round);
    }
    if (test_verbose()) printf("%d of %d are graphs\n", d.well, d.tried);
    CHECK(test_starving() || (d.well > 0 && d.well < d.tried / 2), "%d of %d are graphs", d.well, d.tried);
}

/* ---- documentation ---- */

/* Return true if the line contains `word` between backticks. */
static bool has_code(const char *line, const char *word) {
    char code[64];
    snprintf(code, sizeof code, "`%s`", word);
    return strstr(line, code) != NULL;
}

/* Return true if a table of the page has a row that names the operator first and lists all fields of its
   attributes. */
static bool is_described(char *page, const struct op *op) {
    for (char *line; (line = tree_line(&page));) {
        char *cell = strchr(line + (*line != 0), '|');
        if (*line != '|' || !cell) continue;
        *cell = 0;
        bool named = has_code(line, op->name), all = true;
        *cell = '|';
        for (int i = 0; named && i < op->attributes->n; i++) {
            const struct field *f = &op->attributes->fields[i];
            bool silent = f->type == FIELD_FORM || f->type == FIELD_VARIANT;
            all = all && (silent || has_code(cell, f->name));
            for (int k = 0; f->parts && k < f->parts->n; k++)
                all = all && has_code(cell, f->parts->fields[k].name);
        }
        if (named && all) return true;
    }
    return false;
}

static void the_page_has_all(void) {
    for (const struct op *const *op = op_table; *op; op++) {
        if (!(*op)->attributes || *op == &op_parameter) continue;
        struct test_round round = test_round();
        CHECK(is_described(tree_text("docs/graph_format.md"), *op),
              "docs/graph_format.md lacks attributes of %s", (*op)->name);
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(each_is_refused), TEST(nested_too_deep), TEST(names_of_layers_are_bounded),
           TEST(numbers_anywhere), TEST(the_page_has_all))
