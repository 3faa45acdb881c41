/* Common path of all losses: checks, casts, weights and reduction. */
#include <math.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "base/machine/floating.h"
#include "base/options.h"
#include "nn/loss/loss.h"
#include "ops/core/field_value.h"

/* ---- checks ---- */

static bool same_shape(const ty_tensor *a, const ty_tensor *b) {
    int rank = ty_rank(a);
    return rank == ty_rank(b) && (!rank || !memcmp(ty_shape(a), ty_shape(b), sizeof(int64_t) * (size_t)rank));
}

ty_tensor *loss_check_same(const struct loss_kind *k, int n, ty_tensor *const *x, const ty_loss_options *o) {
    (void)o;
    for (int i = 1; i < n; i++)
        if (!same_shape(x[0], x[i]) && !(i == 1 && ty_rank(x[i]) == 0))
            return refuse(
                k->name, n, x, E_SHAPE,
                "operands must have the same shape (or a 0-d target); use ty_reshape or ty_broadcast");
    return NULL;
}

int loss_axis(const ty_loss_options *o, int rank) {
    int axis = axis_normal(o->axis ? o->axis : -1, rank);
    return axis >= 0 && axis < rank ? axis : -1;
}

bool loss_is_without(const ty_tensor *y, const ty_tensor *x, int axis) {
    bool equal = ty_rank(y) == ty_rank(x) - 1;
    for (int i = 0; equal && i < ty_rank(y); i++) equal = ty_shape(y)[i] == ty_shape(x)[i + (i >= axis)];
    return equal;
}

ty_tensor *loss_check_labels(const struct loss_kind *k, int n, ty_tensor *const *x,
                             const ty_loss_options *o) {
    int axis = loss_axis(o, ty_rank(x[0]));
    if (axis < 0)
        return refuse(k->name, n, x, E_INDEX, "axis %d of classes is out of bounds", o->axis ? o->axis : -1);
    if (ty_shape(x[0])[axis] == 0) return refuse(k->name, n, x, E_SHAPE, "there are no classes");
    if (!dtype_is(ty_dtype_of(x[1]), CLASS_INTEGER))
        return refuse(k->name, n, x, E_DTYPE, "labels must be of an integer dtype, not %s; use ty_cast",
                      ty_dtype_name(ty_dtype_of(x[1])));
    if (!loss_is_without(x[1], x[0], axis))
        return refuse(k->name, n, x, E_SHAPE,
                      "labels must have the shape of the %s without its axis %d of classes",
                      n > 1 ? "first operand" : "operand", axis);
    ty_tensor *weight = o->weight;
    if (weight && (ty_rank(weight) != 1 || ty_shape(weight)[0] != ty_shape(x[0])[axis]))
        return refuse(k->name, 1, &weight, E_ARGUMENT, "expected one weight for each of the %lld classes",
                      (long long)ty_shape(x[0])[axis]);
    return NULL;
}

/* Ranges of the options. */
ATTRIBUTES_OF(, loss_numbers, sizeof(ty_loss_options),
              FIELD(ty_loss_options, smoothing, REAL, .end = 1, .upto = true),
              FIELD(ty_loss_options, margin, REAL, .end = INFINITY, .upto = true),
              FIELD(ty_loss_options, delta, REAL, .end = INFINITY, .upto = true),
              FIELD(ty_loss_options, power, REAL, .end = INFINITY, .upto = true),
              FIELD(ty_loss_options, alpha, REAL, .end = INFINITY, .upto = true),
              FIELD(ty_loss_options, epsilon, REAL, .end = INFINITY, .upto = true));

/* Return NULL if all options are in range, else poison. NaN is out of range. */
static ty_tensor *check_options(const struct loss_kind *k, const ty_loss_options *o) {
    struct fault fault;
    fault_clear(&fault);
    if ((int)o->reduction < 0 || o->reduction >= TY_REDUCTIONS)
        return ty_poison_code(E_ARGUMENT,
                              "%s: unknown reduction %d; expected TY_LOSS_MEAN, SUM, NONE or BATCH_MEAN",
                              k->name, (int)o->reduction);
    for (int i = 0; i < loss_numbers.n; i++)
        if (!field_check(&loss_numbers.fields[i], o, k->name, &fault)) return tensor_fault(&fault);
    return NULL;
}

/* Check the n operands: the first floating, others that are floating operands of the loss not complex.
   Return poison, or NULL if so. */
static ty_tensor *check_dtypes(const struct loss_kind *k, int n, ty_tensor *const *x) {
    if (!dtype_is(ty_dtype_of(x[0]), CLASS_FLOAT))
        return refuse(k->name, n, x, E_DTYPE, "the first operand must be floating, not %s; use ty_cast",
                      ty_dtype_name(ty_dtype_of(x[0])));
    for (int i = 1; i < k->floating; i++)
        if (dtype_is(ty_dtype_of(x[i]), CLASS_COMPLEX))
            return refuse(k->name, n, x, E_DTYPE, "complex dtypes are not supported; use ty_real or ty_abs");
    return NULL;
}

/* ---- computation ---- */

static ty_tensor *cast_operand(const struct loss_kind *k, ty_tensor *x, int i, ty_dtype dtype) {
    bool two = i && i == k->sign && ty_dtype_of(x) == TY_BOOL;
    x = ty_cast(x, dtype);
    return two ? ty_sub(ty_add(x, x), ty_num(1)) : x;
}

static ty_tensor *divided(ty_tensor *sum, ty_tensor *by) {
    return ty_div(sum, ty_cast(by, ty_dtype_of(sum)));
}

/* Return the losses s reduced as `how` says: s.each itself, their sum, or a mean over s.over or over the
   batch. */
static ty_tensor *reduced(struct loss_sum s, ty_reduction how) {
    if (how == TY_LOSS_NONE || !ty_ok(s.each)) return s.each;
    if (how == TY_LOSS_MEAN && !s.over) return ty_mean(s.averaged ? s.averaged : s.each, TY_ALL);
    ty_tensor *sum = ty_sum(s.each, TY_ALL);
    if (how == TY_LOSS_SUM) return sum;
    if (how == TY_LOSS_MEAN) return divided(sum, ty_sum(s.over, TY_ALL));
    return divided(sum, ty_int(ty_rank(s.each) ? ty_shape(s.each)[0] : 1));
}

/* Return the losses `each` times `weight`; poison unless the weights broadcast to the losses' shape. */
static ty_tensor *weighed(const struct loss_kind *k, ty_tensor *each, ty_tensor *weight) {
    ty_tensor *y = ty_mul(each, weight);
    if (!ty_ok(y) || same_shape(y, each)) return y;
    return refuse(k->name, 2, (ty_tensor *[]){each, weight}, E_SHAPE,
                  "weights (second) must broadcast to the losses");
}

/* Return a bool mask of the elements of x outside a range other than LOSS_ANY; NaN is not outside. Some
   ranges allow for rounding at their ends. */
static ty_tensor *outside(ty_tensor *x, enum loss_range range) {
    static const double ends[LOSS_RANGES][2] = {
        [LOSS_SHARE] = {-0x1p-10, 1 + 0x1p-10}, [LOSS_SIGN] = {1 - 0x1p-10, 1 + 0x1p-10},
        [LOSS_COUNT] = {-0x1p-10, INFINITY},    [LOSS_PROBABILITY] = {0, 1},
        [LOSS_NOT_NEGATIVE] = {0, INFINITY},    [LOSS_LOGARITHM] = {-INFINITY, 0x1p-10}};
    if (range == LOSS_SIGN) x = ty_abs(x);
    bool low = ends[range][0] > -INFINITY, high = ends[range][1] < INFINITY;
    ty_tensor *below = low ? ty_lt(x, ty_num(ends[range][0])) : NULL;
    ty_tensor *above = high ? ty_gt(x, ty_num(ends[range][1])) : NULL;
    return !low ? above : high ? ty_logical_or(below, above) : below;
}

/* Return `loss` with a fault attached, raised when it is computed, if an operand of x[] has values outside
   its domain. Elements of weight 0 are exempt. Weights may be negative: policy gradients weigh
   log-probabilities by advantages. */
static ty_tensor *checked(const struct loss_kind *k, ty_tensor *loss, ty_tensor *const *x,
                          const ty_loss_options *o) {
    for (int i = 0; i < LOSS_OPERANDS; i++) {
        const struct loss_domain *d = &k->domains[i];
        if (!d->range || (d->asked && !d->asked(x, o))) continue;
        ty_tensor *wrong = outside(ty_detach(x[d->operand]), d->range);
        if (d->counted) wrong = ty_logical_and(wrong, d->counted(x, o));
        if (o->weight && !k->of_classes)
            wrong = ty_logical_and(wrong, ty_ne(ty_detach(o->weight), ty_num(0)));
        loss = ty_add(loss, ty_cast(none_of(wrong, d->words), ty_dtype_of(loss)));
    }
    return loss;
}

static ty_tensor *made(const struct loss_kind *k, ty_tensor *const *x, const ty_loss_options *o) {
    struct loss_sum s = k->make(x, o);
    if (o->weight && !k->of_classes) s.each = weighed(k, s.each, o->weight);
    return checked(k, reduced(s, o->reduction), x, o);
}

/* Check the n operands `given` and the options, record the loss as a composite and return it; poison on
   failure. Labels and weights are operands of it, too, so that it computes eagerly only if all are
   values. */
static ty_tensor *record_loss(const struct loss_kind *k, int n, ty_tensor *const *given, ty_loss_options o) {
    ty_tensor *x[LOSS_OPERANDS + 2] = {NULL}, *bad = check_options(k, &o);
    ty_tensor **more[2] = {&o.weight, &o.positive};
    if (!bad) bad = check_dtypes(k, n, given);
    if (!bad) bad = k->check(k, n, given, &o);
    if (bad) return bad;
    ty_dtype dtype = ty_dtype_of(given[0]);
    int all = n, place[2] = {0};
    ty_scope *scope = ty_open();
    for (int i = 0; i < n; i++) x[i] = i < k->floating ? cast_operand(k, given[i], i, dtype) : given[i];
    for (int i = 0; i < 2; i++)
        if (*more[i]) x[place[i] = all++] = ty_cast(*more[i], dtype);
    struct composite c = composite_open(k->name, all, x);
    for (int i = 0; i < 2; i++)
        if (*more[i]) *more[i] = x[place[i]];
    bad = first_poison(all, x); /* out of memory in a cast */
    return leave(scope, composite_close(c, bad ? bad : made(k, x, &o)));
}

static ty_tensor *poison_in(const char *name, int n, ty_tensor *const *x, const ty_loss_options *o) {
    ty_tensor *bad = first_poison_in(name, n, x);
    if (!bad && o->weight) bad = first_poison_in(name, 1, &o->weight);
    return !bad && o->positive ? first_poison_in(name, 1, &o->positive) : bad;
}

static ty_tensor *loss(const struct loss_kind *k, int n, ty_tensor *const *x, const ty_loss_options *given,
                       size_t size) {
    ty_loss_options o;
    struct fault fault;
    fault_clear(&fault);
    if (!options_read(&o, sizeof o, given, size, k->name, &fault)) return tensor_fault(&fault);
    FLOATING_DEFAULT;
    ty_tensor *bad = poison_in(k->name, n, x, &o);
    return bad ? bad : record_loss(k, n, x, o);
}

#define LOSS2(name, x, y, doc)                                                                               \
    ty_tensor *ty_loss_##name##_sized(ty_tensor *x, ty_tensor *y, const ty_loss_options *options,            \
                                      size_t size) {                                                         \
        return loss(&loss_##name, 2, (ty_tensor *[]){x, y}, options, size);                                  \
    }
#define LOSS3(name, x, y, z, doc)                                                                            \
    ty_tensor *ty_loss_##name##_sized(ty_tensor *x, ty_tensor *y, ty_tensor *z,                              \
                                      const ty_loss_options *options, size_t size) {                         \
        return loss(&loss_##name, 3, (ty_tensor *[]){x, y, z}, options, size);                               \
    }
#define LOSS4(name, x, y, z, w, doc)                                                                         \
    ty_tensor *ty_loss_##name##_sized(ty_tensor *x, ty_tensor *y, ty_tensor *z, ty_tensor *w,                \
                                      const ty_loss_options *options, size_t size) {                         \
        return loss(&loss_##name, 4, (ty_tensor *[]){x, y, z, w}, options, size);                            \
    }
#include <tyto/tables/losses.def>

ty_loss ty_loss_named(const char *name) {
    static const struct {
        const char *name;
        ty_loss loss;
    } rows[] = {
#define LOSS2(name, ...) {#name, ty_loss_##name##_sized},
#define LOSS3(...)
#define LOSS4(...)
#include <tyto/tables/losses.def>
    };
    for (size_t i = 0; name && i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(name, rows[i].name)) return rows[i].loss;
    return NULL;
}

/* ---- penalties ---- */

ty_tensor *ty_penalty(int n, ty_tensor *const *x, double l1, double l2) {
    ty_tensor *bad = first_poison(n, x);
    if (bad) return bad;
    ty_tensor *total = NULL;
    ty_scope *scope = ty_open();
    for (int i = 0; i < n; i++) {
        ty_tensor *one = ty_scalar(ty_dtype_of(x[i]), 0);
        if (l1 != 0) one = ty_add(one, ty_mul(ty_sum(ty_abs(x[i]), TY_ALL), ty_num(l1)));
        if (l2 != 0) one = ty_add(one, ty_mul(ty_sum(ty_square(ty_abs(x[i])), TY_ALL), ty_num(l2)));
        total = total ? ty_add(total, ty_cast(one, ty_dtype_of(total))) : one;
    }
    return leave(scope, total ? total : ty_scalar(TY_F32, 0));
}
