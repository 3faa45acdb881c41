/* Memory layout of a tensor: sizes and strides in elements, and the offset of the first element.  Strides may
   be zero (broadcast), negative (flipped) or make elements overlap (windows).  The owner of the struct
   provides both arrays. */
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

/* A layout with its own arrays, for local variables. */
struct layout_room {
    struct layout layout;
    int64_t shape[TY_MAX_RANK], strides[TY_MAX_RANK];
};
/* Point room->layout at the room's own arrays and return it, with `rank` and offset 0; sizes and strides are
   not set. */
struct layout *layout_room_init(struct layout_room *room, int rank);

/* Return the product of the sizes, which is 1 for rank 0. Does not check overflow: shapes are validated at
   recording. */
int64_t shape_size(int rank, const int64_t *shape);
/* Compute the product of unchecked sizes into *size. False if the rank is outside of 0 .. TY_MAX_RANK, a size
   is negative, or product * element_size (in bytes) is too large for memory. An empty shape must fit without
   its zeros, too. */
bool shape_check(int rank, const int64_t *shape, size_t element_size, int64_t *size);
/* Set strides[rank], in elements, of a dense row-major tensor of this shape. Sizes of 0 count as 1. */
void shape_row_major(int rank, const int64_t *shape, int64_t *strides);
/* True if both shapes have the same rank and sizes. */
bool shape_equal(int rank_a, const int64_t *a, int rank_b, const int64_t *b);
/* Broadcast the shape out[*rank] with other[other_rank] by NumPy's rule, in place; *rank may grow, and out[]
   needs space for it. False if sizes clash: *axis is that axis, counted from the end (1 = last). */
bool shape_broadcast(int *rank, int64_t *out, int other_rank, const int64_t *other, int *axis);
/* True if the elements are dense in row-major order, whatever the offset; always true for an empty tensor. */
bool layout_is_contiguous(const struct layout *l);
/* Compute the range [*low, *high) of elements that the layout touches, relative to the buffer; 0, 0 if it is
   empty. */
void layout_extent(const struct layout *l, int64_t *low, int64_t *high);
/* Set *out to the layout of x broadcast to `shape`: missing axes and expanded axes of size 1 get stride 0.
   The shapes must be compatible. */
void layout_broadcast(const struct layout *x, int rank, const int64_t *shape, struct layout *out);
/* Set *out to x with another shape with as many elements, in row-major order. False if no strides can express
   it; *out is then undefined and the caller has to copy. */
bool layout_reshape(const struct layout *x, int rank, const int64_t *shape, struct layout *out);
/* Simplify n layouts of equal shape in place: drop axes of size 1 and merge neighbouring axes that all
   layouts step through evenly. Return the new common rank. */
int layout_collapse(int n, struct layout *const *layouts);

/* Counter over a shape: index[] counts in row-major order, at[k] follows the strides of layout k. */
struct odometer {
    int rank;
    const int64_t *shape;
    int64_t index[TY_MAX_RANK];
};
/* Advance to the next index in row-major order, and each of the n offsets at[k] by strides[k] (in the unit of
   the strides). False at the end; index[] and at[] are then back at the start. */
bool odometer_next(struct odometer *o, int n, const int64_t *const *strides, int64_t *at);
#endif
