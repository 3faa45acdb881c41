/*
 * Forward mode: every differentiable entry and the functions of gradient.def, over reals and complex numbers, eager,
 * lazy and in a scan. Tangents are compared with differences and with reverse mode, the transpose: Re(conj(g) J t) =
 * Re(conj(J* g) t). The same holds for functions that are derivatives themselves, in each order of modes. Further
 * tests: the first three derivatives at special points (derivatives.def), and loops without a bound.
 */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "array/layout.h"
#include "ops/core/elementwise.h"
#include "ops/core/row_id.h"
#include "tests/support/bodies.h"
#include "tests/support/compare.h"
#include "tests/support/samples/gradient_samples.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

/* A function of up to three operands. */
struct function {
    const char *name;
    int n;
    ty_tensor *(*run)(const struct function *f, ty_tensor *const *x);
    ty_tensor *(*value)(ty_tensor *const *x); /* of an entry of gradient.def */
    enum row_id row;                          /* of an elementwise entry */
    const struct function *inner;             /* of a derivative: the function it differentiates */
    bool fixed[3];                            /* constant operands */
};

enum world { EAGER, LAZY, IN_SCAN, WORLDS };
static const char *const world_names[WORLDS] = {"eager", "lazy", "in a scan"};

/* Return weights or tangents that depend on the shape only, so that every evaluation uses the same. */
static ty_tensor *numbers_like(ty_tensor *y, double start) {
    ty_tensor *angles =
        ty_add(ty_reshape(ty_steps(TY_F64, start, 1, ty_size(y)), ty_rank(y), ty_shape(y)), ty_num(0.3));
    ty_tensor *real = ty_add(ty_cos(angles), ty_num(0.2));
    if (!dtype_is(ty_dtype_of(y), CLASS_COMPLEX)) return ty_cast(real, ty_dtype_of(y));
    return ty_cast(ty_add(real, ty_mul(ty_sin(angles), ty_complex(0, 1))), ty_dtype_of(y));
}

static ty_tensor *run_value(const struct function *f, ty_tensor *const *x) { return f->value(x); }
static ty_tensor *run_row(const struct function *f, ty_tensor *const *x) {
    return elementwise(f->row, f->n, x);
}

/* ---- a function in each step of a scan ---- */

static void step(void *context, ty_step *s) {
    const struct function *f = context;
    s->y[0] = f->run(f, s->x);
    s->next[0] = ty_add(s->carry[0], ty_mul(s->y[0], ty_num(0.5)));
}

/* Apply the function in each of two steps of a scan, on stacked operands; half the sum of its results is
   carried. */
static ty_tensor *run_scan(const struct function *f, ty_tensor *const *x) {
    ty_tensor *rows[3], *first[3], *last, *y;
    for (int i = 0; i < f->inner->n; i++) {
        rows[i] = ty_stack(2, (ty_tensor *[]){x[i], x[i]}, 0);
        first[i] = ty_detach(x[i]);
    }
    ty_tensor *carry = ty_mul(ty_detach(f->inner->run(f->inner, first)), ty_num(0));
    ty_scan_spec loop = {.ncarry = 1, .carry = &carry, .nx = f->inner->n, .x = rows, .ny = 1};
    CHECK(ty_scan(step, (void *)(uintptr_t)f->inner, loop, &last, &y, NULL), "%s: %s", f->name,
          ty_error(last));
    return ty_concat(2, (ty_tensor *[]){ty_expand(last, 0), y}, 0);
}

/* ---- derivatives as functions ---- */

/* Return the tangent of f as a function of its operands. */
static ty_tensor *run_tangent(const struct function *f, ty_tensor *const *x) {
    ty_tensor *y = CHECK_OK(f->inner->run(f->inner, x)), *t[3], *moving[3], *dy;
    int n = 0;
    for (int i = 0; i < f->n; i++) {
        if (f->fixed[i]) continue;
        t[n] = numbers_like(x[i], 2 + i);
        moving[n++] = x[i];
    }
    ty_allow_unused(true); /* the tangent of a linear function is constant */
    ty_jvp(1, &y, n, moving, t, &dy);
    return dy;
}

/* Return the gradients by all operands as one vector. */
static ty_tensor *run_gradient(const struct function *f, ty_tensor *const *x) {
    ty_tensor *y = CHECK_OK(f->inner->run(f->inner, x)), *moving[3], *flows[3];
    int n = 0;
    for (int i = 0; i < f->n; i++)
        if (!f->fixed[i]) moving[n++] = x[i];
    ty_vjp(y, numbers_like(y, 0), n, moving, flows);
    for (int i = 0; i < n; i++) flows[i] = ty_reshape(flows[i], TY_SHAPE(-1));
    return ty_concat(n, flows, 0);
}

/* ---- checks ---- */

static double _Complex *read(ty_tensor *x) {
    double _Complex *numbers = test_room((size_t)(ty_size(x) + 1) * sizeof *numbers);
    CHECK(ty_read(ty_eval(CHECK_OK(x)), TY_C128, numbers), "a result must be readable");
    return numbers;
}

/* Return Re sum(conj(a) b); adds the sum of the terms' moduli to *size. */
static double product(ty_tensor *a, ty_tensor *b, double *size) {
    const double _Complex *left = read(a), *right = read(b);
    double sum = 0;
    for (int64_t i = 0; i < ty_size(a); i++) {
        sum += creal(conj(left[i]) * right[i]);
        *size += cabs(left[i] * right[i]);
    }
    return sum;
}

static void check_transpose(const struct function *f, int n, ty_tensor *const *x, ty_tensor *const *t,
                            ty_tensor *y, ty_tensor *dy, enum world world) {
    ty_tensor *g = CHECK_OK(numbers_like(y, 5)), *flows[3];
    double size = 0, back = 0, forward = product(g, dy, &size);
    ty_vjp(y, g, n, x, flows);
    for (int i = 0; i < n; i++) back += product(CHECK_OK(flows[i]), t[i], &size);
    CHECK(fabs(forward - back) <= 1e-10 * size + 1e-12, "%s, %s: forward %.15g, back %.15g", f->name,
          world_names[world], forward, back);
}

/* Return the elements of f(x + epsilon t). */
static const double _Complex *moved(const struct function *f, ty_tensor *const *values, double epsilon) {
    ty_tensor *x[3];
    for (int i = 0; i < f->n; i++) {
        x[i] = values[i];
        if (!f->fixed[i])
            x[i] =
                ty_add(x[i], ty_cast(ty_mul(numbers_like(x[i], 1 + i), ty_num(epsilon)), ty_dtype_of(x[i])));
        x[i] = ty_track(x[i], "");
    }
    return read(f->run(f, x));
}

static void check_differences(const struct function *f, ty_tensor *const *values, ty_tensor *dy,
                              enum world world) {
    static const double epsilon = 1e-6;
    const double _Complex *above = moved(f, values, epsilon), *below = moved(f, values, -epsilon),
                          *got = read(dy);
    for (int64_t i = 0; i < ty_size(dy); i++) {
        double _Complex want = (above[i] - below[i]) / (2 * epsilon);
        CHECK(cabs(got[i] - want) <= 1e-5 + 1e-3 * cabs(want),
              "%s, %s: element %lld moves by %.9g%+.9gi, differences say %.9g%+.9gi", f->name,
              world_names[world], (long long)i, creal(got[i]), cimag(got[i]), creal(want), cimag(want));
    }
}

static void check(const struct function *f, ty_tensor *const *values, enum world world) {
    struct test_round round = test_round();
    ty_allow_unused(true); /* some functions are constant gradients */
    struct function in_scan = {.name = f->name, .n = f->n, .run = run_scan, .inner = f};
    memcpy(in_scan.fixed, f->fixed, sizeof f->fixed);
    if (world == IN_SCAN) f = &in_scan;
    ty_tensor *x[3], *moving[3], *t[3], *dy;
    int n = 0;
    for (int i = 0; i < f->n; i++) {
        x[i] = CHECK_OK(world == LAZY ? ty_var(values[i], "x") : ty_track(values[i], "x"));
        if (f->fixed[i]) continue;
        t[n] = CHECK_OK(numbers_like(values[i], 1 + i));
        moving[n++] = x[i];
    }
    ty_tensor *y = CHECK_OK(f->run(f, x));
    CHECK(ty_jvp(1, &y, n, moving, t, &dy), "%s, %s: %s", f->name, world_names[world], ty_error(dy));
    CHECK(ty_dtype_of(dy) == ty_dtype_of(y) &&
              shape_equal(ty_rank(dy), ty_shape(dy), ty_rank(y), ty_shape(y)),
          "%s, %s: a tangent is of another dtype or shape", f->name, world_names[world]);
    CHECK(ty_is_promise(y) || !ty_is_promise(dy), "%s, %s: values move by values", f->name,
          world_names[world]);
    check_transpose(f, n, moving, t, y, dy, world);
    check_differences(f, values, dy, world);
    test_round_end(round);
}

/* Check derivatives of derivatives: forward over forward, forward over reverse. */
static void check_twice(const struct function *f, ty_tensor *const *values, enum world world) {
    struct function twice = *f;
    twice.inner = f;
    twice.run = run_tangent;
    check(&twice, values, world);
    twice.run = run_gradient;
    check(&twice, values, world);
}

/* Check forward mode over each pair of modes. */
static void check_thrice(const struct function *f, ty_tensor *const *values, enum world world) {
    for (int modes = 0; modes < 4; modes++) {
        struct function once = *f, twice = *f;
        once.inner = f;
        once.run = modes & 1 ? run_gradient : run_tangent;
        twice.inner = &once;
        twice.run = modes & 2 ? run_gradient : run_tangent;
        check(&twice, values, world);
    }
}

typedef void (*checker)(const struct function *f, ty_tensor *const *values, enum world world);

static void check_rows(checker check_one, ty_dtype dtype, enum world world) {
    static const int64_t shapes[3][2] = {{2, 3}, {1, 3}, {2, 1}}; /* includes broadcasting */
    for (int row = 0; row < ROWS; row++) {
        struct test_round round = test_round();
        struct function f = {
            .name = row_ops[row].name, .n = row_ops[row].arity, .run = run_row, .row = (enum row_id)row};
        ty_tensor *x[3];
        bool flows = false, same = true;
        for (int i = 0; i < f.n; i++) {
            bool truth = row_table[row].in == CHOICE && i == 0;
            x[i] =
                sample_shape(truth ? TY_BOOL : dtype, 2, shapes[i], row_table[row].low, row_table[row].high);
            f.fixed[i] = row_ops[row].no_gradient[i] != NULL;
            flows |= !f.fixed[i];
            same &= !truth;
        }
        bool fits = flows && dtype_is(dtype, (int)row_table[row].in & 0xFF);
        if (fits && (same || world != IN_SCAN)) check_one(&f, x, world);
        test_round_end(round);
    }
}

static void check_functions(checker check_one, enum parts parts, enum world world) {
    for (int k = 0; k < gradient_sample_count; k++) {
        const struct gradient_sample *d = &gradient_samples[k];
        if (!(d->parts & parts)) continue;
        struct test_round round = test_round();
        struct function f = {.name = d->name, .n = d->n, .run = run_value, .value = d->value};
        ty_tensor *x[3];
        for (int i = 0; i < d->n; i++)
            x[i] = gradient_operand(d, parts == PARTS_COMPLEX ? TY_C128 : TY_F64, i);
        check_one(&f, x, world);
        test_round_end(round);
    }
}

static void rows_eager(void) { check_rows(check, TY_F64, EAGER); }
static void rows_lazy(void) { check_rows(check, TY_F64, LAZY); }
static void rows_in_scan(void) { check_rows(check, TY_F64, IN_SCAN); }
static void rows_complex(void) {
    for (int world = 0; world < WORLDS; world++) check_rows(check, TY_C128, (enum world)world);
}
static void rows_twice(void) {
    check_rows(check_twice, TY_F64, EAGER);
    check_rows(check_twice, TY_F64, LAZY);
}
static void rows_twice_in_scan(void) { check_rows(check_twice, TY_F64, IN_SCAN); }
static void rows_twice_complex(void) { check_rows(check_twice, TY_C128, LAZY); }
static void rows_thrice(void) { check_rows(check_thrice, TY_F64, LAZY); }
static void functions_eager(void) { check_functions(check, PARTS_REAL, EAGER); }
static void functions_lazy(void) { check_functions(check, PARTS_REAL, LAZY); }
static void functions_in_scan(void) { check_functions(check, PARTS_REAL, IN_SCAN); }
static void functions_complex(void) {
    for (int world = 0; world < WORLDS; world++) check_functions(check, PARTS_COMPLEX, (enum world)world);
}
static void functions_twice(void) {
    check_functions(check_twice, PARTS_REAL, EAGER);
    check_functions(check_twice, PARTS_REAL, LAZY);
}
static void functions_twice_complex(void) { check_functions(check_twice, PARTS_COMPLEX, EAGER); }

/* ---- special points of entries ---- */

static const struct known {
    enum row_id row;
    int operand;
    double derivatives[3], operands[3]; /* NaN: infinite or undefined */
} known[] = {
#define DERIVATIVE(row, operand, first, second, third, ...)                                                  \
    {ROW_##row, operand, {first, second, third}, {__VA_ARGS__}},
#include "tests/grad/derivatives.def"
};
enum { KNOWN = sizeof known / sizeof *known };

/* Check n lines of one entry and operand, as one vector. */
static void check_group(const struct known *first, int n, bool lazy) {
    struct test_round round = test_round();
    int arity = row_ops[first->row].arity;
    int64_t size = n;
    double *numbers = test_room((size_t)n * sizeof *numbers);
    ty_tensor *x[3], *one = ty_ones(TY_F64, 1, &size);
    for (int i = 0; i < arity; i++) {
        for (int k = 0; k < n; k++) numbers[k] = first[k].operands[i];
        x[i] = CHECK_OK(ty_from(TY_F64, 1, &size, numbers));
        if (i == first->operand) x[i] = CHECK_OK(lazy ? ty_var(x[i], "x") : ty_track(x[i], "x"));
    }
    ty_tensor *y = CHECK_OK(elementwise(first->row, arity, x));
    ty_allow_unused(true); /* a slope may be constant */
    for (int order = 1; order <= 3; order++) {
        ty_jvp(1, &y, 1, &x[first->operand], &one, &y);
        CHECK(ty_read(CHECK_OK(ty_eval(CHECK_OK(y))), TY_F64, numbers), "a derivative must be readable");
        for (int k = 0; k < n; k++) {
            double want = first[k].derivatives[order - 1];
            CHECK(isnan(want) || fabs(numbers[k] - want) <= 1e-8 * fabs(want) + 1e-12,
                  "%s, %s: derivative %d by operand %d at %g, %g, %g is %.12g, not %.12g",
                  row_ops[first->row].name, lazy ? "lazy" : "eager", order, first->operand,
                  first[k].operands[0], first[k].operands[1], first[k].operands[2], numbers[k], want);
        }
    }
    test_round_end(round);
}

static void special_points(void) {
    for (int i = 0, n; i < KNOWN; i += n) {
        for (n = 1;
             i + n < KNOWN && known[i + n].row == known[i].row && known[i + n].operand == known[i].operand;)
            n++;
        check_group(&known[i], n, true);
        check_group(&known[i], n, false);
    }
}

/* ---- by hand ---- */

static ty_tensor *tangent(ty_tensor *y, ty_tensor *x, ty_tensor *t) {
    ty_tensor *dy;
    CHECK(ty_jvp(1, &y, 1, &x, &t, &dy), "%s", ty_error(dy));
    return dy;
}

static ty_tensor *number(double x) { return ty_scalar(TY_F64, x); }
static ty_tensor *below(void *context, ty_tensor *const *carry) {
    (void)context;
    return ty_lt(ty_amax(carry[0], TY_ALL), ty_num(100));
}
static void cubed(void *context, ty_tensor *const *carry, ty_tensor **next) {
    (void)context;
    next[0] = ty_mul(ty_square(carry[0]), carry[0]);
    next[1] = ty_add(carry[1], ty_num(1));
}

/* x^(3^n) until it is at least 100, where reverse mode would need to know n. */
static void while_without_bound(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *x = lazy ? ty_var(number(1.5), "x") : ty_track(number(1.5), "x"), *last[2], *g;
        CHECK(ty_while(below, cubed, NULL, 2, (ty_tensor *[]){x, number(0)}, 0, last, NULL), "%s",
              ty_error(last[0]));
        ty_tensor *dy = tangent(last[0], x, number(2));
        compare_near(ty_eval(dy), number(2 * 27 * pow(1.5, 26)), 1e-13, 0, "tangent");
        dy = tangent(dy, x, number(1));
        compare_near(ty_eval(dy), number(2 * 27 * 26 * pow(1.5, 25)), 1e-13, 0, "and once more");
        CHECK(!ty_grad(last[0], 1, &x, &g), "reverse mode knows no bound");
        compare_near(ty_eval(tangent(last[1], x, number(1))), number(0), 0, 0, "what only counts");
    }
}

/* Tangents of a loop's outputs: last carries, all carries, results of steps, in reverse order. */
static void histories(void) {
    for (int reverse = 0; reverse < 2; reverse++) {
        ty_tensor *rows = ty_track(ty_reshape(ty_steps(TY_F64, 0.1, 0.07, 12), TY_SHAPE(4, 3)), "rows");
        ty_tensor *scale = ty_track(ty_from(TY_F64, TY_SHAPE(3), (double[]){0.5, -0.3, 0.9}), "scale");
        ty_tensor *y = bodies_scan(rows, scale, true, reverse), *t = numbers_like(rows, 3), *flows;
        ty_tensor *dy = tangent(y, rows, t);
        double size = 0, forward = product(numbers_like(y, 0), dy, &size);
        CHECK(ty_vjp(y, numbers_like(y, 0), 1, &rows, &flows), "no gradient");
        CHECK(fabs(forward - product(flows, t, &size)) < 1e-12 * size, "histories move");
    }
}

/* An x computed from another x moves with it and by its own tangent. */
static void one_after_the_other(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *a = lazy ? ty_var(number(3), "a") : ty_track(number(3), "a"), *b = ty_square(a),
                  *y = ty_mul(a, b), *both[] = {a, b}, *t[] = {number(1), number(10)}, *dy;
        CHECK(ty_jvp(1, &y, 2, both, t, &dy), "no tangent");
        compare_near(ty_eval(dy), number(27 + 30), 1e-15, 0, "a^3, and b by 10");
        CHECK(ty_jvp(1, &y, 2, (ty_tensor *[]){a, a}, t, &dy), "no tangent");
        compare_near(ty_eval(dy), number(27 * 11), 1e-15, 0, "twice the same");
        ty_tensor *several[] = {y, b, number(5)}, *moves[3];
        CHECK(!ty_jvp(3, several, 1, &a, t, moves), "a number moves");
        CHECK_POISON(moves[0], "y[2], f64[], does not depend on any x");
        ty_allow_unused(true);
        CHECK(ty_jvp(3, several, 1, &a, t, moves), "no tangents");
        compare_near(ty_eval(moves[0]), number(27), 1e-15, 0, "of three");
        compare_near(ty_eval(moves[1]), number(6), 1e-15, 0, "of three");
        compare_near(ty_eval(moves[2]), number(0), 0, 0, "what does not depend on it");
        ty_allow_unused(false);
    }
}

/* Functions without a gradient have a tangent of 0: floors, comparisons, integers, detached values. */
static void nothing_moves(void) {
    ty_tensor *x = ty_track(ty_from(TY_F32, TY_SHAPE(2), (float[]){1.5f, 2.5f}), "x"),
              *t = ty_ones(TY_F32, TY_SHAPE(2));
    compare_numbers(tangent(ty_mul(ty_floor(x), x), x, t), NUMBERS(1, 2), "floor");
    compare_numbers(tangent(ty_mul(ty_detach(x), x), x, t), NUMBERS(1.5, 2.5), "detach");
    compare_numbers(tangent(ty_mul(ty_cast(ty_cast(x, TY_I32), TY_F32), x), x, t), NUMBERS(1, 2), "integers");
    compare_numbers(tangent(ty_cast(ty_gt(x, ty_num(2)), TY_F32), x, t), NUMBERS(0, 0), "comparisons");
    CHECK(ty_dtype_of(tangent(ty_cast(x, TY_F16), x, t)) == TY_F16, "a cast moves in its dtype");
}

/* The inner derivative holds the outer variable constant. */
static void nested(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *x = lazy ? ty_var(number(1), "x") : ty_track(number(1), "x");
        ty_tensor *y = lazy ? ty_var(number(1), "y") : ty_track(number(1), "y");
        ty_tensor *inner = tangent(ty_mul(x, y), y, number(1)); /* x */
        compare_near(ty_eval(tangent(ty_mul(x, inner), x, number(1))), number(2), 1e-15, 0, "d x^2");
    }
}

/* Return the last state of h' = tanh(h w + x); writes the squared sums of all states. */
static void recur(void *context, ty_step *s) {
    s->next[0] = ty_tanh(ty_add(ty_matmul(s->carry[0], context), s->x[0]));
    s->y[0] = ty_sum(ty_square(s->next[0]), TY_ALL);
}

static ty_tensor *layer(ty_tensor *x, ty_tensor *w, ty_tensor **squares) {
    ty_tensor *first = ty_zeros(TY_F64, TY_SHAPE(3)), *last;
    ty_scan(recur, w, (ty_scan_spec){.ncarry = 1, .carry = &first, .nx = 1, .x = &x, .ny = 1}, &last, squares,
            NULL);
    return last;
}

/* A compiled loop and its tangent are merged, unless the tangent depends on the loop's results. */
static void loops_become_one(void) {
    ty_tensor *rows = ty_reshape(ty_sin(ty_arange(TY_F64, 0, 12, 1)), TY_SHAPE(4, 3)), *squares, *more;
    ty_tensor *matrix = ty_reshape(ty_cos(ty_steps(TY_F64, 0, 2, 9)), TY_SHAPE(3, 3));
    ty_tensor *x = ty_var(rows, "x"), *w = ty_var(matrix, "w"), *both[] = {x, w};
    ty_tensor *y = layer(x, w, &squares), *z = layer(ty_mul(x, ty_num(2)), w, &more);
    ty_tensor *t[] = {numbers_like(rows, 1), numbers_like(matrix, 2)}, *dy, *ds, *crossed[4];
    CHECK(ty_jvp(1, &y, 2, both, t, &dy) && ty_jvp(1, &squares, 2, both, t, &ds), "%s", ty_error(dy));
    ty_tensor *outputs[] = {y, squares, dy, ds}, *eager[4];
    ty_program *p = test_program(ty_compile(4, outputs, (ty_compile_options){0}));
    CHECK(ty_run(p), "%s", ty_program_error(p));
    CHECK(test_report(p).merged >= 2, "three loops are one");
    ty_tensor *a = ty_track(rows, "x"), *b = ty_track(matrix, "w"), *same[] = {a, b};
    eager[0] = layer(a, b, &eager[1]);
    CHECK(ty_jvp(2, eager, 2, same, t, eager + 2), "%s", ty_error(eager[2]));
    for (int i = 0; i < 4; i++) compare_near(ty_output(p, i), eager[i], 1e-13, 1e-14, "output %d", i);
    /* each layer's tangent depends on the results of the other, or of itself */
    ty_tensor *by_y = ty_mul(t[0], ty_sum(y, TY_ALL)), *by_z = ty_mul(t[0], ty_sum(z, TY_ALL));
    CHECK(ty_jvp(1, &y, 1, &x, &by_y, &crossed[0]) && ty_jvp(1, &y, 1, &x, &by_z, &crossed[1]) &&
              ty_jvp(1, &z, 1, &x, &by_y, &crossed[2]) && ty_jvp(1, &z, 1, &x, &by_z, &crossed[3]),
          "%s", ty_error(crossed[0]));
    ty_tensor *values[6], *all[] = {y, z, crossed[0], crossed[1], crossed[2], crossed[3]};
    CHECK(ty_eval_all(6, all, values), "%s", ty_error(values[0]));
    ty_tensor *last = layer(ty_mul(a, ty_num(2)), b, &more), *of[] = {eager[0], last}, *moves[2];
    CHECK(ty_jvp(2, of, 1, same, t, moves), "%s", ty_error(moves[0]));
    for (int i = 0; i < 4; i++)
        compare_near(values[2 + i], ty_mul(moves[i / 2], ty_sum(of[i % 2], TY_ALL)), 1e-13, 1e-14,
                     "crossed %d", i);
}

static void complex_meaning(void) {
    double _Complex at = 1 + 2 * I, along = 0.5 - 1 * I;
    ty_tensor *z = ty_track(ty_from(TY_C128, 0, NULL, &at), "z"), *t = ty_from(TY_C128, 0, NULL, &along);
    double _Complex want = cexp(at) * along;
    compare_near(tangent(ty_exp(z), z, t), ty_from(TY_C128, 0, NULL, &want), 1e-14, 0, "holomorphic");
    want = conj(along);
    compare_near(tangent(ty_conj(z), z, t), ty_from(TY_C128, 0, NULL, &want), 1e-14, 0, "conj");
    compare_near(tangent(ty_real(z), z, t), number(creal(along)), 1e-14, 0, "real");
    compare_near(tangent(ty_imag(z), z, t), number(cimag(along)), 1e-14, 0, "imag");
    compare_near(tangent(ty_abs(z), z, t), number(creal(conj(at) * along) / cabs(at)), 1e-14, 0, "abs");
    compare_near(tangent(ty_arg(z), z, t), number(cimag(along / at)), 1e-14, 0, "arg");
    want = (along - at / cabs(at) * creal(conj(at) * along) / cabs(at)) / cabs(at);
    compare_near(tangent(ty_sign(z), z, t), ty_from(TY_C128, 0, NULL, &want), 1e-14, 1e-15, "sign");
}

static void errors(void) {
    ty_tensor *x = ty_track(ty_ones(TY_F32, TY_SHAPE(2)), "x"), *t = ty_ones(TY_F32, TY_SHAPE(2)),
              *y = ty_square(x), *i = ty_cast(x, TY_I32), *wrong = ty_ones(TY_F32, TY_SHAPE(3)), *dy;
    CHECK(!ty_jvp(1, &i, 1, &x, &t, &dy), "integers have no tangent");
    CHECK_POISON(dy, "jvp: y[0] is i32[2]");
    CHECK(!ty_jvp(1, &y, 1, &i, &i, &dy), "integers do not move");
    CHECK_POISON(dy, "jvp: x[0] is i32[2]");
    CHECK(!ty_jvp(1, &y, 1, &x, &wrong, &dy), "shapes must agree");
    CHECK_POISON(dy, "jvp: tangent 0 is f32[3], x[0] is f32[2]");
    CHECK(!ty_jvp(1, &y, 1, &x, (ty_tensor *[]){NULL}, &dy), "a tangent is NULL");
    CHECK_POISON(dy, "NULL");
    CHECK(!ty_jvp(1, &y, 1, &x, NULL, &dy), "tangents are NULL");
    CHECK_POISON(dy, "jvp: the array of");
    ty_tensor *q = ty_zeta(x, x);
    CHECK(!ty_jvp(1, &q, 1, &x, &t, &dy), "a derivative that nobody knows");
    CHECK_POISON(dy, "zeta");
    ty_tensor *unique = ty_unique(ty_square(ty_var(t, "v")));
    CHECK(ty_ok(unique), "%s", ty_error(unique));
    CHECK(ty_assign(x, wrong = ty_zeros(TY_F32, TY_SHAPE(2)), NULL), "assign");
    CHECK(!ty_jvp(1, &y, 1, &x, &t, &dy), "assigned since");
    CHECK_POISON(dy, "jvp: y was computed before variable");
}

/* Values read from a variable cannot become promises of it, but tangents of values need none. */
static void values_that_vary(void) {
    ty_tensor *v = ty_var(ty_from(TY_F64, TY_SHAPE(3), (double[]){3, 1, 3}), "v");
    ty_tensor *kept = ty_unique(v), *x = ty_track(ty_from(TY_F64, TY_SHAPE(2), (double[]){2, 5}), "x");
    ty_tensor *y = ty_sort(ty_mul(x, ty_detach(kept)), 0, true);
    compare_numbers(tangent(y, x, ty_from(TY_F64, TY_SHAPE(2), (double[]){1, 10})), NUMBERS(30, 1), "sort");
}

TESTS_MAIN(TEST(one_after_the_other), TEST(nested), TEST(nothing_moves), TEST(complex_meaning), TEST(errors),
           TEST(values_that_vary), TEST(while_without_bound), TEST(histories), TEST(loops_become_one),
           TEST(rows_eager), TEST(rows_lazy), TEST(rows_in_scan), TEST(rows_complex), TEST(rows_twice),
           TEST(rows_twice_in_scan), TEST(rows_twice_complex), TEST(rows_thrice), TEST(special_points),
           TEST(functions_eager), TEST(functions_lazy), TEST(functions_in_scan), TEST(functions_complex),
           TEST(functions_twice), TEST(functions_twice_complex))
