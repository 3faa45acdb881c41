/* Reductions in groups.  Some choose a row of each group, so that they take words, too; others compute numbers. */
#include "table/reductions.h"
#include <math.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "base/alloc.h"
#include "base/context/stop.h"

/* ---- rows: i64 [groups], -1 for none ---- */

static ty_tensor *first_row(const struct reduced *r) { return groups_row(&r->present, ty_int(0)); }
static ty_tensor *last_row(const struct reduced *r) {
    return groups_row(&r->present, ty_sub(r->present.counts, ty_int(1)));
}
static ty_tensor *least_row(const struct reduced *r) {
    struct groups sorted = groups_by_value(&r->present, r->column);
    return groups_row(&sorted, ty_int(0));
}
static ty_tensor *greatest_row(const struct reduced *r) {
    struct groups sorted = groups_by_value(&r->present, r->column);
    return groups_row(&sorted, ty_sub(sorted.counts, ty_int(1)));
}

/* ---- numbers: [groups] ---- */

static ty_tensor *size(const struct reduced *r) { return r->all->counts; }
static ty_tensor *count(const struct reduced *r) { return r->present.counts; }
static ty_tensor *distinct(const struct reduced *r) {
    struct groups sorted = groups_by_value(&r->present, r->column);
    ty_tensor *changes = mask_places(groups_changes(&sorted, r->column));
    return ty_bincount(ty_take(sorted.group, changes, 0), NULL, sorted.count);
}

/* Set sums[parts g] to the sum of x[parts i] over the elements i of group g; group[n] ascends.  Rounding errors are
   carried to the next element (W. Kahan, 1965), as in pandas.  False sets the fault: a request to stop. */
static bool add_carrying(int64_t n, const int64_t *group, const double *x, int parts, double *sums,
                         struct fault *fault) {
    enum { PIECE = 1 << 20 }; /* elements: some 4 ms */
    for (int64_t i = 0, g; i < n;) {
        double sum = 0, excess = 0;
        for (g = group[i]; i < n && group[i] == g; i++) {
            if (i % PIECE == 0 && !stop_check(fault)) return false;
            double next = x[parts * i] - excess, more = sum + next;
            excess = more - sum - next;
            if (isnan(excess)) excess = 0; /* beside infinities */
            sum = more;
        }
        sums[parts * g] = sum;
    }
    return true;
}

/* Return the sums of x, f64 or c128. */
static ty_tensor *floating_sums(const struct reduced *r, ty_tensor *x) {
    const int64_t groups = r->present.count, n = ty_size(x);
    ty_tensor *own = ty_contiguous(x), *group = ty_contiguous(r->present.group);
    if (!ty_ok(own) || !ty_ok(group)) return ty_ok(own) ? group : own;
    int parts = dtype_is(ty_dtype_of(x), CLASS_COMPLEX) ? 2 : 1;
    const double *from = ty_data(own);
    const int64_t *to = ty_data(group);
    double *sums = mem_array((size_t)groups + 1, (size_t)parts * sizeof *sums);
    struct fault fault = {0};
    if (!sums || (n && !(from && to))) fault_memory(&fault, (size_t)groups * sizeof *sums);
    for (int k = 0; k < parts && n && !fault.set; k++) add_carrying(n, to, from + k, parts, sums + k, &fault);
    ty_tensor *result = fault.set ? tensor_fault(&fault) : ty_from(ty_dtype_of(x), 1, &groups, (void *)sums);
    mem_free(sums);
    return result;
}

/* Return the sums of x, whose elements belong to those of present.order, in x's dtype: i64, u64, f64 or c128. */
static ty_tensor *sums(const struct reduced *r, ty_tensor *x) {
    if (!ty_ok(x)) return x;
    if (dtype_is(ty_dtype_of(x), CLASS_FLOAT | CLASS_COMPLEX)) return floating_sums(r, x);
    ty_tensor *zero = ty_zeros(ty_dtype_of(x), 1, &r->present.count);
    return ty_scatter(zero, r->present.group, x, 0, TY_SCATTER_ADD);
}

/* Return the present elements in a dtype. */
static ty_tensor *present_as(const struct reduced *r, ty_dtype dtype) {
    return ty_cast(ty_take(r->column->values, r->present.order, 0), dtype);
}

static ty_dtype float_of(const struct reduced *r) {
    return dtype_is(r->column->values->dtype, CLASS_COMPLEX) ? TY_C128 : TY_F64;
}

/* Return floating x in the dtype of the column, if this is floating, too. */
static ty_tensor *rounded(const struct reduced *r, ty_tensor *x) {
    ty_dtype dtype = r->column->values->dtype;
    return dtype_is(dtype, CLASS_FLOAT | CLASS_COMPLEX) ? ty_cast(x, dtype) : x;
}

static ty_tensor *sum(const struct reduced *r) {
    ty_dtype dtype = r->column->values->dtype;
    if (dtype_is(dtype, CLASS_BOOL | CLASS_SIGNED)) return sums(r, present_as(r, TY_I64));
    if (dtype_is(dtype, CLASS_UNSIGNED)) return sums(r, present_as(r, TY_U64));
    return rounded(r, sums(r, present_as(r, float_of(r))));
}

static ty_tensor *means(const struct reduced *r, ty_dtype dtype) {
    return ty_div(sums(r, present_as(r, dtype)), ty_cast(r->present.counts, dtype));
}
static ty_tensor *mean(const struct reduced *r) { return rounded(r, means(r, float_of(r))); }

static ty_tensor *median(const struct reduced *r) {
    struct groups sorted = groups_by_value(&r->present, r->column);
    ty_tensor *below = ty_sub(sorted.counts, ty_int(1)), *two = ty_int(2);
    ty_tensor *low = groups_row(&sorted, ty_floor_div(below, two));
    ty_tensor *high = groups_row(&sorted, ty_floor_div(sorted.counts, two));
    ty_tensor *end = ty_expand(ty_scalar(TY_F64, NAN), 0);
    ty_tensor *x = ty_concat(2, (ty_tensor *[]){ty_cast(r->column->values, TY_F64), end}, 0);
    ty_tensor *middle = ty_take(x, low, 0), *sum = ty_add(middle, ty_take(x, high, 0));
    /* the sum of a number and itself may be infinite */
    return rounded(r, ty_where(ty_eq(low, high), middle, ty_div(sum, ty_num(2))));
}

/* Return the variances in f64. */
static ty_tensor *variances(const struct reduced *r) {
    if (dtype_is(r->column->values->dtype, CLASS_COMPLEX))
        return ty_poison_code(E_DTYPE, "table_group: column \"%.100s\" is complex; expected real numbers",
                              r->name);
    ty_tensor *away = ty_sub(present_as(r, TY_F64), ty_take(means(r, TY_F64), r->present.group, 0));
    ty_tensor *freedom = ty_cast(ty_sub(r->present.counts, ty_int(1)), TY_F64);
    return ty_where(ty_gt(freedom, ty_num(0)), ty_div(sums(r, ty_mul(away, away)), freedom),
                    ty_scalar(TY_F64, NAN));
}
static ty_tensor *variance(const struct reduced *r) { return rounded(r, variances(r)); }
static ty_tensor *deviation(const struct reduced *r) { return rounded(r, ty_sqrt(variances(r))); }

/* ---- the table of reductions ---- */

struct reduction {
    const char *name;
    ty_tensor *(*rows)(const struct reduced *r);   /* NULL: computes numbers */
    ty_tensor *(*values)(const struct reduced *r); /* NULL: chooses rows */
    bool numbers;                                  /* takes no words */
};
static const struct reduction reductions[TY_GROUP_VALUES] = {
    [TY_GROUP_SIZE] = {"size", NULL, size, false},
    [TY_GROUP_COUNT] = {"count", NULL, count, false},
    [TY_GROUP_UNIQUE] = {"unique", NULL, distinct, false},
    [TY_GROUP_FIRST] = {"first", first_row, NULL, false},
    [TY_GROUP_LAST] = {"last", last_row, NULL, false},
    [TY_GROUP_MIN] = {"min", least_row, NULL, false},
    [TY_GROUP_MAX] = {"max", greatest_row, NULL, false},
    [TY_GROUP_SUM] = {"sum", NULL, sum, true},
    [TY_GROUP_MEAN] = {"mean", NULL, mean, true},
    [TY_GROUP_MEDIAN] = {"median", NULL, median, true},
    [TY_GROUP_VAR] = {"var", NULL, variance, true},
    [TY_GROUP_STD] = {"std", NULL, deviation, true},
};

const char *ty_group_value_name(ty_group_value value) {
    return (unsigned)value < TY_GROUP_VALUES ? reductions[value].name : "?";
}

ty_group_value ty_group_value_named(const char *name) {
    int kind = 0;
    while (kind < TY_GROUP_VALUES && !(name && !strcmp(name, reductions[kind].name))) kind++;
    return (ty_group_value)kind;
}

struct reduced reduced_begin(const char *name, const struct table_column *column, const struct groups *all) {
    struct reduced r = {.name = name, .column = column, .all = all};
    if (column) r.present = groups_without(all, column_missing(column));
    return r;
}

bool reduced_column(struct table_column *to, const struct reduced *r, ty_group_value value,
                    struct fault *fault) {
    const struct reduction *reduction = &reductions[value];
    if (reduction->numbers && r->column->kind == TY_COLUMN_WORDS)
        return fault_set(fault, E_DTYPE,
                         "table_group: the %s of column \"%.100s\" takes numbers; the column has words",
                         reduction->name, r->name);
    if (reduction->rows) return column_take_or_miss(to, r->column, reduction->rows(r), fault);
    return column_from(to, reduction->values(r), NULL, fault);
}
