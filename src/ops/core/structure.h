/* What the structural operators share: axes, shapes in attributes, refusals, a scope for composites. */
#ifndef OPS_CORE_STRUCTURE_H
#define OPS_CORE_STRUCTURE_H
#include <stddef.h>
#include <string.h>
#include "base/floating.h"
#include "ops/core/elementwise.h"

/* Room for the words of a tensor or shape; longer ones are cut. */
enum { WORDS = 160 };

/* A shape as an attribute; only the first attr_bytes count. */
struct shape_attr {
    int32_t dtype, rank;
    int64_t shape[TY_MAX_RANK];
};
enum { NO_SHAPE = INT32_MIN }; /* a rank that stands for NULL where sizes belong */
/* Fills a zeroed attr.  A rank outside 0..64 keeps its number and no sizes: infer_shape refuses it. */
void shape_attr_fill(struct shape_attr *attr, ty_dtype dtype, int rank, const int64_t *shape);
/* Bytes to record of a struct that ends in `attr`, whose offset in it is `before`. */
size_t shape_attr_bytes(const struct shape_attr *attr, size_t before);
/* dtype, rank, shape of the attribute become the result's; false after a fault. */
bool infer_shape(struct infer *in, const struct shape_attr *attr);

/* The axes of a set as bits of a tensor of `rank`; those outside are left out. */
uint64_t axes_bits(ty_axes axes, int rank);
/* -1 counts from the end; an axis outside stays as it is, so that a fault can name what was given. */
int axis_normal(int axis, int rank);
/* False after a fault when a tensor of `rank` has no such axis. */
bool infer_axis(struct infer *in, int axis, int rank);
/* dtype, rank and shape of x become the result's. */
void infer_like(struct infer *in, const ty_tensor *x);
/* False after a fault when the inferred shape has too many axes or a negative size. */
bool infer_fits(struct infer *in);

/* "[2,3]" into out[WORDS]; returns out. */
char *shape_words(char *out, int rank, const int64_t *shape);
/* "(0, 2)" for the bits of a mask. */
void text_axes(struct text *t, uint64_t mask);
void text_sizes(struct text *t, int n, const int64_t *sizes);

/* A poisoned tensor with the sentence of infer_fault: for a public function that refuses before it records.  An operand
   that is poisoned already is returned instead. */
ty_tensor *refuse(const char *name, int n, ty_tensor *const *operands, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Poison where a caller left out an array of n `what`; NULL: it is there, or none is needed. */
ty_tensor *refuse_missing(const char *name, int64_t n, const void *array, const char *what);
ty_tensor *refuse_axis(const char *name, ty_tensor *x, int axis);
/* The same for a set that has an axis which x does not have; NULL: it has none. */
ty_tensor *refuse_axes(const char *name, ty_tensor *x, ty_axes axes);
/* The same naming n operands, where axes -rank .. rank-1 are meant. */
ty_tensor *refuse_axis_of(const char *name, int n, ty_tensor *const *operands, int axis, int rank);
/* Ends the scope that a composite opened and hands its result to the scope around it. */
ty_tensor *leave(ty_scope *scope, ty_tensor *result);
/* The same; where x was well and the result is not, the sentence gets the composite's name in front. */
ty_tensor *leave_as(const char *name, ty_scope *scope, ty_tensor *x, ty_tensor *result);

/* A composite of several operators on n operands: what is recorded in between makes no temporaries of large values,
   and half floats are computed in f32 and rounded once (composite.c).  The first operand gives the sentence of a failure its name as in leave_as. */
struct composite {
    const char *name;
    ty_tensor *first;
    ty_scope *scope;
    bool evaluates;
    bool lazily;   /* whether operators without operands made promises before */
    ty_dtype half; /* what an f32 result is rounded to; TY_DTYPES: it is not */
    struct floating floating;
};
struct composite composite_open(const char *name, int n, ty_tensor **x);
/* The same with half floats as they are, for a result of `bytes` where operands (which may be none) do not tell that it
   is large; name NULL: sentences stay as they are. */
struct composite composite_open_plain(const char *name, int64_t bytes, int n, ty_tensor **x);
/* Whether n tensors are values without a history that is to go on, which may be handled as promises or in pieces. */
bool all_plain(int n, ty_tensor *const *x);
ty_tensor *composite_close(struct composite c, ty_tensor *result);

/* x as it is when floating or complex, else cast to the floating dtype that holds it. */
ty_tensor *as_floating(ty_tensor *x);
#endif
