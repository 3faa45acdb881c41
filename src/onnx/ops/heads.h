/* Attention and its operands, which the rows of ai.onnx and com.microsoft share. */
#ifndef ONNX_OPS_HEADS_H
#define ONNX_OPS_HEADS_H
#include "onnx/call.h"

/* Cut the last axis of x (N,T,H*D) into heads: (N,H,T,D).  Poison, with the fault set, if it cannot be cut. */
ty_tensor *onnx_heads_of(struct onnx_call *call, ty_tensor *x, int64_t heads);
/* Inverse of onnx_heads_of. */
ty_tensor *onnx_heads_joined(ty_tensor *x);

/* Operands of attention, and scores that it has computed. */
struct attend {
    ty_tensor *q, *k, *v; /* (N,H,T,D), (N,G,S,D), (N,G,S,E): G divides H */
    ty_tensor *see;       /* bool: a query sees a key; NULL: everywhere */
    ty_tensor
        *bias; /* added to scores; NULL: 0.  Queries without a finite one, or that see nothing, give 0 */
    ty_tensor *sink;                      /* (H): a score of each head without a key; NULL: none */
    double scale, cap;                    /* of scores; cap 0: none */
    ty_dtype precision;                   /* of the softmax */
    ty_tensor *capped, *biased, *weights; /* results (N,H,T,S) */
};
/* Return the values (N,H,T,E) weighted by softmax. */
ty_tensor *onnx_attend(struct attend *a);
/* Set the cosines and sines of angles, caches (places,pairs), to those of the places (N or 1,T or 1) of heads (N,H,T,D).
   False, with the fault set, if their shapes do not fit. */
bool onnx_angles(struct onnx_call *call, ty_tensor **cosine, ty_tensor **sine, ty_tensor *places,
                 const ty_tensor *heads);
/* Rotate pairs of the first `dim` elements of heads y (N,H,T,D) by angles: their cosines and sines (N or 1,T,dim / 2 or
   more).  pairs: neighbours, else the halves. */
ty_tensor *onnx_rotated(ty_tensor *y, ty_tensor *cosine, ty_tensor *sine, int64_t dim, bool pairs);

#endif
