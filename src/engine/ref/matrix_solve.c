/* Elimination and reflections of the reference. */
#include <math.h>
#include "engine/ref/matrix.h"

/* Factor a [m, n] in place into L U with pivoting; set order[m], the rows' indices, and the permutation's sign.
   Return the first column with pivot 0 (0-based), or -1. */
static int64_t ref_lu_of(int64_t m, int64_t n, ref_z *a, ref_z *order, long double *sign) {
    int64_t singular = -1;
    for (int64_t i = 0; i < m; i++) order[i] = i;
    *sign = 1;
    for (int64_t k = 0; k < m && k < n; k++) {
        int64_t pivot = k;
        for (int64_t i = k + 1; i < m; i++)
            if (fabsl(creall(a[i * n + k])) + fabsl(cimagl(a[i * n + k])) >
                fabsl(creall(a[pivot * n + k])) + fabsl(cimagl(a[pivot * n + k])))
                pivot = i;
        for (int64_t j = 0; j < n && pivot != k; j++) {
            ref_z other = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = other;
        }
        if (pivot != k) {
            ref_z other = order[k];
            order[k] = order[pivot];
            order[pivot] = other;
            *sign = -*sign;
        }
        if (a[k * n + k] == 0) {
            if (singular < 0) singular = k;
            continue;
        }
        for (int64_t i = k + 1; i < m; i++) {
            ref_z factor = a[i * n + k] /= a[k * n + k];
            for (int64_t j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return singular;
}

enum matrix_fault ref_lu(struct ref_matrix *job) {
    long double sign;
    int64_t size = job->m * job->n;
    for (int64_t i = 0; i < size; i++) job->out[i] = job->in[0][i];
    ref_lu_of(job->m, job->n, job->out, job->out + size, &sign);
    job->out[size + job->m] = sign;
    return MATRIX_FINE;
}

/* Replace b [n, k] by the solution x of a x = b, a [n, n] triangular, row by row; from the last row if `upper`.
   unit: the diagonal counts as ones. */
static void substitute(int64_t n, int64_t k, bool upper, bool unit, const ref_z *a, ref_z *b) {
    for (int64_t turn = 0; turn < n; turn++) {
        int64_t i = upper ? n - 1 - turn : turn;
        for (int64_t c = 0; c < k; c++) {
            ref_z sum = b[i * k + c];
            for (int64_t j = upper ? i + 1 : 0; j < (upper ? n : i); j++) sum -= a[i * n + j] * b[j * k + c];
            b[i * k + c] = unit ? sum : sum / a[i * n + i];
        }
    }
}

int64_t ref_solve_of(int64_t n, int64_t k, ref_z *a, ref_z *b, ref_z *room) {
    long double sign;
    ref_z *order = room, *rows = room + n;
    int64_t singular = ref_lu_of(n, n, a, order, &sign);
    if (singular >= 0) return singular;
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < k; c++) rows[i * k + c] = b[(int64_t)creall(order[i]) * k + c];
    for (int64_t i = 0; i < n * k; i++) b[i] = rows[i];
    substitute(n, k, false, true, a, b);
    substitute(n, k, true, false, a, b);
    return -1;
}

enum matrix_fault ref_solve(struct ref_matrix *job) {
    for (int64_t i = 0; i < job->n * job->k; i++) job->out[i] = job->in[1][i];
    job->at = ref_solve_of(job->n, job->k, job->in[0], job->out, job->room);
    return job->at < 0 ? MATRIX_FINE : MATRIX_SINGULAR;
}

enum matrix_fault ref_inverse(struct ref_matrix *job) {
    ref_identity(job->n, job->n, job->out);
    job->at = ref_solve_of(job->n, job->n, job->in[0], job->out, job->room);
    return job->at < 0 ? MATRIX_FINE : MATRIX_SINGULAR;
}

enum matrix_fault ref_triangular(struct ref_matrix *job) {
    int64_t n = job->n;
    for (int64_t i = 0; i < n && !job->attr->unit; i++)
        if (job->in[0][i * n + i] == 0) {
            job->at = i;
            return MATRIX_ZERO;
        }
    for (int64_t i = 0; i < n * job->k; i++) job->out[i] = job->in[1][i];
    substitute(n, job->k, job->attr->upper, job->attr->unit, job->in[0], job->out);
    return MATRIX_FINE;
}

enum matrix_fault ref_cholesky(struct ref_matrix *job) {
    int64_t n = job->n;
    ref_z *l = job->out;
    for (int64_t i = 0; i < n * n; i++) l[i] = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            ref_z sum = job->in[0][i * n + j];
            for (int64_t k = 0; k < j; k++) sum -= l[i * n + k] * conjl(l[j * n + k]);
            if (i == j) {
                job->at = i + 1;
                if (creall(sum) <= 0) return MATRIX_INDEFINITE;
                l[i * n + i] = sqrtl(creall(sum));
            } else {
                l[i * n + j] = sum / l[j * n + j];
            }
        }
    return MATRIX_FINE;
}

/* ---- reflections ---- */

/* Compute the reflection of column x[i * step], i < m, to a multiple of the first unit vector, as LAPACK's
   larfg. In place x becomes v with first element 1; *beta becomes the reduced first element. Return tau, 0 if
   there is nothing to reflect. */
static ref_z reflection(int64_t m, int64_t step, ref_z *x, ref_z *beta) {
    long double rest = 0;
    for (int64_t i = 1; i < m; i++) rest += ref_square(x[i * step]);
    *beta = x[0];
    if (m < 1 || (rest == 0 && cimagl(x[0]) == 0)) {
        if (m > 0) x[0] = 1;
        return 0;
    }
    long double size = copysignl(sqrtl(ref_square(x[0]) + rest), -creall(x[0]));
    ref_z tau = (size - x[0]) / size, scale = 1 / (x[0] - size);
    for (int64_t i = 1; i < m; i++) x[i * step] *= scale;
    x[0] = 1;
    *beta = size;
    return tau;
}

/* Set a [m, n], with rows `ld` elements apart, to (1 - tau v v^H) a; elements of v are `step` apart. */
static void reflect(int64_t m, int64_t n, const ref_z *v, int64_t step, ref_z tau, ref_z *a, int64_t ld) {
    for (int64_t j = 0; j < n; j++) {
        ref_z sum = 0;
        for (int64_t i = 0; i < m; i++) sum += conjl(v[i * step]) * a[i * ld + j];
        sum *= tau;
        for (int64_t i = 0; i < m; i++) a[i * ld + j] -= v[i * step] * sum;
    }
}

/* Swap column k of a [m, n], and its entry of order[], with the column from k on that has the greatest norm in rows
   from k on. */
static void choose_column(int64_t m, int64_t n, int64_t k, ref_z *a, ref_z *order) {
    int64_t best = k;
    long double most = -1;
    for (int64_t j = k; j < n; j++) {
        long double size = 0;
        for (int64_t i = k; i < m; i++) size += ref_square(a[i * n + j]);
        if (size > most * (1 + 1e-15L)) most = size, best = j;
    }
    for (int64_t i = 0; i < m && best != k; i++) {
        ref_z other = a[i * n + k];
        a[i * n + k] = a[i * n + best];
        a[i * n + best] = other;
    }
    ref_z other = order[k];
    order[k] = order[best];
    order[best] = other;
}

enum matrix_fault ref_qr(struct ref_matrix *job) {
    int64_t m = job->m, n = job->n, least = m < n ? m : n, rank = job->attr->mode == MATRIX_FULL ? m : least;
    bool alone = job->attr->mode == MATRIX_VALUES;
    ref_z *a = job->in[0], *v = job->room, *tau = v + m * n, *order = tau + least + 1, *beta = order + n;
    ref_z *q = job->out, *r = alone ? job->out : q + m * rank;
    for (int64_t j = 0; j < n; j++) order[j] = j;
    for (int64_t k = 0; k < least; k++) {
        if (job->attr->pivots) choose_column(m, n, k, a, order);
        for (int64_t i = k; i < m; i++) v[i * n + k] = a[i * n + k];
        tau[k] = reflection(m - k, n, v + k * n + k, &beta[k]);
        reflect(m - k, n - k, v + k * n + k, n, conjl(tau[k]), a + k * n + k, n);
        a[k * n + k] = beta[k];
    }
    for (int64_t i = 0; i < rank; i++)
        for (int64_t j = 0; j < n; j++) r[i * n + j] = i <= j ? a[i * n + j] : 0;
    for (int64_t j = 0; j < n && job->attr->pivots; j++) r[rank * n + j] = order[j];
    if (alone) return MATRIX_FINE;
    ref_identity(m, rank, q);
    for (int64_t k = least - 1; k >= 0; k--)
        reflect(m - k, rank - k, v + k * n + k, n, tau[k], q + k * rank + k, rank);
    return MATRIX_FINE;
}

/* Reduce a [n, n] to Hessenberg form in place; q [n, n] is the transformation. Reflections from both sides zero the
   columns below the subdiagonal. */
void ref_hessenberg_of(int64_t n, ref_z *a, ref_z *q) {
    ref_identity(n, n, q);
    for (int64_t k = 0; k + 1 < n; k++) {
        ref_z beta, *column = &a[(k + 1) * n + k];
        int64_t m = n - k - 1;
        ref_z tau = reflection(m, n, column, &beta);
        reflect(m, n - k - 1, column, n, conjl(tau), a + (k + 1) * n + k + 1, n);
        for (int side = 0; side < 2; side++) { /* from the right: a and q */
            ref_z *x = side ? q : a;
            for (int64_t i = 0; i < n; i++) {
                ref_z sum = 0;
                for (int64_t j = 0; j < m; j++) sum += x[i * n + k + 1 + j] * column[j * n];
                sum *= tau;
                for (int64_t j = 0; j < m; j++) x[i * n + k + 1 + j] -= sum * conjl(column[j * n]);
            }
        }
        column[0] = beta;
        for (int64_t i = 1; i < m; i++) column[i * n] = 0;
    }
}

enum matrix_fault ref_hessenberg(struct ref_matrix *job) {
    int64_t size = job->n * job->n;
    for (int64_t i = 0; i < size; i++) job->out[i] = job->in[0][i];
    ref_hessenberg_of(job->n, job->out, job->out + size);
    return MATRIX_FINE;
}
