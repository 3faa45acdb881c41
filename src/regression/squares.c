/* Least squares by QR, and their refinement with residuals of twice the precision. */
#include "regression/squares.h"
#include <math.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/linalg.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "base/context/stop.h"
#include "base/math/scalar.h"
#include "regression/pair.h"

enum { INVERSE_STEPS = 8 }; /* of refinement; some three are enough */

/* Copy the columns that count to a tensor [m, k]. */
static ty_tensor *columns(const struct squares *s) {
    double *x = mem_array((size_t)s->m * (size_t)s->k, sizeof *x);
    if (!x) return tensor_out_of_memory();
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t j = 0; j < s->k; j++) x[i * s->k + j] = s->a[i * s->p + s->kept[j]];
    ty_tensor *y = ty_from(TY_F64, 2, (int64_t[]){s->m, s->k}, x);
    mem_free(x);
    return y;
}

bool squares_factor(struct squares *s, struct fault *fault) {
    ty_qr_parts parts = ty_qr(columns(s), false);
    s->q = parts.q;
    s->r = parts.r;
    return ty_ok(s->r) || fault_tensor(fault, s->r);
}

/* ---- dependent columns ---- */

/* Subtract from v its parts along the directions basis[count]; n elements each.  Twice, so that rounding leaves no
   part (B. Parlett, "The symmetric eigenvalue problem", 1980: twice is enough). */
static void project(double *v, const double *basis, int64_t count, int64_t n) {
    for (int64_t turn = 0; turn < 2 * count; turn++) {
        const double *direction = basis + turn % count * n;
        double part = plain_dot(direction, v, n);
        for (int64_t i = 0; i < n; i++) v[i] -= part * direction[i];
    }
}

/* List in s->kept the columns of r [rows, p] whose distance from the kept ones before is above tolerance times their
   length.  r has the angles and lengths of the columns that it is the factor of.  basis: [rows + 1, rows]. */
static bool choose(struct squares *s, const double *r, int64_t rows, double tolerance, double *basis,
                   struct fault *fault) {
    s->k = 0;
    for (int64_t j = 0; j < s->p && s->k < rows; j++) {
        if (!stop_check(fault)) return false;
        double *v = basis + s->k * rows;
        for (int64_t i = 0; i < rows; i++) v[i] = r[i * s->p + j];
        double before = sqrt(plain_dot(v, v, rows));
        project(v, basis, s->k, rows);
        double after = sqrt(plain_dot(v, v, rows));
        if (!(after > tolerance * before)) continue;
        for (int64_t i = 0; i < rows; i++) v[i] /= after;
        s->kept[s->k++] = j;
    }
    return true;
}

/* True if no column depends on those before it: then the diagonal of r [p, p] has their distances. */
static bool independent(const double *r, int64_t p, double tolerance) {
    for (int64_t j = 0; j < p; j++) {
        double length = 0;
        for (int64_t i = 0; i <= j; i++) length = math_hypot(length, r[i * p + j]);
        if (!(fabs(r[j * p + j]) > tolerance * length)) return false;
    }
    return true;
}

bool squares_choose(struct squares *s, double tolerance, struct fault *fault) {
    s->k = s->p;
    for (int64_t j = 0; j < s->p; j++) s->kept[j] = j;
    if (!squares_factor(s, fault)) return false;
    int64_t rows = ty_shape(s->r)[0];
    size_t bytes = (size_t)rows * (size_t)s->p * sizeof(double);
    double *r = mem_alloc(bytes), *basis = mem_array((size_t)rows + 1, (size_t)rows * sizeof *basis);
    bool well = (r && basis && ty_read(s->r, TY_F64, r)) || fault_memory(fault, bytes);
    bool whole = well && rows == s->p && independent(r, s->p, tolerance);
    if (well && !whole) well = choose(s, r, rows, tolerance, basis, fault);
    mem_free(r);
    mem_free(basis);
    if (well && !whole && !s->k)
        return fault_set(fault, E_DOMAIN, "all %lld columns of x are 0", (long long)s->p);
    return well && (whole || squares_factor(s, fault));
}

/* ---- refinement ---- */

/* Set f = b - residual - a beta, [m], and g = pull - a^T residual, [k], rounded once from twice the precision. */
static void mismatch(const struct squares *s, double *f, double *g, struct pair *sums) {
    for (int64_t j = 0; j < s->k; j++) sums[j] = (struct pair){s->pull ? s->pull[j] : 0, 0};
    for (int64_t i = 0; i < s->m; i++) {
        const double *row = s->a + i * s->p;
        struct pair left = {s->b[i], 0};
        pair_add(&left, -s->residual[i]);
        for (int64_t j = 0; j < s->k; j++) {
            double x = row[s->kept[j]];
            pair_add_product(&left, -x, s->beta[s->kept[j]]);
            pair_add_product(&sums[j], -x, s->residual[i]);
            if (!s->low) continue;
            double rest = s->low[i * s->p + s->kept[j]];
            left.low -= rest * s->beta[s->kept[j]];
            sums[j].low -= rest * s->residual[i];
        }
        f[i] = pair_value(left);
    }
    for (int64_t j = 0; j < s->k; j++) g[j] = pair_value(sums[j]);
}

/* Solve the augmented system for the mismatch: change[k] of beta, and f becomes the change of the residual. */
static bool correct(const struct squares *s, double *f, const double *g, double *change,
                    struct fault *fault) {
    ty_scope *scope = ty_open();
    ty_tensor *right = ty_from(TY_F64, 1, &s->m, f);
    ty_tensor *inner = ty_from(TY_F64, 1, &s->k, g);
    ty_tensor *h = ty_triangular_solve(ty_transpose(s->r), inner, false, false);
    ty_tensor *d = ty_sub(ty_matmul(ty_transpose(s->q), right), h);
    ty_tensor *beta = ty_triangular_solve(s->r, d, true, false);
    ty_tensor *residual = ty_sub(right, ty_matmul(s->q, d));
    bool well = ty_read(beta, TY_F64, change) && ty_read(residual, TY_F64, f);
    if (!well) fault_tensor(fault, ty_ok(residual) ? beta : residual);
    ty_close(scope);
    return well;
}

/* Add the changes; return the largest change of a coefficient, relative to it. */
static double add_changes(struct squares *s, const double *f, const double *change) {
    double most = 0;
    for (int64_t i = 0; i < s->m; i++) s->residual[i] += f[i];
    for (int64_t j = 0; j < s->k; j++) {
        double *beta = &s->beta[s->kept[j]];
        *beta += change[j];
        double size = *beta == 0 ? change[j] != 0 : fabs(change[j] / *beta);
        if (!(size <= most)) most = size;
    }
    return most;
}

bool squares_solve(struct squares *s, int steps, struct fault *fault) {
    size_t m = (size_t)s->m, k = (size_t)s->k;
    double *f = mem_array(m + 2 * k, sizeof *f);
    struct pair *sums = mem_array(k, sizeof *sums);
    bool well = (f && sums) || fault_memory(fault, (m + 4 * k) * sizeof *f);
    memset(s->beta, 0, (size_t)s->p * sizeof *s->beta);
    memset(s->residual, 0, m * sizeof *s->residual);
    double last = INFINITY, *g = well ? f + m : NULL, *change = well ? g + k : NULL;
    for (int step = 0; well && step <= steps; step++) {
        well = stop_check(fault);
        if (well) mismatch(s, f, g, sums);
        well = well && correct(s, f, g, change, fault);
        if (!well) break;
        double now = add_changes(s, f, change);
        if (!(now > 0x1p-53) || (step > 1 && now > last / 2)) break;
        last = now;
    }
    mem_free(f);
    mem_free(sums);
    return well;
}

/* ---- the inverse ---- */

/* Columns whose distance from those before them is below this share of their length lose digits in the inverse that
   others keep: it has an error of eps over its square. */
static const double slanted = 1e-3;

/* Solve for each column of the inverse: residual + a x = 0 and a^T residual = -unit vector. */
static bool refine_inverse(const struct squares *s, double *inverse, struct fault *fault) {
    size_t m = (size_t)s->m, k = (size_t)s->k;
    double *room = mem_array(2 * m + (size_t)s->p + k, sizeof *room);
    if (!room) return fault_memory(fault, (2 * m + k) * sizeof *room);
    struct squares column = *s;
    double *pull = room + 2 * m + s->p;
    column.b = room;
    column.residual = room + m;
    column.beta = room + 2 * m;
    column.pull = pull;
    bool well = true;
    for (size_t j = 0; j < k && well; j++) {
        pull[j] = -1;
        well = squares_solve(&column, INVERSE_STEPS, fault);
        for (size_t i = 0; i < k; i++) inverse[i * k + j] = column.beta[s->kept[i]];
        pull[j] = 0;
    }
    mem_free(room);
    return well;
}

ty_tensor *squares_inverse(const struct squares *s) {
    struct fault fault = {0};
    ty_tensor *left = ty_triangular_solve(s->r, ty_eye(TY_F64, s->k), true, false);
    double *r = mem_array((size_t)s->k, (size_t)s->k * sizeof *r);
    bool well = r && ty_read(s->r, TY_F64, r), refined = well && !independent(r, s->k, slanted);
    if (!well) fault_memory(&fault, (size_t)s->k * sizeof *r);
    if (refined) refine_inverse(s, r, &fault);
    ty_tensor *inverse = fault.set ? tensor_fault(&fault)
                         : refined ? ty_from(TY_F64, 2, (int64_t[]){s->k, s->k}, r)
                                   : ty_matmul(left, ty_transpose(left));
    mem_free(r);
    return inverse;
}
