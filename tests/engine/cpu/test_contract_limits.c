/*
 * The contraction engine below, at and above counts at which it stops preparing (tests/thresholds.def): loops written
 * by hand, results of whole numbers against the sum that the test computes.
 */
#include <stdio.h>
#include <string.h>
#include "contract/configuration.h"

#include "base/machine/isa.h"
#include "engine/cpu/contract/contract_move.h"
#include "tests/support/harness.h"

static void release_plan(void *plan) { ty_contraction_plan_release(plan); }

/* Run c with every instruction set; y, of n numbers, must equal want. */
static void check(const ty_contraction *c, const float *a, const float *b, float *y, const float *want,
                  int64_t n, const char *what) {
    for (int set = 0; set <= (int)isa_best(); set++) {
        isa_force((enum isa)set);
        ty_contraction_plan *plan = test_own(ty_contraction_compile(c), release_plan);
        memset(y, 0xff, (size_t)n * sizeof *y);
        bool done = plan && ty_contraction_run(plan, a, b, y);
        CHECK(done || test_starving(), "%s: %s", what, plan ? ty_contraction_plan_error(plan) : "no plan");
        for (int64_t i = 0; done && i < n; i++)
            CHECK(y[i] == want[i], "%s: element %lld is %g and not %g", what, (long long)i, y[i], want[i]);
    }
    isa_force(isa_best());
}

static void add_loop(ty_contraction *c, int dim, ty_exec exec, int64_t step) {
    c->loops[c->nloops++] = (ty_loop){dim, exec, step};
}

/* VISITS of contract_find.c: n dimensions of 6 in steps of 4, then of 2. Their last steps are shorter, and the
   boxes inside all alike, so 2^n positions are visited: 256 with eight. */
static void visited_positions(void) {
    enum { MOST = 9, K = 2 };
    for (int n = 7; n <= MOST; n++) {
        if (test_starving() && n > 7) continue;
        struct test_round round = test_round();
        ty_contraction c = {.dtype = {TY_F32, TY_F32, TY_F32}, .sums = TY_F32, .ndims = n + 1};
        int64_t rows = 1;
        /* the ninth has 4 in steps of 3 and 1: boxes of two shapes */
        for (int d = n - 1; d >= 0; d--) {
            int64_t size = d > 7 ? 4 : 6;
            c.dims[d] = (ty_dim){TY_DIM_M, size, {rows * K, 0, rows}};
            rows *= size;
        }
        c.dims[n] = (ty_dim){TY_DIM_K, K, {1, 1, 0}};
        for (int d = 0; d < n; d++) add_loop(&c, d, TY_EXEC_SEQUENTIAL, d > 7 ? 3 : 4);
        for (int d = 0; d < n; d++)
            if (d <= 7) add_loop(&c, d, TY_EXEC_SEQUENTIAL, 2);
        for (int d = 0; d < n; d++) add_loop(&c, d, TY_EXEC_PRIMITIVE, d > 7 ? 3 : 2);
        add_loop(&c, n, TY_EXEC_PRIMITIVE, K);
        c.primitive = TY_PRIMITIVE_GEMM;
        c.packing[0].loop = c.packing[1].loop = -1;
        CHECK(ty_contraction_check(&c, NULL), "%s", c.error);
        float *a = test_room((size_t)(rows * K) * sizeof *a), b[K] = {3, -2};
        float *y = test_room((size_t)rows * sizeof *y), *want = test_room((size_t)rows * sizeof *want);
        for (int64_t i = 0; i < rows * K; i++) a[i] = (float)(i * 7 % 23 - 11);
        for (int64_t i = 0; i < rows; i++) want[i] = a[i * K] * b[0] + a[i * K + 1] * b[1];
        char what[32];
        snprintf(what, sizeof what, "%d dimensions", n);
        check(&c, a, b, y, want, rows, what);
        test_round_end(round);
    }
}

/* MOST of contract_pieces.c: a window of 3 over a line with a zero on either side, whose positions are a loop each.
   With at most 4096 of them the padding is cut off, with more the line is copied. */
static void padded_pieces(void) {
    enum { TAPS = 3, COLUMNS = 2 };
    for (int64_t width = 4095; width <= 4097; width++) {
        struct test_round round = test_round();
        ty_contraction c = {.dtype = {TY_F32, TY_F32, TY_F32}, .sums = TY_F32, .ndims = 3, .nguards = 1};
        c.dims[0] = (ty_dim){TY_DIM_M, width, {1, 0, COLUMNS}};
        c.dims[1] = (ty_dim){TY_DIM_N, COLUMNS, {0, 1, 1}};
        c.dims[2] = (ty_dim){TY_DIM_K, TAPS, {1, COLUMNS, 0}};
        c.guards[0] = (ty_guard){TY_LEFT, {0, 2}, {1, 1}, -1, width};
        c.offset[0] = -1;
        add_loop(&c, 0, TY_EXEC_SEQUENTIAL, 1);
        add_loop(&c, 0, TY_EXEC_PRIMITIVE, 1);
        add_loop(&c, 1, TY_EXEC_PRIMITIVE, COLUMNS);
        add_loop(&c, 2, TY_EXEC_PRIMITIVE, TAPS);
        c.primitive = TY_PRIMITIVE_GEMM;
        c.packing[0].loop = c.packing[1].loop = -1;
        CHECK(ty_contraction_check(&c, NULL), "%s", c.error);
        float *a = test_room((size_t)width * sizeof *a), b[TAPS][COLUMNS] = {{2, -1}, {5, 3}, {-4, 7}};
        float *y = test_room((size_t)width * COLUMNS * sizeof *y),
              *want = test_room((size_t)width * COLUMNS * sizeof *want);
        for (int64_t i = 0; i < width; i++) a[i] = (float)(i * 5 % 31 - 15);
        for (int64_t i = 0; i < width; i++)
            for (int k = 0; k < TAPS; k++)
                for (int j = 0; j < COLUMNS; j++)
                    if (i + k >= 1 && i + k <= width) want[i * COLUMNS + j] += a[i + k - 1] * b[k][j];
        char what[32];
        snprintf(what, sizeof what, "%lld positions", (long long)width);
        check(&c, a, &b[0][0], y, want, width * COLUMNS, what);
        test_round_end(round);
    }
}

/* MOVE_AXES: boxes of 1 to 8 axes around runs of 16 numbers. The source has the axes in reverse, so that none fuse. */
static void moved_axes(void) {
    enum { MOST = MOVE_AXES + 2, RUN = 16 };
    static float from[(1 << MOST) * RUN * 2], to[(1 << MOST) * RUN * 2];
    for (int n = 1; n <= MOST; n++)
        for (int turned = 0; turned < 2; turned++) { /* turned: the last axis runs backwards in the source */
            struct move_box box = {0};
            struct move_plan plan;
            int64_t size = (int64_t)RUN << n;
            for (int i = 0; i < n; i++) {
                int64_t step = (int64_t)RUN << i;
                move_axis(&box, 2, turned && i == n - 1 ? -step : step, (int64_t)RUN << (n - 1 - i));
            }
            move_axis(&box, RUN, 1, 1);
            for (int64_t i = 0; i < size; i++) from[i] = (float)i, to[i] = -1;
            move_prepare(&plan, &box, sizeof *from, false);
            CHECK((plan.n >= 0) == (n <= MOVE_AXES) || n == 1, "%d axes are moved by %d", n, plan.n);
            char *stage = test_room(COPY_STAGE + 64);
            int64_t start = turned ? (int64_t)RUN << (n - 1) : 0;
            move_run(&plan, (const char *)(from + start), (char *)to, stage + (64 - (uintptr_t)stage % 64));
            for (int64_t i = 0; i < size; i++) {
                int64_t place = i % RUN;
                for (int k = 0; k < n; k++) {
                    int64_t bit = i >> (4 + (n - 1 - k)) & 1;
                    place += (turned && k == n - 1 ? 1 - bit : bit) * ((int64_t)RUN << k);
                }
                CHECK(to[i] == (float)place, "%d axes: element %lld is %g, not %lld", n, (long long)i, to[i],
                      (long long)place);
            }
        }
}

TESTS_MAIN(TEST(visited_positions), TEST(padded_pieces), TEST(moved_axes))
