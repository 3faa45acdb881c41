/* An optimiser's options with nothing left open. */
#ifndef NN_OPTIMISER_H
#define NN_OPTIMISER_H
#include "base/text.h"
#include <tyto/nn.h>

/* The dtype that a step on such a parameter computes in, and that of its states: of half floats f32, as their own
   epsilon is 0 and their squares vanish. */
ty_dtype optimiser_dtype(ty_dtype parameter);
/* The same with the rule's own numbers where none is given. */
ty_optimiser optimiser_full(const ty_optimiser *o);
/* Whether such numbers are in their domains; false with a sentence. */
bool optimiser_check(const ty_optimiser *full, struct fault *fault);
/* Rule, numbers (but for the rate, which changes) and flags as a text that is equal where steps are. */
void optimiser_describe(const ty_optimiser *o, struct text *out);
#endif
