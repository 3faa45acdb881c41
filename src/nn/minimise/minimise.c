/* Entry point of all minimisers: checks, conversion to vectors, and the report. */
#include <math.h>
#include <string.h>
#include <tyto/create.h>
#include "array/scope.h"
#include "base/options.h"
#include "array/progress.h"
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "nn/minimise/problem.h"
#include "nn/option.h"
#include "ops/core/evaluator.h"
#include "ops/core/field_value.h"
#include "ops/core/structure.h"

static const struct {
    const char *name;
    void (*minimise)(struct problem *p, double *x);
} rows[] = {
#define MINIMISER(name, doc) {#name, minimise_##name},
#include <tyto/tables/minimisers.def>
};

ty_minimiser ty_minimiser_named(const char *name) {
    int i = 0;
    while (i < TY_MINIMISERS && !(name && !strcmp(rows[i].name, name))) i++;
    return (ty_minimiser)i;
}

/* Ranges of the options. */
ATTRIBUTES(numbers, sizeof(ty_minimise_options), FIELD(ty_minimise_options, gradient, REAL, .end = INFINITY),
           FIELD(ty_minimise_options, change, REAL, .end = INFINITY),
           FIELD(ty_minimise_options, armijo, REAL, .end = 1),
           FIELD(ty_minimise_options, curvature, REAL, .end = 1),
           FIELD(ty_minimise_options, iterations, LONG, .end = INFINITY),
           FIELD(ty_minimise_options, memory, INT, .end = 1e6));

/* Check that the options of ty_minimise are in range. Return poison, or NULL if so. */
static ty_tensor *check_options(const ty_minimise_options *o) {
    struct fault fault;
    fault_clear(&fault);
    if ((int)o->method < 0 || o->method >= TY_MINIMISERS)
        return ty_poison_code(E_ARGUMENT, "minimise: unknown method %d; TY_MINIMISE_lbfgs is the first of %d",
                              (int)o->method, TY_MINIMISERS);
    for (int i = 0; i < numbers.n; i++)
        if (!field_check(&numbers.fields[i], o, "minimise", &fault)) return tensor_fault(&fault);
    return NULL;
}

/* Check the arguments of ty_minimise. Return poison, or NULL if they are valid. */
static ty_tensor *refusal(ty_body f, int n, ty_tensor *const *x, const ty_minimise_options *o,
                          ty_tensor **best) {
    ty_tensor *bad = first_poison_in("minimise", n, x);
    if (!bad) bad = refuse_missing("minimise", n, best, "results");
    if (!bad && !f) bad = ty_poison_code(E_ARGUMENT, "minimise: the function is NULL");
    if (!bad && n < 1) bad = ty_poison_code(E_ARGUMENT, "minimise: %d operands; expected at least 1", n);
    for (int i = 0; !bad && i < n; i++)
        if (!dtype_is(ty_dtype_of(x[i]), CLASS_FLOAT))
            bad = refuse("minimise", 1, &x[i], E_DTYPE, "operands must be floating and real");
    return bad ? bad : check_options(o);
}

/* Return the options with defaults in place of zeros. */
static ty_minimise_options full(ty_minimise_options o) {
    if (!o.iterations) o.iterations = 1000;
    if (!o.memory) o.memory = 10;
    o.gradient = option_or(o.gradient, 1e-5);
    if (o.method == TY_MINIMISE_nelder_mead) o.change = option_or(o.change, 1e-8);
    return o;
}

/* Read the operands into the start, run the method from there; p->best, p->now and p->fault receive the
   results. */
static void search(struct problem *p) {
    double *x = p->best + p->size; /* second of the two vectors */
    double *at = x;
    for (int i = 0; i < p->n && !p->fault.set; i++) {
        if (ty_size(p->x[i]) && !ty_read(p->x[i], TY_F64, at))
            fault_set(&p->fault, E_MEMORY, "out of memory: minimise could not read operand %d", i);
        at += ty_size(p->x[i]);
    }
    memcpy(p->best, x, sizeof *x * (size_t)p->size);
    if (!p->fault.set) rows[p->o.method].minimise(p, x);
}

/* Set best[0..n) to the best position, in the shapes and dtypes of the operands, and *report unless NULL.
   False if the search failed: all of best[] are then poison. */
static bool hand_back(struct problem *p, ty_tensor **best, ty_minimum *report, size_t report_size) {
    const double *at = p->best;
    bool found = !p->fault.set;
    if (!found) results_poisoned(p->n, best, tensor_fault(&p->fault));
    for (int i = 0; i < p->n && found; i++) {
        best[i] = ty_cast(ty_from(TY_F64, ty_rank(p->x[i]), ty_shape(p->x[i]), at), ty_dtype_of(p->x[i]));
        if (p->uses && ty_ok(best[i]))
            best[i] = tensor_return(
                value_without_gradient("minimise",
                                       "f uses tracked tensors besides x, by which the minimum has no known "
                                       "gradient; ty_detach the result, or these tensors",
                                       p->uses, best[i]));
        at += ty_size(p->x[i]);
    }
    bool done = found && results_settled(p->n, best);
    if (!done) problem_ends(p, false, "%s", found ? ty_error(best[0]) : p->fault.text);
    options_write(report, report_size, &p->now, sizeof p->now);
    return done;
}

/* Evaluate the operands x[0..n) and allocate memory for calls and positions; false sets the fault. Call
   close_problem in any case. */
static bool open_problem(struct problem *p, ty_tensor *const *x) {
    size_t n = (size_t)p->n;
    ty_tensor **values = mem_array(n, sizeof *values);
    p->x = values;
    p->operands = mem_array(2 * n, sizeof *p->operands);
    p->results = mem_array(n * n + n + 1, sizeof *p->results);
    if (!values || !p->operands || !p->results) return fault_memory(&p->fault, n * n * sizeof *values);
    for (int i = 0; i < p->n; i++) {
        values[i] = ty_detach(ty_eval(x[i]));
        if (!ty_ok(values[i])) return fault_tensor(&p->fault, values[i]);
        p->size += ty_size(values[i]);
    }
    p->best = problem_room(p, 2);
    return p->best != NULL;
}

/* Free the functions and memory of a problem. */
static void close_problem(struct problem *p) {
    ty_function *const all[] = {p->value, p->gradient, p->product, p->hessian};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) ty_function_free(all[i]);
    if (p->uses) ty_release(p->uses);
    mem_free((void *)(uintptr_t)p->x), mem_free(p->operands), mem_free(p->results), mem_free(p->best);
}

bool ty_minimise_sized(ty_body f, void *context, int n, ty_tensor *const *x, const ty_minimise_options *given,
                       size_t given_size, ty_tensor **best, ty_minimum *report, size_t report_size) {
    ty_minimise_options options;
    struct fault fault;
    fault_clear(&fault);
    bool known = OPTIONS_READ(options, given, given_size, &fault);
    FLOATING_DEFAULT;
    PROGRESS_NAMED("minimise");
    ty_tensor *bad = known ? refusal(f, n, x, &options, best) : tensor_fault(&fault);
    struct problem p = {.f = f, .context = context, .n = n, .o = full(options)};
    p.now.value = p.now.gradient = NAN;
    if (bad) {
        problem_ends(&p, false, "%.250s", ty_error(bad));
        results_poisoned(n, best, bad);
        options_write(report, report_size, &p.now, sizeof p.now);
        return false;
    }
    if (open_problem(&p, x)) search(&p);
    bool done = false;
    if (p.x)
        done = hand_back(&p, best, report, report_size);
    else
        for (int i = 0; i < n; i++) best[i] = tensor_fault(&p.fault);
    close_problem(&p);
    return done;
}
