/* Destinations: memory of tensors that results are written into (ty_into). */
#ifndef OPS_CORE_DESTINATION_H
#define OPS_CORE_DESTINATION_H
#include "ops/core/op.h"

/* Check that n results of the given forms may be written into destinations[], of which some may be NULL: values in
   memory that may change or that nobody else holds, without repeated elements, and apart from each other. `name` is
   the public function. False, with the fault set, if not. */
bool destinations_check(const char *name, int n, ty_tensor *const *destinations, ty_tensor *const *forms,
                        struct fault *fault);
/* Copy `value` into the destination, of its form; nothing if it is there already. Both may overlap. False, with the
   fault set, on failure. */
bool destination_copy(ty_tensor *destination, ty_tensor *value, struct fault *fault);
#endif
