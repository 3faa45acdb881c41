/* Sums, elementwise products, parts and reductions of sparse matrices, by the pattern of the result. */
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "base/checked.h"
#include "sparse/pattern.h"

/* ---- sums: concatenate the entries ---- */

/* Entries collected so far. */
struct joining {
    int64_t n;
    struct sparse_numbers row, column;
};

/* Append the rows and columns of a's entries to j, shifted `down` rows and `right` columns; their values are
   not appended. False, with the call's fault set, on failure. */
static bool join(struct sparse_call *call, struct joining *j, const ty_sparse *a, int64_t down,
                 int64_t right) {
    struct pattern_of p;
    bool done = sparse_pattern(call, a, &p) && sparse_follows(call, &p, a);
    for (int64_t e = 0; done && e < p.entries; e++, j->n++) {
        if (!sparse_goes_on(call, e)) return false;
        j->row.data[j->n] = p.row[e] + down;
        j->column.data[j->n] = p.column[e] + right;
    }
    return done;
}

/* True if a and b are valid and of equal sizes. Else set the fault and return false. */
static bool same_size(struct sparse_call *call, const ty_sparse *a, const ty_sparse *b) {
    if (!sparse_check(call, a) || !sparse_check(call, b)) return false;
    if (a->rows == b->rows && a->columns == b->columns) return true;
    return fault_set(&call->fault, E_SHAPE, "%lld by %lld and %lld by %lld; expected equal sizes",
                     (long long)a->rows, (long long)a->columns, (long long)b->rows, (long long)b->columns);
}

/* Return matrices a[n] joined: stacked along axis 0 or 1, or all at one position (axis -1), so that they are
   added. `out` has the result's size; the result is in CSR. On failure the call's fault is set. */
static ty_sparse join_all(struct sparse_call *call, int n, const ty_sparse *a, int axis, ty_sparse out) {
    int64_t entries = 0, down = 0, right = 0;
    ty_tensor **values = mem_array((size_t)n + 1, sizeof *values);
    struct joining j = {0};
    uint32_t dtypes = 0;
    for (int i = 0; i < n; i++) {
        entries += ty_size(a[i].values);
        dtypes |= dtype_bit(ty_dtype_of(a[i].values));
    }
    bool done = (values || sparse_no_memory(call, n)) && sparse_room(call, entries, &j.row) &&
                sparse_room(call, entries, &j.column);
    for (int i = 0; done && i < n; i++) {
        values[i] = ty_cast(a[i].values, promote_set(dtypes));
        done = join(call, &j, &a[i], down, right);
        if (axis == 0) down += a[i].rows;
        if (axis == 1) right += a[i].columns;
    }
    if (done) {
        out.values = ty_concat(n, values, 0);
        out.indices = a[0].indices;
        if (out.rows > INT32_MAX || out.columns > INT32_MAX) out.indices = ty_zeros(TY_I64, 0, NULL);
        if (sparse_well(call, out.values))
            out = sparse_compress(call, &out, TY_CSR, j.n, j.row.data, j.column.data);
    }
    mem_free(values);
    return out;
}

ty_sparse ty_sparse_add(ty_sparse a, ty_sparse b) {
    struct sparse_call call = sparse_open("sparse_add");
    ty_sparse both[] = {a, b}, out = {.form = TY_CSR, .rows = a.rows, .columns = a.columns};
    return sparse_close(&call, same_size(&call, &a, &b) ? join_all(&call, 2, both, -1, out) : out);
}

ty_sparse ty_sparse_sub(ty_sparse a, ty_sparse b) {
    struct sparse_call call = sparse_open("sparse_sub");
    ty_sparse both[] = {a, b}, out = {.form = TY_CSR, .rows = a.rows, .columns = a.columns};
    if (!same_size(&call, &a, &b)) return sparse_close(&call, out);
    both[1].values = ty_neg(b.values);
    if (sparse_well(&call, both[1].values)) out = join_all(&call, 2, both, -1, out);
    return sparse_close(&call, out);
}

/* Add the size of a[i] along `axis` to that of *out, whose other size it must have. False, with the fault
   set, if it has not. */
static bool add_sizes(struct sparse_call *call, const ty_sparse *a, int i, int axis, ty_sparse *out) {
    if (!sparse_check(call, &a[i])) return false;
    int64_t *along = axis ? &out->columns : &out->rows, *across = axis ? &out->rows : &out->columns;
    int64_t more = axis ? a[i].columns : a[i].rows, other = axis ? a[i].rows : a[i].columns;
    if (i && other != *across)
        return fault_set(&call->fault, E_SHAPE, "matrix %d has %lld %s and those before it %lld", i,
                         (long long)other, axis ? "rows" : "columns", (long long)*across);
    *across = other;
    return checked_add(*along, more, along) ||
           fault_set(&call->fault, E_LIMIT, "there are too many rows or columns");
}

ty_sparse ty_sparse_concat(int n, const ty_sparse *a, int axis) {
    struct sparse_call call = sparse_open("sparse_concat");
    ty_sparse out = {.form = TY_CSR};
    int along = axis < 0 ? axis + 2 : axis;
    if (n < 1 || !a) fault_set(&call.fault, E_ARGUMENT, "%d matrices, or NULL; expected at least one", n);
    if (along != 0 && along != 1)
        fault_set(&call.fault, E_INDEX, "axis %d is out of bounds for 2 axes", axis);
    for (int i = 0; i < n && !call.fault.set; i++) add_sizes(&call, a, i, along, &out);
    return sparse_close(&call, call.fault.set ? out : join_all(&call, n, a, along, out));
}

/* ---- elementwise products: common entries ---- */

/* Return the matrix in CSR with the positions that a and b, both sorted CSR with patterns p and q, have in
   common, and the products of their values. On failure the call's fault is set. */
static ty_sparse meet(struct sparse_call *call, const ty_sparse *a, const ty_sparse *b,
                      const struct pattern_of *p, const struct pattern_of *q) {
    int64_t most = p->entries < q->entries ? p->entries : q->entries, n = 0;
    ty_sparse out = {.form = TY_CSR, .rows = a->rows, .columns = a->columns};
    int64_t *places = mem_array(2 * (size_t)most + 2, sizeof *places),
            *other = places ? places + most + 1 : NULL;
    int64_t *columns = mem_array((size_t)most + 1, sizeof *columns);
    int64_t *starts = mem_array((size_t)a->rows + 1, sizeof *starts);
    for (int64_t row = 0; places && columns && starts && row < a->rows && sparse_goes_on(call, row); row++) {
        int64_t e = p->starts[row], f = q->starts[row];
        while (e < p->starts[row + 1] && f < q->starts[row + 1]) {
            int64_t i = p->column[e], j = q->column[f];
            if (i == j) {
                places[n] = e;
                other[n] = f;
                columns[n++] = i;
            }
            e += i <= j;
            f += j <= i;
        }
        starts[row + 1] = n;
    }
    if (places && columns && starts && !call->fault.set) {
        out.values = ty_mul(sparse_gather(a->values, sparse_numbers(n, places, NULL)),
                            sparse_gather(b->values, sparse_numbers(n, other, NULL)));
        out.indices = sparse_numbers(n, columns, a);
        out.starts = sparse_numbers(a->rows + 1, starts, NULL);
    } else {
        sparse_no_memory(call, most);
    }
    mem_free(places);
    mem_free(columns);
    mem_free(starts);
    return out;
}

ty_sparse ty_sparse_mul(ty_sparse a, ty_sparse b) {
    struct sparse_call call = sparse_open("sparse_mul");
    struct pattern_of p = {0}, q = {0};
    ty_sparse out = {0};
    if (same_size(&call, &a, &b)) a = sparse_rows(&call, a);
    if (!call.fault.set) b = sparse_rows(&call, b);
    if (!call.fault.set && sparse_pattern(&call, &a, &p) && sparse_pattern(&call, &b, &q) &&
        sparse_follows(&call, &p, &a) && sparse_follows(&call, &q, &b))
        out = meet(&call, &a, &b, &p, &q);
    return sparse_close(&call, out);
}

ty_sparse ty_sparse_scale(ty_sparse a, ty_tensor *x) {
    struct sparse_call call = sparse_open("sparse_scale");
    if (!sparse_check(&call, &a) || !sparse_well(&call, x)) return sparse_close(&call, a);
    if (ty_rank(x) > 0) {
        ty_sparse pairs = ty_sparse_as(a, TY_COO);
        if (sparse_well(&call, pairs.values))
            x = ty_gather_nd(ty_broadcast(x, 2, (int64_t[]){a.rows, a.columns}), pairs.indices, 0);
    }
    if (!call.fault.set) a.values = ty_mul(a.values, x);
    return sparse_close(&call, a);
}

/* ---- selection ---- */

/* Return a with only the entries e whose flags[e] is set, in a's storage format; p is its pattern. On failure
   the call's fault is set. */
static ty_sparse keep(struct sparse_call *call, ty_sparse a, const struct pattern_of *p, const bool *flags) {
    int64_t *places = mem_array((size_t)p->entries + 1, sizeof *places), n = 0;
    int64_t *starts = a.form == TY_COO ? NULL : mem_array((size_t)p->lines + 1, sizeof *starts);
    if (!places || (a.form != TY_COO && !starts)) {
        sparse_no_memory(call, p->entries);
    } else {
        for (int64_t e = 0; e < p->entries && sparse_goes_on(call, e); e++) {
            if (!flags[e]) continue;
            places[n++] = e;
            if (starts) starts[(a.form == TY_CSR ? p->row : p->column)[e] + 1]++;
        }
        for (int64_t i = 0; starts && i < p->lines; i++) starts[i + 1] += starts[i];
        ty_tensor *index = sparse_numbers(n, places, NULL);
        a.values = sparse_gather(a.values, index);
        a.indices = ty_gather(a.indices, index, 0);
        if (starts) a.starts = sparse_numbers(p->lines + 1, starts, NULL);
    }
    mem_free(places);
    mem_free(starts);
    return a;
}

/* Return a with only the entries where `mask`, one bool per entry, is true; it must be a value or computable.
   mask NULL: entries on diagonals column - row = low .. high, inclusive. On failure the call's fault is set. */
static ty_sparse keep_by(struct sparse_call *call, ty_sparse a, ty_tensor *mask, int64_t low, int64_t high) {
    struct pattern_of p = {0};
    bool *flags = NULL, varies = false;
    if (mask) {
        mask = value_now(call->name, mask);
        if (sparse_well(call, mask)) varies = mask->varies;
    }
    if (!call->fault.set && sparse_pattern(call, &a, &p)) {
        p.varies |= varies;
        flags = mem_array((size_t)p.entries + 1, sizeof *flags);
        if (!flags) sparse_no_memory(call, p.entries);
    }
    for (int64_t e = 0; flags && !mask && e < p.entries && sparse_goes_on(call, e); e++) {
        int64_t above = p.column[e] - p.row[e];
        flags[e] = above >= low && above <= high;
    }
    if (flags && mask) sparse_read(call, mask, TY_BOOL, flags);
    if (flags && !call->fault.set && sparse_follows(call, &p, &a)) a = keep(call, a, &p, flags);
    mem_free(flags);
    return a;
}

ty_sparse ty_sparse_keep(ty_sparse a, ty_tensor *mask) {
    struct sparse_call call = sparse_open("sparse_keep");
    char words[WORDS];
    if (!sparse_check(&call, &a) || !sparse_well(&call, mask)) return sparse_close(&call, a);
    if (ty_dtype_of(mask) != TY_BOOL || ty_rank(mask) != 1 || ty_size(mask) != ty_size(a.values))
        fault_set(&call.fault, E_DTYPE, "the mask is %s; expected bool[%lld], one for each entry",
                  tensor_describe_into(words, sizeof words, tensor_resolve(mask)),
                  (long long)ty_size(a.values));
    return sparse_close(&call, call.fault.set ? a : keep_by(&call, a, mask, 0, 0));
}

ty_sparse ty_sparse_drop_zeros(ty_sparse a) {
    struct sparse_call call = sparse_open("sparse_drop_zeros");
    if (!sparse_check(&call, &a)) return sparse_close(&call, a);
    return sparse_close(&call, keep_by(&call, a, ty_ne(a.values, ty_scalar(ty_dtype_of(a.values), 0)), 0, 0));
}
ty_sparse ty_sparse_tril(ty_sparse a, int64_t k) {
    struct sparse_call call = sparse_open("sparse_tril");
    return sparse_close(&call, sparse_check(&call, &a) ? keep_by(&call, a, NULL, INT64_MIN, k) : a);
}
ty_sparse ty_sparse_triu(ty_sparse a, int64_t k) {
    struct sparse_call call = sparse_open("sparse_triu");
    return sparse_close(&call, sparse_check(&call, &a) ? keep_by(&call, a, NULL, k, INT64_MAX) : a);
}

/* ---- reordering ---- */

/* Return lines index[n] of a, rows of CSR or columns of CSC, as a matrix in the same format; negative indices
   count from the end. On failure the call's fault is set. */
static ty_sparse take_lines(struct sparse_call *call, ty_sparse a, int64_t n, const int64_t *index) {
    struct pattern_of p;
    int64_t entries = 0, k = 0, *starts = mem_array((size_t)n + 1, sizeof *starts), *places = NULL;
    bool done = sparse_pattern(call, &a, &p) && sparse_follows(call, &p, &a);
    if (done && !starts) done = sparse_no_memory(call, n);
    for (int64_t i = 0; done && i < n; i++) {
        int64_t line = index[i] < 0 ? index[i] + p.lines : index[i];
        if (line < 0 || line >= p.lines)
            done = fault_set(&call->fault, E_INDEX, "index %lld is out of bounds for %lld %s",
                             (long long)index[i], (long long)p.lines, a.form == TY_CSR ? "rows" : "columns");
        else
            starts[i + 1] = entries += p.starts[line + 1] - p.starts[line];
    }
    if (done && !(places = mem_array((size_t)entries + 1, sizeof *places)))
        done = sparse_no_memory(call, entries);
    for (int64_t i = 0; done && i < n; i++) {
        int64_t line = index[i] < 0 ? index[i] + p.lines : index[i];
        for (int64_t e = p.starts[line]; e < p.starts[line + 1]; e++) places[k++] = e;
        done = sparse_goes_on(call, i);
    }
    if (done) {
        ty_tensor *which = sparse_numbers(entries, places, NULL);
        a.values = sparse_gather(a.values, which);
        a.indices = ty_gather(a.indices, which, 0);
        a.starts = sparse_numbers(n + 1, starts, NULL);
        *(a.form == TY_CSR ? &a.rows : &a.columns) = n;
    }
    mem_free(starts);
    mem_free(places);
    return a;
}

/* Normalise *axis, -2 .. 1, to 0 or 1. False, with the fault set, if it is outside of that range. */
static bool plain_axis(struct sparse_call *call, int *axis) {
    if (*axis < 0) *axis += 2;
    return *axis == 0 || *axis == 1 ||
           fault_set(&call->fault, E_INDEX, "axis %d is out of bounds for 2 axes", *axis);
}

/* Return rows (axis 0) or columns (axis 1) index[n] of a, in its format, in CSR for COO. On failure the
   call's fault is set. */
static ty_sparse take(struct sparse_call *call, ty_sparse a, int64_t n, const int64_t *index, int axis) {
    ty_sparse_form form = a.form == TY_CSC ? TY_CSC : TY_CSR, along = axis ? TY_CSC : TY_CSR;
    if (a.form != along) a = ty_sparse_as(a, along);
    if (sparse_well(call, a.values)) a = take_lines(call, a, n, index);
    return call->fault.set || form == along ? a : ty_sparse_as(a, form);
}

ty_sparse ty_sparse_take(ty_sparse a, ty_tensor *index, int axis) {
    struct sparse_call call = sparse_open("sparse_take");
    char words[WORDS];
    if (!sparse_check(&call, &a) || !sparse_well(&call, index) || !plain_axis(&call, &axis))
        return sparse_close(&call, a);
    if (ty_rank(index) != 1 || !dtype_is(ty_dtype_of(index), CLASS_INTEGER)) {
        fault_set(&call.fault, E_DTYPE, "the index is %s; expected a vector of integers",
                  tensor_describe_into(words, sizeof words, tensor_resolve(index)));
        return sparse_close(&call, a);
    }
    int64_t n = ty_size(index), *numbers = mem_array((size_t)n + 1, sizeof *numbers);
    index = value_now(call.name, index);
    if (!numbers) sparse_no_memory(&call, n);
    if (sparse_well(&call, index) && numbers) sparse_read(&call, index, TY_I64, numbers);
    if (!call.fault.set && index->varies && tensor_resolve(a.values)->promise)
        fault_set(&call.fault, E_STATE,
                  "the index was read from a variable (ty_var) during recording, and the result "
                  "would not follow it; ty_eval it to fix today's value");
    if (!call.fault.set) a = take(&call, a, n, numbers, axis);
    mem_free(numbers);
    return sparse_close(&call, a);
}

ty_sparse ty_sparse_slice(ty_sparse a, int axis, int64_t start, int64_t stop, int64_t step) {
    struct sparse_call call = sparse_open("sparse_slice");
    if (!sparse_check(&call, &a) || !plain_axis(&call, &axis)) return sparse_close(&call, a);
    int64_t size = axis ? a.columns : a.rows;
    ty_tensor *index = ty_slice(ty_iota(TY_I64, 1, &size, 0), 0, start, stop, step);
    if (!sparse_well(&call, index)) return sparse_close(&call, a);
    int64_t n = ty_size(index), *numbers = mem_array((size_t)n + 1, sizeof *numbers);
    if (!numbers) sparse_no_memory(&call, n);
    if (numbers) sparse_read(&call, index, TY_I64, numbers);
    if (!call.fault.set) a = take(&call, a, n, numbers, axis);
    mem_free(numbers);
    return sparse_close(&call, a);
}

/* ---- reductions ---- */

/* Return the row, or with `columns` the column, of each entry, an i64 vector. NULL, with the call's fault
   set, on failure. */
static ty_tensor *places_of(struct sparse_call *call, const ty_sparse *a, bool columns) {
    struct pattern_of p;
    ty_tensor *out = NULL;
    if (sparse_pattern(call, a, &p)) out = sparse_numbers(p.entries, columns ? p.column : p.row, NULL);
    return out;
}
ty_tensor *ty_sparse_row_of(ty_sparse a) {
    struct sparse_call call = sparse_open("sparse_row_of");
    return sparse_close_tensor(&call, places_of(&call, &a, false));
}
ty_tensor *ty_sparse_column_of(ty_sparse a) {
    struct sparse_call call = sparse_open("sparse_column_of");
    return sparse_close_tensor(&call, places_of(&call, &a, true));
}

/* Return the axis to reduce, 0 or 1, or 2 for both. -1, with the call's fault set, if axes are invalid, none,
   or to be kept. */
static int reduced_axes(struct sparse_call *call, const ty_sparse *a, ty_axes axes) {
    if (!sparse_check(call, a)) return -1;
    uint64_t bits = axes_bits(axes, 2);
    bool all = axes.mask == UINT64_MAX, outside = !all && ((axes.mask | axes.last) >> 2);
    if (outside || axes.keep || !bits) {
        fault_set(&call->fault, E_SHAPE, "expected axes 0, 1 or both, without keepdims");
        return -1;
    }
    return bits == 3 ? 2 : bits == 2;
}

/* Return the sums over axis 0 or 1, a vector, or both, 0-d, in the dtype for sums. NULL, with the call's
   fault set, on failure. */
static ty_tensor *sum_along(struct sparse_call *call, ty_sparse a, ty_axes axes) {
    int axis = reduced_axes(call, &a, axes);
    if (axis < 0) return NULL;
    if (axis == 2) return ty_sum(a.values, TY_ALL);
    a.values = ty_cast(a.values, dtype_table[ty_dtype_of(a.values)].sums);
    ty_tensor *ones = ty_ones(ty_dtype_of(a.values), 1, axis ? &a.columns : &a.rows);
    return axis ? ty_sparse_matmul(a, ones) : ty_sparse_rmatmul(ones, a);
}

ty_tensor *ty_sparse_sum(ty_sparse a, ty_axes axes) {
    struct sparse_call call = sparse_open("sparse_sum");
    return sparse_close_tensor(&call, sum_along(&call, a, axes));
}

ty_tensor *ty_sparse_mean(ty_sparse a, ty_axes axes) {
    struct sparse_call call = sparse_open("sparse_mean");
    int axis = reduced_axes(&call, &a, axes);
    ty_tensor *sum = axis < 0 ? NULL : sum_along(&call, a, axes);
    if (call.fault.set || !sparse_well(&call, sum)) return sparse_close_tensor(&call, sum);
    double count = axis == 2 ? (double)a.rows * (double)a.columns : axis ? (double)a.columns : (double)a.rows;
    return sparse_close_tensor(&call, ty_div(as_floating(sum), ty_num(count)));
}

/* Return a vector of the extreme of each line, rows of CSR or columns of CSC: TY_SCATTER_MAX or _MIN. Lines
   without absent entries start from their first entry, others from 0. NULL, with the call's fault set, on
   failure. */
static ty_tensor *extreme_of_lines(struct sparse_call *call, ty_sparse a, ty_scatter_mode mode) {
    struct pattern_of p;
    int64_t others = a.form == TY_CSR ? a.columns : a.rows, *first = NULL;
    bool *full = NULL;
    ty_tensor *out = NULL;
    if (sparse_pattern(call, &a, &p)) {
        full = mem_array((size_t)p.lines + 1, sizeof *full);
        first = mem_array((size_t)p.lines + 1, sizeof *first);
        if (!full || !first) sparse_no_memory(call, p.lines);
        for (int64_t i = 0; full && first && i < p.lines; i++) {
            full[i] = others > 0 && p.starts[i + 1] - p.starts[i] == others;
            first[i] = full[i] ? p.starts[i] : 0;
        }
    }
    if (full && first && others == 0 && p.lines > 0) {
        fault_set(&call->fault, E_SHAPE, "empty lines have no minimum or maximum");
    } else if (full && first) {
        ty_tensor *zeros = ty_zeros(ty_dtype_of(a.values), 1, &p.lines);
        ty_tensor *begin =
            p.entries ? ty_where(ty_from(TY_BOOL, 1, &p.lines, full),
                                 sparse_gather(a.values, sparse_numbers(p.lines, first, NULL)), zeros)
                      : zeros;
        ty_tensor *index = sparse_numbers(p.entries, a.form == TY_CSR ? p.row : p.column, NULL);
        out = ty_scatter(begin, index, a.values, 0, mode);
    }
    mem_free(full);
    mem_free(first);
    return out;
}

/* Return the extremes over axis 0 or 1, a vector, or both, 0-d, where absent entries count as 0. NULL, with
   the call's fault set, on failure. */
static ty_tensor *extreme(struct sparse_call *call, ty_sparse a, ty_axes axes, ty_scatter_mode mode) {
    int axis = reduced_axes(call, &a, axes);
    if (axis < 0) return NULL;
    a = ty_sparse_as(a, axis == 0 ? TY_CSC : TY_CSR);
    if (!sparse_well(call, a.values)) return NULL;
    ty_tensor *lines = extreme_of_lines(call, a, mode);
    if (axis < 2 || call->fault.set || !sparse_well(call, lines)) return lines;
    return mode == TY_SCATTER_MAX ? ty_amax(lines, TY_ALL) : ty_amin(lines, TY_ALL);
}

ty_tensor *ty_sparse_max(ty_sparse a, ty_axes axes) {
    struct sparse_call call = sparse_open("sparse_max");
    return sparse_close_tensor(&call, extreme(&call, a, axes, TY_SCATTER_MAX));
}
ty_tensor *ty_sparse_min(ty_sparse a, ty_axes axes) {
    struct sparse_call call = sparse_open("sparse_min");
    return sparse_close_tensor(&call, extreme(&call, a, axes, TY_SCATTER_MIN));
}

ty_tensor *ty_sparse_norm(ty_sparse a) {
    struct sparse_call call = sparse_open("sparse_norm");
    ty_tensor *norm = NULL;
    if (sparse_check(&call, &a)) a = sparse_rows(&call, a);
    if (!call.fault.set) norm = ty_sqrt(ty_sum(ty_square(ty_abs(as_floating(a.values))), TY_ALL));
    return sparse_close_tensor(&call, norm);
}

/* Return the main diagonal as a vector, duplicates summed; p is the pattern of a. NULL, with the call's fault
   set, on failure. */
static ty_tensor *diagonal(struct sparse_call *call, const ty_sparse *a, const struct pattern_of *p) {
    int64_t *places = mem_array(2 * (size_t)p->entries + 1, sizeof *places), n = 0;
    int64_t *rows = places ? places + p->entries : NULL;
    if (!places) return (sparse_no_memory(call, p->entries), NULL);
    for (int64_t e = 0; e < p->entries && sparse_goes_on(call, e); e++) {
        if (p->row[e] != p->column[e]) continue;
        places[n] = e;
        rows[n++] = p->row[e];
    }
    ty_tensor *values = sparse_gather(a->values, sparse_numbers(n, places, NULL));
    ty_tensor *out =
        ty_scatter_add(values, sparse_numbers(n, rows, NULL), 0, a->rows < a->columns ? a->rows : a->columns);
    mem_free(places);
    return out;
}

ty_tensor *ty_sparse_diagonal(ty_sparse a) {
    struct sparse_call call = sparse_open("sparse_diagonal");
    struct pattern_of p;
    ty_tensor *out = NULL;
    if (sparse_pattern(&call, &a, &p) && sparse_follows(&call, &p, &a)) out = diagonal(&call, &a, &p);
    return sparse_close_tensor(&call, out);
}
