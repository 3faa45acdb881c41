/* Iterative solvers of a x = b: common parts, and linear maps from matrices. */
#include "base/machine/floating.h"
#include "sparse/iterate.h"
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "array/scope.h"
#include "base/checked.h"

/* ---- linear maps ---- */

static ty_tensor *apply_matrix(void *context, ty_tensor *x) {
    return ty_sparse_matmul(*(const ty_sparse *)context, x);
}
static ty_tensor *apply_lu(void *context, ty_tensor *x) {
    const ty_sparse_lu *a = context;
    return ty_sparse_triangular_solve(a->u, ty_sparse_triangular_solve(a->l, x, false, true), true, false);
}
static ty_tensor *apply_cholesky(void *context, ty_tensor *x) {
    const ty_sparse *l = context;
    return ty_sparse_triangular_solve(ty_sparse_adjoint(*l), ty_sparse_triangular_solve(*l, x, false, false),
                                      true, false);
}
static ty_tensor *apply_nothing(void *context, ty_tensor *x) {
    (void)context, (void)x;
    return ty_poison_code(E_ARGUMENT, "the matrix is NULL");
}
static ty_linear linear_of(ty_tensor *(*apply)(void *context, ty_tensor *x), const void *a) {
    return (ty_linear){a ? apply : apply_nothing, (void *)(uintptr_t)a};
}
ty_linear ty_linear_of(const ty_sparse *a) { return linear_of(apply_matrix, a); }
ty_linear ty_linear_of_lu(const ty_sparse_lu *a) { return linear_of(apply_lu, a); }
ty_linear ty_linear_of_cholesky(const ty_sparse *l) { return linear_of(apply_cholesky, l); }

ty_tensor *linear_apply(ty_linear m, ty_tensor *x) {
    char words[2][WORDS];
    if (!m.apply || !ty_ok(x)) return x;
    struct scope_fence fence = scope_fence();
    ty_tensor *y = scope_fence_result(fence, "the map", m.apply(m.context, x));
    if (!ty_ok(y)) return y;
    if (ty_rank(y) == 1 && ty_size(y) == ty_size(x)) return ty_cast(y, ty_dtype_of(x));
    return ty_poison_code(E_USER, "the map returned %s for %s; expected a vector of equal size",
                          tensor_describe_into(words[0], sizeof words[0], tensor_resolve(y)),
                          tensor_describe_into(words[1], sizeof words[1], tensor_resolve(x)));
}

ty_tensor *dot(ty_tensor *x, ty_tensor *y) { return ty_sum(ty_mul(ty_conj(x), y), TY_ALL); }
ty_tensor *length_of(ty_tensor *x) { return ty_sqrt(ty_sum(ty_square(ty_abs(x)), TY_ALL)); }

/* Return the relative tolerance `given`, or for 0 the default of the dtype: 1e-10 in double precision, else
   1e-6. */
static double usual_tolerance(ty_dtype dtype, double given) {
    if (given != 0) return given;
    return dtype == TY_F64 || dtype == TY_C128 ? 1e-10 : 1e-6;
}

/* ---- operands and options ---- */

/* True if b is a floating or complex vector, not of half precision. Else set the fault, where `what` names
   it, and return false. */
static bool check_vector(struct sparse_call *call, ty_tensor *b, const char *what) {
    char words[WORDS];
    if (!sparse_well(call, b)) return false;
    ty_dtype dtype = ty_dtype_of(b);
    if (ty_rank(b) == 1 && dtype_is(dtype, CLASS_FLOAT | CLASS_COMPLEX) && !dtype_is_half(dtype)) return true;
    return fault_set(&call->fault, E_DTYPE, "%s is %s; expected a vector of f32, f64, c64 or c128", what,
                     tensor_describe_into(words, sizeof words, tensor_resolve(b)));
}

/* True if the options and the first x are valid. Else set the fault and return false. */
static bool check_options(struct iterating *it, const ty_iteration *o) {
    if (!(o->tolerance >= 0) || !(o->absolute >= 0) || o->most < 0 || o->restart < 0)
        return fault_set(&it->call.fault, E_ARGUMENT,
                         "tolerances %g and %g, %lld steps, restart after %lld; expected 0 or more",
                         o->tolerance, o->absolute, (long long)o->most, (long long)o->restart);
    if (!it->a.apply) return fault_set(&it->call.fault, E_ARGUMENT, "the function of the map is NULL");
    if (!o->first) return true;
    if (!check_vector(&it->call, o->first, "the first x")) return false;
    return ty_size(o->first) == it->n ||
           fault_set(&it->call.fault, E_SHAPE, "the first x has %lld elements and b %lld",
                     (long long)ty_size(o->first), (long long)it->n);
}

bool iterating_begin(struct iterating *it, const char *name, ty_linear a, ty_tensor *b,
                     ty_iteration options) {
    FLOATING_DEFAULT;
    *it = (struct iterating){
        .call = sparse_open(name), .a = a, .preconditioner = options.preconditioner, .b = b};
    if (!check_vector(&it->call, b, "b")) return false;
    it->n = ty_size(b);
    if (!check_options(it, &options)) return false;
    ty_dtype dtype = ty_dtype_of(b);
    if (options.most)
        it->most = options.most;
    else if (!checked_mul(it->n ? it->n : 1, 10, &it->most))
        it->most = INT64_MAX;
    it->restart = options.restart ? options.restart : 30;
    if (it->restart > it->n) it->restart = it->n;
    if (it->restart < 1) it->restart = 1;
    it->x = options.first ? ty_cast(options.first, dtype) : ty_zeros(dtype, 1, &it->n);
    it->tolerance = usual_tolerance(dtype, options.tolerance);
    it->limit = ty_max(ty_mul(length_of(b), ty_num(it->tolerance)), ty_num(options.absolute));
    return sparse_well(&it->call, it->limit);
}

ty_tensor *residual_of(const struct iterating *it, ty_tensor *x) {
    return ty_sub(it->b, linear_apply(it->a, x));
}

/* ---- results ---- */

static const char *const reasons[ITERATION_ENDS] = {
    [GOES_ON] = "try more steps (most), a preconditioner, or another tolerance",
    [INDEFINITE] = "p^H a p was negative, so a is not positive definite: use ty_gmres",
    [NO_CURVATURE] = "the recursion divides by 0 (p^H a p), as a is singular or indefinite; use ty_gmres",
    [NO_RHO] = "the recursion divides by 0 (r^H z); try another first x or preconditioner, or ty_gmres",
    [NO_NUMBER] = "a step computed numbers that are not finite; check the map, the preconditioner and b",
};

/* Return x, or poison with the reason if `reached`, the norm of its residual, exceeds the limit. `end` is the
   method's reason (an enum iteration_end) or NULL, `steps` the step count for the message. If x or `reached`
   is a promise, return x. */
static ty_tensor *judged(const struct iterating *it, ty_tensor *x, ty_tensor *reached, ty_tensor *end,
                         ty_tensor *steps) {
    if (ty_is_promise(x) || ty_is_promise(reached)) return x;
    if (!ty_ok(reached)) return reached; /* out of memory */
    if (!ty_ok(it->limit)) return it->limit;
    double length = ty_item(reached), limit = ty_item(it->limit);
    if (length <= limit) return x;
    int why = end ? (int)ty_item(end) : GOES_ON;
    if (why == GOES_ON && !(length < (double)INFINITY)) why = NO_NUMBER;
    return ty_poison_code(
        E_NOT_CONVERGED,
        "%s: not converged after %lld steps: the residual's length is %.3g, and %.3g was wanted (a tolerance "
        "of %g); `last` is what there is; %s",
        it->call.name, (long long)ty_item(steps), length, limit, it->tolerance, reasons[why]);
}

ty_solution iterating_end(struct iterating *it, ty_tensor *x, ty_tensor *reached, ty_tensor *end,
                          ty_tensor *steps) {
    ty_tensor *all[4] = {x, x, steps, NULL}, *bad = NULL;
    if (!it->call.fault.set && sparse_well(&it->call, x) && sparse_well(&it->call, reached) &&
        (!end || sparse_well(&it->call, end))) {
        all[3] = reached;
        bad = judged(it, x, reached, end, steps);
        if (ty_ok(bad)) bad = NULL;
    }
    ty_tensor *verdict = bad && it->call.scope ? ty_keep(bad) : bad;
    sparse_close_all(&it->call, 4, all);
    return (ty_solution){verdict ? verdict : all[0], all[1], all[2], all[3]};
}
