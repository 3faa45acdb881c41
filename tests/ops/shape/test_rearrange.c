/*
 * Functions that rearrange, create and query; NumPy's values are in goldens.txt. These tests cover gradients, promises,
 * views that must share memory, several results, and errors.
 */
#include <math.h>
#include <string.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

#define INTS(...)                                                                                            \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]) { __VA_ARGS__ }

/* ---- linear functions: <f(x), w> is <x, g> for the gradient g, eagerly, as a promise, compiled
   ---------- */

typedef ty_tensor *(*function)(ty_tensor *x);
static double product(ty_tensor *a, ty_tensor *b) { return ty_item(ty_vdot(a, b)); }

static void check_linear(const char *name, function f, int rank, const int64_t *shape) {
    struct test_round round = test_round();
    ty_tensor *x = sample_shape(TY_F64, rank, shape, -2, 2), *leaf = ty_track(x, "x"), *y = CHECK_OK(f(leaf)),
              *g, *lazy;
    ty_tensor *w = sample_shape(TY_F64, ty_rank(y), ty_shape(y), -2, 2);
    CHECK(ty_vjp(y, w, 1, &leaf, &g), "%s: %s", name, ty_error(g));
    double want = product(ty_detach(y), w), got = product(g, x);
    CHECK(test_starving() || fabs(want - got) <= 1e-9 * (1 + fabs(want)), "%s: %g by the gradient, %g itself",
          name, got, want);
    ty_tensor *v = ty_var(x, "x"), *promise = f(v);
    compare_bits(ty_eval(promise), ty_detach(y), "%s as a promise", name);
    CHECK(ty_vjp(promise, w, 1, &v, &lazy), "%s: %s", name, ty_error(lazy));
    compare_near(ty_eval(lazy), g, 1e-12, 1e-12, "%s: gradient as a promise", name);
    ty_use_engine("ref");
    compare_near(f(x), ty_detach(y), 1e-12, 1e-12, "%s on the reference", name);
    ty_use_engine("cpu");
    test_round_end(round);
}
#define LINEAR(text, ...) check_linear(#text, linear_##text, TY_SHAPE(__VA_ARGS__))
#define F(name, expression)                                                                                  \
    static ty_tensor *linear_##name(ty_tensor *x) { return expression; }

F(swap, ty_swap(x, 0, -1))
F(moveaxis, ty_moveaxis(x, 2, (int64_t[]){0, 2}, (int64_t[]){2, 1}))
F(rollaxis, ty_rollaxis(x, 2, 0))
F(flip_axes, ty_flip_axes(x, INTS(0, 2)))
F(rotate, ty_rotate(x, 3, 0, 1))
F(expand, ty_squeeze_axes(ty_expand_axes(x, INTS(0, -1)), 0, NULL))
F(atleast, ty_atleast(ty_ravel(x), 3))
F(tile, ty_tile(x, INTS(2, 1, 3)))
F(tile_more, ty_tile(x, INTS(2, 2, 1, 1)))
F(repeat, ty_repeat(x, 3, 1))
F(spread, ty_spread(x, 3, (int64_t[]){2, 3, 1}, (int64_t[]){1, 2, 4}))
F(repeat_each, ty_repeat_each(x, ty_from(TY_I32, TY_SHAPE(3), (int32_t[]){2, 0, 3}), 1))
F(resize, ty_resize(x, TY_SHAPE(5, 9)))
F(roll, ty_roll(x, 3, (int64_t[]){1, -2, 5}, (int64_t[]){0, 1, -1}))
F(roll_flat, ty_roll(x, 1, (int64_t[]){-7}, NULL))
F(delete, ty_delete(x, INTS(0, -1), 2))
F(insert, ty_insert(x, INTS(1), x, 1))
F(hstack, ty_hstack(2, (ty_tensor *[]){x, x}))
F(column_stack, ty_column_stack(2, (ty_tensor *[]){ty_ravel(x), ty_ravel(x)}))
F(block, ty_block(2, 2, (ty_tensor *[]){x, x, x, x}))
F(append, ty_append(x, ty_mul(x, ty_num(2))))
F(slide, ty_slide(x, INTS(2, 3), (int64_t[]){0, 2}))
F(unfold, ty_unfold(ty_expand(x, 0), (int64_t[]){2, 3}, (ty_conv){.same = true}))
F(unfold_add, ty_unfold_add(ty_expand(ty_reshape(x, TY_SHAPE(4, 6)), 0), (int64_t[]){3, 4}, (int64_t[]){2, 2},
                            (ty_conv){0}))
F(diag, ty_diag(ty_ravel(x), 2))
F(diag_of, ty_diag(x, -1))
F(diagonal_at, ty_diagonal_at(x, 1, 2, 1))
F(tril, ty_tril(x, 1))
F(trace, ty_trace(x, -1, 1, 2))
F(toeplitz, ty_toeplitz(ty_ravel(x), ty_ravel(x)))
F(hankel, ty_hankel(ty_ravel(x), ty_ravel(x)))
F(circulant, ty_circulant(ty_ravel(x)))
F(kron, ty_kron(x, ty_ones(TY_F64, TY_SHAPE(2, 2))))
F(outer, ty_outer(x, ty_steps(TY_F64, 1, 1, 3)))
F(tensordot, ty_tensordot(x, ty_reshape(ty_arange(TY_F64, 0, 12, 1), TY_SHAPE(4, 3)), 2, (int64_t[]){1, 2},
                          (int64_t[]){1, 0}))
F(cross, ty_cross(x, ty_steps(TY_F64, 1, 1, 3), -1))
F(polar, ty_real(ty_from_parts(x, ty_mul(x, ty_num(3)))))
F(imaginary, ty_imag(ty_from_parts(x, ty_mul(x, ty_num(3)))))

static void gradients_of_views(void) {
    LINEAR(swap, 2, 3, 4);
    LINEAR(moveaxis, 2, 3, 4);
    LINEAR(rollaxis, 2, 3, 4);
    LINEAR(flip_axes, 2, 3, 4);
    LINEAR(rotate, 2, 3, 4);
    LINEAR(expand, 2, 3, 4);
    LINEAR(atleast, 2, 3, 4);
    LINEAR(slide, 2, 3, 4);
    LINEAR(unfold, 2, 3, 4);
    LINEAR(unfold_add, 2, 3, 4);
    LINEAR(diag_of, 2, 3, 4);
    LINEAR(diagonal_at, 2, 3, 4);
}

static void gradients_of_copies(void) {
    LINEAR(tile, 2, 3, 4);
    LINEAR(tile_more, 2, 3, 4);
    LINEAR(repeat, 2, 3, 4);
    LINEAR(spread, 2, 3, 4);
    LINEAR(repeat_each, 2, 3, 4);
    LINEAR(resize, 2, 3, 4);
    LINEAR(roll, 2, 3, 4);
    LINEAR(roll_flat, 2, 3, 4);
    LINEAR(delete, 2, 3, 4);
    LINEAR(insert, 2, 3, 4);
    LINEAR(hstack, 2, 3, 4);
    LINEAR(column_stack, 2, 3);
    LINEAR(block, 2, 3);
    LINEAR(append, 2, 3);
}

static void gradients_of_matrices(void) {
    LINEAR(diag, 5);
    LINEAR(tril, 2, 3, 4);
    LINEAR(trace, 2, 3, 4);
    LINEAR(toeplitz, 4);
    LINEAR(hankel, 4);
    LINEAR(circulant, 4);
    LINEAR(kron, 2, 3);
    LINEAR(outer, 2, 3);
    LINEAR(tensordot, 2, 3, 4);
    LINEAR(cross, 2, 3);
    LINEAR(polar, 2, 3);
    LINEAR(imaginary, 2, 3);
}

/* ---- every dtype and layout ------------------------------------------------------------------------------
 */

static void every_dtype(void) {
    for (int d = 0; d < TY_DTYPES; d++)
        for (int layout = 0; layout <= LAYOUT_EMPTY; layout++) {
            struct test_round round = test_round();
            ty_tensor *x = sample((ty_dtype)d, (enum sample_layout)layout, 0, 9);
            const char *words = sample_layout_name((enum sample_layout)layout);
            ty_tensor *tiled = CHECK_OK(ty_tile(x, INTS(2, 3))), *dense = ty_contiguous(x);
            compare_bits(tiled, ty_tile(dense, INTS(2, 3)), "tile of %s %s", ty_dtype_name((ty_dtype)d),
                         words);
            CHECK(ty_dtype_of(tiled) == (ty_dtype)d, "tile keeps the dtype");
            ty_tensor *rolled = CHECK_OK(ty_roll(x, INTS(2), NULL)), *back = ty_roll(rolled, INTS(-2), NULL);
            compare_bits(back, dense, "roll there and back of %s %s", ty_dtype_name((ty_dtype)d), words);
            if (ty_rank(x) == 2) {
                ty_tensor *turned = ty_rotate(ty_rotate(x, 1, 0, 1), 3, 0, 1);
                compare_bits(turned, dense, "four quarter turns of %s", words);
                compare_bits(ty_add(ty_tril(x, 0), ty_triu(x, 1)), dense, "two triangles of %s %s",
                             ty_dtype_name((ty_dtype)d), words);
                compare_bits(ty_delete(ty_insert(x, INTS(1), x, 1), 0, NULL, 0),
                             ty_insert(dense, INTS(1), dense, 1), "insert into %s", words);
            }
            ty_tensor *full = CHECK_OK(
                ty_full_of(ty_reshape(ty_slice(ty_ravel(ty_tile(x, INTS(1, 1))), 0, 0, 0, 1), TY_SHAPE(0)),
                           TY_SHAPE(3, 0)));
            CHECK(ty_size(full) == 0, "an empty full");
            test_round_end(round);
        }
}

/* ---- results in lists
 * -------------------------------------------------------------------------------------- */

static void lists(void) {
    ty_tensor *x = ty_reshape(ty_arange(TY_F32, 0, 12, 1), TY_SHAPE(3, 4)), *parts[8], *joined;
    const float *data = ty_data(x);
    CHECK(ty_split(x, 2, 1, parts), "%s", ty_error(parts[0]));
    CHECK(ty_data(parts[1]) == data + 2, "parts are views");
    joined = CHECK_OK(ty_concat(2, parts, 1));
    compare_bits(joined, x, "split and joined");
    CHECK(ty_chunk(x, 3, 1, parts) == 2 && ty_shape(parts[1])[1] == 2, "chunks of two: two of them");
    CHECK(ty_chunk(x, 2, 0, parts) == 2 && ty_shape(parts[1])[0] == 1, "the last chunk is shorter");
    CHECK(ty_split_at(x, INTS(1, -1), 1, parts), "%s", ty_error(parts[0]));
    compare_bits(ty_concat(3, parts, 1), x, "cut at indices and joined");
    CHECK(!ty_split(x, 5, 1, parts), "4 into 5");
    for (int i = 0; i < 5; i++)
        CHECK_POISON(parts[i], "4 elements of axis 1 cannot be split into 5 equal parts; use ty_array_split");
    CHECK(!ty_split(ty_poison("bad"), 2, 0, parts), "poison");
    CHECK_POISON(parts[1], "bad");
    CHECK(!ty_broadcast_together(2, (ty_tensor *[]){x, ty_ones(TY_F32, TY_SHAPE(3))}, parts), "3 and 4");
    CHECK_POISON(parts[1], "does not broadcast");
    CHECK(ty_meshgrid(1, &joined, true, parts) == false, "a matrix is no grid line");
    ty_tensor *line = ty_arange(TY_F32, 0, 3, 1);
    CHECK(ty_meshgrid(1, &line, true, parts), "one line");
    compare_bits(parts[0], line, "is its own grid");
}

/* With --oom: if one part has no memory, none may look like a value, nor keep what stood in its place. */
static void parts_or_none(void) {
    ty_tensor *x = ty_arange(TY_F32, 0, 5, 1), *parts[4] = {NULL};
    if (!ty_chunk(x, 4, 0, parts)) /* three parts */
        for (int i = 0; i < 4; i++) CHECK_POISON(parts[i], "out of memory");
    if (!ty_array_split(x, 4, 0, parts))
        for (int i = 0; i < 4; i++) CHECK_POISON(parts[i], "out of memory");
    if (!ty_split_at(x, INTS(1, 2, 3), 0, parts))
        for (int i = 0; i < 4; i++) CHECK_POISON(parts[i], "out of memory");
}

/* With --oom: if one result has no memory, none may look like a value. */
static void all_or_none(void) {
    ty_tensor *x[] = {ty_arange(TY_F32, 0, 3, 1), ty_ones(TY_F64, TY_SHAPE(2, 1))}, *parts[2];
    if (!ty_broadcast_together(2, x, parts))
        for (int i = 0; i < 2; i++) CHECK_POISON(parts[i], "out of memory");
    CHECK(ty_shape(CHECK_OK(parts[1]))[1] == 3, "both are [2, 3]");
    x[1] = ty_ravel(x[1]);
    if (!ty_meshgrid(2, x, true, parts))
        for (int i = 0; i < 2; i++) CHECK_POISON(parts[i], "out of memory");
    ty_tensor *promises[] = {ty_exp(ty_lazy(x[0])), ty_neg(ty_lazy(x[1]))};
    if (!ty_eval_all(2, promises, parts))
        for (int i = 0; i < 2; i++) CHECK_POISON(parts[i], "memory");
    x[1] = ty_poison("bad");
    CHECK(!ty_eval_all(2, x, parts), "one is poison");
    for (int i = 0; i < 2; i++) CHECK_POISON(parts[i], "bad");
}

/* ---- memory, callbacks, queries
   -------------------------------------------------------------------------------- */

static void count_up(const int64_t *index, void *element, void *context) {
    *(int64_t *)element = 10 * index[0] + index[1] + *(int64_t *)context;
}

static void from_c(void) {
    int64_t base = 100;
    compare_numbers(ty_from_function(TY_I64, TY_SHAPE(2, 3), count_up, &base),
                    NUMBERS(100, 101, 102, 110, 111, 112), "from a function");
    int16_t memory[] = {1, 2, 3, 4, 5, 6};
    compare_numbers(ty_from_strided(TY_I16, TY_SHAPE(3, 2), (int64_t[]){2, 6}, memory),
                    NUMBERS(1, 4, 2, 5, 3, 6), "columns");
    compare_numbers(ty_from_strided(TY_I16, TY_SHAPE(3), (int64_t[]){-4}, memory + 4), NUMBERS(5, 3, 1),
                    "backwards");
    CHECK_POISON(ty_from_strided(TY_I16, TY_SHAPE(3), (int64_t[]){2}, NULL),
                 "the data of 3 elements is NULL");
    unsigned char truths[] = {0, 7};
    ty_tensor *b = CHECK_OK(ty_from_strided(TY_BOOL, TY_SHAPE(2), (int64_t[]){1}, truths));
    CHECK(((const unsigned char *)ty_data(b))[1] == 1, "true is 1");
    CHECK(ty_dtype_of(ty_full_of(ty_scalar(TY_I64, 3), TY_SHAPE(2))) == TY_I64, "full of an integer");
    compare_numbers(ty_zeros_like(ty_lazy(ty_ones(TY_U8, TY_SHAPE(2)))), NUMBERS(0, 0), "like a promise");
}

static void shared_memory(void) {
    ty_tensor *x = ty_arange(TY_F32, 0, 10, 1), *copy = ty_contiguous(ty_flip(x, 0));
    CHECK(ty_shares_memory(x, ty_slice(x, 0, 3, 5, 1)), "a slice");
    CHECK(ty_shares_memory(ty_view_as(x, TY_U8), ty_flip(x, 0)), "bytes and a flip");
    CHECK(!ty_shares_memory(ty_slice(x, 0, 0, 5, 1), ty_slice(x, 0, 5, 10, 1)), "two halves");
    CHECK(!ty_shares_memory(x, copy), "a copy");
    CHECK(!ty_shares_memory(x, ty_slice(x, 0, 3, 3, 1)), "nothing at all");
    CHECK(!ty_shares_memory(x, ty_lazy(x)), "a promise");
}

static void questions_of_promises(void) {
    ty_tensor *x = ty_var(ty_eye(TY_F32, 3), "x");
    CHECK(ty_is_promise(ty_is_diag(x, 0)) && ty_item(ty_is_diag(x, 0)) == 1, "a promise answers later");
    CHECK(ty_is_square(x) && !ty_is_square(ty_num(1)), "squares");
    ty_tensor *stack = ty_stack(2, (ty_tensor *[]){ty_eye(TY_C64, 2), ty_ones(TY_C64, TY_SHAPE(2, 2))}, 0);
    compare_numbers(ty_is_triu(stack, 0), NUMBERS(1, 0), "one answer a matrix");
    compare_numbers(ty_is_hermitian(ty_mul(stack, ty_complex(0, 1)), 0), NUMBERS(0, 0), "i times a matrix");
    compare_numbers(ty_is_symmetric(ty_ones(TY_U8, TY_SHAPE(4, 2, 3)), 0), NUMBERS(0, 0, 0, 0), "not square");
}

/* Binomial coefficients beyond 2^64 are rounded once on every machine, whatever its long doubles. */
static void pascal_matrix(void) {
    static const struct {
        int64_t n, row, column;
        double value;
    } elements[] = {{4, 3, 3, 20},
                    {40, 39, 39, 2.7217014869199032e22},
                    {120, 108, 41, 8.595571658102046e36},
                    {120, 24, 116, 6.394499353675563e26},
                    {120, 117, 109, 4.965351944245693e66},
                    {520, 514, 514, 7.156051054877897e307},
                    {520, 519, 518, INFINITY}};
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        ty_tensor *x = CHECK_OK(ty_pascal(TY_F64, elements[i].n));
        ty_tensor *y = ty_slice(ty_slice(x, 0, elements[i].row, elements[i].row + 1, 1), 1,
                                elements[i].column, elements[i].column + 1, 1);
        CHECK(ty_item(CHECK_OK(y)) == elements[i].value, "pascal(%lld): element %lld, %lld is %.17g",
              (long long)elements[i].n, (long long)elements[i].row, (long long)elements[i].column,
              ty_item(y));
    }
}

static void magic_squares(void) {
    for (int64_t n = 1; n < (test_starving() ? 4 : 24); n++) {
        if (n == 2) continue;
        struct test_round round = test_round();
        ty_tensor *x = CHECK_OK(ty_magic(TY_I64, n));
        double want = (double)(n * (n * n + 1) / 2);
        compare_bits(ty_sum(x, ty_axis(0)), ty_cast(ty_full(TY_F64, TY_SHAPE(n), want), TY_I64),
                     "columns of %lld", (long long)n);
        compare_bits(ty_sum(x, ty_axis(1)), ty_cast(ty_full(TY_F64, TY_SHAPE(n), want), TY_I64),
                     "rows of %lld", (long long)n);
        CHECK(ty_item(ty_trace(x, 0, 0, 1)) == want, "diagonal of %lld", (long long)n);
        CHECK(ty_item(ty_trace(ty_flip(x, 1), 0, 0, 1)) == want, "other diagonal of %lld", (long long)n);
        test_round_end(round);
    }
}

/* ---- errors
   ------------------------------------------------------------------------------------------------------ */

/* With same_lower, the odd element of padding comes first. */
static void unfolded_lower(void) {
    ty_tensor *x = sample_shape(TY_F32, TY_SHAPE(2, 3, 5, 4), -2, 2);
    ty_tensor *got = ty_unfold(x, (int64_t[]){2, 4}, (ty_conv){.same_lower = true, .stride = {1, 2}});
    ty_tensor *want =
        ty_unfold(x, (int64_t[]){2, 4}, (ty_conv){.low = {1, 1}, .high = {0, 1}, .stride = {1, 2}});
    compare_bits(CHECK_OK(got), CHECK_OK(want), "unfold with same_lower");
}

static void refusals(void) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(2, 3)), *v = ty_ones(TY_F32, TY_SHAPE(3)), *two[2];
    CHECK_POISON(ty_swap(x, 0, 5), "swap of f32[2,3]: axis 5 is out of bounds; expected -2..1");
    CHECK_POISON(ty_moveaxis(x, 2, (int64_t[]){0, 0}, (int64_t[]){0, 1}), "axis 0 is repeated");
    CHECK_POISON(ty_flip_axes(x, INTS(-3)), "axis -3 is out of bounds; expected -2..1");
    CHECK_POISON(ty_rotate(x, 1, 1, 1), "axis 1 is repeated");
    CHECK_POISON(ty_squeeze_axes(x, INTS(1)), "axis 1 has size 3; only an axis of size 1 can be removed");
    CHECK_POISON(ty_expand_axes(x, INTS(0, 0)), "axis 0 is repeated");
    CHECK_POISON(ty_tile(x, INTS(2, -1)), "-1 copies along axis 1; expected 0 or more");
    CHECK_POISON(ty_tile(x, INTS(INT64_MAX, INT64_MAX)), "too many axes or elements");
    CHECK_POISON(ty_repeat(x, 2, 2), "repeat of f32[2,3]: axis 2 is out of bounds; expected -2..1");
    CHECK_POISON(ty_repeat_each(x, ty_ones(TY_I64, TY_SHAPE(2)), 1),
                 "one for each of the 3 elements of axis 1");
    CHECK_POISON(ty_repeat_each(x, ty_full(TY_I64, TY_SHAPE(3), -1), 1), "count -1 of element 0 is negative");
    CHECK_POISON(ty_repeat_each(x, ty_ones(TY_F32, TY_SHAPE(3)), 1), "must be integers, not f32");
    CHECK_OK(ty_repeat_each(x, ty_lazy(ty_ones(TY_I64, TY_SHAPE(3))), 1));
    CHECK_POISON(ty_roll(x, INTS(1, 2), NULL), "without axes expected one shift");
    CHECK_POISON(ty_delete(x, INTS(3), 1), "index 3 is out of bounds; expected -3..2");
    CHECK_POISON(ty_insert(x, INTS(4), v, 1), "index 4 is out of bounds; expected -3..3");
    CHECK_POISON(ty_insert(x, INTS(0), ty_ones(TY_F32, TY_SHAPE(7)), 1), "insert: f32[7]");
    CHECK_OK(ty_trim_zeros(ty_lazy(v), true, true));
    CHECK_POISON(ty_slide(x, INTS(2, 9), NULL), "does not fit in the 3 of axis 1");
    CHECK_POISON(ty_unfold(x, (int64_t[]){1, 1}, (ty_conv){0}), "expected (N,C,H,W)");
    CHECK_POISON(ty_arange(TY_F32, 0, 1, 0), "the step must not be 0");
    CHECK_POISON(ty_arange(TY_F32, 0, INFINITY, 1), "the step must not be 0");
    CHECK_POISON(ty_geomspace(TY_F32, -1, 4, 3), "of the same sign");
    CHECK_POISON(ty_unit(TY_F32, 3, 3), "index 3 is out of bounds; expected -3..2");
    CHECK_POISON(ty_hadamard(TY_F32, 12), "size 12 is not a power of two");
    CHECK_POISON(ty_magic(TY_I64, 2), "no magic square of size 2");
    CHECK_POISON(ty_toeplitz(x, v), "operand 0 must be a vector");
    CHECK_POISON(ty_inner(x, ty_ones(TY_F32, TY_SHAPE(2, 4))), "inner: ");
    CHECK_POISON(ty_unfold_add(ty_ones(TY_F32, TY_SHAPE(1, 4, 1)), (int64_t[]){-5, 2}, (int64_t[]){2, 2},
                               (ty_conv){0}),
                 "the plane has size -5; expected 1 or more");
    CHECK_POISON(ty_unfold_add(ty_ones(TY_F32, TY_SHAPE(1, 1, 0)),
                               (int64_t[]){INT64_C(1) << 32, INT64_C(1) << 32}, (int64_t[]){1, 1},
                               (ty_conv){0}),
                 "axis 2 must have");
    CHECK_POISON(ty_cross(x, ty_ones(TY_F32, TY_SHAPE(2, 4)), 1), "must have 2 or 3 elements, not 4");
    CHECK_POISON(ty_tensordot(x, x, 1, (int64_t[]){0}, (int64_t[]){1}),
                 "axis 0 of the first is 2, axis 1 of the second 3");
    CHECK_POISON(ty_is_triu(v, 0), "expected a matrix, not 1 axes");
    CHECK_POISON(ty_from_parts(ty_complex(1, 1), v), "the parts must be real");
    CHECK_POISON(ty_atleast(x, 4), "expected 1, 2 or 3");
    CHECK(!ty_tril_indices(-1, 2, 0, two), "no matrix");
    CHECK_POISON(two[0], "-1 rows and 2 columns; expected 0 or more");
}

TESTS_MAIN(TEST(gradients_of_views), TEST(gradients_of_copies), TEST(gradients_of_matrices),
           TEST(every_dtype), TEST(lists), TEST(parts_or_none), TEST(all_or_none), TEST(from_c),
           TEST(shared_memory), TEST(questions_of_promises), TEST(magic_squares), TEST(pascal_matrix),
           TEST(unfolded_lower), TEST(refusals))
