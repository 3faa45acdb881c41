/*
 * ty_check_gradient: compares gradients with finite differences. The function differentiated is a weighted
 * sum of all outputs, or for order 2 a weighted sum of all its gradients.
 */
#include <math.h>
#include <stdio.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/derivative.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "array/scope.h"
#include "base/options.h"
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "grad/asked.h"
#include "grad/unused.h"
#include "ops/core/op.h"

/* State of one call. */
struct check {
    struct asked asked;
    ty_body f;
    void *context;
    int n;
    ty_check_options options;
    ty_tensor **values; /* x, in the dtypes to check */
    ty_tensor **room;   /* scratch: n operands, n gradients, n directions */
    ty_check_report report;
};

static bool is_complex_value(const ty_tensor *x) { return dtype_is(x->dtype, CLASS_COMPLEX); }

/* ---- the weighted sum ---- */

/* Return weights between 0.5 and 1.5 in the shape of x, in `dtype`, with imaginary parts if that is complex.
   They depend only on shape, dtype and `start`, a phase. */
static ty_tensor *weights(const ty_tensor *x, ty_dtype dtype, double start) {
    int64_t n = tensor_size(x);
    ty_tensor *angle = ty_steps(TY_F64, start, 1.7, n),
              *real = ty_add(ty_mul(ty_sin(angle), ty_num(0.5)), ty_num(1));
    if (dtype_is(dtype, CLASS_COMPLEX)) real = ty_add(real, ty_mul(ty_cos(angle), ty_complex(0, 0.5)));
    return ty_cast(ty_reshape(real, x->layout.rank, x->layout.shape), dtype);
}

/* Return the 0-d sum of y times weights(y, start). For complex y it is the real part of the sum of y times
   conjugate weights; but if `analytic` (y is complex because of a complex step) the plain sum. Poison stays
   poison. */
static ty_tensor *weighed(ty_tensor *y, double start, bool analytic) {
    y = tensor_resolve(y);
    if (!ty_ok(y)) return y;
    ty_dtype real = dtype_table[y->dtype].real;
    if (analytic || !is_complex_value(y)) return ty_sum(ty_mul(y, weights(y, real, start)), TY_ALL);
    return ty_sum(ty_real(ty_mul(ty_conj(weights(y, y->dtype, start)), y)), TY_ALL);
}

/* Return the value of the user's function on x[k->n], called behind a fence: scopes that it leaves open are
   closed. Poison on failure. */
static ty_tensor *call(struct check *k, ty_tensor *const *x) {
    struct scope_fence fence = scope_fence();
    bool unused = unused_allow(false);
    ty_tensor *y = tensor_resolve(scope_fence_result(fence, k->asked.name, k->f(k->context, x)));
    unused_allow(unused);
    return y;
}

/* Return the 0-d weighted sum of the function's value at tracked x[]; for order 2 the weighted sum of its
   gradients, which are written to gradients[k->n]. `analytic`: x[] are moved by a complex step. Poison on
   failure. */
static ty_tensor *number_at(struct check *k, ty_tensor *const *x, ty_tensor **gradients, bool analytic) {
    ty_tensor *y = call(k, x), *sum = NULL;
    if (ty_ok(y) && !analytic && is_complex_value(y) && k->options.difference == TY_DIFFERENCE_COMPLEX)
        return ty_poison_code(E_USER, "f returns complex numbers for real ones; use another difference");
    ty_tensor *s = weighed(y, 0.3, analytic);
    if (k->options.order < 2 || !ty_ok(s)) return s;
    if (!ty_grad(s, k->n, x, gradients)) sum = ty_poison_code(E_ARGUMENT, "the gradient failed");
    for (int i = 0; i < k->n; i++) {
        if (!ty_ok(gradients[i])) return gradients[i];
        ty_tensor *part = weighed(gradients[i], 0.9 + i, analytic);
        sum = sum ? ty_add(sum, part) : part;
    }
    return sum ? sum : s;
}

/* ---- differences ---- */

/* Compute the weighted sum of the function into *out, with element `element` (row-major) of operand `which`
   moved by `by`, along the imaginary axis if `imaginary`. With a complex step *out is the imaginary part.
   False, with the fault set, on failure. */
static bool evaluate(struct check *k, int which, int64_t element, double by, bool imaginary, double *out) {
    struct asked *a = &k->asked;
    ty_scope *scope = ty_open();
    bool step = k->options.difference == TY_DIFFERENCE_COMPLEX;
    double both[2] = {0};
    const ty_tensor *x = k->values[which];
    int64_t n = tensor_size(x);
    double *numbers = mem_array(2 * (size_t)n, sizeof *numbers);
    bool done = numbers ? ty_read(k->values[which], TY_C128, (void *)numbers)
                        : fault_memory(&a->fault, (size_t)n * 16);
    if (done) {
        numbers[2 * element + imaginary] += by;
        for (int i = 0; i < k->n; i++) k->room[i] = k->values[i];
        ty_dtype dtype = step ? TY_C128 : x->dtype;
        k->room[which] = ty_cast(ty_from(TY_C128, x->layout.rank, x->layout.shape, (void *)numbers), dtype);
        for (int i = 0; i < k->n; i++) k->room[i] = tensor_resolve(ty_track(k->room[i], ""));
        ty_tensor *s = number_at(k, k->room, k->room + k->n, step);
        done = asked_well(a, s) &&
               (ty_read(ty_eval(s), TY_C128, (void *)both) || fault_memory(&a->fault, sizeof both));
        if (done && step && !is_complex_value(tensor_resolve(s)))
            done = fault_set(&a->fault, E_USER,
                             "%s: f returns real numbers for complex ones; use another difference", a->name);
    }
    *out = step ? both[1] : both[0];
    mem_free(numbers);
    ty_close(scope);
    return done;
}

/* Return the step size of differences at x: the option's or a usual one, times |x| if that is above 1, except
   for a complex step. */
static double step_at(const struct check *k, double x) {
    static const double usual[] = {6e-6, 1e-4, 1e-40};
    double h = k->options.step > 0 ? k->options.step : usual[k->options.difference];
    return k->options.difference == TY_DIFFERENCE_COMPLEX ? h : h * fmax(1, fabs(x));
}

/* Compute into *out, as a difference, the derivative by element `element` of operand `which`, or by its
   imaginary part if `imaginary`; x is the value of that part. False, with the fault set, on failure. */
static bool difference(struct check *k, int which, int64_t element, double x, bool imaginary, double *out) {
    static const double weight[4] = {8, -8, -1, 1}, place[4] = {1, -1, 2, -2};
    double h = step_at(k, x), value;
    *out = 0;
    if (k->options.difference == TY_DIFFERENCE_COMPLEX) {
        bool done = evaluate(k, which, element, h, true, &value);
        *out = value / h;
        return done;
    }
    bool fourth = k->options.difference == TY_DIFFERENCE_FOURTH;
    for (int i = 0; i < (fourth ? 4 : 2); i++) {
        if (!evaluate(k, which, element, place[i] * h, imaginary, &value)) return false;
        *out += (fourth ? weight[i] / 12 : place[i] / 2) * value;
    }
    *out /= h;
    return true;
}

/* ---- comparison ---- */

/* Write the name of the element with the largest error, such as "x[0] 'w' at [1,2]", to out, cut to `size`
   bytes with the final 0. x[] are the operands. */
static void name_operand(const struct check *k, ty_tensor *const *x, char *out, size_t size) {
    const char *name = ty_ok(x[k->report.x]) ? ty_name(x[k->report.x]) : "";
    int64_t rest = k->report.element;
    const ty_tensor *v = k->values[k->report.x];
    int n =
        snprintf(out, size, "x[%d]%s%.40s%s at [", k->report.x, *name ? " '" : "", name, *name ? "'" : "");
    for (int i = 0, sizes = (int)v->layout.rank; i < sizes && n > 0 && (size_t)n < size - 24; i++) {
        int64_t inner = 1;
        for (int j = i + 1; j < sizes; j++) inner *= v->layout.shape[j];
        n += snprintf(out + n, size - (size_t)n, "%s%lld", i ? "," : "", (long long)(rest / inner));
        rest %= inner;
    }
    if (n > 0 && (size_t)n < size - 1) snprintf(out + n, size - (size_t)n, "]");
}

/* Count the comparison of the derivative `analytic` by an element, or its imaginary part, with `numeric`.
   Keep it in the report if its error, relative to the allowed one, is the largest. */
static void compare(struct check *k, int which, int64_t element, bool imaginary, double analytic,
                    double numeric) {
    ty_check_report *r = &k->report;
    double allowed = k->options.absolute + k->options.relative * fabs(numeric);
    double error = analytic == numeric ? 0 : fabs(analytic - numeric) / allowed;
    if (isnan(error)) error = isnan(analytic) && isnan(numeric) ? 0 : (double)INFINITY;
    r->compared++;
    if (r->compared > 1 && error <= r->error) return;
    r->error = error;
    r->analytic = analytic;
    r->numeric = numeric;
    r->x = which;
    r->element = element;
    r->imaginary = imaginary;
}

/* Compare `gradient`, that by operand `which`, with differences, element by element, into the report. A large
   error is no failure. False, with the fault set, on failure. */
static bool compare_operand(struct check *k, int which, ty_tensor *gradient) {
    int64_t n = tensor_size(k->values[which]);
    double *numbers = mem_array(4 * (size_t)n, sizeof *numbers), *x = numbers + 2 * n, numeric;
    bool done = numbers && ty_read(k->values[which], TY_C128, (void *)x) &&
                ty_read(ty_eval(gradient), TY_C128, (void *)numbers);
    if (!done) fault_memory(&k->asked.fault, 4 * (size_t)n * sizeof *numbers);
    for (int64_t i = 0; i < n && done; i++)
        for (int part = 0; part <= is_complex_value(k->values[which]) && done; part++) {
            done = difference(k, which, i, x[2 * i + part], part, &numeric);
            if (done) compare(k, which, i, part, numbers[2 * i + part], numeric);
        }
    mem_free(numbers);
    return done;
}

/* Compare forward and reverse mode for s, with gradients[i] by x[i], along one direction, and store their
   relative distance in the report. False, with the fault set, on failure. */
static bool compare_modes(struct check *k, ty_tensor *s, ty_tensor *const *x, ty_tensor *const *gradients) {
    ty_tensor **t = k->room + 2 * (ptrdiff_t)k->n, *ds, *sum = ty_num(0), *size = ty_num(1e-300);
    double numbers[3];
    for (int i = 0; i < k->n; i++) {
        t[i] = weights(x[i], x[i]->dtype, 2.1 + i);
        ty_tensor *product = ty_real(ty_mul(ty_conj(gradients[i]), t[i]));
        sum = ty_add(sum, ty_sum(product, TY_ALL));
        size = ty_add(size, ty_sum(ty_abs(product), TY_ALL));
    }
    ty_jvp(1, &s, k->n, x, t, &ds);
    ty_tensor *all[] = {ds, sum, size};
    for (int i = 0; i < 3; i++)
        if (!asked_well(&k->asked, all[i]) || (!ty_read(ty_eval(all[i]), TY_F64, &numbers[i]) &&
                                               !fault_memory(&k->asked.fault, sizeof(double))))
            return false;
    double apart = fabs(numbers[0] - numbers[1]) / numbers[2];
    k->report.modes = isnan(apart) && isnan(numbers[0]) == isnan(numbers[1]) ? 0 : apart;
    return true;
}

/* Check all gradients by differences and both modes against each other, into the report. False, with the
   fault set, on failure. */
static bool run(struct check *k) {
    struct asked *a = &k->asked;
    ty_tensor **x = mem_array(2 * (size_t)k->n, sizeof *x), **gradients = x + k->n;
    if (!x) return fault_memory(&a->fault, (size_t)k->n * sizeof *x);
    unused_allow(true); /* differences show whether zeros are right */
    for (int i = 0; i < k->n; i++) x[i] = tensor_resolve(ty_track(k->values[i], ""));
    ty_tensor *s = number_at(k, x, gradients, false);
    bool done = asked_well(a, s) && asked_check(a, s, k->n, x, false);
    if (done && !ty_grad(s, k->n, x, gradients))
        for (int i = 0; i < k->n; i++) asked_well(a, gradients[i]);
    done = done && !a->fault.set && compare_modes(k, s, x, gradients);
    for (int i = 0; i < k->n && done; i++) done = compare_operand(k, i, gradients[i]);
    mem_free(x);
    return done;
}

/* ---- arguments ---- */

/* Evaluate x[] into k->values, in f64 or c128 unless options keep the dtypes, and check the dtypes. False,
   with the fault set, on failure. */
static bool take_values(struct check *k, ty_tensor *const *x) {
    struct asked *a = &k->asked;
    const ty_tensor *bad = first_poison_in(a->name, k->n, x);
    char words[160];
    if (bad) return fault_tensor(&a->fault, bad);
    k->values = mem_array(4 * (size_t)k->n, sizeof *k->values);
    k->room = k->values + k->n;
    if (!k->values) return fault_memory(&a->fault, 4 * (size_t)k->n * sizeof *k->values);
    for (int i = 0; i < k->n; i++) {
        ty_tensor *value = ty_detach(ty_eval(x[i]));
        if (!asked_well(a, value)) return false;
        bool is_complex = is_complex_value(value), real = dtype_is(value->dtype, CLASS_FLOAT);
        if (!is_complex && !real)
            return fault_set(&a->fault, E_DTYPE,
                             "%s: x[%d] is %s; only floating and complex tensors have derivatives", a->name,
                             i, tensor_describe_into(words, sizeof words, value));
        if (is_complex && k->options.difference == TY_DIFFERENCE_COMPLEX)
            return fault_set(&a->fault, E_DTYPE, "%s: x[%d] is complex; a complex step is for real operands",
                             a->name, i);
        if (!k->options.dtypes && (is_complex || real)) value = ty_cast(value, is_complex ? TY_C128 : TY_F64);
        k->values[i] = tensor_resolve(value);
        if (!asked_well(a, value)) return false;
    }
    return true;
}

/* Check the function and the options, and fill in the tolerances if both are 0. False, with the fault set, on
   failure. */
static bool take_options(struct check *k) {
    ty_check_options *o = &k->options;
    if (!k->f) return fault_set(&k->asked.fault, E_ARGUMENT, "check_gradient: the function is NULL");
    if ((unsigned)o->difference > TY_DIFFERENCE_COMPLEX || o->order < 0 || o->order > 2)
        return fault_set(&k->asked.fault, E_ARGUMENT,
                         "check_gradient: order %d of difference %d; expected order 1 or 2", o->order,
                         (int)o->difference);
    if (o->order == 2 && o->difference == TY_DIFFERENCE_COMPLEX)
        return fault_set(&k->asked.fault, E_ARGUMENT,
                         "check_gradient: a gradient is not analytic; use another difference for order 2");
    if (!(o->absolute >= 0) || !(o->relative >= 0) || !(o->step >= 0) || !isfinite(o->step))
        return fault_set(&k->asked.fault, E_ARGUMENT,
                         "check_gradient: a step or tolerance is negative or NaN");
    if (o->absolute == 0 && o->relative == 0) o->absolute = 1e-6, o->relative = 1e-5;
    return true;
}

bool ty_check_gradient_sized(ty_body f, void *context, int n, ty_tensor *const *x,
                             const ty_check_options *given, size_t given_size, ty_check_report *report,
                             size_t report_size, ty_tensor **error) {
    enum { DIGITS = 160 };
    double modes_apart = 1e-4; /* bound for f32; a wrong rule is off by more */
    FLOATING_DEFAULT;
    struct check k = {.asked = asked_open("check_gradient"), .f = f, .context = context, .n = n > 0 ? n : 0};
    char words[DIGITS];
    bool done = OPTIONS_READ(k.options, given, given_size, &k.asked.fault) &&
                (n >= 0 || fault_set(&k.asked.fault, E_ARGUMENT,
                                     "check_gradient: %d operands; expected 0 or more", n)) &&
                take_options(&k) && take_values(&k, x) && run(&k);
    for (int i = 0; i < k.n && done; i++)
        if (dtype_table[k.values[i]->dtype].size == 2) modes_apart = 0.1;
    bool apart = done && k.report.modes > modes_apart;
    if (!done) {
        text_print(k.report.message, sizeof k.report.message, "%s", k.asked.fault.text);
    } else if (apart) {
        text_print(k.report.message, sizeof k.report.message,
                   "forward mode is %.3g of the sum away from reverse mode", k.report.modes);
    } else if (k.report.compared) {
        name_operand(&k, x, words, sizeof words);
        text_print(k.report.message, sizeof k.report.message, "%s%s: gradient %.9g, differences say %.9g",
                   words, k.report.imaginary ? ", imaginary part" : "", k.report.analytic, k.report.numeric);
    }
    options_write(report, report_size, &k.report, sizeof k.report);
    mem_free(k.values);
    asked_close(&k.asked);
    bool right = done && !apart && k.report.error <= 1;
    if (!right) fault_set(&k.asked.fault, E_USER, "check_gradient: %s", k.report.message);
    if (error) *error = right ? NULL : tensor_fault(&k.asked.fault);
    return right;
}
