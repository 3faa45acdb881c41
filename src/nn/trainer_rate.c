/*
 * Search of a learning rate (L. Smith, "Cyclical learning rates for training neural networks", 2017): the loss while the
 * rate rises from step to step, and the rate at which it falls most steeply.
 */
#include <math.h>
#include <tyto/create.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "base/math/scalar.h"
#include "base/options.h"
#include "nn/trainer.h"

enum {
    STEPS = 100,
    COLUMNS = 3, /* rate, loss, smoothed loss */
    MOST_STEPS = 1 << 20
};
static const double LOW = 1e-7, HIGH = 10; /* as in fastai's lr_find */
static const double KEPT = 0.9; /* share of the mean that a step keeps: it looks back 10 of 100 steps */
static const double LOST = 4;   /* the search ends at this multiple of the least loss (fastai) */

/* Set the curve to rates, losses and smoothed losses of `steps` steps; return their number, fewer if the loss rises
   too far.  A failure sets t->fault. */
static int64_t measure(ty_trainer *t, const ty_rate_options *o, double *curve) {
    double factor = math_exp(math_log(o->high / o->low) / (double)(o->steps - 1)), rate = o->low, mean = 0,
           share = 1, least = INFINITY;
    for (int64_t i = 0; i < o->steps; i++, rate *= factor) {
        double *row = curve + COLUMNS * i;
        t->rate = rate;
        row[0] = rate;
        row[1] = ty_trainer_step(t);
        if (t->fault.set || !isfinite(row[1])) return i;
        mean = KEPT * mean + (1 - KEPT) * row[1];
        share *= KEPT;
        row[2] = mean / (1 - share);
        if (row[2] < least) least = row[2];
        if (row[2] > LOST * fabs(least) && least > 0) return i;
    }
    return o->steps;
}

/* Return the rate of the steepest fall of the smoothed loss before its least value; NaN if it never falls.  Rates of
   successive rows have one ratio.  Falls are those over a tenth of the rows, behind the first tenth: batches differ more
   from each other than steps of one rate. */
static double steepest(const double *curve, int64_t n, int64_t steps) {
    int64_t least = 0, best = -1, half = steps / 20 > 0 ? steps / 20 : 1;
    double fall = 0;
    for (int64_t i = 1; i < n; i++)
        if (curve[COLUMNS * i + 2] < curve[COLUMNS * least + 2]) least = i;
    for (int64_t i = steps / 10 + half; i + half <= least; i++) {
        double change = curve[COLUMNS * (i - half) + 2] - curve[COLUMNS * (i + half) + 2];
        if (change > fall) fall = change, best = i;
    }
    return best < 0 ? NAN : curve[COLUMNS * best];
}

/* Do the steps and go back to the state of before; return the suggested rate, NaN with the fault set. */
static double search(ty_trainer *t, const ty_rate_options *o, ty_tensor **curve, struct fault *fault) {
    int n = t->nupdates;
    size_t rows = (size_t)o->steps;
    double *numbers = mem_array(COLUMNS * rows, sizeof *numbers), rate = t->rate, loss = t->loss, found = NAN;
    ty_tensor **own = mem_array(2 * (size_t)n + 1, sizeof *own), **copies = own ? own + n : NULL;
    int64_t step = t->step, done = 0;
    if (!numbers || !own) fault_memory(fault, COLUMNS * rows * sizeof *numbers);
    for (int i = 0; own && i < n; i++) own[i] = t->updates[i].variable;
    bool copied = !fault->set && trainer_copies_make(n, own, "search:", copies, fault);
    if (copied && trainer_copy(n, copies, own, fault)) {
        done = measure(t, o, numbers);
        if (t->fault.set) fault_copy(fault, &t->fault);
        struct fault again = {0}; /* the state of before also returns after a failure */
        if (!trainer_copy(n, own, copies, &again) && !fault->set) fault_copy(fault, &again);
    }
    if (copied) trainer_copies_drop(n, copies);
    t->step = step;
    t->rate = rate;
    t->loss = loss;
    int64_t shape[] = {done, COLUMNS};
    if (!fault->set) found = steepest(numbers, done, o->steps);
    if (!fault->set && curve) *curve = ty_from(TY_F64, 2, shape, numbers);
    if (!fault->set && isnan(found))
        fault_set(fault, E_DOMAIN, "trainer_find_rate: the loss falls at no rate from %g to %g", o->low,
                  o->high);
    mem_free(numbers);
    mem_free(own);
    return found;
}

/* Fill in defaults and check the options; false sets the fault. */
static bool settle(ty_rate_options *o, struct fault *fault) {
    if (o->low == 0) o->low = LOW;
    if (o->high == 0) o->high = HIGH;
    if (!o->steps) o->steps = STEPS;
    if (!(o->low > 0 && o->low < o->high && o->high <= DBL_MAX))
        return fault_set(fault, E_ARGUMENT, "trainer_find_rate: rates from %g to %g; expected 0 < low < high",
                         o->low, o->high);
    return (o->steps >= 3 && o->steps <= MOST_STEPS) ||
           fault_set(fault, E_ARGUMENT, "trainer_find_rate: %lld steps; expected 3 to %d",
                     (long long)o->steps, MOST_STEPS);
}

double ty_trainer_find_rate_sized(ty_trainer *t, const ty_rate_options *given, size_t size, ty_tensor **curve,
                                  ty_tensor **error) {
    struct fault fault = {0};
    ty_rate_options o;
    double found = NAN;
    FLOATING_DEFAULT;
    t = trainer_of(t);
    if (curve) *curve = NULL;
    if (OPTIONS_READ(o, given, size, &fault) && settle(&o, &fault) && !t->fault.set) {
        bool scheduled = t->scheduled, means = t->at_means;
        if (!trainer_means_use(t, false, &fault)) return model_tell(&fault, error), NAN;
        if (scheduled) ty_program_free(t->program), t->program = NULL; /* the step contains the schedule */
        t->scheduled = false;
        found = search(t, &o, curve, &fault);
        if (means && !t->fault.set) trainer_means_use(t, true, &fault);
        t->scheduled = scheduled;
        if (scheduled) ty_program_free(t->program), t->program = NULL;
    }
    if (t->fault.set) fault_copy(&fault, &t->fault);
    if (curve && !*curve) *curve = tensor_failure(&fault);
    model_tell(&fault, error);
    return fault.set ? NAN : found;
}
