/* Matrices of numbers of few bits with a scale for each block, and products that read them. */
#ifndef ONNX_OPS_BLOCKS_H
#define ONNX_OPS_BLOCKS_H
#include "onnx/call.h"

/* Numbers (q - zero) scale. */
struct blocks {
    ty_tensor *q; /* integers of 8, 4 or 2 bits, or floats of 8 or 4 bits */
    ty_tensor *scale,
        *zero; /* one number, a vector along `axis`, or one number for each block; zero NULL: `offset` */
    ty_tensor *groups; /* numbers of the blocks of all places along `axis`; NULL: blocks are in order */
    int axis;
    int64_t block; /* places of an axis that share a scale; 0: none */
    double offset;
    ty_dtype dtype; /* of the numbers */
};
/* Return the unsigned dtype of numbers of as many bits as an attribute says, by default 4; TY_DTYPES, with the fault of the
   call set, if there is none. */
ty_dtype onnx_bits_dtype(struct onnx_call *call, const char *name);
/* Return the middle of the range of an unsigned dtype. */
double onnx_bits_half(ty_dtype dtype);
/* Return bytes (..,n) as numbers (..,m), m at most n times the numbers in a byte.  Poison, with the fault of the call set,
   if the bytes are not those of m numbers. */
ty_tensor *onnx_bits_numbers(struct onnx_call *call, ty_tensor *bytes, ty_dtype dtype, int64_t m);
/* Return zero points (..,m), f32, of such bytes, without the padding of the last one. */
ty_tensor *onnx_bits_zeros(struct onnx_call *call, ty_tensor *bytes, ty_dtype dtype, int64_t m);
/* Give a scale or zero point p the axes of q.  Poison, with the fault of the call set, if it does not fit. */
ty_tensor *onnx_spread(struct onnx_call *call, const struct blocks *b, ty_tensor *p);
/* Return the numbers.  Poison, with the fault of the call set, if shapes do not fit. */
ty_tensor *onnx_blocks_numbers(struct onnx_call *call, const struct blocks *b);
/* Return a times the matrix of the numbers (q has 2 axes), which is transposed if `rows` is set: then it has a row for
   each column of the result.  Only a tile of the numbers exists at a time. */
ty_tensor *onnx_blocks_product(struct onnx_call *call, ty_tensor *a, const struct blocks *b, bool rows);
/* Set output 0 to the numbers.  If they are a large matrix of a dtype for storage, of constants, it is a promise with
   its operands: onnx_blocks_input gives these to a product, and other rows see the promise or, on values, the
   numbers. */
bool onnx_blocks_output(struct onnx_call *call, const struct blocks *b);
/* Return the operands of input i, a matrix of numbers; NULL: it has none, or another dtype than a. */
const struct blocks *onnx_blocks_input(struct onnx_call *call, int i, const ty_tensor *a);

#endif
