/* Sparse products, entry by entry; SOLVE computes all columns first, into the workspace. */
#include "engine/ref/ref.h"
#include "ops/sparse/sparse.h"

enum { FIRST, X, INDICES, STARTS };

static int64_t rows_of_call(const struct kernel *k) { return k->inputs[STARTS].layout.shape[0] - 1; }
static int64_t whole(const struct ref_call *call, int input, int64_t i) { return ref_at(call, input, &i).i; }
static struct element number(const struct ref_call *call, int input, int64_t i, int64_t j) {
    return ref_at(call, input, (int64_t[]){i, j});
}

static size_t workspace(const struct kernel *k) {
    const struct sparse_attr *attr = k->attr;
    const struct layout *x = &k->inputs[X].layout;
    return attr->kind == SPARSE_SOLVE ? (size_t)shape_size(2, x->shape) * sizeof(struct element) : 0;
}

/* ---- SOLVE ---- */

/* Return the pivot of a row: the sum of its diagonal entries. */
static struct element pivot_of(const struct ref_call *call, int64_t row) {
    struct element sum = ref_integer(0);
    for (int64_t e = whole(call, STARTS, row); e < whole(call, STARTS, row + 1); e++)
        if (whole(call, INDICES, e) == row)
            sum = ref_add(call->kernel->core_dtype, sum, ref_at(call, FIRST, &e));
    return sum;
}

/* Compute row `row` of the solution x in column k; rows that it needs must be known. Return false with a fault
   if the pivot is 0. */
static bool solve_row(const struct ref_call *call, int64_t row, int64_t k, struct element *x) {
    const struct sparse_attr *attr = call->kernel->attr;
    int64_t rows = rows_of_call(call->kernel), width = call->kernel->inputs[X].layout.shape[1];
    ty_dtype dtype = call->kernel->core_dtype;
    bool unit = attr->part == SPARSE_BELOW || attr->part == SPARSE_ABOVE;
    struct element left = number(call, X, row, k);
    for (int64_t i = attr->transposed ? 0 : row; i < (attr->transposed ? rows : row + 1); i++)
        for (int64_t e = whole(call, STARTS, i); e < whole(call, STARTS, i + 1); e++) {
            int64_t column = whole(call, INDICES, e), other = attr->transposed ? i : column;
            if (other == row || !sparse_counts((enum sparse_part)attr->part, i, column)) continue;
            if (attr->transposed && column != row) continue;
            left.z -= ref_mul(dtype, ref_at(call, FIRST, &e), x[other * width + k]).z;
        }
    if (!unit) {
        struct element pivot = pivot_of(call, row);
        if (pivot.z == 0) return sparse_refuse_diagonal(call->fault, call->kernel->op->name, row);
        left.z /= pivot.z;
    }
    x[row * width + k] = ref_round(dtype, left);
    return true;
}

/* Compute the solution of all columns into the workspace, row by row. Return false, with a fault, if a
   pivot is 0. */
static bool solve(const struct ref_call *call) {
    const struct sparse_attr *attr = call->kernel->attr;
    int64_t rows = rows_of_call(call->kernel), width = call->kernel->inputs[X].layout.shape[1];
    bool upper = attr->part == SPARSE_UPPER || attr->part == SPARSE_ABOVE,
         down = upper == (attr->transposed != 0);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < width; k++)
            if (!solve_row(call, down ? i : rows - 1 - i, k, call->workspace)) return false;
    return true;
}

/* ---- all kinds ---- */

static int64_t columns_of_call(const struct kernel *k) {
    const struct sparse_attr *attr = k->attr;
    if (attr->kind == SPARSE_ADD) return attr->size;
    return attr->kind == SPARSE_SOLVE ? rows_of_call(k) : k->inputs[X].layout.shape[0];
}

/* Check the pattern: ascending starts and indices in range; and solve for SOLVE. Return false with a fault
   if that fails. */
static bool check(const struct ref_call *call) {
    const struct kernel *k = call->kernel;
    const char *name = k->op->name;
    int64_t rows = rows_of_call(k), columns = columns_of_call(k),
            entries = k->inputs[INDICES].layout.shape[0];
    if (whole(call, STARTS, 0) != 0 || whole(call, STARTS, rows) != entries)
        return sparse_refuse_ends(call->fault, name, whole(call, STARTS, 0), whole(call, STARTS, rows),
                                  entries);
    for (int64_t i = 0; i < rows; i++) {
        int64_t from = whole(call, STARTS, i), to = whole(call, STARTS, i + 1);
        if (from < 0 || to < from || to > entries)
            return sparse_refuse_starts(call->fault, name, i, from, to, entries);
        for (int64_t e = from; e < to; e++) {
            int64_t index = whole(call, INDICES, e);
            if (index < 0 || index >= columns)
                return sparse_refuse_index(call->fault, name, index, i, columns);
        }
    }
    return ((const struct sparse_attr *)k->attr)->kind != SPARSE_SOLVE || solve(call);
}

static int64_t row_of_entry(const struct ref_call *call, int64_t e) {
    int64_t row = 0;
    while (whole(call, STARTS, row + 1) <= e) row++;
    return row;
}

/* Return the product of row and column of entry e, from g and x; 0 if the entry is not in the part. */
static struct element dot_value(const struct ref_call *call, int64_t e) {
    const struct sparse_attr *attr = call->kernel->attr;
    ty_dtype dtype = call->kernel->core_dtype;
    int64_t row = row_of_entry(call, e), column = whole(call, INDICES, e);
    struct element sum = ref_integer(0);
    if (!sparse_counts((enum sparse_part)attr->part, row, column)) return sum;
    for (int64_t k = 0; k < call->kernel->inputs[X].layout.shape[1]; k++) {
        struct element x = number(call, X, column, k);
        x.z = conjl(x.z);
        sum = ref_add(dtype, sum, ref_mul(dtype, number(call, FIRST, row, k), x));
    }
    return sum;
}

/* Return element (at, k) of the product: the sum over the entries of row `at`, or with `add` over all entries in
   column `at`. */
static struct element product_value(const struct ref_call *call, bool add, int64_t at, int64_t k) {
    const struct sparse_attr *attr = call->kernel->attr;
    ty_dtype dtype = call->kernel->core_dtype;
    struct element sum = ref_integer(0);
    for (int64_t row = add ? 0 : at; row < (add ? rows_of_call(call->kernel) : at + 1); row++)
        for (int64_t e = whole(call, STARTS, row); e < whole(call, STARTS, row + 1); e++) {
            int64_t column = whole(call, INDICES, e);
            if ((add && column != at) || !sparse_counts((enum sparse_part)attr->part, row, column)) continue;
            struct element x = number(call, X, add ? row : column, k);
            sum = ref_add(dtype, sum, ref_mul(dtype, ref_at(call, FIRST, &e), x));
        }
    return sum;
}

/* Return the output element at index[], by the operator's kind. */
static struct element value(const struct ref_call *call, const int64_t *index) {
    const struct sparse_attr *attr = call->kernel->attr;
    if (attr->kind == SPARSE_SOLVE)
        return (
            (struct element *)call->workspace)[index[0] * call->kernel->inputs[X].layout.shape[1] + index[1]];
    struct element sum = attr->kind == SPARSE_DOT
                             ? dot_value(call, index[0])
                             : product_value(call, attr->kind == SPARSE_ADD, index[0], index[1]);
    return ref_round(call->kernel->core_dtype, sum);
}

const struct ref_kind ref_sparse = {.workspace = workspace, .check = check, .value = value};
