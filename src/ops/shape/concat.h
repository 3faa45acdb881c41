/* Parts put together along an axis: what concat, stack and the gradient of slices record. */
#ifndef OPS_SHAPE_CONCAT_H
#define OPS_SHAPE_CONCAT_H
#include "ops/core/attributes.h"
#include "ops/core/op.h"

extern const struct op op_concat;
/* n parts, of one dtype and of shapes that differ along the axis alone, at places start[] (attributes.h). */
ty_tensor *concat_at(int n, ty_tensor *const *parts, int axis, int64_t length, const int64_t *start);

/* Whether part i, of `size` places, begins where those before end; *end, at first 0, moves on.  Where all do and *end comes
   to `length`, parts lie side by side: nothing is added up, nothing is left out. */
static inline bool concat_goes_on(const struct concat_attr *attr, int i, int64_t size, int64_t *end) {
    bool goes_on = attr->start[i] == *end;
    *end = attr->start[i] + size;
    return goes_on;
}

/* What happens to places begin .. end-1 of the axis: they get elements of a part, to which later ranges may add. */
struct concat_range {
    int part; /* -1: zeros */
    bool adds;
    int64_t begin, end;
};
/* The same result as ranges, in the order in which they are to be done, those of one part together: those that add
   nothing are disjoint and cover the axis.  Returns how many; -1: no memory.  *out from the arena. */
int concat_ranges(const struct concat_attr *attr, int n, const int64_t *sizes, struct concat_range **out,
                  struct arena *arena);
#endif
