/* Queries and changes of configurations, shared by passes, checks and engines. Dimensions and loops are
   indexed from 0. */
#ifndef CONTRACT_LOOPS_H
#define CONTRACT_LOOPS_H
#include "base/divisor.h"
#include "base/for_command.h"
#include "contract/contraction.h"

/* Return |stride|, also for INT64_MIN. */
static inline uint64_t contraction_magnitude(int64_t stride) {
    return stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
}
/* Return the greatest common divisor of a and b, both >= 0. */
static inline int64_t contraction_greatest_divisor(int64_t a, int64_t b) {
    return (int64_t)divisor((uint64_t)a, (uint64_t)b);
}
/* True if a side depends on dimension `dim`: it has a stride, or a guard of the side names the dimension. */
bool contraction_touches(const ty_contraction *c, ty_side side, int dim);
/* Return the product of the sizes of all dimensions of a type. */
double contraction_size(const ty_contraction *c, ty_dim_type type);
/* Return the extent of the box, the block that the primitive computes, along a dimension: the step of the
   innermost loop over it, or its size without a loop. */
int64_t contraction_box(const ty_contraction *c, int dim);
/* Return the product of the box's extents over all dimensions of a type; INT64_MAX on overflow. */
int64_t contraction_box_size(const ty_contraction *c, ty_dim_type type);
/* Return the largest extent of dimension `dim` inside the loops before loop `at`. */
int64_t contraction_left(const ty_contraction *c, int at, int dim);
/* Return the largest extent of its own dimension that loop number `loop` divides. */
int64_t contraction_rest(const ty_contraction *c, int loop);
/* Return the number of steps of a loop. */
int64_t contraction_trips(const ty_contraction *c, int loop);
/* Return the number of loops that are not PRIMITIVE entries; they come first. */
int contraction_walked(const ty_contraction *c);
/* Return the index of the outermost loop over a K dimension, or contraction_walked if there is none. */
int contraction_outermost_sum(const ty_contraction *c);
/* True if dimension `dim`, kept or summed, and one of the other kind step over the same elements of the side:
   overlapping windows. */
bool contraction_overlaps(const ty_contraction *c, ty_side side, int dim);
/* True if a side has padding or overlapping windows, so that a box reads some elements several times or not
   at all. */
bool contraction_is_window(const ty_contraction *c, ty_side side);
/* True if a guard couples rows with a longer dimension of K, as in the gradient of a convolution kernel. In
   place, K is then summed in pieces of constant rows; from a copy it is summed in one piece. */
bool contraction_guard_parts_sums(const ty_contraction *c, const ty_guard *guard);
/* True if contraction_guard_parts_sums holds for a guard of left. Then copying left or not decides the
   order of summation. Right is always copied. */
bool contraction_parts_sums(const ty_contraction *c);
/* Narrow the interval [*first, *end) to the integers i with 0 <= low + i * coefficient < size; *end = *first
   if there is none. */
void contraction_keep_inside(int64_t low, int64_t coefficient, int64_t size, int64_t *first, int64_t *end);
/* Return the share, 0 .. 1, of all products for which the side is not padding. */
double contraction_inside(const ty_contraction *c, ty_side side);
/* Return the dimension of size above 1 with the smallest stride on a side, or -1 if there is none. */
int contraction_innermost(const ty_contraction *c, ty_side side);
/* Return the dimension along which vectors of the primitive LANES run, or -1. Long rows are chosen if they
   are contiguous in left and innermost in out. Strided results then wait in a buffer (phases of a strided
   gradient: 1.5 to 2.3, Zen 3). Otherwise it is the batch dimension with the smallest stride in out. */
int contraction_lane(const ty_contraction *c);
/* Return the smallest stride in bytes of a side along dimensions of a type with a box larger than 1;
   UINT64_MAX: none. */
uint64_t contraction_least_step(const ty_contraction *c, ty_side side, ty_dim_type type);
/* Return the number of elements that a side touches for extent[] indices of each dimension; overlapping
   windows count once. */
double contraction_footprint(const ty_contraction *c, ty_side side, const int64_t *extent);
/* Return the number of products: the product of all sizes. */
double contraction_products(const ty_contraction *c) FOR_COMMAND(contraction_products);
/* Set c->flops, the operations of the contraction, and c->bytes, those of all operands. */
void contraction_measure(ty_contraction *c);
/* Insert a loop, or an entry of kind PRIMITIVE, over dimension `dim` with this step before loop `at`. False,
   with a fault: too many loops. */
bool contraction_insert(ty_contraction *c, int at, int dim, ty_exec exec, int64_t step, struct fault *fault);
/* Remove loop `at`. */
void contraction_remove(ty_contraction *c, int at);
/* Limit steps over dimension `dim` to `step` from loop `at` inwards, by a new loop there. Inner loops with
   steps as long are removed, and a loop over the same dimension just outside `at` is replaced. False, with a
   fault: too many loops. */
bool contraction_cut(ty_contraction *c, int at, int dim, int64_t step, struct fault *fault);
/* True if a guard of the configuration names this dimension. */
bool dim_guarded(const ty_contraction *c, int dim);
#endif
