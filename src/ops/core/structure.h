/* Helpers of the structural operators: axes, shapes as attributes, error results, scopes of composites. */
#ifndef OPS_CORE_STRUCTURE_H
#define OPS_CORE_STRUCTURE_H
#include <stddef.h>
#include <string.h>
#include "base/floating.h"
#include "ops/core/elementwise.h"

/* Buffer size for the text of a tensor or shape; longer text is cut. */
enum { WORDS = 160 };

/* A shape as an attribute; only the first attr_bytes bytes are stored. */
struct shape_attr {
    int32_t dtype, rank;
    int64_t shape[TY_MAX_RANK];
};
enum { NO_SHAPE = INT32_MIN }; /* rank that stands for a NULL shape */
/* Fill a zeroed attr.  A rank outside of 0..64 is stored without sizes; infer_shape refuses it later. */
void shape_attr_fill(struct shape_attr *attr, ty_dtype dtype, int rank, const int64_t *shape);
/* Return attr_bytes for a struct that ends in `attr` at offset `before`. */
size_t shape_attr_bytes(const struct shape_attr *attr, size_t before);
/* Set the result's dtype, rank and shape from the attribute.  False and fault set if they are invalid. */
bool infer_shape(struct infer *in, const struct shape_attr *attr);

/* Return the axes of a set as a bit mask for a tensor of `rank`; axes out of range are ignored. */
uint64_t axes_bits(ty_axes axes, int rank);
/* Normalise a negative axis by adding rank.  An axis out of range is returned unchanged, for messages. */
int axis_normal(int axis, int rank);
/* True if 0 <= axis < rank; otherwise sets a fault. */
bool infer_axis(struct infer *in, int axis, int rank);
/* Set the result's dtype, rank and shape to those of x. */
void infer_like(struct infer *in, const ty_tensor *x);
/* True if the inferred shape is valid; otherwise (too many axes, or a negative size) sets a fault. */
bool infer_fits(struct infer *in);

/* Write "[2,3]" to out[WORDS].  Returns out. */
char *shape_words(char *out, int rank, const int64_t *shape);
/* Append "(0, 2)" for the bits of a mask. */
void text_axes(struct text *t, uint64_t mask);
/* Append "[2,3]" for n sizes. */
void text_sizes(struct text *t, int n, const int64_t *sizes);

/* Return a poisoned tensor with the sentence of infer_fault, for public functions that fail before they record.  If
   an operand is poisoned, returns that operand instead. */
ty_tensor *refuse(const char *name, int n, ty_tensor *const *operands, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Return poison if an array of n `what` is NULL; NULL if it is present, or n <= 0. */
ty_tensor *refuse_missing(const char *name, int64_t n, const void *array, const char *what);
/* Return poison that reports that x has no such axis. */
ty_tensor *refuse_axis(const char *name, ty_tensor *x, int axis);
/* Return poison if the set contains an axis that x does not have; NULL if it contains none. */
ty_tensor *refuse_axes(const char *name, ty_tensor *x, ty_axes axes);
/* Return poison that names n operands and reports that `axis` is outside of -rank .. rank-1. */
ty_tensor *refuse_axis_of(const char *name, int n, ty_tensor *const *operands, int axis, int rank);
/* Close the scope that a composite opened; the result moves to the enclosing scope.  Returns the result. */
ty_tensor *leave(ty_scope *scope, ty_tensor *result);
/* Like leave; if x is valid but the result is poisoned, also puts `name` in front of its sentence. */
ty_tensor *leave_as(const char *name, ty_scope *scope, ty_tensor *x, ty_tensor *result);

/* State of a composite, a function that records several operators on n operands.  Between open and close, large
   values make no temporaries, and half floats are computed in f32 and rounded once (composite.c).  `first` is the
   operand by which leave_as decides who failed. */
struct composite {
    const char *name;
    ty_tensor *first;
    ty_scope *scope;
    bool evaluates;
    bool lazily;   /* previous setting of record_lazily */
    ty_dtype half; /* dtype to round an f32 result to; TY_DTYPES: none */
    struct floating floating;
};
/* Open a composite on the operands x, which are replaced by promises or f32 values where needed. */
struct composite composite_open(const char *name, int n, ty_tensor **x);
/* Like composite_open, but half floats stay.  `bytes`: size of the result, if the operands (n may be 0) do not show
   that it is large.  name NULL: sentences stay unchanged. */
struct composite composite_open_plain(const char *name, int64_t bytes, int n, ty_tensor **x);
/* True if n tensors are values whose history need not be recorded, so that they may become promises or be split. */
bool all_plain(int n, ty_tensor *const *x);
/* Close the composite, evaluating the result if it was made lazily.  Returns the result. */
ty_tensor *composite_close(struct composite c, ty_tensor *result);

/* Return x if it is floating or complex, else cast to the floating dtype that holds it. */
ty_tensor *as_floating(ty_tensor *x);
#endif
