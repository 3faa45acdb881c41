/* Functions of slices: calls (control/call.h) whose function sees one slice of each operand at a time.  Operands are
   read in their own layout.  A slice is copied only if its elements have gaps. */
#ifndef CONTROL_SLICES_H
#define CONTROL_SLICES_H
#include "ops/core/attributes.h"
#include "ops/core/kernel/kernel.h"

/* How the function's result is used.  FOLD and SCAN have the first state as one operand more. */
enum slices_kind { SLICES_MAP, SLICES_FILTER, SLICES_FOLD, SLICES_SCAN, SLICES_EACH };

/* Return the name of the public function that records such calls, such as "map_slices". */
const char *slices_name(const struct call_attr *a);
/* Return the number of operands that have slices. */
int64_t slices_operands(const struct call_attr *a);
/* Set shape[*rank] to the common shape of the axes that count slices: of operands of these ranks and shapes without the
   axes in masks[n].  False if they clash: *clash is the first operand that does not fit those before. */
bool slices_count_shape(int n, const struct layout *const *x, const int64_t *masks, int *rank, int64_t *shape,
                        int *clash);
/* Run kernel k, a call of a function of slices, which writes its result to y, row-major; slots[] are the addresses of
   the launch.  y NULL: of kind EACH, the result is not wanted.  False after a fault.  If the call was cut short (stop_cut),
   the result is garbage. */
bool slices_run(const struct kernel *k, void *const *slots, void *y, struct fault *fault);
#endif
