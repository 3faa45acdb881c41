/*
 * Where elements lie: sizes and strides in elements, the offset of the first.  Strides may be zero
 * (broadcast), negative (flipped) or overlap (windows).  Storage of the two arrays is the owner's.
 */
#ifndef ARRAY_LAYOUT_H
#define ARRAY_LAYOUT_H
#include <stdbool.h>
#include <stdint.h>
#include <tyto/core.h>

struct layout {
    int rank;
    int64_t offset;
    int64_t *shape, *strides;
};

/* A layout with room of its own, for locals. */
struct layout_room {
    struct layout layout;
    int64_t shape[TY_MAX_RANK], strides[TY_MAX_RANK];
};
struct layout *layout_room_init(struct layout_room *room, int rank);

/* Product of the sizes; shapes are validated at recording, so it fits. */
int64_t shape_size(int rank, const int64_t *shape);
/* The same for unchecked sizes: false when one is negative or elements * size bytes do not fit. */
bool shape_check(int rank, const int64_t *shape, size_t element_size, int64_t *size);
void shape_row_major(int rank, const int64_t *shape, int64_t *strides);
bool shape_equal(int rank_a, const int64_t *a, int rank_b, const int64_t *b);
/* Broadcast of two shapes (NumPy's rule) into out[]; *rank grows; false with *axis (from the end) of the
 * clash. */
bool shape_broadcast(int *rank, int64_t *out, int other_rank, const int64_t *other, int *axis);
bool layout_is_contiguous(const struct layout *l);
/* First and one-past-last element touched, relative to the buffer; 0,0 when empty. */
void layout_extent(const struct layout *l, int64_t *low, int64_t *high);
/* x seen with a broadcast shape: missing axes and sizes of 1 get stride 0.  Shapes must agree. */
void layout_broadcast(const struct layout *x, int rank, const int64_t *shape, struct layout *out);
/* Strides for a new shape over the same elements, row-major; false when no strides do it (copy then). */
bool layout_reshape(const struct layout *x, int rank, const int64_t *shape, struct layout *out);
/* Drops axes of size 1 and merges neighbours that all n layouts (of equal shape) step through evenly.
   Changes them in place; returns the common rank. */
int layout_collapse(int n, struct layout *const *layouts);

/* An odometer over a shape: index[] counts row-major, at[k] follows the strides of layout k. */
struct odometer {
    int rank;
    const int64_t *shape;
    int64_t index[TY_MAX_RANK];
};
/* Advances; adds to at[k] by strides[k]; false at the end (everything back at the start). */
bool odometer_next(struct odometer *o, int n, const int64_t *const *strides, int64_t *at);
#endif
