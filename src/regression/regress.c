/* Fitting models to tensors: checks, reading, names, the handle. */
#include <tyto/regression.h>
#include <math.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include "array/progress.h"
#include "base/checked.h"
#include "base/machine/floating.h"
#include "base/options.h"
#include "ops/core/op.h"
#include "ops/core/structure.h"
#include "regression/model.h"
#include "regression/pair.h"

ty_regression regression_no_memory = {
    .fault = {true, E_MEMORY, "out of memory: a regression could not be made"}};
static ty_regression null_regression = {.fault = {true, E_ARGUMENT, "regression: the regression is NULL"}};
const ty_regression *regression_of(const ty_regression *r) { return r ? r : &null_regression; }

enum { DEGREE_MOST = 64 };

/* ---- operands ---- */

/* Return poison if x is not real of this rank and, unless n is -1, with n rows; else NULL. */
static ty_tensor *refuse_operand(const char *name, ty_tensor *x, const char *what, int rank, int64_t n) {
    if (dtype_is(ty_dtype_of(x), CLASS_COMPLEX))
        return refuse(name, 1, &x, E_DTYPE, "%s: complex numbers are not supported", what);
    if (ty_rank(x) != rank)
        return refuse(name, 1, &x, E_SHAPE, "%s has %d axes; expected %d", what, ty_rank(x), rank);
    if (n >= 0 && ty_shape(x)[0] != n)
        return refuse(name, 1, &x, E_SHAPE, "%s has %lld rows; expected %lld, as y has", what,
                      (long long)ty_shape(x)[0], (long long)n);
    return NULL;
}

/* A call: its operands, checked. */
struct call {
    const char *name;
    ty_tensor *x, *y;
    int rank; /* of x */
    int64_t degree;
};

static ty_tensor *refuse_options(const struct call *c, const ty_regression_options *o) {
    if ((unsigned)o->family >= TY_FAMILIES)
        return refuse(
            c->name, 0, NULL, E_ARGUMENT,
            "unknown family %d; expected TY_FAMILY_GAUSSIAN, TY_FAMILY_BINOMIAL or TY_FAMILY_POISSON",
            (int)o->family);
    if ((unsigned)o->robust >= TY_ROBUSTS)
        return refuse(c->name, 0, NULL, E_ARGUMENT,
                      "unknown covariance %d; expected TY_ROBUST_NONE to TY_ROBUST_HC3", (int)o->robust);
    if (o->confidence != 0 && !(o->confidence > 0 && o->confidence < 1))
        return refuse(c->name, 0, NULL, E_ARGUMENT, "confidence is %g; expected a number between 0 and 1",
                      o->confidence);
    if (!(o->tolerance >= 0 && o->tolerance < 1))
        return refuse(c->name, 0, NULL, E_ARGUMENT, "tolerance is %g; expected at least 0 and below 1",
                      o->tolerance);
    if (o->iterations < 0)
        return refuse(c->name, 0, NULL, E_ARGUMENT, "iterations is %lld; expected 0 or more",
                      (long long)o->iterations);
    return NULL;
}

static ty_tensor *refuse_call(const struct call *c, const ty_regression_options *o) {
    ty_tensor *all[4] = {c->x, c->y}, *bad;
    int n = 2;
    if (o->weights) all[n++] = o->weights;
    if (o->offset) all[n++] = o->offset;
    bad = first_poison_in(c->name, n, all);
    if (!bad) bad = refuse_options(c, o);
    if (!bad) bad = refuse_operand(c->name, c->y, "y", 1, -1);
    int64_t rows = bad ? 0 : ty_shape(c->y)[0];
    if (!bad) bad = refuse_operand(c->name, c->x, "x", c->rank, rows);
    if (!bad && o->weights) bad = refuse_operand(c->name, o->weights, "weights", 1, rows);
    if (!bad && o->offset) bad = refuse_operand(c->name, o->offset, "offset", 1, rows);
    if (!bad && c->rank == 2 && ty_shape(c->x)[1] == 0)
        bad = refuse(c->name, 0, NULL, E_SHAPE, "x has no columns; expected at least one");
    if (!bad && (c->degree < 0 || c->degree > DEGREE_MOST))
        bad = refuse(c->name, 0, NULL, E_ARGUMENT, "degree %lld is out of range; expected 0..%d",
                     (long long)c->degree, DEGREE_MOST);
    return bad;
}

/* ---- rows ---- */

static void frame_free(struct frame *f) {
    double *all[] = {f->x, f->low, f->y, f->weight, f->offset, f->a, f->b, f->rest, f->residual};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
    mem_free(f->row);
}

/* Read x to a new array of `count` elements; NULL stands for `number` everywhere.  NULL, with the fault set, on
   failure. */
static double *read_all(ty_tensor *x, int64_t count, double number, struct fault *fault) {
    double *all = mem_array((size_t)count, sizeof *all);
    ty_tensor *value = x ? ty_eval(x) : NULL;
    if (value && !ty_ok(value))
        fault_tensor(fault, value);
    else if (!all || (value && !ty_read(value, TY_F64, all)))
        fault_memory(fault, (size_t)count * sizeof *all);
    for (int64_t i = 0; i < count && all && !x; i++) all[i] = number;
    if (!fault->set) return all;
    mem_free(all);
    return NULL;
}

/* Set the rows of powers of x[n] and their rounding errors. */
static bool read_powers(struct frame *f, const double *x, struct fault *fault) {
    size_t n = (size_t)f->n, p = (size_t)f->p;
    f->x = mem_array(n, p * sizeof *f->x);
    f->low = mem_array(n, p * sizeof *f->low);
    if (!f->x || !f->low) return fault_memory(fault, n * p * sizeof *f->x);
    for (int64_t i = 0; i < f->n; i++) {
        struct pair power = {1, 0};
        for (int64_t j = 0; j < f->p; j++) {
            f->x[i * f->p + j] = power.high;
            f->low[i * f->p + j] = power.low;
            struct pair next = {0, 0};
            pair_add_product(&next, power.high, x[i]);
            pair_add_product(&next, power.low, x[i]);
            power.high = pair_value(next);
            power.low = (next.high - power.high) + next.low;
            if (isnan(power.high) && !isnan(x[i]))
                power = (struct pair){INFINITY, 0}; /* not a missing value */
        }
    }
    return true;
}

/* Check one finite row; return false with the fault set if its y, weight or x is outside of its domain. */
static bool check_row(const struct frame *f, int64_t i, const struct family *family, struct fault *fault) {
    for (int64_t j = 0; j < f->p; j++)
        if (isinf(f->x[i * f->p + j]) && f->low)
            return fault_set(fault, E_DOMAIN, "%s: power %lld of x[%lld] is %g; expected finite numbers",
                             f->name, (long long)j, (long long)i, f->x[i * f->p + j]);
        else if (isinf(f->x[i * f->p + j]))
            return fault_set(fault, E_DOMAIN, "%s: x[%lld,%lld] is %g; expected finite numbers", f->name,
                             (long long)i, (long long)j, f->x[i * f->p + j]);
    if (isinf(f->y[i]) || f->y[i] < family->least || f->y[i] > family->most)
        return fault_set(fault, E_DOMAIN, "%s: y[%lld] is %g; the %s family expects %s", f->name,
                         (long long)i, f->y[i], family->name,
                         isinf(f->y[i]) ? "finite numbers" : family->domain);
    if (!(f->weight[i] >= 0) || isinf(f->weight[i]))
        return fault_set(fault, E_DOMAIN, "%s: weights[%lld] is %g; expected 0 or more", f->name,
                         (long long)i, f->weight[i]);
    if (isinf(f->offset[i]))
        return fault_set(fault, E_DOMAIN, "%s: offset[%lld] is %g; expected finite numbers", f->name,
                         (long long)i, f->offset[i]);
    return true;
}

/* List the rows that count. */
static bool choose_rows(struct frame *f, ty_regression *r) {
    for (int64_t i = 0; i < f->n; i++) {
        bool whole = !isnan(f->y[i]) && !isnan(f->weight[i]) && !isnan(f->offset[i]);
        for (int64_t j = 0; j < f->p && whole; j++) whole = !isnan(f->x[i * f->p + j]);
        r->report.dropped += !whole;
        if (!whole) continue;
        if (!check_row(f, i, &families[r->o.family], &r->fault)) return false;
        if (f->weight[i] > 0) f->row[f->m++] = i;
    }
    if (f->m) return true;
    return fault_set(&r->fault, E_SHAPE,
                     "%s: no row is left: %lld of %lld have missing values, %lld weight 0", f->name,
                     (long long)r->report.dropped, (long long)f->n, (long long)(f->n - r->report.dropped));
}

/* Read the operands; frame_free frees them in any case. */
static bool frame_read(struct frame *f, const struct call *c, const ty_regression_options *o,
                       ty_regression *r) {
    size_t cells;
    if (!checked_mul_size((size_t)f->n, (size_t)f->p, &cells))
        return fault_set(&r->fault, E_LIMIT, "%s: %lld rows of %lld columns are too many", c->name,
                         (long long)f->n, (long long)f->p);
    f->y = read_all(c->y, f->n, 0, &r->fault);
    f->weight = f->y ? read_all(o->weights, f->n, 1, &r->fault) : NULL;
    f->offset = f->weight ? read_all(o->offset, f->n, 0, &r->fault) : NULL;
    if (!f->offset) return false;
    if (r->curve == CURVE_COLUMNS) {
        f->x = read_all(c->x, f->n * f->p, 0, &r->fault);
    } else {
        double *x = read_all(c->x, f->n, 0, &r->fault);
        if (x) read_powers(f, x, &r->fault);
        mem_free(x);
    }
    if (r->fault.set) return false;
    f->row = mem_array((size_t)f->n, sizeof *f->row);
    f->a = mem_array(cells, sizeof *f->a);
    f->rest = f->low ? mem_array(cells, sizeof *f->rest) : NULL;
    f->b = mem_array((size_t)f->n, sizeof *f->b);
    f->residual = mem_array((size_t)f->n, sizeof *f->residual);
    if (!f->row || !f->a || !f->b || !f->residual || (f->low && !f->rest))
        return fault_memory(&r->fault, cells * sizeof *f->a);
    return choose_rows(f, r);
}

/* ---- names ---- */

/* Write the name of column j to out[room]. */
static void default_name(const ty_regression *r, int64_t j, char *out, size_t room) {
    static const char *const early[3][2] = {{"x1", "x2"}, {"(Intercept)", "x"}, {"a", "b"}};
    if (r->curve == CURVE_COLUMNS)
        text_print(out, room, "x%lld", (long long)(j + 1));
    else if (j < 2)
        text_print(out, room, "%s", early[r->curve][j]);
    else
        text_print(out, room, "I(x^%lld)", (long long)j);
}

static bool take_names(ty_regression *r, const ty_regression_options *o) {
    r->names = mem_array((size_t)r->p, sizeof *r->names);
    r->response = mem_copy_text(o->response ? o->response : "y");
    bool well = r->names && r->response;
    for (int64_t j = 0; j < r->p && well; j++) {
        char word[32];
        default_name(r, j, word, sizeof word);
        bool given = r->curve == CURVE_COLUMNS && o->names && o->names[j];
        r->names[j] = mem_copy_text(given ? o->names[j] : word);
        well = r->names[j];
    }
    return well || fault_memory(&r->fault, (size_t)r->p * sizeof *r->names);
}

/* ---- the handle ---- */

/* Fit r to the frame and measure it. */
static void fit(ty_regression *r, struct frame *f) {
    size_t p = (size_t)r->p;
    r->kept = mem_array(p, sizeof *r->kept);
    r->beta = mem_array(p, sizeof *r->beta);
    r->covariance = mem_array(p, p * sizeof *r->covariance);
    if (!r->kept || !r->beta || !r->covariance) {
        fault_memory(&r->fault, p * p * sizeof *r->covariance);
        return;
    }
    struct squares s = {.m = f->m, .p = f->p, .a = f->a, .low = f->rest, .b = f->b};
    s.kept = r->kept;
    s.beta = r->beta;
    s.residual = f->residual;
    bool well = regression_search(r, f, &s) && regression_measure(r, f, &s);
    if (!well && !r->fault.set) fault_memory(&r->fault, p * sizeof *r->beta);
}

static ty_regression *regress(const struct call *c, enum curve curve, const ty_regression_options *given,
                              size_t size, const char *function) {
    ty_regression_options o;
    ty_regression *r = mem_alloc(sizeof *r);
    if (!r) return &regression_no_memory;
    if (!options_read(&o, sizeof o, given, size, function, &r->fault)) return r;
    ty_scope *scope = ty_open();
    ty_tensor *bad = refuse_call(c, &o);
    if (!bad && curve == CURVE_EXPONENTIAL && o.family != TY_FAMILY_GAUSSIAN)
        bad = refuse(c->name, 0, NULL, E_ARGUMENT, "the family must be TY_FAMILY_GAUSSIAN");
    if (bad) {
        fault_tensor(&r->fault, bad);
    } else {
        r->o = o;
        if (o.confidence == 0) r->o.confidence = 0.95;
        if (o.tolerance == 0) r->o.tolerance = 1e-11;
        if (!o.iterations) r->o.iterations = 50;
        r->o.weights = r->o.offset = NULL;
        r->curve = curve;
        r->n = ty_shape(c->y)[0];
        r->p = curve == CURVE_COLUMNS ? ty_shape(c->x)[1] : c->degree + 1;
        struct frame f = {.name = c->name, .n = r->n, .p = r->p};
        if (take_names(r, &o) && frame_read(&f, c, &o, r)) fit(r, &f);
        frame_free(&f);
        r->o.names = NULL;
        r->o.response = NULL;
    }
    ty_close(scope);
    return r;
}

ty_regression *ty_regress_sized(ty_tensor *x, ty_tensor *y, const ty_regression_options *given, size_t size) {
    FLOATING_DEFAULT;
    PROGRESS_NAMED("fit");
    struct call c = {"regress", x, y, 2, 0};
    return regress(&c, CURVE_COLUMNS, given, size, __func__);
}

ty_regression *ty_regress_polynomial_sized(ty_tensor *x, ty_tensor *y, int64_t degree,
                                           const ty_regression_options *given, size_t size) {
    FLOATING_DEFAULT;
    PROGRESS_NAMED("fit");
    struct call c = {"regress_polynomial", x, y, 1, degree};
    return regress(&c, CURVE_POLYNOMIAL, given, size, __func__);
}

ty_regression *ty_regress_exponential_sized(ty_tensor *x, ty_tensor *y, const ty_regression_options *given,
                                            size_t size) {
    FLOATING_DEFAULT;
    PROGRESS_NAMED("fit");
    struct call c = {"regress_exponential", x, y, 1, 1};
    return regress(&c, CURVE_EXPONENTIAL, given, size, __func__);
}

void ty_regression_free(ty_regression *r) {
    if (!r || r == &regression_no_memory || r == &null_regression) return;
    for (int i = 0; i < TY_REGRESSION_VALUES; i++) ty_release(r->values[i]);
    for (int64_t j = 0; j < r->p && r->names; j++) mem_free(r->names[j]);
    void *all[] = {r->names, r->response, r->kept, r->beta, r->covariance, r->factor, r->middle};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
    mem_free(r);
}
