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

TESTS_MAIN(TEST(elementwise_graphs), TEST(contraction_graphs), TEST(loop_graphs))
