/* Template: all sorting code for one unsigned type: T, NAME(verb); for types with vectors also V, U, MASK,
   NUMBERS, BELOW, NOT_ABOVE. Included by sort.kernel.c. */
#include "engine/cpu/sort/sort_items.kernel.c"
#include "engine/cpu/sort/sort_narrow.kernel.c"
#ifdef V
#include "engine/cpu/sort/sort_vector.kernel.c"
#else
#include "engine/cpu/sort/sort_merge.kernel.c"
#endif
#include "engine/cpu/sort/sort_choice.kernel.c"
#include "engine/cpu/sort/sort_keys.kernel.c"
#undef T
#undef NAME
#undef V
#undef U
#undef MASK
#undef NUMBERS
#undef BELOW
#undef NOT_ABOVE
