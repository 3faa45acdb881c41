/* Gather and scatter, the two operators that all indexing is made of, for use by other operators. */
#ifndef OPS_INDEX_INDEX_H
#define OPS_INDEX_INDEX_H
#include <tyto/index.h>
#include "ops/core/reach.h"
#include "ops/core/attributes.h"
#include "ops/core/batch.h"
#include "ops/core/operators.h"
#include "ops/core/structure.h"

/* Maximum number of operands: x, updates, and an index tensor per axis. */
enum { INDEX_MAX_INPUTS = TY_MAX_RANK + 2 };

extern const struct attributes gather_attributes;
/* Check the attributes of gather or scatter: axes exist, and each index tensor (inputs[first] and on) is used once,
   in order.  False and fault set if they are invalid. */
bool infer_places(struct infer *in, const struct gather_attr *attr, int first);

/* Record a gather from x with n index tensors (attributes.h).  Index tensors that are not of integer dtype, or do
   not broadcast to the space, give poison in gather's name. */
ty_tensor *gather_at(ty_tensor *x, const struct gather_attr *attr, int n, ty_tensor *const *index);
/* Compute the result shape of gather_at into space[TY_MAX_RANK].  Returns NULL, or poison if the operands are
   invalid. */
ty_tensor *gather_space(ty_tensor *x, const struct gather_attr *attr, int n, ty_tensor *const *index,
                        int64_t *space);
/* Record a scatter of `updates`, whose axes are the space, into `target`; both have one dtype.  attr->mode is
   ignored. */
ty_tensor *scatter_at(ty_tensor *target, ty_tensor *updates, ty_scatter_mode mode,
                      const struct gather_attr *attr, int n, ty_tensor *const *index);
/* Return the operator's name, such as "scatter_add"; NULL for an invalid mode. */
const char *scatter_name(ty_scatter_mode mode);
/* Combine old and new values elementwise by the rule of a scatter mode. */
ty_tensor *scatter_combine(ty_scatter_mode mode, ty_tensor *old, ty_tensor *v);

/* Return index as i64 with negative indices resolved, after checking that each is valid for an axis of `size`.  The
   check happens when it is computed. */
ty_tensor *index_checked(ty_tensor *index, int64_t size);
/* Return labels as i64 after checking, when they are computed, that all are in 0 .. classes-1.  The fault names the
   label and its position in the vector. */
ty_tensor *labels_checked(ty_tensor *labels, int64_t classes);
/* Gather rows of x: [index's shape.., row's shape..].  Indices start at 0; a negative one is a fault. */
ty_tensor *rows_numbered(ty_tensor *x, ty_tensor *index);

/* Wording of the fault for invalid values: "label 7 at [1] is outside 0..2" for each value, "2 of the targets are
   outside 0 to 1" for a count. */
enum index_words {
#define WORDS(name, what, range) WORDS_##name,
#include "ops/index/words.def"
    INDEX_WORDS
};
/* Set the fault of `words` for index `value` at position `place` and an axis of `size`.  Always returns false. */
bool index_outside(int words, int64_t value, const char *place, int64_t size, struct fault *fault);
/* Return 0, i64[], if no element of the bool tensor `wrong` is true; otherwise a fault with the count of true ones,
   raised when it is computed. */
ty_tensor *none_of(ty_tensor *wrong, enum index_words words);
/* Reshape x to a vector. */
ty_tensor *index_flat(ty_tensor *x);
/* Return NULL if x is valid and of integer dtype, else poison in the name of an operator. */
ty_tensor *refuse_index(const char *name, ty_tensor *x);

/* Normalise Python's start:stop:step on an axis of n: computes start and size, and step 1 if size <= 1; step is not
   0. */
void slice_normal(int64_t n, int64_t *start, int64_t stop, int64_t *step, int64_t *size);
/* Return x with a box replaced by v, which has the box's shape: starts at start[i] and steps by step[i] >= 1. */
ty_tensor *place_at(ty_tensor *x, ty_tensor *v, const struct place_attr *attr);

/* Adapt the attributes of gather or scatter to a leading axis of the space; x, of `rank` axes before, gets a
   leading axis that moves with it if `moves`. */
struct gather_attr index_batch(const struct gather_attr *attr, int rank, bool moves);
/* Return the batched index tensor x[i] for attributes of index_batch; `end` is the original attr->end. */
ty_tensor *index_many(const struct batch *b, int i, int end);

/* True if index tensors inputs[first] and on are values that an analysis may read while recording. */
bool index_known(const ty_tensor *y, int first);

extern const struct op op_scatter, op_scatter_mul, op_scatter_min, op_scatter_max, op_place, op_nonzero;
#endif
