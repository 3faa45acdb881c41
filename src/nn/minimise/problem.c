/* The objective, compiled once, behind vectors of doubles. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/derivative.h>
#include "array/scope.h"
#include "array/progress.h"
#include "base/alloc.h"
#include "nn/minimise/problem.h"

/* ---- functions to compile ---- */

/* Return the value of the user's function on x[0..n): poison if it is NULL or not 0-d. */
static ty_tensor *called(struct problem *p, ty_tensor *const *x) {
    ty_tensor *y = p->f(p->context, x);
    if (!y) return ty_poison_code(E_USER, "minimise: f returned NULL; expected a tensor");
    if (ty_ok(y) && ty_rank(y) != 0)
        return ty_poison_code(
            E_USER, "minimise: f returned a tensor of %d axes; expected one number, such as ty_sum returns",
            ty_rank(y));
    return y;
}

/* Allow operands without a gradient if there are several; return the previous setting, which the caller
   restores. Not using a single operand stays an error. */
static bool allow_unused(const struct problem *p) {
    bool was = ty_allow_unused(true);
    if (p->n == 1) ty_allow_unused(was);
    return was;
}

static void value_body(void *context, ty_tensor *const *x, ty_tensor **results) {
    results[0] = called(context, x);
}

/* Compute f into results[0] and its gradients by x[0..n) into results[1 .. n] (included). context is the
   struct problem. */
static void gradient_body(void *context, ty_tensor *const *x, ty_tensor **results) {
    struct problem *p = context;
    results[0] = called(p, x);
    bool unused = allow_unused(p);
    ty_grad(results[0], p->n, x, results + 1);
    ty_allow_unused(unused);
}

/* Compute the Hessian-vector products of f into results[0..n). x holds the n operands, then the n parts of
   the vector. */
static void product_body(void *context, ty_tensor *const *x, ty_tensor **results) {
    struct problem *p = context;
    ty_tensor *y = called(p, x);
    bool unused = allow_unused(p);
    ty_hvp(y, p->n, x, x + p->n, results);
    ty_allow_unused(unused);
}

/* Compute the n * n blocks of the Hessian of f into results[], row by row; block i, j is [x[i]...,
   x[j]...]. */
static void hessian_body(void *context, ty_tensor *const *x, ty_tensor **results) {
    struct problem *p = context;
    ty_tensor *y = called(p, x);
    bool unused = allow_unused(p);
    ty_hessian(y, p->n, x, 0, results);
    ty_allow_unused(unused);
}

/* ---- calls ---- */

/* Split the vector x[p->size] into p->operands[first .. first + n - 1], in the operands' shapes and dtypes. */
static void put_vector(struct problem *p, int first, const double *x) {
    for (int i = 0; i < p->n; i++) {
        ty_tensor *part = ty_from(TY_F64, ty_rank(p->x[i]), ty_shape(p->x[i]), x);
        p->operands[first + i] = ty_cast(part, ty_dtype_of(p->x[i]));
        x += ty_size(p->x[i]);
    }
}

static bool take_number(struct problem *p, ty_tensor *x, double *out) {
    if (!ty_read(x, TY_F64, out))
        return fault_set(&p->fault, ty_ok(x) ? E_MEMORY : ty_error_code(x), "%s",
                         ty_ok(x) ? "out of memory: minimise could not read a result" : ty_error(x));
    return true;
}

/* Copy the elements of the n tensors `parts` to the vector out[p->size], in f64. False sets the fault. */
static bool take_vector(struct problem *p, ty_tensor *const *parts, double *out) {
    for (int i = 0; i < p->n; i++) {
        if (ty_size(p->x[i]) && !take_number(p, parts[i], out)) return false;
        out += ty_size(p->x[i]);
    }
    return true;
}

/* Call `body`, compiled to *function at the first call, on p->operands[0..noperands), and set
   p->results[0..nresults). False sets the fault. */
static bool run(struct problem *p, ty_function **function, ty_branch body, int noperands, int nresults) {
    if (!*function) *function = ty_function_new(body, p, noperands, nresults, (ty_compile_options){0});
    if (ty_function_call(*function, noperands, p->operands, nresults, p->results)) {
        if (nresults && !p->uses && tensor_of(p->results[0])->tracked) p->uses = ty_retain(p->results[0]);
        return true;
    }
    return fault_set(&p->fault, ty_error_code(nresults ? p->results[0] : ty_function_failure(*function)),
                     "%s", nresults ? ty_error(p->results[0]) : ty_function_error(*function));
}

double problem_value(struct problem *p, const double *x) {
    double value = NAN;
    ty_scope *scope = ty_open();
    put_vector(p, 0, x);
    if (run(p, &p->value, value_body, p->n, 1)) take_number(p, p->results[0], &value);
    ty_close(scope);
    p->now.evaluations++;
    return p->fault.set ? NAN : value;
}

double problem_gradient(struct problem *p, const double *x, double *g) {
    double value = NAN;
    ty_scope *scope = ty_open();
    put_vector(p, 0, x);
    if (run(p, &p->gradient, gradient_body, p->n, 1 + p->n) && take_number(p, p->results[0], &value)) {
        take_vector(p, p->results + 1, g);
        ty_dtype dtype = ty_dtype_of(p->results[0]);
        p->unit = dtype == TY_F64 ? 0x1p-52 : dtype == TY_F32 ? 0x1p-23 : 0x1p-8;
    }
    ty_close(scope);
    p->now.evaluations++;
    return p->fault.set ? NAN : value;
}

bool problem_product(struct problem *p, const double *x, const double *v, double *product) {
    ty_scope *scope = ty_open();
    put_vector(p, 0, x);
    put_vector(p, p->n, v);
    if (run(p, &p->product, product_body, 2 * p->n, p->n)) take_vector(p, p->results, product);
    ty_close(scope);
    p->now.products++;
    return !p->fault.set;
}

/* Copy the blocks p->results, each [x[i]..., x[j]...], into the matrix hessian, row-major [p->size,
   p->size]; `room` is scratch for one block. False sets the fault. */
static bool take_hessian(struct problem *p, double *room, double *hessian) {
    int64_t row = 0;
    for (int i = 0; i < p->n; i++) {
        int64_t column = 0, rows = ty_size(p->x[i]);
        for (int j = 0; j < p->n; j++) {
            int64_t columns = ty_size(p->x[j]);
            if (rows && columns && !take_number(p, p->results[i * p->n + j], room)) return false;
            for (int64_t a = 0; a < rows; a++)
                for (int64_t b = 0; b < columns; b++)
                    hessian[(row + a) * p->size + column + b] = room[a * columns + b];
            column += columns;
        }
        row += rows;
    }
    return true;
}

bool problem_hessian(struct problem *p, const double *x, double *hessian) {
    double *room = problem_room(p, p->size);
    if (!room) return false;
    ty_scope *scope = ty_open();
    put_vector(p, 0, x);
    if (run(p, &p->hessian, hessian_body, p->n, p->n * p->n)) take_hessian(p, room, hessian);
    ty_close(scope);
    mem_free(room);
    p->now.products++;
    return !p->fault.set;
}

double *problem_room(struct problem *p, int64_t count) {
    size_t n = (size_t)(p->size ? p->size : 1), many = (size_t)(count ? count : 1);
    bool fits = n <= SIZE_MAX / sizeof(double) / many;
    double *room = fits ? mem_array(n * many, sizeof *room) : NULL;
    if (!room) fault_memory(&p->fault, fits ? n * many * sizeof *room : SIZE_MAX);
    return room;
}

/* ---- progress ---- */

bool problem_ends(struct problem *p, bool converged, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(p->now.message, sizeof p->now.message, format, list);
    va_end(list);
    p->now.converged = converged;
    return false;
}

/* Return true if the search has converged, by gradient or change; p->now then says so. `before` is f at the
   previous iteration. */
static bool has_converged(struct problem *p, double before) {
    const ty_minimise_options *o = &p->o;
    double value = p->now.value, size = fmax(fmax(fabs(value), fabs(before)), 1);
    if (p->now.gradient <= o->gradient)
        return !problem_ends(p, true, "the gradient is at most %g", o->gradient);
    if (p->now.iterations && o->change > 0 && before - value <= o->change * size)
        return !problem_ends(p, true, "the last iteration lowered f by no more than %g", o->change * size);
    return false;
}

/* Return true unless the caller's callback, if any, says to end the search. */
static bool wants_more(struct problem *p) {
    if (!p->now.iterations || !p->o.each) return true;
    struct scope_fence fence = scope_fence();
    bool more = p->o.each(p->o.each_context, &p->now);
    scope_fence_end(fence);
    return more;
}

bool problem_goes_on(struct problem *p, const double *x, double value, const double *g) {
    if (p->fault.set) return false;
    double before = p->now.value;
    memcpy(p->best, x, sizeof *x * (size_t)p->size);
    p->now.value = value;
    p->now.gradient = g ? vector_most(p->size, g) : NAN;
    if (!isfinite(value))
        return problem_ends(p, false, p->now.iterations ? "f is %g" : "f is %g at the start", value);
    if (g && !isfinite(p->now.gradient)) return problem_ends(p, false, "the gradient is not finite");
    bool over = g && has_converged(p, before), more = wants_more(p);
    if (over) return false;
    if (!more) return problem_ends(p, false, "the caller ended it");
    if (p->now.iterations >= p->o.iterations)
        return problem_ends(p, false, "%lld iterations were not enough", (long long)p->o.iterations);
    p->now.iterations++;
    return progress_at(p->now.iterations, p->o.iterations, &p->fault);
}

/* ---- vectors ---- */

double vector_dot(int64_t n, const double *a, const double *b) {
    double sums[4] = {0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) sums[k] += a[i + k] * b[i + k];
    for (; i < n; i++) sums[0] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

void vector_add(int64_t n, double *y, double factor, const double *x) {
    for (int64_t i = 0; i < n; i++) y[i] += factor * x[i];
}

void vector_scale(int64_t n, double *y, double factor) {
    for (int64_t i = 0; i < n; i++) y[i] *= factor;
}

double vector_most(int64_t n, const double *x) {
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
    return most;
}
