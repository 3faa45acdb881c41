/*
 * Random compositions of the functions of gradient.def: forward and reverse mode are transposes of each other, Hessians
 * are symmetric, compiled and eager.
 */
#include <math.h>
#include <tyto/tyto.h>

#include "tests/support/compare.h"
#include "tests/support/samples/gradient_samples.h"
#include "tests/support/harness.h"

enum { SIZE = 7, DEPTH = 4 };

/* A sequence of functions, each on random earlier results. */
struct composition {
    struct {
        const struct gradient_sample *f;
        int from[3];
    } steps[DEPTH];
};

static const struct gradient_sample *draw(void) {
    for (;;) {
        const struct gradient_sample *f = &gradient_samples[test_random() % (uint64_t)gradient_sample_count];
        if (f->parts & PARTS_REAL) return f;
    }
}

/* Return an operand of the function's shape and range from elements of v. */
static ty_tensor *operand(const struct gradient_sample *f, int i, ty_tensor *v) {
    int64_t n = 1;
    for (int k = 0; k < f->shapes[i].rank; k++) n *= f->shapes[i].sizes[k];
    ty_tensor *index = ty_mod(ty_steps(TY_I64, (double)i, 3, n), ty_int(ty_size(v)));
    /* distinct elements, so that no choice among them is tied */
    ty_tensor *apart = ty_mul(ty_sin(ty_steps(TY_F64, 1, 1.3, n)), ty_num(1.5));
    ty_tensor *between = ty_sigmoid(ty_add(ty_gather(v, index, 0), apart));
    ty_tensor *x = ty_add(ty_mul(between, ty_num(0.98 * (f->high - f->low))),
                          ty_num(f->low + 0.01 * (f->high - f->low)));
    return ty_reshape(x, f->shapes[i].rank, f->shapes[i].sizes);
}

/* Return y as a vector of moderate real numbers. */
static ty_tensor *settled(ty_tensor *y) {
    if (ty_dtype_of(y) == TY_C128) y = ty_add(ty_real(y), ty_imag(y));
    y = ty_cast(ty_reshape(y, TY_SHAPE(-1)), TY_F64);
    return ty_tanh(ty_mul(y, ty_num(0.3)));
}

static ty_tensor *run(const struct composition *c, ty_tensor *x) {
    ty_tensor *all[DEPTH + 1] = {x}, *sum = ty_sum(ty_square(x), TY_ALL);
    for (int k = 0; k < DEPTH; k++) {
        ty_tensor *operands[3];
        for (int i = 0; i < c->steps[k].f->n; i++)
            operands[i] = operand(c->steps[k].f, i, all[c->steps[k].from[i]]);
        all[k + 1] = settled(CHECK_OK(c->steps[k].f->value(operands)));
        sum = ty_add(sum, ty_sum(ty_square(all[k + 1]), TY_ALL));
    }
    return CHECK_OK(sum);
}

static double item(ty_tensor *x) { return ty_item(CHECK_OK(ty_eval(CHECK_OK(x)))); }
static ty_tensor *dot(ty_tensor *a, ty_tensor *b) { return ty_sum(ty_mul(a, b), TY_ALL); }

static void near(double got, double want, const struct composition *c, const char *what) {
    CHECK(fabs(got - want) <= 1e-8 * (1 + fabs(want)), "%s of %s, %s, %s, %s: %.12g and %.12g", what,
          c->steps[0].f->name, c->steps[1].f->name, c->steps[2].f->name, c->steps[3].f->name, got, want);
}

static void check(const struct composition *c) {
    double first[2], second[2];
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *value = ty_sin(ty_steps(TY_F64, 0.4, 1, SIZE)),
                  *x = CHECK_OK(lazy ? ty_var(value, "x") : ty_track(value, "x"));
        ty_tensor *u = ty_cos(ty_steps(TY_F64, 0, 1.7, SIZE)), *v = ty_sin(ty_steps(TY_F64, 2, 0.9, SIZE));
        ty_tensor *y = run(c, x), *dy, *g, *hu, *hv, *ddy;
        CHECK(ty_jvp(1, &y, 1, &x, &v, &dy), "%s", ty_error(dy));
        CHECK(ty_grad(y, 1, &x, &g), "%s", ty_error(g));
        CHECK(ty_hvp(y, 1, &x, &u, &hu) && ty_hvp(y, 1, &x, &v, &hv), "%s", ty_error(hu));
        CHECK(ty_jvp(1, &dy, 1, &x, &u, &ddy), "%s", ty_error(ddy));
        first[lazy] = item(dy);
        second[lazy] = item(ddy);
        near(item(dot(g, v)), first[lazy], c, "the two modes");
        near(item(dot(hu, v)), item(dot(hv, u)), c, "symmetry");
        near(item(dot(hu, v)), second[lazy], c, "forward over forward");
    }
    near(first[0], first[1], c, "eager and lazy");
    near(second[0], second[1], c, "eager and lazy, twice");
}

static void compositions(void) {
    for (int i = test_some(300, 30, 2); i > 0; i--) {
        struct test_round round = test_round();
        struct composition c;
        for (int k = 0; k < DEPTH; k++) {
            c.steps[k].f = draw();
            for (int j = 0; j < 3; j++) c.steps[k].from[j] = (int)test_between(0, k);
        }
        check(&c);
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(compositions))
