/* Views, padding, joining, gathering, casting: against values written here, naive loops, and the
   reference. */
#include <math.h>
#include <string.h>

#include "array/layout.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

static ty_tensor *counting(ty_dtype dtype, int rank, const int64_t *shape) {
    return ty_reshape(ty_arange(dtype, 0, shape_size(rank, shape), 1), rank, shape);
}

static void creation(void) {
    static const char *const engines[] = {"cpu", "ref"};
    for (int e = 0; e < 2; e++) {
        ty_use_engine(engines[e]);
        compare_numbers(ty_iota(TY_I32, TY_SHAPE(2, 3), 1), NUMBERS(0, 1, 2, 0, 1, 2), "iota along columns");
        compare_numbers(ty_iota(TY_F16, TY_SHAPE(2, 3), 0), NUMBERS(0, 0, 0, 1, 1, 1), "iota along rows");
        compare_numbers(ty_steps(TY_F64, 1, 0.5, 4), NUMBERS(1, 1.5, 2, 2.5), "arange");
        compare_numbers(ty_steps(TY_U8, 3, -1, 4), NUMBERS(3, 2, 1, 0), "arange downwards");
        compare_numbers(ty_linspace(TY_F32, 0, 1, 5), NUMBERS(0, 0.25, 0.5, 0.75, 1), "linspace");
        compare_numbers(ty_linspace(TY_F32, 2, 9, 1), NUMBERS(2), "linspace of one");
        compare_numbers(ty_eye(TY_C64, 2), NUMBERS(1, 0, 0, 1), "eye");
        compare_numbers(ty_full(TY_I8, TY_SHAPE(2), -3), NUMBERS(-3, -3), "full");
        compare_numbers(ty_ones(TY_BOOL, TY_SHAPE(3)), NUMBERS(1, 1, 1), "ones");
        CHECK(ty_size(CHECK_OK(ty_zeros(TY_F64, TY_SHAPE(3, 0, 2)))) == 0, "an empty tensor has no elements");
        CHECK(ty_rank(CHECK_OK(ty_scalar(TY_F64, 2))) == 0, "a scalar has no axes");
    }
    for (int dtype = TY_I8; dtype < TY_DTYPES; dtype++)
        compare_numbers(ty_iota((ty_dtype)dtype, TY_SHAPE(5), 0), NUMBERS(0, 1, 2, 3, 4), "iota of %s",
                        ty_dtype_name((ty_dtype)dtype));
    CHECK_POISON(ty_zeros(TY_F32, TY_SHAPE(2, -3)), "-3");
    CHECK_POISON(ty_zeros(TY_F64, TY_SHAPE(INT64_MAX, 4)), "exceeds the address space");
    CHECK_POISON(ty_zeros((ty_dtype)99, TY_SHAPE(2)), "99");
    CHECK_POISON(ty_iota(TY_F32, TY_SHAPE(2, 3), 2), "2");
}

static void slices(void) {
    ty_tensor *x = ty_arange(TY_I32, 0, 6, 1);
    compare_numbers(ty_slice(x, 0, 1, 4, 1), NUMBERS(1, 2, 3), "1:4");
    compare_numbers(ty_slice(x, 0, TY_END, TY_END, 2), NUMBERS(0, 2, 4), "::2");
    compare_numbers(ty_slice(x, 0, TY_END, TY_END, -1), NUMBERS(5, 4, 3, 2, 1, 0), "::-1");
    compare_numbers(ty_slice(x, 0, -2, TY_END, -3), NUMBERS(4, 1), "-2::-3");
    compare_numbers(ty_slice(x, -1, -3, -1, 1), NUMBERS(3, 4), "-3:-1");
    compare_numbers(ty_slice(x, 0, 4, 100, 1), NUMBERS(4, 5), "4:100 is cut at the end");
    CHECK(ty_size(CHECK_OK(ty_slice(x, 0, 4, 2, 1))) == 0, "4:2 is empty");
    CHECK(ty_size(CHECK_OK(ty_slice(x, 0, 9, TY_END, 1))) == 0, "9: is empty");
    compare_numbers(ty_slice(ty_slice(x, 0, 1, TY_END, 2), 0, TY_END, TY_END, -1), NUMBERS(5, 3, 1),
                    "of a slice");
    /* every start, stop and step agrees with the defining loop */
    for (int64_t start = -8; start <= 8; start++)
        for (int64_t stop = -8; stop <= 8; stop++)
            for (int64_t step = -3; step <= 3; step++) {
                if (step == 0) continue;
                struct test_round round = test_round();
                double want[6];
                int64_t n = 0, low = step > 0 ? 0 : -1, high = step > 0 ? 6 : 5;
                int64_t i = start < 0 ? start + 6 : start, end = stop < 0 ? stop + 6 : stop;
                i = i < low ? low : i > high ? high : i;
                end = end < low ? low : end > high ? high : end;
                for (; step > 0 ? i < end : i > end; i += step) want[n++] = (double)i;
                compare_numbers(ty_slice(x, 0, start, stop, step), n, want, "%d:%d:%d", (int)start, (int)stop,
                                (int)step);
                test_round_end(round);
            }
}

static void view_shapes(void) {
    ty_tensor *x = counting(TY_F32, TY_SHAPE(2, 3));
    compare_numbers(ty_transpose(x), NUMBERS(0, 3, 1, 4, 2, 5), "transpose");
    compare_numbers(ty_permute(x, NULL), NUMBERS(0, 3, 1, 4, 2, 5), "reversed axes");
    compare_numbers(ty_reshape(ty_transpose(x), TY_SHAPE(2, 3)), NUMBERS(0, 3, 1, 4, 2, 5),
                    "reshape that must copy");
    compare_numbers(ty_flip(x, -1), NUMBERS(2, 1, 0, 5, 4, 3), "flip");
    compare_numbers(ty_broadcast(ty_slice(x, 1, 0, 1, 1), TY_SHAPE(2, 2)), NUMBERS(0, 0, 3, 3), "broadcast");
    ty_tensor *y = CHECK_OK(ty_reshape(x, TY_SHAPE(-1, 2)));
    CHECK(ty_rank(y) == 2 && ty_shape(y)[0] == 3, "-1 becomes what fits");
    ty_tensor *wider = CHECK_OK(ty_expand(x, -1));
    CHECK(ty_rank(wider) == 3 && ty_shape(wider)[2] == 1, "expand at the end");
    CHECK(ty_rank(CHECK_OK(ty_squeeze(ty_expand(x, 0), 0))) == 2, "squeeze undoes expand");
    ty_tensor *t = CHECK_OK(ty_contiguous(ty_transpose(x)));
    CHECK(ty_is_contiguous(t) && !ty_is_contiguous(ty_transpose(x)), "ty_contiguous makes memory row-major");
    compare_numbers(t, NUMBERS(0, 3, 1, 4, 2, 5), "and keeps the elements");
    CHECK(ty_size(CHECK_OK(ty_reshape(ty_zeros(TY_F32, TY_SHAPE(0, 3)), TY_SHAPE(3, 0)))) == 0,
          "empty reshape");
    for (int dtype = 0; dtype < TY_DTYPES; dtype++) {
        ty_tensor *view = sample((ty_dtype)dtype, LAYOUT_NEGATIVE, 0, 3);
        compare_bits(ty_contiguous(view), view, "copy of %s", ty_dtype_name((ty_dtype)dtype));
    }
}

static void windows_and_diagonals(void) {
    ty_tensor *x = ty_arange(TY_F32, 0, 6, 1), *m = counting(TY_F32, TY_SHAPE(3, 4));
    compare_numbers(ty_window(x, 0, 3, 1, 1), NUMBERS(0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5), "windows of 3");
    compare_numbers(ty_window(x, 0, 2, 2, 3), NUMBERS(0, 3, 2, 5), "stride 2, dilation 3");
    ty_tensor *rows = CHECK_OK(ty_window(m, 0, 2, 1, 1));
    CHECK(ty_rank(rows) == 3 && ty_shape(rows)[0] == 2 && ty_shape(rows)[1] == 4 && ty_shape(rows)[2] == 2,
          "the window's place is a new last axis");
    compare_numbers(ty_slice(rows, 0, 1, 2, 1), NUMBERS(4, 8, 5, 9, 6, 10, 7, 11), "windows over rows");
    compare_numbers(ty_diagonal(m, 0, 1), NUMBERS(0, 5, 10), "diagonal");
    compare_numbers(ty_diagonal(ty_transpose(m), -1, -2), NUMBERS(0, 5, 10), "diagonal of a transpose");
    ty_tensor *cube = CHECK_OK(ty_diagonal(counting(TY_F32, TY_SHAPE(2, 3, 2)), 0, 2));
    compare_numbers(cube, NUMBERS(0, 7, 2, 9, 4, 11), "the diagonal is the last axis");
}

static void bits_as_numbers(void) {
    ty_tensor *x = ty_from(TY_F32, TY_SHAPE(2, 2), (float[]){1, -2, 0.5f, 0});
    compare_numbers(ty_view_as(x, TY_U32), NUMBERS(0x3f800000, 0xc0000000, 0x3f000000, 0), "floats as bits");
    CHECK(ty_data(ty_view_as(x, TY_U8)) == ty_data(x), "a view shares");
    for (int from = 0; from < TY_DTYPES; from++)
        for (int to = 1; to < TY_DTYPES; to++) {
            struct test_round round = test_round();
            ty_tensor *whole = sample_shape((ty_dtype)from, TY_SHAPE(3, 16), 0, 9);
            ty_tensor *views[] = {whole, ty_slice(whole, 0, TY_END, TY_END, -2),
                                  ty_transpose(sample_shape((ty_dtype)from, TY_SHAPE(16, 3), 0, 9)),
                                  ty_slice(whole, 1, 0, TY_END, 1)};
            for (int i = 0; i < 4; i++) {
                ty_tensor *seen = CHECK_OK(ty_view_as(views[i], (ty_dtype)to));
                ty_tensor *dense = ty_contiguous(views[i]);
                CHECK(!test_starving() ? !memcmp(ty_data(ty_contiguous(seen)), ty_data(dense),
                                                 (size_t)ty_size(dense) * ty_dtype_size((ty_dtype)from))
                                       : true,
                      "%s as %s keeps its bytes", ty_dtype_name((ty_dtype)from), ty_dtype_name((ty_dtype)to));
                compare_bits(ty_eval(ty_view_as(ty_lazy(views[i]), (ty_dtype)to)), seen, "a promise of bits");
                if (from != TY_BOOL) compare_bits(ty_view_as(seen, (ty_dtype)from), views[i], "and back");
            }
            test_round_end(round);
        }
}

static void views_share(void) {
    ty_tensor *x = counting(TY_F32, TY_SHAPE(3, 4));
    const float *data = ty_data(x);
    CHECK(ty_data(ty_slice(x, 0, 1, 3, 1)) == data + 4, "a slice lies inside");
    CHECK(ty_data(ty_flip(x, 1)) == data + 3, "a flip starts at the end");
    CHECK(ty_data(ty_transpose(x)) == data, "a transpose shares");
    CHECK(ty_data(ty_reshape(x, TY_SHAPE(12))) == data, "a reshape shares");
    CHECK(ty_data(ty_window(x, 1, 2, 1, 1)) == data, "a window shares");
    CHECK(ty_data(ty_diagonal(x, 0, 1)) == data, "a diagonal shares");
    CHECK(ty_data(ty_detach(x)) == data, "a detached value shares");
    ty_tensor *wide = CHECK_OK(ty_broadcast(x, TY_SHAPE(2, 3, 4)));
    CHECK(ty_data(wide) == data && ty_strides(wide)[0] == 0, "a broadcast has stride 0");
}

static void view_errors(void) {
    ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(2, 3));
    CHECK_POISON(ty_reshape(x, TY_SHAPE(4, 2)), "f32[2,3]");
    CHECK_POISON(ty_reshape(x, TY_SHAPE(-1, -1)), "-1");
    CHECK_POISON(ty_reshape(x, TY_SHAPE(-1, 4)), "reshape");
    CHECK_POISON(ty_permute(x, (int[]){0, 0}), "permute");
    CHECK_POISON(ty_transpose(ty_zeros(TY_F32, TY_SHAPE(3))), "f32[3]");
    CHECK_POISON(ty_broadcast(x, TY_SHAPE(2, 4)), "broadcast");
    CHECK_POISON(ty_slice(x, 2, 0, 1, 1), "slice");
    CHECK_POISON(ty_slice(x, 0, 0, 1, 0), "step");
    CHECK_POISON(ty_squeeze(x, 0), "size");
    CHECK_POISON(ty_window(x, 1, 4, 1, 1), "window");
    CHECK_POISON(ty_window(x, 1, 0, 1, 1), "window");
    CHECK_POISON(ty_diagonal(x, 1, 1), "diagonal");
    CHECK_POISON(ty_flip(x, -3), "-3");
    CHECK_POISON(ty_transpose(ty_sum(x, ty_axis(5))), "5");
}

/* Return one random view of x; x itself if its shape does not allow that view. */
static ty_tensor *random_view(ty_tensor *x) {
    int rank = ty_rank(x), axis = rank ? (int)test_between(0, rank - 1) : 0, order[TY_MAX_RANK];
    int64_t n = rank ? ty_shape(x)[axis] : 0;
    switch (test_between(0, 7)) {
    case 0:
        return rank >= 2 ? ty_transpose(x) : x;
    case 1:
        return n > 1 ? ty_slice(x, axis, test_between(0, 1), TY_END, test_between(1, 2)) : x;
    case 2:
        return rank ? ty_flip(x, axis) : x;
    case 3:
        return rank && rank < 5 && n >= 2 ? ty_window(x, axis, 2, 1, 1) : x;
    case 4:
        return rank >= 3 ? ty_diagonal(x, axis, (axis + 1) % rank) : x;
    case 5:
        return rank < 5 ? ty_expand(x, axis) : x;
    case 6:
        return ty_size(x) > 0 ? ty_reshape(x, TY_SHAPE(-1)) : x;
    default:
        for (int i = 0; i < rank; i++) order[i] = (i + axis) % rank;
        return rank ? ty_permute(x, order) : x;
    }
}

/* Both engines compute on long chains of views. */
static void view_chains(void) {
    for (int i = 0; i < 150; i++) {
        struct test_round round = test_round();
        ty_tensor *x = sample_shape(i % 2 ? TY_F32 : TY_I16, TY_SHAPE(4, 3, 5), -4, 4);
        for (int k = 0; k < 6; k++) x = CHECK_OK(random_view(x));
        ty_use_engine("ref");
        ty_tensor *copy = ty_neg(ty_neg(x)), *sum = ty_add(x, ty_contiguous(x));
        ty_use_engine("cpu");
        compare_bits(x, copy, "chain %d", i);
        compare_bits(ty_neg(ty_neg(x)), copy, "chain %d negated twice", i);
        compare_bits(ty_add(x, ty_contiguous(x)), sum, "chain %d doubled", i);
        test_round_end(round);
    }
}

static void padding(void) {
    ty_tensor *x = ty_from(TY_F32, TY_SHAPE(3), (float[]){1, 2, 3}), *nine = ty_num(9);
    compare_numbers(ty_pad(x, (ty_padding[]){{1, 2, 0}}, nine), NUMBERS(9, 1, 2, 3, 9, 9), "around");
    compare_numbers(ty_pad(x, (ty_padding[]){{0, 0, 1}}, nine), NUMBERS(1, 9, 2, 9, 3), "between");
    compare_numbers(ty_pad(x, (ty_padding[]){{-1, 1, 0}}, nine), NUMBERS(2, 3, 9), "cut at the start");
    compare_numbers(ty_pad(x, (ty_padding[]){{-1, -1, 2}}, nine), NUMBERS(9, 9, 2, 9, 9),
                    "cut after widening");
    compare_numbers(ty_pad(x, (ty_padding[]){{-2, -1, 0}}, nine), 0, NULL, "nothing left");
    ty_tensor *m = counting(TY_I64, TY_SHAPE(2, 2));
    compare_numbers(ty_pad(m, (ty_padding[]){{0, 1, 0}, {1, 0, 0}}, ty_int(-1)),
                    NUMBERS(-1, 0, 1, -1, 2, 3, -1, -1, -1), "two axes");
    CHECK_POISON(ty_pad(x, (ty_padding[]){{-2, -2, 0}}, nine), "pad");
    CHECK_POISON(ty_pad(x, (ty_padding[]){{0, 0, -1}}, nine), "pad");
    CHECK_POISON(ty_pad(x, (ty_padding[]){{1, 1, 0}}, x), "0-d");
}

struct padded {
    ty_tensor *x, *value;
    ty_padding padding[3];
};

static ty_tensor *pad_it(const void *context) {
    const struct padded *p = context;
    return ty_pad(p->x, p->padding, p->value);
}

static void padding_random(void) {
    for (int i = 0; i < 200; i++) {
        struct test_round round = test_round();
        ty_dtype dtype = (ty_dtype)(i % TY_DTYPES);
        ty_tensor *x = sample_shape(dtype, TY_SHAPE(test_between(0, 4), test_between(1, 4), 3), 0, 9);
        struct padded p = {.x = CHECK_OK(i % 3 ? x : ty_flip(ty_permute(x, NULL), 0)),
                           .value = ty_scalar(dtype, 1)};
        for (int axis = 0; axis < 3; axis++) {
            int64_t n = ty_shape(p.x)[axis];
            p.padding[axis] = (ty_padding){test_between(-1, 2), test_between(-1, 2), test_between(0, 2)};
            if (n < 2) p.padding[axis].low = p.padding[axis].high = 1;
        }
        compare_engines(pad_it, &p, 0, 0, "padding case %d", i);
        test_round_end(round);
    }
}

static void joining(void) {
    ty_tensor *a = counting(TY_F32, TY_SHAPE(2, 2)), *b = ty_neg(counting(TY_F32, TY_SHAPE(2, 1)));
    static const char *const engines[] = {"cpu", "ref"};
    for (int e = 0; e < 2; e++) {
        ty_use_engine(engines[e]);
        compare_numbers(ty_concat(2, (ty_tensor *[]){a, b}, 1), NUMBERS(0, 1, 0, 2, 3, -1), "concat columns");
        compare_numbers(ty_concat(3, (ty_tensor *[]){a, a, ty_transpose(a)}, 0),
                        NUMBERS(0, 1, 2, 3, 0, 1, 2, 3, 0, 2, 1, 3), "concat rows");
        compare_numbers(ty_stack(2, (ty_tensor *[]){a, ty_flip(a, 0)}, 0), NUMBERS(0, 1, 2, 3, 2, 3, 0, 1),
                        "stack first");
        compare_numbers(ty_stack(2, (ty_tensor *[]){a, ty_neg(a)}, -1), NUMBERS(0, 0, 1, -1, 2, -2, 3, -3),
                        "stack last");
        ty_tensor *empty = ty_zeros(TY_F32, TY_SHAPE(2, 0));
        compare_numbers(ty_concat(3, (ty_tensor *[]){empty, a, empty}, -1), NUMBERS(0, 1, 2, 3),
                        "with empty parts");
        compare_numbers(ty_concat(1, &a, 0), NUMBERS(0, 1, 2, 3), "of one");
    }
    ty_tensor *mixed = CHECK_OK(ty_concat(2, (ty_tensor *[]){a, ty_ones(TY_F64, TY_SHAPE(1, 2))}, 0));
    CHECK(ty_dtype_of(mixed) == TY_F64, "mixed dtypes meet in f64, not %s",
          ty_dtype_name(ty_dtype_of(mixed)));
    ty_tensor *many[40];
    for (int i = 0; i < 40; i++) many[i] = ty_full(TY_I32, TY_SHAPE(1), i);
    compare_bits(ty_concat(40, many, 0), ty_arange(TY_I32, 0, 40, 1), "concat of forty");
    CHECK_POISON(ty_concat(2, (ty_tensor *[]){a, b}, 0), "concat");
    CHECK_POISON(ty_concat(2, (ty_tensor *[]){a, b}, 2), "2");
    CHECK_POISON(ty_concat(0, NULL, 0), "concat");
}

struct gathering {
    ty_tensor *x, *index;
    int axis;
    int64_t size;
};

static ty_tensor *gather_it(const void *context) {
    const struct gathering *g = context;
    return ty_gather(g->x, g->index, g->axis);
}

static ty_tensor *scatter_it(const void *context) {
    const struct gathering *g = context;
    return ty_scatter_add(ty_gather(g->x, g->index, g->axis), g->index, g->axis, g->size);
}

static void gathering(void) {
    ty_tensor *x = counting(TY_F32, TY_SHAPE(3, 2)),
              *index = ty_from(TY_I32, TY_SHAPE(4), (int32_t[]){2, 0, -1, 2});
    static const char *const engines[] = {"cpu", "ref"};
    for (int e = 0; e < 2; e++) {
        ty_use_engine(engines[e]);
        compare_numbers(ty_gather(x, index, 0), NUMBERS(4, 5, 0, 1, 4, 5, 4, 5), "rows");
        ty_tensor *g = ty_ones(TY_F32, TY_SHAPE(4, 2));
        compare_numbers(ty_scatter_add(g, index, 0, 3), NUMBERS(1, 1, 0, 0, 3, 3), "scatter_add");
        compare_numbers(ty_one_hot(index, 3, TY_I8), NUMBERS(0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1), "one_hot");
    }
    for (int i = 0; i < 120; i++) {
        struct test_round round = test_round();
        static const ty_dtype indices[] = {TY_I64, TY_I32, TY_U8, TY_I16, TY_U64, TY_I8};
        ty_dtype dtype = (ty_dtype)(1 + i % (TY_DTYPES - 1)), at = indices[i % 6];
        struct gathering g = {.axis = (int)test_between(0, 2)};
        x = sample_shape(dtype, TY_SHAPE(3, 4, 5), 0, 4);
        g.x = CHECK_OK(i % 2 ? x : ty_permute(ty_flip(x, 1), (int[]){1, 2, 0}));
        g.size = ty_shape(g.x)[g.axis];
        double lowest = dtype_is(at, CLASS_SIGNED) ? -(double)g.size : 0;
        g.index = sample_shape(at, i % 3, (int64_t[]){2, 3}, lowest, (double)(g.size - 1));
        compare_engines(gather_it, &g, 0, 0, "gather case %d", i);
        compare_engines(scatter_it, &g, 8 * relative_ulp(dtype), 0, "scatter_add case %d", i);
        test_round_end(round);
    }
}

static void gather_errors(void) {
    ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(3, 2));
    static const char *const engines[] = {"cpu", "ref"};
    for (int e = 0; e < 2; e++) {
        ty_use_engine(engines[e]);
        CHECK_POISON(ty_gather(x, ty_int(3), 0), "index 3");
        CHECK_POISON(ty_gather(x, ty_int(-4), 0), "index -4");
        CHECK_POISON(ty_scatter_add(x, ty_arange(TY_I64, 0, 3, 1), 0, 2), "index 2");
    }
    CHECK_POISON(ty_gather(x, ty_num(1), 0), "f64");
    CHECK_POISON(ty_gather(x, ty_int(1), 2), "2");
    CHECK_POISON(ty_scatter_add(x, ty_arange(TY_I64, 0, 2, 1), 0, 4), "scatter_add");
    ty_tensor *lazy = ty_gather(ty_lazy(x), ty_int(7), 0);
    CHECK_POISON(ty_eval(lazy), "index 7");
}

/* The adjoint of a window: sum(window(x) * g) has the gradient g, added at each window's position. */
struct windowing {
    ty_tensor *x, *g;
    int axis;
    int64_t size, stride, dilation;
};

static ty_tensor *window_add_it(const void *context) {
    const struct windowing *w = context;
    ty_tensor *x = ty_track(w->x, "x"), *gradient;
    ty_vjp(ty_window(x, w->axis, w->size, w->stride, w->dilation), w->g, 1, &x, &gradient);
    return gradient;
}

static void window_adjoint(void) {
    for (int i = 0; i < 60; i++) {
        struct test_round round = test_round();
        ty_dtype dtype = i % 3 == 0 ? TY_F32 : i % 3 == 1 ? TY_F64 : TY_C64;
        struct windowing w = {.x = sample_shape(dtype, TY_SHAPE(4, 9, 7), -1, 1),
                              .axis = (int)test_between(0, 2),
                              .size = test_between(1, 3),
                              .stride = test_between(1, 3),
                              .dilation = 1};
        if (w.axis) w.dilation = test_between(1, 3);
        ty_tensor *windows = CHECK_OK(ty_window(w.x, w.axis, w.size, w.stride, w.dilation));
        w.g = sample_shape(dtype, ty_rank(windows), ty_shape(windows), -1, 1);
        if (i % 2) w.g = ty_flip(w.g, 1);
        compare_engines(window_add_it, &w, 1e-5, 1e-5, "window case %d", i);
        test_round_end(round);
    }
}

struct conversion {
    ty_tensor *x;
    ty_dtype to;
};

static ty_tensor *cast_it(const void *context) {
    const struct conversion *c = context;
    return ty_cast(c->x, c->to);
}

/* Every pair of dtypes and every layout casts like the reference. */
static void casting(void) {
    for (int from = 0; from < TY_DTYPES; from++)
        for (int to = 0; to < TY_DTYPES; to++)
            for (int layout = 0; layout < LAYOUTS; layout++) {
                struct test_round round = test_round();
                struct conversion c = {sample((ty_dtype)from, (enum sample_layout)layout, -9, 9),
                                       (ty_dtype)to};
                compare_engines(cast_it, &c, 0, 0, "%s to %s, %s", ty_dtype_name((ty_dtype)from),
                                ty_dtype_name((ty_dtype)to), sample_layout_name((enum sample_layout)layout));
                test_round_end(round);
            }
}

/* Extremes, NaN and infinities cast to every dtype. */
static void cast_values(void) {
    for (int from = 0; from < TY_DTYPES; from++)
        for (int to = 0; to < TY_DTYPES; to++) {
            struct test_round round = test_round();
            _Alignas(16) char room[SAMPLE_SPECIALS * 16];
            int n = sample_specials((ty_dtype)from, room);
            struct conversion c = {ty_from((ty_dtype)from, TY_SHAPE(n), room), (ty_dtype)to};
            compare_engines(cast_it, &c, 0, 0, "%s to %s, special values", ty_dtype_name((ty_dtype)from),
                            ty_dtype_name((ty_dtype)to));
            test_round_end(round);
        }
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(5), (double[]){2.9, -2.9, (double)NAN, 0, 255});
    compare_numbers(ty_cast(x, TY_I32), NUMBERS(2, -2, 0, 0, 255), "f64 to i32");
    compare_numbers(ty_cast(x, TY_BOOL), NUMBERS(1, 1, 1, 0, 1), "f64 to bool");
    compare_numbers(ty_cast(ty_int(300), TY_U8), NUMBERS(44), "integers wrap");
    compare_numbers(ty_cast(ty_int(-1), TY_U64), NUMBERS(18446744073709551615.0), "-1 to u64");
    compare_numbers(ty_cast(ty_complex(3, 4), TY_F64), NUMBERS(3), "the imaginary part goes");
    compare_numbers(ty_cast(ty_complex(0, 4), TY_BOOL), NUMBERS(1), "i is not zero");
    ty_tensor *halves = ty_from(TY_F32, TY_SHAPE(4), (float[]){1.0009765625F, 65519, 65520, 0x1p-25F});
    compare_numbers(ty_cast(halves, TY_F16), NUMBERS(1.0009765625, 65504, (double)INFINITY, 0), "f32 to f16");
    ty_tensor *brains = ty_from(TY_F32, TY_SHAPE(3), (float[]){0x1.01p0F, 0x1.03p0F, 0x1.010002p0F});
    compare_numbers(ty_cast(brains, TY_BF16), NUMBERS(1, 0x1.04p0, 0x1.02p0), "f32 to bf16 rounds to even");
}

static void leaves(void) {
    ty_tensor *x = ty_from(TY_F32, TY_SHAPE(2), (float[]){1, 2}), *error;
    ty_tensor *v = CHECK_OK(ty_var(x, "v")), *t = CHECK_OK(ty_track(x, "t")), *c = CHECK_OK(ty_lazy(x));
    CHECK(ty_is_promise(v) && ty_is_promise(c) && !ty_is_promise(t), "variables and constants are promises");
    CHECK(!strcmp(ty_name(v), "v") && !strcmp(ty_name(t), "t"), "variables keep their names");
    ty_tensor *lazy = ty_add(v, c), *eager = ty_add(t, x);
    CHECK(ty_is_promise(lazy) && !ty_is_promise(eager), "an operator that meets a promise returns a promise");
    compare_numbers(lazy, NUMBERS(2, 4), "a promise is computed when read");
    compare_numbers(eager, NUMBERS(2, 4), "a tracked value is computed at once");
    CHECK(ty_assign(v, ty_full(TY_F32, TY_SHAPE(2), 5), &error), "assignment");
    CHECK(ty_assign(t, ty_full(TY_F32, TY_SHAPE(2), 5), &error), "assignment");
    compare_numbers(ty_add(v, c), NUMBERS(6, 7), "a variable is what was assigned last");
    compare_numbers(ty_add(t, c), NUMBERS(6, 7), "a tracked variable too");
    compare_numbers(eager, NUMBERS(2, 4), "values computed before stay");
    compare_numbers(ty_detach(v), NUMBERS(5, 5), "detached");
    compare_numbers(ty_to(v, "cpu"), NUMBERS(5, 5), "moved to where it is");
    CHECK(!ty_assign(v, ty_zeros(TY_F32, TY_SHAPE(3)), &error), "a wrong shape is refused");
    CHECK_POISON(error, "f32[3]");
    CHECK(!ty_assign(x, x, &error), "a value is no variable");
    CHECK_POISON(error, "assign");
}

static const struct test_case cases[] = {
#define CASE(name, operators) TEST_REACHES(name, operators),
#include "tests/ops/shape/structure.def"
};
TESTS_MAIN_TABLE(cases)
