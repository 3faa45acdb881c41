/* Results that are parts of larger ones: kernels write them to their final position, with the same bits in
   all modes. */
#include <string.h>
#include <tyto/tyto.h>
#include "array/tensor.h"
#include "base/machine/levels.h"
#include "compile/passes.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/programs.h"
#include "tests/support/samples/operator_samples.h"
#include "tests/support/samples/sample.h"

enum { INPUTS = 4, POOL = 40, RESULTS = 3, MOST = 4000 };

/* ---- random programs of parts ---- */

struct maker {
    uint64_t state;
    ty_tensor *t[POOL];
    int n;
};

static int pick(struct maker *m, int n) {
    m->state = m->state * 6364136223846793005u + 1442695040888963407u;
    return (int)((m->state >> 33) % (uint64_t)n);
}

/* Return true if the two shapes can be concatenated along the axis. */
static bool go_together(const ty_tensor *a, const ty_tensor *b, int axis) {
    if (ty_rank(a) != ty_rank(b)) return false;
    for (int i = 0; i < ty_rank(a); i++)
        if (i != axis && ty_shape(a)[i] != ty_shape(b)[i]) return false;
    return true;
}

/* Concatenate up to five parts along an axis: `x` and others that fit, some of them twice. */
static ty_tensor *put_together(struct maker *m, ty_tensor *x, int axis) {
    ty_tensor *parts[5] = {x};
    int n = 1, wanted = 2 + pick(m, 4);
    for (int tries = 0; tries < 24 && n < wanted; tries++) {
        ty_tensor *other = m->t[pick(m, m->n)];
        if (go_together(x, other, axis)) parts[n++] = other;
    }
    for (int i = n - 1; i > 0; i--) {
        int k = pick(m, i + 1);
        ty_tensor *swapped = parts[i];
        parts[i] = parts[k];
        parts[k] = swapped;
    }
    return ty_concat(n, parts, axis);
}

static ty_tensor *make_view(struct maker *m, ty_tensor *x, int axis) {
    int64_t n = ty_shape(x)[axis], from = pick(m, (int)n), to = from + 1 + pick(m, (int)(n - from));
    switch (pick(m, 7)) {
    case 0:
        return ty_flip(x, axis);
    case 1:
        return ty_repeat(x, 2, axis);
    case 2:
        return ty_tile(x, 1, (int64_t[]){2});
    case 3:
        return ty_pad(x, (ty_padding[TY_MAX_RANK]){{1, 2, 0}}, ty_scalar(ty_dtype_of(x), 0.5));
    case 4:
        return ty_stack(2, (ty_tensor *[]){x, ty_sin(x)}, axis);
    case 5:
        return ty_slice(x, axis, to - 1, from ? from - 1 : TY_END, -1);
    default:
        return ty_slice(x, axis, from, to, 1);
    }
}

static ty_tensor *make_value(struct maker *m, ty_tensor *x, int axis) {
    int rank = ty_rank(x);
    switch (pick(m, 10)) {
    case 0:
        return ty_tanh(x);
    case 1:
        return ty_mul(x, ty_num(0.75));
    case 2:
        return ty_softmax(x, axis);
    case 3:
        return ty_cumsum(x, axis, (ty_running){0});
    case 4:
        return ty_sum(x, ty_axes_of(1, &axis, true));
    case 5:
        return ty_sort(x, axis, false);
    case 6:
        return rank > 1 ? ty_matmul(x, ty_swap(x, rank - 1, rank - 2)) : ty_neg(x);
    case 7:
        return ty_take(x, ty_from(TY_I64, TY_SHAPE(3), (int64_t[]){0, -1, 0}), axis);
    case 8:
        return ty_max(ty_add(x, ty_num(0.125)), ty_num(0));
    default:
        return ty_add(ty_sin(x), ty_cos(x));
    }
}

static ty_tensor *make_one(struct maker *m) {
    ty_tensor *x = m->t[m->n - 1 - pick(m, m->n < 6 ? m->n : 6)];
    int axis = ty_rank(x) ? pick(m, ty_rank(x)) : -1;
    if (axis < 0 || ty_size(x) == 0) return ty_sin(x);
    int kind = pick(m, 10);
    return kind < 3 ? put_together(m, x, axis) : kind < 6 ? make_view(m, x, axis) : make_value(m, x, axis);
}

/* Write three results, and with `gradients` the gradients of their sum by each input. Returns their
   number. */
static int results_of(uint64_t seed, ty_tensor *const *inputs, bool gradients, ty_tensor **results) {
    struct maker m = {.state = seed, .n = INPUTS};
    memcpy(m.t, inputs, INPUTS * sizeof *inputs);
    for (int count = 6 + pick(&m, 22); count > 0; count--) {
        ty_tensor *y = make_one(&m);
        m.t[m.n] = ty_ok(y) && (ty_size(y) == 0 || ty_size(y) > MOST || ty_rank(y) > 5) ? m.t[m.n - 1] : y;
        m.n++;
    }
    ty_tensor *loss = ty_num(0);
    for (int i = 0; i < RESULTS; i++) {
        results[i] = m.t[m.n - 1 - (i ? pick(&m, m.n - INPUTS) : 0)];
        loss = ty_add(loss, ty_sum(results[i], TY_ALL));
    }
    if (gradients) ty_grad(loss, INPUTS, inputs, results + RESULTS);
    return RESULTS + (gradients ? INPUTS : 0);
}

static void make_inputs(ty_dtype dtype, ty_tensor **values) {
    values[0] = sample_shape(dtype, TY_SHAPE(4, 18), -1, 1);
    values[1] = sample_shape(dtype, TY_SHAPE(5, 18), -1, 1);
    values[2] = sample_shape(dtype, TY_SHAPE(2, 3, 16), -1, 1);
    values[3] = sample_shape(dtype, TY_SHAPE(37), -1, 1);
}

static void check_seed(uint64_t seed, const char *engine, bool gradients) {
    static const struct {
        const char *name;
        ty_compile_options options;
    } ways[] = {
        {"compiled", {.no_fuse = false}},
        {"without fusion", {.no_fuse = true}},
        {"without rewriting", {.no_rewrite = true}},
        {"without reuse", {.no_reuse = true}},
        {"without any pass", {.no_fuse = true, .no_rewrite = true, .no_reuse = true}},
    };
    static const int widths[] = {3, 8, 1};
    ty_dtype dtype = seed % 5 == 0 ? TY_F64 : seed % 7 == 0 ? TY_F16 : TY_F32;
    ty_tensor *values[INPUTS], *tracked[INPUTS], *variables[INPUTS], *want[RESULTS + INPUTS],
        *promises[RESULTS + INPUTS];
    make_inputs(dtype, values);
    ty_use_engine(engine);
    for (int i = 0; i < INPUTS; i++) {
        tracked[i] = CHECK_OK(ty_track(values[i], "x"));
        variables[i] = CHECK_OK(ty_var(values[i], "x"));
    }
    ty_allow_unused(true); /* programs need not use all inputs */
    int n = results_of(seed, tracked, gradients, want);
    results_of(seed, variables, gradients, promises);
    for (int i = 0; i < n; i++) CHECK_OK(promises[i]);
    for (int w = 0; w < 3; w++) {
        ty_set_threads(widths[w]);
        program_gives(seed, ways[0].name, ways[0].options, n, promises, want);
    }
    for (size_t k = 1; k < sizeof ways / sizeof *ways; k++)
        program_gives(seed, ways[k].name, ways[k].options, n, promises, want);
}

static void check_seeds(uint64_t first, int count, const char *engine, bool gradients) {
    for (uint64_t seed = first; seed < first + (uint64_t)count; seed++) {
        struct test_round round = test_round();
        check_seed(seed, engine, gradients);
        test_round_end(round);
    }
}

static void programs(void) { check_seeds(0, test_some(200, 40, 2), "cpu", false); }
static void gradients(void) { check_seeds(1000, test_some(150, 30, 1), "cpu", true); }
static void short_runs(void) {
    boxes_force(1);
    test_draw_tiles();
    test_draw_caches(); /* kernels run together row by row if the second level is small */
    level_force(LEVEL_SECOND, 1);
    check_seeds(4000, test_some(150, 30, 1), "cpu", true);
}
static void programs_on_ref(void) { check_seeds(2000, test_some(40, 10, 1), "ref", true); }
static void small_tiles(void) {
    test_draw_tiles();
    check_seeds(3000, test_some(100, 20, 1), "cpu", true);
}

/* ---- kernels ---- */

static ty_program *compiled(int n, ty_tensor *const *y, ty_compile_options options) {
    ty_tensor *why = NULL;
    ty_program *p = test_program(ty_compile(n, y, options));
    bool well = !*ty_program_error(p) && ty_program_check(p, &why);
    if (*ty_program_error(p)) CHECK_OK(ty_program_failure(p));
    CHECK(well || test_starving(), "%s", ty_error(why));
    return p;
}

/* Return the number of occurrences of the word in the text of the program's kernels. */
static int count_word(const ty_program *p, const char *word) {
    const char *text = test_text(ty_program_text(p));
    int n = 0;
    for (; text && (text = strstr(text, word)); text += strlen(word)) n++;
    return n;
}

static void check_parts(ty_tensor *y, int boxes, int concats, const char *what) {
    ty_program *p = compiled(1, &y, (ty_compile_options){0});
    ty_program *apart = compiled(1, &y, (ty_compile_options){.no_reuse = true});
    if (test_starving()) return;
    CHECK(test_report(p).boxes == boxes, "%s: %lld boxes, not %d\n%s", what, (long long)test_report(p).boxes,
          boxes, test_text(ty_program_text(p)));
    CHECK(count_word(p, "= concat") == concats, "%s: %d concats, not %d\n%s", what, count_word(p, "= concat"),
          concats, test_text(ty_program_text(p)));
    CHECK(test_report(apart).boxes == 0, "%s: boxes without reuse", what);
    CHECK(ty_run(p) && ty_run(apart), "%s does not run", what);
    compare_bits(ty_output(p, 0), ty_output(apart, 0), "%s", what);
    ty_tensor *value = ty_eval(y);
    compare_bits(ty_output(p, 0), value, "%s, evaluated", what);
}

static ty_tensor *random_var(ty_tensor *value) { return CHECK_OK(ty_var(value, "x")); }

static ty_tensor *conv(ty_tensor *x, int64_t in, int64_t out, int64_t size, bool last) {
    ty_tensor *w = last ? sample_shape(TY_F32, TY_SHAPE(size, size, in, out), -1, 1)
                        : sample_shape(TY_F32, TY_SHAPE(out, in, size, size), -1, 1);
    ty_tensor *bias =
        last ? sample_shape(TY_F32, TY_SHAPE(out), -1, 1) : sample_shape(TY_F32, TY_SHAPE(out, 1, 1), -1, 1);
    ty_conv how = {.same = true, .nchw = !last};
    return ty_relu(ty_add(ty_conv2d(x, ty_lazy(w), how), ty_lazy(bias)));
}

/* Four branches, as in Inception, all write into the result. */
static void inception(void) {
    for (int last = 0; last < 2; last++) {
        ty_tensor *x = random_var(last ? sample_shape(TY_F32, TY_SHAPE(2, 9, 9, 16), -1, 1)
                                       : sample_shape(TY_F32, TY_SHAPE(2, 16, 9, 9), -1, 1));
        ty_tensor *branches[] = {conv(x, 16, 16, 1, last), conv(conv(x, 16, 8, 1, last), 8, 32, 3, last),
                                 conv(conv(x, 16, 4, 1, last), 4, 16, 5, last), conv(x, 16, 16, 1, last)};
        check_parts(ty_concat(4, branches, last ? 3 : 1), 4, 0, last ? "NHWC" : "NCHW");
    }
}

/* Dense layers share one block, whether each concatenation joins the previous one or all parts. */
static void dense_layers(void) {
    for (int all = 0; all < 2; all++) {
        ty_tensor *x = random_var(sample_shape(TY_F32, TY_SHAPE(2, 16, 6, 6), -1, 1));
        ty_tensor *parts[5] = {conv(x, 16, 16, 1, false)}, *joined = parts[0];
        for (int i = 1; i < 5; i++) {
            parts[i] = conv(joined, 16 + 8 * (i - 1), 8, 3, false);
            joined = all ? ty_concat(i + 1, parts, 1) : ty_concat(2, (ty_tensor *[]){joined, parts[i]}, 1);
        }
        check_parts(joined, 5 + 3, 0, all ? "of all parts" : "of the one before");
    }
}

/* Inputs, constants and parts used twice are copied, by one kernel for each run of them. */
static void what_cannot(void) {
    ty_tensor *x = random_var(sample_shape(TY_F32, TY_SHAPE(3, 32), -1, 1)), *y = ty_sin(x), *z = ty_cos(x);
    ty_tensor *c = ty_lazy(sample_shape(TY_F32, TY_SHAPE(2, 32), -1, 1));
    check_parts(ty_concat(3, (ty_tensor *[]){y, x, z}, 0), 2, 1, "an input between");
    check_parts(ty_concat(4, (ty_tensor *[]){x, c, z, x}, 1 - 1), 1, 2, "inputs and a constant");
    check_parts(ty_concat(2, (ty_tensor *[]){z, z}, 0), 1, 1, "twice");
    check_parts(ty_concat(2, (ty_tensor *[]){x, x}, 0), 0, 1, "inputs alone");
    check_parts(ty_stack(2, (ty_tensor *[]){y, z}, 2), 0, 1, "elements between each other");
    check_parts(ty_concat(2, (ty_tensor *[]){ty_transpose(y), ty_transpose(z)}, 1), 0, 1, "turned round");
    ty_tensor *both[] = {ty_concat(2, (ty_tensor *[]){y, z}, 0), y};
    ty_program *p = compiled(2, both, (ty_compile_options){0});
    if (test_starving()) return;
    CHECK(ty_run(p), "does not run");
    compare_bits(ty_output(p, 0), ty_eval(both[0]), "a part that is a result, too");
    compare_bits(ty_output(p, 1), ty_eval(y), "the part");
}

/* Check that an operator can write its result as a box across axes of a larger one. */
static void check_operator(const struct operator_sample *sample, const char *engine) {
    struct test_round round = test_round();
    ty_use_engine(engine);
    ty_tensor *value = sample_shape(TY_F32, TY_SHAPE(1, 4, 4, 1), -1, 1);
    ty_tensor *y = sample->run(ty_var(value, "x")),
              *z = sample->run(ty_var(ty_add(value, ty_num(0.25)), "z"));
    int rank = ty_ok(y) && ty_ok(z) && shape_equal(ty_rank(y), ty_shape(y), ty_rank(z), ty_shape(z))
                   ? ty_rank(y)
                   : 0;
    for (int axis = 0; axis < rank; axis++) {
        ty_tensor *t = ty_concat(2, (ty_tensor *[]){y, z}, axis), *want;
        ty_program *p = compiled(1, &t, (ty_compile_options){0});
        ty_program *apart = compiled(1, &t, (ty_compile_options){.no_reuse = true});
        bool ran = ty_run(p) && ty_run(apart);
        CHECK(ran || test_starving(), "%s does not run", sample->name);
        if (!ran) continue;
        want = ty_output(apart, 0);
        compare_bits(ty_output(p, 0), want, "%s on %s, axis %d", sample->name, engine, axis);
    }
    test_round_end(round);
}

static void every_operator(void) {
    boxes_force(1);
    for (int i = 0; i < (test_starving() ? 3 : operator_sample_count); i++) {
        check_operator(&operator_samples[i], "cpu");
        check_operator(&operator_samples[i], "ref");
    }
}

/* A program that reads the concatenation reads the block. */
static void behind(void) {
    ty_tensor *x = random_var(sample_shape(TY_F32, TY_SHAPE(3, 32), -1, 1));
    ty_tensor *y = ty_concat(2, (ty_tensor *[]){ty_cumsum(x, 1, (ty_running){0}), ty_sort(x, 1, false)}, 0);
    check_parts(ty_sqrt(ty_abs(y)), 2, 0, "all parts");
    check_parts(ty_matmul(ty_tanh(y), ty_transpose(y)), 2, 0, "wanted as it is, too");
    ty_tensor *z = ty_concat(2, (ty_tensor *[]){ty_cumsum(x, 1, (ty_running){0}), x}, 0);
    check_parts(ty_sqrt(ty_abs(z)), 0, 1, "not all parts");
}

/* The next value of a variable is concatenated in its own memory or in the variable's. */
static void updates(void) {
    ty_tensor *v = random_var(sample_shape(TY_F32, TY_SHAPE(4, 32), -1, 1));
    ty_tensor *low = ty_slice(v, 0, 0, 2, 1), *high = ty_slice(v, 0, 2, 4, 1);
    ty_tensor *next = ty_concat(2, (ty_tensor *[]){ty_sin(high), ty_cos(low)}, 0), *want = ty_eval(next);
    ty_tensor *sum = ty_sum(next, TY_ALL);
    ty_update update = {v, next};
    ty_program *p = compiled(1, &sum, (ty_compile_options){.updates = &update, .nupdates = 1});
    bool ran = ty_run(p);
    CHECK(ran || test_starving(), "does not run");
    if (ran) compare_bits(ty_eval(v), want, "the variable");
}

/* A step that concatenates its carry and its result, made of slices. */
static void step(void *context, ty_step *s) {
    (void)context;
    ty_tensor *low = ty_slice(s->carry[0], 0, 0, 32, 1);
    s->next[0] = ty_concat(2, (ty_tensor *[]){ty_tanh(ty_add(low, s->x[0])), ty_sin(low)}, 0);
    s->y[0] = ty_concat(2, (ty_tensor *[]){ty_cumsum(low, 0, (ty_running){0}), ty_cos(s->x[0])}, 0);
}

static int scan_of(ty_tensor *const *x, ty_tensor **results) {
    ty_scan(step, NULL, (ty_scan_spec){.ncarry = 1, .carry = x, .nx = 1, .x = x + 1, .ny = 1}, results,
            results + 1, NULL);
    ty_tensor *loss = ty_add(ty_sum(ty_square(results[0]), TY_ALL), ty_sum(ty_sin(results[1]), TY_ALL));
    ty_grad(loss, 2, x, results + 2);
    return 4;
}

static void loops(void) {
    ty_tensor *values[] = {sample_shape(TY_F32, TY_SHAPE(64), -1, 1),
                           sample_shape(TY_F32, TY_SHAPE(5, 32), -1, 1)};
    ty_tensor *tracked[2], *variables[2], *want[4], *promises[4];
    for (int i = 0; i < 2; i++) {
        tracked[i] = CHECK_OK(ty_track(values[i], "x"));
        variables[i] = CHECK_OK(ty_var(values[i], "x"));
    }
    int n = scan_of(tracked, want);
    scan_of(variables, promises);
    for (int i = 0; i < n; i++) CHECK_OK(promises[i]);
    program_gives(0, "a loop", (ty_compile_options){0}, n, promises, want);
    program_gives(0, "a loop without reuse", (ty_compile_options){.no_reuse = true}, n, promises, want);
}

/* ---- the gradient of slices ---- */

/* Return the sum over functions of slices x[i*step .. i*step+length). */
static ty_tensor *of_slices(ty_tensor *x, int64_t count, int64_t step, int64_t length) {
    ty_tensor *sum = ty_num(0);
    for (int64_t i = 0; i < count; i++) {
        ty_tensor *part = ty_slice(x, 0, i * step, i * step + length, 1);
        sum = ty_add(sum, ty_sum(ty_sin(ty_mul(part, ty_num(0.5 + (double)i))), TY_ALL));
    }
    return sum;
}

/* Gradients of disjoint slices are written in place, and overlapping ones added; only the gradient has the
   size of x. */
static void of_disjoint_slices(void) {
    for (int64_t count = 4; count <= (test_starving() ? 4 : 64); count *= 4) {
        ty_tensor *x = random_var(sample_shape(TY_F32, TY_SHAPE(2 * count + 3, 64), -1, 1)), *g;
        ty_grad(of_slices(x, count, 2, 2), 1, &x, &g);
        ty_program *p = compiled(1, &g, (ty_compile_options){0});
        if (test_starving()) continue;
        ty_report r;
        ty_program_report(p, &r);
        CHECK(r.boxes == count && r.kernels <= count + 1, "%lld slices: %lld boxes in %lld kernels",
              (long long)count, (long long)r.boxes, (long long)r.kernels);
        CHECK(r.arena_bytes <= r.workspace_bytes, "%lld bytes beside the gradient", (long long)r.arena_bytes);
        CHECK(count_word(p, "= concat") == 1, "zeros once");
        program_gives(0, "slices", (ty_compile_options){0}, 1, &g, (ty_tensor *[]){ty_eval(g)});
    }
}

static void check_slices(int64_t count, int64_t step, int64_t length, ty_dtype dtype) {
    ty_tensor *value = sample_shape(dtype, TY_SHAPE(count * step + length, 3), -1, 1),
              *x = ty_track(value, "x");
    ty_tensor *v = random_var(value), *eager, *lazy,
              *want = ty_zeros(dtype, TY_SHAPE(count * step + length, 3));
    ty_grad(of_slices(x, count, step, length), 1, &x, &eager);
    ty_grad(of_slices(v, count, step, length), 1, &v, &lazy);
    for (int64_t i = count - 1; i >= 0; i--) { /* in the order of the graph walk */
        ty_tensor *scale = ty_num(0.5 + (double)i);
        ty_tensor *g =
            ty_mul(ty_cos(ty_mul(ty_slice(value, 0, i * step, i * step + length, 1), scale)), scale);
        int64_t n = ty_shape(value)[0];
        want = ty_add(want,
                      ty_pad(g, (ty_padding[TY_MAX_RANK]){{i * step, n - i * step - length, 0}}, ty_num(0)));
    }
    compare_bits(eager, want, "%lld slices of %lld each %lld in %s", (long long)count, (long long)length,
                 (long long)step, ty_dtype_name(dtype));
    compare_bits(ty_eval(lazy), eager, "promised");
    program_gives(0, "slices", (ty_compile_options){0}, 1, &lazy, &eager);
    program_gives(0, "slices on ref", (ty_compile_options){.no_reuse = true}, 1, &lazy, &eager);
}

static void of_any_slices(void) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F16, TY_F64, TY_BF16};
    for (int k = 0; k < (test_starving() ? 1 : 4); k++) {
        check_slices(7, 2, 2, dtypes[k]);
        check_slices(7, 2, 5, dtypes[k]);
        check_slices(5, 3, 1, dtypes[k]);
        check_slices(6, 0, 4, dtypes[k]);
        check_slices(3, 1, 0, dtypes[k]);
    }
}

TESTS_MAIN(TEST(programs), TEST(gradients), TEST(programs_on_ref), TEST(small_tiles), TEST(short_runs),
           TEST(every_operator), TEST(inception), TEST(dense_layers), TEST(what_cannot), TEST(behind),
           TEST(updates), TEST(loops), TEST(of_disjoint_slices), TEST(of_any_slices))
