/* Kernels as lists of nests (nest.h): lowering, checking, texts, messages of refusals. */
#ifndef ENGINE_NEST_LOWER_H
#define ENGINE_NEST_LOWER_H
#include "base/arena.h"
#include "base/for_command.h"
#include "base/text.h"
#include "engine/nest/nest.h"
#include "ops/core/kernel/kernel.h"

/* Lower kernel k to *out, whose memory comes from the arena and does not refer to k, but for names of operators. 
   Slots are numbers of operands: inputs, then outputs; offsets of layouts are part of accesses.  A kind that is no
   nest becomes one step that names it.  False, with the fault set, if memory runs out or sizes exceed 64 bits. */
bool nest_lower(const struct kernel *k, ty_nests *out, struct arena *arena, struct fault *fault)
    FOR_COMMAND(nest_lower);

/* Set the fault of a launch of k, which `nests` was made of, after a check of step `step` failed at `position`. 
   `peek` returns element `at` of a slot, an integer, as an i64.  The text is that of `cpu` and `ref`.  Always false.
   */
typedef int64_t (*nest_peek)(void *context, int slot, ty_dtype dtype, int64_t at);
bool nests_refuse(const struct kernel *k, const ty_nests *nests, int step, int64_t position, nest_peek peek,
                  void *context, struct fault *fault);
/* True if nests_refuse reads nothing but the value that was refused. */
bool nests_refuse_value(const struct kernel *k);

/* Check a list of nests without regard to its origin: registers, dtypes, roles; that accesses stay in their slots,
   low[slot] <= element < high[slot] (NULL: any); that parallel iterations write different elements.  False, with the
   fault set, if not. */
bool nests_check(const ty_nests *nests, const int64_t *low, const int64_t *high, struct fault *fault);

/* Return the byte offsets, from the arena, of the temporaries in a workspace, one behind the other, aligned for any
   element; set *bytes to the size of the workspace.  NULL, with the fault set, on failure. */
int64_t *nests_place(const ty_nests *nests, size_t *bytes, struct arena *arena, struct fault *fault);

/* nests_check with the extents of the operands of k, which the list was made of. */
bool nests_check_kernel(const struct kernel *k, const ty_nests *nests, struct fault *fault);
/* True if there is such an operator, for these dtypes. */
bool nest_instr_valid(const ty_nest_instr *instr);
/* Most lanes of a fold: those of 64 bytes of the narrowest dtype. */
enum { NEST_LANES = 64 };
/* True if the numbers of a fold are in their ranges. */
bool nest_fold_valid(const ty_nest *nest, const ty_nest_fold *fold);

/* Append the list as readable text, a few lines for each step. */
void nests_describe(const ty_nests *nests, struct text *t) FOR_COMMAND(nests_describe);
#endif
