/*
 * Special functions that both engines compute by one text (engine/special), against 200 values or more of each from
 * mpmath (special_points.def): within the bounds of their rows in f64 and 1 unit in f32, on every instruction set.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/machine/isa.h"
#include "ops/core/elementwise.h"
#include "ops/core/row_id.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

struct point {
    long double value;
    double operands[3];
};

/* If long double is double, some constants become 0 or infinite, as expected. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverflow"
#define POINTS(row, ...) static const struct point points_##row[] = {__VA_ARGS__};
#include "tests/ops/math/special_points.def"
#pragma GCC diagnostic pop

static const struct {
    enum row_id row;
    int n;
    const struct point *points;
} rows[] = {
#define POINTS(row, ...) {ROW_##row, (int)(sizeof points_##row / sizeof *points_##row), points_##row},
#include "tests/ops/math/special_points.def"
};

/* Operands and values of the points of a row whose operands the dtype has exactly. */
struct columns {
    int arity;
    ty_tensor *x[3], *want;
};

static struct columns columns_of(size_t row, ty_dtype dtype) {
    const struct point *points = rows[row].points;
    struct columns c = {row_ops[rows[row].row].arity, {NULL}, NULL};
    int64_t n = 0, most = rows[row].n;
    double *column = test_room((size_t)most * 4 * sizeof *column);
    for (int i = 0; i < rows[row].n; i++) {
        bool exact = true;
        for (int k = 0; k < c.arity; k++)
            exact &= dtype == TY_F64 || (double)(float)points[i].operands[k] == points[i].operands[k];
        if (!exact) continue;
        for (int k = 0; k < c.arity; k++) column[k * most + n] = points[i].operands[k];
        column[3 * most + n++] = (double)points[i].value;
    }
    for (int k = 0; k < c.arity; k++) c.x[k] = ty_cast(ty_from(TY_F64, 1, &n, column + k * most), dtype);
    c.want = ty_cast(ty_from(TY_F64, 1, &n, column + 3 * most), dtype);
    return c;
}

/* Compare one row in one dtype with the values, within the bound of the row. Next to zeros of a function the reference
   has the digits of long doubles near 1. */
static void check_row(size_t row, ty_dtype dtype, const char *engine, const char *isa) {
    const struct row_error *error = &row_table[rows[row].row].error;
    double ulps = dtype == TY_F64 ? fmax(1, error->ulps) : 1;
    double digits = !strcmp(engine, "ref") && dtype == TY_F64 ? 0x1p-60 / DBL_MIN : 0;
    double around = ldexp(error->around, -53 - dtype_least_normal(dtype));
    struct test_round round = test_round();
    struct columns c = columns_of(row, dtype);
    ty_use_engine(engine);
    ty_tensor *got = elementwise(rows[row].row, c.arity, c.x);
    ty_use_engine("cpu");
    compare_rounded(got, c.want, ulps, fmax(fmax(error->tiny, digits), around), "%s as %s on %s %s",
                    row_ops[rows[row].row].name, ty_dtype_name(dtype), engine, isa);
    test_round_end(round);
}

static void points_of_cpu(void) {
    for (int isa = 0; isa <= (int)isa_best(); isa++) {
        isa_force((enum isa)isa);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            check_row(i, TY_F64, "cpu", isa_name((enum isa)isa));
            check_row(i, TY_F32, "cpu", isa_name((enum isa)isa));
        }
    }
    isa_force(isa_best());
}

static void points_of_ref(void) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_row(i, TY_F64, "ref", "");
        check_row(i, TY_F32, "ref", "");
    }
}

/* 200 points, counted in f64. */
static void enough_points(void) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK(rows[i].n >= 200, "%s has %d points; expected 200 or more", row_ops[rows[i].row].name,
              rows[i].n);
}

TESTS_MAIN(TEST(points_of_cpu), TEST(points_of_ref), TEST(enough_points))
