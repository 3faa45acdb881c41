/* What passes, checks and engines ask of a configuration. */
#ifndef CONTRACT_LOOPS_H
#define CONTRACT_LOOPS_H
#include "contract/contraction.h"

static inline uint64_t contraction_magnitude(int64_t stride) {
    return stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
}
static inline int64_t contraction_greatest_divisor(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
/* Whether what the side reads or writes depends on a dimension: it steps, or a guard of the side names it. */
bool contraction_touches(const ty_contraction *c, ty_side side, int dim);
/* Product of the sizes of a type's dimensions, as a number. */
double contraction_size(const ty_contraction *c, ty_dim_type type);
/* The step of the innermost loop over a dimension: the box's extent there. */
int64_t contraction_box(const ty_contraction *c, int dim);
/* Of all dimensions of a type together; INT64_MAX where that is beyond 64 bits. */
int64_t contraction_box_size(const ty_contraction *c, ty_dim_type type);
/* What the loops before `at` leave of a dimension at most. */
int64_t contraction_left(const ty_contraction *c, int at, int dim);
/* The same of loop i's own dimension, and how many steps it makes of that. */
int64_t contraction_rest(const ty_contraction *c, int loop);
int64_t contraction_trips(const ty_contraction *c, int loop);
/* Loops that are not PRIMITIVE entries; they come first. */
int contraction_walked(const ty_contraction *c);
/* The outermost loop over a K dimension, or contraction_walked when there is none. */
int contraction_outermost_sum(const ty_contraction *c);
/* Whether a dimension that is kept and one that is summed step over the same places of the side: a window
   that overlaps itself. */
bool contraction_overlaps(const ty_contraction *c, ty_side side, int dim);
/* Whether windows move over the side, or it is padded: a box of it is a footprint. */
bool contraction_is_window(const ty_contraction *c, ty_side side);
/* Whether a guard joins rows with a longer dimension of K, as in the gradient of a kernel: read where it lies, K is
   summed in stretches that meet the same rows; copied, from first to last. */
bool contraction_guard_parts_sums(const ty_contraction *c, const ty_guard *guard);
/* The same of any guard of left (right is always copied): whether left is decides the order of sums. */
bool contraction_parts_sums(const ty_contraction *c);
/* The i in [*first, *end) with 0 <= low + i * coefficient < size. */
void contraction_keep_inside(int64_t low, int64_t coefficient, int64_t size, int64_t *first, int64_t *end);
/* The share of terms in which the side is not padding. */
double contraction_inside(const ty_contraction *c, ty_side side);
/* The dimension with the least step on the side; -1: it steps nowhere. */
int contraction_innermost(const ty_contraction *c, ty_side side);
/* What LANES run along: long rows that lie side by side in left, and innermost in out, where sums wait if they
   step apart (phases of a strided gradient: 1.5 to 2.3, Zen 3); else the batch with the least step in out; -1:
   there is none. */
int contraction_lane(const ty_contraction *c);
/* The least step in bytes of a side along dimensions of a type in the box; UINT64_MAX: it has none. */
uint64_t contraction_least_step(const ty_contraction *c, ty_side side, ty_dim_type type);
/* Elements that a side touches when each dimension goes over extent[]: windows that overlap count once. */
double contraction_footprint(const ty_contraction *c, ty_side side, const int64_t *extent);
/* How many products are made, all sizes multiplied. */
double contraction_products(const ty_contraction *c);
/* Fills in flops and bytes. */
void contraction_measure(ty_contraction *c);
/* Puts a loop before loop `at`; PRIMITIVE entries are added the same way.  False: no room. */
bool contraction_insert(ty_contraction *c, int at, int dim, ty_exec exec, int64_t step, struct fault *fault);
void contraction_remove(ty_contraction *c, int at);
/* Makes `step` the largest step over a dimension from loop `at` on: loops with longer ones inside go, and a
   loop over the same dimension that would be the new one's neighbour outside is replaced. */
bool contraction_cut(ty_contraction *c, int at, int dim, int64_t step, struct fault *fault);
#endif
