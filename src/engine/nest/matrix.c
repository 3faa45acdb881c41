/* MATRIX: a work item computes one matrix.  General eigenvalues, and functions and equations that need these, have no
   text; nor have complex matrices. */
#include "engine/nest/draft.h"
#include "ops/linalg/matrix.h"

/* A kernel on its way. */
struct matrices {
    struct lowering *l;
    const struct matrix_attr *attr;
    ty_dtype dtype; /* that it is computed in */
    uint64_t m, n, k;
    int64_t items, length; /* matrices; elements of the result of one */
    int out, status;       /* temporaries; status -1: nothing is refused */
};

static void call(const struct matrices *x, enum algorithm_id function, const int *slots, int nvalues,
                 const uint64_t *values) {
    lower_call(x->l, (struct lower_call){.function = function,
                                         .dtype = x->dtype,
                                         .items = x->items,
                                         .slots = slots,
                                         .nvalues = nvalues,
                                         .values = values});
}

static int operand(const struct matrices *x, int i) { return lower_lines(x->l, i, -1, false, x->dtype); }
static int room(const struct matrices *x, uint64_t elements) {
    return lower_temporary(x->l, x->dtype, x->items * (int64_t)elements);
}
static int status(struct matrices *x) { return x->status = lower_temporary(x->l, TY_I64, x->items); }
static int result(struct matrices *x) { return x->out = room(x, (uint64_t)x->length); }

/* ---- the kinds ---- */

static void lower_lu(struct matrices *x) {
    int slots[] = {operand(x, 0), result(x)};
    call(x, ALGORITHM_matrix_lu, slots, 2, (uint64_t[]){x->m, x->n});
}
static void lower_cholesky(struct matrices *x) {
    int slots[] = {operand(x, 0), result(x), status(x)};
    call(x, ALGORITHM_matrix_cholesky, slots, 1, &x->n);
}
static void lower_system(struct matrices *x) {
    int a = lower_copy_input(x->l, 0), b = x->out = lower_copy_input(x->l, 1), slots[] = {a, b, status(x)};
    call(x, ALGORITHM_matrix_solve, slots, 2, (uint64_t[]){x->n, x->k});
}
static void lower_inverse(struct matrices *x) {
    int a = lower_copy_input(x->l, 0), slots[] = {a, result(x), status(x)};
    call(x, ALGORITHM_matrix_inverse, slots, 1, &x->n);
}
static void lower_triangular(struct matrices *x) {
    int a = operand(x, 0), b = x->out = lower_copy_input(x->l, 1), slots[] = {a, b, status(x)};
    call(x, ALGORITHM_matrix_triangular, slots, 4,
         (uint64_t[]){x->n, x->k, x->attr->upper != 0, x->attr->unit != 0});
}
static void lower_qr(struct matrices *x) {
    uint64_t least = x->m < x->n ? x->m : x->n, rank = x->attr->mode == MATRIX_FULL ? x->m : least;
    int a = lower_copy_input(x->l, 0), slots[] = {a, result(x), room(x, x->m + x->n)};
    call(x, ALGORITHM_reflect_qr, slots, 5,
         (uint64_t[]){x->m, x->n, rank, x->attr->mode == MATRIX_VALUES, x->attr->pivots != 0});
}
static void lower_hessenberg(struct matrices *x) {
    int slots[] = {operand(x, 0), result(x)};
    call(x, ALGORITHM_reflect_hessenberg, slots, 1, &x->n);
}
static void lower_eigh(struct matrices *x) {
    uint64_t n = x->n;
    int slots[] = {operand(x, 0), result(x), room(x, 2 * n * n + n), status(x)};
    call(x, ALGORITHM_jacobi_eigh, slots, 2, (uint64_t[]){n, x->attr->mode != MATRIX_VALUES});
}
static void lower_svd(struct matrices *x) {
    uint64_t m = x->m, n = x->n, least = m < n ? m : n;
    bool full = x->attr->mode == MATRIX_FULL;
    int slots[] = {operand(x, 0), result(x), room(x, m * n + least * (least + 2)), status(x)};
    call(x, ALGORITHM_jacobi_svd, slots, 5,
         (uint64_t[]){m, n, x->attr->mode != MATRIX_VALUES, full ? m : least, full ? n : least});
}

/* Kinds that have a text; wide: as on `cpu`, they are computed in f64 for all dtypes. */
static const struct {
    void (*lower)(struct matrices *x);
    bool wide;
} kinds[MATRIX_KINDS] = {[MATRIX_LU] = {lower_lu, false},
                         [MATRIX_CHOLESKY] = {lower_cholesky, false},
                         [MATRIX_SOLVE] = {lower_system, false},
                         [MATRIX_TRIANGULAR] = {lower_triangular, false},
                         [MATRIX_INVERSE] = {lower_inverse, false},
                         [MATRIX_QR] = {lower_qr, false},
                         [MATRIX_EIGH] = {lower_eigh, false},
                         [MATRIX_SVD] = {lower_svd, false},
                         [MATRIX_HESSENBERG] = {lower_hessenberg, true}};

void lower_matrix(struct lowering *l) {
    const struct kernel *k = l->k;
    const struct matrix_attr *attr = k->attr;
    const struct layout *a = &k->inputs[0].layout, *last = &k->inputs[k->ncore - 1].layout;
    if (!kinds[attr->kind].lower || dtype_is(k->inputs[0].dtype, CLASS_COMPLEX)) {
        lower_algorithm(l);
        return;
    }
    struct matrices x = {.l = l, .attr = attr, .dtype = k->inputs[0].dtype, .status = -1};
    struct matrix_form form;
    if (kinds[attr->kind].wide) x.dtype = TY_F64;
    x.m = (uint64_t)a->shape[a->rank - 2], x.n = (uint64_t)a->shape[a->rank - 1];
    x.k = (uint64_t)last->shape[last->rank - 1];
    matrix_form_of(attr, (int64_t)x.m, (int64_t)x.n, (int64_t)x.k, &form);
    x.length = matrix_length(&form);
    x.items = x.length ? shape_size(a->rank - 2, a->shape) : 0;
    kinds[attr->kind].lower(&x);
    if (x.status >= 0) lower_check_status(l, "check the matrices", x.status, x.items);
    lower_deliver(l, x.out, x.dtype);
}
