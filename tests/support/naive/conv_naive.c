/* Computes all convolutions by one set of loops: missing spatial axes count as size 1, up to three. */
#include "tests/support/naive/conv_naive.h"
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include "array/dtype.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

typedef ty_tensor *(*function)(ty_tensor *x, ty_tensor *w, ty_conv options);

ty_tensor *conv_compute(const void *conv_case) {
    static const function functions[2][3] = {{ty_conv1d, ty_conv2d, ty_conv3d},
                                             {ty_conv_transpose1d, ty_conv_transpose2d, ty_conv_transpose3d}};
    const struct conv_case *c = conv_case;
    return functions[c->transposed][c->n - 1](c->x, c->w, c->options);
}

/* Sizes and strides of a tensor by the meaning of axes: batch or none, two kinds of channels, three
   spatial axes. */
struct view {
    double _Complex *at;
    int64_t size[6], step[6]; /* 0: batch, 1: channels in, 2: channels out, 3..5: space */
};

static void lay(struct view *v, int n, const int *meaning, const int64_t *shape) {
    int64_t step = 1;
    for (int i = 0; i < 6; i++) v->size[i] = 1, v->step[i] = 0;
    for (int i = n - 1; i >= 0; i--) {
        v->size[meaning[i]] = shape[i];
        v->step[meaning[i]] = step;
        step *= shape[i];
    }
    v->at = test_room((size_t)(step ? step : 1) * sizeof *v->at);
}

/* Write the meaning of each axis of an image (batch, one kind of channels, space) or kernel (both kinds,
   no batch). Returns the number of axes. */
static int order(const struct conv_case *c, bool kernel, int channels, int *meaning) {
    int n = 0, first = 3 + (3 - c->n);
    if (!kernel) meaning[n++] = 0;
    if (c->options.nchw && kernel) meaning[n++] = c->transposed ? 1 : 2, meaning[n++] = c->transposed ? 2 : 1;
    if (c->options.nchw && !kernel) meaning[n++] = channels;
    for (int i = 0; i < c->n; i++) meaning[n++] = first + i;
    if (!c->options.nchw && kernel) meaning[n++] = 1, meaning[n++] = 2;
    if (!c->options.nchw && !kernel) meaning[n++] = channels;
    return n;
}

static void read_view(struct view *v, int n, const int *meaning, ty_tensor *x) {
    CHECK_OK(x);
    lay(v, n, meaning, ty_shape(x));
    CHECK(ty_read(x, TY_C128, v->at) || ty_size(x) == 0, "a value must be readable");
}

/* Options of the three spatial axes, missing ones first. */
struct steps {
    int64_t stride[3], dilation[3], low[3], groups;
};

static int64_t or_one(int64_t n) { return n ? n : 1; }

static struct steps steps_of(const struct conv_case *c) {
    struct steps s = {{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, or_one(c->options.groups)};
    for (int i = 0; i < c->n; i++) {
        int at = 3 - c->n + i;
        s.stride[at] = or_one(c->options.stride[i]);
        s.dilation[at] = or_one(c->options.dilation[i]);
        s.low[at] = c->options.low[i];
    }
    return s;
}

/* Write the result's shape, in the order of axes that the options choose. */
static void result_shape(const struct conv_case *c, const int *meaning, int64_t *shape) {
    const ty_conv *o = &c->options;
    bool first = o->nchw;
    int64_t made = ty_shape(c->w)[first ? c->transposed : c->n + 1];
    for (int i = 0; i < c->n + 2; i++) {
        int axis = meaning[i] - 3 - (3 - c->n);
        if (meaning[i] == 0) {
            shape[i] = ty_shape(c->x)[0];
        } else if (meaning[i] == 2) {
            shape[i] = c->transposed ? made * or_one(o->groups) : made;
        } else {
            int64_t n = ty_shape(c->x)[i],
                    reach = (ty_shape(c->w)[first ? 2 + axis : axis] - 1) * or_one(o->dilation[axis]);
            int64_t stride = or_one(o->stride[axis]), padding = o->low[axis] + o->high[axis];
            shape[i] = c->transposed ? (n - 1) * stride + reach + 1 - padding + o->output_padding[axis]
                                     : (n + padding - reach - 1) / stride + 1;
        }
    }
}

/* Advance an index of six axes in row-major order; false at the end. */
static bool next(int64_t *index, const int64_t *size) {
    for (int i = 5; i >= 0; i--) {
        if (++index[i] < size[i]) return true;
        index[i] = 0;
    }
    return false;
}

static int64_t step_to(const struct view *v, int64_t batch, int64_t in, int64_t out, const int64_t *space) {
    return batch * v->step[0] + in * v->step[1] + out * v->step[2] + space[0] * v->step[3] +
           space[1] * v->step[4] + space[2] * v->step[5];
}

/* Add the products of the kernel at one spatial position of image `batch`. */
static void lay_kernel(const struct conv_case *c, const struct steps *s, const struct view *x,
                       const struct view *w, const struct view *y, int64_t batch, const int64_t *place) {
    const struct view *window = c->transposed ? y : x; /* the tensor whose axes the kernel moves along */
    int64_t index[6] = {0}, there[3]; /* group, input and output channel in the group, three kernel
                                         indices */
    int64_t groups = s->groups, in = x->size[1] / groups, out = y->size[2] / groups;
    int64_t size[6] = {groups, in, out, w->size[3], w->size[4], w->size[5]};
    for (int i = 0; i < 6; i++)
        if (size[i] == 0) return;
    do {
        bool inside = true;
        for (int i = 0; i < 3; i++) {
            there[i] = place[i] * s->stride[i] + index[3 + i] * s->dilation[i] - s->low[i];
            inside = inside && there[i] >= 0 && there[i] < window->size[3 + i];
        }
        if (!inside) continue;
        int64_t channel = index[0] * in + index[1], made = index[0] * out + index[2];
        int64_t from = step_to(x, batch, channel, 0, c->transposed ? place : there);
        int64_t to = step_to(y, batch, 0, made, c->transposed ? there : place);
        int64_t by =
            step_to(w, 0, c->transposed ? channel : index[1], c->transposed ? index[2] : made, index + 3);
        y->at[to] += x->at[from] * w->at[by];
    } while (next(index, size));
}

static ty_tensor *result_of(ty_dtype dtype, int rank, const int64_t *shape, const struct view *y) {
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n *= shape[i];
    if (!dtype_is(dtype, CLASS_INTEGER)) return ty_cast(ty_from(TY_C128, rank, shape, y->at), dtype);
    int64_t *whole = test_room((size_t)(n ? n : 1) * sizeof *whole);
    for (int64_t i = 0; i < n; i++) whole[i] = llround(creal(y->at[i]));
    return ty_cast(ty_from(TY_I64, rank, shape, whole), dtype);
}

ty_tensor *conv_naive(const struct conv_case *c) {
    struct view x, w, y;
    struct steps s = steps_of(c);
    int meaning[6];
    int64_t shape[5];
    int rank = c->n + 2;
    read_view(&x, order(c, false, 1, meaning), meaning, c->x);
    read_view(&w, order(c, true, 0, meaning), meaning, c->w);
    order(c, false, 2, meaning);
    result_shape(c, meaning, shape);
    lay(&y, rank, meaning, shape);
    const struct view *places = c->transposed ? &x : &y;
    int64_t size[6] = {1, 1, places->size[0], places->size[3], places->size[4], places->size[5]},
            index[6] = {0};
    for (int i = 0; i < 6; i++)
        if (size[i] == 0) return result_of(ty_dtype_of(c->x), rank, shape, &y);
    do lay_kernel(c, &s, &x, &w, &y, index[2], index + 3);
    while (next(index, size));
    return result_of(ty_dtype_of(c->x), rank, shape, &y);
}

struct conv_case conv_random(ty_dtype dtype, int most, double low, double high) {
    struct conv_case c = {.n = (int)test_between(1, 3), .transposed = test_between(0, 1)};
    ty_conv *o = &c.options;
    int64_t x[5], w[5], largest = c.n == 3 ? 3 : 5;
    o->nchw = test_between(0, 1);
    o->groups = test_between(0, 2) ? 0 : test_between(1, 3);
    int64_t in = test_between(1, most), out = test_between(1, most), groups = or_one(o->groups);
    x[0] = test_between(1, 2);
    x[o->nchw ? 1 : c.n + 1] = in * groups;
    w[o->nchw ? !c.transposed : c.n] = c.transposed ? in * groups : in;
    w[o->nchw ? c.transposed : c.n + 1] = c.transposed ? out : out * groups;
    for (int i = 0; i < c.n; i++) {
        int64_t size = test_between(1, c.n == 3 ? 2 : 3);
        o->stride[i] = test_between(0, 3);
        o->dilation[i] = test_between(0, 2);
        o->low[i] = test_between(-1, 2);
        o->high[i] = test_between(-1, 2);
        int64_t reach = (size - 1) * or_one(o->dilation[i]) + 1, padding = o->low[i] + o->high[i],
                n = test_between(1, largest);
        if (!c.transposed && n + padding < reach) n = reach - padding;
        while (c.transposed && (n - 1) * or_one(o->stride[i]) + reach - padding < 1) n++;
        if (c.transposed && !test_between(0, 2))
            o->output_padding[i] =
                test_between(0, (or_one(o->stride[i]) > or_one(o->dilation[i]) ? or_one(o->stride[i])
                                                                               : or_one(o->dilation[i])) -
                                    1);
        x[(o->nchw ? 2 : 1) + i] = n;
        w[o->nchw ? 2 + i : i] = size;
    }
    c.x = CHECK_OK(sample_shape(dtype, c.n + 2, x, low, high));
    c.w = CHECK_OK(sample_shape(dtype, c.n + 2, w, low, high));
    return c;
}

int64_t conv_terms(const struct conv_case *c) {
    int64_t n = ty_shape(c->x)[c->options.nchw ? 1 : c->n + 1];
    for (int i = 0; i < c->n; i++) n *= ty_shape(c->w)[c->options.nchw ? 2 + i : i];
    return n ? n : 1;
}

int conv_rounds(int n) {
    const char *quick = getenv("TY_TEST_QUICK");
    return test_starving() ? n / 100 + 1 : quick && *quick == '1' ? n / 20 + 1 : n;
}

double conv_bound(ty_dtype dtype, int64_t terms) {
    return relative_ulp(dtype) * (4 + 4 * sqrt((double)terms));
}
