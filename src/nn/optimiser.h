/* Options of optimisers with defaults filled in, and their description. */
#ifndef NN_OPTIMISER_H
#define NN_OPTIMISER_H
#include "base/text.h"
#include <tyto/nn.h>

/* Return the dtype in which a step on such a parameter computes, also of its states: f32 for half precision,
   where epsilon is 0 and squares underflow. */
ty_dtype optimiser_dtype(ty_dtype parameter);
/* Return the options with the rule's defaults for numbers that are not given. */
ty_optimiser optimiser_full(const ty_optimiser *o);
/* True if all numbers are in their domains; else sets the fault. */
bool optimiser_check(const ty_optimiser *full, struct fault *fault);
/* Append rule, numbers except the learning rate, and flags as text; equal texts mean equal steps. */
void optimiser_describe(const ty_optimiser *o, struct text *out);
#endif
