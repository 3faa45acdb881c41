/*
 * The compiler gives the values of eager execution, and each pass acts on its cases. Random graphs run eagerly and
 * compiled, with single passes disabled.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/alloc.h"
#include "compile/demand/cache.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

/* ---- helpers ---- */

static ty_program *compile_one(ty_tensor *x, ty_compile_options options) {
    return test_program(ty_compile(1, &x, options));
}

/* Return true if the program compiled; false after a failed allocation, which its message must name. The
   rest of the test is skipped then. */
static bool compiled(ty_program *p) {
    const char *error = ty_program_error(p);
    if (*error && test_starving() && mem_failed())
        CHECK(strstr(error, "memory"), "the sentence of a failed allocation is: %s", error);
    else
        CHECK(!*error, "the program says: %s", error);
    return !*error;
}

static ty_tensor *random_values(ty_dtype dtype, int rank, const int64_t *shape, double low, double high) {
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n *= shape[i];
    double *numbers = test_room((size_t)n * sizeof *numbers + 1);
    for (int64_t i = 0; i < n; i++) numbers[i] = test_uniform(low, high);
    return ty_cast(ty_from(TY_F64, rank, shape, numbers), dtype);
}

static ty_tensor *random_variable(ty_dtype dtype, int rank, const int64_t *shape, const char *name) {
    return ty_var(random_values(dtype, rank, shape, -2, 2), name);
}

/* Run x compiled with `options`; returns a copy of the result, or poison. */
static ty_tensor *run_one(ty_tensor *x, ty_compile_options options) {
    ty_program *p = compile_one(x, options);
    ty_tensor *why = NULL;
    if (!compiled(p)) return ty_program_failure(p);
    if (!ty_run(p)) return ty_program_failure(p);
    CHECK(ty_program_check(p, &why) || test_starving(), "%s", ty_error(why));
    return ty_add(ty_output(p, 0), ty_zeros(ty_dtype_of(x), TY_SCALAR));
}

static ty_report report_of(ty_tensor *x) {
    ty_program *p = compile_one(x, (ty_compile_options){0});
    compiled(p);
    return test_report(p);
}

/* ---- random graphs: lazily, eagerly, with passes disabled ---- */

enum { POOL = 40, MOST_AXES = 3 };

/* Return one random operator on members of the pool; r makes the same choices for values and promises. */
static ty_tensor *grow(ty_tensor **pool, int count, uint64_t r) {
    ty_tensor *a = pool[r % (uint64_t)count], *b = pool[(r >> 8) % (uint64_t)count];
    int rank = ty_rank(a), axis = rank ? (int)((r >> 16) % (uint64_t)rank) : 0;
    int64_t flat = -1;
    switch ((r >> 24) % 24) {
    case 0:
        return ty_add(a, b);
    case 1:
        return ty_sub(a, b);
    case 2:
        return ty_mul(a, b);
    case 3:
        return ty_tanh(a);
    case 4:
        return ty_neg(a);
    case 5:
        return ty_max(a, ty_num(0.25));
    case 6:
        return ty_sigmoid(ty_sub(a, b));
    case 7:
        return rank ? ty_sum(a, ty_axes_of(1, &axis, (r >> 32) & 1)) : ty_neg(a);
    case 8:
        return rank ? ty_amax(a, ty_axes_of(1, &axis, true)) : a;
    case 9:
        return rank > 1 ? ty_transpose(a) : ty_square(a);
    case 10:
        return rank ? ty_flip(a, axis) : a;
    case 11:
        return ty_reshape(a, 1, &flat);
    case 12:
        return ty_mul(a, ty_num(1));
    case 13:
        return ty_where(ty_gt(a, ty_num(0)), a, b);
    case 14:
        return rank ? ty_slice(a, axis, 0, TY_END, 2) : a;
    case 15:
        return rank && rank < 4 ? ty_window(a, axis, ty_shape(a)[axis] > 1 ? 2 : 1, 1, 1) : a;
    case 16:
        return rank > 1 ? ty_matmul(a, ty_transpose(a)) : ty_sin(a);
    case 17:
        return rank ? ty_concat(2, (ty_tensor *[]){a, a}, axis) : a;
    case 18:
        return rank ? ty_pad(a, (ty_padding[8]){{1, 1, 0}}, ty_scalar(ty_dtype_of(a), 0.5)) : a;
    case 19:
        return ty_add(ty_mul(a, ty_num(0.5)), ty_mul(b, ty_num(0.25)));
    case 20:
        return rank ? ty_softmax(a, axis) : ty_tanh(a);
    case 21:
        return ty_cast(ty_cast(a, TY_F64), TY_F32);
    case 22:
        return rank ? ty_mean(ty_square(ty_sub(a, ty_mean(a, TY_ALL))), ty_axis(axis)) : a;
    default:
        return ty_tanh(ty_add(ty_mul(a, a), a));
    }
}

static void build(ty_tensor **pool, int leaves, uint64_t seed) {
    for (int i = leaves; i < POOL; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        ty_tensor *x = grow(pool, i, seed >> 8 ^ seed << 40);
        bool fits = ty_ok(x) && ty_size(x) > 0 && ty_size(x) < 20000;
        CHECK(ty_ok(x) || test_starving() || strstr(ty_error(x), "broadcast"), "%s", ty_error(x));
        pool[i] = fits ? x : pool[i - 1];
    }
}

static void compare_options(int n, ty_tensor **lazy, ty_tensor **eager, ty_compile_options options,
                            const char *what, int round) {
    ty_program *p = test_program(ty_compile(n, lazy, options));
    ty_tensor *why = NULL;
    if (!compiled(p)) return;
    CHECK(ty_program_check(p, &why) || test_starving(), "%s", ty_error(why));
    for (int run = 0; run < 2; run++) {
        bool done = ty_run(p);
        if (!done && test_starving()) return;
        CHECK(done, "round %d, %s: %s", round, what, ty_program_error(p));
        for (int i = 0; i < n && !test_starving(); i++)
            compare_near(ty_output(p, i), eager[i], 1e-4, 1e-4, "round %d, %s, output %d", round, what, i);
    }
}

static void random_round(int round) {
    static const int64_t shapes[][MOST_AXES] = {{3, 4, 5}, {4, 5, 0}, {5, 0, 0}, {3, 1, 5}, {4, 4, 0}};
    static const int ranks[] = {3, 2, 1, 3, 2};
    ty_tensor *lazy[POOL], *eager[POOL];
    enum { LEAVES = 5, OUTPUTS = 4 };
    for (int i = 0; i < LEAVES; i++) {
        eager[i] = random_values(TY_F32, ranks[i], shapes[i], -1, 1);
        lazy[i] = i == LEAVES - 1 ? ty_lazy(eager[i]) : ty_var(eager[i], NULL);
    }
    uint64_t seed = test_random();
    build(lazy, LEAVES, seed);
    build(eager, LEAVES, seed);
    ty_tensor **l = lazy + POOL - OUTPUTS, **e = eager + POOL - OUTPUTS;
    compare_options(OUTPUTS, l, e, (ty_compile_options){0}, "all passes", round);
    compare_options(OUTPUTS, l, e, (ty_compile_options){.no_fuse = true}, "unfused", round);
    compare_options(OUTPUTS, l, e, (ty_compile_options){.no_rewrite = true}, "not rewritten", round);
    compare_options(OUTPUTS, l, e, (ty_compile_options){.no_reuse = true}, "no memory reused", round);
    compare_options(OUTPUTS, l, e, (ty_compile_options){.engine = "ref"}, "reference engine", round);
    ty_tensor *values[OUTPUTS];
    if (!ty_eval_all(OUTPUTS, l, values))
        CHECK(test_starving(), "%s", ty_error(values[0]));
    else
        for (int i = 0; i < OUTPUTS && !test_starving(); i++)
            compare_near(values[i], e[i], 1e-4, 1e-4, "round %d, evaluated, output %d", round, i);
}

static void random_graphs(void) {
    for (int i = 0; i < (test_starving() ? 1 : 150); i++) {
        struct test_round round = test_round();
        random_round(i);
        test_round_end(round);
    }
}

/* ---- passes ---- */

static void folds(void) {
    ty_tensor *x = random_variable(TY_F32, TY_SHAPE(8, 8), "x");
    ty_tensor *c = ty_sin(ty_add(ty_lazy(ty_full(TY_F32, TY_SHAPE(8), 0.5)), ty_num(1)));
    ty_report r = report_of(ty_add(x, c));
    CHECK(test_starving() || (r.kernels == 1 && r.folded >= 2), "%d kernels, %d folded", (int)r.kernels,
          (int)r.folded);
    ty_tensor *large = ty_broadcast(ty_sin(ty_lazy(ty_ones(TY_F32, TY_SHAPE(300)))), TY_SHAPE(300, 300));
    r = report_of(ty_add(ty_tanh(large), ty_sum(x, TY_ALL)));
    CHECK(test_starving() || r.kernels == 2, "a large result was folded: %d kernels", (int)r.kernels);
}

static void vanishes(ty_tensor *y, ty_tensor *x, const char *what) {
    ty_report r = report_of(ty_square(y)), want = report_of(ty_square(x));
    CHECK(test_starving() || (r.kernels == want.kernels && r.nodes_after == want.nodes_after &&
                              r.edges_after == want.edges_after && r.fused == want.fused),
          "%s did not vanish: %d kernels, %d operands, %d fused", what, (int)r.kernels, (int)r.edges_after,
          (int)r.fused);
}

static void simplifies(void) {
    ty_tensor *x = random_variable(TY_F32, TY_SHAPE(4, 6), "x"),
              *k = random_variable(TY_I32, TY_SHAPE(4, 6), "k");
    vanishes(ty_sub(x, ty_num(0)), x, "x - 0");
    vanishes(ty_add(x, ty_num(-0.0)), x, "x + -0");
    vanishes(ty_mul(x, ty_num(1)), x, "x * 1");
    vanishes(ty_div(x, ty_num(1)), x, "x / 1");
    vanishes(ty_pow(x, ty_num(1)), x, "x ** 1");
    vanishes(ty_neg(ty_neg(x)), x, "--x");
    vanishes(ty_transpose(ty_transpose(x)), x, "a double transpose");
    vanishes(ty_reshape(ty_reshape(x, TY_SHAPE(24)), TY_SHAPE(4, 6)), x, "a reshape and back");
    vanishes(ty_cast(ty_cast(x, TY_F64), TY_F32), x, "a cast and back");
    ty_tensor *u = random_variable(TY_U8, TY_SHAPE(4, 6), "u"),
              *i = random_variable(TY_I8, TY_SHAPE(4, 6), "i");
    vanishes(ty_cast(ty_cast(u, TY_BF16), TY_U8), u, "u8 through bf16, which has 8 digits");
    vanishes(ty_cast(ty_cast(i, TY_F16), TY_I8), i, "i8 through f16");
    vanishes(ty_add(k, ty_int(0)), k, "k + 0");
    vanishes(ty_where(ty_lazy(ty_ones(TY_BOOL, TY_SHAPE(4, 6))), x, ty_neg(x)), x, "where(true)");
    vanishes(ty_detach(x), x, "detach");
    vanishes(ty_max(x, x), x, "max(x, x)");
    ty_report r = report_of(ty_mul(k, ty_int(0)));
    CHECK(test_starving() || r.kernels == 0, "k * 0 of integers makes %d kernels", (int)r.kernels);
}

static void keeps_what_is_not_exact(void) {
    ty_tensor *x = ty_var(ty_from(TY_F32, TY_SHAPE(3), (float[]){-0.0f, INFINITY, NAN}), "x");
    ty_tensor *zero = run_one(ty_add(x, ty_num(0)), (ty_compile_options){0});
    ty_tensor *product = run_one(ty_mul(x, ty_num(0)), (ty_compile_options){0});
    if (test_starving()) return;
    float a[3] = {0}, b[3] = {0};
    ty_read(zero, TY_F32, a);
    ty_read(product, TY_F32, b);
    CHECK(!signbit(a[0]), "-0 + 0 became -0");
    CHECK(isnan(b[1]) && isnan(b[2]), "inf * 0 and NaN * 0 became %g and %g", b[1], b[2]);
    ty_tensor *narrow = ty_cast(ty_cast(ty_var(ty_scalar(TY_F64, 0.1), "y"), TY_F32), TY_F64);
    CHECK(ty_item(run_one(narrow, (ty_compile_options){0})) == (double)0.1f, "a cast that loses was dropped");
    ty_tensor *whole = ty_cast(ty_cast(ty_var(ty_scalar(TY_I16, 257), "z"), TY_BF16), TY_I16);
    CHECK(ty_item(run_one(whole, (ty_compile_options){0})) == 256, "257 has 9 digits, bf16 8");
}

static void merges(void) {
    ty_tensor *x = random_variable(TY_F32, TY_SHAPE(16), "x");
    ty_tensor *a = ty_sum(ty_exp(ty_mul(x, ty_num(3))), TY_ALL),
              *b = ty_sum(ty_exp(ty_mul(x, ty_num(3))), TY_ALL);
    ty_report r = report_of(ty_add(a, b));
    CHECK(test_starving() || (r.merged >= 3 && r.kernels == 1), "%d merged, %d kernels", (int)r.merged,
          (int)r.kernels);
}

/* ---- fusion ---- */

static void fuses_chains(void) {
    ty_tensor *x = random_variable(TY_F32, TY_SHAPE(64, 32), "x"),
              *w = random_variable(TY_F32, TY_SHAPE(32, 16), "w");
    ty_tensor *bias = random_variable(TY_F32, TY_SHAPE(16), "bias");
    ty_report r = report_of(ty_tanh(ty_mul(ty_add(x, ty_num(1)), ty_sigmoid(x))));
    CHECK(test_starving() || r.kernels == 1, "a chain makes %d kernels", (int)r.kernels);
    r = report_of(ty_sum(ty_square(ty_sub(x, ty_num(1))), TY_ALL));
    CHECK(test_starving() || r.kernels == 1, "a reduction with its prologue makes %d kernels",
          (int)r.kernels);
    r = report_of(ty_relu(ty_add(ty_matmul(x, w), bias)));
    CHECK(test_starving() || r.kernels == 1, "a product with its epilogue makes %d kernels", (int)r.kernels);
    ty_tensor *flat = ty_reshape(ty_matmul(x, w), TY_SHAPE(16, 4, 16));
    r = report_of(ty_relu(ty_add(flat, bias)));
    CHECK(test_starving() || r.kernels == 1, "an epilogue behind a reshape makes %d kernels", (int)r.kernels);
    r = report_of(ty_sqrt(ty_mean(x, ty_axis(1))));
    CHECK(test_starving() || r.kernels == 1, "a mean with its root makes %d kernels", (int)r.kernels);
}

/* The updates s' = s + g*g and p' = p - 0.1 g / sqrt(s' + eps) are fused into the kernel of g. */
static void fuses_updates(void) {
    ty_tensor *p = random_variable(TY_F32, TY_SHAPE(32, 16), "p"),
              *s = ty_var(ty_zeros(TY_F32, TY_SHAPE(32, 16)), "s");
    ty_tensor *x = random_variable(TY_F32, TY_SHAPE(8, 32), "x"),
              *y = random_variable(TY_F32, TY_SHAPE(8, 16), "y");
    ty_tensor *g = ty_matmul(ty_transpose(x), y);
    ty_tensor *next = ty_add(s, ty_square(g));
    ty_tensor *step = ty_sub(p, ty_div(ty_mul(ty_num(0.1), g), ty_sqrt(ty_add(next, ty_num(1e-5)))));
    ty_update updates[] = {{p, step}, {s, next}};
    ty_tensor *want = ty_eval(step);
    ty_program *program =
        test_program(ty_compile(0, NULL, (ty_compile_options){.updates = updates, .nupdates = 2}));
    if (!compiled(program)) return;
    ty_report r;
    ty_program_report(program, &r);
    CHECK(r.kernels == 1 && r.inplace == 2, "%d kernels, %d in place", (int)r.kernels, (int)r.inplace);
    if (!ty_run(program)) {
        CHECK(test_starving(), "%s", ty_program_error(program));
        return;
    }
    if (!test_starving()) compare_near(ty_eval(p), want, 1e-5, 1e-6, "the updated parameter");
}

/* ---- long chains ---- */

static void long_chains(void) {
    int64_t length = test_starving() ? 300 : 200000;
    ty_tensor *x = random_variable(TY_F32, TY_SHAPE(3), "x"), *y = x;
    for (int64_t i = 0; i < length; i++) y = ty_neg(i % 3 ? ty_square(y) : y);
    ty_program *p = compile_one(y, (ty_compile_options){.engine = "null", .no_rewrite = true});
    if (!compiled(p)) return;
    ty_report r;
    ty_program_report(p, &r);
    CHECK(r.kernels <= r.nodes_before / 60 + 1, "%d nodes made %d kernels", (int)r.nodes_before,
          (int)r.kernels);
    CHECK(r.arena_bytes <= 1024, "%d bytes for a chain", (int)r.arena_bytes);
}

/* ---- errors ---- */

static void refuses(void) {
    ty_tensor *x = random_variable(TY_F32, TY_SHAPE(3), "x"), *bad = ty_poison("broken by hand");
    ty_update wrong[] = {{x, ty_ones(TY_F32, TY_SHAPE(4))}};
    ty_update value[] = {{ty_ones(TY_F32, TY_SHAPE(3)), x}};
    ty_update twice[] = {{x, ty_neg(x)}, {x, x}};
    const struct {
        ty_tensor *output;
        ty_compile_options options;
        const char *words;
    } cases[] = {
        {bad, {0}, "broken by hand"},
        {x, {.engine = "abacus"}, "unknown engine \"abacus\""},
        {x, {.updates = wrong, .nupdates = 1}, "shapes and dtypes must match"},
        {x, {.updates = value, .nupdates = 1}, "only lazy variables"},
        {x, {.updates = twice, .nupdates = 2}, "updated twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ty_program *p = compile_one(cases[i].output, cases[i].options);
        const char *error = ty_program_error(p);
        CHECK(strstr(error, cases[i].words) || (test_starving() && strstr(error, "memory")),
              "case %d says: %s", (int)i, error);
        CHECK(!ty_run(p), "case %d runs", (int)i);
        CHECK(!ty_ok(ty_output(p, 0)), "case %d has an output", (int)i);
    }
}

TESTS_MAIN(TEST(random_graphs), TEST(folds), TEST(simplifies), TEST(keeps_what_is_not_exact), TEST(merges),
           TEST(fuses_chains), TEST(fuses_updates), TEST(long_chains), TEST(refuses))
