/*
 * Narrow products: results of so few elements that one sum each would leave multiply-adds waiting. An element then has
 * several sums, and blocks of K show in its bits. So sizes, strides and dtypes alone decide all of it, never the
 * machine; docs/bits.md defines the order. There are two kinds:
 *
 *   chains   at most CONTRACT_CHAINED vectors of results: term n of a block of K belongs to sum n mod chains
 *   dots     matrix by vector with K contiguous in the matrix: term j of a contiguous run belongs to lane j mod 32
 *            (f32; f64: 16)
 *
 * Windows leave out the terms of padding (contract_pieces.c), in place and in copies, so these count nowhere.
 */
#ifndef CONTRACT_NARROW_H
#define CONTRACT_NARROW_H
#include "contract/contraction.h"

/* LANE_BYTES: bytes of the vectors that define the order, on every machine; CHAINED: most of them in the result of a
   product with several sums per element. */
enum { CONTRACT_LANE_BYTES = 64, CONTRACT_CHAINED = 3 };

/* Return the number of sums per element of contraction c, 1 to 4. */
int contraction_chains(const ty_contraction *c);
/* Return the dimension of K along which the vectors of dots run, or -1 if c is no such product. */
int contraction_dot(const ty_contraction *c);
/* True if a side of elements narrower than sums may be read in place and widened on the way, since its copy has the
   same order of sums: right with columns, and left of dots if blocks have one run along K. In a copy several runs
   follow one another, so terms of later runs belong to other lanes. Windows are copied. */
bool contraction_may_widen(const ty_contraction *c, ty_side side);
/* True if c is a product of one of these kinds. */
bool contraction_is_narrow(const ty_contraction *c);
/* Set step[d] for every K dimension d of a narrow product to its extent in a block of K. Change nothing for others. */
void contraction_narrow_steps(const ty_contraction *c, int64_t *step);
#endif
