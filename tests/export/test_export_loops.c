/* Loops and branches in exported files, and their gradients, compute the bits of cpu. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/bodies.h"
#include "tests/support/exported.h"
#include "tests/support/files.h"
#include "tests/support/samples/sample.h"

enum { MOST = 8 };
/* A graph: its variables, with values, and its outputs. */
struct graph {
    int ninputs, noutputs;
    ty_tensor *x[MOST], *y[MOST];
};
static void add_input(struct graph *g, ty_tensor *value, const char *name) {
    g->x[g->ninputs++] = CHECK_OK(ty_var(value, name));
}
static void add_output(struct graph *g, ty_tensor *y) { g->y[g->noutputs++] = CHECK_OK(y); }
/* Append the gradients of the sum of output 0 by all inputs. */
static void add_gradients(struct graph *g) {
    ty_tensor *by[MOST];
    CHECK(ty_grad(ty_sum(g->y[0], TY_ALL), g->ninputs, g->x, by), "%s", ty_error(by[0]));
    for (int i = 0; i < g->ninputs; i++) add_output(g, by[i]);
}

/* Export the graph, and compare it with cpu for several values. */
static struct exported *same_with(const struct graph *g, ty_export_options options, const char *what) {
    const ty_export_function f = {
        .name = "run", .ninputs = g->ninputs, .inputs = g->x, .noutputs = g->noutputs, .outputs = g->y};
    struct exported *e = exported_open(1, &f, options, NULL);
    for (int round = 0; round < 3; round++) {
        ty_tensor *values[MOST], *want[MOST];
        for (int i = 0; i < g->ninputs; i++)
            values[i] = round ? sample_shape(ty_dtype_of(g->x[i]), ty_rank(g->x[i]), ty_shape(g->x[i]), 0, 3)
                              : ty_eval(g->x[i]);
        CHECK(ty_assign_all(g->ninputs, g->x, values, NULL), "not assigned");
        CHECK(ty_eval_all(g->noutputs, g->y, want), "%s: %s", what, ty_error(want[0]));
        exported_compare(e, 0, g->ninputs, values, g->noutputs, want, what);
    }
    return e;
}
static struct exported *same(const struct graph *g, const char *what) {
    return same_with(g, (ty_export_options){0}, what);
}

/* ---- scans ---- */

static void scans(void) {
    if (!exported_can_run()) return;
    for (int bend = 0; bend < 2; bend++)
        for (int reverse = 0; reverse < 2; reverse++) {
            struct graph g = {0};
            add_input(&g, sample_shape(TY_F32, 2, (int64_t[]){6, 5}, -1, 1), "loop0");
            add_input(&g, ty_scalar(TY_F32, 0.5), "from");
            add_output(&g, bodies_scan(g.x[0], g.x[1], bend, reverse));
            add_gradients(&g);
            same(&g, "a scan");
        }
}
/* Products in the steps, with all that a gradient may keep: values, carries, segments of steps. */
static void scans_that_keep(void) {
    if (!exported_can_run()) return;
    for (int64_t checkpoint = 0; checkpoint < 4; checkpoint += 3)
        for (int reverse = 0; reverse < 2; reverse++) {
            struct graph g = {0};
            add_input(&g, sample_shape(TY_F64, 1, (int64_t[]){7}, -1, 1), "x");
            add_input(&g, sample_shape(TY_F64, 2, (int64_t[]){5, 5}, -1, 1), "w");
            add_output(&g, bodies_kept(g.x[0], g.x[1], reverse, checkpoint));
            add_gradients(&g);
            same(&g, "a scan that keeps values");
        }
}
/* Steps on transposed and flipped sequences, of all dtypes. */
static void sequences(void) {
    if (!exported_can_run()) return;
    static const ty_dtype dtypes[] = {TY_F32, TY_I32, TY_F16, TY_C64, TY_U8, TY_BOOL};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        struct graph g = {0};
        add_input(&g, sample_shape(dtypes[i], 2, (int64_t[]){5, 3}, 0, 2), "x");
        add_output(&g, bodies_sum(ty_transpose(g.x[0])));
        add_output(&g, bodies_sum(ty_flip(g.x[0], 0)));
        same(&g, ty_dtype_name(dtypes[i]));
    }
}
static void nested(void) {
    if (!exported_can_run()) return;
    struct graph g = {0};
    add_input(&g, sample_shape(TY_F32, 2, (int64_t[]){4, 3}, -1, 1), "x");
    add_output(&g, bodies_nested(g.x[0]));
    add_gradients(&g);
    same(&g, "loops in loops");
}

/* ---- steps on two carries, of carries.def ---- */

enum { N = 100, LENGTH = 5 };
#define STEP(name, a_next, b_next, y_value)                                                                  \
    static void name(void *context, ty_step *s) {                                                            \
        ty_tensor *a = s->carry[0], *b = s->carry[1], *k = s->index, *i = ty_cast(k, TY_F32);                \
        (void)context, (void)a, (void)b, (void)i;                                                            \
        s->next[0] = a_next;                                                                                 \
        s->next[1] = b_next;                                                                                 \
        s->y[0] = y_value;                                                                                   \
    }
#include "tests/control/carries.def"
static const struct {
    const char *name;
    ty_step_function step;
} steps[] = {
#define STEP(name, ...) {#name, name},
#include "tests/control/carries.def"
};
static void carries(void) {
    if (!exported_can_run()) return;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct graph g = {0};
        ty_tensor *last[2], *y;
        add_input(&g, sample_shape(TY_F32, 1, (int64_t[]){N}, -1, 1), "a");
        add_input(&g, sample_shape(TY_F32, 1, (int64_t[]){N}, -1, 1), "b");
        ty_scan(steps[i].step, NULL,
                (ty_scan_spec){
                    .ncarry = 2, .carry = g.x, .ny = 1, .length = LENGTH, .reverse = test_between(0, 1)},
                last, &y, NULL);
        add_output(&g, y);
        if (test_between(0, 3)) add_output(&g, last[0]);
        if (test_between(0, 3)) add_output(&g, last[1]);
        same(&g, steps[i].name);
    }
}

/* ---- numbers of steps ---- */

static void stop_above(void *context, ty_step *s) {
    s->next[0] = ty_add(s->carry[0], s->x[0]);
    s->y[0] = s->next[0];
    s->y[1] = ty_mul(s->x[0], s->index);
    s->stop = ty_gt(s->next[0], (ty_tensor *)context);
}
/* The values decide when a scan stops; elements of steps that did not run are 0. */
static void stops(void) {
    if (!exported_can_run()) return;
    for (int reverse = 0; reverse < 2; reverse++)
        for (int limit = 0; limit < 40; limit += 13) {
            struct graph g = {0};
            ty_tensor *carry = ty_int(0), *last, *y[2], *count;
            add_input(&g, sample_shape(TY_I64, 1, (int64_t[]){9}, 0, 6), "x");
            ty_scan(
                stop_above, ty_int(limit),
                (ty_scan_spec){.ncarry = 1, .carry = &carry, .nx = 1, .x = g.x, .ny = 2, .reverse = reverse},
                &last, y, &count);
            add_output(&g, last);
            add_output(&g, y[0]);
            add_output(&g, y[1]);
            add_output(&g, count);
            same(&g, "a scan that stops");
        }
}
static void count_step(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_add(s->carry[0], s->index);
    s->y[0] = ty_mul(s->index, ty_int(3));
}
/* The text of a loop does not depend on its length. */
static void lengths(void) {
    if (!exported_can_run()) return;
    int64_t lines = 0;
    for (int64_t n = 0; n<300; n += n> 1 ? 297 : 1) {
        struct graph g = {0};
        ty_tensor *last, *y, *count;
        add_input(&g, ty_scalar(TY_I64, 100), "first");
        ty_scan(count_step, NULL, (ty_scan_spec){.ncarry = 1, .carry = g.x, .ny = 1, .length = n}, &last, &y,
                &count);
        add_output(&g, last);
        add_output(&g, y);
        add_output(&g, count);
        struct exported *e = same(&g, "lengths");
        CHECK(n < 3 || e->report.lines == lines, "%d steps have %d lines, not %d", (int)n,
              (int)e->report.lines, (int)lines);
        lines = e->report.lines;
    }
}

static ty_tensor *is_small(void *context, ty_tensor *const *carry) {
    return ty_lt(ty_amax(carry[0], TY_ALL), (ty_tensor *)context);
}
static void grow(void *context, ty_tensor *const *carry, ty_tensor **next) {
    (void)context;
    next[0] = ty_add(ty_mul(carry[0], ty_num(2)), ty_num(0.25));
}
/* The values decide on the number of steps, with a limit and without one. */
static void whiles(void) {
    if (!exported_can_run()) return;
    for (int64_t most = 0; most < 9; most += 4) {
        struct graph g = {0};
        ty_tensor *last, *count;
        add_input(&g, ty_full(TY_F32, TY_SHAPE(3), 0.1), "x");
        add_input(&g, ty_scalar(TY_F32, 40), "limit");
        ty_while(is_small, grow, g.x[1], 1, g.x, most, &last, &count);
        add_output(&g, last);
        add_output(&g, count);
        ty_tensor *by;
        if (most && ty_grad(ty_sum(last, TY_ALL), 1, g.x, &by)) add_output(&g, by);
        same(&g, "a while");
    }
}

/* ---- branches ---- */

static void branches(void) {
    if (!exported_can_run()) return;
    struct graph g = {0};
    add_input(&g, sample_shape(TY_F32, 2, (int64_t[]){4, 3}, -1, 1), "x");
    add_input(&g, sample_shape(TY_F32, 2, (int64_t[]){4, 3}, -1, 1), "y");
    add_output(&g, bodies_cond(g.x[0], g.x[1], true));
    add_gradients(&g);
    same(&g, "a branch");
}
static void add_one(void *context, ty_tensor *const *x, ty_tensor **results) {
    results[0] = ty_add(x[0], ty_num(1));
    results[1] = (ty_tensor *)context;
}
static void times_ten(void *context, ty_tensor *const *x, ty_tensor **results) {
    results[0] = ty_mul(x[0], ty_num(10));
    results[1] = ty_mul((ty_tensor *)context, ty_sum(x[0], TY_ALL));
}
/* One of several bodies, which read constants; indices outside select the last. */
static void switches(void) {
    if (!exported_can_run()) return;
    for (int which = -1; which < 4; which++)
        for (int used = 0; used < 2; used++) {
            struct graph g = {0};
            ty_tensor *r[2], *constant = sample_shape(TY_F32, 1, (int64_t[]){8}, 1, 9);
            add_input(&g, ty_scalar(TY_I32, which), "which");
            add_input(&g, sample_shape(TY_F32, 1, (int64_t[]){4}, -1, 1), "x");
            ty_switch(g.x[0], 3, (ty_branch[]){add_one, times_ten, add_one}, constant, 1, &g.x[1], 2, r);
            add_output(&g, r[used]);
            same_with(&g, (ty_export_options){.weights = which == 1 ? "m.bin" : NULL}, "a switch");
        }
}

/* ---- numbers as those of other types ---- */

/* Read the carry as integers, too. */
static void bits_step(void *context, ty_step *s) {
    (void)context;
    ty_tensor *sums = ty_cumsum(ty_view_as(s->carry[0], TY_I32), 0, (ty_running){.reverse = false});
    s->next[0] = ty_add(ty_cast(sums, TY_F32), ty_mul(s->carry[0], ty_num(0.5)));
}
/* Compilers do not move these reads before the writes of the step before, also where they see all of the program. */
static void other_types(void) {
    if (!exported_can_run()) return;
    const char *folder = scratch_folder();
    float first[16];
    for (int i = 0; i < 16; i++) first[i] = (float)i + 1.5f;
    ty_tensor *x = ty_var(ty_from(TY_F32, TY_SHAPE(16), first), "x"), *last, *error = NULL, *want;
    ty_scan(bits_step, NULL, (ty_scan_spec){.ncarry = 1, .carry = &x, .length = 5}, &last, NULL, NULL);
    const ty_export_function f = {.name = "run", .ninputs = 1, .inputs = &x, .noutputs = 1, .outputs = &last};
    CHECK(ty_export_c(scratch_path(folder, "m.c"), 1, &f, (ty_export_options){0}, NULL, &error), "%s",
          ty_error(error));
    want = CHECK_OK(ty_eval(last));
    FILE *out = fopen(scratch_path(folder, "main.c"), "w");
    CHECK(out, "main.c cannot be written");
    fprintf(out,
            "#include \"m.c\"\nstatic m_state state;\nint main(void) {\nfloat x[16], y[16];\nint i;\n"
            "for (i = 0; i < 16; i++) x[i] = (float)i + 1.5f;\nm_begin(&state);\nm_run(&state, x, y);\n"
            "return y[15] != %.9gf;\n}\n",
            (double)((const float *)ty_data(want))[15]);
    fclose(out);
    for (int level = 0; level <= 3; level++) {
        char command[1024];
        snprintf(command, sizeof command, "cd %s && ${CC:-cc} -std=c99 -O%d main.c -lm -o main && ./main",
                 folder, level);
        CHECK(!system(command), "%s", command);
    }
}

/* ---- failures ---- */

static void take_step(void *context, ty_step *s) {
    s->next[0] = ty_add(s->carry[0], ty_sum(ty_take((ty_tensor *)context, s->x[0], 0), TY_ALL));
}
/* A step that refuses an index returns its number, and changes no variable. */
static void refuses_indices(void) {
    if (!exported_can_run()) return;
    float rows[6] = {1, 2, 3, 4, 5, 6}, y;
    int64_t places[4] = {0, 2, 1, 0};
    ty_tensor *v = ty_var(ty_from(TY_F32, TY_SHAPE(3, 2), rows), "v");
    ty_tensor *x = ty_var(ty_zeros(TY_I64, TY_SHAPE(4)), "places"), *carry = ty_num(0), *last;
    ty_scan(take_step, v, (ty_scan_spec){.ncarry = 1, .carry = &carry, .nx = 1, .x = &x}, &last, NULL, NULL);
    const ty_update update = {v, ty_add(v, last)};
    const ty_export_function f = {.name = "step",
                                  .ninputs = 1,
                                  .inputs = &x,
                                  .noutputs = 1,
                                  .outputs = &last,
                                  .nupdates = 1,
                                  .updates = &update};
    struct exported *e = exported_open(1, &f, (ty_export_options){0}, NULL);
    size_t bytes = (size_t)e->report.state_bytes;
    char *before = memcpy(test_room(bytes), e->state, bytes);
    void *arguments[] = {places, &y};
    for (int i = 0; i < 4; i++) {
        int64_t good = places[i];
        places[i] = 3 + i;
        CHECK(e->run[0](e->state, arguments) > 0, "place %d is not refused", i);
        CHECK(!memcmp(before, e->state, bytes), "variables have changed");
        places[i] = good;
    }
    CHECK(e->run[0](e->state, arguments) == 0, "good places are refused");
    CHECK(y == 24 && memcmp(before, e->state, bytes) != 0, "a sum of %g, or no change", (double)y);
}
/* Kernels of bodies that have no text are named. */
static void matrix_step(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_expm(s->carry[0]);
}
static void refuses_kernels(void) {
    ty_tensor *x = ty_var(ty_zeros(TY_F32, TY_SHAPE(4, 4)), "x"), *last, *error = NULL;
    ty_scan(matrix_step, NULL, (ty_scan_spec){.ncarry = 1, .carry = &x, .length = 3}, &last, NULL, NULL);
    ty_tensor *y[] = {last, bodies_call(x)};
    const ty_export_function f = {.name = "run", .ninputs = 1, .inputs = &x, .noutputs = 2, .outputs = y};
    const char *folder = scratch_folder();
    bool done = ty_export_c(scratch_path(folder, "m.c"), 1, &f, (ty_export_options){0}, NULL, &error);
    CHECK(!done && error, "not refused");
    CHECK(test_starving() || (strstr(ty_error(error), "matrix") && strstr(ty_error(error), "call")), "%s",
          ty_error(error));
    CHECK(count_files(folder) == 0, "files are left");
}

TESTS_MAIN(TEST(scans), TEST(scans_that_keep), TEST(sequences), TEST(nested), TEST(carries), TEST(stops),
           TEST(lengths), TEST(whiles), TEST(branches), TEST(switches), TEST(other_types),
           TEST(refuses_indices), TEST(refuses_kernels))
