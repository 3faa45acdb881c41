/* What a configuration costs, predicted (cost.c), and the constants of the compiler (constants.def). */
#ifndef CONTRACT_COST_H
#define CONTRACT_COST_H
#include "base/number.h"
#include "contract/contraction.h"

struct contract_constants {
#define CONSTANT(type, name, value, unit, what, measured) type name;
#include "contract/constants.def"
};
extern const struct contract_constants contract_constants;

/* Multiply-adds of a register tile for each of its loads. */
double contract_adds_a_load(double rows, double vectors);

/* Predicted seconds of one thread.  Each part is for people as well (contraction_describe prints them). */
struct contract_cost {
    double seconds, arithmetic, memory, caches, packing, calls;
};
void contract_cost_of(const ty_contraction *c, const struct contract_machine *machine,
                      struct contract_cost *cost);
/* What the places of a box cost on a side, which stays in a cache or not, beyond their own bytes, as a
   multiple of these. */
double contract_gaps(const ty_contraction *c, ty_side side, const int64_t *extent, bool cached);
/* Pages that the places of a box lie in. */
double contract_pages(const ty_contraction *c, ty_side side, const int64_t *extent);
/* Whether the runs of a box are whole lines of memory. */
bool contract_whole_lines(const ty_contraction *c, ty_side side, const int64_t *extent);
/* Bytes of the lines that a whole side lies in. */
double contract_lines_bytes(const ty_contraction *c, ty_side side);
/* Copying a byte of a side takes as long as so many are read from L2. */
double contract_copied_bytes(const ty_contraction *c, ty_side side);
/* Bytes that one thread may pack. */
double contract_workspace(const struct contract_machine *machine);
/* Where a side is packed: the loop in each step of which packing takes least time in all, so that what the
   step packs fits `room` bytes; the innermost that steps the side if nothing is better.  -1: once.  *bytes:
   what it packs; *seconds: what all of it takes. */
int contract_pack_loop(const ty_contraction *c, const struct contract_machine *machine, ty_side side,
                       double room, double *bytes, double *seconds);
/* Whether the primitive reads a side of these boxes as well where it lies as from a copy (pass_pack.c). */
bool contract_lies_well(const ty_contraction *c, const struct contract_machine *machine, ty_side side);
/* Whether so much of a window is padding that it is computed in pieces without it, be it a copy or not. */
bool contract_is_padded(const ty_contraction *c, ty_side side);
/* Steps of the loops that threads may share: those before the first one over K. */
double contract_tasks(const ty_contraction *c);
/* The part of the threads' time that those tasks use, each thread one range of them: 1 when all ranges make
   as much of out. */
double contract_evenness(const ty_contraction *c, int threads);
#endif
