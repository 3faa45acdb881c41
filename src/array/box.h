/* Boxes of indices: parts of arrays that changed, or that have to be computed. */
#ifndef ARRAY_BOX_H
#define ARRAY_BOX_H
#include "array/layout.h"

enum { BOX_RANK = 8, BOX_COUNT = 4 };

/* Indices low[i] <= index < high[i] of each of `rank` axes. */
struct box {
    int rank;
    int64_t low[BOX_RANK], high[BOX_RANK];
};
/* Disjoint boxes of one index space. */
struct boxes {
    int n;
    struct box list[BOX_COUNT];
};

/* Set *b to all indices of a shape. False if the shape has more than BOX_RANK axes. */
bool box_whole(struct box *b, int rank, const int64_t *shape);
/* Return the number of indices in *b. */
int64_t box_count(const struct box *b);
/* True if a contains all indices of b, of the same rank. */
bool box_contains(const struct box *a, const struct box *b);
/* Add a box, not empty, of the rank of the others. Boxes that overlap become their bounding box, and so do some if there
   are more than BOX_COUNT. */
void boxes_add(struct boxes *to, const struct box *b);
/* Return the number of indices in all boxes. */
int64_t boxes_count(const struct boxes *b);
/* True if the union of a and b, of the same rank, is a box; *to is then that. It may be a or b. */
bool box_join(const struct box *a, const struct box *b, struct box *to);
/* Set *to to the bounding box of a and b, of the same rank. It may be a or b. */
void box_bound(const struct box *a, const struct box *b, struct box *to);

/*
 * Elements of a dense block, row-major in `shape` of `rank` axes, seen through a layout x over it. Strides of x are
 * split into steps along the axes of `shape`. Axes of `shape` that x steps across are merged, which enlarges boxes.
 */
/* Compute the bounding box, in the indices of x, of the elements in box `b` of the block, into *seen. False: x sees none
   of them. x has at most BOX_RANK axes. */
bool box_seen(const struct layout *x, int rank, const int64_t *shape, const struct box *b, struct box *seen);
/* Compute the bounding box, in the block, of the elements that x sees at the indices in `part`, not empty, into *b. */
void box_covered(const struct layout *x, const struct box *part, int rank, const int64_t *shape,
                 struct box *b);
#endif
