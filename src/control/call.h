/* The operator `call` behind ty_call: a function of the user that runs on values.  struct call_attr
   (ops/core/attributes.h) has its rules, and dtypes and shapes of its results. */
#ifndef CONTROL_CALL_H
#define CONTROL_CALL_H
#include "ops/core/attributes.h"
#include "ops/core/result.h"

extern const struct op op_call;

/* Return dtype and shape of result `index`, from 0; the shape belongs to *a. */
ty_form call_form(const struct call_attr *a, int64_t index);
/* Return the name of the public function that records calls like a, such as "call". */
const char *call_name(const struct call_attr *a);
/* Run the user's function on n values x[], which it may keep, and write its results to data[a->m], each row-major.
   False after a fault. */
bool call_run(const struct call_attr *a, int n, ty_tensor *const *x, void *const *data, struct fault *fault);

/* Call the user's release function behind a fence: scopes that it leaves open are closed. */
void call_release(void (*release)(void *context), void *context);
/* Return attributes of a call of n operands with m results of valid forms; slices->f NULL: a plain one, without masks[],
   one for each operand with slices, nmasks of them.  The caller frees them.  NULL if memory runs out. */
struct call_attr *call_new(const ty_callee *callee, const struct call_slices *slices, int nmasks,
                           const uint64_t *masks, int n, int m, const ty_form *forms);
/* Return the bytes of attributes. */
size_t call_bytes(const struct call_attr *a);
/* Return masks[] of call_new, of a function of slices. */
const int64_t *call_masks(const struct call_attr *a);
/* Return poison if the forms[m] of results of function `name` are invalid, else NULL. */
ty_tensor *call_refuse_forms(const char *name, int n, ty_tensor *const *x, int m, const ty_form *forms);
/* Record a call of x[a->n] with attributes a, which are freed, and set y[a->m] to its results.  The last tensor that uses
   the context releases it.  False if a result is poison; then all are. */
bool call_record(struct call_attr *a, ty_tensor *const *x, ty_tensor **y);
#endif
