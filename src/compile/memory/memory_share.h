/*
 * Memory plans that programs of one function share: those for operands of many sizes.  A plan whose regions have the
 * same lifetimes as those of another one, and are at least as large, serves both: offsets that keep large regions apart
 * keep small ones apart.  If kernels run side by side, the strands of the regions must be equal, too.  So a smaller size
 * needs no search, and all sizes have arenas of the same bytes.
 */
#ifndef COMPILE_MEMORY_SHARE_H
#define COMPILE_MEMORY_SHARE_H
#include "base/ring.h"
#include "compile/memory/memory_plan.h"

/* The shared plans of a function, those in use last first.  The lock of memory_share.c guards it. */
struct plan_share {
    struct ring plans; /* struct shared_plan, in order of use */
    int count;
};
enum { SHARED_PLANS = 64 }; /* most plans of a function; the one unused for longest is dropped */

/* A share, and the family of the program in it: a hash of all that its sizes do not change. */
struct plan_use {
    struct plan_share *share;
    uint64_t family;
};

/*
 * Assign an offset in the arena to each region of p, which memory_plan_lives has made for f.  They come from a shared
 * plan of the family whose regions have the same lifetimes and are at least as large.  Else a plan is made: from one
 * whose regions were too small, or with all regions enlarged to the bytes of the family's largest arena.  p->shared
 * tells whether the arena takes no more than these, so that nothing was searched for long.  False after a fault.
 */
bool memory_share_place(const struct plan_use *use, struct memory_plan *p, const struct flow *f,
                        const ty_compile_options *options, struct fault *fault);
/* True if the share has a plan, or a note, of the family. */
bool memory_share_knows(const struct plan_use *use);
/* Note the family, so that memory_share_knows is true from now on.  Without memory nothing is noted. */
void memory_share_note(const struct plan_use *use);
/* Return the number of plans of a share, and their bytes in *bytes. */
int memory_share_count(const struct plan_share *share, size_t *bytes);
/* Free the plans of a share, which is then empty. */
void memory_share_drop(struct plan_share *share);
#endif
