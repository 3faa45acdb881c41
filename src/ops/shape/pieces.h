/* Computing a result in pieces, so that intermediates (indices, counts, casts) take the memory of a piece.  For
   composites whose steps do not fuse; those that do use composite_open and composite_close. */
#ifndef OPS_SHAPE_PIECES_H
#define OPS_SHAPE_PIECES_H
#include "ops/core/structure.h"

/* Part of a shape: an index range on each axis, whose elements are consecutive in row-major order. */
struct box {
    int rank;
    int64_t start[TY_MAX_RANK], size[TY_MAX_RANK];
};

/* Return the maximum number of elements in a piece. */
int64_t piece_elements(void);
/* Test hook: overrides the result of piece_elements; 0 = the real one. */
void piece_force(int64_t elements);

/* Call visit(context, box) for boxes that cover the shape in order, each in its own scope and of at most `most`
   elements (at least 1); an empty shape is one box.  Stops at the first poison that visit returns and returns it,
   else NULL. */
ty_tensor *each_piece(int rank, const int64_t *shape, int64_t most,
                      ty_tensor *(*visit)(void *context, const struct box *box), void *context);
/* Return a tensor whose boxes are computed by make(context, box), in order, with at most piece_elements() /
   work elements each (at least 1). Uses one box for all if the result is small enough, or if one of the n
   operands is a promise or has a history. Stops at the first poison that `make` returns, and returns it. */
ty_tensor *in_pieces(ty_dtype dtype, int rank, const int64_t *shape, int64_t work, int n,
                     ty_tensor *const *operands, ty_tensor *(*make)(void *context, const struct box *box),
                     void *context);
/* Return the box's part of x, sliced along the axes whose bits are set in `axes`. */
ty_tensor *box_of(ty_tensor *x, const struct box *box, uint64_t axes);
#endif
