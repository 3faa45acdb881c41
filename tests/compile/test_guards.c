/*
 * Padding, concatenation and gradients of slices, fused into their readers. Tests count the remaining kernels. Bits
 * must equal those of copies: eager, compiled with all options, on any engine, with any number of threads.
 */
#include <math.h>
#include <string.h>
#include "array/dtype.h"
#include "base/machine/levels.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/programs.h"
#include "tests/support/samples/sample.h"

/* x, b: of one shape, three axes; v: one element. */
struct given {
    ty_tensor *x, *b, *v;
};
typedef ty_tensor *(*recorder)(struct given g);

static ty_tensor *number(struct given g, double value) { return ty_scalar(ty_dtype_of(g.x), value); }
static ty_tensor *padded(ty_tensor *x, int axis, int64_t low, int64_t high, ty_tensor *value) {
    ty_padding p[TY_MAX_RANK] = {{0}};
    p[axis] = (ty_padding){low, high, 0};
    return ty_pad(x, p, value);
}
static ty_tensor *around(ty_tensor *x, int64_t low, int64_t high, ty_tensor *value) {
    ty_padding p[TY_MAX_RANK];
    for (int i = 0; i < TY_MAX_RANK; i++) p[i] = (ty_padding){low, high, 0};
    return ty_pad(x, p, value);
}
static ty_tensor *grad(ty_tensor *y, ty_tensor *x) {
    ty_tensor *g = NULL;
    ty_grad(y, 1, &x, &g);
    return g;
}

/* ---- gradients of slices ---- */

static ty_tensor *diff(ty_tensor *x, int axis) {
    return ty_sub(ty_slice(x, axis, 1, TY_END, 1), ty_slice(x, axis, 0, -1, 1));
}
static ty_tensor *roughness(ty_tensor *x, int first, int last) {
    ty_tensor *y = ty_num(0);
    for (int axis = first; axis <= last; axis++) y = ty_add(y, ty_sum(ty_square(diff(x, axis)), TY_ALL));
    return y;
}
static ty_tensor *diff_0(struct given g) { return grad(roughness(g.x, 0, 0), g.x); }
static ty_tensor *diff_1(struct given g) { return grad(roughness(g.x, 1, 1), g.x); }
static ty_tensor *diff_2(struct given g) { return grad(roughness(g.x, 2, 2), g.x); }
static ty_tensor *diff_all(struct given g) { return grad(roughness(g.x, 0, 2), g.x); }
static ty_tensor *diff_twice(struct given g) {
    ty_tensor *first = diff_all(g);
    return grad(ty_sum(ty_mul(first, g.b), TY_ALL), g.x);
}
static ty_tensor *diff_diff(struct given g) {
    return grad(ty_sum(ty_square(diff(diff(g.x, 2), 1)), TY_ALL), g.x);
}
static ty_tensor *diff_of_tanh(struct given g) { return grad(roughness(ty_tanh(g.x), 1, 2), g.x); }
static ty_tensor *far_slices(struct given g) {
    ty_tensor *a = ty_slice(g.x, 1, 0, 2, 1), *b = ty_slice(g.x, 1, -2, TY_END, 1);
    return grad(ty_sum(ty_mul(ty_square(a), b), TY_ALL), g.x);
}
static ty_tensor *steps(struct given g) {
    ty_tensor *a = ty_slice(g.x, 2, 1, TY_END, 3), *b = ty_slice(g.x, 1, TY_END, TY_END, -2);
    return grad(ty_add(ty_sum(ty_square(a), TY_ALL), ty_sum(ty_mul(b, b), TY_ALL)), g.x);
}
static ty_tensor *backwards(struct given g) {
    ty_tensor *a = ty_slice(g.x, 0, -2, TY_END, -1);
    return grad(ty_sum(ty_square(a), TY_ALL), g.x);
}
/* Minus zeros survive where only one slice has an element. */
static ty_tensor *minus_zeros(struct given g) {
    ty_tensor *a = ty_slice(g.x, 1, 1, TY_END, 1), *b = ty_slice(g.x, 1, 0, -1, 1), *zero = number(g, -0.0);
    return grad(ty_sum(ty_add(ty_mul(a, zero), ty_mul(b, zero)), TY_ALL), g.x);
}

/* ---- padding ---- */

static ty_tensor *pad_low(struct given g) { return ty_mul(padded(g.x, 2, 3, -3, number(g, 0)), g.b); }
static ty_tensor *pad_high(struct given g) { return ty_mul(padded(g.x, 0, -1, 1, number(g, 1)), g.b); }
static ty_tensor *pad_all(struct given g) {
    ty_tensor *y = around(g.x, 2, 1, number(g, 1));
    return ty_mul(y, y);
}
static ty_tensor *pad_far(struct given g) { return ty_add(padded(g.x, 1, 40, 0, number(g, 1)), g.v); }
static ty_tensor *pad_variable(struct given g) { return ty_mul(around(g.x, 1, 1, g.v), g.v); }
static ty_tensor *pad_nan(struct given g) { return ty_neg(around(g.x, 1, 0, number(g, NAN))); }
static ty_tensor *pad_minus_zero(struct given g) { return ty_mul(around(g.x, 0, 2, number(g, -0.0)), g.v); }
static ty_tensor *pad_computed(struct given g) {
    return ty_mul(padded(ty_add(ty_mul(g.x, g.b), g.v), 1, 1, -1, number(g, 1)), g.b);
}
static ty_tensor *pad_heavy(struct given g) {
    return ty_mul(padded(ty_exp(g.x), 1, 1, -1, number(g, 1)), g.b);
}
static ty_tensor *pad_result(struct given g) { return padded(ty_mul(g.x, g.b), 0, 1, 1, g.v); }
static ty_tensor *pad_pad(struct given g) {
    ty_tensor *y = ty_add(padded(g.x, 1, 2, -1, number(g, 1)), g.v);
    return ty_mul(padded(y, 1, -1, 1, number(g, 0)), padded(padded(g.b, 2, 1, -1, g.v), 1, 1, 0, g.v));
}
static ty_tensor *pad_turned(struct given g) {
    ty_tensor *t = ty_swap(g.x, 0, 2);
    return ty_add(around(t, 1, 1, number(g, 1)), g.v);
}
static ty_tensor *pad_spread(struct given g) {
    ty_tensor *row = ty_broadcast(ty_slice(g.x, 1, 1, 2, 1), 3, ty_shape(g.x));
    return ty_add(padded(row, 1, 1, -1, number(g, 1)), g.b);
}
static ty_tensor *pad_flat(struct given g) {
    ty_tensor *y = padded(g.x, 0, 1, 1, number(g, 1));
    y = ty_reshape(y, 1, (int64_t[]){-1});
    return ty_mul(y, g.v);
}
static ty_tensor *pad_flat_rows(struct given g) {
    ty_tensor *y = around(g.x, 1, 1, number(g, 1));
    y = ty_reshape(y, 1, (int64_t[]){-1});
    return ty_mul(y, g.v);
}
static ty_tensor *pad_nothing(struct given g) {
    ty_tensor *none = ty_slice(g.x, 1, 0, 0, 1);
    return ty_add(padded(none, 1, 1, 2, number(g, 1)), g.v);
}
static ty_tensor *pad_outside(struct given g) {
    int64_t n = ty_shape(g.x)[1];
    return ty_add(padded(g.x, 1, -n, 3, number(g, 1)), g.v);
}
static ty_tensor *pad_between(struct given g) {
    return ty_mul(ty_pad(g.x, (ty_padding[]){{0, 0, 1}, {1, 0, 0}, {0, -1, 2}}, number(g, 1)), g.v);
}
static ty_tensor *pad_one(struct given g) {
    ty_tensor *one = ty_slice(ty_slice(ty_slice(g.x, 0, 0, 1, 1), 1, 0, 1, 1), 2, 0, 1, 1);
    return ty_add(around(one, 1, 2, number(g, 1)), g.v);
}

/* ---- stencils ---- */

static ty_tensor *at(ty_tensor *y, ty_tensor *x, const int64_t *from) {
    for (int i = 0; i < 3; i++) y = ty_slice(y, i, from[i], from[i] + ty_shape(x)[i], 1);
    return y;
}
static ty_tensor *stencil(struct given g, int first) {
    ty_tensor *p = around(g.x, 1, 1, number(g, 0)), *sum = ty_mul(g.x, number(g, 2));
    for (int axis = first; axis < 3; axis++)
        for (int far = 0; far <= 2; far += 2) {
            int64_t from[3] = {1, 1, 1};
            from[axis] = far;
            sum = ty_add(sum, at(p, g.x, from));
        }
    return sum;
}
static ty_tensor *stencil_1(struct given g) { return stencil(g, 2); }
static ty_tensor *stencil_2(struct given g) { return stencil(g, 1); }
static ty_tensor *stencil_3(struct given g) { return stencil(g, 0); }
static ty_tensor *stencil_27(struct given g) {
    ty_tensor *p = around(ty_mul(g.x, g.b), 1, 1, number(g, 0)), *sum = g.b;
    for (int i = 0; i < 27; i++) sum = ty_add(sum, at(p, g.x, (int64_t[]){i / 9, i / 3 % 3, i % 3}));
    return sum;
}
static ty_tensor *shifted(struct given g) { return diff(ty_mul(g.x, g.b), 2); }

/* ---- reductions ---- */

static ty_tensor *sum_all(struct given g) {
    return ty_sum(ty_square(around(g.x, 2, 1, number(g, 1))), TY_ALL);
}
static ty_tensor *sum_first(struct given g) {
    return ty_sum(ty_mul(padded(g.x, 2, 2, -2, number(g, 1)), g.b), ty_axis(0));
}
static ty_tensor *sum_last(struct given g) {
    return ty_sum(ty_mul(padded(g.x, 2, 2, -2, number(g, 1)), g.b), ty_axis(2));
}
static ty_tensor *sum_middle(struct given g) {
    return ty_sum(ty_mul(padded(g.x, 1, -1, 1, g.v), g.b), ty_axis(1));
}
static ty_tensor *most(struct given g) { return ty_amax(padded(g.x, 1, 1, 1, number(g, 1)), ty_axis(2)); }
static ty_tensor *where_most(struct given g) {
    return ty_argmax(padded(g.x, 2, 1, 1, number(g, 1)), ty_axis(2));
}
static ty_tensor *rows(struct given g) {
    ty_tensor *y = padded(g.x, 2, 2, -2, number(g, 1));
    ty_tensor *e = ty_sub(y, ty_amax(y, (ty_axes){.last = 1, .keep = true}));
    return ty_div(e, ty_sum(ty_mul(e, g.b), (ty_axes){.last = 1, .keep = true}));
}

/* ---- concatenation ---- */

static ty_tensor *joined(ty_tensor *a, ty_tensor *b, int axis) {
    return ty_concat(2, (ty_tensor *[]){a, b}, axis);
}
static ty_tensor *join_computed(struct given g) {
    ty_tensor *y = joined(ty_mul(g.x, g.b), ty_add(g.x, g.v), 1);
    return ty_mul(y, y);
}
static ty_tensor *join_last(struct given g) {
    ty_tensor *y = joined(ty_mul(g.x, g.b), ty_add(g.x, g.v), 2);
    return ty_sum(ty_mul(y, y), ty_axis(0));
}
static ty_tensor *rolled(struct given g) {
    return ty_mul(ty_roll(ty_add(g.x, g.v), 1, (int64_t[]){2}, (int64_t[]){2}), g.b);
}

/* ---- among other kernels ---- */

static ty_tensor *beside_product(struct given g) {
    ty_tensor *y = ty_matmul(g.x, ty_swap(g.b, 1, 2));
    return ty_add(padded(y, 1, 1, -1, number(g, 1)), y);
}
static ty_tensor *behind_product(struct given g) {
    ty_tensor *y = ty_matmul(ty_swap(g.x, 1, 2), g.b);
    return ty_add(y,
                  padded(ty_slice(ty_broadcast(ty_slice(g.x, 1, 0, 1, 1), 3, ty_shape(y)), 1, 1, TY_END, 1),
                         1, 1, 0, number(g, 1)));
}
static ty_tensor *wanted_too(struct given g) {
    ty_tensor *y = padded(ty_mul(g.x, g.b), 2, 1, 0, number(g, 1));
    return ty_add(ty_cumsum(y, 2, (ty_running){0}), y);
}
static ty_tensor *triangle(struct given g) { return ty_mul(ty_tril(g.x, 1), g.b); }

enum kinds { ALL, NUMBERS, FLOATS };
enum { ANY = -1 };
static const struct {
    const char *name;
    recorder record;
    enum kinds of;
    int kernels; /* kernels for floats; ANY: not counted */
} programs[] = {
    {"gradient of differences along axis 0", diff_0, FLOATS, 1},
    {"gradient of differences along axis 1", diff_1, FLOATS, 1},
    {"gradient of differences along axis 2", diff_2, FLOATS, 1},
    {"gradient of differences along all axes", diff_all, FLOATS, 1},
    {"second gradient", diff_twice, FLOATS, ANY},
    {"differences of differences", diff_diff, FLOATS, ANY},
    {"differences of tanh", diff_of_tanh, FLOATS, ANY},
    {"slices far apart", far_slices, FLOATS, ANY},
    {"slices with steps", steps, FLOATS, ANY},
    {"a slice backwards", backwards, FLOATS, ANY},
    {"minus zeros", minus_zeros, FLOATS, ANY},
    {"padding before", pad_low, ALL, 1},
    {"padding behind", pad_high, ALL, 1},
    {"padding around", pad_all, ALL, 1},
    {"far padding", pad_far, ALL, 1},
    {"padding by a variable", pad_variable, ALL, 1},
    {"padding by NaN", pad_nan, FLOATS, 1},
    {"padding by -0", pad_minus_zero, FLOATS, 1},
    {"padding of what is computed", pad_computed, ALL, 1},
    {"padding of exponentials", pad_heavy, FLOATS, 1},
    {"padding that is a result", pad_result, ALL, 1},
    {"padding of padding", pad_pad, ALL, 1},
    {"padding of a transpose", pad_turned, ALL, 1},
    {"padding of a broadcast row", pad_spread, ALL, 1},
    {"padding in another shape", pad_flat, ALL, 1},
    {"padding of rows in another shape", pad_flat_rows, ALL, ANY},
    {"padding of nothing", pad_nothing, ALL, ANY},
    {"padding without anything", pad_outside, ALL, ANY},
    {"padding between", pad_between, ALL, ANY},
    {"padding of one element", pad_one, ALL, 1},
    {"stencil of 3", stencil_1, NUMBERS, 1},
    {"stencil of 5", stencil_2, NUMBERS, 1},
    {"stencil of 7", stencil_3, NUMBERS, 1},
    {"stencil of 27", stencil_27, NUMBERS, ANY},
    {"differences of a product", shifted, NUMBERS, 1},
    {"sum of all", sum_all, NUMBERS, 1},
    {"sum over axis 0", sum_first, NUMBERS, 1},
    {"sum over axis 1", sum_middle, NUMBERS, 1},
    {"sum over axis 2", sum_last, NUMBERS, 1},
    {"maxima", most, NUMBERS, 1},
    {"places of maxima", where_most, FLOATS, 1},
    {"rows", rows, FLOATS, ANY},
    {"concatenation of what is computed", join_computed, ALL, 1},
    {"sum of a concatenation", join_last, NUMBERS, 1},
    {"roll", rolled, ALL, ANY},
    {"beside a product", beside_product, FLOATS, ANY},
    {"behind a product", behind_product, FLOATS, ANY},
    {"wanted by others too", wanted_too, FLOATS, ANY},
    {"triangle", triangle, NUMBERS, ANY},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

/* ---- in all modes ---- */

static bool takes(int program, ty_dtype dtype) {
    unsigned floats = CLASS_FLOAT | CLASS_COMPLEX, klass = dtype_table[dtype].klass;
    if (programs[program].record == where_most || programs[program].record == rows ||
        programs[program].record == most)
        floats = CLASS_FLOAT;
    if (programs[program].of == ALL) return true;
    if (programs[program].of == FLOATS) return klass & floats;
    return klass != CLASS_BOOL && (klass != CLASS_COMPLEX || floats & CLASS_COMPLEX);
}

static void compare_ways(int program, ty_tensor *y, ty_tensor *want, const char *what) {
    static const struct {
        const char *name;
        ty_compile_options options;
    } ways[] = {
        {"without fusion", {.no_fuse = true}},          {"without reuse", {.no_reuse = true}},
        {"without rewriting", {.no_rewrite = true}},    {"incremental", {.incremental = true}},
        {"in little memory", {.max_bytes = INT64_MAX}},
    };
    static const int widths[] = {3, 8, 1};
    char how[160];
    for (int w = 0; w < 3; w++) {
        ty_set_threads(widths[w]);
        snprintf(how, sizeof how, "%s, %s, %d threads", programs[program].name, what, widths[w]);
        program_gives((uint64_t)program, how, (ty_compile_options){0}, 1, &y, &want);
    }
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        snprintf(how, sizeof how, "%s, %s, %s", programs[program].name, what, ways[i].name);
        program_gives((uint64_t)program, how, ways[i].options, 1, &y, &want);
    }
}

static void check_one(int program, ty_dtype dtype, const char *engine, const int64_t *shape) {
    struct test_round round = test_round();
    ty_tensor *values[3] = {sample_shape(dtype, 3, shape, -3, 3), sample_shape(dtype, 3, shape, -3, 3),
                            ty_scalar(dtype, 2)};
    ty_tensor *y[2];
    char what[96];
    for (int eager = 0; eager < 2; eager++) {
        ty_tensor *x[3];
        ty_use_engine(engine);
        for (int i = 0; i < 3; i++)
            x[i] = CHECK_OK(eager ? ty_track(values[i], "x") : ty_var(values[i], "x"));
        y[eager] = CHECK_OK(programs[program].record((struct given){x[0], x[1], x[2]}));
    }
    snprintf(what, sizeof what, "%s by %s", ty_dtype_name(dtype), engine);
    compare_ways(program, y[0], y[1], what);
    test_round_end(round);
}

static void check_all(const char *engine, const int64_t *shape, bool all_dtypes) {
    for (int i = 0; i < PROGRAMS; i++)
        for (int d = 0; d < TY_DTYPES; d++)
            if (takes(i, (ty_dtype)d) && (all_dtypes ? d != TY_F32 : d == TY_F32))
                check_one(i, (ty_dtype)d, engine, shape);
}

static void floats(void) { check_all("cpu", (int64_t[]){5, 7, 70}, false); }
static void dtypes(void) {
    if (!test_starving()) check_all("cpu", (int64_t[]){4, 3, 33}, true);
}
static void long_rows(void) {
    if (!test_starving()) check_all("cpu", (int64_t[]){3, 4, 1500}, false);
}
static void single_columns(void) { check_all("cpu", (int64_t[]){9, 40, 2}, false); }
static void small_tiles(void) {
    test_draw_tiles();
    test_draw_caches();
    if (!test_starving()) level_force(LEVEL_SECOND, 1 << 10);
    check_all("cpu", (int64_t[]){6, 5, 90}, false);
    level_force(LEVEL_SECOND, 0);
}
static void reference(void) { check_all("ref", (int64_t[]){3, 4, 6}, false); }

/* The engines agree: sums up to rounding, everything else exactly. */
static void engines(void) {
    for (int i = 0; i < PROGRAMS; i++) {
        struct test_round round = test_round();
        ty_tensor *x[3] = {ty_var(sample_shape(TY_F64, TY_SHAPE(3, 4, 9), -3, 3), "x"),
                           ty_var(sample_shape(TY_F64, TY_SHAPE(3, 4, 9), -3, 3), "b"),
                           ty_var(ty_scalar(TY_F64, 2), "v")};
        ty_tensor *y = CHECK_OK(programs[i].record((struct given){x[0], x[1], x[2]})), *of[2];
        for (int e = 0; e < 2; e++) {
            ty_program *p =
                test_program(ty_compile(1, &y, (ty_compile_options){.engine = e ? "ref" : "cpu"}));
            if (!program_is_well(p)) break;
            CHECK(ty_run(p) || test_starving(), "%s does not run", programs[i].name);
            of[e] = ty_output(p, 0);
            if (e && ty_ok(of[0]) && ty_ok(of[1]))
                compare_near(of[0], of[1], 1e-12, 1e-12, "%s", programs[i].name);
        }
        test_round_end(round);
    }
}

/* ---- in loops ---- */

/* A step of heat flow in a plate with a cold edge. */
static void flow_on(void *context, ty_step *s) {
    ty_tensor *x = s->carry[0], *p = around(x, 1, 1, *(ty_tensor **)context);
    ty_tensor *sum = ty_mul(x, ty_num(-4));
    for (int axis = 0; axis < 2; axis++)
        for (int far = 0; far <= 2; far += 2) {
            ty_tensor *y = p;
            for (int i = 0; i < 2; i++) {
                int64_t from = i == axis ? far : 1;
                y = ty_slice(y, i, from, from + ty_shape(x)[i], 1);
            }
            sum = ty_add(sum, y);
        }
    s->next[0] = ty_add(x, ty_mul(sum, s->x[0]));
    s->y[0] = ty_sum(ty_square(diff(x, 1)), TY_ALL);
}

static void flow_in(const char *engine, int checkpoint) {
    ty_tensor *values[] = {sample_shape(TY_F32, TY_SHAPE(6, 40), -1, 1),
                           sample_shape(TY_F32, TY_SHAPE(4), 0, 0.25)};
    ty_tensor *y[2][3], *edge = ty_scalar(TY_F32, 0.5);
    for (int eager = 0; eager < 2; eager++) {
        ty_tensor *x[2], *g[2];
        for (int i = 0; i < 2; i++)
            x[i] = CHECK_OK(eager ? ty_track(values[i], "x") : ty_var(values[i], "x"));
        ty_scan_spec spec = {
            .ncarry = 1, .carry = &x[0], .nx = 1, .x = &x[1], .ny = 1, .checkpoint = checkpoint};
        ty_scan(flow_on, &edge, spec, &y[eager][0], &y[eager][1], NULL);
        ty_grad(ty_sum(y[eager][1], TY_ALL), 2, x, g);
        y[eager][2] = g[0];
        for (int i = 0; i < 3; i++) CHECK_OK(y[eager][i]);
    }
    program_gives(0, engine, (ty_compile_options){0}, 3, y[0], y[1]);
    program_gives(0, "without fusion", (ty_compile_options){.no_fuse = true}, 3, y[0], y[1]);
    ty_set_threads(3);
    program_gives(0, "3 threads", (ty_compile_options){0}, 3, y[0], y[1]);
    ty_set_threads(1);
}

static void in_loops(void) {
    static const char *const engines[] = {"cpu", "ref"};
    for (int e = 0; e < 2; e++)
        for (int checkpoint = 0; checkpoint < 2; checkpoint++) {
            struct test_round round = test_round();
            ty_use_engine(engines[e]);
            flow_in(engines[e], checkpoint);
            test_round_end(round);
        }
}

/* ---- small kernels ---- */

static ty_tensor *small_step(ty_tensor *x, int i) {
    switch (i % 4) {
    case 0:
        return ty_add(ty_mul(x, ty_num(3)), ty_num(1));
    case 1:
        return ty_where(ty_gt(x, ty_num(1)), x, ty_num(2));
    case 2:
        return ty_floor(ty_cast(ty_add(x, x), TY_F64));
    default:
        return ty_mul(x, x);
    }
}

enum { SMALL = 40 };

/* Many small independent kernels, and some dependent ones, are merged into few. */
static void check_small(ty_dtype dtype, int64_t size) {
    ty_tensor *y[2][SMALL];
    for (int i = 0; i < SMALL; i++) {
        ty_tensor *value = sample_shape(dtype, size > 1, &size, 0, 3), *x = CHECK_OK(ty_var(value, "x"));
        y[0][i] = CHECK_OK(small_step(i % 5 == 4 ? ty_add(x, y[0][i - 4]) : x, i));
        y[1][i] = CHECK_OK(small_step(i % 5 == 4 ? ty_add(value, y[1][i - 4]) : value, i));
    }
    ty_program *p = test_program(ty_compile(SMALL, y[0], (ty_compile_options){0}));
    if (program_is_well(p))
        CHECK(test_report(p).kernels <= SMALL / 4, "%d kernels of %d maps of %lld\n%s",
              (int)test_report(p).kernels, SMALL, (long long)size, test_text(ty_program_text(p)));
    program_gives((uint64_t)size, "together", (ty_compile_options){0}, SMALL, y[0], y[1]);
    program_gives((uint64_t)size, "apart", (ty_compile_options){.no_fuse = true}, SMALL, y[0], y[1]);
    program_gives((uint64_t)size, "incremental", (ty_compile_options){.incremental = true}, SMALL, y[0],
                  y[1]);
}

static void small_kernels(void) {
    static const int64_t sizes[] = {1, 3, 8, 17, 100};
    for (int dtype = 0; dtype < TY_DTYPES; dtype++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            if (dtype_is((ty_dtype)dtype, CLASS_BOOL | CLASS_COMPLEX)) continue;
            struct test_round round = test_round();
            check_small((ty_dtype)dtype, sizes[s]);
            test_round_end(round);
        }
}

/* ---- numbers of kernels ---- */

static void kernels(void) {
    for (int i = 0; i < PROGRAMS; i++) {
        struct test_round round = test_round();
        ty_tensor *x[3] = {ty_var(ty_ones(TY_F32, TY_SHAPE(8, 16, 64)), "x"),
                           ty_var(ty_ones(TY_F32, TY_SHAPE(8, 16, 64)), "b"),
                           ty_var(ty_scalar(TY_F32, 2), "v")};
        ty_tensor *y = CHECK_OK(programs[i].record((struct given){x[0], x[1], x[2]}));
        ty_program *p = test_program(ty_compile(1, &y, (ty_compile_options){0}));
        int wanted = programs[i].kernels;
        if (program_is_well(p))
            CHECK(wanted == ANY || test_report(p).kernels == wanted, "%s: %d kernels, not %d\n%s",
                  programs[i].name, (int)test_report(p).kernels, wanted, test_text(ty_program_text(p)));
        ty_report r;
        ty_program_report(p, &r);
        CHECK(wanted != 1 || r.arena_bytes <= r.workspace_bytes + 64, "%s: %lld bytes are stored",
              programs[i].name, (long long)r.arena_bytes);
        if (test_verbose())
            printf("%-40s %d kernels, %lld bytes\n", programs[i].name, (int)test_report(p).kernels,
                   (long long)test_report(p).arena_bytes);
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(kernels), TEST(floats), TEST(dtypes), TEST(long_rows), TEST(single_columns),
           TEST(small_tiles), TEST(reference), TEST(engines), TEST(in_loops), TEST(small_kernels))
