/*
 * Copy plans against plain loops: random shapes, element sizes and strides of both sides, in any order and direction,
 * with repeated axes. Outputs begin anywhere in a cache line. Every instruction set copies with normal and non-temporal
 * stores, by one thread and several. Bytes around the output must stay unchanged.
 */
#include <string.h>
#include "base/machine/isa.h"
#include "engine/cpu/move/copy.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

enum { MOST = 5, GUARD = 0xA5 };

struct copy_case {
    size_t size;
    struct layout_room x, out;
    int64_t x_elements, out_elements;
    int64_t x_first, out_first; /* elements before the first one, since strides may be negative */
};

/* Set the strides of axes in `order`, innermost first, with optional gaps. Returns the number of elements
   spanned; *first is the offset of the first element. */
static int64_t lay_out(struct layout *l, const int *order, bool gaps, bool repeats, bool flips,
                       int64_t *first) {
    int64_t step = 1, reach = 1;
    *first = 0;
    for (int i = 0; i < l->rank; i++) {
        int axis = order[i];
        if (gaps && test_between(0, 4) == 0) step *= test_between(2, 3);
        l->strides[axis] = step;
        if (repeats && test_between(0, 5) == 0) {
            l->strides[axis] = 0;
            continue;
        }
        reach += (l->shape[axis] - 1) * step;
        if (flips && test_between(0, 3) == 0) {
            *first += (l->shape[axis] - 1) * step;
            l->strides[axis] = -step;
        }
        step *= l->shape[axis];
    }
    return reach;
}

static void shuffle(int n, int *order) {
    for (int i = 0; i < n; i++) order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int k = (int)test_between(0, i), kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
}

static void make_case(struct copy_case *c, int64_t most, bool dense) {
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 31, 33, 64, 65, 100, 130, 257};
    int order[MOST], row_major[MOST], rank = (int)test_between(0, MOST);
    int64_t total = 1;
    c->size = (size_t)1 << test_between(0, 4);
    struct layout *x = layout_room_init(&c->x, rank), *out = layout_room_init(&c->out, rank);
    for (int i = 0; i < rank; i++) {
        int64_t n = sizes[test_between(0, 16)];
        if (total * n > most) n = 1;
        total *= n;
        x->shape[i] = out->shape[i] = n;
        row_major[i] = rank - 1 - i;
    }
    shuffle(rank, order);
    c->x_elements = lay_out(x, test_between(0, 3) ? order : row_major, true, true, true, &c->x_first);
    shuffle(rank, order);
    c->out_elements = lay_out(out, dense ? row_major : order, !dense, false, !dense, &c->out_first);
}

static int64_t place(const struct layout *l, const int64_t *index) {
    int64_t at = 0;
    for (int i = 0; i < l->rank; i++) at += index[i] * l->strides[i];
    return at;
}

/* Write the expected output; bytes outside it are GUARD. */
static void expect(const struct copy_case *c, const char *x, char *want) {
    const struct layout *l = &c->x.layout, *out = &c->out.layout;
    struct odometer o = {.rank = l->rank, .shape = l->shape};
    for (int64_t n = shape_size(l->rank, l->shape); n > 0; n--) {
        memcpy(want + (place(out, o.index) + c->out_first) * (int64_t)c->size,
               x + (place(l, o.index) + c->x_first) * (int64_t)c->size, c->size);
        odometer_next(&o, 0, NULL, NULL);
    }
}

static void check(const struct copy_case *c, const char *x, const char *want, char *got, size_t bytes,
                  int64_t shift) {
    char *stage = test_room(3 * COPY_STAGE);
    for (int isa = ISA_BASE; isa <= (int)isa_best(); isa++) {
        for (int streamed = 0; streamed < 2; streamed++) {
            isa_force((enum isa)isa);
            struct copy_plan plan;
            memset(got, GUARD, bytes + 128);
            cpu_copy_prepare(&plan, c->size, &c->x.layout, &c->out.layout, streamed);
            cpu_copy_run(&plan, (int)test_between(1, 3), x + c->x_first * (int64_t)c->size,
                         got + shift + c->out_first * (int64_t)c->size, stage);
            CHECK(!memcmp(got + shift, want, bytes), "%s, streamed %d: wrong elements of %zu bytes, rank %d",
                  isa_name((enum isa)isa), streamed, c->size, c->x.layout.rank);
            for (int64_t i = 0; i < (int64_t)bytes + 128; i++)
                CHECK((i >= shift && i < shift + (int64_t)bytes) || (unsigned char)got[i] == GUARD,
                      "%s: byte %lld outside was written", isa_name((enum isa)isa), (long long)(i - shift));
        }
    }
}

static void run_cases(int n, int64_t most, bool dense) {
    for (int round = 0; round < (test_starving() ? 2 : n); round++) {
        struct test_round kept = test_round();
        struct copy_case c;
        make_case(&c, most, dense);
        size_t bytes = (size_t)c.out_elements * c.size;
        char *x = test_room((size_t)c.x_elements * c.size), *want = test_room(bytes),
             *got = test_room(bytes + 192);
        got += -(uintptr_t)got & 63;
        for (int64_t i = 0; i < c.x_elements * (int64_t)c.size; i++) x[i] = (char)test_random();
        memset(want, GUARD, bytes);
        expect(&c, x, want);
        check(&c, x, want, got, bytes, test_between(0, 1) ? 0 : test_between(0, 4) * (int64_t)c.size % 64);
        test_round_end(kept);
    }
}

static void small_boxes(void) { run_cases(1500, 3000, true); }
static void large_boxes(void) { run_cases(120, 90000, true); }
static void strided_outputs(void) {
    run_cases(500, 3000, false);
    run_cases(120, 90000, false);
}

/* Transposes of sizes around those of vectors and blocks, in both directions. */
static void transposes(void) {
    static const int64_t sizes[] = {1, 3, 4, 15, 16, 17, 63, 64, 65, 129, 300};
    int last = test_starving() ? 1 : 10;
    for (int size = 0; size < 5; size++)
        for (int i = 0; i <= last; i++)
            for (int j = 0; j <= last; j++) {
                static const ty_dtype dtypes[] = {TY_U8, TY_I16, TY_F32, TY_F64, TY_C128};
                struct test_round kept = test_round();
                ty_tensor *x = sample_shape(dtypes[size], TY_SHAPE(sizes[i], sizes[j]), 0, 100);
                ty_tensor *y = CHECK_OK(ty_contiguous(ty_transpose(x)));
                compare_bits(y, ty_transpose(x), "transpose of %lld x %lld", (long long)sizes[i],
                             (long long)sizes[j]);
                compare_bits(ty_contiguous(ty_transpose(y)), x, "and back");
                test_round_end(kept);
            }
}

/* Pixels of a few channels to planes and back, and every second, third and fourth element. */
static void pixels(void) {
    static const int64_t sizes[] = {1, 5, 16, 63, 64, 65, 129, 1000};
    static const ty_dtype dtypes[] = {TY_U8, TY_I16, TY_F32, TY_F64, TY_C128};
    for (int isa = ISA_BASE; isa <= (int)isa_best(); isa++)
        for (int size = 0; size < 5; size++)
            for (int i = 0; i < (test_starving() ? 1 : 8); i++)
                for (int64_t channels = 2; channels <= 5; channels++) {
                    isa_force((enum isa)isa);
                    struct test_round kept = test_round();
                    ty_tensor *x = sample_shape(dtypes[size], TY_SHAPE(2, sizes[i], channels), 0, 100);
                    ty_tensor *planes = CHECK_OK(ty_contiguous(ty_swap(x, 1, 2)));
                    compare_bits(planes, ty_swap(x, 1, 2), "%lld channels to planes", (long long)channels);
                    compare_bits(ty_contiguous(ty_swap(planes, 1, 2)), x, "and back");
                    ty_tensor *thin = ty_slice(ty_reshape(x, TY_SHAPE(2, -1)), 1, 0, TY_END, channels);
                    compare_bits(CHECK_OK(ty_contiguous(thin)), thin, "one in %lld", (long long)channels);
                    ty_tensor *more = CHECK_OK(ty_repeat(x, channels, -1));
                    ty_tensor *last = ty_slice(more, 2, channels - 1, TY_END, channels);
                    compare_bits(CHECK_OK(ty_contiguous(last)), x, "the last of each");
                    test_round_end(kept);
                }
}

/* Rows of a few elements are permuted; non-temporal blocks write whole cache lines, except at the ends of
   rows. */
static void rows_of_a_few(void) {
    enum { ROWS = 48, COLUMNS = 333, PITCH = 336, LONGEST = 40 }; /* PITCH: in cache lines */
    char *stage = test_room(COPY_STAGE);
    for (int64_t few = 1; few <= (test_starving() ? 1 : LONGEST); few++)
        for (int streamed = 0; streamed < 2; streamed++) {
            struct test_round kept = test_round();
            int64_t shape[] = {ROWS, COLUMNS, few}, from[] = {few, ROWS * few, 1};
            int64_t to[] = {PITCH * few, few, 1};
            struct layout x = {3, 0, shape, from}, out = {3, 0, shape, to};
            struct copy_plan plan;
            float *a = test_room((size_t)(ROWS * COLUMNS * few) * sizeof *a);
            char *room = test_room((size_t)(ROWS * PITCH * few) * sizeof *a + COPY_LINE);
            float *y = (float *)(room + (size_t)(-(uintptr_t)room % COPY_LINE));
            for (int64_t i = 0; i < ROWS * COLUMNS * few; i++) a[i] = (float)i;
            cpu_copy_prepare(&plan, sizeof *a, &x, &out, streamed);
            cpu_copy_run(&plan, 1, (const char *)a, (char *)y, stage);
            bool whole = plan.block_columns == plan.columns || plan.block_columns * plan.run % COPY_LINE == 0;
            CHECK(whole || !streamed, "blocks of %lld rows of %lld", (long long)plan.block_columns,
                  (long long)few);
            int64_t wrong = 0;
            for (int64_t i = 0; i < ROWS; i++)
                for (int64_t j = 0; j < COLUMNS; j++)
                    for (int64_t k = 0; k < few; k++)
                        wrong += y[i * to[0] + j * few + k] != a[(j * ROWS + i) * few + k];
            CHECK(wrong == 0, "%lld of rows of %lld", (long long)wrong, (long long)few);
            test_round_end(kept);
        }
}

/* Rows of a few elements, each element repeated and then each row. */
static void rows_repeated(void) {
    char *stage = test_room(3 * COPY_STAGE);
    int planned = 0;
    for (int round = 0; round < test_some(150, 60, 5); round++) {
        struct test_round kept = test_round();
        int64_t size = INT64_C(1) << test_between(0, 4), outer = test_between(1, 3),
                rows = test_between(1, 500);
        int64_t times = test_between(1, 4), unit = test_between(1, 70), each = test_between(1, 5);
        int64_t apart = test_between(1, 2), from = unit * apart, whole = rows * times * unit * each;
        int64_t shape[] = {outer, rows, times, unit, each}, x_steps[] = {rows * from + 3, from, 0, apart, 0};
        int64_t steps[] = {whole + 1, times * unit * each, unit * each, each, 1};
        struct layout x = {5, 0, shape, x_steps}, out = {5, 0, shape, steps};
        struct copy_plan plan;
        size_t bytes = (size_t)(outer * steps[0] * size), x_bytes = (size_t)(outer * x_steps[0] * size);
        char *a = test_room(x_bytes), *want = test_room(bytes), *got = test_room(bytes);
        for (size_t i = 0; i < x_bytes; i++) a[i] = (char)test_random();
        memset(want, GUARD, bytes);
        struct copy_case c = {.size = (size_t)size, .x = {.layout = x}, .out = {.layout = out}};
        expect(&c, a, want);
        for (int isa = ISA_BASE; isa <= (int)isa_best(); isa++) {
            isa_force((enum isa)isa);
            if (!cpu_copy_prepare_twice(&plan, (size_t)size, &x, &out)) continue;
            planned++;
            memset(got, GUARD, bytes);
            cpu_copy_run(&plan, (int)test_between(1, 3), a, got, stage);
            CHECK(!memcmp(got, want, bytes), "%s: %lld rows of %lld elements of %lld bytes, %lld times %lld",
                  isa_name((enum isa)isa), (long long)rows, (long long)unit, (long long)size, (long long)each,
                  (long long)times);
        }
        test_round_end(kept);
    }
    int sets = (int)isa_best() + 1;
    CHECK(planned > sets * test_some(30, 6, 0) || test_starving(), "%d copies in two steps", planned);
}

/* Arrays large enough for non-temporal stores, with rows that begin inside cache lines. */
static void past_the_cache(void) {
    if (test_starving()) return;
    for (int odd = 0; odd < 2; odd++) {
        struct test_round kept = test_round();
        int64_t n = 3072 - 5 * odd, m = 4096 - 3 * odd;
        ty_tensor *x = CHECK_OK(ty_reshape(ty_arange(TY_F32, 0, n * m, 1), TY_SHAPE(n, m)));
        ty_tensor *y = CHECK_OK(ty_contiguous(ty_transpose(x)));
        CHECK(ty_item(ty_array_equal(ty_contiguous(ty_transpose(y)), x, false)) == 1, "there and back");
        ty_tensor *rolled = CHECK_OK(ty_roll(x, 2, (int64_t[]){1, -2}, (int64_t[]){0, 1}));
        ty_tensor *back = ty_roll(rolled, 2, (int64_t[]){2, -1}, (int64_t[]){1, 0});
        CHECK(ty_item(ty_array_equal(back, x, false)) == 1, "rolled there and back");
        const float *data = ty_data(y);
        for (int64_t i = 0; i < m; i += 97)
            for (int64_t j = 0; j < n; j += 89)
                CHECK(data[i * n + j] == (float)(j * m + i), "element %lld, %lld", (long long)i,
                      (long long)j);
        test_round_end(kept);
    }
}

TESTS_MAIN(TEST(small_boxes), TEST(large_boxes), TEST(strided_outputs), TEST(transposes), TEST(pixels),
           TEST(rows_of_a_few), TEST(rows_repeated), TEST(past_the_cache))
