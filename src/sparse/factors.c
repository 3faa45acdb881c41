/* Incomplete factorisations: elimination without fill-in. */
#include <complex.h>
#include <math.h>
#include <tyto/create.h>
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "base/math/scalar.h"
#include "ops/math/slopes.h"
#include "sparse/pattern.h"

/* Sorted rows with values computed in c128, whatever the dtype. */
struct factor {
    struct pattern_of p;
    double complex *v;
    int64_t *diagonal; /* index of the diagonal entry of each row */
    int64_t *at;       /* by column: 1 + index of the current row's entry; 0: none */
};

/* Prepare *f for the factors of the square matrix *a: pattern, values and diagonal; *a becomes the matrix in
   sorted CSR. False, with the call's fault set, if it is not square, lacks a diagonal entry, or on failure. */
static bool factor_begin(struct sparse_call *call, ty_sparse *a, struct factor *f) {
    *f = (struct factor){0};
    if (!sparse_check(call, a)) return false;
    if (a->rows != a->columns)
        return fault_set(&call->fault, E_SHAPE, "the matrix is %lld by %lld; expected a square one",
                         (long long)a->rows, (long long)a->columns);
    *a = sparse_rows(call, *a);
    if (call->fault.set) return false;
    a->values = value_now(call->name, as_floating(a->values));
    if (!sparse_well(call, a->values) || !sparse_pattern(call, a, &f->p)) return false;
    f->v = mem_array((size_t)f->p.entries + 1, sizeof *f->v);
    f->diagonal = mem_array((size_t)a->rows + 1, sizeof *f->diagonal);
    f->at = mem_array((size_t)a->rows + 1, sizeof *f->at);
    if (!f->v || !f->diagonal || !f->at) return sparse_no_memory(call, f->p.entries);
    if (!sparse_read(call, a->values, TY_C128, f->v)) return false;
    for (int64_t row = 0; row < a->rows; row++) {
        if (!sparse_goes_on(call, row)) return false;
        f->diagonal[row] = -1;
        for (int64_t e = f->p.starts[row]; e < f->p.starts[row + 1]; e++)
            if (f->p.column[e] == row) f->diagonal[row] = e;
        if (f->diagonal[row] < 0)
            return fault_set(&call->fault, E_SINGULAR, "row %lld has no entry on the diagonal",
                             (long long)row);
    }
    return true;
}

static void factor_end(struct factor *f) {
    mem_free(f->v);
    mem_free(f->diagonal);
    mem_free(f->at);
}

/* Return matrix `a` with the current values of f instead of its own, in a's dtype. Taking their gradient by a's values
   is an error, of function call->name. */
static ty_sparse factored(const struct sparse_call *call, const struct factor *f, ty_sparse a) {
    ty_tensor *values = ty_cast(ty_from(TY_C128, 1, &f->p.entries, f->v), ty_dtype_of(a.values));
    a.values = result_without(call->name, values, a.values);
    return a;
}

enum { LOOK_ROWS = 64 }; /* rows eliminated between two looks for requests to stop */
static bool goes_on(struct sparse_call *call, int64_t row) {
    return row % LOOK_ROWS != LOOK_ROWS - 1 || stop_check(&call->fault);
}

/* ---- ILU(0) by rows ---- */

/* Eliminate row `row` of the incomplete LU factors f->v in place, within the pattern; rows above are
   finished. */
static void eliminate(struct factor *f, int64_t row) {
    const int64_t *starts = f->p.starts, *column = f->p.column;
    for (int64_t e = starts[row]; e < starts[row + 1]; e++) f->at[column[e]] = e + 1;
    for (int64_t e = starts[row]; e < f->diagonal[row]; e++) {
        int64_t above = column[e];
        f->v[e] = math_cdiv(f->v[e], f->v[f->diagonal[above]]);
        for (int64_t k = f->diagonal[above] + 1; k < starts[above + 1]; k++)
            if (f->at[column[k]]) f->v[f->at[column[k]] - 1] -= math_cmul(f->v[e], f->v[k]);
    }
    for (int64_t e = starts[row]; e < starts[row + 1]; e++) f->at[column[e]] = 0;
}

ty_sparse_lu ty_sparse_ilu(ty_sparse a) {
    struct sparse_call call = sparse_open("sparse_ilu");
    FLOATING_DEFAULT;
    struct factor f;
    ty_sparse_lu out = {0};
    bool begun = factor_begin(&call, &a, &f);
    for (int64_t row = 0; begun && row < a.rows && !call.fault.set && goes_on(&call, row); row++) {
        eliminate(&f, row);
        if (f.v[f.diagonal[row]] == 0)
            fault_set(&call.fault, E_SINGULAR, "the pivot of row %lld is 0", (long long)row);
    }
    if (begun && !call.fault.set) {
        ty_sparse both = factored(&call, &f, a);
        out.l = ty_sparse_tril(both, -1);
        out.u = ty_sparse_triu(both, 0);
    }
    factor_end(&f);
    ty_tensor *all[] = {out.l.values, out.l.indices, out.l.starts, out.u.values, out.u.indices, out.u.starts};
    sparse_close_all(&call, 6, all);
    out.l = (ty_sparse){TY_CSR, a.rows, a.columns, all[0], all[1], all[2]};
    out.u = (ty_sparse){TY_CSR, a.rows, a.columns, all[3], all[4], all[5]};
    return out;
}

/* ---- IC(0) of the lower triangle ---- */

/* Return the sum of the products of row i with the conjugate of row k of f, over columns below `end`. */
static double complex product_of_rows(const struct factor *f, int64_t i, int64_t k, int64_t end) {
    const int64_t *starts = f->p.starts, *column = f->p.column;
    int64_t e = starts[i], g = starts[k];
    double complex sum = 0;
    while (e < starts[i + 1] && g < starts[k + 1] && column[e] < end && column[g] < end) {
        int64_t left = column[e], right = column[g];
        if (left == right) sum += math_cmul(f->v[e], conj(f->v[g]));
        e += left <= right;
        g += right <= left;
    }
    return sum;
}

/* Compute row `row` of the incomplete Cholesky factor in place; rows above are finished. False, with the
   fault set, if the pivot is not positive. */
static bool root_row(struct sparse_call *call, struct factor *f, int64_t row) {
    for (int64_t e = f->p.starts[row]; e < f->diagonal[row]; e++) {
        int64_t k = f->p.column[e];
        f->v[e] = math_cdiv(f->v[e] - product_of_rows(f, row, k, k), f->v[f->diagonal[k]]);
    }
    int64_t e = f->diagonal[row];
    double left = creal(f->v[e] - product_of_rows(f, row, row, row));
    if (!(left > 0))
        return fault_set(&call->fault, E_SINGULAR,
                         "the pivot of row %lld is %g: incomplete factors of this matrix do not exist",
                         (long long)row, left);
    f->v[e] = sqrt(left);
    return true;
}

ty_sparse ty_sparse_ic(ty_sparse a) {
    struct sparse_call call = sparse_open("sparse_ic");
    FLOATING_DEFAULT;
    struct factor f = {0};
    if (sparse_check(&call, &a)) a = ty_sparse_tril(ty_sparse_as(a, TY_CSR), 0);
    bool begun = !call.fault.set && sparse_well(&call, a.values) && factor_begin(&call, &a, &f);
    for (int64_t row = 0; begun && row < a.rows && goes_on(&call, row); row++)
        if (!root_row(&call, &f, row)) break;
    if (begun && !call.fault.set) a = factored(&call, &f, a);
    factor_end(&f);
    return sparse_close(&call, a);
}
