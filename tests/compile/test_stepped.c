/*
 * Promises of several operators into destinations with steps, negative steps and transposed axes: the kernel that computes
 * the result writes it there, without memory for a copy, over its operands too.
 */
#include <stdio.h>
#include "base/alloc.h"
#include "tests/support/copies.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

static ty_tensor *chained(ty_tensor *x) { return ty_mul(ty_exp(ty_neg(x)), ty_add(x, ty_num(1))); }
static ty_tensor *reduced(ty_tensor *x) { return ty_sum(ty_square(ty_expand(x, 2)), ty_axis(2)); }
static ty_tensor *summed(ty_tensor *x) { return ty_neg(ty_cumsum(ty_abs(x), 1, (ty_running){0})); }
static ty_tensor *multiplied(ty_tensor *x) {
    return ty_matmul(x, ty_tanh(ty_matmul(ty_permute(x, (int[]){1, 0}), x)));
}
static ty_tensor *centred(ty_tensor *x) { return ty_sub(x, ty_mean(x, TY_ALL)); }
static ty_tensor *softmaxed(ty_tensor *x) { return ty_softmax(x, 1); }
static ty_tensor *ordered(ty_tensor *x) { return ty_sort(ty_neg(ty_abs(x)), 1, false); }
static ty_tensor *padded(ty_tensor *x) {
    return ty_exp(ty_roll(ty_sin(x), 1, (int64_t[]){3}, (int64_t[]){1}));
}
static ty_tensor *flat(ty_tensor *x) {
    int64_t n = ty_size(x);
    return ty_reshape(ty_exp(ty_neg(ty_reshape(x, 1, &n))), 2, ty_shape(x));
}
static const struct {
    const char *name;
    ty_tensor *(*run)(ty_tensor *x);
} graphs[] = {{"chained", chained},       {"reduced", reduced}, {"summed", summed},
              {"multiplied", multiplied}, {"centred", centred}, {"softmaxed", softmaxed},
              {"ordered", ordered},       {"padded", padded},   {"flat", flat}};
enum { GRAPHS = sizeof graphs / sizeof *graphs, VIEWS = 8 };

/* Return view number `how` of `room`, [2 rows + 2, 2 columns + 2] or, transposed, [2 columns + 2, 2 rows + 2]. */
static ty_tensor *view_of(int how, int64_t rows, int64_t columns, ty_tensor **room, ty_dtype dtype) {
    int64_t sizes[2] = {2 * rows + 2, 2 * columns + 2}, turned[2] = {sizes[1], sizes[0]};
    bool across = how >= 6;
    ty_tensor *m = *room = ty_memory(dtype, 2, across ? turned : sizes);
    if (across) m = ty_permute(m, (int[]){1, 0});
    int64_t down = how == 1 || how == 3 || how == 7 ? 2 : 1, over = how == 2 || how == 3 ? 2 : 1;
    m = ty_slice(m, 0, 1, 1 + rows * down, down);
    m = ty_slice(m, 1, 1, 1 + columns * over, over);
    if (how == 4 || how == 7) m = ty_flip(m, 0);
    if (how == 5) m = ty_flip(ty_flip(m, 0), 1);
    return m;
}

static void into_views(void) {
    static const ty_dtype dtypes[] = {TY_F64, TY_F32, TY_BF16};
    static const int64_t sizes[][2] = {{1, 1}, {3, 5}, {40, 33}, {260, 300}};
    for (int g = 0; g < GRAPHS; g++)
        for (int how = 0; how < VIEWS; how++)
            for (int s = 0; s < test_some(4, 3, 2); s++)
                for (int d = 0; d < test_some(3, 3, 1); d++) {
                    struct test_round round = test_round();
                    ty_tensor *x = sample_shape(dtypes[d], 2, sizes[s], -2, 2), *room, *error = NULL;
                    ty_tensor *to = view_of(how, sizes[s][0], sizes[s][1], &room, dtypes[d]);
                    ty_tensor *want = ty_eval(graphs[g].run(ty_lazy(x)));
                    bool done = ty_ok(to) && ty_ok(want) && ty_into(to, graphs[g].run(ty_lazy(x)), &error);
                    CHECK(done || test_starving(), "%s, view %d: %s", graphs[g].name, how, ty_error(error));
                    CHECK(!done || bytes_equal(to, want), "%s of %s, view %d, size %d: other elements",
                          graphs[g].name, ty_dtype_name(dtypes[d]), how, s);
                    double outside = done ? ty_item(ty_sum(ty_ne(room, ty_num(0)), TY_ALL)) : 0,
                           inside = done ? ty_item(ty_sum(ty_ne(want, ty_num(0)), TY_ALL)) : 0;
                    CHECK(outside == inside || test_starving(),
                          "%s, view %d: elements beside it were written", graphs[g].name, how);
                    test_round_end(round);
                }
}

/* Operands in the memory of the destination, at the same and at other places. */
static void over_operands(void) {
    for (int g = 0; g < GRAPHS; g++)
        for (int from = 0; from < 5; from++)
            for (int to = 0; to < 5; to++)
                for (int64_t n = 6; n <= 60; n += 54) {
                    struct test_round round = test_round();
                    ty_tensor *all = ty_memory(TY_F64, TY_SHAPE(2 * n + 1, 2 * n + 1)), *views[2],
                              *error = NULL;
                    ty_into(all, sample_shape(TY_F64, 2, (int64_t[]){2 * n + 1, 2 * n + 1}, -2, 2), NULL);
                    for (int i = 0; i < 2; i++) {
                        int how = i ? to : from, step = how == 1 || how == 4 ? 2 : 1, start = how == 2;
                        views[i] = ty_slice(ty_slice(all, 0, start, start + step * n, step), 1, start,
                                            start + step * n, step);
                        if (how == 3 || how == 4) views[i] = ty_flip(views[i], 1);
                    }
                    ty_tensor *want = ty_eval(graphs[g].run(ty_lazy(copy_of(views[0]))));
                    bool done = ty_ok(want) && ty_into(views[1], graphs[g].run(ty_lazy(views[0])), &error);
                    CHECK(done || test_starving(), "%s from %d to %d: %s", graphs[g].name, from, to,
                          ty_error(error));
                    CHECK(!done || bytes_equal(views[1], want),
                          "%s from view %d to %d of %lld: other elements", graphs[g].name, from, to,
                          (long long)n);
                    test_round_end(round);
                }
}

/* Several outputs of a program, some with steps. */
static void several_outputs(void) {
    ty_tensor *v = ty_var(sample_shape(TY_F64, 2, (int64_t[]){30, 40}, -2, 2), "v");
    ty_tensor *outputs[] = {chained(v), summed(v), multiplied(ty_neg(v)), ty_cos(chained(v))}, *want[4],
              *room[4], *to[4];
    ty_program *p = test_program(ty_compile(4, outputs, (ty_compile_options){0}));
    for (int how = 0; how < VIEWS; how++) {
        struct test_round round = test_round();
        for (int i = 0; i < 4; i++) to[i] = view_of((how + 3 * i) % VIEWS, 30, 40, &room[i], TY_F64);
        bool done = ty_eval_all(4, outputs, want) && ty_run_into(p, 4, to);
        CHECK(done || test_starving(), "view %d: %s", how, ty_program_error(p));
        for (int i = 0; i < 4 && done; i++)
            CHECK(bytes_equal(to[i], want[i]), "view %d, output %d: other elements", how, i);
        test_round_end(round);
    }
    CHECK(ty_run(p) || test_starving(), "%s", ty_program_error(p));
}

/* Kinds that write steps take no memory for the result; -v prints all. */
static void bytes_beside(void) {
    enum { SIDE = 512 };
    static const double most[GRAPHS] = {
        [2] = 0.5, [3] = 1, [5] = 0.5, [6] = 0.75}; /* workspaces of groups, of products */
    if (test_starving()) return;
    for (int g = 0; g < GRAPHS; g++)
        for (int how = 1; how < VIEWS; how++) {
            struct test_round round = test_round();
            ty_tensor *x = sample_shape(TY_F64, 2, (int64_t[]){SIDE, SIDE}, -2, 2), *room;
            ty_tensor *to = view_of(how, SIDE, SIDE, &room, TY_F64),
                      *dense = ty_memory(TY_F64, TY_SHAPE(SIDE, SIDE));
            int64_t peak[2];
            for (int steps = 0; steps < 2; steps++)
                for (int again = 0; again < 2; again++) {
                    int64_t before = mem_bytes();
                    mem_peak_begin();
                    CHECK(ty_into(steps ? to : dense, graphs[g].run(ty_lazy(x)), NULL), "%s fails",
                          graphs[g].name);
                    peak[steps] = mem_peak() - before;
                }
            double more = (double)(peak[1] - peak[0]) / (8 * SIDE * SIDE);
            if (test_verbose()) printf("%s, view %d: %.2f of the result more\n", graphs[g].name, how, more);
            bool turned = g == 0 || g == 4 || g == 8, backwards = how == 4 || how == 5 || how == 7;
            CHECK(more < (backwards && !turned ? 1 : most[g]) + 0.125, "%s, view %d: %.2f of the result more",
                  graphs[g].name, how, more);
            test_round_end(round);
        }
}

TESTS_MAIN(TEST(into_views), TEST(over_operands), TEST(several_outputs), TEST(bytes_beside))
