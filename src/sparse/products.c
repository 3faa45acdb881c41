/* Products of sparse matrices with dense and sparse ones, and triangular solves. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "base/checked.h"
#include "ops/sparse/sparse.h"
#include "sparse/pattern.h"

/* ---- with dense matrices ---- */

/* Operands of a product or solve: compressed rows of a or of its transpose. */
struct product_lines {
    ty_tensor *values, *x, *indices, *starts;
    ty_dtype dtype;
    bool transposed, vector;
};

/* Check the operands and set *out to them, cast to a dtype for computing; x is [size] or [size, k]. False,
   with the call's fault set, if they are invalid. */
static bool lines_of(struct sparse_call *call, ty_sparse a, ty_tensor *x, int64_t size,
                     struct product_lines *out) {
    char words[WORDS];
    *out = (struct product_lines){.dtype = TY_DTYPES};
    if (!sparse_check(call, &a) || !sparse_well(call, x)) return false;
    if ((ty_rank(x) != 1 && ty_rank(x) != 2) || ty_shape(x)[0] != size)
        return fault_set(&call->fault, E_SHAPE,
                         "x is %s for a matrix of %lld by %lld; expected [%lld] or [%lld,k]",
                         tensor_describe_into(words, sizeof words, tensor_resolve(x)), (long long)a.rows,
                         (long long)a.columns, (long long)size, (long long)size);
    if (a.form == TY_COO) a = sparse_rows(call, a);
    if (call->fault.set || (out->dtype = sparse_dtype(call, a.values, x)) == TY_DTYPES) return false;
    ty_dtype computed = dtype_table[out->dtype].computed;
    out->values = ty_cast(a.values, computed);
    out->vector = ty_rank(x) == 1;
    out->x = ty_cast(out->vector ? ty_expand(x, 1) : x, computed);
    out->indices = a.indices;
    out->starts = a.starts;
    out->transposed = a.form == TY_CSC;
    return true;
}

static ty_tensor *run_lines(const struct product_lines *l, struct sparse_attr attr) {
    ty_tensor *y = sparse_record(attr, l->values, l->x, l->indices, l->starts);
    if (ty_ok(y)) y = ty_cast(y, l->dtype);
    return l->vector && ty_ok(y) ? ty_squeeze(y, 1) : y;
}

/* Return the product of a and x, [columns] or [columns, k]: [rows] or [rows, k]. NULL, with the call's fault
   set, on failure. */
static ty_tensor *multiply(struct sparse_call *call, ty_sparse a, ty_tensor *x) {
    struct product_lines l;
    if (!lines_of(call, a, x, a.columns, &l)) return NULL;
    struct sparse_attr attr = {.kind = l.transposed ? SPARSE_ADD : SPARSE_READ,
                               .size = l.transposed ? a.rows : 0};
    return run_lines(&l, attr);
}

ty_tensor *ty_sparse_matmul(ty_sparse a, ty_tensor *x) {
    struct sparse_call call = sparse_open("sparse_matmul");
    return sparse_close_tensor(&call, multiply(&call, a, x));
}

ty_tensor *ty_sparse_rmatmul(ty_tensor *x, ty_sparse a) {
    struct sparse_call call = sparse_open("sparse_rmatmul");
    ty_tensor *y = NULL;
    if (sparse_check(&call, &a) && sparse_well(&call, x)) {
        bool vector = ty_rank(x) < 2;
        y = multiply(&call, ty_sparse_transpose(a), vector ? x : ty_transpose(x));
        if (!vector && !call.fault.set && ty_ok(y)) y = ty_transpose(y);
    }
    return sparse_close_tensor(&call, y);
}

/* Return the solution of a x = b, in b's shape, for a square a. Only its upper or lower triangle (`upper`) is
   read, with ones on the diagonal if `unit`. NULL, with the call's fault set, on failure. */
static ty_tensor *solve(struct sparse_call *call, ty_sparse a, ty_tensor *b, bool upper, bool unit) {
    struct product_lines l;
    if (!lines_of(call, a, b, a.rows, &l)) return NULL;
    if (a.rows != a.columns)
        return (fault_set(&call->fault, E_SHAPE, "the matrix is %lld by %lld; expected a square one",
                          (long long)a.rows, (long long)a.columns),
                NULL);
    ty_dtype floating = dtype_table[l.dtype].floating;
    l.dtype = floating;
    l.values = ty_cast(l.values, dtype_table[floating].computed);
    l.x = ty_cast(l.x, dtype_table[floating].computed);
    struct sparse_attr attr = {.kind = SPARSE_SOLVE,
                               .part = sparse_triangle(upper != l.transposed, unit),
                               .transposed = l.transposed};
    return run_lines(&l, attr);
}

ty_tensor *ty_sparse_triangular_solve(ty_sparse a, ty_tensor *b, bool upper, bool unit) {
    struct sparse_call call = sparse_open("sparse_triangular_solve");
    return sparse_close_tensor(&call, solve(&call, a, b, upper, unit));
}

/* ---- sampled dense products: x y^T at entries ---- */

/* Return a with values replaced by the products x y^T at its positions; x is [rows, k], y [columns, k]. On
   failure the call's fault is set. */
static ty_sparse sample(struct sparse_call *call, ty_sparse a, ty_tensor *x, ty_tensor *y) {
    char words[2][WORDS];
    if (!sparse_check(call, &a) || !sparse_well(call, x) || !sparse_well(call, y)) return a;
    if (ty_rank(x) != 2 || ty_rank(y) != 2 || ty_shape(x)[0] != a.rows || ty_shape(y)[0] != a.columns ||
        ty_shape(x)[1] != ty_shape(y)[1]) {
        fault_set(&call->fault, E_SHAPE,
                  "x is %s and y %s for a matrix of %lld by %lld; expected [rows,k] and [columns,k]",
                  tensor_describe_into(words[0], sizeof words[0], tensor_resolve(x)),
                  tensor_describe_into(words[1], sizeof words[1], tensor_resolve(y)), (long long)a.rows,
                  (long long)a.columns);
        return a;
    }
    ty_dtype dtype = sparse_dtype(call, x, y);
    if (call->fault.set) return a;
    ty_dtype computed = dtype_table[dtype].computed;
    x = ty_cast(x, computed);
    y = ty_cast(y, computed);
    if (a.form == TY_COO) {
        ty_tensor *rows = sparse_gather(x, ty_sparse_row_of(a)),
                  *columns = sparse_gather(y, ty_sparse_column_of(a));
        a.values = ty_cast(ty_sum(ty_mul(rows, columns), ty_axis(1)), dtype);
    } else {
        bool csr = a.form == TY_CSR;
        ty_tensor *first = csr ? x : y, *second = ty_conj(csr ? y : x);
        a.values = ty_cast(
            sparse_record((struct sparse_attr){.kind = SPARSE_DOT}, first, second, a.indices, a.starts),
            dtype);
    }
    return a;
}

ty_sparse ty_sparse_sampled(ty_sparse a, ty_tensor *x, ty_tensor *y) {
    struct sparse_call call = sparse_open("sparse_sampled");
    return sparse_close(&call, sample(&call, a, x, y));
}

/* ---- sparse times sparse ---- */

/*
 * The product's sorted entries, and for each the pairs of entries (index in a, index in b) that it sums. Its
 * values are then a sparse product, too: a matrix of a's values at the indices in b, times b's values as a
 * vector.
 */
struct sparse_pairing {
    const struct pattern_of *a, *b;
    int64_t rows, columns, pairs, entries;
    struct sparse_numbers starts, column; /* starts of rows and columns of entries of the product */
    struct sparse_numbers first;          /* index of each entry's first pair, and one past the last */
    struct sparse_numbers in_a, in_b;     /* indices of each pair's entries in a and in b */
    struct sparse_numbers mark;           /* by column: 1 + index of its entry in the current row */
    struct sparse_numbers room;           /* scratch for a row */
    int64_t most;                         /* most pairs of a row */
};

/* Count the pairs of entries whose products a sparse product sums: all in p->pairs, the most of a row in
   p->most. False, with the fault set, if there are too many, or at a request to stop. */
static bool count_pairs(struct sparse_call *call, struct sparse_pairing *p) {
    bool counts = true;
    for (int64_t row = 0; row < p->rows && counts; row++) {
        if (!sparse_goes_on(call, row)) return false;
        int64_t before = p->pairs;
        for (int64_t e = p->a->starts[row]; e < p->a->starts[row + 1] && counts; e++) {
            int64_t k = p->a->column[e];
            counts = checked_add(p->pairs, p->b->starts[k + 1] - p->b->starts[k], &p->pairs);
        }
        if (p->pairs - before > p->most) p->most = p->pairs - before;
    }
    bool fits = counts && p->pairs < INT64_MAX / 32 && p->columns <= INT64_MAX / 32;
    return fits || sparse_no_memory(call, p->pairs);
}

/* Allocate the lists for a sparse product. False, with the fault set, if memory runs out. */
static bool pairing_make(struct sparse_call *call, struct sparse_pairing *p) {
    if (!count_pairs(call, p)) return false;
    bool done = sparse_room(call, p->rows + 1, &p->starts) && sparse_room(call, p->columns + 1, &p->mark) &&
                sparse_room(call, p->pairs, &p->column) && sparse_room(call, p->pairs + 1, &p->first) &&
                sparse_room(call, p->pairs, &p->in_a) && sparse_room(call, p->pairs, &p->in_b) &&
                sparse_room(call, p->most + 1, &p->room);
    if (!done) return false;
    memset(p->mark.data, 0, (size_t)(p->columns + 1) * sizeof *p->mark.data);
    p->starts.data[0] = p->first.data[0] = 0;
    return true;
}

#define EACH_PAIR(p, row, e, f)                                                                              \
    for (int64_t e = (p)->a->starts[row]; e < (p)->a->starts[(row) + 1]; e++)                                \
        for (int64_t f = (p)->b->starts[(p)->a->column[e]]; f < (p)->b->starts[(p)->a->column[e] + 1]; f++)

/* Append the entries of one row of the product, and for each its pairs: an entry of a and one of b whose
   product it sums. Marks left by earlier rows hold entries below the row's first one, and so are ignored. */
static void pair_row(struct sparse_pairing *p, int64_t row) {
    int64_t *mark = p->mark.data, *first = p->first.data, *column = p->column.data, *room = p->room.data;
    int64_t begin = p->entries, pairs = first[begin];
    const int64_t *of_pair = p->b->column;
    EACH_PAIR(p, row, e, f) {
        int64_t j = of_pair[f];
        if (mark[j] > begin) continue;
        column[p->entries] = j;
        mark[j] = ++p->entries;
    }
    sparse_sort(p->entries - begin, column + begin, room);
    for (int64_t k = begin; k < p->entries; k++) {
        mark[column[k]] = k + 1;
        first[k + 1] = 0;
    }
    EACH_PAIR(p, row, e, f) first[mark[of_pair[f]]]++;
    for (int64_t k = begin, at = pairs; k < p->entries; k++) {
        room[k - begin] = at;
        first[k + 1] = at += first[k + 1];
    }
    EACH_PAIR(p, row, e, f) {
        int64_t at = room[mark[of_pair[f]] - 1 - begin]++;
        p->in_a.data[at] = e;
        p->in_b.data[at] = f;
    }
    p->starts.data[row + 1] = p->entries;
}

/* True if the product goes on with a row; looks for requests to stop where the rows before have many pairs. */
static bool goes_on(struct sparse_call *call, const struct sparse_pairing *p, int64_t row) {
    int64_t now = p->first.data[p->entries], before = row ? p->first.data[p->starts.data[row - 1]] : 0;
    return now / SPARSE_LOOK == before / SPARSE_LOOK ? sparse_goes_on(call, row) : stop_check(&call->fault);
}

/* Return the product with the pattern found in p, in CSR, its values as differentiable sums of products of
   a's and b's. On failure the call's fault is set. */
static ty_sparse pairing_values(struct sparse_call *call, struct sparse_pairing *p, const ty_sparse *a,
                                const ty_sparse *b) {
    ty_sparse out = {.form = TY_CSR, .rows = p->rows, .columns = p->columns};
    ty_dtype dtype = sparse_dtype(call, a->values, b->values);
    if (call->fault.set) return out;
    ty_dtype computed = dtype_table[dtype].computed;
    ty_tensor *weights = sparse_gather(ty_cast(a->values, computed), p->in_a.tensor);
    ty_tensor *vector = ty_expand(ty_cast(b->values, computed), 1);
    ty_tensor *first = ty_slice(p->first.tensor, 0, 0, p->entries + 1, 1);
    ty_tensor *sums =
        sparse_record((struct sparse_attr){.kind = SPARSE_READ}, weights, vector, p->in_b.tensor, first);
    if (!sparse_well(call, sums)) return out;
    out.values = ty_cast(ty_squeeze(sums, 1), dtype);
    out.indices = ty_cast(ty_slice(p->column.tensor, 0, 0, p->entries, 1), ty_dtype_of(b->indices));
    out.starts = p->starts.tensor;
    return out;
}

/* Return the matrix product of a and b in CSR. On failure the call's fault is set. */
static ty_sparse product(struct sparse_call *call, ty_sparse a, ty_sparse b) {
    struct pattern_of in_a = {0}, in_b = {0};
    ty_sparse out = {0};
    if (!sparse_check(call, &a) || !sparse_check(call, &b)) return out;
    if (a.columns != b.rows) {
        fault_set(&call->fault, E_SHAPE,
                  "%lld by %lld times %lld by %lld: columns of the first must match rows of the second",
                  (long long)a.rows, (long long)a.columns, (long long)b.rows, (long long)b.columns);
        return out;
    }
    a = sparse_rows(call, a);
    b = call->fault.set ? b : sparse_rows(call, b);
    if (!call->fault.set && sparse_pattern(call, &a, &in_a) && sparse_pattern(call, &b, &in_b) &&
        sparse_follows(call, &in_a, &a) && sparse_follows(call, &in_b, &b)) {
        struct sparse_pairing p = {.a = &in_a, .b = &in_b, .rows = a.rows, .columns = b.columns};
        if (pairing_make(call, &p)) {
            for (int64_t row = 0; row < p.rows && goes_on(call, &p, row); row++) pair_row(&p, row);
            if (!call->fault.set) out = pairing_values(call, &p, &a, &b);
        }
    }
    return out;
}

ty_sparse ty_sparse_product(ty_sparse a, ty_sparse b) {
    struct sparse_call call = sparse_open("sparse_product");
    return sparse_close(&call, product(&call, a, b));
}
