/* Cost model of configurations (cost.c) and the constants of the compiler (constants.def). */
#ifndef CONTRACT_COST_H
#define CONTRACT_COST_H
#include "base/for_command.h"
#include "base/number.h"
#include "contract/contraction.h"

struct contract_constants {
#define CONSTANT(type, name, value, unit, what, measured) type name;
#include "contract/constants.def"
};
extern const struct contract_constants contract_constants;

/* Return multiply-adds per load of a register tile of `rows` rows and `vectors` vectors of columns. */
double contract_adds_a_load(double rows, double vectors);

/* Predicted seconds of one thread: the total and its parts, which contraction_explain prints. */
struct contract_cost {
    double seconds, arithmetic, memory, caches, packing, calls;
};
/* Predict the cost of c on this machine with one thread, in seconds by kind, into *cost. */
void contract_cost_of(const ty_contraction *c, const struct contract_machine *machine,
                      struct contract_cost *cost) FOR_COMMAND(contract_cost_of);
/* Return the extra cost of gaps between the contiguous runs of a box on one side, when it is read or stored
   (gaps.c). It is a multiple of the cost of its bytes. extent[] is the box by dimension; cached: the side
   stays in a cache. */
double contract_gaps(const ty_contraction *c, ty_side side, const int64_t *extent, bool cached);
/* Return the number of memory pages that a box of extent[] indices touches on one side. */
double contract_pages(const ty_contraction *c, ty_side side, const int64_t *extent);
/* True if the contiguous runs of a box of extent[] indices are whole cache lines on a side, provided that the
   first one starts at a line. */
bool contract_whole_lines(const ty_contraction *c, ty_side side, const int64_t *extent);
/* Return the bytes of all cache lines that an operand touches. */
double contract_lines_bytes(const ty_contraction *c, ty_side side);
/* Return the cost of packing one byte of a side, in bytes read from L2. */
double contract_copied_bytes(const ty_contraction *c, ty_side side);
/* Return the bytes of packed copies that one thread may hold. */
double contract_workspace(const struct contract_machine *machine);
/* Choose the loop in each step of which a side is packed, and return its index: the fastest one whose copy
   fits `room` bytes, else the innermost loop that steps the side. -1: packed once, before all loops. *bytes:
   size of the copy; *seconds: predicted total time. */
int contract_pack_loop(const ty_contraction *c, const struct contract_machine *machine, ty_side side,
                       double room, double *bytes, double *seconds);
/* True if the primitive reads a side of these boxes in place as fast as from a packed copy (pass_pack.c).
   Windows never are. */
bool contract_lies_well(const ty_contraction *c, const struct contract_machine *machine, ty_side side);
/* True if so much of a window on a side is padding that it is computed in pieces without padding. */
bool contract_is_padded(const ty_contraction *c, ty_side side);
/* Return the number of tasks: steps of the loops outside the outermost loop over K. */
double contract_tasks(const ty_contraction *c);
/* Return the share of the threads' time that the tasks use, if each thread runs one range of tasks. 1:
   all ranges produce equal parts of out. */
double contract_evenness(const ty_contraction *c, int threads);
#endif
