/* Guards of user-made configurations: elements outside them are not read, and axes may have either
   direction. */
#include <stdlib.h>
#include "contract/configuration.h"
#include "tests/support/harness.h"

/* Run six rows of left, of which a guard keeps those whose positions lie on an axis. The rest of the axis
   may exceed the buffer, which ends with the last element read. */
static void guarded_rows(int64_t coefficient, int64_t place, int64_t low, int64_t size, bool optimised) {
    enum { N = 6 };
    int64_t stride = coefficient * place, least = 0, end = 0;
    bool none = true;
    for (int64_t i = 0; i < N; i++) {
        if (low + i * coefficient < 0 || low + i * coefficient >= size) continue;
        least = none || i * stride < least ? i * stride : least;
        end = none || i * stride >= end ? i * stride + 1 : end;
        none = false;
    }
    ty_contraction c = {.dtype = {TY_U8, TY_U8, TY_U8}, .sums = TY_U8, .ndims = 1, .nguards = 1};
    c.primitive = TY_PRIMITIVE_BRGEMM;
    c.offset[TY_LEFT] = -least;
    c.dims[0] = (ty_dim){.type = TY_DIM_M, .size = N, .stride = {stride, 0, 1}};
    c.guards[0] = (ty_guard){.side = TY_LEFT, .dim = {0, -1}, .coefficient = {coefficient, 0}};
    c.guards[0].low = low, c.guards[0].size = size;
    c.packing[TY_LEFT].loop = c.packing[TY_RIGHT].loop = -1;
    c.packing[TY_LEFT].kind = TY_PACK_FOOTPRINT;
    uint8_t *from = malloc(none ? 1 : (size_t)(end - least)), scale = 3, out[N];
    if (!from) return;
    for (int64_t i = 0; i < end - least; i++) from[i] = (uint8_t)(i % 50 + 1);
    bool well = ty_contraction_check(&c, (int64_t[]){end - least, 1, N});
    well = well && (!optimised || ty_contraction_optimise(&c, 1));
    ty_contraction_plan *plan = well ? ty_contraction_compile(&c) : NULL;
    bool ran = plan && ty_contraction_run(plan, from, &scale, out);
    int wrong = 0;
    for (int64_t i = 0; ran && i < N; i++) {
        bool inside = low + i * coefficient >= 0 && low + i * coefficient < size;
        wrong += out[i] != (inside ? 3 * from[i * stride - least] : 0);
    }
    ty_contraction_plan_release(plan);
    free(from);
    CHECK(ran || test_starving(), "rows %d by %d from %d in %d do not run: %s", (int)coefficient, (int)place,
          (int)low, (int)size, c.error);
    CHECK(!wrong, "rows %d by %d from %d in %d: %d are wrong", (int)coefficient, (int)place, (int)low,
          (int)size, wrong);
}

static void copies_keep_inside(void) {
    int few = test_starving() ? 40 : 1;
    for (int i = 0; i < 7 * 2 * 18 * 9 * 2; i += few) {
        int64_t coefficient = i / 2 % 7 - 3, place = i / 14 % 2 ? 5 : -2;
        if (coefficient) guarded_rows(coefficient, place, i / 28 % 18 - 9, i / 504 % 9, i % 2);
    }
}

/* Rows kept by a guard, times three taps, along the guard's axis or against it; vectors run along rows. */
static void rows_go_either_way(void) {
    enum { C = 4, N = 512, K = 3, LENGTH = N + K };
    static float x[C * LENGTH], w[C * K], y[C * N];
    for (int i = 0; i < C * LENGTH; i++) x[i] = (float)(i % 7);
    for (int i = 0; i < C * K; i++) w[i] = (float)(1 + i % 3);
    for (int i = 0; i < 4; i++) {
        bool against = i % 2, optimised = i / 2, well = true;
        ty_contraction c = {.dtype = {TY_F32, TY_F32, TY_F32}, .sums = TY_F32, .ndims = 3, .nguards = 1};
        c.primitive = TY_PRIMITIVE_LANES;
        c.dims[0] = (ty_dim){TY_DIM_C, C, {LENGTH, K, N}};
        c.dims[1] = (ty_dim){TY_DIM_M, N, {1, 0, 1}};
        c.dims[2] = (ty_dim){TY_DIM_K, K, {1, 1, 0}};
        c.guards[0] = (ty_guard){.side = TY_LEFT, .dim = {1, -1}, .coefficient = {against ? -1 : 1, 0}};
        c.guards[0].low = against ? 400 : -100, c.guards[0].size = 300;
        c.packing[TY_LEFT].loop = c.packing[TY_RIGHT].loop = -1;
        well = !optimised || ty_contraction_optimise(&c, 1);
        ty_contraction_plan *plan = well ? ty_contraction_compile(&c) : NULL;
        for (int k = 0; k < C * N; k++) y[k] = -1;
        bool ran = plan && ty_contraction_run(plan, x, w, y);
        ty_contraction_plan_release(plan);
        CHECK(ran || test_starving(), "case %d does not run: %s", i, c.error);
        for (int k = 0; ran && k < C * N; k++) {
            int row = k % N, place = against ? 400 - row : row - 100;
            const float *from = &x[k / N * LENGTH + row], *taps = &w[k / N * K];
            float sum =
                place < 0 || place >= 300 ? 0 : from[0] * taps[0] + from[1] * taps[1] + from[2] * taps[2];
            CHECK(y[k] == sum, "case %d: element %d is %g, not %g", i, k, (double)y[k], (double)sum);
        }
    }
}

/* Rows and terms together decide which elements of an operand are read. A configuration is accepted with
   exactly the bytes up to the last one, and refused with one less. */
static void guarded_plane(ty_side side, int64_t by_row, int64_t by_term, int64_t place, int64_t low,
                          int64_t size) {
    enum { ROWS = 4, TERMS = 3 };
    int64_t least = 0, end = 0, bytes[3] = {0, 0, ROWS}, rows = by_row * place, terms = by_term * place;
    bool none = true;
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t k = 0; k < TERMS; k++) {
            int64_t at = low + i * by_row + k * by_term, from = i * rows + k * terms;
            if (at < 0 || at >= size) continue;
            least = none || from < least ? from : least;
            end = none || from >= end ? from + 1 : end;
            none = false;
        }
    ty_contraction c = {.dtype = {TY_U8, TY_U8, TY_U8}, .sums = TY_U8, .ndims = 2, .nguards = 1};
    ty_side other = side == TY_LEFT ? TY_RIGHT : TY_LEFT;
    c.primitive = TY_PRIMITIVE_BRGEMM;
    c.offset[side] = -least;
    c.dims[0] = (ty_dim){.type = side == TY_LEFT ? TY_DIM_M : TY_DIM_N, .size = ROWS, .stride[TY_OUT] = 1};
    c.dims[1] = (ty_dim){.type = TY_DIM_K, .size = TERMS};
    c.dims[0].stride[side] = rows, c.dims[1].stride[side] = terms, c.dims[1].stride[other] = 1;
    c.guards[0] = (ty_guard){.side = side, .dim = {0, 1}, .coefficient = {by_row, by_term}};
    c.guards[0].low = low, c.guards[0].size = size;
    c.packing[TY_LEFT].loop = c.packing[TY_RIGHT].loop = -1;
    bytes[side] = end - least, bytes[other] = TERMS;
    CHECK(ty_contraction_check(&c, bytes) || test_starving(), "%d and %d by %d from %d in %d: %s",
          (int)by_row, (int)by_term, (int)place, (int)low, (int)size, c.error);
    bytes[side]--;
    if (none) return;
    CHECK(!ty_contraction_check(&c, bytes), "%d and %d by %d from %d in %d: a byte less is taken",
          (int)by_row, (int)by_term, (int)place, (int)low, (int)size);
    bytes[side]++, bytes[other]--;
    CHECK(!ty_contraction_check(&c, bytes), "a byte less of the other operand is taken");
    bytes[other]++, bytes[TY_OUT]--;
    CHECK(!ty_contraction_check(&c, bytes), "a byte less of the result is taken");
}

static void planes_end_where_guards_say(void) {
    int few = test_starving() ? 97 : 1;
    for (int i = 0; i < 2 * 5 * 5 * 2 * 15 * 8; i += few) {
        int64_t by_row = i / 2 % 5 - 2, by_term = i / 10 % 5 - 2, place = i / 50 % 2 ? 3 : 1;
        bool apart = by_row && by_term && (by_row % 2 || by_term % 2);
        if (apart) /* with two factors, positions in between are bounded, not told apart */
            guarded_plane((ty_side)(i % 2), by_row, by_term, place, i / 100 % 15 - 7, i / 1500 % 8);
    }
}

TESTS_MAIN(TEST(planes_end_where_guards_say), TEST(copies_keep_inside), TEST(rows_go_either_way))
