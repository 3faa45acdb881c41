/* New graphs from old ones: substitution (ty_replace) and passes of the caller's (ty_transform). */
#include <string.h>
#include "array/tensor.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/operator_samples.h"

static bool starved(ty_tensor *x) { return !ty_ok(CHECK_OK(x)); }

/* ---- every operator ---- */

/* True if the sample reads elements of x while it records. */
static bool reads(const struct operator_sample *sample) {
    static const char *const names[] = {"variable", "tracked"};
    return !strcmp(sample->name, names[0]) || !strcmp(sample->name, names[1]);
}

/* Replace x in the sample of every operator, and compare with the sample of the replacement. */
static void every_operator(void) {
    int refused = 0;
    for (int i = 0; i < operator_sample_count; i++) {
        struct test_round round = test_round();
        const struct operator_sample *sample = &operator_samples[i];
        ty_tensor *x = ty_var(ty_normal(TY_F32, TY_SHAPE(1, 4, 4, 1), ty_key(1)), "x"), *y = sample->run(x),
                  *z = NULL, *other = ty_var(ty_normal(TY_F32, TY_SHAPE(1, 4, 4, 1), ty_key(2)), "x");
        bool fits = !reads(sample) && !starved(x) && !starved(y) && !starved(other);
        if (fits && ty_replace(1, &x, &other, 1, &y, &z)) {
            compare_bits(ty_eval(z), ty_eval(sample->run(other)), "%s of another operand", sample->name);
        } else if (fits) {
            bool stays =
                strstr(ty_error(z), "cannot be computed anew") || strstr(ty_error(z), "is not in the graph");
            refused += stays;
            if (!stays) CHECK_OK(z);
        }
        test_round_end(round);
    }
    CHECK(test_starving() || refused <= 6, "%d operators were refused", refused);
}

static ty_tensor *keep_all(void *context, ty_tensor *x, ty_tensor *y) {
    ++*(int64_t *)context;
    CHECK(x == y, "nothing was replaced");
    return NULL;
}

/* Copy all variables, so that every node above them is recorded anew. */
static ty_tensor *copy_variables(void *context, ty_tensor *x, ty_tensor *y) {
    (void)context;
    return strcmp(ty_operator(x), "variable") ? NULL : ty_var(ty_eval(y), ty_name(x));
}

static void passes_over_every_operator(void) {
    for (int i = 0; i < operator_sample_count; i++) {
        struct test_round round = test_round();
        const struct operator_sample *sample = &operator_samples[i];
        ty_tensor *x = ty_var(ty_normal(TY_F32, TY_SHAPE(1, 4, 4, 1), ty_key(1)), "x"), *y = sample->run(x),
                  *z;
        int64_t visited = 0, nodes = 0;
        if (!starved(x) && !starved(y) && ty_count(1, &y, &nodes, NULL, NULL)) {
            if (ty_transform(keep_all, &visited, 1, &y, &z))
                CHECK(z == y && visited == nodes, "%s: another root without a change", sample->name);
            else
                CHECK_OK(z);
            if (ty_transform(copy_variables, NULL, 1, &y, &z))
                compare_bits(ty_eval(z), ty_eval(y), "%s recorded anew", sample->name);
            else if (!strstr(ty_error(z), "cannot be computed anew"))
                CHECK_OK(z);
        }
        test_round_end(round);
    }
}

/* ---- random graphs ---- */

enum { MOST = 40, LEAVES = 4 };

/* Record node i of a random graph on x[0 .. i), all f64[3,3]. */
static ty_tensor *random_node(int i, ty_tensor *const *x) {
    ty_tensor *a = x[test_between(0, i - 1)], *b = x[test_between(0, i - 1)];
    switch (test_between(0, 8)) {
    case 0:
        return ty_add(a, b);
    case 1:
        return ty_mul(a, b);
    case 2:
        return ty_tanh(a);
    case 3:
        return ty_softmax(ty_matmul(a, b), 1);
    case 4:
        return ty_transpose(a);
    case 5:
        return ty_add(ty_sum(a, ty_axis(0)), b);
    case 6:
        return ty_cast(ty_cast(a, TY_F32), TY_F64);
    case 7:
        return ty_set_at(a, "1, :", ty_slice(b, 0, 0, 1, 1));
    default:
        return ty_where(ty_lt(a, b), a, ty_num(0.5));
    }
}

/* Record a random graph of `seed` on the leaves into x[MOST]; return its last node. */
static ty_tensor *random_graph(uint64_t seed, ty_tensor *const *leaves, ty_tensor **x) {
    uint64_t before = test_random_from(seed);
    for (int i = 0; i < MOST; i++) x[i] = i < LEAVES ? leaves[i] : random_node(i, x);
    test_random_from(before);
    return x[MOST - 1];
}

static ty_tensor *square(uint64_t seed) { return ty_normal(TY_F64, TY_SHAPE(3, 3), ty_key(seed)); }

static void make_leaves(ty_tensor **leaves, uint64_t seed) {
    for (int i = 0; i < LEAVES; i++) {
        ty_tensor *value = square(seed + (uint64_t)i);
        leaves[i] = i == LEAVES - 1 ? ty_lazy(value) : ty_var(value, "v");
    }
}

/* Replace all leaves of a graph that it has, and compare with the graph of the others. */
static void check_other_leaves(uint64_t seed) {
    ty_tensor *a[LEAVES], *b[LEAVES], *x[MOST], *others[MOST], *z, *from[LEAVES], *to[LEAVES];
    make_leaves(a, seed);
    make_leaves(b, seed + 1000);
    ty_tensor *y = random_graph(seed, a, x), *want = random_graph(seed, b, others);
    if (starved(y) || starved(want)) return;
    ty_walk *w = ty_walk_new(1, &y);
    int n = 0;
    for (int i = 0; i < LEAVES; i++)
        if (ty_walk_index(w, a[i]) >= 0) from[n] = a[i], to[n++] = b[i];
    ty_walk_free(w);
    if (n && ty_replace(n, from, to, 1, &y, &z))
        compare_bits(ty_eval(z), ty_eval(want), "graph %d on other leaves", (int)seed);
    else if (n)
        CHECK_OK(z);
}

/* Replace nodes by their values, and compare with the graph itself. */
static void check_values(uint64_t seed) {
    ty_tensor *a[LEAVES], *x[MOST], *z, *from[3], *to[3];
    make_leaves(a, seed);
    ty_tensor *y = random_graph(seed, a, x);
    if (starved(y)) return;
    ty_walk *w = ty_walk_new(1, &y);
    int n = 0;
    for (int i = MOST - 1; i >= 0 && n < 3; i -= 5)
        if (ty_walk_index(w, x[i]) >= 0) from[n] = x[i], to[n++] = ty_detach(ty_eval(x[i]));
    ty_walk_free(w);
    if (!n) return (void)CHECK(test_starving(), "graph %d: no nodes", (int)seed);
    if (!ty_replace(n, from, to, 1, &y, &z)) return (void)CHECK_OK(z);
    CHECK(ty_is_promise(z), "a promise became a value");
    compare_bits(ty_eval(z), ty_eval(y), "graph %d on its own values", (int)seed);
}

static void random_graphs(void) {
    for (int seed = 1; seed <= test_some(150, 20, 2); seed++) {
        struct test_round round = test_round();
        check_other_leaves((uint64_t)seed);
        check_values((uint64_t)seed);
        test_round_end(round);
    }
}

/* ---- what is replaced, and what stays ---- */

static void shares_the_rest(void) {
    ty_tensor *x = ty_var(square(1), "x"), *v = ty_var(square(2), "v"), *a = ty_exp(x), *b = ty_sin(v),
              *y = ty_add(ty_named(a, "a"), b), *other = ty_var(square(3), "other"), *z[2],
              *roots[2] = {y, b};
    if (starved(x) || starved(y) || starved(other) || starved(ty_named(y, "y"))) return;
    if (!ty_replace(1, &x, &other, 2, roots, z)) return (void)CHECK_OK(z[0]);
    CHECK(z[1] == b && ty_operand(z[0], 1) == b, "sin(v) is shared");
    CHECK(ty_operand(y, 0) == a && ty_operand(a, 0) == x, "the old graph is as it was");
    CHECK(!strcmp(ty_name(z[0]), "y") && !strcmp(ty_name(ty_operand(z[0], 0)), "a"), "names are kept");
    CHECK(ty_operand(ty_operand(z[0], 0), 0) == other, "x is replaced");
    if (!ty_replace(0, NULL, NULL, 2, roots, z)) return (void)CHECK_OK(z[0]);
    CHECK(z[0] == y && z[1] == b, "nothing to replace");
    if (!ty_replace(2, (ty_tensor *[]){x, x}, (ty_tensor *[]){v, other}, 1, &a, z))
        return (void)CHECK_OK(z[0]);
    CHECK(ty_operand(z[0], 0) == other, "the last of two replacements counts");
    if (!ty_replace(1, &y, &b, 1, &y, z)) return (void)CHECK_OK(z[0]);
    CHECK(z[0] == b, "a root is replaced, too");
}

static void inserts_above_a_node(void) {
    ty_tensor *x = ty_var(ty_scalar(TY_F64, 2), "x"), *a = ty_exp(x), *y = ty_mul(a, a), *z;
    ty_tensor *clipped = ty_clip(a, ty_num(0), ty_num(3)), *g;
    if (starved(y) || starved(clipped)) return;
    if (!ty_replace(1, &a, &clipped, 1, &y, &z)) return (void)CHECK_OK(z);
    if (!starved(ty_eval(z))) CHECK(ty_item(z) == 9, "3 * 3 is %g", ty_item(z));
    if (ty_grad(z, 1, &x, &g) && !starved(ty_eval(g))) CHECK(ty_item(g) == 0, "no gradient beyond the bound");
}

static void values_of_constants(void) {
    ty_tensor *v = square(1), *w = square(2), *y = ty_add(ty_lazy(v), ty_var(square(3), "x")), *z,
              *promise = ty_var(w, "w");
    if (starved(v) || starved(w) || starved(y) || starved(promise)) return;
    if (!ty_replace(1, &v, &w, 1, &y, &z)) return (void)CHECK_OK(z);
    CHECK(!strcmp(ty_operator(ty_operand(z, 0)), "constant"), "a constant of another value");
    CHECK(ty_operand(ty_operand(z, 0), 0) == w, "another value");
    if (!ty_replace(1, &v, &promise, 1, &y, &z)) return (void)CHECK_OK(z);
    CHECK(ty_operand(z, 0) == promise, "a promise in its place");
}

static void tracked_values(void) {
    ty_tensor *x = ty_track(ty_scalar(TY_F64, 2), "x"), *y = ty_add(ty_square(x), ty_detach(x)),
              *v = ty_scalar(TY_F64, 3), *promise = ty_mul(ty_lazy(x), ty_lazy(y)), *z, *square;
    if (starved(y) || starved(v) || starved(promise)) return;
    CHECK(!ty_replace(1, &x, &v, 1, &y, &z), "what was detached would stay 2");
    CHECK_POISON(z, "cannot be computed anew");
    CHECK(test_starving() || ty_error_code(z) == TY_ERROR_UNSUPPORTED, "its code");
    CHECK(!ty_replace(1, &v, &x, 1, &y, &z), "3 is not in the graph");
    CHECK_POISON(z, "does not remember its operands");
    CHECK(!ty_replace(1, &x, &v, 1, &promise, &z), "a promise of a value that depends on x");
    CHECK_POISON(z, "cannot be computed anew");
    if (!ty_replace(2, (ty_tensor *[]){x, y}, (ty_tensor *[]){v, v}, 1, &promise, &z))
        return (void)CHECK_OK(z);
    if (!starved(ty_eval(z))) CHECK(ty_item(z) == 9, "3 * 3 is %g", ty_item(z));
    if (ty_replace(1, &y, &v, 1, &y, &square)) CHECK(square == v, "a root is a leaf, too");
}

/* ---- errors ---- */

static void misfits(void) {
    ty_tensor *x = ty_var(square(1), "x"), *y = ty_matmul(x, x), *z[2], *roots[2] = {y, x};
    ty_tensor *wide = ty_var(ty_zeros(TY_F64, TY_SHAPE(3, 4)), "wide"),
              *narrow = ty_var(ty_zeros(TY_I8, TY_SHAPE(3, 3)), "narrow");
    if (starved(y) || starved(wide) || starved(narrow)) return;
    CHECK(!ty_replace(1, &x, &wide, 2, roots, z), "another shape");
    CHECK_POISON(z[0], "contract of f64[3,4] 'wide'");
    CHECK_POISON(z[1], "contract of f64[3,4] 'wide'");
    ty_tensor *sum = ty_add(x, ty_exp(x));
    if (!starved(sum)) CHECK(!ty_replace(1, &x, &narrow, 1, &sum, z), "another dtype");
    if (ty_replace(2, (ty_tensor *[]){x, y}, (ty_tensor *[]){wide, narrow}, 1, &y, z))
        CHECK(z[0] == narrow, "the product of wide matrices is not needed");
    else
        CHECK_OK(z[0]);
    ty_tensor *squares = ty_sum(x, ty_axis(1));
    if (!starved(squares) && ty_replace(1, &x, &wide, 1, &squares, z))
        CHECK(ty_rank(z[0]) == 1 && ty_shape(z[0])[0] == 3, "a sum accepts any shape");
}

static void bad_arguments(void) {
    ty_tensor *x = ty_var(square(1), "x"), *y = ty_exp(x), *z,
              *bad = ty_poison_code(TY_ERROR_DOMAIN, "spoilt");
    if (starved(y)) return;
    CHECK(!ty_replace(1, &bad, &x, 1, &y, &z), "a poisoned original");
    CHECK_POISON(z, "spoilt");
    CHECK(!ty_replace(1, &x, &bad, 1, &y, &z), "a poisoned replacement");
    CHECK_POISON(z, "spoilt");
    CHECK(!ty_replace(1, &x, &y, 1, &bad, &z), "a poisoned root");
    CHECK_POISON(z, "spoilt");
    CHECK(!ty_replace(1, NULL, &y, 1, &y, &z), "no originals");
    CHECK_POISON(z, "replace: the array of 1 tensors is NULL");
    CHECK(!ty_replace(-1, &x, &y, 1, &y, &z), "a negative number");
    CHECK_POISON(z, "replace: the number of tensors is -1");
    CHECK(!ty_replace(1, &x, &y, 1, NULL, &z), "no roots");
    CHECK_POISON(z, "replace: the array of 1 tensors is NULL");
    CHECK(!ty_transform(NULL, NULL, 1, &y, &z), "no function");
    CHECK_POISON(z, "the function is NULL");
    CHECK(ty_transform(copy_variables, NULL, 0, NULL, NULL), "no roots");
}

static ty_tensor *fail_at_exp(void *context, ty_tensor *x, ty_tensor *y) {
    (void)context, (void)y;
    return strcmp(ty_operator(x), "exp") ? NULL : ty_poison_code(TY_ERROR_DOMAIN, "no exp here");
}
static ty_tensor *close_scopes(void *context, ty_tensor *x, ty_tensor *y) {
    (void)x, (void)y;
    ty_close(context);
    return NULL;
}
static ty_tensor *leave_open(void *context, ty_tensor *x, ty_tensor *y) {
    (void)context;
    ty_open();
    return x == y ? ty_neg(y) : y;
}
static void misbehaving_passes(void) {
    ty_tensor *x = ty_var(ty_scalar(TY_F64, 1), "x"), *y = ty_sqrt(ty_exp(x)), *z;
    if (starved(y)) return;
    CHECK(!ty_transform(fail_at_exp, NULL, 1, &y, &z), "the pass failed");
    CHECK_POISON(z, "no exp here");
    CHECK(test_starving() || ty_error_code(z) == TY_ERROR_DOMAIN, "its code");
    ty_scope *scope = ty_open();
    CHECK(!ty_transform(close_scopes, scope, 1, &y, &z), "the pass closed a scope");
    CHECK_POISON(z, "the pass of ty_transform");
    ty_close(scope);
    if (!ty_transform(leave_open, NULL, 1, &y, &z)) return (void)CHECK_OK(z);
    if (!starved(ty_eval(z)))
        CHECK(ty_item(z) == ty_item(ty_sqrt(ty_exp(ty_num(-1)))), "-x, not %g", ty_item(z));
}

/* Assign to the eager variable that is a root, and release the other root, which the test gave to the pass. */
static ty_tensor *change_roots(void *context, ty_tensor *x, ty_tensor *y) {
    ty_tensor **roots = context;
    (void)x, (void)y;
    ty_assign(roots[0], ty_scalar(TY_F64, 7), NULL);
    if (roots[1]) ty_release(roots[1]);
    roots[1] = NULL;
    return NULL;
}
static void roots_that_change(void) {
    ty_tensor *given[2] = {ty_track(ty_scalar(TY_F64, 3), "t"), NULL}, *z[2];
    ty_tensor *y = ty_exp(ty_var(ty_scalar(TY_F64, 0), "x")), *roots[2] = {given[0], y};
    if (starved(given[0]) || starved(y)) return;
    given[1] = ty_own(y);
    bool done = ty_transform(change_roots, given, 2, roots, z);
    if (given[1]) ty_release(given[1]);
    if (!done) return (void)CHECK_OK(z[0]);
    CHECK(ty_item(z[0]) == 3, "the variable was 3 at the start, not %g", ty_item(z[0]));
    if (!starved(ty_eval(z[1]))) CHECK(ty_item(z[1]) == 1, "exp 0 is %g", ty_item(z[1]));
}

/* ---- passes ---- */

/* Store weights in 8 bits: replace each matrix by a promise that multiplies it out. */
static ty_tensor *quantise(void *context, ty_tensor *x, ty_tensor *y) {
    if (strcmp(ty_operator(x), "variable") || ty_rank(x) != 2 || strcmp(ty_name(x), "w")) return NULL;
    ty_tensor *scale = ty_div(ty_amax(ty_abs(ty_eval(y)), ty_axes_of(1, (int[]){0}, true)), ty_num(127)),
              *whole = ty_cast(ty_round(ty_div(ty_eval(y), scale)), TY_I8);
    ++*(int *)context;
    return ty_mul(ty_cast(ty_var(whole, "w"), TY_F64), ty_var(scale, "scale"));
}

static void quantises(void) {
    ty_tensor *x = ty_var(square(1), "x"), *w = ty_var(square(2), "w"), *y = ty_relu(ty_matmul(x, w)), *z;
    int quantised = 0;
    if (starved(y)) return;
    if (!ty_transform(quantise, &quantised, 1, &y, &z)) return (void)CHECK_OK(z);
    CHECK(quantised == 1, "%d matrices", quantised);
    if (!starved(ty_eval(z)) && !starved(ty_eval(y))) compare_near(z, y, 0.05, 0.05, "8 bits");
}

TESTS_MAIN(TEST(every_operator), TEST(passes_over_every_operator), TEST(random_graphs), TEST(shares_the_rest),
           TEST(inserts_above_a_node), TEST(values_of_constants), TEST(tracked_values), TEST(misfits),
           TEST(bad_arguments), TEST(misbehaving_passes), TEST(roots_that_change), TEST(quantises))
