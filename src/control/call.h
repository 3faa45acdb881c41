/* The operator `call` behind ty_call: a function of the user that runs on values.  struct call_attr
   (ops/core/attributes.h) has its rules, and dtypes and shapes of its results. */
#ifndef CONTROL_CALL_H
#define CONTROL_CALL_H
#include "ops/core/attributes.h"
#include "ops/core/result.h"

extern const struct op op_call;

/* Return dtype and shape of result `index`, from 0; the shape belongs to *a. */
ty_form call_form(const struct call_attr *a, int64_t index);
/* Run the user's function on n values x[], which it may keep, and write its results to data[a->m], each row-major.
   False after a fault. */
bool call_run(const struct call_attr *a, int n, ty_tensor *const *x, void *const *data, struct fault *fault);
#endif
