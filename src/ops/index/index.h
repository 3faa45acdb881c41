/* Gather and scatter as other operators record them: every way of indexing is one of the two. */
#ifndef OPS_INDEX_INDEX_H
#define OPS_INDEX_INDEX_H
#include <tyto/index.h>
#include "ops/core/reach.h"
#include "ops/core/attributes.h"
#include "ops/core/batch.h"
#include "ops/core/operators.h"
#include "ops/core/structure.h"

/* Operands of either at most: x, updates, an index tensor for each axis. */
enum { INDEX_MAX_INPUTS = TY_MAX_RANK + 2 };

extern const struct attributes gather_attributes;
/* Whether the attributes of either name axes that there are, and index tensors (inputs[first] and on), each once and in
   order; false after a fault. */
bool infer_places(struct infer *in, const struct gather_attr *attr, int first);

/* x at the places that `attr` and n index tensors say (attributes.h).  Index tensors of other than integer dtype,
   or that do not broadcast to the space, are refused in the name of gather. */
ty_tensor *gather_at(ty_tensor *x, const struct gather_attr *attr, int n, ty_tensor *const *index);
/* The shape of the same into space[TY_MAX_RANK]; poison where there is none, else NULL. */
ty_tensor *gather_space(ty_tensor *x, const struct gather_attr *attr, int n, ty_tensor *const *index,
                        int64_t *space);
/* `target` with `updates`, whose axes are the space, put in; both of one dtype.  attr->mode is ignored. */
ty_tensor *scatter_at(ty_tensor *target, ty_tensor *updates, ty_scatter_mode mode,
                      const struct gather_attr *attr, int n, ty_tensor *const *index);
/* "scatter_add"; NULL for a number that is no mode. */
const char *scatter_name(ty_scatter_mode mode);
/* target combined with v elementwise as a scatter of that mode combines an old element with a new one. */
ty_tensor *scatter_combine(ty_scatter_mode mode, ty_tensor *old, ty_tensor *v);

/* index itself, i64, counted from 0, where every element is an index into `size` things; the check is done
   when it is computed. */
ty_tensor *index_checked(ty_tensor *index, int64_t size);
/* The same of a vector of labels, all of which must be 0..classes-1: the fault names the label and where it is. */
ty_tensor *labels_checked(ty_tensor *labels, int64_t classes);
/* Rows of x that integers number from 0; a negative one is none. */
ty_tensor *rows_numbered(ty_tensor *x, ty_tensor *index);

/* What a fault of numbers that may not be negative says: "label 7 at [1] is outside 0..2" of each, "2 of the targets are
   outside 0 to 1" of a count. */
enum index_words {
#define WORDS(name, what, range) WORDS_##name,
#include "ops/index/words.def"
    INDEX_WORDS
};
/* Adds the sentence of `words` about an index that is `value`, at a place, among `size`; false. */
bool index_outside(int words, int64_t value, const char *place, int64_t size, struct fault *fault);
/* 0, i64[], where no element of the bool tensor is true, else a fault with a count's words; found out when it is computed. */
ty_tensor *none_of(ty_tensor *wrong, enum index_words words);
/* x as a vector. */
ty_tensor *index_flat(ty_tensor *x);
/* NULL where x is well and of an integer dtype, else poison in the name of an operator. */
ty_tensor *refuse_index(const char *name, ty_tensor *x);

/* Start, count and step of start:stop:step on an axis of n, as Python's; step is not 0. */
void slice_normal(int64_t n, int64_t *start, int64_t stop, int64_t *step, int64_t *size);
/* x with the box of v's shape that starts at start[i] and steps by step[i] (1 or more) replaced by v. */
ty_tensor *place_at(ty_tensor *x, ty_tensor *v, const struct place_attr *attr);

/* The attributes of either where the space gets an axis in front, with which x, of `rank` so far, gets one that moves, or
   none; and what index tensor x[i] of examples is then. */
struct gather_attr index_batch(const struct gather_attr *attr, int rank, bool moves);
ty_tensor *index_many(const struct batch *b, int i, int end);

/* Whether index tensors inputs[first] and on are values, which an analysis may read while it is recorded. */
bool index_known(const ty_tensor *y, int first);

extern const struct op op_scatter, op_scatter_mul, op_scatter_min, op_scatter_max, op_place, op_nonzero;
#endif
