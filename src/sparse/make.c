/* Creation and conversion of sparse matrices. */
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "base/checked.h"
#include "sparse/pattern.h"

ty_sparse_form ty_sparse_form_named(const char *name) {
    static const char *const names[] = {[TY_COO] = "coo", [TY_CSR] = "csr", [TY_CSC] = "csc"};
    for (int i = 0; name && i < TY_SPARSE_FORMS; i++)
        if (!strcmp(name, names[i])) return (ty_sparse_form)i;
    return TY_SPARSE_FORMS;
}

bool ty_sparse_ok(ty_sparse a) {
    return ty_ok(a.values) && ty_ok(a.indices) && (a.form == TY_COO || ty_ok(a.starts));
}

ty_tensor *ty_sparse_failure(ty_sparse a) {
    ty_tensor *all[] = {a.values, a.indices, a.starts};
    for (int i = 0; i < (a.form == TY_COO ? 2 : 3); i++)
        if (!ty_ok(all[i])) return tensor_of(all[i]);
    return NULL;
}

const char *ty_sparse_error(ty_sparse a) {
    ty_tensor *bad = ty_sparse_failure(a);
    return bad ? ty_error(bad) : "";
}

int64_t ty_sparse_entries(ty_sparse a) { return ty_sparse_ok(a) ? ty_size(a.values) : 0; }

/* ---- from tensors ---- */

/* Return a, after checking the struct, and the values of indices and starts if that needs no evaluation. If
   it is invalid the call's fault is set. */
static ty_sparse checked(struct sparse_call *call, ty_sparse a) {
    if (!sparse_check(call, &a)) return a;
    if (ty_is_promise(a.indices) || (a.starts && ty_is_promise(a.starts))) return a;
    struct pattern_of p;
    sparse_pattern(call, &a, &p);
    return a;
}

ty_sparse ty_sparse_coo(ty_tensor *values, ty_tensor *indices, int64_t rows, int64_t columns) {
    struct sparse_call call = sparse_open("sparse_coo");
    ty_tensor *x[] = {values, indices}, *bad = first_poison(2, x);
    if (bad) sparse_well(&call, bad);
    ty_sparse a = {.form = TY_COO, .rows = rows, .columns = columns, .values = values, .indices = indices};
    return sparse_close(&call, call.fault.set ? a : checked(&call, a));
}

/* Return the matrix of values, indices and starts in the format `form`, CSR or CSC; `others` is the number of
   columns of CSR, of rows of CSC. On failure the call's fault is set. */
static ty_sparse compressed(struct sparse_call *call, ty_sparse_form form, int64_t others, ty_tensor *values,
                            ty_tensor *indices, ty_tensor *starts) {
    ty_tensor *x[] = {values, indices, starts}, *bad = first_poison_in(call->name, 3, x);
    char words[WORDS];
    ty_sparse a = {.form = form, .values = values, .indices = indices};
    if (bad) {
        sparse_well(call, bad);
    } else if (ty_rank(starts) != 1 || ty_size(starts) < 1 || !dtype_is(ty_dtype_of(starts), CLASS_INTEGER)) {
        fault_set(&call->fault, E_DTYPE, "starts are %s; expected a vector of integers, one more than lines",
                  tensor_describe_into(words, sizeof words, starts));
    } else {
        int64_t lines = ty_size(starts) - 1;
        a.starts = ty_cast(starts, TY_I64);
        a.rows = form == TY_CSR ? lines : others;
        a.columns = form == TY_CSR ? others : lines;
        return checked(call, a);
    }
    return a;
}

ty_sparse ty_sparse_csr(ty_tensor *values, ty_tensor *indices, ty_tensor *starts, int64_t columns) {
    struct sparse_call call = sparse_open("sparse_csr");
    return sparse_close(&call, compressed(&call, TY_CSR, columns, values, indices, starts));
}
ty_sparse ty_sparse_csc(ty_tensor *values, ty_tensor *indices, ty_tensor *starts, int64_t rows) {
    struct sparse_call call = sparse_open("sparse_csc");
    return sparse_close(&call, compressed(&call, TY_CSC, rows, values, indices, starts));
}

ty_sparse ty_sparse_with(ty_sparse a, ty_tensor *values) {
    struct sparse_call call = sparse_open("sparse_with");
    if (!sparse_check(&call, &a) || !sparse_well(&call, values)) return sparse_close(&call, a);
    a.values = values;
    sparse_check(&call, &a);
    return sparse_close(&call, a);
}

ty_sparse ty_sparse_cast(ty_sparse a, ty_dtype dtype) {
    struct sparse_call call = sparse_open("sparse_cast");
    if (!sparse_check(&call, &a)) return sparse_close(&call, a);
    a.values = ty_cast(a.values, dtype);
    if (sparse_well(&call, a.values)) sparse_check(&call, &a);
    return sparse_close(&call, a);
}

/* ---- from dense matrices ---- */

/* Return a dense matrix x, without its zeros, in the storage format `form`. On failure the call's fault is
   set. */
static ty_sparse from_dense(struct sparse_call *call, ty_tensor *x, ty_sparse_form form) {
    char words[WORDS];
    ty_sparse a = {.form = TY_COO};
    if (!sparse_well(call, x)) return a;
    if ((unsigned)form >= TY_SPARSE_FORMS)
        return (fault_set(&call->fault, E_ARGUMENT, "unknown form %d; expected TY_COO, TY_CSR or TY_CSC",
                          (int)form),
                a);
    if (ty_rank(x) != 2 || ty_dtype_of(x) == TY_BOOL)
        return (fault_set(&call->fault, E_SHAPE, "x is %s; expected a matrix of numbers",
                          tensor_describe_into(words, sizeof words, tensor_resolve(x))),
                a);
    a.rows = ty_shape(x)[0];
    a.columns = ty_shape(x)[1];
    ty_tensor *places = ty_argwhere(x);
    if (!sparse_well(call, places)) return a;
    a.values = ty_gather_nd(x, places, 0);
    a.indices = ty_cast(places, a.rows <= INT32_MAX && a.columns <= INT32_MAX ? TY_I32 : TY_I64);
    return form == TY_COO ? a : ty_sparse_as(a, form);
}

ty_sparse ty_sparse_from_dense(ty_tensor *x, ty_sparse_form form) {
    struct sparse_call call = sparse_open("sparse_from_dense");
    return sparse_close(&call, from_dense(&call, x, form));
}

ty_tensor *ty_sparse_to_dense(ty_sparse a) {
    struct sparse_call call = sparse_open("sparse_to_dense");
    ty_tensor *dense = NULL;
    if (sparse_check(&call, &a)) a = a.form == TY_COO ? a : ty_sparse_as(a, TY_COO);
    if (!call.fault.set && sparse_well(&call, a.values))
        dense = ty_scatter_nd(ty_zeros(ty_dtype_of(a.values), 2, (int64_t[]){a.rows, a.columns}), a.indices,
                              a.values, TY_SCATTER_ADD);
    return sparse_close_tensor(&call, dense);
}

/* ---- diagonals ---- */

ty_sparse ty_sparse_identity(ty_dtype dtype, int64_t n) {
    struct sparse_call call = sparse_open("sparse_identity");
    if (n < 0 || n == INT64_MAX)
        fault_set(&call.fault, E_ARGUMENT, "%lld rows; expected 0 or more", (long long)n);
    if (call.fault.set) return sparse_close(&call, (ty_sparse){0});
    ty_sparse a = {.form = TY_CSR, .rows = n, .columns = n, .values = ty_ones(dtype, 1, &n)};
    a.indices = ty_iota(n <= INT32_MAX ? TY_I32 : TY_I64, 1, &n, 0);
    a.starts = ty_iota(TY_I64, 1, (int64_t[]){n + 1}, 0);
    if (sparse_well(&call, a.values)) sparse_check(&call, &a);
    return sparse_close(&call, a);
}

/* Return the number of elements on the diagonal column - row = offset of a matrix; 0 if it lies outside. */
static int64_t diagonal_length(int64_t rows, int64_t columns, int64_t offset) {
    int64_t first = offset < 0 ? rows + offset : rows, second = offset > 0 ? columns - offset : columns;
    int64_t least = first < second ? first : second;
    return least > 0 ? least : 0;
}

/* Return x as a vector of `length` elements: a 0-d number is repeated. If it is neither a number nor a vector
   of that length, set the call's fault (`offset` is for the message) and return x. */
static ty_tensor *diagonal_values(struct sparse_call *call, ty_tensor *x, int64_t length, int64_t offset) {
    char words[WORDS];
    if (ty_rank(x) == 0) return ty_broadcast(x, 1, &length);
    if (ty_rank(x) == 1 && ty_size(x) == length) return x;
    fault_set(&call->fault, E_ARGUMENT, "the diagonal at %lld is %s; expected a number or a vector of %lld",
              (long long)offset, tensor_describe_into(words, sizeof words, tensor_resolve(x)),
              (long long)length);
    return x;
}

/* Return matrix a, whose size is given, in CSR with n diagonals, diagonals[i] at column - row = offsets[i].
   Where diagonals coincide entries are summed. On failure the call's fault is set. */
static ty_sparse lay_diagonals(struct sparse_call *call, int n, ty_tensor *const *diagonals,
                               const int64_t *offsets, ty_sparse a) {
    int64_t entries = 0, e = 0;
    ty_tensor **values = mem_array((size_t)n + 1, sizeof *values);
    uint32_t dtypes = 0;
    for (int i = 0; i < n && values; i++) {
        if (offsets[i] <= -INT64_MAX)
            fault_set(&call->fault, E_ARGUMENT, "offset %lld is out of range", (long long)offsets[i]);
        int64_t length = call->fault.set ? 0 : diagonal_length(a.rows, a.columns, offsets[i]);
        values[i] = diagonal_values(call, diagonals[i], length, offsets[i]);
        dtypes |= dtype_bit(ty_dtype_of(diagonals[i]));
        entries += length;
    }
    int64_t *row = mem_array((size_t)entries + 1, sizeof *row),
            *column = mem_array((size_t)entries + 1, sizeof *column);
    if (!values || !row || !column) sparse_no_memory(call, entries);
    for (int i = 0; i < n && !call->fault.set; i++) {
        int64_t length = diagonal_length(a.rows, a.columns, offsets[i]);
        values[i] = ty_cast(values[i], promote_set(dtypes));
        for (int64_t k = 0; k < length && sparse_goes_on(call, k); k++, e++) {
            row[e] = k + (offsets[i] < 0 ? -offsets[i] : 0);
            column[e] = k + (offsets[i] > 0 ? offsets[i] : 0);
        }
    }
    if (!call->fault.set) {
        int64_t none = 0;
        a.values = n ? ty_concat(n, values, 0) : ty_zeros(TY_F64, 1, &none);
        a.indices = ty_zeros(a.rows <= INT32_MAX && a.columns <= INT32_MAX ? TY_I32 : TY_I64, 0, NULL);
        if (sparse_well(call, a.values)) a = sparse_compress(call, &a, TY_CSR, entries, row, column);
    }
    mem_free(values);
    mem_free(row);
    mem_free(column);
    return a;
}

ty_sparse ty_sparse_diagonals(int n, ty_tensor *const *diagonals, const int64_t *offsets, int64_t rows,
                              int64_t columns) {
    struct sparse_call call = sparse_open("sparse_diagonals");
    ty_tensor *bad = first_poison(n, diagonals);
    if (!bad) bad = refuse_missing("sparse_diagonals", n, offsets, "offsets");
    if (bad) sparse_well(&call, bad);
    if (rows < 0 || columns < 0)
        fault_set(&call.fault, E_ARGUMENT, "%lld rows and %lld columns; expected 0 or more", (long long)rows,
                  (long long)columns);
    ty_sparse a = {.form = TY_CSR, .rows = rows, .columns = columns};
    return sparse_close(&call, call.fault.set ? a : lay_diagonals(&call, n, diagonals, offsets, a));
}

/* ---- conversions ---- */

/* True if the entries of each line (row of CSR or column of CSC) are sorted by index without duplicates. */
static bool settled(const struct pattern_of *p) {
    for (int64_t i = 0; i < p->lines; i++)
        for (int64_t e = p->starts[i] + 1; e < p->starts[i + 1]; e++)
            if (p->indices[e] <= p->indices[e - 1]) return false;
    return true;
}

/* Return matrix a, with pattern p, as COO, with the same entries in the same order. */
static ty_sparse as_pairs(const ty_sparse *a, const struct pattern_of *p) {
    ty_tensor *both[] = {sparse_numbers(p->entries, p->row, a), sparse_numbers(p->entries, p->column, a)};
    return (ty_sparse){.form = TY_COO,
                       .rows = a->rows,
                       .columns = a->columns,
                       .values = a->values,
                       .indices = ty_stack(2, both, 1)};
}

/* Return a in the storage format `form`. CSR and CSC are sorted, with duplicates summed; COO has the entries
   as they are in a. On failure the call's fault is set. */
static ty_sparse as_form(struct sparse_call *call, ty_sparse a, ty_sparse_form form) {
    struct pattern_of p;
    if ((unsigned)form >= TY_SPARSE_FORMS)
        fault_set(&call->fault, E_ARGUMENT, "unknown form %d; expected TY_COO, TY_CSR or TY_CSC", (int)form);
    if (call->fault.set || !sparse_check(call, &a) || (form == TY_COO && a.form == TY_COO)) return a;
    ty_sparse out = a;
    bool read = sparse_pattern(call, &a, &p);
    if (read && form == TY_COO && sparse_follows(call, &p, &a))
        out = as_pairs(&a, &p);
    else if (read && form != TY_COO && !(form == a.form && settled(&p)) && sparse_follows(call, &p, &a))
        out = sparse_compress(call, &a, form, p.entries, p.row, p.column);
    return out;
}

ty_sparse ty_sparse_as(ty_sparse a, ty_sparse_form form) {
    struct sparse_call call = sparse_open("sparse_as");
    return sparse_close(&call, as_form(&call, a, form));
}

ty_sparse sparse_rows(struct sparse_call *call, ty_sparse a) { return as_form(call, a, TY_CSR); }

/* Return the transpose of a, which shares its tensors. */
static ty_sparse turned(ty_sparse a) {
    ty_sparse out = a;
    out.rows = a.columns;
    out.columns = a.rows;
    if (a.form == TY_COO)
        out.indices = ty_flip(a.indices, 1);
    else
        out.form = a.form == TY_CSR ? TY_CSC : TY_CSR;
    return out;
}

ty_sparse ty_sparse_transpose(ty_sparse a) {
    struct sparse_call call = sparse_open("sparse_transpose");
    return sparse_close(&call, sparse_check(&call, &a) ? turned(a) : a);
}
ty_sparse ty_sparse_adjoint(ty_sparse a) {
    struct sparse_call call = sparse_open("sparse_adjoint");
    if (!sparse_check(&call, &a)) return sparse_close(&call, a);
    a.values = ty_conj(a.values);
    return sparse_close(&call, turned(a));
}
