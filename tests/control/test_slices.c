/* Functions of slices: map, filter, fold, scan and each, over elements, rows, columns and blocks of every dtype and
   layout, in every way to compute them.  test_slices_calls.c has functions that fail or compute themselves. */
#include <stdatomic.h>
#include <string.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"

static const ty_form number = {TY_F64, 0, NULL};

static ty_tensor *box(void) { return ty_reshape(ty_arange(TY_F64, 0, 24, 1), 3, (int64_t[]){2, 3, 4}); }

/* ---- every dtype and layout ---- */

/* Bytes of a slice, and the copies of the function's operand that it makes. */
struct copying {
    size_t bytes;
    atomic_int calls;
};
static bool copy(void *context, ty_visit *v) {
    struct copying *c = context;
    memcpy(v->y, v->x[0], c->bytes);
    atomic_fetch_add(&c->calls, 1);
    return true;
}

/* Return x of shape [2,3,4] in memory of another layout. */
static ty_tensor *laid_out(ty_dtype dtype, int layout) {
    static const int64_t wide[] = {4, 3, 8}, thin[] = {2, 1, 4};
    switch (layout) {
    case 0:
        return ty_cast(box(), dtype);
    case 1: /* permuted */
        return ty_permute(ty_cast(ty_reshape(box(), 3, (int64_t[]){4, 2, 3}), dtype), (int[]){1, 2, 0});
    case 2: /* negative steps */
        return ty_flip(ty_flip(ty_cast(box(), dtype), 0), 2);
    case 3: /* steps over gaps */
        return ty_at(ty_cast(ty_reshape(ty_arange(TY_F64, 0, 96, 1), 3, wide), dtype), "1::2, :, ::2");
    default: /* broadcast */
        return ty_broadcast(ty_cast(ty_reshape(ty_arange(TY_F64, 0, 8, 1), 3, thin), dtype), 3,
                            (int64_t[]){2, 3, 4});
    }
}

/* Compare a map that copies slices of x, whose axes are in the mask, with x, permuted. */
static void copied(ty_tensor *x, unsigned mask, const char *what) {
    int order[3], axes[3], n = 0, inner = 0;
    int64_t shape[3];
    for (int i = 0; i < 3; i++)
        if (!(mask >> i & 1)) order[n++] = i;
    struct copying c = {.bytes = ty_dtype_size(ty_dtype_of(x))};
    for (int i = 0; i < 3; i++) {
        if (!(mask >> i & 1)) continue;
        order[n++] = axes[inner] = i;
        shape[inner++] = ty_shape(x)[i];
        c.bytes *= (size_t)ty_shape(x)[i];
    }
    ty_form form = {ty_dtype_of(x), inner, shape};
    ty_slicing s = {.f = copy, .context = &c, .axes = ty_axes_of(inner, axes, false)};
    ty_tensor *want = ty_permute(x, order);
    compare_bits(ty_map_slices(1, &x, form, s), want, "%s: values, axes %u", what, mask);
    s.threads = true;
    compare_bits(ty_map_slices(1, &x, form, s), want, "%s: on threads, axes %u", what, mask);
    ty_tensor *promise = ty_lazy(x);
    compare_bits(ty_eval(ty_map_slices(1, &promise, form, s)), want, "%s: a promise, axes %u", what, mask);
    promise = ty_flip(ty_flip(promise, 1), 1);
    compare_bits(ty_eval(ty_map_slices(1, &promise, form, s)), want, "%s: a view, axes %u", what, mask);
}

static void dtypes_and_layouts(void) {
    ty_set_threads(3);
    for (int dtype = 0; dtype < TY_DTYPES; dtype += test_some(1, 1, 5))
        for (int layout = 0; layout < 5; layout++)
            for (unsigned mask = 0; mask < 8; mask += (unsigned)test_some(1, 1, 3)) {
                struct test_round round = test_round();
                copied(laid_out((ty_dtype)dtype, layout), mask, ty_dtype_name((ty_dtype)dtype));
                test_round_end(round);
            }
}

/* ---- indices and several operands ---- */

/* y = the index of the slice, its number, and the number of elements of both operands. */
static bool tell(void *context, ty_visit *v) {
    (void)context;
    int64_t *y = v->y;
    y[0] = v->rank > 0 ? v->index[0] : -1;
    y[1] = v->rank > 1 ? v->index[1] : -1;
    y[2] = v->i;
    y[3] = v->size[0];
    y[4] = v->n > 1 ? v->size[1] : 0;
    return true;
}

static void indices(void) {
    ty_form form = {TY_I64, 1, (int64_t[]){5}};
    for (int threads = 0; threads < 2; threads++) {
        ty_tensor *x = box();
        ty_set_threads(5);
        ty_slicing s = {.f = tell, .axes = ty_axis(1), .threads = threads};
        ty_tensor *got = ty_map_slices(1, &x, form, s);
        if (!ty_ok(got)) return;
        CHECK(ty_rank(got) == 3 && ty_shape(got)[0] == 2 && ty_shape(got)[1] == 4, "a shape");
        const int64_t *y = ty_data(got);
        for (int i = 0; i < 8; i++) {
            CHECK(y[5 * i] == i / 4 && y[5 * i + 1] == i % 4 && y[5 * i + 2] == i, "slice %d", i);
            CHECK(y[5 * i + 3] == 3 && y[5 * i + 4] == 0, "sizes of slice %d", i);
        }
    }
}

/* y = x . w + b, for a row, a vector and an element. */
static bool affine(void *context, ty_visit *v) {
    const double *x = v->x[0], *w = v->x[1];
    double sum = *(const float *)v->x[2];
    (void)context;
    for (int64_t i = 0; i < v->size[0]; i++) sum += x[i] * w[i];
    *(double *)v->y = sum;
    return true;
}

/* Rows of a box, a vector of its own axis that all rows share, with gaps, and elements that broadcast. */
static void several_operands(void) {
    ty_tensor *w = ty_at(ty_arange(TY_F64, 0, 8, 1), "::-2");
    ty_tensor *b = ty_reshape(ty_arange(TY_F32, 0, 3, 1), 2, (int64_t[]){3, 1});
    ty_tensor *rows = ty_permute(box(), (int[]){1, 0, 2}), *x[] = {rows, w, b};
    ty_axes sets[] = {ty_axis(-1), ty_axis(0), {0}};
    ty_tensor *want = ty_add(ty_matmul(rows, w), ty_cast(b, TY_F64));
    for (int way = 0; way < 4; way++) {
        ty_slicing s = {.f = affine, .axes_of = sets, .threads = way & 1};
        if (way & 2) x[1] = ty_lazy(w);
        compare_bits(ty_eval(ty_map_slices(3, x, number, s)), want, "way %d", way);
    }
    ty_tensor *two[] = {box(), ty_ones(TY_F64, 2, (int64_t[]){3, 5})};
    CHECK_POISON(ty_map_slices(2, two, number, (ty_slicing){.f = affine}),
                 "the axes that count slices of operand 2 do not broadcast");
}

/* ---- filters ---- */

static bool is_even(void *context, ty_visit *v) {
    (void)context;
    return *(const int32_t *)v->x[0] % 2 == 0 && !v->y;
}
static bool is_wide(void *context, ty_visit *v) {
    return *(const double *)v->x[0] > *(const double *)context;
}
static bool no(void *context, ty_visit *v) {
    (void)context, (void)v;
    return false;
}

static void filters(void) {
    double limit = 5;
    ty_tensor *x = ty_arange(TY_I32, 0, 7, 1), *six = ty_reshape(box(), 2, (int64_t[]){6, 4});
    compare_bits(ty_filter_slices(x, (ty_slicing){.f = is_even}),
                 ty_from(TY_I32, 1, (int64_t[]){4}, (int32_t[]){0, 2, 4, 6}), "even numbers");
    ty_slicing rows = {.f = is_wide, .context = &limit, .axes = ty_axis(2), .threads = true};
    compare_bits(ty_filter_slices(box(), rows), ty_at(six, "2:"), "rows");
    compare_bits(ty_eval(ty_filter_slices(ty_lazy(box()), rows)), ty_at(six, "2:"), "rows of a promise");
    rows.axes = ty_axes_of(2, (int[]){0, 2}, false);
    compare_bits(ty_filter_slices(box(), rows), ty_permute(ty_at(box(), ":, 2:"), (int[]){1, 0, 2}),
                 "blocks");
    ty_tensor *nothing = ty_filter_slices(x, (ty_slicing){.f = no});
    if (CHECK_OK(nothing) && ty_ok(nothing))
        CHECK(ty_size(nothing) == 0 && ty_dtype_of(nothing) == TY_I32, "left");
    ty_tensor *one = ty_filter_slices(ty_int(4), (ty_slicing){.f = is_even});
    CHECK(!ty_ok(one) || (ty_rank(one) == 1 && ty_size(one) == 1), "a filter of rank 0");
    CHECK_POISON(ty_filter_slices(ty_var(box(), "v"), rows), "were read from a variable");
}

/* ---- folds and scans ---- */

/* y = 2 y + x, for three elements */
static bool horner(void *context, ty_visit *v) {
    double *y = v->y;
    (void)context;
    for (int k = 0; k < 3; k++) y[k] = 2 * y[k] + ((const double *)v->x[0])[k];
    return true;
}

static void folds(void) {
    ty_tensor *x = ty_reshape(ty_arange(TY_F64, 0, 12, 1), 2, (int64_t[]){4, 3});
    ty_tensor *start = ty_ones(TY_F64, 1, (int64_t[]){3}), *want[4], *y = start;
    for (int i = 0; i < 4; i++)
        want[i] = y = ty_add(ty_mul(y, ty_num(2)), ty_at_with(x, "@0", 1, (ty_tensor *[]){ty_int(i)}));
    ty_slicing s = {.f = horner, .axes = ty_axis(1), .threads = true};
    ty_tensor *promise = ty_lazy(x), *columns = ty_transpose(x);
    compare_bits(ty_fold_slices(start, 1, &x, s), want[3], "a fold");
    compare_bits(ty_eval(ty_fold_slices(start, 1, &promise, s)), want[3], "a fold of a promise");
    compare_bits(ty_eval(ty_fold_slices(ty_lazy(start), 1, &x, s)), want[3], "a fold from a promise");
    compare_bits(ty_scan_slices(start, 1, &x, s), ty_stack(4, want, 0), "a scan");
    compare_bits(ty_eval(ty_scan_slices(start, 1, &promise, s)), ty_stack(4, want, 0), "a scan of a promise");
    s.axes = ty_axis(0);
    compare_bits(ty_fold_slices(ty_broadcast(ty_cast(ty_num(1), TY_F64), 1, (int64_t[]){3}), 1, &columns, s),
                 want[3], "of columns, from a broadcast start");
    compare_bits(ty_fold_slices(ty_broadcast(start, 1, (int64_t[]){3}), 1, &columns, s), want[3], "again");
}

/* ---- elements one by one, and x itself ---- */

static bool count(void *context, ty_visit *v) {
    atomic_fetch_add((atomic_int *)context, 1);
    return !v->y;
}

static void each(void) {
    atomic_int calls = 0;
    ty_tensor *x = ty_transpose(box()), *v = ty_var(x, "v"), *got;
    ty_slicing s = {.f = count, .context = &calls, .axes = ty_axis(0)};
    compare_bits(ty_each_slice(1, &x, s), x, "values");
    CHECK(test_starving() || atomic_load(&calls) == 12, "%d calls", atomic_load(&calls));
    ty_tensor *y = ty_mul(ty_each_slice(1, &v, s), ty_num(2));
    ty_program *program = test_program(ty_compile(1, &y, (ty_compile_options){0}));
    for (int run = 0; run < 2; run++) {
        atomic_store(&calls, 0);
        if (!ty_run_outputs(program, 1, &got)) return;
        compare_bits(got, ty_mul(x, ty_num(2)), "run %d", run);
        CHECK(atomic_load(&calls) == 12, "%d calls in a run", atomic_load(&calls));
    }
    ty_tensor *dx, *dy, *ones = ty_ones(TY_F64, 3, ty_shape(x));
    if (ty_grad(ty_sum(y, TY_ALL), 1, &v, &dx))
        compare_bits(ty_eval(dx), ty_mul(ones, ty_num(2)), "a gradient");
    if (ty_jvp(1, &y, 1, &v, &ones, &dy)) compare_bits(ty_eval(dy), ty_mul(ones, ty_num(2)), "a tangent");
    ty_tensor *two[] = {x, ty_num(1)};
    s.axes_of = (ty_axes[]){ty_axis(0), {0}};
    compare_bits(ty_each_slice(2, two, s), x, "two operands");
}

/* ---- empty, rank 0, huge ---- */

static bool third(void *context, ty_visit *v) {
    (void)context;
    return v->i < 3;
}

static void extreme_sizes(void) {
    static const int64_t none[] = {0, 3};
    atomic_int calls = 0;
    ty_tensor *empty = ty_zeros(TY_F64, 2, none), *start = ty_ones(TY_F64, 1, (int64_t[]){3});
    ty_slicing s = {.f = horner, .axes = ty_axis(1), .threads = true};
    ty_form row = {TY_F32, 1, none}, back = {TY_F64, 1, none + 1};
    compare_bits(ty_fold_slices(start, 1, &empty, s), start, "a fold of nothing");
    compare_bits(ty_scan_slices(start, 1, &empty, s), empty, "a scan of nothing");
    compare_bits(ty_map_slices(1, &empty, back, s), empty, "a map of nothing");
    compare_bits(ty_filter_slices(empty, s), empty, "a filter of nothing");
    s = (ty_slicing){.f = count, .context = &calls, .axes = ty_axis(0)};
    ty_each_slice(1, &empty, s);
    CHECK(test_starving() || atomic_load(&calls) == 3, "%d calls for empty slices", atomic_load(&calls));
    ty_tensor *y =
        ty_map_slices(1, &empty, row,
                      (ty_slicing){.f = copy, .context = &(struct copying){.bytes = 0}, .axes = ty_axis(0)});
    CHECK(!ty_ok(y) || (ty_rank(y) == 2 && ty_shape(y)[0] == 3 && ty_size(y) == 0), "empty results");
    ty_tensor *zero = ty_cast(ty_num(7), TY_F64);
    struct copying eight = {.bytes = 8};
    compare_bits(ty_map_slices(1, &zero, number, (ty_slicing){.f = copy, .context = &eight}), zero, "rank 0");
    int64_t huge[] = {1 << 30, 1 << 20};
    ty_tensor *all = ty_broadcast(zero, 2, huge);
    CHECK_POISON(ty_each_slice(1, &all, (ty_slicing){.f = third}),
                 "each_slice: slice 3: the function failed");
    CHECK_POISON(ty_map_slices(1, &all, (ty_form){TY_F64, 1, huge}, (ty_slicing){.f = third}),
                 "the result exceeds the address space");
    int64_t tall[] = {(int64_t)1 << 40, 1}, wide[] = {1, (int64_t)1 << 40};
    ty_tensor *both[] = {ty_broadcast(zero, 2, tall), ty_broadcast(zero, 2, wide)};
    CHECK_POISON(ty_each_slice(2, both, (ty_slicing){.f = third}), "too many for the address space");
}

TESTS_MAIN(TEST(dtypes_and_layouts), TEST(indices), TEST(several_operands), TEST(filters), TEST(folds),
           TEST(each), TEST(extreme_sizes))
