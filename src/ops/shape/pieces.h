/*
 * Results made a piece at a time: what is computed on the way (places, counts, casts) then takes a piece's memory and not
 * the result's.  For composites whose steps do not fuse; those that do stand between composite_open and composite_close.
 */
#ifndef OPS_SHAPE_PIECES_H
#define OPS_SHAPE_PIECES_H
#include "ops/core/structure.h"

/* Part of a shape: consecutive elements in row-major order. */
struct box {
    int rank;
    int64_t start[TY_MAX_RANK], size[TY_MAX_RANK];
};

/* Elements of a piece at most; those of its work, where each takes more than one. */
int64_t piece_elements(void);
/* Tests: as if there were so many; 0: what there are. */
void piece_force(int64_t elements);

/* Calls visit(context, box) in a scope of its own for boxes in order that make up the shape, each of `most` elements at most,
   one at least; an empty shape is one box.  The first poison that it returns ends that and is the result; NULL: none. */
ty_tensor *each_piece(int rank, const int64_t *shape, int64_t most,
                      ty_tensor *(*visit)(void *context, const struct box *box), void *context);
/*
 * The tensor of that dtype and shape of which make(context, box) yields the elements of a box.  Boxes come in order, each
 * of piece_elements() / work elements at most, one at least.  One box is all of it where that is no more, or where one of
 * n operands is a promise or has a history.  The first poison that make yields is the result.
 */
ty_tensor *in_pieces(ty_dtype dtype, int rank, const int64_t *shape, int64_t work, int n,
                     ty_tensor *const *operands, ty_tensor *(*make)(void *context, const struct box *box),
                     void *context);
/* The box's part of x along those axes whose bits are set. */
ty_tensor *box_of(ty_tensor *x, const struct box *box, uint64_t axes);
#endif
