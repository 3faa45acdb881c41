/* Tests of arrays: dtypes, promotion, half precision, layouts, views, scopes, references, poison, memory. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/map.h"
#include "tests/support/harness.h"

/* Compare ty_promote with NumPy 2's np.promote_types; rows and columns follow ty_dtype without bf16. */
static void promotion(void) {
    static const ty_dtype order[] = {TY_BOOL, TY_I8,  TY_I16, TY_I32, TY_I64, TY_U8,  TY_U16,
                                     TY_U32,  TY_U64, TY_F16, TY_F32, TY_F64, TY_C64, TY_C128};
    static const char *const table[] = {
        "bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 c64 c128",
        "i8 i8 i16 i32 i64 i16 i32 i64 f64 f16 f32 f64 c64 c128",
        "i16 i16 i16 i32 i64 i16 i32 i64 f64 f32 f32 f64 c64 c128",
        "i32 i32 i32 i32 i64 i32 i32 i64 f64 f64 f64 f64 c128 c128",
        "i64 i64 i64 i64 i64 i64 i64 i64 f64 f64 f64 f64 c128 c128",
        "u8 i16 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 c64 c128",
        "u16 i32 i32 i32 i64 u16 u16 u32 u64 f32 f32 f64 c64 c128",
        "u32 i64 i64 i64 i64 u32 u32 u32 u64 f64 f64 f64 c128 c128",
        "u64 f64 f64 f64 f64 u64 u64 u64 u64 f64 f64 f64 c128 c128",
        "f16 f16 f32 f64 f64 f16 f32 f64 f64 f16 f32 f64 c64 c128",
        "f32 f32 f32 f64 f64 f32 f32 f64 f64 f32 f32 f64 c64 c128",
        "f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 c128 c128",
        "c64 c64 c64 c128 c128 c64 c64 c128 c128 c64 c64 c128 c64 c128",
        "c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128"};
    for (int i = 0; i < 14; i++) {
        char row[256], *rest = row;
        strcpy(row, table[i]);
        for (int j = 0; j < 14; j++) {
            const char *want = strtok_r(j ? NULL : row, " ", &rest),
                       *got = ty_dtype_name(ty_promote(order[i], order[j]));
            CHECK(!strcmp(want, got), "%s with %s is %s, want %s", ty_dtype_name(order[i]),
                  ty_dtype_name(order[j]), got, want);
        }
    }
    CHECK(ty_promote(TY_BF16, TY_F16) == TY_F32 && ty_promote(TY_BF16, TY_I64) == TY_BF16 &&
              ty_promote(TY_BF16, TY_C64) == TY_C64,
          "bf16");
    CHECK(ty_promote((ty_dtype)99, TY_F32) == TY_DTYPES && !strcmp(ty_dtype_name((ty_dtype)99), "?") &&
              !ty_dtype_size((ty_dtype)-1),
          "no dtype");
}

/* Return NumPy's np.result_type of three dtypes, which differs from promotion in pairs. Each integer
   promotes with the floats, not with the other integers: i8, u8 and f16 give f16, although i8 with u8
   gives i16, which exceeds f16. */
static ty_dtype meeting_of(const ty_dtype *of) {
    ty_dtype floats = TY_DTYPES, all = TY_BOOL;
    for (int i = 0; i < 3; i++) {
        bool real_or_complex = of[i] >= TY_F16;
        if (real_or_complex) floats = floats == TY_DTYPES ? of[i] : ty_promote(floats, of[i]);
        all = ty_promote(all, of[i]);
    }
    if (floats == TY_DTYPES) return all;
    ty_dtype most = floats;
    for (int i = 0; i < 3; i++)
        if (of[i] < TY_F16) most = ty_promote(most, ty_promote(floats, of[i]));
    return most;
}

static void promotion_of_several(void) {
    for (int i = 0; i < TY_DTYPES * TY_DTYPES * TY_DTYPES; i++) {
        const ty_dtype of[] = {i % TY_DTYPES, i / TY_DTYPES % TY_DTYPES, i / TY_DTYPES / TY_DTYPES};
        ty_dtype want = meeting_of(of), got = ty_promote_all(3, of);
        CHECK(got == want, "%s, %s and %s meet in %s, not in %s", ty_dtype_name(of[0]), ty_dtype_name(of[1]),
              ty_dtype_name(of[2]), ty_dtype_name(got), ty_dtype_name(want));
        CHECK(ty_promote_all(2, of) == ty_promote(of[0], of[1]), "two are not as two of several");
    }
    CHECK(ty_promote_all(0, NULL) == TY_DTYPES && ty_promote_all(1, (ty_dtype[]){TY_U8}) == TY_U8 &&
              ty_promote_all(2, (ty_dtype[]){TY_U8, (ty_dtype)99}) == TY_DTYPES,
          "none, one, and an unknown dtype");
}

/* Return x after storing it as an element and loading it again. */
static long double through(ty_dtype dtype, long double x) {
    char room[16];
    element_store(dtype, room, TY_F64, (struct element){.z = x});
    struct element e = element_load(dtype, room);
    if (dtype_is(dtype, CLASS_FLOAT)) return creall(e.z);
    return dtype == TY_U64 ? (long double)(uint64_t)e.i : (long double)e.i;
}

/* The columns digits and exponent of the dtype table agree with stored values. */
static void limits(void) {
    for (int i = 0; i < TY_DTYPES; i++) {
        ty_dtype d = (ty_dtype)i;
        const char *name = ty_dtype_name(d);
        long double whole = ldexpl(1, dtype_table[d].digits);
        if (dtype_is(d, CLASS_COMPLEX | CLASS_BOOL)) continue;
        CHECK(through(d, whole - 1) == whole - 1, "%s has fewer digits", name);
        bool apart = whole + 1 != whole; /* false if long double has no more digits itself */
        CHECK(!apart || through(d, whole + 1) != whole + 1, "%s has more digits", name);
        if (!dtype_is(d, CLASS_FLOAT)) continue;
        long double above = ldexpl(1, dtype_table[d].exponent), least = ldexpl(1, dtype_least(d)),
                    normal = ldexpl(1, dtype_least_normal(d)) * (1 + 2 / whole);
        CHECK(through(d, dtype_greatest(d)) == dtype_greatest(d) && isinf((double)through(d, above)),
              "%s: the greatest number", name);
        CHECK(through(d, least) == least && through(d, least / 4) == 0, "%s: the least number", name);
        CHECK(through(d, normal) == normal && through(d, normal / 2) != normal / 2,
              "%s: the least normal number", name);
    }
}

/* Dtypes of computation and of sums are fixed points, of the same class and at least as wide. */
static void columns(void) {
    for (int i = 0; i < TY_DTYPES; i++) {
        const struct dtype_info *d = &dtype_table[i], *computed = &dtype_table[d->computed],
                                *sums = &dtype_table[d->sums];
        CHECK(computed->computed == d->computed && sums->sums == d->sums, "%s: a step more", d->name);
        CHECK(computed->klass == d->klass && computed->digits >= d->digits, "%s is computed in %s", d->name,
              computed->name);
        CHECK((sums->klass == d->klass || d->klass == CLASS_BOOL) && sums->digits >= d->digits,
              "%s is summed in %s", d->name, sums->name);
        CHECK(dtype_table[d->real].digits == d->digits, "%s: digits are its parts'", d->name);
    }
}

static void weak_numbers(void) {
    static const struct {
        ty_dtype with;
        char weak;
        ty_dtype want;
    } rows[] = {{TY_F32, 'f', TY_F32},  {TY_F16, 'f', TY_F16}, {TY_U8, 'i', TY_U8},   {TY_U8, 'f', TY_F64},
                {TY_BOOL, 'i', TY_I64}, {TY_I32, 'f', TY_F64}, {TY_F32, 'c', TY_C64}, {TY_F64, 'c', TY_C128},
                {TY_C64, 'f', TY_C64},  {TY_I64, 'c', TY_C128}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ty_tensor *n = rows[i].weak == 'i' ? ty_int(1) : rows[i].weak == 'f' ? ty_num(1) : ty_complex(0, 1);
        ty_tensor *y = CHECK_OK(ty_add(ty_ones(rows[i].with, TY_SHAPE(2)), n));
        CHECK(ty_dtype_of(y) == rows[i].want, "%s + weak %c is %s", ty_dtype_name(rows[i].with), rows[i].weak,
              ty_dtype_name(ty_dtype_of(y)));
    }
    ty_tensor *sum = CHECK_OK(ty_add(ty_num(1), ty_num(2)));
    CHECK(ty_dtype_of(ty_add(sum, ty_ones(TY_F32, TY_SHAPE(1)))) == TY_F32, "a sum of weak numbers is weak");
}

/* Every f16 and bf16 converts to f32 and back; values between neighbours round to nearest even. */
static void half_precision(void) {
    for (int h = 0; h < 65536; h++) {
        float f = f16_to_f32((uint16_t)h), b = bf16_to_f32((uint16_t)h);
        CHECK(f != f ? f16_to_f32(f32_to_f16(f)) != f16_to_f32(f32_to_f16(f)) : f32_to_f16(f) == h,
              "f16 %04x", h);
        CHECK(b != b ? bf16_to_f32(f32_to_bf16(b)) != bf16_to_f32(f32_to_bf16(b)) : f32_to_bf16(b) == h,
              "bf16 %04x", h);
    }
    for (int h = 0; h < 0x7bff; h++) {
        double low = f16_to_f32((uint16_t)h), high = f16_to_f32((uint16_t)(h + 1)), middle = (low + high) / 2;
        CHECK(f64_to_f16(middle) == (h & 1 ? h + 1 : h), "ties to even after f16 %04x", h);
        CHECK(f64_to_f16(nextafter(middle, 0)) == h && f64_to_f16(nextafter(middle, 1e9)) == h + 1,
              "near the tie after f16 %04x", h);
    }
    CHECK(f32_to_f16(65519.99f) == 0x7bff && f32_to_f16(65520) == 0x7c00 &&
              f64_to_bf16(1 + 0x1p-8 + 0x1p-40) == 0x3f81 && f64_to_bf16(1 + 0x1p-8) == 0x3f80,
          "edges");
}

static void element_conversion(void) {
    double values[] = {-1.9, 1e30, -1e30, 300, NAN, INFINITY, 0, 0.5};
    int8_t i8[8];
    uint64_t u64[8];
    bool flags[8];
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(8), values);
    CHECK(ty_read(x, TY_I8, i8) && ty_read(x, TY_U64, u64) && ty_read(x, TY_BOOL, flags), "%s", ty_error(x));
    CHECK(i8[0] == -1 && i8[1] == 127 && i8[2] == -128 && i8[3] == 127 && i8[4] == 0 && i8[5] == 127,
          "to i8: %d %d %d %d %d", i8[0], i8[1], i8[2], i8[3], i8[4]);
    CHECK(u64[0] == 0 && u64[1] == UINT64_MAX && u64[2] == 0 && u64[3] == 300 && u64[5] == UINT64_MAX,
          "to u64");
    CHECK(flags[0] && flags[4] && !flags[6] && flags[7], "to bool: only zero is false");
}

/* ---- layouts ---- */

static void layout_arithmetic(void) {
    int64_t size;
    CHECK(!shape_check(2, (int64_t[]){INT64_MAX / 4, 8}, 4, &size), "too many bytes");
    CHECK(!shape_check(3, (int64_t[]){INT64_MAX / 4, 0, 8}, 4, &size), "the others must fit though one is 0");
    CHECK(!shape_check(1, (int64_t[]){-1}, 1, &size) && !shape_check(65, (int64_t[65]){0}, 1, &size),
          "negative, rank 65");
    CHECK(shape_check(2, (int64_t[]){3, 0}, 8, &size) && size == 0, "empty");
    int64_t shape[TY_MAX_RANK] = {3, 1};
    int rank = 2, axis;
    CHECK(shape_broadcast(&rank, shape, 3, (int64_t[]){2, 1, 4}, &axis) && rank == 3 && shape[0] == 2 &&
              shape[1] == 3 && shape[2] == 4,
          "broadcast");
    CHECK(!shape_broadcast(&rank, shape, 1, (int64_t[]){5}, &axis) && axis == 1, "clash");
    struct layout_room from, to;
    struct layout *x = layout_room_init(&from, 3), *y = layout_room_init(&to, 2);
    memcpy(x->shape, (int64_t[]){2, 3, 4}, 24), memcpy(x->strides, (int64_t[]){1, 8, 2}, 24);
    CHECK(layout_reshape(x, 2, (int64_t[]){2, 12}, y) && y->strides[0] == 1 && y->strides[1] == 2,
          "an even run of axes merges");
    CHECK(!layout_reshape(x, 2, (int64_t[]){6, 4}, y), "axes that do not step evenly need a copy");
    struct layout *both[] = {x};
    CHECK(layout_collapse(1, both) == 2 && x->shape[1] == 12, "collapse");
    int64_t low, high;
    x->strides[1] = -2;
    layout_extent(x, &low, &high);
    CHECK(low == -22 && high == 2, "%lld..%lld", (long long)low, (long long)high);
}

static void views_share(void) {
    ty_tensor *x = ty_iota(TY_I32, TY_SHAPE(24), 0), *matrix = ty_reshape(x, TY_SHAPE(4, 6));
    const int32_t *base = ty_data(x);
    CHECK_OK(matrix);
    ty_tensor *views[] = {matrix,
                          ty_transpose(matrix),
                          ty_slice(matrix, 1, 1, TY_END, 2),
                          ty_broadcast(matrix, TY_SHAPE(3, 4, 6)),
                          ty_window(x, 0, 3, 2, 2),
                          ty_expand(matrix, 0)};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        const int32_t *data = ty_data(CHECK_OK(views[i]));
        CHECK(data >= base && data < base + 24, "view %zu has memory of its own", i);
    }
    int32_t flipped[3];
    CHECK(ty_read(ty_slice(x, 0, TY_END, TY_END, -10), TY_I32, flipped) && flipped[0] == 23 &&
              flipped[1] == 13 && flipped[2] == 3,
          "flip");
    int32_t diagonal[4];
    CHECK(ty_read(ty_diagonal(matrix, 0, 1), TY_I32, diagonal) && diagonal[3] == 21, "diagonal");
    CHECK(ty_data(ty_reshape(ty_transpose(matrix), TY_SHAPE(24))) != base,
          "a transposed matrix is copied to be flat");
}

static void big_index(void) {
    ty_tensor *x = ty_broadcast(ty_ones(TY_U8, TY_SHAPE(1)), TY_SHAPE(5000000000));
    if (sizeof(size_t) < 8)
        CHECK_POISON(x, "broadcast of u8[1]: the result has a negative size or exceeds the address space");
    else
        CHECK(ty_size(CHECK_OK(x)) == 5000000000 && ty_item(ty_slice(x, 0, 4999999999, TY_END, 1)) == 1,
              "5e9 elements");
    CHECK_POISON(ty_ones(TY_F64, TY_SHAPE(INT64_MAX, 2)),
                 "ones: f64[9223372036854775807,2] exceeds the address space");
}

/* Messages name the tensor, if it has a name, and the requested memory. */
static void sentences_name_what_they_mean(void) {
    ty_tensor *weights = ty_named(CHECK_OK(ty_ones(TY_F32, TY_SHAPE(2, 3))), "weights"), *error, *g;
    ty_tensor *plain = CHECK_OK(ty_ones(TY_F32, TY_SHAPE(2))),
              *long_name = ty_named(CHECK_OK(ty_ones(TY_F32, TY_SHAPE(5))),
                                    "a name of forty characters and many more than that");
    /* a name without memory is dropped, not an error */
    if (!*ty_name(weights) || !*ty_name(long_name)) return;
    CHECK_POISON(ty_add(weights, plain), "add of f32[2,3] 'weights' and f32[2]: ");
    CHECK_POISON(ty_sum(weights, ty_axis(7)), "sum of f32[2,3] 'weights': axis 7");
    ty_tensor *variable = CHECK_OK(ty_var(weights, "w")), *whole = ty_var(ty_ones(TY_I32, 0, NULL), "count");
    if (!*ty_name(variable) || !*ty_name(whole)) return;
    ty_assign(variable, plain, &error);
    CHECK_POISON(error, "the variable is f32[2,3] 'w', the value is f32[2];");
    ty_vjp(ty_mul(variable, variable), plain, 1, &variable, &g);
    CHECK_POISON(g, "the incoming gradient is f32[2], y is f32[2,3]");
    ty_vjp(variable, weights, 1, &whole, &g);
    CHECK_POISON(g, "x[0] is i32[] 'count';");
    CHECK_POISON(ty_matmul(long_name, weights), "'a name of forty characters and many more...'");
    char *drawn = ty_text(1, &variable);
    CHECK(!drawn || strstr(drawn, "f32[2,3]  # w"), "a drawing shows the name once: %s", drawn);
    ty_free(drawn);
    const int64_t huge[] = {1 << 16, 1 << 16, 1 << 13};
    if (sizeof(size_t) < 8) {
        CHECK_POISON(ty_zeros(TY_F64, 3, huge), "zeros: f64[65536,65536,8192] exceeds the address space");
        return;
    }
    CHECK_POISON(ty_zeros(TY_F64, 3, huge), "out of memory: 256.00 TiB for f64[65536,65536,8192]");
    CHECK_POISON(ty_add(ty_broadcast(ty_ones(TY_F32, TY_SHAPE(1)), 3, huge), ty_num(1)),
                 "out of memory: 128.00 TiB for f32[");
}

/* ---- lifetimes ---- */

static void scopes_and_references(void) {
    ty_scope *outer = ty_open(), *inner = ty_open();
    ty_tensor *kept = ty_keep(ty_ones(TY_F32, TY_SHAPE(3))),
              *stored = ty_retain(ty_ones(TY_F32, TY_SHAPE(4)));
    ty_close(inner);
    bool alive = !ty_ok(kept) || (ty_size(kept) == 3 && ty_size(stored) >= 1);
    ty_close(outer);
    CHECK(alive, "kept and retained tensors outlive their scope");
    ty_release(stored);
    ty_scope *first = ty_open();
    for (int i = 0; i < 200; i++) CHECK(ty_open(), "scope %d", i);
    ty_close(first);
}

static void scopes_close_in_any_order(void) {
    ty_scope *first = ty_open();
    ty_open();
    CHECK_OK(ty_ones(TY_F32, TY_SHAPE(3)));
    ty_close(first); /* closes both scopes */
    ty_close(NULL);
}

static int released;
static void count_release(void *context, void *data) {
    (void)data;
    released += *(int *)context;
}

static void borrowed(void) {
    static float data[6] = {1, 2, 3, 4, 5, 6};
    int one = 1;
    released = 0;
    ty_scope *s = ty_open();
    ty_tensor *x = ty_borrow(TY_F32, TY_SHAPE(2, 3), data, count_release, &one),
              *row = ty_slice(x, 0, 1, 2, 1);
    bool same = !ty_ok(row) || (ty_data(row) == data + 3 && released == 0);
    bool sound = ty_ok(row);
    ty_close(s);
    CHECK(released == 1, "the callback came %d times", released);
    CHECK(same && (sound || test_starving()), "a view into borrowed memory");
}

static void poison_flows(void) {
    ty_tensor *bad = ty_add(ty_ones(TY_F64, TY_SHAPE(3, 4)), ty_ones(TY_F64, TY_SHAPE(5)));
    CHECK_POISON(bad, "add of f64[3,4] and f64[5]: operands do not broadcast (axis 1: 4 vs 5)");
    ty_tensor *later = ty_sum(ty_exp(ty_reshape(bad, TY_SHAPE(99))), TY_ALL);
    CHECK_POISON(later, "operands do not broadcast");
    CHECK(!ty_data(later) && isnan(ty_item(later)) && !ty_read(later, TY_F32, NULL), "no value leaves");
    CHECK_POISON(ty_bit_and(ty_ones(TY_F32, TY_SHAPE(1)), ty_int(1)), "expected integers or bool");
    CHECK_POISON(ty_floor(ty_complex(0, 1)), "complex dtypes are not supported");
    CHECK_POISON(ty_poison("my own %d", 7), "my own 7");
}

/* ---- base ---- */

static void checked_sizes(void) {
    int64_t out;
    CHECK(!checked_mul(INT64_MAX, 2, &out) && !checked_add(INT64_MAX, 1, &out) &&
              checked_mul(1 << 20, 1 << 20, &out),
          "checked");
    CHECK(!mem_array(SIZE_MAX, 2) && !mem_data_alloc(SIZE_MAX), "absurd sizes are refused");
}

static void recycled_memory(void) {
    ty_memory_state before, after;
    void *first = mem_data_alloc(4 << 20);
    ty_memory_now(&before);
    mem_data_free(first, 4 << 20);
    void *second = mem_data_alloc((4 << 20) - 100);
    ty_memory_now(&after);
    mem_data_free(second, (4 << 20) - 100);
    CHECK(after.live + after.kept <= before.live + before.kept || test_starving(),
          "the memory of a block is used again for one of nearly its size");
    CHECK(ty_trim() >= (4 << 20) || test_starving(), "and given back on request");
}

/* Programs read sizes before they ask for an error; every axis that a tensor can have is there to be read. */
static void shape_of_poison(void) {
    ty_tensor *x[] = {ty_poison("none"), NULL, ty_add(ty_poison("none"), ty_num(1)),
                      ty_named(ty_poison("none"), "x")};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        for (int axis = 0; axis < TY_MAX_RANK; axis++)
            CHECK(ty_shape(x[i])[axis] == 0 && ty_strides(x[i])[axis] == 0, "poison %d has an axis %d",
                  (int)i, axis);
}

/* Files and programs find tensors by their names, so that none may be lost silently. */
static void names_without_memory(void) {
    ty_tensor *x = CHECK_OK(ty_named(CHECK_OK(ty_ones(TY_F32, TY_SHAPE(2))), "before"));
    ty_tensor *renamed = ty_named(x, "after");
    CHECK(ty_ok(x) && !strcmp(ty_name(x), ty_ok(renamed) ? "after" : "before"), "the name is \"%s\"",
          ty_name(x));
    CHECK_OK(renamed);
    ty_tensor *variables[] = {ty_var(x, "v"), ty_track(x, "v")};
    for (int i = 0; i < 2; i++) CHECK(!strcmp(ty_name(CHECK_OK(variables[i])), "v"), "variable %d", i);
}

static void *work_alone(void *unused) {
    ty_scope *s = ty_open();
    double sum = 0;
    for (int i = 0; i < 50; i++)
        sum += ty_item(ty_sum(ty_mul(ty_iota(TY_F64, TY_SHAPE(100), 0), ty_num(2)), TY_ALL));
    ty_close(s);
    return sum == 50 * 9900.0 ? s : unused;
}

static void threads_do_not_meet(void) {
    pthread_t threads[4];
    void *results[4];
    for (int i = 0; i < 4; i++) CHECK(!pthread_create(&threads[i], NULL, work_alone, NULL), "no thread");
    for (int i = 0; i < 4; i++) pthread_join(threads[i], &results[i]);
    for (int i = 0; i < 4; i++) CHECK(results[i] || test_starving(), "thread %d", i);
}

TESTS_MAIN(TEST(promotion), TEST(promotion_of_several), TEST(limits), TEST(columns), TEST(weak_numbers),
           TEST(half_precision), TEST(element_conversion), TEST(layout_arithmetic), TEST(views_share),
           TEST(big_index), TEST(sentences_name_what_they_mean), TEST(scopes_and_references),
           TEST(scopes_close_in_any_order), TEST(borrowed), TEST(poison_flows), TEST(checked_sizes),
           TEST(recycled_memory), TEST(shape_of_poison), TEST(names_without_memory),
           TEST(threads_do_not_meet))
