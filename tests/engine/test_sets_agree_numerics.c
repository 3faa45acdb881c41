/*
 * Bits of transforms, factorisations, signals, draws, statistics and solvers: each row of sets_agree.def must give
 * the same bits by every instruction set with FMA, for one thread and for three, eagerly and compiled. Sizes cross the
 * lanes of both vector lengths, since an end of a line, or a group of small matrices, may be computed in another way.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/expression.h>

#include "base/machine/isa.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

enum { TEXT = 1024, INPUTS = 32, RESULTS = 64, SIDE = 130, THREADS = 3 };

/* ---- inputs ---- */

static const struct {
    char letter;
    ty_dtype dtype;
} types[] = {{'s', TY_F32}, {'d', TY_F64}, {'c', TY_C64}, {'z', TY_C128}};
enum { TYPES = sizeof types / sizeof *types };

struct inputs {
    int n;
    char names[INPUTS][12];
    const char *name[INPUTS];
    ty_tensor *value[INPUTS];
};

static void add_input(struct inputs *in, const char *name, char letter, ty_tensor *x) {
    CHECK(in->n < INPUTS, "more than %d inputs", INPUTS);
    snprintf(in->names[in->n], sizeof in->names[0], letter ? "%s%c" : "%s", name, letter);
    in->name[in->n] = in->names[in->n];
    in->value[in->n++] = x;
}

static ty_tensor *uniform(ty_dtype dtype, int rank, const int64_t *shape) {
    return sample_shape(dtype, rank, shape, -1, 1);
}

static void add_inputs(struct inputs *in) {
    for (int i = 0; i < TYPES; i++) {
        ty_dtype dtype = types[i].dtype;
        ty_tensor *m = uniform(dtype, TY_SHAPE(SIDE, SIDE));
        ty_tensor *kept = ty_where(ty_lt(ty_abs(m), ty_num(0.15)), m, ty_num(0));
        ty_tensor *dominant = ty_add(kept, ty_mul(ty_eye(TY_F32, SIDE), ty_num(4)));
        ty_sparse sparse = ty_sparse_from_dense(dominant, TY_CSR);
        add_input(in, "v", types[i].letter, uniform(dtype, TY_SHAPE(1 << 17)));
        add_input(in, "m", types[i].letter, m);
        add_input(in, "b", types[i].letter, uniform(dtype, TY_SHAPE(37, 24, 24)));
        if (dtype == TY_F32 || dtype == TY_F64)
            add_input(in, "i", types[i].letter, uniform(dtype, TY_SHAPE(2, 37, 41, 3)));
        add_input(in, "w", types[i].letter, sparse.values);
        add_input(in, "columns", types[i].letter, sparse.indices);
        add_input(in, "starts", types[i].letter, sparse.starts);
    }
}

/* ---- functions that expressions lack ---- */

/* Return x[0] exp(-x[1]^2), for points x[0] and parameters x[1]. */
static ty_tensor *bell(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_mul(ty_expand(x[0], -1), ty_exp(ty_neg(ty_square(ty_mul(ty_expand(x[0], -1), x[1])))));
}

struct call_inputs {
    ty_tensor *points, *queries, *row; /* f64 [130, 3], [40, 3], [7] */
};

static int nearest(const struct call_inputs *in, ty_tensor **y) {
    ty_neighbours all = ty_nearest_points(in->points, in->queries, 5, (ty_distance_options){0});
    ty_radius_neighbours near = ty_points_within(in->points, in->queries, 0.7, (ty_distance_options){0});
    y[0] = all.distances, y[1] = all.indices, y[2] = near.starts, y[3] = near.distances, y[4] = near.indices;
    return 5;
}
static int tree(const struct call_inputs *in, ty_tensor **y) {
    ty_distance_options o = {.distance = TY_DISTANCE_minkowski, .p = 3.5};
    ty_tree *trees[] = {ty_tree_new(in->points, (ty_distance_options){0}), ty_tree_new(in->points, o)};
    for (int i = 0; i < 2; i++) {
        ty_neighbours found = ty_tree_nearest(trees[i], in->queries, 5);
        y[3 * i] = found.distances, y[3 * i + 1] = found.indices;
        y[3 * i + 2] = ty_tree_within(trees[i], in->queries, 0.7).distances;
        ty_tree_free(trees[i]);
    }
    return 6;
}
static int quadrature(const struct call_inputs *in, ty_tensor **y) {
    y[0] = ty_quad(bell, NULL, 0, INFINITY, 1, &in->row, (ty_quad_options){0}, NULL);
    y[1] = ty_quad(bell, NULL, -1, 2, 1, &in->row, (ty_quad_options){.relative = 1e-6}, NULL);
    ty_gauss_parts rule = ty_gauss_legendre(77);
    y[2] = rule.places, y[3] = rule.weights;
    return 4;
}
static int derivatives(const struct call_inputs *in, ty_tensor **y) {
    ty_tensor *x = ty_track(in->row, "x"), *cube = ty_mul(ty_square(x), ty_roll(x, 1, (int64_t[]){1}, NULL));
    ty_sparse_jacobian(ty_exp(cube), x, &y[0], &y[1], NULL);
    ty_sparse_hessian(ty_sum(ty_exp(cube), TY_ALL), x, &y[2], &y[3], NULL);
    return 4;
}

/* ---- rows ---- */

struct row {
    const char *types, *sizes, *text;
};
static const struct row rows[] = {
#define AGREE(types, sizes, text) {types, sizes, text},
#include "tests/engine/sets_agree.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Write the text of a row for one type and size. */
static void fill(char *out, const char *text, char letter, int64_t size) {
    size_t at = 0;
    for (; *text && at < TEXT - 24; text++) {
        bool type = !strncmp(text, "{t}", 3), number = !strncmp(text, "{n}", 3);
        if (number)
            at += (size_t)snprintf(out + at, 24, "%lld", (long long)size);
        else
            out[at++] = type ? letter : *text;
        if (type || number) text += 2;
    }
    CHECK(!*text, "a row has more than %d characters", TEXT);
    out[at] = 0;
}

/* A computation: a text, or, without one, a call. */
struct work {
    const char *text;
    int (*call)(const struct call_inputs *in, ty_tensor **y);
};

static int run_call(const struct inputs *in, bool lazy, const struct work *work, ty_tensor **results) {
    struct call_inputs x = {0};
    for (int i = 0; i < in->n; i++)
        if (!strcmp(in->names[i], "md")) {
            ty_tensor *m = lazy ? ty_lazy(in->value[i]) : in->value[i];
            x = (struct call_inputs){ty_at(m, ":, :3"), ty_at(m, ":40, 3:6"), ty_at(m, "0, :7")};
        }
    return work->call(&x, results);
}

/* Compute the statements of a text: NAME = EXPRESSION; ... EXPRESSIONS. Return the number of results. */
static int run_text(const struct inputs *with, bool lazy, const char *text, ty_tensor **results) {
    struct inputs in = *with;
    for (int i = 0; i < in.n; i++) {
        in.name[i] = in.names[i];
        if (lazy) in.value[i] = ty_lazy(in.value[i]);
    }
    for (const char *end; (end = strchr(text, ';')); text = end + 2) {
        char one[TEXT], name[2] = {*text, 0};
        snprintf(one, sizeof one, "%.*s", (int)(end - text - 4), text + 4);
        add_input(&in, name, 0, ty_expression(one, in.n, in.name, in.value));
    }
    return ty_expressions(text, in.n, in.name, in.value, RESULTS, results);
}

/* Compute work; return the number of results. */
static int compute(const struct inputs *in, bool lazy, const struct work *work, ty_tensor **results) {
    int n = work->text ? run_text(in, lazy, work->text, results) : run_call(in, lazy, work, results);
    if (lazy && n > 0) ty_eval_all(n, results, results);
    return n;
}

static void use(enum isa isa, int threads) {
    isa_force(isa);
    ty_set_threads(threads);
    ty_trim(); /* kernels of the other set */
}

/* Compare the results of work, called `name`. */
static void agree(const struct inputs *in, const struct work *work, const char *name) {
    struct test_round round = test_round();
    ty_tensor *want[RESULTS], *got[RESULTS];
    enum isa least = isa_best() > ISA_BASE ? ISA_AVX2 : ISA_BASE;
    use(isa_best(), 1);
    int n = compute(in, false, work, want);
    for (int isa = (int)least; isa <= (int)isa_best(); isa++)
        for (int lazy = 0; lazy < 2; lazy++) {
            use((enum isa)isa, lazy == (isa == (int)least) ? 1 : THREADS);
            int found = compute(in, lazy, work, got);
            CHECK(found == n || test_starving(), "%s: %d results, or %d", name, found, n);
            for (int i = 0; i < n && i < found; i++)
                compare_bits(got[i], want[i], "result %d of %s, %s, %s", i, name, isa_name((enum isa)isa),
                             lazy ? "compiled" : "eager");
        }
    test_round_end(round);
}

/* Compare the results of a row for each of its types and sizes; `step` - 1 of `step` sizes are left out. */
static void check_row(const struct inputs *in, const struct row *row, int step) {
    char text[TEXT];
    int number = 0;
    for (const char *letter = row->types; *letter; letter++)
        for (const char *at = row->sizes; *at;) {
            char *end;
            int64_t first = strtoll(at, &end, 10), last = first;
            if (!strncmp(end, "..", 2)) last = strtoll(end + 2, &end, 10);
            for (int64_t size = first; size <= last; size++)
                if (number++ % step == 0) {
                    fill(text, row->text, *letter, size);
                    agree(in, &(struct work){.text = text}, text);
                }
            at = end + (*end == ' ');
        }
}

static void sets_agree(void) {
    struct inputs in = {0};
    add_inputs(&in);
    for (int i = 0; i < ROWS; i++) check_row(&in, &rows[i], test_some(1, 5, 1000));
}

static void calls_agree(void) {
    static const struct {
        const char *name;
        struct work work;
    } calls[] = {{"nearest points", {.call = nearest}},
                 {"trees of points", {.call = tree}},
                 {"quadrature", {.call = quadrature}},
                 {"sparse derivatives", {.call = derivatives}}};
    struct inputs in = {0};
    add_inputs(&in);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) agree(&in, &calls[i].work, calls[i].name);
}

TESTS_MAIN(TEST(sets_agree), TEST(calls_agree))
