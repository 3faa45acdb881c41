/*
 * Random graphs of nested loops, branches, custom rules, checkpoints, batches, fused and compiled functions, and
 * derivatives. Value, gradient and second derivative along a direction agree eagerly, evaluated, compiled, saved and
 * loaded, forward over reverse, and with central differences in f64.
 *
 * A failure prints the graph's seed; TY_SEAM=seed runs that graph only, and -v prints its composition. There are about
 * 2,000 graphs, 100 with TY_TEST_QUICK=1.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/io.h>
#include <tyto/tyto.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"

enum { GRAPHS = 2000, INPUTS = 2, ELEMENTS = 3, DEPTH = 3, OPERANDS = 2 };

/* ---- random numbers of a function, the same in each call ---- */

struct lot {
    uint64_t state;
};
static uint64_t draw(struct lot *l) {
    l->state ^= l->state << 13, l->state ^= l->state >> 7, l->state ^= l->state << 17;
    return l->state * UINT64_C(0x2545F4914F6CDD1D) >> 33;
}
static int pick(struct lot *l, int n) { return (int)(draw(l) % (uint64_t)n); }
static double real(struct lot *l, double low, double high) {
    return low + (high - low) * (double)pick(l, 1 << 20) / (1 << 20);
}

/* A random function: a seed fixes its operators; it may use a tensor from outside. */
struct part {
    uint64_t seed;
    int depth, n;
    ty_tensor *outside; /* NULL: no tensor from outside */
};

static ty_tensor *make(struct lot *l, const struct part *p, int n, ty_tensor *const *x);

static void release(void *x) { ty_release(x); }

/* Make the context of an inner function. A checkpoint calls it again for gradients and then reads
   `outside`, which may be a parameter of a loop, so the context retains it. */
static struct part *part_of(struct lot *l, const struct part *around, int n, ty_tensor *outside) {
    struct part *p = test_room(sizeof *p);
    if (outside) test_own(ty_retain(outside), release);
    *p = (struct part){draw(l) | 1, around->depth - 1, n, outside};
    return p;
}

/* Return the part's result for its operands and the tensor outside, if any. */
static ty_tensor *run(const struct part *p, ty_tensor *const *x) {
    ty_tensor *all[OPERANDS + 2];
    struct lot l = {p->seed};
    int n = 0;
    for (int i = 0; i < p->n; i++) all[n++] = x[i];
    if (p->outside) all[n++] = p->outside;
    return make(&l, p, n, all);
}
static ty_tensor *body(void *context, ty_tensor *const *x) { return run(context, x); }
static void branch(void *context, ty_tensor *const *x, ty_tensor **y) { y[0] = run(context, x); }

/* ---- composition of graphs: each of operands a and b, vectors ---- */

typedef ty_tensor *(*seam)(struct lot *l, const struct part *p, ty_tensor *a, ty_tensor *b,
                           ty_tensor *outside);

static ty_tensor *bounded(ty_tensor *x) { return ty_tanh(x); }

static ty_tensor *plain(struct lot *l, const struct part *p, ty_tensor *a, ty_tensor *b, ty_tensor *outside) {
    (void)p, (void)outside;
    switch (pick(l, 9)) {
    case 0:
        return ty_sin(ty_add(a, ty_mul(b, ty_num(real(l, -1, 1)))));
    case 1:
        return ty_mul(a, b);
    case 2:
        return ty_sub(ty_mul(a, ty_num(real(l, -1, 1))), b);
    case 3:
        return ty_sqrt(ty_add(ty_square(a), ty_exp(bounded(b))));
    case 4:
        return ty_mul(ty_cumsum(a, 0, (ty_running){0}), ty_num(0.4));
    case 5:
        return ty_mul(ty_flip(a, 0), ty_sigmoid(b));
    case 6:
        return ty_add(a, ty_mean(b, TY_ALL));
    case 7:
        return ty_mul(ty_matmul(ty_mul(ty_expand(a, 1), ty_expand(b, 0)), b), ty_num(0.3));
    default:
        return ty_mul(ty_softmax(a, 0), b);
    }
}

static void scan_step(void *context, ty_step *s) {
    ty_tensor *y = run(context, (ty_tensor *[]){s->carry[0], s->x[0]});
    s->next[0] = bounded(ty_add(y, ty_mul(s->carry[0], ty_num(0.5))));
    if (((const struct part *)context)->seed & 2)
        s->next[0] = ty_mul(s->next[0], ty_cos(ty_cast(s->index, TY_F64)));
    s->y[0] = ((const struct part *)context)->seed & 4 ? s->next[0] : ty_mul(y, s->x[0]);
}
static ty_tensor *by_scan(struct lot *l, const struct part *p, ty_tensor *a, ty_tensor *b,
                          ty_tensor *outside) {
    int64_t length = pick(l, 4) ? 2 + pick(l, 3) : pick(l, 2);
    ty_tensor *rows = ty_mul(ty_expand(b, 0), ty_expand(ty_steps(TY_F64, 1, 0.25, length), 1)), *last, *y;
    ty_scan_spec spec = {.ncarry = 1,
                         .carry = &a,
                         .nx = 1,
                         .x = &rows,
                         .ny = 1,
                         .reverse = pick(l, 2),
                         .checkpoint = pick(l, 3)};
    ty_scan(scan_step, part_of(l, p, 2, outside), spec, &last, &y, NULL);
    return ty_add(last, ty_mul(ty_sum(y, ty_axis(0)), ty_num(0.5)));
}

static ty_tensor *goes_on(void *context, ty_tensor *const *carry) {
    return ty_lt(carry[1], ty_int(1 + (int64_t)(((const struct part *)context)->seed >> 3 & 3)));
}
static void next(void *context, ty_tensor *const *carry, ty_tensor **next) {
    next[0] = bounded(ty_add(run(context, carry), carry[0]));
    next[1] = ty_add(carry[1], ty_int(1));
}
static ty_tensor *by_while(struct lot *l, const struct part *p, ty_tensor *a, ty_tensor *b,
                           ty_tensor *outside) {
    ty_tensor *carry[] = {a, ty_scalar(TY_I64, 0)}, *last[2];
    struct part *q = part_of(l, p, 1, outside ? outside : b);
    ty_while(goes_on, next, q, 2, carry, 6, last, NULL);
    return last[0];
}

static ty_tensor *by_cond(struct lot *l, const struct part *p, ty_tensor *a, ty_tensor *b,
                          ty_tensor *outside) {
    ty_tensor *both[] = {a, b}, *y;
    struct part *q = part_of(l, p, 2, outside), *all[2] = {q, part_of(l, p, 2, outside)};
    ty_tensor *predicate = ty_gt(ty_sum(pick(l, 2) ? a : ty_detach(b), TY_ALL), ty_num(real(l, -1, 1)));
    /* one context for both branches, whose second operand differs */
    ty_cond(predicate, branch, branch, all[pick(l, 2)], 2, both, 1, &y);
    return y;
}
static void doubled(void *context, ty_tensor *const *x, ty_tensor **y) {
    y[0] = ty_sin(ty_add(run(context, x), x[0]));
}
static void other(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    y[0] = ty_mul(x[1], ty_num(0.7));
}
static ty_tensor *by_switch(struct lot *l, const struct part *p, ty_tensor *a, ty_tensor *b,
                            ty_tensor *outside) {
    static const ty_branch branches[] = {branch, doubled, other};
    ty_tensor *both[] = {a, b}, *y;
    ty_tensor *index =
        ty_cast(ty_floor(ty_mul(ty_sum(ty_square(a), TY_ALL), ty_num(real(l, 0.3, 3)))), TY_I32);
    ty_switch(index, 3, branches, part_of(l, p, 2, outside), 2, both, 1, &y);
    return y;
}

/* Return sin(a) b, with custom derivative rules. */
static ty_tensor *rule_value(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_mul(ty_sin(x[0]), x[1]);
}
static void rule_vjp(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *g, ty_tensor **out) {
    (void)context, (void)n, (void)y;
    out[0] = ty_mul(g, ty_mul(ty_cos(x[0]), x[1]));
    out[1] = ty_mul(g, ty_sin(x[0]));
}
static ty_tensor *rule_jvp(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *const *t) {
    ty_tensor *sum = NULL;
    (void)context, (void)n, (void)y;
    if (t[0]) sum = ty_mul(t[0], ty_mul(ty_cos(x[0]), x[1]));
    ty_tensor *more = t[1] ? ty_mul(t[1], ty_sin(x[0])) : NULL;
    return sum && more ? ty_add(sum, more) : sum ? sum : more;
}
static ty_tensor *by_rule(struct lot *l, const struct part *p, ty_tensor *a, ty_tensor *b,
                          ty_tensor *outside) {
    ty_custom rule = {.f = rule_value};
    int which = pick(l, 3);
    (void)p, (void)outside;
    if (which != 1) rule.vjp = rule_vjp;
    if (which != 0) rule.jvp = rule_jvp;
    return ty_apply(rule, 2, (ty_tensor *[]){a, b});
}

static ty_tensor *by_checkpoint(struct lot *l, const struct part *p, ty_tensor *a, ty_tensor *b,
                                ty_tensor *outside) {
    return ty_checkpoint(body, part_of(l, p, 2, outside), 2, (ty_tensor *[]){a, b});
}

static ty_tensor *by_fuse(struct lot *l, const struct part *p, ty_tensor *a, ty_tensor *b,
                          ty_tensor *outside) {
    return ty_fuse(body, part_of(l, p, 2, outside), 2, (ty_tensor *[]){a, b});
}

static void end_function(void *f) { ty_function_free(f); }
static ty_tensor *by_function(struct lot *l, const struct part *p, ty_tensor *a, ty_tensor *b,
                              ty_tensor *outside) {
    ty_tensor *both[] = {a, b}, *y;
    ty_function *f = ty_function_new(branch, part_of(l, p, 2, outside), 2, 1, (ty_compile_options){0});
    ty_function_call(test_own(f, end_function), 2, both, 1, &y);
    return y;
}

static ty_tensor *by_vmap(struct lot *l, const struct part *p, ty_tensor *a, ty_tensor *b,
                          ty_tensor *outside) {
    int axes[] = {0, pick(l, 2) ? 0 : TY_NO_AXIS};
    ty_tensor *rows = ty_stack(2, (ty_tensor *[]){a, ty_mul(b, ty_num(0.5))}, 0), *y;
    ty_tensor *both[] = {rows, axes[1] ? b : ty_flip(rows, 0)};
    ty_vmap(branch, part_of(l, p, 2, outside), 2, both, axes, 1, &y, NULL);
    return ty_sum(y, ty_axis(0));
}

/* Return a part's tangent, or its gradient: derivatives inside of a differentiated function. */
static ty_tensor *by_tangent(struct lot *l, const struct part *p, ty_tensor *a, ty_tensor *b,
                             ty_tensor *outside) {
    ty_tensor *both[] = {a, b}, *t[] = {b, a}, *y, *dy;
    ty_value_and_jvp(body, part_of(l, p, 2, outside), 2, both, t, &y, &dy);
    return bounded(ty_add(y, dy));
}
static ty_tensor *by_gradient(struct lot *l, const struct part *p, ty_tensor *a, ty_tensor *b,
                              ty_tensor *outside) {
    ty_tensor *both[] = {a, b}, *g[2];
    ty_value_and_vjp(body, part_of(l, p, 2, outside), b, 2, both, NULL, g);
    return bounded(ty_add(g[0], g[1]));
}

/* Return a part of a promise, and its value if all operands are values. */
static ty_tensor *by_value(struct lot *l, const struct part *p, ty_tensor *a, ty_tensor *b,
                           ty_tensor *outside) {
    bool promise = ty_is_promise(a) || ty_is_promise(b) || (outside && ty_is_promise(outside));
    ty_tensor *both[] = {promise ? a : ty_lazy(a), b}, *y = run(part_of(l, p, 2, outside), both);
    return promise ? y : ty_eval(y);
}

static const struct {
    const char *name;
    seam make;
} seams[] = {{"scan", by_scan},     {"while", by_while},       {"cond", by_cond},
             {"switch", by_switch}, {"rule", by_rule},         {"checkpoint", by_checkpoint},
             {"fuse", by_fuse},     {"function", by_function}, {"vmap", by_vmap},
             {"jvp", by_tangent},   {"vjp", by_gradient},      {"eval", by_value},
             {"plain", plain}};
enum { SEAMS = sizeof seams / sizeof *seams };

/* Return the result of some random operators and seams on n operands. */
static ty_tensor *make(struct lot *l, const struct part *p, int n, ty_tensor *const *x) {
    enum { MOST = 8 };
    ty_tensor *all[MOST];
    int count = 0, steps = 1 + pick(l, 2);
    for (int i = 0; i < n; i++) all[count++] = x[i];
    for (int i = 0; i < steps; i++) {
        ty_tensor *a = all[pick(l, count)], *b = all[pick(l, count)], *outside = all[pick(l, count)];
        bool uses = pick(l, 2);
        int which = p->depth > 0 && pick(l, 3) ? pick(l, SEAMS) : SEAMS - 1;
        if (test_verbose())
            fprintf(stderr, "%*s%s%s\n", 2 * (DEPTH - p->depth), "", seams[which].name,
                    uses ? ", outside" : "");
        all[count++] = seams[which].make(l, p, a, b, uses ? outside : NULL);
    }
    return bounded(ty_add(all[count - 1], ty_mul(all[0], ty_num(0.3))));
}

/* ---- the function of a seed and its derivatives ---- */

static ty_tensor *value_of(uint64_t seed, ty_tensor *const *x) {
    struct part p = {seed, 1 + (int)(seed >> 1 & 1) + (int)(seed >> 2 & 1), INPUTS, NULL};
    ty_tensor *weights = ty_from(TY_F64, TY_SHAPE(ELEMENTS), (double[]){1, -0.7, 0.4});
    return ty_sum(ty_mul(run(&p, x), weights), TY_ALL);
}

enum {
    VALUE,
    GRADIENT,
    SECOND = GRADIENT + INPUTS,
    TANGENT = SECOND + INPUTS,
    PRODUCT,
    RESULTS = PRODUCT + INPUTS
};
static const char *const names[RESULTS] = {"value",           "gradient by x0", "gradient by x1",
                                           "second by x0",    "second by x1",   "tangent",
                                           "hessian's row 0", "hessian's row 1"};

/* Compute all results; false if one is poisoned, after reporting it. */
static bool derive(uint64_t seed, bool lazy, ty_tensor *const *x, ty_tensor *const *v, ty_tensor **out) {
    ty_tensor *along = NULL, *y = value_of(seed, x);
    out[VALUE] = y;
    ty_grad(y, INPUTS, x, out + GRADIENT);
    for (int i = 0; i < INPUTS; i++) {
        ty_tensor *part = ty_sum(ty_mul(out[GRADIENT + i], v[i]), TY_ALL);
        along = along ? ty_add(along, part) : part;
    }
    ty_grad(along, INPUTS, x, out + SECOND);
    ty_jvp(1, &y, INPUTS, x, v, out + TANGENT);
    ty_hvp(y, INPUTS, x, v, out + PRODUCT);
    for (int i = 0; i < RESULTS; i++)
        CHECK(ty_ok(out[i]) || test_starving(), "seed %llu, %s, %s: %s", (unsigned long long)seed,
              lazy ? "lazy" : "eager", names[i], ty_error(out[i]));
    for (int i = 0; i < RESULTS; i++)
        if (!ty_ok(out[i])) return false;
    return true;
}

static void same(uint64_t seed, const char *how, ty_tensor *const *got, ty_tensor *const *want) {
    for (int i = 0; i < RESULTS; i++)
        compare_near(CHECK_OK(got[i]), want[i], 1e-9, 1e-9, "seed %llu, %s, %s", (unsigned long long)seed,
                     how, names[i]);
}

/* Return the number of the program's kernels that are loops. */
static int count_loops(const ty_program *p) {
    int n = 0;
    const char *text = test_own(ty_program_text(p), ty_free);
    for (const char *at = text ? strstr(text, "= loop") : NULL; at; at = strstr(at + 1, "= loop")) n++;
    return n;
}

/* Compile and run, compare the results, and return the number of loops. */
static int run_program(uint64_t seed, const char *how, ty_tensor *const *y, ty_compile_options options,
                       ty_tensor *const *want) {
    ty_tensor *got[RESULTS];
    ty_tensor *why = NULL;
    ty_program *p = test_program(ty_compile(RESULTS, y, options));
    CHECK(!*ty_program_error(p) || test_starving(), "seed %llu, %s: %s", (unsigned long long)seed, how,
          ty_program_error(p));
    CHECK(ty_program_check(p, &why) || test_starving(), "seed %llu, %s: %s", (unsigned long long)seed, how,
          ty_error(why));
    if (ty_run_outputs(p, RESULTS, got)) same(seed, how, got, want);
    CHECK_OK(got[0]);
    return count_loops(p);
}

static void end_graph(void *graph) { ty_graph_free(graph); }
/* loops: of the program before; its merged loops must be merged again, and more may be. */
static void save_and_load(uint64_t seed, int loops, ty_tensor *const *y, ty_tensor *const *want) {
    size_t size;
    ty_tensor *error = NULL, *loaded[RESULTS];
    void *bytes = test_own(ty_graph_bytes(RESULTS, names, y, (ty_graph_options){0}, &size, &error), ty_free);
    CHECK(bytes || test_starving(), "seed %llu, saved: %s", (unsigned long long)seed, ty_error(error));
    if (!bytes) return;
    ty_graph *g = test_own(ty_graph_parse(bytes, size, (ty_file_options){0}), end_graph);
    if (strstr(ty_graph_error(g), "jansson")) return; /* this build writes graphs but cannot read them */
    CHECK(!*ty_graph_error(g) || test_starving(), "seed %llu, loaded: %s", (unsigned long long)seed,
          ty_graph_error(g));
    if (*ty_graph_error(g)) return;
    for (int i = 0; i < RESULTS; i++) loaded[i] = CHECK_OK(ty_graph_get(g, names[i]));
    int found = run_program(seed, "loaded", loaded, (ty_compile_options){0}, want);
    CHECK(found <= loops || test_starving(), "seed %llu, loaded: %d loops, and %d before",
          (unsigned long long)seed, found, loops);
}

/* ---- differences ---- */

static void values_at(uint64_t seed, ty_tensor *const *x, ty_tensor *const *v, double h, ty_tensor **out) {
    ty_tensor *at[INPUTS];
    for (int i = 0; i < INPUTS; i++) at[i] = ty_track(ty_add(x[i], ty_mul(v[i], ty_num(h))), "x");
    out[VALUE] = value_of(seed, at);
    ty_grad(out[VALUE], INPUTS, at, out + GRADIENT);
}

static double product(ty_tensor *const *a, ty_tensor *const *b) {
    double sum = 0;
    for (int i = 0; i < INPUTS; i++) sum += ty_item(ty_sum(ty_mul(a[i], b[i]), TY_ALL));
    return sum;
}

/* Compare with central differences. If a branch changes within a step they are meaningless; then two step
   sizes disagree, and the case is skipped. */
static void differences(uint64_t seed, ty_tensor *const *x, ty_tensor *const *v, ty_tensor *const *want) {
    static const double steps[] = {1e-5, 2e-5};
    ty_tensor *above[SECOND], *below[SECOND];
    double value[2], second[2], slope = product(want + GRADIENT, v), curve = product(want + SECOND, v);
    for (int i = 0; i < 2; i++) {
        double h = steps[i];
        values_at(seed, x, v, h, above);
        values_at(seed, x, v, -h, below);
        value[i] = (ty_item(above[VALUE]) - ty_item(below[VALUE])) / (2 * h);
        second[i] = (product(above + GRADIENT, v) - product(below + GRADIENT, v)) / (2 * h);
    }
    double tangent = ty_item(want[TANGENT]);
    if (test_starving()) return;
    CHECK(fabs(tangent - slope) <= 1e-10 * (1 + fabs(slope)), "seed %llu: tangent %.12g, gradient %.12g",
          (unsigned long long)seed, tangent, slope);
    if (test_verbose()) fprintf(stderr, "differences: gradient %.12g, second %.12g\n", value[0], second[0]);
    if (fabs(value[0] - value[1]) > 1e-6 * (1 + fabs(value[0])) ||
        fabs(second[0] - second[1]) > 1e-5 * (1 + fabs(second[0])))
        return;
    CHECK(fabs(value[0] - slope) <= 1e-6 * (1 + fabs(slope)),
          "seed %llu: gradient %.12g, differences say %.12g", (unsigned long long)seed, slope, value[0]);
    CHECK(fabs(second[0] - curve) <= 1e-5 * (1 + fabs(curve)),
          "seed %llu: second %.12g, differences say %.12g", (unsigned long long)seed, curve, second[0]);
}

/* ---- one graph ---- */

/* Print slope and curvature along v by each method, with -v. */
static void tell(const char *how, ty_tensor *const *y, ty_tensor *const *v) {
    ty_tensor *values[RESULTS];
    if (!test_verbose() || !ty_eval_all(RESULTS, y, values)) return;
    fprintf(stderr, "%s: gradient %.12g, tangent %.12g, second %.12g, product %.12g\n", how,
            product(values + GRADIENT, v), ty_item(values[TANGENT]), product(values + SECOND, v),
            product(values + PRODUCT, v));
}

static void check(uint64_t seed) {
    struct test_round round = test_round();
    struct lot l = {seed};
    if (test_verbose()) fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
    ty_tensor *x[INPUTS], *v[INPUTS], *tracked[INPUTS], *variables[INPUTS], *want[RESULTS],
        *promises[RESULTS], *values[RESULTS];
    for (int i = 0; i < INPUTS; i++) {
        double numbers[2][ELEMENTS];
        for (int k = 0; k < 2 * ELEMENTS; k++) numbers[k / ELEMENTS][k % ELEMENTS] = real(&l, -1, 1);
        x[i] = CHECK_OK(ty_from(TY_F64, TY_SHAPE(ELEMENTS), numbers[0]));
        v[i] = CHECK_OK(ty_from(TY_F64, TY_SHAPE(ELEMENTS), numbers[1]));
        tracked[i] = CHECK_OK(ty_track(x[i], "x"));
        variables[i] = CHECK_OK(ty_var(x[i], i ? "x1" : "x0"));
    }
    ty_allow_unused(true); /* a graph need not use both */
    if (derive(seed, false, tracked, v, want) && derive(seed, true, variables, v, promises)) {
        tell("eager", want, v);
        differences(seed, x, v, want);
        tell("lazy", promises, v);
        same(seed, "forward and reverse",
             (ty_tensor *[]){want[0], want[1], want[2], want[6], want[7], want[5], want[3], want[4]}, want);
        if (ty_eval_all(RESULTS, promises, values)) same(seed, "evaluated", values, want);
        int loops = run_program(seed, "compiled", promises, (ty_compile_options){0}, want);
        if (seed % 3 == 0)
            run_program(seed, "without passes", promises,
                        (ty_compile_options){.no_rewrite = true, .no_fuse = true, .no_reuse = true}, want);
        save_and_load(seed, loops, promises, want);
    }
    test_round_end(round);
}

static void seams_agree(void) {
    const char *one = getenv("TY_SEAM");
    int n = test_some(GRAPHS, 100, 1);
    if (one) {
        check(strtoull(one, NULL, 10));
        return;
    }
    for (int i = 0; i < n; i++) {
        check(test_random() >> 16 | 1);
        /* programs do not repeat, and their caches would hold hundreds of MiB */
        if (i % 64 == 63) ty_trim();
    }
}

TESTS_MAIN(TEST(seams_agree))
