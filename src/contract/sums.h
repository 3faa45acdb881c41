/*
 * The order in which each element of out adds up its products.
 *
 * Loops over K and the primitive's entries of K are a numeral system: each of their steps is a digit of the index of
 * a term, the outermost first. Terms are added in ascending order of these numerals. Two configurations whose digits
 * are equal, but for steps inside one digit, therefore compute the same bits. Pass `sum` chooses the digits without
 * regard to the machine, and all later passes keep them.
 */
#ifndef CONTRACT_SUMS_H
#define CONTRACT_SUMS_H
#include "contract/contraction.h"

/* A digit: the part of an index of `dim` below `extent`, in units of `unit` elements. */
struct sum_digit {
    int dim;
    int64_t unit, extent;
};

/* The digits of all dimensions of K, outermost first; steps that follow each other along one dimension are one
   digit. */
struct sum_order {
    int n;
    struct sum_digit digit[TY_CONTRACTION_LOOPS];
};

/* Write the order of the sums of c into *order. Without loops, dimensions follow each other as in c. */
void contraction_order_of(const ty_contraction *c, struct sum_order *order);
/* True if terms are added in the same order by both. */
bool contraction_order_equal(const struct sum_order *a, const struct sum_order *b);

/* True if the result of the sums depends on their order: floating point, real or complex. */
bool contraction_rounds(const ty_contraction *c);
/* True if the extents of the box along K may change bits: each box then adds up several partial sums of an element, in
   lanes, chains or pieces of a window. Depends on the primitive and on whether left is copied, after pass sum. */
bool contraction_boxes_show(const ty_contraction *c);
/* True if the choice of left may change bits. */
bool contraction_sides_show(const ty_contraction *c);
/* Describe in *machine the machine for whose caches and vectors orders of sums are chosen; the same on all. */
void contraction_reference(const ty_contraction *c, struct contract_machine *machine);
#endif
