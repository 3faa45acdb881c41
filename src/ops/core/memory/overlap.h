/* Overlap of the memory of tensors, by addresses: two borrowed buffers may share bytes. */
#ifndef OPS_CORE_OVERLAP_H
#define OPS_CORE_OVERLAP_H
#include "array/remote.h"

/* Elements in memory: the address of the first one, their layout (its offset is not read), and their size. */
struct place {
    const char *data;
    const struct layout *layout;
    size_t size;
};
/* Return the place of x's elements in the host's memory. x must be a value; NULL: it has none there. */
static inline struct place place_of(const ty_tensor *x) {
    const char *data = buffer_address(x->buffer);
    if (data) data += dtype_bytes(x->dtype, x->layout.offset);
    return (struct place){data, &x->layout, dtype_table[x->dtype].size};
}
/* Set [*low, *high) to the range of addresses of the elements; equal if there are none. */
void place_extent(const struct place *p, uintptr_t *low, uintptr_t *high);
/* False if no byte belongs to elements of both: the ranges are apart, or strides keep the elements apart, as those of
   x[::2] and x[1::2]. True if they overlap, or may. */
bool places_meet(const struct place *a, const struct place *b);
/* True if both have the same elements in the same order: equal address, size, shape and strides. */
bool places_equal(const struct place *a, const struct place *b);
/* True if no two indices of the layout address one element; false if that is not known. */
bool layout_is_distinct(const struct layout *l);
#endif
