/* Kernel kind MATRIX: loads operands, computes each matrix separately, returns elements. */
#include "engine/ref/matrix.h"

static ref_matrix_run *const runs[MATRIX_KINDS] = {
    [MATRIX_LU] = ref_lu,
    [MATRIX_CHOLESKY] = ref_cholesky,
    [MATRIX_SOLVE] = ref_solve,
    [MATRIX_TRIANGULAR] = ref_triangular,
    [MATRIX_INVERSE] = ref_inverse,
    [MATRIX_QR] = ref_qr,
    [MATRIX_EIGH] = ref_eigh,
    [MATRIX_SVD] = ref_svd,
    [MATRIX_EIG] = ref_eig,
    [MATRIX_SCHUR] = ref_schur,
    [MATRIX_HESSENBERG] = ref_hessenberg,
    [MATRIX_QZ] = ref_qz,
    [MATRIX_SYLVESTER] = ref_sylvester,
    [MATRIX_EXP] = ref_expm,
    [MATRIX_LOG] = ref_logm,
    [MATRIX_SQRT] = ref_sqrtm,
};

struct sizes {
    struct matrix_form form;
    int64_t m, n, k, length, square, matrices;
};

/* Return the sizes m, n and k of the operands' matrices, their number, and those of scratch. */
static struct sizes sizes_of(const struct kernel *kernel) {
    const struct layout *a = &kernel->inputs[0].layout, *last = &kernel->inputs[kernel->ncore - 1].layout;
    int rank = a->rank;
    struct sizes s = {.m = a->shape[rank - 2], .n = a->shape[rank - 1], .k = last->shape[rank - 1]};
    matrix_form_of(kernel->attr, s.m, s.n, s.k, &s.form);
    s.length = matrix_length(&s.form);
    int64_t most = s.m > s.n ? s.m : s.n;
    most = s.k > most ? s.k : most;
    s.square = (most + 1) * (most + 1);
    s.matrices = shape_size(rank - 2, a->shape);
    return s;
}

static size_t workspace(const struct kernel *kernel) {
    struct sizes s = sizes_of(kernel);
    int64_t elements = s.matrices * s.length + (MATRIX_OPERANDS + REF_ROOMS) * s.square;
    return (size_t)elements * sizeof(ref_z);
}

/* Read one matrix of operand `input`, at index[] of the batch axes, row-major into out. */
static void load(const struct ref_call *call, int input, int64_t *index, ref_z *out) {
    const struct layout *x = &call->kernel->inputs[input].layout;
    int64_t *at = index + x->rank - 2;
    for (at[0] = 0; at[0] < x->shape[x->rank - 2]; at[0]++)
        for (at[1] = 0; at[1] < x->shape[x->rank - 1]; at[1]++) *out++ = ref_at(call, input, index).z;
}

/* Compute all matrices of the kernel into the workspace. Return false, with a fault, if one is refused. */
static bool compute(const struct ref_call *call) {
    const struct kernel *k = call->kernel;
    struct sizes s = sizes_of(k);
    const struct matrix_attr *attr = k->attr;
    struct ref_matrix job = {.attr = attr, .m = s.m, .n = s.n, .k = s.k, .square = s.square};
    job.real = !dtype_is(k->inputs[0].dtype, CLASS_COMPLEX);
    if (job.real && (attr->kind == MATRIX_SCHUR || attr->kind == MATRIX_QZ))
        return fault_set(call->fault, E_UNSUPPORTED,
                         "%s: the reference engine does not support real matrices", k->op->name);
    ref_z *results = call->workspace, *rest = results + s.matrices * s.length;
    for (int i = 0; i < k->ncore; i++) job.in[i] = rest + i * s.square;
    job.room = rest + MATRIX_OPERANDS * s.square;
    const struct layout *a = &k->inputs[0].layout;
    struct odometer o = {.rank = a->rank - 2, .shape = a->shape};
    for (int64_t number = 0; number < s.matrices; number++) {
        int64_t index[TY_MAX_RANK];
        for (int i = 0; i < a->rank - 2; i++) index[i] = o.index[i];
        for (int i = 0; i < k->ncore; i++) load(call, i, index, job.in[i]);
        job.out = results + number * s.length;
        enum matrix_fault why = runs[attr->kind](&job);
        if (why) return matrix_refused(call->fault, k->op, why, job.at, number, s.matrices);
        odometer_next(&o, 0, NULL, NULL);
    }
    return true;
}

/* Return the output element at index[], from the workspace. */
static struct element value(const struct ref_call *call, const int64_t *index) {
    const struct layout *y = &call->kernel->outputs[0].layout;
    int64_t at = 0;
    for (int i = 0; i < y->rank; i++) at = at * y->shape[i] + index[i];
    struct element e = {.z = ((const ref_z *)call->workspace)[at]};
    return ref_round(call->kernel->core_dtype, e);
}

const struct ref_kind ref_matrix = {.workspace = workspace, .check = compute, .value = value};

/* ---- parts ---- */

void ref_product(int64_t m, int64_t n, int64_t k, const ref_z *a, const ref_z *b, ref_z *c) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < k; j++) {
            ref_z sum = 0;
            for (int64_t p = 0; p < n; p++) sum += a[i * n + p] * b[p * k + j];
            c[i * k + j] = sum;
        }
}

void ref_adjoint(int64_t m, int64_t n, const ref_z *a, ref_z *out) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) out[j * m + i] = conjl(a[i * n + j]);
}

void ref_identity(int64_t m, int64_t n, ref_z *out) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) out[i * n + j] = i == j;
}

ref_z ref_turn(int64_t m, int64_t step, ref_z *column) {
    long double most = 0;
    ref_z factor = 1;
    for (int64_t i = 0; i < m; i++) {
        long double size = cabsl(column[i * step]);
        if (size > most * (1 + 1e-6L)) {
            most = size;
            factor = conjl(column[i * step]) / size;
        }
    }
    for (int64_t i = 0; i < m; i++) column[i * step] *= factor;
    return factor;
}
