/* The table of metrics.def, and states that accumulate over batches. */
#include <string.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include "base/options.h"
#include "base/machine/floating.h"
#include "nn/metric/metric.h"
#include "ops/core/structure.h"

enum shape { PAIR, FOUR, CLASSES, BINS };

#define METRIC(name, shape, count, value, doc)                                                               \
    static ty_tensor *count_##name(ty_tensor *x, ty_tensor *t, const ty_metric_options *o) {                 \
        (void)o;                                                                                             \
        return count;                                                                                        \
    }                                                                                                        \
    static ty_tensor *value_##name(ty_tensor *c, const ty_metric_options *o) {                               \
        (void)o;                                                                                             \
        return value;                                                                                        \
    }
#include <tyto/tables/metrics.def>

static const struct metric_row {
    const char *name;
    enum shape shape;
    ty_tensor *(*count)(ty_tensor *x, ty_tensor *t, const ty_metric_options *o);
    ty_tensor *(*value)(ty_tensor *c, const ty_metric_options *o);
} rows[] = {
#define METRIC(name, shape, count, value, doc) {"metric_" #name, shape, count_##name, value_##name},
#include <tyto/tables/metrics.def>
};

ty_metric ty_metric_named(const char *name) {
    int i = 0;
    while (i < TY_METRICS && !(name && !strcmp(rows[i].name + strlen("metric_"), name))) i++;
    return (ty_metric)i;
}

/* Check average, beta and k of the options of metric `name`. Return poison, or NULL if they are valid. */
static ty_tensor *check_options(const char *name, const ty_metric_options *o) {
    if ((int)o->average < 0 || o->average >= TY_AVERAGES)
        return ty_poison_code(E_ARGUMENT,
                              "%s: unknown average %d; expected TY_AVERAGE_MACRO, MICRO, WEIGHTED or NONE",
                              name, (int)o->average);
    if (!(o->beta >= 0 && o->beta < INFINITY) || o->k < 0)
        return ty_poison_code(E_ARGUMENT, "%s: beta %g, k %lld; expected finite numbers of at least 0", name,
                              o->beta, (long long)o->k);
    return NULL;
}

static ty_tensor *poison_in(const char *name, int n, ty_tensor *const *x, const ty_metric_options *o) {
    ty_tensor *bad = first_poison_in(name, n, x);
    return bad ? bad : check_options(name, o);
}

static const struct metric_row *row_of(const char *name, ty_metric metric, ty_tensor **bad) {
    if ((int)metric >= 0 && metric < TY_METRICS) return &rows[metric];
    *bad = ty_poison_code(E_ARGUMENT, "%s: unknown metric %d; there are %d", name, (int)metric, TY_METRICS);
    return NULL;
}

/* Write the sizes of a metric's state to shape[2] and return its rank, 1 or 2. */
static int shape_of(const struct metric_row *row, const ty_metric_options *o, int64_t *shape) {
    shape[0] = row->shape == FOUR ? 4 : row->shape == CLASSES ? o->classes : 2;
    shape[1] = row->shape == CLASSES ? o->classes : o->bins ? o->bins : 1000;
    return row->shape == CLASSES || row->shape == BINS ? 2 : 1;
}

ty_tensor *ty_metric_state_sized(ty_metric metric, const ty_metric_options *given, size_t given_size) {
    OPTIONS(ty_metric_options, options, given, given_size);
    ty_tensor *bad = NULL;
    const struct metric_row *row = row_of("metric_state", metric, &bad);
    if (!row) return bad;
    int64_t shape[2];
    int rank = shape_of(row, &options, shape);
    if (row->shape == CLASSES && options.classes < 1)
        return ty_poison_code(E_ARGUMENT, "metric_state: %lld classes; set their number in the options",
                              (long long)options.classes);
    return ty_zeros(TY_F64, rank, shape);
}

/* Return the metric of predictions x and targets t, computed from the state that counts just this batch.
   Poison on failure. */
static ty_tensor *metric_of(const struct metric_row *row, ty_tensor *x, ty_tensor *t,
                            const ty_metric_options *given, size_t size) {
    FLOATING_DEFAULT;
    ty_metric_options options, *o = &options;
    struct fault fault;
    fault_clear(&fault);
    if (!options_read(o, sizeof *o, given, size, row->name, &fault)) return tensor_fault(&fault);
    ty_tensor *both[] = {x, t}, *bad = poison_in(row->name, 2, both, o);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    ty_tensor *count = row->count(x, t, o);
    return leave_as(row->name, scope, x, ty_ok(count) ? row->value(count, o) : count);
}

#define METRIC(name, shape, count, value, doc)                                                               \
    ty_tensor *ty_metric_##name##_sized(ty_tensor *prediction, ty_tensor *target,                            \
                                        const ty_metric_options *given, size_t size) {                       \
        return metric_of(&rows[TY_METRIC_##name], prediction, target, given, size);                          \
    }
#include <tyto/tables/metrics.def>

static bool fits(ty_tensor *state, ty_tensor *count) {
    int rank = ty_rank(count);
    return ty_dtype_of(state) == TY_F64 && ty_rank(state) == rank &&
           !memcmp(ty_shape(state), ty_shape(count), sizeof(int64_t) * (size_t)rank);
}

ty_tensor *ty_metric_add_sized(ty_metric metric, ty_tensor *state, ty_tensor *prediction, ty_tensor *target,
                               const ty_metric_options *given, size_t given_size) {
    OPTIONS(ty_metric_options, options, given, given_size);
    FLOATING_DEFAULT;
    ty_tensor *all[] = {state, prediction, target}, *bad = poison_in("metric_add", 3, all, &options);
    const struct metric_row *row = row_of("metric_add", metric, &bad);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    ty_tensor *count = row->count(prediction, target, &options);
    if (ty_ok(count) && !fits(state, count))
        count = refuse("metric_add", 2, (ty_tensor *[]){state, count}, E_ARGUMENT,
                       "the state (first) must be from ty_metric_state and match a batch's state (second)");
    if (ty_ok(count)) count = row->shape == FOUR ? metric_joined(state, count) : ty_add(state, count);
    return leave_as(row->name, scope, prediction, count);
}

ty_tensor *ty_metric_value_sized(ty_metric metric, ty_tensor *state, const ty_metric_options *given,
                                 size_t given_size) {
    OPTIONS(ty_metric_options, options, given, given_size);
    FLOATING_DEFAULT;
    ty_tensor *bad = poison_in("metric_value", 1, &state, &options);
    const struct metric_row *row = row_of("metric_value", metric, &bad);
    if (bad) return bad;
    bool plane = row->shape == CLASSES || row->shape == BINS;
    int64_t least = row->shape == FOUR ? 4 : 2;
    bool well = ty_dtype_of(state) == TY_F64 && ty_rank(state) == (plane ? 2 : 1);
    if (well && row->shape == CLASSES) well = ty_shape(state)[0] == ty_shape(state)[1];
    if (well && row->shape != CLASSES) well = ty_shape(state)[0] == least;
    if (!well) return refuse("metric_value", 1, &state, E_ARGUMENT, "it is not a state of %s", row->name);
    ty_scope *scope = ty_open();
    return leave_as("metric_value", scope, state, row->value(state, &options));
}
