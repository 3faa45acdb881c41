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
/* Point room->layout at the room's arrays, with `rank` and offset 0; sizes and strides are not set. */
struct layout *layout_room_init(struct layout_room *room, int rank);

/* Return the product of the sizes.  Does not check overflow: shapes are validated at recording. */
int64_t shape_size(int rank, const int64_t *shape);
/* Compute the product of unchecked sizes into *size.  False if the rank or a size is invalid, or size *
   element_size overflows. */
bool shape_check(int rank, const int64_t *shape, size_t element_size, int64_t *size);
/* Set the strides of a dense row-major tensor of this shape. */
void shape_row_major(int rank, const int64_t *shape, int64_t *strides);
/* True if both shapes have the same rank and sizes. */
bool shape_equal(int rank_a, const int64_t *a, int rank_b, const int64_t *b);
/* Broadcast out[] with another shape by NumPy's rule, in place; *rank may grow.  False on a clash: *axis is
   the axis, counted from the end (1 = last). */
bool shape_broadcast(int *rank, int64_t *out, int other_rank, const int64_t *other, int *axis);
/* True if the elements are dense in row-major order; always true for an empty tensor. */
bool layout_is_contiguous(const struct layout *l);
/* Compute the range [low, high) of elements that the layout touches, relative to the buffer; 0, 0 if it is
   empty. */
void layout_extent(const struct layout *l, int64_t *low, int64_t *high);
/* Broadcast x to a larger shape: missing axes and expanded axes of size 1 get stride 0.  The shapes must be
   compatible. */
void layout_broadcast(const struct layout *x, int rank, const int64_t *shape, struct layout *out);
/* Compute strides of x for another shape with the same elements in row-major order.  False if no strides can
   express it; the caller then has to copy. */
bool layout_reshape(const struct layout *x, int rank, const int64_t *shape, struct layout *out);
/* Simplify n layouts of equal shape in place: drops axes of size 1 and merges neighbouring axes that all
   layouts step through evenly.  Returns the new common rank. */
int layout_collapse(int n, struct layout *const *layouts);

/* Counter over a shape: index[] counts in row-major order, at[k] follows the strides of layout k. */
struct odometer {
    int rank;
    const int64_t *shape;
    int64_t index[TY_MAX_RANK];
};
/* Advance to the next index and update at[k] by strides[k].  False at the end; index[] and at[] are then back
   at the start. */
bool odometer_next(struct odometer *o, int n, const int64_t *const *strides, int64_t *at);
#endif
