/* Incremental programs of variables that are assigned in part: bits as those of a whole run, the elements computed. */
#include <stdio.h>
#include <string.h>
#include <tyto/tyto.h>
#include "array/box.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

static ty_tensor *numbers(ty_dtype dtype, int rank, const int64_t *shape, uint64_t key) {
    return ty_cast(ty_mul(ty_normal(TY_F32, rank, shape, ty_key(key)), ty_num(dtype == TY_I32 ? 8 : 1)),
                   dtype);
}

static ty_program *compile(int n, ty_tensor **outputs, ty_compile_options o) {
    o.incremental = true;
    return test_program(ty_compile(n, outputs, o));
}

static int64_t computed(const ty_program *p) { return test_report(p).computed; }

/* Run and compare all outputs with the promises evaluated directly. False: out of memory. */
static bool run(ty_program *p, int n, ty_tensor **promises, int line) {
    ty_tensor *want[8], *got[8];
    bool ran = ty_run_outputs(p, n, got);
    if (!ran && test_starving()) return false;
    CHECK(ran, "line %d: %s", line, ty_program_error(p));
    if (!ty_eval_all(n, promises, want)) return false;
    for (int i = 0; i < n; i++) compare_bits(got[i], want[i], "line %d, output %d", line, i);
    return true;
}
#define RUN(p, n, promises) run(p, n, promises, __LINE__)

static bool assign(ty_tensor *x, const char *part, uint64_t key) {
    ty_tensor *error = NULL, *form = ty_at(x, part);
    bool done = ty_ok(form) &&
                ty_assign_at(x, part, numbers(ty_dtype_of(x), ty_rank(form), ty_shape(form), key), &error);
    CHECK(done || test_starving(), "%s: %s", part, ty_error(error ? error : form));
    return done;
}

/* ---- the elements that are computed ---- */

enum { N = 600, D = 8 };

/* Compile y of x with the variable x changing, run it, assign the part, run it again, and compare. The second run may
   compute at most `most` elements. */
static void check_most(ty_tensor *x, ty_tensor *y, const char *part, int64_t most, int line) {
    ty_program *p = compile(1, &y, (ty_compile_options){.changing = &x, .nchanging = 1});
    if (!run(p, 1, &y, line)) return;
    int64_t all = computed(p);
    for (int i = 0; i < 3; i++) {
        if (!assign(x, part, (uint64_t)i + 7) || !run(p, 1, &y, line)) return;
        CHECK(computed(p) <= most && all > most, "line %d: %lld elements of %lld, expected at most %lld",
              line, (long long)computed(p), (long long)all, (long long)most);
    }
    if (!run(p, 1, &y, line)) return;
    CHECK(computed(p) == 0, "line %d: %lld elements without a change", line, (long long)computed(p));
}
#define CHECK_MOST(x, y, part, most) check_most(x, y, part, most, __LINE__)

static ty_tensor *matrix(uint64_t key) { return ty_var(numbers(TY_F32, 2, (int64_t[]){N, D}, key), "x"); }

static void maps_and_rows(void) {
    ty_tensor *x = matrix(1), *b = ty_lazy(numbers(TY_F32, 1, (int64_t[]){D}, 2));
    CHECK_MOST(x, ty_exp(ty_add(x, b)), "10:20", 10 * D);
    CHECK_MOST(x, ty_exp(ty_add(x, b)), "10:20, 3", 10);
    CHECK_MOST(x, ty_exp(ty_add(x, b)), "-1", D);
    CHECK_MOST(x, ty_exp(ty_transpose(x)), "10:20", 10 * D);
    CHECK_MOST(x, ty_exp(ty_flip(x, 0)), "10:20, ::2", 10 * D);
    CHECK_MOST(x, ty_exp(ty_reshape(x, TY_SHAPE(N * D))), "10:20", 10 * D);
    CHECK_MOST(x, ty_exp(ty_reshape(x, TY_SHAPE(N / 2, 2, D))), "10:20", 10 * D);
    CHECK_MOST(x, ty_sum(ty_exp(x), (ty_axes){.mask = 2}), "10:20", 10 + 10 * D);
    CHECK_MOST(x, ty_softmax(x, 1), "10:20", 10 * D * 4);
    CHECK_MOST(x, ty_cumsum(ty_exp(x), 1, (ty_running){0}), "10:20", 20 * D);
    CHECK_MOST(x, ty_sort(x, 1, false), "10:20", 10 * D);
    CHECK_MOST(x, ty_exp(ty_at(x, "100:")), "10:20", 0);
    CHECK_MOST(x, ty_exp(ty_at(x, "::3")), "10:20", 4 * D);
}

/* Rows of windows that read an assigned row: the halo is computed again, if it is not kept. */
static void windows(void) {
    ty_tensor *x = ty_var(numbers(TY_F32, 1, (int64_t[]){N}, 1), "x");
    ty_tensor *w = ty_window(x, 0, 5, 1, 1);
    CHECK_MOST(x, ty_mean(w, (ty_axes){.mask = 2}), "100:103", 7);
    CHECK_MOST(x, ty_mean(ty_window(ty_exp(x), 0, 5, 1, 1), (ty_axes){.mask = 2}), "100:103", 7 + 11);
    CHECK_MOST(x, ty_mean(ty_window(x, 0, 6, 3, 2), (ty_axes){.mask = 2}), "100:103", 8);
}

static void joined(void) {
    ty_tensor *x = matrix(1), *a = ty_lazy(numbers(TY_F32, 2, (int64_t[]){5, D}, 2));
    CHECK_MOST(x, ty_exp(ty_concat(2, (ty_tensor *[]){a, x}, 0)), "10:20", 20 * D);
    CHECK_MOST(x, ty_exp(ty_concat(2, (ty_tensor *[]){ty_at(x, "-3:"), x}, 0)), "-3:", 12 * D);
    CHECK_MOST(x, ty_exp(ty_pad(x, (ty_padding[]){{.low = 2, .high = 3}, {0}}, ty_num(0))), "10:20", 20 * D);
    int64_t shift = 7;
    CHECK_MOST(x, ty_exp(ty_roll(x, 1, &shift, (int64_t[]){0})), "-10:-5", 10 * D);
}

static void gathers(void) {
    ty_tensor *index = ty_var(ty_cast(ty_mul(ty_uniform(TY_F32, TY_SHAPE(N), ty_key(3)), ty_num(10)), TY_I64),
                              "index"),
              *y;
    ty_tensor *table = ty_lazy(numbers(TY_F32, 2, (int64_t[]){10, D}, 2)), *error = NULL;
    y = ty_exp(ty_take(table, index, 0));
    ty_program *p = compile(1, &y, (ty_compile_options){0});
    if (!RUN(p, 1, &y)) return;
    if (!ty_assign_at(index, "5:9", ty_int(3), &error) || !RUN(p, 1, &y)) return;
    CHECK(computed(p) <= 8 * D, "%lld elements", (long long)computed(p));
    if (!ty_assign_at(index, "5:9", ty_int(30), &error)) return;
    CHECK(!ty_run(p), "an index outside was accepted");
    if (!ty_assign_at(index, "5:9", ty_int(2), &error)) return;
    RUN(p, 1, &y);
}

/* Products compute the blocks of rows and columns that their plans have. */
static void products(void) {
    enum { ROWS = 20000, K = 96 };
    ty_tensor *x = ty_var(numbers(TY_F32, 2, (int64_t[]){ROWS, K}, 1), "x");
    ty_tensor *w = ty_lazy(ty_reshape(ty_steps(TY_F32, -1, 0.001, K * K), TY_SHAPE(K, K)));
    CHECK_MOST(x, ty_matmul(x, w), "1000:1010", ROWS * K / 4);
    CHECK_MOST(x, ty_tanh(ty_matmul(ty_tanh(x), w)), "-10:", ROWS * K / 2);
    CHECK_MOST(x, ty_matmul(w, ty_transpose(x)), "1000:1010", ROWS * K / 4);
    ty_tensor *sound = ty_var(numbers(TY_F32, 3, (int64_t[]){1, 60000, 1}, 1), "sound");
    ty_tensor *taps = ty_lazy(numbers(TY_F32, 3, (int64_t[]){7, 1, 16}, 2));
    CHECK_MOST(sound, ty_conv1d(sound, taps, (ty_conv){.low = {6}}), "0, 30000:30100", 60000 * 16 / 4);
}

/* ---- random programs ---- */

enum { MOST = 12 };
struct drawn {
    int nvariables, n;
    ty_tensor *variables[3], *nodes[64];
};

static ty_tensor *any(const struct drawn *d) { return d->nodes[test_between(0, d->n - 1)]; }

static bool same_shape(ty_tensor *x, ty_tensor *y) {
    if (ty_rank(x) != ty_rank(y)) return false;
    return !memcmp(ty_shape(x), ty_shape(y), (size_t)ty_rank(x) * sizeof(int64_t));
}

/* Return a random product, reduction or elementwise function of x, perhaps with y. */
static ty_tensor *grow_values(ty_tensor *x, ty_tensor *y, int axis) {
    ty_dtype dtype = ty_dtype_of(x);
    int64_t n = ty_shape(x)[0], k = ty_shape(x)[ty_rank(x) - 1];
    bool floating = dtype != TY_I32, matrix_of_x = ty_rank(x) == 2;
    switch (test_between(0, 8)) {
    case 0:
        return floating ? ty_tanh(x) : ty_neg(x);
    case 1:
        return ty_add(x, ty_num(1));
    case 2:
        return ty_mul(x, ty_slice(x, axis, 0, 1, 1));
    case 3:
        return ty_sum(x, (ty_axes){.mask = UINT64_C(1) << axis, .keep = true});
    case 4:
        return ty_cumsum(x, axis, (ty_running){0});
    case 5:
        return floating ? ty_softmax(x, axis) : ty_sort(x, axis, false);
    case 6:
        if (!matrix_of_x) return x;
        return ty_matmul(x, ty_cast(ty_reshape(ty_steps(TY_F64, -2, 0.5, k * 6), TY_SHAPE(k, 6)), dtype));
    case 7: {
        if (!matrix_of_x || n < 7 || !floating) return x;
        ty_tensor *taps = ty_cast(ty_reshape(ty_steps(TY_F32, -2, 0.25, 12 * k), TY_SHAPE(3, k, 4)), dtype);
        ty_conv options = {.low = {2}, .stride = {test_between(1, 2)}};
        return ty_at(ty_conv1d(ty_reshape(x, TY_SHAPE(1, n, k)), taps, options), "0");
    }
    default:
        return same_shape(x, y) ? ty_sub(x, y) : matrix_of_x ? ty_matmul(x, ty_transpose(x)) : x;
    }
}

/* Return x with its elements moved at random. */
static ty_tensor *grow_views(ty_tensor *x, int axis) {
    int64_t size = ty_shape(x)[axis], shift = test_between(1, 5);
    ty_tensor *first = ty_slice(x, axis, 0, 1, 1);
    switch (test_between(0, 8)) {
    case 0:
        return ty_rank(x) == 2 ? ty_transpose(x) : x;
    case 1:
        return ty_flip(x, axis);
    case 2:
        return size > 2 ? ty_slice(x, axis, 1, size, test_between(1, 2)) : x;
    case 3:
        return ty_concat(2, (ty_tensor *[]){x, first}, axis);
    case 4:
        return ty_roll(x, 1, &shift, &(int64_t){axis});
    case 5:
        if (size < 5) return x;
        return ty_sum(ty_window(x, axis, 3, test_between(1, 2), test_between(1, 2)), (ty_axes){.last = 1});
    case 6:
        if (ty_rank(x) == 1 && size % 2 == 0) return ty_reshape(x, TY_SHAPE(2, size / 2));
        return ty_reshape(x, TY_SHAPE(ty_size(x)));
    case 7: {
        ty_padding padding[TY_MAX_RANK] = {{0}};
        int64_t low = test_between(-1, 3), high = test_between(0, 3);
        padding[axis] = (ty_padding){.low = low, .high = high, .inner = test_between(0, 9) == 0};
        return size > 2 ? ty_pad(x, padding, ty_cast(ty_num(0), ty_dtype_of(x))) : x;
    }
    default:
        return ty_concat(3, (ty_tensor *[]){ty_slice(x, axis, 0, 2, 1), x, first}, axis);
    }
}

/* Return a random function of one node, or of two. */
static ty_tensor *grow(const struct drawn *d) {
    ty_tensor *x = any(d), *y = any(d);
    if (!ty_ok(x) || !ty_ok(y)) return x;
    int axis = (int)test_between(0, ty_rank(x) - 1);
    return test_between(0, 1) ? grow_values(x, y, axis) : grow_views(x, axis);
}

static bool change_any(const struct drawn *d, uint64_t key) {
    ty_tensor *x = d->variables[test_between(0, d->nvariables - 1)];
    char part[160];
    int at = 0;
    for (int i = 0; i < ty_rank(x); i++) {
        int64_t n = ty_shape(x)[i], low = test_between(0, n - 1), high = test_between(low, n - 1) + 1;
        if (test_between(0, 2) == 0) low = 0, high = n;
        at += snprintf(part + at, sizeof part - (size_t)at, "%s%lld:%lld:%d", i ? "," : "", (long long)low,
                       (long long)high, (int)test_between(1, 2));
    }
    if (test_between(0, 9) == 0)
        return ty_assign(x, numbers(ty_dtype_of(x), ty_rank(x), ty_shape(x), key), NULL);
    return assign(x, part, key);
}

static void draw(struct drawn *d) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_I32};
    ty_dtype dtype = dtypes[test_between(0, 2)];
    *d = (struct drawn){.nvariables = (int)test_between(1, 3)};
    for (int i = 0; i < d->nvariables; i++) {
        int64_t shape[] = {test_between(2, 70), test_between(1, 12)};
        d->variables[i] = d->nodes[d->n++] =
            ty_var(numbers(dtype, (int)test_between(1, 2), shape, (uint64_t)i), "v");
    }
    for (int i = (int)test_between(1, MOST); i > 0; i--) {
        ty_tensor *y = grow(d);
        if (ty_ok(y) && ty_size(y) < 4000) d->nodes[d->n++] = y;
    }
}

static void random_program(void) {
    struct drawn d;
    draw(&d);
    for (int i = 0; i < d.n; i++)
        if (!ty_ok(d.nodes[i])) return; /* out of memory */
    int n = (int)test_between(1, 3);
    ty_tensor *outputs[3];
    for (int i = 0; i < n; i++) outputs[i] = i ? any(&d) : d.nodes[d.n - 1];
    ty_program *p = compile(n, outputs,
                            (ty_compile_options){.no_fuse = test_between(0, 4) == 0,
                                                 .changing = d.variables,
                                                 .nchanging = (int)test_between(0, d.nvariables)});
    for (int round = 0; round < 6; round++) {
        if (!RUN(p, n, outputs)) return;
        for (int64_t i = test_between(0, 3); i > 0; i--)
            if (!change_any(&d, (uint64_t)(round * 10 + i))) return;
    }
}

static void random_programs(void) {
    int64_t count = test_some(400, 60, 3);
    test_draw_tiles();
    test_draw_caches();
    for (int64_t i = 0; i < count; i++) {
        struct test_round round = test_round();
        ty_use_engine(test_between(0, 9) ? "cpu" : "ref");
        random_program();
        test_round_end(round);
    }
}

/* ---- products ---- */

/* Return a random product or convolution of x [n, k, 4] with constants; the first axis or the last is long. */
static ty_tensor *random_product(ty_tensor *x) {
    ty_dtype dtype = ty_dtype_of(x);
    int64_t n = ty_shape(x)[0], k = ty_shape(x)[1], c = ty_shape(x)[2], m = test_between(1, 20);
    ty_tensor *w = ty_lazy(numbers(dtype, 2, (int64_t[]){k, m}, 3)), *rows = ty_at(x, ":,:,0");
    ty_conv conv = {.stride = {test_between(1, 2)},
                    .dilation = {test_between(1, 2)},
                    .low = {test_between(0, 4)},
                    .high = {test_between(0, 2)}};
    int64_t groups = test_between(0, 1) ? 1 : c;
    conv.groups = groups;
    switch (test_between(0, 7)) {
    case 0:
        return ty_matmul(rows, w);
    case 1:
        return ty_matmul(ty_transpose(w), ty_transpose(rows));
    case 2:
        return ty_einsum("nkc,km->ncm", x, w);
    case 3:
        return ty_einsum("nkc,nkd->ncd", x, x);
    case 4:
        return ty_einsum("nkc,km->cmn", x, w);
    case 5:
        return ty_add(ty_matmul(rows, w), ty_lazy(numbers(dtype, 1, &m, 4)));
    case 6: {
        ty_tensor *y = ty_reshape(x, TY_SHAPE(1, n * k, c));
        return ty_conv1d(y, ty_lazy(numbers(dtype, 3, (int64_t[]){3, c / groups, c * 2}, 5)), conv);
    }
    default:
        return ty_conv1d(x, ty_lazy(numbers(dtype, 3, (int64_t[]){2, c / groups, c}, 5)), conv);
    }
}

static void random_products(void) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_F16, TY_BF16, TY_I32, TY_C64};
    int64_t count = test_some(150, 30, 2), fewer = 0;
    test_draw_tiles();
    test_draw_caches();
    for (int64_t i = 0; i < count; i++) {
        struct test_round round = test_round();
        int64_t shape[] = {test_between(1, 300), test_between(1, 12), 4};
        ty_set_threads((int)test_between(1, 4));
        ty_tensor *x = ty_var(numbers(dtypes[test_between(0, 5)], 3, shape, 1), "x"), *y = random_product(x);
        struct drawn d = {.nvariables = 1, .variables = {x}};
        ty_program *p = compile(1, &y, (ty_compile_options){.changing = &x, .nchanging = test_between(0, 1)});
        for (int k = 0; k < 4 && ty_ok(x) && ty_ok(y); k++) {
            if (!RUN(p, 1, &y) || !change_any(&d, (uint64_t)k)) break;
            fewer += k > 0 && computed(p) < ty_size(y);
        }
        test_round_end(round);
    }
    CHECK(fewer > count / 2 || test_starving(), "only %lld runs of parts", (long long)fewer);
}

/* Kernels that were merged into one over the same rows compute blocks of rows. */
static void merged_rows(void) {
    test_draw_caches();
    for (int i = 0; i < test_some(30, 10, 1); i++) {
        struct test_round round = test_round();
        ty_tensor *x = ty_var(numbers(TY_F32, 3, (int64_t[]){7, 400, 40}, 1), "x");
        ty_tensor *y = ty_softmax(ty_mul(ty_exp(ty_softmax(x, 2)), ty_num(3)), 2);
        ty_tensor *outputs[] = {y, ty_sum(y, (ty_axes){.mask = 4})};
        ty_program *p = compile(2, outputs, (ty_compile_options){0});
        if (!RUN(p, 2, outputs)) return;
        int64_t all = computed(p);
        for (int k = 0; k < 4; k++) {
            if (!assign(x, k % 2 ? "3, 100:110" : ":, 30:40, 3", (uint64_t)k) || !RUN(p, 2, outputs)) return;
            CHECK(computed(p) < all, "%lld elements of %lld", (long long)computed(p), (long long)all);
        }
        test_round_end(round);
    }
}

/* ---- outputs, variables ---- */

/* A held output keeps its bits, an output that nobody holds its memory. */
static void held_outputs(void) {
    ty_tensor *x = matrix(1), *y = ty_exp(x), *held[1], *next[1];
    ty_program *p = compile(1, &y, (ty_compile_options){0});
    if (!ty_run_outputs(p, 1, held)) return;
    ty_tensor *copy = ty_mul(held[0], ty_num(1));
    if (!assign(x, "3:5", 2) || !ty_run_outputs(p, 1, next)) return;
    compare_bits(held[0], copy, "the held output");
    compare_bits(next[0], ty_eval(y), "the next output");
    CHECK(computed(p) == 2 * D, "%lld elements", (long long)computed(p));
    ty_program *alone = compile(1, &y, (ty_compile_options){0});
    if (!ty_run(alone)) return;
    const void *data = ty_data(ty_output(alone, 0));
    if (!assign(x, "3:5", 3) || !ty_run(alone)) return;
    CHECK(ty_data(ty_output(alone, 0)) == data, "the output was moved");
    compare_bits(ty_output(alone, 0), ty_eval(y), "the output in place");
    ty_tensor *memory = ty_memory(TY_F32, TY_SHAPE(N, D));
    if (!assign(x, "3:5", 4) || !ty_ok(memory) || !ty_run_into(alone, 1, &memory)) return;
    compare_bits(memory, ty_eval(y), "in given memory");
}

/* Variables of up to BOX_RANK axes may change in part; others, and many parts, recompute more, never less. */
static void many_axes(void) {
    int64_t shape[] = {2, 2, 1, 2, 1, 2, 1, 2, 3, 1};
    ty_tensor *x = matrix(2);
    for (int rank = BOX_RANK - 1; rank <= BOX_RANK + 1; rank++) {
        ty_tensor *deep = ty_var(numbers(TY_F32, rank, shape, 1), "deep");
        ty_tensor *y[] = {ty_exp(deep), ty_tanh(x), ty_mul(ty_tanh(deep), ty_at(x, "0, 0"))};
        ty_program *p = compile(3, y, (ty_compile_options){0});
        if (!RUN(p, 3, y) || !assign(deep, "1", 3) || !RUN(p, 3, y)) return;
        CHECK((computed(p) < 2 * ty_size(deep)) == (rank <= BOX_RANK), "%d axes: %lld elements", rank,
              (long long)computed(p));
        if (!assign(deep, "1", 4) || !assign(x, "3:4", 5) || !RUN(p, 3, y)) return;
    }
}

/* Many parts recompute more, never less. */
static void many_parts(void) {
    ty_tensor *x = matrix(2), *y[] = {ty_sum(ty_exp(x), (ty_axes){.mask = 2})};
    ty_program *p = compile(1, y, (ty_compile_options){0});
    if (!RUN(p, 1, y)) return;
    for (int count = 1; count < 30; count += 7) {
        char part[40];
        for (int i = 0; i < count; i++) {
            snprintf(part, sizeof part, "%d:%d", i * 20 + 3, i * 20 + 5);
            if (!assign(x, part, (uint64_t)i)) return;
        }
        if (!RUN(p, 1, y)) return;
        CHECK(computed(p) < (count < 4 ? 60 : N * D + N), "%d parts: %lld elements", count,
              (long long)computed(p));
    }
}

/* Runs that are watched launch whole kernels, which profiles describe. */
static void watched(void) {
    ty_tensor *x = matrix(1), *y = ty_sum(ty_exp(x), (ty_axes){.mask = 2});
    ty_program *p = compile(1, &y, (ty_compile_options){0});
    if (!RUN(p, 1, &y) || !assign(x, "5", 2)) return;
    int64_t all = computed(p);
    ty_profile_start();
    bool ran = ty_run(p);
    ty_profile *profile = ty_profile_stop();
    ty_profile_free(profile);
    CHECK(!ran || computed(p) == all, "%lld elements of %lld", (long long)computed(p), (long long)all);
    if (!ran || !assign(x, "5", 3) || !RUN(p, 1, &y)) return;
    CHECK(computed(p) < all, "%lld elements of %lld", (long long)computed(p), (long long)all);
}

/* ---- failures, updates ---- */

/* A run that fails in a part is followed by a whole one. */
static void after_a_failure(void) {
    ty_tensor *x = matrix(1), *index = ty_var(ty_zeros(TY_I64, TY_SHAPE(N)), "index"), *error = NULL;
    ty_tensor *y[] = {ty_exp(x), ty_take(ty_exp(x), index, 0)};
    ty_program *p = compile(2, y, (ty_compile_options){0});
    if (!RUN(p, 2, y) || !assign(x, "5", 2) || !ty_assign_at(index, "7", ty_int(N), &error)) return;
    CHECK(!ty_run(p), "an index outside was accepted");
    if (!ty_assign_at(index, "7", ty_int(1), &error) || !RUN(p, 2, y)) return;
    CHECK(computed(p) >= 2 * N * D, "%lld elements after a failure", (long long)computed(p));
    if (!assign(x, "5", 3) || !ty_assign(x, numbers(TY_F32, 2, (int64_t[]){N, D}, 4), NULL) || !RUN(p, 2, y))
        return;
    CHECK(computed(p) >= 2 * N * D, "%lld elements after a whole assignment", (long long)computed(p));
}

/* Updates and parts of one variable. */
static void with_updates(void) {
    ty_tensor *x = matrix(1), *z = matrix(2), *y[] = {ty_exp(x), ty_exp(z)}, *want[2];
    ty_update update = {z, ty_add(z, x)};
    ty_program *p = compile(2, y, (ty_compile_options){.updates = &update, .nupdates = 1});
    for (int i = 0; i < 5; i++) {
        ty_tensor *next = ty_eval(ty_add(z, x)), *got[2];
        if (!ty_eval_all(2, y, want) || !ty_run_outputs(p, 2, got)) return;
        compare_bits(got[0], want[0], "run %d", i);
        compare_bits(got[1], want[1], "run %d", i);
        compare_bits(ty_eval(z), next, "run %d", i);
        if (!assign(i % 2 ? x : z, "4:9", (uint64_t)i)) return;
    }
}

TESTS_MAIN(TEST(maps_and_rows), TEST(windows), TEST(joined), TEST(gathers), TEST(products),
           TEST(random_programs), TEST(random_products), TEST(merged_rows), TEST(held_outputs),
           TEST(many_axes), TEST(many_parts), TEST(watched), TEST(after_a_failure), TEST(with_updates))
