/* Concatenation of parts along an axis: recorded by concat, stack and the gradient of slices. */
#ifndef OPS_SHAPE_CONCAT_H
#define OPS_SHAPE_CONCAT_H
#include "ops/core/attributes.h"
#include "ops/core/op.h"

extern const struct op op_concat;
/* Record the concatenation of n parts, of one dtype and equal shape except along `axis`, which gets `length`
   elements. Part i starts at start[i]; elements of several parts are added, of none 0 (attributes.h). Poison
   on failure. */
ty_tensor *concat_at(int n, ty_tensor *const *parts, int axis, int64_t length, const int64_t *start);

/* True if part i, of `size` elements, starts at *end, which is 0 before the first part; *end is set to the
   part's end, exclusive, in any case. If it is true for all parts and *end becomes `length`, the parts are
   adjacent without gaps or overlaps. */
static inline bool concat_goes_on(const struct concat_attr *attr, int i, int64_t size, int64_t *end) {
    bool goes_on = attr->start[i] == *end;
    *end = attr->start[i] + size;
    return goes_on;
}

/* Elements begin .. end-1 of the axis get elements of one part; later ranges may add to them. */
struct concat_range {
    int part; /* index of the part; -1: zeros */
    bool adds;
    int64_t begin, end;
};
/* Convert n parts, of sizes[i] elements, to ranges in order of execution, the ranges of one part together.
   Ranges that do not add are disjoint and cover the axis. Return their number, -1 if memory runs out; *out is
   in the arena. */
int concat_ranges(const struct concat_attr *attr, int n, const int64_t *sizes, struct concat_range **out,
                  struct arena *arena);
#endif
