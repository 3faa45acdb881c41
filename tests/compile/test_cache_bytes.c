/* Programs of evaluations that stay in the cache: what they take is counted, so that the cache's bound holds. */
#include <tyto/control.h>
#include "base/alloc.h"
#include "tests/support/harness.h"

enum {
    GRAPHS = 2000,
    BOUND = 80 << 20 /* 64 MiB of programs, 8 of prepared kernels, einsums, a tenth of slack */
};

static void twice(void *context, ty_step *step) {
    (void)context;
    step->next[0] = ty_add(ty_sin(step->carry[0]), step->x[0]);
}

/* Graphs that differ in operators and in sizes. */
static ty_tensor *elementwise(int i) {
    ty_tensor *x = ty_lazy(ty_full(TY_F32, TY_SHAPE(2 + i % 50), 0.5)), *y = x;
    unsigned bits = (unsigned)i * 2654435761u;
    for (int k = 0; k < 12; k++, bits >>= 2)
        y = bits & 1 ? ty_sin(y) : bits & 2 ? ty_cumsum(y, 0, (ty_running){0}) : ty_add(ty_exp(y), x);
    return y;
}
static ty_tensor *contractions(int i) {
    int64_t n = 3 + i % 45, m = 5 + i / 45;
    ty_tensor *a = ty_lazy(ty_full(TY_F32, TY_SHAPE(n, m), 0.5)), *y = a;
    for (int k = 0; k < 4; k++)
        y = ty_matmul(ty_matmul(y, ty_lazy(ty_full(TY_F32, TY_SHAPE(m, 7 + k), 0.25))),
                      ty_lazy(ty_full(TY_F32, TY_SHAPE(7 + k, m), 0.25)));
    return y;
}
static ty_tensor *loops(int i) {
    int64_t n = 2 + i % 50, m = 3 + i / 50;
    ty_tensor *x = ty_lazy(ty_full(TY_F32, TY_SHAPE(m, n), 0.5)),
              *carry = ty_lazy(ty_zeros(TY_F32, TY_SHAPE(n))), *last = NULL;
    ty_scan(twice, NULL, (ty_scan_spec){.ncarry = 1, .carry = &carry, .nx = 1, .x = &x}, &last, NULL, NULL);
    return last;
}

static void check(const char *name, ty_tensor *(*graph)(int i)) {
    ty_trim();
    int64_t before = mem_bytes(), most = 0;
    for (int i = 0; i < test_some(GRAPHS, GRAPHS, 10); i++) {
        struct test_round round = test_round();
        for (int k = 0; k < 2; k++) /* the second time it is compiled to stay */
            CHECK_OK(ty_eval(ty_sum(graph(i), TY_ALL)));
        test_round_end(round);
        if (mem_bytes() - before > most) most = mem_bytes() - before;
    }
    CHECK(most <= BOUND, "%s: evaluations keep %lld KiB", name, (long long)(most >> 10));
    ty_trim();
}

static void elementwise_graphs(void) { check("elementwise graphs", elementwise); }
static void contraction_graphs(void) { check("contractions", contractions); }
static void loop_graphs(void) { check("loops", loops); }

/* ---- the bound that the caller sets, and the report ---- */

static ty_function_memory report(void) {
    ty_function_memory memory;
    ty_eval_report(&memory);
    return memory;
}

/* Evaluate graphs 0 .. n-1, twice each. */
static void evaluate(int n) {
    for (int i = 0; i < 2 * n; i++) {
        struct test_round round = test_round();
        CHECK_OK(ty_eval(ty_sum(elementwise(i / 2), TY_ALL)));
        test_round_end(round);
    }
}

static void bounded_evaluations(void) {
    enum { SOME = 30 };
    ty_trim();
    ty_function_memory before = report(), all, few;
    CHECK(!before.programs && !before.bytes, "ty_trim leaves %d programs", (int)before.programs);
    evaluate(SOME);
    if (test_starving()) return (void)ty_trim();
    all = report();
    CHECK(all.programs == SOME && all.compiles == before.compiles + SOME && all.dropped == before.dropped,
          "%d programs, %d compiled, %d dropped", (int)all.programs, (int)(all.compiles - before.compiles),
          (int)(all.dropped - before.dropped));
    CHECK(all.bytes > 0 && all.most >= 64 << 20, "%lld bytes of %lld", (long long)all.bytes,
          (long long)all.most);
    evaluate(SOME);
    CHECK(report().compiles == all.compiles, "a program was compiled again");
    ty_eval_cache(all.bytes / 2);
    few = report();
    CHECK(few.most == all.bytes / 2 && few.bytes <= few.most, "%lld bytes of %lld", (long long)few.bytes,
          (long long)few.most);
    CHECK(few.programs < SOME && few.dropped - all.dropped == SOME - few.programs, "%d programs, %d dropped",
          (int)few.programs, (int)(few.dropped - all.dropped));
    ty_eval_cache(0);
    CHECK(report().programs <= 1, "%d programs are kept", (int)report().programs);
    ty_eval_cache(INT64_MAX);
    CHECK(report().most > all.most, "the most is %lld", (long long)report().most);
    ty_eval_cache(INT64_MIN);
    CHECK(report().most >= 64 << 20 && report().most <= all.most, "the default is %lld",
          (long long)report().most);
    ty_trim();
}

/* The default grows with the live blocks: a quarter of them. */
static void more_for_more(void) {
    ty_tensor *x = ty_full(TY_U8, TY_SHAPE((int64_t)300 << 20), 1);
    if (!ty_ok(x)) return (void)CHECK_OK(x);
    CHECK(report().most >= 75 << 20, "%lld bytes", (long long)report().most);
}

TESTS_MAIN(TEST(bounded_evaluations), TEST(more_for_more), TEST(elementwise_graphs), TEST(contraction_graphs),
           TEST(loop_graphs))
