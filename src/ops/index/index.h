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
/* Check the attributes of gather or scatter: axes exist, and each index tensor (inputs[first] and on) is used
   once, in order. False, with the fault set, if they are invalid. */
bool infer_places(struct infer *in, const struct gather_attr *attr, int first);

/* Record a gather from x at n index tensors, by the axes in *attr (attributes.h). Poison if an index tensor
   is not of integer dtype or does not broadcast to the space. Computing it fails if an index is out of range. */
ty_tensor *gather_at(ty_tensor *x, const struct gather_attr *attr, int n, ty_tensor *const *index);
/* Compute the shape of gather_at's result into space[TY_MAX_RANK]. Return NULL, or poison if the operands are
   invalid. */
ty_tensor *gather_space(ty_tensor *x, const struct gather_attr *attr, int n, ty_tensor *const *index,
                        int64_t *space);
/* Record a scatter of `updates` into `target` at n index tensors, by the axes in *attr; the axes of `updates`
   are the space (attributes.h). Both have one dtype; attr->mode is ignored. Poison on failure. */
ty_tensor *scatter_at(ty_tensor *target, ty_tensor *updates, ty_scatter_mode mode,
                      const struct gather_attr *attr, int n, ty_tensor *const *index);
/* Return the name of the operator of a scatter mode, such as "scatter_add"; NULL for an invalid mode. */
const char *scatter_name(ty_scatter_mode mode);
/* Return old values and v combined elementwise by the rule of a scatter mode. Poison for sums and products of
   bool. */
ty_tensor *scatter_combine(ty_scatter_mode mode, ty_tensor *old, ty_tensor *v);

/* Return `index` as i64 with negative indices resolved for an axis of `size`. Computing it fails if an index
   is out of range. Poison if `index` is. */
ty_tensor *index_checked(ty_tensor *index, int64_t size);
/* Return labels as i64. Computing it fails unless all are in 0 .. classes-1; the fault names the label and
   its position. */
ty_tensor *labels_checked(ty_tensor *labels, int64_t classes);
/* Gather rows of x along axis 0: [index's shape.., row's shape..]. Indices start at 0; computing it fails if
   one is negative or too large. Poison on failure. */
ty_tensor *rows_numbered(ty_tensor *x, ty_tensor *index);

/* Wording of the fault for invalid values: "label 7 at [1] is out of bounds; expected 0..2" for each value, "2 of
   the targets are out of range; expected 0 to 1" for a count. */
enum index_words {
#define WORDS(name, what, range) WORDS_##name,
#include "ops/index/words.def"
    INDEX_WORDS
};
/* Set the fault that index `value` at position `place` is out of range for an axis of `size`, in the wording
   `words` (enum index_words). Always return false. */
bool index_outside(int words, int64_t value, const char *place, int64_t size, struct fault *fault);
/* Set the fault that element at[] of an index tensor, input `input` of a gather or scatter, is out of range for axis `axis`
   of `size` elements. Always return false. */
bool index_refused(const struct kernel *k, int input, const int64_t *at, int64_t value, int axis,
                   int64_t size, struct fault *fault);
/* Return 0, i64[], if no element of the bool tensor `wrong` is true. Otherwise computing it fails, with the
   count of true elements in the wording `words`. */
ty_tensor *none_of(ty_tensor *wrong, enum index_words words);
/* Return x reshaped to a vector. Poison stays poison. */
ty_tensor *index_flat(ty_tensor *x);
/* Return NULL if x is valid and of integer dtype, else poison in the name of function `name`. */
ty_tensor *refuse_index(const char *name, ty_tensor *x);

/* Normalise Python's start:stop:step on an axis of n elements: *start becomes a valid index (0 if nothing is
   selected), *size the number of elements, and *step 1 if *size <= 1. *step must not be 0. */
void slice_normal(int64_t n, int64_t *start, int64_t stop, int64_t *step, int64_t *size);
/* Return x with a strided box replaced by v, which has the box's shape: along axis i it starts at start[i]
   and steps by step[i] >= 1. Poison on failure. */
ty_tensor *place_at(ty_tensor *x, ty_tensor *v, const struct place_attr *attr);

/* Return the attributes of gather or scatter adapted to a leading axis of the space. x, of `rank` axes
   before, gets a leading axis, too, if `moves`. */
struct gather_attr index_batch(const struct gather_attr *attr, int rank, bool moves);
/* Return operand i, an index tensor, for the attributes of index_batch: with its leading axis aligned if it
   is batched. `end` is the original attr->end. */
ty_tensor *index_many(const struct batch *b, int i, int end);

/* True if the index tensors, operands `first` and on of y, do not depend on a variable, so that an analysis
   may read them while recording. */
bool index_known(const ty_tensor *y, int first);

extern const struct op op_scatter, op_scatter_mul, op_scatter_min, op_scatter_max, op_place, op_nonzero;
#endif
