/*
 * Elementwise rows and casts as text of OpenCL C and C99 have the bits of cpu, on usual, random and special operands.
 * One program has all rows of a dtype, for scalars or for vectors. Any NaN counts as NaN.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "engine/text/rows.h"
#include "engine/text/text.h"
#include "tests/support/compare.h"
#include "tests/support/device.h"
#include "tests/support/harness.h"
#include "tests/support/row_check.h"
#include "tests/support/samples/sample.h"

enum { ELEMENTS = 803, MOST = ROWS + TY_DTYPES, OPERANDS = 4 };

/* One row or cast: a nest of one operator, its operands and the result that is wanted. */
struct work {
    char what[96];
    ty_nest nest;
    ty_nest_dim dim;
    ty_nest_access reads[3];
    ty_nest_write write;
    ty_nest_instr instr;
    ty_tensor *x[3], *want;
};
struct batch {
    int n;
    struct work *works;
    ty_nest_step steps[MOST];
    struct device_memory memory[MOST * OPERANDS];
};
static const int64_t steps_of_1[] = {1};

/* Fill n elements: numbers of the row's domain, random bits and special values. */
static ty_tensor *operand(ty_dtype dtype, double low, double high) {
    char *out = test_room(ELEMENTS * ty_dtype_size(dtype));
    sample_fill_all(dtype, out, ELEMENTS, low, high);
    return ty_from(dtype, 1, (int64_t[]){ELEMENTS}, out);
}

/* Add the nest of an operator on w->x, whose result is w->want. */
static void add_work(struct batch *b, const char *name, ty_dtype in, int arity) {
    int first = b->n * OPERANDS;
    struct work *w = &b->works[b->n];
    w->dim = (ty_nest_dim){ELEMENTS, TY_NEST_PARALLEL, -1, -1};
    w->instr = (ty_nest_instr){name, in, ty_dtype_of(w->want), (uint16_t)arity, {0, 1, 2}};
    for (int i = 0; i < arity; i++) {
        ty_dtype dtype = ty_dtype_of(w->x[i]);
        w->reads[i] = (ty_nest_access){.slot = first + i, .dtype = dtype, .strides = steps_of_1};
        b->memory[first + i] =
            (struct device_memory){(void *)ty_data(w->x[i]), ELEMENTS * ty_dtype_size(dtype), 0};
    }
    ty_dtype out = ty_dtype_of(w->want);
    size_t bytes = ELEMENTS * ty_dtype_size(out);
    w->write = (ty_nest_write){.to = {.slot = first + 3, .dtype = out, .strides = steps_of_1},
                               .value = (uint16_t)arity,
                               .when = TY_NEST_ALWAYS};
    b->memory[first + 3] = (struct device_memory){test_room(bytes), bytes, 0};
    w->nest = (ty_nest){.name = w->what,
                        .ndims = 1,
                        .nreads = arity,
                        .nbefore = 1,
                        .nwrites = 1,
                        .dims = &w->dim,
                        .reads = w->reads,
                        .before = &w->instr,
                        .writes = &w->write};
    b->steps[b->n++] = (ty_nest_step){.nest = &w->nest};
}
static struct batch *new_batch(void) {
    struct batch *b = test_room(sizeof *b);
    b->works = test_room(MOST * sizeof *b->works);
    return b;
}

/* Run all nests of a batch as one program, and compare. */
static void check_batch(struct batch *b, struct device *d, const char *what) {
    struct arena arena = {0};
    struct fault fault = {0};
    struct text_program program;
    struct ty_nests nests = {.nsteps = b->n, .noperands = b->n * OPERANDS, .steps = b->steps};
    if (!b->n) return;
    static const int lanes[] = {0, 4, 8, 16};
    struct text_device device = {.f64 = true, .wide_index = true, .lanes = lanes[test_between(0, 3)]};
    bool good = text_render(&nests, device_dialect(d), device, &arena, &program, &fault);
    char *words = test_room(8192);
    struct text_cell cell;
    int step = 0;
    bool ran = good && device_run(d, &program, b->memory, b->n * OPERANDS, &cell, &step, words, 8192);
    arena_drop(&arena);
    CHECK(good, "%s: %s", what, fault.text);
    CHECK(ran, "%s: %s", what, words);
    for (int i = 0; i < b->n; i++) {
        struct work *w = &b->works[i];
        ty_tensor *got =
            ty_from(ty_dtype_of(w->want), 1, (int64_t[]){ELEMENTS}, b->memory[i * OPERANDS + 3].data);
        compare_bits(got, w->want, "%s", w->what);
    }
}

/* Special functions take compilers seconds each: a few are drawn, all tested with TY_TEST_TEXT=all. */
static bool is_tested(enum row_id row, ty_dtype dtype) {
    const char *only = getenv("TY_TEST_ROW");
    if (only && strcmp(only, row_ops[row].name) != 0) return false;
    const char *all = getenv("TY_TEST_TEXT");
    bool drawn =
        only || (all && !strcmp(all, "all")) || !text_row_is_special(row) || test_between(0, 31) == 0;
    return drawn && row_takes(row, dtype);
}
static void rows_of(ty_dtype dtype, struct device *d) {
    struct batch *b = new_batch();
    for (int row = 0; row < ROWS; row++) {
        if (!is_tested((enum row_id)row, dtype)) continue;
        struct work *w = &b->works[b->n];
        snprintf(w->what, sizeof w->what, "%s %s in %s", row_ops[row].name, ty_dtype_name(dtype),
                 device_dialect(d) == &text_c99 ? "C99" : "OpenCL C");
        for (int i = 0; i < row_ops[row].arity; i++)
            w->x[i] = operand(row_operand_dtype((enum row_id)row, dtype, i), row_table[row].low,
                              row_table[row].high);
        w->want = CHECK_OK(elementwise((enum row_id)row, row_ops[row].arity, w->x));
        add_work(b, row_ops[row].name, dtype, row_ops[row].arity);
    }
    check_batch(b, d, ty_dtype_name(dtype));
}
/* Compiling the rows of a dtype takes seconds: f32 and one other dtype are tested, all with TY_TEST_TEXT=all. */
static bool is_drawn(int dtype, int drawn) {
    const char *all = getenv("TY_TEST_TEXT");
    return (all && !strcmp(all, "all")) || dtype == drawn || dtype == TY_F32;
}
static void rows_on(struct device *d) {
    int drawn = (int)test_between(0, TY_DTYPES - 1);
    for (int dtype = 0; dtype < TY_DTYPES; dtype++) {
        if (!is_drawn(dtype, drawn)) continue;
        struct test_round round = test_round();
        rows_of((ty_dtype)dtype, d);
        test_round_end(round);
    }
}
static void casts_on(struct device *d) {
    int drawn = (int)test_between(0, TY_DTYPES - 1);
    for (int from = 0; from < TY_DTYPES; from++) {
        if (!is_drawn(from, drawn)) continue;
        struct test_round round = test_round();
        struct batch *b = new_batch();
        for (int to = 0; to < TY_DTYPES; to++) {
            struct work *w = &b->works[b->n];
            snprintf(w->what, sizeof w->what, "%s to %s", ty_dtype_name((ty_dtype)from),
                     ty_dtype_name((ty_dtype)to));
            w->x[0] = operand((ty_dtype)from, -200, 200);
            w->want = CHECK_OK(ty_cast(w->x[0], (ty_dtype)to));
            add_work(b, "cast", (ty_dtype)from, 1);
        }
        check_batch(b, d, "casts");
        test_round_end(round);
    }
}

static void rows_in_opencl(void) { device_test(rows_on, device_opencl); }
static void casts_in_opencl(void) { device_test(casts_on, device_opencl); }
static void rows_in_c99(void) { device_test(rows_on, device_c99); }
static void casts_in_c99(void) { device_test(casts_on, device_c99); }

TESTS_MAIN(TEST(rows_in_opencl), TEST(casts_in_opencl), TEST(rows_in_c99), TEST(casts_in_c99))
