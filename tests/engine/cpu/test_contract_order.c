/*
 * Epilogues behind convolutions (contract_order.c, contract_store.c): compiled graphs, in which an epilogue takes sums
 * in some order of boxes, equal eager calls to the bit. Channels first and last, phases of transposed convolutions,
 * groups and depthwise windows, with caches and tiles of many sizes.
 */
#include <tyto/nn.h>
#include <tyto/tyto.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/naive/conv_naive.h"
#include "tests/support/samples/sample.h"

/* Draw a convolution of x by w along n axes, with more channels and longer lines than those of conv_random. */
static struct conv_case draw(ty_dtype dtype) {
    struct conv_case c = {.n = (int)test_between(1, 3), .transposed = test_between(0, 1)};
    ty_conv *o = &c.options;
    int64_t x[5], w[5], groups = test_between(0, 1) ? 1 : test_between(2, 20);
    int64_t in = test_between(0, 1) ? 1 : test_between(1, 24 / groups + 2);
    int64_t out = test_between(0, 1) ? 1 : test_between(1, 96 / groups + 2);
    o->nchw = test_between(0, 3) > 0;
    o->groups = groups;
    x[0] = test_between(1, 2);
    x[o->nchw ? 1 : c.n + 1] = in * groups;
    w[o->nchw ? !c.transposed : c.n] = c.transposed ? in * groups : in;
    w[o->nchw ? c.transposed : c.n + 1] = c.transposed ? out : out * groups;
    for (int i = 0; i < c.n; i++) {
        int64_t size = test_between(1, 4);
        o->stride[i] = test_between(1, 3);
        o->dilation[i] = test_between(0, 2) ? 1 : 2;
        o->low[i] = test_between(0, size - 1);
        o->high[i] = test_between(0, size - 1);
        x[(o->nchw ? 2 : 1) + i] = (size - 1) * 2 + 1 + test_between(0, c.n == 3 ? 4 : 24);
        w[o->nchw ? 2 + i : i] = size;
    }
    c.x = CHECK_OK(sample_shape(dtype, c.n + 2, x, -2, 2));
    c.w = CHECK_OK(sample_shape(dtype, c.n + 2, w, -2, 2));
    return c;
}

/* Extra operands of an epilogue: a bias for each channel, an array like the result, a factor for each place of the last
   axis, and an array that follows the result in a concatenation. */
struct extras {
    ty_tensor *bias, *residual, *factor, *more;
};

static ty_tensor *extra(ty_dtype dtype, ty_tensor *like, int axis) {
    int64_t shape[5];
    for (int i = 0; i < ty_rank(like); i++) shape[i] = axis < 0 || i == axis ? ty_shape(like)[i] : 1;
    return CHECK_OK(sample_shape(dtype, ty_rank(like), shape, -2, 2));
}

/* Return the convolution of x by w, followed by epilogue `kind`. */
static ty_tensor *record(const struct conv_case *c, ty_tensor *x, ty_tensor *w, const struct extras *e,
                         int kind) {
    struct conv_case made = *c;
    made.x = x;
    made.w = w;
    ty_tensor *y = conv_compute(&made);
    int channel = c->options.nchw ? 1 : c->n + 1;
    switch (kind) {
    case 0:
        return ty_relu(ty_add(y, e->bias));
    case 1:
        return ty_add(ty_hard_swish(ty_add(y, e->bias)), e->residual);
    case 2:
        return ty_mul(ty_sub(e->residual, y), e->factor);
    case 3:
        return ty_concat(2, (ty_tensor *[]){ty_relu(y), e->more}, channel);
    case 4: /* the padding becomes a guard of the epilogue's operand */
        return ty_add(y,
                      ty_pad(ty_slice(e->residual, 2, 1, TY_END, 1),
                             (ty_padding[5]){{0}, {0}, {.low = 1}, {0}, {0}}, ty_scalar(ty_dtype_of(y), 0)));
    default:
        return ty_transpose(ty_relu(y));
    }
}
enum { KINDS = 6 };

static void equal_bits(void) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F32, TY_F64, TY_F16};
    for (int i = 0; i < conv_rounds(2000); i++) {
        struct test_round round = test_round();
        ty_dtype dtype = dtypes[i % 4];
        struct conv_case c = draw(dtype);
        int kind = i % KINDS;
        ty_tensor *y = conv_compute(&c);
        if (ty_ok(y) && ty_size(y) > 0) {
            struct extras e = {extra(dtype, y, c.options.nchw ? 1 : c.n + 1), extra(dtype, y, -1),
                               extra(dtype, y, c.n + 1), extra(dtype, y, -1)};
            ty_tensor *want = record(&c, c.x, c.w, &e, kind);
            if (i % 3) test_draw_caches();
            if (i % 5 == 0) test_draw_tiles();
            ty_set_threads((int)test_between(1, 3));
            ty_tensor *x = ty_var(c.x, "x"), *w = i % 2 ? ty_var(c.w, "w") : c.w;
            ty_tensor *lazy = record(&c, x, w, &e, kind);
            ty_program *p = test_program(ty_compile(1, &lazy, (ty_compile_options){0}));
            if (ty_run(p) || !test_starving())
                compare_bits(ty_output(p, 0), want, "case %d, epilogue %d, %s%s", i, kind,
                             c.options.nchw ? "channels first" : "channels last",
                             c.transposed ? ", transposed" : "");
        }
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(equal_bits))
