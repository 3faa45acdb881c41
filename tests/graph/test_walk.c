/* Graphs seen from outside: nodes, readers, names, visits, attributes, bodies. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "array/number_format.h"
#include "io/fields.h"
#include "ops/core/structure.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/operator_samples.h"
#include "tests/support/small_stack.h"

static void free_walk(void *w) { ty_walk_free(w); }

/* Return the walk of n roots, freed when the test ends; NULL if an allocation failed. */
static ty_walk *walk_of(int n, ty_tensor *const *roots) {
    ty_walk *w = test_own(ty_walk_new(n, roots), free_walk);
    ty_tensor *failure = ty_walk_failure(w);
    if (!failure) return w;
    CHECK_OK(failure);
    CHECK(ty_walk_nodes(w) == 0, "a failed walk has nodes");
    return NULL;
}

/* ---- nodes ---- */

/* Check that operands of all nodes and consumers of all nodes are the same edges. */
static void check_edges(const ty_walk *w, const char *what) {
    int64_t edges = 0, uses = 0;
    for (int64_t k = 0; k < ty_walk_nodes(w); k++) {
        ty_tensor *x = ty_walk_node(w, k);
        CHECK(ty_walk_index(w, x) == k, "%s: node %" PRId64 " is not found", what, k);
        CHECK(ty_walk_operand(w, k, ty_operands(x)) == -1 && ty_walk_operand(w, k, -1) == -1, "%s", what);
        for (int i = 0; i < ty_operands(x); i++, edges++) {
            int64_t at = ty_walk_operand(w, k, i);
            CHECK(at >= 0 && at < k, "%s: operand %d of node %" PRId64 " is %" PRId64, what, i, k, at);
            CHECK(ty_walk_node(w, at) == ty_operand(x, i), "%s: another operand", what);
        }
        int64_t before = -1;
        for (int64_t i = 0; i < ty_walk_consumers(w, k); i++, uses++) {
            int operand = -2;
            int64_t reader = ty_walk_consumer(w, k, i, &operand);
            CHECK(reader >= before && reader > k, "%s: consumers do not ascend", what);
            CHECK(ty_walk_operand(w, reader, operand) == k, "%s: a consumer does not read it", what);
            before = reader;
        }
    }
    CHECK(edges == uses, "%s: %" PRId64 " operands, but %" PRId64 " uses", what, edges, uses);
}

static void every_operator(void) {
    for (int i = 0; i < operator_sample_count; i++) {
        struct test_round round = test_round();
        ty_tensor *x = ty_normal(TY_F32, TY_SHAPE(1, 4, 4, 1), ty_key(1)),
                  *y[2] = {operator_samples[i].run(ty_var(x, "x")), operator_samples[i].run(ty_track(x, ""))};
        ty_walk *w = ty_ok(y[0]) && ty_ok(y[1]) ? walk_of(2, y) : NULL;
        int64_t nodes, edges;
        if (w && ty_count(2, y, &nodes, &edges, NULL)) {
            CHECK(ty_walk_nodes(w) == nodes, "%s: another number of nodes", operator_samples[i].name);
            check_edges(w, operator_samples[i].name);
        }
        test_round_end(round);
    }
}

static void readers_in_a_graph(void) {
    ty_tensor *x = CHECK_OK(ty_var(ty_ones(TY_F32, TY_SHAPE(3)), "x")), *a = ty_mul(x, x), *b = ty_add(a, x),
              *other = ty_exp(a);
    int operand;
    if (!ty_ok(CHECK_OK(b)) || !ty_ok(CHECK_OK(other))) return;
    ty_walk *w = walk_of(1, &b), *both = walk_of(2, (ty_tensor *[]){b, other});
    if (!w || !both) return;
    int64_t at = ty_walk_index(w, x), mul = ty_walk_index(w, a), add = ty_walk_index(w, b);
    CHECK(ty_walk_nodes(w) == 3 && ty_walk_consumers(w, at) == 3, "x is read three times");
    CHECK(ty_walk_consumer(w, at, 0, &operand) == mul && operand == 0, "first by the product");
    CHECK(ty_walk_consumer(w, at, 1, &operand) == mul && operand == 1, "twice");
    CHECK(ty_walk_consumer(w, at, 2, &operand) == add && operand == 1, "then by the sum");
    CHECK(ty_walk_consumer(w, at, 3, &operand) == -1 && operand == -1, "and by no other");
    CHECK(ty_walk_consumer(w, at, -1, NULL) == -1 && ty_walk_consumers(w, 3) == 0, "no such node");
    CHECK(ty_walk_consumers(w, mul) == 1, "exp is outside of the graph of b");
    CHECK(ty_walk_consumers(both, ty_walk_index(both, a)) == 2, "and inside of that of both");
    CHECK(ty_walk_index(w, other) == -1 && ty_walk_index(w, NULL) == -1, "not in the walk");
}

static void values_are_leaves(void) {
    ty_tensor *v = ty_add(ty_ones(TY_F32, TY_SHAPE(2)), ty_num(1)), *t = ty_track(v, "t"),
              *root[3] = {v, ty_exp(t), ty_mul(ty_lazy(v), ty_var(v, "x"))};
    for (int i = 0; i < 3; i++)
        if (!ty_ok(CHECK_OK(root[i]))) return;
    ty_walk *w = walk_of(3, root);
    if (!w) return;
    CHECK(ty_operands(v) == 0 && !*ty_operator(v), "a value does not remember its operands");
    CHECK(ty_walk_nodes(w) == 6, "v, t, exp t, constant v, x and the product, not %d", (int)ty_walk_nodes(w));
    CHECK(ty_walk_index(w, t) >= 0, "an eager variable stands for its value");
    int64_t constant = ty_walk_operand(w, ty_walk_index(w, root[2]), 0);
    CHECK(!strcmp(ty_operator(ty_walk_node(w, constant)), "constant"), "a promise of a value");
    CHECK(ty_walk_operand(w, constant, 0) == ty_walk_index(w, v), "whose operand is the value");
}

static void names(void) {
    ty_tensor *x = CHECK_OK(ty_var(ty_ones(TY_F32, TY_SHAPE(3)), "w")), *a = ty_exp(x), *b = ty_sin(a);
    if (!ty_ok(CHECK_OK(ty_named(CHECK_OK(a), "hidden"))) || !ty_ok(CHECK_OK(ty_named(b, "w")))) return;
    ty_walk *w = walk_of(1, &b);
    if (!w) return;
    CHECK(ty_walk_find(w, "w", 0) == 0 && ty_walk_find(w, "w", 1) == 2 && ty_walk_find(w, "w", 3) == -1,
          "two nodes of one name");
    CHECK(ty_walk_find(w, "hidden", -5) == 1, "one of another name");
    CHECK(ty_walk_find(w, "", 0) == -1 && ty_walk_find(w, NULL, 0) == -1 && ty_walk_find(w, "v", 0) == -1,
          "no such name");
    if (ty_ok(ty_named(a, "w"))) CHECK(ty_walk_find(w, "hidden", 0) == -1, "it was renamed");
}

/* ---- visits ---- */

struct seen {
    const ty_walk *walk;
    int64_t n, most, at[16];
};
static bool note(void *context, int64_t node, ty_tensor *x) {
    struct seen *s = context;
    CHECK(ty_walk_node(s->walk, node) == x, "number and tensor differ");
    s->at[s->n++] = node;
    return s->n < s->most;
}

static void visits(void) {
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(3)), "x"), *a = ty_exp(x), *b = ty_sin(x),
              *c = ty_add(a, b), *d = ty_neg(a), *roots[2] = {c, d}, *error = NULL;
    if (!ty_ok(CHECK_OK(c)) || !ty_ok(CHECK_OK(d))) return;
    ty_walk *w = walk_of(2, roots); /* x a b c d */
    if (!w) return;
    struct seen s = {.walk = w, .most = 16};
    int64_t n = ty_walk_ancestors(w, 3, TY_OPERANDS_FIRST, note, &s, &error);
    if (n < 0) return (void)CHECK_OK(error);
    CHECK(n == 4 && !memcmp(s.at, (int64_t[]){0, 1, 2, 3}, 4 * sizeof *s.at), "c and below");
    s.n = 0;
    n = ty_walk_descendants(w, 1, TY_CONSUMERS_FIRST, note, &s, &error);
    if (n < 0) return (void)CHECK_OK(error);
    CHECK(n == 3 && !memcmp(s.at, (int64_t[]){4, 3, 1}, 3 * sizeof *s.at), "a and above, backwards");
    s.n = 0;
    n = ty_walk_ancestors(w, 4, TY_CONSUMERS_FIRST, note, &s, NULL);
    if (n < 0) return (void)CHECK(test_starving(), "no reason");
    CHECK(n == 3 && !memcmp(s.at, (int64_t[]){4, 1, 0}, 3 * sizeof *s.at), "b is not below d");
    s = (struct seen){.walk = w, .most = 2};
    n = ty_walk_descendants(w, 0, TY_OPERANDS_FIRST, note, &s, NULL);
    CHECK(n < 0 ? test_starving() : n == 2, "it stopped after %d", (int)n);
}

static void bad_visits(void) {
    ty_tensor *x = CHECK_OK(ty_var(ty_ones(TY_F32, TY_SHAPE(3)), "x")), *error;
    ty_walk *w = ty_ok(x) ? walk_of(1, &x) : NULL;
    if (!w) return;
    CHECK(ty_walk_ancestors(w, 1, TY_OPERANDS_FIRST, note, NULL, &error) == -1, "no node 1");
    CHECK_POISON(error, "node 1 is out of bounds for a walk of 1 nodes");
    CHECK(ty_walk_descendants(w, 0, (ty_walk_order)7, note, NULL, &error) == -1, "no order 7");
    CHECK_POISON(error, "unknown order 7");
    CHECK(ty_walk_descendants(w, 0, TY_OPERANDS_FIRST, NULL, NULL, &error) == -1, "no function");
    CHECK_POISON(error, "the function is NULL");
    CHECK(ty_walk_descendants(NULL, 0, TY_OPERANDS_FIRST, note, NULL, &error) == -1, "no walk");
    CHECK_POISON(error, "the walk is NULL");
    CHECK_POISON(ty_walk_node(w, -1), "node -1 is out of bounds");
}

static void bad_roots(void) {
    ty_tensor *bad = ty_poison_code(TY_ERROR_DOMAIN, "spoilt");
    ty_walk *w = test_own(ty_walk_new(1, &bad), free_walk), *none = test_own(ty_walk_new(1, NULL), free_walk),
            *empty = test_own(ty_walk_new(0, NULL), free_walk);
    CHECK_POISON(ty_walk_failure(w), "spoilt");
    CHECK_POISON(ty_walk_failure(none), "array of 1 tensors is NULL");
    CHECK(test_starving() || (!ty_walk_failure(empty) && !ty_walk_nodes(empty)), "%s", ty_walk_error(empty));
    CHECK_POISON(ty_walk_failure(NULL), "the walk is NULL");
}

/* ---- long graphs on a small stack ---- */

struct chain {
    int64_t length, visited, nodes;
    bool failed;
};
static bool count_on(void *context, int64_t node, ty_tensor *x) {
    (void)context, (void)node;
    return ty_ok(x);
}
static void *chain_thread(void *context) {
    struct chain *c = context;
    ty_scope *s = ty_open();
    ty_tensor *x = ty_var(ty_scalar(TY_F64, 0.5), "x"), *y = x, *z = NULL,
              *other = ty_var(ty_scalar(TY_F64, 2), "other");
    for (int64_t i = 0; i < c->length; i++) {
        ty_scope *inner = ty_open();
        y = ty_keep(i % 2 ? ty_add(y, ty_num(0.25)) : ty_sub(y, ty_num(0.25)));
        ty_close(inner);
    }
    ty_walk *w = ty_walk_new(1, &y);
    c->visited = ty_walk_ancestors(w, ty_walk_index(w, y), TY_CONSUMERS_FIRST, count_on, NULL, NULL);
    ty_walk_free(w);
    c->failed = !ty_replace(1, &x, &other, 1, &y, &z);
    if (!c->failed && ty_count(2, (ty_tensor *[]){y, z}, &c->nodes, NULL, NULL)) c->nodes -= c->visited;
    ty_close(s);
    return NULL;
}
static void long_chain(void) {
    struct chain c = {.length = test_some(400000, 100000, 1000)};
    on_small_stack(chain_thread, &c);
    if (test_starving()) return;
    CHECK(c.visited > c.length, "%" PRId64 " nodes were visited", c.visited);
    CHECK(!c.failed && c.nodes == c.length + 1, "%" PRId64 " nodes are new", c.nodes);
}

/* ---- attributes ---- */

static bool write_body(void *context, struct text *t, const struct field *f, const void *at) {
    (void)f, (void)at;
    text_add(t, "%d", (*(int *)context)++);
    return true;
}

/* Append value k of an attribute as fields_write does. */
static void add_value(struct text *t, const ty_tensor *x, const ty_attribute *a, int64_t k) {
    int64_t numbers[4096] = {0};
    double reals[4096] = {0};
    int64_t n = ty_attribute_integers(x, a->name, 4096, numbers);
    CHECK(n == (a->kind == TY_ATTRIBUTE_REAL ? -1 : a->count), "%s has %d integers", a->name, (int)n);
    n = ty_attribute_reals(x, a->name, 4096, reals);
    CHECK(n == a->count, "%s has %d reals", a->name, (int)n);
    const char *word = ty_attribute_word(x, a->name, k);
    if (a->kind == TY_ATTRIBUTE_REAL) {
        struct element e = {.z = reals[k]};
        text_add(t, isfinite(reals[k]) ? "" : "\"");
        number_add_scalar(t, TY_F64, e);
        text_add(t, isfinite(reals[k]) ? "" : "\"");
    } else if (a->kind == TY_ATTRIBUTE_FLAG) {
        text_add(t, numbers[k] ? "true" : "false");
    } else if (*word) {
        text_add(t, "\"%s\"", word);
    } else if (a->kind == TY_ATTRIBUTE_DTYPE) {
        text_add(t, "null");
    } else {
        text_add(t, "%" PRId64, numbers[k]);
        CHECK(reals[k] == (double)numbers[k], "%s: other reals", a->name);
    }
}

/* Append the attributes from *i on whose names begin with `before`, one of each list if `k` is not negative. */
static void add_attributes(struct text *t, const ty_tensor *x, int *i, const char *before, int64_t k) {
    ty_attribute a;
    const char *comma = "{";
    for (; ty_attribute_at(x, *i, &a) && !strncmp(a.name, before, strlen(before)); comma = ",") {
        const char *dot = strchr(a.name + strlen(before), '.');
        int length = dot ? (int)(dot - a.name) : (int)strlen(a.name);
        text_add(t, "%s\"%.*s\":", comma, length - (int)strlen(before), a.name + strlen(before));
        if (dot) {
            char record[40];
            int first = *i, after = *i + 1;
            snprintf(record, sizeof record, "%.*s.", length, a.name);
            text_add(t, "[");
            for (int64_t entry = 0; entry < a.count; entry++) {
                after = first;
                text_add(t, entry ? "," : "");
                add_attributes(t, x, &after, record, entry);
            }
            text_add(t, "]");
            for (*i = first; ty_attribute_at(x, *i, &a) && !strncmp(a.name, record, strlen(record));) ++*i;
            continue;
        }
        bool list = a.list && k < 0;
        if (list) text_add(t, "[");
        for (int64_t j = list ? 0 : k < 0 ? 0 : k; j < (list ? a.count : k < 0 ? 1 : k + 1); j++) {
            if (list && j) text_add(t, ",");
            add_value(t, x, &a, j);
        }
        if (list) text_add(t, "]");
        ++*i;
    }
    text_add(t, *comma == '{' ? "{}" : "}");
}

/* Check that the attributes of x are those that files of graphs have. Return 1 if there are some. */
static int check_attributes(const ty_tensor *x) {
    struct text want = {0}, got = {0};
    struct fault fault = {0};
    int bodies = 0, i = 0;
    const struct op *op = op_find(ty_operator(x));
    if (!op || !op->attributes) {
        CHECK(ty_attributes(x) == 0, "%s has attributes", ty_operator(x));
        return 0;
    }
    struct infer in = infer_of(x, NULL);
    struct field_writer w = {&want, FIELDS_TIGHT, &fault, write_body, &bodies};
    bool done = fields_write(&w, op->attributes, &in);
    add_attributes(&got, x, &i, "", -1);
    CHECK(i == ty_attributes(x), "%s: not all were read", op->name);
    char *wanted = test_text(text_take(&want)), *gotten = test_text(text_take(&got));
    if (!done || !wanted || !gotten) return CHECK(test_starving(), "not written"), 0;
    /* an unsigned number of 64 bits is text in files */
    if (!strstr(wanted, "stream"))
        CHECK(!strcmp(wanted, gotten), "%s: %s, in files %s", op->name, gotten, wanted);
    CHECK(bodies == ty_bodies(x), "%s has %d bodies, not %d", op->name, bodies, ty_bodies(x));
    return i > 0;
}

static void attributes_are_those_of_files(void) {
    int some = 0;
    for (int i = 0; i < operator_sample_count; i++) {
        struct test_round round = test_round();
        ty_tensor *x = ty_normal(TY_F32, TY_SHAPE(1, 4, 4, 1), ty_key(1)),
                  *y[2] = {operator_samples[i].run(ty_var(x, "x")), operator_samples[i].run(ty_track(x, ""))};
        ty_walk *w = ty_ok(y[0]) && ty_ok(y[1]) ? walk_of(2, y) : NULL;
        for (int64_t k = 0; w && k < ty_walk_nodes(w); k++) some += check_attributes(ty_walk_node(w, k));
        test_round_end(round);
    }
    CHECK(test_starving() || some > 50, "only %d nodes with attributes", some);
}

static void attributes_by_name(void) {
    ty_tensor *x = CHECK_OK(ty_var(ty_ones(TY_F32, TY_SHAPE(3, 4, 5)), "x")),
              *y = CHECK_OK(ty_sum(x, ty_axes_of(2, (int[]){0, 2}, false))),
              *z = CHECK_OK(ty_cast(x, TY_I64)),
              *draw = CHECK_OK(ty_normal(TY_F32, TY_SHAPE(2), ty_var(ty_key(1), "key")));
    int64_t axes[2] = {7, 7};
    if (!ty_ok(y) || !ty_ok(z) || !ty_ok(draw)) return;
    CHECK(ty_attribute_integers(y, "axes", 1, axes) == 2 && axes[0] == 0 && axes[1] == 7, "one of two axes");
    CHECK(ty_attribute_integers(y, "axes", 2, axes) == 2 && axes[1] == 2, "both axes");
    CHECK(ty_attribute_integers(y, "axes", 0, NULL) == 2, "only the number");
    CHECK(ty_attribute_integers(y, "axis", 2, axes) == -1 && ty_attribute_reals(y, NULL, 0, NULL) == -1,
          "none");
    CHECK(!strcmp(ty_attribute_word(z, "dtype", 0), "i64") && !*ty_attribute_word(z, "dtype", 1), "a dtype");
    CHECK(!*ty_attribute_word(y, "axes", 0) && !*ty_attribute_word(y, "none", 0), "no words");
    while (ty_ok(draw) && strcmp(ty_operator(draw), "random")) draw = ty_operand(draw, 0);
    CHECK(!strcmp(ty_attribute_word(draw, "kind", 0), "normal"), "kind %s",
          ty_attribute_word(draw, "kind", 0));
    ty_attribute a;
    CHECK(!ty_attribute_at(x, 0, &a) && !ty_attribute_at(y, -1, &a) && !*a.name && !a.count, "none");
    CHECK(!ty_attributes(NULL) && !ty_bodies(NULL) && !ty_bodies(x), "none");
}

static void names_fit(void) {
    for (const struct op *const *op = op_table; *op; op++)
        for (int i = 0; (*op)->attributes && i < (*op)->attributes->n; i++) {
            const struct field *f = &(*op)->attributes->fields[i];
            size_t n = strlen(f->name), most = 0;
            for (int k = 0; f->type == FIELD_RECORD && k < f->parts->n; k++) {
                size_t part = strlen(f->parts->fields[k].name);
                most = part > most ? part : most;
                CHECK(f->parts->fields[k].many == FIELD_ONE, "%s.%s: a list in a list", (*op)->name, f->name);
            }
            CHECK(n + most + 2 <= sizeof((ty_attribute *)0)->name, "%s.%s is too long", (*op)->name, f->name);
            CHECK(f->type != FIELD_AXES || f->many == FIELD_ONE, "%s.%s: sets in a list", (*op)->name,
                  f->name);
        }
}

/* ---- bodies ---- */

static void step(void *context, ty_step *s) {
    s->next[0] = ty_add(ty_mul(s->carry[0], context), s->x[0]);
    s->y[0] = ty_neg(s->carry[0]);
}

static void body_of_a_loop(void) {
    ty_tensor *w = ty_var(ty_scalar(TY_F64, 3), "w"), *x = ty_var(ty_iota(TY_F64, TY_SHAPE(4), 0), "x"),
              *h = ty_zeros(TY_F64, 0, NULL), *last, *y;
    if (!ty_scan(step, w, (ty_scan_spec){.ncarry = 1, .carry = &h, .nx = 1, .x = &x, .ny = 1}, &last, &y,
                 NULL))
        return (void)CHECK_OK(last);
    ty_tensor *loop = ty_operand(last, 0);
    CHECK(!strcmp(ty_operator(last), "result") && !strcmp(ty_operator(loop), "loop"), "a result of a loop");
    CHECK(ty_bodies(loop) == 1 && ty_body_outputs(loop, 0) == 2 && ty_body_outputs(loop, 1) == 0, "one body");
    CHECK_POISON(ty_body_output(loop, 0, 2), "no output 2 of body 0");
    CHECK_POISON(ty_body_output(w, 0, 0), "no output 0 of body 0");
    ty_tensor *next = CHECK_OK(ty_body_output(loop, 0, 0));
    ty_walk *walk = ty_ok(next) ? walk_of(1, &next) : NULL;
    if (!walk) return;
    /* One step on other operands, without the loop. */
    ty_tensor *from[4], *to[4], *one;
    int n = 0;
    for (int64_t k = 0; k < ty_walk_nodes(walk); k++) {
        int64_t number = -1;
        if (strcmp(ty_operator(ty_walk_node(walk, k)), "parameter")) continue;
        CHECK(ty_attribute_integers(ty_walk_node(walk, k), "number", 1, &number) == 1, "no number");
        from[n] = ty_walk_node(walk, k);
        to[n++] = number == 0 ? ty_scalar(TY_F64, 5) : number == 1 ? ty_scalar(TY_F64, 7) : w;
    }
    CHECK(n == 3, "%d parameters", n);
    CHECK_POISON(ty_eval(next), "");
    if (ty_replace(n, from, to, 1, &next, &one) && ty_ok(CHECK_OK(ty_eval(one))))
        CHECK(ty_item(one) == 22, "5 * 3 + 7 is %g", ty_item(one));
    else
        CHECK_OK(one);
}

TESTS_MAIN(TEST(every_operator), TEST(readers_in_a_graph), TEST(values_are_leaves), TEST(names), TEST(visits),
           TEST(bad_visits), TEST(bad_roots), TEST(long_chain), TEST(attributes_are_those_of_files),
           TEST(attributes_by_name), TEST(names_fit), TEST(body_of_a_loop))
