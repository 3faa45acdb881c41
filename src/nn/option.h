/* Options of layers as fields, and numbers whose 0 stands for a default. */
#ifndef NN_OPTION_H
#define NN_OPTION_H
#include <math.h>
#include <tyto/model.h>
#include "ops/core/field.h"

/* Return the description of a layer's option, a list of f.most values: numbers and flags by their types, others as
   FIELD_OTHER. */
struct field option_field(const ty_option *o);

/* Numbers of ty_schedule; steps and width are checked only if the schedule needs them. */
extern const struct attributes schedule_numbers;

/* Return an option's number: `other`, the default, if it is 0; 0 if it is -0 (TY_ZERO). */
static inline double option_or(double given, double other) {
    return given != 0 || signbit(given) ? given + 0.0 : other;
}
#endif
