/* Helpers of the structural operators: axes, shapes as attributes, error results, scopes of composites. */
#ifndef OPS_CORE_STRUCTURE_H
#define OPS_CORE_STRUCTURE_H
#include <stddef.h>
#include <string.h>
#include "base/machine/floating.h"
#include "ops/core/elementwise.h"

/* Buffer size for the text of a tensor or shape; longer text is cut. */
enum { WORDS = 160 };

/* A shape as an attribute; only the first attr_bytes bytes are stored. */
struct shape_attr {
    int32_t dtype, rank;
    int64_t shape[TY_MAX_RANK];
};
enum { NO_SHAPE = INT32_MIN }; /* rank that stands for a NULL shape */
/* Fill a zeroed attr with dtype, rank and shape. A rank outside of 0..64, or a NULL shape, is stored without
   sizes, and infer_shape refuses it later. */
void shape_attr_fill(struct shape_attr *attr, ty_dtype dtype, int rank, const int64_t *shape);
/* Return the size of an attribute struct that ends in `attr` at offset `before`, with only the sizes in use. */
size_t shape_attr_bytes(const struct shape_attr *attr, size_t before);
/* Set the result's dtype, rank and shape from the attribute. False, with the fault set, if they are invalid. */
bool infer_shape(struct infer *in, const struct shape_attr *attr);

/* Return the axes of a set as a bit mask for a tensor of `rank`, bit i for axis i; axes out of range are
   ignored. */
uint64_t axes_bits(ty_axes axes, int rank);
/* Return `axis`, plus rank if it is negative. An axis out of range is returned unchanged, for messages. */
int axis_normal(int axis, int rank);
/* True if 0 <= axis < rank. Otherwise set the fault and return false; a negative axis counts as out of range. */
bool infer_axis(struct infer *in, int axis, int rank);
/* Set the result's dtype, rank and shape to those of x. */
void infer_like(struct infer *in, const ty_tensor *x);
/* True if the inferred shape is valid. Otherwise (too many axes, a negative size, or no shape) set the fault
   and return false. */
bool infer_fits(struct infer *in);

/* Write a shape such as "[2,3]" to out[WORDS]; sizes that do not fit are left out. Return out. */
char *shape_words(char *out, int rank, const int64_t *shape);
/* Append the axes of a bit mask, such as "(0, 2)". */
void text_axes(struct text *t, uint64_t mask);

/* Return a poisoned tensor with the sentence "NAME of OPERANDS: reason", for public functions that fail
   before they record; the format gives the reason. If an operand is poisoned, return the poison of that
   operand instead. */
ty_tensor *refuse(const char *name, int n, ty_tensor *const *operands, ty_code code, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Return poison that says why `dtype` is refused: it is unknown, or for storage alone.  As refuse otherwise. */
ty_tensor *refuse_dtype_of(const char *name, int n, ty_tensor *const *operands, ty_dtype dtype);
/* Return poison if one of n operands has a dtype for storage, in which nothing computes; else NULL. */
ty_tensor *refuse_stored(const char *name, int n, ty_tensor *const *operands);
/* Set the result's dtype.  False, with the fault set, if no operator computes in it. */
bool infer_computed(struct infer *in, ty_dtype dtype);
/* Return poison if `array`, of n > 0 elements called `what` in the sentence, is NULL; else NULL. `name` is
   the public function. */
ty_tensor *refuse_missing(const char *name, int64_t n, const void *array, const char *what);
/* Return poison in which function `name` reports that x has no such axis. */
ty_tensor *refuse_axis(const char *name, ty_tensor *x, int axis);
/* Return poison, in the name of function `name`, if the set contains an axis that x does not have, or one by
   both of its numbers. NULL if x is poisoned, or all is well. */
ty_tensor *refuse_axes(const char *name, ty_tensor *x, ty_axes axes);
/* Return poison in which function `name` names n operands and reports that `axis` is outside of -rank ..
   rank-1. */
ty_tensor *refuse_axis_of(const char *name, int n, ty_tensor *const *operands, int axis, int rank);
/* Close the scope that a composite opened and return the result, which moves to the enclosing scope. NULL
   becomes a poisoned tensor; scope NULL (too many were open) is allowed. */
ty_tensor *leave(ty_scope *scope, ty_tensor *result);
/* Return a poison, made by an inner function on valid operands, as one of function `name`, whose first operand is x:
   "INNER of OPERANDS: reason" becomes "NAME of X: reason", or "NAME: OPERANDS: reason" for operands of another shape.
   Sentences of callbacks stay whole behind the name.  The poison itself if it has the name. */
ty_tensor *poison_as(const char *name, const ty_tensor *x, ty_tensor *poison);
/* Close a composite's scope and return the result, which moves to the enclosing scope. If x is valid but the
   result is poisoned, its sentence becomes one of `name`, as by poison_as. */
ty_tensor *leave_as(const char *name, ty_scope *scope, ty_tensor *x, ty_tensor *result);

/* State of a composite, a function that records several operators on n operands.  Between open and close, large
   values make no temporaries, and half floats are computed in f32 and rounded once (composite.c).  `first` is the
   operand by which leave_as decides who failed. */
struct composite {
    const char *name;
    ty_tensor *first;
    ty_scope *scope;
    bool evaluates;
    ty_tensor *given[2]; /* operands that the caller gave away, which the result may overwrite; NULL: none */
    bool lazily;         /* previous setting of record_lazily */
    ty_dtype half;       /* dtype to round an f32 result to; TY_DTYPES: none */
    struct floating floating;
};
/* Open a composite, named `name`, on n operands x[], which are replaced by promises where fusion pays, and
   half floats by f32 values. composite_close undoes both. */
struct composite composite_open(const char *name, int n, ty_tensor **x);
/* Open a composite on n operands x[] (n may be 0), which are replaced by promises where fusion pays; half
   floats stay. `bytes` is the size of the result, if the operands do not show that it is large. name NULL:
   sentences of poison stay unchanged. */
struct composite composite_open_plain(const char *name, int64_t bytes, int n, ty_tensor **x);
/* Return the bytes of a result of this form, for composite_open_plain; INT64_MAX if they overflow. */
int64_t composite_bytes(ty_dtype dtype, int rank, const int64_t *shape);
/* True if all n tensors are values whose history need not be recorded, so that they may become promises or be
   split. Poison and values that depend on a variable are not. */
bool all_plain(int n, ty_tensor *const *x);
/* Close the composite and return the result: evaluated if it was made lazily, cast back to the half dtype if
   composite_open had widened it. Poison gets the composite's name. */
ty_tensor *composite_close(struct composite c, ty_tensor *result);

/* Return x if it is floating or complex, else cast to its floating dtype (the `floating` of dtype_table).
   Poison stays poison. */
ty_tensor *as_floating(ty_tensor *x);
#endif
