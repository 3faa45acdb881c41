/*
 * Nests compute the same as the engines: the sample of each operator, in each dtype and in random layouts, lowered,
 * checked and interpreted.  Bits are those of `cpu` where docs/bits.md promises an order; elsewhere values are near
 * those of `ref`.
 */
#include <string.h>
#include <tyto/nn.h>
#include "base/alloc.h"
#include "base/machine/levels.h"
#include "compile/program.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/nest_run.h"
#include "tests/support/samples/operator_samples.h"
#include "tests/support/samples/sample.h"

enum { ROUNDS = 3 };

/* Return the sample's operand: x [1,4,4,1] with gaps, axes turned round or repeated. */
static ty_tensor *operand(ty_dtype dtype) {
    ty_tensor *x = sample_shape(dtype, 4, (int64_t[]){2, 8, 8, 2}, -3, 3);
    for (int axis = 0; axis < 4 && ty_ok(x); axis++) {
        int64_t size = axis % 3 ? 4 : 1, step = size == 4 ? test_between(1, 2) : 1;
        int64_t start = test_between(0, ty_shape(x)[axis] - (size - 1) * step - 1);
        x = ty_slice(x, axis, start, start + (size - 1) * step + 1, step);
        if (test_between(0, 2) == 0) x = ty_flip(x, axis);
    }
    return test_between(0, 2) ? x : ty_permute(x, (int[]){0, 2, 1, 3});
}

/* Samples whose composites multiply complex numbers. */
static bool is_near(const char *name) {
    return !strcmp(name, "schur") || !strcmp(name, "qz") || !strcmp(name, "hessenberg");
}

static void same(const char *name, ty_tensor *got, ty_tensor *want) {
    double ulp = relative_ulp(ty_dtype_of(want));
    if (is_near(name))
        compare_near(got, want, 256 * ulp, 256 * ulp, "%s %s", name, ty_dtype_name(ty_dtype_of(want)));
    else
        compare_bits(got, want, "%s %s", name, ty_dtype_name(ty_dtype_of(want)));
}

static void sample_once(const struct operator_sample *sample, ty_dtype dtype) {
    struct test_round round = test_round();
    ty_tensor *x = operand(dtype);
    ty_tensor *want = sample->run(x);
    nest_engine_use();
    ty_tensor *got = sample->run(x);
    ty_use_engine("cpu");
    CHECK(ty_ok(got) == ty_ok(want) || test_starving(), "%s %s: %s, %s", sample->name, ty_dtype_name(dtype),
          ty_error(got), ty_error(want));
    if (ty_ok(got) && ty_ok(want)) same(sample->name, got, want);
    test_round_end(round);
}

static void samples(void) {
    static const enum kernel_kind lowered[] = {
        KERNEL_MAP,  KERNEL_REDUCE, KERNEL_CONTRACT, KERNEL_POOL,       KERNEL_UNPOOL,  KERNEL_POOL_TAKE,
        KERNEL_PAD,  KERNEL_CONCAT, KERNEL_GATHER,   KERNEL_WINDOW_ADD, KERNEL_SCATTER, KERNEL_PLACE,
        KERNEL_SCAN, KERNEL_IOTA,   KERNEL_RESAMPLE, KERNEL_SPARSE,     KERNEL_COPY};
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < operator_sample_count; i++)
            for (int dtype = 0; dtype < TY_DTYPES; dtype++)
                sample_once(&operator_samples[i], (ty_dtype)dtype);
    for (size_t i = 0; i < sizeof lowered / sizeof *lowered;
         i++) /* others run on cpu, with whose bits we compare */
        CHECK(nest_engine_made(lowered[i]) > 0 || test_starving(), "no kernel %s ran as nests",
              kernel_kind_name(lowered[i]));
}

/* Random numbers have no sample: they have no operand but a key. */
static void random_numbers(void) {
    ty_tensor *(*const draws[])(ty_dtype, int, const int64_t *, ty_tensor *) = {ty_normal, ty_uniform};
    int64_t before = nest_engine_made(KERNEL_RANDOM);
    for (int i = 0; i < 4; i++) {
        ty_dtype dtype = i % 2 ? TY_F64 : TY_F32;
        ty_tensor *want = draws[i / 2](dtype, TY_SHAPE(3, 5), ty_key(i + 1));
        nest_engine_use();
        ty_tensor *got = draws[i / 2](dtype, TY_SHAPE(3, 5), ty_key(i + 1));
        ty_use_engine("cpu");
        compare_bits(got, want, "random numbers %d", i);
    }
    CHECK(nest_engine_made(KERNEL_RANDOM) > before || test_starving(), "no random numbers by nests");
}

/* ---- orders of sums ---- */

/* Compute on both engines and compare the bits. */
static void both(ty_tensor *(*run)(ty_tensor *const *x, const int64_t *n), ty_tensor *const *x,
                 const int64_t *n, const char *what) {
    ty_tensor *want = CHECK_OK(run(x, n));
    nest_engine_use();
    ty_tensor *got = CHECK_OK(run(x, n));
    ty_use_engine("cpu");
    compare_bits(got, want, "%s %s %lld %lld %lld", what, ty_dtype_name(ty_dtype_of(want)), (long long)n[0],
                 (long long)n[1], (long long)n[2]);
}

static ty_tensor *flat(ty_tensor *x) { return ty_reshape(x, TY_SHAPE(-1)); }
static ty_tensor *product(ty_tensor *const *x, const int64_t *n) {
    (void)n;
    return ty_matmul(x[0], x[1]);
}
static ty_tensor *total(ty_tensor *const *x, const int64_t *n) {
    (void)n;
    return ty_sum(x[0], ty_axis(1));
}
static ty_tensor *running(ty_tensor *const *x, const int64_t *n) {
    return ty_cumsum(x[0], 1, (ty_running){.reverse = n[0] % 2, .exclusive = n[1] % 3 == 0});
}

/* Rows, columns and terms on both sides of chains, lanes, blocks and spans. */
static const int64_t sizes[][3] = {{1, 1, 1},     {1, 16, 11},   {1, 16, 12},  {2, 17, 40},   {3, 40, 100},
                                   {1, 1, 700},   {7, 1, 33},    {5, 1, 1000}, {4, 9, 257},   {17, 33, 65},
                                   {1, 48, 5000}, {3, 5, 20000}, {2, 3, 1030}, {1, 1, 70000}, {2, 1, 40000},
                                   {0, 3, 5},     {3, 4, 0}};

static void sums(void) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_F16, TY_C64, TY_I32};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            struct test_round round = test_round();
            const int64_t *n = sizes[i];
            ty_tensor *x[2] = {sample_shape(dtypes[d], 2, (int64_t[]){n[0], n[2]}, -3, 3),
                               sample_shape(dtypes[d], 2, (int64_t[]){n[2], n[1]}, -3, 3)};
            both(product, x, n, "product");
            both(total, x, n, "sum along");
            both(total, x + 1, n, "sum of rows");
            both(running, x, n, "running sum");
            both(running, x + 1, n, "running sum along");
            test_round_end(round);
        }
}

/* ---- sparse products, weights ---- */

/* Return the product of a sparse matrix of part of x[0] and x[1], then the gradient of its values. */
static ty_tensor *sparse_products(ty_tensor *const *x, const int64_t *n) {
    (void)n;
    ty_tensor *some = ty_where(ty_gt(ty_real(x[0]), ty_num(0)), x[0], ty_num(0)), *g;
    ty_sparse a = ty_sparse_from_dense(some, TY_CSR);
    ty_tensor *values = ty_track(a.values, "values"), *y = ty_sparse_matmul(ty_sparse_with(a, values), x[1]);
    ty_grad(ty_sum(ty_real(ty_mul(y, y)), TY_ALL), 1, &values, &g);
    return ty_concat(2, (ty_tensor *[]){flat(y), flat(g)}, 0);
}
static ty_tensor *sparse_product(ty_tensor *const *x, const int64_t *n) {
    (void)n;
    return ty_sparse_matmul(ty_sparse_from_dense(x[0], TY_CSR), x[1]);
}
static void sparse(void) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_C64, TY_I32};
    static const int64_t widths[] = {1, 2, 7, 8, 19};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
            struct test_round round = test_round();
            int64_t n[3] = {test_between(1, 9), test_between(1, 40), widths[i]};
            ty_tensor *x[2] = {sample_shape(dtypes[d], 2, (int64_t[]){n[0], n[1]}, -3, 3),
                               sample_shape(dtypes[d], 2, (int64_t[]){n[1], n[2]}, -3, 3)};
            both(dtypes[d] == TY_I32 ? sparse_product : sparse_products, x, n, "sparse products");
            test_round_end(round);
        }
}

/* Return the gradient of the points at which an image is sampled; n: channels. */
static ty_tensor *points(ty_tensor *const *x, const int64_t *n) {
    (void)n;
    ty_tensor *grid = ty_track(x[1], "grid"), *g;
    ty_tensor *y = ty_grid_sample(x[0], grid, (ty_grid_options){.sampling = TY_LINEAR});
    ty_grad(ty_sum(ty_square(y), TY_ALL), 1, &grid, &g);
    return g;
}
/* Channels on both sides of the lanes of such sums. */
static void weights(void) {
    static const int64_t channels[] = {1, 15, 16, 17, 50};
    for (size_t i = 0; i < sizeof channels / sizeof *channels; i++) {
        struct test_round round = test_round();
        int64_t n[3] = {channels[i]};
        ty_tensor *x[2] = {sample_shape(TY_F32, 4, (int64_t[]){2, 5, 6, channels[i]}, -3, 3),
                           sample_shape(TY_F32, 4, (int64_t[]){2, 3, 4, 2}, -1, 1)};
        both(points, x, n, "gradient of points");
        test_round_end(round);
    }
}

/* ---- windows ---- */

/* n: stride, dilation, padding. */
static ty_tensor *convolved(ty_tensor *const *x, const int64_t *n) {
    return ty_conv2d(
        x[0], x[1],
        (ty_conv){.stride = {n[0], n[0]}, .dilation = {n[1], n[1]}, .low = {n[2], n[2]}, .high = {n[2], 0}});
}
static ty_tensor *gradients(ty_tensor *const *x, const int64_t *n) {
    ty_tensor *a[2] = {ty_track(x[0], "x"), ty_track(x[1], "w")}, *g[2];
    ty_tensor *y = convolved(a, n);
    ty_grad(ty_sum(ty_square(y), TY_ALL), 2, a, g);
    return ty_concat(2, (ty_tensor *[]){flat(g[0]), flat(g[1])}, 0);
}
static ty_tensor *pooled(ty_tensor *const *x, const int64_t *n) {
    ty_pool window = {.size = {3, 2},
                      .stride = {n[0], n[0]},
                      .dilation = {n[1], n[1]},
                      .low = {n[2], n[2]},
                      .high = {n[2], 0}};
    ty_tensor *a = ty_track(x[0], "x"), *g[3],
              *y[3] = {ty_max_pool2d(a, window), ty_avg_pool2d(a, window),
                       ty_adaptive_avg_pool2d(a, (ty_pool){.size = {3, 4}})};
    for (int i = 0; i < 3; i++) {
        ty_grad(ty_sum(ty_square(y[i]), TY_ALL), 1, &a, &g[i]);
        y[i] = flat(y[i]);
    }
    return ty_concat(4, (ty_tensor *[]){y[0], y[1], y[2], flat(ty_add(ty_add(g[0], g[1]), g[2]))}, 0);
}

static void windows(void) {
    static const int64_t ways[][3] = {{1, 1, 0}, {1, 1, 1}, {2, 1, 1}, {3, 1, 0}, {2, 2, 1}, {1, 2, 1}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct test_round round = test_round();
        ty_tensor *x[2] = {sample_shape(TY_F32, 4, (int64_t[]){2, 9, 8, 3}, -3, 3),
                           sample_shape(TY_F32, 4, (int64_t[]){3, 2, 3, 5}, -3, 3)};
        both(convolved, x, ways[i], "convolution");
        both(gradients, x, ways[i], "gradients of a convolution");
        both(pooled, x, ways[i], "pools");
        test_round_end(round);
    }
}

/* ---- rows ---- */

static ty_tensor *softmax(ty_tensor *x) { return ty_softmax(x, -1); }
static ty_tensor *mean_of(ty_tensor *x) { return ty_mean(x, ty_axes_of(1, (int[]){-1}, true)); }
static ty_tensor *normed(ty_tensor *x) {
    ty_tensor *centred = ty_sub(x, mean_of(x));
    return ty_div(centred, ty_sqrt(ty_add(mean_of(ty_square(centred)), ty_num(1e-5))));
}
static ty_tensor *ordered(ty_tensor *x) { return ty_cumsum(ty_softmax(ty_abs(x), -1), -1, (ty_running){0}); }

/* Run the nests of the program's only kernel, of kind ROWS, on its operands; compare with the program's result. */
static void check_rows(ty_tensor *(*of)(ty_tensor *), ty_dtype dtype) {
    ty_tensor *x = ty_var(sample_shape(dtype, 3, (int64_t[]){3, 15, 37}, -3, 3), "x"), *y = of(x);
    ty_program *p = test_program(ty_compile(1, &y, (ty_compile_options){0}));
    CHECK(ty_run(p), "%s", ty_program_error(p));
    const struct kernel *k = p->flow.kernels;
    CHECK(p->flow.nkernels == 1 && k->kind == KERNEL_ROWS, "the program has other kernels:\n%s",
          test_text(ty_program_text(p)));
    struct arena arena = {0};
    struct fault fault = {0};
    struct nest_refusal why;
    ty_nests nests;
    CHECK(nest_lower(k, &nests, &arena, &fault), "%s", fault.text);
    void *slots[32];
    CHECK(nests.noperands + nests.ntemporaries <= 32, "%d temporaries", nests.ntemporaries);
    for (int i = 0; i < k->ninputs; i++) slots[i] = p->slots[k->inputs[i].slot];
    size_t bytes = (size_t)ty_size(ty_output(p, 0)) * ty_dtype_size(dtype);
    void *out = slots[k->ninputs] = test_room(bytes);
    for (int i = 0; i < nests.ntemporaries; i++)
        slots[nests.noperands + i] =
            test_room((size_t)nests.temporaries[i].size * ty_dtype_size(nests.temporaries[i].dtype));
    CHECK(nests_run(&nests, slots, &why), "rows refused");
    CHECK(!memcmp(out, ty_data(ty_output(p, 0)), bytes), "rows of %s differ", ty_dtype_name(dtype));
    arena_drop(&arena);
}

static void rows(void) {
    static ty_tensor *(*const of[])(ty_tensor *) = {softmax, normed, ordered};
    if (test_starving()) return;
    level_force(LEVEL_SECOND, 4096); /* else all blocks stay in the cache, and kernels remain apart */
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        check_rows(of[i], TY_F32);
        check_rows(of[i], TY_F64);
    }
}

/* ---- refusals ---- */

static ty_tensor *taken(ty_tensor *i) { return ty_take(ty_ones(TY_F32, TY_SHAPE(4, 3)), i, 1); }
static ty_tensor *put(ty_tensor *i) {
    return ty_scatter_nd(ty_ones(TY_F32, TY_SHAPE(4)), ty_reshape(i, TY_SHAPE(2, 2, 1)),
                         ty_ones(TY_F32, TY_SHAPE(2, 2)), TY_SCATTER_ADD);
}
static ty_tensor *labelled(ty_tensor *i) {
    return ty_loss_cross_entropy(ty_ones(TY_F32, TY_SHAPE(4, 3)), ty_reshape(i, TY_SHAPE(4)),
                                 (ty_loss_options){0});
}

/* The words of `cpu`, and the first of several wrong indices. */
static void refusals(void) {
    static ty_tensor *(*const uses[])(ty_tensor *) = {taken, put, labelled};
    static const int64_t wrong[][4] = {
        {0, 1, 2, 7}, {0, -9, 8, 1}, {5, 1, -7, 0}, {0, 1, 2, -1}, {INT64_MAX, INT64_MIN, 0, 0}};
    for (size_t u = 0; u < sizeof uses / sizeof *uses; u++)
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            struct test_round round = test_round();
            ty_tensor *index = ty_from(TY_I64, TY_SHAPE(2, 2), wrong[i]);
            if (i % 2) index = ty_view_as(index, TY_U64); /* negative ones are large */
            ty_tensor *want = uses[u](index);
            nest_engine_use();
            ty_tensor *got = uses[u](index);
            ty_use_engine("cpu");
            bool same = ty_ok(got) ? ty_ok(want) : !strcmp(ty_error(got), ty_error(want));
            CHECK(same || test_starving(), "use %d, indices %d: %s; expected %s", (int)u, (int)i,
                  ty_error(got), ty_error(want));
            test_round_end(round);
        }
}

/* ---- the checker ---- */

static ty_nests caught;
static struct arena caught_arena;
static void lower_seen(const struct op *op, const struct kernel *kernel) {
    struct fault fault = {0};
    (void)op;
    if (kernel) nest_lower(kernel, &caught, &caught_arena, &fault);
}

/* Lower the kernel of a reduction of [3,4] along its last axis: operands 0, of 12 elements, and 1, of 3. */
static void catch_sum(void) {
    void (*before)(const struct op *, const struct kernel *) = op_watch;
    ty_trim();
    op_watch = lower_seen;
    ty_tensor *y = ty_sum(sample_shape(TY_F32, TY_SHAPE(3, 4), -1, 1), ty_axis(1));
    op_watch = before;
    CHECK_OK(y);
}

static bool passes(const char *words) {
    struct fault fault = {0};
    int64_t low[2] = {0}, high[2] = {12, 3};
    bool done = nests_check(&caught, low, high, &fault);
    CHECK(done || strstr(fault.text, words), "the checker says %s; expected %s", fault.text, words);
    return done;
}

/* Each damage to a valid list is found. */
static void damaged(void) {
    if (test_starving()) return;
    catch_sum();
    CHECK(caught.nsteps == 1 && caught.steps[0].nest->nfolds == 1, "a sum is one nest with a fold");
    ty_nest *n = (ty_nest *)(intptr_t)caught.steps[0].nest;
    ty_nest_dim *dims = (ty_nest_dim *)(intptr_t)n->dims;
    ty_nest_access *read = (ty_nest_access *)(intptr_t)n->reads;
    ty_nest_fold *fold = (ty_nest_fold *)(intptr_t)n->folds;
    ty_nest_write *write = (ty_nest_write *)(intptr_t)n->writes;
    CHECK(passes("nothing"), "a valid nest is refused");
#define DAMAGE(place, value, words)                                                                          \
    do {                                                                                                     \
        __typeof__(place) kept = place;                                                                      \
        place = value;                                                                                       \
        CHECK(!passes(words), "%s = %s passes", #place, #value);                                             \
        place = kept;                                                                                        \
    } while (0)
    DAMAGE(dims[0].role, TY_NEST_FOLD + 1, "no valid role");
    DAMAGE(dims[0].size, 4, "elements");
    DAMAGE(dims[0].begin, 0, "no valid role");
    DAMAGE(dims[1].role, TY_NEST_PARALLEL, "parallel iterations");
    DAMAGE(read->offset, -1, "elements");
    DAMAGE(read->offset, INT64_MAX, "elements");
    DAMAGE(((int64_t *)(intptr_t)read->strides)[0], INT64_MAX, "elements");
    DAMAGE(read->slot, 2, "slot 2");
    DAMAGE(read->late, true, "late");
    DAMAGE(read->dtype, TY_F64, "register 0");
    DAMAGE(fold->value, 1, "register 1");
    DAMAGE(fold->lanes, 0, "no valid order");
    DAMAGE(fold->kind, TY_NEST_LINEAR, "no valid order");
    DAMAGE(fold->exclusive, true, "no valid order");
    DAMAGE(fold->when, 0, "a condition");
    DAMAGE(write->value, 7, "register 7");
    DAMAGE(write->to.slot, TY_NEST_INDEX, "no memory");
    DAMAGE(write->to.offset, 1, "elements");
    DAMAGE(read->nterms, 1, "terms");
    DAMAGE(read->nterms, -1, "terms");
    DAMAGE(write->to.nterms, 1, "terms");
    DAMAGE(write->value, 0, "behind the folds");
    DAMAGE(((int64_t *)(intptr_t)write->to.strides)[1], 1, "a write steps along a fold");
    ty_nest_check check = {.when = TY_NEST_ALWAYS};
    n->checks = &check;
    DAMAGE(n->nchecks, 1, "checks beside folds");
    dims[1].role = TY_NEST_RUN;
    CHECK(passes("nothing"), "a scan is refused");
    DAMAGE(dims[0].role, TY_NEST_ORDERED, "no valid role");
    DAMAGE(fold->kind, TY_NEST_DOT, "no valid order");
    dims[1].role = TY_NEST_FOLD;
    CHECK(passes("nothing"), "a mended nest is refused");
    arena_drop(&caught_arena);
}

static void described(void) {
    if (test_starving()) return;
    catch_sum();
    struct text t = {0};
    nests_describe(&caught, &t);
    char *words = text_take(&t);
    bool same = words && !strcmp(words, "step 0: reduce\n"
                                        "  loops [0] 3 parallel, [1] 4 folded\n"
                                        "  r0 = f32 operand 0 at 4 [0] + [1]\n"
                                        "  r1 = f32 sum of r0, 16 lanes joined by halves, blocks of 512\n"
                                        "  operand 1 at [0] = r1\n");
    CHECK(same, "the description is\n%s", words);
    mem_free(words);
    arena_drop(&caught_arena);
}

TESTS_MAIN(TEST(samples), TEST(random_numbers), TEST(sums), TEST(sparse), TEST(weights), TEST(windows),
           TEST(rows), TEST(refusals), TEST(damaged), TEST(described))
