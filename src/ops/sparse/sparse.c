/*
 * Products with matrices in compressed sparse rows.  Like resampling, they are the derivatives of one trilinear form:
 *   F(g, v, x) = sum over rows i, their entries e, and k of g[i,k] * v[e] * x[column of e, k].
 * READ is the derivative by g, ADD by x, DOT by v.  So the gradients of each are the other two, to any order.  The
 * gradients of a triangular SOLVE are a SOLVE with the adjoint, and a DOT of that with the solution.
 */
#include "ops/sparse/sparse.h"
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "ops/core/operators.h"
#include "ops/core/reach.h"
#include "ops/shape/batch.h"

enum { FIRST, X, INDICES, STARTS };

bool sparse_refuse_ends(struct fault *fault, const char *name, int64_t first, int64_t last, int64_t entries) {
    return fault_set(
        fault, E_DOMAIN,
        "%s: starts begin with %lld and end with %lld; they must begin with 0 and end with %lld, the "
        "number of entries",
        name, (long long)first, (long long)last, (long long)entries);
}
bool sparse_refuse_starts(struct fault *fault, const char *name, int64_t row, int64_t from, int64_t to,
                          int64_t entries) {
    return fault_set(fault, E_DOMAIN,
                     "%s: the entries of row %lld are %lld..%lld of %lld; starts must begin with 0, not "
                     "decrease and end with the number of entries",
                     name, (long long)row, (long long)from, (long long)to - 1, (long long)entries);
}
bool sparse_refuse_index(struct fault *fault, const char *name, int64_t index, int64_t row, int64_t columns) {
    return fault_set(fault, E_INDEX,
                     "%s: an entry of row %lld is in column %lld, which is out of bounds; expected 0..%lld",
                     name, (long long)row, (long long)index, (long long)columns - 1);
}
bool sparse_refuse_diagonal(struct fault *fault, const char *name, int64_t row) {
    return fault_set(fault, E_SINGULAR,
                     "%s: the matrix is singular: the diagonal of row %lld is 0 or missing", name,
                     (long long)row);
}

/* ---- dtypes and shapes ---- */

/* Check the operands of a sparse operator: dtypes, and that indices and starts are vectors and x is a matrix.
   False, with the fault set, if they are invalid. */
static bool infer_pattern(struct infer *in) {
    const struct sparse_attr *attr = in->attr;
    const ty_tensor *first = in->inputs[FIRST], *x = in->inputs[X], *indices = in->inputs[INDICES],
                    *starts = in->inputs[STARTS];
    if (attr->part < 0 || attr->part >= SPARSE_PARTS)
        return infer_fault(in, E_ARGUMENT, "unknown part %d", attr->part);
    if (first->dtype != x->dtype || dtype_is(x->dtype, CLASS_BOOL) || dtype_is_half(x->dtype))
        return infer_fault(
            in, E_DTYPE,
            "values and x must have the same dtype, integer, f32, f64, c64 or c128; use ty_cast");
    if ((indices->dtype != TY_I32 && indices->dtype != TY_I64) || indices->layout.rank != 1)
        return infer_fault(in, E_DTYPE, "the indices must be i32 or i64[entries]");
    if (starts->dtype != TY_I64 || starts->layout.rank != 1 || starts->layout.shape[0] < 1)
        return infer_fault(in, E_DTYPE, "the starts must be i64[rows + 1]");
    if (x->layout.rank != 2) return infer_fault(in, E_SHAPE, "x must be a matrix");
    return true;
}

/* Set the result of READ, ADD or SOLVE, a matrix, in *in. False, with the fault set, if operands do not fit. */
static bool infer_product(struct infer *in) {
    const struct sparse_attr *attr = in->attr;
    if (!infer_pattern(in)) return false;
    const ty_tensor *values = in->inputs[FIRST], *x = in->inputs[X], *indices = in->inputs[INDICES];
    int64_t rows = in->inputs[STARTS]->layout.shape[0] - 1;
    if (!shape_equal(values->layout.rank, values->layout.shape, 1, indices->layout.shape))
        return infer_fault(in, E_SHAPE, "there must be as many values as indices");
    infer_like(in, x);
    if (attr->kind != SPARSE_READ && x->layout.shape[0] != rows)
        return infer_fault(in, E_SHAPE, "x has %lld rows and the matrix %lld", (long long)x->layout.shape[0],
                           (long long)rows);
    if (attr->kind == SPARSE_SOLVE &&
        (attr->part == SPARSE_ALL || !dtype_is(x->dtype, CLASS_FLOAT | CLASS_COMPLEX)))
        return infer_fault(in, E_DTYPE, "a triangular solution needs floating or complex numbers");
    if (attr->kind == SPARSE_ADD && attr->size < 0)
        return infer_fault(in, E_SHAPE, "%lld columns", (long long)attr->size);
    if (attr->kind == SPARSE_READ) in->shape[0] = rows;
    if (attr->kind == SPARSE_ADD) in->shape[0] = attr->size;
    return infer_fits(in);
}

/* Set the result of DOT in *in: a vector with a value for each entry of the pattern. False, with the fault
   set, if the operands do not fit. */
static bool infer_dot(struct infer *in) {
    if (!infer_pattern(in)) return false;
    const ty_tensor *g = in->inputs[FIRST], *x = in->inputs[X];
    int64_t rows = in->inputs[STARTS]->layout.shape[0] - 1;
    if (g->layout.rank != 2 || g->layout.shape[0] != rows || g->layout.shape[1] != x->layout.shape[1])
        return infer_fault(in, E_SHAPE, "g must be [%lld,%lld]", (long long)rows,
                           (long long)x->layout.shape[1]);
    infer_like(in, in->inputs[INDICES]);
    in->dtype = g->dtype;
    return true;
}

/* ---- recording ---- */

static const struct op *const ops[SPARSE_KINDS] = {
    [SPARSE_READ] = &op_sparse_read,
    [SPARSE_ADD] = &op_sparse_add,
    [SPARSE_DOT] = &op_sparse_dot,
    [SPARSE_SOLVE] = &op_sparse_solve,
};

ty_tensor *sparse_record(struct sparse_attr attr, ty_tensor *first, ty_tensor *x, ty_tensor *indices,
                         ty_tensor *starts) {
    return record(ops[attr.kind], &attr, sizeof attr, 4, (ty_tensor *[]){first, x, indices, starts});
}

/* ---- gradients ---- */

static const struct sparse_attr *attr_of(const ty_tensor *y) { return y->attr; }

/* Return the result of an operator of `kind` on the pattern of y, with the operands `first` and x. Poison on
   failure. */
static ty_tensor *again(const ty_tensor *y, enum sparse_kind kind, ty_tensor *first, ty_tensor *x) {
    struct sparse_attr attr = {.kind = kind, .part = attr_of(y)->part};
    if (kind == SPARSE_ADD) attr.size = attr_of(y)->size;
    return sparse_record(attr, first, x, y->inputs[INDICES], y->inputs[STARTS]);
}
/* Return the result of an ADD on the pattern of y, of these values and the matrix g; it has as many rows as
   `like`. Poison on failure. */
static ty_tensor *add_like(const ty_tensor *y, ty_tensor *values, ty_tensor *g, const ty_tensor *like) {
    struct sparse_attr attr = {.kind = SPARSE_ADD, .part = attr_of(y)->part, .size = like->layout.shape[0]};
    return sparse_record(attr, values, g, y->inputs[INDICES], y->inputs[STARTS]);
}

static ty_tensor *read_vjp(ty_tensor *y, ty_tensor *g, int i) {
    if (i == FIRST) return again(y, SPARSE_DOT, g, y->inputs[X]);
    return i == X ? add_like(y, ty_conj(y->inputs[FIRST]), g, y->inputs[X]) : NULL;
}

static ty_tensor *add_vjp(ty_tensor *y, ty_tensor *g, int i) {
    if (i == FIRST) return ty_conj(again(y, SPARSE_DOT, y->inputs[X], g));
    return i == X ? again(y, SPARSE_READ, ty_conj(y->inputs[FIRST]), g) : NULL;
}

static ty_tensor *dot_vjp(ty_tensor *y, ty_tensor *g, int i) {
    if (i == FIRST) return again(y, SPARSE_READ, g, y->inputs[X]);
    return i == X ? add_like(y, ty_conj(g), y->inputs[FIRST], y->inputs[X]) : NULL;
}

/* Gradient rule of SOLVE, given g, the gradient of y: sets out[X] to the solution b of the adjoint system for
   g, and out[FIRST], of the entries, to minus the products of b and y; only those with needed[]. */
static void solve_vjp(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **out) {
    struct sparse_attr attr = *attr_of(y);
    bool transposed = attr.transposed;
    attr.transposed = !transposed;
    ty_tensor *b = sparse_record(attr, ty_conj(y->inputs[FIRST]), g, y->inputs[INDICES], y->inputs[STARTS]);
    if (needed[X]) out[X] = b;
    if (!needed[FIRST]) return;
    out[FIRST] = ty_neg(transposed ? ty_conj(again(y, SPARSE_DOT, y, b)) : again(y, SPARSE_DOT, b, y));
}

/* ---- batch rules ---- */

/* Batch rule for a matrix that all examples share: return the result with a leading axis of examples; the
   columns of all examples form one x. */
static ty_tensor *batch_columns(const struct batch *b) {
    ty_tensor *x = b->x[X];
    int64_t rows = ty_shape(x)[1], columns = ty_shape(x)[2];
    ty_tensor *wide = ty_reshape(ty_permute(x, (int[]){1, 0, 2}), 2, (int64_t[]){rows, b->n * columns});
    ty_tensor *y = sparse_record(*attr_of(b->y), b->x[FIRST], wide, b->x[INDICES], b->x[STARTS]);
    if (!ty_ok(y)) return y;
    y = ty_reshape(y, 3, (int64_t[]){ty_shape(y)[0], b->n, columns});
    return ty_permute(y, (int[]){1, 0, 2});
}

/* Return x with its first two axes merged. Poison stays poison. */
static ty_tensor *joined(ty_tensor *x) {
    int64_t shape[3];
    if (!ty_ok(x)) return x;
    int rank = ty_rank(x);
    memcpy(shape, ty_shape(x), sizeof *shape * (size_t)rank);
    shape[1] *= shape[0];
    return ty_reshape(x, rank - 1, shape + 1);
}
/* Return x[example, ..] + example * step, for n examples, as i64; x is [n, m]. */
static ty_tensor *shifted(ty_tensor *x, int64_t n, int64_t step) {
    ty_tensor *which = ty_iota(TY_I64, 2, (int64_t[]){n, 1}, 0);
    return ty_add(ty_cast(x, TY_I64), ty_mul(which, ty_int(step)));
}

/* Batch rule for a matrix per example: return the result with a leading axis of examples; the matrices form
   one block-diagonal matrix. */
static ty_tensor *batch_blocks(const struct batch *b) {
    struct sparse_attr attr = *attr_of(b->y);
    int64_t n = b->n, entries = ty_shape(b->y->inputs[INDICES])[0],
            columns = attr.kind == SPARSE_ADD ? attr.size : ty_shape(b->y->inputs[X])[0];
    ty_tensor *starts = shifted(batch_operand(b, STARTS), n, entries);
    if (!ty_ok(starts)) return starts;
    starts = joined(ty_slice(starts, 1, 0, ty_shape(starts)[1] - 1, 1));
    ty_tensor *end = ty_full_of(ty_cast(ty_int(n * entries), TY_I64), 1, (int64_t[]){1});
    starts = ty_concat(2, (ty_tensor *[]){starts, end}, 0);
    attr.size *= n;
    ty_tensor *y = sparse_record(attr, joined(batch_operand(b, FIRST)), joined(batch_operand(b, X)),
                                 joined(shifted(batch_operand(b, INDICES), n, columns)), starts);
    if (!ty_ok(y)) return y;
    int64_t shape[3] = {n};
    int rank = ty_rank(b->y); /* rank for one example */
    memcpy(shape + 1, ty_shape(b->y), sizeof *shape * (size_t)rank);
    return ty_reshape(y, rank + 1, shape);
}

static ty_tensor *batch(const struct batch *b) {
    bool one = !b->batched[FIRST] && !b->batched[INDICES] && !b->batched[STARTS];
    return one && attr_of(b->y)->kind != SPARSE_DOT ? batch_columns(b) : batch_blocks(b);
}

/* Reach rule of products for operand i of y, sets *r: columns of x are independent, except in DOT; otherwise
   everything depends on everything. */
static void reach(ty_tensor *y, int i, struct reach *r) {
    if (i == X && attr_of(y)->kind != SPARSE_DOT) reach_beside(y, X, 0, r);
}

/* ---- the operators ---- */

ATTRIBUTES(attributes, sizeof(struct sparse_attr), FIELD(struct sparse_attr, kind, VARIANT),
           FIELD(struct sparse_attr, part, INT), FIELD(struct sparse_attr, transposed, FLAG),
           FIELD(struct sparse_attr, size, LONG));

#define SPARSE(symbol, which, infer_function, text, ...)                                                     \
    const struct op op_##symbol = {.name = #symbol,                                                          \
                                   .kind = KERNEL_SPARSE,                                                    \
                                   .arity = 4,                                                               \
                                   .infer = infer_function,                                                  \
                                   .batch = batch,                                                           \
                                   .reach = reach,                                                           \
                                   .no_gradient = {NULL, NULL, "integer"},                                   \
                                   .attributes = &attributes,                                                \
                                   .variant = which,                                                         \
                                   .row = -1,                                                                \
                                   .onnx = "",                                                               \
                                   .doc = text,                                                              \
                                   __VA_ARGS__};
SPARSE(sparse_read, SPARSE_READ, infer_product, "a sparse matrix times columns", .vjp = read_vjp,
       .jvp = jvp_multilinear)
SPARSE(sparse_add, SPARSE_ADD, infer_product, "a sparse matrix, transposed, times columns", .vjp = add_vjp,
       .jvp = jvp_multilinear)
SPARSE(sparse_dot, SPARSE_DOT, infer_dot, "products of rows, summed for each entry of a sparse matrix",
       .vjp = dot_vjp, .jvp = jvp_multilinear)
SPARSE(sparse_solve, SPARSE_SOLVE, infer_product, "the solution of a sparse triangular system",
       .vjp_all = solve_vjp)
