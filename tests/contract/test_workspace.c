/* Memory of contractions besides their operands: bounded for all sizes, within ty_set_workspace, and
   without effect on bits. */
#include <stdlib.h>
#include <string.h>
#include "contract/configuration.h"
#include "base/machine/cache.h"
#include "base/machine/environment.h"
#include "base/machine/levels.h"
#include "contract/contraction.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

enum { THREAD_BYTES = 4 << 20, SHARED_BYTES = 2 << 20, ELEMENTS = 3 << 19 };

static const ty_dtype dtypes[] = {TY_F32, TY_F16, TY_BF16, TY_F64, TY_C64, TY_C128,
                                  TY_I8,  TY_U8,  TY_I16,  TY_I32, TY_I64};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

/* A convolution of one or two axes, plain or transposed, or one of its gradients: y of x and w. */
struct window_case {
    int64_t x[4], w[4];
    int axes, gradient; /* 0: none; 1: by x; 2: by w */
    bool transposed;
    ty_conv options;
    ty_dtype dtype;
};

static int64_t product(int n, const int64_t *sizes) {
    int64_t all = 1;
    for (int i = 0; i < n; i++) all *= sizes[i];
    return all;
}

/* Return a random size up to `most`, mostly a small one. */
static int64_t any_size(int64_t most) {
    return (int64_t)(test_uniform(0, 1) * test_uniform(0, 1) * (double)most) + 1;
}

static struct window_case any_case(int64_t elements) {
    static const int64_t groups[] = {1, 1, 1, 2, 0};
    struct window_case c = {0};
    do {
        c = (struct window_case){.axes = (int)test_between(1, 2),
                                 .gradient = (int)test_between(0, 2),
                                 .transposed = test_between(0, 3) == 0,
                                 .dtype = dtypes[test_between(0, DTYPES - 1)]};
        int64_t channels = any_size(600), group = groups[test_between(0, 4)], of = any_size(300);
        if (!group || channels % group) group = group ? 1 : channels;
        int64_t inside = channels / group, outside = c.transposed ? of : of * group;
        c.options.groups = group;
        c.options.nchw = test_between(0, 1);
        c.options.same = !c.transposed && test_between(0, 1);
        int spatial = c.options.nchw ? 2 : 1, taps = c.options.nchw ? 2 : 0;
        c.x[0] = test_between(1, 4), c.x[c.options.nchw ? 1 : c.axes + 1] = channels;
        c.w[c.options.nchw ? 0 : c.axes + 1] = c.transposed && c.options.nchw ? channels : outside;
        c.w[c.options.nchw ? 1 : c.axes] = c.transposed ? c.options.nchw ? outside : channels : inside;
        if (c.transposed && !c.options.nchw) c.w[c.axes + 1] = of;
        for (int i = 0; i < c.axes; i++) {
            c.w[taps + i] = any_size(9);
            c.options.stride[i] = test_between(1, 3);
            c.options.dilation[i] = test_between(0, 3) ? 1 : 2;
            c.x[spatial + i] =
                (c.w[taps + i] - 1) * c.options.dilation[i] + any_size(c.axes == 1 ? 4000 : 130);
        }
        if (c.gradient && dtypes[0] != c.dtype && c.dtype >= TY_I8 && c.dtype <= TY_U64) c.gradient = 0;
    } while (product(c.axes + 2, c.x) > elements || product(c.axes + 2, c.w) > elements);
    return c;
}

static ty_tensor *compute(const struct window_case *c, ty_tensor *x, ty_tensor *w) {
    static ty_tensor *(*const functions[2][2])(ty_tensor *, ty_tensor *, ty_conv) = {
        {ty_conv1d, ty_conv2d}, {ty_conv_transpose1d, ty_conv_transpose2d}};
    ty_tensor *y = functions[c->transposed][c->axes - 1](x, w, c->options), *g;
    if (!c->gradient || !ty_ok(y) || ty_size(y) > 4 * ELEMENTS) return y;
    ty_tensor *of = c->gradient == 1 ? x : w;
    return ty_grad(ty_is_promise(y) ? ty_real(y) : y, 1, &of, &g) ? g : y;
}

static void describe(const struct window_case *c, char *words, size_t n) {
    snprintf(words, n,
             "%s %s%dd, gradient %d, x %lld %lld %lld %lld, w %lld %lld %lld %lld, %s, %lld groups, "
             "stride %lld %lld, dilation %lld %lld, same %d",
             ty_dtype_name(c->dtype), c->transposed ? "transposed " : "", c->axes, c->gradient,
             (long long)c->x[0], (long long)c->x[1], (long long)c->x[2], (long long)c->x[3],
             (long long)c->w[0], (long long)c->w[1], (long long)c->w[2], (long long)c->w[3],
             c->options.nchw ? "nchw" : "nhwc", (long long)c->options.groups, (long long)c->options.stride[0],
             (long long)c->options.stride[1], (long long)c->options.dilation[0],
             (long long)c->options.dilation[1], c->options.same);
}

/* Return the workspace of the compiled case, with weights constant or variable. */
static int64_t workspace_of(const struct window_case *c, ty_tensor *x, ty_tensor *w, bool constant) {
    ty_tensor *y = compute(c, ty_var(x, "x"), constant && c->gradient != 2 ? w : ty_var(w, "w"));
    ty_program *program = test_program(ty_compile(1, &y, (ty_compile_options){0}));
    CHECK(!*ty_program_error(program) || test_starving(), "%s", ty_program_error(program));
    return test_report(program).workspace_bytes;
}

static int rounds(int n) { return test_starving() ? 2 : getenv("TY_TEST_QUICK") ? n / 10 : n; }

static void bounded(void) {
    char words[400];
    for (int i = 0; i < rounds(1000); i++) {
        struct test_round round = test_round();
        struct window_case c = any_case(ELEMENTS);
        int threads = 1 + i % 2;
        ty_set_threads(threads);
        describe(&c, words, sizeof words);
        ty_tensor *x = CHECK_OK(ty_zeros(c.dtype, c.axes + 2, c.x)),
                  *w = CHECK_OK(ty_zeros(c.dtype, c.axes + 2, c.w));
        int64_t bytes = workspace_of(&c, x, w, i & 2);
        CHECK(bytes <= threads * THREAD_BYTES + SHARED_BYTES, "%s: a workspace of %lld bytes for %d threads",
              words, (long long)bytes, threads);
        test_round_end(round);
    }
}

/* Two former violations of the bound: strided channels of f16, which are converted; one column of complex
   numbers. */
static void once_beyond(void) {
    static const struct window_case cases[] = {
        {.x = {3, 768, 75, 121},
         .w = {64, 12, 6, 7},
         .axes = 2,
         .dtype = TY_F16,
         .options = {.nchw = true, .groups = 64, .same = true, .stride = {3, 3}}},
        {.x = {4, 102, 29, 1},
         .w = {7, 3, 1, 271},
         .axes = 2,
         .gradient = 1,
         .dtype = TY_C64,
         .options = {.same = true}}};
    for (int i = 0; i < 2; i++) {
        const struct window_case *c = &cases[i];
        ty_set_threads(1);
        int64_t bytes = workspace_of(c, CHECK_OK(ty_zeros(c->dtype, 4, c->x)),
                                     CHECK_OK(ty_zeros(c->dtype, 4, c->w)), false);
        CHECK(bytes <= THREAD_BYTES + SHARED_BYTES, "case %d: a workspace of %lld bytes", i,
              (long long)bytes);
    }
}

static void capped(void) {
    static const int64_t caps[] = {1, 64 << 10, 256 << 10, 1 << 20, 3 << 20};
    char words[400];
    for (int i = 0; i < rounds(200); i++) {
        struct test_round round = test_round();
        struct window_case c = any_case(test_starving() ? 1 << 10 : 1 << 16);
        int64_t cap = caps[i % 5];
        describe(&c, words, sizeof words);
        ty_tensor *x = sample_shape(c.dtype, c.axes + 2, c.x, -2, 2),
                  *w = sample_shape(c.dtype, c.axes + 2, c.w, -2, 2);
        ty_set_threads(1 + i % 2);
        ty_set_workspace(0);
        ty_tensor *want = CHECK_OK(compute(&c, ty_track(x, "x"), ty_track(w, "w")));
        ty_set_workspace(1);
        int64_t fewest = workspace_of(&c, x, w, i & 2);
        ty_set_workspace(cap);
        compare_bits(ty_detach(CHECK_OK(compute(&c, ty_track(x, "x"), ty_track(w, "w")))), ty_detach(want),
                     "%s with a workspace of %lld", words, (long long)cap);
        int64_t bytes = workspace_of(&c, x, w, i & 2);
        CHECK(bytes <= cap || bytes <= fewest,
              "%s: a workspace of %lld bytes, not of %lld; %lld are possible", words, (long long)bytes,
              (long long)cap, (long long)fewest);
        ty_set_workspace(0);
        test_round_end(round);
    }
}

/* Kernel gradients, whose K is divided into spans, have the same bits for every workspace limit, however
   small. */
static void kernel_gradients(void) {
    static const int64_t caps[] = {1, 16 << 10, 64 << 10, 128 << 10, 256 << 10, 1 << 20};
    char words[400];
    for (int i = 0; i < rounds(100); i++) {
        struct test_round round = test_round();
        struct window_case c;
        do c = any_case(test_starving() ? 1 << 10 : i % 4 ? 1 << 15 : 1 << 18);
        while (c.dtype >= TY_I8 && c.dtype <= TY_U64);
        c.gradient = 2;
        c.options.same = !c.transposed;
        describe(&c, words, sizeof words);
        ty_tensor *x = sample_shape(c.dtype, c.axes + 2, c.x, -2, 2),
                  *w = sample_shape(c.dtype, c.axes + 2, c.w, -2, 2);
        ty_set_threads(1 + i % 2);
        ty_set_workspace(0);
        ty_tensor *want = ty_detach(CHECK_OK(compute(&c, ty_track(x, "x"), ty_track(w, "w"))));
        for (size_t k = 0; k < sizeof caps / sizeof *caps; k++) {
            ty_set_workspace(caps[k]);
            compare_bits(ty_detach(CHECK_OK(compute(&c, ty_track(x, "x"), ty_track(w, "w")))), want,
                         "%s with a workspace of %lld", words, (long long)caps[k]);
        }
        ty_set_workspace(0);
        test_round_end(round);
    }
}

static void matrices(void) {
    static const int64_t caps[] = {32 << 10, 128 << 10, 512 << 10, 2 << 20};
    for (int i = 0; i < rounds(60); i++) {
        struct test_round round = test_round();
        int64_t most = test_starving() ? 40 : 1000, m = any_size(most), k = any_size(2 * most),
                n = any_size(most);
        ty_dtype dtype = dtypes[i % DTYPES];
        ty_tensor *a = sample_shape(dtype, 2, (int64_t[]){i & 1 ? m : k, i & 1 ? k : m}, -2, 2);
        ty_tensor *b = sample_shape(dtype, 2, (int64_t[]){i & 2 ? k : n, i & 2 ? n : k}, -2, 2);
        if (!(i & 1)) a = ty_permute(a, (int[]){1, 0});
        if (!(i & 2)) b = ty_permute(b, (int[]){1, 0});
        ty_set_threads(1 + i % 3);
        ty_set_workspace(0);
        ty_tensor *want = CHECK_OK(ty_matmul(a, b));
        ty_set_workspace(caps[i % 4]);
        compare_bits(CHECK_OK(ty_matmul(a, b)), want, "%s %lld x %lld x %lld with a workspace of %lld",
                     ty_dtype_name(dtype), (long long)m, (long long)k, (long long)n, (long long)caps[i % 4]);
        ty_set_workspace(0);
        test_round_end(round);
    }
}

/* A matrix by a vector with strides: bits do not depend on the workspace, though lanes of sums depend on
   how the vector is read. */
static void vectors(void) {
    for (int i = 0; i < rounds(100); i++) {
        struct test_round round = test_round();
        int64_t m = any_size(300), k = any_size(test_starving() ? 40 : 3000), step = test_between(1, 3);
        ty_dtype dtype = dtypes[i % DTYPES];
        ty_tensor *a = sample_shape(dtype, 2, i & 1 ? (int64_t[]){m, k} : (int64_t[]){k, m}, -2, 2);
        ty_tensor *wide = sample_shape(dtype, 2, (int64_t[]){k, step}, -2, 2);
        ty_tensor *x = ty_reshape(ty_slice(wide, 1, 0, 1, 1), 1, &k);
        const char *equation = i & 1 ? "mk,k->m" : "km,k->m";
        ty_set_threads(1);
        ty_set_workspace(0);
        ty_tensor *want = CHECK_OK(ty_einsum(equation, a, x));
        ty_set_workspace(1);
        ty_set_threads(1 + i % 3);
        compare_bits(CHECK_OK(ty_einsum(equation, a, x)), want, "%s, %s, m %lld, k %lld, step %lld", equation,
                     ty_dtype_name(dtype), (long long)m, (long long)k, (long long)step);
        ty_set_workspace(0);
        test_round_end(round);
    }
}

static void reported(void) {
    ty_set_threads(2); /* einsum plans for the current number of threads */
    int64_t shape[] = {700, 700};
    ty_contraction_operand x = {TY_F32, 2, shape, NULL, 0};
    for (int i = 0; i < 2; i++) {
        ty_contraction c;
        ty_set_workspace(i ? 100 << 10 : 0);
        CHECK(contraction_from(&c, "km,nk->nm", &x, &x, NULL) && ty_contraction_optimise(&c, 2), "%s",
              c.error);
        ty_contraction_plan *plan =
            test_own(ty_contraction_compile(&c), (void (*)(void *))ty_contraction_plan_release);
        if (test_starving() && (!plan || *ty_contraction_plan_error(plan))) continue;
        int64_t bytes = ty_contraction_plan_workspace(plan);
        CHECK(bytes > 0 && (!i || bytes <= 100 << 10), "%lld bytes", (long long)bytes);
        ty_einsum_operand operands[] = {{2, shape, NULL}, {2, shape, NULL}};
        ty_einsum_plan *einsum =
            test_own(ty_einsum_plan_new("km,nk->nm", TY_F32, 2, operands, (ty_einsum_options){0}),
                     (void (*)(void *))ty_einsum_plan_free);
        double told = test_einsum_report(einsum).workspace;
        CHECK(test_starving() || told == (double)bytes, "an einsum's %g bytes, a plan's %lld", told,
              (long long)bytes);
    }
    CHECK(ty_workspace() == 100 << 10 && !ty_contraction_plan_workspace(NULL), "what was set is not told");
    ty_set_workspace(-5);
    CHECK(ty_workspace() == 0, "no cap");
}

/* A large transposed operand is kept in the third cache level, so that it is transposed once, shared by
   two threads. An operator with windows keeps to the second level, even for the same contraction. */
static void turned_once(void) {
    enum { SECOND = 256 << 10, THIRD = 16 << 20, N = 3000 };
    int64_t shape[] = {N, N}, bytes[3] = {0};
    ty_contraction_operand x = {TY_F32, 2, shape, NULL, 0};
    level_force(LEVEL_SECOND, SECOND);
    level_force(LEVEL_SECOND_WAY, SECOND / 8);
    cache_force(THIRD);
    for (int threads = 1; threads <= 2; threads++) {
        ty_contraction c;
        CHECK(contraction_from(&c, "km,kn->mn", &x, &x, NULL), "%s", c.error);
        ty_set_threads(threads);
        CHECK(ty_contraction_optimise(&c, threads), "%s", c.error);
        ty_contraction_plan *plan =
            test_own(ty_contraction_compile(&c), (void (*)(void *))ty_contraction_plan_release);
        bytes[threads] = ty_contraction_plan_workspace(plan);
        bool starved = test_starving() && (!plan || *ty_contraction_plan_error(plan));
        CHECK(starved || bytes[threads] > threads * 2 * SECOND, "%d threads: a workspace of %lld bytes",
              threads, (long long)bytes[threads]);
        CHECK(bytes[threads] <= THIRD / 4, "%d threads: a workspace of %lld bytes", threads,
              (long long)bytes[threads]);
    }
    ty_set_threads(1);
    struct window_case c = {.x = {4, 96, 30, 30}, .w = {512, 96, 1, 1}, .axes = 2, .options.nchw = true};
    bytes[0] =
        workspace_of(&c, CHECK_OK(ty_zeros(TY_F32, 4, c.x)), CHECK_OK(ty_zeros(TY_F32, 4, c.w)), false);
    CHECK(bytes[0] <= 2 * SECOND, "a convolution: a workspace of %lld bytes", (long long)bytes[0]);
    cache_force(0);
    level_force(LEVEL_SECOND, 0);
    level_force(LEVEL_SECOND_WAY, 0);
}

/* Invalid values of environment variables are reported and count as unset. */
static void environment(void) {
    const struct {
        const char *name, *well, *ill;
    } rows[] = {{"TY_DEBUG", "0", "x"},
                {"TY_DEBUG", "0", "1x"},
                {"TY_ISA", ty_isa(), "avx1024"},
                {"TY_NUM_THREADS", "2", "many"},
                {"TY_NUM_THREADS", "1", "0"},
                {"TY_JIT", "1", "no"},
                {"TY_WORKSPACE", "1", "1M"},
                {"TY_WORKSPACE", "0", "-1"},
                {"TY_CACHE", "0", "-1"},
                {"TY_CACHE", "67108864", "64M"},
                {"TY_CONTRACT_WITHOUT", "order,pack", "order,pck"},
                {"TY_CONTRACT_WITHOUT", "fit", "fit,"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *found = getenv(rows[i].name);
        char *kept = found ? strcpy(test_room(strlen(found) + 1), found) : NULL;
        setenv(rows[i].name, rows[i].ill, 1);
        const char *words = ty_environment_error();
        CHECK(strstr(words, rows[i].name) && strstr(words, rows[i].ill), "%s=%s: %s", rows[i].name,
              rows[i].ill, words);
        setenv(rows[i].name, rows[i].well, 1);
        CHECK(!strstr(ty_environment_error(), rows[i].name), "%s=%s: %s", rows[i].name, rows[i].well,
              ty_environment_error());
        setenv(rows[i].name, "", 1);
        CHECK(!strstr(ty_environment_error(), rows[i].name), "%s is empty", rows[i].name);
        kept ? setenv(rows[i].name, kept, 1) : unsetenv(rows[i].name);
    }
    setenv("TY_NUM_THREAD", "2", 1);
    setenv("TY_ELSE", "2", 1);
    setenv("TY_THREADS", "2", 1);
    setenv("TY_", "2", 1);
    const char *words = ty_environment_error();
    unsetenv("TY_NUM_THREAD");
    unsetenv("TY_ELSE");
    unsetenv("TY_THREADS");
    unsetenv("TY_");
    CHECK(strstr(words, "unknown variable TY_NUM_THREAD (did you mean TY_NUM_THREADS?)"), "%s", words);
    CHECK(!strstr(words, "TY_ELSE"), "a name that may be somebody else's: %s", words);
    CHECK(strstr(words, "unknown variable TY_THREADS (did you mean TY_NUM_THREADS?)"), "%s", words);
    CHECK(!strstr(words, "variable TY_ "), "a name without a word: %s", words);
    for (const struct contract_pass *pass = contract_passes; pass->name; pass++)
        CHECK(strstr(environment_passes.values, pass->name), "the sentence lacks %s", pass->name);
}

TESTS_MAIN(TEST(bounded), TEST(once_beyond), TEST(capped), TEST(kernel_gradients), TEST(matrices),
           TEST(vectors), TEST(reported), TEST(turned_once), TEST(environment))
