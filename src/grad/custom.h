/* Derivatives given by the user. */
#ifndef GRAD_CUSTOM_H
#define GRAD_CUSTOM_H
#include "array/tensor.h"

/* Check that `made`, number i of a rule's gradients or tangents (`what` is the word), has the dtype and shape of `like`,
   which messages call `of`; `who` is the public function.  False, with the fault set, if not. */
bool rule_fits(const char *who, const char *what, int i, const ty_tensor *made, const ty_tensor *like,
               const char *of, struct fault *fault);
#endif
