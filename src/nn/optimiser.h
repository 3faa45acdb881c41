/* Options of optimisers with defaults filled in, and their description. */
#ifndef NN_OPTIMISER_H
#define NN_OPTIMISER_H
#include "base/text.h"
#include <tyto/nn.h>

/* Return the dtype in which a step on a parameter of this dtype computes and keeps its states: f32 for half
   precision, where epsilon is 0 and squares underflow. */
ty_dtype optimiser_dtype(ty_dtype parameter);
/* Return the options with the rule's defaults for numbers that are not given. */
ty_optimiser optimiser_full(const ty_optimiser *o);
/* Return true if all numbers of *full, options without gaps, are in their domains and the rule's number of
   states is valid; else set the fault. */
bool optimiser_check(const ty_optimiser *full, struct fault *fault);
/* Append rule, numbers and flags of o as text, without the learning rate; equal texts mean equal steps. */
void optimiser_describe(const ty_optimiser *o, struct text *out);
#endif
